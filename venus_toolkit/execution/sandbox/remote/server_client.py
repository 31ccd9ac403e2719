"""A client of a server: its connections, its retries, and the exceptions for error answers."""

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
SILENCE_S = 3600.0  # timeout of a read: a program may run long without output
PAUSES_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
LONGEST_PAUSE_S = 10.0  # upper limit for Retry-After
BUSY = (429, 503, 507)  # the queue is full, the server is stopping, its disk is full
CONNECTION_ERRORS = (OSError, http.client.HTTPException, EOFError)
KEY = "VENUS_API_KEY"
# The kernel probes the server's machine while a long run leaves the connection idle.
KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),  # seconds
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),  # seconds
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 6),
)


class ServerForgot(Exception):
    """The server does not know a session or program, because it was restarted."""


class ServerBusy(Exception):
    """The server is busy; it may suggest when to retry."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Client:
    """A client of a server, with a connection for each thread.

    Args:
        url: The address of the server.
        patience_s: How long to retry if it does not answer or is busy, in seconds.

    Attributes:
        url: The address.
        session_ids: An iterator of names for new sessions.
        server: The server's description of itself.
        portion_bytes: The maximum size of the inputs of a request.
        closed: Whether `close` was called.

    Raises:
        UsageError: The address is malformed.
        SandboxError: No server answers, or it requires another key.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        try:
            parts, port = urlsplit(url), urlsplit(url).port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"{url} is not the address of a server",
                "an address looks like http://HOST:PORT",
                "type: venus serve --help",
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
        self._released: list[str] = []
        self.session_ids = map(str, itertools.count())
        self._mutex = threading.Lock()
        self.closed = False
        try:  # without retries: a wrong address should fail at once
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
        """Have the server delete all programs and sessions of this client."""
        self.closed = True
        try:
            self._ask("DELETE", self.path()).read()
        except CONNECTION_ERRORS:
            log.info("%s ended before it could delete the sessions of this client", self.url)
        self._close_connections()

    def _close_connections(self) -> None:
        for connection in self._connections:
            connection.close()

    def path(self, *below: str) -> str:
        """Return a path in this client's part of the server."""
        return "/".join(("/v1/sandbox", self._name, *below))

    def release(self, session_id: str) -> None:
        """Tell the server, in the next request, that it may delete a session which has ended."""
        with self._mutex:
            self._released.append(session_id)

    def take_released(self) -> list[str]:
        """Return the sessions that the server may delete, and clear the list."""
        with self._mutex:
            released, self._released = self._released, []
        return released

    def do(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Send an idempotent request, with retries, and return the body of the answer.

        Raises:
            SandboxError: The server failed, or does not answer.
            UsageError: The server refuses the request.
        """
        backoff = Backoff(self)
        while True:
            try:
                return self._read(self._ask(method, path, body))
            except (ServerBusy, *CONNECTION_ERRORS) as error:
                backoff.pause(error)

    def begin(self, path: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request for runs and return the open answer, which is read frame by frame.

        Raises:
            ServerForgot: The server does not know the program or the request.
            ServerBusy: The server is busy.
            OSError, http.client.HTTPException: The connection broke.
        """
        response = self._ask("POST", path, body)
        if response.status != 200:
            self._read(response)
        return response

    def hang_up(self) -> None:
        """Close this thread's connection and drop the rest of its answer.

        The next request opens another connection.
        """
        connection = getattr(self._local, "connection", None)
        if connection:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._make(self._host, self._port, timeout=SILENCE_S)
            self._connections.append(self._local.connection)
            if not self.closed:  # the last request of `close` ignores a cancellation
                current().add(partial(_shut_down, self._local.connection))
        connection: http.client.HTTPConnection = self._local.connection
        if not connection.sock:
            connection.connect()
            for level, option, value in KEEPALIVE:
                connection.sock.setsockopt(level, option, value)
        return connection

    def _ask(self, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
        """Send a request and return its answer, whose body is unread."""
        if body is not None and len(body) > self._body_bytes:
            # The server would stop reading, which looks like a broken connection.
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
            ServerBusy: The server is busy.
            ServerForgot: The server does not know the program or session.
            UsageError: The server refuses the request.
            SandboxError: The server failed.
        """
        body = response.read()
        if response.status in (200, 204):
            return body
        try:
            error = json.loads(body)["error"]
            message, reason, fix = (str(error[name]) for name in ("what", "why", "fix"))
        except (ValueError, KeyError, TypeError):
            message, reason, fix = (
                "the server failed",
                body[:200].decode("utf-8", "replace"),
                "see its log",
            )
        if response.status in BUSY:
            after = response.headers.get("Retry-After") or "0"
            raise ServerBusy(f"{message}: {reason}", float(after) if after.isdigit() else 0.0)
        if response.status == 404:
            raise ServerForgot(message)
        if response.status in (401, 403):
            raise SandboxError(message, reason, f"set {KEY} to a key of {self.url}")
        raise (UsageError if response.status < 500 else SandboxError)(message, reason, fix)


def _shut_down(connection: http.client.HTTPConnection) -> None:
    """End all reads from a connection, in any thread."""
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)


class Backoff:
    """Waits between attempts, longer each time, for at most the client's `patience_s`.

    The time starts with the first failure.

    Args:
        client: The client, whose connection is closed before each wait.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._end: float | None = None
        self._pauses = itertools.chain(PAUSES_S, itertools.repeat(PAUSES_S[-1]))

    def pause(self, error: Exception) -> None:
        """Wait before another attempt.

        Raises:
            SandboxError: The time is over.
        """
        # A connection with an unread answer accepts no further request.
        self._client.hang_up()
        self._end = self._end or time.monotonic() + self._client.patience_s
        pause_s = next(self._pauses)
        if isinstance(error, ServerBusy):
            pause_s = max(pause_s, min(error.retry_after_s, LONGEST_PAUSE_S))
        if time.monotonic() + pause_s > self._end:
            reason = f"{error or type(error).__name__}; tried for {self._client.patience_s:.0f} s"
            raise SandboxError(
                f"{self._client.url} gave no result",
                reason,
                "check that it is running, and see its log",
            ) from error
        current().sleep(pause_s)
