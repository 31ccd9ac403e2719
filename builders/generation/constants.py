"""The numbers that a statement and accepted programs spell out: where programs decide, wrong ones decide one off."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from venus_toolkit.builders.statements import Statement
from venus_toolkit.core.records import Solution

MOST = 40
MOST_PROGRAMS = 20
LONGEST_PROGRAM = 100_000  # characters
LARGEST = 10**30
SMALLEST = 3  # smaller ones are drawn anyway
NUMBER = re.compile(
    r"(?<![\w.])(?:(?P<hex>0[xX][0-9a-fA-F]+)|(?P<digits>\d[\d_']*)(?:[eE]\+?(?P<zeros>\d+))?"
    r"(?:[ul]*\s*(?P<sign>\^|\*\*|<<)\s*\{?\s*(?P<by>\d{1,3})\b)?)",
    re.IGNORECASE,
)
NAMED = {"INT_MAX": 2**31, "INT_MIN": 2**31, "LLONG_MAX": 2**63, "MAX_VALUE": 2**31, "i32::MAX": 2**31}


def constants_of(statement: Statement, programs: Sequence[Solution]) -> list[int]:
    """Return the numbers that are spelt out, those first that most texts have; of each only its absolute value."""
    texts = [
        f"{statement.story}\n{statement.output}",
        *(each.code[:LONGEST_PROGRAM] for each in programs[:MOST_PROGRAMS]),
    ]
    found: Counter[int] = Counter()
    for text in texts:
        found.update(set(_numbers(text)))
    return sorted(sorted(found, key=lambda number: (-found[number], number))[:MOST])


def _numbers(text: str) -> Iterable[int]:
    for match in NUMBER.finditer(text):
        number = _value(match)
        if SMALLEST <= number <= LARGEST:
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
