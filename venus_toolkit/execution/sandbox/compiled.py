"""Compiled programs on disk, shared by all processes of a user on this machine.

    <store>/state.json                  the store's lock; how many bytes are kept, and how many may be
    <store>/new/                        what the holder of the lock is moving in or out
    <store>/preparing-<key>             locked by the process that prepares what compilers read
    <store>/<key[:2]>/<key>/entry.json  what the compiler said; written last, locked by whoever uses the program
    <store>/<key[:2]>/<key>/program/    what the compiler made

An entry appears and disappears by one rename while the store is locked, so whatever lies in ``new``
when somebody takes the lock was left by a process that was killed. A session holds a shared lock on
its program's entry.json, which the kernel drops with the process; whoever evicts takes an exclusive
one first. Nothing has to be freed by hand: what has not been used for longest goes when there is
more than the limit.
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

FORMAT = 1  # part of every key: entries of another format are never found
LIMIT_BYTES = 4 << 30  # until `venus cache limit` sets another
SPARED = 0.9  # of the limit is left by an eviction, so that the next one is some time away
BLOCK_BYTES = 4096  # what a file takes is counted in whole blocks, as the disk has it
STATE_BYTES = 128  # the state is padded to this size, so that one write replaces it
LOOK_S = 0.1  # whether another process has prepared something: that takes seconds
LEASE_TRIES = 3  # another process may evict a program between its compilation and its lease
STATE, NEW, PREPARING, RECORD, PROGRAM = "state.json", "new", "preparing", "entry.json", "program"
# What compilers say when a child of theirs was killed or the machine had no room: the next attempt
# may succeed.
PASSING = re.compile(
    r"(?i)\bkilled\b|terminated by signal|resource temporarily unavailable|no space left|out of memory"
)


def program_key(program: Program, tools: str = "") -> str:
    """Return the identity of a program.

    Of all that decides what is made of it, and how that is run.

    Args:
        program: The program, with the files beside it.
        tools: The sandbox and the version of its tools, where the same program is compiled by
            several.
    """
    language = program.language
    how = [
        language.compile_argv,
        language.run_argv,
        dict(language.environment),
        language.compile_limits,
    ]
    files = [(file.path, file.content.hex()) for file in program.files]
    named = [language.id, language.source_file, platform.machine(), tools]
    return digest(FORMAT, named, how, program.source, files)


class SingleFlight:
    """Work that threads ask for at the same time is done once, by the first.

    The others wait for what it finds.
    """

    def __init__(self) -> None:
        self._under_way: dict[str, Future[Any]] = {}
        self._mutex = threading.Lock()

    def do(self, key: str, work: Callable[[], Result]) -> Result:
        """Return what `work` returns, or what it returns to a thread that is at it.

        All hear of its failure.

        A thread that was cancelled has no failure: one that waited for it does the work itself.
        """
        mine: Future[Result] = Future()
        with self._mutex:
            first: Future[Result] = self._under_way.setdefault(key, mine)
        if first is mine:
            try:
                mine.set_result(work())
            except BaseException as error:  # whoever waits must hear of it, whatever it is
                mine.set_exception(error)
            finally:
                with self._mutex:
                    # Forgotten at once: a failure is not remembered, and what was compiled is in
                    # the store.
                    del self._under_way[key]
        try:
            return first.result()
        except KeyboardInterrupt:
            if first is mine or current().cancelled:
                raise
        return self.do(key, work)


class Usage(NamedTuple):
    """What is in a store: programs and bytes, how many of these are in use, the limit, and programs by language."""

    folder: Path
    programs: int
    bytes: int
    programs_in_use: int
    bytes_in_use: int
    limit_bytes: int
    languages: dict[str, int]


class Removed(NamedTuple):
    """How many programs were removed, and their bytes; how many stayed because they are in use."""

    programs: int
    bytes: int
    in_use: int


@dataclasses.dataclass(slots=True)
class _State:
    """What the lock file holds: it is true as long as nobody but us changes the folder, and every eviction recounts."""

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

    Whatever changes it raises a StoreError where the folder has no room or cannot be used.

    Args:
        folder: Where; it is made when the first program is kept. None: the user's,
            ``$VENUS_CACHE/compiled``.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder("compiled")
        self._compiling = SingleFlight()

    def find(self, key: str, program: Program) -> Compiled | None:
        """Return a program that was compiled, or None where it has to be compiled."""
        record = self._open(key)
        if record is None:
            return None
        with record:
            return self._read(record, key, program)

    def compile(self, key: str, program: Program, build: Callable[[], Compiled]) -> Compiled:
        """Return a program compiled.

        From the store, or by `build`, whose folder is moved into the store.

        A failure is kept where it is the compiler's verdict, or comes of the limit of CPU time; one
        that came of another limit or a signal is not.

        Raises:
            StoreError: There is no room for it, or the folder cannot be used.
        """
        compiled = self.find(key, program)
        # Looked up again inside: another thread may have finished between our look and our turn.
        return compiled or self._compiling.do(
            key, lambda: self.find(key, program) or self._keep(key, build())
        )

    def lease(self, key: str, program: Program, again: Callable[[], Compiled]) -> BinaryIO:
        """Keep a compiled program in the store until what is returned is closed, or this process has ended.

        `again` compiles it, should it have been evicted.

        Raises:
            SandboxError: It does not stay in the store.
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

    def preparing(self, key: str) -> BinaryIO:
        """Wait until nobody else prepares this, and keep others from it until what is returned is closed.

        Raises:
            StoreError: The folder cannot be used.
            KeyboardInterrupt: The scope of this thread was cancelled.
        """
        with _writing(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            turn = (self.folder / f"{PREPARING}-{key}").open("wb")
        while not _lock(turn):
            current().sleep(LOOK_S)
        return turn

    def usage(self) -> Usage:
        """Return what is in the store."""
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
        """Return how many programs are in the store, without looking at them."""
        return self._state().programs

    def clear(self) -> Removed:
        """Remove everything that is not in use."""
        with self._locked() as state:
            return self._evict(state, 0)

    def set_limit(self, limit_bytes: int) -> Removed:
        """Set how many bytes may be kept, for all processes, and remove what is too much."""
        with self._locked() as state:
            state.limit = limit_bytes
            return self._evict(state, limit_bytes)

    def place(self, key: str) -> Path:
        """Return where the compiled program of a key lies, or would."""
        return self.folder / key[:2] / key / PROGRAM

    def _open(self, key: str) -> BinaryIO | None:
        """Return the record of an entry, locked so that the entry stays while it is open.

        None where there is none.
        """
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
        """Return what an open record says and note that it is used.

        None where it, or a file of it, is not whole.
        """
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
        with contextlib.suppress(OSError):  # of a store that is read-only
            os.utime(record.fileno())  # the time that eviction goes by
        return compiled if whole else None

    def _keep(self, key: str, compiled: Compiled) -> Compiled:
        """Move what was made into the store.

        Returns what is there then, which may be another process's.
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
                        # Spared even where it alone exceeds the limit: whoever had it compiled is
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
            # Maybe from another file system, as a copy that a kill can interrupt: so into NEW, and
            # renamed when whole.
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
        if target.parent.exists():  # not whole: nobody could read it
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

    def _evict(self, state: _State, target_bytes: int, spared: Path | None = None) -> Removed:
        """Remove what has not been used for longest until so many bytes are left.

        What is in use stays.
        """
        entries = sorted(self._entries(), key=lambda entry: entry.used_ns)
        state.programs, state.bytes = len(entries), sum(entry.bytes for entry in entries)
        before, in_use = dataclasses.replace(state), 0  # a copy: the state is counted down
        for entry in entries:
            # An entry of no bytes has no readable record: nobody can use it, and it goes whatever
            # the limit is.
            if state.bytes <= target_bytes and entry.bytes:
                continue
            if entry.folder != spared and self._remove(entry.folder):
                state.programs -= 1
                state.bytes -= entry.bytes
            else:
                in_use += 1
        return Removed(before.programs - state.programs, before.bytes - state.bytes, in_use)

    def _remove(self, entry: Path) -> bool:
        """Remove an entry that nobody uses; says whether it did."""
        gone = self.folder / NEW / f"{entry.name}.gone"
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(FileNotFoundError):  # broken: there is nothing to hold on to
                record = stack.enter_context((entry / RECORD).open("r+b"))
                if not _lock(record):
                    return False
            # Still locked: whoever opened the record meanwhile waits, and then finds that the path
            # is gone (`_open`).
            entry.rename(gone)
        remove(gone)
        return True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[_State]:
        """Give the state of the store while no other process changes it.

        What a killed one left is removed.
        """
        with _writing(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # What lies here is executed: nobody else may be able to put something in.
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
    """What compilers read ready-made (`core.language.Prepared`).

    Compiled once, and kept in a store like any program.

    Args:
        store: Where they are kept.
        key: Returns the key of a program in the store.
        compile: Compiles a program, or returns what was made of it before.
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
        """Give the folder of what is prepared for the compiler of a program, and keep it there meanwhile.

        None where there is nothing, or not yet: a few programs are compiled sooner without. What
        cannot be made is done without as well.
        """
        if program.language.prepared is None or not program.language.is_prepared_for(
            program.source
        ):
            yield None
            return
        ours = _preparation(program.language)
        key = self._key(ours)
        compiled, without = self._store.find(key, ours), program.language.prepared.without
        if compiled is None:
            with self._mutex:
                self._done_without[program.language.id] += 1
                early = self._done_without[program.language.id] <= without
            if not early:
                # it takes seconds of all cores, so not in two processes at once
                with self._store.preparing(key):
                    compiled = self._compile(ours)
        if compiled is None or not compiled.ok:
            yield None
            return
        with self._store.lease(key, ours, lambda: self._compile(ours)):
            yield compiled.folder


@functools.cache
def _preparation(language: Language) -> Program:
    ready = language.prepared
    assert ready
    # Whatever limits a client of a server has asked for: they are for its programs.
    how = {"compile_argv": ready.argv, "compile_limits": ready.limits, "prepared": None}
    return Program(dataclasses.replace(language, **how), ready.source)  # type: ignore[arg-type]


def _is_verdict(compiled: Compiled) -> bool:
    """Whether a failure says something of the program: the compiler would fail again."""
    run = compiled.run
    if run.limit == "cpu":  # which does not depend on who else is busy, and costs as much each time
        return True
    ended = (
        run.exit_code is not None and run.signal is None and run.limit is None and not run.oom_kills
    )
    return ended and not PASSING.search(compiled.log)


def _in_use(entry: Path) -> bool:
    with contextlib.suppress(FileNotFoundError), (entry / RECORD).open("r+b") as record:
        return not _lock(record)
    return False


def _lock(record: BinaryIO) -> bool:
    """Lock a file for ourselves; returns whether nobody else has it locked."""
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
    """Raise a StoreError where the file system refuses something inside."""
    try:
        yield
    except OSError as error:
        fix = (
            "free space there, type: venus cache clear, or set VENUS_CACHE to another folder "
            f"than {folder.parent}"
        )
        # shutil gathers what happened to each file; the first says why.
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error
        raise StoreError("cannot keep a compiled program", str(reason), fix) from error
