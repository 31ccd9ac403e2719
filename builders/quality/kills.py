"""Runs the programs of one problem on tests and inputs, each once, to find which tests kill which.

The judge gives every verdict. The figures describe tests, so a program on which the sandbox failed
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
from venus_toolkit.execution.judging.generators import LARGE, GeneratedInput, Request, run_generator
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

TARGETED = "targeted"  # size class of the inputs that a model writes against certain programs


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A request for `count` generated inputs, with consecutive seeds from `seed` on."""

    count: int
    seed: int


InputSource = InputRequest | tuple[TestCase, ...]  # inputs to generate, or given ones


class ProblemPrograms:
    """The programs of one problem, and the executor that runs them.

    The problem's runners turn solutions into programs, and its generator makes inputs; `limits`
    returns the limits of a run for a language.
    """

    def __init__(
        self, executor: Executor, worker: Worker, problem: Problem, limits: Callable[[str], Limits]
    ) -> None:
        self.problem = problem
        self.languages = executor.languages
        self._executor = executor
        self._worker = worker.at(problem.slug)
        self._limits = limits
        self._generated: dict[InputRequest, tuple[TestCase, ...]] = {}
        self._outputs: dict[tuple[Program, InputSource], list[TestCase]] = {}

    def _rules(self, program: Program) -> Rules:
        return Rules(
            self._limits(program.language.id), self.problem.comparison, self.problem.evaluator
        )

    def can_run(self, language: str) -> bool:
        """Whether a language is installed and, for a function problem, has a runner."""
        return language in self.languages and (
            self.problem.style != "function" or language in self.problem.runners
        )

    def program(self, language: str, code: str) -> Program:
        """Return the complete program, with the problem's runner around a function."""
        runner = self.problem.runners[language] if self.problem.style == "function" else None
        return whole_program(
            self.languages[language], runner, code, self.problem.standards.get(language, "")
        )

    def called(self, language: str) -> frozenset[str]:
        """Return the names that the problem's runner uses, the empty set without a runner."""
        return frozenset(re.findall(r"\w+", self.problem.runners.get(language, "")))

    def verdicts(self, program: Program, tests: Sequence[TestCase], kills: int) -> Verdicts | None:
        """Return the verdicts on a program, or None if the sandbox failed.

        Small tests run first. The program runs until `kills` tests killed it, or one by its time.
        It runs on large tests only if no small one killed it, since those are kept anyway.
        """
        suite = Suite(self.problem.slug, tuple(tests), self._rules(program))
        verdicts = self._executor.try_tests(self._worker, suite, program, kills, _small_and_large)
        return None if isinstance(verdicts, SandboxFailure) else verdicts

    def inputs(self, source: InputSource) -> tuple[TestCase, ...]:
        """Return inputs without outputs; none without a generator or if the sandbox failed."""
        if isinstance(source, tuple):
            return source
        if self.problem.generator is None or not source.count:
            return ()
        if source not in self._generated:
            generated = self._executor.run(
                self._worker, _generate_allowed, self.problem, source.count, source.seed
            )
            if isinstance(generated, SandboxFailure):
                # Not cached: the next request retries.
                return ()
            self._generated[source] = generated
        return self._generated[source]

    def try_validator(self, code: str, known: Sequence[str]) -> str:
        """Return the fault of a validator on inputs that it has to allow, or ""."""
        result = self._executor.run(self._worker, _run_validator, code, known)
        return result.reason if isinstance(result, SandboxFailure) else result

    def propose(
        self, generator: str | None, inputs: Sequence[str], validator: str, count: int
    ) -> list[GeneratedInput]:
        """Return the inputs, and `count` more from a generator for the size class `TARGETED`.

        Each comes with the reason why it cannot be used, or "".
        """

        def find() -> list[Any] | SandboxFailure:
            candidates = self._executor.run(
                self._worker, _propose, generator, inputs, validator, count
            )
            return (
                candidates
                if isinstance(candidates, SandboxFailure)
                else [list(candidate) for candidate in candidates]
            )

        # In the journal because a prompt quotes the reasons and must not change on a resume.
        proposed = self._executor.once(
            TARGETED, lambda: digest(generator, list(inputs), validator, count), find
        )
        return (
            [GeneratedInput(None, proposed.reason)]
            if isinstance(proposed, SandboxFailure)
            else [GeneratedInput(*fields) for fields in proposed]
        )

    def differences(
        self, program: Program, parent: Program, source: InputSource, kills: int
    ) -> tuple[tuple[str, ...], int] | None:
        """Return the ids of inputs on which a program and its parent differ, and how many ran.

        The parent's outputs are the expected ones. Stops after `kills` differences. None: the
        sandbox failed.
        """

        def find() -> list[Any] | SandboxFailure:
            tests = self._with_outputs(parent, source)
            if isinstance(tests, SandboxFailure):
                return tests
            if not tests:
                # Plain values for the journal: ids, and the number of compared inputs.
                return [[], 0]
            parts, rules = _small_and_large(tests), self._rules(program)
            verdicts = self._executor.run(self._worker, try_tests, program, parts, rules, kills)
            return (
                verdicts
                if isinstance(verdicts, SandboxFailure)
                else [list(verdicts.failed), len(tests)]
            )

        def key() -> str:
            both = [self._executor.identity(program), self._executor.identity(parent)]
            return digest(
                both,
                [self.problem.generator, self.problem.validator, source],
                list(self._rules(program)),
                list(self._rules(parent)),
                kills,
            )

        compared = self._executor.once("differences", key, find)
        return None if isinstance(compared, SandboxFailure) else (tuple(compared[0]), compared[1])

    def _with_outputs(
        self, parent: Program, source: InputSource
    ) -> list[TestCase] | SandboxFailure:
        """Return inputs with the outputs of a program as the expected ones.

        Inputs on which the program fails are omitted.
        """
        key = (parent, source)
        parents = 8  # size of the cache: outputs of large inputs are large
        if key not in self._outputs:
            inputs = self.inputs(source)
            votes = self._executor.run(
                self._worker, vote, parent, inputs, self._rules(parent).limits, None
            )
            if isinstance(votes, SandboxFailure):
                return votes
            # Dictionaries are ordered by insertion, so this removes the oldest.
            while len(self._outputs) >= parents:
                del self._outputs[next(iter(self._outputs))]
            self._outputs[key] = [
                replace(test, stdout=votes.outputs[answer.output])
                for test, answer in zip(inputs, votes.of_each, strict=True)
                if answer.kind == "answer"
            ]
        return self._outputs[key]


