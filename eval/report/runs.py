"""Reads and validates finished evaluations for a report, and reduces them to their common tasks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core import __version__
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.store import MANIFEST, checksum, read_manifest
from venus_toolkit.eval.eval_options import PUBLISHED
from venus_toolkit.eval.scoring.results import (
    LATER,
    LONG,
    LOOP,
    REFERENCE_SCHEMA,
    REFERENCES,
    RESULTS,
    SCHEMA,
)
from venus_toolkit.eval.scoring.score import SampleOutcome
from venus_toolkit.eval.scoring.summary import grouped
from venus_toolkit.execution.measuring.ranking import Place
from venus_toolkit.models.prompts import OBJECTIVES

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """One finished evaluation."""

    name: str  # its unique name in the report
    folder: Path
    manifest: Mapping[str, Any]
    rows: Sequence[Row]  # of results.parquet, with an `iteration` in each, 0 without a loop
    references: Mapping[str, Sequence[Row]]  # rows of references.parquet by task

    @property
    def model(self) -> str:
        """The model; for a replay, only the file name, because its folders are private."""
        kind, colon, rest = str(self.rows[0]["model"]).partition(":")
        return f"{kind}:{Path(rest).name}" if colon and kind == "replay" else f"{kind}{colon}{rest}"

    @property
    def objective(self) -> str:
        """The objective of its prompts."""
        return str(self.rows[0]["objective"])

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the evaluation."""
        options = self.manifest.get("options")
        return options if isinstance(options, dict) else {}

    @property
    def tasks(self) -> set[str]:
        """The tasks with a sample that counts."""
        return {row["task"] for row in self.rows if row["passed"] is not None}

    @property
    def repeats(self) -> int:
        """The number of repeats of each measured program; 0 if none was measured."""
        return max((row["repeats"] or 0 for row in self.rows), default=0)

    @property
    def iterations(self) -> list[int]:
        """The numbers of its iterations, in order."""
        return sorted({row["iteration"] for row in self.rows})

    def after(self, iteration: int) -> list[Row]:
        """Return the row of each sample after an iteration, or its last row if it ended earlier."""
        latest: dict[tuple[str, int], Row] = {}
        for row in self.rows:
            key, at = (row["task"], row["sample"]), row["iteration"]
            if at <= iteration and (key not in latest or at >= latest[key]["iteration"]):
                latest[key] = row
        return list(latest.values())

    def final(self) -> list[Row]:
        """Return the row of each sample after the last iteration."""
        return self.after(self.iterations[-1])

    def only(self, tasks: Collection[str]) -> EvaluationRun:
        """Return the run reduced to the given tasks."""
        references = {task: rows for task, rows in self.references.items() if task in tasks}
        return replace(
            self, rows=[row for row in self.rows if row["task"] in tasks], references=references
        )


