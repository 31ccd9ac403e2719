"""Detects competition for the processor, from the kernel's statistics."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

NOISY_STEAL = 0.02  # share of the ticks that the hypervisor gave to other machines
# Share of the time in which a task waited for a processor; our own processes cause some of it.
NOISY_PRESSURE = 0.25


class Pressure(NamedTuple):
    """A reading: stolen and total ticks, total waiting time in µs (None: unknown), and its time."""

    stolen: int
    total: int
    waiting_us: int | None
    at_ns: int

    @classmethod
    def now(cls) -> Pressure:
        """Read /proc/stat and /proc/pressure/cpu."""
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        waiting_us = None
        # a kernel without pressure stall information
        with suppress(OSError, IndexError, ValueError):
            waiting_us = int(Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0])
        return cls(
            stolen=ticks[7] if len(ticks) > 7 else 0,
            total=sum(ticks[:8]),  # later columns (guests) are part of the first two
            waiting_us=waiting_us,
            at_ns=time.monotonic_ns(),
        )

    def since(self) -> list[str]:
        """Return the noise flags for the time since this reading."""
        after = Pressure.now()
        stolen = (after.stolen - self.stolen) / max(after.total - self.total, 1)
        waited = (
            1000
            * ((after.waiting_us or 0) - (self.waiting_us or 0))
            / max(after.at_ns - self.at_ns, 1)
        )
        flags = {"stolen_time": stolen > NOISY_STEAL, "cpu_pressure": waited > NOISY_PRESSURE}
        return [flag for flag, seen in flags.items() if seen]
