"""Scores as other benchmarks of code efficiency define them, from the results of one evaluation.

Each benchmark has its own reference. Here the fastest human solution of a task replaces an expert
or canonical solution, and the median human solution replaces the program to be improved. A ratio is
the cost of the reference divided by the cost of the sample: 2 is twice as efficient. The ratio of a
failed sample is NaN.

    eff@k                 ENAMEL (Qiu et al., 2024), equations 3 to 6, with one level of tests and alpha = 2
    DPS, DPS_norm         EvalPerf (Liu et al., 2024), section 3
    ET, MU, TMU, NET, …   EffiBench (Huang et al., 2024), section 4; NET_of_sums as its script prints it
    %Opt, Speedup         PIE (Shypula et al., 2024), section 4; of memory: ECCO (Waghjale et al., 2024)
    efficient@k, speedup  COFFE (Peng et al., 2025), section 4
    best_time@1           BigOBench (Chambon et al., 2025), complexity ranking, with our classes

Mercury's Beyond, Pass@k and the paper's Beyond are in metrics.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from venus_toolkit.core.records import MIB, NS_PER_S
from venus_toolkit.eval.scoring.metrics import Floats, K, pass_at_k

ROUNDING = 1e-9  # relative difference that counts as equal, because costs are sums of floats


def efficiency_scores(ratios: ArrayLike, alpha: float = 2.0) -> Floats:
    """Return ENAMEL's score of each sample.

    The score is 1 for the time of the reference, and 0 for alpha times that or for a failure.

    >>> efficiency_scores([1.0, 1 / 1.5, 0.4, 4.0, float("nan")]).tolist()
    [1.0, 0.5, 0.0, 1.75, 0.0]

    The time beyond the limit is unknown, so it cannot count: the score is (alpha - 1 / ratio) /
    (alpha - 1), at least 0. A sample faster than the reference scores more than 1.
    """
    values = np.asarray(ratios, dtype=float)
    scores: Floats = np.maximum(alpha - 1 / values, 0) / (alpha - 1)
    return np.where(np.isnan(values), 0.0, scores)


def eff_at_k(scores: ArrayLike, k: int) -> float:
    """Return the expected best score of k of a task's samples, without bias.

    >>> round(eff_at_k([0.0, 1.0, 0.5], 2), 4)
    0.8333

    The best of two of the three pairs is 1, that of the third 0.5.

    Raises:
        ValueError: There are fewer than k samples, or k is not positive.
    """
    ordered = np.sort(np.asarray(scores, dtype=float))
    n = len(ordered)
    if not 1 <= k <= n:
        raise ValueError(f"k is from 1 to the number of samples, {n}, got {k}")
    chances = [math.comb(r - 1, k - 1) / math.comb(n, k) for r in range(1, n + 1)]
    return float(np.dot(chances, ordered))


def performance_levels(costs: ArrayLike, gap: float = 0.1) -> list[tuple[float, float]]:
    """Return the performance levels of human solutions, the costliest first.

    A level is the cost of its costliest solution, and the cumulative share of solutions up to and
    including this level. A new level begins if the next solution costs less by more than the
    fraction `gap`.

    >>> performance_levels([10, 100, 9.5, 50])
    [(100.0, 0.25), (50.0, 0.5), (10.0, 1.0)]

    EvalPerf widens the gap near the cost of a program that does nothing; that term is left out.
    """
    ordered = np.sort(np.asarray(costs, dtype=float))[::-1]
    apart = np.flatnonzero((ordered[:-1] - ordered[1:]) / ordered[:-1] > gap) + 1
    ends = [*apart.tolist(), len(ordered)]
    return [
        (float(ordered[begin]), end / len(ordered))
        for begin, end in zip([0, *ends], ends, strict=False)
    ]


def differential_performance(
    cost: float, levels: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Return DPS and DPS_norm of a sample.

    These are the shares of solutions and of levels that the sample matches or beats. Costs within
    `ROUNDING` are equal.

    >>> levels = performance_levels([10, 100, 9.5, 50])
    >>> differential_performance(100 * (1 + 1e-15), levels)
    (0.25, 0.3333333333333333)
    >>> differential_performance(60, levels), differential_performance(8, levels)
    ((0.25, 0.3333333333333333), (1.0, 1.0))
    >>> differential_performance(101, levels)
    (0.0, 0.0)
    """
    shares = [share for costliest, share in levels if cost <= costliest * (1 + ROUNDING)]
    return (shares[-1], len(shares) / len(levels)) if shares else (0.0, 0.0)


