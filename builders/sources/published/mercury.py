"""Mercury: LeetCode problems in Python with solutions by running time (Elfsong/Mercury)."""

from __future__ import annotations

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    read_tests,
    table_source,
)
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify


@table_source(key="slug_name", location="Elfsong/Mercury", license="CC-BY-NC-4.0")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    slug = slugify(row.text("slug_name"))
    question = row.cells("meta_info").cells("data").cells("question")
    content = question.text("content", "") or "\n".join(row.texts("pretty_content"))
    if not content.strip():
        raise ValueError("meta_info.data.question.content is missing")
    problem = new_problem(
        slug,
        content,
        problem_id=own_id(question.raw("questionFrontendId") or row.raw("id"), slug),
        title=question.text("questionTitle", slug),
        difficulty=difficulty(row.text("difficulty", "") or question.text("difficulty", "")),
        tags=tuple(tag.text("name") for tag in question.rows("topicTags")),
        style="function",
        source="mercury",
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=question.flag("isPaidOnly"),
        category=question.text("categoryTitle", "algorithms").lower(),
        starter_code={"python": row.text("prompt", "")},
        extra={"entry_point": row.text("entry_point", "")},
    )
    attempts = [
        attempt("python", cells.text("solution", ""), extra={"runtime_s": cells.seconds("runtime")})
        for cells in row.rows("solutions")
    ]
    return Draft(
        problem, attempts, read_tests({"given": row.rows("test_cases")}, stdout="expected")
    )
