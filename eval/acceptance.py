"""When a program counts as better than another: beyond the noise, seen twice.

Both are measured in turns, R repeats of each. The new one is better if every repeat of it is cheaper than every repeat
of the old one, and its figure over all repeats is by a share of `min_gain` smaller. If the two cost the same, which
repeats are the cheap ones is chance, so that happens once in C(2R, R) times; measured again, independently, once in
C(2R, R) squared: 0.25 % for three repeats. The smallest of several measurements is never compared with anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

from venus_toolkit.eval.workplace import Measured

FEWEST_REPEATS = 2
TIMES = 2


class Decided(NamedTuple):
    """Whether the new program is better; gain is the share that it saves, None where a figure is missing."""

    better: bool
    gain: float | None
    why: str


def false_alarms(repeats: int) -> float:
    """Return how likely it is that a program of the same cost is taken for a better one.

    >>> false_alarms(3)
    0.0025
    """
    return 1 / float(comb(2 * repeats, repeats) ** TIMES)


def compare(old: Measured, new: Measured, figure: str, min_gain: float) -> Decided:
    """Return whether `new` is cheaper than `old` by a figure, beyond the noise of both.

    Args:
        old: What the program costs that is to be replaced.
        new: What the other costs, measured in turns with it.
        figure: A field of `workplace.Repeat`.
        min_gain: The least share of the cost that has to be saved.
    """
    before, after = getattr(old.total, figure), getattr(new.total, figure)
    costs = [[getattr(repeat, figure) for repeat in each.repeats] for each in (old, new)]
    if after is None or None in costs[1]:
        return Decided(False, None, "it did not end well each time that it was measured")
    if before is None or None in costs[0]:
        return Decided(True, None, "what it replaces did not end well each time that it was measured")
    gain = (before - after) / before if before else 0.0
    if not _apart(*costs):
        return Decided(False, gain, f"{_percent(gain)}, within the noise")
    if gain < min_gain:
        return Decided(False, gain, f"{_percent(gain)}, and {100 * min_gain:g} % are wanted")
    return Decided(True, gain, _percent(gain))


def _apart(old: Sequence[float], new: Sequence[float]) -> bool:
    return max(new) < min(old)


def _percent(gain: float) -> str:
    return f"{abs(100 * gain):.1f} % {'cheaper' if gain >= 0 else 'dearer'}"
