"""Train or test: by problem, never by row, and the same for every language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def split(slugs: Iterable[str], test_fraction: float, seed: int) -> dict[str, str]:
    """Return ``train`` or ``test`` for each problem.

    Problems are ordered by a seeded hash of their name; the first `test_fraction` of them are the test split, at least
    one of each where there are two problems or more.
    """
    ordered = sorted(set(slugs), key=lambda slug: hashlib.sha256(f"{seed}/{slug}".encode()).digest())
    wanted = min(max(1, round(test_fraction * len(ordered))), max(len(ordered) - 1, 0))
    return {slug: "test" if index < wanted else "train" for index, slug in enumerate(ordered)}
