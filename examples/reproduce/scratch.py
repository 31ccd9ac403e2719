"""A base model from scratch: a tokenizer and a small transformer, trained on a few conversations.

It is for experiments on a small machine, and knows only its training texts. A token may be a whole
line of code, but digits are single tokens, so a program has a few dozen tokens and its numbers can
be copied digit by digit.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import digest
from venus_toolkit.core.store import Store, read_json
from venus_toolkit.models.client import Prompt, conversation
from venus_toolkit.training.trainer.fit import quiet
from venus_toolkit.training.trainer.model_files import parse_model

FACTS = "base.json"


class Lesson(NamedTuple):
    """A prompt and its answer."""

    prompt: Prompt
    answer: str


@dataclass(frozen=True, slots=True)
class Scratch:
    """The size and the training of a base model."""

    vocabulary: int = 512  # maximum number of tokens
    hidden: int = 128  # hidden size of the transformer
    layers: int = 3
    heads: int = 4
    context: int = 512  # maximum number of tokens in a text
    # Adam with a short warm-up and a linear decay; only answers are learnt.
    steps: int = 600
    batch: int = 32
    learning_rate: float = 3e-3
    seed: int = 0


def make_base(
    lessons: Sequence[Lesson],
    folder: Path,
    how: Scratch,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Mapping[str, Any]:
    """Write a base model into a folder unless it exists; returns its facts.

    Raises:
        StoreError: The folder cannot be written.
    """
    identity = {"how": asdict(how), "lessons": digest([list(lesson) for lesson in lessons])}
    known = read_base(folder)
    if known and {name: known.get(name) for name in identity} == identity:
        return known
    with Store(folder) as store, quiet():
        tokenizer = make_tokenizer(
            (f"{lesson.prompt[-1].content}\n{lesson.answer}" for lesson in lessons), how
        )
        model = _new_model(tokenizer, how)
        losses = _teach(model, [_tokens(lesson, tokenizer) for lesson in lessons], how, progress)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        facts = {
            **identity,
            "parameters": model.num_parameters(),
            "tokens": len(tokenizer),
            "losses": losses,
        }
        # Written last: a folder without this file has no complete model.
        store.write_text(FACTS, json.dumps(facts) + "\n")
    return facts


def note_pretrained(
    model: str, folder: Path, progress: Callable[[str, int, int], None] = lambda *_: None
) -> Mapping[str, Any]:
    """Write the facts of a pretrained base model into a folder; its weights are not copied.

    Raises:
        UsageError: The model does not exist.
        MachineError: The model cannot be downloaded.
        StoreError: The folder cannot be written.
    """
    known = read_base(folder)
    if known and known.get("model") == model:
        return known
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    where, revision = parse_model(model, progress)
    try:
        config = AutoConfig.from_pretrained(where, revision=revision, trust_remote_code=False)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0][:300]
        raise UsageError(
            f"{model} cannot be loaded", reason, "check model in the preset"
        ) from error
    with torch.device("meta"):
        parameters = AutoModelForCausalLM.from_config(config).num_parameters()
    facts = {"model": model, "parameters": parameters}
    with Store(folder) as store:
        store.write_text(FACTS, json.dumps(facts) + "\n")
    return facts


def read_base(folder: Path) -> dict[str, Any]:
    """Return the facts of the base model in a folder; empty without a complete model."""
    return read_json(folder / FACTS) or {}


def make_tokenizer(texts: Iterable[str], how: Scratch) -> Any:
    """Return a tokenizer of bytes and of frequent byte sequences within a line, trained on texts."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    special = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
    inner = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(r"\d|[^\d\n]+\n?|\n"), behavior="isolated")
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        # Without use_regex=False, ByteLevel would split the lines into words again.
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=how.vocabulary,
        special_tokens=list(special),
        # every byte is a token, so every text can be encoded
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token=special[0], eos_token=special[1]
    )
    tokenizer.chat_template = (
        Path(__file__).with_name("chat.j2").read_text(encoding="utf-8").strip()
    )
    return tokenizer


def _new_model(tokenizer: Any, how: Scratch) -> Any:
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(how.seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=how.hidden,
        intermediate_size=2 * how.hidden,
        num_hidden_layers=how.layers,
        num_attention_heads=how.heads,
        num_key_value_heads=how.heads,
        head_dim=how.hidden // how.heads,
        max_position_embeddings=how.context,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)


def _tokens(lesson: Lesson, tokenizer: Any) -> dict[str, list[int]]:
    """Return a lesson as a row of a batch, without padding; only the answer has labels."""
    asked = conversation(lesson.prompt)
    whole = [*asked, {"role": "assistant", "content": lesson.answer}]
    plain = {"tokenize": True, "return_dict": False}
    prompt = len(tokenizer.apply_chat_template(asked, add_generation_prompt=True, **plain))
    tokens = list(tokenizer.apply_chat_template(whole, **plain))
    # The template renders the prompt the same way both times, so its tokens are a prefix.
    labels = [-100] * prompt + tokens[prompt:]  # -100: torch leaves the token out of the loss
    return {"input_ids": tokens, "labels": labels, "attention_mask": [1] * len(tokens)}


def _teach(
    model: Any,
    lessons: Sequence[Mapping[str, list[int]]],
    how: Scratch,
    progress: Callable[[str, int, int], None],
) -> list[float]:
    """Train on the lessons in random order, for several epochs; returns the loss of each step."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=how.learning_rate, weight_decay=0.01)
    rising = max(1, round(0.05 * how.steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(
            (step + 1) / rising, max(0.02, (how.steps - step) / max(1, how.steps - rising))
        ),
    )
    padding = {"input_ids": 0, "labels": -100, "attention_mask": 0}
    rng, losses = random.Random(how.seed), []
    order: list[Mapping[str, list[int]]] = []
    for step in range(how.steps):
        while len(order) < how.batch:  # a new epoch: each lesson once
            order += rng.sample(lessons, len(lessons))
        batch, order = order[: how.batch], order[how.batch :]
        inputs = {
            name: pad_sequence([torch.tensor(row[name]) for row in batch], True, filler).to(device)
            for name, filler in padding.items()
        }
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            loss = model(**inputs).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        progress("base", step + 1, how.steps)
    model.to("cpu").eval()
    return losses
