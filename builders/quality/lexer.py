"""Programs of any language as tokens, as far as mutants need them.

Comments, strings and types are left out.

What a comment and a string is, the language says. The rest holds for all seven: names, numbers and
operators.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from venus_toolkit.core.language import Language

HIDDEN = "\0"  # stands for a character of a comment or a string: no space, no name, no operator
NAME = r"[A-Za-z_$][\w$]*"


def masked(code: str, language: Language) -> str:
    """Return `code` with comments, strings and type arguments hidden.

    Every other character stays where it was.
    """
    text = _comments_and_strings(language).sub(_hide, code)
    if not language.mutation.generics:
        return text
    # ``<…>`` right behind a name is hidden where all between is what a type is made of.
    kept, done, position = list[str](), 0, 0
    opening = re.compile(r"(?<=[\w:])<")
    while (found := opening.search(text, position)) is not None:
        end = _end_of_type(text, found.start())
        position = end or found.end()
        if end:
            kept += text[done : found.start()], HIDDEN * (end - found.start())
            done = end
    return "".join([*kept, text[done:]])


def without_comments(code: str, language: Language) -> str:
    """Return `code` with comments hidden; every other character stays where it was."""
    comment = language.comments
    return _comments_and_strings(language).sub(
        lambda found: _hide(found) if comment.fullmatch(found.group()) else found.group(), code
    )


def _comments_and_strings(language: Language) -> re.Pattern[str]:
    return re.compile(
        f"(?:{language.comments.pattern})|(?:{language.strings.pattern})", language.comments.flags
    )


def _hide(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", HIDDEN, found.group())


def _end_of_type(text: str, start: int) -> int | None:
    """Return where the type arguments that begin at `start` end, or None where ``<`` is a comparison."""
    open_brackets: list[str] = []
    type_characters = re.compile(r"[\w\s,:*&?.'\[\]()<>-]")
    longest_type = 120  # characters; what closes later is another comparison
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

    `operators` are more of them, or sequences of words. The longest win.
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
