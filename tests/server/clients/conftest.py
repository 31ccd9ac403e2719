"""A server for clients of other protocols: a real uvicorn in its own thread, on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.contract.conftest import bubblewrap_problem
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

PROBLEM = bubblewrap_problem()


class Served(NamedTuple):
    """A running server: its address, and its service."""

    url: str
    service: Service


@contextlib.contextmanager
def serving(settings: Settings) -> Iterator[Served]:
    """Serve until the block ends."""
    import uvicorn

    from venus_toolkit.server.app import JobServer, create_app

    listening = socket.create_server(("127.0.0.1", 0))
    service = Service(settings)
    ready = threading.Event()
    config = uvicorn.Config(create_app(settings, service), log_level="error", access_log=False)
    server = JobServer(config, service, ready.set)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    assert ready.wait(60)
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", service)
    finally:
        server.should_exit = True
        thread.join()


def own_settings(folder: Path, **values: Any) -> Settings:
    """Return the settings of a server for one test.

    It skips the test if programs cannot be isolated.
    """
    if PROBLEM:
        pytest.skip(f"programs cannot be isolated: {PROBLEM}")
    return Settings(folder, **{"drain_s": 5, "sandbox": "local", **values})


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that do not change it."""
    with serving(own_settings(tmp_path_factory.mktemp("served"))) as server:
        yield server


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts a server for one test, with its settings."""
    with contextlib.ExitStack() as stack:
        yield lambda **values: stack.enter_context(
            serving(own_settings(tmp_path / "queue", **values))
        )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The default settings."""
    return Settings(tmp_path)
