"""``venus scale``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, print_table, sandbox_option

EPILOG = """\b
Examples:
  venus scale                                            the paper's size, in every language that is installed
  venus scale --lang python --problems 500 --solutions 20 --tests 40 --cores 64
"""
MS_PER_S = 1000.0


@click.command("scale", epilog=EPILOG)
@click.option("--lang", "-l", multiple=True, metavar="ID", help="Languages (all that are installed).")
@click.option("--problems", default=8598, show_default=True, help="How many problems there are.")
@click.option("--solutions", default=79.3, show_default=True, help="Solutions of each problem.")
@click.option("--tests", default=100, show_default=True, help="Tests of each problem.")
@click.option("--found", type=int, help="Tests found, before useless ones are dropped.  [default: as --tests]")
@click.option("--run-ms", default=20.0, show_default=True, help="What a test takes beyond the start of the program.")
@click.option("--repeats", default=3, show_default=True, help="Times that each solution is measured.")
@click.option("--mutants", default=8, show_default=True, help="Mutants of each problem.")
@click.option("--cores", type=int, help="Also say how long that takes on so many cores.")
@sandbox_option
@languages_option
@json_option
def command(
    lang: tuple[str, ...],
    run_ms: float,
    cores: int | None,
    sandbox: str | None,
    extra_languages: Path | None,
    as_json: bool,
    **size: Any,
) -> None:
    """Say what a build of a given size costs in core-hours.

    Measures what compiling and starting a program take here, in each language, and puts that into the model of
    docs/scale.md. Nothing else should run meanwhile.
    """
    from venus_toolkit.builders.capacity import Shape, measure_constants, table
    from venus_toolkit.language import find_language, installed, load_languages
    from venus_toolkit.sandbox import open_sandbox

    shape = Shape(run_s=run_ms / MS_PER_S, **size)
    known = load_languages(extra_languages)
    chosen = [find_language(name, known) for name in lang] or installed(known.values())[0]
    with open_sandbox(sandbox or "auto", chosen) as place:
        constants = {}
        for language in chosen:
            click.echo(f"measuring {language.name}", err=True) if sys.stderr.isatty() else None
            constants[language.id] = measure_constants(place, language)
    rows = table(constants, shape)
    if as_json:
        print_json({"shape": shape, "constants": constants, "costs": rows})
        return
    _print_constants(constants)
    _print_costs(rows, cores)


def _print_constants(constants: dict[str, Any]) -> None:
    rows = [["", "compile ms", "session ms", "start ms", "reference ms"]]
    rows += [[name, *(f"{MS_PER_S * value:.1f}" for value in each)] for name, each in constants.items()]
    print_table(rows)


def _print_costs(rows: dict[str, Any], cores: int | None) -> None:
    click.echo("\ncore-hours, all solutions being in this language; batch: with batch mode")
    head = ["", "validate", "batch", "quality", "judge", "measure", "total", "batch"]
    lines = [head + [f"days on {cores} cores"] * bool(cores)]
    for name, (alone, batched) in rows.items():
        parts = (
            alone.validate_s, batched.validate_s, alone.quality_s, alone.judge_s, alone.measure_s, alone.total_s,
            batched.total_s,
        )  # fmt: skip
        days = [f"{batched.core_hours / cores / 24:.1f}"] if cores else []
        lines.append([name, *(f"{seconds / 3600:.1f}" for seconds in parts), *days])
    print_table(lines)
