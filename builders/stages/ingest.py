"""Reads the source onto disk, once, and drops what nobody needs to run to know that it is not wanted."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from glob import glob
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import pyarrow.parquet as pq

from venus_toolkit.builders.curation import CurationResult, curate
from venus_toolkit.builders.curation.duplicates import SolutionKey
from venus_toolkit.builders.curation.placement import read_known, read_placements
from venus_toolkit.builders.sources import Entry, ProblemSource, Rejected, choose_source
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.builders.stages.build_context import BuildContext
from venus_toolkit.builders.staging import SCHEMAS, StagedSource, stage
from venus_toolkit.core import __version__
from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import digest, to_plain
from venus_toolkit.core.store import WORK, checksum
from venus_toolkit.dataset.funnel import Dropped, last_reason

STAGE = "ingest"


class IngestedSource(NamedTuple):
    """What is to be worked on.

    slugs are the problems that are kept so far, by problem_id; found is how many problems and
    solutions (by language) there were; identity is a digest of all that was read; placements are
    those of an earlier release, None where the plan names none.
    """

    staged: StagedSource
    curated: CurationResult
    slugs: tuple[str, ...]
    found: dict[str, Any]
    identity: str
    placements: dict[str, str] | None

    def entries(self, slugs: Iterable[str]) -> list[Entry]:
        """Return the entries of problems that are kept, with the solutions that are kept."""
        kept = (self.curated.keep(self.staged.entry(slug)) for slug in slugs)
        return [entry for entry in kept if entry]


def ingest(context: BuildContext) -> IngestedSource:
    """Stage the source and curate it, or find that this was done.

    Raises:
        UsageError: The plan names a problem that the source does not have, a benchmark or a release
            that is not there.
        SourceError: Nothing of the source can be read.
        StoreError: There is no room.
    """
    with context.stage(STAGE):
        staged = _staged(context, choose_source(context.plan.source))
        rejected = _drop_rejected(context, staged)
        _check_problems(context, staged, rejected)
        identity = digest(
            [checksum(Path(staged.file(table))) for table in SCHEMAS], sorted(rejected)
        )
    with context.stage("curate"):
        placements: dict[str, str] | None = None
        known: list[SolutionKey] = []
        if context.plan.earlier:
            release = Path(context.plan.earlier)
            placements = read_placements(release)
            known = read_known(release)
        curated = _curated(context, staged, identity, placements, known)
        for row in curated.dropped:
            context.drop(*row)
    ids = pq.read_table(staged.file("problems"), columns=["problem_id", "slug"])
    # By id, not as the source has them: a release does not depend on that order.
    ordered = ids.sort_by("problem_id")["slug"].to_pylist()
    slugs = tuple(slug for slug in ordered if slug not in curated.problems)
    if not slugs:
        see = f"see {context.store.folder / context.reasons_of_failure} and docs/curation.md"
        raise SourceError("no problem of the source is left", last_reason(context.dropped), see)
    return IngestedSource(
        staged=staged,
        curated=curated,
        slugs=slugs,
        found={
            "problems": staged.counts.problems + len(rejected),
            "solutions": dict(staged.counts.languages),
        },
        identity=digest(identity, placements, sorted(known)),
        placements=placements,
    )


def _staged(context: BuildContext, chosen: ProblemSource) -> StagedSource:
    """Return the source on disk; what was staged of another source, or of this one before it changed, is removed."""
    wanted, folder = context.plan.problems, context.store.folder / WORK / "staging"
    # What changes when a source on this machine does. A source on the Hub has no files here:
    # without a revision it is read once for each output folder.
    head, _, query = chosen.location.partition("?")
    paths = [chosen.location, head, *(value for _, value in parse_qsl(query))]
    places = (
        [CORPUS]
        if chosen.location == "corpus"
        else [Path(path).expanduser() for path in paths if path]
    )
    stamp = [fact for place in dict.fromkeys(places) for fact in _files(place)]
    here = folder / digest(__version__, chosen.name, chosen.location, wanted, stamp)[:16]
    for other in folder.glob("*"):
        if other != here:
            shutil.rmtree(other, ignore_errors=True)

    def items() -> Iterator[Entry | Rejected]:
        number = 0
        for item in chosen.read(context.languages):
            # What was rejected is called PROBLEM or PROBLEM/PART.
            name = item.problem.slug if isinstance(item, Entry) else item.item.split("/")[0]
            if not wanted or name in wanted:
                yield item
                number += 1
                if number % 100 == 0:
                    # how much there is, a stream does not know
                    context.report(STAGE, number, number)

    return stage(items(), here)


def _files(place: Path) -> list[Any]:
    """Return names, sizes and times of the files at a place."""
    paths = (
        sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    )
    stats = [(path, path.stat()) for path in paths if path.is_file()]
    return [[str(path), found.st_size, found.st_mtime_ns] for path, found in stats]


def _drop_rejected(context: BuildContext, staged: StagedSource) -> list[str]:
    """Drop what the reading did not take; returns the names of whole problems and rows among it."""
    slugs, whole = set(staged.slugs()), []
    for item, reason in staged.rejected():
        head = item.split("/")[0]
        # A part of a problem that was read is that problem's loss; anything else was not read at
        # all.
        problem = head if head in slugs and head != item else item
        context.drop(STAGE, problem, item, reason)
        if problem == item:
            whole.append(item)
    return whole


def _check_problems(context: BuildContext, staged: StagedSource, rejected: Collection[str]) -> None:
    source, there = context.plan.source, staged.slugs()
    unknown = sorted(set(context.plan.problems) - {*there, *rejected})
    if unknown:
        # Only the problems that were asked for are staged; a mistyped one is worth a second look.
        read = choose_source(source).read(context.languages)
        names = [item.problem.slug for item in islice(read, 10_000) if isinstance(item, Entry)]
        see = (
            nearest(unknown[0], names)
            + f"type: venus sources show {source}, or see the plan's key problems"
        )
        raise UsageError(
            f"the source has no problem {', '.join(unknown)}", f"looked for in {source}", see
        )
    if not there:
        why = context.dropped[0].reason if context.dropped else "it is empty"
        raise SourceError(
            f"no problem of {source} can be read", why, "see docs/sources.md and docs/problems.md"
        )


def _curated(
    context: BuildContext,
    staged: StagedSource,
    identity: str,
    placements: dict[str, str] | None,
    known: Collection[SolutionKey],
) -> CurationResult:
    """Return what curation drops.

    No step, for it works on all problems at once, before there is an executor.
    """
    options = context.plan.curation
    benchmarks = [
        _files(Path(path))
        for each in options.benchmarks
        for path in sorted(glob(each.partition("=")[2]))
    ]
    lexical = [
        [name, each.comments.pattern, each.strings.pattern]
        for name, each in sorted(context.languages.items())
    ]

    key = digest(
        "curate", __version__, identity, options, placements, sorted(known), benchmarks, lexical
    )
    rows = context.store.get("curate", key)
    if rows is None:
        curated = curate(
            staged, context.languages, options, context.scratch, list(placements or {}), known
        )
        rows = to_plain([list(row) for row in curated.dropped])
        context.store.put("curate", key, rows)
    return CurationResult(tuple(Dropped(*row) for row in rows))
