"""Middleware before every route: who may use the server, and how large a request may be.

Without keys the server listens on loopback only and answers only to loopback's names: a web page that somebody visits
in a browser on this machine must not be able to use it (DNS rebinding, cross-site requests).
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import ipaddress
from collections import Counter
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from venus_toolkit.core.records import MIB
from venus_toolkit.server.http_errors import error_response
from venus_toolkit.server.settings import Settings

OPEN = ("/", "/healthz", "/readyz", "/v1/ping")  # they say nothing about jobs
LOOPBACK = ("localhost", "ip6-localhost")


class BodyTooLarge(Exception):
    """More of a body has come than is allowed."""


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
        elif refusal := self._refusal(scope["path"], Headers(scope=scope)):
            self._refused[refusal.status_code] += 1
            await refusal(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> JSONResponse | None:
        if self._keys and path not in OPEN:
            given = (headers.get("x-api-key") or _key_in(headers.get("authorization", ""))).encode()
            # In constant time: how fast a refusal comes must not tell how much of a key was right.
            if not any(hmac.compare_digest(given, key) for key in self._keys):
                fix = "send Bearer <key> in Authorization, or the key in X-API-Key"
                return error_response(401, "the request has no valid API key", "this server asks for one", fix)
        if not self._keys and not _is_from_here(headers):
            why = "a server without API keys answers only to its own names on this machine"
            return error_response(403, "the request comes from elsewhere", why, "start it with a key")
        try:
            size = int(headers.get("content-length", "0"))
        except ValueError:
            return error_response(400, "Content-Length is no number", "", "")
        return self._too_large() if size > self._settings.body_bytes else None

    def _too_large(self) -> JSONResponse:
        why = f"the server takes {self._settings.body_bytes / MIB:.0f} MiB at once"
        return error_response(413, "the request is too large", why, "send fewer or smaller jobs in one request")

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count what comes: a client need not say beforehand how much that is."""
        received, answered = 0, False

        async def count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._settings.body_bytes:
                raise BodyTooLarge
            return message

        async def watch(message: Message) -> None:
            nonlocal answered
            # The application answers a body that is too large only with an error of its own, which is left out.
            if answered or received <= self._settings.body_bytes:
                answered = True
                await send(message)

        with contextlib.suppress(BodyTooLarge):
            await self._app(scope, count, watch)
        if not answered and received > self._settings.body_bytes:
            self._refused[413] += 1
            await self._too_large()(scope, receive, send)


def _key_in(authorization: str) -> str:
    """Return the key in a header: a bearer's token, or the password that clients send for http://any:KEY@host."""
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
        return host in LOOPBACK


def _is_from_here(headers: Headers) -> bool:
    """Whether a request was meant for this machine: its Host, and the Origin if a browser sends one."""
    host = urlsplit(f"//{headers.get('host', 'localhost')}").hostname or ""
    origin = headers.get("origin")
    return is_loopback(host) and (origin is None or urlsplit(origin).netloc == headers.get("host"))
