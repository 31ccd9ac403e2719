"""Where answers are tried: worker threads on pinned cores that are fed as work comes, and the programs they share."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

from venus_toolkit.engine.spreading import core_pairs, one_core
from venus_toolkit.errors import SandboxError, VenusError
from venus_toolkit.measure import usable_cores
from venus_toolkit.sandbox import Compiled, Program, Sandbox
from venus_toolkit.supervisor import Cores

Result = TypeVar("Result")
TRIES = 2


class Workers:
    """Threads, each on cores of its own: what they are given is begun in the order in which it came.

    Args:
        jobs: How many; None takes as many as the cores give.
        share_cores: Each has one core, not two.

    Attributes:
        count: How many there are.
    """

    def __init__(self, jobs: int | None = None, share_cores: bool = True) -> None:
        cores = usable_cores()
        each = [one_core(cores[number % len(cores)]) for number in range(jobs or len(cores))]
        chairs = each if share_cores else core_pairs(cores)[:jobs]
        self.count = len(chairs)
        self._chairs: SimpleQueue[Cores] = SimpleQueue()
        for chair in chairs:
            self._chairs.put(chair)
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="venus-rewards")

    def do(self, work: Callable[[Cores], Result]) -> Future[Result]:
        """Have a worker do something on its cores; returns at once."""
        return self._pool.submit(self._seated, work)

    def close(self) -> None:
        """Finish what was given, and end."""
        self._pool.shutdown()

    def _seated(self, work: Callable[[Cores], Result]) -> Result:
        chair = self._chairs.get()
        try:
            return work(chair)
        finally:
            self._chairs.put(chair)


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
            if compiled:
                self._sandbox.discard(compiled)

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
