"""Rows that name the release they are of.

Their version is known when it is published, and written into them then.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from venus_toolkit.dataset.parquet import open_parquet, rewrite
from venus_toolkit.dataset.release import DERIVED

REVISION = "revision"  # the column of derived sets whose tests are elsewhere in the release


def name_release(folder: Path, files: Mapping[str, Path], version: str) -> list[str]:
    """Write the derived files that do not name this release into `folder`, with `version` in them.

    Args:
        folder: Where what is there under a file's name is replaced.
        files: The files of the release by their names.
        version: What the rows are to say.

    Returns:
        The names of those that were written.

    Raises:
        ReleaseError: One cannot be read.
    """

    def with_revision(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(REVISION)
        return table.set_column(
            place, table.schema.field(place), pa.array([version] * len(table), pa.string())
        )

    written = []
    for name, path in files.items():
        if not name.startswith(f"{DERIVED}/"):
            continue
        with open_parquet(path) as parquet:
            if REVISION not in parquet.schema_arrow.names:
                continue
            revisions = set(pc.unique(parquet.read([REVISION])[REVISION]).to_pylist())
        if revisions != {version}:
            (folder / name).unlink(missing_ok=True)
            rewrite(path, folder / name, with_revision)
            written.append(name)
    return written


def differs(old: Path, new: Path) -> bool:
    """Return whether two files have other rows, whatever release these name."""
    one, two = (pq.read_table(path) for path in (old, new))
    if REVISION in one.column_names and REVISION in two.column_names:
        one, two = one.drop_columns([REVISION]), two.drop_columns([REVISION])
    return not one.equals(two)
