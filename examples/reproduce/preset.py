"""How large a reproduction is.

A folder of TOML files, one of this package by its name or one of somebody's own.

preset.toml                                  what is below
plan.toml                                    how the release is built
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
    """A reproduction."""

    name: str
    about: str  # what it is
    seeds: int  # how often the arms are trained and evaluated
    problems: int  # generated ones in the release, train and test together
    largest: int  # the largest n of a test, so how long programs take
    # What the trainings begin from: a pretrained model, asked with the toolkit's own prompts; empty:
    # one from scratch, which is shown so many lessons.
    model: str = ""
    lessons: int = 0
    corpus: tuple[str, ...] = ()  # the bundled problems in the release
    slips: float = 0.05  # the share of lessons that are wrong
    confused: float = 0.2  # the share of lessons that may take another family's trick
    tagged: float = 0.1  # the share of lessons whose answer thinks first
    per_problem: int = 6  # rows of SFT and DPO of a problem
    iterations: int = 3  # of the evaluation
    temperature: float = 0.8  # of its answers
    answer_tokens: int = 128  # maximum of an answer
    repeats: int = 2  # times that a program is measured
    seed: int = 0  # every random choice follows from it
    base: Scratch = field(default_factory=Scratch)

    @property
    def prompts(self) -> str:
        """The folder of prompt templates; empty: the toolkit's."""
        return "" if self.model else str(PROMPTS)

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return find(self.name)

    def plan(self, **flags: Any) -> BuildPlan:
        """Return the plan of the release.

        Raises:
            UsageError: It makes no sense.
        """
        return read_plan(str(self.folder / "plan.toml"), seed=self.seed, **flags)

    def recipes(self, seed: int) -> dict[str, Recipe]:
        """Return the recipe of each method.

        Raises:
            UsageError: One is missing or makes no sense.
        """
        return read_recipes(str(self.folder), METHODS, seed=seed)

    def plain(self) -> dict[str, Any]:
        """Return all that a reproduction is known by."""
        recipes = {method: recipe.plain() for method, recipe in self.recipes(0).items()}
        return {
            **dataclasses.asdict(self),
            "plan": (self.folder / "plan.toml").read_text("utf-8"),
            "recipes": recipes,
        }


def presets() -> list[str]:
    """Return the names of the presets that come with the toolkit."""
    return sorted(file.parent.name for file in FOLDER.glob("*/preset.toml"))


def find(name: str) -> Path:
    """Return the folder of a preset."""
    own = Path(name)
    return own if (own / "preset.toml").is_file() else FOLDER / name


def read_preset(name: str, **flags: Any) -> Preset:
    """Return the preset of a name or in a folder, with flags that are not None over it.

    Raises:
        UsageError: There is none, or it makes no sense.
    """
    try:
        table = tomllib.loads((find(name) / "preset.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        why, fix = (
            getattr(error, "strerror", None) or str(error),
            f"known are {', '.join(presets())}, or a folder",
        )
        raise UsageError(f"the preset {name} cannot be read", why, fix) from error
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
    least = {**dict.fromkeys(counts, 1), "problems": 8 - len(preset.corpus), "largest": 1000}
    wrong = [
        f"{key} is {getattr(preset, key)}" for key in least if getattr(preset, key) < least[key]
    ]
    # Shares are below 1: some lessons must be right, and some without tags.
    wrong += [
        f"{key} is {getattr(preset, key)}"
        for key in ("slips", "confused", "tagged")
        if not 0 <= getattr(preset, key) < 1
    ]
    if preset.problems >= (there := len(all_tasks())):
        wrong.append(
            f"problems is {preset.problems}, and some of all {there} have to be left for the "
            "base model"
        )
    wrong += [
        f"corpus has {slug}, which is no bundled problem"
        for slug in preset.corpus
        if slug not in {folder.name for folder in CORPUS.iterdir()}
    ]
    if wrong:
        raise UsageError("the preset is invalid", ", ".join(wrong), SEE)
    return preset
