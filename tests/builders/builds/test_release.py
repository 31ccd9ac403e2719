"""The rows of a release: columns, units, nulls, and evaluators that compare like the judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from venus_toolkit.builders.release_rows import (
    evaluator_source,
    problem_row,
    rank_solutions,
    solution_row,
)
from venus_toolkit.builders.stages.results import unexpected
from venus_toolkit.builders.stages.writing import repeatability
from venus_toolkit.builders.survey import count_reasons
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    KIB,
    MIB,
    NS_PER_MS,
    NS_PER_S,
    Expectation,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.dataset.columns import SCHEMA, SOLUTION
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.dataset.task import read_task
from venus_toolkit.execution.judging.comparison import same_numbers, same_text
from venus_toolkit.execution.measuring.ranking import Standing

PROBLEM = Problem(
    slug="two-sums", problem_id=7, title="Two sums", statement="text", difficulty="Easy", tags=("array", "hash"),
    style="function", source="user", license="MIT", limits=Limits(), comparison=OutputComparison(),
    generator="def generate(seed, size): ...", starter_code={"cpp": "start"}, runners={"cpp": "run"},
)  # fmt: skip
TESTS = [
    TestCase("small-0", "1\n", "Ω\n", size="small", seed=0),
    TestCase("t", "2\n", "4\n", kind="given"),
]
PLUS = Solution(
    "two-sums/cpp/plus", "two-sums", "cpp", "int main() {}", Expectation.ACCEPTED, "user", "MIT"
)


def measured(**values: Any) -> Measurement:
    figures: dict[str, Any] = {
        "wall_ns": 5 * NS_PER_MS, "cpu_ns": 4 * NS_PER_MS, "peak_bytes": 3 * KIB,
        "integral_byte_ns": 6 * KIB * NS_PER_MS, "integral_error_byte_ns": 1, "relative_time": 0.25,
        "wall_spread": 0.1, "cpu_spread": 0.1,
        "integral_spread": 0.1, "relative_spread": 0.1, "repeats": 3, "tests": 2,
    }  # fmt: skip
    return Measurement(**{**figures, **values})


def row(solution: dict[str, Any] | None = None) -> dict[str, Any]:
    return problem_row(
        PROBLEM,
        "cpp",
        Limits(wall_ns=NS_PER_S),
        TESTS,
        [solution] if solution else [],
        {"way": "own"},
    )


# ------------------------------------------------------------------ rows


def test_units() -> None:
    passed = solution_row(PLUS, Judgement(Verdict.ACCEPTED), measured(), Standing(1, 1, 1, 1))
    assert (passed["time"], passed["memory"], passed["integral"]) == (5.0, 3.0, 6.0)
    assert (passed["wall_ns"], passed["peak_bytes"]) == (5 * NS_PER_MS, 3 * KIB)
    assert (passed["status"], passed["passed"], passed["rank"], passed["repeats"]) == (
        "accepted",
        True,
        1,
        3,
    )
    assert passed["failing_test"] is None
    assert passed["reason"] is None


def test_lesson_10_unmeasured_row_is_null() -> None:
    failed = solution_row(PLUS, Judgement(Verdict.WRONG_ANSWER, "line 1", "small-0"), None, None)
    assert (failed["status"], failed["passed"], failed["failing_test"]) == (
        "wrong_answer",
        False,
        "small-0",
    )
    unknown = {name for name, value in failed.items() if value is None}
    assert {
        "time",
        "memory",
        "integral",
        "wall_ns",
        "peak_bytes",
        "relative_time",
        "rank",
    } <= unknown
    no_clean_repeat = Measurement(*(None,) * 10, repeats=0, tests=2, noise=("failed_repeat",))
    assert solution_row(PLUS, Judgement(Verdict.ACCEPTED), no_clean_repeat, None)["time"] is None


def test_row_has_schema_columns_in_order() -> None:
    assert list(row()) == SCHEMA.names
    fields = {SOLUTION.field(i).name for i in range(SOLUTION.num_fields)}
    assert (
        set(solution_row(PLUS, Judgement(Verdict.ACCEPTED), measured(), Standing(1, 1, 1, 1)))
        == fields
    )


def test_texts_of_a_problem() -> None:
    problem_columns = row()
    assert (problem_columns["title"], problem_columns["name"], problem_columns["problem_id"]) == (
        "two-sums",
        "Two sums",
        7,
    )
    assert (problem_columns["code_prompt"], problem_columns["test_case_runners"]) == (
        "start",
        "run",
    )
    assert (problem_columns["time_limit_ns"], problem_columns["memory_limit_bytes"]) == (
        NS_PER_S,
        512 * MIB,
    )
    cases = json.loads(problem_columns["test_cases"])
    assert [(case["input"], case["output"]) for case in cases] == [("1\n", "Ω\n"), ("2\n", "4\n")]
    assert "Ω" in problem_columns["test_cases"]
    python = problem_row(PROBLEM, "python", Limits(), TESTS, [], {})
    assert (python["code_prompt"], python["test_case_runners"]) == ("", "==Code Submission==")


def test_comparison_roundtrip() -> None:
    real = replace(
        PROBLEM, style="stdin", comparison=OutputComparison("float", 1e-6, 1e-9, real=True)
    )
    problem_columns = problem_row(real, "python", Limits(), TESTS, [], {})
    assert read_task(problem_columns, load_languages()["python"]).comparison == real.comparison
    comparison = json.loads(problem_columns["comparison"])
    del comparison["real"]
    older = {**problem_columns, "comparison": json.dumps(comparison)}
    assert read_task(older, load_languages()["python"]).comparison == replace(
        real.comparison, real=False
    )


# ------------------------------------------------------------------ published evaluators

PAIRS = [
    ("1 2\n", "1 2"), ("1 2\n", "1  2\n"), ("1\n2\n", "1\n"), ("1\n2\n", "1 2\n"), ("a\n", "A\n"),
    ("1.0\n", "1.0000001\n"), ("1\n", "1.0000001\n"), ("1000000\n", "1000001\n"),
    ("nan\n", "nan\n"), ("nan\n", "1\n"), ("1.5\n", "one\n"),
    ("\n", ""), ("x\n", ""), ("1.0 2.0\n", "1.0\n"), ("inf\n", "-inf\n"), ("-0.0\n", "0\n"), ("3\n\n\n", "3"),
    ("123456789012345678901\n", "123456789012345678902\n"), ("1e3\n", "1000\n"), ("1.0\n", "1.1\n"), ("1.0", "0x1p0"),
    ("1000000\n", "1000000.0\n"), ("1000000", "1e6"), ("123456789", "123456788.5"), ("2.0", "2"), ("15", "1_5"),
    ("1.5", "1_5e-1"), ("1e999", "1e9999"), ("1\u00a0\n", "1\n"), ("1.0\u2028", "1.0"), ("\u0661.0", "1.0"),
    ("a \r\n b\f\n", "a\n b"),
]  # fmt: skip


def evaluator(comparison: OutputComparison) -> Callable[[str, str], bool]:
    space: dict[str, Any] = {}
    exec(evaluator_source(comparison), space)
    evaluate: Callable[[str, str], bool] = space["evaluate"]
    return evaluate


@pytest.mark.parametrize(("expected", "actual"), PAIRS)
def test_published_evaluator_agrees_with_the_judge(expected: str, actual: str) -> None:
    assert evaluator(OutputComparison())(expected, actual) == same_text(expected, actual)
    for tolerance in (
        OutputComparison("float", 1e-6, 1e-6),
        OutputComparison("float", 0.5, 0.0),
        OutputComparison("float", 1e-6, 1e-6, real=True),
    ):
        judged = same_text(expected, actual) or same_numbers(expected, actual, tolerance)
        assert evaluator(tolerance)(expected, actual) == judged


# ------------------------------------------------------------------ figures of a build


def test_rank_option() -> None:
    figures = {
        "a": measured(wall_ns=30, relative_time=1.0),
        "b": measured(wall_ns=10, relative_time=2.0),
    }
    ranks = {
        rank: {
            name: standing.rank
            for name, standing in rank_solutions("abc", figures, rank).standings.items()
        }
        for rank in ("absolute", "relative")
    }
    assert ranks == {"absolute": {"b": 1, "a": 2}, "relative": {"a": 1, "b": 2}}
    figures["c"] = Measurement(*(None,) * 10, repeats=0, tests=1)
    assert "c" not in rank_solutions("abc", figures, "absolute").standings


def test_ties_and_separation() -> None:
    shares = {
        "wall_spread": None,
        "wall_se": 0.02,
        "floor_wall_ns": 5,
        "floor_cpu_ns": 4,
        "floor_peak_bytes": 3,
    }
    figures = {
        name: measured(wall_ns=cost, **shares)
        for name, cost in zip("abc", (100, 101, 200), strict=True)
    }
    ranking = rank_solutions("abc", figures, "absolute")
    assert [(standing.rank, standing.tie_group) for standing in ranking.standings.values()] == [
        (1, 1),
        (1, 1),
        (3, 2),
    ]
    assert ranking.separation.share == pytest.approx(2 / 3)
    assert ranking.separation.extent == pytest.approx(195 / 95)
    problem_columns = problem_row(PROBLEM, "cpp", Limits(), TESTS, [], {}, ranking=ranking)
    assert (
        problem_columns["tie_groups"],
        problem_columns["floor_wall_ns"],
        problem_columns["ranked"],
    ) == (2, 5, True)
    kept_out = rank_solutions("abc", figures, "absolute", min_separation=0.9)
    assert (kept_out.standings, kept_out.ranked) == ({}, False)
    net = solution_row(PLUS, Judgement(Verdict.ACCEPTED), figures["c"], ranking.standings["c"])
    assert (net["net_wall_ns"], net["rank"], net["rank_lowest"], net["rank_highest"]) == (
        195,
        3,
        3,
        3,
    )


def test_unexpected_states_label_and_verdict() -> None:
    expectations = {
        "good": Expectation.ACCEPTED,
        "bad": Expectation.WRONG,
        "slow": Expectation.SLOW,
        "any": Expectation.UNKNOWN,
    }
    solutions = [
        Solution(name, "p", "cpp", "", expected) for name, expected in expectations.items()
    ]
    as_said = {
        "good": "accepted",
        "bad": "wrong_answer",
        "slow": "time_limit",
        "any": "runtime_error",
    }
    right = {name: Judgement(Verdict(verdict)) for name, verdict in as_said.items()}
    assert unexpected(solutions, right) == {}
    wrong = {name: Judgement(Verdict.RUNTIME_ERROR, "exit code 1", "t3") for name in expectations}
    assert unexpected(solutions, wrong) == {
        "good": "labelled accepted, is runtime_error: exit code 1 (t3)",
        "bad": "labelled wrong, is runtime_error: exit code 1 (t3)",
        "slow": "labelled slow, is runtime_error: exit code 1 (t3)",
    }
    passing = unexpected(solutions, dict.fromkeys(expectations, Judgement(Verdict.ACCEPTED)))
    assert passing["bad"] == "labelled wrong, is accepted"
    assert unexpected(solutions, {}) == {}


def test_repeatability() -> None:
    assert repeatability([])["median_wall_spread"] is None
    noise = repeatability(
        [
            measured(wall_spread=0.1),
            measured(wall_spread=0.3, noise=("stolen_time",)),
            measured(wall_spread=None),
        ]
    )
    assert (noise["measured"], noise["noisy"]) == (3, 1)
    assert noise["median_wall_spread"] == pytest.approx(0.2)


def test_reasons_are_counted_with_ranges() -> None:
    rows = [
        Dropped("generate", "a", "small-1", "the same input as small-0"),
        Dropped("generate", "a", "small-7", "the same input as small-3"),
        Dropped("generate", "a", "small-12", "the same input as small-10"),
        Dropped("generate", "a", "a", "confidence 0.5, 0.9 is required"),
        Dropped("generate", "b", "b", "confidence 0.25, 0.9 is required"),
        Dropped(
            "threshold",
            "a",
            "a",
            "3 passing solutions, the threshold is 16: type --min-solutions 3",
        ),
        Dropped("validate", "a", "small-2", "canonical solutions disagree", {"x": "y"}),
        Dropped("ingest", "b", "b", "the problem b cannot be read: no\nsee docs"),
    ]
    assert count_reasons(rows) == {
        "generate": {"the same input as small-0…10": 3, "confidence 0.25…0.5, 0.9 is required": 2},
        "threshold": {"3 passing solutions, the threshold is 16": 1},
        "validate": {"canonical solutions disagree": 1},
        "ingest": {"the problem b cannot be read": 1},
    }
    assert count_reasons([]) == {}
