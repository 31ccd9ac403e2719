"""`venus eval --iterations N`: an evaluation whose programs are bettered, with a row for each iteration.

A row says what the best program after an iteration is worth on the private tests; its columns are those of any
evaluation. Beside them stands what the loop saw on the public tests, and what it decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from venus_toolkit.eval.acceptance import false_alarms
from venus_toolkit.eval.generate import Model
from venus_toolkit.eval.iterate import Finished, Iterating, states
from venus_toolkit.eval.metrics import OBJECTIVES
from venus_toolkit.eval.optimise import LoopOptions, Turn
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.references import Cache, default_cache
from venus_toolkit.eval.results import (
    FIGURES,
    REFERENCE_SCHEMA,
    REFERENCES,
    RESULTS,
    SCHEMA,
    Writer,
    reference_rows,
    result_rows,
)
from venus_toolkit.eval.run import Evaluation, InOrder
from venus_toolkit.eval.score import Outcome
from venus_toolkit.eval.summary import compare_results, score_group, summarise_results
from venus_toolkit.eval.tasks import Head
from venus_toolkit.eval.workplace import Workplace
from venus_toolkit.records import to_plain

PUBLIC = [(f"public_{name}", kind) for name, kind in FIGURES]
LOOP = [
    ("iteration", pa.int64()),
    ("mode", pa.string()),
    ("start", pa.string()),
    ("decision", pa.string()),
    ("decision_reason", pa.string()),
    ("candidate", pa.string()),
    ("candidate_verdict", pa.string()),
    ("gain", pa.float64()),
    ("public_passed", pa.bool_()),
    *PUBLIC,
    ("public_tests", pa.int64()),
    ("private_tests", pa.int64()),
    ("private_from", pa.string()),
]
ITERATED = pa.schema([*SCHEMA, *LOOP])
REPLICATES = 500


@dataclass(frozen=True, slots=True)
class Iterated(Evaluation):
    """An evaluation with a loop.

    Args:
        loop: How it runs.
    """

    loop: LoopOptions = field(default_factory=lambda: LoopOptions(1))

    def identity(self) -> dict[str, Any]:
        """Return what a folder cannot have two of; more iterations may be asked for later."""
        return {**Evaluation.identity(self), "mode": self.loop.mode, "start": self.loop.start}

    def scores(self, table: pa.Table) -> dict[str, Any]:
        """Return the scores of the last iteration, those of each, and how the last differs from the start."""
        last = of_iteration(table, self.loop.iterations)
        return {
            "loop": to_plain(self.loop),
            "false_alarms": false_alarms(self.options.measure.repeats),
            "scores": summarise_results(last, self.options.seed),
            "iterations": summarise_iterations(table, self.options.seed),
            "gained": gained(of_iteration(table, 0), last, self.options.seed),
        }

    def _run(self, place: Workplace, model: Model, heads: Sequence[Head]) -> dict[str, Any]:
        store, asked = place.store, len(heads) * self.options.samples * (self.loop.iterations + 1)
        cache, unranked, missing = Cache(self.cache or default_cache(), place), dict[str, str](), Counter[str]()
        iterating = Iterating(place, model, self.loop, cache, lambda count: self.progress("answers", count, asked))
        in_order = InOrder[Finished]([head.name for head in heads], lambda found: found.scored.task.name)
        finished = 0
        with (
            store.writing(RESULTS) as results,
            store.writing(REFERENCES) as references,
            closing(Writer(results, ITERATED)) as rows,
            closing(Writer(references, REFERENCE_SCHEMA)) as humans,
        ):
            for number, found in enumerate(in_order.those_next(iterating.results(heads)), 1):
                made = list(iteration_rows(found, self.options, self.loop))
                rows.write(made)
                humans.write(reference_rows(found.scored))
                missing.update(f"{row['outcome']}: {row['reason']}" for row in made if row["passed"] is None)
                unranked |= {found.scored.task.name: found.scored.unranked} if found.scored.unranked else {}
                finished = number
                self.progress("tasks", finished, len(heads))
        begun = {"tasks that were not begun": len(heads) - finished} if finished < len(heads) else {}
        facts = {"missing": {**begun, **missing}, "unranked": unranked, "given_up": iterating.given_up}
        return self._finish(place, model, facts)


# ------------------------------------------------------------------ rows


def iteration_rows(found: Finished, options: EvalOptions, loop: LoopOptions) -> Iterator[dict[str, Any]]:
    """Yield a row for each trajectory of a task and each of its iterations."""
    rows = list(result_rows(found.scored, options))
    tests = found.course.tests
    counts = {"public_tests": len(tests.public), "private_tests": len(tests.private), "private_from": tests.origin}
    for trajectory in found.course.trajectories:
        for turn in states(trajectory):
            row = rows[found.place_of[trajectory.sample, turn.number]]
            own = {"sample": trajectory.sample, "mode": loop.mode, "start": loop.start, **counts}
            yield {**row, **own, **_said(turn, options), **_seen(turn)}


def _said(turn: Turn, options: EvalOptions) -> dict[str, Any]:
    """Return what was answered in this iteration, which is not always where the best program comes from."""
    said = turn.completion
    return {
        "answer": said.text if said else None,
        "prompt_tokens": said.prompt_tokens if said else None,
        "completion_tokens": said.completion_tokens if said else None,
        "cost": options.prices.cost(said.prompt_tokens, said.completion_tokens) if said else None,
        "cached": said.cached if said else None,
    }


def _seen(turn: Turn) -> dict[str, Any]:
    total = turn.measured.total if turn.measured else None
    figures = {f"public_{name}": getattr(total, name) if total else None for name, _ in FIGURES}
    if total and total.integral_byte_ns is not None:
        figures["public_integral_byte_ns"] = float(total.integral_byte_ns)
    known = str(turn.decision) not in (Outcome.UNANSWERED, Outcome.UNJUDGED)
    return {
        "iteration": turn.number,
        "decision": str(turn.decision),
        "decision_reason": turn.reason or None,
        "candidate": turn.candidate,
        "candidate_verdict": str(turn.judged.verdict) if turn.judged else None,
        "gain": turn.gain,
        "public_passed": turn.passed if known else None,
        **figures,
    }


# ------------------------------------------------------------------ scores


def of_iteration(table: pa.Table, number: int) -> pa.Table:
    """Return the rows of one iteration."""
    return table.filter(pc.equal(table["iteration"], number))


def summarise_iterations(table: pa.Table, seed: int = 0) -> list[dict[str, Any]]:
    """Return for each iteration what the private tests say of all programs, and what became of its answers."""
    found = []
    for number in sorted(set(table["iteration"].to_pylist())):
        rows = of_iteration(table, number).to_pylist()
        seen = [row["public_passed"] for row in rows if row["public_passed"] is not None]
        found.append(
            {
                "iteration": number,
                "public_passed": sum(seen) / len(seen) if seen else None,
                "decisions": dict(Counter(row["decision"] for row in rows)),
                "private": score_group("iteration", str(number), rows, REPLICATES, seed),
            }
        )
    return found


def gained(first: pa.Table, last: pa.Table, seed: int = 0) -> Mapping[str, Any]:
    """Return how much better the last iteration is than the start, on the same tasks, with intervals and p-values."""
    columns = ["passed", *(f"percentile_{objective}_repeats" for objective in OBJECTIVES)]
    return {column.removesuffix("_repeats"): _gained(first, last, column, seed) for column in columns}


def _gained(first: pa.Table, last: pa.Table, column: str, seed: int) -> dict[str, Any] | None:
    try:
        found = compare_results(last, first, column, seed)
    except ValueError:  # nothing is known of any task
        return None
    return {"difference": list(found.difference[:3]), "p_value": found.p_value, "problems": found.tasks}
