"""Which of two programs is costlier, beyond the noise of both measurements.

A spread is (largest - smallest) / smallest over the repeats, so cost times spread is how far the repeats of a program
were from each other. Two programs are apart when

    |a - b| > noise · sqrt(sigma_a² + sigma_b²)   and   max(a, b) ≥ min_ratio · min(a, b)

and the published figures, which a prompt shows, are in the same order. What sigma is depends on the objective:

    time      cost times its spread; the cost is what the release ranks by, relative_time or wall_ns
    integral  integral_byte_ns times its spread, and the bound of its sampling error on top (as independent of it)
    memory    memory_noise_kib: peaks have no spread in a release

docs/derive.md says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.core.records import KIB

Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.bool_]
RELATIVE, ABSOLUTE = "relative", "absolute"
FIGURES = (
    "time", "memory", "integral", "wall_ns", "relative_time", "peak_bytes", "integral_byte_ns", "wall_spread",
    "relative_spread", "integral_spread", "integral_error_byte_ns",
)  # fmt: skip


class Costs(NamedTuple):
    """What solutions cost in one objective, nan where it is not known: value ± noise, and what a prompt shows."""

    value: Floats
    noise: Floats
    shown: Floats

    @property
    def measured(self) -> Matrix:
        """Which solutions have a cost."""
        known: Matrix = np.isfinite(self.value) & np.isfinite(self.shown)
        return known

    @property
    def comparable(self) -> Matrix:
        """Which solutions have a cost whose noise is known."""
        known: Matrix = self.measured & np.isfinite(self.noise)
        return known

    def take(self, places: npt.NDArray[np.int64]) -> Costs:
        """Return the costs of some solutions."""
        return Costs(*(column[places] for column in self))


def costs_of(figures: Mapping[str, Floats], objective: str, rank: str, options: DeriveOptions) -> Costs:
    """Return the costs of solutions from their FIGURES.

    Args:
        figures: An array for each of FIGURES, nan where a solution has none.
        objective: time, memory or integral.
        rank: What the release ranks by in time: ``relative`` (to the reference program) or ``absolute``.
        options: How noisy memory is, and what was measured once.
    """
    shown = figures[objective]
    if objective == "memory":
        value = figures["peak_bytes"]
        return Costs(value, np.full(len(value), options.memory_noise_kib * KIB), shown)
    name, spread = ("integral_byte_ns", "integral_spread")
    if objective == "time":
        name, spread = ("relative_time", "relative_spread") if rank == RELATIVE else ("wall_ns", "wall_spread")
    value, spreads = figures[name], figures[spread]
    if options.assume_spread is not None:
        spreads = np.where(np.isnan(spreads), options.assume_spread, spreads)
    # Without a bound the spread says alone how noisy an integral is.
    error = np.nan_to_num(figures["integral_error_byte_ns"]) if objective == "integral" else 0.0
    return Costs(value, np.hypot(value * spreads, error), shown)


def costlier(costs: Costs, options: DeriveOptions) -> Matrix:
    """Return a matrix that is true at (i, j) where solution i is costlier than solution j beyond the noise."""
    value, noise, shown = costs
    # Independent noises add up as their squares do. What is not known is nan, which is not greater than anything.
    gap = value[:, None] - value[None, :]
    apart = gap > options.noise * np.hypot(noise[:, None], noise[None, :])
    by_ratio = value[:, None] >= options.min_ratio * value[None, :]
    # A prompt must not show figures that say the opposite.
    found: Matrix = apart & by_ratio & (shown[:, None] > shown[None, :])
    return found
