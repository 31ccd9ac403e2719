"""Sessions of remote clients when the server itself fails: clients get an error and do not hang."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.server.queue.workers import WorkerPool
from venus_toolkit.server.remote.sessions import RunHeader, Sessions

PROGRAM = Program(load_languages()["python"], "print(1)")
WANTED = RunHeader.model_validate(
    {
        **{
            "program": "p",
            "slot": "s",
            "limits": {},
            "interval_ns": 10**6,
            "trace": False,
            "request": "r",
        },
        **{"first": 0, "again": False, "once": True, "left": []},
    }
)


class BrokenSandbox:
    """A sandbox whose methods all raise an error that is not a VenusError."""

    def compile(self, *_: object) -> Any:
        raise RuntimeError("a bug")

    def session(self, *_: object) -> Any:
        raise RuntimeError("a bug")


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    pool = WorkerPool([Cores()])
    pool.start()
    service: Any = SimpleNamespace(
        pool=pool, sandbox=BrokenSandbox(), settings=SimpleNamespace(sessions=9)
    )
    yield Sessions(service)
    pool.close(9)


def test_bug_in_compiling_is_reported(sessions: Sessions) -> None:
    async def ask() -> None:
        await asyncio.wait_for(sessions.compile("client", "slot", PROGRAM), 9)

    with pytest.raises(SandboxError, match="the server has a bug: RuntimeError: a bug"):
        asyncio.run(ask())


def test_bug_in_running_is_reported(sessions: Sessions) -> None:
    async def ask() -> bytes:
        compiled: Any = object()
        sessions._client("client").programs["p"] = compiled

        async def frames() -> bytes:
            return b"".join(
                [part async for part in sessions.run("client", "session", WANTED, [b""])]
            )

        return await asyncio.wait_for(frames(), 9)

    response = asyncio.run(ask())
    assert b"the server has a bug" in response
    assert b"RuntimeError: a bug" in response
