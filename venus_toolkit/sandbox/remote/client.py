"""One user of a server: what is asked of it until it answers, and what it may forget."""

from __future__ import annotations

import http.client
import itertools
import json
import logging
import secrets
import threading
from typing import Any

from venus_toolkit.errors import SandboxError, UsageError, VenusError
from venus_toolkit.sandbox.remote.connection import BROKEN, Forgotten, Later, Patience, Wire

log = logging.getLogger(__name__)


class Client:
    """A user of a server.

    Args:
        url: The address of the server.
        patience_s: How long to try where it does not answer or is busy.

    Attributes:
        server: What the server said of itself.
        portion_bytes: How much input a request may hold.
        closed: Whether the server was told to forget everything.

    Raises:
        UsageError: It is no address.
        SandboxError: No server answers there, or it asks for another key.
    """

    def __init__(self, url: str, patience_s: float) -> None:
        self._wire = Wire(url)
        self._patience_s = patience_s
        self._name = secrets.token_hex(16)
        self._left: list[str] = []
        self._numbers = itertools.count()
        self._mutex = threading.Lock()
        self.closed = False
        try:
            self.server = self._first_words()
        except VenusError:
            self._wire.close()
            raise
        self._body_bytes: int = self.server["body_bytes"]
        self.portion_bytes = self._body_bytes // 2

    def _first_words(self) -> dict[str, Any]:
        """Ask the server who it is, once: a wrong address should be noticed at once."""
        try:
            return dict(json.loads(self._wire.read(self._wire.ask("GET", "/v1/sandbox"))))
        except (Later, Forgotten, *BROKEN, ValueError) as error:
            fix = "start one there: venus serve"
            raise SandboxError(f"no server answers at {self._wire.url}", str(error), fix) from error

    def close(self) -> None:
        """Have the server forget all that was made, sessions included."""
        self.closed = True
        try:
            self._wire.ask("DELETE", self.path()).body.read()
        except BROKEN:
            log.info("%s was gone before it could be told that it is needed no more", self._wire.url)
        self._wire.close()

    # -------------------------------------------------------------- names

    def path(self, *below: str) -> str:
        """Return the path of what belongs to this user."""
        return "/".join(("/v1/sandbox", self._name, *below))

    def slot(self) -> str:
        """Return what the server tells the threads of this process apart by."""
        return str(threading.get_ident())

    def seat(self) -> str:
        """Return the name of a new session."""
        return str(next(self._numbers))

    def leave(self, seat: str) -> None:
        """Have the server forget a session that it has ended; it is told with the next request."""
        with self._mutex:
            self._left.append(seat)

    def left(self) -> list[str]:
        """Return the sessions that the server may forget."""
        with self._mutex:
            left, self._left = self._left, []
        return left

    # -------------------------------------------------------------- requests

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
