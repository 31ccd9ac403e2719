"""Controls: copies of human solutions beside the samples, what became of them, and when a run is not to be trusted."""

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
    distrust,
    lines,
    merged,
    pair_lines,
    summarise_controls,
)
from venus_toolkit.eval.scoring.results import CONTROL_SCHEMA, read_results
from venus_toolkit.eval.scoring.statistics import binomial_tail
from venus_toolkit.execution.measuring.rounds import MeasureOptions

LANGUAGES = load_languages()


def rows(which: str, time: Sequence[str], memory: Sequence[str] = ()) -> list[dict[str, str]]:
    given = memory or ["tie"] * len(time)
    return [
        {"control": which, "became_time": one, "became_memory": other, "became_integral": "tie"}
        for one, other in zip(time, given, strict=True)
    ]


def test_ties_are_said_and_nothing_is_distrusted() -> None:
    found = summarise_controls(
        [*rows("best", ["tie"] * 11 + ["worse"]), *rows("median", ["tie"] * 12)]
    )
    assert list(lines(found)) == [
        "copy of the best human solution: time tie in 11 of 12, worse in 1 of 12; memory tie "
        "in 12 of 12; "
        "integral tie in 12 of 12",
        "copy of the median human solution: time tie in 12 of 12; memory tie in 12 of 12; "
        "integral tie in 12 of 12",
    ]
    assert distrust(found, "apart") == []
    both = list(lines(merged([found, found, summarise_controls(rows("best", ["better"]))])))
    assert both[0].startswith(
        "copy of the best human solution: time tie in 22 of 25, worse in 2 of 25, better in 1 of"
    )
    assert len(both) == 2
    assert list(lines(merged([]))) == []


@pytest.mark.parametrize(
    ("better", "total", "rule", "said"),
    [
        (1, 12, "apart", False), (2, 12, "apart", False), (3, 12, "apart", True), (9, 12, "apart", True),
        (1, 1, "apart", False), (2, 2, "apart", True), (5, 200, "apart", False), (16, 200, "apart", True),
        (7, 12, "strict", False), (12, 12, "strict", True), (3, 12, "strict", False), (900, 5000, "apart", True),
    ],
)  # fmt: skip
def test_a_copy_that_is_better_more_often_than_by_chance(
    better: int, total: int, rule: str, said: bool
) -> None:
    found = summarise_controls(rows("best", ["better"] * better + ["tie"] * (total - better)))
    complaints = distrust(found, rule)
    assert bool(complaints) == said
    if said:
        assert f"by time in {better} of {total} tasks" in complaints[0]
        assert "do not trust the figures" in complaints[0]


def test_chance_alone_seldom_distrusts_a_run() -> None:
    """Over all controls and objectives of a run.

    At most one in twenty, by the tail that is compared.
    """
    for total in (1, 2, 12, 50, 200, 1000):
        first = next(n for n in range(total + 2) if binomial_tail(n, total, 0.02) < 0.05 / 6)
        assert 6 * binomial_tail(first, total, 0.02) < 0.05


def measured(task: str, *times: float | None, se: float = 0.01) -> list[dict[str, Any]]:
    """Rows of references.parquet; a time that is None could not be measured."""
    return [
        {"task": task, "relative_time": time, "relative_se": se, "peak_bytes": 50_000_000,
         "repeats": 5, "noise": [], "reference_id": str(number)}
        for number, time in enumerate(times)
    ]  # fmt: skip


FIGURES = {"time": "relative_time", "memory": "peak_bytes"}


def test_pairs_of_human_solutions_that_differ_by_more_than_the_noise() -> None:
    rows = [*measured("python/a", 1.0, 1.01, 2.0, None), *measured("python/b", 1.0, 5.0)]
    found = count_pairs(rows, FIGURES, "apart")
    assert found == {"time": {"apart": 3, "of": 4}, "memory": {"apart": 0, "of": 7}}
    assert count_pairs(rows, FIGURES, "strict")["time"] == {"apart": 4, "of": 4}
    assert list(pair_lines(found, "relative")) == [
        "pairs of human solutions that could be told apart: 3 of 4 by time, 0 of 7 by memory"
    ]


