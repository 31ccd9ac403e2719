"""Scores the samples of a task: judges, measures and ranks them among human solutions.

Every passing sample is measured separately, even several copies of one program: two copies never
cost exactly the same, and the intervals must show that noise. The rank of a sample is the mean of
its ranks in each repeat, where its figure is compared with those of the human solutions in the same
repeat, so drift between repeats cancels. Places and ratios compare the figures over all repeats. By
the rule in execution/measuring/ranking.py, a better program costs less by more than the uncertainty
of both figures, or by any amount (`strict`).

Instructions rank a sample once, because a count has no repeats, and only if CPU time agrees
(execution/measuring/agreement.py). Otherwise time ranks it among the same human solutions, and
`Rank.objection` says why. The joint cost (execution/measuring/joint.py) also ranks a sample once;
it equals the cost by time if CPU time disagrees.

If the problem has a generator, each repeat has new inputs, different from those that judged the
samples and from those of other repeats. Samples and human solutions of a session share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.records import Judgement, Verdict
from venus_toolkit.core.untrusted.text import storable
from venus_toolkit.eval.asking.tasks import (
    FEWEST_REFERENCES,
    EvaluationTask,
    HumanSolution,
    spread_out,
    voting_references,
)
from venus_toolkit.eval.eval_options import CACHED, FRESH, PUBLISHED, EvalOptions
from venus_toolkit.eval.scoring import metrics
from venus_toolkit.eval.scoring.controls import Control, compare_with_original, originals
from venus_toolkit.eval.scoring.published_metrics import (
    differential_performance,
    performance_levels,
)
from venus_toolkit.eval.scoring.references import Cache, HumanDistribution, published
from venus_toolkit.execution.engine import Machine, Worker, on_one_machine
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, Band, band_of, objection
from venus_toolkit.execution.measuring.complexity import Complexity
from venus_toolkit.execution.measuring.joint import FEWEST_FOR_LINE, join
from venus_toolkit.execution.measuring.ranking import (
    Costs,
    Place,
    costs_of,
    percentile_ranks,
    places,
)
from venus_toolkit.execution.measuring.rounds import Measured, Repeat
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.models import dialect
from venus_toolkit.models.answers import read_answer
from venus_toolkit.models.client import SHOWN, Completion
from venus_toolkit.models.prompts import OBJECTIVES


class SampleOutcome(StrEnum):
    """The outcome of a sample.

    The last two are failures of the toolkit or the server, and do not count in any metric. LENGTH
    to CONTEXT mean that the answer ended early; the values are those of `ENDINGS` in
    models/dialect.py.
    """

    PASSED = "passed"
    FAILED = "failed"
    NO_CODE = "no_code"
    LENGTH = dialect.LENGTH
    REFUSAL = dialect.REFUSAL
    CONTENT_FILTER = dialect.CONTENT_FILTER
    CONTEXT = dialect.CONTEXT
    UNANSWERED = "unanswered"
    UNJUDGED = "unjudged"


KNOWN = tuple(
    outcome
    for outcome in SampleOutcome
    if outcome not in (SampleOutcome.UNANSWERED, SampleOutcome.UNJUDGED)
)


class EvalSample(NamedTuple):
    """One answer of the model to a task, with the results so far.

    `reason` explains an outcome other than PASSED. `answer_reason` explains which part of the
    answer was taken as its code.
    """

    number: int
    completion: Completion
    outcome: SampleOutcome
    reason: str = ""
    code: str | None = None
    program: Program | None = None
    judgement: Judgement | None = None
    judged: Judged | None = None
    measured: Measured | None = None
    complexity: Complexity | None = None
    curve: Sequence[Sequence[int]] = ()
    answer_reason: str = ""


class Rank(NamedTuple):
    """The rank of a sample among the human solutions by one objective.

    `figure` names the figure that ranks it. `objection` says why instructions were requested but do
    not contribute.
    """

    percentile: float
    percentile_repeats: tuple[float, ...]
    mercury_beyond: float
    place: Place
    ratio_to_best: float | None
    ratio_to_median: float | None
    dps: float | None
    dps_norm: float | None
    saved: float | None
    figure: str = ""
    objection: str = ""


FAILED_RANK = Rank(
    percentile=0.0,
    percentile_repeats=(0.0,),
    mercury_beyond=0.0,
    place=Place.FAILED,
    ratio_to_best=None,
    ratio_to_median=None,
    dps=None,
    dps_norm=None,
    saved=None,
)


class TaskScores(NamedTuple):
    """A task with its samples, the human solutions, and the ranks of each sample by objective.

    An item of `ranks` is None if the sample's outcome is not KNOWN. All are None if the task has no
    ranks; then `unranked` says why.
    """

    task: EvaluationTask
    samples: tuple[EvalSample, ...]
    distribution: HumanDistribution | None
    ranks: tuple[dict[str, Rank] | None, ...]
    unranked: str = ""
    controls: tuple[Control, ...] = ()


def read_samples(task: EvaluationTask, completions: Iterable[Completion]) -> list[EvalSample]:
    """Return the unjudged samples of a task."""
    return [read_sample(task, index, completion) for index, completion in enumerate(completions)]


def read_sample(task: EvaluationTask, index: int, completion: Completion) -> EvalSample:
    """Return an answer as sample number `index`; if it has a program, the outcome is UNJUDGED."""
    if not completion.answered:
        return EvalSample(index, completion, SampleOutcome.UNANSWERED, completion.reason)
    if completion.ending:
        return EvalSample(index, completion, SampleOutcome(completion.ending), completion.reason)
    if completion.text is None:
        return EvalSample(index, completion, SampleOutcome.NO_CODE, completion.reason)
    code, reason = completion.code, ""
    if code is None:
        starter = task.starter if task.style == "function" else ""
        try:
            code, reason, _ = read_answer(completion.text, task.key.language, starter)
        # the boundary to parsers: an answer that crashes one must not lose the other answers
        except Exception as error:
            cause = storable(
                f"the answer could not be read: {type(error).__name__}: {error}"[:SHOWN]
            ).text
            return EvalSample(index, completion, SampleOutcome.UNJUDGED, cause)
    if code is None:
        return EvalSample(index, completion, SampleOutcome.NO_CODE, reason)
    sample = EvalSample(index, completion, SampleOutcome.UNJUDGED, code=code, answer_reason=reason)
    try:
        return sample._replace(program=task.program(code))
    except LanguageError as error:
        return sample._replace(outcome=SampleOutcome.NO_CODE, reason=str(error))


@dataclass(frozen=True, slots=True)
class TaskScorer:
    """Judges the samples of tasks, measures those that pass, and ranks them among the humans.

    With `controlled`, copies of human solutions are measured interleaved with the samples
    (eval/scoring/controls.py).
    """

    executor: Executor
    options: EvalOptions
    cache: Cache
    controlled: bool = True

    def judge(self, task: EvaluationTask, sample: EvalSample, worker: Worker) -> EvalSample:
        """Return a sample with the verdict on its program, if it has a program."""
        if sample.program is None:
            return sample
        return _with_verdict(sample, self.executor.judge(worker, task.suite, sample.program))

    def judge_all(
        self,
        tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]],
        on_judged: Callable[[], None] = lambda: None,
    ) -> list[tuple[EvaluationTask, list[EvalSample]]]:
        """Judge the samples of tasks on every core, and return the tasks with the judged samples.

        Equal programs of a task are run once.
        """
        todo = [
            (number, program)
            for number, (_, samples) in enumerate(tasks)
            for program in dict.fromkeys(sample.program for sample in samples if sample.program)
        ]
        verdicts: dict[tuple[int, Program], Judged | SandboxFailure] = {}

        def work(item: tuple[int, Program], worker: Worker) -> Judged | SandboxFailure:
            task = tasks[item[0]][0]
            with doing(f"judging {task.name}"):
                return self.executor.judge(worker, task.suite, item[1])

        for (number, program), judged in self.executor.judging(work, todo):
            verdicts[number, program] = judged
            on_judged()
        return [
            (
                task,
                [
                    _with_verdict(sample, verdicts[number, sample.program])
                    if sample.program
                    else sample
                    for sample in samples
                ],
            )
            for number, (task, samples) in enumerate(tasks)
        ]

    def count_all(self, tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]]) -> None:
        """Count the instructions of all programs that will be ranked, on every core.

        Unlike times, counts do not need idle cores. `score` reads them from the journal.
        """

        def work(item: tuple[EvaluationTask, list[EvalSample]], worker: Worker) -> None:
            task, samples = item
            suite = self._measured_suite(task, worker)
            if isinstance(suite, SandboxFailure):
                return  # `score` reports the failure
            own = [
                sample.program
                for sample in samples
                if sample.outcome == SampleOutcome.PASSED and sample.program
            ]
            human = [task.program(reference.code) for reference in self._references(task)]
            for program in dict.fromkeys((*human, *own)):
                self.executor.count(worker, suite, program, self.options.counter)

        # Other tasks are not ranked.
        ranked = [
            (task, samples)
            for task, samples in tasks
            if any(sample.outcome == SampleOutcome.PASSED for sample in samples)
            if len(task.references) >= self.options.min_references
        ]
        for _ in self.executor.judging(work, ranked):
            pass

    def grow_all(self, tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]]) -> None:
        """Estimate, on every core, how the cost of each sample grows with its input.

        `score` reads the estimates from the journal.
        """
        todo = [(task, sample) for task, samples in tasks for sample in samples]
        for _ in self.executor.judging(
            lambda item, worker: self._with_complexity(*item, worker), todo
        ):
            pass

    def _with_complexity(
        self, task: EvaluationTask, sample: EvalSample, worker: Worker
    ) -> EvalSample:
        """Return a sample with its complexity, if that is requested and can be compared."""
        generator = task.generator
        if (
            not self.options.complexity
            or sample.outcome != SampleOutcome.PASSED
            or sample.program is None
        ):
            return sample
        if not generator or task.best_complexity is None:
            return sample
        limits, kind = task.limits, self.options.counter
        growth = self.executor.complexity(
            worker, task.name, sample.program, generator, limits, kind
        )
        # After a sandbox failure the complexity is unknown, so the cell stays null.
        return sample if isinstance(growth, SandboxFailure) else sample._replace(complexity=growth)

    def _with_curve(self, task: EvaluationTask, sample: EvalSample, worker: Worker) -> EvalSample:
        """Return a sample with its memory over time, if that is requested."""
        if (
            not self.options.curves
            or sample.outcome != SampleOutcome.PASSED
            or sample.program is None
        ):
            return sample
        curve = self.executor.memory_curve(worker, task.suite, sample.program)
        return sample if isinstance(curve, SandboxFailure) else sample._replace(curve=curve)

    def score(
        self, task: EvaluationTask, samples: Sequence[EvalSample], worker: Worker
    ) -> TaskScores:
        """Measure the passing samples and the human solutions, and rank all samples."""
        samples = [
            self._with_curve(task, self._with_complexity(task, sample, worker), worker)
            for sample in samples
        ]
        fewest = self.options.min_references
        if len(task.references) < fewest:
            reason = (
                f"it has {len(task.references)} of the {fewest} reference solutions that a rank "
                "needs"
            )
            return TaskScores(task, tuple(samples), None, (None,) * len(samples), reason)
        passed = [sample for sample in samples if sample.outcome == SampleOutcome.PASSED]
        # The rank of a failure is 0, so the humans need not be measured.
        if not passed:
            ranks = (
                dict.fromkeys(OBJECTIVES, FAILED_RANK) if sample.outcome in KNOWN else None
                for sample in samples
            )
            return TaskScores(task, tuple(samples), None, tuple(ranks))
        # Figures are only comparable on one type of machine.
        measured = on_one_machine(worker.at(task.name), partial(self._measure, task, passed))
        if isinstance(measured, SandboxFailure):
            unjudged = (
                _with_verdict(sample, measured) if sample in passed else sample
                for sample in samples
            )
            return TaskScores(task, tuple(unjudged), None, (None,) * len(samples), measured.reason)
        distribution, own, copies = measured
        figures = dict(zip((sample.number for sample in passed), own, strict=True))
        samples = tuple(_with_figures(sample, figures.get(sample.number)) for sample in samples)
        human = [program for _, program in self._measured_references(distribution)]
        if len(human) < fewest:
            reason = (
                f"{len(human)} of its {len(task.references)} reference solutions could be "
                "measured here"
            )
            return TaskScores(task, samples, distribution, (None,) * len(samples), reason)
        band = band_of([program.total for program in human])
        ranked = (
            {
                objective: _rank(sample.measured, human, self.options, objective, band)
                for objective in OBJECTIVES
            }
            if sample.outcome in KNOWN
            else None
            for sample in samples
        )
        controls = self._controls(
            distribution, copies, partial(_rank, human=human, options=self.options, band=band)
        )
        return TaskScores(task, samples, distribution, tuple(ranked), controls=tuple(controls))

    def _controls(
        self,
        distribution: HumanDistribution,
        copies: Sequence[tuple[str, HumanSolution, Measured]],
        rank: Callable[..., Rank],
    ) -> Iterator[Control]:
        """Yield the copies, each compared with its original by the figure that ranks it.

        `rank` is the function that ranks the samples.
        """
        original_of = {
            reference.reference_id: original
            for reference, original in self._measured_references(distribution)
        }
        for which, reference, copy in copies:
            if reference.reference_id not in original_of:
                continue
            original = original_of[reference.reference_id]
            ranks = {objective: rank(copy, objective=objective) for objective in OBJECTIVES}
            outcomes = {
                objective: compare_with_original(
                    copy, original, copy_rank.figure, self.options.rule
                )
                if copy_rank.figure
                else str(Place.FAILED)
                for objective, copy_rank in ranks.items()
            }
            place_of = {objective: copy_rank.place for objective, copy_rank in ranks.items()}
            yield Control(which, reference, copy, outcomes, place_of)

    @staticmethod
    def _measured_references(
        distribution: HumanDistribution,
    ) -> Iterator[tuple[HumanSolution, Measured]]:
        """Yield each human solution that has a valid measurement, with that measurement."""
        for reference, measured in zip(distribution.references, distribution.measured, strict=True):
            if measured.total.repeats and measured.total.repeats_agree:
                yield reference, measured

    def _references(self, task: EvaluationTask) -> tuple[HumanSolution, ...]:
        """Return the human solutions that the samples of a task are compared with."""
        return spread_out(task.references, self.options.max_references, self.options.native_figure)

    def _measured_suite(self, task: EvaluationTask, worker: Worker) -> Suite | SandboxFailure:
        """Return the tests that measure the samples: with new inputs in each repeat if possible."""
        options, generator = self.options, task.generator
        # Published figures are only comparable on the published inputs.
        if not options.reseed or not generator or options.references == PUBLISHED:
            return task.suite
        programs = voting_references(task, options.native_figure)
        return self.cache.reseeded(
            worker, task.suite.measured, generator, programs, options.measure.repeats, options.seed
        )

    def _measure(
        self,
        task: EvaluationTask,
        passed: Sequence[EvalSample],
        worker: Worker,
        machine: Machine,
        override: Suite | None = None,
    ) -> (
        tuple[HumanDistribution, list[Measured], list[tuple[str, HumanSolution, Measured]]]
        | SandboxFailure
    ):
        """Return the figures of the human solutions, of the samples, and of named copies.

        All are measured interleaved, unless the options say otherwise. `override` is the suite to
        measure on; None: the task's, with new inputs in each repeat if possible.
        """
        suite = override or self._measured_suite(task, worker)
        if isinstance(suite, SandboxFailure):
            return suite
        options, how = self.options, Measuring(self.options.measure)
        references = self._references(task)
        own = [sample.program for sample in passed if sample.program]
        human = [task.program(reference.code) for reference in references]
        distribution = None
        if options.references == PUBLISHED:
            distribution = published(references)
        elif (
            options.references == CACHED
            and (cached := self.cache.find(suite, human, how, machine)) is not None
        ):
            distribution = HumanDistribution(references, tuple(cached), CACHED)
        unknown = [] if distribution else human
        copied = originals(references, options.baseline_figure) if self.controlled else []
        copies = [task.program(reference.code) for _, reference in copied]
        # Samples are checked against their first verdict, because a program may remember the inputs
        # that judged it. Human solutions have no reason to.
        verdicts = [sample.judged for sample in passed if sample.program]
        judged = [*[None] * len(unknown), *verdicts, *[None] * len(copies)]
        measured = self.executor.measure(
            worker, suite, [*unknown, *own, *copies], how, judged=judged
        )
        if isinstance(measured, SandboxFailure):
            return measured
        if distribution is None:
            # Kept for later evaluations with `cached` references.
            self.cache.keep(suite, human, how, machine, measured[: len(human)])
            distribution = HumanDistribution(references, tuple(measured[: len(human)]), FRESH)
        if suite.reseeded and any(program.rejection for program in distribution.measured):
            # A human solution fails on a new input, so the problem may not allow that input.
            return self._measure(task, passed, worker, machine, task.suite)
        figures = measured[len(unknown) :]
        if options.counted:
            count = partial(self.executor.counted, worker, suite, kind=options.counter)
            humans = count(human, distribution.measured)
            figures = count([*own, *copies], figures)
            parts = ([program.total for program in part] for part in (humans, figures))
            totals = iter(join(*parts))
            distribution = distribution._replace(
                measured=tuple(program._replace(total=next(totals)) for program in humans)
            )
            figures = [program._replace(total=next(totals)) for program in figures]
        controls = [
            (which, reference, copy)
            for (which, reference), copy in zip(copied, figures[len(own) :], strict=True)
        ]
        return distribution, figures[: len(own)], controls


def _with_verdict(sample: EvalSample, judged: Judged | SandboxFailure) -> EvalSample:
    if isinstance(judged, SandboxFailure):
        return sample._replace(outcome=SampleOutcome.UNJUDGED, reason=judged.reason)
    judgement = judged.judgement
    outcome = (
        SampleOutcome.PASSED if judgement.verdict == Verdict.ACCEPTED else SampleOutcome.FAILED
    )
    return sample._replace(
        outcome=outcome, reason=judgement.reason, judgement=judgement, judged=judged
    )


def _with_figures(sample: EvalSample, measured: Measured | None) -> EvalSample:
    """Return a sample with its figures; it fails if a measured run failed its test."""
    if measured is None or measured.rejection is None or sample.judgement is None:
        return sample._replace(measured=measured)
    judgement = measured.decided(sample.judgement)
    return sample._replace(
        outcome=SampleOutcome.FAILED, reason=judgement.reason, judgement=judgement
    )


def _rank(
    measured: Measured | None,
    human: Sequence[Measured],
    options: EvalOptions,
    objective: str,
    band: Band | None,
) -> Rank:
    if measured is None:
        return FAILED_RANK
    name, reason = options.figures[objective], ""
    if objective == "time" and options.counted:
        counted = [program for program in human if program.total.instructions is not None]
        fewest = max(options.min_references, FEWEST_FOR_LINE if options.rank == "joint" else 0)
        if measured.uncounted:
            reason = measured.uncounted
        elif len(counted) < fewest:
            available = f"{len(counted)} human solutions could be counted"
            reason = f"{available}, and a rank by {options.rank} needs {fewest}"
        else:
            reason = objection(measured.total, [program.total for program in counted], band)
        if name == INSTRUCTIONS:
            name, human = (options.native_figure, human) if reason else (name, counted)
    if getattr(measured.total, name) is None or not measured.total.repeats_agree:
        return FAILED_RANK
    figures, totals = (
        costs_of([measured.total], name),
        costs_of([program.total for program in human], name),
    )
    by_rule = partial(percentile_ranks, ties=options.ties, rule=options.rule)
    percentiles = rank_in_each_repeat(by_rule, measured, human, name)
    beyond = rank_in_each_repeat(
        lambda costs, others: metrics.mercury_beyond(costs.value, others.value),
        measured,
        human,
        name,
    )
    (place,), (ratio,) = (
        places(figures, totals, options.rule),
        metrics.ratios_to_best(figures.value, totals.value),
    )
    dps, dps_norm = differential_performance(figures.value[0], performance_levels(totals.value))
    # Savings need a unit, and relative time has none.
    raw = "wall_ns" if objective == "time" else name
    return Rank(
        percentile=float(np.mean(percentiles)),
        percentile_repeats=tuple(percentiles),
        mercury_beyond=float(np.mean(beyond)),
        place=place,
        ratio_to_best=float(ratio),
        ratio_to_median=float(np.median(totals.value) / figures.value[0]),
        dps=dps,
        dps_norm=dps_norm,
        saved=float(np.median([getattr(program.total, raw) for program in human]))
        - getattr(measured.total, raw),
        figure=name,
        objection=reason,
    )


def rank_in_each_repeat(
    rank: Callable[[Costs, Costs], metrics.Floats],
    measured: Measured,
    human: Sequence[Measured],
    name: str,
) -> list[float]:
    """Return the rank of a program's cost among those of humans in each repeat.

    `rank` computes the rank of costs in a distribution. A repeat that failed has rank 0.

    The standard error of one repeat is that of the total times the square root of the number of
    repeats. A repeat in which fewer than two human solutions succeeded is left out. If none is
    left, the totals over all repeats are ranked once. So are instructions, which are counted once.
    """
    ranks = []
    programs = [measured, *human]
    totals = costs_of([program.total for program in programs], name)
    own, others = np.array([0]), np.arange(1, len(programs))
    errors = totals.se * np.sqrt([max(program.total.repeats, 1) for program in programs])
    for number in range(len(measured.repeats) if name in Repeat._fields else 0):
        # Published figures have one repeat, which serves for all.
        cells = [
            getattr(program.repeats[number % len(program.repeats)], name) for program in programs
        ]
        costs = Costs(np.array([np.nan if cell is None else cell for cell in cells], float), errors)
        known = 1 + np.flatnonzero(np.isfinite(costs.value[1:]))
        if len(known) >= min(FEWEST_REFERENCES, len(human)):
            ranks.append(float(rank(costs.take(own), costs.take(known))[0]))
    return ranks or [float(rank(totals.take(own), totals.take(others))[0])]
