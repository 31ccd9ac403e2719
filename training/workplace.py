"""Where answers are tried: worker threads on pinned cores that are fed as work comes, and the programs they share."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.engine.spreading import core_pairs, one_core
from venus_toolkit.errors import SandboxError, VenusError
from venus_toolkit.measure import usable_cores
from venus_toolkit.sandbox import Compiled, Program, Sandbox
from venus_toolkit.supervisor import Cores

Result = TypeVar("Result")
TRIES = 2
KEPT = 64
CLOSED = SandboxError("the answer was not tried", "rewards were closed before", "go on from the last checkpoint")
log = logging.getLogger(__name__)


class Job(NamedTuple):
    """A piece of work for a worker, and who hears of its end."""

    work: Callable[[Cores], Any]
    done: Future[Any]


class Workers:
    """Threads with cores of their own: what they are given is begun in the order in which it came.

    Args:
        jobs: How many at most; None takes as many as the cores give.
        share_cores: Each has one core, not two.
        part: Which part of the cores they have, (0, 1) for all.

    Attributes:
        count: How many there are.
    """

    def __init__(self, jobs: int | None = None, share_cores: bool = True, part: tuple[int, int] = (0, 1)) -> None:
        seats = seats_on(part_of(usable_cores(), *part), share_cores)
        self.count = min(jobs or len(seats), len(seats))
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(seats[n],), name="venus-rewards", daemon=True)
            for n in range(self.count)
        ]
        for thread in self._threads:
            thread.start()

    def do(self, work: Callable[[Cores], Result]) -> Future[Result]:
        """Have a worker do something on its cores; returns at once."""
        done: Future[Result] = Future()
        with self._mutex:
            if not self._closed:
                self._queue.put(Job(work, done))
                return done
        done.set_exception(CLOSED)
        return done

    def close(self) -> None:
        """End when the work that was begun is done; what was not begun fails as if the sandbox had."""
        with self._mutex:
            self._closed = True
        with suppress(Empty):
            while job := self._queue.get_nowait():
                job.done.set_exception(CLOSED)
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self, cores: Cores) -> None:
        for job in iter(self._queue.get, None):
            try:
                job.done.set_result(job.work(cores))
            except BaseException as error:  # whoever waits must hear of it, whatever it is
                job.done.set_exception(error)


def part_of(cores: Sequence[int], index: int, count: int) -> list[int]:
    """Return the cores of one of `count` processes that share a machine; where there are too few, they share cores.

    >>> [part_of([0, 1, 2, 3], index, 2) for index in range(2)], [part_of([0, 1], index, 3) for index in range(3)]
    ([[0, 1], [2, 3]], [[0], [1], [0]])
    """
    if count > len(cores):
        return [cores[index % len(cores)]]
    return list(cores[index * len(cores) // count : (index + 1) * len(cores) // count])


def seats_on(cores: Sequence[int], share: bool) -> list[Cores]:
    """Return a core for each worker, or two: the program's and that of its sampler, which is read densely then.

    >>> [(seat.program, seat.sampler) for seat in seats_on([0, 1, 2, 3], share=False)]
    [(3, 2), (1, 0)]
    """
    if share or len(cores) == 1:
        return [one_core(core) for core in cores]
    return core_pairs(cores)


def when_all(futures: Sequence[Future[Any]], then: Callable[[], None]) -> None:
    """Call `then` once all futures are done, however they ended: in the thread that ends the last one."""
    left, mutex = [len(futures)], threading.Lock()

    def one(_: object) -> None:
        with mutex:
            left[0] -= 1
            last = left[0] == 0
        if last:
            then()

    for future in futures:
        future.add_done_callback(one)
    if not futures:
        then()


def tried(work: Callable[[], Result]) -> Result:
    """Return what `work` returns; where the sandbox fails, it is tried once more.

    Raises:
        SandboxError: It failed again.
    """
    for _ in range(TRIES - 1):
        try:
            return work()
        except SandboxError:
            continue
    return work()


class Loans:
    """Compiled programs in use: each is discarded when the last who uses it is done.

    Args:
        sandbox: Where they are compiled.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._users: Counter[tuple[str, str]] = Counter()
        self._compiled: dict[tuple[str, str], Compiled] = {}
        self._kept: OrderedDict[Program, None] = OrderedDict()
        self._mutex = threading.Lock()

    def take(self, program: Program, cores: Cores) -> None:
        """Compile a program and keep it until it is given back as often as it was taken.

        Raises:
            SandboxError: The sandbox failed; the program is not taken then.
        """
        key = (program.language.id, program.source)
        with self._mutex:
            self._users[key] += 1
        try:
            compiled = self._sandbox.compile(program, cores)
        except VenusError:
            self.give_back(program)
            raise
        with self._mutex:
            self._compiled[key] = compiled

    def give_back(self, program: Program) -> None:
        """Say that one user less needs a program."""
        key = (program.language.id, program.source)
        with self._mutex:
            self._users[key] -= 1
            if self._users[key]:
                return
            del self._users[key]
            compiled = self._compiled.pop(key, None)
            try:
                if compiled:
                    self._sandbox.discard(compiled)
            except SandboxError as error:
                log.warning("a compiled program stays until the sandbox is closed: %s", error)

    def keep(self, program: Program, cores: Cores) -> None:
        """Keep a program that will be needed again, as one of the last KEPT such programs.

        Raises:
            SandboxError: The sandbox failed.
        """
        self.take(program, cores)
        with self._mutex:
            old = [program] if program in self._kept else []
            self._kept[program] = None
            self._kept.move_to_end(program)
            if len(self._kept) > KEPT:
                old.append(self._kept.popitem(last=False)[0])
        for each in old:
            self.give_back(each)

    def close(self) -> None:
        """Give back what is kept."""
        with self._mutex:
            kept = list(self._kept)
            self._kept.clear()
        for program in kept:
            self.give_back(program)

    @contextmanager
    def lent(self, programs: Iterable[Program], cores: Cores) -> Iterator[None]:
        """Keep programs for as long as the block runs.

        Raises:
            SandboxError: The sandbox failed.
        """
        with ExitStack() as stack:
            for program in programs:
                self.take(program, cores)
                stack.callback(self.give_back, program)
            yield
