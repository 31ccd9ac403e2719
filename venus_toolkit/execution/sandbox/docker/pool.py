"""A pool of idle containers, which are reused for further programs.

Creating and removing a container costs about 0.15 s of CPU time, so idle containers are kept, and
one with the right limits is preferred. Between two programs, as between two tests of one program,
process 1 kills all other processes and empties everything writable, and the program's folder is
replaced. If that fails, the container is removed at once; otherwise it is removed after a set
number of programs. If that number is 1, programs never share a container.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from venus_toolkit.core.language import Language
from venus_toolkit.execution.sandbox.docker.container import Container, ContainerLimits

MAX_IDLE = 24  # containers
SPARE = 6  # containers of a language to create before the limits of an idle one are changed
HELPERS = 2  # threads that remove containers


class Lease:
    """A container in use by a session, as a `Process`.

    At the end of the session, `after` is called with the container, and then `keep` if its
    supervisor is idle.
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

    def error_message(self) -> str:
        """Return the supervisor's error message."""
        return self._container.error_message()

    def resize(self, room: ContainerLimits) -> None:
        """Change the limits of the container, unless the lease has ended."""
        if not self._ended:
            self._container.resize(room)

    def kill(self) -> None:
        """End the supervisor with all its programs; the session then removes the container."""
        self._container.hang_up()

    def end(self, idle: bool, spent: bool) -> None:
        """Keep an idle container; remove a busy or spent one with all its programs."""
        self._ended = True
        reused = False
        try:
            # Before another session can take the container, compiled files are moved out, or /work
            # is emptied.
            self._after(self._container)
            if idle and not spent:
                self._keep(self._container)
                reused = True
        finally:
            if not reused:
                self._container.remove()


class Pool:
    """Lends containers to sessions; each container runs at most `programs` different programs."""

    def __init__(self, make: Callable[[Language, int], Container], programs: int = 1) -> None:
        self._make = make
        self._programs = programs
        self._serial = itertools.count()
        self._mutex = threading.Lock()
        self._idle: list[Container] = []  # the most recently used one is last
        self._alive: dict[Container, str] = {}
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix="venus-containers")
        self._closed = False

    def take(self, language: Language, program: str, room: ContainerLimits) -> Container:
        """Return a container for `program`, if possible one with the limits `room`."""
        with self._mutex:
            container = self._choose(language, program, room)
        if container is None:
            container = self._make(language, next(self._serial))  # slow, so without the lock
            with self._mutex:
                self._alive = {
                    member: name for member, name in self._alive.items() if not member.removed
                }
                self._alive[container] = language.id
        container.programs.add(program)
        return container

    def _choose(self, language: Language, program: str, room: ContainerLimits) -> Container | None:
        """Take the best idle container: by equal limits, then by earlier runs of the program."""
        candidates = [
            container
            for container in self._idle
            if program in container.programs or len(container.programs) < self._programs
        ]
        best = max(
            (container for container in candidates if self._alive.get(container) == language.id),
            key=lambda container: (container.room == room, program in container.programs),
            default=None,
        )
        alive = sum(name == language.id for name in self._alive.values())
        if best and best.room != room and alive < SPARE:
            return None  # a new container costs less than frequent changes of limits
        if best:
            self._idle.remove(best)
        return best

    def keep(self, container: Container) -> None:
        """Keep a container with an idle supervisor; remove the least recently used one if full."""
        with self._mutex:
            self._idle.append(container)
            surplus = self._idle.pop(0) if len(self._idle) > MAX_IDLE else None
            if surplus and not self._closed:
                self._helpers.submit(surplus.remove)

    def close(self) -> None:
        """Remove every container and wait until all are gone."""
        with self._mutex:
            self._closed = True
        self._helpers.shutdown()
        with ThreadPoolExecutor(2 * HELPERS) as helpers:
            list(helpers.map(lambda container: container.remove(), list(self._alive)))
