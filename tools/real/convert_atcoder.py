"""Contest tasks as problem folders.

Statements from one repository, right and faulty programs from another.

    python -m tools.real.convert_atcoder --statements GIT --programs GIT --out FOLDER --tasks 60
    python -m tools.real.convert_atcoder --statements GIT --archives GIT … --out FOLDER       # C++, Go, Java, Ruby
    python -m tools.real.convert_atcoder --statements GIT --out FOLDER --tasks 300            # statements alone
    python -m tools.real.convert_atcoder --statements GIT --out FOLDER --oracles              # those with an oracle

GIT is a (bare) git directory of Molmin/atcoder-problems and of appmlk/ConDefects. Written are
OUT/PART/atcoder/TASK, with the English part of the page as it is, and
OUT/PART/atcoder-md/TASK with the Markdown. A faulty program is kept as ``wrong_…`` where it
passes the statement's samples; what its verdict was is not known, so it may be a slow one. A
correct one is kept where it passes them too: packages may be missing here. An archive has programs
of one author, with their verdicts where their names end with these (``abc221_e_26313011_TLE.cpp``):
``wrong_…`` and ``slow_…`` are said by the judge.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

from tools.real.convert_programs import archived
from tools.real.folders import Repository, judged, write_problem
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
# of a right and a faulty program that a task has at least: half of the faulty ones fail a sample
PAIRS = 4
ERROR = 1e-6  # where the statement speaks of errors


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
        """End what was begun."""
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
        """Return the samples as tests.

        The first block under ``Sample Input N`` and under ``Sample Output N``.
        """
        found: dict[str, str] = {}
        for heading, text in self.blocks:
            found.setdefault(heading.replace(" ", "").lower(), text)
        names = [
            name.removeprefix("sampleinput") for name in found if name.startswith("sampleinput")
        ]
        return tuple(
            TestCase(
                f"sample-{name or 1}",
                found[f"sampleinput{name}"],
                found[f"sampleoutput{name}"],
                kind="given",
            )
            for name in names
            if f"sampleoutput{name}" in found
        )


def pairs(programs: Repository) -> dict[str, list[tuple[str, str, str]]]:
    """Return the pairs of programs by task: language, id and folder."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in programs.paths:
        match path.split("/"):
            case ["Code", task, language, number, file] if (
                file.startswith("faultyVersion") and language in LANGUAGES
            ):
                found.setdefault(task, []).append((language, number, path.rpartition("/")[0]))
    return found


def solutions(programs: Repository, found: Sequence[tuple[str, str, str]]) -> Iterator[Solution]:
    """Yield the programs of a task, each text once, Python first: it costs less."""
    seen: set[str] = set()
    for language, number, folder in sorted(found, reverse=True):
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
    found: Iterable[Solution],
    most: dict[str, int],
) -> list[Solution]:
    """Return the programs that pass the samples, at most so many of each expectation and language."""
    kept: list[Solution] = []
    tried: Counter[tuple[str, str]] = Counter()
    for each in found:
        like, wanted = (each.language, str(each.expected)), most[each.language]
        if (
            sum((one.language, str(one.expected)) == like for one in kept) < wanted
            and tried[like] < wanted + 2
        ):
            tried[like] += 1
            said = executor.judging(
                lambda one, worker: judged(executor, worker, problem, one, samples), [each]
            )
            kept += [one for one, verdict in said if verdict == Verdict.ACCEPTED]
    return kept


def enough(kept: Sequence[Solution], faulty: int) -> bool:
    """Whether there are two correct programs and so many faulty ones."""
    correct = sum(each.expected == Expectation.ACCEPTED for each in kept)
    return correct > 1 and len(kept) - correct >= faulty


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
    parser.add_argument("--tasks", type=int, default=60, help="stop at so many")
    parser.add_argument("--samples", action="store_true", help="write the samples as given tests")
    parser.add_argument(
        "--python", type=int, default=4, metavar="N", help="programs of each kind; N + 2 are tried"
    )
    parser.add_argument(
        "--java", type=int, default=2, metavar="N", help="the same in Java: compiling takes seconds"
    )
    return parser.parse_args()


def main() -> None:
    """Convert tasks until there are enough of them; those that are there already count."""
    asked, languages = arguments(), load_languages()
    most = {"python": asked.python, "java": asked.java}
    statements, programs = (
        Repository(asked.statements),
        asked.programs and Repository(asked.programs),
    )
    by_task = pairs(programs) if programs else {}
    by_task = {
        task: [each for each in found if most[LANGUAGES[each[0]][0]]]
        for task, found in by_task.items()
    }
    tasks = {path.split("/")[2] for path in statements.paths if path.endswith("/html.json")}
    tasks = {
        task
        for task in tasks
        if CONTEST.fullmatch(task) and in_part(task, for_development(task), asked.part)
    }
    if asked.oracles:
        tasks &= set(oracles())
    archives = archived(map(Repository, asked.archives), languages)
    most.update(dict.fromkeys(languages.keys() - most.keys(), asked.archived if archives else 0))
    faulty = {
        task
        for task, paths in archives.items()
        if any(expected != Expectation.ACCEPTED for *_, expected in paths)
    } | {task for task, found in by_task.items() if len(found) >= PAIRS}
    slow = {  # they are rare, so they come first
        task
        for task, paths in archives.items()
        if any(expected == Expectation.SLOW for *_, expected in paths)
    }
    name, done = "atcoder" if programs or archives else "atcoder-statements", 0
    here = [languages[language] for language, count in most.items() if count]
    with LocalSandbox() as sandbox, closing(Executor(sandbox, here)) as executor:
        chosen = shuffled(task for task in tasks if task in faulty or not (programs or archives))
        for task in sorted(chosen, key=lambda task: task not in slow):
            if done >= asked.tasks:
                break
            at, out = f"data/statement/{task}", asked.out / asked.part
            page = json.loads(statements.read(f"{at}/html.json"))["html"].get("en", "")
            about, samples = json.loads(statements.read(f"{at}/config.json")), Page(page).samples()
            if not samples:
                continue
            kept: list[Solution] = []
            if (programs or archives) and not (out / name / task / "problem.toml").exists():
                found = list(solutions(programs, by_task.get(task, ()))) if programs else []
                found += [
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
                kept = passing(executor, task_problem(task, page, about), samples, found, most)
                if not enough(kept, 1 if archives else 2):
                    continue
            if kept or not (programs or archives):
                texts = {name: page}
                if f"{at}/en.md" in statements.paths:
                    texts[f"{name}-md"] = statements.read(f"{at}/en.md")
                for form, text in texts.items():
                    given = samples if asked.samples else ()
                    write_problem(
                        out / form / task, task_problem(task, text, about), kept, given, languages
                    )
            done += 1
            print(
                f"{done} {task}: " + ", ".join(sorted(str(each.expected) for each in kept)),
                flush=True,
            )


if __name__ == "__main__":
    main()
