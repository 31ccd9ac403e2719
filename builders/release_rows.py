"""The rows of a release, in the columns of venus_toolkit.dataset.columns. Units change here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from venus_toolkit.builders.reading.values import fill_evaluator
from venus_toolkit.core.records import (
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
from venus_toolkit.execution.generators import sha256
from venus_toolkit.execution.measure import ranking_key

EXACT = (
    "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns", "relative_time",
    "wall_spread", "cpu_spread", "integral_spread", "relative_spread",
)  # fmt: skip


def milliseconds(ns: int | None) -> float | None:
    """Return nanoseconds as milliseconds."""
    return None if ns is None else ns / NS_PER_MS


def kibibytes(size: int | None) -> float | None:
    """Return bytes as KiB."""
    return None if size is None else size / KIB


def kibibyte_milliseconds(byte_ns: int | None) -> float | None:
    """Return byte-nanoseconds as KiB·ms."""
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
    exact = {name: getattr(measured, name) if measured else None for name in EXACT}
    # Byte-nanoseconds outgrow 64-bit integers within seconds: they are published as float64.
    exact |= {name: float(value) for name, value in exact.items() if value is not None and name.endswith("byte_ns")}
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
        "instructions": measured.instructions if measured else None,
        "instructions_error": measured.instructions_error if measured else None,
        **exact,
    }


def rank_solutions(solutions: Iterable[Solution], measurements: Mapping[str, Measurement], rank: str) -> dict[str, int]:
    """Return 1 for the fastest; solutions that were not measured have no rank."""
    measured = {s.solution_id: measurements[s.solution_id] for s in solutions if s.solution_id in measurements}
    keys = [(ranking_key(each, "time", rank), name) for name, each in measured.items()]
    # Ties go by the id, so that the same figures give the same ranks.
    ordered = sorted((key, name) for key, name in keys if key is not None)
    return {name: position for position, (_, name) in enumerate(ordered, 1)}


def problem_row(
    problem: Problem,
    language: str,
    limits: Limits,
    tests: Sequence[TestCase],
    solutions: Sequence[Mapping[str, Any]],
    quality: Mapping[str, Any],
    references: Collection[str] = (),
) -> dict[str, Any]:
    """Return the row of one problem, with the programs that were used, in the language of the `solutions`.

    `limits` are those of a run on one test. `quality` says how the tests were made and how good they are. The inputs of
    the tests in `references`, by id, are left out, for the generator makes them again.
    """
    cases = []
    for test in tests:
        left_out = test.test_id in references
        about = {"id": test.test_id, "kind": test.kind, "size": test.size, "seed": test.seed}
        about |= {"role": test.role, "adds": test.adds} if test.role or test.adds else {}
        about |= {"input_sha256": sha256(test.stdin), "input_bytes": _size(test.stdin)} if left_out else {}
        cases.append({"input": None if left_out else test.stdin, "output": test.stdout, **about})
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
        # A program that reads standard input needs no runner around it: the placeholder alone.
        "test_case_runners": problem.runners.get(language, "==Code Submission=="),
        "test_cases": json.dumps(cases, ensure_ascii=False),
        "language": language,
        "name": problem.title,
        "style": problem.style,
        "comparison": json.dumps(asdict(problem.comparison)),
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


def rows_of_tests(
    problem: Problem, way: str, tests: Iterable[TestCase], references: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a problem's tests; `way` is how those that did not come with the problem were made.

    Instead of their inputs, the tests in `references`, by id, have the generator in their row.
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
            "role": test.role,
            "adds": test.adds,
        }


def _size(text: str) -> int:
    # An input may hold half of a surrogate pair, which plain UTF-8 refuses.
    return len(text.encode("utf-8", "surrogatepass"))


def evaluator_source(comparison: Comparison) -> str:
    """Return Python that defines ``evaluate(expected, actual)`` as the judge compares, for readers of the data."""
    return fill_evaluator(
        comparison.kind, absolute=comparison.absolute, relative=comparison.relative, real=comparison.real
    )
