"""The cost of programs by their times and their counts of instructions together.

A time is noisy; a count is exact, and shows nothing of caches, branches and the kernel. For the
programs of a problem in one language, with y the logarithm of a time, s its standard error, and x
the logarithm of a count,

    y_i = a + b x_i + u_i + e_i,    e_i normal with variance s_i²,    u_i Student's with scale c

(Fay and Herriot, "Estimates of income for small places: an application of James-Stein procedures to
census data", 1979). The joint cost is the posterior mean of a + b x_i + u_i: the time itself where
its noise is small against c, the line where it is large, and a weighted mean of both in between.
Student's distribution has four degrees of freedom and is computed as a mixture of normal ones
(Lange, Little and Taylor, "Robust statistical modeling using the t distribution", 1989). Its heavy
tails let a program that is far from the line, for its cost is cache misses, keep its time.

The scale c is not known: the posterior is a mean over a grid of values, each weighted by its
restricted likelihood (see estimator.py) and by a prior that is flat in the square root of c. A
prior that is flat in c keeps too much noise where counts say everything (Kendall's tau 0.96 for
0.98 of 30 programs with errors of 20 %), one that is flat in log c gives intervals that hold the
truth too rarely (80 % for 90 %, errors of 10 % with counts 10 % off). b has a normal prior, 1 ± 1,
which matters only where all counts are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.records import Measurement
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, band_of, objection
from venus_toolkit.execution.measuring.estimator import LEAST_NOISE, Floats
from venus_toolkit.execution.measuring.ranking import Costs, costs_of

FEWEST_FOR_LINE = 6  # programs that a line is fitted to
# Among many rivals one is faster by 1.96 standard errors by chance. With 2, simulated times with
# errors of 10 % and exact counts have a tau of 0.998, and with 1 of 0.979.
WIDTHS_AMONG_MANY = 2.0
SCALES = np.linspace(0, np.sqrt(2), 64) ** 2
# Student's distribution with four degrees of freedom as normal ones, whose precisions follow a
# gamma distribution; the widest is a thousand times as wide as the scale.
PRECISIONS = np.geomspace(1e-6, 6, 24)
SHARES = PRECISIONS**2 * np.exp(-2 * PRECISIONS)


class CostLine(NamedTuple):
    """The relation of time to count that programs were found to have, for each of SCALES.

    Attributes:
        weights: How likely each scale is; their sum is 1.
        middle: The mean of the logarithms of the counts.
        terms: Scales x 2: the logarithm of the time at the middle, and the slope.
        covariance: Scales x 2 x 2: that of the terms.
    """

    weights: Floats
    middle: float
    terms: Floats
    covariance: Floats

    def costs(self, times: Costs, counts: Floats, fitted: bool) -> Costs:
        """Return the joint costs of programs, in the unit of the times.

        Args:
            times: Their times, all known, with standard errors.
            counts: Their instructions.
            fitted: Whether the line was fitted to them. For other programs how sure the line is
                decides as well how far it is believed.
        """
        y, noise, design = np.log(times.value), _noise(times), _design(counts, self.middle)
        expected = self.terms @ design.T
        unsure = np.einsum("np,gpq,nq->gn", design, self.covariance, design)[..., None]
        prior = SCALES[:, None, None] ** 2 / PRECISIONS + (0 if fitted else unsure)
        noise = noise[:, None]
        residuals = (y - expected)[..., None]
        likely = _mixture(residuals, prior + noise)[0] * self.weights[:, None, None]
        kept = prior / (prior + noise)
        means = expected[..., None] + kept * residuals
        mean = (likely * means).sum(axis=(0, 2))
        own = kept * noise + ((1 - kept) ** 2 * unsure if fitted else 0)
        variance = (likely * (own + (means - mean[:, None]) ** 2)).sum(axis=(0, 2))
        cost = np.exp(mean)
        return Costs(cost, cost * np.sqrt(variance))


def fit_line(times: Costs, counts: Floats) -> CostLine:
    """Return the relation of the times of programs, all of them known, to their counts."""
    y, noise, middle = np.log(times.value), _noise(times), float(np.log(counts).mean())
    design = _design(counts, middle)
    variances = SCALES[:, None, None] ** 2 / PRECISIONS + noise[:, None]
    slope = np.diag([0.0, 1.0])  # precision of its prior
    terms = np.tile([np.median(y), 1.0], (len(SCALES), 1))
    for _ in range(10):  # until the weights of the mixture settle
        likely, density = _mixture((y - terms @ design.T)[..., None], variances)
        precision = (likely / variances).sum(axis=2)
        information = np.einsum("np,gn,nq->gpq", design, precision, design) + slope
        right = (precision * y) @ design + slope.sum(axis=0)
        terms = np.linalg.solve(information, right[..., None])[..., 0]
    penalty = (terms[:, 1] - 1) ** 2 + np.linalg.slogdet(information)[1]
    logs = density.sum(axis=1) - penalty / 2
    weights = np.exp(logs - logs.max())
    return CostLine(weights / weights.sum(), middle, terms, np.linalg.inv(information))


def _design(counts: Floats, middle: float) -> Floats:
    return np.stack([np.ones(len(counts)), np.log(counts) - middle], axis=1)


def _noise(times: Costs) -> Floats:
    found: Floats = np.maximum(times.se / times.value, LEAST_NOISE) ** 2
    return found


def _mixture(residuals: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """Return how likely each of PRECISIONS is, and the logarithms of the densities, but for a constant."""
    logs = np.log(SHARES / SHARES.sum()) - (np.log(variances) + residuals**2 / variances) / 2
    most = logs.max(axis=2, keepdims=True)
    likely = np.exp(logs - most)
    total = likely.sum(axis=2, keepdims=True)
    return likely / total, (np.log(total) + most)[..., 0]


def join(humans: Sequence[Measurement], others: Sequence[Measurement] = ()) -> list[Measurement]:
    """Return measurements of one problem and language with their joint costs, those of humans first.

    The line is fitted to the human programs alone, so no other program moves it. A program whose
    count is not known or contradicts its CPU time (agreement.py), or whose error is not known,
    keeps its time and its error, and takes no part in the line. So do all of them where fewer than
    FEWEST_FOR_LINE are left.
    """
    programs = [*humans, *others]
    human = np.arange(len(programs)) < len(humans)
    times, counts = costs_of(programs, "relative_time"), costs_of(programs, INSTRUCTIONS)
    cost, share = times.value.copy(), times.se / times.value
    known = np.isfinite(share) & np.isfinite(counts.value)
    for place in np.flatnonzero(known):
        rivals = [each for other, each in enumerate(humans) if other != place]
        widths = WIDTHS_AMONG_MANY if human[place] else 1.0
        known[place] = not objection(programs[place], rivals, band_of(rivals), widths)
    if (known & human).sum() >= FEWEST_FOR_LINE:
        fitted = known & human
        line = fit_line(times.take(fitted), counts.value[fitted])
        for chosen in (fitted, known & ~human):
            own = share[chosen]
            joint = line.costs(times.take(chosen), counts.value[chosen], chosen is fitted)
            # No surer than the count, no less sure than the time.
            least = np.fmin(counts.se[chosen] / counts.value[chosen], own)
            share[chosen] = np.minimum(np.fmax(joint.se / joint.value, least), own)
            cost[chosen] = joint.value
    return [
        replace(
            each,
            joint_time=None if np.isnan(value) else float(value),
            joint_se=None if np.isnan(se) else float(se),
        )
        for each, value, se in zip(programs, cost, share, strict=True)
    ]
