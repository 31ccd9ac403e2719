"""Programs on another machine: a sandbox that is a `venus serve` somewhere.

Each thread has a connection of its own, and on the server a worker of its own: what a thread
measures, the reference program included, runs on one core there. A run is never done twice
unnoticed. A request that was interrupted is asked for again by its name, and the server goes on
with the answer where it broke off; where the server was restarted it does not know the request any
more, what is missing is run again, and that is logged and counted in the facts.
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
KNOWN = 1024  # programs that the server need not be asked about again


class RemoteSandbox(Sandbox):
    """A server as a sandbox.

    Args:
        url: Its address, ``http://HOST:PORT``; an API key is taken from VENUS_API_KEY.
        patience_s: How long to try where it does not answer or is busy.

    Raises:
        UsageError: It is no address.
        SandboxError: No server answers there, or it asks for another key.
    """

    # the server tries a run again where its machine was busy (execution/sandbox/starvation.py)
    fair = True

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self._client = Client(url, patience_s)
        self._known: OrderedDict[str, Compiled] = OrderedDict()
        self._compiling = SingleFlight()
        self.repeated = 0
        self.name = f"remote-{self._client.server['fingerprint']}"
        self.workers = int(self._client.server["workers"])

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what the server enforces and how, and its machine.

        `runs_repeated` are those done again.
        """
        server = self._client.server
        machine = {name: server["machine"][name] for name in ("cpu", "cores", "kernel")}
        own = {"workers": server["workers"], "runs_repeated": self.repeated}
        inside = server["facts"]
        return {
            **inside,
            **machine,
            "sandbox": self.name,
            "server_sandbox": inside["sandbox"],
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
        """Compile `program` on the server, which keeps what it has compiled."""
        return self.compiled(program) or self._compiling.do(
            program_key(program), lambda: self._compile(program)
        )

    def compiled(self, program: Program) -> Compiled | None:
        """Return what `compile` would return, where the server was asked about it lately."""
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
            # by which the server tells the threads of this process apart
            "slot": str(threading.get_ident()),
            "left": self._client.left(),
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
        """Return a session in which each run of `compiled` is held to `limits`.

        The server chooses the cores.
        """
        return RemoteSession(
            self._client, compiled, limits, sampling or Sampling(), self._compile_again
        )

    def _compile_again(self, program: Program, repeated: int) -> Compiled:
        """Compile what the server has forgotten.

        `repeated` requests have to be sent again for that.
        """
        self.repeated += repeated
        return self._compile(program)

    def close(self) -> None:
        """Have the server forget all that was made, sessions included."""
        self._client.close()


class RemoteSession(Session):
    """A session on a server.

    Args:
        client: Who asks the server.
        compiled: The program.
        limits: Of each run.
        sampling: How often memory is read.
        compile_again: Compiles a program that the server has forgotten; its second argument is how
            many requests that repeats.
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
        """End the session on the server, where that has not ended it."""
        session_id, self._session_id = self._session_id, None
        # The server has ended it after the last input (`once`), and keeps the answer until it hears
        # of this.
        if session_id and self._ended:
            self._client.leave(session_id)
        elif session_id and not self._client.closed:
            self._client.do("DELETE", self._client.path("sessions", session_id))

    def prepare(self) -> None:
        """Do nothing: the server makes the session when it gets the inputs."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input.

        A session that is left early is ended with what is still running.

        Most sessions are used once, so the server ends one after the last input, and opens it again
        if there are more.

        Raises:
            SandboxError: The server failed, or does not answer.
        """
        waiting = list(stdins)
        if not waiting:
            return
        once, self._ended, read_out = self._session_id is None, False, False
        try:
            for request in self._requests(waiting, once):
                yield from self._runs(request)
            read_out, self._ended = True, once
        finally:
            if not read_out:
                self._client.hang_up()
                self.close()

    def _requests(self, stdins: Sequence[bytes], once: bool) -> Iterator[RunRequest]:
        """Yield requests that the server takes at once.

        A single input that is larger, it refuses.
        """
        portions: list[list[bytes]] = [[]]
        size = 0
        for stdin in stdins:
            size += len(stdin)
            if portions[-1] and size > self._client.portion_bytes:
                portions.append([])
                size = len(stdin)
            portions[-1].append(stdin)
        for portion in portions:
            yield RunRequest(portion, once and portion is portions[-1], self._client.left())

    def _runs(self, request: RunRequest) -> Iterator[Run]:
        """Yield a run for each input, over as many connections as it takes."""
        backoff, before = Backoff(self._client), 0
        while request.received < len(request.stdins):
            try:
                yield from self._answer(request)
            except ServerForgot as error:
                log.warning("%s: what it had not yet answered is run again", error)
                self._compiled = self._compile_again(self._compiled.program, int(request.again))
                self._session_id = None
                request.rename()
            except (ServerBusy, *CONNECTION_ERRORS) as error:
                # A busy server has refused the request; behind a broken connection it may be at
                # work on it.
                request.again = request.again or not isinstance(error, ServerBusy)
                if request.received > before:  # it is patient anew where there was progress
                    backoff, before = Backoff(self._client), request.received
                backoff.pause(error)

    def _answer(self, request: RunRequest) -> Iterator[Run]:
        """Yield what one connection gives of the runs that are still wanted."""
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
            "left": request.left,
        }
        data = wire.frame(header, request.stdins[request.before :])
        body = self._client.begin(self._client.path("sessions", self._session_id), data)
        while True:
            frame = wire.read_frame(body.read)
            if frame is None:
                raise EOFError("the connection ended before the runs did")
            if "error" in frame.header:
                body.read()  # the connection is used again
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
        last: The server should end the session after them.
        left: Sessions that it may forget.

    Attributes:
        name: By which the server knows it again, once it has it.
        received: How many runs came.
        before: How many of them came before the request had this name.
        again: The server may know it already.
    """

    def __init__(self, stdins: Sequence[bytes], last: bool, left: Sequence[str]) -> None:
        self.stdins = stdins
        self.last = last
        self.left = left
        self.received = 0
        self.rename()

    def rename(self) -> None:
        """Make what is missing a request of its own."""
        self.name = secrets.token_hex(8)
        self.before = self.received
        self.again = False
