"""Writes a synthetic release of the paper's shape with the real writer, for benchmarks.

    python -m bench.paper_release FOLDER [--scale 0.01] [--seed N] [--tests 100]

At scale 1: 8 600 tasks (1 229 problems in seven languages, minus a few), 700 000 solutions of 0.3
to 3 kB, about 100 tests per problem. One solution in twenty is wrong; one in twenty is a near copy
of another. Times are log-normal around the cost of the problem, with realistic spreads and noise
flags. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit import __version__
from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.builders.plan import BuildPlan
from venus_toolkit.builders.release_rows import (
    problem_row,
    rank_solutions,
    rows_of_tests,
    solution_row,
)
from venus_toolkit.builders.stages.writing import (
    DROPPED,
    TEST_BYTES,
    TEST_ROWS,
    repeatability,
    seal,
)
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
    Expectation,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
    to_plain,
)
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.columns import SCHEMA, TESTS
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.dataset.test_cases import with_samples

TASKS = 8_600
SOLUTIONS = 700_000
LANGUAGES = ("cpp", "go", "java", "javascript", "python", "ruby", "rust")
TEST_SHARE = 0.035  # share of the problems: 300 of 8 600
WRONG, COPIED, NOISY = 0.05, 0.05, 0.02  # shares of the solutions
PAGE = 4096  # bytes of a memory page
FLOOR_MS = {"cpp": 2, "go": 3, "java": 90, "javascript": 45, "python": 18, "ruby": 60, "rust": 2}
FLOOR_MIB = {"cpp": 3, "go": 5, "java": 40, "javascript": 42, "python": 9, "ruby": 22, "rust": 2}
STATEMENTS = (
    "{a} = {b} + {c} * {n};",
    "if ({a} < {b} && {c} != {n}) {{ {b} -= {a}; }}",
    "{a}[{b} % {n}] = {a}[{c}] ^ {n};",
    "while ({a} > {n}) {{ {a} = {a} / 2 + {c}; }}",
    "for (int {a} = 0; {a} < {b}; ++{a}) {{",
    "{c} = solve({a}, {b}, {n});",
    'print("{a} is", {a}, {b} % {n});',
    "return max({a}, {b} - {c});",
    "}}",
)
SENTENCES = (
    "Find the {a} of the {b}.",
    "You are given {n} numbers {a} and {b}.",
    "Print {c} modulo {n}.",
)
WORDS = tuple(
    f"{stem}{end}"
    for stem in ("val", "sum", "left", "node", "cur", "max", "idx", "tmp")
    for end in range(60)
)
FACTS: dict[str, Any] = {
    "toolkit": __version__,
    "lacking": {},
    "sandbox": {"sandbox": "local", "isolation": "namespaces"},
    "environment": {
        "cpu": "made up", "cores": 16, "kernel": "6.1.0", "toolchains": dict.fromkeys(LANGUAGES, "made up"),
    },
}  # fmt: skip
NO_RATE = {"hits": 0, "n": 0, "rate": None}
QUALITY = (
    "true_positive", "true_negative_wrong", "true_negative_mutants_before", "true_negative_mutants", "slow_refused",
)  # fmt: skip


class Task(NamedTuple):
    """A problem in one language: its row and its measurements."""

    row: dict[str, Any]
    measurements: list[Measurement]


def write_paper_release(
    folder: Path, scale: float = 1.0, seed: int = 0, tests: int = 100
) -> Release:
    """Write a release of the paper's shape.

    Args:
        folder: The folder of the release; created if it does not exist.
        scale: Share of the paper's problems; solutions and tests per problem do not scale.
        seed: Seed of all choices.
        tests: Approximate number of tests per problem.
    """
    problems = max(2, round(scale * TASKS / len(LANGUAGES)))
    placements = {_slug(number): _part(seed, number, problems) for number in range(problems)}
    configs = {
        language: _write_language(folder, language, placements, seed, tests)
        for language in LANGUAGES
    }
    splits = {part: _write_tests(folder, part, placements, seed, tests) for part in (TRAIN, TEST)}
    test_count = sum(split["tests"] for split in splits.values())
    facts = {
        **FACTS,
        "plan": to_plain(BuildPlan(lang=LANGUAGES, source="made up", tests=tests, seed=seed)),
        "configs": configs,
        "found": {
            "problems": problems,
            "solutions": {
                name: sum(s["solutions"] for s in c["splits"].values())
                for name, c in configs.items()
            },
        },
        "placements": placements,
        "tests": {"found": test_count, "kept": test_count, "dropped": 0, "splits": splits},
        "quality": dict.fromkeys(QUALITY, NO_RATE),
        "dropped": {},
    }
    with closing(Store(folder)) as store:
        store.write_text(DROPPED, "")
        seal(store, facts)
    return open_release(folder)


# ------------------------------------------------------------------ splits


def _slug(number: int) -> str:
    return f"made-up-{number:05d}"


def _part(seed: int, number: int, problems: int) -> str:
    """Return the split of a problem; the last one is always a test problem, at any scale."""
    drawn = random.Random(f"{seed} split {number}").random() < TEST_SHARE
    return TEST if drawn or number == problems - 1 else TRAIN


def _write_language(
    folder: Path, language: str, placements: dict[str, str], seed: int, tests: int
) -> dict[str, Any]:
    splits, verdicts, measured = {}, Counter[str](), list[Measurement]()
    for part in (TRAIN, TEST):
        counts: Counter[str] = Counter(problems=0, solutions=0)
        rows = _rows(language, part, placements, (seed, tests), counts, verdicts, measured)
        files = write_rows(folder, f"data/{language}/{part}", rows, SCHEMA)
        splits[part] = {"files": files, **counts}
    return {
        "splits": splits,
        "rank": "relative",
        "verdicts": dict(verdicts),
        "unexpected": {},
        "repeatability": repeatability(measured),
        "fingerprint": "made up",
    }


def _rows(
    language: str,
    part: str,
    placements: dict[str, str],
    made_with: tuple[int, int],
    counts: Counter[str],
    verdicts: Counter[str],
    measured: list[Measurement],
) -> Iterator[dict[str, Any]]:
    seed, tests = made_with
    for number, placed in enumerate(placements.values()):
        if placed == part:
            task = make_task(number, language, seed, tests)
            counts.update(problems=1, solutions=len(task.row["solutions"]))
            verdicts.update(solution["status"] for solution in task.row["solutions"])
            measured += task.measurements
            yield task.row


def _write_tests(
    folder: Path, part: str, placements: dict[str, str], seed: int, tests: int
) -> dict[str, Any]:
    numbers = [number for number, placed in enumerate(placements.values()) if placed == part]
    counts: Counter[str] = Counter(tests=0)

    def rows() -> Iterator[dict[str, Any]]:
        for number in numbers:
            cases = make_tests(number, seed, tests)
            counts["tests"] += len(cases)
            yield from rows_of_tests(make_problem(number, seed), "own", cases)

    files = write_rows(
        folder, f"tests/{part}", rows(), TESTS, group_rows=TEST_ROWS, group_bytes=TEST_BYTES
    )
    return {"files": files, "problems": len(numbers), **counts}


# ------------------------------------------------------------------ problems, tests, solutions


def make_problem(number: int, seed: int = 0) -> Problem:
    """Return a problem; the same number and seed give the same one."""
    rng = random.Random(f"{seed} problem {number}")
    statement = " ".join(_lines(rng, WORDS, SENTENCES, 20))
    return Problem(
        _slug(number), number, f"Made up {number}", statement, rng.choice(("Easy", "Medium", "Hard")),
        tuple(rng.sample(("array", "graph", "string", "tree", "math"), 2)), "stdin", "bench", "CC0-1.0", Limits(),
        OutputComparison(), generator="def generate(seed, size):\n    return str(seed)\n", date="2024-01-01",
    )  # fmt: skip


def make_tests(number: int, seed: int = 0, count: int = 100) -> list[TestCase]:
    """Return about `count` tests of a problem: short ones, and a few long ones."""
    rng = random.Random(f"{seed} tests {number}")
    cases = []
    for index in range(max(1, round(count * rng.uniform(0.8, 1.2)))):
        values = rng.choices(range(10**6), k=min(2_000, int(rng.lognormvariate(2.5, 1.2)) + 1))
        stdin = f"{len(values)}\n{' '.join(map(str, values))}\n"
        cases.append(
            TestCase(f"random-{index}", stdin, f"{sum(values)}\n", size="random", seed=index)
        )
    return cases


def make_task(number: int, language: str, seed: int = 0, tests: int = 100) -> Task:
    """Return the row of a problem in a language, with its solutions judged and measured."""
    problem = make_problem(number, seed)
    rng = random.Random(f"{seed} {language} {number}")
    count = max(16, round(rng.gauss(SOLUTIONS / TASKS, 20)))
    cost = rng.lognormvariate(math.log(30), 1.0)
    codes = _codes(rng, count)
    solutions = [
        Solution(
            f"{problem.slug}/{language}/{index:03d}", problem.slug, language, code, Expectation.ACCEPTED, "bench", "MIT"
        )
        for index, code in enumerate(codes)
    ]  # fmt: skip
    wrong = Judgement(Verdict.WRONG_ANSWER, "line 1: expected '1', got '2'", "random-3")
    judgements = [wrong if rng.random() < WRONG else Judgement(Verdict.ACCEPTED) for _ in solutions]
    figures = {
        solution.solution_id: _measured(rng, language, cost, tests)
        for solution, judgement in zip(solutions, judgements, strict=True)
        if judgement.verdict == Verdict.ACCEPTED
    }
    ranks = rank_solutions(
        (solution.solution_id for solution in solutions), figures, "relative"
    ).standings
    rows = [
        solution_row(
            solution,
            judgement,
            figures.get(solution.solution_id),
            ranks.get(solution.solution_id),
        )
        for solution, judgement in zip(solutions, judgements, strict=True)
    ]
    quality = {"way": "own", "confidence": 1.0, "reasons": []}
    row = problem_row(
        problem, language, problem.limits, make_tests(number, seed, tests), rows, quality
    )
    return Task(with_samples(row), list(figures.values()))


def _codes(rng: random.Random, count: int) -> Iterator[str]:
    names = rng.sample(WORDS, 40)
    pool = _lines(rng, names, STATEMENTS, 220)
    codes: list[list[str]] = []
    for _ in range(count):
        if codes and rng.random() < COPIED:
            lines = list(rng.choice(codes))
            lines[rng.randrange(len(lines))] = rng.choice(pool)
        else:
            lines = rng.choices(pool, k=min(90, max(9, int(rng.lognormvariate(3.4, 0.5)))))
        codes.append(lines)
        yield "\n".join(lines) + "\n"


def _lines(
    rng: random.Random, words: list[str] | tuple[str, ...], templates: tuple[str, ...], count: int
) -> list[str]:
    return [
        template.format(a=a, b=b, c=c, n=rng.randrange(10**6))
        for template, a, b, c in zip(
            *(rng.choices(x, k=count) for x in (templates, words, words, words)), strict=True
        )
    ]


def _measured(rng: random.Random, language: str, cost_ms: float, tests: int) -> Measurement:
    cpu_ms = tests * FLOOR_MS[language] + cost_ms * rng.lognormvariate(0.0, 0.6)
    cpu_ns, wall_ns = int(cpu_ms * NS_PER_MS), int(cpu_ms * rng.uniform(1.02, 1.2) * NS_PER_MS)
    peak_bytes = (
        int(FLOOR_MIB[language] * MIB + rng.lognormvariate(math.log(2 * MIB), 1.0)) // PAGE * PAGE
    )
    integral = int(peak_bytes * wall_ns * rng.uniform(0.5, 0.95))
    spreads = [abs(rng.gauss(0, sigma)) for sigma in (0.04, 0.03, 0.05, 0.015)]
    noise = ("pressure",) if rng.random() < NOISY else ()
    return Measurement(
        wall_ns, cpu_ns, peak_bytes, integral, peak_bytes * NS_PER_MS, cpu_ns / (8 * NS_PER_MS), *spreads,
        repeats=3, tests=tests, noise=noise,
    )  # fmt: skip


def main() -> None:
    """Write a release and print its sizes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the paper's problems")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", type=int, default=100, help="about how many a problem has")
    options = parser.parse_args()
    release = write_paper_release(options.folder, options.scale, options.seed, options.tests)
    for name in release.config_names:
        print(name, {split: release.rows(name, split) for split in release.splits(name)})
    size = sum(file.stat().st_size for file in release.folder.rglob("*.parquet"))
    print(f"{size / MIB:.1f} MiB of Parquet in {options.folder}")


if __name__ == "__main__":
    main()
