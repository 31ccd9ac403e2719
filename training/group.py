"""The answers to one prompt: each judged as it comes, those that pass measured together, the original among them.

All take turns on one core, so that one drift of the machine meets them alike. What a program prints while it is
measured is compared as well: one that is right when it is judged and quick when it is measured gains nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple, Protocol

from venus_toolkit.answers import read_answer
from venus_toolkit.errors import LanguageError, SandboxError
from venus_toolkit.judge import Answer, Checker, ending, same_text
from venus_toolkit.measure import ranking_key
from venus_toolkit.records import Measurement, Run, Verdict
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores
from venus_toolkit.task import judge_code, measure_beside
from venus_toolkit.training.origins import Origin, Origins, Reference
from venus_toolkit.training.reward_options import RewardOptions
from venus_toolkit.training.rewards import UPPER, efficiency_reward
from venus_toolkit.training.workplace import Loans, Workers, tried, when_all

NO_CODE, LOST = "no_code", "lost"
FEWEST = 4  # programs that are worth an original of their own beside them


class Place(Protocol):
    """Who tries answers, and where."""

    sandbox: Sandbox
    options: RewardOptions
    workers: Workers
    origins: Origins
    loans: Loans


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


class Group:
    """The answers to one prompt.

    Args:
        reference: What they are judged with.
        place: Where.
    """

    def __init__(self, reference: Reference, place: Place) -> None:
        self._reference = reference
        self._place = place
        self._language = place.origins.language(reference)
        self._origin = place.workers.do(lambda cores: tried(lambda: place.origins.find(reference, cores)))
        self._judged: dict[str, Future[Outcome]] = {}
        self._measured: dict[str, Future[dict[str, Outcome]]] = {}
        self._sealed: list[Future[None]] = []
        self._held: dict[str, Program] = {}
        self._mutex = threading.Lock()

    def add(self, text: str) -> None:
        """Begin to judge an answer, unless another one has the same code."""
        code = read_answer(text, self._language).code
        with self._mutex:
            if code is not None and code not in self._judged:
                self._judged[code] = self._place.workers.do(partial(self._judge, code))

    def seal(self, parts: int = 1) -> None:
        """Measure all that passes of what was added, as soon as it is judged, in up to `parts` parts at once."""
        sealed: Future[None] = Future()
        with self._mutex:
            codes = {code: future for code, future in self._judged.items() if code not in self._measured}
            shares: Future[dict[str, Outcome]] = Future()
            self._measured |= dict.fromkeys(codes, shares)
            self._sealed.append(sealed)
        when_all([self._origin, *codes.values()], partial(self._measure_all, codes, parts, shares, sealed))

    def outcome(self, text: str) -> Outcome:
        """Return what came of an answer of a sealed group, when it is known.

        Raises:
            VenusError: Anything but the sandbox failed.
        """
        for sealed in self._sealed:
            sealed.result()
        answer = read_answer(text, self._language)
        try:
            origin = self._origin.result()
            found = self._found(answer.code) if answer.code else Outcome(False, None, NO_CODE, answer.reason)
        except SandboxError as error:
            return Outcome(None, reason=_line(error))
        return found._replace(before=origin.passes, kind=origin.kind)

    def _found(self, code: str) -> Outcome:
        return self._measured[code].result().get(code) or self._judged[code].result()

    # -------------------------------------------------------------- in the workers

    def _judge(self, code: str, cores: Cores) -> Outcome:
        """Return what came of a program; one that passes stays compiled until it was measured."""
        place = self._place
        try:
            origin = place.origins.find(self._reference, cores)
            program = origin.task.program(code)
            tried(lambda: place.loans.take(program, cores))
            outcome = _judged(place.sandbox, origin, code, cores)
        except LanguageError as error:
            return Outcome(False, None, NO_CODE, _line(error))
        except SandboxError as error:
            return Outcome(None, reason=_line(error))
        if outcome.passed:
            self._held[code] = program
        else:
            place.loans.give_back(program)
        return outcome

    def _measure_all(
        self,
        codes: Mapping[str, Future[Outcome]],
        parts: int,
        shares: Future[dict[str, Outcome]],
        sealed: Future[None],
    ) -> None:
        """Give the codes that pass to the workers; `sealed` hears of the end, or of the first failure of ours."""
        failed = next((error for each in codes.values() if (error := each.exception())), self._origin.exception())
        if failed:
            shares.set_result({})
            _settle(sealed, None if isinstance(failed, SandboxError) else failed)
            self._let_go(codes)
            return
        origin = self._origin.result()
        passing = [code for code, each in codes.items() if each.result().passed]
        copies = [code for code in passing if code.strip() == origin.original.strip()]
        others = [code for code in passing if code not in copies]
        count = max(1, min(parts, len(others) // FEWEST))
        jobs = [self._place.workers.do(partial(self._measure, origin, others[n::count])) for n in range(count)]

        def gather() -> None:
            error = next((job.exception() for job in jobs if job.exception()), None)
            found = {code: outcome for job in jobs if not job.exception() for code, outcome in job.result().items()}
            same = dict.fromkeys(copies, Outcome(True, 0.0, str(Verdict.ACCEPTED), "it is the original"))
            shares.set_result(found | same)
            _settle(sealed, error)
            self._let_go(passing)

        when_all(jobs, gather)

    def _let_go(self, codes: Iterable[str]) -> None:
        for code in codes:
            program = self._held.pop(code, None)
            if program:
                self._place.loans.give_back(program)

    def _measure(self, origin: Origin, codes: Sequence[str], cores: Cores) -> dict[str, Outcome]:
        """Return what came of programs that were judged right, measured in turns with the original."""
        try:
            with self._place.loans.lent([origin.task.program(origin.original)] if codes else [], cores):
                return self._together(origin, codes, cores)
        except SandboxError as error:
            return dict.fromkeys(codes, Outcome(None, reason=_line(error)))

    def _together(self, origin: Origin, codes: Sequence[str], cores: Cores) -> dict[str, Outcome]:
        """Measure all in turns; where the sandbox fails at that, each by itself with the original."""
        try:
            return self._turns(origin, codes, cores) if codes else {}
        except SandboxError as error:
            if len(codes) == 1:
                return {codes[0]: Outcome(None, reason=_line(error))}
        return {code: found for each in codes for code, found in self._together(origin, [each], cores).items()}

    def _turns(self, origin: Origin, codes: Sequence[str], cores: Cores) -> dict[str, Outcome]:
        sandbox, options = self._place.sandbox, self._place.options
        checker = Checker(origin.task.comparison, sandbox, origin.task.evaluator)
        watch = Watch(origin, [origin.original, *codes], checker)
        before, *after = measure_beside(
            sandbox, origin.unseen, origin.original, codes, options.measure, cores=cores, reference=False, on_run=watch
        )
        wrong = watch.wrong()
        own = UPPER[self._reference.type] if not origin.passes else self._cost(before)
        return {
            code: wrong.get(code) or self._valued(own, self._cost(each))
            for code, each in zip(codes, after, strict=True)
        }

    def _cost(self, measured: Measurement) -> float | None:
        if self._reference.type == "time" and self._place.options.figure == "cpu":
            return measured.cpu_ns
        return ranking_key(measured, self._reference.type, "absolute")

    def _valued(self, before: float | None, after: float | None) -> Outcome:
        if before is None or after is None:
            return Outcome(None, reason="it could not be measured beside the original")
        return Outcome(True, efficiency_reward(before, after, UPPER[self._reference.type]), str(Verdict.ACCEPTED))


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


def _judged(sandbox: Sandbox, origin: Origin, code: str, cores: Cores) -> Outcome:
    try:
        judgement = tried(lambda: judge_code(sandbox, origin.task, code, cores))
    except SandboxError as error:
        return Outcome(None, reason=_line(error))
    return Outcome(judgement.verdict == Verdict.ACCEPTED, None, str(judgement.verdict), judgement.reason)


def _settle(future: Future[None], error: BaseException | None) -> None:
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)


def _line(error: Exception) -> str:
    return str(error).replace("\n", "; ")
