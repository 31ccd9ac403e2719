"""How this process holds its memory."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder

from venus_toolkit.core.records import KIB
from venus_toolkit.core.store import read_lines


def keep_one_heap() -> None:
    """Make the threads of this process, and Arrow, share the C library's one heap.

    To be called before both are used.

    Each thread would get a heap of its own, and Arrow has another: what is freed in one is of no
    use to the others. A build waits for programs, not for its heap. What is large, such as inputs,
    is mapped by itself, and given back when it is freed. Another C library than glibc is left as it
    is.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with suppress(AttributeError):
        library = ctypes.CDLL(None)
        m_mmap_threshold, m_arena_max = -3, -8  # of <malloc.h>
        library.mallopt(m_arena_max, 1)
        # Unless it is set, glibc raises it to whatever was freed last, and the heap keeps the
        # holes.
        library.mallopt(m_mmap_threshold, 256 * 1024)
    # Arrow imports pandas (40 MiB) only to see whether what it converts comes from there. It looks
    # once, and again where it cannot do without. Others may import pandas afterwards.
    without_pandas = _WithoutPandas()
    sys.meta_path.insert(0, without_pandas)
    try:
        import pyarrow as pa
        import pyarrow.dataset  # which looks for itself

        pa.array([0])
    finally:
        sys.meta_path.remove(without_pandas)


def own_peak_bytes() -> int:
    """Return the largest resident set this process has had.

    Not `ru_maxrss`: exec keeps the peak of what it replaces, so the child of a large process would
    start with that.
    """
    peak = next(line for line in read_lines("/proc/self/status") if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB


class _WithoutPandas(MetaPathFinder):
    """Has an import of pandas fail."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Find no pandas, and leave everything else to the other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not wanted here", name=fullname)


def give_back() -> None:
    """Give the kernel back what is free in the heap."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