def _small_and_large(tests: Sequence[TestCase]) -> tuple[tuple[TestCase, ...], ...]:
    ordered = sorted(tests, key=size_of)
    heavy = {test.test_id for test in tests if test.size in LARGE or test.role == EFFICIENCY}
    return tuple(
        tuple(test for test in ordered if (test.test_id in heavy) == large)
        for large in (False, True)
    )


def _generate_allowed(
    sandbox: Sandbox, cores: Cores, problem: Problem, count: int, seed: int
) -> tuple[TestCase, ...]:
    """Return the generated inputs that the validator allows; none if either does not compile."""
    try:
        tests = generate(sandbox, problem, count, seed, cores).tests
        if not (problem.validator and tests):
            return tests
        reasons = refusals(sandbox, problem.validator, [test.stdin for test in tests], cores)
    except SourceError:
        # The given tests still work.
        return ()
    return tuple(test for test, reason in zip(tests, reasons, strict=True) if reason is None)


def _run_validator(sandbox: Sandbox, _: Cores, code: str, known: Sequence[str]) -> str:
    return try_validator(sandbox, code, known)


def _propose(
    sandbox: Sandbox,
    cores: Cores,
    generator: str | None,
    inputs: Sequence[str],
    validator: str,
    count: int,
) -> list[GeneratedInput]:
    """Return inputs, those of a generator last, each with the reason for its refusal."""
    candidates = [GeneratedInput(text) for text in inputs]
    longest = 200_000  # characters of an input
    try:
        if generator:
            requests = [Request(TARGETED, seed) for seed in range(count)]
            candidates += run_generator(sandbox, generator, requests, cores)
        short = [
            candidate.text
            for candidate in candidates
            if candidate.text is not None and len(candidate.text) <= longest
        ]
        refused = dict(zip(short, refusals(sandbox, validator, short, cores), strict=True))
    except SourceError as error:
        return [GeneratedInput(None, str(error))]
    long = f"it has more than {longest} characters"
    return [
        candidate if candidate.text is None
        else GeneratedInput(candidate.text, refused[candidate.text] or "") if candidate.text in refused
        else GeneratedInput(None, long)
        for candidate in candidates
    ]  # fmt: skip
