"""The human solutions that a program is compared with, and where their figures come from.

fresh      measured in turns with the generated programs
cached     measured in an earlier evaluation, in the same environment, with the same tests, limits and repeats
published  the dataset's own figures, of whatever machine made it: ranks say less then, and every row says so

Fresh figures are kept in the cache, a file for each task; a file is only ever found under a digest of all that its
figures depend on.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.engine import Machine
from venus_toolkit.eval.options import PUBLISHED
from venus_toolkit.eval.tasks import PUBLISHED_FIGURES, Reference, Task
from venus_toolkit.eval.workplace import Measured, Repeat, Workplace, plain_measured, read_measured
from venus_toolkit.records import Measurement, digest
from venus_toolkit.sandbox import Program


class Distribution(NamedTuple):
    """The human solutions of a task with their figures, in the same order, and where these come from."""

    references: tuple[Reference, ...]
    measured: tuple[Measured, ...]
    origin: str


def default_cache() -> Path:
    """Return the folder where figures of reference solutions are kept: VENUS_CACHE, or below the home directory."""
    return Path(os.environ.get("VENUS_CACHE") or Path.home() / ".cache" / "venus") / "references"


def published(references: Sequence[Reference]) -> Distribution:
    """Return what the dataset says of its solutions; those without figures are left out."""
    known = tuple(each for each in references if all(each.published[name] is not None for name in PUBLISHED_FIGURES))
    return Distribution(known, tuple(map(_as_published, known)), PUBLISHED)


def _as_published(reference: Reference) -> Measured:
    figures = {name: reference.published[name] for name in PUBLISHED_FIGURES}
    whole = {name: int(value or 0) for name, value in figures.items() if name != "relative_time"}
    repeat = Repeat(**whole, relative_time=figures["relative_time"])
    known = Measurement(*repeat[:4], None, repeat.relative_time, None, None, None, None, repeats=1, tests=0)
    return Measured(known, (repeat,))


class Cache:
    """Figures of reference solutions on disk.

    Args:
        folder: Where; made when it is first written to.
        place: The workplace whose environment the figures belong to.
    """

    def __init__(self, folder: Path, place: Workplace) -> None:
        self._folder = folder
        self._place = place

    def find(self, task: Task, programs: Sequence[Program], machine: Machine) -> list[Measured] | None:
        """Return what these programs cost on this task and type of machine; None: they were never measured just so."""
        try:
            kept = json.loads(self._path(task, programs, machine).read_text(encoding="utf-8"))
            return [read_measured(each) for each in kept["figures"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, task: Task, programs: Sequence[Program], measured: Sequence[Measured], machine: Machine) -> None:
        """Keep the figures."""
        path = self._path(task, programs, machine)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        kept = {"task": task.name, "figures": [plain_measured(each) for each in measured]}
        draft.write_text(json.dumps(kept), encoding="utf-8")
        draft.replace(path)

    def _path(self, task: Task, programs: Sequence[Program], machine: Machine) -> Path:
        place = self._place
        made = [place.identity(program) for program in programs]
        environment = place.fingerprint([task.head.language], machine)
        return self._folder / f"{digest(environment, place.rules(task), made)}.json"
