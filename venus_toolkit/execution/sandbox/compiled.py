"""Compiled programs on disk, shared by all processes of a user on this machine.

    <store>/state.json                  the store's lock, its size in bytes and its limit
    <store>/new/                        entries that the holder of the lock moves in or out
    <store>/preparing-<key>             locked by the process that compiles a prepared file
    <store>/<key[:2]>/<key>/entry.json  the result; written last, locked by users of the program
    <store>/<key[:2]>/<key>/program/    the files that the compiler made

An entry appears and disappears by one rename while the store is locked, so anything in ``new`` when
a process takes the lock was left by a killed process. A session holds a shared lock on its
program's entry.json, which the kernel releases with the process; an eviction takes an exclusive
lock first. No manual cleanup is needed: when the store exceeds its limit, the least recently used
entries are evicted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import functools
import json
import os
import platform
import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from venus_toolkit.core.errors import SandboxError, StoreError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Run, digest
from venus_toolkit.core.temporary import cache_folder, remove
from venus_toolkit.execution.sandbox import Compiled, Program, folders

Result = TypeVar("Result")

FORMAT = 1  # part of every key, so that entries of another format are never read
LIMIT_BYTES = 4 << 30  # default of `venus cache limit`
SPARED = 0.9  # evict down to this fraction of the limit, so that the next eviction is not due soon
BLOCK_BYTES = 4096  # file sizes are rounded up to whole blocks of the disk
STATE_BYTES = 128  # the state is padded to this size, so that one write replaces it
LOOK_S = 0.1  # period of checks for another process that compiles a prepared file (seconds)
LEASE_TRIES = 3  # another process may evict a program between its compilation and its lease
STATE, NEW, PREPARING, RECORD, PROGRAM = "state.json", "new", "preparing", "entry.json", "program"
# Messages of compilers whose child was killed or whose machine lacked memory or disk space: the
# next attempt may succeed.
TRANSIENT = re.compile(
    r"(?i)\bkilled\b|terminated by signal|resource temporarily unavailable|no space left|out of memory"
)


def program_key(program: Program, tools: str = "") -> str:
    """Return a digest of everything in a program that its compilation and its runs depend on.

    Args:
        program: The program with its files.
        tools: The sandbox and the version of its tools.
    """
    language = program.language
    commands = [
        language.compile_argv,
        language.run_argv,
        dict(language.environment),
        language.compile_limits,
    ]
    files = [(file.path, file.content.hex()) for file in program.files]
    names = [language.id, language.source_file, platform.machine(), tools]
    return digest(FORMAT, names, commands, program.source, files)


class SingleFlight:
    """Deduplicates work: if several threads need the same result, one computes it for all."""

    def __init__(self) -> None:
        self._running: dict[str, Future[Any]] = {}
        self._mutex = threading.Lock()

    def do(self, key: str, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, or that of another thread which is running it.

        All threads get the same exception, except for a cancellation: then a waiting thread does
        the work itself.
        """
        mine: Future[Result] = Future()
        with self._mutex:
            first: Future[Result] = self._running.setdefault(key, mine)
        if first is mine:
            try:
                mine.set_result(work())
            except BaseException as error:  # the waiting threads get every exception
                mine.set_exception(error)
            finally:
                with self._mutex:
                    # Failures are not cached, and compiled programs are in the store.
                    del self._running[key]
        try:
            return first.result()
        except KeyboardInterrupt:
            if first is mine or current().cancelled:
                raise
        return self.do(key, work)


class Usage(NamedTuple):
    """The programs and bytes of a store, in total and in use, and programs by language."""

    folder: Path
    programs: int
    bytes: int
    programs_in_use: int
    bytes_in_use: int
    limit_bytes: int
    languages: dict[str, int]


class Eviction(NamedTuple):
    """The number of removed programs and their bytes; `in_use` programs were not removed."""

    programs: int
    bytes: int
    in_use: int


@dataclasses.dataclass(slots=True)
class _State:
    """The content of the lock file; an eviction recounts, in case others changed the folder."""

    programs: int = 0
    bytes: int = 0
    limit: int = LIMIT_BYTES


class _Entry(NamedTuple):
    folder: Path
    bytes: int
    used_ns: int
    language: str


