"""What do the tests that a build makes do to programs of people? Any source with labelled programs can be asked.

shown      the accepted programs of a problem that make its tests: half of them, and at least two
held out   the other accepted programs, and everything that is said to be wrong or slow: no test has seen them,
           unless it is asked what tests do to wrong and slow programs that they have seen
rejected   a wrong program that some test does not accept
disputed   a right program that fails tests which are not enough to call it wrong (validate.condemned)
exposed    a slow program that some test rejects, or on which it takes SLOWER times as long as the slowest accepted
           program of its language

Problems are worked on one after the other, so that the processor time of each is known.
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
    """A problem with the programs that make its tests, and those that are held out."""

    shown: Entry
    held_out: tuple[Solution, ...]


class ProgramResult(NamedTuple):
    """The verdict on each test that a program was run on, and the processor time that it took."""

    verdicts: Mapping[str, str]
    cpu_ns: Mapping[str, int]

    @property
    def failed(self) -> list[str]:
        """The tests that do not accept it."""
        return [name for name, verdict in self.verdicts.items() if verdict != Verdict.ACCEPTED]


def split(entry: Entry, languages: Mapping[str, Language], seed: int, seen: bool = False) -> Split:
    """Hide everything but half of the accepted programs of each language, and two at least, chosen by lot.

    Wrong and slow programs that are `seen` make the tests, too, and are judged all the same.
    """
    mine = [each for each in entry.solutions if each.language in languages]
    drawn = sorted(mine, key=lambda each: draw(each.solution_id, seed))
    accepted = _right(drawn)
    places: dict[str, int] = defaultdict(int)
    shown, later = list[Solution](), list[Solution]()
    for each in accepted:
        places[each.language] += 1
        (shown if places[each.language] % 2 else later).append(each)
    missing = max(0, 2 - len(shown))
    shown, later = shown + later[:missing], later[missing:]
    hidden = [each for each in drawn if each.expected in (Expectation.WRONG, Expectation.SLOW)]
    known = (*shown, *(hidden if seen else ()))
    return Split(entry._replace(solutions=known), (*later, *hidden))


@dataclass(frozen=True)
class Calibrator:
    """Makes the tests of problems as `plan` says and tries the programs that were held out.

    Attributes:
        plan: As for a build; its source is calibrated on, in its languages, or in all where it
            names none.
        languages: All of them, by id.
        oracles: A folder with validators ``SLUG.py`` that were written by hand, to check the inputs
            by.
        progress: Told that it calibrates, how many problems are done and how many there are, and,
            on the way, what is being done to the next.
        seen: Whether wrong and slow programs make the tests, too, as in a build that has them.
    """

    plan: BuildPlan
    languages: Mapping[str, Language]
    oracles: Path | None = None
    progress: Callable[..., None] = lambda *_: None
    seen: bool = False

    def run(self, work: Path) -> Calibration:
        """Return the figures of every problem that has programs to hold out.

        Finished work is kept in `work`.

        Raises:
            SourceError: The source has no such problem.
            UsageError: The plan names a language in which the source has no program.
            ToolchainError: Python, in which generators are written, is not installed.
        """
        wanted = self.plan.problems
        entries = [
            each
            for each in choose_source(self.plan.source).read(self.languages)
            if not isinstance(each, Rejected) and (not wanted or each.problem.slug in wanted)
        ]
        with (
            closing(Store(work)) as store,
            closing(BuildContext(self.plan, store, self.languages, lambda *_: None)) as context,
        ):
            solved = {each.language for entry in entries for each in entry.solutions}
            if entries and (absent := [name for name in self.plan.lang if name not in solved]):
                raise UsageError(
                    f"no program of {self.plan.source} is in {', '.join(absent)}",
                    f"there are programs in {', '.join(sorted(solved))}",
                    "name only these with --lang",
                )
            used = sorted({"python", *(self.plan.lang or solved)})
            with open_sandbox(
                self.plan.sandbox, [self.languages[name] for name in used]
            ) as sandbox:
                context.open(sandbox, [self.languages[name] for name in used])
                splits = [
                    split(entry, context.executor.languages, self.plan.seed, self.seen)
                    for entry in entries
                ]
                splits = [
                    each
                    for each in splits
                    if len(_right(each.shown.solutions)) > 1 and each.held_out
                ]
                if not splits:
                    why = (
                        "no problem has two accepted programs and one more that is accepted, "
                        "wrong or slow"
                    )
                    raise SourceError(
                        f"no problem of {self.plan.source} can be used for calibration",
                        why,
                        "see docs/quality.md",
                    )
                found = []
                for number, each in enumerate(splits):
                    say = partial(self.progress, "calibrate", number, len(splits))
                    found.append(self._figures(context, each, say))
                    self.progress("calibrate", number + 1, len(splits))
        return Calibration(tuple(found))

    def _figures(
        self, context: BuildContext, problem: Split, say: Callable[[str], None]
    ) -> Figures:
        before = _cpu_s()
        slug = problem.shown.problem.slug
        say(f"{slug}: making tests")
        states = examine(context, agree(context, make_test_inputs(context, [problem.shown])))
        # Of a calibration that goes on, the journal knows what the tests once cost: this time they
        # cost nothing.
        made_of = digest(slug, [list(state.inputs) for state in states])
        found = context.executor.once("cost", lambda: made_of, lambda: _cpu_s() - before)
        cpu_s = found if isinstance(found, float) else 0.0
        if not states:
            mine = [row for row in context.dropped if row.problem == slug]
            failed = any(row.stage == "sandbox" for row in mine)
            return Figures(slug, cpu_s=cpu_s, reason=last_reason(mine), sandbox_failed=failed)
        (state,) = states
        outcomes = tuple(self._outcomes(context, state, problem.held_out, say))
        oracle = self.oracles / f"{slug}.py" if self.oracles else None
        validator, samples = (
            state.problem.validator,
            [each.stdin for each in parse_statement(state.problem.statement).samples],
        )
        return Figures(
            slug=slug,
            way=state.made.way,
            confidence=state.made.confidence,
            validator=validator is not None,
            samples_refused=_refused(context, validator, samples),
            inputs=len(state.inputs),
            tests=len(state.tests),
            oracle_breaks=_refused(
                context, oracle.read_text(), [test.stdin for test in state.tests]
            )
            if oracle and oracle.is_file()
            else None,
            outcomes=outcomes,
            cpu_s=cpu_s,
            sandbox_failed=all(each.how == NOT_JUDGED for each in outcomes),
        )

    def _outcomes(
        self,
        context: BuildContext,
        state: ProblemState,
        held_out: Sequence[Solution],
        say: Callable[[str], None],
    ) -> Iterator[HeldOutOutcome]:
        trials = self._trials(context, state, held_out, say)
        # Whatever passes every test may still be slow beside the accepted programs of its language.
        wrong = [
            each
            for each in held_out
            if each.expected != Expectation.ACCEPTED and each.solution_id in trials
        ]
        suspect = {
            s.language
            for s in wrong
            if s.expected == Expectation.SLOW or not trials[s.solution_id].failed
        }
        shown = [each for each in _right(state.entry.solutions) if each.language in suspect]
        slowest = _slowest(
            [*held_out, *shown], {**trials, **self._trials(context, state, shown, say)}
        )
        few = {test.test_id for test in state.tests[:FEW]}
        least_slow_ns = 100 * NS_PER_MS  # below that a run is mostly the start of the program
        for each in held_out:
            trial = trials.get(each.solution_id)
            if trial is None:
                yield HeldOutOutcome(each.solution_id, str(each.expected), NOT_JUDGED, few=False)
            else:
                verdicts = [trial.verdicts[name] for name in trial.failed]
                slower = {
                    name
                    for name, cpu_ns in trial.cpu_ns.items()
                    if cpu_ns
                    >= max(least_slow_ns, SLOWER * slowest.get((each.language, name), cpu_ns))
                }
                telling = next(
                    (verdict for verdict in verdicts if verdict not in TIMED),
                    next(iter(verdicts), ""),
                )
                failed = [
                    test for test in state.tests if trial.verdicts.get(test.test_id) in DISSENTING
                ]
                if telling in DISSENTING and not condemned(
                    failed, state.made.confidence, each.expected
                ):
                    telling = "disputed"
                yield HeldOutOutcome(
                    name=each.solution_id,
                    expected=str(each.expected),
                    how=telling or ("slower" if slower else "accepted"),
                    few=not few.isdisjoint(trial.failed or slower),
                )

    def _trials(
        self,
        context: BuildContext,
        state: ProblemState,
        solutions: Sequence[Solution],
        say: Callable[[str], None],
    ) -> dict[str, ProgramResult]:
        """Return what becomes of programs.

        Only right ones run on all tests where a part of the tests rejects them.
        """
        tests = list(state.tests)
        parts = [tests[:FEW], tests[FEW:]]

        def work(each: Solution, worker: Worker) -> ProgramResult | None:
            program = context.program(Unit(state.entry, each))
            if program is None:
                return None
            rules = context.suite(state.problem, state.tests, each.language).rules
            whole = each.expected == Expectation.ACCEPTED
            found = context.executor.once(
                "calibrate",
                lambda: digest(context.executor.identity(program), tests, list(rules), whole),
                lambda: context.executor.run(
                    worker.at(state.slug), try_program, program, parts, rules, whole
                ),
                lambda trial: [dict(trial.verdicts), dict(trial.cpu_ns)],
                lambda kept: ProgramResult(*kept),
            )
            return None if isinstance(found, SandboxFailure) else found

        found: dict[str, ProgramResult] = {}
        for number, (each, trial) in enumerate(context.executor.judging(work, solutions), 1):
            say(f"{state.slug}: program {number} of {len(solutions)}")
            if trial is not None:
                found[each.solution_id] = trial
        return found


def try_program(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    parts: Sequence[Sequence[TestCase]],
    rules: Rules,
    whole: bool,
) -> ProgramResult:
    """Run a program on the tests of each part until one fails, or with `whole` on all of them.

    On a worker.
    """
    compiled, checker = sandbox.compile(program, cores), rules.checker(sandbox)
    found = ProgramResult({}, {})
    if not compiled.ok:
        return ProgramResult(
            {test.test_id: Verdict.COMPILE_ERROR for part in parts for test in part}, {}
        )
    for part in parts:
        if part and (whole or not found.failed):
            said = judge(
                sandbox, compiled, part, checker, rules.limits, cores=cores, every_test=whole
            )
            named = [test.test_id for test in part]
            found = ProgramResult(
                {**found.verdicts, **dict(zip(named, map(str, said.verdicts), strict=False))},
                {
                    **found.cpu_ns,
                    **{name: run.cpu_ns for name, run in zip(named, said.runs, strict=False)},
                },
            )
    return found


def _slowest(
    solutions: Iterable[Solution], trials: Mapping[str, ProgramResult]
) -> dict[tuple[str, str], int]:
    """Return the longest that an accepted program took, by language and test."""
    found: dict[tuple[str, str], int] = {}
    for each in solutions:
        trial = trials.get(each.solution_id)
        for name, cpu_ns in (
            trial.cpu_ns.items() if trial and each.expected == Expectation.ACCEPTED else ()
        ):
            if trial and trial.verdicts[name] == Verdict.ACCEPTED:
                found[each.language, name] = max(cpu_ns, found.get((each.language, name), 0))
    return found


def _right(solutions: Iterable[Solution]) -> list[Solution]:
    return [each for each in solutions if each.expected == Expectation.ACCEPTED]


def _refused(context: BuildContext, validator: str | None, inputs: Sequence[str]) -> int:
    """Return how many inputs a validator refuses; all of them where it does not even compile."""
    if validator is None or not inputs:
        return 0
    try:
        return sum(why is not None for why in refusals(context.executor.sandbox, validator, inputs))
    except SourceError:
        return len(inputs)


def _cpu_s() -> float:
    """Return the processor time of this process and of all that it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
