"""What becomes of statements.

How inputs are made of them, whether validators accept the samples, what oracles refuse.

    python -m tools.real.inputs FOLDER --candidates 600

FOLDER has problem folders as the converters beside this write them. No solution is run, so that
inputs are those on which solutions would still have to agree.

    python -m tools.real.inputs FOLDER --digests

prints the digest of what is derived of each problem with all, half and none of the accepted
programs: the shape of its inputs, what the validator checks, the confidence and its reasons. Where
two trees print the same, figures of `python -m tools.calibrate` that were made in one stand for the
other as far as what is read of statements goes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.real.oracles.__main__ import oracles, refusal
from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.inputs.derive import NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.make_inputs import InputOptions, make_inputs
from venus_toolkit.builders.inputs.run_generator import refusals
from venus_toolkit.builders.inputs.spec.specification import to_json
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, digest
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.local import LocalSandbox

ORACLES = oracles()


class Found(NamedTuple):
    """What was made of a problem.

    Broken says why the oracle refuses inputs, None where there is no oracle.
    """

    slug: str
    way: str
    confidence: float
    validator: bool
    samples_refused: int
    inputs: int
    broken: list[str] | None
    reasons: tuple[str, ...]


def look(sandbox: Sandbox, completed: FunctionProblem, candidates: int) -> Found:
    """Make inputs of a problem and check them."""
    problem, tests, right = described(completed), completed.entry.tests, Expectation.ACCEPTED
    programs = [each for each in completed.entry.solutions if each.expected == right]
    made = make_inputs(
        sandbox, problem, tests, InputOptions(candidates=candidates), programs=programs
    )
    samples = [sample.stdin for sample in parse_statement(problem.statement).samples]
    if problem.style == "function":
        samples = [test.stdin for test in tests]
    refused = refusals(sandbox, made.validator_source, samples) if made.validator_source else []
    oracle = ORACLES.get(problem.slug)
    broken = (
        [why for test in made.tests if (why := refusal(oracle, test.stdin))] if oracle else None
    )
    return Found(
        problem.slug, made.way, made.confidence if made.tests else 0.0, bool(made.validator_source),
        sum(why is not None for why in refused), len(made.tests), broken, made.reasons,
    )  # fmt: skip


def problems(folder: Path) -> Iterator[FunctionProblem | Rejected]:
    """Yield the problems of a folder, with what follows from their starter code, and what is none."""
    languages = load_languages()
    for entry in read(str(folder), languages):
        yield entry if isinstance(entry, Rejected) else complete(entry, languages)


def digests(completed: FunctionProblem) -> Iterator[str]:
    """Yield the digests of what is derived of a problem, with fewer and fewer programs as evidence."""
    problem, entry = described(completed), completed.entry
    right = [each for each in entry.solutions if each.expected == Expectation.ACCEPTED]
    for programs in (right, right[::2], []):
        try:
            found = derived(problem, [test.stdin for test in entry.tests], programs)
            check = found.validator.partition("\ndef validate")[2]
            yield digest(to_json(found.spec), check, found.confidence, list(found.reasons))
        except NotDerived as error:
            yield digest(str(error))


def main() -> None:
    """Look at every problem, name those that something is wrong with, and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--candidates", type=int, default=600, help="of the pool of a problem")
    parser.add_argument(
        "--digests", action="store_true", help="of what is derived, to compare two trees by"
    )
    asked = parser.parse_args()
    if asked.digests:
        for problem in problems(asked.folder):
            if not isinstance(problem, Rejected):
                print(problem.entry.problem.slug, *digests(problem))
        return
    found: list[Found] = []
    rejected = 0
    with LocalSandbox() as sandbox:
        for problem in problems(asked.folder):
            if isinstance(problem, Rejected):
                rejected += 1
                print(problem)
                continue
            each = look(sandbox, problem, asked.candidates)
            found.append(each)
            if each.way != "derived" or each.samples_refused or each.broken:
                print(
                    f"{each.slug} {each.way} {each.confidence}: {(each.broken or [''])[0]} "
                    f"{'; '.join(each.reasons)}"
                )
    checked = [each for each in found if each.broken is not None]
    broken = [each for each in checked if each.broken]
    refused = sum(len(each.broken or ()) for each in broken)
    both = sum(each.way == "derived" and each.validator for each in found)
    print(f"problems: {len(found)}, {rejected} problems or solutions rejected")
    print("ways:", dict(Counter(each.way for each in found)))
    print(f"with a derived generator and a validator: {both}")
    print(f"at a confidence of 0.9 or more: {sum(each.confidence >= 0.9 for each in found)}")
    print(
        "with samples that the validator refuses: "
        f"{sum(each.samples_refused > 0 for each in found)}"
    )
    seen, sure = sum(each.inputs for each in checked), sum(each.confidence > 0.5 for each in broken)
    print(
        f"oracles refuse {refused} of {seen} inputs, in {len(broken)} of {len(checked)} problems,"
    )
    print(f"of which {sure} are at a confidence above 0.5")


if __name__ == "__main__":
    main()
