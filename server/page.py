"""The page at /: paste a program, give it input, see what it does and costs.

One file without a build: its style and script stand in it, and its policy lets nothing else run or load. What programs
print reaches it as JSON and is only ever shown as text.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

import jinja2
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from venus_toolkit import __version__
from venus_toolkit.records import Verdict
from venus_toolkit.server.service import Service

FOLDER = "templates"


def router(service: Service) -> APIRouter:
    """Return the routes of the page: itself, and a program to begin with."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def page(request: Request) -> Response:
        """Send the page."""
        return HTMLResponse(render_page(), headers=headers())

    @routes.get("/v1/examples/{language}")
    async def example(language: str) -> dict[str, str]:
        """Send a program of a language that works, and input for it."""
        found = service.tongues.find(language).selftest
        return {"code": found.programs[Verdict.ACCEPTED], "stdin": found.stdin}

    return routes


@cache
def render_page() -> str:
    """Return the page."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source), undefined=jinja2.StrictUndefined, autoescape=True
    )
    template = environment.get_template("page.html.j2")
    return template.render(style=Markup(_source("page.css")), script=Markup(_source("page.js")), version=__version__)


@cache
def headers() -> dict[str, str]:
    """Return the headers of the page: what it may do, and that nobody may frame it."""
    policy = (
        f"default-src 'none'; style-src '{_hash('page.css')}'; script-src '{_hash('page.js')}'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-cache",
    }


def _hash(name: str) -> str:
    """Return the checksum by which the policy allows one of our files where it stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_source(name).encode()).digest()).decode()


@cache
def _source(name: str) -> str:
    return (resources.files("venus_toolkit.server") / FOLDER / name).read_text(encoding="utf-8")
