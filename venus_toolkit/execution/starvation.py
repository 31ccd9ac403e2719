"""A run that ended by wall time with CPU time left: did the program sleep, or did it wait for a processor?

CPU time is the limit that counts, and wall time backs it up: it ends programs that sleep or wait for each other. On a
busy machine it would also end programs that wait for a processor, and their verdict would depend on who else is busy.
A run tells the two apart in most cases:

- It slept most of the time, if all that waited for a processor here waited for less: the kernel says for how long.
- It slept, if it was rarely interrupted: who waits for a processor has been preempted or has just been woken, and waits
  for a time slice of each other program.

Otherwise the program is tried again, with no other session of this process beside it and with more wall time. If that
ends by wall time too, on a machine that is still busy with something else, and after more CPU time than before, nothing
can be said: that is a failure of the machine (SandboxError), not a verdict.

One that slept is tried again, under the same limits, only where the machine stood still for a while (a virtual one that
was paused): then the supervisor did not look at the program either, and its samples have a gap. Every other program
that sleeps has its verdict: a second try is a second guess for one that guesses, and sleeps where it dislikes its luck.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.execution.sandbox import Compiled, Session, SessionOpener, as_sequence
from venus_toolkit.execution.supervisor import Cores, Sampling

NOISY_STEAL = 0.02  # share of the ticks that the hypervisor gave to others
NOISY_PRESSURE = 0.25  # share of the time in which somebody waited for a processor; we ourselves cause some
PREEMPTED_NS = 30 * NS_PER_MS  # how long a program waits until it runs again: while ten others have a time slice
WOKEN_NS = 2 * NS_PER_MS  # likewise after it slept: the scheduler prefers those
SAME_CPU = 1.25  # a second run that took no more CPU time than this times the first slept the rest of its time
LEAST_SHARE = 1 / 64  # nor one that got less than this of the time that it had more: on no machine is so much going on
LONGER = 4  # times the wall time in the second run
PATIENCE_S = 30.0  # how long other sessions and a second run wait for each other: an end, so that nothing locks up


class Pressure(NamedTuple):
    """What the kernel says of others wanting the processor: stolen and total ticks, and time waited in µs."""

    stolen: int
    total: int
    waiting_us: int | None
    at_ns: int

    @classmethod
    def now(cls) -> Pressure:
        """Read /proc/stat and /proc/pressure/cpu."""
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        waiting_us = None
        with suppress(OSError, IndexError, ValueError):  # a kernel without pressure stall information
            waiting_us = int(Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0])
        return cls(
            stolen=ticks[7] if len(ticks) > 7 else 0,
            total=sum(ticks[:8]),  # later columns, the time of guests, are part of the first two
            waiting_us=waiting_us,
            at_ns=time.monotonic_ns(),
        )

    def since(self) -> list[str]:
        """Return the noise flags for the time since this reading."""
        after = Pressure.now()
        stolen = (after.stolen - self.stolen) / max(after.total - self.total, 1)
        waited = 1000 * ((after.waiting_us or 0) - (self.waiting_us or 0)) / max(after.at_ns - self.at_ns, 1)
        found = {"stolen_time": stolen > NOISY_STEAL, "cpu_pressure": waited > NOISY_PRESSURE}
        return [flag for flag, seen in found.items() if seen]

    def waited_ns(self) -> float:
        """Return for how long at most a program can have waited since this reading; infinity where that is unknown."""
        after = Pressure.now()
        if after.waiting_us is None or self.waiting_us is None:
            return math.inf
        stolen = (after.stolen - self.stolen) / max(after.total - self.total, 1)
        return 1000 * (after.waiting_us - self.waiting_us) + stolen * (after.at_ns - self.at_ns)


def may_have_starved(run: Run, before: Pressure) -> bool:
    """Whether a run may have ended by wall time because it waited for a processor; `before` was read before it."""
    if not _waited(run):
        return False
    off_cpu_ns = run.wall_ns - run.cpu_ns
    longest_ns = (run.involuntary_switches + 1) * PREEMPTED_NS + run.voluntary_switches * WOKEN_NS
    return min(longest_ns, before.waited_ns()) > off_cpu_ns / 2


def _waited(run: Run) -> bool:
    """Whether a run ended by wall time, and not because it computed all the time."""
    return run.limit == "wall" and run.wall_ns - run.cpu_ns >= run.wall_ns / 10


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
        open: Opens the session in which everything runs, and another one for a second try, with more wall time.
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
            before, done = Pressure.now(), 0
            ended, starved = None, False
            # Closed early, a session ends what runs: its supervisor would go on with the next input.
            with _TURNS.together(), closing(_generator(self._session.run(waiting))) as runs:
                for run in runs:
                    done += 1
                    starved = may_have_starved(run, before)
                    if starved or run.paused:
                        ended = run
                        break
                    yield run
            if ended:
                yield self._alone(waiting[done - 1], ended) if starved else self._once_more(waiting[done - 1])
            waiting = waiting[done:]

    def _once_more(self, stdin: bytes) -> Run:
        """Try a run again during which the machine stood still."""
        with _TURNS.together():
            before = Pressure.now()
            again = self._run_apart(stdin, self._limits)
        return self._alone(stdin, again) if may_have_starved(again, before) else again

    def _alone(self, stdin: bytes, first: Run) -> Run:
        """Try a run again that may have waited for a processor."""
        limits = self._limits
        # A program has one core, on which CPU time is wall time without the waiting: so much of it exceeds the limit.
        longer = limits.changed(wall_ns=LONGER * limits.wall_ns, cpu_ns=min(limits.cpu_ns, limits.wall_ns))
        with _TURNS.alone():
            before = Pressure.now()
            again = self._run_apart(stdin, longer)
        asleep_ns = max(SAME_CPU * first.cpu_ns, first.cpu_ns + LEAST_SHARE * (again.wall_ns - first.wall_ns))
        if may_have_starved(again, before) and again.cpu_ns > asleep_ns:
            why = (
                f"with {again.wall_ns / NS_PER_S:.1f} s of wall time it got {again.cpu_ns / NS_PER_S:.1f} s of CPU time"
            )
            fix = "try again when the machine is less busy, or with fewer --jobs"
            raise SandboxError("the machine is too busy to say whether the program is too slow", why, fix)
        too_long = again.wall_ns - before.waited_ns() > limits.wall_ns
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
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> Session:
        """Return a session in which each run is held to `limits`, and no verdict depends on who else is busy."""
        return FairSession(lambda held_to: self.inside.session(compiled, held_to, cores, sampling), limits)


def fair(inside: SessionOpener) -> SessionOpener:
    """Return what opens fair sessions; a server's are fair already, and only it knows how busy its machine is."""
    return inside if getattr(inside, "fair", False) else FairSessions(inside)
