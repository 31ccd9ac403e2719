"""The protocol of piston: POST /api/v2/execute, GET /api/v2/runtimes.

Times are in milliseconds, memory in bytes, and -1 stands for the server's limit. The status of a
stage is null, TO (time limit), OL and EL (output limit of stdout and stderr), SG (a signal) or RE
(an exit code other than 0). A failure of the sandbox is HTTP 500.
"""

from __future__ import annotations

import base64
import re
import signal
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from venus_toolkit.core.records import NS_PER_MS, Run
from venus_toolkit.server.compat import protocol
from venus_toolkit.server.http_errors import ASCIIResponse, BadJobError
from venus_toolkit.server.language_registry import LanguageRegistry
from venus_toolkit.server.queue.jobs import Job, JobResult, JobState
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

Milliseconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class PistonFile(BaseModel):
    """A file; the first one is the program, the others are put into its folder."""

    name: str | None = None
    content: str
    encoding: Literal["utf8", "base64", "hex"] = "utf8"


class PistonRequest(BaseModel):
    """A request to run a program."""

    model_config = ConfigDict(strict=True)

    language: Annotated[str, Field(min_length=1)]
    version: Annotated[str, Field(min_length=1)]
    files: Annotated[list[PistonFile], Field(min_length=1)]
    stdin: str | None = ""
    args: list[str] | None = None
    compile_timeout: Milliseconds | None = 10_000
    run_timeout: Milliseconds | None = 3_000
    compile_cpu_time: Milliseconds | None = None
    run_cpu_time: Milliseconds | None = None
    compile_memory_limit: int | None = -1
    run_memory_limit: int | None = -1


def version_of(output: str) -> str:
    """Return the version in the output of a tool as three numbers; by default 0.0.0."""
    match = re.search(r"\d+(\.\d+)+|\d+", output)
    numbers = match.group().split(".") if match else []
    return ".".join([*numbers, "0", "0", "0"][:3])  # clients expect major, minor and patch


def suits(version: str, range_: str) -> bool:
    """Whether a version is in a range: ``*``, ``3``, ``3.x``, ``^3.9``, ``~3.11.1``, ``>=3.10``."""
    # At most nine digits: Python refuses to read numbers of thousands of digits.
    pattern = r"(?P<sign>\^|~|>=|)\s*v?(?P<numbers>\d{1,9}(\.(\d{1,9}|[xX*]))*)|[xX*]"
    match = re.fullmatch(pattern, range_.strip())
    if not match:
        return False
    if not match["numbers"]:
        return True
    numbers = [int(part) for part in match["numbers"].split(".") if part.isdigit()]
    here = [int(part) for part in version.split(".")]
    fixed = {"": len(numbers), "^": 1, "~": min(2, len(numbers)), ">=": 0}[match["sign"]]
    return here[:fixed] == numbers[:fixed] and (not match["sign"] or here >= numbers)


def job_of(body: PistonRequest, settings: Settings, languages: LanguageRegistry) -> Job:
    """Return the job of a request."""
    language = languages.find(body.language)
    if not suits(version_of(languages.versions[language.id]), body.version):
        raise BadJobError(f"{body.language}-{body.version} runtime is unknown")
    if body.args:
        raise BadJobError("args cannot be given", "a program reads standard input here")
    times = ("compile_timeout", "run_timeout", "compile_cpu_time", "run_cpu_time")
    memory_limits = ("run_memory_limit", "compile_memory_limit")
    most = {times: settings.most.wall_ns / NS_PER_MS, memory_limits: settings.most.memory_bytes}
    for name, largest in ((name, value) for names, value in most.items() for name in names):
        # A default is not a request for more than the server allows.
        if name in body.model_fields_set and (getattr(body, name) or 0) > largest:
            raise BadJobError(f"{name} cannot exceed the configured limit of {largest:.0f}")
    run_bytes, compile_bytes = (max(0, getattr(body, name) or 0) or None for name in memory_limits)
    run_ms = min(filter(None, (body.run_timeout, body.run_cpu_time)), default=3_000.0)
    compile_ms = min(filter(None, (body.compile_timeout, body.compile_cpu_time)), default=10_000.0)
    try:
        code = content_of(body.files[0], 0).decode()
    except UnicodeDecodeError as error:
        raise BadJobError("files[0].content cannot be read", "a program is text") from error
    # The default name of a file in piston.
    others = [
        (file.name or f"file{at}.code", content_of(file, at))
        for at, file in enumerate(body.files[1:], 1)
    ]
    return protocol.job_for(
        settings,
        language.id,
        code,
        body.stdin,
        protocol.limits_of(settings, run_ms / 1000, run_bytes),
        files=tuple((name, base64.b64encode(content).decode()) for name, content in others),
        compile_wall_ns=round(compile_ms * NS_PER_MS) or 1,  # 0 would mean the default limit
        compile_memory_bytes=compile_bytes,
    )


