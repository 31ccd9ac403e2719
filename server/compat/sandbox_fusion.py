"""The protocol of SandboxFusion, as verl and others speak it: POST /run_code, GET /v1/ping.

A program that crashes, is ended by a limit or does not compile has the status Failed; SandboxError is the sandbox's
own failure, or what this server cannot do (other languages, files that a program leaves). Times are in seconds. To each
result it adds cpu_time, peak_bytes and integral_byte_ns, which clients leave alone that do not know them.

verl gives up after compile_timeout + run_timeout + 10 s and tries again only where it gets 504. So that is the answer
shortly before, and to a full queue; who then asks the same again gets the result of the job that is already under way.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from venus_toolkit.records import MIB, NS_PER_S, Run, Verdict, digest
from venus_toolkit.server.compat.lately import Lately
from venus_toolkit.server.compat.outcome import exit_status, is_compiled, limits_of, run_of, text, timed_out
from venus_toolkit.server.compat.talk import GoneError, Trouble, answer, speaking, waited
from venus_toolkit.server.jobs import Job, JobResult, State
from venus_toolkit.server.refusals import ClosingError, QueueFullError, UnknownJobError
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

GATEWAY_TIMEOUT = 504
PATIENCE_S = 8.0  # verl adds 10
LATE_BYTES = 4 * MIB

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


HERE = {
    "python": "python",
    "nodejs": "javascript",
    "ruby": "ruby",
    "cpp": "cpp",
    "go": "go",
    "java": "java",
    "rust": "rust",
}
ELSEWHERE = (
    *("python2", "python_gpu", "pytest", "go_test", "junit", "jest", "typescript", "react", "csharp", "gtest", "cuda"),
    *("php", "bash", "sql", "lua", "R", "perl", "D_ut", "scala", "julia", "kotlin_script", "verilog", "lean", "swift"),
    "racket",
)


class Body(BaseModel):
    """What a client asks for; memory_limit_MB is in MiB, and none where it is not positive."""

    compile_timeout: Seconds = 10
    run_timeout: Seconds = 10
    memory_limit_MB: int = -1
    code: str
    stdin: str | None = None
    language: str
    files: dict[str, str | None] = {}
    fetch_files: list[str] = []


# ------------------------------------------------------------------ bodies to jobs, results to answers


def complaint(body: Body) -> str:
    """Return what of a body this server cannot do, or ""."""
    if body.language not in HERE:
        return f"the language {body.language} is not here; known are {', '.join(HERE)}"
    if body.fetch_files:
        return f"a program leaves no files here: {', '.join(body.fetch_files)[:200]}"
    return ""


def job_of(body: Body, settings: Settings) -> Job:
    """Return the job that a body asks for."""
    memory = body.memory_limit_MB * MIB if body.memory_limit_MB > 0 else None
    return Job(
        HERE[body.language],
        body.code,
        (body.stdin or "",),
        files=tuple((path, content) for path, content in body.files.items() if content is not None),
        limits=limits_of(settings, body.run_timeout, memory),
        compile_wall_ns=round(min(body.compile_timeout, settings.most.wall_ns / NS_PER_S) * NS_PER_S) or 1,
        shown_bytes=settings.shown_bytes,
    )


def response_of(result: JobResult, compiled: bool) -> dict[str, Any]:
    """Return what became of a job; `compiled` says whether the protocol has a compilation of its language."""
    if result.state != State.DONE:
        return failed(result.error or str(result.state))
    run, compiling = run_of(result), result.compile_run
    compile_result = command_result(compiling, result.compile_log) if compiling and compiled else None
    run_result = command_result(run) if run else None
    if not run and not compiled and compiling:  # a check of the syntax is part of the run there
        run_result = command_result(compiling, result.compile_log)
    return {
        "status": "Success" if result.verdict == Verdict.ACCEPTED else "Failed",
        "message": "",
        "compile_result": compile_result,
        "run_result": run_result,
        "executor_pod_name": None,
        "files": {},
    }


def command_result(run: Run, said: str | None = None) -> dict[str, Any]:
    """Return what became of one command; `said` replaces its errors (a compiler's log)."""
    late = timed_out(run)
    return {
        "status": "TimeLimitExceeded" if late else "Finished",
        "execution_time": run.wall_ns / NS_PER_S,
        "return_code": None if late else exit_status(run),
        "stdout": text(run.stdout) if said is None else "",
        "stderr": text(run.stderr) if said is None else said,
        "cpu_time": run.cpu_ns / NS_PER_S,
        "peak_bytes": run.peak_bytes,
        "integral_byte_ns": run.integral_byte_ns,
    }


def failed(message: str) -> dict[str, Any]:
    """Return the answer that says that no program was run: nothing is said about it."""
    nothing: dict[str, Any] = {"compile_result": None, "run_result": None, "executor_pod_name": None, "files": {}}
    return {"status": "SandboxError", "message": message, **nothing}


# ------------------------------------------------------------------ routes


def router(service: Service) -> APIRouter:
    """Return the routes."""
    desk = Desk(service)
    routes = APIRouter(tags=["sandbox_fusion"], route_class=speaking(complain))
    routes.add_api_route("/run_code", desk.run_code, methods=["POST"])
    routes.add_api_route("/v1/ping", ping, methods=["GET"])
    return routes


def complain(trouble: Trouble) -> Response:
    """Return an error as SandboxFusion's clients expect it."""
    status = GATEWAY_TIMEOUT if trouble.kind is QueueFullError else trouble.status
    return answer(status, {"detail": trouble.details or trouble.message}, trouble.retry_after_s)


async def ping() -> str:
    """Say that the server is there."""
    return "pong"


class Desk:
    """What the routes do; remembers the jobs whose clients were told to come again."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._late: Lately[str] = Lately(LATE_BYTES)

    async def run_code(self, body: Body, request: Request) -> Response:
        """Run a program and return what became of it."""
        if body.language not in HERE and body.language not in ELSEWHERE:
            detail = [{"type": "literal_error", "loc": ["body", "language"], "msg": complaint(body)}]
            return answer(422, {"detail": detail})
        if said := complaint(body):
            return answer(200, failed(said))
        name = digest(body.model_dump())
        language = self._service.tongues.find(HERE[body.language])
        job_id = await self._begun(name, job_of(body, self._service.settings))
        try:
            patience = body.compile_timeout + body.run_timeout + PATIENCE_S
            result = await waited(self._service, job_id, request, patience)
        except (GoneError, ClosingError):
            await self._service.cancel(job_id)
            raise
        if not result.state.final:
            self._late.keep(name, job_id)
            return answer(GATEWAY_TIMEOUT, {"detail": "your program waits for its turn: send the same again"}, 1)
        return answer(200, response_of(result, is_compiled(language)))

    async def _begun(self, name: str, job: Job) -> str:
        """Return the id of a job, of the one already begun for somebody who comes again."""
        job_id = self._late.take(name)
        if job_id:
            try:
                if (await self._service.get(job_id)).state != State.CANCELLED:
                    return job_id
            except UnknownJobError:
                pass
        return await self._service.submit(job)
