"""What this machine can enforce and how well it can measure, in sentences, with the command that fixes each problem.

Every check is a function from an observation to a Finding, so that a test can show it a worse
machine than this one. Not covered: hidden limits on CPU time that a container or hypervisor sets,
and whether a Docker daemon that answers sees the folders of this machine.
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
OLDEST_KERNEL = (5, 11)  # close_range that marks descriptors close-on-exec; pidfd_open is older
STEAL_PERCENT = 2.0
PRESSURE_PERCENT = 10.0
NOISE_PERCENT = 5.0
GAP_NS = 2 * NS_PER_MS  # twice the interval: a sample was late or left out
FREE_BYTES = 2 << 30
TRIALS = 12  # four groups of REPEATS: the spread of four measurements
REPEATS = 3  # the default of --repeats
TRIAL_BUDGET_NS = 3 * NS_PER_S  # nobody waits longer for a check
# Read without a system call.
FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    ok is True where nothing is to be improved, False for a problem, None for what is optional,
    unknown or not tried. fix is what to type or change, empty where nothing is to be done.
    """

    name: str
    ok: bool | None
    sentence: str
    fix: str = ""

    @classmethod
    def judged(cls, name: str, ok: bool, sentence: str, fix: str) -> Finding:
        """Return a finding whose fix is needed only where it is not ok."""
        return cls(name, ok, sentence, "" if ok else fix)


class Trial(NamedTuple):
    """Consecutive runs of one language's reference program, sampled every millisecond."""

    language: str
    runs: tuple[Run, ...]


def examine(languages: Mapping[str, Language], quick: bool = False) -> list[Finding]:
    """Return what this machine can enforce and measure; `quick` leaves out the noise test."""
    before = Pressure.now()
    # Before anything is tried: that makes pressure of its own.
    pressure = check_pressure()
    # The version commands of the toolchains mostly wait for the disk, so they run at the same time.
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
    found = list(findings)
    isolated = any(finding.ok for finding in found if finding.name == ISOLATION)
    return isolated and any(finding.ok for finding in found if finding.name.startswith(LANGUAGE))


def check_machine(system: str, architecture: str, kernel: str) -> Finding:
    """Whether the supervisor knows this processor and the kernel has the system calls that it makes."""
    here = f"{system} {kernel} on {architecture}"
    if system != "Linux":
        return Finding(
            "machine", False, f"{here}: programs run under Linux only.", "use a Linux machine"
        )
    if architecture not in ARCHITECTURES:
        known = " and ".join(ARCHITECTURES)
        return Finding(
            "machine",
            False,
            f"{here}: the supervisor knows {known} only.",
            "use one of these machines",
        )
    numbers = kernel.split("-")[0].split(".")[:2]
    if tuple(int(number) for number in numbers if number.isdigit()) < OLDEST_KERNEL:
        oldest = ".".join(map(str, OLDEST_KERNEL))
        return Finding(
            "machine",
            False,
            f"{here}: the supervisor needs Linux {oldest}.",
            "install a newer kernel",
        )
    return Finding("machine", True, f"{here}.")


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
        done = subprocess.run(
            [str(binary), "--version"], capture_output=True, text=True, timeout=5, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "supervisor", False, f"The supervisor does not start: {error}.", "make native"
        )
    return Finding(
        "supervisor", True, f"The supervisor is compiled and starts ({done.stdout.strip()})."
    )


def check_isolation(problem: tuple[str, str] | None) -> Finding:
    """Whether bubblewrap works here.

    `problem` is what sandbox.bubblewrap.isolation_problem says.
    """
    if problem:
        why, fix = problem
        return Finding(
            ISOLATION, False, f"Programs cannot be isolated: {why}.", fix.removeprefix("type: ")
        )
    return Finding(
        ISOLATION,
        True,
        "Programs can be isolated: bubblewrap works (own files, processes, no network).",
    )


def why_not_isolated() -> tuple[str, str] | None:
    """Return why programs cannot be isolated here and the fix, also where the supervisor is not compiled."""
    try:
        return isolation_problem()
    except MachineError as error:
        return f"{error.what}, so it cannot be tried", error.fix


def check_privileges(uid: int) -> Finding:
    """Whether programs run as an unprivileged user of their own."""
    if uid == 0:
        said = (
            "Running as root: programs run as an unprivileged user of their own, away from your "
            "files and processes."
        )
        return Finding("privileges", True, said)
    said = (
        f"Running as user {uid}: programs share this user inside their own namespaces, and your "
        "processes count"
    )
    return Finding(
        "privileges", None, f"{said} against their limit.", "run as root for a user of their own"
    )


