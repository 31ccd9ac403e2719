"""TACO: programming problems in Python from many sites, with tags, dates and limits (BAAI/TACO).

Its rows have no id and often no name: the slug holds a hash of the question.
"""

from __future__ import annotations

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    read_cases,
    table_source,
)
from venus_toolkit.builders.reading.values import day, difficulty, limits, short_hash, slugify


@table_source(key="url", location="BAAI/TACO@refs/convert/parquet", license="Apache-2.0")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    question, name = row.text("question"), row.text("name", "")
    cases = read_cases(row.cells("input_output"))
    problem = new_problem(
        slugify("taco", name[:60], short_hash(question)),
        question,
        title=name or question.strip().split("\n")[0][:80],
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style=cases.style,
        source="taco",
        url=row.text("url", ""),
        date=day(row.text("date", "")),
        limits=limits(row.seconds("time_limit"), row.size("memory_limit")),
        starter_code={"python": row.text("starter_code", "")},
        extra=cases.facts,
    )
    # The source's own difficulty stays in `extra`.
    row.keep("difficulty")
    return Draft(problem, [attempt("python", code) for code in row.texts("solutions")], cases.tests)
