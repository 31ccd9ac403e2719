"""EffiBench-X: problems of several sites with one fast solution in each language (EffiBench/effibench-x)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import given_tests, read_pairs
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.programs import judged_by, leetcode_names, own_generator, runners_of
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import day, difficulty, limits, own_id, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.builders.sources.leetcode_data import texts_by_language
from venus_toolkit.language import Language
from venus_toolkit.records import NS_PER_S

LOCATION = "EffiBench/effibench-x"
LICENSE = "unknown"
STYLES = {"functional": "function", "io": "stdin"}


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of EffiBench-X, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="id")


def _draft(row: Row) -> Draft:
    number, kind = str(row.raw("id") or ""), row.text("type")
    if kind not in STYLES:
        raise ValueError(f"type is one of {', '.join(STYLES)}, found {kind}")
    slug = slugify("effibench-x", row.text("title_slug", "") or row.text("title"), number)
    generator, evaluator = row.text("test_case_generator", ""), row.text("evaluator", "")
    comparison, kept_evaluator = judged_by(evaluator)
    nanoseconds = row.number("time_limit_nanos")
    problem = new_problem(
        slug,
        row.text("description_md", "") or row.text("description"),
        problem_id=own_id(number, slug),
        title=row.text("title"),
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style=STYLES[kind],
        source=slugify("effibench-x", row.text("source", "")),
        license=LICENSE,
        url=row.text("url", ""),
        date=day(row.text("release_date", "")),
        limits=limits(nanoseconds / NS_PER_S if nanoseconds else None, row.number("memory_limit_bytes") or None),
        comparison=comparison,
        evaluator=kept_evaluator,
        generator=own_generator(generator),
        starter_code=texts_by_language(row.cells("starter_code")),
        runners=runners_of(texts_by_language(row.cells("test_runners"))),
    )
    if problem.generator is None:
        row.keep("test_case_generator")
    return Draft(problem, list(_attempts(row)), given_tests(read_pairs(row.rows("generated_tests"))))


def _attempts(row: Row) -> Iterator[Attempt]:
    solutions = row.cells("solutions")
    for column, name in leetcode_names(solutions.names).items():
        cells = solutions.cells(column)
        if cells.text("code", "").strip():
            yield Attempt(name, cells.text("code"), extra=cells.rest())
