"""TACO: programming problems in Python from many sites, with tags, dates and limits (BAAI/TACO).

Its rows have no id and often no name: the slug holds a hash of the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import read_cases
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import day, difficulty, limits, short_hash, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language

LOCATION = "BAAI/TACO@refs/convert/parquet"
LICENSE = "Apache-2.0"


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of TACO, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="url")


def _draft(row: Row) -> Draft:
    question, name = row.text("question"), row.text("name", "")
    cases = read_cases(row.cells("input_output"))
    starter = row.text("starter_code", "")
    problem = new_problem(
        slugify("taco", name[:60], short_hash(question)),
        question,
        title=name or question.strip().split("\n")[0][:80],
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style=cases.style,
        source="taco",
        license=LICENSE,
        url=row.text("url", ""),
        date=day(row.text("date", "")),
        limits=limits(row.seconds("time_limit"), row.size("memory_limit")),
        starter_code={"python": starter} if starter.strip() else {},
        extra=cases.facts,
    )
    row.keep("difficulty")
    return Draft(problem, [Attempt("python", code) for code in row.texts("solutions")], cases.tests)
