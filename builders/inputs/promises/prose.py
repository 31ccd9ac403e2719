"""Reads promises within descriptions: ``The first line has a string s (1 <= |s| <= 9)``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import (
    LONGEST_SENTENCE,
    parse,
    promises_of,
    read,
    sentences,
    words,
)
from venus_toolkit.builders.inputs.promises.promise_words import (
    EXPLICIT,
    clause_of,
    kinds_in_story,
    kinds_of,
)
from venus_toolkit.builders.inputs.promises.terms import mark_names, normalize
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Permutation,
    Promise,
    Reading,
    Sorted,
)
from venus_toolkit.builders.inputs.statements import Statement

# A sentence about a consequence of the constraints, which restricts nothing further.
FOLLOWS = re.compile(
    r"\b(?:under|by|from) (?:(?:the|these|given) )*constraints\b"
    r"|\bconstraints (?:of this problem )?(?:guarantee|imply)",
    re.IGNORECASE,
)
BRACKETS = re.compile(r"\(([^()]{3,200}(?:\([^()]{0,60}\)[^()]{0,100}){0,4})\)")
# Begins a clause that may be a sentence.
CLAUSES = re.compile(
    r"[,;:] (?:where|and|but|which|it|all)\b|\b(?:such that|where|so that|guaranteed that|assume(?: that)?"
    r"|note that)\b|[,;]",
    re.IGNORECASE,
)
# May begin a phrase: a name, or a word for a property of a list or a graph.
PHRASES = re.compile(
    r"\((?=⟨)|⟨[nt]|\b(?:distinct|different|unique|pairwise|sorted|(?:strictly|monotonically) |non-?(?:de|in)creasing"
    r"|(?:in|de)creasing|ascending|descending|permutation|odd|even|prime|binary|non-?empty|positive"
    r"|non-negative|tree|connected|simple|acyclic|bipartite|directed acyclic|undirected|integers|numbers|values)",
    re.IGNORECASE,
)
SERIES = re.compile(
    r"(?<!\()⟨(?P<kind>[nt])(?P<first>[^⟩]+)⟩(?:,? ⟨(?P=kind)[^⟩]+⟩){0,2},? ?\.{2,3},? ?⟨(?P=kind)(?P<last>[^⟩]+)⟩"
)
NO_END = re.compile(
    r"\s*(?:(?:by|according to|with respect to)\b|,? ?\.{2,3}|⟨|,? ?(?:and|or)? ?⟨[nt][^⟩]*⟩ (?:and|or)\b)"
)
COMPARED = re.compile(
    r"(?:⟨[^⟩]+⟩|<=|>=|!=|[<>=]|\.{2,3}|[-+*/^(){}|%,]|\d+(?:\.\d+)?|\b(?:and|min|max)\b|\s)+"
)
MOST_TRIES = 60  # attempts to parse phrases of one sentence
LONGEST_PHRASE = 160  # characters


class Prose(NamedTuple):
    """The promises read in a sentence, and whether it promises more."""

    promises: list[Promise]
    more: bool


def read_prose(sentence: str, names: Names) -> Prose:
    """Return the promises in a sentence: ``a string s (1 <= |s| <= 9) of lowercase letters``."""
    # A sentence about the output promises nothing, except by words like ``guaranteed``.
    if len(sentence) > LONGEST_SENTENCE or re.match(
        r"(?:print|output|return|if |note(?! that|:))\b", sentence, re.IGNORECASE
    ):
        return Prose([], EXPLICIT in kinds_of(sentence))
    promises: list[Promise] = []
    text = _name_length(sentence, names)
    for bracket in reversed(list(BRACKETS.finditer(text))):
        inside = read(bracket[1], names)
        if inside is None:
            inside = list(comparisons_in(bracket[1], names))
        if inside:
            promises += inside
            text = text[: bracket.start()] + text[bracket.end() :]
    for clause in filter(None, CLAUSES.split(text)):
        known = read(clause.strip(), names) if kinds_of(clause) else None
        if known:
            promises += known
            text = text.replace(clause, " ", 1)
    text, terms = mark_names(normalize(text), names, words())
    text, from_phrases = _extract_phrases(text, names, terms)
    promises += from_phrases
    for match in COMPARED.finditer(text):
        promises += _read_comparisons(match[0], names, terms)
    plain = re.sub(r"⟨.([^⟩]*)⟩", r"\1", text)
    return Prose(list(dict.fromkeys(promises)), bool(kinds_of(plain)))


def _name_length(sentence: str, names: Names) -> str:
    """Return ``a string of length N (N <= 30)`` with ``|S|`` in place of N."""
    long = re.search(
        r"\b(?:string|word)\s+(?:(?P<name>[A-Za-z]\w?)\s+)?(?:of|with)\s+length\s+(?P<size>[A-Za-z]\w?)(?=\s*\()",
        sentence,
    )
    texts = [name for name, place in names.places.items() if place.kind == "text"]
    if not long or long["size"] in names.places:
        return sentence
    name = long["name"] if long["name"] in texts else texts[0] if len(texts) == 1 else ""
    size = rf"(?<![\w|]){re.escape(long['size'])}(?![\w|])"
    rest = re.sub(size, f"|{name}|", sentence[long.end() :])
    return sentence[: long.start("size")] + f"|{name}|" + rest if name else sentence


def _extract_phrases(text: str, names: Names, terms: dict[str, str]) -> tuple[str, list[Promise]]:
    """Return a marked text without its phrases, and their promises."""
    promises: list[Promise] = []
    text, terms = _join_series(text, names, terms)
    at = tries = 0
    while tries < MOST_TRIES and (start := PHRASES.search(text, at)):
        at, begin = start.end(), start.start()
        # In ``the elements of A sorted in ascending order``, A itself is not sorted.
        of_another = start[0][0] == "⟨" and re.search(r"\b(?:of|in) (?:the )?$", text[:begin])
        end = 0 if of_another else min(len(text), begin + LONGEST_PHRASE)
        while end > begin and tries < MOST_TRIES:
            tries += 1
            tree = parse(text[begin:end].rstrip(" ,.;"), "phrase")
            if not isinstance(tree, int):
                phrase_promises = promises_of(tree, names, terms)
                # ``sorted by the banquet`` is an unknown order, and a phrase before another value
                # was cut off within a list.
                if (
                    phrase_promises
                    and not NO_END.match(text[end:])
                    and not _is_length_of_value(text, begin, phrase_promises)
                ):
                    promises += phrase_promises
                    text, at = f"{text[:begin]} {text[end:]}", begin + 1
                break
            # Drop a word, and everything after the first unexpected character.
            end = text.rfind(" ", begin, min(end, begin + tree + 1))
    return text, promises


def _join_series(text: str, names: Names, terms: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return a marked text with one name for ``a_1, a_2, ..., a_n``, and the terms of its names."""
    terms = dict(terms)

    def replace_series(match: re.Match[str]) -> str:
        first, last = terms[match["first"]], terms[match["last"]]
        base = last.partition("[")[0]
        if first.partition("[")[0] != base or "[" not in last:
            return match[0]
        # All indices of a matrix but the last one are constant.
        fixed = last.rpartition("[")[0].removeprefix(base)
        free = next(index for index in names.indices if f"[{index}]" not in fixed)
        terms[f"{base}_series"] = f"{base}{fixed}[{free}]"
        return f"⟨{match['kind']}{base}_series⟩"

    return SERIES.sub(replace_series, text), terms


