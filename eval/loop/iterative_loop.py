"""The iterative loop, Algorithm 1 of the Afterburner paper, for one task.

    current code and its cost ── prompt ──▶ model ──▶ new code ── judge ── measure both ──┐
        ▲                                                                                 │
        └──── accepted if it passes and is better by more than the noise, twice ◀─────────┘

A `Trajectory` is one run of the loop. It neither asks nor runs anything itself: `question` returns
the next question, `take` receives the answer, and a `TaskExecutor` judges and measures. Many
trajectories can therefore run concurrently.

A new program is better if it is cheaper than the old one, measured interleaved with it, by more
than the uncertainty of both figures (execution/measuring/ranking.py) and by a share of at least
`min_gain`. For two programs of the same cost this happens in 2.5 % of all cases, and twice in
independent measurements in 0.0625 %. The loop never compares the minimum of several measurements,
which would be biased.

By instructions, the CPU time of the new program must also agree (execution/measuring/agreement.py)
with the rate of the first program that passed. With the rate of the current program, a model could
shift it a little in each iteration.

The modes are the paper's ablations and best-of-k, which needs as many executions:

    single-turn   every question shows the problem, the current code and its cost (the algorithm)
    history       also shows earlier attempts
    no-feedback   hides the cost
    no-original   hides the code
    independent   hides both: every question is the first, so the loop keeps the best of k answers
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
UNTRIED = "the programs could not be run"


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """The options of a trajectory."""

    # questions after the start
    iterations: Annotated[int, Bound("from 1 to 1000", lambda value: 1 <= value <= 1000)]
    mode: Annotated[str, one_of(*MODES)] = SINGLE
    # An answer of the model, or the costliest or cheapest human solution by published figures;
    # spectrum: 11 solutions from the costliest to the cheapest.
    start: Annotated[str, one_of(*STARTS)] = GENERATED
    # the smallest share of the cost that a new program must save
    min_gain: Annotated[float, BELOW_1] = 0.01
    # number of recent attempts that the mode history shows
    remembered: Annotated[int, AT_LEAST_1] = 4
    # what prompts say about a program that fails
    feedback: Annotated[str, one_of(*FEEDBACKS)] = VERDICT
    # analyses in addition to the scores; a comma-separated text is also accepted
    analysis: Annotated[tuple[str, ...], one_of(*ANALYSES)] = ()

    def __post_init__(self) -> None:
        """Reject unknown words and numbers out of range with a UsageError."""
        if isinstance(self.analysis, str):
            names = tuple(filter(None, map(str.strip, self.analysis.split(","))))
            object.__setattr__(self, "analysis", names)
        check_bounds(self, "see docs/optimize.md")

    @staticmethod
    def check_rank(rank: str) -> None:
        """Reject a rank that is not defined for two programs.

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
    def feedback_identity(self) -> dict[str, str]:
        """The feedback in a run's identity; absent for the default, as in earlier versions."""
        return {} if self.feedback == VERDICT else {"feedback": self.feedback}


class GainComparison(NamedTuple):
    """Whether the new program is better than the old one.

    `gain` is the share of the cost that it saves, None if a figure is missing.
    """

    better: bool
    gain: float | None
    reason: str


# The probability that a program of the same cost is accepted: by chance, two programs differ in 5 %
# of all measurements, the new one is the cheaper in half of these, and this must happen twice.
FALSE_ALARMS = 0.025**2


def compare(
    old: Measured, new: Measured, figure: str, min_gain: float, rule: str = APART
) -> GainComparison:
    """Return whether `new` is cheaper than `old` by more than the noise of both.

    Both were measured interleaved. `figure` is a field of `Repeat`, or instructions; `min_gain` is
    the smallest share of the cost that must be saved.
    """
    before, after = getattr(old.total, figure), getattr(new.total, figure)
    # Instructions are counted once, so the CPU times show whether each repeat succeeded.
    name = figure if figure in Repeat._fields else "cpu_ns"
    old_costs, new_costs = (
        [getattr(repeat, name) for repeat in measured.repeats] for measured in (old, new)
    )
    if after is None or None in new_costs:
        return GainComparison(False, None, "it did not exit normally in every measurement")
    if before is None or None in old_costs:
        return GainComparison(
            True, None, "the program before it did not exit normally in every measurement"
        )
    if not new.total.repeats_agree:
        return GainComparison(False, None, "it is surely cheaper on inputs that it has met before")
    if not old.total.repeats_agree:
        return GainComparison(False, None, "repeats of the program before it disagree")
    gain = (before - after) / before if before else 0.0
    saved = f"{abs(100 * gain):.1f} % {'cheaper' if gain >= 0 else 'costlier'}"
    costs = costs_of([old.total, new.total], figure)
    apart = costlier(costs, costs, rule)
    if not apart[0, 1]:
        return GainComparison(False, gain, saved if apart[1, 0] else f"{saved}, within the noise")
    if gain < min_gain:
        reason = f"{saved}, and at least {100 * min_gain:g} % are required"
        return GainComparison(False, gain, reason)
    return GainComparison(True, gain, saved)


