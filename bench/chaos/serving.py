"""Kills a server while it accepts and runs jobs: each accepted job must have one correct result."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import random
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from bench.chaos import traces
from bench.chaos.kills import MAX_PER_SESSION, KillOutcome, shares
from bench.chaos.subjects import PATIENCE_S, Place, Subject

GONE = (OSError, http.client.HTTPException, ValueError)
ENDED = ("done", "failed", "cancelled")
DOUBLE = "print(int(input()) * 2)\n"
NAP = "import time\ntime.sleep(0.3)\nprint(input())\n"
JOBS: list[dict[str, Any]] = [
    *(
        {"code": f"# {number}\n{DOUBLE}", "stdins": ["1\n", "21\n"], "expected": ["2\n", "42\n"]}
        for number in range(3)
    ),
    *({"code": NAP, "stdins": [f"{number}\n"]} for number in range(4)),
    {"code": "print(1)\n", "expected": ["2\n"]},
    {"code": "raise SystemExit(3)\n"},
    {"code": "print(\n"},
    {"code": DOUBLE, "stdins": ["4\n"], "expected": ["8\n"], "repeats": 2},
]
SERVE = Subject(
    "serve",
    lambda place: [
        "serve",
        "--port",
        "0",
        "--workers",
        "2",
        "--queue",
        str(place.of("out") / "queue"),
    ],
    lambda place: {},
)


class Client:
    """Submits each job until it is accepted and remembers the answers.

    Attributes:
        ids: The ids that the server returned for each job, by its number: there must be one.
        results: The first final result of each job, by its number.
    """

    def __init__(self) -> None:
        self.ids: dict[int, set[str]] = {}
        self.results: dict[int, Any] = {}

    def work(self, url: str) -> None:
        """Submit all jobs, each with its own key, and read their results.

        Raises:
            OSError, HTTPException, ValueError: The server is gone.
        """
        for number, job in enumerate(JOBS):
            # Resubmit even accepted jobs: the same key means the same job.
            status, answer = ask(
                url, "POST", "/v1/jobs", {"language": "python", **job}, str(number)
            )
            assert status in (200, 202), answer
            self.ids.setdefault(number, set()).add(answer["job_id"])
        for number, ids in self.ids.items():
            for job_id in ids:
                _, answer = ask(url, "GET", f"/v1/jobs/{job_id}?wait=30")
                if answer.get("state") in ENDED:
                    self.results.setdefault(number, answer)

    def complaints(self, url: str, expected_results: list[Any]) -> list[str]:
        """Return how the results differ from the undisturbed ones or from earlier answers."""
        lost = []
        for number, expected in enumerate(expected_results):
            (job_id, *more) = self.ids[number]
            lost += [f"job {number} was accepted {1 + len(more)} times"] * bool(more)
            _, answer = ask(url, "GET", f"/v1/jobs/{job_id}?wait=30")
            if answer != self.results[number]:
                lost.append(f"job {number} has another result than it had before")
            if essence(answer) != expected and not given_up(answer):
                lost.append(f"job {number}: {essence(answer)} and not {expected}")
        return lost


def ask(url: str, method: str, path: str, body: object = None, key: str = "") -> tuple[int, Any]:
    """Send a request; return the status and the JSON of the response."""
    with contextlib.closing(
        http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    ) as connection:
        headers = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def essence(result: Any) -> list[Any]:
    """Return the parts of a result that are not measurements."""
    return [
        result["state"],
        result["verdict"],
        [[run["exit_code"], run["stdout"]] for run in result["runs"]],
    ]


def given_up(result: Any) -> bool:
    """Whether the server abandoned a job because it was running at two kills (docs/serve.md)."""
    return (
        result["state"] == "failed"
        and result["attempts"] == 2
        and "killed" in (result["error"] or "")
    )


def started(place: Place, process: subprocess.Popen[bytes]) -> str:
    """Wait for the address of a server and return it; empty if the server ended before."""
    end = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < end:
        text = place.of("said").read_text(errors="replace")
        if text.startswith("http") and "\n" in text:
            return text.partition("\n")[0].strip()
        time.sleep(0.01)
    return ""


def kill_servers(
    place: Place, kills: int, seed: int, tell: Callable[[str], None], end: float = math.inf
) -> KillOutcome:
    """Kill servers `kills` times, in as many sessions as necessary.

    No session begins after `end`, a monotonic time.
    """
    begin, moments, outcome = time.monotonic(), random.Random(f"{seed} serve"), KillOutcome("serve")
    counted = place.of("operations")
    place.empty()
    process = SERVE.start(place, CHAOS_OPERATIONS=str(counted))
    client = Client()
    client.work(started(place, process))
    outcome.undisturbed_s = time.monotonic() - begin
    expected = [essence(client.results[number]) for number in range(len(JOBS))]
    _stop(place, process, outcome)
    operations = int(counted.read_text())
    while outcome.killed < kills and time.monotonic() < end:
        most = min(moments.randint(1, MAX_PER_SESSION), kills - outcome.killed)
        _session(place, expected, most, operations, moments, outcome)
        tell(f"serve: {outcome.killed} of {kills} kills, complaints: {outcome.complaints}")
    outcome.took_s = time.monotonic() - begin
    return outcome


def _session(
    place: Place,
    expected: list[Any],
    kills: int,
    operations: int,
    moments: random.Random,
    outcome: KillOutcome,
) -> None:
    place.empty()
    client, pids = Client(), set[int]()
    for share in shares(kills, moments):
        by_clock = moments.random() < 0.5
        at = {} if by_clock else {"CHAOS_KILL_AT": str(1 + int(share * operations))}
        process = SERVE.start(place, **at)
        pids.add(process.pid)
        timer = threading.Timer(share * outcome.undisturbed_s, process.kill)
        if by_clock:
            timer.start()
        with contextlib.suppress(*GONE):
            client.work(started(place, process))
        if by_clock:
            timer.join()
        else:
            process.terminate()  # the kill may also come during its shutdown
        ended = SERVE.end(place, process)
        outcome.gone()
        if ended.killed:
            outcome.kills["clock" if by_clock else "operation"] += 1
        else:
            outcome.late += 1
    begin = time.monotonic()
    process = SERVE.start(place)
    pids.add(process.pid)
    url = started(place, process)
    client.work(url)
    outcome.resumed_s = max(outcome.resumed_s, time.monotonic() - begin)
    outcome.complaints += client.complaints(url, expected)
    outcome.given_up += sum(given_up(result) for result in client.results.values())
    _stop(place, process, outcome)
    outcome.sessions += 1
    with contextlib.closing(sqlite3.connect(place.of("out") / "queue/queue.sqlite")) as queue:
        (rows,) = queue.execute("select count(*) from jobs").fetchone()
    outcome.complaints += [f"the queue has {rows} rows for {len(JOBS)} jobs"] * (rows != len(JOBS))
    outcome.complaints += [
        f"{name} stays in the temporary folder" for name in traces.temporaries(place.of("tmp"))
    ]
    outcome.complaints += [
        f"the control group {path} stays" for path in sorted(traces.cgroups(pids))
    ]


def _stop(place: Place, process: subprocess.Popen[bytes], outcome: KillOutcome) -> None:
    process.send_signal(signal.SIGTERM)
    ended = SERVE.end(place, process)
    outcome.complaints += [
        f"a server that is told to stop ends with {ended.code}: {ended.output}"
    ] * (ended.code != 0)
    outcome.gone()
