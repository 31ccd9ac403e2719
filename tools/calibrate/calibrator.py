"""Measures how the tests of a build judge labelled human programs, from any source that has them.

shown      the accepted programs of a problem that make its tests: half of them, and at least two
held out   the other accepted programs, and those labelled wrong or slow; no test was made with them, except, on
           request, with the wrong and slow ones
rejected   a wrong program that fails some test
disputed   an accepted program that fails tests, but too few to call it wrong (validate.condemned)
exposed    a slow program that fails some test, or takes SLOWER times as long as the slowest accepted program of its
           language

Problems are processed one after the other, to measure the CPU time of each.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tools.calibrate.figures import (
    FEW,
    NOT_JUDGED,
    SLOWER,
    TIMED,
    Calibration,
    Figures,
    HeldOutOutcome,
)
from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.inputs.run_generator import refusals
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.builders.plan import BuildPlan
from venus_toolkit.builders.sources import Entry, Rejected, choose_source
from venus_toolkit.builders.stages.agreement import agree
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.examining import examine
from venus_toolkit.builders.stages.inputs import make_test_inputs
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.validate import DISSENTING, condemned
from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_MS, Expectation, Solution, TestCase, Verdict, digest
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.funnel import last_reason
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores


class Split(NamedTuple):
    """A problem with the programs that make its tests, and the held-out ones."""

    shown: Entry
    held_out: tuple[Solution, ...]


class ProgramResult(NamedTuple):
    """The verdict and the CPU time of a program on each test that it ran on, by test id."""

    verdicts: Mapping[str, str]
    cpu_ns: Mapping[str, int]

    @property
    def failed(self) -> list[str]:
        """The tests that the program fails."""
        return [name for name, verdict in self.verdicts.items() if verdict != Verdict.ACCEPTED]


def split(entry: Entry, languages: Mapping[str, Language], seed: int, seen: bool = False) -> Split:
    """Hold out all programs but a random half of the accepted ones of each language, at least two.

    If `seen`, wrong and slow programs also make the tests; they are judged all the same.
    """
    solutions = [solution for solution in entry.solutions if solution.language in languages]
    drawn = sorted(solutions, key=lambda solution: draw(solution.solution_id, seed))
    places: dict[str, int] = defaultdict(int)
    shown, later = list[Solution](), list[Solution]()
    for solution in _accepted(drawn):
        places[solution.language] += 1
        (shown if places[solution.language] % 2 else later).append(solution)
    missing = max(0, 2 - len(shown))
    shown, later = shown + later[:missing], later[missing:]
    bad = [s for s in drawn if s.expected in (Expectation.WRONG, Expectation.SLOW)]
    known = (*shown, *(bad if seen else ()))
    return Split(entry._replace(solutions=known), (*later, *bad))


@dataclass(frozen=True)
class Calibrator:
    """Makes tests of problems by a plan and judges the held-out programs with them.

    Attributes:
        plan: As for a build. Its source provides the problems; its languages restrict the programs,
            if it names any.
        languages: All languages, by id.
        oracles: A folder with handwritten validators ``SLUG.py`` to check the inputs.
        progress: Called with "calibrate", the number of finished problems, the number of all, and
            sometimes the current step.
        seen: Whether wrong and slow programs also make the tests, as in a build that has them.
    """

    plan: BuildPlan
    languages: Mapping[str, Language]
    oracles: Path | None = None
    progress: Callable[..., None] = lambda *_: None
    seen: bool = False

    def run(self, work: Path) -> Calibration:
        """Return the figures of every problem with enough programs, resuming from folder `work`.

        Raises:
            SourceError: No problem of the source has enough programs.
            UsageError: The plan names a language in which the source has no program.
            ToolchainError: Python, which runs generators, is not installed.
        """
        slugs = self.plan.problems
        entries = [
            entry
            for entry in choose_source(self.plan.source).read(self.languages)
            if not isinstance(entry, Rejected) and (not slugs or entry.problem.slug in slugs)
        ]
        with (
            closing(Store(work)) as store,
            closing(BuildContext(self.plan, store, self.languages, lambda *_: None)) as context,
        ):
            present = {solution.language for entry in entries for solution in entry.solutions}
            if entries and (absent := [name for name in self.plan.lang if name not in present]):
                raise UsageError(
                    f"no program of {self.plan.source} is in {', '.join(absent)}",
                    f"there are programs in {', '.join(sorted(present))}",
                    "name only these with --lang",
                )
            used = sorted({"python", *(self.plan.lang or present)})
            with open_sandbox(
                self.plan.sandbox, [self.languages[name] for name in used]
            ) as sandbox:
                context.open(sandbox, [self.languages[name] for name in used])
                splits = [
                    split(entry, context.executor.languages, self.plan.seed, self.seen)
                    for entry in entries
                ]
                splits = [
                    problem
                    for problem in splits
                    if len(_accepted(problem.shown.solutions)) > 1 and problem.held_out
                ]
                if not splits:
                    raise SourceError(
                        f"no problem of {self.plan.source} can be used for calibration",
                        "no problem has two accepted programs and a third program that is "
                        "accepted, wrong or slow",
                        "see docs/quality.md",
                    )
                figures = []
                for number, problem in enumerate(splits):
                    report = partial(self.progress, "calibrate", number, len(splits))
                    figures.append(self._figures(context, problem, report))
                    self.progress("calibrate", number + 1, len(splits))
        return Calibration(tuple(figures))

    def _figures(
        self, context: BuildContext, problem: Split, report: Callable[[str], None]
    ) -> Figures:
        before = _cpu_s()
        slug = problem.shown.problem.slug
        report(f"{slug}: making tests")
        states = examine(context, agree(context, make_test_inputs(context, [problem.shown])))
        # A resumed calibration reads the cost of the tests from the journal, as it does not make
        # them again.
        inputs = digest(slug, [list(state.inputs) for state in states])
        cost = context.executor.once("cost", lambda: inputs, lambda: _cpu_s() - before)
        cpu_s = cost if isinstance(cost, float) else 0.0
        if not states:
            dropped = [row for row in context.dropped if row.problem == slug]
            failed = any(row.stage == "sandbox" for row in dropped)
            return Figures(slug, cpu_s=cpu_s, reason=last_reason(dropped), sandbox_failed=failed)
        (state,) = states
        outcomes = tuple(self._outcomes(context, state, problem.held_out, report))
        oracle = self.oracles / f"{slug}.py" if self.oracles else None
        validator = state.problem.validator
        samples = [sample.stdin for sample in parse_statement(state.problem.statement).samples]
        return Figures(
            slug=slug,
            way=state.generation.way,
            confidence=state.generation.confidence,
            validator=validator is not None,
            samples_refused=_count_refused(context, validator, samples),
            inputs=len(state.inputs),
            tests=len(state.tests),
            oracle_breaks=_count_refused(
                context, oracle.read_text(), [test.stdin for test in state.tests]
            )
            if oracle and oracle.is_file()
            else None,
            outcomes=outcomes,
            cpu_s=cpu_s,
            sandbox_failed=all(outcome.how == NOT_JUDGED for outcome in outcomes),
        )

    def _outcomes(
        self,
        context: BuildContext,
        state: ProblemState,
        held_out: Sequence[Solution],
        report: Callable[[str], None],
    ) -> Iterator[HeldOutOutcome]:
        trials = self._trials(context, state, held_out, report)
        # A program that passes every test may still be slow compared with the accepted programs of
        # its language.
        wrong = [
            solution
            for solution in held_out
            if solution.expected != Expectation.ACCEPTED and solution.solution_id in trials
        ]
        suspect = {
            s.language
            for s in wrong
            if s.expected == Expectation.SLOW or not trials[s.solution_id].failed
        }
        shown = [s for s in _accepted(state.entry.solutions) if s.language in suspect]
        slowest = _slowest(
            [*held_out, *shown], {**trials, **self._trials(context, state, shown, report)}
        )
        few = {test.test_id for test in state.tests[:FEW]}
        least_slow_ns = 100 * NS_PER_MS  # below that a run is mostly the start of the program
        for solution in held_out:
            name, expected = solution.solution_id, str(solution.expected)
            trial = trials.get(name)
            if trial is None:
                yield HeldOutOutcome(name, expected, NOT_JUDGED, few=False)
            else:
                verdicts = [trial.verdicts[name] for name in trial.failed]
                slower = {
                    test
                    for test, cpu_ns in trial.cpu_ns.items()
                    if cpu_ns
                    >= max(least_slow_ns, SLOWER * slowest.get((solution.language, test), cpu_ns))
                }
                rejection = next(
                    (verdict for verdict in verdicts if verdict not in TIMED),
                    next(iter(verdicts), ""),
                )
                failed = [
                    test for test in state.tests if trial.verdicts.get(test.test_id) in DISSENTING
                ]
                if rejection in DISSENTING and not condemned(
                    failed, state.generation.confidence, solution.expected
                ):
                    rejection = "disputed"
                yield HeldOutOutcome(
                    name=name,
                    expected=expected,
                    how=rejection or ("slower" if slower else "accepted"),
                    few=not few.isdisjoint(trial.failed or slower),
                )

    def _trials(
        self,
        context: BuildContext,
        state: ProblemState,
        solutions: Sequence[Solution],
        report: Callable[[str], None],
    ) -> dict[str, ProgramResult]:
        """Return the results of programs by id, without those on which the sandbox failed.

        Only accepted programs run on all tests; others stop at the first part that rejects them.
        """
        tests = list(state.tests)
        parts = [tests[:FEW], tests[FEW:]]

        def work(solution: Solution, worker: Worker) -> ProgramResult | None:
            program = context.program(Unit(state.entry, solution))
            if program is None:
                return None
            rules = context.suite(state.problem, state.tests, solution.language).rules
            whole = solution.expected == Expectation.ACCEPTED
            result = context.executor.once(
                "calibrate",
                lambda: digest(context.executor.identity(program), tests, list(rules), whole),
                lambda: context.executor.run(
                    worker.at(state.slug), try_program, program, parts, rules, whole
                ),
                lambda trial: [dict(trial.verdicts), dict(trial.cpu_ns)],
                lambda row: ProgramResult(*row),
            )
            return None if isinstance(result, SandboxFailure) else result

        trials: dict[str, ProgramResult] = {}
        for number, (solution, trial) in enumerate(context.executor.judging(work, solutions), 1):
            report(f"{state.slug}: program {number} of {len(solutions)}")
            if trial is not None:
                trials[solution.solution_id] = trial
        return trials


def try_program(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    parts: Sequence[Sequence[TestCase]],
    rules: Rules,
    whole: bool,
) -> ProgramResult:
    """Run a program on the tests of each part until one fails, or with `whole` on all tests.

    Runs on a worker.
    """
    compiled, checker = sandbox.compile(program, cores), rules.checker(sandbox)
    result = ProgramResult({}, {})
    if not compiled.ok:
        return ProgramResult(
            {test.test_id: Verdict.COMPILE_ERROR for part in parts for test in part}, {}
        )
    for part in parts:
        if part and (whole or not result.failed):
            judgement = judge(
                sandbox, compiled, part, checker, rules.limits, cores=cores, every_test=whole
            )
            names = [test.test_id for test in part]
            verdicts = dict(zip(names, map(str, judgement.verdicts), strict=False))
            cpu_ns = {name: run.cpu_ns for name, run in zip(names, judgement.runs, strict=False)}
            result = ProgramResult({**result.verdicts, **verdicts}, {**result.cpu_ns, **cpu_ns})
    return result


def _slowest(
    solutions: Iterable[Solution], trials: Mapping[str, ProgramResult]
) -> dict[tuple[str, str], int]:
    """Return the largest CPU time of accepted programs in ns, by language and test."""
    slowest: dict[tuple[str, str], int] = {}
    for solution in _accepted(solutions):
        trial = trials.get(solution.solution_id)
        for name, cpu_ns in trial.cpu_ns.items() if trial else ():
            if trial and trial.verdicts[name] == Verdict.ACCEPTED:
                key = solution.language, name
                slowest[key] = max(cpu_ns, slowest.get(key, 0))
    return slowest


def _accepted(solutions: Iterable[Solution]) -> list[Solution]:
    return [solution for solution in solutions if solution.expected == Expectation.ACCEPTED]


def _count_refused(context: BuildContext, validator: str | None, inputs: Sequence[str]) -> int:
    """Return the number of inputs that a validator refuses; all if it does not compile."""
    if validator is None or not inputs:
        return 0
    try:
        reasons = refusals(context.executor.sandbox, validator, inputs)
    except SourceError:
        return len(inputs)
    return sum(reason is not None for reason in reasons)


def _cpu_s() -> float:
    """Return the CPU time of this process and its finished children in seconds."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