def test_where_time_cannot_tell_solutions_apart_instructions_are_offered() -> None:
    found = count_pairs(measured("python/a", 1.0, 1.1, 1.2, se=0.5), FIGURES, "apart")
    assert found["time"] == {"apart": 0, "of": 3}
    assert "--rank instructions" in list(pair_lines(found, "relative"))[1]
    assert len(list(pair_lines(found, "instructions"))) == 1


def test_without_human_figures_there_are_no_pairs() -> None:
    found = count_pairs(measured("python/a", 1.0), FIGURES, "apart")
    assert found["time"] == {"apart": 0, "of": 0}
    assert list(pair_lines(found, "relative")) == []


def test_a_run_without_controls_says_nothing() -> None:
    assert summarise_controls([]) == {}
    assert distrust({}, "apart") == []


# ------------------------------------------------------------------ runs


@pytest.fixture
def release(tmp_path: Path, write_release: Callable[..., Release]) -> Release:
    return write_release(
        tmp_path / "data", [Posed("sum-up"), Posed("add-all"), Posed("none-right")]
    )


def run(
    release: Release, tmp_path: Path, write_completions: Callable[..., Path], **options: Any
) -> dict[str, Any]:
    answers = {"sum-up": [FAST], "add-all": [SLOW], "none-right": [WRONG]}
    model = f"replay:{write_completions(tmp_path / 'c.jsonl', answers)}"
    told = EvalOptions(
        model, str(release.folder), ("python",), measure=MeasureOptions(repeats=2), **options
    )
    return Evaluation(told, release, tmp_path / "run", LANGUAGES).run()


@needs_isolation[0]
@needs_isolation[1]
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("references", ["fresh", "cached"])
def test_copies_are_measured_beside_the_samples(
    release: Release, tmp_path: Path, write_completions: Callable[..., Path], references: str
) -> None:
    manifest = run(release, tmp_path, write_completions, references=references)
    found = pq.read_table(tmp_path / "run" / "controls.parquet")
    assert found.schema.names == CONTROL_SCHEMA.names
    listed = found.to_pylist()
    # A task none of whose samples passes is not measured.
    assert [(row["title"], row["control"], row["reference_id"]) for row in listed] == [
        ("sum-up", "best", "sum-up/0"), ("sum-up", "median", "sum-up/1"),
        ("add-all", "best", "add-all/0"), ("add-all", "median", "add-all/1"),
    ]  # fmt: skip
    assert all(row["wall_ns"] and row["became_memory"] == "tie" for row in listed)
    assert manifest["controls"]["best"]["memory"] == {"tie": 2}
    assert sum(manifest["controls"]["median"]["time"].values()) == 2
    assert len(read_results(tmp_path / "run")) == 3, "they are no samples"
    assert manifest["scores"][0]["outcomes"] == {"passed": 2, "failed": 1}
    assert "controls.parquet" in manifest["files"]
    assert manifest["pairs"]["memory"]["of"] > 0


@needs_isolation[0]
@needs_isolation[1]
@pytest.mark.usefixtures("own_cache")
def test_a_measurement_that_favours_copies_is_distrusted(
    cli: Callable[..., Any],
    release: Release,
    tmp_path: Path,
    write_completions: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The checker says no: what is measured as a copy of the slowest is the fastest."""

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
    said = cli("eval", "--model", model, *words)
    assert said.exit_code == 0, said.stderr
    assert "control    copy of the best human solution: time better in 2 of 2" in said.stdout
    assert (
        "CAUTION    copies of the best human solution are better than their originals by "
        "time in 2 of 2"
    ) in said.stdout
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["distrust"]
    report = cli("report", tmp_path / "run", "--out", tmp_path / "report")
    assert report.exit_code == 0, report.stderr
    assert "do not trust the figures" in (tmp_path / "report" / "report.md").read_text()


def _rewritten(release: Release, posed: Sequence[Posed]) -> Release:
    from tests.eval.conftest import write_small_release

    return write_small_release(release.folder.with_name("slow"), posed)
