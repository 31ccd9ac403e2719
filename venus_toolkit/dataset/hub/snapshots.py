"""Snapshots of the files of a release: only the bytes that were checked are sent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import ReleaseError, StoreError
from venus_toolkit.dataset.release import Release


class FileDigest(NamedTuple):
    """The size and hashes of a file.

    The Hub identifies large files by their SHA-256, and small ones by git's hash.
    """

    size: int
    sha256: str | None
    git: str | None

    @staticmethod
    def of(content: bytes) -> FileDigest:
        """Return the digest of a small file."""
        git = _git_hash(len(content), content)
        return FileDigest(len(content), hashlib.sha256(content).hexdigest(), git.hexdigest())

    def same(self, other: FileDigest) -> bool:
        """Return whether both describe the same bytes, by a hash that both have."""
        if self.sha256 and other.sha256:
            return self.sha256 == other.sha256
        return self.git is not None and self.git == other.git


def holds_exactly(
    mine: Mapping[str, FileDigest], there: Mapping[str, FileDigest], ours: re.Pattern[str]
) -> bool:
    """Return whether a repository has all these files, and no other whose name matches `ours`."""
    stale = any(ours.fullmatch(name) for name in there.keys() - mine.keys())
    return not stale and all(
        name in there and digest.same(there[name]) for name, digest in mine.items()
    )


class Snapshot(NamedTuple):
    """A file at one moment: its digest, and a stamp that every write changes."""

    path: Path
    digest: FileDigest
    stamp: tuple[int, int, int, int]


def snapshot_release(release: Release) -> dict[str, Snapshot]:
    """Return a snapshot of every existing file of the manifest, by its name.

    Reads each file once.

    Raises:
        StoreError: One cannot be read.
    """
    names = [
        name for name in release.manifest.get("files", {}) if (release.folder / name).is_file()
    ]
    return {name: snapshot_file(release.folder / name) for name in names}


def ensure_unchanged(files: Mapping[str, Snapshot]) -> None:
    """Check that no file was written since its snapshot.

    Raises:
        ReleaseError: A file was written.
    """
    for name, file in files.items():
        if not file.path.is_file() or _stamp(file.path) != file.stamp:
            raise ReleaseError(
                f"{name} changed while it was being published",
                "the release is not the one that was checked",
                "stop whatever writes into the folder, then type the same command",
            )


def snapshot_file(path: Path) -> Snapshot:
    """Return the snapshot of a file.

    Raises:
        StoreError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            # Taken before the first byte is read, so a later write changes the stamp.
            stamp = _stamp(path)
            sha256, git = hashlib.sha256(), _git_hash(stamp[1])
            # Both hashes in one pass: the Hub decides which of them identifies the file.
            while block := file.read(1 << 20):
                sha256.update(block)
                git.update(block)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read", error.strerror or str(error), "make it readable"
        ) from error
    return Snapshot(path, FileDigest(stamp[1], sha256.hexdigest(), git.hexdigest()), stamp)


def _git_hash(size: int, content: bytes = b"") -> hashlib._Hash:
    """Return git's hash of a blob object, updated with its header and `content`."""
    return hashlib.sha1(b"blob %d\0" % size + content, usedforsecurity=False)


def _stamp(path: Path) -> tuple[int, int, int, int]:
    status = path.stat()
    # The change time too: a program can restore the size and the modification time, but not this
    # one.
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
