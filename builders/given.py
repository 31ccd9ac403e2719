"""A source as a release to evaluate models on: its own tests and solutions, with nothing run.

`venus build` asks whether tests are good and solutions right, and that takes hours. A benchmark is
as it is: its given tests become a split ``test``, its solutions, where it says that they are right,
the references. What has no tests, or no runner in a language, is dropped with its reason.
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
    """Return a source as a release, written once: the same source and limits are found again.

    `source` is what ``--source`` takes. Of all `languages`, by id, the `chosen` ones are written.
    `limits` are fields of `Limits` that replace the problems' own, where they are not None. `say`
    is told what is being done.

    Raises:
        SourceError: Nothing of the source can be read, or nothing is left of it.
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
        what, why = f"{folder} is not for the data of a suite", "it is a release of its own"
        raise ReleaseError(what, why, "name another --data, or leave --suite out")
    if before and before.manifest["given"] == identity:
        return before
    say(f"reading {source}")
    with Store(folder) as store:
        # The folder's name does not say what is in it: what another source left there would be
        # taken for this one.
        staging = folder / WORK / "staging"
        shutil.rmtree(staging, ignore_errors=True)
        staged = stage(choose_source(source).read(languages), staging)
        dropped = [each._asdict() for each in staged.rejected()]
        configs: dict[str, dict[str, Any]] = {}
        reasons = "dropped.jsonl"
        names = [reasons]
        for name in sorted(chosen):
            counts: Counter[str] = Counter()
            rows = _rows(staged, name, languages, limits, dropped, counts)
            files = write_rows(folder, f"data/{name}/{TEST}", rows, SCHEMA)
            # Rows are made while they are written: `counts` is filled only now.
            configs[name] = {"splits": {TEST: {"files": files, **counts}} if files else {}}
            names += files
        if not any(config["splits"] for config in configs.values()):
            why = (
                Counter(row["reason"] for row in dropped).most_common(1)[0][0]
                if dropped
                else "it is empty"
            )
            raise SourceError(
                f"no problem of {source} can be evaluated", why, "type: venus sources show SOURCE"
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
        came = staged.entry(slug)
        done = complete(_by_line(came), languages)
        entry, own = done.entry, {test.test_id for test in came.tests}
        # A benchmark is as it is: examples of its statements are no tests of it.
        tests = [test for test in entry.tests if test.stdout is not None and test.test_id in own]
        why = done.refused or done.missing.get(language, "")
        if not tests:
            why = "it came with no tests that have an output"
        if why:
            dropped.append({"item": f"{slug}/{language}", "reason": why})
            continue
        right = [
            s
            for s in entry.solutions
            if s.language == language and s.expected == Expectation.ACCEPTED
        ]
        said = Judgement(Verdict.ACCEPTED)  # by the source; nothing was run
        solutions = [
            solution_row(solution, said, measured=None, standing=None) for solution in right
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


def _by_line(entry: Entry) -> Entry:
    """Return a function's tests with one argument a line, as runners read them, where they are one object of names."""

    def by_line(stdin: str) -> str:
        try:
            named = json.loads(stdin)
        # RecursionError: tests are anybody's text, and lists may be nested deeper than the parser
        # can follow.
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
