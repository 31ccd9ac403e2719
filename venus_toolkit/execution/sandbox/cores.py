"""Which cores of this machine do what.

The cores of a worker, and the part of the cores that a process has.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from itertools import chain

from venus_toolkit.core.records import NS_PER_MS
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.sandbox.supervisor import Cores

# one sample per millisecond would miss the peak of a program of 1 or 2 ms
DENSE_START_NS = 3 * NS_PER_MS
# Programs that the supervisors on one core can sample: each wakes up 10,000 times a second, which
# takes up to a quarter of a core. With four of them the error of the integral is that of one
# (bench/integral.py).
SAMPLED = 3
CLAIM = "venus-core-"
_ours: set[str] = set()  # names of claims
_mutex = threading.Lock()


def usable_cores() -> list[int]:
    """Return the processors this process may use."""
    return sorted(os.sched_getaffinity(0))


def part_of(cores: Sequence[int], index: int, count: int) -> list[int]:
    """Return the cores of one of `count` processes that share a machine.

    Where there are too few, they share cores.

    >>> [part_of([0, 1, 2, 3], index, 2) for index in range(2)], [part_of([0, 1], index, 3) for index in range(3)]
    ([[0, 1], [2, 3]], [[0], [1], [0]])
    """
    if count > len(cores):
        return [cores[index % len(cores)]]
    return list(cores[index * len(cores) // count : (index + 1) * len(cores) // count])


def worker_cores(
    cores: Sequence[int],
    pairs: bool = False,
    workers: int | None = None,
    siblings: Callable[[int], frozenset[int]] | None = None,
) -> list[Cores]:
    """Return the cores of each worker.

    >>> alone = lambda core: frozenset([core])
    >>> [(each.program, each.sampler) for each in worker_cores([0, 1, 2, 3], pairs=True, siblings=alone)]
    [(3, 0), (2, 0), (1, 0)]

    Args:
        cores: Those to be shared out.
        pairs: For measuring, the last core first: a core for each program, and one in `SAMPLED` + 1
            for supervisors. So samples can be dense, and nothing shares a program's core. A single
            core has to be both, as each is for judging.
        workers: More than there are cores or programs share them; None: one for each.
        siblings: Returns the threads of the core that a processor is one of; None: the kernel is
            asked.
    """
    candidates = [Cores(core, core) for core in cores]
    if pairs and len(cores) > 1:
        siblings = siblings or threads_of
        # Two threads of one core slow each other down: a program has the other threads of its core
        # for nothing.
        whole = list(
            dict.fromkeys(siblings(core) & frozenset(cores) or frozenset([core]) for core in cores)
        )
        whole = [frozenset([core]) for core in cores] if len(whole) == 1 else whole
        count = 1
        while sum(map(len, whole[:count])) * SAMPLED < len(whole) - count:
            count += 1
        samplers = sorted(chain(*whole[:count]))
        programs = [max(threads) for threads in reversed(whole[count:])]
        candidates = [
            Cores(core, samplers[n % len(samplers)], DENSE_START_NS)
            for n, core in enumerate(programs)
        ]
    return [candidates[number % len(candidates)] for number in range(workers or len(candidates))]


def measuring_workers(cores: int) -> int:
    """Return how many programs are measured at the same time on so many cores, none of which has several threads."""
    return max(1, cores - -(-cores // (1 + SAMPLED)))


def threads_of(core: int) -> frozenset[int]:
    """Return the processors that are threads of one core with this one, and itself."""
    listed = read_lines(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    return frozenset([core, *chain(*map(_numbers, listed[0].split(",")))] if listed else [core])


def _numbers(listed: str) -> range:
    """Return the processors of a part of a list as the kernel writes it: ``3``, or ``0-1``."""
    first, _, last = listed.partition("-")
    return range(int(first), int(last or first) + 1)


def quiet_cores() -> Cores:
    """Return the cores to measure on.

    The program on the last one, the supervisor on another where there is one.

    They are claimed.
    """
    return claim(worker_cores(usable_cores(), pairs=True), 1)[0]


def claim(workers: Sequence[Cores], most: int) -> list[Cores]:
    """Return as many of the workers, those first on whose core no other process measures.

    This one has them to its end.

    Where there are fewer, the others share a core with a program of another process, which the
    noise flags tell.
    """
    chosen: list[Cores] = []
    for worker in workers:
        if len(chosen) < most and _claim(worker.program):
            chosen.append(worker)
    return (chosen + [worker for worker in workers if worker not in chosen])[:most]


def _claim(core: int | None) -> bool:
    """Claim a core, against all processes that share our network.

    The kernel takes the claim back when we end.
    """
    name = f"\0{CLAIM}{core}"
    with _mutex:
        if name in _ours:
            return True
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(name)
        except OSError:
            claim.close()
            return False
        claim.detach()  # open to our end
        _ours.add(name)
        return True
