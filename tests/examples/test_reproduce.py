"""The smallest possible reproduction with real training; runs in `nox -s torch-test`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.advantages import tried
from examples.reproduce.__main__ import command
from examples.reproduce.preset import read_preset
from examples.reproduce.stages import ARMS, Reproduction
from tests.building import needs_isolation
from tests.forged_count import needs_emulator
from venus_toolkit.core.errors import UsageError
from venus_toolkit.training.trainer.run_directory import RunDirectory, last_checkpoint

pytest.importorskip("trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = [
    *needs_isolation,
    needs_emulator,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]
ROOT = Path(__file__).resolve().parent.parent.parent
TIMEOUT_S = 600


def begin(out: Path) -> subprocess.Popen[str]:
    words = ("-m", "examples.reproduce", "--preset", "seconds", "--out", str(out), "--json")
    settings = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    return subprocess.Popen(
        [sys.executable, *words],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(sign: Callable[[], bool], of: subprocess.Popen[str]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not sign():
        assert of.poll() is None, of.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reproduction that was killed during GRPO and then resumed."""
    folder = tmp_path_factory.mktemp("reproduced") / "out"
    first = begin(folder)
    wait_for(
        lambda: (
            last_checkpoint(RunDirectory(folder / "models" / "grpo-0", None).checkpoints)
            is not None
        ),
        first,
    )
    first.send_signal(signal.SIGKILL)
    first.communicate()
    again = begin(folder)
    stdout, errors = again.communicate(timeout=TIMEOUT_S)
    assert again.returncode == 0, errors
    (folder / "stdout.json").write_text(stdout)
    return folder


def test_result_has_all_arms_and_a_page(out: Path) -> None:
    report = json.loads((out / "stdout.json").read_text())
    assert list(report["rows"]) == [arm for arm, known in ARMS.items() if known.method]
    assert {curve["arm"] for curve in report["curves"]} == set(ARMS)
    assert all(len(curve["points"]) == 2 for curve in report["curves"])
    assert report["rises"]["reward"]["gained"]["low"] is None
    assert "What this shows, and what it does not" in (out / "reproduce.html").read_text()
    assert (out / "report" / "report.html").is_file()


def test_killed_training_is_resumed(out: Path) -> None:
    facts = json.loads((out / "models" / "grpo-0" / "training.json").read_text())
    assert facts["steps"] == 4
    assert facts["resumed_from"] >= 2


def test_base_model_sees_no_problem_of_the_release(out: Path) -> None:
    reproduction = Reproduction(read_preset("seconds"), out)
    count = reproduction.preset.problems
    built = {folder.name for folder in (out / "source").iterdir()}
    assert built == {task.slug for task in reproduction.tasks[:count]}
    assert not built & {task.slug for task in reproduction.tasks[count:]}


def test_another_preset_is_refused(out: Path) -> None:
    with pytest.raises(UsageError, match="holds another reproduction"):
        Reproduction(read_preset("tiny"), out).run()


def test_finished_reproduction_is_not_repeated(out: Path, cli: Callable[..., Any]) -> None:
    before = {file: file.stat().st_mtime_ns for file in (out / "models").rglob("*.safetensors")}
    result = cli("--preset", "seconds", "--out", out, command=command)
    assert result.exit_code == 0, result.stderr
    assert "one seed cannot show" in result.stdout
    assert before == {
        file: file.stat().st_mtime_ns for file in (out / "models").rglob("*.safetensors")
    }


def test_advantages_bench_runs(out: Path) -> None:
    tried_recipe = next(tried(out, read_preset("seconds", seeds=1)))
    assert tried_recipe["recipe"] == "group-wall"
    assert len(tried_recipe["pass_at_1"]) == len(tried_recipe["reward"]) == 2
    recipe = json.loads((out / "models" / "group-wall-0" / "training.json").read_text())["recipe"]
    assert (recipe["scale_rewards"], recipe["reward"]["figure"]) == ("group", "wall")
