"""Progress on stderr: a bar with the remaining time for each stage, or one line per stage where nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def stage_progress(enabled: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that is told the stage, how much of it is done, and how much there is."""
    if not enabled:
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True)) as bars:

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield advance


def _lines() -> Callable[[str, int, int], None]:
    """Say a stage when it is a tenth further: enough for a log file."""
    said: dict[str, int] = {}

    def advance(stage: str, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if said.get(stage) != tenth:
            said[stage] = tenth
            click.echo(f"{stage}: {done} of {total}", err=True)

    return advance
