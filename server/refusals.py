"""What the service refuses, each with its HTTP status.

Refusal
├── UnknownJobError    404   no such job, or its result was forgotten
├── ConflictingKeyError 409  the idempotency key stands for another job
├── TooLargeError      413   more than the server takes
├── BadJobError        422   the job makes no sense
├── QueueFullError     429   come again later; says when
├── ClosingError       503   the server is stopping; what it accepted goes on when it is back
└── NoRoomError        507   the disk is full; nothing that was accepted is lost
"""

from __future__ import annotations

import dataclasses

from venus_toolkit.errors import VenusError
from venus_toolkit.records import Limits


class Refusal(VenusError):
    """A request that is not done.

    Args:
        what: What happened.
        why: The reason.
        fix: What to do.
        retry_after_s: When it makes sense to come again; None: it does not.
    """

    status = 400

    def __init__(self, what: str, why: str = "", fix: str = "", retry_after_s: int | None = None) -> None:
        super().__init__(what, why, fix)
        self.retry_after_s = retry_after_s


class UnknownJobError(Refusal):
    """No such job, or its result was forgotten."""

    status = 404


class ConflictingKeyError(Refusal):
    """The idempotency key stands for another job."""

    status = 409


class TooLargeError(Refusal):
    """More than the server takes."""

    status = 413


class BadJobError(Refusal):
    """The job makes no sense."""

    status = 422


class QueueFullError(Refusal):
    """Too much is waiting."""

    status = 429


class ClosingError(Refusal):
    """The server is stopping."""

    status = 503


class NoRoomError(Refusal):
    """The disk is full."""

    status = 507


def require_positive(limits: Limits) -> None:
    """Check that every limit is one: zero is none.

    Raises:
        BadJobError: One is not.
    """
    for each in dataclasses.fields(Limits):
        value = getattr(limits, each.name)
        if value < 1:
            raise BadJobError(f"limits.{each.name} is too small", f"{value} was given", "give at least 1")
