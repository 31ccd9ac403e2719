"""The jobs that are not final: what the service has in memory of them, and whether there is room for more."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

from venus_toolkit.errors import StoreError
from venus_toolkit.server.jobs import Job, JobResult, State, Told
from venus_toolkit.server.refusals import NoRoomError, QueueFullError
from venus_toolkit.server.settings import Settings


@dataclass(slots=True, eq=False)
class Entry:
    """A job that is not final: what the service has in memory of it.

    `job` is None where it is read from disk; `accepting` gives the ids that a request got, once they are on disk.
    """

    job_id: str
    size: int
    submitted_ns: int
    job: Job | None = None
    accepting: Future[list[str]] | None = None
    state: State = State.QUEUED
    attempts: int = 0
    started_ns: int | None = None
    cancelled: bool = False
    postponed: bool = False
    notes: list[str] = field(default_factory=list)
    waiting: list[asyncio.Future[Told]] = field(default_factory=list)

    def accepted(self) -> bool:
        """Whether it is on disk; waits until that is known. Not for the event loop."""
        if self.accepting is None:
            return True
        try:
            found = self.accepting.result()
        except (NoRoomError, StoreError):
            return False
        return "" not in found and self.job_id in found

    def result(self) -> JobResult:
        """Return what there is to say of it so far: that it has ended is told with its result, once that is on disk."""
        state = self.state  # a worker may end it at any moment
        return JobResult(
            self.job_id,
            State.RUNNING if state.final else state,
            notes=tuple(self.notes),
            attempts=self.attempts,
            submitted_ns=self.submitted_ns,
            started_ns=self.started_ns,
        )


class Queue:
    """The entries of a service by their id; changed on the event loop only.

    `trouble` is why nothing is accepted at present although there may be room, or "".

    Args:
        settings: How many jobs there may be, of which size.
    """

    def __init__(self, settings: Settings) -> None:
        self.trouble = ""
        self._settings = settings
        self._entries: dict[str, Entry] = {}
        self._bytes = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, job_id: str) -> Entry | None:
        """Return the entry of a job, if it is not final."""
        return self._entries.get(job_id)

    def add(self, entry: Entry) -> None:
        """Add a job."""
        self._entries[entry.job_id] = entry
        self._bytes += entry.size

    def remove(self, entry: Entry) -> None:
        """Forget a job, if it is there."""
        if self._entries.pop(entry.job_id, None):
            self._bytes -= entry.size

    def require_room(self, jobs: int, size: int, job_s: float) -> None:
        """Check that jobs can be accepted.

        Args:
            jobs: How many.
            size: Of all, in bytes.
            job_s: How long the server takes for a job, with all its workers.

        Raises:
            NoRoomError: The disk is full.
            QueueFullError: The queue is.
        """
        if self.trouble:
            raise _no_room(self.trouble)
        free = _free_bytes(self._settings)
        if free is not None and free < self._settings.free_bytes + size:
            raise _no_room(f"the disk that holds the queue has only {free >> 20} MiB left")
        if len(self) + jobs > self._settings.queue_jobs or self._bytes + size > self._settings.queue_bytes:
            tenth_s = max(1, len(self) // 10) * job_s
            again_s = int(min(300, max(1, tenth_s)))
            raise QueueFullError("the queue is full", f"{len(self)} jobs wait or run", "try again later", again_s)


def _no_room(why: str) -> NoRoomError:
    why = f"{why}; nothing accepted is lost"
    return NoRoomError("the server accepts no jobs at present", why, "make room there", retry_after_s=30)


def _free_bytes(settings: Settings) -> int | None:
    try:
        found = os.statvfs(settings.folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
