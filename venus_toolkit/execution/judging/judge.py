"""The only judge: it runs the tests of a program, compares its outputs and decides on a verdict.

A program passes a test if it exits with code 0 inside all limits, and its output is the expected
one under the problem's comparison. Outputs are compared outside the sandbox of the program, which
never contains expected outputs.
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
    """Run a compiled program on every test and decide.

    Args:
        sandbox: Runs the program.
        compiled: The program.
        tests: The tests.
        checker: Checks the outputs.
        limits: The limits of each run.
        cores: The cores of the program and its supervisor.
        sampling: How memory is sampled.
        every_test: Run every test. Otherwise stop after `failures` failures, or after the first
            exceeded time limit, since the next test may take as long.
        failures: The number of failures after which judging stops.
        compare: Require an expected output for each test. If False, only the end of the run is
            judged for a test without one.
        on_run: Called with the index of each test and its run, including outputs; the runs of the
            judgement have no outputs.

    Raises:
        SandboxError: The sandbox failed; this is not a verdict.
        SourceError: `tests` is empty, so a pass would mean nothing.
    """
    if not compiled.ok:
        reason = compile_reason(compiled.log) + _missing_library(
            compiled.log, compiled.program.language
        )
        return Judgement(Verdict.COMPILE_ERROR, reason, compile_log=compiled.log)
    _require_tests(tests, compare)
    runs: list[Run] = []
    outcomes: list[VerdictOnTest] = []
    pending: dict[int, Answer] = {}
    with fair(sandbox).session(compiled, limits, cores, sampling) as session:
        for index, run in enumerate(session.run(EncodedInputs(tests))):
            if on_run:
                on_run(index, run)
            runs.append(run.without_output())
            outcomes.append(
                _judge_test(tests[index], index, run, compiled.program.language, checker, pending)
            )
            if sum(len(answer.actual) for answer in pending.values()) > WAITING_BYTES:
                _evaluate(pending, checker, outcomes)
            if every_test:
                continue
            failed = [outcome.verdict for outcome in outcomes if not outcome.passed]
            if len(failed) >= failures or Verdict.TIME_LIMIT in failed:
                break
    _evaluate(pending, checker, outcomes)
    first = next((index for index, outcome in enumerate(outcomes) if not outcome.passed), None)
    decisive = VerdictOnTest(Verdict.ACCEPTED, "") if first is None else outcomes[first]
    return Judgement(
        verdict=decisive.verdict,
        reason=decisive.reason,
        failing_test=None if first is None else tests[first].test_id,
        compile_log=compiled.log,
        runs=tuple(runs),
        verdicts=tuple(outcome.verdict for outcome in outcomes),
    )


def compile_reason(log: str) -> str:
    """Return the line of a compiler's output with the reason for its failure."""
    # The first error causes the others. The pattern is strict, because code that a warning quotes
    # may contain the word as well.
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if ERROR.search(line)] or [
        line for line in lines if "rror" in line
    ]
    # Go's errors lack the word, and follow a line with the name of the package.
    errors = errors or [line for line in lines if not line.startswith("#")]
    return _cut((errors or lines or [""])[0])


def _require_tests(tests: Sequence[TestCase], compare: bool) -> None:
    if not tests:
        reason = "every test was dropped or none was given"
        raise SourceError("there are no tests", reason, "see the summary of the build")
    incomplete = next((test for test in tests if test.stdout is None), None) if compare else None
    if incomplete:
        raise SourceError(
            f"test {incomplete.test_id} has no expected output",
            "its solutions did not agree on one",
            "build the tests first",
        )


class VerdictOnTest(NamedTuple):
    """The verdict on one test, and its reason."""

    verdict: Verdict
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the test accepts the program."""
        return self.verdict == Verdict.ACCEPTED


def _judge_test(
    test: TestCase,
    index: int,
    run: Run,
    language: Language,
    checker: Checker,
    pending: dict[int, Answer],
) -> VerdictOnTest:
    """Judge one test; an answer for the evaluator is added to `pending` and accepted for now."""
    verdict, reason = ending(run, language)
    if verdict:
        return VerdictOnTest(verdict, reason)
    if test.stdout is None:
        return VerdictOnTest(Verdict.ACCEPTED, "")
    answer = Answer(test.stdout, run.stdout, test.stdin)
    if checker.comparison.kind == "evaluator":
        if not same_text(answer.expected, answer.actual):
            # `_evaluate` follows for many answers at once, since it starts a process.
            pending[index] = answer
        return VerdictOnTest(Verdict.ACCEPTED, "")
    if checker.passes([answer])[0]:
        return VerdictOnTest(Verdict.ACCEPTED, "")
    return VerdictOnTest(Verdict.WRONG_ANSWER, difference(answer.expected, answer.actual))


def _evaluate(pending: dict[int, Answer], checker: Checker, outcomes: list[VerdictOnTest]) -> None:
    """Have the evaluator check all pending answers, and mark the refused ones in `outcomes`."""
    passed = checker.passes(list(pending.values())) if pending else []
    for (index, answer), good in zip(pending.items(), passed, strict=True):
        if not good:
            reason = f"refused by the evaluator: {difference(answer.expected, answer.actual)}"
            outcomes[index] = VerdictOnTest(Verdict.WRONG_ANSWER, reason)
    pending.clear()


def ending(run: Run, language: Language) -> tuple[Verdict | None, str]:
    """Return the verdict and its reason if the end of a run decides; None: the output decides."""
    # Limits first: the supervisor kills such a run, which would look like a crash.
    if run.limit in ("wall", "cpu"):
        return Verdict.TIME_LIMIT, f"ended at the {run.limit} time limit"
    if run.limit == "memory":
        return Verdict.MEMORY_LIMIT, f"needed {run.peak_bytes // MIB} MiB"
    if run.limit == "output" or run.stdout_cut or run.stderr_cut:
        return Verdict.OUTPUT_LIMIT, "output exceeded the limit"
    if run.clean:
        return None, ""
    error = run.stderr.decode("utf-8", "replace")
    # Some languages fail before they exceed the limit: Java, for instance, has a heap limit.
    if language.out_of_memory.search(error):
        return Verdict.MEMORY_LIMIT, _error_line(error, language)
    status = f"killed by signal {run.signal}" if run.signal else f"exit code {run.exit_code}"
    return Verdict.RUNTIME_ERROR, f"{status}: {_error_line(error, language)}".rstrip(
        ": "
    ) + _missing_library(error, language)


def _missing_library(error: str, language: Language) -> str:
    """Return a hint if a program failed because it needs a missing library, else ""."""
    missing = language.missing_library.search(error)
    if not missing:
        return ""
    name = next(filter(None, missing.groups()), "")
    known = {library.name: library for library in language.libraries}
    if name in known:
        return f" ({name} is not installed: type venus languages install {language.id})"
    names = ", ".join(sorted(known))
    return f" ({name} is not among the libraries of {language.name}{names and f': {names}'})"


def _error_line(text: str, language: Language) -> str:
    # From the end: interpreters print the exception after the traceback.
    lines = [line for line in reversed(text.splitlines()) if line.strip()]
    candidates = [line for line in lines if "rror" in line or "xception" in line or "panic" in line]
    # A frame of Java may contain the class of an error; a first frame of Ruby contains the error.
    errors = [line for line in candidates if not language.frame.match(line)]
    return _cut((errors or candidates or lines or [""])[0].strip())


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def self_check(sandbox: Sandbox, language: Language) -> dict[Verdict, Judgement]:
    """Judge the self-test programs of a language, and return the results by expected verdict.

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
