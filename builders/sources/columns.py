"""Any table: its columns are guessed, or described by a column map.

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
    limits,
    own_id,
    read_comparison,
    slugify,
)
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import LanguageError, SignatureError, SourceError
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.records import Expectation, Solution
from venus_toolkit.signatures import Function, parse_signature


@source()
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of a table, read by its column map or by a guessed one.

    Raises:
        SourceError: The map does not follow the documentation, or there is none and the guess is
            not certain.
    """
    place = parse_location(location, more=("map",))
    name = place.option("map")
    if name:
        columns = read_map(name)
    else:
        guessed = guess(place.place if not place.revision else str(place), languages)
        assert guessed
        if guessed.doubts:
            error = f"the columns of {place} cannot be guessed with certainty"
            fix = (
                f"type: venus sources show {place} --map map.toml, correct that file,"
                f" then name it: {place}?map=map.toml"
            )
            raise SourceError(error, "; ".join(guessed.doubts), fix)
        columns = _map_of(guessed)

    def slug(row: TableRow) -> object:
        # `read_rows` rejects a row without a slug.
        with suppress(ValueError):
            value = slugify(text(row, columns.problem["slug"]))
            # A guessed merge must not join two problems, so the statement counts as well.
            return value if name else (value, text(row, columns.problem["statement"]).strip())
        return None

    draft = partial(_draft, columns=columns, languages=languages)
    return read_rows(read_table(place), languages, draft, merge=slug if columns.merge else None)


def guess(location: str, languages: Mapping[str, Language]) -> Guess | None:
    """Guess the column map of a table and test it on the first rows; None if a map is named.

    Raises:
        SourceError: The table does not exist, or has no rows.
    """
    place = parse_location(location, more=("map",))
    if place.option("map"):
        return None
    table = read_table(place)
    sample = list(islice(table, 40))
    rows = [row for row in sample if isinstance(row, TableRow)]
    if not rows:
        reason = "there is nothing to guess its columns from"
        reason = sample[0].reason if sample and isinstance(sample[0], Rejected) else reason
        raise SourceError(f"{place} has no rows", reason, SEE)
    column_guess = guess_map(
        [row.values for row in rows], languages, more=next(table, None) is not None
    )
    source = slugify(Path(place.place).name.partition(".")[0])
    column_guess = column_guess._replace(
        table={"source": source, "license": "unknown", **column_guess.table}
    )
    if column_guess.doubts:
        return column_guess
    # The guess is uncertain if it fails to read too many rows.
    columns, reasons = _map_of(column_guess), Counter[str]()
    for row in sample:
        if isinstance(row, Rejected):
            reasons[row.reason] += 1
            continue
        try:
            if not _draft(TableRow(row.values, row.where), columns, languages).attempts:
                reasons["it has no program"] += 1
        except ValueError as error:
            reasons[str(error)] += 1
    unreadable = 0.1  # the share of sample rows that a certain guess may fail to read
    if sum(reasons.values()) <= unreadable * len(sample):
        return column_guess
    reason, count = reasons.most_common(1)[0]
    doubt = f"{count} of the first {len(sample)} rows cannot be read by this guess: {reason}"
    return column_guess._replace(doubts=(doubt,))


def _map_of(column_guess: Guess) -> ColumnMap:
    return ColumnMap(**column_guess.table)


def _draft(row: TableRow, columns: ColumnMap, languages: Mapping[str, Language]) -> Draft:
    section = columns.problem
    slug = slugify(text(row, section["slug"]))
    comparison, evaluator = read_comparison(text(row, section.get("evaluator"), ""))
    starter, runners = (
        {
            language: code
            for language, spec in specs.items()
            if (code := text(row, spec, "")).strip()
        }
        for specs in (columns.starter_code, columns.runners)
    )
    # each row has one language
    if "starter" in columns.solution and "list" not in columns.solution:
        starter[text(row, columns.solution["language"])] = text(row, columns.solution["starter"])
    attempts = list(_attempts(row, columns))
    style = columns.style
    if "cases" in columns.tests:
        at = find(row, columns.tests["cases"])
        source_tests = read_test_cases(at.cells, at.name, _declared_function(starter, languages))
        style = source_tests.style
    elif "asserts" in columns.tests:
        source_tests = _read_assertions(row, columns, languages, attempts)
    else:
        source_tests = _read_listed_tests(
            row, columns.tests, _declared_function(starter, languages)
        )
    if "cases" in columns.tests and style == "stdin":
        starter = {}
    elif style == "function" and not starter and not runners and source_tests.entry_point:
        starter, runners = _starter_and_runners(source_tests.entry_point, attempts, languages)
    kinds: Counter[str] = Counter()
    for reason, count in source_tests.skipped.items():
        kinds[reason.split(":")[0]] += count  # the part after the colon varies by test
    rejected = [
        Rejected(f"{slug}/tests", f"{kind}: {count} tests") for kind, count in kinds.items()
    ]
    tags, paid, time, memory = (
        find(row, section.get(name)) for name in ("tags", "paid_only", "time_limit", "memory_limit")
    )
    problem = new_problem(
        slug,
        text(row, section["statement"]),
        # `own_id` derives a number from the slug if this is not a number.
        problem_id=own_id(text(row, section.get("id"), "none"), slug),
        title=text(row, section.get("title"), "") or slug,
        difficulty=difficulty(text(row, section.get("difficulty"), "")),
        tags=tags.cells.texts(tags.name),
        style=style,
        source=columns.source,
        license=columns.license,
        url=text(row, section.get("url"), ""),
        date=day(text(row, section.get("date"), "")),
        category=text(row, section.get("category"), "algorithms") or "algorithms",
        paid_only=paid.cells.flag(paid.name),
        limits=limits(time.cells.seconds(time.name), memory.cells.size(memory.name)),
        comparison=comparison,
        evaluator=evaluator,
        starter_code=starter,
        runners=runners,
        extra=source_tests.facts,
    )
    return Draft(problem, attempts, source_tests.tests, rejected)


