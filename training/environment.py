"""The environment for reinforcement learning, one for all frameworks.

An episode improves one program, turn by turn.

    a row of a GRPO set ─▶ prompt ─▶ model ─▶ answer ─▶ judged, measured beside the original ─▶
    reward
                                       ▲                                    │
                                       └── what came of it, what it costs ──┘   until there are no turns left

`open_environment` returns the environment of this process, `Environment.episode` begins an episode,
and `Episode.step` takes an answer. What a framework calls is in integrations/, for each a translation
of names and nothing else. With one turn an episode is worth what `grpo_reward` gives for the same
answer.

Each answer is rewarded in comparison with the row's original, and an episode is worth its best
answer. The reward of a turn is what it adds to that, so the rewards of all turns add up to the best
one's, and a slow first answer gains nothing.

What a model is told says nothing of any test: a verdict, what the compiler printed, and what the
program costs. What programs print to their error stream stays here, since a program could print its
input there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import AT_LEAST_1, NOT_NEGATIVE, check_bounds
from venus_toolkit.execution.engine import LOCAL
from venus_toolkit.execution.measuring.ranking import APART
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.prompts import failed, performance_of, render_feedback
from venus_toolkit.training.recipe import GRPO
from venus_toolkit.training.reward.grading import AnswerOutcome, Gathering, TaskAnswer
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.reward_tasks import TaskReference, read_reference
from venus_toolkit.training.reward.rewards import RewardOptions
from venus_toolkit.training.trainer.data import open_set


@dataclass(frozen=True, slots=True)
class EnvironmentOptions:
    """What an environment is made from; each adapter takes these names.

    Attributes:
        release: The folder of the release that the rows were derived from.
        sandbox: Where programs run: a name that `open_sandbox` knows, or the address of a `venus
            serve`.
        turns: Answers of an episode.
        group: Answers to a prompt that come together, and are measured interleaved with one
            another.
        linger_s: How long to wait for another one of these.
        repeats: How often each program is measured.
        figure: What the objective ``time`` means: wall, cpu or instructions.
        rule: ``apart``: costs that differ by no more than their standard errors are ties;
            ``strict``: none are.
        engine: ``local``, or ``ray``: over the nodes of a cluster.
        ray_address: Of that cluster.
    """

    release: str
    sandbox: str = "auto"
    turns: Annotated[int, AT_LEAST_1] = 1
    group: Annotated[int, AT_LEAST_1] = 1
    linger_s: Annotated[float, NOT_NEGATIVE] = 2.0
    repeats: int = 3
    figure: str = "wall"
    rule: str = APART
    engine: str = LOCAL
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: There is no release, or a number is too small.
        """
        if not self.release:
            raise UsageError(
                "the environment does not know the release", "release is empty", "name its folder"
            )
        check_bounds(self, "see docs/environments.md")


class EpisodeTurn(NamedTuple):
    """The result of an answer in an episode.

    Attributes:
        reward: What it adds to the episode; None where the sandbox failed.
        message: The feedback for the model; empty at the end of the episode.
        done: Whether the episode is over.
        outcome: The outcome of the answer itself, with its own reward.
    """

    reward: float | None
    message: str
    done: bool
    outcome: AnswerOutcome

    @property
    def info(self) -> dict[str, Any]:
        """The parts of the reward and the verdict, for logs."""
        reward = self.outcome.reward
        parts = reward._asdict() if reward else {}
        return {**parts, "verdict": self.outcome.verdict, "judged": float(reward is not None)}


