"""The protocol of sandbox/remote/: programs and sessions of remote clients.

See sessions.py, and sandbox/remote/wire.py for the frames.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ValidationError

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import digest
from venus_toolkit.execution.measuring.measure import environment_facts
from venus_toolkit.execution.sandbox import File, Program
from venus_toolkit.execution.sandbox.compiled import program_key
from venus_toolkit.execution.sandbox.remote.wire import frame, read_frame, run_frame
from venus_toolkit.server.http_errors import BadJobError
from venus_toolkit.server.remote.sessions import RunHeader, Sessions
from venus_toolkit.server.routes import service_of
from venus_toolkit.server.schemas import LimitsOf, check_files, check_limits

router = APIRouter(prefix="/v1/sandbox", tags=["remote sandbox"])
FRAMES = "application/x-venus-frames"
Header = TypeVar("Header", bound=BaseModel)


class CompileHeader(BaseModel):
    """The header of a request to compile a program.

    The parts are its source and the contents of its files. `left` are sessions that the client has
    left; `slot` is a thread of the client.
    """

    language: str
    compile_argv: tuple[str, ...]
    run_argv: tuple[str, ...]
    compile_limits: LimitsOf
    files: list[str]
    slot: str
    left: list[str]


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of a request's application."""
    sessions: Sessions = request.app.state.sessions
    return sessions


@router.get("")
async def facts(request: Request) -> dict[str, Any]:
    """Report the facts of the sandbox, the machine, and the sizes of the server."""
    service = service_of(request)
    machine = environment_facts(service.languages.all.values(), service.languages.versions)
    own = dict(service.sandbox.facts())
    sizes = {"workers": len(service.pool.workers), "body_bytes": service.settings.body_bytes}
    return {"facts": own, "machine": machine, "fingerprint": digest(own, machine)[:12], **sizes}


@router.get("/toolchains/{language}")
async def toolchain(request: Request, language: str) -> dict[str, Any]:
    """Report the tools of a language, with their version."""
    service = service_of(request)
    return dict(service.sandbox.toolchain(service.languages.find(language))._asdict())


@router.post("/{client}/programs", response_class=Response)
async def compile_program(request: Request, client: str) -> Response:
    """Compile a program."""
    header, parts = await _read(request, CompileHeader)
    if not parts:
        raise BadJobError(
            "the request is not as documented",
            "it has no source",
            "send the source as the first part",
        )
    languages, sessions = service_of(request).languages, sessions_of(request)
    language = languages.find(header.language)
    language = languages.with_commands(
        language, header.compile_argv, header.run_argv, header.compile_limits
    )
    files = tuple(map(File, header.files, parts[1:]))
    # sandbox/remote encodes the source with surrogatepass, since it may contain lone surrogates.
    program = check_files(
        lambda: Program(language, parts[0].decode("utf-8", "surrogatepass"), files)
    )
    sessions.forget(client, header.left)
    compiled = await sessions.compile(client, header.slot, program)
    answer = {"program": program_key(program), "ok": compiled.ok, "log": compiled.log}
    return Response(frame(answer) + run_frame(compiled.run), media_type=FRAMES)


@router.post("/{client}/sessions/{session}", response_class=StreamingResponse)
async def run(request: Request, client: str, session: str) -> StreamingResponse:
    """Run a program on inputs, and send each run when it ends."""
    header, stdins = await _read(request, RunHeader)
    check_limits(header.limits, service_of(request).settings.most)
    sessions_of(request).forget(client, header.left)
    # `Sessions.run` is not a generator itself, so it raises errors here, before the response
    # begins.
    return StreamingResponse(
        sessions_of(request).run(client, session, header, stdins), media_type=FRAMES
    )


@router.delete("/{client}/sessions/{session}", status_code=204)
async def leave(request: Request, client: str, session: str) -> None:
    """End a session, and the program that runs in it."""
    await sessions_of(request).leave(client, session)


@router.delete("/{client}", status_code=204)
async def drop(request: Request, client: str) -> None:
    """Remove a client with its programs and sessions."""
    await sessions_of(request).drop(client)


async def _read(request: Request, kind: type[Header]) -> tuple[Header, Sequence[bytes]]:
    """Return the header of a request and its parts."""
    failure = "the request is not as documented"
    see = "see venus_toolkit.execution.sandbox.remote.wire"
    try:
        received = read_frame(io.BytesIO(await request.body()).read)
        if received is None:
            raise BadJobError(failure, "it is empty", see)
        return kind.model_validate(received.header), received.parts
    except ValidationError as error:
        first = error.errors()[0]
        raise BadJobError(
            failure, f"{'.'.join(map(str, first['loc']))}: {first['msg']}", see
        ) from error
    except (EOFError, SandboxError) as error:
        raise BadJobError(failure, repr(error), see) from error
