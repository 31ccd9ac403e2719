"""The protocols of the synchronous and the asynchronous Monolith, whose POST /execute differ.

``/monolith/sync/execute`` waits for the result and returns it, ``/monolith/async/execute`` answers
at once, and clients fetch the result from ``/results/ID``. A plain ``/execute`` is asynchronous if
the body has the flag ``run_memory_profile``, which only clients of the asynchronous server send,
and synchronous otherwise.

A kB is 1,024 bytes. peak_memory is in kB, integral in kB·ms, duration in ms, log has [ns since
1970, kB] pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import KIB, MIB, NS_PER_MS, NS_PER_S, Verdict
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

USUAL_S = 30.0  # the time limit of Monolith's own servers


class MonolithRequest(BaseModel):
    """A request to run a program."""

    code: str | None = None
    language: str | None = None
    libraries: list[str] | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = USUAL_S
    run_profiling: bool | None = False
    run_memory_profile: bool | None = False
    stdin: str | None = None

    @property
    def profiles(self) -> bool:
        """Whether the client requests samples of memory, by either name of the flag."""
        return bool(self.run_profiling or self.run_memory_profile)

    @property
    def meaning(self) -> Literal["sync", "async"]:
        """The server whose protocol the client speaks, by the fields of the request."""
        fields = self.model_fields_set
        asynchronous = "run_memory_profile" in fields and "run_profiling" not in fields
        return "async" if asynchronous else "sync"


def job_of(body: MonolithRequest, settings: Settings) -> Job:
    """Return the job of a request."""
    if not body.code:
        raise BadJobError("No code provided")
    if not body.language:
        raise BadJobError("No language provided")
    # The largest limits of Monolith's own servers: 120 s and 1,024 MiB.
    limits = protocol.limits_of(settings, min(body.timeout or USUAL_S, 120.0), 1024 * MIB)
    return protocol.job_for(
        settings, body.language, body.code, body.stdin, limits, profile=body.profiles
    )


def output_of(result: JobResult, profiled: bool, command: str | None) -> dict[str, Any]:
    """Return the ``output_dict`` of a finished job; empty texts are None in this protocol.

    Without samples it has ``time_v``, the known figures of ``/usr/bin/time -v``; `command` is the
    command of the program, or None if it was forgotten.
    """
    run = protocol.run_of(result)
    if run is None:
        errors = result.compile_log or None
        return {
            "stdout": None,
            "stderr": errors,
            "peak_memory": 0,
            "integral": 0,
            "duration": 0.0,
            "log": [],
        }
    peak_kb = round(run.peak_bytes / KIB)
    output: dict[str, Any] = {
        "stdout": protocol.text(run.stdout) or None,
        "stderr": protocol.text(run.stderr) or None,
        "peak_memory": peak_kb,
        "integral": round(run.integral_byte_ns / (KIB * NS_PER_MS)),
        "duration": run.wall_ns / NS_PER_MS,
        "log": [],  # only with samples
    }
    if profiled:
        # The exact start of the run is unknown, but the distances between its samples are exact.
        start_ns = (result.finished_ns or 0) - run.wall_ns
        return {**output, "log": [[start_ns + at, round(size / KIB)] for at, size in run.trace]}
    output["time_v"] = {
        "command": command,
        "user_time": run.user_ns / NS_PER_S,
        "system_time": run.system_ns / NS_PER_S,
        "cpu_percent": round(100 * run.cpu_ns / run.wall_ns) if run.wall_ns else 0,
        "elapsed_time_seconds": run.wall_ns / NS_PER_S,
        "max_resident_set_kb": peak_kb,
        "minor_page_faults": run.minor_faults,
        "major_page_faults": run.major_faults,
        "voluntary_context_switches": run.voluntary_switches,
        "involuntary_context_switches": run.involuntary_switches,
        "exit_status": protocol.exit_status(run),
    }
    return output


def command_of(job: Job, language: Language) -> str:
    """Return the run command of a job in one line."""
    return " ".join(language.argv("run", job.limits, job.code))


def system_memory(file: Path = Path("/proc/meminfo")) -> dict[str, float]:
    """Return the memory of this machine in GiB, and the percentage that is not available."""
    fields = dict(line.split(":", 1) for line in file.read_text().splitlines())
    # kB to GiB
    total, available = (int(fields[name].split()[0]) / MIB for name in ("MemTotal", "MemAvailable"))
    used = total - available
    return {
        "total": total,
        "used_gb": used,
        "available": available,
        "percent": round(100 * used / total, 1),
    }


def status_of(result: JobResult, well: str) -> str:
    """Return ``timeout``, ``error``, or `well` if the program exited with 0 within its limits."""
    if result.state == JobState.DONE and result.verdict == Verdict.ACCEPTED:
        return well
    run = protocol.run_of(result)
    return "timeout" if run and protocol.timed_out(run) else "error"


def router(service: Service) -> APIRouter:
    """Return the routes: plain ones, and others with a prefix for each server."""
    handler = MonolithHandler(service)
    routes = APIRouter(tags=["monolith"], route_class=protocol.route_class(respond))
    routes.add_api_route("/execute", handler.execute, methods=["POST"], name="monolith: either")
    routes.add_api_route("/monolith/sync/execute", handler.execute_now, methods=["POST"])
    routes.add_api_route("/monolith/async/execute", handler.execute_later, methods=["POST"])
    for prefix in ("", "/monolith/sync", "/monolith/async"):
        routes.add_api_route(f"{prefix}/results/{{task_id}}", handler.results, methods=["GET"])
        routes.add_api_route(f"{prefix}/status", handler.status, methods=["GET"])
        routes.add_api_route(f"{prefix}/clean/{{number}}", handler.clean, methods=["DELETE"])
    for prefix in ("/monolith/sync", "/monolith/async"):
        routes.add_api_route(
            f"{prefix}/",
            lambda: RedirectResponse("/", 302),
            methods=["GET"],
            include_in_schema=False,
        )
    return routes


def respond(error: protocol.ProtocolError) -> Response:
    """Return an error in the form that Monolith's clients expect."""
    if error.kind is QueueFullError:
        return error.response(
            503, {"task_id": None, "status": "error", "error": "Task queue is full"}
        )
    message = "Task not found" if error.kind is UnknownJobError else error.message
    status = 400 if error.status == BadJobError.status else error.status
    return error.response(status, {"status": "error", "error": message})


