"""Middleware for all routes: API keys, the size of requests, and pauses within them.

Without keys the server listens on loopback only and accepts only loopback host names, so that web
pages in a browser on this machine cannot use it (DNS rebinding, cross-site requests).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import ipaddress
from collections import Counter
from contextvars import ContextVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from venus_toolkit.core.records import MIB
from venus_toolkit.server.http_errors import error_response
from venus_toolkit.server.settings import Settings

# The client of the current request: the digest of its key or, if no keys are set, its address.
CLIENT: ContextVar[str] = ContextVar("client", default="")


class BodyRefused(Exception):
    """The body of a request is too large, or stopped arriving."""


class AccessMiddleware:
    """ASGI middleware; `refused` counts refused requests by HTTP status."""

    def __init__(self, app: ASGIApp, settings: Settings, refused: Counter[int]) -> None:
        self._app = app
        self._settings = settings
        self._refused = refused
        self._keys = [key.encode() for key in settings.keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif refusal := self._refusal(scope, Headers(scope=scope)):
            await self._refuse(refusal, scope, receive, send)
        else:
            # Each key is a client; headers that name another address are ignored.
            address = (scope.get("client") or ("",))[0]
            key = _key_of(Headers(scope=scope)).encode()
            CLIENT.set(hashlib.sha256(key).hexdigest() if self._keys else address)
            await self._pass_on(scope, receive, send)

    async def _refuse(
        self, refusal: JSONResponse, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._refused[refusal.status_code] += 1
        if refusal.status_code in (401, 413):  # the client may still be sending a large body
            await _answer_and_linger(refusal, scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        hosts = len(headers.getlist("host"))
        # HTTP/1.0 has no Host header.
        if hosts > 1 or (not hosts and scope["http_version"] != "1.0"):
            return error_response(
                400,
                "the request names several hosts" if hosts else "the request names no host",
                "HTTP/1.1 requires exactly one Host header",
                "send the server's name in it",
            )
        # These paths reveal nothing about jobs.
        if self._keys and scope["path"] not in ("/", "/healthz", "/readyz", "/v1/ping"):
            sent = _key_of(headers).encode()
            # In constant time: the time of a refusal must not reveal how much of a key was right.
            if not any(hmac.compare_digest(sent, key) for key in self._keys):
                fix = "send Bearer <key> in Authorization, or the key in X-API-Key"
                return error_response(
                    401, "the request has no valid API key", "this server requires one", fix
                )
        if not self._keys:
            # Only browsers send an Origin.
            host, origin = headers.get("host", ""), headers.get("origin")
            try:
                local = is_loopback(urlsplit(f"//{host}").hostname or "")
                local = local and (origin is None or urlsplit(origin).netloc == host)
            except ValueError:  # not an address, such as [::1
                local = False
            if not local:
                reason = "a server without API keys answers only to its own names on this machine"
                return error_response(
                    403, "the request comes from elsewhere", reason, "start it with a key"
                )
        try:
            size = int(headers.get("content-length", "0"))
        except ValueError:
            return error_response(400, "Content-Length is not a number", "", "")
        return self._too_large() if size > self._settings.body_bytes else None

    def _too_large(self) -> JSONResponse:
        reason = f"the server takes {self._settings.body_bytes / MIB:.0f} MiB at once"
        return error_response(
            413, "the request is too large", reason, "send fewer or smaller jobs in one request"
        )

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and limit the size and the pauses of its body."""
        received, whole, answered = 0, False, False
        refusal: JSONResponse | None = None

        async def watched_receive() -> Message:
            nonlocal received, whole, refusal
            try:
                # After the body, the application waits here for the client to disconnect, for as
                # long as a program may run.
                async with asyncio.timeout(None if whole else self._settings.body_pause_s):
                    message = await receive()
            except TimeoutError:
                reason = f"nothing more of its body came for {self._settings.body_pause_s:g} s"
                refusal = error_response(
                    408, "the request is not complete", reason, "send it again"
                )
                raise BodyRefused from None
            received += len(message.get("body", b""))
            whole = whole or not message.get("more_body", False)
            if received > self._settings.body_bytes:
                refusal = self._too_large()
                raise BodyRefused
            return message

        async def watched_send(message: Message) -> None:
            nonlocal answered
            # After a refused body, the application's own error response is discarded.
            if answered or not refusal:
                answered = True
                await send(message)

        with contextlib.suppress(BodyRefused):
            await self._app(scope, watched_receive, watched_send)
        if refusal and not answered:
            await self._refuse(refusal, scope, receive, send)


async def _answer_and_linger(
    response: JSONResponse, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send a response at once, but read on for a while before the connection is closed.

    Closing a socket with unread data resets the connection, and a client that is still sending may
    never see the response.
    """

    async def send_unfinished(message: Message) -> None:
        await send(
            {**message, "more_body": True} if message["type"] == "http.response.body" else message
        )

    await response(scope, receive, send_unfinished)
    with contextlib.suppress(TimeoutError):
        # Like nginx: 30 s in total, with pauses of at most 5 s.
        async with asyncio.timeout(30.0):
            more = True
            while more:
                async with asyncio.timeout(5.0):
                    more = (await receive()).get("more_body", False)
    await send({"type": "http.response.body", "body": b""})


def _key_of(headers: Headers) -> str:
    """Return the key of a request: X-API-Key, bearer token, or password in http://any:KEY@host."""
    if key := headers.get("x-api-key"):
        return key
    authorization = headers.get("authorization", "")
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() != "basic":  # a key without a scheme is accepted too
        return value.strip() if scheme.lower() == "bearer" else authorization.strip()
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether an address or name stands for this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in ("localhost", "ip6-localhost")
