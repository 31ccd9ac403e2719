"""Controls: copies of human solutions among the samples, their places, and warnings about a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, MIDDLE, SLOW, WRONG, Posed
from venus_toolkit.core.language import load_languages
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.tasks import HumanSolution
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.scoring import score
from venus_toolkit.eval.scoring.controls import (
    count_pairs,
    lines,
    pair_lines,
    reasons_for_distrust,
    sum_counts,
    summarise_controls,
)
from venus_toolkit.eval.scoring.results import CONTROL_SCHEMA, read_results
from venus_toolkit.eval.scoring.statistics import binomial_tail
from venus_toolkit.execution.measuring.rounds import MeasureOptions

LANGUAGES = load_languages()


def rows(which: str, time: Sequence[str], memory: Sequence[str] = ()) -> list[dict[str, str]]:
    memory_places = memory or ["tie"] * len(time)
    return [
        {"control": which, "became_time": one, "became_memory": other, "became_integral": "tie"}
        for one, other in zip(time, memory_places, strict=True)
    ]


def test_ties_are_reported_without_a_warning() -> None:
    summary = summarise_controls(
        [*rows("best", ["tie"] * 11 + ["worse"]), *rows("median", ["tie"] * 12)]
    )
    assert list(lines(summary)) == [
        "sanity check: copies of the best solution tie with it by time in 11 of 12 (1 worse), by "
        "memory in 12 of 12, by integral in 12 of 12",
        "sanity check passed: copies of the median solution tie with it (12 of 12)",
    ]
    assert reasons_for_distrust(summary, "apart") == []
    both = list(lines(sum_counts([summary, summary, summarise_controls(rows("best", ["better"]))])))
    assert both[0].startswith(
        "sanity check: copies of the best solution tie with it by time in 22 of 25 (2 worse, 1 better)"
    )
    assert len(both) == 2
    assert list(lines(sum_counts([]))) == []


@pytest.mark.parametrize(
    ("better", "total", "rule", "distrusted"),
    [
        (1, 12, "apart", False), (2, 12, "apart", False), (3, 12, "apart", True), (9, 12, "apart", True),
        (1, 1, "apart", False), (2, 2, "apart", True), (5, 200, "apart", False), (16, 200, "apart", True),
        (7, 12, "strict", False), (12, 12, "strict", True), (3, 12, "strict", False), (900, 5000, "apart", True),
    ],
)  # fmt: skip
def test_copies_better_than_chance_are_reported(
    better: int, total: int, rule: str, distrusted: bool
) -> None:
    summary = summarise_controls(rows("best", ["better"] * better + ["tie"] * (total - better)))
    complaints = reasons_for_distrust(summary, rule)
    assert bool(complaints) == distrusted
    if distrusted:
        assert f"by time in {better} of {total} tasks" in complaints[0]
        assert "do not trust the figures" in complaints[0]


def test_chance_alone_seldom_distrusts_a_run() -> None:
    """At most one false warning in twenty runs, over all controls and objectives."""
    for total in (1, 2, 12, 50, 200, 1000):
        first = next(n for n in range(total + 2) if binomial_tail(n, total, 0.02) < 0.05 / 6)
        assert 6 * binomial_tail(first, total, 0.02) < 0.05


def measured(task: str, *times: float | None, se: float = 0.01) -> list[dict[str, Any]]:
    """Return rows of references.parquet; a time of None could not be measured."""
    return [
        {"task": task, "relative_time": time, "relative_se": se, "peak_bytes": 50_000_000,
         "repeats": 5, "noise": [], "reference_id": str(number)}
        for number, time in enumerate(times)
    ]  # fmt: skip


FIGURES = {"time": "relative_time", "memory": "peak_bytes"}


def test_human_pairs_apart_by_more_than_noise_are_counted() -> None:
    rows = [*measured("python/a", 1.0, 1.01, 2.0, None), *measured("python/b", 1.0, 5.0)]
    pairs = count_pairs(rows, FIGURES, "apart")
    assert pairs == {"time": {"apart": 3, "of": 4}, "memory": {"apart": 0, "of": 7}}
    assert count_pairs(rows, FIGURES, "strict")["time"] == {"apart": 4, "of": 4}
    assert list(pair_lines(pairs, "relative")) == [
        "pairs of human solutions that could be told apart: 3 of 4 by time, 0 of 7 by memory"
    ]


def test_instructions_are_suggested_if_times_tie() -> None:
    pairs = count_pairs(measured("python/a", 1.0, 1.1, 1.2, se=0.5), FIGURES, "apart")
    assert pairs["time"] == {"apart": 0, "of": 3}
    assert "--rank instructions" in list(pair_lines(pairs, "relative"))[1]
    [counts] = pair_lines(pairs, "instructions")
    assert "0 of 3 by instructions" in counts
    counts, advice = pair_lines(pairs, "joint")
    assert "0 of 3 by time and instructions" in counts
    assert advice.endswith("use a quieter machine, or more --repeats")


def test_without_human_figures_there_are_no_pairs() -> None:
    pairs = count_pairs(measured("python/a", 1.0), FIGURES, "apart")
    assert pairs["time"] == {"apart": 0, "of": 0}
    assert list(pair_lines(pairs, "relative")) == []


def test_run_without_controls_has_no_note() -> None:
    assert summarise_controls([]) == {}
    assert reasons_for_distrust({}, "apart") == []


# ------------------------------------------------------------------ runs


@pytest.fixture
def release(tmp_path: Path, write_release: Callable[..., Release]) -> Release:
    return write_release(
        tmp_path / "data", [Posed("sum-up"), Posed("add-all"), Posed("none-right")]
    )


def run(
    release: Release, tmp_path: Path, write_completions: Callable[..., Path], **changes: Any
) -> dict[str, Any]:
    answers = {"sum-up": [FAST], "add-all": [SLOW], "none-right": [WRONG]}
    model = f"replay:{write_completions(tmp_path / 'c.jsonl', answers)}"
    options = EvalOptions(
        model, str(release.folder), ("python",), measure=MeasureOptions(repeats=2), **changes
    )
    return Evaluation(options, release, tmp_path / "run", LANGUAGES).run()


@needs_isolation[0]
@needs_isolation[1]
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("references", ["fresh", "cached"])
def test_copies_are_measured_with_the_samples(
    release: Release, tmp_path: Path, write_completions: Callable[..., Path], references: str
) -> None:
    manifest = run(release, tmp_path, write_completions, references=references)
    table = pq.read_table(tmp_path / "run" / "controls.parquet")
    assert table.schema.names == CONTROL_SCHEMA.names
    listed = table.to_pylist()
    # A task without a passing sample is not measured.
    assert [(row["title"], row["control"], row["reference_id"]) for row in listed] == [
        ("sum-up", "best", "sum-up/0"), ("sum-up", "median", "sum-up/1"),
        ("add-all", "best", "add-all/0"), ("add-all", "median", "add-all/1"),
    ]  # fmt: skip
    assert all(row["wall_ns"] and row["became_memory"] == "tie" for row in listed)
    assert manifest["controls"]["best"]["memory"] == {"tie": 2}
    assert sum(manifest["controls"]["median"]["time"].values()) == 2
    assert len(read_results(tmp_path / "run")) == 3, "controls are not samples"
    assert manifest["scores"][0]["outcomes"] == {"passed": 2, "failed": 1}
    assert "controls.parquet" in manifest["files"]
    assert manifest["pairs"]["memory"]["of"] > 0


@needs_isolation[0]
@needs_isolation[1]
@pytest.mark.usefixtures("own_cache")
def test_bias_towards_copies_is_reported(
    cli: Callable[..., Any],
    release: Release,
    tmp_path: Path,
    write_completions: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fastest solution, measured as a copy of the slowest, causes a warning."""

    def swapped(
        references: Sequence[HumanSolution], figure: str
    ) -> list[tuple[str, HumanSolution]]:
        fast, _, slow = references
        return [("best", HumanSolution(slow.reference_id, fast.code, slow.published))]

    slow = SLOW.replace("n + 1", "n + 1_000_000").replace("s += i", "s += i * (i <= n)")
    posed = [Posed(title, solutions=(FAST, MIDDLE, slow)) for title in ("sum-up", "add-all")]
    release = _rewritten(release, posed)
    monkeypatch.setattr(score, "originals", swapped)
    answers = {"sum-up": [FAST], "add-all": [FAST]}
    model = f"replay:{write_completions(tmp_path / 'c.jsonl', answers)}"
    words = ("--data", release.folder, "--lang", "py", "--repeats", 3, "--out", tmp_path / "run")
    result = cli("eval", "--model", model, *words)
    assert result.exit_code == 0, result.stderr
    assert (
        "sanity check: copies of the best solution tie with it by time in 0 of 2 (2 better)"
        in result.stdout
    )
    assert (
        "CAUTION    copies of the best human solution are better than their originals by "
        "time in 2 of 2"
    ) in result.stdout
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["distrust"]
    report = cli("report", tmp_path / "run", "--out", tmp_path / "report")
    assert report.exit_code == 0, report.stderr
    assert "do not trust the figures" in (tmp_path / "report" / "report.md").read_text()


def _rewritten(release: Release, posed: Sequence[Posed]) -> Release:
    from tests.eval.conftest import write_small_release

    return write_small_release(release.folder.with_name("slow"), posed)
