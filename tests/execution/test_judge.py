"""The judge: comparisons, verdicts, and regressions of earlier judges (lessons)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Judgement,
    Limits,
    OutputComparison,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.judging.comparison import difference, same_numbers, same_text
from venus_toolkit.execution.judging.judge import compile_reason, judge
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.bubblewrap import isolation_problem
from venus_toolkit.execution.sandbox.opening import open_sandbox

LIMITS = Limits(wall_ns=2 * NS_PER_S, cpu_ns=2 * NS_PER_S, memory_bytes=128 * MIB, output_bytes=MIB)
FLOAT = OutputComparison("float", absolute=1e-6, relative=1e-6)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if isolation_problem():
        pytest.skip(f"no isolation: {isolation_problem()}")
    with open_sandbox("local") as place:
        yield place


def judged(
    sandbox: Sandbox, source: str, tests: list[TestCase], comparison: OutputComparison | None = None
) -> Judgement:
    compiled = sandbox.compile(Program(load_languages()["python"], source))
    return judge(
        sandbox, compiled, tests, Checker(comparison or OutputComparison(), sandbox), LIMITS
    )


ONE = [TestCase("one", "3\n", "9\n")]


# ------------------------------------------------------------------ comparing


def test_trailing_white_space_does_not_matter() -> None:
    assert same_text("1 2\n3\n", "1 2  \n3\n\n\n")
    assert not same_text("1 2\n3\n", "1  2\n3\n")
    assert not same_text("a\n", "A\n"), "lesson 13: nothing is lower-cased"


def test_lesson_12_only_the_first_lines_is_not_enough() -> None:
    assert not same_text("1\n2\n3\n", "1\n")
    assert not same_numbers("1.0 2.0 3.0", "1.0", FLOAT)
    assert not same_numbers("1.0", "1.0 2.0", FLOAT)
    assert not same_text("1\n", "")


def test_lesson_13_integers_are_compared_exactly() -> None:
    assert not same_numbers(
        "1000000", "1000005", OutputComparison("float", absolute=10, relative=1e-3)
    )
    assert not same_numbers("123456789012345678901", "123456789012345678902", FLOAT)
    assert same_numbers("1000000.0", "1000000.5", FLOAT)
    assert not same_numbers("2", "2.0000001", FLOAT)
    assert same_numbers("2", "2.0000001", OutputComparison("float", absolute=1e-6, real=True))


@pytest.mark.parametrize("garbage", ["nan", "", "0x1p3", "one", "1e999 1"])
def test_garbage_is_not_a_number(garbage: str) -> None:
    assert not same_numbers("1.5", garbage, FLOAT)


def test_nan_equals_nothing_but_its_own_text() -> None:
    assert not same_numbers("1.0", "nan", FLOAT)
    assert not same_numbers("nan", "NaN", FLOAT)


def test_difference_names_the_line() -> None:
    assert difference("1\n2\n", "1\n3\n") == "line 2: expected '2', got '3'"
    assert difference("1\n2\n", "1\n") == "expected 2 lines, got 1"
    assert difference("1\n", "") == "line 1: expected '1', got ''"


# ------------------------------------------------------------------ deciding


def test_accepted_and_wrong(sandbox: Sandbox) -> None:
    assert judged(sandbox, "print(int(input()) ** 2)", ONE).verdict == Verdict.ACCEPTED
    wrong = judged(sandbox, "print(int(input()) * 2)", ONE)
    assert (wrong.verdict, wrong.failing_test) == (Verdict.WRONG_ANSWER, "one")


def test_lesson_11_a_crash_after_the_right_answer_is_no_pass(sandbox: Sandbox) -> None:
    for ending in (
        "raise SystemExit(1)",
        "import os; os.abort()",
        "import os; os.kill(os.getpid(), 9)",
    ):
        source = f"print(int(input()) ** 2, flush=True)\n{ending}"
        assert judged(sandbox, source, ONE).verdict == Verdict.RUNTIME_ERROR


def test_lesson_11_out_of_memory_is_no_pass(sandbox: Sandbox) -> None:
    source = "print(int(input()) ** 2, flush=True)\nx = [b'x' * 2**20 for _ in range(10**4)]"
    assert judged(sandbox, source, ONE).verdict == Verdict.MEMORY_LIMIT


def test_lesson_12_empty_output_is_wrong(sandbox: Sandbox) -> None:
    assert judged(sandbox, "pass", ONE).verdict == Verdict.WRONG_ANSWER


def test_lesson_14_sandbox_has_no_expected_outputs(sandbox: Sandbox) -> None:
    for trick in ("print('Success')", "print('accepted')", "print('{\"exit_code\": 0}')"):
        assert judged(sandbox, trick, ONE).verdict == Verdict.WRONG_ANSWER
    secret = [TestCase("secret", "3\n", "a-needle-nobody-prints\n")]
    search = (
        "import glob\nfor f in glob.glob('/work/**', recursive=True) + glob.glob('/tmp/**', "
        "recursive=True):\n"
    )
    search += "    try: print(open(f).read())\n    except (OSError, ValueError): pass\n"
    assert judged(sandbox, search, secret).verdict == Verdict.WRONG_ANSWER


def test_lesson_16_stdin_is_the_real_one(sandbox: Sandbox) -> None:
    tests = [TestCase("lines", "1\n2\n3\n", "1 2 3\n")]
    assert judged(sandbox, "print(input(), input(), input())", tests).verdict == Verdict.ACCEPTED


def test_judging_stops_after_failures_or_a_time_limit(sandbox: Sandbox) -> None:
    tests = [TestCase(str(n), f"{n}\n", "right\n") for n in range(5)]
    checker, python = Checker(OutputComparison(), sandbox), load_languages()["python"]
    wrong = sandbox.compile(Program(python, "print('right' if input() == '1' else 'wrong')\n"))
    assert len(judge(sandbox, wrong, tests, checker, LIMITS, failures=2).verdicts) == 3
    assert len(judge(sandbox, wrong, tests, checker, LIMITS, failures=9).verdicts) == 5
    endless = sandbox.compile(Program(python, "while True: pass\n"))
    limits = LIMITS.changed(cpu_ns=NS_PER_S // 5)
    assert judge(sandbox, endless, tests, checker, limits, failures=9).verdicts == (
        Verdict.TIME_LIMIT,
    )


def test_lesson_18_every_test_runs(sandbox: Sandbox) -> None:
    tests = [TestCase(f"t{n}", f"{n}\n", f"{n * n}\n") for n in range(20)]
    judgement = judged(sandbox, "print(int(input()) ** 2)", tests)
    assert len(judgement.runs) == 20
    for broken in range(20):
        spoiled = [
            *tests[:broken],
            TestCase("spoiled", f"{broken}\n", "no\n"),
            *tests[broken + 1 :],
        ]
        assert judged(sandbox, "print(int(input()) ** 2)", spoiled).failing_test == "spoiled"


def test_lesson_19_much_output_and_invalid_utf8(sandbox: Sandbox) -> None:
    tests = [TestCase("long", "", "x" * 200_000 + "\n")]
    assert judged(sandbox, "print('x' * 200_000)", tests).verdict == Verdict.ACCEPTED
    noisy = "import sys\nsys.stderr.write('e' * 500_000)\nprint('x' * 200_000)"
    assert judged(sandbox, noisy, tests).verdict == Verdict.ACCEPTED
    bytes_only = "import os\nos.write(1, b'\\xff\\xfe\\x00')"
    assert judged(sandbox, bytes_only, ONE).verdict == Verdict.WRONG_ANSWER


def test_lesson_20_time_outs_are_time_limits(sandbox: Sandbox) -> None:
    assert judged(sandbox, "while True: pass", ONE).verdict == Verdict.TIME_LIMIT
    # On a busy machine, a run that slept may be retried with more wall time (test_starvation.py).
    sleeping = sandbox.compile(Program(load_languages()["python"], "import time; time.sleep(60)"))
    brief = LIMITS.changed(wall_ns=NS_PER_S // 2)
    assert (
        judge(sandbox, sleeping, ONE, Checker(OutputComparison(), sandbox), brief).verdict
        == Verdict.TIME_LIMIT
    )


def test_output_limit(sandbox: Sandbox) -> None:
    assert judged(sandbox, "while True: print('x' * 1000)", ONE).verdict == Verdict.OUTPUT_LIMIT


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("main.cpp: In function 'f':\nmain.cpp:4: warning: 'MD5_Init' is deprecated\n  4 |    "
            "throw runtime_error(x);\n"
         "ld: main.cpp:(.text+0x1): undefined reference to `MD5_Init'\ncollect2: error: ld "
             "returned 1 exit status\n",
         "ld: main.cpp:(.text+0x1): undefined reference to `MD5_Init'"),
        ("error[E0433]: cannot find `md5`\n --> main.rs:1:1\n", "error[E0433]: cannot find `md5`"),
        ("main.rb:3: syntax error, unexpected end\n", "main.rb:3: syntax error, unexpected end"),
        ("# command-line-arguments\n./main.go:3: undefined: x\n", "./main.go:3: undefined: x"),
        ("", ""),
    ],
)  # fmt: skip
def test_compile_reason_is_the_error(log: str, reason: str) -> None:
    assert compile_reason(log) == reason


def test_compile_error_has_the_compilers_words(sandbox: Sandbox) -> None:
    judgement = judged(sandbox, "print(", ONE)
    assert judgement.verdict == Verdict.COMPILE_ERROR
    assert "SyntaxError" in judgement.reason


def test_lesson_9_no_tests_is_an_error(sandbox: Sandbox) -> None:
    with pytest.raises(SourceError, match="no tests"):
        judged(sandbox, "print(9)", [])


# ------------------------------------------------------------------ evaluators

ANY_ORDER = (
    "def evaluate(expected, actual):\n    return sorted(expected.split()) == "
    "sorted(actual.split())\n"
)


def checker(sandbox: Sandbox, evaluator: str) -> Checker:
    return Checker(OutputComparison("evaluator"), sandbox, evaluator)


def test_lesson_15_evaluate_is_called_with_expected_first(sandbox: Sandbox) -> None:
    prefix = checker(
        sandbox, "def evaluate(expected, actual):\n    return expected.startswith(actual.strip())\n"
    )
    assert prefix.passes([Answer("abc", "ab", "")]) == [True]
    assert prefix.passes([Answer("ab", "abc", "")]) == [False]


def test_evaluator_may_take_the_input(sandbox: Sandbox) -> None:
    divisor = checker(
        sandbox,
        "def evaluate(expected, actual, stdin):\n    return int(stdin) % int(actual) == 0\n",
    )
    assert divisor.passes([Answer("2", "3", "6"), Answer("2", "4", "6")]) == [True, False]


def test_evaluator_that_crashes_says_no_to_that_answer_only(sandbox: Sandbox) -> None:
    fragile = checker(sandbox, "def evaluate(expected, actual):\n    return int(actual) > 0\n")
    assert fragile.passes(
        [Answer("1", "2", ""), Answer("1", "junk", ""), Answer("1", "3", "")]
    ) == [True, False, True]


def test_evaluator_that_prints_cannot_forge_a_reply(sandbox: Sandbox) -> None:
    chatty = checker(
        sandbox, "def evaluate(expected, actual):\n    print('true')\n    return False\n"
    )
    assert chatty.passes([Answer("1", "2", "")]) == [False]


def test_evaluator_decides_a_judgement(sandbox: Sandbox) -> None:
    tests = [TestCase("any", "", "1 2 3\n")]
    compiled = sandbox.compile(Program(load_languages()["python"], "print('3 1 2')"))
    assert (
        judge(sandbox, compiled, tests, checker(sandbox, ANY_ORDER), LIMITS).verdict
        == Verdict.ACCEPTED
    )
    compiled = sandbox.compile(Program(load_languages()["python"], "print('3 1 1')"))
    assert (
        judge(sandbox, compiled, tests, checker(sandbox, ANY_ORDER), LIMITS).verdict
        == Verdict.WRONG_ANSWER
    )


def test_waiting_answers_are_evaluated_together(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("venus_toolkit.execution.judging.judge.WAITING_BYTES", 3)
    tests = [TestCase(str(n), f"{n}\n", f"1 2 {n}\n") for n in range(6)]
    compiled = sandbox.compile(
        Program(load_languages()["python"], "n = int(input())\nprint(n - n // 4, 2, 1)")
    )
    judgement = judge(sandbox, compiled, tests, checker(sandbox, ANY_ORDER), LIMITS)
    assert (judgement.verdict, judgement.failing_test, len(judgement.runs)) == (
        Verdict.WRONG_ANSWER,
        "4",
        5,
    )
    assert judgement.reason == "refused by the evaluator: line 1: expected '1 2 4', got '3 2 1'"


def test_missing_and_broken_evaluators_are_source_errors(sandbox: Sandbox) -> None:
    with pytest.raises(SourceError, match="no evaluator"):
        Checker(OutputComparison("evaluator"), sandbox, None)
    with pytest.raises(SourceError, match="does not compile"):
        checker(sandbox, "def evaluate(:")


def test_inputs_are_encoded_on_access(sandbox: Sandbox) -> None:
    """The inputs of a suite of 40 MiB are not all in memory at once."""
    tests = [TestCase(str(number), "7" * 5 * MIB, "") for number in range(8)]
    tracemalloc.start()
    try:
        judgement = judged(sandbox, "pass", tests)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert judgement.verdict == Verdict.ACCEPTED
    assert peak < 16 * MIB
