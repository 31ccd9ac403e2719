"""``python -m examples.reproduce``: the paper's claim in miniature, from nothing to a page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from venus_toolkit.cli import main
from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json, print_table, stage_progress


@click.command(
    "reproduce",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  python -m examples.reproduce --preset tiny --out build/reproduce
  python -m examples.reproduce --preset tiny --seeds 5 --out build/reproduce

Rerun the same command to resume; with more seeds, only the new ones are run. docs/reproduce.md explains the result
and its limits.
""",
)
@click.option(
    "--preset",
    "name",
    default="tiny",
    show_default=True,
    metavar="NAME|FOLDER",
    help="Size: tiny (a CPU), gpu (one GPU), seconds (a test), or a folder of your own.",
)
@shared.out_option("Output folder.")
@click.option(
    "--seeds", type=click.IntRange(min=1), help="Number of seeds per arm; default: the preset's."
)
@shared.sandbox_option
@shared.json_option
def command(name: str, out: Path, seeds: int | None, sandbox: str | None, as_json: bool) -> None:
    """Reproduce the paper's claim with a small model.

    Generates problems, builds a release, derives training sets, trains a base model from scratch
    and then with cold start, SFT, DPO and GRPO (of one turn and of two) with rewards from the
    sandbox, evaluates each model with the iterative loop, compares it with the best of as many
    independent answers, and writes OUT/reproduce.html. Every stage runs the same code as its own
    command. Needs the extra [train].
    """
    from examples.reproduce.findings import (
        describe_claim,
        describe_reward,
        percent_with_interval,
    )
    from examples.reproduce.preset import read_preset
    from examples.reproduce.reproduce import reproduce

    preset = read_preset(name, seeds=seeds)
    typed = shlex.join(["python", "-m", "examples.reproduce", *sys.argv[1:]])
    with stage_progress(as_json) as progress:
        reproduction = reproduce(preset, out, sandbox or "auto", typed, progress)
    if as_json:
        print_json(
            {**reproduction.findings.plain(), "files": [str(file) for file in reproduction.files]}
        )
        return
    findings = reproduction.findings
    arms = list(dict.fromkeys(curve.arm for curve in findings.curves))
    last = {(curve.arm, curve.metric): curve.points[-1] for curve in findings.curves}
    rows = [
        [arm, *(percent_with_interval(last[arm, metric]) for metric in ("passed", "time"))]
        for arm in arms
    ]
    print_table([["arm", "Pass@1 %", "Beyond-T %"], *rows])
    after, seeds = findings.preset.iterations, findings.preset.seeds
    over = f"intervals over {seeds} seeds" if seeds > 1 else "one seed, so no intervals"
    click.echo(f"\nafter {after} {'iteration' if after == 1 else 'iterations'}; {over}")
    click.echo(describe_claim(findings.slopes))
    click.echo(describe_reward(findings.rises.get("reward")))
    click.echo(f"page   {reproduction.files[0]}")


if __name__ == "__main__":
    main(command, "python -m examples.reproduce")
