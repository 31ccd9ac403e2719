"""`venus eval --iterations N`: an evaluation with the iterative loop, with a row per iteration.

A row scores the best program after an iteration on the private tests, in the columns of any
evaluation. Further columns hold the loop's results on the public tests and its decision.
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
from venus_toolkit.eval.scoring.score import SampleOutcome, TaskScorer, TaskScores
from venus_toolkit.eval.scoring.summary import compare_results, score_group, summarise_results
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.models.prompts import OBJECTIVES


@dataclass(frozen=True)
class IterativeEvaluation(Evaluation):
    """An evaluation with the iterative loop."""

    schema: ClassVar[pa.Schema] = pa.schema(
        {**dict(zip(SCHEMA.names, SCHEMA.types, strict=True)), **LOOP}
    )
    # Inherited fields have defaults, so this field needs one.
    loop: LoopOptions = field(default_factory=lambda: LoopOptions(1))

    def __post_init__(self) -> None:
        """Reject an incomplete spectrum of starts, and a rank that the loop does not support.

        Raises:
            UsageError: The loop options do not fit the evaluation.
        """
        self.loop.check_rank(self.options.rank)
        if self.loop.start == SPECTRUM and self.options.samples % STEPS:
            reason = f"each of {STEPS} starts needs its own sample, got {self.options.samples}"
            raise UsageError(
                "the spectrum of starts is incomplete", reason, f"type: --samples {STEPS}"
            )

    @property
    def answers_of_sample(self) -> int:
        """The number of answers that one sample needs: one per iteration and the start."""
        return self.loop.iterations + 1

    def identity(self) -> dict[str, Any]:
        """Return the identity of the run; a resumed run may have more iterations."""
        return {
            **super().identity(),
            "mode": self.loop.mode,
            "start": self.loop.start,
            **self.loop.feedback_identity,
        }

    def scores(self, table: pa.Table) -> dict[str, Any]:
        """Return the scores of the last and of each iteration, and the gain over the start."""
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
        """Reject `--batch`, because each iteration depends on the answers of the previous one.

        Raises:
            UsageError: Always.
        """
        reason = "the prompts of an iteration depend on the answers of the previous one"
        raise UsageError(
            "--batch cannot be combined with --iterations", reason, "leave out one of them"
        )

    def scored_tasks(
        self, scorer: TaskScorer, caller: ModelCaller, keys: Sequence[TaskKey]
    ) -> Generator[ScoredRows, None, None]:
        """Yield each finished task with a row for each iteration of its trajectories."""
        results = TrajectoryRunner(scorer, caller, self.loop).results(keys)
        for number, (task, scored, place_of) in enumerate(results, 1):
            yield scored, list(iteration_rows(task, scored, place_of, self.options, self.loop))
            self.progress("tasks", number, len(keys))


def iteration_rows(
    task: OpenTask,
    scored: TaskScores,
    place_of: Mapping[tuple[int, int], int],
    options: EvalOptions,
    loop: LoopOptions,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each iteration of each trajectory of a task.

    It holds the answer, the results on the public tests, and the decision. The best program after
    an iteration may come from an earlier answer: `place_of` maps (trajectory, iteration) to the
    index of its sample in `scored`.
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
            # Byte-nanoseconds overflow 64-bit integers, so the column is float64.
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
    """Return the private scores of each iteration, and counts of its decisions."""
    summaries = []
    for number in sorted(set(table["iteration"].to_pylist())):
        rows = of_iteration(table, number).to_pylist()
        passed = [row["public_passed"] for row in rows if row["public_passed"] is not None]
        summaries.append(
            {
                "iteration": number,
                "public_passed": sum(passed) / len(passed) if passed else None,
                "decisions": dict(Counter(row["decision"] for row in rows)),
                "private": score_group("iteration", str(number), rows, seed=seed),
            }
        )
    return summaries


def gained(first: pa.Table, last: pa.Table, seed: int = 0) -> Mapping[str, Any]:
    """Return the gain of the last iteration over the start, with intervals and p-values."""
    gains: dict[str, Any] = {}
    for column in ("passed", *(f"percentile_{objective}_repeats" for objective in OBJECTIVES)):
        name = column.removesuffix("_repeats")
        try:
            comparison = compare_results(last, first, column, seed)
        except ValueError:  # no task has a value
            gains[name] = None
            continue
        gains[name] = {
            "difference": list(comparison.difference[:3]),
            "p_value": comparison.p_value,
            "problems": comparison.tasks,
        }
    return gains
