"""Splits programs of any language into the tokens that mutants need.

Comments, strings and type arguments are hidden. The language defines comments and strings; names,
numbers and operators are the same for all seven languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from venus_toolkit.core.language import Language

HIDDEN = "\0"  # replaces a character of a comment or string; neither space, name nor operator
NAME = r"[A-Za-z_$][\w$]*"


def masked(code: str, language: Language) -> str:
    """Return `code` with comments, strings and type arguments hidden, at unchanged offsets."""
    text = _comments_and_strings(language).sub(_hide, code)
    if not language.mutation.generics:
        return text
    # Hide ``<…>`` right after a name if its content looks like types.
    parts, done, position = list[str](), 0, 0
    opening = re.compile(r"(?<=[\w:])<")
    while (match := opening.search(text, position)) is not None:
        end = _end_of_type(text, match.start())
        position = end or match.end()
        if end:
            parts += text[done : match.start()], HIDDEN * (end - match.start())
            done = end
    return "".join([*parts, text[done:]])


def without_comments(code: str, language: Language) -> str:
    """Return `code` with comments hidden, at unchanged offsets."""
    comment = language.comments
    return _comments_and_strings(language).sub(
        lambda match: _hide(match) if comment.fullmatch(match.group()) else match.group(), code
    )


def _comments_and_strings(language: Language) -> re.Pattern[str]:
    return re.compile(
        f"(?:{language.comments.pattern})|(?:{language.strings.pattern})", language.comments.flags
    )


def _hide(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", HIDDEN, match.group())


def _end_of_type(text: str, start: int) -> int | None:
    """Return the end of the type arguments that begin at `start`; None if ``<`` is a comparison."""
    open_brackets: list[str] = []
    type_characters = re.compile(r"[\w\s,:*&?.'\[\]()<>-]")
    longest_type = 120  # characters; a ``>`` further away is a comparison
    for position in range(start, min(len(text), start + longest_type)):
        character = text[position]
        # ``a < b && c > d`` is two comparisons; within square brackets anything goes: ``Vec<[u8;
        # 4]>``.
        if text.startswith("&&", position) or not (
            type_characters.match(character) or "[" in open_brackets
        ):
            return None
        if character in "<[(":
            open_brackets.append(character)
        # The ``>`` of an arrow ``->`` closes nothing.
        elif character in ">])" and text[position - 1] != "-":
            if not open_brackets or open_brackets.pop() + character not in ("<>", "[]", "()"):
                return None
            if not open_brackets:
                return position + 1
    return None


def tokens(text: str, operators: Iterable[str] = ()) -> Iterator[re.Match[str]]:
    """Return the tokens of a `masked` program.

    `operators` are additional operators or sequences of words. The longest match wins.
    """
    usual_operators = (
        "<=>", "===", "!==", "<<=", ">>=", ">>>", "**=", "//=", "..=", "...", "&&", "||", "??",
        "?.", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
        "++", "--", "->", "=>", "::", "**", "//", "..", ":=",
    )  # fmt: skip
    signs = sorted({*usual_operators, *operators}, key=lambda sign: (-len(sign), sign))
    spaced = [rf"\b{re.escape(sign)}\b" for sign in signs if " " in sign]
    plain = [re.escape(sign) for sign in signs if not re.match(r"\w", sign)]
    number = r"\d\w*(?:\.\d\w*)?(?:(?<=[eE])[-+]\d+)?"
    return re.finditer("|".join([*spaced, number, NAME, *plain, r"[^\s\0]"]), text)
