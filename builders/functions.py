"""Function-style problems: from starter code in any language to runners in all of them."""

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
    """A problem with generated runners, starter code and evaluator.

    Attributes:
        entry: The problem; its given outputs have the form that the runners print.
        missing: The reason for the missing runner of a language, by id.
        typed: Python starter code with all types, for the generation of inputs; empty if unknown.
        unfit: The reason for dropping a given test, by its id: a value does not have the declared
            type, so that no runner reads it and other languages cannot return it.
        refused: The reason not to publish the problem; usually empty.
        signature: The signature of the runners.
    """

    entry: Entry
    missing: Mapping[str, str]
    typed: str = ""
    unfit: Mapping[str, str] = {}
    refused: str = ""
    signature: Signature | None = None


def complete(entry: Entry, languages: Mapping[str, Language]) -> FunctionProblem:
    """Return a function-style problem with everything that its signature determines.

    The problem's own runners and starter code stay.

    Args:
        entry: Its starter code in any language declares the signature; its tests, one JSON value a
            line, distinguish whole numbers from fractions.
        languages: The languages of the runners.
    """
    problem, tests = entry.problem, entry.tests
    without_runner = {
        name: language for name, language in languages.items() if name not in problem.runners
    }
    if problem.style != "function" or not without_runner:
        return FunctionProblem(entry._replace(problem=compared(problem)), {})
    shown = examples_of(problem.statement)
    try:
        signature, own, called = _signatures(problem, tests, shown, languages)
    except SignatureError as error:
        # If starter codes disagree on the signature, solutions disagree on the answers.
        refused = str(error) if isinstance(error, Disagreement) else ""
        entry = entry._replace(problem=compared(problem))
        return FunctionProblem(entry, dict.fromkeys(without_runner, str(error)), refused=refused)
    runners, starters, missing = dict(problem.runners), dict(problem.starter_code), {}
    for name, language in without_runner.items():
        own_signature = own.get(name, signature)
        try:
            runners[name] = signatures.render_runner(own_signature, language, called.get(name, ""))
            starters.setdefault(name, signatures.starter_code(own_signature, language))
        except (SignatureError, LanguageError) as error:
            missing[name] = str(error)
    unfit: dict[str, str] = {}
    if not problem.runners:  # our runners define the form of results
        tests = tuple(_complete_test(test, signature) for test in tests)
        unfit = {
            test.test_id: reason for test in tests if (reason := _misfit_reason(test, signature))
        }
        tests = tuple(
            replace(t, stdout=_normalise_output(t.stdout)) for t in tests if t.test_id not in unfit
        )
        if not problem.generator:
            # Only examples with new inputs, compared as values.
            seen = [_parse_values(test.stdin) for test in tests]
            for test in example_tests(shown, signature):
                if (values := _parse_values(test.stdin)) not in seen:
                    seen.append(values)
                    tests = (*tests, replace(test, stdout=_normalise_output(test.stdout)))
    problem = compared(replace(problem, runners=runners, starter_code=starters), signature)
    typed = signatures.starter_code(signature, languages["python"]) if "python" in languages else ""
    random = drawn_at_random(problem.statement)
    refused = f"its answers are drawn at random: {random}" if random else ""
    if methods := only_a_round_trip(signature, shown):
        refused = (
            f"{methods} undo each other through a format that each solution chooses: "
            "no output can be expected"
        )
    return FunctionProblem(
        entry._replace(problem=problem, tests=tests), missing, typed, unfit, refused, signature
    )


def _complete_test(test: TestCase, signature: Signature) -> TestCase:
    """Return a given test with the lines that its runner reads, and without an ambiguous output."""
    values = _parse_values(test.stdin)
    completed = values if values is None else completed_input(values, signature)
    if completed != values and completed:
        test = replace(test, stdin=json_lines(completed))
    changed = None if signature.design else signature.functions[0].changed
    first_values = changed is not None and signature.functions[0].returns.kind != Kind.VOID
    # Such an output states only the number of values.
    return (
        replace(test, stdout=None)
        if first_values and re.fullmatch(r"\s*\d+\s*", test.stdout or "")
        else test
    )


def _misfit_reason(test: TestCase, signature: Signature) -> str:
    """Return why the values of a test do not fit the types of a signature; empty if they may."""

    def fits(value: Value, value_type: Type) -> bool:
        # Runners accept trailing nulls in a tree.
        while (
            value_type.kind in (Kind.TREE, Kind.NARY_TREE)
            and isinstance(value, list)
            and value
            and value[-1] is None
        ):
            value = value[:-1]
        return signatures.valid(value, value_type)

    sample = _example_call(test, signature)
    if signature.design or sample is None:
        return ""
    (function,) = signature.functions
    for parameter, value in zip(signature.lines(), sample.arguments, strict=True):
        if not fits(value, parameter.type):
            return f"the argument {parameter.name} is not of the type {parameter.type}"
    result_type = signatures.result_type(function)
    return (
        ""
        if not test.stdout or fits(sample.result, result_type)
        else f"the result is not of the type {result_type}"
    )


