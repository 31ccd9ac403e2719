"""A model of what a build costs in core-seconds; its constants are measured on this machine.

A build runs programs, and everything else is small beside that. For one solution, with T tests and
R repeats:

    validate   compile + session + F · (start + run)            one process for each test, of which F were found
               compile + session + P · start + F · run          batch mode: P processes for all tests
               of the solutions that vote; the others are judged by the T tests that are kept, with T in the place of F
    measure    H · R · (session + E · (start + run) + reference)    H: cores for each program and its supervisor
    judge      of the others, and of solutions that are not said to be right: one test finds out a wrong one, the limit
               a slow one
    quality    for each problem and M mutants, in their language:
               M · (compile + session + F / 2 · (start + run)) + M / 8 · limit + (1 + M / 2) · 24 ·
               (start + run)

H is 4/3 on machines of 4 cores and more, where supervisors share cores, 3/2 on 3 and 2 on 2. F is T
where no test is dropped as needless, and E is T where the tests have no roles: else they are those
for efficiency. One mutant in eight never ends, and about half survive the first tests and are
compared with their parent on 24 inputs.

start is the cost of a run of a trivial program, session the cost of opening the sandbox session in
which it runs. Core-seconds are seconds for which a core is held, by programs that wait for nothing
and share it with nobody.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Verdict
from venus_toolkit.execution.judging.batch import SAMPLE
from venus_toolkit.execution.measuring.measure import REFERENCE_LIMITS
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.cores import measuring_workers, quiet_cores
from venus_toolkit.execution.sandbox.supervisor import Cores


class Constants(NamedTuple):
    """What a language costs on a machine, in seconds of processor time, so that other work there disturbs little.

    session_s is time by the clock: what opens a session is ours, and waits for nobody.
    """

    compile_s: float
    session_s: float
    start_s: float
    reference_s: float


@dataclass(frozen=True, slots=True)
class BuildSize:
    """How large a build is.

    solutions are those of one problem; `wrong` is the share of wrong ones, `slow` of those that run
    into the time limit, limit_s. run_s is what a test takes beyond the start of the program, on
    average. mutants are tried for each problem; voters is how many solutions of a problem say what
    is right (0: all). Of the tests that are `found` (None: as many) those are kept that find
    something out: `tests`. Of these so many are `measured` (None: all). Each machine has `machine`
    cores.
    """

    problems: int
    solutions: float
    tests: int
    repeats: int = 3
    run_s: float = 0.02
    wrong: float = 0.0
    slow: float = 0.0
    limit_s: float = 10.0
    mutants: int = 8
    batch: bool = False
    found: int | None = None
    measured: int | None = None
    voters: int = 16
    machine: int = 4

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: A number is out of its range.
        """
        counts = {
            name: getattr(self, name)
            for name in ("problems", "solutions", "tests", "repeats", "machine")
        }
        bad = [f"{name} is {value:g}" for name, value in counts.items() if value <= 0]
        bad += [
            f"{name} is {value:g}"
            for name, value in (("mutants", self.mutants), ("run", self.run_s))
            if value < 0
        ]
        if self.found is not None and self.found < self.tests:
            bad.append(f"{self.found} tests are found and {self.tests} kept")
        if self.measured is not None and not 0 < self.measured <= self.tests:
            bad.append(f"{self.measured} of {self.tests} tests are measured")
        if bad or min(self.wrong, self.slow) < 0 or self.wrong + self.slow >= 1:
            why = (
                ", ".join(bad)
                or f"wrong and slow solutions are {self.wrong:g} and {self.slow:g} of them"
            )
            raise UsageError("there is no such build", why, "see docs/scale.md")


class BuildCost(NamedTuple):
    """Core-seconds of each stage."""

    validate_s: float
    quality_s: float
    judge_s: float
    measure_s: float

    @property
    def total_s(self) -> float:
        """All stages."""
        return sum(self)

    @property
    def core_hours(self) -> float:
        """All stages, in core-hours."""
        return self.total_s / 3600


