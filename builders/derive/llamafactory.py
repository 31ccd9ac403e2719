"""LLaMA-Factory: a Parquet file for each split, the dataset_info.json that finds them for its loader, and recipes.

The form is ``sharegpt`` with OpenAI's names for roles: of a supervised set ``messages``, of a preference set
``conversations`` with ``chosen`` and ``rejected`` as single messages. Names are as the ancestors':
``venus_cpp_integral_sft``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from venus_toolkit.builders.derive.exporting import (
    Exported,
    Set,
    derived_sets,
    read_rows,
    write_file,
    write_template,
)
from venus_toolkit.builders.derive.kinds import MESSAGES
from venus_toolkit.release import Release
from venus_toolkit.store import explained

INFO = "dataset_info.json"
KINDS = ("sft", "dpo", "cold-start")
TAGS = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}
SUPERVISED = pa.schema([("messages", MESSAGES)])
PREFERENCE = pa.schema(
    [("conversations", MESSAGES), ("chosen", MESSAGES.value_type), ("rejected", MESSAGES.value_type)]
)


def export_llamafactory(release: Release, out: Path) -> list[Exported]:
    """Write all supervised and preference sets of a release into a folder; returns what was written.

    Raises:
        UsageError: The release has no such set.
        ReleaseError: A file of it cannot be read.
        StoreError: The folder cannot be written.
    """
    info: dict[str, Any] = {}
    written = []
    names: dict[str, list[str]] = {}
    for each in derived_sets(release, KINDS):
        kind = each.kind.replace("-", "_")
        for objective in each.objectives:
            name = f"venus_{each.language}_{objective}_{kind}"
            written.append(_export(release, each, objective, out / f"{name}.parquet", name))
            info[name] = _entry(each.kind, f"{name}.parquet")
            names.setdefault(kind, []).append(name)
    with explained(f"cannot write into {out}"):
        (out / INFO).write_text(json.dumps(info, indent=1) + "\n", encoding="utf-8")
    for kind, listed in names.items():
        file = recipe_file(out, kind)
        folder = str(out.resolve())
        write_template(file, f"llamafactory_{kind}.yaml.j2", recipe=file.name, folder=folder, names=listed)
    return written


def recipe_file(out: Path, kind: str) -> Path:
    """Return where the recipe of a kind of sets is: ``sft``, ``dpo`` or ``cold_start``."""
    return out / f"{kind}.yaml"


def _entry(kind: str, file: str) -> dict[str, Any]:
    """Return what dataset_info.json says of a file; a column that is not named does not exist for the loader."""
    ranking = kind == "dpo"
    columns = {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}
    return {
        "file_name": file,
        "formatting": "sharegpt",
        **({"ranking": True} if ranking else {}),
        "columns": columns if ranking else {"messages": "messages"},
        "tags": TAGS,
    }


def _export(release: Release, each: Set, objective: str, file: Path, name: str) -> Exported:
    columns = ("prompt", "chosen", "rejected") if each.kind == "dpo" else ("prompt", "completion")
    schema = PREFERENCE if each.kind == "dpo" else SUPERVISED
    rows = read_rows(release, each.config, objective, columns)
    return Exported(name, file, write_file(file, schema, rows, _preference if each.kind == "dpo" else _supervised))


def _supervised(row: dict[str, Any]) -> dict[str, Any]:
    return {"messages": row["prompt"] + row["completion"]}


def _preference(row: dict[str, Any]) -> dict[str, Any]:
    return {"conversations": row["prompt"], "chosen": row["chosen"][-1], "rejected": row["rejected"][-1]}
