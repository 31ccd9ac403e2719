"""What examples and words say of a function that its starter code does not.

Starter code calls a tree and a node inside of it the same, does not mention that a list has a
cycle, and says ``int`` where the first k values of a list are the answer. The examples in a
statement show it: their values are read here, turned into the lines that a runner reads, and become
given tests.
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
    found = []
    longest = 100_000  # characters of an example that is read
    for sample in parse_statement(statement).samples:
        if len(sample.stdin) + len(sample.stdout) <= longest:
            with suppress(ValueError, RecursionError):
                values = [json.loads(line) for line in sample.stdin.split("\n") if line.strip()]
                found.append(Example(values, sample.stdout.strip()))
    return found


def drawn_at_random(statement: str) -> str:
    """Return the sentence that says that answers are drawn at random; empty where none does.

    No two solutions agree on such answers, and none agrees with itself.
    """
    text = re.sub(r"</?[a-zA-Z][^<>]*>|[*_`]", "", statement)
    # What is asked for is then a number, not something drawn.
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
    # Of the function itself: an order at the beginning or after a comma, or what stands behind the
    # head of a method. What others do at random, or what was drawn, is a story.
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
    """Return the names of two methods of which one undoes the other.

    Empty where tests can call them one by one.

    What lies between ``serialize`` and ``deserialize`` is a text of each solution's own: no
    expected output fits all solutions, and an input for the second method fits none.
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
    (given,), (taken,) = one.parameters, other.parameters
    mirrored = one.returns == taken.type and other.returns == given.type
    stems = {
        re.sub(r"^(?:de|en|un)", "", each.name, flags=re.IGNORECASE).lower()
        for each in signature.functions
    }
    told = Kind.STRING in (given.type.kind, taken.type.kind) and (
        given.type != taken.type or len(stems) == 1
    )
    return f"{one.name} and {other.name}" if mirrored and told else ""


# ------------------------------------------------------------------ signatures


def with_parts(signature: Signature, statement: str, shown: Sequence[Example]) -> Signature:
    """Return a signature with the types that examples show.

    These are nodes of trees, cycles, shared ends, and the first k values.
    """
    if signature.design:
        return _named_as_called(signature, shown)
    (function,) = signature.functions
    parameters = _with_second_lines(function.parameters, shown)
    fitting = [each.values for each in shown if len(each.values) == len(parameters)]
    columns = list(zip(*fitting, strict=True)) if parameters == function.parameters else []

    def is_part(index: int) -> bool:
        """Whether an argument that is declared as a tree or list is only ever a value of one."""
        wanted = parameters[index].type
        # It stands behind the tree or list that it is a part of.
        before = [each.type for each in parameters[:index]]
        if wanted.kind not in WHOLE or not columns or wanted not in before:
            return False
        return all(valid(value, wanted.of) for value in columns[index])

    parameters = tuple(
        replace(each, type=Type(Kind.NODE, each.type)) if is_part(index) else each
        for index, each in enumerate(parameters)
    )
    parameters = tuple(
        _of_characters(each, statement, shown, index) for index, each in enumerate(parameters)
    )
    function = replace(function, parameters=parameters)
    # What comes back is a list of values, as any list or tree is, or what stands for one node.
    whole = any(each.output.startswith("[") for each in shown)
    parts = any(each.type.kind in (Kind.NODE, *SECOND_LINES) for each in parameters)
    if parts and function.returns.kind in WHOLE and not whole:
        function = replace(function, returns=Type(Kind.NODE, function.returns))
    changed = _first_values(function, statement)
    if changed is not None:
        function = replace(function, changed=changed)
    return replace(signature, functions=(function,))


