"""LeetCode problems with runners, an evaluator and tests, all languages in one row (Elfsong/leetcode_data)."""

from __future__ import annotations

from collections.abc import Mapping

from venus_toolkit.builders.reading import values
from venus_toolkit.builders.reading.cells import Cells, TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    read_tests,
    table_source,
)
from venus_toolkit.core.records import Problem


@table_source(key="problem_id", location="Elfsong/leetcode_data")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    solutions = row.cells("solutions")
    attempts = [
        attempt(name, code)
        for column, name in values.leetcode_names(solutions.names).items()
        for code in solutions.texts(column)
    ]
    prompts, runners = (
        texts_by_language(row.cells(name)) for name in ("code_prompt", "test_case_runners")
    )
    problem = read_problem(row, prompts, runners, source="leetcode_data")
    return Draft(problem, attempts, read_tests({"given": row.rows("test_cases")}))


def read_problem(
    row: TableRow, prompts: Mapping[str, str], templates: Mapping[str, str], source: str
) -> Problem:
    """Return the problem of a row, with starter code (`prompts`) and runners by language.

    The row may come from ``leetcode_data`` or ``venus_python``.
    """
    slug = values.slugify(row.text("title"))
    return new_problem(
        slug,
        row.text("question_content"),
        problem_id=values.own_id(row.raw("problem_id"), slug),
        title=row.text("title"),
        difficulty=values.difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style="function",
        source=source,
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=row.flag("paid_only"),
        category=row.text("category", "algorithms").lower(),
        starter_code=dict(prompts),
        **values.programs(
            row.text("test_case_evaluator", ""), row.text("test_case_generator", ""), templates
        ),
    )


def texts_by_language(cells: Cells) -> dict[str, str]:
    """Return the non-blank texts of a struct with one field per language, by our language names."""
    names = values.leetcode_names(cells.names)
    return {
        name: text for column, name in names.items() if (text := cells.text(column, "")).strip()
    }
