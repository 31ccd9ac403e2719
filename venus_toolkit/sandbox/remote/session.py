"""A session on a server: inputs go there together, runs come as they end, over as many connections as it takes."""

from __future__ import annotations

import dataclasses
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from venus_toolkit.errors import SandboxError, UsageError
from venus_toolkit.records import Limits, Run
from venus_toolkit.sandbox import Compiled, Program, wire
from venus_toolkit.sandbox.remote.client import Client
from venus_toolkit.sandbox.remote.connection import BROKEN, Forgotten, Later
from venus_toolkit.supervisor import Sampling

log = logging.getLogger(__name__)


class RemoteSession:
    """A session on a server.

    Args:
        client: Who asks the server.
        compiled: The program.
        limits: Of each run.
        sampling: How often memory is read.
        again: Compiles a program that the server has forgotten; is told how many requests that repeats.
    """

    def __init__(
        self,
        client: Client,
        compiled: Compiled,
        limits: Limits,
        sampling: Sampling,
        again: Callable[[Program, int], Compiled],
    ) -> None:
        self._client = client
        self._again = again
        self._compiled = compiled
        self._limits = limits
        self._sampling = sampling
        self._seat: str | None = None
        self._ended = False

    def __enter__(self) -> RemoteSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def close(self) -> None:
        """End the session on the server, where that has not ended it."""
        seat, self._seat = self._seat, None
        if seat and self._ended:
            self._client.leave(seat)
        elif seat and not self._client.closed:
            self._client.do("DELETE", self._client.path("sessions", seat))

    def prepare(self) -> None:
        """Do nothing: the server makes the session when it gets the inputs."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; a session that is left early is ended with what is still running.

        Most sessions are used once, so the server ends one after the last input, and opens it again if there are more.

        Raises:
            SandboxError: The server failed, or does not answer.
        """
        waiting = list(stdins)
        if not waiting:
            return
        once, self._ended, read_out = self._seat is None, False, False
        try:
            yield from chain.from_iterable(map(self._runs, self._requests(waiting, once)))
            read_out, self._ended = True, once
        finally:
            if not read_out:
                self._client.hang_up()
                self.close()

    def _portions(self, stdins: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
        """Yield the inputs in portions that the server takes at once; a single one that is larger, it refuses."""
        first, size = 0, 0
        for index, stdin in enumerate(stdins):
            size += len(stdin)
            if index > first and size > self._client.portion_bytes:
                yield stdins[first:index]
                first, size = index, len(stdin)
        yield stdins[first:]

    def _requests(self, stdins: Sequence[bytes], once: bool) -> Iterator[Asked]:
        portions = list(self._portions(stdins))
        for portion in portions:
            yield Asked(portion, once and portion is portions[-1], self._client.left())

    def _runs(self, asked: Asked) -> Iterator[Run]:
        """Yield a run for each input, over as many connections as it takes."""
        patience, before = self._client.patience(), 0
        while asked.got < len(asked.stdins):
            try:
                yield from self._answer(asked)
            except Forgotten as error:
                self._start_over(asked, error)
            except (Later, *BROKEN) as error:
                asked.again = not isinstance(error, Later) or asked.again
                patience, before = (self._client.patience() if asked.got > before else patience), asked.got
                patience.pause(error)

    def _answer(self, asked: Asked) -> Iterator[Run]:
        """Yield what one connection gives of the runs that are still wanted."""
        self._seat = self._seat or self._client.seat()
        body = self._client.begin(self._client.path("sessions", self._seat), self._request(asked))
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
            "slot": self._client.slot(),
            "limits": dataclasses.asdict(self._limits),
            "interval_ns": self._sampling.interval_ns,
            "trace": self._sampling.trace,
            "request": asked.name,
            "first": asked.got - asked.before,
            "again": asked.again,
            "once": asked.last,
            "left": asked.left,
        }
        return wire.frame(header, asked.stdins[asked.before :])

    def _start_over(self, asked: Asked, error: Forgotten) -> None:
        """Have what is missing run by a server that knows nothing of it any more, and say so."""
        log.warning("%s: what it had not yet answered is run again", error)
        self._compiled = self._again(self._compiled.program, int(asked.again))
        self._seat = None
        asked.rename()


class Asked:
    """A request for runs: its name, its inputs, how many runs came, and how many of them before it had this name.

    Args:
        stdins: The inputs.
        last: The server should end the session after them.
        left: Sessions that it may forget.
    """

    def __init__(self, stdins: Sequence[bytes], last: bool, left: Sequence[str]) -> None:
        self.stdins = stdins
        self.last = last
        self.left = left
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
