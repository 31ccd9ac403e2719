"""Any table at all: what its columns are is guessed, or said by a column map.

``?map=NAME`` or ``?map=FILE.toml`` names the map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import Cells, TableRow, json_text, show
from venus_toolkit.builders.reading.column_map import ColumnMap, find, read_map, text, texts
from venus_toolkit.builders.reading.drafts import (
    Draft,
    SourceTests,
    attempt,
    given_tests,
    new_problem,
    read_pairs,
    read_rows,
    read_test_cases,
    unfenced,
)
from venus_toolkit.builders.reading.guess_map import Guess, guess_map
from venus_toolkit.builders.reading.python_functions import (
    python_runner,
    starter_of_class,
    starter_of_function,
)
from venus_toolkit.builders.reading.python_tests import (
    call_input,
    call_output,
    read_asserts,
)
from venus_toolkit.builders.reading.tables import SEE, parse_location, read_table
from venus_toolkit.builders.reading.values import (
    day,
    difficulty,
    expectation,
    judged_by,
    limits,
    own_id,
    slugify,
)
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import LanguageError, SignatureError, SourceError
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.records import Expectation, Solution
from venus_toolkit.signatures import Function, parse_signature


@source()
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of a table, as a column map says, or as its columns are guessed to be.

    Raises:
        SourceError: The map is not as documented, or none is given and the guess is not certain.
    """
    place = parse_location(location, more=("map",))
    name = place.option("map")
    if name:
        columns = read_map(name)
    else:
        guessed = guess(place.place if not place.revision else str(place), languages)
        assert guessed
        if guessed.doubts:
            what = f"the columns of {place} cannot be guessed with certainty"
            fix = (
                f"type: venus sources show {place} --map map.toml, correct that file,"
                f" then name it: {place}?map=map.toml"
            )
            raise SourceError(what, "; ".join(guessed.doubts), fix)
        columns = _map_of(guessed)

    def slug(row: TableRow) -> object:
        # A row without a slug is rejected when it is read.
        with suppress(ValueError):
            found = slugify(text(row, columns.problem["slug"]))
            # Nobody said that rows are to be merged: those of two problems must not be.
            return found if name else (found, text(row, columns.problem["statement"]).strip())
        return None

    draft = partial(_draft, columns=columns, languages=languages)
    return read_rows(read_table(place), languages, draft, merge=slug if columns.merge else None)


def guess(location: str, languages: Mapping[str, Language]) -> Guess | None:
    """Return what the columns of a table seem to be, tried on its first rows.

    None where a map is named.

    Raises:
        SourceError: There is no table, or it has no rows.
    """
    place = parse_location(location, more=("map",))
    if place.option("map"):
        return None
    table = read_table(place)
    sample = list(islice(table, 40))
    rows = [row for row in sample if isinstance(row, TableRow)]
    if not rows:
        why = "there is nothing to guess its columns from"
        why = sample[0].reason if sample and isinstance(sample[0], Rejected) else why
        raise SourceError(f"{place} has no rows", why, SEE)
    found = guess_map([row.values for row in rows], languages, more=next(table, None) is not None)
    source = slugify(Path(place.place).name.partition(".")[0])
    found = found._replace(table={"source": source, "license": "unknown", **found.table})
    if found.doubts:
        return found
    # A guess is not certain after all where too few of the rows can be read by it.
    columns, reasons = _map_of(found), Counter[str]()
    for row in sample:
        if isinstance(row, Rejected):
            reasons[row.reason] += 1
            continue
        try:
            if not _draft(TableRow(row.values, row.where), columns, languages).attempts:
                reasons["it has no program"] += 1
        except ValueError as error:
            reasons[str(error)] += 1
    unreadable = 0.1  # of the rows of a sample that a guess may fail at
    if sum(reasons.values()) <= unreadable * len(sample):
        return found
    reason, count = reasons.most_common(1)[0]
    doubt = f"{count} of the first {len(sample)} rows cannot be read so: {reason}"
    return found._replace(doubts=(doubt,))


