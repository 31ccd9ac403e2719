"""One program tried: its outcomes, its report, and which of its runs are kept."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Judgement, Limits, Run, TestCase, Verdict
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.measuring import trial
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES, MeasureOptions
from venus_toolkit.execution.measuring.trial import (
    SHOWN_BYTES,
    Outcome,
    Report,
    Request,
    complaint,
    keep_fastest,
    plain_report,
    shortened,
    try_program,
)
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)

PYTHON = load_languages()["python"]
DIVIDES = "print(6 // int(input()))\n"
HOLDS = "block = bytearray(int(input()) << 20)\nprint(len(block))\n"
FIGURES = ("time_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time")


def a_request(source: str, *tests: TestCase, trace: bool = False) -> Request:
    limits = Limits(wall_ns=5 * NS_PER_S, cpu_ns=5 * NS_PER_S, memory_bytes=256 * MIB)
    return Request(Program(PYTHON, source), tests, limits, MeasureOptions(repeats=2), trace=trace)


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
    report = try_program(a_request(DIVIDES, *tests))
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
    assert (report.judgement.verdict, report.judgement.failing_test) == (
        Verdict.RUNTIME_ERROR,
        "zero",
    )
    assert report.judgement.reason == crash
    assert report.measurement is None, "a program that crashes in one test is not measured"
    assert [outcome.run.stdout for outcome in report.outcomes] == [b"", b"3\n", b"2\n", b"6\n"]


@needs_isolation
def test_a_wrong_answer_is_measured_too() -> None:
    report = try_program(a_request(DIVIDES, TestCase("two", "2", "4")))
    assert report.judgement.verdict == Verdict.WRONG_ANSWER
    assert report.outcomes[0].verdict == Verdict.WRONG_ANSWER
    assert report.measurement
    assert report.measurement.repeats == 2


@needs_isolation
def test_what_an_accepted_program_prints_while_it_is_measured_is_judged_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = trial.measure_interleaved

    def measure(sandbox: Any, programs: Any, tests: Any, *args: Any, **kwargs: Any) -> Any:
        # a program that knows that it is measured
        cheat = sandbox.compile(Program(PYTHON, "print(0)\n"))
        return original(sandbox, [cheat], tests, *args, **kwargs)

    monkeypatch.setattr(trial, "measure_interleaved", measure)
    report = try_program(a_request(DIVIDES, TestCase("two", "2", "3")))
    assert report.judgement.verdict == Verdict.WRONG_ANSWER
    assert report.judgement.reason == "it printed something else while it was measured"
    assert report.measurement
    assert (report.measurement.repeats, report.measurement.wall_ns) == (0, None)


@needs_isolation
def test_one_session_judges_all_tests_and_one_measures_them_in_each_repeat(
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
    try_program(a_request(DIVIDES, TestCase("1", "1"), TestCase("2", "2", "3"), trace=True))
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
def test_what_is_being_done_is_said() -> None:
    said: list[str] = []
    try_program(a_request(DIVIDES, TestCase("1", "1"), TestCase("2", "2", "3")), said.append)
    assert said == ["compiling (Python)", "judged 1", "judged 2", "measuring, 2 times"]


@needs_isolation
def test_a_program_that_does_not_compile() -> None:
    report = try_program(a_request("print(", TestCase("1", "1")))
    assert report.judgement.verdict == Verdict.COMPILE_ERROR
    assert "SyntaxError" in report.judgement.compile_log
    assert (report.outcomes, report.measurement) == ((), None)


@needs_isolation
def test_nothing_to_judge_with_is_no_pass() -> None:
    with pytest.raises(SourceError, match="there are no tests"):
        try_program(a_request(DIVIDES))


def test_a_sandbox_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="unknown sandbox 'moon'"):
        try_program(dataclasses.replace(a_request(DIVIDES), sandbox="moon"))


def test_complaints() -> None:
    test = TestCase("1", "", "3\n")
    assert complaint(a_run(stdout=b"4\n"), test, PYTHON) == "line 1: expected '3', got '4'"
    assert complaint(a_run(exit_code=7, stdout=b"3\n"), test, PYTHON) == "exit code 7"
    assert complaint(a_run(limit="cpu"), test, PYTHON) == "ended at the cpu time limit"
    assert complaint(a_run(stdout=b"4\n"), TestCase("1", ""), PYTHON) == ""


# ------------------------------------------------------------------ measuring


@needs_isolation
def test_the_figures_of_a_test_belong_together() -> None:
    report = try_program(a_request(HOLDS, TestCase("64", "64"), TestCase("8", "8"), trace=True))
    assert report.measurement
    large, small = (outcome.run for outcome in report.outcomes)
    assert 64 * MIB < large.peak_bytes < 128 * MIB
    assert small.peak_bytes < large.peak_bytes
    assert report.measurement.wall_ns == large.wall_ns + small.wall_ns
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


# ------------------------------------------------------------------ the report


def a_report(*outcomes: Outcome) -> Report:
    request = a_request(DIVIDES, TestCase("1", "1", "2"))
    judgement = Judgement(Verdict.WRONG_ANSWER, "printed nothing", "1")
    return Report(
        request, judgement, outcomes, None, Cores(1, 0), {"sandbox": "local"}, {"kernel": "6.1"}
    )


def test_what_was_not_measured_is_null() -> None:
    wrong = Outcome(
        "1", Verdict.WRONG_ANSWER, "printed nothing", True, a_run(wall_ns=5, stdout=b"\xff")
    )
    plain = json.loads(json.dumps(plain_report(a_report(wrong), Path("a.py"))))
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
