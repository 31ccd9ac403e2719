"""The environment for verifiers: the rows of a release as a taskset, and the turns of an episode.

verifiers finds a taskset by the name of a top-level module; ``venus init environment
venus_programs.py`` writes one with this module's classes.

    eval venus_programs --env.taskset.release build/venus --env.taskset.turns 3

The agent answers in text, so it uses the harness without tools. The reward ``execution`` is that of
the episode's best answer; its parts are metrics. If the sandbox failed for all answers, the episode
is an error without a reward.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import verifiers.v1 as vf

from venus_toolkit.training.environment import open_environment, options_of


class ProgramData(vf.TaskData):  # type: ignore[misc]
    """A row of a GRPO set; `row` has the columns that are needed to judge answers."""

    row: dict[str, str]


class ProgramTask(vf.Task[ProgramData]):  # type: ignore[misc]
    """A task for one row."""


class ProgramTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The options of `EnvironmentOptions`, and the languages and objectives of the sets to use."""

    release: str = ""
    sandbox: str = "auto"
    turns: int = 1
    group: int = 1
    linger_s: float = 2.0
    repeats: int = 3
    figure: str = "wall"
    rule: str = "apart"
    engine: str = "local"
    ray_address: str = ""
    languages: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()


class ProgramTaskset(vf.Taskset[ProgramTask, ProgramTasksetConfig]):  # type: ignore[misc]
    """The rows of a release's GRPO sets."""

    def load(self) -> Iterable[ProgramTask]:
        """Yield a task for each row."""
        config = self.config
        environment = open_environment(options_of(config.model_dump()))
        for row in environment.rows(config.languages, config.objectives):
            messages = [
                {"role": message["role"], "content": message["content"]}
                for message in row["prompt"]
            ]
            system = next(
                (message["content"] for message in messages if message["role"] == "system"), None
            )
            prompt = "\n\n".join(
                message["content"] for message in messages if message["role"] == "user"
            )
            texts = {
                name: value
                for name, value in row.items()
                if isinstance(value, str) and name != "prompt_text"
            }
            name = f"{row['config']} {row['type']} {row['title']}"
            yield ProgramTask(
                ProgramData(name=name, prompt=prompt, system_prompt=system, row=texts), config.task
            )


class ProgramEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The configuration of the environment, with one agent."""

    # This harness does not run the model's code, so it needs no container.
    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class ProgramEnv(vf.Env[ProgramEnvConfig]):  # type: ignore[misc]
    """An environment in which each answer follows the feedback on the previous one."""

    async def run(self, task: Any, agents: Any) -> None:
        """Run one episode; its reward is recorded on the trace."""
        environment = open_environment(options_of(self.config.taskset.model_dump()))
        episode = environment.episode(task.data.row)
        async with agents.agent.interaction(task) as talk:
            exchange = await talk.turn()
            while not exchange.terminated:
                turn = await episode.step_async(exchange.last_reply)
                if turn.done:
                    break
                exchange = await talk.turn(turn.message)
        talk.trace.record_reward("execution", episode.value())
        rewards = [turn.outcome.reward for turn in episode.turns if turn.outcome.reward]
        best = max(rewards, key=lambda reward: reward.score)
        for name, value in best._asdict().items():
            talk.trace.record_metric(name, value)


__all__ = ["ProgramEnv", "ProgramTaskset"]
