"""Codeforces: problems with official tests and checkers, and on request everybody's submissions (open-r1/codeforces).

``?submissions=LOCATION`` adds the programs of a table like open-r1/codeforces-submissions; write ``?``, ``&`` and ``=``
in that location as %3F, %26 and %3D. The two are brought together on disk, which takes as much room as the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from venus_toolkit.builders.reading.cases import given_tests, read_pairs, without_repeats
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.programs import Judged, fill_evaluator
from venus_toolkit.builders.reading.spool import gather
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import day_at, expectation, limits, rated, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language
from venus_toolkit.records import MIB, Comparison

LOCATION = "open-r1/codeforces"
LICENSE = "CC-BY-4.0"
SECTIONS = {
    "input_format": "Input", "output_format": "Output", "interaction_format": "Interaction", "note": "Note",
}  # fmt: skip
LANGUAGES = {
    r"python 2|pypy 2": "python2", r"python|pypy": "python", r"\+\+": "cpp", r"^java ?\d|^java$": "java",
    r"^go\b": "go", r"javascript|node": "javascript", r"rust": "rust", r"ruby": "ruby",
}  # fmt: skip


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of Codeforces, or of a table of this shape."""
    place = parse_location(location, more=("submissions",))
    rows: Iterable[Row | SetAside] = read_table(place)
    submissions = place.option("submissions")
    if submissions:
        rows = _with_submissions(rows, read_table(parse_location(submissions)))
    return read_rows(rows, languages, _draft, key="id")


def _with_submissions(
    problems: Iterable[Row | SetAside], submissions: Iterable[Row | SetAside]
) -> Iterator[Row | SetAside]:
    """Yield each problem's row with one more column, its submissions."""
    for group in gather(_both(problems, submissions), lambda row: row.values.get("id")):
        head = group[0]
        if isinstance(head, SetAside):
            yield head
        elif "submission" in head:
            yield SetAside(str(head.raw("id")), f"the problem is not in the table: {len(group)} submissions")
        else:
            mine = [row.raw("submission") for row in group[1:] if isinstance(row, Row) and "submission" in row]
            yield Row({**head.values, "submissions": mine}, head.where, head.config, head.split)


def _both(problems: Iterable[Row | SetAside], submissions: Iterable[Row | SetAside]) -> Iterator[Row | SetAside]:
    yield from problems
    for row in submissions:
        if isinstance(row, SetAside):
            yield row
        else:
            yield Row({"id": row.raw("problem_id"), "submission": row.values}, row.where)


def _draft(row: Row) -> Draft:
    number = row.text("id")
    comparison, evaluator = _judged(row)
    memory = row.number("memory_limit")
    problem = new_problem(
        slugify("codeforces", number),
        _statement(row),
        title=row.text("title", number),
        difficulty=rated(row.whole("rating")),
        tags=row.texts("tags"),
        source="codeforces",
        license=LICENSE,
        url=f"https://codeforces.com/problemset/problem/{number}",
        date=day_at(row.number("contest_start")),
        limits=limits(row.number("time_limit"), memory * MIB if memory else None),
        category=_category(row),
        comparison=comparison,
        evaluator=evaluator,
    )
    row.keep("rating")
    groups = {"example": row.rows("examples"), "official": row.rows("official_tests")}
    tests = [test for name, cases in groups.items() for test in given_tests(read_pairs(cases), name)]
    return Draft(problem, list(_attempts(row)), without_repeats(tests))


def _statement(row: Row) -> str:
    parts = [row.text("description")]
    for column, heading in SECTIONS.items():
        text = row.text(column, "")
        parts += [f"## {heading}\n\n{text}"] if text.strip() else []
    return "\n\n".join(parts) + "\n"


def _judged(row: Row) -> Judged:
    checker = row.text("generated_checker", "")
    if not checker.strip():
        return Judged(Comparison(), None)
    return Judged(Comparison("evaluator"), fill_evaluator("checker", source=checker))


def _category(row: Row) -> str:
    if row.text("interaction_format", "").strip():
        return "interactive"
    return "files" if row.text("input_mode", "stdio") == "file" else "algorithms"


def _attempts(row: Row) -> Iterator[Attempt]:
    for cells in row.rows("submissions"):
        named = cells.text("programmingLanguage")
        language = next((ours for theirs, ours in LANGUAGES.items() if re.search(theirs, named.lower())), named)
        code, verdict = cells.text("source", ""), cells.text("verdict", "")
        yield Attempt(language, code, expectation(verdict), {"verdict": verdict, **cells.rest()})
