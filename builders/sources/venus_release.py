"""A release that `venus build` wrote or somebody published: to extend it, or to measure it again.

Every language is a config and each problem has a row in each, which are brought together on disk. What was measured
stays with each solution, in ``extra``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cells import Cells, Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import ALL, read_table
from venus_toolkit.builders.reading.values import WALL_PER_CPU, own_id
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import MARKER, Language
from venus_toolkit.records import Comparison, Expectation, Limits, TestCase


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of a release folder, or of a release on the Hub; all configs where none is chosen."""
    place = parse_location(location)
    place = dataclasses.replace(place, options={"config": (ALL,), **place.options})
    return read_rows(read_table(place), languages, _draft, key="title", merge=lambda row: row.values.get("title"))


def _draft(row: Row) -> Draft:
    slug, language, style = row.text("title"), row.text("language"), row.text("style", "stdin")
    prompt, runner = row.text("code_prompt", ""), row.text("test_case_runners", "")
    comparison, evaluator = _comparison(row), row.text("test_case_evaluator", "")
    problem = new_problem(
        slug,
        row.text("question_content"),
        problem_id=own_id(row.raw("problem_id"), slug),
        title=row.text("name", slug),
        difficulty=row.text("difficulty", "Unknown"),
        tags=row.texts("tags"),
        style=style,
        source=row.text("source", "unknown"),
        license=row.text("license", "unknown"),
        limits=_limits(row),
        comparison=comparison,
        generator=row.text("test_case_generator", "") or None,
        evaluator=evaluator if comparison.kind == "evaluator" else None,
        validator=row.text("test_case_validator", "") or None,
        starter_code={language: prompt} if prompt else {},
        runners={language: runner} if style == "function" and runner not in ("", MARKER) else {},
        date=row.text("date", "") or None,
        url=row.text("url", ""),
        category=row.text("category", "algorithms"),
        paid_only=row.flag("paid_only"),
    )
    attempts = [_attempt(cells, language) for cells in row.rows("solutions")]
    return Draft(problem, attempts, [_test(cells, index) for index, cells in enumerate(row.rows("test_cases"))])


def _comparison(row: Row) -> Comparison:
    cells = row.cells("comparison")
    return Comparison(cells.text("kind", "exact"), cells.number("absolute") or 0.0, cells.number("relative") or 0.0)


def _limits(row: Row) -> Limits:
    """A release may give the wall time alone, which backs up the CPU time at a multiple of it."""
    wall_ns = row.whole("time_limit_ns")
    cpu_ns = row.whole("cpu_limit_ns") or (wall_ns and wall_ns // WALL_PER_CPU)
    return Limits().changed(wall_ns=wall_ns, cpu_ns=cpu_ns, memory_bytes=row.whole("memory_limit_bytes"))


def _attempt(cells: Cells, language: str) -> Attempt:
    return Attempt(
        language,
        cells.text("code"),
        Expectation(cells.text("expected", "unknown")),
        solution_id=cells.text("solution_id", ""),
        source=cells.text("source", ""),
        license=cells.text("license", ""),
        extra=cells.rest(),
    )


def _test(cells: Cells, index: int) -> TestCase:
    return TestCase(
        cells.text("id", f"given-{index:04d}"),
        cells.text("input", ""),
        cells.text("output", "") if "output" in cells else None,
        cells.text("kind", "given"),
        cells.text("size", "") or None,
        cells.whole("seed"),
    )
