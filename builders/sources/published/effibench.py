"""EffiBench: LeetCode problems in Python with one efficient solution and assertions as tests (DONG19/EffiBench)."""

from __future__ import annotations

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    new_problem,
    table_source,
)
from venus_toolkit.builders.reading.python_functions import starter_of_class
from venus_toolkit.builders.reading.python_tests import read_asserts
from venus_toolkit.builders.reading.values import own_id, slugify


@table_source(key="task_name", location="DONG19/EffiBench", license="Apache-2.0")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    slug = slugify("effibench", row.text("task_name"))
    code = row.text("canonical_solution")
    # The first Markdown block, or the whole text if there is none.
    _, fence, rest = code.partition("```")
    code = rest.partition("```")[0].partition("\n")[2] if fence else code
    source_tests = read_asserts(row.text("test_case"), code)
    if not source_tests.tests:
        reason = "; ".join(source_tests.skipped) or "it has none"
        raise ValueError(f"no assertion of test_case is a call with values: {reason[:200]}")
    problem = new_problem(
        slug,
        row.text("markdown_description"),
        problem_id=own_id(row.raw("problem_idx"), slug),
        title=row.text("task_name"),
        style="function",
        source="effibench",
        starter_code={"python": starter_of_class(code, source_tests.entry_point)},
        extra={"entry_point": source_tests.entry_point},
    )
    return Draft(problem, [attempt("python", code)], source_tests.tests)
