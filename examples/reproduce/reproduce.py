"""A whole reproduction, from a preset to its page, which is written as HTML, Markdown and JSON.

The HTML loads nothing from the network. Charts are those of `venus report`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from examples.reproduce.findings import (
    Findings,
    SeedMean,
    collect_findings,
    describe_claim,
    describe_order,
    describe_reward,
    describe_slope,
    percent_with_interval,
    with_interval,
)
from examples.reproduce.preset import Preset
from examples.reproduce.small_problems import FAMILIES, shapes
from examples.reproduce.stages import ARMS, Progress, Reproduction
from venus_toolkit.core.store import Store
from venus_toolkit.eval.report import charts
from venus_toolkit.eval.report.page_templates import TEMPLATES as REPORT_TEMPLATES
from venus_toolkit.eval.report.page_templates import page_assets, page_templates
from venus_toolkit.eval.report.report_facts import METRICS, IterationCurve
from venus_toolkit.eval.report.report_page import write_report
from venus_toolkit.eval.scoring.statistics import LEVEL, Interval
from venus_toolkit.training.recipe import GRPO

ORDER = list(ARMS)


class ReproductionResult(NamedTuple):
    """The findings of a reproduction, and the files of its page."""

    findings: Findings
    files: Sequence[Path]


def reproduce(
    preset: Preset,
    out: Path,
    sandbox: str = "auto",
    command: str = "",
    progress: Progress = lambda *_: None,
) -> ReproductionResult:
    """Run or resume a reproduction, and write its page into the folder `out`.

    `command` is the command line, for the models' cards.

    Raises:
        UsageError: The folder holds another reproduction, or the preset is invalid.
        VenusError: An error of a stage.
    """
    reproduction = Reproduction(preset, out, sandbox, command, progress)
    findings = collect_findings(reproduction, reproduction.run())
    folders = [reproduction.evaluation(arm, seed) for arm in ARMS for seed in range(preset.seeds)]
    files, _ = write_report(
        folders, out / "report", by="time", title="Every evaluation of the reproduction"
    )
    return ReproductionResult(findings, [*write_page(findings, out), *files])


def write_page(findings: Findings, folder: Path) -> list[Path]:
    """Write the page, its Markdown and its values into a folder; returns the files.

    Raises:
        StoreError: A file cannot be written.
    """
    contents = {
        "reproduce.html": render_html(findings),
        "reproduce.md": render_markdown(findings),
        "reproduce.json": json.dumps(findings.plain(), indent=1, ensure_ascii=False) + "\n",
    }
    with Store(folder) as store:
        for name, text in contents.items():
            store.write_text(name, text)
    return [folder / name for name in contents]


def render_markdown(findings: Findings) -> str:
    """Return the page as Markdown."""
    return _templates().get_template("page.md.j2").render(_values(findings)) + "\n"


def render_html(findings: Findings) -> str:
    """Return the page as HTML with embedded styles."""
    panels, chart = charts.iteration_charts(_report_curves(findings), top=1.0), None
    if findings.reward:
        minimum, maximum = -1.0, 1.0  # bounds of the three parts, whose weights add up to 1
        points = []
        for number, part in enumerate(findings.reward, 1):
            ends = (part.mean if end is None else end for end in (part.mean, part.low, part.high))
            # Student's interval may exceed the chart.
            value, low, high = (min(max(end, minimum), maximum) for end in ends)
            points.append(
                charts.Point(x=number, value=value, low=low, high=high, title=f"{part.mean:.3f}")
            )
        label, lines = (
            f"Mean reward in {len(points)} parts of the training",
            {ORDER.index(GRPO): points},
        )
        chart = charts.line_chart(
            lines, (minimum, maximum), "{:g}".format, "", label, "part of the training", "reward"
        )
    values = {**_values(findings), "panels": panels, "chart": chart, **page_assets()}
    return _templates().get_template("page.html.j2").render(values)


def _templates() -> jinja2.Environment:
    environment = page_templates(Path(__file__).parent / "templates", REPORT_TEMPLATES)
    environment.filters |= {"share": percent_with_interval, "shown": with_interval}
    return environment


def _values(findings: Findings) -> dict[str, Any]:
    limits = (
        _templates()
        .get_template("limits.md.j2")
        .render(preset=findings.preset, shapes=len(shapes()), families=len(FAMILIES))
    )
    intro, *listed = (line.removeprefix("- ") for line in limits.split("\n") if line)
    # time is ranked by instruction counts, so that copies tie
    order = [describe_order(findings.curves, metric) for metric in ("passed", "time")]
    return {
        "facts": findings,
        "metrics": METRICS,
        "arms": ARMS,
        "sentences": [
            describe_claim(findings.slopes),
            describe_reward(findings.rises.get("reward")),
            *order,
        ],
        "slopes": [describe_slope(arm, slope) for arm, slope in findings.slopes.items()],
        "weights": findings.preset.recipes(0)[GRPO].reward,
        "intro": intro,
        "limits": listed,
    }


def _report_curves(findings: Findings) -> list[IterationCurve]:
    """Return the curves of a report, with arms instead of runs."""

    def within(point: SeedMean) -> Interval:
        """Clip Student's interval of a share to 0 and 1."""
        low, high = (
            point.mean if end is None else min(max(end, 0.0), 1.0)
            for end in (point.low, point.high)
        )
        return Interval(point.mean, low, high, LEVEL, point.seeds)

    return [
        IterationCurve(
            run=ORDER.index(curve.arm),
            metric=curve.metric,
            steps=tuple(
                (iteration, within(point)) for iteration, point in enumerate(curve.points) if point
            ),
        )
        for curve in findings.curves
        if any(curve.points)
    ]
