"""The native protocol, which takes jobs and returns measurement records, and the page at /."""

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
from venus_toolkit.server.schemas import BatchIn, JobIn, ResultsIn
from venus_toolkit.server.service import Service

router = APIRouter()
KEY_LENGTH = 200  # characters of an idempotency key; only its digest is stored
Wait = Annotated[float, Query(ge=0, le=3600, description="Seconds to wait for the result.")]
Key = Annotated[
    str | None,
    Header(max_length=KEY_LENGTH, description="The same job with the same key is accepted once."),
]
WAIT: TypeAdapter[float] = TypeAdapter(Wait)
SHOWN: dict[int | str, dict[str, Any]] = {200: {"model": JobResult}, 202: {"model": JobResult}}


def service_of(request: Request) -> Service:
    """Return the service of a request's application."""
    service: Service = request.app.state.service
    return service


def _response(result: JobResult) -> Response:
    return Response(result.json, 200 if result.state.final else 202, media_type="application/json")


def key_of(request: Request, key: str | None) -> str | None:
    """Return an idempotency key that differs from those of all other clients."""
    if key is None:
        return None
    client = request.headers.get("x-api-key") or request.headers.get("authorization", "")
    return hashlib.sha256(json.dumps([client, key]).encode()).hexdigest()


class SubmitRoute(APIRoute):
    """The route of `submit`: parses usual requests itself, in a third of the framework's time.

    The framework parses all others, or reports their errors.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of a request."""
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
            # The framework can read the body again, since the request stores it. json raises a
            # RecursionError for deeply nested values.
            except (ValueError, RecursionError, ClientDisconnect):
                return await handle(request)
            return await submit(request, job, wait, key)

        return handler


async def submit(
    request: Request, job: JobIn, wait: Wait = 0, idempotency_key: Key = None
) -> Response:
    """Accept a job, and wait for its result on request.

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
    """Return the state or the result of a job; reading changes nothing."""
    return _response(await service_of(request).wait(job_id, wait))


@router.delete("/v1/jobs/{job_id}", tags=["jobs"], responses=SHOWN, response_model=None)
async def cancel(request: Request, job_id: str) -> Response:
    """Cancel a job; a running one stops after its current run."""
    return _response(await service_of(request).cancel(job_id))


@router.post("/v1/batches", tags=["jobs"], status_code=202)
async def submit_batch(
    request: Request, batch: BatchIn, idempotency_key: Key = None
) -> dict[str, list[str]]:
    """Accept many jobs, all or none, and return their ids in order."""
    service = service_of(request)
    # The header is that of the whole batch; the key of each job has its index appended.
    keys = [
        key_of(request, f"{idempotency_key}/{at}" if idempotency_key else None)
        for at in range(len(batch.jobs))
    ]
    return {
        "ids": await service.submit_all(
            [job.job(service.settings.most) for job in batch.jobs], keys
        )
    }


@router.post("/v1/results", tags=["jobs"], response_class=StreamingResponse)
async def stream(request: Request, body: ResultsIn) -> StreamingResponse:
    """Send a line of JSON for each job: its result when final, or its state at the timeout."""
    service = service_of(request)
    ids = list(dict.fromkeys(body.ids))
    # An unknown id must be refused before the response begins.
    await asyncio.gather(*(service.get(job_id) for job_id in ids))

    async def finished() -> AsyncIterator[bytes]:
        waiting = [asyncio.ensure_future(service.wait(job_id, body.timeout_s)) for job_id in ids]
        try:
            for result in asyncio.as_completed(waiting):
                yield (await result).json + b"\n"
        finally:
            for future in waiting:
                future.cancel()

    return StreamingResponse(finished(), media_type="application/x-ndjson")


@router.get("/v1/languages", tags=["server"])
async def languages(request: Request) -> list[dict[str, Any]]:
    """List the installed languages."""
    registry = service_of(request).languages
    installed = [(registry.all[name], version) for name, version in registry.versions.items()]
    return [
        {
            "id": language.id,
            "name": language.name,
            "aliases": language.aliases,
            "version": version,
        }
        for language, version in installed
    ]


@router.get("/v1/status", tags=["server"])
async def status(request: Request) -> dict[str, Any]:
    """Report the state of the server, the facts of its sandbox, and the machine."""
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
    """Report whether the server accepts jobs; the status is 503 if not."""
    now = service_of(request).status()
    state = "stopping" if now.closing else now.trouble or "ok"
    response.status_code = 200 if state == "ok" else 503
    return {"state": state}


@router.get("/metrics", tags=["server"], response_class=Response)
async def metrics(request: Request) -> Response:
    """Return the metrics in the text format of Prometheus."""
    service = service_of(request)
    now = service.status()
    gauges: dict[str, tuple[str, float]] = {
        "venus_jobs_queued": ("Waiting jobs.", now.queued),
        "venus_jobs_running": ("Running jobs.", now.running),
        "venus_results_unsaved": ("Results not yet written to disk.", now.unsaved),
        "venus_workers": ("Workers.", len(now.workers)),
        "venus_workers_busy": ("Busy workers.", sum(now.workers)),
        "venus_sessions": ("Open sessions of clients.", now.sessions),
        "venus_programs": ("Stored compiled programs.", now.programs),
        "venus_ready": (
            "1 if jobs are accepted, else 0.",
            float(not now.closing and not now.trouble),
        ),
    }
    return Response(
        service.metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


# The page is one file with its style and script. Its policy allows nothing else to load or run,
# except the editor if that was bundled (tools/editor). The output of programs reaches it as JSON
# and is always shown as text.


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """Send the page, with a policy for its scripts and against framing."""
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
    """Return a working program in a language, and its input."""
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
    """Return the checksum by which the policy allows a script or style inside the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_source(name).encode()).digest()).decode()


@cache
def _editor() -> bytes | None:
    """Return the bundled editor, or None."""
    file = resources.files("venus_toolkit.server") / "static" / "editor.js"
    return file.read_bytes() if file.is_file() else None


@cache
def _source(name: str) -> str:
    return (resources.files("venus_toolkit.server") / "templates" / name).read_text(
        encoding="utf-8"
    )
