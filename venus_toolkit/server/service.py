"""The service: accepts jobs, runs them on workers, stores their results for a limited time.

A job is accepted once it is on disk. From then on its id is valid, also after restarts, until the
result has been stored for the time in the settings. All methods run on the event loop, except
attempts at jobs: these run in the workers' threads, and separate failures of the sandbox from
verdicts.
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
from venus_toolkit.server.execute import GatedSandbox, JobCancelled, execute
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

SWEEP_S = 1.0  # between two attempts to write the results that a full disk has refused
CACHED_BYTES = 64 << 10  # larger jobs stay on disk, because a full queue of them would fill memory
TRIES = 2  # attempts at a job whose sandbox fails
CRASHES = 3  # server crashes after which a job fails; some may have another cause
COMPANY = 2  # server crashes after which a job runs alone, to find out whether it is the cause
PAUSE_S = 2.0  # between two attempts to write to a full disk


class NotAccepted(Exception):
    """The job could not be written to disk; its client gets the reason."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the service, as in /v1/status.

    `trouble` is the reason why it accepts no jobs, or "".
    """

    queued: int
    running: int
    unsaved: int
    queue_jobs: int
    workers: tuple[bool, ...]
    sessions: int
    programs: int
    closing: bool
    trouble: str  # part of the protocol, so it must not be renamed
    job_s: float


class Service:
    """A queue, its workers, and their sandbox; start it before use, and close it.

    Raises:
        StoreError: The folder of the queue cannot be used.
        SandboxError: Programs cannot be run here.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.journal = journal.Journal(settings.folder)
        with contextlib.ExitStack() as opened:
            # The journal's thread is not a daemon, so an open journal would keep a process alive
            # that fails to start.
            opened.callback(self.journal.close)
            self.sandbox: Sandbox = open_sandbox(settings.sandbox)
            opened.callback(self.sandbox.close)
            self.languages = LanguageRegistry(self.sandbox, settings.languages)
            self.pool = WorkerPool(worker_cores(usable_cores(), settings.apart, settings.workers))
            opened.pop_all()
        self.metrics = Metrics()
        self.closing = False
        # Pending jobs by id, and their number and size by client. Only the event loop changes them.
        self._entries: dict[str, PendingJob] = {}
        self._jobs, self._bytes = Counter[str](), Counter[str]()
        self._unsaved: dict[str, JobResult] = {}
        self._storage_error = ""  # why the service accepts no jobs, although the disk may have room
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Resume the jobs of an earlier server, and start the workers.

        A job fails at once if it may have crashed the server CRASHES times.
        """
        # `_finish` needs the loop.
        self._loop = asyncio.get_running_loop()
        for entry in await self._ask(journal.recover):
            self._add(entry)
            if entry.blamed >= CRASHES:
                reason = (
                    "the server was killed while this job was the only one running; it had been "
                    f"started {entry.attempts} times"
                )
                self._finish(entry, entry.failed(reason))
                continue
            self._put(entry)
        self._sweeping = self._loop.create_task(self._sweep())
        self.pool.start()

    def drain(self) -> None:
        """Accept no more jobs and answer all waiting clients; accepted jobs continue."""
        self.closing = True
        if self._loop:
            # A signal handler may call this at any moment.
            self._loop.call_soon_threadsafe(self._answer_all)

    def _answer_all(self) -> None:
        for entry in self._entries.values():
            entry.answer(entry.result())

    async def close(self) -> None:
        """Wait for running jobs, for the time in the settings; the next server runs the rest."""
        self.closing = True
        self._answer_all()
        if self._sweeping:
            self._sweeping.cancel()
        # First of all, since a worker may be pausing because the disk is full.
        self._stopping.set()
        # In a thread, so that the event loop still answers clients.
        await asyncio.to_thread(self.pool.close, self.settings.drain_s)
        # Jobs that outlast drain_s go back to the queue. Their attempt does not count, since a
        # requested stop is not a crash.
        rest = [job_id for job_id in self._entries if job_id not in self._unsaved]
        # If the disk is full, they stay marked as running, and the next server restarts them.
        with contextlib.suppress(NoRoomError):
            await self._ask(lambda database: journal.put_back(database, rest))
        self._save_again()
        await asyncio.to_thread(self.journal.close)
        await asyncio.to_thread(self.sandbox.close)

    async def submit(self, job: Job, key: str | None = None) -> str:
        """Accept a job and return its id, once it is on disk.

        The same job with the same `key` is accepted once.

        Raises:
            HTTPError: The job is refused; http_errors.py lists the reasons.
        """
        (job_id,) = await self.submit_all([job], [key])
        return job_id

    async def submit_all(self, jobs: Sequence[Job], keys: Sequence[str | None]) -> list[str]:
        """Accept jobs, all or none, and return their ids."""
        if self.closing:
            raise ClosingError(
                "the server is stopping",
                "accepted jobs continue after the restart",
                "try again in a moment",
                retry_after_s=5,
            )
        jobs = [check_job(job, self.settings, self.languages) for job in jobs]
        client, rows = CLIENT.get(), []
        for job, key in zip(jobs, keys, strict=True):
            text = to_json(job)
            # Any client that knows an id may read the result, so ids are random. EffiBench-X uses
            # the 128 bits as a number.
            identity = hashlib.sha256(text).hexdigest()
            rows.append(journal.NewRow(secrets.token_hex(16), key, identity, text, client))
        self._require_room(client, len(rows), sum(len(row.job) for row in rows))
        entries = [
            PendingJob(
                row.job_id,
                len(row.job),
                time.time_ns(),
                job if len(row.job) <= CACHED_BYTES else None,
                client=client,
            )
            for row, job in zip(rows, jobs, strict=True)
        ]
        accepting = self.journal.call(lambda database: journal.accept(database, rows), durable=True)
        for entry in entries:  # a worker prepares the sandbox while the job is written to disk
            entry.accepting = accepting
            self._add(entry)
            self._put(entry)
        # If the client disconnects, its jobs remain.
        job_ids = await asyncio.shield(self._accepted(accepting, entries))
        if "" in job_ids:
            raise ConflictingKeyError(
                "the job was not accepted",
                "the key was used for another job",
                "use a new Idempotency-Key for each job",
            )
        return job_ids

    def _require_room(self, client: str, jobs: int, size: int) -> None:
        """Check that the queue has room for a number of jobs of a client, `size` bytes in total.

        With several keys, a client's part may be at most as large as the free part of the queue
        (Choudhury and Hahne, "Dynamic queue length thresholds", 1998): half of the queue for a
        single client, a third for each of two, and never all of it.
        """
        settings, storage_error = self.settings, self._storage_error
        with contextlib.suppress(OSError):
            disk = os.statvfs(settings.folder)
            free = disk.f_bavail * disk.f_frsize
            if not storage_error and free < settings.free_bytes + size:
                storage_error = f"the disk that holds the queue has only {free >> 20} MiB left"
        if storage_error:
            reason = f"{storage_error}; accepted jobs are not lost"
            raise NoRoomError(
                "the server accepts no jobs at present", reason, "make room there", retry_after_s=30
            )
        own, own_bytes = self._jobs[client] + jobs, self._bytes[client] + size
        left = settings.queue_jobs - len(self._entries) - jobs
        left_bytes = settings.queue_bytes - self._bytes.total() - size
        shared = len(settings.keys) > 1
        if left < 0 or left_bytes < 0:
            failure, count = "the queue is full", len(self._entries)
            reason = "jobs wait or run"
        elif shared and (own > left or own_bytes > left_bytes):
            failure, count = "this client's part of the queue is full", self._jobs[client]
            reason = "of its jobs wait or run, and the rest is for other clients"
        else:
            return
        # The time until about a tenth of the jobs has finished.
        tenth_s = max(1, count // 10) * self.metrics.job_s / len(self.pool.workers)
        again_s = int(min(300, max(1, tenth_s)))
        raise QueueFullError(failure, f"{count} {reason}", "try again later", again_s)

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
        """Return the ids of jobs once they are on disk; remove the entries of all others.

        A job that was accepted before has its older id.
        """
        job_ids = [""] * len(entries)
        try:
            job_ids = await asyncio.wrap_future(accepting)
        except NoRoomError as error:
            self._storage_error = error.why
            raise
        finally:
            # After a failed write all ids are "", so all entries are removed.
            refused = "" in job_ids
            for entry, job_id in zip(entries, job_ids, strict=True):
                if refused or job_id != entry.job_id:
                    self._remove(entry)
                else:
                    self.metrics.accepted += 1
        return job_ids

    async def wait(self, job_id: str, timeout_s: float | None = None) -> JobResult:
        """Return the result of a job, or its state after a timeout or when the server stops."""
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
        """Return the state or the result of a job.

        Raises:
            UnknownJobError: The job is unknown, or its result was removed.
        """
        (result,) = await self.get_all([job_id])
        if result is None:
            ttl_s = self.settings.ttl_s
            reason = f"it was never accepted, or its result was removed after {ttl_s:.0f} s"
            raise UnknownJobError(f"there is no job {job_id[:80]!r}", reason, "submit it again")
        return result

    async def get_all(self, job_ids: Sequence[str]) -> list[JobResult | None]:
        """Return the state or the result of each job, or None if it is unknown."""
        # Memory before the disk: an entry leaves memory only after its result was written, or added
        # to the unsaved ones.
        results: dict[str, JobResult | None] = {}
        for job_id in job_ids:
            entry = self._entries.get(job_id)
            results[job_id] = self._unsaved.get(job_id) or (entry.result() if entry else None)
        on_disk = [job_id for job_id, result in results.items() if result is None]
        texts = await self._ask(lambda database: journal.find(database, on_disk)) if on_disk else {}
        results |= {job_id: result_from_json(text) for job_id, text in texts.items()}
        return [results[job_id] for job_id in job_ids]

    async def cancel(self, job_id: str) -> JobResult:
        """Cancel a job and return its state; a running one stops after its current run."""
        entry = self._entries.get(job_id)
        if entry is None:
            return await self.get(job_id)
        entry.cancelled = True
        if entry.state == JobState.QUEUED:
            self._finish(entry, dataclasses.replace(entry.result(), state=JobState.CANCELLED))
        return await self.wait(job_id, 1.0)

    def status(self) -> Status:
        """Return the state of the service; any thread may call this."""
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

    async def _ask(self, work: journal.Work[journal.Value]) -> journal.Value:
        return await asyncio.wrap_future(self.journal.call(work))

    def _put(self, entry: PendingJob, first: bool = False) -> None:
        """Queue a job for any free worker."""
        self.pool.put_for(
            entry.client,
            lambda worker: self._attempt(entry, worker),
            first=first,
            alone=entry.crashes >= COMPANY,
        )

    def _attempt(self, entry: PendingJob, worker: QueueWorker) -> None:
        """Run a job, in the thread of a worker."""
        if entry.state != JobState.QUEUED:
            return  # cancelled meanwhile
        entry.state = JobState.RUNNING
        entry.attempts += 1
        entry.started_ns = time.time_ns()
        self.metrics.queueing.add((entry.started_ns - entry.submitted_ns) / NS_PER_S)
        # Meanwhile the session is prepared; GatedSandbox waits for this future before it runs any
        # part of the job.
        begun = self.journal.call(lambda database: journal.begin(database, entry.job_id))
        with GatedSandbox(self.sandbox, lambda: _require_begun(entry, begun)) as sandbox:
            result = self._outcome(entry, begun, sandbox, worker)
            # Before the sandbox is closed, so that clients need not wait for that.
            if result and entry.accepted():
                self._finish(entry, dataclasses.replace(result, worker=worker.number))

    def _outcome(
        self, entry: PendingJob, begun: Future[bytes], sandbox: Sandbox, worker: QueueWorker
    ) -> JobResult | None:
        """Return the result of a job, or None if it was queued again or not accepted."""
        try:
            job = entry.job or job_from_json(_require_begun(entry, begun))
            language = self.languages.find(job.language)
            language = self.languages.with_compile_limits(
                language, job.compile_wall_ns, job.compile_memory_bytes
            )
            result = execute(
                sandbox, language, job, entry.job_id, worker.cores, lambda: entry.cancelled
            )
            # A stored compile error needs no session, so nothing has waited for `begun` yet.
            _require_begun(entry, begun)
            entry.postponed = False
            return result
        except NotAccepted:
            return None
        except JobCancelled:
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
        # The boundary of a job: a bug of the server must not leave it running for ever.
        except Exception as error:
            log.exception("job %s", entry.job_id)
            return entry.failed(f"the server has a bug: {type(error).__name__}: {error}")

    def _postpone(self, entry: PendingJob, error: VenusError) -> None:
        """Queue a job again after a failure of the disk, and wait a moment."""
        self._storage_error = f"{error.what}: {error.why}"
        log.error("a job waits: %s", error)
        entry.state = JobState.QUEUED
        entry.postponed = True
        # A failure of the disk is not the job's fault, so it does not count as an attempt.
        entry.attempts -= 1
        self.journal.call(lambda database: journal.put_back(database, [entry.job_id]))
        self._stopping.wait(PAUSE_S)
        self._put(entry, first=True)

    def _finish(self, entry: PendingJob, result: JobResult) -> None:
        """Store a result, and answer waiting clients once it is on disk; from any thread."""
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
        # The callback runs in the thread of the journal, but only the event loop changes entries.
        saved.add_done_callback(
            lambda future: loop.call_soon_threadsafe(self._publish, entry, final, future)
        )

    def _save(self, result: JobResult) -> Future[None]:
        # Not in the thread of the journal, for which all other work waits.
        text = result.json
        return self.journal.call(
            lambda database: journal.finish(database, result.job_id, result.state, text)
        )

    def _publish(self, entry: PendingJob, result: JobResult, saved: Future[None]) -> None:
        """Publish a result; one that could not be written stays in memory until a later attempt."""
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
        """Write unsaved results and remove old ones, repeatedly."""
        while True:
            self._save_again()
            with contextlib.suppress(NoRoomError, StoreError):  # retried in the next round
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
    """Wait until a job is on disk and marked as running there, and return it as JSON.

    Raises:
        NotAccepted: The job could not be written to disk.
        NoRoomError, StoreError: The job could not be marked as running.
    """
    if not entry.accepted():
        raise NotAccepted
    return begun.result()
