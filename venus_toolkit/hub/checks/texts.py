"""The texts of a Parquet file, a row group at a time, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

NAMES = ("solution_id", "test_id")  # columns that say which entry of a row it is


class Texts(NamedTuple):
    """All values of one column of text in a row group, lists laid flat.

    Attributes:
        column: Its name, such as ``solutions.code``.
        values: The texts.
        rows: For each text the row that it stands in.
        entries: For each text the id of the entry that it stands in, or None where the row is the entry.
    """

    column: str
    values: pa.Array
    rows: pa.Array
    entries: pa.Array | None

    def place(self, index: int, titles: pa.Array | None) -> str:
        """Return where a text stands: problem, entry, column."""
        row = self.rows[index].as_py()
        title = titles[row].as_py() if titles is not None else f"row {row}"
        entry = self.entries[index].as_py() if self.entries is not None else None
        return ", ".join(filter(None, (str(title), entry, self.column)))


def row_groups(file: Path) -> Iterator[pa.RecordBatch]:
    """Yield the row groups of a file, each as one batch."""
    with pq.ParquetFile(file) as parquet:
        for number in range(parquet.num_row_groups):
            yield from parquet.read_row_group(number).combine_chunks().to_batches()


def texts_of(batch: pa.RecordBatch) -> Iterator[Texts]:
    """Yield the columns of text of a batch, those inside lists and structs too."""
    rows = pa.array(range(batch.num_rows), pa.int64())
    for name in batch.schema.names:
        yield from _walk(Texts(name, batch.column(name), rows, _entries(batch, name)))


def titles_of(batch: pa.RecordBatch) -> pa.Array | None:
    """Return what a row is called: its title, else its problem's id."""
    names = [name for name in ("title", "problem_id") if name in batch.schema.names]
    return batch.column(names[0]) if names else None


def column_values(file: Path, column: str) -> Iterator[tuple[str | None, int]]:
    """Yield the distinct values of a column, such as ``solutions.license``, with their counts, a few rows at a time."""
    with pq.ParquetFile(file) as parquet:
        leaves = [parquet.schema.column(number).path for number in range(len(parquet.schema))]
        paths = [path for path in leaves if re.sub(r"\.list\.(element|item)", "", path) == column]
        for batch in parquet.iter_batches(batch_size=4096, columns=paths) if paths else ():
            for texts in texts_of(batch):
                for found in pc.value_counts(texts.values).to_pylist():
                    yield found["values"], found["counts"]


def _walk(texts: Texts) -> Iterator[Texts]:
    kind = texts.values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield texts
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        parents = pc.list_parent_indices(texts.values)
        entries = texts.entries.take(parents) if texts.entries is not None else None
        yield from _walk(Texts(texts.column, pc.list_flatten(texts.values), texts.rows.take(parents), entries))
    elif pa.types.is_struct(kind):
        fields = [field.name for field in kind]
        named = next((texts.values.field(name) for name in NAMES if name in fields), texts.entries)
        for name in fields:
            yield from _walk(Texts(f"{texts.column}.{name}", texts.values.field(name), texts.rows, named))


def _entries(batch: pa.RecordBatch, column: str) -> pa.Array | None:
    """Return what names the entry in a table whose rows are entries themselves."""
    found = [name for name in NAMES if name in batch.schema.names and name != column]
    return batch.column(found[0]) if found else None
