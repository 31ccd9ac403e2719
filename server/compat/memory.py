"""How much memory the machine has, for Monolith's GET /status."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from venus_toolkit.records import KIB

GIB = 1 << 30
FILE = Path("/proc/meminfo")


class SystemMemory(NamedTuple):
    """Memory of the machine: GiB, and how many per cent are used."""

    total: float
    used_gb: float
    available: float
    percent: float


def system_memory(file: Path = FILE) -> SystemMemory:
    """Return the memory of this machine; used is what is not available."""
    fields = dict(line.split(":", 1) for line in file.read_text().splitlines())
    total, available = (int(fields[name].split()[0]) * KIB for name in ("MemTotal", "MemAvailable"))
    used = total - available
    return SystemMemory(total / GIB, used / GIB, available / GIB, round(100 * used / total, 1))
