"""What a language did not say of a signature: longer integers and fractions, from the statement or from samples."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type
from venus_toolkit.signatures.values import Value

LONG = Type(Kind.LONG)
LARGEST = 2**31 - 1
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
RAISED = re.compile(r"<sup>(.*?)</sup>")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
NUMBER = re.compile(
    r"(?P<sign>[-\u2212]\s*)?(?:(?P<times>\d{1,20})\s*[*x\u00d7]\s*)?"
    r"(?P<base>\d[\d,_]{0,30})(?:\s*(?:\^|\*\*)\s*\{?(?P<power>\d{1,3})\}?|e(?P<ten>\d{1,3}))?(?:\s*(?P<less>-)\s*1\b)?"
)
BOUND = re.compile(r"<=|>=|<|>|\u2264|\u2265|\bat most\b|\bat least\b|\bexceed\b|\bbetween\b")
LOST_POWER = re.compile(r"10(1[0-8])")
WIDE = re.compile(r"\b64[- ]bits?\b|\blong long\b|\bint64\b", re.IGNORECASE)
NOT_32 = re.compile(r"(?:\bnot|n't)\s+fit\s+(?:in|into)\s+(?:an?\s+)?(?:signed\s+)?32\b", re.IGNORECASE)
DENIAL = re.compile(r"\bnot\b|n't\b|\bwithout\b", re.IGNORECASE)
RESULT = re.compile(r"\b(answer|result|output|return(?:ed)?)\b", re.IGNORECASE)
TOTAL = re.compile(r"\b(total|sum|product)\b", re.IGNORECASE)
TOLERANCE = re.compile(
    r"\bwithin\s+(?:an? \w+ (?:\w+ )?of\s+)?10\s*\^?\s*\{?[-\u2212]\s*\d|\bwithin\s+(?:1e-\d|0\.0+1)"
)


class Sample(NamedTuple):
    """Arguments in their order and what comes out, as `json.loads` gives them.

    For a class to design they are the list of operations and that of their arguments, and the list of results.
    """

    arguments: Sequence[Value]
    result: Value


def widened(signature: Signature, statement: str) -> Signature:
    """Return `signature` with what a statement says of its numbers, in plain text, Markdown or HTML.

    Integers become longer where a constraint goes beyond 32 bits (``1 <= k <= 10^15`` for k and what k is made of,
    ``the answer fits in a 64-bit integer`` for results); an integer result becomes a floating point number where
    answers ``within 10^-5`` are accepted. A power whose superscript was lost, 1015 for 10^15, counts as the power.
    """
    named: set[str] = set()
    longer = fraction = False
    for sentence in _sentences(statement):
        if _is_wide(sentence):
            named.update(() if TOTAL.search(sentence) else re.findall(r"\w+", sentence))
            longer = longer or bool(RESULT.search(sentence))
        fraction = fraction or bool(TOLERANCE.search(sentence))

    def exact_result(result: Type) -> Type:
        if fraction:
            return _changed(result, Kind.INT, Kind.FLOAT)
        return _changed(result, Kind.INT, Kind.LONG) if longer else result

    return _rewritten(
        signature,
        lambda name, wanted: _changed(wanted, Kind.INT, Kind.LONG) if name in named else wanted,
        exact_result,
    )


def refined(signature: Signature, samples: Iterable[Sample]) -> Signature:
    """Return `signature` with the kinds of number that samples show where it says integer.

    A value with a fraction makes a floating point number, one beyond 32 bits a long one. Samples of another shape say
    nothing; a value that a type does not have is left for `valid` to refuse.
    """
    functions = {function.name: function for function in signature.functions}
    constructor = Function("", signature.constructor, Type(Kind.VOID))
    for sample in samples:
        for name, arguments, result in _calls(signature, sample):
            if name == signature.holder and signature.design:
                constructor = _fitted(constructor, arguments, None)
            elif name in functions:
                functions[name] = _fitted(functions[name], arguments, result)
    refined_functions = tuple(functions[function.name] for function in signature.functions)
    return replace(signature, functions=refined_functions, constructor=constructor.parameters)


# ------------------------------------------------------------------ what a statement says


def _sentences(statement: str) -> Iterator[str]:
    text = html.unescape(TAG.sub("", RAISED.sub(r"^\1", statement)))
    return (sentence for sentence in SENTENCE.split(text) if sentence.strip())


def _is_wide(sentence: str) -> bool:
    if NOT_32.search(sentence):
        return True
    if WIDE.search(sentence):
        return not DENIAL.search(sentence)
    return bool(BOUND.search(sentence)) and any(_magnitude(match) > LARGEST for match in NUMBER.finditer(sentence))


def _magnitude(match: re.Match[str]) -> int:
    """How large an integer has to be to hold a number; a bound of -2^31 needs no more than 2^31 - 1 does."""
    digits = re.sub(r"[,_]", "", match["base"])
    power = int(match["power"] or 0)
    lost = LOST_POWER.fullmatch(digits)
    value = int(digits) ** power if match["power"] else int(digits) * 10 ** int(match["ten"] or 0)
    if lost and not match["power"]:
        value = 10 ** int(lost[1])
    below = bool(match["sign"]) or bool(match["less"]) or match.string[: match.start()].rstrip().endswith("<")
    return int(int(match["times"] or 1) * value - below)


# ------------------------------------------------------------------ what samples show


class _Call(NamedTuple):
    name: str
    arguments: Sequence[Value]
    result: Value


def _calls(signature: Signature, sample: Sample) -> Iterator[_Call]:
    if not signature.design:
        yield _Call(signature.functions[0].name, sample.arguments, sample.result)
        return
    columns = [*sample.arguments, sample.result]
    if len(columns) == 3 and all(isinstance(column, list) for column in columns):
        for name, arguments, result in zip(*columns, strict=False):
            if isinstance(arguments, list) and isinstance(name, str):
                yield _Call(name, arguments, result)


def _fitted(function: Function, arguments: Sequence[Value], result: Value) -> Function:
    if len(arguments) != len(function.parameters):
        return function
    parameters = tuple(
        replace(parameter, type=_holding(parameter.type, value))
        for parameter, value in zip(function.parameters, arguments, strict=True)
    )
    if function.changed is not None:
        changed = parameters[function.changed]
        wider = replace(changed, type=_holding(changed.type, result))
        parameters = (*parameters[: function.changed], wider, *parameters[function.changed + 1 :])
    return replace(function, parameters=parameters, returns=_holding(function.returns, result))


def _holding(wanted: Type, value: Value) -> Type:
    """Return `wanted` made wide enough to hold `value`."""
    if wanted.kind == Kind.GRAPH:
        return wanted
    if wanted.element:
        element = wanted.element
        for item in value if isinstance(value, list) else [value]:
            element = _holding(element, item)
        return replace(wanted, element=element)
    if wanted.kind in (Kind.INT, Kind.LONG) and type(value) is float:
        return Type(Kind.FLOAT)
    beyond = type(value) is int and not -LARGEST - 1 <= value <= LARGEST
    return LONG if wanted.kind == Kind.INT and beyond else wanted


# ------------------------------------------------------------------ changing types


def _changed(outer: Type, before: Kind, after: Kind) -> Type:
    if outer.kind == Kind.GRAPH:
        return outer
    if outer.element:
        return replace(outer, element=_changed(outer.element, before, after))
    return Type(after) if outer.kind == before else outer


def _rewritten(
    signature: Signature, parameter_type: Callable[[str, Type], Type], result_type: Callable[[Type], Type]
) -> Signature:
    def parameters(given: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        return tuple(Parameter(each.name, parameter_type(each.name, each.type)) for each in given)

    functions = tuple(
        replace(each, parameters=parameters(each.parameters), returns=result_type(each.returns))
        for each in signature.functions
    )
    return replace(signature, functions=functions, constructor=parameters(signature.constructor))
