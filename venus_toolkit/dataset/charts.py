"""What all charts that matplotlib draws have in common: colours, and axes without ornament.

Pages have charts of their own (eval/report/charts.py), whose colours are in their style sheets.
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
    """Return a figure, width and height in inches, without pyplot, which would keep it open."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def strip_axes(axes: Axes, *frame: str, grid: Literal["both", "x"] | None = None) -> None:
    """Hide these sides of the frame, and draw a light grid where one is wanted."""
    if grid:
        axes.grid(axis=grid, color="#dddddd", linewidth=0.6)
    axes.spines[[*frame]].set_visible(False)
