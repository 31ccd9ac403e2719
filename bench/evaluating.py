"""Overhead of an evaluation compared with judging and measuring the same programs directly.

Completions are replayed, so all of them are available at once. The overhead is the time to read
tasks, keep the journal, wait for the last program of a part, and compute rows and scores.
"""

from __future__ import annotations

import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.eval.conftest import (
    FAST,
    MIDDLE,
    SLOW,
    Posed,
    write_small_completions,
    write_small_release,
)
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.tasks import EvaluationTask, list_tasks, load
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.execution.engine.work import Measuring
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

ANSWERS = (FAST, MIDDLE, SLOW, MIDDLE.replace("sum", " sum"))


class Throughput(NamedTuple):
    """Median seconds for the programs alone and for the evaluation, and the programs' share."""

    programs: int
    direct_s: float
    evaluation_s: float
    share: float


def throughput(folder: Path, tasks: int, rounds: int) -> Throughput:
    """Measure both, interleaved."""
    release = write_small_release(folder / "data", [Posed(f"p{number}") for number in range(tasks)])
    replay = write_small_completions(
        folder / "c.jsonl", {f"p{number}": ANSWERS for number in range(tasks)}
    )
    options = EvalOptions(
        f"replay:{replay}",
        "data",
        ("python",),
        samples=len(ANSWERS),
        measure=MeasureOptions(repeats=2),
    )
    direct, evaluation = list[float](), list[float]()
    for number in range(rounds):
        direct.append(_time_directly(release, options, folder / f"direct-{number}"))
        evaluation.append(_time_evaluation(release, options, folder / f"whole-{number}"))
    medians = statistics.median(direct), statistics.median(evaluation)
    return Throughput(
        tasks * len(ANSWERS),
        *medians,
        statistics.median(a / b for a, b in zip(direct, evaluation, strict=True)),
    )


def _time_directly(release: Release, options: EvalOptions, out: Path) -> float:
    python = load_languages()["python"]
    tasks = [load(head) for head in list_tasks(release, [python], "test")]
    start = time.monotonic()
    with closing(Store(out)) as store, open_sandbox("auto", [python]) as sandbox:
        executor = options.open_executor(sandbox, [python], store)
        todo = [(task, task.program(code)) for task in tasks for code in ANSWERS]
        list(
            executor.judging(
                lambda item, worker: executor.judge(worker, item[0].suite, item[1]), todo
            )
        )

        def programs(task: EvaluationTask) -> list[Program]:
            return [
                task.program(code)
                for code in (*ANSWERS, *(reference.code for reference in task.references))
            ]

        how = Measuring(options.measure)
        list(
            executor.measuring(
                lambda task, worker: executor.measure(worker, task.suite, programs(task), how),
                tasks,
            )
        )
    return time.monotonic() - start


def _time_evaluation(release: Release, options: EvalOptions, out: Path) -> float:
    start = time.monotonic()
    Evaluation(options, release, out, load_languages(), cache=out / "cache").run()
    return time.monotonic() - start
