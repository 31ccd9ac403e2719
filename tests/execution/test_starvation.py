"""Programs that sleep exceed their wall time; programs that wait for a processor do not."""

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
    """Run `count` other programs that keep the core busy."""
    with ExitStack() as stack:
        for _ in range(count):
            # In separate sessions, since the kernel may divide a core among sessions.
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


def test_program_that_waits_for_a_processor_passes(sandbox: Sandbox) -> None:
    with others(2):
        assert plain_run(sandbox, WORKS).limit == "wall", "it would be too slow"
        assert verdict(sandbox, WORKS) == Verdict.ACCEPTED
        assert vote(sandbox, CORES, python(WORKS), [TEST], LIMITS, None).of_each[0].kind == "answer"
        compiled = sandbox.compile(python(WORKS))
        rounds = measure_interleaved(
            sandbox, [compiled], [TEST], LIMITS, MeasureOptions(1), cores=CORES, reference=False
        )
        assert rounds.measured(0).total.repeats == 1


def test_sleeping_program_exceeds_its_time_under_load(
    sandbox: Sandbox,
) -> None:
    with others(1):
        assert verdict(sandbox, SLEEPS) == Verdict.TIME_LIMIT
        assert verdict(sandbox, ENDLESS) == Verdict.TIME_LIMIT


def test_paused_machine_is_not_a_verdict(sandbox: Sandbox, tmp_path: Path) -> None:
    """In a paused virtual machine, neither the program nor its supervisor runs."""
    seen = tmp_path / "seen"
    pauser = threading.Thread(target=pause_all_below, args=(seen,))
    pauser.start()
    held_up = f"import os, time\nif not os.path.exists({str(seen)!r}):\n"
    held_up += f"    open({str(seen)!r}, 'w').close()\n    time.sleep(0.1)\nprint('done')\n"
    assert verdict(sandbox, held_up) == Verdict.ACCEPTED
    pauser.join()


def pause_all_below(seen: Path) -> None:
    """Once a program has created `seen`, pause all descendants for longer than the wall limit."""
    end = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < end:
        time.sleep(0.001)
    stopped = [process.pid for process in descendants(os.getpid())]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(2 * LIMITS.wall_ns / NS_PER_S if number == signal.SIGSTOP else 0)


def test_sleeping_program_is_not_retried(sandbox: Sandbox, tmp_path: Path) -> None:
    """A program that guesses could sleep after a wrong guess to get a retry."""
    seen = tmp_path / "seen"
    guesses = f"import os, time\nif not os.path.exists({str(seen)!r}):\n"
    guesses += f"    open({str(seen)!r}, 'w').close()\n    time.sleep(60)\nprint('done')\n"
    # Long enough that even a busy machine does not stop the supervisor for a tenth of it.
    assert verdict(sandbox, guesses, LIMITS.changed(wall_ns=3 * NS_PER_S)) == Verdict.TIME_LIMIT


def test_undecidable_run_is_a_sandbox_failure(sandbox: Sandbox) -> None:
    with others(7):
        failure = attempt(lambda: verdict(sandbox, ENDLESS))
    assert isinstance(failure, SandboxFailure)
    assert "too busy to say" in failure.reason


def test_tests_after_a_retry_run(sandbox: Sandbox) -> None:
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
        ({"runnable_ns": 100 * NS_PER_MS}, False),  # too little waiting
        # it always had a processor
        ({"runnable_ns": 960 * NS_PER_MS, "cpu_ns": 950 * NS_PER_MS}, False),
        ({"runnable_ns": 900 * NS_PER_MS, "limit": "cpu"}, False),
        ({"runnable_ns": 900 * NS_PER_MS, "limit": None}, False),
    ],
)
def test_starved_runs(changes: dict[str, Any], waited: bool) -> None:
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    run: Any = Run(**{**fields, **SECOND, **changes})
    assert starved(run) == waited


def test_thread_states_separate_waiting_from_sleeping(sandbox: Sandbox) -> None:
    """Also if the main thread waits for another thread that works, as in Java."""
    threaded = (
        f"import threading\nworker = threading.Thread(target=exec, args=({ENDLESS!r},))\n"
        "worker.start()\n"
    )
    with others(3):
        for source, waited in ((ENDLESS, True), (threaded, True), (SLEEPS, False)):
            run = plain_run(sandbox, source)
            assert (run.limit, starved(run)) == ("wall", waited), source
    run = plain_run(sandbox, ENDLESS)
    assert run.runnable_ns > 0.9 * run.wall_ns, "it was always runnable"


class Answers(Session):
    """A session that returns given runs."""

    def __init__(self, *runs: Run) -> None:
        self._runs = runs

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        yield from self._runs

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("own_ms", "accepted"), [(150, True), (250, False)])
def test_retry_time_excludes_waiting(own_ms: int, accepted: bool) -> None:
    """A program may sleep in the retry as well, where its wall time limit is larger."""
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    waits: Any = Run(**{**fields, **SECOND, "runnable_ns": 900 * NS_PER_MS})
    took = {"wall_ns": (300 + own_ms) * NS_PER_MS, "runnable_ns": 330 * NS_PER_MS, "limit": None}
    again = dataclasses.replace(waits, **took)
    sessions = itertools.cycle([Answers(waits), Answers(again)])
    assert list(FairSession(lambda limits: next(sessions), LIMITS).run([b""])) == [
        again if accepted else waits
    ]


@pytest.mark.parametrize(("gap_ns", "paused"), [(NS_PER_S // 2, True), (NS_PER_S // 20, False)])
def test_paused_machine_does_not_fail_a_compiler(tmp_path: Path, gap_ns: int, paused: bool) -> None:
    fields = {field.name: 0 for field in dataclasses.fields(Run)}
    run: Any = Run(
        **{**fields, **SECOND, "largest_gap_ns": gap_ns, "stdout": b"", "stderr": b"", "trace": ()}
    )
    result = attempt(lambda: accept(python(WORKS), tmp_path, run, "/work"))
    assert isinstance(result, SandboxFailure) == paused


def test_retry_runs_alone() -> None:
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
    """Return a program whose compiler is this Python code, with a generous CPU time limit."""
    python = load_languages()["python"]
    limits = python.compile_limits.changed(wall_ns=wall_ns, cpu_ns=4 * wall_ns)
    return Program(
        dataclasses.replace(python, compile_argv=("python3", "-c", code), compile_limits=limits),
        "print()\n",
    )


def test_compiler_that_waits_for_a_processor_is_retried(
    sandbox: Sandbox,
) -> None:
    burns = WORKS.replace("0.1", "0.6")
    with others(3):
        compiled = sandbox.compile(compiler(burns, 800 * NS_PER_MS), CORES)
    assert (compiled.ok, compiled.log) == (True, "done\n")


def test_sleeping_compiler_fails(sandbox: Sandbox) -> None:
    compiled = sandbox.compile(compiler(SLEEPS, 300 * NS_PER_MS), CORES)
    assert (compiled.ok, compiled.run.limit) == (False, "wall")
