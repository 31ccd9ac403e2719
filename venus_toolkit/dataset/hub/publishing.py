"""``venus publish``: one commit with data, card and manifest on the known parent, then a tag.

Each step first checks whether it is already done, so rerunning the command after any failure
finishes the same release. Nothing is sent before all checks have passed, and only checked content
gets a tag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import ConflictError, HubError
from venus_toolkit.core.store import MANIFEST, checksum
from venus_toolkit.dataset.hub.changes import (
    Changes,
    PreviousRelease,
    choose_version,
    find_changes,
)
from venus_toolkit.dataset.hub.release_checks import (
    CHECKS_OF_CARD,
    CHECKS_OF_DATA,
    Allowed,
    run_checks,
)
from venus_toolkit.dataset.hub.repository import AGAIN, Commit, Progress, Repository, unreachable
from venus_toolkit.dataset.hub.snapshots import (
    FileDigest,
    Snapshot,
    ensure_unchanged,
    holds_exactly,
    snapshot_file,
    snapshot_release,
)
from venus_toolkit.dataset.hub.staged_release import (
    StagedRelease,
    finish_keeping,
    rows_of,
    staged,
)
from venus_toolkit.dataset.hub.versions import Version, parse_name, parse_version
from venus_toolkit.dataset.release import ASSETS, CARD, DERIVED, SHARED, Release, open_release

OURS = re.compile(
    rf"(data|{'|'.join(SHARED)}|{DERIVED}|{ASSETS})/.*|dropped\.jsonl|README\.md|croissant\.json|manifest\.json"
)


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """Options of `publish`."""

    version: Version | None = None  # chosen by the user; None: computed from the changes
    private: bool = False
    # Open a pull request instead of committing to the main branch. After it is merged, the same
    # command without this option sets the tag.
    as_request: bool = False
    dry_run: bool = False
    supersede: bool = False  # publish although another release was committed and never tagged
    allowed: Allowed = field(default_factory=Allowed)


@dataclass(frozen=True, slots=True)
class Published:
    """The result of `publish`, or of its dry run."""

    name: str
    version: str
    # published, finished (committed earlier, tagged now), unchanged (it was all there), requested
    # (there is a pull request), or planned (a dry run)
    status: str
    commit: str | None = None
    request: str = ""
    level: str = ""
    changes: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    # total size of new and changed files; the Hub's storage transfers only their new parts
    bytes_to_send: int = 0
    # config to split to number of rows
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    rows_before: dict[str, dict[str, int]] = field(default_factory=dict)
    # Why a dry run could not reach the Hub, and so compared with nothing.
    offline: str = ""


class RemoteState(NamedTuple):
    """The repository on the Hub: last commit with its files, versions, and previous release.

    `head` is None if the repository does not exist.
    """

    head: Commit | None
    files: Mapping[str, FileDigest]
    tags: Mapping[Version, str]
    previous: PreviousRelease | None

    @property
    def unfinished(self) -> str:
        """The tag that the last commit should have and lacks, or an empty string."""
        # The title distinguishes a release that was stopped before its tag from other commits.
        match = re.match(r"Release (v\d+\.\d+\.\d+)\b", self.head.title) if self.head else None
        return match[1] if match and parse_version(match[1]) not in self.tags else ""


NOTHING_THERE = RemoteState(head=None, files={}, tags={}, previous=None)


def publish(
    folder: Path,
    to: str,
    options: PublishOptions = PublishOptions(),
    progress: Progress = lambda *_: None,
) -> Published:
    """Publish the finished release in a folder as the data set ``owner/name``.

    A name without an owner belongs to the owner of the token. A dry run without the Hub describes
    a first release.

    `progress` is called with a stage, its finished amount, and its total.

    Raises:
        UsageError: The folder is not a release, or the name or the version is wrong.
        RefusedError: A check found something; nothing was sent.
        ConflictError: Another user published meanwhile; nothing was overwritten.
        HubError: The Hub refuses, or cannot be reached and this is not a dry run.
        StoreError: This disk is full, or the folder cannot be written.
    """
    offline = ""
    name = parse_name(to).name
    try:
        repository = Repository(name)
    except HubError as error:
        if not (options.dry_run and unreachable(error)):
            raise
        offline, repository = error.why, Repository(f"OWNER/{name}")
    finish_keeping(folder)
    release = open_release(folder)
    if not options.dry_run:
        repository.who()  # reports a missing token before the checks, which take minutes
    snapshots = snapshot_release(release)
    run_checks(release, CHECKS_OF_DATA, options.allowed, progress)
    state = NOTHING_THERE
    try:
        state = state if offline else _look(repository)
    except HubError as error:
        if not (options.dry_run and unreachable(error)):
            raise
        offline = error.why
    previous = state.previous
    changes = find_changes(release, previous)
    if previous and _is_published(release, snapshots, changes, repository, previous):
        rows = rows_of(release)
        return Published(
            repository.name,
            str(previous.version),
            "unchanged",
            commit=previous.oid,
            rows=rows,
            rows_before=rows,
        )
    version = choose_version(
        options.version, changes.level, state.tags, previous and previous.version
    )
    old_card = _card_to_keep(release, repository, state)
    with staged(release, snapshots, repository.name, version, changes, previous, old_card) as stage:
        run_checks(stage.release, CHECKS_OF_CARD, options.allowed, progress)
        plan = _plan(stage, repository.name, version, changes, state)
        return (
            replace(plan, offline=offline)
            if options.dry_run
            else _send(folder, stage, repository, state, plan, options, progress)
        )


def _look(repository: Repository) -> RemoteState:
    """Return the state of a data set on the Hub."""
    head = repository.head()
    if head is None:
        return NOTHING_THERE
    tags = repository.tags()
    previous = None
    if tags:
        version, oid = next(iter(tags.items()))
        manifest = repository.manifest(oid) or {}
        if "configs" in manifest:  # else this toolkit did not set the tag
            previous = PreviousRelease(
                version, oid, manifest, lambda path: repository.fetch(path, oid)
            )
    return RemoteState(head=head, files=repository.files(head.oid), tags=tags, previous=previous)


def _is_published(
    release: Release,
    snapshots: Mapping[str, Snapshot],
    changes: Changes,
    repository: Repository,
    previous: PreviousRelease,
) -> bool:
    """Return whether the release is published already.

    Either the previous release equals this folder, card and manifest included; or it has the same
    data, and the card was not edited since.
    """
    mine = {name: snapshot.digest for name, snapshot in snapshots.items()}
    mine[MANIFEST] = snapshot_file(release.folder / MANIFEST).digest
    if holds_exactly(mine, repository.files(previous.oid), OURS):
        return True
    untouched = release.manifest.get("version") in (None, str(previous.version))
    return not changes.level and untouched and not _was_edited(release)


def _was_edited(release: Release) -> bool:
    card = release.folder / CARD
    return card.is_file() and checksum(card) != release.manifest["files"].get(CARD)


def _card_to_keep(release: Release, repository: Repository, state: RemoteState) -> str | None:
    """Return the Hub's card if it was edited there, else None.

    Raises:
        ConflictError: Both cards were edited.
    """
    # The card of an unfinished release differs from the last one because it was rendered anew, not
    # by hand.
    if state.head is None or CARD not in state.files or state.unfinished:
        return None
    if state.previous and state.files[CARD].same(repository.files(state.previous.oid)[CARD]):
        return None
    text = repository.fetch(CARD, state.head.oid).read_text(encoding="utf-8")
    mine = release.folder / CARD
    if _was_edited(release) and mine.read_text(encoding="utf-8") != text:
        raise ConflictError(
            f"{CARD} was changed here and on the Hub",
            "publishing would lose one of the changes",
            f"merge both into the Hub's card, then replace {mine} by it",
        )
    return text


def _plan(
    stage: StagedRelease, name: str, version: Version, changes: Changes, state: RemoteState
) -> Published:
    mine, there = stage.digests(), state.files
    added = tuple(sorted(mine.keys() - there.keys()))
    changed = tuple(
        sorted(file for file in mine.keys() & there.keys() if not mine[file].same(there[file]))
    )
    log = state.previous.manifest.get("changes", []) if state.previous else []
    return Published(
        name=name,
        version=str(version),
        status="planned",
        level=changes.level,
        changes=changes.lines,
        added=added,
        changed=changed,
        deleted=tuple(sorted(file for file in there.keys() - mine.keys() if OURS.fullmatch(file))),
        bytes_to_send=sum(mine[file].size for file in (*added, *changed)),
        rows=rows_of(stage.release),
        rows_before=log[0].get("rows", {}) if log else {},
    )


def _send(
    folder: Path,
    stage: StagedRelease,
    repository: Repository,
    state: RemoteState,
    plan: Published,
    options: PublishOptions,
    progress: Progress,
) -> Published:
    """Commit what the Hub lacks, verify that it arrived as it was checked, and tag it."""
    digests = stage.digests()

    def find() -> Commit | None:
        """Return the main-branch or pull-request commit that already holds this release."""
        head = repository.head()
        candidates = (
            [head, *(repository.pull_requests() if options.as_request else ())] if head else []
        )
        return next(
            (
                candidate
                for candidate in candidates
                if holds_exactly(digests, repository.files(candidate.oid), OURS)
            ),
            None,
        )

    # Checked first, because an unfinished release with this content is finished, not refused.
    there_already = find()
    if state.unfinished and there_already is None and not options.supersede:
        raise ConflictError(
            f"{repository.name} has an unfinished release {state.unfinished} with other content",
            "another user is publishing it now, or gave up; nothing was overwritten",
            "wait for it, or finish it from its folder; to abandon it, add --supersede",
        )
    ensure_unchanged(stage.data)
    # Before anything is sent, so that rerunning the command after a failure finds the same bytes.
    stage.keep(folder)
    version, contents = parse_version(plan.version), stage.contents()
    commit = there_already or repository.commit(
        f"Release {version.tag}",
        {name: contents[name] for name in (*plan.added, *plan.changed)},
        plan.deleted,
        head=state.head,
        find=find,
        private=options.private,
        as_request=options.as_request,
        progress=progress,
        last_check=lambda: ensure_unchanged(stage.data),
    )
    if not holds_exactly(digests, repository.files(commit.oid), OURS):
        complaint = f"{repository.name} at {commit.oid[:7]} is not what was checked"
        raise HubError(complaint, "a file changed while it was sent; the commit has no tag", AGAIN)
    if options.as_request:
        return replace(plan, status="requested", commit=commit.oid, request=commit.pull_request)
    repository.tag(version, commit.oid, "\n".join(plan.changes))
    return replace(plan, status="finished" if there_already else "published", commit=commit.oid)
