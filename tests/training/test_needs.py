"""The needs of recipes: formulas checked by hand, and the tables in the docs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from venus_toolkit.training.recipe import read_recipe
from venus_toolkit.training.trainer.needs import (
    GIB,
    H100,
    PAPER,
    QWEN_3B,
    Work,
    adapter_parameters,
    hours,
    idle,
    idle_table,
    machine_table,
    memory,
    paper_table,
)

ROOT = Path(__file__).resolve().parent.parent.parent


def test_adapter_parameters_by_hand() -> None:
    """q and o: 2048 + 2048 each; k and v: 2048 + 256 each; gate, up and down: 2048 + 11008 each."""
    per_layer = 8 * (4096 + 2 * 2304 + 4096 + 3 * 13_056)
    assert adapter_parameters(QWEN_3B, 8) == 36 * per_layer


def test_full_training_takes_12_bytes_a_weight() -> None:
    """2 bytes in bf16, 4 in fp32, 4 for the gradient, 2 for the 8-bit optimiser: 12 for each weight."""
    needed = memory(read_recipe("cold-start"), QWEN_3B, H100)
    assert needed.weights + needed.gradients + needed.optimizer == 12 * QWEN_3B.parameters
    assert needed.vllm == 0
    assert needed.total == pytest.approx(sum(needed))


def test_memory_of_adapters_and_preferences() -> None:
    sft, dpo = (memory(read_recipe(name), QWEN_3B, H100) for name in ("sft", "dpo"))
    assert sft.gradients + sft.optimizer < 0.2 * GIB
    assert dpo.logits == sft.logits  # twice the sides, half the rows at once


def test_logits_scale_with_the_batch_size() -> None:
    recipe = read_recipe("grpo")
    one, four = (
        memory(
            replace(recipe, trl={**recipe.trl, "per_device_train_batch_size": rows}), QWEN_3B, H100
        )
        for rows in (1, 4)
    )
    assert four.logits == 4 * one.logits
    assert four.weights == one.weights


def test_gpus_speed_up_training_but_not_rewards() -> None:
    recipe = read_recipe("grpo")
    one, eight = (hours(recipe, QWEN_3B, H100, gpus, PAPER["grpo"]) for gpus in (1, 8))
    assert one.training == pytest.approx(8 * eight.training)
    assert one.rewards == eight.rewards == pytest.approx(984 * 16 * 20 / 512 * 60 / 3600)
    assert one.roll_outs > eight.roll_outs > one.roll_outs / 8


def test_hours_by_hand() -> None:
    """58 833 rows of 1 500 tokens, 6 FLOPs for each weight and token, at 35 % of 989 TFLOP/s."""
    estimate = hours(read_recipe("sft"), QWEN_3B, H100, 1, PAPER["sft"])
    assert estimate.total == pytest.approx(
        58_833 * 1500 * 6 * 3_085_938_688 / (0.35 * 989e12) / 3600
    )


def test_page_shows_the_table_of_needs() -> None:
    page = (ROOT / "docs/train.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- needs -->\n(.*?)\n<!-- /needs -->", page, flags=re.DOTALL)
    assert shown
    assert shown[1] == paper_table()


def test_machine_table_marks_what_does_not_fit() -> None:
    head, *lines = machine_table(read_recipe("grpo-paper"), QWEN_3B, Work(984, answer_tokens=1500))
    assert len({len(line) for line in (head, *lines)}) == 1
    of = {line[0]: line for line in lines}
    assert of["H100 80 GB"][1:3] == ["74.5", "105.5 (too much)"]
    assert "too much" not in of["H100 80 GB"][3], (
        "an eighth of weights, gradients and optimiser fits"
    )
    assert "too much" not in of["H200 141 GB"][2]


def test_overlapping_rewards_reduce_idle_time() -> None:
    recipe = read_recipe("grpo")
    for gpus in (1, 8):
        for reward_s in (1.0, 60.0, 600.0):
            shares = idle(recipe, QWEN_3B, H100, gpus, replace(PAPER["grpo"], reward_s=reward_s))
            assert 1 > shares["in turn"] > shares["streamed"] >= shares["one behind"] >= 0
    assert shares["in turn"] > 0.9, "ten minutes of rewards for eight GPUs"
    shares = idle(recipe, QWEN_3B, H100, 1, replace(PAPER["grpo"], reward_s=0.0))
    assert list(shares.values()) == pytest.approx([0, 0, 0])


def test_page_shows_the_table_of_idle_times() -> None:
    page = (ROOT / "docs/environments.md").read_text(encoding="utf-8")
    shown = page.split("<!-- idle -->")[1].split("<!-- /idle -->")[0].strip()
    assert shown == idle_table()
