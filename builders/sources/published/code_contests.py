"""CodeContests: problems of six sites, with right and wrong solutions in Python, C++ and Java (deepmind/code_contests).

A judge rejected the solutions in ``incorrect_solutions``, for whatever reason; they are expected to
be wrong. Solutions marked PYTHON are in Python 2, which is not supported.
"""

from __future__ import annotations

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    read_tests,
    table_source,
)
from venus_toolkit.builders.reading.values import limits, rating_difficulty, slugify
from venus_toolkit.core.records import Expectation


@table_source(key="name", location="deepmind/code_contests", license="CC-BY-4.0")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    name = row.text("name")
    time = row.cells("time_limit")
    seconds = (time.whole("seconds") or 0) + (time.whole("nanos") or 0) / 1e9
    files = row.text("input_file", "") or row.text("output_file", "")
    problem = new_problem(
        slugify("code-contests", name),
        row.text("description"),
        title=name,
        difficulty=rating_difficulty(row.whole("cf_rating")),
        tags=tuple(tag for tag in row.texts("cf_tags") if tag),
        source=slugify("code-contests", row.label("source", "")),
        # 0 stands for an unknown limit.
        limits=limits(seconds or None, row.whole("memory_limit_bytes") or None),
        category="files" if files else "algorithms",
    )
    row.keep("cf_rating", "input_file", "output_file")
    attempts = []
    languages = {"PYTHON": "python2"}
    solutions = {"solutions": Expectation.ACCEPTED, "incorrect_solutions": Expectation.WRONG}
    for column, expected in solutions.items():
        for cells in row.rows(column):
            language = cells.label("language")
            attempts.append(
                attempt(languages.get(language, language), cells.text("solution", ""), expected)
            )
    groups = ("public", "private", "generated")
    return Draft(
        problem, attempts, read_tests({group: row.rows(f"{group}_tests") for group in groups})
    )
