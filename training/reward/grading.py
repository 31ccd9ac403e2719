"""The batch reward: all answers of a step compiled, judged and measured at once, whatever their languages.

Two calls do it. `submit` begins to judge answers while others are still being generated; `grade` returns what all are
worth, and may be called without the former. Both may be called by many threads. What one answer does, or what the
sandbox does to it, changes nothing for the others; where the sandbox fails the reward is None, never 0.

    submit(answers) ─▶ an AnswerGroup for each prompt ─▶ judged, as they come ─┐
    grade(answers)  ─▶ what is missing           measured with the original ─▶ Graded, in the order of the answers
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.engine import Engine, EngineOptions
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.counting import require_counter
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.models.prompts import PromptRequest
from venus_toolkit.training.reward.group import AnswerGroup, AnswerOutcome
from venus_toolkit.training.reward.reward_options import RewardOptions
from venus_toolkit.training.reward.reward_tasks import RewardTasks, TaskReference
from venus_toolkit.training.reward.rewards import Reward, combine, correctness_reward, form_reward

RECENT = 32  # so many of the latest answers say whether the sandbox still works
FEWEST = 8  # fewer answers say nothing about the sandbox


class TaskAnswer(NamedTuple):
    """An answer, and what it is judged with."""

    reference: TaskReference
    text: str


class Graded(NamedTuple):
    """What an answer is worth: its reward, None where the sandbox failed, and what came of its program."""

    reward: Reward | None
    outcome: AnswerOutcome


class Grader:
    """Rewards answers to the prompts of a GRPO set.

    Args:
        release: The one that the set was made from.
        sandbox: Where programs run; it stays open. Nodes of a cluster have one of the same kind each.
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
        used = [each for name, each in known.items() if name in release.languages]
        chosen = EngineOptions(self.options.engine, self.options.jobs, self.options.ray_address, self.options.part)
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
        """Return what a prompt for a reference's problem is made of, without an original; waits for the sandbox.

        Raises:
            ReleaseError: The release is not the one that the reference was taken from.
            SandboxError: The sandbox failed.
        """
        return self.executor.submit(partial(self.tasks.find, reference)).result().request

    def submit(self, answers: Sequence[TaskAnswer], complete: bool = False) -> None:
        """Begin to judge answers; returns at once.

        Args:
            answers: To any prompts.
            complete: No more answers to these prompts will come before they are graded: measure them as well.

        Raises:
            ReleaseError: The release has no such language.
        """
        self._given(answers, complete)

    def grade(self, answers: Sequence[TaskAnswer], progress: float = 0.0) -> list[Graded]:
        """Return what answers are worth, in their order; those that were submitted are only waited for.

        Args:
            answers: All answers to their prompts in this step.
            progress: The share of the training that is done.

        Raises:
            ReleaseError: The release is not the one that the answers' prompts were made from.
            ToolchainError: A language is not installed.
            SandboxError: The sandbox failed for more of the latest answers than `RewardOptions.lost` tolerates.
        """
        groups = self._given(answers, complete=True, graded=True)
        outcomes = [groups[answer.reference].outcome(answer.text) for answer in answers]
        self._require_most(outcomes)
        weights, last = self.options.weights, self.options.final_efficiency
        weights = weights if last is None else weights.at(progress, last)
        graded = []
        for answer, outcome in zip(answers, outcomes, strict=True):
            reward = None
            if outcome.passed is not None:
                correctness = correctness_reward(outcome.before, outcome.passed)
                reward = combine(form_reward(answer.text), correctness, outcome.efficiency or 0.0, weights)
            graded.append(Graded(reward, outcome))
        return graded

    async def grade_async(self, answers: Sequence[TaskAnswer], progress: float = 0.0) -> list[Graded]:
        """Like grade, for a caller with an event loop, which goes on meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(None, partial(self.grade, answers, progress))

    def _given(
        self, answers: Sequence[TaskAnswer], complete: bool, graded: bool = False
    ) -> dict[TaskReference, AnswerGroup]:
        """Return the groups that answers belong to, all of them added; those that are graded take no others."""
        with self._mutex:
            for reference in dict.fromkeys(answer.reference for answer in answers):
                if reference not in self._open:
                    self._open[reference] = AnswerGroup(reference, self.tasks, self.executor, self.options)
            groups = {answer.reference: self._open[answer.reference] for answer in answers}
            for answer in answers:
                groups[answer.reference].add(answer.text)
            # Fewer prompts than workers: each group is measured in parts, or workers would stand idle.
            parts = -(-self.executor.width // max(len(groups), 1))
            for reference, group in groups.items() if complete else ():
                group.seal(parts)
                if graded:
                    del self._open[reference]
        return groups

    def _require_most(self, outcomes: Sequence[AnswerOutcome]) -> None:
        """Refuse to go on where too many were lost, of these answers or of the latest ones."""
        with self._mutex:
            recent = [*self._recent, *outcomes][-max(RECENT, len(outcomes)) :]
            self._recent = recent
        lost = [outcome for outcome in recent if outcome.passed is None]
        if len(recent) >= FEWEST and len(lost) > self.options.lost * len(recent):
            what = f"the sandbox failed for {len(lost)} of the latest {len(recent)} answers"
            raise SandboxError(what, lost[-1].reason, "type: venus doctor; then continue from the last checkpoint")
