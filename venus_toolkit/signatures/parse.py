"""From starter code to a signature: one engine for all languages, which read from their ``signature.toml``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.errors import SignatureError
from venus_toolkit.language import Language
from venus_toolkit.signatures.grammar import Grammar, grammar_of
from venus_toolkit.signatures.heads import Head, find_heads
from venus_toolkit.signatures.nodes import find_nodes
from venus_toolkit.signatures.reader import Reader
from venus_toolkit.signatures.spelling import common
from venus_toolkit.signatures.text import read_code
from venus_toolkit.signatures.types import Signature

SOLUTION = "Solution"


def parse_signature(starter_code: str, language: Language, entry: str = "") -> Signature:
    """Return what starter code asks for.

    Types are as exact as the language is: where it has one word for integers of 32 and 64 bits they are of 32 bits, see
    `widened` and `refined`. A free function of a language whose users write no class for it belongs to ``Solution``.

    Args:
        starter_code: The frame that a solution fills in, with its comments.
        language: The language that it is written in.
        entry: The function or class that is asked for, where there may be several, such as ``Solution().twoSum``.

    Raises:
        SignatureError: There is no function in it, or one with a type that is not supported; the message names the
            line and the type.
        LanguageError: The language does not say how it writes signatures.
    """
    grammar = grammar_of(language)
    code = read_code(starter_code, language)
    nodes = find_nodes(code.raw, grammar)
    heads = [head for head in find_heads(code, grammar) if not nodes.names & {head.owner, head.name}]
    chosen = _chosen(heads, entry.rsplit(".", 1)[-1], grammar)
    reader = Reader(code, grammar, nodes.types, [head.start for head in heads])
    free = SOLUTION if grammar.names.free and not chosen.design else ""
    return Signature(
        tuple(reader.function(head, chosen.design) for head in chosen.methods),
        holder=chosen.holder or free,
        constructor=reader.parameters(chosen.constructor) if chosen.constructor else (),
        design=chosen.design,
    )


class _Chosen(NamedTuple):
    holder: str
    constructor: Head | None
    methods: Sequence[Head]

    @property
    def design(self) -> bool:
        return self.constructor is not None or len(self.methods) > 1


def _chosen(heads: Sequence[Head], entry: str, grammar: Grammar) -> _Chosen:
    holder = _holder(heads, entry, grammar)
    mine = [head for head in heads if head.owner == holder]
    constructor = next((head for head in mine if head.constructor), None)
    methods = [head for head in mine if not head.constructor]
    named = [head for head in methods if _is_called(head, entry, grammar)]
    asked = named if entry and entry != holder else methods
    chosen = _Chosen(holder, constructor, [head for head in asked if head.empty] or asked)
    _check(chosen, entry, grammar)
    return chosen


def _holder(heads: Sequence[Head], entry: str, grammar: Grammar) -> str:
    """Return the class that is asked for: the one with the entry, else Solution, else the last; empty for none."""
    for head in heads:
        if entry and (head.owner == entry or _is_called(head, entry, grammar)):
            return head.owner
    owners = [head.owner for head in heads if head.owner]
    return SOLUTION if SOLUTION in owners else ["", *owners][-1]


def _is_called(head: Head, entry: str, grammar: Grammar) -> bool:
    """The entry may be in the spelling of another language."""
    names = grammar.names
    return entry in (head.name, common(head.name, names.functions), common(head.name, names.methods))


def _check(chosen: _Chosen, entry: str, grammar: Grammar) -> None:
    if not chosen.methods:
        raise SignatureError(
            f"no function to fill in was found{f' that is called {entry}' if entry else ''}",
            f"{grammar.language.name} would begin one otherwise",
            "see docs/runners.md for what starter code looks like",
        )
    frame = chosen.holder and (chosen.constructor or any(head.empty for head in chosen.methods))
    if chosen.design and not frame:
        names = ", ".join(method.name for method in chosen.methods)
        raise SignatureError(
            "it is not clear which function is asked for",
            f"{names} are alike and make no class to design",
            "name the one that is meant: entry",
        )
