"""Prints the table in docs/paper.md that compares GRPO in the paper with `grpo-paper` and `grpo`.

.venv/bin/python -m tools.recipe_table | tools/update-readme docs/paper.md recipes markdown

The columns of the recipes come from their files. The rows are the keys that the paper specifies,
and those in which the two recipes differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from venus_toolkit.training.recipe import flat, read_recipe

UNKNOWN = "\N{EN DASH}"
NAMES = ("grpo-paper", "grpo")
# Settings in the paper and its authors' scripts, by the keys of a recipe.
PAPER = {
    "model": "Qwen/Qwen2.5-3B-Instruct, after cold start",
    "num_train_epochs": "20",
    "learning_rate": "1e-06",
    "answers of a step": "512: 16 answers to each of 32 prompts",
    "per_device_train_batch_size": "4",
    "num_generations": "16",
    "temperature": "1.0",
    "beta": "0.0: no KL",
    "entropy_coef": "0.0",
    "scale_rewards": "group: by the standard deviation over the answers to one prompt",
    "reward.form": "0.2",
    "reward.correctness": "0.5",
    "reward.efficiency": "0.3",
    "reward.final_efficiency": "0.5",
    "reward.figure": "time",
    "reward.rule": "any difference",
    "reward.fresh": "0: the tests of the task",
    "reward.reseed": "false: the inputs of the task",
}


def values(name: str) -> dict[str, Any]:
    """Return the settings of a bundled recipe by key, with the answers of a step."""
    recipe = read_recipe(name)
    return {"answers of a step": recipe.step_rows, **dict(flat(recipe.plain()))}


def table_lines(recipes: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the table in Markdown for recipes by name."""
    yield f"| | the paper | {' | '.join(f'recipe `{name}`' for name in recipes)} |"
    yield f"|---|---|{'---|' * len(recipes)}"
    own_keys = {key for recipe in recipes.values() for key in recipe}
    for key in dict.fromkeys([*PAPER, *sorted(own_keys)]):
        cells = [shown(recipe.get(key)) for recipe in recipes.values()]
        if key in PAPER or len(set(cells)) > 1:
            label = key if " " in key else f"`{key}`"
            yield f"| {label} | {PAPER.get(key, UNKNOWN)} | {' | '.join(cells)} |"


def shown(value: Any) -> str:
    """Return a value as in a recipe."""
    if value is None:
        return UNKNOWN
    return str(value).lower() if isinstance(value, bool) else str(value)


def main() -> None:
    """Print the table."""
    click.echo("\n".join(table_lines({name: values(name) for name in NAMES})))


if __name__ == "__main__":
    main()
