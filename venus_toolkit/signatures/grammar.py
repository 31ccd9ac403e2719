"""How a language writes signatures.

Reads ``languages/<id>/signature.toml``, reads and writes types and names.

A spelling is the text of a type in which ``{T}`` stands for another type and ``{Node}`` for the
name of a node class. The first spelling of a kind is the one that is written; all of them are read.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.language import Language
from venus_toolkit.signatures.types import NODES, SCALARS, Kind, Type

# The order in which spellings are tried: the simplest types first, because {T} matches any text.
ORDER = (*SCALARS, Kind.VOID, *NODES, Kind.LIST, Kind.OPTIONAL)
DEEPEST = 8  # each level tries every spelling again, and the text comes from outside


class Find(NamedTuple):
    """Where things are in code.

    query asks the parser of the language for them, with captures that docs/runners.md explains.
    ignored is what a type is the same without, constructor what a constructor is called if not like
    its class, receivers are parameters like ``self``.
    """

    query: str
    ignored: re.Pattern[str]
    constructor: str
    receivers: tuple[str, ...]


class Docs(NamedTuple):
    """Where comments say types: before a function's head or after it."""

    before: bool
    parameter: tuple[re.Pattern[str], ...]
    returns: tuple[re.Pattern[str], ...]


class NameConventions(NamedTuple):
    """Conventions: kept, snake or pascal.

    Free: what other languages put into a class Solution is a free function.
    """

    reserved: frozenset[str]
    free: bool = False
    functions: str = "kept"
    methods: str = "kept"
    parameters: str = "kept"


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """What ``signature.toml`` says.

    Spellings match types without meaningless blanks, in the order they are tried.
    """

    language: Language
    parser: str
    written: Mapping[Kind, str]
    boxed: Mapping[Kind, str]
    spellings: tuple[tuple[Kind, re.Pattern[str]], ...]
    find: Find
    docs: Docs | None
    names: NameConventions
    owned_lists: bool = False  # a node of a list owns the next one: nothing else can point to it