def _normalise_output(stdout: str | None) -> str | None:
    """Return JSON without spaces and with text as UTF-8; other text stays."""
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
    """Return the most exact signature, one for each starter code, and the function's names.

    The signature of each starter code keeps its own names and gets the exact types. The function's
    names are keyed by language, for the languages whose starter code shows one.
    """
    parsed, errors = {}, []

    def respells(name: str) -> bool:
        return signatures.grammar_of(languages[name]).names.methods != "kept"

    # The first language gives the name, so those that respell names come last.
    for name in sorted(
        set(problem.starter_code) & set(languages), key=lambda name: (respells(name), name)
    ):
        # The entry point is the name in one language; starter code in another may respell it.
        for entry in dict.fromkeys((problem.extra.get("entry_point", ""), "")):
            try:
                parsed[name] = signatures.parse_signature(
                    problem.starter_code[name], languages[name], entry
                )
                break
            except SignatureError as error:
                errors.append(error)
    if not parsed:
        errors.append(
            SignatureError(
                "there is no starter code", "no language has any", "see docs/problems.md"
            )
        )
        raise errors[0]
    own = _without_helpers(parsed)
    signature = signatures.widened(signatures.combined(list(own.values())), problem.statement)
    most_tests = 1000  # tests from which types are read; more rarely show another type
    test_examples = [
        Example(values, test.stdout or "")
        for test in tests[:most_tests]
        if (values := _parse_values(test.stdin))
    ]
    signature = with_parts(signature, problem.statement, shown or test_examples)
    samples = (_example_call(test, signature) for test in tests[:most_tests])
    signature = signatures.refined(signature, filter(None, samples))
    # Unparsable starter code may still show the name; that of a helper shows the wrong name.
    showing = [name for name in problem.starter_code if name in own or name not in parsed]
    called = {
        name: _name_in(problem.starter_code[name], own.get(name, signature)) for name in showing
    }
    exact = {
        name: _with_types(own_signature, signature, languages[name])
        for name, own_signature in own.items()
    }
    return signature, exact, called


def _without_helpers(parsed: Mapping[str, Signature]) -> dict[str, Signature]:
    """Return the signatures; if they disagree, without those of a helper function.

    Some starter code shows a helper instead of the function.
    """
    try:
        signatures.combined(list(parsed.values()))
    except SignatureError:
        # Languages spell names differently, so case and underscores are ignored.
        names = {
            name: signatures.snake(signature.functions[0].name).replace("_", "")
            for name, signature in parsed.items()
        }
        ((most, count),) = Counter(names.values()).most_common(1)
        # Without a majority the helper is unknown, and the caller reports the disagreement.
        if 2 * count > len(parsed):
            return {name: signature for name, signature in parsed.items() if names[name] == most}
    return dict(parsed)


def _name_in(starter: str, signature: Signature) -> str:
    """Return the name of a signature's only function in starter code; empty for a class."""
    if signature.design:
        return ""
    name = signature.functions[0].name
    spellings = (
        name,
        signatures.camel(name),
        signatures.snake(name),
        signatures.pascal(signatures.camel(name)),
    )
    # After a keyword of the language
    declaration = re.compile(r"\b(?:def|function|const|let|var|func|fn)\s+(\w+)")
    declared = declaration.findall(starter)
    called = declared or re.findall(r"\b(\w+)\s*\(", starter)
    return next((spelling for spelling in spellings if spelling in called), (declared or [""])[-1])


def _example_call(test: TestCase, signature: Signature) -> ExampleCall | None:
    values = _parse_values(test.stdin)
    try:
        result = json.loads(test.stdout) if test.stdout else None
    except (ValueError, RecursionError):
        return None
    fits = values is not None and len(values) == signatures.lines_of_case(signature)
    return ExampleCall(values, result) if values is not None and fits else None


def _parse_values(stdin: str) -> list[Value] | None:
    """Return the values of an input, one JSON value a line; None for other text."""
    try:
        return [json.loads(line) for line in stdin.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def _with_types(own_signature: Signature, exact: Signature, language: Language) -> Signature:
    """Return a signature with its own names and the types of the exact one."""
    convention = signatures.grammar_of(language).names.methods

    def named(own: str, other: str) -> str:
        # Tests call a method by the exact name; a language that respells names treats both alike.
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
        for a, b in zip(own_signature.functions, exact.functions, strict=True)
    )
    return replace(
        own_signature,
        functions=functions,
        constructor=typed(own_signature.constructor, exact.constructor),
    )
