"""LeetCode problems of one language with measured solutions (Elfsong/Venus_Python, Elfsong/venus_<lang>_distribution).

The rows do not state their language: it is Python, or set by ``?lang=…``. A solution that passed is
expected to be accepted, one that ran out of time to be slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import Draft, attempt, read_rows, read_tests
from venus_toolkit.builders.reading.tables import parse_location, read_table
from venus_toolkit.builders.reading.values import expectation
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.builders.sources.leetcode_data import read_problem
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.records import Expectation


@source(location="Elfsong/Venus_Python")
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of Venus_Python, or of a table of its shape in another language.

    Raises:
        LanguageError: The language in ``?lang=…`` is unknown.
    """
    place = parse_location(location, more=("lang",))
    language = find_language(place.option("lang") or "python", languages).id
    return read_rows(
        read_table(place), languages, partial(_draft, language=language), key="problem_id"
    )


def _draft(row: TableRow, language: str) -> Draft:
    prompt, runner = row.text("code_prompt", ""), row.text("test_case_runners", "")
    runners = {language: runner} if runner.strip() else {}
    problem = read_problem(row, {language: prompt}, runners, source="venus_python")
    attempts = []
    for cells in row.rows("solutions"):
        code, status = cells.text("code", ""), cells.text("status", "")
        expected = Expectation.ACCEPTED if cells.flag("passed") else expectation(status)
        # A program that did not pass is wrong, even if its status claims otherwise.
        if "passed" in cells and not cells.flag("passed") and expected == Expectation.ACCEPTED:
            expected = Expectation.WRONG
        attempts.append(attempt(language, code, expected, {"status": status, **cells.rest()}))
    return Draft(problem, attempts, read_tests({"given": row.rows("test_cases")}))
