"""Jobs and results in the journal; callers get disk errors."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from venus_toolkit.core.errors import SandboxError, StoreError
from venus_toolkit.core.records import Limits, Measurement, OutputComparison, Run, Verdict, to_plain
from venus_toolkit.execution.sandbox.remote.wire import frame, read_frame, run_frame, run_of
from venus_toolkit.server.http_errors import NoRoomError
from venus_toolkit.server.prometheus import Histogram, family
from venus_toolkit.server.queue import journal
from venus_toolkit.server.queue.jobs import (
    Job,
    JobResult,
    JobState,
    job_from_json,
    result_from_json,
    to_json,
)
from venus_toolkit.server.queue.journal import Journal, NewRow
from venus_toolkit.server.service import COMPANY, CRASHES

RUN = Run(
    0,
    None,
    None,
    *range(1, 5),
    13,
    "rusage",
    None,
    *range(10, 20),
    False,
    True,
    "x",
    "cgroup",
    "cpu",
    instructions=7,
    uncounted="it was",
    runnable_ns=21,
    stdout=b"12\n",
    stderr=b"\xc3\xa9",
    trace=((1, 2),),
)
RESULT = JobResult(
    "id",
    JobState.DONE,
    language="cpp",
    verdict=Verdict.WRONG_ANSWER,
    failing_test=1,
    compile_run=RUN,
    runs=(RUN, RUN),
    verdicts=(Verdict.ACCEPTED, Verdict.WRONG_ANSWER),
    measurement=Measurement(*(1,) * 10, repeats=1, tests=2, noise=("stolen_time",)),
    rounds=((RUN,),),
    notes=("again",),
    cores=(1, None),
)


def test_job_roundtrip() -> None:
    job = Job(
        "cpp",
        "x",
        ("1", "é"),
        ("2", None),
        OutputComparison("float", 0.1),
        files=(("a", "eA=="),),
        limits=Limits(wall_ns=5),
    )
    assert job_from_json(to_json(job)) == job


def test_result_roundtrip() -> None:
    assert result_from_json(to_json(RESULT)) == RESULT
    assert result_from_json(to_json(JobResult("id", JobState.QUEUED))) == JobResult(
        "id", JobState.QUEUED
    )
    failed = JobResult("id", JobState.FAILED, error="cannot open \udcff")
    assert result_from_json(to_json(failed)) == failed


def test_results_are_plain_records() -> None:
    assert json.loads(to_json(RESULT)) == json.loads(json.dumps(to_plain(RESULT)))


def test_run_roundtrip_over_the_wire() -> None:
    data = run_frame(RUN) + frame({"end": True})
    read = reader(data)
    received = read_frame(read)
    assert received is not None
    assert run_of(received) == RUN
    last = read_frame(read)
    assert last is not None
    assert last.header == {"end": True}
    assert read_frame(read) is None


@pytest.mark.parametrize("data", [b"\0\0", b"\0\0\0\x05{}", run_frame(RUN)[:-1]])
def test_truncated_frame(data: bytes) -> None:
    with pytest.raises(EOFError):
        read_frame(reader(data))


@pytest.mark.parametrize(
    "data", [b"\xff\xff\xff\xff{}", b"\0\0\0\x02[]", b"\0\0\0\x02{}", b"\0\0\0\x02{x"]
)
def test_invalid_frame(data: bytes) -> None:
    with pytest.raises(SandboxError):
        read_frame(reader(data))


def reader(data: bytes) -> Callable[[int], bytes]:
    return io.BytesIO(data).read


# ------------------------------------------------------------------ the journal


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Journal]:
    book = Journal(tmp_path / "queue")
    yield book
    book.close()


def row(job_id: str, key: str | None = None, digest: str = "d") -> NewRow:
    return NewRow(job_id, key, digest, b"{}")


def accept(book: Journal, *rows: NewRow) -> Future[list[str]]:
    return book.call(lambda db: journal.accept(db, rows))


def test_failing_work_does_not_affect_others(book: Journal) -> None:
    """A transaction combines the work of many callers; a failure reaches only its own caller."""
    gate = threading.Event()
    book.call(lambda _: gate.wait(10))

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("insert into nowhere values (1)")

    good, bad, last = accept(book, row("a")), book.call(fail), accept(book, row("b"))
    gate.set()
    assert (good.result(10), last.result(10)) == (["a"], ["b"])
    with pytest.raises(StoreError):
        bad.result(10)
    assert [job.job_id for job in book.call(journal.recover).result(10)] == ["a", "b"]


def test_cancelled_work_is_skipped(book: Journal) -> None:
    gate = threading.Event()
    book.call(lambda _: gate.wait(10))
    first, second = accept(book, row("a")), accept(book, row("b"))
    assert second.cancel()
    gate.set()
    assert first.result(10) == ["a"]
    assert [job.job_id for job in book.call(journal.recover).result(10)] == ["a"]


def test_bug_in_work_does_not_end_the_journal(book: Journal) -> None:
    def mistaken(connection: sqlite3.Connection) -> None:
        raise KeyError("no such name")

    with pytest.raises(KeyError):
        book.call(mistaken).result(10)
    assert accept(book, row("a")).result(10) == ["a"]


def test_full_disk_has_its_own_error(book: Journal) -> None:
    book.call(
        lambda connection: connection.execute("pragma max_page_count = 10").fetchall()
    ).result(10)
    with pytest.raises(NoRoomError) as caught:
        accept(book, NewRow("a", None, "d", bytes(1 << 20))).result(10)
    assert "accepted jobs are not lost" in caught.value.fix
    assert accept(book, row("b")).result(10) == ["b"]


def test_key_is_used_for_one_job(book: Journal) -> None:
    assert accept(book, row("a", "k")).result(10) == ["a"]
    assert accept(book, row("b", "k"), row("c")).result(10) == ["a", "c"]
    assert accept(book, row("d"), row("e", "k", "other")).result(10) == ["d", ""]
    assert book.call(lambda db: journal.find(db, ["d"])).result(10) == {}


def recovered(folder: Path) -> list[tuple[str, int, int]]:
    """Return the jobs that a new server recovers, with their crashes and blamed crashes."""
    book = Journal(folder)
    jobs = book.call(journal.recover).result(10)
    book.close()
    return [(job.job_id, job.crashes, job.blamed) for job in jobs]


def begin(book: Journal, *names: str) -> None:
    for name in names:
        book.call(partial(journal.begin, job_id=name)).result(10)


def finish(book: Journal, *names: str) -> None:
    for name in names:
        book.call(partial(journal.finish, job_id=name, state=JobState.DONE, result=b"{}")).result(
            10
        )


def test_crashed_jobs_go_behind_waiting_ones(tmp_path: Path) -> None:
    book = Journal(tmp_path)
    accept(book, row("a"), row("b"), row("c"), row("d")).result(10)
    assert book.call(lambda db: journal.begin(db, "a")).result(10) == b"{}"
    begin(book, "b")
    finish(book, "d")
    book.close()
    for _ in range(2):  # no job runs before the second recovery
        assert recovered(tmp_path) == [("c", 0, 0), ("a", 1, 0), ("b", 1, 0)], (
            "either may be at fault"
        )
    again = Journal(tmp_path)
    begin(again, "c")
    accept(again, row("e")).result(10)
    again.close()
    assert recovered(tmp_path) == [("a", 1, 0), ("b", 1, 0), ("e", 0, 0), ("c", 1, 1)], (
        "it ran alone"
    )


def test_crash_with_only_finished_jobs_blames_none(tmp_path: Path) -> None:
    book = Journal(tmp_path)
    accept(book, row("a"), row("b"), row("c")).result(10)
    for name in ("a", "b", "c", "c"):
        begin(book, name)
        book.close()
        book = Journal(tmp_path)
        book.call(journal.recover).result(10)
    book.close()
    assert recovered(tmp_path) == [("a", 1, 1), ("b", 1, 1), ("c", 2, 2)]
    book = Journal(tmp_path)
    finish(book, "a")
    book.close()
    assert recovered(tmp_path) == [("b", 1, 0), ("c", 2, 1)], "the kills come from outside"
    book = Journal(tmp_path)
    book.call(lambda db: journal.forget(db, 2**62)).result(10)
    book.close()
    assert recovered(tmp_path) == [("b", 1, 1), ("c", 2, 2)], (
        "earlier crashes no longer excuse a job"
    )


def test_queue_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "queue.sqlite")) as old:
        old.executescript(
            "create table jobs (seq integer primary key autoincrement, id text not null "
            "unique, key text unique,"
            " digest text not null, state text not null, size integer not null, job blob, "
            "result blob,"
            " attempts integer not null default 0, submitted_ns integer not null, started_ns "
            "integer,"
            " finished_ns integer); insert into jobs (id, digest, state, size, job, submitted_ns)"
            " values ('a', 'd', 'running', 2, '{}', 1);"
        )
    assert recovered(tmp_path) == [("a", 1, 1)]


def served_until_killed(
    folder: Path, workers: int, lasts: Callable[[str], float], until: float
) -> list[str]:
    """Run the next server until it is killed; return the jobs that it gives up."""
    book = Journal(folder)
    left = book.call(journal.recover).result(10)
    given_up = [job.job_id for job in left if job.blamed >= CRASHES]
    waiting = [job for job in left if job.job_id not in given_up]
    running: list[tuple[float, str]] = []
    alone = False
    now = 0.0
    while True:
        while waiting and len(running) < workers and not alone:
            alone = waiting[0].crashes >= COMPANY
            if alone and running:
                alone = False
                break
            name = waiting.pop(0).job_id
            begin(book, name)
            running.append((now + lasts(name), name))
            if name == "killer":
                until = now + 0.1
        if not running or min(running)[0] > until:
            break
        now, name = min(running)
        running.remove((now, name))
        alone = False
        finish(book, name)
    book.close()
    return given_up


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("interval_s", [0.3, 1.5, 4])
def test_twenty_kills_fail_none_of_twenty_jobs(
    tmp_path: Path, workers: int, interval_s: float
) -> None:
    drawn = random.Random(workers)
    book = Journal(tmp_path)
    accept(book, *(row(str(number)) for number in range(20))).result(10)
    book.close()
    for _ in range(20):
        until = drawn.uniform(0.1, 1) * interval_s
        assert (
            served_until_killed(tmp_path, workers, lambda _: drawn.uniform(0.7, 1.3), until) == []
        )
    assert served_until_killed(tmp_path, workers, lambda _: 1.0, 1000) == []
    assert recovered(tmp_path) == [], "all jobs have ended"


def test_job_that_crashes_every_server_fails(
    tmp_path: Path,
) -> None:
    book, crashes = Journal(tmp_path), 0
    accept(book, row("killer"), *(row(f"long {number}") for number in range(5))).result(10)
    book.close()
    while not (given_up := served_until_killed(tmp_path, 3, lambda _: 9, 1000)):
        crashes += 1
        assert crashes < 20
    assert (given_up, crashes) == (["killer"], COMPANY + CRASHES)
    assert recovered(tmp_path) == [("killer", crashes, CRASHES)], "the other jobs have ended"


def test_damaged_queue_is_reported(tmp_path: Path) -> None:
    (tmp_path / "queue.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError) as caught:
        Journal(tmp_path)
    assert "cannot open the queue" in caught.value.what
    assert caught.value.fix


def test_histogram_is_cumulative() -> None:
    histogram = Histogram()
    for seconds in (0.0005, 0.001, 0.3, 1000):
        histogram.add(seconds)
    lines = family("x", "histogram", "Text.", histogram.samples())
    assert 'x_bucket{le="0.001"} 2' in lines
    assert 'x_bucket{le="300.0"} 3' in lines
    assert 'x_bucket{le="+Inf"} 4' in lines
    assert lines[-1] == "x_count 4"
