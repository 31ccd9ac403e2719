"""Names and units of the scores of other benchmarks, for tables, reports and cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Key of a score to the benchmark, its name there, and the factor to its unit (100 for per cent).
SCORES = {
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


class QuotedScore(NamedTuple):
    """A score in the unit of its benchmark; a share of 1 is 100 if `unit` is %."""

    benchmark: str
    metric: str
    value: float
    unit: str


def quote_scores(scores: Mapping[str, float]) -> list[QuotedScore]:
    """Return the scores of an evaluation that other benchmarks publish."""
    quotes = []
    for key, value in scores.items():
        name, at, k = key.partition("@")
        if entry := SCORES.get(name + at):
            benchmark, metric, factor = entry
            unit = "%" if factor > 1 else ""
            quotes.append(QuotedScore(benchmark, metric.format(k=k), factor * value, unit))
    return quotes


def format_scores(scores: Mapping[str, float]) -> list[tuple[str, str, str]]:
    """Return the quoted scores as triples of benchmark, metric and formatted value."""
    return [
        (quote.benchmark, quote.metric, f"{quote.value:.{1 if quote.unit else 3}f}")
        for quote in quote_scores(scores)
    ]
