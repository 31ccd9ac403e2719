"""The results of an evaluation on disk.

results.parquet has a row per sample, references.parquet a row per human solution, and
controls.parquet a row per copy of a human solution. docs/eval.md describes the columns. Names
contain units, ranks and shares are fractions of 1, and unknown values are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.core.records import Verdict, to_plain
from venus_toolkit.dataset.columns import FLAG, FLOOR, INTEGER, MEASUREMENT, REAL, TEXT
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.score import KNOWN, EvalSample, SampleOutcome, TaskScores
from venus_toolkit.execution.measuring.complexity import no_worse
from venus_toolkit.execution.measuring.rounds import Measured, Repeat
from venus_toolkit.models.client import Completion
from venus_toolkit.models.prompts import OBJECTIVES

RESULTS = "results.parquet"
REFERENCES = "references.parquet"
CONTROLS = "controls.parquet"
CURVE = "memory_curve"  # pairs of ns and bytes
# bulky columns that no score needs
LONG = (CURVE, "prompt", "answer", "reasoning", "code", "candidate")
SAVED = {
    "time": "saved_wall_ns",
    "memory": "saved_peak_bytes",
    "integral": "saved_integral_byte_ns",
}

GROWN = {
    "complexity": TEXT, "complexity_exponent": REAL, "complexity_low": REAL, "complexity_high": REAL,
    "complexity_no_worse": FLAG,
}  # fmt: skip
COMPARED = ("ratio_to_median", "dps", "dps_norm")
LATER = (  # columns that evaluations by earlier versions lack
    "prompt", "reasoning", "reasoning_tokens", "answered_by", "answer_changed", "answer_reason", "public_passed",
    *GROWN, CURVE, "joint_time", "joint_se",
    *(f"{name}_{objective}" for name in COMPARED for objective in OBJECTIVES),
)  # fmt: skip

FIGURES = {name: MEASUREMENT[name] for name in Repeat._fields}
MEASURED = {
    **MEASUREMENT, **FLOOR, "instructions": INTEGER, "instructions_se": REAL, "joint_time": REAL, "joint_se": REAL,
    **{f"{name}_repeats": pa.list_(kind) for name, kind in FIGURES.items()},
}  # fmt: skip
TASK = {"task": TEXT, "problem_id": INTEGER, "title": TEXT, "language": TEXT}
ANSWER = (
    "answer", "reasoning", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cost", "cached", "answered_by",
    "answer_changed",
)  # fmt: skip
SCHEMA = pa.schema({
    **TASK, "difficulty": TEXT, "tags": pa.list_(TEXT), "sample": INTEGER, "model": TEXT, "objective": TEXT,
    "outcome": TEXT, "passed": FLAG, "public_passed": FLAG, "verdict": TEXT, "failing_test": TEXT, "reason": TEXT,
    "code": TEXT, "answer_reason": TEXT, "prompt": TEXT, "answer": TEXT, "reasoning": TEXT,
    "prompt_tokens": INTEGER, "completion_tokens": INTEGER, "reasoning_tokens": INTEGER,
    "cost": REAL, "cached": FLAG, "answered_by": TEXT, "answer_changed": TEXT,
    **MEASURED,
    **{
        name: kind
        for objective in OBJECTIVES
        for name, kind in {
            f"percentile_{objective}": REAL,
            f"percentile_{objective}_repeats": pa.list_(REAL),
            f"mercury_beyond_{objective}": REAL,
            f"place_{objective}": TEXT,
            f"ratio_to_best_{objective}": REAL,
            **{f"{name}_{objective}": REAL for name in COMPARED},
            SAVED[objective]: REAL,
        }.items()
    },
    "time_figure": TEXT, "time_objection": TEXT, "tests": INTEGER, "reseeded": INTEGER,
    "references": INTEGER, "references_from": TEXT, "unranked": TEXT, **GROWN, CURVE: pa.list_(pa.list_(INTEGER)),
})  # fmt: skip
LOOP = {  # additional columns of an evaluation with iterations
    "iteration": INTEGER, "mode": TEXT, "start": TEXT, "decision": TEXT, "decision_reason": TEXT, "candidate": TEXT,
    "candidate_verdict": TEXT, "gain": REAL, **{f"public_{name}": kind for name, kind in FIGURES.items()},
    "public_tests": INTEGER, "private_tests": INTEGER, "private_from": TEXT, "start_percent": REAL,
}  # fmt: skip
CONTROL_SCHEMA = pa.schema({
    **TASK, "control": TEXT, "reference_id": TEXT,
    **{f"{name}_{objective}": TEXT for objective in OBJECTIVES for name in ("became", "place")}, **MEASURED,
})  # fmt: skip
REFERENCE_SCHEMA = pa.schema(
    {**TASK, "reference_id": TEXT, "references_from": TEXT, "code": TEXT, **MEASURED}
)


def result_rows(scored: TaskScores, options: EvalOptions) -> Iterator[dict[str, Any]]:
    """Yield the row of each sample of a task."""
    for sample, ranks in zip(scored.samples, scored.ranks, strict=True):
        judgement, growth, best = sample.judgement, sample.complexity, scored.task.best_complexity
        row = {
            **_task_cells(scored),
            "sample": sample.number,
            "model": options.model,
            "objective": options.objective,
            "outcome": str(sample.outcome),
            "passed": sample.outcome == SampleOutcome.PASSED if sample.outcome in KNOWN else None,
            "public_passed": _public_passed(sample),
            "verdict": str(judgement.verdict) if judgement else None,
            "failing_test": judgement.failing_test if judgement else None,
            "reason": sample.reason or None,
            "code": sample.code,
            "answer_reason": sample.answer_reason or None,
            **answer_cells(sample.completion, options),
            **_measured_cells(sample.measured),
            "tests": len(scored.task.tests),
            "references": len(scored.distribution.measured) if scored.distribution else None,
            "references_from": scored.distribution.origin if scored.distribution else None,
            "unranked": scored.unranked or None,
            CURVE: list(sample.curve) or None,
        }
        if growth and best:
            cells = (
                str(growth.growth),
                growth.exponent,
                growth.low,
                growth.high,
                no_worse(growth, best),
            )
            row |= zip(GROWN, cells, strict=True)
        for objective, rank in (ranks or {}).items():
            row[f"percentile_{objective}"] = rank.percentile
            row[f"percentile_{objective}_repeats"] = list(rank.percentile_repeats)
            row[f"mercury_beyond_{objective}"] = rank.mercury_beyond
            row[f"place_{objective}"] = str(rank.place)
            row[f"ratio_to_best_{objective}"] = rank.ratio_to_best
            row[f"ratio_to_median_{objective}"] = rank.ratio_to_median
            row[f"dps_{objective}"], row[f"dps_norm_{objective}"] = rank.dps, rank.dps_norm
            row[SAVED[objective]] = rank.saved
        if ranks:
            row["time_figure"], row["time_objection"] = (
                ranks["time"].figure or None,
                ranks["time"].objection or None,
            )
        yield row


def _public_passed(sample: EvalSample) -> bool | None:
    """Return whether a sample passes the public tests; it may still fail on new inputs."""
    if sample.outcome not in KNOWN:
        return None
    return sample.judged is not None and sample.judged.judgement.verdict == Verdict.ACCEPTED


def answer_cells(completion: Completion | None, options: EvalOptions) -> dict[str, Any]:
    """Return the text and the usage of an answer; the text may be incomplete."""
    if completion is None:
        return dict.fromkeys(ANSWER)
    tokens = completion.prompt_tokens, completion.completion_tokens
    text = completion.text if completion.text is not None else completion.unfinished
    cost, by = options.prices.cost(*tokens), completion.model or None
    cells = (
        text, completion.reasoning, *tokens, completion.reasoning_tokens, cost, completion.cached, by,
        completion.changed or None,
    )  # fmt: skip
    return dict(zip(ANSWER, cells, strict=True))


def reference_rows(scored: TaskScores) -> Iterator[dict[str, Any]]:
    """Yield the row of each human solution of a task."""
    if scored.distribution is None:
        return
    task = {
        name: value for name, value in _task_cells(scored).items() if name in REFERENCE_SCHEMA.names
    }
    for reference, measured in zip(
        scored.distribution.references, scored.distribution.measured, strict=True
    ):
        yield {
            **task,
            "reference_id": reference.reference_id,
            "references_from": scored.distribution.origin,
            "code": reference.code,
            **_measured_cells(measured),
        }


def control_rows(scored: TaskScores) -> Iterator[dict[str, Any]]:
    """Yield the row of each measured copy of a human solution of a task."""
    task = {
        name: value for name, value in _task_cells(scored).items() if name in CONTROL_SCHEMA.names
    }
    for control in scored.controls:
        yield {
            **task,
            "control": control.which,
            "reference_id": control.reference.reference_id,
            **{f"became_{objective}": word for objective, word in control.outcomes.items()},
            **{f"place_{objective}": str(place) for objective, place in control.place.items()},
            **_measured_cells(control.measured),
        }


def _task_cells(scored: TaskScores) -> dict[str, Any]:
    key = scored.task.key
    return {
        "task": key.name,
        "problem_id": key.problem_id,
        "title": key.title,
        "language": key.language.id,
        "difficulty": key.difficulty,
        "tags": list(key.tags),
    }


def _measured_cells(measured: Measured | None) -> dict[str, Any]:
    def to_cell(name: str, value: Any) -> Any:
        """Return the value of a cell.

        Byte-nanoseconds overflow 64-bit integers within seconds, so they are float64, as in a
        release.
        """
        return float(value) if value is not None and name.endswith("byte_ns") else value

    if measured is None:
        return {"repeats": 0, "noise": []}
    total = {
        name: to_cell(name, value)
        for name, value in to_plain(measured.total).items()
        if name != "tests"
    }
    repeats = {
        f"{name}_repeats": [to_cell(name, getattr(repeat, name)) for repeat in measured.repeats]
        for name in Repeat._fields
    }
    return {**total, **repeats}


class Writer:
    """Writes rows of a schema in batches; columns that a row lacks are null."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._parquet = pq.ParquetWriter(path, schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def write(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows."""
        self._waiting += rows
        if len(self._waiting) >= 512:  # a row group per task would be tiny and slow to read
            self._flush()

    def close(self) -> None:
        """Write the remaining rows and finish the file."""
        self._flush()
        self._parquet.close()

    def _flush(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def read_results(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return results.parquet of a run folder, by default without the bulky columns (`LONG`).

    An iterative evaluation has additional columns, such as `iteration`, and a row per iteration.

    Raises:
        ReleaseError: The file does not exist or cannot be read.
    """
    try:
        names = pq.read_schema(folder / RESULTS).names
        selection = list(columns) if columns else [name for name in names if name not in LONG]
        return pq.read_table(folder / RESULTS, columns=selection)
    except (OSError, pa.ArrowException) as error:
        reason = (
            "it has no results.parquet"
            if isinstance(error, FileNotFoundError)
            else str(error).split("\n")[0]
        )
        raise ReleaseError(
            f"{folder} is not a finished evaluation", reason, "type: venus eval --help"
        ) from error
