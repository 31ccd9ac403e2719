"""Converts published accepted programs to problem folders, to count how many compile here.

    python -m tools.real.convert_programs --repository GIT --out FOLDER --part aside --programs 150

GIT is a (bare) git directory whose paths name an AtCoder contest
(``abc/abc062/abc062_b/abc062_b.cpp``). The output is OUT/TASK, without statement and tests, for
``python -m tools.compile_survey folder:OUT``. Programs that include a file of their author are
skipped, because the author submitted a different text.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tools.real.folders import Repository, write_problem
from tools.real.split import PARTS, for_development, in_part, shuffled
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import Expectation, Solution

CONTEST = re.compile(r"(?<![a-z])(abc|arc|agc)_?([0-9]{3})(?![0-9-])", re.IGNORECASE)
LETTER = re.compile(r"(?:.*_|problem)?([a-h1-8])(?:_[0-9]+)?", re.IGNORECASE)
OWN_FILE = re.compile(r'^\s*#include\s*"|^\s*import (?:static )?(?:io|lib|util)\.', re.MULTILINE)
VERDICT = re.compile(r"_([A-Z]+)$")  # at the end of a name in an archive of all submissions
EXPECTED = {
    "AC": Expectation.ACCEPTED,
    "WA": Expectation.WRONG,
    "RE": Expectation.WRONG,
    "TLE": Expectation.SLOW,
}
TESTS = re.compile(r"(?:^|/)test/|Test\.java$|faultyVersion|_test\.go$")


def task_of(path: str) -> str | None:
    """Return the task in a path (``abc062_b``), None without a contest.

    A file name without the letter of a task gives the letter x.
    """
    contest = CONTEST.search(path)
    if contest is None or TESTS.search(path):
        return None
    stem = VERDICT.sub("", Path(path).stem)
    letter = LETTER.fullmatch(stem)
    return f"{contest[1].lower()}{contest[2]}_{letter[1].lower() if letter else 'x'}"


def expectation(path: str) -> Expectation | None:
    """Return the expectation for a program's verdict; None for others, such as a compile error."""
    verdict = VERDICT.search(Path(path).stem)
    return EXPECTED.get(verdict[1]) if verdict else Expectation.ACCEPTED


def archived_programs(
    repositories: Iterable[Repository], languages: Mapping[str, Language]
) -> dict[str, list[tuple[Repository, str, str, Expectation]]]:
    """Return the programs of archives by task: repository, path, language and expectation."""
    extensions = {language.extension: name for name, language in languages.items()}
    by_task: dict[str, list[tuple[Repository, str, str, Expectation]]] = {}
    for repository in repositories:
        for path in shuffled(repository.paths):
            language, task, expected = (
                extensions.get(Path(path).suffix),
                task_of(path),
                expectation(path),
            )
            if language and task and expected:
                by_task.setdefault(task, []).append((repository, path, language, expected))
    return by_task


def main() -> None:
    """Convert up to `--programs` programs of each language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, required=True, metavar="GIT")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument(
        "--programs", type=int, default=150, help="maximum number for each language"
    )
    options = parser.parse_args()
    repository, languages, counts = Repository(options.repository), load_languages(), Counter[str]()
    extensions = {language.extension: name for name, language in languages.items()}
    by_task: dict[str, list[Solution]] = {}
    for path in shuffled(repository.paths):
        language, task = extensions.get(Path(path).suffix), task_of(path)
        if (
            language is None
            or task is None
            or expectation(path) != Expectation.ACCEPTED
            or counts[language] >= options.programs
            or not in_part(task, for_development(task), options.part)
        ):
            continue
        code = repository.read(path)
        if code.strip() and not OWN_FILE.search(code):
            counts[language] += 1
            name = f"{language}/{counts[language]:04}"
            by_task.setdefault(task, []).append(
                Solution(name, "", language, code, Expectation.ACCEPTED)
            )
    for task, solutions in by_task.items():
        write_problem(
            options.out / task,
            new_problem(task, f"{task}\n", source="atcoder"),
            solutions,
            (),
            languages,
        )
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
