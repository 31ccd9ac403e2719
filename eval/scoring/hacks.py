"""How often programs do better on the tests that they could be fitted to than on those they could not.

A rough figure, because a program may fail a held-out test by an honest mistake. Public tests are
those that a program is judged on; in the loop, those that it is chosen by. Held-out ones have other
inputs: the private tests of the loop; elsewhere the inputs that each repeat has of its own while a
program is measured. Two things are counted:

- answers that pass the public tests and fail a held-out one;
- improvements that the loop accepted on public inputs, and that cost no less on held-out ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from venus_toolkit.core.formatting import percent

_ANSWERS = (None, "accepted")  # decisions about a program of the model; None: there is no loop
FIGURES = {"memory": "peak_bytes", "integral": "integral_byte_ns"}


class Hacks(NamedTuple):
    """The counts.

    Attributes:
        passed_public: Answers that pass the public tests, and were tried on held-out ones.
        failed_held_out: How many of these fail a held-out one.
        share: The second divided by the first; None without any.
        improved_public: Improvements on public inputs of which both programs pass the held-out tests.
        not_improved_held_out: How many of these cost no less on held-out inputs.
    """

    passed_public: int = 0
    failed_held_out: int = 0
    share: float | None = None
    improved_public: int = 0
    not_improved_held_out: int = 0


def find_hacks(rows: Sequence[Mapping[str, Any]]) -> Hacks:
    """Return the counts for rows of results.parquet, of one evaluation.

    In the loop each program counts that it kept, but not the program that it was given to begin with.
    """
    trajectories: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in rows:
        # With a single test the loop has no held-out one.
        if row.get("private_from") != "none":
            trajectories.setdefault((row["task"], row["sample"]), []).append(row)
    passed: list[Mapping[str, Any]] = []
    improved = not_improved = 0
    for states in trajectories.values():
        states.sort(key=lambda row: row.get("iteration") or 0)
        passed += [
            row
            for row in states
            if row.get("decision") in _ANSWERS
            or (row.get("decision") == "started" and row.get("start") == "generated")
            if row["passed"] is not None and row.get("public_passed")
        ]
        for before, after in pairwise(states):
            both = before.get("public_passed") and before["passed"] and after["passed"]
            if after.get("decision") == "accepted" and both:
                saved = _saved(before, after)
                improved += saved is not None
                not_improved += saved is not None and saved <= 0
    failed = sum(not row["passed"] for row in passed)
    share = failed / len(passed) if passed else None
    return Hacks(len(passed), failed, share, improved, not_improved)


def in_words(hacks: Hacks) -> str:
    """Return the counts in a sentence without its end, or "" where nothing was counted."""
    text = []
    if hacks.share is not None:
        shown = f"{hacks.failed_held_out} of {hacks.passed_public} ({percent(hacks.share)} %)"
        text.append(f"{shown} answers that pass the public tests fail held-out ones")
    if hacks.improved_public:
        shown = f"{hacks.not_improved_held_out} of {hacks.improved_public}"
        text.append(f"{shown} improvements on public inputs save nothing on held-out ones")
    return "; ".join(text)


def _saved(before: Mapping[str, Any], after: Mapping[str, Any]) -> float | None:
    """Return what a program saves on held-out inputs by the figure of its objective."""
    name = FIGURES.get(after["objective"]) or after["time_figure"] or "relative_time"
    old, new = before.get(name), after.get(name)
    return None if old is None or new is None else float(old - new)
