"""The capacity model against real builds: core-seconds that it says, and those that the stages held their cores for.

Also against the processor time of the whole build, which other work on the machine disturbs less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.builders.capacity import HELD, Constants, Cost, Shape, cost, measure_constants
from venus_toolkit.language import load_languages
from venus_toolkit.measure import usable_cores
from venus_toolkit.records import NS_PER_S
from venus_toolkit.sandbox import open_sandbox

SIZES = ((2, 8), (6, 20))  # problems, tests


class Checked(NamedTuple):
    """A build: its size, what the model says, what its stages held, and its processor time with that of the model."""

    shape: Shape
    said: Cost
    held: Cost
    cpu_s: float
    said_cpu_s: float


def check(folder: Path, language: str, sizes: tuple[tuple[int, int], ...] = SIZES) -> list[Checked]:
    """Measure the constants, then build parts of the corpus; returns a row for each build."""
    languages = load_languages()
    with open_sandbox("local", [languages[language]]) as sandbox:
        constants = measure_constants(sandbox, languages[language])
    slugs = sorted(path.name for path in Path("builders/corpus/problems").iterdir())
    return [_checked(folder / str(count), language, slugs[:count], tests, constants) for count, tests in sizes]


def _checked(out: Path, language: str, slugs: list[str], tests: int, constants: Constants) -> Checked:
    chosen = [word for slug in slugs for word in ("--problem", slug)]
    size = ["--tests", str(tests), "--repeats", "2", "--min-solutions", "1", "--mutants", "4"]
    source = _only(out / "source", language, slugs)
    words = ["build", "--lang", language, "--plan", "default", "--source", str(source), *chosen, *size]
    before = os.times()
    argv = [sys.executable, "-m", "venus_toolkit", *words, "--out", str(out / "release"), "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    manifest = json.loads(done.stdout)
    shape = _shape(out / "release", language, manifest, constants)
    said = cost(constants, shape)
    said_cpu_s = said.validate_s + said.quality_s + said.judge_s + said.measure_s / HELD
    return Checked(shape, said, _held(manifest["seconds"], language), cpu_s, said_cpu_s)


def _only(folder: Path, language: str, slugs: list[str]) -> Path:
    """Return a source with the solutions in one language."""
    for slug in slugs:
        (folder / slug / "solutions").mkdir(parents=True)
        for path in (Path.cwd() / "builders/corpus/problems" / slug).iterdir():
            if path.name != "solutions":
                (folder / slug / path.name).symlink_to(path)
            else:
                (folder / slug / "solutions" / language).symlink_to(path / language)
    return folder


def _shape(release: Path, language: str, manifest: dict[str, Any], constants: Constants) -> Shape:
    """Return the size of a build that is over, and what its tests took beyond the start of the program."""
    tables = [pq.read_table(file) for file in sorted((release / "data" / language).glob("*.parquet"))]
    rows = [row for table in tables for row in table.to_pylist()]
    solutions = [each for row in rows for each in row["solutions"]]
    measured = [(each["wall_ns"], len(json.loads(row["test_cases"]))) for row in rows for each in row["solutions"]]
    known = [(wall_ns / NS_PER_S / tests) for wall_ns, tests in measured if wall_ns]
    wrong = sum(not each["passed"] for each in solutions) / len(solutions)
    tests = round(manifest["tests"]["kept"] / len(rows))
    run_s = max(0.0, sum(known) / len(known) - constants.start_s)
    return Shape(len(rows), len(solutions) / len(rows), tests, repeats=2, run_s=run_s, wrong=wrong, mutants=4)


def _held(seconds: dict[str, float], language: str) -> Cost:
    """Return for how long the stages of a build held their cores."""
    cores = len(usable_cores())
    stages = [seconds.get(name, 0.0) for name in ("validate", "quality", f"judge {language}", f"measure {language}")]
    return Cost(*(cores * taken for taken in stages))
