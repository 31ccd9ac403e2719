"""The size of a reproduction: a folder of TOML files, a bundled one by name or the user's own.

preset.toml                                  the fields of `Preset`
plan.toml                                    the plan of the release
cold-start.toml  sft.toml  dpo.toml  grpo.toml   the recipes
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from examples.reproduce.scratch import Scratch
from examples.reproduce.small_problems import PROMPTS, all_tasks
from venus_toolkit.builders.plan import BuildPlan, read_plan
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import fill
from venus_toolkit.training.recipe import METHODS, Recipe
from venus_toolkit.training.trainer.pipeline import read_recipes

FOLDER = Path(__file__).parent / "presets"
SEE = "see docs/reproduce.md"


@dataclass(frozen=True, slots=True)
class Preset:
    """The size and the settings of a reproduction."""

    name: str
    about: str  # a description for the page
    seeds: int  # number of trainings and evaluations of each arm
    problems: int  # generated problems in the release, train and test together
    largest: int  # the largest n of a test, which determines the run time
    # A pretrained initial model, which gets the toolkit's own prompts; if empty, a model is trained
    # from scratch on `lessons` lessons.
    model: str = ""
    lessons: int = 0
    corpus: tuple[str, ...] = ()  # the bundled problems in the release
    slips: float = 0.05  # the share of wrong lessons
    confused: float = 0.2  # the share of lessons with a shape of any family
    tagged: float = 0.1  # the share of lessons with thoughts in tags
    per_problem: int = 6  # rows of SFT and DPO for each problem
    iterations: int = 3  # iterations of the evaluation
    temperature: float = 0.8  # temperature of the answers
    answer_tokens: int = 128  # maximum length of an answer
    repeats: int = 2  # number of measured runs of a program
    seed: int = 0  # seed of every random choice
    base: Scratch = field(default_factory=Scratch)

    @property
    def prompts(self) -> str:
        """The folder of prompt templates; empty for the toolkit's."""
        return "" if self.model else str(PROMPTS)

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return preset_folder(self.name)

    def plan(self, **flags: Any) -> BuildPlan:
        """Return the plan of the release.

        Raises:
            UsageError: The plan is invalid.
        """
        return read_plan(str(self.folder / "plan.toml"), seed=self.seed, **flags)

    def recipes(self, seed: int) -> dict[str, Recipe]:
        """Return the recipe of each method.

        Raises:
            UsageError: A recipe is missing or invalid.
        """
        return read_recipes(str(self.folder), METHODS, seed=seed)

    def plain(self) -> dict[str, Any]:
        """Return the identity of a reproduction: preset, plan and recipes."""
        recipes = {method: recipe.plain() for method, recipe in self.recipes(0).items()}
        return {
            **dataclasses.asdict(self),
            "plan": (self.folder / "plan.toml").read_text("utf-8"),
            "recipes": recipes,
        }


def presets() -> list[str]:
    """Return the names of the bundled presets."""
    return sorted(file.parent.name for file in FOLDER.glob("*/preset.toml"))


def preset_folder(name: str) -> Path:
    """Return the folder of a preset."""
    own = Path(name)
    return own if (own / "preset.toml").is_file() else FOLDER / name


def read_preset(name: str, **flags: Any) -> Preset:
    """Return a preset by name or folder; flags that are not None override its keys.

    Raises:
        UsageError: The preset does not exist, or is invalid.
    """
    try:
        table = tomllib.loads((preset_folder(name) / "preset.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        reason, fix = (
            getattr(error, "strerror", None) or str(error),
            f"expected one of {', '.join(presets())}, or a folder",
        )
        raise UsageError(f"the preset {name} cannot be read", reason, fix) from error
    base = table.pop("base", {})
    if not isinstance(base, Mapping):
        raise UsageError("base must be a table", f"got {base!r}", SEE)
    chosen = {key: value for key, value in flags.items() if value is not None}
    preset = fill(Preset, {**table, "name": name, **chosen}, "the preset", SEE)
    preset = replace(preset, base=fill(Scratch, base, "[base]", SEE))
    counts = (
        "seeds",
        "per_problem",
        "iterations",
        "repeats",
        *(() if preset.model else ("lessons",)),
    )
    minimums = {**dict.fromkeys(counts, 1), "problems": 8 - len(preset.corpus), "largest": 1000}
    wrong = [
        f"{key} is {getattr(preset, key)}"
        for key, minimum in minimums.items()
        if getattr(preset, key) < minimum
    ]
    # Shares are below 1: some lessons must be right, and some must have no tags.
    wrong += [
        f"{key} is {getattr(preset, key)}"
        for key in ("slips", "confused", "tagged")
        if not 0 <= getattr(preset, key) < 1
    ]
    if preset.problems >= (available := len(all_tasks())):
        wrong.append(
            f"problems is {preset.problems}, but some of all {available} have to remain for the "
            "base model"
        )
    wrong += [
        f"corpus has {slug}, which is not a bundled problem"
        for slug in preset.corpus
        if slug not in {folder.name for folder in CORPUS.iterdir()}
    ]
    if wrong:
        raise UsageError("the preset is invalid", ", ".join(wrong), SEE)
    return preset
