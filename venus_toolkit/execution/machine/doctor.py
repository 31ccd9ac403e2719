"""Checks isolation and measurement noise on this machine: a sentence and a fix for each problem.

Every check is a function from an observation to a Finding, so that a test can pass it the
observations of a worse machine. Not covered: hidden limits on CPU time that a container or
hypervisor sets, and whether the Docker daemon can access the folders of this machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import MachineError, ToolchainError, VenusError
from venus_toolkit.core.interruption import worker_pool
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.core.toolchain import find_toolchain
from venus_toolkit.execution.measuring.counting import pmu_problem
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.sandbox import Program, cgroups, supervisor
from venus_toolkit.execution.sandbox.bubblewrap import LAST_PID, isolation_problem
from venus_toolkit.execution.sandbox.cores import quiet_cores, usable_cores
from venus_toolkit.execution.sandbox.docker import daemon
from venus_toolkit.execution.sandbox.emulator import Emulator, find_emulator
from venus_toolkit.execution.sandbox.opening import open_sandbox

ISOLATION = "isolation"
LANGUAGE = "language "
ARCHITECTURES = ("x86_64", "aarch64")
OLDEST_KERNEL = (5, 11)  # has CLOSE_RANGE_CLOEXEC; pidfd_open is older
STEAL_PERCENT = 2.0
PRESSURE_PERCENT = 10.0
NOISE_PERCENT = 5.0
GAP_NS = 2 * NS_PER_MS  # twice the interval: a sample was late or is missing
FREE_BYTES = 2 << 30
TRIALS = 12  # four groups of REPEATS: the spread of four measurements
REPEATS = 3  # the default of --repeats
TRIAL_BUDGET_NS = 3 * NS_PER_S  # keeps the whole check short
# Clock sources that are read without a system call.
FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    ok is True if nothing needs a fix, False for a problem, and None for a feature that is optional,
    unknown or was not tried.
    fix is what to type or change, or empty.
    """

    name: str
    ok: bool | None
    sentence: str
    fix: str = ""

    @classmethod
    def judged(cls, name: str, ok: bool, sentence: str, fix: str) -> Finding:
        """Return a finding that has a fix only if it is not ok."""
        return cls(name, ok, sentence, "" if ok else fix)


class Trial(NamedTuple):
    """Consecutive runs of one language's reference program, sampled every millisecond."""

    language: str
    runs: tuple[Run, ...]


def examine(languages: Mapping[str, Language], quick: bool = False) -> list[Finding]:
    """Return the findings of all checks; `quick` skips the noise test."""
    before = Pressure.now()
    # First of all, since the other checks cause pressure themselves.
    pressure = check_pressure()
    # The version commands of the toolchains mostly wait for the disk, so they run in parallel.
    with doing("asking compilers for their versions"), worker_pool(4) as pool:
        toolchains = list(pool.map(check_toolchain, languages.values()))
    with doing("measuring noise"):
        trial = None if quick else try_reference(languages.values())
    measuring = [] if trial is None else [check_noise(trial), check_sampling(trial)]
    return [
        check_machine(platform.system(), platform.machine(), platform.release()),
        check_supervisor(supervisor.BINARY),
        check_isolation(why_not_isolated()),
        check_privileges(os.geteuid()),
        check_cgroups(cgroups.version(), os.geteuid()),
        check_accounting(read_counters()),
        check_numbering(Path(LAST_PID)),
        check_cores(usable_cores()),
        check_governor(),
        check_smt(),
        check_clock(),
        check_steal(before, Pressure.now()),
        pressure,
        *measuring,
        check_temporary_folder(
            Path(tempfile.gettempdir()), shutil.disk_usage(tempfile.gettempdir()).free
        ),
        check_memory(),
        check_counters(pmu_problem, find_emulator),
        check_docker(daemon.address(), daemon.problem()),
        *toolchains,
    ]


def can_work(findings: Iterable[Finding]) -> bool:
    """Whether programs can be isolated and at least one language works."""
    listed = list(findings)
    isolated = any(finding.ok for finding in listed if finding.name == ISOLATION)
    return isolated and any(finding.ok for finding in listed if finding.name.startswith(LANGUAGE))


