"""The protocol of sandboxes, in which programs are compiled and run.

A sandbox compiles a program once and runs it on many inputs. If the sandbox itself fails, it raises
a SandboxError; however a program ends, the result is a Run. ``opening.py`` opens the sandbox that
suits this machine, and ``tests/contract/`` tests every sandbox.
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
    """A file next to a program: its path relative to the program, and its content."""

    path: str
    content: bytes


class Program(NamedTuple):
    """A complete program: its language, its source text, and read-only files next to it."""

    language: Language
    source: str
    files: tuple[File, ...] = ()

    @property
    def source_file(self) -> str:
        """The name of the source file that the compiler expects."""
        return self.language.file_of(self.source)


class Compiled(NamedTuple):
    """The result of a compilation: whether it succeeded (`ok`), and the compiler's `log`."""

    program: Program
    folder: Path
    ok: bool
    log: str
    run: Run


def as_sequence(stdins: Iterable[bytes]) -> Sequence[bytes]:
    """Return inputs as a sequence.

    A sequence is returned unchanged, since it may generate its items on access.
    """
    return stdins if isinstance(stdins, Sequence) else list(stdins)


class Session(Protocol):
    """A compiled program ready to run; close it when done (it is a context manager)."""

    def prepare(self) -> None:
        """Start the slow setup that needs no input, which otherwise starts with the first run.

        Raises:
            SandboxError: The sandbox failed.
        """

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order, one at a time; yields a Run for each."""

    def close(self) -> None:
        """End all processes of the session and free its resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SessionOpener(Protocol):
    """Opens sessions: a sandbox, or a wrapper that batches runs (batch.py)."""

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> Session:
        """Return a session that enforces `limits` on each run of `compiled`.

        Raises:
            SandboxError: The compiled program was removed and cannot be compiled again.
        """


class Sandbox(SessionOpener, Protocol):
    """Compiles programs and opens sessions on them; close it when done (it is a context manager).

    Attributes:
        name: The name of the sandbox in records.
        counts: Whether it has counting sessions.
        workers: The number of programs that a sandbox on another machine runs at the same time;
            None: the sandbox is on this machine.
    """

    name: str
    counts: bool = False
    workers: int | None = None

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools that compile and run programs in `language`.

        Raises:
            ToolchainError: The tools are missing.
        """

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return the earlier result for the same program.

        Raises:
            ToolchainError: The compiler is missing.
            SandboxError: The sandbox failed.
        """

    def compiled(self, program: Program) -> Compiled | None:
        """Return the earlier result of `compile` for the same program; None: there is none."""

    def counting_session(
        self,
        compiled: Compiled,
        limits: Limits,
        emulator: Emulator | None,
        cores: Cores | None = None,
    ) -> Session:
        """Return a session whose runs include their instruction counts.

        Args:
            compiled: The program.
            limits: The limits of a run without an emulator; a run in an emulator gets higher ones.
            emulator: Runs the program and counts its instructions; None: the processor counts them.
            cores: The cores of the program and its supervisor.

        Raises:
            SandboxError: This kind of sandbox cannot count, or the compiled program was removed.
        """
        reason = "it has no counting sessions"
        raise SandboxError(
            f"the sandbox {self.name} does not count instructions", reason, "use --counter off"
        )

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the properties of this sandbox that are stored with the results."""

    def close(self) -> None:
        """Remove all temporary files, containers and processes of the sandbox."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
