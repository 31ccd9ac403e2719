"""Converts contest tasks to problem folders.

Statements come from one repository, correct and faulty programs from another.

    python -m tools.real.convert_atcoder --statements GIT --programs GIT --out FOLDER --tasks 60
    python -m tools.real.convert_atcoder --statements GIT --archives GIT … --out FOLDER       # C++, Go, Java, Ruby
    python -m tools.real.convert_atcoder --statements GIT --out FOLDER --tasks 300            # statements alone
    python -m tools.real.convert_atcoder --statements GIT --out FOLDER --oracles              # those with an oracle

GIT is a (bare) git directory of Molmin/atcoder-problems and of appmlk/ConDefects. The output is
OUT/PART/atcoder/TASK with the unchanged English part of the page, and OUT/PART/atcoder-md/TASK with
the Markdown. Correct programs must pass the statement's samples, as packages may be missing here.
Faulty programs must pass them, too, and become ``wrong_…``; their verdicts are unknown, so some may
only be slow. An archive has programs of one author, whose names may end with their verdicts
(``abc221_e_26313011_TLE.cpp``); there ``wrong_…`` and ``slow_…`` are verdicts of the judge.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

from tools.real.convert_programs import archived_programs
from tools.real.folders import Repository, judge_program, write_problem
from tools.real.oracles.__main__ import oracles
from tools.real.split import CONTEST, PARTS, for_development, in_part, shuffled
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.builders.reading.values import limits
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    MIB,
    Expectation,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = {"Python": ("python", ".py"), "Java": ("java", ".java")}
# Pairs of a correct and a faulty program that a task needs: half of the faulty ones fail a sample.
PAIRS = 4
ERROR = 1e-6  # tolerance if the statement mentions relative or absolute errors


class Page(HTMLParser):
    """The text of each ``pre`` of a page, under the heading before it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str]] = []
        self._heading, self._text, self._inside = "", "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a heading or a block."""
        if tag in ("h3", "pre"):
            self._inside, self._text = tag, ""

    def handle_endtag(self, tag: str) -> None:
        """End a heading or a block."""
        if tag == self._inside:
            self._inside = ""
            if tag == "h3":
                self._heading = self._text.strip()
            else:
                self.blocks.append((self._heading, self._text.lstrip("\r\n")))

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self._text += data if self._inside else ""

    def samples(self) -> tuple[TestCase, ...]:
        """Return the samples as tests, from the first block under each of their headings."""
        blocks: dict[str, str] = {}
        for heading, text in self.blocks:
            blocks.setdefault(heading.replace(" ", "").lower(), text)
        names = [
            name.removeprefix("sampleinput") for name in blocks if name.startswith("sampleinput")
        ]
        return tuple(
            TestCase(
                f"sample-{name or 1}",
                blocks[f"sampleinput{name}"],
                blocks[f"sampleoutput{name}"],
                kind="given",
            )
            for name in names
            if f"sampleoutput{name}" in blocks
        )


def pairs(programs: Repository) -> dict[str, list[tuple[str, str, str]]]:
    """Return the pairs of programs by task: language, id and folder."""
    by_task: dict[str, list[tuple[str, str, str]]] = {}
    for path in programs.paths:
        match path.split("/"):
            case ["Code", task, language, number, file] if (
                file.startswith("faultyVersion") and language in LANGUAGES
            ):
                by_task.setdefault(task, []).append((language, number, path.rpartition("/")[0]))
    return by_task


def solutions(
    programs: Repository, task_pairs: Sequence[tuple[str, str, str]]
) -> Iterator[Solution]:
    """Yield the distinct programs of a task, Python first: it is cheapest to run."""
    seen: set[str] = set()
    for language, number, folder in sorted(task_pairs, reverse=True):
        name, suffix = LANGUAGES[language]
        for kind, expected in (("correct", Expectation.ACCEPTED), ("faulty", Expectation.WRONG)):
            code = programs.read(f"{folder}/{kind}Version{suffix}")
            if code not in seen:
                seen.add(code)
                yield Solution(f"{name}/{number}", "", name, code, expected)


def passing(
    executor: Executor,
    problem: Problem,
    samples: tuple[TestCase, ...],
    candidates: Iterable[Solution],
    most: dict[str, int],
) -> list[Solution]:
    """Return programs that pass the samples, at most `most[language]` of each expectation."""
    solutions: list[Solution] = []
    tried: Counter[tuple[str, str]] = Counter()
    for candidate in candidates:
        group, limit = (candidate.language, str(candidate.expected)), most[candidate.language]
        if (
            sum((s.language, str(s.expected)) == group for s in solutions) < limit
            and tried[group] < limit + 2
        ):
            tried[group] += 1
            results = executor.judging(
                lambda solution, worker: judge_program(
                    executor, worker, problem, solution, samples
                ),
                [candidate],
            )
            solutions += [s for s, verdict in results if verdict == Verdict.ACCEPTED]
    return solutions


