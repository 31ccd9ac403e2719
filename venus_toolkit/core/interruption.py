"""Cancellation: running and waiting work registers with a scope, and the scope can end it.

A thread works in the scope of the loop that started it (`local_engine.spread`, `worker_pool`), and
otherwise in that of the process. Once its scope is cancelled, the thread starts no new work and
gets a KeyboardInterrupt. No `except Exception` catches it, and nothing records it, since it is
neither a failure of the sandbox nor a verdict.

`handle_signals` is for the command line. SIGINT, SIGTERM and SIGHUP cancel the scope of the
process, and the main thread gets a KeyboardInterrupt. After GRACE_S or a second signal, the command
exits immediately, even if a library is in the middle of a long computation. Files on disk are
consistent at any moment (docs/reliability.md); processes, control groups and temporary folders are
removed.
"""

from __future__ import annotations

import _thread
import contextlib
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self

from venus_toolkit.core.temporary import remove_own

EXIT_INTERRUPTED = 130  # as a shell reports a command that SIGINT ended: 128 + 2
GRACE_S = 1.2
STOPPED = "stopped\n  finished work is kept: type the same command to continue"

log = logging.getLogger(__name__)
# Called last in an interrupted command, after its processes were killed.
cleanups: list[Callable[[], object]] = [remove_own]


class CancelScope:
    """Work that is cancelled together; used as a context, an exception cancels it.

    It uses no locks of `threading`: an interrupt of the main thread could leave one locked.
    Dictionaries change in one step.
    """

    def __init__(self, parent: CancelScope | None = None) -> None:
        self.cancelled = False
        self._ends: dict[object, Callable[[], object]] = {}
        self._parent = parent
        self._in_parent = parent.add(self.cancel) if parent else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            self.cancel()
        self.close()

    def close(self) -> None:
        """Leave the parent scope; no work of this scope is running."""
        if self._parent:
            self._parent.discard(self._in_parent)

    def enter(self) -> None:
        """Make this the scope of the current thread."""
        _local.scope = self

    def add(self, end: Callable[[], object]) -> object:
        """Register `end` to be called when the scope is cancelled, or now if it already is.

        `end` may be called twice, from any thread; the scope does not wait for its effect.

        Returns:
            A token for `discard`.
        """
        token = object()
        self._ends[token] = end
        if self.cancelled:
            end()
        return token

    def discard(self, token: object) -> None:
        """Unregister work that has ended."""
        self._ends.pop(token, None)

    @contextlib.contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """Register `end` for the duration of this context."""
        token = self.add(end)
        try:
            yield
        finally:
            self.discard(token)

    def cancel(self) -> None:
        """End all registered work."""
        self.cancelled = True
        for end in list(self._ends.values()):
            try:
                end()
            except Exception as error:  # one failure must not keep the rest from ending
                log.info("not ended: %s", error)

    def check(self) -> None:
        """Refuse to start work in a cancelled scope.

        Raises:
            KeyboardInterrupt: The scope is cancelled.
        """
        if self.cancelled:
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        """Wait, unless the scope is cancelled meanwhile.

        Raises:
            KeyboardInterrupt: The scope is cancelled.
        """
        alarm: list[None] = []
        lock = _thread.allocate_lock()
        lock.acquire()

        def end() -> None:
            alarm.append(None)
            if len(alarm) == 1:  # a lock that is free cannot be released
                lock.release()

        with self.ending(end):
            lock.acquire(timeout=seconds)
        self.check()


PROCESS = CancelScope()
_local = threading.local()


def current() -> CancelScope:
    """Return the scope of this thread."""
    scope: CancelScope = getattr(_local, "scope", PROCESS)
    return scope


@contextlib.contextmanager
def worker_pool(
    threads: int | None = None,
    name: str = "venus-worker",
    initializer: Callable[[], object] = lambda: None,
) -> Iterator[ThreadPoolExecutor]:
    """Give a thread pool with its own scope; an exception cancels running work without waiting."""
    with CancelScope(current()) as scope:

        def begin() -> None:
            scope.enter()
            initializer()

        pool = ThreadPoolExecutor(threads, name, begin)
        try:
            yield pool
        except BaseException:
            scope.cancel()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown(cancel_futures=True)


