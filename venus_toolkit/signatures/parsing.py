"""Reads signatures from starter code in any language that has a ``signature.toml``.

`parse_signature` queries the parser of the language for classes and functions (`_find_matches`),
reads the node classes (`_find_nodes`), finds the heads of the functions (`_find_heads`), chooses
the functions to fill in (`_choose`) and reads the types (`_TypeReader`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import tree_sitter

from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import Language
from venus_toolkit.core.syntax import Budget, parse, query
from venus_toolkit.signatures.grammar import (
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
# These include links that no supported kind has: a class with one of them is unsupported, even if
# it also has the links of a simpler kind.
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
Match = Mapping[str, Sequence[tree_sitter.Node]]  # nodes by the names of captures
SEE_TYPES = "see docs/runners.md for the supported types"


def parse_signature(starter_code: str, language: Language, entry: str = "") -> Signature:
    """Return the signature of starter code.

    If a language has one type for all integers, they have 32 bits here; `widened` and `refined`
    find out which ones need 64. In a language with ``names.free``, a free function stands for a
    method of ``Solution``.

    Args:
        starter_code: The code that solutions complete, with its comments.
        language: The language of the starter code.
        entry: The function or class to fill in, if there may be several, such as
            ``Solution().twoSum``.

    Raises:
        SignatureError: The code has no function, or an unsupported type; the message names the line
            and the type.
        LanguageError: The language has no usable ``signature.toml``.
    """
    grammar = grammar_of(language)
    most_seconds = 0.5  # CPU time of a parser; starter code takes less than 1 ms
    code, budget = _read_code(starter_code), Budget(most_seconds)
    nodes = _find_nodes(code, grammar, budget)
    matches = _find_matches(code.data, grammar, budget)
    # Solutions do not fill in constructors and methods of node classes.
    heads = [
        head
        for head in _find_heads(matches, code, grammar)
        if not nodes.keys() & {head.owner, head.name}
    ]
    holder, constructor, methods = _choose(heads, entry.rsplit(".", 1)[-1], grammar)
    design = constructor is not None or len(methods) > 1
    parameters: dict[int, list[Match]] = {}
    for match in matches:
        if "parameter" in match:
            parameters.setdefault(match["parameter"][0].id, []).append(match)
    reader = _TypeReader(code, grammar, nodes, parameters, [head.start for head in heads])
    free = SOLUTION if grammar.names.free and not design else ""
    return Signature(
        tuple(reader.function(head, design) for head in methods),
        holder=holder or free,
        constructor=reader.parameters(constructor) if constructor else (),
        design=design,
        nodes=tuple(
            node for name, node in nodes.items() if node and re.search(rf"\b{name}\b", code.text)
        ),
    )


class TextSpan(NamedTuple):
    """A part of a text and its offset in bytes."""

    offset: int
    text: str


class Code(NamedTuple):
    """A program as text, and as bytes for the offsets of a parser."""

    text: str
    data: bytes

    def line_number(self, offset: int) -> int:
        """Return the 1-based number of the line at an offset."""
        return self.data.count(b"\n", 0, offset) + 1

    def line(self, offset: int) -> str:
        """Return the line at an offset, without surrounding blanks."""
        return self.text.split("\n")[self.line_number(offset) - 1].strip()

    def span(self, start: int, end: int) -> TextSpan:
        """Return the text between two offsets."""
        return TextSpan(start, self.data[start:end].decode(errors="replace"))


def _read_code(text: str) -> Code:
    raw = text.expandtabs(4).replace("\r\n", "\n")
    # The text is untrusted. Regular expressions can take very long for long lines. So can the
    # parser for thousands of lines that end with an operator, and it cannot be stopped.
    lines = raw.split("\n")
    longest = max(map(len, lines))
    # Starter code has a few hundred characters; a longer text is a program.
    most, most_in_a_line, most_lines = 20_000, 2_000, 1_000
    if len(raw) > most or longest > most_in_a_line or len(lines) > most_lines:
        raise SignatureError(
            f"the starter code is too long: {len(raw)} characters, {longest} in a line",
            f"the limits are {most} characters, {most_in_a_line} in a line, and {most_lines} lines",
            "give the frame that solutions fill in, without a solution",
        )
    return Code(raw, raw.encode("utf-8", "replace"))


def _find_matches(data: bytes, grammar: Grammar, budget: Budget) -> list[Match]:
    """Return the matches of a language's query in a text, which may lack closing braces."""
    root = parse(data, grammar.parser, budget)
    missing = data.count(b"{") - data.count(b"}") if root and root.has_error else 0
    if missing > 0:
        root = parse(data + b"\n" + b"}" * missing, grammar.parser, budget)
    if root is None:
        raise SignatureError(
            "starter code nested as deep as this is not supported",
            "it takes a parser too long",
            "give the frame that solutions fill in, without a solution",
        )
    return [captures for _, captures in query(grammar.parser, grammar.find.query).matches(root)]