def enough(solutions: Sequence[Solution], faulty: int) -> bool:
    """Whether there are at least two correct programs and `faulty` faulty ones."""
    correct = sum(solution.expected == Expectation.ACCEPTED for solution in solutions)
    return correct > 1 and len(solutions) - correct >= faulty


def task_problem(task: str, statement: str, about: dict[str, str]) -> Problem:
    """Return a task as a problem."""
    real = any(f"{kind} error" in statement.lower() for kind in ("relative", "absolute"))
    return new_problem(
        task,
        statement,
        title=about["title"],
        source="atcoder",
        limits=limits(float(about["time"]), float(about["memory"]) * MIB),
        comparison=OutputComparison("float", ERROR, ERROR, True) if real else OutputComparison(),
    )


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--statements", type=Path, required=True, metavar="GIT")
    parser.add_argument("--programs", type=Path, metavar="GIT", help="without: statements alone")
    parser.add_argument("--archives", type=Path, nargs="*", default=[], metavar="GIT")
    parser.add_argument(
        "--archived", type=int, default=3, metavar="N", help="programs of each language and kind"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("--oracles", action="store_true", help="only tasks that have an oracle")
    parser.add_argument("--tasks", type=int, default=60, help="maximum number of tasks")
    parser.add_argument("--samples", action="store_true", help="write the samples as given tests")
    parser.add_argument(
        "--python", type=int, default=4, metavar="N", help="programs of each kind; N + 2 are tried"
    )
    parser.add_argument(
        "--java", type=int, default=2, metavar="N", help="the same in Java: compiling takes seconds"
    )
    return parser.parse_args()


def main() -> None:
    """Convert up to `--tasks` tasks, counting those that were converted before."""
    options, languages = arguments(), load_languages()
    most = {"python": options.python, "java": options.java}
    statements, programs = (
        Repository(options.statements),
        options.programs and Repository(options.programs),
    )
    by_task = pairs(programs) if programs else {}
    by_task = {
        task: [pair for pair in task_pairs if most[LANGUAGES[pair[0]][0]]]
        for task, task_pairs in by_task.items()
    }
    tasks = {path.split("/")[2] for path in statements.paths if path.endswith("/html.json")}
    tasks = {
        task
        for task in tasks
        if CONTEST.fullmatch(task) and in_part(task, for_development(task), options.part)
    }
    if options.oracles:
        tasks &= set(oracles())
    archives = archived_programs(map(Repository, options.archives), languages)
    most.update(dict.fromkeys(languages.keys() - most.keys(), options.archived if archives else 0))
    faulty = {
        task
        for task, paths in archives.items()
        if any(expected != Expectation.ACCEPTED for *_, expected in paths)
    } | {task for task, task_pairs in by_task.items() if len(task_pairs) >= PAIRS}
    slow = {  # slow programs are rare, so these tasks come first
        task
        for task, paths in archives.items()
        if any(expected == Expectation.SLOW for *_, expected in paths)
    }
    name, done = "atcoder" if programs or archives else "atcoder-statements", 0
    here = [languages[language] for language, count in most.items() if count]
    with LocalSandbox() as sandbox, closing(Executor(sandbox, here)) as executor:
        chosen = shuffled(task for task in tasks if task in faulty or not (programs or archives))
        for task in sorted(chosen, key=lambda task: task not in slow):
            if done >= options.tasks:
                break
            at, out = f"data/statement/{task}", options.out / options.part
            page = json.loads(statements.read(f"{at}/html.json"))["html"].get("en", "")
            about, samples = json.loads(statements.read(f"{at}/config.json")), Page(page).samples()
            if not samples:
                continue
            written: list[Solution] = []
            if (programs or archives) and not (out / name / task / "problem.toml").exists():
                candidates = list(solutions(programs, by_task.get(task, ()))) if programs else []
                candidates += [
                    Solution(
                        f"{language}/archived_{place}",
                        "",
                        language,
                        repository.read(path),
                        expected,
                    )
                    for place, (repository, path, language, expected) in enumerate(
                        archives.get(task, ())
                    )
                ]
                problem = task_problem(task, page, about)
                written = passing(executor, problem, samples, candidates, most)
                if not enough(written, 1 if archives else 2):
                    continue
            if written or not (programs or archives):
                texts = {name: page}
                if f"{at}/en.md" in statements.paths:
                    texts[f"{name}-md"] = statements.read(f"{at}/en.md")
                for form, text in texts.items():
                    tests = samples if options.samples else ()
                    problem = task_problem(task, text, about)
                    write_problem(out / form / task, problem, written, tests, languages)
            done += 1
            labels = ", ".join(sorted(str(solution.expected) for solution in written))
            print(f"{done} {task}: {labels}", flush=True)


if __name__ == "__main__":
    main()
