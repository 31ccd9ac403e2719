"""The environment as TRL's `GRPOTrainer(environment_factory=…)` takes it.

The model tries programs through a tool.

    GRPOTrainer(
        model=…, args=GRPOConfig(max_tool_calling_iterations=4, …),
        train_dataset=load_dataset(release, "cpp-grpo", …),
        environment_factory=partial(ToolEnvironment, EnvironmentOptions("build/venus", turns=4,
        group=16)),
    )

Each call of the tool is a turn, the environment owns the reward, and an episode is worth its best
program. TRL runs the calls of all roll-outs at the same time and continues when the last one has
its answer. A dataset column `prompt` is not changed; the text that `reset` returns is added to it.
"""

from __future__ import annotations

from typing import Any

from venus_toolkit.models.answers import fenced
from venus_toolkit.training.environment import EnvironmentOptions, Episode, open_environment


class ToolEnvironment:
    """One roll-out after the other; TRL makes as many of these as run at the same time.

    Args:
        options: What the environment is made from.
    """

    def __init__(self, options: EnvironmentOptions) -> None:
        self._options = options
        self._episode: Episode | None = None

    def reset(self, **row: Any) -> str:
        """Begin an episode on a row of a GRPO set; returns what is added to its prompt."""
        self._episode = open_environment(self._options).episode(row)
        return (
            f"\n\nYou can try programs with the tool `try_program`, at most {self._options.turns} of "
            "them. The best one that you tried is your answer;\nthe form above is not needed."
        )

    async def try_program(self, code: str) -> str:
        """Judge a whole program on the tests of the problem, and compare its cost with the original's.

        Args:
            code: The whole source code of the program.

        Returns:
            Whether it passes all tests, and what it costs.
        """
        assert self._episode, "TRL calls reset first"
        if self._episode.turns and self._episode.turns[-1].done:
            return "No tries are left."
        turn = await self._episode.step_async(in_form(fenced(code, self._episode.language)))
        return turn.message or "That was the last try."

    async def get_reward(self) -> float | None:
        """Return what the episode is worth.

        None where the sandbox failed for all of it, which TRL leaves out.
        """
        assert self._episode, "TRL calls reset first"
        if not self._episode.turns:
            # no program was tried: what an answer without one is worth
            await self._episode.step_async("")
        return self._episode.best


def in_form(block: str) -> str:
    """Return a program that was handed to a tool in the form that answers have in text, so that both earn alike."""
    return f"<thinking>\nin the turns before\n</thinking>\n<solution>\n{block}\n</solution>"
