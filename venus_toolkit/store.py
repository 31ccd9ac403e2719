"""A folder under construction: one writer, a journal of finished work, files that appear whole, the manifest last.

Work is journalled under a stage and a key, the digest of everything its result depends on. A build that was stopped at
any moment finds what it had finished; a change of code, limits or toolchain changes the key and so redoes just that.
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
from typing import TYPE_CHECKING, Any

from venus_toolkit.errors import StoreError

if TYPE_CHECKING:
    import duckdb

MANIFEST = "manifest.json"
WORK = ".venus"
DUCKDB_MAGIC = b"DUCK"
SCHEMA = "create table if not exists journal (stage varchar, key varchar, value varchar, primary key (stage, key))"
SETTINGS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "256MB", "threads": 1}


class Store:
    """The output folder of a build; use it as a context manager.

    Args:
        folder: The output folder; made if it does not exist.

    Raises:
        StoreError: The folder cannot be written, or another build is writing into it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mutex = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        with explained(f"cannot write into {folder}"):
            (folder / WORK).mkdir(parents=True, exist_ok=True)
            self._lock = (folder / WORK / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise StoreError(
                f"another build is writing into {folder}",
                "one folder takes one build at a time",
                "wait for it, or choose another --out",
            ) from error

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the journal and let others in."""
        self.close()

    def close(self) -> None:
        """Close the journal and let others in."""
        with self._mutex:
            if self._connection:
                self._connection.close()
                self._connection = None
        self._lock.close()

    # -------------------------------------------------------------- journal

    def get(self, stage: str, key: str) -> Any:
        """Return what was journalled under `key`, or None."""
        with self._journal() as journal:
            row = journal.execute("select value from journal where stage = ? and key = ?", [stage, key]).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, stage: str, key: str, value: Any) -> None:
        """Journal a result; it is on disk when this returns."""
        with self._journal() as journal:
            journal.execute("insert or replace into journal values (?, ?, ?)", [stage, key, json.dumps(value)])

    def has(self, stage: str, key: str) -> bool:
        """Return whether something was journalled under `key`."""
        with self._journal() as journal:
            return (
                journal.execute("select 1 from journal where stage = ? and key = ?", [stage, key]).fetchone()
                is not None
            )

    @contextmanager
    def _journal(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._mutex, explained(f"cannot write the journal in {self.folder / WORK}"):
            if self._connection is None:
                import duckdb

                path = self.folder / WORK / "journal.duckdb"
                _forget_unfinished(path)
                self._connection = duckdb.connect(str(path), config=SETTINGS)
                self._connection.execute(SCHEMA)
            yield self._connection

    # -------------------------------------------------------------- files

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path to write to; the file appears under `name` only when the block ends well."""
        target = self.folder / name
        draft = target.with_name(f".{target.name}.draft")
        with explained(f"cannot write {target}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield draft
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
                draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)

    def write_text(self, name: str, text: str) -> None:
        """Write a small text file at once."""
        with self.writing(name) as draft:
            draft.write_text(text)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(12)


def _forget_unfinished(journal: Path) -> None:
    """Remove a journal that was cut off before its first page was there: nothing is in it."""
    if journal.is_file() and _head(journal)[8:] != DUCKDB_MAGIC:
        journal.unlink()
        journal.with_name(f"{journal.name}.wal").unlink(missing_ok=True)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, or None where there is none."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    return manifest


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
        why = error.strerror or str(error)
        raise StoreError(
            what, why, "nothing that was done is lost: make room or choose another --out, then type the same command"
        ) from error
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("duckdb", "_duckdb"):
            raise
        raise StoreError(
            what, str(error).splitlines()[0], "nothing that was done is lost: make room, then type the same command"
        ) from error