def _with_second_lines(
    parameters: tuple[Parameter, ...], shown: Sequence[Example]
) -> tuple[Parameter, ...]:
    lists = [index for index, each in enumerate(parameters) if each.type.kind == Kind.LINKED_LIST]

    def shows_cycle(values: Sequence[Any]) -> bool:
        """Whether one value more than there are parameters follows the list: an index in it or -1."""
        if len(values) != len(parameters) + 1 or not isinstance(values[lists[0]], list):
            return False
        place = values[lists[0] + 1]
        return type(place) is int and -1 <= place < max(1, len(values[lists[0]]))

    if len(lists) == 1 and shown and all(shows_cycle(each.values) for each in shown):
        return _changed(parameters, lists[0], Kind.CYCLIC_LIST)
    if (
        lists == [0, 1] == list(range(len(parameters)))
        and shown
        and all(_shows_join(each.values) for each in shown)
    ):
        return _changed(parameters, 1, Kind.JOINED_LIST)
    return parameters


def _changed(parameters: tuple[Parameter, ...], index: int, kind: Kind) -> tuple[Parameter, ...]:
    each = parameters[index]
    return (
        *parameters[:index],
        replace(each, type=replace(each.type, kind=kind)),
        *parameters[index + 1 :],
    )


def _shows_join(values: Sequence[Any]) -> bool:
    """Whether it is the value where two lists meet, the lists, and how many nodes of each come before that."""
    return [type(each) for each in values] == [int, list, list, int, int]


