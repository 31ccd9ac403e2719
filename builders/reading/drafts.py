"""Turns the rows of a source into records.

Resolves the names of languages, and merges equal programs and equal tests.

The module of a source maps columns to a `Draft` and does nothing else. Test cases have the forms
of published tables: ``{"inputs": […], "outputs": […]}``, or a list of
``{"input": …, "output": …}``.
"""

from __future__ import annotations

import ast
import dataclasses
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.cells import (
    Cells,
    TableRow,
    as_text,
    json_text,
    parse_json,
    show,
)
from venus_toolkit.builders.reading.tables import gather, read_table
from venus_toolkit.builders.reading.values import short_hash, stable_id
from venus_toolkit.builders.sources import Entry, Reader, Rejected, source
from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.records import (
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)
from venus_toolkit.models.answers import read_answer
from venus_toolkit.models.markdown import has_fence
from venus_toolkit.signatures import Function, result_type, valid


def attempt(
    language: str,
    code: str,
    expected: Expectation = Expectation.ACCEPTED,
    extra: Mapping[str, Any] = {},
    *,
    solution_id: str = "",
    source: str = "",
    license: str = "",
    origin: str = "",
) -> Solution:
    """Return a solution; `language` is the source's name for it.

    `finish` fills empty fields: it makes an id, and takes source and licence from the problem.
    `read_groups` replaces an empty origin by the place of the row.
    """
    return Solution(solution_id, "", language, code, expected, source, license, extra, origin)


class Draft(NamedTuple):
    """A problem with its solutions, right or wrong, its tests, and the rejected parts."""

    problem: Problem
    attempts: Sequence[Solution] = ()
    tests: Sequence[TestCase] = ()
    rejected: Sequence[Rejected] = ()


def new_problem(slug: str, statement: str, **fields: Any) -> Problem:
    """Return a problem; missing `fields` have neutral defaults, blank starter code is dropped."""
    defaults = {
        "title": slug,
        "problem_id": stable_id(slug),
        "difficulty": "Unknown",
        "tags": (),
        "style": "stdin",
        "license": "unknown",
        "limits": Limits(),
        "comparison": OutputComparison(),
    }
    starter_code = {
        name: code for name, code in fields.pop("starter_code", {}).items() if code.strip()
    }
    return Problem(
        slug=slug, statement=statement, starter_code=starter_code, **{**defaults, **fields}
    )


def table_source(
    *, key: str, location: str, license: str = "unknown", merge: str = ""
) -> Callable[[Callable[[TableRow], Draft]], Reader]:
    """Return a decorator that turns a function from a row to a draft into a source.

    `key` is as for `read_rows`; rows with the same value in the column `merge` are one problem. A
    draft without a licence gets the source's.
    """

    def decorate(draft: Callable[[TableRow], Draft]) -> Reader:
        def licensed(row: TableRow) -> Draft:
            row_draft = draft(row)
            if row_draft.problem.license != "unknown":
                return row_draft
            problem = dataclasses.replace(row_draft.problem, license=license)
            return row_draft._replace(problem=problem)

        @source(location=location, license=license)
        @wraps(draft)
        def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
            merge_key = (lambda row: row.values.get(merge)) if merge else None
            return read_rows(read_table(location), languages, licensed, key=key, merge=merge_key)

        return read

    return decorate


def read_rows(
    rows: Iterable[TableRow | Rejected],
    languages: Mapping[str, Language],
    draft: Callable[[TableRow], Draft],
    *,
    key: str = "",
    merge: Callable[[TableRow], object] | None = None,
) -> Iterator[Entry | Rejected]:
    """Yield the entries of the rows.

    Columns that `draft` does not read stay in the problem's ``extra``.

    If `draft` raises a ValueError, its row is rejected under the name in its column `key`, or its
    place in the table. Rows with the same `merge` key anywhere in the table are one problem.
    """
    yield from read_groups(
        gather(rows, merge) if merge else ([row] for row in rows), languages, draft, key=key
    )


