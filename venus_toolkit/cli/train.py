"""``venus train sft|dpo|cold-start|grpo|pipeline``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli.options import (
    Decorator,
    engine_options,
    json_option,
    languages_option,
    print_json,
    sandbox_option,
)

if TYPE_CHECKING:
    from venus_toolkit.engine import EngineOptions
    from venus_toolkit.hub.models import Pushed
    from venus_toolkit.training.data import TrainingSet
    from venus_toolkit.training.grpo import RewardFunction
    from venus_toolkit.training.recipe import Recipe
    from venus_toolkit.training.train import Trained

EPILOG = """\b
Examples:
  venus train sft --data me/Venus@1.0.0 --lang cpp --out build/sft
  venus train sft --data build/venus --recipe sft-small --out build/sft
  venus train dpo --data build/venus --model build/sft --recipe dpo-small --out build/dpo
  venus train grpo --data build/venus --model build/cold-start --recipe grpo-small --out build/grpo
  venus train grpo --data build/venus --model build/cold-start --engine ray --ray-address auto --out build/grpo
  venus train pipeline --data build/venus --recipes small --out build/models

Typed again, each goes on at its last checkpoint. The recipes are in docs/train.md.
"""


@click.group("train", epilog=EPILOG)
def command() -> None:
    """Train a model on the derived sets of a release."""


# ------------------------------------------------------------------ options

_SHARED: tuple[Decorator, ...] = (
    click.option("--data", required=True, metavar="NAME", help="A release: a folder, or owner/name@version."),
    click.option("--lang", "-l", multiple=True, metavar="ID", help="Language; may be repeated; default: all sets."),
    click.option(
        "--objective",
        "objectives",
        multiple=True,
        metavar="NAME",
        help="time, memory or integral; may be repeated; default: all.",
    ),
    click.option("--model", metavar="NAME", help="What training begins from: a folder, or a name on the Hub@revision."),
    click.option("--out", "-o", type=click.Path(path_type=Path), required=True, help="The folder of the model."),
    click.option("--max-steps", type=click.IntRange(min=1), help="Stop after so many steps; default: by epochs."),
    click.option("--seed", type=click.IntRange(min=0), help="Everything that is drawn by lot follows from it (0)."),
    click.option("--resume/--no-resume", default=True, help="Go on at the last checkpoint (default), or begin again."),
    json_option,
)
_ONE: tuple[Decorator, ...] = (
    click.option("--recipe", metavar="NAME", help="A TOML file, or a bundled one; default: the paper's."),
    click.option(
        "--results",
        type=click.Path(path_type=Path),
        multiple=True,
        help="An evaluation of this model, for its card; may be repeated.",
    ),
    click.option("--push", metavar="NAME", help="Send the model to the Hub: owner/name, or name alone."),
    click.option("--private", is_flag=True, help="A repository that is made now is seen by its owner only."),
)
_JUDGED: tuple[Decorator, ...] = (sandbox_option, engine_options, languages_option)


def _add(*groups: Sequence[Decorator]) -> Decorator:
    """Return a decorator that gives a command these options, in this order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed([option for group in groups for option in group]):
            function = option(function)
        return function

    return add


def _method(name: str, about: str, example: str, judged: bool = False) -> None:
    """Add the command of one method."""

    @_add(_SHARED, _ONE, _JUDGED if judged else ())
    def run(**flags: Any) -> None:
        _train(name, flags)

    run.__doc__ = about
    command.command(name, epilog=f"\b\nExample:\n  {example}")(run)


_method(
    "sft",
    "Supervised: learn to answer with the cheaper solution.",
    "venus train sft --data build/venus --lang cpp --recipe sft-small --out build/sft",
)
_method(
    "dpo",
    "Preferences: the cheaper solution before the dearer one.",
    "venus train dpo --data build/venus --model build/sft --out build/dpo",
)
_method(
    "cold-start",
    "Supervised: learn to think first, from tried answers.",
    "venus train cold-start --data build/venus --lang cpp --out build/cold-start --max-steps 3",
)
_method(
    "grpo",
    "Reinforcement: answers are run and rewarded.",
    "venus train grpo --data build/venus --model build/cold-start --out build/grpo --push me/venus-coder",
    judged=True,
)


