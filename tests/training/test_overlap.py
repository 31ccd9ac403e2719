"""Answers in slices: whole groups, in order, each told to the reward as soon as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from venus_toolkit.core.errors import MachineError
from venus_toolkit.training.trainers import overlapping, slices_of


@pytest.mark.parametrize(
    ("count", "slices", "group", "sizes"),
    [(512, 4, 16, [128] * 4), (64, 4, 16, [16] * 4), (48, 4, 16, [48]), (8, 1, 4, [8]), (8, 0, 4, [8])],
)
def test_slices_are_equal_and_of_whole_groups(count: int, slices: int, group: int, sizes: list[int]) -> None:
    found = slices_of(count, slices, group)
    assert [each.stop - each.start for each in found] == sizes
    assert [number for each in found for number in range(each.start, each.stop)] == list(range(count))


class Trainer:
    """As much of TRL's as slices stand on; an answer is its prompt in capitals."""

    def __init__(self, said: list[str]) -> None:
        self.said = said

    @property
    def processing_class(self) -> Any:
        return self

    def batch_decode(self, ids: Sequence[str], skip_special_tokens: bool) -> list[str]:
        return list(ids)

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        return self._generate_single_turn([row["prompt"] for row in inputs], None, {}, 2)

    def _generate_single_turn(self, prompt_ids: Any, images: Any, fields: Any, generations: int) -> Any:
        self.said.append(f"write {''.join(prompt_ids)}")
        return [prompt.upper() for prompt in prompt_ids], [0.5] * len(prompt_ids)


class Reward:
    """Remembers what it is told."""

    def __init__(self, said: list[str]) -> None:
        self.said = said

    def submit(self, completions: Sequence[str], complete: bool = False, **columns: Sequence[Any]) -> None:
        assert complete
        self.said.append(f"judge {''.join(completions)} of {''.join(columns['title'])}")


def test_each_slice_is_judged_while_the_next_is_written() -> None:
    said: list[str] = []
    trainer = overlapping(Trainer, Reward(said), 2)(said)
    rows = [{"prompt": letter, "title": number} for letter, number in zip("aabb", "1122", strict=True)]
    assert trainer._generate_and_score_completions(rows) == (["A", "A", "B", "B"], [0.5] * 4)
    assert said == ["write aa", "judge AA of 11", "write bb", "judge BB of 22"]


def test_another_trl_is_refused() -> None:
    with pytest.raises(MachineError, match="cannot be written in slices") as refused:
        overlapping(object, Reward([]), 2)
    assert "slices = 1" in refused.value.fix
