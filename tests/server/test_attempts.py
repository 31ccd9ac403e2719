"""While a job is written to disk, its worker prepares the sandbox but runs nothing."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from venus_toolkit.core.records import Run, Verdict
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox.session import SupervisedSession
from venus_toolkit.server.http_errors import ConflictingKeyError, NoRoomError
from venus_toolkit.server.queue import journal
from venus_toolkit.server.queue.jobs import Job, JobResult
from venus_toolkit.server.queue.journal import NewRow
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

pytestmark = pytest.mark.skipif(bool(why_not_isolated()), reason="programs cannot be isolated here")

JOB = Job("python", "print(int(input()) * 2)", ("21\n",), ("42\n",))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The recorded calls of sessions."""
    words: list[str] = []
    prepare, run = SupervisedSession.prepare, SupervisedSession.run

    def prepared(session: SupervisedSession) -> None:
        prepare(session)
        words.append("prepare")

    def ran(session: SupervisedSession, stdins: Iterable[bytes]) -> Iterator[Run]:
        words.append("run")
        return run(session, stdins)

    monkeypatch.setattr(SupervisedSession, "prepare", prepared)
    monkeypatch.setattr(SupervisedSession, "run", ran)
    return words


class SlowDisk:
    """Delays the acceptance of jobs until it is released, and can then make it fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        self.go.set()
        self.full = False
        self._accept = journal.accept
        monkeypatch.setattr(journal, "accept", self)

    def __call__(self, connection: sqlite3.Connection, rows: Sequence[NewRow]) -> list[str]:
        """Accept jobs, or fail."""
        self.go.wait(10)
        if self.full:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return self._accept(connection, rows)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> SlowDisk:
    return SlowDisk(monkeypatch)


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[Callable[[Service], Any]], None]:
    """Runs an async function with a service of one worker."""

    def use(work: Callable[[Service], Any]) -> None:
        async def main() -> None:
            service = Service(Settings(folder=tmp_path / "queue", workers=1, sandbox="local"))
            await service.start()
            try:
                await work(service)
            finally:
                await service.close()

        asyncio.run(main())

    return use


async def soon(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it took too long")


async def judged(service: Service, key: str | None = None) -> JobResult:
    return await service.wait(await service.submit(JOB, key), 60)


def test_session_is_prepared_while_the_job_is_written(
    serve: Callable[..., None], disk: SlowDisk, seen: list[str]
) -> None:
    async def work(service: Service) -> None:
        await judged(service)  # the program is compiled now
        seen.clear()
        disk.go.clear()
        submitting = asyncio.ensure_future(judged(service))
        await soon(lambda: bool(seen))
        await asyncio.sleep(0.2)
        assert seen == ["prepare"]
        disk.go.set()
        assert (await submitting).verdict == Verdict.ACCEPTED
        assert seen == ["prepare", "run"]

    serve(work)


def test_result_is_sent_before_the_session_is_closed(
    serve: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, closed = threading.Event(), threading.Event()
    close = SupervisedSession.close

    def late(session: SupervisedSession) -> None:
        assert sent.wait(60)
        close(session)
        closed.set()

    async def work(service: Service) -> None:
        await judged(service)  # compilers have sessions too
        monkeypatch.setattr(SupervisedSession, "close", late)
        assert (await judged(service)).verdict == Verdict.ACCEPTED
        assert not closed.is_set()
        sent.set()
        await soon(closed.is_set)

    serve(work)


def test_compilation_waits_for_the_disk(
    serve: Callable[..., None], disk: SlowDisk, seen: list[str]
) -> None:
    job = dataclasses.replace(JOB, code=f"{JOB.code}  # {uuid.uuid4()}")

    async def work(service: Service) -> None:
        disk.go.clear()
        submitting = asyncio.ensure_future(service.submit(job))
        await soon(lambda: service.pool.workers[0].busy)
        await asyncio.sleep(0.2)
        assert seen == []
        disk.go.set()
        assert (await service.wait(await submitting, 60)).verdict == Verdict.ACCEPTED
        assert seen[0] == "run", "the compiler"

    serve(work)


def test_job_refused_by_the_disk_never_runs(
    serve: Callable[..., None], disk: SlowDisk, seen: list[str]
) -> None:
    async def work(service: Service) -> None:
        await judged(service)
        seen.clear()
        disk.go.clear()
        disk.full = True
        submitting = asyncio.ensure_future(judged(service))
        await soon(lambda: bool(seen))
        disk.go.set()
        with pytest.raises(NoRoomError):
            await submitting
        await soon(lambda: not service.pool.workers[0].busy)
        assert seen == ["prepare"]
        assert (service.status().queued, service.status().running) == (0, 0)
        disk.full = False
        await soon(lambda: not service.status().trouble)
        assert (await judged(service)).verdict == Verdict.ACCEPTED

    serve(work)


def test_repeated_key_runs_once(serve: Callable[..., None], seen: list[str]) -> None:
    async def work(service: Service) -> None:
        first = await judged(service, "key")
        seen.clear()
        assert (await judged(service, "key")).job_id == first.job_id
        with pytest.raises(ConflictingKeyError):
            await service.submit(Job("python", "print(1)"), "key")
        await judged(service)  # one worker runs one job after the other
        assert seen.count("run") == 1

    serve(work)
