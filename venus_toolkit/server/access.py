"""Middleware before every route.

Who may use the server, how large a request may be, and how long it may pause.

Without keys the server listens on loopback only and answers only to loopback's names: a web page
that somebody visits in a browser on this machine must not be able to use it (DNS rebinding,
cross-site requests).
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

# Whose request is being answered: the digest of its key; its address where the server has no keys.
CLIENT: ContextVar[str] = ContextVar("client", default="")


class BodyRefused(Exception):
    """More of a body has come than is allowed, or nothing more of it for too long."""


class AccessMiddleware:
    """An ASGI application before another one; `refused` counts what it refuses, by HTTP status."""

    def __init__(self, app: ASGIApp, settings: Settings, refused: Counter[int]) -> None:
        self._app = app
        self._settings = settings
        self._refused = refused
        self._keys = [key.encode() for key in settings.keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif refusal := self._refusal(scope, Headers(scope=scope)):
            await self._refuse(refusal, scope, receive, send)
        else:
            # Who has several keys is several clients; headers that name another address are
            # ignored.
            address = (scope.get("client") or ("",))[0]
            key = _given_key(Headers(scope=scope)).encode()
            CLIENT.set(hashlib.sha256(key).hexdigest() if self._keys else address)
            await self._pass_on(scope, receive, send)

    async def _refuse(
        self, refusal: JSONResponse, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._refused[refusal.status_code] += 1
        if refusal.status_code in (401, 413):  # there may be much that the client still sends
            await _answer_and_linger(refusal, scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        hosts = len(headers.getlist("host"))
        # which is older than the header
        if hosts > 1 or (not hosts and scope["http_version"] != "1.0"):
            what = "the request names several hosts" if hosts else "the request names no host"
            return error_response(
                400, what, "HTTP/1.1 wants exactly one Host header", "send the server's name in it"
            )
        # These paths say nothing about jobs.
        if self._keys and scope["path"] not in ("/", "/healthz", "/readyz", "/v1/ping"):
            given = _given_key(headers).encode()
            # In constant time: how fast a refusal comes must not tell how much of a key was right.
            if not any(hmac.compare_digest(given, key) for key in self._keys):
                fix = "send Bearer <key> in Authorization, or the key in X-API-Key"
                return error_response(
                    401, "the request has no valid API key", "this server asks for one", fix
                )
        if not self._keys:
            # an Origin only from a browser
            host, origin = headers.get("host", ""), headers.get("origin")
            try:
                local = is_loopback(urlsplit(f"//{host}").hostname or "")
                local = local and (origin is None or urlsplit(origin).netloc == host)
            except ValueError:  # no address at all, such as [::1
                local = False
            if not local:
                why = "a server without API keys answers only to its own names on this machine"
                return error_response(
                    403, "the request comes from elsewhere", why, "start it with a key"
                )
        try:
            size = int(headers.get("content-length", "0"))
        except ValueError:
            return error_response(400, "Content-Length is not a number", "", "")
        return self._too_large() if size > self._settings.body_bytes else None

    def _too_large(self) -> JSONResponse:
        why = f"the server takes {self._settings.body_bytes / MIB:.0f} MiB at once"
        return error_response(
            413, "the request is too large", why, "send fewer or smaller jobs in one request"
        )

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and watch what comes.

        A client need not say beforehand how much that is.
        """
        received, whole, answered = 0, False, False
        refusal: JSONResponse | None = None

        async def watched_receive() -> Message:
            nonlocal received, whole, refusal
            try:
                # After the body the application waits here for the client to go away, as long as a
                # program may run.
                async with asyncio.timeout(None if whole else self._settings.body_pause_s):
                    message = await receive()
            except TimeoutError:
                why = f"nothing more of its body came for {self._settings.body_pause_s:g} s"
                refusal = error_response(408, "the request is not complete", why, "send it again")
                raise BodyRefused from None
            received += len(message.get("body", b""))
            whole = whole or not message.get("more_body", False)
            if received > self._settings.body_bytes:
                refusal = self._too_large()
                raise BodyRefused
            return message

        async def watched_send(message: Message) -> None:
            nonlocal answered
            # The application answers a refused body only with an error of its own, which is left
            # out.
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

    A socket that is closed with something unread in it resets the connection, and the client, which
    is still sending, may never see the response.
    """

    async def send_unfinished(message: Message) -> None:
        await send(
            {**message, "more_body": True} if message["type"] == "http.response.body" else message
        )

    await response(scope, receive, send_unfinished)
    with contextlib.suppress(TimeoutError):
        # As nginx: 30 s in all, and no pause longer than 5 s.
        async with asyncio.timeout(30.0):
            more = True
            while more:
                async with asyncio.timeout(5.0):
                    more = (await receive()).get("more_body", False)
    await send({"type": "http.response.body", "body": b""})


def _given_key(headers: Headers) -> str:
    """Return the key of a request: a bearer token, or the password in http://any:KEY@host."""
    if key := headers.get("x-api-key"):
        return key
    authorization = headers.get("authorization", "")
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() != "basic":  # a key without a scheme counts as well
        return value.strip() if scheme.lower() == "bearer" else authorization.strip()
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in ("localhost", "ip6-localhost")
