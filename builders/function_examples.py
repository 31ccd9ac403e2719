"""Finds the types of a function that its starter code hides and its examples show.

Starter code has one type for a tree and a node of it, does not mention cycles in a list, and
declares ``int`` if the first k values of a list are the answer. The examples in a statement show
the difference: their values are converted into the lines that a runner reads, and become given
tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.core.records import TestCase, json_lines
from venus_toolkit.signatures import (
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    result_type,
    snake,
    valid,
)
from venus_toolkit.signatures.types import SECOND_LINES

WHOLE = (Kind.TREE, Kind.LINKED_LIST)


class Example(NamedTuple):
    """An example of a statement: a value for each line of its input, and the text of its output."""

    values: list[Any]
    output: str


def examples_of(statement: str) -> list[Example]:
    """Return the examples of a statement whose inputs are JSON, one value a line."""
    examples = []
    longest = 100_000  # characters of an example
    for sample in parse_statement(statement).samples:
        if len(sample.stdin) + len(sample.stdout) <= longest:
            with suppress(ValueError, RecursionError):
                values = [json.loads(line) for line in sample.stdin.split("\n") if line.strip()]
                examples.append(Example(values, sample.stdout.strip()))
    return examples


def drawn_at_random(statement: str) -> str:
    """Return the sentence that asks for random answers; empty if the statement has none.

    Solutions disagree on such answers, even with themselves.
    """
    text = re.sub(r"</?[a-zA-Z][^<>]*>|[*_`]", "", statement)
    # Statements about chance, which ask for a number and not for a random choice
    about_chance = re.compile(
        r"\b(?:return|find|calculate|compute|what is|determine)\b[^.\n]{0,80}\b(?:probability|expected|chance)\b",
        re.IGNORECASE,
    )
    if about_chance.search(text):
        return ""
    sentence_end = re.compile(r"(?<=[.!?])\s+|\n")
    at_random = re.compile(
        r"\b(?:uniform(?:ly)?(?: at)? random|at random"
        r"|random(?:ly)? (?:pick|choose|select|shuffl|generat|return|flip)\w*"
        r"|(?:equally|as) likely|(?:equal|same) probability|returns? a random"
        r"|random (?:shuffling|point|flip|index))\b",
        re.IGNORECASE,
    )
    # A request to the function: an imperative at the beginning, after a comma or after the head of
    # a method. A random choice that somebody else makes is only part of the story.
    requested = re.compile(
        r"(?:^|[,;:]\s|\)\s|\byou (?:should|must|need to|have to) "
        r"|\b(?:function|method) (?:should |must )?)"
        r"\W*(?:(?:uniformly|randomly)\s+)?"
        r"(?:return|pick|choose|select|generat|shuffl|get|flip|draw|output|implement|design|write"
        r"|creat)\w*",
        re.IGNORECASE,
    )
    equal_chances = re.compile(
        r"\b(?:should|must|need\w*|all|each|every)\b.*\b(?:likely|probability)\b.*"
        r"\b(?:returned|returning|picked|chosen|selected|shuffling)\b",
        re.IGNORECASE,
    )
    for sentence in sentence_end.split(text):
        sentence = sentence.strip()
        if len(sentence) > 2_000 or not at_random.search(sentence):
            continue
        if requested.search(sentence) or equal_chances.search(sentence):
            return sentence
    return ""


def only_a_round_trip(signature: Signature, shown: Sequence[Example]) -> str:
    """Return the names of two methods that undo each other; empty if tests can call each alone.

    Each solution chooses the text between ``serialize`` and ``deserialize``, so that no expected
    output fits all solutions, and no input fits the second method.
    """
    if not signature.design or len(signature.functions) != 2:
        return ""
    one, other = signature.functions
    if (
        len(one.parameters) != 1
        or len(other.parameters) != 1
        or any(example_tests(shown, signature))
    ):
        return ""
    (first_input,), (second_input,) = one.parameters, other.parameters
    mirrored = one.returns == second_input.type and other.returns == first_input.type
    stems = {
        re.sub(r"^(?:de|en|un)", "", function.name, flags=re.IGNORECASE).lower()
        for function in signature.functions
    }
    one_stores_text = Kind.STRING in (first_input.type.kind, second_input.type.kind) and (
        first_input.type != second_input.type or len(stems) == 1
    )
    return f"{one.name} and {other.name}" if mirrored and one_stores_text else ""


# ------------------------------------------------------------------ signatures


def with_parts(signature: Signature, statement: str, shown: Sequence[Example]) -> Signature:
    """Return a signature with types from examples: tree nodes, cycles, shared ends, first values."""
    if signature.design:
        return _with_names_of_examples(signature, shown)
    (function,) = signature.functions
    parameters = _with_second_lines(function.parameters, shown)
    fitting = [example.values for example in shown if len(example.values) == len(parameters)]
    columns = list(zip(*fitting, strict=True)) if parameters == function.parameters else []

    def is_part(index: int) -> bool:
        """Whether an argument declared as a tree or list is a single value in all examples."""
        declared = parameters[index].type
        # The tree or list that contains the node comes first.
        before = [parameter.type for parameter in parameters[:index]]
        if declared.kind not in WHOLE or not columns or declared not in before:
            return False
        return all(valid(value, declared.of) for value in columns[index])

    parameters = tuple(
        replace(parameter, type=Type(Kind.NODE, parameter.type)) if is_part(index) else parameter
        for index, parameter in enumerate(parameters)
    )
    parameters = tuple(
        _as_characters(parameter, statement, shown, index)
        for index, parameter in enumerate(parameters)
    )
    function = replace(function, parameters=parameters)
    # A result is a list of values (a list or tree), or the value of one node.
    whole = any(example.output.startswith("[") for example in shown)
    parts = any(parameter.type.kind in (Kind.NODE, *SECOND_LINES) for parameter in parameters)
    if parts and function.returns.kind in WHOLE and not whole:
        function = replace(function, returns=Type(Kind.NODE, function.returns))
    changed = _first_values(function, statement)
    if changed is not None:
        function = replace(function, changed=changed)
    return replace(signature, functions=(function,))


def _with_second_lines(
    parameters: tuple[Parameter, ...], shown: Sequence[Example]
) -> tuple[Parameter, ...]:
    lists = [
        index
        for index, parameter in enumerate(parameters)
        if parameter.type.kind == Kind.LINKED_LIST
    ]

    def shows_cycle(values: Sequence[Any]) -> bool:
        """Whether an extra value follows the list: an index in it, or -1."""
        if len(values) != len(parameters) + 1 or not isinstance(values[lists[0]], list):
            return False
        place = values[lists[0] + 1]
        return type(place) is int and -1 <= place < max(1, len(values[lists[0]]))

    if len(lists) == 1 and shown and all(shows_cycle(example.values) for example in shown):
        return _with_kind(parameters, lists[0], Kind.CYCLIC_LIST)
    if (
        lists == [0, 1] == list(range(len(parameters)))
        and shown
        and all(_is_join(example.values) for example in shown)
    ):
        return _with_kind(parameters, 1, Kind.JOINED_LIST)
    return parameters


def _with_kind(parameters: tuple[Parameter, ...], index: int, kind: Kind) -> tuple[Parameter, ...]:
    parameter = parameters[index]
    return (
        *parameters[:index],
        replace(parameter, type=replace(parameter.type, kind=kind)),
        *parameters[index + 1 :],
    )


def _is_join(values: Sequence[Any]) -> bool:
    """Whether values are the first common node of two lists, the lists, and its index in each."""
    return [type(value) for value in values] == [int, list, list, int, int]


def _as_characters(
    parameter: Parameter, statement: str, shown: Sequence[Example], index: int
) -> Parameter:
    """Change a list of strings to one of characters if the examples and the statement show it."""

    def leaves(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else [value]:
            yield from leaves(item) if isinstance(item, list) else [item]

    def with_characters(text_type: Type) -> Type:
        return (
            replace(text_type, element=with_characters(text_type.of))
            if text_type.element
            else Type(Kind.CHAR)
        )

    inner = parameter.type
    while inner.kind == Kind.LIST:
        inner = inner.of
    characters = [
        leaf
        for example in shown
        if index < len(example.values)
        for leaf in leaves(example.values[index])
    ]
    kind_is_stated = re.search(
        rf"\b{re.escape(parameter.name)}(?:\[\w\]){{1,2}}(?:</?\w+>|[`\s])* (?:is|are)\b", statement
    )
    all_characters = len(characters) >= 3 and all(
        valid(leaf, Type(Kind.CHAR)) for leaf in characters
    )
    if (
        inner.kind == Kind.STRING
        and inner is not parameter.type
        and kind_is_stated
        and all_characters
    ):
        return replace(parameter, type=with_characters(parameter.type))
    return parameter


def _first_values(function: Function, statement: str) -> int | None:
    """Return the index of the argument whose first values are the answer, if there is one."""
    text = re.sub(r"</?[a-zA-Z][^<>]*>|[*`\u200b]", "", statement).replace("&nbsp;", " ")
    first_values = re.compile(
        r"\bfirst\s+`?\w+`?\s+(?:elements|characters|values)\s+of\s+`?(?P<list>\w+)"
        r"|\breturn\s+(?:the\s+)?new\s+length\s+of\s+(?:the\s+)?(?:array|list|string)"
    )
    phrase = first_values.search(text)
    in_place = re.compile(
        r"\bin[- ]place\b|\bmodify(?:ing)?\s+the\s+(?:input\s+)?(?:array|list)|\bO\(1\) extra memory",
        re.IGNORECASE,
    )
    if function.returns.kind != Kind.INT or not phrase or not in_place.search(text):
        return None
    lists = [
        index
        for index, parameter in enumerate(function.parameters)
        if parameter.type.kind == Kind.LIST
    ]
    named = [index for index in lists if function.parameters[index].name == phrase["list"]]
    return named[0] if named else lists[0] if len(lists) == 1 else None


def _with_names_of_examples(signature: Signature, shown: Sequence[Example]) -> Signature:
    """Return a class with the method names used in its examples.

    Go capitalises every method and Rust none, so neither shows whether other languages spell it
    ``Front`` or ``front``.
    """
    called = {
        _name_key(name): name
        for example in shown
        if len(example.values) == 2 and isinstance(example.values[0], list)
        for name in example.values[0]
        if isinstance(name, str)
    }
    functions = tuple(
        replace(function, name=called.get(_name_key(function.name), function.name))
        for function in signature.functions
    )
    return replace(signature, functions=functions)


def _name_key(name: str) -> str:
    return snake(name).replace("_", "")


# ------------------------------------------------------------------ tests


def example_tests(shown: Sequence[Example], signature: Signature) -> Iterator[TestCase]:
    """Yield the examples that fit a signature as given tests, without outputs that do not fit."""
    for number, example in enumerate(shown, 1):
        values = _input_lines(example.values, signature)
        if values is None:
            continue
        result = _parse_result(example.output, signature)
        if result is None:
            fits = False
        elif signature.design:
            fits = isinstance(result[0], list) and len(result[0]) == len(values[0])
        else:
            fits = valid(result[0], result_type(signature.functions[0]))
        stdout = json_lines(result) if result and fits else None
        yield TestCase(f"example-{number}", json_lines(values), stdout, kind="given")


def _input_lines(values: list[Any], signature: Signature) -> list[Any] | None:
    """Return the value of each input line of an example; None if the example does not fit."""
    if signature.design:
        # Two lists: operations of a class, and their arguments.
        if len(values) != 2 or not all(isinstance(line, list) and line for line in values):
            return None
        operations, arguments = values
        methods = {function.name: function.parameters for function in signature.functions}
        called = [signature.constructor, *(methods.get(str(name)) for name in operations[1:])]
        fits = len(operations) == len(arguments) and all(
            parameters is not None
            and isinstance(line_arguments, list)
            and len(line_arguments) == len(parameters)
            and all(
                valid(value, parameter.type)
                for value, parameter in zip(line_arguments, parameters, strict=True)
            )
            for parameters, line_arguments in zip(called, arguments, strict=True)
        )
        return values if fits else None
    lines = signature.lines()
    last = signature.functions[0].parameters[-1:]  # none: a function of no arguments
    if last and last[0].type.kind == Kind.JOINED_LIST and _is_join(values):
        _, one, other, before, _ = values
        values = [one, other, max(0, len(one) - before)]
    fits = len(values) == len(lines) and all(
        valid(v, parameter.type) for v, parameter in zip(values, lines, strict=True)
    )
    return values if fits else None


def _parse_result(output: str, signature: Signature) -> tuple[Any] | None:
    """Return the value of an output, in a tuple because it may be null; None if unreadable."""
    result = None if signature.design else result_type(signature.functions[0])
    counted_values = re.compile(r"\s*(?P<count>\d{1,9})\s*,\s*\w+\s*=\s*\[(?P<values>[^\[\]]*)\]")
    counted = counted_values.fullmatch(output)
    node_index = re.compile(r"\bnode index (?P<index>\d{1,9})")
    no_node = re.compile(r"\bno (?:cycle|intersection)\b", re.IGNORECASE)
    if counted and result and result.kind == Kind.LIST:
        first_values = counted["values"].split(",")[: int(counted["count"])]
        output = f"[{','.join(first_values)}]"
    elif result and result.kind == Kind.NEXT_TREE:
        # Some statements draw `#` for the end of a level.
        output = output.replace("#", "null")
    elif result and result.kind == Kind.NODE and result.of.kind == Kind.LINKED_LIST:
        place = node_index.search(output)
        output = place["index"] if place else "null" if no_node.search(output) else ""
    with suppress(ValueError, RecursionError):
        return (json.loads(output),)
    return None


def completed_input(values: list[Any], signature: Signature) -> list[Any]:
    """Return the values of a given test, with the last line added if the test omits it.

    The line is -1 for a list without a cycle, and 0 for two lists without shared nodes.
    """
    if signature.design:
        return values
    kinds = [parameter.type.kind for parameter in signature.functions[0].parameters]
    if kinds[-1:] == [Kind.CYCLIC_LIST] and len(values) == len(kinds):
        return [*values, -1]
    if kinds[-1:] == [Kind.JOINED_LIST] and len(values) == len(kinds):
        return [*values, 0]
    return values