def check_machine(system: str, architecture: str, kernel: str) -> Finding:
    """Whether the supervisor supports this processor and kernel."""
    machine = f"{system} {kernel} on {architecture}"
    if system != "Linux":
        return Finding(
            "machine", False, f"{machine}: programs run under Linux only.", "use a Linux machine"
        )
    if architecture not in ARCHITECTURES:
        known = " and ".join(ARCHITECTURES)
        return Finding(
            "machine",
            False,
            f"{machine}: the supervisor knows {known} only.",
            "use one of these machines",
        )
    numbers = kernel.split("-")[0].split(".")[:2]
    if tuple(int(number) for number in numbers if number.isdigit()) < OLDEST_KERNEL:
        oldest = ".".join(map(str, OLDEST_KERNEL))
        return Finding(
            "machine",
            False,
            f"{machine}: the supervisor needs Linux {oldest}.",
            "install a newer kernel",
        )
    return Finding("machine", True, f"{machine}.")


def check_supervisor(binary: Path) -> Finding:
    """Whether the native supervisor is compiled and starts."""
    if not binary.is_file():
        return Finding(
            "supervisor",
            False,
            f"The supervisor is not compiled: {binary} does not exist.",
            "make native",
        )
    try:
        process = subprocess.run(
            [str(binary), "--version"], capture_output=True, text=True, timeout=5, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "supervisor", False, f"The supervisor does not start: {error}.", "make native"
        )
    return Finding(
        "supervisor", True, f"The supervisor is compiled and starts ({process.stdout.strip()})."
    )


def check_isolation(problem: tuple[str, str] | None) -> Finding:
    """Whether bubblewrap works here; `problem` is the result of `isolation_problem`."""
    if problem:
        reason, fix = problem
        return Finding(
            ISOLATION, False, f"Programs cannot be isolated: {reason}.", fix.removeprefix("type: ")
        )
    return Finding(
        ISOLATION,
        True,
        "Programs can be isolated: bubblewrap works (own files, processes, no network).",
    )


def why_not_isolated() -> tuple[str, str] | None:
    """Return why programs cannot be isolated here, and the fix; None if they can.

    A supervisor that is not compiled is such a reason, too.
    """
    try:
        return isolation_problem()
    except MachineError as error:
        return f"{error.what}, so it cannot be tried", error.fix


def check_privileges(uid: int) -> Finding:
    """Whether programs run as a separate unprivileged user."""
    if uid == 0:
        sentence = (
            "Running as root: programs run as an unprivileged user of their own, away from your "
            "files and processes."
        )
        return Finding("privileges", True, sentence)
    sentence = (
        f"Running as user {uid}: programs share this user inside their own namespaces, and your "
        "processes count"
    )
    return Finding(
        "privileges",
        None,
        f"{sentence} against their limit.",
        "run as root for a user of their own",
    )


def check_cgroups(version: int | None, uid: int) -> Finding:
    """Whether the kernel enforces the limits on memory and processes by control groups."""
    if version:
        sentence = (
            f"Control groups (version {version}) work: the kernel enforces the limits on memory "
            f"(plus {cgroups.HEADROOM_BYTES // MIB} MiB for input and output) and on processes."
        )
        return Finding("cgroups", True, sentence)
    sentence = (
        "Control groups are not available. Memory is only sampled, so a program can exceed its "
        "limit between two samples; its peak shows this. RLIMIT_NPROC limits processes."
    )
    if uid != 0:
        return Finding("cgroups", None, sentence, "run as root")
    fix = (
        "before venus, in the same shell: echo $$ > /sys/fs/cgroup/cgroup.procs; in Docker add: "
        "--privileged"
    )
    return Finding("cgroups", None, sentence, fix)


def read_counters() -> frozenset[str]:
    """Return the readable counters of a control group, as options of the supervisor.

    Empty if no control group can be created.
    """
    group = cgroups.make_cgroup(MIB, 1)
    if group is None:
        return frozenset()
    try:
        return frozenset(group.fds)
    finally:
        group.remove()


