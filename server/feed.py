"""The answer to one request for runs: a worker adds to it, and a client reads it, again where its connection broke."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from venus_toolkit.errors import SandboxError
from venus_toolkit.records import MIB

KEPT_BYTES = 8 * MIB
UNREAD_BYTES = 64 * MIB
PATIENCE_S = 60.0
POLL_S = 0.01
REST_S = 0.01  # what comes while a reader rests is sent together: each packet takes time from the runs


class Feed:
    """The answer to one request: frames that a worker adds and a client reads, from any of the first ones on.

    Args:
        request: What the client calls the request.
        loop: Where it is read.
    """

    def __init__(self, request: str, loop: asyncio.AbstractEventLoop) -> None:
        self.request = request
        self.over = False
        self.cancelled = False
        self.left_at: float | None = time.monotonic()
        self._loop = loop
        self._frames: list[bytes | None] = []
        self._unread = 0
        self._kept = 0
        self._handed = 0
        self._forgotten = 0
        self._readers = 0
        self._resting = False
        self._news = asyncio.Event()

    def add(self, data: bytes, last: bool = False) -> None:
        """Add a frame; for a worker, which waits where too much is unread.

        Raises:
            SandboxError: It waited too long.
        """
        end = time.monotonic() + PATIENCE_S
        while self._unread > UNREAD_BYTES and not (self.cancelled or last):
            if time.monotonic() > end:
                raise SandboxError(
                    "nobody reads the runs", f"{self._unread >> 20} MiB wait for the client", "read them"
                )
            time.sleep(POLL_S)
        self._unread += len(data)
        self._frames.append(data)
        self.over = self.over or last
        if last or not self._resting:
            self._loop.call_soon_threadsafe(self._news.set)

    async def read(self, first: int) -> AsyncIterator[bytes]:
        """Yield the frames from number `first` on, all that are there at once, and then a moment's worth at a time."""
        self._readers += 1
        self.left_at = None
        try:
            while True:
                over = self.over
                there = self._frames[first:]
                first += len(there)
                if there:
                    yield b"".join(each or b"" for each in there)
                    self._handed_over(first)
                    await self._rest()
                elif over:
                    return
                else:
                    self._news.clear()
                    if len(self._frames) == first and not self.over:
                        await self._news.wait()
        finally:
            self._readers -= 1  # a connection that broke is often noticed only when the next one is there
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
            self._news.set()  # nobody was told of what came meanwhile

    def _handed_over(self, count: int) -> None:
        """Note that the first `count` frames were read, and keep only the last ones of them."""
        for each in self._frames[self._handed : count]:
            self._unread -= len(each or b"")
            self._kept += len(each or b"")
        self._handed = max(self._handed, count)
        while self._kept > KEPT_BYTES and self._forgotten < self._handed:
            self._kept -= len(self._frames[self._forgotten] or b"")
            self._frames[self._forgotten] = None
            self._forgotten += 1

    @property
    def read_out(self) -> bool:
        """Whether it is over and was read to its end."""
        return self.over and self._handed == len(self._frames)

    def reaches(self, first: int) -> bool:
        """Whether frame `first` is still there or may yet come."""
        return self._forgotten <= first <= len(self._frames)
