"""Function-style problems: from starter code in any language to runners in all, and how results are compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit import signatures
from venus_toolkit.builders.function_examples import (
    Example,
    completed_input,
    drawn_at_random,
    example_tests,
    examples_of,
    only_a_round_trip,
    with_parts,
)
from venus_toolkit.builders.inputs.answers import compared
from venus_toolkit.builders.sources import Entry
from venus_toolkit.core.errors import LanguageError, SignatureError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Problem, TestCase, json_lines
from venus_toolkit.signatures import (
    Disagreement,
    ExampleCall,
    Kind,
    Parameter,
    Signature,
    Type,
    Value,
)


class FunctionProblem(NamedTuple):
    """A problem with the runners, the starter code and the evaluator that could be made.

    missing says why a language has none.

    The entry's given outputs are written as these runners write them. typed is Python starter code
    with all types, for those who make inputs; empty where there is none. unfit says by test id why
    given tests are left out: a value is not of its type, which no runner reads and no other
    language can return. refused says why the problem is not to be published at all; empty as a
    rule. signature is what the runners are made for.
    """

    entry: Entry
    missing: Mapping[str, str]
    typed: str = ""
    unfit: Mapping[str, str] = {}
    refused: str = ""
    signature: Signature | None = None


def complete(entry: Entry, languages: Mapping[str, Language]) -> FunctionProblem:
    """Return a function-style problem with all that its signature gives.

    What the problem has of its own stays.

    Args:
        entry: Starter code in any language says what the signature is; given tests, one JSON value
            a line, tell whole numbers from fractions.
        languages: In which runners are wanted.
    """
    problem, tests = entry.problem, entry.tests
    wanted = {name: each for name, each in languages.items() if name not in problem.runners}
    if problem.style != "function" or not wanted:
        return FunctionProblem(entry._replace(problem=compared(problem)), {})
    shown = examples_of(problem.statement)
    try:
        signature, own, called = _signatures(problem, tests, shown, languages)
    except SignatureError as error:
        # What languages disagree on, their solutions would disagree on as well.
        refused = str(error) if isinstance(error, Disagreement) else ""
        entry = entry._replace(problem=compared(problem))
        return FunctionProblem(entry, dict.fromkeys(wanted, str(error)), refused=refused)
    runners, starters, missing = dict(problem.runners), dict(problem.starter_code), {}
    for name, language in wanted.items():
        mine = own.get(name, signature)
        try:
            runners[name] = signatures.render_runner(mine, language, called.get(name, ""))
            starters.setdefault(name, signatures.starter_code(mine, language))
        except (SignatureError, LanguageError) as error:
            missing[name] = str(error)
    unfit: dict[str, str] = {}
    if not problem.runners:  # nobody else's way of writing results is in use
        tests = tuple(_as_read(test, signature) for test in tests)
        unfit = {test.test_id: why for test in tests if (why := _unfit(test, signature))}
        tests = tuple(
            replace(t, stdout=_as_runners_write(t.stdout)) for t in tests if t.test_id not in unfit
        )
        if not problem.generator:
            # Examples whose inputs, as values, no test has.
            seen = [_values(test.stdin) for test in tests]
            for test in example_tests(shown, signature):
                if (values := _values(test.stdin)) not in seen:
                    seen.append(values)
                    tests = (*tests, replace(test, stdout=_as_runners_write(test.stdout)))
    problem = compared(replace(problem, runners=runners, starter_code=starters), signature)
    typed = signatures.starter_code(signature, languages["python"]) if "python" in languages else ""
    random = drawn_at_random(problem.statement)
    refused = f"its answers are drawn at random: {random}" if random else ""
    if methods := only_a_round_trip(signature, shown):
        refused = (
            f"{methods} undo each other, and what lies between them is each solution's own: "
            "no output can be expected"
        )
    return FunctionProblem(
        entry._replace(problem=problem, tests=tests), missing, typed, unfit, refused, signature
    )


def _as_read(test: TestCase, signature: Signature) -> TestCase:
    """Return a given test with the lines that its runner reads, and without an output that says too little."""
    values = _values(test.stdin)
    whole = values if values is None else completed_input(values, signature)
    if whole != values and whole:
        test = replace(test, stdin=json_lines(whole))
    changed = None if signature.design else signature.functions[0].changed
    first_values = changed is not None and signature.functions[0].returns.kind != Kind.VOID
    # How many values are the answer, not which.
    return (
        replace(test, stdout=None)
        if first_values and re.fullmatch(r"\s*\d+\s*", test.stdout or "")
        else test
    )


def _unfit(test: TestCase, signature: Signature) -> str:
    """Return why a test does not have the types of a signature.

    Empty where it has, or where that is hard to say.
    """

    def fits(value: Value, wanted: Type) -> bool:
        # Runners do not mind nulls at the end of a tree.
        while (
            wanted.kind in (Kind.TREE, Kind.NARY_TREE)
            and isinstance(value, list)
            and value
            and value[-1] is None
        ):
            value = value[:-1]
        return signatures.valid(value, wanted)

    sample = _sample(test, signature)
    if signature.design or sample is None:
        return ""
    (function,) = signature.functions
    for parameter, value in zip(signature.lines(), sample.arguments, strict=True):
        if not fits(value, parameter.type):
            return f"the argument {parameter.name} is not of the type {parameter.type}"
    wanted = signatures.result_type(function)
    return (
        ""
        if not test.stdout or fits(sample.result, wanted)
        else f"the result is not of the type {wanted}"
    )


def _as_runners_write(stdout: str | None) -> str | None:
    """Return JSON without spaces and with text as UTF-8; what is no JSON stays."""
    try:
        value = json.loads(stdout) if stdout else None
    except (ValueError, RecursionError):
        return stdout
    return stdout and json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def _signatures(
    problem: Problem,
    tests: Sequence[TestCase],
    shown: Sequence[Example],
    languages: Mapping[str, Language],
) -> tuple[Signature, Mapping[str, Signature], Mapping[str, str]]:
    """Return the most exact signature, that of each language with starter code, and the names.

    The signature of a language has its own names and the exact types. The names are those of the
    function by language, where starter code says it.
    """
    read, errors = {}, []

    def respells(name: str) -> bool:
        return signatures.grammar_of(languages[name]).names.methods != "kept"

    # Where languages write a name in their own way, the first one's is taken: better one that
    # writes it as it is.
    for name in sorted(
        set(problem.starter_code) & set(languages), key=lambda name: (respells(name), name)
    ):
        # What tests call the function is its name in one language; starter code in another one may
        # have its own.
        for entry in dict.fromkeys((problem.extra.get("entry_point", ""), "")):
            try:
                read[name] = signatures.parse_signature(
                    problem.starter_code[name], languages[name], entry
                )
                break
            except SignatureError as error:
                errors.append(error)
    if not read:
        errors.append(
            SignatureError(
                "there is no starter code", "no language has any", "see docs/problems.md"
            )
        )
        raise errors[0]
    own = _of_one_function(read)
    found = signatures.widened(signatures.combined(list(own.values())), problem.statement)
    most_tests = 1000  # tests that types are read from: more of them rarely show another type
    given = [
        Example(values, test.stdout or "")
        for test in tests[:most_tests]
        if (values := _values(test.stdin))
    ]
    found = with_parts(found, problem.statement, shown or given)
    samples = (_sample(test, found) for test in tests[:most_tests])
    found = signatures.refined(found, filter(None, samples))
    # Starter code that cannot be parsed may still show the name; a helper's would show another
    # function's.
    showing = [name for name in problem.starter_code if name in own or name not in read]
    called = {name: _name_in(problem.starter_code[name], own.get(name, found)) for name in showing}
    exact = {name: _with_types(mine, found, languages[name]) for name, mine in own.items()}
    return found, exact, called


def _of_one_function(read: Mapping[str, Signature]) -> dict[str, Signature]:
    """Return the signatures, where they disagree without those of another function.

    That is a helper, which the starter code shows instead.
    """
    try:
        signatures.combined(list(read.values()))
    except SignatureError:
        # Each language spells one name in its own way: compared is what is left without case and
        # underscores.
        names = {
            name: signatures.snake(signature.functions[0].name).replace("_", "")
            for name, signature in read.items()
        }
        ((most, count),) = Counter(names.values()).most_common(1)
        # Without a majority nobody knows which is the helper: the disagreement is reported by the
        # caller.
        if 2 * count > len(read):
            return {name: signature for name, signature in read.items() if names[name] == most}
    return dict(read)


def _name_in(starter: str, signature: Signature) -> str:
    """Return what starter code calls the only function of a signature.

    Empty where there is none or several.
    """
    if signature.design:
        return ""
    name = signature.functions[0].name
    spellings = (
        name,
        signatures.camel(name),
        signatures.snake(name),
        signatures.pascal(signatures.camel(name)),
    )
    # After a word of the language
    declaration = re.compile(r"\b(?:def|function|const|let|var|func|fn)\s+(\w+)")
    declared = declaration.findall(starter)
    called = declared or re.findall(r"\b(\w+)\s*\(", starter)
    return next((each for each in spellings if each in called), (declared or [""])[-1])


def _sample(test: TestCase, signature: Signature) -> ExampleCall | None:
    values = _values(test.stdin)
    try:
        result = json.loads(test.stdout) if test.stdout else None
    except (ValueError, RecursionError):
        return None
    fits = values is not None and len(values) == signatures.lines_of_case(signature)
    return ExampleCall(values, result) if values is not None and fits else None


def _values(stdin: str) -> list[Value] | None:
    """Return the values of an input, one JSON value a line; None where they are none."""
    try:
        return [json.loads(line) for line in stdin.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def _with_types(mine: Signature, exact: Signature, language: Language) -> Signature:
    """Return a signature with its own names and the types of the exact one."""
    convention = signatures.grammar_of(language).names.methods

    def named(own: str, other: str) -> str:
        # A test calls a method by the exact name; a language that respells names spells both alike.
        alike = signatures.spelled(own, convention) == signatures.spelled(other, convention)
        return other if exact.design and alike else own

    def typed(
        parameters: Sequence[Parameter], others: Sequence[Parameter]
    ) -> tuple[Parameter, ...]:
        return tuple(replace(a, type=b.type) for a, b in zip(parameters, others, strict=True))

    functions = tuple(
        replace(
            a,
            name=named(a.name, b.name),
            parameters=typed(a.parameters, b.parameters),
            returns=b.returns,
            changed=b.changed,
        )
        for a, b in zip(mine.functions, exact.functions, strict=True)
    )
    return replace(
        mine, functions=functions, constructor=typed(mine.constructor, exact.constructor)
    )
