"""How work is spread over one machine: worker threads, each on a core of its own.

Judging fills every core; measuring takes one core for the program and one for the supervisor, so that samples can be
dense and nothing shares the program's core.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from typing import TypeVar

from venus_toolkit.measure import DENSE_START_NS, usable_cores
from venus_toolkit.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine:
    """Runs a function over items on `jobs` worker threads.

    Args:
        jobs: Workers; None takes one for each core.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._cores = usable_cores()
        self.jobs = jobs or len(self._cores)

    def judging(self, work: Callable[[Item, Cores], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy; the first exception ends it all."""
        return self._spread(work, items, self.jobs, self._one_core)

    def measuring(
        self, work: Callable[[Item, Cores], Result], items: Iterable[Item], share_cores: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, with two cores for each worker and the last pair first, unless they are to share one."""
        if share_cores:
            return self.judging(work, items)
        pairs = max(1, min(self.jobs, len(self._cores) // 2))
        return self._spread(work, items, pairs, self._two_cores)

    def beside(self) -> set[int]:
        """Return the cores on which no measured program runs, for other work; all of them where there is only one."""
        programs = {self._two_cores(pair).program for pair in range(len(self._cores) // 2)}
        return {core for core in self._cores if core not in programs} or set(self._cores)

    def _one_core(self, worker: int) -> Cores:
        core = self._cores[worker % len(self._cores)]
        return Cores(core, core)

    def _two_cores(self, worker: int) -> Cores:
        if len(self._cores) == 1:
            return self._one_core(0)
        pair = len(self._cores) // 2 - 1 - worker
        return Cores(self._cores[2 * pair + 1], self._cores[2 * pair], DENSE_START_NS)

    def _spread(
        self, work: Callable[[Item, Cores], Result], items: Iterable[Item], workers: int, cores: Callable[[int], Cores]
    ) -> Iterator[tuple[Item, Result]]:
        numbers, local = count(), threading.local()

        def one(item: Item) -> Result:
            if not hasattr(local, "cores"):
                local.cores = cores(next(numbers))
            return work(item, local.cores)

        pool = ThreadPoolExecutor(workers, thread_name_prefix="venus")
        waiting: dict[Future[Result], Item] = {}
        remaining = iter(items)
        try:
            for item in remaining:
                waiting[pool.submit(one, item)] = item
                if len(waiting) >= 2 * workers:
                    yield from _finished(waiting)
            while waiting:
                yield from _finished(waiting)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _finished(waiting: dict[Future[Result], Item]) -> Iterator[tuple[Item, Result]]:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()
