"""What was checked is what is sent: the identity of every file of a release, taken before the first check."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.errors import ReleaseError, StoreError
from venus_toolkit.hub.remote import FileId
from venus_toolkit.release import Release

BLOCK = 1 << 20


class Stamp(NamedTuple):
    """What changes on disk when somebody writes a file."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Sealed(NamedTuple):
    """A file of a release as it was when it was read: what it holds, and how it lay on the disk."""

    path: Path
    content: FileId
    stamp: Stamp


def seal(release: Release) -> dict[str, Sealed]:
    """Return every file that the manifest lists and that is there, by its name; reads each of them once.

    Raises:
        StoreError: One cannot be read.
    """
    names = [name for name in release.manifest.get("files", {}) if (release.folder / name).is_file()]
    return {name: seal_file(release.folder / name) for name in names}


def still_sealed(files: Mapping[str, Sealed]) -> None:
    """Check that nobody has written one of the files since they were read.

    Raises:
        ReleaseError: Somebody has.
    """
    for name, file in files.items():
        if not file.path.is_file() or _stamp(file.path) != file.stamp:
            raise ReleaseError(
                f"{name} has changed while it was published",
                "what was checked is no longer what would be sent",
                "let nothing write into the folder, then type the same command",
            )


def seal_file(path: Path) -> Sealed:
    """Return a file as it is now.

    Raises:
        StoreError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            stamp = _stamp(path)
            large, small = hashlib.sha256(), _git_hash(stamp.size)
            while block := file.read(BLOCK):
                large.update(block)
                small.update(block)
    except OSError as error:
        raise StoreError(f"{path} cannot be read", error.strerror or str(error), "make it readable") from error
    return Sealed(path, FileId(stamp.size, large.hexdigest(), small.hexdigest()), stamp)


def identity(content: bytes) -> FileId:
    """Return what a small file holds."""
    return FileId(len(content), hashlib.sha256(content).hexdigest(), _git_hash(len(content), content).hexdigest())


def _git_hash(size: int, content: bytes = b"") -> hashlib._Hash:
    """Return the hash by which git names a file, begun."""
    return hashlib.sha1(b"blob %d\0" % size + content, usedforsecurity=False)


def _stamp(path: Path) -> Stamp:
    found = os.stat(path)
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
