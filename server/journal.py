"""The queue on disk: SQLite with a write-ahead log, one thread, many pieces of work in one transaction.

What is accepted is on the disk itself before anybody is told (a power cut loses none of it). That a job was begun or
has ended survives a killed server; after a power cut such a job may run again, and says so.
"""

from __future__ import annotations

import fcntl
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.errors import StoreError
from venus_toolkit.records import MIB
from venus_toolkit.server.jobs import State
from venus_toolkit.server.refusals import NoRoomError

Found = TypeVar("Found")
Work = Callable[[sqlite3.Connection], Found]

SCHEMA = """
create table if not exists jobs (
  seq integer primary key autoincrement, id text not null unique, key text unique, digest text not null,
  state text not null, size integer not null, job blob, result blob, attempts integer not null default 0,
  submitted_ns integer not null, started_ns integer, finished_ns integer);
create index if not exists finished on jobs (finished_ns) where finished_ns is not null;
"""
SETTINGS = (
    "locking_mode=exclusive",  # the folder is ours; and nothing is mapped that a full disk could take away
    "journal_mode=wal",
    f"journal_size_limit={64 * MIB}",
    "auto_vacuum=incremental",
    "busy_timeout=1000",
)
FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


class Row(NamedTuple):
    """A job as the journal has it; result is None until it is final."""

    job_id: str
    state: State
    size: int
    attempts: int
    submitted_ns: int
    started_ns: int | None
    result: bytes | None


class NewRow(NamedTuple):
    """A job to be accepted: `key` and `digest` tell whether it was accepted before."""

    job_id: str
    key: str | None
    digest: str
    job: bytes


class Ask(NamedTuple):
    """Work for the thread of the journal."""

    work: Work[Any]
    durable: bool
    answer: Future[Any]


