"""From answers to their rewards: judged as they come, measured in groups, the original among them.

Two calls do it. `submit` begins to judge answers while others are still being generated; `grade`
returns the outcomes of all, each with its reward, and may be called without the former. Both may be
called by many threads. What one answer does, or what the sandbox does to it, changes nothing for
the others; where the sandbox fails the reward is None, never 0.

    submit(answers) ─▶ an AnswerGroup for each prompt ─▶ judged, as they come
    grade(answers)  ─▶ those that pass, measured with the original ─▶ an AnswerOutcome for each

The answers to a prompt take turns on one core, so that a drift of the machine's speed affects all
alike. What a program prints while it is measured is compared as well: one that is right when it is
judged and quick but wrong when it is measured gains nothing. `Gathering` is for trainers that hand
over one answer at a time.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from venus_toolkit.core.errors import LanguageError, SandboxError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import Measurement, Verdict, digest
from venus_toolkit.core.store import Store
from venus_toolkit.core.untrusted.text import LONGEST, storable
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.engine import Engine, EngineOptions, Worker
from venus_toolkit.execution.engine.assessment import Panel
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Judged, Measuring
from venus_toolkit.execution.engine.work_queue import when_all
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS, band_of, objection
from venus_toolkit.execution.measuring.counting import require_counter
from venus_toolkit.execution.measuring.ranking import STRICT, costs_of
from venus_toolkit.execution.measuring.rounds import DISAGREEMENT, Measured
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.models.answers import Extracted, read_answer
from venus_toolkit.models.prompts import PromptRequest
from venus_toolkit.training.reward.reward_tasks import RewardTask, RewardTasks, TaskReference
from venus_toolkit.training.reward.rewards import (
    EPSILON,
    FIGURES,
    UPPER,
    Ratio,
    Reward,
    RewardOptions,
    combine,
    correctness_reward,
    efficiency_reward,
    form_reward,
    tied_efficiencies,
)

NO_CODE, LOST = "no_code", "lost"
LINGER_S = 5.0
T = TypeVar("T")


class TaskAnswer(NamedTuple):
    """An answer to a prompt, and what it is judged with."""

    reference: TaskReference
    text: str


class AnswerOutcome(NamedTuple):
    """The outcome of an answer, from its verdict to its reward.

    Attributes:
        passed: Whether its program passes; None: the sandbox failed.
        efficiency: R_efficiency; None where it does not pass or could not be measured.
        verdict: The judge's, or NO_CODE, or LOST where the sandbox failed.
        reason: Why, in a line.
        before: Whether the original passes.
        kind: Where the tests come from that it was measured on.
        reseeded: On which share of these each repeat had an input of its own; None where it was not
            measured.
        figure: The figure behind R_efficiency; empty where nothing was measured. By `cpu_ns`
            instead of `instructions` where CPU time does not agree with the count: `reason` says
            why.
        ratio: The costs behind R_efficiency, where the program's and the original's are known.
        total: The cost of the program, where it was measured.
        original: The cost of the original in the same rounds, where that passes.
        judged: The judge's findings, the costs of its first runs included.
        reward: The reward, once it is graded; None where the sandbox failed.
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
    reward: Reward | None = None