def _type_of(match: Match, code: Code) -> TextSpan | None:
    """Return the type in a match; a type before a name extends to the name: ``ListNode *head``."""
    if "type" not in match:
        return None
    (name, *_), (typed, *_) = match["name"], match["type"]
    before = typed.end_byte <= name.start_byte
    return code.span(typed.start_byte, name.start_byte if before else typed.end_byte)


def _find_nodes(code: Code, grammar: Grammar, budget: Budget) -> dict[str, Type | None]:
    """Return the node classes that a text defines, mostly in comments, and the predefined ones.

    None stands for a class with unsupported links.
    """
    nodes: dict[str, Type | None] = {
        "ListNode": Type(Kind.LINKED_LIST, INT, "ListNode"),
        "TreeNode": Type(Kind.TREE, INT, "TreeNode"),
    }
    if not re.search(rf"(?<![a-z])(?:{'|'.join(ALL_LINKS)})(?![a-z])", code.text.lower()):
        return nodes
    # Removing comment marks and prose turns a definition in a comment into code.
    mark = re.escape(grammar.language.comment)
    comment = rf'^[ \t]*(?:(?:{mark}|/\*+|\*+/?|""") ?)+(?:.*\.[ \t]*$)?'
    text = _read_code(re.sub(comment, "", code.text, flags=re.MULTILINE))
    matches = _find_matches(text.data, grammar, budget)
    classes = [match for match in matches if "node" in match]
    fields: list[dict[str, TextSpan | None]] = [{} for _ in classes]
    for match in matches:
        # Prose that was parsed as a declaration lacks a semicolon.
        if "field" in match and not match["field"][0].has_error:
            position = match["name"][0].start_byte
            # The innermost class around a field begins last.
            around = [
                index
                for index, class_ in enumerate(classes)
                if class_["node"][0].start_byte <= position < class_["node"][0].end_byte
            ]
            for name in match["name"] if around else ():
                fields[around[-1]][_text(name).lstrip("@").lower()] = _type_of(match, text)
    for match, types in zip(classes, fields, strict=True):
        links = frozenset(types) & ALL_LINKS
        if links:
            # JavaScript's _Node is called Node in other languages.
            class_name = _text(match["name"][0]).lstrip("_")
            # The value is an integer unless the language declares its type.
            typed = types.get("val") or types.get("value")
            value = read_type(typed.text, grammar, {}) if typed else None
            value = value if value and value.kind in SCALARS else INT
            supported = links in LINKS
            nodes[class_name] = Type(LINKS[links], value, class_name) if supported else None
    return nodes


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Head:
    """One function. owner is its class, or empty; returns is None if the code has no result type.

    start and end are byte offsets of the head; empty: the body has no code, or is incomplete.
    """

    name: str
    owner: str
    parameters: tree_sitter.Node | None
    returns: TextSpan | None
    start: int
    end: int
    empty: bool
    constructor: bool = False


