"""What a build kept of what it found: ``venus build --report`` prints it and draws it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.plot import COLOURS
from venus_toolkit.errors import StoreError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from venus_toolkit.funnel import Funnel, Step

PICTURE = "funnel.png"
GREY = "#767676"

report_option = click.option(
    "--report", is_flag=True, help=f"Print how much each stage dropped, and draw it as OUT/{PICTURE}."
)


def draw_report(out: Path) -> Funnel:
    """Draw the funnel of a finished build into its folder; returns it.

    Raises:
        UsageError: The folder is not a finished build.
        StoreError: The picture cannot be written.
    """
    from venus_toolkit.funnel import read_funnel

    found = read_funnel(out)
    draw_funnel(out / PICTURE, found, out.resolve().name)
    return found


def print_report(funnel: Funnel, out: Path) -> None:
    """Print a funnel, and where its picture lies."""
    from venus_toolkit.funnel import render

    click.echo("\n" + render(funnel))
    click.echo(f"drawn in {out / PICTURE}", err=True)


def draw_funnel(file: Path, funnel: Funnel, title: str) -> None:
    """Draw the problems, and the solutions stacked by language, a bar for what each stage left (PNG or SVG).

    Raises:
        StoreError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    stages = _stages(funnel)
    figure = Figure(figsize=(12, 1.6 + 0.42 * max(len(stages), len(funnel.problems))), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_bars(left, [step.stage for step in funnel.problems], {"": funnel.problems})
    left.set_title("problems", loc="left")
    _draw_bars(right, stages, {name: _aligned(steps, stages) for name, steps in funnel.solutions.items()})
    right.set_title("solutions", loc="left")
    if funnel.solutions:
        right.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9)
    figure.suptitle(f"What {title} kept", x=0.01, ha="left")
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"cannot write the picture {file}", why, "make room, or choose another place") from error


def _stages(funnel: Funnel) -> list[str]:
    """Return the stages of all languages in their order."""
    from venus_toolkit.funnel import ORDER

    found = {step.stage for steps in funnel.solutions.values() for step in steps} - {"found", "kept"}
    known = [stage for stage in ORDER if stage in found]
    return ["found", *known, *sorted(found - set(known)), "kept"]


def _aligned(steps: tuple[Step, ...], stages: list[str]) -> tuple[Step, ...]:
    """Return one step for each stage: one that took nothing leaves what was there."""
    mine = {step.stage: step for step in steps}
    aligned = [steps[0]]
    for stage in stages[1:]:
        aligned.append(mine.get(stage, steps[0]._replace(stage=stage, lost=0, left=aligned[-1].left)))
    return tuple(aligned)


def _draw_bars(axes: Axes, stages: list[str], parts: dict[str, tuple[Step, ...]]) -> None:
    lefts, losses = [0] * len(stages), [0] * len(stages)
    for (name, steps), colour in zip(parts.items(), COLOURS, strict=False):
        values = [step.left for step in steps]
        axes.barh(range(len(stages)), values, left=lefts, color=colour, height=0.72, label=name or None)
        lefts = [before + value for before, value in zip(lefts, values, strict=True)]
        losses = [before + step.lost for before, step in zip(losses, steps, strict=True)]
    for place, (left, lost) in enumerate(zip(lefts, losses, strict=True)):
        said = f" {left:,}" + (f"  (-{lost:,})" if lost > 0 else "")
        axes.text(left, place, said.replace(",", " "), va="center", fontsize=9, color="#222222")
    axes.set_yticks(range(len(stages)), stages)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.28 * max(*lefts, 1))
    axes.xaxis.set_visible(False)
    axes.tick_params(left=False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.spines["left"].set_color(GREY)
