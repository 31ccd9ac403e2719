"""What the samples of a task are worth: judged, measured beside the human solutions, ranked among them.

Every sample that passes is measured for itself, copies of one program too, for two copies never cost quite the same:
that difference is the noise which the intervals have to show. The rank of a sample is the mean of its ranks in each
repeat, its figure against those that the human solutions had in the same repeat; what drifted from one repeat to the
next is then in both. Places and ratios compare the figures over all repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from venus_toolkit.answers import read_answer
from venus_toolkit.engine import Machine, Seat, on_one_machine
from venus_toolkit.errors import LanguageError
from venus_toolkit.eval import metrics
from venus_toolkit.eval.generate import Answered
from venus_toolkit.eval.metrics import OBJECTIVES, Place
from venus_toolkit.eval.options import CACHED, FRESH, PUBLISHED, EvalOptions
from venus_toolkit.eval.references import Cache, Distribution, published
from venus_toolkit.eval.tasks import FEWEST_REFERENCES, Task, spread_out
from venus_toolkit.eval.workplace import Failure, Measured, Workplace
from venus_toolkit.llm import Completion
from venus_toolkit.records import Judgement, Verdict
from venus_toolkit.sandbox import Program


class Outcome(StrEnum):
    """What became of a sample. The last two are failures of ours or of the server, and count nowhere."""

    PASSED = "passed"
    FAILED = "failed"
    NO_CODE = "no_code"
    UNANSWERED = "unanswered"
    UNJUDGED = "unjudged"


KNOWN = (Outcome.PASSED, Outcome.FAILED, Outcome.NO_CODE)


class Sample(NamedTuple):
    """One answer of the model to a task, as far as it got; reason: why not further."""

    number: int
    completion: Completion
    outcome: Outcome
    reason: str = ""
    code: str | None = None
    program: Program | None = None
    judgement: Judgement | None = None
    measured: Measured | None = None


class Rank(NamedTuple):
    """Where a sample stands among the human solutions by one objective."""

    percentile: float
    percentile_repeats: tuple[float, ...]
    mercury_beyond: float
    place: Place
    ratio_to_best: float | None
    saved: float | None


class Scored(NamedTuple):
    """A task with its samples, the human solutions, and the rank of each sample by each objective.

    ranks is None for a sample that counts nowhere, and for all of them where `unranked` says why there is no rank.
    """

    task: Task
    samples: tuple[Sample, ...]
    distribution: Distribution | None
    ranks: tuple[dict[str, Rank] | None, ...]
    unranked: str = ""


# ------------------------------------------------------------------ code and verdicts


def read_samples(answered: Answered) -> list[Sample]:
    """Return the samples of a task before they are judged."""
    return [_read(answered.task, index, each) for index, each in enumerate(answered.completions)]


def _read(task: Task, index: int, completion: Completion) -> Sample:
    if not completion.answered:
        return Sample(index, completion, Outcome.UNANSWERED, completion.reason)
    if completion.text is None:
        return Sample(index, completion, Outcome.NO_CODE, completion.reason)
    found = read_answer(completion.text, task.head.language)
    if found.code is None:
        return Sample(index, completion, Outcome.NO_CODE, found.reason)
    try:
        program = task.program(found.code)
    except LanguageError as error:
        return Sample(index, completion, Outcome.NO_CODE, str(error), found.code)
    return Sample(index, completion, Outcome.UNJUDGED, "", found.code, program)


def judge_samples(
    place: Workplace, tasks: Sequence[tuple[Task, list[Sample]]], on_judged: Callable[[], None] = lambda: None
) -> list[tuple[Task, list[Sample]]]:
    """Return the tasks with their samples judged; of equal programs of a task only the first is."""
    todo = [
        (number, program)
        for number, (_, samples) in enumerate(tasks)
        for program in dict.fromkeys(sample.program for sample in samples if sample.program)
    ]
    found: dict[tuple[int, str], Judgement | Failure] = {}

    def work(item: tuple[int, Program], seat: Seat) -> Judgement | Failure:
        return place.judge(tasks[item[0]][0], item[1], seat)

    for (number, program), judgement in place.engine.judging(work, todo):
        found[number, program.source] = judgement
        on_judged()
    return [
        (
            task,
            [decided(sample, found[number, sample.program.source]) if sample.program else sample for sample in each],
        )
        for number, (task, each) in enumerate(tasks)
    ]


def decided(sample: Sample, judgement: Judgement | Failure) -> Sample:
    """Return a sample with what the judge said of it."""
    if isinstance(judgement, Failure):
        return sample._replace(outcome=Outcome.UNJUDGED, reason=judgement.reason)
    outcome = Outcome.PASSED if judgement.verdict == Verdict.ACCEPTED else Outcome.FAILED
    return sample._replace(outcome=outcome, reason=judgement.reason, judgement=judgement)


# ------------------------------------------------------------------ figures and ranks


def score_task(place: Workplace, cache: Cache, task: Task, samples: Sequence[Sample], seat: Seat) -> Scored:
    """Measure the samples that passed beside the human solutions, and rank all samples among these."""
    options = place.options
    if len(task.references) < FEWEST_REFERENCES:
        why = f"it has {len(task.references)} reference solutions, wanted are {FEWEST_REFERENCES}"
        return Scored(task, tuple(samples), None, (None,) * len(samples), why)
    passed = [sample for sample in samples if sample.outcome == Outcome.PASSED]
    if not passed:
        return Scored(task, tuple(samples), None, tuple(map(_failed, samples)))
    work = partial(_measure, place, cache, task, passed)
    measured = on_one_machine(seat.at(task.name), work)
    if isinstance(measured, Failure):
        lost = [_unjudged(sample, measured) if sample in passed else sample for sample in samples]
        return Scored(task, tuple(lost), None, (None,) * len(samples), measured.reason)
    distribution, own = measured
    figures = dict(zip((sample.number for sample in passed), own, strict=True))
    samples = [sample._replace(measured=figures.get(sample.number)) for sample in samples]
    return _ranked(task, samples, distribution, options)


def _unjudged(sample: Sample, failure: Failure) -> Sample:
    return sample._replace(outcome=Outcome.UNJUDGED, reason=failure.reason)


def _measure(
    place: Workplace, cache: Cache, task: Task, passed: Sequence[Sample], seat: Seat, machine: Machine
) -> tuple[Distribution, list[Measured]] | Failure:
    """Return the distribution and the figures of the samples, measured together unless the options say otherwise."""
    options = place.options
    references = spread_out(task.references, options.max_references, options.time_figure)
    own = [sample.program for sample in passed if sample.program]
    if options.references == PUBLISHED:
        alone = place.measure(task, own, seat)
        return alone if isinstance(alone, Failure) else (published(references), alone)
    human = [task.program(each.code) for each in references]
    kept = cache.find(task, human, machine) if options.references == CACHED else None
    if kept is not None:
        alone = place.measure(task, own, seat)
        return alone if isinstance(alone, Failure) else (Distribution(references, tuple(kept), CACHED), alone)
    found = place.measure(task, [*human, *own], seat)
    if isinstance(found, Failure):
        return found
    cache.keep(task, human, found[: len(human)], machine)
    return Distribution(references, tuple(found[: len(human)]), FRESH), found[len(human) :]


def _ranked(task: Task, samples: Sequence[Sample], distribution: Distribution, options: EvalOptions) -> Scored:
    good = [each for each in distribution.measured if each.total.repeats]
    if len(good) < FEWEST_REFERENCES:
        why = f"{len(good)} of its {len(task.references)} reference solutions could be measured here"
        return Scored(task, tuple(samples), distribution, (None,) * len(samples), why)
    ranks = [
        {objective: _rank(sample.measured, good, options, objective) for objective in OBJECTIVES}
        if sample.outcome in KNOWN
        else None
        for sample in samples
    ]
    return Scored(task, tuple(samples), distribution, tuple(ranks))


def _failed(sample: Sample) -> dict[str, Rank] | None:
    return dict.fromkeys(OBJECTIVES, FAILED_RANK) if sample.outcome in KNOWN else None


FAILED_RANK = Rank(0.0, (0.0,), 0.0, Place.FAILED, None, None)


def _rank(measured: Measured | None, human: Sequence[Measured], options: EvalOptions, objective: str) -> Rank:
    name = options.figures[objective]
    own = getattr(measured.total, name) if measured else None
    if measured is None or own is None:
        return FAILED_RANK
    totals = [getattr(each.total, name) for each in human]
    percentiles = rank_in_each_repeat(ranking_of(options.ties), measured, human, name)
    beyond = rank_in_each_repeat(metrics.mercury_beyond, measured, human, name)
    (place,), (ratio,) = metrics.places([own], totals), metrics.ratios_to_best([own], totals)
    raw = "wall_ns" if objective == "time" else name
    saved = float(np.median([getattr(each.total, raw) for each in human])) - getattr(measured.total, raw)
    return Rank(float(np.mean(percentiles)), tuple(percentiles), float(np.mean(beyond)), place, float(ratio), saved)


Ranking = Callable[[Sequence[float], Sequence[float]], metrics.Floats]


def ranking_of(ties: str) -> Ranking:
    """Return what ranks figures in a distribution, with a rule for ties."""
    return lambda figures, distribution: metrics.percentile_ranks(figures, distribution, ties)


def rank_in_each_repeat(rank: Ranking, measured: Measured, human: Sequence[Measured], name: str) -> list[float]:
    """Return the rank in each repeat; one in which the program failed counts 0.

    A repeat in which fewer than two human solutions ended well is left out; where none is left, the figures over all
    repeats are ranked once.
    """
    found = []
    for number, repeat in enumerate(measured.repeats):
        others = [getattr(each.repeats[number % len(each.repeats)], name) for each in human]
        others = [figure for figure in others if figure is not None]
        own = getattr(repeat, name)
        if len(others) >= FEWEST_REFERENCES:
            found.append(float(rank([np.nan if own is None else own], others)[0]))
    totals = [getattr(each.total, name) for each in human]
    return found or [float(rank([getattr(measured.total, name)], totals)[0])]
