"""A reproduction as small as its stages allow, with real training.

`nox -s torch-test` runs it, else it is skipped.
"""

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
OUT_OF_PATIENCE_S = 600


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
    end = time.monotonic() + OUT_OF_PATIENCE_S
    while not sign():
        assert of.poll() is None, of.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reproduction that was killed in the middle of GRPO, and went on to its end."""
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
    said, complaints = again.communicate(timeout=OUT_OF_PATIENCE_S)
    assert again.returncode == 0, complaints
    (folder / "said.json").write_text(said)
    return folder


def test_it_ends_with_all_arms_and_a_page(out: Path) -> None:
    said = json.loads((out / "said.json").read_text())
    assert list(said["rows"]) == [arm for arm, known in ARMS.items() if known.method]
    assert {curve["arm"] for curve in said["curves"]} == set(ARMS)
    assert all(len(curve["points"]) == 2 for curve in said["curves"])
    assert said["rises"]["reward"]["gained"]["low"] is None
    assert "What this shows, and what it does not" in (out / "reproduce.html").read_text()
    assert (out / "report" / "report.html").is_file()


def test_what_was_killed_went_on(out: Path) -> None:
    facts = json.loads((out / "models" / "grpo-0" / "training.json").read_text())
    assert facts["steps"] == 4
    assert facts["resumed_from"] >= 2


def test_the_base_model_saw_no_problem_of_the_release(out: Path) -> None:
    reproduction = Reproduction(read_preset("seconds"), out)
    count = reproduction.preset.problems
    built = {folder.name for folder in (out / "source").iterdir()}
    assert built == {task.slug for task in reproduction.tasks[:count]}
    assert not built & {task.slug for task in reproduction.tasks[count:]}


def test_another_preset_is_refused(out: Path) -> None:
    with pytest.raises(UsageError, match="holds another reproduction"):
        Reproduction(read_preset("tiny"), out).run()


def test_a_second_time_does_nothing(out: Path, cli: Callable[..., Any]) -> None:
    before = {file: file.stat().st_mtime_ns for file in (out / "models").rglob("*.safetensors")}
    said = cli("--preset", "seconds", "--out", out, command=command)
    assert said.exit_code == 0, said.stderr
    assert "one seed cannot show" in said.stdout
    assert before == {
        file: file.stat().st_mtime_ns for file in (out / "models").rglob("*.safetensors")
    }


def test_ways_to_divide_advantages_are_tried_on_it(out: Path) -> None:
    found = next(tried(out, read_preset("seconds", seeds=1)))
    assert found["recipe"] == "group-wall"
    assert len(found["pass_at_1"]) == len(found["reward"]) == 2
    recipe = json.loads((out / "models" / "group-wall-0" / "training.json").read_text())["recipe"]
    assert (recipe["scale_rewards"], recipe["reward"]["figure"]) == ("group", "wall")
