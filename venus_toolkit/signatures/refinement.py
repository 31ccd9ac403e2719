"""Makes signatures more exact, using other languages, statements and samples."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.core.errors import SignatureError
from venus_toolkit.signatures.types import (
    LARGEST_INT,
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    Value,
)


class ExampleCall(NamedTuple):
    """Arguments in order and their result, as values of `json.loads`.

    For a class to design, the arguments are the list of operations and the list of their arguments,
    and the result is the list of results.
    """

    arguments: Sequence[Value]
    result: Value


def combined(signatures: Sequence[Signature]) -> Signature:
    """Return the most exact signature that agrees with all others, with the names of the first.

    A long is more exact than an integer, a float than an integer, a character than a text, an
    optional value than a required one.

    Raises:
        SignatureError: The sequence is empty, or two signatures disagree; the message names the
            parameter and both types.
    """
    if not signatures:
        raise SignatureError(
            "no signatures to combine", "no language gave one", "see docs/runners.md"
        )
    one, *others = signatures
    for other in others:
        if len(one.functions) != len(other.functions) or one.design != other.design:
            raise _disagreement(
                "how many functions there are", len(one.functions), len(other.functions)
            )
        functions = []
        for left, right in zip(one.functions, other.functions, strict=True):
            if left.changed != right.changed:
                raise _disagreement(
                    f"which argument {left.name} changes", left.changed, right.changed
                )
            parameters = _combined_parameters(left.name, left.parameters, right.parameters)
            returns = _combined_type(f"the result of {left.name}", left.returns, right.returns)
            functions.append(replace(left, parameters=parameters, returns=returns))
        constructor = _combined_parameters("the constructor", one.constructor, other.constructor)
        one = replace(
            one, functions=tuple(functions), constructor=constructor, nodes=one.nodes or other.nodes
        )
    return one


def _combined_parameters(
    where: str, one: Sequence[Parameter], other: Sequence[Parameter]
) -> tuple[Parameter, ...]:
    if len(one) != len(other):
        raise _disagreement(f"how many arguments {where} takes", len(one), len(other))
    return tuple(
        replace(
            left, type=_combined_type(f"the argument {left.name} of {where}", left.type, right.type)
        )
        for left, right in zip(one, other, strict=True)
    )


def _combined_type(where: str, one: Type, other: Type) -> Type:
    if one.kind == other.kind and one.element and other.element:
        return replace(one, element=_combined_type(where, one.element, other.element))
    if one.kind == other.kind:
        return one
    if Kind.OPTIONAL in (one.kind, other.kind):
        left, right = (
            type_.element if type_.kind == Kind.OPTIONAL and type_.element else type_
            for type_ in (one, other)
        )
        return Type(Kind.OPTIONAL, _combined_type(where, left, right))
    # The more exact of two kinds that languages use for the same value.
    more_exact = {
        frozenset({Kind.INT, Kind.LONG}): Kind.LONG,
        frozenset({Kind.INT, Kind.FLOAT}): Kind.FLOAT,
        frozenset({Kind.STRING, Kind.CHAR}): Kind.CHAR,
    }
    kind = more_exact.get(frozenset({one.kind, other.kind}))
    if kind is None:
        raise _disagreement(f"the type of {where}", one, other)
    return Type(kind)


class Disagreement(SignatureError):
    """Starter code in two languages has contradictory signatures."""


def _disagreement(subject: str, one: object, other: object) -> Disagreement:
    return Disagreement(
        f"languages do not agree on {subject}",
        f"one says {one}, another {other}",
        "use one of them alone",
    )


def widened(signature: Signature, statement: str) -> Signature:
    """Return `signature` with wider numbers if a statement asks for them.

    The statement may be plain text, Markdown or HTML. Integers become 64-bit if a constraint
    exceeds 32 bits: ``1 <= k <= 10^15`` for k and its elements, ``the answer fits in a 64-bit
    integer`` for results. An integer result becomes a floating-point number if answers
    ``within 10^-5`` are accepted. 1015 counts as 10^15, since copied web pages lack superscripts.
    """
    named: set[str] = set()
    result_kind = Kind.INT
    # Entities come last, because `&lt;` must not begin a tag.
    text = html.unescape(
        re.sub(r"</?[a-zA-Z][^<>]*>", "", re.sub(r"<sup>(.*?)</sup>", r"^\1", statement))
    )
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        if _is_wide(sentence):
            # A total ("the sum of all n is at most …") does not bound the arguments themselves.
            if not re.search(r"\b(total|sum|product)\b", sentence, re.IGNORECASE):
                named.update(re.findall(r"\w+", sentence))
            # A float takes precedence over a long, in any order of sentences.
            of_result = re.search(
                r"\b(answer|result|output|return(?:ed)?)\b", sentence, re.IGNORECASE
            )
            if of_result and result_kind == Kind.INT:
                result_kind = Kind.LONG
        if re.search(
            r"\bwithin\s+(?:an? \w+ (?:\w+ )?of\s+)?10\s*\^?\s*\{?[-\u2212]\s*\d|\bwithin\s+(?:1e-\d|0\.0+1)",
            sentence,
        ):
            result_kind = Kind.FLOAT

    def widen(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
        return tuple(
            replace(parameter, type=_with_integers(parameter.type, Kind.LONG))
            if parameter.name in named
            else parameter
            for parameter in parameters
        )

    functions = tuple(
        replace(
            function,
            parameters=widen(function.parameters),
            returns=_with_integers(function.returns, result_kind),
        )
        for function in signature.functions
    )
    return replace(signature, functions=functions, constructor=widen(signature.constructor))


def _with_integers(outer: Type, kind: Kind) -> Type:
    """Return `outer` with `kind` in place of its 32-bit integers, except the labels of graphs."""
    if outer.kind == Kind.GRAPH:
        return outer
    if outer.element:
        return replace(outer, element=_with_integers(outer.element, kind))
    return Type(kind) if outer.kind == Kind.INT else outer


def _is_wide(sentence: str) -> bool:
    def magnitude(match: re.Match[str]) -> int:
        """Return the magnitude that an integer must hold; -2^31 needs no more than 2^31 - 1."""
        digits = re.sub(r"[,_]", "", match["base"])
        power = int(match["power"] or 0)
        # A text copied from a web page has 1015 for 10 with the superscript 15.
        lost = re.fullmatch(r"10(1[0-8])", digits)
        value = (
            int(digits) ** power if match["power"] else int(digits) * 10 ** int(match["ten"] or 0)
        )
        if lost and not match["power"]:
            value = 10 ** int(lost[1])
        # `< 2^31` and `2^31 - 1` fit in 32 bits.
        below = (
            bool(match["sign"])
            or bool(match["less"])
            or match.string[: match.start()].rstrip().endswith("<")
        )
        return int(int(match["times"] or 1) * value - below)

    if re.search(
        r"(?:\bnot|n't)\s+fit\s+(?:in|into)\s+(?:an?\s+)?(?:signed\s+)?32\b",
        sentence,
        re.IGNORECASE,
    ):
        return True
    if re.search(r"\b64[- ]bits?\b|\blong long\b|\bint64\b", sentence, re.IGNORECASE):
        return not re.search(r"\bnot\b|n't\b|\bwithout\b", sentence, re.IGNORECASE)
    if not re.search(r"[<>\u2264\u2265]|\bat most\b|\bat least\b|\bexceed\b|\bbetween\b", sentence):
        return False  # no bound
    # Repeats are bounded, so that an untrusted statement cannot make the search slow.
    number = re.compile(
        r"(?P<sign>[-\u2212]\s*)?(?:(?P<times>\d{1,20})\s*[*x\u00d7]\s*)?"
        r"(?P<base>\d[\d,_]{0,30})(?:\s*(?:\^|\*\*)\s*\{?(?P<power>\d{1,3})\}?|e(?P<ten>\d{1,3}))?(?:\s*(?P<less>-)\s*1\b)?"
    )
    return any(magnitude(match) > LARGEST_INT for match in number.finditer(sentence))


def refined(signature: Signature, samples: Iterable[ExampleCall]) -> Signature:
    """Return `signature` with integers widened to the kinds of number that samples have.

    A value with a fraction makes the type a floating-point number, a value beyond 32 bits a long.
    Samples of another shape are ignored; a value of a wrong type is left for `valid` to refuse.
    """

    def calls(sample: ExampleCall) -> Iterator[tuple[str, Sequence[Value], Value]]:
        if not signature.design:
            yield signature.functions[0].name, sample.arguments, sample.result
            return
        columns = [*sample.arguments, sample.result]
        if len(columns) == 3 and all(isinstance(column, list) for column in columns):
            for name, arguments, result in zip(*columns, strict=False):
                if isinstance(arguments, list) and isinstance(name, str):
                    yield name, arguments, result

    functions = {function.name: function for function in signature.functions}
    # The constructor is refined like a function.
    constructor = Function("", signature.constructor, Type(Kind.VOID))
    for sample in samples:
        for name, arguments, result in calls(sample):
            if name == signature.holder and signature.design:
                constructor = _refine_function(constructor, arguments, None)
            elif name in functions:
                functions[name] = _refine_function(functions[name], arguments, result)
    refined_functions = tuple(functions[function.name] for function in signature.functions)
    return replace(signature, functions=refined_functions, constructor=constructor.parameters)


def _refine_function(function: Function, arguments: Sequence[Value], result: Value) -> Function:
    if len(arguments) != len(function.parameters):
        return function
    parameters = tuple(
        replace(parameter, type=_widen(parameter.type, value))
        for parameter, value in zip(function.parameters, arguments, strict=True)
    )
    if function.changed is not None:
        changed = parameters[function.changed]
        wider = replace(changed, type=_widen(changed.type, result))
        parameters = (*parameters[: function.changed], wider, *parameters[function.changed + 1 :])
    return replace(function, parameters=parameters, returns=_widen(function.returns, result))


def _widen(type_: Type, value: Value) -> Type:
    """Return a type with integers wide enough for `value`."""
    if type_.kind == Kind.GRAPH:
        return type_
    if type_.element:
        element = type_.element
        for item in value if isinstance(value, list) else [value]:
            element = _widen(element, item)
        return replace(type_, element=element)
    if type_.kind in (Kind.INT, Kind.LONG) and type(value) is float:
        return Type(Kind.FLOAT)
    # Not `isinstance`, for which a bool is an int.
    beyond = type(value) is int and not -LARGEST_INT - 1 <= value <= LARGEST_INT
    return Type(Kind.LONG) if type_.kind == Kind.INT and beyond else type_
