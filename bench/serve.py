"""Overhead and throughput of the service on loopback, and a soak test with many clients.

python -m bench.serve overhead [--jobs 200]
python -m bench.serve throughput [--jobs 200]
python -m bench.serve soak [--minutes 10] [--clients 64]

``overhead`` interleaves the sandbox in this process, the remote sandbox and a job of the native
protocol, with the same program and the same 20 inputs on one core. ``throughput`` keeps every core
busy with such jobs, in this process and in a batch for the server, interleaved. ``soak`` has
clients that submit jobs, wait for some and disconnect from others; then it reports lost jobs, the
growth of the server's memory, remaining processes, and queueing times.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import KIB, NS_PER_S, Limits, OutputComparison, TestCase, Verdict
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.cores import usable_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

PROGRAMS = {
    "cpp": (
        '#include <cstdio>\nint main() { long a; std::scanf("%ld", &a); std::printf("%ld\\n", 2 '
        "* a); }\n"
    ),
    "python": "print(2 * int(input()))\n",
}
JOBS_PER_TIMING = 5
TESTS = tuple(TestCase(str(number), f"{number}\n", f"{2 * number}\n") for number in range(20))


@contextlib.contextmanager
def serving(*words: str) -> Iterator[tuple[str, int]]:
    """Start a server and yield its address and process id."""
    with tempfile.TemporaryDirectory() as folder:
        argv = [
            sys.executable,
            "-m",
            "venus_toolkit",
            "serve",
            "--port",
            "0",
            "--queue",
            folder,
            *words,
        ]
        server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert server.stdout
        try:
            yield server.stdout.readline().strip(), server.pid
        finally:
            server.terminate()
            server.communicate()


def post(connection: http.client.HTTPConnection, path: str, body: object) -> tuple[int, Any]:
    """Send JSON and return the status and the JSON of the response."""
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


# ------------------------------------------------------------------ overhead


class Overhead(NamedTuple):
    """Median times of a job of 20 tests in ms, and median differences from judging in this process.

    Each time is the mean of several consecutive jobs, since the service cleans up a session while
    the next job arrives.
    """

    language: str
    jobs: int
    in_process_ms: float
    remote_ms: float
    native_ms: float
    remote_more_ms: float
    native_more_ms: float


def overhead(language: str, jobs: int) -> Overhead:
    """Measure the three ways, interleaved."""
    core = usable_cores()[0]
    with (
        serving("--workers", "1") as (url, _),
        open_sandbox("local") as local,
        open_sandbox(url) as remote,
    ):
        connection = http.client.HTTPConnection(url.removeprefix("http://"))
        ways: list[Callable[[], None]] = [
            lambda: in_sandbox(local, language, Cores(core, core)),
            lambda: in_sandbox(remote, language, Cores(core, core)),
            lambda: as_job(connection, language),
        ]
        times: list[list[float]] = [[] for _ in ways]
        for round_ in range(1 + jobs // JOBS_PER_TIMING):
            for way in range(len(ways)):
                start = time.perf_counter()
                for _ in range(JOBS_PER_TIMING):
                    ways[way]()
                if round_:  # the first ones compile and connect
                    elapsed_ms = 1000 * (time.perf_counter() - start)
                    times[way].append(elapsed_ms / JOBS_PER_TIMING)
        connection.close()
    more = [
        statistics.median(b - a for a, b in zip(times[0], other, strict=True))
        for other in times[1:]
    ]
    return Overhead(language, jobs, *map(statistics.median, times), *more)


def in_sandbox(sandbox: Sandbox, language: str, cores: Cores) -> None:
    """Judge the program through a sandbox, as builds do."""
    compiled = sandbox.compile(Program(load_languages_once()[language], PROGRAMS[language]), cores)
    judged = judge(
        sandbox, compiled, TESTS, Checker(OutputComparison(), sandbox), Limits(), cores=cores
    )
    assert judged.verdict == Verdict.ACCEPTED, judged


def as_job(connection: http.client.HTTPConnection, language: str) -> None:
    """Judge the program as a job."""
    status, result = post(connection, "/v1/jobs?wait=60", job_in(language))
    assert (status, result["verdict"]) == (200, "accepted"), result


class Throughput(NamedTuple):
    """Jobs of 20 tests per second with every core busy, as medians over rounds, and their ratio."""

    language: str
    jobs: int
    in_process_per_s: float
    service_per_s: float
    ratio: float


def throughput(language: str, jobs: int, rounds: int = 7) -> Throughput:
    """Measure both ways, interleaved."""
    medians: list[tuple[float, float]] = []
    with serving() as (url, _), open_sandbox("local") as local:
        engine = LocalEngine(local)
        ways = (
            lambda count: in_engine(engine, local, language, count),
            lambda count: as_batch(url, language, count),
        )
        for round_ in range(rounds + 1):
            first, second = (
                way(jobs if round_ else 8) for way in (ways if round_ % 2 else ways[::-1])
            )
            if round_:  # the first one compiles
                medians.append((first, second) if round_ % 2 else (second, first))
    in_process, service = (statistics.median(rates) for rates in zip(*medians, strict=True))
    return Throughput(
        language, jobs, in_process, service, statistics.median(s / p for p, s in medians)
    )


def in_engine(engine: LocalEngine, sandbox: Sandbox, language: str, jobs: int) -> float:
    """Judge on every core of this machine; return jobs per second."""
    start = time.perf_counter()
    for _ in engine.judging(
        lambda _, worker: in_sandbox(sandbox, language, worker.cores), range(jobs)
    ):
        pass
    return jobs / (time.perf_counter() - start)


def as_batch(url: str, language: str, jobs: int) -> float:
    """Submit a batch to a server and stream its results; return jobs per second."""
    start = time.perf_counter()
    with contextlib.closing(http.client.HTTPConnection(url.removeprefix("http://"))) as connection:
        status, accepted = post(connection, "/v1/batches", {"jobs": [job_in(language)] * jobs})
        assert status == 202, accepted
        connection.request(
            "POST", "/v1/results", json.dumps(accepted), {"Content-Type": "application/json"}
        )
        verdicts = Counter(json.loads(line)["verdict"] for line in connection.getresponse())
    assert verdicts == {"accepted": jobs}, verdicts
    return jobs / (time.perf_counter() - start)


def job_in(language: str) -> dict[str, Any]:
    """Return the program as a job of the native protocol."""
    stdins, expected = [test.stdin for test in TESTS], [test.stdout for test in TESTS]
    return {
        "language": language,
        "code": PROGRAMS[language],
        "stdins": stdins,
        "expected": expected,
    }


_LANGUAGES: dict[str, Any] = {}


def load_languages_once() -> dict[str, Any]:
    """Return the languages, read once."""
    _LANGUAGES.update({} if _LANGUAGES else load_languages())
    return _LANGUAGES


# ------------------------------------------------------------------ soak


@dataclass
class ClientResults:
    """The results of all clients."""

    counts: Counter[str] = field(default_factory=Counter)
    queued_s: list[float] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)
    mutex: threading.Lock = field(default_factory=threading.Lock)

    def add(self, event: str) -> None:
        """Count an event."""
        with self.mutex:
            self.counts[event] += 1


def client(url: str, number: int, end: float, results: ClientResults) -> None:
    """Submit jobs, one after the other, until `end`, a monotonic time."""
    rng = random.Random(number)
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=300)
    while time.monotonic() < end:
        value = rng.randrange(10**9)
        job = {
            "language": "python",
            "code": f"print({value} + int(input()))",
            "stdins": ["1\n"] * 3,
        }
        waits = rng.random() < 0.9
        status, result = post(connection, "/v1/jobs?wait=120" if waits else "/v1/jobs", job)
        if status == 429:
            results.add("refused")
            time.sleep(0.5)
        elif not waits:
            results.add("read later")
            with results.mutex:
                results.abandoned.append(f"{result['job_id']} {value + 1}")
            connection.close()
        else:
            right = (
                status == 200
                and [run["stdout"] for run in result["runs"]] == [f"{value + 1}\n"] * 3
            )
            results.add("right" if right else f"wrong: {status} {result.get('state')}")
            if right:
                results.queued_s.append((result["started_ns"] - result["submitted_ns"]) / NS_PER_S)
    connection.close()


def read_abandoned(url: str, results: ClientResults) -> None:
    """Read the results of jobs whose clients did not wait."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=300)
    for line in results.abandoned:
        job_id, value = line.split()
        connection.request("GET", f"/v1/jobs/{job_id}?wait=300")
        result = json.loads(connection.getresponse().read())
        results.add(
            "right"
            if [run["stdout"] for run in result.get("runs", ())] == [f"{value}\n"] * 3
            else "lost"
        )
    connection.close()


