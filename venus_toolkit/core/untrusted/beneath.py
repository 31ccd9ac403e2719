"""Files of a stranger's folder: what is read lies beneath it, whatever its links say.

A folder that was cloned, unpacked or downloaded may have links to files of this machine, named
pipes and devices in it. The rule is the same for all of them (``RESOLVE_BENEATH`` of openat2(2)):
what is opened is a regular file beneath the folder. A link is followed if its target lies beneath
the folder, too; any other link is refused.

In the Hub's cache the files of a snapshot are links to ``blobs`` beside it, so a snapshot reaches
as far as its repository there. Hard links cannot be told from files, and neither Git nor the Hub
has any.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from venus_toolkit.core.errors import SourceError


def refusal(path: Path, folder: Path) -> str:
    """Return why a path of a folder must not be read; "" where it may, or is not there."""
    resolved = path.resolve()
    if _reach(folder) not in resolved.parents:
        return f"it leads out of {folder}"
    try:
        mode = resolved.stat().st_mode
    except OSError:
        return ""  # whoever opens it says what is wrong
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "it is neither a file nor a folder"


def read_beneath(path: Path, folder: Path) -> bytes:
    """Return the content of a file that belongs to a folder.

    Raises:
        SourceError: It leads out of the folder, or is no regular file.
        OSError: It cannot be read.
    """
    why = refusal(path, folder)
    if not why:
        # A link may have changed since, so the opened file counts. O_NONBLOCK: a pipe would wait.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with open(os.open(path, flags), "rb") as file:
            opened = Path(os.readlink(f"/proc/self/fd/{file.fileno()}"))
            if _reach(folder) in opened.parents and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
        why = f"it leads out of {folder}"
    raise SourceError(f"{path} is not read", why, "put a copy of the file there, or leave it out")


def _reach(folder: Path) -> Path:
    """Return the folder in which the files of `folder` have to lie."""
    resolved = folder.resolve()
    # In the Hub's cache the folder of a repository is called so.
    if resolved.parent.name == "snapshots" and resolved.parents[1].name.startswith(
        ("datasets--", "models--")
    ):
        return resolved.parents[1]
    return resolved
