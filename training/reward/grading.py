"""Rewards answers: judges them as they arrive, and measures them in groups with the original.

`submit` begins to judge answers while others are still being generated; `grade` returns the outcomes
of all answers with their rewards, whether they were submitted before or not. Both are thread-safe.
An answer that misbehaves, or a sandbox failure on one answer, does not affect the others. After a
sandbox failure the reward is None, never 0.

    submit(answers) ─▶ an AnswerGroup for each prompt ─▶ judged, as they arrive
    grade(answers)  ─▶ those that pass, measured with the original ─▶ an AnswerOutcome for each

Runs of the answers to a prompt are interleaved on one core, so that machine drift affects all
alike. The output of measured runs is checked too: a program that is right when it is judged, but
fast and wrong when it is measured, gains nothing. `Gathering` is for trainers that hand over one
answer at a time.
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
from venus_toolkit.models.answers import ExtractedCode, read_answer
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
    """An answer to a prompt, and a reference to the tests and the original that it is judged with."""

    reference: TaskReference
    text: str


class AnswerOutcome(NamedTuple):
    """The outcome of an answer, from its verdict to its reward.

    Attributes:
        passed: Whether its program passes; None if the sandbox failed.
        efficiency: R_efficiency; None if the program fails or could not be measured.
        verdict: The judge's verdict, NO_CODE, or LOST if the sandbox failed.
        reason: The reason for the verdict, in one line.
        before: Whether the original passes.
        kind: The source of the tests that it was measured on: fresh, hidden or none.
        reseeded: The share of these tests with a fresh input for each repeat; None if the program
            was not measured.
        figure: The figure behind R_efficiency; empty if nothing was measured. It is `cpu_ns`
            instead of `instructions` if CPU time does not agree with the count; `reason` says why.
        ratio: The costs behind R_efficiency, if those of the program and the original are known.
        total: The cost of the program, if it was measured.
        original: The cost of the original in the same rounds, if it passes.
        judged: The judge's result, with the costs of the first runs.
        reward: The reward, once the answer is graded; None if the sandbox failed.
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
        release: The release that the set was made from.
        sandbox: Where programs run; the grader does not close it. Each node of a cluster opens a
            sandbox of the same kind.
        options: How answers are rewarded, and by which engine.
        languages: Languages by id; None for the built-in ones.
        engine: Replaces the engine of the options; closed with the grader.

    Raises:
        MachineError: The engine or the instruction counter is not available.
        UsageError: Rewards are by instructions, and the sandbox cannot count them.
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
        """Finish running work, discard the rest, and close the journal."""
        self.executor.close()
        self.tasks.close()
        if self.journal:
            self.journal.close()

    def request(self, reference: TaskReference) -> PromptRequest:
        """Return the prompt request of a reference's problem, without an original.

        Waits for the sandbox.

        Raises:
            ReleaseError: The release is not the one that the reference was taken from.
            SandboxError: The sandbox failed.
        """
        return self.executor.submit(partial(self.tasks.find, reference)).result().request

    def submit(self, answers: Sequence[TaskAnswer], complete: bool = False) -> None:
        """Begin to judge answers; returns at once.

        Args:
            answers: Answers to any prompts.
            complete: Whether these are the last answers to their prompts before grading; if so,
                measuring begins as well.

        Raises:
            ReleaseError: The release does not have this language.
        """
        self._add(answers, complete)

    def grade(self, answers: Sequence[TaskAnswer], progress: float = 0.0) -> list[AnswerOutcome]:
        """Return the outcomes of answers with their rewards, in their order.

        Submitted answers are not judged again.

        Args:
            answers: All answers to their prompts in this step.
            progress: The share of the training that is done, from 0 to 1.

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
        """Add answers to the groups of their prompts; `last` closes these groups."""
        with self._mutex:
            for reference in dict.fromkeys(answer.reference for answer in answers):
                if reference not in self._open:
                    self._open[reference] = AnswerGroup(
                        reference, self.tasks, self.executor, self.options
                    )
            groups = {answer.reference: self._open[answer.reference] for answer in answers}
            for answer in answers:
                groups[answer.reference].add(answer.text)
            # With fewer prompts than workers, each group is split to keep all workers busy.
            parts = -(-self.executor.width // max(len(groups), 1))
            for reference, group in groups.items() if complete else ():
                group.seal(parts)
                if last:
                    del self._open[reference]
        return groups

    def _require_most(self, outcomes: Sequence[AnswerOutcome]) -> None:
        """Stop if the sandbox failed for too many of the latest answers."""
        with self._mutex:
            # At least the latest 32 answers; fewer than 8 are too few to blame the sandbox.
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
        reference: The task that they are judged on.
        tasks: Finds that task.
        executor: Judges and measures.
        options: How answers are rewarded.

    Raises:
        ReleaseError: The release does not have this language.
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
        # By code: the outcome of judging it, and the final one once the group is sealed.
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
        """Measure the answers that pass, once all are judged, in up to `parts` parallel parts.

        A group may be sealed again: only new answers are measured then.
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
        """Wait for an answer in a sealed group, and return its outcome without a reward.

        Raises:
            VenusError: Something other than the sandbox failed.
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

    def _read(self, text: str) -> ExtractedCode:
        """Return the code of an answer.

        Frameworks may send lone surrogates and texts of any length: `storable` cleans and cuts them.
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
        """Measure the codes that pass, and set the final outcome of every code."""
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
            # A program that passes but was not measured is lost: its cost is unknown, and it must
            # not be rewarded as if it saved nothing.
            lost = {
                code: _lost(failures[0]) for code, outcome in outcomes.items() if outcome.passed
            }
            _settle(final, outcomes | lost, failures)
            return
        task = self._task.result()
        passing = [code for code, outcome in outcomes.items() if outcome.passed]
        # A copy of the original (ignoring outer white space) must not profit from noise, so it is
        # not measured.
        copies = [code for code in passing if code.strip() == task.original.strip()]
        others = [code for code in passing if code not in copies]
        # Each part measures the original again, which pays off only with four programs or more.
        count = max(1, min(parts, len(others) // 4))
        together = [others[n::count] for n in range(count)] if others else []
        # All parts use the same inputs, because advantages compare answers across parts.
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
        """Measure programs interleaved with the original; one by one if the sandbox fails.

        With an empty `draw` all repeats use the inputs that the answers were judged on.
        """
        # An original that fails has no cost to compare with: the upper bound replaces it.
        references = (task.task.program(task.original),) if task.passes else ()
        first_runs = [self._judged[code].result().judged for code in codes]
        reseeded = self._tasks.reseeded(task, draw, worker) if draw else ()
        counted = self._figure == INSTRUCTIONS and task.passes
        panel = Panel(
            Suite(task.task.title, task.measured_on, task.task.suite.rules, reseeded),
            tuple(map(task.task.program, codes)),
            # The original is the baseline, so the reference program is not needed.
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
            # The original passed before, so the problem may not allow this input.
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

        `original` was measured in the same rounds; None if it fails.
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
        # Instruction counts need no bound: they are only used if the original passes.
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
            # Dropping an answer with disagreeing runs would reward it, so it is scored as saving
            # nothing.
            return accepted
        if before is None or after is None:
            return _lost("its cost or the cost of the original is not known")
        unit = min(before, upper) + EPSILON
        errors = (
            costs_of([program.total for program in (measured, original) if program], figure).se
            / unit
        )
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

    An answer is judged at once. It is measured when `group` answers to its prompt have arrived, or
    when no other has arrived for `linger_s` seconds. The runs of a group are interleaved, and the
    original is measured once for all of them.

    Args:
        submit: Begins to judge answers: `Grader.submit`.
        grade: Returns a result for each answer: `Grader.grade`, or a wrapper of it.
        group: Number of answers to a prompt that are rewarded together, all in this process.
        linger_s: How long to wait for the next answer of a group, in seconds.
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
        # A group occupies a thread while it is graded.
        self._pool = ThreadPoolExecutor(64, thread_name_prefix="venus-rewards")
        self._clock: threading.Thread | None = None

    def submit(self, answer: TaskAnswer) -> Future[T]:
        """Begin to judge an answer; the future returns its result or raises the error."""
        result: Future[T] = Future()
        self._begin([answer])
        with self._changed:
            waiting = self._waiting.setdefault(answer.reference, [])
            waiting.append((answer, result))
            # Each answer restarts the wait.
            self._due[answer.reference] = time.monotonic() + self._linger_s
            if len(waiting) >= self._group:
                self._grade_waiting(answer.reference)
            elif self._clock is None:
                self._clock = threading.Thread(target=self._watch, name="venus-linger", daemon=True)
                self._clock.start()
            self._changed.notify()
        return result

    def _watch(self) -> None:
        """Grade the groups whose wait is over."""
        with self._changed:
            while True:
                now = time.monotonic()
                for reference in [reference for reference, due in self._due.items() if due <= now]:
                    self._grade_waiting(reference)
                due = min(self._due.values(), default=None)
                self._changed.wait(None if due is None else max(due - now, 0.0))

    def _grade_waiting(self, reference: TaskReference) -> None:
        """Grade the waiting answers to a prompt; the caller holds the lock."""
        waiting = self._waiting.pop(reference)
        del self._due[reference]

        def grade() -> None:
            # A cancelled future takes no result; from here on, futures cannot be cancelled.
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
    """Set the outcome of each code, or the first failure outside the sandbox for all of them."""
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
