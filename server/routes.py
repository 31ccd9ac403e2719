"""The native protocol: jobs in, measurement records out."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.requests import ClientDisconnect

from venus_toolkit import __version__
from venus_toolkit.measure import environment_facts
from venus_toolkit.records import to_plain
from venus_toolkit.server.jobs import JobResult, Told, told
from venus_toolkit.server.metrics import gauges
from venus_toolkit.server.models import BatchIn, JobIn, WantedIn
from venus_toolkit.server.service import Service

router = APIRouter()
JSON = "application/json"
NDJSON = "application/x-ndjson"
KEY_LENGTH = 200
Wait = Annotated[float, Query(ge=0, le=3600, description="Wait so many seconds for the result.")]
Key = Annotated[
    str | None, Header(max_length=KEY_LENGTH, description="The same job under the same key is accepted once.")
]
WAIT: TypeAdapter[float] = TypeAdapter(Wait)
SHOWN: dict[int | str, dict[str, Any]] = {200: {"model": JobResult}, 202: {"model": JobResult}}


def service_of(request: Request) -> Service:
    """Return the service that a request is for."""
    service: Service = request.app.state.service
    return service


def _answer(what: Told) -> Response:
    status = 200 if what.result.state.final else 202
    return Response(what.text, status, media_type=JSON)


def key_of(request: Request, key: str | None) -> str | None:
    """Return an idempotency key that no other client's can be equal to."""
    if key is None:
        return None
    who = request.headers.get("x-api-key") or request.headers.get("authorization", "")
    return hashlib.sha256(json.dumps([who, key]).encode()).hexdigest()


# ------------------------------------------------------------------ jobs


class Asked(NamedTuple):
    """What a client submits, as `submit` takes it."""

    job: JobIn
    wait: float
    key: str | None


async def _asked(request: Request) -> Asked | None:
    """Return what a client submits; None where anything about it is unusual."""
    key = request.headers.get("idempotency-key")
    if request.headers.get("content-type") != JSON or len(key or "") > KEY_LENGTH:
        return None
    try:
        wait = WAIT.validate_python(request.query_params.get("wait", 0))
        return Asked(JobIn.model_validate(json.loads(await request.body())), wait, key)
    except (ValueError, RecursionError, ClientDisconnect):
        return None


class Straight(APIRoute):
    """The route of `submit`: reads what is as usual by itself, in a third of the framework's time.

    The rest is left to the framework, which reads it in other ways too, or says what is wrong with it.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        usual = super().get_route_handler()

        async def answer(request: Request) -> Response:
            asked = await _asked(request)
            return await submit(request, *asked) if asked else await usual(request)

        return answer


async def submit(request: Request, job: JobIn, wait: Wait = 0, idempotency_key: Key = None) -> Response:
    """Accept a job, and wait for its result if asked to. 200: the job is final; 202: it is accepted."""
    service = service_of(request)
    job_id = await service.submit(job.job(service.settings.most), key_of(request, idempotency_key))
    return _answer(await service.tell(job_id, wait))


router.add_api_route(
    "/v1/jobs",
    submit,
    methods=["POST"],
    tags=["jobs"],
    responses=SHOWN,
    status_code=202,
    response_model=None,
    route_class_override=Straight,
)


@router.get("/v1/jobs/{job_id}", tags=["jobs"], responses=SHOWN, response_model=None)
async def read(request: Request, job_id: str, wait: Wait = 0) -> Response:
    """Say what became of a job; reading changes nothing."""
    return _answer(await service_of(request).tell(job_id, wait))


@router.delete("/v1/jobs/{job_id}", tags=["jobs"], responses=SHOWN, response_model=None)
async def cancel(request: Request, job_id: str) -> Response:
    """Cancel a job; one that runs stops after the run that it is in."""
    return _answer(told(await service_of(request).cancel(job_id)))


@router.post("/v1/batches", tags=["jobs"], status_code=202)
async def submit_batch(request: Request, batch: BatchIn, idempotency_key: Key = None) -> dict[str, list[str]]:
    """Accept many jobs, all or none; gives their ids, in order."""
    service = service_of(request)
    keys = [key_of(request, f"{idempotency_key}/{at}" if idempotency_key else None) for at in range(len(batch.jobs))]
    return {"ids": await service.submit_all([each.job(service.settings.most) for each in batch.jobs], keys)}


@router.post("/v1/results", tags=["jobs"], response_class=StreamingResponse)
async def stream(request: Request, wanted: WantedIn) -> StreamingResponse:
    """Send a line of JSON for each job as soon as it is final, or with its state when the time is over."""
    service = service_of(request)
    ids = list(dict.fromkeys(wanted.ids))
    await asyncio.gather(*(service.get(each) for each in ids))  # one that is unknown is refused before anything is sent
    return StreamingResponse(_finished(service, ids, wanted.timeout_s), media_type=NDJSON)


async def _finished(service: Service, ids: Sequence[str], timeout_s: float) -> AsyncIterator[bytes]:
    waiting = [asyncio.ensure_future(service.tell(each, timeout_s)) for each in ids]
    try:
        for each in asyncio.as_completed(waiting):
            yield (await each).text + b"\n"
    finally:
        for future in waiting:
            future.cancel()


# ------------------------------------------------------------------ about the server


@router.get("/v1/languages", tags=["server"])
async def languages(request: Request) -> list[dict[str, Any]]:
    """List the languages that are installed."""
    tongues = service_of(request).tongues
    found = [(tongues.all[name], version) for name, version in tongues.versions.items()]
    return [{"id": each.id, "name": each.name, "aliases": each.aliases, "version": v} for each, v in found]


@router.get("/v1/status", tags=["server"])
async def status(request: Request) -> dict[str, Any]:
    """Say what the server is doing, what it enforces, and on which machine."""
    service = service_of(request)
    machine = environment_facts(service.tongues.all.values(), service.tongues.versions)
    plain: dict[str, Any] = to_plain(service.status())
    return {**plain, "version": __version__, "sandbox": dict(service.sandbox.facts()), "environment": machine}


@router.get("/healthz", tags=["server"])
async def healthz() -> dict[str, str]:
    """Say that the server answers."""
    return {"state": "ok"}


@router.get("/readyz", tags=["server"])
async def readyz(request: Request, response: Response) -> dict[str, str]:
    """Say whether jobs are accepted; 503 where they are not."""
    now = service_of(request).status()
    state = "stopping" if now.closing else now.trouble or "ok"
    response.status_code = 200 if state == "ok" else 503
    return {"state": state}


@router.get("/metrics", tags=["server"], response_class=Response)
async def metrics(request: Request) -> Response:
    """Give the figures in the form that Prometheus reads."""
    service = service_of(request)
    now = service.status()
    values: dict[str, tuple[str, float]] = {
        "venus_jobs_queued": ("Jobs that wait.", now.queued),
        "venus_jobs_running": ("Jobs that run.", now.running),
        "venus_results_unsaved": ("Results that could not be written yet.", now.unsaved),
        "venus_workers": ("Workers.", len(now.workers)),
        "venus_workers_busy": ("Workers that are at work.", sum(now.workers)),
        "venus_sessions": ("Sessions that clients keep.", now.sessions),
        "venus_programs": ("Compiled programs that are kept.", now.programs),
        "venus_ready": ("1 where jobs are accepted.", float(not now.closing and not now.trouble)),
    }
    text = "\n".join([*service.tally.lines(), *gauges(values)]) + "\n"
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
