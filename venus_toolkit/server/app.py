"""The web application: routes, the middleware before them, how errors are answered.

And the server that runs it.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException

from venus_toolkit.core import __version__, interruption
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.server import compat, routes
from venus_toolkit.server.access import AccessMiddleware, is_loopback
from venus_toolkit.server.http_errors import ErrorAnswer, HTTPError, error_response
from venus_toolkit.server.remote import wire_routes
from venus_toolkit.server.remote.sessions import Sessions
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

KEEP_ALIVE_S = 75  # without a request; nginx's time, too


def create_app(settings: Settings, service: Service | None = None) -> FastAPI:
    """Return the application, with this service or a new one.

    The service is at ``app.state.service``; it starts and stops with the application.

    Raises:
        StoreError: The folder of the queue cannot be used.
        SandboxError: Programs cannot be run here.
    """
    service = service or Service(settings)
    sessions = Sessions(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        sweeping = asyncio.create_task(sessions.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            # Before the service: sessions live on its workers, in its sandbox.
            await sessions.close()
            await service.close()

    # FastAPI's own /docs loads its scripts from elsewhere, which a server without internet cannot.
    app = FastAPIOffline(
        "/docs",
        None,
        title="venus serve",
        version=__version__,
        description=(
            "Programs in many languages, judged and measured in a sandbox. Units are in the names."
        ),
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.sessions = sessions
    app.add_middleware(AccessMiddleware, settings=settings, refused=service.metrics.refused)
    for router in (routes.router, wire_routes.router):
        description = "The request is not carried out."
        app.include_router(
            router, responses={"default": {"model": ErrorAnswer, "description": description}}
        )
    for router in compat.routers(service):
        app.include_router(
            router, responses={"default": {"description": "An error, as the protocol has it."}}
        )
    for kind in (HTTPError, MachineError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer_error)
    return app


async def _answer_error(request: Request, error: Exception) -> JSONResponse:
    """Say what is wrong, why, and what to do.

    400 for what is no JSON, 422 for fields that are not as documented.
    """
    if isinstance(error, HTTPError):
        routes.service_of(request).metrics.refused[error.status] += 1
        return error_response(error.status, error.what, error.why, error.fix, error.retry_after_s)
    if isinstance(error, MachineError):
        return error_response(503, error.what, error.why, error.fix, retry_after_s=5)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            why = str(first.get("ctx", {}).get("error", ""))
            return error_response(400, "the request is not JSON", why, "see /docs")
        field = ".".join(str(each) for each in first["loc"] if each != "body") or "the body"
        return error_response(422, f"{field} is not as documented", first["msg"], "see /docs")
    assert isinstance(error, HTTPException)  # of the framework
    what = f"{request.method} {request.url.path[:200]}: {error.detail}"
    why = (
        "the server has no such route"
        if error.status_code in (404, 405)
        else "the request cannot be read"
    )
    answer = error_response(error.status_code, what, why, "see /docs")
    answer.headers.update(error.headers or {})  # which methods there are
    return answer


def serve(settings: Settings, on_start: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then finish what runs and leave the rest to the next server.

    `on_start` is called with the address once requests are answered.

    Raises:
        UsageError: Others could use it without a key.
        MachineError: The address cannot be used, or programs cannot be run here.
    """
    if not settings.keys and not is_loopback(settings.host):
        why = f"{settings.host} can be reached from elsewhere and there is no API key"
        fix = "set VENUS_API_KEY, give --api-keys FILE, or --host 127.0.0.1"
        raise UsageError("the server is not started", why, fix)
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        # A training step may open hundreds of connections at the same moment.
        listening = socket.create_server(
            (settings.host, settings.port), family=family, backlog=2048
        )
    except OSError as error:
        what = f"cannot listen on {settings.host}:{settings.port}"
        raise MachineError(what, str(error), "choose another --host or --port") from error
    with listening:
        service = Service(settings)
        config = uvicorn.Config(
            create_app(settings, service),
            log_level="warning",  # the command prints the address itself
            access_log=False,
            proxy_headers=False,  # any client could name another address in X-Forwarded-For
            server_header=False,  # nobody has to know what is behind an open port
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=settings.drain_s,  # type: ignore[arg-type]  # a wait of asyncio
        )
        # The longest that the thread that answers clients waits for a worker's thread, in seconds.
        sys.setswitchinterval(0.0005)
        gc.freeze()  # what is loaded by now stays: the collector need not look through it again
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        with interruption.draining(settings.drain_s + 0.3):  # 0.3 s for the queue to be closed
            JobServer(config, service, lambda: on_start(address)).run([listening])


class JobServer(uvicorn.Server):
    """A server that reports its start, closes idle connections, and refuses jobs when it stops."""

    def __init__(
        self, config: uvicorn.Config, service: Service, on_start: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._service = service
        self._on_start = on_start
        # Of each connection without a request under way: its last request, and since when that is
        # so.
        self._idle: dict[Any, tuple[object, float]] = {}

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then report it."""
        await super().startup(sockets)
        # Uvicorn also returns where the application failed to start.
        if self.started:
            self._on_start()

    async def on_tick(self, counter: int) -> bool:
        """Do what is done every tenth of a second; returns whether to stop."""
        if counter % 10 == 0:  # once a second
            self._close_idle()
        return await super().on_tick(counter)

    def _close_idle(self) -> None:
        """Close connections on which no whole head of a request came for KEEP_ALIVE_S.

        Uvicorn does so where nothing came after a response; it would wait for ever for the rest of
        a head.
        """
        now, idle = time.monotonic(), dict[Any, tuple[object, float]]()
        for connection in self.server_state.connections:
            request = getattr(connection, "cycle", None)
            if request is None or request.response_complete:
                before, since = self._idle.get(connection, (request, now))
                idle[connection] = (request, since if before is request else now)
                if now - idle[connection][1] > KEEP_ALIVE_S:
                    connection.transport.close()
        self._idle = idle

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after a signal; a second Ctrl-C does not wait."""
        interruption.announce()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True
        self._service.drain()
