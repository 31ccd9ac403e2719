"""How values and other people's text become words: filters of the templates."""

from __future__ import annotations

import math
import re
import unicodedata

from venus_toolkit.eval.statistics import Interval
from venus_toolkit.records import MIB

UNKNOWN = "\N{EN DASH}"
TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
SIZES = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))
INTEGRALS = ((MIB * 1e9, "MiB·s"), (MIB * 1e6, "MiB·ms"), (2**10 * 1e6, "KiB·ms"))
MARKDOWN = re.compile(r"([\\`*_\[\]|~#!@$]|:(?=//))")


def percent(share: float | None) -> str:
    """Return a share in per cent, without the sign: ``41.2``."""
    return UNKNOWN if share is None or not math.isfinite(share) else f"{100 * share:.1f}"


def interval(value: Interval | None) -> str:
    """Return the ends of an interval of a share: ``30.1 to 52.0``."""
    return UNKNOWN if value is None else f"{percent(value.low)} to {percent(value.high)}"


def points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.1f}".replace("-", "\N{MINUS SIGN}")


def p_value(value: float) -> str:
    """Return a p-value with three digits; smaller ones are just that."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def ratio(value: float | None) -> str:
    """Return a ratio with three digits and a sign of multiplication."""
    return UNKNOWN if value is None or not math.isfinite(value) else f"{figure(value)}\N{MULTIPLICATION SIGN}"


def figure(value: float) -> str:
    """Return three significant digits without an exponent."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def time(value_ns: float | None) -> str:
    """Return nanoseconds in a unit that fits: ``12.3 ms``."""
    return _in_units(value_ns, TIMES, "ns")


def size(value_bytes: float | None) -> str:
    """Return bytes in a unit that fits: ``8.00 MiB``."""
    return _in_units(value_bytes, SIZES, "B")


def integral(value_byte_ns: float | None) -> str:
    """Return byte-nanoseconds in a unit that fits: ``1.20 MiB·s``."""
    return _in_units(value_byte_ns, INTEGRALS, "B·ns")


def _in_units(value: float | None, units: tuple[tuple[float, str], ...], smallest: str) -> str:
    if value is None or not math.isfinite(value):
        return UNKNOWN
    factor, unit = next(((factor, unit) for factor, unit in units if abs(value) >= factor), (1.0, smallest))
    return f"{figure(value / factor)} {unit}"


def tick(words: str) -> str:
    """Return the words of a round value without needless zeros: ``2 ms`` for ``2.00 ms``."""
    return re.sub(r"\.0+(?!\d)|(\.\d*?[1-9])0+(?!\d)", r"\1", words)


# ------------------------------------------------------------------ other people's text


def visible(text: str) -> str:
    r"""Return text in which no character hides: controls and marks of direction are shown by their number.

    >>> visible("a\u202eb")
    'a⟨U+202E⟩b'
    """
    return "".join(map(_seen, text.replace("\r\n", "\n")))


def _seen(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character not in "\n\t"
    return f"⟨U+{ord(character):04X}⟩" if hidden else character


def one_line(text: str) -> str:
    """Return text on one line, nothing hidden."""
    return visible(" ".join(text.split()))


def markdown(text: str) -> str:
    r"""Return text that is no Markdown and no HTML, stays in its table cell and links nowhere.

    >>> markdown("a|b <i> www.x")
    'a\\|b &lt;i&gt; www\\.x'
    """
    plain = MARKDOWN.sub(r"\\\1", one_line(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"(?i)(www)\.", r"\1\\.", plain)
