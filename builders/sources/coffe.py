"""COFFE: the competitive-programming part, human programs in Python and given tests (a folder with its two files).

Texts and programs are CodeContests'. No problem has a checker: where several answers are right, programs disagree and a
build drops the test. The two files are one object each and are read whole, a few megabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import Cells, parse_json, show
from venus_toolkit.builders.reading.drafts import Draft, attempt, finish, given_tests, new_problem
from venus_toolkit.builders.reading.tables import SEE
from venus_toolkit.builders.reading.values import limits, short_hash, slugify
from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Expectation

LICENSE = "CC-BY-4.0"
FILES = ("code_contests_solutions.json", "code_contests_testcases.json")
OPENING = "You are an expert Python programmer, and here is your task:\n"
CLOSING = "Do not give explanations, only give the Python code.\nPython Solution:\n```python"
CPU_S = 4  # the data set states no limits
TITLE_WORDS = 8


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems in a folder with the two files of COFFE.

    Raises:
        SourceError: A file is missing or is not a JSON object.
    """
    loaded = []
    for file in (Path(location) / name for name in FILES):
        try:
            value = parse_json(file.read_bytes())
        except (OSError, ValueError) as error:
            raise SourceError(f"{file} cannot be read", str(error), SEE) from error
        if not isinstance(value, dict):
            raise SourceError(f"{file} cannot be read", f"it is an object, found {show(value)}", SEE)
        loaded.append(Cells(value))
    solutions, tests = loaded
    return _items(solutions, tests, languages)


def _items(solutions: Cells, tests: Cells, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    programs = solutions.cells("prompt2groundtruth")
    for prompt in programs:
        statement = prompt.removeprefix(OPENING).removesuffix(CLOSING).strip() + "\n"
        # Two problems may begin with the same words: the hash tells them apart.
        slug = slugify("coffe", _title(statement), short_hash(statement))
        try:
            draft = _draft(slug, statement, programs.raw(prompt), tests.rows(prompt))
        # The programs are raw JSON: of a wrong shape they raise one of the last two.
        except (ValueError, TypeError, IndexError) as error:
            # The column that an error names is the whole prompt.
            yield Rejected(slug, f"it is not as documented: {error}".replace(prompt, "the tests"))
            continue
        yield from finish(draft, languages)


def _title(statement: str) -> str:
    """Return the first words: the data set has no titles."""
    return " ".join(re.findall(r"[\w'-]+", statement)[:TITLE_WORDS])


def _draft(slug: str, statement: str, programs: Any, tests: list[Cells]) -> Draft:
    title = _title(statement)
    problem = new_problem(slug, statement, title=title, source="coffe", license=LICENSE, limits=limits(CPU_S))
    attempts = [
        attempt("python", code, Expectation.ACCEPTED if right is True else Expectation.UNKNOWN)
        for code, right in programs
    ]
    pairs = [(test.texts("input"), test.texts("output")) for test in tests]
    return Draft(problem, attempts, given_tests((stdin[0], stdout[0]) for stdin, stdout in pairs))
