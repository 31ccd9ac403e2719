"""One job on one core: judged on each input, then measured where that was asked for."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language
from venus_toolkit.measure import MeasureOptions, Round, summarise, take_turns
from venus_toolkit.records import Judgement, Measurement, Run, TestCase
from venus_toolkit.sandbox import Compiled, File, Program, Sandbox
from venus_toolkit.server.jobs import Job, JobResult, State
from venus_toolkit.supervisor import Cores, Sampling


class Stopped(Exception):
    """Somebody does not want the result any more."""


class Costs(NamedTuple):
    """What measuring found."""

    measurement: Measurement
    rounds: tuple[Round, ...]


def execute(
    sandbox: Sandbox, language: Language, job: Job, job_id: str, cores: Cores, stopped: Callable[[], bool]
) -> JobResult:
    """Return what became of a job.

    Raises:
        Stopped: `stopped` became true between two runs.
        SandboxError: The sandbox failed.
        SourceError: The evaluator is missing or does not compile.
    """
    compiled = sandbox.compile(program_of(job, language), cores)
    runs: list[Run] = []

    def on_run(_: int, run: Run) -> None:
        runs.append(shortened(run, job.shown_bytes))
        if stopped():
            raise Stopped

    judgement = _judge(sandbox, compiled, job, cores, on_run)
    costs = None
    if job.repeats and len(runs) == len(job.stdins) and all(run.clean for run in runs):
        costs = _measure(sandbox, compiled, job, cores, stopped)
    return JobResult(
        job_id,
        State.DONE,
        language=language.id,
        verdict=judgement.verdict,
        reason=judgement.reason,
        failing_test=int(judgement.failing_test) if judgement.failing_test is not None else None,
        compile_log=compiled.log,
        compile_run=compiled.run,
        runs=tuple(runs),
        verdicts=judgement.verdicts,
        measurement=costs and costs.measurement,
        rounds=tuple(each.runs for each in costs.rounds) if costs else (),
        cores=(cores.program, cores.sampler),
    )


def program_of(job: Job, language: Language) -> Program:
    """Return the program of a job with the files beside it.

    Raises:
        ValueError: A file is not base64.
    """
    files = tuple(File(path, base64.b64decode(content, validate=True)) for path, content in job.files)
    return Program(language, job.code, files)


def shortened(run: Run, size: int) -> Run:
    """Return a run with no more than the first `size` bytes of each of its outputs."""
    if max(len(run.stdout), len(run.stderr)) <= size:
        return run
    return dataclasses.replace(run, stdout=run.stdout[:size], stderr=run.stderr[:size])


def _tests(job: Job) -> list[TestCase]:
    expected = job.expected or (None,) * len(job.stdins)
    pairs = zip(job.stdins, expected, strict=True)
    return [TestCase(str(index), stdin, stdout) for index, (stdin, stdout) in enumerate(pairs)]


def _judge(
    sandbox: Sandbox, compiled: Compiled, job: Job, cores: Cores, on_run: Callable[[int, Run], None]
) -> Judgement:
    return judge(
        sandbox,
        compiled,
        _tests(job),
        Checker(job.comparison, sandbox, job.evaluator),
        job.limits,
        cores=cores,
        sampling=Sampling(job.interval_ns, job.profile),
        every_test=job.every_test,
        compare=False,
        on_run=on_run,
    )


def _measure(sandbox: Sandbox, compiled: Compiled, job: Job, cores: Cores, stopped: Callable[[], bool]) -> Costs:
    options = MeasureOptions(job.repeats, interval_ns=job.interval_ns)

    def on_run(*_: object) -> None:
        if stopped():
            raise Stopped

    taken = take_turns(sandbox, [compiled], _tests(job), job.limits, options, cores=cores, on_run=on_run)
    (rounds,) = taken.of_each
    return Costs(summarise(rounds, len(job.stdins), options, taken.noise), rounds)
