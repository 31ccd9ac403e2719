"""The metrics of the service, in the text format of Prometheus."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from venus_toolkit.core.records import NS_PER_S
from venus_toolkit.server.queue.jobs import JobResult, JobState

BOUNDS_S = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
)


@dataclass(slots=True)
class Histogram:
    """A histogram of durations in seconds, with the bounds BOUNDS_S."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    sum_s: float = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect.bisect_left(BOUNDS_S, seconds)] += 1
        self.sum_s += seconds

    def samples(self) -> dict[str, float]:
        """Return its figures by the suffix of the metric's name."""
        counts = zip((*map(str, BOUNDS_S), "+Inf"), itertools.accumulate(self.counts), strict=True)
        buckets = {f'_bucket{{le="{bound}"}}': count for bound, count in counts}
        return {**buckets, "_sum": self.sum_s, "_count": sum(self.counts)}


@dataclass(slots=True)
class Metrics:
    """The counters of the service; each is changed by one thread only, or atomically.

    `job_s` is a moving average of the duration of jobs, in which the latest one weighs 5 %.
    """

    accepted: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    results: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    queueing: Histogram = field(default_factory=Histogram)
    working: Histogram = field(default_factory=Histogram)
    runs: int = 0
    repeated: int = 0
    job_s: float = 0.1

    def finished(self, result: JobResult) -> None:
        """Count a result."""
        self.results[(result.state, result.language, result.verdict or "")] += 1
        self.runs += len(result.runs) + sum(map(len, result.rounds))
        self.repeated += result.attempts > 1
        if result.state == JobState.DONE and result.started_ns and result.finished_ns:
            seconds = (result.finished_ns - result.started_ns) / NS_PER_S
            self.working.add(seconds)
            self.job_s += 0.05 * (seconds - self.job_s)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return everything in the text format of Prometheus.

        Args:
            gauges: Help text and value of further figures, by name.
        """
        refused = {
            f'{{status="{status}"}}': count for status, count in sorted(self.refused.items())
        }
        results = {
            f'{{state="{state}",language="{language}",verdict="{verdict}"}}': count
            for (state, language, verdict), count in sorted(self.results.items())
        }
        families = [
            family("venus_jobs_accepted_total", "counter", "Jobs accepted.", {"": self.accepted}),
            family(
                "venus_runs_total", "counter", "Runs of programs in finished jobs.", {"": self.runs}
            ),
            family(
                "venus_jobs_repeated_total",
                "counter",
                "Jobs that had to be restarted.",
                {"": self.repeated},
            ),
            family(
                "venus_requests_refused_total",
                "counter",
                "Requests refused, by HTTP status.",
                refused,
            ),
            family("venus_jobs_finished_total", "counter", "Jobs that are final.", results),
            family(
                "venus_queueing_seconds",
                "histogram",
                "From acceptance to start.",
                self.queueing.samples(),
            ),
            family(
                "venus_working_seconds",
                "histogram",
                "From start to result.",
                self.working.samples(),
            ),
            *(family(name, "gauge", text, {"": value}) for name, (text, value) in gauges.items()),
        ]
        return "\n".join(itertools.chain.from_iterable(families)) + "\n"


def family(name: str, kind: str, text: str, samples: Mapping[str, float]) -> list[str]:
    """Return the lines of a metric; `samples` are its figures by the suffix of its name."""
    lines = [
        f"{name}{suffix} {value if isinstance(value, int) else f'{value:.9g}'}"
        for suffix, value in samples.items()
    ]
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *lines]
