"""Finds what a command leaves behind: processes, mounts, control groups, temporary files."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

PR_SET_CHILD_SUBREAPER = 36
CGROUPS = Path("/sys/fs/cgroup")
DAEMONS = ("dockerd", "containerd")  # restarted by the harness itself


def adopt_orphans() -> None:
    """Make orphans of killed commands children of this process, so that none is overlooked."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Process(NamedTuple):
    """A process of this machine: its id, its parent's id, and its name."""

    pid: int
    parent: int
    name: str


def processes() -> list[Process]:
    """Return the processes of this machine, including zombies."""
    listed = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended in the meantime
            before, _, after = (place / "stat").read_text().rpartition(")")
            listed.append(Process(int(place.name), int(after.split()[1]), before.partition("(")[2]))
    return listed


def descendants(pid: int) -> list[Process]:
    """Return the children of a process, their children, and so on."""
    known, pids = processes(), [pid]
    for parent in pids:
        pids += [process.pid for process in known if process.parent == parent]
    return [process for process in known if process.pid in pids[1:]]


def orphans(seconds: float = 10) -> list[str]:
    """Reap dead children; kill those that still run after some seconds and return their names."""
    end = time.monotonic() + seconds
    while True:
        mine = [
            process
            for process in processes()
            if process.parent == os.getpid() and not process.name.startswith(DAEMONS)
        ]
        left = {process.pid: process.name for process in mine if not _reap(process.pid)}
        if not left:
            return []
        if time.monotonic() > end:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return sorted(left.values())
        time.sleep(0.02)


def _reap(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def mounts() -> set[str]:
    """Return the mount points in the namespace of this process, which is private in `nox -s chaos`."""
    return {line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()}


def cgroups(pids: set[int]) -> set[str]:
    """Return the control groups named after one of these processes."""
    names = {f"venus-{pid}" for pid in pids}
    existing = (
        Path(root, name)
        for root, folders, _ in os.walk(CGROUPS)
        for name in folders
        if name.startswith("venus-")
    )
    return {str(folder) for folder in existing if folder.name.rpartition("-")[0] in names}


def temporaries(folder: Path) -> list[str]:
    """Return the names in a temporary folder, without the probe files of `tempfile`.

    On first use, `tempfile` writes a file with a name of eight characters and four bytes to the
    folder (`_get_default_tempdir`) and removes it at once, unless the process is killed in between.
    """
    return sorted(
        path.name
        for path in folder.iterdir()
        if not (len(path.name) == 8 and path.is_file() and path.read_bytes() in (b"", b"blat"))
    )
