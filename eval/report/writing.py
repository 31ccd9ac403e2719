"""A report on disk: report.html, report.md and the pictures, each whole or not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.eval.report.facts import Facts, find_facts
from venus_toolkit.eval.report.page import render_markdown, render_page
from venus_toolkit.eval.report.pictures import FORMATS, draw_pictures
from venus_toolkit.eval.report.programs import view_tasks
from venus_toolkit.store import explained

PAGE, TEXT = "report.html", "report.md"
PICTURES = ("places", "curves")
TITLE = "Evaluation of models"


class Written(NamedTuple):
    """What was written, and what it says."""

    files: Sequence[Path]
    facts: Facts


def write_report(
    folders: Sequence[Path], out: Path, by: str = "time", programs: int = 2, title: str = TITLE, seed: int = 0
) -> Written:
    """Write a report on some run folders.

    Args:
        folders: Of finished evaluations.
        out: Where to; made if it does not exist. A report that is there is replaced.
        by: The metric that orders the leaderboard: `passed`, `time`, `memory` or `integral`.
        programs: How many programs of each run and task are on the page.
        title: Of the page.
        seed: Of everything that is resampled.

    Raises:
        UsageError: An unknown metric, or runs that have no task in common.
        ReleaseError: A folder is no finished evaluation, or cannot be read.
        StoreError: The files cannot be written.
    """
    facts, runs = find_facts(folders, by, seed)
    tasks = view_tasks(runs, programs)
    pictures = draw_pictures(facts)
    texts = {
        PAGE: render_page(facts, runs, tasks, title),
        TEXT: render_markdown(facts, tasks, title, list(pictures)),
    }
    files = _write(out, {**{name: text.encode() for name, text in texts.items()}, **pictures})
    return Written(files, facts)


def _write(out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    with explained(f"cannot write the report into {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            draft = out / f".{name}.draft"
            draft.write_bytes(content)
            draft.replace(out / name)
        for name in (f"{picture}.{kind}" for picture in PICTURES for kind in FORMATS):
            if name not in contents:
                (out / name).unlink(missing_ok=True)
    return [out / name for name in contents]
