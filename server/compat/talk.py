"""What the routes of all protocols share: errors in a protocol's own words, and a job that one request waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from venus_toolkit.errors import VenusError
from venus_toolkit.server.jobs import Job, JobResult
from venus_toolkit.server.refusals import BadJobError, ClosingError, Refusal
from venus_toolkit.server.routes import service_of
from venus_toolkit.server.service import Service

CLIENT_GONE = 499


class Trouble(NamedTuple):
    """Why a request is not done.

    Attributes:
        status: The HTTP status where the protocol has no other.
        message: In one text.
        kind: The type of what was raised.
        retry_after_s: When to come again, where that makes sense.
        details: What is wrong with which field of the body.
    """

    status: int
    message: str
    kind: type[Exception]
    retry_after_s: int | None = None
    details: Sequence[dict[str, Any]] = ()


class GoneError(Exception):
    """The client did not wait; nobody reads an answer."""


def answer(status: int, content: Any, retry_after_s: int | None = None) -> Response:
    """Return an answer in JSON."""
    headers = {"Retry-After": str(retry_after_s)} if retry_after_s is not None else None
    return JSONResponse(content, status, headers)


def speaking(say: Callable[[Trouble], Response]) -> type[APIRoute]:
    """Return a kind of route whose errors are what `say` makes of them."""

    class Speaking(APIRoute):
        """A route that says what is wrong as its protocol does."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            """Return the handler with the errors it may raise translated."""
            handle = super().get_route_handler()

            async def handler(request: Request) -> Response:
                try:
                    return await handle(request)
                except GoneError:
                    return Response(status_code=CLIENT_GONE)
                except RequestValidationError as error:
                    trouble = _unreadable(error)
                except HTTPException as error:
                    trouble = Trouble(error.status_code, str(error.detail), type(error))
                except VenusError as error:
                    trouble = _refused(error)
                said = say(trouble)
                service_of(request).tally.refused[said.status_code] += 1
                return said

            return handler

    return Speaking


def _unreadable(error: RequestValidationError) -> Trouble:
    details = [{key: each[key] for key in ("type", "loc", "msg") if key in each} for each in error.errors()]
    said = [f"{'.'.join(str(part) for part in each['loc'][1:])}: {each['msg']}".lstrip(": ") for each in details]
    unread = details[0]["type"] == "json_invalid"
    message = "the request is not JSON" if unread else "; ".join(said)
    return Trouble(BadJobError.status, message, type(error), details=details)


def _refused(error: VenusError) -> Trouble:
    message = str(error).replace("\n", "; ")
    if isinstance(error, Refusal):
        return Trouble(error.status, message, type(error), error.retry_after_s)
    return Trouble(500, message, type(error))


async def result_of(service: Service, job: Job, request: Request) -> JobResult:
    """Have a job done and return its result; nobody could ask for it later, so it is cancelled where none is returned.

    Raises:
        GoneError: The client went away.
        Refusal: It was not accepted, or the server stops.
    """
    job_id = await service.submit(job)
    try:
        return await waited(service, job_id, request)
    except (GoneError, ClosingError):
        await service.cancel(job_id)
        raise


async def waited(service: Service, job_id: str, request: Request, seconds: float | None = None) -> JobResult:
    """Return the result of a job, or what there is of it after a time.

    Raises:
        GoneError: The client went away; the job goes on.
        ClosingError: The server stops before the job is done.
    """
    waiting = asyncio.ensure_future(service.wait(job_id, seconds))
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise GoneError
        result = waiting.result()
    finally:
        gone.cancel()
        waiting.cancel()
    if service.closing and not result.state.final:
        raise ClosingError("the server is stopping", "the program was not finished", "send it again in a moment", 5)
    return result


async def _gone(request: Request) -> None:
    """Return when the client has gone away; the body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