def optimised(ratios: ArrayLike, least: float = 1.1) -> tuple[float, float]:
    """Return PIE's %Opt, as a share, and Speedup.

    A sample that is wrong or slower counts as the original program, with a speedup of 1.

    >>> optimised([2.0, 1.05, 0.5, float("nan")])
    (0.25, 1.2625)
    """
    values = np.nan_to_num(np.asarray(ratios, dtype=float), nan=0.0)
    return float(np.mean(values >= least)), float(np.mean(np.maximum(values, 1.0)))


def published_scores(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the scores by name from rows of results.parquet.

    The mapping is empty if no task has human solutions to compare with. Means are over tasks, then
    over the samples of a task; those of EffiBench are over all samples that pass. k is at most the
    smallest number of samples of a task. Costs: ET in s, MU in MiB, TMU in MiB*s.
    """
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["percentile_time"] is not None:
            by_task.setdefault(row["task"], []).append(row)
    if not by_task:
        return {}
    tasks = list(by_task.values())
    passed = [row for samples in tasks for row in samples if row["ratio_to_best_time"] is not None]
    speedups = [_column(samples, "ratio_to_best_time") for samples in tasks]
    ks = _ks(speedups)
    scores = {
        f"eff@{k}": _mean(eff_at_k(efficiency_scores(ratios), k) for ratios in speedups) for k in ks
    }
    for name in ("dps", "dps_norm"):
        column = f"{name}_time"
        passing = [
            [row[column] for row in samples if row.get(column) is not None] for samples in tasks
        ]
        if any(passing):
            scores[name] = _mean(float(np.mean(cells)) for cells in passing if cells)
    scores |= _normalised(passed)
    for name, objective in (("", "time"), ("_memory", "memory")):
        column = f"ratio_to_median_{objective}"
        # An evaluation of an earlier version lacks the column.
        if all(row.get(column) is not None for row in passed):
            pairs = [optimised(_column(samples, column)) for samples in tasks]
            share, speedup = np.mean(pairs, axis=0).tolist()
            scores |= {f"pie_opt{name}": share, f"pie_speedup{name}": speedup}
    faster = [int(np.sum(ratios > 1)) for ratios in speedups]
    sizes = [len(ratios) for ratios in speedups]
    scores |= {f"efficient@{k}": float(np.mean(pass_at_k(sizes, faster, k))) for k in ks}
    shares = [share for samples in tasks if (share := _in_best_class(samples)) is not None]
    if shares:
        scores["best_time@1"] = _mean(shares)
    if passed:
        # COFFE adds up the costs of all tasks before it divides, so each task is weighted by the
        # cost of its best solution.
        ratios, costs = _column(passed, "ratio_to_best_time"), _column(passed, "wall_ns")
        scores["coffe_speedup"] = float(np.sum(ratios * costs) / np.sum(costs))
    return scores


def _in_best_class(samples: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of a task's samples that pass and grow no faster than the best solution.

    A passing sample with unknown growth is left out. Returns None if no growth is known.
    """
    outcomes = [
        row.get("complexity_no_worse") for row in samples if row["ratio_to_best_time"] is not None
    ]
    known = [outcome for outcome in outcomes if outcome is not None]
    if not known:
        return None
    failed = len(samples) - len(outcomes)
    return float(np.mean(known + [False] * failed))


def _normalised(passed: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return EffiBench's figures of passing samples, absolute and relative to the best human."""
    costs = (
        ("et", "time", "wall_ns", NS_PER_S),
        ("mu", "memory", "peak_bytes", MIB),
        ("tmu", "integral", "integral_byte_ns", MIB * NS_PER_S),
    )
    scores: dict[str, float] = {}
    for name, objective, column, unit in costs:
        own = [row[column] / unit for row in passed if row.get(column) is not None]
        ratios = [row[f"ratio_to_best_{objective}"] for row in passed]
        normal = [1 / ratio for ratio in ratios if ratio]
        for key, figures in ((name, own), (f"n{name}", normal)):
            if figures:
                scores |= {key: float(np.mean(figures)), f"{key}_median": float(np.median(figures))}
        if own and len(own) == len(ratios):
            # The authors' script prints the ratio of the sums as NET, NMU and NTMU.
            scores[f"n{name}_of_sums"] = float(np.sum(own) / np.dot(own, ratios))
    return scores


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> Floats:
    return np.array([math.nan if row.get(name) is None else row[name] for row in rows], dtype=float)


def _ks(samples: Sequence[Sized]) -> list[int]:
    fewest = min(map(len, samples))
    return [k for k in K if k <= fewest]


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
