"""Who may ask, and how much at once."""

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
    """The first part of what a server answers to these bytes."""
    with connect(served) as connection:
        connection.sendall(request)
        return connection.recv(2000)


def test_a_body_of_60_mib_is_refused_and_its_client_is_told(served: Any) -> None:
    """The whole of it is sent before the answer is read, as most clients do.

    A reset would take the answer away.
    """
    body = b'{"language": "python", "code": "' + b"x" * (60 * MIB) + b'"}'
    for _ in range(3):
        with contextlib.closing(served.connect()) as connection:
            connection.request("POST", "/v1/jobs", body)
            answer = connection.getresponse()
            assert answer.status == 413
            assert "50 MiB" in json.loads(answer.read())["error"]["why"]
    assert served.ask("GET", "/healthz").status == 200


def test_who_waits_to_be_asked_for_a_large_body_is_told_at_once(served: Any) -> None:
    head = JSON_HEAD + b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % (60 * MIB)
    assert answer_to(served, head).startswith(b"HTTP/1.1 413 ")


def test_one_that_does_not_say_how_long_it_is_too(served: Any) -> None:
    """No Content-Length: 60 chunks of 1 MiB."""
    with connect(served) as connection:
        connection.sendall(JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(60):
            connection.sendall(b"100000\r\n" + b" " * MIB + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert b" 413 " in connection.recv(200)
    assert served.ask("GET", "/healthz").status == 200


def test_without_a_key_a_large_request_is_told_so(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="k")
    assert server.ask("POST", "/v1/jobs", b" " * (20 * MIB)).status == 401


def test_with_keys_nothing_is_done_without_one(serving: Callable[..., Any], tmp_path: Path) -> None:
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


def test_keys_of_two_clients_do_not_meet(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="one, two")
    job = {"language": "python", "code": "print(1)"}
    ids = {
        server.ask("POST", "/v1/jobs", job, X_API_Key=key, Idempotency_Key="k").json["job_id"]
        for key in ("one", "two")
    }
    assert len(ids) == 2


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_a_key_nobody_else_can_reach_it(
    cli: Callable[..., Any], tmp_path: Path, host: str
) -> None:
    result = cli("serve", "--host", host, "--port", "0", "--queue", tmp_path / "q")
    assert result.exit_code == 2
    assert "there is no API key" in result.stderr
    assert "VENUS_API_KEY" in result.stderr


def test_with_a_key_others_can(serving: Callable[..., Any]) -> None:
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
def test_a_page_in_a_browser_cannot_use_it(served: Any, headers: dict[str, str]) -> None:
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
def test_a_request_names_the_server(served: Any, lines: bytes, status: int) -> None:
    assert answer_to(served, b"GET /v1/status " + lines + b"\r\n").startswith(
        b"HTTP/1.1 %d " % status
    )


def test_with_a_key_http_1_0_need_not(serving: Callable[..., Any]) -> None:
    server = serving(VENUS_API_KEY="k")
    assert answer_to(server, b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert answer_to(server, b"GET /healthz HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_its_own_page_can(served: Any) -> None:
    own = served.url.removeprefix("http://")
    assert served.ask("GET", "/v1/status", Host=own, Origin=served.url).status == 200


def test_an_empty_file_of_keys_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("\n")
    result = cli("serve", "--api-keys", tmp_path / "keys", "--queue", tmp_path / "q")
    assert result.exit_code == 2
    assert "there is no key in" in result.stderr


def test_a_port_that_is_taken(cli: Callable[..., Any], served: Any, tmp_path: Path) -> None:
    result = cli("serve", "--port", served.url.rpartition(":")[2], "--queue", tmp_path / "q")
    assert result.exit_code == 3
    assert "cannot listen on" in result.stderr