def check_accounting(counters: frozenset[str]) -> Finding:
    """Whether figures include costs that no process shows; `counters` come from `read_counters`."""
    lacking = []
    if not {"--usage", "--stat"} <= counters:
        lacking.append(
            "memory that no process has mapped (in local sockets, page tables, shared memory)"
        )
    if "--cpu" not in counters:
        lacking.append(
            "all CPU time of children that the program does not wait for (so short-lived ones can hide it)"
        )
    if not lacking:
        sentence = (
            "Control groups count memory that no process shows, and the CPU time of all children."
        )
        return Finding("accounting", True, sentence)
    sentence = f"No control group counts {' or '.join(lacking)}."
    return Finding(
        "accounting",
        None,
        sentence,
        "run as root, with the controllers memory and cpuacct, or version 2",
    )


def check_numbering(last_pid: Path) -> Finding:
    """Whether the supervisor can give the processes of every run the same ids."""
    if last_pid.exists():
        return Finding("process numbers", True, "The processes of every run have the same numbers.")
    sentence = (
        "Process numbers count up from run to run, so a program can tell how many runs there "
        "were before."
    )
    return Finding("process numbers", None, sentence, "use a kernel with CONFIG_CHECKPOINT_RESTORE")


def check_cores(cores: Sequence[int]) -> Finding:
    """Whether program and sampler can run on separate cores."""
    if len(cores) > 1:
        sentence = (
            f"{len(cores)} cores may be used: the program runs on core {cores[-1]}, its sampler "
            f"on core {cores[-2]}."
        )
        return Finding("cores", True, sentence)
    sentence = (
        "One core may be used: program and sampler share it, samples come late and the program "
        "waits for them."
    )
    return Finding("cores", False, sentence, "give this machine, container or task set two cores")


def check_governor(root: Path = ROOT) -> Finding:
    """Whether the processor's frequency is constant."""
    name = _read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if name is None:
        sentence = (
            "The kernel shows no frequency governor, as is usual in virtual machines: the speed "
            "may change unseen."
        )
        return Finding("governor", None, sentence)
    if name == "performance":
        return Finding("governor", True, "The frequency governor is 'performance'.")
    sentence = f"The frequency governor is '{name}': the processor changes its speed with the load."
    return Finding("governor", False, sentence, "cpupower frequency-set -g performance")


def check_smt(root: Path = ROOT) -> Finding:
    """Whether two hardware threads share a core."""
    active = _read(root / "sys/devices/system/cpu/smt/active")
    if active == "1":
        sentence = (
            "SMT is on: two hardware threads share each core, and whatever runs on the other one "
            "slows a program."
        )
        return Finding("smt", False, sentence, "echo off > /sys/devices/system/cpu/smt/control")
    if active is None:
        return Finding(
            "smt", None, "The kernel does not say whether hardware threads share a core."
        )
    return Finding("smt", True, "No two hardware threads share a core, as far as the kernel knows.")


def check_clock(root: Path = ROOT) -> Finding:
    """Whether the clock is read without a system call."""
    name = _read(root / "sys/devices/system/clocksource/clocksource0/current_clocksource")
    if name is None:
        return Finding("clock", None, "The kernel does not say which clock it reads.")
    if name in FAST_CLOCKS:
        return Finding("clock", True, f"The clock source is {name}, which is read in nanoseconds.")
    sentence = f"The clock source is {name}, which takes microseconds to read."
    return Finding("clock", False, sentence, "boot with the kernel option clocksource=tsc")


def check_steal(before: Pressure, after: Pressure) -> Finding:
    """Whether the hypervisor took CPU time away during the other checks."""
    total = after.total - before.total
    if total <= 0:
        return Finding(
            "steal", None, "The kernel does not say how much processor time others were given."
        )
    percent = 100 * (after.stolen - before.stolen) / total
    sentence = (
        f"{percent:.1f} % of the processor time was given to other machines on this host just now."
    )
    return Finding.judged(
        "steal",
        percent <= STEAL_PERCENT,
        sentence,
        "measure at another hour or on a dedicated host",
    )


def check_pressure(root: Path = ROOT) -> Finding:
    """Whether other work competes for the processors now."""
    text = _read(root / "proc/pressure/cpu")
    if text is None:
        sentence = (
            "The kernel does not say whether programs wait for a core (no pressure stall "
            "information)."
        )
        return Finding("pressure", None, sentence, "boot with the kernel option psi=1")
    percent = float(text.split("avg10=", 1)[1].split()[0])
    sentence = f"In the last 10 s something waited for a core {percent:.0f} % of the time."
    return Finding.judged(
        "pressure", percent <= PRESSURE_PERCENT, sentence, "stop other work before measuring"
    )


