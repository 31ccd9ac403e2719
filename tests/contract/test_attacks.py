"""Every attack of attacks.toml on every sandbox, one property each.

Each gets the right verdict within twice its limits and leaves nothing behind, and it affects
neither the next run of its session nor the next program of its sandbox.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from venus_toolkit.core.errors import SandboxError, ToolchainError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
    NS_PER_S,
    Judgement,
    Limits,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
HOSTILE = {"cpp": PROGRAMS / "hostile.cpp", "python": PROGRAMS / "hostile.py"}
RUNNING = Limits(
    wall_ns=15 * NS_PER_S,
    memory_bytes=128 * MIB,
    output_bytes=MIB,
    file_bytes=64 * MIB,
    processes=64,
)
# The limit differs in every test run, so that stored compilations of earlier runs are not used.
COMPILING_NS, COMPILING_BYTES = 20 * NS_PER_S + time.time_ns() % NS_PER_S, 1024 * MIB
SLACK_NS = 10 * NS_PER_S
"""What starting, ending and tidying up may take on a busy machine."""

TRIES = 6

Undisturbed = Callable[..., AbstractContextManager[None]]
Called = Callable[[str], list[int]]


class Attack(NamedTuple):
    """A row of attacks.toml, which explains the fields."""

    kind: str
    name: str
    language: str
    verdicts: set[Verdict]
    isolated: bool
    wall_ms: int | None
    memory_mib: int | None
    file_mib: int | None
    processes: int | None
    input_mib: int

    def limits(self, usual: Limits) -> Limits:
        """Return the usual limits, changed by those of the row."""
        return usual.changed(
            wall_ns=self.wall_ms and self.wall_ms * NS_PER_MS,
            memory_bytes=self.memory_mib and self.memory_mib * MIB,
            file_bytes=self.file_mib and self.file_mib * MIB,
            # outputs are files, too, so the file limit must be larger
            output_bytes=self.file_mib and MIB,
            processes=self.processes,
        )


def retry_if_starved(withstand: Callable[[Attack], None], attack: Attack) -> None:
    """Retry an attack if the sandbox refused a verdict because the machine was busy.

    Limits of a second are easily exceeded on a busy machine.
    """
    for _ in range(TRIES - 1):
        with contextlib.suppress(SandboxError):
            withstand(attack)
            return
    withstand(attack)


def parse(kind: str, row: Mapping[str, Any]) -> Attack:
    """Return the attack of a row; an unknown key is an error."""
    verdicts = [row["verdict"]] if isinstance(row["verdict"], str) else row["verdict"]
    numbers = {key: row.get(key) for key in ("wall_ms", "memory_mib", "file_mib", "processes")}
    assert set(row) <= {"name", "language", "verdict", "isolated", "input_mib", *numbers}, row
    known = {
        "isolated": row.get("isolated", False),
        "input_mib": row.get("input_mib", 0),
        **numbers,
    }
    return Attack(kind, row["name"], row["language"], set(map(Verdict, verdicts)), **known)


TABLE = tomllib.loads((HERE / "attacks.toml").read_text())
ATTACKS = [parse(kind, row) for kind in ("run", "compile", "compiler") for row in TABLE[kind]]


def parametrize_attacks(kind: str, isolated: bool = False) -> pytest.MarkDecorator:
    """Parametrize a test with every attack of a kind: with or without a need for isolation."""
    chosen = [attack for attack in ATTACKS if (attack.kind, attack.isolated) == (kind, isolated)]
    return pytest.mark.parametrize("attack", chosen, ids=lambda attack: attack.name)


def judged(sandbox: Sandbox, compiled: Compiled, words: str, limits: Limits) -> Judgement:
    """Judge a program with the input `words`, between two quick runs of the same session."""
    tests = [
        TestCase(name, word, "ok\n")
        for name, word in (("before", "quick"), ("bad", words), ("after", "quick"))
    ]
    return judge(
        sandbox, compiled, tests, Checker(OutputComparison(), sandbox), limits, every_test=True
    )


def in_time(began_ns: int, limits: Limits) -> bool:
    """Whether at most twice the limit has passed, excluding the time of the sandbox itself."""
    return time.monotonic_ns() - began_ns < 2 * limits.wall_ns + SLACK_NS


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a secret into our environment."""
    monkeypatch.setenv("HF_TOKEN", "found-me-in-the-environment")


# ------------------------------------------------------------------ programs that run


