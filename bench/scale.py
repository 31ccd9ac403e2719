"""Compares the capacity model with real builds: predicted core-seconds and those that stages held.

Nothing else may run at the same time: stages are timed by wall clock.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.builders.capacity import BuildCost, BuildSize, Constants, cost, measure_constants
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S
from venus_toolkit.execution.sandbox.cores import usable_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox

SIZES = ((2, 8), (6, 20))  # problems, tests


class BuildComparison(NamedTuple):
    """The size of a build, its predicted cost, and the core-seconds that its stages held."""

    shape: BuildSize
    said: BuildCost
    held: BuildCost


def check(
    folder: Path, language: str, sizes: tuple[tuple[int, int], ...] = SIZES
) -> list[BuildComparison]:
    """Measure the constants, then build parts of the corpus; returns a row for each build."""
    languages = load_languages()
    with open_sandbox("local", [languages[language]]) as sandbox:
        constants = measure_constants(sandbox, languages[language])
    slugs = sorted(path.name for path in Path("corpus/problems").iterdir())
    return [
        _checked(folder / str(count), language, slugs[:count], tests, constants)
        for count, tests in sizes
    ]


def _checked(
    out: Path, language: str, slugs: list[str], tests: int, constants: Constants
) -> BuildComparison:
    chosen = [word for slug in slugs for word in ("--problem", slug)]
    size = ["--tests", str(tests), "--repeats", "2", "--min-solutions", "1", "--mutants", "4"]
    source = _only(out / "source", language, slugs)
    plan = out / "plan.toml"
    # The model has a single mean run time, for judging and for measuring.
    plan.write_text("[generation]\nefficiency_tests = 0\n")
    words = [
        "build",
        "--lang",
        language,
        "--plan",
        str(plan),
        "--source",
        str(source),
        *chosen,
        *size,
    ]
    argv = [sys.executable, "-m", "venus_toolkit", *words, "--out", str(out / "release"), "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    manifest = json.loads(done.stdout)
    shape = _shape(out / "release", language, manifest, constants)
    return BuildComparison(
        shape, cost(constants, shape), _held(manifest["seconds"], language, shape.problems)
    )


def _only(folder: Path, language: str, slugs: list[str]) -> Path:
    """Write a source folder with the solutions in one language, and return it."""
    for slug in slugs:
        (folder / slug / "solutions").mkdir(parents=True)
        for path in (Path.cwd() / "corpus/problems" / slug).iterdir():
            there = folder / slug / path.name
            if path.name == "solutions":
                shutil.copytree(path / language, there / language)
            elif path.is_dir():
                shutil.copytree(path, there)
            else:
                shutil.copyfile(path, there)
    return folder


def _shape(
    release: Path, language: str, manifest: dict[str, Any], constants: Constants
) -> BuildSize:
    """Return the size of a finished build, with the run time net of the start of a program."""
    tables = [
        pq.read_table(file) for file in sorted((release / "data" / language).glob("*.parquet"))
    ]
    rows = [row for table in tables for row in table.to_pylist()]
    solutions = [solution for row in rows for solution in row["solutions"]]
    measured = [
        (solution["cpu_ns"], len(row["test_ids"])) for row in rows for solution in row["solutions"]
    ]
    known = [(cpu_ns / NS_PER_S / tests) for cpu_ns, tests in measured if cpu_ns]
    slow = sum(solution["status"] == "time_limit" for solution in solutions) / len(solutions)
    wrong = sum(not solution["passed"] for solution in solutions) / len(solutions) - slow
    limit_s = statistics.fmean(row["cpu_limit_ns"] for row in rows) / NS_PER_S
    tests, candidates = (round(manifest["tests"][name] / len(rows)) for name in ("kept", "found"))
    run_s = max(0.0, sum(known) / len(known) - constants.start_s)
    shares = {"wrong": wrong, "slow": slow, "limit_s": limit_s}
    size = {
        "problems": len(rows),
        "solutions": len(solutions) / len(rows),
        "tests": tests,
        "found": candidates,
    }
    return BuildSize(
        **size, repeats=2, run_s=run_s, mutants=4, machine=len(usable_cores()), **shares
    )


def _held(seconds: dict[str, float], language: str, problems: int) -> BuildCost:
    """Return the core-seconds that the stages of a build held; quality uses a core per problem."""
    cores = len(usable_cores())
    stages = [
        seconds.get(name, 0.0)
        for name in ("validate", "quality", f"judge {language}", f"measure {language}")
    ]
    used = (cores, min(cores, problems), cores, cores)
    return BuildCost(*(count * stage for count, stage in zip(used, stages, strict=True)))
