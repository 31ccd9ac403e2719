"""How time, memory and integral of the accepted solutions are distributed, language by language."""

from __future__ import annotations

from typing import NamedTuple

from venus_toolkit.card.database import Database

METRICS = ("time", "memory", "integral")
PER_DECADE = 16  # bins of a histogram

QUANTILES = """
    select language, count({metric}) as measured, quantile_cont({metric}, 0.05) as low,
           quantile_cont({metric}, 0.5) as median, quantile_cont({metric}, 0.95) as high
    from solution where {metric} > 0 group by language order by language
"""
BINS = """
    select language, floor(log10({metric}) * {per_decade})::int as bin, count(*) as count
    from solution where {metric} > 0 group by all order by all
"""
GAINS = """
    select language, count(*) as problems, median(gain) as gain
    from (select language, title, max({metric}) / min({metric}) as gain
          from solution where {metric} > 0 group by all having count(*) > 1)
    group by language
"""


class Distribution(NamedTuple):
    """One metric in one language: of `measured` solutions.

    Attributes:
        language: Its id.
        measured: How many solutions have a figure.
        low: 5 % are below (ms, KiB or KiB·ms).
        median: Half are below.
        high: 95 % are below.
        gain: The largest over the smallest figure of a problem: the median over the problems; None where no problem
            has two.
        bins: Pairs of a bin and its count: bin b holds figures from 10^(b/PER_DECADE) to below 10^((b+1)/PER_DECADE).
    """

    language: str
    measured: int
    low: float
    median: float
    high: float
    gain: float | None
    bins: tuple[tuple[int, int], ...]


def distributions(database: Database, metric: str) -> tuple[Distribution, ...]:
    """Return one distribution for each language that has a figure, in alphabetical order."""
    bins: dict[str, list[tuple[int, int]]] = {}
    for row in database.rows(BINS.format(metric=metric, per_decade=PER_DECADE)):
        bins.setdefault(row["language"], []).append((row["bin"], row["count"]))
    gains = {row["language"]: row["gain"] for row in database.rows(GAINS.format(metric=metric))}
    return tuple(
        Distribution(**row, gain=gains.get(row["language"]), bins=tuple(bins[row["language"]]))
        for row in database.rows(QUANTILES.format(metric=metric))
    )
