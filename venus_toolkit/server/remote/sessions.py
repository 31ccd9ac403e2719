"""Programs and sessions of remote clients.

A client is a remote sandbox (sandbox/remote/) on another machine. Each of its threads has a worker
here, so that the programs that the thread measures and their reference program run on the same
core. Finished runs are sent while others still run. A client can resume after a broken connection,
since the runs of its last request are stored until the next one. If it does not return within
GRACE_S, or is idle for longer than the settings allow, its programs and sessions are removed.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from venus_toolkit.core.errors import MachineError, SandboxError, VenusError
from venus_toolkit.execution.sandbox import Compiled, Program, Session
from venus_toolkit.execution.sandbox.compiled import program_key
from venus_toolkit.execution.sandbox.remote.wire import END, frame, run_frame
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Sampling
from venus_toolkit.server.http_errors import QueueFullError, UnknownJobError
from venus_toolkit.server.queue.workers import QueueWorker
from venus_toolkit.server.remote.response_stream import ResponseStream
from venus_toolkit.server.schemas import Interval, LimitsOf
from venus_toolkit.server.service import Service

log = logging.getLogger(__name__)
Result = TypeVar("Result")

GRACE_S = 10.0


class RunHeader(BaseModel):
    """The header of a request for runs."""

    program: str  # its `program_key`
    slot: str  # a thread of the client
    limits: LimitsOf  # of each run
    interval_ns: Interval  # between two samples of memory
    trace: bool  # return the samples
    request: str  # its name
    first: int  # the number of the first run to send
    again: bool  # it may have been sent before
    # the session ends with the last input; its response is stored until `left` has its name
    once: bool
    left: list[str]  # sessions whose responses the client has read


@dataclass(slots=True, eq=False)
class ClientSession:
    """A session of a client: its worker, the session in the sandbox, and the latest response."""

    worker: QueueWorker
    session: Session | None = None
    stream: ResponseStream | None = None
    mutex: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ended(self) -> bool:
        """Whether only its response is left."""
        return self.session is None and self.stream is not None and self.stream.over

    def end(self, _: QueueWorker) -> None:
        """End the session, as a task for its worker."""
        self.close()

    def close(self) -> None:
        """End the session in the sandbox, if it is still open."""
        with self.mutex:
            session, self.session = self.session, None
        if session:
            session.close()


@dataclass(slots=True, eq=False)
class RemoteClient:
    """The workers, programs and sessions of a client."""

    seen: float = field(default_factory=time.monotonic)
    workers: dict[str, QueueWorker] = field(default_factory=dict)
    programs: OrderedDict[str, Compiled] = field(default_factory=OrderedDict)
    sessions: dict[str, ClientSession] = field(default_factory=dict)


def _client_error(error: Exception) -> VenusError:
    """Return an error for the client; an error that is not a VenusError is logged as a bug."""
    if isinstance(error, VenusError):
        return error
    log.error("a request of a session failed", exc_info=error)
    return SandboxError(
        "the server has a bug", f"{type(error).__name__}: {error}", "see the log of the server"
    )


class Sessions:
    """The clients of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._clients: dict[str, RemoteClient] = {}

    async def compile(self, name: str, slot: str, program: Program) -> Compiled:
        """Compile a program for a client, or return the stored result."""
        client, key = self._client(name), program_key(program)
        if key not in client.programs:
            worker = self._worker(client, slot)
            client.programs[key] = await self._on(
                worker, lambda: self._service.sandbox.compile(program, worker.cores)
            )
            # A removed program is taken from the store of compiled programs on the next request.
            if len(client.programs) > 4096:
                client.programs.popitem(last=False)
        return client.programs[key]

    def run(
        self, name: str, session_id: str, header: RunHeader, stdins: Sequence[bytes]
    ) -> AsyncIterator[bytes]:
        """Run a program on inputs, and return the frames of the response.

        Args:
            name: The client.
            session_id: The client's name of the session.
            header: The program, its limits and the request.
            stdins: The inputs.

        Raises:
            UnknownJobError: The program, or the repeated request, is unknown.
            QueueFullError: There are too many sessions.
        """
        client = self._client(name)
        session = client.sessions.get(session_id)
        if session and session.stream and session.stream.request == header.request:
            if not session.stream.reaches(header.first):
                raise UnknownJobError(
                    "the runs were removed", "the response was too long", "run them again"
                )
            return session.stream.read(header.first)
        # The request may have run before a restart, so the client decides about a retry and counts
        # it.
        if header.again:
            raise UnknownJobError(
                "the server does not know the request", "it was restarted", "run them again"
            )
        compiled = client.programs.get(header.program)
        if compiled is None:
            raise UnknownJobError(
                "the server does not know the program", "it was restarted", "compile it again"
            )
        if session is None:
            open_sessions = [
                session
                for other in self._clients.values()
                for session in other.sessions.values()
                if not session.ended
            ]
            if len(open_sessions) >= self._service.settings.sessions:
                reason = f"clients have {self._service.settings.sessions} already"
                raise QueueFullError(
                    "no more sessions can be opened", reason, "try again later", retry_after_s=2
                )
            session = client.sessions[session_id] = ClientSession(self._worker(client, header.slot))
            session.worker.sessions += 1
        return self._begin(session, compiled, header, stdins).read(0)

    def forget(self, name: str, session_ids: Sequence[str]) -> None:
        """Remove sessions that have ended, with their responses."""
        sessions = self._client(name).sessions
        for session_id in session_ids:
            session = sessions.get(session_id)
            if session and session.stream and session.stream.over:
                del sessions[session_id]
                session.worker.sessions -= 1
                # Closing blocks, so a worker does it, not the event loop.
                self._service.pool.put(session.end, session.worker)

    async def leave(self, name: str, session_id: str) -> None:
        """Cancel a session and remove it."""
        await self._leave(self._client(name), session_id)

    async def _leave(self, client: RemoteClient, session_id: str) -> None:
        session = client.sessions.pop(session_id, None)
        if session:
            session.worker.sessions -= 1
            if session.stream and not session.stream.over:
                # Before the session is closed, so that `_run` knows why it fails.
                session.stream.cancelled = True
            if session.session:
                await asyncio.to_thread(session.close)

    async def drop(self, name: str) -> None:
        """Remove a client with its programs and sessions."""
        client = self._clients.get(name)
        if client is None:
            return
        for session_id in list(client.sessions):
            await self._leave(client, session_id)
        self._clients.pop(name, None)

    async def close(self) -> None:
        """Remove all clients."""
        for name in list(self._clients):
            await self.drop(name)

    async def sweep(self) -> None:
        """Remove abandoned sessions, read responses and idle clients, until cancelled."""
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            for name, client in list(self._clients.items()):
                for session_id, session in list(client.sessions.items()):
                    stream = session.stream
                    if not stream or stream.left_at is None or now - stream.left_at <= GRACE_S:
                        continue
                    # An open session whose response was read to its end waits for more inputs.
                    if session.ended or not stream.read_out:
                        await self._leave(client, session_id)
                # Many runs of one request may take longer than session_s.
                busy = any(
                    session.stream and not session.stream.over
                    for session in client.sessions.values()
                )
                if not busy and now - client.seen > self._service.settings.session_s:
                    await self.drop(name)

    def _client(self, name: str) -> RemoteClient:
        client = self._clients.setdefault(name, RemoteClient())
        client.seen = time.monotonic()
        return client

    def _worker(self, client: RemoteClient, slot: str) -> QueueWorker:
        """Return the worker of a client's thread; a new thread gets the one with fewest threads."""
        if slot not in client.workers:
            assigned = [
                worker for other in self._clients.values() for worker in other.workers.values()
            ]
            workers = self._service.pool.workers
            client.workers[slot] = min(
                workers, key=lambda worker: (assigned.count(worker), worker.number)
            )
        return client.workers[slot]

    async def _on(self, worker: QueueWorker, work: Callable[[], Result]) -> Result:
        """Do `work` on a worker, to its end even if the client disconnects."""
        future: Future[Result] = Future()

        def task(_: QueueWorker) -> None:
            try:
                future.set_result(work())
            # The boundary of a request: its client must get every error.
            except Exception as error:
                future.set_exception(_client_error(error))

        self._service.pool.put(task, worker)
        return await asyncio.shield(asyncio.wrap_future(future))

    def _begin(
        self, remote: ClientSession, compiled: Compiled, header: RunHeader, stdins: Sequence[bytes]
    ) -> ResponseStream:
        stream = remote.stream = ResponseStream(header.request, asyncio.get_running_loop())

        def task(worker: QueueWorker) -> None:
            try:
                with remote.mutex:
                    if not stream.cancelled and remote.session is None:
                        sampling = Sampling(header.interval_ns, header.trace)
                        opener = fair(self._service.sandbox)
                        remote.session = opener.session(
                            compiled, header.limits, worker.cores, sampling
                        )
                self._run(remote.session, stream, stdins)
                if header.once:
                    remote.close()
                stream.add(frame({END: True}), last=True)
            # The boundary of a request: its client must get a last frame.
            except Exception as failure:
                # The HTTP status has been sent, so the error is sent as a frame; sandbox/remote
                # raises it there as an exception of the same kind.
                error = _client_error(failure)
                kind = "machine" if isinstance(error, MachineError) else "usage"
                parts = {"kind": kind, "what": error.what, "why": error.why, "fix": error.fix}
                stream.add(frame({"error": parts}), last=True)
            finally:
                # The stream may have been cancelled while the session was being opened.
                if stream.cancelled or header.once:
                    remote.close()

        self._service.pool.put(task, remote.worker)
        return stream

    def _run(
        self, session: Session | None, stream: ResponseStream, stdins: Sequence[bytes]
    ) -> None:
        """Run the program on each input, until the stream is cancelled."""
        if session is None or stream.cancelled:
            return
        try:
            for run in session.run(stdins):
                stream.add(run_frame(run))
                self._service.metrics.runs += 1
                if stream.cancelled:
                    break
        except (SandboxError, ValueError, OSError):
            if not stream.cancelled:  # otherwise the session was closed to end the program
                raise
