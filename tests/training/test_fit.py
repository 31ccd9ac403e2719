"""What a run asks of its surroundings, as far as it goes without torch."""

from __future__ import annotations

import os

import pytest

from venus_toolkit.execution.sandbox.cores import part_of, usable_cores
from venus_toolkit.training.reward.grpo_reward import in_its_part
from venus_toolkit.training.reward.rewards import RewardOptions
from venus_toolkit.training.trainer import fit


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The cores that the process was given, on a machine with eight; the kernel is told nothing."""
    given: list[list[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(given[-1] if given else range(8)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: given.append(list(cores)))
    monkeypatch.setattr(fit, "_kept_to_own_cores", False)
    return given


@pytest.mark.parametrize(
    ("rank", "count", "cores"),
    [("1", "2", [[4, 5, 6, 7]]), ("2", "3", [[5, 6, 7]]), ("0", "1", []), ("3", "9", [])],
)
def test_processes_of_one_machine_share_its_cores_out(
    rank: str,
    count: str,
    cores: list[list[int]],
    taken: list[list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCAL_RANK", rank)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", count)
    fit.keep_to_own_cores()
    assert taken == cores


def test_cores_are_divided_once(taken: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain keeps to its cores once for each method, and its reward may be opened before or after that."""
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "3")

    def of_reward() -> list[int]:
        part = in_its_part(RewardOptions()).part
        return part_of(usable_cores(), *part)

    before = of_reward()
    fit.keep_to_own_cores()
    fit.keep_to_own_cores()
    assert (taken, before, of_reward()) == ([[2, 3, 4]], [2, 3, 4], [2, 3, 4])


def test_a_rank_of_eight_has_eight_of_64_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reward that was opened before the training began had one of them.

    Its part of what was a part already.
    """
    given: list[list[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(given[-1] if given else range(64)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: given.append(list(cores)))
    monkeypatch.setattr(fit, "_kept_to_own_cores", False)
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    part = in_its_part(RewardOptions()).part
    fit.keep_to_own_cores()
    assert part_of(usable_cores(), *part) == list(range(24, 32))
    assert given == [list(range(24, 32))]


def test_one_process_writes_and_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert (fit.is_main(), fit.devices()) == (True, 1)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert (fit.is_main(), fit.devices()) == (False, 2)


def test_figures_that_are_not_numbers_are_unknown() -> None:
    assert fit.known_figures({"reward": float("nan"), "loss": 1.5, "step": 3}) == {
        "reward": None,
        "loss": 1.5,
        "step": 3,
    }
