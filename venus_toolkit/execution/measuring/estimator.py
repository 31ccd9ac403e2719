"""Estimates the cost of each program in a measuring session, with a standard error.

The runs of all programs of a problem are interleaved, so they are references for each other: a slow
phase of the machine affects all programs that run in it. A session has rounds i, each one pass of
one program over all tests, with the model

    log cost_i = a(program_i) + d(time_i) + e_i

The drift d is also observed by the reference program, with its own error, and the errors e are
independent. The drift is a random walk or, if other programs start and stop on the machine, a
process that reverts to its mean within some rounds (Uhlenbeck and Ornstein, "On the theory of the
Brownian motion", 1930). Its kind and its size are estimated from the session by restricted maximum
likelihood (Patterson and Thompson, "Recovery of inter-block information when block sizes are
unequal", 1971). On a steady machine the drift vanishes, and a program's cost depends on its own
rounds alone; on a drifting one it is the ratio to its neighbours; on a noisy one it is in between.
Outlying rounds get less weight (Huber, "Robust Estimation of a Location Parameter", 1964),
especially slow ones, and so do tests within a round. If noise only ever adds to costs, a test's
cheapest repeat without the drift is more accurate than any mean; the distances between the ordered
repeats show whether that is the case (see `_lower`).

A standard error is that of the logarithm, so a share of the cost. It is for comparisons within a
session: it excludes errors that all programs have in common. A few rounds contain little
information on a program's own noise, so it is moderated by that of all programs (Smyth, "Linear
models and empirical Bayes methods for assessing differential expression", 2004). It is scaled by
Student's quantile over the normal one, so that 1.96 standard errors on both sides cover 95 %.
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
# Residuals above this many standard deviations get less weight. For normal errors, the efficiency
# is 96 % of that of the mean.
HUBER = 1.5
# A factor for the variance: for normal errors, the weights reduce it by a factor of 1.2 to 1.3. The
# rest accounts for the size of the drift, which is estimated but treated as known. Determined by
# simulation (tests/execution/test_estimator.py).
AFTER_HUBER = 1.5
ROUNDS_OF_WEIGHTS = 4
# Programs required for a mean-reverting drift; fewer do not determine its length.
FORGETTING = 9
# Candidates for the variance of a step of the drift, in units of the variance of e. The search
# tries every second candidate with all lengths, and then the neighbours of the best one.
STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Candidates for the number of rounds in which the drift decays to 1 / e.
LENGTHS = (math.inf, 30.0, 10.0, 3.0, 1.0)
# Candidates for the variance of a run of the reference, in units of the variance of e. The range
# is wide, since a steady reference must not make noisy programs look steady.
NOISES = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
TELLING = 60  # programs that suffice to estimate the drift
AT_ONCE = 2_000_000  # numbers in the largest array of a search
# Exponent for the weight of slow rounds: noise rarely makes a round too fast.
ABOVE = 2.0
# If the fastest repeat of a test is this many standard deviations below the median, most repeats
# were disturbed.
DISTURBED = 10.0
MIN_NOISE = 1e-7  # share of the cost, below the resolution of any clock
ANCHOR = 1e6  # precision of the start of a random walk at 0
ADDED = 0.7  # a ratio of distances between that of normal noise (0.5) and of additive noise (1)
SURELY = 2.0  # standard errors by which noise must differ from normal noise
FEWEST_FOR_LOWER = 16  # programs times tests required to decide whether noise only adds
FEWEST_FOR_ERRORS = 8  # programs required to estimate the reduction of standard errors


class MeasuringSession(NamedTuple):
    """The costs of interleaved runs.

    Attributes:
        costs: Programs x repeats x tests; positive, or nan for all tests of a round that does not
            count.
        at: Programs x repeats: the time of each round, in any unit.
        reference: The cost of each run of the reference program, if any.
        reference_at: The time of each of these runs.
        other_inputs: Whether repeats have different inputs, whose differences are not noise.
        uneven: Whether some programs deliberately have more repeats than others, so that minima are
            not comparable.
    """

    costs: Floats
    at: Floats
    reference: Floats = np.empty(0)
    reference_at: Floats = np.empty(0)
    other_inputs: bool = False
    uneven: bool = False


class Estimate(NamedTuple):
    """The estimated costs of the programs of a session.

    Attributes:
        cost: By program: the sum over its tests, in the unit of the session's costs, at the
            machine's average speed; nan: no round of it counts.
        se: By program: the standard error of the logarithm of its cost; nan: unknown, after a
            single round.
        of_tests: Programs x tests: the part of each test in the cost.
        reference: The cost of the reference program at the same speed; nan: it did not run.
    """

    cost: Floats
    se: Floats
    of_tests: Floats
    reference: float

    @property
    def relative(self) -> Floats:
        """The costs as multiples of that of the reference program."""
        ratios: Floats = self.cost / self.reference
        return ratios


def estimate(session: MeasuringSession, *, drift: bool = True) -> Estimate:
    """Return the costs of the programs of a session.

    Without `drift`, the machine is assumed to be steady: its drift remains in the costs, and
    increases their standard errors.
    """
    known: npt.NDArray[np.bool_] = np.all(np.isfinite(session.costs), axis=2)
    count, repeats = known.shape
    if not session.costs.size or not known.any():
        unknown = np.full(count, np.nan)
        return Estimate(unknown, unknown, np.full((count, session.costs.shape[2]), np.nan), np.nan)
    shares, rounds = _rounds(session.costs, known)
    program, repeat = np.nonzero(known)
    runs = len(session.reference)
    # If repeats have different inputs, each repeat has a level that all programs share.
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
    # All costs are given at the average speed of the machine.
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
            # The common level is unchanged, so that costs of different sessions are comparable.
            shift = lower.level - effects[:count]
            effects[:count] += shift - np.nanmedian(shift)
            errors = errors * lower.factor
    cost = np.exp(effects[:count])
    return Estimate(cost, errors, cost[:, None] * shares, float(np.exp(effects[count])))


def _levels(known: npt.NDArray[np.bool_]) -> Floats:
    """Return the design matrix of the levels of repeats: repeats x levels.

    A repeat without programs has no level. Repeats that programs link form groups, and the levels
    of each group sum to 0: otherwise they could not be separated from the programs' effects.
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
    """Return the share of each test in a program's cost, and the log cost of each round.

    The speed of a round is a mean over its tests, weighted by their shares. Outlying tests get less
    weight, so that a disturbance of one test hardly affects the round.
    """
    with np.errstate(invalid="ignore"):
        logs = np.where(known[:, :, None], np.log(costs), np.nan)
    speed = np.zeros(known.shape)
    shares = weights = np.ones_like(logs)
    with warnings.catch_warnings():
        # programs without a round have nan everywhere
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(ROUNDS_OF_WEIGHTS):
            steady = logs - speed[:, :, None]
            usual, quickest = np.nanmedian(steady, axis=1), np.nanmin(steady, axis=1)
            scale = 1.4826 * np.nanmedian(np.abs(steady - usual[:, None, :]))
            usual = np.where(usual - quickest > DISTURBED * max(scale, MIN_NOISE), quickest, usual)
            shares = np.exp(usual - usual.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            apart = logs - usual[:, None, :]
            weights = shares[:, None, :] * _huber(apart - speed[:, :, None], (1, 2))
            speed = (weights * apart).sum(axis=2) / weights.sum(axis=2)
    whole = usual.max(axis=1) + np.log(np.exp(usual - usual.max(axis=1, keepdims=True)).sum(axis=1))
    return shares, whole[:, None] + speed


def _huber(residuals: Floats, axes: tuple[int, ...] | None = None, above: float = 1.0) -> Floats:
    """Return Huber's weights of residuals, scaled by their median absolute deviation over the axes.

    The weights of positive residuals are raised to the power `above`.
    """
    scale = HUBER * np.maximum(
        1.4826 * np.nanmedian(np.abs(residuals), axis=axes, keepdims=True), MIN_NOISE
    )
    weights = np.minimum(1.0, scale / np.maximum(np.abs(residuals), MIN_NOISE))
    tempered: Floats = np.where(residuals > 0, weights**above, weights)
    return tempered


class _Fit(NamedTuple):
    """Effects with their covariance, the drift at each observation, and standardised residuals."""

    effects: Floats
    covariance: Floats
    drift: Floats
    residuals: Floats
    variance: float
    freedom: int


def _robust(
    values: Floats, design: Floats, at: Floats, reference: npt.NDArray[np.bool_], drift: bool
) -> _Fit:
    """Return a fit in which outlying observations have less weight."""
    order = np.argsort(at, kind="stable")
    steps = np.diff(at[order])
    usual = float(np.median(steps)) if len(steps) else 1.0
    steps = np.maximum(steps, 1e-3 * usual) / usual if usual > 0 else np.ones_like(steps)
    values, design, reference = values[order], design[order], reference[order]
    freedom = len(values) - design.shape[1]
    weights = np.ones(len(values))
    for _ in range(ROUNDS_OF_WEIGHTS):
        model = _select_drift(values, design, steps, reference, weights, drift)
        noise = model.noise
        solved = next(_solve(values, design, steps, reference, weights, [model]))
        # An observation influences its own fitted value, especially if the drift can follow it,
        # which reduces the variance of its residual.
        explained = solved.drift_variance + (
            solved.free @ np.linalg.inv(solved.schur) * solved.free
        ).sum(axis=1)
        left = np.maximum(np.where(reference, noise, 1.0) / weights - explained, MIN_NOISE)
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


class _DriftModel(NamedTuple):
    """A candidate: variance of a step, rounds until it decays, and variance of the reference."""

    step: float
    length: float
    noise: float


def _select_drift(
    values: Floats,
    design: Floats,
    steps: Floats,
    reference: npt.NDArray[np.bool_],
    weights: Floats,
    drift: bool,
) -> _DriftModel:
    """Return the model of the drift with the highest restricted likelihood.

    The search is on a grid, since there are several local maxima: one is often that of a steady
    machine with a noisy reference.
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
        # With fewer programs, the levels of some repeats may not be identifiable.
        design = design[:, design.any(axis=0)]
        identified = np.abs(np.diag(np.linalg.qr(design, mode="r"))) > MIN_NOISE
        design = design[:, np.flatnonzero(identified)]

    def best(models: Sequence[_DriftModel]) -> _DriftModel:
        fits = _solve(values, design, steps, reference, weights, models)
        return min(zip(fits, models, strict=True), key=lambda fit: fit[0].deviance)[1]

    noises = NOISES if reference.any() else (1.0,)
    moving = [*itertools.product(STEPS[::2], lengths)] if drift else []
    drifts = [(0.0, math.inf), *moving]
    coarse = [_DriftModel(*moves, noise) for moves in drifts for noise in noises[::2]]
    model = best(coarse) if len(coarse) > 1 else coarse[0]
    neighbours = [
        _neighbours(STEPS, model.step),
        _neighbours(lengths, model.length),
        _neighbours(noises, model.noise),
    ]
    fine = [_DriftModel(*numbers) for numbers in itertools.product(*neighbours)]
    return best(fine) if len(fine) > 1 else fine[0]


def _neighbours(values: Sequence[float], value: float) -> Sequence[float]:
    """Return a value and its neighbours."""
    if value not in values:
        return [value]
    place = values.index(value)
    return values[max(place - 1, 0) : place + 2]


class _Solution(NamedTuple):
    effects: Floats
    drift: Floats
    schur: Floats
    rss: float
    deviance: float
    free: Floats  # the part of the design that the drift does not explain
    drift_variance: Floats  # for known effects


def _solve(
    values: Floats,
    design: Floats,
    steps: Floats,
    reference: npt.NDArray[np.bool_],
    weights: Floats,
    models: Sequence[_DriftModel],
) -> Iterator[_Solution]:
    """Yield the best linear predictors for each model (Henderson's mixed model equations).

    A drift of infinite length starts at 0, any other at a random level. Variances are in units of
    that of a round.
    """
    both = np.column_stack([design, values])
    part = max(1, AT_ONCE // both.size)
    for first in range(0, len(models), part):
        step, length, noise = np.array(models[first : first + part]).T
        precision = weights / np.where(reference, noise[:, None], 1.0)
        right = both * precision[:, :, None]
        spread, log_determinants, variances = _drift(steps, step, length, precision, right)
        normal = both.T @ right - right.transpose(0, 2, 1) @ spread
        schurs, projected = normal[:, :-1, :-1], normal[:, :-1, -1]
        effects = np.linalg.solve(schurs, projected[:, :, None])[:, :, 0]
        rss = np.maximum(
            normal[:, -1, -1] - (projected * effects).sum(axis=1), len(values) * MIN_NOISE**2
        )
        freedom = len(values) - design.shape[1]
        deviances = log_determinants - np.log(precision).sum(axis=1) + np.linalg.slogdet(schurs)[1]
        if freedom:
            deviances += freedom * np.log(rss / freedom)
        for index, effect, schur in zip(range(len(step)), effects, schurs, strict=True):
            explained, drift = spread[index, :, :-1], spread[index, :, -1]
            yield _Solution(
                effect,
                drift - explained @ effect,
                schur,
                rss[index],
                deviances[index],
                design - explained,
                variances[index],
            )


def _drift(
    steps: Floats, step: Floats, length: Floats, precision: Floats, right: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the drift's part of each column on the right, log determinants, and its variances."""
    still, apart = step == 0, steps[None, :]
    step, length = np.where(still, 1.0, step)[:, None], length[:, None]
    remembered, forgets = np.exp(-apart / length), np.isfinite(length)
    # Limits for an infinite length; `step` is the variance of the drift over a time of 1.
    of_one = np.where(forgets, -np.expm1(-2 / length), 1.0)
    moved = np.where(forgets, -np.expm1(-2 * apart / length) / of_one, apart)
    walk = 1 / (step * moved)
    level = np.where(forgets, of_one / step, ANCHOR)
    diagonal = precision.copy()
    diagonal[:, :-1] += walk * remembered**2
    diagonal[:, 1:] += walk
    diagonal[:, :1] += level
    spread, log_determinants, variances = _tridiagonal(diagonal, -walk * remembered, right)
    log_determinants -= np.log(walk).sum(axis=1) + np.log(level[:, 0])
    spread[still], log_determinants[still], variances[still] = 0.0, 0.0, 0.0
    return spread, log_determinants, variances


def _tridiagonal(
    diagonal: Floats, off_diagonal: Floats, right: Floats
) -> tuple[Floats, Floats, Floats]:
    """Solve symmetric tridiagonal systems, one for each index of the first axis.

    Returns:
        The solutions, the log determinants, and the diagonals of the inverses.
    """
    pivots, solution = diagonal.T.copy(), right.transpose(1, 0, 2).copy()
    off_diagonal = off_diagonal.T
    for row in range(1, len(pivots)):
        factor = off_diagonal[row - 1] / pivots[row - 1]
        pivots[row] -= factor * off_diagonal[row - 1]
        solution[row] -= factor[:, None] * solution[row - 1]
    solution[-1] /= pivots[-1][:, None]
    for row in range(len(pivots) - 2, -1, -1):
        solution[row] -= off_diagonal[row][:, None] * solution[row + 1]
        solution[row] /= pivots[row][:, None]
    backward = diagonal.T.copy()
    for row in range(len(pivots) - 2, -1, -1):
        backward[row] -= off_diagonal[row] ** 2 / backward[row + 1]
    inverse_diagonal = 1 / (pivots + backward - diagonal.T)
    return solution.transpose(1, 0, 2), np.log(pivots).sum(axis=0), inverse_diagonal.T


def _standard_errors(
    fit: _Fit, program: npt.NDArray[np.int64], count: int, rounds: npt.NDArray[np.int64]
) -> Floats:
    """Return the standard errors of the first `count` effects, for comparisons among programs."""
    freedom = len(program) - count
    if freedom < 1 or not fit.freedom:
        return np.full(count, np.nan)
    own = fit.covariance[:count, :count]
    if count > 1:
        # Remove the common error; for two independent effects this returns their own variances.
        centred = own - own.mean(axis=0) - own.mean(axis=1)[:, None] + own.mean()
        own = centred * count / (count - 1)
    _, places = np.unique(program, return_inverse=True)
    free = np.maximum(rounds - 1, 0) * fit.freedom / max(fit.freedom, freedom)
    sums = np.bincount(places, fit.residuals[: len(program)] ** 2, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Residuals are smaller than errors, since the drift explains a part. So only their
        # proportions are used.
        ratios = np.where(free > 0, sums / free, np.nan) * (
            free.sum() / max(float(sums.sum()), MIN_NOISE**2)
        )
    before, common = _prior_freedom(ratios[free > 0], float(np.median(free[free > 0])))
    share = free / (before + free)  # weight of a program's own noise
    moderated = common * (1 - share) + np.nan_to_num(ratios) * share
    quantile = np.array(
        [student_quantile(0.975, max(1, int(min(before + degrees, freedom)))) for degrees in free]
    )
    errors: Floats = np.sqrt(np.diag(own) * moderated) * quantile / NORMAL_95
    return errors


def _prior_freedom(variances: Floats, freedom: float) -> tuple[float, float]:
    """Return the prior degrees of freedom of the common variance, and that variance.

    They follow from the moments of the logarithms (Smyth 2004, section 6.2), and are infinite if
    the programs' variances do not differ.
    """
    if len(variances) < 2:
        return math.inf, 1.0
    logs = np.log(np.maximum(variances, MIN_NOISE)) - _digamma(freedom / 2) + math.log(freedom / 2)
    excess = float(logs.var(ddof=1)) - _trigamma(freedom / 2)
    if excess <= 0:
        return math.inf, float(variances.mean())
    low, high = 1e-3, 1e6
    for _ in range(60):  # bisection: the trigamma function is decreasing
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
    """The log of each program's minimal cost, and a factor for the standard errors."""

    level: Floats
    factor: float


def _lower(costs: Floats, rounds: Floats) -> _Lower | None:
    """Return the estimate from each test's cheapest repeat if noise only adds to costs, else None.

    Such noise is exponential near its minimum. Then the variance of the cheapest of n repeats is
    ((n - 1) / n)² times that of the distance between the two cheapest (Rényi, "On the theory of
    order statistics", 1953). For normal noise and three repeats, the factor is 1.5. The distance
    between the second and third shows which kind of noise a session has.
    """
    known, repeats = np.isfinite(rounds), costs.shape[1]
    whole = known.all(axis=1)
    if whole.sum() * costs.shape[2] < FEWEST_FOR_LOWER:
        return None
    complete = rounds[whole]
    variance = _variance(complete - complete.mean(axis=1, keepdims=True)) / (repeats - 1)
    ordered = np.sort(costs[whole], axis=1)
    shares = ordered[:, 0] / ordered[:, 0].sum(axis=1, keepdims=True)
    first, second = (np.log(ordered[:, n + 1] / ordered[:, n]) for n in range(2))
    # Normalised distances are equal for additive noise; for normal noise the second is half the
    # first.
    scale = (repeats - 2) / (repeats - 1)
    near, far = (shares * first).sum(axis=1), scale * (shares * second).sum(axis=1)
    beyond = far - near / 2
    if far.sum() < ADDED * near.sum() or beyond.mean() < SURELY * beyond.std() / math.sqrt(
        len(beyond)
    ):
        return None
    core = scale * float(np.median(second)) / max(float(np.median(first)), MIN_NOISE)
    factor = 1.5 + min(max(2 * core - 1, 0.0), 1.0) * ((1 - 1 / repeats) ** 2 - 1.5)
    lowered = factor * _variance(near)
    with np.errstate(invalid="ignore"):
        level = np.log(np.where(known[:, :, None], costs, np.inf).min(axis=1).sum(axis=1))
    steadier = (
        math.sqrt(min(max(lowered / max(variance, MIN_NOISE**2), 0.25), 1.0))
        if whole.sum() >= FEWEST_FOR_ERRORS
        else 1.0
    )
    return _Lower(level, steadier)


def _variance(values: Floats) -> float:
    """Return the variance of values around the median of their column, with outliers clipped."""
    apart = values - np.median(values, axis=0)
    bound = 3 * 1.4826 * max(float(np.median(np.abs(apart))), MIN_NOISE)
    return float((np.clip(apart, -bound, bound) ** 2).mean())


def student_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's distribution.

    >>> round(student_quantile(0.975, 2), 3), round(student_quantile(0.975, 127), 3)
    (4.303, 1.979)

    The distribution function (Abramowitz and Stegun, 26.7.3 and 26.7.4), in terms of the angle
    whose tangent is t / sqrt(freedom), is inverted by bisection.

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
    # 60 halvings of pi / 2 exceed the precision of a double.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 2 * share - 1 else (low, middle)
    return math.sqrt(freedom) * math.tan(low)
