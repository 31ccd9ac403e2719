"""Memory of this process: one shared heap, its peak, and returning free memory."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder

from venus_toolkit.core.records import KIB
from venus_toolkit.core.store import read_lines


def keep_one_heap() -> None:
    """Make Arrow and all threads of this process share one heap; call it before using either.

    By default each thread, and Arrow, has its own heap and cannot use memory that another one
    freed. Contention does not matter, since a build mostly waits for programs. Large blocks, such
    as inputs, are mapped separately and returned to the kernel when they are freed. C libraries
    other than glibc are not configured.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with suppress(AttributeError):
        library = ctypes.CDLL(None)
        m_mmap_threshold, m_arena_max = -3, -8  # of <malloc.h>
        library.mallopt(m_arena_max, 1)
        # If it is unset, glibc raises the threshold to the largest block freed so far, and large
        # blocks leave holes in the heap.
        library.mallopt(m_mmap_threshold, 256 * 1024)
    # Arrow imports pandas (40 MiB) only to check whether a value is a pandas object. It tries once
    # here, and again when it really needs pandas; other code can still import it afterwards.
    without_pandas = _WithoutPandas()
    sys.meta_path.insert(0, without_pandas)
    try:
        import pyarrow as pa
        import pyarrow.dataset  # does its own check

        pa.array([0])
    finally:
        sys.meta_path.remove(without_pandas)


def own_peak_bytes() -> int:
    """Return the peak resident set of this process.

    `ru_maxrss` is not used: it survives exec, so the child of a large process would start with the
    peak of its parent.
    """
    peak = next(line for line in read_lines("/proc/self/status") if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB


class _WithoutPandas(MetaPathFinder):
    """Makes imports of pandas fail."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Refuse pandas, and leave every other module to the other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not imported here", name=fullname)


def give_back() -> None:
    """Return the free memory of the heap to the kernel."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
