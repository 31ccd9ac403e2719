"""A small release with a derived set for each method; its programs never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.builders.derive.made import LANGUAGES, usual_release
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release, open_release


def trainable_release(folder: Path) -> Release:
    """Write the usual release with all four derived sets in Python."""
    release = usual_release(folder)
    for kind in KINDS.values():
        derive(kind, folder, [LANGUAGES["python"]], DeriveOptions())
    add_cold_start(release)
    return open_release(folder)


def add_cold_start(release: Release) -> None:
    """Add a cold-start set: the answers of the SFT set, in tags."""
    copy = open_release(release.folder)
    splits: dict[str, Any] = {}
    for objective in copy.splits("python-sft"):
        rows = [
            row
            for file in copy.files("python-sft", objective)
            for row in pq.read_table(file).to_pylist()
        ]
        for row in rows:
            text = f"<thinking>\nless work\n</thinking>\n<solution>\n{row['response']}\n</solution>"
            row["completion"] = [{"role": "assistant", "content": text}]
        schema = pq.read_schema(copy.files("python-sft", objective)[0])
        files = write_rows(copy.folder, f"derived/python-cold-start/{objective}", rows, schema)
        splits[objective] = {"files": files, "rows": len(rows)}
    copy.add(
        "python-cold-start",
        {"kind": "cold-start", "language": "python", "splits": splits, "dropped": {}},
    )
