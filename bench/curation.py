"""Growth of time and peak memory of staging, deduplicating and splitting large data sets.

The source is generated while it is read: problems with about 80 solutions of 1 to 2 kB in seven
languages. One solution in five is a copy of another one for the same problem: unchanged, with other
comments and white space, or with one line changed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.duplicates import duplicate_solutions
from venus_toolkit.builders.curation.placement import place
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.staging import stage
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.memory import own_peak_bytes
from venus_toolkit.core.records import (
    MIB,
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)

PER_PROBLEM = 80  # solutions
COPIED = 0.2  # share of the solutions
LINES = 36  # lines of a solution
KINDS = ("text", "tokens", "line")
STATEMENTS = (
    "{a} = {b} + {c} * {n};",
    "if ({a} < {b} && {c} != {n}) {{ {b} -= {a}; }}",
    "{a}[{b} % {n}] = {a}[{c}] ^ {n};",
    "while ({a} > {n}) {{ {a} = {a} / 2 + {c}; }}",
    "{c} = solve({a}, {b}, {n});",
    'print("{a} is", {a}, {b} % {n});',
)
SENTENCES = (
    "find the {a} of the {b}",
    "given {n} numbers {a} and {b}",
    "print {c} modulo {n}",
    "every {b} has a {c}",
)


class Growth(NamedTuple):
    """The figures of a run: rows, seconds of each part, CPU time, peak, and duplicates.

    `planted` and `found` count duplicates by kind; `others` counts dropped rows that were not planted.
    """

    rows: int
    source_s: float
    staging_s: float
    duplicates_s: float
    split_s: float
    cpu_s: float
    peak_mib: float
    planted: dict[str, int]
    found: dict[str, int]
    others: int

    @property
    def total_s(self) -> float:
        """Seconds of all parts, including the generation of the source."""
        return self.source_s + self.staging_s + self.duplicates_s + self.split_s


class Source:
    """Entries that are generated on demand, and the time that this took in seconds."""

    def __init__(self, rows: int, languages: dict[str, Language]) -> None:
        self.rows = rows
        self.languages = sorted(languages)
        self.comments = {name: language.comment for name, language in languages.items()}
        self.seconds = 0.0
        self.planted: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries, each from its own seed."""
        for number in range(-(-self.rows // PER_PROBLEM)):
            start = time.monotonic()
            entry = self._entry(number, min(PER_PROBLEM, self.rows - number * PER_PROBLEM))
            self.seconds += time.monotonic() - start
            yield entry

    def _entry(self, number: int, solutions: int) -> Entry:
        rng = random.Random(number)
        words = [f"{rng.choice('abcdefgh')}{rng.randrange(10**6)}" for _ in range(40)]
        pool = [_sentence(rng, words, STATEMENTS) for _ in range(180)]
        statement = ". ".join(_sentence(rng, words, SENTENCES) for _ in range(30))
        slug = f"problem-{number}"
        problem = Problem(
            slug, number, slug, statement, rng.choice(("Easy", "Medium", "Hard")), ("made-up",), "stdin", "bench",
            "CC0-1.0", Limits(), OutputComparison(), date="2024-01-01",
        )  # fmt: skip
        tests = tuple(
            TestCase(f"t{i}", f"{rng.random()}\n" * 20, f"{rng.random()}\n") for i in range(10)
        )
        return Entry(problem, tuple(self._solutions(rng, slug, pool, solutions)), tests)

    def _solutions(
        self, rng: random.Random, slug: str, pool: list[str], count: int
    ) -> Iterator[Solution]:
        codes: dict[str, list[list[str]]] = {name: [] for name in self.languages}
        for number in range(count):
            name = self.languages[number % len(self.languages)]
            kind = rng.choice(KINDS) if codes[name] and rng.random() < COPIED else "new"
            self.planted[kind] += 1
            lines = rng.choice(codes[name]) if kind != "new" else rng.sample(pool, LINES)
            if kind == "line":
                lines = [*lines[:-1], lines[-1].replace(" ", " x1 + ", 1)]
            if kind == "new":
                codes[name].append(lines)
            code = "\n".join(lines)
            if kind == "tokens":
                code = f"{self.comments[name]} copy {number}\n" + code.replace(
                    "\n", f"\n{' ' * rng.randrange(5)}"
                )
            yield Solution(
                f"{number:03d}-{kind}", slug, name, code, Expectation.ACCEPTED, "bench", "CC0-1.0"
            )


def _sentence(rng: random.Random, words: list[str], templates: tuple[str, ...]) -> str:
    a, b, c = rng.sample(words, 3)
    return rng.choice(templates).format(a=a, b=b, c=c, n=rng.randrange(10**6))


def growth(rows: int, folder: Path) -> Growth:
    """Run one size in a separate process, to measure its own peak memory."""
    argv = [sys.executable, "-m", "bench.curation", str(rows), str(folder)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True)
    return Growth(**json.loads(done.stdout))


def measure(rows: int, folder: Path) -> Growth:
    """Stage, find duplicates and split in this process."""
    languages = load_languages()
    source = Source(rows, languages)
    options = CurationOptions()
    start = time.monotonic()
    staged = stage(source, folder / "staging")
    after_staging = time.monotonic()
    dropped = duplicate_solutions(staged, languages, options, folder / "tmp")
    after_duplicates = time.monotonic()
    place((staged.entry(slug).problem for slug in staged.slugs()), options)
    end = time.monotonic()
    stages = Counter(row.item.split("-")[1] for row in dropped)
    return Growth(
        rows=rows,
        source_s=source.seconds,
        staging_s=after_staging - start - source.seconds,
        duplicates_s=after_duplicates - after_staging,
        split_s=end - after_duplicates,
        cpu_s=time.process_time(),
        peak_mib=own_peak_bytes() / MIB,
        planted={kind: source.planted[kind] for kind in KINDS},
        found={kind: stages[kind] for kind in KINDS},
        others=stages["new"],
    )


def main() -> None:
    """Print one run as JSON: for `growth`."""
    result: dict[str, Any] = measure(int(sys.argv[1]), Path(sys.argv[2]))._asdict()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
