"""Where programs run: the protocol every sandbox follows, and the one that suits this machine.

A sandbox compiles a program once and runs it on many inputs. When the sandbox itself fails it raises SandboxError;
whatever the program does, however it ends, is a Run. ``tests/contract/`` is the suite that every sandbox passes.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from venus_toolkit.errors import SandboxError, UsageError
from venus_toolkit.language import Language, Toolchain, load_languages
from venus_toolkit.records import Limits, Run, digest
from venus_toolkit.sandbox import daemon
from venus_toolkit.supervisor import Cores, Sampling

log = logging.getLogger(__name__)
NAMES = ("auto", "local", "docker", "unsafe")
SERVERS = ("http://", "https://")


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
    def key(self) -> str:
        """What sandboxes tell compiled programs apart by."""
        files = [(file.path, file.content.hex()) for file in self.files]
        return digest(self.language.id, self.language.compile_argv, self.source, files)


class Compiled(NamedTuple):
    """A program that was compiled, or could not be: `ok` says which, `log` what the compiler said."""

    program: Program
    folder: Path
    ok: bool
    log: str
    run: Run


class Session(Protocol):
    """A compiled program ready to run; close it when done (it is a context manager)."""

    def prepare(self) -> None:
        """Begin with what takes time before the first run and needs no input; else that begins with the first run.

        Raises:
            SandboxError: The sandbox failed.
        """
        ...

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order, one at a time; yields a Run for each."""
        ...

    def close(self) -> None:
        """End everything that belongs to the session."""
        ...

    def __enter__(self) -> Session:
        """Return the session itself."""
        ...

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        ...


class Sandbox(Protocol):
    """Compiles programs and opens sessions on them."""

    name: str

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` that programs are compiled and run with here.

        Raises:
            ToolchainError: They are missing.
        """
        ...

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`; the same program is compiled only once in the life of the sandbox.

        Raises:
            ToolchainError: The compiler is missing.
            SandboxError: The sandbox failed.
        """
        ...

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> Session:
        """Return a session in which each run of `compiled` is held to `limits`."""
        ...

    def discard(self, compiled: Compiled) -> None:
        """Forget a compiled program and free what it takes."""
        ...

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what this sandbox enforces and how, to be stored with the results."""
        ...

    def close(self) -> None:
        """Remove everything the sandbox made."""
        ...

    def __enter__(self) -> Sandbox:
        """Return the sandbox itself."""
        ...

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        ...


def open_sandbox(name: str = "auto", languages: Collection[Language] | None = None) -> Sandbox:
    """Return the sandbox called `name`: ``auto`` takes the best that this machine has and never an unsafe one.

    Args:
        name: One of NAMES, or the address of a `venus serve`. ``auto`` is ``docker`` where a daemon answers and has an
            image of each language, else ``local``; finding out that there is no daemon takes no time worth mentioning.
        languages: Those that will be needed; None: all built-in ones.

    Raises:
        UsageError: No sandbox has this name.
        SandboxError: This machine cannot isolate programs.
    """
    if name.startswith(SERVERS):
        from venus_toolkit.sandbox.remote import RemoteSandbox

        return RemoteSandbox(name)
    if name not in NAMES:
        why = "known are " + ", ".join(NAMES) + ", and http://HOST:PORT of a `venus serve`"
        raise UsageError(f"unknown sandbox {name!r}", why, "type: venus doctor")
    if name == "auto":
        name = "docker" if _docker_has(languages) else "local"
    if name == "docker":
        from venus_toolkit.sandbox.docker import DockerSandbox

        return DockerSandbox(languages)
    from venus_toolkit.sandbox.local import LocalSandbox

    return LocalSandbox(isolate=name != "unsafe")


def _docker_has(languages: Collection[Language] | None) -> bool:
    """Whether a usable daemon answers and has the images; what keeps Docker from being used is logged."""
    if daemon.problem():
        return False
    from venus_toolkit.sandbox.docker import lacking_images

    try:
        lacking = lacking_images(load_languages().values() if languages is None else languages)
    except SandboxError as error:
        log.info("a Docker daemon answers but cannot be used: %s", error)
        return False
    if lacking:
        log.info("a Docker daemon answers; it has no image of %s", ", ".join(lacking))
    return not lacking
