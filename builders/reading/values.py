"""What the values of a source mean here: names made safe, ids made stable, limits, dates, verdicts.

Of the programs that come with a problem, only those that keep our contracts (docs/problems.md)
become a part of it; everything else stays in ``extra``.
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
    """Return lower-case letters, digits and hyphens made from `parts`.

    A hash where nothing is left, or too much.
    """
    text = " ".join(part for part in parts if part)
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not slug:
        return f"problem-{short_hash(text)}"
    longest = 80  # characters, so that a slug fits into a file name and a table
    # A hyphen and the 12 digits of the hash make 13.
    return slug if len(slug) <= longest else f"{slug[: longest - 13]}-{short_hash(text)}"


def short_hash(text: str) -> str:
    """Return 12 hexadecimal digits that stand for a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def stable_id(slug: str) -> int:
    """Return a number that a problem without one of its own always gets."""
    # 48 bits: exact in a float, too, and no two of a hundred thousand problems are likely to share
    # one.
    return int.from_bytes(hashlib.sha256(slug.encode("utf-8", "surrogatepass")).digest()[:6], "big")


def own_id(value: object, slug: str) -> int:
    """Return the source's own number of a problem, also from text.

    Its stable id where that is no number.
    """
    digits = str(value)
    # 20 digits do not fit into 64 bits, and Python refuses to read thousands of them.
    number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
    return number if 0 <= number <= MAX_INT64 else stable_id(slug)


def difficulty(word: str) -> str:
    """Return Easy, Medium or Hard for the words that sources use; ``Unknown`` for others."""
    # The words of LeetCode, of APPS (introductory, interview, competition) and of TACO
    # (medium_hard, very_hard).
    difficulties = {
        "easy": "Easy", "introductory": "Easy",
        "medium": "Medium", "interview": "Medium",
        "hard": "Hard", "competition": "Hard", "medium_hard": "Hard", "very_hard": "Hard",
    }  # fmt: skip
    return difficulties.get(word.strip().lower().replace(" ", "_"), "Unknown")


def rated(rating: float | None) -> str:
    """Return the difficulty of a Codeforces rating: up to 1200 is Easy, from 2000 Hard.

    The bounds are ours.
    """
    if not rating or rating <= 0:
        return "Unknown"
    return "Easy" if rating <= 1200 else "Medium" if rating < 2000 else "Hard"


def limits(cpu_s: float | None = None, memory_bytes: float | None = None) -> Limits:
    """Return limits from what a source says; CPU time is what counts, wall time backs it up.

    Raises:
        ValueError: A limit is not greater than 0.
    """
    max_seconds = 10**6  # eleven days: more is a mistake, and nanoseconds have to fit into 64 bits
    for name, value, most in (("time", cpu_s, max_seconds), ("memory", memory_bytes, MAX_INT64)):
        if value is not None and not 0 < value < most:
            raise ValueError(f"the {name} limit must be a number greater than 0, found {value}")
    cpu_ns = round(cpu_s * NS_PER_S) if cpu_s is not None else None
    return Limits().changed(
        cpu_ns=cpu_ns,
        wall_ns=cpu_ns and WALL_PER_CPU * cpu_ns,
        memory_bytes=round(memory_bytes) if memory_bytes is not None else None,
    )


def day(text: str) -> str | None:
    """Return the date ``YYYY-MM-DD`` that a date or time in ISO format begins with.

    None where it is none.
    """
    try:
        return datetime.date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def expectation(verdict: str) -> Expectation:
    """Return what the verdict of any judge, in its own words, says of a program."""
    word = re.sub(r"[^a-z]+", "_", verdict.lower()).strip("_")
    if word in ("ok", "ac", "accepted", "passed", "success", "correct"):
        return Expectation.ACCEPTED
    # Before `wrong`, which takes every other limit.
    if "time_limit" in word or word in ("tle", "timeout", "idleness_limit_exceeded"):
        return Expectation.SLOW
    # Abbreviations count as whole words only: re is a part of many.
    wrong = (
        r"wrong|error|limit|crash|challenged|hacked|presentation|fail|reject|incorrect"
        r"|^(wa|re|mle|ole|ce|pe)$"
    )
    return Expectation.WRONG if re.search(wrong, word) else Expectation.UNKNOWN


def day_at(seconds: float | None) -> str | None:
    """Return the day of a Unix time, in UTC; None where there is none or it makes no sense."""
    try:
        return (
            None
            if seconds is None
            else datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat()
        )
    except (ValueError, OverflowError, OSError):
        return None


def judged_by(evaluator: str) -> tuple[OutputComparison, str | None]:
    """Return how to compare, and a source's evaluator.

    Exactly, where it does not define ``evaluate``.
    """
    if re.search(r"^def evaluate\(", evaluator, re.MULTILINE):
        return OutputComparison("evaluator"), evaluator
    return OutputComparison(), None


def asks_for_real_numbers(statement: str) -> bool:
    """Whether a statement says that its answers are real numbers, or how large their error may be."""
    real_numbers = re.compile(
        r"floating[- ]point|\b(real|decimal) numbers?\b|\b(absolute|relative) error\b",
        re.IGNORECASE,
    )
    return real_numbers.search(statement) is not None


def fill_evaluator(name: str, **values: object) -> str:
    """Return the evaluator in ``builders/evaluators/NAME.py.txt`` with Python literals in the place of ``{key}``."""
    evaluators = Path(__file__).parents[1] / "evaluators"
    template = (evaluators / f"{name}.py.txt").read_text(encoding="utf-8")
    # Not `str.format`: the template is Python, with braces of its own.
    keys = "|".join(values)
    return re.sub(rf"\{{({keys})\}}", lambda found: repr(values[found[1]]), template)


def programs(evaluator: str, generator: str, templates: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a problem that the programs of its source fill.

    What does not keep our contracts is extra.

    A generator has to be ``generate(seed, size)``. Runners are templates with our marker, or the
    old one, and without their tests inside.
    """
    comparison, kept = judged_by(evaluator)
    ours = re.search(r"^def generate\(\s*seed\b", generator, re.MULTILINE)
    # Runners of the Venus family mark where the solution goes, and some where the tests do.
    old_marker = "==Solution Code=="
    marked = {language: text.replace(old_marker, MARKER) for language, text in templates.items()}
    old_tests = "==Test Cases=="
    runners = {
        name: text
        for name, text in marked.items()
        if text.count(MARKER) == 1 and old_tests not in text
    }
    unused: dict[str, Any] = {
        "test_case_evaluator": "" if kept else evaluator,
        "test_case_generator": "" if ours else generator,
        "test_case_runners": {
            name: text for name, text in templates.items() if name not in runners
        },
    }
    return {
        "comparison": comparison,
        "evaluator": kept,
        "generator": generator if ours else None,
        "runners": runners,
        "extra": {name: value for name, value in unused.items() if value},
    }


def leetcode_names(names: Iterable[str]) -> dict[str, str]:
    """Return what LeetCode's names for languages mean.

    Its python is Python 2 where there is a python3 beside it.
    """
    listed = list(names)
    return {
        name: "python2" if name == "python" and "python3" in listed else name for name in listed
    }