def _find_heads(matches: Sequence[Match], code: Code, grammar: Grammar) -> list[Head]:
    """Return the functions of a program in order, each with its owner, without nested functions."""
    classes = [(match["class"][0], match["name"][0]) for match in matches if "class" in match]
    nothing = {node.id for match in matches for node in match.get("nothing", ())}
    heads, offset = list[Head](), 0
    functions = [(match["function"][0], match) for match in matches if "function" in match]
    for function, match in sorted(functions, key=lambda pair: (pair[0].start_byte, -len(pair[1]))):
        start = function.start_byte
        if start < offset:
            continue
        offset = function.end_byte
        name, returns = _text(match["name"][0]), _type_of(match, code)
        # The innermost class around a function begins last.
        owners = [
            _text(owner) for node, owner in classes if node.start_byte <= start < node.end_byte
        ]
        owner = _text(match["owner"][0]) if "owner" in match else owners[-1] if owners else ""
        constructor = name == grammar.find.constructor or (bool(owner) and name == owner)
        # Go's constructor is a free function; it belongs to the type that it returns.
        if constructor and not owner and returns:
            owner = returns.text.strip(" *")
        parameters, body = (match.get(key, [None])[0] for key in ("parameters", "body"))
        statements = body.named_children if body and offset <= len(code.data) else ()
        heads.append(
            Head(
                name=name,
                owner=owner,
                parameters=parameters,
                returns=returns,
                start=start,
                end=(parameters or match["name"][0]).end_byte,
                empty=all(node.is_extra or node.id in nothing for node in statements),
                constructor=constructor and bool(owner),
            )
        )
    # In JavaScript, a function whose prototype has functions is their constructor.
    prototypes = {head.owner for head in heads}
    return [
        replace(head, owner=head.name, constructor=True)
        if not head.owner and head.name in prototypes
        else head
        for head in heads
    ]


def _choose(
    heads: Sequence[Head], entry: str, grammar: Grammar
) -> tuple[str, Head | None, Sequence[Head]]:
    """Return the name of the class to fill in (or empty), its constructor, and its functions."""

    def is_entry(head: Head) -> bool:
        """Whether a head is the entry, perhaps in the spelling of another language."""
        return entry.replace("_", "").lower() == head.name.replace("_", "").lower()

    # The class of the entry, else Solution, else the last one; empty for free functions.
    owners = [head.owner for head in heads if head.owner]
    holder = SOLUTION if SOLUTION in owners else ["", *owners][-1]
    holder = next(
        (head.owner for head in heads if entry and (head.owner == entry or is_entry(head))), holder
    )
    members = [head for head in heads if head.owner == holder]
    constructor = next((head for head in members if head.constructor), None)
    methods = [head for head in members if not head.constructor]
    named = [head for head in methods if is_entry(head)] if entry and entry != holder else methods
    # If a function has no body, those with a body are helpers.
    chosen = [head for head in named if head.empty] or named
    if not chosen:
        raise SignatureError(
            f"no function to fill in was found{f' that is called {entry}' if entry else ''}",
            f"this is not how {grammar.language.name} declares a function",
            "see docs/runners.md for what starter code looks like",
        )
    frame = holder and (constructor or any(head.empty for head in chosen))
    if not frame and (constructor or len(chosen) > 1):
        names = ", ".join(method.name for method in chosen)
        raise SignatureError(
            "it is not clear which function is asked for",
            f"{names} are all candidates, and they do not form a class to design",
            "name the one that is meant: entry",
        )
    return holder, constructor, chosen


