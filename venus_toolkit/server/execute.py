"""One job on one core: judged on each input, then measured where that was asked for.

No sooner than it may run.
"""

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


class Stopped(Exception):
    """Somebody does not want the result any more."""


def execute(
    sandbox: Sandbox,
    language: Language,
    job: Job,
    job_id: str,
    cores: Cores,
    stopped: Callable[[], bool],
) -> JobResult:
    """Return what became of a job.

    Raises:
        Stopped: `stopped` became true between two runs.
        SandboxError: The sandbox failed.
        SourceError: The evaluator is missing or does not compile.
    """
    program = job_program(job, language)
    compiled = sandbox.compile(program, cores)
    expected = job.expected or (None,) * len(job.stdins)  # none given: how the program ends decides
    pairs = zip(job.stdins, expected, strict=True)
    tests = tuple(
        TestCase(str(index), stdin, stdout) for index, (stdin, stdout) in enumerate(pairs)
    )
    rules = Rules(job.limits, job.comparison, job.evaluator)
    options = MeasureOptions(job.repeats, interval_ns=job.interval_ns)
    panel = Panel(Suite(job_id, tests, rules), (program,), Measuring(options))
    runs: list[Run] = []

    def require_wanted(*_: object) -> None:
        if stopped():
            raise Stopped

    def on_judged(_: int, run: Run) -> None:
        runs.append(shortened(run, job.shown_bytes))  # all of it was compared before
        require_wanted()

    assessment = assess_panel(
        sandbox,
        cores,
        panel,
        compiler=lambda _: compiled,
        every_test=job.every_test,
        any_answer=True,
        trace=job.profile,
        on_judged=on_judged,
        on_measured=require_wanted,
    )
    (result,) = assessment.programs
    judgement, measured = result.judgement, result.measured
    # A rejected program has no figures, and its rounds would be some.
    wrong = measured is None or measured.rejection
    rounds = () if wrong or assessment.rounds is None else assessment.rounds.of_each[0]
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
        rounds=tuple(each.runs for each in rounds),
        cores=(cores.program, cores.sampler),
    )


def job_program(job: Job, language: Language) -> Program:
    """Return the program of a job with the files beside it.

    A ValueError where one is not base64.
    """
    files = tuple(
        File(path, base64.b64decode(content, validate=True)) for path, content in job.files
    )
    return program_of(language, job.code, files)


class GatedSandbox(Sandbox):
    """The sandbox for one job: nothing is compiled or run before the job is on disk.

    What takes time and runs nothing begins before: a session is prepared, a compiled program found.
    A session that has done its work is closed when the next one is opened, or at the end: whoever
    waits for the result has it by then. `ready` waits until programs may run, compilers included.
    """

    def __init__(self, inside: Sandbox, ready: Callable[[], object]) -> None:
        self.name = inside.name
        self._inside = inside
        self._ready = ready
        self._done: Session | None = None

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what was made of it before."""
        if found := self._inside.compiled(program):
            return found
        self._ready()
        return self._inside.compile(program, cores)

    def compiled(self, program: Program) -> Compiled | None:
        """Return what `compile` would return, where nothing has to be compiled for that."""
        return self._inside.compiled(program)

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> Session:
        """Return a session in which each run of `compiled` is held to `limits`."""
        self.close_later(None)
        session = self._inside.session(compiled, limits, cores, sampling)
        try:
            session.prepare()
            self._ready()
        except BaseException:
            session.close()
            raise
        return _LateSession(session, self)

    def close_later(self, done: Session | None) -> None:
        """Close the session that was done before, and keep another one until later."""
        before, self._done = self._done, done
        if before:
            before.close()

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` here."""
        return self._inside.toolchain(language)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what the sandbox enforces and how."""
        return self._inside.facts()

    def close(self) -> None:
        """Close the last session; the sandbox inside goes on."""
        self.close_later(None)


class _LateSession(Session):
    """A prepared session: closed while it is idle it stays until the next one, while something runs it ends at once."""

    def __init__(self, session: Session, sandbox: GatedSandbox) -> None:
        self._session = session
        self._sandbox = sandbox
        self._busy = False

    def prepare(self) -> None:
        """Do nothing: it is prepared."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        self._busy = True
        yield from self._session.run(stdins)
        # Not reached where the generator is left early: `close` then ends what still runs.
        self._busy = False

    def close(self) -> None:
        if self._busy:
            self._session.close()
        else:
            self._sandbox.close_later(self._session)
