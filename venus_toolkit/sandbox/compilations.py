"""What a sandbox has compiled, each program once, whichever of its threads asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from venus_toolkit.sandbox import Compiled, Program


class Compilations:
    """Compiled programs by language, compiler and source."""

    def __init__(self) -> None:
        self._asked: dict[str, Future[Compiled]] = {}
        self._mutex = threading.Lock()

    def once(self, program: Program, make: Callable[[], Compiled]) -> Compiled:
        """Return `program` compiled: by `make`, or by an earlier call; one that is still at it is waited for.

        A call that fails is forgotten: the next one tries again.
        """
        key = program.key
        mine: Future[Compiled] = Future()
        with self._mutex:
            found = self._asked.setdefault(key, mine)
        if found is mine:
            self._settle(key, mine, make)
        return found.result()

    def _settle(self, key: str, mine: Future[Compiled], make: Callable[[], Compiled]) -> None:
        try:
            mine.set_result(make())
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            with self._mutex:
                del self._asked[key]
            mine.set_exception(error)

    def forget(self, compiled: Compiled) -> None:
        """Have `compiled` made anew when it is asked for again."""
        with self._mutex:
            self._asked = {key: value for key, value in self._asked.items() if not _holds(value, compiled)}


def _holds(future: Future[Compiled], compiled: Compiled) -> bool:
    return future.done() and not future.exception() and future.result() is compiled
