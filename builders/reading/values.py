"""What the words and numbers of a source mean here: names made safe, ids made stable, limits, dates, verdicts."""

from __future__ import annotations

import datetime
import hashlib
import re

from venus_toolkit.builders.reading.cells import MAX_INT64
from venus_toolkit.records import NS_PER_S, Expectation, Limits

WALL_PER_CPU = 4
SLUG_LENGTH = 80
WRONG = r"wrong|error|limit|crash|challenged|hacked|presentation|fail|reject|incorrect|^(wa|re|mle|ole|ce|pe)$"
MAX_SECONDS = 10**6
DIFFICULTIES = {
    "easy": "Easy", "introductory": "Easy",
    "medium": "Medium", "interview": "Medium",
    "hard": "Hard", "competition": "Hard", "medium_hard": "Hard", "very_hard": "Hard",
}  # fmt: skip


def slugify(*parts: str) -> str:
    """Return lower-case letters, digits and hyphens made from `parts`; a hash where nothing is left, or too much."""
    text = " ".join(part for part in parts if part)
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not slug:
        return f"problem-{short_hash(text)}"
    return slug if len(slug) <= SLUG_LENGTH else f"{slug[: SLUG_LENGTH - 13]}-{short_hash(text)}"


def short_hash(text: str) -> str:
    """Return 12 hexadecimal digits that stand for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def stable_id(slug: str) -> int:
    """Return a number that a problem without one of its own always gets."""
    return int.from_bytes(hashlib.sha256(slug.encode()).digest()[:6], "big")


def own_id(value: object, slug: str) -> int:
    """Return the source's own number of a problem, also from text; its stable id where that is no number."""
    digits = str(value)
    number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
    return number if 0 <= number <= MAX_INT64 else stable_id(slug)


def difficulty(word: str) -> str:
    """Return Easy, Medium or Hard for the words that sources use; ``Unknown`` for others."""
    return DIFFICULTIES.get(word.strip().lower().replace(" ", "_"), "Unknown")


def rated(rating: float | None) -> str:
    """Return the difficulty of a Codeforces rating: up to 1200 is Easy, from 2000 Hard. The bounds are ours."""
    if not rating or rating <= 0:
        return "Unknown"
    return "Easy" if rating <= 1200 else "Medium" if rating < 2000 else "Hard"


def limits(cpu_s: float | None = None, memory_bytes: float | None = None) -> Limits:
    """Return limits from what a source says; CPU time is what counts, wall time backs it up.

    Raises:
        ValueError: A limit is not greater than 0.
    """
    for name, value, most in (("time", cpu_s, MAX_SECONDS), ("memory", memory_bytes, MAX_INT64)):
        if value is not None and not 0 < value < most:
            raise ValueError(f"the {name} limit is a number greater than 0, found {value}")
    cpu_ns = round(cpu_s * NS_PER_S) if cpu_s is not None else None
    return Limits().changed(
        cpu_ns=cpu_ns,
        wall_ns=cpu_ns and WALL_PER_CPU * cpu_ns,
        memory_bytes=round(memory_bytes) if memory_bytes is not None else None,
    )


def day(text: str) -> str | None:
    """Return the date ``YYYY-MM-DD`` that a date or time in ISO format begins with; None where it is none."""
    try:
        return datetime.date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def expectation(verdict: str) -> Expectation:
    """Return what a judge's verdict, in the words of whatever judge, says of a program."""
    word = re.sub(r"[^a-z]+", "_", verdict.lower()).strip("_")
    if word in ("ok", "ac", "accepted", "passed", "success", "correct"):
        return Expectation.ACCEPTED
    if "time_limit" in word or word in ("tle", "timeout", "idleness_limit_exceeded"):
        return Expectation.SLOW
    return Expectation.WRONG if re.search(WRONG, word) else Expectation.UNKNOWN


def day_at(seconds: float | None) -> str | None:
    """Return the day of a Unix time, in UTC; None where there is none or it makes no sense."""
    try:
        return None if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
