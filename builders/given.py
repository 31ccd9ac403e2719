"""Turns a benchmark into a release for evaluating models, without running anything.

`venus build` takes hours to verify tests and solutions. A benchmark is taken unchanged: its tests
become a split ``test``, and solutions that it labels right become the references. A problem without
tests, or without a runner in a language, is dropped with its reason.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from venus_toolkit.builders.curation.placement import TEST
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.builders.staging import StagedSource, stage
from venus_toolkit.core import __version__
from venus_toolkit.core.errors import ReleaseError, SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Expectation, Judgement, Verdict, json_lines
from venus_toolkit.core.store import MANIFEST, WORK, Store, checksum
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import FORMAT, Release, open_release


def release_of_given(
    source: str,
    folder: Path,
    languages: Mapping[str, Language],
    chosen: Sequence[str],
    limits: Mapping[str, int | None],
    say: Callable[[str], None] = lambda _: None,
) -> Release:
    """Write a source as a release, or open the existing one of the same source and limits.

    Args:
        source: A value of ``--source``.
        folder: The folder of the release.
        languages: All languages, by id.
        chosen: The ids of the languages to write.
        limits: Fields of `Limits` that replace the problems' own, unless None.
        say: Called with progress messages.

    Raises:
        SourceError: The source cannot be read, or all of its problems are dropped.
        ReleaseError: The folder holds something else.
        StoreError: The folder cannot be written.
    """
    identity = {
        "source": source,
        "languages": sorted(chosen),
        "limits": dict(limits),
        "toolkit": __version__,
    }
    before = open_release(folder) if (folder / "manifest.json").exists() else None
    if before and "given" not in before.manifest:
        raise ReleaseError(
            f"{folder} is not for the data of a suite",
            "it holds another release",
            "name another --data, or leave --suite out",
        )
    if before and before.manifest["given"] == identity:
        return before
    say(f"reading {source}")
    with Store(folder) as store:
        # The staging folder may hold another source, which would be taken for this one.
        staging = folder / WORK / "staging"
        shutil.rmtree(staging, ignore_errors=True)
        staged = stage(choose_source(source).read(languages), staging)
        dropped = [rejected._asdict() for rejected in staged.rejected()]
        configs: dict[str, dict[str, Any]] = {}
        reasons = "dropped.jsonl"
        names = [reasons]
        for name in sorted(chosen):
            counts: Counter[str] = Counter()
            rows = _rows(staged, name, languages, limits, dropped, counts)
            files = write_rows(folder, f"data/{name}/{TEST}", rows, SCHEMA)
            # `counts` is complete only now, because rows are made while they are written.
            configs[name] = {"splits": {TEST: {"files": files, **counts}} if files else {}}
            names += files
        if not any(config["splits"] for config in configs.values()):
            reason = (
                Counter(row["reason"] for row in dropped).most_common(1)[0][0]
                if dropped
                else "it is empty"
            )
            raise SourceError(
                f"no problem of {source} can be evaluated",
                reason,
                "type: venus sources show SOURCE",
            )
        store.write_text(reasons, json_lines(dropped))
        sums = {name: checksum(folder / name) for name in names}
        facts = {"format": FORMAT, "toolkit": __version__, "given": identity, "configs": configs}
        store.write_json(MANIFEST, {**facts, "dropped": len(dropped), "files": sums})
        shutil.rmtree(staging, ignore_errors=True)
    return open_release(folder)


def _rows(
    staged: StagedSource,
    language: str,
    languages: Mapping[str, Language],
    limits: Mapping[str, int | None],
    dropped: list[dict[str, str]],
    counts: Counter[str],
) -> Iterator[dict[str, Any]]:
    for slug in sorted(staged.slugs()):
        original = staged.entry(slug)
        completed = complete(_split_arguments(original), languages)
        entry, own = completed.entry, {test.test_id for test in original.tests}
        # Examples of statements are not tests of the benchmark.
        tests = [test for test in entry.tests if test.stdout is not None and test.test_id in own]
        reason = completed.refused or completed.missing.get(language, "")
        if not tests:
            reason = "it came with no tests that have an output"
        if reason:
            dropped.append({"item": f"{slug}/{language}", "reason": reason})
            continue
        right = [
            s
            for s in entry.solutions
            if s.language == language and s.expected == Expectation.ACCEPTED
        ]
        judgement = Judgement(Verdict.ACCEPTED)  # by the source; nothing was run
        solutions = [
            solution_row(solution, judgement, measurement=None, standing=None) for solution in right
        ]
        counts.update(problems=1, solutions=len(solutions))
        quality = {"way": "given", "tests": len(tests)}
        yield problem_row(
            entry.problem,
            language,
            entry.problem.limits.changed(**limits),
            tests,
            solutions,
            quality,
        )


def _split_arguments(entry: Entry) -> Entry:
    """Rewrite a function's inputs from JSON objects of arguments to one argument a line."""

    def by_line(stdin: str) -> str:
        try:
            named = json.loads(stdin)
        # RecursionError: tests are untrusted, and lists may nest too deeply for the parser.
        except (ValueError, RecursionError):
            return stdin
        if not isinstance(named, dict) or not named:
            return stdin
        return json_lines(named.values())

    if entry.problem.style != "function" or entry.problem.runners:
        return entry
    return entry._replace(
        tests=tuple(replace(test, stdin=by_line(test.stdin)) for test in entry.tests)
    )