@pytest.fixture
def withstand_run(
    backend: object,
    sandbox: Sandbox,
    compiled: Callable[[str, str], Compiled],
    undisturbed: Undisturbed,
    like: Callable[[Run, Run], bool],
    called: Called,
    mark: str,
) -> Callable[[Attack], None]:
    """Runs an attack and checks all its expected results."""

    def withstand(attack: Attack) -> None:
        limits = attack.limits(RUNNING)
        program = compiled(attack.language, HOSTILE[attack.language].read_text())
        began_ns = time.monotonic_ns()
        with undisturbed(attack.language, limits):
            words = f"{attack.name} {mark}\n".ljust(attack.input_mib * MIB)
            judgement = judged(sandbox, program, words, limits)
            assert called(mark) == []
        before, bad, after = judgement.runs
        assert judgement.verdicts[1] in attack.verdicts, judgement
        assert judgement.failing_test in (None, "bad")
        assert bad.wall_ns < 2 * limits.wall_ns
        assert bad.processes <= limits.processes + 4 or not backend.isolates
        figures = [
            (run.wall_ns, run.cpu_ns, run.peak_bytes, run.processes) for run in judgement.runs
        ]
        assert like(after, before), figures  # whole runs are too long to show
        assert in_time(began_ns, limits)

    return withstand


@parametrize_attacks("run")
def test_running(withstand_run: Callable[[Attack], None], attack: Attack) -> None:
    retry_if_starved(withstand_run, attack)


@pytest.mark.isolation
@parametrize_attacks("run", isolated=True)
def test_running_isolated(withstand_run: Callable[[Attack], None], attack: Attack) -> None:
    retry_if_starved(withstand_run, attack)


# ------------------------------------------------------------------ attacks during compilation

FILLED_IN = {"@DEEP@": "(" * 200_000, "@HUGE@": "x" * (16 * MIB)}


@pytest.fixture(scope="session")
def ready(sandbox: Sandbox) -> Callable[[str], Language]:
    """Returns a language with existing precompiled files, since making them is not an attack.

    The standard library of Go takes 20 s of CPU time, and a sandbox without isolation does not
    share it.
    """

    @functools.cache
    def ready(name: str) -> Language:
        language = load_languages()[name]
        with contextlib.suppress(ToolchainError):
            sandbox.compile(Program(language, language.selftest.programs[Verdict.ACCEPTED]))
        return language

    return ready


@parametrize_attacks("compile")
def test_compiling(
    sandbox: Sandbox,
    ready: Callable[[str], Language],
    undisturbed: Undisturbed,
    tmp_path: Path,
    attack: Attack,
) -> None:
    language = ready(attack.language)
    limits = attack.limits(
        language.compile_limits.changed(wall_ns=COMPILING_NS, memory_bytes=COMPILING_BYTES)
    )
    language = dataclasses.replace(language, compile_limits=limits)
    (tmp_path / "secret").write_text("found-me-outside")
    source = (PROGRAMS / "compile" / attack.name).read_text()
    for word, text in {**FILLED_IN, "@SECRET@": str(tmp_path / "secret")}.items():
        source = source.replace(word, text)

    def withstand(attack: Attack) -> None:
        began_ns = time.monotonic_ns()
        try:
            with undisturbed(attack.language, limits):
                compiled = sandbox.compile(Program(language, source))
                test = TestCase("only", "", "ok\n")
                judgement = judge(
                    sandbox,
                    compiled,
                    [test],
                    Checker(OutputComparison(), sandbox),
                    RUNNING.changed(memory_bytes=512 * MIB),
                )
        except ToolchainError as error:
            pytest.skip(str(error))
        assert judgement.verdict in attack.verdicts, judgement
        assert "found-me" not in compiled.log
        assert "root:" not in compiled.log
        assert in_time(began_ns, limits)

    retry_if_starved(withstand, attack)


# ------------------------------------------------------------------ compromised compilers


@pytest.fixture
def withstand_compiler(
    sandbox: Sandbox, undisturbed: Undisturbed, called: Called, mark: str
) -> Callable[[Attack], None]:
    """Uses a hostile program as the compiler and checks all its expected results."""

    def withstand(attack: Attack) -> None:
        language = load_languages()[attack.language]
        limits = language.compile_limits.changed(wall_ns=COMPILING_NS, memory_bytes=COMPILING_BYTES)
        argv = ("python3", language.source_file, attack.name, mark)
        language = dataclasses.replace(language, compile_argv=argv, compile_limits=limits)
        began_ns = time.monotonic_ns()
        with undisturbed(attack.language, limits):
            compiled = sandbox.compile(Program(language, HOSTILE["python"].read_text()))
            assert called(mark) == []
            judgement = judged(sandbox, compiled, "quick", RUNNING)
        assert judgement.verdict in attack.verdicts, judgement
        assert compiled.log in ("", "ok\n") or judgement.verdict is Verdict.COMPILE_ERROR
        assert in_time(began_ns, limits)

    return withstand


