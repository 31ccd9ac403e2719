"""Which cores of this machine do what: the cores of a worker, and the part of the cores that a process has."""

from __future__ import annotations

import os
from collections.abc import Sequence

from venus_toolkit.core.records import NS_PER_MS
from venus_toolkit.execution.supervisor import Cores

DENSE_START_NS = 3 * NS_PER_MS  # one sample per millisecond would miss the peak of a program of 1 or 2 ms


def usable_cores() -> list[int]:
    """Return the processors this process may use."""
    return sorted(os.sched_getaffinity(0))


def part_of(cores: Sequence[int], index: int, count: int) -> list[int]:
    """Return the cores of one of `count` processes that share a machine; where there are too few, they share cores.

    >>> [part_of([0, 1, 2, 3], index, 2) for index in range(2)], [part_of([0, 1], index, 3) for index in range(3)]
    ([[0, 1], [2, 3]], [[0], [1], [0]])
    """
    if count > len(cores):
        return [cores[index % len(cores)]]
    return list(cores[index * len(cores) // count : (index + 1) * len(cores) // count])


def worker_cores(cores: Sequence[int], pairs: bool = False, workers: int | None = None) -> list[Cores]:
    """Return the cores of each worker.

    >>> [(each.program, each.sampler) for each in worker_cores([0, 1, 2, 3], pairs=True)]
    [(3, 2), (1, 0)]

    Args:
        cores: Those to be shared out.
        pairs: For measuring, the last pair first: one core for the program, one for the supervisor. So samples can be
            dense, and nothing shares the program's core. A single core has to be both, as each is for judging.
        workers: More than there are cores or pairs share them; None: one for each.
    """
    if pairs and len(cores) > 1:
        first = range(2 * (len(cores) // 2) - 2, -1, -2)
        found = [Cores(cores[index + 1], cores[index], DENSE_START_NS) for index in first]
    else:
        found = [Cores(core, core) for core in cores]
    return [found[number % len(found)] for number in range(workers or len(found))]


def quiet_cores() -> Cores:
    """Return the cores to measure on: the program on the last one, the supervisor on another where there is one."""
    return worker_cores(usable_cores()[-2:], pairs=True)[0]
