"""Compiled programs in use, on the machine where they are: each is discarded when the last who needs it is done.

One who judges an answer, one who measures it, and groups with the same code share what was compiled. What will probably
be needed again is kept: the originals that answers are measured beside, and answers between their verdict and their
figures. Both are bounded, and what was pushed out is compiled again.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from venus_toolkit.errors import SandboxError, VenusError
from venus_toolkit.sandbox import Compiled, Program, Sandbox
from venus_toolkit.supervisor import Cores

ORIGINALS, ANSWERS = "originals", "answers"
MOST = {ORIGINALS: 64, ANSWERS: 1024}
log = logging.getLogger(__name__)


class Loans:
    """The programs of one sandbox.

    Args:
        sandbox: Where they are compiled; it lives as long as its user wants it to.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox: Sandbox = weakref.proxy(sandbox)
        self._users: Counter[tuple[str, str]] = Counter()
        self._compiled: dict[tuple[str, str], Compiled] = {}
        self._kept: dict[str, OrderedDict[Program, None]] = {kind: OrderedDict() for kind in MOST}
        self._mutex = threading.Lock()

    def take(self, program: Program, cores: Cores) -> None:
        """Compile a program and keep it until it is given back as often as it was taken.

        Raises:
            SandboxError: The sandbox failed; the program is not taken then.
        """
        key = (program.language.id, program.source)
        with self._mutex:
            self._users[key] += 1
        try:
            compiled = self._sandbox.compile(program, cores)
        except VenusError:
            self.give_back(program)
            raise
        with self._mutex:
            self._compiled[key] = compiled

    def give_back(self, program: Program) -> None:
        """Say that one user less needs a program."""
        key = (program.language.id, program.source)
        with self._mutex:
            self._users[key] -= 1
            if self._users[key]:
                return
            del self._users[key]
            compiled = self._compiled.pop(key, None)
            try:
                if compiled:
                    self._sandbox.discard(compiled)
            except SandboxError as error:
                log.warning("a compiled program stays until the sandbox is closed: %s", error)

    @contextmanager
    def lent(self, programs: Iterable[Program], cores: Cores) -> Iterator[None]:
        """Keep programs for as long as the block runs.

        Raises:
            SandboxError: The sandbox failed.
        """
        with ExitStack() as stack:
            for program in programs:
                self.take(program, cores)
                stack.callback(self.give_back, program)
            yield

    def keep(self, kind: str, program: Program, cores: Cores) -> None:
        """Keep a program that will be needed again, as one of the last of its kind, ORIGINALS or ANSWERS.

        Raises:
            SandboxError: The sandbox failed.
        """
        self.take(program, cores)
        kept = self._kept[kind]
        with self._mutex:
            old = [program] if program in kept else []
            kept[program] = None
            kept.move_to_end(program)
            if len(kept) > MOST[kind]:
                old.append(kept.popitem(last=False)[0])
        for each in old:
            self.give_back(each)

    def let_go(self, kind: str, program: Program) -> None:
        """Keep a program no longer, if it is kept."""
        with self._mutex:
            if program not in self._kept[kind]:
                return
            del self._kept[kind][program]
        self.give_back(program)

    def clear(self) -> None:
        """Let everything go that is kept."""
        for kind, kept in self._kept.items():
            for program in list(kept):
                self.let_go(kind, program)


_OF: weakref.WeakKeyDictionary[Sandbox, Loans] = weakref.WeakKeyDictionary()
_MUTEX = threading.Lock()


def loans_of(sandbox: Sandbox) -> Loans:
    """Return the loans of a sandbox: the same ones to all who ask, as long as it is there."""
    with _MUTEX:
        return _OF.setdefault(sandbox, Loans(sandbox))
