"""A model of the cost of a build in core-seconds, with constants measured on this machine.

Running programs dominates the cost. For one solution, with F generated tests (T remain, E are
measured) and R repeats:

    validate   compile + session + F · (start + run)          one process for each test
               compile + session + P · start + F · run        batch mode: P processes for all tests
               for the solutions that vote
    measure    H · R · (session + E · (start + run) + reference)
    judge      as validate, with T for F, for right solutions that do not vote;
               a wrong solution costs one test, a slow one a run up to the limit
    quality    for each problem and M mutants, in their language:
               M · (compile + session + F / 2 · (start + run)) + M / 8 · limit + (1 + M / 2) · 24 ·
               (start + run)

H is the number of cores for a program and its supervisor: 4/3 on machines with 4 cores and more,
where supervisors share cores, 3/2 on 3 cores and 2 on 2 cores. F is T if no test is dropped as
redundant. E is T if the tests have no roles, else the number of efficiency tests. One mutant in
eight never ends, and about half survive the first tests and are compared with their parent on 24
inputs.

start is the cost of running a trivial program, session the cost of opening its sandbox session.
Core-seconds are seconds for which a program occupies a core that nothing else uses.
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
    """The costs of a language on a machine in seconds of CPU time, to exclude background load.

    session_s is wall time: opening a session waits for no other program.
    """

    compile_s: float
    session_s: float
    start_s: float
    reference_s: float


@dataclass(frozen=True, slots=True)
class BuildSize:
    """The size of a build.

    Attributes:
        problems: Number of problems.
        solutions: Solutions of one problem.
        tests: Tests of one problem that remain after dropping redundant ones.
        repeats: Repeats of a measurement.
        run_s: Mean time of a test in seconds, without the start of the program.
        wrong: Share of wrong solutions.
        slow: Share of solutions that reach the time limit.
        limit_s: The time limit in seconds.
        mutants: Mutants of one problem.
        batch: Whether one process runs many tests.
        found: Generated tests of one problem; None: `tests`.
        measured: Tests of one problem that are measured; None: all.
        voters: Solutions of a problem that vote on expected outputs; 0: all.
        machine: Cores of each machine.
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
        """Refuse invalid sizes.

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
            bad.append(f"{self.tests} tests remain of {self.found}")
        if self.measured is not None and not 0 < self.measured <= self.tests:
            bad.append(f"{self.measured} of {self.tests} tests are measured")
        if bad or min(self.wrong, self.slow) < 0 or self.wrong + self.slow >= 1:
            reason = (
                ", ".join(bad)
                or f"the shares of wrong and slow solutions are {self.wrong:g} and {self.slow:g}"
            )
            raise UsageError("a build cannot have this size", reason, "see docs/scale.md")


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
    """Return the cost of a build.

    `mutants` are the constants of the mutants' language; None: those of the solutions' language.
    """
    one, count = constants, shape.problems * shape.solutions
    wrong, slow = count * shape.wrong, count * shape.slow
    right = count - wrong - slow
    all_tests = shape.tests if shape.found is None else shape.found
    opened = one.compile_s + one.session_s
    voting = min(right, shape.problems * shape.voters) if shape.voters else right

    # A batch without failures: the batch itself, and a sample of tests run alone to verify it
    batch_processes = 1 + SAMPLE

    def on(tests: int) -> float:
        """Return the cost of a right solution on `tests` tests."""
        processes = min(batch_processes, tests) if shape.batch else tests
        return opened + processes * one.start_s + tests * shape.run_s

    measured_tests = (shape.tests if shape.measured is None else shape.measured) * (
        one.start_s + shape.run_s
    )
    cores_held = shape.machine / measuring_workers(shape.machine)
    other = mutants or one
    mutant = other.compile_s + other.session_s + all_tests / 2 * (other.start_s + shape.run_s)
    pool = QualityOptions().pool
    compared = (
        (1 + shape.mutants / 2) * pool * (other.start_s + shape.run_s) if shape.mutants else 0
    )
    endless = 1 / 8  # of the mutants
    return BuildCost(
        validate_s=voting * on(all_tests),
        quality_s=shape.problems * (shape.mutants * (mutant + endless * shape.limit_s) + compared),
        judge_s=(right - voting) * on(shape.tests)
        + (wrong + slow) * (opened + one.start_s + shape.run_s)
        + slow * shape.limit_s,
        measure_s=right
        * cores_held
        * shape.repeats
        * (one.session_s + measured_tests + one.reference_s),
    )


def mixed(costs: Iterable[BuildCost]) -> BuildCost:
    """Return the mean cost of builds that differ only in their language."""
    return BuildCost(*map(statistics.fmean, zip(*costs, strict=True)))


def measure_constants(
    sandbox: Sandbox, language: Language, tries: int = 3, runs: int = 20
) -> Constants:
    """Measure the constants of a language on this machine.

    Each is the minimum of several tries, to exclude background load.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox or one of the language's own programs failed.
    """
    selftest, cores = language.selftest, quiet_cores()
    trivial, stdin = selftest.programs[Verdict.ACCEPTED], selftest.stdin.encode()
    # Different programs, because compilations are cached.
    compiled = [
        _compile(sandbox, language, f"{trivial}\n{language.comment} {number}\n")
        for number in range(tries)
    ]
    opened_s, cpu_ns = [], []
    for program in compiled:
        begun = time.monotonic()
        # Program and supervisor share a core, as in validating and judging. Measuring uses two.
        with sandbox.session(
            program, selftest.limits, Cores(cores.program, cores.program)
        ) as session:
            answers = session.run([stdin] * (1 + runs))
            first = next(answers)
            # The time until the first answer, without its run, is the time to open the session.
            opened_s.append(time.monotonic() - begun - first.wall_ns / NS_PER_S)
            cpu_ns += [run.cpu_ns for run in answers]
    with sandbox.session(
        _compile(sandbox, language, language.reference), REFERENCE_LIMITS, cores
    ) as session:
        reference_ns = min(run.cpu_ns for run in session.run([b""] * tries))
    return Constants(
        compile_s=min(program.run.cpu_ns for program in compiled) / NS_PER_S
        if language.compile_argv
        else 0.0,
        session_s=max(0.0, min(opened_s)),
        start_s=min(cpu_ns) / NS_PER_S,
        reference_s=reference_ns / NS_PER_S,
    )


def _compile(sandbox: Sandbox, language: Language, source: str) -> Compiled:
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
    """Return the costs of a build with all solutions in one language, without and with batch mode.

    Mutants are in Python if it is among the languages, as in builds. The last row, ``all``, is the
    mean over the languages.
    """
    python = constants.get("python")
    rows = {
        name: (
            cost(costs, replace(shape, batch=False), python),
            cost(costs, replace(shape, batch=True), python),
        )
        for name, costs in constants.items()
    }
    alone, batched = (mixed(row[side] for row in rows.values()) for side in (0, 1))
    return {**rows, "all": (alone, batched)}
