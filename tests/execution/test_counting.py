"""Instruction counts: reproducible, over threads and children, or missing with a reason."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bench.chaos.traces import Process, descendants, processes
from bench.misses import FIGURES, Cost, same_order, weights
from tests.forged_count import summing
from venus_toolkit.cli.machine.run import command
from venus_toolkit.core.errors import LanguageError, MachineError, SandboxError, UsageError
from venus_toolkit.core.language import (
    FOLDER,
    InstructionCounting,
    Language,
    load_languages,
    read_language,
)
from venus_toolkit.core.records import NS_PER_S, Limits, OutputComparison, Run, TestCase
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.machine.doctor import check_counters, why_not_isolated
from venus_toolkit.execution.machine.language_check import check_spread
from venus_toolkit.execution.measuring import counting
from venus_toolkit.execution.measuring.counting import (
    Counter,
    count_tests,
    open_counter,
    pmu_problem,
    require_counter,
    require_counting,
    total,
)
from venus_toolkit.execution.sandbox import Program, Sandbox, emulator, local
from venus_toolkit.execution.sandbox.docker import daemon
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.session import PATIENCE_S


def why_not_emulated() -> str | None:
    if failure := why_not_isolated():
        return failure[0]
    try:
        emulator.find_emulator()
    except MachineError as error:
        return error.why
    return None


REASON = why_not_emulated()
needs_emulator = pytest.mark.skipif(
    REASON is not None, reason=f"instructions cannot be counted: {REASON}"
)
LANGUAGES = load_languages()
ROOT = Path(__file__).parents[2]
MISSES = ROOT / "bench" / "misses.c"
LIMITS = Limits(wall_ns=5 * NS_PER_S, cpu_ns=5 * NS_PER_S)

WORKERS = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(unsigned n) { volatile unsigned long s = 0; for (unsigned i = 0; i < n; i++) s = s + i; }
int main()
{
    char how[32]; unsigned count, n;
    if (scanf("%31s %u %u", how, &count, &n) != 3) return 1;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(how, "serial")) work(n);
        if (!strcmp(how, "threads")) threads.emplace_back(work, n);
        if (!strcmp(how, "children")) {
            pid_t child = fork();
            if (child < 0) return 2;
            if (!child) { work(n); _exit(0); }
            if (count > 20) waitpid(child, 0, 0);
        }
    }
    for (auto &thread : threads) thread.join();
    while (wait(0) > 0);
    if (!strcmp(how, "killed")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "crash")) abort();
    if (!strcmp(how, "loop")) for (;;) work(1000);
    for (int fd = 3; !strcmp(how, "descriptors") && fd < 256; fd++)
        if (write(fd, "x", 1) == 1 || close(fd) == 0) return 4;
    if (!strcmp(how, "another") && system("true") == 0) return 3;
    if (!strcmp(how, "replaced")) { execl("/bin/true", "true", (char *)0); puts("refused"); }
    puts("done");
}
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox() as opened:
        yield opened


def counted(
    sandbox: Sandbox,
    *stdins: str,
    source: str = WORKERS,
    limits: Limits = LIMITS,
    language: Language | None = None,
) -> list[Run]:
    compiled = sandbox.compile(Program(language or LANGUAGES["cpp"], source))
    assert compiled.ok, compiled.log
    return list(
        Counter(emulator.find_emulator()).count(
            sandbox, compiled, [stdin.encode() for stdin in stdins], limits
        )
    )


# ------------------------------------------------------------------ counts


@needs_emulator
def test_counts_repeat_and_grow_with_the_work(sandbox: LocalSandbox) -> None:
    runs = counted(sandbox, "serial 1 1000", "serial 1 1000", "serial 1 101000")
    assert runs[0].instructions == runs[1].instructions
    assert [run.stdout for run in runs] == [b"done\n"] * 3
    # a round of the loop takes 3 to 12 instructions
    assert 3 * 100_000 <= runs[2].instructions - runs[0].instructions <= 12 * 100_000


@needs_emulator
@pytest.mark.parametrize("how", ["threads", "children"])
def test_threads_and_children_add_up(sandbox: LocalSandbox, how: str) -> None:
    stdins = [f"{name} 4 {rounds}" for name in ("serial", how) for rounds in (10, 500_010)]
    serial, more, apart, more_apart = (run.instructions for run in counted(sandbox, *stdins))
    assert more_apart - apart == pytest.approx(more - serial, rel=1e-3)
    assert more - serial > 4 * 1_000_000


@needs_emulator
@pytest.mark.slow
def test_a_thousand_children(sandbox: LocalSandbox) -> None:
    few, many = counted(sandbox, "children 21 10", "children 1000 10")
    assert many.clean
    assert many.instructions - few.instructions > 900 * 1000  # a fork alone takes about a thousand
    (crowd,) = counted(sandbox, "children 20 10", limits=LIMITS.changed(processes=4))
    assert (crowd.instructions, crowd.uncounted) == (None, "the counted run ended with exit code 2")


@needs_emulator
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("python", "import random; print(len({str(random.random()) for _ in range(100)}))"),
        ("ruby", "puts 'a'.hash, (1..100).map { |i| [i.to_s, i] }.to_h.size"),
        (
            "rust",
            "use std::collections::HashMap; fn main() { let m: HashMap<u32, u32> = "
            "(0..999).map(|i| (i, i)).collect(); "
            'println!("{}", m.keys().fold(0, |a, b| a * 7 % 1009 + b)); }',
        ),
    ],
)
def test_seeds_are_constant(sandbox: LocalSandbox, name: str, source: str) -> None:
    language = LANGUAGES[name]
    try:
        runs = counted(sandbox, "", "", source=source, language=language)
    except MachineError as error:
        pytest.skip(str(error))
    assert runs[0].instructions == pytest.approx(
        runs[1].instructions, rel=language.counting.spread, abs=0
    )
    assert runs[0].stdout == runs[1].stdout


GO_MAP = """package main
import ("fmt"; "time")
func main() {
	start, order := time.Now(), map[int]int{}
	for i := 0; i < 50; i++ { order[i] = i }
	for i := range order { fmt.Print(i, " ") }
	time.Sleep(20 * time.Millisecond)
	fmt.Println(time.Since(start) > 19 * time.Millisecond, time.Since(start) < 5 * time.Second)
}
"""


@needs_emulator
@pytest.mark.slow
def test_go_maps_are_deterministic_and_its_clock_runs(
    sandbox: LocalSandbox,
) -> None:
    try:
        runs = counted(sandbox, "", "", "", source=GO_MAP, language=LANGUAGES["go"])
    except MachineError as error:
        pytest.skip(str(error))
    # Since Go 1.22 every thread has its own random numbers, so the order of a map depends on the
    # scheduling of threads. That changes the count by less than the threads themselves do.
    counts = [run.instructions or 0 for run in runs]
    assert max(counts) - min(counts) < 20_000
    assert all(run.stdout.endswith(b" true true\n") for run in runs)


@needs_emulator
def test_descriptors_do_not_reveal_the_counter(sandbox: LocalSandbox) -> None:
    (run,) = counted(sandbox, "descriptors 0 0")
    assert run.instructions
    assert (run.stdout, run.stderr) == (b"done\n", b"")


# ------------------------------------------------------------------ runs forked from one start

ADDS = "import os, sys; print(sum(map(int, sys.stdin.read().split())), os.getpid() > 2)"

WORKERS_IN_PYTHON = """
import os, sys, threading
how, rounds = sys.stdin.read().split()
def work():
    s = 0
    for i in range(int(rounds)): s += i
