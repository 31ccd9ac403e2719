"""``venus optimize``: a model makes your own program more efficient, step by step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import (
    line_progress,
    print_json,
    print_model_costs,
    print_table,
    printable,
    stage_progress,
)
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_MACHINE
from venus_toolkit.core.records import MIB, NS_PER_MS


@click.command(
    "optimize",
    epilog="""\b
Examples:
  venus optimize sum.py --tests tests --model NAME --base-url http://localhost:8000/v1 -n 10
  venus optimize sum.py --tests tests --model smollm2 -n 3
  venus optimize sum.py --tests tests --model replay:answers.jsonl -n 3 --out build/sum
  venus optimize sum.py --tests tests --model NAME --base-url http://localhost:8000/v1 --analysis ceiling,gains
  venus optimize two_sum.cpp --starter two_sum.py --tests tests --about task.md --objective memory \\
      --model NAME --base-url http://localhost:8000/v1

\b
What the prompt shows in each mode:
  single-turn   the current program and its cost
  history       also earlier attempts
  no-feedback   the program, but not its cost
  no-original   the cost, but not the program
  independent   neither: each answer is a first attempt, and the best one counts

Rerun the same command to resume an interrupted run; answers already received are reused.
Exit code 0 found a better program, 1 found none, 2 usage error, 3 the model or this machine failed; the result so far
is kept.
""",
)
@click.argument("file", type=shared.PATH)
@click.option(
    "--tests",
    type=shared.PATH,
    required=True,
    help="A folder of tests: NAME.in, each with or without NAME.out.",
)
@click.option(
    "--private-tests",
    type=shared.PATH,
    help="Tests used at the end only; default: half of --tests.",
)
@click.option("--about", type=shared.PATH, metavar="FILE", help="A description of the program.")
@shared.program_options
@shared.model_option
@click.option(
    "--iterations", "-n", default=10, show_default=True, help="Number of requests to the model."
)
@shared.objective_option("What to reduce", text="default: from the model's card, else time")
@shared.loop_options
@shared.repeats_option
@shared.rank_options
@shared.rule_option
@shared.out_option("Output folder; default: FILE.venus next to the file.", required=False)
@click.option(
    "--form",
    help="Form of the answer: block or thinking; default: from the model's card, else block.",
)
@shared.prompts_option
@click.option("--seed", default=0, show_default=True, help="Seed of the answers.")
@shared.asking_options
@shared.limit_options
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(file: Path, extra_languages: Path | None, as_json: bool, **flags: Any) -> None:
    """Let a model make a program more efficient, step by step.

    Shows FILE and its cost to the model. Each answer is judged and measured interleaved with the
    best program so far. It is accepted if it passes and is better by more than the noise in two
    measurements. Half of the tests are held out. At the end, OUT contains the best program that
    also passes these, with a diff and a comparison of its cost with the original's.
    """
    from venus_toolkit.core.language import load_languages
    from venus_toolkit.eval.loop.own_program import plan_optimisation
    from venus_toolkit.execution.judging.files import read_tests
    from venus_toolkit.models.embedded import embedded_folder, is_embedded

    out = flags.pop("out") or file.with_name(file.name + ".venus")
    say = line_progress(as_json)

    def show_turn(turn: Any) -> None:
        say(
            printable(f"{turn.number}: {turn.decision}: {turn.reason}".rstrip(": ")).replace(
                "\n", " "
            )
        )

    server = shared.model_options(flags, temperature=0.8, concurrency=8)
    tests, private = (
        read_tests(folder) if (folder := flags.pop(name)) else ()
        for name in ("tests", "private_tests")
    )
    limits = shared.limits_from(flags.pop("limit_wall_s"), flags.pop("limit_memory_mib"))
    optimisation = plan_optimisation(
        file,
        tests,
        load_languages(extra_languages),
        private=private,
        limits=limits,
        server=server,
        out=out,
        progress=show_turn,
        **flags,
    )
    for line in optimisation.options.prompting:
        say(f"prompting: {line}")
    if is_embedded(optimisation.options.model, server.base_url if server else None):
        with stage_progress(as_json) as progress:
            embedded_folder(progress)
    manifest = optimisation.run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_result(manifest, out)
    if manifest["partial"]:
        sys.exit(EXIT_MACHINE)
    sys.exit(EXIT_DONE if manifest["best"]["changed"] else EXIT_FAILED)


def print_result(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a finished run: the iterations, the costs before and after, and the diff."""
    from venus_toolkit.eval.loop.analysis import in_words
    from venus_toolkit.eval.scoring.hacks import Hacks
    from venus_toolkit.eval.scoring.hacks import in_words as hacks_in_words

    rows = [["iteration", "decision", "saved", "reason"]]
    for turn in manifest["iterations"]:
        gain = "" if turn["gain"] is None else f"{100 * turn['gain']:.1f} %"
        # keeps a row on one line
        reason = printable(turn["reason"]).replace("\n", " ")[:60]
        rows.append([str(turn["iteration"]), turn["decision"], gain, reason])
    print_table(rows)
    click.echo("")
    _print_savings(manifest)
    best, tests, options = manifest["best"], manifest["tests"], manifest["options"]
    for rejection in best["refused"]:
        click.echo(
            f"rejected   iteration {rejection['iteration']} fails a private test: "
            f"{printable(rejection['reason'])}"
        )
    if not best["passed"]:
        click.echo("private    no program passes the private tests; the original is kept")
    click.echo(
        f"accepted   {options['measure']['repeats']} repeats, twice; a false acceptance once in "
        f"{1 / manifest['false_alarms']:.0f} iterations"
    )
    click.echo(
        f"tests      {tests['public']} public, {tests['private']} private ({tests['private_from']})"
    )
    if hacks := hacks_in_words(Hacks(**manifest["hacks"])):
        click.echo(f"hacks      {hacks}")
    for line in in_words(manifest["analysis"]):
        click.echo(f"analysis   {line}")
    print_model_costs(manifest["model_costs"])
    for line in options["prompting"]:
        click.echo(f"prompting  {line}")
    if manifest["partial"]:
        click.echo(
            f"PARTIAL    {manifest['stopped']}\n           type the same command to continue"
        )
    result = (
        f"{out / best['file']}, from iteration {best['iteration']}"
        if best["changed"]
        else "none is better"
    )
    click.echo(f"best       {result}")
    if manifest["patch"]:
        click.echo(f"\n{printable(manifest['patch'].rstrip())}")


