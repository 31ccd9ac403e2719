"""All that the page of a reproduction says, as one record, and as plain values for other programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.release import open_release
from venus_toolkit.reproduce.curves import Curve, Estimate, Rise, curves, rise
from venus_toolkit.reproduce.preset import Preset
from venus_toolkit.reproduce.problems import shapes
from venus_toolkit.reproduce.stages import BASE, LANGUAGE, Reproduction, manifests
from venus_toolkit.training.recipe import COLD_START, GRPO
from venus_toolkit.training.scratch import read_base
from venus_toolkit.training.train import Trained

PARTS = {"reward": "reward", "passed": "reward/passed", "efficiency": "reward/efficiency", "form": "reward/form"}
CHART_PARTS = 8


class Facts(NamedTuple):
    """What a reproduction found.

    Attributes:
        preset: How large it was.
        problems: By split.
        rows: Of each derived set, by method.
        parameters: Of the model.
        curves: By metric and arm.
        rises: Of GRPO's reward and its parts, by their names; what is too short to tell is left out.
        reward: GRPO's mean reward in more and shorter parts of the training, for a chart.
        tasks: That were evaluated.
        seconds: Of each stage that trained, over all seeds.
        machine: What it ran on.
    """

    preset: Preset
    problems: Mapping[str, int]
    rows: Mapping[str, int]
    parameters: int
    curves: Sequence[Curve]
    rises: Mapping[str, Rise]
    reward: Sequence[Estimate]
    tasks: int
    seconds: Mapping[str, float]
    machine: str

    @property
    def shapes(self) -> tuple[str, ...]:
        """The shapes of programs."""
        return tuple(shapes())

    @property
    def rises_surely(self) -> bool:
        """Whether the mean reward of GRPO rose by more than its interval."""
        return "reward" in self.rises and self.rises["reward"].gained.is_above_zero


def find_facts(reproduction: Reproduction, made: Mapping[str, Sequence[Trained]]) -> Facts:
    """Return what a finished reproduction found.

    Args:
        reproduction: Which.
        made: Its models of each arm, by seed.

    Raises:
        UsageError: An evaluation is missing.
    """
    told = manifests(reproduction)
    release = open_release(reproduction.release)
    logs = [trained.log for trained in made[GRPO]]
    rises = {name: found for name, key in PARTS.items() if (found := rise(logs, key))}
    return Facts(
        preset=reproduction.preset,
        problems={split: release.rows(LANGUAGE, split) for split in release.splits(LANGUAGE)},
        rows={arm: trained[0].rows for arm, trained in made.items()},
        parameters=int(read_base(reproduction.model(BASE, 0))["parameters"]),
        curves=curves(told),
        rises=rises,
        reward=finer.parts if (finer := rise(logs, parts=CHART_PARTS)) else (),
        tasks=int(told[COLD_START][0]["scores"][0]["tasks"]),
        seconds={arm: sum(each.seconds for each in trained) for arm, trained in made.items()},
        machine=f"{made[GRPO][0].facts['environment']['device']}, {len(os.sched_getaffinity(0))} cores",
    )


def plain(facts: Facts) -> dict[str, Any]:
    """Return facts as plain values."""
    return {
        "preset": facts.preset.plain(),
        "problems": dict(facts.problems),
        "rows": dict(facts.rows),
        "parameters": facts.parameters,
        "tasks": facts.tasks,
        "curves": [
            {"arm": each.arm, "metric": each.metric, "points": [p and p._asdict() for p in each.points]}
            for each in facts.curves
        ],
        "rises": {
            name: {"parts": [part._asdict() for part in each.parts], "gained": each.gained._asdict()}
            for name, each in facts.rises.items()
        },
        "rises_surely": facts.rises_surely,
        "seconds": dict(facts.seconds),
        "machine": facts.machine,
    }