def resident_bytes(pid: int) -> int:
    """Return the resident set size of a process in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) * KIB


def children_of(pid: int) -> list[str]:
    """Return the ids and names of the children of a process."""
    threads = [task.name for task in Path(f"/proc/{pid}/task").iterdir()]
    children = [
        word
        for thread in threads
        for word in Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
    ]
    return [f"{child} {Path(f'/proc/{child}/comm').read_text().strip()}" for child in children]


def soak(minutes: float, clients: int) -> dict[str, Any]:
    """Run many clients against a server for some minutes; return the figures."""
    results = ClientResults()
    with serving() as (url, pid):
        end = time.monotonic() + 60 * minutes
        threads = [
            threading.Thread(target=client, args=(url, number, end, results))
            for number in range(clients)
        ]
        for thread in threads:
            thread.start()
        memory = []
        while time.monotonic() < end:
            time.sleep(min(5.0, 6 * minutes))
            memory.append(resident_bytes(pid))
        for thread in threads:
            thread.join()
        read_abandoned(url, results)
        time.sleep(1)
        remaining, last = children_of(pid), resident_bytes(pid)
    tenth = max(1, len(memory) // 10)
    queued = sorted(results.queued_s)
    return {
        "minutes": minutes,
        "clients": clients,
        "counts": dict(results.counts),
        "jobs_per_s": round(len(queued) / (60 * minutes), 1),
        "memory_after_a_tenth_mib": round(memory[tenth - 1] / 2**20, 1),
        "memory_at_the_end_mib": round(last / 2**20, 1),
        "memory_peak_mib": round(max(memory) / 2**20, 1),
        "processes_left": remaining,
        "queued_p50_s": round(queued[len(queued) // 2], 4),
        "queued_p99_s": round(queued[int(len(queued) * 0.99)], 4),
    }


def main() -> None:
    """Run one of the three benchmarks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=("overhead", "throughput", "soak"))
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    if options.benchmark == "soak":
        print(json.dumps(soak(options.minutes, options.clients), indent=1))
        return
    measure = overhead if options.benchmark == "overhead" else throughput
    for language in PROGRAMS:
        print(json.dumps(measure(language, options.jobs)._asdict(), indent=1))


if __name__ == "__main__":
    main()
