"""A server as a sandbox."""

from __future__ import annotations

import dataclasses
import io
import json
import threading
from collections.abc import Mapping
from pathlib import Path

from venus_toolkit.errors import SandboxError, ToolchainError, UsageError
from venus_toolkit.language import Language, Toolchain
from venus_toolkit.records import Limits
from venus_toolkit.sandbox import Compiled, Program, wire
from venus_toolkit.sandbox.compilations import Compilations
from venus_toolkit.sandbox.remote.client import Client
from venus_toolkit.sandbox.remote.connection import PATIENCE_S
from venus_toolkit.sandbox.remote.session import RemoteSession
from venus_toolkit.supervisor import Cores, Sampling


class RemoteSandbox:
    """A server as a sandbox.

    Args:
        url: Its address, ``http://HOST:PORT``; an API key is taken from VENUS_API_KEY.
        patience_s: How long to try where it does not answer or is busy.

    Raises:
        UsageError: It is no address.
        SandboxError: No server answers there, or it asks for another key.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self._client = Client(url, patience_s)
        self._unused: list[str] = []
        self._mutex = threading.Lock()
        self._compilations = Compilations()
        self.repeated = 0
        self.name = f"remote-{self._client.server['fingerprint']}"

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what the server enforces and how, and its machine; `runs_repeated` are those done again."""
        server = self._client.server
        machine = {name: server["machine"][name] for name in ("cpu", "cores", "kernel")}
        own = {"workers": server["workers"], "runs_repeated": self.repeated}
        inside = server["facts"]
        return {**inside, **machine, "sandbox": self.name, "server_sandbox": inside["sandbox"], **own}

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` on the server.

        Raises:
            ToolchainError: They are missing there.
        """
        try:
            told = json.loads(self._client.do("GET", f"/v1/sandbox/toolchains/{language.id}"))
        except UsageError as error:
            raise ToolchainError(error.what, error.why, error.fix) from error
        return Toolchain(tuple(told["path"]), tuple(told["mounts"]), told["version"])

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program` on the server, or return what an earlier call made of the same program."""
        return self._compilations.once(program, lambda: self._compile(program))

    def _compile(self, program: Program) -> Compiled:
        parts = [program.source.encode("utf-8", "surrogatepass"), *(file.content for file in program.files)]
        with self._mutex:
            unused, self._unused = self._unused, []
        header = {
            "language": program.language.id,
            "compile_argv": program.language.compile_argv,
            "run_argv": program.language.run_argv,
            "compile_limits": dataclasses.asdict(program.language.compile_limits),
            "files": [file.path for file in program.files],
            "slot": self._client.slot(),
            "discard": unused,
            "left": self._client.left(),
        }
        body = io.BytesIO(self._client.do("POST", self._client.path("programs"), wire.frame(header, parts)))
        told, run = wire.read_frame(body.read), wire.read_frame(body.read)
        if told is None or run is None:
            raise SandboxError("the server's answer cannot be read", "it ends too early")
        made = told.header
        return Compiled(program, Path(made["program"]), made["ok"], made["log"], wire.run_of(run))

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> RemoteSession:
        """Return a session in which each run of `compiled` is held to `limits`; the server chooses the cores."""
        return RemoteSession(self._client, compiled, limits, sampling or Sampling(), self._again)

    def _again(self, program: Program, repeated: int) -> Compiled:
        """Compile what the server has forgotten; so many requests have to be repeated for that."""
        self.repeated += repeated
        return self._compile(program)

    def discard(self, compiled: Compiled) -> None:
        """Forget a compiled program; the server is told with the next one."""
        self._compilations.forget(compiled)
        with self._mutex:
            self._unused.append(compiled.folder.name)

    def close(self) -> None:
        """Have the server forget all that was made, sessions included."""
        self._client.close()

    def __enter__(self) -> RemoteSandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        self.close()
