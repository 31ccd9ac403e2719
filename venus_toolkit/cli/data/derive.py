"""``venus derive sft|dpo|cold-start|grpo``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json, print_loading, stage_progress
from venus_toolkit.core.errors import UsageError

if TYPE_CHECKING:
    from venus_toolkit.builders.derive.derive_options import DeriveOptions
    from venus_toolkit.builders.derive.derived_sets import DerivedConfig
    from venus_toolkit.core.language import Language
    from venus_toolkit.models.client import Generator


@click.group(
    "derive",
    epilog="""\b
Examples:
  venus derive sft build/venus --lang cpp
  venus derive dpo build/venus --lang all --per-problem 4
  venus derive cold-start build/venus --lang cpp --model NAME --base-url http://localhost:8000/v1 --limit 100
  venus derive grpo build/venus --lang python --objective time

Each writes RELEASE/derived/LANG-KIND with a split for each objective; only the train split is read.
""",
)
def command() -> None:
    """Make training sets from the train split of a release."""


_shared = shared.add_options(
    click.argument("release", type=shared.PATH),
    click.option(
        "--lang", "-l", multiple=True, required=True, metavar="ID[,ID]", help="Languages, or all."
    ),
    shared.objective_option(
        "What to reduce", "objectives", multiple=True, metavar="NAME", text="default: all"
    ),
    click.option(
        "--balance/--no-balance",
        default=None,
        help="Write the same number of rows for each objective (default).",
    ),
    click.option(
        "--noise",
        type=float,
        help="Minimum difference of two solutions, in multiples of their noise (1).",
    ),
    click.option(
        "--min-ratio", type=float, help="Minimum ratio of the costs of two solutions (1.1)."
    ),
    click.option(
        "--assume-spread",
        type=float,
        help="Spread to assume for solutions measured once; default: leave them out.",
    ),
    click.option(
        "--memory-noise-kib",
        type=float,
        help="Noise to assume for a peak whose spread is unknown (256).",
    ),
    click.option(
        "--near",
        type=float,
        help="Do not pair programs that are this similar or more (Jaccard index, 0.9).",
    ),
    click.option("--seed", type=int, help="Seed of every random choice (0)."),
    shared.prompts_option,
    shared.languages_option,
    shared.json_option,
)
_per_problem = click.option(
    "--per-problem",
    type=int,
    help="Maximum number of rows of a problem per objective; default: 9 for sft, otherwise 3.",
)


def _add_kind(name: str, about: str, example: str, *extra: shared.Decorator) -> None:
    """Add the command of a kind that needs only the release."""

    @command.command(name, help=about, epilog=f"\b\nExample:\n  {example}")
    @shared.add_options(_shared, *extra)
    def run(
        release: Path,
        lang: tuple[str, ...],
        extra_languages: Path | None,
        as_json: bool,
        **flags: Any,
    ) -> None:
        from venus_toolkit.builders.derive.derived_sets import derive
        from venus_toolkit.builders.derive.kinds import KINDS

        languages, options = chosen_languages(release, lang, extra_languages), _options(flags)
        with stage_progress(as_json) as progress:
            configs = derive(KINDS[name], release, languages, options, progress)
        _print(configs, release, as_json)


_add_kind(
    "sft",
    "Write pairs: a solution as prompt, a better one as answer.",
    "venus derive sft build/venus --lang cpp --per-problem 2",
    _per_problem,
)
_add_kind(
    "dpo",
    "Write triples: a prompt, a better and a worse solution.",
    "venus derive dpo build/venus --lang all --no-balance",
    _per_problem,
)
_add_kind(
    "grpo",
    "Write prompts, each with a reference to its tests.",
    "venus derive grpo build/venus --lang cpp --states loop",
    _per_problem,
    click.option(
        "--states",
        metavar="NAME",
        help=(
            "Where prompts start: paper (passing solutions; default), loop (new, failing and "
            "passing ones), or shares: new=1,failing=1,passing=2."
        ),
    ),
    shared.feedback_option,
)


@command.command(
    "cold-start",
    epilog="""\b
Examples:
  venus derive cold-start build/venus --lang cpp --model NAME --base-url http://localhost:8000/v1 --limit 100
  venus derive cold-start build/venus --lang cpp --replay raw.jsonl
  venus derive cold-start build/venus --lang cpp --replay raw.jsonl --filter form