def open_runs(folders: Sequence[Path]) -> list[EvaluationRun]:
    """Return the runs of the folders, each with a unique name.

    Raises:
        UsageError: No folder is named, or one is named twice.
        ReleaseError: A folder is not a finished evaluation, holds no rows, or cannot be read by
            this version.
    """
    if not folders:
        raise UsageError(
            "there is nothing to report",
            "no run folder is named",
            "type: venus report FOLDER --out DIR",
        )
    for number, folder in enumerate(folders):
        if folder.resolve() in [other.resolve() for other in folders[:number]]:
            raise UsageError(
                f"{folder} is named twice", "a run is compared with others", "name each folder once"
            )
    runs = [open_run(folder) for folder in folders]
    # A name has only as much detail as it needs to be unique: model, then objective, folder,
    # number.
    names = [run.model for run in runs]
    numbers = [str(number) for number in range(1, len(runs) + 1)]
    for details in ([run.objective for run in runs], [run.name for run in runs], numbers):
        pairs = list(zip(names, details, strict=True))
        names = [
            f"{name}, {detail}"
            if any(other == name and other_detail != detail for other, other_detail in pairs)
            else name
            for name, detail in pairs
        ]
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def open_run(folder: Path) -> EvaluationRun:
    """Return the run of a folder.

    Raises:
        ReleaseError: It is not a finished evaluation, holds no rows, or cannot be read by this
            version.
    """
    manifest = read_manifest(folder)
    if manifest is None and not (folder / MANIFEST).exists():
        reason = "a manifest.json is written when an evaluation ends, and there is none"
        fix = "type the venus eval command of this folder again to continue it"
        raise ReleaseError(f"{folder} is not a finished evaluation", reason, fix)
    if not isinstance(manifest, dict) or manifest.get("kind") != "evaluation":
        reason = "its manifest.json is not that of venus eval"
        raise ReleaseError(
            f"{folder} is not an evaluation", reason, "name the --out folder of a venus eval"
        )
    rows = _read_rows(folder, RESULTS, SCHEMA, manifest)
    if not rows:
        reason = "its results.parquet has no row"
        raise ReleaseError(
            f"{folder} has nothing to report",
            reason,
            "evaluate at least one task: venus eval --help",
        )
    places = {row[f"place_{objective}"] for row in rows for objective in OBJECTIVES} - {
        None,
        *Place,
    }
    unknown = sorted(map(str, places | ({row["outcome"] for row in rows} - {*SampleOutcome})))
    if unknown:
        raise _another_version(
            folder, f"it has the value {unknown[0]!r}, which is not known here", manifest
        )
    references = grouped(_read_rows(folder, REFERENCES, REFERENCE_SCHEMA, manifest), "task")
    rows = [
        {**dict.fromkeys((*LATER, *LOOP)), **row, "iteration": row.get("iteration") or 0}
        for row in rows
    ]
    return EvaluationRun(folder.resolve().name, folder, manifest, rows, references)


def _read_rows(
    folder: Path, name: str, schema: pa.Schema, manifest: Mapping[str, Any]
) -> list[Row]:
    file = folder / name
    files = manifest.get("files")
    # Answers are long, and the report shows only the code that they contain.
    needed = [column for column in schema if column.name not in ("answer", *LATER)]
    try:
        if isinstance(files, dict) and files.get(name) not in (None, checksum(file)):
            reason = f"{name} is not the file that its manifest names"
            raise ReleaseError(
                f"{folder} was changed", reason, "evaluate again, into another folder"
            )
        stored = pq.read_schema(file)
        types = {
            name: _item_type(kind) for name, kind in zip(stored.names, stored.types, strict=True)
        }
        wrong = [field.name for field in needed if types.get(field.name) != _item_type(field.type)]
        if wrong:
            reason = f"{name} lacks {', '.join(wrong[:4])} or has them in another form"
            raise _another_version(folder, reason, manifest)
        later = {name: SCHEMA.field(name).type for name in LATER} | LOOP
        # In an earlier version, a column of this name may have another type.
        optional = [
            name
            for name, kind in later.items()
            if types.get(name) == _item_type(kind) and name not in LONG
        ]
        columns = [column.name for column in needed] + optional
        rows: list[Row] = pq.read_table(file, columns=columns).to_pylist()
    except (OSError, pa.ArrowException) as error:
        reason = (
            f"it has no {name}"
            if isinstance(error, FileNotFoundError)
            else str(error).split("\n")[0]
        )
        raise ReleaseError(
            f"{folder} is not a finished evaluation", reason, "type: venus eval --help"
        ) from error
    return rows


def _item_type(kind: pa.DataType) -> tuple[bool, pa.DataType]:
    """Return a type for comparison, without the name of list items."""
    # The name is `element` or `item`, depending on the version of Arrow.
    return (True, kind.value_type) if pa.types.is_list(kind) else (False, kind)


