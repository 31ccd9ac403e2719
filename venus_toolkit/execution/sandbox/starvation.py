"""Retries runs that ended at the wall time limit because the machine was busy.

CPU time is the limit that matters; wall time only ends programs that sleep or wait for each other.
On a busy machine it would also end programs that wait for a processor, and verdicts would depend on
the load. The supervisor samples the states of the program's threads to distinguish these cases:
a sleeping thread is not runnable.

A run that waited for a processor is retried with more wall time, while no other session of this
process runs. If it waits again, no verdict is possible: that is a failure of the machine
(SandboxError).

A run that slept is retried, under the same limits, only if the machine was paused (a virtual one
may be): then the supervisor did not sample either, and its samples have a gap. In every other case,
a sleeping program gets its verdict. A retry would give a randomised program another chance: it
could sleep whenever it expects to fail.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import NS_PER_S, Limits, Run
from venus_toolkit.execution.sandbox import Compiled, Session, SessionOpener, as_sequence
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

LONGER = 4  # factor for the wall time of a retry
# How long other sessions and a retry wait for each other (seconds); a limit prevents deadlocks.
PATIENCE_S = 30.0


def starved(run: Run) -> bool:
    """Whether a run exceeded its wall time while it mostly waited for a processor."""
    off_cpu_ns = run.wall_ns - run.cpu_ns
    return (
        run.limit == "wall"
        and off_cpu_ns >= run.wall_ns / 10
        and run.kept_waiting_ns > off_cpu_ns / 2
    )


class _Turns:
    """A lock for sessions of this process: `together` is shared, `alone` is exclusive."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._alone = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._alone, PATIENCE_S)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._alone, PATIENCE_S)
            self._alone += 1
            self._changed.wait_for(lambda: not self._running, PATIENCE_S)
        try:
            yield
        finally:
            with self._changed:
                self._alone -= 1
                self._changed.notify_all()


_TURNS = _Turns()


class FairSession(Session):
    """A session that retries a run if it exceeded its wall time and the machine may be the reason.

    Args:
        open: Opens a session with the given limits; called for the first runs and for each retry.
        limits: The limits of each run.
    """

    def __init__(self, open: Callable[[Limits], Session], limits: Limits) -> None:
        self._open = open
        self._limits = limits
        self._session = open(limits)
        self._second: Session | None = None

    def prepare(self) -> None:
        """Start the slow setup before the first run."""
        self._session.prepare()

    def close(self) -> None:
        """End the session and a running retry."""
        for session in (self._second, self._session):
            if session:
                session.close()

    def run(self, stdins: Iterable[bytes]) -> Generator[Run]:
        """Run the program on each input, in order; yields a Run for each.

        Raises:
            SandboxError: The sandbox failed, or the machine is too busy for a verdict.
        """
        waiting = as_sequence(stdins)
        while waiting:
            done, ended = 0, None
            # `closing` ends the session at the run to retry: otherwise its supervisor would
            # continue with the next input.
            with _TURNS.together(), closing(_generator(self._session.run(waiting))) as runs:
                for run in runs:
                    done += 1
                    if starved(run) or run.paused:
                        ended = run
                        break
                    yield run
            if ended:
                stdin = waiting[done - 1]
                yield (
                    self._retry_alone(stdin, ended) if starved(ended) else self._retry_paused(stdin)
                )
            waiting = waiting[done:]

    def _retry_paused(self, stdin: bytes) -> Run:
        """Retry a run during which the machine was paused."""
        with _TURNS.together():
            again = self._run_apart(stdin, self._limits)
        return self._retry_alone(stdin, again) if starved(again) else again

    def _retry_alone(self, stdin: bytes, first: Run) -> Run:
        """Retry a run that waited for a processor."""
        limits = self._limits
        # A program has one core, on which CPU time is wall time without waiting. So CPU time above
        # the wall time limit is too much.
        longer = limits.changed(
            wall_ns=LONGER * limits.wall_ns, cpu_ns=min(limits.cpu_ns, limits.wall_ns)
        )
        with _TURNS.alone():
            again = self._run_apart(stdin, longer)
        if starved(again):
            reason = (
                f"with {again.wall_ns / NS_PER_S:.1f} s of wall time it got "
                f"{again.cpu_ns / NS_PER_S:.1f} s of CPU time"
            )
            fix = "try again when the machine is less busy, or with fewer --jobs"
            raise SandboxError(
                "the machine is too busy to say whether the program is too slow", reason, fix
            )
        too_long = again.wall_ns - again.kept_waiting_ns > limits.wall_ns
        return first if again.limit in ("wall", "cpu") or too_long else again

    def _run_apart(self, stdin: bytes, limits: Limits) -> Run:
        self._second = self._open(limits)
        try:
            (run,) = self._second.run([stdin])
        finally:
            self._second.close()
        return run


def _generator(runs: Iterator[Run]) -> Generator[Run]:
    yield from runs


class FairSessions(SessionOpener):
    """Opens fair sessions in a sandbox."""

    fair = True

    def __init__(self, inside: SessionOpener) -> None:
        self.inside = inside

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> Session:
        """Return a session that enforces `limits`, and whose verdicts do not depend on the load."""
        return FairSession(
            lambda run_limits: self.inside.session(compiled, run_limits, cores, sampling), limits
        )


def fair(inside: SessionOpener) -> SessionOpener:
    """Return an opener of fair sessions.

    Sessions on a server are already fair, and only the server knows the load of its machine.
    """
    return inside if getattr(inside, "fair", False) else FairSessions(inside)
