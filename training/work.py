"""The work of rewards that may be done on any machine: functions of what they are given, run through a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from venus_toolkit.errors import LanguageError
from venus_toolkit.fresh import agreed, fresh_inputs
from venus_toolkit.judge import Answer, Checker, ending, same_text
from venus_toolkit.measure import MeasureOptions, ranking_key
from venus_toolkit.records import Measurement, Run, TestCase, Verdict
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.supervisor import Cores
from venus_toolkit.task import Task, judge_code, measure_beside
from venus_toolkit.training.loans import ANSWERS, ORIGINALS, loans_of
from venus_toolkit.training.rewards import UPPER, efficiency_reward

NO_CODE, LOST = "no_code", "lost"


@dataclass(frozen=True, slots=True)
class Origin:
    """What answers to one prompt are judged with.

    Attributes:
        task: The problem; programs are judged on all its tests, which are in a drawn order.
        unseen: The same problem with the tests that programs are measured on.
        kind: Where those come from: FRESH, HIDDEN or NONE.
        original: The code that is to be bettered.
        passes: Whether that passes, here.
    """

    task: Task
    unseen: Task
    kind: str
    original: str
    passes: bool

    def is_copy(self, code: str) -> bool:
        """Return whether a program is the original, white space around it aside."""
        return code.strip() == self.original.strip()


class Outcome(NamedTuple):
    """What came of a program.

    Attributes:
        passed: Whether it passes; None: the sandbox failed.
        efficiency: R_efficiency; None where it does not pass or could not be measured.
        verdict: The judge's, or NO_CODE, or LOST where the sandbox failed.
        reason: Why, in a line.
        before: Whether the original passes.
        kind: Where the tests come from that it was measured on.
    """

    passed: bool | None
    efficiency: float | None = None
    verdict: str = LOST
    reason: str = ""
    before: bool = True
    kind: str = ""


# ------------------------------------------------------------------ a problem


def make_fresh(
    sandbox: Sandbox, cores: Cores, task: Task, generator: str, witnesses: Sequence[str], most: int, seed: int
) -> list[TestCase]:
    """Return `most` tests with new seeds, or fewer, on whose outputs human solutions agree."""
    inputs = fresh_inputs(sandbox, generator, task.tests, most, seed, cores)
    checker = Checker(task.comparison, sandbox, task.evaluator)
    programs = [task.program(code) for code in witnesses]
    with loans_of(sandbox).lent(programs, cores):
        return agreed(sandbox, programs, inputs, checker, task.limits, cores)


def original_passes(sandbox: Sandbox, cores: Cores, task: Task, original: str) -> bool:
    """Return whether an original passes; it stays compiled: answers are measured beside it."""
    loans, program = loans_of(sandbox), task.program(original)
    with loans.lent([program], cores):
        loans.keep(ORIGINALS, program, cores)
        return judge_code(sandbox, task, original, cores).verdict == Verdict.ACCEPTED


# ------------------------------------------------------------------ answers


def judge_answer(sandbox: Sandbox, cores: Cores, origin: Origin, code: str) -> Outcome:
    """Return what came of a program; one that passes stays compiled until it is measured."""
    loans = loans_of(sandbox)
    try:
        program = origin.task.program(code)
    except LanguageError as error:
        return Outcome(False, None, NO_CODE, one_line(error))
    with loans.lent([program], cores):
        found = judge_code(sandbox, origin.task, code, cores)
        passed = found.verdict == Verdict.ACCEPTED
        if passed and not origin.is_copy(code):
            loans.keep(ANSWERS, program, cores)
    return Outcome(passed, None, str(found.verdict), found.reason)


@dataclass(frozen=True, slots=True)
class Objective:
    """What is measured of answers, and how.

    Attributes:
        type: time, memory or integral.
        figure: What ``time`` means: ``wall`` or ``cpu``.
        measure: Rounds, and what belongs to them.
    """

    type: str
    figure: str
    measure: MeasureOptions

    def cost(self, measured: Measurement) -> float | None:
        """Return what a program costs, in the units of its type; None where that is not known."""
        if self.type == "time" and self.figure == "cpu":
            return measured.cpu_ns
        return ranking_key(measured, self.type, "absolute")


def measure_answers(
    sandbox: Sandbox, cores: Cores, origin: Origin, codes: Sequence[str], objective: Objective
) -> dict[str, Outcome]:
    """Return what came of programs that were judged right, measured in turns with the original."""
    loans = loans_of(sandbox)
    original, *answers = (origin.task.program(code) for code in (origin.original, *codes))
    try:
        with loans.lent([original, *answers], cores):
            return _turns(sandbox, cores, origin, codes, objective)
    finally:
        for program in answers:
            loans.let_go(ANSWERS, program)


def _turns(
    sandbox: Sandbox, cores: Cores, origin: Origin, codes: Sequence[str], objective: Objective
) -> dict[str, Outcome]:
    watch = Watch(origin, [origin.original, *codes], Checker(origin.task.comparison, sandbox, origin.task.evaluator))
    before, *after = measure_beside(
        sandbox, origin.unseen, origin.original, codes, objective.measure, cores=cores, reference=False, on_run=watch
    )
    wrong, upper = watch.wrong(), UPPER[objective.type]
    own = objective.cost(before) if origin.passes else upper
    return {
        code: wrong.get(code) or _valued(own, objective.cost(each), upper)
        for code, each in zip(codes, after, strict=True)
    }


def _valued(before: float | None, after: float | None, upper: float) -> Outcome:
    if before is None or after is None:
        return Outcome(None, reason="it could not be measured beside the original")
    return Outcome(True, efficiency_reward(before, after, upper), str(Verdict.ACCEPTED))


class Watch:
    """Compares what programs print while they are measured.

    Args:
        origin: Whose tests they are measured on.
        codes: The programs, in their order.
        checker: How the problem compares; an evaluator is asked at the end.
    """

    def __init__(self, origin: Origin, codes: Sequence[str], checker: Checker) -> None:
        self._origin = origin
        self._codes = codes
        self._checker = checker
        self._failed: dict[str, Outcome] = {}
        self._pending: dict[str, set[Answer]] = {}

    def __call__(self, program: int, test: int, run: Run) -> None:
        """Look at a run of a program on a test."""
        code, case = self._codes[program], self._origin.unseen.tests[test]
        verdict, reason = ending(run, self._origin.task.language)
        if verdict:
            self._failed.setdefault(code, Outcome(False, None, str(verdict), f"while it was measured: {reason}"))
        if code in self._failed:
            return
        answer = Answer(case.stdout or "", run.stdout.decode("utf-8", "replace"), case.stdin)
        if self._checker.comparison.kind != "evaluator":
            self._compare(code, [answer])
        elif not same_text(answer.expected, answer.actual):
            self._pending.setdefault(code, set()).add(answer)

    def wrong(self) -> dict[str, Outcome]:
        """Return the programs that ended badly or printed something wrong.

        Raises:
            SandboxError: The sandbox failed.
        """
        for code, answers in self._pending.items():
            self._compare(code, list(answers))
        return self._failed

    def _compare(self, code: str, answers: Sequence[Answer]) -> None:
        if not all(self._checker.passes(answers)):
            why = "it printed something else while it was measured"
            self._failed.setdefault(code, Outcome(False, None, str(Verdict.WRONG_ANSWER), why))


def one_line(error: Exception) -> str:
    """Return an error as one line."""
    return str(error).replace("\n", "; ")
