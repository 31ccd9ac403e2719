"""What commands print: tables and JSON on stdout, progress on stderr."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import click

from venus_toolkit.core.activity import activities

LONG_S = 10  # after which a line of a stage says how long it takes
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
        _ProgressLine.at, _ProgressLine.line = time.monotonic(), line
        click.echo(line, err=True)


def _quiet() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(QUIET))


def _verbose() -> bool:
    return logging.getLogger("venus_toolkit").isEnabledFor(logging.INFO)


def line_progress(as_json: bool) -> Callable[[str], None]:
    """Return a function that prints lines of progress on a terminal or with --verbose.

    Elsewhere the last line is printed when the command has been silent for long. For commands that
    measure one program: a live bar would be redrawn on the core that is being measured.
    """

    def note(line: str) -> None:
        _ProgressLine.line = line

    shown = not _quiet() and (_verbose() or (not as_json and sys.stderr.isatty()))
    return log_line if shown else note


def printable(text: str) -> str:
    """Return what a model or its program wrote, without what would steer a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


class _Stage(NamedTuple):
    """How far a stage is and since when, and how far it was when it was first heard of."""

    done: int
    total: int
    since: float
    first: int
    begun: float

    def timing(self) -> str:
        """Return how long it takes so far, and about how long it will.

        The rest is expected to take as long for each item as those that are done. An item that
        takes longer does not lengthen what was said.
        """
        now, count = time.monotonic(), self.done - self.first
        seconds = duration(now - self.begun)
        if count <= 0 or self.done >= self.total:
            return seconds
        of_each = (self.since - self.begun) / count
        left = of_each * (self.total - self.done) - min(now - self.since, of_each)
        return f"{seconds}, about {duration(left)} left" if left > 0 else seconds


class _ProgressLine:
    """What is shown of the progress of this process, which runs one command at a time."""

    stages: ClassVar[dict[str, _Stage]] = {}
    line = ""  # the last one that was printed
    at = 0.0  # when that was
    beating = False  # whether a thread prints what a silent command is at
    bars = False  # whether bars show it already


def duration(seconds: float) -> str:
    """Return a time for people: ``8 s``, ``12 min``, ``2 h 5 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def at_work() -> str:
    """Return what the threads of this process are at, and for how long; empty: nobody says."""
    # here, because `venus --help` loads this module
    from venus_toolkit.core.formatting import one_line

    listed = activities()
    # A command waits for its threads: what they are at says more than what it is at itself. While a
    # stage is shown, its name says nothing.
    mine = [activity for activity in listed if len(activity.words) > 1 or not _ProgressLine.stages]
    chosen = [activity for activity in listed if not activity.of_main_thread] or mine
    shown = [
        f"{': '.join(activity.words)} for {duration(activity.seconds)}" for activity in chosen[:2]
    ]
    more = [f"{len(chosen) - 2} more"] if len(chosen) > 2 else []
    return one_line(", ".join(shown + more))


def _beat() -> str:
    """Return the line that says what a silent command is at."""
    running = [
        (name, progress)
        for name, progress in _ProgressLine.stages.items()
        if progress.done < progress.total
    ]
    stage = ""
    if running:
        name, last = running[-1]
        stage = f"{name}: {last.done} of {last.total}, {last.timing()}"
    elif _ProgressLine.line:
        stage = _ProgressLine.line.partition(";")[0]
    return "; ".join(filter(None, (stage, at_work())))


@contextmanager
def heartbeat(first_s: float) -> Iterator[None]:
    """Print what the command is at when it was silent for some seconds, and then more seldom.

    Silence that lasts is broken after twice as long each time, and at least once a minute.
    """
    if _ProgressLine.beating or _quiet():
        yield
        return
    stopped: list[bool] = []
    _ProgressLine.at, _ProgressLine.line = time.monotonic(), ""

    def beat() -> None:
        silence, last_line = first_s, _ProgressLine.at
        while not stopped:
            time.sleep(0.1)
            if _ProgressLine.at != last_line:
                silence, last_line = first_s, _ProgressLine.at
            if _ProgressLine.bars or time.monotonic() - last_line < silence or stopped:
                continue
            if line := _beat():
                click.echo(line, err=True)
            silence += min(silence, 60)

    _ProgressLine.beating = True
    # Nobody waits for it: an interrupted command ends at once.
    threading.Thread(target=beat, name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        stopped.append(True)
        _ProgressLine.beating = False


@contextmanager
def stage_progress(as_json: bool = False) -> Iterator[Callable[..., None]]:
    """Give a function that takes a stage, how much of it is done, and how much there is.

    A terminal shows a bar with the remaining time for each stage, and what is being worked on; with
    --json or --verbose, or where stderr goes elsewhere, there is a line for each tenth of a stage:
    enough for a log file. Where that takes long, another line says what is being worked on. With
    --quiet there is nothing. The function also takes a `note`, which is shown beside the stage.
    """
    _ProgressLine.stages.clear()
    if _quiet():
        yield lambda stage, done, total, note="": None
        return
    if as_json or _verbose() or not sys.stderr.isatty():
        tenths: dict[str, int] = {}

        def print_tenth(stage: str, done: int, total: int, note: str = "") -> None:
            now = _follow(stage, done, total)
            tenth = 10 * done // max(total, 1)  # a stage may have nothing to do
            if tenths.get(stage) != tenth:
                tenths[stage] = tenth
                timing = now.timing() if time.monotonic() - now.begun >= LONG_S else ""
                log_line(", ".join(filter(None, (f"{stage}: {done} of {total}", note, timing))))

        try:
            with heartbeat(LONG_S):
                yield print_tenth
        finally:
            _ProgressLine.stages.clear()
        return
    from rich import progress
    from rich.console import Console, RenderableType
    from rich.text import Text

    class Remaining(progress.ProgressColumn):
        def render(self, task: progress.Task) -> Text:
            stage = _ProgressLine.stages.get(str(task.fields["stage"]))
            return Text(stage.timing() if stage and not task.finished else "")

    class Bars(progress.Progress):
        """Bars, and below them what is being worked on."""

        def get_renderables(self) -> Iterable[RenderableType]:
            yield from super().get_renderables()
            if (line := at_work()) and not self.finished:
                yield Text(f"at {line}", overflow="ellipsis", no_wrap=True)

    columns = (
        progress.TextColumn("{task.description:<16}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        Remaining(),
    )
    tasks: dict[str, progress.TaskID] = {}
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def advance(stage: str, done: int, total: int, note: str = "") -> None:
            _follow(stage, done, total)
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, stage=stage)
            shown = f"{stage}, {note}" if note else stage
            bars.update(tasks[stage], description=shown, completed=done, total=total)

        _ProgressLine.bars = True
        try:
            yield advance
        finally:
            _ProgressLine.bars = False
            _ProgressLine.at = time.monotonic()
            _ProgressLine.stages.clear()


def _follow(stage: str, done: int, total: int) -> _Stage:
    now = time.monotonic()
    last = _ProgressLine.stages.get(stage) or _Stage(done, total, now, done, now)
    since = last.since if done == last.done else now
    _ProgressLine.stages[stage] = last._replace(done=done, total=total, since=since)
    return _ProgressLine.stages[stage]
