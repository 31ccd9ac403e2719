"""Tries training recipes on a miniature and prints a line of JSON for each.

python -m examples.reproduce --preset tiny --out build/reproduce
python -m bench.advantages build/reproduce [--seeds 2]
python -m bench.advantages build/search --preset pretrained-cpu --rates --seed 1000

By default the recipes combine two ways to scale advantages in GRPO with three figures of time. With
``--rates``, every method is trained with the learning rate of its recipe, with a third of it, and
with three times it, so that the search is the same for all methods. A seed different from that of the reproduction
draws other problems, so that choices are not made on published results.

Each recipe starts from the same model as its method in that reproduction, and its own model is
evaluated like the arms there: with the loop, by instructions. `reward`, `passed` and `efficiency`
are means over the first and the last quarter of the training; `pass_at_1` and `beyond_time` are
means over the seeds at the start and the end of the evaluation. Rewards by different figures are
not comparable; the evaluations are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from examples.reproduce.findings import REWARDS, curves, rise
from examples.reproduce.preset import Preset, read_preset
from examples.reproduce.stages import ARMS, BASE, Arm, Reproduction
from venus_toolkit.core.store import read_manifest
from venus_toolkit.training.recipe import COLD_START, GRPO, METHODS

SHOWN = {"passed": "pass_at_1", "time": "beyond_time"}


def recipes() -> dict[str, Arm]:
    """Return an arm for each recipe, by its name."""
    reward = {"fresh": 0, "repeats": 2, "final_efficiency": 0.5}
    return {
        f"{scale}-{figure}": Arm(
            GRPO, COLD_START, {"scale_rewards": scale, "reward": {**reward, "figure": figure}}
        )
        for scale, figure in product(("group", "batch"), ("wall", "cpu", "instructions"))
    }


def rates(preset: Preset) -> dict[str, Arm]:
    """Return an arm for each method and learning rate, by its name."""
    usual = {name: recipe.trl["learning_rate"] for name, recipe in preset.recipes(0).items()}
    return {
        f"{method}-{rate:g}": ARMS[method]._replace(changes={"learning_rate": rate})
        for method in METHODS
        for rate in (round(usual[method] * factor, 12) for factor in (1 / 3, 1, 3))
    }


def ancestors(arm: Arm) -> dict[str, Arm]:
    """Return the arms that an arm's training builds on, in the order of training."""
    if arm.after == BASE:
        return {}
    before = ARMS[arm.after]
    return {**ancestors(before), arm.after: before}


def tried(
    folder: Path, preset: Preset, arms: Mapping[str, Arm] | None = None
) -> Iterator[dict[str, Any]]:
    """Train and evaluate each recipe, by default those of `recipes`; yield the figures."""
    seeds = preset.seeds
    for name, arm in (arms or recipes()).items():
        reproduction = Reproduction(preset, folder, arms={**ancestors(arm), name: arm})
        models = reproduction.run()[name]
        logs = [trained.log for trained in models]
        manifests = [
            read_manifest(reproduction.evaluation(name, seed)) or {} for seed in range(seeds)
        ]
        figures: dict[str, Any] = {
            "recipe": name,
            "seconds": round(sum(trained.seconds for trained in models) / seeds),
        }
        for key, column in REWARDS.items():
            if moved := rise(logs, column):
                figures[key] = [round(part.mean, 3) for part in (moved.parts[0], moved.parts[-1])]
        for curve in curves({name: manifests}):
            if curve.metric in SHOWN:
                figures[SHOWN[curve.metric]] = [
                    point and round(point.mean, 3) for point in (curve.points[0], curve.points[-1])
                ]
        yield figures


def main() -> None:
    """Print a line for each recipe."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seed", type=int, help="seed of the problems and all choices")
    parser.add_argument("--rates", action="store_true", help="try learning rates of all methods")
    asked = parser.parse_args()
    preset = read_preset(asked.preset, seeds=asked.seeds, seed=asked.seed)
    for figures in tried(asked.folder, preset, rates(preset) if asked.rates else None):
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
