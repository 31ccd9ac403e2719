"""From what a source says to records: languages found, duplicates collapsed, nothing there twice.

A source's own module maps columns to a `Draft` and does nothing else.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.cases import without_repeats
from venus_toolkit.builders.reading.cells import Row
from venus_toolkit.builders.reading.spool import gather
from venus_toolkit.builders.reading.values import short_hash, stable_id
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.errors import LanguageError
from venus_toolkit.language import Language, find_language
from venus_toolkit.records import Comparison, Expectation, Limits, Problem, Solution, TestCase


@dataclass(frozen=True, slots=True)
class Attempt:
    """A solution as a source has it: the language by whatever name it has there.

    What is empty of the last three is the problem's, and an id is made.
    """

    language: str
    code: str
    expected: Expectation = Expectation.ACCEPTED
    extra: Mapping[str, Any] = field(default_factory=dict)
    solution_id: str = ""
    source: str = ""
    license: str = ""


class Draft(NamedTuple):
    """A problem with what was tried on it, its tests, and what of it is set aside."""

    problem: Problem
    attempts: Sequence[Attempt] = ()
    tests: Sequence[TestCase] = ()
    aside: Sequence[SetAside] = ()


def new_problem(slug: str, statement: str, **fields: Any) -> Problem:
    """Return a problem; what `fields` do not say has the value of one that says nothing."""
    defaults = {
        "title": slug,
        "problem_id": stable_id(slug),
        "difficulty": "Unknown",
        "tags": (),
        "style": "stdin",
        "license": "unknown",
        "limits": Limits(),
        "comparison": Comparison(),
    }
    return Problem(slug=slug, statement=statement, **{**defaults, **fields})


# ------------------------------------------------------------------ from rows to entries


def read_rows(
    rows: Iterable[Row | SetAside],
    languages: Mapping[str, Language],
    draft: Callable[[Row], Draft],
    *,
    key: str = "",
    merge: Callable[[Row], object] | None = None,
) -> Iterator[Entry | SetAside]:
    """Yield what the rows become.

    Args:
        rows: The rows of a table.
        languages: All languages by id.
        draft: What one row says; a ValueError of it sets the row aside.
        key: The column that a row is called by; its place in the table where this is missing.
        merge: What rows of the same problem have in common, wherever in the table they are; None: a row is a problem.
    """
    groups = gather(rows, merge) if merge else ([row] for row in rows)
    return distinct(item for group in groups for item in _group(group, languages, draft, key))


def _group(
    group: Sequence[Row | SetAside], languages: Mapping[str, Language], draft: Callable[[Row], Draft], key: str
) -> Iterator[Entry | SetAside]:
    drafts = []
    for row in group:
        if isinstance(row, SetAside):
            yield row
            continue
        try:
            drafts.append(_with_rest(draft(row), row))
        except ValueError as error:
            yield SetAside(str(row.values.get(key) or row.where)[:200], str(error))
    if drafts:
        yield from finish(_combined(drafts), languages)


def _with_rest(draft: Draft, row: Row) -> Draft:
    """Keep the columns that the source's module has no use for."""
    problem = draft.problem
    return draft._replace(problem=dataclasses.replace(problem, extra={**row.rest(), **problem.extra}))


def _combined(drafts: Sequence[Draft]) -> Draft:
    """Join what the rows of one problem say; where they differ on the problem itself, the first is right."""
    if len(drafts) == 1:
        return drafts[0]
    problems = [draft.problem for draft in drafts]
    merged = dataclasses.replace(
        problems[0],
        starter_code=_joined(problem.starter_code for problem in problems),
        runners=_joined(problem.runners for problem in problems),
        extra=_joined(problem.extra for problem in problems),
    )
    return Draft(
        merged,
        [attempt for draft in drafts for attempt in draft.attempts],
        without_repeats(test for draft in drafts for test in draft.tests),
        [item for draft in drafts for item in draft.aside],
    )


