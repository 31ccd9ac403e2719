"""Made-up findings of a reproduction."""

from __future__ import annotations

from typing import Any

from examples.reproduce.findings import Findings, curves, rise, slopes
from examples.reproduce.preset import read_preset
from examples.reproduce.stages import ARMS


def manifest(*passed: float, beyond: float | None = 0.5) -> dict[str, Any]:
    """Return the iterations in the manifest of an evaluation."""
    interval = None if beyond is None else [beyond, 0.0, 1.0, 0.95, 4]
    efficiency = {name: {"beyond": interval} for name in ("time", "memory", "integral")}
    steps = [
        {"pass_at_1": [share, 0.0, 1.0, 0.95, 4], "efficiency": efficiency} for share in passed
    ]
    return {"iterations": [{"iteration": n, "private": step} for n, step in enumerate(steps)]}


def rows(*percentiles: float | None, tasks: int = 4) -> list[dict[str, Any]]:
    """Return rows of results.parquet, by problem and iteration; None is a failing program."""
    return [
        {
            "task": f"t{task}",
            "iteration": n,
            "passed": percentile is not None,
            "percentile_time": percentile,
        }
        for task in range(tasks)
        for n, percentile in enumerate(percentiles)
    ]


def log(*rewards: float | None) -> list[dict[str, Any]]:
    return [{"reward": value} for value in rewards]


def findings(seeds: int = 3, gain: float = 0.1) -> Findings:
    """Return findings in which every arm improves; the reward of seed s rises by (1 + s / 10) * gain."""
    manifests = {arm: [manifest(0.5, 0.6 + seed / 100) for seed in range(seeds)] for arm in ARMS}
    logs = [log(*(part * gain * (1 + seed / 10) for part in range(8))) for seed in range(seeds)]
    reward_rise, finer = rise(logs), rise(logs, parts=8)
    assert reward_rise
    assert finer
    return Findings(
        preset=read_preset("seconds", seeds=seeds),
        problems={"train": 2, "test": 6},
        rows=dict.fromkeys(ARMS, 4),
        parameters=1000,
        curves=curves(manifests),
        slopes=slopes({arm: [rows(0.5, 0.6)] * seeds for arm in ARMS}),
        rises={"reward": reward_rise},
        reward=finer.parts,
        tasks=6,
        seconds=dict.fromkeys(ARMS, 1.0),
        machine="a machine",
    )