@dataclass(frozen=True, slots=True)
class _TypeReader:
    """Reads the types of one program, from its code or its comments.

    named has the matches of each parameter by the id of its node; starts has the byte offsets of
    all functions.
    """

    code: Code
    grammar: Grammar
    nodes: Mapping[str, Type | None]
    named: Mapping[int, Sequence[Match]]
    starts: Sequence[int]

    def function(self, head: Head, design: bool) -> Function:
        parameters = self.parameters(head)
        documented = self._documented(head, "returns")
        typed = head.returns or (documented[-1][1] if documented else None)
        returns = VOID
        # In a language such as Go, a function without a result has no type.
        if typed is not None or self.grammar.written[Kind.VOID] != "":
            returns = self._type(typed, f"of the result of {head.name}", head.start)
        changed = self._changed(head, parameters) if returns == VOID and not design else None
        names = self.grammar.names
        name = common(head.name, names.methods if design else names.functions)
        return Function(name, parameters, returns, changed)

    def parameters(self, head: Head) -> tuple[Parameter, ...]:
        documented = dict(self._documented(head, "parameter"))
        parameters = []
        for node in head.parameters.named_children if head.parameters else ():
            if node.is_extra or " ".join(_text(node).split()) in self.grammar.find.receivers:
                continue
            if node.id not in self.named:
                raise self._unsupported(TextSpan(node.start_byte, _text(node)), "of a parameter")
            for match in self.named[node.id]:
                name = _text(match["name"][0])
                typed = _type_of(match, self.code) or documented.get(name)
                type_ = self._type(typed, f"of the parameter {name}", node.start_byte)
                if type_ == VOID:
                    raise self._unsupported(
                        TextSpan(node.start_byte, "nothing"), f"of the parameter {name}"
                    )
                parameters.append(Parameter(read_parameter_name(name, self.grammar), type_))
        return tuple(parameters)

    def _type(self, typed: TextSpan | None, position: str, offset: int) -> Type:
        if typed is None:
            raise SignatureError(
                f"the type {position} in line {self.code.line_number(offset)} is not known",
                f"neither the code nor a comment says it: {self.code.line(offset)}",
                SEE_TYPES,
            )
        type_ = read_type(typed.text, self.grammar, self.nodes)
        if type_ is None:
            raise self._unsupported(typed, position)
        return type_

    def _unsupported(self, piece: TextSpan, position: str) -> SignatureError:
        spelt = " ".join(piece.text.split())
        return SignatureError(
            f"the type {spelt!r} {position} in line {self.code.line_number(piece.offset)} is "
            "not supported",
            f"the line is {self.code.line(piece.offset)!r}",
            SEE_TYPES,
        )

    def _documented(self, head: Head, role: str) -> list[tuple[str, TextSpan]]:
        """Return types from the comments of a function, for the role ``parameter`` or ``returns``.

        Each type comes with the name of its parameter, which is empty for a result.
        """
        docs = self.grammar.docs
        if not docs:
            return []
        if docs.before:
            before = [start for start in self.starts if start < head.start]
            region = self.code.span(max(before, default=0), head.start)
        else:
            after = [start for start in self.starts if start > head.start]
            region = self.code.span(head.end, min(after, default=len(self.code.data)))
        patterns = docs.parameter if role == "parameter" else docs.returns
        matches = [match for pattern in patterns for match in pattern.finditer(region.text)]
        return [
            (
                match.groupdict().get("name") or "",
                TextSpan(
                    region.offset + len(region.text[: match.start("type")].encode()),
                    match["type"],
                ),
            )
            for match in matches
        ]

    def _changed(self, head: Head, parameters: Sequence[Parameter]) -> int:
        """Return the index of the argument that holds the result.

        It is the one that a comment names, else the first one that can be changed.
        """
        named = {
            read_parameter_name(name, self.grammar)
            for name in re.findall(r"\bmodify\s+[`'\"]?(\w+)[`'\"]?\s+in[- ]place", self.code.text)
        }
        candidates = [
            index for index, parameter in enumerate(parameters) if parameter.name in named
        ]
        candidates += [
            index
            for index, parameter in enumerate(parameters)
            if parameter.type.kind in (Kind.LIST, *NODES)
        ]
        if not candidates:
            raise SignatureError(
                f"{head.name} in line {self.code.line_number(head.start)} has no result",
                "it returns nothing and has no argument that it could change",
                SEE_TYPES,
            )
        return candidates[0]
