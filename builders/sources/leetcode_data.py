"""LeetCode problems with runners, an evaluator and tests, all languages in one row (Elfsong/leetcode_data)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from venus_toolkit.builders.reading.cases import given_tests, read_pairs
from venus_toolkit.builders.reading.cells import Cells, Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.programs import judged_by, leetcode_names, own_generator, runners_of
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language
from venus_toolkit.records import Problem

LOCATION = "Elfsong/leetcode_data"
LICENSE = "unknown"


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of leetcode_data, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="problem_id")


def _draft(row: Row) -> Draft:
    solutions = row.cells("solutions")
    attempts = [
        Attempt(name, code)
        for column, name in leetcode_names(solutions.names).items()
        for code in solutions.texts(column)
    ]
    prompts, runners = (texts_by_language(row.cells(name)) for name in ("code_prompt", "test_case_runners"))
    problem = read_problem(row, prompts, runners, source="leetcode_data")
    return Draft(problem, attempts, given_tests(read_pairs(row.rows("test_cases"))))


def read_problem(row: Row, prompts: Mapping[str, str], templates: Mapping[str, str], source: str) -> Problem:
    """Return the problem of a row of this family, with the starter code and runners by language."""
    slug = slugify(row.text("title"))
    evaluator, generator = row.text("test_case_evaluator", ""), row.text("test_case_generator", "")
    comparison, kept_evaluator = judged_by(evaluator)
    kept_generator, runners = own_generator(generator), runners_of(templates)
    unused: dict[str, Any] = {
        "test_case_evaluator": evaluator if kept_evaluator is None else "",
        "test_case_generator": generator if kept_generator is None else "",
        "test_case_runners": {name: text for name, text in templates.items() if name not in runners},
    }
    return new_problem(
        slug,
        row.text("question_content"),
        problem_id=own_id(row.raw("problem_id"), slug),
        title=row.text("title"),
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("tags"),
        style="function",
        source=source,
        license=LICENSE,
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=row.flag("paid_only"),
        category=row.text("category", "algorithms").lower(),
        comparison=comparison,
        evaluator=kept_evaluator,
        generator=kept_generator,
        starter_code=dict(prompts),
        runners=runners,
        extra={name: value for name, value in unused.items() if value},
    )


def texts_by_language(cells: Cells) -> dict[str, str]:
    """Return the texts of a struct with one field for each language, by what the names mean, without blank ones."""
    names = leetcode_names(cells.names)
    return {name: text for column, name in names.items() if (text := cells.text(column, "")).strip()}