def try_reference(languages: Iterable[Language]) -> Trial | Finding:
    """Run the reference program of `first_language` a dozen times.

    After a failure it returns a Finding with the reason.
    """
    language = first_language(languages)
    if language is None:
        return Finding("noise", None, "The noise was not measured: no language is installed.")
    impatient = dataclasses.replace(
        language, compile_limits=language.compile_limits.changed(wall_ns=4 * NS_PER_S)
    )
    limits = Limits(wall_ns=TRIAL_BUDGET_NS, cpu_ns=TRIAL_BUDGET_NS)
    runs: list[Run] = []
    try:
        with open_sandbox("local") as sandbox:
            compiled = sandbox.compile(Program(impatient, language.reference))
            if not compiled.ok:
                raise ToolchainError(
                    "the reference program does not compile",
                    compiled.log.strip()[-200:] or "no reason given",
                    f"venus languages check {language.id}",
                )
            with sandbox.session(compiled, limits, quiet_cores()) as session:
                for run in session.run([b""] * (TRIALS + 1)):
                    runs.append(run.without_output())
                    if sum(run.wall_ns for run in runs) > TRIAL_BUDGET_NS:
                        break
    except VenusError as error:
        return Finding(
            "noise", None, f"The noise was not measured: {error.what} ({error.why}).", error.fix
        )
    return Trial(language.name, tuple(runs))


def first_language(languages: Iterable[Language]) -> Language | None:
    """Return the language for the noise test: the first installed one, preferably compiled."""
    installed = [language for language in languages if check_toolchain(language).ok]
    compiled = [language for language in installed if language.run_argv[0].startswith("./")]
    return next(iter([*compiled, *installed]), None)


def check_noise(trial: Trial | Finding) -> Finding:
    """Whether repeated runs of a program differ little enough to tell programs apart."""
    if isinstance(trial, Finding):
        return trial
    runs = trial.runs[1:]  # the first one reads files that are cached afterwards
    if len(runs) < 2 * REPEATS or not all(run.clean for run in trial.runs):
        sentence = (
            f"The noise was not measured: the reference program of {trial.language} did not run "
            "to its end"
        )
        return Finding("noise", None, f"{sentence} often enough.", "venus languages check")
    cpu, wall = [run.cpu_ns for run in runs], [run.wall_ns for run in runs]
    sentence = (
        f"{len(runs)} runs of the {trial.language} reference program spread "
        f"{spread_percent(cpu):.1f} % in CPU time"
    )
    sentence += (
        f" and {spread_percent(wall):.1f} % in wall time. Measured {REPEATS} times, programs can "
        "be told apart that"
    )
    sentence += (
        f" differ by more than about {separable_percent(cpu):.1f} % in CPU time or "
        f"{separable_percent(wall):.1f} %"
    )
    sentence += (
        " in wall time; drift over minutes comes on top, and relative time cancels most of it."
    )
    fine = max(separable_percent(cpu), separable_percent(wall)) <= NOISE_PERCENT
    return Finding.judged(
        "noise", fine, sentence, "stop other work and take more repeats: --repeats 9"
    )


def spread_percent(values: Sequence[int]) -> float:
    """Return (largest - smallest) / smallest in percent."""
    return 100 * (max(values) - min(values)) / max(min(values), 1)


def separable_percent(values: Sequence[int]) -> float:
    """Return the spread of the minima of groups of REPEATS runs: the spread of a measurement.

    Runs are grouped in two ways: interleaved, like the runs of programs that are measured together,
    and consecutively. The larger spread counts, and the result is at least 0.1 percent.
    """
    count = len(values) // REPEATS
    interleaved = [min(values[first::count]) for first in range(count)]
    consecutive = [min(values[first * REPEATS : (first + 1) * REPEATS]) for first in range(count)]
    return max(0.1, spread_percent(interleaved), spread_percent(consecutive))


def check_sampling(trial: Trial | Finding) -> Finding:
    """Whether memory is sampled regularly at an interval of one millisecond."""
    if isinstance(trial, Finding):
        return Finding("sampling", None, "The sampling was not tried: the noise was not measured.")
    gaps = [run.largest_gap_ns for run in trial.runs]
    largest, usual = max(gaps) / NS_PER_MS, statistics.median(gaps) / NS_PER_MS
    sentence = (
        f"Memory is sampled every 1 ms: the largest gap was {largest:.1f} ms ({usual:.1f} ms in "
        "the median run)."
    )
    return Finding.judged(
        "sampling", max(gaps) <= GAP_NS, sentence, "leave a core to the sampler: stop other work"
    )


