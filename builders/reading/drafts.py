"""From what a source says to records.

Languages are found by name, and equal programs and tests become one.

A source's own module maps columns to a `Draft` and does nothing else. Test cases come as tables
have them: ``{"inputs": […], "outputs": […]}``, or a list of ``{"input": …, "output": …}``.
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
from venus_toolkit.core.formatting import counted
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
    """Return a solution as a source has it: the language by whatever name it has there.

    Where it is empty, `finish` makes an id, source and licence are the problem's, and the origin is
    the row.
    """
    return Solution(solution_id, "", language, code, expected, source, license, extra, origin)


class Draft(NamedTuple):
    """A problem with what was tried on it, its tests, and what of it is rejected."""

    problem: Problem
    attempts: Sequence[Solution] = ()
    tests: Sequence[TestCase] = ()
    rejected: Sequence[Rejected] = ()


def new_problem(slug: str, statement: str, **fields: Any) -> Problem:
    """Return a problem; what `fields` do not say has the value of one that says nothing.

    Blank starter code is none.
    """
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
    """Return a decorator: it makes the source of a table from a function that makes a draft of a row.

    `key` is as for `read_rows`, and `merge` is the column that the rows of one problem have in
    common. A draft without a licence has that of the source.
    """

    def decorate(draft: Callable[[TableRow], Draft]) -> Reader:
        def licensed(row: TableRow) -> Draft:
            drafted = draft(row)
            if drafted.problem.license != "unknown":
                return drafted
            problem = dataclasses.replace(drafted.problem, license=license)
            return drafted._replace(problem=problem)

        @source(location=location, license=license)
        @wraps(draft)
        def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
            together = (lambda row: row.values.get(merge)) if merge else None
            return read_rows(read_table(location), languages, licensed, key=key, merge=together)

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
    """Yield what the rows become.

    Columns that `draft` has no use for stay in the problem's ``extra``.

    A row at which `draft` raises a ValueError is rejected, by the name in its column `key`, or by
    its place in the table. Rows for which `merge` says the same, wherever in the table they are,
    are one problem.
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
    """Yield what groups of rows become, each one problem; otherwise as `read_rows`."""
    for group in groups:
        drafts = []
        for row in group:
            if isinstance(row, Rejected):
                yield row
                continue
            try:
                said = draft(row)
                rest = row.rest()  # only now: it is what `draft` did not ask for
            except (ValueError, RecursionError) as error:
                # What a row is called by may be anything, a whole statement too.
                yield Rejected(str(row.values.get(key) or row.where)[:200], str(error))
                continue
            problem = dataclasses.replace(said.problem, extra={**rest, **said.problem.extra})
            attempts = [
                each if each.origin else dataclasses.replace(each, origin=row.where)
                for each in said.attempts
            ]
            drafts.append(said._replace(problem=problem, attempts=attempts))
        if drafts:
            yield from finish(drafts[0] if len(drafts) == 1 else _combined(drafts), languages)


def _combined(drafts: Sequence[Draft]) -> Draft:
    """Join what the rows of one problem say.

    Where they differ on the problem itself, the first is right.
    """
    problems = [draft.problem for draft in drafts]
    joined: dict[str, Any] = {
        # In a ChainMap the first map wins, as the first row does elsewhere.
        name: dict(ChainMap(*(dict(getattr(each, name)) for each in problems)))
        for name in ("starter_code", "runners", "extra")
    }
    return Draft(
        dataclasses.replace(problems[0], **joined),
        [each for draft in drafts for each in draft.attempts],
        without_repeats(test for draft in drafts for test in draft.tests),
        [item for draft in drafts for item in draft.rejected],
    )


