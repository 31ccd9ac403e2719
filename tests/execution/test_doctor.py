"""The doctor reports every fault: each check gets a machine that is worse than this one."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.chaos import traces
from venus_toolkit.cli.machine.doctor import command
from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import NS_PER_MS, Run
from venus_toolkit.execution.machine import doctor
from venus_toolkit.execution.machine.doctor import Finding, Trial
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.sandbox import cgroups
from venus_toolkit.execution.sandbox.bubblewrap import isolation_problem

REASON = doctor.why_not_isolated()
needs_isolation = pytest.mark.skipif(
    REASON is not None, reason=f"programs cannot be isolated: {REASON}"
)


def a_run(wall_ms: float = 20, cpu_ms: float = 20, gap_ms: float = 1, exit_code: int = 0) -> Run:
    return Run(
        exit_code=exit_code,
        signal=None,
        limit=None,
        wall_ns=round(wall_ms * NS_PER_MS),
        cpu_ns=round(cpu_ms * NS_PER_MS),
        user_ns=round(cpu_ms * NS_PER_MS),
        system_ns=0,
        peak_bytes=1 << 20,
        peak_source="rusage",
        cgroup_peak_bytes=None,
        integral_byte_ns=1,
        integral_error_byte_ns=1,
        samples=20,
        largest_gap_ns=round(gap_ms * NS_PER_MS),
        processes=1,
        oom_kills=0,
        minor_faults=0,
        major_faults=0,
        voluntary_switches=0,
        involuntary_switches=0,
        stdout_cut=False,
        stderr_cut=False,
        containment="pid_namespace",
    )


def a_file(root: Path, name: str, text: str) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return root


@pytest.fixture
def python() -> Language:
    return load_languages()["python"]


def not_installed(language: Language) -> Language:
    return dataclasses.replace(
        language, version_argv=("no-such-compiler", "--version"), debian=("no-such-package",)
    )


# ------------------------------------------------------------------ isolation


@pytest.mark.parametrize(
    ("system", "architecture", "kernel", "ok", "word"),
    [
        ("Linux", "x86_64", "6.18.44-fc-v669", True, "6.18.44"),
        ("Linux", "aarch64", "5.11.0", True, "aarch64"),
        ("Linux", "x86_64", "5.10.0-30-amd64", False, "needs Linux 5.11"),
        ("Linux", "x86_64", "4.19+", False, "needs Linux 5.11"),
        ("Linux", "riscv64", "6.1.0", False, "x86_64 and aarch64 only"),
        ("Darwin", "arm64", "24.0.0", False, "Linux only"),
    ],
)
def test_machine(system: str, architecture: str, kernel: str, ok: bool, word: str) -> None:
    finding = doctor.check_machine(system, architecture, kernel)
    assert finding.ok is ok
    assert word in finding.sentence
    assert bool(finding.fix) is not ok


def test_a_supervisor_that_is_not_compiled(tmp_path: Path) -> None:
    finding = doctor.check_supervisor(tmp_path / "venus-supervisor")
    assert finding.ok is False
    assert "not compiled" in finding.sentence
    assert finding.fix == "make native"


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "not a program"])
def test_a_supervisor_that_does_not_start(tmp_path: Path, text: str) -> None:
    a_file(tmp_path, "venus-supervisor", text)
    (tmp_path / "venus-supervisor").chmod(0o755)
    finding = doctor.check_supervisor(tmp_path / "venus-supervisor")
    assert finding.ok is False
    assert "does not start" in finding.sentence


def test_isolation() -> None:
    assert doctor.check_isolation(None).ok is True
    finding = doctor.check_isolation(
        ("bubblewrap (bwrap) is not installed", "type: apt-get install bubblewrap")
    )
    assert finding.ok is False
    assert "bwrap" in finding.sentence
    assert finding.fix == "apt-get install bubblewrap"


def test_isolation_without_a_supervisor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolation_problem.cache_clear()
    monkeypatch.setattr("venus_toolkit.execution.sandbox.supervisor.BINARY", tmp_path / "nothing")
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/bwrap")
    failure = doctor.why_not_isolated()
    assert failure is not None
    assert "not compiled" in failure[0]


def test_privileges() -> None:
    assert doctor.check_privileges(0).ok is True
    finding = doctor.check_privileges(1000)
    assert finding.ok is None
    assert "user 1000" in finding.sentence


def test_cgroups() -> None:
    assert doctor.check_cgroups(2, 0).ok is True
    assert doctor.check_cgroups(1, 1000).ok is True
    as_user, as_root = doctor.check_cgroups(None, 1000), doctor.check_cgroups(None, 0)
    assert as_user.ok is None
    assert "only sampled" in as_user.sentence
    assert as_user.fix == "run as root"
    assert "cgroup.procs" in as_root.fix


# ------------------------------------------------------------------ measuring


def test_cores() -> None:
    assert doctor.check_cores([0, 1]).ok is True
    finding = doctor.check_cores([3])
    assert finding.ok is False
    assert "share it" in finding.sentence


GOVERNOR = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
SMT = "sys/devices/system/cpu/smt/active"
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
PRESSURE = (
    "some avg10={} avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
)


@pytest.mark.parametrize(
    ("check", "file", "text", "ok", "word"),
    [
        (doctor.check_governor, GOVERNOR, "performance\n", True, "performance"),
        (doctor.check_governor, GOVERNOR, "powersave\n", False, "powersave"),
        (doctor.check_governor, "nothing", "", None, "no frequency governor"),
        (doctor.check_smt, SMT, "0\n", True, "No two"),
        (doctor.check_smt, SMT, "1\n", False, "SMT is on"),
        (doctor.check_smt, "nothing", "", None, "does not say"),
        (doctor.check_clock, CLOCK, "tsc\n", True, "tsc"),
        (doctor.check_clock, CLOCK, "hpet\n", False, "hpet"),
        (doctor.check_clock, "nothing", "", None, "does not say"),
        (doctor.check_pressure, "proc/pressure/cpu", PRESSURE.format("0.31"), True, "0 %"),
        (doctor.check_pressure, "proc/pressure/cpu", PRESSURE.format("98.40"), False, "98 %"),
        (doctor.check_pressure, "nothing", "", None, "does not say"),
        (
            doctor.check_memory,
            "proc/meminfo",
            "MemTotal: 9 kB\nMemAvailable: 8388608 kB\n",
            True,
            "8.0 GiB",
        ),
        (
            doctor.check_memory,
            "proc/meminfo",
            "MemTotal: 9 kB\nMemAvailable: 524288 kB\n",
            False,
            "0.5 GiB",
        ),
        (doctor.check_memory, "nothing", "", None, "does not say"),
    ],
)
def test_kernel(
    tmp_path: Path,
    check: Callable[[Path], Finding],
    file: str,
    text: str,
    ok: bool | None,
    word: str,
) -> None:
    finding = check(a_file(tmp_path, file, text))
    assert finding.ok is ok
    assert word in finding.sentence
    assert bool(finding.fix) or finding.ok is not False


def test_steal() -> None:
    def ticks(stolen: int, total: int) -> Pressure:
        return Pressure(stolen, total, waiting_us=None, at_ns=0)

    assert doctor.check_steal(ticks(70, 1000), ticks(75, 2000)).ok is True
    finding = doctor.check_steal(ticks(70, 1000), ticks(170, 2000))
    assert finding.ok is False
    assert "10.0 %" in finding.sentence
    assert doctor.check_steal(ticks(0, 0), ticks(0, 0)).ok is None


def trial(*runs: Run) -> Trial:
    return Trial("C++", runs)


def test_noise_of_a_quiet_machine() -> None:
    finding = doctor.check_noise(trial(a_run(wall_ms=500), *[a_run()] * 12))
    assert finding.ok is True
    assert "0.0 % in CPU time" in finding.sentence
    assert "more than about 0.1 % in CPU time" in finding.sentence


def test_noise_of_a_machine_that_changes_its_speed() -> None:
    runs = [a_run(cpu_ms=20 if index < 6 else 30) for index in range(12)]
    finding = doctor.check_noise(trial(a_run(), *runs))
    assert finding.ok is False
    assert "spread 50.0 % in CPU time and 0.0 % in wall time" in finding.sentence
    assert "more than about 50.0 % in CPU time" in finding.sentence


def test_single_slow_runs_are_beaten_by_repeats() -> None:
    runs = [a_run(cpu_ms=40 if index == 5 else 20) for index in range(12)]
    assert doctor.spread_percent([run.cpu_ns for run in runs]) == 100
    assert doctor.separable_percent([run.cpu_ns for run in runs]) == 0.1


@pytest.mark.parametrize("runs", [(), (a_run(),) * 3, (*(a_run(),) * 12, a_run(exit_code=1))])
def test_noise_is_unknown_without_runs(runs: tuple[Run, ...]) -> None:
    finding = doctor.check_noise(Trial("C++", runs))
    assert finding.ok is None
    assert "not measured" in finding.sentence


def test_accounting() -> None:
    everything = frozenset({"--peak", "--events", "--usage", "--stat", "--cpu"})
    assert doctor.check_accounting(everything).ok is True
    without_time = doctor.check_accounting(everything - {"--cpu"})
    assert without_time.ok is None
    assert "CPU time" in without_time.sentence
    assert "memory" not in without_time.sentence
    nothing = doctor.check_accounting(frozenset())
    assert "memory that no process" in nothing.sentence
    assert "CPU time" in nothing.sentence
    assert nothing.fix


def test_probe_group_is_removed() -> None:
    assert bool(doctor.read_counters()) == bool(cgroups.version())
    assert traces.cgroups({os.getpid()}) == set()


def test_process_numbers(tmp_path: Path) -> None:
    assert doctor.check_numbering(tmp_path / "ns_last_pid").ok is None
    (tmp_path / "ns_last_pid").touch()
    assert doctor.check_numbering(tmp_path / "ns_last_pid").ok is True


def test_sampling() -> None:
    assert doctor.check_sampling(trial(*[a_run(gap_ms=1.1)] * 13)).ok is True
    finding = doctor.check_sampling(trial(*[a_run(gap_ms=1.1)] * 12, a_run(gap_ms=9)))
    assert finding.ok is False
    assert "9.0 ms (1.1 ms" in finding.sentence


def test_noise_without_a_language(python: Language) -> None:
    refused = doctor.try_reference([not_installed(python)])
    assert isinstance(refused, Finding)
    assert refused.ok is None
    assert "no language is installed" in refused.sentence
    assert doctor.check_noise(refused) is refused
    assert doctor.check_sampling(refused).ok is None


@needs_isolation
def test_a_reference_program_that_does_not_compile(python: Language) -> None:
    refused = doctor.try_reference([dataclasses.replace(python, reference="this is no Python")])
    assert isinstance(refused, Finding)
    assert "does not compile" in refused.sentence
    assert refused.fix == "venus languages check python"


@needs_isolation
@pytest.mark.serial
def test_the_noise_of_this_machine(python: Language) -> None:
    tried = doctor.try_reference([python])
    assert isinstance(tried, Trial)
    assert tried.runs[0].clean
    assert all(run.samples > 0 and run.wall_ns >= run.largest_gap_ns > 0 for run in tried.runs)


# ------------------------------------------------------------------ disk, Docker, languages


def test_temporary_folder(tmp_path: Path) -> None:
    plenty = 100 << 30
    assert (
        doctor.check_temporary_folder(tmp_path, plenty, "/dev/vda / ext4 rw,relatime 0 0").ok
        is True
    )
    full = doctor.check_temporary_folder(tmp_path, 1 << 30, "/dev/vda / ext4 rw,relatime 0 0")
    assert full.ok is False
    assert "1.0 GiB free" in full.sentence
    in_memory = doctor.check_temporary_folder(
        tmp_path, plenty, f"/dev/vda / ext4 rw 0 0\nt {tmp_path} tmpfs rw 0 0"
    )
    assert "tmpfs" in in_memory.sentence
    no_programs = f"/dev/vda / ext4 rw 0 0\nt {tmp_path} tmpfs rw,nosuid,noexec 0 0"
    refused = doctor.check_temporary_folder(tmp_path, plenty, no_programs)
    assert refused.ok is False
    assert "noexec" in refused.sentence
    assert "TMPDIR" in refused.fix


def test_a_temporary_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert doctor.check_temporary_folder(tmp_path, 100 << 30, "").ok is False


def test_docker(tmp_path: Path) -> None:
    place = f"unix://{tmp_path}/docker.sock"
    absent = doctor.check_docker(place, ("it does not exist", "type: apt-get install docker.io"))
    assert absent.ok is None
    assert "No Docker daemon: it does not exist." in absent.sentence
    assert absent.fix == "apt-get install docker.io"
    assert doctor.check_docker(place, None).ok is True


def test_a_missing_toolchain(python: Language) -> None:
    finding = doctor.check_toolchain(not_installed(python))
    assert finding.ok is False
    assert "not installed" in finding.sentence
    assert finding.fix == "apt-get install no-such-package"


def test_compiled_languages_come_first() -> None:
    languages = load_languages()
    here = {name for name in languages if doctor.check_toolchain(languages[name]).ok}
    if not {"cpp", "python"} <= here:
        pytest.skip("needs g++ and python3")
    chosen = doctor.first_language([languages["python"], languages["cpp"]])
    assert chosen is languages["cpp"]


# ------------------------------------------------------------------ the command


def test_usable_machine() -> None:
    isolated, language = (
        Finding("isolation", True, "Yes."),
        Finding("language cpp", True, "g++ 12."),
    )
    assert doctor.can_work([isolated, language, Finding("language go", False, "No.")])
    assert not doctor.can_work([isolated, Finding("language cpp", False, "No.")])
    assert not doctor.can_work([Finding("isolation", False, "No."), language])
    assert not doctor.can_work([isolated, Finding("noise", True, "Quiet.")])
    assert not doctor.can_work([])


def test_every_failure_has_a_fix() -> None:
    findings = doctor.examine(load_languages(), quick=True)
    names = [finding.name for finding in findings]
    assert len(set(names)) == len(names)
    assert {"machine", "isolation", "cgroups", "steal", "docker", "language ruby"} <= set(names)
    assert not {"noise", "sampling"} & set(names)
    assert all(finding.fix for finding in findings if finding.ok is False)
    assert all(finding.sentence.endswith(".") for finding in findings)


def test_json() -> None:
    result = CliRunner().invoke(command, ["--quick", "--json"])
    findings = json.loads(result.stdout)
    assert all(set(finding) == {"name", "ok", "sentence", "fix"} for finding in findings)
    assert result.exit_code == (
        0 if doctor.can_work(Finding(**finding) for finding in findings) else 3
    )


def test_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [
        Finding("isolation", True, "Works."),
        Finding("language cpp", True, "g++."),
        Finding("smt", False, "On.", "off"),
    ]
    monkeypatch.setattr(doctor, "examine", lambda languages, quick: checks)
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 0
    assert re.search(r"^ok isolation +Works\.$", result.stdout, re.MULTILINE)
    assert re.search(r"^no smt +On\.\n +fix: off$", result.stdout, re.MULTILINE)


def test_exit_code_of_an_unusable_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: None)
    isolation_problem.cache_clear()
    try:
        result = CliRunner().invoke(command, ["--quick"])
    finally:
        isolation_problem.cache_clear()
    assert result.exit_code == 3
    assert "apt-get install bubblewrap" in result.stdout
    assert "cannot isolate and run programs" in result.stdout


def test_toolchain_errors_are_reported(python: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(language: Language) -> None:
        raise ToolchainError("Python does not start", "it crashed", "type: apt-get install python3")

    monkeypatch.setattr(doctor, "find_toolchain", refuse)
    assert doctor.check_toolchain(python).sentence == "Python does not start: it crashed."
