"""How large a reproduction is: a folder of TOML files, one of this package by its name or one of somebody's own.

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

from venus_toolkit.builders.plan import Plan, read_plan
from venus_toolkit.errors import UsageError
from venus_toolkit.options import fill
from venus_toolkit.reproduce.problems import all_tasks
from venus_toolkit.training.pipeline import read_recipes
from venus_toolkit.training.recipe import METHODS, Recipe
from venus_toolkit.training.scratch import Scratch

FOLDER = Path(__file__).parent / "presets"
SEE = "see docs/reproduce.md"
LEAST = {"seeds": 1, "problems": 8, "largest": 1000, "lessons": 1, "per_problem": 1, "iterations": 1, "repeats": 1}
SHARES = ("slips", "tagged")


@dataclass(frozen=True, slots=True)
class Preset:
    """A reproduction.

    about: what it is. seeds: how often the arms are trained and evaluated. problems: of the release, train and test
    together. largest: the largest n of a test, so how long programs take. lessons: what the base model is shown, a
    share of `slips` among it that are wrong, and a share that is `tagged`: answers that think first. per_problem: rows
    of SFT and DPO of a problem. iterations: of the evaluation; answers have the temperature and at most answer_tokens;
    a program is measured `repeats` times. seed: everything that is drawn by lot follows from it.
    """

    name: str
    about: str
    seeds: int
    problems: int
    largest: int
    lessons: int
    slips: float = 0.05
    tagged: float = 0.1
    per_problem: int = 6
    iterations: int = 3
    temperature: float = 0.8
    answer_tokens: int = 128
    repeats: int = 2
    seed: int = 0
    base: Scratch = field(default_factory=Scratch)

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return find(self.name)

    def plan(self, **flags: Any) -> Plan:
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
        return {**dataclasses.asdict(self), "plan": (self.folder / "plan.toml").read_text("utf-8"), "recipes": recipes}


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
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"the preset {name} cannot be read", why, f"known are {', '.join(presets())}, or a folder"
        ) from error
    base = table.pop("base", {})
    if not isinstance(base, Mapping):
        raise UsageError("base must be a table", f"got {base!r}", SEE)
    given = {key: value for key, value in flags.items() if value is not None}
    preset = fill(Preset, {**table, "name": name, **given}, "the preset", SEE)
    return _checked(replace(preset, base=fill(Scratch, base, "[base]", SEE)))


def _checked(preset: Preset) -> Preset:
    wrong = [f"{key} is {getattr(preset, key)}" for key, least in LEAST.items() if getattr(preset, key) < least]
    there = len(all_tasks())
    if preset.problems >= there:
        wrong.append(f"problems is {preset.problems}, and some of all {there} have to be left for the base model")
    wrong += [f"{key} is {getattr(preset, key)}" for key in SHARES if not 0 <= getattr(preset, key) < 1]
    if wrong:
        raise UsageError("the preset makes no sense", ", ".join(wrong), SEE)
    return preset
