"""``venus train sft|dpo|cold-start|grpo|pipeline``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json, print_table, stage_progress
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.extras import require

if TYPE_CHECKING:
    from venus_toolkit.dataset.hub.model_repository import Pushed
    from venus_toolkit.execution.engine import EngineOptions
    from venus_toolkit.training.recipe import Recipe
    from venus_toolkit.training.reward.grpo_reward import RewardFunction
    from venus_toolkit.training.trainer.data import TrainingSet
    from venus_toolkit.training.trainer.run_directory import TrainedModel

# Figures shown next to the progress bar, if the method has them.
SHOWN = ("reward", "rewards/accuracies", "eval_reward", "eval_loss")


@click.group(
    "train",
    epilog="""\b
Examples:
  venus train sft --data me/Venus@1.0.0 --lang cpp --out build/sft
  venus train sft --data build/venus --recipe sft-small --out build/sft
  venus train sft --data build/venus --recipe sft-small --model smollm2 --out build/sft
  venus train dpo --data build/venus --model build/sft --recipe dpo-small --out build/dpo
  venus train grpo --data build/venus --model build/cold-start --recipe grpo-small --out build/grpo
  venus train grpo --data build/venus --model build/cold-start --engine ray --ray-address auto --out build/grpo
  venus train pipeline --data build/venus --recipes small --out build/models

