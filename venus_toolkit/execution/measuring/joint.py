"""Joint costs of programs from their times and their instruction counts.

A time is noisy; a count is exact, but does not include caches, branches and the kernel. For the
programs of a problem in one language, with y the logarithm of a time, s its standard error, and x
the logarithm of a count,

    y_i = a + b x_i + u_i + e_i,    e_i normal with variance s_i²,    u_i Student's with scale c

(Fay and Herriot, "Estimates of income for small places: an application of James-Stein procedures to
census data", 1979). The joint cost is the posterior mean of a + b x_i + u_i: nearly the time itself
if its noise is small relative to c, nearly the line if it is large, and a weighted mean in between.
Student's distribution has four degrees of freedom, and is computed as a mixture of normal
distributions (Lange, Little and Taylor, "Robust statistical modeling using the t distribution",
1989). Due to its heavy tails, a program far from the line, for instance with many cache misses,
keeps its time.

The scale c is unknown: the posterior is a mean over a grid of values, weighted by the restricted
likelihood (see estimator.py) and by a prior that is flat in the square root of c. A prior flat in c
keeps too much noise if counts explain all costs (Kendall's tau 0.96 instead of 0.98, for 30
programs with errors of 20 %). A prior flat in log c gives intervals with too little coverage (80 %
instead of 90 %, for errors of 10 % and counts 10 % off). b has a normal prior, 1 ± 1, which matters
only if all counts are similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.records import Measurement
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, band_of, objection
from venus_toolkit.execution.measuring.estimator import MIN_NOISE, Floats
from venus_toolkit.execution.measuring.ranking import Costs, costs_of

FEWEST_FOR_LINE = 6  # programs required to fit a line
# Among many rivals, some are faster by 1.96 standard errors by chance. For simulated times with
# errors of 10 % and exact counts, Kendall's tau is 0.998 with a factor of 2, and 0.979 with 1.
WIDTHS_AMONG_MANY = 2.0
SCALES = np.linspace(0, np.sqrt(2), 64) ** 2
# Student's distribution with four degrees of freedom is a mixture of normal distributions, whose
# precisions follow a gamma distribution; the widest is a thousand times as wide as the scale.
PRECISIONS = np.geomspace(1e-6, 6, 24)
SHARES = PRECISIONS**2 * np.exp(-2 * PRECISIONS)


class CostLine(NamedTuple):
    """The fitted relation of time to count, for each of `SCALES`.

    Attributes:
        weights: Posterior weights of the scales; their sum is 1.
        middle: The mean of the logarithms of the counts.
        terms: Scales x 2: the logarithm of the time at the middle, and the slope.
        covariance: Scales x 2 x 2: the covariance of the terms.
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
            fitted: Whether the line was fitted to these programs. For other programs, the
                uncertainty of the line adds to the prior variance.
        """
        y, noise, design = np.log(times.value), _noise(times), _design(counts, self.middle)
        expected = self.terms @ design.T
        line_variance = np.einsum("np,gpq,nq->gn", design, self.covariance, design)[..., None]
        prior = SCALES[:, None, None] ** 2 / PRECISIONS + (0 if fitted else line_variance)
        noise = noise[:, None]
        residuals = (y - expected)[..., None]
        likely = _mixture(residuals, prior + noise)[0] * self.weights[:, None, None]
        gain = prior / (prior + noise)
        means = expected[..., None] + gain * residuals
        mean = (likely * means).sum(axis=(0, 2))
        own = gain * noise + ((1 - gain) ** 2 * line_variance if fitted else 0)
        variance = (likely * (own + (means - mean[:, None]) ** 2)).sum(axis=(0, 2))
        cost = np.exp(mean)
        return Costs(cost, cost * np.sqrt(variance))


def fit_line(times: Costs, counts: Floats) -> CostLine:
    """Fit a line to the times of programs, which must all be known, and their counts."""
    y, noise, middle = np.log(times.value), _noise(times), float(np.log(counts).mean())
    design = _design(counts, middle)
    variances = SCALES[:, None, None] ** 2 / PRECISIONS + noise[:, None]
    slope = np.diag([0.0, 1.0])  # precision of its prior
    terms = np.tile([np.median(y), 1.0], (len(SCALES), 1))
    for _ in range(10):  # the weights of the mixture converge
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
    variances: Floats = np.maximum(times.se / times.value, MIN_NOISE) ** 2
    return variances


def _mixture(residuals: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """Return the weights of `PRECISIONS`, and the log densities up to a constant."""
    logs = np.log(SHARES / SHARES.sum()) - (np.log(variances) + residuals**2 / variances) / 2
    most = logs.max(axis=2, keepdims=True)
    likely = np.exp(logs - most)
    total = likely.sum(axis=2, keepdims=True)
    return likely / total, (np.log(total) + most)[..., 0]


def join(humans: Sequence[Measurement], others: Sequence[Measurement] = ()) -> list[Measurement]:
    """Return measurements of one problem and language with joint costs, those of humans first.

    The line is fitted to the human programs alone, so no other program can move it. A program keeps
    its time and its error, and is not part of the fit, if its count or its error is unknown, or if
    its count contradicts its CPU time (agreement.py). If fewer than `FEWEST_FOR_LINE` human
    programs are left, all programs keep their times.
    """
    programs = [*humans, *others]
    human = np.arange(len(programs)) < len(humans)
    times, counts = costs_of(programs, "relative_time"), costs_of(programs, INSTRUCTIONS)
    cost, share = times.value.copy(), times.se / times.value
    known = np.isfinite(share) & np.isfinite(counts.value)
    for place in np.flatnonzero(known):
        rivals = [rival for other, rival in enumerate(humans) if other != place]
        widths = WIDTHS_AMONG_MANY if human[place] else 1.0
        known[place] = not objection(programs[place], rivals, band_of(rivals), widths)
    if (known & human).sum() >= FEWEST_FOR_LINE:
        fitted = known & human
        line = fit_line(times.take(fitted), counts.value[fitted])
        for chosen in (fitted, known & ~human):
            own = share[chosen]
            joint = line.costs(times.take(chosen), counts.value[chosen], chosen is fitted)
            # The error is at least that of the count, and at most that of the time.
            least = np.fmin(counts.se[chosen] / counts.value[chosen], own)
            share[chosen] = np.minimum(np.fmax(joint.se / joint.value, least), own)
            cost[chosen] = joint.value
    return [
        replace(
            program,
            joint_time=None if np.isnan(value) else float(value),
            joint_se=None if np.isnan(se) else float(se),
        )
        for program, value, se in zip(programs, cost, share, strict=True)
    ]
