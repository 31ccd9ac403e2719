"""Faults of the machine: a command must report the fault and end, and a rerun must produce the same bytes."""

from __future__ import annotations

import contextlib
import math
import os
import random
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.chaos import traces
from bench.chaos.kills import UndisturbedRun, complaints, undisturbed
from bench.chaos.subjects import BUILD, DOCKER, CommandEnd, Place, Subject, write_release

# shares of the peak disk usage of a run
SHARES = {"out": (0.0, 0.25, 0.5, 0.75, 0.95), "cache": (0.0, 0.5), "tmp": (0.0, 0.5)}
DESCRIPTORS = (8, 16, 24)  # limits on open files
DISK_SIZE = "1g"
STOPPED_S = 3.0
STOPS = 2  # repeats of each fault
# patience with a stopped command: compilers have 60 s, and a silent supervisor has another 30 s
HANGS_S = 120.0
DAEMON_S = 60.0  # patience with a starting daemon
SUPERVISOR = "venus-superviso"  # /proc shows the first 15 characters of a name


@dataclass
class FaultOutcome:
    """The outcome of one kind of fault for a subject.

    Attributes:
        subject: The name of the subject.
        fault: The name of the fault.
        times: Number of runs with the fault.
        ended: Number of runs by how they ended: `done`, `refused` (exit code 3 with advice), or in
            a forbidden way.
        message: An example of a refusal's message.
        complaints: Deviations from the expected behaviour.
        longest_s: The duration of the longest run.
        took_s: The duration of all runs.
    """

    subject: str
    fault: str
    times: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    message: str = ""
    complaints: list[str] = field(default_factory=list)
    longest_s: float = 0.0
    took_s: float = 0.0


@dataclass(frozen=True)
class FaultRunner:
    """Runs a subject with faults.

    Args:
        subject: The subject.
        place: Its folders.
        baseline: Its undisturbed run.
    """

    subject: Subject
    place: Place
    baseline: UndisturbedRun

    def run_with_fault(
        self,
        outcome: FaultOutcome,
        run: Callable[[], CommandEnd],
        repair: Callable[[], object] = lambda: None,
    ) -> None:
        """Run the subject with a fault, remove the fault, rerun it, and add both to `outcome`."""
        self.place.empty()
        self.subject.begin(self.place)
        start = time.monotonic()
        ended = run()
        outcome.longest_s = max(outcome.longest_s, time.monotonic() - start)
        outcome.times += 1
        how = classify_end(ended, self.baseline)
        outcome.ended[how] = outcome.ended.get(how, 0) + 1
        if how == "refused":
            text = ended.output.strip().replace(str(self.place.folder), "…")
            outcome.message = outcome.message or text
        elif how != "done":
            *_, last = ("nothing", *ended.output.strip().splitlines())
            outcome.complaints.append(f"{how}; the last line of its output: {last}")
        outcome.complaints += [f"a process stays: {name}" for name in traces.orphans()]
        repair()
        again = self.subject.run(self.place)
        complaints_again = complaints(
            self.subject, self.place, self.baseline, again, {ended.pid, again.pid}
        )
        outcome.complaints += [f"rerun: {complaint}" for complaint in complaints_again]
        outcome.took_s += time.monotonic() - start

    def run_on(self, remount: Callable[[str], object], options: str) -> CommandEnd:
        """Run the subject with other mount options of its disk."""
        remount(options)
        return self.subject.run(self.place)

    def run_stopped(
        self, stop: Callable[[subprocess.Popen[bytes]], None], after_s: float
    ) -> CommandEnd:
        """Run the subject, and stop one of its processes after `after_s` seconds."""
        process = self.subject.start(self.place)
        time.sleep(after_s)
        stopping = threading.Thread(target=stop, args=(process,))
        stopping.start()
        ended = self.subject.end(self.place, process, HANGS_S)
        stopping.join()
        return ended


def classify_end(ended: CommandEnd, baseline: UndisturbedRun) -> str:
    """Return how a command ended: `done`, `refused`, or in a forbidden way."""
    if ended.code is None:
        return "hangs"
    if "Traceback (most recent call last)" in ended.output:
        return "traceback"
    if ended.code == baseline.code:
        return "done"
    # An evaluation keeps partial results and says so.
    if ended.code == 3 and re.search(
        r"(?ms)^venus: .+\n  \S[^\n]+\s*\Z|^PARTIAL .+ type the same command", ended.output
    ):
        return "refused"
    return f"exit code {ended.code} without advice"


