"""Sessions for clients elsewhere, where the server itself fails.

The client is told, and never waits for ever.
"""

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
    """Fails at everything, and not with an error of ours."""

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


def test_a_bug_in_compiling_is_told(sessions: Sessions) -> None:
    async def ask() -> None:
        await asyncio.wait_for(sessions.compile("client", "slot", PROGRAM), 9)

    with pytest.raises(SandboxError, match="the server has a bug: RuntimeError: a bug"):
        asyncio.run(ask())


def test_a_bug_in_running_is_told(sessions: Sessions) -> None:
    async def ask() -> bytes:
        compiled: Any = object()
        sessions._client("client").programs["p"] = compiled

        async def frames() -> bytes:
            return b"".join(
                [each async for each in sessions.run("client", "session", WANTED, [b""])]
            )

        return await asyncio.wait_for(frames(), 9)

    said = asyncio.run(ask())
    assert b"the server has a bug" in said
    assert b"RuntimeError: a bug" in said
