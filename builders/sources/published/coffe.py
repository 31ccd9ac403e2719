"""COFFE: its file level, human programs in Python with tests and stressful inputs (a folder of its repository).

The folder has ``solutions.json`` and ``testcases.json`` (or these names after ``code_contests_``),
and may have ``stressful_testcases.json``: programs that generate large inputs, on which a build
measures solutions. Texts and programs come from CodeContests and APPS. Problems have no checkers:
if several answers are right, programs disagree and the build drops the test. Each file is one JSON
object of a few megabytes and is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import Cells, parse_json, show
from venus_toolkit.builders.reading.drafts import Draft, attempt, finish, given_tests, new_problem
from venus_toolkit.builders.reading.tables import SEE
from venus_toolkit.builders.reading.values import limits, short_hash, slugify
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Expectation
from venus_toolkit.core.untrusted.beneath import read_beneath

LICENSE = "CC-BY-4.0"
# Each program defines ``generate_input()``.
GENERATOR = """import random

FAMILIES = ("max",)
PROGRAMS = {programs!r}


def generate(seed, size):
    random.seed(seed)
    scope = {{"__name__": "stressful"}}
    exec(PROGRAMS[seed % len(PROGRAMS)], scope)
    return scope["generate_input"]()
"""


@source(license=LICENSE)
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems in a folder with the files of COFFE.

    Raises:
        SourceError: A file is missing or is not a JSON object.
    """
    folder = Path(location)
    # Some copies of the files have a prefix.
    prefixed = "code_contests_" if (folder / "code_contests_solutions.json").exists() else ""
    solutions, tests = (
        _object(folder / (prefixed + name), folder) for name in ("solutions.json", "testcases.json")
    )
    stressful = folder / f"{prefixed}stressful_testcases.json"
    return _items(
        solutions, tests, _object(stressful, folder) if stressful.exists() else Cells({}), languages
    )


def _object(file: Path, folder: Path) -> Cells:
    try:
        value = parse_json(read_beneath(file, folder))
    except (OSError, ValueError) as error:
        raise SourceError(f"{file} cannot be read", str(error), SEE) from error
    if not isinstance(value, dict):
        raise SourceError(
            f"{file} cannot be read", f"it must be an object, found {show(value)}", SEE
        )
    return Cells(value)


def _items(
    solutions: Cells, tests: Cells, stressful: Cells, languages: Mapping[str, Language]
) -> Iterator[Entry | Rejected]:
    programs = solutions.cells("prompt2groundtruth")
    opening = "You are an expert Python programmer, and here is your task:\n"
    closing = "Do not give explanations, only give the Python code.\nPython Solution:\n```python"
    for prompt in programs:
        statement = prompt.removeprefix(opening).removesuffix(closing).strip() + "\n"
        # The hash distinguishes problems that begin with the same words.
        slug = slugify("coffe", _title(statement), short_hash(statement))
        try:
            draft = _draft(
                slug, statement, programs.raw(prompt), tests.rows(prompt), stressful.texts(prompt)
            )
        # The programs are raw JSON; a wrong shape raises TypeError or IndexError.
        except (ValueError, TypeError, IndexError) as error:
            # The error names its column, which is the whole prompt.
            yield Rejected(slug, f"it is not as documented: {error}".replace(prompt, "the tests"))
            continue
        yield from finish(draft, languages)


def _title(statement: str) -> str:
    """Return the first words, because the dataset has no titles."""
    return " ".join(re.findall(r"[\w'-]+", statement)[:8])


def _draft(
    slug: str, statement: str, programs: Any, tests: list[Cells], stressful: Sequence[str]
) -> Draft:
    cpu_s = 4  # the dataset states no limits
    problem = new_problem(
        slug,
        statement,
        title=_title(statement),
        source="coffe",
        license=LICENSE,
        limits=limits(cpu_s),
        generator=GENERATOR.format(programs=stressful) if stressful else None,
    )
    attempts = [
        attempt("python", code, Expectation.ACCEPTED if right is True else Expectation.UNKNOWN)
        for code, right in programs
    ]
    pairs = [(test.texts("input"), test.texts("output")) for test in tests]
    return Draft(problem, attempts, given_tests((stdin[0], stdout[0]) for stdin, stdout in pairs))
