"""The pictures of a card: how time, memory and integral are distributed, language by language.

The same facts give the same bytes with the same matplotlib. Each picture carries the digest of the facts that it shows,
so that a check can say whether it is current without drawing it on the same machine.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venus_toolkit.core.records import digest
from venus_toolkit.dataset.card.release_facts import PER_DECADE, Distribution, Facts
from venus_toolkit.dataset.card.templates import figure as three_digits
from venus_toolkit.dataset.release import ASSETS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#000000")  # Okabe and Ito
STYLE = 2  # goes up when pictures of the same facts look different
DIGEST, SOFTWARE = "Venus-Facts", "Software"
TITLES = {
    "time": "Time of accepted solutions, wall clock, sum over the tests",
    "memory": "Peak memory of accepted solutions, largest over the tests",
    "integral": "Integral of memory over time of accepted solutions, sum over the tests",
}
UNITS = {"time": "ms", "memory": "KiB", "integral": "KiB·ms"}
DPI = 110
SHORT_SCALE = 1000  # highest over lowest, up to which ticks between powers of ten are labelled


class Picture(NamedTuple):
    """A picture: its name relative to the release, the digest of what it shows, and the PNG itself."""

    name: str
    facts: str
    png: bytes


def draw_pictures(facts: Facts) -> list[Picture]:
    """Return the pictures of a release."""
    return [_draw(metric, shown) for metric, shown in facts.distributions.items() if shown]


def why_not_current(file: Path, picture: Picture) -> str:
    """Return what is wrong with a picture on disk, or nothing.

    Another version of matplotlib draws other bytes; then the digest of the facts decides.
    """
    if not file.is_file():
        return "it is missing"
    found = file.read_bytes()
    if found == picture.png:
        return ""
    said, now = _texts(found), _texts(picture.png)
    if said.get(DIGEST) != picture.facts:
        return "it shows other data"
    return "it was changed after it was drawn" if said.get(SOFTWARE) == now.get(SOFTWARE) else ""


def _texts(png: bytes) -> Mapping[str, str]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png)) as image:
            return {str(key): str(value) for key, value in image.info.items()}
    except (UnidentifiedImageError, OSError):
        return {}


def _draw(metric: str, shown: Sequence[Distribution]) -> Picture:
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.3 + 0.62 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    for place, each in enumerate(shown):
        _draw_ridge(axes, each, len(shown) - 1 - place, COLOURS[place % len(COLOURS)], UNITS[metric])
    _label_axes(axes, metric, shown)
    facts = digest(STYLE, metric, shown)
    texts = {DIGEST: facts, SOFTWARE: f"matplotlib {matplotlib.__version__}"}
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI, metadata=texts)
    return Picture(f"{ASSETS}/{metric}.png", facts, drawn.getvalue())


def _draw_ridge(axes: Axes, shown: Distribution, base: float, colour: str, unit: str) -> None:
    """Draw a histogram as steps above a line of its own, and a mark at its median."""
    counts = dict(shown.bins)
    # One empty bin more on each side, so that the outline begins and ends on the base line.
    bins = range(min(counts) - 1, max(counts) + 2)
    most = max(counts.values())
    heights = [base + 0.85 * counts.get(bin_, 0) / most for bin_ in bins]
    edges = [10 ** (bin_ / PER_DECADE) for bin_ in bins]
    axes.fill_between(edges, heights, base, step="post", color=colour, alpha=0.75, linewidth=0)
    axes.plot([shown.median] * 2, [base, base + 0.85], color="#222222", linewidth=1.2)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8}
    said = f"{three_digits(shown.median)} {unit}"
    axes.annotate(said, (shown.median, base + 0.85), (4, -8), textcoords="offset points", fontsize=8, bbox=box)


def _label_axes(axes: Axes, metric: str, shown: Sequence[Distribution]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    names = [f"{each.language} ({each.measured:,})" for each in shown]
    axes.set_xscale("log")
    # Powers of ten are labelled in plain numbers; on a short scale twice and five times them too.
    plain = FuncFormatter(lambda value, _: f"{value:,.12g}")
    axes.xaxis.set_major_formatter(plain)
    low, high = axes.get_xlim()
    if high < SHORT_SCALE * low:
        axes.xaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.xaxis.set_minor_formatter(plain)
    axes.set_yticks([len(shown) - 1 - place + 0.02 for place in range(len(shown))], names, va="bottom")
    axes.set_ylim(-0.05, len(shown) + 0.1)
    axes.set_xlabel(f"{UNITS[metric]}, logarithmic; number of solutions in brackets, black line: median")
    axes.set_title(TITLES[metric], loc="left")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
