"""The folder that a model is trained into: what it is being trained with, checkpoints, and what says that it is done.

    model files, README.md, log.jsonl     with adapters also adapter/
    checkpoints/checkpoint-N/             of the trainer; the last few
    results.json                          figures of evaluations, for the card
    .venus/run.json                       what the run began with
    training.json                         what was done; written last

Only the same run goes on in it.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.card import Result
from venus_toolkit.errors import UsageError
from venus_toolkit.store import WORK, Store, explained
from venus_toolkit.training.recipe import differences

DONE = "training.json"
LOG = "log.jsonl"
RESULTS = "results.json"
BEGUN = f"{WORK}/run.json"
CHECKPOINTS = "checkpoints"
STATE = "trainer_state.json"
CHECKPOINT = re.compile(r"checkpoint-(\d+)")


class Place:
    """A folder to train into.

    Args:
        folder: Where.
        store: Writes into it and keeps others out; None: another process of the same run does.
    """

    def __init__(self, folder: Path, store: Store | None) -> None:
        self._store = store
        self.folder = folder
        self.checkpoints = folder / CHECKPOINTS
        self.cache = folder / WORK / "data"

    def begin(self, identity: Mapping[str, Any], resume: bool) -> None:
        """Make sure that what lies here is the same run, or nothing; write down what the run is.

        Args:
            identity: Recipe, data and model of the run; the latter two by their ``digest``, wherever they lie.
            resume: Go on; else what lies here of an earlier run is removed.

        Raises:
            UsageError: Another run lies here; says what differs.
            StoreError: The folder cannot be written.
        """
        if self._store is None:
            return
        begun = _read(self.folder / BEGUN)
        if not resume:
            self._forget()
        elif begun is not None:
            self._refuse_other(identity, begun)
        self._write(BEGUN, json.dumps(identity, indent=1) + "\n")

    def _refuse_other(self, identity: Mapping[str, Any], begun: Mapping[str, Any]) -> None:
        found = differences(identity["recipe"], begun["recipe"])
        for key in ("data", "model"):
            mine, theirs = identity[key], begun[key]
            if mine["digest"] != theirs["digest"]:
                found.append(f"the {key} was {_named(theirs)} and is {_named(mine)}")
        if found:
            fix = "choose another --out, or --no-resume to begin again (what lies there is removed)"
            raise UsageError(f"{self.folder} holds another run", "; ".join(found), fix)

    def _forget(self) -> None:
        """Remove what a run leaves, and nothing that somebody else put here."""
        with explained(f"cannot write into {self.folder}"):
            for name in (CHECKPOINTS, "adapter"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            for name in (DONE, LOG, RESULTS, BEGUN):
                (self.folder / name).unlink(missing_ok=True)

    def last_checkpoint(self) -> Path | None:
        """Return the newest checkpoint that is whole."""
        return last_checkpoint(self.checkpoints)

    def done(self) -> dict[str, Any] | None:
        """Return what is said of a finished run, or None."""
        return _read(self.folder / DONE)

    def write_log(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Write the figures of each step that was logged, a JSON object a line."""
        self._write(LOG, "".join(json.dumps(line) + "\n" for line in log))

    def read_log(self) -> list[dict[str, Any]]:
        """Return the figures of each step that was logged."""
        file = self.folder / LOG
        return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []

    def write_card(self, text: str) -> None:
        """Write the model's card."""
        self._write("README.md", text)

    def card(self) -> str:
        """Return the card that is there, or nothing."""
        file = self.folder / "README.md"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def write_results(self, results: Sequence[Result]) -> None:
        """Keep the figures of evaluations for cards to come."""
        self._write(RESULTS, json.dumps([dataclasses.asdict(each) for each in results], indent=1) + "\n")

    def results(self) -> tuple[Result, ...]:
        """Return the figures of evaluations that were kept."""
        file = self.folder / RESULTS
        rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        return tuple(Result(**{**row, "interval": row["interval"] and tuple(row["interval"])}) for row in rows)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Say that the model is whole, and remove what is no longer of use."""
        self._write(DONE, json.dumps(facts, indent=1) + "\n")
        shutil.rmtree(self.cache, ignore_errors=True)

    def _write(self, name: str, text: str) -> None:
        if self._store:
            self._store.write_text(name, text)


def last_checkpoint(checkpoints: Path) -> Path | None:
    """Return the newest checkpoint that is whole: its state is written after everything else of it."""
    found = {}
    for folder in checkpoints.glob("checkpoint-*"):
        number = CHECKPOINT.fullmatch(folder.name)
        if number and _read(folder / STATE) is not None:
            found[int(number[1])] = folder
    return found[max(found)] if found else None


def step_of(checkpoint: Path) -> int:
    """Return the step after which a checkpoint was made."""
    return int(checkpoint.name.split("-")[1])


def _named(told: Mapping[str, Any]) -> str:
    return f"{told['name']} at {told['revision'] or 'an unknown revision'} ({told['digest'][:12]})"


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
