"""The web application (routes, middleware, error responses) and the server that runs it."""

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

KEEP_ALIVE_S = 75  # how long a connection may be idle, as in nginx


def create_app(settings: Settings, service: Service | None = None) -> FastAPI:
    """Return the application, with a given service or a new one.

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
            # Before the service, since sessions use its workers and its sandbox.
            await sessions.close()
            await service.close()

    # FastAPI's own /docs loads its scripts from the internet, which the server may not reach.
    app = FastAPIOffline(
        "/docs",
        None,
        title="venus serve",
        version=__version__,
        description=(
            "Judges and measures programs in many languages in a sandbox. Units are in the names."
        ),
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.sessions = sessions
    app.add_middleware(AccessMiddleware, settings=settings, refused=service.metrics.refused)
    for router in (routes.router, wire_routes.router):
        description = "The request was refused."
        app.include_router(
            router, responses={"default": {"model": ErrorAnswer, "description": description}}
        )
    for router in compat.routers(service):
        app.include_router(
            router, responses={"default": {"description": "An error in the form of the protocol."}}
        )
    for kind in (HTTPError, MachineError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer_error)
    return app


async def _answer_error(request: Request, error: Exception) -> JSONResponse:
    """Return an error response with the three parts of the error.

    The status is 400 for a body that is not JSON, 422 for fields that are not as documented.
    """
    if isinstance(error, HTTPError):
        routes.service_of(request).metrics.refused[error.status] += 1
        return error_response(error.status, error.what, error.why, error.fix, error.retry_after_s)
    if isinstance(error, MachineError):
        return error_response(503, error.what, error.why, error.fix, retry_after_s=5)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            reason = str(first.get("ctx", {}).get("error", ""))
            return error_response(400, "the request is not JSON", reason, "see /docs")
        field = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
        return error_response(422, f"{field} is not as documented", first["msg"], "see /docs")
    assert isinstance(error, HTTPException)  # of the framework
    response = error_response(
        error.status_code,
        f"{request.method} {request.url.path[:200]}: {error.detail}",
        "the server has no such route"
        if error.status_code in (404, 405)
        else "the request cannot be read",
        "see /docs",
    )
    response.headers.update(error.headers or {})  # such as the allowed methods
    return response


def serve(settings: Settings, on_start: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then finish running jobs, and leave the rest for a restart.

    `on_start` is called with the address once the server answers requests.

    Raises:
        UsageError: Other machines could use the server without a key.
        MachineError: The address cannot be used, or programs cannot be run here.
    """
    if not settings.keys and not is_loopback(settings.host):
        reason = f"{settings.host} can be reached from elsewhere and there is no API key"
        fix = "set VENUS_API_KEY, give --api-keys FILE, or --host 127.0.0.1"
        raise UsageError("the server is not started", reason, fix)
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        # A training step may open hundreds of connections at once.
        listening = socket.create_server(
            (settings.host, settings.port), family=family, backlog=2048
        )
    except OSError as error:
        failure = f"cannot listen on {settings.host}:{settings.port}"
        raise MachineError(failure, str(error), "choose another --host or --port") from error
    with listening:
        service = Service(settings)
        config = uvicorn.Config(
            create_app(settings, service),
            log_level="warning",  # the command prints the address itself
            access_log=False,
            proxy_headers=False,  # any client could name another address in X-Forwarded-For
            server_header=False,  # do not reveal the software behind an open port
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=settings.drain_s,  # type: ignore[arg-type]  # asyncio takes floats
        )
        # The time in seconds after which the event loop asks a worker's thread to yield.
        sys.setswitchinterval(0.0005)
        gc.freeze()  # objects made so far live as long as the server, so never scan them again
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        with interruption.draining(settings.drain_s + 0.3):  # 0.3 s to close the queue
            JobServer(config, service, lambda: on_start(address)).run([listening])


class JobServer(uvicorn.Server):
    """A server that reports its start, closes idle connections, and refuses jobs when it stops."""

    def __init__(
        self, config: uvicorn.Config, service: Service, on_start: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._service = service
        self._on_start = on_start
        # For each idle connection: its last request, and the time when it became idle.
        self._idle: dict[Any, tuple[object, float]] = {}

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then report it."""
        await super().startup(sockets)
        # Uvicorn also returns if the application failed to start.
        if self.started:
            self._on_start()

    async def on_tick(self, counter: int) -> bool:
        """Do periodic work, every 0.1 s; return whether to stop."""
        if counter % 10 == 0:  # once a second
            self._close_idle()
        return await super().on_tick(counter)

    def _close_idle(self) -> None:
        """Close connections on which no complete request head arrived for KEEP_ALIVE_S.

        Uvicorn does so only if nothing arrived after a response; it would wait for ever for the
        rest of a head.
        """
        now, idle = time.monotonic(), dict[Any, tuple[object, float]]()
        for connection in self.server_state.connections:
            request = getattr(connection, "cycle", None)
            if request is None or request.response_complete:
                previous, since = self._idle.get(connection, (request, now))
                idle[connection] = (request, since if previous is request else now)
                if now - idle[connection][1] > KEEP_ALIVE_S:
                    connection.transport.close()
        self._idle = idle

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after a signal; a second Ctrl-C stops without waiting."""
        interruption.announce()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True
        self._service.drain()
