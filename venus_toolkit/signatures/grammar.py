"""How a language writes signatures: reads ``languages/<id>/signature.toml``.

A spelling is the text of a type in which ``{T}`` stands for another type and ``{Node}`` for the name of a node class;
the first of a kind is the one that we write, all of them are read.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import LanguageError
from venus_toolkit.language import Language
from venus_toolkit.signatures.types import Kind

FILE = "signature.toml"
NODES = (Kind.LINKED_LIST, Kind.TREE, Kind.NARY_TREE, Kind.GRAPH)
SCALARS = (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)
ORDER = (*SCALARS, Kind.VOID, *NODES, Kind.LIST, Kind.OPTIONAL)
HOLES = {"{T}": "(?P<inner>.+)", "{Node}": r"_?(?P<node>\w+)"}


class Spelling(NamedTuple):
    """A pattern for the text of a type, without blanks that mean nothing, and the kind that it is."""

    kind: Kind
    pattern: re.Pattern[str]


class Find(NamedTuple):
    """Where things are in code without comments; the groups of the patterns are named for what they find.

    The parentheses of the parameters stand between a function's pattern and `after`. constructor is what a
    constructor is called if not like its class, receivers are parameters that nobody passes, nothing is what may stand
    in an empty body. shared_types: ``a, b int``.
    """

    braces: bool
    ignored: re.Pattern[str]
    holder: re.Pattern[str]
    node: re.Pattern[str]
    field: re.Pattern[str]
    functions: tuple[re.Pattern[str], ...]
    after: re.Pattern[str]
    parameter: re.Pattern[str]
    constructor: str
    receivers: tuple[str, ...]
    nothing: re.Pattern[str]
    shared_types: bool


class Docs(NamedTuple):
    """Where comments say types: before a function's head or after it."""

    before: bool
    parameter: tuple[re.Pattern[str], ...]
    returns: tuple[re.Pattern[str], ...]


class Names(NamedTuple):
    """Conventions: kept, snake or pascal. free: what other languages put into a class Solution is a free function."""

    free: bool
    functions: str
    methods: str
    parameters: str
    reserved: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """What ``signature.toml`` says; spellings are in the order in which they are tried."""

    language: Language
    written: Mapping[Kind, str]
    boxed: Mapping[Kind, str]
    spellings: tuple[Spelling, ...]
    find: Find
    docs: Docs | None
    names: Names


def grammar_of(language: Language) -> Grammar:
    """Return how `language` writes signatures.

    Raises:
        LanguageError: Its folder has no ``signature.toml``, or one that is not as documented.
    """
    return _read(language, language.folder / FILE)


@functools.cache
def _read(language: Language, file: Path) -> Grammar:
    try:
        return _grammar(language, tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise LanguageError(
            f"signatures in {language.name} cannot be read or written", f"there is no {file}", "see docs/runners.md"
        ) from error
    except KeyError as error:
        raise LanguageError(f"{file} is incomplete", f"the key {error} is missing", "see docs/runners.md") from error
    except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
        raise LanguageError(f"{file} cannot be read", str(error), "see docs/runners.md") from error


def squeezed(text: str) -> str:
    """Return `text` with a blank between two words and none anywhere else."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split()))


def _grammar(language: Language, table: Mapping[str, Any]) -> Grammar:
    types = _types(table["types"])
    written = {kind: spelt[0] for kind, spelt in types.items() if spelt}
    return Grammar(
        language=language,
        written=written | {Kind(kind): spelt for kind, spelt in table.get("written", {}).items()},
        boxed={Kind(kind): spelt for kind, spelt in table.get("boxed", {}).items()},
        spellings=tuple(Spelling(kind, _pattern(spelt)) for kind in ORDER for spelt in types[kind]),
        find=_find(table["find"]),
        docs=_docs(table["docs"]) if "docs" in table else None,
        names=_names(table["names"]),
    )


def _types(table: Mapping[str, Any]) -> dict[Kind, list[str]]:
    """A kind of node is spelt like nodes in general, unless the table says how."""
    known = {str(kind) for kind in Kind} | {"node"}
    if unknown := sorted(set(table) - known):
        raise ValueError(f"unknown types: {', '.join(unknown)}")
    return {kind: table.get(kind, table["node"] if kind in NODES else []) for kind in ORDER}


def _pattern(spelt: str) -> re.Pattern[str]:
    pattern = re.escape(squeezed(spelt))
    for hole, group in HOLES.items():
        pattern = pattern.replace(re.escape(hole), group)
    return re.compile(pattern)


def _find(table: Mapping[str, Any]) -> Find:
    def lines(key: str, default: str = "(?!)") -> re.Pattern[str]:
        return re.compile(table.get(key, default), re.MULTILINE)

    return Find(
        braces=_one_of(table, "body", ("braces", "indentation")) == "braces",
        ignored=lines("ignored"),
        holder=re.compile(table["class"], re.MULTILINE),
        node=lines("node", table["class"]),
        field=re.compile(table["field"], re.MULTILINE),
        functions=_all(table["functions"]),
        after=re.compile(table["after"], re.MULTILINE),
        parameter=re.compile(table["parameter"], re.DOTALL),
        constructor=table.get("constructor", ""),
        receivers=tuple(table.get("receivers", ())),
        nothing=lines("nothing"),
        shared_types=table.get("shared_types", False),
    )


def _docs(table: Mapping[str, Any]) -> Docs:
    before = _one_of(table, "place", ("before", "after")) == "before"
    return Docs(before, _all(table["parameter"]), _all(table["returns"]))


def _one_of(table: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
    if table[key] not in known:
        raise ValueError(f"{key} is one of {', '.join(known)}, got {table[key]!r}")
    return str(table[key])


def _all(patterns: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)


def _names(table: Mapping[str, Any]) -> Names:
    functions = table.get("functions", "kept")
    names = Names(
        free=table.get("free", False),
        functions=functions,
        methods=table.get("methods", functions),
        parameters=table.get("parameters", "kept"),
        reserved=frozenset(table["reserved"]),
    )
    if wrong := sorted({names.functions, names.methods, names.parameters} - {"kept", "snake", "pascal"}):
        raise ValueError(f"unknown conventions of names: {', '.join(wrong)}; known are kept, snake, pascal")
    return names
