"""The protocol of Monolith, of its synchronous and of its asynchronous server, whose POST /execute differ.

``/monolith/sync/execute`` waits and answers with the result, ``/monolith/async/execute`` answers at once and the result
is fetched from ``/results/ID``. A plain ``/execute`` is asynchronous if the flag in the body is the one that only
clients of the asynchronous server send, ``run_memory_profile``, and synchronous otherwise.

A kB is 1 024 bytes. peak_memory is in kB, integral in kB·ms, duration in ms, log has [ns since 1970, kB] pairs.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from venus_toolkit.language import Language
from venus_toolkit.records import KIB, MIB, NS_PER_MS, NS_PER_S, Run, Verdict
from venus_toolkit.server.compat.lately import Lately
from venus_toolkit.server.compat.libraries import Libraries
from venus_toolkit.server.compat.memory import system_memory
from venus_toolkit.server.compat.outcome import exit_status, limits_of, reason, run_of, text, timed_out
from venus_toolkit.server.compat.talk import Trouble, answer, result_of, speaking
from venus_toolkit.server.jobs import Job, JobResult, State
from venus_toolkit.server.refusals import BadJobError, QueueFullError, UnknownJobError
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

MEMORY_BYTES = 1024 * MIB
MOST_S = 120.0
USUAL_S = 30.0
KEPT_BYTES = 16 * MIB
KB_MS = KIB * NS_PER_MS

Meaning = Literal["sync", "async"]


class Body(BaseModel):
    """What a client asks for."""

    code: str | None = None
    language: str | None = None
    libraries: list[str] | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = USUAL_S
    run_profiling: bool | None = False
    run_memory_profile: bool | None = False
    stdin: str | None = None

    @property
    def profiles(self) -> bool:
        """Whether it wants samples of memory, by either name of the flag."""
        return bool(self.run_profiling or self.run_memory_profile)

    @property
    def meaning(self) -> Meaning:
        """Whose client it is, where the address does not say so."""
        given = self.model_fields_set
        return "async" if "run_memory_profile" in given and "run_profiling" not in given else "sync"


# ------------------------------------------------------------------ bodies to jobs, results to answers


def job_of(body: Body, settings: Settings) -> Job:
    """Return the job that a body asks for.

    Raises:
        BadJobError: It has no code or no language.
    """
    if not body.code:
        raise BadJobError("No code provided")
    if not body.language:
        raise BadJobError("No language provided")
    seconds = min(body.timeout or USUAL_S, MOST_S)
    return Job(
        body.language,
        body.code,
        (body.stdin or "",),
        limits=limits_of(settings, seconds, MEMORY_BYTES),
        profile=body.profiles,
        shown_bytes=settings.shown_bytes,
    )


def output_of(result: JobResult, language: Language, profiled: bool) -> dict[str, Any]:
    """Return the ``output_dict`` of a job that was done: what is empty is None, as this protocol has it."""
    run = run_of(result)
    if run is None:
        said = result.compile_log or None
        return {"stdout": None, "stderr": said, "peak_memory": 0, "integral": 0, "duration": 0.0, "log": []}
    output: dict[str, Any] = {
        "stdout": text(run.stdout) or None,
        "stderr": text(run.stderr) or None,
        "peak_memory": round(run.peak_bytes / KIB),
        "integral": round(run.integral_byte_ns / KB_MS),
        "duration": run.wall_ns / NS_PER_MS,
        "log": _log(result, run) if profiled else [],
    }
    return output if profiled else {**output, "time_v": _time_v(run, language)}


def _log(result: JobResult, run: Run) -> list[list[int]]:
    """Return the samples; when exactly the run began is not known, how far they are apart is."""
    start = (result.finished_ns or 0) - run.wall_ns
    return [[start + at, round(size / KIB)] for at, size in run.trace]


def _time_v(run: Run, language: Language) -> dict[str, Any]:
    """Return what ``/usr/bin/time -v`` would have printed, as far as it is known."""
    return {
        "command": " ".join(language.run_argv),
        "user_time": run.user_ns / NS_PER_S,
        "system_time": run.system_ns / NS_PER_S,
        "cpu_percent": round(100 * run.cpu_ns / run.wall_ns) if run.wall_ns else 0,
        "elapsed_time_seconds": run.wall_ns / NS_PER_S,
        "max_resident_set_kb": round(run.peak_bytes / KIB),
        "minor_page_faults": run.minor_faults,
        "major_page_faults": run.major_faults,
        "voluntary_context_switches": run.voluntary_switches,
        "involuntary_context_switches": run.involuntary_switches,
        "exit_status": exit_status(run),
    }


def status_of(result: JobResult, well: str) -> str:
    """Return ``timeout``, ``error``, or `well` if the program ended by itself with exit code 0, in its limits."""
    if result.state == State.DONE and result.verdict == Verdict.ACCEPTED:
        return well
    run = run_of(result)
    return "timeout" if run and timed_out(run) else "error"


# ------------------------------------------------------------------ routes


def router(service: Service) -> APIRouter:
    """Return the routes: at the top, and below an address for each meaning."""
    desk = Desk(service)
    routes = APIRouter(tags=["monolith"], route_class=speaking(complain))
    routes.add_api_route("/execute", desk.execute, methods=["POST"], name="monolith: either")
    routes.add_api_route("/monolith/sync/execute", desk.execute_now, methods=["POST"])
    routes.add_api_route("/monolith/async/execute", desk.execute_later, methods=["POST"])
    for prefix in ("", "/monolith/sync", "/monolith/async"):
        routes.add_api_route(f"{prefix}/results/{{task_id}}", desk.results, methods=["GET"])
        routes.add_api_route(f"{prefix}/status", desk.status, methods=["GET"])
        routes.add_api_route(f"{prefix}/clean/{{number}}", desk.clean, methods=["DELETE"])
    for prefix in ("/monolith/sync", "/monolith/async"):
        routes.add_api_route(f"{prefix}/", lambda: RedirectResponse("/", 302), methods=["GET"])
    return routes


def complain(trouble: Trouble) -> Response:
    """Return an error as Monolith's clients expect it."""
    if trouble.kind is QueueFullError:
        content = {"task_id": None, "status": "error", "error": "Task queue is full"}
        return answer(503, content, trouble.retry_after_s)
    message = "Task not found" if trouble.kind is UnknownJobError else trouble.message
    status = 400 if trouble.status == BadJobError.status else trouble.status
    return answer(status, {"status": "error", "error": message}, trouble.retry_after_s)