def content_of(file: PistonFile, number: int) -> bytes:
    """Return the content of a file."""
    try:
        if file.encoding == "base64":
            return base64.b64decode(file.content, validate=True)
        return bytes.fromhex(file.content) if file.encoding == "hex" else file.content.encode()
    except ValueError as error:
        raise BadJobError(
            f"files[{number}].content cannot be read", f"it is not {file.encoding}"
        ) from error


def response_of(result: JobResult, version: str, compiled: bool) -> dict[str, Any]:
    """Return the response for a job; after a compile error, ``run`` is a copy of ``compile``."""
    content: dict[str, Any] = {"language": result.language, "version": version}
    run, compiling = protocol.run_of(result), result.compile_run
    if compiling and compiled:
        content["compile"] = stage(compiling, result.compile_log)
    if run:
        content["run"] = stage(run)
    elif compiling:
        # Clients expect `run` to exist, so piston's own server copies the stage as well.
        content["run"] = stage(compiling, result.compile_log)
    return content


def stage(run: Run, log: str | None = None) -> dict[str, Any]:
    """Return the response for one command; `log` (of a compiler) replaces its standard error."""
    status, message = _status(run)
    out, errors = (
        (protocol.text(run.stdout), protocol.text(run.stderr)) if log is None else ("", log)
    )
    # The protocol has either a code or a signal, and SIGKILL for a program at a limit.
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
    if protocol.timed_out(run):
        return (
            "TO",
            "Time limit exceeded" if run.limit == "cpu" else "Time limit exceeded (wall clock)",
        )
    if run.limit == "output" or run.stdout_cut:
        return "OL", "stdout length exceeded"
    if run.stderr_cut:
        return "EL", "stderr length exceeded"
    if protocol.exit_status(run) == protocol.OUT_OF_MEMORY and run.limit:
        return "SG", "Memory limit exceeded"
    if run.signal:
        return "SG", f"Caught fatal signal {run.signal}"
    return ("RE", f"Exited with error status {run.exit_code}") if run.exit_code else (None, None)


def router(service: Service) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v2", tags=["piston"], route_class=protocol.route_class(respond))
    languages = service.languages

    @routes.post("/execute", response_model=None)
    async def execute(body: PistonRequest, request: Request) -> Response:
        """Run a program and return its result."""
        job_id = await service.submit(job_of(body, service.settings, languages))
        result = await protocol.result_of(service, job_id, request)
        if result.state != JobState.DONE:
            return ASCIIResponse({"message": result.error or str(result.state)}, 500)
        version = version_of(languages.versions[result.language])
        return ASCIIResponse(
            response_of(result, version, protocol.is_compiled(languages.all[result.language]))
        )

    @routes.get("/runtimes", response_model=None)
    async def runtimes() -> Response:
        """List the installed languages."""
        return ASCIIResponse(
            [
                {
                    "language": name,
                    "version": version_of(output),
                    "aliases": list(languages.all[name].aliases),
                }
                for name, output in languages.versions.items()
            ]
        )

    return routes


def respond(error: protocol.ProtocolError) -> Response:
    """Return an error in the form that piston's clients expect."""
    status = 400 if error.status == BadJobError.status else error.status
    return error.response(status, {"message": error.message})
