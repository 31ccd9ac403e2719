"""A real server in its own process, and a client for it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

ROOT = Path(__file__).resolve().parents[2]
DOUBLE = "print(int(input()) * 2)"
SLEEP = "import time; time.sleep(float(input()))"


class Reply(NamedTuple):
    """The response of a server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass
class Served:
    """A `venus serve` on a free port; `start` may be called again after `stop`."""

    folder: Path
    words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None
    url: str = ""

    def start(self) -> Served:
        """Start the server and wait until it answers."""
        argv = [
            sys.executable,
            "-m",
            "venus_toolkit",
            "serve",
            "--port",
            "0",
            "--queue",
            str(self.folder),
            *self.words,
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **self.environment}
        self.process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        assert self.url, self.process.communicate()[1]
        return self

    def stop(self, number: int = signal.SIGTERM, seconds: float = 60) -> tuple[int, str]:
        """Stop the server with a signal; return its exit code and its standard error."""
        assert self.process
        self.process.send_signal(number)
        stderr = self.process.communicate(timeout=seconds)[1]
        return self.process.returncode, stderr

    def connect(self, seconds: float = 60) -> http.client.HTTPConnection:
        """Return a connection."""
        return http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=seconds)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """Send a request; a body other than bytes is sent as JSON.

        `_` in the name of a header stands for `-`.
        """
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, path, data, {"Content-Type": "application/json", **named})
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.headers), answer.read())

    def submit(self, code: str = DOUBLE, **fields: object) -> str:
        """Submit a Python job and return its id."""
        reply = self.ask("POST", "/v1/jobs", {"language": "python", "code": code, **fields})
        assert reply.status == 202, reply
        job_id: str = reply.json["job_id"]
        return job_id

    def result(self, job_id: str, wait: float = 60) -> Any:
        """Return the result of a job."""
        return self.ask("GET", f"/v1/jobs/{job_id}?wait={wait}").json


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers with given options, and stops them at the end."""
    started: list[Served] = []

    def start(*words: str, folder: Path | None = None, **environment: str) -> Served:
        served = Served(folder or tmp_path / "queue", words, environment)
        started.append(served)
        return served.start()

    yield start
    for served in started:
        if served.process and served.process.poll() is None:
            served.process.kill()
            served.process.communicate()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that tests share; they only submit jobs."""
    served = Served(tmp_path_factory.mktemp("served") / "queue", ("--workers", "2")).start()
    yield served
    code, stderr = served.stop()
    assert (code, stderr) == (0, "stopping…\n")
