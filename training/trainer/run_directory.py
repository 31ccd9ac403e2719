"""The folder of a training run: its identity, its checkpoints and the record of its end.

    model files, README.md                with adapters also adapter/
    metrics.jsonl                         figures of each step, written during the run
    checkpoints/checkpoint-N/             the trainer's latest checkpoints
    checkpoints/completions/              answers of GRPO with their rewards
    results.json                          figures of evaluations, for the card
    .venus/run.json                       recipe, data and initial model of the run
    training.json                         facts of the finished run; written last

A folder can only resume its own run.
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
class TrainedModel:
    """A trained model and the record of its run."""

    folder: Path  # a value for the ``model`` of another recipe
    method: str
    steps: int  # of the optimiser, including those before an interruption
    rows: int  # training rows
    overlong: int  # rows that did not fit into the context
    seconds: float  # wall time over all calls, without steps that were lost and repeated
    resumed_from: int  # the step that the last call resumed after; 0: it started afresh
    # figures of each logged step, such as ``loss`` and ``reward``
    log: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]  # sentences about surprises, such as dropped rows
    facts: Mapping[str, Any]  # the whole of training.json


class RunDirectory:
    """A folder to train into; the store locks it.

    Only the main process of a run has a store; without one nothing is written.
    """

    def __init__(self, folder: Path, store: Store | None) -> None:
        self._store = store
        self.folder = folder
        self.checkpoints = folder / CHECKPOINTS
        self.cache = folder / WORK / "data"

    def begin(self, identity: Mapping[str, Any], resume: bool) -> None:
        """Check that the folder is empty or holds the same run, and record the run's identity.

        Args:
            identity: Recipe, data and model of the run; data and model are compared by ``digest``,
                not by path.
            resume: Resume an earlier run; if False, remove its files, but no others.

        Raises:
            UsageError: The folder holds another run; the error lists the differences.
            StoreError: The folder cannot be written.
        """
        if self._store is None:  # the main process checks the folder
            return
        begun = read_json(self.folder / BEGUN)
        if not resume:
            with explained(f"cannot write into {self.folder}"):
                for name in (CHECKPOINTS, "adapter"):
                    shutil.rmtree(self.folder / name, ignore_errors=True)
                # run.json goes last: until then, it identifies the remaining files.
                for name in (DONE, LOG, RESULTS, BEGUN):
                    (self.folder / name).unlink(missing_ok=True)
        elif begun is not None:
            changes = differences(identity["recipe"], begun["recipe"])
            for key in ("data", "model"):
                if identity[key]["digest"] != begun[key]["digest"]:
                    theirs, mine = (
                        f"{run['name']} at {run['revision'] or 'an unknown revision'} "
                        f"({run['digest'][:12]})"
                        for run in (begun[key], identity[key])
                    )
                    changes.append(f"the {key} was {theirs} and is {mine}")
            if changes:
                fix = "choose another --out, or --no-resume to start over (its content is removed)"
                raise UsageError(f"{self.folder} holds another run", "; ".join(changes), fix)
        self._write_json(BEGUN, identity)

    def done(self) -> dict[str, Any] | None:
        """Return the facts of a finished run; None before it is finished."""
        return read_json(self.folder / DONE)

    def trained(
        self, facts: Mapping[str, Any], log: Sequence[Mapping[str, Any]] | None = None
    ) -> TrainedModel:
        """Return the model of a finished run with these facts; reads its log unless it is given."""
        same = {
            name: facts[name] for name in ("steps", "rows", "overlong", "seconds", "resumed_from")
        }
        return TrainedModel(
            folder=self.folder,
            method=facts["recipe"]["method"],
            log=tuple(self.read_log() if log is None else log),
            notes=tuple(facts["notes"]),
            facts=facts,
            **same,
        )

    def write_log(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Write the figures of each logged step, one JSON object per line."""
        self._write(LOG, json_lines(log))

    def add_to_log(self, line: Mapping[str, Any]) -> None:
        """Append the figures of a step, so that the run can be watched.

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
        """Return the figures of each logged step."""
        lines = list[dict[str, Any]]()
        for text in self._text(LOG).split("\n"):
            try:
                lines.append(json.loads(text))
            # the end, or a line that a killed process wrote halfway
            except ValueError:
                break
        return lines

    def write_card(self, text: str) -> None:
        """Write the model's card."""
        self._write(CARD, text)

    def card(self) -> str:
        """Return the existing card; empty without one."""
        return self._text(CARD)

    def write_results(self, results: Sequence[ReportedResult]) -> None:
        """Save the figures of evaluations for later cards."""
        self._write_json(RESULTS, [dataclasses.asdict(result) for result in results])

    def results(self) -> tuple[ReportedResult, ...]:
        """Return the saved figures of evaluations."""
        rows = json.loads(self._text(RESULTS) or "[]")
        return tuple(
            ReportedResult(**{**row, "interval": row["interval"] and tuple(row["interval"])})
            for row in rows
        )

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Record that the model is complete, and remove the data cache."""
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
    """Return the newest complete checkpoint: the trainer writes its state file last."""
    complete = [
        folder
        for folder in checkpoints.glob("checkpoint-*")
        if re.fullmatch(r"checkpoint-\d+", folder.name)
        and read_json(folder / "trainer_state.json") is not None
    ]
    return max(complete, key=step_of, default=None)


def step_of(checkpoint: Path) -> int:
    """Return the step after which a checkpoint was saved."""
    return int(checkpoint.name.split("-")[1])
