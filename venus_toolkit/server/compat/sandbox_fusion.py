"""The protocol of SandboxFusion, for clients such as verl: POST /run_code, GET /v1/ping.

/run_jupyter refuses every request.

The status is Failed for a program that crashes, reaches a limit or does not compile. It is
SandboxError for a failure of the sandbox, and for an unsupported request: another language, files
to return, a notebook. Times are in seconds. Results also have cpu_time, peak_bytes and
integral_byte_ns; other clients ignore them.

verl gives up after compile_timeout + run_timeout + 10 s, and retries only after status 504. So the
server sends 504 shortly before, and if the queue is full; a client that repeats its request gets
the result of the running job.
"""

from __future__ import annotations

import contextlib
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from venus_toolkit.core.records import MIB, NS_PER_S, Run, Verdict, digest
from venus_toolkit.server.compat import protocol
from venus_toolkit.server.http_errors import ASCIIResponse, QueueFullError, UnknownJobError
from venus_toolkit.server.queue.jobs import Job, JobResult, JobState
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

GATEWAY_TIMEOUT = 504  # the only status after which verl retries
PATIENCE_S = 8.0  # added to the two timeouts; verl adds 10 s

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

WRITE_ELSEWHERE = "the working folder is read-only here: a program may write to /tmp"


class RunCodeRequest(BaseModel):
    """A request to run a program; memory_limit_MB is in MiB; 0 or less: the server's limit."""

    compile_timeout: Seconds = 10
    run_timeout: Seconds = 10
    memory_limit_MB: int = -1
    code: str
    stdin: str | None = None
    language: str
    files: dict[str, str | None] = {}
    fetch_files: list[str] = []


def complaint(body: RunCodeRequest) -> str:
    """Return the unsupported part of a request, or ""."""
    if body.language not in HERE:
        return f"the language {body.language} is not supported; expected one of {', '.join(HERE)}"
    if body.fetch_files:
        return f"a program leaves no files here: {', '.join(body.fetch_files)[:200]}"
    return ""


def job_of(body: RunCodeRequest, settings: Settings) -> Job:
    """Return the job of a request."""
    memory = body.memory_limit_MB * MIB if body.memory_limit_MB > 0 else None
    return protocol.job_for(
        settings,
        HERE[body.language],
        body.code,
        body.stdin,
        protocol.limits_of(settings, body.run_timeout, memory),
        files=tuple((path, content) for path, content in body.files.items() if content is not None),
        # At least 1, since 0 would mean the default limit.
        compile_wall_ns=round(
            min(body.compile_timeout, settings.most.wall_ns / NS_PER_S) * NS_PER_S
        )
        or 1,
    )


def response_of(result: JobResult, compiled: bool) -> dict[str, Any]:
    """Return the response for a job; `compiled`: whether its language is compiled."""
    if result.state != JobState.DONE:
        return failed(result.error or str(result.state))
    run, compiling = protocol.run_of(result), result.compile_run
    compile_result = (
        command_result(compiling, result.compile_log) if compiling and compiled else None
    )
    run_result = command_result(run) if run else None
    if not run and not compiled and compiling:  # the protocol reports it as the run
        run_result = command_result(compiling, result.compile_log)
    failing = result.verdict != Verdict.ACCEPTED
    # The kernel's message, which all languages repeat.
    refused = failing and run and "read-only file system" in protocol.text(run.stderr).lower()
    return {
        "status": "Failed" if failing else "Success",
        "message": WRITE_ELSEWHERE if refused else "",
        "compile_result": compile_result,
        "run_result": run_result,
        "executor_pod_name": None,
        "files": {},
    }


def command_result(run: Run, log: str | None = None) -> dict[str, Any]:
    """Return the response for one command; `log` (of a compiler) replaces its standard error."""
    late = protocol.timed_out(run)
    return {
        "status": "TimeLimitExceeded" if late else "Finished",
        "execution_time": run.wall_ns / NS_PER_S,
        "return_code": None if late else protocol.exit_status(run),
        "stdout": protocol.text(run.stdout) if log is None else "",
        "stderr": protocol.text(run.stderr) if log is None else log,
        "cpu_time": run.cpu_ns / NS_PER_S,
        "peak_bytes": run.peak_bytes,
        "integral_byte_ns": run.integral_byte_ns,
    }


def failed(message: str) -> dict[str, Any]:
    """Return the response if no program was run; it is not a verdict on the program."""
    nothing: dict[str, Any] = {
        "compile_result": None,
        "run_result": None,
        "executor_pod_name": None,
        "files": {},
    }
    return {"status": "SandboxError", "message": message, **nothing}


def router(service: Service) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["sandbox_fusion"], route_class=protocol.route_class(respond))
    # Jobs of clients that will retry; one that gives up leaves its entry behind.
    late_jobs: protocol.LRUCache[str] = protocol.LRUCache(4 * MIB)

    async def begin(key: str, job: Job) -> str:
        """Return the id of the job of a repeated request, or of a new job."""
        job_id = late_jobs.pop(key)
        if job_id:
            with contextlib.suppress(UnknownJobError):
                if (await service.get(job_id)).state != JobState.CANCELLED:
                    return job_id
        return await service.submit(job)

    @routes.post("/run_code", response_model=None)
    async def run_code(body: RunCodeRequest, request: Request) -> Response:
        """Run a program and return its result."""
        unsupported = complaint(body)
        elsewhere = (
            "python2", "python_gpu", "pytest", "go_test", "junit", "jest", "typescript", "react", "csharp", "gtest",
            "cuda", "php", "bash", "sql", "lua", "R", "perl", "D_ut", "scala", "julia", "kotlin_script", "verilog",
            "lean", "swift", "racket",
        )  # fmt: skip
        if body.language not in (*HERE, *elsewhere):
            # The original server responds like this, since FastAPI checks the name by a Literal.
            detail = [{"type": "literal_error", "loc": ["body", "language"], "msg": unsupported}]
            return ASCIIResponse({"detail": detail}, 422)
        if unsupported:
            return ASCIIResponse(failed(unsupported))
        key = digest(body.model_dump())
        language = service.languages.find(HERE[body.language])
        job_id = await begin(key, job_of(body, service.settings))
        patience_s = body.compile_timeout + body.run_timeout + PATIENCE_S
        result = await protocol.result_of(service, job_id, request, patience_s)
        if result.state.final:
            return ASCIIResponse(response_of(result, protocol.is_compiled(language)))
        late_jobs.put(key, job_id)
        message = "the program is still queued or running: send the same request again"
        return ASCIIResponse({"detail": message}, GATEWAY_TIMEOUT, {"Retry-After": "1"})

    @routes.post("/run_jupyter", response_model=None)
    async def run_jupyter() -> Response:
        """Refuse a notebook in the form of the protocol, so that clients show the reason."""
        content = failed("notebooks are not run here: send the program of all cells to /run_code")
        del content["compile_result"], content["run_result"]
        return ASCIIResponse({**content, "driver": None, "cells": []})

    @routes.get("/v1/ping")
    async def ping() -> str:
        """Answer."""
        return "pong"

    return routes


def respond(error: protocol.ProtocolError) -> Response:
    """Return an error in the form that SandboxFusion's clients expect."""
    status = GATEWAY_TIMEOUT if error.kind is QueueFullError else error.status
    return error.response(status, {"detail": error.details or error.message})
