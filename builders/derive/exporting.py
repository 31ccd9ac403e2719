"""Exports derived sets for LLaMA-Factory, verl and SkyRL.

LLaMA-Factory: a Parquet file for each split, a dataset_info.json for its loader, and recipes. The
format is ``sharegpt`` with OpenAI's roles: a supervised set has ``messages``, a preference set
``conversations`` with ``chosen`` and ``rejected`` as single messages. Names follow the ancestors:
``venus_cpp_integral_sft``.

verl: a Parquet file for each language, to be read by RLHFDataset, the reward function, and a
training script. The rows hold no tests: ``ground_truth`` names the problem, its release and the
original solution, with which the reward function looks up the tests (integrations/verl.py). SkyRL:
the same rows under other names.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.store import explained
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.dataset.parquet import open_database
from venus_toolkit.dataset.release import Release

TEMPLATES = Path(__file__).with_name("exports")
INFO = "dataset_info.json"
SCRIPT = "train.sh"
KINDS = ("sft", "dpo", "cold-start")
VERL = """
select
    'venus' as data_source,
    prompt,
    'code' as ability,
    {
        'style': 'rule',
        'ground_truth': to_json({
            'config': config, 'split': split, 'title': title, 'problem_id': problem_id, 'type': "type",
            'revision': revision, 'tests_sha256': tests_sha256, 'original_solution_id': original_solution_id
        })::varchar
    } as reward_model,
    {
        'split': split, 'index': row_number() over () - 1, 'problem_id': problem_id, 'config': config, 'type': "type"
    } as extra_info
