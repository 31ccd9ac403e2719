"""Printing of commands: tables and JSON on stdout, progress on stderr."""

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

LONG_S = 10  # time after which a line of a stage includes its duration
QUIET = "venus.quiet"  # key in the meta of a command's context, set by --quiet


def print_json(value: Any, indent: int | None = 1) -> None:
    """Print a record or plain values as one JSON object; without indent on one line."""
    # imported here to keep `venus --help` fast
    from venus_toolkit.core.records import to_plain

    click.echo(json.dumps(to_plain(value), indent=indent, ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], left: int | None = None) -> None:
    """Print rows of cells as columns; the first `left` (default: all) are left-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if left is None or index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def print_model_costs(costs: Mapping[str, Any]) -> None:
    """Print the number of requests to a model, and their tokens."""
    tokens = f"{costs['prompt_tokens']} + {costs['completion_tokens']} tokens"
    if reasoning := costs.get("reasoning_tokens"):
        tokens += f" ({reasoning} of reasoning)"
    tokens += f", {costs['cached']} cached answers"
    click.echo(f"model      {costs['requests']} requests, {costs['failures']} failed; {tokens}")
    if endings := costs.get("endings"):
        click.echo(
            "no answer  " + ", ".join(f"{count} {ending}" for ending, count in endings.items())
        )
    print_notices(costs.get("notices", ()))


def print_notices(notices: Iterable[str]) -> None:
    """Print notices, such as parameters that a server rejected."""
    for notice in notices:
        click.echo(f"notice     {printable(notice)}")


def print_loading(out: Path, config: str) -> None:
    """Print the line of Python that loads a written dataset."""
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

    Otherwise the last line is printed after a long silence. Meant for commands that measure one
    program, because redrawing a live bar would use the measured core.
    """

    def remember(line: str) -> None:
        _ProgressLine.line = line

    prints = not _quiet() and (_verbose() or (not as_json and sys.stderr.isatty()))
    return log_line if prints else remember


def printable(text: str) -> str:
    """Return untrusted text without the characters that control a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


class _Stage(NamedTuple):
    """The progress of a stage.

    `since` is the time of the last change (s), `first` the initial count, `begun` the start (s).
    """

    done: int
    total: int
    since: float
    first: int
    begun: float

    def timing(self) -> str:
        """Return the elapsed time and an estimate of the remaining time.

        The estimate assumes that the remaining items take as long as those done. It does not grow
        while an item takes longer.
        """
        now, count = time.monotonic(), self.done - self.first
        elapsed = duration(now - self.begun)
        if count <= 0 or self.done >= self.total:
            return elapsed
        per_item = (self.since - self.begun) / count
        left = per_item * (self.total - self.done) - min(now - self.since, per_item)
        return f"{elapsed}, about {duration(left)} left" if left > 0 else elapsed


class _ProgressLine:
    """The progress of this process, which runs one command at a time."""

    stages: ClassVar[dict[str, _Stage]] = {}
    line = ""  # the last line
    at = 0.0  # the time of the last line (s)
    beating = False  # whether a heartbeat thread is running
    bars = False  # whether bars show the activity


def duration(seconds: float) -> str:
    """Return a time as text: ``8 s``, ``12 min``, ``2 h 5 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def at_work() -> str:
    """Return the activities of the threads of this process with their durations; may be empty."""
    # imported here to keep `venus --help` fast
    from venus_toolkit.core.formatting import one_line

    current = activities()
    # Worker threads are more informative than the main thread, which waits for them. While a stage
    # is shown, the name of the command alone adds nothing.
    main = [activity for activity in current if len(activity.words) > 1 or not _ProgressLine.stages]
    selection = [activity for activity in current if not activity.of_main_thread] or main
    texts = [
        f"{': '.join(activity.words)} for {duration(activity.seconds)}"
        for activity in selection[:2]
    ]
    more = [f"{len(selection) - 2} more"] if len(selection) > 2 else []
    return one_line(", ".join(texts + more))


def _activity_line() -> str:
    """Return the line that a silent command prints: its stage and its activities."""
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
    """Print the activity of the command when it has been silent for `first_s` seconds.

    Further lines follow when the silence has doubled, but at least once a minute.
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
            if line := _activity_line():
                click.echo(line, err=True)
            silence += min(silence, 60)

    _ProgressLine.beating = True
    # A daemon, so that an interrupted command ends at once.
    threading.Thread(target=beat, name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        stopped.append(True)
        _ProgressLine.beating = False


@contextmanager
def stage_progress(as_json: bool = False) -> Iterator[Callable[..., None]]:
    """Yield a function that shows progress: it takes a stage, the items done, and their total.

    A terminal shows a bar with the remaining time for each stage, and the current activity. With
    --json or --verbose, or if stderr is not a terminal, it prints a line for each tenth of a stage,
    and the activity after a long silence. With --quiet it shows nothing. The function also takes a
    `note`, which is shown next to the stage.
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
        """Bars, and below them the current activity."""

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
            description = f"{stage}, {note}" if note else stage
            bars.update(tasks[stage], description=description, completed=done, total=total)

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
