"""The types of parameters and results, from the code or from the comments beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venus_toolkit.errors import SignatureError
from venus_toolkit.signatures.grammar import NODES, Grammar
from venus_toolkit.signatures.heads import Head
from venus_toolkit.signatures.spelling import common, read_parameter_name, read_type
from venus_toolkit.signatures.text import Code, Piece, cut_at_commas
from venus_toolkit.signatures.types import Function, Kind, Parameter, Type

VOID = Type(Kind.VOID)
IN_PLACE = re.compile(r"\bmodify\s+[`'\"]?(\w+)[`'\"]?\s+in[- ]place")
SUPPORTED = "types that are supported: docs/runners.md"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the types of one program. starts are the places where functions begin."""

    code: Code
    grammar: Grammar
    nodes: Mapping[str, Type]
    starts: Sequence[int]

    def function(self, head: Head, design: bool) -> Function:
        """Return the function of a head; design says whether it is a method of a class to design."""
        parameters = self.parameters(head)
        returns = self._result(head)
        changed = self._changed(head, parameters) if returns == VOID and not design else None
        names = self.grammar.names
        name = common(head.name, names.methods if design else names.functions)
        return Function(name, parameters, returns, changed)

    def parameters(self, head: Head) -> tuple[Parameter, ...]:
        """Return the parameters of a head; in Go one without a type has that of the next."""
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
