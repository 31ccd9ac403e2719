"""Cores and processes of a training run, without torch."""

from __future__ import annotations

import os

import pytest

from venus_toolkit.execution.sandbox.cores import part_of, usable_cores
from venus_toolkit.training.reward.grpo_reward import options_of_process
from venus_toolkit.training.reward.rewards import RewardOptions
from venus_toolkit.training.trainer import fit


@pytest.fixture
def affinities(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Records the affinities that the process sets, on a simulated machine with eight cores."""
    affinities: list[list[int]] = []
    monkeypatch.setattr(
        os, "sched_getaffinity", lambda _: set(affinities[-1] if affinities else range(8))
    )
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: affinities.append(list(cores)))
    monkeypatch.setattr(fit, "_kept_to_own_cores", False)
    return affinities


@pytest.mark.parametrize(
    ("rank", "count", "cores"),
    [("1", "2", [[4, 5, 6, 7]]), ("2", "3", [[5, 6, 7]]), ("0", "1", []), ("3", "9", [])],
)
def test_processes_divide_the_cores(
    rank: str,
    count: str,
    cores: list[list[int]],
    affinities: list[list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCAL_RANK", rank)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", count)
    fit.keep_to_own_cores()
    assert affinities == cores


def test_cores_are_divided_only_once(
    affinities: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each method of a chain asks for the division; the reward may be opened before or after it."""
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "3")

    def of_reward() -> list[int]:
        part = options_of_process(RewardOptions()).part
        return part_of(usable_cores(), *part)

    before = of_reward()
    fit.keep_to_own_cores()
    fit.keep_to_own_cores()
    assert (affinities, before, of_reward()) == ([[2, 3, 4]], [2, 3, 4], [2, 3, 4])


def test_each_of_eight_ranks_has_eight_of_64_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reward is opened before the training, and must not divide the cores a second time."""
    restricted: list[list[int]] = []
    monkeypatch.setattr(
        os, "sched_getaffinity", lambda _: set(restricted[-1] if restricted else range(64))
    )
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: restricted.append(list(cores)))
    monkeypatch.setattr(fit, "_kept_to_own_cores", False)
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    part = options_of_process(RewardOptions()).part
    fit.keep_to_own_cores()
    assert part_of(usable_cores(), *part) == list(range(24, 32))
    assert restricted == [list(range(24, 32))]


def test_only_rank_0_is_main(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert (fit.is_main(), fit.devices()) == (True, 1)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert (fit.is_main(), fit.devices()) == (False, 2)


def test_nan_figures_become_none() -> None:
    assert fit.known_figures({"reward": float("nan"), "loss": 1.5, "step": 3}) == {
        "reward": None,
        "loss": 1.5,
        "step": 3,
    }
