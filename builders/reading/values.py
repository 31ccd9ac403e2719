"""Converts the values of a source: safe names, stable ids, limits, dates, verdicts.

A program of the source becomes part of the problem if it follows our contracts (docs/problems.md);
others stay in ``extra``.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import MAX_INT64
from venus_toolkit.core.language import MARKER
from venus_toolkit.core.records import NS_PER_S, Expectation, Limits, OutputComparison

WALL_PER_CPU = 4  # a busy machine may stretch the wall time; CPU time is the limit that counts


def slugify(*parts: str) -> str:
    """Join `parts` into lower-case letters, digits and hyphens, or a hash of empty or long text."""
    text = " ".join(part for part in parts if part)
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not slug:
        return f"problem-{short_hash(text)}"
    longest = 80  # characters, so that a slug fits into a file name and a table
    # 13: a hyphen and the 12 digits of the hash
    return slug if len(slug) <= longest else f"{slug[: longest - 13]}-{short_hash(text)}"


def short_hash(text: str) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def stable_id(slug: str) -> int:
    """Return a reproducible number for a problem whose source has none."""
    # 48 bits: exact in a float, and unlikely to collide among a hundred thousand problems.
    return int.from_bytes(hashlib.sha256(slug.encode("utf-8", "surrogatepass")).digest()[:6], "big")


def own_id(value: object, slug: str) -> int:
    """Return the source's number of a problem, also from text; other values give the stable id."""
    digits = str(value)
    # 20 digits do not fit into 64 bits, and Python refuses to parse thousands of them.
    number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
    return number if 0 <= number <= MAX_INT64 else stable_id(slug)


def difficulty(word: str) -> str:
    """Return Easy, Medium or Hard for the words that sources use; ``Unknown`` for others."""
    # LeetCode, APPS (introductory, interview, competition), TACO (medium_hard, very_hard)
    difficulties = {
        "easy": "Easy", "introductory": "Easy",
        "medium": "Medium", "interview": "Medium",
        "hard": "Hard", "competition": "Hard", "medium_hard": "Hard", "very_hard": "Hard",
    }  # fmt: skip
    return difficulties.get(word.strip().lower().replace(" ", "_"), "Unknown")


def rating_difficulty(rating: float | None) -> str:
    """Return the difficulty of a Codeforces rating: up to 1200 is Easy, from 2000 Hard.

    We chose the bounds; Codeforces has none.
    """
    if not rating or rating <= 0:
        return "Unknown"
    return "Easy" if rating <= 1200 else "Medium" if rating < 2000 else "Hard"


def limits(cpu_s: float | None = None, memory_bytes: float | None = None) -> Limits:
    """Return limits from a source's CPU time and memory; wall time is a multiple of CPU time.

    Raises:
        ValueError: A limit is not greater than 0, or too large.
    """
    max_seconds = 10**6  # eleven days: more is a mistake, and nanoseconds must fit into 64 bits
    for name, value, limit in (("time", cpu_s, max_seconds), ("memory", memory_bytes, MAX_INT64)):
        if value is not None and not 0 < value < limit:
            raise ValueError(f"the {name} limit must be a number greater than 0, found {value}")
    cpu_ns = round(cpu_s * NS_PER_S) if cpu_s is not None else None
    return Limits().changed(
        cpu_ns=cpu_ns,
        wall_ns=cpu_ns and WALL_PER_CPU * cpu_ns,
        memory_bytes=round(memory_bytes) if memory_bytes is not None else None,
    )


def day(text: str) -> str | None:
    """Return the date ``YYYY-MM-DD`` at the start of text in ISO format; None for other text."""
    try:
        return datetime.date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def expectation(verdict: str) -> Expectation:
    """Return the expectation for a program from the verdict of any judge, in the judge's words."""
    word = re.sub(r"[^a-z]+", "_", verdict.lower()).strip("_")
    if word in ("ok", "ac", "accepted", "passed", "success", "correct"):
        return Expectation.ACCEPTED
    # Before `wrong`, which matches every other limit.
    if "time_limit" in word or word in ("tle", "timeout", "idleness_limit_exceeded"):
        return Expectation.SLOW
    # Abbreviations must be the whole word: many words contain "re".
    wrong = (
        r"wrong|error|limit|crash|challenged|hacked|presentation|fail|reject|incorrect"
        r"|^(wa|re|mle|ole|ce|pe)$"
    )
    return Expectation.WRONG if re.search(wrong, word) else Expectation.UNKNOWN


def day_at(seconds: float | None) -> str | None:
    """Return the UTC date of a Unix time; None if it is missing or out of range."""
    try:
        return (
            None
            if seconds is None
            else datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat()
        )
    except (ValueError, OverflowError, OSError):
        return None


def read_comparison(evaluator: str) -> tuple[OutputComparison, str | None]:
    """Return the comparison and the evaluator; exact if the source defines no ``evaluate``."""
    if re.search(r"^def evaluate\(", evaluator, re.MULTILINE):
        return OutputComparison("evaluator"), evaluator
    return OutputComparison(), None


def asks_for_real_numbers(statement: str) -> bool:
    """Whether a statement mentions real numbers as answers, or their permitted error."""
    real_numbers = re.compile(
        r"floating[- ]point|\b(real|decimal) numbers?\b|\b(absolute|relative) error\b",
        re.IGNORECASE,
    )
    return real_numbers.search(statement) is not None


def fill_evaluator(name: str, **values: object) -> str:
    """Return ``builders/evaluators/NAME.py.txt`` with each ``{key}`` replaced by a literal."""
    evaluators = Path(__file__).parents[1] / "evaluators"
    template = (evaluators / f"{name}.py.txt").read_text(encoding="utf-8")
    # Not `str.format`: the template is Python and has other braces.
    keys = "|".join(values)
    return re.sub(rf"\{{({keys})\}}", lambda match: repr(values[match[1]]), template)


def programs(evaluator: str, generator: str, templates: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a problem from its source's programs; others go into ``extra``.

    A generator must define ``generate(seed, size)``. A runner is a template that has our marker or
    the old one exactly once, and no tests inside.
    """
    comparison, evaluate = read_comparison(evaluator)
    ours = re.search(r"^def generate\(\s*seed\b", generator, re.MULTILINE)
    # The runners of older Venus tables mark the places of the solution and of the tests.
    old_marker = "==Solution Code=="
    marked = {language: text.replace(old_marker, MARKER) for language, text in templates.items()}
    old_tests = "==Test Cases=="
    runners = {
        name: text
        for name, text in marked.items()
        if text.count(MARKER) == 1 and old_tests not in text
    }
    unused: dict[str, Any] = {
        "test_case_evaluator": "" if evaluate else evaluator,
        "test_case_generator": "" if ours else generator,
        "test_case_runners": {
            name: text for name, text in templates.items() if name not in runners
        },
    }
    return {
        "comparison": comparison,
        "evaluator": evaluate,
        "generator": generator if ours else None,
        "runners": runners,
        "extra": {name: value for name, value in unused.items() if value},
    }


def leetcode_names(names: Iterable[str]) -> dict[str, str]:
    """Map LeetCode's names for languages to ours: python is Python 2 if python3 is listed, too."""
    listed = list(names)
    return {
        name: "python2" if name == "python" and "python3" in listed else name for name in listed
    }
