"""A server as a sandbox: what it compiles, and what its sessions ask for."""

from __future__ import annotations

import dataclasses
import http.client
import io
import itertools
import json
import logging
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.errors import SandboxError, ToolchainError, UsageError, VenusError
from venus_toolkit.language import Language, Toolchain
from venus_toolkit.records import Limits
from venus_toolkit.sandbox import Compiled, Program, wire
from venus_toolkit.sandbox.compilations import Compilations
from venus_toolkit.sandbox.remote.connection import BROKEN, PATIENCE_S, Forgotten, Later, Patience, Wire
from venus_toolkit.sandbox.remote.session import RemoteSession
from venus_toolkit.supervisor import Cores, Sampling

log = logging.getLogger(__name__)


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
        self._wire = Wire(url)
        self._patience_s = patience_s
        self._client = secrets.token_hex(16)
        self._unused: list[str] = []
        self._left: list[str] = []
        self._numbers = itertools.count()
        self._mutex = threading.Lock()
        self._compilations = Compilations()
        self.repeated = 0
        self.closed = False
        try:
            self._server = self._first_words()
        except VenusError:
            self._wire.close()
            raise
        self.name = f"remote-{self._server['fingerprint']}"
        self._body_bytes: int = self._server["body_bytes"]
        self.portion_bytes = self._body_bytes // 2

    def _first_words(self) -> dict[str, Any]:
        """Ask the server who it is, once: a wrong address should be noticed at once."""
        try:
            answer = self._wire.ask("GET", "/v1/sandbox")
            return dict(json.loads(self._wire.read(answer)))
        except (Later, Forgotten, *BROKEN, ValueError) as error:
            fix = "start one there: venus serve"
            raise SandboxError(f"no server answers at {self._wire.url}", str(error), fix) from error

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what the server enforces and how, and its machine; `runs_repeated` are those done again."""
        machine = {name: self._server["machine"][name] for name in ("cpu", "cores", "kernel")}
        own = {"workers": self._server["workers"], "runs_repeated": self.repeated}
        inside = self._server["facts"]
        return {**inside, **machine, "sandbox": self.name, "server_sandbox": inside["sandbox"], **own}

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` on the server.

        Raises:
            ToolchainError: They are missing there.
        """
        try:
            told = json.loads(self.do("GET", f"/v1/sandbox/toolchains/{language.id}"))
        except UsageError as error:
            raise ToolchainError(error.what, error.why, error.fix) from error
        return Toolchain(tuple(told["path"]), tuple(told["mounts"]), told["version"])

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program` on the server, or return what an earlier call made of the same program."""
        return self._compilations.once(program, lambda: self.compile_again(program))

    def compile_again(self, program: Program) -> Compiled:
        """Compile `program` on the server, which may have forgotten it."""
        parts = [program.source.encode("utf-8", "surrogatepass"), *(file.content for file in program.files)]
        with self._mutex:
            unused, self._unused = self._unused, []
        header = {
            "language": program.language.id,
            "compile_argv": program.language.compile_argv,
            "run_argv": program.language.run_argv,
            "compile_limits": dataclasses.asdict(program.language.compile_limits),
            "files": [file.path for file in program.files],
            "slot": self.slot(),
            "discard": unused,
            "left": self.left(),
        }
        body = io.BytesIO(self.do("POST", f"/v1/sandbox/{self._client}/programs", wire.frame(header, parts)))
        told, run = wire.read_frame(body.read), wire.read_frame(body.read)
        if told is None or run is None:
            raise SandboxError("the server's answer cannot be read", "it ends too early")
        made = told.header
        return Compiled(program, Path(made["program"]), made["ok"], made["log"], wire.run_of(run))

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> RemoteSession:
        """Return a session in which each run of `compiled` is held to `limits`; the server chooses the cores."""
        return RemoteSession(self, compiled, limits, sampling or Sampling())

    def discard(self, compiled: Compiled) -> None:
        """Forget a compiled program; the server is told with the next one."""
        self._compilations.forget(compiled)
        with self._mutex:
            self._unused.append(compiled.folder.name)

    def close(self) -> None:
        """Have the server forget all that was made, sessions included."""
        self.closed = True
        try:
            self._wire.ask("DELETE", f"/v1/sandbox/{self._client}").body.read()
        except BROKEN:
            log.info("%s was gone before it could be told that it is needed no more", self._wire.url)
        self._wire.close()

    def __enter__(self) -> RemoteSandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        self.close()

    # -------------------------------------------------------------- for sessions

    def slot(self) -> str:
        """Return what the server tells the threads of this process apart by."""
        return str(threading.get_ident())

    def seat(self) -> str:
        """Return the name of a new session."""
        return str(next(self._numbers))

    def path(self, seat: str) -> str:
        """Return the path of a session."""
        return f"/v1/sandbox/{self._client}/sessions/{seat}"

    def leave(self, seat: str) -> None:
        """Have the server forget a session that it has ended; it is told with the next request."""
        with self._mutex:
            self._left.append(seat)

    def left(self) -> list[str]:
        """Return the sessions that the server may forget."""
        with self._mutex:
            left, self._left = self._left, []
        return left

    def do(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Do something that may be done twice, and return what comes of it.

        Raises:
            SandboxError: The server failed, or does not answer.
            UsageError: It refuses.
        """
        self._require_small(body or b"")
        waiting = Patience(self._patience_s, self._wire)
        while True:
            try:
                return self._wire.read(self._wire.ask(method, path, body))
            except (Later, *BROKEN) as error:
                waiting.pause(error)

    def begin(self, path: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request for runs and return the answer, to be read frame by frame.

        Raises:
            Forgotten: The server does not know the program or the request.
        """
        self._require_small(body)
        answer = self._wire.ask("POST", path, body)
        if answer.status != 200:
            self._wire.read(answer)
        return answer.body

    def _require_small(self, body: bytes) -> None:
        """Check that the server takes a request: one that it does not read to its end looks like a broken connection.

        Raises:
            UsageError: It is too large.
        """
        if len(body) > self._body_bytes:
            why = f"a program or an input takes {len(body) >> 20} MiB, the server {self._body_bytes >> 20} MiB"
            raise UsageError("the request is too large", why, "start the server with a larger --body-mib")

    def hang_up(self) -> None:
        """Close this thread's connection: the rest of an answer is not wanted."""
        self._wire.hang_up()

    def patience(self) -> Patience:
        """Return what waits between two tries."""
        return Patience(self._patience_s, self._wire)
