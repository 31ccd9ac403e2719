"""The folder that a model is trained into.

What the run began with, checkpoints, and the record of a finished run.

    model files, README.md                with adapters also adapter/
    metrics.jsonl                         figures of each step, written as they come
    checkpoints/checkpoint-N/             of the trainer; the last few
    checkpoints/completions/              answers of GRPO with their rewards
    results.json                          figures of evaluations, for the card
    .venus/run.json                       what the run began with
    training.json                         what was done; written last

Only the same run can be resumed in it.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import json_lines
from venus_toolkit.core.store import WORK, Store, explained, read_json
from venus_toolkit.dataset.card.model_card import ReportedResult
from venus_toolkit.training.recipe import differences

CHECKPOINTS = "checkpoints"
DONE, LOG, RESULTS, CARD = "training.json", "metrics.jsonl", "results.json", "README.md"
BEGUN = f"{WORK}/run.json"


@dataclass(frozen=True, slots=True)
class Trained:
    """A model that was trained."""

    folder: Path  # another run takes it as its ``model``
    method: str
    steps: int  # of the optimiser, those before a stop included
    rows: int  # that it learned from
    overlong: int  # rows that did not fit into the context
    seconds: float  # wall time over all calls, without that of steps that were lost
    resumed_from: int  # the step at which that call went on; 0: at the beginning
    # figures of each step that was logged, such as ``loss`` and ``reward``
    log: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]  # sentences on what is not as one may think
    facts: Mapping[str, Any]  # all of training.json


class RunDirectory:
    """A folder to train into; the store keeps others out.

    Without one, another process of the same run writes.
    """

    def __init__(self, folder: Path, store: Store | None) -> None:
        self._store = store
        self.folder = folder
        self.checkpoints = folder / CHECKPOINTS
        self.cache = folder / WORK / "data"

    def begin(self, identity: Mapping[str, Any], resume: bool) -> None:
        """Make sure that what is here is the same run, or nothing; write down what the run is.

        Args:
            identity: Recipe, data and model of the run; the latter two by their ``digest``,
                wherever they are.
            resume: Go on; else what an earlier run left here is removed, and nothing that somebody
                else put here.

        Raises:
            UsageError: Another run is here; says what differs.
            StoreError: The folder cannot be written.
        """
        if self._store is None:  # the main process looks after the folder
            return
        begun = read_json(self.folder / BEGUN)
        if not resume:
            with explained(f"cannot write into {self.folder}"):
                for name in (CHECKPOINTS, "adapter"):
                    shutil.rmtree(self.folder / name, ignore_errors=True)
                # run.json goes last: until then, what is left is known to be of the earlier run.
                for name in (DONE, LOG, RESULTS, BEGUN):
                    (self.folder / name).unlink(missing_ok=True)
        elif begun is not None:
            changes = differences(identity["recipe"], begun["recipe"])
            for key in ("data", "model"):
                if identity[key]["digest"] != begun[key]["digest"]:
                    theirs, mine = (
                        f"{each['name']} at {each['revision'] or 'an unknown revision'} "
                        f"({each['digest'][:12]})"
                        for each in (begun[key], identity[key])
                    )
                    changes.append(f"the {key} was {theirs} and is {mine}")
            if changes:
                fix = "choose another --out, or --no-resume to start over (its content is removed)"
                raise UsageError(f"{self.folder} holds another run", "; ".join(changes), fix)
        self._write_json(BEGUN, identity)

    def done(self) -> dict[str, Any] | None:
        """Return the facts of a finished run, or None."""
        return read_json(self.folder / DONE)

    def trained(
        self, facts: Mapping[str, Any], log: Sequence[Mapping[str, Any]] | None = None
    ) -> Trained:
        """Return the model that a finished run left here, by its facts.

        Its log is read where it is not given.
        """
        same = {
            name: facts[name] for name in ("steps", "rows", "overlong", "seconds", "resumed_from")
        }
        return Trained(
            folder=self.folder,
            method=facts["recipe"]["method"],
            log=tuple(self.read_log() if log is None else log),
            notes=tuple(facts["notes"]),
            facts=facts,
            **same,
        )

    def write_log(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Write the figures of each step that was logged, one JSON object per line."""
        self._write(LOG, json_lines(log))

    def add_to_log(self, line: Mapping[str, Any]) -> None:
        """Add the figures of a step, for those who watch the run.

        Raises:
            StoreError: The folder cannot be written.
        """
        if self._store:
            with (
                explained(f"cannot write into {self.folder}"),
                (self.folder / LOG).open("a", encoding="utf-8") as file,
            ):
                file.write(json_lines([line]))

    def read_log(self) -> list[dict[str, Any]]:
        """Return the figures of each step that was logged."""
        lines = list[dict[str, Any]]()
        for text in self._text(LOG).split("\n"):
            try:
                lines.append(json.loads(text))
            # the end, or a line that was being written when the process was killed
            except ValueError:
                break
        return lines

    def write_card(self, text: str) -> None:
        """Write the model's card."""
        self._write(CARD, text)

    def card(self) -> str:
        """Return the card that is there, or nothing."""
        return self._text(CARD)

    def write_results(self, results: Sequence[ReportedResult]) -> None:
        """Keep the figures of evaluations for cards to come."""
        self._write_json(RESULTS, [dataclasses.asdict(each) for each in results])

    def results(self) -> tuple[ReportedResult, ...]:
        """Return the figures of evaluations that were kept."""
        rows = json.loads(self._text(RESULTS) or "[]")
        return tuple(
            ReportedResult(**{**row, "interval": row["interval"] and tuple(row["interval"])})
            for row in rows
        )

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Record that the model is whole, and remove files that are no longer needed."""
        self._write_json(DONE, facts)
        shutil.rmtree(self.cache, ignore_errors=True)

    def _text(self, name: str) -> str:
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def _write_json(self, name: str, value: Any) -> None:
        if self._store:
            self._store.write_json(name, value)

    def _write(self, name: str, text: str) -> None:
        if self._store:
            self._store.write_text(name, text)


def last_checkpoint(checkpoints: Path) -> Path | None:
    """Return the newest checkpoint that is whole.

    The trainer writes its state after everything else of it.
    """
    whole = [
        folder
        for folder in checkpoints.glob("checkpoint-*")
        if re.fullmatch(r"checkpoint-\d+", folder.name)
        and read_json(folder / "trainer_state.json") is not None
    ]
    return max(whole, key=step_of, default=None)


def step_of(checkpoint: Path) -> int:
    """Return the step after which a checkpoint was made."""
    return int(checkpoint.name.split("-")[1])