class Journal:
    """The jobs of a server on disk.

    Args:
        folder: Where; made if it does not exist.

    Raises:
        StoreError: It cannot be written, is damaged, or belongs to another server.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / "lock").open("w")
        except OSError as error:
            raise StoreError(f"cannot write into {folder}", str(error), "choose another --queue") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            why = "a queue belongs to one server at a time"
            raise StoreError(f"another server uses {folder}", why, "stop it, or choose another --queue") from error
        self._asked: queue.SimpleQueue[Ask | None] = queue.SimpleQueue()
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._serve, args=(folder / "queue.sqlite", opened), name="journal")
        self._thread.start()
        try:
            opened.result()
        except sqlite3.Error as error:
            self._lock.close()
            raise StoreError(f"cannot open the queue in {folder}", str(error), "make room, or move it away") from error

    def close(self) -> None:
        """Finish what was asked for and let others in."""
        self._asked.put(None)
        self._thread.join()
        self._lock.close()

    def call(self, work: Work[Found], durable: bool = False) -> Future[Found]:
        """Have `work` done in a transaction, perhaps with other work; its result comes when that is committed.

        Args:
            work: Changes nothing but the database: it may be called twice.
            durable: Committed means on the disk itself.

        The future raises NoRoomError where the disk is full.
        """
        answer: Future[Found] = Future()
        self._asked.put(Ask(work, durable, answer))
        return answer

    # -------------------------------------------------------------- the thread

    def _serve(self, file: Path, opened: Future[None]) -> None:
        try:
            connection = _open(file)
        except sqlite3.Error as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        while batch := self._batch():
            if not _try(connection, batch):
                for ask in batch:
                    _alone(connection, ask)
        connection.close()

    def _batch(self) -> list[Ask]:
        """Wait for work, and take all that is there but what nobody wants any more; empty at the end."""
        batch: list[Ask] = []
        while ask := self._asked.get():
            if ask.answer.set_running_or_notify_cancel():
                batch.append(ask)
            if batch and self._asked.empty():
                return batch
        if batch:
            self._asked.put(None)
        return batch


def _open(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    for setting in SETTINGS:
        connection.execute(f"pragma {setting}")
    connection.executescript(SCHEMA)
    return connection


def _try(connection: sqlite3.Connection, batch: Sequence[Ask]) -> bool:
    """Do all of it in one transaction; False where any of it failed and nothing was done."""
    connection.execute(f"pragma synchronous={'full' if any(ask.durable for ask in batch) else 'normal'}")
    try:
        connection.execute("begin immediate")
        found = [ask.work(connection) for ask in batch]
        connection.execute("commit")
    except Exception:  # the boundary of a piece of work: done alone, each says what is wrong with it
        _roll_back(connection)
        return False
    for ask, value in zip(batch, found, strict=True):
        ask.answer.set_result(value)
    return True


def _alone(connection: sqlite3.Connection, ask: Ask) -> None:
    """Do one piece of work: whoever asked for it hears of its failure."""
    try:
        connection.execute("begin immediate")
        found = ask.work(connection)
        connection.execute("commit")
    except Exception as error:  # whoever asked for it hears of it; the journal goes on
        _roll_back(connection)
        ask.answer.set_exception(_explained(error) if isinstance(error, sqlite3.Error) else error)
    else:
        ask.answer.set_result(found)


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("rollback")


def _explained(error: sqlite3.Error) -> Exception:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in FULL:
        why = "the disk that holds the queue is full"
        return NoRoomError("the job was not accepted", why, "nothing accepted is lost: make room there", 30)
    return StoreError("the queue cannot be used", str(error), "see the server's log")


# ------------------------------------------------------------------ what is done in transactions

COLUMNS = "id, state, size, attempts, submitted_ns, started_ns, result"


def _row(values: tuple[Any, ...]) -> Row:
    return Row(values[0], State(values[1]), *values[2:])


def accept(rows: Sequence[NewRow]) -> Work[list[str]]:
    """Return work that accepts jobs, all or none; gives the id of each, an older one where its key was there.

    The work gives "" for a job whose key stands for another one, and then accepts none.
    """

    def work(connection: sqlite3.Connection) -> list[str]:
        known = [_known(connection, row) for row in rows]
        if "" in known:
            return ["" if each == "" else each or row.job_id for each, row in zip(known, rows, strict=True)]
        now = time.time_ns()
        new = [row for row, each in zip(rows, known, strict=True) if each is None]
        connection.executemany(
            "insert into jobs (id, key, digest, state, size, job, submitted_ns) values (?, ?, ?, ?, ?, ?, ?)",
            [(r.job_id, r.key, r.digest, State.QUEUED, len(r.job), r.job, now) for r in new],
        )
        return [each or row.job_id for each, row in zip(known, rows, strict=True)]

    return work


def _known(connection: sqlite3.Connection, row: NewRow) -> str | None:
    if row.key is None:
        return None
    found = connection.execute("select id, digest from jobs where key = ?", [row.key]).fetchone()
    if found is None:
        return None
    return str(found[0]) if found[1] == row.digest else ""


def begin(job_id: str) -> Work[bytes]:
    """Return work that notes that a job is begun, and gives the job; nothing where it was not accepted."""

    def work(connection: sqlite3.Connection) -> bytes:
        connection.execute(
            "update jobs set state = ?, attempts = attempts + 1, started_ns = ? where id = ?",
            [State.RUNNING, time.time_ns(), job_id],
        )
        found = connection.execute("select job from jobs where id = ?", [job_id]).fetchone()
        return bytes(found[0]) if found else b""

    return work


def put_back(job_ids: Iterable[str]) -> Work[None]:
    """Return work that has jobs wait again as if they had never been begun; those that ended meanwhile have ended."""
    rows = [(State.QUEUED, job_id, State.RUNNING) for job_id in job_ids]

    def work(connection: sqlite3.Connection) -> None:
        query = "update jobs set state = ?, attempts = attempts - 1 where id = ? and state = ?"
        connection.executemany(query, rows)

    return work


def finish(job_id: str, state: State, result: bytes) -> Work[None]:
    """Return work that keeps the result of a job and forgets the job itself."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute(
            "update jobs set state = ?, result = ?, finished_ns = ?, job = null where id = ?",
            [state, result, time.time_ns(), job_id],
        )

    return work


def find(job_ids: Sequence[str]) -> Work[list[Row | None]]:
    """Return work that gives what is known of each job, None where there is no such job."""

    def work(connection: sqlite3.Connection) -> list[Row | None]:
        found = [connection.execute(f"select {COLUMNS} from jobs where id = ?", [each]).fetchone() for each in job_ids]
        return [values and _row(values) for values in found]

    return work


def unfinished() -> Work[list[Row]]:
    """Return work that gives the jobs that are not final, those that were running first, then as they came."""

    def work(connection: sqlite3.Connection) -> list[Row]:
        query = f"select {COLUMNS} from jobs where state in (?, ?) order by state = ? desc, seq"
        return [_row(v) for v in connection.execute(query, [State.QUEUED, State.RUNNING, State.RUNNING])]

    return work


def forget(before_ns: int) -> Work[int]:
    """Return work that removes the results that were there before a time; gives how many."""

    def work(connection: sqlite3.Connection) -> int:
        removed = connection.execute("delete from jobs where finished_ns < ?", [before_ns]).rowcount
        return int(removed)

    return work
