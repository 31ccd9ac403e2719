"""Containers that wait for work: made ahead of need, found again by their program, used again for the next one.

Making and removing a container costs about 0.15 s of processor time. So an idle one is kept, and whoever wants to run
something gets, of those that may serve it, one that has the right limits already. What a program leaves behind is gone
before the next one starts, as between two tests of one program: process 1 has killed everybody, all that can be written
to is emptied, the program's folder is another. A container of which that cannot be said is removed at once, any other
after a number of programs; with 1 for that number each program has containers of its own.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language
from venus_toolkit.sandbox.docker.container import Container, Room

AHEAD = 2
KEPT = 24
SPARE = 6
HELPERS = 2


class Lease:
    """A container in which a supervisor is at work for a session, as the process that the session knows.

    Args:
        container: The container.
        keep: Takes the container when the session is over and the supervisor waits for more.
        after: What is done to its folders when the session is over.
    """

    def __init__(
        self, container: Container, keep: Callable[[Container], None], after: Callable[[Container], None]
    ) -> None:
        self.stdin, self.stdout = container.stdin, container.stdout
        self._container = container
        self._keep = keep
        self._after = after
        self._ended = False

    def last_words(self) -> str:
        """Return what the supervisor said of its failure."""
        return self._container.last_words()

    def resize(self, room: Room) -> None:
        """Change what the container may take, as long as it is ours.

        Raises:
            SandboxError: The daemon refuses.
        """
        if not self._ended:
            self._container.resize(room)

    def end(self, idle: bool, spent: bool) -> None:
        """Hand over an idle container; remove a busy or spent one, with all that runs in it."""
        self._ended = True
        kept = False
        try:
            self._after(self._container)
            if idle and not spent:
                self._keep(self._container)
                kept = True
        finally:
            if not kept:
                self._container.remove()


class Pool:
    """Gives containers for programs and takes them back.

    Args:
        make: Makes a container for a language; the number is unique.
        programs: How many programs a container serves.
    """

    def __init__(self, make: Callable[[Language, int], Container], programs: int = 1) -> None:
        self._make = make
        self._programs = programs
        self._serial = itertools.count()
        self._mutex = threading.Lock()
        self._fresh: dict[str, deque[Future[Container]]] = {}
        self._asked: dict[str, int] = {}
        self._idle: list[Container] = []  # the one that was used last at the end
        self._alive: dict[Container, str] = {}
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix="venus-containers")
        self._closed = False

    def take(self, language: Language, program: str, room: Room) -> Container:
        """Return a container for `program` in `language`, if possible one that has `room` already.

        Raises:
            SandboxError: It cannot be made.
        """
        with self._mutex:
            container = self._choose(language, program, room)
            future = None if container else self._next_fresh(language)
        if future:
            with contextlib.suppress(SandboxError):  # asked for again, it may work, or fail where it can be attributed
                container = future.result()
        container = container or self._new(language)
        container.programs.add(program)
        return container

    def _choose(self, language: Language, program: str, room: Room) -> Container | None:
        """Take the best idle container: its limits first, then that it knows the program, then the last used."""
        best = max(
            (each for each in self._idle if self._alive.get(each) == language.id and self._may_serve(each, program)),
            key=lambda each: (each.room == room, program in each.programs),
            default=None,
        )
        if best and best.room != room and self._programs > 1 and self._has_room_for_more(language):
            return None
        if best:
            self._idle.remove(best)
        return best

    def _may_serve(self, container: Container, program: str) -> bool:
        return program in container.programs or len(container.programs) < self._programs

    def _has_room_for_more(self, language: Language) -> bool:
        return sum(name == language.id for name in self._alive.values()) < SPARE

    def _next_fresh(self, language: Language) -> Future[Container] | None:
        """Take one that was made ahead and order the next: none at the first request, which may be the only one."""
        ready = self._fresh.setdefault(language.id, deque())
        future = ready.popleft() if ready else None
        asked = self._asked.get(language.id, 0)
        self._asked[language.id] = asked + 1
        ahead = min(asked, AHEAD) if self._programs == 1 else 0
        while len(ready) < ahead and not self._closed:
            ready.append(self._helpers.submit(self._new, language))
        return future

    def _new(self, language: Language) -> Container:
        container = self._make(language, next(self._serial))
        with self._mutex:
            self._alive = {each: name for each, name in self._alive.items() if not each.removed}
            self._alive[container] = language.id
        return container

    def keep(self, container: Container) -> None:
        """Take back a container whose supervisor waits; one too many is removed, that which was unused longest."""
        with self._mutex:
            self._idle.append(container)
            surplus = self._idle.pop(0) if len(self._idle) > KEPT else None
        if surplus:
            self.remove(surplus)

    def forget(self, program: str) -> None:
        """Remove idle containers that can serve nobody but `program`."""
        with self._mutex:
            done = [each for each in self._idle if program in each.programs and len(each.programs) >= self._programs]
            self._idle = [each for each in self._idle if each not in done]
        for container in done:
            self.remove(container)

    def remove(self, container: Container) -> None:
        """Remove a container in the background."""
        with self._mutex:
            if not self._closed:
                self._helpers.submit(container.remove)

    def close(self) -> None:
        """Remove every container; returns when none is left."""
        with self._mutex:
            self._closed = True
        self._helpers.shutdown(wait=True, cancel_futures=True)
        with ThreadPoolExecutor(2 * HELPERS) as helpers:
            list(helpers.map(lambda container: container.remove(), list(self._alive)))
