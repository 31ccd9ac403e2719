"""PIE and ECCO: pairs of a slow and a faster program by one author, with CodeNet's tests (a table, and test folders).

``?tests=FOLDER`` (repeatable) holds ``PROBLEM/input.N.txt`` and ``PROBLEM/output.N.txt``. Neither
dataset has the statements of all problems: for rows without ``problem_description``,
``?statements=FOLDER`` provides CodeNet's ``PROBLEM.html``. Columns are those of PIE (``src_code``,
``tgt_code``) or of ECCO (``input``, ``target``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    given_tests,
    new_problem,
    read_rows,
)
from venus_toolkit.builders.reading.tables import parse_location, read_table
from venus_toolkit.builders.reading.values import slugify
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Expectation
from venus_toolkit.core.untrusted.beneath import read_beneath

LICENSE = "Apache-2.0"


@source(license=LICENSE)
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of a table of pairs."""
    place = parse_location(location, more=("tests", "statements"))
    tests, statements = (
        [Path(folder) for folder in place.options.get(name, ())] for name in ("tests", "statements")
    )
    return read_rows(
        read_table(place),
        languages,
        lambda row: _draft(row, tests, statements),
        key="problem_id",
        merge=lambda row: row.values.get("problem_id"),
    )


def _draft(row: TableRow, tests: Sequence[Path], statements: Sequence[Path]) -> Draft:
    number = row.text("problem_id")
    if not re.fullmatch(r"\w{1,40}", number):
        raise ValueError(f"problem_id must be a word, found {number[:80]}")
    problem = new_problem(
        slugify("codenet", number),
        row.text("problem_description", "").strip() + "\n"
        if "problem_description" in row
        else next(
            (
                read_beneath(file, folder).decode("utf-8", "replace")
                for folder in statements
                if (file := folder / f"{number}.html").is_file()
            ),
            f"CodeNet's problem {number}. Its statement is not known; programs read standard "
            "input.\n",
        ),
        title=number,
        source="codenet",
        license=LICENSE,
    )
    row_language = row.text("language", "")
    # The columns of PIE and of ECCO, with the language of rows that state none
    columns = {"src_code": "cpp", "tgt_code": "cpp", "input": "python", "target": "python"}
    attempts = [
        # Both programs of a pair were accepted.
        attempt(row_language or language, row.text(column), Expectation.ACCEPTED, {"pair": column})
        for column, language in columns.items()
        if row.text(column, "").strip()
    ]
    if not attempts:
        raise ValueError(f"there is no program: expected a column {' or '.join(columns)}")
    return Draft(problem, attempts, given_tests(_pairs(tests, number)))


def _pairs(folders: Sequence[Path], number: str) -> Iterator[tuple[str, str | None]]:
    """Yield the inputs and outputs of a problem, folder by folder, ordered by number."""
    input_name = re.compile(r"input\.(\d+)\.txt")
    for folder in folders:
        inputs_by_number = {
            int(match[1]): file
            for file in (folder / number).glob("input.*.txt")
            if (match := input_name.fullmatch(file.name))
        }
        for index, file in sorted(inputs_by_number.items()):
            answer = file.with_name(f"output.{index}.txt")
            stdin, stdout = (
                read_beneath(path, folder).decode("utf-8", "replace") if path.is_file() else None
                for path in (file, answer)
            )
            if stdin is not None:
                yield stdin, stdout
