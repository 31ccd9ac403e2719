"""Types and names as a language spells them, in both directions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from venus_toolkit.signatures.grammar import NODES, Grammar, squeezed
from venus_toolkit.signatures.types import Kind, Type

DEEPEST = 8


def read_type(text: str, grammar: Grammar, nodes: Mapping[str, Type]) -> Type | None:
    """Return the type that `text` is in a language, or None where it is none that we support.

    Args:
        text: As it stands in the code or in a comment; deeper than `DEEPEST` it is not supported.
        grammar: Of the language.
        nodes: The node classes that are defined, by their names.
    """
    return _read(squeezed(grammar.find.ignored.sub(" ", text)), grammar, nodes, DEEPEST)


def _read(text: str, grammar: Grammar, nodes: Mapping[str, Type], levels: int) -> Type | None:
    for kind, pattern in grammar.spellings if levels else ():
        match = pattern.fullmatch(text)
        found = _made(kind, match, grammar, nodes, levels) if match else None
        if found:
            return found
    return None


def _made(kind: Kind, match: re.Match[str], grammar: Grammar, nodes: Mapping[str, Type], levels: int) -> Type | None:
    if kind in NODES:
        node = nodes.get(match["node"])
        return node if node and node.kind == kind else None
    if kind not in (Kind.LIST, Kind.OPTIONAL):
        return Type(kind)
    inner = _read(match["inner"], grammar, nodes, levels - 1)
    if inner is None or inner.kind == Kind.VOID:
        return None
    absent_anyway = kind == Kind.OPTIONAL and inner.kind in (*NODES, Kind.OPTIONAL)
    return inner if absent_anyway else Type(kind, inner)


def written(wanted: Type, grammar: Grammar) -> str:
    """Return how a language writes the type `wanted`."""
    text = grammar.written[wanted.kind]
    if wanted.kind in NODES:
        return text.replace("{Node}", wanted.node)
    if not wanted.element:
        return text
    if re.search(r"<[^>]*\{T\}", text) and wanted.element.kind in grammar.boxed:
        return text.replace("{T}", grammar.boxed[wanted.element.kind])
    return text.replace("{T}", written(wanted.element, grammar))


def spelled(name: str, convention: str) -> str:
    """Return `name`, which is in camel case as a rule, in a convention: kept, snake or pascal."""
    if convention == "snake":
        words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
        return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", words).lower()
    return name[:1].upper() + name[1:] if convention == "pascal" else name


def common(name: str, convention: str) -> str:
    """Return the name in camel case that `name` is the spelling of; a name that is none stays as it is."""
    if convention == "pascal":
        camel = name[:1].lower() + name[1:]
    else:
        camel = re.sub(r"(?<=[a-z\d])_([a-z])", lambda match: match[1].upper(), name)
    return camel if spelled(camel, convention) == name else name


def parameter_name(name: str, grammar: Grammar) -> str:
    """Return the name of a parameter in a language, with a trailing ``_`` where it would be a reserved word."""
    text = spelled(name, grammar.names.parameters)
    return f"{text}_" if text in grammar.names.reserved else text


def read_parameter_name(text: str, grammar: Grammar) -> str:
    """Return the name that a parameter has elsewhere: `parameter_name` the other way round."""
    plain = text.removeprefix("r#")
    if plain.endswith("_") and plain[:-1] in grammar.names.reserved:
        plain = plain[:-1]
    return common(plain, grammar.names.parameters)


def function_name(name: str, grammar: Grammar, design: bool = False) -> str:
    """Return the name of a function in a language, or of a method of a class to design."""
    return spelled(name, grammar.names.methods if design else grammar.names.functions)
