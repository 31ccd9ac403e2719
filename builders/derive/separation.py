"""Decides which of two programs is costlier, beyond the noise of both measurements.

By the rule of execution/measuring/ranking.py two programs differ if, with half widths sigma of 95 %
confidence intervals,

    |a - b| > noise · sqrt(sigma_a² + sigma_b²)   and   max(a, b) ≥ min_ratio · min(a, b)

and the published figures, which a prompt shows, are in the same order. Sigma depends on the
objective:

    time      1.96 standard errors of the ranking column, one of TIMES
    integral  1.96 standard errors of integral_byte_ns, and its independent sampling error bound
    memory    memory_noise_kib: peaks have no standard error in a release

For releases without standard errors they are computed from the spread over repeats. docs/derive.md
gives the reasons.
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
    """The costs of solutions in one objective, nan if unknown.

    Attributes:
        value: The cost.
        noise: The half width of its 95 % confidence interval.
        shown: The figure that a prompt shows.
    """

    value: Floats
    noise: Floats
    shown: Floats

    @property
    def measured(self) -> Matrix:
        """True for solutions with a cost."""
        known: Matrix = np.isfinite(self.value) & np.isfinite(self.shown)
        return known

    @property
    def comparable(self) -> Matrix:
        """True for solutions with a cost of known noise."""
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
        figures: An array for each of FIGURES, nan for missing values.
        objective: time, memory or integral.
        rank: The release's ranking by time, a key of TIMES.
        options: The noise of memory and of single measurements.
    """
    shown = figures[objective]
    if objective == "memory":
        value = figures["peak_bytes"]
        return ObjectiveCosts(value, np.full(len(value), options.memory_noise_kib * KIB), shown)
    name = "integral_byte_ns" if objective == "integral" else TIMES[rank]
    value, shares = figures[name], ranking.shares_of_error(name, figures.__getitem__) * NORMAL_95
    if options.assume_spread is not None:
        shares = np.where(np.isnan(shares), options.assume_spread, shares)
    # Without a bound, the noise of an integral comes from the repeats alone.
    error = np.nan_to_num(figures["integral_error_byte_ns"]) if objective == "integral" else 0.0
    return ObjectiveCosts(value, np.hypot(value * shares, error), shown)


def costlier(costs: ObjectiveCosts, options: DeriveOptions) -> Matrix:
    """Return a matrix: true at (i, j) if solution i is costlier than j beyond the noise."""
    value, noise, shown = costs
    known = ranking.Costs(value, noise / NORMAL_95)
    apart = ranking.costlier(known, known, widths=options.noise)
    by_ratio = value[:, None] >= options.min_ratio * value[None, :]
    # A prompt must not show contradictory figures.
    matrix: Matrix = apart & by_ratio & (shown[:, None] > shown[None, :])
    return matrix
