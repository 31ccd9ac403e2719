"""Where programs run: the protocol that every sandbox follows.

``opening.py`` opens the one that suits this machine.

A sandbox compiles a program once and runs it on many inputs. When the sandbox itself fails it
raises SandboxError; whatever the program does, however it ends, is a Run. ``tests/contract/`` is
the suite that every sandbox passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Limits, Run
from venus_toolkit.core.toolchain import Toolchain
from venus_toolkit.execution.sandbox.emulator import Emulator
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling


class File(NamedTuple):
    """A file that lies beside a program: its path from there, and what is in it."""

    path: str
    content: bytes


class Program(NamedTuple):
    """A complete program: its language, its source text, and files beside it, which it may read and not write."""

    language: Language
    source: str
    files: tuple[File, ...] = ()

    @property
    def source_file(self) -> str:
        """The name of the file that its compiler wants it in."""
        return self.language.file_of(self.source)


class Compiled(NamedTuple):
    """A program that was compiled, or could not be.

    `ok` says which, `log` what the compiler said.
    """

    program: Program
    folder: Path
    ok: bool
    log: str
    run: Run


def as_sequence(stdins: Iterable[bytes]) -> Sequence[bytes]:
    """Return inputs that can be counted.

    A sequence stays what it is, as it may make each when it is asked for.
    """
    return stdins if isinstance(stdins, Sequence) else list(stdins)


class Session(Protocol):
    """A compiled program ready to run; close it when done (it is a context manager)."""

    def prepare(self) -> None:
        """Begin with what takes time before the first run and needs no input.

        Else that begins with the first run.

        Raises:
            SandboxError: The sandbox failed.
        """

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order, one at a time; yields a Run for each."""

    def close(self) -> None:
        """End everything that belongs to the session."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SessionOpener(Protocol):
    """What a program can be run with: a sandbox, or one whose runs are batched (batch.py)."""

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> Session:
        """Return a session in which each run of `compiled` is held to `limits`.

        Raises:
            SandboxError: The compiled program is gone and cannot be made again.
        """


class Sandbox(SessionOpener, Protocol):
    """Compiles programs and opens sessions on them; close it when done (it is a context manager).

    Attributes:
        name: What it is called in records.
        counts: Whether it has counting sessions.
        workers: How many programs it runs at the same time, where that is another machine's; None:
            this machine's.
    """

    name: str
    counts: bool = False
    workers: int | None = None

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` that programs are compiled and run with here.

        Raises:
            ToolchainError: They are missing.
        """

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what was made of the same program before.

        Raises:
            ToolchainError: The compiler is missing.
            SandboxError: The sandbox failed.
        """

    def compiled(self, program: Program) -> Compiled | None:
        """Return what `compile` would return, where nothing has to be compiled for that.

        Else None.
        """

    def counting_session(
        self,
        compiled: Compiled,
        limits: Limits,
        emulator: Emulator | None,
        cores: Cores | None = None,
    ) -> Session:
        """Return a session whose runs say how many instructions they took.

        The `limits` are stretched for an emulator.

        Args:
            compiled: The program.
            limits: Upper bounds of a run without an emulator.
            emulator: Runs the program and counts; None: the processor's own counter does.
            cores: Where the program and its supervisor run.

        Raises:
            SandboxError: This kind of sandbox cannot do it, or the compiled program is gone.
        """
        reason = "it has no counting sessions"
        raise SandboxError(
            f"the sandbox {self.name} does not count instructions", reason, "use --counter off"
        )

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what this sandbox enforces and how, to be stored with the results."""

    def close(self) -> None:
        """Remove everything the sandbox made."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
