"""The protocol of piston: POST /api/v2/execute, GET /api/v2/runtimes.

Times are in milliseconds, memory in bytes, and -1 is no limit but the server's. The status of a stage is null, TO
(time), OL and EL (too much output or errors), SG (a signal) or RE (another exit code than 0). Where the sandbox fails
the answer is HTTP 500.
"""

from __future__ import annotations

import base64
import re
import signal
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from venus_toolkit.records import NS_PER_MS, Run
from venus_toolkit.server.compat.outcome import (
    OUT_OF_MEMORY,
    exit_status,
    is_compiled,
    limits_of,
    run_of,
    text,
    timed_out,
)
from venus_toolkit.server.compat.talk import Trouble, answer, result_of, speaking
from venus_toolkit.server.jobs import Job, JobResult, State
from venus_toolkit.server.refusals import BadJobError
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings
from venus_toolkit.server.tongues import Tongues

MS_PER_S = 1000
OTHERS = re.compile(r"(?P<sign>\^|~|>=|)\s*v?(?P<numbers>\d+(\.(\d+|[xX*]))*)|[xX*]")

Milliseconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class File(BaseModel):
    """A file; the first one is the program, the others lie beside it."""

    name: str | None = None
    content: str
    encoding: Literal["utf8", "base64", "hex"] = "utf8"


class Body(BaseModel):
    """What a client asks for."""

    model_config = ConfigDict(strict=True)

    language: Annotated[str, Field(min_length=1)]
    version: Annotated[str, Field(min_length=1)]
    files: Annotated[list[File], Field(min_length=1)]
    stdin: str | None = ""
    args: list[str] | None = None
    compile_timeout: Milliseconds | None = 10_000
    run_timeout: Milliseconds | None = 3_000
    compile_cpu_time: Milliseconds | None = None
    run_cpu_time: Milliseconds | None = None
    compile_memory_limit: int | None = -1
    run_memory_limit: int | None = -1


# ------------------------------------------------------------------ versions


def version_of(said: str) -> str:
    """Return the version in what a tool says of itself, as three numbers; 0.0.0 where there is none."""
    found = re.search(r"\d+(\.\d+)+|\d+", said)
    numbers = found.group().split(".") if found else []
    return ".".join([*numbers, "0", "0", "0"][:3])


def suits(version: str, wanted: str) -> bool:
    """Whether a version is among those that are wanted: ``*``, ``3``, ``3.x``, ``^3.9``, ``~3.11.1``, ``>=3.10``."""
    found = OTHERS.fullmatch(wanted.strip())
    if not found:
        return False
    if not found["numbers"]:
        return True
    given = [int(part) for part in found["numbers"].split(".") if part.isdigit()]
    here = [int(part) for part in version.split(".")]
    fixed = {"": len(given), "^": 1, "~": min(2, len(given)), ">=": 0}[found["sign"]]
    return here[:fixed] == given[:fixed] and (not found["sign"] or here >= given)


# ------------------------------------------------------------------ bodies to jobs, results to answers


def job_of(body: Body, settings: Settings, tongues: Tongues) -> Job:
    """Return the job that a body asks for.

    Raises:
        BadJobError: It asks for what there is not, or for more than is allowed.
    """
    language = tongues.find(body.language)
    if not suits(version_of(tongues.versions[language.id]), body.version):
        raise BadJobError(f"{body.language}-{body.version} runtime is unknown")
    if body.args:
        raise BadJobError("args cannot be given", "a program reads standard input here")
    _check_times(body, settings)
    run_ms = min(filter(None, (body.run_timeout, body.run_cpu_time)), default=3_000.0)
    compile_ms = min(filter(None, (body.compile_timeout, body.compile_cpu_time)), default=10_000.0)
    return Job(
        language.id,
        _text(body.files[0]),
        (body.stdin or "",),
        files=tuple((file.name or f"file{at}.code", _encoded(file, at)) for at, file in enumerate(body.files[1:], 1)),
        limits=limits_of(settings, run_ms / MS_PER_S, _bytes(body.run_memory_limit)),
        compile_wall_ns=round(compile_ms * NS_PER_MS) or 1,
        compile_memory_bytes=_bytes(body.compile_memory_limit),
        shown_bytes=settings.shown_bytes,
    )


