"""Temporary folders, which are removed even after a process was killed, and the user's cache."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return a folder that stays between commands: in ``$VENUS_CACHE``, else in the user's cache.

    That is ``venus`` in ``$XDG_CACHE_HOME``, or in ``~/.cache``. A relative ``$XDG_CACHE_HOME`` is
    ignored, as the XDG Base Directory Specification demands.
    """
    if own := os.environ.get("VENUS_CACHE"):
        return Path(own) / name
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if os.path.isabs(shared) else Path.home() / ".cache") / "venus" / name


@contextlib.contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Give a new folder and remove it at the end; remove those that killed processes left behind."""
    sweep(kind)
    folder = make_temporary(kind)
    try:
        yield folder
    finally:
        remove(folder)


def make_temporary(kind: str) -> Path:
    """Make and return a new folder with the id of this process in its name, for `sweep` to find.

    Raises:
        OSError: The disk is full.
    """
    return Path(tempfile.mkdtemp(prefix=f"venus-{kind}-{os.getpid()}-"))


@functools.cache
def sweep(kind: str) -> None:
    """Remove the folders of processes that were killed before they could remove them."""
    prefix = f"venus-{kind}-"
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        pid = folder.name.removeprefix(prefix).split("-")[0]
        # Where a new process has the number the folder stays, which costs room and nothing else.
        if pid.isdigit() and not start_of(pid):
            remove(folder)


def remove_own() -> None:
    """Remove the folders of this process."""
    for folder in Path(tempfile.gettempdir()).glob(f"venus-*-{os.getpid()}-*"):
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder with everything in it, however deep, as far as permissions allow."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    # Python's own way may have run out of stack or of descriptors.
    if folder.exists():
        subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL)


def start_of(pid: str) -> str | None:
    """Return when a process started, in ticks since boot, or None where it is dead.

    A zombie counts as dead: its parent may never reap it.
    """
    try:
        # A program's name may hold blanks and brackets, so fields count from the last bracket;
        # starttime is field 22.
        state, *fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else fields[18]
