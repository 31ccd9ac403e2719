"""The functions that workers run for the executor.

They depend on their arguments alone, so they may run on any machine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from venus_toolkit.core.records import Judgement, Limits, Run, TestCase, Verdict
from venus_toolkit.execution.judging.batch import BatchSandbox, judge_batch
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.comparison import output_key
from venus_toolkit.execution.judging.judge import compile_reason, ending, judge
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.measuring.counting import (
    InstructionCount,
    count_tests,
    open_counter,
    total,
)
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import (
    CostOnTest,
    FirstRuns,
    Measured,
    MeasureOptions,
    costs_of_runs,
)
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores

LIMITS = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT)
CURVE_POINTS = 200  # maximum points of a memory curve
PATIENCE = 3  # a reference solution that has exceeded this many limits is stopped


class Vote(NamedTuple):
    """The vote of a reference solution on one input.

    `kind` is ``answer``, with the digest of the output, ``abstains`` or ``fails``. A solution that
    exceeds a limit abstains, since that says nothing about the output.
    """

    kind: str
    output: str
    reason: str = ""
    verdict: str = ""


UNTRIED = Vote("abstains", "", f"not run after {PATIENCE} limits", "")


class Votes(NamedTuple):
    """The votes of a program on all inputs, and its outputs by digest.

    `carries_state`: an answer in a shared process depended on the inputs before it.
    """

    of_each: tuple[Vote, ...]
    outputs: Mapping[str, str]
    carries_state: bool = False


def vote(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    tests: Sequence[TestCase],
    limits: Limits,
    lines: int | None,
) -> Votes:
    """Run a reference solution on every input, up to `PATIENCE` exceeded limits.

    If every input has `lines` lines, inputs share processes. With None, each input has its own.
    """
    compiled = sandbox.compile(program, cores)
    if not compiled.ok:
        reason = "does not compile: " + compile_reason(compiled.log)
        return Votes((Vote("fails", "", reason, Verdict.COMPILE_ERROR),) * len(tests), {})
    batches = None if lines is None else BatchSandbox(sandbox, lines)
    outputs: dict[str, str] = {}
    votes: list[Vote] = []
    with fair(batches or sandbox).session(compiled, limits, cores) as session:
        for run in session.run(EncodedInputs(tests)):
            votes.append(_vote(run, compiled, outputs))
            if sum(vote.kind == "abstains" for vote in votes) == PATIENCE:
                break
    votes += [UNTRIED] * (len(tests) - len(votes))
    return Votes(tuple(votes), outputs, bool(batches and batches.carries_state))


def _vote(run: Run, compiled: Compiled, outputs: dict[str, str]) -> Vote:
    verdict, reason = ending(run, compiled.program.language)
    if verdict:
        kind = "abstains" if verdict in LIMITS else "fails"
        return Vote(kind, "", f"{verdict}: {reason}", verdict)
    try:
        text = run.stdout.decode("utf-8")
    except UnicodeDecodeError:
        return Vote("fails", "", "printed bytes that are not UTF-8", Verdict.WRONG_ANSWER)
    key = output_key(text)
    outputs[key] = text
    return Vote("answer", key)


class Judged(NamedTuple):
    """A verdict without its runs.

    Attributes:
        judgement: The verdict.
        carries_state: An answer in a shared process depended on the tests before it.
        costs: The cost of each passed test by its id, if each test had its own process.
    """

    judgement: Judgement
    carries_state: bool = False
    costs: Mapping[str, CostOnTest] = MappingProxyType({})

    def first_runs(self, tests: Sequence[TestCase], *, shared: bool = True) -> FirstRuns | None:
        """Return the costs of the program on tests; None if the cost of any of them is unknown.

        `shared`: other programs ran on the machine at the same time.
        """
        if any(test.test_id not in self.costs for test in tests):
            return None
        return FirstRuns(tuple(self.costs[test.test_id] for test in tests), shared)


def judge_program(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    tests: Sequence[TestCase],
    rules: Rules,
    lines: int | None,
) -> Judged:
    """Judge a program.

    If every test has `lines` lines, tests share processes. With None, each test has its own.
    """
    compiled, checker = sandbox.compile(program, cores), rules.checker(sandbox)
    costs: dict[str, CostOnTest] = {}
    if lines is None:
        judgement, carries_state = (
            judge(sandbox, compiled, tests, checker, rules.limits, cores=cores),
            False,
        )
        ids = (test.test_id for test in tests)
        costs = dict(zip(ids, costs_of_runs(judgement.runs), strict=False))
    else:
        batches = BatchSandbox(sandbox, lines)
        judgement = judge_batch(batches, compiled, tests, checker, rules.limits, cores)
        carries_state = batches.carries_state
    return Judged(dataclasses.replace(judgement, runs=(), verdicts=()), carries_state, costs)


class Verdicts(NamedTuple):
    """Whether a program compiles, and its verdict on each test that was run, by test id."""

    compiled: bool
    of_each: Mapping[str, str]

    @property
    def failed(self) -> tuple[str, ...]:
        """The tests that the program failed."""
        return tuple(name for name, verdict in self.of_each.items() if verdict != Verdict.ACCEPTED)


def try_tests(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    parts: Sequence[Sequence[TestCase]],
    rules: Rules,
    failures: int,
) -> Verdicts:
    """Run a program on one part of the tests after another, up to the first part with a failure.

    A part ends after `failures` failures, or after a time limit.
    """
    compiled, checker = sandbox.compile(program, cores), rules.checker(sandbox)
    verdicts = Verdicts(compiled.ok, {})
    for part in parts:
        if part and verdicts.compiled and not verdicts.failed:
            judgement = judge(
                sandbox, compiled, part, checker, rules.limits, cores=cores, failures=failures
            )
            more = {
                test.test_id: str(verdict)
                for test, verdict in zip(part, judgement.verdicts, strict=False)
            }
            verdicts = Verdicts(True, {**verdicts.of_each, **more})
    return verdicts


def count_program(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    tests: Sequence[TestCase],
    rules: Rules,
    kind: str,
) -> InstructionCount:
    """Count the instructions of a program over the tests, and compare its outputs.

    A program with a wrong output has no count.
    """
    compiled, counter, checker = (
        sandbox.compile(program, cores),
        open_counter(kind),
        rules.checker(sandbox),
    )
    if counter is None or not compiled.ok:
        return InstructionCount(
            None, None, "it does not compile" if counter else "no counter works here"
        )
    runs: list[Run] = []
    for run in count_tests(counter, sandbox, compiled, tests, rules.limits, checker, cores):
        runs.append(run)
        # A sum needs every test, so the rest would be wasted time.
        if run.instructions is None:
            break
    return total(runs, program.language, counter.kind)


def memory_curve(
    sandbox: Sandbox, cores: Cores, program: Program, tests: Sequence[TestCase], limits: Limits
) -> list[list[int]]:
    """Return a program's memory over time on the longest of some inputs.

    Neighbouring samples are thinned out to their maximum.

    Returns:
        At most `CURVE_POINTS` pairs of a time in ns and a size in bytes; empty if the program does
        not compile or fails.
    """
    compiled = sandbox.compile(program, cores)
    if not compiled.ok:
        return []
    longest = max(tests, key=lambda test: len(test.stdin))
    sampling = MeasureOptions().sampling(cores, trace=True)
    with fair(sandbox).session(compiled, limits, cores, sampling) as session:
        (run,) = session.run([longest.stdin.encode("utf-8", "surrogatepass")])
    if not run.clean:
        return []
    points: list[tuple[int, int]] = [(at, size) for at, size in run.trace]
    step = max(1, -(-len(points) // CURVE_POINTS))
    parts = (points[start : start + step] for start in range(0, len(points), step))
    return [[*max(part, key=lambda point: point[1])] for part in parts if part]


@dataclass(frozen=True, slots=True)
class Measuring:
    """How programs are measured, and which figures are kept.

    Attributes:
        options: The number of repeats, and how they become one figure.
        reference: Runs are interleaved with the reference program of the language.
        each_test: The figures of each test are kept as well.
    """

    options: MeasureOptions
    reference: bool = True
    each_test: bool = False


def measure_programs(
    sandbox: Sandbox,
    cores: Cores,
    programs: Sequence[Program],
    tests: Sequence[TestCase],
    rules: Rules,
    how: Measuring,
    on_round: Callable[[], None],
    reseeded: Sequence[Sequence[TestCase]] = (),
    judged: Sequence[FirstRuns | None] = (),
) -> list[Measured]:
    """Measure programs interleaved, and compare their outputs.

    A program that does not compile has no figures.
    """
    compiled = [sandbox.compile(program, cores) for program in programs]
    good = [index for index, build in enumerate(compiled) if build.ok]
    rounds = measure_interleaved(
        sandbox,
        [compiled[index] for index in good],
        tests,
        rules.limits,
        how.options,
        reseeded=reseeded,
        checker=rules.checker(sandbox),
        cores=cores,
        reference=how.reference,
        on_round=on_round,
        judged=[judged[index] for index in good] if judged else (),
    )
    unknown = dataclasses.replace(rounds, of_each=((),), rejections={}, judged=()).measured(0)
    measured = {program: rounds.measured(number) for number, program in enumerate(good)}
    return [measured.get(index, unknown) for index in range(len(programs))]