Rerun the same command to resume at the last checkpoint. A recipe takes the keys of TRL and peft: docs/train.md.
""",
)
def command() -> None:
    """Train a model on the derived sets of a release."""


_shared = shared.add_options(
    click.option(
        "--data", required=True, metavar="NAME", help="A release: a folder, or owner/name@version."
    ),
    click.option(
        "--lang",
        "-l",
        multiple=True,
        metavar="ID",
        help="Language; may be repeated; default: all sets.",
    ),
    click.option(
        "--objective",
        "objectives",
        multiple=True,
        metavar="NAME",
        help="time, memory or integral; may be repeated; default: all.",
    ),
    click.option(
        "--model",
        metavar="NAME",
        help="The model to start from: a folder, a name on the Hub@revision, or smollm2.",
    ),
    click.option(
        "--max-steps",
        type=click.IntRange(min=1),
        help="Maximum number of steps; default: those of the recipe's epochs.",
    ),
    click.option("--seed", type=click.IntRange(min=0), help="Seed of every random choice (0)."),
    click.option(
        "--report-to",
        multiple=True,
        metavar="NAME",
        help=(
            "Show the run live in tensorboard, trackio or wandb; may be repeated; default: the "
            "recipe's."
        ),
    ),
    click.option(
        "--resume/--no-resume",
        default=True,
        help="Continue at the last checkpoint (default) or start over.",
    ),
    shared.json_option,
)
_judged = shared.add_options(shared.sandbox_option, shared.engine_options, shared.languages_option)


def _add_method(name: str, about: str, example: str, judged: bool = False) -> None:
    @command.command(name, help=about, epilog=f"\b\nExample:\n  {example}")
    @_shared
    @shared.out_option("Output folder of the model; not with --dry-run.", required=False)
    @click.option(
        "--recipe",
        metavar="NAME",
        help="Recipe: a TOML file or a bundled name; default: the method's.",
    )
    @click.option(
        "--results",
        type=shared.PATH,
        multiple=True,
        help="Folder of an evaluation of this model, shown on its card; may be repeated.",
    )
    @click.option(
        "--push", metavar="NAME", help="Push the model to the Hub: owner/name, or name alone."
    )
    @click.option("--private", is_flag=True, help="If the repository is new, make it private.")
    @click.option(
        "--dry-run",
        is_flag=True,
        help="Print rows, steps and the recipe's needs on several GPUs, and train nothing.",
    )
    @shared.add_options(*([_judged] if judged else []))
    def run(**flags: Any) -> None:
        _train(name, flags)


_add_method(
    "sft",
    "Supervised fine-tuning on the more efficient solution.",
    "venus train sft --data build/venus --lang cpp --recipe sft-small --out build/sft",
)
_add_method(
    "dpo",
    "Preference tuning towards the more efficient solution.",
    "venus train dpo --data build/venus --model build/sft --out build/dpo",
)
_add_method(
    "cold-start",
    "Supervised fine-tuning on verified answers with reasoning.",
    "venus train cold-start --data build/venus --lang cpp --out build/cold-start --max-steps 3",
)
_add_method(
    "grpo",
    "Reinforcement learning with rewards from the sandbox.",
    "venus train grpo --data build/venus --model build/cold-start --out build/grpo --push "
    "me/venus-coder",
    judged=True,
)


@command.command(
    "pipeline",
    epilog=(
        "\b\nExample:\n  venus train pipeline --data build/venus --lang cpp --recipes small "
        "--out build/models"
    ),
)
@shared.add_options(_shared, shared.out_option("Output folder of the models."), _judged)
@click.option(
    "--recipes",
    default="recommended",
    show_default=True,
    metavar="NAME",
    help="Recipes: recommended, paper, small, or a folder of your own.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Train only this method; may be repeated; default: all.",
)
def pipeline(recipes: str, methods: tuple[str, ...], **flags: Any) -> None:
    """Train the chain: cold start, then SFT and DPO, then GRPO.

    Each method starts from the model of the previous one. Finished methods are skipped.
    """
    from venus_toolkit.training.recipe import METHODS
    from venus_toolkit.training.trainer.fit import is_main, leave_others
    from venus_toolkit.training.trainer.pipeline import read_recipes, run_pipeline

    chain = read_recipes(recipes, methods or METHODS, **_overrides(flags))
    with ExitStack() as stack, _live(flags["as_json"]) as (progress, on_log):
        models = run_pipeline(
            chain,
            flags["data"],
            flags["out"],
            languages=flags["lang"],
            objectives=flags["objectives"],
            make_reward=_reward_maker(flags, stack),
            resume=flags["resume"],
            command=shared.command_line(),
            progress=progress,
            on_log=on_log,
        )
    leave_others()
    # A launcher such as accelerate runs this in every process, but only one prints.
    if not is_main():
        return
    if flags["as_json"]:
        print_json({"models": {method: _plain(model) for method, model in models.items()}})
        return
    for model in models.values():
        _print(model)


def _train(method: str, flags: dict[str, Any]) -> None:
    from venus_toolkit.dataset.card.evaluation_card import read_results
    from venus_toolkit.dataset.hub.model_repository import open_model
    from venus_toolkit.training.recipe import read_recipe
    from venus_toolkit.training.trainer.data import open_set
    from venus_toolkit.training.trainer.fit import is_main, leave_others
    from venus_toolkit.training.trainer.train import train
    from venus_toolkit.training.trainer.training_card import push, update_card

    name = flags["recipe"] or method
    recipe = read_recipe(name, **_overrides(flags))
    if recipe.method != method:
        raise UsageError(
            f"{name} is not a recipe for {method}",
            f"its method is {recipe.method}",
            f"type: venus train {recipe.method} --recipe {name}",
        )
    if flags["dry_run"]:
        _print_needs(
            recipe,
            open_set(flags["data"], method, flags["lang"], flags["objectives"]),
            flags["as_json"],
        )
        return
    if flags["out"] is None:
        raise UsageError(
            "there is no --out",
            "the model is written into a folder",
            f"add --out build/{method}, or --dry-run",
        )
    # Check --engine and --push before downloads and hours of training.
    if method == "grpo":
        _engine(flags)
    results = tuple(result for folder in flags["results"] for result in read_results(folder))
    data = open_set(flags["data"], method, flags["lang"], flags["objectives"])
    if flags["push"]:
        open_model(flags["push"])
    with ExitStack() as stack, _live(flags["as_json"]) as (progress, on_log):
        reward = _reward_maker(flags, stack)(recipe, data) if method == "grpo" else None
        model = train(
            recipe,
            data,
            flags["out"],
            reward=reward,
            resume=flags["resume"],
            command=shared.command_line(),
            progress=progress,
            on_log=on_log,
        )
    leave_others()
    # A launcher such as accelerate runs this in every process, but only one prints and pushes.
    if not is_main():
        return
    if results:
        update_card(model, results)
    pushed = push(model, flags["push"], flags["private"]) if flags["push"] else None
    if flags["as_json"]:
        print_json({**_plain(model), "pushed": pushed and pushed._asdict()})
    else:
        _print(model, pushed)


def _print_needs(recipe: Any, data: Any, as_json: bool) -> None:
    """Print rows, steps, and computed memory and hours on several GPUs.

    Memory and hours need the model's configuration, which needs the extra `train`.
    """
    import math

    import pyarrow.parquet as pq

    from venus_toolkit.training.trainer.model_files import load_config
    from venus_toolkit.training.trainer.needs import (
        GIB,
        H100,
        Work,
        machine_table,
        memory,
        shape_of,
    )

    rows = sum(pq.read_metadata(file).num_rows for file in data.files)
    work = Work(rows)
    answers = (
        rows * int(recipe.trl.get("num_generations") or 1) if recipe.method == "grpo" else rows
    )
    most, epochs = recipe.trl["max_steps"], recipe.trl["num_train_epochs"]
    steps = most if most > 0 else math.ceil(answers / recipe.step_rows) * epochs
    if not as_json:
        click.echo(f"rows       {rows}, {steps} steps of {recipe.step_rows}")
    try:
        require("train")
    except MachineError as error:
        if as_json:
            print_json({"rows": rows, "steps": steps, "missing": str(error)})
            return
        click.echo(f"model      {recipe.model}; its memory and hours are not computed:")
        click.echo(f"           {error.what}\n           {error.fix}")
        return
    shape = shape_of(load_config(recipe).get_text_config(), recipe.model)
    table = list(machine_table(recipe, shape, work))
    parts = {
        name: round(size / GIB, 1) for name, size in memory(recipe, shape, H100)._asdict().items()
    }
    if as_json:
        gpus = [dict(zip(["gpu", *table[0][1:]], line, strict=True)) for line in table[1:]]
        print_json(
            {
                "rows": rows,
                "steps": steps,
                "parameters": shape.parameters,
                "gib": parts,
                "gpus": gpus,
            }
        )
        return
    click.echo(f"model      {recipe.model}, {shape.parameters / 1e9:.2f} billion weights")
    click.echo("GiB        " + ", ".join(f"{name} {size}" for name, size in parts.items()) + "\n")
    print_table(table)
    click.echo(
        f"\ncomputed   for rows of {recipe.max_length} tokens; hours with "
        f"{work.prompt_tokens} tokens in a prompt"
    )
    click.echo(
        f"           and {work.answer_tokens} in an answer. None of this was measured "
        "(docs/train.md)"
    )


def _overrides(flags: dict[str, Any]) -> dict[str, Any]:
    overrides = {name: flags[name] for name in ("model", "max_steps", "seed")}
    return {**overrides, "report_to": list(flags["report_to"]) or None}


@contextmanager
def _live(
    as_json: bool,
) -> Iterator[tuple[Callable[[str, int, int], None], Callable[[Mapping[str, Any]], None]]]:
    """Yield callbacks for progress and for logged lines, which show a bar and the last figures."""
    figures: dict[str, str] = {}
    with stage_progress(as_json) as progress:

        def on_log(line: Mapping[str, Any]) -> None:
            figures.update(
                {name: f"{name} {line[name]:.3g}" for name in SHOWN if line.get(name) is not None}
            )

        def on_progress(stage: str, done: int, total: int) -> None:
            progress(stage, done, total, note=", ".join(figures.values()))

        yield on_progress, on_log


def _reward_maker(
    flags: dict[str, Any], stack: ExitStack
) -> Callable[[Recipe, TrainingSet], RewardFunction]:
    """Return a function that opens the GRPO reward for a recipe and data; `stack` closes it."""
    engine = _engine(flags)

    def make_reward(recipe: Recipe, data: TrainingSet) -> RewardFunction:
        from venus_toolkit.core.language import load_languages
        from venus_toolkit.training.reward.grpo_reward import open_reward

        languages = load_languages(flags["extra_languages"])
        return stack.enter_context(
            closing(open_reward(recipe, data, flags["sandbox"] or "auto", languages, engine))
        )

    return make_reward


def _engine(flags: dict[str, Any]) -> EngineOptions:
    from venus_toolkit.execution.engine import LOCAL, EngineOptions

    return EngineOptions(flags["engine"] or LOCAL, address=flags["ray_address"] or "")


def _plain(model: TrainedModel) -> dict[str, Any]:
    last = next(({**line} for line in reversed(model.log) if "loss" in line), {})
    return {"folder": str(model.folder), "method": model.method, **model.facts, "last": last}


def _print(model: TrainedModel, pushed: Pushed | None = None) -> None:
    resumed = f", resumed at step {model.resumed_from}" if model.resumed_from else ""
    click.echo(
        f"{model.method:<12} {model.steps} steps on {model.rows} rows in {model.seconds:.0f} s{resumed}"
    )
    for note in model.notes:
        click.echo(f"  {note}")
    if model.log:
        # the last value of each figure
        last = {name: value for entry in model.log for name, value in entry.items()}
        figures = [
            f"{name} {last[name]:.4g}" for name in ("loss", *SHOWN) if last.get(name) is not None
        ]
        click.echo(f"  last: {', '.join(figures)}")
    click.echo(f"  model: {model.folder}")
    if pushed:
        click.echo(f"  {pushed.status}: {pushed.url}")
