"""Shared parts of the protocols: errors, waiting for a job, limits, results of runs, libraries."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from importlib import resources
from typing import Any, Generic, NamedTuple, TypeVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from venus_toolkit.core.errors import VenusError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits, Run, Verdict
from venus_toolkit.server.http_errors import ASCIIResponse, BadJobError, ClosingError, HTTPError
from venus_toolkit.server.language_registry import smaller
from venus_toolkit.server.queue.jobs import USUAL, Job, JobResult
from venus_toolkit.server.routes import service_of
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

OUT_OF_TIME = 124  # the exit status of timeout(1)
OUT_OF_MEMORY = 137  # 128 + SIGKILL, as a shell reports it


class ProtocolError(NamedTuple):
    """The error of a request, which each protocol reports in its own form."""

    status: int  # of HTTP, unless the protocol has another one
    message: str  # all parts of the error in one line
    kind: type[Exception]
    retry_after_s: int | None = None  # None: a retry makes no sense
    details: Sequence[dict[str, Any]] = ()  # the errors of the fields of the body

    @classmethod
    def of(cls, error: RequestValidationError | HTTPException | VenusError) -> ProtocolError:
        """Return the error of a request from an exception."""
        if isinstance(error, HTTPException):
            return cls(error.status_code, str(error.detail), type(error))
        if isinstance(error, VenusError):
            message = str(error).replace("\n", "; ")
            if isinstance(error, HTTPError):
                return cls(error.status, message, type(error), error.retry_after_s)
            return cls(500, message, type(error))
        details = [
            {key: detail[key] for key in ("type", "loc", "msg") if key in detail}
            for detail in error.errors()
        ]
        message = "the request is not JSON"
        if details[0]["type"] != "json_invalid":
            fields = [(".".join(map(str, detail["loc"][1:])), detail["msg"]) for detail in details]
            message = "; ".join(f"{field}: {text}" if field else text for field, text in fields)
        return cls(BadJobError.status, message, type(error), details=details)

    def response(self, status: int, content: dict[str, Any]) -> Response:
        """Return a JSON response, which says when to retry if a retry makes sense."""
        headers = (
            {"Retry-After": str(self.retry_after_s)} if self.retry_after_s is not None else None
        )
        return ASCIIResponse(content, status, headers)


def route_class(respond: Callable[[ProtocolError], Response]) -> type[APIRoute]:
    """Return a class of routes whose errors are answered by `respond`."""

    class ProtocolRoute(APIRoute):
        """A route that reports errors in the form of its protocol."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            """Return the handler, which translates errors."""
            handle = super().get_route_handler()

            async def handler(request: Request) -> Response:
                try:
                    return await handle(request)
                except ClientDisconnect:
                    return Response(status_code=499)  # as in nginx; the client does not read it
                except (RequestValidationError, HTTPException, VenusError) as error:
                    # The handlers of app.py, which count refused requests, do not see this error.
                    response = respond(ProtocolError.of(error))
                    service_of(request).metrics.refused[response.status_code] += 1
                    return response

            return handler

    return ProtocolRoute


def limits_of(settings: Settings, seconds: float, memory_bytes: int | None = None) -> Limits:
    """Return the limits of a run of `seconds` and `memory_bytes`, within those of the server.

    These protocols return the whole output, so the output limit is the length that is returned.
    """
    most = settings.most
    # `min` first, since the largest float times 1e9 is infinite.
    wall_ns = max(1, round(min(most.wall_ns, seconds * NS_PER_S)))
    return Limits(
        wall_ns=wall_ns,
        cpu_ns=min(most.cpu_ns, wall_ns),
        memory_bytes=min(most.memory_bytes, memory_bytes or most.memory_bytes),
        output_bytes=min(most.output_bytes, settings.shown_bytes),
    )


def job_for(
    settings: Settings, language: str, code: str, stdin: str | None, limits: Limits, **more: Any
) -> Job:
    """Return a job with one input: these protocols have no others."""
    return Job(
        language, code, (stdin or "",), limits=limits, shown_bytes=settings.shown_bytes, **more
    )


async def result_of(
    service: Service, job_id: str, request: Request, seconds: float | None = None
) -> JobResult:
    """Return the result of a job, or its state after some seconds.

    Only this request knows the job, so an exception cancels the job.

    Raises:
        ClientDisconnect: The client disconnected.
        ClosingError: The server stops before the job is done.
    """

    async def disconnected() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass  # the body was read already

    waiting = asyncio.ensure_future(service.wait(job_id, seconds))
    gone = asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise ClientDisconnect
        result = waiting.result()
        if service.closing and not result.state.final:
            raise ClosingError(
                "the server is stopping",
                "the program was not finished",
                "send it again in a moment",
                5,
            )
    except (ClientDisconnect, ClosingError):
        await service.cancel(job_id)
        raise
    finally:
        gone.cancel()
        waiting.cancel()
    return result


def is_compiled(language: Language) -> bool:
    """Whether compiling makes a program to run; otherwise it only checks the syntax."""
    return not any(language.source_file in word for word in language.run_argv)


def run_of(result: JobResult) -> Run | None:
    """Return the run of a job with one input, or None if it was not run."""
    return result.runs[0] if result.runs else None


def text(output: bytes) -> str:
    """Return an output as text, with replacement characters for invalid UTF-8."""
    return output.decode("utf-8", "replace")


def timed_out(run: Run) -> bool:
    """Whether a time limit ended the run."""
    return run.limit in ("wall", "cpu")


def exit_status(run: Run) -> int:
    """Return the exit status as in a shell; it is not 0 for a run that a limit ended."""
    # Limits come first, since a run that a limit ended may also have a signal.
    if timed_out(run):
        return OUT_OF_TIME
    if run.limit == "memory":
        return OUT_OF_MEMORY
    if run.limit == "output" or run.stdout_cut or run.stderr_cut:
        return 153  # 128 + SIGXFSZ
    if run.signal:
        return 128 + run.signal
    return 1 if run.exit_code is None else run.exit_code


def reason(result: JobResult) -> str:
    """Return the reason of a verdict other than accepted in one line, or ""."""
    if result.verdict in (None, Verdict.ACCEPTED):
        return ""
    return ": ".join(filter(None, (str(result.verdict).replace("_", " "), result.reason)))


Value = TypeVar("Value")
ENTRY_BYTES = 1024  # an upper estimate of the memory of an entry without its value


class LRUCache(Generic[Value]):
    """A least-recently-used cache in memory.

    max_bytes bounds the total of the sizes that callers state and of ENTRY_BYTES for each entry.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def put(self, key: str, value: Value, size: int = 0) -> None:
        """Store a value of `size` bytes."""
        self.pop(key)
        self._entries[key] = (value, size + ENTRY_BYTES)
        self._bytes += size + ENTRY_BYTES
        while self._bytes > self._max_bytes:
            self._bytes -= self._entries.popitem(last=False)[1][1]

    def get(self, key: str) -> Value | None:
        """Return a value, or None if it was removed."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def pop(self, key: str) -> Value | None:
        """Remove and return a value, or return None if it was removed before."""
        value, size = self._entries.pop(key, (None, 0))
        self._bytes -= size
        return value


class Libraries:
    """Finds which libraries of a client's request are missing; it never installs any.

    A program runs regardless of the names. Only if it fails, a probe program looks for the
    libraries in the same sandbox, once for each set of names.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._missing: LRUCache[list[str]] = LRUCache(1 << 20)

    async def remark(self, result: JobResult, requested: Sequence[str]) -> str:
        """Return a remark on the missing libraries of a program that failed, or ""."""
        # Only the name in a requirement such as numpy==1.26, and at most 64 names.
        matches = (re.match(r"[@\w][\w./@-]*", name.strip()) for name in requested[:64])
        names = list(dict.fromkeys(match.group() for match in matches if match))
        missing = names and await self._find_missing(result.language, names)
        if not missing:
            return ""
        installed = [name for name in names if name not in missing]
        also = f"; installed are {', '.join(installed)}" if installed else ""
        return f"this server installs no libraries: {', '.join(missing)} not found{also}"

    async def _find_missing(self, language: str, names: list[str]) -> list[str]:
        probes = {
            "python": "python.py.txt",
            "javascript": "javascript.js.txt",
            "ruby": "ruby.rb.txt",
        }
        if language not in probes:
            return names  # the language has only its standard library
        key = "\n".join((language, *names))
        missing = self._missing.get(key)
        if missing is None:
            probe = (
                resources.files("venus_toolkit.server.compat") / "probes" / probes[language]
            ).read_text()
            limits = smaller(USUAL, self._service.settings.most)
            job = Job(language, probe, ("\n".join(names) + "\n",), limits=limits)
            result = await self._service.wait(await self._service.submit(job))
            installed = text(result.runs[0].stdout).split() if result.runs else []
            missing = [name for name in names if name not in installed]
            self._missing.put(key, missing, len(key))
        return missing
