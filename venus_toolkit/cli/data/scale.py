"""``venus scale``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import line_progress, print_json, print_table


@click.command(
    "scale",
    epilog="""\b
Examples:
  venus scale                                            the paper's size, in every installed language
  venus scale --measured 10                              ten tests for efficiency, as in the default plan
  venus scale --lang python --problems 500 --solutions 20 --tests 40 --cores 64
""",
)
@click.option(
    "--lang", "-l", multiple=True, metavar="ID", help="Languages (default: all installed ones)."
)
# The defaults are the size of the paper's dataset.
@click.option("--problems", default=8598, show_default=True, help="Number of problems.")
@click.option(
    "--solutions", default=79.3, show_default=True, help="Number of solutions of each problem."
)
@click.option("--tests", default=100, show_default=True, help="Number of tests of each problem.")
@click.option(
    "--found",
    type=int,
    help="Number of tests before redundant ones are dropped.  [default: as --tests]",
)
@click.option(
    "--measured",
    type=int,
    help="Number of measured tests: those for efficiency.  [default: all]",
)
@click.option(
    "--run-ms",
    default=20.0,
    show_default=True,
    help="Run time of one test, without the start of the program.",
)
@shared.repeats_option
@click.option("--mutants", default=8, show_default=True, help="Number of mutants of each problem.")
@click.option("--cores", type=int, help="Also show the duration on this many cores.")
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(
    lang: tuple[str, ...],
    run_ms: float,
    cores: int | None,
    sandbox: str | None,
    extra_languages: Path | None,
    as_json: bool,
    **size: Any,
) -> None:
    """Estimate the cost of a build in core-hours.

    Measures the time to compile and start a program on this machine in each language, and applies
    the model in docs/scale.md. Run nothing else at the same time.
    """
    from venus_toolkit.builders.capacity import BuildSize, Constants, measure_constants, table
    from venus_toolkit.core.language import find_language, load_languages
    from venus_toolkit.core.toolchain import installed
    from venus_toolkit.execution.sandbox.opening import open_sandbox

    progress = line_progress(as_json)
    shape = BuildSize(run_s=run_ms / 1000, **size)
    known = load_languages(extra_languages)
    languages = [find_language(name, known) for name in lang] or installed(known.values())[0]
    with open_sandbox(sandbox or "auto", languages) as backend:
        constants: dict[str, Constants] = {}
        for language in languages:
            progress(f"measuring {language.name}, {len(constants) + 1} of {len(languages)}")
            constants[language.id] = measure_constants(backend, language)
    rows = table(constants, shape)
    if as_json:
        print_json({"shape": shape, "constants": constants, "costs": rows})
        return
    cells = [
        [name, *(f"{1000 * value:.1f}" for value in costs)] for name, costs in constants.items()
    ]
    print_table([["", "compile ms", "session ms", "start ms", "reference ms"], *cells])
    click.echo("\ncore-hours if all solutions are in this language; batch: with batch mode")
    days_heading = [f"days on {cores} cores"] if cores else []
    lines = [
        ["", "validate", "batch", "quality", "judge", "measure", "total", "batch", *days_heading]
    ]
    for name, (alone, batched) in rows.items():
        parts = (
            alone.validate_s, batched.validate_s, alone.quality_s, alone.judge_s, alone.measure_s, alone.total_s,
            batched.total_s,
        )  # fmt: skip
        days = [f"{batched.core_hours / cores / 24:.1f}"] if cores else []
        lines.append([name, *(f"{seconds / 3600:.1f}" for seconds in parts), *days])
    print_table(lines)
