"""Programs on another machine: a sandbox that is a `venus serve` somewhere.

Each thread has a connection of its own, and on the server a worker of its own: what a thread measures, the reference
program included, runs on one core there. A run is never done twice unnoticed. A request that was interrupted is asked
for again by its name, and the server goes on with the answer where it broke off; where the server was restarted it
does not know the request any more, what is missing is run again, and that is logged and counted in the facts.
"""

from __future__ import annotations

import dataclasses
import http.client
import io
import itertools
import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from venus_toolkit.errors import SandboxError, ToolchainError, UsageError
from venus_toolkit.language import Language, Toolchain
from venus_toolkit.records import Limits, Run
from venus_toolkit.sandbox import Compiled, Program, wire
from venus_toolkit.sandbox.compilations import Compilations
from venus_toolkit.supervisor import Cores, Sampling

log = logging.getLogger(__name__)

PATIENCE_S = 60.0
SILENCE_S = 3600.0
PAUSES_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
BUSY = (429, 503, 507)
BROKEN = (OSError, http.client.HTTPException, EOFError)
KEY = "VENUS_API_KEY"


class Forgotten(Exception):
    """The server does not know what it is asked about: it was restarted."""


class Answer(NamedTuple):
    """The status of an answer, its body to be read, and when to come again if the server says so."""

    status: int
    body: http.client.HTTPResponse
    retry_after_s: float


