"""The queue on disk: SQLite with a write-ahead log, one thread, many requests per transaction.

A job is synced to disk before its client gets an answer, so a power cut loses none. Starts and ends
of jobs survive a killed server; after a power cut a job may run again, with a note in its result.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.core.errors import StoreError
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import lock_folder
from venus_toolkit.server.http_errors import NoRoomError
from venus_toolkit.server.queue.jobs import JobState, PendingJob

Value = TypeVar("Value")
Work = Callable[[sqlite3.Connection], Value]

SCHEMA = """
create table if not exists jobs (
  seq integer primary key autoincrement, id text not null unique, key text unique, digest text not null,
  state text not null, size integer not null, job blob, result blob, attempts integer not null default 0,
  submitted_ns integer not null, started_ns integer, finished_ns integer,
  client text not null default '');
create table if not exists crashes (number integer not null, jobs integer not null, id text not null);
create index if not exists finished on jobs (finished_ns) where finished_ns is not null;
"""
SETTINGS = (
    # With an exclusive lock, SQLite maps no file into memory. A full disk would crash the server
    # when it writes to a mapped file.
    "locking_mode=exclusive",
    "journal_mode=wal",
    f"journal_size_limit={64 * MIB}",
    "auto_vacuum=incremental",
    "busy_timeout=1000",
)
AGAIN = "it ran again: the server was killed while it ran"
FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


class NewRow(NamedTuple):
    """A new job; `key` and `digest` show whether it was accepted before."""

    job_id: str
    key: str | None
    digest: str
    job: bytes
    client: str = ""


class JournalRequest(NamedTuple):
    """A request to the thread of the journal."""

    work: Work[Any]
    durable: bool
    answer: Future[Any]


class Journal:
    """The jobs of a server in a folder, which is created if it does not exist.

    Raises:
        StoreError: The folder cannot be written, is damaged, or is in use by another server.
    """

    def __init__(self, folder: Path) -> None:
        in_use = StoreError(
            f"another server uses {folder}",
            "a queue belongs to one server at a time",
            "stop it, or choose another --queue",
        )
        try:
            self._lock = lock_folder(folder, in_use)
        except OSError as error:
            raise StoreError(
                f"cannot write into {folder}", str(error), "choose another --queue"
            ) from error
        self._requests: queue.SimpleQueue[JournalRequest | None] = queue.SimpleQueue()
        # sqlite3 refuses a connection of another thread, so the thread opens its own.
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._serve, args=(folder / "queue.sqlite", opened), name="journal"
        )
        self._thread.start()
        try:
            opened.result()
        except sqlite3.Error as error:
            self._lock.close()
            raise StoreError(
                f"cannot open the queue in {folder}", str(error), "make room, or move it away"
            ) from error

    def close(self) -> None:
        """Finish all requests and release the folder."""
        self._requests.put(None)
        self._thread.join()
        self._lock.close()

    def call(self, work: Work[Value], durable: bool = False) -> Future[Value]:
        """Do `work` in a transaction, perhaps together with other work.

        The future has its result once the transaction is committed and, with `durable`, synced to
        disk; it raises NoRoomError if the disk is full. `work` may be called twice, so it must
        change only the database.
        """
        answer: Future[Value] = Future()
        self._requests.put(JournalRequest(work, durable, answer))
        return answer

    def _serve(self, file: Path, opened: Future[None]) -> None:
        try:
            # isolation_level=None: `_transact` begins the transactions, not sqlite3.
            connection = sqlite3.connect(file, isolation_level=None)
            for setting in SETTINGS:
                connection.execute(f"pragma {setting}")
            connection.executescript(SCHEMA)  # does nothing if the tables exist
            columns = [row[1] for row in connection.execute("pragma table_info(jobs)")]
            if "client" not in columns:  # the table is from an earlier version
                connection.execute("alter table jobs add column client text not null default ''")
        except sqlite3.Error as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        while batch := self._batch():
            try:
                _transact(connection, batch)
            # The boundary of a request: repeating each one alone shows which of them fail.
            except Exception:
                for request in batch:
                    try:
                        _transact(connection, [request])
                    except (
                        Exception
                    ) as error:  # its caller gets the error, and the journal continues
                        request.answer.set_exception(
                            _venus_error(error) if isinstance(error, sqlite3.Error) else error
                        )
        connection.close()

    def _batch(self) -> list[JournalRequest]:
        """Wait for requests, and return those not cancelled; empty once the journal closes."""
        batch: list[JournalRequest] = []
        while request := self._requests.get():
            if request.answer.set_running_or_notify_cancel():
                batch.append(request)
            if batch and self._requests.empty():
                return batch
        if batch:
            # The end mark came after these requests, so it is put back for the next call.
            self._requests.put(None)
        return batch


def _transact(connection: sqlite3.Connection, batch: Sequence[JournalRequest]) -> None:
    """Do all requests in one transaction, or none if one fails."""
    # "full" syncs the log at each commit; "normal" survives a killed server, but not a power cut.
    # SQLite cannot change it inside a transaction.
    connection.execute(
        f"pragma synchronous={'full' if any(request.durable for request in batch) else 'normal'}"
    )
    try:
        connection.execute("begin immediate")
        values = [request.work(connection) for request in batch]
        connection.execute("commit")
    finally:
        if connection.in_transaction:
            connection.execute("rollback")
    for request, value in zip(batch, values, strict=True):
        request.answer.set_result(value)


def _venus_error(error: sqlite3.Error) -> Exception:
    # The low byte of an extended error code is the primary code.
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in FULL:
        return NoRoomError(
            "the job was not accepted",
            "the disk that holds the queue is full",
            "make room there; accepted jobs are not lost",
            30,
        )
    return StoreError("the queue cannot be used", str(error), "see the server's log")


def accept(connection: sqlite3.Connection, rows: Sequence[NewRow]) -> list[str]:
    """Accept jobs, all or none, and return their ids; a job with a known key has its older id.

    If the key of a job was used for another one, its id is "" and no job is accepted.
    """
    # For each row: None for a new job, the older id for a known key, "" for a conflict.
    known: list[str | None] = []
    for row in rows:
        older = None
        if row.key is not None:
            older = connection.execute(
                "select id, digest from jobs where key = ?", [row.key]
            ).fetchone()
        known.append(older and (str(older[0]) if older[1] == row.digest else ""))
    if "" not in known:
        now = time.time_ns()
        connection.executemany(
            "insert into jobs (id, key, digest, state, size, job, submitted_ns, client)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    row.job_id,
                    row.key,
                    row.digest,
                    JobState.QUEUED,
                    len(row.job),
                    row.job,
                    now,
                    row.client,
                )
                for row, job_id in zip(rows, known, strict=True)
                if job_id is None
            ],
        )
    return [
        row.job_id if job_id is None else job_id for row, job_id in zip(rows, known, strict=True)
    ]


def begin(connection: sqlite3.Connection, job_id: str) -> bytes:
    """Mark a job as running, and return its JSON; empty if it was not accepted."""
    connection.execute(
        "update jobs set state = ?, attempts = attempts + 1, started_ns = ? where id = ?",
        [JobState.RUNNING, time.time_ns(), job_id],
    )
    row = connection.execute("select job from jobs where id = ?", [job_id]).fetchone()
    return bytes(row[0]) if row else b""


def put_back(connection: sqlite3.Connection, job_ids: Iterable[str]) -> None:
    """Put running jobs back into the queue without counting the attempt; skip finished ones."""
    query = "update jobs set state = ?, attempts = attempts - 1 where id = ? and state = ?"
    connection.executemany(
        query, [(JobState.QUEUED, job_id, JobState.RUNNING) for job_id in job_ids]
    )


def finish(connection: sqlite3.Connection, job_id: str, state: JobState, result: bytes) -> None:
    """Store the result of a job and remove the job itself."""
    connection.execute(
        "update jobs set state = ?, result = ?, finished_ns = ?, job = null where id = ?",
        [state, result, time.time_ns(), job_id],
    )


def find(connection: sqlite3.Connection, job_ids: Iterable[str]) -> dict[str, bytes]:
    """Return the results of jobs by id, without jobs that are unknown or not final."""
    query = "select id, result from jobs where id = ? and result is not null"
    # An id from a client may contain lone surrogates, which SQLite refuses.
    return dict(
        row for job_id in job_ids if job_id.isascii() for row in connection.execute(query, [job_id])
    )


def recover(connection: sqlite3.Connection) -> list[PendingJob]:
    """Return the jobs that an earlier server left, in the order in which to run them.

    Jobs that were running when it was killed go to the end, so that the next crash hits others. The
    journal records the jobs of each crash. A crash that hit a single job is blamed on that job. But
    a crash whose jobs all finished later had another cause, so it cancels one blame of each job.
    """
    running = "select id from jobs where state = ? order by seq"
    hit = [row[0] for row in connection.execute(running, [JobState.RUNNING])]
    crash = connection.execute("select coalesce(max(number), 0) + 1 from crashes").fetchone()[0]
    last = connection.execute("select coalesce(max(seq), 0) from jobs").fetchone()[0]
    connection.executemany(
        "insert into crashes (number, jobs, id) values (?, ?, ?)",
        [(crash, len(hit), job_id) for job_id in hit],
    )
    connection.executemany(
        "update jobs set state = ?, seq = ? where id = ?",
        [(JobState.QUEUED, seq, job_id) for seq, job_id in enumerate(hit, last + 1)],
    )
    explained = connection.execute(
        "select count(*) from (select number from crashes join jobs using (id) group by "
        "number having min(state = ?))",
        [JobState.DONE],
    ).fetchone()[0]
    rows = connection.execute(
        "select id, size, submitted_ns, attempts, client, count(number), coalesce(sum(jobs = 1), 0)"
        " from jobs left join crashes using (id) where state = ? group by id order by seq",
        [JobState.QUEUED],
    )
    return [
        PendingJob(
            job_id=row[0],
            size=row[1],
            submitted_ns=row[2],
            attempts=row[3],
            client=row[4],
            crashes=row[5],
            blamed=max(0, row[6] - explained),
            notes=[AGAIN] if row[0] in hit else [],
        )
        for row in rows
    ]


def forget(connection: sqlite3.Connection, before_ns: int) -> int:
    """Remove the results from before a time, and return their number."""
    count = connection.execute("delete from jobs where finished_ns < ?", [before_ns]).rowcount
    connection.execute("delete from crashes where id not in (select id from jobs)")
    return int(count)
