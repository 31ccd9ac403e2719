"""Cancellation: running and waiting work registers with a scope, and the scope can end it.

A thread works in the scope of the loop that started it (`local_engine.spread`, `worker_pool`), and
otherwise in that of the process. Once its scope is cancelled, it begins nothing and gets a
KeyboardInterrupt: no `except Exception` catches that, and it is neither a failure of the sandbox
nor a verdict, so nothing records it.

`handle_signals` is for the command line. SIGINT, SIGTERM and SIGHUP cancel the scope of the
process, and the main thread gets a KeyboardInterrupt. A command that is still there after GRACE_S,
because a library is in the middle of a long computation, ends where it is, as it does after a
second signal. What is on disk bears that at any moment (docs/reliability.md); processes, control
groups and temporary folders are removed.
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

EXIT_INTERRUPTED = 130  # what a shell reports of a command that SIGINT ended: 128 + 2
GRACE_S = 1.2
STOPPED = "stopped\n  finished work is kept: type the same command to continue"

log = logging.getLogger(__name__)
# Run at the very end of an interrupted command, when its processes are gone.
cleanups: list[Callable[[], object]] = [remove_own]


class CancelScope:
    """Work that is cancelled together; as a context, an exception cancels it.

    No locks of Python: an interrupt of the main thread could leave one locked. Dictionaries change
    in one step.
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
        """Leave the parent: nothing of this scope is under way."""
        if self._parent:
            self._parent.discard(self._in_parent)

    def enter(self) -> None:
        """Have this thread work in this scope."""
        _local.scope = self

    def add(self, end: Callable[[], object]) -> object:
        """Have `end` called when the scope is cancelled, at once where it is.

        Returns what `discard` takes.

        It may be called twice, from any thread, and is not waited for.
        """
        token = object()
        self._ends[token] = end
        if self.cancelled:
            end()
        return token

    def discard(self, token: object) -> None:
        """Forget what was added: it has ended."""
        self._ends.pop(token, None)

    @contextlib.contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """Have `end` called where the scope is cancelled inside this context."""
        token = self.add(end)
        try:
            yield
        finally:
            self.discard(token)

    def cancel(self) -> None:
        """End everything."""
        self.cancelled = True
        for end in list(self._ends.values()):
            try:
                end()
            except Exception as error:  # whatever fails to end, the rest has to
                log.info("not ended: %s", error)

    def check(self) -> None:
        """Begin nothing in a cancelled scope.

        Raises:
            KeyboardInterrupt: It is cancelled.
        """
        if self.cancelled:
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        """Wait.

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
    found: CancelScope = getattr(_local, "scope", PROCESS)
    return found


@contextlib.contextmanager
def worker_pool(
    threads: int | None = None,
    name: str = "venus-worker",
    initializer: Callable[[], object] = lambda: None,
) -> Iterator[ThreadPoolExecutor]:
    """Give threads in a scope of their own; after an exception what is under way is not awaited."""
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
    """Run a command of ours to its end and return what it printed; `options` are those of Popen.

    Raises:
        OSError: It does not start.
        subprocess.TimeoutExpired: It was killed after `timeout_s`.
        KeyboardInterrupt: The scope of this thread was cancelled.
    """
    scope, pipe = current(), subprocess.PIPE
    scope.check()
    # In a group of its own: a tool may be a script, and what it has started ends with it.
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
                if process.returncode is None:  # else its number may be another's
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
    """What is known of the signals of a command."""

    def __init__(self) -> None:
        self.drain_s = 0.0
        self.received = False
        self.announced = _thread.allocate_lock()
        self.leaving = _thread.allocate_lock()


_signals = _Signals()


@contextlib.contextmanager
def draining(seconds: float) -> Iterator[None]:
    """Let what runs in this context have some seconds after a signal, of which it learns itself."""
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
        yield  # where no signal ever comes, and none can be handled
        return
    state = _signals = _Signals()
    # Those that are ignored stay so: of a command under nohup, or in the background of a script.
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
    # Written to by the handler in C, whatever the main thread is doing: some libraries leave Python
    # for seconds.
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
        os.close(write)  # which ends the watch


def _watch(read: int, state: _Signals, numbers: frozenset[int]) -> None:
    """Stop everything when a signal has come; in a thread of its own."""
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
        # No thread or library prints what comes of being stopped.
        logging.disable()
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        _thread.start_new_thread(PROCESS.cancel, ())
        _signalled(read, GRACE_S, numbers)
    leave()


def _signalled(read: int, seconds: float, numbers: frozenset[int]) -> bool:
    """Whether a signal comes within some seconds.

    Where the command ends meanwhile, this thread does, too.
    """
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
    """Say that the command stops, once.

    The watch does, unless the command ends before it runs, or an event loop takes the signals.
    """
    _announce(_signals)


def _announce(state: _Signals) -> None:
    if state.announced.acquire(blocking=False):
        _write("stopping…")


def _write(text: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads it any more
        os.write(2, f"{text}\n".encode())


def leave() -> NoReturn:
    """End this process at once; remove its child processes, control groups and temporary folders."""
    if not _signals.leaving.acquire(blocking=False):
        time.sleep(60)  # another thread is at it, and ends this one
    done = _thread.allocate_lock()
    done.acquire()

    def clean_up() -> None:
        try:
            PROCESS.cancelled = True
            kill_descendants()
            kill_descendants()  # what a thread was about to start that had not seen it
            for remove in cleanups:
                with contextlib.suppress(OSError):
                    remove()
            sys.stdout.flush()
        finally:
            done.release()

    _thread.start_new_thread(clean_up, ())
    announce()
    done.acquire(timeout=0.4)  # in seconds, for what is left when the command ends where it is
    _write(STOPPED)
    os._exit(EXIT_INTERRUPTED)


def kill_descendants() -> None:
    """Kill all processes below this one, and reap its children."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            # A program's name may hold blanks and brackets, so fields count from the last bracket.
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
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
    """In a child, such as one that loads data, end by a signal.

    What is to be stopped is the parent's.
    """
    if _in_command:
        signal.set_wakeup_fd(-1)
        for number in _in_command[-1]:
            signal.signal(number, signal.SIG_DFL)


os.register_at_fork(after_in_child=_after_fork)
