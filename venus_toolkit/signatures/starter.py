"""Starter code: the frame that a solution fills in, as the users of a language know it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import jinja2

from venus_toolkit.errors import LanguageError
from venus_toolkit.language import Language
from venus_toolkit.signatures.grammar import NODES, Grammar, grammar_of
from venus_toolkit.signatures.spelling import function_name, parameter_name, written
from venus_toolkit.signatures.types import Function, Parameter, Signature, Type


class Argument(NamedTuple):
    """A parameter as a language writes it; changed says whether it is the result."""

    name: str
    type: str
    kind: str
    changed: bool = False


class Routine(NamedTuple):
    """A function as a language writes it; changed is the name of the argument that is the result, or empty."""

    name: str
    arguments: Sequence[Argument]
    returns: str
    kind: str
    changed: str


class NodeClass(NamedTuple):
    """A node class that has to be defined; value is the type of what a node holds."""

    name: str
    kind: str
    value: str


def starter_code(signature: Signature, language: Language) -> str:
    """Return the frame that solutions of `signature` fill in, with the node classes it needs defined in comments.

    Raises:
        LanguageError: The language has no template for it, or does not say how it writes signatures.
    """
    grammar = grammar_of(language)
    return _template(language).render(
        holder=signature.holder,
        design=signature.design,
        constructor=[_argument(parameter, grammar) for parameter in signature.constructor],
        functions=[_routine(function, signature.design, grammar) for function in signature.functions],
        nodes=_node_classes(signature, grammar),
    )


@functools.cache
def _template(language: Language) -> jinja2.Template:
    file = language.folder / f"starter{language.extension}.j2"
    if not file.is_file():
        raise LanguageError(
            f"starter code in {language.name} cannot be written", f"there is no {file}", "see docs/runners.md"
        )
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(file.read_text(encoding="utf-8"))


def _argument(parameter: Parameter, grammar: Grammar, changed: bool = False) -> Argument:
    return Argument(
        parameter_name(parameter.name, grammar), written(parameter.type, grammar), str(parameter.type.kind), changed
    )


def _routine(function: Function, design: bool, grammar: Grammar) -> Routine:
    arguments = [
        _argument(parameter, grammar, index == function.changed) for index, parameter in enumerate(function.parameters)
    ]
    return Routine(
        name=function_name(function.name, grammar, design),
        arguments=arguments,
        returns=written(function.returns, grammar),
        kind=str(function.returns.kind),
        changed="" if function.changed is None else arguments[function.changed].name,
    )


def _node_classes(signature: Signature, grammar: Grammar) -> list[NodeClass]:
    found = {
        inner.node: NodeClass(inner.node, str(inner.kind), written(inner.element, grammar))
        for outer in types_of(signature)
        for inner in inside(outer)
        if inner.kind in NODES and inner.element
    }
    return list(found.values())


def types_of(signature: Signature) -> Iterator[Type]:
    """Yield the types of all parameters and results."""
    for parameter in signature.constructor:
        yield parameter.type
    for function in signature.functions:
        yield from (parameter.type for parameter in function.parameters)
        yield function.returns


def inside(outer: Type) -> Iterator[Type]:
    """Yield a type and all that it is made of."""
    yield outer
    if outer.element:
        yield from inside(outer.element)
