"""Direct preference optimisation: the cheaper solution becomes more likely than the dearer one.

    L = -log sigmoid(beta * [log p(chosen)/p0(chosen) - log p(rejected)/p0(rejected)])    (Rafailov et al. 2023)

p0 is the model that training begins from. With adapters it is the model without them, so nothing is loaded twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from venus_toolkit.training.fit import settings
from venus_toolkit.training.model import adapters, parse_model
from venus_toolkit.training.recipe import Recipe


def dpo_trainer(recipe: Recipe, model: Any, tokenizer: Any, rows: Any, checkpoints: Path, precision: str) -> Any:
    """Return TRL's trainer for rows of ``prompt``, ``chosen`` and ``rejected``."""
    from trl import DPOConfig, DPOTrainer

    told = settings(recipe, checkpoints, precision)
    revision = parse_model(recipe.model).revision
    if revision and recipe.lora is None:
        told["model_init_kwargs"] = {"revision": revision}  # of the second copy, which TRL loads by its name
    config = DPOConfig(**told, max_length=recipe.max_length, beta=recipe.dpo.beta, loss_type=recipe.dpo.loss)
    return DPOTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, peft_config=adapters(recipe)
    )
