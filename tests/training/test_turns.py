"""GRPO over several turns, with a scripted model and real programs: the prompts of each group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.building import needs_isolation, thought
from tests.training.posed import (
    FORMULA,
    LANGUAGES,
    LOOP,
    STEPS,
    Posed,
    reference,
    write_posed,
)
from venus_toolkit.core.errors import UsageError
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.client import Message, conversation
from venus_toolkit.training import turns
from venus_toolkit.training.recipe import read_recipe
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions
from venus_toolkit.training.turns import GeneratedTurns, Turns, require_whole_groups

pytestmark = [*needs_isolation]
SUM = Posed()
QUESTIONS = ("Sum up, please.", "Add them all.")
ROWS = [
    {**reference(SUM)._asdict(), "prompt": conversation((Message("user", question),))}
    for question in QUESTIONS
]
LIMIT = 5000  # tokens in the scripted model's context; a character is a token
BROKEN = "print(int(input()) + 7)\n"


@pytest.fixture(scope="module")
def reward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutionReward]:
    release = write_posed(tmp_path_factory.mktemp("release"), SUM)
    opened = ExecutionReward(
        release, "local", RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu")
    )
    yield opened
    opened.close()


class ScriptedTrainer:
    """A trainer whose model gives the answers of a list, and records its prompts."""

    def __init__(self, answers: Sequence[str], step: int = 0, context: int = LIMIT) -> None:
        self.answers, self.asked = list(answers), list[list[str]]()
        self.state, self.args = SimpleNamespace(global_step=step), SimpleNamespace(num_iterations=2)
        self.args.max_completion_length = 100
        self.model = SimpleNamespace(
            config=SimpleNamespace(max_position_embeddings=context), training=True
        )
        self.num_generations, self.num_generations_eval = 2, 4
        self.processing_class, self.use_vllm = self, False

    def batch_decode(self, tokens: Sequence[Sequence[int]], **_: Any) -> list[str]:
        return ["".join(map(chr, answer)) for answer in tokens]

    def apply_chat_template(
        self, prompts: Sequence[Sequence[Any]], **_: Any
    ) -> dict[str, list[list[int]]]:
        return {
            "input_ids": [
                [ord(character) for character in turns._text(prompt)] for prompt in prompts
            ]
        }

    def generate(self, _: Any, prompts: Sequence[Any], copies: int = 1) -> GeneratedTurns:
        assert len(prompts) % copies == 0
        self.asked.append([turns._text(prompt) for prompt in prompts])
        answers = [self.answers.pop(0) if self.answers else "nothing" for _ in prompts]
        asked = self.apply_chat_template(prompts)["input_ids"]
        return GeneratedTurns(asked, [list(map(ord, answer)) for answer in answers], None)


class ScriptedVllm:
    """Replaces TRL's vLLM: returns the scripted answers with log probabilities."""

    def __init__(self, trainer: ScriptedTrainer) -> None:
        self.trainer, self.copies = trainer, list[int]()

    def generate(
        self, prompts: list[list[int]], images: None, num_generations: int
    ) -> tuple[list[list[int]], list[list[int]], list[list[list[float]]], None]:
        self.copies.append(num_generations)
        groups = [
            prompts[at : at + num_generations] for at in range(0, len(prompts), num_generations)
        ]
        assert all(prompt == group[0] for group in groups for prompt in group), (
            "a server only reads the first prompt of a group"
        )
        self.trainer.asked.append(self.trainer.batch_decode(prompts))
        script = self.trainer.answers
        answers = [list(map(ord, script.pop(0) if script else "nothing")) for _ in prompts]
        return prompts, answers, [[[-0.5, -9.0] for _ in tokens] for tokens in answers], None


@pytest.fixture
def roll_out(
    reward: ExecutionReward, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[ScriptedTrainer, dict[str, Any]]]:
    """Return a function that rolls out a step of two groups of two answers; the first are scripted."""

    def roll(
        *answers: str, of: int = 2, rows: Sequence[Any] = ROWS, training: bool = True, **how: int
    ) -> tuple[ScriptedTrainer, dict[str, Any]]:
        trainer = ScriptedTrainer(
            [thought("So.", code, LANGUAGES["python"]) for code in answers], **how
        )
        trainer.model.training = training
        monkeypatch.setattr(turns, "_generate", trainer.generate)
        copies = trainer.num_generations if training else trainer.num_generations_eval
        prompts = [row["prompt"] for row in rows for _ in range(copies)]
        return trainer, Turns(ROWS, reward, of)(prompts, trainer)

    return roll


def test_half_of_the_groups_start_from_an_own_answer(roll_out: Callable[..., Any]) -> None:
    trainer, generated = roll_out(FORMULA)
    before, last = trainer.asked
    assert before == [QUESTIONS[1]], "one answer for the group that is at its second turn"
    assert last[:2] == [QUESTIONS[0]] * 2
    assert last[2] == last[3]
    assert FORMULA.strip() in last[2], "its own program replaces the original"
    assert SUM.statement in last[2]
    assert "passed all tests: yes" in last[2]
    assert LOOP.strip() not in last[2]
    assert [len(generated[name]) for name in ("prompt_ids", "completion_ids")] == [4, 4]
    assert trainer.batch_decode(generated["prompt_ids"]) == last
    assert generated["logprobs"] is None


