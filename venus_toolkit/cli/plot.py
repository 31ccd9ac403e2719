"""Memory over time as a picture, for ``venus run --plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venus_toolkit.errors import StoreError, UsageError
from venus_toolkit.records import MIB, NS_PER_MS, NS_PER_S
from venus_toolkit.trial import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CURVES = 8
NEAR = 4  # a limit up to so many times the peak is drawn as a line; beyond, it would flatten the curves
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#000000")  # Okabe and Ito


class Curve(NamedTuple):
    """One test: pairs of nanoseconds since the start and bytes, and the kernel's high-water mark."""

    test_id: str
    trace: Sequence[tuple[int, int]]
    peak_bytes: int


def check_plot(file: Path) -> None:
    """Refuse a plot that could not be written, before anything is measured.

    Raises:
        UsageError: The ending is not known or the folder does not exist.
    """
    if file.suffix not in (".png", ".svg"):
        raise UsageError(f"cannot draw {file.name}", "plots end in .png or .svg", "type: --plot memory.png")
    if not file.parent.is_dir():
        raise UsageError(f"cannot draw {file}", f"{file.parent} is not a folder", f"type: mkdir -p {file.parent}")


def draw(report: Report, file: Path, title: str) -> None:
    """Draw memory over time of every test that ran; without any, nothing is drawn.

    Raises:
        StoreError: The file cannot be written.
    """
    curves = [Curve(each.test_id, each.run.trace, each.run.peak_bytes) for each in report.outcomes]
    if curves:
        plot_memory(file, curves, report.request.limits.memory_bytes, title)


def plot_memory(file: Path, curves: Sequence[Curve], limit_bytes: int, title: str) -> None:
    """Draw the resident set of each curve over time, the highest peak and the limit.

    Of many curves those with the highest peaks are drawn.

    Raises:
        StoreError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    drawn = most_telling(curves)
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    _draw_curves(axes, drawn)
    _draw_marks(axes, max(curve.peak_bytes for curve in drawn), limit_bytes)
    some = f": {len(drawn)} of {len(curves)} tests, those with the highest peaks" if len(drawn) < len(curves) else ""
    axes.set_title(f"Memory of {title}{some}", loc="left")
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"cannot write the plot {file}", why, "give another place: --plot FILE.png") from error


def most_telling(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves with the highest peaks, at most MOST_CURVES, in their own order."""
    highest = sorted(curves, key=lambda curve: curve.peak_bytes, reverse=True)[:MOST_CURVES]
    return [curve for curve in curves if curve in highest][:MOST_CURVES]


def _draw_curves(axes: Axes, curves: Sequence[Curve]) -> None:
    end = max((curve.trace[-1][0] for curve in curves if curve.trace), default=0)
    unit_ns, unit = (NS_PER_S, "s") if end >= 2 * NS_PER_S else (NS_PER_MS, "ms")
    for curve, colour in zip(curves, COLOURS, strict=False):
        points = [(0, 0), *curve.trace]
        marker = "." if len(points) < 20 else ""
        times, sizes = [at / unit_ns for at, _ in points], [size / MIB for _, size in points]
        axes.plot(times, sizes, color=colour, linewidth=1.4, marker=marker, label=f"test {curve.test_id}")
    axes.set_xlabel(f"time since the start of the program ({unit})")
    axes.set_ylabel("resident set of all its processes (MiB)")


def _draw_marks(axes: Axes, peak_bytes: int, limit_bytes: int) -> None:
    peak, limit = peak_bytes / MIB, limit_bytes / MIB
    near = limit <= NEAR * peak
    axes.axhline(peak, color="#555555", linewidth=1, linestyle=":", label=f"highest peak, {peak:.1f} MiB")
    if near:
        axes.axhline(limit, color="#b00020", linewidth=1.2, linestyle="--", label=f"limit, {limit:.0f} MiB")
    else:
        axes.plot([], [], " ", label=f"limit {limit:.0f} MiB, far above")
    axes.set_ylim(0, 1.08 * max(peak, limit if near else 0))
    axes.set_xlim(left=0)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9)
