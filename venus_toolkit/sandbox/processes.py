"""Which processes of this machine are still there: what the others left behind is nobody's."""

from __future__ import annotations

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
