"""Venus: LeetCode problems with solutions by running time and memory, one config for each language (Elfsong/Venus).

A problem is in the config of each language; its rows are brought together on disk. LeetCode's config ``python`` is
Python 2.
"""

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

LOCATION = "Elfsong/Venus?config=*"
LICENSE = "unknown"
LISTS = {"rt_list": "runtime", "mm_list": "memory"}
DISTRIBUTIONS = ("runtimeDistribution", "memoryDistribution")


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of Venus, or of a table of its shape."""
    rows = read_table(parse_location(location))
    return read_rows(rows, languages, _draft, key="question_id", merge=lambda row: row.values.get("question_id"))


def _draft(row: Row) -> Draft:
    slug, language = slugify(row.text("name")), _language(row)
    prompt = row.text("code_prompt", "")
    problem = new_problem(
        slug,
        row.text("content"),
        problem_id=own_id(row.raw("question_id"), slug),
        title=row.text("name"),
        difficulty=difficulty(row.text("difficulty", "")),
        tags=row.texts("topics"),
        style="function",
        source="venus",
        license=LICENSE,
        url=f"https://leetcode.com/problems/{slug}/",
        paid_only=row.flag("paid_only"),
        category=row.text("category", "algorithms").lower(),
        starter_code={language: prompt} if prompt.strip() else {},
        extra={f"{name} {language}": row.raw(name) for name in DISTRIBUTIONS if name in row},
    )
    tests = given_tests(read_pairs(row.rows("test_cases")))
    return Draft(problem, list(_attempts(row, language)), tests)


def _language(row: Row) -> str:
    said = row.text("language", "") or row.text("lang", "") or row.cells("runtimeDistribution").text("lang", "")
    name = said or row.config or ""
    if name in ("", "default"):
        raise ValueError("the language is not said: no column language, no lang in runtimeDistribution, no config")
    return "python2" if name == "python" else name


def _attempts(row: Row, language: str) -> Iterator[Attempt]:
    for column, figure in LISTS.items():
        for cells in row.rows(column):
            yield Attempt(language, cells.text("code", ""), extra={figure: cells.raw(figure)})