def check_temporary_folder(folder: Path, free_bytes: int, mounts: str | None = None) -> Finding:
    """Whether programs can be compiled and executed in the folder for temporary files."""
    kind, options = _mount_of(
        folder, _read(ROOT / "proc/mounts") or "" if mounts is None else mounts
    )
    memory = " (of memory: it is a tmpfs)" if kind == "tmpfs" else ""
    sentence = f"{folder} has {free_bytes / (1 << 30):.1f} GiB free{memory}."
    if "noexec" in options:
        sentence = f"{folder} is mounted noexec: compiled programs cannot be executed there."
        return Finding(
            "temporary files", False, sentence, "export TMPDIR=/a/folder/on/another/file/system"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding(
            "temporary files",
            False,
            f"{folder} cannot be written to.",
            "export TMPDIR=/a/folder/of/yours",
        )
    if free_bytes < FREE_BYTES:
        sentence += f" Compilers and captured output may need {FREE_BYTES >> 30} GiB."
        return Finding("temporary files", False, sentence, f"free space in {folder}, or set TMPDIR")
    return Finding("temporary files", True, sentence)


def _mount_of(folder: Path, mounts: str) -> tuple[str, Sequence[str]]:
    """Return kind and options of the file system of `folder`: the mount with the longest path."""
    best: tuple[int, str, Sequence[str]] = (0, "", ())
    for words in map(str.split, mounts.splitlines()):
        # The kernel writes a space as \\040.
        point = words[1].replace("\\040", " ") if len(words) > 3 else ""
        # A later mount on the same mount point hides the earlier one.
        if point and folder.resolve().is_relative_to(point) and len(point) >= best[0]:
            best = (len(point), words[2], words[3].split(","))
    return best[1:]


def check_memory(root: Path = ROOT) -> Finding:
    """Whether there is enough memory for a compiler and a program at its usual limit."""
    lines = (_read(root / "proc/meminfo") or "").splitlines()
    kib = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
    if kib is None:
        return Finding("memory", None, "The kernel does not say how much memory is available.")
    sentence = f"{kib / (1 << 20):.1f} GiB of memory are available."
    fix = "stop other work: programs may be swapped or killed"
    return Finding.judged("memory", kib << 10 >= FREE_BYTES, sentence, fix)


def check_docker(address: str, problem: tuple[str, str] | None) -> Finding:
    """Whether a Docker daemon answers; only the Docker sandbox and the images need one."""
    only = "Only the Docker sandbox and images need one."
    if problem:
        reason, fix = problem
        return Finding(
            "docker", None, f"No Docker daemon: {reason}. {only}", fix.removeprefix("type: ")
        )
    return Finding("docker", True, f"A Docker daemon answers at {address}.")


def check_counters(pmu: Callable[[], str | None], emulator: Callable[[], Emulator]) -> Finding:
    """Which instruction counter works here.

    `pmu` returns why the processor's counter does not work, or None; `emulator` finds QEMU.
    """
    try:
        pmu_failure = pmu()
        if pmu_failure is None:
            return Finding(
                "instructions",
                True,
                "The processor's own counter counts instructions (--counter pmu).",
            )
        version = emulator().version
    except MachineError as error:
        sentence = f"No instructions can be counted: {error.why or error.what}."
        return Finding("instructions", None, sentence, error.fix.removeprefix("type: "))
    sentence = (
        f"Instructions can be counted under QEMU {version} (--counter emulated); {pmu_failure}."
    )
    return Finding("instructions", True, sentence)


def check_toolchain(language: Language) -> Finding:
    """Whether a language's compiler and runtime are installed."""
    try:
        return Finding(
            f"{LANGUAGE}{language.id}",
            True,
            f"{language.name}: {find_toolchain(language).version}.",
        )
    except ToolchainError as error:
        fix = error.fix.removeprefix("type: ")
        return Finding(f"{LANGUAGE}{language.id}", False, f"{error.what}: {error.why}.", fix)


def _read(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return path.read_text().strip() or None
    return None
