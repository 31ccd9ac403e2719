"""The environment for reinforcement learning, one for all frameworks.

An episode improves one program, turn by turn.

    a row of a GRPO set ─▶ prompt ─▶ model ─▶ answer ─▶ judged, measured with the original ─▶ reward
                                       ▲                              │
                                       └────── verdict and cost ──────┘   until the last turn

`open_environment` returns the environment of this process, `Environment.episode` begins an episode,
and `Episode.step` takes an answer. integrations/ has an adapter for each framework, which only
translates names. An episode of one turn has the reward that `grpo_reward` gives the same answer.

Each answer is compared with the row's original, and the value of an episode is the reward of its
best answer. The reward of a turn is its gain over the best earlier answer: the rewards of all turns
add up to the best one, and a slow first answer gains nothing.

The model sees a verdict, the compiler's messages and the cost of its program, but no test. It does
not see the program's error stream either, because a program could print its input there.
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
    """Options of an environment; each adapter takes these names.

    Attributes:
        release: The folder of the release that the rows were derived from.
        sandbox: Where programs run: a name that `open_sandbox` knows, or the address of a `venus
            serve`.
        turns: Number of answers in an episode.
        group: Number of answers to a prompt that are measured together, with interleaved runs.
        linger_s: How long to wait for the next answer of a group, in seconds.
        repeats: Number of measured runs of each program.
        figure: What the objective ``time`` means: wall, cpu or instructions.
        rule: ``apart``: costs that differ by no more than their standard errors are ties;
            ``strict``: none are.
        engine: ``local``, or ``ray`` for the nodes of a cluster.
        ray_address: The address of that cluster.
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
        """Check the options.

        Raises:
            UsageError: The release is empty, or a number is too small.
        """
        if not self.release:
            raise UsageError(
                "the environment has no release", "release is empty", "set release to its folder"
            )
        check_bounds(self, "see docs/environments.md")


class EpisodeTurn(NamedTuple):
    """The result of an answer in an episode.

    Attributes:
        reward: The gain over the best earlier answer; None if the sandbox failed.
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
    """Rewards episodes; all episodes of a process share its sandbox.

    Args:
        options: Its options.
        reward: Replaces the reward that the options describe; closed with the environment.

    Raises:
        UsageError: The options are invalid.
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
        """Begin an episode on a row of a GRPO set, or on an exported row.

        Raises:
            UsageError: The row is not from a GRPO set.
        """
        return Episode(self, read_reference(row))

    def submit(self, answer: TaskAnswer) -> Future[AnswerOutcome]:
        """Begin to reward an answer, without waiting for its outcome.

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
    """Answers to one prompt; the model sees the feedback on each answer before it gives the next one.

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
        """The reward of the best answer; None if the sandbox failed for every answer."""
        return max(
            (turn.outcome.reward.score for turn in self.turns if turn.outcome.reward), default=None
        )

    def step(self, answer: str) -> EpisodeTurn:
        """Reward an answer; waits for the sandbox.

        Raises:
            VenusError: The toolkit or the machine failed, not the answer.
        """
        return self._add(self._submit(answer).result())

    async def step_async(self, answer: str) -> EpisodeTurn:
        """Like `step`, without blocking the event loop."""
        return self._add(await asyncio.wrap_future(self._submit(answer)))

    def value(self) -> float:
        """Return the reward of the episode's best answer.

        Raises:
            SandboxError: The sandbox failed for every answer.
        """
        if self.best is None:
            reason = self.turns[-1].outcome.reason if self.turns else "it has no answer yet"
            raise SandboxError(
                "the episode could not be rewarded", reason, "leave it out of the update"
            )
        return self.best

    def _submit(self, answer: str) -> Future[AnswerOutcome]:
        if self.turns and self.turns[-1].done:
            reason = f"it has its {len(self.turns)} answers"
            raise UsageError("the episode is over", reason, "begin another episode, or raise turns")
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


@cache  # frameworks open an environment for each episode, and all must share one sandbox
def open_environment(options: EnvironmentOptions) -> Environment:
    """Return the environment of this process with these options.

    Raises:
        UsageError: The options are invalid.
    """
    return Environment(options)


def options_of(settings: Mapping[str, Any]) -> EnvironmentOptions:
    """Return options from the settings of a framework; other names in them are ignored.

    Raises:
        UsageError: The release is missing, or a value is invalid.
    """
    names = EnvironmentOptions.__dataclass_fields__
    return EnvironmentOptions(
        **{"release": "", **{name: settings[name] for name in names if name in settings}}
    )


def row_of_export(truth: str) -> dict[str, Any]:
    """Return the row that an export holds as JSON in its ground truth.

    Raises:
        UsageError: The ground truth is not JSON.
    """
    try:
        row = json.loads(truth)
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"its ground truth is not JSON: {error}"
        raise UsageError(
            "a row is not one of the toolkit's", reason, "write the file again: venus export"
        ) from error
    return row if isinstance(row, dict) else {}
