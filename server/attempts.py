"""Attempts at a job on the workers' threads: where a failure of ours is told from a verdict, and what follows."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from venus_toolkit.errors import SandboxError, StoreError, VenusError
from venus_toolkit.records import NS_PER_S
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.server import journal
from venus_toolkit.server.execute import Stopped, execute
from venus_toolkit.server.jobs import JobResult, State, job_from_json
from venus_toolkit.server.metrics import Tally
from venus_toolkit.server.programs import Programs
from venus_toolkit.server.queue import Entry, Queue
from venus_toolkit.server.refusals import NoRoomError
from venus_toolkit.server.tongues import Tongues
from venus_toolkit.server.workers import Pool, Worker

log = logging.getLogger(__name__)

TRIES = 2
PAUSE_S = 2.0
KILLED = "it ran again: the server was killed while it ran"
FAILED = "it ran again: the sandbox failed: {}"
POISON = "the server was killed while this job ran, and it had been begun {} times"


class NotAccepted(Exception):
    """The job is not on disk after all: whoever submitted it is told why."""


@dataclass(frozen=True)
class Attempts:
    """Has jobs done by workers.

    Args:
        queue: What waits and runs.
        journal: Where it is kept.
        pool: The workers.
        tongues: The languages.
        programs: What compiles and runs programs.
        tally: What is counted.
        finish: Told a result; may be called from any worker's thread.
    """

    queue: Queue
    journal: journal.Journal
    pool: Pool
    tongues: Tongues
    programs: Programs
    tally: Tally
    finish: Callable[[Entry, JobResult], None]
    _stop: threading.Event = field(default_factory=threading.Event)

    def put(self, entry: Entry, first: bool = False) -> None:
        """Have a job done by whichever worker is free."""
        self.pool.put(lambda worker: self._attempt(entry, worker), first=first)

    def resume(self, entry: Entry, begun: bool) -> None:
        """Have a job done that an earlier server left; one that was `begun` so often before is given up."""
        if begun:
            entry.notes.append(KILLED)
        if begun and entry.attempts >= TRIES:
            self.finish(entry, _failed(entry, POISON.format(entry.attempts)))
        else:
            self.put(entry)

    def hurry(self) -> None:
        """Wait for no room any more: the server stops."""
        self._stop.set()

    def _attempt(self, entry: Entry, worker: Worker) -> None:
        if entry.state != State.QUEUED:
            return  # cancelled meanwhile
        begun = self._begin(entry)
        with self.programs.borrowing(lambda: self._require_begun(entry, begun)) as sandbox:
            result = self._outcome(entry, begun, sandbox, worker)
            if result and entry.accepted():  # told before the sandbox is put away: nobody should wait for that
                self.finish(entry, dataclasses.replace(result, worker=worker.number))

    def _outcome(self, entry: Entry, begun: Future[bytes], sandbox: Sandbox, worker: Worker) -> JobResult | None:
        """Return what became of a job; None where it is to be begun again, or is no job after all."""
        try:
            result = self._execute(entry, begun, sandbox, worker)
            self._require_begun(entry, begun)
            entry.postponed = False
            return result
        except NotAccepted:
            return None
        except Stopped:
            return dataclasses.replace(entry.result(), state=State.CANCELLED)
        except (StoreError, NoRoomError) as error:
            self._postpone(entry, error)
            return None
        except SandboxError as error:
            if entry.attempts >= TRIES:
                return _failed(entry, str(error))
            entry.notes.append(FAILED.format(error.what))
            entry.state = State.QUEUED
            self.put(entry, first=True)
            return None
        except VenusError as error:
            return _failed(entry, str(error))
        except Exception as error:  # the boundary of a job: a bug of ours must not leave it running for ever
            log.exception("job %s", entry.job_id)
            return _failed(entry, f"the server has a bug: {type(error).__name__}: {error}")

    def _begin(self, entry: Entry) -> Future[bytes]:
        """Have it noted that a job is begun; gives the job as it is on disk."""
        entry.state = State.RUNNING
        entry.attempts += 1
        entry.started_ns = time.time_ns()
        self.tally.waited((entry.started_ns - entry.submitted_ns) / NS_PER_S)
        return self.journal.call(journal.begin(entry.job_id))

    def _require_begun(self, entry: Entry, begun: Future[bytes]) -> bytes:
        """Wait until a job is on disk, and noted there as begun: before that nothing of it runs.

        Raises:
            NotAccepted: It will not be there.
            NoRoomError, StoreError: It cannot be noted.
        """
        if not entry.accepted():
            raise NotAccepted
        return begun.result()

    def _execute(self, entry: Entry, begun: Future[bytes], sandbox: Sandbox, worker: Worker) -> JobResult:
        job = entry.job or job_from_json(self._require_begun(entry, begun))
        language = self.tongues.within(self.tongues.find(job.language), job.compile_wall_ns, job.compile_memory_bytes)
        return execute(sandbox, language, job, entry.job_id, worker.cores, lambda: entry.cancelled)

    def _postpone(self, entry: Entry, error: VenusError) -> None:
        """Put a job back for which there is no room at present, and wait a moment."""
        self.queue.trouble = f"{error.what}: {error.why}"
        log.error("a job waits: %s", error)
        entry.state = State.QUEUED
        entry.postponed = True
        entry.attempts -= 1
        self.journal.call(journal.put_back([entry.job_id]))
        self._stop.wait(PAUSE_S)
        self.put(entry, first=True)


def _failed(entry: Entry, error: str) -> JobResult:
    return dataclasses.replace(entry.result(), state=State.FAILED, error=error)
