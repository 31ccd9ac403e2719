"""The pictures of a card: distributions of time, memory and integral by language.

The same facts and the same matplotlib give the same bytes. Each picture contains the digest of its
facts and a digest of its own bytes, so that a check can tell whether it is current without drawing.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venus_toolkit.core.records import digest
from venus_toolkit.dataset.card.release_facts import PER_DECADE, Facts, MetricDistribution
from venus_toolkit.dataset.card.templates import figure as three_digits
from venus_toolkit.dataset.charts import COLOURS, INK, make_figure, strip_axes
from venus_toolkit.dataset.release import ASSETS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIGEST, SEAL = "Venus-Facts", "Venus-Bytes"
END_BYTES = 12  # size of the last chunk of a PNG
UNITS = {"time": "ms", "memory": "KiB", "integral": "KiB·ms"}


class Picture(NamedTuple):
    """A picture of a release: a metric and its distributions by language."""

    metric: str
    distributions: Sequence[MetricDistribution]

    @property
    def name(self) -> str:
        """The file, relative to the release."""
        return f"{ASSETS}/{self.metric}.png"

    @property
    def facts(self) -> str:
        """The digest of its facts."""
        # Increase the number when the same facts are drawn differently.
        return digest(3, self.metric, self.distributions)

    def draw(self) -> bytes:
        """Return the PNG; drawing takes almost a second."""
        import matplotlib

        count = len(self.distributions)
        figure = make_figure(9, 1.3 + 0.62 * count)
        axes = figure.add_subplot()
        for place, distribution in enumerate(self.distributions):
            colour = COLOURS[place % len(COLOURS)]
            _draw_ridge(axes, distribution, count - 1 - place, colour, UNITS[self.metric])
        _label_axes(axes, self.metric, self.distributions)
        texts = {DIGEST: self.facts, "Software": f"matplotlib {matplotlib.__version__}"}
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=110, metadata=texts)
        return _add_seal(buffer.getvalue())


def list_pictures(facts: Facts) -> list[Picture]:
    """Return the pictures of a release."""
    return [
        Picture(metric, distributions)
        for metric, distributions in facts.distributions.items()
        if distributions
    ]


def why_not_current(file: Path, picture: Picture) -> str:
    """Return why a picture on disk is not current, or ""; any version of matplotlib is accepted."""
    if not file.is_file():
        return "it is missing"
    png = file.read_bytes()
    if f"{DIGEST}\0{picture.facts}".encode() not in png:
        return "it shows other data"
    unsealed = png[: -END_BYTES - len(_seal(b""))] + png[-END_BYTES:]
    return "" if png == _add_seal(unsealed) else "it was changed after it was drawn"


def _seal(png: bytes) -> bytes:
    """Return the text chunk with the digest of a PNG that lacks this chunk."""
    text = b"tEXt" + f"{SEAL}\0{hashlib.sha256(png).hexdigest()}".encode()
    return struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))


def _add_seal(png: bytes) -> bytes:
    """Return a PNG with its own digest in a text chunk before its last chunk."""
    return png[:-END_BYTES] + _seal(png) + png[-END_BYTES:]


def _draw_ridge(
    axes: Axes, distribution: MetricDistribution, base: float, colour: str, unit: str
) -> None:
    """Draw a histogram as steps above its base line, and a mark at its median."""
    counts = dict(distribution.bins)
    # An empty bin on each side, so that the outline begins and ends on the base line.
    bins = range(min(counts) - 1, max(counts) + 2)
    most = max(counts.values())
    heights = [base + 0.85 * counts.get(bin_, 0) / most for bin_ in bins]
    edges = [10 ** (bin_ / PER_DECADE) for bin_ in bins]
    axes.fill_between(edges, heights, base, step="post", color=colour, alpha=0.75, linewidth=0)
    axes.plot([distribution.median] * 2, [base, base + 0.85], color=INK, linewidth=1.2)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8}
    label = f"{three_digits(distribution.median)} {unit}"
    axes.annotate(
        label,
        (distribution.median, base + 0.85),
        (4, -8),
        textcoords="offset points",
        fontsize=8,
        bbox=box,
    )


def _label_axes(axes: Axes, metric: str, distributions: Sequence[MetricDistribution]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    count = len(distributions)
    names = [
        f"{distribution.language} ({distribution.measured:,})" for distribution in distributions
    ]
    axes.set_xscale("log")
    # Labels are plain numbers: powers of ten, and on a short scale also 2 and 5 times these.
    plain = FuncFormatter(lambda value, _: f"{value:,.12g}")
    axes.xaxis.set_major_formatter(plain)
    low, high = axes.get_xlim()
    if high < 1000 * low:  # otherwise ticks between powers of ten are too close for labels
        axes.xaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.xaxis.set_minor_formatter(plain)
    axes.set_yticks([count - 1 - place + 0.02 for place in range(count)], names, va="bottom")
    axes.set_ylim(-0.05, count + 0.1)
    axes.set_xlabel(
        f"{UNITS[metric]}, logarithmic; number of solutions in brackets, black line: median"
    )
    titles = {
        "time": "Time of accepted solutions, wall clock, sum over the tests",
        "memory": "Peak memory of accepted solutions, largest over the tests",
        "integral": "Integral of memory over time of accepted solutions, sum over the tests",
    }
    axes.set_title(titles[metric], loc="left")
    strip_axes(axes, "top", "right", "left", grid="x")
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
