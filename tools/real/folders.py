"""Reads git directories, judges programs, and writes problem folders."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from venus_toolkit.builders.sources.folder import PREFIXES
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Problem, Solution, TestCase, Verdict
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.sandbox import Program

# Generous limits: slowness does not matter here, and the programs may be written for a faster
# interpreter.
GENEROUS_LIMITS = Limits().changed(
    wall_ns=40 * NS_PER_S, cpu_ns=10 * NS_PER_S, memory_bytes=1024 * MIB
)


class Repository:
    """The files of a git directory, without a work tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths = self._git("ls-tree", "-r", "--name-only", "-z", "HEAD").decode().split("\0")

    def _git(self, *words: str) -> bytes:
        return subprocess.run(
            ["git", "-C", str(self.folder), *words], capture_output=True, check=True
        ).stdout

    def read(self, path: str) -> str:
        """Return a file's text with Unix line ends."""
        return self._git("show", f"HEAD:{path}").decode("utf-8", "replace").replace("\r\n", "\n")

    def extract(self, path: str, out: Path) -> Path:
        """Write the folder `path` below `out`, except files that a snapshot lacks; return it."""
        names = [name for name in self.paths if name.startswith(f"{path}/") and "\n" not in name]
        requests = "".join(f"HEAD:{name}\n" for name in names).encode()
        argv = ["git", "-C", str(self.folder), "cat-file", "--batch"]
        answers = io.BytesIO(
            subprocess.run(argv, input=requests, capture_output=True, check=False).stdout
        )
        for name in names:
            words = answers.readline().split()
            # For an absent file git answers "HEAD:path missing".
            if len(words) == 3 and words[1] == b"blob":
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                (out / name).write_bytes(answers.read(int(words[2])))
                answers.read(1)
        return out / path


def judge_program(
    executor: Executor,
    worker: Worker,
    problem: Problem,
    solution: Solution,
    tests: tuple[TestCase, ...],
) -> Verdict | None:
    """Return the verdict of a program under generous limits; None if the sandbox failed."""
    suite = Suite(
        problem.slug, tests, Rules(GENEROUS_LIMITS, problem.comparison, problem.evaluator)
    )
    result = executor.judge(
        worker, suite, Program(executor.languages[solution.language], solution.code)
    )
    return None if isinstance(result, SandboxFailure) else result.judgement.verdict


def write_problem(
    folder: Path,
    problem: Problem,
    solutions: Iterable[Solution],
    tests: Iterable[TestCase],
    languages: dict[str, Language],
) -> None:
    """Write a problem folder (docs/problems.md); expectation and id name a solution's file."""
    folder.mkdir(parents=True, exist_ok=True)
    compare, limits = problem.comparison, problem.limits
    lines = [
        f"title = {json.dumps(problem.title, ensure_ascii=False)}",
        f'style = "{problem.style}"',
    ]
    lines += [
        f"source = {json.dumps(problem.source)}",
        "",
        "[limits]",
        f"cpu_s = {limits.cpu_ns / NS_PER_S}",
    ]
    lines += [
        f"memory_mib = {limits.memory_bytes // MIB}",
        "",
        "[compare]",
        f'kind = "{compare.kind}"',
    ]
    if compare.kind == "float":
        lines += [
            f"absolute = {compare.absolute!r}",
            f"relative = {compare.relative!r}",
            "real = true",
        ]
    (folder / "problem.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "statement.md").write_bytes(problem.statement.encode())
    if problem.evaluator and compare.kind == "evaluator":
        (folder / "evaluator.py").write_text(problem.evaluator, encoding="utf-8")
    prefixes = {expected: prefix for prefix, expected in PREFIXES.items()}
    for solution in solutions:
        place = folder / "solutions" / solution.language
        place.mkdir(parents=True, exist_ok=True)
        name = prefixes.get(solution.expected, "") + solution.solution_id.rpartition("/")[2]
        file = place / f"{name}{languages[solution.language].extension}"
        file.write_bytes(solution.code.encode())
    for test in tests:
        (folder / "tests").mkdir(exist_ok=True)
        (folder / "tests" / f"{test.test_id}.in").write_bytes(test.stdin.encode())
        if test.stdout is not None:
            (folder / "tests" / f"{test.test_id}.out").write_bytes(test.stdout.encode())
