"""Programs that misbehave: each gets the verdict it deserves within bounds, and the run after it is an ordinary one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from venus_toolkit.judge import Checker, judge
from venus_toolkit.records import MIB, NS_PER_MS, NS_PER_S, Comparison, Judgement, Limits, Run, TestCase, Verdict
from venus_toolkit.sandbox import Compiled, Sandbox

LIMITS = Limits(wall_ns=15 * NS_PER_S, memory_bytes=128 * MIB, output_bytes=MIB, file_bytes=64 * MIB, processes=64)
IMPATIENT = LIMITS.changed(wall_ns=600 * NS_PER_MS)


class Case(NamedTuple):
    """An action of programs/hostile.cpp and the verdict it deserves."""

    action: str
    verdict: Verdict


CASES = [
    Case("quick", Verdict.ACCEPTED),
    Case("silent", Verdict.WRONG_ANSWER),
    Case("close", Verdict.WRONG_ANSWER),
    Case("fail", Verdict.RUNTIME_ERROR),
    Case("crash", Verdict.RUNTIME_ERROR),
    Case("hang", Verdict.TIME_LIMIT),
    Case("spin", Verdict.TIME_LIMIT),
    Case("stop", Verdict.TIME_LIMIT),
    Case("ignore", Verdict.TIME_LIMIT),
    Case("fork-bomb", Verdict.TIME_LIMIT),
    Case("thread-bomb", Verdict.TIME_LIMIT),
    Case("memory-bomb", Verdict.MEMORY_LIMIT),
    Case("untouched", Verdict.ACCEPTED),
    Case("flood-stdout", Verdict.OUTPUT_LIMIT),
    Case("flood-stderr", Verdict.OUTPUT_LIMIT),
    Case("daemon", Verdict.ACCEPTED),
    Case("zombies", Verdict.ACCEPTED),
]


def judged(sandbox: Sandbox, hostile: Compiled, action: str, limits: Limits = LIMITS) -> Judgement:
    """Judge an action between two quick runs of the same session."""
    tests = [TestCase(name, word, "ok\n") for name, word in (("before", "quick"), ("bad", action), ("after", "quick"))]
    return judge(sandbox, hostile, tests, Checker(Comparison(), sandbox), limits, every_test=True)


def is_ordinary(run: Run, before: Run) -> bool:
    """Whether the figures of a quick run are like those of the one before the trouble."""
    return (
        run.clean
        and run.wall_ns < NS_PER_S
        and run.cpu_ns < NS_PER_S // 2
        and run.processes == 1
        and abs(run.peak_bytes - before.peak_bytes) < 2 * MIB
        and run.integral_byte_ns < 20 * MIB * run.wall_ns
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.action)
def test_verdict(
    sandbox: Sandbox, hostile: Compiled, called: Callable[[str], list[int]], mark: str, case: Case
) -> None:
    limits = IMPATIENT if case.verdict is Verdict.TIME_LIMIT else LIMITS
    judgement = judged(sandbox, hostile, f"{case.action} {mark}", limits)
    before, bad, after = judgement.runs
    assert judgement.verdict == case.verdict, judgement
    assert judgement.failing_test == (None if case.verdict is Verdict.ACCEPTED else "bad")
    assert bad.wall_ns < 10 * NS_PER_S
    assert is_ordinary(after, before), after
    assert called(mark) == []


@pytest.mark.isolation
def test_a_program_that_kills_all_it_can(sandbox: Sandbox, hostile: Compiled) -> None:
    """kill(-1, SIGKILL): it finds nobody but its own."""
    judgement = judged(sandbox, hostile, "kill-all")
    assert judgement.verdict is Verdict.ACCEPTED
    assert is_ordinary(judgement.runs[2], judgement.runs[0])


@pytest.mark.isolation
@pytest.mark.parametrize("action", ["fork-bomb", "thread-bomb"])
def test_processes_are_bounded(sandbox: Sandbox, hostile: Compiled, action: str) -> None:
    bad = judged(sandbox, hostile, action, IMPATIENT.changed(processes=20)).runs[1]
    assert bad.processes <= 24


@pytest.mark.isolation
@pytest.mark.parametrize("action", ["fill-tmp", "fill-memory-files"])
def test_memory_that_no_process_maps(sandbox: Sandbox, hostile: Compiled, action: str) -> None:
    """Files in memory may cost the program its life, but never the session: that would be our failure."""
    limits = LIMITS.changed(memory_bytes=16 * MIB)
    before, _, after = judged(sandbox, hostile, action, limits).runs
    assert is_ordinary(after, before), after


def test_output_within_its_limit_is_not_taken_for_memory(sandbox: Sandbox, compiled: Callable[..., Compiled]) -> None:
    """48 MiB on each stream are allowed here, and the program itself needs only a few."""
    source = "import os\nblock = b'x' * (1 << 20)\nfor _ in range(48):\n    os.write(1, block)\n    os.write(2, block)"
    limits = Limits(memory_bytes=32 * MIB, output_bytes=64 * MIB, file_bytes=64 * MIB)
    with sandbox.session(compiled("python", source), limits) as session:
        (run,) = session.run([b""])
    assert (run.limit, run.exit_code) == (None, 0)
    assert len(run.stdout) == len(run.stderr) == 48 * MIB


def test_an_input_larger_than_the_memory_limit(sandbox: Sandbox, hostile: Compiled) -> None:
    """An input is ours to keep; what counts is the memory that the program takes."""
    with sandbox.session(hostile, LIMITS.changed(memory_bytes=16 * MIB)) as session:
        (run,) = session.run([b"quick ".ljust(100 * MIB)])
    assert run.stdout == b"ok\n"
    assert run.limit is None


def test_a_program_that_prints_what_a_judge_might_print(sandbox: Sandbox, compiled: Callable[..., Compiled]) -> None:
    """Lesson 14: no magic word means that a program has passed."""
    words = '{"exit_code":0,"stdout_bytes":0,"stderr_bytes":0}\nall test cases passed\naccepted\ntrue\n'
    source = f"import sys\nprint({words!r})\nprint({words!r}, file=sys.stderr)"
    tests = [TestCase("one", "1", "2\n"), TestCase("two", "", "accepted\n")]
    judgement = judge(sandbox, compiled("python", source), tests, Checker(Comparison(), sandbox), LIMITS)
    assert judgement.verdict is Verdict.WRONG_ANSWER
    assert judgement.failing_test == "one"
