"""What the files of a release say of themselves: rows, bytes, columns. Only their footers are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import StoreError
from venus_toolkit.release import Release


class Table(NamedTuple):
    """The files of one split of one config.

    size: bytes of the files; unpacked: of their columns before compression, by the footers. schema: of the first file.
    """

    globs: tuple[str, ...]
    files: tuple[Path, ...]
    rows: int
    size: int
    unpacked: int
    schema: Any


def read_layout(release: Release) -> dict[str, dict[str, Table]]:
    """Return config to split to its table, in the order of the release.

    Raises:
        StoreError: A file cannot be read.
    """
    return {
        config: {split: _read_table(globs, release.files(config, split)) for split, globs in splits.items()}
        for config, splits in release.configs().items()
    }


def _read_table(globs: list[str], files: list[Path]) -> Table:
    footers = [_read_footer(file) for file in files]
    groups = [footer.row_group(number) for footer in footers for number in range(footer.num_row_groups)]
    return Table(
        tuple(globs),
        tuple(files),
        sum(footer.num_rows for footer in footers),
        sum(file.stat().st_size for file in files),
        sum(group.total_byte_size for group in groups),
        footers[0].schema.to_arrow_schema(),
    )


def _read_footer(file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        why = str(error).split("\n")[0]
        raise StoreError(f"{file} cannot be read", why, "build or pull the release again") from error
