"""What is known while one input is drawn: its seed, its family, and what was drawn before.

The families, and what their inputs are for (`FAMILIES`):

- ``tiny``: sizes up to the least + 5 and two to five different values: nearly every case that there
  is.
- ``multiscale``: sizes up to the least + 59; sizes and windows of values of every order of
  magnitude; ``middle`` alike with sizes up to the least + 999.
- ``replay``: a sample or given input, varied.
- ``corner``: sizes, numbers and arrays each at an end of their range; the seed says which, bit by
  bit.
- ``max``: sizes as large as may be, in characters up to `LARGEST`; the seed walks through the
  patterns.

A number instead of a family, ``1000`` or ``n=1000``, is how large all sizes, or the one of that
name, are to be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from .bounds import Values
from .patterns import PATTERNS, logarithmic
from .plan import Plan
from .replay import Old

FAMILIES = ("tiny", "multiscale", "middle", "replay", "corner", "max")
# The size classes of generators without families, for whoever asks for those.
FAMILY_OF = {
    "small": "tiny",
    "random": "multiscale",
    "boundary": "corner",
    "large": "max",
    "worst": "max",
}
ASKED = re.compile(r"(?:(\w+)=)?(\d{1,18})")
# characters of an input, about: what a statement allows beyond that is not reached
LARGEST = 16_000_000
ROOM = {"tiny": 6_000, "multiscale": 24_000, "middle": 90_000, "replay": 30_000}
# How often the sizes of each attempt are halved: the first ones get stuck by chance, later ones find
# out which sizes are possible.
HALVINGS = (0, 0, 1, 3, 6, 10, 14, 18)
TRIES = 40
CONSTANTS = 0.12  # of the numbers, and of the windows of values, are about one that is spelt out
DULL = 0.1  # of the inputs, and of test cases, have texts of one letter
MOST_EARLIER = 12  # arrays, and words, that later ones are made of
NONE: Mapping[str, tuple[str, ...]] = {}


class Stuck(Exception):
    """What was drawn so far leaves no value for the rest; another attempt may do better."""


class Drawing:
    """What the values of one input are drawn with."""

    def __init__(
        self, plan: Plan, seed: int, family: str, samples: Sequence[Old] = (), attempt: int = 0
    ) -> None:
        self.plan, self.seed, self.bounds = plan, seed, plan.bounds
        self.asked = ASKED.fullmatch(family)
        sized = "max" if self.asked else "multiscale"
        self.family = FAMILY_OF.get(family, family if family in FAMILIES else sized)
        self.random = Random(f"{seed} {family}" + (f" {attempt}" if attempt else ""))
        self.halvings = HALVINGS[attempt % len(HALVINGS)]
        self.caps: Values = {}
        self.rate = self.random.choice((0.1, 0.3, 0.6))
        is_varied = self.family == "replay" and samples
        self.old = self.random.sample(samples, len(samples))[0] if is_varied else None
        self.room = 0
        self.fresh(0)

    def fresh(self, index: int) -> None:
        """Forget what the test case before had: its windows of values and its arrays."""
        self.windows: dict[str, tuple[int, int]] = {}
        self.share_window = self.random.random() < (0.8 if self.family == "tiny" else 0.5)
        self.shared: tuple[int, int] | None = None
        self.arrays: list[list[int]] = []
        self.words: list[str] = []
        # All texts of one letter, some with another one at their end: a search that remembers
        # nothing tries everything before it fails.
        self.is_dull = self.plan.has_texts and self.random.random() < DULL
        self.letter = ""
        self.drawn: dict[str, Sequence[Any]] = {}
        self.one_length: dict[str, int] = {}
        # Large inputs walk through the patterns: all arrays of one, then only the first, then each
        # of its own.
        self.pattern = PATTERNS[(self.seed + index) % len(PATTERNS)]
        self.turn = self.seed // len(PATTERNS) % 3

    def end(self, name: str, low: int, high: int) -> int:
        """Return the end of a range that the seed picks for a name."""
        return high if self.seed >> self.plan.bits.get(name, 3) & 1 else low

    def traits(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """Return what is promised of the values of a name, with its arguments."""
        return self.plan.traits.get(name, NONE)

    def near_a_constant(self, low: int, high: int) -> int | None:
        """Return a number that is spelt out where programs decide, or one beside it.

        None where none is possible.
        """
        constants = self.plan.spec.constants
        fitting = [signed for one in constants for signed in (one, -one) if low <= signed <= high]
        return (
            max(low, min(high, self.random.choice(fitting) + self.random.choice((-1, 0, 0, 1))))
            if fitting
            else None
        )

    def window(self, name: str, known: Values) -> tuple[int, int]:
        """Return the window that the values of a name keep to, of those that they may have."""
        span = self.bounds.range(name, known)
        return self.window_in(name, int(span.low), int(span.high))

    def window_in(self, name: str, low: int, high: int) -> tuple[int, int]:
        """Return the window that the values of a name keep to in this test case."""
        if self.family == "corner":
            end = self.end(name, low, high)
            return end, end
        if name not in self.windows:
            both = self.shared if self.share_window else None
            if both is None or both[0] > high or both[1] < low:
                both = self._new_window(low, high)
                self.shared = self.shared or both
            self.windows[name] = both
        first, final = (max(low, min(high, end)) for end in self.windows[name])
        return first, final

    def _new_window(self, low: int, high: int) -> tuple[int, int]:
        draw, whole_range = self.random, high - low
        if self.family == "tiny":
            width = draw.randint(1, 4)
        elif self.family == "max":
            width = (
                whole_range
                if self.turn == 0 or draw.random() < 0.5
                else logarithmic(draw, 0, whole_range)
            )
        else:
            width = logarithmic(draw, 0, whole_range)
        width = min(width, whole_range)
        anchor = draw.choice((low, low, -width // 2, high - width, draw.randint(low, high - width)))
        if draw.random() < CONSTANTS and (near := self.near_a_constant(low, high)) is not None:
            anchor = near - draw.randint(0, width)
        first = max(low, min(high - width, anchor))
        return first, first + width
