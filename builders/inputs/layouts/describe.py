"""Reads the layout of an input of lines from sentences: ``The first line contains n and m``.

Sentences come last: they give a layout where no format block shows it, and names to a layout from
a search of the inputs. `descriptions.lark` is the grammar of their phrases; each sentence about
lines becomes one `DescribedLines`. In order, they make up the layouts that the caller tries on the
inputs. All values have the kind ``word``: the inputs decide later which are numbers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from venus_toolkit.builders.inputs.spec.layout import (
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Scalar,
    Tuple,
    changed,
    own_nodes,
    renamed,
    scalars,
    unique,
)
from venus_toolkit.builders.inputs.statements.spelling import LONGEST_SENTENCE

GRAMMAR = Path(__file__).with_name("descriptions.lark")
NUMBER_WORDS = {
    "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
CASES = (
    r"(?:test\s*-?\s*cases?|data\s*sets?|sets? of input data|input sets?|cases\b"
    r"|descriptions?\s+of\s+(?:the\s+)?test)"
)
# ``three integers n, m and k are on the first line``: the values come before the line.
ON_LINE = re.compile(r"\b(?:on|in) (?:the|one) \w+ line(?: of (?:the )?input)?$", re.IGNORECASE)
# ``a_{i,1}``: a name and its indices.
WRITTEN = re.compile(r"(?P<base>[A-Za-z]\w*?)(?:_\{?(?P<index>\w+)(?:,\s*(?P<other>\w+))?\}?)?")
SHORT = r"[A-Za-z]\w?(?:_\w+)?"
# ``an integer 1 <= n <= 10^5``: the name is between the bounds.
BOUNDED = re.compile(
    r"(?<![\w)])-?\d[\w^{}]*(?:\s\*\s[\d^{}]+)?\s*<=?\s*(?P<names>[A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)*)\s*<=?\s*"
    r"-?\w[\w^{}]*(?:\s\*\s[\w^{}]+)*"
)
# ``three integers:``, followed by a paragraph for each: ``the number of days N (1 <= N <= 9)``.
SPREAD = re.compile(
    r"\b(?P<count>two|three|four|five|six|[2-6]) (?P<kind>integers|numbers)[^:.\n]{0,60}:[ \t]*\n"
)
NAMELESS = "values"  # the name of a list that the statement does not name
UNSAID = "unsaid"  # stands for a missing count, which `_with_counts` fills in
ABSTRACT = {
    "description",
    "descriptions",
    "field",
    "level",
    "test",
    "queries",
    "query",
    "row",
    "board",
    "grid",
    "map",
} | {
    "case",
    "cases",
    "tests",
    "line",
    "lines",
    "input",
    "output",
}


@dataclass(frozen=True, slots=True)
class DescribedLines:
    """Lines that one sentence describes: values, count, and whether it mentions test cases."""

    nodes: tuple[Node, ...]
    count: str | None = None
    case: bool = False
    opens: str | None = None  # the name of the number of test cases, if it is one of the values


def candidates(description: str) -> Iterator[Layout]:
    """Yield the layouts that a description (spelt by `statements`) may mean, the likeliest first."""
    parts = [part for part in map(_read_sentence, _sentences(description)) if part]
    for row in (None, Scalar("row", "word")):
        merged = _merge_parts(parts, row)
        for layout in _layouts(merged) if merged else ():
            yield layout
            # Statements often call ``m characters`` ``m elements``.
            yield replace(layout, body=changed(layout.body, _as_word))


def name_values(layout: Layout, description: str) -> Layout:
    """Return a layout from a search of the inputs, with the names that sentences give to its lines.

    Lines are matched to sentences from the top down, and then from the bottom up, as long as their
    forms are equal.
    """
    lines = list(_lines(layout.body))
    parts = _merge_parts(
        [part for part in map(_read_sentence, _sentences(description)) if part], None
    )
    described = [part.nodes for part in parts]
    names: dict[str, str] = {}
    first = list(_matching_lines(lines, described))
    for nodes, words in (
        *first,
        *_matching_lines(lines[len(first) :][::-1], described[len(first) :][::-1]),
    ):
        pairs = zip(scalars([Line(nodes)]), scalars([Line(words)]), strict=False)
        names |= {old.name: new.name for old, new in pairs}
    new_names = list(names.values())
    renamed_layout = renamed(
        layout, {old: new for old, new in names.items() if new_names.count(new) == 1}
    )
    opened = parts[0].opens if parts else None
    repeated = {item.count for item in renamed_layout.body if isinstance(item, Loop)}
    return replace(renamed_layout, cases=opened) if opened in repeated else renamed_layout


def _matching_lines(
    lines: Sequence[tuple[Node, ...]], described: Sequence[tuple[Node, ...]]
) -> Iterator[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """Yield the first lines with their descriptions, while the forms of their values are equal."""
    for nodes, new in zip(lines, described, strict=False):
        if list(map(type, nodes)) != list(map(type, new)):
            return
        yield nodes, new


def _lines(items: Sequence[Item]) -> Iterator[tuple[Node, ...]]:
    for item in items:
        if isinstance(item, Loop):
            yield from _lines(item.body)
        else:
            yield item.nodes if isinstance(item, Line) else ()


def _as_word(node: Node) -> Node:
    return Scalar(node.name, "word") if isinstance(node, Many) else node


def _sentences(description: str) -> list[str]:
    """Split a description into sentences, without the text in brackets."""
    text = re.sub(r"\b([ij]|\w)\s*[-:']?\s*th\b", r"\1-th", description)
    text = re.sub(r"\((?:[^()]|\([^()]*\))*\)", _replace_bracket, text)
    text = BOUNDED.sub(r"\g<names>", _gather_names(text))
    text = re.sub(r"\n(?=\s*[-*]\s|(?:The|Each|Then|Next|Following|It|In|Every)\s)", "\n\n", text)
    paragraphs = [re.sub(r"\s+", " ", part) for part in re.split(r"\n\s*\n", text)]
    sentences = [part for line in paragraphs for part in re.split(r"(?<!\.)\.(?:\s|$)|;\s", line)]
    return [
        part.strip(" -*")
        for part in sentences
        if part.strip(" -*") and len(part) <= LONGEST_SENTENCE
    ]


def _gather_names(text: str) -> str:
    """Return a text with names from separate paragraphs gathered: ``three integers N, M, K``."""
    most_spread = 9
    for _ in range(most_spread):
        announced = SPREAD.search(text)
        if announced is None:
            break
        count = int(_expression(announced["count"]))
        items = re.split(r"\n\s*", text[announced.end() :].lstrip("\n"), maxsplit=count)
        # The name is last before a bracket, a comma or the end, or it is a capital letter.
        ends = rf"(?:.*?\s)?({SHORT})\s*(?:[,.(:]|--?\s|$)|.*?\s([B-HJ-Z])\s"
        matches = [re.match(ends, item.strip(" -*")) for item in items[:count]]
        names = [name for match in matches if match and (name := match[1] or match[2])]
        if len(names) < count:
            break
        listed = f"{count} {announced['kind']} {', '.join(names)}."
        text = f"{text[: announced.start()]}{listed}\n\n{''.join(items[count:])}"
    return text


def _replace_bracket(match: re.Match[str]) -> str:
    """Return the replacement of a bracket: the only name in ``n integers (1 <= a_i < 5)``."""
    bounded = BOUNDED.fullmatch(match[0][1:-1].strip())
    before = match.string[max(0, match.start() - 20) : match.start()]
    if bounded and re.search(r"\b(?:integers?|numbers?|values)\s*$", before):
        return f" {bounded['names']} "
    return " " if len(match[0]) > 30 or re.search("[<>=]", match[0]) else match[0]


# ------------------------------------------------------------------ one sentence


@functools.cache
def _parser() -> Lark:
    return Lark(GRAMMAR.read_text(encoding="utf-8"), start="sentence", parser="lalr")


def _read_sentence(sentence: str) -> DescribedLines | None:
    """Return the lines that a sentence describes, or None."""
    try:
        phrases = _parser().parse(sentence).children
    except UnexpectedInput:
        return None
    case = bool(re.search(CASES, sentence, re.IGNORECASE))
    count: str | None = None
    values: list[Tree[Token]] = []
    before: list[Tree[Token]] = []
    has_line = has_verb = False
    for phrase in phrases:
        kind = phrase.type if isinstance(phrase, Token) else phrase.data
        if kind == "STOP" and values:
            break
        if kind == "STOP":
            has_verb = False
        if kind in ("NEXT_LINES", "LINES_FOLLOW"):
            if not (has_line and has_verb):
                has_line, count = True, _expression(str(phrase))
        elif kind == "LINE":
            has_line = True
        elif kind == "VERB":
            has_verb = has_line
        elif isinstance(phrase, Tree):
            (values if has_verb else before).append(phrase)
    nodes = _nodes(values or (before if ON_LINE.search(sentence) else []))
    if not count and not nodes:
        return None
    opens = re.search(
        rf"number\s+(?:of\s+)?(?:the\s+)?(?:input\s+)?{CASES}", sentence, re.IGNORECASE
    )
    if opens and nodes and not count and isinstance(nodes[0], Scalar):
        return DescribedLines(nodes, opens=nodes[0].name)
    return DescribedLines(nodes, count, case)


def _expression(text: str) -> str:
    """Return the count in a phrase: ``next 2t lines``."""
    number = re.sub(
        r"^(?:next|following|followed\s+by)\s+|\s+(?:more|further|additional|other)?\s*(?:lines|rows)$",
        "",
        text.strip(),
        flags=re.IGNORECASE,
    )
    number = number.strip().strip("()").replace(" ", "")
    if number.lower() in NUMBER_WORDS:
        return str(NUMBER_WORDS[number.lower()])
    return re.sub(r"^(\d+)\*?([A-Za-z])", r"\1*\2", re.sub(r"_\{?[ijk]\}?", "", number))


# ------------------------------------------------------------------ the values of a line


def _nodes(phrases: Sequence[Tree[Token]]) -> tuple[Node, ...]:
    """Return the values that phrases name: ``two integers n and m`` or ``n integers a_1 ... a_n``."""
    line = _DescribedLine()
    for phrase in phrases:
        words = [str(word) for word in phrase.children]
        if phrase.data == "noun":
            line.nouns.append(words[0].split()[-1])
        else:
            getattr(line, phrase.data)(*words)
    return line.done()


class _DescribedLine:
    """The values of a line, phrase by phrase."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.count = ""  # the announced number of values, until their names are read
        self.letters = False
        self.written: list[re.Match[str]] = []  # the names read since the announcement
        self.dots = False
        self.nouns: list[str] = []

    def amount(self, count: str, things: str) -> None:
        """Announce a count of values."""
        self.flush()
        self.count = _expression(count)
        self.letters = bool(re.search(r"char|letter|digit", things, re.IGNORECASE))

    def name(self, name: str) -> None:
        match = WRITTEN.fullmatch(name)
        if not match:
            return
        if self.dots:
            self.dots = False
            self.sequence(match)
        else:
            self.written.append(match)

    def ellipsis(self, _: str) -> None:
        self.dots = True

    def last(self, words: str) -> None:
        if self.count.isdigit() and len(self.written) == int(self.count) - 1:
            self.name(words)

    def sequence(self, last: re.Match[str]) -> None:
        """Add ``a_1, a_2, ..., a_n``."""
        run = [name for name in self.written if name["base"] == last["base"]]
        if not run or not last["index"]:
            return
        first = run[0]["other"] if run[0]["index"] == last["index"] else run[0]["index"]
        end = last["other"] or last["index"]
        self.written = self.written[: self.written.index(run[0])]
        count, self.count = self.count, ""
        self.flush()
        first = first or "1"
        length = {"0": f"{end}+1", "2": f"{end}-1"}.get(first, end)
        if count and (count.lower() == end.lower() or first != "1"):
            length = count
        self.nodes.append(Many(last["base"], length, Scalar(last["base"], "word")))

    def pairs(self, count: str, _: str, one: str, other: str) -> None:
        self.flush()
        names = [_full_name(WRITTEN.fullmatch(name)) for name in (one, other)]
        terms = tuple(Scalar(name, "word") for name in names)
        self.nodes.append(Many(names[0], _expression(count), Tuple(terms)))

    def elements(self, _: str, name: str) -> None:
        base = _full_name(WRITTEN.fullmatch(name))
        self.nodes.append(Many(base, UNSAID, Scalar(base, "word")))

    def row(self, words: str) -> None:
        self.flush()
        name = re.match(rf"(?:string|word)s?\s+({SHORT})\s+(?:of|with)\s", words)
        self.nodes.append(Scalar(name[1] if name else "row", "word"))

    def flush(self) -> None:
        """Add the announced values with their names."""
        # ``e_i, w_i and c_i, the cost of battery i``
        indices = {name["index"] for name in self.written}
        names = [_full_name(name) for name in self.written if name["base"] not in indices]
        names = list(dict.fromkeys(names))
        count, self.count, self.written = self.count, "", []
        if self.letters and count:
            self.letters = False
            if names or not self.nodes:
                self.nodes.append(Scalar(names[-1] if names else "row", "word"))
        elif not count or (count.isdigit() and (len(names) >= int(count) or count == "1")):
            self.nodes += [Scalar(name, "word") for name in names]
        else:
            name = names[-1] if names else NAMELESS
            self.nodes.append(Many(name, count, Scalar(name, "word")))

    def done(self) -> tuple[Node, ...]:
        """Return the values."""
        self.flush()
        nouns = [noun for noun in self.nouns if noun not in ABSTRACT]
        return tuple(self.nodes) or tuple(Scalar(noun, "word") for noun in nouns)


