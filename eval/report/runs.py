"""Finished evaluations as a report needs them: read, refused where they are none, cut to the tasks that all have."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit import __version__
from venus_toolkit.errors import ReleaseError, UsageError
from venus_toolkit.eval.metrics import OBJECTIVES, Place
from venus_toolkit.eval.results import REFERENCE_SCHEMA, REFERENCES, RESULTS, SCHEMA
from venus_toolkit.eval.score import Outcome
from venus_toolkit.store import MANIFEST, checksum, read_manifest

ITERATION = "iteration"
LOOP = (ITERATION, "mode", "start", "decision", "public_passed")  # of runs that iterated
NOT_READ = ("answer",)
PLACES, OUTCOMES = frozenset(map(str, Place)), frozenset(map(str, Outcome))

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One finished evaluation.

    name: what the report calls it, different for each run. rows: of results.parquet, with an `iteration` in each, 0
    where there are none. references: rows of references.parquet by task.
    """

    name: str
    folder: Path
    manifest: Mapping[str, Any]
    rows: Sequence[Row]
    references: Mapping[str, Sequence[Row]]

    @property
    def model(self) -> str:
        """The model that was asked; of a replay the file without its folders, which are nobody's business."""
        kind, colon, rest = str(self.rows[0]["model"]).partition(":")
        return f"{kind}:{Path(rest).name}" if colon and kind == "replay" else f"{kind}{colon}{rest}"

    @property
    def objective(self) -> str:
        """What its prompts asked for."""
        return str(self.rows[0]["objective"])

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the evaluation."""
        found = self.manifest.get("options")
        return found if isinstance(found, dict) else {}

    @property
    def tasks(self) -> set[str]:
        """The tasks of which a sample counts."""
        return {row["task"] for row in self.rows if row["passed"] is not None}

    @property
    def repeats(self) -> int:
        """How often each program was measured; 0 where none was."""
        return max((row["repeats"] or 0 for row in self.rows), default=0)

    @property
    def iterations(self) -> list[int]:
        """The iterations that were made, in order."""
        return sorted({row[ITERATION] for row in self.rows})

    def after(self, iteration: int) -> list[Row]:
        """Return the row of each sample as it stood after an iteration; one that ended earlier keeps its last."""
        latest: dict[tuple[str, int], Row] = {}
        for row in self.rows:
            key, at = (row["task"], row["sample"]), row[ITERATION]
            if at <= iteration and (key not in latest or at >= latest[key][ITERATION]):
                latest[key] = row
        return list(latest.values())

    def final(self) -> list[Row]:
        """Return the row of each sample after the last iteration."""
        return self.after(self.iterations[-1])

    def only(self, tasks: Collection[str]) -> Run:
        """Return the run with some of its tasks."""
        kept = {task: rows for task, rows in self.references.items() if task in tasks}
        return replace(self, rows=[row for row in self.rows if row["task"] in tasks], references=kept)


class Compared(NamedTuple):
    """Runs, cut to the tasks that all of them have, and what a reader has to know, in sentences."""

    runs: Sequence[Run]
    notes: Sequence[str]


# ------------------------------------------------------------------ reading


def open_runs(folders: Sequence[Path]) -> list[Run]:
    """Return the runs of some folders, each with a name of its own.

    Raises:
        UsageError: No folder, or one twice.
        ReleaseError: A folder is no finished evaluation, holds no rows, or cannot be read by this version.
    """
    twice = [folder for place, folder in enumerate(folders) if folder.resolve() in _resolved(folders[:place])]
    if twice:
        raise UsageError(f"{twice[0]} is named twice", "a run is compared with others", "name each folder once")
    if not folders:
        raise UsageError("there is nothing to report", "no run folder is named", "type: venus report FOLDER --out DIR")
    return _named([open_run(folder) for folder in folders])


def _resolved(folders: Sequence[Path]) -> list[Path]:
    return [folder.resolve() for folder in folders]


def open_run(folder: Path) -> Run:
    """Return the run of a folder.

    Raises:
        ReleaseError: It is no finished evaluation, holds no rows, or cannot be read by this version.
    """
    manifest = _read_manifest(folder)
    rows = _read_rows(folder, RESULTS, SCHEMA, manifest)
    if not rows:
        why = "its results.parquet has no row"
        raise ReleaseError(f"{folder} has nothing to report", why, "evaluate at least one task: venus eval --help")
    _check_words(folder, rows, manifest)
    references: dict[str, list[Row]] = {}
    for row in _read_rows(folder, REFERENCES, REFERENCE_SCHEMA, manifest):
        references.setdefault(row["task"], []).append(row)
    rows = [{**dict.fromkeys(LOOP), **row, ITERATION: row.get(ITERATION) or 0} for row in rows]
    return Run(folder.resolve().name, folder, manifest, rows, references)


def _read_manifest(folder: Path) -> Mapping[str, Any]:
    manifest = read_manifest(folder)
    if manifest is None and not (folder / MANIFEST).exists():
        why = "a manifest.json is written when an evaluation ends, and there is none"
        fix = "type the venus eval command of this folder again: it goes on where it was"
        raise ReleaseError(f"{folder} is no finished evaluation", why, fix)
    if not isinstance(manifest, dict) or manifest.get("kind") != "evaluation":
        why = "its manifest.json is not that of venus eval"
        raise ReleaseError(f"{folder} is no evaluation", why, "name the --out folder of a venus eval")
    return manifest


def _read_rows(folder: Path, name: str, schema: pa.Schema, manifest: Mapping[str, Any]) -> list[Row]:
    file = folder / name
    files = manifest.get("files")
    try:
        if isinstance(files, dict) and files.get(name) not in (None, checksum(file)):
            why = f"{name} is not the file that its manifest names"
            raise ReleaseError(f"{folder} was changed", why, "evaluate again, into another folder")
        found = pq.read_schema(file)
        _check_columns(folder, name, found, schema, manifest)
        wanted = [column for column in (*schema.names, *LOOP) if column in found.names and column not in NOT_READ]
        rows: list[Row] = pq.read_table(file, columns=wanted).to_pylist()
    except (OSError, pa.ArrowException) as error:
        why = f"it has no {name}" if isinstance(error, FileNotFoundError) else str(error).split("\n")[0]
        raise ReleaseError(f"{folder} is no finished evaluation", why, "type: venus eval --help") from error
    return rows


def _check_columns(folder: Path, name: str, found: pa.Schema, wanted: pa.Schema, manifest: Mapping[str, Any]) -> None:
    needed = [column for column in wanted if column.name not in NOT_READ]
    wrong = [column.name for column in needed if column.name not in found.names or _differs(found, column)]
    if wrong:
        why = f"{name} lacks {', '.join(wrong[:4])} or has them in another form"
        raise _another_version(folder, why, manifest)


def _differs(found: pa.Schema, column: pa.Field) -> bool:
    """Whether a column has another type; the name of the items of a list is none of a type."""
    types = (found.field(column.name).type, column.type)
    listed = [type_.value_type if pa.types.is_list(type_) else type_ for type_ in types]
    return bool(pa.types.is_list(types[0]) != pa.types.is_list(types[1]) or listed[0] != listed[1])


def _check_words(folder: Path, rows: Sequence[Row], manifest: Mapping[str, Any]) -> None:
    places = {row[f"place_{objective}"] for row in rows for objective in OBJECTIVES} - {None} - PLACES
    odd = sorted(map(str, places | ({row["outcome"] for row in rows} - OUTCOMES)))
    if odd:
        raise _another_version(folder, f"it says {odd[0]!r}, which is not known here", manifest)


def _another_version(folder: Path, why: str, manifest: Mapping[str, Any]) -> ReleaseError:
    made = str(manifest.get("toolkit", "unknown"))
    fix = f"it was made by version {made} of the toolkit, this is {__version__}: use that one, or evaluate again"
    return ReleaseError(f"{folder} cannot be read", why, fix)


def _named(runs: Sequence[Run]) -> list[Run]:
    """Return the runs, each called by as little as tells it from the others: model, objective, folder, number."""
    names = [run.model for run in runs]
    numbers = [str(number) for number in range(1, len(runs) + 1)]
    for details in ([run.objective for run in runs], [run.name for run in runs], numbers):
        names = _told_apart(names, details)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def _told_apart(names: Sequence[str], details: Sequence[str]) -> list[str]:
    """Return the names, with a detail where several are equal and their details are not."""
    pairs = list(zip(names, details, strict=True))
    return [
        f"{name}, {detail}" if any(other == name and its != detail for other, its in pairs) else name
        for name, detail in pairs
    ]


# ------------------------------------------------------------------ what can be compared


def common_tasks(runs: Sequence[Run]) -> Compared:
    """Return the runs with the tasks that all of them have, and what a reader has to know.

    Raises:
        UsageError: No task is in all of them.
    """
    common = set.intersection(*(run.tasks for run in runs))
    if not common:
        counts = ", ".join(f"{run.name}: {len(run.tasks)}" for run in runs)
        why = f"no task has a sample that counts in each run ({counts})"
        raise UsageError(
            "the runs cannot be compared", why, "name runs of the same data, or finish those that are partial"
        )
    notes = [note for run in runs for note in _of_itself(run)]
    if any(run.tasks != common for run in runs):
        counts = ", ".join(f"{run.name} has {len(run.tasks)}" for run in runs)
        notes.append(
            f"The runs have different tasks ({counts}). Only the {len(common)} that all have are compared here."
        )
    return Compared([run.only(common) for run in runs], [*notes, *_between(runs)])


def _of_itself(run: Run) -> list[str]:
    found = []
    if run.manifest.get("partial"):
        lost = run.manifest.get("missing")
        why = ", ".join(f"{count} {reason}" for reason, count in lost.items()) if isinstance(lost, dict) else ""
        found.append(f"{run.name} is partial: what is missing counts nowhere{f' ({why})' if why else ''}.")
    if run.manifest.get("contamination"):
        found.append(f"{run.name}: {run.manifest['contamination']}.")
    if any(row["references_from"] == "published" for row in run.rows):
        found.append(
            f"{run.name} is ranked among published figures of another machine: its ranks compare machines too."
        )
    if is_newer(str(run.manifest.get("toolkit", ""))):
        made = run.manifest["toolkit"]
        found.append(
            f"{run.name} was made by version {made}, newer than this one ({__version__}): what is new is not shown."
        )
    unranked = {row["task"] for row in run.rows if row["unranked"]}
    if unranked:
        found.append(f"{run.name} has {len(unranked)} tasks without a rank: they count in Pass@1 only.")
    return found


def is_newer(version: str) -> bool:
    """Return whether a version of the toolkit is newer than this one; what cannot be read is not."""
    return _numbers(version) > _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(digits[:9]) for digits in re.findall(r"[0-9]+", version)[:3])


def _between(runs: Sequence[Run]) -> list[str]:
    """Return what differs between runs and should not, or should be known."""
    told: dict[str, list[Any]] = {
        "The runs were measured on different machines: ranks compare, seconds and bytes do not.": [
            run.manifest.get("fingerprint") for run in runs
        ],
        "The runs are of different data, or of different versions of them: tasks of one name may differ.": [
            (run.manifest.get("release") or {}).get("files") for run in runs
        ],
        "The prompts of the runs asked for different objectives.": [run.objective for run in runs],
        "Ranks were made in different ways (--rank, --ties).": [
            (run.options.get("rank"), run.options.get("ties")) for run in runs
        ],
        "The programs were measured with different numbers of repeats.": [run.repeats for run in runs if run.repeats],
    }
    return [note for note, values in told.items() if any(value != values[0] for value in values)]
