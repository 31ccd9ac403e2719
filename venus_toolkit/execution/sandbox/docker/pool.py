"""Containers that wait for work: found again by their program, used again for the next one.

Making and removing a container costs about 0.15 s of processor time. So an idle one is kept, and
whoever wants to run something gets, of those that may serve it, one that has the right limits
already. What a program leaves behind is gone before the next one starts, as between two tests of
one program: process 1 has killed everybody, all that can be written to is emptied, the program's
folder is another. A container of which that cannot be said is removed at once, any other after a
number of programs; with 1 for that number each program has containers of its own.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from venus_toolkit.core.language import Language
from venus_toolkit.execution.sandbox.docker.container import Container, ContainerLimits

KEPT = 24  # idle containers
SPARE = 6  # of one language, before the limits of an idle one are changed
HELPERS = 2  # threads that remove containers


class Lease:
    """A container in which a supervisor is at work for a session, as the process that the session knows.

    When the session is over, `after` is done to the folders of the container, and `keep` takes it
    if its supervisor waits for more.
    """

    def __init__(
        self,
        container: Container,
        keep: Callable[[Container], None],
        after: Callable[[Container], None],
    ) -> None:
        self.stdin, self.stdout = container.stdin, container.stdout
        self._container = container
        self._keep = keep
        self._after = after
        self._ended = False

    def last_words(self) -> str:
        """Return what the supervisor said of its failure."""
        return self._container.last_words()

    def resize(self, room: ContainerLimits) -> None:
        """Change what the container may take, as long as it is ours."""
        if not self._ended:
            self._container.resize(room)

    def kill(self) -> None:
        """Have its supervisor end with all that runs in it.

        The session then removes the container.
        """
        self._container.hang_up()

    def end(self, idle: bool, spent: bool) -> None:
        """Hand over an idle container; remove a busy or spent one, with all that runs in it."""
        self._ended = True
        reused = False
        try:
            # Before anybody else can be given the container: what was compiled is moved out, or
            # /work emptied.
            self._after(self._container)
            if idle and not spent:
                self._keep(self._container)
                reused = True
        finally:
            if not reused:
                self._container.remove()


class Pool:
    """Gives containers for programs and takes them back; each serves so many `programs`."""

    def __init__(self, make: Callable[[Language, int], Container], programs: int = 1) -> None:
        self._make = make
        self._programs = programs
        self._serial = itertools.count()
        self._mutex = threading.Lock()
        self._idle: list[Container] = []  # the one that was used last at the end
        self._alive: dict[Container, str] = {}
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix="venus-containers")
        self._closed = False

    def take(self, language: Language, program: str, room: ContainerLimits) -> Container:
        """Return a container for `program` in `language`, if possible one that has `room` already."""
        with self._mutex:
            container = self._choose(language, program, room)
        if container is None:
            container = self._make(language, next(self._serial))  # takes long: without the lock
            with self._mutex:
                self._alive = {
                    member: name for member, name in self._alive.items() if not member.removed
                }
                self._alive[container] = language.id
        container.programs.add(program)
        return container

    def _choose(self, language: Language, program: str, room: ContainerLimits) -> Container | None:
        """Take the best idle container.

        Its limits first, then that it knows the program, then the last used.
        """
        may_serve = [
            container
            for container in self._idle
            if program in container.programs or len(container.programs) < self._programs
        ]
        best = max(
            (container for container in may_serve if self._alive.get(container) == language.id),
            key=lambda container: (container.room == room, program in container.programs),
            default=None,
        )
        alive = sum(name == language.id for name in self._alive.values())
        if best and best.room != room and alive < SPARE:
            return None  # to make another costs less than to change limits back and forth
        if best:
            self._idle.remove(best)
        return best

    def keep(self, container: Container) -> None:
        """Take back a container whose supervisor waits.

        One too many is removed, that which was unused longest.
        """
        with self._mutex:
            self._idle.append(container)
            surplus = self._idle.pop(0) if len(self._idle) > KEPT else None
            if surplus and not self._closed:
                self._helpers.submit(surplus.remove)

    def close(self) -> None:
        """Remove every container; returns when none is left."""
        with self._mutex:
            self._closed = True
        self._helpers.shutdown()
        with ThreadPoolExecutor(2 * HELPERS) as helpers:
            list(helpers.map(lambda container: container.remove(), list(self._alive)))
