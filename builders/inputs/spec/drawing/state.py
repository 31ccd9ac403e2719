"""The state of drawing one input: its seed, its family, and the earlier values.

The families of inputs (`FAMILIES`):

- ``tiny``: sizes up to the minimum + 5 and two to five different values, which cover nearly every
  case.
- ``multiscale``: sizes up to the minimum + 59; sizes and windows of values of every order of
  magnitude. ``middle``: the same with sizes up to the minimum + 999.
- ``replay``: a variation of a sample.
- ``corner``: sizes, numbers and arrays at an end of their range; each bit of the seed selects one
  end.
- ``max``: the largest possible sizes, up to `LARGEST` characters; the seed cycles through the
  patterns.

A number instead of a family, ``1000`` or ``n=1000``, sets all sizes or the one with that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from .bounds import KnownNumbers
from .patterns import PATTERNS, logarithmic
from .plan import Plan
from .replay import SampleBlock

FAMILIES = ("tiny", "multiscale", "middle", "replay", "corner", "max")
# The families for the size classes of generators without families.
FAMILY_OF = {
    "small": "tiny",
    "random": "multiscale",
    "boundary": "corner",
    "large": "max",
    "worst": "max",
}
SIZE = re.compile(r"(?:(\w+)=)?(\d{1,18})")
# Approximate limit of an input in characters, even if the statement allows more.
LARGEST = 16_000_000
# The limits of the other families.
ROOM = {"tiny": 6_000, "multiscale": 24_000, "middle": 90_000, "replay": 30_000}
# How often each attempt halves all sizes: the first ones may fail by chance, so only later ones
# search for sizes that work.
HALVINGS = (0, 0, 1, 3, 6, 10, 14, 18)
TRIES = 40
CONSTANTS = 0.12  # share of numbers, and of ranges of values, near a constant of the statement
DULL = 0.1  # share of inputs and of test cases whose texts consist of one letter
MOST_EARLIER = 12  # arrays, and words, that later ones may repeat
NONE: Mapping[str, tuple[str, ...]] = {}


class DrawError(Exception):
    """No value was found that fits the earlier ones; the text names it. A retry may succeed."""


class Drawing:
    """The state of drawing one input."""

    def __init__(
        self,
        plan: Plan,
        seed: int,
        family: str,
        samples: Sequence[SampleBlock] = (),
        attempt: int = 0,
    ) -> None:
        self.plan, self.seed, self.bounds = plan, seed, plan.bounds
        self.size = SIZE.fullmatch(family)
        other = "max" if self.size else "multiscale"
        self.family = FAMILY_OF.get(family, family if family in FAMILIES else other)
        self.random = Random(f"{seed} {family}" + (f" {attempt}" if attempt else ""))
        self.halvings = HALVINGS[attempt % len(HALVINGS)]
        self.caps: KnownNumbers = {}
        self.rate = self.random.choice((0.1, 0.3, 0.6))
        is_varied = self.family == "replay" and samples
        self.old = self.random.sample(samples, len(samples))[0] if is_varied else None
        self.room = 0
        self.fresh(0)

    def fresh(self, index: int) -> None:
        """Forget the windows, arrays and words of the previous test case."""
        self.windows: dict[str, tuple[int, int]] = {}
        self.share_window = self.random.random() < (0.8 if self.family == "tiny" else 0.5)
        self.shared: tuple[int, int] | None = None
        self.arrays: list[list[int]] = []
        self.words: list[str] = []
        # Texts of one letter, some with another letter at the end, are the worst case of
        # backtracking without memoisation: it fails only after trying everything.
        self.is_dull = self.plan.has_texts and self.random.random() < DULL
        self.letter = ""
        self.drawn: dict[str, Sequence[Any]] = {}
        self.one_length: dict[str, int] = {}
        # Large inputs cycle through the patterns: one for all arrays, then one for the first array
        # only, then a random one for each.
        self.pattern = PATTERNS[(self.seed + index) % len(PATTERNS)]
        self.turn = self.seed // len(PATTERNS) % 3

    def end(self, name: str, low: int, high: int) -> int:
        """Return the end of a range that a bit of the seed selects for a name."""
        return high if self.seed >> self.plan.bits.get(name, 3) & 1 else low

    def traits(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """Return the promised properties of a name's values, with their arguments."""
        return self.plan.traits.get(name, NONE)

    def near_a_constant(self, low: int, high: int) -> int | None:
        """Return a constant of the statement or programs, or a neighbour; None if none fits."""
        constants = self.plan.spec.constants
        fitting = [signed for n in constants for signed in (n, -n) if low <= signed <= high]
        return (
            max(low, min(high, self.random.choice(fitting) + self.random.choice((-1, 0, 0, 1))))
            if fitting
            else None
        )

    def window(self, name: str, known: KnownNumbers) -> tuple[int, int]:
        """Return the part of its range that a name's values use in this test case."""
        span = self.bounds.range(name, known)
        return self.window_in(name, int(span.low), int(span.high))

    def window_in(self, name: str, low: int, high: int) -> tuple[int, int]:
        """Return the part from low to high that a name's values use in this test case."""
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
