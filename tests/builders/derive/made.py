"""A small release with invented figures: two train problems, one test problem.

Building it runs no program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.core.language import load_languages
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
)
from venus_toolkit.core.store import MANIFEST, Store, checksum
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release, open_release

LANGUAGES = load_languages()
TESTS = (
    TestCase("t0", "3\n", "6\n", "own", "small", 0),
    TestCase("t1", "20\n", "40\n", "own", "large", 1),
)
NAMES = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "omega",
    "kappa",
    "sigma",
    "theta",
    "lambda_",
    "zeta",
    "eta",
    "iota",
)


def code(number: int) -> str:
    """Return a program whose identifiers differ from those of every other number."""
    word = f"{NAMES[number % len(NAMES)]}{number}"
    lines = [
        f"{word}_{line} = {word} * {line + number} - read_{number}({line})" for line in range(8)
    ]
    return "\n".join([f"{word} = int(input())", *lines, f"print(2 * {word})"]) + "\n"


def measured(cost: float = 1.0, memory: float | None = None, **values: Any) -> Measurement:
    """Return a measurement: `cost` times 10 ms, `memory` (by default `cost`) times 16 MiB."""
    wall, peak = (
        round(cost * 10 * NS_PER_MS),
        round((cost if memory is None else memory) * 16 * MIB),
    )
    figures: dict[str, Any] = {
        "wall_ns": wall, "cpu_ns": wall, "peak_bytes": peak, "integral_byte_ns": wall * peak,
        "integral_error_byte_ns": 0, "relative_time": cost, "wall_spread": 0.02, "cpu_spread": 0.02,
        "integral_spread": 0.02, "relative_spread": 0.01, "repeats": 3, "tests": len(TESTS),
    }  # fmt: skip
    return Measurement(**{**figures, **values})


def solution(
    number: int, slug: str, figures: Measurement | None, text: str | None = None
) -> dict[str, Any]:
    """Return an entry of ``solutions``, a failed one if `figures` is None."""
    record = Solution(
        f"{slug}/{number}",
        slug,
        "python",
        text or code(number),
        Expectation.ACCEPTED,
        "made",
        "MIT",
    )
    verdict = Verdict.ACCEPTED if figures else Verdict.WRONG_ANSWER
    return solution_row(record, Judgement(verdict), figures, None)


def problem(
    number: int, slug: str, solutions: Sequence[dict[str, Any]], **changes: Any
) -> dict[str, Any]:
    """Return a row of a release."""
    record = Problem(
        slug, number, slug.title(), f"Print twice the number. This is {slug}.", "Easy", ("math",), "stdin", "made",
        "CC0-1.0", Limits(), OutputComparison(),
    )  # fmt: skip
    return {**problem_row(record, "python", record.limits, TESTS, solutions, {}), **changes}


def write_release(
    folder: Path, splits: Mapping[str, Sequence[dict[str, Any]]], rank: str = "absolute"
) -> Release:
    """Write rows as a release with one language, without a card."""
    files = {
        part: write_rows(folder, f"data/python/{part}", rows, SCHEMA)
        for part, rows in splits.items()
    }
    counts = {
        part: {"problems": len(rows), "solutions": sum(len(row["solutions"]) for row in rows)}
        for part, rows in splits.items()
    }
    configs = {
        "python": {
            "splits": {part: {"files": names, **counts[part]} for part, names in files.items()},
            "rank": rank,
        }
    }
    sums = {name: checksum(folder / name) for names in files.values() for name in names}
    with closing(Store(folder)) as store:
        store.write_text("dropped.jsonl", "")
        store.write_json(MANIFEST, {"configs": configs, "files": sums})
    return open_release(folder)


def usual_release(folder: Path) -> Release:
    """Write a release whose problems have the solutions of `usual_solutions`."""
    listed = {}
    for part, slugs in {"train": ("double", "twice"), "test": ("hidden",)}.items():
        listed[part] = [
            problem(at, slug, usual_solutions(slug)) for at, slug in enumerate(slugs, 10)
        ]
    return write_release(folder, listed)


def usual_solutions(slug: str) -> list[dict[str, Any]]:
    """Return ten passing solutions, a costlier near copy of the first, and a wrong one."""
    passing = [solution(n, slug, measured(1 + n / 2)) for n in range(10)]
    copy = solution(10, slug, measured(7), code(0).replace("print(2", "print( 2"))
    return [*passing, copy, solution(11, slug, None)]
