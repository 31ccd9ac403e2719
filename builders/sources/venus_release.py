"""A release, local or published, to be extended or measured again.

Each language is a config in which each problem has a row; the rows of a problem are grouped on
disk. Measurements stay in the ``extra`` of each solution. The problem's generator regenerates
omitted inputs, in the sandbox.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, lru_cache, partial
from itertools import compress

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import Draft, attempt, new_problem, read_groups
from venus_toolkit.builders.reading.tables import ALL, gather, parse_location, read_table
from venus_toolkit.builders.reading.values import WALL_PER_CPU, asks_for_real_numbers, own_id
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.core.language import MARKER, Language
from venus_toolkit.core.records import Expectation, Limits, OutputComparison, TestCase
from venus_toolkit.dataset.columns import name_of
from venus_toolkit.dataset.release import TESTS_CONFIG
from venus_toolkit.dataset.test_cases import case_of
from venus_toolkit.execution.judging.generators import materialise
from venus_toolkit.execution.sandbox.opening import open_sandbox


@source()
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of a release, in a folder or on the Hub, by default in all languages.

    Raises:
        SourceError: The release cannot be read.
        SandboxError: The release omits inputs, and this machine has no sandbox to regenerate them.
    """
    place = parse_location(location)
    # Every language by default: a problem has a row in the config of each.
    selected = [name for name in place.options.get("config", ()) if name != ALL] or list(languages)
    place = dataclasses.replace(place, options={**place.options, "config": (ALL,)})
    among = {*selected, TESTS_CONFIG}
    with ExitStack() as opened:
        # Opened when the first input is missing.
        sandbox = cache(lambda: opened.enter_context(open_sandbox("auto", [languages["python"]])))

        # Consecutive rows are one problem in several languages and omit the same inputs.
        @lru_cache(maxsize=1)
        def make(missing: str, generator: str) -> list[str]:
            tests = json.loads(missing)
            try:
                completed = materialise(
                    tests, generator, sandbox() if tests and generator else None
                )
            except ReleaseError as error:
                raise ValueError(f"{error.what}: {error.why}") from error
            return [test["input"] for test in completed]

        rows = gather(read_table(place, among), lambda row: row.values.get("title"))
        yield from read_groups(
            map(_with_tests, rows), languages, partial(_draft, make), key="title"
        )


def _with_tests(group: Sequence[TableRow | Rejected]) -> list[TableRow | Rejected]:
    """Return a problem's rows, one per language; the first gets the tests of config ``tests``."""
    tests = {
        row.values.get("test_id"): row.values
        for row in group
        if isinstance(row, TableRow) and _is_test(row)
    }
    rows = [row for row in group if not (isinstance(row, TableRow) and _is_test(row))]
    for number, row in enumerate(rows):
        ids = row.values.get("test_ids") if isinstance(row, TableRow) else None
        if (
            isinstance(row, TableRow)
            and isinstance(ids, list)
            and all(test_id in tests for test_id in ids)
        ):
            # Only once, because all languages share the tests.
            cases = [case_of(tests[test_id]) for test_id in ids] if not number else []
            rows[number] = TableRow(
                {**row.values, "test_cases": cases}, row.where, row.config, row.split
            )
    return rows


def _is_test(row: TableRow) -> bool:
    return row.config == TESTS_CONFIG


def _draft(make: Callable[[str, str], list[str]], row: TableRow) -> Draft:
    """Return the draft of a row.

    `make` returns the omitted inputs of tests (as JSON), made by the problem's generator.
    """
    slug, language, style = row.text("title"), row.text("language"), row.text("style", "stdin")
    runner = row.text("test_case_runners", "")
    stated_comparison = row.cells("comparison")
    tolerances = (
        stated_comparison.number("absolute") or 0.0,
        stated_comparison.number("relative") or 0.0,
    )
    kind, statement = stated_comparison.text("kind", "exact"), row.text("question_content")
    # Older releases lack this field.
    real = (
        stated_comparison.flag("real")
        if "real" in stated_comparison
        else kind == "float" and asks_for_real_numbers(statement)
    )
    comparison = OutputComparison(
        kind,
        *tolerances,
        real,
        bool(stated_comparison.flag("several")),
        stated_comparison.text("source", ""),
    )
    evaluator = row.text("test_case_evaluator", "")
    # If a release has only the wall time, CPU time is its usual fraction.
    wall_ns = row.whole("time_limit_ns")
    cpu_ns = row.whole("cpu_limit_ns") or (wall_ns and wall_ns // WALL_PER_CPU)
    problem = new_problem(
        slug,
        statement,
        problem_id=own_id(row.raw("problem_id"), slug),
        title=row.text("name", slug),
        difficulty=name_of("difficulty", row.raw("difficulty")),
        tags=row.texts("tags"),
        style=style,
        source=row.text("source", "unknown"),
        license=row.text("license", "unknown"),
        limits=Limits().changed(
            wall_ns=wall_ns, cpu_ns=cpu_ns, memory_bytes=row.whole("memory_limit_bytes")
        ),
        comparison=comparison,
        generator=row.text("test_case_generator", "") or None,
        evaluator=evaluator if comparison.kind == "evaluator" else None,
        validator=row.text("test_case_validator", "") or None,
        starter_code={language: row.text("code_prompt", "")},
        runners={language: runner} if style == "function" and runner not in ("", MARKER) else {},
        date=row.text("date", "") or None,
        url=row.text("url", ""),
        category=row.text("category", "algorithms"),
        paid_only=row.flag("paid_only"),
    )
    for name in ("test_ids", "tests_sha256"):  # kept out of `extra`: valid in this release only
        row.raw(name)
    attempts = [
        attempt(
            language,
            cells.text("code"),
            Expectation(cells.text("expected", "unknown")),
            solution_id=cells.text("solution_id", ""),
            source=cells.text("source", ""),
            license=cells.text("license", ""),
            origin=cells.text("origin", ""),
            extra=cells.rest(),
        )
        for cells in row.rows("solutions")
    ]
    return Draft(problem, attempts, _tests(row, make))


def _tests(row: TableRow, make: Callable[[str, str], list[str]]) -> list[TestCase]:
    cases = row.rows("test_cases")
    left_out = [
        cells.raw("input") is None and cells.raw("input_sha256") is not None for cells in cases
    ]
    reference = ("id", "input", "size", "seed", "input_sha256")
    missing = [{name: cells.raw(name) for name in reference} for cells in compress(cases, left_out)]
    # In the order of the cases: each omitted input takes the next.
    completed_inputs = iter(make(json.dumps(missing), row.text("test_case_generator", "")))
    return [
        TestCase(
            test_id=cells.text("id", f"given-{index:04d}"),
            stdin=next(completed_inputs) if absent else cells.text("input", ""),
            stdout=cells.text("output", "") if "output" in cells else None,
            kind=cells.text("kind", "given"),
            size=cells.text("size", "") or None,
            seed=cells.whole("seed"),
            role=cells.text("role", "") or None,
            adds=cells.text("adds", "") or None,
        )
        for index, (cells, absent) in enumerate(zip(cases, left_out, strict=True))
    ]
