"""Several turns of GRPO, with a scripted model and real programs.

What groups are asked, and which program they see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.building import needs_isolation, thought
from tests.training.posed import FORMULA, LANGUAGES, LOOP, STEPS, Posed, reference, write_posed
from venus_toolkit.core.errors import UsageError
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.client import Message, conversation
from venus_toolkit.training import turns
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions
from venus_toolkit.training.turns import Turns, require_whole_groups

pytestmark = [*needs_isolation]
SUM = Posed()
QUESTIONS = ("Sum up, please.", "Add them all.")
ROWS = [
    {**reference(SUM)._asdict(), "prompt": conversation((Message("user", question),))}
    for question in QUESTIONS
]
LIMIT = 5000  # of the scripted model's context; a character is a token
BROKEN = "print(int(input()) + 7)\n"


@pytest.fixture(scope="module")
def reward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutionReward]:
    release = write_posed(tmp_path_factory.mktemp("release"), SUM)
    made = ExecutionReward(
        release, "local", RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu")
    )
    yield made
    made.close()


class Scripted:
    """A trainer whose model gives the answers of a list, and remembers what it was asked."""

    def __init__(self, answers: Sequence[str], step: int = 0, context: int = LIMIT) -> None:
        self.answers, self.asked = list(answers), list[list[str]]()
        self.state, self.args = SimpleNamespace(global_step=step), SimpleNamespace(num_iterations=2)
        self.args.max_completion_length = 100
        self.model = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=context))
        self.processing_class = self

    def batch_decode(self, tokens: Sequence[Sequence[int]], **_: Any) -> list[str]:
        return ["".join(map(chr, each)) for each in tokens]

    def apply_chat_template(
        self, prompts: Sequence[Sequence[Any]], **_: Any
    ) -> dict[str, list[list[int]]]:
        return {"input_ids": [[ord(each) for each in turns._text(prompt)] for prompt in prompts]}

    def generate(self, _: Any, prompts: Sequence[Any]) -> tuple[list[list[int]], list[list[int]]]:
        self.asked.append([turns._text(each) for each in prompts])
        answers = [self.answers.pop(0) if self.answers else "nothing" for _ in prompts]
        return self.apply_chat_template(prompts)["input_ids"], [
            list(map(ord, each)) for each in answers
        ]


@pytest.fixture
def roll_out(
    reward: ExecutionReward, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Scripted, dict[str, Any]]]:
    """Roll out a step of two groups of two answers; the first answers are those of a script."""

    def roll(*answers: str, of: int = 2, **how: int) -> tuple[Scripted, dict[str, Any]]:
        trainer = Scripted([thought("So.", each, LANGUAGES["python"]) for each in answers], **how)
        monkeypatch.setattr(turns, "_generate", trainer.generate)
        prompts = [row["prompt"] for row in ROWS for _ in range(2)]
        return trainer, Turns(ROWS, reward, of)(prompts, trainer)

    return roll


def test_every_other_group_begins_from_an_answer_of_its_own(roll_out: Callable[..., Any]) -> None:
    trainer, made = roll_out(FORMULA)
    before, last = trainer.asked
    assert before == [QUESTIONS[1]], "one answer for the group that is at its second turn"
    assert last[:2] == [QUESTIONS[0]] * 2
    assert last[2] == last[3]
    assert FORMULA.strip() in last[2], "its own program stands in the place of the original"
    assert SUM.statement in last[2]
    assert "passed all tests: yes" in last[2]
    assert LOOP.strip() not in last[2]
    assert [len(made[name]) for name in ("prompt_ids", "completion_ids")] == [4, 4]
    assert trainer.batch_decode(made["prompt_ids"]) == last
    assert made["logprobs"] is None


def test_groups_change_their_turns_with_the_batches(roll_out: Callable[..., Any]) -> None:
    assert [roll_out(step=step)[0].asked[0] for step in (0, 1, 2, 3)] == [[QUESTIONS[1]]] * 2 + [
        [QUESTIONS[0]]
    ] * 2


def test_a_program_that_fails_is_shown_with_its_verdict_and_nothing_of_a_test(
    roll_out: Callable[..., Any],
) -> None:
    trainer, _ = roll_out(BROKEN)
    assert BROKEN.strip() in trainer.asked[1][2]
    assert "passed all tests: no (wrong answer)" in trainer.asked[1][2]


def test_only_what_earns_more_takes_the_place_of_an_own_program(
    roll_out: Callable[..., Any],
) -> None:
    """Of three turns the groups are at the second and at the third."""
    trainer, _ = roll_out(FORMULA, STEPS, BROKEN, of=3, step=2)
    first, second, last = trainer.asked
    assert first == list(QUESTIONS)
    assert [STEPS.strip() in each for each in second] == [True]
    assert [FORMULA.strip() in each for each in last] == [True, True, False, False]
    assert [STEPS.strip() in each for each in last] == [False, False, True, True]


def test_a_process_that_has_a_part_of_a_group_is_refused() -> None:
    config = SimpleNamespace(
        per_device_train_batch_size=4, steps_per_generation=2, num_generations=8
    )
    require_whole_groups(config)
    config.num_generations = 16
    with pytest.raises(UsageError, match="a process generates 8 answers"):
        require_whole_groups(config)


def test_templates_that_are_gone_are_refused(reward: ExecutionReward, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="prompts of later turns would be others"):
        Turns(ROWS, reward, 2, tmp_path / "gone")


def test_an_answer_without_a_program_and_one_that_is_too_long_change_nothing(
    roll_out: Callable[..., Any],
) -> None:
    assert roll_out()[0].asked[1][2] == QUESTIONS[1]
    assert roll_out(FORMULA, context=300)[0].asked[1][2] == QUESTIONS[1]
