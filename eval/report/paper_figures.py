"""Figures for papers, as PNG and SVG: bars of B/M/W/F, and curves over iterations.

With the same version of matplotlib, the same facts give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from venus_toolkit.core.formatting import one_line
from venus_toolkit.dataset.charts import ALARM, COLOURS, make_figure, strip_axes
from venus_toolkit.eval.report.charts import PLACES, Bar, place_bars
from venus_toolkit.eval.report.report_facts import METRICS, ReportFacts
from venus_toolkit.models.prompts import OBJECTIVES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_FILES = ("places.png", "places.svg", "curves.png", "curves.svg")


def draw_figures(facts: ReportFacts) -> dict[str, bytes]:
    """Return the figures of a report by file name; figures without data are left out."""
    import matplotlib

    figures: dict[str, Figure] = {}
    bars = place_bars(facts)
    if bars:
        figures["places"] = _draw_places(facts, bars)
    if facts.curves:
        figures["curves"] = _draw_curves(facts)
    drawn = {}
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            # Without a date, so that the same facts give the same bytes.
            metadata: Mapping[str, Any] = {"Date": None} if kind == "svg" else {}
            file = io.BytesIO()
            # The salt avoids random ids; letters as paths do not depend on installed fonts.
            with matplotlib.rc_context({"svg.hashsalt": "venus", "svg.fonttype": "path"}):
                figure.savefig(file, format=kind, dpi=150, metadata=dict(metadata))
            drawn[f"{name}.{kind}"] = file.getvalue()
    return drawn


def label_of(name: str) -> str:
    """Return a name on one line of at most 40 characters that the font can show."""
    from matplotlib.font_manager import findfont, get_font

    known = get_font(findfont("DejaVu Sans")).get_charmap()
    text = "".join(character if ord(character) in known else "?" for character in one_line(name))
    return text if len(text) <= 40 else f"{text[:39]}…"


def _draw_places(facts: ReportFacts, bars: Mapping[str, list[Bar]]) -> Figure:
    from matplotlib.patches import Patch

    colours = {"better": COLOURS[2], "middle": COLOURS[4], "worse": COLOURS[5], "failed": ALARM}
    figure = make_figure(9, 1.4 + 0.42 * len(facts.leaderboard))
    panels = figure.subplots(1, len(OBJECTIVES), sharey=True)
    row_of = {line.run: row for row, line in enumerate(facts.leaderboard)}
    for axes, objective in zip(panels, OBJECTIVES, strict=True):
        for bar in bars.get(objective, []):
            row = row_of[bar.run]
            for part in bar.segments:
                colour = colours[part.place]
                axes.barh(
                    row, part.width, left=part.start, height=0.7, color=colour, edgecolor="white"
                )
                if part.width >= 10:
                    at, ink = (
                        part.start + part.width / 2,
                        "white" if part.place == "failed" else "black",
                    )
                    axes.text(
                        at,
                        row,
                        f"{part.width:.0f}",
                        ha="center",
                        va="center",
                        fontsize=8,
                        color=ink,
                    )
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of the samples")
        axes.set_title(objective, loc="left", fontsize=10)
        axes.tick_params(left=False)
        strip_axes(axes, "top", "right", "left")
    names = [label_of(line.name) for line in facts.leaderboard]
    panels[0].set_yticks(range(len(names)), names, parse_math=False)
    panels[0].set_ylim(len(names) - 0.5, -0.5)  # the first line of the leaderboard is the topmost
    legend = [
        Patch(facecolor=colour, label=f"{PLACES[place]}: {place}")
        for place, colour in colours.items()
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def _draw_curves(facts: ReportFacts) -> Figure:
    from matplotlib.ticker import MaxNLocator

    markers = "osD^"  # the shapes of charts.mark_shape, in its order
    metrics = [
        metric for metric in METRICS if any(curve.metric == metric for curve in facts.curves)
    ]
    names = {line.run: label_of(line.name) for line in facts.leaderboard}
    figure = make_figure(3.1 * len(metrics), 3.4)
    panels = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for axes, metric in zip(panels, metrics, strict=True):
        for curve in (known_curve for known_curve in facts.curves if known_curve.metric == metric):
            colour, marker = COLOURS[curve.run % len(COLOURS)], markers[curve.run % len(markers)]
            at = [iteration for iteration, _ in curve.steps]
            low, high, mean = (
                [100 * getattr(value, end) for _, value in curve.steps]
                for end in ("low", "high", "estimate")
            )
            axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)
            axes.plot(
                at,
                mean,
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.4,
                label=names[curve.run],
            )
        axes.set_xlabel("iteration")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        strip_axes(axes, "top", "right", grid="both")
        axes.set_title(METRICS[metric], loc="left", fontsize=10)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("%")
    handles, labels = panels[0].get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9
    )
    for text in legend.get_texts():  # a dollar sign in a model's name must not start a formula
        text.set_parse_math(False)
    return figure
