"""The page at / as it is sent.

Alone, with a policy that lets nothing else in, and with examples that work.
"""

from __future__ import annotations

import requests

from tests.server.clients.conftest import Served
from venus_toolkit.server.routes import render_page


def test_the_page_stands_alone(served: Served) -> None:
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


def test_the_template_says_nothing_of_the_server() -> None:
    """It is sent to whoever asks, with a key or without."""
    assert "python" not in render_page().replace('"python"', "")


def test_an_example_is_a_program_that_works(served: Served) -> None:
    example = requests.get(f"{served.url}/v1/examples/ruby", timeout=10).json()
    job = {"language": "ruby", "code": example["code"], "stdins": [example["stdin"]]}
    assert (
        requests.post(f"{served.url}/v1/jobs?wait=60", json=job, timeout=60).json()["verdict"]
        == "accepted"
    )
    assert requests.get(f"{served.url}/v1/examples/klingon", timeout=10).status_code == 422


def test_the_list_of_routes_loads_nothing_from_elsewhere(served: Served) -> None:
    page = requests.get(f"{served.url}/docs", timeout=10).text
    assert "/openapi.json" in page
    assert "https://" not in page
