"""Formats values and untrusted text for reports and the terminal."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from venus_toolkit.core.records import MIB

UNKNOWN = "\N{EN DASH}"


def percent(share: float | None) -> str:
    """Return a share in per cent, without the sign: ``41.2``."""
    return UNKNOWN if share is None or not math.isfinite(share) else f"{100 * share:.1f}"


def percent_range(low: float, high: float) -> str:
    """Return the ends of an interval of a share in per cent: ``30.1 to 52.0``."""
    return f"{percent(low)} to {percent(high)}"


def share_with_range(share: Sequence[float] | None) -> str:
    """Return a share in per cent with its interval, ``41.2 [30.1, 52.0]``.

    `share` begins with estimate, low and high.
    """
    if share is None:
        return "-"
    estimate, low, high = map(percent, share[:3])
    return f"{estimate} [{low}, {high}]"


def points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.1f}".replace("-", "\N{MINUS SIGN}")


def p_value(value: float) -> str:
    """Return a p-value with three digits, ``< 0.001`` where these would all be 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def figure(value: float) -> str:
    """Return three significant digits without an exponent: ``0.0123``, ``48.1``, ``12,300``."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))  # decimals that make three significant digits
    return f"{round(value, digits):,.{max(0, digits)}f}"


def count_with_noun(count: int, plural: str) -> str:
    """Return a number with its noun: ``1 problem``, ``2 problems``."""
    return f"{count} {plural.removesuffix('s') if count == 1 else plural}"


def price(value: float) -> str:
    """Return an amount of money with two decimals, or three significant digits: ``0.000123``."""
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(2, digits)}f}"


def ratio(value: float | None) -> str:
    """Return a ratio with three digits and a multiplication sign."""
    return (
        UNKNOWN
        if value is None or not math.isfinite(value)
        else f"{figure(value)}\N{MULTIPLICATION SIGN}"
    )


def time(value_ns: float | None) -> str:
    """Return nanoseconds in a unit that fits: ``12.3 ms``."""
    return _in_units(value_ns, ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")))


def size(value_bytes: float | None) -> str:
    """Return bytes in a unit that fits: ``8.00 MiB``."""
    return _in_units(
        value_bytes, ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
    )


def integral(value_byte_ns: float | None) -> str:
    """Return byte-nanoseconds in a unit that fits: ``1.20 MiB·s``."""
    return _in_units(
        value_byte_ns,
        ((MIB * 1e9, "MiB·s"), (MIB * 1e6, "MiB·ms"), (2**10 * 1e6, "KiB·ms"), (1.0, "B·ns")),
    )


def _in_units(value: float | None, units: tuple[tuple[float, str], ...]) -> str:
    if value is None or not math.isfinite(value):
        return UNKNOWN
    factor, unit = next((pair for pair in units if abs(value) >= pair[0]), units[-1])
    return f"{figure(value / factor)} {unit}"


def without_zeros(text: str) -> str:
    """Return a round value without needless zeros: ``2 ms`` for ``2.00 ms``."""
    return re.sub(r"\.0+(?!\d)|(\.\d*?[1-9])0+(?!\d)", r"\1", text)


def visible(text: str) -> str:
    r"""Return text without invisible characters.

    Control characters and direction marks are shown by their code points.

    >>> visible("a\u202eb")
    'a⟨U+202E⟩b'
    """
    if re.fullmatch(r"[\n\t -~]*", text):
        return text
    # Unicode categories of control characters, direction marks and line separators.
    return "".join(
        f"⟨U+{ord(char):04X}⟩"
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and char not in "\n\t"
        else char
        for char in text.replace("\r\n", "\n")
    )


def one_line(text: str) -> str:
    """Return text on one line, without invisible characters."""
    return visible(" ".join(text.split()))


def markdown(text: str) -> str:
    r"""Return text escaped for a Markdown table cell: no mark-up, no HTML, no links.

    >>> markdown("a|b <i> www.x")
    'a\\|b &lt;i&gt; www\\.x'
    """
    # The ampersand is replaced first, since the other two replacements contain one. Three
    # characters have no meaning in CommonMark but do on GitHub and the Hub: @ mentions people, $
    # begins mathematics, :// makes a link.
    plain = (
        re.sub(r"([\\`*_\[\]|~#!@$]|:(?=//))", r"\\\1", one_line(text))
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )
    return re.sub(r"(?i)(www)\.", r"\1\\.", plain)
