"""Reads constraint sentences: ``S is a string of length N consisting of 0 and 1``.

A sentence is read from its first word to its last, and understood either as a whole or not at all.
`constraints.lark` is the grammar; `prose` reads promises within longer sentences.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError, UnexpectedCharacters
from lark.lexer import PatternRE, TerminalDef

from venus_toolkit.builders.inputs.promises.meaning import Meaning
from venus_toolkit.builders.inputs.promises.terms import NotUnderstood, mark_names, normalize
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Promise

# ``105`` for ``10^5``: a superscript that was copied as plain text.
LOST_POWER = re.compile(r"(?<![\w.^*])(-?)10([3-9]|1[0-8])(?![\w.])")
# ``27`` for ``2^7``, only if the inputs show it: most such numbers are not powers.
POWER_OF_2 = re.compile(r"(?<![\w.^*])(-?)2([5-9]|[1-5][0-9]|6[0-4])(?![\w.])")
LONGEST_SENTENCE = 600  # characters; statements are untrusted text
MOST_SIGNS = 150  # words, names and signs; a longer sentence is not parsed
GRAMMAR = Path(__file__).with_name("constraints.lark")
# Sentences in a section of constraints that are not constraints.
NO_CONSTRAINT = re.compile(
    r"follow[- ]?up|note: this (?:question|problem)|(?:can|could) you |answers within|your solution will be tested|"
    r"each (?:test )?group|to get (?:the )?points|your (?:final )?score|(?:sub)?(?:task|group)s? |"
    r"lines? [i-l] ?= ?\d[^:<>]{0,40}:[^<>]*$|print |the i-th line should|"
    r"(?:for )?each (?:test case|query)[^.,:]{0,40} in the [^.,:]{0,20}form(?:at)?:",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a section; each item of a list has one or more."""
    candidates: list[str] = []
    # A line break between a long line and a lower-case letter is only wrapping.
    for line in re.split(r"\n\s*\n|(?<![^\n]{60})\n|\n(?![ \t]*[a-z]{2})", text):
        # A full stop before a capital ends a sentence; the one in ``0, 1 and .`` does not.
        parts = re.split(
            r"(?<=[\w)}\]|$'\"])\.\s+(?=[A-Z])",
            re.sub(r"^(?:[*•]|-(?! *\d))[ \t]+", "", line.strip()),
        )
        candidates += [re.sub(r"\s+", " ", part).strip() for part in parts if part.strip(" .")]
    most_sentences = 200
    return [sentence for sentence in candidates if not NO_CONSTRAINT.match(sentence)][
        :most_sentences
    ]


def restore_powers(text: str) -> str:
    """Return `text` with ``105`` as ``10^5``: a power that lost its superscript."""
    return LOST_POWER.sub(r"\g<1>10^\2", text)


def restore_powers_of_2(text: str) -> str:
    """Return `text` with ``231 - 1`` as ``2^31 - 1``.

    >>> restore_powers_of_2("-231 <= nums[i] <= 231 - 1")
    '-2^31 <= nums[i] <= 2^31 - 1'
    """
    return POWER_OF_2.sub(r"\g<1>2^\2", text)


@functools.cache
def grammar() -> Lark:
    """Return the grammar of sentences."""
    return Lark(
        GRAMMAR.read_text("utf-8"),
        start=["sentence", "compared", "phrase"],
        parser="earley",
        edit_terminals=_as_words,
    )


def _as_words(terminal: TerminalDef) -> None:
    """Let a terminal match whole words only, in any case."""
    if re.search("[A-Za-z]{2}", terminal.pattern.value) and "⟨" not in terminal.pattern.value[:1]:
        begin = r"(?:(?<![A-Za-z0-9])|(?=[^A-Za-z0-9]))"
        end = r"(?:(?![A-Za-z0-9])|(?<=[^A-Za-z0-9]))"
        terminal.pattern = PatternRE(f"{begin}(?:{terminal.pattern.to_regexp()}){end}", ("i",))


@functools.cache
def words() -> frozenset[str]:
    """Return the words of the grammar, in lower case."""
    patterns = " ".join(terminal.pattern.value for terminal in grammar().terminals)
    return frozenset({"a", *re.findall("[a-z]{2,}", re.sub(r"\\\\.", " ", patterns).lower())})


@functools.lru_cache(4096)
def parse(text: str, start: str = "sentence") -> Tree[Token] | int:
    """Return the parse tree of a sentence with marked names.

    If it cannot be parsed, return the number of characters before the first unexpected one.
    """
    if len(re.findall(r"\w+|[^\w\s]", text)) > MOST_SIGNS:
        return 0
    try:
        return grammar().parse(text, start=start)
    except UnexpectedCharacters as error:
        return error.pos_in_stream or 0
    except LarkError:
        return len(text)


def rules() -> list[str]:
    """Return the names of the rules that `read` can leave out."""
    named = {rule.alias or str(rule.origin.name) for rule in grammar().rules}
    return sorted(name for name in named if not name.startswith("_"))


def read(
    sentence: str, names: Names, without: Collection[str] = frozenset()
) -> list[Promise] | None:
    """Return the promises of a sentence; None if a part of it is not understood.

    Args:
        sentence: A sentence of a statement.
        names: The values of an input.
        without: Rules of the grammar to leave out, see `rules`.
    """
    if len(sentence) > LONGEST_SENTENCE:
        return None
    # In ``# or ..``, the first full stop is a character of the input, the second ends the sentence.
    text = re.sub(r"(?<=[^\s,])[.;,]$", "", normalize(sentence).strip()).strip()
    for as_words in (False, True):
        sentence, terms = mark_names(text, names, words(), as_words)
        if (promises := promises_of(parse(sentence), names, terms, without)) is not None:
            return promises
    return None


def without_tokens(promise: Promise) -> Promise:
    """Return a promise with plain texts in place of tokens, which other code cannot store."""

    def text(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(text, value))
        return str(value) if isinstance(value, str) else value

    fields = {
        field.name: text(getattr(promise, field.name)) for field in dataclasses.fields(promise)
    }
    return type(promise)(**fields)


def promises_of(
    tree: Tree[Token] | int,
    names: Names,
    terms: dict[str, str],
    without: Collection[str] = frozenset(),
) -> list[Promise] | None:
    """Return the promises of a parse tree; None if it has no meaning for this input."""
    if isinstance(tree, int) or (
        without and any(tree.data in without for tree in tree.iter_subtrees())
    ):
        return None
    try:
        return [without_tokens(promise) for promise in Meaning(names, terms).of(tree)]
    except (NotUnderstood, RecursionError):
        return None
