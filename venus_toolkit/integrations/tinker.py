"""The environment for tinker-cookbook: messages in, messages out.

    EnvFromMessageEnv(renderer, ProgramMessages(EnvironmentOptions("build/venus", turns=3,
    group=16), row))

`EnvGroupBuilder.make_envs` returns one of these for each answer in a group. tinker-cookbook adds up
the rewards of all turns, which gives the reward of the best answer. It cannot represent an unknown
reward, so an episode for which the sandbox failed completely is an error, which its rollout
strategies drop or retry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinker_cookbook.rl.message_env import MessageEnv, MessageStepResult

from venus_toolkit.training.environment import EnvironmentOptions, open_environment
from venus_toolkit.training.reward.grpo_reward import text_of


class ProgramMessages(MessageEnv):  # type: ignore[misc]
    """One episode on a row of a GRPO set.

    Args:
        options: The options of the environment.
        row: A row of `Environment.rows`.
    """

    def __init__(self, options: EnvironmentOptions, row: Mapping[str, Any]) -> None:
        self._episode = open_environment(options).episode(row)
        self._messages: list[Any] = [dict(message) for message in row["prompt"]]

    async def initial_observation(self) -> list[Any]:
        """Return the prompt of the row."""
        return list(self._messages)

    async def step(self, message: Any) -> MessageStepResult:
        """Reward an answer.

        Raises:
            SandboxError: The sandbox failed for all answers.
        """
        turn = await self._episode.step_async(text_of([message]))
        if turn.done:
            self._episode.value()
        self._messages += [
            message,
            *([{"role": "user", "content": turn.message}] if turn.message else []),
        ]
        figures = {name: float(value) for name, value in turn.info.items() if name != "verdict"}
        return MessageStepResult(
            reward=turn.reward or 0.0,
            episode_done=turn.done,
            next_messages=list(self._messages),
            metrics=figures,
            logs={"verdict": turn.info["verdict"]},
        )
