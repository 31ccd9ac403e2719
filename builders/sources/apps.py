"""APPS: programming problems in Python, most of them on standard input (codeparrot/apps).

Its two splits number their problems alike, so the split is part of the slug, and only those of train keep their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import read_cases
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify, stable_id
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language

LOCATION = "codeparrot/apps@refs/convert/parquet"
LICENSE = "MIT"


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of APPS, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="problem_id")


def _draft(row: Row) -> Draft:
    number = row.whole("problem_id")
    if number is None:
        raise ValueError("problem_id is missing")
    slug = slugify("apps", row.split or "", str(number))
    cases = read_cases(row.cells("input_output"))
    starter = row.text("starter_code", "")
    problem = new_problem(
        slug,
        row.text("question"),
        problem_id=stable_id(slug) if row.split == "test" else own_id(number, slug),
        difficulty=difficulty(row.text("difficulty", "")),
        style=cases.style,
        source="apps",
        license=LICENSE,
        url=row.text("url", ""),
        starter_code={"python": starter} if starter.strip() else {},
        extra=cases.facts,
    )
    attempts = [Attempt("python", code) for code in row.texts("solutions")]
    row.keep("difficulty")
    return Draft(problem, attempts, cases.tests)
