"""A report on disk: report.html, samples.html, report.md and figures, each written atomically."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.core.store import explained, write_whole
from venus_toolkit.dataset.card.published_scores import format_scores
from venus_toolkit.eval.report import charts
from venus_toolkit.eval.report.page_templates import TEMPLATES, page_assets, page_templates
from venus_toolkit.eval.report.paper_figures import FIGURE_FILES, draw_figures
from venus_toolkit.eval.report.report_facts import METRICS, ReportFacts, find_facts, metric_of
from venus_toolkit.eval.report.runs import EvaluationRun
from venus_toolkit.eval.report.samples_page import render_samples
from venus_toolkit.eval.report.task_views import TaskView, view_tasks
from venus_toolkit.eval.scoring.hacks import in_words


def write_report(
    folders: Sequence[Path],
    out: Path,
    by: str = "time",
    programs: int = 2,
    title: str = "Evaluation of models",
    seed: int = 0,
) -> tuple[list[Path], ReportFacts]:
    """Write a report on the folders of finished evaluations; return its files and its facts.

    `by` is the metric that orders the leaderboard: `passed`, `time`, `memory` or `integral`. The
    page shows at most `programs` of each run and task. An existing report is replaced.

    Raises:
        UsageError: The metric is unknown, or the runs have no task in common.
        ReleaseError: A folder is not a finished evaluation, or cannot be read.
        StoreError: The files cannot be written.
    """
    facts, runs = find_facts(folders, by, seed)
    tasks = view_tasks(runs, programs)
    figures = draw_figures(facts)
    contents = {
        "report.html": render_html(facts, runs, tasks, title).encode(),
        "report.md": render_markdown(facts, tasks, title, list(figures)).encode(),
        "samples.html": render_samples(runs, title).encode(),
        **figures,
    }
    with explained(f"cannot write the report into {out}"):
        for name, content in contents.items():
            write_whole(out / name, content)
        for name in set(FIGURE_FILES) - set(contents):  # left by an earlier report
            (out / name).unlink(missing_ok=True)
    return [out / name for name in contents], facts


def render_html(
    facts: ReportFacts, runs: Sequence[EvaluationRun], tasks: Sequence[TaskView], title: str
) -> str:
    """Return the page."""
    bars = charts.place_bars(facts)
    # The picture next to the leaderboard: all runs by its objective, or one run by each objective.
    if len(runs) > 1:
        picture = bars.get(facts.by) or bars.get("time", [])
    else:
        picture = [bar for group in bars.values() for bar in group]
    context = {
        "runs": runs,
        "picture": picture,
        "bars": bars,
        "strips": charts.rank_strips(facts, runs),
        "panels": charts.iteration_charts(facts.curves),
        "overall": charts.cost_scatter(tasks, runs, relative=True),
        "cost_scatter": charts.cost_scatter,
    }
    return _render(
        "page.html.j2", facts, tasks, title, **context, **page_assets("highlight.js", "page.js")
    )


def render_markdown(
    facts: ReportFacts, tasks: Sequence[TaskView], title: str, figures: Sequence[str]
) -> str:
    """Return the report as Markdown: the same numbers without programs.

    `figures` are the names of files in the same folder.
    """
    return _render("report.md.j2", facts, tasks, title, figures=figures)


def _render(
    template: str, facts: ReportFacts, tasks: Sequence[TaskView], title: str, **context: Any
) -> str:
    names = {line.run: line.name for line in facts.leaderboard}
    context |= {"facts": facts, "tasks": tasks, "title": title, "names": names}
    return (
        page_templates(TEMPLATES)
        .get_template(template)
        .render(
            context,
            metrics=METRICS,
            metric_of=metric_of,
            published=format_scores,
            hacks_in_words=in_words,
        )
    )
