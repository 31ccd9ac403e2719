"""Sandboxes for clients elsewhere: programs that they compile here, and sessions in which they run them.

A client is one sandbox/remote/. Each of its threads has a worker here, so that the programs that a thread measures
and the reference program beside them run on one core. Runs are answered while others go on. A client whose connection
broke takes up where it was: the runs of its last request are kept until the next. One that does not come back within
GRACE_S, or is idle for as long as the settings say, loses what it had here.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from venus_toolkit.errors import MachineError, SandboxError, VenusError
from venus_toolkit.records import Limits, digest
from venus_toolkit.sandbox import Compiled, Program, Session
from venus_toolkit.sandbox.wire import END, frame, run_frame
from venus_toolkit.server.feed import Feed
from venus_toolkit.server.programs import key_of
from venus_toolkit.server.refusals import QueueFullError, UnknownJobError
from venus_toolkit.server.service import Service
from venus_toolkit.server.workers import Worker
from venus_toolkit.supervisor import Sampling

Result = TypeVar("Result")

GRACE_S = 10.0
SWEEP_S = 1.0


class Told(NamedTuple):
    """What a client says with its inputs.

    `request` is the name of the request, `first` the number of the first run that is wanted of its answer, and `again`
    says that it may have been sent before. `slot` is a thread of the client. `once` says that the session ends with the
    last input; what it answered is kept until the client says that it has it.
    """

    program: str
    slot: str
    limits: Limits
    sampling: Sampling
    request: str
    first: int
    again: bool
    once: bool


@dataclass(slots=True, eq=False)
class Seat:
    """A session of a client: its worker, the session itself once it was opened, and the latest answer."""

    worker: Worker
    session: Session | None = None
    feed: Feed | None = None
    mutex: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ended(self) -> bool:
        """Whether only its answer is left."""
        return self.session is None and self.feed is not None and self.feed.over


@dataclass(slots=True, eq=False)
class Client:
    """What a client has here."""

    seen: float = field(default_factory=time.monotonic)
    workers: dict[str, Worker] = field(default_factory=dict)
    programs: dict[str, Compiled] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)


class Sessions:
    """The clients of a service.

    Args:
        service: Whose workers and programs they use.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._clients: dict[str, Client] = {}

    # -------------------------------------------------------------- what clients do

    async def compile(self, name: str, slot: str, program: Program) -> Compiled:
        """Compile a program for a client; the same one again costs nothing."""
        client = self._client(name)
        key = program_id(program)
        if key not in client.programs:
            worker = self._worker(client, slot)
            compiled = await self._on(worker, lambda: self._service.programs.take(program, worker.cores))
            if key in client.programs:  # another thread of the client was faster
                self._service.programs.give_back(program)
            return client.programs.setdefault(key, compiled)
        return client.programs[key]

    def discard(self, name: str, keys: Sequence[str]) -> None:
        """Forget programs of a client."""
        client = self._client(name)
        for key in keys:
            compiled = client.programs.pop(key, None)
            if compiled:
                self._service.programs.give_back(compiled.program)

    def run(self, name: str, seat_id: str, told: Told, stdins: Sequence[bytes]) -> AsyncIterator[bytes]:
        """Run a program on inputs; gives the frames of the answer.

        Args:
            name: The client.
            seat_id: What it calls the session.
            told: Which program, and how.
            stdins: The inputs.

        Raises:
            UnknownJobError: The program is not here, or a request that was sent before is not.
        """
        client = self._client(name)
        seat = client.seats.get(seat_id)
        if seat and seat.feed and seat.feed.request == told.request:
            if not seat.feed.reaches(told.first):
                raise UnknownJobError("the runs are not kept any more", "the answer was too long", "run them again")
            return seat.feed.read(told.first)
        if told.again:
            raise UnknownJobError("the server does not know the request", "it was restarted", "run them again")
        compiled = client.programs.get(told.program)
        if compiled is None:
            raise UnknownJobError("the server does not know the program", "it was restarted", "compile it again")
        seat = seat or self._new_seat(client, seat_id, told.slot)
        return self._begin(seat, compiled, told, stdins).read(0)

    def forget(self, name: str, seat_ids: Sequence[str]) -> None:
        """Forget sessions that have ended, with what they answered."""
        seats = self._client(name).seats
        for seat_id in seat_ids:
            seat = seats.get(seat_id)
            if seat and seat.feed and seat.feed.over:
                del seats[seat_id]
                seat.worker.sessions -= 1
                self._put_away(seat)  # if it has not ended after all

    async def leave(self, name: str, seat_id: str) -> None:
        """End what a session does and forget it."""
        await self._leave(self._client(name), seat_id)

    async def _leave(self, client: Client, seat_id: str) -> None:
        seat = client.seats.pop(seat_id, None)
        if seat:
            seat.worker.sessions -= 1
            await self._end(seat)

    async def drop(self, name: str) -> None:
        """Forget a client with all that it has."""
        client = self._clients.get(name)
        if client is None:
            return
        for seat_id in list(client.seats):
            await self.leave(name, seat_id)
        self.discard(name, list(client.programs))
        self._clients.pop(name, None)

    async def close(self) -> None:
        """Forget every client."""
        for name in list(self._clients):
            await self.drop(name)

    async def sweep(self) -> None:
        """End, for ever, what nobody reads and what clients that are gone have left, and forget what was read."""
        while True:
            await asyncio.sleep(SWEEP_S)
            now = time.monotonic()
            for name, client in list(self._clients.items()):
                for seat_id, seat in list(client.seats.items()):
                    feed = seat.feed
                    useless = seat.ended or (feed and not feed.read_out)
                    if feed and useless and feed.left_at is not None and now - feed.left_at > GRACE_S:
                        await self._leave(client, seat_id)
                busy = any(seat.feed and not seat.feed.over for seat in client.seats.values())
                if not busy and now - client.seen > self._service.settings.session_s:
                    await self.drop(name)

    # -------------------------------------------------------------- bookkeeping

    def _client(self, name: str) -> Client:
        client = self._clients.setdefault(name, Client())
        client.seen = time.monotonic()
        return client

    def _worker(self, client: Client, slot: str) -> Worker:
        """Return the worker of a thread of a client; a new one goes where the fewest are."""
        if slot not in client.workers:
            taken = [worker for each in self._clients.values() for worker in each.workers.values()]
            workers = self._service.pool.workers
            client.workers[slot] = min(workers, key=lambda worker: (taken.count(worker), worker.number))
        return client.workers[slot]

    def _new_seat(self, client: Client, seat_id: str, slot: str) -> Seat:
        taken = [seat for each in self._clients.values() for seat in each.seats.values() if not seat.ended]
        if len(taken) >= self._service.settings.sessions:
            why = f"clients have {self._service.settings.sessions} already"
            raise QueueFullError("no more sessions can be opened", why, "try again later", retry_after_s=2)
        seat = Seat(self._worker(client, slot))
        seat.worker.sessions += 1
        client.seats[seat_id] = seat
        return seat

    async def _on(self, worker: Worker, work: Callable[[], Result]) -> Result:
        """Do something on a worker."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()

        def settle(result: Result | None, error: BaseException | None) -> None:
            if not done.done():
                done.set_exception(error) if error else done.set_result(result)  # type: ignore[arg-type]

        def task(_: Worker) -> None:
            try:
                result = work()
            except VenusError as error:
                loop.call_soon_threadsafe(settle, None, error)
            else:
                loop.call_soon_threadsafe(settle, result, None)

        self._service.pool.put(task, worker)
        return await asyncio.shield(done)

    def _put_away(self, seat: Seat) -> None:
        self._service.pool.put(lambda _: _close(seat), seat.worker)

    async def _end(self, seat: Seat) -> None:
        if seat.feed and not seat.feed.over:
            seat.feed.cancelled = True
        if seat.session:
            await asyncio.to_thread(_close, seat)

    # -------------------------------------------------------------- on a worker's thread

    def _begin(self, seat: Seat, compiled: Compiled, told: Told, stdins: Sequence[bytes]) -> Feed:
        feed = seat.feed = Feed(told.request, asyncio.get_running_loop())

        def task(worker: Worker) -> None:
            try:
                with seat.mutex:
                    if not feed.cancelled and seat.session is None:
                        seat.session = self._service.sandbox.session(compiled, told.limits, worker.cores, told.sampling)
                self._run(seat, feed, stdins)
                if told.once:
                    _close(seat)
                feed.add(frame({END: True}), last=True)
            except VenusError as error:
                feed.add(error_frame(error), last=True)
            finally:
                if feed.cancelled or told.once:  # cancelled perhaps while the session was being opened
                    _close(seat)

        self._service.pool.put(task, seat.worker)
        return feed

    def _run(self, seat: Seat, feed: Feed, stdins: Sequence[bytes]) -> None:
        """Run on the inputs until there are no more, or nobody wants them."""
        session = seat.session
        try:
            if session and not feed.cancelled:
                for run in session.run(stdins):
                    feed.add(run_frame(run))
                    self._service.tally.runs += 1
                    if feed.cancelled:
                        break
        except (SandboxError, ValueError, OSError):
            if not feed.cancelled:  # else somebody closed the session while it was in use, so as to end the program
                raise


def _close(seat: Seat) -> None:
    with seat.mutex:
        session, seat.session = seat.session, None
    if session:
        session.close()


def program_id(program: Program) -> str:
    """Return what clients call a program."""
    return digest(key_of(program), program.language.run_argv)


def error_frame(error: VenusError) -> bytes:
    """Return an error as a frame."""
    kind = "machine" if isinstance(error, MachineError) else "usage"
    return frame({"error": {"kind": kind, "what": error.what, "why": error.why, "fix": error.fix}})
