"""The environment for OpenEnv: an answer is the action, prompt and feedback are observations.

    uvicorn.run(make_app(EnvironmentOptions("build/venus", turns=3)), port=8000)

A client resets with ``split`` and ``index`` of the task API (a split is a set such as
``cpp-time``), or with a whole ``row`` of a GRPO set. Sessions share the sandbox of the server,
which needs no GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any
from uuid import uuid4

from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment as OpenEnvironment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from venus_toolkit.core.errors import UsageError
from venus_toolkit.training.environment import (
    Environment,
    EnvironmentOptions,
    Episode,
    open_environment,
)


class AnswerAction(Action):  # type: ignore[misc]
    """An answer of a model."""

    answer: str


class PromptObservation(Observation):  # type: ignore[misc]
    """The messages to a model: the prompt of the row, or feedback on its answer.

    `reward` is the reward of the turn.
    """

    messages: list[dict[str, str]] = Field(default_factory=list)


@cache  # shared by all sessions of a server
def rows_by_split(environment: Environment) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a release by split (a language and an objective), in its order."""
    splits: dict[str, list[dict[str, Any]]] = {}
    for row in environment.rows():
        splits.setdefault(f"{row['config']}-{row['type']}", []).append(row)
    return splits


class ServedEnvironment(OpenEnvironment[AnswerAction, PromptObservation, State]):  # type: ignore[misc]
    """One session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, options: EnvironmentOptions) -> None:
        super().__init__()
        self._environment = open_environment(options)
        self._episode: Episode | None = None
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, split: str = "", index: int = 0,
        row: dict[str, Any] | None = None, **_: Any,
    ) -> PromptObservation:  # fmt: skip
        """Begin an episode on a row; without `row` and `split`, `seed` chooses one of all rows."""
        if row is None:
            splits = [split] if split else self.list_splits()
            rows = [row for name in splits for row in self._rows(name)]
            row = rows[index if split else (seed or 0) % len(rows)]
        self._episode = self._environment.episode(row)
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return PromptObservation(messages=row["prompt"])

    async def step_async(
        self, action: AnswerAction, timeout_s: float | None = None, **_: Any
    ) -> PromptObservation:
        """Reward an answer."""
        turn = await self._current_episode().step_async(action.answer)
        return self._observe(turn.reward, turn.message, turn.done, turn.info)

    def step(
        self, action: AnswerAction, timeout_s: float | None = None, **_: Any
    ) -> PromptObservation:
        """Reward an answer; blocks until the reward is known."""
        turn = self._current_episode().step(action.answer)
        return self._observe(turn.reward, turn.message, turn.done, turn.info)

    @property
    def state(self) -> State:
        """The id of the episode and its number of answers."""
        return self._state

    def list_splits(self) -> list[str]:
        """Return the names of the sets of the release."""
        return list(rows_by_split(self._environment))

    def num_tasks(self, split: str) -> int:
        """Return the number of rows of a set."""
        return len(self._rows(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the descriptions of the rows of a set."""
        return [self.get_task(split, index) for index in range(self.num_tasks(split))]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return the id, index, title and problem id of a row."""
        row = self._rows(split)[index]
        return {
            "id": f"{split}-{index}",
            "index": index,
            "title": row["title"],
            "problem_id": row["problem_id"],
        }

    def _rows(self, split: str) -> Sequence[dict[str, Any]]:
        splits = rows_by_split(self._environment)
        if split not in splits:
            raise UsageError(
                f"there is no split {split!r}",
                f"expected one of {', '.join(splits)}",
                "name one of them",
            )
        return splits[split]

    def _current_episode(self) -> Episode:
        if self._episode is None:
            raise UsageError("there is no episode", "the session was not reset", "reset it first")
        return self._episode

    def _observe(
        self, reward: float | None, message: str, done: bool, info: dict[str, Any]
    ) -> PromptObservation:
        self._state.step_count += 1
        messages = [{"role": "user", "content": message}] if message else []
        # If the sandbox failed, the reward is None, and the verdict in the metadata says so.
        return PromptObservation(messages=messages, reward=reward, done=done, metadata=info)


def make_app(options: EnvironmentOptions, sessions: int = 512) -> Any:
    """Return the app that serves the environment, for at most `sessions` at the same time."""
    return create_fastapi_app(
        partial(ServedEnvironment, options),
        AnswerAction,
        PromptObservation,
        max_concurrent_envs=sessions,
    )
