"""The page of a reproduction, as HTML that needs no network and as Markdown; charts are those of `venus report`."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from venus_toolkit.eval.report import shapes
from venus_toolkit.eval.report.comparing import METRICS
from venus_toolkit.eval.report.facts import Curve as ShownCurve
from venus_toolkit.eval.report.facts import Step
from venus_toolkit.eval.report.words import one_line
from venus_toolkit.eval.statistics import LEVEL, Interval
from venus_toolkit.reproduce.curves import Curve, Estimate
from venus_toolkit.reproduce.facts import Facts, plain
from venus_toolkit.reproduce.stages import ARMS
from venus_toolkit.reproduce.words import said_of_order, said_of_reward, share, shown
from venus_toolkit.store import Store
from venus_toolkit.training.recipe import GRPO

TEMPLATES = Path(__file__).parent / "templates"
OF_REPORTS = Path(shapes.__file__).parent / "templates"
PAGE, MARKDOWN, VALUES = "reproduce.html", "reproduce.md", "reproduce.json"
ORDERED = ("passed", "integral")
LOWEST, HIGHEST = -1.0, 1.0  # of a reward's axis


def write_page(facts: Facts, folder: Path) -> list[Path]:
    """Write the page, its Markdown and its values into a folder; returns the files.

    Raises:
        StoreError: They cannot be written.
    """
    contents = {
        PAGE: render_html(facts),
        MARKDOWN: render_markdown(facts),
        VALUES: json.dumps(plain(facts), indent=1, ensure_ascii=False) + "\n",
    }
    with Store(folder) as store:
        for name, text in contents.items():
            store.write_text(name, text)
    return [folder / name for name in contents]


def render_markdown(facts: Facts) -> str:
    """Return the page as Markdown."""
    return _environment().get_template("page.md.j2").render(_values(facts))


def render_html(facts: Facts) -> str:
    """Return the page as HTML; nothing but its own style counts on it."""
    style = (OF_REPORTS / "page.css").read_text(encoding="utf-8")
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{known}'; base-uri 'none'; form-action 'none'"
    told = {
        "policy": policy,
        "style": Markup(style),
        "panels": [_panel(facts.curves, metric) for metric in METRICS],
        "chart": _reward_chart(facts.reward, ARMS.index(GRPO)) if facts.reward else None,
        "shapes": shapes,
    }
    return _environment().get_template("page.html.j2").render({**_values(facts), **told})


def _values(facts: Facts) -> dict[str, Any]:
    said = [said_of_reward(facts.rises.get("reward"))]
    said += [said_of_order(facts.curves, metric, METRICS[metric]) for metric in ORDERED]
    intro, *limits = (line.removeprefix("- ") for line in _limits(facts) if line)
    return {
        "facts": facts,
        "metrics": METRICS,
        "arms": ARMS,
        "said": said,
        "weights": facts.preset.recipes(0)[GRPO].reward,
        "intro": intro,
        "limits": limits,
    }


def _limits(facts: Facts) -> list[str]:
    return _environment().get_template("limits.md.j2").render(facts=facts).split("\n")


# ------------------------------------------------------------------ charts


def _panel(curves: Sequence[Curve], metric: str) -> shapes.Panel | None:
    """Return a report's chart of a metric over the iterations; None where nothing is known."""
    own = [curve for curve in curves if curve.metric == metric and any(curve.points)]
    shown = [ShownCurve(ARMS.index(curve.arm), metric, _steps(curve)) for curve in own]
    return shapes.curve_panel(metric, shown, 1.0) if shown else None


def _steps(curve: Curve) -> tuple[Step, ...]:
    return tuple(Step(at, _within(point)) for at, point in enumerate(curve.points) if point)


def _within(point: Estimate) -> Interval:
    """Return an interval of a share; what Student's reaches beyond 0 and 1 cannot be."""
    low, high = (point.mean if end is None else min(max(end, 0.0), 1.0) for end in (point.low, point.high))
    return Interval(point.mean, low, high, LEVEL, point.seeds)


def _reward_chart(parts: Sequence[Estimate], run: int) -> shapes.Panel:
    """Return a chart of the reward over the parts of a training, in the form of those over iterations."""
    width = shapes.RIGHT - shapes.LEFT - 12
    across = [shapes.LEFT + 6 + round(width * part / max(1, len(parts) - 1), 1) for part in range(len(parts))]
    x_ticks = [shapes.Tick(x, str(part)) for part, x in enumerate(across, 1)]
    y_ticks = [shapes.Tick(_height(value), f"{value:g}") for value in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    line = "M" + "L".join(f"{x:g} {_height(part.mean):g}" for x, part in zip(across, parts, strict=True))
    tops = [f"{x:g} {_height(_end(part.high, part)):g}" for x, part in zip(across, parts, strict=True)]
    floors = [f"{x:g} {_height(_end(part.low, part)):g}" for x, part in zip(across, parts, strict=True)]
    band = "M" + "L".join([*tops, *reversed(floors)]) + "z"
    marks = [
        shapes.Mark(run, shapes.shape(run, x, _height(part.mean)), f"{part.mean:.3f}")
        for x, part in zip(across, parts, strict=True)
    ]
    label = f"Mean reward in {len(parts)} parts of the training"
    return shapes.Panel(label, x_ticks, y_ticks, [shapes.Line(run, line, band, marks)], label)


def _end(value: float | None, part: Estimate) -> float:
    return part.mean if value is None else value


def _height(reward: float) -> float:
    """Return where a reward lies."""
    share = (min(max(reward, LOWEST), HIGHEST) - LOWEST) / (HIGHEST - LOWEST)
    return round(shapes.BOTTOM + share * (shapes.TOP - shapes.BOTTOM), 1)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([TEMPLATES, OF_REPORTS]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: not (name or "").endswith(".md.j2"),
    )
    environment.filters["one_line"] = one_line
    environment.filters["colour"] = lambda run: f"r{run}"
    environment.filters |= {"share": share, "shown": shown}
    return environment
