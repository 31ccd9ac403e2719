"""``python -m tools.calibrate``."""

from __future__ import annotations

import json
import shlex
import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from venus_toolkit.cli import main
from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import log_line, print_json, stage_progress

EPILOG = """\b
Examples:
  python -m tools.calibrate corpus --problem pair-sums --out build/calibrated
  python -m tools.calibrate my-problems --plan default --oracles my-validators --json
"""


@click.command("calibrate", epilog=EPILOG)
@click.argument("source", metavar="NAME[:LOCATION]|FOLDER")
@click.option(
    "--plan",
    "plan_name",
    default="default",
    show_default=True,
    metavar="NAME|FILE.toml",
    help="The plan, as for venus build.",
)
@click.option(
    "--lang",
    "-l",
    multiple=True,
    metavar="ID[,ID]",
    help="Only programs in these languages; default: all.",
)
@click.option(
    "--problem",
    "problems",
    multiple=True,
    metavar="SLUG",
    help="Use only this problem; may be repeated.",
)
@click.option("--tests", type=int, help="Number of tests for each problem.")
@click.option(
    "--seed",
    type=int,
    help="Seed of the generators, the mutants, and the choice of held-out programs.",
)
@click.option(
    "--out",
    "-o",
    type=shared.PATH,
    help="Output folder of calibration.md and .json; keeps finished work.",
)
@click.option(
    "--oracles",
    type=shared.FOLDER,
    help="Folder with your own validators, SLUG.py; counts the test inputs that they refuse.",
)
@click.option(
    "--seen",
    is_flag=True,
    help="Also make the tests with the wrong and slow programs; the figures are then not held-out.",
)
@click.option(
    "--save",
    type=shared.PATH,
    metavar="FILE",
    help="Write the figures to this file, in the format that ships with the toolkit.",
)
@click.option(
    "--corpus", metavar="NAME", help="Name of the source in the saved figures; default: SOURCE."
)
@shared.jobs_option
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(
    source: str,
    plan_name: str,
    lang: tuple[str, ...],
    problems: tuple[str, ...],
    tests: int | None,
    seed: int | None,
    out: Path | None,
    oracles: Path | None,
    seen: bool,
    save: Path | None,
    corpus: str | None,
    jobs: int | None,
    sandbox: str | None,
    extra_languages: Path | None,
    as_json: bool,
) -> None:
    """Measure how well generated tests judge human programs.

    Tests are made as in a build, without the programs that they judge.

    SOURCE is any source with labelled programs. Half of the accepted programs of each problem make
    its tests; the others, and all programs labelled wrong or slow, are held out and judged. Prints
    the shares of wrong programs that the tests reject (all tests, and the first 30), of slow ones
    that they expose, and of accepted ones that they accept.
    """
    from venus_toolkit.core.memory import keep_one_heap

    keep_one_heap()
    from tools.calibrate.calibrator import Calibrator
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.core.language import find_languages, load_languages

    languages = load_languages(extra_languages)
    chosen = tuple(language.id for language in find_languages(lang, languages))
    options = {"source": source, "tests": tests, "seed": seed, "jobs": jobs, "sandbox": sandbox}
    plan = read_plan(plan_name, lang=chosen, problems=problems or None, **options)
    with ExitStack() as stack:
        work = out or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="venus-calibrate-"))
        )
        progress = stack.enter_context(stage_progress(as_json))
        calibration = Calibrator(plan, languages, oracles, progress, seen).run(work)
    if out:
        (out / "calibration.md").write_text(calibration.markdown(), encoding="utf-8")
        (out / "calibration.json").write_text(
            json.dumps(calibration.plain(), indent=1) + "\n", encoding="utf-8"
        )
    if save:
        name = corpus or source
        words = [*(f"--lang {ids}" for ids in lang), *([f"--tests {tests}"] if tests else [])]
        words += ["--seen"] * seen
        command_line = " ".join(
            [f"python -m tools.calibrate {shlex.quote(name)} --plan {plan_name}", *words]
        )
        record = calibration.record(command_line, name)
        save.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        log_line(f"saved in {save}")
    if as_json:
        print_json(calibration.plain())
    else:
        click.echo(calibration.markdown())


if __name__ == "__main__":
    main(command, "python -m tools.calibrate")
