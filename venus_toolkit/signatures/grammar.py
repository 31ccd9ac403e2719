"""Reads and writes types and names in a language, as its ``signature.toml`` describes them.

A spelling is the text of a type, with ``{T}`` for another type and ``{Node}`` for the name of a
node class. All spellings of a kind are read; the first one is written.
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

# Spellings are tried in this order, the simplest types first, because {T} matches any text.
ORDER = (*SCALARS, Kind.VOID, *NODES, Kind.LIST, Kind.OPTIONAL)
DEEPEST = 8  # each level tries every spelling again, and the text is untrusted


class Find(NamedTuple):
    """How to find signatures in code.

    query is a query for the parser of the language; docs/runners.md explains its captures. ignored
    matches parts of a type to skip, constructor is the name of a constructor if it is not that of
    its class, and receivers are parameters like ``self``.
    """

    query: str
    ignored: re.Pattern[str]
    constructor: str
    receivers: tuple[str, ...]


class Docs(NamedTuple):
    """Patterns of types in comments, before a function's head or after it."""

    before: bool
    parameter: tuple[re.Pattern[str], ...]
    returns: tuple[re.Pattern[str], ...]


class NameConventions(NamedTuple):
    """Conventions for names: kept, snake or pascal.

    free: the language uses free functions in place of the class Solution.
    """

    reserved: frozenset[str]
    free: bool = False
    functions: str = "kept"
    methods: str = "kept"
    parameters: str = "kept"


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The content of ``signature.toml``.

    Spellings match types without insignificant blanks; they are tried in order.
    """

    language: Language
    parser: str
    written: Mapping[Kind, str]
    boxed: Mapping[Kind, str]
    spellings: tuple[tuple[Kind, re.Pattern[str]], ...]
    find: Find
    docs: Docs | None
    names: NameConventions
    owned_lists: bool = False  # each node owns the next one, so there is only one pointer to it


@functools.cache
def grammar_of(language: Language) -> Grammar:
    """Return the grammar of the signatures of `language`.

    Raises:
        LanguageError: Its ``signature.toml`` is missing or not as documented.
    """
    file, see = language.folder / "signature.toml", "see docs/runners.md"
    try:
        return _grammar(language, tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise LanguageError(
            f"signatures in {language.name} cannot be read or written", f"there is no {file}", see
        ) from error
    except KeyError as error:
        raise LanguageError(f"{file} is incomplete", f"the key {error} is missing", see) from error
    except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
        raise LanguageError(f"{file} cannot be read", str(error), see) from error


def _squeeze(text: str) -> str:
    """Return `text` with one blank between two words and no others."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split()))


def _grammar(language: Language, table: Mapping[str, Any]) -> Grammar:
    if language.syntax is None:
        raise ValueError("language.toml names no parser, see docs/languages.md, [syntax]")

    def pattern(spelt: str) -> re.Pattern[str]:
        text = re.escape(_squeeze(spelt))
        for hole, group in {"{T}": "(?P<inner>.+)", "{Node}": r"_?(?P<node>\w+)"}.items():
            text = text.replace(re.escape(hole), group)
        return re.compile(text)

    listed = table["types"]
    if unknown := sorted(set(listed) - {*map(str, Kind), "node"}):
        raise ValueError(f"unknown types: {', '.join(unknown)}")
    # Without its own spelling, a kind of node is spelt like nodes in general.
    types = {kind: listed.get(kind, listed["node"] if kind in NODES else []) for kind in ORDER}
    written = {kind: spelt[0] for kind, spelt in types.items() if spelt}
    # Without their own convention, methods are named like functions.
    default = {"methods": table["names"].get("functions", "kept")}
    reserved = frozenset(table["names"]["reserved"])
    names = NameConventions(**{**default, **table["names"], "reserved": reserved})
    if wrong := sorted(
        {names.functions, names.methods, names.parameters} - {"kept", "snake", "pascal"}
    ):
        raise ValueError(
            f"unknown conventions of names: {', '.join(wrong)}; expected one of kept, snake, pascal"
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
    """Return the type that `text` stands for in a language, or None if it is not supported.

    Args:
        text: The text in the code or in a comment; types nested deeper than `DEEPEST` are not
            supported.
        grammar: The grammar of the language.
        nodes: The defined node classes by name; None: an unsupported class.
    """

    def read(text: str, levels: int) -> Type | None:
        for kind, pattern in grammar.spellings if levels else ():
            match = pattern.fullmatch(text)
            # If {T} matched too much, a later spelling fits.
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
        # Every node may be null, so an optional node is just a node.
        return (
            inner
            if kind == Kind.OPTIONAL and inner.kind in (*NODES, Kind.OPTIONAL)
            else Type(kind, inner)
        )

    return read(_squeeze(grammar.find.ignored.sub(" ", text)), DEEPEST)


def spell_type(type_: Type, grammar: Grammar) -> str:
    """Return the text of a type in a language."""
    declared = type_.declared
    text = grammar.written[declared.kind]
    if declared.kind in NODES:
        return text.replace("{Node}", declared.node)
    if not declared.element:
        return text
    # Java's generics accept boxed types only: List<Integer>.
    if re.search(r"<[^>]*\{T\}", text) and declared.element.kind in grammar.boxed:
        return text.replace("{T}", grammar.boxed[declared.element.kind])
    return text.replace("{T}", spell_type(declared.element, grammar))


def spelled(name: str, convention: str) -> str:
    """Return `name`, usually in camel case, in a convention: kept, snake or pascal."""
    if convention == "snake":
        # First between an acronym and the next word (HTMLPage), then before every other word.
        words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
        return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", words).lower()
    return name[:1].upper() + name[1:] if convention == "pascal" else name


def common(name: str, convention: str) -> str:
    """Return the camel-case form of a name in a convention.

    A name that does not follow the convention is returned unchanged.
    """
    if convention == "pascal":
        camel = name[:1].lower() + name[1:]
    else:
        camel = re.sub(r"(?<=[a-z\d])_([a-z])", lambda match: match[1].upper(), name)
    return camel if spelled(camel, convention) == name else name


def parameter_name(name: str, grammar: Grammar) -> str:
    """Return the name of a parameter in a language; a reserved word gets a trailing ``_``."""
    text = spelled(name, grammar.names.parameters)
    return f"{text}_" if text in grammar.names.reserved else text


def read_parameter_name(text: str, grammar: Grammar) -> str:
    """Return the common name of a parameter: the inverse of `parameter_name`."""
    # In Rust, r# makes a name of a reserved word.
    plain = text.removeprefix("r#")
    if plain.endswith("_") and plain[:-1] in grammar.names.reserved:
        plain = plain[:-1]
    return common(plain, grammar.names.parameters)
