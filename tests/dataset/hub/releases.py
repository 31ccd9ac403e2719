"""Small releases to publish: invented rows in one or two languages, written by the real writer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.paper_release import FACTS, NO_RATE, QUALITY
from venus_toolkit.builders.plan import BuildPlan
from venus_toolkit.builders.release_rows import problem_row, rows_of_tests, solution_row
from venus_toolkit.builders.stages.build_context import DROPPED
from venus_toolkit.builders.stages.writing import repeatability, seal
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
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

SPREAD = 0.02


def measured(time_ms: float, memory_mib: float = 4.0) -> Measurement:
    """Return a measurement; its integral assumes 4 MiB of memory."""
    wall_ns, peak = int(time_ms * NS_PER_MS), int(memory_mib * MIB)
    spreads = (SPREAD,) * 4
    return Measurement(
        wall_ns, wall_ns, peak, wall_ns * 4 * MIB, 1, time_ms / 10, *spreads, repeats=3, tests=2
    )


class Draft:
    """A release that tests can change before `write` writes it to a folder.

    `codes`, `times` (ms), `memories` (MiB) and `licences` have keys of problem and solution, such as
    ``("sum-0", "a")``; `statements` and `tests` have problems as keys. Problems ``sum-0`` to ``sum-3``
    have two solutions each, a and b; the last problem is the test split.
    """

    def __init__(self, languages: tuple[str, ...] = ("cpp",), problems: int = 4) -> None:
        self.languages = languages
        self.titles = [f"sum-{number}" for number in range(problems)]
        self.test_titles = {self.titles[-1]}
        names = [(title, name) for title in self.titles for name in "ab"]
        self.codes = {key: f"// {key}\nint main() {{}}\n" for key in names}
        self.times = {key: 10.0 + number for number, key in enumerate(names)}
        self.memories = dict.fromkeys(names, 4.0)
        self.licences = dict.fromkeys(names, "MIT")
        self.statements = {
            title: f"Print the sum of the numbers, in the way that {title} asks."
            for title in self.titles
        }
        self.tests = {title: ["1 2\n", "3 4\n"] for title in self.titles}
        self.derived: dict[str, list[dict[str, Any]]] = {}

    def add(self, title: str) -> None:
        """Add a problem to the train split."""
        self.titles.insert(0, title)
        self.statements[title] = f"Print the sum of all numbers, as {title} wants it."
        self.tests[title] = ["5\n"]
        for name in "ab":
            self.codes[title, name] = f"// new {title} {name}\n"
            self.times[title, name] = 3.0
            self.memories[title, name] = 4.0
            self.licences[title, name] = "MIT"

    def problem(self, title: str) -> Problem:
        return Problem(
            title, 1 + sum(map(ord, title)), title, self.statements[title], "Easy", ("math",), "stdin", "made up",
            "CC0-1.0", Limits(), OutputComparison(), date="2024-01-01",
        )  # fmt: skip

    def row(self, title: str, language: str) -> dict[str, Any]:
        """Return the row of a problem in a language."""
        solutions = []
        for (of, name), code in self.codes.items():
            if of == title:
                licence = self.licences[title, name]
                each = Solution(
                    f"{title}/{language}/{name}",
                    title,
                    language,
                    code,
                    license=licence,
                    source="made up",
                )
                figures = measured(self.times[title, name], self.memories[title, name])
                solutions.append(solution_row(each, Judgement(Verdict.ACCEPTED), figures, None))
        quality = {"way": "own", "confidence": 1.0, "reasons": []}
        return problem_row(
            self.problem(title), language, Limits(), self.cases(title), solutions, quality
        )

    def cases(self, title: str) -> list[TestCase]:
        return [
            TestCase(f"t{number}", text, "3\n") for number, text in enumerate(self.tests[title])
        ]

    def write(self, folder: Path) -> Release:
        """Write the release, and return it."""
        parts = {
            "train": [title for title in self.titles if title not in self.test_titles],
            "test": [title for title in self.titles if title in self.test_titles],
        }
        configs = {language: self._config(folder, language, parts) for language in self.languages}
        tests = {}
        for part, titles in parts.items():
            rows = [
                row
                for title in titles
                for row in rows_of_tests(self.problem(title), "own", self.cases(title))
            ]
            files = write_rows(folder, f"tests/{part}", rows, TESTS)
            tests[part] = {"files": files, "problems": len(titles), "tests": len(rows)}
        count = {language: len(self.codes) for language in self.languages}
        facts: Mapping[str, Any] = {
            **FACTS,
            "plan": to_plain(BuildPlan(lang=self.languages, source="made up")),
            "configs": configs,
            "found": {"problems": len(self.titles), "solutions": count},
            "placements": {title: part for part, titles in parts.items() for title in titles},
            "tests": {"found": 1, "kept": 1, "dropped": 0, "splits": tests},
            "quality": dict.fromkeys(QUALITY, NO_RATE),
            "dropped": {},
        }
        with closing(Store(folder)) as store:
            store.write_text(DROPPED, "")
            seal(store, facts)
        return self._with_derived(open_release(folder))

    def _config(
        self, folder: Path, language: str, parts: Mapping[str, list[str]]
    ) -> dict[str, Any]:
        splits = {}
        for part, titles in parts.items():
            rows = [self.row(title, language) for title in titles]
            files = write_rows(folder, f"data/{language}/{part}", rows, SCHEMA)
            splits[part] = {"files": files, "problems": len(titles), "solutions": 2 * len(titles)}
        about = {"rank": "relative", "verdicts": {}, "unexpected": {}, "fingerprint": "made up"}
        return {**about, "splits": splits, "repeatability": repeatability([measured(1.0)])}

    def _with_derived(self, release: Release) -> Release:
        import pyarrow as pa

        for config, rows in self.derived.items():
            files = write_rows(
                release.folder, f"derived/{config}/time", rows, pa.Table.from_pylist(rows).schema
            )
            release = release.add(config, {"splits": {"time": {"files": files, "rows": len(rows)}}})
        return release


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest
