"""Running the programs of one problem on tests and inputs, each once: what kills what.

Every verdict is the judge's. The figures are about tests, so a program that the sandbox failed on
has no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from venus_toolkit.builders.inputs.model import try_validator
from venus_toolkit.builders.inputs.run_generator import generate, refusals
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import EFFICIENCY, Limits, Problem, TestCase, digest
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Verdicts, try_tests, vote
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.generators import LARGE, Made, Request, run_generator
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

TARGETED = "targeted"  # the size class of inputs that a model writes against certain programs


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A request for generated inputs: so many, from this seed on."""

    count: int
    seed: int


Wanted = InputRequest | tuple[TestCase, ...]  # inputs to be generated, or to be taken as they are


class ProblemPrograms:
    """One problem's programs, and where they run.

    The problem's runners make programs of solutions, and its generator makes inputs; `limits` gives
    what a run may take by the language of the program.
    """

    def __init__(
        self, executor: Executor, worker: Worker, problem: Problem, limits: Callable[[str], Limits]
    ) -> None:
        self.problem = problem
        self.languages = executor.languages
        self._executor = executor
        self._worker = worker.at(problem.slug)
        self._limits = limits
        self._made: dict[InputRequest, tuple[TestCase, ...]] = {}
        self._outputs: dict[tuple[Program, Wanted], list[TestCase]] = {}

    def _rules(self, program: Program) -> Rules:
        return Rules(
            self._limits(program.language.id), self.problem.comparison, self.problem.evaluator
        )

    def can_run(self, language: str) -> bool:
        """Whether solutions in a language are programs here.

        It is installed, and has a runner where one is needed.
        """
        return language in self.languages and (
            self.problem.style != "function" or language in self.problem.runners
        )

    def program(self, language: str, code: str) -> Program:
        """Return the complete program; functions are put into the problem's runner."""
        runner = self.problem.runners[language] if self.problem.style == "function" else None
        return whole_program(
            self.languages[language], runner, code, self.problem.standards.get(language, "")
        )

    def called(self, language: str) -> frozenset[str]:
        """Return the names that are used outside a solution, as far as its runner is known."""
        return frozenset(re.findall(r"\w+", self.problem.runners.get(language, "")))

    def verdicts(self, program: Program, tests: Sequence[TestCase], kills: int) -> Verdicts | None:
        """Return what the tests say of a program, or None where the sandbox failed.

        Small inputs come first. The program is run until `kills` tests killed it, or one by its
        time; on large ones only as long as none did: they are kept in any case.
        """
        suite = Suite(self.problem.slug, tuple(tests), self._rules(program))
        found = self._executor.try_tests(self._worker, suite, program, kills, _small_and_large)
        return None if isinstance(found, SandboxFailure) else found

    def inputs(self, wanted: Wanted) -> tuple[TestCase, ...]:
        """Return generated inputs, without outputs.

        None where there is no generator, or the sandbox failed.
        """
        if isinstance(wanted, tuple):
            return wanted
        if self.problem.generator is None or not wanted.count:
            return ()
        if wanted not in self._made:
            found = self._executor.run(
                self._worker, _generated, self.problem, wanted.count, wanted.seed
            )
            if isinstance(found, SandboxFailure):
                # Not remembered: the next request tries again.
                return ()
            self._made[wanted] = found
        return self._made[wanted]

    def try_validator(self, code: str, known: Sequence[str]) -> str:
        """Return what is wrong with a validator, or "", given inputs that it has to allow."""
        found = self._executor.run(self._worker, _tried, code, known)
        return found.reason if isinstance(found, SandboxFailure) else found

    def propose(
        self, generator: str | None, inputs: Sequence[str], validator: str, count: int
    ) -> list[Made]:
        """Return inputs, and `count` of a generator for the size class `TARGETED`.

        Each has why it cannot be used, or "".
        """

        def find() -> list[Any] | SandboxFailure:
            found = self._executor.run(self._worker, _proposed, generator, inputs, validator, count)
            return found if isinstance(found, SandboxFailure) else [list(each) for each in found]

        # Journalled: a prompt quotes the reasons, and has to be the same when a build is resumed.
        kept = self._executor.once(
            TARGETED, lambda: digest(generator, list(inputs), validator, count), find
        )
        return (
            [Made(None, kept.reason)]
            if isinstance(kept, SandboxFailure)
            else [Made(*each) for each in kept]
        )

    def differences(
        self, program: Program, parent: Program, wanted: Wanted, kills: int
    ) -> tuple[tuple[str, ...], int] | None:
        """Return on which generated inputs a program differs from its parent, and how many were compared.

        The parent's outputs are the expected ones; it stops after `kills` differences. None: the
        sandbox failed.
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
                both,
                [self.problem.generator, self.problem.validator, wanted],
                list(self._rules(program)),
                list(self._rules(parent)),
                kills,
            )

        kept = self._executor.once("differences", key, find)
        return None if isinstance(kept, SandboxFailure) else (tuple(kept[0]), kept[1])

    def _with_outputs(self, parent: Program, wanted: Wanted) -> list[TestCase] | SandboxFailure:
        """Return inputs with the outputs of a program as the expected ones.

        Those it fails on are left out.
        """
        key = (parent, wanted)
        parents = 8  # whose outputs are kept at a time: those of large inputs are large
        if key not in self._outputs:
            inputs = self.inputs(wanted)
            found = self._executor.run(
                self._worker, vote, parent, inputs, self._rules(parent).limits, None
            )
            if isinstance(found, SandboxFailure):
                return found
            # A dictionary keeps the order of insertion: the oldest goes.
            while len(self._outputs) >= parents:
                del self._outputs[next(iter(self._outputs))]
            self._outputs[key] = [
                replace(test, stdout=found.outputs[each.output])
                for test, each in zip(inputs, found.of_each, strict=True)
                if each.kind == "answer"
            ]
        return self._outputs[key]


def _small_and_large(tests: Sequence[TestCase]) -> tuple[tuple[TestCase, ...], ...]:
    ordered = sorted(tests, key=size_of)
    heavy = {test.test_id for test in tests if test.size in LARGE or test.role == EFFICIENCY}
    return tuple(
        tuple(test for test in ordered if (test.test_id in heavy) == large)
        for large in (False, True)
    )


def _generated(
    sandbox: Sandbox, cores: Cores, problem: Problem, count: int, seed: int
) -> tuple[TestCase, ...]:
    """Return inputs from a problem's generator that its validator allows.

    None where one of them does not compile.
    """
    try:
        made = generate(sandbox, problem, count, seed, cores).tests
        if not (problem.validator and made):
            return made
        said = refusals(sandbox, problem.validator, [test.stdin for test in made], cores)
    except SourceError:
        # Given tests do not need them.
        return ()
    return tuple(test for test, why in zip(made, said, strict=True) if why is None)


def _tried(sandbox: Sandbox, _: Cores, code: str, known: Sequence[str]) -> str:
    return try_validator(sandbox, code, known)


def _proposed(
    sandbox: Sandbox,
    cores: Cores,
    generator: str | None,
    inputs: Sequence[str],
    validator: str,
    count: int,
) -> list[Made]:
    """Return inputs, those of a generator behind the others, with why the validator or we refuse them."""
    made = [Made(text) for text in inputs]
    longest = 200_000  # characters: they are to be few and small
    try:
        if generator:
            requests = [Request(TARGETED, seed) for seed in range(count)]
            made += run_generator(sandbox, generator, requests, cores)
        short = [each.text for each in made if each.text is not None and len(each.text) <= longest]
        refused = dict(zip(short, refusals(sandbox, validator, short, cores), strict=True))
    except SourceError as error:
        return [Made(None, str(error))]
    long = f"it has more than {longest} characters"
    return [
        each if each.text is None
        else Made(each.text, refused[each.text] or "") if each.text in refused
        else Made(None, long)
        for each in made
    ]  # fmt: skip