if how == "child":
    if not os.fork():
        work()
        os._exit(0)
    os.wait()
elif how == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
"""

# The program attacks all other processes of its user. Then it prints all that it could change for a
# later run: modules, memory, descriptors, files and processes.
REACHES_OUT = """
import os, resource, signal, sys
if sys.stdin.read() == "attack":
    own = {0, *map(int, os.listdir("/proc/self/task"))}
    for other in range(-64, 64):
        if abs(other) in own:
            continue
        for attempt in (
            lambda: os.kill(other, signal.SIGSTOP),
            lambda: os.kill(other, signal.SIGKILL),
            lambda: os.setpriority(os.PRIO_PROCESS, other, 19),
            lambda: os.sched_setaffinity(other, {0}),
            lambda: resource.prlimit(other, resource.RLIMIT_CORE, (0, 0)),
            lambda: open(f"/proc/{other}/mem", "r+b"),
        ):
            try:
                attempt()
                print("reached", other)
            except OSError:
                pass
    sys.modules["os"].left = 1
    for fd in range(3, 64):
        try:
            os.write(fd, b"left")
            print("wrote to", fd)
        except OSError:
            pass
    os.fork() or os.execv("/bin/true", ["true"])
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit()) == [os.getpid()])
print(hasattr(os, "left"), os.listdir("/proc/self/fd"), os.getpriority(os.PRIO_PROCESS, 0))
print(resource.getrlimit(resource.RLIMIT_CORE), sorted(os.sched_getaffinity(0)), os.getppid())
"""


def python(fork_server: bool) -> Language:
    plain = LANGUAGES["python"]
    return dataclasses.replace(plain, counting=plain.counting._replace(fork_server=fork_server))


@needs_emulator
def test_forked_runs_have_equal_counts(sandbox: LocalSandbox) -> None:
    stdins = ["1 2 3", "4 " * 5000, "1 2 3"]
    forked, started = (
        counted(sandbox, *stdins, source=ADDS, language=python(fork_server))
        for fork_server in (True, False)
    )
    assert [run.instructions for run in forked] == [run.instructions for run in started]
    assert [run.stdout for run in forked] == [b"6 True\n", b"20000 True\n", b"6 True\n"]
    # the emulator translates most of the start only once
    assert sum(run.cpu_ns for run in forked) < 0.6 * sum(run.cpu_ns for run in started)


@needs_emulator
def test_threads_and_children_of_forked_runs_add_up(sandbox: LocalSandbox) -> None:
    stdins = [f"{how} 20000" for how in ("here", "child", "thread")]
    forked, started = (
        [
            run.instructions
            for run in counted(
                sandbox, *stdins, source=WORKERS_IN_PYTHON, language=python(fork_server)
            )
        ]
        for fork_server in (True, False)
    )
    # the interpreter switches threads by time, so their count varies
    assert forked[:2] == pytest.approx(started[:2], rel=1e-6)
    assert forked[2] == pytest.approx(started[2], rel=1e-3)


@needs_emulator
def test_forked_runs_are_independent(sandbox: LocalSandbox) -> None:
    stdins = ["quiet", "attack", "quiet", "attack", "quiet"]
    limits = LIMITS.changed(wall_ns=NS_PER_S // 5)
    runs = counted(sandbox, *stdins, source=REACHES_OUT, limits=limits, language=python(True))
    first, attack, *_ = runs
    assert first.stdout.startswith(b"True\nFalse ")
    assert b"reached" not in attack.stdout
    assert b"wrote" not in attack.stdout
    assert [run.stdout for run in runs[2::2]] == [first.stdout] * 2
    assert [run.instructions for run in runs[2::2]] == [first.instructions] * 2


@needs_emulator
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os; os.abort()", "the counted run ended with signal 6"),
        ("import os; os.kill(os.getpid(), 9)", "the counted run ended with signal 9"),
        ("raise SystemExit(3)", "the counted run ended with exit code 3"),
        ("x = bytearray(1 << 31)", "the run was ended at its memory limit"),
        ("while True: pass", "the run was ended at its cpu limit of 8 s under emulation"),
    ],
)
def test_failed_forked_run_does_not_affect_the_next(
    sandbox: LocalSandbox, source: str, reason: str
) -> None:
    limits = LIMITS.changed(cpu_ns=NS_PER_S // 5, memory_bytes=256 << 20)
    source = f"if input() == 'fail':\n {source}"
    failed, good = counted(
        sandbox, "fail\n", "end\n", source=source, limits=limits, language=python(True)
    )
    assert failed.instructions is None
    assert failed.uncounted == reason
    assert good.instructions


@needs_emulator
def test_counted_runs_use_one_thread_for_linear_algebra(sandbox: LocalSandbox) -> None:
    """Counts of NumPy's products vary by a third if several threads wait for each other."""
    source = "import os\nprint(os.environ.get('OMP_NUM_THREADS'))"
    (run,) = counted(sandbox, "", source=source, language=LANGUAGES["python"])
    assert run.stdout == b"1\n"


