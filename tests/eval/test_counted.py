"""Evaluations by instructions: counted once, and replaced by time if CPU time disagrees."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_isolation
from tests.eval.conftest import MIDDLE, SLOW, Posed
from tests.forged_count import needs_emulator, summing
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.eval.eval_options import CACHED, PUBLISHED, EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.loop.iterations import IterativeEvaluation
from venus_toolkit.eval.loop.iterative_loop import LoopOptions
from venus_toolkit.eval.scoring.results import REFERENCES, SCHEMA, read_results
from venus_toolkit.execution.engine import executor
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.rounds import MeasureOptions

pytestmark = [*needs_isolation, pytest.mark.usefixtures("own_cache")]
TESTS = tuple(
    TestCase(str(n), f"{n}\n", f"{n * (n + 1) // 2}\n")
    for n in (300_000, 350_000, 400_000, 450_000)
)
HUMANS = tuple(summing(steps) for steps in (60, 80, 100))
# It crashes under a counter, so it has no count.
UNCOUNTED = summing(50).replace(
    "  fflush(stdout);", "  fflush(stdout);\n  if (!counters().empty()) abort();"
)


@pytest.fixture
def evaluation(tmp_path: Path, write_release: Callable[..., Any]) -> Callable[..., Evaluation]:
    """Return a function that makes an evaluation of answers in C++; with `loop`, they are iterations."""

    def make(
        *codes: str,
        loop: LoopOptions | None = None,
        humans: tuple[str, ...] = HUMANS,
        rank: str = "instructions",
        **changes: Any,
    ) -> Evaluation:
        release = write_release(tmp_path / "data", [Posed("sum-up", humans, tests=TESTS)], ("cpp",))
        turns = range(len(codes)) if loop else [0] * len(codes)
        lines = [
            {"title": "sum-up", "iteration": turn, "code": code}
            for turn, code in zip(turns, codes, strict=True)
        ]
        model = tmp_path / "c.jsonl"
        model.write_text("".join(json.dumps(line) + "\n" for line in lines))
        measure = MeasureOptions(repeats=3)
        samples = 1 if loop else len(codes)
        options = EvalOptions(
            f"replay:{model}",
            str(release.folder),
            ("cpp",),
            samples=samples,
            measure=measure,
            rank=rank,
            **changes,
        )
        arguments = options, release, tmp_path / "run", load_languages()
        return IterativeEvaluation(*arguments, loop=loop) if loop else Evaluation(*arguments)

    return make


@needs_emulator
def test_cached_references_are_counted_once_for_all_evaluations(
    evaluation: Callable[..., Evaluation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, runs = evaluation(summing(40), references=CACHED), []
    original = executor.count_program

    def count(*arguments: Any) -> Any:
        runs.append(arguments[2])
        return original(*arguments)

    monkeypatch.setattr(executor, "count_program", count)
    first.run()
    counted = len(runs)
    assert counted == len(HUMANS) + 1
    replace(first, out=tmp_path / "second").run()
    assert len(runs) == counted
    tables = [pq.read_table(tmp_path / name / REFERENCES).to_pylist() for name in ("run", "second")]
    assert [row["instructions"] for row in tables[0]] == [row["instructions"] for row in tables[1]]


@needs_emulator
@pytest.mark.serial
def test_forged_count_is_rejected_and_honest_one_ranks(
    evaluation: Callable[..., Evaluation],
    tmp_path: Path,
    cli: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finished, runs = evaluation(summing(40), summing(90, forged_by=20), UNCOUNTED), []
    original = executor.count_program

    def count(*arguments: Any) -> Any:
        runs.append(arguments[2])
        return original(*arguments)

    monkeypatch.setattr(executor, "count_program", count)
    manifest = finished.run()
    assert len(runs) == len(set(runs)) == len(HUMANS) + 3, "each program once"
    honest, forger, uncounted = read_results(tmp_path / "run", SCHEMA.names).to_pylist()
    assert (honest["time_figure"], honest["time_objection"], honest["place_time"]) == (
        "instructions",
        None,
        "better",
    )
    assert honest["percentile_time_repeats"] == [1.0], "one count, one rank"
    humans = pq.read_table(
        tmp_path / "run" / REFERENCES, columns=["instructions", "instructions_se"]
    ).to_pylist()
    assert [human["instructions_se"] for human in humans] == [0.0] * len(HUMANS)
    assert honest["instructions"] < min(human["instructions"] for human in humans)
    assert forger["instructions"] < honest["instructions"] / 5
    assert forger["time_figure"] == "relative_time"
    assert "CPU time contradicts the count" in forger["time_objection"]
    assert (forger["place_time"], len(forger["percentile_time_repeats"])) == ("middle", 3)
    assert (uncounted["instructions"], uncounted["time_figure"]) == (None, "relative_time")
    assert "the counted run ended with signal" in uncounted["time_objection"]
    counted = manifest["counted"]
    assert (counted["counter"], counted["ranked_by"]) == (
        "emulated",
        {"instructions": 1, "relative_time": 2},
    )
    assert sum(counted["objections"].values()) == 2
    assert manifest["options"]["counter"] == "emulated"
    words = [
        "--model",
        finished.options.model,
        "--data",
        finished.release.folder,
        "--lang",
        "cpp",
        "--samples",
        "3",
    ]
    words += ["--out", tmp_path / "run", "--rank", "instructions"]
    result = cli("eval", *words)
    assert result.exit_code == 0, result.stderr
    assert "ranked by  instructions: 1, relative_time: 2" in result.stdout
    assert "by time    1: CPU time contradicts the count" in result.stdout
    off = cli("eval", *words, "--counter", "off")
    assert (off.exit_code, "type: --counter emulated" in off.stderr) == (2, True)


@needs_emulator
@pytest.mark.serial
def test_joint_costs_ignore_a_forged_count(
    evaluation: Callable[..., Evaluation], tmp_path: Path
) -> None:
    humans = tuple(summing(steps) for steps in (60, 70, 80, 90, 100, 110))
    manifest = evaluation(
        summing(40), summing(90, forged_by=20), UNCOUNTED, humans=humans, rank="joint"
    ).run()
    honest, forger, uncounted = read_results(tmp_path / "run", SCHEMA.names).to_pylist()
    assert manifest["counted"]["ranked_by"] == {"joint_time": 3}
    assert (honest["time_objection"], honest["place_time"]) == (None, "better")
    assert honest["percentile_time_repeats"] == [1.0]
    assert honest["joint_se"] <= honest["relative_se"]
    assert "CPU time contradicts the count" in forger["time_objection"]
    assert "the counted run ended with signal" in uncounted["time_objection"]
    for row in (forger, uncounted):
        assert row["joint_time"] == row["relative_time"]
        assert row["joint_se"] == pytest.approx(row["relative_se"])
    columns = ["joint_time", "relative_time", "instructions"]
    rows = pq.read_table(tmp_path / "run" / REFERENCES, columns=columns).to_pylist()
    by_count = sorted(rows, key=lambda row: row["instructions"])
    assert by_count == sorted(rows, key=lambda row: row["joint_time"])


@needs_emulator
@pytest.mark.serial
def test_joint_cost_of_few_solutions_is_their_time(
    evaluation: Callable[..., Evaluation], tmp_path: Path
) -> None:
    humans = tuple(summing(steps) for steps in (60, 70, 80, 90, 100))
    evaluation(summing(40), humans=humans, rank="joint").run()
    [row] = read_results(tmp_path / "run", SCHEMA.names).to_pylist()
    expected = "5 human solutions could be counted, and a rank by joint needs 6"
    assert row["time_objection"] == expected
    assert row["joint_time"] == row["relative_time"]


def test_a_loop_cannot_rank_by_joint_cost(evaluation: Callable[..., Evaluation]) -> None:
    with pytest.raises(UsageError, match="a loop cannot rank by joint"):
        evaluation(summing(90), loop=LoopOptions(1), rank="joint")


@needs_emulator
@pytest.mark.serial
def test_the_loop_keeps_no_forged_count(
    evaluation: Callable[..., Evaluation], tmp_path: Path
) -> None:
    evaluation(summing(90), summing(89, forged_by=20), summing(60), loop=LoopOptions(2)).run()
    start, forged, better = read_results(
        tmp_path / "run", ["decision", "decision_reason", "gain"]
    ).to_pylist()
    assert start["decision"] == "started"
    assert forged["decision"] in ("not_better", "not_confirmed")
    assert "by time: CPU time contradicts the count" in forged["decision_reason"]
    assert (better["decision"], "by time" in better["decision_reason"]) == ("accepted", False)
    assert 0.25 < better["gain"] < 0.35


@pytest.mark.parametrize(
    ("options", "reason", "fix"),
    [
        ({"counter": "off"}, "the counter is off", "type: --counter emulated"),
        ({"references": PUBLISHED}, "another machine", "type: --references fresh"),
        (
            {"references": PUBLISHED, "rank": "joint"},
            "another machine",
            "type: --references fresh",
        ),
        ({"counter": "abacus"}, "expected one of", "venus eval --help"),
    ],
)
def test_options_without_counts_cannot_rank_by_instructions(
    options: dict[str, str], reason: str, fix: str
) -> None:
    with pytest.raises(UsageError) as refused:
        EvalOptions("m", "d", ("cpp",), **{"rank": "instructions", **options})  # type: ignore[arg-type]
    assert reason in refused.value.why
    assert fix in refused.value.fix


@needs_emulator
def test_copies_of_a_human_solution_tie_with_it(
    tmp_path: Path, write_release: Callable[..., Any], write_completions: Callable[..., Any]
) -> None:
    """Other names and comments change the instruction count of an interpreter, but copies still tie."""
    renamed = "number = int(input())\n\nprint(sum(range(number + 1)))\n"
    copies = [MIDDLE, f"# as a human\n{MIDDLE}", renamed]
    release = write_release(tmp_path / "data", [Posed("sum-up", (MIDDLE, SLOW))])
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": copies})
    options = EvalOptions(
        f"replay:{model}", str(release.folder), ("python",), samples=3, rank="instructions",
        measure=MeasureOptions(repeats=2),
    )  # fmt: skip
    Evaluation(options, release, tmp_path / "run", load_languages()).run()
    rows = read_results(tmp_path / "run", SCHEMA.names).to_pylist()
    ranked = [row for row in rows if row["time_figure"] == "instructions"]
    assert ranked
    assert {(row["place_time"], row["percentile_time"]) for row in ranked} == {("middle", 0.75)}


# ------------------------------------------------------------------ how costs grow

GROWING = """SIZES = {"": 100000}


