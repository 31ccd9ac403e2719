"""What is drawn by lot: from a seed and names, the same on every machine and in every order of the work."""

from __future__ import annotations

import random
from collections.abc import Iterator


def draws(count: int, *names: object) -> Iterator[int]:
    """Yield the numbers below `count` in an order that follows from `names`, each once, as many as are asked for.

    This is Fisher and Yates' shuffle, of which only the places that were moved are kept.
    """
    rng = random.Random("/".join(map(str, names)))
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        place = int(rng.random() * (last + 1))
        yield moved.get(place, place)
        if place != last:
            moved[place] = moved.get(last, last)
        moved.pop(last, None)


def lot(*names: object) -> float:
    """Return a number in [0, 1) that follows from `names`."""
    return random.Random("/".join(map(str, names))).random()
