"""Output for notebooks: tables, a curve of memory over time, and progress on one line."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from html import escape

from venus_toolkit.core.records import MIB, NS_PER_MS

ProgressCallback = Callable[[str, int, int], None]  # receives stage, items done and total
Progress = bool | ProgressCallback
WIDTH, HEIGHT, COLUMNS = 300, 60, 150  # size of a curve in pixels, and its maximum point count


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML with escaped cells; empty columns are left out."""
    row_list = list(rows)
    columns = [
        column for column in zip(heads, *row_list, strict=True) if any(column[1:]) or not row_list
    ]
    tags = itertools.chain(["th"], itertools.repeat("td"))
    lines = (
        "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
        for tag, row in zip(tags, zip(*columns, strict=True), strict=False)
    )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def memory_curve(trace: Sequence[tuple[int, int]]) -> str:
    """Return an SVG curve with a caption; samples are pairs of time (ns) and memory (bytes).

    Each column of the picture shows its largest sample.
    """
    end, peak = max(trace[-1][0], 1), max(max(size for _, size in trace), 1)
    columns: dict[int, tuple[int, int]] = {}
    for when, size in trace:
        column = when * COLUMNS // end
        columns[column] = max(
            columns.get(column, (when, 0)), (when, size), key=lambda sample: sample[1]
        )
    points = (
        f"{when / end * WIDTH:.1f},{HEIGHT - 1 - size / peak * (HEIGHT - 2):.1f}"
        for when, size in columns.values()
    )
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="memory over time">'
        f'<polyline fill="none" stroke="currentColor" points="{" ".join(points)}"/></svg>'
        f"<figcaption>memory over {trace[-1][0] / NS_PER_MS:.2f} ms, {peak / MIB:.2f} MiB at "
        "its peak"
        "</figcaption></figure>"
    )


def progress_callback(progress: Progress) -> ProgressCallback:
    """Return `progress` if it is a function, else one that redraws a line or is silent."""
    if callable(progress):
        return progress
    if not progress:
        return lambda stage, done, total: None
    last = ""

    def redraw(stage: str, done: int, total: int) -> None:
        nonlocal last
        # In notebooks and terminals, a carriage return restarts the line.
        begin = "\n" if last and stage != last else "\r"
        sys.stderr.write(f"{begin}{stage}: {done} of {total}")
        if done >= total:
            sys.stderr.write("\n")
        sys.stderr.flush()
        last = stage if done < total else ""

    return redraw
