"""Which of two programs is costlier, beyond the noise of both measurements.

Two programs are apart by the rule of execution/measuring/ranking.py, 95 % intervals of half widths
sigma being given,

    |a - b| > noise · sqrt(sigma_a² + sigma_b²)   and   max(a, b) ≥ min_ratio · min(a, b)

and the published figures, which a prompt shows, are in the same order. What sigma is depends on the
objective:

    time      1.96 standard errors of what the release ranks by, one of TIMES
    integral  1.96 standard errors of integral_byte_ns, and the bound of its sampling error (as independent of it)
    memory    memory_noise_kib: peaks have no standard error in a release

Releases without standard errors have spreads over the repeats, from which these follow.

docs/derive.md says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.core.records import KIB
from venus_toolkit.execution.measuring import ranking
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.ranking import TIMES

Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.bool_]
ABSOLUTE = "absolute"
FIGURES = (
    "time", "memory", "integral", "wall_ns", "relative_time", "peak_bytes", "integral_byte_ns", "wall_spread",
    "relative_spread", "integral_spread", "integral_error_byte_ns", "wall_se", "relative_se", "integral_se", "repeats",
    "instructions", "instructions_se", "joint_time", "joint_se",
)  # fmt: skip


class ObjectiveCosts(NamedTuple):
    """What solutions cost in one objective, nan where unknown.

    Value ± noise in 95 %, and what a prompt shows.
    """

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

    def take(self, places: npt.NDArray[np.int64]) -> ObjectiveCosts:
        """Return the costs of some solutions."""
        return ObjectiveCosts(*(column[places] for column in self))


def costs_of(
    figures: Mapping[str, Floats], objective: str, rank: str, options: DeriveOptions
) -> ObjectiveCosts:
    """Return the costs of solutions from their FIGURES.

    Args:
        figures: An array for each of FIGURES, nan where a solution has none.
        objective: time, memory or integral.
        rank: What the release ranks by in time: a key of TIMES.
        options: How noisy memory is, and what was measured once.
    """
    shown = figures[objective]
    if objective == "memory":
        value = figures["peak_bytes"]
        return ObjectiveCosts(value, np.full(len(value), options.memory_noise_kib * KIB), shown)
    name = "integral_byte_ns" if objective == "integral" else TIMES[rank]
    value, shares = figures[name], ranking.shares_of_error(name, figures.__getitem__) * NORMAL_95
    if options.assume_spread is not None:
        shares = np.where(np.isnan(shares), options.assume_spread, shares)
    # Without a bound the repeats say alone how noisy an integral is.
    error = np.nan_to_num(figures["integral_error_byte_ns"]) if objective == "integral" else 0.0
    return ObjectiveCosts(value, np.hypot(value * shares, error), shown)


def costlier(costs: ObjectiveCosts, options: DeriveOptions) -> Matrix:
    """Return a matrix that is true at (i, j) where solution i is costlier than solution j beyond the noise."""
    value, noise, shown = costs
    known = ranking.Costs(value, noise / NORMAL_95)
    apart = ranking.costlier(known, known, widths=options.noise)
    by_ratio = value[:, None] >= options.min_ratio * value[None, :]
    # A prompt must not show figures that say the opposite.
    found: Matrix = apart & by_ratio & (shown[:, None] > shown[None, :])
    return found