class Desk:
    """What the routes do."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._libraries = Libraries(service)
        self._bodies: Lately[Body] = Lately(KEPT_BYTES)  # results repeat them

    async def execute(self, body: Body, request: Request) -> Response:
        """Run a program: at once, or later if ``run_memory_profile`` is the flag."""
        return await (self.execute_now(body, request) if body.meaning == "sync" else self.execute_later(body))

    async def execute_now(self, body: Body, request: Request) -> Response:
        """Run a program and return its result."""
        result = await result_of(self._service, job_of(body, self._service.settings), request)
        if result.state != State.DONE:
            error = result.error or str(result.state)
            return answer(500, {"task_id": result.job_id, "output_dict": None, "status": "error", "error": error})
        status = status_of(result, "success")
        content = {
            "task_id": result.job_id,
            "output_dict": self._output(result, body.profiles),
            "status": status,
            "error": await self._why(result, body),
        }
        return answer(200, content)

    async def execute_later(self, body: Body) -> Response:
        """Take a program, to be run later."""
        task_id = await self._service.submit(job_of(body, self._service.settings))
        self._bodies.keep(task_id, body, len(body.code or "") + len(body.stdin or ""))
        return answer(200, {"task_id": task_id, "status": "processing", "error": None})

    async def results(self, task_id: str) -> Response:
        """Return what became of a program, as often as it is asked until it is forgotten."""
        result = await self._service.get(task_id)
        body = self._bodies.find(task_id)
        content = {
            "task_id": task_id,
            "input_dict": body and body.model_dump(exclude_unset=True),
            "worker_id": result.worker,
            "timestamp": (result.started_ns or result.submitted_ns or 0) / NS_PER_S,
            "process_time": _seconds(result),
            "status": status_of(result, "done") if result.state.final else "processing",
            "output_dict": await self._outcome(result, body or Body()) if result.state.final else None,
        }
        return answer(200, content)

    async def _outcome(self, result: JobResult, body: Body) -> dict[str, Any]:
        if result.state != State.DONE:
            return {"error": result.error or str(result.state)}
        run = run_of(result)
        output = self._output(result, body.profiles or bool(run and run.trace))
        error = await self._why(result, body)
        return {**output, "error": error} if error else output

    def _output(self, result: JobResult, profiled: bool) -> dict[str, Any]:
        return output_of(result, self._service.tongues.all[result.language], profiled)

    async def _why(self, result: JobResult, body: Body) -> str | None:
        """Return why a program did not end well, and whether it may be because of what it lacks."""
        if result.verdict == Verdict.ACCEPTED:
            return None
        remark = await self._libraries.remark(result, body.libraries or [])
        return "; ".join(filter(None, (reason(result), remark)))

    async def status(self) -> Response:
        """Return how busy the server is."""
        status = self._service.status()
        content = {
            "max_queue_size": status.queue_jobs,
            "current_queue_size": status.queued,
            "max_result_cache_size": None,
            "current_result_cache_size": None,
            "number_of_worker": len(status.workers),
            "worker_status": [not busy for busy in status.workers],
            "memory_usage": system_memory()._asdict(),
        }
        return answer(200, content)

    async def clean(self, number: int) -> Response:
        """Do nothing: results go when their time is over, and not before somebody has read them."""
        return answer(200, {"status": "success", "error": None, "cleaned": 0})


def _seconds(result: JobResult) -> float | None:
    if result.started_ns is None or result.finished_ns is None:
        return None
    return (result.finished_ns - result.started_ns) / NS_PER_S
