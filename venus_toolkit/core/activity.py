"""What this process is at, in the words of those who do it, for whoever shows progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Activity(NamedTuple):
    """What a thread is at, from the whole to the part, and for how long."""

    words: tuple[str, ...]
    seconds: float
    of_main_thread: bool


# By thread, each with the time at which it began. No lock: an interrupt could leave it locked, and
# dictionaries change in one step.
_begun: dict[int, tuple[tuple[str, float], ...]] = {}


@contextmanager
def doing(words: str) -> Iterator[None]:
    """Name what this thread is at until the block ends; blocks within name parts of it."""
    thread = threading.get_ident()
    outer = _begun.get(thread, ())
    _begun[thread] = (*outer, (words, time.monotonic()))
    try:
        yield
    finally:
        if outer:
            _begun[thread] = outer
        else:
            _begun.pop(thread, None)


def activities() -> list[Activity]:
    """Return what each thread is at, what takes longest first."""
    now, main = time.monotonic(), threading.main_thread().ident
    found = [
        Activity(tuple(words for words, _ in parts), now - parts[-1][1], thread == main)
        for thread, parts in list(_begun.items())
    ]
    return sorted(found, key=lambda activity: -activity.seconds)
