"""The harness of `nox -s chaos`: its judgements, its page, and a sample run."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.chaos.faults import FaultOutcome, classify_end
from bench.chaos.interrupts import InterruptOutcome, interrupted, interrupted_here
from bench.chaos.kills import KillOutcome, UndisturbedRun, differences
from bench.chaos.page import PAGE, keep, page
from bench.chaos.subjects import CommandEnd, Place, Subject
from tests.building import needs_isolation

ROOT = Path(__file__).resolve().parents[2]
ORPHAN = """
import subprocess
from bench.chaos import traces
traces.adopt_orphans()
subprocess.run(["sh", "-c", "sleep 60 & exit"])
print(traces.orphans(0.1), traces.orphans(0.1))
"""


def test_differing_files_are_named() -> None:
    baseline = {"same": b"1", "other": b"1", "lost": b"1"}
    assert differences(baseline, {"same": b"1", "other": b"2", "double": b"1"}) == [
        "double",
        "lost",
        "other",
    ]


@pytest.mark.parametrize(
    ("code", "said", "way"),
    [
        (0, "done", "done"),
        (
            3,
            "measure: 1 of 2\nvenus: cannot write out: No space left on device\n  make room\n",
            "refused",
        ),
        (
            3,
            "PARTIAL    missing samples are not counted; type the same command to continue\n"
            "results\n",
            "refused",
        ),
        (3, "venus: cannot write out: No space left on device\n", "exit code 3 without advice"),
        (3, "Traceback (most recent call last):\n  File …\nOSError\n", "traceback"),
        (
            2,
            "venus: the request makes no sense: as it is\n  type another\n",
            "exit code 2 without advice",
        ),
        (None, "", "hangs"),
    ],
)
def test_classify_end(code: int | None, said: str, way: str) -> None:
    assert classify_end(CommandEnd(code, said, 1), UndisturbedRun(0, {}, 1.0, 1)) == way


def test_orphans_are_found_and_killed() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['sleep'] []\n"


class Stubborn(Subject):
    """Ends a second too late, prints a traceback, and leaves a folder and a draft behind."""

    def start(self, place: Place, descriptors: int = 1024, **more: str) -> subprocess.Popen[bytes]:
        (place.of("tmp") / "venus-left").mkdir()
        (place.of("out") / ".data.draft").touch()
        script = (
            "import signal, sys, time\nfor number in (2, 15): signal.signal(number, lambda *_: 0)\n"
        )
        script += "print('Traceback\\n File of ours', flush=True)\ntime.sleep(3.5)\nsys.exit(130)\n"
        with place.of("said").open("wb") as said:
            return subprocess.Popen([sys.executable, "-c", script], stdout=said, stderr=said)


def test_command_ignoring_interrupts_is_reported(tmp_path: Path) -> None:
    place = Place(tmp_path, None)  # type: ignore[arg-type]
    for name in ("out", "tmp"):
        place.of(name).mkdir()
    outcome = InterruptOutcome("stubborn", undisturbed_s=0.5)
    subject = Stubborn("stubborn", lambda _: [], lambda _: {})
    interrupted(subject, place, random.Random(1), outcome)
    told = " ".join(outcome.complaints)
    assert outcome.times == 1
    for words in (
        "it ended after",
        "it printed Traceback",
        "venus-left stays",
        ".data.draft stays",
    ):
        assert words in told


def test_training_is_interrupted_if_trl_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for found in (None, object()):
        monkeypatch.setattr("bench.chaos.interrupts.find_spec", lambda name, found=found: found)
        assert ("train" in interrupted_here()) == (found is not None)
        assert {"run", "build", "doctor"} < {*interrupted_here()}


def test_page_adds_up_results(tmp_path: Path) -> None:
    results = tmp_path / "chaos.jsonl"
    for seed, kills in ((1, 20), (2, 30)):
        outcome = KillOutcome(
            "build",
            5.0 + seed,
            {"clock": kills, "operation": 1},
            sessions=kills,
            gone_s=0.001 * seed,
        )
        outcome.complaints += ["data.parquet differs"] * (seed == 2)
        assert keep(results, seed, outcome) == ["build: data.parquet differs"] * (seed == 2)
        fault = FaultOutcome(
            "build", "disk full: out", 1, {"refused": 1}, "venus: no room: full\n  make room"
        )
        keep(results, seed, fault)
    text = page(results)
    assert "| build | 7.0 s | 50 | 2 | 50 | 1 | 2 ms | 0.0 s |" in text
    assert "| disk full: out | build | 2 | 0 | 2 | 0 | 0 | 0.0 s |" in text
    assert "venus: no room: full\n  make room\n" in text
    assert "- build: data.parquet differs" in text


def test_the_page_has_fifty_kills() -> None:
    """The page shows the last run of `nox -s chaos`, which alone writes it."""
    row = re.compile(r"^\| (\w+) \| [\d.]+ s \| (\d+) \| (\d+) \|", re.MULTILINE)
    kills = {
        name: int(by_clock) + int(at_operation)
        for name, by_clock, at_operation in row.findall(PAGE.read_text())
    }
    assert all(kills[name] >= 50 for name in ("build", "publish", "serve"))


@pytest.mark.slow
@pytest.mark.thorough
@needs_isolation[1]
@pytest.mark.isolation
def test_build_and_server_survive_two_kills(tmp_path: Path, thorough: bool) -> None:
    if not thorough:
        pytest.skip(
            "--thorough is not given: nox -s chaos kills commands, and nox -s thorough-test this sample"
        )
    if os.geteuid():
        pytest.skip("it takes a mount namespace of its own, and so root")
    words = ["--only", "build,serve", "--kills", "2", "--seed", "21", "--faults", "none"]
    argv = [sys.executable, "-m", "bench.chaos", *words, "--results", str(tmp_path / "chaos.jsonl")]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in (tmp_path / "chaos.jsonl").read_text().splitlines()]
    assert [sum(row["kills"].values()) for row in rows] == [2, 2]