class Environment:
    """Rewards episodes; all of a process share its sandbox.

    Args:
        options: Its options.
        reward: Another reward than that of the options; it is closed with the environment.

    Raises:
        UsageError: The options make no sense.
    """

    def __init__(self, options: EnvironmentOptions, reward: ExecutionReward | None = None) -> None:
        self.options = options
        self.reward = reward or ExecutionReward(
            options.release,
            options.sandbox,
            RewardOptions(
                measure=MeasureOptions(repeats=options.repeats),
                figure=options.figure,
                rule=options.rule,
                engine=options.engine,
                ray_address=options.ray_address,
            ),
        )
        self._gathering: Gathering[AnswerOutcome] | None = None

    def close(self) -> None:
        """Close the sandbox."""
        self.reward.close()

    def rows(
        self, languages: Sequence[str] = (), objectives: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the rows of the release's GRPO sets.

        Raises:
            UsageError: The release has no such set.
        """
        files = open_set(Path(self.options.release), GRPO, languages, objectives).files
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    def episode(self, row: Mapping[str, Any]) -> Episode:
        """Begin an episode on a row of a GRPO set, or on what an export says of one.

        Raises:
            UsageError: The row is none of a GRPO set.
        """
        return Episode(self, read_reference(row))

    def submit(self, answer: TaskAnswer) -> Future[AnswerOutcome]:
        """Begin to reward an answer.

        Raises:
            ReleaseError: The folder is not a release.
            MachineError: This machine cannot isolate programs.
        """
        if self._gathering is None:
            grader = self.reward.grader
            self._gathering = Gathering(
                grader.submit, grader.grade, self.options.group, self.options.linger_s
            )
        return self._gathering.submit(answer)


class Episode:
    """Answers to one prompt, each after the feedback on the one before.

    Attributes:
        turns: The results of the answers so far.
    """

    def __init__(self, environment: Environment, reference: TaskReference) -> None:
        self._environment, self._reference = environment, reference
        self.turns: list[EpisodeTurn] = []

    @property
    def language(self) -> Language:
        """The language that answers are written in."""
        return self._environment.reward.grader.tasks.language(self._reference)

    @property
    def best(self) -> float | None:
        """The reward of the best answer; None where the sandbox failed for all of them."""
        return max(
            (turn.outcome.reward.score for turn in self.turns if turn.outcome.reward), default=None
        )

    def step(self, answer: str) -> EpisodeTurn:
        """Reward an answer; waits for the sandbox.

        Raises:
            VenusError: The answer could not be rewarded, through no fault of its own.
        """
        return self._add(self._submit(answer).result())

    async def step_async(self, answer: str) -> EpisodeTurn:
        """Like `step`, without blocking the event loop."""
        return self._add(await asyncio.wrap_future(self._submit(answer)))

    def value(self) -> float:
        """Return what the episode is worth.

        Raises:
            SandboxError: The sandbox failed for each of its answers: nothing is known.
        """
        if self.best is None:
            why = self.turns[-1].outcome.reason if self.turns else "it has no answer"
            raise SandboxError(
                "the episode could not be rewarded", why, "leave it out of the update"
            )
        return self.best

    def _submit(self, answer: str) -> Future[AnswerOutcome]:
        if self.turns and self.turns[-1].done:
            why = f"it had {len(self.turns)} answers"
            raise UsageError("the episode is over", why, "begin another one, or raise turns")
        return self._environment.submit(TaskAnswer(self._reference, answer))

    def _add(self, outcome: AnswerOutcome) -> EpisodeTurn:
        left = self._environment.options.turns - len(self.turns) - 1
        before = self.best
        reward = outcome.reward.score if outcome.reward else None
        if reward is not None and before is not None:
            reward = max(reward - before, 0.0)
        message = self._message(outcome, left) if left else ""
        self.turns.append(EpisodeTurn(reward, message, not left, outcome))
        return self.turns[-1]

    def _message(self, outcome: AnswerOutcome, left: int) -> str:
        complaint = failed(outcome.verdict, outcome.reason).failure.removeprefix("no code: ")
        original = performance_of(outcome.original) if outcome.original else None
        shown = performance_of(outcome.total)
        return render_feedback(
            self.language, self._reference.type, outcome.verdict, complaint, shown, original, left
        )


@cache  # for the life of the process: frameworks make an environment for each episode
def open_environment(options: EnvironmentOptions) -> Environment:
    """Return the environment of this process with these options.

    Raises:
        UsageError: They make no sense.
    """
    return Environment(options)


def options_of(given: Mapping[str, Any]) -> EnvironmentOptions:
    """Return options from what a framework hands over, in which other names may be as well.

    Raises:
        UsageError: There is no release, or a value makes no sense.
    """
    names = EnvironmentOptions.__dataclass_fields__
    return EnvironmentOptions(
        **{"release": "", **{name: given[name] for name in names if name in given}}
    )


def row_of_export(truth: str) -> dict[str, Any]:
    """Return the row that the ground truth of an export names.

    Raises:
        UsageError: It is none of the toolkit's.
    """
    try:
        row = json.loads(truth)
    except (TypeError, ValueError, RecursionError) as error:
        why = f"its ground truth is not JSON: {error}"
        raise UsageError(
            "a row is not one of the toolkit's", why, "write the file again: venus export"
        ) from error
    return row if isinstance(row, dict) else {}
