"""Convert the competitive-programming part of COFFE into problem folders (docs/problems.md).

    python tests/shared/coffe.py OUT [--problems N] [--tests 20] [--data ../shared/data/coffe]
    venus build --lang python --source OUT --tests 20 --out build/coffe

Every problem gets its first `--tests` given tests, and every different program that the data set says is correct. No
problem has a checker, so where several answers are right the programs will disagree and the build will drop the test.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "coffe"
FILES = ("code_contests_solutions.json", "code_contests_testcases.json")
OPENING = "You are an expert Python programmer, and here is your task:\n"
CLOSING = "Do not give explanations, only give the Python code.\nPython Solution:\n```python"
CPU_S = 4
TITLE_WORDS = 8

PROBLEM_TOML = """\
title = {title}
difficulty = "Medium"
style = "stdin"
source = "coffe"
license = "CC-BY-4.0"

[limits]
cpu_s = {cpu_s}
"""


class Task(NamedTuple):
    """One problem of the data set."""

    statement: str
    programs: tuple[str, ...]
    tests: tuple[tuple[str, str], ...]


def read_tasks(data: Path) -> Iterator[Task]:
    """Yield the problems in the order of the file; of equal programs only the first."""
    solutions, tests = (json.loads((data / name).read_text(encoding="utf-8")) for name in FILES)
    for prompt, programs in solutions["prompt2groundtruth"].items():
        statement = prompt.removeprefix(OPENING).removesuffix(CLOSING).strip() + "\n"
        pairs = tuple((test["input"][0], test["output"][0]) for test in tests[prompt])
        yield Task(statement, tuple(dict.fromkeys(code for code, _ in programs)), pairs)


def title(statement: str) -> str:
    """Return the first words: the data set has no titles."""
    words = re.findall(r"[\w'-]+", statement)
    return " ".join(words[:TITLE_WORDS])


def write_task(folder: Path, task: Task, tests: int) -> None:
    """Write one problem folder."""
    solutions = folder / "solutions" / "python"
    solutions.mkdir(parents=True)
    (folder / "tests").mkdir()
    toml = PROBLEM_TOML.format(title=json.dumps(title(task.statement), ensure_ascii=False), cpu_s=CPU_S)
    (folder / "problem.toml").write_text(toml, encoding="utf-8")
    (folder / "statement.md").write_text(task.statement, encoding="utf-8")
    for number, (stdin, stdout) in enumerate(task.tests[:tests]):
        (folder / "tests" / f"{number:03d}.in").write_text(stdin, encoding="utf-8", newline="")
        (folder / "tests" / f"{number:03d}.out").write_text(stdout, encoding="utf-8", newline="")
    for number, code in enumerate(task.programs):
        (solutions / f"{number:03d}.py").write_text(code, encoding="utf-8", newline="")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Convert COFFE into problem folders.")
    parser.add_argument("out", type=Path, help="folder to make")
    parser.add_argument("--problems", type=int, help="only the first so many (default: all)")
    parser.add_argument("--tests", type=int, default=20, help="given tests of each problem (20)")
    parser.add_argument("--data", type=Path, default=DATA, help=f"folder with the two files ({DATA})")
    asked = parser.parse_args(words)
    tasks = list(read_tasks(asked.data))[: asked.problems]
    for number, task in enumerate(tasks):
        write_task(asked.out / f"coffe-{number:02d}", task, asked.tests)
    print(f"{len(tasks)} problems, {sum(len(task.programs) for task in tasks)} programs: {asked.out}")


if __name__ == "__main__":
    main()
