"""When a process of ours ends."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess


def ends_within(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a child of ours ends within a time: the kernel says when, `Popen.wait` looks after 1, 3, 7, 15 ms."""
    with contextlib.suppress(OSError, AttributeError):  # a kernel that cannot say it, or a Python built for one
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