def check_cgroups(version: int | None, uid: int) -> Finding:
    """Whether the kernel enforces limits on memory and processes, or only sampling and resource limits do."""
    if version:
        said = (
            f"Control groups (version {version}) can be made: the kernel itself stops programs "
            "at their limits on"
        )
        headroom = cgroups.HEADROOM_BYTES // MIB
        return Finding(
            "cgroups",
            True,
            f"{said} memory (and {headroom} MiB for input and output) and processes.",
        )
    said = (
        "No control group can be made: memory is limited by sampling alone, so a program can "
        "overshoot between two"
    )
    said += " samples (its peak tells afterwards), and processes by RLIMIT_NPROC."
    if uid != 0:
        return Finding("cgroups", None, said, "run as root")
    fix = (
        "before venus, in the same shell: echo $$ > /sys/fs/cgroup/cgroup.procs; in Docker add: "
        "--privileged"
    )
    return Finding("cgroups", None, said, fix)


def read_counters() -> frozenset[str]:
    """Return what can be read of a control group, by the options of the supervisor.

    Empty where none can be made.
    """
    group = cgroups.make_cgroup(MIB, 1)
    if group is None:
        return frozenset()
    try:
        return frozenset(group.fds)
    finally:
        group.remove()


def check_accounting(counters: frozenset[str]) -> Finding:
    """Whether figures include what no process shows; `counters` are those of `read_counters`."""
    lacking = []
    if not {"--usage", "--stat"} <= counters:
        lacking.append(
            "memory that no process has mapped (in local sockets, page tables, shared memory)"
        )
    if "--cpu" not in counters:
        lacking.append(
            "all CPU time of children that the program does not wait for (short ones can hide it)"
        )
    if not lacking:
        said = (
            "Control groups count memory that no process shows, and the CPU time of all children."
        )
        return Finding("accounting", True, said)
    said = f"No control group counts {' or '.join(lacking)}."
    return Finding(
        "accounting",
        None,
        said,
        "run as root, with the controllers memory and cpuacct, or version 2",
    )


def check_numbering(last_pid: Path) -> Finding:
    """Whether the supervisor can give the processes of every run the same numbers."""
    if last_pid.exists():
        return Finding("process numbers", True, "The processes of every run have the same numbers.")
    said = (
        "Process numbers count up from run to run, so a program can tell how many runs there "
        "were before."
    )
    return Finding("process numbers", None, said, "use a kernel with CONFIG_CHECKPOINT_RESTORE")


def check_cores(cores: Sequence[int]) -> Finding:
    """Whether program and sampler can have a core each."""
    if len(cores) > 1:
        said = (
            f"{len(cores)} cores may be used: the program runs on core {cores[-1]}, its sampler "
            f"on core {cores[-2]}."
        )
        return Finding("cores", True, said)
    said = (
        "One core may be used: program and sampler share it, samples come late and the program "
        "waits for them."
    )
    return Finding("cores", False, said, "give this machine, container or task set two cores")


def check_governor(root: Path = ROOT) -> Finding:
    """Whether the processor's frequency is held."""
    name = _read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if name is None:
        said = (
            "The kernel shows no frequency governor, as is usual in virtual machines: the speed "
            "may change unseen."
        )
        return Finding("governor", None, said)
    if name == "performance":
        return Finding("governor", True, "The frequency governor is 'performance'.")
    said = f"The frequency governor is '{name}': the processor changes its speed with the load."
    return Finding("governor", False, said, "cpupower frequency-set -g performance")


def check_smt(root: Path = ROOT) -> Finding:
    """Whether a core is shared by two hardware threads."""
    active = _read(root / "sys/devices/system/cpu/smt/active")
    if active == "1":
        said = (
            "SMT is on: two hardware threads share each core, and whatever runs on the other one "
            "slows a program."
        )
        return Finding("smt", False, said, "echo off > /sys/devices/system/cpu/smt/control")
    if active is None:
        return Finding(
            "smt", None, "The kernel does not say whether hardware threads share a core."
        )
    return Finding("smt", True, "No two hardware threads share a core, as far as the kernel knows.")


def check_clock(root: Path = ROOT) -> Finding:
    """Whether the clock is read without asking the kernel."""
    name = _read(root / "sys/devices/system/clocksource/clocksource0/current_clocksource")
    if name is None:
        return Finding("clock", None, "The kernel does not say which clock it reads.")
    if name in FAST_CLOCKS:
        return Finding("clock", True, f"The clock source is {name}, which is read in nanoseconds.")
    said = f"The clock source is {name}, which takes microseconds to read."
    return Finding("clock", False, said, "boot with the kernel option clocksource=tsc")


