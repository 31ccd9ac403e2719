"""Function-style problems: from starter code in any language to runners in all, and how results are compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.sources import Entry
from venus_toolkit.errors import LanguageError, SignatureError
from venus_toolkit.language import Language
from venus_toolkit.records import Comparison, Problem, TestCase
from venus_toolkit.signatures import (
    Function,
    Kind,
    Sample,
    Signature,
    Type,
    combined,
    evaluator_for,
    order_freedom,
    parse_signature,
    refined,
    starter_code,
    widened,
)
from venus_toolkit.signatures.runner import camel, lines_of_case, pascal, render_runner, result_type, snake
from venus_toolkit.signatures.values import Value, valid

TOLERANCE = 1e-5  # absolute and relative: what the sites that these problems come from promise
SAMPLES = 1000
DECLARED = re.compile(r"\b(?:def|function|const|let|var|func|fn)\s+(\w+)")  # after a word of the language


class Completed(NamedTuple):
    """A problem with the runners, the starter code and the evaluator that could be made; why a language has none.

    The entry's given outputs are written as these runners write them. typed is Python starter code with all types, for
    those who make inputs; empty where there is none. unfit says by test id why given tests are left out: a value is not
    of its type, which no runner reads and no other language can return.
    """

    entry: Entry
    lacking: Mapping[str, str]
    typed: str = ""
    unfit: Mapping[str, str] = {}


def complete(entry: Entry, languages: Mapping[str, Language]) -> Completed:
    """Return a function-style problem with all that its signature gives; what the problem has of its own stays.

    Args:
        entry: Starter code in any language says what the signature is; given tests, one JSON value a line, tell whole
            numbers from fractions.
        languages: In which runners are wanted.
    """
    problem, tests = entry.problem, entry.tests
    wanted = {name: each for name, each in languages.items() if name not in problem.runners}
    if problem.style != "function" or not wanted:
        return Completed(entry, {})
    try:
        signature, own, called = _signatures(problem, tests, languages)
    except SignatureError as error:
        return Completed(entry, dict.fromkeys(wanted, str(error)))
    runners, starters, lacking = dict(problem.runners), dict(problem.starter_code), {}
    for name, language in wanted.items():
        mine = own.get(name, signature)
        try:
            runners[name] = render_runner(mine, language, called.get(name, ""))
            starters.setdefault(name, starter_code(mine, language))
        except (SignatureError, LanguageError) as error:
            lacking[name] = str(error)
    unfit: dict[str, str] = {}
    if not problem.runners:  # nobody else's way of writing results is in use
        unfit = {test.test_id: why for test in tests if (why := _unfit(test, signature))}
        tests = tuple(replace(t, stdout=_as_runners_write(t.stdout)) for t in tests if t.test_id not in unfit)
    problem = _compared(replace(problem, runners=runners, starter_code=starters), signature)
    typed = starter_code(signature, languages["python"]) if "python" in languages else ""
    return Completed(entry._replace(problem=problem, tests=tests), lacking, typed, unfit)


def _unfit(test: TestCase, signature: Signature) -> str:
    """Return why a test does not have the types of a signature; empty where it has, or where that is hard to say."""
    sample = _sample(test, signature)
    if signature.design or sample is None:
        return ""
    (function,) = signature.functions
    for parameter, value in zip(function.parameters, sample.arguments, strict=True):
        if not valid(_trimmed(value, parameter.type), parameter.type):
            return f"the argument {parameter.name} is not of the type {parameter.type}"
    wanted = result_type(function)
    fits = not test.stdout or valid(_trimmed(sample.result, wanted), wanted)
    return "" if fits else f"the result is not of the type {wanted}"


def _trimmed(value: Value, wanted: Type) -> Value:
    """Return a tree without the nulls at its end, which runners do not mind."""
    while wanted.kind in (Kind.TREE, Kind.NARY_TREE) and isinstance(value, list) and value and value[-1] is None:
        value = value[:-1]
    return value


def _as_runners_write(stdout: str | None) -> str | None:
    """Return JSON without spaces and with text as UTF-8; what is no JSON stays."""
    try:
        value = json.loads(stdout) if stdout else None
    except (ValueError, RecursionError):
        return stdout
    return stdout and json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


class _Signatures(NamedTuple):
    """The most exact signature, and that of each language with starter code: its own names, the exact types.

    called is the function's name by language, where starter code says it.
    """

    exact: Signature
    own: Mapping[str, Signature]
    called: Mapping[str, str]


def _signatures(problem: Problem, tests: Sequence[TestCase], languages: Mapping[str, Language]) -> _Signatures:
    read, errors = {}, []
    for name in sorted(set(problem.starter_code) & set(languages)):
        try:
            read[name] = parse_signature(
                problem.starter_code[name], languages[name], problem.extra.get("entry_point", "")
            )
        except SignatureError as error:
            errors.append(error)
    if not read:
        raise (
            errors[0]
            if errors
            else SignatureError("there is no starter code", "no language has any", "see docs/problems.md")
        )
    own = _of_one_function(read)
    found = widened(combined(list(own.values())), problem.statement)
    found = refined(found, _samples(found, tests))
    showing = [name for name in problem.starter_code if name in own or name not in read]
    called = {name: _name_in(problem.starter_code[name], own.get(name, found)) for name in showing}
    return _Signatures(found, {name: _with_types(mine, found) for name, mine in own.items()}, called)


def _of_one_function(read: Mapping[str, Signature]) -> dict[str, Signature]:
    """Return the signatures without those of another function, where they disagree: a helper that is shown instead."""
    try:
        combined(list(read.values()))
    except SignatureError:
        names = {name: snake(signature.functions[0].name).replace("_", "") for name, signature in read.items()}
        ((most, count),) = Counter(names.values()).most_common(1)
        if 2 * count > len(read):
            return {name: signature for name, signature in read.items() if names[name] == most}
    return dict(read)


def _name_in(starter: str, signature: Signature) -> str:
    """Return what starter code calls the only function of a signature; empty where there is none or several."""
    if signature.design:
        return ""
    name = signature.functions[0].name
    spellings = (name, camel(name), snake(name), pascal(camel(name)))
    declared = DECLARED.findall(starter)
    called = declared or re.findall(r"\b(\w+)\s*\(", starter)
    return next((each for each in spellings if each in called), (declared or [""])[-1])


def _samples(signature: Signature, tests: Iterable[TestCase]) -> Iterator[Sample]:
    for test, _ in zip(tests, range(SAMPLES), strict=False):
        sample = _sample(test, signature)
        if sample:
            yield sample


def _sample(test: TestCase, signature: Signature) -> Sample | None:
    try:
        values = [json.loads(line) for line in test.stdin.split("\n") if line.strip()]
        result = json.loads(test.stdout) if test.stdout else None
    except (ValueError, RecursionError):
        return None
    return Sample(values, result) if len(values) == lines_of_case(signature) else None


def _with_types(mine: Signature, exact: Signature) -> Signature:
    functions = tuple(_function(*pair) for pair in zip(mine.functions, exact.functions, strict=True))
    constructor = tuple(replace(a, type=b.type) for a, b in zip(mine.constructor, exact.constructor, strict=True))
    return replace(mine, functions=functions, constructor=constructor)


def _function(mine: Function, exact: Function) -> Function:
    pairs = zip(mine.parameters, exact.parameters, strict=True)
    parameters = tuple(replace(parameter, type=other.type) for parameter, other in pairs)
    return replace(mine, parameters=parameters, returns=exact.returns)


# ------------------------------------------------------------------ comparing results


def _compared(problem: Problem, signature: Signature) -> Problem:
    """Return the problem with an evaluator where the order of its results is free, or where they hold fractions."""
    if problem.comparison.kind != "exact":
        return problem
    results = [result_type(function) for function in signature.functions]
    level = 0 if signature.design else order_freedom(problem.statement, results[0]) or 0
    tolerance = TOLERANCE if any(_holds_fractions(each) for each in results) else 0.0
    if not level and not tolerance:
        return problem
    evaluator = evaluator_for(level, tolerance, tolerance)
    return replace(problem, evaluator=evaluator, comparison=Comparison("evaluator"))


def _holds_fractions(wanted: Type) -> bool:
    return wanted.kind == Kind.FLOAT or (wanted.element is not None and _holds_fractions(wanted.element))