def read_groups(
    groups: Iterable[Sequence[TableRow | Rejected]],
    languages: Mapping[str, Language],
    draft: Callable[[TableRow], Draft],
    *,
    key: str = "",
) -> Iterator[Entry | Rejected]:
    """Yield one entry for each group of rows; otherwise as `read_rows`."""
    for group in groups:
        drafts = []
        for row in group:
            if isinstance(row, Rejected):
                yield row
                continue
            try:
                row_draft = draft(row)
                rest = row.rest()  # after `draft`: the columns that it did not read
            except (ValueError, RecursionError) as error:
                # The key column may hold anything, even a whole statement.
                yield Rejected(str(row.values.get(key) or row.where)[:200], str(error))
                continue
            problem = dataclasses.replace(
                row_draft.problem, extra={**rest, **row_draft.problem.extra}
            )
            attempts = [
                solution if solution.origin else dataclasses.replace(solution, origin=row.where)
                for solution in row_draft.attempts
            ]
            drafts.append(row_draft._replace(problem=problem, attempts=attempts))
        if drafts:
            yield from finish(drafts[0] if len(drafts) == 1 else _merge_drafts(drafts), languages)


def _merge_drafts(drafts: Sequence[Draft]) -> Draft:
    """Merge the drafts of one problem; the first wins where they differ."""
    problems = [draft.problem for draft in drafts]
    joined: dict[str, Any] = {
        # In a ChainMap the first map wins.
        name: dict(ChainMap(*(dict(getattr(problem, name)) for problem in problems)))
        for name in ("starter_code", "runners", "extra")
    }
    return Draft(
        dataclasses.replace(problems[0], **joined),
        [solution for draft in drafts for solution in draft.attempts],
        without_repeats(test for draft in drafts for test in draft.tests),
        [item for draft in drafts for item in draft.rejected],
    )


