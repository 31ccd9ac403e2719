"""The protocol of EffiBench-X: submit one or many, read, cancel.

As in that project, runtime is in ns, memory in kB of 1,024 bytes, and integral in MB·s with 1,000
such kB per MB. The number of a submission is the id of its job.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Response
from pydantic import BaseModel, Field

from venus_toolkit.core.records import KIB, MIB, NS_PER_S, Verdict
from venus_toolkit.server.compat import protocol
from venus_toolkit.server.http_errors import (
    ASCIIResponse,
    BadJobError,
    QueueFullError,
    UnknownJobError,
)
from venus_toolkit.server.queue.jobs import Job, JobResult, JobState
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings


class Submission(BaseModel):
    """A program; time_limit is in seconds, memory_limit in MiB; 0 or null: the server's limit."""

    code: str
    language: str
    libraries: list[str] | None = None
    stdin: str | None = None
    time_limit: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    memory_limit: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


def number_of(job_id: str) -> int:
    """Return a job's id as a number."""
    return int(job_id, 16)


def job_id_of(number: int) -> str:
    """Return the id of the job with a number; an invalid number gets an unknown id."""
    return f"{number:032x}" if 0 <= number < 1 << 128 else "none"  # service.py draws 16 bytes


def job_of(body: Submission, settings: Settings) -> Job:
    """Return the job of a request."""
    if not body.code.strip():
        raise BadJobError("No code provided.")
    if not body.language.strip():
        raise BadJobError("No language specified.")
    seconds = body.time_limit or settings.most.wall_ns / NS_PER_S
    memory = (
        round(min(settings.most.memory_bytes, body.memory_limit * MIB))
        if body.memory_limit
        else None
    )
    limits = protocol.limits_of(settings, seconds, memory)
    return protocol.job_for(settings, body.language, body.code, body.stdin, limits)


def response_of(result: JobResult) -> dict[str, Any]:
    """Return the state of a submission; unknown figures are None."""
    states = {
        JobState.QUEUED: "waiting",
        JobState.RUNNING: "processing",
        JobState.CANCELLED: "cancelled",
        JobState.FAILED: "error",
    }
    verdicts = {
        Verdict.ACCEPTED: "done",
        Verdict.TIME_LIMIT: "timeout",
        Verdict.MEMORY_LIMIT: "oom",
    }
    exit_codes = {"timeout": protocol.OUT_OF_TIME, "oom": protocol.OUT_OF_MEMORY}
    status = states.get(result.state) or verdicts.get(result.verdict or Verdict.ACCEPTED, "error")
    head = {"submission_id": number_of(result.job_id), "status": status}
    run = protocol.run_of(result)
    if run is None:
        ended = result.state == JobState.DONE  # done without a run: a compile error
        explanation = result.error or (
            f"{protocol.reason(result)}\n{result.compile_log}" if ended else None
        )
        figures = {"runtime": None, "memory": None, "integral": None}
        return {**head, "text": explanation, "exit_code": 1 if ended else None, **figures}
    output = protocol.text(run.stdout) + protocol.text(run.stderr)
    return {
        **head,
        "text": f"{protocol.reason(result)}\n{output}" if status in exit_codes else output,
        "exit_code": exit_codes.get(status, protocol.exit_status(run)),
        "runtime": run.wall_ns,
        "memory": run.peak_bytes / KIB,
        "integral": run.integral_byte_ns / (1000 * KIB * NS_PER_S),
    }


def respond(error: protocol.ProtocolError) -> Response:
    """Return an error in the form that EffiBench-X's clients expect.

    The status is 400 for a bad program; after 503, clients try another server.
    """
    if error.kind is UnknownJobError:
        return error.response(404, {"detail": "Submission not found."})
    if error.kind is BadJobError:
        return error.response(400, {"detail": error.message})
    status = 503 if error.kind is QueueFullError else error.status
    return error.response(status, {"detail": error.details or error.message})


def router(service: Service) -> APIRouter:
    """Return the routes."""
    handler = EffibenchHandler(service)
    routes = APIRouter(tags=["effibench"], route_class=protocol.route_class(respond))
    routes.add_api_route("/health", handler.health, methods=["GET"])
    routes.add_api_route("/submit", handler.submit, methods=["POST"])
    routes.add_api_route("/submit_batch", handler.submit_batch, methods=["POST"])
    routes.add_api_route("/submission/{number}", handler.read, methods=["GET"])
    routes.add_api_route("/submissions", handler.read_all, methods=["POST"])
    routes.add_api_route("/cancel/{number}", handler.cancel, methods=["POST"])
    return routes


class EffibenchHandler:
    """The handlers of the routes; remembers the libraries of each submission."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._libraries = protocol.Libraries(service)
        # Bounded, since a client may never fetch its result.
        self._named: protocol.LRUCache[list[str]] = protocol.LRUCache(4 * MIB)

    async def health(self) -> Response:
        """Report that the server answers, and the number of waiting jobs."""
        return ASCIIResponse({"status": "ok", "queue_size": self._service.status().queued})

    async def submit(self, body: Submission) -> Response:
        """Accept a program."""
        (number,) = await self._submit([body])
        return ASCIIResponse({"submission_id": number})

    async def submit_batch(
        self, requests: Annotated[list[Submission], Body(embed=True)]
    ) -> Response:
        """Accept many programs, all or none."""
        if not requests:
            raise BadJobError("No requests provided in the batch.")
        return ASCIIResponse({"submission_ids": await self._submit(requests)})

    async def read(self, number: int) -> Response:
        """Return the state of a submission."""
        return ASCIIResponse(await self._response(await self._service.get(job_id_of(number))))

    async def read_all(self, submission_ids: Annotated[list[int], Body(embed=True)]) -> Response:
        """Return the state of submissions, without unknown ones."""
        results = await self._service.get_all([job_id_of(number) for number in submission_ids])
        return ASCIIResponse(
            {"results": [await self._response(result) for result in results if result]}
        )

    async def cancel(self, number: int) -> Response:
        """Cancel a submission and return its status; a finished one stays finished."""
        result = await self._service.cancel(job_id_of(number))
        return ASCIIResponse({"submission_id": number, "status": response_of(result)["status"]})

    async def _submit(self, bodies: Sequence[Submission]) -> list[int]:
        jobs = [job_of(body, self._service.settings) for body in bodies]
        ids = await self._service.submit_all(jobs, [None] * len(jobs))
        for job_id, body in zip(ids, bodies, strict=True):
            if body.libraries:  # needed only if the program fails
                self._named.put(job_id, body.libraries, sum(map(len, body.libraries)))
        return [number_of(job_id) for job_id in ids]

    async def _response(self, result: JobResult) -> dict[str, Any]:
        """Return the state of a submission, with a note about missing libraries if it failed."""
        response = response_of(result)
        named = self._named.get(result.job_id)
        if not named or result.state != JobState.DONE or response["status"] == "done":
            return response
        remark = await self._libraries.remark(result, named)
        return {**response, "text": "\n".join(filter(None, (response["text"], remark)))}
