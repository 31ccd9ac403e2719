"""The work of an evaluation that may be done on any machine: functions of what they are given, run through a seat."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.judge import Answer, Rules, judge
from venus_toolkit.measure import MeasureOptions, Rounds, take_turns
from venus_toolkit.records import Judgement, Limits, TestCase, Verdict
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores


def judge_program(
    sandbox: Sandbox, cores: Cores, program: Program, tests: Sequence[TestCase], rules: Rules
) -> Judgement:
    """Return the verdict on a program, without the runs behind it; what is accepted stays compiled: it is measured."""
    compiled = sandbox.compile(program)
    judged = judge(sandbox, compiled, tests, rules.checker(sandbox), rules.limits, cores=cores)
    if judged.verdict != Verdict.ACCEPTED:
        sandbox.discard(compiled)
    return dataclasses.replace(judged, runs=(), verdicts=())


class Turns(NamedTuple):
    """The rounds of programs that took turns, and which of them compile: the rounds are of these, in their order."""

    compiled: tuple[bool, ...]
    rounds: Rounds


def measure_programs(
    sandbox: Sandbox,
    cores: Cores,
    programs: Sequence[Program],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
) -> Turns:
    """Measure the programs that compile in turns, and free what all of them took."""
    compiled = [sandbox.compile(program, cores) for program in programs]
    good = [each for each in compiled if each.ok]
    rounds = take_turns(sandbox, good, tests, limits, options, cores=cores)
    for each in {each.folder: each for each in compiled}.values():
        sandbox.discard(each)
    return Turns(tuple(each.ok for each in compiled), rounds)


def agreed_outputs(
    sandbox: Sandbox, cores: Cores, programs: Sequence[Program], inputs: Sequence[TestCase], rules: Rules
) -> list[str | None]:
    """Return for each input what the first program prints; None where not all end well and agree with it."""
    found = [_outputs(sandbox, cores, program, inputs, rules.limits) for program in programs]
    checker = rules.checker(sandbox)
    agreed: list[str | None] = []
    for test, (first, *others) in zip(inputs, zip(*found, strict=True), strict=True):
        answers = [Answer(first or "", other or "", test.stdin) for other in others]
        agree = first is not None and None not in others and all(checker.passes(answers))
        agreed.append(first if agree else None)
    return agreed


def _outputs(
    sandbox: Sandbox, cores: Cores, program: Program, inputs: Sequence[TestCase], limits: Limits
) -> list[str | None]:
    compiled = sandbox.compile(program, cores)
    if not compiled.ok:
        return [None] * len(inputs)
    with sandbox.session(compiled, limits, cores) as session:
        runs = session.run([test.stdin.encode() for test in inputs])
        return [run.stdout.decode("utf-8", "replace") if run.clean and not run.stdout_cut else None for run in runs]
