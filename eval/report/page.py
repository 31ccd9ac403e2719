"""The HTML page: one file that needs no network and runs no script but its own.

Everything from runs passes Jinja2's escaping, and characters that hide are shown. Should that ever fail, the page's
policy still lets nothing run, load or be sent: only the style and the script with these checksums count.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import jinja2
from markupsafe import Markup

from venus_toolkit.eval.report import shapes, words
from venus_toolkit.eval.report.comparing import METRICS
from venus_toolkit.eval.report.facts import Facts, metric_of
from venus_toolkit.eval.report.programs import TaskView
from venus_toolkit.eval.report.runs import Run

TEMPLATES = "templates"
COLOURS = 8  # of runs, in page.css
NUMBERS = ("percent", "interval", "points", "p_value", "ratio", "time", "size", "integral")
TEXTS = ("visible", "one_line", "markdown")


def render_page(facts: Facts, runs: Sequence[Run], tasks: Sequence[TaskView], title: str) -> str:
    """Return the page."""
    style, script = _source("page.css"), _source("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            facts=facts,
            title=title,
            policy=policy,
            style=Markup(style),
            script=Markup(script),
            tasks=tasks,
            runs=runs,
            bars=shapes.place_bars(facts),
            strips=shapes.rank_strips(facts, runs),
            panels=shapes.curve_panels(facts),
            overall=shapes.overall_scatter(tasks, runs),
            shapes=shapes,
            metrics=METRICS,
            metric_of=metric_of,
            names={line.run: line.name for line in facts.leaderboard},
        )
    )


def render_markdown(facts: Facts, tasks: Sequence[TaskView], title: str, pictures: Sequence[str]) -> str:
    """Return the report as Markdown: the same numbers, no programs; pictures are the names of files beside it."""
    return (
        _environment()
        .get_template("report.md.j2")
        .render(
            facts=facts,
            title=title,
            tasks=tasks,
            pictures=pictures,
            metrics=METRICS,
            metric_of=metric_of,
            names={line.run: line.name for line in facts.leaderboard},
        )
    )


def _hash(text: str) -> str:
    """Return the checksum by which a policy allows what stands between <style> or <script> and its end."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: not (name or "").endswith(".md.j2"),
        finalize=_printed,
    )
    environment.filters |= {name: getattr(words, name) for name in (*NUMBERS, *TEXTS)}
    environment.filters["colour"] = lambda run: f"r{run % COLOURS}"
    environment.tests["apart"] = lambda comparison: comparison.differs
    return environment


def _printed(value: object) -> object:
    """Refuse to print what is not known: templates say a dash for it."""
    if value is None:
        raise ValueError("a template of the report prints a value that is not known")
    return value


@cache
def _source(name: str) -> str:
    return (resources.files("venus_toolkit.eval.report") / TEMPLATES / name).read_text(encoding="utf-8")
