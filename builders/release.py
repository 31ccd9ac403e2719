"""The rows of a release, in the columns of venus_toolkit.release.schema. Units change here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.generators import sha256
from venus_toolkit.records import (
    KIB,
    NS_PER_MS,
    Comparison,
    Judgement,
    Limits,
    Measurement,
    Problem,
    Solution,
    TestCase,
    Verdict,
)

EVALUATORS = Path(__file__).parent / "evaluators"


def milliseconds(ns: int | None) -> float | None:
    """Nanoseconds as milliseconds."""
    return None if ns is None else ns / NS_PER_MS


def kibibytes(size: int | None) -> float | None:
    """Bytes as KiB."""
    return None if size is None else size / KIB


def kibibyte_milliseconds(byte_ns: int | None) -> float | None:
    """Byte-nanoseconds as KiB·ms."""
    return None if byte_ns is None else byte_ns / KIB / NS_PER_MS


def solution_row(
    solution: Solution,
    judgement: Judgement,
    measured: Measurement | None,
    rank: int | None,
    carries_state: bool = False,
) -> dict[str, Any]:
    """Return one entry of the column ``solutions``; what was not measured is null, never 0.

    carries_state: whether it was seen to remember something from one test to the next in the same process.
    """
    return {
        "code": solution.code,
        "status": str(judgement.verdict),
        "passed": judgement.verdict == Verdict.ACCEPTED,
        "time": milliseconds(measured.wall_ns) if measured else None,
        "memory": kibibytes(measured.peak_bytes) if measured else None,
        "integral": kibibyte_milliseconds(measured.integral_byte_ns) if measured else None,
        "solution_id": solution.solution_id,
        "expected": str(solution.expected),
        "failing_test": judgement.failing_test,
        "reason": judgement.reason or None,
        "rank": rank,
        "repeats": measured.repeats if measured else 0,
        "noise": list(measured.noise) if measured else [],
        "source": solution.source,
        "license": solution.license,
        "carries_state": carries_state,
        **{name: _exact(measured, name) for name in _EXACT},
    }


def _exact(measured: Measurement | None, name: str) -> float | int | None:
    """Byte-nanoseconds outgrow 64-bit integers within seconds: they are published as float64."""
    value: float | int | None = getattr(measured, name) if measured else None
    return float(value) if value is not None and name.endswith("byte_ns") else value


_EXACT = (
    "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns", "relative_time",
    "wall_spread", "cpu_spread", "integral_spread", "relative_spread",
)  # fmt: skip


def problem_row(
    problem: Problem,
    language: str,
    limits: Limits,
    tests: Sequence[TestCase],
    solutions: Sequence[Mapping[str, Any]],
    quality: Mapping[str, Any],
    references: Collection[str] = (),
) -> dict[str, Any]:
    """Return the row of one problem in one language.

    Args:
        problem: With the generator, validator and evaluator that were used.
        language: Of the solutions.
        limits: Of one test.
        tests: With their outputs.
        solutions: From `solution_row`.
        quality: How the tests were made and how good they are.
        references: The ids of the tests whose inputs are left out, for the generator makes them again.
    """
    return {
        "problem_id": problem.problem_id,
        "title": problem.slug,
        "question_content": problem.statement,
        "difficulty": problem.difficulty,
        "tags": list(problem.tags),
        "code_prompt": problem.starter_code.get(language, ""),
        "solutions": list(solutions),
        "test_case_generator": problem.generator or "",
        "test_case_evaluator": problem.evaluator or evaluator_source(problem.comparison),
        "test_case_runners": problem.runners.get(language, "==Code Submission=="),
        "test_cases": json.dumps([_case(test, test.test_id in references) for test in tests], ensure_ascii=False),
        "language": language,
        "name": problem.title,
        "style": problem.style,
        "comparison": json.dumps(
            {
                "kind": problem.comparison.kind,
                "absolute": problem.comparison.absolute,
                "relative": problem.comparison.relative,
            }
        ),
        "time_limit_ns": limits.wall_ns,
        "memory_limit_bytes": limits.memory_bytes,
        "source": problem.source,
        "license": problem.license,
        "cpu_limit_ns": limits.cpu_ns,
        "test_case_validator": problem.validator or "",
        "test_quality": json.dumps(quality, ensure_ascii=False),
        "date": problem.date,
        "url": problem.url,
        "category": problem.category,
        "paid_only": problem.paid_only,
    }


def _case(test: TestCase, by_reference: bool) -> dict[str, Any]:
    """Return an entry of ``test_cases``; an input that is left out is null, with what it is checked against."""
    about = {"input_sha256": sha256(test.stdin), "input_bytes": _size(test.stdin)} if by_reference else {}
    return {
        "input": None if by_reference else test.stdin,
        "output": test.stdout,
        "id": test.test_id,
        "kind": test.kind,
        "size": test.size,
        "seed": test.seed,
        **about,
    }


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def rows_of_tests(
    problem: Problem, way: str, tests: Iterable[TestCase], references: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a problem's tests.

    Args:
        problem: With the generator that was used.
        way: How the tests that did not come with the problem were made.
        tests: With their outputs.
        references: The ids of those whose inputs are left out; they have the generator in their row.
    """
    for test in tests:
        by_reference = test.test_id in references
        yield {
            "problem_id": problem.problem_id,
            "title": problem.slug,
            "test_id": test.test_id,
            "input": None if by_reference else test.stdin,
            "output": test.stdout,
            "kind": test.kind,
            "size": test.size,
            "seed": test.seed,
            "way": test.kind if test.kind == "given" else way,
            "input_sha256": sha256(test.stdin),
            "input_bytes": _size(test.stdin),
            "generator": problem.generator if by_reference else None,
        }


def evaluator_source(comparison: Comparison) -> str:
    """Return Python that defines ``evaluate(expected, actual)`` as the judge compares, for readers of the data."""
    source = (EVALUATORS / f"{comparison.kind}.py.txt").read_text()
    return source.replace("{absolute}", repr(comparison.absolute)).replace("{relative}", repr(comparison.relative))