class Decision(StrEnum):
    """The decision on an iteration.

    The last two are failures of the server or the toolkit; they end the trajectory until it
    resumes.
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
    # The proposed code, its verdict, its figures, and its gain if accepted; None if not reached.
    candidate: str | None = None
    judged: Judgement | None = None
    tried: Measured | None = None
    gain: float | None = None
    # The best program so far, and its results on the public tests.
    code: str | None = None
    passed: bool = False
    measured: Measured | None = None
    refused: Judgement | None = None  # the verdict on the best program if it does not pass


NOTHING = LoopTurn(-1, Decision.NO_CODE)


@dataclass(slots=True)
class TaskExecutor:
    """An executor on one worker for the tests of one task.

    It also counts instructions if they decide. Its methods raise SandboxError if the sandbox
    failed, which says nothing about the program.
    """

    executor: Executor
    task: EvaluationTask
    options: EvalOptions
    worker: Worker
    judged: dict[str, Judged] = field(default_factory=dict)  # by code

    def assess(self, code: str, rivals: Sequence[str] = (), passed: bool = False) -> Assessment:
        """Judge a program and, if it passes, measure it interleaved with rivals, which come first.

        `passed` means that the program is known to pass, even if its first runs are not available.
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
    """One run of the loop."""

    task: EvaluationTask  # with its public tests
    options: EvalOptions
    loop: LoopOptions
    sample: int = 0  # number of the trajectory within its task
    turns: list[LoopTurn] = field(default_factory=list)
    stopped: LoopTurn | None = None

    def __post_init__(self) -> None:
        """Reject a single repeat, which does not show noise, with a UsageError."""
        repeats = self.options.measure.repeats
        if repeats < 2:
            reason = f"{repeats} repeat shows no noise, so no difference could be recognised"
            raise UsageError(
                "the loop cannot decide which program is better", reason, "type: --repeats 3"
            )

    @property
    def done(self) -> bool:
        """Whether the trajectory has no further question."""
        return self.stopped is not None or len(self.turns) > self.loop.iterations

    @property
    def best(self) -> LoopTurn:
        """The current state."""
        return self.turns[-1] if self.turns else NOTHING

    def begin(self, code: str | None, executor: TaskExecutor) -> None:
        """Start from a program instead of an answer of the model; None stops the trajectory."""
        if code is None:
            reason = (
                "the dataset has no solution whose cost is known, so there is nothing to start from"
            )
            self.stopped = NOTHING._replace(number=0, decision=Decision.UNJUDGED, reason=reason)
        else:
            self._try(NOTHING._replace(number=0), code, executor)

    def question(self) -> tuple[Prompt, int]:
        """Return the next prompt, and the number of its answer."""
        best, options, mode = self.best, self.options, self.loop.mode
        # After a rejected proposal the prompt may be the same; another number avoids the cached
        # answer.
        number = TURN * len(self.turns) + self.sample
        request = self.task.request(options.objective, options.form, options.prompts)
        if best.code is None or mode == INDEPENDENT:
            return render_prompt(request), number
        # The prompt shows the current code separately, so the history leaves it out.
        attempts = [
            turn
            for turn in self.turns
            if turn.candidate not in (None, best.code) and turn.decision != Decision.SAME
        ][-self.loop.remembered :]
        judgement = best.refused or Judgement(Verdict.ACCEPTED)
        request = replace(
            request.after(
                best.code, *_outcome_arguments(judgement, best.measured), self.loop.feedback
            ),
            show_original=mode != NO_ORIGINAL,
            show_feedback=mode != NO_FEEDBACK,
            history=tuple(_attempt(turn, self.loop.feedback) for turn in attempts)
            if mode == HISTORY
            else (),
        )
        return render_prompt(request), number

    def take(self, completion: Completion, executor: TaskExecutor) -> None:
        """Decide on an answer: add the next turn, or stop the trajectory."""
        # Keep the results of the best program, but not those of the last candidate.
        turn = self.best._replace(
            number=len(self.turns), completion=completion, candidate=None, judged=None
        )
        turn = turn._replace(tried=None, gain=None, reason="")
        sample = read_sample(self.task, self.sample, completion)
        if sample.outcome == SampleOutcome.UNANSWERED:
            self.stopped = turn._replace(decision=Decision.UNANSWERED, reason=sample.reason)
        elif sample.outcome != SampleOutcome.UNJUDGED or sample.code is None:
            self.turns.append(
                turn._replace(decision=Decision(str(sample.outcome)), reason=sample.reason)
            )
        elif turn.code is not None and sample.code.strip() == turn.code.strip():
            self.turns.append(
                turn._replace(
                    decision=Decision.SAME, reason="it is the same code", candidate=sample.code
                )
            )
        else:
            self._try(turn, sample.code, executor)

    def _try(self, turn: LoopTurn, code: str, executor: TaskExecutor) -> None:
        """Add a turn with the decision on new code, or stop if the sandbox failed."""
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
        # The old program is measured again, because the speed of a machine drifts.
        assessment = executor.assess(code, [] if old is None else [old])
        (result,) = assessment.programs
        turn = turn._replace(judged=result.judgement)
        after = result.measured if result.passed else None
        if turn.code is None:
            return _make_best(turn, Decision.STARTED, code, result.passed, after)
        if after is None:
            return turn._replace(decision=Decision.FAILED, reason=_complaint(result.judgement))
        if old is None:
            turn = turn._replace(reason="it passes, and the program before it does not")
            return _make_best(turn, Decision.ACCEPTED, code, True, after)
        first = self._compare(assessment.references[0], after)
        turn = turn._replace(tried=after, reason=first.reason)
        if not first.better:
            return turn._replace(decision=Decision.NOT_BETTER)
        # Measured in the opposite order, which is another key of the journal, so figures are new.
        assessment = executor.assess(old, [code], passed=True)
        (after,), before = assessment.references, assessment.programs[0].measured
        assert before
        if after.rejection:
            judgement = after.decided(result.judgement)
            return turn._replace(
                decision=Decision.FAILED, judged=judgement, tried=None, reason=_complaint(judgement)
            )
        second = self._compare(before, after)
        if not second.better:
            return turn._replace(
                decision=Decision.NOT_CONFIRMED, reason=f"{first.reason}; again: {second.reason}"
            )
        # Keep the second figures: the first ones are biased, because they had to be good enough for
        # a second measurement.
        return _make_best(
            turn._replace(gain=second.gain, reason=second.reason),
            Decision.ACCEPTED,
            code,
            True,
            after,
        )

    def _compare(self, old: Measured, new: Measured) -> GainComparison:
        """Return whether a program is better, by time if CPU time disagrees with instructions."""
        options, reason = self.options, ""
        figure = options.figures[options.objective]
        if figure == INSTRUCTIONS:
            reason = old.uncounted or new.uncounted or objection(new.total, [old.total], self._band)
            figure = options.native_figure if reason else figure
        comparison = compare(old, new, figure, self.loop.min_gain, options.rule)
        if reason:
            return comparison._replace(reason=f"{comparison.reason}, by time: {reason}")
        return comparison

    @property
    def _band(self) -> Band | None:
        """The rate of instructions and CPU time of the first program that passed."""
        passed = (turn.measured for turn in self.turns if turn.passed and turn.measured)
        return band_of([first.total for first in passed][:1])