def _joined(maps: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all keys; where two have the same, the first has the value."""
    return {key: value for one in reversed(list(maps)) for key, value in one.items()}


def finish(draft: Draft, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield what of a draft is set aside, then the entry."""
    problem = _with_known_languages(draft.problem, languages)
    yield from draft.aside
    found = {name: _find(name, languages) for name in {attempt.language for attempt in draft.attempts}}
    kept: dict[tuple[str, str], Attempt] = {}
    lost: Counter[tuple[str, str]] = Counter()
    for attempt in draft.attempts:
        language = found[attempt.language]
        if isinstance(language, LanguageError):
            lost[attempt.language, language.what] += 1
        elif not attempt.code.strip():
            lost[language.id, "there is no code"] += 1
        else:
            key = (language.id, attempt.code)
            kept[key] = _same(kept[key], attempt) if key in kept else attempt
    for (name, reason), count in lost.items():
        yield SetAside(f"{problem.slug}/{name}", f"{reason}: {count} solutions")
    solutions = [_solution(problem, language_id, attempt) for (language_id, _), attempt in kept.items()]
    yield Entry(problem, tuple(_named(solutions)), tuple(draft.tests))


def _find(name: str, languages: Mapping[str, Language]) -> Language | LanguageError:
    try:
        return find_language(name, languages)
    except LanguageError as error:
        return error


def _with_known_languages(problem: Problem, languages: Mapping[str, Language]) -> Problem:
    """File starter code and runners by the ids of languages; those of languages we do not have stay in extra."""
    if not (problem.starter_code or problem.runners):
        return problem
    known: dict[str, dict[str, str]] = {"starter_code": {}, "runners": {}}
    others: dict[str, dict[str, str]] = {}
    for part, texts in known.items():
        for name, text in getattr(problem, part).items():
            language = _find(name, languages)
            if isinstance(language, Language):
                texts[language.id] = text
            else:
                others.setdefault(part, {})[name] = text
    extra = {**problem.extra, **others}
    return dataclasses.replace(problem, starter_code=known["starter_code"], runners=known["runners"], extra=extra)


def _same(first: Attempt, second: Attempt) -> Attempt:
    """Make one of two equal programs; of one that is said to be right and wrong, nothing is known."""
    expected = first.expected if first.expected == second.expected else Expectation.UNKNOWN
    return dataclasses.replace(first, expected=expected, extra={**second.extra, **first.extra})


def _named(solutions: Iterable[Solution]) -> Iterator[Solution]:
    """Yield solutions; an id that a source gave twice is made again for the second."""
    seen: set[str] = set()
    for solution in solutions:
        if solution.solution_id in seen:
            name = f"{solution.slug}/{solution.language}/{short_hash(solution.code)}"
            solution = dataclasses.replace(solution, solution_id=name)
        seen.add(solution.solution_id)
        yield solution


def _solution(problem: Problem, language: str, attempt: Attempt) -> Solution:
    return Solution(
        solution_id=attempt.solution_id or f"{problem.slug}/{language}/{short_hash(attempt.code)}",
        slug=problem.slug,
        language=language,
        code=attempt.code,
        expected=attempt.expected,
        source=attempt.source or problem.source,
        license=attempt.license or problem.license,
        extra=attempt.extra,
    )


def distinct(items: Iterable[Entry | SetAside]) -> Iterator[Entry | SetAside]:
    """Yield everything; of two problems with the same slug or id, the second is set aside and names the first."""
    slugs: dict[str, int] = {}
    ids: dict[int, str] = {}
    for item in items:
        if isinstance(item, SetAside):
            yield item
            continue
        slug, number = item.problem.slug, item.problem.problem_id
        if slug in slugs:
            yield SetAside(slug, f"a problem before it has the same slug: the one with the id {slugs[slug]}")
        elif number in ids:
            yield SetAside(slug, f"a problem before it has the same id: {ids[number]} has {number}")
        else:
            slugs[slug], ids[number] = number, slug
            yield item
