"""A source as a release, with nothing run: the tests and solutions that it came with, to evaluate models on.

`venus build` asks whether tests are good and solutions right, and that takes hours. A benchmark is as it is: its given
tests become a split ``test``, its solutions, where it says that they are right, the references. What has no tests, or
no runner in a language, is dropped with its reason.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from venus_toolkit import __version__
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.release import problem_row, solution_row
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.builders.staging import Staged, stage
from venus_toolkit.errors import ReleaseError, SourceError
from venus_toolkit.language import Language
from venus_toolkit.records import Expectation, Judgement, TestCase, Verdict
from venus_toolkit.release import Release, open_release
from venus_toolkit.release.folder import FORMAT, write_manifest
from venus_toolkit.release.parquet import write_rows
from venus_toolkit.release.schema import SCHEMA
from venus_toolkit.store import WORK, Store, checksum

DROPPED = "dropped.jsonl"
PART = "test"
Drop = Callable[[str, str], None]


def release_of_given(
    source: str,
    folder: Path,
    languages: Mapping[str, Language],
    chosen: Sequence[str],
    limits: Mapping[str, int | None],
    say: Callable[[str], None] = lambda _: None,
) -> Release:
    """Return a source as a release, written once: the same source and limits are found again.

    Args:
        source: What ``--source`` takes.
        folder: Where to.
        languages: All languages by id.
        chosen: Those that are wanted.
        limits: Fields of `Limits` that replace the problems' own; None: their own.
        say: Told what is being done.

    Raises:
        SourceError: Nothing of the source can be read, or nothing is left of it.
        ReleaseError: The folder holds something else.
        StoreError: The folder cannot be written.
    """
    identity = {"source": source, "languages": sorted(chosen), "limits": dict(limits), "toolkit": __version__}
    found = _found(folder, identity)
    if found:
        return found
    say(f"reading {source}")
    with Store(folder) as store:
        staging = folder / WORK / "staging"
        shutil.rmtree(staging, ignore_errors=True)
        staged = stage(choose_source(source).read(languages), staging)
        dropped = [{"item": item, "reason": reason} for item, reason in staged.set_aside()]
        configs = {
            name: _config(staged, folder, name, languages, limits, lambda item, why: dropped.append(_row(item, why)))
            for name in sorted(chosen)
        }
        if not any(config["splits"] for config in configs.values()):
            why = Counter(row["reason"] for row in dropped).most_common(1)[0][0] if dropped else "it is empty"
            raise SourceError(f"nothing of {source} can be evaluated on", why, "type: venus sources show SOURCE")
        store.write_text(DROPPED, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in dropped))
        names = [name for config in configs.values() for split in config["splits"].values() for name in split["files"]]
        sums = {name: checksum(folder / name) for name in [*names, DROPPED]}
        facts = {"format": FORMAT, "toolkit": __version__, "given": identity, "configs": configs}
        write_manifest(store, {**facts, "dropped": len(dropped), "files": sums})
        shutil.rmtree(staging, ignore_errors=True)
    return open_release(folder)


def _row(item: str, reason: str) -> dict[str, str]:
    return {"item": item, "reason": reason}


def _found(folder: Path, identity: Mapping[str, Any]) -> Release | None:
    """Return what was written before.

    Raises:
        ReleaseError: The folder holds something else.
    """
    if not (folder / "manifest.json").exists():
        return None
    release = open_release(folder)
    if "given" not in release.manifest:
        why = "it is a release of its own"
        raise ReleaseError(f"{folder} is not for the data of a suite", why, "name another --data, or leave --suite out")
    return release if release.manifest["given"] == identity else None


def _config(
    staged: Staged,
    folder: Path,
    language: str,
    languages: Mapping[str, Language],
    limits: Mapping[str, int | None],
    drop: Drop,
) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    rows = _rows(staged, language, languages, limits, drop, counts)
    files = write_rows(folder, f"data/{language}/{PART}", rows, SCHEMA)
    return {"splits": {PART: {"files": files, **counts}} if files else {}}


def _rows(
    staged: Staged,
    language: str,
    languages: Mapping[str, Language],
    limits: Mapping[str, int | None],
    drop: Drop,
    counts: Counter[str],
) -> Iterator[dict[str, Any]]:
    for slug in sorted(staged.slugs()):
        done = complete(_by_line(staged.entry(slug)), languages)
        entry = done.entry
        tests = [test for test in entry.tests if test.stdout is not None]
        why = "it came with no tests that have an output" if not tests else done.lacking.get(language, "")
        if why:
            drop(f"{slug}/{language}", why)
            continue
        row = _problem(entry, language, limits, tests)
        counts.update(problems=1, solutions=len(row["solutions"]))
        yield row


def _by_line(entry: Entry) -> Entry:
    """Return a function's tests with one argument a line, as runners read them, where they are one object of names."""
    if entry.problem.style != "function" or entry.problem.runners:
        return entry
    return entry._replace(tests=tuple(replace(test, stdin=_lines(test.stdin)) for test in entry.tests))


def _lines(stdin: str) -> str:
    try:
        named = json.loads(stdin)
    except (ValueError, RecursionError):
        return stdin
    if not isinstance(named, dict) or not named:
        return stdin
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in named.values())


def _problem(
    entry: Entry, language: str, limits: Mapping[str, int | None], tests: Sequence[TestCase]
) -> dict[str, Any]:
    right = [s for s in entry.solutions if s.language == language and s.expected == Expectation.ACCEPTED]
    said = Judgement(Verdict.ACCEPTED)  # by the source; nothing was run
    solutions = [solution_row(solution, said, None, None) for solution in right]
    quality = {"way": "given", "tests": len(tests)}
    return problem_row(entry.problem, language, entry.problem.limits.changed(**limits), tests, solutions, quality)