SIGNALS_MAIN = """
import signal, threading, time
main = threading.main_thread().ident
signal.signal(signal.SIGUSR1, lambda *_: print("signalled"))
thread = threading.Thread(target=signal.pthread_kill, args=(main, signal.SIGUSR1))
thread.start()
thread.join()
print(time.clock_gettime(time.pthread_getcpuclockid(main)) > 0)
"""


@needs_emulator
def test_the_main_thread_of_a_forked_run_can_be_signalled(sandbox: LocalSandbox) -> None:
    """The C library stores the ID of the main thread, which differs in each forked run."""
    (run,) = counted(sandbox, "", source=SIGNALS_MAIN, language=python(True))
    assert (run.stdout, run.stderr) == (b"signalled\nTrue\n", b"")


@needs_emulator
@pytest.mark.parametrize("processes", [2, 3, 4])
def test_a_fork_server_that_cannot_fork_says_so(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    """The server has two threads; its child has two as well, until it has forked the run."""
    monkeypatch.setattr(
        local, "emulation_limits", lambda limits, _: limits.changed(processes=processes)
    )
    start = time.monotonic()
    with pytest.raises(SandboxError, match="the fork server cannot start a process"):
        counted(sandbox, "", source="print(1)", language=python(True))
    assert time.monotonic() - start < PATIENCE_S  # it answers, so nothing has to kill it


def counting_processes(pid: int) -> dict[str, list[Process]]:
    """Return the descendants that count instructions, by name (Linux keeps 15 characters)."""
    below = descendants(pid)
    return {
        name: [process for process in below if process.name == name]
        for name in ("venus-emulator", "venus-superviso")
    }


@pytest.fixture
def fewer_files() -> Iterator[int]:
    """Sets the soft limit on open files to half the hard limit; returns the hard limit."""
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most // 2, most))
    yield most
    resource.setrlimit(resource.RLIMIT_NOFILE, (usual, most))


@needs_emulator
def test_a_run_does_not_use_up_what_the_fork_server_needs(
    sandbox: LocalSandbox, fewer_files: int
) -> None:
    """The kernel kills the program first, and files in its messages leave room for the server's."""
    source = "print(open('/proc/self/oom_score_adj').read())"
    compiled = sandbox.compile(Program(python(True), source))
    with sandbox.counting_session(compiled, LIMITS, emulator.find_emulator()) as session:
        assert [run.stdout for run in session.run([b"", b""])] == [b"1000\n\n"] * 2
        found = counting_processes(os.getpid())
        (server,), (supervisor,) = found["venus-emulator"], found["venus-superviso"]
        score = Path(f"/proc/{server.pid}/oom_score_adj").read_text()
        assert score == Path("/proc/self/oom_score_adj").read_text() != "1000\n"
        files = resource.prlimit(supervisor.pid, resource.RLIMIT_NOFILE)
        assert files == (fewer_files, fewer_files)


COUNTS_FOR_EVER = """
from tests.execution.test_counting import LocalSandbox, counted, python
from venus_toolkit.core.records import Limits

with LocalSandbox() as sandbox:
    limits = Limits(wall_ns=10**12)
    counted(sandbox, "", source="import time; time.sleep(3600)", language=python(True), limits=limits)
"""


@needs_emulator
def test_forked_runs_end_with_the_process_that_counts(eventually: Callable[..., bool]) -> None:
    """The death of that process does not kill the fork server, which belongs to another user."""
    killed = subprocess.Popen([sys.executable, "-c", COUNTS_FOR_EVER], cwd=ROOT)
    try:
        assert eventually(lambda: len(counting_processes(killed.pid)["venus-emulator"]) == 2, 60)
        left = {process.pid for process in descendants(killed.pid)}
    finally:
        killed.kill()
        killed.wait()
    assert eventually(lambda: not left & {process.pid for process in processes()})
    LocalSandbox().close()  # removes the files of the killed process


# ------------------------------------------------------------------ missing counts


@needs_emulator
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("killed", "the counted run ended with signal 9"),
        ("crash", "the counted run ended with signal 6"),
        ("another", "another program (execve), which is not counted and was refused"),
        ("replaced", "another program (execve), which is not counted and was refused"),
    ],
)
def test_missing_counts_have_a_reason(sandbox: LocalSandbox, how: str, reason: str) -> None:
    (run,) = counted(sandbox, f"{how} 0 0")
    assert run.instructions is None
    assert reason in (run.uncounted or "")


