"""The work of an evaluation that may be done on any machine: functions of what they are given, run through a seat."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.fresh import agreed
from venus_toolkit.judge import Rules, judge
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


def agreed_tests(
    sandbox: Sandbox, cores: Cores, programs: Sequence[Program], inputs: Sequence[TestCase], rules: Rules
) -> list[TestCase]:
    """Return the inputs on which all these programs end well and agree, with the output of the first."""
    return agreed(sandbox, programs, inputs, rules.checker(sandbox), rules.limits, cores)