def cost(constants: Constants, shape: BuildSize, mutants: Constants | None = None) -> BuildCost:
    """Return what a build costs.

    `mutants` are the constants of the language of the mutants; None: they are in that of the
    solutions.
    """
    one, count = constants, shape.problems * shape.solutions
    wrong, slow = count * shape.wrong, count * shape.slow
    right = count - wrong - slow
    found = shape.tests if shape.found is None else shape.found
    opened = one.compile_s + one.session_s
    voting = min(right, shape.problems * shape.voters) if shape.voters else right

    # Of a batch that nothing is wrong with: the batch, and tests that are run alone to believe it
    batch_processes = 1 + SAMPLE

    def on(tests: int) -> float:
        """Return what a right solution costs on so many tests."""
        processes = min(batch_processes, tests) if shape.batch else tests
        return opened + processes * one.start_s + tests * shape.run_s

    measured_tests = (shape.tests if shape.measured is None else shape.measured) * (
        one.start_s + shape.run_s
    )
    held = shape.machine / measuring_workers(shape.machine)
    other = mutants or one
    mutant = other.compile_s + other.session_s + found / 2 * (other.start_s + shape.run_s)
    pool = QualityOptions().pool
    compared = (
        (1 + shape.mutants / 2) * pool * (other.start_s + shape.run_s) if shape.mutants else 0
    )
    endless = 1 / 8  # of the mutants
    return BuildCost(
        validate_s=voting * on(found),
        quality_s=shape.problems * (shape.mutants * (mutant + endless * shape.limit_s) + compared),
        judge_s=(right - voting) * on(shape.tests)
        + (wrong + slow) * (opened + one.start_s + shape.run_s)
        + slow * shape.limit_s,
        measure_s=right * held * shape.repeats * (one.session_s + measured_tests + one.reference_s),
    )


def mixed(costs: Iterable[BuildCost]) -> BuildCost:
    """Return what builds cost on average that differ in their language only."""
    return BuildCost(*map(statistics.fmean, zip(*costs, strict=True)))


def measure_constants(
    sandbox: Sandbox, language: Language, tries: int = 3, runs: int = 20
) -> Constants:
    """Measure what a language costs here.

    Of several tries the smallest counts, so that other work matters little.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed, or a program of the language's own.
    """
    selftest, cores = language.selftest, quiet_cores()
    trivial, stdin = selftest.programs[Verdict.ACCEPTED], selftest.stdin.encode()
    # Different programs, for one that was compiled before is not compiled again.
    compiled = [
        _compiled(sandbox, language, f"{trivial}\n{language.comment} {number}\n")
        for number in range(tries)
    ]
    opened_s, cpu_ns = [], []
    for each in compiled:
        begun = time.monotonic()
        # One core for both, as while validating and judging; only measuring holds two.
        with sandbox.session(each, selftest.limits, Cores(cores.program, cores.program)) as session:
            answers = session.run([stdin] * (1 + runs))
            first = next(answers)
            # What the first answer took beyond its own run is what opening the session took.
            opened_s.append(time.monotonic() - begun - first.wall_ns / NS_PER_S)
            cpu_ns += [run.cpu_ns for run in answers]
    with sandbox.session(
        _compiled(sandbox, language, language.reference), REFERENCE_LIMITS, cores
    ) as session:
        reference_ns = min(run.cpu_ns for run in session.run([b""] * tries))
    return Constants(
        compile_s=min(each.run.cpu_ns for each in compiled) / NS_PER_S
        if language.compile_argv
        else 0.0,
        session_s=max(0.0, min(opened_s)),
        start_s=min(cpu_ns) / NS_PER_S,
        reference_s=reference_ns / NS_PER_S,
    )


def _compiled(sandbox: Sandbox, language: Language, source: str) -> Compiled:
    compiled = sandbox.compile(Program(language, source))
    if not compiled.ok:
        fix = f"venus languages check {language.id}"
        raise SandboxError(
            f"a program of {language.name} does not compile", compiled.log[-300:], fix
        )
    return compiled


def table(
    constants: Mapping[str, Constants], shape: BuildSize
) -> dict[str, tuple[BuildCost, BuildCost]]:
    """Return for each language what a build costs, all solutions being in it, without and with batch mode.

    Mutants are made in Python where it is there, as builds do. The last row is the mean over the
    languages.
    """
    python = constants.get("python")
    rows = {
        name: (
            cost(each, replace(shape, batch=False), python),
            cost(each, replace(shape, batch=True), python),
        )
        for name, each in constants.items()
    }
    alone, batched = (mixed(row[side] for row in rows.values()) for side in (0, 1))
    return {**rows, "all": (alone, batched)}