def _of_characters(
    parameter: Parameter, statement: str, shown: Sequence[Example], index: int
) -> Parameter:
    """Return a list of texts as one of characters where its examples have no others, and their kind is said."""

    def leaves(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else [value]:
            yield from leaves(item) if isinstance(item, list) else [item]

    def with_characters(wanted: Type) -> Type:
        return (
            replace(wanted, element=with_characters(wanted.of))
            if wanted.element
            else Type(Kind.CHAR)
        )

    inner = parameter.type
    while inner.kind == Kind.LIST:
        inner = inner.of
    found = [
        leaf for each in shown if index < len(each.values) for leaf in leaves(each.values[index])
    ]
    told = re.search(
        rf"\b{re.escape(parameter.name)}(?:\[\w\]){{1,2}}(?:</?\w+>|[`\s])* (?:is|are)\b", statement
    )
    single = len(found) >= 3 and all(valid(leaf, Type(Kind.CHAR)) for leaf in found)
    if inner.kind == Kind.STRING and inner is not parameter.type and told and single:
        return replace(parameter, type=with_characters(parameter.type))
    return parameter


def _first_values(function: Function, statement: str) -> int | None:
    """Return the argument of which the first values are the answer, where the function returns how many there are."""
    text = re.sub(r"</?[a-zA-Z][^<>]*>|[*`\u200b]", "", statement).replace("&nbsp;", " ")
    first_values = re.compile(
        r"\bfirst\s+`?\w+`?\s+(?:elements|characters|values)\s+of\s+`?(?P<list>\w+)"
        r"|\breturn\s+(?:the\s+)?new\s+length\s+of\s+(?:the\s+)?(?:array|list|string)"
    )
    said = first_values.search(text)
    in_place = re.compile(
        r"\bin[- ]place\b|\bmodify(?:ing)?\s+the\s+(?:input\s+)?(?:array|list)|\bO\(1\) extra memory",
        re.IGNORECASE,
    )
    if function.returns.kind != Kind.INT or not said or not in_place.search(text):
        return None
    lists = [index for index, each in enumerate(function.parameters) if each.type.kind == Kind.LIST]
    named = [index for index in lists if function.parameters[index].name == said["list"]]
    return named[0] if named else lists[0] if len(lists) == 1 else None


def _named_as_called(signature: Signature, shown: Sequence[Example]) -> Signature:
    """Return a class with the names that the operations of its examples have.

    Go writes every method with a capital and Rust none: neither knows whether it is ``Front`` or
    ``front`` elsewhere.
    """
    called = {
        _same_in_all(name): name
        for each in shown
        if len(each.values) == 2 and isinstance(each.values[0], list)
        for name in each.values[0]
        if isinstance(name, str)
    }
    functions = tuple(
        replace(each, name=called.get(_same_in_all(each.name), each.name))
        for each in signature.functions
    )
    return replace(signature, functions=functions)


def _same_in_all(name: str) -> str:
    return snake(name).replace("_", "")


# ------------------------------------------------------------------ tests


def example_tests(shown: Sequence[Example], signature: Signature) -> Iterator[TestCase]:
    """Yield the examples that have the types of a signature as given tests, without an output that has not."""
    for number, each in enumerate(shown, 1):
        values = _lines_of(each.values, signature)
        if values is None:
            continue
        result = _result_of(each.output, signature)
        if result is None:
            fits = False
        elif signature.design:
            fits = isinstance(result[0], list) and len(result[0]) == len(values[0])
        else:
            fits = valid(result[0], result_type(signature.functions[0]))
        stdout = json_lines(result) if result and fits else None
        yield TestCase(f"example-{number}", json_lines(values), stdout, kind="given")


def _lines_of(values: list[Any], signature: Signature) -> list[Any] | None:
    """Return what the lines of an input hold for an example; None where it does not fit."""
    if signature.design:
        # Two lists: operations of a class, and their arguments.
        if len(values) != 2 or not all(isinstance(each, list) and each for each in values):
            return None
        operations, arguments = values
        methods = {each.name: each.parameters for each in signature.functions}
        called = [signature.constructor, *(methods.get(str(name)) for name in operations[1:])]
        fits = len(operations) == len(arguments) and all(
            parameters is not None
            and isinstance(given, list)
            and len(given) == len(parameters)
            and all(valid(value, each.type) for value, each in zip(given, parameters, strict=True))
            for parameters, given in zip(called, arguments, strict=True)
        )
        return values if fits else None
    wanted = signature.lines()
    last = signature.functions[0].parameters[-1:]  # none: a function of no arguments
    if last and last[0].type.kind == Kind.JOINED_LIST and _shows_join(values):
        _, one, other, before, _ = values
        values = [one, other, max(0, len(one) - before)]
    fits = len(values) == len(wanted) and all(
        valid(v, each.type) for v, each in zip(values, wanted, strict=True)
    )
    return values if fits else None


def _result_of(output: str, signature: Signature) -> tuple[Any] | None:
    """Return the value that the text of an output stands for, in a tuple, for it may be null."""
    wanted = None if signature.design else result_type(signature.functions[0])
    counted_values = re.compile(r"\s*(?P<count>\d{1,9})\s*,\s*\w+\s*=\s*\[(?P<values>[^\[\]]*)\]")
    counted = counted_values.fullmatch(output)
    node_index = re.compile(r"\bnode index (?P<index>\d{1,9})")
    no_node = re.compile(r"\bno (?:cycle|intersection)\b", re.IGNORECASE)
    if counted and wanted and wanted.kind == Kind.LIST:
        kept = counted["values"].split(",")[: int(counted["count"])]
        output = f"[{','.join(kept)}]"
    elif wanted and wanted.kind == Kind.NEXT_TREE:
        # Where the statement draws `#` for the end of a level.
        output = output.replace("#", "null")
    elif wanted and wanted.kind == Kind.NODE and wanted.of.kind == Kind.LINKED_LIST:
        place = node_index.search(output)
        output = place["index"] if place else "null" if no_node.search(output) else ""
    with suppress(ValueError, RecursionError):
        return (json.loads(output),)
    return None


def completed_input(values: list[Any], signature: Signature) -> list[Any]:
    """Return the values of a given test with what its source left out.

    A list without a position has no cycle.
    """
    if signature.design:
        return values
    kinds = [each.type.kind for each in signature.functions[0].parameters]
    if kinds[-1:] == [Kind.CYCLIC_LIST] and len(values) == len(kinds):
        return [*values, -1]
    if kinds[-1:] == [Kind.JOINED_LIST] and len(values) == len(kinds):
        return [*values, 0]
    return values
