"""Time and peak memory of writing a release of the paper's size, and the share of generating its rows."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from bench.paper_release import LANGUAGES, TASKS, make_task, write_paper_release
from venus_toolkit.core.memory import own_peak_bytes
from venus_toolkit.core.records import MIB

PROBE = 21  # tasks to generate again, to measure the CPU time of generating one


class ReleaseFigures(NamedTuple):
    """The contents and size of one release, and the cost of writing it in a separate process."""

    problems: int
    solutions: int
    tests: int
    files: int
    parquet_mib: float
    largest_group_mib: float
    wall_s: float
    cpu_s: float
    making_up_s: float
    peak_mib: float


def write_apart(scale: float, folder: Path) -> ReleaseFigures:
    """Write a release in a separate process, to measure its own peak memory."""
    argv = [sys.executable, "-m", "bench.release", str(scale), str(folder)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True)
    return ReleaseFigures(**json.loads(done.stdout))


def measure(scale: float, folder: Path) -> ReleaseFigures:
    """Write a release in this process."""
    import pyarrow.parquet as pq

    start, cpu = time.monotonic(), time.process_time()
    release = write_paper_release(folder, scale)
    wall_s, cpu_s = time.monotonic() - start, time.process_time() - cpu
    configs, tests = release.manifest["configs"], release.manifest["tests"]
    files = sorted(folder.glob("**/*.parquet"))
    metadata = [pq.read_metadata(file) for file in files]
    groups = [
        row.row_group(index).total_byte_size
        for row in metadata
        for index in range(row.num_row_groups)
    ]
    return ReleaseFigures(
        problems=sum(
            split["problems"] for config in configs.values() for split in config["splits"].values()
        ),
        solutions=sum(
            split["solutions"] for config in configs.values() for split in config["splits"].values()
        ),
        tests=tests["kept"],
        files=len(files),
        parquet_mib=sum(file.stat().st_size for file in files) / MIB,
        largest_group_mib=max(groups) / MIB,
        wall_s=wall_s,
        cpu_s=cpu_s,
        making_up_s=_making_up_s() * scale * TASKS,
        peak_mib=own_peak_bytes() / MIB,
    )


def _making_up_s() -> float:
    """Return the CPU time of generating one task, in seconds."""
    start = time.process_time()
    for number in range(PROBE):
        make_task(number, LANGUAGES[number % len(LANGUAGES)])
    return (time.process_time() - start) / PROBE


def main() -> None:
    """Print one run as JSON: for `write_apart`."""
    print(json.dumps(measure(float(sys.argv[1]), Path(sys.argv[2]))._asdict()))


if __name__ == "__main__":
    main()
