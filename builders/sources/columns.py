"""Any table at all, with a column map in TOML that says what is what: LOCATION?map=NAME or ?map=FILE.toml."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from venus_toolkit.builders.reading.asserts import read_asserts
from venus_toolkit.builders.reading.calls import call_input, call_output
from venus_toolkit.builders.reading.cases import given_tests, read_pairs
from venus_toolkit.builders.reading.cells import Cells, Row
from venus_toolkit.builders.reading.columns import ColumnMap, Spec, find, read_map, text, texts
from venus_toolkit.builders.reading.drafts import Attempt, Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import SEE, parse_location
from venus_toolkit.builders.reading.programs import judged_by
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import day, difficulty, expectation, limits, own_id, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.errors import LanguageError, SignatureError, SourceError
from venus_toolkit.language import Language, find_language
from venus_toolkit.records import Expectation, TestCase
from venus_toolkit.signatures import Function, parse_signature


class Tests(NamedTuple):
    """The tests of a row, and how many of it are left out for which reason."""

    kept: list[TestCase]
    skipped: Mapping[str, int]


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of a table, as a column map says.

    Raises:
        SourceError: The location names no map, or one that is not as documented.
    """
    place = parse_location(location, more=("map",))
    name = place.option("map")
    if not name:
        raise SourceError("no column map is given", "columns does not know what is what", f"add ?map=FILE.toml; {SEE}")
    columns = read_map(name)
    merge = partial(_slug_or_none, columns=columns) if columns.merge else None
    return read_rows(read_table(place), languages, partial(_draft, columns=columns, languages=languages), merge=merge)


def _slug(row: Row, columns: ColumnMap) -> str:
    return slugify(text(row, columns.problem["slug"]))


def _slug_or_none(row: Row, columns: ColumnMap) -> str | None:
    """Return the slug; a row without one says so when it is its turn."""
    try:
        return _slug(row, columns)
    except ValueError:
        return None


def _draft(row: Row, columns: ColumnMap, languages: Mapping[str, Language]) -> Draft:
    said, slug = columns.problem, _slug(row, columns)
    comparison, evaluator = judged_by(text(row, said.get("evaluator"), ""))
    starter = _by_language(row, columns.starter_code) | _starter(row, columns)
    if "asserts" in columns.tests:
        tests, skipped = _asserted(row, columns, languages)
    else:
        tests, skipped = _tests(row, columns, _function(starter, languages))
    attempts = list(_attempts(row, columns))
    tags, paid, time, memory = (
        find(row, said.get(name)) for name in ("tags", "paid_only", "time_limit", "memory_limit")
    )
    problem = new_problem(
        slug,
        text(row, said["statement"]),
        problem_id=own_id(text(row, said.get("id"), "none"), slug),
        title=text(row, said.get("title"), "") or slug,
        difficulty=difficulty(text(row, said.get("difficulty"), "")),
        tags=tags.cells.texts(tags.name),
        style=columns.style,
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
        runners=_by_language(row, columns.runners),
    )
    aside = [SetAside(f"{slug}/tests", f"{why}: {count} tests") for why, count in skipped.items()]
    return Draft(problem, attempts, tests, aside)


def _function(starter: Mapping[str, str], languages: Mapping[str, Language]) -> Function | None:
    """Return the function that the starter code of some language declares, or None where none can be read."""
    for name in sorted(starter, key=lambda name: (name != "python", name)):
        try:
            return parse_signature(starter[name], languages[name]).functions[0]
        except (KeyError, SignatureError):
            continue
    return None


def _by_language(cells: Cells, specs: Mapping[str, Spec]) -> dict[str, str]:
    found = {language: text(cells, spec, "") for language, spec in specs.items()}
    return {language: code for language, code in found.items() if code.strip()}


def _starter(row: Row, columns: ColumnMap) -> dict[str, str]:
    """Return the starter code of a row that is about one language."""
    said = columns.solution
    if "starter" not in said or "list" in said:
        return {}
    return {text(row, said["language"]): text(row, said["starter"])}


def _attempts(row: Row, columns: ColumnMap) -> Iterator[Attempt]:
    for language, spec in columns.solutions.items():
        yield from (Attempt(language, code) for code in texts(row, spec))
    said = columns.solution
    if not said:
        return
    place = find(row, said.get("list"))
    for cells in place.cells.rows(place.name) if "list" in said else [row]:
        verdict = text(cells, said.get("verdict"), "")
        expected = expectation(verdict) if "verdict" in said else Expectation.ACCEPTED
        extra = {name: cells.raw(name) for name in said.get("extra", ()) if name in cells}
        language = text(cells, said["language"])
        code = text(cells, said.get("code_in", {}).get(language, said["code"]))
        yield Attempt(language, code, expected, extra)


def _asserted(row: Row, columns: ColumnMap, languages: Mapping[str, Language]) -> Tests:
    """Return the tests that assertions say; only Python's are read."""
    said = columns.solution
    language = text(row, said["language"]) if "language" in said and "list" not in said else "python"
    try:
        known = find_language(language, languages).id
    except LanguageError:
        known = ""
    if known != "python":
        return Tests([], {})
    found = read_asserts(text(row, columns.tests["asserts"], ""))
    return Tests(given_tests(found.pairs), _by_kind(found.skipped))


def _by_kind(reasons: Mapping[str, int]) -> Counter[str]:
    """Return how many there are of each kind of reason: what stands before the colon."""
    counted: Counter[str] = Counter()
    for reason, count in reasons.items():
        counted[reason.split(":")[0]] += count
    return counted


def _tests(row: Row, columns: ColumnMap, function: Function | None) -> Tests:
    """Return the tests, and how many are left out because of their output or because they cannot be read."""
    said = columns.tests
    if "list" in said:
        place = find(row, said["list"])
        cases = place.cells.rows(place.name)
        pairs = list(read_pairs(cases, said.get("input", "input"), said.get("output", "output")))
    else:
        pairs = list(_parallel(row, said))
    kept: list[tuple[str, str | None]] = []
    skipped: Counter[str] = Counter()
    for pair in pairs:
        try:
            kept.append(_read_pair(pair, said, function))
        except ValueError as error:
            skipped[str(error)] += 1
    return Tests(given_tests(kept), _by_kind(skipped))


def _read_pair(
    pair: tuple[str, str | None], said: Mapping[str, str], function: Function | None
) -> tuple[str, str | None]:
    stdin, stdout = pair
    pattern = said.get("skip_output")
    if pattern and re.search(pattern, stdout or ""):
        raise ValueError(f"the output matches {pattern}")
    if said.get("format", "text") == "text":
        return pair
    return call_input(stdin, function), None if stdout is None else call_output(stdout, function)


def _parallel(row: Row, said: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    places = [find(row, said.get(side)) for side in ("inputs", "outputs")]
    stdins, stdouts = (place.cells.texts(place.name) for place in places)
    if len(stdins) != len(stdouts):
        names = [place.name for place in places]
        raise ValueError(f"{names[0]} has {len(stdins)} and {names[1]} {len(stdouts)} texts")
    return zip(stdins, stdouts, strict=True)
