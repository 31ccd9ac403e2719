"""The paper's figures for papers: B/M/W/F bars, and curves over iterations, as PNG and SVG.

The same facts give the same bytes with the same matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from venus_toolkit.eval.metrics import OBJECTIVES
from venus_toolkit.eval.report.comparing import METRICS
from venus_toolkit.eval.report.facts import Curve, Facts
from venus_toolkit.eval.report.words import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#000000")  # Okabe and Ito
PLACE_COLOURS = {"better": "#009e73", "middle": "#56b4e9", "worse": "#e69f00", "failed": "#b00020"}
LETTERS = {"better": "B", "middle": "M", "worse": "W", "failed": "F"}
MARKERS = "osD^"
FORMATS = ("png", "svg")
LONGEST_NAME = 40
DPI = 150


def draw_pictures(facts: Facts) -> dict[str, bytes]:
    """Return the pictures of a report by the names of their files; those of which there is nothing are left out."""
    figures: dict[str, Figure] = {}
    if any(line.scores.efficiency[objective].places for line in facts.leaderboard for objective in OBJECTIVES):
        figures["places"] = _places(facts)
    if facts.curves:
        figures["curves"] = _curves(facts)
    return {f"{name}.{kind}": _drawn(figure, kind) for name, figure in figures.items() for kind in FORMATS}


def _drawn(figure: Figure, kind: str) -> bytes:
    import matplotlib

    metadata: Mapping[str, Any] = {"Date": None} if kind == "svg" else {}
    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "venus", "svg.fonttype": "path"}):
        figure.savefig(drawn, format=kind, dpi=DPI, metadata=dict(metadata))
    return drawn.getvalue()


def label_of(name: str) -> str:
    """Return a name that the font has letters for, on one line and not too long."""
    from matplotlib.font_manager import findfont, get_font

    known = get_font(findfont("DejaVu Sans")).get_charmap()
    text = "".join(character if ord(character) in known else "?" for character in one_line(name))
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


# ------------------------------------------------------------------ B, M, W, F


def _places(facts: Facts) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.4 + 0.42 * len(facts.leaderboard)), layout="constrained")
    panels = figure.subplots(1, len(OBJECTIVES), sharey=True)
    for axes, objective in zip(panels, OBJECTIVES, strict=True):
        _draw_places(axes, facts, objective)
    lines = [label_of(line.name) for line in facts.leaderboard]
    panels[0].set_yticks(range(len(lines)), lines, parse_math=False)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def _draw_places(axes: Axes, facts: Facts, objective: str) -> None:
    rows = range(len(facts.leaderboard))
    starts = [0.0] * len(rows)
    for number, (place, colour) in enumerate(PLACE_COLOURS.items()):
        shares = [line.scores.efficiency[objective].places for line in facts.leaderboard]
        widths = [100 * share[number] if share else 0.0 for share in shares]
        label = f"{LETTERS[place]}: {place}"
        axes.barh(rows, widths, left=starts, height=0.7, color=colour, edgecolor="white", label=label)
        for row in rows:
            if widths[row] >= 10:
                text = f"{widths[row]:.0f}"
                at = (starts[row] + widths[row] / 2, row)
                axes.text(*at, text, ha="center", va="center", fontsize=8, color=_ink(place))
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the samples")
    axes.set_title(objective, loc="left", fontsize=10)
    axes.tick_params(left=False)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _ink(place: str) -> str:
    return "white" if place == "failed" else "black"


# ------------------------------------------------------------------ curves


def _curves(facts: Facts) -> Figure:
    from matplotlib.figure import Figure

    shown = [metric for metric in METRICS if any(curve.metric == metric for curve in facts.curves)]
    figure = Figure(figsize=(3.1 * len(shown), 3.4), layout="constrained")
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    names = {line.run: label_of(line.name) for line in facts.leaderboard}
    for axes, metric in zip(panels, shown, strict=True):
        _draw_curves(axes, [curve for curve in facts.curves if curve.metric == metric], names)
        axes.set_title(METRICS[metric], loc="left", fontsize=10)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("%")
    handles, labels = panels[0].get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_curves(axes: Axes, curves: Sequence[Curve], names: Mapping[int, str]) -> None:
    from matplotlib.ticker import MaxNLocator

    for curve in curves:
        colour, marker = COLOURS[curve.run % len(COLOURS)], MARKERS[curve.run % len(MARKERS)]
        at = [step.iteration for step in curve.steps]
        low, high = (
            [100 * end for end in ends] for ends in zip(*(step.value[1:3] for step in curve.steps), strict=True)
        )
        axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)
        means = [100 * step.value.estimate for step in curve.steps]
        axes.plot(at, means, color=colour, marker=marker, markersize=4, linewidth=1.4, label=names[curve.run])
    axes.set_xlabel("iteration")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
