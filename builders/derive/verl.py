"""verl: a Parquet file that its RLHFDataset reads for each language, the reward function, and a script that trains.

The tests are not in the rows: ``ground_truth`` says which problem of which release, and which original it was asked to
better; the reward function looks them up (training/verl_reward.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from shutil import copyfile
from typing import Any

import pyarrow as pa

from venus_toolkit.builders.derive.exporting import (
    TEMPLATES,
    Exported,
    derived_sets,
    read_rows,
    write_file,
    write_template,
)
from venus_toolkit.builders.derive.kinds import MESSAGES
from venus_toolkit.release import Release
from venus_toolkit.store import explained

REWARD, SCRIPT = "reward.py", "train.sh"
SOURCE = "venus"
REFERENCE = ("config", "split", "title", "problem_id", "type", "revision", "tests_sha256", "original_solution_id")
INFO = pa.struct(
    [
        ("split", pa.string()),
        ("index", pa.int64()),
        ("problem_id", pa.int64()),
        ("config", pa.string()),
        ("type", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", MESSAGES),
        ("ability", pa.string()),
        ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
        ("extra_info", INFO),
    ]
)


def export_verl(release: Release, out: Path) -> list[Exported]:
    """Write the GRPO sets of a release into a folder, all objectives of a language in one file.

    Raises:
        UsageError: The release has no GRPO set.
        ReleaseError: A file of it cannot be read.
        StoreError: The folder cannot be written.
    """
    written = []
    for each in derived_sets(release, ("grpo",)):
        name = f"venus_{each.language}_grpo"
        columns = ("prompt", *REFERENCE)
        rows = chain.from_iterable(read_rows(release, each.config, name, columns) for name in each.objectives)
        file = out / f"{name}.parquet"
        written.append(Exported(name, file, write_file(file, SCHEMA, _numbered(rows), _row)))
    with explained(f"cannot write into {out}"):
        copyfile(TEMPLATES / "verl_reward.py.txt", out / REWARD)
    files = [each.file.name for each in written]
    write_template(out / SCRIPT, "verl.sh.j2", release=str(release.folder.resolve()), files=files)
    return written


def _numbered(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(rows):
        yield {**row, "index": index}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    truth = {name: row[name] for name in REFERENCE}
    info = {name: row[name] for name in ("split", "index", "problem_id", "config", "type")}
    return {
        "data_source": SOURCE,
        "prompt": row["prompt"],
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": json.dumps(truth, ensure_ascii=False)},
        "extra_info": info,
    }
