"""The native protocol: jobs in, measurement records out; and the page at / for people."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache
from importlib import resources
from typing import Annotated, Any

import jinja2
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.routing import APIRoute
from markupsafe import Markup
from pydantic import TypeAdapter
from starlette.requests import ClientDisconnect

from venus_toolkit.core import __version__
from venus_toolkit.core.records import Verdict, to_plain
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.execution.measuring.measure import environment_facts
from venus_toolkit.server.queue.jobs import JobResult
from venus_toolkit.server.schemas import BatchIn, JobIn, WantedIn
from venus_toolkit.server.service import Service

router = APIRouter()
KEY_LENGTH = 200  # of an idempotency key, of which only a digest is kept
Wait = Annotated[float, Query(ge=0, le=3600, description="Seconds to wait for the result.")]
Key = Annotated[
    str | None,
    Header(max_length=KEY_LENGTH, description="The same job under the same key is accepted once."),
]
WAIT: TypeAdapter[float] = TypeAdapter(Wait)
SHOWN: dict[int | str, dict[str, Any]] = {200: {"model": JobResult}, 202: {"model": JobResult}}


def service_of(request: Request) -> Service:
    """Return the service that a request is for."""
    service: Service = request.app.state.service
    return service


def _response(result: JobResult) -> Response:
    return Response(result.json, 200 if result.state.final else 202, media_type="application/json")


def key_of(request: Request, key: str | None) -> str | None:
    """Return an idempotency key that no other client's can be equal to."""
    if key is None:
        return None
    who = request.headers.get("x-api-key") or request.headers.get("authorization", "")
    return hashlib.sha256(json.dumps([who, key]).encode()).hexdigest()


