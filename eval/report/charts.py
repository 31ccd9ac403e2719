"""The geometry of the charts on a page: axes, points, paths.

charts.html.j2 draws the charts, and page.css has their colours. Charts have the width of a phone; a
wider page shows several side by side. Bars and strips fill the width of the page; their positions
are percentages, so that text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple

from venus_toolkit.core import formatting
from venus_toolkit.core.formatting import percent, percent_range
from venus_toolkit.eval.report.report_facts import METRICS, IterationCurve, ReportFacts, metric_of
from venus_toolkit.eval.report.runs import EvaluationRun, Row
from venus_toolkit.eval.report.task_views import TaskView
from venus_toolkit.eval.scoring.statistics import Interval
from venus_toolkit.eval.scoring.summary import values_of
from venus_toolkit.models.prompts import OBJECTIVES

WIDTH, HEIGHT = 340, 250  # pixels: a phone is not much wider
LEFT, RIGHT, TOP, BOTTOM = 64, 328, 10, 206  # the ends of the axes; labels are outside
PLACES = {"better": "B", "middle": "M", "worse": "W", "failed": "F"}


class Mark(NamedTuple):
    """A point of a run: a path and its title."""

    run: int
    path: str
    title: str


class RunLine(NamedTuple):
    """A curve of a run: line and band as paths, and a mark at each step."""

    run: int
    line: str
    band: str
    marks: Sequence[Mark]


class Chart(NamedTuple):
    """A chart with two axes.

    `title` is its heading, `label` its description for screen readers. Ticks are positions in
    pixels with their labels. `cloud` is a path of dots in the background.
    """

    title: str
    label: str
    x_label: str
    y_label: str
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    cloud: str = ""
    lines: Sequence[RunLine] = ()
    marks: Sequence[Mark] = ()


def mark_shape(run: int, x: float, y: float) -> str:
    """Return the outline of a run's mark around a point: circle, square, diamond or triangle."""
    outlines = (
        f"M{x - 4:g} {y:g}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        f"M{x - 3.5:g} {y - 3.5:g}h7v7h-7z",
        f"M{x:g} {y - 5:g}l5 5l-5 5l-5-5z",
        f"M{x:g} {y - 5:g}l5 8.5h-10z",
    )
    return outlines[run % len(outlines)]


class Scale(NamedTuple):
    """The scale of an axis: name, format of values, and round values per power of `base`."""

    name: str
    write: Callable[[float], str]
    base: float = 10.0
    steps: Sequence[Sequence[float]] = ((1, 2, 5), (1, 3), (1,))


TIME = Scale("wall time", formatting.time)
MEMORY = Scale("peak memory", formatting.size, 2.0, ((1,),))


class Axis(NamedTuple):
    """A logarithmic axis from low to high at pixels start to end."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value in pixels."""
        share = (math.log10(value) - math.log10(self.low)) / (
            math.log10(self.high) - math.log10(self.low)
        )
        # a tenth of a pixel is precise enough
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, scale: Scale, room: float) -> list[tuple[float, str]]:
        """Return positions and labels of round values; a label needs `room` pixels."""
        first, last = (
            math.floor(math.log(self.low, scale.base)),
            math.ceil(math.log(self.high, scale.base)),
        )
        inside: list[float] = []
        for steps in scale.steps:  # from dense to sparse, until the labels have room
            candidates = [
                step * scale.base**power for power in range(first, last + 1) for step in steps
            ]
            inside = [value for value in candidates if self.low <= value <= self.high]
            if all(abs(self.at(low) - self.at(high)) >= room for low, high in pairwise(inside)):
                break
        # Over many powers even the sparsest steps are too many; `or 1` if the axis has no tick.
        every = math.ceil(len(inside) * room / abs(self.end - self.start)) or 1
        return [
            (self.at(value), formatting.without_zeros(scale.write(value)))
            for value in inside[::every]
        ]


def axis_over(values: Iterable[float], start: float, end: float) -> Axis:
    """Return an axis over positive values, which spans at least a factor of 4."""
    known = list(values) or [1.0]
    low, high = min(known), max(known)
    if high < 4 * low:
        middle = math.sqrt(low * high)
        low, high = middle / 2, middle * 2
    room = (high / low) ** 0.05  # a twentieth of the axis stays free at either end
    return Axis(low / room, high * room, start, end)


