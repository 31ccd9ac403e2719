"""The output folder of a build: one writer, a journal, atomic writes, the manifest last.

Results are journalled under a stage and a key, the digest of everything that they depend on. A
build that was stopped at any moment resumes with all finished work; a change of code, limits or
toolchain changes the keys of the work that depends on it, so only that is repeated.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from venus_toolkit.core.errors import StoreError

MANIFEST = "manifest.json"
WORK = ".venus"
JOURNAL = "journal.sqlite"


class Store:
    """The output folder of a build, created if it does not exist; use it as a context manager.

    Raises:
        StoreError: The folder cannot be written, or another build is writing into it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Threads share the connection, one at a time.
        self._mutex = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        in_use = StoreError(
            f"another build is writing into {folder}",
            "one folder takes one build at a time",
            "wait for it, or choose another --out",
        )
        with explained(f"cannot write into {folder}"):
            self._lock = lock_folder(folder / WORK, in_use)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal and release the lock."""
        with self._mutex:
            if self._connection:
                self._connection.close()
                self._connection = None
        self._lock.close()

    def get(self, stage: str, key: str) -> Any:
        """Return the value journalled under `key`, or None."""
        rows = self._execute("select value from journal where stage = ? and key = ?", stage, key)
        return self._read(rows[0][0]) if rows else None

    def values(self, stage: str) -> list[Any]:
        """Return all values of a stage, ordered by key."""
        rows = self._execute("select value from journal where stage = ? order by key", stage)
        return [self._read(value) for (value,) in rows]

    def put(self, stage: str, key: str, value: Any) -> None:
        """Journal a result; it is on disk when this returns."""
        # The fastest level compresses inputs and outputs to a fifth of their size, often far less.
        packed = zlib.compress(json.dumps(value).encode(), 1)
        self._execute("insert or replace into journal values (?, ?, ?)", stage, key, packed)

    def has(self, stage: str, key: str) -> bool:
        """Return whether a value was journalled under `key`, without reading it."""
        return bool(self._execute("select 1 from journal where stage = ? and key = ?", stage, key))

    def _read(self, packed: bytes) -> Any:
        with explained(f"cannot read the journal in {self.folder / WORK}"):
            return json.loads(zlib.decompress(packed))

    def _execute(self, sql: str, *values: str | bytes) -> list[Any]:
        with self._mutex, explained(f"cannot write the journal in {self.folder / WORK}"):
            if self._connection is None:
                # In this mode each statement is a transaction.
                path = self.folder / WORK / JOURNAL
                connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                try:
                    # Writes reach the disk before `put` returns. With an exclusive lock, SQLite
                    # maps no file into memory, where a full disk would crash the process.
                    for setting in (
                        "locking_mode=exclusive",
                        "journal_mode=wal",
                        "synchronous=full",
                    ):
                        connection.execute(f"pragma {setting}")
                    connection.execute(
                        "create table if not exists journal "
                        "(stage text, key text, value blob, primary key (stage, key))"
                    )
                except BaseException:
                    connection.close()
                    raise
                self._connection = connection
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path to write to; it becomes `name` if the block ends without an exception."""
        target = self.folder / name
        # In the same folder, since a rename across file systems is not atomic.
        draft = target.with_name(f".{target.name}.draft")
        with explained(f"cannot write {target}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield draft
                with draft.open("rb") as file:
                    # Without this, a crash could leave an empty file under the final name.
                    os.fsync(file.fileno())
                draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)

    def write_text(self, name: str, text: str) -> None:
        """Write a text file atomically."""
        with self.writing(name) as draft:
            draft.write_text(text)

    def write_json(self, name: str, value: Any) -> None:
        """Write plain values as indented JSON, such as a manifest."""
        self.write_text(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def lock_folder(folder: Path, in_use: StoreError) -> TextIO:
    """Create a folder and lock it; closing the returned file releases the lock.

    Raises:
        StoreError: `in_use`, if another process has the lock.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        # The kernel releases the lock when the process dies, so no stale lock can remain.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise in_use from error
    return lock


def write_whole(path: Path, content: bytes, shared: bool = False) -> None:
    """Write a file atomically; threads and processes may write a `shared` one at the same time.

    Unlike `Store.writing` it does not wait for the disk: a file that is lost in a crash of the
    machine is made again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Otherwise the name of the draft is constant, so the next writer replaces the draft of one that
    # was killed.
    own = f"{os.getpid()}-{threading.get_ident()}." if shared else ""
    draft = path.with_name(f".{path.name}.{own}draft")
    draft.write_bytes(content)
    draft.replace(path)


def read_lines(file: str | Path) -> list[str]:
    """Return the lines of a file; none if it cannot be read, as is common below /proc and /sys."""
    try:
        return Path(file).read_text().splitlines()
    except OSError:
        return []


def read_json(file: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file, or None if the file is missing or has no JSON object."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_json_lines(file: Path) -> list[Any]:
    """Return the values of a JSON Lines file.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not JSON.
    """
    # Not `splitlines`, which also splits at U+2028 within a text.
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, or None."""
    return read_json(folder / MANIFEST)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def intact(folder: Path, manifest: dict[str, Any]) -> bool:
    """Return whether all files of the manifest exist and are unchanged."""
    files: dict[str, str] = manifest.get("files", {})
    return bool(files) and all(
        (folder / name).is_file() and checksum(folder / name) == value
        for name, value in files.items()
    )


@contextmanager
def explained(failure: str) -> Iterator[None]:
    """Turn errors of the file system and of databases into a StoreError that begins with `failure`.

    This is the one boundary where they are attributed.
    """
    try:
        yield
    except OSError as error:
        room = "make room or " if error.errno in (errno.ENOSPC, errno.EDQUOT, None) else ""
        fix = f"finished work is kept: {room}choose another --out, then type the same command"
        raise StoreError(failure, error.strerror or str(error), fix) from error
    except Exception as error:
        # DuckDB is imported only on use, so its exceptions cannot be named here.
        of_duckdb = type(error).__module__.split(".")[0] in ("duckdb", "_duckdb")
        if not (of_duckdb or isinstance(error, (sqlite3.Error, zlib.error))):
            raise
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        fix = "finished work is kept: make room, then type the same command"
        if isinstance(error, zlib.error) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            fix = f"its journal is damaged: remove the folder {WORK}, and its work is done again"
        raise StoreError(failure, str(error).splitlines()[0], fix) from error