class SubmitRoute(APIRoute):
    """The route of `submit`: reads the usual request by itself, in a third of the framework's time.

    Any other is left to the framework, which reads it in other ways too, or says what is wrong with
    it.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            key = request.headers.get("idempotency-key")
            if (
                request.headers.get("content-type") != "application/json"
                or len(key or "") > KEY_LENGTH
            ):
                return await handle(request)
            try:
                wait = WAIT.validate_python(request.query_params.get("wait", 0))
                job = JobIn.model_validate(json.loads(await request.body()))
            # The request keeps its body, so the framework can read it again. json recurses into
            # nested values.
            except (ValueError, RecursionError, ClientDisconnect):
                return await handle(request)
            return await submit(request, job, wait, key)

        return handler


async def submit(
    request: Request, job: JobIn, wait: Wait = 0, idempotency_key: Key = None
) -> Response:
    """Accept a job, and wait for its result if asked to.

    200: the job is final; 202: it is accepted.
    """
    service = service_of(request)
    job_id = await service.submit(job.job(service.settings.most), key_of(request, idempotency_key))
    return _response(await service.wait(job_id, wait))


router.add_api_route(
    "/v1/jobs",
    submit,
    methods=["POST"],
    tags=["jobs"],
    responses=SHOWN,
    status_code=202,
    response_model=None,
    route_class_override=SubmitRoute,
)


@router.get("/v1/jobs/{job_id}", tags=["jobs"], responses=SHOWN, response_model=None)
async def read(request: Request, job_id: str, wait: Wait = 0) -> Response:
    """Return what became of a job; reading changes nothing."""
    return _response(await service_of(request).wait(job_id, wait))


@router.delete("/v1/jobs/{job_id}", tags=["jobs"], responses=SHOWN, response_model=None)
async def cancel(request: Request, job_id: str) -> Response:
    """Cancel a job; one that runs stops after the run that it is in."""
    return _response(await service_of(request).cancel(job_id))


@router.post("/v1/batches", tags=["jobs"], status_code=202)
async def submit_batch(
    request: Request, batch: BatchIn, idempotency_key: Key = None
) -> dict[str, list[str]]:
    """Accept many jobs, all or none, and return their ids in order."""
    service = service_of(request)
    # One header for the whole batch, and a key for each job by its place in it.
    keys = [
        key_of(request, f"{idempotency_key}/{at}" if idempotency_key else None)
        for at in range(len(batch.jobs))
    ]
    return {
        "ids": await service.submit_all(
            [each.job(service.settings.most) for each in batch.jobs], keys
        )
    }


@router.post("/v1/results", tags=["jobs"], response_class=StreamingResponse)
async def stream(request: Request, wanted: WantedIn) -> StreamingResponse:
    """Send a line of JSON for each job as soon as it is final, or with its state when the time is over."""
    service = service_of(request)
    ids = list(dict.fromkeys(wanted.ids))  # one line for each, however often it was named
    # one that is unknown is refused before anything is sent
    await asyncio.gather(*(service.get(each) for each in ids))

    async def finished() -> AsyncIterator[bytes]:
        waiting = [asyncio.ensure_future(service.wait(each, wanted.timeout_s)) for each in ids]
        try:
            for each in asyncio.as_completed(waiting):
                yield (await each).json + b"\n"
        finally:
            for future in waiting:
                future.cancel()

    return StreamingResponse(finished(), media_type="application/x-ndjson")


@router.get("/v1/languages", tags=["server"])
async def languages(request: Request) -> list[dict[str, Any]]:
    """List the languages that are installed."""
    registry = service_of(request).languages
    installed = [(registry.all[name], version) for name, version in registry.versions.items()]
    return [
        {"id": each.id, "name": each.name, "aliases": each.aliases, "version": v}
        for each, v in installed
    ]


@router.get("/v1/status", tags=["server"])
async def status(request: Request) -> dict[str, Any]:
    """Report what the server is doing, what it enforces, and on which machine."""
    service = service_of(request)
    machine = environment_facts(service.languages.all.values(), service.languages.versions)
    plain: dict[str, Any] = to_plain(service.status())
    return {
        **plain,
        "version": __version__,
        "sandbox": dict(service.sandbox.facts()),
        "environment": machine,
    }


@router.get("/healthz", tags=["server"])
async def healthz() -> dict[str, str]:
    """Report that the server answers."""
    return {"state": "ok"}


@router.get("/readyz", tags=["server"], responses={503: {"model": dict[str, str]}})
async def readyz(request: Request, response: Response) -> dict[str, str]:
    """Report whether jobs are accepted; 503 where they are not."""
    now = service_of(request).status()
    state = "stopping" if now.closing else now.trouble or "ok"
    response.status_code = 200 if state == "ok" else 503
    return {"state": state}


@router.get("/metrics", tags=["server"], response_class=Response)
async def metrics(request: Request) -> Response:
    """Return the figures in the form that Prometheus reads."""
    service = service_of(request)
    now = service.status()
    gauges: dict[str, tuple[str, float]] = {
        "venus_jobs_queued": ("Jobs that wait.", now.queued),
        "venus_jobs_running": ("Jobs that run.", now.running),
        "venus_results_unsaved": ("Results that could not be written yet.", now.unsaved),
        "venus_workers": ("Workers.", len(now.workers)),
        "venus_workers_busy": ("Workers that are at work.", sum(now.workers)),
        "venus_sessions": ("Sessions that clients keep.", now.sessions),
        "venus_programs": ("Compiled programs that are kept.", now.programs),
        "venus_ready": ("1 where jobs are accepted.", float(not now.closing and not now.trouble)),
    }
    return Response(
        service.metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


# One file: its style and script stand in it, and its policy lets nothing else run or load but the
# editor, where that was bundled (tools/editor). What programs print reaches it as JSON and is only
# ever shown as text.


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """Send the page, with what it may do, and that nobody may frame it."""
    scripts = f"'{_source_hash('page.js')}'" + (" 'self'" if _editor() else "")
    policy = (
        f"default-src 'none'; style-src '{_source_hash('page.css')}'; script-src {scripts}; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-cache",  # a newer server has another page
    }
    return HTMLResponse(render_page(), headers=headers)


@router.get("/editor.js", include_in_schema=False)
async def editor() -> Response:
    """Send the editor of the page."""
    script = _editor()
    if script is None:
        return Response(status_code=404)
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return Response(script, media_type="text/javascript; charset=utf-8", headers=headers)


@router.get("/v1/examples/{language}", include_in_schema=False)
async def example(request: Request, language: str) -> dict[str, str]:
    """Return a program of a language that works, and input for it."""
    selftest = service_of(request).languages.find(language).selftest
    return {"code": selftest.programs[Verdict.ACCEPTED], "stdin": selftest.stdin}


@cache
def render_page() -> str:
    """Return the page."""
    environment = make_environment(loader=jinja2.FunctionLoader(_source), autoescape=True)
    template = environment.get_template("page.html.j2")
    values = {"style": Markup(_source("page.css")), "script": Markup(_source("page.js"))}
    return template.render(values, version=__version__, editor=_editor() is not None)


@cache
def _source_hash(name: str) -> str:
    """Return the checksum by which the policy allows one of our files where it stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_source(name).encode()).digest()).decode()


@cache
def _editor() -> bytes | None:
    """Return the bundled editor; None where nobody bundled it."""
    file = resources.files("venus_toolkit.server") / "static" / "editor.js"
    return file.read_bytes() if file.is_file() else None


@cache
def _source(name: str) -> str:
    return (resources.files("venus_toolkit.server") / "templates" / name).read_text(
        encoding="utf-8"
    )
