"""Stages the source on disk, once, and drops items that can be ruled out without a run."""

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
    """The staged and curated source of a build.

    Attributes:
        staged: The source on disk.
        curated: The problems and solutions that curation drops.
        slugs: The remaining problems, by problem_id.
        counts: The number of problems and, by language, of solutions before curation.
        identity: A digest of the staged source and of the earlier release.
        placements: The splits of an earlier release; None if the plan names none.
    """

    staged: StagedSource
    curated: CurationResult
    slugs: tuple[str, ...]
    counts: dict[str, Any]
    identity: str
    placements: dict[str, str] | None

    def entries(self, slugs: Iterable[str]) -> list[Entry]:
        """Return the curated entries of problems, without those that curation drops."""
        curated = (self.curated.keep(self.staged.entry(slug)) for slug in slugs)
        return [entry for entry in curated if entry]


def ingest(context: BuildContext) -> IngestedSource:
    """Stage the source and curate it, unless an earlier build has done so.

    Raises:
        UsageError: The plan names a problem that the source does not have, or a benchmark or a
            release that does not exist.
        SourceError: No problem can be read, or curation drops all of them.
        StoreError: The disk is full.
    """
    with context.stage(STAGE):
        staged = _stage_source(context, choose_source(context.plan.source))
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
        curated = _curate(context, staged, identity, placements, known)
        for row in curated.dropped:
            context.drop(*row)
    ids = pq.read_table(staged.file("problems"), columns=["problem_id", "slug"])
    # Sorted, so that a release does not depend on the order of the source.
    ordered = ids.sort_by("problem_id")["slug"].to_pylist()
    slugs = tuple(slug for slug in ordered if slug not in curated.problems)
    if not slugs:
        see = f"see {context.store.folder / context.reasons_of_failure} and docs/curation.md"
        raise SourceError("no problem of the source is left", last_reason(context.dropped), see)
    return IngestedSource(
        staged=staged,
        curated=curated,
        slugs=slugs,
        counts={
            "problems": staged.counts.problems + len(rejected),
            "solutions": dict(staged.counts.languages),
        },
        identity=digest(identity, placements, sorted(known)),
        placements=placements,
    )


def _stage_source(context: BuildContext, source: ProblemSource) -> StagedSource:
    """Return the source on disk, and remove other sources and earlier versions of this one."""
    selected, folder = context.plan.problems, context.store.folder / WORK / "staging"
    # The file stamps change with a source on this machine. A source on the Hub has no files here,
    # so without a revision it is read once for each output folder.
    head, _, query = source.location.partition("?")
    paths = [source.location, head, *(value for _, value in parse_qsl(query))]
    places = (
        [CORPUS]
        if source.location == "corpus"
        else [Path(path).expanduser() for path in paths if path]
    )
    stamp = [fact for place in dict.fromkeys(places) for fact in _file_stamps(place)]
    current = folder / digest(__version__, source.name, source.location, selected, stamp)[:16]
    for other in folder.glob("*"):
        if other != current:
            shutil.rmtree(other, ignore_errors=True)

    def items() -> Iterator[Entry | Rejected]:
        number = 0
        for item in source.read(context.languages):
            # The item of a rejection is PROBLEM or PROBLEM/PART.
            name = item.problem.slug if isinstance(item, Entry) else item.item.split("/")[0]
            if not selected or name in selected:
                yield item
                number += 1
                if number % 100 == 0:
                    # The total of a stream is unknown.
                    context.report(STAGE, number, number)

    return stage(items(), current)


def _file_stamps(place: Path) -> list[Any]:
    """Return name, size and modification time in ns of each file at or below a path."""
    paths = (
        sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    )
    stats = [(path, path.stat()) for path in paths if path.is_file()]
    return [[str(path), stat.st_size, stat.st_mtime_ns] for path, stat in stats]


def _drop_rejected(context: BuildContext, staged: StagedSource) -> list[str]:
    """Drop the items that the reader rejected; return those that are whole problems or rows."""
    slugs, whole = set(staged.slugs()), []
    for item, reason in staged.rejected():
        head = item.split("/")[0]
        # A rejected part of a problem in the source belongs to that problem.
        problem = head if head in slugs and head != item else item
        context.drop(STAGE, problem, item, reason)
        if problem == item:
            whole.append(item)
    return whole


def _check_problems(context: BuildContext, staged: StagedSource, rejected: Collection[str]) -> None:
    source, available = context.plan.source, staged.slugs()
    unknown = sorted(set(context.plan.problems) - {*available, *rejected})
    if unknown:
        # Only the problems in the plan are staged, so names like a mistyped one need another read.
        items = choose_source(source).read(context.languages)
        names = [item.problem.slug for item in islice(items, 10_000) if isinstance(item, Entry)]
        see = (
            nearest(unknown[0], names)
            + f"type: venus sources show {source}, or see the plan's key problems"
        )
        raise UsageError(
            f"the source has no problem {', '.join(unknown)}", f"looked for in {source}", see
        )
    if not available:
        reason = context.dropped[0].reason if context.dropped else "it is empty"
        raise SourceError(
            f"no problem of {source} can be read",
            reason,
            "see docs/sources.md and docs/problems.md",
        )


def _curate(
    context: BuildContext,
    staged: StagedSource,
    identity: str,
    placements: dict[str, str] | None,
    known: Collection[SolutionKey],
) -> CurationResult:
    """Return the problems and solutions that curation drops.

    It is not a `Step`, because it needs all problems at once and runs before there is an executor.
    """
    options = context.plan.curation
    benchmarks = [
        _file_stamps(Path(path))
        for benchmark in options.benchmarks
        for path in sorted(glob(benchmark.partition("=")[2]))
    ]
    lexical = [
        [name, language.comments.pattern, language.strings.pattern]
        for name, language in sorted(context.languages.items())
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
