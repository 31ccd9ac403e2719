"""Answers on their way to a client.

What comes at once goes together, and nothing waits for long.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from venus_toolkit.server.remote import response_stream
from venus_toolkit.server.remote.response_stream import ResponseStream

REST_S = 1.5


@pytest.fixture(autouse=True)
def long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rests that are long enough to be seen on a busy machine."""
    monkeypatch.setattr(response_stream, "REST_S", REST_S)


def from_a_worker(stream: ResponseStream, *frames: bytes, last: bool = False) -> None:
    def add() -> None:
        for each in frames:
            stream.add(each, last=last and each == frames[-1])

    thread = threading.Thread(target=add)
    thread.start()
    thread.join()


async def later(packets: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(packets), 10)


def test_the_first_run_is_sent_at_once_and_the_next_ones_together() -> None:
    async def main() -> list[bytes]:
        stream = ResponseStream("request", asyncio.get_running_loop())
        packets = stream.read(0)
        from_a_worker(stream, b"a")
        found = [await later(packets)]
        coming = asyncio.ensure_future(later(packets))
        await asyncio.sleep(REST_S / 50)
        for each in (b"b", b"c", b"d"):
            from_a_worker(stream, each)
            await asyncio.sleep(REST_S / 100)
        assert not coming.done(), "they are still resting"
        return [*found, await coming]

    assert asyncio.run(main()) == [b"a", b"bcd"]


def test_the_end_does_not_wait() -> None:
    async def main() -> tuple[bytes, float]:
        stream = ResponseStream("request", asyncio.get_running_loop())
        packets = stream.read(0)
        from_a_worker(stream, b"a")
        await later(packets)
        coming = asyncio.ensure_future(later(packets))
        await asyncio.sleep(0)
        begun = time.monotonic()
        from_a_worker(stream, b"b", b"end", last=True)
        return await coming, time.monotonic() - begun

    response_stream.REST_S = 60.0
    assert asyncio.run(main()) < (b"bend", 30.0)


def test_a_second_reader_hears_of_what_came_while_the_first_one_rested() -> None:
    async def main() -> list[bytes]:
        stream = ResponseStream("request", asyncio.get_running_loop())
        first, second = stream.read(0), stream.read(1)
        from_a_worker(stream, b"a")
        await later(first)
        resting, waiting = (asyncio.ensure_future(later(each)) for each in (first, second))
        await asyncio.sleep(REST_S / 50)
        from_a_worker(stream, b"b")
        return list(await asyncio.gather(resting, waiting))

    assert asyncio.run(main()) == [b"b", b"b"]


def test_a_reader_that_goes_away_while_it_rests_does_not_keep_the_next_one_waiting() -> None:
    async def main() -> bytes:
        stream = ResponseStream("request", asyncio.get_running_loop())
        first = stream.read(0)
        from_a_worker(stream, b"a")
        await later(first)
        resting = asyncio.ensure_future(later(first))
        await asyncio.sleep(0.01)
        resting.cancel()
        await asyncio.wait([resting])
        waiting = asyncio.ensure_future(later(stream.read(1)))
        await asyncio.sleep(0.01)
        from_a_worker(stream, b"b")
        return await waiting

    response_stream.REST_S = 60.0
    assert asyncio.run(main()) == b"b"
