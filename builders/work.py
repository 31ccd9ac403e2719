"""The work of a build that may be done on any machine: functions of what they are given, run through a seat."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.batch import BatchSandbox, judge_batch
from venus_toolkit.builders import validate
from venus_toolkit.builders.generation.run import generate
from venus_toolkit.engine import Onlooker
from venus_toolkit.errors import SourceError
from venus_toolkit.judge import Rules, judge
from venus_toolkit.measure import MeasureOptions, measure
from venus_toolkit.records import Judgement, Limits, Measurement, Problem, TestCase, Verdict
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores


class Collected(NamedTuple):
    """The votes of a canonical solution and its outputs by digest; carries_state: it remembers something."""

    votes: list[validate.Vote]
    outputs: dict[str, str]
    carries_state: bool


def collect(
    sandbox: Sandbox, cores: Cores, program: Program, tests: Sequence[TestCase], limits: Limits, lines: int | None
) -> Collected:
    """Run a canonical solution on every input; tests of so many `lines` share a process, None: each has its own."""
    batches = None if lines is None else BatchSandbox(sandbox, lines)
    votes, outputs = validate.collect_votes(batches or sandbox, sandbox.compile(program), tests, limits, cores)
    return Collected(votes, outputs, bool(batches and batches.carries_state))


def agree(
    sandbox: Sandbox,
    _: Cores,
    tests: Sequence[TestCase],
    votes: Mapping[str, Sequence[validate.Vote]],
    outputs: Mapping[str, str],
    rules: Rules,
) -> validate.Agreement:
    """Decide which tests are good; none is where the evaluator does not compile."""
    try:
        return validate.agree(tests, votes, outputs, rules.checker(sandbox))
    except SourceError as error:
        return validate.Agreement(dropped={test.test_id: str(error) for test in tests})


class Judged(NamedTuple):
    """A verdict without the runs behind it; carries_state: the program remembers something between tests."""

    judgement: Judgement
    carries_state: bool


def judge_program(
    sandbox: Sandbox, cores: Cores, program: Program, tests: Sequence[TestCase], rules: Rules, lines: int | None
) -> Judged:
    """Judge a program; tests of so many `lines` share a process, None: each has its own."""
    compiled, checker = sandbox.compile(program), rules.checker(sandbox)
    batches = None if lines is None else BatchSandbox(sandbox, lines)
    if batches:
        found = judge_batch(batches, compiled, tests, checker, rules.limits, cores)
    else:
        found = judge(sandbox, compiled, tests, checker, rules.limits, cores=cores)
    return Judged(dataclasses.replace(found, runs=(), verdicts=()), bool(batches and batches.carries_state))


def measure_programs(
    sandbox: Sandbox,
    cores: Cores,
    programs: Sequence[Program],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    on_round: Onlooker,
) -> list[Measurement]:
    """Measure programs in turns, and free what they took."""
    compiled = [sandbox.compile(program, cores) for program in programs]
    measured = measure(sandbox, compiled, tests, limits, options, cores=cores, on_round=on_round)
    for each in compiled:
        sandbox.discard(each)
    return measured


# ------------------------------------------------------------------ are the tests good?


class Kills(NamedTuple):
    """What tests say of a program: whether it compiles, and the verdict of each test that was run."""

    compiled: bool
    verdicts: dict[str, str]


def kill(
    sandbox: Sandbox, cores: Cores, program: Program, parts: Sequence[Sequence[TestCase]], rules: Rules, kills: int
) -> Kills:
    """Run a program on the tests of one part after the other, as long as none killed it.

    A part ends after `kills` tests that did, or one by its time. Only what survives stays compiled.
    """
    compiled, checker = sandbox.compile(program, cores), rules.checker(sandbox)
    verdicts: dict[str, str] = {}
    for part in parts:
        if part and compiled.ok and _survives(verdicts):
            said = judge(sandbox, compiled, part, checker, rules.limits, cores=cores, failures=kills)
            verdicts |= {test.test_id: str(verdict) for test, verdict in zip(part, said.verdicts, strict=False)}
    if not (compiled.ok and _survives(verdicts)):
        sandbox.discard(compiled)
    return Kills(compiled.ok, verdicts)


def _survives(verdicts: Mapping[str, str]) -> bool:
    return all(verdict == Verdict.ACCEPTED for verdict in verdicts.values())


def inputs_of(sandbox: Sandbox, cores: Cores, problem: Problem, count: int, seed: int) -> tuple[TestCase, ...]:
    """Return inputs from a problem's generator; none where it does not compile: given tests do not need it."""
    try:
        return generate(sandbox, problem, count, seed, cores).tests
    except SourceError:
        return ()
