"""The iterative loop, Algorithm 1 of the Afterburner paper, for one task.

    current code and what it costs ── prompt ──▶ model ──▶ new code ── judge ── measure beside the current one ──┐
                  ▲                                                                                              │
                  └───────────── kept if it passes and is better beyond the noise, twice ◀────────────────────────┘

A `Trajectory` is one run through it. It asks nothing and runs nothing by itself: `question` is what to ask next,
`take` gets the answer, and a `Bench` judges and measures. So many of them can be under way at once, and a test needs
no sandbox.

Modes, the paper's ablations:

    single-turn   every question shows the problem, the current code and what it costs (the algorithm itself)
    history       and what was tried before
    no-feedback   not what the code costs
    no-original   what the code costs, but not the code
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

from venus_toolkit.answers import read_answer
from venus_toolkit.errors import LanguageError, UsageError
from venus_toolkit.eval.acceptance import FEWEST_REPEATS, compare
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.replay import TURN
from venus_toolkit.eval.tasks import Task
from venus_toolkit.eval.workplace import Failure, Measured
from venus_toolkit.llm import Completion, Prompt
from venus_toolkit.prompts import UNMEASURED, Attempt, Performance, render_prompt
from venus_toolkit.records import KIB, NS_PER_MS, Judgement, Verdict

Known = TypeVar("Known")
SINGLE, HISTORY, NO_FEEDBACK, NO_ORIGINAL = "single-turn", "history", "no-feedback", "no-original"
MODES = (SINGLE, HISTORY, NO_FEEDBACK, NO_ORIGINAL)
GENERATED, INEFFICIENT, EFFICIENT = "generated", "inefficient", "efficient"
MOST_ITERATIONS = 1000
STARTS = (GENERATED, INEFFICIENT, EFFICIENT)


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How a trajectory runs.

    iterations: questions after the start. start: what it begins with, an answer of the model, or the dearest or
    cheapest human solution by the data set's figures. min_gain: the least share of the cost that a new program has to
    save. remembered: in the mode history, so many of the last attempts are shown.
    """

    iterations: int
    mode: str = SINGLE
    start: str = GENERATED
    min_gain: float = 0.01
    remembered: int = 4

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: A word that is not known, or a number out of its range.
        """
        for name, given, known in (("mode", self.mode, MODES), ("start", self.start, STARTS)):
            if given not in known:
                why = f"known are {', '.join(known)}"
                raise UsageError(f"unknown {name} {given!r}", why, "choose one of them")
        if not 1 <= self.iterations <= MOST_ITERATIONS or self.remembered < 1 or not 0 <= self.min_gain < 1:
            why = f"iterations {self.iterations}, remembered {self.remembered}, min_gain {self.min_gain}"
            raise UsageError("the options of the loop make no sense", why, "see docs/optimize.md")


class Decision(StrEnum):
    """What became of an iteration; the last two are no fault of the model, and end the trajectory for now."""

    STARTED = "started"
    ACCEPTED = "accepted"
    NOT_BETTER = "not_better"
    NOT_CONFIRMED = "not_confirmed"
    SAME = "same"
    FAILED = "failed"
    NO_CODE = "no_code"
    UNANSWERED = "unanswered"
    UNJUDGED = "unjudged"


class Turn(NamedTuple):
    """The state after an iteration; number 0 is the start.

    candidate is what was proposed, tried what it cost and judged the verdict on it, as far as it got. code is the best
    program so far, passed and measured are about it, on the public tests. gain is what an accepted change saved there.
    """

    number: int
    decision: Decision
    reason: str = ""
    completion: Completion | None = None
    candidate: str | None = None
    judged: Judgement | None = None
    tried: Measured | None = None
    gain: float | None = None
    code: str | None = None
    passed: bool = False
    measured: Measured | None = None
    complaint: str = ""


NOTHING = Turn(-1, Decision.NO_CODE)


class Bench(Protocol):
    """Where the programs of a task are judged and measured, on its public tests."""

    def judge(self, code: str) -> Judgement | Failure:
        """Return the verdict on a program, or why there is none."""
        ...

    def measure(self, codes: Sequence[str]) -> list[Measured] | Failure:
        """Return what programs cost that take turns, in their order, or why that is not known."""
        ...


class Question(NamedTuple):
    """What to ask next, and the number under which the answer is kept."""

    prompt: Prompt
    number: int


class _Stop(Exception):
    """The sandbox failed: nothing is known of the candidate."""


@dataclass(slots=True)
class Trajectory:
    """One run through the loop.

    Args:
        task: The task, with its public tests.
        options: Of the evaluation.
        loop: How to run.
        sample: Which of several trajectories of the task it is.
    """

    task: Task
    options: EvalOptions
    loop: LoopOptions
    sample: int = 0
    turns: list[Turn] = field(default_factory=list)
    stopped: Turn | None = None

    def __post_init__(self) -> None:
        """Refuse repeats that cannot show what is noise.

        Raises:
            UsageError: There is one repeat.
        """
        repeats = self.options.measure.repeats
        if repeats < FEWEST_REPEATS:
            why = f"{repeats} repeat shows no noise, and nothing could be told apart from it"
            raise UsageError("the loop cannot decide what is better", why, f"type: --repeats {FEWEST_REPEATS + 1}")

    @property
    def done(self) -> bool:
        """Whether there is nothing more to ask."""
        return self.stopped is not None or len(self.turns) > self.loop.iterations

    @property
    def best(self) -> Turn:
        """The state now."""
        return self.turns[-1] if self.turns else NOTHING

    def begin(self, code: str | None, bench: Bench) -> None:
        """Start from a program instead of from an answer of the model; None: there is none, and nothing is asked."""
        if code is None:
            why = "the data set has no solution whose cost is known, so there is nothing to start from"
            self.stopped = NOTHING._replace(number=0, decision=Decision.UNJUDGED, reason=why)
            return
        self._add(lambda: self._tried(NOTHING._replace(number=0, candidate=code), code, bench))

    def question(self) -> Question:
        """Return what to ask next."""
        return Question(self._prompt(), TURN * len(self.turns) + self.sample)

    def take(self, completion: Completion, bench: Bench) -> None:
        """Decide on an answer: the next turn is added, or the trajectory is stopped."""
        turn = self.best._replace(number=len(self.turns), completion=completion, candidate=None, judged=None)
        turn = turn._replace(tried=None, gain=None, reason="")
        if not completion.answered:
            self.stopped = turn._replace(decision=Decision.UNANSWERED, reason=completion.reason)
            return
        code, why = self._code(completion)
        if code is None:
            self.turns.append(turn._replace(decision=Decision.NO_CODE, reason=why))
        elif turn.code is not None and code.strip() == turn.code.strip():
            self.turns.append(turn._replace(decision=Decision.SAME, reason="it is the same code", candidate=code))
        else:
            self._add(lambda: self._tried(turn._replace(candidate=code), code, bench))

    # -------------------------------------------------------------- asking

    def _prompt(self) -> Prompt:
        best, options = self.best, self.options
        request = self.task.request(options.objective, options.form, options.prompts)
        if best.code is None:
            return render_prompt(request)
        shown = Performance(False, failure=best.complaint) if not best.passed else performance(best.measured)
        return render_prompt(
            replace(
                request,
                original=best.code,
                performance=shown,
                show_original=self.loop.mode != NO_ORIGINAL,
                show_feedback=self.loop.mode != NO_FEEDBACK,
                history=self._history() if self.loop.mode == HISTORY else (),
            )
        )

    def _history(self) -> tuple[Attempt, ...]:
        """Return the last attempts but the current code, which is shown anyway."""
        tried = [turn for turn in self.turns if turn.candidate is not None and turn.candidate != self.best.code]
        tried = [turn for turn in tried if turn.decision != Decision.SAME]
        return tuple(map(_attempt, tried[-self.loop.remembered :]))

    # -------------------------------------------------------------- deciding

    def _add(self, decide: _Deciding) -> None:
        try:
            self.turns.append(decide())
        except _Stop as error:
            self.stopped = self.best._replace(
                number=len(self.turns), decision=Decision.UNJUDGED, reason=str(error), completion=None, candidate=None
            )

    def _code(self, completion: Completion) -> tuple[str | None, str]:
        if completion.text is None:
            return None, completion.reason
        found = read_answer(completion.text, self.task.head.language)
        if found.code is None:
            return None, found.reason
        try:
            self.task.program(found.code)
        except LanguageError as error:
            return None, str(error)
        return found.code, ""

    def _tried(self, turn: Turn, code: str, bench: Bench) -> Turn:
        """Return the turn with a decision about new code."""
        judged = _known(bench.judge(code))
        turn = turn._replace(judged=judged)
        passes = judged.verdict == Verdict.ACCEPTED
        old = turn.code
        if old is None:
            measured = _known(bench.measure([code]))[0] if passes else None
            return _kept(turn, Decision.STARTED, code, passes, measured)
        if not passes:
            return turn._replace(decision=Decision.FAILED, reason=_complaint(judged))
        if not turn.passed:
            turn = turn._replace(reason="it passes, what it replaces does not")
            return _kept(turn, Decision.ACCEPTED, code, True, _known(bench.measure([code]))[0])
        return self._measured(turn, old, code, bench)

    def _measured(self, turn: Turn, old: str, new: str, bench: Bench) -> Turn:
        """Compare two programs that pass, and again if the new one seems better: in another order, with new figures."""
        figure, least = self.options.figures[self.options.objective], self.loop.min_gain
        before, after = _known(bench.measure([old, new]))
        found = compare(before, after, figure, least)
        turn = turn._replace(tried=after, reason=found.why)
        if not found.better:
            return turn._replace(decision=Decision.NOT_BETTER)
        after, before = _known(bench.measure([new, old]))
        again = compare(before, after, figure, least)
        if not again.better:
            return turn._replace(decision=Decision.NOT_CONFIRMED, reason=f"{found.why}; again: {again.why}")
        turn = turn._replace(tried=after, gain=again.gain, reason=again.why)
        return _kept(turn, Decision.ACCEPTED, new, True, after)


class _Deciding(Protocol):
    def __call__(self) -> Turn: ...


def _known(found: Known | Failure) -> Known:
    if isinstance(found, Failure):
        raise _Stop(found.reason)
    return found


def _kept(turn: Turn, decision: Decision, code: str, passed: bool, measured: Measured | None) -> Turn:
    complaint = _complaint(turn.judged) if turn.judged and not passed else ""
    turn = turn._replace(decision=decision, code=code, passed=passed, measured=measured, complaint=complaint)
    return turn._replace(tried=measured, reason=turn.reason or complaint)


def _complaint(judged: Judgement) -> str:
    name = str(judged.verdict).replace("_", " ")
    where = f" in test {judged.failing_test}" if judged.failing_test else ""
    return f"{name}{where}: {judged.reason}".rstrip(": ")


def _attempt(turn: Turn) -> Attempt:
    assert turn.candidate is not None
    failed = turn.judged is not None and turn.judged.verdict != Verdict.ACCEPTED
    shown = Performance(False, failure=turn.reason) if failed else performance(turn.tried)
    return Attempt(turn.candidate, str(turn.decision), shown)


def performance(measured: Measured | None) -> Performance:
    """Return what a program that passes costs, in the units of a prompt."""
    if measured is None:
        return UNMEASURED
    total = measured.total
    return Performance(
        True,
        _divided(total.wall_ns, NS_PER_MS),
        _divided(total.peak_bytes, KIB),
        _divided(total.integral_byte_ns, KIB * NS_PER_MS),
    )


def _divided(value: int | None, unit: int) -> float | None:
    return None if value is None else value / unit
