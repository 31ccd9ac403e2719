"""Where everything lies in the charts of the page: axes, points, paths. Templates draw them; colours are the style's.

Charts are made for the width of a phone and stand side by side on wider pages. What fills the width of the page is in
per cent of it, so that letters stay as large as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from venus_toolkit.eval.metrics import OBJECTIVES
from venus_toolkit.eval.report import words
from venus_toolkit.eval.report.comparing import METRICS
from venus_toolkit.eval.report.facts import Curve, Facts, metric_of
from venus_toolkit.eval.report.programs import TaskView
from venus_toolkit.eval.report.runs import Row, Run
from venus_toolkit.eval.statistics import Interval
from venus_toolkit.eval.summary import values_of

WIDTH, HEIGHT = 340, 250
LEFT, RIGHT, TOP, BOTTOM = 64, 328, 10, 206
MOST_POINTS = 3000  # of a cloud
TICK_WIDTH, TICK_HEIGHT = 46, 20  # what the words of a tick take
PLACES = {"better": "B", "middle": "M", "worse": "W", "failed": "F"}
SAID = {"better": "better than all", "middle": "among them", "worse": "worse than all", "failed": "failed"}

Words = Callable[[float], str]


class Tick(NamedTuple):
    """A mark of an axis, in pixels."""

    at: float
    label: str


class Mark(NamedTuple):
    """A point of a run: a path, and what it stands for."""

    run: int
    path: str
    title: str


class Scatter(NamedTuple):
    """Time against memory; cloud: a path of dots."""

    x_label: str
    y_label: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    cloud: str
    marks: Sequence[Mark]
    label: str


class Scale(NamedTuple):
    """What an axis shows: the word for it, the words of a value, and the round values in a power of the base."""

    name: str
    said: Words
    base: float = 10.0
    steps: Sequence[Sequence[float]] = ((1, 2, 5), (1, 3), (1,))


TIME = Scale("wall time", words.time)
MEMORY = Scale("peak memory", words.size, 2.0, ((1,),))
TIMES_TIME = Scale("wall time", words.ratio)
TIMES_MEMORY = Scale("peak memory", words.ratio)


class Axis(NamedTuple):
    """A logarithmic axis from low to high at pixels start to end."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a value lies."""
        share = (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, scale: Scale, room: float) -> list[Tick]:
        """Return round values within the axis whose words have `room` pixels each."""
        first, last = math.floor(math.log(self.low, scale.base)), math.ceil(math.log(self.high, scale.base))
        inside: list[float] = []
        for steps in scale.steps:
            values = [step * scale.base**power for power in range(first, last + 1) for step in steps]
            inside = [value for value in values if self.low <= value <= self.high]
            if all(abs(self.at(one) - self.at(other)) >= room for one, other in pairwise(inside)):
                break
        most = abs(self.end - self.start) / room
        every = math.ceil(len(inside) / most) or 1
        return [Tick(self.at(value), words.tick(scale.said(value))) for value in inside[::every]]


def axis_over(values: Iterable[float], start: float, end: float) -> Axis:
    """Return an axis that holds some positive values, at least from one to four times the smallest."""
    known = list(values) or [1.0]
    low, high = min(known), max(known)
    if high < 4 * low:
        middle = math.sqrt(low * high)
        low, high = middle / 2, middle * 2
    room = (high / low) ** 0.05
    return Axis(low / room, high * room, start, end)


# ------------------------------------------------------------------ time against memory


class Dot(NamedTuple):
    """What one program costs: nanoseconds and bytes, or both in relation to something."""

    time: float
    memory: float


def dot_of(row: Row) -> Dot | None:
    """Return what a row costs; None where that is not known."""
    time, memory = row["wall_ns"], row["peak_bytes"]
    return Dot(float(time), float(memory)) if time and memory and time > 0 and memory > 0 else None


def task_scatter(task: TaskView, runs: Sequence[Run]) -> Scatter | None:
    """Return what the samples of a task cost, in front of what the human solutions do; None where nothing is known."""
    humans = [dot for row in task.humans if (dot := dot_of(row))]
    points = [
        (number, dot, f"{runs[number].name}, sample {row['sample']}: {words.time(dot.time)}, {words.size(dot.memory)}")
        for number, rows in enumerate(task.rows)
        for row in rows
        if row["passed"] and (dot := dot_of(row))
    ]
    label = f"Time against memory: {len(points)} generated programs that pass and {len(humans)} human solutions"
    return _scatter(humans, points, (TIME, MEMORY), label)


