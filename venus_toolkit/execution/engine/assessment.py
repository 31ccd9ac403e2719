"""Assesses a panel of programs: judges them, measures those that pass, counts and ranks them.

`conduct` turns programs into verdicts, figures and standings. `Executor.assess` runs it with the
journal, on any machine, and with retries of sandbox failures. `assess_panel` runs it in one
sandbox, without retries, for callers that need every run: ``venus run`` and the server.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import (
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.comparison import difference, output_key
from venus_toolkit.execution.judging.judge import ending, judge
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.measure import measure_interleaved, out_of_the_way
from venus_toolkit.execution.measuring.ranking import APART, Standing, costs_of, standings
from venus_toolkit.execution.measuring.rounds import (
    Measured,
    MeasureOptions,
    Rounds,
    costs_of_runs,
)
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

Failure = TypeVar("Failure")
# Criteria for a ranking, and the figures of a measurement that they stand for.
RANKED_BY = {
    "wall": "wall_ns",
    "cpu": "cpu_ns",
    "memory": "peak_bytes",
    "integral": "integral_byte_ns",
}
SHOWN_BYTES = 64 << 10  # maximum size of each shown output of a run


@dataclass(frozen=True, slots=True)
class Panel:
    """Programs that are assessed together, their tests, and the options.

    Attributes:
        suite: The tests and rules.
        programs: The programs to judge; those that pass are measured.
        measuring: The options for measuring; with no repeats, programs are only judged.
        references: Programs that are not judged, and are measured with those that pass, if any.
        judged: Known verdicts, those on the references first; None: unknown. The verdict on a
            reference decides nothing; only its first runs are compared with the measured ones.
        counter: An argument of `open_counter`. `Executor.assess` counts the instructions of all
            measured programs; callers of `assess_panel` do it themselves.
        figure: The figure of a `Measurement` that ranks the programs; empty: no ranking.
        rule: Decides which figures differ (measuring/ranking.py).
    """

    suite: Suite
    programs: tuple[Program, ...]
    measuring: Measuring
    references: tuple[Program, ...] = ()
    judged: tuple[Judged | None, ...] = ()
    counter: str = "off"
    figure: str = ""
    rule: str = APART


def panel_of(
    programs: Sequence[Program],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    figure: str = "",
) -> Panel:
    """Return a panel of a user's own programs, whose outputs are compared exactly.

    Programs that a `figure` ranks are compared with each other, so they need no reference program
    of the language.
    """
    suite = Suite("", tuple(tests), Rules(limits, OutputComparison(), None))
    measuring = Measuring(options, reference=not figure)
    return Panel(suite, tuple(programs), measuring, figure=figure)


class OutputDifference(NamedTuple):
    """Different outputs of two programs on a test without an expected output.

    Attributes:
        test_id: The first such test.
        other: The index in the panel of the first program that ran successfully on it.
        where: The first line that differs; "the first" is the other program.
    """

    test_id: str
    other: int
    where: str


class ProgramAssessment(NamedTuple):
    """The verdict on a program, its figures and its rank.

    Attributes:
        judged: The verdict before the program was measured.
        measured: Its figures; None: it was not measured.
        standing: Its rank among the measured programs, with ties; None: it was not measured, or its
            repeats disagree.
        ratio: Its cost as a multiple of the cheapest program's.
        within: Half the width of the 95 % confidence interval of the ratio; None: unknown.
        difference: The first difference of its output from that of another program in the panel,
            for `assess_panel` with a figure; None: no difference.
    """

    judged: Judged
    measured: Measured | None = None
    standing: Standing | None = None
    ratio: float | None = None
    within: float | None = None
    difference: OutputDifference | None = None

    @property
    def judgement(self) -> Judgement:
        """The final verdict, which includes the measured runs."""
        judgement = self.judged.judgement
        return self.measured.decided(judgement) if self.measured else judgement

    @property
    def passed(self) -> bool:
        """Whether the final verdict is accepted."""
        return self.judgement.verdict == Verdict.ACCEPTED

    @property
    def measurement(self) -> Measurement | None:
        """The cost of the program; None if a measured run was wrong, or no repeat was complete."""
        if self.measured is None or self.measured.rejection or not self.measured.total.repeats:
            return None
        return self.measured.total


class Outcome(NamedTuple):
    """One test: its verdict, whether an expected output was compared, and a run.

    The run is the fastest measured one, or the judged one if nothing was measured. Its outputs are
    cut to 64 KiB.
    """

    test_id: str
    verdict: Verdict
    reason: str
    compared: bool
    run: Run


class Assessment(NamedTuple):
    """The results of a panel.

    Attributes:
        programs: In the order of the panel.
        references: The figures of the references; empty if nothing was measured.
        rounds: All measured runs, references first; only from `assess_panel`.
        outcomes: One outcome for each test; only from `assess_each_test`.
    """

    programs: tuple[ProgramAssessment, ...]
    references: tuple[Measured, ...] = ()
    rounds: Rounds | None = None
    outcomes: tuple[Outcome, ...] = ()


def conduct(
    panel: Panel,
    judge_program: Callable[[Program], Judged | Failure],
    measure: Callable[[Sequence[Program], Sequence[Judged | None]], list[Measured] | Failure],
    count: Callable[[Sequence[Program], list[Measured]], list[Measured]] = lambda _, figures: (
        figures
    ),
    measurable: Callable[[Judgement], bool] = lambda judgement: (
        judgement.verdict == Verdict.ACCEPTED
    ),
) -> Assessment | Failure:
    """Return the results of a panel, or the first failure of a stage.

    Args:
        panel: The programs.
        judge_program: Returns the verdict on a program, or a failure.
        measure: Returns the figures of programs, given the verdicts on them, or a failure.
        count: Adds instruction counts to figures, if the panel has a counter.
        measurable: Returns whether a judged program is measured.
    """
    first = len(panel.references)
    known = panel.judged or (None,) * (first + len(panel.programs))
    verdicts: list[Judged] = []
    for program, verdict in zip(panel.programs, known[first:], strict=True):
        judged = verdict or judge_program(program)
        if not isinstance(judged, Judged):
            return judged
        verdicts.append(judged)
    results = list(map(ProgramAssessment, verdicts))
    places = [place for place, judged in enumerate(verdicts) if measurable(judged.judgement)]
    if not places or not panel.measuring.options.repeats:
        return Assessment(tuple(results))
    programs = [*panel.references, *(panel.programs[place] for place in places)]
    figures = measure(programs, [*known[:first], *(verdicts[place] for place in places)])
    if not isinstance(figures, list):
        return figures
    if panel.counter != "off":
        figures = count(programs, figures)
    for place, measured in zip(places, figures[first:], strict=True):
        results[place] = results[place]._replace(measured=measured)
    if panel.figure:
        _rank(results, panel)
    return Assessment(tuple(results), tuple(figures[:first]))


def _rank(results: list[ProgramAssessment], panel: Panel) -> None:
    """Add standings and ratios to the programs with figures."""
    totals = {
        place: total
        for place, result in enumerate(results)
        if (total := result.measurement) and total.repeats_agree
    }
    if not totals:
        return
    costs = costs_of(list(totals.values()), panel.figure)
    best = int(np.argmin(costs.value))
    ratios = costs.value / costs.value[best]
    shares = np.hypot(costs.se / costs.value, costs.se[best] / costs.value[best])
    shares[best] = 0.0
    errors = NORMAL_95 * ratios * shares
    for place, standing, ratio, error in zip(
        totals, standings(costs, panel.rule), ratios, errors, strict=True
    ):
        within = None if math.isnan(error) else float(error)
        results[place] = results[place]._replace(
            standing=standing, ratio=float(ratio), within=within
        )


def assess_panel(
    sandbox: Sandbox,
    cores: Cores,
    panel: Panel,
    *,
    compiler: Callable[[Program], Compiled] | None = None,
    every_test: bool = False,
    any_answer: bool = False,
    trace: bool = False,
    warmup: int = 0,
    enough: Callable[[Rounds], bool] | None = None,
    on_program: Callable[[Program], None] = lambda _: None,
    on_judged: Callable[[int, Run], None] = lambda *_: None,
    on_measuring: Callable[[int], None] = lambda _: None,
    on_measured: Callable[[int, Run], None] = lambda *_: None,
) -> Assessment:
    """Return the results of a panel in one sandbox, without a journal or retries.

    For a test without an expected output, only the end of the program is judged.

    Args:
        sandbox: Runs the programs.
        cores: The cores of the programs and of their supervisor.
        panel: The programs.
        compiler: Compiles a program; None: the sandbox does, on any core.
        every_test: Judging does not stop at the first failure.
        any_answer: A program is measured if it exits with code 0 inside all limits in every test,
            whatever it prints. Memory is also sampled while it is judged: if it is not measured,
            these are its figures.
        trace: Runs include the samples of memory over time.
        warmup: The number of rounds before the measured ones, which do not count.
        enough: Given all rounds so far, returns whether to skip further repeats.
        on_program: Called with a program before it is compiled and judged.
        on_judged: Called with the index of a test and its judged run, outputs included.
        on_measuring: Called with the number of programs before they are measured.
        on_measured: Called with the index of a test and its measured run, outputs included.

    Raises:
        SandboxError: The sandbox failed.
        SourceError: The suite has no tests.
    """
    suite, options = panel.suite, panel.measuring.options
    limits, checker = suite.rules.limits, suite.rules.checker(sandbox)
    compile_program = compiler or sandbox.compile
    rounds: list[Rounds] = []
    outputs = _Outputs(suite.tests)

    def on_run(index: int, run: Run) -> None:
        if panel.figure:
            outputs.compare(index, run)
        on_judged(index, run)

    def judge_program(program: Program) -> Judged:
        outputs.next_program()
        on_program(program)
        compiled = compile_program(program)
        with out_of_the_way(cores):
            judgement = judge(
                sandbox,
                compiled,
                suite.tests,
                checker,
                limits,
                cores=cores,
                sampling=options.sampling(cores, trace) if any_answer else None,
                every_test=every_test,
                compare=False,
                on_run=on_run,
            )
        names = (test.test_id for test in suite.tests)
        costs = dict(zip(names, costs_of_runs(judgement.runs), strict=False))
        return Judged(judgement, costs=costs)

    def measure(programs: Sequence[Program], judged: Sequence[Judged | None]) -> list[Measured]:
        on_measuring(len(programs))
        tests = suite.measured.tests
        # No other program ran on the machine while they were judged.
        firsts = [verdict and verdict.first_runs(tests, shared=False) for verdict in judged]
        right = all(known.judgement.verdict == Verdict.ACCEPTED for known in judged if known)
        session = measure_interleaved(
            sandbox,
            [compile_program(program) for program in programs],
            tests,
            limits,
            options,
            reseeded=suite.measured.reseeded,
            # If a program is known to be wrong, outputs are not compared again.
            checker=checker if right else None,
            cores=cores,
            trace=trace,
            reference=panel.measuring.reference,
            on_run=lambda _, test, run: on_measured(test, run),
            judged=firsts,
            warmup=warmup,
            enough=enough,
        )
        rounds.append(session)
        return [session.measured(place) for place in range(len(programs))]

    def ended_well(judgement: Judgement) -> bool:
        if not any_answer:
            return judgement.verdict == Verdict.ACCEPTED
        runs = judgement.runs
        return len(runs) == len(suite.tests) and all(run.clean for run in runs)

    assessment = conduct(panel, judge_program, measure, measurable=ended_well)
    programs = tuple(
        result._replace(difference=outputs.differences.get(place))
        for place, result in enumerate(assessment.programs)
    )
    return assessment._replace(programs=programs, rounds=next(iter(rounds), None))


class _Outputs:
    """Compares the outputs of the programs of a panel on tests without an expected output.

    The output of the first program that runs successfully on a test is kept whole as long as all of
    these fit into `ROOM_BYTES`; otherwise its digest is kept.
    """

    ROOM_BYTES = 128 << 20

    def __init__(self, tests: Sequence[TestCase]) -> None:
        self._tests, self._place, self._room = tests, -1, self.ROOM_BYTES
        self._first: dict[int, tuple[int, bytes | str]] = {}
        self.differences: dict[int, OutputDifference] = {}  # by the place of a program

    def next_program(self) -> None:
        self._place += 1

    def compare(self, index: int, run: Run) -> None:
        test = self._tests[index]
        if test.stdout is not None or not run.clean or self._place in self.differences:
            return
        if index not in self._first:
            fits = len(run.stdout) <= self._room
            self._room -= len(run.stdout) if fits else 0
            self._first[index] = (self._place, run.stdout if fits else output_key(run.stdout))
            return
        other, output = self._first[index]
        if isinstance(output, bytes):
            where = difference(output, run.stdout, ("the first prints", "the second"))
        else:
            where = "" if output_key(run.stdout) == output else "too long to say in which line"
        if where:
            self.differences[self._place] = OutputDifference(test.test_id, other, where)


def assess_each_test(
    sandbox: Sandbox,
    cores: Cores,
    panel: Panel,
    *,
    trace: bool = False,
    warmup: int = 0,
    enough: Callable[[Rounds], bool] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Assessment:
    """Return the results of a panel of one program, with the outcome of each test.

    A program that runs successfully in every test is measured, whatever it prints. `say` is called
    with the current step. Raises the errors of `assess_panel`.
    """
    (program,) = panel.programs
    tests, language = panel.suite.tests, program.language
    runs: list[Run] = []
    reasons: list[str] = []
    fastest: dict[int, Run] = {}

    def on_judged(index: int, run: Run) -> None:
        runs.append(shortened(run))
        reasons.append(complaint(run, tests[index], language))
        say(f"judged {tests[index].test_id}")

    assessment = assess_panel(
        sandbox,
        cores,
        panel,
        every_test=True,
        any_answer=True,
        trace=trace,
        warmup=warmup,
        enough=enough,
        on_program=lambda _: say(f"compiling ({language.name})"),
        on_judged=on_judged,
        on_measuring=lambda _: say(f"measuring, {panel.measuring.options.repeats} times"),
        on_measured=lambda index, run: keep_fastest(fastest, index, run),
    )
    (result,) = assessment.programs
    measured = result.measured
    if measured and not measured.rejection and measured.total.repeats_agree:
        runs = [fastest.get(index, run) for index, run in enumerate(runs)]
    # A program that did not compile has no runs and so no outcomes.
    outcomes = tuple(
        Outcome(
            test.test_id,
            verdict,
            "" if verdict == Verdict.ACCEPTED else reason,
            test.stdout is not None,
            run,
        )
        for test, verdict, reason, run in zip(
            tests, result.judged.judgement.verdicts, reasons, runs, strict=False
        )
    )
    return assessment._replace(outcomes=outcomes)


def complaint(run: Run, test: TestCase, language: Language) -> str:
    """Return why a run failed its test: its end, or the first difference in its output.

    A judgement has this reason for its first failing test only. Empty: the run passed.
    """
    verdict, reason = ending(run, language)
    if verdict or test.stdout is None:
        return reason
    return difference(test.stdout, run.stdout)


def shortened(run: Run, size: int = SHOWN_BYTES) -> Run:
    """Return a run whose outputs are cut to `size` bytes each."""
    return dataclasses.replace(run, stdout=run.stdout[:size], stderr=run.stderr[:size])


def keep_fastest(fastest: dict[int, Run], index: int, run: Run) -> None:
    """Store a run in `fastest` under its test `index` if it is clean and the fastest so far."""
    if run.clean and (index not in fastest or run.wall_ns < fastest[index].wall_ns):
        fastest[index] = shortened(run)
