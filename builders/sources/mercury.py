"""Mercury: LeetCode problems in Python with solutions by running time (Elfsong/Mercury)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import given_tests, read_pairs
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import difficulty, own_id, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language

LOCATION = "Elfsong/Mercury"
LICENSE = "CC-BY-NC-4.0"


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of Mercury, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="slug_name")


def _draft(row: Row) -> Draft:
    slug = slugify(row.text("slug_name"))
    question = row.cells("meta_info").cells("data").cells("question")
    content = question.text("content", "") or "\n".join(row.texts("pretty_content"))
    if not content.strip():
        raise ValueError("meta_info.data.question.content is missing")
    prompt = row.text("prompt", "")
    problem = new_problem(
        slug,
        content,
        problem_id=own_id(question.raw("questionFrontendId") or row.raw("id"), slug),
        title=question.text("questionTitle", slug),
        difficulty=difficulty(row.text("difficulty", "") or question.text("difficulty", "")),
        tags=tuple(tag.text("name") for tag in question.rows("topicTags")),
        style="function",
        source="mercury",
        license=LICENSE,
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=question.flag("isPaidOnly"),
        category=question.text("categoryTitle", "algorithms").lower(),
        starter_code={"python": prompt} if prompt.strip() else {},
        extra={"entry_point": row.text("entry_point", "")},
    )
    attempts = [
        Attempt("python", cells.text("solution", ""), extra={"runtime_s": cells.seconds("runtime")})
        for cells in row.rows("solutions")
    ]
    return Draft(problem, attempts, given_tests(read_pairs(row.rows("test_cases"), "input", "expected")))
