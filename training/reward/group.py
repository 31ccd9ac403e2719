"""The answers to one prompt: each judged as it comes, those that pass measured together, the original among them.

All take turns on one core, so that a drift of the machine's speed affects all alike. What a program prints while it is
measured is compared as well: one that is right when it is judged and quick but wrong when it is measured gains nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.errors import LanguageError, SandboxError
from venus_toolkit.core.records import Measurement, Verdict, digest
from venus_toolkit.core.untrusted.text import LONGEST, storable
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.engine.work_queue import when_all
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, band_of, objection
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.ranking import APART, STRICT, Costs, costs_of, standings
from venus_toolkit.execution.measuring.rounds import DISAGREEMENT, Measured
from venus_toolkit.models.answers import Extracted, read_answer
from venus_toolkit.training.reward.reward_options import FIGURES, RewardOptions
from venus_toolkit.training.reward.reward_tasks import RewardTask, RewardTasks, TaskReference
from venus_toolkit.training.reward.rewards import EPSILON, UPPER, efficiency_reward

FEWEST = 4  # programs that are worth an original of their own beside them
NO_CODE, LOST = "no_code", "lost"


class Ratio(NamedTuple):
    """The cost of a program over that of the original, both clipped to the bound of the objective.

    `se` and `original_se` are the standard errors of both costs in the same unit; nan: they are not known.
    """

    value: float
    se: float
    original_se: float


class AnswerOutcome(NamedTuple):
    """What came of a program.

    Attributes:
        passed: Whether it passes; None: the sandbox failed.
        efficiency: R_efficiency; None where it does not pass or could not be measured.
        verdict: The judge's, or NO_CODE, or LOST where the sandbox failed.
        reason: Why, in a line.
        before: Whether the original passes.
        kind: Where the tests come from that it was measured on.
        reseeded: On which share of these each repeat had an input of its own; None where it was not measured.
        figure: What R_efficiency is computed from; empty where nothing was measured. By `cpu_ns` instead of
            `instructions` where CPU time does not agree with the count: `reason` says why.
        ratio: What R_efficiency is computed from, where its cost and the original's are known.
        total: What it cost, where it was measured.
        original: What the original cost beside it, where that passes.
        judged: What judging it told, its first runs included.
    """

    passed: bool | None
    efficiency: float | None = None
    verdict: str = LOST
    reason: str = ""
    before: bool = True
    kind: str = ""
    reseeded: float | None = None
    figure: str = ""
    ratio: Ratio | None = None
    total: Measurement | None = None
    original: Measurement | None = None
    judged: Judged | None = None


class AnswerGroup:
    """The answers to one prompt.

    Args:
        reference: What they are judged with.
        tasks: Finds that.
        executor: Judges and measures.
        options: How.

    Raises:
        ReleaseError: The release has no such language.
    """

    def __init__(
        self, reference: TaskReference, tasks: RewardTasks, executor: Executor, options: RewardOptions
    ) -> None:
        self._reference = reference
        self._tasks, self._executor, self._options = tasks, executor, options
        self._language, self._starter = tasks.language(reference), tasks.starter(reference)
        self._task: Future[RewardTask] = executor.submit(partial(tasks.find, reference))
        self._judged: dict[str, Future[AnswerOutcome]] = {}
        self._measured: dict[str, Future[dict[str, AnswerOutcome]]] = {}
        self._sealed: list[Future[None]] = []
        self._mutex = threading.Lock()

    def add(self, text: str) -> None:
        """Begin to judge an answer, unless another one has the same code."""
        code = self._read(text).code
        with self._mutex:
            if code is not None and code not in self._judged:
                self._judged[code] = self._executor.submit(partial(self._judge, code))

    def _read(self, text: str) -> Extracted:
        """Return the code of an answer; frameworks send texts that no file can hold, and of any length."""
        return read_answer(storable(text, LONGEST).text, self._language, self._starter)

    def seal(self, parts: int = 1) -> None:
        """Measure all that passes of what was added, as soon as it is judged, in up to `parts` parts at once."""
        sealed: Future[None] = Future()
        with self._mutex:
            # A group may be sealed more than once: each time measures only what is new.
            codes = {code: future for code, future in self._judged.items() if code not in self._measured}
            shares: Future[dict[str, AnswerOutcome]] = Future()
            self._measured |= dict.fromkeys(codes, shares)
            self._sealed.append(sealed)
        when_all([self._task, *codes.values()], partial(self._measure_all, codes, parts, shares, sealed))

    def outcome(self, text: str) -> AnswerOutcome:
        """Return what came of an answer of a sealed group, when it is known.

        Raises:
            VenusError: Anything but the sandbox failed.
        """
        for sealed in self._sealed:
            sealed.result()
        code, reason, _ = self._read(text)
        try:
            task = self._task.result()
            if code is None:
                found = AnswerOutcome(False, verdict=NO_CODE, reason=reason)
            else:
                found = self._measured[code].result().get(code) or self._judged[code].result()
        except SandboxError as error:
            return AnswerOutcome(None, reason=_one_line(error))
        return found._replace(before=task.passes, kind=task.kind)

    def _judge(self, code: str, worker: Worker) -> AnswerOutcome:
        try:
            task = self._tasks.find(self._reference, worker)
            program = task.task.program(code)
        except SandboxError as error:
            return AnswerOutcome(None, reason=_one_line(error))
        except LanguageError as error:
            return AnswerOutcome(False, verdict=NO_CODE, reason=_one_line(error))
        found = self._executor.judge(worker, task.task.suite, program)
        if isinstance(found, SandboxFailure):
            return AnswerOutcome(None, reason=_one_line(found.reason))
        judgement = found.judgement
        passed = judgement.verdict == Verdict.ACCEPTED
        verdict = str(judgement.verdict)
        return AnswerOutcome(passed, verdict=verdict, reason=judgement.reason, judged=found)

    def _measure_all(
        self,
        codes: Mapping[str, Future[AnswerOutcome]],
        parts: int,
        shares: Future[dict[str, AnswerOutcome]],
        sealed: Future[None],
    ) -> None:
        """Have the codes that pass measured; `sealed` is done at the end, or fails with the first failure of ours."""
        failed = next((error for each in codes.values() if (error := each.exception())), self._task.exception())
        if failed:
            # What passes and is not measured is lost: without its cost it must not be rewarded as if it saved nothing.
            lost = AnswerOutcome(None, reason=_one_line(failed))
            passed = [code for code, each in codes.items() if not each.exception() and each.result().passed]
            shares.set_result(dict.fromkeys(passed, lost))
            _settle(sealed, None if isinstance(failed, SandboxError) else failed)
            return
        task = self._task.result()
        passing = [code for code, each in codes.items() if each.result().passed]
        # A copy of the original, white space aside, is not measured: noise must not be worth anything.
        copies = [code for code in passing if code.strip() == task.original.strip()]
        others = [code for code in passing if code not in copies]
        count = max(1, min(parts, len(others) // FEWEST))
        together = [others[n::count] for n in range(count)]
        # One draw for all parts: advantages compare their answers with each other.
        draw = digest(self._options.seed, sorted(others))
        jobs = [self._executor.submit(partial(self._measure, task, part, draw)) for part in together]

        def gather() -> None:
            copy = AnswerOutcome(True, efficiency=0.0, verdict=str(Verdict.ACCEPTED), reason="it is the original")
            found, errors = dict.fromkeys(copies, copy), []
            for job, part in zip(jobs, together, strict=True):
                error = job.exception()
                if isinstance(error, SandboxError):
                    found |= dict.fromkeys(part, AnswerOutcome(None, reason=_one_line(error)))
                elif error:
                    errors.append(error)
                else:
                    found |= job.result()
            shares.set_result(found if self._options.rule == STRICT else with_ties(found))
            _settle(sealed, errors[0] if errors else None)

        when_all(list(jobs), gather)

    def _measure(self, task: RewardTask, codes: Sequence[str], draw: str, worker: Worker) -> dict[str, AnswerOutcome]:
        """Measure all in turns with the original; where the sandbox fails at that, each by itself.

        Without a `draw` all repeats have the inputs that the answers were judged on.
        """
        if not codes:
            return {}
        # An original that fails has no cost to compare with: the bound takes its place.
        measured = (task.original, *codes) if task.passes else codes
        programs = [task.task.program(code) for code in measured]
        # Relative times are not needed: the original is what the answers are compared with.
        how = Measuring(self._options.measure, reference=False)
        reseeded = self._tasks.reseeded(task, draw, worker) if draw else ()
        suite = Suite(task.task.title, task.measured_on, task.task.suite.rules, reseeded)
        firsts = [self._judged[code].result().judged for code in codes]
        judged = [None, *firsts] if task.passes else firsts
        found = self._executor.measure(worker, suite, programs, how, judged=judged)
        if isinstance(found, SandboxFailure):
            if len(codes) == 1:
                return {codes[0]: AnswerOutcome(None, reason=_one_line(found.reason))}
            return {code: one for each in codes for code, one in self._measure(task, [each], draw, worker).items()}
        if reseeded and task.passes and found[0].rejection:
            # The original passed before, so this input may be none that the problem allows.
            return self._measure(task, codes, "", worker)
        if self._figure == INSTRUCTIONS and task.passes:
            found = self._executor.counted(worker, suite, programs, found, self._options.counter)
        original, answers = (found[0], found[1:]) if task.passes else (None, found)
        outcomes = (self._outcome(original, each) for each in answers)
        share = found[0].total.reseeded / len(task.measured_on)
        return {
            code: each if each.passed is None else each._replace(reseeded=share)
            for code, each in zip(codes, outcomes, strict=True)
        }

    def _outcome(self, original: Measured | None, measured: Measured) -> AnswerOutcome:
        """Return what came of an answer that was measured, in turns with the original where that passes."""
        if measured.rejection:
            verdict, reason = measured.rejection
            return AnswerOutcome(False, verdict=str(verdict), reason=reason)
        figure, why = self._figure, ""
        if figure == INSTRUCTIONS:
            why = "the original fails, so nothing was counted"
            if original:
                trusted = [original.total]
                why = original.uncounted or measured.uncounted or objection(measured.total, trusted, band_of(trusted))
            figure, why = ("cpu_ns", f"by CPU time: {why}") if why else (figure, "")
        # Counts have no bound: only costs of an original that passes are compared by them.
        upper = math.inf if figure == INSTRUCTIONS else UPPER[self._reference.type]
        before: float | None = getattr(original.total, figure) if original else upper
        after: float | None = getattr(measured.total, figure)
        accepted = AnswerOutcome(True, efficiency=0.0, verdict=str(Verdict.ACCEPTED), reason=why, figure=figure)
        accepted = accepted._replace(total=measured.total, original=original and original.total)
        if not measured.total.repeats_agree:
            why = "it is surely cheaper on inputs that it has met before"
            return accepted._replace(reason=why)
        if original and not original.total.repeats_agree:
            return AnswerOutcome(None, reason="repeats of the original disagree")
        if before is not None and DISAGREEMENT in measured.total.noise and after is None:
            # Its own doing: an answer that is left out would be better off than one that is slow.
            return accepted
        if before is None or after is None:
            return AnswerOutcome(None, reason="it could not be measured beside the original")
        unit = min(before, upper) + EPSILON
        errors = costs_of([each.total for each in (measured, original) if each], figure).se / unit
        ratio = Ratio(min(after, upper) / unit, float(errors[0]), float(errors[1]) if original else 0.0)
        return accepted._replace(efficiency=efficiency_reward(before, after, upper), ratio=ratio)

    @property
    def _figure(self) -> str:
        time = FIGURES[self._options.figure]
        return {"time": time, "memory": "peak_bytes", "integral": "integral_byte_ns"}[self._reference.type]


def with_ties(outcomes: Mapping[str, AnswerOutcome]) -> dict[str, AnswerOutcome]:
    """Return outcomes in which programs that cost the same, as far as can be known, have the same efficiency.

    The original and all answers are cut into tie groups (`standings`). A group has the efficiency of its mean cost;
    that of the original's is 0. Two costs are apart when they differ by more than chance explains in one of all pairs
    (Bonferroni), so that copies of one program are one group nineteen times of twenty. A single repeat shows no noise:
    then any difference counts.
    """
    codes = [code for code, each in outcomes.items() if each.ratio]
    ratios = [each.ratio for each in outcomes.values() if each.ratio]
    # Answers may be measured on several cores, each with the original: its error is in every ratio.
    errors = np.array([0.0, *(math.hypot(each.se, each.original_se) for each in ratios)])
    if not np.isfinite(errors).all():
        return dict(outcomes)
    pairs = len(errors) * len(ratios) / 2
    widths = NormalDist().inv_cdf(1 - 0.025 / max(pairs, 1)) / NORMAL_95
    values = np.array([1.0, *(each.value for each in ratios)])
    groups = np.array([each.tie_group for each in standings(Costs(values, errors * widths), APART)])
    found = dict(outcomes)
    for code, group in zip(codes, groups[1:], strict=True):
        tied = 1.0 if group == groups[0] else float(values[groups == group].mean())
        found[code] = found[code]._replace(efficiency=efficiency_reward(1.0, tied, math.inf))
    return found


def _settle(future: Future[None], error: BaseException | None) -> None:
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)


def _one_line(reason: object) -> str:
    return str(reason).replace("\n", "; ")
