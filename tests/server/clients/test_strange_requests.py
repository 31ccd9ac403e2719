"""Strange requests get an explanation, not status 500."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.server.clients.conftest import Served, own_settings, serving
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.execution.sandbox.remote.wire import frame
from venus_toolkit.server import app

HALF = "\ud800"
"""Half of a character: JSON can name it, UTF-8 cannot."""
RUN = {"language": "python", "code": "print(1)"}
FILES = {"language": "python", "version": "*", "files": [{"content": "print(1)"}]}
COMPILE = {
    "language": "python",
    "compile_argv": ["true"],
    "run_argv": ["true"],
    "compile_limits": {},
    "files": [],
}
HEAD = (
    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    "%d\r\n\r\n"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with lower limits than the defaults of the protocols."""
    most = Limits(wall_ns=2 * NS_PER_S, cpu_ns=2 * NS_PER_S, memory_bytes=256 * MIB)
    with serving(own_settings(tmp_path_factory.mktemp("small"), workers=1, most=most)) as served:
        yield served


def connect(served: Served) -> socket.socket:
    host, port = served.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 60)


def ask(served: Served, path: str, body: Any) -> requests.Response:
    data = body if isinstance(body, bytes) else json.dumps(body)
    return requests.post(
        served.url + path, data, headers={"Content-Type": "application/json"}, timeout=60
    )


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/results", {"ids": [HALF]}, 404),
        ("/v1/jobs", {**RUN, HALF: 1}, 422),
        ("/v1/jobs", {**RUN, "interval_ns": 2**63}, 422),
        ("/run_code", {**RUN, "language": HALF}, 422),
        ("/run_code", {**RUN, "fetch_files": [HALF]}, 200),
        ("/run_code", {**RUN, "run_timeout": 1e300}, 200),
        ("/run_code", {**RUN, "run_timeout": 1e308, "compile_timeout": 1e308}, 200),
        ("/submit", {**RUN, "time_limit": 1e300}, 200),
        ("/submit", {**RUN, "memory_limit": 1e308}, 200),
        ("/api/v2/execute", {**FILES, "version": "9" * 5000}, 400),
        ("/api/v2/execute", {**FILES, "run_timeout": 1e300}, 400),
        ("/v1/sandbox/client/programs", frame({**COMPILE, "slot": "", "left": []}), 422),
        (
            "/v1/sandbox/client/programs",
            frame({**COMPILE, "slot": "", "left": [], "run_argv": [HALF]}, [b"1"]),
            503,
        ),
    ],
)
def test_strange_requests_are_explained(small: Served, path: str, body: Any, status: int) -> None:
    answer = ask(small, path, body)
    assert answer.status_code == status
    assert answer.json()


def test_names_are_returned_unchanged(small: Served) -> None:
    task = ask(small, "/monolith/async/execute", {**RUN, "libraries": [HALF]}).json()["task_id"]
    assert requests.get(f"{small.url}/results/{task}", timeout=60).json()["input_dict"][
        "libraries"
    ] == [HALF]


def test_protocol_defaults_stay_below_server_limits(small: Served) -> None:
    """Piston's default of 10 s for the compiler, and the probe for libraries, are accepted."""
    assert ask(small, "/api/v2/execute", FILES).json()["run"]["stdout"] == "1\n"
    answer = ask(
        small,
        "/execute",
        {"language": "python", "code": "import nothing", "libraries": ["nothing"]},
    )
    assert answer.status_code == 200
    assert "nothing not found" in answer.json()["error"]


def test_wrong_method_gets_the_allowed_ones(small: Served) -> None:
    answer = requests.request("PATCH", small.url + "/v1/jobs", timeout=60)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_errors_are_in_the_openapi_document(small: Served) -> None:
    paths = requests.get(small.url + "/openapi.json", timeout=60).json()["paths"]
    assert paths
    for path, operations in paths.items():
        for operation in operations.values():
            assert "default" in operation["responses"], path


def test_stalled_body_is_refused(serve: Callable[..., Served]) -> None:
    """A slow body is accepted: only pauses count, not the total time."""
    served = serve(workers=1, body_pause_s=0.5)
    body = json.dumps(RUN).encode()
    head = HEAD % ("/v1/jobs?wait=30", len(body))
    with connect(served) as slow:
        slow.sendall(head.encode())
        for at in range(0, len(body), 10):
            slow.sendall(body[at : at + 10])
            time.sleep(0.2)
        assert slow.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "path", ["/v1/jobs", "/execute", "/run_code", "/api/v2/execute", "/submit"]
)
def test_stalled_body_is_refused_by_every_protocol(serve: Callable[..., Served], path: str) -> None:
    served = serve(workers=1, body_pause_s=0.2)
    with connect(served) as connection:
        connection.sendall((HEAD % (path, 100)).encode() + b'{"language":')
        answer = b"".join(iter(lambda: connection.recv(1000), b""))  # until the server closes it
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"nothing more of its body came for 0.2 s" in answer
    assert served.service.metrics.refused[408] == 1


@pytest.mark.parametrize(
    "sent",
    ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET"],
    ids=["none", "half", "more"],
)
def test_stalled_head_is_closed(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    """This includes a second head on a connection, where uvicorn's own timeout has ended."""
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.5)
    served = serve(workers=1)
    with connect(served) as connection:
        connection.sendall(sent.encode())
        answer = b"".join(iter(lambda: connection.recv(1000), b""))  # until the server closes it
    assert answer.count(b"HTTP/1.1 200 OK") == sent.count("\r\n\r\n")


def test_waiting_for_a_result_is_not_a_pause(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.5)
    served = serve(workers=1, body_pause_s=0.3)
    answer = ask(
        served, "/run_code", {"language": "python", "code": "import time; time.sleep(3); print(1)"}
    )
    assert answer.json()["run_result"]["stdout"] == "1\n"
