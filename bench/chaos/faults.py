"""Faults of the machine: a command says what is wrong and ends, and typed again it makes the same bytes."""

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
from bench.chaos.kills import Undisturbed, complaints, undisturbed
from bench.chaos.subjects import BUILD, DOCKER, Ended, Place, Subject, write_release

# of what a run takes at most
SHARES = {"out": (0.0, 0.25, 0.5, 0.75, 0.95), "cache": (0.0, 0.5), "tmp": (0.0, 0.5)}
DESCRIPTORS = (8, 16, 24)
ROOM = "1g"
STOPPED_S = 3.0
STOPS = 2
# for a command that was stopped: compilers have 60 s, and a silent supervisor 30 s more
HANGS_S = 120.0
DAEMON_S = 60.0  # until a daemon answers
SUPERVISOR = "venus-superviso"  # a name in /proc has 15 characters


@dataclass
class Suffered:
    """What became of a subject under one kind of fault.

    Attributes:
        subject: The name of the subject.
        fault: What happened to it.
        times: How often.
        ended: How often it ended in each way: `done`, `refused` (exit code 3 and what to do), or
            what it should not.
        said: One message of a refusal.
        complaints: What was not as it has to be; empty: nothing.
        longest_s: The longest time until it ended.
        took_s: How long all of this took.
    """

    subject: str
    fault: str
    times: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    said: str = ""
    complaints: list[str] = field(default_factory=list)
    longest_s: float = 0.0
    took_s: float = 0.0


@dataclass(frozen=True)
class Sufferer:
    """A subject with its run in peace, to which faults happen.

    Args:
        subject: The subject.
        place: Its folders.
        peace: Its run in peace.
    """

    subject: Subject
    place: Place
    peace: Undisturbed

    def suffer(
        self, outcome: Suffered, run: Callable[[], Ended], cure: Callable[[], object] = lambda: None
    ) -> None:
        """Run it with a fault, cure that, and run it again.

        What came of both is added to `outcome`.
        """
        self.place.empty()
        self.subject.begin(self.place)
        start = time.monotonic()
        ended = run()
        outcome.longest_s = max(outcome.longest_s, time.monotonic() - start)
        outcome.times += 1
        how = way_of(ended, self.peace)
        outcome.ended[how] = outcome.ended.get(how, 0) + 1
        if how == "refused":
            outcome.said = outcome.said or ended.said.strip().replace(str(self.place.folder), "…")
        elif how != "done":
            *_, last = ("nothing", *ended.said.strip().splitlines())
            outcome.complaints.append(f"{how}, and what it said last is: {last}")
        outcome.complaints += [f"a process stays: {name}" for name in traces.orphans()]
        cure()
        again = self.subject.run(self.place)
        complaints_again = complaints(
            self.subject, self.place, self.peace, again, {ended.pid, again.pid}
        )
        outcome.complaints += [f"typed again: {complaint}" for complaint in complaints_again]
        outcome.took_s += time.monotonic() - start

    def run_on(self, remount: Callable[[str], object], options: str) -> Ended:
        """Run it with other options of its disk."""
        remount(options)
        return self.subject.run(self.place)

    def run_stopped(self, stop: Callable[[subprocess.Popen[bytes]], None], after_s: float) -> Ended:
        """Run it, and stop something of it after a while."""
        process = self.subject.start(self.place)
        time.sleep(after_s)
        stopping = threading.Thread(target=stop, args=(process,))
        stopping.start()
        ended = self.subject.end(self.place, process, HANGS_S)
        stopping.join()
        return ended


def way_of(ended: Ended, peace: Undisturbed) -> str:
    """Return how a command ended: `done` or `refused`, or in a way that it should not."""
    if ended.code is None:
        return "hangs"
    if "Traceback (most recent call last)" in ended.said:
        return "traceback"
    if ended.code == peace.code:
        return "done"
    # An evaluation keeps what it has, and says that it is partial.
    if ended.code == 3 and re.search(
        r"(?ms)^venus: .+\n  \S[^\n]+\s*\Z|^PARTIAL .+ type the same command", ended.said
    ):
        return "refused"
    return f"exit code {ended.code} without advice"


