"""Jobs and results: what they say, how both lie in the journal, and which jobs are not final yet.

Every limit and every figure has its unit in its name. What is not known is None.
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
    """Where a job is. A job that failed says nothing about its program: the sandbox did."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Job:
    """One program, to be judged on each of its inputs and, if asked, measured.

    JobIn says what its fields mean.

    `stdins` are one run each; no `expected` at all is None for each; `files` are pairs of a path
    and content in base64.
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


# Without slots: its JSON is kept beside its fields.
@dataclass(frozen=True)
class JobResult:
    """What became of a job so far; only a job that is done has a verdict.

    failing_test is the index of the first input that it failed on. compile_run is None where the
    program had been compiled before. Each input that was run has a run and a verdict; rounds has
    the runs of each repeat of the measurement, without outputs. error says in three parts why the
    sandbox failed; notes say what else there is to know, for example that the job ran again because
    the server was killed. attempts counts how often it was begun. Times are in nanoseconds since
    1970. cores are the processors of the program and of its supervisor.
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
        """The line of JSON that says it, on disk and to clients: made once."""
        return to_json(self)


JOB, RESULT = TypeAdapter(Job), TypeAdapter(JobResult)


def to_json(record: Job | JobResult) -> bytes:
    """Return a job or a result as one line of JSON.

    Runs, of which a result has many, are made plain faster.
    """
    plain = {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}
    if isinstance(record, JobResult):
        plain["compile_run"] = record.compile_run and _plain_run(record.compile_run)
        plain["runs"] = [_plain_run(run) for run in record.runs]
        plain["rounds"] = [[_plain_run(run) for run in each] for each in record.rounds]
    return json.dumps(plain, separators=(",", ":"), default=to_plain).encode()


def _plain_run(run: Run) -> dict[str, Any]:
    """Return what `to_plain` makes of a run, in a fifth of the time."""
    plain = {name: getattr(run, name) for name in Run.__slots__}
    plain["stdout"] = run.stdout.decode("utf-8", "replace")
    plain["stderr"] = run.stderr.decode("utf-8", "replace")
    return plain


def job_from_json(text: bytes) -> Job:
    """Return the job that `to_json` wrote."""
    return JOB.validate_python(json.loads(text))


def result_from_json(text: bytes) -> JobResult:
    """Return the result that `to_json` wrote; bytes of outputs that were no UTF-8 stay replaced."""
    # an error may have half a character: pydantic reads no such JSON
    result = RESULT.validate_python(json.loads(text))
    vars(result)["json"] = text  # where `cached_property` keeps it
    return result


@dataclass(slots=True, eq=False)
class PendingJob:
    """A job that is not final: what the service has in memory of it.

    `job` is None where it is read from disk; `accepting` gives the ids that a request got, once
    they are on disk. `crashes` counts how often a server was killed while it ran, `blamed` how
    often that may be its own doing, `failures` how often its sandbox failed.
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
        """Whether it is on disk; waits until that is known. Not for the event loop."""
        # An earlier server accepted it: it has been on disk since then.
        if self.accepting is None:
            return True
        try:
            found = self.accepting.result()
        except (NoRoomError, StoreError):
            return False
        # Else an older job stands for it by its key, or another key of the request is in conflict.
        return "" not in found and self.job_id in found

    def result(self) -> JobResult:
        """Return what is known so far.

        A job is reported as final only with its result, once that is on disk.
        """
        state = self.state  # a worker may end it at any moment
        return JobResult(
            self.job_id,
            JobState.RUNNING if state.final else state,
            notes=tuple(self.notes),
            attempts=self.attempts,
            submitted_ns=self.submitted_ns,
            started_ns=self.started_ns,
        )

    def failed(self, error: str) -> JobResult:
        """Return the result that says why no verdict was found."""
        return dataclasses.replace(self.result(), state=JobState.FAILED, error=error)

    def answer(self, result: JobResult) -> None:
        """Give a result to all who wait; on the event loop."""
        for future in self.waiting:
            if not future.done():
                future.set_result(result)
        self.waiting.clear()