@needs_emulator
def test_a_run_beyond_its_limit_has_no_count(sandbox: LocalSandbox) -> None:
    quick = dataclasses.replace(LANGUAGES["cpp"], counting=InstructionCounting(slowdown=2.0))
    limits = LIMITS.changed(cpu_ns=NS_PER_S // 5)
    (run,) = counted(sandbox, "loop 0 0", limits=limits, language=quick)
    assert (run.limit, run.instructions) == ("cpu", None)
    assert run.uncounted == "the run was ended at its cpu limit of 0.4 s under emulation"


def a_run(instructions: int | None, uncounted: str | None = None) -> Run:
    values: dict[str, Any] = {
        field.name: 0 for field in dataclasses.fields(Run) if field.default is dataclasses.MISSING
    }
    return Run(**values, instructions=instructions, uncounted=uncounted)


def test_a_sum_needs_every_count() -> None:
    go = dataclasses.replace(LANGUAGES["go"], counting=InstructionCounting(spread=3.735e-4))
    whole = total([a_run(3_000_000), a_run(4_000_000)], go, "emulated")
    assert whole == (7_000_000, pytest.approx(500.0), None, [3_000_000, 4_000_000])
    assert total([a_run(3), a_run(None, "it was killed")], go, "emulated") == (
        None,
        None,
        "it was killed",
        [3],
    )
    assert total([a_run(3)], go, "pmu") == (3, None, None, [3])
    plain = dataclasses.replace(go, counting=InstructionCounting(spread=0, plain_spread=3.735e-2))
    assert total([a_run(300), a_run(400)], plain, "pmu").standard_error == pytest.approx(5.0)
    assert total([a_run(300), a_run(400)], plain, "emulated").standard_error == 0
    fixed = dataclasses.replace(
        go, counting=InstructionCounting(spread=3.735e-4, spread_instructions=3735)
    )
    assert total(
        [a_run(1_000_000), a_run(20_000_000)], fixed, "emulated"
    ).standard_error == pytest.approx((1000**2 + 2000**2) ** 0.5)
    assert total([], go, "emulated").instructions is None


def test_limits_are_extended_for_the_emulator() -> None:
    held = emulator.emulation_limits(LIMITS, InstructionCounting(slowdown=10.0))
    assert held.cpu_ns == 10 * LIMITS.cpu_ns
    assert held.wall_ns >= held.cpu_ns
    assert held.memory_bytes > LIMITS.memory_bytes
    assert held.output_bytes == LIMITS.output_bytes


# ------------------------------------------------------------------ counters


def test_an_unknown_counter_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown counter 'stopwatch'"):
        open_counter("stopwatch")
    assert open_counter("off") is None


def test_without_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulator.shutil, "which", lambda name: None)
    with pytest.raises(MachineError, match="is not installed") as caught:
        open_counter("emulated")
    assert caught.value.fix == "type: apt-get install qemu-user"
    monkeypatch.setattr(counting, "pmu_problem", lambda: "there is none")
    assert open_counter("auto") is None


