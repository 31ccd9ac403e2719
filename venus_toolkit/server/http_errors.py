"""Errors of requests, each with its HTTP status, and the response for them.

Any code that handles a request may raise them; app.py, or the route of another protocol, turns them
into a response.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from venus_toolkit.core.errors import VenusError


class HTTPError(VenusError):
    """A request was refused; a retry makes sense after `retry_after_s` seconds, or never (None)."""

    status = 400

    def __init__(
        self, what: str, why: str = "", fix: str = "", retry_after_s: int | None = None
    ) -> None:
        super().__init__(what, why, fix)
        self.retry_after_s = retry_after_s


class UnknownJobError(HTTPError):
    """The job is unknown, or its result was removed."""

    status = 404


class ConflictingKeyError(HTTPError):
    """The idempotency key was used for a different job."""

    status = 409


class BadJobError(HTTPError):
    """The job is invalid, or exceeds a limit of the server."""

    status = 422


class QueueFullError(HTTPError):
    """The queue is full; the error says when to retry."""

    status = 429


class ClosingError(HTTPError):
    """The server is stopping; accepted jobs continue after the restart."""

    status = 503


class NoRoomError(HTTPError):
    """The disk is full; accepted jobs are not lost."""

    status = 507


class Explanation(BaseModel):
    """What happened, why, and what to do."""

    what: str
    why: str
    fix: str


class ErrorAnswer(BaseModel):
    """The response to a refused request."""

    error: Explanation


class ASCIIResponse(JSONResponse):
    """JSON in ASCII: it may repeat lone surrogates of a request, which UTF-8 cannot encode."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def error_response(
    status: int, what: str, why: str, fix: str, retry_after_s: int | None = None
) -> JSONResponse:
    """Return an error response: what happened, why, and what to do."""
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    if status in (401, 408, 413):
        headers["Connection"] = "close"  # the rest of the request is unread
    return ASCIIResponse({"error": {"what": what, "why": why, "fix": fix}}, status, headers)
