"""Threads that work on items, a bounded number at a time, and which cores make a seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from venus_toolkit.measure import DENSE_START_NS
from venus_toolkit.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")


def one_core(core: int) -> Cores:
    """Return the seat for judging on a core."""
    return Cores(core, core)


def part_of(cores: Sequence[int], index: int, count: int) -> list[int]:
    """Return the cores of one of `count` processes that share a machine; where there are too few, they share cores.

    >>> [part_of([0, 1, 2, 3], index, 2) for index in range(2)], [part_of([0, 1], index, 3) for index in range(3)]
    ([[0, 1], [2, 3]], [[0], [1], [0]])
    """
    if count > len(cores):
        return [cores[index % len(cores)]]
    return list(cores[index * len(cores) // count : (index + 1) * len(cores) // count])


def core_pairs(cores: Sequence[int]) -> list[Cores]:
    """Return the seats for measuring, the last first: one core for the program, one for the supervisor.

    So samples can be dense, and nothing shares the program's core. A single core has to be both.
    """
    if len(cores) == 1:
        return [one_core(cores[0])]
    first = range(2 * (len(cores) // 2) - 2, -1, -2)
    return [Cores(cores[index + 1], cores[index], DENSE_START_NS) for index in first]


def spread(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int, ahead: Callable[[], int]
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, as they come; the first exception ends it all.

    Args:
        work: What to do.
        items: With these; read when there is room for one.
        threads: So many at the same time.
        ahead: How many items may be begun or waiting.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="venus")
    waiting: dict[Future[Result], Item] = {}
    try:
        for item in items:
            waiting[pool.submit(work, item)] = item
            if len(waiting) >= ahead():
                yield from _finished(waiting)
        while waiting:
            yield from _finished(waiting)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finished(waiting: dict[Future[Result], Item]) -> Iterator[tuple[Item, Result]]:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()
