"""Access to the server: keys, hosts, origins, and the size of requests."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MIB = 1 << 20


JSON_HEAD = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def connect(served: Any) -> socket.socket:
    host, port = served.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 30)


def answer_to(served: Any, request: bytes) -> bytes:
    """Return the first part of the response to these bytes."""
    with connect(served) as connection:
        connection.sendall(request)
        return connection.recv(2000)


def test_client_reads_the_refusal_of_a_large_body(served: Any) -> None:
    """Most clients send the whole body before they read; a reset would lose the response."""
    body = b'{"language": "python", "code": "' + b"x" * (60 * MIB) + b'"}'
    for _ in range(3):
        with contextlib.closing(served.connect()) as connection:
            connection.request("POST", "/v1/jobs", body)
            answer = connection.getresponse()
            assert answer.status == 413
            assert "50 MiB" in json.loads(answer.read())["error"]["why"]
    assert served.ask("GET", "/healthz").status == 200


def test_expect_continue_with_a_large_body_is_refused_at_once(served: Any) -> None:
    head = JSON_HEAD + b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % (60 * MIB)
    assert answer_to(served, head).startswith(b"HTTP/1.1 413 ")


def test_large_chunked_body_is_refused(served: Any) -> None:
    """60 chunks of 1 MiB, without Content-Length."""
    with connect(served) as connection:
        connection.sendall(JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(60):
            connection.sendall(b"100000\r\n" + b" " * MIB + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert b" 413 " in connection.recv(200)
    assert served.ask("GET", "/healthz").status == 200


def test_large_request_without_a_key_gets_401(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="k")
    assert server.ask("POST", "/v1/jobs", b" " * (20 * MIB)).status == 401


def test_requests_without_a_key_are_refused(serving: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("first\nsecond\n")
    server = serving("--api-keys", str(file))
    job = {"language": "python", "code": "print(1)"}
    for headers in (
        {},
        {"Authorization": "Bearer third"},
        {"X_API_Key": ""},
        {"Authorization": "first"[:-1]},
    ):
        refused = server.ask("POST", "/v1/jobs", job, **headers)
        assert refused.status == 401
        assert "API key" in refused.json["error"]["what"]
    assert server.ask("POST", "/v1/jobs", job, X_API_Key="second").status == 202
    assert server.ask("POST", "/v1/jobs", job, Authorization="Bearer first").status == 202
    assert server.ask("GET", "/metrics").status == 401
    assert server.ask("GET", "/healthz").status == 200


def test_idempotency_keys_are_per_client(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="one, two")
    job = {"language": "python", "code": "print(1)"}
    ids = {
        server.ask("POST", "/v1/jobs", job, X_API_Key=key, Idempotency_Key="k").json["job_id"]
        for key in ("one", "two")
    }
    assert len(ids) == 2


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_server_without_keys_is_local(cli: Callable[..., Any], tmp_path: Path, host: str) -> None:
    result = cli("serve", "--host", host, "--port", "0", "--queue", tmp_path / "q")
    assert result.exit_code == 2
    assert "there is no API key" in result.stderr
    assert "VENUS_API_KEY" in result.stderr


def test_server_with_keys_is_reachable(serving: Callable[..., Any]) -> None:
    server = serving("--host", "0.0.0.0", VENUS_API_KEY="k")
    assert server.ask("GET", "/v1/status", X_API_Key="k", Host="example.org").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
    ],
)
def test_cross_site_requests_are_refused(served: Any, headers: dict[str, str]) -> None:
    refused = served.ask("POST", "/v1/jobs", {"language": "python", "code": ""}, **headers)
    assert refused.status == 403


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (b"HTTP/1.1\r\n", 400),
        (b"HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
        (b"HTTP/1.1\r\nHost:\r\n", 403),
        (b"HTTP/1.1\r\nHost: [::1\r\n", 403),
        (b"HTTP/1.1\r\nHost: localhost\r\nOrigin: http://[\r\n", 403),
        (b"HTTP/1.1\r\nHost: [::1]:80\r\n", 200),
        (b"HTTP/1.0\r\n", 403),
        (b"HTTP/1.0\r\nHost: localhost\r\n", 200),
    ],
)
def test_request_needs_one_host(served: Any, lines: bytes, status: int) -> None:
    assert answer_to(served, b"GET /v1/status " + lines + b"\r\n").startswith(
        b"HTTP/1.1 %d " % status
    )


def test_http_1_0_needs_no_host(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="k")
    assert answer_to(server, b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert answer_to(server, b"GET /healthz HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_same_origin_requests_are_accepted(served: Any) -> None:
    own = served.url.removeprefix("http://")
    assert served.ask("GET", "/v1/status", Host=own, Origin=served.url).status == 200


def test_an_empty_file_of_keys_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("\n")
    result = cli("serve", "--api-keys", tmp_path / "keys", "--queue", tmp_path / "q")
    assert result.exit_code == 2
    assert "there is no key in" in result.stderr


def test_port_in_use(cli: Callable[..., Any], served: Any, tmp_path: Path) -> None:
    result = cli("serve", "--port", served.url.rpartition(":")[2], "--queue", tmp_path / "q")
    assert result.exit_code == 3
    assert "cannot listen on" in result.stderr
