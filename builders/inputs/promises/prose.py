"""What a description promises beside what else it says.

``The first line has a string s (1 <= |s| <= 9)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from venus_toolkit.builders.inputs.layouts.describe import NAMELESS, ORDERED
from venus_toolkit.builders.inputs.promises.constraints import (
    LONGEST_SENTENCE,
    NO_PROMISE,
    read,
    sentences,
    spelt,
)
from venus_toolkit.builders.inputs.promises.promise_words import SAID, kinds_in_story, kinds_of
from venus_toolkit.builders.inputs.promises.terms import Cursor, chain, only_list
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Permutation,
    Promise,
    Reading,
    Sorted,
)
from venus_toolkit.builders.inputs.statements import Statement

# What follows from the constraints restricts nothing.
FOLLOWS = re.compile(
    r"\b(?:under|by|from) (?:(?:the|these|given) )*constraints\b"
    r"|\bconstraints (?:of this problem )?(?:guarantee|imply)",
    re.IGNORECASE,
)
BRACKETS = re.compile(r"\(([^()]{3,200}(?:\([^()]{0,60}\)[^()]{0,100}){0,4})\)")
ADJECTIVE = re.compile(
    r"\b(?P<how>(?:pairwise )?(?:distinct|different|unique)|(?:strictly )?increasing|non-decreasing|sorted)\s+"
    r"(?:positive |non-negative |space[- ]separated )*(?:integers|numbers|strings|words|"
    r"elements)\b[^A-Za-z]*(?P<name>[A-Za-z][\w{}]*)?"
)
PARITY = re.compile(
    r"\b(?P<how>odd|even) (?:positive )?(?:integer|number)s? (?:-?\d[\w^{}]* <=? )?(?P<name>[A-Za-z]\w*)"
)
TEXT = re.compile(
    r"\b(?:strings?|words?|texts?|names?|lines?|row|characters)\b\s*(?P<names>[A-Za-z][\w{}]*(?:(?:,| and) "
    r"[A-Za-z][\w{}]*)?)?[,:]?\s+"
    r"(?:(?:which|that|it|each|and)\s+)*(?P<how>(?:consist(?:s|ing)? (?:only |solely )?of|of length|"
    r"with length|contain(?:s|ing) only|"
    r"has length|have length|of at most|(?:whose|with a) length)\b.*)"
)


# ``n integers, each between 1 and 60``
NUMBER = r"-?\w+(?:\^\{?\d+\}?)?(?:\s?\*\s?10\^\{?\d+\}?)?(?:\s?[-+]\s?\d+)?"
EACH = re.compile(
    r"\b(?:integers|numbers|values)\b(?P<name>\s[A-Za-z][\w{},]*)?,?\s+(?:(?:each|all|also|of them|is|are|being)\s+)*"
    rf"(?:between|from|at least)\s+(?P<low>{NUMBER})\s+(?:and|to)\s+(?:at most\s+)?(?P<high>{NUMBER})(?![\w^])"
)
# ``a string of length N (1 <= N <= 30)``
LONG = re.compile(
    r"\b(?:string|word)\s+(?:(?P<name>[A-Za-z]\w?)\s+)?(?:of|with)\s+length\s+(?P<size>[A-Za-z]\w?)(?=\s*\()"
)


class Prose(NamedTuple):
    """What was found in a sentence that also says other things, and whether it promises more than that."""

    promises: list[Promise]
    more: bool


def read_prose(sentence: str, names: Names) -> Prose:
    """Return what a sentence of a description promises.

    ``a string s (1 <= |s| <= 9) of lowercase letters``.
    """
    # What is printed is no input, but what is said outright is always said of one.
    if len(sentence) > LONGEST_SENTENCE or re.match(
        r"(?:print|output|return|if |note)\b", sentence, re.IGNORECASE
    ):
        return Prose([], SAID in kinds_of(sentence))
    found: list[Promise] = []
    long = LONG.search(sentence)
    if long and long["size"] not in names.places and (called := _texts(long["name"], names)):
        # Its length is known by the text's name alone.
        rest = re.sub(
            rf"(?<![\w|]){re.escape(long['size'])}(?![\w|])",
            f"|{called[0]}|",
            sentence[long.end() :],
        )
        sentence = sentence[: long.end()] + rest
    text = sentence
    for bracket in reversed(list(BRACKETS.finditer(sentence))):
        inside = read(bracket[1], names)
        if inside is None:
            inside = list(compared_anywhere(bracket[1], names))
        if inside:
            found += inside
            text = text[: bracket.start()] + text[bracket.end() :]
    text = re.sub(r"\s+", " ", text)
    for part, promises in _phrases(text, names):
        found += promises
        text = text.replace(part, " ", 1)
    found += compared_anywhere(text, names)
    return Prose(list(dict.fromkeys(found)), bool(kinds_of(text)))


def kept_kinds(readings: Iterable[Reading]) -> set[str]:
    """Return the kinds of promises that sentences make which were understood."""
    kinds = set().union(*(kinds_of(one.sentence) for one in readings)) - {SAID}
    for promise in (promise for one in readings for promise in one.promises):
        if isinstance(promise, Sorted):
            kinds |= {"order", "distinct"} if promise.strict else {"order"}
        elif isinstance(promise, Permutation):
            kinds |= {"permutation", "distinct"}
        elif isinstance(promise, Distinct):
            kinds |= {"distinct"}
        elif isinstance(promise, Compare):
            values_differ = promise.operator == "!=" and "[" not in f"{promise.left}{promise.right}"
            # Each node has a parent that comes before it: that is a tree.
            are_parents = (promise.operator, promise.right) == ("<", "i")
            kinds |= {*(["distinct"] * values_differ), *(["tree", "connected"] * are_parents)}
        elif isinstance(promise, Graph):
            kinds |= {*promise.kinds, "simple"} | (
                {"connected"} if "tree" in promise.kinds else set()
            )
    return kinds


def unread_promises(
    statement: Statement, names: Names, checked: Collection[Promise], kinds: Collection[str]
) -> Iterator[str]:
    """Yield the sentences of the story, the output and the notes that promise what nothing checks.

    Args:
        statement: Its other sections are read to their last sentence, see `validator`.
        names: The values of an input.
        checked: The promises that are checked.
        kinds: Their kinds, and those that inputs keep by how they are made.
    """
    turned = set(map(_turned, checked))
    whole = [name for name, place in names.places.items() if place.depth or place.kind == "text"]
    for section in (statement.story, statement.output, statement.notes):
        for sentence in sentences(section):
            promised = kinds_of(sentence)
            if SAID not in promised:
                # Of a text without end no half is searched for.
                certain = (
                    NO_PROMISE.sub("", sentence) if len(sentence) <= LONGEST_SENTENCE else sentence
                )
                promised = kinds_in_story(certain, whole) if section is statement.story else set()
            known = list(map(_turned, read(sentence, names) or ())) if promised else []
            if FOLLOWS.search(sentence) or (known and set(known) <= turned):
                continue
            if promised - {SAID} - set(kinds) or promised == {SAID}:
                yield sentence


def _turned(promise: Promise) -> Promise:
    """Return a comparison with the smaller side on the left."""
    if not isinstance(promise, Compare) or promise.operator not in (">", ">="):
        return promise
    return Compare(
        promise.right, promise.operator.replace(">", "<"), promise.left, promise.conditions
    )


def _phrases(text: str, names: Names) -> Iterator[tuple[str, list[Promise]]]:
    """Yield the phrases of a description that say what values are, with their promises."""
    for match in ADJECTIVE.finditer(text):
        name = (
            _known(match["name"], names)
            or next(iter(only_list(names, "int")), "")
            or _nameless(names)
        )
        how = match["how"] if "sorted" not in match["how"] else "sorted in ascending order"
        if promises := read(f"{name} is {how}", names):
            yield match[0], promises
    for match in ORDERED.finditer(text):
        if promises := read(match[0], names):
            yield match[0], promises
    for match in PARITY.finditer(text):
        if (name := _known(match["name"], names)) and (
            promises := read(f"{name} is {match['how']}", names)
        ):
            yield match["how"], promises
    for match in EACH.finditer(text):
        name = _known((match["name"] or "").strip(), names) or _nameless(names)
        if name and (promises := read(f"{match['low']} <= {name} <= {match['high']}", names)):
            yield match[0], promises
    said = TEXT.search(text)
    if said is not None:
        called = _texts(said["names"], names)
        # A list of letters may be followed by what the values mean.
        for how in (
            said["how"],
            re.split(
                r"[,:] (?:where|which|the|representing|describing|denoting|giving)\b", said["how"]
            )[0],
        ):
            how = re.sub(r"^(?:each )?consist(?:s|ing)? (?:only |solely )?of", "consists of", how)
            how = re.sub(r"^contain(?:s|ing) only", "contains only", how)
            how = re.sub(r"^(?:with|of) length", "has length", how)
            how = re.sub(r"^of at most", "has length at most", how).removesuffix(" characters")
            if called and (promises := read(f"{' and '.join(called)} {how}", names)):
                yield said[0], promises
                break


def _texts(written: str | None, names: Names) -> list[str]:
    """Return the texts that are called so; the only one where none is."""
    called = [
        one
        for one in (_known(name, names) for name in re.split(r",? and |, ", written or ""))
        if one
    ]
    texts = [name for name, place in names.places.items() if place.kind == "text"]
    return called or (texts if len(texts) == 1 else [])


def _nameless(names: Names) -> str:
    """Return the only list of numbers that the statement gives no name."""
    lists = [name for name, place in names.places.items() if place.kind == "int" and place.depth]
    found = [name for name in lists if name.startswith(NAMELESS)]
    return found[0] if len(found) == 1 else ""


def _known(name: str | None, names: Names) -> str:
    base = re.sub(r"_?\{?[\di]*\}?$", "", name or "")
    return next((one for one in (base, name) if one and one in names.places), "")


def compared_anywhere(text: str, names: Names) -> Iterator[Compare]:
    """Yield the comparisons that stand anywhere in a text.

    ``two integers n and m (1 <= n, m <= 5)``.
    """
    cursor = Cursor(spelt(text)[: 2 * LONGEST_SENTENCE], names)
    most_compared = 60  # tokens from the start of a chain to its first sign
    while not cursor.done:
        # Read only where a sign of comparison is near, for every word could begin a chain.
        if not any(
            token.kind == "compare"
            for token in cursor.tokens[cursor.at : cursor.at + most_compared]
        ):
            cursor.at += 1
            continue
        found = cursor.attempt(chain)
        if found is None:
            cursor.at += 1
        else:
            yield from found