def test_a_foreign_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulator.platform, "machine", lambda: "riscv64")
    with pytest.raises(MachineError, match="this processor is riscv64"):
        open_counter("emulated")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (
            "qemu: could not load plugin: requires at least API version 2, but plugin uses 1",
            "a plugin interface that this toolkit does not support",
        ),
        ("qemu-x86_64: unknown option 'plugin'", "built without plugins"),
        ("something else", "does not run the plugin: something else"),
    ],
)
def test_emulator_without_plugins(tmp_path: Path, message: str, reason: str) -> None:
    script = tmp_path / "qemu"
    script.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "qemu version 19.0.1" || echo "{message}" >&2\n'
        "exit 1\n"
    )
    script.chmod(0o755)
    with pytest.raises(MachineError, match=f"QEMU 19.0.1 .*{reason}"):
        emulator.check_emulator(script, emulator.PLUGIN)


def test_missing_plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(emulator, "PLUGIN", tmp_path / "none.so")
    with pytest.raises(MachineError, match="not compiled"):
        emulator.plugin()


def test_processor_counter() -> None:
    if reason := pmu_problem():
        with pytest.raises(MachineError, match="the processor's counter cannot be used") as caught:
            open_counter("pmu")
        assert caught.value.why == reason
    else:
        counter = open_counter("pmu")
        assert counter
        assert counter.facts()["counter"] == "pmu"


