"""Responses to a client: frames are sent together, and none waits for long."""

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
def long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that are long enough to be observed on a busy machine."""
    monkeypatch.setattr(response_stream, "REST_S", REST_S)


def from_a_worker(stream: ResponseStream, *frames: bytes, last: bool = False) -> None:
    def add() -> None:
        for frame in frames:
            stream.add(frame, last=last and frame == frames[-1])

    thread = threading.Thread(target=add)
    thread.start()
    thread.join()


async def later(packets: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(packets), 10)


def test_first_run_is_sent_alone_and_the_next_together() -> None:
    async def main() -> list[bytes]:
        stream = ResponseStream("request", asyncio.get_running_loop())
        packets = stream.read(0)
        from_a_worker(stream, b"a")
        received = [await later(packets)]
        coming = asyncio.ensure_future(later(packets))
        await asyncio.sleep(REST_S / 50)
        for frame in (b"b", b"c", b"d"):
            from_a_worker(stream, frame)
            await asyncio.sleep(REST_S / 100)
        assert not coming.done(), "the pause has not ended"
        return [*received, await coming]

    assert asyncio.run(main()) == [b"a", b"bcd"]


def test_last_frame_is_sent_at_once() -> None:
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


def test_second_reader_gets_frames_during_a_pause() -> None:
    async def main() -> list[bytes]:
        stream = ResponseStream("request", asyncio.get_running_loop())
        first, second = stream.read(0), stream.read(1)
        from_a_worker(stream, b"a")
        await later(first)
        resting, waiting = (asyncio.ensure_future(later(reader)) for reader in (first, second))
        await asyncio.sleep(REST_S / 50)
        from_a_worker(stream, b"b")
        return list(await asyncio.gather(resting, waiting))

    assert asyncio.run(main()) == [b"b", b"b"]


def test_leaving_reader_does_not_block_the_next() -> None:
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
