"""A release that `venus build` wrote or somebody published: to extend it, or to measure it again.

Every language is a config and each problem has a row in each, which are brought together on disk. What was measured
stays with each solution, in ``extra``. Inputs that were left out are made again by the problem's generator, in the
sandbox.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from venus_toolkit.builders.reading.cells import Cells, Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import ALL, read_table
from venus_toolkit.builders.reading.values import WALL_PER_CPU, own_id
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.errors import ReleaseError
from venus_toolkit.generators import materialise
from venus_toolkit.language import MARKER, Language
from venus_toolkit.records import Comparison, Expectation, Limits, TestCase
from venus_toolkit.sandbox import Sandbox, open_sandbox

REFERENCE = ("id", "input", "size", "seed", "input_sha256")


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of a release folder, or of a release on the Hub; all languages where none is chosen.

    Raises:
        SourceError: It cannot be read.
        SandboxError: Inputs were left out, and nothing can run here to make them again.
    """
    place = parse_location(location)
    place = dataclasses.replace(place, options={"config": (ALL,), **place.options})
    with ExitStack() as opened:
        draft = partial(_draft, _Maker(languages["python"], opened))
        rows = read_table(place, languages)
        yield from read_rows(rows, languages, draft, key="title", merge=lambda row: row.values.get("title"))


class _Maker:
    """Makes inputs that were left out, in a sandbox that is opened when the first one is met.

    The last answer is kept: the rows of a problem in several languages come one after another and miss the same ones.
    """

    def __init__(self, python: Language, opened: ExitStack) -> None:
        self._python = python
        self._opened = opened
        self._sandbox: Sandbox | None = None
        self._last: tuple[Any, list[dict[str, Any]]] = (None, [])

    def make(self, missing: list[dict[str, Any]], generator: str) -> Iterator[str]:
        """Yield the inputs of these tests."""
        if missing and generator and self._sandbox is None:
            self._sandbox = self._opened.enter_context(open_sandbox("auto", [self._python]))
        if self._last[0] != (missing, generator):
            try:
                self._last = ((missing, generator), materialise(missing, generator, self._sandbox))
            except ReleaseError as error:
                raise ValueError(f"{error.what}: {error.why}") from error
        return (test["input"] for test in self._last[1])


def _draft(maker: _Maker, row: Row) -> Draft:
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
    return Draft(problem, attempts, _tests(row, maker))


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


def _tests(row: Row, maker: _Maker) -> list[TestCase]:
    tests = row.rows("test_cases")
    missing = [{name: cells.raw(name) for name in REFERENCE} for cells in tests if _left_out(cells)]
    made = maker.make(missing, row.text("test_case_generator", ""))
    return [
        _test(cells, index, next(made) if _left_out(cells) else cells.text("input", ""))
        for index, cells in enumerate(tests)
    ]


def _left_out(cells: Cells) -> bool:
    return cells.raw("input") is None and cells.raw("input_sha256") is not None


def _test(cells: Cells, index: int, stdin: str) -> TestCase:
    return TestCase(
        cells.text("id", f"given-{index:04d}"),
        stdin,
        cells.text("output", "") if "output" in cells else None,
        cells.text("kind", "given"),
        cells.text("size", "") or None,
        cells.whole("seed"),
    )