def overall_scatter(tasks: Sequence[TaskView], runs: Sequence[Run]) -> Scatter | None:
    """Return all samples in relation to the median human solution of their task."""
    cloud: list[Dot] = []
    points: list[tuple[int, Dot, str]] = []
    for task in tasks:
        humans = [dot for row in task.humans if (dot := dot_of(row))]
        if not humans:
            continue
        middle = Dot(median(dot.time for dot in humans), median(dot.memory for dot in humans))
        cloud += [_relative(dot, middle) for dot in humans]
        for number, rows in enumerate(task.rows):
            costs = [_relative(dot, middle) for row in rows if row["passed"] and (dot := dot_of(row))]
            points += [(number, dot, f"{runs[number].name}, {task.name}: {_both(dot)}") for dot in costs]
    label = (
        f"Time against memory in relation to the median human solution: {len(points)} generated programs that pass, "
        f"{len(cloud)} human solutions"
    )
    return _scatter(cloud, points, (TIMES_TIME, TIMES_MEMORY), label)


def _relative(dot: Dot, to: Dot) -> Dot:
    return Dot(dot.time / to.time, dot.memory / to.memory)


def _both(dot: Dot) -> str:
    return f"time {words.ratio(dot.time)}, memory {words.ratio(dot.memory)}"


def _scatter(
    cloud: Sequence[Dot], points: Sequence[tuple[int, Dot, str]], scales: tuple[Scale, Scale], label: str
) -> Scatter | None:
    dots = [*cloud, *(dot for _, dot, _ in points)]
    if not dots:
        return None
    x = axis_over((dot.time for dot in dots), LEFT, RIGHT)
    y = axis_over((dot.memory for dot in dots), BOTTOM, TOP)
    some = cloud[:: math.ceil(len(cloud) / MOST_POINTS) or 1]
    dotted = "".join(f"M{x.at(dot.time):g} {y.at(dot.memory):g}h0" for dot in some)
    marks = [Mark(run, shape(run, x.at(dot.time), y.at(dot.memory)), title) for run, dot, title in points]
    names = (scales[0].name, scales[1].name)
    return Scatter(*names, x.ticks(scales[0], TICK_WIDTH), y.ticks(scales[1], TICK_HEIGHT), dotted, marks, label)


def shape(run: int, x: float, y: float) -> str:
    """Return the outline of a run's mark around a point: circle, square, diamond or triangle."""
    outlines = (
        f"M{x - 4:g} {y:g}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        f"M{x - 3.5:g} {y - 3.5:g}h7v7h-7z",
        f"M{x:g} {y - 5:g}l5 5l-5 5l-5-5z",
        f"M{x:g} {y - 5:g}l5 8.5h-10z",
    )
    return outlines[run % len(outlines)]


# ------------------------------------------------------------------ bars and strips, in per cent of the width


class Segment(NamedTuple):
    """A part of a bar: from where, how wide, both in per cent; text where it fits."""

    place: str
    start: float
    width: float
    text: str


class Bar(NamedTuple):
    """B, M, W and F of a run by an objective."""

    run: int
    name: str
    segments: Sequence[Segment]
    label: str


def place_bars(facts: Facts) -> dict[str, list[Bar]]:
    """Return by objective a bar for each run whose samples have places, in the order of the leaderboard."""
    found = {
        objective: [
            _bar(line.run, line.name, objective, shares)
            for line in facts.leaderboard
            if (shares := line.scores.efficiency[objective].places)
        ]
        for objective in OBJECTIVES
    }
    return {objective: bars for objective, bars in found.items() if bars}


def _bar(run: int, name: str, objective: str, shares: Sequence[float]) -> Bar:
    segments, start = [], 0.0
    for place, share in zip(PLACES, shares, strict=True):
        if share:
            text = f"{PLACES[place]} {100 * share:.0f}" if share >= 0.12 else PLACES[place] if share >= 0.05 else ""
            segments.append(Segment(place, round(start, 3), round(100 * share, 3), text))
        start += 100 * share
    said = ", ".join(f"{100 * share:.0f} % {SAID[place]}" for place, share in zip(PLACES, shares, strict=True))
    return Bar(run, name, segments, f"{name}, {objective}: {said}")


