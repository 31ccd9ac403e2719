"""The service: accepts jobs, has workers do them, keeps what came out, and forgets it in time.

Everything here is called on the event loop except where it says so. A job is accepted when it is on disk;
its id stands for it from then on, through restarts, until its result was kept for the time that the settings say.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import logging
import secrets
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from venus_toolkit.errors import StoreError, VenusError
from venus_toolkit.records import NS_PER_S
from venus_toolkit.sandbox import Sandbox, open_sandbox
from venus_toolkit.server import journal
from venus_toolkit.server.attempts import Attempts
from venus_toolkit.server.checks import check_job
from venus_toolkit.server.jobs import Job, JobResult, State, Told, result_from_json, to_json, told
from venus_toolkit.server.metrics import Tally
from venus_toolkit.server.programs import Programs
from venus_toolkit.server.queue import Entry, Queue
from venus_toolkit.server.refusals import (
    ClosingError,
    ConflictingKeyError,
    NoRoomError,
    UnknownJobError,
)
from venus_toolkit.server.settings import Settings
from venus_toolkit.server.tongues import Tongues
from venus_toolkit.server.workers import Pool, worker_cores

log = logging.getLogger(__name__)

SWEEP_S = 1.0
KEPT_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Status:
    """What the service is doing; `trouble` is why it accepts nothing, or ""."""

    queued: int
    running: int
    unsaved: int
    queue_jobs: int
    workers: tuple[bool, ...]
    sessions: int
    programs: int
    closing: bool
    trouble: str
    job_s: float


class Service:
    """A queue, workers and what they work with; start it before use, and close it.

    Args:
        settings: What the server was told.

    Raises:
        StoreError: The folder of the queue cannot be used.
        SandboxError: Programs cannot be run here.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.journal = journal.Journal(settings.folder)
        try:
            self.sandbox: Sandbox = open_sandbox(settings.sandbox)
        except VenusError:
            self.journal.close()
            raise
        self.tongues = Tongues(self.sandbox, settings.languages)
        self.programs = Programs(self.sandbox)
        self.pool = Pool(worker_cores(settings.workers, settings.apart))
        self.tally = Tally()
        self.closing = False
        self._queue = Queue(settings)
        self._attempts = Attempts(
            self._queue, self.journal, self.pool, self.tongues, self.programs, self.tally, self._finish
        )
        self._unsaved: dict[str, Told] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeping: asyncio.Task[None] | None = None

    # -------------------------------------------------------------- starting and stopping

    async def start(self) -> None:
        """Take up what an earlier server left, and begin to work."""
        self._loop = asyncio.get_running_loop()
        for row in await self._ask(journal.unfinished()):
            entry = Entry(row.job_id, row.size, row.submitted_ns, attempts=row.attempts)
            self._queue.add(entry)
            self._attempts.resume(entry, begun=row.state == State.RUNNING)
        self._sweeping = self._loop.create_task(self._sweep())
        self.pool.start()

    def drain(self) -> None:
        """Accept nothing any more and let those who wait go; what was accepted goes on."""
        self.closing = True
        if self._loop:
            self._loop.call_soon_threadsafe(self._let_go)

    def _let_go(self) -> None:
        for entry in self._queue:
            if entry.waiting:
                self._answer(entry, told(entry.result()))

    async def close(self) -> None:
        """Wait for what is running as long as the settings say; the rest is done by the next server."""
        self.closing = True
        self._let_go()
        if self._sweeping:
            self._sweeping.cancel()
        self._attempts.hurry()
        await asyncio.to_thread(self.pool.close, self.settings.drain_s)
        rest = [entry.job_id for entry in self._queue]
        with contextlib.suppress(NoRoomError):  # they stay marked as running, and run again
            await self._ask(journal.put_back([job_id for job_id in rest if job_id not in self._unsaved]))
        self._save_again()
        await asyncio.to_thread(self.journal.close)
        await asyncio.to_thread(self.sandbox.close)

    # -------------------------------------------------------------- what clients do

    async def submit(self, job: Job, key: str | None = None) -> str:
        """Accept a job and return its id; it is on disk then.

        Args:
            job: The job.
            key: An idempotency key: the same job under the same key is accepted once.

        Raises:
            Refusal: It is not accepted; refusals.py says why not.
        """
        (job_id,) = await self.submit_all([job], [key])
        return job_id

    async def submit_all(self, jobs: Sequence[Job], keys: Sequence[str | None]) -> list[str]:
        """Accept jobs, all or none, and return their ids."""
        self._require_open()
        jobs = [check_job(job, self.settings, self.tongues) for job in jobs]
        rows = [_new_row(job, key) for job, key in zip(jobs, keys, strict=True)]
        size = sum(len(row.job) for row in rows)
        self._queue.require_room(len(rows), size, self.tally.job_s / len(self.pool.workers))
        entries = [
            Entry(row.job_id, len(row.job), time.time_ns(), job if len(row.job) <= KEPT_BYTES else None)
            for row, job in zip(rows, jobs, strict=True)
        ]
        accepting = self.journal.call(journal.accept(rows), durable=True)
        for entry in entries:  # a worker makes ready for it while the disk is at it
            entry.accepting = accepting
            self._queue.add(entry)
            self._attempts.put(entry)
        found = await asyncio.shield(self._accepted(accepting, entries))  # who asked may go away; the jobs stay
        if "" in found:
            why = "the key stands for a job that is not the same"
            raise ConflictingKeyError("the job was not accepted", why, "use a new Idempotency-Key for each job")
        return found

    async def _accepted(self, accepting: Future[list[str]], entries: Sequence[Entry]) -> list[str]:
        found = [""] * len(entries)
        try:
            found = await asyncio.wrap_future(accepting)
        except NoRoomError as error:
            self._queue.trouble = error.why
            raise
        finally:
            self._settle(entries, found)
        return found

    def _settle(self, entries: Sequence[Entry], found: Sequence[str]) -> None:
        """Count accepted jobs; those that were not, or were there before, take no place."""
        refused = "" in found
        for entry, job_id in zip(entries, found, strict=True):
            if refused or job_id != entry.job_id:
                self._queue.remove(entry)
            else:
                self.tally.accepted += 1

    async def wait(self, job_id: str, timeout_s: float | None = None) -> JobResult:
        """Return what became of a job, at the latest after a time, or when the server stops: then it may not be final.

        Raises:
            UnknownJobError: There is no such job.
        """
        return (await self.tell(job_id, timeout_s)).result

    async def tell(self, job_id: str, timeout_s: float | None = None) -> Told:
        """Return what `wait` returns, with its JSON: made once, for the disk and for all who wait.

        Raises:
            UnknownJobError: There is no such job.
        """
        entry = self._queue.find(job_id)
        if entry is None or self.closing or timeout_s == 0:
            return told(await self.get(job_id))
        future = asyncio.get_running_loop().create_future()
        entry.waiting.append(future)
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            return told(await self.get(job_id))
        finally:
            if future in entry.waiting:
                entry.waiting.remove(future)

    async def get(self, job_id: str) -> JobResult:
        """Return what is known of a job.

        Raises:
            UnknownJobError: There is no such job.
        """
        (result,) = await self.get_all([job_id])
        if result is None:
            why = f"it was never accepted, or its result was kept for {self.settings.ttl_s:.0f} s and then removed"
            raise UnknownJobError(f"there is no job {job_id[:80]!r}", why, "submit it again")
        return result

    async def get_all(self, job_ids: Sequence[str]) -> list[JobResult | None]:
        """Return what is known of each job; None where there is no such job."""
        known = {each: self._in_memory(each) for each in job_ids}
        asked = [each for each, result in known.items() if result is None]
        rows = await self._ask(journal.find(asked)) if asked else []
        for job_id, row in zip(asked, rows, strict=True):
            known[job_id] = result_from_json(row.result) if row and row.result else None
        return [known[each] for each in job_ids]

    def _in_memory(self, job_id: str) -> JobResult | None:
        if job_id in self._unsaved:
            return self._unsaved[job_id].result
        entry = self._queue.find(job_id)
        return entry.result() if entry else None

    async def cancel(self, job_id: str) -> JobResult:
        """Cancel a job and return what is known of it: one that is running stops after the run that it is in.

        Raises:
            UnknownJobError: There is no such job.
        """
        entry = self._queue.find(job_id)
        if entry is None:
            return await self.get(job_id)
        entry.cancelled = True
        if entry.state == State.QUEUED:
            self._finish(entry, dataclasses.replace(entry.result(), state=State.CANCELLED))
        return await self.wait(job_id, 1.0)

    def status(self) -> Status:
        """Return what the service is doing."""
        states = [entry.state for entry in self._queue]
        return Status(
            queued=states.count(State.QUEUED),
            running=states.count(State.RUNNING),
            unsaved=len(self._unsaved),
            queue_jobs=self.settings.queue_jobs,
            workers=tuple(worker.busy for worker in self.pool.workers),
            sessions=sum(worker.sessions for worker in self.pool.workers),
            programs=len(self.programs),
            closing=self.closing,
            trouble=self._queue.trouble,
            job_s=self.tally.job_s,
        )

    # -------------------------------------------------------------- bookkeeping

    def _require_open(self) -> None:
        if self.closing:
            why = "what it accepted goes on when it is back"
            raise ClosingError("the server is stopping", why, "try again in a moment", retry_after_s=5)

    async def _ask(self, work: journal.Work[journal.Found], durable: bool = False) -> journal.Found:
        return await asyncio.wrap_future(self.journal.call(work, durable))

    def _answer(self, entry: Entry, what: Told) -> None:
        for future in entry.waiting:
            if not future.done():
                future.set_result(what)
        entry.waiting.clear()

    def _finish(self, entry: Entry, result: JobResult) -> None:
        """Keep a result, and tell those who wait once it is on disk. May be called from a worker."""
        final = dataclasses.replace(
            result,
            notes=tuple(entry.notes),
            attempts=entry.attempts,
            submitted_ns=entry.submitted_ns,
            started_ns=entry.started_ns,
            finished_ns=time.time_ns(),
        )
        entry.state = final.state
        what = told(final)
        saved = self.journal.call(journal.finish(entry.job_id, final.state, what.text))
        assert self._loop
        loop = self._loop
        saved.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finished, entry, what, done))

    def _finished(self, entry: Entry, what: Told, saved: Future[None]) -> None:
        """Say what became of a job; a result that could not be written stays in memory until it can."""
        error = saved.exception()
        if error:
            self._queue.trouble = f"the result of a job cannot be written: {error}".replace("\n", "; ")
            log.error("%s", self._queue.trouble)
            self._unsaved[entry.job_id] = what
        self._queue.remove(entry)
        self.tally.finished(what.result)
        self._answer(entry, what)

    async def _sweep(self) -> None:
        """Now and then write what could not be written, and forget old results."""
        while True:
            self._save_again()
            with contextlib.suppress(NoRoomError, StoreError):  # the next time, then
                before = time.time_ns() - int(self.settings.ttl_s * NS_PER_S)
                await self._ask(journal.forget(before))
            await asyncio.sleep(min(SWEEP_S, self.settings.ttl_s / 4))

    def _save_again(self) -> None:
        for job_id, what in list(self._unsaved.items()):
            try:
                self.journal.call(journal.finish(job_id, what.result.state, what.text)).result(5)
            except (NoRoomError, StoreError, TimeoutError):
                return
            del self._unsaved[job_id]
        if not any(entry.postponed for entry in self._queue):
            self._queue.trouble = ""


def _new_row(job: Job, key: str | None) -> journal.NewRow:
    text = to_json(job)
    return journal.NewRow(secrets.token_hex(16), key, hashlib.sha256(text).hexdigest(), text)
