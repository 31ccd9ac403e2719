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
        self.model = SimpleNamespace(
            config=SimpleNamespace(max_position_embeddings=context), training=True
        )
        self.num_generations, self.num_generations_eval = 2, 4
        self.processing_class, self.use_vllm = self, False

    def batch_decode(self, tokens: Sequence[Sequence[int]], **_: Any) -> list[str]:
        return ["".join(map(chr, each)) for each in tokens]

    def apply_chat_template(
        self, prompts: Sequence[Sequence[Any]], **_: Any
    ) -> dict[str, list[list[int]]]:
        return {"input_ids": [[ord(each) for each in turns._text(prompt)] for prompt in prompts]}

    def generate(self, _: Any, prompts: Sequence[Any], copies: int = 1) -> GeneratedTurns:
        assert len(prompts) % copies == 0
        self.asked.append([turns._text(each) for each in prompts])
        answers = [self.answers.pop(0) if self.answers else "nothing" for _ in prompts]
        asked = self.apply_chat_template(prompts)["input_ids"]
        return GeneratedTurns(asked, [list(map(ord, each)) for each in answers], None)


class Engine:
    """TRL's vLLM: tokens of prompts in; answers of a trainer's script and their log-probabilities out."""

    def __init__(self, trainer: Scripted) -> None:
        self.trainer, self.copies = trainer, list[int]()

    def generate(
        self, prompts: list[list[int]], images: None, num_generations: int
    ) -> tuple[list[list[int]], list[list[int]], list[list[list[float]]], None]:
        self.copies.append(num_generations)
        groups = [
            prompts[at : at + num_generations] for at in range(0, len(prompts), num_generations)
        ]
        assert all(each == group[0] for group in groups for each in group), (
            "a server asks the first"
        )
        self.trainer.asked.append(self.trainer.batch_decode(prompts))
        script = self.trainer.answers
        answers = [list(map(ord, script.pop(0) if script else "nothing")) for _ in prompts]
        return prompts, answers, [[[-0.5, -9.0] for _ in tokens] for tokens in answers], None


@pytest.fixture
def roll_out(
    reward: ExecutionReward, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Scripted, dict[str, Any]]]:
    """Roll out a step of two groups of two answers; the first answers are those of a script."""

    def roll(
        *answers: str, of: int = 2, rows: Sequence[Any] = ROWS, training: bool = True, **how: int
    ) -> tuple[Scripted, dict[str, Any]]:
        trainer = Scripted([thought("So.", each, LANGUAGES["python"]) for each in answers], **how)
        trainer.model.training = training
        monkeypatch.setattr(turns, "_generate", trainer.generate)
        copies = trainer.num_generations if training else trainer.num_generations_eval
        prompts = [row["prompt"] for row in rows for _ in range(copies)]
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


def test_groups_with_the_same_prompt_stay_groups(roll_out: Callable[..., Any]) -> None:
    """Each process has as many, so that those that ask vLLM together ask equally often."""
    trainer, _ = roll_out(rows=[ROWS[0], ROWS[0], ROWS[0], ROWS[1]])
    assert [len(each) for each in trainer.asked] == [2, 8]


def test_an_evaluation_has_groups_of_its_own_size(roll_out: Callable[..., Any]) -> None:
    trainer, made = roll_out(training=False)
    assert [len(each) for each in trainer.asked] == [1, 8]
    assert len(made["completion_ids"]) == 8


def test_vllm_answers_every_turn(reward: ExecutionReward) -> None:
    trainer = Scripted([thought("So.", FORMULA, LANGUAGES["python"])])
    trainer.use_vllm, trainer.args.vllm_max_model_length = True, LIMIT
    engine = trainer.vllm_generation = Engine(trainer)
    prompts = [row["prompt"] for row in ROWS for _ in range(2)]
    made = Turns(ROWS, reward, 2)(prompts, trainer)
    before, last = trainer.asked
    assert before == [QUESTIONS[1]]
    assert engine.copies == [1, 2], "one answer before the last turn, then a group"
    assert FORMULA.strip() in last[2]
    assert trainer.batch_decode(made["prompt_ids"]) == last
    assert trainer.batch_decode(made["completion_ids"]) == ["nothing"] * 4
    assert made["logprobs"] == [[-0.5] * len("nothing")] * 4, "those of the drawn tokens"


def test_several_turns_do_not_decide_who_writes_the_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from venus_toolkit.training.trainer import trainers

    monkeypatch.setattr(trainers, "find_spec", lambda _: object())
    monkeypatch.setattr(trainers, "require_supported_vllm", lambda: None)
    for given, used in (({}, True), ({"use_vllm": True}, True), ({"use_vllm": False}, False)):
        told = read_recipe("grpo", turns=2, **given)
        assert trainers._vllm(told, on_gpu=True)["use_vllm"] is used
    with pytest.raises(UsageError, match="cannot generate the answers"):
        trainers._vllm(read_recipe("grpo", turns=2, use_vllm=True), on_gpu=False)


def test_a_prompt_that_vllm_cannot_hold_is_not_asked(reward: ExecutionReward) -> None:
    trainer = Scripted([thought("So.", FORMULA, LANGUAGES["python"])])
    trainer.use_vllm, trainer.args.vllm_max_model_length = True, 300
    trainer.vllm_generation = Engine(trainer)
    Turns(ROWS, reward, 2)([row["prompt"] for row in ROWS for _ in range(2)], trainer)
    assert trainer.asked[1][2] == QUESTIONS[1]


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
