"""Jinja2 templates of cards, and the formatting of values.

No template can print ``None`` or ``nan``. Text from the data is escaped, so that it cannot leave
its table cell or imitate a marker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from venus_toolkit.core import formatting
from venus_toolkit.core.untrusted.templates import make_environment

UNKNOWN = Markup("\N{EN DASH}")


def render_template(name: str, values: Mapping[str, Any]) -> str:
    """Return a template of cards/ filled with values.

    Raises:
        ValueError: The template prints None or NaN, which is a bug in the template.
    """
    return _environment().get_template(name).render(values)


@cache
def _environment() -> jinja2.Environment:
    def check_and_escape(value: Any) -> Any:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(
                "a template of a card prints an unknown value: give it a reason with `because`"
            )
        return value if isinstance(value, (Markup, int, float)) else escape(str(value))

    environment = make_environment(
        loader=jinja2.FunctionLoader(read_card_file),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # `check_and_escape` escapes for table cells of Markdown, which Jinja cannot
        autoescape=False,
        finalize=check_and_escape,
    )
    filters = {
        filter_.__name__: filter_ for filter_ in (number, figure, percent, size, because, fenced)
    }
    environment.filters |= filters | {
        "listed": lambda values: ", ".join(map(str, values)),
        "raw": Markup,
    }
    return environment


def read_card_file(name: str) -> str:
    """Return a file of cards/."""
    return (resources.files("venus_toolkit.cards") / name).read_text(encoding="utf-8")


def escape(text: str) -> Markup:
    """Return text without line breaks, HTML and cell borders, for a table cell."""
    one_line = re.sub(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+", " ", text)
    # The ampersand first, because the other replacements contain one.
    return Markup(one_line.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|"))


def fenced(text: str, language: str = "", most: int = 1200) -> Markup:
    """Return text as a block of code with at most `most` characters.

    The text cannot close the fence, hide characters or contain a marker.
    """
    content = formatting.visible(text).replace("<!--", "<! --").strip("\n")
    if len(content) > most:
        content = f"{content[:most].rstrip()}\n[truncated: {len(text):,} characters in total]"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", content)), default=0))
    return Markup(f"{fence}{re.sub(r'[^a-z0-9+#-]', '', language)}\n{content}\n{fence}")


def number(value: float | None) -> str:
    """Return a count, such as ``1,229``, or a median of counts, such as ``79.5``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:,.1f}".removesuffix(".0")


def figure(value: float | None) -> str:
    """Return three significant digits without an exponent: ``0.0123``, ``48.1``, ``12,300``."""
    return formatting.figure(value) if value is not None and math.isfinite(value) else UNKNOWN


def percent(value: float | None) -> str:
    """Return a share as per cent: ``97.1 %``."""
    return f"{100 * value:.1f} %" if value is not None and math.isfinite(value) else UNKNOWN


def size(count: int) -> str:
    """Return bytes in decimal units: ``12.3 MB``."""
    units, value, unit = ("B", "kB", "MB", "GB", "TB"), float(count), 0
    while value >= 1000 and unit < len(units) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {units[unit]}" if unit else f"{count} B"


def because(value: Any, reason: str) -> Any:
    """Return a value, or a dash with the reason if it is unknown."""
    missing = (
        value is None
        or value is UNKNOWN
        or value == ""
        or (isinstance(value, float) and math.isnan(value))
    )
    return Markup(f"{UNKNOWN} ({escape(reason)})") if missing else value


def look_up(manifest: Mapping[str, Any], path: str) -> Any:
    """Return the value under a dotted path in nested mappings, or None."""
    value: Any = manifest
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
