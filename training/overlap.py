"""GRPO whose answers are written in slices, so that the sandbox works on one while the model writes the next.

TRL writes all answers of a step and rewards them then; here the reward is told of each slice as soon as it is there. It
gives the same rewards in the end. It stands on one method of TRL's that is not public, and says so where that is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from venus_toolkit.errors import MachineError

WRITES = "_generate_single_turn"


@runtime_checkable
class Submits(Protocol):
    """A reward that takes answers before it is asked what they are worth."""

    def submit(self, completions: Sequence[str], complete: bool = False, **columns: Sequence[Any]) -> None:
        """Begin to judge answers; returns at once."""


def slices_of(count: int, slices: int, group: int) -> list[slice]:
    """Return `count` answers in equal slices of whole groups; in one where that cannot be.

    >>> slices_of(8, 2, 4)
    [slice(0, 4, None), slice(4, 8, None)]
    >>> slices_of(8, 3, 4)
    [slice(0, 8, None)]
    """
    if slices < 1 or count % (slices * group):
        return [slice(0, count)]
    size = count // slices
    return [slice(start, start + size) for start in range(0, count, size)]


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as lists by their column, as rewards take them."""
    return {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"} if rows else {}


def overlapping(trainer: type, reward: Submits, slices: int) -> type:
    """Return a GRPO trainer that tells the reward of each slice as soon as it is written.

    Args:
        trainer: TRL's.
        reward: That takes answers early.
        slices: Of a step.

    Raises:
        MachineError: This TRL writes answers in another way.
    """
    if not hasattr(trainer, WRITES):
        fix = "say slices = 1 under [grpo] in the recipe"
        raise MachineError("answers cannot be written in slices", f"this TRL has no {WRITES}", fix)

    class Overlapping(trainer):  # type: ignore[misc]
        def _generate_and_score_completions(self, inputs: Any) -> Any:
            self._rows = inputs
            return super()._generate_and_score_completions(inputs)

        def _generate_single_turn(
            self, prompt_ids: Any, images: Any, fields: Any, generations: int, *rest: Any, **more: Any
        ) -> tuple[Any, Any]:
            ids: list[Any] = []
            probabilities: list[Any] = []
            for part in slices_of(len(prompt_ids), slices, generations):
                told = (prompt_ids[part], images, fields, generations)
                written, known = super()._generate_single_turn(*told, *rest, **more)
                texts = self.processing_class.batch_decode(written, skip_special_tokens=True)
                reward.submit(texts, complete=True, **columns_of(self._rows[part]))
                ids += written
                probabilities += known or []
            return ids, probabilities or None

    Overlapping.__name__ = trainer.__name__
    return Overlapping