@needs_emulator
def test_facts_of_a_counter() -> None:
    facts = Counter(emulator.find_emulator()).facts()
    assert facts["counter"] == "emulated"
    assert str(facts["emulator"]).startswith("QEMU ")
    assert facts["plugin"] == counting.PLUGIN_VERSION


def test_sandbox_without_counting() -> None:
    class Plain(Sandbox):
        name = "plain"

    with pytest.raises(SandboxError, match="the sandbox plain does not count instructions"):
        Plain().counting_session(None, LIMITS, None)  # type: ignore[abstract,arg-type]
    with pytest.raises(UsageError) as refused:
        require_counting(Plain())  # type: ignore[abstract]
    assert "a server does not" in refused.value.why
    assert "--sandbox local" in refused.value.fix


@pytest.mark.parametrize(
    ("kind", "error", "fix"),
    [("off", UsageError, "--counter auto"), ("emulated", MachineError, "install qemu-user")],
)
def test_required_counter_is_checked_first(
    monkeypatch: pytest.MonkeyPatch,
    sandbox: LocalSandbox,
    kind: str,
    error: type[UsageError],
    fix: str,
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(error) as refused:
        require_counter(kind, sandbox)
    assert fix in refused.value.fix


@needs_emulator
def test_failed_tests_have_no_count(sandbox: LocalSandbox) -> None:
    tests = [
        TestCase("right", "serial 1 1000", "done\n"),
        TestCase("wrong", "serial 1 1000", "lost\n"),
    ]
    compiled, checker = (
        sandbox.compile(Program(LANGUAGES["cpp"], WORKERS)),
        Checker(OutputComparison(), sandbox),
    )
    counter = Counter(emulator.find_emulator())
    right, wrong = count_tests(counter, sandbox, compiled, tests, LIMITS, checker)
    assert right.instructions
    assert (wrong.instructions, wrong.stdout) == (None, b"")
    assert wrong.uncounted == "the counted run fails test wrong: it prints something else"
    assert all(run.instructions for run in count_tests(counter, sandbox, compiled, tests, LIMITS))


# ------------------------------------------------------------------ languages and the command


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (
            'constant = ["weather"]',
            "counting.constant must name some of clock, getrandom, nanosleep, tsc, got weather",
        ),
        ("spread = 2", "counting.spread must be at least 0 and less than 1"),
        ("plain_spread = true", "counting.plain_spread must be a number"),
        ("environment = { A = 1 }", "counting.environment must be a table of texts"),
        ("slowdown = 0", "counting.slowdown must be greater than 0"),
        ("fork_server = true", "counting.fork_server needs an interpreter in run.argv, got ./main"),
        ("speed = 1", "unknown keys: counting.speed"),
    ],
)
def test_counting_table_is_checked(tmp_path: Path, table: str, complaint: str) -> None:
    folder = tmp_path / "cpp"
    folder.mkdir()
    for file in (FOLDER / "cpp").iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "language.toml").unlink()
    text = (FOLDER / "cpp" / "language.toml").read_text()
    head, rest = text.split("[counting]\n")
    (folder / "language.toml").write_text(
        f"{head}[counting]\n{table}\n[environment]{rest.split('[environment]')[1]}"
    )
    with pytest.raises(LanguageError, match=complaint):
        read_language(folder)


