"""Why a request is not carried out, each reason with its HTTP status, and the answer that says so.

Whatever handles a request may raise these; app.py, or the route of another protocol, answers with
them.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from venus_toolkit.core.errors import VenusError


class HTTPError(VenusError):
    """A request that is not carried out.

    It makes sense to try again after `retry_after_s`, or not at all (None).
    """

    status = 400

    def __init__(
        self, what: str, why: str = "", fix: str = "", retry_after_s: int | None = None
    ) -> None:
        super().__init__(what, why, fix)
        self.retry_after_s = retry_after_s


class UnknownJobError(HTTPError):
    """There is no such job, or its result was forgotten."""

    status = 404


class ConflictingKeyError(HTTPError):
    """The idempotency key stands for another job."""

    status = 409


class BadJobError(HTTPError):
    """The job makes no sense, or asks for more than the server allows."""

    status = 422


class QueueFullError(HTTPError):
    """Too much is waiting; says when to come again."""

    status = 429


class ClosingError(HTTPError):
    """The server is stopping; accepted jobs continue after the restart."""

    status = 503


class NoRoomError(HTTPError):
    """The disk is full; nothing that was accepted is lost."""

    status = 507


class Explanation(BaseModel):
    """What happened, why, and what to do."""

    what: str
    why: str
    fix: str


class ErrorAnswer(BaseModel):
    """The answer to a request that is not carried out."""

    error: Explanation


class ASCIIResponse(JSONResponse):
    """JSON in ASCII: it may repeat half a character that a client sent, which is not UTF-8."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def error_response(
    status: int, what: str, why: str, fix: str, retry_after_s: int | None = None
) -> JSONResponse:
    """Return an answer that says what happened, why, and what to do."""
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    if status in (401, 408, 413):
        headers["Connection"] = "close"  # the rest of the request is not read
    return ASCIIResponse({"error": {"what": what, "why": why, "fix": fix}}, status, headers)
