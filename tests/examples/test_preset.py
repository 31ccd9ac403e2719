"""Presets: the bundled ones are complete, and invalid ones are refused."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.advantages import ancestors, rates
from examples.reproduce.__main__ import command
from examples.reproduce.preset import FOLDER, presets, read_preset
from examples.reproduce.stages import ARMS
from venus_toolkit.core.errors import UsageError
from venus_toolkit.training.recipe import METHODS


@pytest.mark.parametrize("name", presets())
def test_bundled_preset_is_complete(name: str) -> None:
    preset = read_preset(name)
    assert list(preset.recipes(3)) == list(METHODS)
    assert {recipe.trl["seed"] for recipe in preset.recipes(3).values()} == {3}
    context = 8192 if preset.model else preset.base.context
    assert all(recipe.max_length <= context for recipe in preset.recipes(0).values())
    assert {bool(preset.model), not preset.lessons, not preset.prompts} == {bool(preset.model)}
    assert preset.plan(source="x").tests == 3


def test_learning_rates_of_all_methods_are_searched_alike() -> None:
    arms = rates(read_preset("pretrained-cpu", seed=1000))
    assert Counter(arm.method for arm in arms.values()) == dict.fromkeys(METHODS, 3)
    for method, recipe in read_preset("pretrained-cpu").recipes(0).items():
        tried = sorted(
            arm.changes["learning_rate"] / recipe.trl["learning_rate"]
            for arm in arms.values()
            if arm.method == method
        )
        assert tried == pytest.approx([1 / 3, 1, 3])
    assert list(ancestors(ARMS["dpo"])) == ["cold-start", "sft"]


def test_user_preset(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "seconds", tmp_path / "mine")
    (tmp_path / "mine" / "sft.toml").write_text('method = "sft"\nlearning_rate = 0.5\n')
    assert (
        read_preset(str(tmp_path / "mine"), seeds=2).recipes(0)["sft"].trl["learning_rate"] == 0.5
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("problems = 4000", "problems is 4000"),
        ("problems = 1", "problems is 1"),
        ("slips = 1.5", "slips is 1.5"),
        ("lessons = 0", "lessons is 0"),
        ('corpus = ["../secrets"]', "corpus has ../secrets"),
        ("colour = 1", "unknown keys: colour"),
        ("base = 1", "base must be a table"),
    ],
)
def test_invalid_preset_is_refused(tmp_path: Path, change: str, problem: str) -> None:
    shutil.copytree(FOLDER / "seconds", tmp_path / "mine")
    file = tmp_path / "mine" / "preset.toml"
    lines = file.read_text().split("[base]")[0].splitlines()
    key = change.split(" =")[0]
    file.write_text(
        "\n".join([*(line for line in lines if not line.startswith(key + " ")), change, ""])
    )
    with pytest.raises(UsageError) as refused:
        read_preset(str(tmp_path / "mine"))
    assert problem in f"{refused.value.what} {refused.value.why}"


def test_unknown_preset_lists_the_known_ones(cli: Callable[..., Any], tmp_path: Path) -> None:
    result = cli("--preset", "huge", "--out", tmp_path / "out", command=command)
    assert result.exit_code == 2
    assert "tiny" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is here")
def test_missing_torch_is_reported_first(cli: Callable[..., Any], tmp_path: Path) -> None:
    result = cli("--preset", "seconds", "--out", tmp_path / "out", command=command)
    assert result.exit_code == 3
    assert "venus-toolkit[train]" in result.stderr
    assert not (tmp_path / "out").exists()