def test_every_language_has_a_counting_table() -> None:
    for language in LANGUAGES.values():
        assert language.counting.spread is not None
        assert language.counting.standard_error(10**9, "emulated") is not None
        argv = language.argv("count", LIMITS)
        assert argv[0] == language.run_argv[0]
        assert set(language.counting.flags) <= set(argv)
    # Costs without a standard error always tie; the spread of the other languages is not measured.
    known = {
        name
        for name, language in LANGUAGES.items()
        if language.counting.standard_error(10**9, "pmu") is not None
    }
    assert known == {"cpp", "rust"}


@needs_emulator
def test_run_prints_a_count(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text("print(sum(range(1000)))\n")
    argv = [str(program), "--counter", "emulated", "--repeats", "1", "--sandbox", "local"]
    done = CliRunner().invoke(command, argv)
    assert done.exit_code == 0, done.output
    assert " instructions (emulated: QEMU " in done.output
    report = json.loads(CliRunner().invoke(command, [*argv, "--json"]).stdout)
    assert report["instructions"] == sum(test["instructions"] for test in report["tests"]) > 0


@needs_emulator
def test_run_refuses_a_forged_count(tmp_path: Path) -> None:
    program, stdin = tmp_path / "main.cpp", tmp_path / "n.txt"
    program.write_text(summing(40, forged_by=20))
    stdin.write_text("1000000\n")
    argv = [
        str(program),
        "--stdin",
        str(stdin),
        "--counter",
        "emulated",
        "--repeats",
        "2",
        "--sandbox",
        "local",
    ]
    report = json.loads(CliRunner().invoke(command, [*argv, "--json"]).stdout)
    assert (report["verdict"], report["instructions"]) == ("accepted", None)
    assert report["tests"][0]["instructions"] is None
    assert "CPU time contradicts the count" in report["uncounted"]


@needs_emulator
def test_measured_spread_is_compared_with_the_stated_one(sandbox: LocalSandbox) -> None:
    seeded = (
        "#include <cstdio>\n#include <ctime>\nint main() { timespec t; "
        "clock_gettime(CLOCK_REALTIME, &t); "
    )
    seeded += "volatile long s = 0; for (long i = 0; i < t.tv_nsec % 100000; i++) s = s + i; }\n"
    counter = Counter(emulator.find_emulator())
    quick = "int main() { }\n"
    steady = dataclasses.replace(
        LANGUAGES["cpp"], reference=quick, counting=InstructionCounting(spread=0.0)
    )
    assert check_spread(sandbox, steady, counter, 3).complaint is None
    wobbly = dataclasses.replace(steady, reference=seeded)
    result = check_spread(sandbox, wobbly, counter, 3)
    assert result.spread
    apart = max(result.counts) - min(result.counts)
    assert result.complaint == f"counts spread by {apart:,} instructions, more than 0"
    for stated in (
        InstructionCounting(spread=0.0, spread_instructions=10**7),
        InstructionCounting(),
    ):
        allowed = dataclasses.replace(wobbly, counting=stated)
        assert check_spread(sandbox, allowed, counter, 3).complaint is None
    broken = dataclasses.replace(steady, reference="int main() { return 3; }\n")
    assert "ended with exit code 3" in (check_spread(sandbox, broken, counter, 2).complaint or "")


def test_the_doctor_names_the_counter() -> None:
    def none_here() -> emulator.Emulator:
        raise MachineError(emulator.CANNOT_COUNT, "qemu-x86_64 is not installed", emulator.INSTALL)

    there = emulator.Emulator(Path("/usr/bin/qemu-x86_64"), Path("/x.so"), "7.2.22")
    assert "--counter pmu" in check_counters(lambda: None, none_here).sentence
    check = check_counters(lambda: "no counter", lambda: there)
    assert (check.ok, check.fix) == (True, "")
    assert "QEMU 7.2.22" in check.sentence
    missing = check_counters(lambda: "no counter", none_here)
    assert (missing.ok, missing.fix) == (None, "apt-get install qemu-user")


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ((), "version 2 processes 2 unclosed 0 sum 90\n"),
        (("killed",), "version 2 processes 2 unclosed 1 sum 75\n"),
    ],
)
def test_plugin_interface_since_qemu_9(tmp_path: Path, words: tuple[str, ...], output: str) -> None:
    """A block of 5 instructions runs 10 times, 4 times in a thread, 3 times in a child, and once."""
    stand_in = tmp_path / "emulator"
    source = Path(__file__).parents[1] / "native" / "emulator_9.c"
    subprocess.run(
        ["gcc", "-rdynamic", f"-I{emulator.SOURCE.parent}", "-o", stand_in, source], check=True
    )
    argv = [str(stand_in), str(emulator.plugin()), platform.machine(), *words]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == output


