"""Which processes of this machine are still there: what the others left behind is nobody's; and when one ends."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
from pathlib import Path


def start_of(pid: str) -> str | None:
    """Return when a process started, in ticks since boot, or None where there is none.

    One that is dead and only waits to be reaped is none: where its parent does not care, it waits for ever.
    """
    try:
        state, *fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else fields[18]


def ends_within(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a child of ours ends within a time: the kernel says when, `Popen.wait` looks after 1, 3, 7, 15 ms."""
    with contextlib.suppress(OSError):  # a kernel that cannot say it
        descriptor = os.pidfd_open(child.pid)
        try:
            ended = select.poll()
            ended.register(descriptor, select.POLLIN)
            if not ended.poll(1000 * seconds):
                return False
        finally:
            os.close(descriptor)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None
