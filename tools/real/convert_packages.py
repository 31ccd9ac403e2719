"""Converts problem packages to problem folders, with programs labelled by their secret tests.

    python -m tools.real.convert_packages --repository GIT --out FOLDER

GIT is a (bare) git directory with packages in the layout of Kattis. The output is
OUT/{dev,aside}/packages/NAME. The samples become given tests, as the statement does not show them;
the secret tests are not written. A program that the package labels as wrong or partially accepted
must pass the samples. It becomes ``wrong_…`` if it fails a secret test, ``slow_…`` if it only takes
too long, and ``unknown_…`` if it passes all: its package may have had a lower limit.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tools.real.folders import Repository, judge_program, write_problem
from tools.real.split import aside
from venus_toolkit.builders.sources import Entry, kattis
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution, Verdict
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = ("cpp", "python")
LARGEST = 10**6  # characters of a secret test: larger ones are not needed to tell wrong from slow
MOST = 60  # secret tests to run, spread evenly over all groups
LABELS = {
    Verdict.WRONG_ANSWER: Expectation.WRONG,
    Verdict.RUNTIME_ERROR: Expectation.WRONG,
    Verdict.TIME_LIMIT: Expectation.SLOW,
    Verdict.ACCEPTED: Expectation.UNKNOWN,
}


def labelled(executor: Executor, worker: Worker, entry: Entry) -> Iterator[Solution]:
    """Yield programs that pass the samples; secret tests relabel the wrong and unknown ones."""
    samples = tuple(test for test in entry.tests if test.test_id.startswith("sample"))
    secret = tuple(
        test for test in entry.tests if test not in samples and len(test.stdin) < LARGEST
    )
    secret = secret[:: 1 + len(secret) // MOST]
    for solution in entry.solutions:
        if (
            solution.language in LANGUAGES
            and judge_program(executor, worker, entry.problem, solution, samples)
            == Verdict.ACCEPTED
        ):
            if secret and solution.expected in (Expectation.WRONG, Expectation.UNKNOWN):
                verdict = judge_program(executor, worker, entry.problem, solution, secret)
                label = LABELS.get(verdict) if verdict else None
                solution = replace(solution, expected=label or Expectation.UNKNOWN)
            yield solution


def main() -> None:
    """Convert the packages of a repository with an English statement and two accepted programs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, required=True, metavar="GIT")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=("dev", "aside"), default="dev")
    options = parser.parse_args()
    repository, languages = Repository(options.repository), load_languages()
    packages = [
        path.removesuffix("/problem.yaml")
        for path in repository.paths
        if path.endswith("/problem.yaml")
    ]
    here = [languages[name] for name in LANGUAGES]
    with LocalSandbox() as sandbox, closing(Executor(sandbox, here)) as executor:
        for package in packages:
            name = package.rpartition("/")[2]
            folder = options.out / options.part / "packages" / name
            english = any(
                path.startswith(package) and path.endswith("problem.en.tex")
                for path in repository.paths
            )
            if not english or aside(name) != (options.part == "aside") or folder.exists():
                continue
            with tempfile.TemporaryDirectory() as extracted:
                entries = list(
                    kattis.read(str(repository.extract(package, Path(extracted))), languages)
                )
            for entry in entries:
                if not isinstance(entry, Entry) or not any(
                    t.test_id.startswith("sample") for t in entry.tests
                ):
                    continue
                ((_, solutions),) = executor.judging(
                    lambda item, worker: list(labelled(executor, worker, item)), [entry]
                )
                if sum(s.expected == Expectation.ACCEPTED for s in solutions) < 2:
                    continue
                samples = [test for test in entry.tests if test.test_id.startswith("sample")]
                write_problem(folder, entry.problem, solutions, samples, languages)
                labels = ", ".join(sorted(str(solution.expected) for solution in solutions))
                print(f"{name}: {labels}", flush=True)


if __name__ == "__main__":
    main()