def _starter_and_runners(
    entry: str, attempts: Sequence[Solution], languages: Mapping[str, Language]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return starter code and runners for a function, from a Python solution that defines it.

    Without complete type annotations there is only a Python runner.
    """
    for solution in attempts:
        with suppress(LanguageError, ValueError):
            language = find_language(solution.language, languages)
            if language.id == "python":
                code = unfenced(solution.code, language)
                method = re.search(rf"^[ \t]+def {re.escape(entry)}\(\s*self\b", code, re.MULTILINE)
                starter = {
                    "python": (starter_of_class if method else starter_of_function)(code, entry)
                }
                typed = method or _declared_function(starter, languages) is not None
                return starter, {} if typed else {"python": python_runner(entry)}
    return {}, {}


def _declared_function(
    starter: Mapping[str, str], languages: Mapping[str, Language]
) -> Function | None:
    """Return the function declared by the starter code of any language, Python first, or None."""
    for name in sorted(starter, key=lambda name: (name != "python", name)):
        with suppress(KeyError, SignatureError):
            return parse_signature(starter[name], languages[name]).functions[0]
    return None


def _attempts(row: TableRow, columns: ColumnMap) -> Iterator[Solution]:
    for language, spec in columns.solutions.items():
        yield from (attempt(language, code) for code in texts(row, spec))
    section = columns.solution
    if not section:
        return
    at = find(row, section.get("list"))
    for cells in at.cells.rows(at.name) if "list" in section else [row]:
        at = find(cells, section.get("verdict"))
        rate = _parse_rate(at.cells.raw(at.name))
        if isinstance(rate, (int, float)):
            # A share below 1 proves nothing, because the tests may be wrong.
            verdict = "accepted" if rate == 1 else "wrong answer" if rate is False else "unknown"
        else:
            verdict = text(cells, section.get("verdict"), "")
        expected = expectation(verdict) if "verdict" in section else Expectation.ACCEPTED
        extra = {name: cells.raw(name) for name in section.get("extra", ()) if name in cells}
        language = text(cells, section["language"])
        spec = section.get("code_in", {}).get(language, section["code"])
        # `text` raises if the code is missing, so that the row is rejected.
        yield from (
            attempt(language, code, expected, extra)
            for code in texts(cells, spec) or (text(cells, spec),)
        )


def _parse_rate(cell: Any) -> Any:
    """Return a verdict; text that is true, false or a share becomes a bool or a float."""
    if isinstance(cell, str):
        with suppress(ValueError):
            word = cell.strip().lower()
            return word == "true" if word in ("true", "false") else float(word)
    return cell


def _read_assertions(
    row: TableRow,
    columns: ColumnMap,
    languages: Mapping[str, Language],
    attempts: Sequence[Solution],
) -> SourceTests:
    """Return the tests in Python assertions; the first program orders named arguments."""
    section = columns.solution
    language = (
        text(row, section["language"])
        if "language" in section and "list" not in section
        else "python"
    )
    with suppress(LanguageError):
        if (python := find_language(language, languages)).id == "python":
            code = "\n".join(texts(row, columns.tests["asserts"]))
            with suppress(ValueError):
                return read_asserts(code, unfenced(attempts[0].code, python) if attempts else "")
            return read_asserts(code)
    return SourceTests([])


def _read_listed_tests(
    row: TableRow, section: Mapping[str, str], function: Function | None
) -> SourceTests:
    """Return the tests, and the number skipped for their output or because they are unreadable."""
    if "list" in section:
        at = find(row, section["list"])
        cases = at.cells.rows(at.name)
        pairs = list(
            read_pairs(cases, section.get("input", "input"), section.get("output", "output"))
        )
    else:
        first, second = (find(row, section.get(side)) for side in ("inputs", "outputs"))
        stdins, stdouts = (at.cells.texts(at.name) for at in (first, second))
        if len(stdins) != len(stdouts):
            raise ValueError(
                f"{first.name} has {len(stdins)} and {second.name} {len(stdouts)} texts"
            )
        pairs = list(zip(stdins, stdouts, strict=True))
    pairs_read: list[tuple[str, str | None]] = []
    skipped: Counter[str] = Counter()
    pattern, form = section.get("skip_output"), section.get("format", "text")
    for stdin, stdout in pairs:
        try:
            if pattern and re.search(pattern, stdout or ""):
                raise ValueError(f"the output matches {pattern}")
            if form == "text":
                pairs_read.append((stdin, stdout))
                continue
            if form == "call":
                arguments = call_input(stdin, function)
            else:
                listed = Cells({"input": stdin}).structure("input")
                if not isinstance(listed, list):
                    raise ValueError(f"the input must be a list of arguments, found {show(listed)}")
                arguments = "".join(json_text(argument) + "\n" for argument in listed)
            pairs_read.append(
                (arguments, None if stdout is None else call_output(stdout, function))
            )
        except ValueError as error:
            skipped[str(error)] += 1
    return SourceTests(given_tests(pairs_read), skipped=skipped)