def _map_of(found: Guess) -> ColumnMap:
    return ColumnMap(**found.table)


def _draft(row: TableRow, columns: ColumnMap, languages: Mapping[str, Language]) -> Draft:
    said = columns.problem
    slug = slugify(text(row, said["slug"]))
    comparison, evaluator = judged_by(text(row, said.get("evaluator"), ""))
    starter, runners = (
        {
            language: code
            for language, spec in specs.items()
            if (code := text(row, spec, "")).strip()
        }
        for specs in (columns.starter_code, columns.runners)
    )
    # the row is about one language
    if "starter" in columns.solution and "list" not in columns.solution:
        starter[text(row, columns.solution["language"])] = text(row, columns.solution["starter"])
    attempts = list(_attempts(row, columns))
    style = columns.style
    if "cases" in columns.tests:
        at = find(row, columns.tests["cases"])
        given = read_test_cases(at.cells, at.name, _function(starter, languages))
        style = given.style
    elif "asserts" in columns.tests:
        given = _asserted(row, columns, languages, attempts)
    else:
        given = _listed(row, columns.tests, _function(starter, languages))
    if "cases" in columns.tests and style == "stdin":
        starter = {}
    elif style == "function" and not starter and not runners and given.entry_point:
        starter, runners = _declared(given.entry_point, attempts, languages)
    kinds: Counter[str] = Counter()
    for reason, count in given.skipped.items():
        kinds[reason.split(":")[0]] += count  # what follows the colon differs from test to test
    rejected = [
        Rejected(f"{slug}/tests", f"{kind}: {count} tests") for kind, count in kinds.items()
    ]
    tags, paid, time, memory = (
        find(row, said.get(name)) for name in ("tags", "paid_only", "time_limit", "memory_limit")
    )
    problem = new_problem(
        slug,
        text(row, said["statement"]),
        # What is no number makes `own_id` derive one from the slug.
        problem_id=own_id(text(row, said.get("id"), "none"), slug),
        title=text(row, said.get("title"), "") or slug,
        difficulty=difficulty(text(row, said.get("difficulty"), "")),
        tags=tags.cells.texts(tags.name),
        style=style,
        source=columns.source,
        license=columns.license,
        url=text(row, said.get("url"), ""),
        date=day(text(row, said.get("date"), "")),
        category=text(row, said.get("category"), "algorithms") or "algorithms",
        paid_only=paid.cells.flag(paid.name),
        limits=limits(time.cells.seconds(time.name), memory.cells.size(memory.name)),
        comparison=comparison,
        evaluator=evaluator,
        starter_code=starter,
        runners=runners,
        extra=given.facts,
    )
    return Draft(problem, attempts, given.tests, rejected)


