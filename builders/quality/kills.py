"""Running the programs of one problem on tests and inputs, each once: what kills what.

Every verdict is the judge's. The figures are about tests, so a program that the sandbox failed on has no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from venus_toolkit.builders.generation.run_generator import generate
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import Limits, Problem, TestCase, digest
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.executor import Executor, SandboxFailure, Suite
from venus_toolkit.execution.generators import LARGE
from venus_toolkit.execution.judge import Rules
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.supervisor import Cores
from venus_toolkit.execution.work import Verdicts, try_tests, vote
from venus_toolkit.signatures import fill

PARENTS = 8  # whose outputs are kept at a time: those of large inputs are large


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A request for generated inputs: so many, from this seed on."""

    count: int
    seed: int


class Differences(NamedTuple):
    """The inputs on which a program was found to differ from its parent, and how many there were to compare on."""

    test_ids: tuple[str, ...]
    compared: int


class Workbench:
    """One problem's programs, and where they run.

    The problem's runners make programs of solutions, and its generator makes inputs; `limits` gives what a run may take
    by the language of the program.
    """

    def __init__(self, executor: Executor, worker: Worker, problem: Problem, limits: Callable[[str], Limits]) -> None:
        self.problem = problem
        self.languages = executor.languages
        self._executor = executor
        self._worker = worker.at(problem.slug)
        self._limits = limits
        self._made: dict[InputRequest, tuple[TestCase, ...]] = {}
        self._outputs: dict[tuple[str, InputRequest], list[TestCase]] = {}

    def _rules(self, program: Program) -> Rules:
        return Rules(self._limits(program.language.id), self.problem.comparison, self.problem.evaluator)

    def can_run(self, language: str) -> bool:
        """Whether solutions in a language are programs here: it is installed, and has a runner where one is needed."""
        return language in self.languages and (self.problem.style != "function" or language in self.problem.runners)

    def program(self, language: str, code: str) -> Program:
        """Return the complete program: inside the problem's runner where its solutions are functions."""
        if self.problem.style == "function":
            code = fill(self.problem.runners[language], code, self.languages[language])
        return Program(self.languages[language], code)

    def verdicts(self, program: Program, tests: Sequence[TestCase], kills: int) -> Verdicts | None:
        """Return what the tests say of a program, or None where the sandbox failed.

        Small inputs come first. The program is run until `kills` tests killed it, or one by its time; on large ones
        only as long as none did: they are kept in any case.
        """
        suite = Suite(self.problem.slug, tuple(tests), self._rules(program))
        found = self._executor.try_tests(self._worker, suite, program, kills, _small_and_large)
        return None if isinstance(found, SandboxFailure) else found

    def inputs(self, wanted: InputRequest) -> tuple[TestCase, ...]:
        """Return generated inputs, without outputs; none where there is no generator, or the sandbox failed."""
        if self.problem.generator is None or not wanted.count:
            return ()
        if wanted not in self._made:
            found = self._executor.run(self._worker, _generated, self.problem, wanted.count, wanted.seed)
            if isinstance(found, SandboxFailure):
                # Not remembered: the next request tries again.
                return ()
            self._made[wanted] = found
        return self._made[wanted]

    def differences(self, program: Program, parent: Program, wanted: InputRequest, kills: int) -> Differences | None:
        """Return on which generated inputs a program differs from its parent, or None where the sandbox failed.

        The parent's outputs are the expected ones; it stops after `kills` differences.
        """

        def find() -> list[Any] | SandboxFailure:
            tests = self._with_outputs(parent, wanted)
            if isinstance(tests, SandboxFailure):
                return tests
            if not tests:
                # Plain values for the journal: the ids of the inputs, and how many were compared.
                return [[], 0]
            parts, rules = _small_and_large(tests), self._rules(program)
            found = self._executor.run(self._worker, try_tests, program, parts, rules, kills)
            return found if isinstance(found, SandboxFailure) else [list(found.failed), len(tests)]

        def key() -> str:
            both = [self._executor.identity(program), self._executor.identity(parent)]
            return digest(
                both, self.problem.generator, wanted, list(self._rules(program)), list(self._rules(parent)), kills
            )

        kept = self._executor.once("differences", key, find)
        return None if isinstance(kept, SandboxFailure) else Differences(tuple(kept[0]), kept[1])

    def _with_outputs(self, parent: Program, wanted: InputRequest) -> list[TestCase] | SandboxFailure:
        """Return inputs with the outputs of a program as the expected ones; those it fails on are left out."""
        key = (parent.source, wanted)
        if key not in self._outputs:
            inputs = self.inputs(wanted)
            found = self._executor.run(self._worker, vote, parent, inputs, self._rules(parent).limits, None)
            if isinstance(found, SandboxFailure):
                return found
            # A dictionary keeps the order of insertion: the oldest goes.
            while len(self._outputs) >= PARENTS:
                del self._outputs[next(iter(self._outputs))]
            self._outputs[key] = [
                replace(test, stdout=found.outputs[each.output])
                for test, each in zip(inputs, found.of_each, strict=True)
                if each.kind == "answer"
            ]
        return self._outputs[key]


def _small_and_large(tests: Sequence[TestCase]) -> tuple[tuple[TestCase, ...], ...]:
    ordered = sorted(tests, key=size_of)
    return tuple(tuple(test for test in ordered if (test.size in LARGE) == large) for large in (False, True))


def _generated(sandbox: Sandbox, cores: Cores, problem: Problem, count: int, seed: int) -> tuple[TestCase, ...]:
    """Return inputs from a problem's generator; none where it does not compile: given tests do not need it."""
    try:
        return generate(sandbox, problem, count, seed, cores).tests
    except SourceError:
        return ()
