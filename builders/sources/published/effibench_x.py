"""EffiBench-X: problems of several sites with one fast solution in each language (EffiBench/effibench-x)."""

from __future__ import annotations

from venus_toolkit.builders.reading import values
from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    read_tests,
    table_source,
)
from venus_toolkit.builders.sources.leetcode_data import texts_by_language
from venus_toolkit.core.records import NS_PER_S


@table_source(key="id", location="EffiBench/effibench-x")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    number, kind = str(row.raw("id") or ""), row.text("type")
    styles = {"functional": "function", "io": "stdin"}
    if kind not in styles:
        raise ValueError(f"type must be one of {', '.join(styles)}, found {kind}")
    slug = values.slugify("effibench-x", row.text("title_slug", "") or row.text("title"), number)
    nanoseconds = row.number("time_limit_nanos")
    problem = new_problem(
        slug,
        row.text("description_md", "") or row.text("description"),
        problem_id=values.own_id(number, slug),
        title=row.text("title"),
        difficulty=values.difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style=styles[kind],
        source=values.slugify("effibench-x", row.text("source", "")),
        url=row.text("url", ""),
        date=values.day(row.text("release_date", "")),
        limits=values.limits(
            nanoseconds / NS_PER_S if nanoseconds else None,
            row.number("memory_limit_bytes") or None,
        ),
        starter_code=texts_by_language(row.cells("starter_code")),
        **values.programs(
            row.text("evaluator", ""),
            row.text("test_case_generator", ""),
            texts_by_language(row.cells("test_runners")),
        ),
    )
    solutions = row.cells("solutions")
    attempts = []
    for column, name in values.leetcode_names(solutions.names).items():
        cells = solutions.cells(column)
        if cells.text("code", "").strip():
            attempts.append(attempt(name, cells.text("code"), extra=cells.rest()))
    return Draft(problem, attempts, read_tests({"given": row.rows("generated_tests")}))