class Grader:
    """Rewards answers to the prompts of a GRPO set.

    Args:
        release: The one that the set was made from.
        sandbox: Where programs run; it stays open. Nodes of a cluster have one of the same kind
            each.
        options: How answers are rewarded, and over which engine.
        languages: By their id; None: the built-in ones.
        engine: Another engine than that of the options; it ends with the grader.

    Raises:
        MachineError: The engine cannot be had, or what is to count instructions.
        UsageError: Instructions decide, and the sandbox does not count.
        StoreError: The journal cannot be written, or another process uses it.
    """

    def __init__(
        self,
        release: Release,
        sandbox: Sandbox,
        options: RewardOptions | None = None,
        languages: Mapping[str, Language] | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.options = options or RewardOptions()
        if self.options.counted:
            require_counter(self.options.counter, sandbox)
        self.sandbox = sandbox
        known = languages or load_languages()
        used = [language for name, language in known.items() if name in release.languages]
        chosen = EngineOptions(
            self.options.engine, self.options.jobs, self.options.ray_address, self.options.part
        )
        self.journal = Store(Path(self.options.journal)) if self.options.journal else None
        self.executor = Executor(
            sandbox, used, chosen, self.journal, share_cores=self.options.share_cores, engine=engine
        )
        self.tasks = RewardTasks(release, self.executor, known, self.options)
        self._open: dict[TaskReference, AnswerGroup] = {}
        self._recent: list[AnswerOutcome] = []
        self._mutex = threading.Lock()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End when the work that was begun is done; what was not begun is lost."""
        self.executor.close()
        self.tasks.close()
        if self.journal:
            self.journal.close()

    def request(self, reference: TaskReference) -> PromptRequest:
        """Return what a prompt for a reference's problem is made of, without an original.

        Waits for the sandbox.

        Raises:
            ReleaseError: The release is not the one that the reference was taken from.
            SandboxError: The sandbox failed.
        """
        return self.executor.submit(partial(self.tasks.find, reference)).result().request

    def submit(self, answers: Sequence[TaskAnswer], complete: bool = False) -> None:
        """Begin to judge answers; returns at once.

        Args:
            answers: To any prompts.
            complete: No more answers to these prompts will come before they are graded: measure
                them as well.

        Raises:
            ReleaseError: The release has no such language.
        """
        self._add(answers, complete)

    def grade(self, answers: Sequence[TaskAnswer], progress: float = 0.0) -> list[AnswerOutcome]:
        """Return the outcomes of answers with their rewards, in their order.

        Those that were submitted are only waited for.

        Args:
            answers: All answers to their prompts in this step.
            progress: The share of the training that is done.

        Raises:
            ReleaseError: The release is not the one that the answers' prompts were made from.
            ToolchainError: A language is not installed.
            SandboxError: The sandbox failed for more of the latest answers than
                `RewardOptions.lost` tolerates.
        """
        groups = self._add(answers, complete=True, last=True)
        outcomes = [groups[answer.reference].outcome(answer.text) for answer in answers]
        self._require_most(outcomes)
        weights, final = self.options.weights, self.options.final_efficiency
        weights = weights if final is None else weights.at(progress, final)
        for number, outcome in enumerate(outcomes):
            if outcome.passed is not None:
                form = form_reward(answers[number].text)
                correctness = correctness_reward(outcome.before, outcome.passed)
                reward = combine(form, correctness, outcome.efficiency or 0.0, weights)
                outcomes[number] = outcome._replace(reward=reward)
        return outcomes

    async def grade_async(
        self, answers: Sequence[TaskAnswer], progress: float = 0.0
    ) -> list[AnswerOutcome]:
        """Like `grade`, without blocking the event loop of the caller."""
        return await asyncio.get_running_loop().run_in_executor(
            None, partial(self.grade, answers, progress)
        )

    def _add(
        self, answers: Sequence[TaskAnswer], complete: bool, last: bool = False
    ) -> dict[TaskReference, AnswerGroup]:
        """Add answers to the groups of their prompts; after the `last` ones these take no more."""
        with self._mutex:
            for reference in dict.fromkeys(answer.reference for answer in answers):
                if reference not in self._open:
                    self._open[reference] = AnswerGroup(
                        reference, self.tasks, self.executor, self.options
                    )
            groups = {answer.reference: self._open[answer.reference] for answer in answers}
            for answer in answers:
                groups[answer.reference].add(answer.text)
            # Fewer prompts than workers: each group is measured in parts, or workers would stand
            # idle.
            parts = -(-self.executor.width // max(len(groups), 1))
            for reference, group in groups.items() if complete else ():
                group.seal(parts)
                if last:
                    del self._open[reference]
        return groups

    def _require_most(self, outcomes: Sequence[AnswerOutcome]) -> None:
        """Refuse to continue where the sandbox failed for too many of the latest answers."""
        with self._mutex:
            # These answers or the latest 32; fewer than 8 say nothing about the sandbox.
            recent = [*self._recent, *outcomes][-max(32, len(outcomes)) :]
            self._recent = recent
        lost = [outcome for outcome in recent if outcome.passed is None]
        if len(recent) >= 8 and len(lost) > self.options.lost * len(recent):
            problem = f"the sandbox failed for {len(lost)} of the latest {len(recent)} answers"
            raise SandboxError(
                problem,
                lost[-1].reason,
                "type: venus doctor; then continue from the last checkpoint",
            )


class AnswerGroup:
    """The answers to one prompt. Answers with the same code share an outcome.

    Args:
        reference: What they are judged with.
        tasks: Finds that.
        executor: Judges and measures.
        options: How.

    Raises:
        ReleaseError: The release has no such language.
    """

    def __init__(
        self,
        reference: TaskReference,
        tasks: RewardTasks,
        executor: Executor,
        options: RewardOptions,
    ) -> None:
        self._reference = reference
        self._tasks, self._executor, self._options = tasks, executor, options
        self._language, self._starter = tasks.language(reference), tasks.starter(reference)
        self._task: Future[RewardTask] = executor.submit(partial(tasks.find, reference))
        # By code: the outcome of judging it, and, once the group is sealed, the final one.
        self._judged: dict[str, Future[AnswerOutcome]] = {}
        self._final: dict[str, Future[AnswerOutcome]] = {}
        self._mutex = threading.Lock()

    def add(self, text: str) -> None:
        """Begin to judge an answer, unless another one has the same code."""
        code = self._read(text).code
        with self._mutex:
            if code is not None and code not in self._judged:
                self._judged[code] = self._executor.submit(partial(self._judge, code))

    def seal(self, parts: int = 1) -> None:
        """Measure all that passes of what was added, as soon as it is judged, in up to `parts` parts at once.

        A group may be sealed more than once: each time measures only what is new.
        """
        with self._mutex:
            judged = {
                code: future for code, future in self._judged.items() if code not in self._final
            }
            final: dict[str, Future[AnswerOutcome]] = {code: Future() for code in judged}
            self._final |= final
        when_all(
            [self._task, *judged.values()], partial(self._measure_passing, judged, final, parts)
        )

    def outcome(self, text: str) -> AnswerOutcome:
        """Return the outcome of an answer of a sealed group, when it is known.

        It has no reward yet.

        Raises:
            VenusError: Anything but the sandbox failed.
        """
        code, reason, _ = self._read(text)
        try:
            task = self._task.result()
            outcome = AnswerOutcome(False, verdict=NO_CODE, reason=reason)
            if code is not None:
                outcome = self._final[code].result()
        except SandboxError as error:
            return _lost(error)
        return outcome._replace(before=task.passes, kind=task.kind)

    def _read(self, text: str) -> Extracted:
        """Return the code of an answer.

        Frameworks send texts that no file can hold, and of any length.
        """
        return read_answer(storable(text, LONGEST).text, self._language, self._starter)

    def _judge(self, code: str, worker: Worker) -> AnswerOutcome:
        try:
            task = self._tasks.find(self._reference, worker)
            program = task.task.program(code)
        except SandboxError as error:
            return _lost(error)
        except LanguageError as error:
            return AnswerOutcome(False, verdict=NO_CODE, reason=_one_line(error))
        judged = self._executor.judge(worker, task.task.suite, program)
        if isinstance(judged, SandboxFailure):
            return _lost(judged.reason)
        verdict, reason = judged.judgement.verdict, judged.judgement.reason
        return AnswerOutcome(
            verdict == Verdict.ACCEPTED, verdict=str(verdict), reason=reason, judged=judged
        )

    def _measure_passing(
        self,
        judged: Mapping[str, Future[AnswerOutcome]],
        final: Mapping[str, Future[AnswerOutcome]],
        parts: int,
    ) -> None:
        """Have the codes that pass measured, and give each its final outcome."""
        outcomes: dict[str, AnswerOutcome] = {}
        failures: list[BaseException] = []
        for code, future in judged.items():
            if error := future.exception():
                failures.append(error)
                outcomes[code] = _lost(error)
            else:
                outcomes[code] = future.result()
        if error := self._task.exception():
            failures.append(error)
        if failures:
            # What passes and is not measured is lost: without its cost it must not be rewarded as
            # if it saved nothing.
            lost = {
                code: _lost(failures[0]) for code, outcome in outcomes.items() if outcome.passed
            }
            _settle(final, outcomes | lost, failures)
            return
        task = self._task.result()
        passing = [code for code, outcome in outcomes.items() if outcome.passed]
        # A copy of the original, white space aside, is not measured: noise must not be worth
        # anything.
        copies = [code for code in passing if code.strip() == task.original.strip()]
        others = [code for code in passing if code not in copies]
        # Each part measures an original of its own, which is worth it for four programs and more.
        count = max(1, min(parts, len(others) // 4))
        together = [others[n::count] for n in range(count)] if others else []
        # One draw for all parts: advantages compare their answers with each other.
        draw = digest(self._options.seed, sorted(others))
        jobs = [
            self._executor.submit(partial(self._measure, task, part, draw)) for part in together
        ]

        def finish() -> None:
            copy = AnswerOutcome(
                True, efficiency=0.0, verdict=str(Verdict.ACCEPTED), reason="it is the original"
            )
            measured = dict.fromkeys(copies, copy)
            for job, part in zip(jobs, together, strict=True):
                if error := job.exception():
                    failures.append(error)
                    measured |= dict.fromkeys(part, _lost(error))
                else:
                    measured |= job.result()
            ratios = {code: outcome.ratio for code, outcome in measured.items() if outcome.ratio}
            tied = (
                None if self._options.rule == STRICT else tied_efficiencies(list(ratios.values()))
            )
            for code, efficiency in zip(ratios, tied or (), strict=False):
                measured[code] = measured[code]._replace(efficiency=efficiency)
            _settle(final, outcomes | measured, failures)

        when_all(list(jobs), finish)

    def _measure(
        self, task: RewardTask, codes: Sequence[str], draw: str, worker: Worker
    ) -> dict[str, AnswerOutcome]:
        """Measure all in turns with the original; where the sandbox fails at that, each by itself.

        Without a `draw` all repeats have the inputs that the answers were judged on.
        """
        # An original that fails has no cost to compare with: the bound takes its place.
        references = (task.task.program(task.original),) if task.passes else ()
        first_runs = [self._judged[code].result().judged for code in codes]
        reseeded = self._tasks.reseeded(task, draw, worker) if draw else ()
        counted = self._figure == INSTRUCTIONS and task.passes
        panel = Panel(
            Suite(task.task.title, task.measured_on, task.task.suite.rules, reseeded),
            tuple(map(task.task.program, codes)),
            # Relative times are not needed: the original is what the answers are compared with.
            Measuring(self._options.measure, reference=False),
            references=references,
            judged=(*[None] * len(references), *first_runs),
            counter=self._options.counter if counted else "off",
        )
        assessment = self._executor.assess(worker, panel)
        if isinstance(assessment, SandboxFailure):
            if len(codes) == 1:
                return {codes[0]: _lost(assessment.reason)}
            alone = [self._measure(task, [code], draw, worker) for code in codes]
            return {code: outcome for outcomes in alone for code, outcome in outcomes.items()}
        original = next(iter(assessment.references), None)
        if reseeded and original and original.rejection:
            # The original passed before, so this input may be none that the problem allows.
            return self._measure(task, codes, "", worker)
        answers = [result.measured for result in assessment.programs if result.measured]
        share = answers[0].total.reseeded / len(task.measured_on)
        outcomes = {
            code: self._outcome(original, answer)
            for code, answer in zip(codes, answers, strict=True)
        }
        return {
            code: outcome if outcome.passed is None else outcome._replace(reseeded=share)
            for code, outcome in outcomes.items()
        }

    def _outcome(self, original: Measured | None, measured: Measured) -> AnswerOutcome:
        """Return the outcome of a measured answer.

        `original` took turns with it, where that passes.
        """
        if measured.rejection:
            verdict, reason = measured.rejection
            return AnswerOutcome(False, verdict=str(verdict), reason=reason)
        figure, reason = self._figure, ""
        if figure == INSTRUCTIONS:
            reason = "the original fails, so nothing was counted"
            if original:
                trusted = [original.total]
                reason = (
                    original.uncounted
                    or measured.uncounted
                    or objection(measured.total, trusted, band_of(trusted))
                )
            figure, reason = ("cpu_ns", f"by CPU time: {reason}") if reason else (figure, "")
        # Counts have no bound: only costs of an original that passes are compared by them.
        upper = math.inf if figure == INSTRUCTIONS else UPPER[self._reference.type]
        before: float | None = getattr(original.total, figure) if original else upper
        after: float | None = getattr(measured.total, figure)
        accepted = AnswerOutcome(
            True, efficiency=0.0, verdict=str(Verdict.ACCEPTED), reason=reason, figure=figure
        )
        accepted = accepted._replace(total=measured.total, original=original and original.total)
        if not measured.total.repeats_agree:
            return accepted._replace(reason="it is surely cheaper on inputs that it has met before")
        if original and not original.total.repeats_agree:
            return _lost("repeats of the original disagree")
        if before is not None and DISAGREEMENT in measured.total.noise and after is None:
            # Dropping an answer whose own runs disagree would reward it, so it is scored as saving
            # nothing.
            return accepted
        if before is None or after is None:
            return _lost("it could not be measured beside the original")
        unit = min(before, upper) + EPSILON
        errors = costs_of([each.total for each in (measured, original) if each], figure).se / unit
        ratio = Ratio(
            min(after, upper) / unit, float(errors[0]), float(errors[1]) if original else 0.0
        )
        return accepted._replace(efficiency=efficiency_reward(before, after, upper), ratio=ratio)

    @property
    def _figure(self) -> str:
        time_figure = FIGURES[self._options.figure]
        return {"time": time_figure, "memory": "peak_bytes", "integral": "integral_byte_ns"}[
            self._reference.type
        ]


class Gathering(Generic[T]):
    """Takes answers one by one, from any thread, and grades those to one prompt together.

    An answer is judged at once. It is measured when `group` answers to its prompt are there, or
    when none has come for `linger_s`: programs that are measured together take turns, and the
    original is measured once for all of them.

    Args:
        submit: Begins to judge answers: `Grader.submit`.
        grade: Returns a result for each answer: `Grader.grade`, or what a framework wants of it.
        group: Answers to a prompt that are rewarded together; they all come to this process.
        linger_s: How long to wait for another one before those that are there are rewarded.
    """

    def __init__(
        self,
        submit: Callable[[Sequence[TaskAnswer]], None],
        grade: Callable[[Sequence[TaskAnswer]], Sequence[T]],
        group: int,
        linger_s: float = LINGER_S,
    ) -> None:
        self._begin, self._grade, self._group, self._linger_s = submit, grade, group, linger_s
        self._waiting: dict[TaskReference, list[tuple[TaskAnswer, Future[T]]]] = {}
        self._due: dict[TaskReference, float] = {}  # by the monotonic clock
        self._changed = threading.Condition()
        # Each group that is being graded waits in a thread of its own.
        self._pool = ThreadPoolExecutor(64, thread_name_prefix="venus-rewards")
        self._clock: threading.Thread | None = None

    def submit(self, answer: TaskAnswer) -> Future[T]:
        """Begin to judge an answer; the future has its result, or the error instead of one."""
        result: Future[T] = Future()
        self._begin([answer])
        with self._changed:
            waiting = self._waiting.setdefault(answer.reference, [])
            waiting.append((answer, result))
            # The wait is for the next one: it begins anew.
            self._due[answer.reference] = time.monotonic() + self._linger_s
            if len(waiting) >= self._group:
                self._grade_waiting(answer.reference)
            elif self._clock is None:
                self._clock = threading.Thread(target=self._watch, name="venus-linger", daemon=True)
                self._clock.start()
            self._changed.notify()
        return result

    def _watch(self) -> None:
        """Grade groups for which no other answer has come in time."""
        with self._changed:
            while True:
                now = time.monotonic()
                for reference in [reference for reference, due in self._due.items() if due <= now]:
                    self._grade_waiting(reference)
                due = min(self._due.values(), default=None)
                self._changed.wait(None if due is None else max(due - now, 0.0))

    def _grade_waiting(self, reference: TaskReference) -> None:
        """Grade the answers to a prompt that are there; the caller holds the lock."""
        waiting = self._waiting.pop(reference)
        del self._due[reference]

        def grade() -> None:
            # A cancelled future takes no result, and from here on none can be cancelled.
            live = [
                (number, future)
                for number, (_, future) in enumerate(waiting)
                if future.set_running_or_notify_cancel()
            ]
            try:
                results = self._grade([answer for answer, _ in waiting])
            except BaseException as error:  # every waiting caller must get it, whatever it is
                for _, future in live:
                    future.set_exception(error)
                return
            for number, future in live:
                future.set_result(results[number])

        self._pool.submit(grade)


def _settle(
    final: Mapping[str, Future[AnswerOutcome]],
    outcomes: Mapping[str, AnswerOutcome],
    failures: Sequence[BaseException],
) -> None:
    """Give each code its outcome, or all of them the first failure that is not the sandbox's."""
    ours = next((error for error in failures if not isinstance(error, SandboxError)), None)
    for code, future in final.items():
        if ours:
            future.set_exception(ours)
        else:
            future.set_result(outcomes[code])


def _lost(reason: object) -> AnswerOutcome:
    return AnswerOutcome(None, reason=_one_line(reason))


def _one_line(reason: object) -> str:
    return str(reason).replace("\n", "; ")
