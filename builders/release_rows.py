"""The rows of a release, in the columns of venus_toolkit.dataset.columns.

All unit conversions are here.
"""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.values import fill_evaluator
from venus_toolkit.core.records import (
    KIB,
    NS_PER_MS,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.dataset.columns import FLOOR, label_of
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.judging.generators import sha256
from venus_toolkit.execution.measuring.complexity import Complexity
from venus_toolkit.execution.measuring.ranking import (
    TIMES,
    Separation,
    Standing,
    costs_of,
    separation,
    standings,
)
from venus_toolkit.execution.measuring.rounds import Measured


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
    measurement: Measurement | None,
    standing: Standing | None,
    carries_state: bool = False,
    complexity: Complexity | None = None,
    percentile: float | None = None,
) -> dict[str, Any]:
    """Return one entry of the column ``solutions``; missing measurements are null, never 0.

    `carries_state`: whether the solution kept state between tests in the same process.
    """
    exact_columns = (
        "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns", "relative_time",
        "wall_spread", "cpu_spread", "integral_spread", "relative_spread",
        "wall_se", "cpu_se", "integral_se", "relative_se", "joint_time", "joint_se",
    )  # fmt: skip
    exact = {name: getattr(measurement, name) if measurement else None for name in exact_columns}
    # Byte-nanoseconds exceed 64-bit integers within seconds, so they are published as float64.
    exact |= {
        name: float(value)
        for name, value in exact.items()
        if value is not None and name.endswith("byte_ns")
    }

    def net(name: str) -> int | None:
        """Return a figure minus that of an empty program; noise can make it negative."""
        gross, floor = (
            getattr(measurement, column) if measurement else None
            for column in (name, f"floor_{name}")
        )
        return None if gross is None or floor is None else gross - floor

    return {
        "code": solution.code,
        "status": str(judgement.verdict),
        "passed": judgement.verdict == Verdict.ACCEPTED,
        "time": milliseconds(measurement.wall_ns) if measurement else None,
        "memory": kibibytes(measurement.peak_bytes) if measurement else None,
        "integral": kibibyte_milliseconds(measurement.integral_byte_ns) if measurement else None,
        "solution_id": solution.solution_id,
        "expected": str(solution.expected),
        "failing_test": judgement.failing_test,
        "reason": judgement.reason or None,
        "rank": standing.rank if standing else None,
        "repeats": measurement.repeats if measurement else 0,
        "noise": list(measurement.noise) if measurement else [],
        "source": solution.source,
        "license": solution.license,
        "carries_state": carries_state,
        "instructions": measurement.instructions if measurement else None,
        "instructions_se": measurement.instructions_se if measurement else None,
        **exact,
        "tie_group": standing.tie_group if standing else None,
        "rank_lowest": standing.lowest if standing else None,
        "rank_highest": standing.highest if standing else None,
        **{
            f"net_{name}": net(name) for name in ("wall_ns", "cpu_ns", "peak_bytes", "instructions")
        },
        "complexity": str(complexity.growth) if complexity else None,
        "complexity_exponent": complexity.exponent if complexity else None,
        "complexity_low": complexity.low if complexity else None,
        "complexity_high": complexity.high if complexity else None,
        "percentile": percentile,
        "origin": solution.origin or None,
    }


def run_rows(
    problem: Problem,
    solution: Solution,
    tests: Sequence[TestCase],
    measured: Measured,
    counts: Sequence[int],
) -> Iterator[dict[str, Any]]:
    """Yield the cost of a solution on each measured test; stops at the first without figures.

    `counts` are the instructions on the first tests, as far as they were counted.
    """
    for test, cost, count in zip_longest(tests, measured.on_tests, counts[: len(tests)]):
        if cost is None:
            return
        yield {
            "problem_id": problem.problem_id,
            "title": problem.slug,
            "language": solution.language,
            "solution_id": solution.solution_id,
            "test_id": test.test_id,
            "role": test.role,
            **cost._asdict(),
            "integral_byte_ns": float(cost.integral_byte_ns),
            "instructions": count,
            "repeats": measured.total.repeats,
        }


def rejected_row(
    problem: Problem, solution: Solution, judgement: Judgement | None, drop: Dropped
) -> dict[str, Any]:
    """Return the row of an unpublished program; `status` is null if it was never judged."""
    return {
        "problem_id": problem.problem_id,
        "title": problem.slug,
        "language": solution.language,
        "solution_id": solution.solution_id,
        "code": solution.code,
        "expected": str(solution.expected),
        "status": str(judgement.verdict) if judgement else None,
        "failing_test": judgement.failing_test if judgement else None,
        "stage": drop.stage,
        "reason": drop.reason,
        "source": solution.source,
        "license": solution.license,
        "origin": solution.origin or None,
    }


class Ranking(NamedTuple):
    """The standings of a problem's solutions by id, their separation, and the floor."""

    standings: Mapping[str, Standing]
    separation: Separation
    floor: Mapping[str, int | None]
    ranked: bool = True


