"""Supervised fine-tuning, which cold start is too: the model learns the answer, not the prompt.

The loss is the mean of -log p(token | prompt, answer so far) over the answer's tokens alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from venus_toolkit.training.fit import settings
from venus_toolkit.training.model import adapters
from venus_toolkit.training.recipe import Recipe


def sft_trainer(recipe: Recipe, model: Any, tokenizer: Any, rows: Any, checkpoints: Path, precision: str) -> Any:
    """Return TRL's trainer for rows of ``prompt`` and ``completion``."""
    from trl import SFTConfig, SFTTrainer

    told = settings(recipe, checkpoints, precision)
    config = SFTConfig(**told, max_length=recipe.max_length, completion_only_loss=True, packing=False)
    return SFTTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, peft_config=adapters(recipe)
    )
