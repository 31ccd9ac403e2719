"""The iterative loop, Algorithm 1 of the Afterburner paper, for one task.

    current code and what it costs ── prompt ──▶ model ──▶ new code ── judge ── measure beside the
    current one ──┐
                  ▲                                                                                              │
                  └───────────── kept if it passes and is better beyond the noise, twice ◀────────────────────────┘

A `Trajectory` is one run through it. It asks nothing and runs nothing by itself: `question` is what
to ask next, `take` gets the answer, and a `TaskExecutor` judges and measures. So many of them can
be under way at once.

A new program is better if it is cheaper than the old one, measured in turns with it, by more than
the uncertainty of both figures (execution/measuring/ranking.py) and by a share of `min_gain`. If
the two cost the same, that happens in 2.5 % of all cases; measured again, independently, in 0.0625
%. The smallest of several measurements is never compared with anything.

By instructions it is better where its CPU time agrees (execution/measuring/agreement.py) with the
rate of the first program that passed. Not with that of the current one: a model could then bend it
a little further in each iteration.

Modes, the paper's ablations and the best of k answers, which costs as many executions:

    single-turn   every question shows the problem, the current code and what it costs (the algorithm itself)
    history       and what was tried before
    no-feedback   not what the code costs
    no-original   what the code costs, but not the code
    independent   neither: each question is the first one, so that the loop keeps the best of as many answers
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, NamedTuple

from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.core.options import AT_LEAST_1, BELOW_1, Bound, check_bounds, one_of
from venus_toolkit.core.records import Judgement, Measurement, Verdict
from venus_toolkit.eval.asking.generate import TURN
from venus_toolkit.eval.asking.tasks import EvaluationTask
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.loop.analysis import ANALYSES
from venus_toolkit.eval.scoring.score import SampleOutcome, read_sample
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.assessment import Assessment, Panel
from venus_toolkit.execution.engine.executor import Executor, known
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, Band, band_of, objection
from venus_toolkit.execution.measuring.ranking import APART, costlier, costs_of
from venus_toolkit.execution.measuring.rounds import Measured, Repeat
from venus_toolkit.models import dialect
from venus_toolkit.models.client import Completion, Prompt
from venus_toolkit.models.prompts import (
    FEEDBACKS,
    VERDICT,
    Attempt,
    outcome,
    render_prompt,
)

SINGLE, HISTORY, NO_FEEDBACK, NO_ORIGINAL, INDEPENDENT = MODES = (
    "single-turn", "history", "no-feedback", "no-original", "independent",
)  # fmt: skip
GENERATED, INEFFICIENT, EFFICIENT, SPECTRUM = STARTS = (
    "generated", "inefficient", "efficient", "spectrum",
)  # fmt: skip
UNTRIED = "the programs could not be tried"


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How a trajectory runs."""

    # questions after the start
    iterations: Annotated[int, Bound("from 1 to 1000", lambda value: 1 <= value <= 1000)]
    mode: Annotated[str, one_of(*MODES)] = SINGLE
    # An answer of the model, or the costliest or cheapest human solution by the data set's figures;
    # spectrum: those from the one to the other, by tenths.
    start: Annotated[str, one_of(*STARTS)] = GENERATED
    # the least share of the cost that a new program has to save
    min_gain: Annotated[float, BELOW_1] = 0.01
    # of the last attempts, so many are shown in the mode history
    remembered: Annotated[int, AT_LEAST_1] = 4
    # what prompts say of a program that fails
    feedback: Annotated[str, one_of(*FEEDBACKS)] = VERDICT
    # what is reported beside the scores; also as a text with commas
    analysis: Annotated[tuple[str, ...], one_of(*ANALYSES)] = ()

    def __post_init__(self) -> None:
        """Refuse unknown words and numbers out of their range, with a UsageError."""
        if isinstance(self.analysis, str):
            names = tuple(filter(None, map(str.strip, self.analysis.split(","))))
            object.__setattr__(self, "analysis", names)
        check_bounds(self, "see docs/optimize.md")

    @staticmethod
    def check_rank(rank: str) -> None:
        """Refuse a rank that two programs cannot have.

        Raises:
            UsageError: It is ``joint``.
        """
        if rank == "joint":
            raise UsageError(
                "a loop cannot rank by joint",
                "it compares two programs, which do not show how time grows with instructions",
                "type: --rank relative or --rank instructions",
            )

    @property
    def told(self) -> dict[str, str]:
        """The feedback, where it is not the usual one: runs of earlier versions do not say it."""
        return {} if self.feedback == VERDICT else {"feedback": self.feedback}


