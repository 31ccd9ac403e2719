"""Run folders for the tests of reports, with the real columns and invented figures from a seed.

`python -m tests.eval.report_runs FOLDER` writes three of them, so that you can look at their report.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit import __version__
from venus_toolkit.core.store import MANIFEST, checksum
from venus_toolkit.eval.scoring.metrics import mercury_beyond
from venus_toolkit.eval.scoring.results import REFERENCE_SCHEMA, REFERENCES, RESULTS, SAVED, SCHEMA
from venus_toolkit.execution.measuring.ranking import STRICT, exact, percentile_ranks, places
from venus_toolkit.models.prompts import OBJECTIVES

MS, MIB = 1_000_000, 1 << 20
FIGURES = {"time": "relative_time", "memory": "peak_bytes", "integral": "integral_byte_ns"}
CODE = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
BETTER = "n = int(input())\nprint(n * (n + 1) // 2)\n"

LOOP = [
    pa.field("iteration", pa.int64()),
    *(pa.field(name, pa.string()) for name in ("mode", "start", "decision")),
]

Row = dict[str, Any]


@dataclass(frozen=True)
class RunSpec:
    """A run to write.

    `speed` above 1 is faster than the humans; `failing` is the share of failing samples.
    """

    model: str = "model-a"
    tasks: Sequence[str] = tuple(f"problem-{n:02}" for n in range(12))
    languages: Sequence[str] = ("python",)
    samples: int = 3
    iterations: int = 0
    speed: float = 1.0
    failing: float = 0.2
    humans: int = 9
    code: str = CODE
    seed: int = 1
    cells: Row = field(default_factory=dict)
    manifest: Row = field(default_factory=dict)


def figures(cost: float, memory: float) -> Row:
    """Return the figures of a program that took `cost` milliseconds and `memory` MiB."""
    times, sizes = int(cost * MS), int(memory * MIB)
    values = {"wall_ns": times, "cpu_ns": times, "peak_bytes": sizes, "relative_time": cost}
    values |= {"integral_byte_ns": float(times * sizes)}
    return {
        **values,
        "repeats": 2,
        "noise": [],
        **{f"{name}_repeats": [value] * 2 for name, value in values.items()},
    }


def head_of(title: str, number: int, language: str) -> Row:
    """Return the cells that identify a task."""
    difficulty, tags = (
        ("Easy", "Medium", "Hard")[number % 3],
        [("math", "graph", "strings")[number % 3]],
    )
    about = {
        "task": f"{language}/{title}",
        "problem_id": number,
        "title": title,
        "language": language,
    }
    return {**about, "difficulty": difficulty, "tags": tags}


def ranks_of(measured: Row | None, humans: Sequence[Row]) -> Row:
    """Return the ranks of a program; `measured` is None if it failed."""
    cells: Row = {}
    for objective in OBJECTIVES:
        of_humans = [human[FIGURES[objective]] for human in humans]
        figure = [measured[FIGURES[objective]] if measured else float("nan")]
        rank = float(percentile_ranks(exact(figure), exact(of_humans), rule=STRICT)[0])
        cells |= {
            f"percentile_{objective}": rank,
            f"percentile_{objective}_repeats": [rank] * (2 if measured else 1),
        }
        cells |= {f"mercury_beyond_{objective}": float(mercury_beyond(figure, of_humans)[0])}
        cells |= {f"place_{objective}": str(places(exact(figure), exact(of_humans), STRICT)[0])}
        cells |= {f"ratio_to_best_{objective}": min(of_humans) / figure[0] if measured else None}
        cells |= {
            SAVED[objective]: sorted(of_humans)[len(of_humans) // 2] - figure[0]
            if measured
            else None
        }
    return cells


def human_rows(spec: RunSpec) -> Iterator[Row]:
    """Yield rows of references.parquet; they depend only on the titles, so that runs share them."""
    for language in spec.languages:
        for number, title in enumerate(spec.tasks):
            rng = random.Random(f"{title} {language}")
            for human in range(spec.humans):
                about = {
                    name: cell
                    for name, cell in head_of(title, number, language).items()
                    if name != "tags"
                }
                del about["difficulty"]
                code = BETTER if human == 0 else CODE
                cells = {
                    "reference_id": f"{title}/{human}",
                    "references_from": "fresh",
                    "code": code,
                }
                cost = (1 + human) * rng.uniform(2, 3) * (1 + number)
                yield {**about, **cells, **figures(cost, 8 + 4 * rng.random() * human)}


def sample_rows(spec: RunSpec, humans: Sequence[Row]) -> Iterator[Row]:
    """Yield rows of results.parquet."""
    rng = random.Random(f"{spec.model} {spec.seed}")
    of_task: dict[str, list[Row]] = {}
    for human in humans:
        of_task.setdefault(human["task"], []).append(human)
    for language in spec.languages:
        for number, title in enumerate(spec.tasks):
            head = head_of(title, number, language)
            for sample in range(spec.samples):
                passes, cost = (
                    rng.random() >= spec.failing,
                    rng.lognormvariate(1.5, 0.7) * (1 + number) * 3,
                )
                for iteration in range(spec.iterations + 1):
                    cost *= rng.uniform(0.7, 1.0) if iteration else 1 / spec.speed
                    measured = figures(cost, 7 + rng.random() * 12) if passes else None
                    yield _row(
                        spec, head, sample, iteration, measured, of_task.get(head["task"], [])
                    )


def _row(
    spec: RunSpec,
    head: Row,
    sample: int,
    iteration: int,
    measured: Row | None,
    humans: Sequence[Row],
) -> Row:
    outcome = "passed" if measured else "failed"
    verdict = {
        "verdict": "accepted" if measured else "wrong_answer",
        "reason": None if measured else "line 1 differs",
    }
    cells = {
        "sample": sample,
        "model": spec.model,
        "objective": "time",
        "outcome": outcome,
        "passed": bool(measured),
    }
    code = {"code": spec.code + "# faster\n" * iteration if sample else BETTER, "answer": spec.code}
    code |= {"prompt_tokens": 100, "completion_tokens": 50, "iteration": iteration}
    code |= {"mode": "history", "start": "model", "public_passed": True}
    code |= {
        "decision": "accepted" if iteration and sample else "not_better" if iteration else "started"
    }
    ranks = (
        ranks_of(measured, humans)
        if humans
        else {"unranked": "it has 0 of the 2 references that a rank needs"}
    )
    known = {"references": len(humans), "references_from": "fresh" if humans else None}
    return {
        **head,
        **cells,
        **verdict,
        **code,
        **(measured or {"repeats": 0, "noise": []}),
        **ranks,
        **known,
        **spec.cells,
    }


def write_run(folder: Path, spec: RunSpec) -> Path:
    """Write a run folder and return it."""
    folder.mkdir(parents=True)
    humans = list(human_rows(spec))
    schema = pa.schema([*SCHEMA, *LOOP]) if spec.iterations else SCHEMA
    rows = list(sample_rows(spec, humans))
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / RESULTS)
    pq.write_table(pa.Table.from_pylist(humans, schema=REFERENCE_SCHEMA), folder / REFERENCES)
    options = {"model": spec.model, "rank": "relative", "ties": "at_least", "objective": "time"}
    manifest = {
        "kind": "evaluation",
        "toolkit": __version__,
        "partial": False,
        "missing": {},
        "options": options,
    }
    manifest |= {
        "release": {"folder": "build/venus", "files": {"a": "1"}},
        "fingerprint": "4f1d" * 16,
    }
    manifest |= {
        "files": {name: checksum(folder / name) for name in (RESULTS, REFERENCES)},
        **spec.manifest,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


if __name__ == "__main__":
    place = Path(sys.argv[1])
    both = ("python", "cpp")
    write_run(place / "a", RunSpec("tiny-coder-1b", languages=both, iterations=6, speed=0.5))
    write_run(
        place / "b",
        RunSpec("Qwen/Qwen2.5-Coder-3B-Instruct", languages=both, iterations=6, speed=2, seed=2),
    )
    write_run(
        place / "c",
        RunSpec("base", languages=both, speed=0.3, failing=0.6, seed=3, manifest={"partial": True}),
    )
