"""The protocol of sandbox/remote/: programs and sessions of clients elsewhere (sessions.py, sandbox/wire.py)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from venus_toolkit.errors import SandboxError
from venus_toolkit.measure import environment_facts
from venus_toolkit.records import Limits, digest
from venus_toolkit.sandbox import File, Program
from venus_toolkit.sandbox.wire import Frame, frame, read_frame, run_frame
from venus_toolkit.server.checks import LEAST_INTERVAL_NS, check_files, check_limits
from venus_toolkit.server.refusals import BadJobError
from venus_toolkit.server.routes import service_of
from venus_toolkit.server.sessions import Sessions, Told, program_id
from venus_toolkit.supervisor import Sampling

router = APIRouter(prefix="/v1/sandbox", tags=["remote sandbox"])
FRAMES = "application/x-venus-frames"


def sessions_of(request: Request) -> Sessions:
    """Return the sessions that a request is about."""
    sessions: Sessions = request.app.state.sessions
    return sessions


@router.get("")
async def facts(request: Request) -> dict[str, Any]:
    """Say what is enforced, on which machine, and which tools there are."""
    service = service_of(request)
    tongues = service.tongues
    machine = environment_facts(tongues.all.values(), tongues.versions)
    own = dict(service.sandbox.facts())
    sizes = {"workers": len(service.pool.workers), "body_bytes": service.settings.body_bytes}
    return {"facts": own, "machine": machine, "fingerprint": digest(own, machine)[:12], **sizes}


@router.get("/toolchains/{language}")
async def toolchain(request: Request, language: str) -> dict[str, Any]:
    """Say which version of a language there is."""
    service = service_of(request)
    found = service.tongues.find(language)
    return dict(service.sandbox.toolchain(found)._asdict())


@router.post("/{client}/programs", response_class=Response)
async def compile_program(request: Request, client: str) -> Response:
    """Compile a program, and forget those that the client has no use for any more."""
    told = await _frame(request)
    with _as_documented():
        program, slot = _program(request, told), str(told.header["slot"])
        unused, left = (list(map(str, told.header[name])) for name in ("discard", "left"))
    sessions = sessions_of(request)
    sessions.discard(client, unused)
    sessions.forget(client, left)
    compiled = await sessions.compile(client, slot, program)
    header = {"program": program_id(program), "ok": compiled.ok, "log": compiled.log}
    return Response(frame(header) + run_frame(compiled.run), media_type=FRAMES)


@router.post("/{client}/sessions/{seat}", response_class=StreamingResponse)
async def run(request: Request, client: str, seat: str) -> StreamingResponse:
    """Run a program on inputs, and send each run as soon as it is over."""
    asked = await _frame(request)
    with _as_documented():
        told, left = _told(asked.header), list(map(str, asked.header["left"]))
    check_limits(told.limits, service_of(request).settings.most)
    if told.sampling.interval_ns < LEAST_INTERVAL_NS:
        raise BadJobError("interval_ns is too small", f"the least is {LEAST_INTERVAL_NS}", "give at least that")
    sessions_of(request).forget(client, left)
    return StreamingResponse(sessions_of(request).run(client, seat, told, asked.parts), media_type=FRAMES)


@router.delete("/{client}/sessions/{seat}", status_code=204)
async def leave(request: Request, client: str, seat: str) -> None:
    """End a session with what runs in it."""
    await sessions_of(request).leave(client, seat)


@router.delete("/{client}", status_code=204)
async def drop(request: Request, client: str) -> None:
    """Forget a client with all that it has here."""
    await sessions_of(request).drop(client)


async def _frame(request: Request) -> Frame:
    body = io.BytesIO(await request.body())
    try:
        found = read_frame(body.read)
    except (EOFError, SandboxError) as error:
        raise _refusal(error) from error
    if found is None:
        raise BadJobError("the request is not as documented", "it is empty", "see venus_toolkit/sandbox/wire.py")
    return found


@contextmanager
def _as_documented() -> Iterator[None]:
    """Refuse a request whose header lacks something or has it of another kind."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise _refusal(error) from error


def _refusal(error: Exception) -> BadJobError:
    return BadJobError("the request is not as documented", repr(error), "see venus_toolkit/sandbox/wire.py")


def _program(request: Request, told: Frame) -> Program:
    """Return the program that a client sent: the server's own language, called as the client calls it."""
    header, tongues = told.header, service_of(request).tongues
    argv = {name: tuple(map(str, header[name])) for name in ("compile_argv", "run_argv")}
    language = tongues.called(tongues.find(header["language"]), **argv, most=Limits(**header["compile_limits"]))
    files = tuple(map(File, map(str, header["files"]), map(bytes, told.parts[1:])))
    return check_files(lambda: Program(language, told.parts[0].decode("utf-8", "surrogatepass"), files))


def _told(header: Mapping[str, Any]) -> Told:
    return Told(
        program=str(header["program"]),
        slot=str(header["slot"]),
        limits=Limits(**{name: int(value) for name, value in header["limits"].items()}),
        sampling=Sampling(int(header["interval_ns"]), bool(header["trace"])),
        request=str(header["request"]),
        first=int(header["first"]),
        again=bool(header["again"]),
        once=bool(header["once"]),
    )
