"""A source, written down once: Parquet shards of problems, solutions and tests, and a marker when all are there.

A build that goes on reads the shards instead of the source. Memory grows with neither the source nor the shards: what
is held is one shard while writing, a row group of each table while reading, and the names of the problems.

    staged = stage(read(location, languages), out / ".venus" / "staging" / key)
    for entry in staged.entries(): ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.builders.staging.reader import Staged
from venus_toolkit.builders.staging.writer import MARKER, VERSION, Counts, Writer

__all__ = ["Counts", "Staged", "open_staged", "stage"]


def stage(entries: Iterable[Entry | SetAside], folder: Path) -> Staged:
    """Write the entries of a source into `folder`, or find that this was done.

    Of two problems with one slug or one problem_id, two solutions of a problem with one solution_id, and two tests with
    one test_id, the second is set aside with a reason that names the first. So is what cannot be written down.

    Args:
        entries: What a source yields; not touched where the folder is complete.
        folder: A folder of its own for this source as it is now; what an interrupted run left in it is replaced.

    Raises:
        StoreError: The folder cannot be written.
    """
    found = open_staged(folder)
    if found is None:
        with Writer(folder) as writer:
            for entry in entries:
                writer.add(entry)
            writer.finish()
        found = Staged(folder, writer.counts, writer.shards)
    return found


def open_staged(folder: Path) -> Staged | None:
    """Return what was staged in `folder`, or None where it is not complete or was written by another version."""
    try:
        marker = json.loads((folder / MARKER).read_text())
        if marker["version"] != VERSION:
            return None
        return Staged(folder, Counts(**marker["counts"]), marker["shards"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
