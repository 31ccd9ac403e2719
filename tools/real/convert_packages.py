"""Problem packages as problem folders, with programs labelled by the packages' own secret tests.

    python -m tools.real.convert_packages --repository GIT --out FOLDER

GIT is a (bare) git directory with packages in the layout of Kattis. Written are
OUT/{dev,aside}/packages/NAME. The samples are given tests there, since the statement does not show
them; the secret tests are not written. What is said to be wrong or partially right is kept where it
passes the samples: ``wrong_…`` where a secret test says so, ``slow_…`` where it only took too long.
A program that passes all of them is ``unknown_…``: its own limit may have been lower.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tools.real.folders import Repository, judged, write_problem
from tools.real.split import aside
from venus_toolkit.builders.sources import Entry, kattis
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution, Verdict
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = ("cpp", "python")
LARGEST = 10**6  # characters of a secret test: more are not needed to tell wrong from slow
MOST = 60  # secret tests, evenly out of all groups
LABELS = {
    Verdict.WRONG_ANSWER: Expectation.WRONG,
    Verdict.RUNTIME_ERROR: Expectation.WRONG,
    Verdict.TIME_LIMIT: Expectation.SLOW,
    Verdict.ACCEPTED: Expectation.UNKNOWN,
}


def labelled(executor: Executor, worker: Worker, entry: Entry) -> Iterator[Solution]:
    """Yield the programs that pass the samples, with what the secret tests say of those not said to be accepted."""
    samples = tuple(test for test in entry.tests if test.test_id.startswith("sample"))
    secret = tuple(
        test for test in entry.tests if test not in samples and len(test.stdin) < LARGEST
    )
    secret = secret[:: 1 + len(secret) // MOST]
    for each in entry.solutions:
        if (
            each.language in LANGUAGES
            and judged(executor, worker, entry.problem, each, samples) == Verdict.ACCEPTED
        ):
            if secret and each.expected in (Expectation.WRONG, Expectation.UNKNOWN):
                said = judged(executor, worker, entry.problem, each, secret)
                each = replace(
                    each,
                    expected=LABELS.get(said, Expectation.UNKNOWN) if said else Expectation.UNKNOWN,
                )
            yield each


def main() -> None:
    """Convert every package of a repository that has an English statement and two accepted programs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, required=True, metavar="GIT")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=("dev", "aside"), default="dev")
    asked = parser.parse_args()
    repository, languages = Repository(asked.repository), load_languages()
    packages = [
        path.removesuffix("/problem.yaml")
        for path in repository.paths
        if path.endswith("/problem.yaml")
    ]
    here = [languages[name] for name in LANGUAGES]
    with LocalSandbox() as sandbox, closing(Executor(sandbox, here)) as executor:
        for package in packages:
            name = package.rpartition("/")[2]
            folder = asked.out / asked.part / "packages" / name
            english = any(
                path.startswith(package) and path.endswith("problem.en.tex")
                for path in repository.paths
            )
            if not english or aside(name) != (asked.part == "aside") or folder.exists():
                continue
            with tempfile.TemporaryDirectory() as extracted:
                found = list(
                    kattis.read(str(repository.extract(package, Path(extracted))), languages)
                )
            for entry in found:
                if not isinstance(entry, Entry) or not any(
                    t.test_id.startswith("sample") for t in entry.tests
                ):
                    continue
                ((_, kept),) = executor.judging(
                    lambda each, worker: list(labelled(executor, worker, each)), [entry]
                )
                if sum(each.expected == Expectation.ACCEPTED for each in kept) < 2:
                    continue
                samples = [test for test in entry.tests if test.test_id.startswith("sample")]
                write_problem(folder, entry.problem, kept, samples, languages)
                print(
                    f"{name}: " + ", ".join(sorted(str(each.expected) for each in kept)), flush=True
                )


if __name__ == "__main__":
    main()
