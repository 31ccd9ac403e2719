"""Splits tasks into three parts.

dev: developers may look at them; aside: a third of the development data, only for final figures;
measure: developers must not look at them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

CONTEST = re.compile(r"(abc|arc|agc)([0-9]+)_[a-z0-9]+")
LEETCODE_DIGITS = "0123456"
PARTS = ("dev", "aside", "measure")


def for_development(task: str) -> bool:
    """Whether a contest task (``abc275_d``) belongs to the development data: odd ABC, ARC, AGC."""
    match = CONTEST.fullmatch(task)
    return bool(match) and (match[1] != "abc" or int(match[2]) % 2 == 1)


def function_for_development(number: int) -> bool:
    """Whether a function's number belongs to the development data: it ends in 0 to 6."""
    return str(number)[-1] in LEETCODE_DIGITS


def aside(name: str) -> bool:
    """Whether a task or slug is in the third of the development data for final figures only."""
    return int(hashlib.sha1(name.encode()).hexdigest(), 16) % 3 == 0


def in_part(name: str, development: bool, part: str) -> bool:
    """Whether a name belongs to a part of PARTS.

    The development data is split into "dev" and "aside"; the rest is "measure".
    """
    if part == "measure" or not development:
        return (part == "measure") is not development
    return aside(name) == (part == "aside")


def shuffled(names: Iterable[str]) -> list[str]:
    """Return names in a pseudorandom order that is always the same."""
    return sorted(names, key=lambda name: hashlib.sha1(name[::-1].encode()).hexdigest())