from read_parquet($files)
"""


class ExportedDataset(NamedTuple):
    """An exported dataset: its name, file and number of rows."""

    name: str
    file: Path
    rows: int


def export_llamafactory(release: Release, out: Path) -> list[ExportedDataset]:
    """Write all supervised and preference sets of a release into a folder.

    Raises:
        UsageError: The release has no such set.
        ReleaseError: A file of it cannot be read.
        StoreError: The folder cannot be written.
    """
    info: dict[str, Any] = {}
    written = []
    names: dict[str, list[str]] = {}
    tags = {
        "role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
        "system_tag": "system",
    }  # fmt: skip
    supervised = "select prompt || completion as messages from read_parquet($files)"
    # The prompt is the conversation; the loader expects one message for each answer.
    preference = """
    select prompt as conversations, chosen[-1] as chosen, rejected[-1] as rejected
    from read_parquet($files)
    """
    for config, facts in _derived_sets(release, KINDS):
        kind = facts["kind"].replace("-", "_")
        for objective in facts["splits"]:
            name = f"venus_{facts['language']}_{objective}_{kind}"
            # The loader ignores columns missing from dataset_info.json.
            about: dict[str, Any] = {"columns": {"messages": "messages"}}
            if kind == "dpo":
                columns = {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}
                about = {"ranking": True, "columns": columns}
            file = out / f"{name}.parquet"
            info[name] = {"file_name": file.name, "formatting": "sharegpt", "tags": tags, **about}
            rows = _write_rows(
                release.files(config, objective), preference if kind == "dpo" else supervised, file
            )
            written.append(ExportedDataset(name, file, rows))
            names.setdefault(kind, []).append(name)
    with explained(f"cannot write into {out}"):
        (out / INFO).write_text(json.dumps(info, indent=1) + "\n", encoding="utf-8")
    for kind, listed in names.items():
        _write_template(recipe_file(out, kind), f"llamafactory_{kind}.yaml.j2", names=listed)
    # The paper's batch size, and the number of samples on a GPU at once
    batches = {"sft": (64, 4), "dpo": (16, 2), "cold_start": (4, 1)}
    kinds = [kind for kind in batches if kind in names]
    _write_template(out / SCRIPT, "llamafactory.sh.j2", kinds=kinds, batches=batches)
    return written


def recipe_file(out: Path, kind: str) -> Path:
    """Return the path of the recipe for a kind of set: ``sft``, ``dpo`` or ``cold_start``."""
    return out / f"{kind}.yaml"


def export_verl(release: Release, out: Path) -> list[ExportedDataset]:
    """Write the GRPO sets of a release into a folder, all objectives of a language in one file.

    Raises:
        UsageError: The release has no GRPO set.
        ReleaseError: A file of it cannot be read.
        StoreError: The folder cannot be written.
    """
    written = _export_grpo(release, out, VERL)
    with explained(f"cannot write into {out}"):
        # verl loads a reward from a file, not from a package.
        copyfile(TEMPLATES / "verl_reward.py.txt", out / "reward.py")
    facts = {
        "files": [export.file.name for export in written],
        "rows": sum(export.rows for export in written),
    }
    # Relative, so that both folders can be moved together.
    place = os.path.relpath(release.folder.resolve(), out.resolve())
    _write_template(out / SCRIPT, "verl.sh.j2", release=place, **facts)
    return written


def export_skyrl(release: Release, out: Path) -> list[ExportedDataset]:
    """Write the GRPO sets of a release for SkyRL, whose environment is integrations/skyrl.py.

    Raises:
        UsageError: The release has no GRPO set.
        ReleaseError: A file of it cannot be read.
        StoreError: The folder cannot be written.
    """
    # The same rows under SkyRL's names.
    skyrl_query = VERL.replace("'code' as ability", "'venus' as env_class").replace(
        "as reward_model", "as reward_spec"
    )
    return _export_grpo(release, out, skyrl_query)


def _export_grpo(release: Release, out: Path, query: str) -> list[ExportedDataset]:
    """Write a file for each language, with all objectives."""
    written = []
    for config, facts in _derived_sets(release, ("grpo",)):
        name = f"venus_{facts['language']}_grpo"
        files = [file for part in facts["splits"] for file in release.files(config, part)]
        written.append(
            ExportedDataset(
                name, out / f"{name}.parquet", _write_rows(files, query, out / f"{name}.parquet")
            )
        )
    return written


def _derived_sets(release: Release, kinds: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the derived configs of the given kinds with their entries in the manifest."""
    listed = [
        config
        for config in sorted(release.manifest.get("derived", {}).items())
        if config[1].get("kind") in kinds and config[1].get("splits")
    ]
    if not listed:
        reason = f"it has no {' or '.join(kinds)} set"
        fix = f"make one: venus derive {kinds[0]} {release.folder} --lang all"
        raise UsageError(f"nothing can be exported from {release.folder}", reason, fix)
    return listed


def _write_rows(files: Sequence[Path], query: str, file: Path) -> int:
    """Write the rows of a query on a derived set into one Parquet file; return their number."""
    import duckdb

    with explained(f"cannot write {file}"), open_database() as database:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Rows of one problem stay together, and `index` follows the order of the set.
        database.execute("set preserve_insertion_order = true")
        try:
            rows = database.sql(query, params={"files": [str(path) for path in files]})
            rows.write_parquet(str(file), compression="zstd")
        except duckdb.IOException:
            raise  # the disk is full: `explained` handles it
        except duckdb.Error as error:
            reason = str(error).split("\n")[0]
            raise ReleaseError(
                f"{files[0].parent} cannot be read", reason, "download the release again"
            ) from error
        return int(pq.read_metadata(file).num_rows)


def _write_template(file: Path, name: str, **values: Any) -> None:
    """Write a file from a template in `exports/`; scripts are executable."""
    environment = make_environment(TEMPLATES, keep_trailing_newline=True, trim_blocks=True)
    environment.filters["sh"] = shlex.quote
    with explained(f"cannot write {file}"):
        file.write_text(environment.get_template(name).render(values), encoding="utf-8")
        if file.suffix == ".sh":
            file.chmod(0o755)
