"""How this process holds its memory."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

M_ARENA_MAX = -8  # of <malloc.h>


def keep_one_heap() -> None:
    """Make the threads of this process, and Arrow, share the C library's one heap; to be called before both are used.

    Each thread would get a heap of its own, and Arrow has another: what is freed in one is of no use to the others. A
    build waits for programs, not for its heap. Another C library than glibc is left as it is.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