def generate(seed, size):
    return f"{size}\\n"
"""
LINEAR = "#include <iostream>\nint main() { volatile long s = 0; long n; std::cin >> n;\n"
LINEAR += "for (long i = 0; i <= n; i++) s += i; std::cout << s << '\\n'; }\n"
FORMULA = (
    "#include <iostream>\nint main() { long n; std::cin >> n; std::cout << n * (n + 1) / 2 << "
    "'\\n'; }\n"
)
CONSTANT = Complexity(Growth.CONSTANT, 0.0, 0.0, 0.0)


@needs_emulator
def test_growth_is_compared_with_the_best_human(
    tmp_path: Path, write_release: Callable[..., Any]
) -> None:
    posed = Posed(
        "sum-up", HUMANS[:2], tests=TESTS, generator=GROWING, complexities=(CONSTANT, None)
    )
    plain = Posed("no-growth", HUMANS[:2], tests=TESTS, generator=GROWING)
    release = write_release(tmp_path / "data", [posed, plain], ("cpp",))
    codes = (LINEAR, FORMULA, "int main() {}")
    lines = [{"title": problem.title, "code": code} for problem in (posed, plain) for code in codes]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = EvalOptions(
        f"replay:{tmp_path}/c.jsonl", str(release.folder), ("cpp",), samples=3, complexity=True, reseed=False,
        measure=MeasureOptions(repeats=1),
    )  # fmt: skip
    manifest = Evaluation(options, release, tmp_path / "run", load_languages()).run()
    rows = {
        (row["title"], row["sample"]): row
        for row in read_results(tmp_path / "run", SCHEMA.names).to_pylist()
    }
    assert (rows["sum-up", 0]["complexity"], rows["sum-up", 0]["complexity_no_worse"]) == (
        "linear",
        False,
    )
    assert rows["sum-up", 1]["complexity_no_worse"] is True
    assert rows["sum-up", 2]["complexity_no_worse"] is None, "it failed"
    assert {rows["no-growth", number]["complexity"] for number in range(3)} == {None}
    assert manifest["scores"][0]["published"]["best_time@1"] == pytest.approx(1 / 3)


def test_complexity_needs_a_counter() -> None:
    with pytest.raises(UsageError, match="complexity cannot be determined"):
        EvalOptions("m", "d", ("cpp",), complexity=True, counter="off")
