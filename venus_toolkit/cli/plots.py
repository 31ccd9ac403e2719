"""Plots: memory over time for ``venus run --plot``, and the funnel for ``venus build --report``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S
from venus_toolkit.dataset.charts import ALARM, COLOURS, INK, make_figure, strip_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venus_toolkit.dataset.funnel import Funnel, FunnelStep

LEGEND: dict[str, Any] = {
    "loc": "upper left",
    "bbox_to_anchor": (1.01, 1),
    "frameon": False,
    "fontsize": 9,
}


class MemoryCurve(NamedTuple):
    """The memory of one test: pairs of time (ns) and bytes, and the kernel's peak."""

    test_id: str
    trace: Sequence[tuple[int, int]]
    peak_bytes: int


def check_plot(file: Path) -> None:
    """Reject a plot file that cannot be written, before anything is measured."""
    require("eval")
    if file.suffix not in (".png", ".svg"):
        raise UsageError(
            f"cannot draw {file.name}", "plots end in .png or .svg", "type: --plot memory.png"
        )
    if not file.parent.is_dir():
        raise UsageError(
            f"cannot draw {file}", f"{file.parent} is not a folder", f"type: mkdir -p {file.parent}"
        )


def _save(figure: Figure, file: Path) -> None:
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(
            f"cannot write the picture {file}", reason, "make room, or choose another path"
        ) from error


def plot_memory(file: Path, curves: Sequence[MemoryCurve], limit_bytes: int, title: str) -> None:
    """Draw the resident set of each curve over time, the highest peak and the limit.

    If there are more curves than colours, those with the highest peaks are drawn.
    """
    drawn = highest_peaks(curves)
    figure = make_figure(9, 5)
    axes = figure.add_subplot()
    end = max((curve.trace[-1][0] for curve in drawn if curve.trace), default=0)
    unit_ns, unit = (NS_PER_S, "s") if end >= 2 * NS_PER_S else (NS_PER_MS, "ms")
    for curve, colour in zip(drawn, COLOURS, strict=False):
        points = [(0, 0), *curve.trace]
        marker = "." if len(points) < 20 else ""
        times, sizes = [at / unit_ns for at, _ in points], [size / MIB for _, size in points]
        axes.plot(
            times, sizes, color=colour, linewidth=1.4, marker=marker, label=f"test {curve.test_id}"
        )
    axes.set_xlabel(f"time since the start of the program ({unit})")
    axes.set_ylabel("resident set of all its processes (MiB)")
    peak, limit = max(curve.peak_bytes for curve in drawn) / MIB, limit_bytes / MIB
    # A line far above the curves would flatten them.
    near = limit <= 4 * peak
    axes.axhline(
        peak, color=COLOURS[6], linewidth=1, linestyle=":", label=f"highest peak, {peak:.1f} MiB"
    )
    if near:
        axes.axhline(
            limit, color=ALARM, linewidth=1.2, linestyle="--", label=f"limit, {limit:.0f} MiB"
        )
    else:
        # A curve without points adds its label to the legend.
        axes.plot([], [], " ", label=f"limit {limit:.0f} MiB, far above")
    axes.set_ylim(0, 1.08 * max(peak, limit if near else 0))
    axes.set_xlim(left=0)
    strip_axes(axes, "top", "right", grid="both")
    axes.legend(**LEGEND)
    selection = (
        f": {len(drawn)} of {len(curves)} tests, those with the highest peaks"
        if len(drawn) < len(curves)
        else ""
    )
    axes.set_title(f"Memory of {title}{selection}", loc="left")
    _save(figure, file)


def highest_peaks(curves: Sequence[MemoryCurve]) -> list[MemoryCurve]:
    """Return the curves with the highest peaks, at most one per colour, in their original order."""
    count = len(COLOURS)
    highest = sorted(curves, key=lambda curve: curve.peak_bytes, reverse=True)[:count]
    return [curve for curve in curves if curve in highest][:count]


def draw_funnel(file: Path, funnel: Funnel, title: str) -> None:
    """Draw the problems and solutions left after each stage, solutions stacked by language."""
    from venus_toolkit.dataset.funnel import ORDER

    named = {step.stage for steps in funnel.solutions.values() for step in steps} - {
        "found",
        "kept",
    }
    known = [stage for stage in ORDER if stage in named]
    stages = ["found", *known, *sorted(named - set(known)), "kept"]

    def aligned(steps: tuple[FunnelStep, ...]) -> tuple[FunnelStep, ...]:
        """Return one step for each stage; a missing stage keeps everything."""
        by_stage = {step.stage: step for step in steps}
        result = [steps[0]]
        for stage in stages[1:]:
            unchanged = steps[0]._replace(stage=stage, lost=0, left=result[-1].left)
            result.append(by_stage.get(stage, unchanged))
        return tuple(result)

    figure = make_figure(12, 1.6 + 0.42 * max(len(stages), len(funnel.problems)))
    left, right = figure.subplots(1, 2)
    _draw_bars(left, [step.stage for step in funnel.problems], {"": funnel.problems})
    left.set_title("problems", loc="left")
    _draw_bars(right, stages, {name: aligned(steps) for name, steps in funnel.solutions.items()})
    right.set_title("solutions", loc="left")
    if funnel.solutions:
        right.legend(**LEGEND)
    figure.suptitle(f"Problems and solutions of {title} by stage", x=0.01, ha="left")
    _save(figure, file)


def _draw_bars(axes: Axes, stages: list[str], parts: dict[str, tuple[FunnelStep, ...]]) -> None:
    lefts, losses = [0] * len(stages), [0] * len(stages)
    for (name, steps), colour in zip(parts.items(), COLOURS, strict=False):
        counts = [step.left for step in steps]
        axes.barh(
            range(len(stages)), counts, left=lefts, color=colour, height=0.72, label=name or None
        )
        lefts = [before + count for before, count in zip(lefts, counts, strict=True)]
        losses = [before + step.lost for before, step in zip(losses, steps, strict=True)]
    for row, (left, lost) in enumerate(zip(lefts, losses, strict=True)):
        label = f" {left:,}" + (f"  (-{lost:,})" if lost > 0 else "")
        axes.text(left, row, label, va="center", fontsize=9, color=INK)
    axes.set_yticks(range(len(stages)), stages)
    axes.invert_yaxis()
    # Leave room for numbers to the right of the longest bar.
    axes.set_xlim(0, 1.28 * max(*lefts, 1))
    axes.xaxis.set_visible(False)
    axes.tick_params(left=False)
    strip_axes(axes, "top", "right", "bottom")
    axes.spines["left"].set_color("#767676")