class Decided(NamedTuple):
    """Whether the new program is better.

    Gain is the share that it saves, None where a figure is missing.
    """

    better: bool
    gain: float | None
    reason: str


# How likely a program of the same cost is taken for a better one, seen twice: by chance two are
# apart once in twenty times, and in one half of these the new one is the cheaper.
FALSE_ALARMS = 0.025**2


def compare(
    old: Measured, new: Measured, figure: str, min_gain: float, rule: str = APART
) -> Decided:
    """Return whether `new` is cheaper than `old`, measured in turns with it, by a figure beyond the noise of both.

    The figure is a field of `Repeat`, or instructions; `min_gain` is the least share of the cost
    that has to be saved.
    """
    before, after = getattr(old.total, figure), getattr(new.total, figure)
    # Instructions are counted once: that each repeat ended well its CPU times say.
    name = figure if figure in Repeat._fields else "cpu_ns"
    old_costs, new_costs = (
        [getattr(repeat, name) for repeat in measured.repeats] for measured in (old, new)
    )
    if after is None or None in new_costs:
        return Decided(False, None, "it did not exit normally in every measurement")
    if before is None or None in old_costs:
        return Decided(
            True, None, "the program before it did not exit normally in every measurement"
        )
    if not new.total.repeats_agree:
        return Decided(False, None, "it is surely cheaper on inputs that it has met before")
    if not old.total.repeats_agree:
        return Decided(False, None, "repeats of the program before it disagree")
    gain = (before - after) / before if before else 0.0
    saved = f"{abs(100 * gain):.1f} % {'cheaper' if gain >= 0 else 'costlier'}"
    costs = costs_of([old.total, new.total], figure)
    apart = costlier(costs, costs, rule)
    if not apart[0, 1]:
        return Decided(False, gain, saved if apart[1, 0] else f"{saved}, within the noise")
    if gain < min_gain:
        return Decided(False, gain, f"{saved}, and at least {100 * min_gain:g} % are required")
    return Decided(True, gain, saved)


class Decision(StrEnum):
    """What became of an iteration.

    The last two are no fault of the model, and end the trajectory for now.
    """

    STARTED = "started"
    ACCEPTED = "accepted"
    NOT_BETTER = "not_better"
    NOT_CONFIRMED = "not_confirmed"
    SAME = "same"
    FAILED = "failed"
    NO_CODE = "no_code"
    LENGTH = dialect.LENGTH
    REFUSAL = dialect.REFUSAL
    CONTENT_FILTER = dialect.CONTENT_FILTER
    CONTEXT = dialect.CONTEXT
    UNANSWERED = "unanswered"
    UNJUDGED = "unjudged"


class LoopTurn(NamedTuple):
    """The state after an iteration; number 0 is the start."""

    number: int
    decision: Decision
    reason: str = ""
    completion: Completion | None = None
    # What was proposed, the verdict on it, what it cost and what it saved if it was accepted, as
    # far as it got.
    candidate: str | None = None
    judged: Judgement | None = None
    tried: Measured | None = None
    gain: float | None = None
    # The best program so far, and what the public tests say of it.
    code: str | None = None
    passed: bool = False
    measured: Measured | None = None
    refused: Judgement | None = None  # why the best program does not pass


NOTHING = LoopTurn(-1, Decision.NO_CODE)


@dataclass(slots=True)
class TaskExecutor:
    """An executor on one worker and the tests of one task.

    Programs are counted, too, where instructions decide.

    Its methods raise SandboxError where the sandbox failed: nothing is known of the code then,
    nothing is its fault.
    """

    executor: Executor
    task: EvaluationTask
    options: EvalOptions
    worker: Worker
    judged: dict[str, Judged] = field(default_factory=dict)  # by code

    def assess(self, code: str, rivals: Sequence[str] = (), passed: bool = False) -> Assessment:
        """Judge a program and, if it passes, measure it in turns with rivals, which come first.

        `passed`: it is known to pass; its first runs may not be known.
        """
        accepted = Judged(Judgement(Verdict.ACCEPTED)) if passed else None
        panel = Panel(
            self.task.suite,
            (self.task.program(code),),
            Measuring(self.options.measure),
            references=tuple(map(self.task.program, rivals)),
            judged=(*map(self.judged.get, rivals), self.judged.get(code, accepted)),
            counter=self.options.counter if self.options.counted else "off",
        )
        assessment = known(self.executor.assess(self.worker, panel), UNTRIED)
        self.judged[code] = assessment.programs[0].judged
        return assessment


