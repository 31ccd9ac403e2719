"""Clients share a server: equal shares of its time, a limited part of the queue, separate keys."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from venus_toolkit.server.queue.workers import FairQueue, QueuedTask

NAP_S = 0.3
NAP = f"import time; time.sleep({NAP_S}); print(1)"


def nothing(_: object) -> None:
    pass


def queue(**jobs: int) -> FairQueue:
    fair_queue = FairQueue()
    for client, count in jobs.items():
        for _ in range(count):
            fair_queue.put(QueuedTask(nothing, client))
    return fair_queue


def served_by(fair_queue: FairQueue, seconds: dict[str, float], tasks: int) -> list[str]:
    """Return the clients of the tasks that one worker runs in sequence."""
    order = []
    for _ in range(tasks):
        task = fair_queue.take()
        if task is None:
            break
        order.append(str(task.client))
        fair_queue.done(task, seconds[str(task.client)])
    return order


def test_second_client_is_next_behind_a_thousand_jobs() -> None:
    fair_queue = queue(a=1000)
    assert served_by(fair_queue, {"a": 1}, 5) == ["a"] * 5
    fair_queue.put(QueuedTask(nothing, "b"))
    assert "b" in served_by(fair_queue, {"a": 1, "b": 1}, 2)


def test_shares_count_time_not_tasks() -> None:
    order = served_by(queue(a=1000, b=1000), {"a": 0.1, "b": 1}, 440)
    assert 350 <= order.count("a") <= 410


def test_three_workers_do_not_serve_one_client_alone() -> None:
    fair_queue = queue(a=10, b=10, c=10)
    assert {task.client for _ in range(3) if (task := fair_queue.take())} == {"a", "b", "c"}


def test_being_idle_earns_no_credit() -> None:
    fair_queue = queue(a=100)
    assert served_by(fair_queue, {"a": 1}, 50) == ["a"] * 50
    for _ in range(100):
        fair_queue.put(QueuedTask(nothing, "b"))
    assert 9 <= served_by(fair_queue, {"a": 1, "b": 1}, 20).count("b") <= 11


def test_tasks_of_a_client_keep_their_order() -> None:
    fair_queue = FairQueue()
    tasks = [QueuedTask(nothing, "a") for _ in range(3)]
    fair_queue.put(tasks[0])
    fair_queue.put(tasks[1])
    fair_queue.put(tasks[2], first=True)
    order = [fair_queue.take() for _ in range(3)]
    assert all(
        one is other for one, other in zip(order, (tasks[2], tasks[0], tasks[1]), strict=True)
    )


def test_lone_task_excludes_all_others() -> None:
    fair_queue = FairQueue()
    fair_queue.put(QueuedTask(nothing, "a"))
    fair_queue.put(QueuedTask(nothing, "a", alone=True))
    fair_queue.put(QueuedTask(nothing, "b"))
    first, second = fair_queue.take(), fair_queue.take()
    assert first
    assert second
    assert not first.alone
    assert fair_queue.take() is None, "the next task must run alone"
    fair_queue.done(first, 1)
    assert fair_queue.take() is None
    fair_queue.done(second, 1)
    alone = fair_queue.take()
    assert alone
    assert alone.alone
    fair_queue.put(QueuedTask(nothing, "c"))
    assert fair_queue.take() is None, "no task runs while it is alone"
    fair_queue.done(alone, 1)
    assert fair_queue.take()


JOB = {"language": "python", "code": NAP}


def test_second_client_starts_within_one_job(
    serving: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    server = serving("--workers", "1", VENUS_API_KEY="one,two")
    server.result(server.ask("POST", "/v1/jobs", JOB, X_API_Key="one").json["job_id"])
    ids = server.ask("POST", "/v1/batches", {"jobs": [JOB] * 1000}, X_API_Key="one").json["ids"]
    assert len(ids) == 1000
    assert eventually(lambda: server.ask("GET", "/v1/status", X_API_Key="two").json["running"])
    job_id = server.ask("POST", "/v1/jobs", JOB, Authorization="Bearer two").json["job_id"]
    cancelled = server.ask("POST", "/v1/jobs", JOB, X_API_Key="two").json["job_id"]
    assert (
        server.ask("DELETE", f"/v1/jobs/{cancelled}", X_API_Key="two").json["state"] == "cancelled"
    )
    result = server.ask("GET", f"/v1/jobs/{job_id}?wait=60", X_API_Key="two").json
    assert result["verdict"] == "accepted"
    states = [server.ask("GET", f"/v1/jobs/{job}", X_API_Key="one").json for job in ids[:40]]
    before = sum(0 < (job["started_ns"] or 0) < result["started_ns"] for job in states)
    after_it_came = sum(
        result["submitted_ns"] < (job["started_ns"] or 0) < result["started_ns"] for job in states
    )
    assert after_it_came <= 1, f"{before} jobs of the other client started first"


def test_client_gets_only_part_of_the_queue(
    serving: Callable[..., Any],
) -> None:
    server = serving("--workers", "1", "--queue-jobs", "12", VENUS_API_KEY="one,two")
    job = {"language": "python", "code": "import time; time.sleep(9)"}

    def submit(key: str, count: int) -> Any:
        return server.ask("POST", "/v1/batches", {"jobs": [job] * count}, X_API_Key=key)

    assert submit("one", 7).status == 429
    assert submit("one", 6).status == 202
    refused = submit("one", 1)
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json["error"]["what"] == "this client's part of the queue is full"
    assert submit("two", 3).status == 202
    compat = server.ask("POST", "/api/v2/execute", {
        "language": "python", "version": "*", "files": [{"content": "print(1)"}],
    }, X_API_Key="one")  # fmt: skip
    assert compat.status == 429


def clients_in(server: Any) -> list[str]:
    """Return the clients of the jobs in a server's journal."""
    server.stop(signal.SIGKILL)
    with contextlib.closing(sqlite3.connect(server.folder / "queue.sqlite")) as journal:
        return [row[0] for row in journal.execute("select client from jobs order by seq")]


def test_key_identifies_the_client_on_every_route(serving: Callable[..., Any]) -> None:
    server = serving("--workers", "1", VENUS_API_KEY="one,two")
    job = {"language": "python", "code": "print(1)"}
    server.ask("POST", "/v1/jobs", job, X_API_Key="one")
    server.ask("POST", "/v1/batches", {"jobs": [job]}, Authorization="Bearer one")
    server.ask("POST", "/submit", {"code": "print(1)", "language": "python3"}, X_API_Key="two")
    server.ask(
        "POST",
        "/monolith/async/execute",
        {"code": "print(1)", "language": "python"},
        X_API_Key="two",
    )
    one, two = (hashlib.sha256(key).hexdigest() for key in (b"one", b"two"))
    assert clients_in(server) == [one, one, two, two]


def test_address_in_a_header_is_ignored(serving: Callable[..., Any]) -> None:
    server = serving("--workers", "1")
    job = {"language": "python", "code": "print(1)"}
    server.ask("POST", "/v1/jobs", job, X_Forwarded_For="203.0.113.9")
    server.ask("POST", "/v1/jobs", job, Forwarded="for=203.0.113.9", X_Real_IP="203.0.113.9")
    assert clients_in(server) == ["127.0.0.1", "127.0.0.1"]
