"""Interrupts: work ends at once and leaves nothing behind; interrupted work prints nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests import model_server
from tests.building import needs_isolation
from venus_toolkit.core.interruption import CancelScope, current, run_tool, worker_pool
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, TestCase
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.parquet import open_database
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure, attempt
from venus_toolkit.execution.engine.local_engine import spread
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.compiled import SingleFlight
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import ChatGenerator, Message, ModelOptions

ROOT = Path(__file__).resolve().parents[2]
FOREVER = "import time\nprint(1, flush=True)\nwhile True: time.sleep(1)\n"
SOON_S = 2.0


def interrupt_after(seconds: float) -> float:
    """Schedule an interrupt of the main thread, like Ctrl-C; return its time (monotonic clock)."""
    # Other tests may have loaded Polars, whose signal handler restarts interrupted waits.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    threading.Timer(seconds, signal.pthread_kill, (main, signal.SIGINT)).start()
    return time.monotonic() + seconds


# ------------------------------------------------------------------ scopes


def test_cancelling_ends_waits_of_inner_scopes_only() -> None:
    outer, other = CancelScope(), CancelScope()
    ended: list[str] = []

    def wait(scope: CancelScope, name: str) -> None:
        scope.enter()
        try:
            current().sleep(0.5)
            ended.append(f"{name} slept")
        except KeyboardInterrupt:
            ended.append(f"{name} was cancelled")

    names = {"inner": CancelScope(outer), "other": other}
    threads = [threading.Thread(target=wait, args=(names[name], name)) for name in names]
    for thread in threads:
        thread.start()
    outer.cancel()
    for thread in threads:
        thread.join()
    assert ended == ["inner was cancelled", "other slept"]


def test_work_added_to_a_cancelled_scope_ends_at_once() -> None:
    scope, ended = CancelScope(), list[int]()
    scope.add(lambda: 1 / 0)  # a failing callback must not keep other work alive
    scope.discard(scope.add(lambda: ended.append(0)))
    scope.add(lambda: ended.append(1))
    scope.cancel()
    scope.add(lambda: ended.append(2))
    assert ended == [1, 2]
    with pytest.raises(KeyboardInterrupt):
        scope.check()
    with pytest.raises(KeyboardInterrupt):
        scope.sleep(60)


def test_the_first_exception_ends_the_work_of_other_threads() -> None:
    def work(item: int) -> None:
        if item:
            current().sleep(60)
        raise ValueError("broken")

    start = time.monotonic()
    with pytest.raises(ValueError, match="broken"):
        list(spread(work, range(2), 2, lambda: 4))
    assert time.monotonic() - start < SOON_S
    assert not current().cancelled


def test_interrupt_does_not_wait_for_long_requests() -> None:
    answer: Future[None] = Future()
    start = interrupt_after(0.1)
    with pytest.raises(KeyboardInterrupt), worker_pool(1) as pool:
        pool.submit(answer.result).result(60)
    assert time.monotonic() - start < SOON_S
    answer.set_result(None)


def test_waiter_repeats_cancelled_work() -> None:
    flights, begun, scope = SingleFlight(), threading.Event(), CancelScope()

    def cancelled() -> None:
        scope.enter()
        with pytest.raises(KeyboardInterrupt):
            flights.do("key", lambda: begun.set() or current().sleep(60))

    first = threading.Thread(target=cancelled)
    first.start()
    begun.wait()
    threading.Timer(0.1, scope.cancel).start()
    assert flights.do("key", lambda: "done") == "done"
    first.join()


def in_thread(scope: CancelScope, work: Callable[[], object]) -> threading.Thread:
    """Run work in a thread of a scope; an exception must end it."""

    def run() -> None:
        scope.enter()
        with contextlib.suppress(KeyboardInterrupt, duckdb.InterruptException):
            work()
            ended.append("by itself")
        assert not ended

    ended: list[str] = []
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_tool_ends_with_its_scope() -> None:
    scope = CancelScope()
    # The child process of the shell keeps the pipes open.
    thread = in_thread(scope, lambda: run_tool(["sh", "-c", "sleep 60; echo"]))
    time.sleep(0.2)
    start = time.monotonic()
    scope.cancel()
    thread.join(20)
    assert time.monotonic() - start < SOON_S
    assert run_tool(["echo", "ready"]).stdout == "ready\n"


# ------------------------------------------------------------------ programs, models, queries


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("local") as place:
        yield place


@needs_isolation[1]
@pytest.mark.isolation
def test_interrupted_problem_is_not_recorded(sandbox: Sandbox, tmp_path: Path) -> None:
    python = load_languages()["python"]
    program = Program(python, FOREVER)
    tests = tuple(TestCase(f"{number}", f"{number}\n", "1\n") for number in range(50))
    limits = Limits(wall_ns=60 * 10**9, cpu_ns=60 * 10**9)
    suite = Suite("long", tests, Rules(limits, OutputComparison(), None))
    seen: list[object] = []
    with closing(Store(tmp_path)) as store:
        executor = Executor(sandbox, [python], journal=store)
        sandbox.compile(program)

        def work(_: int, worker: object) -> None:
            for _ in range(100):  # like a stage, one program after another
                seen.append(executor.try_tests(worker, suite, program, 1, lambda run: [run]))  # type: ignore[arg-type]

        start = interrupt_after(1.5)
        with pytest.raises(KeyboardInterrupt):
            list(executor.judging(work, range(2)))
        assert time.monotonic() - start < SOON_S
        assert seen == []
        assert store.values("verdicts") == []
        executor.close()
    # The sandbox still works.
    compiled = sandbox.compile(Program(python, "print(2)\n"))
    with sandbox.session(compiled, Limits()) as session:
        assert [run.stdout for run in session.run([b""])] == [b"2\n"]


def test_cancellation_is_not_a_sandbox_failure() -> None:
    with CancelScope() as scope:
        threading.Thread(target=scope.cancel).run()
        events: list[object] = []

        def cancelled() -> None:
            scope.enter()
            try:
                events.append(attempt(lambda: events.append("begun")))
            except KeyboardInterrupt:
                events.append("interrupted")

        thread = threading.Thread(target=cancelled)
        thread.start()
        thread.join()
    assert events == ["interrupted"]
    assert not any(isinstance(event, SandboxFailure) for event in events)


def test_an_interrupt_ends_the_wait_for_a_busy_model(tmp_path: Path) -> None:
    busy = model_server.error("busy", 429)
    with model_server.serving([busy] * 50) as server:
        options = ModelOptions(server.base_url, "m", tries=50, concurrency=2)
        with ChatGenerator(options, tmp_path) as model:
            start = interrupt_after(1.5)
            with pytest.raises(KeyboardInterrupt):
                model.complete([(Message("user", word),) for word in ("one", "two", "three")])
            assert time.monotonic() - start < SOON_S
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_a_query() -> None:
    def ask() -> None:
        with open_database() as database:
            tables = "range(10_000_000) a(i), range(1_000_000) b(i)"
            database.execute(f"select sum(a.i * b.i) from {tables}")

    scope = CancelScope()
    thread = in_thread(scope, ask)
    time.sleep(0.5)
    start = time.monotonic()
    scope.cancel()
    thread.join(20)
    assert time.monotonic() - start < SOON_S


# ------------------------------------------------------------------ the command line

STUCK = """
import sys, subprocess, time
from venus_toolkit.core.interruption import handle_signals
from venus_toolkit.core.temporary import make_temporary
from venus_toolkit.execution.sandbox import cgroups
with handle_signals():
    make_temporary("stuck")
    cgroups.make_cgroup(1 << 30, 10)
    subprocess.Popen(["sleep", "1000"])
    print("ready", flush=True)
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
"""


def restore_signals() -> None:
    """Restore the default handlers of signals that nohup or a shell makes the process ignore."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(argv: list[str], folder: Path, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **more}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *argv],
        env=environment,
        cwd=folder,
        stdout=pipe,
        stderr=pipe,
        text=True,
        preexec_fn=restore_signals,
    )
    assert process.stdout
    process.stdout.readline()
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("twice", [False, True])
def test_hanging_command_ends(tmp_path: Path, number: signal.Signals, twice: bool) -> None:
    process = start(["-c", STUCK], tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    begin = time.monotonic()
    process.send_signal(number)
    assert process.stderr
    assert process.stderr.readline() == "stopping…\n"
    assert time.monotonic() - begin < 0.5
    if twice:
        time.sleep(0.1)
        begin = time.monotonic()
        process.send_signal(number)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert time.monotonic() - begin < (0.5 if twice else SOON_S)
    assert stderr == "stopped\n  finished work is kept: type the same command to continue\n"
    assert list(tmp_path.iterdir()) == []
    assert not any(Path("/proc", child).exists() for child in children)
    # Control groups of other tests may disappear meanwhile, which os.walk tolerates.
    assert not [
        folder for folder, _, _ in os.walk("/sys/fs/cgroup") if f"/venus-{process.pid}-" in folder
    ]


def test_an_interrupt_while_modules_are_loaded_is_quiet(tmp_path: Path) -> None:
    slow = tmp_path / "slow" / "click.py"
    slow.parent.mkdir()
    slow.write_text('import time\nprint("loading", flush=True)\ntime.sleep(60)\n')
    process = start(["-m", "venus_toolkit"], tmp_path, PYTHONPATH=f"{slow.parent}:{ROOT}")
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "")
    assert process.returncode == -signal.SIGINT  # a shell reports 130


