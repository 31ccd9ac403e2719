"""Tries a cheat of each kind in `venus run`, a server, rewards, an evaluation and a build.

The problem has honest solutions with 10, 15 and 20 tenths of the steps and of the memory. The cheat
is a variant of the one with 15 (bench/cheats/programs/whole.cpp), and must neither get a better
verdict nor rank before 10. The differences are large because `venus run` measures each program
alone, and the speed of rented machines changes by a tenth between runs. test_figures.py tests the
cheats directly in the sandbox, which all of these use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.cheats.residuals import PROGRAMS
from tests.building import Shop, needs_cpp, needs_isolation
from tests.training.posed import Posed, answer, write_posed
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.scoring.results import SCHEMA, read_results
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import Grader
from venus_toolkit.training.reward.rewards import RewardOptions

pytestmark = [*needs_isolation, needs_cpp, pytest.mark.serial]
TEXT = (PROGRAMS / "whole.cpp").read_text()
CHEATS = {"exits-when-measured": 1, "remembers": 2, "in-vforks": 3, "memfd": 4}
MILLIONS = (70, 80)
REPEATS = 3
WORKS = (10, 15, 20)
OBJECTIVES = ("cpu_ns", "peak_bytes", "integral_byte_ns")


def source(way: int = 0, work: int = 15) -> str:
    """Return a solution of the problem."""
    return f"#define WAY {way}\n#define WORK {work}\n{TEXT}"


HONEST = {work: source(work=work) for work in WORKS}
SOLUTIONS = {
    **{str(work): text for work, text in HONEST.items()},
    **{n: source(way) for n, way in CHEATS.items()},
}


def chain(millions: int) -> str:
    """Return the expected output.

    The chain has too many steps for Python, so this computes it by repeated doubling.
    """
    factor, term, value, steps = 6364136223846793005, 1442695040888963407, 0, millions * 1_000_000
    while steps:
        if steps & 1:
            value = (value * factor + term) % 2**64
        factor, term, steps = factor * factor % 2**64, (factor + 1) * term % 2**64, steps >> 1
    return f"{value}\n"


TESTS = tuple(TestCase(str(millions), f"{millions}\n", chain(millions)) for millions in MILLIONS)


class Seen(NamedTuple):
    """The outcome of a solution: whether it passed, or None, and its figures by OBJECTIVES."""

    passed: bool | None
    figures: tuple[float | None, ...] = (None, None, None)


def figures_of(row: Mapping[str, Any]) -> tuple[float | None, ...]:
    return tuple(row[name] for name in OBJECTIVES)


def by_run(tmp_path: Path, cli: Callable[..., Any]) -> dict[str, Seen]:
    for test in TESTS:
        (tmp_path / f"{test.test_id}.in").write_text(test.stdin)
        (tmp_path / f"{test.test_id}.out").write_text(test.stdout or "")
    results = {}
    for name, text in SOLUTIONS.items():
        (tmp_path / "main.cpp").write_text(text)
        output = cli(
            "run",
            tmp_path / "main.cpp",
            "--tests",
            tmp_path,
            "--repeats",
            REPEATS,
            "--json",
            "--sandbox",
            "local",
        )
        report = json.loads(output.stdout)
        passed = report["verdict"] == "accepted"
        results[name] = Seen(passed, figures_of(report["measurement"]) if passed else (None,) * 3)
    return results


def by_server(tmp_path: Path) -> dict[str, Seen]:
    served = (
        pytest.importorskip("tests.server.conftest")
        .Served(tmp_path / "queue", ("--sandbox", "local"))
        .start()
    )
    stdins, expected = [test.stdin for test in TESTS], [test.stdout for test in TESTS]
    try:
        results = {}
        for name, text in SOLUTIONS.items():
            asked = {
                "language": "cpp",
                "code": text,
                "stdins": stdins,
                "expected": expected,
                "repeats": REPEATS,
            }
            result = served.ask("POST", "/v1/jobs?wait=60", asked).json
            passed = result["verdict"] == "accepted"
            results[name] = Seen(
                passed, figures_of(result["measurement"]) if passed else (None,) * 3
            )
        return results
    finally:
        served.stop()


def by_evaluation(tmp_path: Path) -> dict[str, Seen]:
    release = write_posed(tmp_path / "data", Posed("chain", TESTS, {"cpp": tuple(HONEST.values())}))
    lines = [{"title": "chain", "code": text} for text in SOLUTIONS.values()]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = EvalOptions(
        f"replay:{tmp_path / 'answers.jsonl'}", str(release.folder), ("cpp",), split="train", sandbox="local",
        samples=len(lines), measure=MeasureOptions(repeats=REPEATS),
    )  # fmt: skip
    Evaluation(options, release, tmp_path / "out", load_languages(), None).run()
    rows = {row["sample"]: row for row in read_results(tmp_path / "out", SCHEMA.names).to_pylist()}
    return {
        name: Seen(rows[at]["passed"], figures_of(rows[at])) for at, name in enumerate(SOLUTIONS)
    }


def by_rewards(tmp_path: Path) -> dict[str, Seen]:
    """A reward grows with the improvement over the original, so the figures are negated."""
    posed = Posed("chain", TESTS, {"cpp": tuple(HONEST[work] for work in reversed(WORKS))})
    options = RewardOptions(
        measure=MeasureOptions(repeats=REPEATS), figure="cpu", share_cores=False
    )
    graded_by_name: dict[str, list[Any]] = {name: [] for name in SOLUTIONS}
    with (
        open_sandbox("local") as sandbox,
        Grader(write_posed(tmp_path / "data", posed), sandbox, options) as grader,
    ):
        for objective in ("time", "memory", "integral"):
            asked = [answer(posed, text, "cpp", objective) for text in SOLUTIONS.values()]
            for name, graded in zip(SOLUTIONS, grader.grade(asked), strict=True):
                graded_by_name[name].append(graded)
    return {
        name: Seen(
            None
            if None in (outcome.passed for outcome in outcomes)
            else all(outcome.passed for outcome in outcomes),
            tuple(outcome.efficiency and -outcome.efficiency for outcome in outcomes),
        )
        for name, outcomes in graded_by_name.items()
    }


def by_build(shop: Shop) -> dict[str, Seen]:
    generator = (
        f'def generate(seed, size):\n    return f"{{{MILLIONS[0]} + (seed + ord(size[0])) % '
        f'17}}\\n"\n'
    )
    files = {"problem.toml": 'title = "Chain"\n[limits]\ncpu_s = 4\n', "generator.py": generator}
    dropped = {name: None for name in shop.twice if name.startswith("solutions/")}
    shop.problem(
        "chain",
        {**files, **dropped, **{f"solutions/cpp/{n}.cpp": text for n, text in SOLUTIONS.items()}},
    )
    shop.build(
        lang=("cpp",),
        tests=3,
        repeats=REPEATS,
        sandbox="local",
        curation={"across_problems": "none", "near": 1.0},
    )
    rows = shop.solutions("chain", "cpp")
    results = {}
    for name in SOLUTIONS:
        row = rows.get(name)
        accepted = row is not None and row["passed"]
        results[name] = Seen(accepted, figures_of(row) if row and accepted else (None,) * 3)
    return results


def test_expected_outputs_are_right() -> None:
    value = 0
    for _ in range(1_000_000):
        value = (value * 6364136223846793005 + 1442695040888963407) % 2**64
    assert chain(1) == f"{value}\n"


def complaints(results: Mapping[str, Seen]) -> Iterator[str]:
    """Yield the cheats whose verdict or rank is better than it should be."""
    for work in HONEST:
        if not results[str(work)].passed:
            yield f"the honest solution {work} does not pass"
    for less, more in zip(
        results[str(WORKS[0])].figures, results[str(WORKS[-1])].figures, strict=True
    ):
        if less is None or more is None or less >= more:
            yield f"the honest solutions are not told apart: {less} and {more}"
    for name in CHEATS:
        if results[name].passed is None:
            yield f"{name} is left out, which is better than a bad place"
        for objective, own, better in zip(
            OBJECTIVES, results[name].figures, results[str(WORKS[0])].figures, strict=True
        ):
            if results[name].passed and own is not None and better is not None and own < better:
                yield f"{name} is before a better solution in {objective}: {own} and {better}"


WAYS = {
    "run": by_run,
    "server": by_server,
    "evaluation": by_evaluation,
    "rewards": by_rewards,
    "build": by_build,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "way" in metafunc.fixturenames:
        metafunc.parametrize("way", WAYS if metafunc.config.getoption("--thorough") else ["run"])


def test_cheats_do_not_improve_their_rank(way: str, request: pytest.FixtureRequest) -> None:
    fixtures = WAYS[way].__code__.co_varnames[: WAYS[way].__code__.co_argcount]
    measure = WAYS[way]
    assert list(complaints(measure(*[request.getfixturevalue(name) for name in fixtures]))) == []
