"""A build that replays measurements gives the same bytes. (bench/chaos kills commands.)"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from venus_toolkit.builders.replayed_measurements import ReplayedMeasurements
from venus_toolkit.core.records import Solution, TestCase
from venus_toolkit.dataset.test_cases import all_cases

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = """\
import random
def generate(seed, size):
    rng = random.Random(f"{seed} {size}")
    return " ".join(str(rng.randint(1, 99)) for _ in range({"small": 3, "large": 50}.get(size, 9))) + "\\n"
"""
PROGRAMS = {
    "python/loop.py": "total = 0\nfor x in input().split():\n    total += int(x) ** POWER\nprint(total)\n",
    "python/comprehension.py": "print(sum([int(x) ** POWER for x in input().split()]))\n",
    "python/wrong_first.py": "print(int(input().split()[0]) ** POWER)\n",
    "ruby/inject.rb": "puts gets.split.sum { |x| x.to_i**POWER }\n",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some problems in Python and Ruby."""
    folder = tmp_path_factory.mktemp("source")
    for power in range(1, 4):
        problem = folder / f"sum-of-powers-{power}"
        for name, code in PROGRAMS.items():
            file = problem / "solutions" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code.replace("POWER", str(power)))
        (problem / "problem.toml").write_text(
            f'title = "Powers {power}"\nlicense = "CC0-1.0"\n[limits]\ncpu_s = 5.0\n'
        )
        (problem / "statement.md").write_text(f"Print the sum of x^{power}.\n")
        (problem / "generator.py").write_text(GENERATOR)
    return folder


def command(source: Path, out: Path, *more: object) -> list[str]:
    words = [
        "build",
        "--lang",
        "python",
        "--source",
        source,
        "--tests",
        6,
        "--repeats",
        1,
        "--min-solutions",
        2,
    ]
    words += ["--mutants", 0]  # verdicts on mutants are not replayed
    return [
        sys.executable,
        "-m",
        "venus_toolkit",
        *map(str, [*words, "--share-cores", "--out", out, *more]),
    ]


def build(source: Path, out: Path, *more: object) -> None:
    done = subprocess.run(
        command(source, out, *more), env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def published(out: Path) -> dict[str, bytes]:
    """Return the files of a release, by name."""
    files = (path for path in out.rglob("*") if path.is_file() and ".venus" not in path.parts)
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def uninterrupted(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of an uninterrupted build."""
    out = tmp_path_factory.mktemp("uninterrupted") / "out"
    build(source, out)
    return out


def test_replaying_build_gives_the_same_bytes(
    source: Path, uninterrupted: Path, tmp_path: Path
) -> None:
    build(source, tmp_path / "out", "--replay-measurements", uninterrupted)
    data = {
        name: content
        for name, content in published(uninterrupted).items()
        if name.startswith("data/")
    }
    assert data == {
        name: content for name, content in published(tmp_path / "out").items() if name in data
    }


def test_replay_of_changed_release(source: Path, uninterrupted: Path, tmp_path: Path) -> None:
    shutil.copytree(uninterrupted, tmp_path / "changed")
    (tmp_path / "changed/dropped.jsonl").write_text("{}\n")
    words = command(source, tmp_path / "out", "--replay-measurements", tmp_path / "changed")
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "its files are not those that its manifest lists" in done.stderr


@pytest.mark.parametrize("change", ["code", "test"])
def test_replay_needs_same_code_and_tests(uninterrupted: Path, change: str) -> None:
    file = uninterrupted / "data/python/train-00000-of-00001.parquet"
    row = pq.read_table(file).to_pylist()[0]
    first = next(solution_row for solution_row in row["solutions"] if solution_row["passed"])
    cases = all_cases(file, row)
    tests = [
        TestCase(case["id"], case["input"], case["output"], role=case["role"]) for case in cases
    ]
    solution = Solution(
        first["solution_id"], row["title"], "python", first["code"] + " " * (change == "code")
    )
    replay = ReplayedMeasurements(uninterrupted, "python")
    replayed = replay.find([solution], tests[: -1 if change == "test" else None])
    assert replayed is None
    same = replay.find([Solution("x", "x", "python", first["code"])], tests)
    assert same is not None
    assert (same[0].wall_ns, same[0].relative_time) == (first["wall_ns"], first["relative_time"])
