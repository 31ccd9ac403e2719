"""The shared style of all matplotlib charts: colours, and axes without ornament.

HTML pages have other charts (eval/report/charts.py), with colours from their style sheets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito: colours that colour-blind readers can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#000000")
INK, ALARM = "#222222", "#b00020"


def make_figure(width: float, height: float) -> Figure:
    """Return a figure, sized in inches, without using pyplot, which would keep it open."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def strip_axes(axes: Axes, *frame: str, grid: Literal["both", "x"] | None = None) -> None:
    """Hide the `frame` sides of the axes, and draw a light grid if `grid` is given."""
    if grid:
        axes.grid(axis=grid, color="#dddddd", linewidth=0.6)
    axes.spines[[*frame]].set_visible(False)