@functools.cache
def grammar_of(language: Language) -> Grammar:
    """Return how `language` writes signatures.

    Raises:
        LanguageError: Its folder has no ``signature.toml``, or one that is not as documented.
    """
    file, see = language.folder / "signature.toml", "see docs/runners.md"
    try:
        return _grammar(language, tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        what = f"signatures in {language.name} cannot be read or written"
        raise LanguageError(what, f"there is no {file}", see) from error
    except KeyError as error:
        raise LanguageError(f"{file} is incomplete", f"the key {error} is missing", see) from error
    except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
        raise LanguageError(f"{file} cannot be read", str(error), see) from error


def _squeezed(text: str) -> str:
    """Return `text` with one blank between two words and none anywhere else."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split()))


def _grammar(language: Language, table: Mapping[str, Any]) -> Grammar:
    if language.syntax is None:
        raise ValueError("language.toml names no parser, see docs/languages.md, [syntax]")

    def pattern(spelt: str) -> re.Pattern[str]:
        text = re.escape(_squeezed(spelt))
        for hole, group in {"{T}": "(?P<inner>.+)", "{Node}": r"_?(?P<node>\w+)"}.items():
            text = text.replace(re.escape(hole), group)
        return re.compile(text)

    listed = table["types"]
    if unknown := sorted(set(listed) - {*map(str, Kind), "node"}):
        raise ValueError(f"unknown types: {', '.join(unknown)}")
    # A kind of node is spelt like nodes in general, unless the table says how.
    types = {kind: listed.get(kind, listed["node"] if kind in NODES else []) for kind in ORDER}
    written = {kind: spelt[0] for kind, spelt in types.items() if spelt}
    # Methods are spelt as functions are, unless the table says how.
    usual = {"methods": table["names"].get("functions", "kept")}
    reserved = frozenset(table["names"]["reserved"])
    names = NameConventions(**{**usual, **table["names"], "reserved": reserved})
    if wrong := sorted(
        {names.functions, names.methods, names.parameters} - {"kept", "snake", "pascal"}
    ):
        raise ValueError(
            f"unknown conventions of names: {', '.join(wrong)}; known are kept, snake, pascal"
        )
    docs = None
    if "docs" in table:
        before = _one_of(table["docs"], "place", ("before", "after")) == "before"
        docs = Docs(before, _all(table["docs"]["parameter"]), _all(table["docs"]["returns"]))
    return Grammar(
        language=language,
        parser=language.syntax.grammar,
        written=written | {Kind(kind): spelt for kind, spelt in table.get("written", {}).items()},
        boxed={Kind(kind): spelt for kind, spelt in table.get("boxed", {}).items()},
        spellings=tuple((kind, pattern(spelt)) for kind in ORDER for spelt in types[kind]),
        find=_find(table["find"]),
        docs=docs,
        names=names,
        owned_lists=table.get("owned_lists", False),
    )


def _find(table: Mapping[str, Any]) -> Find:
    return Find(
        query=table["query"],
        # (?!) matches nowhere.
        ignored=re.compile(table.get("ignored", "(?!)")),
        constructor=table.get("constructor", ""),
        receivers=tuple(table.get("receivers", ())),
    )


def _one_of(table: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
    if table[key] not in known:
        raise ValueError(f"{key} is one of {', '.join(known)}, got {table[key]!r}")
    return str(table[key])


def _all(patterns: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)


def read_type(text: str, grammar: Grammar, nodes: Mapping[str, Type | None]) -> Type | None:
    """Return the type that `text` is in a language, or None where it is not supported.

    Args:
        text: As it stands in the code or in a comment; types nested deeper than `DEEPEST` are not
            supported.
        grammar: Of the language.
        nodes: The node classes that are defined, by their names; None: one that is not supported.
    """

    def read(text: str, levels: int) -> Type | None:
        for kind, pattern in grammar.spellings if levels else ():
            match = pattern.fullmatch(text)
            # {T} may have matched too much; then a later spelling fits.
            if match and (result := construct(kind, match, levels)):
                return result
        return None

    def construct(kind: Kind, match: re.Match[str], levels: int) -> Type | None:
        if kind in NODES:
            node = nodes.get(match["node"])
            return node if node and node.kind == kind else None
        if kind not in (Kind.LIST, Kind.OPTIONAL):
            return Type(kind)
        inner = read(match["inner"], levels - 1)
        if inner is None or inner.kind == Kind.VOID:
            return None
        # A node may be null in any language, so an optional node is just a node.
        return (
            inner
            if kind == Kind.OPTIONAL and inner.kind in (*NODES, Kind.OPTIONAL)
            else Type(kind, inner)
        )

    return read(_squeezed(grammar.find.ignored.sub(" ", text)), DEEPEST)


def written(wanted: Type, grammar: Grammar) -> str:
    """Return how a language writes the type `wanted`."""
    wanted = wanted.declared
    text = grammar.written[wanted.kind]
    if wanted.kind in NODES:
        return text.replace("{Node}", wanted.node)
    if not wanted.element:
        return text
    # Java's generics take boxed types only: List<Integer>.
    if re.search(r"<[^>]*\{T\}", text) and wanted.element.kind in grammar.boxed:
        return text.replace("{T}", grammar.boxed[wanted.element.kind])
    return text.replace("{T}", written(wanted.element, grammar))


def spelled(name: str, convention: str) -> str:
    """Return `name`, which is in camel case as a rule, in a convention: kept, snake or pascal."""
    if convention == "snake":
        # First between capitals and the word that follows (HTMLPage), then before every other word.
        words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
        return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", words).lower()
    return name[:1].upper() + name[1:] if convention == "pascal" else name


def common(name: str, convention: str) -> str:
    """Return the name in camel case that `name` is the spelling of.

    A name that is none stays as it is.
    """
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
    # Rust's way to use a reserved word as a name.
    plain = text.removeprefix("r#")
    if plain.endswith("_") and plain[:-1] in grammar.names.reserved:
        plain = plain[:-1]
    return common(plain, grammar.names.parameters)
