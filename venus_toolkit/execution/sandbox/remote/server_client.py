"""One user of a server: its connections, what an answer means, and how long to try again."""

from __future__ import annotations

import http.client
import itertools
import json
import logging
import os
import secrets
import socket
import threading
import time
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from venus_toolkit.core.errors import SandboxError, UsageError, VenusError
from venus_toolkit.core.interruption import current

log = logging.getLogger(__name__)

PATIENCE_S = 60.0
SILENCE_S = 3600.0  # a program may run long without anything on the connection
PAUSES_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
LONGEST_PAUSE_S = 10.0  # whatever Retry-After asks for
BUSY = (429, 503, 507)  # the queue is full, the server is stopping, its disk is full
CONNECTION_ERRORS = (OSError, http.client.HTTPException, EOFError)
KEY = "VENUS_API_KEY"
# The kernel asks whether the server's machine is there: a program may run long without a byte on
# the connection.
KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),  # seconds
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),  # seconds
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 6),
)


class ServerForgot(Exception):
    """The server does not know what it is asked about: it was restarted."""


class ServerBusy(Exception):
    """The server has no room at present; it may say when it will have."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Client:
    """A user of a server, with a connection for each thread.

    Args:
        url: The address of the server.
        patience_s: How long to try where it does not answer or is busy.

    Attributes:
        url: The address.
        session_ids: Names of new sessions.
        server: What the server said of itself.
        portion_bytes: How much input a request may hold.
        closed: Whether the server was asked to forget everything.

    Raises:
        UsageError: It is no address.
        SandboxError: No server answers there, or it asks for another key.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        try:
            parts, port = urlsplit(url), urlsplit(url).port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            problem = f"{url} is not the address of a server"
            raise UsageError(
                problem, "an address looks like http://HOST:PORT", "type: venus serve --help"
            )
        self.url = url
        self._make = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._host, self._port = parts.hostname, port
        self._root = parts.path.rstrip("/")
        key = os.environ.get(KEY)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._local = threading.local()
        self._connections: list[http.client.HTTPConnection] = []
        self.patience_s = patience_s
        self._name = secrets.token_hex(16)
        self._left: list[str] = []
        self.session_ids = map(str, itertools.count())
        self._mutex = threading.Lock()
        self.closed = False
        try:  # once only: a wrong address should be noticed at once
            self.server: dict[str, Any] = dict(
                json.loads(self._read(self._ask("GET", "/v1/sandbox")))
            )
        except (ServerBusy, ServerForgot, *CONNECTION_ERRORS, ValueError) as error:
            self._close_connections()
            raise SandboxError(
                f"no server answers at {url}", str(error), "start one there: venus serve"
            ) from error
        except VenusError:
            self._close_connections()
            raise
        self._body_bytes: int = self.server["body_bytes"]
        self.portion_bytes = self._body_bytes // 2

    def close(self) -> None:
        """Have the server forget all that was made, sessions included."""
        self.closed = True
        try:
            self._ask("DELETE", self.path()).read()
        except CONNECTION_ERRORS:
            log.info("%s was gone before it could be asked to forget this client", self.url)
        self._close_connections()

    def _close_connections(self) -> None:
        for connection in self._connections:
            connection.close()

    def path(self, *below: str) -> str:
        """Return the path of what belongs to this user."""
        return "/".join(("/v1/sandbox", self._name, *below))

    def leave(self, session_id: str) -> None:
        """Have the server forget a session that it has ended; the next request says so."""
        with self._mutex:
            self._left.append(session_id)

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
        backoff = Backoff(self)
        while True:
            try:
                return self._read(self._ask(method, path, body))
            except (ServerBusy, *CONNECTION_ERRORS) as error:
                backoff.pause(error)

    def begin(self, path: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request for runs and return the answer, to be read frame by frame.

        Raises:
            ServerForgot: The server does not know the program or the request.
            ServerBusy: It has no room at present.
            OSError, http.client.HTTPException: The connection broke.
        """
        response = self._ask("POST", path, body)
        if response.status != 200:
            self._read(response)
        return response

    def hang_up(self) -> None:
        """Close this thread's connection: the rest of an answer is not wanted.

        The next request opens another.
        """
        connection = getattr(self._local, "connection", None)
        if connection:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._make(self._host, self._port, timeout=SILENCE_S)
            self._connections.append(self._local.connection)
            if not self.closed:  # that a client goes is still told
                current().add(partial(_shut_down, self._local.connection))
        connection: http.client.HTTPConnection = self._local.connection
        if not connection.sock:
            connection.connect()
            for level, option, value in KEEPALIVE:
                connection.sock.setsockopt(level, option, value)
        return connection

    def _ask(self, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
        """Send a request and return its answer, still to be read."""
        if body is not None and len(body) > self._body_bytes:
            # The server would not read it to its end, which looks like a broken connection.
            reason = (
                f"a program or an input takes {len(body) >> 20} MiB, the server "
                f"{self._body_bytes >> 20} MiB"
            )
            raise UsageError(
                "the request is too large", reason, "start the server with a larger --body-mib"
            )
        headers = (
            self._headers
            if body is None
            else {**self._headers, "Content-Type": "application/x-venus-frames"}
        )
        connection = self._connection()
        connection.request(method, self._root + path, body, headers)
        return connection.getresponse()

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Return the body of an answer.

        Raises:
            ServerBusy: The server has no room at present.
            ServerForgot: It does not know what it was asked about.
            UsageError: It refuses.
            SandboxError: It failed.
        """
        body = response.read()
        if response.status in (200, 204):
            return body
        try:
            error = json.loads(body)["error"]
            problem, reason, fix = (str(error[name]) for name in ("what", "why", "fix"))
        except (ValueError, KeyError, TypeError):
            problem, reason, fix = (
                "the server failed",
                body[:200].decode("utf-8", "replace"),
                "see its log",
            )
        if response.status in BUSY:
            after = response.headers.get("Retry-After") or "0"
            raise ServerBusy(f"{problem}: {reason}", float(after) if after.isdigit() else 0.0)
        if response.status == 404:
            raise ServerForgot(problem)
        if response.status in (401, 403):
            raise SandboxError(problem, reason, f"set {KEY} to a key of {self.url}")
        raise (UsageError if response.status < 500 else SandboxError)(problem, reason, fix)


def _shut_down(connection: http.client.HTTPConnection) -> None:
    """End what is read from a connection, in whatever thread."""
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)


class Backoff:
    """Waits between tries, longer each time, until its time is over.

    That begins with the first failure.

    Args:
        client: Whose connection is closed before another try, and how long it tries.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._end: float | None = None
        self._pauses = itertools.chain(PAUSES_S, itertools.repeat(PAUSES_S[-1]))

    def pause(self, error: Exception) -> None:
        """Wait.

        Raises:
            SandboxError: It has been long enough.
        """
        # A connection with half an answer on it takes no further request.
        self._client.hang_up()
        self._end = self._end or time.monotonic() + self._client.patience_s
        pause_s = next(self._pauses)
        if isinstance(error, ServerBusy):
            pause_s = max(pause_s, min(error.retry_after_s, LONGEST_PAUSE_S))
        if time.monotonic() + pause_s > self._end:
            reason = f"{error or type(error).__name__}; tried for {self._client.patience_s:.0f} s"
            problem = f"{self._client.url} does not do what it is asked"
            raise SandboxError(
                problem, reason, "check that it is running, and see its log"
            ) from error
        current().sleep(pause_s)
