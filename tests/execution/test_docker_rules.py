"""The Docker sandbox without a daemon: image names, addresses, makers of containers, frames."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.machine.debian import PackageSource, parse_sources
from venus_toolkit.execution.sandbox import opening
from venus_toolkit.execution.sandbox.docker import daemon, docker_client, language_images
from venus_toolkit.execution.sandbox.docker.container import Demultiplexed
from venus_toolkit.execution.sandbox.opening import open_sandbox

LANGUAGES = load_languages()


def test_the_paper_image_comes_first() -> None:
    cpp = LANGUAGES["cpp"]
    paper, current, debian = language_images.candidates(cpp)
    assert (paper, current, debian) == (
        "venus-cpp:gcc-11.2.0-bullseye",
        "venus-cpp:gcc-15-bookworm",
        "venus-cpp:debian",
    )
    assert language_images.choose(cpp, {paper, current, debian}) == paper
    assert language_images.choose(cpp, {current, debian}) == current
    assert language_images.choose(cpp, {debian, "venus-go:debian"}) == debian
    assert language_images.choose(cpp, {"gcc:11.2.0-bullseye", "venus-go:debian"}) is None


def test_image_name_of_another_registry() -> None:
    language = dataclasses.replace(LANGUAGES["cpp"], image="registry.example/tools/gcc@sha256:12")
    assert (
        language_images.image_on(language, language.image)
        == "venus-cpp:registry.example-tools-gcc-sha256-12"
    )


def test_package_sources() -> None:
    main, security = "http://deb.example/debian", "http://deb.example/security"
    lines = [
        f"{main}|bookworm|main", f"{main}|bookworm|contrib", f"{main}|bookworm|main",
        f"{security}|bookworm-security|main", "http://apt.example|bookworm-pgdg|main",
        "https://deb.example|nodistro|main",
    ]  # fmt: skip
    assert parse_sources(lines, "bookworm") == [
        PackageSource(main, "bookworm", ("main", "contrib")),
        PackageSource(security, "bookworm-security", ("main",)),
    ]


def test_docker_host_is_respected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    assert daemon.address() == f"unix://{tmp_path}/docker.sock"
    reason, fix = daemon.problem() or ("", "")
    assert "does not exist" in reason
    assert "DOCKER_HOST" in fix
    with pytest.raises(SandboxError, match="there is no Docker daemon"):
        open_sandbox("docker")
    monkeypatch.delenv("DOCKER_HOST")
    assert daemon.address() == "unix:///var/run/docker.sock"


class Replies(socketserver.BaseRequestHandler):
    """A daemon that answers a request with the body for its path, or never."""

    bodies: dict[str, bytes] = {}  # noqa: RUF012

    def handle(self) -> None:
        """Answer one request; for an unknown path, wait until the client gives up."""
        path = self.request.recv(1 << 16).split()[1].decode()
        body = next((body for end, body in self.bodies.items() if path.endswith(end)), None)
        if body is None:
            self.request.recv(1)
            return
        head = (
            b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(body)
        )
        self.request.sendall(head + body)


@pytest.fixture
def start_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Starts a daemon at DOCKER_HOST that answers some requests and ignores all others."""
    with contextlib.ExitStack() as stack:

        def start(**bodies: bytes) -> str:
            monkeypatch.setattr(
                Replies, "bodies", {f"/{path}": body for path, body in bodies.items()}
            )
            server = socketserver.ThreadingUnixStreamServer(f"{tmp_path}/docker.sock", Replies)
            stack.enter_context(server)
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(server.shutdown)
            url = f"unix://{tmp_path}/docker.sock"
            monkeypatch.setenv("DOCKER_HOST", url)
            return url

        yield start


def open_error() -> SandboxError:
    with pytest.raises(SandboxError) as caught:
        open_sandbox("docker")
    return caught.value


def test_working_daemon(start_daemon: Callable[..., str]) -> None:
    assert daemon.problem(start_daemon(_ping=b"OK")) is None


@pytest.mark.serial
def test_a_daemon_that_never_answers(start_daemon: Callable[..., str]) -> None:
    """A daemon that accepts a connection and never answers must not block for ever."""
    start_daemon()
    began = time.monotonic()
    assert "does not answer (timed out)" in open_error().why
    assert not opening._docker_has(None)
    assert time.monotonic() - began < 10


@pytest.mark.serial
def test_a_daemon_that_stops_answering(
    start_daemon: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_client, "FIRST_ANSWER_S", 0.2)
    start_daemon(_ping=b"OK")
    began = time.monotonic()
    error = open_error()
    assert error.what == "the Docker daemon cannot be used"
    assert "DOCKER_HOST" in error.fix
    assert time.monotonic() - began < 10


def test_a_daemon_that_is_too_old(start_daemon: Callable[..., str]) -> None:
    start_daemon(_ping=b"OK", version=b'{"ApiVersion": "1.40"}')
    error = open_error()
    assert error.what == "the Docker daemon is too old"
    assert error.why == "it supports API 1.40, but 1.41 is required"


def test_other_server_at_the_address(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/docker.sock")
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(100).startswith(b"GET /_ping")
                connection.sendall(b"SSH-2.0-x")

        thread = threading.Thread(target=answer)
        thread.start()
        reason, _ = daemon.problem(f"unix://{tmp_path}/docker.sock") or ("", "")
        thread.join()
    assert "not a Docker daemon" in reason


@pytest.mark.parametrize(
    "url", ["nonsense", "/var/run/docker.sock", "fd://", "http://[::1", "tcp://localhost:99999"]
)
def test_malformed_addresses(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", url)
    error = open_error()
    assert error.what == "there is no Docker daemon"
    assert error.why.startswith(f"DOCKER_HOST is {url!r}, which is not the address of a daemon (")
    assert error.fix == "set it, say to unix:///var/run/docker.sock"


@pytest.mark.serial
def test_missing_daemon_is_detected_fast(tmp_path: Path) -> None:
    start = time.monotonic()
    for _ in range(10):
        assert daemon.problem(f"unix://{tmp_path}/docker.sock")
    assert time.monotonic() - start < 0.1


def test_auto_is_local_without_a_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    assert not opening._docker_has(None)


def test_maker_is_dead_only_if_certain() -> None:
    me = docker_client.this_process()
    assert not me.dead
    assert me._replace(start="1").dead
    assert me._replace(pid="4194999").dead
    assert not me._replace(pid="4194999", boot="another machine").dead
    assert not me._replace(pid="4194999", namespace="pid:[1]").dead
    assert docker_client.maker(docker_client.labels()) == me
    assert docker_client.maker({"venus": "1"}) is None
    assert docker_client.maker({"venus": "1", "venus.maker": "1 2"}) is None


def frame(stream: int, data: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def test_output_streams_are_separated() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(
            frame(1, b"one ") + frame(2, b"trouble") + frame(1, b"") + frame(1, b"two") + b"\1\0\0"
        )
        theirs.close()
        output = Demultiplexed(ours)
        assert output.read() == b"one two"
        assert output.stderr == b"trouble"