def test_the_plugin_refuses_another_processor(tmp_path: Path) -> None:
    stand_in = tmp_path / "emulator"
    source = Path(__file__).parents[1] / "native" / "emulator_9.c"
    subprocess.run(
        ["gcc", "-rdynamic", f"-I{emulator.SOURCE.parent}", "-o", stand_in, source], check=True
    )
    done = subprocess.run(
        [str(stand_in), str(emulator.plugin()), "sparc"], capture_output=True, text=True
    )
    assert done.stderr == "venus-counter: it emulates another processor\n"
    assert done.returncode == 3


@needs_emulator
@pytest.mark.docker
def test_counts_in_a_container() -> None:
    from venus_toolkit.execution.sandbox.docker.docker_sandbox import DockerSandbox
    from venus_toolkit.execution.sandbox.docker.language_images import missing_images

    if failure := daemon.problem():
        pytest.skip(f"no Docker daemon: {failure[0]}")
    if missing_images([LANGUAGES["cpp"]]):
        pytest.skip("no image of cpp; type: venus images build --from-debian")
    with DockerSandbox([LANGUAGES["cpp"]]) as opened:
        small, same, large = counted(opened, "children 4 10", "children 4 10", "children 4 500010")
        assert small.instructions == same.instructions
        assert large.instructions - small.instructions > 4 * 1_000_000
        (refused,) = counted(opened, "another 0 0")
        assert "execve" in (refused.uncounted or "")


def test_fitted_weights_of_misses_are_not_negative() -> None:
    """Simulated times depend on instructions and misses of the last cache alone."""
    draw = np.random.default_rng(1)
    figures = draw.integers(10**6, 10**8, size=(60, len(FIGURES))).astype(float)
    figures[:, 0] *= 100
    truth = np.zeros(len(FIGURES))
    truth[[0, FIGURES.index("l3")]] = 0.2e-9, 80e-9
    costs = [Cost(float(row @ truth), row) for row in figures]
    assert weights([costs[:30], costs[30:]]) == pytest.approx(truth, abs=1e-12)
    assert all(same_order(costs, truth))
    less = [Cost(row.cpu_s - 1e-9 * float(row.figures[1]), row.figures) for row in costs]
    assert weights([less]).min() == 0


WALKS = r"""
#include <stdlib.h>
int main(int count, char **words)
{
    volatile char *all = malloc(64 << 20);
    long size = count > 1 ? 64 << 20 : 4096;
    (void)words;
    for (long i = 0, at = 0; i < 1 << 20; i++, at = (at * 5 + 12345 * 64) % size)
        all[at] = 1;
}
"""


@needs_emulator
def test_misses_are_simulated(tmp_path: Path) -> None:
    qemu = emulator.find_emulator()
    if int(qemu.version.split(".")[0]) >= 9:
        pytest.skip("the plugin is for QEMU before 9.0")
    plugin, program = tmp_path / "misses.so", tmp_path / "program"
    (tmp_path / "program.c").write_text(WALKS)
    subprocess.run(["gcc", "-O1", "-o", program, tmp_path / "program.c"], check=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, MISSES], check=True)
    results = []
    for words in ([], ["far"]):
        out = tmp_path / "out.json"
        command = [qemu.program, *emulator.OPTIONS, "-plugin", f"{plugin},out={out}", program]
        subprocess.run([*command, *words], check=True)
        results.append(json.loads(out.read_text()))
    near, far = results
    assert near["insn"] == pytest.approx(far["insn"], rel=1e-3)
    assert near["l3"] < 10_000 < 100_000 < far["l3"] < 1.1 * (1 << 20)
