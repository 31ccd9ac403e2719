"""APPS: programming problems in Python, most of them on standard input (codeparrot/apps).

Its two splits use the same numbers, so the split is part of the slug, and only problems of the
train split keep their number.
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
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify, stable_id


@table_source(key="problem_id", location="codeparrot/apps@refs/convert/parquet", license="MIT")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    number = row.whole("problem_id")
    if number is None:
        raise ValueError("problem_id is missing")
    slug = slugify("apps", row.split or "", str(number))
    cases = read_cases(row.cells("input_output"))
    problem = new_problem(
        slug,
        row.text("question"),
        problem_id=stable_id(slug) if row.split == "test" else own_id(number, slug),
        difficulty=difficulty(row.text("difficulty", "")),
        style=cases.style,
        source="apps",
        url=row.text("url", ""),
        starter_code={"python": row.text("starter_code", "")},
        extra=cases.facts,
    )
    attempts = [attempt("python", code) for code in row.texts("solutions")]
    # The source's own difficulty stays in `extra`.
    row.keep("difficulty")
    return Draft(problem, attempts, cases.tests)
