"""Recipes: the bundled ones are the paper's, and what makes no sense is refused with a sentence."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.errors import UsageError
from venus_toolkit.training.grpo import sampling
from venus_toolkit.training.pipeline import order_methods, read_recipes
from venus_toolkit.training.recipe import METHODS, TABLES, Lora, Recipe, bundled, differences, make_recipe, read_recipe

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
LEAST: dict[str, Any] = {"method": "sft", "learning_rate": 1e-4}


def test_there_is_a_recipe_and_a_small_one_for_each_method() -> None:
    assert bundled() == sorted([*METHODS, *(f"{method}-small" for method in METHODS)])
    for name in bundled():
        assert read_recipe(name).method == name.removesuffix("-small")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sft", {"learning_rate": 3e-5, "warmup_steps": 200, "batch": 64, "device_batch": 4, "clip": 1.0, "epochs": 1}),
        ("dpo", {"learning_rate": 4e-5, "warmup_steps": 300, "batch": 16, "device_batch": 2, "epochs": 1}),
        ("cold-start", {"learning_rate": 5e-5, "warmup_steps": 50, "batch": 4, "max_length": 32_768, "lora": None}),
        ("grpo", {"learning_rate": 1e-6, "batch": 32 * 16, "device_batch": 4, "epochs": 20, "lora": None}),
    ],
)
def test_the_default_recipes_are_the_papers(name: str, expected: dict[str, Any]) -> None:
    recipe = read_recipe(name)
    assert {key: getattr(recipe, key) for key in expected} == expected
    assert recipe.model == "Qwen/Qwen2.5-3B-Instruct"
    assert recipe.precision == "bf16"


def test_what_the_paper_says_of_single_methods() -> None:
    assert read_recipe("sft").lora == Lora(8, 16)
    assert read_recipe("dpo").lora == Lora(16, 16, 0.05)
    assert (read_recipe("dpo").dpo.beta, read_recipe("dpo").dpo.loss) == (0.1, "sigmoid")
    assert read_recipe("cold-start").optimizer == "adamw_bnb_8bit"
    assert {read_recipe(name).schedule for name in ("sft", "dpo", "cold-start")} == {"cosine"}
    grpo = read_recipe("grpo")
    assert (grpo.grpo.generations, grpo.grpo.temperature, grpo.grpo.kl, grpo.grpo.entropy) == (16, 1.0, 0.0, 0.0)
    assert (grpo.reward.form, grpo.reward.correctness) == (0.2, 0.5)
    assert (grpo.reward.efficiency, grpo.reward.final_efficiency) == (0.3, 0.5)


def test_flags_go_over_the_file_and_into_its_tables() -> None:
    recipe = read_recipe("grpo", model="here", seed=None, batch=8, grpo={"generations": 4})
    assert (recipe.model, recipe.seed, recipe.batch) == ("here", 0, 8)
    assert (recipe.grpo.generations, recipe.grpo.max_completion) == (4, 4096)


def test_a_chat_template_lies_beside_its_recipe(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('method = "sft"\nlearning_rate = 1e-4\nchat_template = "chat.jinja"\n')
    assert read_recipe(str(tmp_path / "mine.toml")).chat_template == str(tmp_path / "chat.jinja")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"learning_rat": 1}, "unknown keys: learning_rat"),
        ({"lora": {"ranks": 8}}, r"\[lora\] has unknown keys: ranks"),
        ({"lora": 8}, "lora must be a table"),
        ({"method": "ppo"}, "unknown method 'ppo'"),
        ({"learning_rate": "fast"}, "learning_rate must be a number"),
        ({"batch": 0}, "batch is 0"),
        ({"batch": 6, "device_batch": 4}, "no multiple of device_batch"),
        ({"overlong": "cut"}, "unknown overlong 'cut'"),
        ({"dpo": {"loss": "mine"}}, "unknown dpo.loss 'mine'"),
        ({"grpo": {"scale": "mine"}}, "unknown grpo.scale 'mine'"),
        ({"method": "grpo", "batch": 8, "device_batch": 2, "grpo": {"generations": 3}}, "no multiple of generations"),
        ({"method": "grpo", "grpo": {"max_completion": 4096}}, "leaves no room for a prompt"),
        ({"reward": {"figure": "gpu"}}, "unknown reward.figure"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word) as refused:
        make_recipe(**{**LEAST, **changes})
    assert refused.value.fix


def test_a_recipe_says_what_it_must() -> None:
    with pytest.raises(UsageError, match="does not say learning_rate"):
        make_recipe(method="sft")


def test_a_recipe_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read") as refused:
        read_recipe("sft-huge")
    assert "sft-small" in refused.value.fix
    (tmp_path / "broken.toml").write_text("method = \n")
    with pytest.raises(UsageError, match="cannot be read"):
        read_recipe(str(tmp_path / "broken.toml"))


def test_what_is_only_memory_or_speed_makes_no_other_run() -> None:
    one, two = make_recipe(**LEAST), make_recipe(**LEAST, device_batch=1, save_steps=7, recompute=False)
    assert differences(two.plain(), one.plain()) == []
    assert differences(make_recipe(**LEAST, seed=1).plain(), one.plain()) == ["seed was 0 and is 1"]


def test_a_recipe_keeps_only_what_counts_for_its_method() -> None:
    assert {"dpo", "grpo", "vllm", "reward"}.isdisjoint(make_recipe(**LEAST).plain())
    assert {"grpo", "vllm", "reward"} < read_recipe("grpo").plain().keys()


@pytest.mark.parametrize("page", ["train.md", "train-dpo.md", "train-grpo.md"])
def test_recipes_in_the_pages_can_be_read(page: str, tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "shown.toml").write_text(block)
    assert read_recipe(str(tmp_path / "shown.toml")).method in METHODS


def test_the_page_shows_every_key_of_a_recipe() -> None:
    shown = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("train.md", "train-dpo.md", "train-grpo.md"))
    records = (Recipe, *TABLES.values())
    keys = {each.name for record in records for each in dataclasses.fields(record)} - set(TABLES)
    assert sorted(key for key in keys if not re.search(rf"^{key} = |`{key}`", shown, re.MULTILINE)) == ["max_steps"]


# ------------------------------------------------------------------ the chain


def test_methods_are_done_in_the_order_of_the_paper() -> None:
    assert order_methods(["grpo", "dpo", "sft", "cold-start"]) == ["cold-start", "sft", "dpo", "grpo"]
    assert order_methods(["cold-start", "grpo"]) == ["cold-start", "grpo"]
    assert order_methods(["dpo", "sft"]) == ["sft", "dpo"]


def test_a_chain_has_no_hole() -> None:
    with pytest.raises(UsageError, match="dpo begins from the sft model"):
        order_methods(["cold-start", "dpo"])


def test_recipes_of_a_folder_are_for_their_methods(tmp_path: Path) -> None:
    (tmp_path / "sft.toml").write_text('method = "sft"\nlearning_rate = 1e-4\n')
    assert read_recipes(str(tmp_path), ["sft"], model="mine")["sft"].model == "mine"
    (tmp_path / "dpo.toml").write_text('method = "sft"\nlearning_rate = 1e-4\n')
    with pytest.raises(UsageError, match="no recipe for dpo"):
        read_recipes(str(tmp_path), ["dpo"])


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_the_scale_of_advantages_reaches_the_trainer(scale: str) -> None:
    recipe = make_recipe(method="grpo", learning_rate=1e-4, batch=16, grpo={"scale": scale, "max_completion": 8})
    assert sampling(recipe)["scale_rewards"] == scale


def test_the_papers_recipe_divides_as_the_paper_does() -> None:
    assert read_recipe("grpo").grpo.scale == "group"
