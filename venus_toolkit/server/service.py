"""The service: accepts jobs, has workers do them, keeps what came out, and forgets it in time.

A job is accepted when it is on disk; its id stands for it from then on, through restarts, until its
result was kept for the time that the settings say. Everything here is called on the event loop,
except attempts at jobs: these run in the workers' threads, and are where failures of ours are
separated from verdicts.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import logging
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from venus_toolkit.core.errors import SandboxError, StoreError, VenusError
from venus_toolkit.core.records import NS_PER_S
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.compiled import CompiledStore
from venus_toolkit.execution.sandbox.cores import usable_cores, worker_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.server.access import CLIENT
from venus_toolkit.server.execute import GatedSandbox, Stopped, execute
from venus_toolkit.server.http_errors import (
    ClosingError,
    ConflictingKeyError,
    NoRoomError,
    QueueFullError,
    UnknownJobError,
)
from venus_toolkit.server.language_registry import LanguageRegistry
from venus_toolkit.server.prometheus import Metrics
from venus_toolkit.server.queue import journal
from venus_toolkit.server.queue.jobs import (
    Job,
    JobResult,
    JobState,
    PendingJob,
    job_from_json,
    result_from_json,
    to_json,
)
from venus_toolkit.server.queue.workers import QueueWorker, WorkerPool
from venus_toolkit.server.schemas import check_job
from venus_toolkit.server.settings import Settings

log = logging.getLogger(__name__)

SWEEP_S = 1.0  # results that a full disk did not take are written soon after there is room
KEPT_BYTES = 64 << 10  # larger jobs are not kept in memory: a full queue of them would fill it
TRIES = 2  # a job that breaks the sandbox must not do so for ever
CRASHES = 3  # nor one that kills the server; kills from outside hit a job alone as well
COMPANY = 2  # crashes after which a job runs alone, to tell whether they are its doing
PAUSE_S = 2.0  # between two tries to write to a full disk


class NotAccepted(Exception):
    """The job is not on disk after all; its client gets the reason."""


@dataclass(frozen=True, slots=True)
class Status:
    """What the service is doing, as /v1/status says it.

    `trouble` is why it accepts nothing, or "".
    """

    queued: int
    running: int
    unsaved: int
    queue_jobs: int
    workers: tuple[bool, ...]
    sessions: int
    programs: int
    closing: bool
    trouble: str  # a key of the protocol, which clients read
    job_s: float


class Service:
    """A queue, workers and what they work with; start it before use, and close it.

    Raises:
        StoreError: The folder of the queue cannot be used.
        SandboxError: Programs cannot be run here.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.journal = journal.Journal(settings.folder)
        with contextlib.ExitStack() as opened:
            # The thread of the journal is no daemon: left open, it would keep a process alive that
            # fails to start.
            opened.callback(self.journal.close)
            self.sandbox: Sandbox = open_sandbox(settings.sandbox)
            opened.callback(self.sandbox.close)
            self.languages = LanguageRegistry(self.sandbox, settings.languages)
            self.pool = WorkerPool(worker_cores(usable_cores(), settings.apart, settings.workers))
            opened.pop_all()
        self.metrics = Metrics()
        self.closing = False
        # Jobs that are not final, by their id; how many and how large they are by client. Changed
        # on the event loop only.
        self._entries: dict[str, PendingJob] = {}
        self._jobs, self._bytes = Counter[str](), Counter[str]()
        self._unsaved: dict[str, JobResult] = {}
        self._storage_error = ""  # why nothing is accepted at present although there may be room
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take up what an earlier server left, and begin to work.

        What was begun too often before is given up.
        """
        # First: what is given up is finished, which needs the loop.
        self._loop = asyncio.get_running_loop()
        for entry in await self._ask(journal.recover):
            self._add(entry)
            if entry.blamed >= CRASHES:
                began = f"it had been started {entry.attempts} times"
                why = f"the server was killed while this job ran, with no other beside it; {began}"
                self._finish(entry, entry.failed(why))
                continue
            self._put(entry)
        self._sweeping = self._loop.create_task(self._sweep())
        self.pool.start()

    def drain(self) -> None:
        """Accept nothing any more and answer all clients that wait; what was accepted goes on."""
        self.closing = True
        if self._loop:
            # A signal handler calls this, whatever the loop is doing at that moment.
            self._loop.call_soon_threadsafe(self._answer_all)

    def _answer_all(self) -> None:
        for entry in self._entries.values():
            entry.answer(entry.result())

    async def close(self) -> None:
        """Wait for what is running as long as the settings say.

        The rest is done by the next server.
        """
        self.closing = True
        self._answer_all()
        if self._sweeping:
            self._sweeping.cancel()
        # Before the workers are waited for: one of them may be pausing for a full disk.
        self._stopping.set()
        # clients are still answered meanwhile
        await asyncio.to_thread(self.pool.close, self.settings.drain_s)
        # What outlasts drain_s waits again, with its attempt taken back: a stop on request is no
        # crash.
        rest = [job_id for job_id in self._entries if job_id not in self._unsaved]
        with contextlib.suppress(NoRoomError):  # they stay marked as running, and run again
            await self._ask(lambda database: journal.put_back(database, rest))
        self._save_again()
        await asyncio.to_thread(self.journal.close)
        await asyncio.to_thread(self.sandbox.close)

    async def submit(self, job: Job, key: str | None = None) -> str:
        """Accept a job and return its id.

        It is on disk then, and the same job under the same `key` is accepted once.

        Raises:
            HTTPError: It is not accepted; http_errors.py lists the reasons.
        """
        (job_id,) = await self.submit_all([job], [key])
        return job_id

    async def submit_all(self, jobs: Sequence[Job], keys: Sequence[str | None]) -> list[str]:
        """Accept jobs, all or none, and return their ids."""
        if self.closing:
            why = "accepted jobs continue after the restart"
            raise ClosingError(
                "the server is stopping", why, "try again in a moment", retry_after_s=5
            )
        jobs = [check_job(job, self.settings, self.languages) for job in jobs]
        client, rows = CLIENT.get(), []
        for job, key in zip(jobs, keys, strict=True):
            text = to_json(job)
            # Who knows an id may read the result, so ids are random; EffiBench-X sees these 128
            # bits as a number.
            identity = hashlib.sha256(text).hexdigest()
            rows.append(journal.NewRow(secrets.token_hex(16), key, identity, text, client))
        self._require_room(client, len(rows), sum(len(row.job) for row in rows))
        entries = [
            PendingJob(
                row.job_id,
                len(row.job),
                time.time_ns(),
                job if len(row.job) <= KEPT_BYTES else None,
                client=client,
            )
            for row, job in zip(rows, jobs, strict=True)
        ]
        accepting = self.journal.call(lambda database: journal.accept(database, rows), durable=True)
        for entry in entries:  # a worker makes ready for it while the disk is at it
            entry.accepting = accepting
            self._add(entry)
            self._put(entry)
        # a client may go away; its jobs stay
        job_ids = await asyncio.shield(self._accepted(accepting, entries))
        if "" in job_ids:
            why = "the key stands for a job that is not the same"
            raise ConflictingKeyError(
                "the job was not accepted", why, "use a new Idempotency-Key for each job"
            )
        return job_ids

    def _require_room(self, client: str, jobs: int, size: int) -> None:
        """Check that so many jobs of a client, of so many bytes together, can be accepted.

        Where there are several keys, a client may have no more than what is left to the others
        (Choudhury and Hahne, "Dynamic queue length thresholds", 1998): half of the queue where it
        is the only one, a third where two are, and never all of it.
        """
        settings, storage_error = self.settings, self._storage_error
        with contextlib.suppress(OSError):
            disk = os.statvfs(settings.folder)
            free = disk.f_bavail * disk.f_frsize
            if not storage_error and free < settings.free_bytes + size:
                storage_error = f"the disk that holds the queue has only {free >> 20} MiB left"
        if storage_error:
            why = f"{storage_error}; nothing accepted is lost"
            raise NoRoomError(
                "the server accepts no jobs at present", why, "make room there", retry_after_s=30
            )
        own, own_bytes = self._jobs[client] + jobs, self._bytes[client] + size
        left = settings.queue_jobs - len(self._entries) - jobs
        left_bytes = settings.queue_bytes - self._bytes.total() - size
        shared = len(settings.keys) > 1
        if left < 0 or left_bytes < 0:
            what, why, count = "the queue is full", "jobs wait or run", len(self._entries)
        elif shared and (own > left or own_bytes > left_bytes):
            what, count = "this client's part of the queue is full", self._jobs[client]
            why = "of its jobs wait or run, and the rest is for other clients"
        else:
            return
        # Come back when about a tenth of them is done.
        tenth_s = max(1, count // 10) * self.metrics.job_s / len(self.pool.workers)
        again_s = int(min(300, max(1, tenth_s)))
        raise QueueFullError(what, f"{count} {why}", "try again later", again_s)

    def _add(self, entry: PendingJob) -> None:
        self._entries[entry.job_id] = entry
        self._jobs[entry.client] += 1
        self._bytes[entry.client] += entry.size

    def _remove(self, entry: PendingJob) -> None:
        if self._entries.pop(entry.job_id, None):
            self._jobs[entry.client] -= 1
            self._bytes[entry.client] -= entry.size

    async def _accepted(
        self, accepting: Future[list[str]], entries: Sequence[PendingJob]
    ) -> list[str]:
        """Return the ids of jobs once they are on disk.

        Those that are not, or were there before, take no place.
        """
        job_ids = [""] * len(entries)
        try:
            job_ids = await asyncio.wrap_future(accepting)
        except NoRoomError as error:
            self._storage_error = error.why
            raise
        finally:
            # Still all "" where the write failed: then no entry keeps its place.
            refused = "" in job_ids
            for entry, job_id in zip(entries, job_ids, strict=True):
                if refused or job_id != entry.job_id:
                    self._remove(entry)
                else:
                    self.metrics.accepted += 1
        return job_ids

    async def wait(self, job_id: str, timeout_s: float | None = None) -> JobResult:
        """Return what became of a job.

        After a time, or when the server stops, it may not be final.
        """
        entry = self._entries.get(job_id)
        if entry is None or self.closing or timeout_s == 0:
            return await self.get(job_id)
        future = asyncio.get_running_loop().create_future()
        entry.waiting.append(future)
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            return await self.get(job_id)
        finally:
            if future in entry.waiting:
                entry.waiting.remove(future)

    async def get(self, job_id: str) -> JobResult:
        """Return what is known of a job."""
        (found,) = await self.get_all([job_id])
        if found is None:
            why = (
                f"it was never accepted, or its result was kept for {self.settings.ttl_s:.0f} s "
                "and then removed"
            )
            raise UnknownJobError(f"there is no job {job_id[:80]!r}", why, "submit it again")
        return found

    async def get_all(self, job_ids: Sequence[str]) -> list[JobResult | None]:
        """Return what is known of each job; None where there is no such job."""
        # Memory before the disk: an entry leaves memory only after its result was written or is
        # among the unsaved.
        found: dict[str, JobResult | None] = {}
        for job_id in job_ids:
            entry = self._entries.get(job_id)
            found[job_id] = self._unsaved.get(job_id) or (entry.result() if entry else None)
        on_disk = [job_id for job_id, result in found.items() if result is None]
        texts = await self._ask(lambda database: journal.find(database, on_disk)) if on_disk else {}
        found |= {job_id: result_from_json(text) for job_id, text in texts.items()}
        return [found[job_id] for job_id in job_ids]

    async def cancel(self, job_id: str) -> JobResult:
        """Cancel a job and return what is known of it.

        One that is running stops after the run that it is in.
        """
        entry = self._entries.get(job_id)
        if entry is None:
            return await self.get(job_id)
        entry.cancelled = True
        if entry.state == JobState.QUEUED:
            self._finish(entry, dataclasses.replace(entry.result(), state=JobState.CANCELLED))
        return await self.wait(job_id, 1.0)

    def status(self) -> Status:
        """Return what the service is doing."""
        # asked for from any thread
        states = [entry.state for entry in list(self._entries.values())]
        return Status(
            queued=states.count(JobState.QUEUED),
            running=states.count(JobState.RUNNING),
            unsaved=len(self._unsaved),
            queue_jobs=self.settings.queue_jobs,
            workers=tuple(worker.busy for worker in self.pool.workers),
            sessions=sum(worker.sessions for worker in self.pool.workers),
            programs=CompiledStore().count(),
            closing=self.closing,
            trouble=self._storage_error,
            job_s=self.metrics.job_s,
        )

    async def _ask(self, work: journal.Work[journal.Found]) -> journal.Found:
        return await asyncio.wrap_future(self.journal.call(work))

    def _put(self, entry: PendingJob, first: bool = False) -> None:
        """Have a job done by whichever worker is free."""
        self.pool.put_for(
            entry.client,
            lambda worker: self._attempt(entry, worker),
            first=first,
            alone=entry.crashes >= COMPANY,
        )

    def _attempt(self, entry: PendingJob, worker: QueueWorker) -> None:
        """Do a job, in the thread of a worker."""
        if entry.state != JobState.QUEUED:
            return  # cancelled meanwhile
        entry.state = JobState.RUNNING
        entry.attempts += 1
        entry.started_ns = time.time_ns()
        self.metrics.queueing.add((entry.started_ns - entry.submitted_ns) / NS_PER_S)
        # Not waited for here: a session gets ready meanwhile. GatedSandbox waits before anything of
        # the job runs.
        begun = self.journal.call(lambda database: journal.begin(database, entry.job_id))
        with GatedSandbox(self.sandbox, lambda: _require_begun(entry, begun)) as sandbox:
            result = self._outcome(entry, begun, sandbox, worker)
            # published before the sandbox is closed: nobody should wait for that
            if result and entry.accepted():
                self._finish(entry, dataclasses.replace(result, worker=worker.number))

    def _outcome(
        self, entry: PendingJob, begun: Future[bytes], sandbox: Sandbox, worker: QueueWorker
    ) -> JobResult | None:
        """Return what became of a job.

        None where it is to be begun again, or is no job after all.
        """
        try:
            job = entry.job or job_from_json(_require_begun(entry, begun))
            language = self.languages.find(job.language)
            language = self.languages.with_compile_limits(
                language, job.compile_wall_ns, job.compile_memory_bytes
            )
            result = execute(
                sandbox, language, job, entry.job_id, worker.cores, lambda: entry.cancelled
            )
            # what is known not to compile opened no session, which waits
            _require_begun(entry, begun)
            entry.postponed = False
            return result
        except NotAccepted:
            return None
        except Stopped:
            return dataclasses.replace(entry.result(), state=JobState.CANCELLED)
        except (StoreError, NoRoomError) as error:
            self._postpone(entry, error)
            return None
        except SandboxError as error:
            entry.failures += 1
            if entry.failures >= TRIES:
                return entry.failed(str(error))
            entry.notes.append(f"it ran again: the sandbox failed: {error.what}")
            entry.state = JobState.QUEUED
            self._put(entry, first=True)
            return None
        except VenusError as error:
            return entry.failed(str(error))
        # the boundary of a job: a bug of ours must not leave it running for ever
        except Exception as error:
            log.exception("job %s", entry.job_id)
            return entry.failed(f"the server has a bug: {type(error).__name__}: {error}")

    def _postpone(self, entry: PendingJob, error: VenusError) -> None:
        """Put a job back for which there is no room at present, and wait a moment."""
        self._storage_error = f"{error.what}: {error.why}"
        log.error("a job waits: %s", error)
        entry.state = JobState.QUEUED
        entry.postponed = True
        # Trouble with the disk is not the job's fault: it must not use up its TRIES.
        entry.attempts -= 1
        self.journal.call(lambda database: journal.put_back(database, [entry.job_id]))
        self._stopping.wait(PAUSE_S)
        self._put(entry, first=True)

    def _finish(self, entry: PendingJob, result: JobResult) -> None:
        """Keep a result, and answer clients that wait once it is on disk.

        May be called from a worker.
        """
        final = dataclasses.replace(
            result,
            notes=tuple(entry.notes),
            attempts=entry.attempts,
            submitted_ns=entry.submitted_ns,
            started_ns=entry.started_ns,
            finished_ns=time.time_ns(),
        )
        entry.state = final.state
        saved = self._save(final)
        assert self._loop
        loop = self._loop
        # This is called in the thread of the journal, and the entries are changed on the event loop
        # only.
        saved.add_done_callback(
            lambda done: loop.call_soon_threadsafe(self._finished, entry, final, done)
        )

    def _save(self, result: JobResult) -> Future[None]:
        # made here, and not in the thread of the journal, for which everybody waits
        text = result.json
        return self.journal.call(
            lambda database: journal.finish(database, result.job_id, result.state, text)
        )

    def _finished(self, entry: PendingJob, result: JobResult, saved: Future[None]) -> None:
        """Publish a result; one that could not be written stays in memory until it can."""
        error = saved.exception()
        if error:
            self._storage_error = f"the result of a job cannot be written: {error}".replace(
                "\n", "; "
            )
            log.error("%s", self._storage_error)
            self._unsaved[entry.job_id] = result
        self._remove(entry)
        self.metrics.finished(result)
        entry.answer(result)

    async def _sweep(self) -> None:
        """Write what could not be written, and forget old results, again and again."""
        while True:
            self._save_again()
            with contextlib.suppress(NoRoomError, StoreError):  # the next time, then
                before_ns = time.time_ns() - int(self.settings.ttl_s * NS_PER_S)
                await self._ask(partial(journal.forget, before_ns=before_ns))
            await asyncio.sleep(min(SWEEP_S, self.settings.ttl_s / 4))

    def _save_again(self) -> None:
        for job_id, result in list(self._unsaved.items()):
            try:
                self._save(result).result(5)
            except (NoRoomError, StoreError, TimeoutError):
                return
            del self._unsaved[job_id]
        if not any(entry.postponed for entry in self._entries.values()):
            self._storage_error = ""


def _require_begun(entry: PendingJob, begun: Future[bytes]) -> bytes:
    """Wait until a job is on disk, and noted there as begun: before that nothing of it runs.

    Raises:
        NotAccepted: It will not be there.
        NoRoomError, StoreError: It cannot be noted.
    """
    if not entry.accepted():
        raise NotAccepted
    return begun.result()
