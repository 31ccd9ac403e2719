"""How many problems and solutions each stage took, from what was found to what was kept.

The steps always add up: what no dropped row accounts for is a step of its own. For solutions that is what went with
their problems, whose rows name the problem alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.builders.facts import Dropped
from venus_toolkit.errors import UsageError
from venus_toolkit.store import read_manifest

ORDER = (
    "ingest", "category", "contamination", "similar", "duplicates", "generate", "validate", "quality", "quarantine",
    "runner", "sandbox", "behaviour", "threshold", "sample",
)  # fmt: skip
ABOUT_TESTS = ("generate", "validate", "quality")
STILL_THERE = (*ABOUT_TESTS, "quarantine")  # who is quarantined has no say, but is published
WITH_PROBLEMS = "with their problems"
UNEXPLAINED = "not accounted for"
BAR = 40
BLOCKS = " ▏▎▍▌▋▊▉█"


class Step(NamedTuple):
    """A stage, how much it took, and how much was left after it."""

    stage: str
    lost: int
    left: int


class Found(NamedTuple):
    """Problems, and solutions of each language, as the source has them."""

    problems: int
    solutions: Mapping[str, int]


class Kept(NamedTuple):
    """The slugs of the published problems, and how many solutions of each language are published."""

    problems: frozenset[str]
    solutions: Mapping[str, int]


class Funnel(NamedTuple):
    """Steps from found to kept: of problems, and of the solutions of each language."""

    problems: tuple[Step, ...]
    solutions: Mapping[str, tuple[Step, ...]]


def funnel(found: Found | None, dropped: Iterable[Dropped], kept: Kept) -> Funnel:
    """Return the steps from what was found to what was kept.

    Args:
        found: What the source has; None: what was kept and what was dropped by name.
        dropped: The dropped rows in the order in which they were dropped. A problem counts at the first stage that
            dropped it, unless it is published in some language. The language of a solution is in the row's detail, at
            the end of its stage, or in its id (``slug/language/name``).
        kept: What is published.
    """
    problems: dict[str, str] = {}
    solutions: Counter[tuple[str, str]] = Counter()
    names = frozenset(kept.solutions) | frozenset(found.solutions if found else ())
    for row in dropped:
        stage = row.stage.split()[0]
        if row.item == row.problem:
            problems.setdefault(row.problem, stage)
        elif stage not in STILL_THERE:
            solutions[_language(row, names), stage] += 1
    lost = Counter(stage for slug, stage in problems.items() if slug not in kept.problems)
    before = found.problems if found else len(kept.problems) + lost.total()
    steps = {}
    for name in sorted(kept.solutions):
        mine = Counter({stage: count for (language, stage), count in solutions.items() if language == name})
        start = found.solutions.get(name, 0) if found else kept.solutions[name] + mine.total()
        steps[name] = _steps(start, mine, kept.solutions[name], WITH_PROBLEMS)
    return Funnel(_steps(before, lost, len(kept.problems), UNEXPLAINED), steps)


def last_reason(dropped: Iterable[Dropped]) -> str:
    """Return the reason of the row that went furthest through the stages: what a build without a result ended at."""
    rows = list(dropped)
    return max(rows, key=lambda row: _place(row.stage.split()[0])).reason if rows else "it is empty"


def _place(stage: str) -> int:
    return ORDER.index(stage) if stage in ORDER else len(ORDER)


def _language(row: Dropped, names: frozenset[str]) -> str:
    told = row.detail.get("language") if isinstance(row.detail, Mapping) else None
    words = (told, row.stage.split()[-1], *row.item.split("/")[1:2])
    return next((word for word in words if word in names), "")


def _steps(found: int, lost: Counter[str], kept: int, rest: str) -> tuple[Step, ...]:
    steps, left = [Step("found", 0, found)], found
    for stage in sorted(lost, key=lambda stage: (_place(stage), stage)):
        left -= lost[stage]
        steps.append(Step(stage, lost[stage], left))
    if left != kept:
        steps.append(Step(rest if left > kept else UNEXPLAINED, left - kept, kept))
    return (*steps, Step("kept", 0, kept))


def read_funnel(folder: Path) -> Funnel:
    """Return the funnel of a finished build from its manifest, its dropped.jsonl and its Parquet.

    The manifest says under ``found`` what the source has (``problems``, ``solutions`` by language).

    Raises:
        UsageError: The folder is not a finished build.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise UsageError(f"{folder} is not a finished build", "it has no manifest.json", "type: venus build --help")
    try:
        with (folder / "dropped.jsonl").open(encoding="utf-8") as file:
            return funnel(_found(manifest), (Dropped(**json.loads(line)) for line in file), _kept(folder, manifest))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder} is not a whole build", str(error), "type the command of the build again: it repairs it"
        ) from error


def _found(manifest: Mapping[str, Any]) -> Found | None:
    return Found(**manifest["found"]) if "found" in manifest else None


def _kept(folder: Path, manifest: Mapping[str, Any]) -> Kept:
    solutions, problems = {}, set()
    for language, config in manifest["configs"].items():
        parts = config["splits"].values()
        solutions[language] = sum(part["solutions"] for part in parts)
        for part in parts:
            for name in part["files"]:
                problems.update(pq.read_table(folder / name, columns=["title"])["title"].to_pylist())
    return Kept(frozenset(problems), solutions)


# ------------------------------------------------------------------ as text


def render(funnel: Funnel) -> str:
    """Return the funnel as a table with bars: one part for the problems, one for the solutions of each language."""
    parts = {"problems": funnel.problems} | {f"solutions, {name}": each for name, each in funnel.solutions.items()}
    width = max((len(step.stage) for steps in parts.values() for step in steps), default=0)
    return "\n".join(line for title, steps in parts.items() for line in (title, *_lines(steps, width)))


def _lines(steps: Iterable[Step], width: int) -> list[str]:
    listed = list(steps)
    most = max(step.left for step in listed)
    return [
        f"  {step.stage:<{width}}  {step.left:>9,}  {_loss(step.lost):>9}  {bar(step.left, most)}".rstrip().replace(
            ",", " "
        )
        for step in listed
    ]


def _loss(count: int) -> str:
    return f"-{count:,}" if count > 0 else f"+{-count:,}" if count < 0 else ""


def bar(value: int, most: int) -> str:
    """Return a bar of at most BAR characters, exact to an eighth of one; whatever is not 0 is seen."""
    eighths = max(round(8 * BAR * value / most), 1) if most and value > 0 else 0
    return BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8].strip()
