"""The results of an evaluation on disk: results.parquet with a row a sample, references.parquet with the humans.

docs/eval.md describes the columns. Units are in the names, ranks and shares are fractions of 1, unknown is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.errors import ReleaseError
from venus_toolkit.eval.metrics import OBJECTIVES
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.score import Outcome, Rank, Sample, Scored
from venus_toolkit.eval.workplace import Measured, Repeat
from venus_toolkit.records import to_plain

RESULTS = "results.parquet"
REFERENCES = "references.parquet"
LONG = ("answer", "code", "candidate")
SAVED = {"time": "saved_wall_ns", "memory": "saved_peak_bytes", "integral": "saved_integral_byte_ns"}

FIGURES = [
    ("wall_ns", pa.int64()),
    ("cpu_ns", pa.int64()),
    ("peak_bytes", pa.int64()),
    ("integral_byte_ns", pa.float64()),
    ("relative_time", pa.float64()),
]
MEASURED = [
    *FIGURES,
    ("integral_error_byte_ns", pa.float64()),
    ("wall_spread", pa.float64()),
    ("cpu_spread", pa.float64()),
    ("integral_spread", pa.float64()),
    ("relative_spread", pa.float64()),
    ("repeats", pa.int64()),
    ("noise", pa.list_(pa.string())),
    *((f"{name}_repeats", pa.list_(kind)) for name, kind in FIGURES),
]
RANKED = [
    column
    for objective in OBJECTIVES
    for column in (
        (f"percentile_{objective}", pa.float64()),
        (f"percentile_{objective}_repeats", pa.list_(pa.float64())),
        (f"mercury_beyond_{objective}", pa.float64()),
        (f"place_{objective}", pa.string()),
        (f"ratio_to_best_{objective}", pa.float64()),
        (SAVED[objective], pa.float64()),
    )
]
TASK = [
    ("task", pa.string()),
    ("problem_id", pa.int64()),
    ("title", pa.string()),
    ("language", pa.string()),
    ("difficulty", pa.string()),
    ("tags", pa.list_(pa.string())),
]
SCHEMA = pa.schema(
    [
        *TASK,
        ("sample", pa.int64()),
        ("model", pa.string()),
        ("objective", pa.string()),
        ("outcome", pa.string()),
        ("passed", pa.bool_()),
        ("verdict", pa.string()),
        ("failing_test", pa.string()),
        ("reason", pa.string()),
        ("code", pa.string()),
        ("answer", pa.string()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("cost", pa.float64()),
        ("cached", pa.bool_()),
        *MEASURED,
        *RANKED,
        ("references", pa.int64()),
        ("references_from", pa.string()),
        ("unranked", pa.string()),
    ]
)
REFERENCE_SCHEMA = pa.schema(
    [*TASK[:4], ("reference_id", pa.string()), ("references_from", pa.string()), ("code", pa.string()), *MEASURED]
)


def result_rows(scored: Scored, options: EvalOptions) -> Iterator[dict[str, Any]]:
    """Yield the row of each sample of a task."""
    for sample, ranks in zip(scored.samples, scored.ranks, strict=True):
        yield {
            **_task_cells(scored),
            **_sample_cells(sample, options),
            **_measured_cells(sample.measured),
            **_rank_cells(ranks),
            "model": options.model,
            "objective": options.objective,
            "references": len(scored.distribution.measured) if scored.distribution else None,
            "references_from": scored.distribution.origin if scored.distribution else None,
            "unranked": scored.unranked or None,
        }


def reference_rows(scored: Scored) -> Iterator[dict[str, Any]]:
    """Yield the row of each human solution that the samples of a task were compared with."""
    if scored.distribution is None:
        return
    for reference, measured in zip(scored.distribution.references, scored.distribution.measured, strict=True):
        said = {"reference_id": reference.reference_id, "code": reference.code}
        where = {"references_from": scored.distribution.origin}
        cells = {name: value for name, value in _task_cells(scored).items() if name in REFERENCE_SCHEMA.names}
        yield {**cells, **said, **where, **_measured_cells(measured)}


def _task_cells(scored: Scored) -> dict[str, Any]:
    head = scored.task.head
    return {
        "task": head.name,
        "problem_id": head.problem_id,
        "title": head.title,
        "language": head.language.id,
        "difficulty": head.difficulty,
        "tags": list(head.tags),
    }


def _sample_cells(sample: Sample, options: EvalOptions) -> dict[str, Any]:
    said, judgement = sample.completion, sample.judgement
    known = sample.outcome not in (Outcome.UNANSWERED, Outcome.UNJUDGED)
    return {
        "sample": sample.number,
        "outcome": str(sample.outcome),
        "passed": sample.outcome == Outcome.PASSED if known else None,
        "verdict": str(judgement.verdict) if judgement else None,
        "failing_test": judgement.failing_test if judgement else None,
        "reason": sample.reason or None,
        "code": sample.code,
        "answer": said.text,
        "prompt_tokens": said.prompt_tokens,
        "completion_tokens": said.completion_tokens,
        "cost": options.prices.cost(said.prompt_tokens, said.completion_tokens),
        "cached": said.cached,
    }


def _measured_cells(measured: Measured | None) -> dict[str, Any]:
    if measured is None:
        return {"repeats": 0, "noise": []}
    total = {name: _published(name, value) for name, value in to_plain(measured.total).items() if name != "tests"}
    repeats = {
        f"{name}_repeats": [_published(name, getattr(each, name)) for each in measured.repeats]
        for name in Repeat._fields
    }
    return {**total, **repeats}


def _published(name: str, value: Any) -> Any:
    """Byte-nanoseconds outgrow 64-bit integers within seconds: they are float64, as in a release."""
    return float(value) if value is not None and name.endswith("byte_ns") else value


def _rank_cells(ranks: Mapping[str, Rank] | None) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for objective, rank in (ranks or {}).items():
        cells[f"percentile_{objective}"] = rank.percentile
        cells[f"percentile_{objective}_repeats"] = list(rank.percentile_repeats)
        cells[f"mercury_beyond_{objective}"] = rank.mercury_beyond
        cells[f"place_{objective}"] = str(rank.place)
        cells[f"ratio_to_best_{objective}"] = rank.ratio_to_best
        cells[SAVED[objective]] = rank.saved
    return cells


# ------------------------------------------------------------------ files


class Writer:
    """Writes rows of a schema, a task at a time; the columns that a row lacks are null."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._parquet = pq.ParquetWriter(path, schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def write(self, rows: Iterable[dict[str, Any]]) -> None:
        """Write some rows."""
        self._waiting += rows
        if len(self._waiting) >= 512:
            self._flush()

    def close(self) -> None:
        """Write what is left, and end the file."""
        self._flush()
        self._parquet.close()

    def _flush(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def read_results(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return results.parquet of a run folder; by default all columns but the long texts.

    An iterative evaluation has columns of its own, `iteration` the first of them, and a row for each iteration.

    Raises:
        ReleaseError: There is none, or it cannot be read.
    """
    try:
        there = pq.read_schema(folder / RESULTS).names
        chosen = list(columns) if columns else [name for name in there if name not in LONG]
        return pq.read_table(folder / RESULTS, columns=chosen)
    except (OSError, pa.ArrowException) as error:
        why = "it has no results.parquet" if isinstance(error, FileNotFoundError) else str(error).split("\n")[0]
        raise ReleaseError(f"{folder} is no finished evaluation", why, "type: venus eval --help") from error
