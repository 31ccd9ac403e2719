"""The environment for TRL's `GRPOTrainer(environment_factory=…)`: the model calls a tool.

    GRPOTrainer(
        model=…, args=GRPOConfig(max_tool_calling_iterations=4, …),
        train_dataset=load_dataset(release, "cpp-grpo", …),
        environment_factory=partial(ToolEnvironment, EnvironmentOptions("build/venus", turns=4,
        group=16)),
    )

Each call of the tool is a turn. The environment computes the reward: that of the best program of an
episode. TRL runs the calls of all roll-outs concurrently and waits for the last one. The text that
`reset` returns is appended to the dataset column `prompt`.
"""

from __future__ import annotations

from typing import Any

from venus_toolkit.models.answers import fenced
from venus_toolkit.training.environment import EnvironmentOptions, Episode, open_environment


class ToolEnvironment:
    """An environment for one roll-out at a time; TRL makes one per concurrent roll-out.

    Args:
        options: The options of the environment.
    """

    def __init__(self, options: EnvironmentOptions) -> None:
        self._options = options
        self._episode: Episode | None = None

    def reset(self, **row: Any) -> str:
        """Begin an episode on a row of a GRPO set; return the text to append to its prompt."""
        self._episode = open_environment(self._options).episode(row)
        return (
            f"\n\nYou can try programs with the tool `try_program`, at most {self._options.turns} of "
            "them. The best one that you tried is your answer;\nthe form above is not needed."
        )

    async def try_program(self, code: str) -> str:
        """Judge a complete program on the problem's tests; compare its cost with the original's.

        Args:
            code: The complete source code of the program.

        Returns:
            Whether it passes all tests, and its cost.
        """
        assert self._episode, "TRL calls reset first"
        if self._episode.turns and self._episode.turns[-1].done:
            return "No tries are left."
        turn = await self._episode.step_async(in_form(fenced(code, self._episode.language)))
        return turn.message or "That was the last try."

    async def get_reward(self) -> float | None:
        """Return the reward of the episode.

        None means that the sandbox failed for all programs; TRL leaves such episodes out.
        """
        assert self._episode, "TRL calls reset first"
        if not self._episode.turns:
            # Without a program, the reward is that of an answer without code.
            await self._episode.step_async("")
        return self._episode.best


def in_form(block: str) -> str:
    """Return a tool's program in the form of a text answer, so that both get the same reward."""
    return f"<thinking>\nin the turns before\n</thinking>\n<solution>\n{block}\n</solution>"
