"""The only judge there is: run every test, compare outside the sandbox, decide.

A program passes a test when it ends by itself with exit code 0, inside all limits, and its output is the expected one
under the problem's comparison. Outputs are compared here, never inside the sandbox, and expected outputs never go in.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from venus_toolkit.errors import SourceError
from venus_toolkit.language import Language, load_languages, render
from venus_toolkit.records import MIB, NS_PER_S, Comparison, Judgement, Limits, Run, TestCase, Verdict
from venus_toolkit.sandbox import Compiled, Program, Sandbox
from venus_toolkit.supervisor import Cores, Sampling

CHECKER_LIMITS = Limits(wall_ns=60 * NS_PER_S, cpu_ns=60 * NS_PER_S, memory_bytes=1024 * MIB)
INTEGER = re.compile(r"[+-]?\d+")


class Answer(NamedTuple):
    """What an evaluator is asked about."""

    expected: str
    actual: str
    stdin: str


# ------------------------------------------------------------------ comparing


def trimmed(text: str) -> str:
    """Return `text` without white space at the ends of lines and without empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def same_text(expected: str, actual: str) -> bool:
    """Whether two outputs are equal but for trailing white space."""
    return trimmed(expected) == trimmed(actual)


def same_numbers(expected: str, actual: str, comparison: Comparison) -> bool:
    """Whether two outputs have the same words, numbers that are not both integers within the tolerances.

    Integers are never compared with a tolerance, however large they are.
    """
    left, right = expected.split(), actual.split()
    return len(left) == len(right) and all(_same_word(a, b, comparison) for a, b in zip(left, right, strict=True))


def _same_word(expected: str, actual: str, comparison: Comparison) -> bool:
    if expected == actual:
        return True
    if INTEGER.fullmatch(expected) and INTEGER.fullmatch(actual):
        return False
    try:
        a, b = float(expected), float(actual)
    except (ValueError, OverflowError):
        return False
    return math.isclose(a, b, rel_tol=comparison.relative, abs_tol=comparison.absolute)


class Checker:
    """Compares outputs of one problem; an evaluator, somebody else's code, runs in the sandbox.

    Args:
        comparison: How to compare.
        evaluator: Python source that defines ``evaluate(expected, actual)`` or ``evaluate(expected, actual, stdin)``;
            for the kind ``evaluator`` only.
        sandbox: Where the evaluator runs.

    Raises:
        SourceError: The evaluator does not compile, or is missing.
    """

    def __init__(self, comparison: Comparison, sandbox: Sandbox, evaluator: str | None = None) -> None:
        self.comparison = comparison
        self._sandbox = sandbox
        self._compiled: Compiled | None = None
        if comparison.kind == "evaluator":
            self._compiled = host_program(sandbox, "evaluator.py.txt", evaluator)

    def passes(self, answers: Sequence[Answer]) -> list[bool]:
        """Return for each answer whether `actual` is as good as `expected`."""
        if self.comparison.kind == "float":
            return [
                same_text(a.expected, a.actual) or same_numbers(a.expected, a.actual, self.comparison) for a in answers
            ]
        same = [same_text(answer.expected, answer.actual) for answer in answers]
        if self._compiled is None or all(same):
            return same
        asked = [answer for answer, equal in zip(answers, same, strict=True) if not equal]
        judged = iter(self._evaluate(asked))
        return [equal or next(judged) for equal in same]

    def accepts(self, answer: Answer) -> bool:
        """Return whether the evaluator, asked outright, accepts an answer (text that is equal is not enough)."""
        return self._evaluate([answer])[0] if self._compiled else self.passes([answer])[0]

    def _evaluate(self, answers: Sequence[Answer]) -> list[bool]:
        """Ask the evaluator about all answers at once; where that fails, one by one, and a crash means no."""
        assert self._compiled
        with self._sandbox.session(self._compiled, CHECKER_LIMITS) as session:
            (run,) = session.run([_questions(answers)])
        replies = _replies(run, len(answers))
        if replies is not None:
            return replies
        if len(answers) == 1:
            return [False]
        return [self._evaluate([answer])[0] for answer in answers]


