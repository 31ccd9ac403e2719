"""Reads files of an untrusted folder, and only files beneath it.

A folder that was cloned, unpacked or downloaded may contain named pipes, devices and links to
files of this machine. Only regular files beneath the folder are opened (like ``RESOLVE_BENEATH`` of
openat2(2)). A link is followed if its target lies beneath the folder, too; any other is refused.

In the Hub's cache the files of a snapshot are links to the ``blobs`` of its repository, so there
the whole repository counts as the folder. Hard links look like files; neither Git nor the Hub
transfers any.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from venus_toolkit.core.errors import SourceError


def refusal(path: Path, folder: Path) -> str:
    """Return why a path of a folder must not be read; "" if it may, or does not exist."""
    resolved = path.resolve()
    if _reach(folder) not in resolved.parents:
        return f"it leads out of {folder}"
    try:
        mode = resolved.stat().st_mode
    except OSError:
        return ""  # opening the path will raise the same error
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "it is neither a file nor a folder"


def read_beneath(path: Path, folder: Path) -> bytes:
    """Return the content of a file in a folder.

    Raises:
        SourceError: The file leads out of the folder, or is not a regular file.
        OSError: The file cannot be read.
    """
    reason = refusal(path, folder)
    if not reason:
        # A link may have changed meanwhile, so the opened file is checked again. O_NONBLOCK:
        # opening a pipe would wait.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with open(os.open(path, flags), "rb") as file:
            opened = Path(os.readlink(f"/proc/self/fd/{file.fileno()}"))
            if _reach(folder) in opened.parents and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
        reason = f"it leads out of {folder}"
    raise SourceError(
        f"{path} is not read", reason, "put a copy of the file there, or leave it out"
    )


def _reach(folder: Path) -> Path:
    """Return the folder beneath which the files of `folder` must lie."""
    resolved = folder.resolve()
    # The name of a repository's folder in the Hub's cache.
    if resolved.parent.name == "snapshots" and resolved.parents[1].name.startswith(
        ("datasets--", "models--")
    ):
        return resolved.parents[1]
    return resolved
