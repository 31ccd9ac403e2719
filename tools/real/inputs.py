"""How many statements are believed, and how many drawn inputs break a promise.

    python -m tools.real.inputs FOLDER … --candidates 300

Each FOLDER has problem folders as the converters beside this write them. Inputs are drawn at any
confidence, from the statement and its accepted programs, and the oracles check them
(``tools/real/oracles``); none are drawn where there is no oracle. Prints the problems that
something is wrong with, and a table with one row for each folder. ``--totals`` prints the table
alone, as for problems that nobody may look at; ``--oracles`` leaves out the problems without an
oracle; ``--save FILE`` writes a line of JSON for each problem, to compare two trees by. No solution
runs, so these are the inputs on which solutions would still have to agree.
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
    """What became of one statement.

    Attributes:
        slug: The problem.
        way: How its inputs were made.
        confidence: How sure these are; 0 where none was made.
        validator: Whether there is a validator.
        samples_refused: How many of the statement's samples that validator refuses.
        drawn: How many inputs were made; none without an oracle.
        refused: Why the oracle refuses some of them; None where there is no oracle.
        reasons: Why the confidence is not higher.
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


def look(sandbox: Sandbox, completed: FunctionProblem, candidates: int) -> StatementFigures:
    """Derive inputs of a problem at any confidence; draw and check them where there is an oracle."""
    problem, given = described(completed), completed.entry.tests
    known = [test.stdin for test in given]
    accepted = [each for each in completed.entry.solutions if each.expected == Expectation.ACCEPTED]
    oracle, drawn = ORACLES.get(problem.slug), list[str]()
    way, confidence, validator, reasons = "given", 0.0, None, ()
    if oracle:
        options = InputOptions(candidates=candidates, min_confidence=0.0)
        inputs = make_inputs(sandbox, problem, given, options, programs=accepted)
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
    said = refusals(sandbox, validator, samples) if validator and samples else []
    return StatementFigures(
        slug=problem.slug,
        way=way,
        confidence=confidence,
        validator=bool(validator),
        samples_refused=sum(reason is not None for reason in said),
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
    checked = [each for each in statements if each.refused is not None]
    broken = [each for each in checked if each.refused]
    believed = [each for each in checked if each.believed]
    counts = (
        len(statements),
        sum(each.believed for each in statements),
        sum(each.way == "derived" and each.validator for each in statements),
        sum(each.samples_refused > 0 for each in statements),
        len(checked),
        sum(each.drawn for each in checked),
        sum(len(each.refused or ()) for each in checked),
        len(broken),
        sum(each.believed for each in broken),
        sum(each.drawn for each in believed),
        sum(len(each.refused or ()) for each in believed),
    )
    return (folder, *map(str, counts))


def main() -> None:
    """Look at every problem and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--candidates", type=int, default=300, help="inputs drawn for a problem")
    parser.add_argument("--oracles", action="store_true", help="only problems with an oracle")
    parser.add_argument("--totals", action="store_true", help="print the table alone")
    parser.add_argument("--save", type=Path, metavar="FILE", help="a line of JSON for each problem")
    asked = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    with LocalSandbox() as sandbox, open(asked.save or os.devnull, "w", encoding="utf-8") as saved:
        for folder in asked.folders:
            statements: list[StatementFigures] = []
            for problem in problems(folder):
                if isinstance(problem, Rejected):
                    if not asked.totals:
                        print(problem, file=sys.stderr)
                    continue
                if asked.oracles and problem.entry.problem.slug not in ORACLES:
                    continue
                each = look(sandbox, problem, asked.candidates)
                statements.append(each)
                print(json.dumps({"folder": folder.name, **each._asdict()}), file=saved, flush=True)
                wrong = each.way != "derived" or each.samples_refused or each.refused
                if wrong and not asked.totals:
                    print(
                        f"{each.slug} {each.way} {each.confidence:g}, {len(each.refused or ())} of "
                        f"{each.drawn} refused: {'; '.join([*(each.refused or ())[:1], *each.reasons])}",
                        flush=True,
                    )
            rows.append(row(folder.name, statements))
    for cells in (HEADINGS, ("---",) * len(HEADINGS), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