class Rules(NamedTuple):
    """What decides about a program, beside the tests; evaluator: its source, where the comparison needs one."""

    limits: Limits
    comparison: Comparison
    evaluator: str | None

    def checker(self, sandbox: Sandbox) -> Checker:
        """Return what compares outputs."""
        return Checker(self.comparison, sandbox, self.evaluator)


def host_program(sandbox: Sandbox, host: str, code: str | None) -> Compiled:
    """Compile a problem's Python code inside one of our host programs (``generator.py.txt``, ``evaluator.py.txt``).

    Raises:
        SourceError: The code is missing or does not compile.
    """
    name = host.removesuffix(".py.txt")
    if not code:
        raise SourceError(f"the problem has no {name}", f"{name}.py is missing", "see docs/problems.md")
    template = (resources.files("venus_toolkit.hosts") / host).read_text()
    compiled = sandbox.compile(Program(_python(), render(template, code)))
    if not compiled.ok:
        raise SourceError(f"the {name} does not compile", compiled.log.strip()[-500:], f"mend {name}.py")
    return compiled


def _python() -> Language:
    return load_languages()["python"]


def _questions(answers: Sequence[Answer]) -> bytes:
    return "".join(json.dumps(list(answer)) + "\n" for answer in answers).encode()


def _replies(run: Run, count: int) -> list[bool] | None:
    try:
        replies = [json.loads(line) for line in run.stdout.splitlines()]
    except ValueError:
        return None
    return replies if run.clean and len(replies) == count and all(isinstance(r, bool) for r in replies) else None


# ------------------------------------------------------------------ judging


def judge(
    sandbox: Sandbox,
    compiled: Compiled,
    tests: Sequence[TestCase],
    checker: Checker,
    limits: Limits,
    *,
    cores: Cores | None = None,
    sampling: Sampling | None = None,
    every_test: bool = False,
    failures: int = 1,
    compare: bool = True,
    on_run: Callable[[int, Run], None] | None = None,
) -> Judgement:
    """Run a compiled program on every test and decide; stops at the first failure unless told otherwise.

    Args:
        sandbox: Where to run it.
        compiled: The program.
        tests: What to run it on.
        checker: How the problem compares.
        limits: What each run may take.
        cores: Where to run it.
        sampling: How often to read memory.
        every_test: Go on after a failure.
        failures: Otherwise stop after so many of them, or after the first time limit: the next may well be as long.
        compare: Refuse tests without expected output; when False, the way such a run ends decides.
        on_run: Told the index of each test and its run, outputs included; the runs of the judgement have none.

    Raises:
        SandboxError: The sandbox failed; nothing is said about the program then.
        SourceError: There are no tests: nothing would be judged, and nothing is no pass.
    """
    if not compiled.ok:
        return Judgement(Verdict.COMPILE_ERROR, _first_words(compiled.log), compile_log=compiled.log)
    if not tests:
        why = "every test was dropped or none was given"
        raise SourceError("there are no tests to judge with", why, "see the summary of the build")
    if compare:
        _require_expected(tests)
    runs: list[Run] = []
    found: list[Found] = []
    pending: dict[int, Answer] = {}
    with sandbox.session(compiled, limits, cores, sampling) as session:
        for index, run in enumerate(session.run([test.stdin.encode() for test in tests])):
            if on_run:
                on_run(index, run)
            runs.append(run.without_output())
            found.append(_one_test(tests[index], index, run, compiled.program.language, checker, pending))
            if not every_test and _enough(found, failures):
                break
    for index, reason in _refused(pending, checker).items():
        found[index] = Found(Verdict.WRONG_ANSWER, reason)
    failed = next((index for index, one in enumerate(found) if one.verdict != Verdict.ACCEPTED), None)
    decided = found[failed] if failed is not None else Found(Verdict.ACCEPTED, "")
    name = tests[failed].test_id if failed is not None else None
    verdicts = tuple(one.verdict for one in found)
    return Judgement(decided.verdict, decided.reason, name, compiled.log, tuple(runs), verdicts)


