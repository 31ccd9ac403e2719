#: [[cheats]]
#: about = "memory"
#: name = "ctypes-memfd"
#: twin = "plain-memory"
#: does = "Python: keeps memory in memory files through `ctypes`"
#: stops = "the control group counts it"
#: [[cheats]]
#: about = "cpu"
#: name = "written-code"
#: twin = "plain-steps"
#: does = "Python: machine code that it wrote computes in clones of 0.4 ms"
#: stops = "two sources disagree, so it gets no figures"
"""Holds memory or computes through ctypes; the first word of the input selects the way.

The numbers are those of memory.cpp. ``plain-memory`` and ``plain-steps`` are the honest twins of
the other two.
"""

import contextlib
import ctypes
import mmap
import os
import signal
import sys
import time

MIB = 1 << 20
PIECE = 400_000  # about 0.4 ms
# x86-64: unsigned long f(long steps, unsigned long value), which takes as many steps as cpu.cpp
# does in `piece`
STEPS = bytes.fromhex(
    "4889f048b92d7f954c2df4515849b84f8167f77e7b05144885ff740c480fafc14c01c048ffcf75f4c3"
)


def plain_memory(mib, ms):
    """Hold it in a bytearray."""
    held = bytearray(b"\7") * (mib * MIB)
    time.sleep(ms / 1000)
    return len(held) // MIB


def ctypes_memfd(mib, ms):
    """Hold it in memory files."""
    libc = ctypes.CDLL(None)
    piece = b"\7" * MIB
    for _ in range(mib // 16):
        file = libc.memfd_create(b"held", 0)
        if file < 0:
            sys.exit(4)
        for _ in range(16):
            os.write(file, piece)
    time.sleep(ms / 1000)
    return mib


def machine_code():
    """Return a function made of machine code, and the memory that contains it."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(STEPS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return memory, ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong)(address)


def plain_steps(millions, _):
    """Compute in this process."""
    _memory, function = machine_code()
    return function(millions * 1_000_000, 0)


def written_code(millions, _):
    """Compute in children without waiting for them."""
    _memory, function = machine_code()
    value = ctypes.c_ulong.from_buffer(mmap.mmap(-1, mmap.PAGESIZE))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(millions * 1_000_000 // PIECE):
        if os.fork() == 0:
            value.value = function(PIECE, value.value)
            os._exit(0)
        with contextlib.suppress(ChildProcessError):
            os.wait()
    return value.value


word, *numbers = sys.stdin.read().split()
ways = (plain_memory, ctypes_memfd, plain_steps, written_code)
print({way.__name__.replace("_", "-"): way for way in ways}[word](*map(int, numbers)))
