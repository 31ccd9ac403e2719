"""Containers made ahead of need, and kept for a program that will run again.

Making a container takes about a tenth of a second and as much again to remove it. So the next ones are made in the
background while a program runs, those that have done their work are removed there, and a container stays with its
program as long as it is among the last few: its repeats find it waiting. No container ever serves two programs.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language
from venus_toolkit.sandbox.docker.container import Container

AHEAD = 2
KEPT = 24
HELPERS = 2


class Lease:
    """A container in which a supervisor is at work for a session, as the process that the session knows.

    Args:
        container: The container.
        keep: Takes the container when the session is over and the supervisor waits for more.
    """

    def __init__(self, container: Container, keep: Callable[[Container], None]) -> None:
        self.stdin, self.stdout = container.stdin, container.stdout
        self._container = container
        self._keep = keep

    def last_words(self) -> str:
        """Return what the supervisor said of its failure."""
        return self._container.last_words()

    def end(self, idle: bool) -> None:
        """Hand over an idle container; remove a busy one, with all that runs in it."""
        if idle:
            self._keep(self._container)
        else:
            self._container.remove()


class Pool:
    """Gives containers by language, and keeps them by program.

    Args:
        make: Makes a container for a language; the number is unique.
    """

    def __init__(self, make: Callable[[Language, int], Container]) -> None:
        self._make = make
        self._serial = itertools.count()
        self._mutex = threading.Lock()
        self._fresh: dict[str, deque[Future[Container]]] = {}
        self._asked: dict[str, int] = {}
        self._kept: OrderedDict[str, list[Container]] = OrderedDict()
        self._alive: set[Container] = set()
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix="venus-containers")
        self._closed = False

    def take(self, language: Language, key: str) -> Container:
        """Return the container that is kept for the program `key`, or a fresh one for `language`.

        Raises:
            SandboxError: It cannot be made.
        """
        with self._mutex:
            kept = self._kept.get(key)
            if kept:
                container = kept.pop()
                if not kept:
                    del self._kept[key]
                return container
            ready = self._fresh.setdefault(language.id, deque())
            future = ready.popleft() if ready else None
            self._make_ahead(language, ready)
        if future:
            with contextlib.suppress(SandboxError):  # asked for again, it may work, or fail where it can be attributed
                return future.result()
        return self._new(language)

    def _make_ahead(self, language: Language, ready: deque[Future[Container]]) -> None:
        """Order the next ones: none at the first request, which may be the only one."""
        asked = self._asked.get(language.id, 0)
        self._asked[language.id] = asked + 1
        while len(ready) < min(asked, AHEAD) and not self._closed:
            ready.append(self._helpers.submit(self._new, language))

    def _new(self, language: Language) -> Container:
        container = self._make(language, next(self._serial))
        with self._mutex:
            self._alive = {each for each in self._alive if not each.removed} | {container}
        return container

    def keep(self, key: str, container: Container) -> None:
        """Keep a container whose supervisor waits for the program `key`; those longest unused are removed."""
        with self._mutex:
            self._kept.setdefault(key, []).append(container)
            self._kept.move_to_end(key)
            surplus = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - KEPT)]
        for containers in surplus:
            for each in containers:
                self.remove(each)

    def forget(self, key: str) -> None:
        """Remove what is kept for the program `key`."""
        with self._mutex:
            containers = self._kept.pop(key, [])
        for container in containers:
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
