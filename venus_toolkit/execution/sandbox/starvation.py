"""A run that ended by wall time with CPU time left.

Did the program sleep, or did it wait for a processor?

CPU time is the limit that counts, and wall time backs it up: it ends programs that sleep or wait
for each other. On a busy machine it would also end programs that wait for a processor, and their
verdict would depend on who else is busy. The supervisor looks at the states of the program's
threads to tell the two apart: who sleeps is not runnable.

A program that was kept waiting is tried again, with no other session of this process beside it and
with more wall time. If it is kept waiting then too, nothing can be said: that is a failure of the
machine (SandboxError), not a verdict.

One that slept is tried again, under the same limits, only where the machine stood still for a while
(a virtual one that was paused): then the supervisor did not look at the program either, and its
samples have a gap. Every other program that sleeps has its verdict: a second try is a second guess
for one that guesses, and sleeps where it dislikes its luck.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import NS_PER_S, Limits, Run
from venus_toolkit.execution.sandbox import Compiled, Session, SessionOpener, as_sequence
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

LONGER = 4  # times the wall time in the second run
# how long other sessions and a second run wait for each other: an end, so that nothing locks up
PATIENCE_S = 30.0


def starved(run: Run) -> bool:
    """Whether a run ended by wall time, and because it waited for a processor rather than slept."""
    off_cpu_ns = run.wall_ns - run.cpu_ns
    return (
        run.limit == "wall"
        and off_cpu_ns >= run.wall_ns / 10
        and run.kept_waiting_ns > off_cpu_ns / 2
    )


class _Turns:
    """Which sessions of this process run now, and whether one of them wants to run alone."""

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
    """A session that tries a run again where wall time ended it and the machine may be why.

    Args:
        open: Opens the session in which everything runs, and another one for a second try, with
            more wall time.
        limits: Of each run.
    """

    def __init__(self, open: Callable[[Limits], Session], limits: Limits) -> None:
        self._open = open
        self._limits = limits
        self._session = open(limits)
        self._second: Session | None = None

    def prepare(self) -> None:
        """Begin with what takes time before the first run."""
        self._session.prepare()

    def close(self) -> None:
        """End the session, with a second try that is under way."""
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
            # Closed early, a session ends what runs: its supervisor would go on with the next
            # input.
            with _TURNS.together(), closing(_generator(self._session.run(waiting))) as runs:
                for run in runs:
                    done += 1
                    if starved(run) or run.paused:
                        ended = run
                        break
                    yield run
            if ended:
                stdin = waiting[done - 1]
                yield self._alone(stdin, ended) if starved(ended) else self._once_more(stdin)
            waiting = waiting[done:]

    def _once_more(self, stdin: bytes) -> Run:
        """Try a run again during which the machine stood still."""
        with _TURNS.together():
            again = self._run_apart(stdin, self._limits)
        return self._alone(stdin, again) if starved(again) else again

    def _alone(self, stdin: bytes, first: Run) -> Run:
        """Try a run again that waited for a processor."""
        limits = self._limits
        # A program has one core, on which CPU time is wall time without the waiting: so much of it
        # exceeds the limit.
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
        """Return a session in which each run is held to `limits`, and no verdict depends on who else is busy."""
        return FairSession(
            lambda held_to: self.inside.session(compiled, held_to, cores, sampling), limits
        )


def fair(inside: SessionOpener) -> SessionOpener:
    """Return what opens fair sessions.

    A server's are fair already, and only it knows how busy its machine is.
    """
    return inside if getattr(inside, "fair", False) else FairSessions(inside)
