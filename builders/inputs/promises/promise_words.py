"""The words that reveal a promise, even one that no reader understands.

Generated inputs may break a promise that was not understood, so a sentence with one of `WORDS`
lowers the confidence unless its promise is checked. A story also uses these words for its question
(``return all distinct values``) and for definitions (``a grid is called valid if ...``). There a
word counts only in the context that `WORDS` names, and only before the first word of `ASKS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

EXPLICIT = "explicit"  # an explicit promise, whatever its content: ``it is guaranteed that``
ANYWHERE = "anywhere"
INPUT = (
    "in a story: with the name of a list or text of the input, or introduced as in GIVES or EXISTS"
)
GIVEN = "in a story: introduced as in GIVES"
DESCRIPTION = "in the description of the input only"


class Words(NamedTuple):
    """Words of one kind of promise, and the context in which a story applies them to the input."""

    kind: str
    context: str
    words: tuple[str, ...]


WORDS = (
    Words(EXPLICIT, ANYWHERE, (
        "guaranteed", "guarantees", "may assume", "can assume", "may be assumed", "can be assumed", "is assured",
        "generated such that", "generated so that", "generated in a way", "promised", "保証", "仮定してよい",
    )),
    Words("order", INPUT, (
        "sorted", "ascending", "descending", "increasing", "decreasing", "non-decreasing", "non-increasing",
        "nondecreasing", "nonincreasing", "non-descending", "chronological", "alphabetical order", "rotated",
        "昇順", "降順", "単調", "ソート済み",
    )),
    Words("distinct", INPUT, (
        "distinct", "unique", "no two", "no duplicates", "no duplicate", "no multiple", "pairwise", "at most once",
        "all different", "without repetition", "相異なる", "互いに異なる", "重複",
    )),
    Words("permutation", INPUT, ("permutation", "permutations", "anagram", "anagrams", "順列")),
    Words("connected", INPUT, (
        "connected", "reachable", "path between any", "path between every", "path between each", "連結",
    )),
    Words("tree", INPUT, ("tree", "trees", "acyclic", "no cycles", "no cycle", "forest", "木である", "木で")),
    Words("search tree", INPUT, ("search tree", "search trees", "BST")),
    Words("simple", INPUT, ("simple graph", "self-loops", "multi-edges", "bipartite", "planar", "単純", "二部グラフ")),
    Words("overlap", INPUT, ("overlap", "overlapping", "intersect", "disjoint", "non-overlapping", "convex")),
    Words("number", INPUT, ("prime", "coprime", "divisible", "power of two", "leading zeros", "leading zero", "素数")),
    Words("text", INPUT, ("palindrome", "palindromic", "balanced", "well-formed", "回文")),
    Words("amount", GIVEN, (
        "exactly", "only one", "except for", "except one", "ちょうど",
    )),
    Words("valid", GIVEN, (
        "always", "valid", "consistent", "it is possible", "unambiguous", "contradiction", "swapped", "必ず",
    )),
    Words("restricted", DESCRIPTION, (
        "such that", "at least one", "at most one", "no more than", "exceed", "multiple of", "subsequence",
        "odd", "even", "additional constraint", "additional constraints", "constraint on",
    )),
)  # fmt: skip
"""The words of promises: a sentence without them promises nothing beyond its comparisons."""

GIVES = ("given", "gives", "input", "inputs", "test case", "test cases", "与えられ", "入力")
EXISTS = ("there is", "there are", "we have", "you have")  # at the start of a sentence
# From one of these words on, a sentence of a story asks its question or changes the input.
ASKS = (
    "return", "returns", "find", "print", "prints", "output", "determine", "count the", "count how", "calculate",
    "compute", "write",
    "implement", "check", "how many", "choose", "chooses", "choosing", "select", "selecting", "decide", "construct",
    "report", "restore", "reconstruct", "is there", "is it possible", "whether", "your task", "your goal", "goal",
    "can you", "minimize", "maximize", "want", "wants", "would like", "sort", "merge", "delete", "remove", "rearrange",
    "convert", "design", "make", "divide", "partition", "split", "solve", "do the following", "perform", "operation",
    "operations", "answer", "should", "must", "求め", "判定", "出力",
)  # fmt: skip
# A sentence of a story with one of these defines a word, proves something, or shows an example.
DEFINES = (
    "is called", "are called", "call", "said to be", "is considered", "are considered", "is defined", "are defined",
    "define", "definition", "represented as", "if and only if", "for example", "for instance", "can be proved",
    "can be proven", "can be shown", "is proved", "explanation", "if",
)  # fmt: skip


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    # Japanese has no spaces between words, so \b does not find their ends.
    spelt = (
        rf"(?<![\w-]){re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words
    )
    return re.compile("|".join(spelt).replace(r"\ ", r"\s+"), re.IGNORECASE)


LONGEST_CLAUSE = 600  # characters
# The part of a clause that denies a promise, with the words that lead to it.
PERMITTED = re.compile(
    r"[,;(]?(?:\s*\b(?:and|but|although|though|however|it|they|there|also|which|that|is|are))*\s*"
    r"\b(?:not necessarily|may (?:not )?(?:be|contain|have|appear|occur)\b|(?:is )?not guaranteed)[^,;()]*\)?",
    re.IGNORECASE,
)
OF_KIND = tuple((row.kind, row.context, _any_of(row.words)) for row in WORDS)
GIVING, EXISTING, ASKED, DEFINED = map(_any_of, (GIVES, EXISTS, ASKS, DEFINES))


def kinds_of(text: str) -> set[str]:
    """Return the kinds of promises that the words of a text reveal."""
    return {kind for kind, _, pattern in OF_KIND if pattern.search(text)}


def clause_of(sentence: str) -> str:
    """Return a sentence of a story up to its question."""
    asked = ASKED.search(sentence)
    clause = sentence[: asked.start()] if asked else sentence
    # PERMITTED would take too long on a longer clause.
    return PERMITTED.sub("", clause) if len(clause) <= LONGEST_CLAUSE else clause


def kinds_in_story(sentence: str, names: Sequence[str]) -> set[str]:
    """Return the kinds of promises that a story makes about lists and texts with these names."""
    if DEFINED.search(sentence):
        return set()
    clause = clause_of(sentence)
    is_given = bool(GIVING.search(clause))
    about_input = (
        is_given or bool(EXISTING.match(clause)) or any(_is_named(name, clause) for name in names)
    )
    contexts = {INPUT: about_input, GIVEN: is_given}
    return {
        kind
        for kind, context, pattern in OF_KIND
        if contexts.get(context) and pattern.search(clause)
    }


def _is_named(name: str, clause: str) -> bool:
    """Whether a clause mentions a name of the input; before most words ``A`` is an article."""
    article = r"(?!\s+(?!(?:is|are|has|have|and|of|in)\b)[a-z])" if name in ("a", "A", "I") else ""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?!\w){article}", clause))
