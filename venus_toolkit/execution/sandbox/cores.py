"""Assigns the cores of this machine to processes, workers, programs and supervisors."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from itertools import chain

from venus_toolkit.core.records import NS_PER_MS
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.sandbox.supervisor import Cores

# One sample per millisecond would miss the memory peak of a program that runs for 1 or 2 ms.
DENSE_START_NS = 3 * NS_PER_MS
# Programs that supervisors on one core can sample. A supervisor wakes up 10,000 times a second,
# which takes up to a quarter of a core. Four of them have the same error of the integral as one
# (bench/integral.py).
SAMPLED = 3
CLAIM = "venus-core-"  # prefix of the names of claims
_ours: set[str] = set()  # names of the claims of this process
_mutex = threading.Lock()


def usable_cores() -> list[int]:
    """Return the processors this process may use."""
    return sorted(os.sched_getaffinity(0))


def part_of(cores: Sequence[int], index: int, count: int) -> list[int]:
    """Return the cores of process `index` among `count` processes that share a machine.

    If there are fewer cores than processes, processes share cores.

    >>> [part_of([0, 1, 2, 3], index, 2) for index in range(2)]
    [[0, 1], [2, 3]]
    >>> [part_of([0, 1], index, 3) for index in range(3)]
    [[0], [1], [0]]
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
    >>> pairs = worker_cores([0, 1, 2, 3], pairs=True, siblings=alone)
    >>> [(cores.program, cores.sampler) for cores in pairs]
    [(3, 0), (2, 0), (1, 0)]

    Args:
        cores: The cores to assign.
        pairs: For measuring, with the last core first: each program has its own core, and one core
            in `SAMPLED` + 1 is for supervisors, which can then sample densely. False, or a single
            core: program and supervisor share a core.
        workers: The number of workers, which may share cores; None: as many as fit.
        siblings: Returns the hardware threads of a processor's core; None: the kernel's list.
    """
    candidates = [Cores(core, core) for core in cores]
    if pairs and len(cores) > 1:
        siblings = siblings or threads_of
        # Two threads of one core slow each other down, so the other threads of a program's core
        # stay idle.
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
    """Return how many programs can be measured at once on cores with one hardware thread each."""
    return max(1, cores - -(-cores // (1 + SAMPLED)))


def threads_of(core: int) -> frozenset[int]:
    """Return the hardware threads of a processor's core, including the processor itself."""
    listed = read_lines(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    return frozenset([core, *chain(*map(_numbers, listed[0].split(",")))] if listed else [core])


def _numbers(listed: str) -> range:
    """Return the processors in one item of a kernel list: ``3``, or ``0-1``."""
    first, _, last = listed.partition("-")
    return range(int(first), int(last or first) + 1)


def quiet_cores() -> Cores:
    """Claim and return the cores to measure on: the last core, and another for the supervisor."""
    return claim(worker_cores(usable_cores(), pairs=True), 1)[0]


def claim(workers: Sequence[Cores], most: int) -> list[Cores]:
    """Claim and return at most `most` workers, preferably on cores that no other process claims.

    Claims end with this process. If too few cores are free, the remaining workers share a core with
    another process; the noise flags of their measurements show that.
    """
    chosen: list[Cores] = []
    for worker in workers:
        if len(chosen) < most and _claim(worker.program):
            chosen.append(worker)
    return (chosen + [worker for worker in workers if worker not in chosen])[:most]


def _claim(core: int | None) -> bool:
    """Claim a core among all processes in this network namespace; returns whether it was free.

    The claim is a bound abstract socket, which the kernel closes when this process ends.
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
        claim.detach()  # keep it open
        _ours.add(name)
        return True
