"""The rows of a release, in the columns of venus_toolkit.dataset.columns.

Units change here and nowhere else.
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
    measured: Measurement | None,
    standing: Standing | None,
    carries_state: bool = False,
    complexity: Complexity | None = None,
    percentile: float | None = None,
) -> dict[str, Any]:
    """Return one entry of the column ``solutions``; what was not measured is null, never 0.

    carries_state: whether it was seen to remember something from one test to the next in the same
    process.
    """
    exact_columns = (
        "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns", "relative_time",
        "wall_spread", "cpu_spread", "integral_spread", "relative_spread",
        "wall_se", "cpu_se", "integral_se", "relative_se", "joint_time", "joint_se",
    )  # fmt: skip
    exact = {name: getattr(measured, name) if measured else None for name in exact_columns}
    # Byte-nanoseconds outgrow 64-bit integers within seconds: they are published as float64.
    exact |= {
        name: float(value)
        for name, value in exact.items()
        if value is not None and name.endswith("byte_ns")
    }

    def net(name: str) -> int | None:
        """Return a figure without that of an empty program: below 0 where less than noise is left."""
        gross, floor = (
            getattr(measured, each) if measured else None for each in (name, f"floor_{name}")
        )
        return None if gross is None or floor is None else gross - floor

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
        "rank": standing.rank if standing else None,
        "repeats": measured.repeats if measured else 0,
        "noise": list(measured.noise) if measured else [],
        "source": solution.source,
        "license": solution.license,
        "carries_state": carries_state,
        "instructions": measured.instructions if measured else None,
        "instructions_se": measured.instructions_se if measured else None,
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
    """Yield what a solution costs on each of the tests that it was measured on.

    None where it has no figures.

    `counts` are the instructions on the first of these tests, as far as they were counted.
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
    problem: Problem, solution: Solution, judgement: Judgement | None, why: Dropped
) -> dict[str, Any]:
    """Return the row of a program that is not published.

    `status` is null where it was never judged.
    """
    return {
        "problem_id": problem.problem_id,
        "title": problem.slug,
        "language": solution.language,
        "solution_id": solution.solution_id,
        "code": solution.code,
        "expected": str(solution.expected),
        "status": str(judgement.verdict) if judgement else None,
        "failing_test": judgement.failing_test if judgement else None,
        "stage": why.stage,
        "reason": why.reason,
        "source": solution.source,
        "license": solution.license,
        "origin": solution.origin or None,
    }


class Ranking(NamedTuple):
    """The standings of a problem's solutions in one language by their ids, what tells them apart, and the floor."""

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
    """Return how the solutions of these names stand; those that were not measured have no standing.

    Where the share of pairs that are apart is below `min_separation`, none has one, and `ranked` is
    False.
    """
    figure = TIMES[rank]
    # Ties go by the id, so that the same figures give the same ranks.
    measured = {name: measurements[name] for name in sorted(names) if name in measurements}
    known = {
        name: each
        for name, each in measured.items()
        if each.repeats_agree and getattr(each, figure) is not None
    }
    floor = {
        name: round(statistics.median(values)) if (values := _known(known.values(), name)) else None
        for name in FLOOR
    }
    costs = costs_of(list(known.values()), figure)
    if figure in ("wall_ns", "instructions"):
        floors = _known(known.values(), f"floor_{figure}")
    else:
        # The reference's CPU time is not in a measurement: a program's is, in both units.
        floors = [
            each.floor_cpu_ns * (each.relative_time or 0.0) / each.cpu_ns
            for each in known.values()
            if each.floor_cpu_ns is not None and each.cpu_ns
        ]
    # What an empty program costs, in the unit of the figure.
    found = separation(costs, statistics.median(floors) if floors else math.nan)
    ranked = (found.share or 0.0) >= min_separation
    listed = dict(zip(known, standings(costs), strict=True)) if ranked else {}
    return Ranking(listed, found, floor, ranked)


def percentiles(standings: Mapping[str, Standing]) -> dict[str, float]:
    """Return the share in percent of the other solutions that each is ahead of.

    One in the same tie group is half one.

    Empty where there are fewer than two.
    """
    groups = Counter(each.tie_group for each in standings.values())
    others = len(standings) - 1
    behind = {
        group: sum(count for each, count in groups.items() if each > group) for group in groups
    }
    return {
        name: 100 * (behind[each.tie_group] + (groups[each.tie_group] - 1) / 2) / others
        for name, each in standings.items()
        if others
    }


def _known(measurements: Iterable[Measurement], name: str) -> list[float]:
    return [value for each in measurements if (value := getattr(each, name)) is not None]


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
    """Return the row of one problem, with the programs that were used, in the language of the `solutions`.

    `limits` are those of a run on one test. `quality` says how the tests were made and how good
    they are. The inputs of the tests in `references`, by id, are left out, for the generator makes
    them again.
    """
    cases: list[dict[str, Any]] = []
    for test in tests:
        left_out = test.test_id in references
        about = {"id": test.test_id, "kind": test.kind, "size": test.size, "seed": test.seed}
        about |= {"role": test.role, "adds": test.adds} if test.role or test.adds else {}
        about |= (
            {"input_sha256": sha256(test.stdin), "input_bytes": _size(test.stdin)}
            if left_out
            else {}
        )
        cases.append({"input": None if left_out else test.stdin, "output": test.stdout, **about})
    written = json.dumps(cases, ensure_ascii=False)
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
        # A program that reads standard input needs no runner around it: the placeholder alone.
        "test_case_runners": problem.runners.get(language, "==Code Submission=="),
        "test_cases": written,
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
        "test_ids": None,  # `test_cases` has them all: see venus_toolkit.dataset.test_cases
        "tests_sha256": sha256(written),
        "standard": problem.standards.get(language),
    }


def rows_of_tests(
    problem: Problem, way: str, tests: Iterable[TestCase], references: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a problem's tests.

    `way` is how those that did not come with the problem were made.

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


def evaluator_source(comparison: OutputComparison) -> str:
    """Return Python that defines ``evaluate(expected, actual)`` as the judge compares, for readers of the data."""
    return fill_evaluator(
        comparison.kind,
        absolute=comparison.absolute,
        relative=comparison.relative,
        real=comparison.real,
    )
