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
    """Return a persistent folder in ``$VENUS_CACHE``, or else in the user's cache.

    The latter is ``venus`` in ``$XDG_CACHE_HOME`` or ``~/.cache``. A relative ``$XDG_CACHE_HOME``
    is ignored, as the XDG Base Directory Specification demands.
    """
    if own := os.environ.get("VENUS_CACHE"):
        return Path(own) / name
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if os.path.isabs(shared) else Path.home() / ".cache") / "venus" / name


@contextlib.contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Give a new folder and remove it at the end; also remove the folders of killed processes."""
    sweep(kind)
    folder = make_temporary(kind)
    try:
        yield folder
    finally:
        remove(folder)


def make_temporary(kind: str) -> Path:
    """Create a folder with the id of this process in its name, for `sweep` to find.

    Raises:
        OSError: The disk is full.
    """
    return Path(tempfile.mkdtemp(prefix=f"venus-{kind}-{os.getpid()}-"))


@functools.cache
def sweep(kind: str) -> None:
    """Remove the folders of killed processes."""
    prefix = f"venus-{kind}-"
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        pid = folder.name.removeprefix(prefix).split("-")[0]
        # If a new process has the same id the folder stays, which costs only disk space.
        if pid.isdigit() and not start_of(pid):
            remove(folder)


def remove_own() -> None:
    """Remove the folders of this process."""
    for folder in Path(tempfile.gettempdir()).glob(f"venus-*-{os.getpid()}-*"):
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder and its content at any depth, as far as permissions allow."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    # Python may have run out of stack or of file descriptors.
    if folder.exists():
        subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL)


def start_of(pid: str) -> str | None:
    """Return the start of a process in clock ticks since boot, or None if it is dead.

    A zombie counts as dead, since its parent may never reap it.
    """
    try:
        # A program's name may hold blanks and brackets, so fields count from the last bracket;
        # starttime is field 22.
        state, *fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else fields[18]