def cost_of(row: Row, unit: tuple[float, float] = (1.0, 1.0)) -> tuple[float, float] | None:
    """Return time and memory of a row, in ns and bytes or relative to `unit`; None if unknown."""
    time, memory = row["wall_ns"] or 0, row["peak_bytes"] or 0
    return (time / unit[0], memory / unit[1]) if time > 0 and memory > 0 else None


def cost_scatter(
    tasks: Sequence[TaskView], runs: Sequence[EvaluationRun], relative: bool = False
) -> Chart | None:
    """Return a chart of time and memory of passing samples, over the cloud of human solutions.

    Costs are absolute, or `relative` to the median human solution of each task. Returns None if no
    cost is known.
    """
    cloud: list[tuple[float, float]] = []  # time and memory of the human solutions
    # run, time and memory, and title of each sample
    points: list[tuple[int, tuple[float, float], str]] = []
    time, memory = (
        Scale(f"{objective.name} / median human", formatting.ratio) if relative else objective
        for objective in (TIME, MEMORY)
    )
    for task in tasks:
        humans = [cost for row in task.humans if (cost := cost_of(row))]
        if relative and not humans:
            continue
        unit = (
            (median(cost[0] for cost in humans), median(cost[1] for cost in humans))
            if relative
            else (1.0, 1.0)
        )
        cloud += [(cost[0] / unit[0], cost[1] / unit[1]) for cost in humans]
        for number, row in (
            (number, row) for number, rows in enumerate(task.rows) for row in rows if row["passed"]
        ):
            if cost := cost_of(row, unit):
                program = task.name if relative else f"sample {row['sample']}"
                figures = f"time {time.write(cost[0])}, memory {memory.write(cost[1])}"
                points.append((number, cost, f"{runs[number].name}, {program}: {figures}"))
    costs = [*cloud, *(cost for _, cost, _ in points)]
    if not costs:
        return None
    x = axis_over((cost[0] for cost in costs), LEFT, RIGHT)
    y = axis_over((cost[1] for cost in costs), BOTTOM, TOP)
    # More than 3000 points would overlap and make the page slow.
    drawn = cloud[:: math.ceil(len(cloud) / 3000) or 1]
    against = "memory in relation to the median human solution" if relative else "memory"
    return Chart(
        title="",
        label=(
            f"Time against {against}: {len(points)} generated programs that pass, {len(cloud)} "
            "human solutions"
        ),
        x_label=time.name,
        y_label=memory.name,
        x_ticks=x.ticks(time, room=46),  # the width of a label
        y_ticks=y.ticks(memory, room=20),
        # Strokes of length 0, which round line caps draw as dots: one element for thousands of
        # points.
        cloud="".join(f"M{x.at(cost[0]):g} {y.at(cost[1]):g}h0" for cost in drawn),
        marks=[
            Mark(run, mark_shape(run, x.at(cost[0]), y.at(cost[1])), title)
            for run, cost, title in points
        ],
    )


class Point(NamedTuple):
    """A value with its interval at an integer of the horizontal axis; `title` is its tooltip."""

    x: int
    value: float
    low: float
    high: float
    title: str


def line_chart(
    lines: Mapping[int, Sequence[Point]],
    bounds: tuple[float, float],
    write: Callable[[float], str],
    title: str,
    label: str,
    x_label: str,
    y_label: str = "",
) -> Chart:
    """Return a chart with a line and a band for each run.

    `lines` has at least one point for each run. The vertical axis has the `bounds`, and `write`
    formats its ticks; `y_label` is optional.
    """
    low, high = bounds
    places = sorted({point.x for points in lines.values() for point in points})
    # With a single place the axis still needs a positive length.
    first, last = places[0], max(places[-1], places[0] + 1)

    def x_of(place: float) -> float:
        return round(LEFT + 6 + (place - first) / (last - first) * (RIGHT - LEFT - 12), 1)

    def y_of(value: float) -> float:
        return round(BOTTOM + (value - low) / (high - low) * (TOP - BOTTOM), 1)

    drawn = []
    for run, points in lines.items():
        line = [f"{x_of(mark.x):g} {y_of(mark.value):g}" for mark in points]
        edge = [f"{x_of(mark.x):g} {y_of(mark.high):g}" for mark in points]
        edge += [f"{x_of(mark.x):g} {y_of(mark.low):g}" for mark in reversed(points)]
        marks = [
            Mark(run, mark_shape(run, x_of(mark.x), y_of(mark.value)), mark.title)
            for mark in points
        ]
        drawn.append(RunLine(run, "M" + "L".join(line), "M" + "L".join(edge) + "z", marks))
    y_values = [low + (high - low) * part / 4 for part in range(5)]
    return Chart(
        title=title,
        label=label,
        x_label=x_label,
        y_label=y_label,
        x_ticks=[(x_of(place), str(place)) for place in places[:: math.ceil(len(places) / 8)]],
        y_ticks=[(y_of(value), write(value)) for value in y_values],
        lines=drawn,
    )


