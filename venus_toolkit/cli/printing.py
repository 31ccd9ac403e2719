"""What commands print: tables and JSON on stdout, progress on stderr."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

QUIET = "venus.quiet"  # in the meta of a command's context, where --quiet was typed


def print_json(value: Any, indent: int | None = 1) -> None:
    """Print a record or plain values as one JSON object; without indent on one line."""
    # here, because `venus --help` loads this module
    from venus_toolkit.core.records import to_plain

    click.echo(json.dumps(to_plain(value), indent=indent, ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], left: int | None = None) -> None:
    """Print rows of cells as columns, the first `left` of them aligned to the left.

    Default: all.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if left is None or index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def print_model_costs(costs: Mapping[str, Any]) -> None:
    """Print how often a model was asked, and what that took."""
    tokens = f"{costs['prompt_tokens']} + {costs['completion_tokens']} tokens"
    if thought := costs.get("reasoning_tokens"):
        tokens += f" ({thought} of reasoning)"
    tokens += f", {costs['cached']} cached answers"
    click.echo(f"model      {costs['requests']} requests, {costs['failures']} failed; {tokens}")
    if endings := costs.get("endings"):
        click.echo(
            "no answer  " + ", ".join(f"{count} {ending}" for ending, count in endings.items())
        )
    print_notices(costs.get("notices", ()))


def print_notices(notices: Iterable[str]) -> None:
    """Print what a server refused, and what was done about it."""
    for notice in notices:
        click.echo(f"notice     {printable(notice)}")


def print_loading(out: Path, config: str) -> None:
    """Print the line of Python that loads what a command wrote."""
    click.echo(
        f"\nload it:   from datasets import load_dataset; load_dataset({str(out)!r}, {config!r})"
    )


def log_line(line: str) -> None:
    """Print a line of progress, unless --quiet was typed."""
    if not _quiet():
        click.echo(line, err=True)


def _quiet() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(QUIET))


def _verbose() -> bool:
    return logging.getLogger("venus_toolkit").isEnabledFor(logging.INFO)


def line_progress(as_json: bool) -> Callable[[str], None]:
    """Return a function that prints lines of progress on a terminal or with --verbose.

    For commands that measure one program: a live bar would be redrawn on the core that is being
    measured.
    """
    wanted = not _quiet() and (_verbose() or (not as_json and sys.stderr.isatty()))
    return log_line if wanted else lambda line: None


def printable(text: str) -> str:
    """Return what a model or its program wrote, without what would steer a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


@contextmanager
def stage_progress(as_json: bool = False) -> Iterator[Callable[..., None]]:
    """Give a function that takes a stage, how much of it is done, and how much there is.

    A terminal shows a bar with the remaining time for each stage; with --json or --verbose, or
    where stderr goes elsewhere, there is a line for each tenth of a stage: enough for a log file.
    With --quiet there is nothing. The function also takes a `note`, which is shown beside the
    stage.
    """
    if _quiet():
        yield lambda stage, done, total, note="": None
        return
    if as_json or _verbose() or not sys.stderr.isatty():
        tenths: dict[str, int] = {}

        def print_tenth(stage: str, done: int, total: int, note: str = "") -> None:
            tenth = 10 * done // max(total, 1)  # a stage may have nothing to do
            if tenths.get(stage) != tenth:
                tenths[stage] = tenth
                log_line(f"{stage}: {done} of {total}{note and f', {note}'}")

        yield print_tenth
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description:<16}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    tasks: dict[str, progress.TaskID] = {}
    with progress.Progress(*columns, console=Console(stderr=True)) as bars:

        def advance(stage: str, done: int, total: int, note: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            shown = f"{stage}, {note}" if note else stage
            bars.update(tasks[stage], description=shown, completed=done, total=total)

        yield advance
