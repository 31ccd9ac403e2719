"""Interrupts `spread` at every line that the calling thread executes, one call per line.

python -m tests.interrupted

Ctrl-C can arrive anywhere, even between two lines of a library that holds a lock. Prints the number
of survived interrupts.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from venus_toolkit.execution.engine.local_engine import spread


@contextmanager
def interrupted_at(line: int) -> Iterator[None]:
    """Raise KeyboardInterrupt in this thread after it has run `line` lines, in any modules."""
    left = itertools.count(line, -1)

    def look(_frame: FrameType, event: str, _arg: Any) -> Callable[..., Any] | None:
        if event == "line" and next(left) == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return look

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(None)


def main() -> None:
    """Interrupt after 1 line, after 2 lines, and so on, until the work finishes first."""
    for line in itertools.count(1):
        try:
            with interrupted_at(line):
                for _ in spread(lambda _: time.sleep(0.001), range(6), 2, lambda: 4):
                    pass
        except KeyboardInterrupt:
            assert threading.current_thread() is threading.main_thread()
        else:
            break
    print(line - 1)


if __name__ == "__main__":
    main()
