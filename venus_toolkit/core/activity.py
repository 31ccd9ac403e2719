"""The current activity of each thread, as described by its code, for progress displays."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Activity(NamedTuple):
    """The activity of a thread.

    `words` describe it from the whole to the current part; `seconds` is that part's time so far.
    """

    words: tuple[str, ...]
    seconds: float
    of_main_thread: bool


# By thread id: words and start time of each activity. No lock: an interrupt could leave it locked,
# and dictionaries change in one step.
_begun: dict[int, tuple[tuple[str, float], ...]] = {}


@contextmanager
def doing(words: str) -> Iterator[None]:
    """Describe the activity of this thread during the block; inner blocks describe its parts."""
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
    """Return the activity of each thread, longest-running first."""
    now, main = time.monotonic(), threading.main_thread().ident
    current = [
        Activity(tuple(words for words, _ in parts), now - parts[-1][1], thread == main)
        for thread, parts in list(_begun.items())
    ]
    return sorted(current, key=lambda activity: -activity.seconds)
