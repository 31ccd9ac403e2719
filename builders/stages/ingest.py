"""Reads the source onto disk, once, and drops what nobody needs to run to know that it is not wanted."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import pyarrow.parquet as pq

from venus_toolkit import __version__
from venus_toolkit.builders.curation.curate import Curated, curate
from venus_toolkit.builders.curation.duplicates import Known
from venus_toolkit.builders.curation.earlier import read_known, read_placements
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.sources import Chosen, Entry, SetAside, choose_source
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.builders.staging import Staged, stage
from venus_toolkit.builders.staging.rows import SCHEMAS
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.errors import SourceError, UsageError
from venus_toolkit.funnel import last_reason
from venus_toolkit.records import digest, to_plain
from venus_toolkit.store import MANIFEST, WORK, checksum

STAGE = "ingest"


class Ingested(NamedTuple):
    """What is to be worked on.

    slugs are the problems that are kept so far, by problem_id; found is how many problems and solutions (by language)
    there were; identity is a digest of all that was read; placements are those of an earlier release, None where the
    plan names none; known are the problems of that release.
    """

    staged: Staged
    curated: Curated
    slugs: tuple[str, ...]
    found: dict[str, Any]
    identity: str
    placements: dict[str, str] | None

    def entries(self, slugs: Iterable[str]) -> list[Entry]:
        """Return the entries of problems that are kept, with the solutions that are kept."""
        kept = (self.curated.keep(self.staged.entry(slug)) for slug in slugs)
        return [entry for entry in kept if entry]


def ingest(shop: Workshop) -> Ingested:
    """Stage the source and curate it, or find that this was done.

    Raises:
        UsageError: The plan names a problem that the source does not have, a benchmark or a release that is not there.
        SourceError: Nothing of the source can be read.
        StoreError: There is no room.
    """
    with shop.stage(STAGE):
        staged = _staged(shop, choose_source(shop.plan.source))
        whole = _set_aside(shop, staged)
        _check_problems(shop, staged, whole)
        identity = digest([checksum(Path(file)) for table in SCHEMAS for file in staged.files(table)], sorted(whole))
    with shop.stage("curate"):
        placements, known = _earlier(shop)
        curated = _curated(shop, staged, identity, placements, known)
        for row in curated.dropped:
            shop.drop(*row)
    slugs = tuple(slug for slug in _in_order(staged) if slug not in curated.problems)
    if not slugs:
        see = f"see {shop.store.folder / 'dropped.jsonl'} and docs/curation.md"
        raise SourceError("no problem of the source is left", last_reason(shop.dropped), see)
    found = {"problems": staged.counts.problems + len(whole), "solutions": dict(staged.counts.languages)}
    return Ingested(staged, curated, slugs, found, digest(identity, placements, sorted(known)), placements)


# ------------------------------------------------------------------ reading


def _staged(shop: Workshop, chosen: Chosen) -> Staged:
    """Return the source on disk; what was staged of another source, or of this one before it changed, is removed."""
    plan, folder = shop.plan, shop.store.folder / WORK / "staging"
    here = folder / digest(__version__, chosen.source.name, chosen.location, plan.problems, _stamp(chosen))[:16]
    for other in folder.glob("*"):
        if other != here:
            shutil.rmtree(other, ignore_errors=True)
    wanted = _wanted(chosen.read(shop.languages), frozenset(plan.problems))
    return stage(_told(wanted, shop), here)


def _wanted(items: Iterable[Entry | SetAside], problems: Collection[str]) -> Iterator[Entry | SetAside]:
    for item in items:
        name = item.problem.slug if isinstance(item, Entry) else item.item.split("/")[0]
        if not problems or name in problems:
            yield item


def _told(items: Iterable[Entry | SetAside], shop: Workshop) -> Iterator[Entry | SetAside]:
    """Say how much was read; how much there is, a stream does not know."""
    for number, item in enumerate(items, 1):
        yield item
        if number % 100 == 0:
            shop.report(STAGE, number, number)


def _stamp(chosen: Chosen) -> list[Any]:
    """Return what changes when a source on this machine does: names, sizes and times of its files.

    A source on the Hub without a revision is read once for each output folder.
    """
    if chosen.location == "corpus":
        return _files(CORPUS)
    head, _, query = chosen.location.partition("?")
    places = [chosen.location, head, *(value for _, value in parse_qsl(query))]
    return [fact for place in dict.fromkeys(places) if place for fact in _files(Path(place).expanduser())]


def _files(place: Path) -> list[Any]:
    paths = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    stats = [(path, path.stat()) for path in paths if path.is_file()]
    return [[str(path), found.st_size, found.st_mtime_ns] for path, found in stats]


def _set_aside(shop: Workshop, staged: Staged) -> list[str]:
    """Drop what the reading did not take; returns the names of whole problems and rows among it."""
    slugs, whole = set(staged.slugs()), []
    for item, reason in staged.set_aside():
        head = item.split("/")[0]
        problem = head if head in slugs and head != item else item
        shop.drop(STAGE, problem, item, reason)
        if problem == item:
            whole.append(item)
    return whole


def _check_problems(shop: Workshop, staged: Staged, whole: Collection[str]) -> None:
    there = staged.slugs()
    unknown = sorted(set(shop.plan.problems) - {*there, *whole})
    if unknown:
        what = f"the source has no problem {', '.join(unknown)}"
        raise UsageError(
            what, f"looked for in {shop.plan.source}", "type: venus sources show SOURCE, or see the plan's key problems"
        )
    if not there:
        why = shop.dropped[0].reason if shop.dropped else "it is empty"
        raise SourceError(
            f"no problem of {shop.plan.source} can be read", why, "see docs/sources.md and docs/problems.md"
        )


def _in_order(staged: Staged) -> list[str]:
    found = []
    for file in staged.files("problems"):
        table = pq.read_table(file, columns=["problem_id", "slug"])
        found += list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return [slug for _, slug in sorted(found)]


# ------------------------------------------------------------------ curation before anything runs


def _earlier(shop: Workshop) -> tuple[dict[str, str] | None, list[Known]]:
    if not shop.plan.earlier:
        return None, []
    release = Path(shop.plan.earlier)
    manifest = release / MANIFEST
    return read_placements(manifest if manifest.is_file() else release), read_known(release)


def _curated(
    shop: Workshop, staged: Staged, identity: str, placements: dict[str, str] | None, known: Collection[Known]
) -> Curated:
    options = shop.plan.curation
    benchmarks = [_files(Path(path)) for each in options.benchmarks for path in sorted(glob(each.partition("=")[2]))]
    lexical = [[name, each.comments.pattern, each.strings.pattern] for name, each in sorted(shop.languages.items())]
    key = digest(__version__, identity, options, placements, sorted(known), benchmarks, lexical)
    found = shop.store.get("curate", key)
    if found is None:
        work = shop.store.folder / WORK / "tmp"
        curated = curate(staged, shop.languages, options, work, list(placements or {}), known)
        shop.store.put("curate", key, to_plain([list(row) for row in curated.dropped]))
        return curated
    rows = tuple(Dropped(*row) for row in found)
    problems = frozenset(row.problem for row in rows if row.item == row.problem)
    solutions = frozenset(Known(row.problem, row.item) for row in rows if row.item != row.problem)
    return Curated(rows, problems, solutions)
