"""From starter code to a signature: one engine for all languages, which read from their ``signature.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from venus_toolkit.errors import SignatureError
from venus_toolkit.language import Language
from venus_toolkit.signatures.grammar import NODES, Grammar, grammar_of
from venus_toolkit.signatures.heads import Head, find_heads
from venus_toolkit.signatures.nodes import find_nodes
from venus_toolkit.signatures.spelling import common, read_parameter_name, read_type
from venus_toolkit.signatures.text import Code, Piece, cut_at_commas, read_code
from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type

SOLUTION = "Solution"
VOID = Type(Kind.VOID)
IN_PLACE = re.compile(r"\bmodify\s+[`'\"]?(\w+)[`'\"]?\s+in[- ]place")
SUPPORTED = "types that are supported: docs/runners.md"


def parse_signature(starter_code: str, language: Language, entry: str = "") -> Signature:
    """Return what starter code asks for.

    Types are as exact as the language is: where it has one word for integers of 32 and 64 bits they are of 32 bits, see
    `widened` and `refined`. A free function of a language whose users write no class for it belongs to ``Solution``.

    Args:
        starter_code: The frame that a solution fills in, with its comments.
        language: The language that it is written in.
        entry: The name of the function that is asked for, where there may be several, such as ``Solution().twoSum``.

    Raises:
        SignatureError: There is no function in it, or one with a type that is not supported; the message names the
            line and the type.
        LanguageError: The language does not say how it writes signatures.
    """
    grammar = grammar_of(language)
    code = read_code(starter_code, language)
    nodes = find_nodes(code.raw, grammar)
    heads = [head for head in find_heads(code, grammar) if not nodes.names & {head.owner, head.name}]
    chosen = _chosen(heads, entry.rsplit(".", 1)[-1], language)
    reader = _Reader(code, grammar, nodes.types, sorted(head.start for head in heads))
    return reader.signature(chosen)


class _Chosen(NamedTuple):
    holder: str
    constructor: Head | None
    methods: Sequence[Head]

    @property
    def design(self) -> bool:
        return self.constructor is not None or len(self.methods) > 1


def _chosen(heads: Sequence[Head], entry: str, language: Language) -> _Chosen:
    holder = _holder(heads, entry)
    mine = [head for head in heads if head.owner == holder]
    constructors = [head for head in mine if head.constructor]
    methods = _asked([head for head in mine if not head.constructor], entry)
    if not methods:
        raise SignatureError(
            "no function to fill in was found",
            f"the starter code has none {f'called {entry}' if entry else ''} as {language.name} writes them",
            "see docs/runners.md for what starter code looks like",
        )
    chosen = _Chosen(holder, constructors[0] if constructors else None, methods)
    if chosen.design and not holder:
        names = ", ".join(method.name for method in methods)
        raise SignatureError(
            "it is not clear which function is asked for", f"{names} belong to no class", "name it: entry"
        )
    return chosen


def _holder(heads: Sequence[Head], entry: str) -> str:
    """Return the class that is asked for: the one with the entry, else Solution, else the last; empty for none."""
    for head in heads:
        if entry and head.name == entry:
            return head.owner
    owners = [head.owner for head in heads if head.owner]
    return SOLUTION if SOLUTION in owners else ["", *owners][-1]


def _asked(methods: Sequence[Head], entry: str) -> Sequence[Head]:
    """Return the functions without helpers, which have a body where others have none."""
    if entry:
        return [head for head in methods if head.name == entry]
    return [head for head in methods if head.empty] or methods


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the types of one program. starts are the places where functions begin."""

    code: Code
    grammar: Grammar
    nodes: Mapping[str, Type]
    starts: Sequence[int]

    def signature(self, chosen: _Chosen) -> Signature:
        free = SOLUTION if self.grammar.names.free and not chosen.design else ""
        return Signature(
            tuple(self._function(head, chosen.design) for head in chosen.methods),
            holder=chosen.holder or free,
            constructor=self._parameters(chosen.constructor) if chosen.constructor else (),
            design=chosen.design,
        )

    def _function(self, head: Head, design: bool) -> Function:
        parameters = self._parameters(head)
        returns = self._result(head)
        changed = self._changed(head, parameters) if returns == VOID and not design else None
        names = self.grammar.names
        name = common(head.name, names.methods if design else names.functions)
        return Function(name, parameters, returns, changed)

    def _parameters(self, head: Head) -> tuple[Parameter, ...]:
        """Return the parameters; in Go one without a type has that of the next."""
        said = self._said(head)
        cut = cut_at_commas(head.parameters.text, head.parameters.offset)
        pieces = [piece for piece in cut if " ".join(piece.text.split()) not in self.grammar.find.receivers]
        matches = [self._match(piece) for piece in pieces]
        types = [
            self._in_code(match, piece) or said.get(match["name"]) for match, piece in zip(matches, pieces, strict=True)
        ]
        for index in reversed(range(len(types) - 1) if self.grammar.find.shared_types else ()):
            types[index] = types[index] or types[index + 1]
        return tuple(
            self._parameter(match["name"], typed, piece)
            for match, typed, piece in zip(matches, types, pieces, strict=True)
        )

    def _match(self, piece: Piece) -> re.Match[str]:
        match = self.grammar.find.parameter.fullmatch(piece.text)
        if match is None:
            raise self._refusal(piece.text, "of a parameter", piece.offset)
        return match

    def _in_code(self, match: re.Match[str], piece: Piece) -> Piece | None:
        if "type" not in match.re.groupindex or match["type"] is None:
            return None
        return Piece(piece.offset + match.start("type"), match["type"])

    def _parameter(self, name: str, typed: Piece | None, piece: Piece) -> Parameter:
        found = self._type(typed, f"of the parameter {name}", piece.offset)
        if found == VOID:
            raise self._refusal("nothing", f"of the parameter {name}", piece.offset)
        return Parameter(read_parameter_name(name, self.grammar), found)

    def _result(self, head: Head) -> Type:
        typed = head.returns or self._said_result(head)
        if typed is None and self.grammar.written[Kind.VOID] == "":
            return VOID
        return self._type(typed, f"of the result of {head.name}", head.start)

    def _type(self, typed: Piece | None, of_what: str, offset: int) -> Type:
        if typed is None:
            raise SignatureError(
                f"the type {of_what} in line {self.code.line_number(offset)} is not known",
                f"neither the code nor a comment says it: {self.code.line(offset)}",
                SUPPORTED,
            )
        found = read_type(typed.text, self.grammar, self.nodes)
        if found is None:
            raise self._refusal(typed.text, of_what, typed.offset)
        return found

    def _refusal(self, text: str, of_what: str, offset: int) -> SignatureError:
        spelt = " ".join(text.split())
        return SignatureError(
            f"the type {spelt!r} {of_what} in line {self.code.line_number(offset)} is not supported",
            f"the line is {self.code.line(offset)!r}",
            SUPPORTED,
        )

    def _comments(self, head: Head) -> Piece:
        """Return the text in which comments say what they say of a function."""
        assert self.grammar.docs
        if self.grammar.docs.before:
            start = max((place for place in self.starts if place < head.start), default=0)
            return Piece(start, self.code.raw[start : head.start])
        end = min((place for place in self.starts if place > head.start), default=len(self.code.raw))
        return Piece(head.end, self.code.raw[head.end : end])

    def _said(self, head: Head) -> dict[str, Piece]:
        """Return the types of parameters that comments tell."""
        if not self.grammar.docs:
            return {}
        place, text = self._comments(head)
        matches = [match for pattern in self.grammar.docs.parameter for match in pattern.finditer(text)]
        return {match["name"]: Piece(place + match.start("type"), match["type"]) for match in matches}

    def _said_result(self, head: Head) -> Piece | None:
        if not self.grammar.docs:
            return None
        place, text = self._comments(head)
        matches = [match for pattern in self.grammar.docs.returns for match in pattern.finditer(text)]
        return Piece(place + matches[-1].start("type"), matches[-1]["type"]) if matches else None

    def _changed(self, head: Head, parameters: Sequence[Parameter]) -> int:
        """Return which argument is the result: the one that a comment names, else the first that can be changed."""
        named = {read_parameter_name(name, self.grammar) for name in IN_PLACE.findall(self.code.raw)}
        for index, parameter in enumerate(parameters):
            if parameter.name in named:
                return index
        for index, parameter in enumerate(parameters):
            if parameter.type.kind in (Kind.LIST, *NODES):
                return index
        raise SignatureError(
            f"{head.name} in line {self.code.line_number(head.start)} has no result",
            "it returns nothing and has no argument that it could change",
            SUPPORTED,
        )