class Strip(NamedTuple):
    """Ranks of a run's problems: a path of strokes on a width of 1000, and the mean with its interval."""

    run: int
    name: str
    path: str
    mean: Interval
    label: str


def rank_strips(facts: Facts, runs: Sequence[Run]) -> dict[str, list[Strip]]:
    """Return by objective, for each run, how the mean ranks of its problems are distributed."""
    found = {
        objective: [
            strip
            for line in facts.leaderboard
            if (strip := _strip(line.run, runs[line.run], objective, metric_of(line.scores, objective)))
        ]
        for objective in OBJECTIVES
    }
    return {objective: strips for objective, strips in found.items() if strips}


def _strip(number: int, run: Run, objective: str, mean: Interval | None) -> Strip | None:
    if mean is None:
        return None
    ranks = sorted(_problem_ranks(run, objective))
    path = "".join(f"M{1000 * rank:.1f} 0v20" for rank in ranks)
    said = f"mean {words.percent(mean.estimate)} %, median {words.percent(median(ranks))} %"
    return Strip(number, run.name, path, mean, f"{run.name}, {objective}: {len(ranks)} problems, {said}")


def _problem_ranks(run: Run, objective: str) -> list[float]:
    values = values_of(run.final(), f"percentile_{objective}")
    known = ([value for value in problem.ravel().tolist() if not math.isnan(value)] for problem in values)
    return [sum(each) / len(each) for each in known if each]


# ------------------------------------------------------------------ curves


class Line(NamedTuple):
    """A curve of a run: line and band as paths, and a mark at each step."""

    run: int
    line: str
    band: str
    marks: Sequence[Mark]


class Panel(NamedTuple):
    """A metric over the iterations, of every run that iterated."""

    name: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    lines: Sequence[Line]
    label: str


def curve_panels(facts: Facts) -> list[Panel]:
    """Return a panel for each metric that has curves."""
    top = _top(max((step.value.high for curve in facts.curves for step in curve.steps), default=1.0))
    of_metrics = {metric: [curve for curve in facts.curves if curve.metric == metric] for metric in METRICS}
    return [curve_panel(metric, curves, top) for metric, curves in of_metrics.items() if curves]


def curve_panel(metric: str, curves: Sequence[Curve], top: float) -> Panel:
    """Return a panel with the curves of one metric, at least one, up to the share `top`."""
    iterations = sorted({step.iteration for curve in curves for step in curve.steps})
    first, last = iterations[0], iterations[-1]
    x_of = partial(_between, low=first, high=max(last, first + 1), start=LEFT + 6, end=RIGHT - 6)
    y_of = partial(_between, low=0, high=top, start=BOTTOM, end=TOP)
    every = math.ceil(len(iterations) / 8)
    x_ticks = [Tick(x_of(iteration), str(iteration)) for iteration in iterations[::every]]
    y_ticks = [Tick(y_of(top * part / 4), f"{100 * top * part / 4:g} %") for part in range(5)]
    label = f"{METRICS[metric]} over iterations {first} to {last}"
    return Panel(METRICS[metric], x_ticks, y_ticks, [_line(curve, x_of, y_of) for curve in curves], label)


def _between(value: float, low: float, high: float, start: float, end: float) -> float:
    return round(start + (value - low) / (high - low) * (end - start), 1)


def _top(share: float) -> float:
    """Return the end of an axis of shares: the next of 20, 40, 60, 80 and 100 per cent."""
    return next((top / 100 for top in (20, 40, 60, 80) if 100 * share <= top), 1.0)


def _line(curve: Curve, x_of: Callable[[float], float], y_of: Callable[[float], float]) -> Line:
    points = [(x_of(step.iteration), step) for step in curve.steps]
    line = "M" + "L".join(f"{x:g} {y_of(step.value.estimate):g}" for x, step in points)
    edge = [f"{x:g} {y_of(step.value.high):g}" for x, step in points]
    edge += [f"{x:g} {y_of(step.value.low):g}" for x, step in reversed(points)]
    marks = [
        Mark(
            curve.run,
            shape(curve.run, x, y_of(step.value.estimate)),
            f"iteration {step.iteration}: {words.percent(step.value.estimate)} % ({words.interval(step.value)})",
        )
        for x, step in points
    ]
    return Line(curve.run, line, "M" + "L".join(edge) + "z", marks)
