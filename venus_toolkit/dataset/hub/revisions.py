"""Rows that name the version of their release.

The version is known only when the release is published, so it is written into the rows then.
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
    """Write copies of the derived files that do not name `version` into `folder`, naming it.

    Args:
        folder: The output folder; files of the same names are replaced.
        files: The files of the release by their names.
        version: The version to write into the rows.

    Returns:
        The names of the written files.

    Raises:
        ReleaseError: A file cannot be read.
    """

    def with_revision(table: pa.Table) -> pa.Table:
        index = table.schema.get_field_index(REVISION)
        return table.set_column(
            index, table.schema.field(index), pa.array([version] * len(table), pa.string())
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
    """Return whether the rows of two files differ, apart from the version that they name."""
    before, after = (pq.read_table(path) for path in (old, new))
    if REVISION in before.column_names and REVISION in after.column_names:
        before, after = before.drop_columns([REVISION]), after.drop_columns([REVISION])
    return not before.equals(after)
