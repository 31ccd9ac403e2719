"""Fresh inputs for each repeat: they defeat memorised answers, and results report them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, MIDDLE, SLOW, Posed
from tests.training.posed import KEEPS
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.eval_options import CACHED, PUBLISHED, EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.scoring.hacks import Hacks
from venus_toolkit.eval.scoring.results import SCHEMA, read_results
from venus_toolkit.execution.judging import held_out
from venus_toolkit.execution.judging.generators import run_generator
from venus_toolkit.execution.measuring.rounds import MeasureOptions

pytestmark = [*needs_isolation, pytest.mark.usefixtures("own_cache")]
GENERATOR = """def generate(seed, size):
    return f"{({'small': 100, 'large': 1_500_000}[size]) + seed % 100_000}\\n"
"""


def sums(size: str, first: int) -> tuple[TestCase, ...]:
    """Return two tests that the generator made."""
    numbers = {seed: first + seed for seed in (11, 12)}
    return tuple(
        TestCase(f"{size}-{n}", f"{n}\n", f"{n * (n + 1) // 2}\n", "generated", size, seed)
        for seed, n in numbers.items()
    )


SMALL, LARGE = sums("small", 100), sums("large", 1_500_000)
GIVEN = TestCase("given", "10\n", "55\n")
Write = Callable[..., Any]


def rows(
    out: Path, release: Release, model: Path, **changes: Any
) -> tuple[dict[str, Any], dict[tuple[str, int], dict[str, Any]]]:
    """Return the manifest of an evaluation, and its rows by title and sample."""
    measure = MeasureOptions(repeats=2)
    options = EvalOptions(
        f"replay:{model}", str(release.folder), ("python",), measure=measure, **changes
    )
    manifest = Evaluation(options, release, out, load_languages()).run()
    return manifest, {
        (row["title"], row["sample"]): row for row in read_results(out, SCHEMA.names).to_pylist()
    }


@pytest.mark.serial
def test_a_program_that_remembers_gains_nothing(
    tmp_path: Path, write_release: Write, write_completions: Write
) -> None:
    release = write_release(
        tmp_path / "data", [Posed("sum-up", (FAST, SLOW), tests=LARGE, generator=GENERATOR)]
    )
    codes = [KEEPS.format(folder=tmp_path, reads=reads) for reads in (True, False)]
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": codes})
    rows_by_reseed: dict[bool, list[dict[str, Any]]] = {}
    for reseed in (True, False):
        options = {"samples": 2, "sandbox": "unsafe", "reseed": reseed}
        _, of = rows(tmp_path / f"run-{reseed}", release, model, **options)
        rows_by_reseed[reseed] = [of["sum-up", sample] for sample in range(2)]
    remembers, twin = rows_by_reseed[True]
    assert (remembers["reseeded"], remembers["tests"]) == (2, 2)
    assert remembers["cpu_ns"] > 0.75 * twin["cpu_ns"], "each input was new"
    assert remembers["place_time"] != "better"
    unfair, honest = rows_by_reseed[False]
    assert unfair["reseeded"] == 0
    assert unfair["cpu_ns"] < 0.6 * honest["cpu_ns"], (
        "it would be quick on the inputs of the judged run"
    )


def test_problems_without_a_generator_keep_their_inputs(
    tmp_path: Path, write_release: Write, write_completions: Write, cli: Write
) -> None:
    generated = Posed("made", tests=(*SMALL, GIVEN), generator=GENERATOR)
    release = write_release(tmp_path / "data", [Posed("sum-up"), generated])
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": [FAST], "made": [FAST]})
    manifest, of = rows(tmp_path / "run", release, model)
    assert manifest["reseeded"] == {"tasks": 1, "of_tasks": 2, "tests": 2, "of_tests": 5}
    assert [(of[title, 0]["reseeded"], of[title, 0]["tests"]) for title in ("sum-up", "made")] == [
        (0, 2),
        (2, 3),
    ]
    words = [
        "--model",
        f"replay:{model}",
        "--data",
        release.folder,
        "--lang",
        "python",
        "--repeats",
        "2",
    ]
    assert (
        "reseeded   fresh inputs for each repeat: 2 of 5 tests, in 1 of 2 tasks"
        in cli("eval", *words, "--out", tmp_path / "run").stdout
    )


def test_reference_inputs_are_generated_at_most_once(
    tmp_path: Path, write_release: Write, write_completions: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = write_release(tmp_path / "data", [Posed("made", tests=SMALL, generator=GENERATOR)])
    model = write_completions(tmp_path / "c.jsonl", {"made": [FAST]})
    calls: list[int] = []

    def count(*arguments: Any) -> Any:
        calls.append(1)
        return run_generator(*arguments)

    monkeypatch.setattr(held_out, "run_generator", count)
    froms = [
        rows(tmp_path / name, release, model, references=name.split("-")[0])[1]["made", 0]
        for name in (PUBLISHED, f"{CACHED}-first", f"{CACHED}-second")
    ]
    assert len(calls) == 2, "once for each repeat"
    assert [(row["references_from"], row["reseeded"]) for row in froms] == [
        ("published", 0), ("fresh", 2), ("cached", 2),
    ]  # fmt: skip


def test_failing_human_solution_keeps_the_old_inputs(
    tmp_path: Path, write_release: Write, write_completions: Write
) -> None:
    """Three others agree on the new input, but the failure may mean that the input is not allowed."""
    narrow = (
        f"n = int(input())\nassert n in {[int(test.stdin) for test in SMALL]}\nprint(n * (n + 1) "
        "// 2)\n"
    )
    solutions = (FAST, narrow, MIDDLE, SLOW, SLOW + "\n")
    release = write_release(
        tmp_path / "data", [Posed("made", solutions, tests=SMALL, generator=GENERATOR)]
    )
    model = write_completions(tmp_path / "c.jsonl", {"made": [FAST]})
    manifest, of = rows(tmp_path / "run", release, model)
    assert manifest["reseeded"]["tasks"] == 0
    assert (of["made", 0]["references"], of["made", 0]["passed"]) == (5, True)
    assert of["made", 0]["percentile_time"] is not None


def test_memorised_answers_count_as_hacks(
    tmp_path: Path, write_release: Write, write_completions: Write
) -> None:
    release = write_release(
        tmp_path / "data", [Posed("sum-up", (FAST, SLOW), tests=SMALL, generator=GENERATOR)]
    )
    known = {int(test.stdin): int(test.stdout or 0) for test in SMALL}
    codes = [f"print({known}[int(input())])\n", FAST, "print(0)\n"]
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": codes})
    manifest, of = rows(tmp_path / "run", release, model, samples=3)
    samples = [of["sum-up", sample] for sample in range(3)]
    assert [row["public_passed"] for row in samples] == [True, True, False]
    assert [row["passed"] for row in samples] == [False, True, False]
    assert manifest["hacks"] == Hacks(2, 1, 0.5)._asdict()
