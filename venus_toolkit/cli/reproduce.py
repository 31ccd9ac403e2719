"""``venus reproduce``: the paper's claim in miniature, from nothing to a page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.options import json_option, print_json, print_table, sandbox_option

if TYPE_CHECKING:
    from venus_toolkit.reproduce.run import Reproduced

EPILOG = """\b
Examples:
  venus reproduce --preset tiny --out build/reproduce
  venus reproduce --preset tiny --seeds 5 --out build/reproduce

Typed again, it goes on where it was stopped; with more seeds, only these are added. What it shows and what it does not
is in docs/reproduce.md.
"""
SHOWN = {"passed": "Pass@1", "time": "Beyond-T", "integral": "Beyond-I"}


@click.command("reproduce", epilog=EPILOG)
@click.option(
    "--preset",
    "name",
    default="tiny",
    show_default=True,
    metavar="NAME|FOLDER",
    help="How large: tiny (a CPU), gpu (one GPU), seconds (a test), or a folder with files like theirs.",
)
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, help="Where everything goes.")
@click.option(
    "--seeds", type=click.IntRange(min=1), help="Trainings and evaluations of every arm; default: the preset's."
)
@sandbox_option
@json_option
def command(name: str, out: Path, seeds: int | None, sandbox: str | None, as_json: bool) -> None:
    """Let a small model learn which programs are cheap.

    Makes problems, builds a release, derives the sets, trains a base model on the spot, then cold start, SFT, DPO and
    GRPO with rewards from the sandbox, evaluates each with the iterative loop, and writes OUT/reproduce.html. Every
    stage is done by the function behind its own command. Needs the extra [train].
    """
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.reproduce.facts import plain
    from venus_toolkit.reproduce.preset import read_preset
    from venus_toolkit.reproduce.run import reproduce

    preset = read_preset(name, seeds=seeds)
    with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
        found = reproduce(preset, out, sandbox or "auto", shlex.join(["venus", *sys.argv[1:]]), progress)
    if as_json:
        print_json({**plain(found.facts), "files": [str(file) for file in found.files]})
    else:
        _print(found)


def _print(found: Reproduced) -> None:
    from venus_toolkit.reproduce.words import said_of_reward, share

    facts = found.facts
    arms = list(dict.fromkeys(curve.arm for curve in facts.curves))
    last = {(curve.arm, curve.metric): curve.points[-1] for curve in facts.curves}
    rows = [[arm, *(share(last[arm, metric]) for metric in SHOWN)] for arm in arms]
    print_table([["arm", *(f"{name} %" for name in SHOWN.values())], *rows])
    click.echo(f"\nafter {facts.preset.iterations} iterations; intervals over {facts.preset.seeds} seeds")
    click.echo(said_of_reward(facts.rises.get("reward")))
    click.echo(f"page   {found.files[0]}")
