"""Programs that sleep and programs that wait for a processor: only the first run out of time."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.chaos.traces import descendants
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    NS_PER_MS,
    NS_PER_S,
    Limits,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.execution.engine.executor import SandboxFailure, attempt
from venus_toolkit.execution.engine.work import vote
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program, Sandbox, Session
from venus_toolkit.execution.sandbox.folders import accept
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.starvation import _TURNS as TURNS
from venus_toolkit.execution.sandbox.starvation import FairSession, fair, starved
from venus_toolkit.execution.sandbox.supervisor import Cores

pytestmark = pytest.mark.serial
CORE = max(os.sched_getaffinity(0))
CORES = Cores(CORE, CORE)
LIMITS = Limits(wall_ns=200 * NS_PER_MS, cpu_ns=2 * NS_PER_S)
TEST = TestCase("t", "", "done\n")
BUSY = f"import os\nos.sched_setaffinity(0, [{CORE}])\nprint(flush=True)\nwhile True: pass\n"
WORKS = (
    "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass\n"
    "print('done')\n"
)
SLEEPS = "import time\ntime.sleep(60)\nprint('done')\n"
ENDLESS = "while True: pass\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("unsafe") as opened:
        yield opened


@contextmanager
def others(count: int) -> Iterator[None]:
    """So many programs of others that want the core all the time."""
    with ExitStack() as stack:
        for _ in range(count):
            # Each in a session of its own: the kernel may share a core out among sessions.
            argv = [sys.executable, "-c", BUSY]
            other = subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True)
            stack.enter_context(other)
            stack.callback(other.kill)
            assert other.stdout
            other.stdout.readline()
        yield


def python(source: str) -> Program:
    return Program(load_languages()["python"], source)


def verdict(sandbox: Sandbox, source: str, limits: Limits = LIMITS) -> Verdict:
    compiled = sandbox.compile(python(source))
    return judge(
        sandbox, compiled, [TEST], Checker(OutputComparison(), sandbox), limits, cores=CORES
    ).verdict


def plain_run(sandbox: Sandbox, source: str) -> Run:
    with sandbox.session(sandbox.compile(python(source)), LIMITS, CORES) as session:
        (run,) = session.run([b""])
        return run


def test_a_program_that_waits_for_a_processor_is_right_wherever_it_runs(sandbox: Sandbox) -> None:
    with others(2):
        assert plain_run(sandbox, WORKS).limit == "wall", "it would be too slow"
        assert verdict(sandbox, WORKS) == Verdict.ACCEPTED
        assert vote(sandbox, CORES, python(WORKS), [TEST], LIMITS, None).of_each[0].kind == "answer"
        compiled = sandbox.compile(python(WORKS))
        rounds = measure_interleaved(
            sandbox, [compiled], [TEST], LIMITS, MeasureOptions(1), cores=CORES, reference=False
        )
        assert rounds.measured(0).total.repeats == 1


def test_a_program_that_sleeps_or_never_ends_is_out_of_time_on_a_busy_machine_too(
    sandbox: Sandbox,
) -> None:
    with others(1):
        assert verdict(sandbox, SLEEPS) == Verdict.TIME_LIMIT
        assert verdict(sandbox, ENDLESS) == Verdict.TIME_LIMIT


def test_a_machine_that_stood_still_once_is_no_verdict(sandbox: Sandbox, tmp_path: Path) -> None:
    """As a virtual machine that was paused.

    Neither the program nor its supervisor did anything for a while.
    """
    seen = tmp_path / "seen"
    pauser = threading.Thread(target=pause_all_below, args=(seen,))
    pauser.start()
    held_up = f"import os, time\nif not os.path.exists({str(seen)!r}):\n"
    held_up += f"    open({str(seen)!r}, 'w').close()\n    time.sleep(0.1)\nprint('done')\n"
    assert verdict(sandbox, held_up) == Verdict.ACCEPTED
    pauser.join()


def pause_all_below(seen: Path) -> None:
    """Stop every process that we started, for longer than a run may take, once a program has made a file."""
    end = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < end:
        time.sleep(0.001)
    stopped = [each.pid for each in descendants(os.getpid())]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(2 * LIMITS.wall_ns / NS_PER_S if number == signal.SIGSTOP else 0)


def test_who_sleeps_has_no_second_guess(sandbox: Sandbox, tmp_path: Path) -> None:
    """A program that knows that it has guessed wrong may sleep.

    It would be right at the next try.
    """
    seen = tmp_path / "seen"
    guesses = f"import os, time\nif not os.path.exists({str(seen)!r}):\n"
    guesses += f"    open({str(seen)!r}, 'w').close()\n    time.sleep(60)\nprint('done')\n"
    # So long that no busy machine keeps the supervisor from looking for a tenth of it.
    assert verdict(sandbox, guesses, LIMITS.changed(wall_ns=3 * NS_PER_S)) == Verdict.TIME_LIMIT


def test_where_nobody_can_say_it_is_a_failure_of_the_machine(sandbox: Sandbox) -> None:
    with others(7):
        failure = attempt(lambda: verdict(sandbox, ENDLESS))
    assert isinstance(failure, SandboxFailure)
    assert "too busy to say" in failure.reason


def test_the_tests_after_a_second_try_run_too(sandbox: Sandbox) -> None:
    source = WORKS.replace("0.1", "0.1 * int(input())").replace("'done'", "'end'")
    compiled = sandbox.compile(python(source))
    with others(2), fair(sandbox).session(compiled, LIMITS, CORES) as session:
        runs = list(session.run([b"0", b"1", b"0"]))
    assert [(run.clean, run.stdout) for run in runs] == [(True, b"end\n")] * 3


SECOND = {"limit": "wall", "wall_ns": NS_PER_S, "cpu_ns": 30 * NS_PER_MS}


@pytest.mark.parametrize(
    ("changes", "waited"),
    [
        ({"runnable_ns": 900 * NS_PER_MS}, True),
        ({"runnable_ns": 100 * NS_PER_MS}, False),  # so little waiting explains nothing
        # it had a processor all the time
        ({"runnable_ns": 960 * NS_PER_MS, "cpu_ns": 950 * NS_PER_MS}, False),
        ({"runnable_ns": 900 * NS_PER_MS, "limit": "cpu"}, False),
        ({"runnable_ns": 900 * NS_PER_MS, "limit": None}, False),
    ],
)
def test_what_a_run_says(changes: dict[str, Any], waited: bool) -> None:
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    run: Any = Run(**{**fields, **SECOND, **changes})
    assert starved(run) == waited


def test_states_tell_who_waits_from_who_sleeps(sandbox: Sandbox) -> None:
    """Also where a thread works and the first one waits for it, as in Java."""
    threaded = (
        f"import threading\nworker = threading.Thread(target=exec, args=({ENDLESS!r},))\n"
        "worker.start()\n"
    )
    with others(3):
        for source, waited in ((ENDLESS, True), (threaded, True), (SLEEPS, False)):
            run = plain_run(sandbox, source)
            assert (run.limit, starved(run)) == ("wall", waited), source
    run = plain_run(sandbox, ENDLESS)
    assert run.runnable_ns > 0.9 * run.wall_ns, "it waited hardly, and could run all the time"


class Answers(Session):
    """A session whose runs are these."""

    def __init__(self, *runs: Run) -> None:
        self._runs = runs

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        yield from self._runs

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("own_ms", "accepted"), [(150, True), (250, False)])
def test_what_a_second_try_takes_without_the_waiting_counts(own_ms: int, accepted: bool) -> None:
    """It may sleep too: then it has more wall time than it should."""
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    waits: Any = Run(**{**fields, **SECOND, "runnable_ns": 900 * NS_PER_MS})
    took = {"wall_ns": (300 + own_ms) * NS_PER_MS, "runnable_ns": 330 * NS_PER_MS, "limit": None}
    again = dataclasses.replace(waits, **took)
    sessions = itertools.cycle([Answers(waits), Answers(again)])
    assert list(FairSession(lambda limits: next(sessions), LIMITS).run([b""])) == [
        again if accepted else waits
    ]


@pytest.mark.parametrize(("gap_ns", "paused"), [(NS_PER_S // 2, True), (NS_PER_S // 20, False)])
def test_a_machine_that_stood_still_says_nothing_of_a_compiler(
    tmp_path: Path, gap_ns: int, paused: bool
) -> None:
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    run: Any = Run(
        **{**fields, **SECOND, "largest_gap_ns": gap_ns, "stdout": b"", "stderr": b"", "trace": ()}
    )
    found = attempt(lambda: accept(python(WORKS), tmp_path, run, "/work"))
    assert isinstance(found, SandboxFailure) == paused


def test_a_second_try_waits_for_other_sessions_and_they_for_it() -> None:
    order: list[str] = []
    began = threading.Event()

    def alone() -> None:
        with TURNS.alone():
            order.append("alone")

    def later() -> None:
        with TURNS.together():
            order.append("later")

    with TURNS.together():
        second = threading.Thread(target=alone)
        second.start()
        while not TURNS._alone:
            began.wait(0.01)
        third = threading.Thread(target=later)
        third.start()
        began.wait(0.1)
        order.append("first")
    for thread in (second, third):
        thread.join()
    assert order == ["first", "alone", "later"]


def compiler(code: str, wall_ns: int) -> Program:
    """A program whose compiler is this Python code, which needs no more CPU time than it may take."""
    python = load_languages()["python"]
    limits = python.compile_limits.changed(wall_ns=wall_ns, cpu_ns=4 * wall_ns)
    return Program(
        dataclasses.replace(python, compile_argv=("python3", "-c", code), compile_limits=limits),
        "print()\n",
    )


def test_a_compiler_that_waits_for_a_processor_finds_no_fault_in_the_program(
    sandbox: Sandbox,
) -> None:
    burns = WORKS.replace("0.1", "0.6")
    with others(3):
        made = sandbox.compile(compiler(burns, 800 * NS_PER_MS), CORES)
    assert (made.ok, made.log) == (True, "done\n")


def test_a_compiler_that_sleeps_does(sandbox: Sandbox) -> None:
    made = sandbox.compile(compiler(SLEEPS, 300 * NS_PER_MS), CORES)
    assert (made.ok, made.run.limit) == (False, "wall")
