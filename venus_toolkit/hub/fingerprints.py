"""What two releases are compared by: for each problem and each solution a hash of its texts, and its figures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.errors import ReleaseError

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 32  # a problem has its solutions and tests in its row
TEXTS = (
    "question_content", "code_prompt", "test_case_generator", "test_case_evaluator", "test_case_runners",
    "test_case_validator", "comparison", "difficulty", "tags", "time_limit_ns", "memory_limit_bytes", "cpu_limit_ns",
)  # fmt: skip
FIGURES = (
    "wall_ns", "wall_spread", "relative_time", "relative_spread", "peak_bytes", "integral_byte_ns", "integral_spread",
)  # fmt: skip
HASH_BYTES = 8


class Prints(NamedTuple):
    """Two tables of one language.

    problems: title, split, text, tests (both hashes). solutions: title, solution_id, code (a hash), status, figures.
    """

    problems: pa.Table
    solutions: pa.Table


def fingerprints(files: Iterable[tuple[str, Path]]) -> Prints:
    """Return what the Parquet files of a language are compared by; memory holds a few rows of a file at a time.

    Args:
        files: Pairs of split and file.

    Raises:
        ReleaseError: A file cannot be read, or lacks a column.
    """
    import pyarrow as pa

    problems: list[pa.RecordBatch] = []
    solutions: list[pa.RecordBatch] = []
    for split, file in files:
        try:
            for batch in _batches(file):
                problems.append(_problems(split, batch))
                solutions.append(_solutions(batch))
        except (OSError, KeyError, pa.ArrowException) as error:
            why = str(error).split("\n")[0]
            raise ReleaseError(f"{file} cannot be compared", why, "get the release again") from error
    return Prints(
        pa.Table.from_batches(problems, _problem_schema()), pa.Table.from_batches(solutions, _solution_schema())
    )


def _batches(file: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parquet:
        there = set(parquet.schema_arrow.names)
        columns = ["title", "test_cases", "solutions", *(name for name in TEXTS if name in there)]
        yield from parquet.iter_batches(batch_size=BATCH_ROWS, columns=columns)


def _problems(split: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa

    rows = batch.drop_columns(["solutions"]).to_pylist()
    found = [
        {
            "title": row["title"],
            "split": split,
            "text": _hash([row.get(name) for name in TEXTS]),
            "tests": _hash(row["test_cases"]),
        }
        for row in rows
    ]
    return pa.RecordBatch.from_pylist(found, schema=_problem_schema())


def _solutions(batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    listed = batch.column("solutions")
    inner = pc.list_flatten(listed)
    columns = {
        "title": batch.column("title").take(pc.list_parent_indices(listed)),
        "solution_id": inner.field("solution_id"),
        "code": pa.array([_hash(code) for code in inner.field("code").to_pylist()], pa.binary()),
        "status": inner.field("status"),
        **{name: inner.field(name) for name in FIGURES},
    }
    schema = _solution_schema()
    return pa.RecordBatch.from_arrays([columns[f.name].cast(f.type) for f in schema], schema=schema)


def _problem_schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema({"title": pa.string(), "split": pa.string(), "text": pa.binary(), "tests": pa.binary()})


def _solution_schema() -> pa.Schema:
    import pyarrow as pa

    texts = {"title": pa.string(), "solution_id": pa.string(), "code": pa.binary(), "status": pa.string()}
    return pa.schema({**texts, **dict.fromkeys(FIGURES, pa.float64())})


def _hash(value: Any) -> bytes:
    text = value if isinstance(value, str) else repr(value)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
