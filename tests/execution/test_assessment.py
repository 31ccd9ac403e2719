"""A panel of programs: its results, its report, and its runs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.cli.machine.run_report import RunReport, plain_report
from venus_toolkit.core.errors import SandboxError, SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.core.store import Store
from venus_toolkit.execution.engine import assessment
from venus_toolkit.execution.engine.assessment import (
    SHOWN_BYTES,
    Assessment,
    Outcome,
    Panel,
    ProgramAssessment,
    assess_each_test,
    assess_panel,
    complaint,
    conduct,
    keep_fastest,
    panel_of,
    shortened,
)
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES, Measured, MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

REASON = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    REASON is not None, reason=f"programs cannot be isolated: {REASON}"
)

PYTHON = load_languages()["python"]
DIVIDES = "print(6 // int(input()))\n"
HOLDS = "block = bytearray(int(input()) << 20)\nprint(len(block))\n"
FIGURES = ("time_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time")


LIMITS = Limits(wall_ns=5 * NS_PER_S, cpu_ns=5 * NS_PER_S, memory_bytes=256 * MIB)


def a_panel(source: str, *tests: TestCase) -> Panel:
    return panel_of([Program(PYTHON, source)], tests, LIMITS, MeasureOptions(repeats=2))


def assess(
    source: str, *tests: TestCase, trace: bool = False, say: Callable[[str], None] = lambda _: None
) -> Assessment:
    with open_sandbox("auto", [PYTHON]) as sandbox:
        return assess_each_test(
            sandbox, quiet_cores(), a_panel(source, *tests), trace=trace, say=say
        )


def a_run(
    wall_ns: int = 1, exit_code: int = 0, stdout: bytes = b"", limit: str | None = None
) -> Run:
    values: dict[str, Any] = {
        field.name: 0 for field in dataclasses.fields(Run) if field.default is dataclasses.MISSING
    }
    values |= {
        "exit_code": exit_code,
        "signal": None,
        "limit": limit,
        "wall_ns": wall_ns,
        "stdout": stdout,
    }
    return Run(**values)


# ------------------------------------------------------------------ judging


@needs_isolation
def test_every_test_gets_its_own_verdict_and_reason() -> None:
    tests = [
        TestCase("zero", "0", "0"),
        TestCase("two", "2", "3"),
        TestCase("three", "3", "9"),
        TestCase("one", "1"),
    ]
    report = assess(DIVIDES, *tests)
    assert [
        (outcome.test_id, outcome.verdict, outcome.compared) for outcome in report.outcomes
    ] == [
        ("zero", Verdict.RUNTIME_ERROR, True),
        ("two", Verdict.ACCEPTED, True),
        ("three", Verdict.WRONG_ANSWER, True),
        ("one", Verdict.ACCEPTED, False),
    ]
    crash, fine, wrong, uncompared = [outcome.reason for outcome in report.outcomes]
    assert "ZeroDivisionError" in crash
    assert wrong == "line 1: expected '9', got '2'"
    assert fine == uncompared == ""
    (result,) = report.programs
    assert (result.judgement.verdict, result.judgement.failing_test) == (
        Verdict.RUNTIME_ERROR,
        "zero",
    )
    assert result.judgement.reason == crash
    assert result.measured is None, "a program that crashes in one test is not measured"
    assert [outcome.run.stdout for outcome in report.outcomes] == [b"", b"3\n", b"2\n", b"6\n"]


@needs_isolation
def test_wrong_answers_are_measured() -> None:
    assessment = assess(DIVIDES, TestCase("two", "2", "4"))
    (result,) = assessment.programs
    assert result.judgement.verdict == Verdict.WRONG_ANSWER
    assert assessment.outcomes[0].verdict == Verdict.WRONG_ANSWER
    assert result.measurement
    assert result.measurement.repeats == 2


@needs_isolation
def test_outputs_of_measured_runs_are_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = assessment.measure_interleaved

    def measure(sandbox: Any, programs: Any, tests: Any, *args: Any, **kwargs: Any) -> Any:
        # a program that recognises a measured run
        cheat = sandbox.compile(Program(PYTHON, "print(0)\n"))
        return original(sandbox, [cheat], tests, *args, **kwargs)

    monkeypatch.setattr(assessment, "measure_interleaved", measure)
    (result,) = assess(DIVIDES, TestCase("two", "2", "3")).programs
    assert result.judgement.verdict == Verdict.WRONG_ANSWER
    assert result.judgement.reason == "it printed something else while it was measured"
    assert result.measurement is None
    assert result.measured
    assert (result.measured.total.repeats, result.measured.total.wall_ns) == (0, None)


@needs_isolation
def test_sessions_of_an_assessment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, Sampling | None]] = []
    names = {DIVIDES: "program", PYTHON.empty: "empty"}
    original = LocalSandbox.session

    def session(
        self: LocalSandbox, compiled: Any, limits: Limits, cores: Any = None, sampling: Any = None
    ) -> Any:
        asked.append((names.get(compiled.program.source, "reference"), sampling))
        return original(self, compiled, limits, cores, sampling)

    monkeypatch.setattr(LocalSandbox, "session", session)
    assess(DIVIDES, TestCase("1", "1"), TestCase("2", "2", "3"), trace=True)
    ours = Sampling(NS_BETWEEN_SAMPLES, trace=True)
    floor = ("empty", Sampling(NS_BETWEEN_SAMPLES))
    assert asked == [
        ("program", ours),
        ("reference", None),
        floor,
        ("program", ours),
        ("program", ours),
    ]


@needs_isolation
def test_progress_is_reported() -> None:
    steps: list[str] = []
    assess(DIVIDES, TestCase("1", "1"), TestCase("2", "2", "3"), say=steps.append)
    assert steps == ["compiling (Python)", "judged 1", "judged 2", "measuring, 2 times"]


@needs_isolation
def test_a_program_that_does_not_compile() -> None:
    assessment = assess("print(", TestCase("1", "1"))
    (result,) = assessment.programs
    assert result.judgement.verdict == Verdict.COMPILE_ERROR
    assert "SyntaxError" in result.judgement.compile_log
    assert (assessment.outcomes, result.measured) == ((), None)


@needs_isolation
def test_no_tests_is_an_error() -> None:
    with pytest.raises(SourceError, match="there are no tests"):
        assess(DIVIDES)


def test_complaints() -> None:
    test = TestCase("1", "", "3\n")
    assert complaint(a_run(stdout=b"4\n"), test, PYTHON) == "line 1: expected '3', got '4'"
    assert complaint(a_run(exit_code=7, stdout=b"3\n"), test, PYTHON) == "exit code 7"
    assert complaint(a_run(limit="cpu"), test, PYTHON) == "ended at the cpu time limit"
    assert complaint(a_run(stdout=b"4\n"), TestCase("1", ""), PYTHON) == ""


# ------------------------------------------------------------------ measuring


@needs_isolation
def test_figures_of_a_test_come_from_one_run() -> None:
    assessment = assess(HOLDS, TestCase("64", "64"), TestCase("8", "8"), trace=True)
    total = assessment.programs[0].measurement
    assert total
    large, small = (outcome.run for outcome in assessment.outcomes)
    assert 64 * MIB < large.peak_bytes < 128 * MIB
    assert small.peak_bytes < large.peak_bytes
    assert total.wall_ns == large.wall_ns + small.wall_ns
    for run in (large, small):
        assert 0 < run.integral_byte_ns <= run.peak_bytes * run.wall_ns
        times = [at for at, _ in run.trace]
        assert times == sorted(times)
        assert 0 < times[-1] <= run.wall_ns
        assert max(size for _, size in run.trace) <= run.peak_bytes


def test_the_fastest_clean_run_of_each_test_is_kept() -> None:
    fastest: dict[int, Run] = {}
    for first, second in [
        (a_run(9), a_run(5)),
        (a_run(7), a_run(6)),
        (a_run(1, exit_code=1), a_run(8)),
    ]:
        keep_fastest(fastest, 0, first)
        keep_fastest(fastest, 1, second)
    assert {index: run.wall_ns for index, run in fastest.items()} == {0: 7, 1: 5}


def test_outputs_are_shortened() -> None:
    fastest: dict[int, Run] = {}
    long = a_run(stdout=b"x" * (SHOWN_BYTES + 1))
    keep_fastest(fastest, 0, long)
    assert len(shortened(long).stdout) == len(fastest[0].stdout) == SHOWN_BYTES


# ------------------------------------------------------------------ panels


def program(source: str) -> Program:
    return Program(PYTHON, source)


def verdict_on(candidate: Program) -> Judged:
    right = "wrong" not in candidate.source
    return Judged(Judgement(Verdict.ACCEPTED if right else Verdict.WRONG_ANSWER, candidate.source))


def figures_of(programs: Sequence[Program], _: Sequence[Judged | None]) -> list[Measured]:
    """Return figures with one nanosecond of wall time per character of the source."""
    return [
        Measured(Measurement(len(candidate.source), repeats=2, wall_se=0.001), ())
        for candidate in programs
    ]


def uncounted(_: Sequence[Program], figures: Sequence[Measured]) -> list[Measured]:
    return [measured._replace(uncounted="no counter") for measured in figures]


SUITE = Suite("sum", (TestCase("1", "1", "1"),), Rules(LIMITS, OutputComparison(), None))
TWICE = Measuring(MeasureOptions(repeats=2))


def test_a_panel_is_judged_measured_and_ranked_in_its_order() -> None:
    panel = Panel(
        SUITE,
        tuple(map(program, ("xxxx", "wrong", "xx"))),
        TWICE,
        references=(program("x"),),
        figure="wall_ns",
    )
    results = conduct(panel, verdict_on, figures_of, uncounted)
    assert isinstance(results, Assessment)
    assert [result.passed for result in results.programs] == [True, False, True]
    assert [result.measured and result.measured.total.wall_ns for result in results.programs] == [
        4,
        None,
        2,
    ]
    assert [result.standing and result.standing.rank for result in results.programs] == [2, None, 1]
    assert [result.ratio for result in results.programs] == [2.0, None, 1.0]
    assert [result.total.wall_ns for result in results.references] == [1]
    assert [result.measured and result.measured.uncounted for result in results.programs] == [
        "",
        None,
        "",
    ], "no counter is the default"
    counted = conduct(dataclasses.replace(panel, counter="auto"), verdict_on, figures_of, uncounted)
    assert isinstance(counted, Assessment)
    assert [result.uncounted for result in counted.references] == ["no counter"]


def test_known_verdicts_are_used_and_reach_the_measurement() -> None:
    asked: list[Program] = []
    verdicts: list[Judged | None] = []

    def judge_program(candidate: Program) -> Judged:
        asked.append(candidate)
        return verdict_on(candidate)

    def measure(programs: Sequence[Program], judged: Sequence[Judged | None]) -> list[Measured]:
        verdicts.extend(judged)
        return figures_of(programs, judged)

    known = verdict_on(program("b"))
    first = verdict_on(program("a"))
    panel = Panel(
        SUITE,
        (program("b"), program("c")),
        TWICE,
        references=(program("a"),),
        judged=(first, known, None),
    )
    conduct(panel, judge_program, measure, uncounted)
    assert asked == [program("c")]
    assert verdicts == [first, known, verdict_on(program("c"))]


@pytest.mark.parametrize(("source", "repeats"), [("wrong", 2), ("x", 0)])
def test_references_run_only_with_measured_programs(source: str, repeats: int) -> None:
    def measure(*_: object) -> list[Measured]:
        raise AssertionError

    how = Measuring(MeasureOptions(repeats=repeats))
    panel = Panel(SUITE, (program(source),), how, references=(program("x"),))
    results = conduct(panel, verdict_on, measure, uncounted)
    assert isinstance(results, Assessment)
    assert (results.references, results.programs[0].measured) == ((), None)


def test_a_failure_of_a_stage_is_the_result() -> None:
    panel = Panel(SUITE, (program("x"),), TWICE)
    assert conduct(panel, lambda _: "judge", figures_of, uncounted) == "judge"
    assert conduct(panel, verdict_on, lambda *_: "measure", uncounted) == "measure"


@needs_isolation
def test_an_executor_assesses_a_panel_once(tmp_path: Path) -> None:
    suite = dataclasses.replace(SUITE, tests=(TestCase("1", "2", "3"), TestCase("2", "3", "2")))
    slow = f"for _ in range(10**6): pass\n{DIVIDES}"
    panel = Panel(
        suite, (program(slow), program("print(0)\n")), TWICE, references=(program(DIVIDES),)
    )
    results: list[Assessment] = []
    with open_sandbox("auto", [PYTHON]) as sandbox, Store(tmp_path) as journal:
        for _ in range(2):
            with closing(Executor(sandbox, [PYTHON], journal=journal)) as executor:
                assessment = executor.assess(executor.engine.worker(), panel)
                assert isinstance(assessment, Assessment)
                results.append(assessment)
        with closing(Executor(sandbox, [PYTHON], journal=journal)) as executor:
            worker, how = executor.engine.worker(), panel.measuring
            key = executor.measure_key(
                suite, [*panel.references, panel.programs[0]], how, worker.machine()
            )
            journalled = executor.kept_measurements(key)
    first, again = results
    assert first == again, "the second result comes from the journal"
    assert [result.judgement.verdict for result in first.programs] == [
        Verdict.ACCEPTED,
        Verdict.WRONG_ANSWER,
    ]
    assert first.programs[1].measured is None
    assert journalled == [*first.references, first.programs[0].measured]
    assert (journalled[0].total.cpu_ns or 0) < (journalled[1].total.cpu_ns or 0)


@needs_isolation
def test_only_the_executor_retries_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[object] = []

    def fail(*_: object) -> Any:
        tries.append(_)
        raise SandboxError("it failed", "a test wants it", "none")

    monkeypatch.setattr(LocalSandbox, "compile", fail)
    panel = Panel(SUITE, (program(DIVIDES),), TWICE)
    with open_sandbox("auto", [PYTHON]) as sandbox:
        with pytest.raises(SandboxError, match="it failed"):
            assess_panel(sandbox, quiet_cores(), panel)
        assert len(tries) == 1
        with closing(Executor(sandbox, [PYTHON])) as executor:
            assessment = executor.assess(executor.engine.worker(), panel)
    assert isinstance(assessment, SandboxFailure)
    assert len(tries) == 3


# ------------------------------------------------------------------ the report


def a_report(*outcomes: Outcome) -> RunReport:
    judgement = Judgement(Verdict.WRONG_ANSWER, "printed nothing", "1")
    results = Assessment((ProgramAssessment(Judged(judgement)),), outcomes=outcomes)
    panel = a_panel(DIVIDES, TestCase("1", "1", "2"))
    return RunReport(panel, results, Cores(1, 0), {"sandbox": "local"}, {"kernel": "6.1"})


def test_unmeasured_figures_are_null() -> None:
    wrong = Outcome(
        "1", Verdict.WRONG_ANSWER, "printed nothing", True, a_run(wall_ns=5, stdout=b"\xff")
    )
    plain = json.loads(json.dumps(plain_report(a_report(wrong), "a.py")))
    assert (plain["file"], plain["language"], plain["verdict"]) == (
        "a.py",
        "python",
        "wrong_answer",
    )
    assert [plain[name] for name in (*FIGURES, "measurement")] == [None] * 6
    assert plain["cores"] == {"program": 1, "sampler": 0}
    assert (plain["sandbox"], plain["environment"]) == ({"sandbox": "local"}, {"kernel": "6.1"})
    (test,) = plain["tests"]
    assert set(test) == {
        "test_id",
        "verdict",
        "reason",
        "compared",
        *(field.name for field in dataclasses.fields(Run)),
    }
    assert (test["wall_ns"], test["stdout"]) == (5, "�")