def check_steal(before: Pressure, after: Pressure) -> Finding:
    """Whether the hypervisor took CPU time away during the other checks."""
    total = after.total - before.total
    if total <= 0:
        return Finding(
            "steal", None, "The kernel does not say how much processor time others were given."
        )
    percent = 100 * (after.stolen - before.stolen) / total
    said = (
        f"{percent:.1f} % of the processor time was given to other machines on this host just now."
    )
    return Finding.judged(
        "steal", percent <= STEAL_PERCENT, said, "measure at another hour or on a dedicated host"
    )


def check_pressure(root: Path = ROOT) -> Finding:
    """Whether other work competes for the processors now."""
    text = _read(root / "proc/pressure/cpu")
    if text is None:
        said = (
            "The kernel does not say whether programs wait for a core (no pressure stall "
            "information)."
        )
        return Finding("pressure", None, said, "boot with the kernel option psi=1")
    percent = float(text.split("avg10=", 1)[1].split()[0])
    said = f"In the last 10 s something waited for a core {percent:.0f} % of the time."
    return Finding.judged(
        "pressure", percent <= PRESSURE_PERCENT, said, "stop other work before measuring"
    )


def try_reference(languages: Iterable[Language]) -> Trial | Finding:
    """Run the reference program of the first installed language, a compiled one where there is one, a dozen times.

    Where that fails, returns a Finding with the reason.
    """
    language = first_language(languages)
    if language is None:
        return Finding("noise", None, "The noise was not measured: no language is installed.")
    hasty = dataclasses.replace(
        language, compile_limits=language.compile_limits.changed(wall_ns=4 * NS_PER_S)
    )
    limits = Limits(wall_ns=TRIAL_BUDGET_NS, cpu_ns=TRIAL_BUDGET_NS)
    runs: list[Run] = []
    try:
        with open_sandbox("local") as sandbox:
            compiled = sandbox.compile(Program(hasty, language.reference))
            if not compiled.ok:
                why, fix = (
                    compiled.log.strip()[-200:] or "no reason given",
                    f"venus languages check {language.id}",
                )
                raise ToolchainError("the reference program does not compile", why, fix)
            with sandbox.session(compiled, limits, quiet_cores()) as session:
                for run in session.run([b""] * (TRIALS + 1)):
                    runs.append(run.without_output())
                    if sum(each.wall_ns for each in runs) > TRIAL_BUDGET_NS:
                        break
    except VenusError as error:
        return Finding(
            "noise", None, f"The noise was not measured: {error.what} ({error.why}).", error.fix
        )
    return Trial(language.name, tuple(runs))


def first_language(languages: Iterable[Language]) -> Language | None:
    """Return the installed language to test noise with.

    The first that is compiled to a program, else the first.
    """
    here = [language for language in languages if check_toolchain(language).ok]
    compiled = [language for language in here if language.run_argv[0].startswith("./")]
    return next(iter([*compiled, *here]), None)


def check_noise(trial: Trial | Finding) -> Finding:
    """How much repeated runs of one program differ, and so which programs can be told apart."""
    if isinstance(trial, Finding):
        return trial
    runs = trial.runs[1:]  # the first one reads files that the others find in memory
    if len(runs) < 2 * REPEATS or not all(run.clean for run in trial.runs):
        said = (
            f"The noise was not measured: the reference program of {trial.language} did not run "
            "to its end"
        )
        return Finding("noise", None, f"{said} often enough.", "venus languages check")
    cpu, wall = [run.cpu_ns for run in runs], [run.wall_ns for run in runs]
    said = (
        f"{len(runs)} runs of the {trial.language} reference program spread "
        f"{spread_percent(cpu):.1f} % in CPU time"
    )
    said += (
        f" and {spread_percent(wall):.1f} % in wall time. Measured {REPEATS} times, programs can "
        "be told apart that"
    )
    said += (
        f" differ by more than about {separable_percent(cpu):.1f} % in CPU time or "
        f"{separable_percent(wall):.1f} %"
    )
    said += " in wall time; drift over minutes comes on top, and relative time cancels most of it."
    fine = max(separable_percent(cpu), separable_percent(wall)) <= NOISE_PERCENT
    return Finding.judged("noise", fine, said, "stop other work and take more repeats: --repeats 9")


def spread_percent(values: Sequence[int]) -> float:
    """Return (largest - smallest) / smallest in percent."""
    return 100 * (max(values) - min(values)) / max(min(values), 1)


