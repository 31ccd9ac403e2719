"""Compiled programs that many requests share: kept while somebody uses them, and the latest for a while longer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from venus_toolkit.language import Language, Toolchain
from venus_toolkit.records import Limits, Run
from venus_toolkit.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.supervisor import Cores, Sampling

IDLE = 64


@dataclass(slots=True)
class Shelved:
    """A program, how many use it, and what was made of it once it is compiled."""

    users: int = 0
    compiled: Compiled | None = None


class Programs:
    """The compiled programs of a sandbox.

    Args:
        sandbox: Where they are compiled.
        idle: How many are kept that nobody uses.
    """

    def __init__(self, sandbox: Sandbox, idle: int = IDLE) -> None:
        self.sandbox = sandbox
        self._idle = idle
        self._shelf: OrderedDict[str, Shelved] = OrderedDict()
        self._mutex = threading.Lock()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._shelf)

    def has(self, program: Program) -> bool:
        """Whether a program is there that was compiled."""
        shelved = self._shelf.get(key_of(program))
        return shelved is not None and shelved.compiled is not None

    @contextmanager
    def borrowing(self, ready: Callable[[], object]) -> Iterator[Borrowed]:
        """Give a sandbox whose programs are kept until the block ends.

        Args:
            ready: Waits until programs may run, compilers included. A session gets ready meanwhile.
        """
        borrowed = Borrowed(self, ready)
        try:
            yield borrowed
        finally:
            borrowed.close()

    def take(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Return a program compiled; it stays until it is given back as often as it was taken."""
        key = key_of(program)
        with self._mutex:
            shelved = self._shelf.setdefault(key, Shelved())
            shelved.users += 1
            self._shelf.move_to_end(key)
        try:
            shelved.compiled = self.sandbox.compile(program, cores)
        finally:
            if shelved.compiled is None:
                self.give_back(program)
        return shelved.compiled._replace(program=program)

    def give_back(self, program: Program) -> None:
        """Give back what was taken; those that nobody has used for longest are removed."""
        with self._mutex:
            key = key_of(program)
            self._shelf[key].users -= 1
            if not self._shelf[key].users and not _worth_keeping(self._shelf[key]):
                self._remove(key)
            unused = [key for key, shelved in self._shelf.items() if not shelved.users]
            for key in unused[: max(0, len(unused) - self._idle)]:
                self._remove(key)

    def _remove(self, key: str) -> None:
        """Remove a program; whoever wants it at the same moment waits, and has it compiled anew."""
        shelved = self._shelf.pop(key)
        if shelved.compiled:
            self.sandbox.discard(shelved.compiled)


def _worth_keeping(shelved: Shelved) -> bool:
    return shelved.compiled is not None and shelved.compiled.ok


def key_of(program: Program) -> str:
    """Return what a sandbox tells compiled programs apart by."""
    return program.key


class Borrowed:
    """A sandbox for one piece of work: what it compiles is shared, and given back at the end.

    A session that has done its work is put away when the next one is opened, or at the end: the result is there before.
    """

    def __init__(self, programs: Programs, ready: Callable[[], object]) -> None:
        self.name = programs.sandbox.name
        self._programs = programs
        self._ready = ready
        self._taken: list[Program] = []
        self._done: Session | None = None

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what others made of it."""
        if not self._programs.has(program):
            self._ready()
        compiled = self._programs.take(program, cores)
        self._taken.append(program)
        return compiled

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> Session:
        """Return a session in which each run of `compiled` is held to `limits`."""
        self._put_away(None)
        session = self._programs.sandbox.session(compiled, limits, cores, sampling)
        try:
            session.prepare()
            self._ready()
        except BaseException:
            session.close()
            raise
        return Lent(session, self._put_away)

    def _put_away(self, done: Session | None) -> None:
        """End the session that was done before, and keep another one until later."""
        before, self._done = self._done, done
        if before:
            before.close()

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` here."""
        return self._programs.sandbox.toolchain(language)

    def discard(self, compiled: Compiled) -> None:
        """Do nothing: it is given back at the end."""

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what the sandbox enforces and how."""
        return self._programs.sandbox.facts()

    def close(self) -> None:
        """Put the last session away and give back what was compiled."""
        try:
            self._put_away(None)
        finally:
            self._give_back()

    def _give_back(self) -> None:
        while self._taken:
            self._programs.give_back(self._taken.pop())

    def __enter__(self) -> Borrowed:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Put the last session away and give back what was compiled."""
        self.close()


class Lent:
    """A session; closed while it is idle it is handed to `later`, while something runs in it that is ended at once."""

    def __init__(self, session: Session, later: Callable[[Session], None]) -> None:
        self._session = session
        self._later = later
        self._busy = False

    def prepare(self) -> None:
        """Do nothing: it is prepared."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order, one at a time; yields a Run for each."""
        self._busy = True
        yield from self._session.run(stdins)
        self._busy = False

    def close(self) -> None:
        """Have the session ended."""
        if self._busy:
            self._session.close()
        else:
            self._later(self._session)

    def __enter__(self) -> Lent:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()