""",
)
@_shared
@click.option("--model", metavar="NAME", help="The model that answers.")
@shared.asking_options
@click.option(
    "--replay", type=shared.PATH, help="Take answers from this raw.jsonl instead of a model."
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Maximum number of prompts, over all languages."
)
@click.option(
    "--filter",
    metavar="NAME",
    help=(
        "Answers to keep: tests (pass, and cost no more than the original; default), or form (the "
        "paper's: no program runs)."
    ),
)
@click.option(
    "--repeats",
    type=click.IntRange(min=2),
    default=3,
    show_default=True,
    help="Number of times each program is measured.",
)
@shared.sandbox_option
def cold_start(
    release: Path, lang: tuple[str, ...], extra_languages: Path | None, as_json: bool, **flags: Any
) -> None:
    """Write answers of a reasoning model, filtered by tests.

    Keeps the answers that pass and cost no more than the original. All answers stay in raw.jsonl
    next to the set. Rerun the same command to resume an interrupted run.
    """
    from venus_toolkit.builders.derive.cold_start import (
        TeacherModel,
        Trial,
        derive_cold_start,
        try_answer,
        try_form,
    )
    from venus_toolkit.builders.derive.derive_options import FORM
    from venus_toolkit.builders.derive.derived_sets import finish
    from venus_toolkit.execution.engine.executor import Executor
    from venus_toolkit.execution.measuring.rounds import MeasureOptions
    from venus_toolkit.execution.sandbox.opening import open_sandbox

    languages = chosen_languages(release, lang, extra_languages)
    model = {"model": flags.pop("model"), **shared.pop_asking_options(flags)}
    replay, limit, repeats, sandbox = (
        flags.pop(name) for name in ("replay", "limit", "repeats", "sandbox")
    )
    options = _options(flags)
    with ExitStack() as stack:
        generator = _open_generator(stack, release, replay, model)
        trial: Trial = try_form
        if options.filter != FORM:
            backend = stack.enter_context(open_sandbox(sandbox or "auto", languages))
            executor = stack.enter_context(closing(Executor(backend, languages)))
            trial = partial(try_answer, executor, MeasureOptions(repeats))
        teacher = TeacherModel(
            model["model"] or f"replay of {replay and replay.name}", generator, trial, limit
        )
        progress = stack.enter_context(stage_progress(as_json))
        configs = derive_cold_start(release, languages, options, teacher, progress)
    finish(release, configs)
    _print(configs, release, as_json)


def _open_generator(
    stack: ExitStack, release: Path, replay: Path | None, model: Mapping[str, Any]
) -> Generator:
    """Return the model or the replay that answers prompts."""
    from venus_toolkit.builders.derive.cold_start import ReplayedAnswers
    from venus_toolkit.core.store import WORK
    from venus_toolkit.models.client import ChatGenerator, ModelOptions

    if replay:
        return ReplayedAnswers(replay)
    if not model["model"] or not model.get("base_url"):
        reason = "neither --model with --base-url nor --replay is given"
        raise UsageError("no model is given", reason, "see venus derive cold-start --help")
    options = ModelOptions(**model)
    return stack.enter_context(ChatGenerator(options, release / WORK / "model"))


def chosen_languages(release: Path, names: Sequence[str], extra: Path | None) -> list[Language]:
    """Return the named languages; ``all`` means those of the release."""
    from venus_toolkit.core.language import find_languages, load_languages
    from venus_toolkit.dataset.release import open_release

    known, release_info = load_languages(extra), open_release(release)
    return find_languages(
        [
            language
            for name in names
            for language in (release_info.languages if name == "all" else [name])
        ],
        known,
    )


def _options(flags: dict[str, Any]) -> DeriveOptions:
    from venus_toolkit.builders.derive.derive_options import make_derive_options

    objectives, prompts = tuple(flags["objectives"]) or None, flags["prompts"]
    return make_derive_options(
        **{**flags, "objectives": objectives, "prompts": str(prompts) if prompts else None}
    )


def _print(configs: Sequence[DerivedConfig], release: Path, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "release": str(release),
                "derived": {config.config: config.facts for config in configs},
            }
        )
        return
    for config in configs:
        splits = ", ".join(
            f"{facts['rows']} {name}" for name, facts in config.facts["splits"].items()
        )
        click.echo(f"{config.config:<20} {splits or 'nothing: ' + config.missing}")
        for objective, reasons in config.facts["dropped"].items():
            for reason, count in reasons.items():
                click.echo(f"  rejected {objective:<9} {reason}: {count}")
    print_loading(release, next(config.config for config in configs if config.rows))