def _is_length_of_value(text: str, begin: int, promises: Sequence[Promise]) -> bool:
    """Whether a phrase gives a length to a number: ``a road from a to b of length w``."""
    is_list = re.search(r"\b(?:array|list|sequence|vector|permutation)s? $", text[:begin])
    return (
        text.startswith("⟨n", begin)
        and not is_list
        and any(isinstance(one, Compare) and "len(" in one.left for one in promises)
    )


def comparisons_in(text: str, names: Names) -> Iterator[Promise]:
    """Yield the promises of comparisons in a text: ``two integers n and m (1 <= n, m <= 5)``."""
    text, terms = mark_names(normalize(text)[: 2 * LONGEST_SENTENCE], names, words())
    for match in COMPARED.finditer(text):
        yield from _read_comparisons(match[0], names, terms)


def _read_comparisons(text: str, names: Names, terms: dict[str, str]) -> list[Promise]:
    """Return the promises of a text of terms and signs, from the longest part that parses."""
    most_tries = 12
    for _ in range(most_tries):
        text = re.sub(
            r"^(?:[\s,)}]|and\b)+|(?:[-+*/^\s,({]|\band)+$", "", _before_unmatched_bracket(text)
        )
        if not re.search("[<>=]", text):
            break
        # The part after a comma may belong to the next words: ``N <= 9, C, where C <= N``.
        for end in (text, text.rpartition(",")[0], text.partition(",")[0]):
            promises = (
                promises_of(parse(end, "compared"), names, terms)
                if re.search("[<>=]", end)
                else None
            )
            if promises is not None:
                return promises + _read_comparisons(text[len(end) :], names, terms)
        text = re.sub(r"^(?:⟨[^⟩]+⟩|[^\s(,⟨]+|.)", "", text)  # drop a term
    return []


