"""Real models for tests: a tiny one with random weights, and the pretrained embedded model.

The tiny model is created on demand, with a byte tokenizer, two layers and a chat template.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.models.embedded import embedded_folder

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}{% generation %}{{ "
    "m.content }}<|end|>"
    "{% endgeneration %}{% else %}{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SIZES = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "head_dim": 32,
}


def write_model(folder: Path, **sizes: int) -> Path:
    """Write the tiny model and its tokenizer to a folder and return it; `sizes` override SIZES.

    Its answers are noise, but reproducible for a seed.
    """
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = make_tokenizer()
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **{**SIZES, **sizes},
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tokenizer() -> Any:
    """Return a tokenizer with a token for every byte and a simple chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {letter: number for number, letter in enumerate(["<pad>", "<|end|>", *letters])}
    inner = Tokenizer(models.BPE(vocab=words, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<|end|>")
    made.chat_template = TEMPLATE
    return made


def pretrained_model() -> Path:
    """Return the folder of the embedded model; skip the test if it can neither be found nor downloaded."""
    try:
        return embedded_folder()
    except (MachineError, UsageError) as error:
        pytest.skip(f"{error.what}: {error.why}")
