"""The program around a function: from a signature and a language's template to a runner that solutions are put into.

A runner reads arguments as JSON, one on each line, calls the solution, and prints the result as one line of JSON. Whose
first line is ``==Batch== N`` gets the arguments of N cases one after the other, and N lines back. What a solution
prints itself goes to standard error. docs/runners.md says how values look on either side.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import jinja2

from venus_toolkit.errors import LanguageError, SignatureError
from venus_toolkit.language import MARKER, Language, render
from venus_toolkit.signatures.spelling import spelled
from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type

BATCH = "==Batch=="
NODES = {Kind.LINKED_LIST: "ListNode", Kind.TREE: "TreeNode", Kind.NARY_TREE: "Node", Kind.GRAPH: "Node"}
VALUES = (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)


class NodeClass(NamedTuple):
    """The class of the nodes of a linked list, tree or graph, and the type of their values."""

    name: str
    element: Type


def render_runner(signature: Signature, language: Language, called: str = "") -> str:
    """Return the runner of `signature` in `language`; the line with ``==Code Submission==`` stands for the solution.

    Args:
        signature: What to call, and with what.
        language: Of the runner.
        called: The name of its only function in this language, where it is not spelt as usual there.

    Raises:
        LanguageError: The language has no template.
        SignatureError: The signature has a type that runners do not know.
    """
    template = language.folder / f"runner{language.extension}.j2"
    if not template.is_file():
        why = f"languages/{language.id}/{template.name} is missing"
        raise LanguageError(f"{language.name} has no runners for functions", why, "write one: see docs/runners.md")
    check_signature(signature)
    types = [inner for outer in _types(signature) for inner in _inside(outer)]
    text = _environment().from_string(template.read_text(encoding="utf-8"))
    kinds = {str(each.kind) for each in types}
    nodes = {str(each.kind): node_class(each) for each in types if each.kind in NODES}
    if called and not signature.design:
        signature = replace(signature, functions=(replace(signature.functions[0], name=called),))
    return text.render(signature=signature, kinds=kinds, nodes=nodes, marker=MARKER, batch=BATCH, called=called)


def place(runner: str, code: str, language: Language) -> str:
    """Return a runner that `render_runner` made with a solution in it.

    What would be there twice is removed from the solution first: ``languages/<id>/pasted.toml`` has the patterns.

    Raises:
        LanguageError: It is no such runner.
    """
    file = language.folder / "pasted.toml"
    patterns = tomllib.loads(file.read_text(encoding="utf-8"))["remove"] if file.is_file() else []
    for pattern in patterns:
        code = re.sub(pattern, "", code, flags=re.MULTILINE)
    return render(runner, code)


def fill(runner: str, code: str, language: Language) -> str:
    """Return the whole program: a solution in a runner, whether `render_runner` made it or somebody wrote it.

    Raises:
        LanguageError: The runner has no line for the solution, or more than one.
    """
    return place(runner, code, language) if BATCH in runner else render(runner, code)


def lines_of_case(signature: Signature) -> int:
    """Return how many lines of standard input one case has."""
    return 2 if signature.design else len(signature.functions[0].parameters)


def node_class(wanted: Type) -> NodeClass:
    """Return the node class of a linked list, tree or graph; where the type says nothing, the usual one of integers."""
    return NodeClass(wanted.node or NODES[wanted.kind], wanted.element or Type(Kind.INT))


# ------------------------------------------------------------------ what has a runner


def check_signature(signature: Signature) -> None:
    """Do nothing where runners can be made for `signature`.

    Raises:
        SignatureError: Otherwise; the message names the function and the type.
    """
    if not signature.design and len(signature.functions) != 1:
        names = ", ".join(function.name for function in signature.functions) or "none"
        _refuse("the signature has no runner", f"one function is wanted, got {names}")
    for function in signature.functions:
        _check_function(function, signature.design)
    for parameter in signature.constructor:
        _check_type(parameter.type, f"the constructor's argument {parameter.name}")
    _check_nodes(inner for outer in _types(signature) for inner in _inside(outer))


def _check_function(function: Function, design: bool) -> None:
    for parameter in function.parameters:
        _check_type(parameter.type, f"the argument {parameter.name} of {function.name}")
    if function.changed is not None and not 0 <= function.changed < len(function.parameters):
        _refuse(f"{function.name} has no runner", f"it has no argument {function.changed} to change")
    if function.returns.kind != Kind.VOID:
        _check_type(function.returns, f"the result of {function.name}")
    elif function.changed is None and not design:
        _refuse(f"{function.name} has no runner", "it returns nothing and changes no argument")


def _check_type(wanted: Type, where: str) -> None:
    """A type is supported when it is one of VALUES, nodes of these, or a list of supported types."""
    element = wanted.element
    known = wanted.kind in VALUES
    if wanted.kind in NODES:
        known = node_class(wanted).element.kind in VALUES
    elif wanted.kind in (Kind.LIST, Kind.OPTIONAL) and element:
        known = wanted.kind == Kind.LIST or element.kind in (*VALUES, Kind.LIST)
        _check_type(element, where)
    if wanted.kind == Kind.GRAPH:
        known = node_class(wanted).element.kind == Kind.INT
    if not known:
        _refuse(f"no runner knows the type {wanted}", f"{where} is of it")


def _check_nodes(types: Iterable[Type]) -> None:
    """One class for each kind of node, and one kind and element for each class."""
    classes: dict[str, Type] = {}
    by_kind: dict[Kind, str] = {}
    for wanted in types:
        if wanted.kind in NODES:
            name, element = node_class(wanted)
            other = classes.setdefault(name, Type(wanted.kind, element))
            if other != Type(wanted.kind, element) or by_kind.setdefault(wanted.kind, name) != name:
                _refuse(f"no runner has two kinds of {wanted.kind} or {name}", f"both {other} and {wanted} occur")


def _refuse(what: str, why: str) -> None:
    raise SignatureError(what, why, "see docs/runners.md for the types that have runners")


def _types(signature: Signature) -> Iterator[Type]:
    for function in signature.functions:
        yield from (parameter.type for parameter in function.parameters)
        yield function.returns
    yield from (parameter.type for parameter in signature.constructor)


def _inside(outer: Type) -> Iterator[Type]:
    """The type itself and those it is made of."""
    yield outer
    if outer.kind in NODES:
        yield node_class(outer).element
    elif outer.element:
        yield from _inside(outer.element)


# ------------------------------------------------------------------ templates


def snake(name: str) -> str:
    """Return a name as Rust and Ruby spell it: ``numIslands2`` is ``num_islands2``, ``toHTML`` is ``to_html``."""
    return spelled(name, "snake")


def camel(name: str) -> str:
    """Return the words of `name` without underscores between them: ``linked_list`` is ``linkedList``."""
    return re.sub(r"(?<=[a-zA-Z0-9])_+([a-zA-Z0-9])", lambda found: found[1].upper(), name)


def pascal(name: str) -> str:
    """Return a name as Go spells what it exports: ``getMin`` is ``GetMin``."""
    return spelled(name, "pascal")


def result_type(function: Function) -> Type:
    """Return the type of what is printed: of the result, or of the argument that is changed in place."""
    changed: Sequence[Parameter] = [] if function.changed is None else [function.parameters[function.changed]]
    return changed[0].type if changed else function.returns


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"snake": snake, "camel": camel, "pascal": pascal, "result_type": result_type}
    environment.globals |= {"node_class": node_class}
    return environment