def _print_savings(manifest: Mapping[str, Any]) -> None:
    """Print the costs of the original and the best program, on public and on private tests."""
    figures: list[tuple[str, str, float]] = [
        ("wall ms", "wall_ns", NS_PER_MS),
        ("cpu ms", "cpu_ns", NS_PER_MS),
        ("peak MiB", "peak_bytes", MIB),
        ("integral MiB*ms", "integral_byte_ns", MIB * NS_PER_MS),
        ("relative", "relative_time", 1),
    ]
    if manifest["options"]["rank"] == "instructions":
        figures.append(("instructions M", "instructions", 1_000_000))
    rows = [["", *(name for name, _, _ in figures)]]
    for tests in ("public", "private"):
        before, after = (manifest[tests][when] or {} for when in ("before", "after"))
        for when, costs in (("before", before), ("after", after)):
            pairs_with_unit = ((costs.get(key), unit) for _, key, unit in figures)
            cells = [
                "-" if cost is None else f"{cost / unit:.2f}" for cost, unit in pairs_with_unit
            ]
            rows.append([f"{tests} {when}", *cells])
        pairs = [(before.get(key), after.get(key)) for _, key, _ in figures]
        saved = [
            f"{100 * (old - new) / old:.1f} %" if old and new is not None else "-"
            for old, new in pairs
        ]
        rows.append([f"{tests} saved", *saved])
    print_table(rows)
    click.echo("")
