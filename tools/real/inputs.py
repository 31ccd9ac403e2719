"""Counts the statements that a build would publish, and the drawn inputs that break a promise.

    python -m tools.real.inputs FOLDER … --candidates 300

Each FOLDER has problem folders as written by the converters in this package. Inputs are drawn at
any confidence, from the statement and its accepted programs, and the oracles check them
(``tools/real/oracles``); problems without an oracle get no inputs. Prints the problems with a
failure, and a table with one row for each folder. ``--totals`` prints only the table, for problems
that developers must not see; ``--oracles`` skips problems without an oracle; ``--save FILE`` writes
a line of JSON for each problem, to compare two revisions. No solution runs, so in a build these
inputs would still be discarded if solutions disagree on them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.real.oracles.__main__ import oracles, refusal
from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.inputs.derive import NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.make_inputs import SURE, InputOptions, make_inputs
from venus_toolkit.builders.inputs.programs import validator_text
from venus_toolkit.builders.inputs.run_generator import refusals
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.local import LocalSandbox

ORACLES = oracles()
HEADINGS = (
    "folder", "statements", f"believed ({SURE:g} or more)", "derived, with a validator", "samples refused",
    "with an oracle", "inputs drawn", "inputs refused", "problems refused", f"of these at {SURE:g} or more",
    f"inputs drawn at {SURE:g} or more", "of these refused",
)  # fmt: skip


class StatementFigures(NamedTuple):
    """The figures of one statement.

    Attributes:
        slug: The problem.
        way: The method that generated its inputs.
        confidence: The confidence in them, from 0 to 1; 0 without inputs.
        validator: Whether the problem has a validator.
        samples_refused: The number of the statement's samples that the validator refuses.
        drawn: The number of drawn inputs; 0 without an oracle.
        refused: The reasons of the oracle for refusing inputs; None without an oracle.
        reasons: The reasons against a higher confidence.
    """

    slug: str
    way: str
    confidence: float
    validator: bool
    samples_refused: int
    drawn: int
    refused: list[str] | None
    reasons: tuple[str, ...]

    @property
    def believed(self) -> bool:
        """Whether a build publishes the problem by default."""
        return self.confidence >= SURE


def statement_figures(
    sandbox: Sandbox, completed: FunctionProblem, candidates: int
) -> StatementFigures:
    """Derive inputs of a problem at any confidence; with an oracle, draw and check them."""
    problem, tests = described(completed), completed.entry.tests
    known = [test.stdin for test in tests]
    accepted = [s for s in completed.entry.solutions if s.expected == Expectation.ACCEPTED]
    oracle, drawn = ORACLES.get(problem.slug), list[str]()
    way, confidence, validator, reasons = "given", 0.0, None, ()
    if oracle:
        options = InputOptions(candidates=candidates, min_confidence=0.0)
        inputs = make_inputs(sandbox, problem, tests, options, programs=accepted)
        way, validator, reasons = inputs.way, inputs.validator_source, inputs.reasons
        drawn = [test.stdin for test in inputs.tests if test.stdin not in known]
        confidence = inputs.confidence if drawn else 0.0
    else:
        try:
            derivation = derived(problem, known, accepted)
            way, confidence = "derived", derivation.confidence
            validator, reasons = validator_text(derivation.spec), derivation.reasons
        except NotDerived as error:
            reasons = (str(error),)
    samples = [sample.stdin for sample in parse_statement(problem.statement).samples] or known
    verdicts = refusals(sandbox, validator, samples) if validator and samples else []
    return StatementFigures(
        slug=problem.slug,
        way=way,
        confidence=confidence,
        validator=bool(validator),
        samples_refused=sum(reason is not None for reason in verdicts),
        drawn=len(drawn),
        refused=[reason for stdin in drawn if (reason := refusal(oracle, stdin))]
        if oracle
        else None,
        reasons=reasons,
    )


def problems(folder: Path) -> Iterator[FunctionProblem | Rejected]:
    """Yield the problems of a folder, completed from their starter code, and the rejected ones."""
    languages = load_languages()
    for entry in read(str(folder), languages):
        yield entry if isinstance(entry, Rejected) else complete(entry, languages)


def row(folder: str, statements: Sequence[StatementFigures]) -> tuple[str, ...]:
    """Return the row of a folder in the table."""
    checked = [figures for figures in statements if figures.refused is not None]
    broken = [figures for figures in checked if figures.refused]
    believed = [figures for figures in checked if figures.believed]
    counts = (
        len(statements),
        sum(figures.believed for figures in statements),
        sum(figures.way == "derived" and figures.validator for figures in statements),
        sum(figures.samples_refused > 0 for figures in statements),
        len(checked),
        sum(figures.drawn for figures in checked),
        sum(len(figures.refused or ()) for figures in checked),
        len(broken),
        sum(figures.believed for figures in broken),
        sum(figures.drawn for figures in believed),
        sum(len(figures.refused or ()) for figures in believed),
    )
    return (folder, *map(str, counts))


def main() -> None:
    """Measure every problem and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--candidates", type=int, default=300, help="inputs drawn for a problem")
    parser.add_argument("--oracles", action="store_true", help="only problems with an oracle")
    parser.add_argument("--totals", action="store_true", help="print only the table")
    parser.add_argument("--save", type=Path, metavar="FILE", help="a line of JSON for each problem")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    output = options.save or os.devnull
    with LocalSandbox() as sandbox, open(output, "w", encoding="utf-8") as file:
        for folder in options.folders:
            statements: list[StatementFigures] = []
            for problem in problems(folder):
                if isinstance(problem, Rejected):
                    if not options.totals:
                        print(problem, file=sys.stderr)
                    continue
                if options.oracles and problem.entry.problem.slug not in ORACLES:
                    continue
                figures = statement_figures(sandbox, problem, options.candidates)
                statements.append(figures)
                line = json.dumps({"folder": folder.name, **figures._asdict()})
                print(line, file=file, flush=True)
                refused = figures.refused or []
                failed = figures.way != "derived" or figures.samples_refused or refused
                if failed and not options.totals:
                    reasons = "; ".join([*refused[:1], *figures.reasons])
                    print(
                        f"{figures.slug} {figures.way} {figures.confidence:g}, {len(refused)} of "
                        f"{figures.drawn} refused: {reasons}",
                        flush=True,
                    )
            rows.append(row(folder.name, statements))
    for cells in (HEADINGS, ("---",) * len(HEADINGS), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
