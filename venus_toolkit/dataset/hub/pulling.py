"""``venus pull`` and ``venus releases``: the versions of a data set.

One of them as a folder, every file verified.

A pull that was stopped resumes: files that are there and right are not requested again, and of a
file that was cut off only the rest is.
"""

from __future__ import annotations

import json
import shutil
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import HubError, ReleaseError, StoreError, UsageError
from venus_toolkit.core.store import MANIFEST, checksum, explained
from venus_toolkit.core.untrusted.beneath import refusal
from venus_toolkit.dataset.hub.repository import AGAIN, Progress, Repository
from venus_toolkit.dataset.hub.versions import Version, parse_name
from venus_toolkit.dataset.release import Release, open_release


class Pulled(NamedTuple):
    """A version on this disk. fetched: how many files were not there yet."""

    name: str
    version: str
    commit: str
    folder: Path
    fetched: int


class Listed(NamedTuple):
    """A version: its commit, when it was published, its rows and its change log.

    None and empty where not recorded.
    """

    version: str
    commit: str
    date: str | None
    rows: dict[str, dict[str, int]]
    changes: tuple[str, ...]


def list_releases(text: str) -> list[Listed]:
    """Return the versions of a data set, the newest first.

    The change log of the newest version describes all of them, so only one small file is pulled.

    Raises:
        UsageError: The name is invalid.
        HubError: The data set does not exist, or the Hub cannot be reached.
    """
    repository = Repository(parse_name(text).name)
    tags = repository.tags()
    manifest = (repository.manifest(next(iter(tags.values()))) if tags else None) or {}
    log = {entry["version"]: entry for entry in manifest.get("changes", [])}
    entries = {version: log.get(str(version), {}) for version in tags}
    return [
        Listed(
            version=str(version),
            commit=tags[version],
            date=entry.get("date"),
            rows=entry.get("rows", {}),
            changes=tuple(entry.get("text", ())),
        )
        for version, entry in entries.items()
    ]


def pull(text: str, out: Path | None = None, progress: Progress = lambda *_: None) -> Pulled:
    """Get ``owner/name@version`` into a folder, or into the Hub's cache on this machine.

    By default the newest version.

    `progress` is called with a stage, its finished amount, and its total.

    Raises:
        UsageError: The name is invalid, the version does not exist, or the folder holds
            something else.
        HubError: The Hub refuses or cannot be reached, or a file does not arrive as the manifest
            says.
        StoreError: This disk is full, or the folder cannot be written.
    """
    named = parse_name(text)
    repository = Repository(named.name)
    tags = repository.tags()
    if not tags:
        reason = "none was published with venus publish"
        raise UsageError(f"{repository.name} has no version", reason, "check the name")
    version = named.version or max(tags)
    if version not in tags:
        complaint = f"{repository.name} has no version {version}"
        raise UsageError(
            complaint, f"it has {', '.join(map(str, tags))}", f"venus releases {repository.name}"
        )
    oid = tags[version]
    manifest = _manifest(repository, oid, version)
    files: dict[str, str] = manifest["files"]
    # Two releases are not mixed in one folder, nor is one written into a folder with other things.
    leftovers = ".cache"  # huggingface_hub's notes on a folder that it downloads into
    if out is not None:
        there = {path.name for path in out.iterdir()} if out.is_dir() else set()
        # Some files of this release and the notes of huggingface_hub are what a stopped pull
        # leaves.
        others = there - {MANIFEST, leftovers, *(name.split("/")[0] for name in files)}
        if others:
            reason = f"it holds {', '.join(sorted(others)[:3])}"
            raise UsageError(f"{out} cannot hold this release", reason, "choose another --out")
        if (out / MANIFEST).is_file() and json.loads(
            (out / MANIFEST).read_text(encoding="utf-8")
        ) != manifest:
            raise UsageError(
                f"{out} holds another release", f"its {MANIFEST} differs", "choose another --out"
            )
    fetched = 0
    for number, (name, expected) in enumerate(sorted(files.items())):
        progress("files", number, len(files))
        with doing(name):
            fetched += _fetch(repository, name, oid, out, expected)
    progress("files", len(files), len(files))
    folder = repository.fetch(MANIFEST, oid, out).parent  # last: a folder with a manifest is whole
    if out is not None:
        shutil.rmtree(out / leftovers, ignore_errors=True)
    return Pulled(repository.name, str(version), oid, folder, fetched)


