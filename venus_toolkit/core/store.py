"""A folder under construction: one writer, a journal of finished work, files that appear whole, the manifest last.

Work is journalled under a stage and a key, the digest of everything its result depends on. A build that was stopped at
any moment finds its finished work again; a change of code, limits or toolchain changes the key and so redoes just that.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from venus_toolkit.core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

MANIFEST = "manifest.json"
WORK = ".venus"
DUCKDB_MAGIC = b"DUCK"
PART = 1 << 20  # characters of a value in one row: DuckDB takes twelve times that in memory, and has a limit
PARTS = "parts "  # begins the value, which no JSON begins with, of a key whose parts have rows of their own
DUCKDB_HEADERS_BYTES = 3 * 4096  # one of the file, two of the database, which are written in turns
SCHEMA = "create table if not exists journal (stage varchar, key varchar, value varchar, primary key (stage, key))"
# DuckDB's defaults would take most of the memory and every core, beside programs that are being measured.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "256MB", "threads": 1}


class Store:
    """The output folder of a build, made if it does not exist; use it as a context manager.

    Raises:
        StoreError: The folder cannot be written, or another build is writing into it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Threads share the connection, which takes one at a time.
        self._mutex = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        what, why = f"another build is writing into {folder}", "one folder takes one build at a time"
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

        def read(name: str) -> str | None:
            row = journal.execute("select value from journal where stage = ? and key = ?", [stage, name]).fetchone()
            return str(row[0]) if row else None

        with self._journal() as journal:
            text = read(key)
            if text and text.startswith(PARTS):
                text = "".join(read(f"{key} {number}") or "" for number in range(int(text.removeprefix(PARTS))))
        return None if text is None else json.loads(text)

    def values(self, stage: str) -> list[Any]:
        """Return everything that was journalled in a stage, in the order of the keys."""
        with self._journal() as journal:
            rows = journal.execute("select value from journal where stage = ? order by key", [stage]).fetchall()
        return [json.loads(value) for (value,) in rows]

    def put(self, stage: str, key: str, value: Any) -> None:
        """Journal a result; it is on disk when this returns."""
        text = json.dumps(value)
        count = -(-len(text) // PART)
        with self._journal() as journal:
            write = "insert or replace into journal values (?, ?, ?)"
            if count > 1:
                for number in range(count):
                    part = text[number * PART : (number + 1) * PART]
                    journal.execute(write, [stage, f"{key} {number}", part])
                text = f"{PARTS}{count}"
            # Last: what names its parts is there only when they are.
            journal.execute(write, [stage, key, text])

    def has(self, stage: str, key: str) -> bool:
        """Return whether something was journalled under `key`; the value is not read."""
        with self._journal() as journal:
            row = journal.execute("select 1 from journal where stage = ? and key = ?", [stage, key]).fetchone()
        return row is not None

    @contextmanager
    def _journal(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._mutex, explained(f"cannot write the journal in {self.folder / WORK}"):
            if self._connection is None:
                import duckdb

                path = self.folder / WORK / "journal.duckdb"
                _remove_unfinished(path)
                self._connection = duckdb.connect(str(path), config=SETTINGS)
                self._connection.execute(SCHEMA)
            yield self._connection

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path to write to; the file appears under `name` only when the block ends without an exception."""
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


def _remove_unfinished(journal: Path) -> None:
    """Remove what a process leaves that ended, or had no room, before DuckDB's headers were there: nobody can read it.

    Nothing was in it yet.
    """
    if not journal.is_file():
        return
    with journal.open("rb") as file:
        # The file begins with a checksum of 8 bytes; the magic bytes follow.
        head = file.read(12)
    if head[8:] != DUCKDB_MAGIC or journal.stat().st_size < DUCKDB_HEADERS_BYTES:
        journal.unlink()
        journal.with_name(f"{journal.name}.wal").unlink(missing_ok=True)


def write_whole(path: Path, content: bytes, shared: bool = False) -> None:
    """Write a file that appears whole; where it is `shared`, threads and processes may write it at the same time.

    Unlike `Store.writing` it does not wait for the disk: what is lost with the machine is made again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Else the same name each time: whoever writes the file next takes the draft of a writer that was killed.
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
    """Return the object in a JSON file, or None where there is no such file, or something else is in it."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


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
        (folder / name).is_file() and checksum(folder / name) == value for name, value in files.items()
    )


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn failures of the file system and of DuckDB into StoreError: the one boundary where they are attributed."""
    try:
        yield
    except OSError as error:
        fix = "nothing that was done is lost: make room or choose another --out, then type the same command"
        raise StoreError(what, error.strerror or str(error), fix) from error
    except Exception as error:
        # DuckDB is imported only when it is needed, so its exceptions cannot be named here.
        if type(error).__module__.split(".")[0] not in ("duckdb", "_duckdb"):
            raise
        fix = "nothing that was done is lost: make room, then type the same command"
        raise StoreError(what, str(error).splitlines()[0], fix) from error