def _declared(
    entry: str, attempts: Sequence[Solution], languages: Mapping[str, Language]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return starter code of a function and a runner, from a Python program that has it.

    Where the program does not say all types, there can be a runner in Python alone.
    """
    for each in attempts:
        with suppress(LanguageError, ValueError):
            language = find_language(each.language, languages)
            if language.id == "python":
                code = unfenced(each.code, language)
                method = re.search(rf"^[ \t]+def {re.escape(entry)}\(\s*self\b", code, re.MULTILINE)
                starter = {
                    "python": (starter_of_class if method else starter_of_function)(code, entry)
                }
                typed = method or _function(starter, languages) is not None
                return starter, {} if typed else {"python": python_runner(entry)}
    return {}, {}


def _function(starter: Mapping[str, str], languages: Mapping[str, Language]) -> Function | None:
    """Return the function that the starter code of some language declares, or None where none can be read."""
    for name in sorted(starter, key=lambda name: (name != "python", name)):
        with suppress(KeyError, SignatureError):
            return parse_signature(starter[name], languages[name]).functions[0]
    return None


def _attempts(row: TableRow, columns: ColumnMap) -> Iterator[Solution]:
    for language, spec in columns.solutions.items():
        yield from (attempt(language, code) for code in texts(row, spec))
    said = columns.solution
    if not said:
        return
    at = find(row, said.get("list"))
    for cells in at.cells.rows(at.name) if "list" in said else [row]:
        at = find(cells, said.get("verdict"))
        rate = _rate(at.cells.raw(at.name))
        if isinstance(rate, (int, float)):
            # Of a share of tests that pass, only all of them say something: the tests may be wrong.
            verdict = "accepted" if rate == 1 else "wrong answer" if rate is False else "unknown"
        else:
            verdict = text(cells, said.get("verdict"), "")
        expected = expectation(verdict) if "verdict" in said else Expectation.ACCEPTED
        extra = {name: cells.raw(name) for name in said.get("extra", ()) if name in cells}
        language = text(cells, said["language"])
        spec = said.get("code_in", {}).get(language, said["code"])
        # Where there is none, the row is rejected: `text` says why.
        yield from (
            attempt(language, code, expected, extra)
            for code in texts(cells, spec) or (text(cells, spec),)
        )


def _rate(cell: Any) -> Any:
    """Return a verdict that is true, false or a share also where it is written as text."""
    if isinstance(cell, str):
        with suppress(ValueError):
            word = cell.strip().lower()
            return word == "true" if word in ("true", "false") else float(word)
    return cell


def _asserted(
    row: TableRow,
    columns: ColumnMap,
    languages: Mapping[str, Language],
    attempts: Sequence[Solution],
) -> SourceTests:
    """Return the tests that assertions say; only Python's are read.

    A program says the order of named arguments.
    """
    said = columns.solution
    language = (
        text(row, said["language"]) if "language" in said and "list" not in said else "python"
    )
    with suppress(LanguageError):
        if (python := find_language(language, languages)).id == "python":
            code = "\n".join(texts(row, columns.tests["asserts"]))
            with suppress(ValueError):
                return read_asserts(code, unfenced(attempts[0].code, python) if attempts else "")
            return read_asserts(code)
    return SourceTests([])


def _listed(row: TableRow, said: Mapping[str, str], function: Function | None) -> SourceTests:
    """Return the tests, and how many are left out because of their output or because they cannot be read."""
    if "list" in said:
        at = find(row, said["list"])
        cases = at.cells.rows(at.name)
        pairs = list(read_pairs(cases, said.get("input", "input"), said.get("output", "output")))
    else:
        first, second = (find(row, said.get(side)) for side in ("inputs", "outputs"))
        stdins, stdouts = (at.cells.texts(at.name) for at in (first, second))
        if len(stdins) != len(stdouts):
            raise ValueError(
                f"{first.name} has {len(stdins)} and {second.name} {len(stdouts)} texts"
            )
        pairs = list(zip(stdins, stdouts, strict=True))
    kept: list[tuple[str, str | None]] = []
    skipped: Counter[str] = Counter()
    pattern, form = said.get("skip_output"), said.get("format", "text")
    for stdin, stdout in pairs:
        try:
            if pattern and re.search(pattern, stdout or ""):
                raise ValueError(f"the output matches {pattern}")
            if form == "text":
                kept.append((stdin, stdout))
                continue
            if form == "call":
                arguments = call_input(stdin, function)
            else:
                listed = Cells({"input": stdin}).structure("input")
                if not isinstance(listed, list):
                    raise ValueError(f"the input must be a list of arguments, found {show(listed)}")
                arguments = "".join(json_text(each) + "\n" for each in listed)
            kept.append((arguments, None if stdout is None else call_output(stdout, function)))
        except ValueError as error:
            skipped[str(error)] += 1
    return SourceTests(given_tests(kept), skipped=skipped)