@dataclass(slots=True)
class Trajectory:
    """One run through the loop."""

    task: EvaluationTask  # with its public tests
    options: EvalOptions
    loop: LoopOptions
    sample: int = 0  # which of several trajectories of the task it is
    turns: list[LoopTurn] = field(default_factory=list)
    stopped: LoopTurn | None = None

    def __post_init__(self) -> None:
        """Refuse a single repeat, which cannot show what is noise, with a UsageError."""
        repeats = self.options.measure.repeats
        if repeats < 2:
            reason = f"{repeats} repeat shows no noise, so no difference could be recognised"
            raise UsageError(
                "the loop cannot decide which program is better", reason, "type: --repeats 3"
            )

    @property
    def done(self) -> bool:
        """Whether there is nothing more to ask."""
        return self.stopped is not None or len(self.turns) > self.loop.iterations

    @property
    def best(self) -> LoopTurn:
        """The state now."""
        return self.turns[-1] if self.turns else NOTHING

    def begin(self, code: str | None, executor: TaskExecutor) -> None:
        """Start from a program instead of from an answer of the model.

        None: there is none, and nothing is asked.
        """
        if code is None:
            reason = (
                "the dataset has no solution whose cost is known, so there is nothing to start from"
            )
            self.stopped = NOTHING._replace(number=0, decision=Decision.UNJUDGED, reason=reason)
        else:
            self._try(NOTHING._replace(number=0), code, executor)

    def question(self) -> tuple[Prompt, int]:
        """Return what to ask next, and the number under which the answer is kept."""
        best, options, mode = self.best, self.options, self.loop.mode
        # After a refused proposal the prompt may be the same: only its number keeps the cache from
        # answering the same.
        number = TURN * len(self.turns) + self.sample
        request = self.task.request(options.objective, options.form, options.prompts)
        if best.code is None or mode == INDEPENDENT:
            return render_prompt(request), number
        # The current code is shown anyway, so the history leaves it out.
        tried = [turn for turn in self.turns if turn.candidate not in (None, best.code)]
        tried = [turn for turn in tried if turn.decision != Decision.SAME][-self.loop.remembered :]
        judged = best.refused or Judgement(Verdict.ACCEPTED)
        request = replace(
            request.after(best.code, *_told(judged, best.measured), self.loop.feedback),
            show_original=mode != NO_ORIGINAL,
            show_feedback=mode != NO_FEEDBACK,
            history=tuple(_attempt(turn, self.loop.feedback) for turn in tried)
            if mode == HISTORY
            else (),
        )
        return render_prompt(request), number

    def take(self, completion: Completion, executor: TaskExecutor) -> None:
        """Decide on an answer: the next turn is added, or the trajectory is stopped."""
        # What is known of the best program stays; what was found about the last candidate does not.
        turn = self.best._replace(
            number=len(self.turns), completion=completion, candidate=None, judged=None
        )
        turn = turn._replace(tried=None, gain=None, reason="")
        read = read_sample(self.task, self.sample, completion)
        if read.outcome == SampleOutcome.UNANSWERED:
            self.stopped = turn._replace(decision=Decision.UNANSWERED, reason=read.reason)
        elif read.outcome != SampleOutcome.UNJUDGED or read.code is None:
            self.turns.append(
                turn._replace(decision=Decision(str(read.outcome)), reason=read.reason)
            )
        elif turn.code is not None and read.code.strip() == turn.code.strip():
            self.turns.append(
                turn._replace(
                    decision=Decision.SAME, reason="it is the same code", candidate=read.code
                )
            )
        else:
            self._try(turn, read.code, executor)

    def _try(self, turn: LoopTurn, code: str, executor: TaskExecutor) -> None:
        """Add a turn with a decision about new code, or stop where the sandbox failed."""
        try:
            self.turns.append(self._decide(turn._replace(candidate=code), code, executor))
        except SandboxError as error:
            self.stopped = self.best._replace(
                number=len(self.turns),
                decision=Decision.UNJUDGED,
                reason=error.why,
                completion=None,
                candidate=None,
            )

    def _decide(self, turn: LoopTurn, code: str, executor: TaskExecutor) -> LoopTurn:
        old = turn.code if turn.passed else None
        # The old program is measured again: its figures are from another time, and the speed of a
        # machine drifts.
        assessment = executor.assess(code, [] if old is None else [old])
        (result,) = assessment.programs
        turn = turn._replace(judged=result.judgement)
        after = result.measured if result.passed else None
        if turn.code is None:
            return _kept(turn, Decision.STARTED, code, result.passed, after)
        if after is None:
            return turn._replace(decision=Decision.FAILED, reason=_complaint(result.judgement))
        if old is None:
            turn = turn._replace(reason="it passes, and the program before it does not")
            return _kept(turn, Decision.ACCEPTED, code, True, after)
        first = self._compare(assessment.references[0], after)
        turn = turn._replace(tried=after, reason=first.reason)
        if not first.better:
            return turn._replace(decision=Decision.NOT_BETTER)
        # Again in another order: that is another entry of the journal, so the figures are new ones.
        assessment = executor.assess(old, [code], passed=True)
        (after,), before = assessment.references, assessment.programs[0].measured
        assert before
        if after.rejection:
            judged = after.decided(result.judgement)
            return turn._replace(
                decision=Decision.FAILED, judged=judged, tried=None, reason=_complaint(judged)
            )
        again = self._compare(before, after)
        if not again.better:
            return turn._replace(
                decision=Decision.NOT_CONFIRMED, reason=f"{first.reason}; again: {again.reason}"
            )
        # The second figures are kept: the first ones decided that there is a second time, so luck
        # is in them.
        return _kept(
            turn._replace(gain=again.gain, reason=again.reason),
            Decision.ACCEPTED,
            code,
            True,
            after,
        )

    def _compare(self, old: Measured, new: Measured) -> Decided:
        """Return whether a program is better.

        By time where instructions were to say it and CPU time disagrees.
        """
        options, reason = self.options, ""
        figure = options.figures[options.objective]
        if figure == INSTRUCTIONS:
            reason = old.uncounted or new.uncounted or objection(new.total, [old.total], self._band)
            figure = options.native_figure if reason else figure
        decided = compare(old, new, figure, self.loop.min_gain, options.rule)
        return (
            decided._replace(reason=f"{decided.reason}, by time: {reason}") if reason else decided
        )

    @property
    def _band(self) -> Band | None:
        """What the first program that passed says of instructions and CPU time."""
        passed = (turn.measured for turn in self.turns if turn.passed and turn.measured)
        return band_of([first.total for first in passed][:1])


def _kept(
    turn: LoopTurn, decision: Decision, code: str, passed: bool, measured: Measured | None
) -> LoopTurn:
    """Return the turn with a candidate that is the best program from now on."""
    refused = None if passed else turn.judged
    turn = turn._replace(
        decision=decision, code=code, passed=passed, measured=measured, refused=refused
    )
    return turn._replace(
        tried=measured, reason=turn.reason or (_complaint(refused) if refused else "")
    )


def _complaint(judged: Judgement) -> str:
    """Return a verdict for people, with the judge's words: no prompt has them."""
    name = str(judged.verdict).replace("_", " ")
    where = f" in test {judged.failing_test}" if judged.failing_test else ""
    return f"{name}{where}: {judged.reason}".rstrip(": ")


def _attempt(turn: LoopTurn, feedback: str) -> Attempt:
    assert turn.candidate is not None
    assert turn.judged
    shown = outcome(*_told(turn.judged, turn.tried), feedback)
    return Attempt(turn.candidate, str(turn.decision), shown)


def _told(judged: Judgement, measured: Measured | None) -> tuple[str, str, Measurement | None]:
    """Return what `outcome` makes of a program: verdict, reason and cost."""
    return str(judged.verdict), judged.reason, measured and measured.total
