"""Writes, opens and queries the Parquet files of a release.

A split is written as shards, whose row groups have few rows and few bytes.

The same rows give the same bytes (with the same version of pyarrow). A release with few changes
shares most of its bytes with the previous one: chunks are cut by content, and each row group keeps
the measurements of a few problems together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import explained
from venus_toolkit.core.temporary import temporary_folder
from venus_toolkit.dataset.columns import with_features

if TYPE_CHECKING:
    import duckdb

GROUP_ROWS = 16  # remeasuring a problem rewrites the measurements of its whole group
SHARD_BYTES = 500 * MIB


def open_parquet(file: Path) -> pq.ParquetFile:
    """Open a file of a release; a context manager.

    Raises:
        ReleaseError: It is missing or damaged.
    """
    try:
        return pq.ParquetFile(file)
    except (OSError, pa.ArrowException) as error:
        raise ReleaseError(
            f"{file} cannot be read", str(error).split("\n")[0], "download the release again"
        ) from error


@contextmanager
def open_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an in-memory DuckDB to query Parquet files; it spills into a temporary folder."""
    import duckdb

    with temporary_folder("duckdb") as spill:
        settings: dict[str, Any] = {
            "memory_limit": "640MB",
            "threads": min(2, os.cpu_count() or 1),
            "temp_directory": str(spill),
            # queries state the order they need; keeping that of the input costs memory
            "preserve_insertion_order": False,
        }
        with (
            duckdb.connect(":memory:", config=settings) as database,
            current().ending(database.interrupt),
        ):
            yield database


def query(database: duckdb.DuckDBPyConnection, sql: str, **values: object) -> list[dict[str, Any]]:
    """Return the rows of a query, each a dict of its columns; `values` are its parameters."""
    result = database.execute(sql, values or None)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def write_rows(
    folder: Path,
    prefix: str,
    rows: Iterable[Mapping[str, Any]],
    schema: pa.Schema,
    *,
    group_rows: int = GROUP_ROWS,
    group_bytes: int = 32 * MIB,
    shard_bytes: int = SHARD_BYTES,
) -> list[str]:
    """Write a split row by row; memory holds one row group.

    Args:
        folder: The release.
        prefix: Folder and name of the split, such as ``data/cpp/train``.
        rows: With exactly the columns of `schema`.
        schema: The columns; their features for ``datasets`` are added.
        group_rows: Maximum number of rows in a row group.
        group_bytes: Uncompressed size at which a row group is closed; a row is never
            split. The Hub's viewer refuses groups of 300 MB.
        shard_bytes: Size on disk at which a shard is closed.

    Returns:
        The files, relative to `folder`; those of an earlier split of this name are removed. A split
        without rows has no file, because ``datasets`` cannot load a config with an empty split.

    Raises:
        ValueError: A row lacks a column, or has one too many.
        StoreError: The files cannot be written.
    """
    groups = _groups(rows, frozenset(schema.names), group_rows, group_bytes)
    tables = (pa.Table.from_pylist(group, schema=schema) for group in groups)
    return write_tables(folder, prefix, tables, schema, shard_bytes=shard_bytes)


def write_tables(
    folder: Path,
    prefix: str,
    tables: Iterable[pa.Table],
    schema: pa.Schema,
    *,
    shard_bytes: int = SHARD_BYTES,
) -> list[str]:
    """Write a split table by table, each as one row group; otherwise as `write_rows`."""
    target = folder / prefix
    filled = (table for table in tables if len(table))
    with explained(f"cannot write {target}"), ExitStack() as clean_up:
        target.parent.mkdir(parents=True, exist_ok=True)
        clean_up.callback(_remove, target.parent, f".{target.name}-*.draft")
        drafts = list(_write_drafts(target, filled, with_features(schema), shard_bytes))
        names = [
            f"{target.name}-{number:05d}-of-{len(drafts):05d}.parquet"
            for number in range(len(drafts))
        ]
        # Replace the shards of an earlier split only when all new ones are complete.
        for draft, name in zip(drafts, names, strict=True):
            draft.replace(target.parent / name)
        _remove(target.parent, f"{target.name}-*.parquet", but=names)
    return [(target.parent / name).relative_to(folder).as_posix() for name in names]


def rewrite(source: Path, target: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Copy a file of a release, applying `change` to each row group; the columns stay the same.

    Raises:
        ReleaseError: `source` cannot be read.
        StoreError: `target` cannot be written.
    """
    with (
        explained(f"cannot write {target}"),
        open_parquet(source) as parquet,
        target.open("wb") as file,
        _writer(file, parquet.schema_arrow) as writer,
    ):
        for number in range(parquet.num_row_groups):
            table = change(parquet.read_row_group(number))
            writer.write_table(table, row_group_size=max(1, len(table)))


def _write_drafts(
    target: Path, tables: Iterator[pa.Table], schema: pa.Schema, shard_bytes: int
) -> Iterator[Path]:
    """Write shards under draft names, because the final names contain the number of shards."""
    # Read one table ahead, so that no shard is begun without rows.
    following = next(tables, None)
    number = 0
    while following is not None:
        draft = target.with_name(f".{target.name}-{number:05d}.draft")
        with draft.open("wb") as file, _writer(file, schema) as writer:
            while following is not None and file.tell() < shard_bytes:
                writer.write_table(following.cast(schema), row_group_size=len(following))
                following = next(tables, None)
            writer.close()  # it writes the footer, so it comes before the fsync
            file.flush()
            # otherwise a crash could leave an empty file under the final name
            os.fsync(file.fileno())
        yield draft
        number += 1


def _writer(file: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer that splits floats into byte streams, and omits statistics of long texts."""
    # Parquet names the parts of lists and structs, so an empty file is written to read the names.
    empty = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), empty)
    footer = pq.read_metadata(pa.BufferReader(empty.getvalue())).schema
    columns = [footer.column(number) for number in range(len(footer))]
    floats = [column.path for column in columns if column.physical_type in ("FLOAT", "DOUBLE")]
    looked_up = ("title", "language", "difficulty", "date", "test_id")
    return pq.ParquetWriter(
        file,
        schema,
        compression="zstd",
        write_page_index=True,  # lets the Hub's viewer read less than a whole row group
        use_content_defined_chunking=True,
        store_schema=True,
        use_byte_stream_split=floats,
        # Not for floats: given both for a column, pyarrow would use the dictionary, not the streams.
        use_dictionary=[column.path for column in columns if column.path not in floats],
        write_statistics=[
            c.path for c in columns if c.path in looked_up or c.logical_type.type != "STRING"
        ],
    )


def _remove(folder: Path, pattern: str, but: Iterable[str] = ()) -> None:
    excluded = set(but)
    for file in folder.glob(pattern):
        if file.name not in excluded:
            file.unlink(missing_ok=True)


def _groups(
    rows: Iterable[Mapping[str, Any]], columns: frozenset[str], most_rows: int, most_bytes: int
) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        # Table.from_pylist silently drops keys that are not in the schema.
        if row.keys() != columns:
            raise ValueError(
                f"a row differs from the schema in {', '.join(sorted(row.keys() ^ columns))}"
            )
        group.append(dict(row))
        size += weight(row)
        if len(group) >= most_rows or size >= most_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group


def weight(value: Any) -> int:
    """Return the approximate size of a value in a column, in bytes; a null counts as a number."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(weight, value.values()))
    if isinstance(value, list):
        return sum(map(weight, value))
    # The same for numbers and null, so that remeasuring a solution moves no row group's boundary.
    return 8
