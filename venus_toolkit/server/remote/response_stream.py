"""The response to one request for runs, which a client can read again after a broken connection."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import MIB

# A reader pauses to send several frames together, since each packet takes CPU time from the runs.
REST_S = 0.01


class ResponseStream:
    """The frames of one response, which a worker adds and a client reads.

    A client may read again from an earlier frame, as long as that is stored.
    """

    def __init__(self, request: str, loop: asyncio.AbstractEventLoop) -> None:
        self.request = request
        self.over = False
        self.cancelled = False
        self.left_at: float | None = time.monotonic()
        self._loop = loop
        # None: a removed frame, so that the others keep their numbers
        self._frames: list[bytes | None] = []
        self._unread_bytes = 0
        self._read_bytes = 0
        self._read = 0
        self._removed = 0
        self._readers = 0
        self._pausing = False
        self._news = asyncio.Event()

    def add(self, data: bytes, last: bool = False) -> None:
        """Add a frame; to be called by a worker, since it waits while too much is unread.

        Raises:
            SandboxError: The client has not read enough within 60 s.
        """
        # A slow client must not fill the memory, nor block a core for longer than 60 s.
        end = time.monotonic() + 60.0
        # The last frame never waits, since it may report this very error.
        while self._unread_bytes > 64 * MIB and not (self.cancelled or last):
            if time.monotonic() > end:
                raise SandboxError(
                    "the client does not read the runs",
                    f"{self._unread_bytes >> 20} MiB wait for the client",
                    "read them",
                )
            time.sleep(0.01)  # in a worker's thread, not on the event loop
        self._unread_bytes += len(data)
        self._frames.append(data)
        self.over = self.over or last
        if last or not self._pausing:
            self._loop.call_soon_threadsafe(self._news.set)

    async def read(self, first: int) -> AsyncIterator[bytes]:
        """Yield the frames from number `first` on: first all existing ones, then new ones."""
        self._readers += 1
        self.left_at = None
        try:
            while True:
                # Read before the frames: the next round finds a last frame that is added in
                # between.
                over = self.over
                frames = self._frames[first:]
                first += len(frames)
                if frames:
                    yield b"".join(frame or b"" for frame in frames)
                    self._mark_read(first)
                    await self._pause()
                elif over:
                    return
                else:
                    self._news.clear()
                    # Checked again, since `clear` may have undone the event of a new frame.
                    if len(self._frames) == first and not self.over:
                        await self._news.wait()
        finally:
            # A broken connection is often noticed only after the client has connected again.
            self._readers -= 1
            self.left_at = None if self._readers else time.monotonic()

    async def _pause(self) -> None:
        """Wait for a few frames to send together; the last frame ends the pause."""
        self._pausing = True
        self._news.clear()
        try:
            if not self.over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), REST_S)
        finally:
            self._pausing = False
            self._news.set()  # frames that were added meanwhile have not set it

    def _mark_read(self, count: int) -> None:
        """Mark the first `count` frames as read, and store only the last 8 MiB of these."""
        for frame in self._frames[self._read : count]:
            self._unread_bytes -= len(frame or b"")
            self._read_bytes += len(frame or b"")
        self._read = max(self._read, count)
        # Frames that were sent may be lost when a connection breaks, so the client may need them
        # again.
        while self._read_bytes > (8 * MIB) and self._removed < self._read:
            self._read_bytes -= len(self._frames[self._removed] or b"")
            self._frames[self._removed] = None
            self._removed += 1

    @property
    def read_out(self) -> bool:
        """Whether the response is complete and was read to its end."""
        return self.over and self._read == len(self._frames)

    def reaches(self, first: int) -> bool:
        """Whether frame `first` is still stored, or is not yet added."""
        return self._removed <= first <= len(self._frames)
