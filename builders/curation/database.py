"""The database that curation works in: bounded memory, spilling into a folder of the build."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from venus_toolkit.builders.curation.options import CurationOptions
from venus_toolkit.errors import StoreError

if TYPE_CHECKING:
    import duckdb


@contextmanager
def database(options: CurationOptions, spill: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a database in memory that spills into `spill` (``OUT/.venus/tmp``) beyond its memory limit.

    Raises:
        StoreError: It cannot do the work, because there is no room on the disk or no memory.
    """
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{options.memory_mib}MiB",
        "threads": options.threads,
        "temp_directory": str(spill),
        "preserve_insertion_order": False,
    }
    try:
        spill.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(":memory:", config=settings) as connection:
            yield connection
    except (duckdb.Error, OSError) as error:
        why = str(error).splitlines()[0]
        fix = "nothing that was done is lost: make room, or give it more memory (memory_mib in the plan's [curation])"
        raise StoreError(f"curation cannot write into {spill}", why, fix) from error
