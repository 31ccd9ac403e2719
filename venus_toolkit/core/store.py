"""A folder under construction.

One writer, a journal of finished work, files that appear whole, the manifest last.

Work is journalled under a stage and a key, the digest of everything its result depends on. A build
that was stopped at any moment finds its finished work again; a change of code, limits or toolchain
changes the key and so redoes just that.
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
    """The output folder of a build, made if it does not exist; use it as a context manager.

    Raises:
        StoreError: The folder cannot be written, or another build is writing into it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Threads share the connection, which takes one at a time.
        self._mutex = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        what, why = (
            f"another build is writing into {folder}",
            "one folder takes one build at a time",
        )
        taken = StoreError(what, why, "wait for it, or choose another --out")
        with explained(f"cannot write into {folder}"):
            self._lock = lock_folder(folder / WORK, taken)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal and let others in."""
        with self._mutex:
            if self._connection:
                self._connection.close()
                self._connection = None
        self._lock.close()

    def get(self, stage: str, key: str) -> Any:
        """Return what was journalled under `key`, or None."""
        rows = self._execute("select value from journal where stage = ? and key = ?", stage, key)
        return self._read(rows[0][0]) if rows else None

    def values(self, stage: str) -> list[Any]:
        """Return everything that was journalled in a stage, in the order of the keys."""
        rows = self._execute("select value from journal where stage = ? order by key", stage)
        return [self._read(value) for (value,) in rows]

    def put(self, stage: str, key: str, value: Any) -> None:
        """Journal a result; it is on disk when this returns."""
        # The quickest level: texts of inputs and outputs take a fifth of the room, or far less.
        packed = zlib.compress(json.dumps(value).encode(), 1)
        self._execute("insert or replace into journal values (?, ?, ?)", stage, key, packed)

    def has(self, stage: str, key: str) -> bool:
        """Return whether something was journalled under `key`; the value is not read."""
        return bool(self._execute("select 1 from journal where stage = ? and key = ?", stage, key))

    def _read(self, packed: bytes) -> Any:
        with explained(f"cannot read the journal in {self.folder / WORK}"):
            return json.loads(zlib.decompress(packed))

    def _execute(self, sql: str, *values: str | bytes) -> list[Any]:
        with self._mutex, explained(f"cannot write the journal in {self.folder / WORK}"):
            if self._connection is None:
                # Each statement is a transaction of its own.
                path = self.folder / WORK / JOURNAL
                connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                try:
                    # What was put is on the disk itself; the folder is ours, and nothing is mapped
                    # that a full disk could take away.
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
        """Give a path to write to; the file gets its `name` when the block ends without an exception."""
        target = self.folder / name
        # In the same folder: across file systems nothing is renamed in one step.
        draft = target.with_name(f".{target.name}.draft")
        with explained(f"cannot write {target}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield draft
                with draft.open("rb") as file:
                    # Without this, a crash could leave the final name with no content behind it.
                    os.fsync(file.fileno())
                draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)

    def write_text(self, name: str, text: str) -> None:
        """Write a text file; it appears whole or not at all."""
        with self.writing(name) as draft:
            draft.write_text(text)

    def write_json(self, name: str, value: Any) -> None:
        """Write plain values as JSON that people can read, such as a manifest.

        The last file of a finished folder.
        """
        self.write_text(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def lock_folder(folder: Path, taken: StoreError) -> TextIO:
    """Make a folder and lock it for as long as what is returned is open.

    Raises:
        StoreError: `taken`, where another process has the lock.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        # The kernel releases the lock when the process dies, so no stale lock can remain.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise taken from error
    return lock


def write_whole(path: Path, content: bytes, shared: bool = False) -> None:
    """Write a file that appears whole.

    Where it is `shared`, threads and processes may write it at the same time.

    Unlike `Store.writing` it does not wait for the disk: what is lost with the machine is made
    again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Else the same name each time: whoever writes the file next takes the draft of a writer that
    # was killed.
    own = f"{os.getpid()}-{threading.get_ident()}." if shared else ""
    draft = path.with_name(f".{path.name}.{own}draft")
    draft.write_bytes(content)
    draft.replace(path)


def read_lines(file: str | Path) -> list[str]:
    """Return the lines of a file; none where it cannot be read, as often below /proc and /sys."""
    try:
        return Path(file).read_text().splitlines()
    except OSError:
        return []


def read_json(file: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file, or None if the file is missing or contains none."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_json_lines(file: Path) -> list[Any]:
    """Return the values in a file, one a line.

    Raises:
        OSError: It cannot be read.
        ValueError: A line is no JSON.
    """
    # Not `splitlines`, which also cuts where a text holds U+2028.
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, or None where there is none."""
    return read_json(folder / MANIFEST)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def intact(folder: Path, manifest: dict[str, Any]) -> bool:
    """Return whether every file that the manifest lists is there and unchanged."""
    files: dict[str, str] = manifest.get("files", {})
    return bool(files) and all(
        (folder / name).is_file() and checksum(folder / name) == value
        for name, value in files.items()
    )


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn failures of the file system and of databases into StoreError.

    The one boundary where they are attributed.
    """
    try:
        yield
    except OSError as error:
        room = "make room or " if error.errno in (errno.ENOSPC, errno.EDQUOT, None) else ""
        fix = f"finished work is kept: {room}choose another --out, then type the same command"
        raise StoreError(what, error.strerror or str(error), fix) from error
    except Exception as error:
        # DuckDB is imported only when it is needed, so its exceptions cannot be named here.
        of_duckdb = type(error).__module__.split(".")[0] in ("duckdb", "_duckdb")
        if not (of_duckdb or isinstance(error, (sqlite3.Error, zlib.error))):
            raise
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        fix = "finished work is kept: make room, then type the same command"
        if isinstance(error, zlib.error) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            fix = f"its journal is damaged: remove the folder {WORK}, and its work is done again"
        raise StoreError(what, str(error).splitlines()[0], fix) from error
