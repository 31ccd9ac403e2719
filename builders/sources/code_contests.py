"""CodeContests: problems of six sites, with right and wrong solutions in Python, C++ and Java (deepmind/code_contests).

A solution of ``incorrect_solutions`` was refused, for whatever reason: it is expected to be wrong. What is marked
PYTHON is Python 2, which is no language here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import given_tests, read_pairs, without_repeats
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import limits, rated, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language
from venus_toolkit.records import Expectation, TestCase

LOCATION = "deepmind/code_contests"
LICENSE = "CC-BY-4.0"
LANGUAGES = {"PYTHON": "python2"}
GROUPS = ("public", "private", "generated")
SOLUTIONS = {"solutions": Expectation.ACCEPTED, "incorrect_solutions": Expectation.WRONG}


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of CodeContests, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="name")


def _draft(row: Row) -> Draft:
    name = row.text("name")
    time = row.cells("time_limit")
    seconds = (time.whole("seconds") or 0) + (time.whole("nanos") or 0) / 1e9
    files = row.text("input_file", "") or row.text("output_file", "")
    problem = new_problem(
        slugify("code-contests", name),
        row.text("description"),
        title=name,
        difficulty=rated(row.whole("cf_rating")),
        tags=tuple(tag for tag in row.texts("cf_tags") if tag),
        source=slugify("code-contests", row.label("source", "")),
        license=LICENSE,
        limits=limits(seconds or None, row.whole("memory_limit_bytes") or None),
        category="files" if files else "algorithms",
    )
    row.keep("cf_rating", "input_file", "output_file")
    return Draft(problem, list(_attempts(row)), without_repeats(_tests(row)))


def _attempts(row: Row) -> Iterator[Attempt]:
    for column, expected in SOLUTIONS.items():
        for cells in row.rows(column):
            language = cells.label("language")
            yield Attempt(LANGUAGES.get(language, language), cells.text("solution", ""), expected)


def _tests(row: Row) -> Iterator[TestCase]:
    for group in GROUPS:
        yield from given_tests(read_pairs(row.rows(f"{group}_tests")), group)