def _another_version(folder: Path, reason: str, manifest: Mapping[str, Any]) -> ReleaseError:
    version = str(manifest.get("toolkit", "unknown"))
    fix = (
        f"it was made by version {version} of the toolkit, this is {__version__}: use that one, "
        "or evaluate again"
    )
    return ReleaseError(f"{folder} cannot be read", reason, fix)


def common_tasks(runs: Sequence[EvaluationRun]) -> tuple[list[EvaluationRun], list[str]]:
    """Return the runs, reduced to their common tasks, and notes for the reader.

    Raises:
        UsageError: The runs have no task in common.
    """
    common = set.intersection(*(run.tasks for run in runs))
    if not common:
        counts = ", ".join(f"{run.name}: {len(run.tasks)}" for run in runs)
        reason = f"no task has a sample that counts in each run ({counts})"
        fix = "name runs of the same data, or finish those that are partial"
        raise UsageError("the runs cannot be compared", reason, fix)
    notes = [note for run in runs for note in _notes_on(run)]
    if any(run.tasks != common for run in runs):
        counts = ", ".join(f"{run.name} has {len(run.tasks)}" for run in runs)
        notes.append(
            f"The runs have different tasks ({counts}). Only the {len(common)} that all have "
            "are compared here."
        )
    return [run.only(common) for run in runs], [*notes, *_notes_between(runs)]


def _notes_on(run: EvaluationRun) -> list[str]:
    notes = []
    if run.manifest.get("partial"):
        missing = run.manifest.get("missing")
        reasons = (
            ", ".join(f"{count} {reason}" for reason, count in missing.items())
            if isinstance(missing, dict)
            else ""
        )
        notes.append(
            f"{run.name} is partial: missing samples are not counted"
            f"{f' ({reasons})' if reasons else ''}."
        )
    if run.manifest.get("contamination"):
        notes.append(f"{run.name}: {run.manifest['contamination']}.")
    if any(row["references_from"] == PUBLISHED for row in run.rows):
        notes.append(
            f"{run.name} is ranked among published figures of another machine: its ranks compare "
            "machines too."
        )
    if is_newer(version := str(run.manifest.get("toolkit", ""))):
        notes.append(
            f"{run.name} was made by version {version}, newer than this one ({__version__}): its "
            "new columns are not shown."
        )
    unranked = {row["task"] for row in run.rows if row["unranked"]}
    if unranked:
        notes.append(
            f"{run.name} has {count_with_noun(len(unranked), 'tasks')} without a rank: "
            "only Pass@1 counts them."
        )
    return notes


def is_newer(version: str) -> bool:
    """Return whether a version of the toolkit is newer than this one; False if it is invalid."""
    # Truncated, because int() rejects more than 4300 digits, and the manifest is not trusted.
    numbers, own = (
        [int(digits[:9]) for digits in re.findall("[0-9]+", text)[:3]]
        for text in (version, __version__)
    )
    return numbers > own


def _notes_between(runs: Sequence[EvaluationRun]) -> list[str]:
    """Return notes on differences between runs that affect their comparison."""
    settings: dict[str, list[Any]] = {
        "The runs were measured on different machines: ranks compare, seconds and bytes do not.": [
            run.manifest.get("fingerprint") for run in runs
        ],
        (
            "The runs are of different data, or of different versions of them: tasks of one name "
            "may differ."
        ): [(run.manifest.get("release") or {}).get("files") for run in runs],
        "The prompts of the runs asked for different objectives.": [run.objective for run in runs],
        "Ranks were made in different ways (--rank, --ties, --rule).": [
            (run.options.get("rank"), run.options.get("ties"), run.options.get("rule", "strict"))
            for run in runs
        ],
        "The programs were measured with different numbers of repeats.": [
            run.repeats for run in runs if run.repeats
        ],
    }
    return [
        note
        for note, run_settings in settings.items()
        if any(setting != run_settings[0] for setting in run_settings)
    ]