def _full_name(name: re.Match[str] | None) -> str:
    """Return a name, without its index if that only counts (i, j or k)."""
    if not name:
        return ""
    index = name["index"]
    return name["base"] if not index or re.fullmatch("[ijk]", index) else f"{name['base']}_{index}"


# ------------------------------------------------------------------ parts to layouts


def _layouts(parts: Sequence[DescribedLines]) -> Iterator[Layout]:
    """Yield the layouts that the parts may mean.

    Every part after a number of test cases belongs to a case.
    """
    opener = next((index for index, part in enumerate(parts) if part.opens), None)
    if opener is None:
        yield Layout("lines", _with_counts(unique(_items(parts))))
        return
    name = parts[opener].opens
    assert name
    head, cases = _items(parts[: opener + 1]), list(parts[opener + 1 :])
    # ``t`` following lines (or two, three times ``t``) are the cases, not a repeat in each case.
    if cases and cases[0].count and _expression(cases[0].count) in (name, f"2*{name}", f"3*{name}"):
        cases[0] = replace(cases[0], count=None)
        cases = [part for part in cases if part.nodes]
    if cases:
        # Some inputs have an empty line before each case, which no description mentions.
        for first in ((), (Line(),)):
            yield Layout(
                "lines", _with_counts(unique((*head, Loop(name, (*first, *_items(cases)))))), name
            )


