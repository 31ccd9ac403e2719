"""How many problems and solutions each stage dropped, from the source to the release.

The steps always add up: losses that no dropped row explains form a separate step. For solutions,
these were dropped with their problem, because the row of a dropped problem names no solutions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.store import read_manifest

ORDER = (
    "ingest", "category", "contamination", "similar", "duplicates", "generate", "validate", "quality", "quarantine",
    "disputed", "runner", "sandbox", "behaviour", "threshold", "sample",
)  # fmt: skip
ABOUT_TESTS = ("generate", "validate", "quality")  # their rows name tests, not solutions
BELOW = "below min_confidence"  # prefix of the reason: generated inputs are not trusted
# prefix of the reason for dropping an input, unless the validator crashed or hit a limit
REFUSED = "the validator refuses it"
DISAGREE = "canonical solutions disagree"  # prefix of the reason for dropping a test
# the stage of solutions whose correctness is disputed, and the prefix of the reason for dropping
# tests whose expected output is disputed
DISPUTED = "disputed"
UNEXPLAINED = "not accounted for"
BAR = 40


class Dropped(NamedTuple):
    """A rejected problem, solution or test, with the reason."""

    stage: str
    problem: str
    item: str
    reason: str
    detail: Any = None


class FunnelStep(NamedTuple):
    """A stage, with the number of items that it dropped and the number that remained."""

    stage: str
    lost: int
    left: int


class Funnel(NamedTuple):
    """The steps from ``found`` to ``kept``, of problems and of the solutions of each language."""

    problems: tuple[FunnelStep, ...]
    solutions: Mapping[str, tuple[FunnelStep, ...]]


def funnel(
    source_counts: Mapping[str, Any] | None,
    dropped: Iterable[Dropped],
    published: Collection[str],
    solutions: Mapping[str, int],
) -> Funnel:
    """Return the steps from the source to the release.

    Args:
        source_counts: The numbers of ``problems`` and, by language, of ``solutions`` in the source.
            None: count the published and the dropped ones instead.
        dropped: The dropped rows in the order in which they were dropped. A problem counts at the
            first stage that dropped it, unless it is published in some language. The language of a
            solution is in the row's detail, at the end of its stage, or in its id
            (``slug/language/name``).
        published: The slugs of the published problems.
        solutions: The number of published solutions by language.
    """
    problems: dict[str, str] = {}
    losses: Counter[tuple[str, str]] = Counter()
    before: Mapping[str, int] = source_counts["solutions"] if source_counts else {}
    languages = {*solutions, *before}
    for row in dropped:
        stage = row.stage.split()[0]  # a language may follow: threshold cpp
        if row.item == row.problem:
            problems.setdefault(row.problem, stage)
        # A solution that is quarantined has no vote, but is published.
        elif stage not in (*ABOUT_TESTS, "quarantine"):
            detail = row.detail if isinstance(row.detail, Mapping) else {}
            named = (str(detail.get("language")), row.stage.split()[-1], *row.item.split("/")[1:2])
            losses[next((name for name in named if name in languages), ""), stage] += 1
    lost = Counter(stage for slug, stage in problems.items() if slug not in published)
    start = source_counts["problems"] if source_counts else len(published) + lost.total()
    steps = {}
    for name in sorted(solutions):
        mine = Counter(
            {stage: count for (language, stage), count in losses.items() if language == name}
        )
        first = before.get(name, 0) if source_counts else solutions[name] + mine.total()
        steps[name] = _steps(first, mine, solutions[name], "with their problems")
    return Funnel(_steps(start, lost, len(published), UNEXPLAINED), steps)


def last_reason(dropped: Iterable[Dropped]) -> str:
    """Return the reason of the row that was dropped at the latest stage.

    It explains a build that published nothing.
    """
    rows = list(dropped)
    return max(rows, key=lambda row: _place(row.stage.split()[0])).reason if rows else "it is empty"


def _place(stage: str) -> int:
    return ORDER.index(stage) if stage in ORDER else len(ORDER)


def _steps(start: int, lost: Counter[str], remaining: int, rest: str) -> tuple[FunnelStep, ...]:
    steps, left = [FunnelStep("found", 0, start)], start
    for stage in sorted(lost, key=lambda stage: (_place(stage), stage)):
        left -= lost[stage]
        steps.append(FunnelStep(stage, lost[stage], left))
    if left != remaining:
        steps.append(
            FunnelStep(rest if left > remaining else UNEXPLAINED, left - remaining, remaining)
        )
    return (*steps, FunnelStep("kept", 0, remaining))


def read_funnel(folder: Path, manifest: Mapping[str, Any] | None = None) -> Funnel:
    """Return the funnel of a release from its manifest, its dropped.jsonl and its Parquet.

    Args:
        folder: The release.
        manifest: Its manifest, which need not be on disk yet; None: the one in the folder. Its key
            ``found`` has the source's number of ``problems``, and of ``solutions`` by language.

    Raises:
        UsageError: The folder is not a finished build, or its files are damaged.
    """
    manifest = read_manifest(folder) if manifest is None else manifest
    if manifest is None:
        raise UsageError(
            f"{folder} is not a finished build",
            "it has no manifest.json",
            "type: venus build --help",
        )
    try:
        solutions: dict[str, int] = {}
        problems: set[str] = set()
        for language, config in manifest["configs"].items():
            parts = config["splits"].values()
            solutions[language] = sum(part["solutions"] for part in parts)
            for name in (name for part in parts for name in part["files"]):
                problems.update(
                    pq.read_table(folder / name, columns=["title"])["title"].to_pylist()
                )
        with (folder / "dropped.jsonl").open(encoding="utf-8") as file:
            dropped = (Dropped(**json.loads(line)) for line in file)
            return funnel(manifest.get("found"), dropped, problems, solutions)
    except (OSError, ValueError, KeyError, TypeError) as error:
        fix = "type the command of the build again: it repairs it"
        raise UsageError(f"{folder} is not a complete build", str(error), fix) from error


def render(funnel: Funnel) -> str:
    """Return the funnel as a table with bars.

    It has one part for the problems, and one for the solutions of each language.
    """
    parts = {"problems": funnel.problems} | {
        f"solutions, {name}": steps for name, steps in funnel.solutions.items()
    }
    width = max((len(step.stage) for steps in parts.values() for step in steps), default=0)
    lines = []
    for title, steps in parts.items():
        lines.append(title)
        most = max(step.left for step in steps)
        for step in steps:
            loss = f"{-step.lost:+,}" if step.lost else ""
            line = f"  {step.stage:<{width}}  {step.left:>9,}  {loss:>9}  {bar(step.left, most)}"
            lines.append(line.rstrip())
    return "\n".join(lines)


def bar(value: int, most: int) -> str:
    """Return a bar of at most BAR characters, in steps of an eighth of a character.

    A value above 0 has at least one eighth.
    """
    eighths = max(round(8 * BAR * value / most), 1) if most and value > 0 else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
