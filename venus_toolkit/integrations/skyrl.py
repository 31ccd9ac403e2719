"""The environment for SkyRL-Gym, on the files of `venus export skyrl`.

    from skyrl_gym.envs import register
    register(id="venus", entry_point="venus_toolkit.integrations.skyrl:SkyRLEnvironment")

The options of `EnvironmentOptions` come from the environment's configuration, or from `extra_info`
of the row: ``environment.skyrl_gym.venus.release=build/venus``. SkyRL calls `step` in one thread
per episode, so answers are rewarded concurrently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from venus_toolkit.training.environment import open_environment, options_of, row_of_export


class SkyRLEnvironment(BaseTextEnv):  # type: ignore[misc]
    """One episode.

    Args:
        env_config: The options of the environment, a mapping or a DictConfig.
        extras: The other columns of the row.

    Raises:
        UsageError: The row is not from `venus export skyrl`, or the options are invalid.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        extras = extras or {}
        options = {**dict(extras.get("extra_info") or {}), **dict(env_config or {})}
        environment = open_environment(options_of(options))
        spec = extras.get("reward_spec") or {}
        self._episode = environment.episode(row_of_export(spec.get("ground_truth", "")))
        self.max_turns = environment.options.turns

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Reward an answer; the rewards of all turns add up to that of the best answer.

        Raises:
            SandboxError: The sandbox failed for all answers, so the episode has no reward.
        """
        turn = self._episode.step(action)
        self.turns = len(self._episode.turns)
        if turn.done:
            self._episode.value()
        observations = [{"role": "user", "content": turn.message}] if turn.message else []
        reward = turn.reward or 0.0
        return BaseTextEnvStepOutput(
            observations=observations, reward=reward, done=turn.done, metadata=turn.info
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the number of answers, and the parts of the best answer's reward."""
        rewards = [turn.outcome.reward for turn in self._episode.turns if turn.outcome.reward]
        best = max(rewards, key=lambda reward: reward.score)._asdict() if rewards else {}
        return {"turns": len(self._episode.turns), **best}
