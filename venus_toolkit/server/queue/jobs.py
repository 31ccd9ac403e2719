"""Jobs and results, their form in the journal, and pending jobs.

Every limit and every figure has its unit in its name. Unknown values are None.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from venus_toolkit.core.errors import StoreError
from venus_toolkit.core.records import (
    KIB,
    Limits,
    Measurement,
    OutputComparison,
    Run,
    Verdict,
    to_plain,
)
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES
from venus_toolkit.server.http_errors import NoRoomError

EXACT = OutputComparison()
USUAL = Limits()


class JobState(StrEnum):
    """The state of a job; ``failed`` is a failure of the sandbox, never a verdict."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether the state will not change any more."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Job:
    """One program to judge on each of its inputs and, on request, to measure.

    `schemas.JobIn` describes its fields. An empty `expected` is None for each of `stdins`; `files`
    are pairs of a path and content in base64.
    """

    language: str
    code: str
    stdins: tuple[str, ...] = ("",)
    expected: tuple[str | None, ...] = ()
    comparison: OutputComparison = EXACT
    evaluator: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    limits: Limits = USUAL
    compile_wall_ns: int | None = None
    compile_memory_bytes: int | None = None
    repeats: int = 0
    profile: bool = False
    interval_ns: int = NS_BETWEEN_SAMPLES
    every_test: bool = True
    shown_bytes: int = 64 * KIB


# Without slots, because `cached_property` needs the instance dictionary.
@dataclass(frozen=True)
class JobResult:
    """The state and the outcome of a job; only a job that is done has a verdict.

    failing_test is the index of the first failing input. compile_run is None if the program had
    been compiled before. Each executed input has a run and a verdict; rounds has the runs of each
    repeat of the measurement, without outputs. error explains in three parts why the sandbox
    failed; notes have other remarks, such as a restart because the server was killed. attempts
    counts how often the job was started. Times are in nanoseconds since 1970. cores are those of
    the program and of its supervisor.
    """

    job_id: str
    state: JobState
    language: str = ""
    verdict: Verdict | None = None
    reason: str = ""
    failing_test: int | None = None
    compile_log: str = ""
    compile_run: Run | None = None
    runs: tuple[Run, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    measurement: Measurement | None = None
    rounds: tuple[tuple[Run, ...], ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
    attempts: int = 0
    submitted_ns: int | None = None
    started_ns: int | None = None
    finished_ns: int | None = None
    worker: int | None = None
    cores: tuple[int | None, ...] = ()

    @cached_property
    def json(self) -> bytes:
        """The result as a line of JSON, for the disk and for clients."""
        return to_json(self)


JOB, RESULT = TypeAdapter(Job), TypeAdapter(JobResult)


def to_json(record: Job | JobResult) -> bytes:
    """Return a job or a result as one line of JSON, with a fast path for runs."""
    plain = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    if isinstance(record, JobResult):
        plain["compile_run"] = record.compile_run and _plain_run(record.compile_run)
        plain["runs"] = [_plain_run(run) for run in record.runs]
        plain["rounds"] = [[_plain_run(run) for run in round_] for round_ in record.rounds]
    return json.dumps(plain, separators=(",", ":"), default=to_plain).encode()


def _plain_run(run: Run) -> dict[str, Any]:
    """Return the same as `to_plain`, in a fifth of the time."""
    plain = {name: getattr(run, name) for name in Run.__slots__}
    plain["stdout"] = run.stdout.decode("utf-8", "replace")
    plain["stderr"] = run.stderr.decode("utf-8", "replace")
    return plain


def job_from_json(text: bytes) -> Job:
    """Return a job from the JSON of `to_json`."""
    return JOB.validate_python(json.loads(text))


def result_from_json(text: bytes) -> JobResult:
    """Return a result from the JSON of `to_json`; invalid UTF-8 in outputs stays replaced."""
    # Not pydantic's own JSON parser: it refuses lone surrogates, which an error may contain.
    result = RESULT.validate_python(json.loads(text))
    vars(result)["json"] = text  # the value of the `cached_property`
    return result


@dataclass(slots=True, eq=False)
class PendingJob:
    """The entry in memory of a job that is not final.

    `job` is None if it is read from disk; `accepting` returns the ids of the jobs of a request,
    once they are on disk. `crashes` counts how often a server was killed while the job ran,
    `blamed` how many of these crashes the job may have caused, `failures` how often its sandbox
    failed.
    """

    job_id: str
    size: int
    submitted_ns: int
    job: Job | None = None
    accepting: Future[list[str]] | None = None
    state: JobState = JobState.QUEUED
    client: str = ""
    attempts: int = 0
    crashes: int = 0
    blamed: int = 0
    failures: int = 0
    started_ns: int | None = None
    cancelled: bool = False
    postponed: bool = False
    notes: list[str] = field(default_factory=list)
    waiting: list[asyncio.Future[JobResult]] = field(default_factory=list)

    def accepted(self) -> bool:
        """Whether the job is on disk; blocks until that is known. Not for the event loop."""
        # An earlier server wrote the job to disk.
        if self.accepting is None:
            return True
        try:
            job_ids = self.accepting.result()
        except (NoRoomError, StoreError):
            return False
        # Otherwise an older job has its key, or a key of the request is in conflict.
        return "" not in job_ids and self.job_id in job_ids

    def result(self) -> JobResult:
        """Return the state so far; a job counts as running until its result is on disk."""
        state = self.state  # read once, since a worker may change it at any moment
        return JobResult(
            self.job_id,
            JobState.RUNNING if state.final else state,
            notes=tuple(self.notes),
            attempts=self.attempts,
            submitted_ns=self.submitted_ns,
            started_ns=self.started_ns,
        )

    def failed(self, error: str) -> JobResult:
        """Return a result without a verdict, with the reason."""
        return dataclasses.replace(self.result(), state=JobState.FAILED, error=error)

    def answer(self, result: JobResult) -> None:
        """Give a result to all waiting clients; to be called on the event loop."""
        for future in self.waiting:
            if not future.done():
                future.set_result(result)
        self.waiting.clear()
