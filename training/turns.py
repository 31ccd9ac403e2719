"""GRPO over several turns.

A group of answers may start from an answer of the model itself, as in the iterative loop.

    the row's prompt ─▶ one answer ─▶ judged, measured ─▶ a prompt with it as the original ─▶ a group
                            ▲                                           │
                            └────────── until the group's turn ◀────────┘

The groups of a step are spread evenly over the turns. In every turn before the last, the model
gives one answer for the group; it replaces the program in the prompt if its reward is higher, as in
the loop's mode ``single-turn``. All answers are compared with the row's own original: it is the
same for the whole group, so the advantages do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.errors import UsageError
from venus_toolkit.models.answers import read_answer
from venus_toolkit.models.client import conversation
from venus_toolkit.models.prompts import VERDICT, render_prompt
from venus_toolkit.training.reward.grading import AnswerOutcome, TaskAnswer
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.reward_tasks import TaskReference, read_reference

Conversation = Sequence[Mapping[str, str]]


class GroupState(NamedTuple):
    """The state of a group: its prompt, and the reward of the program in that prompt.

    The reward is None while that program is the row's own.
    """

    reference: TaskReference
    prompt: Conversation
    score: float | None = None


class Turns:
    """TRL's `rollout_func` of `GRPOTrainer`.

    vLLM generates the answers if the trainer uses it (TRL updates its weights before the call),
    otherwise transformers does.

    Args:
        rows: The rows of the GRPO set.
        reward: Judges the answers before the last turn.
        turns: Number of answers in the longest episode.
        templates: A folder with the user's own prompt templates.
        feedback: How prompts describe a failing answer: ``verdict``, or ``diff``, which quotes
            tests.

    Raises:
        UsageError: The folder of templates does not exist.
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        reward: ExecutionReward,
        turns: int,
        templates: Path | None = None,
        feedback: str = VERDICT,
    ) -> None:
        if templates and not templates.is_dir():
            reason = (
                f"the set's first prompts were rendered with the templates in {templates}, and that "
                "folder does not exist"
            )
            fix = "restore that folder, or derive the set again"
            raise UsageError("prompts of later turns would be different", reason, fix)
        self._references = {_text(row["prompt"]): read_reference(row) for row in rows}
        self._reward, self._turns, self._templates, self._feedback = (
            reward,
            turns,
            templates,
            feedback,
        )

    def __call__(self, prompts: Sequence[Conversation], trainer: Any) -> dict[str, Any]:
        """Return the tokens of the last turn's prompts, and of an answer to each.

        Consecutive copies of a prompt are a group. All processes have the same number of groups at
        the same turns, because vLLM as a server generates for all of them at once.
        """
        training = trainer.model.training
        size = trainer.num_generations if training else trainer.num_generations_eval
        groups = [prompts[first : first + size] for first in range(0, len(prompts), size)]
        states = [GroupState(self._references[_text(group[0])], group[0]) for group in groups]
        # TRL trains on the same batch of answers `num_iterations` times.
        began = trainer.state.global_step // trainer.args.num_iterations
        last = [(began + number) % self._turns for number in range(len(groups))]
        for turn in range(self._turns - 1):
            active = [number for number, at in enumerate(last) if at > turn]
            prompts_now = [states[number].prompt for number in active]
            tokens = _generate(trainer, prompts_now).completion_ids
            texts = trainer.processing_class.batch_decode(tokens, skip_special_tokens=True)
            answers = [
                TaskAnswer(states[number].reference, text)
                for number, text in zip(active, texts, strict=True)
            ]
            for number, text, outcome in zip(
                active, texts, self._reward.grader.grade(answers), strict=True
            ):
                states[number] = self._after(states[number], text, outcome, trainer)
        final = [state.prompt for state, group in zip(states, groups, strict=True) for _ in group]
        return _generate(trainer, final, copies=size)._asdict()

    def _after(
        self, state: GroupState, text: str, outcome: AnswerOutcome, trainer: Any
    ) -> GroupState:
        """Return the state of a group after an answer.

        It is unchanged if the answer has no program, or does not have a higher reward.
        """
        grader = self._reward.grader
        tasks, reference = grader.tasks, state.reference
        code = read_answer(text, tasks.language(reference), tasks.starter(reference)).code
        score = outcome.reward.score if outcome.reward else None
        if code is None or score is None or (state.score is not None and score <= state.score):
            return state
        request = replace(grader.request(state.reference), templates=self._templates).after(
            code, outcome.verdict, outcome.reason, outcome.total, self._feedback
        )
        prompt = conversation(render_prompt(request))
        # A prompt that is too long for the model is not used. vLLM has its own limit.
        longest = trainer.model.config.max_position_embeddings
        if trainer.use_vllm:
            longest = min(longest, trainer.args.vllm_max_model_length or longest)
        if len(_tokens(trainer, [prompt])[0]) > longest - trainer.args.max_completion_length:
            return state
        return GroupState(state.reference, prompt, score)


def require_whole_groups(config: Any) -> None:
    """Refuse a `GRPOConfig` that splits a group between processes.

    All answers of a group need the same prompt.

    Raises:
        UsageError: A group is split; the error names the numbers.
    """
    batch, group = (
        config.per_device_train_batch_size * config.steps_per_generation,
        config.num_generations,
    )
    if batch % group:
        reason = f"a process generates {batch} answers at a time, and a group has {group}"
        raise UsageError(
            "groups cannot have several turns", reason, "train on fewer devices, or set turns = 1"
        )


def _text(prompt: Conversation) -> str:
    return "\n".join(message["content"] for message in prompt)


def _tokens(trainer: Any, prompts: Sequence[Conversation]) -> list[list[int]]:
    template = trainer.processing_class.apply_chat_template
    tokens: list[list[int]] = template(
        [list(prompt) for prompt in prompts],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
    )["input_ids"]
    return tokens


class GeneratedTurns(NamedTuple):
    """The result of a `rollout_func`: tokens, including the end-of-text token, and log probabilities.

    `logprobs` are those of the answers' tokens, from vLLM; None with transformers.
    """

    prompt_ids: list[list[int]]
    completion_ids: list[list[int]]
    logprobs: list[list[float]] | None


def _generate(trainer: Any, prompts: Sequence[Conversation], copies: int = 1) -> GeneratedTurns:
    """Return an answer to each prompt; each prompt appears `copies` times in a row."""
    if not prompts:
        return GeneratedTurns([], [], None)
    if trainer.use_vllm:
        prompt_ids = _tokens(trainer, prompts)
        _, answers, logprobs, _ = trainer.vllm_generation.generate(
            prompts=prompt_ids, images=None, num_generations=copies
        )
        # vLLM lists several candidates for each token: the first one was sampled
        return GeneratedTurns(
            prompt_ids, answers, [[candidates[0] for candidates in tokens] for tokens in logprobs]
        )
    import torch
    from trl.models import unwrap_model_for_generation

    tokenizer, device = trainer.processing_class, trainer.accelerator.device
    prompt_ids = _tokens(trainer, prompts)
    padded = tokenizer.pad({"input_ids": prompt_ids}, padding_side="left", return_tensors="pt").to(
        device
    )
    with (
        torch.no_grad(),
        unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model,
    ):
        generated = model.generate(**padded, generation_config=trainer.generation_config)
    answers = generated[:, padded["input_ids"].shape[1] :].tolist()
    end = tokenizer.eos_token_id
    ended = [answer[: answer.index(end) + 1] if end in answer else answer for answer in answers]
    return GeneratedTurns(prompt_ids, ended, None)
