"""Accepted jobs survive killed and stopping servers, full disks and killed sandboxes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from venus_toolkit.server.service import CRASHES

ROOT = Path(__file__).resolve().parents[2]
NAP = "import time; time.sleep(1.5); print(input())"
NAMED = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'{}'); time.sleep({})"


def running(server: Any) -> int:
    return int(server.ask("GET", "/v1/status").json["running"])


def test_killed_server_loses_nothing(
    serving: Callable[..., Any],
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    server = serving("--workers", "1")
    codes = ["print(input())", NAMED.format(mark, 5) + "; print(input())", "print(input())"]
    ids = [server.submit(code, stdins=[f"{number}\n"]) for number, code in enumerate(codes)]
    done = server.result(ids[0])
    assert eventually(lambda: called(mark))  # running, and marked as running
    server.stop(signal.SIGKILL)
    server.start()
    assert server.result(ids[0]) == done
    again, waited = server.result(ids[1]), server.result(ids[2])
    assert (again["attempts"], again["notes"]) == (
        2,
        ["it ran again: the server was killed while it ran"],
    )
    assert (waited["attempts"], waited["notes"]) == (1, [])
    assert [result["runs"][0]["stdout"] for result in (again, waited)] == ["1\n", "2\n"]


def test_job_that_kills_servers_fails(
    serving: Callable[..., Any],
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    server = serving("--workers", "1")
    job_id = server.submit(NAMED.format(mark, 9))
    for _ in range(CRASHES):
        assert eventually(lambda: called(mark))
        server.stop(signal.SIGKILL)
        assert eventually(lambda: not called(mark))
        server.start()
    result = server.result(job_id)
    assert (result["state"], result["verdict"]) == ("failed", None)
    assert f"started {CRASHES} times" in result["error"]


def test_stopping_server_finishes_running_jobs(
    serving: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    server = serving("--workers", "1")
    ids = [server.submit(NAP, stdins=[f"{number}\n"]) for number in range(2)]
    assert eventually(lambda: running(server) == 1)
    assert server.stop() == (0, "stopping…\n")
    server.start()
    assert [server.result(job_id)["attempts"] for job_id in ids] == [1, 1]
    assert [server.result(job_id)["notes"] for job_id in ids] == [[], []]


@pytest.mark.serial
def test_job_longer_than_the_grace_period_is_restarted(
    serving: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    server = serving("--workers", "1", "--drain-s", "0.2")
    # It sleeps until a fixed time, so that the second attempt takes only the remaining time.
    job_id = server.submit(
        f"import time; time.sleep(max(0, {time.time() + 8} - time.time())); print(1)"
    )
    assert eventually(lambda: running(server) == 1)
    start = time.monotonic()
    assert server.stop() == (0, "stopping…\n")
    assert time.monotonic() - start < 6
    server.start()
    assert (server.result(job_id)["verdict"], server.result(job_id)["attempts"]) == ("accepted", 1)


def test_stopping_server_answers_waiting_clients(serving: Callable[..., Any]) -> None:
    server = serving("--workers", "1")
    job_id = server.submit("import time; time.sleep(2)")
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", f"/v1/jobs/{job_id}?wait=60")
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        answer = connection.getresponse()
        assert answer.status == 202
        assert json.loads(answer.read())["job_id"] == job_id
    server.process.communicate(timeout=30)
    assert server.process.returncode == 0


def test_queue_is_full_after_ten_thousand_jobs(serving: Callable[..., Any]) -> None:
    server = serving("--workers", "1", "--queue-jobs", "10001")
    blocking = server.submit("import time; time.sleep(8)", stdins=[""] * 20)
    jobs = [{"language": "python", "code": f"print({number})"} for number in range(10_000)]
    ids = server.ask("POST", "/v1/batches", {"jobs": jobs}).json["ids"]
    assert len(set(ids)) == 10_000
    refused = server.ask("POST", "/v1/jobs", jobs[0])
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert "queue is full" in refused.json["error"]["what"]
    server.stop(signal.SIGKILL)
    with contextlib.closing(sqlite3.connect(server.folder / "queue.sqlite")) as database:
        assert database.execute("select count(*) from jobs where result is null").fetchone() == (
            10_001,
        )
    server.start()
    # Crashed jobs wait behind the others, which run meanwhile.
    status = server.ask("GET", "/v1/status").json
    assert 9_000 < status["queued"] + status["running"] <= 10_001
    server.ask("DELETE", f"/v1/jobs/{blocking}")
    assert server.result(ids[0])["runs"][0]["stdout"] == "0\n"


def test_results_are_removed_after_their_time(
    serving: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    server = serving("--ttl-s", "1")
    job_id = server.submit(stdins=["1\n"])
    assert server.result(job_id)["verdict"] == "accepted"
    assert eventually(lambda: server.ask("GET", f"/v1/jobs/{job_id}").status == 404)


@pytest.mark.serial  # the job has a wall-time limit
def test_killed_sandbox_is_retried(
    serving: Callable[..., Any],
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    server = serving("--workers", "1")
    job_id = server.submit(NAMED.format(mark, 3))
    assert eventually(lambda: called(mark))
    kill_above(called(mark)[0])
    result = server.result(job_id)
    assert (result["verdict"], result["attempts"]) == ("accepted", 2)
    assert "the sandbox failed" in result["notes"][0]


def test_repeatedly_killed_sandbox_is_not_a_verdict(
    serving: Callable[..., Any],
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    server = serving("--workers", "1")
    job_id = server.submit(NAMED.format(mark, 9))
    for _ in range(2):
        assert eventually(lambda: called(mark))
        kill_above(called(mark)[0])
        assert eventually(lambda: not called(mark))
    result = server.result(job_id)
    assert (result["state"], result["verdict"]) == ("failed", None)
    assert result["error"]


def kill_above(pid: int) -> None:
    """Kill the supervisor of a program, its parent process."""
    os.kill(
        int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL
    )


def test_a_queue_belongs_to_one_server(serving: Callable[..., Any]) -> None:
    server = serving()
    words = [
        sys.executable,
        "-m",
        "venus_toolkit",
        "serve",
        "--port",
        "0",
        "--queue",
        str(server.folder),
    ]
    second = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert second.returncode == 3
    assert "another server uses" in second.stderr


@pytest.mark.parametrize(
    ("before", "words", "code", "message"),
    [
        (("prlimit", "--nofile=12"), (), 3, "Too many open files"),
        ((), ("--languages", "."), 2, "language.toml"),
    ],
    ids=["descriptors", "languages"],
)
def test_server_that_cannot_start_exits(
    tmp_path: Path, before: tuple[str, ...], words: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "cobol").mkdir()
    (tmp_path / "cobol/language.toml").write_text("name = 1\n")
    argv = [
        *before,
        sys.executable,
        "-m",
        "venus_toolkit",
        "serve",
        "--port",
        "0",
        "--queue",
        "queue",
        *words,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        argv, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=60
    )
    assert (done.returncode, message in done.stderr, "Traceback" in done.stderr) == (
        code,
        True,
        False,
    )


# ------------------------------------------------------------------ a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 12 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], capture_output=True
    )
    if done.returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Fill a file system."""
    file = place / "ballast"
    with file.open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(bytes(1 << 12))
    return file