class CompiledStore:
    """A folder of compiled programs.

    Methods that change it raise a StoreError if the disk is full or the folder cannot be used.

    Args:
        folder: The folder, which is created for the first program. None: the user's,
            ``$VENUS_CACHE/compiled``.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder("compiled")
        self._compiling = SingleFlight()

    def find(self, key: str, program: Program) -> Compiled | None:
        """Return the stored result of a compilation, or None."""
        record = self._open(key)
        if record is None:
            return None
        with record:
            return self._read(record, key, program)

    def compile(self, key: str, program: Program, build: Callable[[], Compiled]) -> Compiled:
        """Return the result of a compilation from the store, or that of `build`.

        The folder of a new result is moved into the store. A failure is stored if it is the
        compiler's verdict or due to the CPU time limit, but not if another limit or a signal ended
        the compiler.

        Raises:
            StoreError: The disk is full, or the folder cannot be used.
        """
        compiled = self.find(key, program)
        # The second lookup is for another thread that finished after the first one.
        return compiled or self._compiling.do(
            key, lambda: self.find(key, program) or self._keep(key, build())
        )

    def lease(self, key: str, program: Program, again: Callable[[], Compiled]) -> BinaryIO:
        """Keep a compiled program in the store until the caller closes the result or exits.

        `again` compiles it if it was evicted.

        Raises:
            SandboxError: The program was evicted several times.
        """
        for attempt in range(LEASE_TRIES):
            if attempt:
                again()
            record = self._open(key)
            if record and self._read(record, key, program):
                return record
            if record:
                record.close()
        raise SandboxError(
            "a compiled program was removed",
            f"it was removed from {self.folder} each time",
            "type: venus cache info",
        )

    def preparing(self, key: str, wait: bool) -> BinaryIO | None:
        """Lock the preparation of a key until the result is closed.

        None: another thread or process holds the lock, and `wait` is False.

        Raises:
            StoreError: The folder cannot be used.
            KeyboardInterrupt: The scope of this thread was cancelled.
        """
        with _writing(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            turn = (self.folder / f"{PREPARING}-{key}").open("wb")
        while not _lock(turn):
            if not wait:
                turn.close()
                return None
            current().sleep(LOOK_S)
        return turn

    def usage(self) -> Usage:
        """Return the size of the store and of its parts."""
        entries = list(self._entries())
        in_use = [entry for entry in entries if _in_use(entry.folder)]
        return Usage(
            folder=self.folder,
            programs=len(entries),
            bytes=sum(entry.bytes for entry in entries),
            programs_in_use=len(in_use),
            bytes_in_use=sum(entry.bytes for entry in in_use),
            limit_bytes=self._state().limit,
            languages=dict(sorted(Counter(entry.language for entry in entries).items())),
        )

    def count(self) -> int:
        """Return the number of programs according to the state file."""
        return self._state().programs

    def clear(self) -> Eviction:
        """Remove every program that is not in use."""
        with self._locked() as state:
            return self._evict(state, 0)

    def set_limit(self, limit_bytes: int) -> Eviction:
        """Set the limit in bytes for all processes, and evict programs down to it."""
        with self._locked() as state:
            state.limit = limit_bytes
            return self._evict(state, limit_bytes)

    def place(self, key: str) -> Path:
        """Return the folder of the compiled program of a key, whether it exists or not."""
        return self.folder / key[:2] / key / PROGRAM

    def _open(self, key: str) -> BinaryIO | None:
        """Return the open record of an entry, or None; it protects the entry until it is closed."""
        path = self.place(key).with_name(RECORD)
        try:
            record = path.open("rb")
        except OSError:
            return None
        fcntl.flock(record, fcntl.LOCK_SH)
        with contextlib.suppress(OSError):  # it may have been removed before it was locked
            if os.path.samestat(path.stat(), os.fstat(record.fileno())):
                return record
        record.close()
        return None

    def _read(self, record: BinaryIO, key: str, program: Program) -> Compiled | None:
        """Return the result in an open record and mark it as used; None if it is incomplete."""
        folder = self.place(key)
        try:
            fields = json.loads(record.read())
            whole = fields["key"] == key and folder.is_dir()
            whole = whole and all(
                (folder / name).lstat().st_size == size for name, size in fields["files"].items()
            )
            compiled = Compiled(
                program, folder, bool(fields["ok"]), str(fields["log"]), Run(**fields["run"])
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        with contextlib.suppress(OSError):  # the store is read-only
            os.utime(record.fileno())  # eviction goes by this time
        return compiled if whole else None

    def _keep(self, key: str, compiled: Compiled) -> Compiled:
        """Move a result into the store.

        Returns:
            The stored result, which may be that of another process.
        """
        stored = compiled._replace(folder=self.place(key))
        try:
            if compiled.ok or _is_verdict(compiled):
                with _writing(self.folder):
                    files = folders.lay_open(compiled.folder) if compiled.ok else {}
                with self._locked() as state:
                    stored = self.find(key, compiled.program) or self._put(
                        key, compiled, files, state
                    )
                    if state.bytes > state.limit:
                        # The new entry is spared even if it alone exceeds the limit: the caller is
                        # about to run it.
                        self._evict(state, int(state.limit * SPARED), spared=self.place(key).parent)
        finally:
            remove(compiled.folder)
        return stored

    def _put(self, key: str, compiled: Compiled, files: dict[str, int], state: _State) -> Compiled:
        fresh, target = self.folder / NEW / key, self.place(key)
        blocks = 3 + sum(-(-size // BLOCK_BYTES) for size in (*files.values(), len(compiled.log)))
        fresh.mkdir(parents=True)
        if compiled.ok:
            # A move from another file system is a copy, which a kill can interrupt; so the target
            # is NEW, and a rename follows.
            shutil.move(compiled.folder, fresh / PROGRAM)
        else:
            (fresh / PROGRAM).mkdir()
        run = dataclasses.asdict(compiled.run.without_output())
        record = {
            "key": key,
            "language": compiled.program.language.id,
            "ok": compiled.ok,
            "log": compiled.log,
            "run": {
                name: value
                for name, value in run.items()
                if name not in ("stdout", "stderr", "trace")
            },
            "files": files,
            "bytes": blocks * BLOCK_BYTES,
            "created_s": time.time(),
        }
        (fresh / RECORD).write_text(json.dumps(record))
        state.programs += 1
        state.bytes += blocks * BLOCK_BYTES
        target.parent.parent.mkdir(mode=0o700, exist_ok=True)
        if target.parent.exists():  # incomplete, since `find` did not return it
            target.parent.rename(self.folder / NEW / f"{key}.broken")
        fresh.rename(target.parent)
        remove(self.folder / NEW / f"{key}.broken")
        return compiled._replace(folder=target)

    def _state(self) -> _State:
        try:
            return _parse_state((self.folder / STATE).read_bytes())
        except OSError:
            return _State()

    def _entries(self) -> Iterator[_Entry]:
        for folder in self.folder.glob("[0-9a-f][0-9a-f]/*"):
            fields, used_ns = {}, 0
            with contextlib.suppress(OSError, ValueError):
                used_ns = (folder / RECORD).stat().st_mtime_ns
                fields = json.loads((folder / RECORD).read_bytes())
            fields = fields if isinstance(fields, dict) else {}
            yield _Entry(
                folder, int(fields.get("bytes", 0)), used_ns, str(fields.get("language", "?"))
            )

    def _evict(self, state: _State, target_bytes: int, spared: Path | None = None) -> Eviction:
        """Remove the least recently used entries until `target_bytes` are left.

        Entries in use stay.
        """
        entries = sorted(self._entries(), key=lambda entry: entry.used_ns)
        state.programs, state.bytes = len(entries), sum(entry.bytes for entry in entries)
        before, in_use = dataclasses.replace(state), 0  # a copy: the state is counted down
        for entry in entries:
            # An entry of 0 bytes has no readable record, so it is useless and always removed.
            if state.bytes <= target_bytes and entry.bytes:
                continue
            if entry.folder != spared and self._remove(entry.folder):
                state.programs -= 1
                state.bytes -= entry.bytes
            else:
                in_use += 1
        return Eviction(before.programs - state.programs, before.bytes - state.bytes, in_use)

    def _remove(self, entry: Path) -> bool:
        """Remove an entry; returns False if it is in use."""
        gone = self.folder / NEW / f"{entry.name}.gone"
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(FileNotFoundError):  # a broken entry has no record to lock
                record = stack.enter_context((entry / RECORD).open("r+b"))
                if not _lock(record):
                    return False
            # Rename while locked: a process that has opened the record waits for the lock, and
            # then notices that the path is gone (`_open`).
            entry.rename(gone)
        remove(gone)
        return True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[_State]:
        """Lock the store, remove leftovers of killed processes, and yield its state."""
        with _writing(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Files in here are executed, so no other user may write to it.
            if self.folder.stat().st_uid != os.geteuid():
                raise PermissionError(f"{self.folder} belongs to another user")
            (self.folder / NEW).mkdir(mode=0o700, exist_ok=True)
            with open(
                os.open(self.folder / STATE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b"
            ) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                state = _parse_state(os.pread(file.fileno(), STATE_BYTES, 0))
                try:
                    self._sweep()
                    yield state
                finally:
                    text = json.dumps(dataclasses.asdict(state)).ljust(STATE_BYTES)
                    self._sweep()
                    os.pwrite(file.fileno(), text.encode(), 0)

    def _sweep(self) -> None:
        for left in (self.folder / NEW).iterdir():
            remove(left)


class Preparations:
    """Files that speed up compilers (`core.language.Prepared`), such as precompiled headers.

    They are compiled once, and stored like programs.

    Args:
        store: The store.
        key: Returns the key of a program in the store.
        compile: Compiles a program, or returns its earlier result.
    """

    def __init__(
        self,
        store: CompiledStore,
        key: Callable[[Program], str],
        compile: Callable[[Program], Compiled],
    ) -> None:
        self._store, self._key, self._compile = store, key, compile
        self._done_without: Counter[str] = Counter()
        self._mutex = threading.Lock()

    @contextlib.contextmanager
    def ready(self, program: Program) -> Iterator[Path | None]:
        """Yield the folder of prepared files for the compiler of a program, protected from eviction.

        Yields None if there are none, or if they do not compile. The first few programs also get
        None, since preparing would take longer than it saves, and so do those that come meanwhile.
        """
        if program.language.prepared is None or not program.language.is_prepared_for(
            program.source
        ):
            yield None
            return
        preparation = _preparation(program.language)
        key = self._key(preparation)
        compiled, without = self._store.find(key, preparation), program.language.prepared.without
        if compiled is None:
            with self._mutex:
                self._done_without[program.language.id] += 1
                early = self._done_without[program.language.id] <= without
            # Only one process at a time prepares. To wait is faster only if no program is compiled
            # without the files.
            turn = None if early else self._store.preparing(key, wait=not without)
            if turn:
                with turn:
                    compiled = self._compile(preparation)
        if compiled is None or not compiled.ok:
            yield None
            return
        with self._store.lease(key, preparation, lambda: self._compile(preparation)):
            yield compiled.folder


@functools.cache
def _preparation(language: Language) -> Program:
    ready = language.prepared
    assert ready
    # A preparation has its own limits: those set by a client of the server are for programs.
    changes = {"compile_argv": ready.argv, "compile_limits": ready.limits, "prepared": None}
    return Program(dataclasses.replace(language, **changes), ready.source)  # type: ignore[arg-type]


def _is_verdict(compiled: Compiled) -> bool:
    """Whether a failure is due to the program, so that the compiler would fail again."""
    run = compiled.run
    if run.limit == "cpu":  # does not depend on the load, so a retry would fail as late
        return True
    ended = (
        run.exit_code is not None and run.signal is None and run.limit is None and not run.oom_kills
    )
    return ended and not TRANSIENT.search(compiled.log)


def _in_use(entry: Path) -> bool:
    with contextlib.suppress(FileNotFoundError), (entry / RECORD).open("r+b") as record:
        return not _lock(record)
    return False


def _lock(record: BinaryIO) -> bool:
    """Take an exclusive lock on a file; returns False if another process holds a lock."""
    try:
        fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _parse_state(text: bytes) -> _State:
    try:
        return _State(**{name: int(value) for name, value in json.loads(text).items()})
    except (ValueError, TypeError, AttributeError):
        return _State()


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turn an OSError into a StoreError."""
    try:
        yield
    except OSError as error:
        fix = (
            "free space there, type: venus cache clear, or set VENUS_CACHE to another folder "
            f"than {folder.parent}"
        )
        # shutil collects the errors of all files; the first one has the reason.
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error
        raise StoreError("cannot keep a compiled program", str(reason), fix) from error
