"""From starter code to a signature.

One engine for all languages, which reads from their ``signature.toml``.

`parse_signature` asks the parser of the language for classes and functions (`_find_matches`), learns
the node classes (`_find_nodes`), finds the heads of the functions (`_find_heads`), chooses what is
asked for (`_choose`) and reads the types (`_TypeReader`).
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
Match = Mapping[str, Sequence[tree_sitter.Node]]  # nodes by the names of captures
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
    most_seconds = 0.5  # CPU time of a parser; a frame takes less than 1 ms
    code, budget = _read_code(starter_code), Budget(most_seconds)
    nodes = _find_nodes(code, grammar, budget)
    matches = _find_matches(code.data, grammar, budget)
    # Constructors and methods of node classes are not asked for.
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
            found for name, found in nodes.items() if found and re.search(rf"\b{name}\b", code.text)
        ),
    )


class TextSpan(NamedTuple):
    """A part of a text and where it begins, in bytes."""

    offset: int
    text: str


class Code(NamedTuple):
    """A program, and its bytes, which a parser counts."""

    text: str
    data: bytes

    def line_number(self, offset: int) -> int:
        """Return the number of the line that holds an offset, counted from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def line(self, offset: int) -> str:
        """Return the text of that line."""
        return self.text.split("\n")[self.line_number(offset) - 1].strip()

    def span(self, start: int, end: int) -> TextSpan:
        """Return the text between two offsets."""
        return TextSpan(start, self.data[start:end].decode(errors="replace"))


def _read_code(text: str) -> Code:
    raw = text.expandtabs(4).replace("\r\n", "\n")
    # Somebody else wrote the text. Regular expressions can take very long over long lines, and a
    # parser that cannot be stopped over thousands of lines that end with an operator.
    lines = raw.split("\n")
    longest = max(map(len, lines))
    # A frame has a few hundred characters; more is a program.
    most, most_in_a_line, most_lines = 20_000, 2_000, 1_000
    if len(raw) > most or longest > most_in_a_line or len(lines) > most_lines:
        raise SignatureError(
            f"starter code of {len(raw)} characters with up to {longest} in a line is not read",
            f"at most {most} and {most_in_a_line} are, in at most {most_lines} lines",
            "give the frame that solutions fill in, without a solution",
        )
    return Code(raw, raw.encode("utf-8", "replace"))


def _find_matches(data: bytes, grammar: Grammar, budget: Budget) -> list[Match]:
    """Return what the query of a language finds in a text, of which the end may be missing."""
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
    """Return the type that a match has; one before a name reaches to it: ``ListNode *head``."""
    if "type" not in match:
        return None
    (name, *_), (typed, *_) = match["name"], match["type"]
    before = typed.end_byte <= name.start_byte
    return code.span(typed.start_byte, name.start_byte if before else typed.end_byte)


def _find_nodes(code: Code, grammar: Grammar, budget: Budget) -> dict[str, Type | None]:
    """Return the node classes that a text defines, mostly in comments, and the well-known ones.

    None stands for a class of nodes with links that no supported kind has.
    """
    nodes: dict[str, Type | None] = {
        "ListNode": Type(Kind.LINKED_LIST, INT, "ListNode"),
        "TreeNode": Type(Kind.TREE, INT, "TreeNode"),
    }
    if not re.search(rf"(?<![a-z])(?:{'|'.join(ALL_LINKS)})(?![a-z])", code.text.lower()):
        return nodes
    # Without what makes a line a comment, and without its prose, a definition in a comment reads
    # like code.
    mark = re.escape(grammar.language.comment)
    comment = rf'^[ \t]*(?:(?:{mark}|/\*+|\*+/?|""") ?)+(?:.*\.[ \t]*$)?'
    text = _read_code(re.sub(comment, "", code.text, flags=re.MULTILINE))
    matches = _find_matches(text.data, grammar, budget)
    classes = [match for match in matches if "node" in match]
    fields: list[dict[str, TextSpan | None]] = [{} for _ in classes]
    for match in matches:
        # Prose that is taken for a declaration lacks its semicolon.
        if "field" in match and not match["field"][0].has_error:
            place = match["name"][0].start_byte
            # Of the classes around a field the innermost begins last.
            inside = [
                index
                for index, each in enumerate(classes)
                if each["node"][0].start_byte <= place < each["node"][0].end_byte
            ]
            for name in match["name"] if inside else ():
                fields[inside[-1]][_text(name).lstrip("@").lower()] = _type_of(match, text)
    for match, types in zip(classes, fields, strict=True):
        links = frozenset(types) & ALL_LINKS
        if links:
            # JavaScript's _Node is Node elsewhere.
            called = _text(match["name"][0]).lstrip("_")
            # An integer where the language does not say the type of the value.
            typed = types.get("val") or types.get("value")
            value = read_type(typed.text, grammar, {}) if typed else None
            value = value if value and value.kind in SCALARS else INT
            nodes[called] = Type(LINKS[links], value, called) if links in LINKS else None
    return nodes


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Head:
    """One function. owner is its class, or empty; returns is None where the code says nothing.

    start and end are where the head begins and ends; empty says whether the body has no code, or is
    not finished.
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
    """Return the functions of a program in order, without those inside others, each with its owner."""
    classes = [(match["class"][0], match["name"][0]) for match in matches if "class" in match]
    nothing = {node.id for match in matches for node in match.get("nothing", ())}
    heads, offset = list[Head](), 0
    functions = [(match["function"][0], match) for match in matches if "function" in match]
    for function, match in sorted(functions, key=lambda one: (one[0].start_byte, -len(one[1]))):
        start = function.start_byte
        if start < offset:
            continue
        offset = function.end_byte
        name, returns = _text(match["name"][0]), _type_of(match, code)
        # Of the classes around a function the innermost begins last.
        owners = [
            _text(owner) for node, owner in classes if node.start_byte <= start < node.end_byte
        ]
        owner = _text(match["owner"][0]) if "owner" in match else owners[-1] if owners else ""
        constructor = name == grammar.find.constructor or (bool(owner) and name == owner)
        # Go's constructor is a free function; it belongs to what it returns.
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
    # In JavaScript the function whose prototype has functions is their constructor.
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

    named has the names and types of parameters by their nodes, starts where functions begin.
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
        # Where a language writes nothing for no result, as Go does, nothing is missing.
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
                found = self._type(typed, f"of the parameter {name}", node.start_byte)
                if found == VOID:
                    raise self._unsupported(
                        TextSpan(node.start_byte, "nothing"), f"of the parameter {name}"
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
            before = [place for place in self.starts if place < head.start]
            region = self.code.span(max(before, default=0), head.start)
        else:
            after = [place for place in self.starts if place > head.start]
            region = self.code.span(head.end, min(after, default=len(self.code.data)))
        patterns = docs.parameter if what == "parameter" else docs.returns
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
        """Return which argument is the result.

        The one that a comment names, else the first that can be changed.
        """
        named = {
            read_parameter_name(name, self.grammar)
            for name in re.findall(r"\bmodify\s+[`'\"]?(\w+)[`'\"]?\s+in[- ]place", self.code.text)
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
