"""Presets: those of the package are whole, and what makes no sense is refused."""

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
def test_a_bundled_preset_is_whole(name: str) -> None:
    preset = read_preset(name)
    assert list(preset.recipes(3)) == list(METHODS)
    assert {recipe.trl["seed"] for recipe in preset.recipes(3).values()} == {3}
    context = 8192 if preset.model else preset.base.context
    assert all(recipe.max_length <= context for recipe in preset.recipes(0).values())
    assert {bool(preset.model), not preset.lessons, not preset.prompts} == {bool(preset.model)}
    assert preset.plan(source="x").tests == 3


def test_the_recipes_of_all_methods_are_searched_alike() -> None:
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


def test_a_preset_of_ones_own(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "seconds", tmp_path / "mine")
    (tmp_path / "mine" / "sft.toml").write_text('method = "sft"\nlearning_rate = 0.5\n')
    assert (
        read_preset(str(tmp_path / "mine"), seeds=2).recipes(0)["sft"].trl["learning_rate"] == 0.5
    )


@pytest.mark.parametrize(
    ("change", "said"),
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
def test_nonsense_is_refused(tmp_path: Path, change: str, said: str) -> None:
    shutil.copytree(FOLDER / "seconds", tmp_path / "mine")
    file = tmp_path / "mine" / "preset.toml"
    lines = file.read_text().split("[base]")[0].splitlines()
    key = change.split(" =")[0]
    file.write_text(
        "\n".join([*(line for line in lines if not line.startswith(key + " ")), change, ""])
    )
    with pytest.raises(UsageError) as refused:
        read_preset(str(tmp_path / "mine"))
    assert said in f"{refused.value.what} {refused.value.why}"


def test_an_unknown_preset_names_those_that_there_are(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    said = cli("--preset", "huge", "--out", tmp_path / "out", command=command)
    assert said.exit_code == 2
    assert "tiny" in said.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is here")
def test_without_torch_nothing_is_begun(cli: Callable[..., Any], tmp_path: Path) -> None:
    said = cli("--preset", "seconds", "--out", tmp_path / "out", command=command)
    assert said.exit_code == 3
    assert "venus-toolkit[train]" in said.stderr
    assert not (tmp_path / "out").exists()
