"""Shared parts of the report pages: escaping templates, style, and the policy of a page.

A page is a single file that needs no network and runs only its own script. The templates escape all
data from runs and make invisible characters visible. If escaping ever fails, the page's content
security policy still blocks scripts, loading and sending: it allows only the style and script with
the given checksums.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from venus_toolkit.core import formatting
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.eval.report import charts

TEMPLATES = Path(__file__).parent / "templates"


@cache
def page_templates(*folders: Path) -> jinja2.Environment:
    """Return templates that escape their values, except in Markdown, and reject None."""

    def known(value: object) -> object:
        if value is None:
            raise ValueError("a template prints an unknown value: let it print a dash")
        return value

    environment = make_environment(
        *folders,
        trim_blocks=True,
        lstrip_blocks=True,
        # In Markdown, values pass the filter `markdown`, which also escapes HTML.
        autoescape=lambda name: not (name or "").endswith(".md.j2"),
        finalize=known,
    )
    filters = (
        "percent", "points", "p_value", "price", "ratio", "time", "size", "integral", "visible", "one_line", "markdown",
    )  # fmt: skip
    environment.filters |= {name: getattr(formatting, name) for name in filters}
    environment.filters["interval"] = lambda value: formatting.percent_range(value.low, value.high)
    environment.filters["count"] = lambda value: f"{value:,}"
    # page.css has eight colours for runs
    environment.filters["colour"] = lambda run: f"r{run % 8}"
    environment.globals["geometry"] = charts
    return environment


def page_assets(*script_files: str) -> dict[str, str]:
    """Return the style and the script of a page, and the policy that allows only these two."""
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    script = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in script_files)
    style_hash, script_hash = (
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    )
    allowed = f"style-src '{style_hash}'; " + (
        f"script-src '{script_hash}'; img-src data:; " if script else ""
    )
    policy = f"default-src 'none'; {allowed}base-uri 'none'; form-action 'none'"
    # Not escaped, because a browser computes the checksums of the raw text.
    return {"style": Markup(style), "script": Markup(script), "policy": policy}