def finish(draft: Draft, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the rejected parts of a draft, then its entry."""
    problem = _with_known_languages(draft.problem, languages)
    yield from draft.rejected
    languages_by_name = {
        name: _find_or_error(name, languages)
        for name in {solution.language for solution in draft.attempts}
    }
    solutions_by_code: dict[tuple[str, str], Solution] = {}
    lost: Counter[tuple[str, str]] = Counter()
    for solution in draft.attempts:
        language = languages_by_name[solution.language]
        if not isinstance(language, LanguageError):
            solution = dataclasses.replace(solution, code=unfenced(solution.code, language))
        if isinstance(language, LanguageError):
            lost[solution.language, language.what] += 1
        elif not solution.code.strip():
            lost[language.id, "there is no code"] += 1
        else:
            first = solutions_by_code.setdefault((language.id, solution.code), solution)
            if first is not solution:
                # A program labelled both right and wrong is unlabelled.
                expected = (
                    first.expected if first.expected == solution.expected else Expectation.UNKNOWN
                )
                extra = {**solution.extra, **first.extra}
                solutions_by_code[language.id, solution.code] = dataclasses.replace(
                    first, expected=expected, extra=extra
                )
    for (name, reason), count in lost.items():
        yield Rejected(f"{problem.slug}/{name}", f"{reason}: {count_with_noun(count, 'solutions')}")
    solutions: list[Solution] = []
    seen: set[str] = set()
    for (language_id, code), first in solutions_by_code.items():
        default_id = f"{problem.slug}/{language_id}/{short_hash(code)}"
        # The second use of a source's id gets a fresh one.
        solution_id = default_id if first.solution_id in seen else first.solution_id or default_id
        seen.add(solution_id)
        solution = dataclasses.replace(
            first,
            solution_id=solution_id,
            slug=problem.slug,
            language=language_id,
            source=first.source or problem.source,
            license=first.license or problem.license,
        )
        solutions.append(solution)
    yield Entry(problem, tuple(solutions), tuple(draft.tests))


def unfenced(code: str, language: Language) -> str:
    """Return the program in a cell, without the Markdown fences and prose of a model's answer."""
    if not has_fence(code):
        return code
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        if language.id == "python" and ast.parse(code):
            return code  # the fence is inside a string of the program
    return read_answer(code, language).code or code


def _find_or_error(name: str, languages: Mapping[str, Language]) -> Language | LanguageError:
    try:
        return find_language(name, languages)
    except LanguageError as error:
        return error


def _with_known_languages(problem: Problem, languages: Mapping[str, Language]) -> Problem:
    """Key starter code and runners by language id; those of unknown languages stay in extra."""
    known: dict[str, dict[str, str]] = {"starter_code": {}, "runners": {}}
    others: dict[str, dict[str, str]] = {}
    for part, texts in known.items():
        for name, text in getattr(problem, part).items():
            language = _find_or_error(name, languages)
            if isinstance(language, Language):
                texts[language.id] = text
            else:
                others.setdefault(part, {})[name] = text
    extra = {**problem.extra, **others}
    return dataclasses.replace(
        problem, starter_code=known["starter_code"], runners=known["runners"], extra=extra
    )


def given_tests(pairs: Iterable[tuple[str, str | None]], name: str = "given") -> list[TestCase]:
    """Return the tests that came with a problem, in order and without repeats."""
    return [
        TestCase(f"{name}-{number:04d}", stdin, stdout, kind="given")
        for number, (stdin, stdout) in enumerate(dict.fromkeys(pairs))
    ]


def read_pairs(
    rows: Iterable[Cells], stdin: str = "input", stdout: str = "output"
) -> Iterator[tuple[str, str | None]]:
    """Yield the input and output of each case; values other than text become JSON.

    A missing output is None.

    Raises:
        ValueError: A case has no input.
    """

    def written(row: Cells, name: str) -> str:
        value = row.raw(name)
        # `Digits` are a subclass of text, but stand for a number.
        return as_text(value, row.path + name) if type(value) is str else json_text(value)

    for row in rows:
        if stdin not in row:
            raise ValueError(f"{row.path}{stdin} is missing")
        yield written(row, stdin), written(row, stdout) if stdout in row else None


def read_tests(
    groups: Mapping[str, Iterable[Cells]], stdin: str = "input", stdout: str = "output"
) -> list[TestCase]:
    """Return the tests of several groups without repeats; their ids begin with the group's name.

    See `read_pairs`.
    """
    by_group = (given_tests(read_pairs(rows, stdin, stdout), name) for name, rows in groups.items())
    return without_repeats(test for tests in by_group for test in tests)


def without_repeats(tests: Iterable[TestCase]) -> list[TestCase]:
    """Deduplicate tests by input and output, keeping the first, and make their ids unique."""
    first: dict[tuple[str, str | None], TestCase] = {}
    for test in tests:
        first.setdefault((test.stdin, test.stdout), test)
    seen: Counter[str] = Counter()
    for case, test in first.items():
        if seen[test.test_id]:
            first[case] = dataclasses.replace(test, test_id=f"{test.test_id}-{seen[test.test_id]}")
        seen[test.test_id] += 1
    return list(first.values())


class SourceTests(NamedTuple):
    """The tests of a problem in a source.

    Attributes:
        tests: In order, without repeats.
        style: ``stdin``, or ``function`` if the tests call one.
        entry_point: The name of that function; empty if unknown.
        skipped: The number of unreadable tests by reason.
    """

    tests: list[TestCase]
    style: str = "stdin"
    entry_point: str = ""
    skipped: Mapping[str, int] = MappingProxyType({})

    @property
    def facts(self) -> dict[str, str]:
        """The fields of the tests for the problem's ``extra``."""
        return {"entry_point": self.entry_point} if self.entry_point else {}


def read_test_cases(cells: Cells, column: str, function: Function | None = None) -> SourceTests:
    """Return the tests of a column in any form used by tables for reinforcement learning.

    Each form may be JSON text. The tests of a function have one argument a line, each as JSON::

        {"inputs": […], "outputs": […], "fn_name"?: …}
        [{"input": …, "output": …, "type" or "testtype"?: …, "fn_name"?: …}, …]

    `function` is as in `calls`.

    Raises:
        ValueError: The column has another form.
    """
    if isinstance(cells.structure(column), Mapping):
        return read_cases(cells.cells(column), function)
    rows = cells.rows(column)
    kinds = {row.text("type", "") or row.text("testtype", "") for row in rows}
    names = {
        row.text("fn_name", "") or row.cells("metadata").text("func_name", "") for row in rows
    } - {""}
    if len(names) > 1:
        raise ValueError(
            f"{cells.path}{column} has tests of several functions: {', '.join(sorted(names))}"
        )
    # Kinds of test whose input is a list of arguments, or one argument a line as JSON
    call_kinds, json_lines = {"function_call", "call_based", "fn_call"}, "functional"
    if not names and not kinds & {*call_kinds, json_lines}:
        return SourceTests(given_tests(read_pairs(rows)))
    entry_point = names.pop() if names else ""
    if json_lines in kinds:
        return SourceTests(given_tests(read_pairs(rows)), "function", entry_point)

    def value(row: Cells, side: str) -> Any:
        """Return a side of a test, parsed if it is JSON; other text is itself the value."""
        cell = row.raw(side)
        with suppress(ValueError):
            return parse_json(cell) if type(cell) is str else cell
        return cell

    inputs, outputs = ([value(row, side) for row in rows] for side in ("input", "output"))
    tests = calls(inputs, outputs, f"{cells.path}{column}", function)
    return SourceTests(tests, "function", entry_point)


def calls(
    inputs: Sequence[Any], outputs: Sequence[Any], where: str, function: Function | None
) -> list[TestCase]:
    """Return the tests of a function from lists of arguments and results.

    Some tables wrap each result in a list of one item. Results are unwrapped if all have this form
    and the declared result type fits the items and not the lists. If no declaration is known
    (`function` is None), two or more results, all of this form, are enough.

    Raises:
        ValueError: An input is not a list.
    """
    for index, case in enumerate(inputs):
        if not isinstance(case, list):
            raise ValueError(f"{where}[{index}] must be a list of arguments, found {show(case)}")
    unwrapped = [case[0] for case in outputs if isinstance(case, list) and len(case) == 1]
    if function is None:
        wrapped = len(unwrapped) == len(outputs) > 1
    else:
        returns = result_type(function)
        as_listed, inside = (
            all(valid(value, returns) for value in some) for some in (outputs, unwrapped)
        )
        wrapped = len(unwrapped) == len(outputs) and inside and not as_listed
    if wrapped:
        outputs = unwrapped
    stdins = ["".join(json_text(argument) + "\n" for argument in case) for case in inputs]
    return given_tests(zip(stdins, (json_text(case) + "\n" for case in outputs), strict=True))


def read_cases(cells: Cells, function: Function | None = None) -> SourceTests:
    """Return the tests of a column ``{"inputs": […], "outputs": […], "fn_name"?: …}``.

    `function` as in `calls`.

    A case for standard input is text or a list of lines. A call has one argument a line, each as
    JSON.

    Raises:
        ValueError: The numbers of inputs and outputs differ, or a case has another form.
    """
    name = cells.text("fn_name", "")
    inputs, outputs = (cells.structure(side) or [] for side in ("inputs", "outputs"))
    if not (isinstance(inputs, list) and isinstance(outputs, list) and len(inputs) == len(outputs)):
        shapes = f"{show(inputs)} and {show(outputs)}"
        raise ValueError(
            f"{cells.path}inputs and outputs must be lists of one length, found {shapes}"
        )
    if not name:

        def lines(case: Any, where: str) -> str:
            if isinstance(case, list):
                return "".join(
                    as_text(line, f"{where}[{index}]") + "\n" for index, line in enumerate(case)
                )
            return as_text(case, where)

        stdins, stdouts = (
            [lines(case, f"{cells.path}{side}[{index}]") for index, case in enumerate(cases)]
            for side, cases in (("inputs", inputs), ("outputs", outputs))
        )
        return SourceTests(given_tests(zip(stdins, stdouts, strict=True)))
    tests = calls(inputs, outputs, f"{cells.path}inputs", function)
    return SourceTests(tests, "function", name)