@command.command(
    "pipeline",
    epilog="\b\nExample:\n  venus train pipeline --data build/venus --lang cpp --recipes small --out build/models",
)
@_add(_SHARED, _JUDGED)
@click.option("--recipes", default="paper", show_default=True, metavar="NAME", help="paper, small, or a folder.")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only these; may be repeated; default: all.")
def pipeline(recipes: str, methods: tuple[str, ...], **flags: Any) -> None:
    """Train the chain: cold start, then SFT and DPO, then GRPO.

    Each method begins from the model of the one before it; what is done already is not done again.
    """
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.training.fit import is_main
    from venus_toolkit.training.pipeline import read_recipes, run_pipeline
    from venus_toolkit.training.recipe import METHODS

    chosen = read_recipes(recipes, methods or METHODS, **_over(flags))
    with ExitStack() as opened, stage_progress(enabled=sys.stderr.isatty() and not flags["as_json"]) as progress:
        made = run_pipeline(
            chosen,
            flags["data"],
            flags["out"],
            languages=flags["lang"],
            objectives=flags["objectives"],
            make_reward=_reward_maker(flags, opened),
            resume=flags["resume"],
            command=_typed(),
            progress=progress,
        )
    if not is_main():
        return
    if flags["as_json"]:
        print_json({"models": {method: _plain(each) for method, each in made.items()}})
        return
    for each in made.values():
        _print(each)


# ------------------------------------------------------------------ one method


def _train(method: str, flags: dict[str, Any]) -> None:
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.hub.models import open_model
    from venus_toolkit.training.card import push, read_results, update_card
    from venus_toolkit.training.data import open_set
    from venus_toolkit.training.fit import is_main
    from venus_toolkit.training.train import train

    recipe = _recipe(method, flags)
    if method == "grpo":
        _engine(flags)  # what makes no sense is said before anything is fetched
    results = tuple(result for folder in flags["results"] for result in read_results(folder))
    data = open_set(flags["data"], method, flags["lang"], flags["objectives"])
    if flags["push"]:
        open_model(flags["push"])  # what is wrong with the name or the token is said before hours of training
    with ExitStack() as opened, stage_progress(enabled=sys.stderr.isatty() and not flags["as_json"]) as progress:
        reward = _reward_maker(flags, opened)(recipe, data) if method == "grpo" else None
        made = train(
            recipe, data, flags["out"], reward=reward, resume=flags["resume"], command=_typed(), progress=progress
        )
    if not is_main():
        return
    if results:
        update_card(made, results)
    pushed = push(made, flags["push"], flags["private"]) if flags["push"] else None
    if flags["as_json"]:
        print_json({**_plain(made), "pushed": pushed and pushed._asdict()})
    else:
        _print(made, pushed)


def _recipe(method: str, flags: dict[str, Any]) -> Recipe:
    """Return the recipe with the flags over it.

    Raises:
        UsageError: There is none, or it is for another method.
    """
    from venus_toolkit.errors import UsageError
    from venus_toolkit.training.recipe import read_recipe

    name = flags["recipe"] or method
    recipe = read_recipe(name, **_over(flags))
    if recipe.method != method:
        what = f"{name} is no recipe for {method}"
        raise UsageError(what, f"its method is {recipe.method}", f"type: venus train {recipe.method} --recipe {name}")
    return recipe


def _over(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: flags[name] for name in ("model", "max_steps", "seed")}


def _reward_maker(flags: dict[str, Any], opened: ExitStack) -> Callable[[Recipe, TrainingSet], RewardFunction]:
    """Return what makes the reward of GRPO, once its recipe and its release are known; `opened` closes it."""
    engine = _engine(flags)

    def make(recipe: Recipe, data: TrainingSet) -> RewardFunction:
        from venus_toolkit.language import load_languages
        from venus_toolkit.training.grpo import open_reward

        languages = load_languages(flags["extra_languages"])
        return opened.enter_context(closing(open_reward(recipe, data, flags["sandbox"] or "auto", languages, engine)))

    return make


def _engine(flags: dict[str, Any]) -> EngineOptions:
    from venus_toolkit.engine import LOCAL, EngineOptions

    return EngineOptions(flags["engine"] or LOCAL, address=flags["ray_address"] or "")


def _typed() -> str:
    return shlex.join(["venus", *sys.argv[1:]])


# ------------------------------------------------------------------ what is said at the end


def _plain(made: Trained) -> dict[str, Any]:
    last = {**made.log[-1]} if made.log else {}
    return {"folder": str(made.folder), "method": made.method, **made.facts, "last": last}


def _print(made: Trained, pushed: Pushed | None = None) -> None:
    again = f", the last call from step {made.resumed_from}" if made.resumed_from else ""
    click.echo(f"{made.method:<12} {made.steps} steps on {made.rows} rows in {made.seconds:.0f} s{again}")
    for note in made.notes:
        click.echo(f"  {note}")
    if made.log:
        shown = {name: made.log[-1][name] for name in ("loss", "reward", "rewards/accuracies") if name in made.log[-1]}
        click.echo(f"  last: {', '.join(f'{name} {value:.4g}' for name, value in shown.items())}")
    click.echo(f"  model: {made.folder}")
    if pushed:
        click.echo(f"  {pushed.status}: {pushed.url}")
