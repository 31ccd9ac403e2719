"""What the service counts, and the text in which Prometheus reads it."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from venus_toolkit.records import NS_PER_S
from venus_toolkit.server.jobs import JobResult, State

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
WEIGHT = 0.05  # of the latest job in the mean


@dataclass(slots=True)
class Histogram:
    """How often a time was at most each of BOUNDS_S, and longer than all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    sum_s: float = 0.0

    def add(self, seconds: float) -> None:
        """Count a time."""
        self.counts[bisect.bisect_left(BOUNDS_S, seconds)] += 1
        self.sum_s += seconds

    def lines(self, name: str, text: str) -> Iterator[str]:
        """Yield its lines."""
        yield from _head(name, "histogram", text)
        total = 0
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), self.counts, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self.sum_s:.9g}"
        yield f"{name}_count {total}"


@dataclass(slots=True)
class Tally:
    """What the service counts; each figure is changed by one thread only, or under the interpreter's lock."""

    accepted: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    results: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    queueing: Histogram = field(default_factory=Histogram)
    working: Histogram = field(default_factory=Histogram)
    runs: int = 0
    repeated: int = 0
    job_s: float = 0.1

    def waited(self, seconds: float) -> None:
        """Count how long a job was in the queue."""
        self.queueing.add(seconds)

    def finished(self, result: JobResult) -> None:
        """Count a result."""
        self.results[(result.state, result.language, result.verdict or "")] += 1
        self.runs += len(result.runs) + sum(map(len, result.rounds))
        self.repeated += result.attempts > 1
        if result.state == State.DONE and result.started_ns and result.finished_ns:
            seconds = (result.finished_ns - result.started_ns) / NS_PER_S
            self.working.add(seconds)
            self.job_s += WEIGHT * (seconds - self.job_s)

    def lines(self) -> Iterator[str]:
        """Yield its lines."""
        yield from _one("venus_jobs_accepted_total", "counter", "Jobs accepted.", self.accepted)
        yield from _one("venus_runs_total", "counter", "Runs of programs in finished jobs.", self.runs)
        yield from _one("venus_jobs_repeated_total", "counter", "Jobs that had to be begun again.", self.repeated)
        yield from _head("venus_requests_refused_total", "counter", "Requests refused, by HTTP status.")
        for status, count in sorted(self.refused.items()):
            yield f'venus_requests_refused_total{{status="{status}"}} {count}'
        yield from _head("venus_jobs_finished_total", "counter", "Jobs that are final.")
        for (state, language, verdict), count in sorted(self.results.items()):
            labels = f'state="{state}",language="{language}",verdict="{verdict}"'
            yield f"venus_jobs_finished_total{{{labels}}} {count}"
        yield from self.queueing.lines("venus_queueing_seconds", "From acceptance to begin.")
        yield from self.working.lines("venus_working_seconds", "From begin to result.")


def gauges(values: dict[str, tuple[str, float]]) -> Iterator[str]:
    """Yield the lines of figures that go up and down, by name, each with what it is."""
    for name, (text, value) in values.items():
        yield from _one(name, "gauge", text, value)


def _one(name: str, kind: str, text: str, value: float) -> Iterator[str]:
    yield from _head(name, kind, text)
    yield f"{name} {value:.9g}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