def finish(draft: Draft, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield what of a draft is rejected, then the entry."""
    problem = _with_known_languages(draft.problem, languages)
    yield from draft.rejected
    found = {name: _find(name, languages) for name in {each.language for each in draft.attempts}}
    kept: dict[tuple[str, str], Solution] = {}
    lost: Counter[tuple[str, str]] = Counter()
    for each in draft.attempts:
        language = found[each.language]
        if not isinstance(language, LanguageError):
            each = dataclasses.replace(each, code=unfenced(each.code, language))
        if isinstance(language, LanguageError):
            lost[each.language, language.what] += 1
        elif not each.code.strip():
            lost[language.id, "there is no code"] += 1
        else:
            first = kept.setdefault((language.id, each.code), each)
            if first is not each:
                # Of a program that is said to be right and wrong, nothing is known.
                expected = (
                    first.expected if first.expected == each.expected else Expectation.UNKNOWN
                )
                extra = {**each.extra, **first.extra}
                kept[language.id, each.code] = dataclasses.replace(
                    first, expected=expected, extra=extra
                )
    for (name, reason), count in lost.items():
        yield Rejected(f"{problem.slug}/{name}", f"{reason}: {counted(count, 'solutions')}")
    solutions: list[Solution] = []
    seen: set[str] = set()
    for (language_id, code), each in kept.items():
        made = f"{problem.slug}/{language_id}/{short_hash(code)}"
        # An id that a source gave twice is made again for the second.
        solution_id = made if each.solution_id in seen else each.solution_id or made
        seen.add(solution_id)
        solution = dataclasses.replace(
            each,
            solution_id=solution_id,
            slug=problem.slug,
            language=language_id,
            source=each.source or problem.source,
            license=each.license or problem.license,
        )
        solutions.append(solution)
    yield Entry(problem, tuple(solutions), tuple(draft.tests))


def unfenced(code: str, language: Language) -> str:
    """Return the program of a cell.

    Tables copied from answers of models have it in a Markdown block, amid prose.
    """
    if not has_fence(code):
        return code
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        if language.id == "python" and ast.parse(code):
            return code  # the fence is in a text of the program
    return read_answer(code, language).code or code


def _find(name: str, languages: Mapping[str, Language]) -> Language | LanguageError:
    try:
        return find_language(name, languages)
    except LanguageError as error:
        return error


def _with_known_languages(problem: Problem, languages: Mapping[str, Language]) -> Problem:
    """File starter code and runners by the ids of languages.

    Those of languages we do not have stay in extra.
    """
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
    return dataclasses.replace(
        problem, starter_code=known["starter_code"], runners=known["runners"], extra=extra
    )


def given_tests(pairs: Iterable[tuple[str, str | None]], name: str = "given") -> list[TestCase]:
    """Return tests that came with a problem, in their order; of equal ones only the first."""
    return [
        TestCase(f"{name}-{number:04d}", stdin, stdout, kind="given")
        for number, (stdin, stdout) in enumerate(dict.fromkeys(pairs))
    ]


def read_pairs(
    rows: Iterable[Cells], stdin: str = "input", stdout: str = "output"
) -> Iterator[tuple[str, str | None]]:
    """Yield the input and output of each case.

    What is not text is written as JSON, a missing output is None.

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
    """Return the tests of some groups, called by the names of the groups; each test once.

    See `read_pairs`.
    """
    read = (given_tests(read_pairs(rows, stdin, stdout), name) for name, rows in groups.items())
    return without_repeats(test for tests in read for test in tests)


def without_repeats(tests: Iterable[TestCase]) -> list[TestCase]:
    """Return tests of several groups.

    One that is in two of them stays in the first, and no two have one id.
    """
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
    """The tests that a source has of a problem.

    Attributes:
        tests: In their order; of equal ones only the first.
        style: ``stdin``, or ``function`` where they call one.
        entry_point: The name of that function; empty where it is not known.
        skipped: How many tests are left out for which reason.
    """

    tests: list[TestCase]
    style: str = "stdin"
    entry_point: str = ""
    skipped: Mapping[str, int] = MappingProxyType({})

    @property
    def facts(self) -> dict[str, str]:
        """What the problem's ``extra`` says of them."""
        return {"entry_point": self.entry_point} if self.entry_point else {}


def read_test_cases(cells: Cells, column: str, function: Function | None = None) -> SourceTests:
    """Return the tests of a column in any of the forms that tables for reinforcement learning have.

    Each form may be JSON text. What a function is called with is written as one argument a line,
    each as JSON::

        {"inputs": […], "outputs": […], "fn_name"?: …}
        [{"input": …, "output": …, "type" or "testtype"?: …, "fn_name"?: …}, …]

    `function` is as in `calls`.

    Raises:
        ValueError: It is none of these.
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
    # Kinds of a test whose input is the list of the arguments, or has one a line as JSON
    call_kinds, json_lines = {"function_call", "call_based", "fn_call"}, "functional"
    if not names and not kinds & {*call_kinds, json_lines}:
        return SourceTests(given_tests(read_pairs(rows)))
    entry_point = names.pop() if names else ""
    if json_lines in kinds:
        return SourceTests(given_tests(read_pairs(rows)), "function", entry_point)

    def value(row: Cells, side: str) -> Any:
        """Return a side of a test, parsed where it is JSON; other text is a value itself."""
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

    Some tables put each result into a list of its own. They are taken out where all results are
    such lists and the function, as it is declared, returns what is in them. Where it is not known,
    two results or more have to agree.

    Raises:
        ValueError: An input is no list.
    """
    for index, case in enumerate(inputs):
        if not isinstance(case, list):
            raise ValueError(f"{where}[{index}] must be a list of arguments, found {show(case)}")
    unwrapped = [case[0] for case in outputs if isinstance(case, list) and len(case) == 1]
    if function is None:
        wrapped = len(unwrapped) == len(outputs) > 1
    else:
        wanted = result_type(function)
        as_given, inside = (
            all(valid(each, wanted) for each in some) for some in (outputs, unwrapped)
        )
        wrapped = len(unwrapped) == len(outputs) and inside and not as_given
    if wrapped:
        outputs = unwrapped
    stdins = ["".join(json_text(argument) + "\n" for argument in case) for case in inputs]
    return given_tests(zip(stdins, (json_text(case) + "\n" for case in outputs), strict=True))


def read_cases(cells: Cells, function: Function | None = None) -> SourceTests:
    """Return the tests of a column ``{"inputs": […], "outputs": […], "fn_name"?: …}``.

    `function` as in `calls`.

    On standard input a case is text or a list of lines. A call has one argument a line, each as
    JSON.

    Raises:
        ValueError: There are not as many outputs as inputs, or a case is something else.
    """
    name = cells.text("fn_name", "")
    inputs, outputs = (cells.structure(side) or [] for side in ("inputs", "outputs"))
    if not (isinstance(inputs, list) and isinstance(outputs, list) and len(inputs) == len(outputs)):
        found = f"{show(inputs)} and {show(outputs)}"
        raise ValueError(
            f"{cells.path}inputs and outputs must be lists of one length, found {found}"
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