def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    words = f"trap '' INT; exec {sys.executable} -m venus_toolkit run loop.py --limit-wall-s 3"
    (tmp_path / "loop.py").write_text("import time\ntime.sleep(0.5)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        ["sh", "-c", words], env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode != 130
    assert "stopping" not in stderr


FORKED = """
import os, signal, time
from venus_toolkit.core.interruption import handle_signals
with handle_signals():
    child = os.fork()
    if not child:
        print("ready", flush=True)
        time.sleep(60)
    os.kill(child, signal.SIGINT)
    print(os.waitpid(child, 0)[1], flush=True)
    time.sleep(0.2)
    print("done")
"""


def test_signal_of_a_forked_child_does_not_stop_the_parent(tmp_path: Path) -> None:
    script = FORKED.replace("    os.kill", "    time.sleep(0.5)\n    os.kill")
    process = start(["-c", script], tmp_path)
    assert process.communicate() == ("2\ndone\n", "")
    assert process.returncode == 0


@needs_isolation[1]
@pytest.mark.isolation
def test_an_interrupted_run_has_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(FOREVER)
    argv = ["-u", "-m", "venus_toolkit", "-v", "run", "loop.py", "--limit-wall-s", "60"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, *argv],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(3)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, stderr = process.communicate()
    assert time.monotonic() - begin < SOON_S
    assert (process.returncode, out) == (130, "")
    assert [line for line in stderr.splitlines() if line][-3] == "stopping…"
    assert [path.name for path in tmp_path.iterdir()] == ["loop.py"]
