"""The page at / as it is sent: self-contained, with a strict policy and working examples."""

from __future__ import annotations

import requests

from tests.server.clients.conftest import Served
from venus_toolkit.server.routes import render_page


def test_page_is_self_contained(served: Served) -> None:
    response = requests.get(f"{served.url}/", timeout=10)
    assert response.status_code == 200
    assert "http://" not in response.text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in response.text
    policy = response.headers["Content-Security-Policy"]
    for rule in (
        "default-src 'none'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
    ):
        assert rule in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_page_reveals_nothing_about_the_server() -> None:
    """The page is sent to any client, with or without a key."""
    assert "python" not in render_page().replace('"python"', "")


def test_examples_work(served: Served) -> None:
    example = requests.get(f"{served.url}/v1/examples/ruby", timeout=10).json()
    job = {"language": "ruby", "code": example["code"], "stdins": [example["stdin"]]}
    assert (
        requests.post(f"{served.url}/v1/jobs?wait=60", json=job, timeout=60).json()["verdict"]
        == "accepted"
    )
    assert requests.get(f"{served.url}/v1/examples/klingon", timeout=10).status_code == 422


def test_route_list_loads_nothing_from_elsewhere(served: Served) -> None:
    page = requests.get(f"{served.url}/docs", timeout=10).text
    assert "/openapi.json" in page
    assert "https://" not in page