@parametrize_attacks("compiler")
def test_compiler(withstand_compiler: Callable[[Attack], None], attack: Attack) -> None:
    retry_if_starved(withstand_compiler, attack)


@pytest.mark.isolation
@parametrize_attacks("compiler", isolated=True)
def test_compiler_isolated(withstand_compiler: Callable[[Attack], None], attack: Attack) -> None:
    retry_if_starved(withstand_compiler, attack)


# ------------------------------------------------------------------ the checks above can fail


@pytest.mark.parametrize("name", ["trace-itself", "raise-limits"])
def test_successful_attack_is_detected(name: str) -> None:
    """Without isolation, the program reports its success."""
    if os.geteuid() != 0:
        pytest.skip("only root may raise limits")
    with open_sandbox("unsafe") as bare:
        program = bare.compile(Program(load_languages()["python"], HOSTILE["python"].read_text()))
        with bare.session(program, RUNNING) as session:
            (run,) = session.run([name.encode()])
    assert run.stdout.startswith(b"done: ")


@contextlib.contextmanager
def sleeping() -> Iterator[None]:
    """Run a process outside the sandbox."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            yield
        finally:
            process.kill()


def test_remaining_process_is_detected(undisturbed: Undisturbed) -> None:
    with (
        pytest.raises(AssertionError, match="processes"),
        contextlib.ExitStack() as stack,
        undisturbed(),
    ):
        stack.enter_context(sleeping())


def test_remaining_folder_is_detected(undisturbed: Undisturbed) -> None:
    prefix = f"venus-left-{os.getpid()}-"
    with (
        pytest.raises(AssertionError, match="traces"),
        contextlib.ExitStack() as stack,
        undisturbed(),
    ):
        stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix))


def test_remaining_setting_is_detected(look: Callable[[str, Limits], Any]) -> None:
    usual, other = (look("python", RUNNING.changed(open_files=files)).found for files in (100, 101))
    assert usual == look("python", RUNNING.changed(open_files=100)).found
    assert len(set(usual) ^ set(other)) == 2


CHANGES: list[dict[str, Any]] = [
    {"wall_ns": 20 * NS_PER_S},
    {"cpu_ns": 20 * NS_PER_S},
    {"processes": 2},
    {"peak_bytes": 30 * MIB},
    {"integral_byte_ns": 10**18},
    {"exit_code": 1},
]


def test_changed_figures_are_detected(
    compiled: Callable[[str, str], Compiled],
    run: Callable[..., list[Run]],
    like: Callable[[Run, Run], bool],
) -> None:
    program = compiled("cpp", HOSTILE["cpp"].read_text())
    before, after = run(program, b"quick", b"quick", limits=RUNNING)
    assert like(after, before)
    assert [
        change for change in CHANGES if like(dataclasses.replace(after, **change), before)
    ] == []


# ------------------------------------------------------------------ harmless programs


def test_output_does_not_count_as_memory(
    sandbox: Sandbox, compiled: Callable[..., Compiled]
) -> None:
    """The limit is 48 MiB for each stream, and the program itself needs little memory."""
    source = (
        "import os\nblock = b'x' * (1 << 20)\nfor _ in range(48):\n    os.write(1, block)\n    "
        "os.write(2, block)"
    )
    limits = Limits(memory_bytes=32 * MIB, output_bytes=64 * MIB, file_bytes=64 * MIB)
    with sandbox.session(compiled("python", source), limits) as session:
        (run,) = session.run([b""])
    assert (run.limit, run.exit_code) == (None, 0)
    assert len(run.stdout) == len(run.stderr) == 48 * MIB


def test_an_input_larger_than_the_memory_limit(sandbox: Sandbox, hostile: Compiled) -> None:
    """The sandbox holds the input; only the program's own memory counts."""
    with sandbox.session(hostile, RUNNING.changed(memory_bytes=16 * MIB)) as session:
        (run,) = session.run([b"quick ".ljust(100 * MIB)])
    assert run.stdout == b"ok\n"
    assert run.limit is None
