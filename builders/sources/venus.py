"""Venus: LeetCode problems with solutions by running time and memory, one config for each language (Elfsong/Venus).

A problem has a row in the config of each language; the rows are grouped on disk. LeetCode's config
``python`` is Python 2.
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
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify


@table_source(key="question_id", merge="question_id", location="Elfsong/Venus?config=*")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its solutions and tests."""
    slug = slugify(row.text("name"))
    language = row.text("language", "") or row.text("lang", "")
    language = language or row.cells("runtimeDistribution").text("lang", "") or row.config or ""
    if language in ("", "default"):
        raise ValueError(
            "the language is missing: no column language, no lang in runtimeDistribution, no config"
        )
    language = "python2" if language == "python" else language
    distributions = ("runtimeDistribution", "memoryDistribution")
    problem = new_problem(
        slug,
        row.text("content"),
        problem_id=own_id(row.raw("question_id"), slug),
        title=row.text("name"),
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("topics"),
        style="function",
        source="venus",
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=row.flag("paid_only"),
        category=row.text("category", "algorithms").lower(),
        starter_code={language: row.text("code_prompt", "")},
        # The language in the key keeps the merge of rows from discarding all but the first.
        extra={f"{name} {language}": row.raw(name) for name in distributions if name in row},
    )
    lists = {"rt_list": "runtime", "mm_list": "memory"}
    attempts = [
        attempt(language, cells.text("code", ""), extra={figure: cells.raw(figure)})
        for column, figure in lists.items()
        for cells in row.rows(column)
    ]
    return Draft(problem, attempts, read_tests({"given": row.rows("test_cases")}))