def _items(parts: Sequence[DescribedLines]) -> tuple[Item, ...]:
    return tuple(
        Loop(part.count, (Line(part.nodes),)) if part.count else Line(part.nodes) for part in parts
    )


def _merge_parts(parts: Sequence[DescribedLines], row: Scalar | None) -> list[DescribedLines]:
    """Give a part that only counts lines the values of the next part.

    ``n lines follow. Each contains …`` are two such parts. A part that still has no values gets
    `row`; if `row` is None, the part is dropped.
    """
    merged: list[DescribedLines] = []
    for part in parts:
        last = merged[-1] if merged else None
        known = bool(last and {node.name for node in scalars([Line(last.nodes)])} - {NAMELESS})
        if last and last.count and not known and part.nodes and not part.count and not part.opens:
            merged[-1] = replace(part, count=last.count, case=last.case)
        else:
            merged.append(part)
    if row:
        merged = [part if part.nodes else replace(part, nodes=(row,)) for part in merged]
    return [part for part in merged if part.nodes]


def _with_counts(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items with missing counts filled in: the last number before them."""
    last = "n"

    def change(node: Node) -> Node:
        nonlocal last
        if isinstance(node, Many):
            return replace(node, count=last) if node.count == UNSAID else node
        return node

    done: list[Item] = []
    for item in items:
        if isinstance(item, Loop):
            done.append(replace(item, body=_with_counts(item.body)))
            continue
        done += changed([item], change)
        last = next((node.name for node in own_nodes(item) if isinstance(node, Scalar)), last)
    return tuple(done)
