"""A sandbox on another machine, behind a `venus serve`.

Each thread has its own connection, and its own worker on the server: all programs that a thread
measures, including the reference program, run on one core. No run is repeated silently. After a
broken connection, the client sends the request again under the same name, and the server continues
its answer. If the server was restarted, it does not know the request; the missing runs are
repeated, logged and counted in the facts.
"""

from __future__ import annotations

import dataclasses
import io
import json
import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from venus_toolkit.core.errors import SandboxError, ToolchainError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Limits, Run
from venus_toolkit.core.toolchain import Toolchain
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.execution.sandbox.compiled import SingleFlight, program_key
from venus_toolkit.execution.sandbox.remote import wire
from venus_toolkit.execution.sandbox.remote.server_client import (
    CONNECTION_ERRORS,
    PATIENCE_S,
    Backoff,
    Client,
    ServerBusy,
    ServerForgot,
)
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

log = logging.getLogger(__name__)
KNOWN = 1024  # results of compilations to cache


class RemoteSandbox(Sandbox):
    """A server as a sandbox.

    Args:
        url: Its address, ``http://HOST:PORT``. The API key is read from the variable VENUS_API_KEY.
        patience_s: How long to retry if it does not answer or is busy, in seconds.

    Raises:
        UsageError: The address is malformed.
        SandboxError: No server answers, or it requires another key.
    """

    # the server itself retries runs if its machine was busy (execution/sandbox/starvation.py)
    fair = True

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self._client = Client(url, patience_s)
        self._known: OrderedDict[str, Compiled] = OrderedDict()
        self._compiling = SingleFlight()
        self.repeated = 0
        self.name = f"remote-{self._client.server['fingerprint']}"
        self.workers = int(self._client.server["workers"])

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the properties of the server's sandbox and machine.

        `runs_repeated` is the number of requests that were repeated after a restart of the server.
        """
        server = self._client.server
        machine = {name: server["machine"][name] for name in ("cpu", "cores", "kernel")}
        own = {"workers": server["workers"], "runs_repeated": self.repeated}
        facts = server["facts"]
        return {
            **facts,
            **machine,
            "sandbox": self.name,
            "server_sandbox": facts["sandbox"],
            **own,
        }

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` on the server."""
        try:
            answer = json.loads(self._client.do("GET", f"/v1/sandbox/toolchains/{language.id}"))
        except UsageError as error:
            raise ToolchainError(error.what, error.why, error.fix) from error
        return Toolchain(tuple(answer["path"]), tuple(answer["mounts"]), answer["version"])

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program` on the server, which stores the result."""
        return self.compiled(program) or self._compiling.do(
            program_key(program), lambda: self._compile(program)
        )

    def compiled(self, program: Program) -> Compiled | None:
        """Return a recent result of `compile` for the same program, or None."""
        return self._known.get(program_key(program))

    def _compile(self, program: Program) -> Compiled:
        parts = [
            program.source.encode("utf-8", "surrogatepass"),
            *(file.content for file in program.files),
        ]
        header = {
            "language": program.language.id,
            "compile_argv": program.language.compile_argv,
            "run_argv": program.language.run_argv,
            "compile_limits": dataclasses.asdict(program.language.compile_limits),
            "files": [file.path for file in program.files],
            # identifies the thread to the server
            "slot": str(threading.get_ident()),
            "left": self._client.take_released(),
        }
        body = io.BytesIO(
            self._client.do("POST", self._client.path("programs"), wire.frame(header, parts))
        )
        frame, run = wire.read_frame(body.read), wire.read_frame(body.read)
        if frame is None or run is None:
            raise SandboxError("the server's answer cannot be read", "it ends too early")
        fields = frame.header
        compiled = Compiled(
            program, Path(fields["program"]), fields["ok"], fields["log"], wire.run_of(run)
        )
        self._known[program_key(program)] = compiled
        while len(self._known) > KNOWN:
            self._known.popitem(last=False)
        return compiled

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> RemoteSession:
        """Return a session that enforces `limits` on each run; the server chooses the cores."""
        return RemoteSession(
            self._client, compiled, limits, sampling or Sampling(), self._compile_again
        )

    def _compile_again(self, program: Program, repeated: int) -> Compiled:
        """Compile a program that the server has forgotten, and count `repeated` requests."""
        self.repeated += repeated
        return self._compile(program)

    def close(self) -> None:
        """Have the server delete all programs and sessions of this client."""
        self._client.close()


class RemoteSession(Session):
    """A session on a server.

    Args:
        client: The client of the server.
        compiled: The program.
        limits: The limits of each run.
        sampling: How memory is sampled.
        compile_again: Compiles a program that the server has forgotten; its second argument is the
            number of requests to repeat.
    """

    def __init__(
        self,
        client: Client,
        compiled: Compiled,
        limits: Limits,
        sampling: Sampling,
        compile_again: Callable[[Program, int], Compiled],
    ) -> None:
        self._client = client
        self._compile_again = compile_again
        self._compiled = compiled
        self._limits = limits
        self._sampling = sampling
        self._session_id: str | None = None
        self._ended = False

    def close(self) -> None:
        """End the session on the server, unless the server has ended it."""
        session_id, self._session_id = self._session_id, None
        # The server ended it after the last input (`once`), but keeps its answer until it is
        # released.
        if session_id and self._ended:
            self._client.release(session_id)
        elif session_id and not self._client.closed:
            self._client.do("DELETE", self._client.path("sessions", session_id))

    def prepare(self) -> None:
        """Do nothing: the server opens the session with the first request."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; the session ends if the caller stops early.

        Most sessions are used once, so the server ends the session after the last input, and opens
        it again for further inputs.

        Raises:
            SandboxError: The server failed, or does not answer.
        """
        waiting = list(stdins)
        if not waiting:
            return
        once, self._ended, complete = self._session_id is None, False, False
        try:
            for request in self._requests(waiting, once):
                yield from self._runs(request)
            complete, self._ended = True, once
        finally:
            if not complete:
                self._client.hang_up()
                self.close()

    def _requests(self, stdins: Sequence[bytes], once: bool) -> Iterator[RunRequest]:
        """Yield requests of at most `portion_bytes` of input, or with a single larger input."""
        portions: list[list[bytes]] = [[]]
        size = 0
        for stdin in stdins:
            size += len(stdin)
            if portions[-1] and size > self._client.portion_bytes:
                portions.append([])
                size = len(stdin)
            portions[-1].append(stdin)
        for portion in portions:
            yield RunRequest(
                portion, once and portion is portions[-1], self._client.take_released()
            )

    def _runs(self, request: RunRequest) -> Iterator[Run]:
        """Yield a run for each input, if necessary over several connections."""
        backoff, before = Backoff(self._client), 0
        while request.received < len(request.stdins):
            try:
                yield from self._answer(request)
            except ServerForgot as error:
                log.warning("%s: the missing runs are repeated", error)
                self._compiled = self._compile_again(self._compiled.program, int(request.again))
                self._session_id = None
                request.rename()
            except (ServerBusy, *CONNECTION_ERRORS) as error:
                # A busy server has refused the request; after a broken connection it may have
                # started it.
                request.again = request.again or not isinstance(error, ServerBusy)
                if request.received > before:  # progress restarts the time for retries
                    backoff, before = Backoff(self._client), request.received
                backoff.pause(error)

    def _answer(self, request: RunRequest) -> Iterator[Run]:
        """Yield the missing runs from one connection."""
        self._session_id = self._session_id or next(self._client.session_ids)
        header = {
            "program": self._compiled.folder.name,
            "slot": str(threading.get_ident()),
            "limits": dataclasses.asdict(self._limits),
            "interval_ns": self._sampling.interval_ns,
            "trace": self._sampling.trace,
            "request": request.name,
            "first": request.received - request.before,
            "again": request.again,
            "once": request.last,
            "left": request.released,
        }
        data = wire.frame(header, request.stdins[request.before :])
        body = self._client.begin(self._client.path("sessions", self._session_id), data)
        while True:
            frame = wire.read_frame(body.read)
            if frame is None:
                raise EOFError("the connection ended before the runs did")
            if "error" in frame.header:
                body.read()  # so that the connection can be reused
                error: dict[str, str] = frame.header["error"]
                kind = UsageError if error["kind"] == "usage" else SandboxError
                raise kind(error["what"], error["why"], error["fix"])
            if frame.header.get(wire.END):
                body.read()
                return
            request.received += 1
            yield wire.run_of(frame)


class RunRequest:
    """A request for runs.

    Args:
        stdins: The inputs.
        last: Whether the server should end the session after them.
        released: Sessions that the server may delete.

    Attributes:
        name: The name by which the server identifies it.
        received: The number of runs received.
        before: The number of these that were received under an earlier name.
        again: Whether the server may know it already.
    """

    def __init__(self, stdins: Sequence[bytes], last: bool, released: Sequence[str]) -> None:
        self.stdins = stdins
        self.last = last
        self.released = released
        self.received = 0
        self.rename()

    def rename(self) -> None:
        """Turn the missing runs into a new request."""
        self.name = secrets.token_hex(8)
        self.before = self.received
        self.again = False
