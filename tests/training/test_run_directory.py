"""The folder of a run: what it resumes, what it refuses, and which files it removes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.store import Store
from venus_toolkit.training.trainer.run_directory import RunDirectory, last_checkpoint

DATA = {"name": "me/Venus", "revision": "v1.0.0", "digest": "a" * 64}
MODEL = {"name": "coder", "revision": "", "digest": "c" * 64}
RUN: dict[str, Any] = {"recipe": {"seed": 0, "save_steps": 4}, "data": DATA, "model": MODEL}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunDirectory]:
    with Store(tmp_path / "out") as store:
        yield RunDirectory(tmp_path / "out", store)


def checkpoint(run: RunDirectory, step: int, state: str = "{}") -> Path:
    folder = run.checkpoints / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "trainer_state.json").write_text(state)
    return folder


def test_last_checkpoint_is_the_newest_complete_one(run: RunDirectory) -> None:
    assert last_checkpoint(run.checkpoints) is None
    checkpoint(run, 9)
    tenth = checkpoint(run, 10)
    checkpoint(run, 11, '{"global_step": 1')
    (run.checkpoints / "checkpoint-12").mkdir()
    assert last_checkpoint(run.checkpoints) == tenth


def test_same_run_resumes(run: RunDirectory) -> None:
    run.begin(RUN, resume=True)
    fifth = checkpoint(run, 5)
    run.begin({**RUN, "recipe": {"seed": 0, "save_steps": 1}}, resume=True)
    run.begin({**RUN, "model": {**MODEL, "name": "elsewhere/coder"}}, resume=True)
    assert last_checkpoint(run.checkpoints) == fifth


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"recipe": {"seed": 1, "save_steps": 4}}, "seed was 0 and is 1"),
        (
            {"data": {**DATA, "digest": "b" * 64}},
            "the data was me/Venus at v1.0.0 (aaaaaaaaaaaa) and is me/Venus",
        ),
        (
            {"model": {**MODEL, "digest": "d" * 64}},
            "the model was coder at an unknown revision (cccccccccccc)",
        ),
    ],
)
def test_another_run_is_refused(
    run: RunDirectory, changes: dict[str, Any], difference: str
) -> None:
    run.begin(RUN, resume=True)
    checkpoint(run, 5)
    with pytest.raises(UsageError, match="holds another run") as refused:
        run.begin({**RUN, **changes}, resume=True)
    assert difference in refused.value.why
    assert "--no-resume" in refused.value.fix


def test_restart_removes_only_files_of_the_run(run: RunDirectory) -> None:
    run.begin(RUN, resume=True)
    checkpoint(run, 5)
    (run.folder / "mine.txt").write_text("keep me")
    run.write_card("mine too")
    run.finish({"steps": 5})
    run.begin({**RUN, "data": {**DATA, "digest": "b"}}, resume=False)
    assert last_checkpoint(run.checkpoints) is None
    assert run.done() is None
    assert (run.folder / "mine.txt").read_text() == "keep me"
    assert run.card() == "mine too"


def test_finish_marks_the_run_as_done(run: RunDirectory) -> None:
    run.write_log([{"loss": 1.5, "step": 1}])
    assert run.done() is None
    run.finish({"steps": 1})
    assert run.done() == {"steps": 1}
    assert run.read_log() == [{"loss": 1.5, "step": 1}]


def test_folder_is_locked(run: RunDirectory) -> None:
    with pytest.raises(StoreError, match="is writing into"):
        Store(run.folder)


def test_other_processes_write_nothing(tmp_path: Path) -> None:
    other = RunDirectory(tmp_path, None)
    other.begin(RUN, resume=False)
    other.finish({"steps": 1})
    assert list(tmp_path.iterdir()) == []


def test_identity_is_recorded(run: RunDirectory) -> None:
    run.begin(RUN, resume=True)
    assert json.loads((run.folder / ".venus/run.json").read_text()) == RUN
