"""``make bench``: ratios taken in one interleaved run. Nothing else should run meanwhile; takes a few minutes.

python -m tests.bench [--only overhead|integral|ranking|docker|curation] [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.curation import growth
from tests.bench.docker import docker_overhead, docker_throughput, why_not
from tests.bench.integral import accuracy
from tests.bench.overhead import overhead, sampling_share, sleeping_share
from tests.bench.ranking import ranking
from venus_toolkit.records import to_plain

MEASURES = ("overhead", "integral", "ranking", "docker", "curation")
SOLUTIONS = (10_000, 100_000, 700_000)


def main() -> None:
    """Run the chosen measures and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=MEASURES, action="append")
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that it works")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for measure in options.only or MEASURES:
            found[measure] = globals()[f"_{measure}"](Path(name), options.quick)
    if options.json:
        options.json.write_text(json.dumps(to_plain(found), indent=1) + "\n")


def _overhead(folder: Path, quick: bool) -> Any:
    rows = overhead(folder, rounds=3 if quick else 20, runs=50 if quick else 200)
    print("time per run, median of interleaved rounds; ratio to a bare posix_spawn + wait4 loop")
    for row in rows:
        print(
            f"  {row.program:<12} bare {row.floor_ns / 1e6:.3f} ms   supervised {row.direct_ns / 1e6:.3f} ms "
            f"{row.direct_ratio:.3f} x   in the local sandbox {row.sandbox_ns / 1e6:.3f} ms {row.sandbox_ratio:.3f} x"
        )
    shares = {
        f"{1e9 / interval:.0f} Hz": (sampling_share(folder, interval), sleeping_share(folder, interval))
        for interval in (1_000_000, 100_000)
    }
    for rate, (sampling, sleeping) in shares.items():
        print(
            f"share of one core at {rate}: {100 * sampling:.1f} %; a loop that only sleeps takes {100 * sleeping:.1f} %"
        )
    return {"overhead": [row._asdict() for row in rows], "sampling_share": shares}


def _integral(folder: Path, quick: bool) -> Any:
    rows = accuracy(folder, repeats=3 if quick else 15)
    print("integral at 1 kHz against the program's own log; peak against its largest entry")
    for row in rows:
        print(
            f"  {row.shape:<22} wall {row.wall_ms:8.2f} ms   error {row.median_percent:+.2f} % (median), "
            f"{row.largest_percent:+.2f} % (largest)   peak {row.peak_error_kib:+.0f} KiB"
        )
    return [row._asdict() for row in rows]


def _ranking(_: Path, quick: bool) -> Any:
    rows = [ranking(name, programs=8 if quick else 30, repeats=1 if quick else 3) for name in ("cpp", "python")]
    print("Kendall's tau between two passes over programs 3 % apart")
    for row in rows:
        print(
            f"  {row.language:<7} {row.programs} programs, {row.repeats} repeats: relative {row.relative:.3f}, "
            f"wall {row.wall:.3f}; with the true order: relative {row.relative_truth:.3f}, wall {row.wall_truth:.3f}"
        )
    return [row._asdict() for row in rows]


def _docker(folder: Path, quick: bool) -> Any:
    problem = why_not()
    if problem:
        print(f"Docker: not measured, {problem}")
        return {"problem": problem}
    rows = docker_overhead(folder, rounds=3 if quick else 20, runs=50 if quick else 200)
    print("time per run in a container, median of interleaved rounds; ratio to a bare posix_spawn + wait4 loop")
    for row in rows:
        print(
            f"  {row.program:<12} bare {row.floor_ns / 1e6:.3f} ms   container {row.ns / 1e6:.3f} ms {row.ratio:.3f} x"
        )
    speed = docker_throughput(solutions=10 if quick else 100, tests=100, rounds=1 if quick else 3)
    print(
        f"C++ solutions of {speed.tests} tiny tests per second: local {speed.local:.2f}, "
        f"Docker {speed.docker:.2f}, {speed.ratio:.3f} x"
    )
    return {"overhead": [row._asdict() for row in rows], "throughput": speed._asdict()}


def _curation(folder: Path, quick: bool) -> Any:
    print("curation: staged, searched for duplicates and split, in a process of its own for each size")
    rows = []
    for size in SOLUTIONS[: 1 if quick else None]:
        row = growth(size, folder / str(size))
        rows.append(row)
        print(
            f"  {row.rows:>7} solutions in {row.total_s:.1f} s (making them up {row.source_s:.1f}, "
            f"staging {row.staging_s:.1f}, duplicates {row.duplicates_s:.1f}, split {row.split_s:.2f}), "
            f"CPU {row.cpu_s:.1f} s, peak {row.peak_mib:.0f} MiB; "
            f"{sum(row.found.values())} of {sum(row.planted.values())} planted duplicates found, {row.others} others"
        )
    return [row._asdict() for row in rows]


if __name__ == "__main__":
    main()
