"""The place where programs are judged and measured: sandbox, cores, limits, and what identifies a piece of work.

Whatever was finished is journalled under all it depends on, so an evaluation that was stopped goes on where it was.
This is the one place where a failure of the sandbox is attributed: it is tried again, then reported, never a verdict.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from venus_toolkit.engine import Engine
from venus_toolkit.errors import SandboxError
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.tasks import Task
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language
from venus_toolkit.measure import Round, environment_facts, summarise, take_turns
from venus_toolkit.records import Judgement, Measurement, TestCase, Verdict, digest, from_plain, to_plain
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.store import Store
from venus_toolkit.supervisor import Cores

Result = TypeVar("Result")
TRIES = 2


class Repeat(NamedTuple):
    """What a program cost in one round over all tests; all None where it did not end well in each."""

    wall_ns: int | None = None
    cpu_ns: int | None = None
    peak_bytes: int | None = None
    integral_byte_ns: int | None = None
    relative_time: float | None = None


class Measured(NamedTuple):
    """A program's figures over all repeats, and those of each."""

    total: Measurement
    repeats: tuple[Repeat, ...]


class Failure(NamedTuple):
    """Why the sandbox could not say anything about a program."""

    reason: str


class Workplace:
    """Judges and measures programs of tasks.

    Args:
        options: What to evaluate, and how to measure.
        sandbox: Where programs run.
        store: The journal.
        languages: Those of the evaluation; their tools are there.
    """

    def __init__(self, options: EvalOptions, sandbox: Sandbox, store: Store, languages: Sequence[Language]) -> None:
        self.options = options
        self.sandbox = sandbox
        self.store = store
        self.engine = Engine(options.jobs)
        self.versions = {language.id: sandbox.toolchain(language).version for language in languages}
        self._languages = {language.id: language for language in languages}

    def environment(self, languages: Sequence[Language] | None = None) -> dict[str, object]:
        """Return what figures depend on beside the programs: machine, toolchains, sandbox."""
        chosen = self._languages.values() if languages is None else languages
        machine = environment_facts(chosen, self.versions)
        return {**machine, "sandbox": dict(self.sandbox.facts()), "share_cores": self.options.share_cores}

    def fingerprint(self, languages: Sequence[Language] | None = None) -> str:
        """Return the identity of the environment: figures of equal fingerprints may be compared."""
        return digest(self.environment(languages))

    def identity(self, program: Program) -> str:
        """Return what the results of a program depend on."""
        language = program.language
        made = [language.compile_argv, language.run_argv, dict(language.environment), language.reference]
        return digest(program.source, language.id, made, self.versions[language.id], self.sandbox.name)

    # -------------------------------------------------------------- judging

    def judge(self, task: Task, program: Program, cores: Cores) -> Judgement | Failure:
        """Return the verdict on a program, or why the sandbox has none."""
        problem = task.problem
        rules = [problem.limits, problem.comparison, problem.evaluator]
        key = digest(self.identity(program), tests_digest(task.tests), rules)
        found = self.store.get("judge", key)
        if found is None:

            def work() -> Judgement:
                checker = Checker(problem.comparison, self.sandbox, problem.evaluator)
                compiled = self.sandbox.compile(program)
                judged = judge(self.sandbox, compiled, task.tests, checker, problem.limits, cores=cores)
                if judged.verdict != Verdict.ACCEPTED:  # what is accepted is measured next
                    self.sandbox.discard(compiled)
                return judged

            judgement = self._attempt(work)
            if isinstance(judgement, Failure):
                return judgement
            found = to_plain(dataclasses.replace(judgement, runs=(), verdicts=()))
            self.store.put("judge", key, found)
        return from_plain(Judgement, {**found, "verdict": Verdict(found["verdict"])})

    def _attempt(self, work: Callable[[], Result]) -> Result | Failure:
        for remaining in reversed(range(TRIES)):
            try:
                return work()
            except SandboxError as error:
                if not remaining:
                    return Failure(f"the sandbox failed {TRIES} times: {error}")
        raise AssertionError

    # -------------------------------------------------------------- measuring

    def measure(self, task: Task, programs: Sequence[Program], cores: Cores) -> list[Measured] | Failure:
        """Return what each program costs, all taking turns; equal programs are measured each for itself.

        The order of the turns is drawn, so that no kind of program always follows another.
        """
        key = digest(
            [self.identity(program) for program in programs], self.rules(task), self.fingerprint([task.head.language])
        )
        kept = self.store.get("measure", key)
        if kept is not None:
            return [read_measured(each) for each in kept]
        found = self._attempt(lambda: self._measured(task, programs, cores))
        if not isinstance(found, Failure):
            self.store.put("measure", key, [plain_measured(each) for each in found])
        return found

    def rules(self, task: Task) -> str:
        """Return what the figures of any program of a task depend on, beside the program and the environment."""
        return digest(task.name, tests_digest(task.tests), task.problem.limits, self.options.measure)

    def _measured(self, task: Task, programs: Sequence[Program], cores: Cores) -> list[Measured]:
        order = list(range(len(programs)))
        random.Random(task.name).shuffle(order)
        compiled = [self.sandbox.compile(programs[index], cores) for index in order]
        runnable = [index for index, each in zip(order, compiled, strict=True) if each.ok]
        turns = take_turns(
            self.sandbox,
            [each for each in compiled if each.ok],
            task.tests,
            task.problem.limits,
            self.options.measure,
            cores=cores,
        )
        for each in {each.folder: each for each in compiled}.values():
            self.sandbox.discard(each)
        rounds = dict(zip(runnable, turns.of_each, strict=True))
        return [self._summed(rounds.get(index, ()), len(task.tests), turns.noise) for index in range(len(programs))]

    def _summed(self, rounds: Sequence[Round], tests: int, noise: Sequence[str]) -> Measured:
        total = summarise(rounds, tests, self.options.measure, noise)
        missing = self.options.measure.repeats - len(rounds)
        return Measured(total, (*map(_repeat, rounds), *[Repeat()] * missing))


def _repeat(one: Round) -> Repeat:
    if not one.clean:
        return Repeat()
    cpu_ns = sum(run.cpu_ns for run in one.runs)
    return Repeat(
        wall_ns=sum(run.wall_ns for run in one.runs),
        cpu_ns=cpu_ns,
        peak_bytes=max(run.peak_bytes for run in one.runs),
        integral_byte_ns=sum(run.integral_byte_ns for run in one.runs),
        relative_time=one.relative_time,
    )


def plain_measured(measured: Measured) -> list[object]:
    """Return figures as plain JSON values."""
    return [to_plain(measured.total), [list(each) for each in measured.repeats]]


def read_measured(kept: Sequence[object]) -> Measured:
    """Return what plain_measured made plain."""
    total, repeats = kept
    assert isinstance(total, Mapping)
    assert isinstance(repeats, list)
    return Measured(from_plain(Measurement, total), tuple(Repeat(*each) for each in repeats))


@lru_cache(maxsize=64)
def tests_digest(tests: tuple[TestCase, ...]) -> str:
    """Return the identity of the tests of a task."""
    return digest(list(tests))
