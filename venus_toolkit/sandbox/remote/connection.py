"""Connections to a server: one for each thread, kept alive; what an answer means; how long to try again."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import socket
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from venus_toolkit.errors import SandboxError, UsageError

PATIENCE_S = 60.0
SILENCE_S = 3600.0
PAUSES_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
BUSY = (429, 503, 507)
BROKEN = (OSError, http.client.HTTPException, EOFError)
KEY = "VENUS_API_KEY"
ALIVE = {socket.TCP_KEEPIDLE: 30, socket.TCP_KEEPINTVL: 10, socket.TCP_KEEPCNT: 6}  # seconds, seconds, times


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
        try:
            parts, port = urlsplit(url), urlsplit(url).port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            what = f"{url} is no address of a server"
            raise UsageError(what, "wanted is http://HOST:PORT", "type: venus serve --help")
        self._make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._place = (parts.hostname, port)
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

    def read(self, answer: Answer) -> bytes:
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
            raise SandboxError(told[0], told[1], f"set {KEY} to a key of {self.url}")
        raise (UsageError if answer.status < 500 else SandboxError)(*told)

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
        if connection.sock is None:
            _connect(connection)
        return connection


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


def _connect(connection: http.client.HTTPConnection) -> None:
    """Connect, so that a server whose machine is gone is noticed: a program may run long without a word on the line."""
    connection.connect()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ALIVE.items():
        connection.sock.setsockopt(socket.IPPROTO_TCP, option, value)


def _error_of(body: bytes) -> list[str]:
    try:
        told = json.loads(body)["error"]
        return [str(told[name]) for name in ("what", "why", "fix")]
    except (ValueError, KeyError, TypeError):
        return ["the server failed", body[:200].decode("utf-8", "replace"), "see its log"]
