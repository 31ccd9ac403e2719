"""The folder of a model: only the same run goes on, half a checkpoint is none, and nobody else's file is removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.errors import StoreError, UsageError
from venus_toolkit.store import Store
from venus_toolkit.training.place import Place

DATA = {"name": "me/Venus", "revision": "v1.0.0", "digest": "a" * 64}
MODEL = {"name": "coder", "revision": "", "digest": "c" * 64}
RUN: dict[str, Any] = {"recipe": {"seed": 0, "device_batch": 4}, "data": DATA, "model": MODEL}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Store(tmp_path / "out") as store:
        yield Place(tmp_path / "out", store)


def checkpoint(place: Place, step: int, state: str = "{}") -> Path:
    folder = place.checkpoints / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "trainer_state.json").write_text(state)
    return folder


def test_the_newest_whole_checkpoint_is_taken(place: Place) -> None:
    assert place.last_checkpoint() is None
    checkpoint(place, 9)
    tenth = checkpoint(place, 10)
    checkpoint(place, 11, '{"global_step": 1')
    (place.checkpoints / "checkpoint-12").mkdir()
    assert place.last_checkpoint() == tenth


def test_the_same_run_goes_on(place: Place) -> None:
    place.begin(RUN, resume=True)
    kept = checkpoint(place, 5)
    place.begin({**RUN, "recipe": {"seed": 0, "device_batch": 1}}, resume=True)
    place.begin({**RUN, "model": {**MODEL, "name": "elsewhere/coder"}}, resume=True)
    assert place.last_checkpoint() == kept


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"recipe": {"seed": 1, "device_batch": 4}}, "seed was 0 and is 1"),
        ({"data": {**DATA, "digest": "b" * 64}}, "the data was me/Venus at v1.0.0 (aaaaaaaaaaaa) and is me/Venus"),
        ({"model": {**MODEL, "digest": "d" * 64}}, "the model was coder at an unknown revision (cccccccccccc)"),
    ],
)
def test_another_run_is_refused_and_says_why(place: Place, changes: dict[str, Any], why: str) -> None:
    place.begin(RUN, resume=True)
    checkpoint(place, 5)
    with pytest.raises(UsageError, match="holds another run") as refused:
        place.begin({**RUN, **changes}, resume=True)
    assert why in refused.value.why
    assert "--no-resume" in refused.value.fix


def test_beginning_again_removes_what_a_run_left_and_nothing_else(place: Place) -> None:
    place.begin(RUN, resume=True)
    checkpoint(place, 5)
    (place.folder / "mine.txt").write_text("keep me")
    place.write_card("mine too")
    place.finish({"steps": 5})
    place.begin({**RUN, "data": {**DATA, "digest": "b"}}, resume=False)
    assert place.last_checkpoint() is None
    assert place.done() is None
    assert (place.folder / "mine.txt").read_text() == "keep me"
    assert place.card() == "mine too"


def test_a_finished_run_says_so_last(place: Place) -> None:
    place.write_log([{"loss": 1.5, "step": 1}])
    assert place.done() is None
    place.finish({"steps": 1})
    assert place.done() == {"steps": 1}
    assert place.read_log() == [{"loss": 1.5, "step": 1}]


def test_one_run_at_a_time(place: Place) -> None:
    with pytest.raises(StoreError, match="is writing into"):
        Store(place.folder)


def test_other_processes_of_a_run_write_nothing(tmp_path: Path) -> None:
    other = Place(tmp_path, None)
    other.begin(RUN, resume=False)
    other.finish({"steps": 1})
    assert list(tmp_path.iterdir()) == []


def test_what_was_begun_is_readable(place: Place) -> None:
    place.begin(RUN, resume=True)
    assert json.loads((place.folder / ".venus/run.json").read_text()) == RUN
