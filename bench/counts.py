"""Agreement of instruction counts with CPU time, in releases that have both.

Prints a line of JSON for each language.

venus build --lang cpp --counter emulated --out build/cpp && python -m bench.counts build/cpp
[--worst 5]

Costs are net of an empty program. `pairs` counts pairs of accepted solutions of one problem whose
CPU times differ by a factor of 1.5 and by more than their uncertainty; `same` counts those that
instructions order alike. `worst` lists the largest inversions, with the ratios of the slower to the
faster solution in CPU time and instructions. `tau` is the median over the problems. The summary of
the build reports the cost of counting and of measuring (`count cpp`, `measure cpp`).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Mapping
from itertools import permutations
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tests.sessions import tau
from venus_toolkit.dataset.card.release_facts import CLEARLY, collect_facts
from venus_toolkit.execution.measuring.estimator import NORMAL_95


def problems(folder: Path, language: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the solutions of each problem that have both figures."""
    for file in sorted(folder.glob(f"data/{language}/*.parquet")):
        for row in pq.read_table(file, columns=["title", "solutions"]).to_pylist():
            both = [
                solution
                for solution in row["solutions"]
                if solution["net_instructions"] and (solution["net_cpu_ns"] or 0) > 0
            ]
            if len(both) > 1:
                yield row["title"], both


def inversions(title: str, solutions: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the pairs clearly apart in CPU time that instructions order the other way round."""
    for fast, slow in permutations(solutions, 2):
        error = (
            sum(((solution["cpu_se"] or 0) * solution["cpu_ns"]) ** 2 for solution in (fast, slow))
            ** 0.5
        )
        times = slow["net_cpu_ns"] / fast["net_cpu_ns"]
        apart = times > CLEARLY and slow["net_cpu_ns"] - fast["net_cpu_ns"] > NORMAL_95 * error
        if apart and fast["instructions"] >= slow["instructions"]:
            names = [solution["solution_id"].rpartition("/")[2] for solution in (fast, slow)]
            counts = slow["net_instructions"] / fast["net_instructions"]
            yield {
                "problem": title,
                "fast": names[0],
                "slow": names[1],
                "cpu": times,
                "instructions": counts,
            }


def summary(folder: Path, manifest: Mapping[str, Any], worst: int) -> Iterator[dict[str, Any]]:
    """Yield the figures of each language of a release."""
    for row in collect_facts(folder, manifest).agreement:
        solutions = dict(problems(folder, row.name))
        orders = [
            tau(
                np.array(
                    [
                        pair["net_instructions"]
                        for pair in sorted(both, key=itemgetter("net_cpu_ns"))
                    ],
                    float,
                )
            )
            for both in solutions.values()
        ]
        pairs = [pair for title, both in solutions.items() for pair in inversions(title, both)]
        yield {
            "language": row.name,
            "problems": len(solutions),
            "solutions": sum(map(len, solutions.values())),
            "tau": statistics.median(orders),
            "pairs": row.pairs,
            "same": row.same,
            "worst": sorted(pairs, key=lambda pair: pair["instructions"] / pair["cpu"])[:worst],
        }


def main() -> None:
    """Print a line for each language of each release."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("releases", nargs="+", type=Path)
    parser.add_argument("--worst", type=int, default=5)
    asked = parser.parse_args()
    for folder in asked.releases:
        manifest = json.loads((folder / "manifest.json").read_text())
        for line in summary(folder, manifest, asked.worst):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
