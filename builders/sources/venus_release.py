"""A release that `venus build` wrote or that was published: to extend it, or to measure it again.

Every language is a config and each problem has a row in each, which are brought together on disk.
What was measured stays with each solution, in ``extra``. Inputs that were left out are made again
by the problem's generator, in the sandbox.
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
    """Yield the problems of a release folder, or of a release on the Hub.

    All languages where none is chosen.

    Raises:
        SourceError: It cannot be read.
        SandboxError: Inputs were left out, and nothing can run here to make them again.
    """
    place = parse_location(location)
    # A problem is in the configs of several languages: without all of them it would be incomplete.
    chosen = [name for name in place.options.get("config", ()) if name != ALL] or list(languages)
    place = dataclasses.replace(place, options={**place.options, "config": (ALL,)})
    among = {*chosen, TESTS_CONFIG}
    with ExitStack() as opened:
        # Opened when the first input is missing.
        sandbox = cache(lambda: opened.enter_context(open_sandbox("auto", [languages["python"]])))

        # The rows of a problem in several languages come one after another and miss the same
        # inputs.
        @lru_cache(maxsize=1)
        def make(missing: str, generator: str) -> list[str]:
            tests = json.loads(missing)
            try:
                made = materialise(tests, generator, sandbox() if tests and generator else None)
            except ReleaseError as error:
                raise ValueError(f"{error.what}: {error.why}") from error
            return [test["input"] for test in made]

        rows = gather(read_table(place, among), lambda row: row.values.get("title"))
        yield from read_groups(
            map(_with_tests, rows), languages, partial(_draft, make), key="title"
        )


def _with_tests(group: Sequence[TableRow | Rejected]) -> list[TableRow | Rejected]:
    """Return the rows of a problem in its languages.

    The first has the rows of the config ``tests`` as its tests.
    """
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
            and all(each in tests for each in ids)
        ):
            # Once for all languages: equal tests are one.
            cases = [case_of(tests[each]) for each in ids] if not number else []
            rows[number] = TableRow(
                {**row.values, "test_cases": cases}, row.where, row.config, row.split
            )
    return rows


def _is_test(row: TableRow) -> bool:
    return row.config == TESTS_CONFIG


def _draft(make: Callable[[str, str], list[str]], row: TableRow) -> Draft:
    """Return the draft of a row.

    `make` returns the inputs of tests without inputs (as JSON), from the problem's generator.
    """
    slug, language, style = row.text("title"), row.text("language"), row.text("style", "stdin")
    runner = row.text("test_case_runners", "")
    said = row.cells("comparison")
    tolerances = said.number("absolute") or 0.0, said.number("relative") or 0.0
    kind, statement = said.text("kind", "exact"), row.text("question_content")
    # Releases of earlier versions do not say it.
    real = (
        said.flag("real")
        if "real" in said
        else kind == "float" and asks_for_real_numbers(statement)
    )
    comparison = OutputComparison(
        kind, *tolerances, real, bool(said.flag("several")), said.text("source", "")
    )
    evaluator = row.text("test_case_evaluator", "")
    # A release may give the wall time alone, which backs up the CPU time at a multiple of it.
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
    for name in ("test_ids", "tests_sha256"):  # of these very rows, and true of no others
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
    # In the order of the cases: each missing input takes the next.
    made = iter(make(json.dumps(missing), row.text("test_case_generator", "")))
    return [
        TestCase(
            test_id=cells.text("id", f"given-{index:04d}"),
            stdin=next(made) if absent else cells.text("input", ""),
            stdout=cells.text("output", "") if "output" in cells else None,
            kind=cells.text("kind", "given"),
            size=cells.text("size", "") or None,
            seed=cells.whole("seed"),
            role=cells.text("role", "") or None,
            adds=cells.text("adds", "") or None,
        )
        for index, (cells, absent) in enumerate(zip(cases, left_out, strict=True))
    ]
