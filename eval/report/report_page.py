"""A report on disk: report.html, report.md and figures, each whole or not there.

The HTML page is one file that needs no network and runs no script but its own. Everything from runs passes Jinja2's
escaping, and characters that hide are shown. Should that ever fail, the page's policy still lets nothing run, load or
be sent: only the style and the script with these checksums count.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from venus_toolkit.core import formatting
from venus_toolkit.core.store import explained, write_whole
from venus_toolkit.eval.published_metrics import shown
from venus_toolkit.eval.report import charts
from venus_toolkit.eval.report.paper_figures import FIGURE_FILES, draw_figures
from venus_toolkit.eval.report.report_facts import METRICS, ReportFacts, find_facts, metric_of
from venus_toolkit.eval.report.runs import Run
from venus_toolkit.eval.report.task_views import TaskView, view_tasks

TEMPLATES = Path(__file__).parent / "templates"
PAGE, TEXT = "report.html", "report.md"
TITLE = "Evaluation of models"
COLOURS = 8  # of runs, in page.css
FILTERS = (
    "percent",
    "points",
    "p_value",
    "price",
    "ratio",
    "time",
    "size",
    "integral",
    "visible",
    "one_line",
    "markdown",
)


class Written(NamedTuple):
    """What was written, and what it says."""

    files: Sequence[Path]
    facts: ReportFacts


def write_report(
    folders: Sequence[Path], out: Path, by: str = "time", programs: int = 2, title: str = TITLE, seed: int = 0
) -> Written:
    """Write a report on the folders of finished evaluations; one that is there is replaced.

    The leaderboard is ordered `by` the metric `passed`, `time`, `memory` or `integral`. The page has so many `programs`
    of each run and task.

    Raises:
        UsageError: An unknown metric, or runs that have no task in common.
        ReleaseError: A folder is not a finished evaluation, or cannot be read.
        StoreError: The files cannot be written.
    """
    facts, runs = find_facts(folders, by, seed)
    tasks = view_tasks(runs, programs)
    figures = draw_figures(facts)
    contents = {
        PAGE: render_html(facts, runs, tasks, title).encode(),
        TEXT: render_markdown(facts, tasks, title, list(figures)).encode(),
        **figures,
    }
    with explained(f"cannot write the report into {out}"):
        for name, content in contents.items():
            write_whole(out / name, content)
        for name in set(FIGURE_FILES) - set(contents):  # of an earlier report
            (out / name).unlink(missing_ok=True)
    return Written([out / name for name in contents], facts)


def render_html(facts: ReportFacts, runs: Sequence[Run], tasks: Sequence[TaskView], title: str) -> str:
    """Return the page."""
    values = {
        "runs": runs,
        "bars": charts.place_bars(facts),
        "strips": charts.rank_strips(facts, runs),
        "panels": charts.iteration_charts(facts.curves),
        "overall": charts.cost_scatter(tasks, runs, relative=True),
        "cost_scatter": charts.cost_scatter,
    }
    return _render("page.html.j2", facts, tasks, title, **values, **page_assets("page.js"))


def render_markdown(facts: ReportFacts, tasks: Sequence[TaskView], title: str, figures: Sequence[str]) -> str:
    """Return the report as Markdown: the same numbers, no programs; figures are the names of files beside it."""
    return _render("report.md.j2", facts, tasks, title, figures=figures)


def _render(template: str, facts: ReportFacts, tasks: Sequence[TaskView], title: str, **values: Any) -> str:
    names = {line.run: line.name for line in facts.leaderboard}
    values |= {"facts": facts, "tasks": tasks, "title": title, "names": names}
    return (
        page_templates(TEMPLATES)
        .get_template(template)
        .render(values, metrics=METRICS, metric_of=metric_of, published=shown)
    )


@cache
def page_templates(*folders: Path) -> jinja2.Environment:
    """Return templates that escape what they print, but in Markdown, and refuse to print None."""

    def known(value: object) -> object:
        if value is None:
            raise ValueError("a template prints a value that is not known: let it print a dash")
        return value

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        # What Markdown prints passes the filter `markdown`, which escapes HTML as well.
        autoescape=lambda name: not (name or "").endswith(".md.j2"),
        finalize=known,
    )
    environment.filters |= {name: getattr(formatting, name) for name in FILTERS}
    environment.filters["interval"] = lambda value: formatting.percent_range(value.low, value.high)
    environment.filters["colour"] = lambda run: f"r{run % COLOURS}"
    environment.globals["geometry"] = charts
    return environment


def page_assets(script_file: str = "") -> dict[str, str]:
    """Return the style and the script of a page, and the policy that allows nothing but these two."""
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    script = (TEMPLATES / script_file).read_text(encoding="utf-8") if script_file else ""
    style_hash, script_hash = (
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    allowed = f"style-src '{style_hash}'; " + (f"script-src '{script_hash}'; img-src data:; " if script else "")
    policy = f"default-src 'none'; {allowed}base-uri 'none'; form-action 'none'"
    # Not escaped: a browser takes the checksum of what stands on the page.
    return {"style": Markup(style), "script": Markup(script), "policy": policy}