def test_groups_alternate_between_turns(roll_out: Callable[..., Any]) -> None:
    assert [roll_out(step=step)[0].asked[0] for step in (0, 1, 2, 3)] == [[QUESTIONS[1]]] * 2 + [
        [QUESTIONS[0]]
    ] * 2


def test_failing_program_is_shown_with_its_verdict(
    roll_out: Callable[..., Any],
) -> None:
    trainer, _ = roll_out(BROKEN)
    assert BROKEN.strip() in trainer.asked[1][2]
    assert "passed all tests: no (wrong answer)" in trainer.asked[1][2]


def test_only_a_better_program_replaces_an_own_one(
    roll_out: Callable[..., Any],
) -> None:
    """With three turns, one group is at its second turn and the other at its third."""
    trainer, _ = roll_out(FORMULA, STEPS, BROKEN, of=3, step=2)
    first, second, last = trainer.asked
    assert first == list(QUESTIONS)
    assert [STEPS.strip() in prompt for prompt in second] == [True]
    assert [FORMULA.strip() in prompt for prompt in last] == [True, True, False, False]
    assert [STEPS.strip() in prompt for prompt in last] == [False, False, True, True]


def test_groups_with_the_same_prompt_stay_separate(roll_out: Callable[..., Any]) -> None:
    """All processes need the same number of groups to call vLLM equally often."""
    trainer, _ = roll_out(rows=[ROWS[0], ROWS[0], ROWS[0], ROWS[1]])
    assert [len(prompts) for prompts in trainer.asked] == [2, 8]


def test_evaluation_has_its_own_group_size(roll_out: Callable[..., Any]) -> None:
    trainer, generated = roll_out(training=False)
    assert [len(prompts) for prompts in trainer.asked] == [1, 8]
    assert len(generated["completion_ids"]) == 8


def test_vllm_generates_every_turn(reward: ExecutionReward) -> None:
    trainer = ScriptedTrainer([thought("So.", FORMULA, LANGUAGES["python"])])
    trainer.use_vllm, trainer.args.vllm_max_model_length = True, LIMIT
    engine = trainer.vllm_generation = ScriptedVllm(trainer)
    prompts = [row["prompt"] for row in ROWS for _ in range(2)]
    generated = Turns(ROWS, reward, 2)(prompts, trainer)
    before, last = trainer.asked
    assert before == [QUESTIONS[1]]
    assert engine.copies == [1, 2], "one answer before the last turn, then a group"
    assert FORMULA.strip() in last[2]
    assert trainer.batch_decode(generated["prompt_ids"]) == last
    assert trainer.batch_decode(generated["completion_ids"]) == ["nothing"] * 4
    assert generated["logprobs"] == [[-0.5] * len("nothing")] * 4, "those of the drawn tokens"


def test_turns_do_not_change_the_choice_of_vllm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from venus_toolkit.training.trainer import trainers

    monkeypatch.setattr(trainers, "find_spec", lambda _: object())
    monkeypatch.setattr(trainers, "require_supported_vllm", lambda: None)
    for keys, used in (({}, True), ({"use_vllm": True}, True), ({"use_vllm": False}, False)):
        recipe = read_recipe("grpo", turns=2, **keys)
        assert trainers._vllm(recipe, on_gpu=True)["use_vllm"] is used
    with pytest.raises(UsageError, match="cannot generate the answers"):
        trainers._vllm(read_recipe("grpo", turns=2, use_vllm=True), on_gpu=False)


def test_prompt_beyond_the_vllm_limit_is_dropped(reward: ExecutionReward) -> None:
    trainer = ScriptedTrainer([thought("So.", FORMULA, LANGUAGES["python"])])
    trainer.use_vllm, trainer.args.vllm_max_model_length = True, 300
    trainer.vllm_generation = ScriptedVllm(trainer)
    Turns(ROWS, reward, 2)([row["prompt"] for row in ROWS for _ in range(2)], trainer)
    assert trainer.asked[1][2] == QUESTIONS[1]


def test_split_group_is_refused() -> None:
    config = SimpleNamespace(
        per_device_train_batch_size=4, steps_per_generation=2, num_generations=8
    )
    require_whole_groups(config)
    config.num_generations = 16
    with pytest.raises(UsageError, match="a process generates 8 answers"):
        require_whole_groups(config)


def test_missing_templates_are_refused(reward: ExecutionReward, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="prompts of later turns would be different"):
        Turns(ROWS, reward, 2, tmp_path / "gone")


def test_unusable_answers_keep_the_prompt(
    roll_out: Callable[..., Any],
) -> None:
    assert roll_out()[0].asked[1][2] == QUESTIONS[1]
    assert roll_out(FORMULA, context=300)[0].asked[1][2] == QUESTIONS[1]
