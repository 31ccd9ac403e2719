"""Names and units of the scores of other benchmarks.

For tables, reports and cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Key of a score to the benchmark, its name there, and the factor to its unit: 100 for per cent.
SHOWN = {
    "eff@": ("ENAMEL", "eff@{k}", 1),
    "dps": ("EvalPerf", "DPS", 100),
    "dps_norm": ("EvalPerf", "DPS_norm", 100),
    "net": ("EffiBench", "NET", 1),
    "nmu": ("EffiBench", "NMU", 1),
    "ntmu": ("EffiBench", "NTMU", 1),
    "pie_opt": ("PIE", "%Opt", 100),
    "pie_speedup": ("PIE", "Speedup", 1),
    "pie_speedup_memory": ("ECCO", "memory reduction", 1),
    "best_time@": ("BigOBench", "best_time@{k} %", 100),
    "efficient@": ("COFFE", "efficient@{k} %", 100),
    "coffe_speedup": ("COFFE", "speedup", 1),
}


class Quoted(NamedTuple):
    """A score as its benchmark quotes it.

    100 for a share of 1 where that prints per cent (`unit` is %).
    """

    benchmark: str
    metric: str
    value: float
    unit: str


def quoted(scores: Mapping[str, float]) -> list[Quoted]:
    """Return what people quote of the scores of an evaluation."""
    quotes = []
    for key, value in scores.items():
        name, at, k = key.partition("@")
        if known := SHOWN.get(name + at):
            benchmark, metric, factor = known
            quotes.append(
                Quoted(benchmark, metric.format(k=k), factor * value, "%" if factor > 1 else "")
            )
    return quotes


def shown(scores: Mapping[str, float]) -> list[tuple[str, str, str]]:
    """Return the same with values as text."""
    return [
        (quote.benchmark, quote.metric, f"{quote.value:.{1 if quote.unit else 3}f}")
        for quote in quoted(scores)
    ]
