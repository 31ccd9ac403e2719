"""What clients ask for and what they get: jobs and results, and the way both lie in the journal.

Every limit and every figure has its unit in its name. What is not known is None.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from venus_toolkit.records import (
    KIB,
    NS_PER_MS,
    Comparison,
    Limits,
    Measurement,
    Run,
    Verdict,
    from_plain,
    to_plain,
)

EXACT = Comparison()
USUAL = Limits()


class State(StrEnum):
    """Where a job is. A job that failed says nothing about its program: the sandbox did."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen."""
        return self in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Job:
    """One program, to be judged on each of its inputs and, if asked, measured.

    Attributes:
        language: An id, alias or Markdown fence name of a language.
        code: The complete program.
        stdins: One run for each.
        expected: The output wanted of each, None where how the program ends decides; empty: None for all.
        comparison: How outputs are compared; for the kind ``evaluator`` with `evaluator`.
        files: Files beside the program, which it may read: pairs of a path and the content in base64.
        evaluator: Python that defines ``evaluate(expected, actual)`` or ``evaluate(expected, actual, stdin)``.
        limits: Of each run.
        compile_wall_ns: For the compiler, where its language allows it more.
        compile_memory_bytes: Likewise.
        repeats: How often it is measured beside the reference program, if it ends well on every input; 0: not at all.
        profile: Keep the samples of memory over time.
        interval_ns: Between two samples.
        every_test: Go on after a test that failed.
        shown_bytes: How much of each output is kept, in each run; all of it is compared.
    """

    language: str
    code: str
    stdins: tuple[str, ...] = ("",)
    expected: tuple[str | None, ...] = ()
    comparison: Comparison = EXACT
    evaluator: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    limits: Limits = USUAL
    compile_wall_ns: int | None = None
    compile_memory_bytes: int | None = None
    repeats: int = 0
    profile: bool = False
    interval_ns: int = NS_PER_MS
    every_test: bool = True
    shown_bytes: int = 64 * KIB


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of a job so far.

    Attributes:
        job_id: The job's.
        state: Where it is; only a job that is done has a verdict.
        language: The id of its language.
        verdict: Of the program.
        reason: Why, if it is not accepted.
        failing_test: The index of the first input that it failed on.
        compile_log: What the compiler said.
        compile_run: What compiling took; None where the program had been compiled before.
        runs: One for each input that was run.
        verdicts: Of each run.
        measurement: What it cost, where it was measured.
        rounds: The runs of each repeat of the measurement, without outputs.
        error: Why the sandbox failed, in three parts, where it did.
        notes: What else there is to know, for example that it ran again because the server was killed.
        attempts: How often it was begun.
        submitted_ns: When it was accepted, in nanoseconds since 1970.
        started_ns: When it was begun the last time.
        finished_ns: When its result was there.
        worker: Which worker had it.
        cores: The processors of the program and of its supervisor.
    """

    job_id: str
    state: State
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

    @property
    def compiled(self) -> bool:
        """Whether the program compiled, as far as is known."""
        return self.state == State.DONE and self.verdict != Verdict.COMPILE_ERROR


class Told(NamedTuple):
    """A result, and the line of JSON that says it, on disk and to clients."""

    result: JobResult
    text: bytes


# ------------------------------------------------------------------ to and from the journal


def told(result: JobResult) -> Told:
    """Return a result with its JSON."""
    return Told(result, to_json(result))


def to_json(record: Job | JobResult) -> bytes:
    """Return a job or a result as one line of JSON; a result has many runs, so they are made plain without looking."""
    plain = {name: getattr(record, name) for name in type(record).__slots__}
    if isinstance(record, JobResult):
        plain["compile_run"] = record.compile_run and plain_run(record.compile_run)
        plain["runs"] = [plain_run(run) for run in record.runs]
        plain["rounds"] = [[plain_run(run) for run in each] for each in record.rounds]
    return json.dumps(plain, separators=(",", ":"), default=to_plain).encode()


def plain_run(run: Run) -> dict[str, Any]:
    """Return what `to_plain` makes of a run, in a fifth of the time."""
    plain = {name: getattr(run, name) for name in Run.__slots__}
    plain["stdout"] = run.stdout.decode("utf-8", "replace")
    plain["stderr"] = run.stderr.decode("utf-8", "replace")
    return plain


def job_from_json(text: bytes) -> Job:
    """Return the job that `to_json` wrote."""
    plain = json.loads(text)
    plain["comparison"] = from_plain(Comparison, plain["comparison"])
    plain["limits"] = from_plain(Limits, plain["limits"])
    plain["files"] = tuple((path, content) for path, content in plain.get("files", ()))
    return from_plain(Job, plain)


def result_from_json(text: bytes) -> JobResult:
    """Return the result that `to_json` wrote; bytes of outputs that were no UTF-8 stay replaced."""
    plain = json.loads(text)
    for name, kind in (("state", State), ("verdict", Verdict)):
        plain[name] = plain[name] and kind(plain[name])
    plain["verdicts"] = tuple(map(Verdict, plain["verdicts"]))
    plain["compile_run"] = plain["compile_run"] and run_from_plain(plain["compile_run"])
    plain["measurement"] = plain["measurement"] and from_plain(Measurement, plain["measurement"])
    plain["runs"] = tuple(map(run_from_plain, plain["runs"]))
    plain["rounds"] = tuple(tuple(map(run_from_plain, each)) for each in plain["rounds"])
    return from_plain(JobResult, plain)


def run_from_plain(plain: Mapping[str, Any]) -> Run:
    """Return the run that `to_plain` made plain."""
    trace = tuple((at, size) for at, size in plain["trace"])
    run = from_plain(Run, {**plain, "trace": trace})
    return dataclasses.replace(run, stdout=plain["stdout"].encode(), stderr=plain["stderr"].encode())