def iteration_charts(curves: Sequence[IterationCurve], top: float | None = None) -> list[Chart]:
    """Return a chart for each metric that has curves.

    `top` is the share at the end of the axes; None: the smallest sufficient of 20, 40, … 100 per
    cent.
    """
    if top is None:
        highest = max((value.high for curve in curves for _, value in curve.steps), default=1.0)
        top = next((end / 100 for end in (20, 40, 60, 80) if 100 * highest <= end), 1.0)

    def point(iteration: int, value: Interval) -> Point:
        title = (
            f"iteration {iteration}: {percent(value.estimate)} % "
            f"({percent_range(value.low, value.high)})"
        )
        return Point(iteration, value.estimate, value.low, value.high, title)

    charts = []
    for metric, name in METRICS.items():
        lines = {
            curve.run: [point(iteration, value) for iteration, value in curve.steps]
            for curve in curves
            if curve.metric == metric
        }
        if lines:
            places = [point.x for points in lines.values() for point in points]
            label = f"{name} over iterations {min(places)} to {max(places)}"
            charts.append(
                line_chart(
                    lines, (0, top), lambda value: f"{100 * value:g} %", name, label, "iteration"
                )
            )
    return charts


class Segment(NamedTuple):
    """A part of a bar: start and width in per cent, and text if it fits."""

    place: str
    start: float
    width: float
    text: str


class Bar(NamedTuple):
    """The shares of a run's samples by their place among the human solutions, for an objective.

    A sample is better than all (B), among them (M), worse than all (W), or failed (F).
    """

    run: int
    name: str
    objective: str
    segments: Sequence[Segment]
    label: str


def place_bars(facts: ReportFacts) -> dict[str, list[Bar]]:
    """Return bars by objective: one for each run with places, in the order of the leaderboard."""
    names = {
        "better": "better than all",
        "middle": "among them",
        "worse": "worse than all",
        "failed": "failed",
    }
    bars: dict[str, list[Bar]] = {}
    for objective in OBJECTIVES:
        for line in facts.leaderboard:
            shares = line.scores.efficiency[objective].places
            if not shares:
                continue
            segments, parts, start = [], [], 0.0
            for (place, letter), share in zip(PLACES.items(), shares, strict=True):
                if share:
                    # A narrow segment omits the number, a very narrow one the letter too.
                    text = (
                        f"{letter} {100 * share:.0f}"
                        if share >= 0.12
                        else letter
                        if share >= 0.05
                        else ""
                    )
                    segments.append(Segment(place, round(start, 3), round(100 * share, 3), text))
                parts.append(f"{100 * share:.0f} % {names[place]}")
                start += 100 * share
            label = f"{line.name}, {objective}: {', '.join(parts)}"
            bars.setdefault(objective, []).append(
                Bar(line.run, line.name, objective, segments, label)
            )
    return bars


class Strip(NamedTuple):
    """Ranks of a run's problems: a path of strokes from 0 to 1000, and the mean with interval."""

    run: int
    name: str
    path: str
    mean: Interval
    label: str


def rank_strips(facts: ReportFacts, runs: Sequence[EvaluationRun]) -> dict[str, list[Strip]]:
    """Return by objective the distribution of the mean ranks of each run's problems."""
    strips: dict[str, list[Strip]] = {}
    for objective in OBJECTIVES:
        for line in facts.leaderboard:
            mean = metric_of(line.scores, objective)
            if mean is None:
                continue
            problems = values_of(runs[line.run].final(), f"percentile_{objective}")
            known = [
                [rank for rank in problem.ravel().tolist() if not math.isnan(rank)]
                for problem in problems
            ]
            ranks = sorted(fmean(group) for group in known if group)
            numbers = f"mean {percent(mean.estimate)} %, median {percent(median(ranks))} %"
            label = f"{line.name}, {objective}: {len(ranks)} problems, {numbers}"
            path = "".join(f"M{1000 * rank:.1f} 0v20" for rank in ranks)
            strips.setdefault(objective, []).append(Strip(line.run, line.name, path, mean, label))
    return strips