# ------------------------------------------------------------------ disks


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[str], object]]:
    """Mount a file system over a folder; what is given changes its options."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "chaos", str(folder)], check=True)
    try:
        yield lambda options: subprocess.run(
            ["mount", "-o", f"remount,{options}", str(folder)], check=True
        )
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def taken(folder: Path) -> int:
    """Return how many bytes of a file system are taken."""
    room = os.statvfs(folder)
    return (room.f_blocks - room.f_bfree) * room.f_frsize


def most_taken(subject: Subject, place: Place, folder: Path) -> tuple[int, int]:
    """Return how many bytes are taken when a run begins, and at most while it runs."""
    with small_disk(folder):
        place.empty()
        subject.begin(place)
        first = most = taken(folder)
        process = subject.start(place)
        while process.poll() is None:
            most = max(most, taken(folder))
            time.sleep(0.002)
        subject.end(place, process)
        place.empty()
    return first, most


def full_disks(sufferer: Sufferer, _: random.Random) -> Iterator[Suffered]:
    """Let a disk fill up at different moments of a run.

    That of the output, of the cache, of temporary files.
    """
    subject, place = sufferer.subject, sufferer.place
    for name, shares in SHARES.items():
        outcome = Suffered(subject.name, f"disk full: {name}")
        first, most = most_taken(subject, place, place.of(name))
        for share in shares if most > first else ():
            size = max(4096, first + int(share * (most - first)))
            with small_disk(place.of(name)) as remount:
                disturbed = partial(sufferer.run_on, remount, f"size={size}")
                sufferer.suffer(outcome, disturbed, partial(remount, f"size={ROOM}"))
                place.empty()
        if outcome.times:
            yield outcome


def read_only(sufferer: Sufferer, _: random.Random) -> Iterator[Suffered]:
    """Let the output be on a disk that is read-only."""
    outcome = Suffered(sufferer.subject.name, "read-only: out")
    with small_disk(sufferer.place.of("out")) as remount:
        sufferer.suffer(outcome, partial(sufferer.run_on, remount, "ro"), partial(remount, "rw"))
        sufferer.place.empty()
    yield outcome


# ------------------------------------------------------------------ descriptors, and processes that
# are stopped


def few_descriptors(sufferer: Sufferer, _: random.Random) -> Iterator[Suffered]:
    """Let a command have few open files."""
    outcome = Suffered(sufferer.subject.name, "out of file descriptors")
    for most in DESCRIPTORS:
        sufferer.suffer(outcome, partial(sufferer.subject.run, sufferer.place, descriptors=most))
    yield outcome


def stops(sufferer: Sufferer, moments: random.Random) -> Iterator[Suffered]:
    """Stop a supervisor for ever, or the command itself for some seconds."""
    for fault, stop in (
        ("supervisor stopped", stop_supervisor),
        ("command stopped for 3 s", stop_for_a_while),
    ):
        outcome = Suffered(sufferer.subject.name, fault)
        for _ in range(STOPS):
            sufferer.suffer(
                outcome,
                partial(sufferer.run_stopped, stop, moments.random() * sufferer.peace.seconds),
            )
        yield outcome


def stop_supervisor(process: subprocess.Popen[bytes]) -> None:
    """Stop the first supervisor of a command that there is, in such a way that it never goes on."""
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
    """Stop a command and let it go on after some seconds."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)


# ------------------------------------------------------------------ a daemon that goes away


def restarts(sufferer: Sufferer, moments: random.Random) -> Iterator[Suffered]:
    """Let the Docker daemon end in the middle, told to or killed, and come back.

    That of tools/with-docker.
    """
    for fault, number in (
        ("Docker daemon restarted", signal.SIGTERM),
        ("Docker daemon killed", signal.SIGKILL),
    ):
        outcome = Suffered(sufferer.subject.name, fault)
        for _ in range(STOPS):
            restart = partial(restart_daemon, number)
            sufferer.suffer(
                outcome,
                partial(sufferer.run_stopped, restart, moments.random() * sufferer.peace.seconds),
            )
        outcome.complaints += [
            f"the container {container} stays"
            for container in docker("ps", "--all", "--quiet").split()
        ]
        yield outcome


def docker(*words: str) -> str:
    """Return what a command of Docker prints, or nothing where it fails."""
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=False).stdout


def restart_daemon(number: int, _: object = None) -> None:
    """End the daemon with a signal, and start it as it was started."""
    room = Path(os.environ["DOCKER_HOST"].removeprefix("unix://")).parent
    daemon = Path("/proc", (room / "docker.pid").read_text())
    argv = (daemon / "cmdline").read_bytes().decode().rstrip("\0").split("\0")
    os.kill(int(daemon.name), number)
    while (daemon / "cmdline").is_file() and (daemon / "cmdline").read_bytes():
        time.sleep(0.05)
    # A zombie would be taken for one that runs: containerd dies with the daemon and is our child
    # then.
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


FAULTS: dict[str, Callable[[Sufferer, random.Random], Iterator[Suffered]]] = {
    "disks": full_disks,
    "read-only": read_only,
    "descriptors": few_descriptors,
    "stops": stops,
    "restarts": restarts,
}


def faults(
    subject: Subject, place: Place, kinds: list[str], seed: int, end: float = math.inf
) -> Iterator[Suffered]:
    """Let faults of some kinds happen to a subject.

    No kind begins after `end`, a monotonic time.
    """
    # All subjects wait for supervisors in one way. A daemon matters to one subject, and to that
    # nothing else is new.
    suited = (
        {"restarts"}
        if subject is DOCKER
        else {*FAULTS} - {"restarts"} - ({"stops"} if subject != BUILD else set())
    )
    chosen = [FAULTS[kind] for kind in kinds if kind in suited]
    if not chosen or time.monotonic() > end:
        return
    write_release(place)
    sufferer = Sufferer(subject, place, undisturbed(subject, place))
    for kind in chosen:
        if time.monotonic() < end:
            yield from kind(sufferer, random.Random(f"{seed} {subject.name}"))
