"""Temporary folders that do not stay: gone at the end of their block, or of the next one after a process was killed."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Give a fresh folder; it is removed at the end, as are those of its kind that killed processes left behind."""
    sweep(kind)
    folder = make_temporary(kind)
    try:
        yield folder
    finally:
        remove(folder)


def make_temporary(kind: str) -> Path:
    """Make and return a fresh folder that bears the number of this process, for `sweep` to find.

    Raises:
        OSError: There is no room.
    """
    return Path(tempfile.mkdtemp(prefix=f"venus-{kind}-{os.getpid()}-"))


@functools.cache
def sweep(kind: str) -> None:
    """Remove what earlier processes left behind that were killed before they could tidy up."""
    prefix = f"venus-{kind}-"
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        pid = folder.name.removeprefix(prefix).split("-")[0]
        if pid.isdigit() and not start_of(pid):
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as that is allowed, however deep it is."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # Python's own way runs out of stack or of descriptors
        subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL)


def start_of(pid: str) -> str | None:
    """Return when a process started, in ticks since boot, or None where there is none.

    One that is dead and only waits to be reaped is none: where its parent does not care, it waits for ever.
    """
    try:
        state, *fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else fields[18]
