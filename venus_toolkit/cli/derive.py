"""``venus derive sft|dpo|cold-start|grpo``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli.options import (
    Decorator,
    json_option,
    languages_option,
    print_json,
    prompts_option,
    sandbox_option,
)

if TYPE_CHECKING:
    from venus_toolkit.builders.derive.derive import Derived
    from venus_toolkit.builders.derive.options import DeriveOptions
    from venus_toolkit.language import Language
    from venus_toolkit.llm import Generator

EPILOG = """\b
Examples:
  venus derive sft build/venus --lang cpp
  venus derive dpo build/venus --lang all --per-problem 4
  venus derive cold-start build/venus --lang cpp --model NAME --base-url http://localhost:8000/v1 --limit 100
  venus derive grpo build/venus --lang python --objective time

Each writes RELEASE/derived/LANG-KIND with a split for each objective; only the train split is read.
"""
ALL = "all"


@click.group("derive", epilog=EPILOG)
def command() -> None:
    """Make training sets from the train split of a release."""


# ------------------------------------------------------------------ options

_SHARED: tuple[Callable[..., Any], ...] = (
    click.argument("release", type=click.Path(path_type=Path)),
    click.option("--lang", "-l", multiple=True, required=True, metavar="ID[,ID]", help="Languages, or all."),
    click.option("--objective", "objectives", multiple=True, metavar="NAME", help="time, memory, integral; or all."),
    click.option("--balance/--no-balance", default=None, help="As many of every objective (default)."),
    click.option("--noise", type=float, help="Solutions differ by more than so many times the noise of both (1)."),
    click.option("--min-ratio", type=float, help="The dearer one costs at least so many times the cheaper one (1.1)."),
    click.option("--assume-spread", type=float, help="Spread of solutions that were measured once; default: left out."),
    click.option("--memory-noise-kib", type=float, help="Noise of a peak, of which no spread is known (256)."),
    click.option("--near", type=float, help="Programs this alike (Jaccard index) are not put into one row (0.9)."),
    click.option("--seed", type=int, help="Everything that is drawn by lot follows from it (0)."),
    prompts_option,
    languages_option,
    json_option,
)  # fmt: skip
per_problem_option = click.option("--per-problem", type=int, help="Rows of a problem in an objective, at most (3).")


def shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what all kinds of derived sets take."""
    for option in reversed(_SHARED):
        function = option(function)
    return function


def _kind(name: str, about: str, example: str, extra: Sequence[Decorator] = ()) -> None:
    """Add the command of a kind that follows from the release alone."""

    def run(release: Path, lang: tuple[str, ...], extra_languages: Path | None, as_json: bool, **flags: Any) -> None:
        from venus_toolkit.builders.derive.derive import RECIPES, derive
        from venus_toolkit.cli.progress import stage_progress

        languages, options = chosen_languages(release, lang, extra_languages), _options(flags)
        with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
            made = derive(RECIPES[name], release, languages, options, progress)
        _print(made, release, as_json)

    run.__doc__ = about
    for option in extra:
        run = option(run)
    command.command(name, epilog=f"\b\nExample:\n  {example}")(shared_options(run))


_kind(
    "sft",
    "Pairs: a solution in the prompt, a cheaper one as the answer.",
    "venus derive sft build/venus --lang cpp --per-problem 2",
    [per_problem_option],
)
_kind(
    "dpo",
    "Triples: middle one in the prompt, best chosen, worst rejected.",
    "venus derive dpo build/venus --lang all --no-balance",
    [per_problem_option],
)
_kind(
    "grpo",
    "One prompt a problem and objective, and where its tests are.",
    "venus derive grpo build/venus --lang cpp --lang python",
)


