"""``venus pull``: a version of a data set as a folder on this disk, every file verified; and where a release lies.

A pull that was stopped goes on where it was: files that are there and right are not asked for again, and of one that is
cut off only the rest is.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import HubError, StoreError, UsageError
from venus_toolkit.hub.faults import AGAIN
from venus_toolkit.hub.names import Version, parse_name
from venus_toolkit.hub.remote import Remote
from venus_toolkit.release import Release, open_release
from venus_toolkit.store import MANIFEST, checksum, explained

Progress = Callable[[str, int, int], None]
HF_LEFTOVERS = ".cache"  # huggingface_hub's notes on a folder that it downloads into


class Pulled(NamedTuple):
    """A version on this disk. fetched: how many files were not there yet."""

    name: str
    version: str
    commit: str
    folder: Path
    fetched: int


def pull(text: str, out: Path | None = None, progress: Progress = lambda *_: None) -> Pulled:
    """Get a version of a data set.

    Args:
        text: ``owner/name@version``; without a version it is the newest.
        out: The folder it is written into; None: the Hub's cache on this machine.
        progress: Is told a stage, how much of it is done, and how much there is.

    Raises:
        UsageError: The name is none, there is no such version, or the folder holds something else.
        HubError: The Hub refuses or cannot be reached, or a file does not arrive as the manifest says.
        StoreError: This disk is full, or the folder cannot be written.
    """
    named = parse_name(text)
    remote = Remote(named.name)
    version, oid = _choose(remote, named.version)
    manifest = _manifest(remote, oid, version)
    if out is not None:
        _refuse_other(out, manifest)
    files: dict[str, str] = manifest["files"]
    fetched = 0
    for number, (name, expected) in enumerate(sorted(files.items())):
        progress("files", number, len(files))
        fetched += _fetch(remote, name, oid, out, expected)
    progress("files", len(files), len(files))
    folder = remote.fetch(MANIFEST, oid, out).parent
    if out is not None:
        shutil.rmtree(out / HF_LEFTOVERS, ignore_errors=True)
    return Pulled(remote.name, str(version), oid, folder, fetched)


def locate(text: str | Path) -> Release:
    """Return a release wherever it is: a folder, or ``owner/name@version``, which is pulled into the cache.

    Raises:
        UsageError: It is neither, or there is no such version.
        HubError: The Hub refuses or cannot be reached.
        StoreError: This disk is full.
    """
    folder = Path(text)
    looks_local = isinstance(text, Path) or folder.exists() or str(text).startswith((".", "/", "~"))
    return open_release(folder.expanduser() if looks_local else pull(str(text)).folder)


def _choose(remote: Remote, wanted: Version | None) -> tuple[Version, str]:
    tags = remote.tags()
    if not tags:
        raise UsageError(
            f"{remote.name} has no version", "nobody has published one with venus publish", "check the name"
        )
    version = wanted or max(tags)
    if version not in tags:
        known = ", ".join(map(str, tags))
        raise UsageError(f"{remote.name} has no version {version}", f"it has {known}", f"venus releases {remote.name}")
    return version, tags[version]


def _manifest(remote: Remote, oid: str, version: Version) -> dict[str, Any]:
    what = f"{remote.name} {version} is no release of this toolkit"
    if MANIFEST not in remote.files(oid):
        raise UsageError(what, f"it has no {MANIFEST}", "read it with load_dataset")
    try:
        manifest: dict[str, Any] = json.loads(remote.fetch(MANIFEST, oid).read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(what, f"its {MANIFEST} is not JSON: {error}", "ask its owner") from error
    for name in manifest.get("files", {}):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UsageError(what, f"its {MANIFEST} names {name}, which lies outside of it", "do not trust it")
    return manifest


def _refuse_other(out: Path, manifest: dict[str, Any]) -> None:
    """Do not mix two releases in one folder, nor write into one that holds something else."""
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    ours = {MANIFEST, HF_LEFTOVERS, *(name.split("/")[0] for name in manifest["files"])}
    if there - ours:
        why = f"it holds {', '.join(sorted(there - ours)[:3])}"
        raise UsageError(f"{out} is not a place for this release", why, "choose another --out")
    if (out / MANIFEST).is_file() and json.loads((out / MANIFEST).read_text(encoding="utf-8")) != manifest:
        raise UsageError(f"{out} holds another release", f"its {MANIFEST} differs", "choose another --out")


def _fetch(remote: Remote, name: str, oid: str, out: Path | None, expected: str) -> bool:
    """Get a file unless it is there; returns whether it had to be got.

    Raises:
        HubError: It does not arrive as the manifest says, twice.
    """
    if out is not None and _holds(out / name, expected):
        return False
    for _ in range(2):
        file = remote.fetch(name, oid, out)
        if _holds(file, expected):
            return True
        with explained(f"cannot write {file}"):
            file.resolve().unlink(missing_ok=True)
            file.unlink(missing_ok=True)
    what = f"{name} of {remote.name} is not what its manifest says"
    raise HubError(what, "its SHA-256 differs, also when pulled again", f"ask its owner; {AGAIN}")


def _holds(file: Path, expected: str) -> bool:
    try:
        return file.is_file() and checksum(file) == expected
    except OSError as error:
        raise StoreError(f"{file} cannot be read", error.strerror or str(error), "make it readable") from error
