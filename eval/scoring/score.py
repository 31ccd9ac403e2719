"""What the samples of a task are worth.

Judged, measured beside the human solutions, ranked among them.

Every sample that passes is measured for itself, copies of one program too, for two copies never
cost quite the same: that difference is the noise which the intervals have to show. The rank of a
sample is the mean of its ranks in each repeat, its figure against those that the human solutions
had in the same repeat; what drifted from one repeat to the next is then in both. Places and ratios
compare the figures over all repeats. What is better than what, the rule of
execution/measuring/ranking.py says: by more than the uncertainty of both figures, or by any amount
(`strict`).

By instructions a sample is ranked once, for a count has no repeats, and only where its CPU time
agrees (execution/measuring/agreement.py). Else it is ranked by time, among the same human
solutions, and `Rank` says so. Its joint cost (execution/measuring/joint.py) ranks it once as well;
it is that of time where CPU time does not agree.

Where the problem has a generator, each repeat has inputs of its own: neither those that the samples
were judged on nor those of another repeat. The human solutions that are measured beside them have
the same ones.
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
    agreeing,
    spread_out,
)
from venus_toolkit.eval.eval_options import CACHED, FRESH, PUBLISHED, EvalOptions
from venus_toolkit.eval.scoring import metrics
from venus_toolkit.eval.scoring.controls import Control, became, originals
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
from venus_toolkit.execution.measuring.joint import join
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
    """What became of a sample.

    The last two are failures of ours or of the server, and count nowhere.

    From LENGTH to CONTEXT the answer ended before there was one, by the words of `ENDINGS` in
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
    each for each in SampleOutcome if each not in (SampleOutcome.UNANSWERED, SampleOutcome.UNJUDGED)
)


class EvalSample(NamedTuple):
    """One answer of the model to a task, as far as it got; reason: why not further.

    answer_reason: why this part of the answer was read as its code.
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
    """Where a sample stands among the human solutions by one objective.

    figure is what it was ranked by; objection: why instructions, where these were to rank, have no
    part in it.
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


class Scored(NamedTuple):
    """A task with its samples, the human solutions, and the rank of each sample by each objective.

    ranks is None for a sample that counts nowhere, and for all of them where `unranked` says why
    there is no rank.
    """

    task: EvaluationTask
    samples: tuple[EvalSample, ...]
    distribution: HumanDistribution | None
    ranks: tuple[dict[str, Rank] | None, ...]
    unranked: str = ""
    controls: tuple[Control, ...] = ()


def read_samples(task: EvaluationTask, completions: Iterable[Completion]) -> list[EvalSample]:
    """Return the samples of a task before they are judged."""
    return [read_sample(task, index, completion) for index, completion in enumerate(completions)]