def _check_times(body: Body, settings: Settings) -> None:
    most = settings.most.wall_ns / NS_PER_MS
    for name in ("compile_timeout", "run_timeout", "compile_cpu_time", "run_cpu_time"):
        if (getattr(body, name) or 0) > most:
            raise BadJobError(f"{name} cannot exceed the configured limit of {most:.0f}")
    for name in ("compile_memory_limit", "run_memory_limit"):
        if (getattr(body, name) or -1) > settings.most.memory_bytes:
            raise BadJobError(f"{name} cannot exceed the configured limit of {settings.most.memory_bytes}")


def _bytes(limit: int | None) -> int | None:
    return limit if limit is not None and limit > 0 else None


def content_of(file: File, number: int) -> bytes:
    """Return what is in a file.

    Raises:
        BadJobError: It is not encoded as it says.
    """
    try:
        if file.encoding == "base64":
            return base64.b64decode(file.content, validate=True)
        return bytes.fromhex(file.content) if file.encoding == "hex" else file.content.encode()
    except ValueError as error:
        raise BadJobError(f"files[{number}].content cannot be read", f"it is not {file.encoding}") from error


def _text(file: File) -> str:
    try:
        return content_of(file, 0).decode()
    except UnicodeDecodeError as error:
        raise BadJobError("files[0].content cannot be read", "a program is text") from error


def _encoded(file: File, number: int) -> str:
    return base64.b64encode(content_of(file, number)).decode()


def response_of(result: JobResult, version: str, compiled: bool) -> dict[str, Any]:
    """Return what became of a job; a program that did not compile has no ``run``."""
    content: dict[str, Any] = {"language": result.language, "version": version}
    run, compiling = run_of(result), result.compile_run
    if run:
        content["run"] = stage(run)
    if compiling and (compiled or not run):
        content["compile" if compiled else "run"] = stage(compiling, result.compile_log)
    return content


def stage(run: Run, said: str | None = None) -> dict[str, Any]:
    """Return what became of one command; `said` replaces its errors (a compiler's log)."""
    status, message = _status(run)
    out, errors = (text(run.stdout), text(run.stderr)) if said is None else ("", said)
    ended = run.signal or (signal.SIGKILL if run.limit else None)
    return {
        "stdout": out,
        "stderr": errors,
        "output": out + errors,
        "code": None if ended else run.exit_code,
        "signal": signal.Signals(ended).name if ended else None,
        "message": message,
        "status": status,
        "cpu_time": round(run.cpu_ns / NS_PER_MS),
        "wall_time": round(run.wall_ns / NS_PER_MS),
        "memory": run.peak_bytes,
    }


def _status(run: Run) -> tuple[str | None, str | None]:
    if timed_out(run):
        return "TO", "Time limit exceeded" if run.limit == "cpu" else "Time limit exceeded (wall clock)"
    if run.limit == "output" or run.stdout_cut:
        return "OL", "stdout length exceeded"
    if run.stderr_cut:
        return "EL", "stderr length exceeded"
    if exit_status(run) == OUT_OF_MEMORY and run.limit:
        return "SG", "Memory limit exceeded"
    if run.signal:
        return "SG", f"Caught fatal signal {run.signal}"
    return ("RE", f"Exited with error status {run.exit_code}") if run.exit_code else (None, None)


def runtimes_of(versions: Mapping[str, str], tongues: Tongues) -> list[dict[str, Any]]:
    """Return the languages that are installed."""
    return [
        {"language": name, "version": version_of(said), "aliases": list(tongues.all[name].aliases)}
        for name, said in versions.items()
    ]


# ------------------------------------------------------------------ routes


def router(service: Service) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v2", tags=["piston"], route_class=speaking(complain))
    tongues = service.tongues

    @routes.post("/execute", response_model=None)
    async def execute(body: Body, request: Request) -> Response:
        """Run a program and return what became of it."""
        result = await result_of(service, job_of(body, service.settings, tongues), request)
        if result.state != State.DONE:
            return answer(500, {"message": result.error or str(result.state)})
        version = version_of(tongues.versions[result.language])
        return answer(200, response_of(result, version, is_compiled(tongues.all[result.language])))

    @routes.get("/runtimes", response_model=None)
    async def runtimes() -> Response:
        """List the languages."""
        return answer(200, runtimes_of(tongues.versions, tongues))

    return routes


def complain(trouble: Trouble) -> Response:
    """Return an error as piston's clients expect it."""
    status = 400 if trouble.status == BadJobError.status else trouble.status
    return answer(status, {"message": trouble.message}, trouble.retry_after_s)
