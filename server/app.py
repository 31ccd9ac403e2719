"""The web application: routes, what is before them, and how what is refused is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException

from venus_toolkit import __version__
from venus_toolkit.errors import MachineError
from venus_toolkit.server import compat, page, routes, wire_routes
from venus_toolkit.server.guard import Guard, error_response
from venus_toolkit.server.refusals import Refusal
from venus_toolkit.server.service import Service
from venus_toolkit.server.sessions import Sessions
from venus_toolkit.server.settings import Settings

DESCRIPTION = "Programs in many languages, judged and measured in a sandbox. Units are in the names."


def create_app(settings: Settings, service: Service | None = None) -> FastAPI:
    """Return the application.

    The service is at ``app.state.service``; it starts and stops with the application.

    Args:
        settings: What the server was told.
        service: Instead of a new one.

    Raises:
        StoreError: The folder of the queue cannot be used.
        SandboxError: Programs cannot be run here.
    """
    serving = service or Service(settings)
    sessions = Sessions(serving)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await serving.start()
        sweeping = asyncio.create_task(sessions.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await sessions.close()
            await serving.close()

    app = FastAPIOffline(
        "/docs", None, title="venus serve", version=__version__, description=DESCRIPTION, lifespan=lifespan
    )
    app.state.service = serving
    app.state.sessions = sessions
    app.add_middleware(Guard, settings=settings, refused=lambda status: serving.tally.refused.update([status]))
    app.include_router(routes.router)
    app.include_router(wire_routes.router)
    for router in (page.router(serving), *compat.routers(serving)):
        app.include_router(router)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(MachineError, _failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _nowhere)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    routes.service_of(request).tally.refused[error.status] += 1
    return error_response(error.status, error.what, error.why, error.fix, error.retry_after_s)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, MachineError)
    return error_response(503, error.what, error.why, error.fix, retry_after_s=5)


async def _nowhere(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    what = f"{request.method} {request.url.path[:200]}: {error.detail}"
    why = "the server has no such route" if error.status_code in (404, 405) else "the request cannot be read"
    return error_response(error.status_code, what, why, "see /docs")


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """Say what is wrong with a request: 400 where it is no JSON, 422 where its fields are not as documented."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return error_response(400, "the request is not JSON", str(first.get("ctx", {}).get("error", "")), "see /docs")
    place = ".".join(str(each) for each in first["loc"] if each != "body") or "the body"
    return error_response(422, f"{place} is not as documented", first["msg"], "see /docs")
