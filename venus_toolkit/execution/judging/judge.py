"""The only judge there is: run every test, compare outside the sandbox, decide.

A program passes a test when it ends by itself with exit code 0, inside all limits, and its output
is the expected one under the problem's comparison. Outputs are compared here, never inside the
sandbox, and expected outputs never go in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import (
    MIB,
    Judgement,
    Limits,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.judging.checker import WAITING_BYTES, Answer, Checker
from venus_toolkit.execution.judging.comparison import difference, same_text
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, SessionOpener
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

ERROR = re.compile(r"[eE]rror(\[\w+\])?:|undefined reference")


def judge(
    sandbox: SessionOpener,
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
    """Run a compiled program on every test, each held to `limits`, and decide.

    With `every_test` it goes on after a failure. Otherwise it stops after so many `failures`, or
    after the first time limit: the next may well be as long. Tests without expected output are
    refused, unless `compare` is False: then the way such a run ends decides. `on_run` is told the
    index of each test and its run, outputs included; the runs of the judgement have none.

    Raises:
        SandboxError: The sandbox failed; nothing is said about the program then.
        SourceError: There are no tests: nothing would be judged, and nothing is no pass.
    """
    if not compiled.ok:
        reason = compile_reason(compiled.log) + _missing_library(
            compiled.log, compiled.program.language
        )
        return Judgement(Verdict.COMPILE_ERROR, reason, compile_log=compiled.log)
    _require_tests(tests, compare)
    runs: list[Run] = []
    outcomes: list[Found] = []
    pending: dict[int, Answer] = {}
    with fair(sandbox).session(compiled, limits, cores, sampling) as session:
        for index, run in enumerate(session.run(EncodedInputs(tests))):
            if on_run:
                on_run(index, run)
            runs.append(run.without_output())
            outcomes.append(
                _one_test(tests[index], index, run, compiled.program.language, checker, pending)
            )
            if sum(len(answer.actual) for answer in pending.values()) > WAITING_BYTES:
                _ask(pending, checker, outcomes)
            if every_test:
                continue
            failed = [one.verdict for one in outcomes if one.verdict != Verdict.ACCEPTED]
            if len(failed) >= failures or Verdict.TIME_LIMIT in failed:
                break
    _ask(pending, checker, outcomes)
    first = next(
        (index for index, one in enumerate(outcomes) if one.verdict != Verdict.ACCEPTED), None
    )
    decided = Found(Verdict.ACCEPTED, "") if first is None else outcomes[first]
    return Judgement(
        verdict=decided.verdict,
        reason=decided.reason,
        failing_test=None if first is None else tests[first].test_id,
        compile_log=compiled.log,
        runs=tuple(runs),
        verdicts=tuple(one.verdict for one in outcomes),
    )


def compile_reason(log: str) -> str:
    """Return the line of what a compiler said that tells why it failed."""
    # The first error is the cause of the others. Code that a warning quotes may have the word as
    # well.
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    telling = [line for line in lines if ERROR.search(line)] or [
        line for line in lines if "rror" in line
    ]
    # Go's have no such word, and begin with the name of the package.
    telling = telling or [line for line in lines if not line.startswith("#")]
    return _cut((telling or lines or [""])[0])


def _require_tests(tests: Sequence[TestCase], compare: bool) -> None:
    if not tests:
        reason = "every test was dropped or none was given"
        raise SourceError("there are no tests", reason, "see the summary of the build")
    unagreed = next((test for test in tests if test.stdout is None), None) if compare else None
    if unagreed:
        problem = f"test {unagreed.test_id} has no expected output"
        raise SourceError(problem, "its solutions did not agree on one", "build the tests first")


class Found(NamedTuple):
    """What one test found."""

    verdict: Verdict
    reason: str


def _one_test(
    test: TestCase,
    index: int,
    run: Run,
    language: Language,
    checker: Checker,
    pending: dict[int, Answer],
) -> Found:
    """Decide one test; an answer that only the evaluator can judge waits in `pending`."""
    verdict, reason = ending(run, language)
    if verdict:
        return Found(verdict, reason)
    if test.stdout is None:
        return Found(Verdict.ACCEPTED, "")
    answer = Answer(test.stdout, run.stdout, test.stdin)
    if checker.comparison.kind == "evaluator":
        if not same_text(answer.expected, answer.actual):
            # Accepted until `_ask`: the evaluator, a process of its own, is asked about many
            # answers at once.
            pending[index] = answer
        return Found(Verdict.ACCEPTED, "")
    if checker.passes([answer])[0]:
        return Found(Verdict.ACCEPTED, "")
    return Found(Verdict.WRONG_ANSWER, difference(answer.expected, answer.actual))


def _ask(pending: dict[int, Answer], checker: Checker, outcomes: list[Found]) -> None:
    """Ask the evaluator about all waiting answers at once.

    Those that it refuses become wrong in `found`.
    """
    passed = checker.passes(list(pending.values())) if pending else []
    for (index, answer), good in zip(pending.items(), passed, strict=True):
        if not good:
            reason = f"refused by the evaluator: {difference(answer.expected, answer.actual)}"
            outcomes[index] = Found(Verdict.WRONG_ANSWER, reason)
    pending.clear()


def ending(run: Run, language: Language) -> tuple[Verdict | None, str]:
    """Return the verdict that the way a run ended decides, with its reason.

    None where the output decides.
    """
    # Limits first: the supervisor ends such a run by SIGKILL, which would look like a crash.
    if run.limit in ("wall", "cpu"):
        return Verdict.TIME_LIMIT, f"ended at the {run.limit} time limit"
    if run.limit == "memory":
        return Verdict.MEMORY_LIMIT, f"needed {run.peak_bytes // MIB} MiB"
    if run.limit == "output" or run.stdout_cut or run.stderr_cut:
        return Verdict.OUTPUT_LIMIT, "printed more than the output limit"
    if run.clean:
        return None, ""
    error = run.stderr.decode("utf-8", "replace")
    # The language gave up by itself, before the limit was seen: Java, say, has a heap limit of its
    # own.
    if language.out_of_memory.search(error):
        return Verdict.MEMORY_LIMIT, _last_words(error, language)
    how = f"killed by signal {run.signal}" if run.signal else f"exit code {run.exit_code}"
    return Verdict.RUNTIME_ERROR, f"{how}: {_last_words(error, language)}".rstrip(
        ": "
    ) + _missing_library(error, language)


def _missing_library(error: str, language: Language) -> str:
    """Return which libraries there are, where a program failed for want of another.

    Empty where it did not.
    """
    missing = language.missing_library.search(error)
    if not missing:
        return ""
    name = next(filter(None, missing.groups()), "")
    known = {library.name: library for library in language.libraries}
    if name in known:
        return f" ({name} is not installed: type venus languages install {language.id})"
    names = ", ".join(sorted(known))
    return f" ({name} is not among the libraries of {language.name}{names and f': {names}'})"


def _last_words(text: str, language: Language) -> str:
    # From the end: interpreters print the traceback first and the exception last.
    lines = [line for line in reversed(text.splitlines()) if line.strip()]
    telling = [line for line in lines if "rror" in line or "xception" in line or "panic" in line]
    # The name of a class in a frame of Java looks like an error; Ruby's first frame has the error.
    errors = [line for line in telling if not language.frame.match(line)]
    return _cut((errors or telling or lines or [""])[0].strip())


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def self_check(sandbox: Sandbox, language: Language) -> dict[Verdict, Judgement]:
    """Judge the self-test programs of a language; each is filed under the verdict it should get.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    test = TestCase("selftest", language.selftest.stdin, language.selftest.stdout)
    checker = Checker(OutputComparison(), sandbox)
    return {
        verdict: judge(
            sandbox,
            sandbox.compile(Program(language, code)),
            [test],
            checker,
            language.selftest.limits,
        )
        for verdict, code in language.selftest.programs.items()
    }
