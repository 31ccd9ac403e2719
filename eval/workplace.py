"""The place where programs are judged and measured: sandbox, cores, limits, and what identifies a piece of work.

Whatever was finished is journalled under all it depends on, so an evaluation that was stopped goes on where it was.
This is the one place where a failure of the sandbox is attributed: it is tried again, then reported, never a verdict.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from venus_toolkit.engine import EngineOptions, Machine, Seat, Site, describe_machine, on_one_machine, open_engine
from venus_toolkit.errors import SandboxError
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.tasks import Task
from venus_toolkit.eval.work import judge_program, measure_programs
from venus_toolkit.judge import Rules
from venus_toolkit.language import Language
from venus_toolkit.measure import Round, summarise
from venus_toolkit.records import Judgement, Measurement, TestCase, Verdict, digest, from_plain, to_plain
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.store import Store

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
        self.versions = {language.id: sandbox.toolchain(language).version for language in languages}
        chosen = EngineOptions(options.engine, options.jobs, options.ray_address)
        self.engine = open_engine(chosen, Site(sandbox, tuple(languages), self.versions))
        self._here = describe_machine(sandbox)
        self._mutex = threading.Lock()
        self._machines: dict[str, Machine] = {}
        self._tasks: dict[str, set[str]] = {}
        self._languages = {language.id: language for language in languages}

    def close(self) -> None:
        """End the engine."""
        self.engine.close()

    def environment(
        self, languages: Sequence[Language] | None = None, machine: Machine | None = None
    ) -> dict[str, object]:
        """Return what figures depend on beside the programs: machine (None: this one), toolchains, sandbox."""
        chosen = self._languages.values() if languages is None else languages
        toolchains = {language.id: self.versions[language.id] for language in chosen}
        return {
            **(machine or self._here).facts, "toolchains": toolchains, "share_cores": self.options.share_cores,
        }  # fmt: skip

    def fingerprint(self, languages: Sequence[Language] | None = None, machine: Machine | None = None) -> str:
        """Return the identity of the environment: figures of equal fingerprints may be compared."""
        return digest(self.environment(languages, machine))

    @property
    def measured_on(self) -> dict[str, dict[str, object]]:
        """The types of machine that measured something, by fingerprint: what each is, and how many tasks it has."""
        return {
            name: {"tasks": len(self._tasks[name]), **self._machines[name].facts} for name in sorted(self._machines)
        }

    def _note(self, task: Task, machine: Machine) -> None:
        with self._mutex:
            self._machines[machine.fingerprint] = machine
            self._tasks.setdefault(machine.fingerprint, set()).add(task.name)

    def identity(self, program: Program) -> str:
        """Return what the results of a program depend on."""
        language = program.language
        made = [language.compile_argv, language.run_argv, dict(language.environment), language.reference]
        return digest(program.source, language.id, made, self.versions[language.id], self.sandbox.name)

    # -------------------------------------------------------------- judging

    def judge(self, task: Task, program: Program, seat: Seat) -> Judgement | Failure:
        """Return the verdict on a program, or why the sandbox has none."""
        problem = task.problem
        rules = Rules(problem.limits, problem.comparison, problem.evaluator)
        key = digest(self.identity(program), tests_digest(task.tests), list(rules))
        found = self.store.get("judge", key)
        if found is None:
            near = seat.at(task.name)
            judgement = self._attempt(lambda: near.run(judge_program, program, task.tests, rules))
            if isinstance(judgement, Failure):
                return judgement
            found = to_plain(judgement)
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

    def measure(self, task: Task, programs: Sequence[Program], seat: Seat) -> list[Measured] | Failure:
        """Return what each program costs, all taking turns; equal programs are measured each for itself.

        The order of the turns is drawn, so that no kind of program always follows another.
        """
        return on_one_machine(seat.at(task.name), lambda near, machine: self._measure_on(task, programs, near, machine))

    def _measure_on(
        self, task: Task, programs: Sequence[Program], seat: Seat, machine: Machine
    ) -> list[Measured] | Failure:
        fingerprint = self.fingerprint([task.head.language], machine)
        key = digest([self.identity(program) for program in programs], self.rules(task), fingerprint)
        kept = self.store.get("measure", key)
        if kept is not None:
            found = [read_measured(each) for each in kept]
        else:
            fresh = self._attempt(lambda: self._measured(task, programs, seat))
            if isinstance(fresh, Failure):
                return fresh
            found = fresh
            self.store.put("measure", key, [plain_measured(each) for each in found])
        self._note(task, machine)
        return found

    def rules(self, task: Task) -> str:
        """Return what the figures of any program of a task depend on, beside the program and the environment."""
        return digest(task.name, tests_digest(task.tests), task.problem.limits, self.options.measure)

    def _measured(self, task: Task, programs: Sequence[Program], seat: Seat) -> list[Measured]:
        order = list(range(len(programs)))
        random.Random(task.name).shuffle(order)
        drawn = tuple(programs[index] for index in order)
        compiled, turns = seat.run(measure_programs, drawn, task.tests, task.problem.limits, self.options.measure)
        runnable = [index for index, ok in zip(order, compiled, strict=True) if ok]
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
