"""Counts the programs of a source that compile, by language, and the errors of the others.

``python -m tools.compile_survey SOURCE``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import click

from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.sources import Entry, Rejected, choose_source
from venus_toolkit.cli import main
from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import line_progress, print_json
from venus_toolkit.core.errors import LanguageError, ToolchainError
from venus_toolkit.core.interruption import worker_pool
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import Expectation
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.execution.judging.judge import compile_reason
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox


@dataclass(slots=True)
class CompileCounts:
    """The number of programs of one language, of those that compile, and of each error."""

    programs: int = 0
    compile: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


@click.command(
    "compile_survey",
    epilog="Example: python -m tools.compile_survey kattis:my-packages --lang cpp,java --limit 500",
)
@click.argument("source", metavar="NAME[:LOCATION]")
@click.option(
    "--lang",
    "names",
    multiple=True,
    metavar="ID[,ID…]",
    help="Languages to compile (default: all).",
)
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of programs to compile.")
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(
    source: str,
    names: tuple[str, ...],
    limit: int | None,
    sandbox: str | None,
    extra_languages: Path | None,
    as_json: bool,
) -> None:
    """Count how many programs of a source compile.

    Prints for each language how many programs the source labels as accepted, how many of them
    compile here, and the ten most frequent errors of the others. Functions are compiled in their
    runners. Nothing is run.
    """
    languages = load_languages(extra_languages)
    chosen = shared.named_languages(names, extra_languages)
    items = choose_source(source).read(languages)
    with open_sandbox(sandbox or "auto", chosen) as opened:
        survey = survey_compilation(
            islice(programs_of(items, languages, {language.id for language in chosen}), limit),
            opened,
            len(os.sched_getaffinity(0)),
            line_progress(as_json),
        )
    top = 10  # reasons to print
    if as_json:
        rows = {
            name: {
                "programs": counts.programs,
                "compile": counts.compile,
                "reasons": dict(counts.reasons.most_common(top)),
            }
            for name, counts in survey.items()
        }
        print_json(rows)
        return
    if not survey:
        click.echo("the source has no programs labelled as accepted")
    for name, counts in survey.items():
        share = counts.compile / counts.programs
        click.echo(f"{name:<12} {counts.compile} of {counts.programs} compile: {share:.1%}")
        for reason, count in counts.reasons.most_common(top):
            click.echo(f"{count:>12} x {reason}")


def survey_compilation(
    programs: Iterator[tuple[str, Program | str]],
    sandbox: Sandbox,
    jobs: int,
    say: Callable[[str], None],
) -> dict[str, CompileCounts]:
    """Compile programs, `jobs` at a time, and count them by language, sorted by id.

    Raises:
        SandboxError: The sandbox failed.
    """

    def outcome(item: tuple[str, Program | str]) -> tuple[str, str]:
        language, program = item
        if isinstance(program, str):
            return language, program
        try:
            compiled = sandbox.compile(program)
        except ToolchainError as error:
            return language, error.what
        return language, "" if compiled.ok else general_reason(compile_reason(compiled.log))

    survey: dict[str, CompileCounts] = {}
    batch = 64  # programs held in memory
    with worker_pool(jobs) as pool:
        while part := list(islice(programs, batch)):
            for language, reason in pool.map(outcome, part):
                counts = survey.setdefault(language, CompileCounts())
                counts.programs += 1
                if reason:
                    counts.reasons[reason] += 1
                else:
                    counts.compile += 1
            say(f"{sum(counts.programs for counts in survey.values())} programs compiled")
    return dict(sorted(survey.items()))


def programs_of(
    items: Iterable[Entry | Rejected], languages: Mapping[str, Language], chosen: Collection[str]
) -> Iterator[tuple[str, Program | str]]:
    """Yield the language of each accepted program, and the program or the reason for its absence.

    Functions are put into their runners. `languages` holds all languages by id, as the runner of a
    chosen one may be generated from the starter code of another.
    """
    for item in items:
        if isinstance(item, Rejected):
            continue
        completed = complete(item, languages)
        problem = completed.entry.problem
        for solution in item.solutions:
            name = solution.language
            if name not in chosen or solution.expected != Expectation.ACCEPTED:
                continue
            runner = problem.runners.get(name) if problem.style == "function" else None
            if problem.style == "function" and runner is None:
                reason = completed.missing.get(name, "there is none")
                yield name, f"no runner: {general_reason(reason)}"
                continue
            try:
                standard = problem.standards.get(name, "")
                yield name, whole_program(languages[name], runner, solution.code, standard)
            except LanguageError as error:
                yield name, error.what


def general_reason(reason: str) -> str:
    """Return the first line of a reason without its location, and with N for every number."""
    line = reason.strip().splitlines()[0] if reason.strip() else "no message"
    place = re.compile(r"^\S*?:\d+(?::\d+)?:\s*|^[./\w]+\.\w+\(\d+\):\s*")
    return re.sub(r"\b\d+\b", "N", place.sub("", line))[:120]


if __name__ == "__main__":
    main(command, "python -m tools.compile_survey")