def rank_solutions(
    names: Iterable[str],
    measurements: Mapping[str, Measurement],
    rank: str,
    min_separation: float = 0.0,
) -> Ranking:
    """Return the standings of the solutions `names`; unmeasured ones have none.

    If the share of separated pairs is below `min_separation`, the standings are empty, and `ranked`
    is False.
    """
    figure = TIMES[rank]
    # Sorted by id, so that equal figures always give the same ranks.
    measured = {name: measurements[name] for name in sorted(names) if name in measurements}
    known = {
        name: measurement
        for name, measurement in measured.items()
        if measurement.repeats_agree and getattr(measurement, figure) is not None
    }
    floor = {
        name: round(statistics.median(values)) if (values := _known(known.values(), name)) else None
        for name in FLOOR
    }
    costs = costs_of(list(known.values()), figure)
    if figure in ("wall_ns", "instructions"):
        floors = _known(known.values(), f"floor_{figure}")
    else:
        # The reference's CPU time is unknown. The time of each program is known both in ns and
        # relative to the reference, and the ratio of the two converts its floor.
        floors = [
            measurement.floor_cpu_ns * (measurement.relative_time or 0.0) / measurement.cpu_ns
            for measurement in known.values()
            if measurement.floor_cpu_ns is not None and measurement.cpu_ns
        ]
    # The second argument is the cost of an empty program in the unit of the figure.
    solution_separation = separation(costs, statistics.median(floors) if floors else math.nan)
    ranked = (solution_separation.share or 0.0) >= min_separation
    listed = dict(zip(known, standings(costs), strict=True)) if ranked else {}
    return Ranking(listed, solution_separation, floor, ranked)


def percentiles(standings: Mapping[str, Standing]) -> dict[str, float]:
    """Return the percentage of other solutions that each solution beats; a tie counts half.

    Empty for fewer than two solutions.
    """
    groups = Counter(standing.tie_group for standing in standings.values())
    others = len(standings) - 1
    behind = {
        group: sum(count for other, count in groups.items() if other > group) for group in groups
    }
    return {
        name: 100 * (behind[standing.tie_group] + (groups[standing.tie_group] - 1) / 2) / others
        for name, standing in standings.items()
        if others
    }


def _known(measurements: Iterable[Measurement], name: str) -> list[float]:
    return [
        value for measurement in measurements if (value := getattr(measurement, name)) is not None
    ]


def problem_row(
    problem: Problem,
    language: str,
    limits: Limits,
    tests: Sequence[TestCase],
    solutions: Sequence[Mapping[str, Any]],
    quality: Mapping[str, Any],
    references: Collection[str] = (),
    ranking: Ranking | None = None,
) -> dict[str, Any]:
    """Return the row of one problem in the language of the `solutions`.

    `limits` apply to a run on one test. `quality` describes the origin and quality of the tests.
    The inputs of the tests in `references`, by id, are omitted, because the generator can make them
    again.
    """
    cases: list[dict[str, Any]] = []
    for test in tests:
        by_reference = test.test_id in references
        about = {"id": test.test_id, "kind": test.kind, "size": test.size, "seed": test.seed}
        about |= {"role": test.role, "adds": test.adds} if test.role or test.adds else {}
        about |= (
            {"input_sha256": sha256(test.stdin), "input_bytes": _size(test.stdin)}
            if by_reference
            else {}
        )
        stdin = None if by_reference else test.stdin
        cases.append({"input": stdin, "output": test.stdout, **about})
    test_cases = json.dumps(cases, ensure_ascii=False)
    return {
        "problem_id": problem.problem_id,
        "title": problem.slug,
        "question_content": problem.statement,
        "difficulty": label_of("difficulty", problem.difficulty),
        "tags": list(problem.tags),
        "code_prompt": problem.starter_code.get(language, ""),
        "solutions": list(solutions),
        "test_case_generator": problem.generator or "",
        "test_case_evaluator": problem.evaluator or evaluator_source(problem.comparison),
        # A program on standard input needs no runner, only the placeholder.
        "test_case_runners": problem.runners.get(language, "==Code Submission=="),
        "test_cases": test_cases,
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
        **{name: ranking.floor[name] if ranking else None for name in FLOOR},
        "separation": ranking.separation.share if ranking else None,
        "tie_groups": ranking.separation.groups if ranking else None,
        "net_range": ranking.separation.extent if ranking else None,
        "ranked": ranking.ranked if ranking else None,
        "test_ids": None,  # `test_cases` is complete: see venus_toolkit.dataset.test_cases
        "tests_sha256": sha256(test_cases),
        "standard": problem.standards.get(language),
    }


def rows_of_tests(
    problem: Problem, way: str, tests: Iterable[TestCase], references: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a problem's tests.

    `way` is the origin of generated tests. The tests in `references`, by id, have the generator in
    their row instead of the input.
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
    # An input may hold half of a surrogate pair, which strict UTF-8 cannot encode.
    return len(text.encode("utf-8", "surrogatepass"))


def evaluator_source(comparison: OutputComparison) -> str:
    """Return Python source of ``evaluate(expected, actual)`` that compares like the judge."""
    return fill_evaluator(
        comparison.kind,
        absolute=comparison.absolute,
        relative=comparison.relative,
        real=comparison.real,
    )