class Wire:
    """The connections to a server, one for each thread.

    Args:
        url: Its address.

    Raises:
        UsageError: It is no address.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"{url} is no address of a server", "wanted is http://HOST:PORT", "type: venus serve --help"
            )
        self._make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._place = (parts.hostname, parts.port)
        self._path = parts.path.rstrip("/")
        key = os.environ.get(KEY)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._local = threading.local()
        self._all: list[http.client.HTTPConnection] = []
        self.url = url

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        """Send a request and return its answer, still to be read.

        Raises:
            OSError, http.client.HTTPException: The connection broke.
        """
        connection = self._connection()
        headers = {**self._headers, **({"Content-Type": "application/x-venus-frames"} if body is not None else {})}
        connection.request(method, self._path + path, body, headers)
        response = connection.getresponse()
        after = response.headers.get("Retry-After") or "0"
        return Answer(response.status, response, float(after) if after.isdigit() else 0.0)

    def hang_up(self) -> None:
        """Close this thread's connection; the next request opens another."""
        connection = getattr(self._local, "connection", None)
        if connection:
            connection.close()

    def close(self) -> None:
        """Close all connections."""
        for connection in self._all:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._make(*self._place, timeout=SILENCE_S)
            self._all.append(self._local.connection)
        connection: http.client.HTTPConnection = self._local.connection
        return connection


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
        self._numbers = itertools.count()
        self._mutex = threading.Lock()
        self._compilations = Compilations()
        self.repeated = 0
        self._server = self._first_words()
        self.name = f"remote-{self._server['fingerprint']}"

    def _first_words(self) -> dict[str, Any]:
        """Ask the server who it is, once: a wrong address should be noticed at once."""
        try:
            answer = self._wire.ask("GET", "/v1/sandbox")
            return dict(json.loads(self._read(answer)))
        except (*BROKEN, ValueError) as error:
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
        """Have the server forget all that was made."""
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
        """Return the path of a new session."""
        return f"/v1/sandbox/{self._client}/sessions/{next(self._numbers)}"

    def do(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Do something that may be done twice, and return what comes of it.

        Raises:
            SandboxError: The server failed, or does not answer.
            UsageError: It refuses.
        """
        waiting = Patience(self._patience_s, self._wire)
        while True:
            try:
                return self._read(self._wire.ask(method, path, body))
            except Later as error:
                waiting.pause(error)
            except BROKEN as error:
                waiting.pause(error)

    def begin(self, path: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request for runs and return the answer, to be read frame by frame.

        Raises:
            Forgotten: The server does not know the program or the request.
        """
        answer = self._wire.ask("POST", path, body)
        if answer.status != 200:
            self._read(answer)
        return answer.body

    def hang_up(self) -> None:
        """Close this thread's connection: the rest of an answer is not wanted."""
        self._wire.hang_up()

    def patience(self) -> Patience:
        """Return what waits between two tries."""
        return Patience(self._patience_s, self._wire)

    def _read(self, answer: Answer) -> bytes:
        """Return the body of an answer.

        Raises:
            Later: The server has no room at present.
            Forgotten: It does not know what it was asked about.
            UsageError: It refuses.
            SandboxError: It failed.
        """
        body = answer.body.read()
        if answer.status in (200, 204):
            return body
        told = _error_of(body)
        if answer.status in BUSY:
            raise Later(answer.retry_after_s, told)
        if answer.status == 404:
            raise Forgotten(told[0])
        if answer.status in (401, 403):
            raise SandboxError(told[0], told[1], f"set {KEY} to a key of {self._wire.url}")
        raise (UsageError if answer.status < 500 else SandboxError)(*told)


class Later(Exception):
    """The server has no room at present; it may say when it will have."""

    def __init__(self, seconds: float, told: Sequence[str]) -> None:
        super().__init__(": ".join(told[:2]))
        self.seconds = seconds


class Patience:
    """Waits between tries, longer each time, until it has had enough; its time begins with the first failure."""

    def __init__(self, seconds: float, where: Wire) -> None:
        self._end: float | None = None
        self._seconds = seconds
        self._where = where
        self._pauses = itertools.chain(PAUSES_S, itertools.repeat(PAUSES_S[-1]))

    def pause(self, error: Exception) -> None:
        """Wait.

        Raises:
            SandboxError: It has been long enough.
        """
        self._where.hang_up()
        self._end = self._end or time.monotonic() + self._seconds
        pause = max(next(self._pauses), min(getattr(error, "seconds", 0.0), 10.0))
        if time.monotonic() + pause > self._end:
            why = f"{error or type(error).__name__}; tried for {self._seconds:.0f} s"
            raise SandboxError(
                f"{self._where.url} does not do what it is asked", why, "is it up? see its log"
            ) from error
        time.sleep(pause)


def _error_of(body: bytes) -> list[str]:
    try:
        told = json.loads(body)["error"]
        return [str(told[name]) for name in ("what", "why", "fix")]
    except (ValueError, KeyError, TypeError):
        return ["the server failed", body[:200].decode("utf-8", "replace"), "see its log"]


class RemoteSession:
    """A session on a server.

    Args:
        sandbox: The server.
        compiled: The program.
        limits: Of each run.
        sampling: How often memory is read.
    """

    def __init__(self, sandbox: RemoteSandbox, compiled: Compiled, limits: Limits, sampling: Sampling) -> None:
        self._sandbox = sandbox
        self._compiled = compiled
        self._limits = limits
        self._sampling = sampling
        self._path: str | None = None

    def __enter__(self) -> RemoteSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def close(self) -> None:
        """End the session on the server."""
        path, self._path = self._path, None
        if path:
            self._sandbox.do("DELETE", path)

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; a session that is left early is ended with what is still running.

        Raises:
            SandboxError: The server failed, or does not answer.
        """
        waiting = list(stdins)
        if not waiting:
            return
        done, left = 0, True
        try:
            for run in self._runs(waiting):
                done += 1
                left = done < len(waiting)
                yield run
        finally:
            if left:
                self._sandbox.hang_up()
                self.close()

    def _runs(self, stdins: Sequence[bytes]) -> Iterator[Run]:
        """Yield a run for each input, over as many connections as it takes."""
        asked = Asked(stdins)
        patience, before = self._sandbox.patience(), 0
        while asked.got < len(stdins):
            try:
                yield from self._answer(asked)
            except Forgotten as error:
                self._start_over(asked, error)
            except (Later, *BROKEN) as error:
                asked.again = not isinstance(error, Later) or asked.again
                patience, before = (self._sandbox.patience() if asked.got > before else patience), asked.got
                patience.pause(error)

    def _answer(self, asked: Asked) -> Iterator[Run]:
        """Yield what one connection gives of the runs that are still wanted."""
        self._path = self._path or self._sandbox.seat()
        body = self._sandbox.begin(self._path, self._request(asked))
        while True:
            found = wire.read_frame(body.read)
            if found is None:
                raise EOFError("the connection ended before the runs did")
            if "error" in found.header:
                body.read()
                raise _failure(found.header["error"])
            if found.header.get(wire.END):
                body.read()  # the connection is used again
                return
            asked.got += 1
            yield wire.run_of(found)

    def _request(self, asked: Asked) -> bytes:
        header = {
            "program": self._compiled.folder.name,
            "slot": self._sandbox.slot(),
            "limits": dataclasses.asdict(self._limits),
            "interval_ns": self._sampling.interval_ns,
            "trace": self._sampling.trace,
            "request": asked.name,
            "first": asked.got - asked.before,
            "again": asked.again,
        }
        return wire.frame(header, asked.stdins[asked.before :])

    def _start_over(self, asked: Asked, error: Forgotten) -> None:
        """Have what is missing run by a server that knows nothing of it any more, and say so."""
        log.warning("%s: what it had not yet answered is run again", error)
        self._sandbox.repeated += asked.again
        self._compiled = self._sandbox.compile_again(self._compiled.program)
        self._path = None
        asked.rename()


class Asked:
    """A request for runs: its name, its inputs, how many runs came, and how many of them before it had this name."""

    def __init__(self, stdins: Sequence[bytes]) -> None:
        self.stdins = stdins
        self.got = 0
        self.rename()

    def rename(self) -> None:
        """Make what is missing a request of its own."""
        self.name = secrets.token_hex(8)
        self.before = self.got
        self.again = False


def _failure(told: Mapping[str, str]) -> SandboxError | UsageError:
    kind = UsageError if told["kind"] == "usage" else SandboxError
    return kind(told["what"], told["why"], told["fix"])
