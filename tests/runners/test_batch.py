"""Batches have the same answers, verdicts and reasons as one process per test.

This holds for hostile solutions too.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.runners.support import EVERY, INT, INTS, LIMITS, case, function, made, ran
from tests.runners.test_runner_solutions import PAIR, PASTED
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Judgement,
    Limits,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.judging.batch import (
    FEWEST,
    SAMPLE,
    BatchSandbox,
    BatchSession,
    batch_input,
    judge_batch,
    split_answers,
)
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.signatures import lines_of_case

SQUARE = function(INT, INT)
SHORT = Limits(wall_ns=8 * NS_PER_S, cpu_ns=NS_PER_S // 2, memory_bytes=128 * MIB, output_bytes=MIB)
TESTS = [TestCase(f"t{n}", case(n), f"{n * n}\n") for n in range(24)]
CULPRIT = 11


def solution(*lines: str, before: str = "") -> str:
    """Return a solution in Python that runs `lines` before it returns the right answer."""
    body = "".join(f"        {each}\n" for each in (*lines, "return a * a"))
    return f"{before}\nclass Solution:\n    def solve(self, a):\n{body}"


def in_batch(
    sandbox: Sandbox, compiled: Compiled, stdins: list[str], lines: int = 1
) -> tuple[list[Run], BatchSession]:
    assert compiled.ok, compiled.log
    with BatchSandbox(sandbox, lines).session(compiled, LIMITS) as session:
        return list(session.run([stdin.encode() for stdin in stdins])), session


# ------------------------------------------------------------------ inputs and answers as text


def test_ambiguous_inputs_form_no_batch() -> None:
    assert batch_input([b"1\n[2]\n", b"3\r\n[]"], 2) == b"==Batch== 2\n1\n[2]\n3\n[]\n"
    assert batch_input([b"", b"\n"], 0) == b"==Batch== 2\n"
    for strange in (b"", b"1\n", b"1\n2\n3\n", b"1\n\n2\n", b"1\nx\n", b"1\n[2\n", b"\xff\n1\n"):
        assert batch_input([b"1\n2\n", strange], 2) is None


def made_up(stdout: bytes, **ending: object) -> Run:
    numbers = {field.name: 0 for field in dataclasses.fields(Run)}
    how = {
        "signal": None,
        "limit": None,
        "stdout": stdout,
        "stderr": b"",
        "trace": (),
        "stdout_cut": False,
        **ending,
    }
    return Run(**{**numbers, **how})  # type: ignore[arg-type]


def test_answers_count_only_if_their_number_fits() -> None:
    three = b"1\n2\n3\n"
    assert [run.stdout for run in split_answers(made_up(three), 3)] == [b"1\n", b"2\n", b"3\n"]
    assert split_answers(made_up(three), 2) == [], "one line too many"
    assert split_answers(made_up(three), 4) == [], "it ended well, and too early"
    assert [run.stdout for run in split_answers(made_up(three + b"4", exit_code=1), 5)] == [
        b"1\n",
        b"2\n",
        b"3\n",
    ]
    assert all(run.clean for run in split_answers(made_up(three, limit="cpu", signal=9), 5))
    assert split_answers(made_up(three, exit_code=1), 3) == [], (
        "it failed after all answers: so it would alone"
    )
    assert split_answers(made_up(three, exit_code=1), 2) == []


@pytest.mark.parametrize("limit", ["memory", "output"])
def test_late_limit_discards_all_answers(limit: str) -> None:
    assert split_answers(made_up(b"1\n2\n3\n", limit=limit, signal=9), 5) == [], (
        "the third may have passed the limit"
    )


class LateSession:
    """A session that ends a process too late.

    CULPRIT exceeds the output limit, but the process still answers the next two inputs.
    """

    def __init__(self) -> None:
        self.batches: list[int] = []

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        for stdin in stdins:
            lines = [line for line in stdin.splitlines() if not line.startswith(b"==Batch==")]
            self.batches.append(len(lines))
            guilty = lines.index(b"%d" % CULPRIT) if b"%d" % CULPRIT in lines else len(lines)
            answered = b"".join(line + b"\n" for line in lines[: guilty + 3])
            yield made_up(answered, limit="output" if guilty < len(lines) else None)


def test_late_culprit_is_found_by_halving() -> None:
    alone = LateSession()
    compiled = Compiled(Program(load_languages()["python"], ""), Path(), True, "", made_up(b""))
    session = BatchSession(alone, compiled, 1, lambda: None)  # type: ignore[arg-type]
    runs = list(session.run([test.stdin.encode() for test in TESTS]))
    assert [run.limit for run in runs] == [None] * CULPRIT + ["output"] + [None] * (
        len(TESTS) - CULPRIT - 1
    )
    assert CULPRIT in session.ran_alone
    assert [size for size in alone.batches if size > 1] == [24, 12, 6, 17, 8, 4, 12]


# ------------------------------------------------------------------ one process


@pytest.mark.parametrize("language", EVERY)
def test_batch_answers_match_single_processes(sandbox: Sandbox, language: str) -> None:
    compiled = made(sandbox, PAIR, language, PASTED[language])
    stdins = [case([2, 7, n, 7], 2 * n) for n in range(12)]
    runs, session = in_batch(sandbox, compiled, stdins, lines_of_case(PAIR))
    assert [run.stdout for run in runs] == [run.stdout for run in ran(sandbox, compiled, stdins)]
    assert session.processes == 1 + SAMPLE


def test_killed_batch_keeps_earlier_answers(sandbox: Sandbox) -> None:
    compiled = made(sandbox, SQUARE, "python", solution("while a == 5: pass"))
    text = batch_input([test.stdin.encode() for test in TESTS], 1)
    assert text
    (run,) = ran(sandbox, compiled, [text.decode()], SHORT)
    assert run.limit == "cpu"
    assert run.stdout == b"0\n1\n4\n9\n16\n"


def test_few_tests_form_no_batch(sandbox: Sandbox) -> None:
    compiled = made(sandbox, SQUARE, "python", solution())
    runs, session = in_batch(sandbox, compiled, [case(n) for n in range(FEWEST - 1)])
    assert session.processes == len(runs) == FEWEST - 1


def test_no_arguments_and_many_tests(sandbox: Sandbox) -> None:
    compiled = made(
        sandbox, function(INTS), "python", "class Solution:\n    def solve(self): return [1]"
    )
    runs, session = in_batch(sandbox, compiled, [""] * 9, 0)
    assert [run.stdout for run in runs] == [b"[1]\n"] * 9
    assert session.processes == 1 + SAMPLE


# ------------------------------------------------------------------ the same verdicts


CRASH = f"assert a != {CULPRIT}"
PROGRAMS = {
    "right": (solution(), Verdict.ACCEPTED),
    "wrong on one": (solution(f"a += a == {CULPRIT}"), Verdict.WRONG_ANSWER),
    "wrong on all": (solution("a += 1"), Verdict.WRONG_ANSWER),
    "prints": (solution("print(a)", "import os", "os.write(1, b'9\\n9\\n')"), Verdict.ACCEPTED),
    "crashes on one": (solution(CRASH), Verdict.RUNTIME_ERROR),
    "crashes on all": (solution("1 / 0"), Verdict.RUNTIME_ERROR),
    "crashes at the end": (solution(before="import atexit, os\natexit.register(os.abort)"), Verdict.RUNTIME_ERROR),
    "killed": (solution(f"import os\n        if a == {CULPRIT}: os.kill(os.getpid(), 9)"), Verdict.RUNTIME_ERROR),
    "leaves": (solution(f"import os\n        if a == {CULPRIT}: os._exit(0)"), Verdict.WRONG_ANSWER),
    "endless on one": (solution(f"while a == {CULPRIT}: pass"), Verdict.TIME_LIMIT),
    "endless on all": (solution("while True: pass"), Verdict.TIME_LIMIT),
    "takes memory on one": (solution(f"x = b'x' * (a == {CULPRIT}) * 2**29"), Verdict.MEMORY_LIMIT),
    "keeps memory": (solution("kept.append(b'x' * 2**24)", before="kept = []"), Verdict.ACCEPTED),
    "prints much on all": (solution("print('x' * 100_000)"), Verdict.ACCEPTED),
    "prints too much on one": (solution(f"print('x' * (a == {CULPRIT}) * 2**21)"), Verdict.OUTPUT_LIMIT),
    "slow on all": (solution("x = sum(range(3_000_000))"), Verdict.ACCEPTED),
    "returns nothing": (solution("return"), Verdict.RUNTIME_ERROR),
    "does not compile": ("class Solution:\n    def", Verdict.COMPILE_ERROR),
    "remembers all": (solution("seen.append(a)", "return sum(seen) ** 2", before="seen = []"), Verdict.ACCEPTED),
    "remembers one": (
        solution("seen.append(a)", f"if len(seen) > 5 and a == {CULPRIT}: return 0", before="seen = []"),
        Verdict.ACCEPTED,
    ),
    "needs memories": (solution("calls.append(a)", "if len(calls) < 3: return 0", before="calls = []"),
                       Verdict.WRONG_ANSWER),
    "forges lines": (solution("import os", "for fd in range(3, 9):", "    try: os.write(fd, b'0\\n1\\n4\\n')",
                              "    except OSError: pass"), Verdict.WRONG_ANSWER),
    "forges everything": (solution("import os, sys", "os.write(3, b''.join(b'%d\\n' % (n * n) for n in range(24)))",
                                   "os._exit(0)"), Verdict.WRONG_ANSWER),
}  # fmt: skip


DIFFERENT_TOGETHER = ("remembers all", "remembers one", "needs memories", "forges everything")


def verdict_of(judgement: Judgement) -> tuple[object, ...]:
    """Return the parts of a judgement without measured figures, such as the MiB in a reason."""
    reason = re.sub(r"\d+ MiB", "much", judgement.reason)
    return judgement.verdict, judgement.failing_test, reason, judgement.verdicts


@pytest.mark.parametrize("name", PROGRAMS)
def test_verdicts_are_those_of_one_process_for_each_test(sandbox: Sandbox, name: str) -> None:
    code, wanted = PROGRAMS[name]
    compiled = made(sandbox, SQUARE, "python", code)
    checker, batches = Checker(OutputComparison(), sandbox), BatchSandbox(sandbox, 1)
    found = judge_batch(batches, compiled, TESTS, checker, SHORT)
    assert found.verdict == wanted
    assert verdict_of(found) == verdict_of(judge(sandbox, compiled, TESTS, checker, SHORT))
    assert batches.carries_state == (name in DIFFERENT_TOGETHER)


def test_randomness_is_not_carried_state(sandbox: Sandbox) -> None:
    code = solution("import os", "return int.from_bytes(os.urandom(4), 'big') >> 1")
    compiled, batches = made(sandbox, SQUARE, "python", code), BatchSandbox(sandbox, 1)
    with batches.session(compiled, LIMITS) as session:
        runs = list(session.run([test.stdin.encode() for test in TESTS]))
    assert not batches.carries_state
    assert session.processes == len(runs) + 3, (
        "a batch, a test alone, the same test once more, and then every test"
    )


def test_tests_after_a_crash_form_another_batch(sandbox: Sandbox) -> None:
    runs, session = in_batch(
        sandbox, made(sandbox, SQUARE, "python", solution(CRASH)), [test.stdin for test in TESTS]
    )
    assert [run.clean for run in runs] == [n != CULPRIT for n in range(len(TESTS))]
    assert [run.stdout.decode() for run in runs if run.clean] == [
        test.stdout for n, test in enumerate(TESTS) if n != CULPRIT
    ]
    assert session.processes == 2 + SAMPLE + 1


@pytest.mark.slow
def test_a_static_field_in_java_is_found(sandbox: Sandbox) -> None:
    code = (
        "class Solution { static int calls; public int solve(int a) { return a * a + calls++; } }"
    )
    compiled, batches = made(sandbox, SQUARE, "java", code), BatchSandbox(sandbox, 1)
    found = judge_batch(batches, compiled, TESTS, Checker(OutputComparison(), sandbox), LIMITS)
    assert (found.verdict, batches.carries_state) == (Verdict.ACCEPTED, True)