class MonolithHandler:
    """The handlers of the routes."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._libraries = protocol.Libraries(service)
        # Responses repeat the request.
        self._bodies: protocol.LRUCache[MonolithRequest] = protocol.LRUCache(16 * MIB)

    async def execute(self, body: MonolithRequest, request: Request) -> Response:
        """Run a program: at once, or later for clients of the asynchronous server."""
        return await (
            self.execute_now(body, request) if body.meaning == "sync" else self.execute_later(body)
        )

    async def execute_now(self, body: MonolithRequest, request: Request) -> Response:
        """Run a program and return its result."""
        job = job_of(body, self._service.settings)
        job_id = await self._service.submit(job)
        result = await protocol.result_of(self._service, job_id, request)
        if result.state != JobState.DONE:
            failure = result.error or str(result.state)
            content = {"task_id": job_id, "output_dict": None, "status": "error", "error": failure}
            return ASCIIResponse(content, 500)
        output = output_of(
            result, body.profiles, command_of(job, self._service.languages.all[result.language])
        )
        status, error = status_of(result, "success"), await self._explain(result, body)
        return ASCIIResponse(
            {"task_id": job_id, "output_dict": output, "status": status, "error": error}
        )

    async def execute_later(self, body: MonolithRequest) -> Response:
        """Accept a program to run later."""
        task_id = await self._service.submit(job_of(body, self._service.settings))
        self._bodies.put(task_id, body, len(body.code or "") + len(body.stdin or ""))
        return ASCIIResponse({"task_id": task_id, "status": "processing", "error": None})

    async def results(self, task_id: str) -> Response:
        """Return the result of a program; clients may fetch it repeatedly until it is removed."""
        result = await self._service.get(task_id)
        body = self._bodies.get(task_id)  # the body may be forgotten
        ended = result.started_ns is not None and result.finished_ns is not None
        output: dict[str, Any] | None = None
        if result.state == JobState.DONE:
            run, request = protocol.run_of(result), body or MonolithRequest()
            # If the body was forgotten, the trace still shows that samples were requested.
            profiled = request.profiles or bool(run and run.trace)
            language = self._service.languages.all[result.language]
            command = command_of(job_of(body, self._service.settings), language) if body else None
            output = output_of(result, profiled, command)
            error = await self._explain(result, request)
            output |= {"error": error} if error else {}
        elif result.state.final:
            output = {"error": result.error or str(result.state)}
        content = {
            "task_id": task_id,
            "input_dict": body and body.model_dump(exclude_unset=True),
            "worker_id": result.worker,
            "timestamp": (result.started_ns or result.submitted_ns or 0) / NS_PER_S,
            "process_time": ((result.finished_ns or 0) - (result.started_ns or 0)) / NS_PER_S
            if ended
            else None,
            "status": status_of(result, "done") if result.state.final else "processing",
            "output_dict": output,
        }
        return ASCIIResponse(content)

    async def _explain(self, result: JobResult, body: MonolithRequest) -> str | None:
        """Return the reason of a verdict other than accepted, and the missing libraries."""
        if result.verdict == Verdict.ACCEPTED:
            return None
        remark = await self._libraries.remark(result, body.libraries or [])
        return "; ".join(filter(None, (protocol.reason(result), remark)))

    async def status(self) -> Response:
        """Return the load of the server."""
        status = self._service.status()
        content = {
            "max_queue_size": status.queue_jobs,
            "current_queue_size": status.queued,
            "max_result_cache_size": None,  # results are bounded by time here
            "current_result_cache_size": None,
            "number_of_worker": len(status.workers),
            "worker_status": [not busy for busy in status.workers],  # true is idle in this protocol
            "memory_usage": system_memory(),
        }
        return ASCIIResponse(content)

    async def clean(self, number: int) -> Response:
        """Do nothing: results are removed after a fixed time, read or not."""
        return ASCIIResponse({"status": "success", "error": None, "cleaned": 0})
