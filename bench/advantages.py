"""Two ways to divide advantages and three figures of time in GRPO, tried on a miniature.

A line of JSON for each.

python -m examples.reproduce --preset tiny --out build/reproduce
python -m bench.advantages build/reproduce [--seeds 2]

Each of the six recipes trains from the cold start of that reproduction, and its model is evaluated
as the arms there are: with the loop, by instructions. `reward`, `passed` and `efficiency` are means
over the first and the last quarter of the training, `pass_at_1` and `beyond_time` those of the
evaluation at its start and its end, over the seeds. Rewards by different figures are different
things; the evaluations can be compared.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from examples.reproduce.findings import REWARDS, curves, rise
from examples.reproduce.preset import read_preset
from examples.reproduce.stages import ARMS, Arm, Reproduction
from venus_toolkit.core.store import read_manifest
from venus_toolkit.training.recipe import COLD_START, GRPO

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


def tried(folder: Path, preset: str, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield what came of each recipe."""
    for name, arm in recipes().items():
        made = Reproduction(
            read_preset(preset, seeds=seeds), folder, arms={COLD_START: ARMS[COLD_START], name: arm}
        )
        logs = [trained.log for trained in made.run()[name]]
        manifests = [read_manifest(made.evaluation(name, seed)) or {} for seed in range(seeds)]
        found: dict[str, Any] = {
            "recipe": name,
            "seconds": round(sum(log[-1]["seconds"] for log in logs) / seeds),
        }
        for key, column in REWARDS.items():
            if moved := rise(logs, column):
                found[key] = [round(part.mean, 3) for part in (moved.parts[0], moved.parts[-1])]
        for curve in curves({name: manifests}):
            if curve.metric in SHOWN:
                found[SHOWN[curve.metric]] = [
                    point and round(point.mean, 3) for point in (curve.points[0], curve.points[-1])
                ]
        yield found


def main() -> None:
    """Print a line for each recipe."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--seeds", type=int, default=2)
    asked = parser.parse_args()
    for found in tried(asked.folder, asked.preset, asked.seeds):
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
