"""What stands before every route: who may ask, and how much at once.

Without keys the server listens on loopback only, and answers only to loopback's names: a page that somebody looks at
in a browser on this machine must not be able to use it (DNS rebinding, cross-site requests).
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from venus_toolkit.records import MIB
from venus_toolkit.server.settings import Settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

OPEN = ("/", "/healthz", "/readyz", "/v1/ping")  # say nothing about jobs
LOOPBACK = ("localhost", "ip6-localhost")
KEYLESS = "Bearer <key> in Authorization, or the key in X-API-Key"


class TooMuch(Exception):
    """The body is larger than allowed."""


class Guard:
    """An ASGI application before another one.

    Args:
        app: The one behind.
        settings: Keys and sizes.
        refused: Told the HTTP status of each request that is refused here.
    """

    def __init__(self, app: App, settings: Settings, refused: Callable[[int], None] = lambda status: None) -> None:
        self._app = app
        self._settings = settings
        self._refused = refused
        self._keys = [key.encode() for key in settings.keys]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        complaint = self._complaint(scope["path"], headers)
        if complaint:
            self._refused(complaint.status_code)
            await complaint(scope, receive, send)
            return
        await self._pass_on(scope, receive, send)

    def _complaint(self, path: str, headers: Headers) -> JSONResponse | None:
        if self._keys and path not in OPEN and not self._knows(headers):
            return error_response(
                401, "the request has no valid API key", "this server asks for one", f"send {KEYLESS}"
            )
        if not self._keys and not _is_ours(headers):
            why = "a server without API keys answers only to its own names on this machine"
            return error_response(403, "the request comes from elsewhere", why, "start it with a key")
        try:
            size = int(headers.get("content-length", "0"))
        except ValueError:
            return error_response(400, "Content-Length is no number", "", "")
        return self._too_large() if size > self._settings.body_bytes else None

    def _knows(self, headers: Headers) -> bool:
        given = headers.get("x-api-key") or _given(headers.get("authorization", ""))
        return any(hmac.compare_digest(given.encode(), key) for key in self._keys)

    def _too_large(self) -> JSONResponse:
        why = f"the server takes {self._settings.body_bytes / MIB:.0f} MiB at once"
        return error_response(413, "the request is too large", why, "send fewer or smaller jobs in one request")

    async def _pass_on(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what comes: a client need not say beforehand how much that is."""
        got, answered = 0, False

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._settings.body_bytes:
                raise TooMuch
            return message

        async def watched(message: Message) -> None:
            nonlocal answered
            if answered or got <= self._settings.body_bytes:  # else the application only says that it could not read
                answered = True
                await send(message)

        with contextlib.suppress(TooMuch):
            await self._app(scope, counted, watched)
        if not answered and got > self._settings.body_bytes:
            self._refused(413)
            await self._too_large()(scope, receive, send)


def _given(authorization: str) -> str:
    """Return the key in a header: a bearer's token, or the password that clients send for http://any:KEY@host."""
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() != "basic":
        return value.strip() if scheme.lower() == "bearer" else authorization.strip()
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def error_response(status: int, what: str, why: str, fix: str, retry_after_s: int | None = None) -> JSONResponse:
    """Return an answer that says what happened, why, and what to do."""
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    if status in (401, 413):
        headers["Connection"] = "close"  # whatever is still coming is not read
    return JSONResponse({"error": {"what": what, "why": why, "fix": fix}}, status, headers)


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in LOOPBACK


def _is_ours(headers: Headers) -> bool:
    """Whether a request was meant for this machine: its Host, and the Origin if a browser sends one."""
    host = urlsplit(f"//{headers.get('host', 'localhost')}").hostname or ""
    origin = headers.get("origin")
    same = origin is None or (urlsplit(origin).netloc == headers.get("host"))
    return is_loopback(host) and same