def _make_best(
    turn: LoopTurn, decision: Decision, code: str, passed: bool, measured: Measured | None
) -> LoopTurn:
    """Return the turn with its candidate as the best program."""
    refused = None if passed else turn.judged
    turn = turn._replace(
        decision=decision, code=code, passed=passed, measured=measured, refused=refused
    )
    return turn._replace(
        tried=measured, reason=turn.reason or (_complaint(refused) if refused else "")
    )


def _complaint(judgement: Judgement) -> str:
    """Return a verdict with its reason for people; prompts do not contain the reason."""
    name = str(judgement.verdict).replace("_", " ")
    place = f" in test {judgement.failing_test}" if judgement.failing_test else ""
    return f"{name}{place}: {judgement.reason}".rstrip(": ")


def _attempt(turn: LoopTurn, feedback: str) -> Attempt:
    assert turn.candidate is not None
    assert turn.judged
    text = outcome(*_outcome_arguments(turn.judged, turn.tried), feedback)
    return Attempt(turn.candidate, str(turn.decision), text)


def _outcome_arguments(
    judgement: Judgement, measured: Measured | None
) -> tuple[str, str, Measurement | None]:
    """Return the arguments of `outcome` for a program: verdict, reason and cost."""
    return str(judgement.verdict), judgement.reason, measured and measured.total