# ------------------------------------------------------------------ disks


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[str], object]]:
    """Mount a file system over a folder; yield a function that changes its options."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE}", "chaos", str(folder)], check=True
    )
    try:
        yield lambda options: subprocess.run(
            ["mount", "-o", f"remount,{options}", str(folder)], check=True
        )
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def used_bytes(folder: Path) -> int:
    """Return the used bytes of a file system."""
    status = os.statvfs(folder)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def disk_usage(subject: Subject, place: Place, folder: Path) -> tuple[int, int]:
    """Return the used bytes at the start of a run, and the peak during it."""
    with small_disk(folder):
        place.empty()
        subject.begin(place)
        first = most = used_bytes(folder)
        process = subject.start(place)
        while process.poll() is None:
            most = max(most, used_bytes(folder))
            time.sleep(0.002)
        subject.end(place, process)
        place.empty()
    return first, most


def full_disks(runner: FaultRunner, _: random.Random) -> Iterator[FaultOutcome]:
    """Fill the disk of the output, the cache or temporary files at different moments of a run."""
    subject, place = runner.subject, runner.place
    for name, shares in SHARES.items():
        outcome = FaultOutcome(subject.name, f"disk full: {name}")
        first, most = disk_usage(subject, place, place.of(name))
        for share in shares if most > first else ():
            size = max(4096, first + int(share * (most - first)))
            with small_disk(place.of(name)) as remount:
                disturbed = partial(runner.run_on, remount, f"size={size}")
                runner.run_with_fault(outcome, disturbed, partial(remount, f"size={DISK_SIZE}"))
                place.empty()
        if outcome.times:
            yield outcome


def read_only(runner: FaultRunner, _: random.Random) -> Iterator[FaultOutcome]:
    """Make the disk of the output read-only."""
    outcome = FaultOutcome(runner.subject.name, "read-only: out")
    with small_disk(runner.place.of("out")) as remount:
        runner.run_with_fault(
            outcome, partial(runner.run_on, remount, "ro"), partial(remount, "rw")
        )
        runner.place.empty()
    yield outcome


# ------------------------------------------------------------------ descriptors and stopped processes


def few_descriptors(runner: FaultRunner, _: random.Random) -> Iterator[FaultOutcome]:
    """Limit the number of open files."""
    outcome = FaultOutcome(runner.subject.name, "out of file descriptors")
    for most in DESCRIPTORS:
        runner.run_with_fault(outcome, partial(runner.subject.run, runner.place, descriptors=most))
    yield outcome


def stops(runner: FaultRunner, moments: random.Random) -> Iterator[FaultOutcome]:
    """Stop a supervisor permanently, or the command itself for some seconds."""
    for fault, stop in (
        ("supervisor stopped", stop_supervisor),
        ("command stopped for 3 s", stop_for_a_while),
    ):
        outcome = FaultOutcome(runner.subject.name, fault)
        for _ in range(STOPS):
            runner.run_with_fault(
                outcome,
                partial(runner.run_stopped, stop, moments.random() * runner.baseline.seconds),
            )
        yield outcome


def stop_supervisor(process: subprocess.Popen[bytes]) -> None:
    """Stop the first supervisors of a command permanently."""
    end = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < end:
        supervisors = [
            candidate
            for candidate in traces.descendants(process.pid)
            if candidate.name == SUPERVISOR
        ]
        for candidate in supervisors:
            with contextlib.suppress(ProcessLookupError):
                os.kill(candidate.pid, signal.SIGSTOP)
        if supervisors:
            return
        time.sleep(0.001)


def stop_for_a_while(process: subprocess.Popen[bytes]) -> None:
    """Stop a command and continue it after STOPPED_S seconds."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)


# ------------------------------------------------------------------ restarts of a daemon


def restarts(runner: FaultRunner, moments: random.Random) -> Iterator[FaultOutcome]:
    """Terminate or kill the Docker daemon of tools/with-docker during a run, and restart it."""
    for fault, number in (
        ("Docker daemon restarted", signal.SIGTERM),
        ("Docker daemon killed", signal.SIGKILL),
    ):
        outcome = FaultOutcome(runner.subject.name, fault)
        for _ in range(STOPS):
            restart = partial(restart_daemon, number)
            runner.run_with_fault(
                outcome,
                partial(runner.run_stopped, restart, moments.random() * runner.baseline.seconds),
            )
        outcome.complaints += [
            f"the container {container} was left behind"
            for container in docker("ps", "--all", "--quiet").split()
        ]
        yield outcome


def docker(*words: str) -> str:
    """Return the output of a docker command, empty if it fails."""
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=False).stdout


def restart_daemon(number: int, _: object = None) -> None:
    """End the daemon with a signal, and start it with the same arguments."""
    room = Path(os.environ["DOCKER_HOST"].removeprefix("unix://")).parent
    daemon = Path("/proc", (room / "docker.pid").read_text())
    argv = (daemon / "cmdline").read_bytes().decode().rstrip("\0").split("\0")
    os.kill(int(daemon.name), number)
    while (daemon / "cmdline").is_file() and (daemon / "cmdline").read_bytes():
        time.sleep(0.05)
    # Reap zombies, which would count as running: containerd dies with the daemon and then becomes
    # our child.
    for file in (room / "docker.pid", room / "exec/containerd/containerd.pid"):
        with contextlib.suppress(FileNotFoundError, ChildProcessError):
            os.waitpid(int(file.read_text()), 0)
        file.unlink(missing_ok=True)
    with (room / "log").open("ab") as log:
        subprocess.Popen(argv, stdout=log, stderr=log)
    end = time.monotonic() + DAEMON_S
    while not docker("version", "--format", "{{.Server.Version}}").strip():
        if time.monotonic() > end:
            raise AssertionError(
                f"the daemon does not start again: {(room / 'log').read_text()[-300:]}"
            )
        time.sleep(0.1)


FAULTS: dict[str, Callable[[FaultRunner, random.Random], Iterator[FaultOutcome]]] = {
    "disks": full_disks,
    "read-only": read_only,
    "descriptors": few_descriptors,
    "stops": stops,
    "restarts": restarts,
}


def faults(
    subject: Subject, place: Place, kinds: list[str], seed: int, end: float = math.inf
) -> Iterator[FaultOutcome]:
    """Run a subject with faults of some kinds; no kind begins after `end`, a monotonic time."""
    # All subjects wait for supervisors in the same way, so one subject is enough for `stops`. Only
    # the build in Docker depends on a daemon, and other faults affect it like a local build.
    suited = (
        {"restarts"}
        if subject is DOCKER
        else {*FAULTS} - {"restarts"} - ({"stops"} if subject != BUILD else set())
    )
    chosen = [FAULTS[kind] for kind in kinds if kind in suited]
    if not chosen or time.monotonic() > end:
        return
    write_release(place)
    runner = FaultRunner(subject, place, undisturbed(subject, place))
    for kind in chosen:
        if time.monotonic() < end:
            yield from kind(runner, random.Random(f"{seed} {subject.name}"))
