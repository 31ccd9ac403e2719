"""Codeforces: problems with official tests and checkers, optionally with users' submissions (open-r1/codeforces).

``?submissions=LOCATION`` adds the programs of a table like open-r1/codeforces-submissions; write
``?``, ``&`` and ``=`` in that location as %3F, %26 and %3D. The tables are joined on disk, which
takes as much space as the submissions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.drafts import Draft, attempt, new_problem, read_rows, read_tests
from venus_toolkit.builders.reading.tables import gather, parse_location, read_table
from venus_toolkit.builders.reading.values import (
    day_at,
    expectation,
    fill_evaluator,
    limits,
    rating_difficulty,
    slugify,
)
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import MIB, OutputComparison

LICENSE = "CC-BY-4.0"


@source(location="open-r1/codeforces", license=LICENSE)
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of Codeforces, or of a table with the same columns."""
    place = parse_location(location, more=("submissions",))
    rows: Iterable[TableRow | Rejected] = read_table(place)
    submissions = place.option("submissions")
    if submissions:
        rows = _with_submissions(rows, read_table(submissions))
    return read_rows(rows, languages, _draft, key="id")


def _with_submissions(
    problems: Iterable[TableRow | Rejected], submissions: Iterable[TableRow | Rejected]
) -> Iterator[TableRow | Rejected]:
    """Yield each problem's row with its submissions in one more column."""
    # Wrapped, so that the two tables share only the column id.
    wrapped = (
        row
        if isinstance(row, Rejected)
        else TableRow({"id": row.raw("problem_id"), "submission": row.values}, row.where)
        for row in submissions
    )
    for group in gather(chain(problems, wrapped), lambda row: row.values.get("id")):
        head = group[0]
        if isinstance(head, Rejected):
            yield head
        # Problems come first, so a group that begins with a submission has no problem.
        elif "submission" in head:
            yield Rejected(
                str(head.raw("id")),
                f"the problem is not in the table: {count_with_noun(len(group), 'submissions')}",
            )
        else:
            problem_submissions = [
                row.raw("submission")
                for row in group[1:]
                if isinstance(row, TableRow) and "submission" in row
            ]
            yield TableRow(
                {**head.values, "submissions": problem_submissions},
                head.where,
                head.config,
                head.split,
            )


def _draft(row: TableRow) -> Draft:
    number = row.text("id")
    checker = row.text("generated_checker", "").strip() and row.text("generated_checker")
    memory = row.number("memory_limit")
    interactive, files = (
        row.text("interaction_format", "").strip(),
        row.text("input_mode", "stdio") == "file",
    )
    headings = {
        "input_format": "Input", "output_format": "Output", "interaction_format": "Interaction", "note": "Note",
    }  # fmt: skip
    texts = {heading: row.text(column, "") for column, heading in headings.items()}
    sections = [f"## {heading}\n\n{text}" for heading, text in texts.items() if text.strip()]
    problem = new_problem(
        slugify("codeforces", number),
        "\n\n".join([row.text("description"), *sections]) + "\n",
        title=row.text("title", number),
        difficulty=rating_difficulty(row.whole("rating")),
        tags=row.texts("tags"),
        source="codeforces",
        license=LICENSE,
        url=f"https://codeforces.com/problemset/problem/{number}",
        date=day_at(row.number("contest_start")),
        limits=limits(row.number("time_limit"), memory * MIB if memory else None),
        category="interactive" if interactive else "files" if files else "algorithms",
        comparison=OutputComparison("evaluator" if checker else "exact"),
        evaluator=fill_evaluator("checker", source=checker) if checker else None,
    )
    row.keep("rating")
    tests = read_tests({"example": row.rows("examples"), "official": row.rows("official_tests")})
    attempts = []
    # The first match decides: Python 2 comes before Python, and Java's pattern must not match
    # JavaScript.
    language_patterns = {
        r"python 2|pypy 2": "python2", r"python|pypy": "python", r"\+\+": "cpp", r"^java ?\d|^java$": "java",
        r"^go\b": "go", r"javascript|node": "javascript", r"rust": "rust", r"ruby": "ruby",
    }  # fmt: skip
    for cells in row.rows("submissions"):
        judge_name = cells.text("programmingLanguage")
        language = next(
            (
                ours
                for theirs, ours in language_patterns.items()
                if re.search(theirs, judge_name.lower())
            ),
            judge_name,
        )
        code, verdict = cells.text("source", ""), cells.text("verdict", "")
        extra = {"verdict": verdict, **cells.rest()}
        attempts.append(attempt(language, code, expectation(verdict), extra))
    return Draft(problem, attempts, tests)
