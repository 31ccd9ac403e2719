"""The parts of a program that nothing in it uses.

Helpers pasted before a solution, the rest of a template.

A mutant of them is its parent under another name. So only what is reached is mutated: from the
statements outside all definitions, from ``main``, and from the names that a runner calls. What a
definition looks like, the language says; whatever is in doubt counts as used.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from venus_toolkit.builders.quality.lexer import NAME, masked, without_comments
from venus_toolkit.core.language import Language

ENTRIES = {"main", "init"}  # called without being named


class Definition(NamedTuple):
    """A function or a type: its name, and where its text is."""

    name: str
    start: int
    end: int


def unused(code: str, language: Language, called: Collection[str] = ()) -> list[Definition]:
    """Return the definitions of a program that nothing uses.

    `called` are the names that are used outside it.
    """
    left = set(_definitions(masked(code, language), language))
    following, around = deque(sorted(left, key=lambda each: each.start)), list[Definition]()
    uses: dict[Definition | None, set[str]] = defaultdict(set)
    # Strings have names in them too: ``f"{total(x)}"``.
    for word in re.finditer(NAME, without_comments(code, language)):
        while following and following[0].start <= word.start():
            around.append(following.popleft())
        while around and around[-1].end <= word.start():
            around.pop()
        owner = around[-1] if around else None
        # Its own name is where it is defined, or a recursive call.
        if not (owner and word.group() == owner.name):
            uses[owner].add(word.group())
    reached = {*called, *uses[None]}
    while used := {each for each in left if each.name in reached or ENTRIES & uses[each]}:
        left -= used
        reached |= {name for each in used for name in uses[each]}
    return sorted(left, key=lambda each: each.start)


def _definitions(text: str, language: Language) -> Iterator[Definition]:
    if language.mutation.definition is None:
        return
    # Behind which place each opening brace is closed.
    closed, opened = dict[int, int](), list[int]()
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            closed[opened.pop()] = brace.end()
    for found in re.finditer(language.mutation.definition.pattern, text, re.MULTILINE):
        name = found[found.lastindex or 0]
        end = _end(text, found.start(), found.start(found.lastindex or 0), closed)
        before = text[text.rfind("\n", 0, max(0, found.start() - 1)) + 1 : found.start()]
        # A decorator may hand on what it is given.
        if name not in ENTRIES and end is not None and not before.lstrip().startswith("@"):
            yield Definition(name, found.start(), end)


def _end(text: str, start: int, name: int, closed: Mapping[int, int]) -> int | None:
    """Return where a definition ends.

    With the brace that closes it, else before the next line at its margin.

    None where what it defines is used at once, or where it is not closed.
    """
    line = text.find("\n", name)
    line = len(text) if line < 0 else line
    opened = text.find("{", name)
    declared = re.compile(rf"[ \t]*(?:{NAME}|[&*(])")  # ``struct Start { … } start;``
    if opened >= 0 and not text[line:opened].strip():
        end = closed.get(opened)
        return None if end is None or declared.match(text, end) else end
    margin = len(text[start:name]) - len(text[start:name].lstrip())
    for following in re.compile(r"^([ \t]*)(\S+)", re.MULTILINE).finditer(text, line):
        if len(following[1]) <= margin and following[2] not in ("end", "}"):
            return following.start()
    return len(text)
