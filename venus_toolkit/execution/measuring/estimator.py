"""What each program of a measuring session costs, and how sure that is.

One model over the whole session.

All programs of a problem are measured in turns, so they are references for each other: whatever
made the machine slower for a while shows in all that ran then. For the rounds i of a session, each
one pass of one program over all tests,

    log cost_i = a(program_i) + d(time_i) + e_i

with a drift d that the reference program observes too (with an error of its own), and errors e that
are independent. A drift is a random walk, or one that is drawn back to its middle and forgets
itself after some rounds (Uhlenbeck and Ornstein, "On the theory of the Brownian motion", 1930): the
latter where neighbours of the machine come and go. Which it is and how far it goes is estimated
from the session itself by restricted maximum likelihood (Patterson and Thompson, "Recovery of
inter-block information when block sizes are unequal", 1971): on a steady machine it has no steps,
and the cost is that of the program alone; on a drifting one it is the ratio to its neighbours, on a
restless one between both. Rounds that do not fit weigh less (Huber, "Robust Estimation of a
Location Parameter", 1964), slow ones most, and so do tests within a round. Where all noise of a
session is added, never taken away, a test's cheapest repeat, freed from the drift, is nearer to the
truth than any mean: the distances between the ordered repeats tell (see `_lower`).

A standard error is that of the logarithm, so a share of the cost, and holds between the programs of
a session: it leaves out what would move all of them alike. Few rounds say little of a program's own
noise, so what all programs say of it is weighed in (Smyth, "Linear models and empirical Bayes
methods for assessing differential expression", 2004). It is widened by Student's quantile over the
normal one, so that 1.96 standard errors to both sides hold 95 %.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
NORMAL_95 = 1.959963984540054  # the normal distribution's 97.5 % quantile
# standard deviations from which on a residual weighs less; 96 % as good as the mean where none is
# wild
HUBER = 1.5
# The weights make a variance 1.2 to 1.3 times too small where nothing is wild; the rest is for what
# is estimated on the way and taken to be known, how far the machine drifts. Found by simulation
# (tests/execution/test_estimator.py).
AFTER_HUBER = 1.5
ROUNDS_OF_WEIGHTS = 4
# programs from which on a drift may be one that is forgotten: fewer do not tell how soon
FORGETTING = 9
# How far the drift goes from a round to the next, and how noisy a run of the reference is:
# variances, in that of e. Every second one is tried, with all lengths, and then what is beside the
# likeliest.
STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# rounds after which the drift has forgotten all but 1 / e of itself
LENGTHS = (math.inf, 30.0, 10.0, 3.0, 1.0)
# A reference far steadier than the programs must not make these look steady.
NOISES = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
TELLING = 60  # programs that say enough of a machine
AT_ONCE = 2_000_000  # numbers in the largest array of a search
# power of the weight of rounds that are too slow: of two far apart the slow one is wrong, rarely
# the quick
ABOVE = 2.0
# standard deviations from which on most repeats of a test were disturbed, and the quickest was not
DISTURBED = 10.0
LEAST_NOISE = 1e-7  # a share of the cost that no clock shows
ANCHOR = 1e6  # how surely the walk begins at 0: its level is that of the effects
ADDED = 0.7  # between the ratio of distances of normal noise (0.5) and of what is only added (1)
SURELY = 2.0  # standard errors by which it must not be normal
FEWEST_FOR_LOWER = 16  # programs times tests; fewer say too little of whether disturbances only add
FEWEST_FOR_ERRORS = 8  # programs; fewer say too little of how much steadier that makes the estimate


class MeasuringSession(NamedTuple):
    """What was measured in turns.

    Attributes:
        costs: Programs x repeats x tests; positive, nan for all tests of a round that does not
            count.
        at: Programs x repeats: when each round ran, in any unit of time.
        reference: What each run of the reference program cost; empty where there was none.
        reference_at: When each of them ran.
        other_inputs: Whether each repeat had inputs of its own: what these cost is then no noise.
        uneven: Whether some programs were run more often than others on purpose: their minima do
            not compare then.
    """

    costs: Floats
    at: Floats
    reference: Floats = np.empty(0)
    reference_at: Floats = np.empty(0)
    other_inputs: bool = False
    uneven: bool = False


class Estimate(NamedTuple):
    """What the programs of a session cost.

    Attributes:
        cost: By program: the sum over its tests, in the unit of the costs and at the speed that the
            machine had in the middle of the session; nan where no round of it counts.
        se: By program: the standard error of its logarithm; nan where there was one round, which
            shows no noise.
        of_tests: Programs x tests: what each test contributes to the cost.
        reference: What the reference program cost at the same speed; nan where there was none.
    """

    cost: Floats
    se: Floats
    of_tests: Floats
    reference: float

    @property
    def relative(self) -> Floats:
        """The costs divided by that of the reference."""
        ratios: Floats = self.cost / self.reference
        return ratios


def estimate(session: MeasuringSession, *, drift: bool = True) -> Estimate:
    """Return what the programs of a session cost.

    Without `drift` the machine is taken to be steady: what it drifted is then in the standard
    errors, which are those of costs that nothing was taken out of.
    """
    known: npt.NDArray[np.bool_] = np.all(np.isfinite(session.costs), axis=2)
    count, repeats = known.shape
    if not session.costs.size or not known.any():
        nothing = np.full(count, np.nan)
        return Estimate(nothing, nothing, np.full((count, session.costs.shape[2]), np.nan), np.nan)
    shares, rounds = _rounds(session.costs, known)
    program, repeat = np.nonzero(known)
    runs = len(session.reference)
    # With inputs of its own a repeat has a level of its own, in all programs alike.
    levels = _levels(known)[repeat] if session.other_inputs else np.empty((len(program), 0))
    design = np.zeros((len(program) + runs, count + 1 + levels.shape[1]))
    design[np.arange(len(program)), program] = 1
    design[len(program) :, count] = 1
    design[: len(program), count + 1 :] = levels
    used = np.asarray(design.any(axis=0))
    effects, errors = np.full(design.shape[1], np.nan), np.full(count, np.nan)
    at = np.concatenate([session.at[known], session.reference_at])
    values = np.concatenate([rounds[known], np.log(session.reference)])
    fit = _robust(values, design[:, used], at, np.arange(len(at)) >= len(program), drift)
    # The speed of the machine in which all costs are given is that of the middle of the session.
    middle = float(fit.drift.mean())
    effects[used] = fit.effects
    effects[: count + 1] += middle
    errors[used[:count]] = _standard_errors(
        fit, program, int(used[:count].sum()), known.sum(axis=1)[used[:count]]
    )
    if repeats > 2 and not session.other_inputs and not session.uneven:
        moved = np.zeros(known.shape)
        moved[known] = fit.drift[: len(program)] - middle
        lower = _lower(session.costs * np.exp(-moved)[:, :, None], rounds - moved)
        if lower is not None:
            # The common level stays, for a cost means the same in every session.
            shift = lower.level - effects[:count]
            effects[:count] += shift - np.nanmedian(shift)
            errors = errors * lower.factor
    cost = np.exp(effects[:count])
    return Estimate(cost, errors, cost[:, None] * shares, float(np.exp(effects[count])))


def _levels(known: npt.NDArray[np.bool_]) -> Floats:
    """Return what each level of a repeat adds to each repeat: repeats x levels.

    A repeat that no program has says nothing, and of repeats that no program links, each group has
    a mean of its own: levels of all repeats could not be told from the programs then.
    """
    linked = known.T @ known
    while ((further := linked @ linked) != linked).any():
        linked = further
    columns = [
        (np.arange(len(linked)) == repeat) - group / group.sum()
        for repeat, group in enumerate(linked)
        if group.any() and group.argmax() != repeat
    ]
    return np.array(columns).reshape(-1, len(linked)).T


def _rounds(costs: Floats, known: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the share of each test in a program's cost, and the logarithm of what each round costs.

    A round is as much slower or faster than the others as its tests say together, each by its share
    and less where it does not fit: what disturbs one test of many is not the program's cost.
    """
    with np.errstate(invalid="ignore"):
        logs = np.where(known[:, :, None], np.log(costs), np.nan)
    speed = np.zeros(known.shape)
    shares = weights = np.ones_like(logs)
    with warnings.catch_warnings():
        # a program without a single round has nan everywhere
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(ROUNDS_OF_WEIGHTS):
            steady = logs - speed[:, :, None]
            usual, quickest = np.nanmedian(steady, axis=1), np.nanmin(steady, axis=1)
            scale = 1.4826 * np.nanmedian(np.abs(steady - usual[:, None, :]))
            usual = np.where(
                usual - quickest > DISTURBED * max(scale, LEAST_NOISE), quickest, usual
            )
            shares = np.exp(usual - usual.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            apart = logs - usual[:, None, :]
            weights = shares[:, None, :] * _huber(apart - speed[:, :, None], (1, 2))
            speed = (weights * apart).sum(axis=2) / weights.sum(axis=2)
    whole = usual.max(axis=1) + np.log(np.exp(usual - usual.max(axis=1, keepdims=True)).sum(axis=1))
    return shares, whole[:, None] + speed


def _huber(residuals: Floats, axes: tuple[int, ...] | None = None, above: float = 1.0) -> Floats:
    """Return the weights of residuals, by their median absolute deviation over the axes.

    Where they are greater than 0 the weight is taken to the power `above`.
    """
    scale = HUBER * np.maximum(
        1.4826 * np.nanmedian(np.abs(residuals), axis=axes, keepdims=True), LEAST_NOISE
    )
    weights = np.minimum(1.0, scale / np.maximum(np.abs(residuals), LEAST_NOISE))
    tempered: Floats = np.where(residuals > 0, weights**above, weights)
    return tempered


class _Fit(NamedTuple):
    """Effects with their covariance, the drift at each observation, and residuals in standard deviations of a round."""

    effects: Floats
    covariance: Floats
    drift: Floats
    residuals: Floats
    variance: float
    freedom: int


def _robust(
    values: Floats, design: Floats, at: Floats, reference: npt.NDArray[np.bool_], drift: bool
) -> _Fit:
    """Return the fit in which observations that do not fit weigh less."""
    order = np.argsort(at, kind="stable")
    steps = np.diff(at[order])
    usual = float(np.median(steps)) if len(steps) else 1.0
    steps = np.maximum(steps, 1e-3 * usual) / usual if usual > 0 else np.ones_like(steps)
    values, design, reference = values[order], design[order], reference[order]
    freedom = len(values) - design.shape[1]
    weights = np.ones(len(values))
    for _ in range(ROUNDS_OF_WEIGHTS):
        likeliest = _likeliest(values, design, steps, reference, weights, drift)
        noise = likeliest.noise
        solved = next(_solve(values, design, steps, reference, weights, [likeliest]))
        # What an observation says of itself makes its residual smaller, the more the drift may
        # follow it.
        known = solved.certainty + (solved.free @ np.linalg.inv(solved.schur) * solved.free).sum(
            axis=1
        )
        left = np.maximum(np.where(reference, noise, 1.0) / weights - known, LEAST_NOISE)
        residuals = (values - design @ solved.effects - solved.drift) / np.sqrt(left * weights)
        weights = _huber(residuals, above=ABOVE)
    variance = AFTER_HUBER * solved.rss / freedom if freedom else np.nan
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    covariance = np.linalg.inv(solved.schur) * variance
    return _Fit(
        solved.effects,
        covariance,
        solved.drift[inverse],
        (residuals * np.sqrt(weights))[inverse],
        variance,
        freedom,
    )


class _Supposed(NamedTuple):
    """How a machine may drift: variance of a step, rounds until it is forgotten, and the variance of the reference."""

    step: float
    length: float
    noise: float


def _likeliest(
    values: Floats,
    design: Floats,
    steps: Floats,
    reference: npt.NDArray[np.bool_],
    weights: Floats,
    drift: bool,
) -> _Supposed:
    """Return how far the machine drifts and how noisy the reference is, by restricted maximum likelihood.

    There are several local maxima: a steady machine with a noisy reference is often one of them.
    """
    programs = np.unique((design[~reference] == 1).argmax(axis=1)).size
    lengths = LENGTHS if programs >= FORGETTING else LENGTHS[:1]
    every = -(-design.shape[1] // TELLING)
    if every > 1:
        used = reference | ((design == 1).argmax(axis=1) % every == 0)
        steps = np.diff(np.append(0, steps.cumsum())[used])
        values, design, reference, weights = (
            values[used],
            design[used],
            reference[used],
            weights[used],
        )
        # Of few programs the levels of repeats may not be told from each other.
        design = design[:, design.any(axis=0)]
        identified = np.abs(np.diag(np.linalg.qr(design, mode="r"))) > LEAST_NOISE
        design = design[:, np.flatnonzero(identified)]

    def best(supposed: Sequence[_Supposed]) -> _Supposed:
        fits = _solve(values, design, steps, reference, weights, supposed)
        return min(zip(fits, supposed, strict=True), key=lambda fit: fit[0].deviance)[1]

    noises = NOISES if reference.any() else (1.0,)
    moving = [*itertools.product(STEPS[::2], lengths)] if drift else []
    coarse = [_Supposed(*fit, noise) for fit in [(0.0, math.inf), *moving] for noise in noises[::2]]
    likeliest = best(coarse) if len(coarse) > 1 else coarse[0]
    beside = [
        _near(STEPS, likeliest.step),
        _near(lengths, likeliest.length),
        _near(noises, likeliest.noise),
    ]
    fine = [_Supposed(*fit) for fit in itertools.product(*beside)]
    return best(fine) if len(fine) > 1 else fine[0]


def _near(values: Sequence[float], value: float) -> Sequence[float]:
    """Return a value with those beside it."""
    if value not in values:
        return [value]
    place = values.index(value)
    return values[max(place - 1, 0) : place + 2]


class _Solved(NamedTuple):
    effects: Floats
    drift: Floats
    schur: Floats
    rss: float
    deviance: float
    free: Floats  # what the drift leaves of the design
    certainty: Floats  # variance of the drift where the effects are known


def _solve(
    values: Floats,
    design: Floats,
    steps: Floats,
    reference: npt.NDArray[np.bool_],
    weights: Floats,
    supposed: Sequence[_Supposed],
) -> Iterator[_Solved]:
    """Yield the best linear predictors for each of some supposed drifts (Henderson's mixed model equations).

    A drift without a length begins at 0, one with a length anywhere; all variances are in those of
    a round.
    """
    both = np.column_stack([design, values])
    part = max(1, AT_ONCE // both.size)
    for first in range(0, len(supposed), part):
        step, length, noise = np.array(supposed[first : first + part]).T
        precision = weights / np.where(reference, noise[:, None], 1.0)
        right = both * precision[:, :, None]
        spread, log_determinants, certainties = _drift(steps, step, length, precision, right)
        normal = both.T @ right - right.transpose(0, 2, 1) @ spread
        schurs, projected = normal[:, :-1, :-1], normal[:, :-1, -1]
        effects = np.linalg.solve(schurs, projected[:, :, None])[:, :, 0]
        rss = np.maximum(
            normal[:, -1, -1] - (projected * effects).sum(axis=1), len(values) * LEAST_NOISE**2
        )
        freedom = len(values) - design.shape[1]
        deviances = log_determinants - np.log(precision).sum(axis=1) + np.linalg.slogdet(schurs)[1]
        if freedom:
            deviances += freedom * np.log(rss / freedom)
        for index, effect, schur in zip(range(len(step)), effects, schurs, strict=True):
            explained, drift = spread[index, :, :-1], spread[index, :, -1]
            yield _Solved(
                effect,
                drift - explained @ effect,
                schur,
                rss[index],
                deviances[index],
                design - explained,
                certainties[index],
            )


def _drift(
    steps: Floats, step: Floats, length: Floats, precision: Floats, right: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return what a supposed drift takes of each column on the right, the log determinants, and its own certainty."""
    still, apart = step == 0, steps[None, :]
    step, length = np.where(still, 1.0, step)[:, None], length[:, None]
    remembered, forgets = np.exp(-apart / length), np.isfinite(length)
    # Of an infinite length the limits; a step is what the drift moves over a length of 1.
    of_one = np.where(forgets, -np.expm1(-2 / length), 1.0)
    moved = np.where(forgets, -np.expm1(-2 * apart / length) / of_one, apart)
    walk = 1 / (step * moved)
    level = np.where(forgets, of_one / step, ANCHOR)
    diagonal = precision.copy()
    diagonal[:, :-1] += walk * remembered**2
    diagonal[:, 1:] += walk
    diagonal[:, :1] += level
    spread, log_determinants, certainties = _tridiagonal(diagonal, -walk * remembered, right)
    log_determinants -= np.log(walk).sum(axis=1) + np.log(level[:, 0])
    spread[still], log_determinants[still], certainties[still] = 0.0, 0.0, 0.0
    return spread, log_determinants, certainties


def _tridiagonal(diagonal: Floats, beside: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the solutions of symmetric tridiagonal systems, log determinants, and the diagonals of their inverses.

    The first axis is that of the systems.
    """
    pivots, solution, beside = diagonal.T.copy(), right.transpose(1, 0, 2).copy(), beside.T
    for row in range(1, len(pivots)):
        factor = beside[row - 1] / pivots[row - 1]
        pivots[row] -= factor * beside[row - 1]
        solution[row] -= factor[:, None] * solution[row - 1]
    solution[-1] /= pivots[-1][:, None]
    for row in range(len(pivots) - 2, -1, -1):
        solution[row] -= beside[row][:, None] * solution[row + 1]
        solution[row] /= pivots[row][:, None]
    backward = diagonal.T.copy()
    for row in range(len(pivots) - 2, -1, -1):
        backward[row] -= beside[row] ** 2 / backward[row + 1]
    certainty = 1 / (pivots + backward - diagonal.T)
    return solution.transpose(1, 0, 2), np.log(pivots).sum(axis=0), certainty.T


def _standard_errors(
    fit: _Fit, program: npt.NDArray[np.int64], count: int, rounds: npt.NDArray[np.int64]
) -> Floats:
    """Return the standard errors of the first `count` effects, as far as they tell programs from each other."""
    freedom = len(program) - count
    if freedom < 1 or not fit.freedom:
        return np.full(count, np.nan)
    own = fit.covariance[:count, :count]
    if count > 1:
        # Without what all have in common; for two independent ones this gives back their own
        # variances.
        centred = own - own.mean(axis=0) - own.mean(axis=1)[:, None] + own.mean()
        own = centred * count / (count - 1)
    _, places = np.unique(program, return_inverse=True)
    free = np.maximum(rounds - 1, 0) * fit.freedom / max(fit.freedom, freedom)
    sums = np.bincount(places, fit.residuals[: len(program)] ** 2, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Residuals are smaller than errors, as the drift takes its part of them: only their
        # proportions count.
        ratios = np.where(free > 0, sums / free, np.nan) * (
            free.sum() / max(float(sums.sum()), LEAST_NOISE**2)
        )
    before, common = _prior_freedom(ratios[free > 0], float(np.median(free[free > 0])))
    share = free / (before + free)  # of its own noise in what a program's noise is taken to be
    moderated = common * (1 - share) + np.nan_to_num(ratios) * share
    quantile = np.array(
        [student_quantile(0.975, max(1, int(min(before + degrees, freedom)))) for degrees in free]
    )
    errors: Floats = np.sqrt(np.diag(own) * moderated) * quantile / NORMAL_95
    return errors


def _prior_freedom(variances: Floats, freedom: float) -> tuple[float, float]:
    """Return how many degrees of freedom the common variance is worth beside that of one program, and this variance.

    By the moments of the logarithms (Smyth 2004, section 6.2); as many as can be where programs do
    not differ.
    """
    if len(variances) < 2:
        return math.inf, 1.0
    logs = (
        np.log(np.maximum(variances, LEAST_NOISE)) - _digamma(freedom / 2) + math.log(freedom / 2)
    )
    excess = float(logs.var(ddof=1)) - _trigamma(freedom / 2)
    if excess <= 0:
        return math.inf, float(variances.mean())
    low, high = 1e-3, 1e6
    for _ in range(60):  # the trigamma function falls
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _trigamma(middle) > excess else (low, middle)
    return 2 * low, math.exp(float(logs.mean()) + _digamma(low) - math.log(low))


def _digamma(x: float) -> float:
    """Return the derivative of log gamma (Abramowitz and Stegun, 6.3.5 and 6.3.18)."""
    steps = 0.0
    while x < 6:
        steps, x = steps - 1 / x, x + 1
    return steps + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


def _trigamma(x: float) -> float:
    """Return the second derivative of log gamma (Abramowitz and Stegun, 6.4.6 and 6.4.12)."""
    steps = 0.0
    while x < 6:
        steps, x = steps + 1 / x**2, x + 1
    return steps + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


class _Lower(NamedTuple):
    """The logarithm of what each program costs at its best, and what that does to the standard errors."""

    level: Floats
    factor: float


def _lower(costs: Floats, rounds: Floats) -> _Lower | None:
    """Return the estimate from each test's cheapest repeat where its variance is below that of the middle, else None.

    What is only ever added is exponential near its least value, where the distance of the two
    cheapest of n repeats tells the variance of the cheapest: ((n - 1) / n)² of its own (Rényi, "On
    the theory of order statistics", 1953). Of normal noise it is 1.5 times its own for three
    repeats. Which of both it is, the second distance tells.
    """
    known, repeats = np.isfinite(rounds), costs.shape[1]
    whole = known.all(axis=1)
    if whole.sum() * costs.shape[2] < FEWEST_FOR_LOWER:
        return None
    tried = rounds[whole]
    variance = _variance(tried - tried.mean(axis=1, keepdims=True)) / (repeats - 1)
    ordered = np.sort(costs[whole], axis=1)
    shares = ordered[:, 0] / ordered[:, 0].sum(axis=1, keepdims=True)
    first, second = (np.log(ordered[:, n + 1] / ordered[:, n]) for n in range(2))
    # Normalised distances are alike where all is added, and the second is half as long where noise
    # is normal.
    scale = (repeats - 2) / (repeats - 1)
    near, far = (shares * first).sum(axis=1), scale * (shares * second).sum(axis=1)
    beyond = far - near / 2
    if far.sum() < ADDED * near.sum() or beyond.mean() < SURELY * beyond.std() / math.sqrt(
        len(beyond)
    ):
        return None
    core = scale * float(np.median(second)) / max(float(np.median(first)), LEAST_NOISE)
    factor = 1.5 + min(max(2 * core - 1, 0.0), 1.0) * ((1 - 1 / repeats) ** 2 - 1.5)
    lowered = factor * _variance(near)
    with np.errstate(invalid="ignore"):
        level = np.log(np.where(known[:, :, None], costs, np.inf).min(axis=1).sum(axis=1))
    steadier = (
        math.sqrt(min(max(lowered / max(variance, LEAST_NOISE**2), 0.25), 1.0))
        if whole.sum() >= FEWEST_FOR_ERRORS
        else 1.0
    )
    return _Lower(level, steadier)


def _variance(values: Floats) -> float:
    """Return the variance of values around the middle of their column.

    What lies far out counts as less far.
    """
    apart = values - np.median(values, axis=0)
    bound = 3 * 1.4826 * max(float(np.median(np.abs(apart))), LEAST_NOISE)
    return float((np.clip(apart, -bound, bound) ** 2).mean())


def student_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's distribution.

    >>> round(student_quantile(0.975, 2), 3), round(student_quantile(0.975, 127), 3)
    (4.303, 1.979)

    The distribution is that of Abramowitz and Stegun, 26.7.3 and 26.7.4, as a function of the angle
    whose tangent is t / sqrt(freedom); it is inverted by bisection.

    Args:
        share: At least one half.
        freedom: Degrees of freedom, at least 1.
    """
    odd = freedom % 2

    def within(angle: float) -> float:
        """Return the probability of a value between -t and t."""
        term = math.cos(angle) if odd else 1.0
        total = term if freedom > 1 else 0.0
        for factor in range(2 + odd, freedom - 1, 2):
            term *= (factor - 1) / factor * math.cos(angle) ** 2
            total += term
        total *= math.sin(angle)
        return (angle + total) * 2 / math.pi if odd else total

    low, high = 0.0, math.pi / 2
    # 60 halvings of pi / 2 leave less than a double can tell apart.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 2 * share - 1 else (low, middle)
    return math.sqrt(freedom) * math.tan(low)