@pytest.mark.parametrize("free_mib", ["0", "4"])
def test_full_disk_loses_no_accepted_job(
    serving: Callable[..., Any],
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
    small_disk: Path,
    free_mib: str,
) -> None:
    """Results that do not fit are served from memory, and waiting jobs wait until there is room."""
    server = serving("--workers", "1", "--free-mib", free_mib, folder=small_disk / "queue")
    code = NAMED.format(mark, 1.5) + "; print(input())"
    first, waiting = (server.submit(code, stdins=[f"{number}\n"]) for number in range(2))
    assert eventually(lambda: called(mark))
    ballast = fill(small_disk)
    code = f"# {'x' * 400_000}\n"
    refused = server.ask("POST", "/v1/jobs", {"language": "python", "code": code})
    assert (refused.status, refused.headers["retry-after"]) == (507, "30")
    assert "accepted jobs are not lost" in refused.body.decode()
    assert server.result(first)["runs"][0]["stdout"] == "0\n"
    ballast.unlink()
    assert server.result(waiting)["runs"][0]["stdout"] == "1\n"
    assert eventually(lambda: server.ask("GET", "/readyz").status == 200)
    assert server.submit(stdins=["1\n"])
    server.stop(signal.SIGKILL)
    server.start()
    assert server.result(first)["runs"][0]["stdout"] == "0\n"


def test_full_program_folder_makes_jobs_wait(
    serving: Callable[..., Any], eventually: Callable[..., bool], small_disk: Path
) -> None:
    server = serving("--workers", "1", TMPDIR=str(small_disk))
    server.result(server.submit(stdins=["1\n"]))
    ballast = fill(small_disk)
    job_id = server.submit("print(1)\n" + "#" * 100_000)
    assert eventually(lambda: server.ask("GET", "/readyz").status == 503)
    assert server.ask("POST", "/v1/jobs", {"language": "python", "code": ""}).status == 507
    ballast.unlink()
    result = server.result(job_id)
    assert (result["verdict"], result["attempts"]) == ("accepted", 1)
    assert eventually(lambda: server.ask("GET", "/readyz").status == 200)
