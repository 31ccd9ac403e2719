"""Runs one job on one core: judges its program on each input, then measures it on request."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Limits, Run, TestCase
from venus_toolkit.core.toolchain import Toolchain
from venus_toolkit.execution.engine.assessment import Panel, assess_panel, shortened
from venus_toolkit.execution.engine.work import Measuring
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox, Session
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling
from venus_toolkit.server.queue.jobs import Job, JobResult, JobState


class JobCancelled(Exception):
    """The job was cancelled while it ran."""


def execute(
    sandbox: Sandbox,
    language: Language,
    job: Job,
    job_id: str,
    cores: Cores,
    is_cancelled: Callable[[], bool],
) -> JobResult:
    """Run a job and return its result.

    Raises:
        JobCancelled: `is_cancelled` became true between two runs.
        SandboxError: The sandbox failed.
        SourceError: The evaluator is missing or does not compile.
    """
    program = job_program(job, language)
    compiled = sandbox.compile(program, cores)
    expected = job.expected or (None,) * len(job.stdins)  # None: only the exit status is judged
    pairs = zip(job.stdins, expected, strict=True)
    tests = tuple(
        TestCase(str(index), stdin, stdout) for index, (stdin, stdout) in enumerate(pairs)
    )
    rules = Rules(job.limits, job.comparison, job.evaluator)
    options = MeasureOptions(job.repeats, interval_ns=job.interval_ns)
    panel = Panel(Suite(job_id, tests, rules), (program,), Measuring(options))
    runs: list[Run] = []

    def check_cancelled(*_: object) -> None:
        if is_cancelled():
            raise JobCancelled

    def on_judged(_: int, run: Run) -> None:
        runs.append(shortened(run, job.shown_bytes))  # the whole output was compared before
        check_cancelled()

    assessment = assess_panel(
        sandbox,
        cores,
        panel,
        compiler=lambda _: compiled,
        every_test=job.every_test,
        any_answer=True,
        trace=job.profile,
        on_judged=on_judged,
        on_measured=check_cancelled,
    )
    (result,) = assessment.programs
    judgement, measured = result.judgement, result.measured
    # A rejected program must not have figures, so its rounds are left out.
    rejected = measured is None or measured.rejection
    rounds = () if rejected or assessment.rounds is None else assessment.rounds.of_each[0]
    return JobResult(
        job_id,
        JobState.DONE,
        language=language.id,
        verdict=judgement.verdict,
        reason=judgement.reason,
        failing_test=int(judgement.failing_test) if judgement.failing_test is not None else None,
        compile_log=compiled.log,
        compile_run=compiled.run,
        runs=tuple(runs),
        verdicts=judgement.verdicts,
        measurement=measured and measured.total,
        rounds=tuple(round_.runs for round_ in rounds),
        cores=(cores.program, cores.sampler),
    )


def job_program(job: Job, language: Language) -> Program:
    """Return the program of a job with its files.

    Raises:
        ValueError: The content of a file is not base64.
    """
    files = tuple(
        File(path, base64.b64decode(content, validate=True)) for path, content in job.files
    )
    return program_of(language, job.code, files)


class GatedSandbox(Sandbox):
    """The sandbox for one job: it compiles and runs nothing before the job is on disk.

    To save time it prepares a session, or looks up a compiled program, meanwhile. A finished
    session is closed only when the next one is opened, or at the end, so that the client gets the
    result first. `ready` waits until compilers and programs may run.
    """

    def __init__(self, inside: Sandbox, ready: Callable[[], object]) -> None:
        self.name = inside.name
        self._inside = inside
        self._ready = ready
        self._finished: Session | None = None

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return the stored result."""
        if compiled := self._inside.compiled(program):
            return compiled
        self._ready()
        return self._inside.compile(program, cores)

    def compiled(self, program: Program) -> Compiled | None:
        """Return the stored result of `compile`, or None."""
        return self._inside.compiled(program)

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> Session:
        """Return a prepared session for runs of `compiled` within `limits`."""
        self.close_later(None)
        session = self._inside.session(compiled, limits, cores, sampling)
        try:
            session.prepare()
            self._ready()
        except BaseException:
            session.close()
            raise
        return _LateSession(session, self)

    def close_later(self, session: Session | None) -> None:
        """Close the previous finished session, and remember another one."""
        previous, self._finished = self._finished, session
        if previous:
            previous.close()

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` in the sandbox."""
        return self._inside.toolchain(language)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the facts of the sandbox inside."""
        return self._inside.facts()

    def close(self) -> None:
        """Close the last session, but not the sandbox inside."""
        self.close_later(None)


class _LateSession(Session):
    """A prepared session whose `close` is delayed, unless a program is running in it."""

    def __init__(self, session: Session, sandbox: GatedSandbox) -> None:
        self._session = session
        self._sandbox = sandbox
        self._busy = False

    def prepare(self) -> None:
        """Do nothing, since it is prepared already."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        self._busy = True
        yield from self._session.run(stdins)
        # Not reached if the caller abandons the generator; `close` then ends the running program.
        self._busy = False

    def close(self) -> None:
        if self._busy:
            self._session.close()
        else:
            self._sandbox.close_later(self._session)