@command.command(
    "cold-start",
    epilog="""\b
Examples:
  venus derive cold-start build/venus --lang cpp --model NAME --base-url http://localhost:8000/v1 --limit 100
  venus derive cold-start build/venus --lang cpp --replay raw.jsonl
""",
)
@shared_options
@click.option("--model", metavar="NAME", help="Which model is asked.")
@click.option("--base-url", metavar="URL", help="Where it is: any server with OpenAI's chat completions.")
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the model.")
@click.option("--max-requests", type=int, help="Ask at most so often; what was asked before is free.")
@click.option("--max-tokens", type=int, help="And for at most so many tokens, prompts included.")
@click.option("--replay", type=click.Path(path_type=Path), help="Take answers from this raw.jsonl instead of a model.")
@click.option("--limit", type=click.IntRange(min=1), help="Prompts at most, over all languages.")
@click.option("--repeats", type=click.IntRange(min=2), default=3, show_default=True, help="Measure so often.")
@sandbox_option
def cold_start(
    release: Path,
    lang: tuple[str, ...],
    extra_languages: Path | None,
    as_json: bool,
    replay: Path | None,
    limit: int | None,
    repeats: int,
    sandbox: str | None,
    **flags: Any,
) -> None:
    """Answers of a model that thinks first, where they are good.

    Those are kept that pass and cost no more than the original. Every answer stays in raw.jsonl beside the set; a
    stopped run goes on when the same command is typed again.
    """
    from venus_toolkit.builders.derive.cold_start import Teacher, derive_cold_start
    from venus_toolkit.builders.derive.derive import finish
    from venus_toolkit.builders.derive.trial import SandboxTrial
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.measure import MeasureOptions
    from venus_toolkit.sandbox import open_sandbox

    languages = chosen_languages(release, lang, extra_languages)
    asked = {name: flags.pop(name) for name in ("model", "base_url", "temperature", "max_requests", "max_tokens")}
    options = _options(flags)
    with ExitStack() as stack:
        generator = _generator(stack, release, replay, asked)
        trial = SandboxTrial(stack.enter_context(open_sandbox(sandbox or "auto", languages)), MeasureOptions(repeats))
        teacher = Teacher(asked["model"] or f"replay of {replay and replay.name}", generator, trial, limit)
        progress = stack.enter_context(stage_progress(enabled=sys.stderr.isatty() and not as_json))
        made = derive_cold_start(release, languages, options, teacher, progress)
    finish(release, made)
    _print(made, release, as_json)


def _generator(stack: ExitStack, release: Path, replay: Path | None, asked: Mapping[str, Any]) -> Generator:
    """Return who answers prompts.

    Raises:
        UsageError: Nobody is named, or two are.
    """
    from venus_toolkit.builders.derive.responses import Replay
    from venus_toolkit.errors import UsageError
    from venus_toolkit.llm import ChatGenerator, ModelOptions
    from venus_toolkit.store import WORK

    if replay:
        return Replay(replay)
    if not asked["model"] or not asked["base_url"]:
        why = "neither --model with --base-url nor --replay is given"
        raise UsageError("nobody is there to answer", why, "see venus derive cold-start --help")
    options = ModelOptions(**{name: value for name, value in asked.items() if value is not None})
    return stack.enter_context(ChatGenerator(options, release / WORK / "model"))


def chosen_languages(release: Path, names: Sequence[str], extra: Path | None) -> list[Language]:
    """Return the languages that were named; ``all`` stands for those of the release.

    Raises:
        LanguageError: Nothing is called so.
        ReleaseError: The folder is no release.
    """
    from venus_toolkit.language import find_languages, load_languages
    from venus_toolkit.release import open_release

    known, opened = load_languages(extra), open_release(release)
    wanted = [each for name in names for each in (opened.languages if name == ALL else (name,))]
    return find_languages(wanted, known)


def _options(flags: dict[str, Any]) -> DeriveOptions:
    from venus_toolkit.builders.derive.options import make_derive_options

    objectives, prompts = tuple(flags["objectives"]) or None, flags["prompts"]
    return make_derive_options(**{**flags, "objectives": objectives, "prompts": str(prompts) if prompts else None})


# ------------------------------------------------------------------ what is said at the end


def _print(made: Sequence[Derived], release: Path, as_json: bool) -> None:
    if as_json:
        print_json({"release": str(release), "derived": {each.config: each.facts for each in made}})
        return
    for each in made:
        splits = ", ".join(f"{facts['rows']} {name}" for name, facts in each.facts["splits"].items())
        click.echo(f"{each.config:<20} {splits or 'nothing: ' + each.lacking}")
        for objective, reasons in each.facts["dropped"].items():
            for reason, count in reasons.items():
                click.echo(f"  set aside {objective:<9} {count} {reason}")
    first = next(each.config for each in made if each.rows)
    click.echo(f"\nload it:   from datasets import load_dataset; load_dataset({str(release)!r}, {first!r})")
