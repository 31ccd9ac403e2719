"""From starter code to a signature.

One engine for all languages, which reads from their ``signature.toml``.

`parse_signature` blanks comments and strings (`Code`), learns the node classes (`_find_nodes`),
finds the heads of the functions (`_find_heads`), chooses what is asked for (`_choose`) and reads
the types (`_TypeReader`).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import Language
from venus_toolkit.signatures.grammar import (
    Find,
    Grammar,
    common,
    grammar_of,
    read_parameter_name,
    read_type,
)
from venus_toolkit.signatures.types import (
    NODES,
    SCALARS,
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
)

SOLUTION = "Solution"
INT = Type(Kind.INT)
VOID = Type(Kind.VOID)
LINKS: Mapping[frozenset[str], Kind] = {
    frozenset({"next"}): Kind.LINKED_LIST,
    frozenset({"left", "right"}): Kind.TREE,
    frozenset({"children"}): Kind.NARY_TREE,
    frozenset({"neighbors"}): Kind.GRAPH,
    frozenset({"next", "random"}): Kind.RANDOM_LIST,
    frozenset({"left", "right", "next"}): Kind.NEXT_TREE,
}
# Links that no supported kind has: a class with one of them is refused, not taken for a simpler
# one.
ALL_LINKS = {
    "child",
    "parent",
    "prev",
    "random",
    "bottomleft",
    "bottomright",
    "topleft",
    "topright",
}.union(*LINKS)
SEE_TYPES = "see docs/runners.md for the supported types"


def parse_signature(starter_code: str, language: Language, entry: str = "") -> Signature:
    """Return what starter code asks for.

    Types are as exact as the language is: where it has one word for integers of 32 and 64 bits they
    are of 32 bits, see `widened` and `refined`. A free function of a language whose users write no
    class for it belongs to ``Solution``.

    Args:
        starter_code: The frame that a solution fills in, with its comments.
        language: The language that it is written in.
        entry: The function or class that is asked for, where there may be several, such as
            ``Solution().twoSum``.

    Raises:
        SignatureError: There is no function in it, or one with a type that is not supported; the
            message names the line and the type.
        LanguageError: The language does not say how it writes signatures.
    """
    grammar = grammar_of(language)
    code = _read_code(starter_code, language)
    nodes = _find_nodes(code.raw, grammar)
    # Constructors and methods of node classes are not asked for.
    heads = [
        head for head in _find_heads(code, grammar) if not nodes.keys() & {head.owner, head.name}
    ]
    holder, constructor, methods = _choose(heads, entry.rsplit(".", 1)[-1], grammar)
    design = constructor is not None or len(methods) > 1
    reader = _TypeReader(code, grammar, nodes, [head.start for head in heads])
    free = SOLUTION if grammar.names.free and not design else ""
    return Signature(
        tuple(reader.function(head, design) for head in methods),
        holder=holder or free,
        constructor=reader.parameters(constructor) if constructor else (),
        design=design,
        nodes=tuple(
            found for name, found in nodes.items() if found and re.search(rf"\b{name}\b", code.raw)
        ),
    )


class TextSpan(NamedTuple):
    """A part of a text and where it begins."""

    offset: int
    text: str


class Code(NamedTuple):
    """A program three times, with every character where it was.

    raw is as it was; commentless has blanks for comments, bare for string literals too.
    """

    raw: str
    commentless: str
    bare: str

    def line_number(self, offset: int) -> int:
        """Return the number of the line that holds an offset, counted from 1."""
        return self.raw.count("\n", 0, offset) + 1

    def line(self, offset: int) -> str:
        """Return the text of that line."""
        return self.raw.split("\n")[self.line_number(offset) - 1].strip()


def _read_code(text: str, language: Language) -> Code:
    # Before any offset is taken: indentation is counted in blanks.
    raw = text.expandtabs(4).replace("\r\n", "\n")
    # Somebody else wrote the text, and regular expressions can take very long over long lines.
    longest = max(map(len, raw.split("\n")))
    most, most_in_a_line = 20_000, 2_000  # a frame has a few hundred characters; more is a program
    if len(raw) > most or longest > most_in_a_line:
        raise SignatureError(
            f"starter code of {len(raw)} characters with up to {longest} in a line is not read",
            f"at most {most} and {most_in_a_line} are",
            "give the frame that solutions fill in, without a solution",
        )
    # Both in one pattern: a quote in a comment begins no string, nor a comment's sign in a string a
    # comment.
    tokens = re.compile(f"(?P<comment>{language.comments.pattern})|(?:{language.strings.pattern})")

    def blank(text: str) -> str:
        return re.sub(r"[^\n]", " ", text)

    return Code(
        raw,
        tokens.sub(lambda match: blank(match[0]) if match["comment"] else match[0], raw),
        tokens.sub(lambda match: blank(match[0]), raw),
    )


def _closing(text: str, start: int) -> int:
    """Return where the bracket that opens at `start` is closed, or the end of the text."""
    opener, closer = text[start], {"(": ")", "[": "]", "{": "}", "<": ">"}[text[start]]
    depth = 0
    for bracket in re.compile(f"[{re.escape(opener + closer)}]").finditer(text, start):
        depth += 1 if bracket[0] == opener else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def _cut_at_commas(text: str, offset: int) -> Iterator[TextSpan]:
    """Yield what stands between the commas outside of all brackets, without blank pieces.

    What follows a bracket that is never closed is one piece, so that nothing gets lost.
    """
    depth, start, commas = 0, 0, list[int]()
    for place, character in enumerate(text):
        # The end of `->` closes no bracket.
        arrow = character == ">" and text[place - 1 : place] == "-"
        depth += (character in "([{<") - (character in ")]}>" and not arrow)
        if character == "," and depth <= 0:
            commas.append(place)
    for end in (*commas, len(text)):
        piece = text[start:end]
        if piece.strip():
            yield TextSpan(offset + start + len(piece) - len(piece.lstrip()), piece.strip())
        start = end + 1


def _find_nodes(raw: str, grammar: Grammar) -> dict[str, Type | None]:
    """Return the node classes that a text defines, mostly in comments, and the well-known ones.

    None stands for a class of nodes with links that no supported kind has.
    """

    def value_of(fields: list[re.Match[str]]) -> Type:
        """Return the type of the value that a node holds.

        An integer where the language does not say.
        """
        for field in fields:
            if field["name"].lower() in ("val", "value") and "type" in field.re.groupindex:
                value = read_type(field["type"] or "", grammar, {})
                return value if value and value.kind in SCALARS else INT
        return INT

    # Without what makes a line a comment, a definition in a comment reads like code.
    comment = rf"^[ \t]*(?:(?:{re.escape(grammar.language.comment)}|/\*+|\*+/?)[ \t]*)+"
    text = re.sub(comment, "", raw, flags=re.MULTILINE)
    patterns = (grammar.find.holder, grammar.find.node)
    starts = sorted(
        {match.start() for pattern in patterns for match in pattern.finditer(text)} | {len(text)}
    )
    nodes: dict[str, Type | None] = {
        "ListNode": Type(Kind.LINKED_LIST, INT, "ListNode"),
        "TreeNode": Type(Kind.TREE, INT, "TreeNode"),
    }
    for match in grammar.find.node.finditer(text):
        end = starts[bisect.bisect_right(starts, match.start())]
        fields = list(grammar.find.field.finditer(text, match.end(), end))
        links = frozenset(field["name"].lower() for field in fields) & ALL_LINKS
        # JavaScript's _Node is Node elsewhere.
        name = match["name"].lstrip("_")
        if links:
            nodes[name] = Type(LINKS[links], value_of(fields), name) if links in LINKS else None
    return nodes


@dataclass(frozen=True, slots=True)
class Head:
    """One function. owner is its class, or empty; returns is None where the code says nothing.

    start and end are where the head begins and ends, body_end is where the body does; empty says
    whether the body has no code, or is not finished.
    """

    name: str
    owner: str
    parameters: TextSpan
    returns: TextSpan | None
    start: int
    end: int
    body_end: int
    empty: bool
    constructor: bool = False


def _find_heads(code: Code, grammar: Grammar) -> list[Head]:
    """Return the functions of a program in order, without those inside others, each with its owner."""
    find = grammar.find
    classes = [
        (match["name"], match.end(), _body_end(code, match.start(), match.end(), find))
        for match in find.holder.finditer(code.bare)
    ]
    heads, offset = list[Head](), 0
    while matches := [
        match for pattern in find.functions if (match := pattern.search(code.bare, offset))
    ]:
        first = min(matches, key=lambda match: match.start())
        # Of the classes around a function the innermost begins last.
        owners = [name for name, start, end in classes if start <= first.start() < end]
        head = _head(code, first, owners[-1] if owners else "", find)
        offset = max(head.body_end, first.end()) if head else first.end()
        if head:
            heads.append(head)
    # In JavaScript the function whose prototype has functions is their constructor.
    prototypes = {head.owner for head in heads}
    return [
        replace(head, owner=head.name, constructor=True)
        if not head.owner and head.name in prototypes
        else head
        for head in heads
    ]


def _head(code: Code, match: re.Match[str], inside: str, find: Find) -> Head | None:
    """Return the function whose head begins with `match`, inside a class or none.

    None where it does not go on so.
    """
    # Ruby writes no parentheses where there are no parameters.
    bracket = code.bare.startswith("(", match.end())
    opened = match.end() + bracket
    closed = _closing(code.bare, match.end()) if bracket else opened
    after = find.after.match(code.bare, closed + bracket)
    if not after:
        return None
    body_end = _body_end(code, match.start(), after.end(), find)
    body = find.nothing.sub("", code.bare[after.end() : body_end])
    unfinished = find.braces and body_end == len(code.bare)
    name, owner = match["name"], match.groupdict().get("owner") or inside
    returns = _returns(code, match) or _returns(code, after)
    constructor = name == find.constructor or (bool(owner) and name == owner)
    # Go's constructor is a free function; it belongs to what it returns.
    if constructor and not owner and returns:
        owner = returns.text.strip(" *")
    return Head(
        name=name,
        owner=owner,
        # With string literals: Python may have a type in quotes.
        parameters=TextSpan(opened, code.commentless[opened:closed]),
        returns=returns,
        start=match.start(),
        end=after.end(),
        body_end=body_end,
        empty=unfinished or not body.strip(" \n:;{}"),
        constructor=constructor and bool(owner),
    )


def _returns(code: Code, match: re.Match[str]) -> TextSpan | None:
    if match.groupdict().get("returns") is None:
        return None
    start, end = match.span("returns")
    return TextSpan(start, code.commentless[start:end])


def _body_end(code: Code, start: int, after: int, find: Find) -> int:
    """Return where the body of what begins at `start` ends; its head ends at `after`."""
    text = code.bare
    if find.braces:
        # A semicolon before any brace ends a declaration without a body.
        opened = re.compile(r"[^{};]*\{").match(text, after)
        return _closing(text, opened.end() - 1) if opened else after
    line = text[text.rfind("\n", 0, start + 1) + 1 :]
    indent = len(line) - len(line.lstrip(" "))
    deeper = re.compile(rf"[^\n]*(?:\n(?: {{{indent + 1}}}[^\n]*| *(?=\n|\Z)))*")
    match = deeper.match(text, after)
    return match.end() if match else after


def _choose(
    heads: Sequence[Head], entry: str, grammar: Grammar
) -> tuple[str, Head | None, Sequence[Head]]:
    """Return the class that is asked for (empty.

    None), its constructor, and the functions to fill in.
    """

    def is_entry(head: Head) -> bool:
        """The entry may be in the spelling of another language."""
        return entry.replace("_", "").lower() == head.name.replace("_", "").lower()

    # The class is the one with the entry, else Solution, else the last; empty for free functions.
    owners = [head.owner for head in heads if head.owner]
    holder = SOLUTION if SOLUTION in owners else ["", *owners][-1]
    holder = next(
        (head.owner for head in heads if entry and (head.owner == entry or is_entry(head))), holder
    )
    mine = [head for head in heads if head.owner == holder]
    constructor = next((head for head in mine if head.constructor), None)
    methods = [head for head in mine if not head.constructor]
    asked = [head for head in methods if is_entry(head)] if entry and entry != holder else methods
    # Functions with a body are helpers where there is one without.
    chosen = [head for head in asked if head.empty] or asked
    if not chosen:
        raise SignatureError(
            f"no function to fill in was found{f' that is called {entry}' if entry else ''}",
            f"{grammar.language.name} would begin one otherwise",
            "see docs/runners.md for what starter code looks like",
        )
    frame = holder and (constructor or any(head.empty for head in chosen))
    if not frame and (constructor or len(chosen) > 1):
        names = ", ".join(method.name for method in chosen)
        raise SignatureError(
            "it is not clear which function is asked for",
            f"{names} are alike and make no class to design",
            "name the one that is meant: entry",
        )
    return holder, constructor, chosen


@dataclass(frozen=True, slots=True)
class _TypeReader:
    """Reads the types of one program, from its code or the comments beside it.

    Starts: where functions begin.
    """

    code: Code
    grammar: Grammar
    nodes: Mapping[str, Type | None]
    starts: Sequence[int]

    def function(self, head: Head, design: bool) -> Function:
        parameters = self.parameters(head)
        documented = self._documented(head, "returns")
        typed = head.returns or (documented[-1][1] if documented else None)
        returns = VOID
        # Where a language writes nothing for no result, as Go does, nothing is missing.
        if typed is not None or self.grammar.written[Kind.VOID] != "":
            returns = self._type(typed, f"of the result of {head.name}", head.start)
        changed = self._changed(head, parameters) if returns == VOID and not design else None
        names = self.grammar.names
        name = common(head.name, names.methods if design else names.functions)
        return Function(name, parameters, returns, changed)

    def parameters(self, head: Head) -> tuple[Parameter, ...]:
        find = self.grammar.find
        matches = list[re.Match[str]]()
        pieces = list[TextSpan]()
        for piece in _cut_at_commas(head.parameters.text, head.parameters.offset):
            if " ".join(piece.text.split()) in find.receivers:
                continue
            match = find.parameter.fullmatch(piece.text)
            if match is None:
                raise self._unsupported(piece, "of a parameter")
            matches.append(match)
            pieces.append(piece)
        documented = dict(self._documented(head, "parameter"))
        types = [
            TextSpan(piece.offset + match.start("type"), match["type"])
            if match.groupdict().get("type") is not None
            else documented.get(match["name"])
            for match, piece in zip(matches, pieces, strict=True)
        ]
        # In Go a parameter without a type has that of the next.
        for index in reversed(range(len(types) - 1) if find.shared_types else ()):
            types[index] = types[index] or types[index + 1]
        parameters = []
        for match, typed, piece in zip(matches, types, pieces, strict=True):
            name = match["name"]
            found = self._type(typed, f"of the parameter {name}", piece.offset)
            if found == VOID:
                raise self._unsupported(
                    TextSpan(piece.offset, "nothing"), f"of the parameter {name}"
                )
            parameters.append(Parameter(read_parameter_name(name, self.grammar), found))
        return tuple(parameters)

    def _type(self, typed: TextSpan | None, of_what: str, offset: int) -> Type:
        if typed is None:
            raise SignatureError(
                f"the type {of_what} in line {self.code.line_number(offset)} is not known",
                f"neither the code nor a comment says it: {self.code.line(offset)}",
                SEE_TYPES,
            )
        found = read_type(typed.text, self.grammar, self.nodes)
        if found is None:
            raise self._unsupported(typed, of_what)
        return found

    def _unsupported(self, piece: TextSpan, of_what: str) -> SignatureError:
        spelt = " ".join(piece.text.split())
        return SignatureError(
            f"the type {spelt!r} {of_what} in line {self.code.line_number(piece.offset)} is "
            "not supported",
            f"the line is {self.code.line(piece.offset)!r}",
            SEE_TYPES,
        )

    def _documented(self, head: Head, what: str) -> list[tuple[str, TextSpan]]:
        """Return the types of parameters by name, or those of the result, that comments beside a function tell."""
        docs = self.grammar.docs
        if not docs:
            return []
        if docs.before:
            start, end = (
                max((place for place in self.starts if place < head.start), default=0),
                head.start,
            )
        else:
            start = head.end
            end = min(
                (place for place in self.starts if place > head.start), default=len(self.code.raw)
            )
        patterns = docs.parameter if what == "parameter" else docs.returns
        matches = [
            match for pattern in patterns for match in pattern.finditer(self.code.raw[start:end])
        ]
        return [
            (
                match.groupdict().get("name") or "",
                TextSpan(start + match.start("type"), match["type"]),
            )
            for match in matches
        ]

    def _changed(self, head: Head, parameters: Sequence[Parameter]) -> int:
        """Return which argument is the result.

        The one that a comment names, else the first that can be changed.
        """
        named = {
            read_parameter_name(name, self.grammar)
            for name in re.findall(r"\bmodify\s+[`'\"]?(\w+)[`'\"]?\s+in[- ]place", self.code.raw)
        }
        candidates = [index for index, each in enumerate(parameters) if each.name in named]
        candidates += [
            index for index, each in enumerate(parameters) if each.type.kind in (Kind.LIST, *NODES)
        ]
        if not candidates:
            raise SignatureError(
                f"{head.name} in line {self.code.line_number(head.start)} has no result",
                "it returns nothing and has no argument that it could change",
                SEE_TYPES,
            )
        return candidates[0]
