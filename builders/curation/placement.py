"""Train or test: by problem, never by row, the same for every language, and for good.

A problem's place follows from a keyed hash of its slug alone, so it stays where it is when other problems come or go.
That meets the wanted share on average. Where the placements of an earlier release are given (an empty one, for a first
release that will be recorded, too), the new problems of each difficulty are placed in the order of the same hash so
that the difficulty's share is met exactly, as far as the placed ones allow; those never move.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.builders.curation.options import CurationOptions

TRAIN, TEST = "train", "test"


class Candidate(NamedTuple):
    """What a placement depends on: a problem's slug, its difficulty, and when it was first published."""

    slug: str
    difficulty: str = ""
    date: str | None = None


def place(
    candidates: Iterable[Candidate], options: CurationOptions, earlier: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return ``train`` or ``test`` for each problem, at least one of each where there are two or more.

    Args:
        candidates: The problems, in any order.
        options: The share of test problems, the seed, or the day from which on problems are test problems.
        earlier: Slug to split in an earlier release, also of problems that are gone; None: no release is known.
    """
    problems = sorted({each.slug: each for each in candidates}.values(), key=lambda each: draw(each.slug, options.seed))
    placed = {each.slug: earlier[each.slug] for each in problems if earlier and each.slug in earlier}
    new = [each for each in problems if each.slug not in placed]
    if options.test_from is not None:
        placed |= {each.slug: TEST if (each.date or "") >= options.test_from else TRAIN for each in new}
    elif earlier is not None:
        placed |= _fill_shares(problems, placed, options.test_fraction)
    else:
        placed |= {each.slug: TEST if draw(each.slug, options.seed) < options.test_fraction else TRAIN for each in new}
    return placed | _one_of_each([each.slug for each in new], placed)


def draw(slug: str, seed: int) -> float:
    """Return a number from [0, 1) that depends on the slug and the seed alone."""
    name = f"{seed}/{slug}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64


def _fill_shares(problems: Sequence[Candidate], placed: Mapping[str, str], share: float) -> dict[str, str]:
    found: dict[str, str] = {}
    for difficulty in {each.difficulty for each in problems}:
        mine = [each.slug for each in problems if each.difficulty == difficulty]
        lacking = round(share * len(mine)) - sum(placed.get(slug) == TEST for slug in mine)
        new = [slug for slug in mine if slug not in placed]
        found |= {slug: TEST if number < lacking else TRAIN for number, slug in enumerate(new)}
    return found


def _one_of_each(new: Sequence[str], placed: Mapping[str, str]) -> dict[str, str]:
    """Return whom to move so that neither part is empty: the new one that is nearest to it, if there is a new one."""
    missing = {TRAIN, TEST} - set(placed.values())
    if len(placed) < 2 or not missing or not new:
        return {}
    part = missing.pop()
    return {new[0] if part == TEST else new[-1]: part}
