"""The protocol of EffiBench-X: submit one or many, read, cancel.

runtime is in ns, memory in kB of 1 024 bytes, and integral in MB·s of 1 000 such kB, as that project computes it. The
number of a submission is the id of its job.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from venus_toolkit.records import KIB, MIB, NS_PER_S, Verdict
from venus_toolkit.server.compat.lately import Lately
from venus_toolkit.server.compat.libraries import Libraries
from venus_toolkit.server.compat.outcome import (
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    exit_status,
    limits_of,
    reason,
    run_of,
    text,
)
from venus_toolkit.server.compat.talk import Trouble, answer, speaking
from venus_toolkit.server.jobs import Job, JobResult, State
from venus_toolkit.server.refusals import BadJobError, QueueFullError, UnknownJobError
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

MB_S = 1000 * KIB * NS_PER_S
ID_BITS = 128
KEPT_BYTES = 4 * MIB


class Body(BaseModel):
    """A program; time_limit is in seconds, memory_limit in MiB, and 0 or null is no limit but the server's."""

    code: str
    language: str
    libraries: list[str] | None = None
    stdin: str | None = None
    time_limit: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    memory_limit: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class Batch(BaseModel):
    """Many programs."""

    requests: list[Body]


class Wanted(BaseModel):
    """Submissions that are asked about."""

    submission_ids: list[int]


# ------------------------------------------------------------------ numbers, bodies to jobs, results to answers


def number_of(job_id: str) -> int:
    """Return a job's id as a number."""
    return int(job_id, 16)


def job_id_of(number: int) -> str:
    """Return the id of the job with a number; of a number that no job can have, one that no job has."""
    return f"{number:032x}" if 0 <= number < 1 << ID_BITS else "none"


def job_of(body: Body, settings: Settings) -> Job:
    """Return the job that a body asks for.

    Raises:
        BadJobError: It has no code or no language.
    """
    if not body.code.strip():
        raise BadJobError("No code provided.")
    if not body.language.strip():
        raise BadJobError("No language specified.")
    return Job(
        body.language,
        body.code,
        (body.stdin or "",),
        limits=limits_of(
            settings,
            body.time_limit or settings.most.wall_ns / NS_PER_S,
            round(body.memory_limit * MIB) if body.memory_limit else None,
        ),
        shown_bytes=settings.shown_bytes,
    )


STATES = {State.QUEUED: "waiting", State.RUNNING: "processing", State.CANCELLED: "cancelled", State.FAILED: "error"}
VERDICTS = {Verdict.ACCEPTED: "done", Verdict.TIME_LIMIT: "timeout", Verdict.MEMORY_LIMIT: "oom"}
STATUSES = {"timeout": OUT_OF_TIME, "oom": OUT_OF_MEMORY}


def response_of(result: JobResult) -> dict[str, Any]:
    """Return what there is to say of a submission; what is not known is None."""
    status = STATES.get(result.state) or VERDICTS.get(result.verdict or Verdict.ACCEPTED, "error")
    run = run_of(result)
    if run is None:
        ended = result.state == State.DONE
        said = result.error or (f"{reason(result)}\n{result.compile_log}" if ended else None)
        figures = {"runtime": None, "memory": None, "integral": None}
        return {**_head(result, status), "text": said, "exit_code": 1 if ended else None, **figures}
    output = text(run.stdout) + text(run.stderr)
    return {
        **_head(result, status),
        "text": f"{reason(result)}\n{output}" if status in STATUSES else output,
        "exit_code": STATUSES.get(status, exit_status(run)),
        "runtime": run.wall_ns,
        "memory": run.peak_bytes / KIB,
        "integral": run.integral_byte_ns / MB_S,
    }


def _head(result: JobResult, status: str) -> dict[str, Any]:
    return {"submission_id": number_of(result.job_id), "status": status}


# ------------------------------------------------------------------ routes


def router(service: Service) -> APIRouter:
    """Return the routes."""
    desk = Desk(service)
    routes = APIRouter(tags=["effibench"], route_class=speaking(complain))
    routes.add_api_route("/health", desk.health, methods=["GET"])
    routes.add_api_route("/submit", desk.submit, methods=["POST"])
    routes.add_api_route("/submit_batch", desk.submit_batch, methods=["POST"])
    routes.add_api_route("/submission/{number}", desk.read, methods=["GET"])
    routes.add_api_route("/submissions", desk.read_all, methods=["POST"])
    routes.add_api_route("/cancel/{number}", desk.cancel, methods=["POST"])
    return routes


def complain(trouble: Trouble) -> Response:
    """Return an error as EffiBench-X's clients expect it: 400 for a bad program, 503 to go to another server."""
    if trouble.kind is UnknownJobError:
        return answer(404, {"detail": "Submission not found."})
    if trouble.kind is BadJobError:
        return answer(400, {"detail": trouble.message})
    status = 503 if trouble.kind is QueueFullError else trouble.status
    return answer(status, {"detail": trouble.details or trouble.message}, trouble.retry_after_s)


class Desk:
    """What the routes do."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._libraries = Libraries(service)
        self._named: Lately[list[str]] = Lately(KEPT_BYTES)

    async def health(self) -> Response:
        """Say that the server is there, and how much waits."""
        return answer(200, {"status": "ok", "queue_size": self._service.status().queued})

    async def submit(self, body: Body) -> Response:
        """Take a program."""
        job_id = await self._service.submit(job_of(body, self._service.settings))
        self._keep(job_id, body)
        return answer(200, {"submission_id": number_of(job_id)})

    async def submit_batch(self, batch: Batch) -> Response:
        """Take many programs, all or none."""
        if not batch.requests:
            raise BadJobError("No requests provided in the batch.")
        jobs = [job_of(body, self._service.settings) for body in batch.requests]
        ids = await self._service.submit_all(jobs, [None] * len(jobs))
        for job_id, body in zip(ids, batch.requests, strict=True):
            self._keep(job_id, body)
        return answer(200, {"submission_ids": [number_of(each) for each in ids]})

    async def read(self, number: int) -> Response:
        """Return what became of a submission."""
        return answer(200, await self._response(await self._service.get(job_id_of(number))))

    async def read_all(self, wanted: Wanted) -> Response:
        """Return what became of submissions; those that are not known are left out."""
        found = await self._service.get_all([job_id_of(each) for each in wanted.submission_ids])
        return answer(200, {"results": [await self._response(result) for result in found if result]})

    async def cancel(self, number: int) -> Response:
        """Cancel a submission, and say where it is now: one that was finished stays so."""
        result = await self._service.cancel(job_id_of(number))
        return answer(200, {"submission_id": number, "status": response_of(result)["status"]})

    def _keep(self, job_id: str, body: Body) -> None:
        if body.libraries:
            self._named.keep(job_id, body.libraries, sum(map(len, body.libraries)))

    async def _response(self, result: JobResult) -> dict[str, Any]:
        """Return what became of a submission, and whether it may be because of what it lacks."""
        response = response_of(result)
        named = self._named.find(result.job_id)
        if not named or result.state != State.DONE or response["status"] == "done":
            return response
        remark = await self._libraries.remark(result, named)
        return {**response, "text": "\n".join(filter(None, (response["text"], remark)))}
