"""Sandboxes for clients elsewhere.

Programs that they compile here, and sessions in which they run them.

A client is one sandbox/remote/. Each of its threads has a worker here, so that the programs that a
thread measures and the reference program beside them run on one core. Runs are answered while
others go on. A client whose connection broke takes up where it was: the runs of its last request
are kept until the next. One that does not come back within GRACE_S, or is idle for as long as the
settings say, loses what it had here.
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

    program: str  # as the server calls it
    slot: str  # a thread of the client
    limits: LimitsOf  # of each run
    interval_ns: Interval  # between two samples of memory
    trace: bool  # keep the samples
    request: str  # its name
    first: int  # the number of the first run that is wanted of its answer
    again: bool  # it may have been sent before
    # the session ends with the last input; its answer is kept until the client has named it in
    # `left`
    once: bool
    left: list[str]  # sessions whose answers the client has read


@dataclass(slots=True, eq=False)
class ClientSession:
    """A session of a client: its worker, the opened session, and the latest answer."""

    worker: QueueWorker
    session: Session | None = None
    stream: ResponseStream | None = None
    mutex: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ended(self) -> bool:
        """Whether only its answer is left."""
        return self.session is None and self.stream is not None and self.stream.over

    def end(self, _: QueueWorker) -> None:
        """End the session, if it has not ended with its last input: a task for its worker."""
        self.close()

    def close(self) -> None:
        """End the session in the sandbox."""
        with self.mutex:
            session, self.session = self.session, None
        if session:
            session.close()


@dataclass(slots=True, eq=False)
class RemoteClient:
    """What a client has here."""

    seen: float = field(default_factory=time.monotonic)
    workers: dict[str, QueueWorker] = field(default_factory=dict)
    programs: OrderedDict[str, Compiled] = field(default_factory=OrderedDict)
    sessions: dict[str, ClientSession] = field(default_factory=dict)


def _explained(error: Exception) -> VenusError:
    """Return an error that a client can be told; what is none of ours is logged as a bug."""
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
        """Compile a program for a client, which calls it by its `program_key`.

        The same one again costs nothing.
        """
        client, key = self._client(name), program_key(program)
        if key not in client.programs:
            worker = self._worker(client, slot)
            client.programs[key] = await self._on(
                worker, lambda: self._service.sandbox.compile(program, worker.cores)
            )
            # One that was forgotten is compiled again when it is asked for, from the store.
            if len(client.programs) > 4096:
                client.programs.popitem(last=False)
        return client.programs[key]

    def run(
        self, name: str, session_id: str, wanted: RunHeader, stdins: Sequence[bytes]
    ) -> AsyncIterator[bytes]:
        """Run a program on inputs; gives the frames of the answer.

        Args:
            name: The client.
            session_id: What it calls the session.
            wanted: Which program, and how.
            stdins: The inputs.

        Raises:
            UnknownJobError: The program is not here, or a request that was sent before is not.
            QueueFullError: There are too many sessions.
        """
        client = self._client(name)
        session = client.sessions.get(session_id)
        if session and session.stream and session.stream.request == wanted.request:
            if not session.stream.reaches(wanted.first):
                raise UnknownJobError(
                    "the runs are not kept any more", "the answer was too long", "run them again"
                )
            return session.stream.read(wanted.first)
        # It may have run before a restart: the client decides about a repeat, and counts it.
        if wanted.again:
            raise UnknownJobError(
                "the server does not know the request", "it was restarted", "run them again"
            )
        compiled = client.programs.get(wanted.program)
        if compiled is None:
            raise UnknownJobError(
                "the server does not know the program", "it was restarted", "compile it again"
            )
        if session is None:
            others = [
                each
                for other in self._clients.values()
                for each in other.sessions.values()
                if not each.ended
            ]
            if len(others) >= self._service.settings.sessions:
                why = f"clients have {self._service.settings.sessions} already"
                raise QueueFullError(
                    "no more sessions can be opened", why, "try again later", retry_after_s=2
                )
            session = client.sessions[session_id] = ClientSession(self._worker(client, wanted.slot))
            session.worker.sessions += 1
        return self._begin(session, compiled, wanted, stdins).read(0)

    def forget(self, name: str, session_ids: Sequence[str]) -> None:
        """Forget sessions that have ended, with their answers."""
        sessions = self._client(name).sessions
        for session_id in session_ids:
            session = sessions.get(session_id)
            if session and session.stream and session.stream.over:
                del sessions[session_id]
                session.worker.sessions -= 1
                # Closing blocks: a worker does it, not the event loop.
                self._service.pool.put(session.end, session.worker)

    async def leave(self, name: str, session_id: str) -> None:
        """Stop what a session does and forget it."""
        await self._leave(self._client(name), session_id)

    async def _leave(self, client: RemoteClient, session_id: str) -> None:
        session = client.sessions.pop(session_id, None)
        if session:
            session.worker.sessions -= 1
            if session.stream and not session.stream.over:
                # Before the session is closed: `_run` then knows why the session failed under it.
                session.stream.cancelled = True
            if session.session:
                await asyncio.to_thread(session.close)

    async def drop(self, name: str) -> None:
        """Forget a client with all that it has."""
        client = self._clients.get(name)
        if client is None:
            return
        for session_id in list(client.sessions):
            await self._leave(client, session_id)
        self._clients.pop(name, None)

    async def close(self) -> None:
        """Forget every client."""
        for name in list(self._clients):
            await self.drop(name)

    async def sweep(self) -> None:
        """End what nobody reads and what absent clients have left, and forget what was read.

        Runs until cancelled.
        """
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            for name, client in list(self._clients.items()):
                for session_id, session in list(client.sessions.items()):
                    stream = session.stream
                    if not stream or stream.left_at is None or now - stream.left_at <= GRACE_S:
                        continue
                    # One that was read to its end and is still open waits for more inputs.
                    if session.ended or not stream.read_out:
                        await self._leave(client, session_id)
                # Many runs of one request may take longer than session_s.
                busy = any(
                    each.stream and not each.stream.over for each in client.sessions.values()
                )
                if not busy and now - client.seen > self._service.settings.session_s:
                    await self.drop(name)

    def _client(self, name: str) -> RemoteClient:
        client = self._clients.setdefault(name, RemoteClient())
        client.seen = time.monotonic()
        return client

    def _worker(self, client: RemoteClient, slot: str) -> QueueWorker:
        """Return the worker of a thread of a client; a new one goes where the fewest are."""
        if slot not in client.workers:
            taken = [worker for each in self._clients.values() for worker in each.workers.values()]
            workers = self._service.pool.workers
            client.workers[slot] = min(
                workers, key=lambda worker: (taken.count(worker), worker.number)
            )
        return client.workers[slot]

    async def _on(self, worker: QueueWorker, work: Callable[[], Result]) -> Result:
        """Do something on a worker, to the end even if the client goes away."""
        done: Future[Result] = Future()

        def task(_: QueueWorker) -> None:
            try:
                done.set_result(work())
            # the boundary of a request: its client waits for whatever comes
            except Exception as error:
                done.set_exception(_explained(error))

        self._service.pool.put(task, worker)
        return await asyncio.shield(asyncio.wrap_future(done))

    def _begin(
        self, remote: ClientSession, compiled: Compiled, wanted: RunHeader, stdins: Sequence[bytes]
    ) -> ResponseStream:
        stream = remote.stream = ResponseStream(wanted.request, asyncio.get_running_loop())

        def task(worker: QueueWorker) -> None:
            try:
                with remote.mutex:
                    if not stream.cancelled and remote.session is None:
                        sampling = Sampling(wanted.interval_ns, wanted.trace)
                        opener = fair(self._service.sandbox)
                        remote.session = opener.session(
                            compiled, wanted.limits, worker.cores, sampling
                        )
                self._run(remote.session, stream, stdins)
                if wanted.once:
                    remote.close()
                stream.add(frame({END: True}), last=True)
            # the boundary of a request: its client waits for a last frame
            except Exception as failed:
                # The HTTP status was sent long ago, so an error is a frame; sandbox/remote raises
                # by its kind.
                error = _explained(failed)
                kind = "machine" if isinstance(error, MachineError) else "usage"
                parts = {"kind": kind, "what": error.what, "why": error.why, "fix": error.fix}
                stream.add(frame({"error": parts}), last=True)
            finally:
                # cancelled perhaps while the session was being opened
                if stream.cancelled or wanted.once:
                    remote.close()

        self._service.pool.put(task, remote.worker)
        return stream

    def _run(
        self, session: Session | None, stream: ResponseStream, stdins: Sequence[bytes]
    ) -> None:
        """Run on the inputs until there are no more, or nobody wants them."""
        if session is None or stream.cancelled:
            return
        try:
            for run in session.run(stdins):
                stream.add(run_frame(run))
                self._service.metrics.runs += 1
                if stream.cancelled:
                    break
        except (SandboxError, ValueError, OSError):
            if not stream.cancelled:  # else the session was closed while in use, to end the program
                raise