def read_sample(task: EvaluationTask, index: int, completion: Completion) -> EvalSample:
    """Return an answer as sample number `index`; its outcome is UNJUDGED where it has a program."""
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
        # the boundary to parsers: one answer that breaks them is not the others' loss
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
    """Judges the samples of tasks, measures those that pass, and ranks them among the human solutions.

    controlled: copies of human solutions are measured beside the samples
    (eval/scoring/controls.py).
    """

    executor: Executor
    options: EvalOptions
    cache: Cache
    controlled: bool = True

    def judge(self, task: EvaluationTask, sample: EvalSample, worker: Worker) -> EvalSample:
        """Return a sample with the verdict on its program, if it has one."""
        if sample.program is None:
            return sample
        return _with_verdict(sample, self.executor.judge(worker, task.suite, sample.program))

    def judge_all(
        self,
        tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]],
        on_judged: Callable[[], None] = lambda: None,
    ) -> list[tuple[EvaluationTask, list[EvalSample]]]:
        """Return tasks with their samples judged on every core.

        Of equal programs of a task only the first is run.
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
                    _with_verdict(one, verdicts[number, one.program]) if one.program else one
                    for one in listed
                ],
            )
            for number, (task, listed) in enumerate(tasks)
        ]

    def count_all(self, tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]]) -> None:
        """Count what will be ranked, on every core: counts need no quiet one.

        `score` finds them in the journal.
        """

        def work(item: tuple[EvaluationTask, list[EvalSample]], worker: Worker) -> None:
            task, samples = item
            suite = self._measured_suite(task, worker)
            if isinstance(suite, SandboxFailure):
                return  # `score` says so
            own = [
                each.program
                for each in samples
                if each.outcome == SampleOutcome.PASSED and each.program
            ]
            human = [task.program(each.code) for each in self._references(task)]
            for program in dict.fromkeys((*human, *own)):
                self.executor.count(worker, suite, program, self.options.counter)

        # Tasks without a sample that passes are not ranked.
        passed = [
            each
            for each in tasks
            if any(sample.outcome == SampleOutcome.PASSED for sample in each[1])
        ]
        fewest = self.options.min_references
        for _ in self.executor.judging(
            work, [each for each in passed if len(each[0].references) >= fewest]
        ):
            pass

    def grow_all(self, tasks: Sequence[tuple[EvaluationTask, list[EvalSample]]]) -> None:
        """Find out how costs grow, on every core: counts need no quiet one.

        `score` finds it in the journal.
        """
        todo = [(task, sample) for task, samples in tasks for sample in samples]
        for _ in self.executor.judging(lambda item, worker: self._grown(*item, worker), todo):
            pass

    def _grown(self, task: EvaluationTask, sample: EvalSample, worker: Worker) -> EvalSample:
        """Return a sample with how its cost grows, where that is asked for and can be compared."""
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
        # As with counts: of what the sandbox failed at nothing is known, and a null says enough.
        return sample if isinstance(growth, SandboxFailure) else sample._replace(complexity=growth)

    def _curved(self, task: EvaluationTask, sample: EvalSample, worker: Worker) -> EvalSample:
        """Return a sample with its memory over time, where that is asked for."""
        if (
            not self.options.curves
            or sample.outcome != SampleOutcome.PASSED
            or sample.program is None
        ):
            return sample
        curve = self.executor.memory_curve(worker, task.suite, sample.program)
        return sample if isinstance(curve, SandboxFailure) else sample._replace(curve=curve)

    def score(self, task: EvaluationTask, samples: Sequence[EvalSample], worker: Worker) -> Scored:
        """Measure the samples that passed beside the human solutions, and rank all samples among these."""
        samples = [
            self._curved(task, self._grown(task, sample, worker), worker) for sample in samples
        ]
        fewest = self.options.min_references
        if len(task.references) < fewest:
            reason = (
                f"it has {len(task.references)} of the {fewest} reference solutions that a rank "
                "needs"
            )
            return Scored(task, tuple(samples), None, (None,) * len(samples), reason)
        passed = [sample for sample in samples if sample.outcome == SampleOutcome.PASSED]
        # Failures rank 0 whatever the humans cost, so these need not be measured.
        if not passed:
            ranks = (
                dict.fromkeys(OBJECTIVES, FAILED_RANK) if each.outcome in KNOWN else None
                for each in samples
            )
            return Scored(task, tuple(samples), None, tuple(ranks))
        # Ranks compare samples with humans, so the figures of both have to be of one type of
        # machine.
        measured = on_one_machine(worker.at(task.name), partial(self._measure, task, passed))
        if isinstance(measured, SandboxFailure):
            lost = (_with_verdict(each, measured) if each in passed else each for each in samples)
            return Scored(task, tuple(lost), None, (None,) * len(samples), measured.reason)
        distribution, own, copies = measured
        figures = dict(zip((sample.number for sample in passed), own, strict=True))
        samples = tuple(_with_figures(sample, figures.get(sample.number)) for sample in samples)
        human = [
            each
            for each in distribution.measured
            if each.total.repeats and each.total.repeats_agree
        ]
        if len(human) < fewest:
            reason = (
                f"{len(human)} of its {len(task.references)} reference solutions could be "
                "measured here"
            )
            return Scored(task, samples, distribution, (None,) * len(samples), reason)
        band = band_of([each.total for each in human])
        ranked = (
            {
                objective: _rank(each.measured, human, self.options, objective, band)
                for objective in OBJECTIVES
            }
            if each.outcome in KNOWN
            else None
            for each in samples
        )
        controls = self._controls(
            distribution, copies, partial(_rank, human=human, options=self.options, band=band)
        )
        return Scored(task, samples, distribution, tuple(ranked), controls=tuple(controls))

    def _controls(
        self,
        distribution: HumanDistribution,
        copies: Sequence[tuple[str, HumanSolution, Measured]],
        rank: Callable[..., Rank],
    ) -> Iterator[Control]:
        """Yield what became of the copies, by the figure that each is ranked by.

        `rank` is that of the samples.
        """
        original = {each.reference_id: copied for each, copied in self._pairs(distribution)}
        for which, reference, measured in copies:
            if reference.reference_id not in original:
                continue
            ranks = {objective: rank(measured, objective=objective) for objective in OBJECTIVES}
            copied = {
                objective: became(
                    measured, original[reference.reference_id], each.figure, self.options.rule
                )
                if each.figure
                else str(Place.FAILED)
                for objective, each in ranks.items()
            }
            yield Control(
                which,
                reference,
                measured,
                copied,
                {name: each.place for name, each in ranks.items()},
            )

    @staticmethod
    def _pairs(distribution: HumanDistribution) -> Iterator[tuple[HumanSolution, Measured]]:
        """Yield the human solutions that were measured, with their figures."""
        for reference, measured in zip(distribution.references, distribution.measured, strict=True):
            if measured.total.repeats and measured.total.repeats_agree:
                yield reference, measured

    def _references(self, task: EvaluationTask) -> tuple[HumanSolution, ...]:
        """Return the human solutions that the samples of a task are ranked among."""
        return spread_out(task.references, self.options.max_references, self.options.native_figure)

    def _measured_suite(self, task: EvaluationTask, worker: Worker) -> Suite | SandboxFailure:
        """Return what the samples of a task are measured on.

        Other inputs in each repeat, where they can be had.
        """
        options, generator = self.options, task.generator
        # Published figures are of the published inputs: on others nothing could be compared with
        # them.
        if not options.reseed or not generator or options.references == PUBLISHED:
            return task.suite
        programs = agreeing(task, options.native_figure)
        return self.cache.reseeded(
            worker, task.suite.measured, generator, programs, options.measure.repeats, options.seed
        )

    def _measure(
        self,
        task: EvaluationTask,
        passed: Sequence[EvalSample],
        worker: Worker,
        machine: Machine,
        suite: Suite | None = None,
    ) -> (
        tuple[HumanDistribution, list[Measured], list[tuple[str, HumanSolution, Measured]]]
        | SandboxFailure
    ):
        """Return the figures of the human solutions, of the samples, and of named copies.

        They are measured together unless options say otherwise, on `suite`; None: on other inputs
        in each repeat, where these can be had.
        """
        chosen = suite or self._measured_suite(task, worker)
        if isinstance(chosen, SandboxFailure):
            return chosen
        options, how = self.options, Measuring(self.options.measure)
        references = self._references(task)
        own = [sample.program for sample in passed if sample.program]
        human = [task.program(one.code) for one in references]
        distribution = None
        if options.references == PUBLISHED:
            distribution = published(references)
        elif (
            options.references == CACHED
            and (cached := self.cache.find(chosen, human, how, machine)) is not None
        ):
            distribution = HumanDistribution(references, tuple(cached), CACHED)
        beside = [] if distribution else human
        copied = originals(references, options.baseline_figure) if self.controlled else []
        copies = [task.program(reference.code) for _, reference in copied]
        # A sample may remember the inputs that it was judged on; human solutions gain nothing by
        # it.
        first = [sample.judged for sample in passed if sample.program]
        judged = [*[None] * len(beside), *first, *[None] * len(copies)]
        measured = self.executor.measure(
            worker, chosen, [*beside, *own, *copies], how, judged=judged
        )
        if isinstance(measured, SandboxFailure):
            return measured
        if distribution is None:
            # Fresh figures are kept as well: a later evaluation with `cached` references finds
            # them.
            self.cache.keep(chosen, human, how, machine, measured[: len(human)])
            distribution = HumanDistribution(references, tuple(measured[: len(human)]), FRESH)
        if chosen.reseeded and any(one.rejection for one in distribution.measured):
            # A human solution fails on a new input, which may be none that the problem allows.
            return self._measure(task, passed, worker, machine, task.suite)
        figures = measured[len(beside) :]
        if options.counted:
            count = partial(self.executor.counted, worker, chosen, kind=options.counter)
            distribution = distribution._replace(
                measured=tuple(count(human, distribution.measured))
            )
            figures = count([*own, *copies], figures)
            parts = (distribution.measured, figures)
            totals = iter(join(*([one.total for one in part] for part in parts)))
            distribution = distribution._replace(
                measured=tuple(one._replace(total=next(totals)) for one in distribution.measured)
            )
            figures = [one._replace(total=next(totals)) for one in figures]
        controls = [
            (which, one, it) for (which, one), it in zip(copied, figures[len(own) :], strict=True)
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
    """Return a sample with its figures; it fails where a measured run of it failed its test."""
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
        if measured.uncounted:
            reason = measured.uncounted
        elif len(counted) < options.min_references:
            fewest = options.min_references
            reason = f"{len(counted)} human solutions could be counted, and a rank needs {fewest}"
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
        lambda one, all: metrics.mercury_beyond(one.value, all.value), measured, human, name
    )
    (place,), (ratio,) = (
        places(figures, totals, options.rule),
        metrics.ratios_to_best(figures.value, totals.value),
    )
    dps, dps_norm = differential_performance(figures.value[0], performance_levels(totals.value))
    # what was saved has a unit, which relative time has not
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
    """Return the rank in each repeat by `rank`, of costs in a distribution.

    A repeat that failed counts 0.

    The standard error of a repeat is that of all, times the root of their number. A repeat in which
    fewer than two human solutions ended well is left out; where none is left, the figures over all
    repeats are ranked once. So are instructions, which are counted once.
    """
    ranks = []
    programs = [measured, *human]
    whole = costs_of([one.total for one in programs], name)
    own, others = np.array([0]), np.arange(1, len(programs))
    errors = whole.se * np.sqrt([max(one.total.repeats, 1) for one in programs])
    for number in range(len(measured.repeats) if name in Repeat._fields else 0):
        # Published figures have one repeat, which then stands for each.
        values = [getattr(one.repeats[number % len(one.repeats)], name) for one in programs]
        costs = Costs(
            np.array([np.nan if value is None else value for value in values], float), errors
        )
        known = 1 + np.flatnonzero(np.isfinite(costs.value[1:]))
        if len(known) >= min(FEWEST_REFERENCES, len(human)):
            ranks.append(float(rank(costs.take(own), costs.take(known))[0]))
    return ranks or [float(rank(whole.take(own), whole.take(others))[0])]
