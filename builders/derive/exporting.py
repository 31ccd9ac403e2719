"""What exports share: derived sets read in batches, and Parquet written from what is made of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.errors import ReleaseError, UsageError
from venus_toolkit.release import Release
from venus_toolkit.store import explained

ROWS = 512
TEMPLATES = Path(__file__).with_name("exports")


class Exported(NamedTuple):
    """What was written: the name of a data set, its file, and how many rows it has."""

    name: str
    file: Path
    rows: int


class Set(NamedTuple):
    """A derived set: its config, its kind, its language, and its objectives."""

    config: str
    kind: str
    language: str
    objectives: tuple[str, ...]


def derived_sets(release: Release, kinds: Sequence[str]) -> list[Set]:
    """Return the derived sets of some kinds that a release has.

    Raises:
        UsageError: It has none.
    """
    manifest = release.manifest.get("derived", {})
    listed = [
        Set(name, facts["kind"], facts["language"], tuple(facts["splits"]))
        for name, facts in sorted(manifest.items())
        if facts["kind"] in kinds
    ]
    if not listed:
        why = f"it has no {' or '.join(kinds)} set"
        fix = f"make one: venus derive {kinds[0]} {release.folder} --lang all"
        raise UsageError(f"nothing can be exported from {release.folder}", why, fix)
    return listed


def read_rows(release: Release, config: str, objective: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split of a derived set.

    Raises:
        ReleaseError: A file cannot be read.
    """
    for file in release.files(config, objective):
        try:
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(ROWS, columns=list(columns)):
                    yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise ReleaseError(f"{file} cannot be read", str(error).split("\n")[0], "get the release again") from error


def write_file(
    file: Path, schema: pa.Schema, rows: Iterator[dict[str, Any]], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> int:
    """Write one Parquet file of rows, changed; returns how many.

    Raises:
        StoreError: The file cannot be written.
    """
    count = 0
    with explained(f"cannot write {file}"):
        file.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            block: list[dict[str, Any]] = []
            for row in rows:
                block.append(change(row))
                count += 1
                if len(block) == ROWS:
                    writer.write_table(pa.Table.from_pylist(block, schema=schema))
                    block = []
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
    return count


def write_template(file: Path, name: str, **values: Any) -> Path:
    """Write a file from a template of `exports/`; a script may be run as it is.

    Raises:
        StoreError: The file cannot be written.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["sh"] = shlex.quote
    with explained(f"cannot write {file}"):
        file.write_text(environment.get_template(name).render(values), encoding="utf-8")
        if file.suffix == ".sh":
            file.chmod(0o755)
    return file
