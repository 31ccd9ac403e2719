"""Recipes: the bundled ones match the paper, and invalid ones are refused."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.options import named_files
from venus_toolkit.training import recipe as recipes
from venus_toolkit.training.recipe import (
    DEFAULTS,
    FOLDER,
    LORA,
    METHODS,
    NOT_TRL,
    OF_METHOD,
    OLDEST_TRL,
    OWN,
    RewardSettings,
    differences,
    make_recipe,
    read_recipe,
)
from venus_toolkit.training.trainer.pipeline import order_methods, read_recipes

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
LEAST: dict[str, Any] = {"method": "sft", "learning_rate": 1e-4}


def test_each_method_has_a_recipe_and_a_small_one() -> None:
    assert named_files(FOLDER) == sorted(
        [*METHODS, *(f"{method}-small" for method in METHODS), "grpo-paper"]
    )
    for name in named_files(FOLDER):
        assert read_recipe(name).method == name.removesuffix("-small").removesuffix("-paper")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "sft",
            {
                "learning_rate": 3e-5,
                "warmup_steps": 200,
                "gradient_accumulation_steps": 16,
                "max_grad_norm": 1.0,
            },
        ),
        (
            "dpo",
            {
                "learning_rate": 4e-5,
                "warmup_steps": 300,
                "per_device_train_batch_size": 2,
                "num_train_epochs": 1,
            },
        ),
        (
            "cold-start",
            {"learning_rate": 5e-5, "warmup_steps": 50, "max_length": 32_768, "lora": None},
        ),
        (
            "grpo-paper",
            {
                "learning_rate": 1e-6,
                "per_device_train_batch_size": 4,
                "num_train_epochs": 20,
                "lora": None,
            },
        ),
    ],
)
def test_recipes_match_the_paper(name: str, expected: dict[str, Any]) -> None:
    recipe = read_recipe(name)
    assert {key: recipe.plain()[key] for key in expected} == expected
    assert recipe.model == "Qwen/Qwen2.5-3B-Instruct"
    assert recipe.trl["bf16"] is True
    assert recipe.step_rows == {"sft": 64, "dpo": 16, "cold-start": 4, "grpo-paper": 32 * 16}[name]


def test_method_settings_match_the_paper() -> None:
    sft, dpo, cold_start, grpo = (
        read_recipe(name) for name in ("sft", "dpo", "cold-start", "grpo-paper")
    )
    assert sft.lora == {**LORA, "r": 8, "lora_alpha": 16}
    assert dpo.lora == {**LORA, "r": 16, "lora_alpha": 16, "lora_dropout": 0.05}
    assert (dpo.trl["beta"], dpo.trl["loss_type"]) == (0.1, "sigmoid")
    assert cold_start.trl["optim"] == "adamw_bnb_8bit"
    assert {recipe.trl["lr_scheduler_type"] for recipe in (sft, dpo, cold_start)} == {"cosine"}
    assert [sft.trl["per_device_train_batch_size"], sft.trl["num_train_epochs"]] == [4, 1]
    assert [
        grpo.trl[key] for key in ("num_generations", "temperature", "beta", "entropy_coef")
    ] == [16, 1.0, 0.0, 0.0]
    # the paper divides by the standard deviation over the answers to one prompt
    assert grpo.trl["scale_rewards"] == "group"
    assert (grpo.reward.form, grpo.reward.correctness) == (0.2, 0.5)
    assert (grpo.reward.efficiency, grpo.reward.final_efficiency) == (0.3, 0.5)
    assert (grpo.reward.figure, grpo.reward.rule) == ("wall", "strict")


def test_recommended_grpo_differs_only_in_noise_handling() -> None:
    mine, paper = read_recipe("grpo").plain(), read_recipe("grpo-paper").plain()
    assert read_recipe("grpo").step_rows == read_recipe("grpo-paper").step_rows
    batch = {"per_device_train_batch_size", "gradient_accumulation_steps"}
    assert {key for key in mine if mine[key] != paper[key]} - batch == {
        "optim",
        "scale_rewards",
        "reward",
    }
    assert (mine["reward"]["figure"], mine["reward"]["rule"]) == ("instructions", "apart")


def test_paper_chain_uses_grpo_paper() -> None:
    assert read_recipes("paper", ["grpo"])["grpo"] == read_recipe("grpo-paper")
    assert read_recipes("recommended", ["sft", "grpo"])["grpo"] == read_recipe("grpo")
    assert read_recipes("paper", ["sft"])["sft"] == read_recipe("sft")


def test_flags_override_keys_and_tables() -> None:
    recipe = read_recipe("grpo", model="here", seed=None, num_generations=4, reward={"repeats": 1})
    assert (recipe.model, recipe.trl["seed"], recipe.trl["num_generations"]) == ("here", 0, 4)
    assert (recipe.reward.repeats, recipe.reward.final_efficiency) == (1, 0.5)


def test_chat_template_is_relative_to_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'method = "sft"\nlearning_rate = 1e-4\nchat_template = "chat.jinja"\n'
    )
    assert read_recipe(str(tmp_path / "mine.toml")).chat_template == str(tmp_path / "chat.jinja")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"reward": {"speed": 8}}, r"\[reward\] has unknown keys: speed"),
        ({"reward": 8}, "reward must be a table"),
        ({"lora": 8}, "lora must be a table"),
        ({"method": "ppo"}, "unknown method 'ppo'"),
        ({"learning_rate": "fast"}, "learning_rate must be a number"),
        ({"gradient_accumulation_steps": 0}, "gradient_accumulation_steps is 0"),
        (
            {"per_device_train_batch_size": 2.5},
            "per_device_train_batch_size must be a whole number",
        ),
        ({"lora": {"r": 0}}, "lora.r is 0"),
        ({"lora": {"lora_dropout": -0.1}}, "lora.lora_dropout is -0.1"),
        ({"output_dir": "elsewhere"}, "must not set output_dir"),
        ({"bf16": "auto"}, "unknown bf16 'auto'"),
        ({"overlong": "cut"}, "unknown overlong 'cut'"),
        ({"method": "dpo", "loss_type": "mine"}, "unknown loss_type 'mine'"),
        ({"method": "dpo", "loss_type": ["sft", "mine"]}, "unknown loss_type 'mine'"),
        ({"method": "grpo", "loss_type": "mine"}, "unknown loss_type 'mine'"),
        ({"method": "grpo", "scale_rewards": "mine"}, "unknown scale_rewards 'mine'"),
        ({"method": "grpo", "vllm_mode": "mine"}, "unknown vllm_mode 'mine'"),
        ({"method": "grpo", "num_generations": 1}, "num_generations is 1"),
        ({"method": "grpo", "num_generations": 3}, "not a multiple of num_generations 3"),
        ({"method": "grpo", "max_completion_length": 4096}, "leaves no room for a prompt"),
        ({"reward": {"figure": "gpu"}}, "unknown reward.figure"),
        ({"reward": {"rule": "loose"}}, "unknown reward.rule 'loose'"),
    ],
)
def test_invalid_values_are_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word) as refused:
        make_recipe(**{**LEAST, **changes})
    assert refused.value.fix


def test_trl_table_equals_top_level_keys() -> None:
    assert make_recipe(**LEAST, trl={"neftune_noise_alpha": 5}) == make_recipe(
        **LEAST, neftune_noise_alpha=5
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (8, "trl must be a table"),
        ({"learning_rate": 1e-3}, "the recipe has keys twice: learning_rate"),
        ({"max_length": 8}, r"\[trl\] has keys of the toolkit: max_length"),
        ({"output_dir": "elsewhere"}, "must not set output_dir"),
    ],
)
def test_invalid_trl_table_is_refused(table: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_recipe(**LEAST, trl=table)


@pytest.mark.parametrize("reporters", ["trackio", ["none", "trackio"]])
def test_missing_report_package_is_refused(reporters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="nothing can be reported to trackio") as refused:
        make_recipe(**LEAST, report_to=reporters)
    assert refused.value.fix.startswith("type: pip install trackio")


@pytest.mark.parametrize("installed", ["1.15.0", "1.17.0", "2.0.1"])
def test_untested_trl_version_is_refused(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("packaging", reason="packaging is not installed: it comes with TRL")
    monkeypatch.setattr(recipes, "version", lambda _: installed)
    with pytest.raises(MachineError, match=f"TRL {installed} is installed") as refused:
        make_recipe(**LEAST)
    assert refused.value.fix == "type: pip install 'trl>=1.16,<1.17'"


def test_extra_pins_the_tested_trl_versions() -> None:
    extras = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert f"trl>={OLDEST_TRL},<{NOT_TRL}" in extras["train"]


def test_learning_rate_is_required() -> None:
    with pytest.raises(UsageError, match="it has no learning_rate"):
        make_recipe(method="sft")


def test_unknown_recipe_suggests_a_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read") as refused:
        read_recipe("sft-huge")
    assert "sft-small" in refused.value.fix
    (tmp_path / "broken.toml").write_text("method = \n")
    with pytest.raises(UsageError, match="cannot be read"):
        read_recipe(str(tmp_path / "broken.toml"))


def test_memory_settings_do_not_change_the_run() -> None:
    one, two = (
        make_recipe(**LEAST),
        make_recipe(**LEAST, save_steps=7, gradient_checkpointing=False),
    )
    assert differences(two.plain(), one.plain()) == []
    assert differences(make_recipe(**LEAST, seed=1).plain(), one.plain()) == ["seed was 0 and is 1"]
    same = make_recipe(**LEAST, per_device_train_batch_size=1, gradient_accumulation_steps=64)
    assert differences(same.plain(), one.plain()) == []
    (difference,) = differences(
        make_recipe(**LEAST, per_device_train_batch_size=1).plain(), one.plain()
    )
    assert difference.endswith("gradient_accumulation_steps was 64 and is 16")


def test_plain_recipe_has_only_keys_of_its_method() -> None:
    of_grpo = {"beta", "num_generations", "vllm_mode", "reward"}
    assert {*of_grpo, "eval_rows"}.isdisjoint(make_recipe(**LEAST).plain())
    assert of_grpo < read_recipe("grpo").plain().keys()
    assert make_recipe(**LEAST, eval_steps=5).plain()["eval_rows"] == 16


@pytest.mark.parametrize("name", named_files(FOLDER))
def test_plain_recipe_roundtrip(name: str) -> None:
    recipe = read_recipe(name)
    assert make_recipe(**recipe.plain()) == recipe


def test_library_keys_are_passed_on() -> None:
    assert make_recipe(**LEAST, neftune_noise_alpha=5).trl["neftune_noise_alpha"] == 5
    assert make_recipe(**LEAST, lora={"use_rslora": True}).lora == {**LORA, "use_rslora": True}


@pytest.mark.parametrize("page", ["train.md", "train-dpo.md", "train-grpo.md"])
def test_recipes_in_the_docs_are_valid(page: str, tmp_path: Path) -> None:
    (block,) = re.findall(
        r"^```toml\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "shown.toml").write_text(block)
    assert read_recipe(str(tmp_path / "shown.toml")).method in METHODS


def test_docs_mention_every_recipe_key() -> None:
    shown = "".join(
        (DOCS / page).read_text(encoding="utf-8")
        for page in ("train.md", "train-dpo.md", "train-grpo.md")
    )
    keys = {
        *OWN,
        *DEFAULTS,
        *LORA,
        *(option.name for option in dataclasses.fields(RewardSettings)),
    } - {
        "lora",
        "reward",
    }
    keys = keys.union(*OF_METHOD.values(), {"learning_rate", "bf16", "use_vllm", "eval_steps"})
    assert sorted(
        key for key in keys if not re.search(rf"^{key} = |`{key}`", shown, re.MULTILINE)
    ) == ["max_steps"]


# ------------------------------------------------------------------ the chain


def test_methods_run_in_the_paper_order() -> None:
    assert order_methods(["grpo", "dpo", "sft", "cold-start"]) == [
        "cold-start",
        "sft",
        "dpo",
        "grpo",
    ]
    assert order_methods(["cold-start", "grpo"]) == ["cold-start", "grpo"]
    assert order_methods(["dpo", "sft"]) == ["sft", "dpo"]


def test_chain_with_a_gap_is_refused() -> None:
    with pytest.raises(UsageError, match="dpo starts from the sft model"):
        order_methods(["cold-start", "dpo"])


def test_recipe_folder_matches_methods(tmp_path: Path) -> None:
    (tmp_path / "sft.toml").write_text('method = "sft"\nlearning_rate = 1e-4\n')
    assert read_recipes(str(tmp_path), ["sft"], model="mine")["sft"].model == "mine"
    (tmp_path / "dpo.toml").write_text('method = "sft"\nlearning_rate = 1e-4\n')
    with pytest.raises(UsageError, match="not a recipe for dpo"):
        read_recipes(str(tmp_path), ["dpo"])