class Found(NamedTuple):
    """What one test found."""

    verdict: Verdict
    reason: str


def _enough(found: Sequence[Found], failures: int) -> bool:
    failed = [one.verdict for one in found if one.verdict != Verdict.ACCEPTED]
    return len(failed) >= failures or Verdict.TIME_LIMIT in failed


def _require_expected(tests: Sequence[TestCase]) -> None:
    for test in tests:
        if test.stdout is None:
            raise SourceError(
                f"test {test.test_id} has no expected output", "it was never agreed", "build the tests first"
            )


def _one_test(
    test: TestCase, index: int, run: Run, language: Language, checker: Checker, pending: dict[int, Answer]
) -> Found:
    """Decide one test; an answer that only the evaluator can judge waits in `pending`."""
    verdict, reason = ending(run, language)
    if verdict:
        return Found(verdict, reason)
    if test.stdout is None:
        return Found(Verdict.ACCEPTED, "")
    answer = Answer(test.stdout, run.stdout.decode("utf-8", "replace"), test.stdin)
    if checker.comparison.kind == "evaluator":
        if not same_text(answer.expected, answer.actual):
            pending[index] = answer
        return Found(Verdict.ACCEPTED, "")
    if checker.passes([answer])[0]:
        return Found(Verdict.ACCEPTED, "")
    return Found(Verdict.WRONG_ANSWER, difference(answer.expected, answer.actual))


def _refused(pending: Mapping[int, Answer], checker: Checker) -> dict[int, str]:
    """Ask the evaluator about all waiting answers at once; returns the refused ones with what differs."""
    passed = checker.passes(list(pending.values())) if pending else []
    return {
        index: "refused by the evaluator: " + difference(answer.expected, answer.actual)
        for (index, answer), good in zip(pending.items(), passed, strict=True)
        if not good
    }


def ending(run: Run, language: Language) -> tuple[Verdict | None, str]:
    """Return the verdict that the way a run ended decides, with its reason; None where the output decides."""
    if run.limit in ("wall", "cpu"):
        return Verdict.TIME_LIMIT, f"ended at the {run.limit} time limit"
    if run.limit == "memory":
        return Verdict.MEMORY_LIMIT, f"needed {run.peak_bytes // MIB} MiB"
    if run.limit == "output" or run.stdout_cut or run.stderr_cut:
        return Verdict.OUTPUT_LIMIT, "printed more than the output limit"
    if run.clean:
        return None, ""
    error = run.stderr.decode("utf-8", "replace")
    if language.out_of_memory.search(error):
        return Verdict.MEMORY_LIMIT, _last_words(error)
    how = f"killed by signal {run.signal}" if run.signal else f"exit code {run.exit_code}"
    return Verdict.RUNTIME_ERROR, f"{how}: {_last_words(error)}".rstrip(": ")


def difference(expected: str, actual: str) -> str:
    """Return in one short line where two outputs first differ."""
    left, right = trimmed(expected).split("\n"), trimmed(actual).split("\n")
    for number, (a, b) in enumerate(zip(left, right, strict=False), 1):
        if a != b:
            return f"line {number}: expected {_short(a)}, got {_short(b)}"
    return f"expected {len(left)} lines, got {len(right)}" if actual.strip() else "printed nothing"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return _cut(
        next(
            (line for line in reversed(lines) if "rror" in line or "xception" in line or "panic" in line),
            lines[-1] if lines else "",
        )
    )


def _first_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "rror" in line]
    return _cut(lines[0] if lines else text.strip())


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


# ------------------------------------------------------------------ languages check


def self_check(sandbox: Sandbox, language: Language) -> dict[Verdict, Judgement]:
    """Judge the self-test programs of a language; each is filed under the verdict it should get.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    test = TestCase("selftest", language.selftest.stdin, language.selftest.stdout)
    checker = Checker(Comparison(), sandbox)
    return {
        wanted: judge(sandbox, sandbox.compile(Program(language, code)), [test], checker, language.selftest.limits)
        for wanted, code in language.selftest.programs.items()
    }
