"""Which letters a text may have, and which values a value.

``lowercase letters, 0 and ?``, ``either 0 or 1``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from venus_toolkit.builders.inputs.promises.terms import Cursor, NotUnderstood, Subject
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Letters, OneOf, Promise

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
PRINTABLE = "".join(map(chr, range(32, 127)))
LETTER_KINDS = (
    (r"(?:the )?(?:lower-?\s?case(?: and|/| or|,) upper-?\s?case|upper-?\s?case(?: and|/| or|,) "
    r"lower-?\s?case|upper and lower-?\s?case|lower and upper-?\s?case)(?: (?:English|Latin|alphabet|"
    r"alphabetical))?(?: (?:letters?|characters?|alphabets?))?", LOWER + UPPER),
    (r"(?:the )?(?:English |Latin )?(?:lower-?\s?case|small)(?: (?:English|Latin|Roman|alphabetical|"
    r"alphabetic))?(?: alphabets?)?(?: (?:letters?|characters?))?", LOWER),
    (r"(?:the )?(?:English |Latin )?(?:upper-?\s?case|capital)(?: (?:English|Latin|Roman|alphabetical|"
    r"alphabetic))?(?: alphabets?)?(?: (?:letters?|characters?))?", UPPER),
    (r"(?:English|Latin|alphabetic|alphabetical) (?:letters?|characters?|alphabets?)", LOWER + UPPER),
    (r"printable ASCII characters?", PRINTABLE),
    (r"(?:a )?(?:single )?spaces?", " "),
)  # fmt: skip
PREFIX = re.compile(
    r"(?:(?:only|either|the|of|a|an|any|one|two|kinds|following|characters?|letters?|symbols?|single)\b:?"
    r"(?!\s*(?:,|and\b|or\b|$))\s*)*"
)
QUOTED = r"['\"]?(?P<{}>[A-Za-z0-9])['\"]?"
SPAN = re.compile(
    r"(?:(?:letters?|characters?|digits?|numbers?)\s+)?(?:\(?from\s+|(?P<between>between\s+))?"
    + QUOTED.format("low")
    + r"\s*(?:to|through|-|(?(between)and|to))\s*"
    + QUOTED.format("high")
    + r"\)?(?=[\s,.)]|$)"
)
ONE = re.compile(
    r"""'(?P<q>[^'\n])'|"(?P<d>[^"\n])"|\((?P<b>\S)\)|(?P<bare>[^\s'"])"""
    r"(?=\s*(?:,|$|\s(?:and|or|only|where|with|characters?|letters?|in)\b|/|\)))"
)
BETWEEN = re.compile(r"\s*(?:,\s*(?:and/or\s+|and\s+|or\s+)?|\s+and/or\s+|\s+and\s+|\s+or\s+|/)\s*")


def lettered(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read the letters that a text may have.

    Raises:
        NotUnderstood: None are listed here, or the subject is no text.
    """
    terms = [term for term in subject.terms if cursor.names.kind(term) in ("text", "letter")]
    if not terms or len(terms) < len(subject.terms):
        # Of numbers too it may be said that they consist of digits.
        raise NotUnderstood("letters of no text")
    letters, end = _alphabet(cursor.text, cursor.peek().at)
    if not letters:
        raise NotUnderstood(cursor.rest)
    while not cursor.done and cursor.peek().at < end:
        cursor.at += 1
    cursor.word("only")
    return [Letters(term.replace("[*]", "[i]"), letters) for term in terms]


def _alphabet(text: str, at: int) -> tuple[str, int]:
    """Return the letters that are listed in a text from a place on, and where the list ends."""
    letters, end = "", at
    while at < len(text):
        at = prefix.end() if (prefix := PREFIX.match(text, at)) else at
        found, stop = _letter_item(text, at)
        if not found:
            break
        letters, end = letters + found, stop
        between = BETWEEN.match(text, stop)
        if not between:
            break
        at = between.end()
    return "".join(dict.fromkeys(letters)), end


def _letter_item(text: str, at: int) -> tuple[str, int]:
    for pattern, meant in LETTER_KINDS:
        match = re.compile(pattern + r"(?![\w-])", re.IGNORECASE).match(text, at)
        if match:
            return meant, match.end()
    span = SPAN.match(text, at)
    if span and span["low"] <= span["high"]:
        return "".join(map(chr, range(ord(span["low"]), ord(span["high"]) + 1))), span.end()
    digits = re.compile(
        r"(?:decimal )?digits?\b(?!\s+(?:from|between|[0-9'\"]))", re.IGNORECASE
    ).match(text, at)
    if digits:
        return DIGITS, digits.end()
    one = ONE.match(text, at)
    return (next(filter(None, one.groups())), one.end()) if one else ("", at)


def chosen(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``either 0 or 1``, ``one of N, NE and E``.

    Raises:
        NotUnderstood: What follows is no list of words.
    """
    rest = cursor.rest
    lead = re.match(
        r"(?:either|one of|equal to|in|only|any of)?(?: (?:either|the following))?:?\s*", rest
    )
    listed = rest[lead.end() if lead else 0 :].strip()
    # ``{0, 1}`` is a list in brackets, ``( or )`` is a list of brackets.
    listed = listed[1:-1] if re.fullmatch(r"[({]\S.*\S[)}]", listed) else listed
    words = [word.strip() for word in BETWEEN.split(listed)]
    words = [word[1:-1] if re.fullmatch(r"'.*'|\".*\"", word) else word for word in words]
    if not subject.terms or any(not word or len(word) > 12 or " " in word for word in words):
        raise NotUnderstood(rest)
    cursor.at = len(cursor.tokens)
    if subject.form == "letters" and all(len(word) == 1 for word in words):
        return [Letters(term, "".join(words)) for term in subject.terms]
    return [choice(term, words, cursor.names) for term in subject.terms]


def listed(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read which values a list has, after ``consists only of``: ``0 and 1``, ``"UP" and "DOWN"``.

    Raises:
        NotUnderstood: What follows are letters, or no list of words.
    """
    terms = tuple(cursor.names.whole(term) for term in subject.terms)
    if any(cursor.names.kind(term) == "text" for term in terms) and not re.match(
        r"[\"']\w{2}", cursor.rest
    ):
        raise NotUnderstood("letters of a text")
    return chosen(cursor, Subject("values", terms))


def choice(term: str, words: Sequence[str], names: Names) -> Promise:
    """Return that a term is one of these words.

    Raises:
        NotUnderstood: It is a number and one of them is none, or it is neither number nor text.
    """
    kind = names.kind(term)
    if kind == "int":
        if not all(re.fullmatch(r"-?\d{1,18}", word) for word in words):
            raise NotUnderstood("choices of a number")
        return OneOf(term, tuple(int(word) for word in words))
    if kind not in ("text", "letter"):
        raise NotUnderstood("choices of nothing")
    return OneOf(term.replace("[*]", "[i]"), tuple(words))
