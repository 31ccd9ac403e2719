"""The share of a release that the Hub has to store again after 1 % of its problems are remeasured.

The chunks are those of the Hub: in a separate process, hf_xet itself adds both releases to a store
on this disk, one after the other, and counts new bytes.

    python -m bench.publish OLD NEW    prints the counts as JSON
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from bench.paper_release import write_paper_release
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_tables
from venus_toolkit.dataset.release import Release

SHARE = 0.01  # share of the problems to measure again
FIGURES = (
    "time", "memory", "integral", "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns",
    "relative_time", "wall_spread", "cpu_spread", "integral_spread", "relative_spread",
)  # fmt: skip


class Sharing(NamedTuple):
    """Bytes of the Parquet files of a release, and of the uploads before and after remeasuring."""

    solutions: int
    measured_again: int
    total_bytes: int
    first_bytes: int
    second_bytes: int

    @property
    def share(self) -> float:
        """The share of the second release that is new."""
        return self.second_bytes / self.total_bytes


def sharing(folder: Path, scale: float, share: float = SHARE) -> Sharing:
    """Write a release of the paper's shape, remeasure a share of its problems, and count bytes."""
    old = write_paper_release(folder / "old", scale)
    measured = measure_again(old, folder / "new", share)
    environment = {**os.environ, "HF_HOME": str(folder / "hf")}
    argv = [sys.executable, "-m", "bench.publish", str(old.folder), str(folder / "new")]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True, env=environment)
    total, first, second = json.loads(done.stdout)
    solutions = sum(
        s["solutions"]
        for config in old.manifest["configs"].values()
        for s in config["splits"].values()
    )
    return Sharing(solutions, measured, total, first, second)


def measure_again(old: Release, folder: Path, share: float, seed: int = 0) -> int:
    """Write a release in which a share of the problems has new figures; return their solutions."""
    count = 0
    places = [(name, split) for name in old.languages for split in old.splits(name)]
    rows_of = {place: old.rows(*place) for place in places}
    everything = [(place, number) for place in places for number in range(rows_of[place])]
    chosen = set(random.Random(seed).sample(everything, round(share * len(everything))))
    shutil.copytree(old.folder / "tests", folder / "tests")
    for place in places:
        numbers = iter(range(rows_of[place]))
        tables = []
        for table in _row_groups(old.files(*place)):
            hits = [index for index in range(len(table)) if (place, next(numbers)) in chosen]
            tables.append(_measured_again(table, hits, random.Random(f"{seed} {place}")))
            count += sum(len(table["solutions"][index]) for index in hits)
        write_tables(folder, f"data/{place[0]}/{place[1]}", tables, SCHEMA)
    return count


def _measured_again(table: pa.Table, hits: list[int], rng: random.Random) -> pa.Table:
    rows = table.to_pylist() if hits else []
    for index in hits:
        rows[index]["solutions"] = [_again(rng, row) for row in rows[index]["solutions"]]
    return pa.Table.from_pylist(rows, schema=SCHEMA) if hits else table


def _row_groups(files: list[Path]) -> Iterator[pa.Table]:
    for file in files:
        with pq.ParquetFile(file) as parquet:
            yield from (parquet.read_row_group(number) for number in range(parquet.num_row_groups))


def _again(rng: random.Random, solution: dict[str, Any]) -> dict[str, Any]:
    factor = rng.lognormvariate(0.0, 0.02)
    figures = {name: solution[name] * factor for name in FIGURES if solution[name] is not None}
    whole = {name: int(value) for name, value in figures.items() if isinstance(solution[name], int)}
    return {**solution, **figures, **whole}


def new_bytes(release: Path, store: Path) -> tuple[int, int]:
    """Add the Parquet files of a release to a store; return their bytes and the new ones."""
    import hf_xet

    commit = hf_xet.XetSession().new_upload_commit(endpoint=f"local://{store}")
    for file in sorted(release.rglob("*.parquet")):
        commit.start_upload_file(str(file))
    metrics = commit.wait_to_finish().dedup_metrics
    return metrics.total_bytes, metrics.new_bytes


def main() -> None:
    """Add two releases to a store and print the counts of bytes."""
    old, new = map(Path, sys.argv[1:])
    store = old.parent / "store"
    store.mkdir()
    _, first = new_bytes(old, store)
    total, second = new_bytes(new, store)
    print(json.dumps([total, first, second]))


if __name__ == "__main__":
    main()
