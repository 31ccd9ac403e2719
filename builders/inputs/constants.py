"""Collects the numbers and words that a statement and accepted programs spell out.

Wrong programs often fail on values next to these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from venus_toolkit.builders.inputs.statements import Statement
from venus_toolkit.core.records import Solution

MOST = 40  # numbers
LARGEST = 10**30  # larger numbers are ignored
NUMBER = re.compile(
    r"(?<![\w.])(?:(?P<hex>0[xX][0-9a-fA-F]+)|(?P<digits>\d[\d_']*)(?:[eE]\+?(?P<zeros>\d+))?"
    r"(?:[ul]*\s*(?P<sign>\^|\*\*|<<)\s*\{?\s*(?P<by>\d{1,3})\b)?)",
    re.IGNORECASE,
)
# The score line of a contest statement, which programs do not use.
SCORE = re.compile(r"^\s*Score\s*:.*$", re.MULTILINE)
# Words in quotes, and words formatted as code.
QUOTED = re.compile(r"""(?<![\w"'])(["'])([^\s"'`\\%{}]{2,12})\1""")
CODE = re.compile(r"<code>([^\s<>&]{2,12})</code>|`([^\s`]{2,12})`")
MOST_WORDS = 12
NAMED = {
    "INT_MAX": 2**31,
    "INT_MIN": 2**31,
    "LLONG_MAX": 2**63,
    "MAX_VALUE": 2**31,
    "i32::MAX": 2**31,
}


def constants_of(statement: Statement, programs: Sequence[Solution]) -> list[int]:
    """Return the absolute values of numbers in the texts, in ascending order.

    If there are more than MOST, only those that occur in the most texts.
    """
    texts_with: Counter[int] = Counter()
    for text in _texts(statement, programs):
        texts_with.update(set(_numbers(text)))
    return sorted(sorted(texts_with, key=lambda number: (-texts_with[number], number))[:MOST])


def words_of(page: str, statement: Statement, programs: Sequence[Solution]) -> list[str]:
    """Return the words in quotes or formatted as code, the most common first.

    `page` is the raw statement.
    """
    texts_with = Counter({match[1] or match[2] for match in CODE.finditer(page)})
    for text in _texts(statement, programs):
        texts_with.update({match[2] for match in QUOTED.finditer(text)})
    return sorted(texts_with, key=lambda word: (-texts_with[word], word))[:MOST_WORDS]


def _texts(statement: Statement, programs: Sequence[Solution]) -> Iterable[str]:
    yield SCORE.sub("", f"{statement.story}\n{statement.output}")
    most_programs = 20
    longest_program = 100_000  # characters
    yield from (program.code[:longest_program] for program in programs[:most_programs])


def _numbers(text: str) -> Iterable[int]:
    smallest = 3  # generators draw smaller numbers anyway
    for match in NUMBER.finditer(text):
        number = _value(match)
        if smallest <= number <= LARGEST:
            yield number
    for name, number in NAMED.items():
        if name in text:
            yield number


def _value(match: re.Match[str]) -> int:
    if match["hex"]:
        return int(match["hex"][:40], 16)
    digits = re.sub("[_']", "", match["digits"])
    if len(digits) > len(str(LARGEST)) or int(match["zeros"] or 0) > len(str(LARGEST)):
        return 0
    number: int = int(digits) * 10 ** int(match["zeros"] or 0)
    by = int(match["by"] or 0)
    if match["sign"] == "<<":
        return number << by
    power: int = number**by if match["sign"] else number
    return power