def separable_percent(values: Sequence[int]) -> float:
    """Return the spread of the minima of groups of REPEATS runs: the spread of a measurement.

    Groups are formed interleaved (as when programs are measured together) and consecutively (as
    when they are not), and the worse of the two counts. The result is never below a tenth of a
    percent.
    """
    count = len(values) // REPEATS
    turns = [min(values[first::count]) for first in range(count)]
    blocks = [min(values[first * REPEATS : (first + 1) * REPEATS]) for first in range(count)]
    return max(0.1, spread_percent(turns), spread_percent(blocks))


def check_sampling(trial: Trial | Finding) -> Finding:
    """How regularly memory is sampled at an interval of one millisecond."""
    if isinstance(trial, Finding):
        return Finding("sampling", None, "The sampling was not tried: the noise was not measured.")
    gaps = [run.largest_gap_ns for run in trial.runs]
    largest, usual = max(gaps) / NS_PER_MS, statistics.median(gaps) / NS_PER_MS
    said = (
        f"Memory is sampled every 1 ms: the largest gap was {largest:.1f} ms ({usual:.1f} ms in "
        "the median run)."
    )
    return Finding.judged(
        "sampling", max(gaps) <= GAP_NS, said, "leave a core to the sampler: stop other work"
    )


def check_temporary_folder(folder: Path, free_bytes: int, mounts: str | None = None) -> Finding:
    """Whether programs can be compiled and executed where temporary files go."""
    kind, options = _mount_of(
        folder, _read(ROOT / "proc/mounts") or "" if mounts is None else mounts
    )
    memory = " (of memory: it is a tmpfs)" if kind == "tmpfs" else ""
    said = f"{folder} has {free_bytes / (1 << 30):.1f} GiB free{memory}."
    if "noexec" in options:
        said = f"{folder} is mounted noexec: compiled programs cannot be executed there."
        return Finding(
            "temporary files", False, said, "export TMPDIR=/a/folder/on/another/file/system"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding(
            "temporary files",
            False,
            f"{folder} cannot be written to.",
            "export TMPDIR=/a/folder/of/yours",
        )
    if free_bytes < FREE_BYTES:
        said += f" Compilers and captured output may need {FREE_BYTES >> 30} GiB."
        return Finding("temporary files", False, said, f"free space in {folder}, or set TMPDIR")
    return Finding("temporary files", True, said)


def _mount_of(folder: Path, mounts: str) -> tuple[str, Sequence[str]]:
    """Return kind and options of the file system that holds `folder`.

    The mount with the longest path above it.
    """
    best: tuple[int, str, Sequence[str]] = (0, "", ())
    for words in map(str.split, mounts.splitlines()):
        # the kernel writes a space as \\040
        place = words[1].replace("\\040", " ") if len(words) > 3 else ""
        # A later mount on the same place hides the earlier one.
        if place and folder.resolve().is_relative_to(place) and len(place) >= best[0]:
            best = (len(place), words[2], words[3].split(","))
    return best[1:]


def check_memory(root: Path = ROOT) -> Finding:
    """Whether there is memory for a program at its usual limit, and a compiler."""
    lines = (_read(root / "proc/meminfo") or "").splitlines()
    kib = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
    if kib is None:
        return Finding("memory", None, "The kernel does not say how much memory is available.")
    said = f"{kib / (1 << 20):.1f} GiB of memory are available."
    fix = "stop other work: programs may be swapped or killed"
    return Finding.judged("memory", kib << 10 >= FREE_BYTES, said, fix)


def check_docker(address: str, problem: tuple[str, str] | None) -> Finding:
    """Whether a Docker daemon answers; only the Docker sandbox and the images need one."""
    only = "Only the Docker sandbox and images need one."
    if problem:
        why, fix = problem
        return Finding(
            "docker", None, f"No Docker daemon: {why}. {only}", fix.removeprefix("type: ")
        )
    return Finding("docker", True, f"A Docker daemon answers at {address}.")


def check_counters(pmu: Callable[[], str | None], emulator: Callable[[], Emulator]) -> Finding:
    """Which counter of instructions works here.

    `pmu` says why the processor's does not, `emulator` finds the other.
    """
    try:
        why = pmu()
        if why is None:
            return Finding(
                "instructions",
                True,
                "The processor's own counter counts instructions (--counter pmu).",
            )
        version = emulator().version
    except MachineError as error:
        said = f"No instructions can be counted: {error.why or error.what}."
        return Finding("instructions", None, said, error.fix.removeprefix("type: "))
    said = f"Instructions can be counted under QEMU {version} (--counter emulated); {why}."
    return Finding("instructions", True, said)


def check_toolchain(language: Language) -> Finding:
    """Whether a language's compiler and runtime are here."""
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