def locate(text: str | Path) -> Release:
    """Return the release in a folder, or ``owner/name@version`` pulled into the cache.

    Raises:
        ReleaseError: The text is a path and not a folder, or the folder is not a release.
        UsageError: It is neither a folder nor a name, or the version does not exist.
        HubError: The Hub refuses or cannot be reached.
        StoreError: This disk is full.
    """
    folder = Path(text).expanduser()
    if folder.exists():
        return open_release(folder)
    beside = [release.parent for release in sorted(folder.parent.glob(f"*/{MANIFEST}"))]
    near = [
        folder.parent / name
        for name in get_close_matches(folder.name, [release.name for release in beside], 3)
    ]
    # What is written as a path is one even if it is missing, and so is what lies in a folder that
    # is here or is called almost like a release here: the Hub is not asked for a name that was
    # mistyped.
    here = isinstance(text, Path) or str(text).startswith((".", "/", "~")) or len(folder.parts) > 2
    listed = near or beside
    reason = "there is no such folder" + (
        f"; near it are {', '.join(map(str, listed[:3]))}" if listed else ""
    )
    no_folder = (
        f"{text} is not a release",
        reason,
        "name the folder of a release, or one on the Hub: owner/name",
    )
    if here or (
        "@" not in str(text) and (near or (len(folder.parts) == 2 and folder.parent.is_dir()))
    ):
        raise ReleaseError(*no_folder)
    try:
        return open_release(pull(str(text)).folder)
    except HubError as error:
        # One word is the name of a folder, or of a data set of the token's owner. Where neither is
        # there, a folder was meant: typing the same again would not help.
        if not {"/", "@"} & set(str(text)):
            complaint, reason, fix = no_folder
            raise ReleaseError(complaint, f"{reason}, and on the Hub: {error.what}", fix) from error
        complaint = f"{text} is not a folder, and cannot be read from the Hub"
        raise HubError(
            complaint, error.why, f"check the path; if it is a name on the Hub, {error.fix}"
        ) from error


def _manifest(repository: Repository, oid: str, version: Version) -> dict[str, Any]:
    complaint = f"{repository.name} {version} is not a release of this toolkit"
    try:
        manifest: dict[str, Any] | None = repository.manifest(oid)
    except ValueError as error:
        raise UsageError(
            complaint, f"its {MANIFEST} is not JSON: {error}", "ask its owner"
        ) from error
    if manifest is None:
        raise UsageError(complaint, f"it has no {MANIFEST}", "read it with load_dataset")
    # Anybody can publish a manifest: its names are paths that will be written to.
    for name in manifest.get("files", {}):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UsageError(
                complaint,
                f"its {MANIFEST} names {name}, which lies outside of it",
                "do not trust it",
            )
    return manifest


def _fetch(repository: Repository, name: str, oid: str, out: Path | None, expected: str) -> bool:
    """Get a file unless it is there; returns whether it had to be downloaded.

    Raises:
        HubError: It does not arrive as the manifest says, twice.
        UsageError: A link in `out` leads to another folder.
    """
    if out is not None and (reason := refusal(out / name, out)):
        raise UsageError(f"{out / name} is not written", reason, "choose another --out")
    if out is not None and _matches(out / name, expected):
        return False
    for _ in range(2):  # once more where the cache holds a damaged file
        file = repository.fetch(name, oid, out)
        if _matches(file, expected):
            return True
        with explained(f"cannot write {file}"):
            file.resolve().unlink(missing_ok=True)  # in the cache the file is a link to its content
            file.unlink(missing_ok=True)
    complaint = f"{name} of {repository.name} is not what its manifest says"
    raise HubError(
        complaint, "its SHA-256 differs, also after a second download", f"ask its owner; {AGAIN}"
    )


def _matches(file: Path, expected: str) -> bool:
    try:
        return file.is_file() and checksum(file) == expected
    except OSError as error:
        raise StoreError(
            f"{file} cannot be read", error.strerror or str(error), "make it readable"
        ) from error
