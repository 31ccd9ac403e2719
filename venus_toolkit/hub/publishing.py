"""``venus publish``: one commit with data, card and manifest on top of the known parent, then a tag.

Every step looks first whether it is done already, so the same command, typed again after a failure anywhere, finishes
the same release. Nothing is sent before everything has been checked, and nothing else than that is tagged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import ConflictError, HubError
from venus_toolkit.hub.changes import Changes, Earlier, choose_version, find_changes
from venus_toolkit.hub.checks import Allowed, checks_of_card, checks_of_data, run_checks
from venus_toolkit.hub.faults import AGAIN
from venus_toolkit.hub.names import Version, parse_name, parse_version
from venus_toolkit.hub.remote import Committed, FileId, Point, Remote
from venus_toolkit.hub.sealed import Sealed, seal, seal_file, still_sealed
from venus_toolkit.hub.staging import CARD, VERSION, Rows, Stage, rows_of, staged
from venus_toolkit.release import Release, open_release
from venus_toolkit.store import MANIFEST, checksum

OURS = re.compile(r"(data|tests|derived|assets)/|dropped\.jsonl$|README\.md$|manifest\.json$")
TITLE = re.compile(r"Release (v\d+\.\d+\.\d+)\b")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """How to publish.

    version: what the user wants it to be; None: what the rule says. as_request: a pull request in place of a commit on
    the main branch; the tag follows when it is merged and the same command is typed again. supersede: go on though
    another release was committed and never tagged.
    """

    version: Version | None = None
    private: bool = False
    as_request: bool = False
    dry_run: bool = False
    supersede: bool = False
    allowed: Allowed = field(default_factory=Allowed)


@dataclass(frozen=True, slots=True)
class Published:
    """What was done, or would be.

    status: published, finished (committed earlier, tagged now), unchanged (it was all there), requested (there is a
    pull request), or planned (a dry run). Sizes are those of whole files: the Hub's storage takes only what is new
    inside of them.
    """

    name: str
    version: str
    status: str
    commit: str | None
    request: str
    level: str
    changes: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    bytes_to_send: int
    rows: Rows
    rows_before: Rows


class There(NamedTuple):
    """What the Hub has: the last commit with its files, the versions, and the last release; None: nothing yet."""

    head: Point | None
    files: Mapping[str, FileId]
    tags: Mapping[Version, str]
    earlier: Earlier | None

    @property
    def unfinished(self) -> str:
        """The tag that the last commit was to get and has not, or nothing."""
        found = TITLE.match(self.head.title) if self.head else None
        return found[1] if found and parse_version(found[1]) not in self.tags else ""


def publish(
    folder: Path, to: str, options: PublishOptions = PublishOptions(), progress: Progress = lambda *_: None
) -> Published:
    """Publish a release folder as a data set on the Hub.

    Args:
        folder: A finished release.
        to: ``owner/name``; without an owner it is the token's.
        options: How.
        progress: Is told a stage, how much of it is done, and how much there is.

    Raises:
        UsageError: The folder is no release, the name is none, or the version is not the right one.
        RefusedError: A check found something; nothing was sent.
        ConflictError: Somebody else published meanwhile; nothing was overwritten.
        HubError: The Hub refuses or cannot be reached.
        StoreError: This disk is full, or the folder cannot be written.
    """
    release, name = open_release(folder), parse_name(to).name
    remote = Remote(name)
    if not options.dry_run:
        remote.who()
    sealed = seal(release)
    run_checks(release, checks_of_data(), options.allowed, progress)
    there = look(remote)
    changes = find_changes(release, there.earlier)
    if there.earlier and (
        _is_published(release, sealed, remote, there.earlier) or _says_nothing_new(release, changes, there.earlier)
    ):
        return _unchanged(release, remote, there.earlier)
    version = choose_version(options.version, changes.level, there.tags, there.earlier and there.earlier.version)
    old_card = _card_to_keep(release, remote, there)
    with staged(release, sealed, remote.name, version, changes, there.earlier, old_card) as stage:
        run_checks(stage.release, checks_of_card(), options.allowed, progress)
        return _send(_Sending(release, stage, remote, there, version, changes, options, progress))


def look(remote: Remote) -> There:
    """Return what the Hub has of a data set.

    Raises:
        HubError: It cannot be reached.
    """
    head = remote.head()
    if head is None:
        return There(None, {}, {}, None)
    tags = remote.tags()
    earlier = None
    if tags:
        version, oid = next(iter(tags.items()))
        earlier = _earlier(remote, version, oid)
    return There(head, remote.files(head.oid), tags, earlier)


def _earlier(remote: Remote, version: Version, oid: str) -> Earlier | None:
    """Return the release of a tag, or None where the tag is none of ours."""
    if MANIFEST not in remote.files(oid):
        return None
    manifest: Any = json.loads(remote.fetch(MANIFEST, oid).read_text(encoding="utf-8"))
    return Earlier(version, oid, manifest, lambda path: remote.fetch(path, oid)) if "configs" in manifest else None


# ------------------------------------------------------------------ what is there already


def _is_published(release: Release, sealed: Mapping[str, Sealed], remote: Remote, earlier: Earlier) -> bool:
    """Return whether the last release is this very folder, card and manifest included."""
    there = remote.files(earlier.oid)
    mine = {name: each.content for name, each in sealed.items()}
    mine[MANIFEST] = seal_file(release.folder / MANIFEST).content
    return _same(mine, there)


def _says_nothing_new(release: Release, changes: Changes, earlier: Earlier) -> bool:
    """Return whether the data are those of the last release, and nobody has written in the card since."""
    untouched = release.manifest.get(VERSION) in (None, str(earlier.version))
    return not changes.level and untouched and not _written_here(release)


def _written_here(release: Release) -> bool:
    card = release.folder / CARD
    return card.is_file() and checksum(card) != release.manifest["files"].get(CARD)


def _same(mine: Mapping[str, FileId], there: Mapping[str, FileId]) -> bool:
    """Return whether the Hub has exactly these files, but for those that are none of ours."""
    ours = {name for name in there if OURS.match(name)}
    return ours == set(mine) and all(mine[name].same(there[name]) for name in ours)


def _unchanged(release: Release, remote: Remote, earlier: Earlier) -> Published:
    rows = rows_of(release)
    return Published(
        remote.name, str(earlier.version), "unchanged", earlier.oid, "", "", (), (), (), (), 0, rows, rows
    )  # fmt: skip


def _card_to_keep(release: Release, remote: Remote, there: There) -> str | None:
    """Return the Hub's card where somebody has written in it there; None: the folder's is the one to go on with.

    Raises:
        ConflictError: Somebody has written in both.
    """
    if there.head is None or CARD not in there.files or there.unfinished:
        return None
    if there.earlier and there.files[CARD].same(remote.files(there.earlier.oid)[CARD]):
        return None
    text = remote.fetch(CARD, there.head.oid).read_text(encoding="utf-8")
    mine = release.folder / CARD
    if _written_here(release) and mine.read_text(encoding="utf-8") != text:
        raise ConflictError(
            f"{CARD} was changed here and on the Hub",
            "neither change may be lost",
            f"write what is to stay of both into the Hub's card, then take {mine} from there",
        )
    return text


# ------------------------------------------------------------------ sending


class _Sending(NamedTuple):
    """All that the last steps need."""

    release: Release
    stage: Stage
    remote: Remote
    there: There
    version: Version
    changes: Changes
    options: PublishOptions
    progress: Progress


def _send(sending: _Sending) -> Published:
    stage, remote, there, options = sending.stage, sending.remote, sending.there, sending.options
    expected = stage.identities()
    plan = _plan(sending, expected)
    there_already = _find_committed(remote, expected, options.as_request)
    if options.dry_run:
        return plan
    if there.unfinished and there_already is None and not options.supersede:
        raise ConflictError(
            f"{remote.name} has an unfinished release {there.unfinished} with other content",
            "somebody is publishing it just now, or gave up; nothing was overwritten",
            "wait for it, or finish it from its own folder; to leave it behind: --supersede",
        )
    still_sealed(stage.sealed)
    stage.keep(sending.release.folder)
    committed = there_already or _commit(sending, plan, expected)
    status = "finished" if there_already else "published"
    _verify(remote, committed.oid, expected)
    if options.as_request:
        return replace(plan, status="requested", commit=committed.oid, request=committed.request)
    remote.tag(sending.version, committed.oid, "\n".join(sending.changes.lines))
    return replace(plan, status=status, commit=committed.oid)


def _plan(sending: _Sending, expected: Mapping[str, FileId]) -> Published:
    there = sending.there.files
    added = tuple(sorted(expected.keys() - there.keys()))
    changed = tuple(sorted(name for name in expected.keys() & there.keys() if not expected[name].same(there[name])))
    deleted = tuple(sorted(name for name in there.keys() - expected.keys() if OURS.match(name)))
    return Published(
        name=sending.remote.name,
        version=str(sending.version),
        status="planned",
        commit=None,
        request="",
        level=sending.changes.level,
        changes=sending.changes.lines,
        added=added,
        changed=changed,
        deleted=deleted,
        bytes_to_send=sum(expected[name].size for name in (*added, *changed)),
        rows=rows_of(sending.release),
        rows_before=_rows_before(sending.there.earlier),
    )


def _rows_before(earlier: Earlier | None) -> Rows:
    log = earlier.manifest.get("changes", []) if earlier else []
    rows: Rows = log[0].get("rows", {}) if log else {}
    return rows


def _commit(sending: _Sending, plan: Published, expected: Mapping[str, FileId]) -> Committed:
    remote, options = sending.remote, sending.options
    if sending.there.head is None:
        remote.create(options.private)
    head = sending.there.head or remote.head()
    if head is None:
        raise HubError(f"cannot publish {remote.name}", "it was created and cannot be seen", AGAIN)
    contents = {
        name: content for name, content in sending.stage.contents().items() if name in (*plan.added, *plan.changed)
    }
    sent = 0

    def tell(size: int) -> None:
        nonlocal sent
        sent += size
        sending.progress("send (KiB)", sent // 1024, plan.bytes_to_send // 1024)

    remote.upload(contents, options.as_request, tell)
    still_sealed(sending.stage.sealed)
    return remote.commit(
        f"Release {sending.version.tag}",
        contents,
        plan.deleted,
        head.oid,
        options.as_request,
        lambda: _find_committed(remote, expected, options.as_request),
    )


def _find_committed(remote: Remote, expected: Mapping[str, FileId], as_request: bool) -> Committed | None:
    """Return the commit that holds this release already: the head of the main branch, or of a pull request."""
    head = remote.head()
    if head is None:
        return None
    if _same(expected, remote.files(head.oid)):
        return Committed(head.oid)
    if as_request:
        for ref, oid in remote.requests().items():
            if _same(expected, remote.files(oid)):
                return Committed(oid, remote.request_url(ref))
    return None


def _verify(remote: Remote, oid: str, expected: Mapping[str, FileId]) -> None:
    """Check that what arrived is what was checked; only then it gets its tag."""
    if not _same(expected, remote.files(oid)):
        what = f"{remote.name} at {oid[:7]} is not what was checked"
        raise HubError(what, "a file changed while it was sent; the commit has no tag", AGAIN)
