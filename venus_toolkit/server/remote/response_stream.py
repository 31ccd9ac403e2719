"""The answer to one request for runs.

A worker adds to it, and a client reads it, again where its connection broke.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import MIB

# what comes while a reader rests is sent together: each packet takes time from the runs
REST_S = 0.01


class ResponseStream:
    """The answer to one request: frames that a worker adds and a client reads.

    A client may begin again at an earlier frame, as long as it is kept.
    """

    def __init__(self, request: str, loop: asyncio.AbstractEventLoop) -> None:
        self.request = request
        self.over = False
        self.cancelled = False
        self.left_at: float | None = time.monotonic()
        self._loop = loop
        # None: forgotten; its place keeps the numbers of the others
        self._frames: list[bytes | None] = []
        self._unread = 0
        self._kept = 0
        self._read = 0
        self._forgotten = 0
        self._readers = 0
        self._resting = False
        self._news = asyncio.Event()

    def add(self, data: bytes, last: bool = False) -> None:
        """Add a frame; for a worker, which waits where too much is unread, up to a SandboxError."""
        # A client that reads slowly must not fill the memory, nor keep the core idle for longer
        # than 60 s.
        end = time.monotonic() + 60.0
        # The last frame never waits: it may be the one that says that nobody reads.
        while self._unread > 64 * MIB and not (self.cancelled or last):
            if time.monotonic() > end:
                raise SandboxError(
                    "the client does not read the runs",
                    f"{self._unread >> 20} MiB wait for the client",
                    "read them",
                )
            time.sleep(0.01)  # in a worker's thread, not on the event loop
        self._unread += len(data)
        self._frames.append(data)
        self.over = self.over or last
        if last or not self._resting:
            self._loop.call_soon_threadsafe(self._news.set)

    async def read(self, first: int) -> AsyncIterator[bytes]:
        """Yield the frames from number `first` on: all that exist, then those of each moment."""
        self._readers += 1
        self.left_at = None
        try:
            while True:
                # Looked at before the frames: a last one that is added in between is met in the
                # next round.
                over = self.over
                there = self._frames[first:]
                first += len(there)
                if there:
                    yield b"".join(each or b"" for each in there)
                    self._keep_last(first)
                    await self._rest()
                elif over:
                    return
                else:
                    self._news.clear()
                    # Looked at again: a frame that came just before `clear` has set the event in
                    # vain.
                    if len(self._frames) == first and not self.over:
                        await self._news.wait()
        finally:
            # a connection that broke is often noticed only when the next one is there
            self._readers -= 1
            self.left_at = None if self._readers else time.monotonic()

    async def _rest(self) -> None:
        """Let a few frames come together; the last one ends it."""
        self._resting = True
        self._news.clear()
        try:
            if not self.over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), REST_S)
        finally:
            self._resting = False
            self._news.set()  # frames that came meanwhile woke nobody

    def _keep_last(self, count: int) -> None:
        """Note that the first `count` frames were read, and keep only the last ones of them."""
        for each in self._frames[self._read : count]:
            self._unread -= len(each or b"")
            self._kept += len(each or b"")
        self._read = max(self._read, count)
        # what was sent, for a client whose connection broke before it arrived
        while self._kept > (8 * MIB) and self._forgotten < self._read:
            self._kept -= len(self._frames[self._forgotten] or b"")
            self._frames[self._forgotten] = None
            self._forgotten += 1

    @property
    def read_out(self) -> bool:
        """Whether it is over and was read to its end."""
        return self.over and self._read == len(self._frames)

    def reaches(self, first: int) -> bool:
        """Whether frame `first` is still there or may yet come."""
        return self._forgotten <= first <= len(self._frames)
