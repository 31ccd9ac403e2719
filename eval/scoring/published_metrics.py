"""Scores as other benchmarks of code efficiency define them, from the runs of one evaluation.

Each benchmark compares with a reference of its own. Here the fastest human solution of a task
stands for an expert's or a canonical one, and the median human solution for a program that is to be
improved. A ratio is the cost of the reference divided by the cost of the sample: 2 is twice as
efficient. It is NaN where the sample failed.

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

ROUNDING = 1e-9  # costs that differ by a smaller share are equal: estimates are sums of floats


def efficiency_scores(ratios: ArrayLike, alpha: float = 2.0) -> Floats:
    """Return ENAMEL's score of each sample.

    1 for what the reference takes, 0 at alpha times that or for a failure.

    >>> efficiency_scores([1.0, 1 / 1.5, 0.4, 4.0, float("nan")]).tolist()
    [1.0, 0.5, 0.0, 1.75, 0.0]

    Time beyond the limit is not known, so it cannot count: the score is (alpha - 1 / ratio) /
    (alpha - 1), at least 0. It is more than 1 for what is faster than the reference.
    """
    values = np.asarray(ratios, dtype=float)
    scores: Floats = np.maximum(alpha - 1 / values, 0) / (alpha - 1)
    return np.where(np.isnan(values), 0.0, scores)


def eff_at_k(scores: ArrayLike, k: int) -> float:
    """Return the expected best score of k samples drawn from those of a task, without bias.

    >>> round(eff_at_k([0.0, 1.0, 0.5], 2), 4)
    0.8333

    Of the three pairs two have 1 as their best, and one 0.5.

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
    """Return the levels of performance among human solutions, the costliest first.

    A level is the cost of its costliest solution, and the share of all solutions that cost as much
    or more.

    A new level begins where the next solution costs less by more than a share `gap`.

    >>> performance_levels([10, 100, 9.5, 50])
    [(100.0, 0.25), (50.0, 0.5), (10.0, 1.0)]

    EvalPerf widens the gap for costs near what a program costs that does nothing; that term is left
    out.
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
    """Return DPS and its normalised form for a sample.

    The share of solutions, and of levels, that it is as good as. Costs that differ by less than
    the rounding of their estimates are the same.

    >>> levels = performance_levels([10, 100, 9.5, 50])
    >>> differential_performance(100 * (1 + 1e-15), levels)
    (0.25, 0.3333333333333333)
    >>> differential_performance(60, levels), differential_performance(8, levels), differential_performance(101, levels)
    ((0.25, 0.3333333333333333), (1.0, 1.0), (0.0, 0.0))
    """
    shares = [share for costliest, share in levels if cost <= costliest * (1 + ROUNDING)]
    return (shares[-1], len(shares) / len(levels)) if shares else (0.0, 0.0)


def optimised(ratios: ArrayLike, least: float = 1.1) -> tuple[float, float]:
    """Return PIE's %Opt, as a share, and Speedup: of what is correct and no slower.

    Anything else is the original.

    >>> optimised([2.0, 1.05, 0.5, float("nan")])
    (0.25, 1.2625)
    """
    values = np.nan_to_num(np.asarray(ratios, dtype=float), nan=0.0)
    return float(np.mean(values >= least)), float(np.mean(np.maximum(values, 1.0)))


def published_scores(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the scores by name from rows of results.parquet.

    None where no task has human solutions to compare with.

    Means are over tasks, then over the samples of a task; those of EffiBench are over all samples
    that pass. k is as far as each task has samples. Costs: ET in s, MU in MiB, TMU in MiB*s.
    """
    tasks: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["percentile_time"] is not None:
            tasks.setdefault(row["task"], []).append(row)
    if not tasks:
        return {}
    passed = [
        row for listed in tasks.values() for row in listed if row["ratio_to_best_time"] is not None
    ]
    best = [_column(listed, "ratio_to_best_time") for listed in tasks.values()]
    scores = {
        f"eff@{k}": _mean(eff_at_k(efficiency_scores(each), k) for each in best) for k in _ks(best)
    }
    for name in ("dps", "dps_norm"):
        column = f"{name}_time"
        passing = [
            [row[column] for row in listed if row.get(column) is not None]
            for listed in tasks.values()
        ]
        if any(passing):
            scores[name] = _mean(float(np.mean(values)) for values in passing if values)
    scores |= _normalised(passed)
    for name, objective in (("", "time"), ("_memory", "memory")):
        column = f"ratio_to_median_{objective}"
        # An evaluation of an earlier version lacks the column.
        if all(row.get(column) is not None for row in passed):
            each = [optimised(_column(listed, column)) for listed in tasks.values()]
            share, speedup = np.mean(each, axis=0).tolist()
            scores |= {f"pie_opt{name}": share, f"pie_speedup{name}": speedup}
    faster = [int(np.sum(each > 1)) for each in best]
    sizes = [len(each) for each in best]
    scores |= {f"efficient@{k}": float(np.mean(pass_at_k(sizes, faster, k))) for k in _ks(best)}
    grown = [share for listed in tasks.values() if (share := _in_best_class(listed)) is not None]
    if grown:
        scores["best_time@1"] = _mean(grown)
    if passed:
        # COFFE adds up the costs of all tasks before it divides: a task counts by what its best
        # solution costs.
        ratios, costs = _column(passed, "ratio_to_best_time"), _column(passed, "wall_ns")
        scores["coffe_speedup"] = float(np.sum(ratios * costs) / np.sum(costs))
    return scores


def _in_best_class(listed: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of samples that pass and whose cost grows no faster than the best.

    None: nothing is known.

    A sample that passes and whose growth is unknown counts nowhere.
    """
    known = [
        row.get("complexity_no_worse") for row in listed if row["ratio_to_best_time"] is not None
    ]
    if all(outcome is None for outcome in known):
        return None
    failed = len(listed) - len(known)
    outcomes = [outcome for outcome in known if outcome is not None]
    return float(np.mean(outcomes + [False] * failed))


def _normalised(passed: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return EffiBench's figures of the samples that pass, and these divided by those of the best human solution."""
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
        for key, values in ((name, own), (f"n{name}", normal)):
            if values:
                scores |= {key: float(np.mean(values)), f"{key}_median": float(np.median(values))}
        if own and len(own) == len(ratios):
            # What the authors' script prints as NET, NMU and NTMU: both are added up before they
            # are divided.
            scores[f"n{name}_of_sums"] = float(np.sum(own) / np.dot(own, ratios))
    return scores


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> Floats:
    return np.array([math.nan if row.get(name) is None else row[name] for row in rows], dtype=float)


def _ks(samples: Sequence[Sized]) -> list[int]:
    fewest = min(map(len, samples))
    return [k for k in K if k <= fewest]


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
