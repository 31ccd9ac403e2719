"""`venus eval --iterations N`.

An evaluation whose programs are improved, with a row for each iteration.

A row says what the best program after an iteration is worth on the private tests; its columns are
those of any evaluation. Beside them stands what the loop saw on the public tests, and what it
decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import to_plain
from venus_toolkit.eval.asking.generate import Model, ModelCaller
from venus_toolkit.eval.asking.tasks import TaskKey
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import Evaluation, ScoredRows
from venus_toolkit.eval.loop.analysis import analyse
from venus_toolkit.eval.loop.iterative_loop import FALSE_ALARMS, SPECTRUM, LoopOptions
from venus_toolkit.eval.loop.trajectories import (
    STEPS,
    OpenTask,
    TrajectoryRunner,
    start_percent,
    states,
)
from venus_toolkit.eval.scoring.results import FIGURES, LOOP, SCHEMA, answer_cells, result_rows
from venus_toolkit.eval.scoring.score import SampleOutcome, Scored, TaskScorer
from venus_toolkit.eval.scoring.summary import compare_results, score_group, summarise_results
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.models.prompts import OBJECTIVES


@dataclass(frozen=True)
class Iterated(Evaluation):
    """An evaluation with a loop."""

    schema: ClassVar[pa.Schema] = pa.schema(
        {**dict(zip(SCHEMA.names, SCHEMA.types, strict=True)), **LOOP}
    )
    # The inherited fields before it have defaults, so it needs one.
    loop: LoopOptions = field(default_factory=lambda: LoopOptions(1))

    def __post_init__(self) -> None:
        """Refuse a spectrum of starts of which a task has only some, and a rank that no loop has.

        Raises:
            UsageError: One of both.
        """
        self.loop.check_rank(self.options.rank)
        if self.loop.start == SPECTRUM and self.options.samples % STEPS:
            reason = f"each of {STEPS} starts has a sample of its own, got {self.options.samples}"
            raise UsageError(
                "the spectrum of starts is incomplete", reason, f"type: --samples {STEPS}"
            )

    @property
    def answers_of_sample(self) -> int:
        """How many answers are asked for one row of an evaluation without a loop."""
        return self.loop.iterations + 1

    def identity(self) -> dict[str, Any]:
        """Return what a folder cannot have two of; more iterations may be asked for later."""
        return {
            **super().identity(),
            "mode": self.loop.mode,
            "start": self.loop.start,
            **self.loop.told,
        }

    def scores(self, table: pa.Table) -> dict[str, Any]:
        """Return the scores of the last iteration, those of each, and how the last differs from the start."""
        last = of_iteration(table, self.loop.iterations)
        return {
            "loop": to_plain(self.loop),
            "false_alarms": FALSE_ALARMS,
            "scores": summarise_results(last, self.options.seed, self.options.intervals),
            "iterations": summarise_iterations(table, self.options.seed),
            "gained": gained(of_iteration(table, 0), last, self.options.seed),
            "analysis": analyse(self.loop.analysis, table.to_pylist(), self.options.seed),
        }

    def ask_in_batches(self, model: Model, keys: Sequence[TaskKey], executor: Executor) -> None:
        """Refuse: the questions of an iteration depend on the answers of the one before.

        Raises:
            UsageError: Always.
        """
        reason = "the prompts of an iteration depend on the answers of the previous one"
        raise UsageError("--batch does not go with --iterations", reason, "leave out one of them")

    def evaluated(
        self, scorer: TaskScorer, caller: ModelCaller, keys: Sequence[TaskKey]
    ) -> Generator[ScoredRows, None, None]:
        """Yield each task with a row for each trajectory and each of its iterations, as it is finished."""
        finished = TrajectoryRunner(scorer, caller, self.loop).results(keys)
        for number, (task, scored, place_of) in enumerate(finished, 1):
            yield scored, list(iteration_rows(task, scored, place_of, self.options, self.loop))
            self.progress("tasks", number, len(keys))


def iteration_rows(
    task: OpenTask,
    scored: Scored,
    place_of: Mapping[tuple[int, int], int],
    options: EvalOptions,
    loop: LoopOptions,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each trajectory of a task and each of its iterations.

    It has what was answered, what the loop saw on the public tests, and what it decided. The best
    program after an iteration is not always from its answer: `place_of` says which sample of
    `scored` that program is.
    """
    rows = list(result_rows(scored, options))
    public, private, origin = task.tests
    counts = {"public_tests": len(public), "private_tests": len(private), "private_from": origin}
    for trajectory in task.trajectories:
        for turn in states(trajectory):
            total = turn.measured.total if turn.measured else None
            figures = {
                f"public_{name}": getattr(total, name) if total else None for name in FIGURES
            }
            # It outgrows 64-bit integers, so its column is float64.
            if total and total.integral_byte_ns is not None:
                figures["public_integral_byte_ns"] = float(total.integral_byte_ns)
            known = str(turn.decision) not in (SampleOutcome.UNANSWERED, SampleOutcome.UNJUDGED)
            yield {
                **rows[place_of[trajectory.sample, turn.number]],
                "sample": trajectory.sample,
                "mode": loop.mode,
                "start": loop.start,
                "start_percent": start_percent(loop.start, trajectory.sample)
                if loop.start == SPECTRUM
                else None,
                **counts,
                **answer_cells(turn.completion, options),
                "iteration": turn.number,
                "decision": str(turn.decision),
                "decision_reason": turn.reason or None,
                "candidate": turn.candidate,
                "candidate_verdict": str(turn.judged.verdict) if turn.judged else None,
                "gain": turn.gain,
                "public_passed": turn.passed if known else None,
                **figures,
            }


def of_iteration(table: pa.Table, number: int) -> pa.Table:
    """Return the rows of one iteration."""
    return table.filter(pc.equal(table["iteration"], number))


def summarise_iterations(table: pa.Table, seed: int = 0) -> list[dict[str, Any]]:
    """Return for each iteration what the private tests say of all programs, and what became of its answers."""
    summaries = []
    for number in sorted(set(table["iteration"].to_pylist())):
        rows = of_iteration(table, number).to_pylist()
        seen = [row["public_passed"] for row in rows if row["public_passed"] is not None]
        summaries.append(
            {
                "iteration": number,
                "public_passed": sum(seen) / len(seen) if seen else None,
                "decisions": dict(Counter(row["decision"] for row in rows)),
                "private": score_group("iteration", str(number), rows, seed=seed),
            }
        )
    return summaries


def gained(first: pa.Table, last: pa.Table, seed: int = 0) -> Mapping[str, Any]:
    """Return how much better the last iteration is than the start, on the same tasks, with intervals and p-values."""
    gains: dict[str, Any] = {}
    for column in ("passed", *(f"percentile_{objective}_repeats" for objective in OBJECTIVES)):
        name = column.removesuffix("_repeats")
        try:
            compared = compare_results(last, first, column, seed)
        except ValueError:  # nothing is known of any task
            gains[name] = None
            continue
        difference = list(compared.difference[:3])
        gains[name] = {
            "difference": difference,
            "p_value": compared.p_value,
            "problems": compared.tasks,
        }
    return gains
