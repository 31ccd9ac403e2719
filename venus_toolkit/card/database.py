"""Parquet files in DuckDB, with bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from venus_toolkit.errors import StoreError
from venus_toolkit.temporary import temporary_folder

MEMORY = "640MB"
THREADS = 2


class Database:
    """A connection that names the files it could not read; get it from `open_database`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, sql: str, **values: object) -> None:
        """Run a statement that returns nothing.

        Raises:
            StoreError: A file among the values cannot be read, or lacks a column.
        """
        self._execute(sql, values)

    def rows(self, sql: str, **values: object) -> list[dict[str, Any]]:
        """Return the rows of a query, each by the names of its columns.

        Raises:
            StoreError: A file among the values cannot be read, or lacks a column.
        """
        result = self._execute(sql, values)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def _execute(self, sql: str, values: Mapping[str, object]) -> Any:
        import duckdb

        try:
            return self._connection.execute(sql, dict(values) or None)
        except duckdb.Error as error:
            files = values.get("files")
            named = ", ".join(map(str, files)) if isinstance(files, Sequence) else "the release"
            raise StoreError(
                f"{named} cannot be read",
                str(error).split("\n")[0],
                "build or pull the release again: its files are damaged, or are not those of a release",
            ) from error


@contextmanager
def open_database() -> Iterator[Database]:
    """Give a database in memory that spills into a temporary folder."""
    import duckdb

    with temporary_folder("card") as spill:
        settings: dict[str, Any] = {
            "memory_limit": MEMORY,
            "threads": min(THREADS, os.cpu_count() or 1),
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
        with duckdb.connect(":memory:", config=settings) as connection:
            yield Database(connection)


def text_paths(files: Sequence[Path]) -> list[str]:
    """Return paths as DuckDB takes them."""
    return [str(file) for file in files]