def _before_unmatched_bracket(text: str) -> str:
    """Return a text up to the first unmatched closing bracket."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if depth < 0:
            return text[:place] or text[1:]
    return text


def kinds_promised(promises: Iterable[Promise]) -> set[str]:
    """Return the kinds (see `promise_words`) of promises."""
    kinds = set[str]()
    for promise in promises:
        if isinstance(promise, Sorted):
            kinds |= {"order", "distinct"} if promise.strict else {"order"}
        elif isinstance(promise, Permutation):
            kinds |= {"permutation", "distinct"}
        elif isinstance(promise, Distinct):
            kinds |= {"distinct"}
        elif isinstance(promise, Is):
            kinds |= {"permutation of": {"permutation"}, "distinct together": {"distinct"},
                      "all different": {"distinct"}, "prime": {"number"}, "no leading zero": {"number"},
                      "palindrome": {"text"}, "brackets": {"text"}}.get(promise.what, set())  # fmt: skip
        elif isinstance(promise, Compare):
            values_differ = promise.operator == "!=" and "[" not in f"{promise.left}{promise.right}"
            # Nodes with earlier nodes as parents form a tree.
            are_parents = (promise.operator, promise.right) == ("<", "i")
            rises = promise.right == promise.left.replace("[i]", "[i + 1]") != promise.left
            kinds |= {*(["distinct"] * values_differ), *(["tree", "connected"] * are_parents),
                      *(["order"] * rises)}  # fmt: skip
        elif isinstance(promise, Graph):
            kinds |= {*promise.kinds, "simple"}
            kinds |= {"connected"} if "tree" in promise.kinds else set()
            kinds |= {"tree"} if "acyclic" in promise.kinds else set()
    return kinds


def kinds_of_readings(readings: Iterable[Reading]) -> set[str]:
    """Return the kinds of promises of understood sentences."""
    readings = list(readings)
    kinds = set().union(*(kinds_of(one.sentence) for one in readings)) - {EXPLICIT}
    return kinds | kinds_promised(promise for one in readings for promise in one.promises)


def story_promises(story: str, names: Names) -> Iterator[str]:
    """Yield the clauses of a story that promise something about the input."""
    lists = whole(names)
    for sentence in sentences(story):
        if len(sentence) <= LONGEST_SENTENCE and kinds_in_story(sentence, lists):
            clause = clause_of(sentence)
            promises = read_prose(clause, names).promises
            if promises and (
                _has_edges(names) or not all(isinstance(one, Graph) for one in promises)
            ):
                yield clause


def _has_edges(names: Names) -> bool:
    """Whether the input has rows that may be edges."""
    columns = [
        place.counts for place in names.places.values() if place.kind == "int" and place.depth == 1
    ]
    rows = any(place.kind == "int" and place.depth == 2 for place in names.places.values())
    return rows if names.style == "json" else len(columns) > len(set(columns))


def whole(names: Names) -> list[str]:
    """Return the names of lists and texts."""
    return [name for name, place in names.places.items() if place.depth or place.kind == "text"]


def unread_promises(
    statement: Statement, names: Names, checked: Collection[Promise], kinds: Collection[str]
) -> Iterator[str]:
    """Yield the sentences of the story, the output and the notes with promises that nothing checks.

    Args:
        statement: Its other sections are left out: `believe` reads each of their sentences.
        names: The values of an input.
        checked: The promises that are checked.
        kinds: Their kinds, and those that the structure of inputs ensures.
    """
    checked_forms = set(map(_smaller_left, checked))
    for section in (statement.story, statement.output, statement.notes):
        for sentence in sentences(section):
            promised = kinds_of(sentence)
            if EXPLICIT not in promised:
                promised = (
                    kinds_in_story(sentence, whole(names)) if section is statement.story else set()
                )
            known = (
                set(map(_smaller_left, _read_story_sentence(sentence, names)))
                if promised
                else set()
            )
            if FOLLOWS.search(sentence) or (known and known <= checked_forms):
                continue
            if promised - {EXPLICIT} - set(kinds) or promised == {EXPLICIT}:
                yield sentence


def _read_story_sentence(sentence: str, names: Names) -> list[Promise]:
    """Return the promises of a story's sentence; nothing if a part of it is not understood."""
    whole_sentence = read(sentence, names)
    if whole_sentence is not None:
        return whole_sentence
    promises, more = read_prose(clause_of(sentence), names)
    return [] if more else promises


def _smaller_left(promise: Promise) -> Promise:
    """Return a comparison with the smaller side on the left."""
    if not isinstance(promise, Compare) or promise.operator not in (">", ">="):
        return promise
    return Compare(
        promise.right, promise.operator.replace(">", "<"), promise.left, promise.conditions
    )