def run_tool(
    argv: Sequence[str], timeout_s: float | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a trusted command to its end and return its output; `options` are those of Popen.

    Raises:
        OSError: It does not start.
        subprocess.TimeoutExpired: It was killed after `timeout_s`.
        KeyboardInterrupt: The scope of this thread was cancelled.
    """
    scope, pipe = current(), subprocess.PIPE
    scope.check()
    # In its own process group: a tool may be a script, and its child processes must end with it.
    with subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        process_group=0,
        **options,
    ) as process:

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                if process.returncode is None:  # otherwise its pid may have been reused
                    os.killpg(process.pid, signal.SIGKILL)

        with scope.ending(kill):
            try:
                stdout, stderr = process.communicate(timeout=timeout_s)
            except BaseException:
                kill()
                raise
    scope.check()
    return subprocess.CompletedProcess(argv, process.returncode, stdout, stderr)


class _Signals:
    """The signal state of a command."""

    def __init__(self) -> None:
        self.drain_s = 0.0
        self.received = False
        self.announced = _thread.allocate_lock()
        self.leaving = _thread.allocate_lock()


_signals = _Signals()


@contextlib.contextmanager
def draining(seconds: float) -> Iterator[None]:
    """Give code in this context some seconds after a signal, which it must detect itself."""
    _signals.drain_s = seconds
    try:
        yield
    finally:
        _signals.drain_s = 0.0


@contextlib.contextmanager
def handle_signals() -> Iterator[None]:
    """Stop everything in this context at a signal; the process then ends with EXIT_INTERRUPTED."""
    global _signals
    if threading.current_thread() is not threading.main_thread():
        yield  # Python delivers signals to the main thread only
        return
    state = _signals = _Signals()
    # Ignored signals stay ignored: those of a command under nohup, or in the background of a
    # script.
    numbers = [
        number
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    read, write = os.pipe()
    os.set_blocking(write, False)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not state.received:
            state.received = True
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    # The C handler writes to it whatever the main thread is doing: some libraries stay outside of
    # Python for seconds.
    before_fd = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    _in_command.append(numbers)
    _thread.start_new_thread(_watch, (read, state, frozenset(numbers)))
    try:
        yield
    except BaseException:
        if state.received:
            leave()
        raise
    finally:
        _in_command.pop()
        signal.set_wakeup_fd(before_fd)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(write)  # this ends the watching thread


def _watch(read: int, state: _Signals, numbers: frozenset[int]) -> None:
    """Stop all work once a signal arrives; runs in its own thread."""
    while not numbers.intersection(data := os.read(read, 64)):
        if not data:
            os.close(read)
            return
    _announce(state)
    # A shell or `timeout` may signal a process and then its group: that is one interrupt.
    time.sleep(0.05)
    while select.select([read], [], [], 0)[0] and os.read(read, 64):
        pass
    if not (state.drain_s and _signalled(read, state.drain_s, numbers)):
        state.received = True
        # Threads and libraries must not print the errors that follow from being stopped.
        logging.disable()
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        _thread.start_new_thread(PROCESS.cancel, ())
        _signalled(read, GRACE_S, numbers)
    leave()


def _signalled(read: int, seconds: float, numbers: frozenset[int]) -> bool:
    """Whether a signal arrives within some seconds; ends this thread if the command ends."""
    end = time.monotonic() + seconds
    while select.select([read], [], [], max(0.0, end - time.monotonic()))[0]:
        data = os.read(read, 64)
        if not data:
            os.close(read)
            raise SystemExit
        if numbers.intersection(data):
            return True
    return False


def announce() -> None:
    """Print once that the command stops.

    Usually the watching thread does so, but the command may end before it runs, or an event loop
    may take the signals.
    """
    _announce(_signals)


def _announce(state: _Signals) -> None:
    if state.announced.acquire(blocking=False):
        _write("stopping…")


def _write(text: str) -> None:
    with contextlib.suppress(OSError):  # the reader has closed the pipe
        os.write(2, f"{text}\n".encode())


def leave() -> NoReturn:
    """End this process at once; remove its child processes, control groups and temporary folders."""
    if not _signals.leaving.acquire(blocking=False):
        time.sleep(60)  # another thread is already ending the process
    done = _thread.allocate_lock()
    done.acquire()

    def clean_up() -> None:
        try:
            PROCESS.cancelled = True
            kill_descendants()
            kill_descendants()  # threads may have started processes meanwhile
            for remove in cleanups:
                with contextlib.suppress(OSError):
                    remove()
            sys.stdout.flush()
        finally:
            done.release()

    _thread.start_new_thread(clean_up, ())
    announce()
    done.acquire(timeout=0.4)  # seconds for cleaning up
    _write(STOPPED)
    os._exit(EXIT_INTERRUPTED)


def kill_descendants() -> None:
    """Kill all processes below this one, and reap its children."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            # A program's name may hold blanks and brackets, so fields count from the last bracket.
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    for pid in below - {os.getpid()}:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


_in_command: list[list[signal.Signals]] = []


def _after_fork() -> None:
    """Restore the default signal handlers in a child process, such as a data loader.

    A signal must end it; the parent decides about the rest.
    """
    if _in_command:
        signal.set_wakeup_fd(-1)
        for number in _in_command[-1]:
            signal.signal(number, signal.SIG_DFL)


os.register_at_fork(after_in_child=_after_fork)
