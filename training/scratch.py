"""A base model from nothing: a tokenizer and a small transformer, both trained on the spot on a few conversations.

For experiments on one's own machine: it knows the texts that it was shown and nothing else. Tokens may be as long as a
line of code, digits stand alone, so that a program is a few dozen tokens and its numbers can be copied one by one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.llm import Prompt
from venus_toolkit.records import digest
from venus_toolkit.store import Store
from venus_toolkit.training.fit import quiet

CHAT = Path(__file__).with_name("chat.j2")
SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
PIECES = r"\d|[^\d\n]+\n?|\n"
SAID = "base.json"
IGNORED = -100
WARM_UP = 0.05


class Lesson(NamedTuple):
    """A prompt, and what is answered."""

    prompt: Prompt
    answer: str


@dataclass(frozen=True, slots=True)
class Scratch:
    """How large a base model is and how long it learns.

    vocabulary: tokens at most. hidden, layers, heads: of the transformer; context: tokens that it takes. steps, batch,
    learning_rate: of Adam, on the answers alone, with a short warm-up and a linear decay.
    """

    vocabulary: int = 512
    hidden: int = 128
    layers: int = 3
    heads: int = 4
    context: int = 512
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
    """Write a base model into a folder, unless it is there already; returns what is known of it.

    Args:
        lessons: What it learns from.
        folder: Where to.
        how: Its size and its schooling.
        progress: Told a stage, how much of it is done, and how much there is.

    Raises:
        StoreError: The folder cannot be written.
    """
    told = {"how": asdict(how), "lessons": digest([list(each) for each in lessons])}
    known = read_base(folder)
    if known and {name: known.get(name) for name in told} == told:
        return known
    with Store(folder) as store, quiet():
        tokenizer = make_tokenizer((f"{each.prompt[-1].content}\n{each.answer}" for each in lessons), how)
        model = _new_model(tokenizer, how)
        losses = _teach(model, [_tokens(each, tokenizer) for each in lessons], how, progress)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        facts = {**told, "parameters": model.num_parameters(), "tokens": len(tokenizer), "losses": losses}
        store.write_text(SAID, json.dumps(facts) + "\n")
    return facts


def read_base(folder: Path) -> dict[str, Any]:
    """Return what is known of the base model in a folder; nothing where there is none, or not all of it."""
    try:
        found = json.loads((folder / SAID).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def make_tokenizer(texts: Iterable[str], how: Scratch) -> Any:
    """Return a tokenizer of bytes and of the most frequent sequences of them within a line, trained on texts."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PIECES), behavior="isolated")
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=how.vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token=SPECIAL[0], eos_token=SPECIAL[1])
    made.chat_template = CHAT.read_text(encoding="utf-8").strip()
    return made


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


class _Tokens(NamedTuple):
    """A lesson's tokens, and how many of them are the prompt's."""

    all: list[int]
    prompt: int


def _tokens(lesson: Lesson, tokenizer: Any) -> _Tokens:
    asked = [message._asdict() for message in lesson.prompt]
    whole = [*asked, {"role": "assistant", "content": lesson.answer}]
    told = {"tokenize": True, "return_dict": False}
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, **told)
    return _Tokens(list(tokenizer.apply_chat_template(whole, **told)), len(prompt))


def _teach(
    model: Any, lessons: Sequence[_Tokens], how: Scratch, progress: Callable[[str, int, int], None]
) -> list[float]:
    """Train on the lessons in a drawn order, again and again; returns the loss of each step."""
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=how.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, how.steps))
    order, losses = _endless(len(lessons), how.seed), []
    for step in range(how.steps):
        batch = [lessons[next(order)] for _ in range(how.batch)]
        inputs = {name: value.to(device) for name, value in _padded(batch).items()}
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


def _rate(step: int, steps: int) -> float:
    """Return the share of the learning rate at a step."""
    rising = max(1, round(WARM_UP * steps))
    return min((step + 1) / rising, max(0.02, (steps - step) / max(1, steps - rising)))


def _endless(count: int, seed: int) -> Iterator[int]:
    """Yield numbers below `count` for ever, each once before any comes again."""
    rng = random.Random(seed)
    while True:
        yield from rng.sample(range(count), count)


def _padded(batch: Sequence[_Tokens]) -> dict[str, Any]:
    """Return the tensors of a batch; only answers have labels."""
    import torch

    longest = max(len(each.all) for each in batch)
    rows = [each.all + [0] * (longest - len(each.all)) for each in batch]
    labels = [
        [IGNORED] * each.prompt + each.all[each.prompt :] + [IGNORED] * (longest - len(each.all)) for each in batch
    ]
    mask = [[1] * len(each.all) + [0] * (longest - len(each.all)) for each in batch]
    return {"input_ids": torch.tensor(rows), "labels": torch.tensor(labels), "attention_mask": torch.tensor(mask)}
