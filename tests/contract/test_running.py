"""Compiling and running in every sandbox, with or without isolation."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.contract.conftest import Backend
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

Make = Callable[[str, str], Program]
Compile = Callable[[str, str], Compiled]
Runs = Callable[..., list[Run]]

ECHO = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())"
TINY = {"python": "print('ok')", "cpp": "int main() { return 0; }"}
FAR = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)
HANGING = Limits(wall_ns=15 * NS_PER_S)


# ------------------------------------------------------------------ compiling


@pytest.mark.parametrize("language", TINY)
def test_compile(sandbox: Sandbox, program: Make, language: str) -> None:
    compiled = sandbox.compile(program(language, TINY[language]))
    assert (compiled.ok, compiled.log) == (True, "")
    assert compiled.run.clean
    assert compiled.run.cpu_ns > 0


@pytest.mark.parametrize(
    ("language", "source", "says"),
    [
        ("cpp", "int main() { return missing; }", "error: 'missing' was not declared"),
        ("cpp", "", "undefined reference to `main'"),
        ("python", "print(", "SyntaxError"),
        ("python", "if True:\npass", "IndentationError"),
    ],
)
def test_compile_error(
    sandbox: Sandbox, program: Make, language: str, source: str, says: str
) -> None:
    compiled = sandbox.compile(program(language, source))
    assert not compiled.ok
    assert says in compiled.log.translate({0x2018: "'", 0x2019: "'"})
    assert str(compiled.folder) not in compiled.log


@pytest.mark.here
@pytest.mark.isolation
def test_compiler_uses_the_precompiled_file(backend: Backend, own_cache: None) -> None:
    cpp = load_languages()["cpp"]
    assert cpp.prepared
    # With -H the compiler lists included files; an exclamation mark stands for a precompiled
    # header.
    argv = tuple(word.replace("g++ -O2", "g++ -H -O2") for word in cpp.compile_argv)
    saying = dataclasses.replace(
        cpp, compile_argv=argv, prepared=cpp.prepared._replace(of=argv, without=0)
    )
    with backend.open() as sandbox:
        compiled = sandbox.compile(
            Program(saying, f"#include <bits/stdc++.h>\nint main() {{}} // {time.time_ns()}")
        )
    assert compiled.ok
    assert re.search(r"^! \S+/bits/stdc\+\+\.h\.gch$", compiled.log, re.MULTILINE)


def test_warnings_are_not_errors(sandbox: Sandbox, program: Make) -> None:
    compiled = sandbox.compile(program("cpp", "#warning mind the gap\nint main() {}"))
    assert compiled.ok
    assert "mind the gap" in compiled.log


def test_the_same_program_is_compiled_once(sandbox: Sandbox, program: Make) -> None:
    first = sandbox.compile(program("cpp", "int main() { return 17; }"))
    assert sandbox.compile(program("cpp", "int main() { return 17; }")) == first, (
        "figures of the compiler included"
    )
    assert sandbox.compile(program("cpp", "int main() { return 18; }")).folder != first.folder


def test_compile_error_is_compiled_once(sandbox: Sandbox, program: Make) -> None:
    first = sandbox.compile(program("python", "print((("))
    assert sandbox.compile(program("python", "print(((")) == first


def test_the_same_program_from_many_threads(sandbox: Sandbox, program: Make) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(
            pool.map(
                lambda _: sandbox.compile(program("cpp", "int main() { return 19; }")), range(4)
            )
        )
    assert all(compiled == results[0] for compiled in results)


def test_stored_compilation_is_found(sandbox: Sandbox, program: Make) -> None:
    source = program("python", "print('known')")
    assert sandbox.compiled(source) is None
    compiled = sandbox.compile(source)
    assert sandbox.compiled(source) == compiled


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        (("python3", "-c", "import time; time.sleep(60)"), "wall"),
        (("python3", "-c", "while True: pass"), "cpu"),
        (("python3", "-c", "x = []\nwhile True: x.append(bytes(1 << 20))"), "memory"),
    ],
)
def test_the_compiler_is_held_to_limits(
    sandbox: Sandbox, program: Make, words: tuple[str, ...], limit: str
) -> None:
    limits = Limits(
        wall_ns=NS_PER_S if limit == "wall" else FAR.wall_ns,
        cpu_ns=NS_PER_S // 2,
        memory_bytes=128 * MIB,
    )
    language = dataclasses.replace(
        program("python", "").language, compile_argv=words, compile_limits=limits
    )
    compiled = sandbox.compile(Program(language, "pass"))
    assert not compiled.ok
    assert compiled.run.limit == limit
    amount = {"wall": "1 s\n", "cpu": "0.5 s of CPU time", "memory": "128 MiB of memory"}[limit]
    assert compiled.log.startswith(f"error: the compiler exceeded its limit of {amount}")


def test_invalid_utf8_source_does_not_crash(sandbox: Sandbox, program: Make) -> None:
    compiled = sandbox.compile(program("python", "print('\ud800')"))
    assert not compiled.ok


# ------------------------------------------------------------------ running


@pytest.mark.parametrize("count", [0, 1, 20])
def test_runs_come_in_order(compiled: Compile, run: Runs, count: int) -> None:
    stdins = [b"input %d" % number for number in range(count)]
    assert [done.stdout for done in run(compiled("python", ECHO), *stdins)] == stdins


def test_inputs_and_outputs_are_bytes(compiled: Compile, run: Runs) -> None:
    stdins = [b"", b"\0", bytes(range(256)) * 800, b"x" * 5_000_000, b"no newline"]
    for stdin, done in zip(stdins, run(compiled("python", ECHO), *stdins), strict=True):
        assert done.clean
        assert done.stdout == stdin


def test_standard_error_is_separate(python: Runs) -> None:
    (done,) = python("import sys\nprint('out')\nprint('err' * 70000, file=sys.stderr)")
    assert (done.stdout, done.stderr) == (b"out\n", b"err" * 70000 + b"\n")


def test_standard_output_may_be_reopened(python: Runs) -> None:
    source = """
print("one", flush=True)
with open("/dev/stdout", "a") as again:
    print("two", file=again)
print("three", open("/dev/stdin").read())
"""
    assert python(source, b"four")[0].stdout == b"one\ntwo\nthree four\n"


def test_a_session_is_used_again(sandbox: Sandbox, compiled: Compile) -> None:
    with sandbox.session(compiled("python", ECHO), FAR) as session:
        for word in (b"one", b"two", b"three"):
            (done,) = session.run([word])
            assert done.stdout == word


def test_inputs_may_be_an_iterator(sandbox: Sandbox, compiled: Compile) -> None:
    def inputs() -> Iterator[bytes]:
        yield from (b"a", b"b")

    with sandbox.session(compiled("python", ECHO), FAR) as session:
        assert [done.stdout for done in session.run(inputs())] == [b"a", b"b"]


def test_a_session_without_a_run(sandbox: Sandbox, compiled: Compile) -> None:
    with sandbox.session(compiled("python", ECHO), FAR) as session:
        assert list(session.run([])) == []


@pytest.mark.parametrize(
    ("source", "code"), [("raise SystemExit(3)", 3), ("import missing", 1), ("pass", 0)]
)
def test_exit_code(python: Runs, source: str, code: int) -> None:
    (done,) = python(source)
    assert (done.exit_code, done.signal, done.limit) == (code, None, None)


def test_signal(python: Runs) -> None:
    (done,) = python("import os, signal\nos.kill(os.getpid(), signal.SIGABRT)")
    assert (done.exit_code, done.signal, done.limit) == (None, signal.SIGABRT, None)


def test_sessions_side_by_side(sandbox: Sandbox, compiled: Compile) -> None:
    echo = compiled("python", ECHO)

    def work(name: int) -> list[bytes]:
        with sandbox.session(echo, FAR) as session:
            return [
                done.stdout
                for done in session.run([b"%d %d" % (name, number) for number in range(5)])
            ]

    with ThreadPoolExecutor(4) as pool:
        for name, outputs in enumerate(pool.map(work, range(4))):
            assert outputs == [b"%d %d" % (name, number) for number in range(5)]


def test_limits_apply_per_session(sandbox: Sandbox, hostile: Compiled) -> None:
    """Two programs have 40 threads each, both within a limit of 64."""

    def work(_: int) -> Run:
        with sandbox.session(hostile, FAR.changed(processes=64)) as session:
            (done,) = session.run([b"forty-threads"])
            return done

    with ThreadPoolExecutor(2) as pool:
        assert [done.exit_code for done in pool.map(work, range(2))] == [0, 0]


def test_a_session_outlives_the_thread_that_began_it(sandbox: Sandbox, compiled: Compile) -> None:
    with sandbox.session(compiled("python", ECHO), FAR) as session:
        for word in (b"first", b"second"):
            with ThreadPoolExecutor(1) as pool:  # the thread ends with the block
                (done,) = pool.submit(lambda word=word: list(session.run([word]))).result()
            assert done.stdout == word


def test_cores(python: Runs, backend: object, sandbox: Sandbox, compiled: Compile) -> None:
    if backend.elsewhere:
        pytest.skip("the server chooses the core")
    core = max(os.sched_getaffinity(0))
    source = compiled("python", "import os\nprint(os.sched_getaffinity(0))")
    with sandbox.session(source, FAR, Cores(program=core)) as session:
        (done,) = session.run([b""])
    assert done.stdout.decode().strip() == f"{{{core}}}"


def test_samples_are_reported_when_asked_for(sandbox: Sandbox, compiled: Compile) -> None:
    source = compiled("python", "block = b'x' * (32 << 20)\nprint(len(block))")
    with sandbox.session(source, FAR, sampling=Sampling(trace=True)) as session:
        (done,) = session.run([b""])
    assert max(size for _, size in done.trace) >= 32 * MIB


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    ("source", "limit"),
    [
        pytest.param("import time\nprint('began', flush=True)\ntime.sleep(60)", "wall", id="wall"),
        pytest.param("while True: pass", "cpu", id="cpu"),
        pytest.param(
            "import os\nif os.fork(): os.wait()\nwhile True: pass", "cpu", id="cpu of a child"
        ),
        pytest.param("x = []\nwhile True: x.append(b'x' * (1 << 20))", "memory", id="memory"),
        pytest.param("while True: print('x' * 1000)", "output", id="output"),
        pytest.param(
            "import sys\nwhile True: print('x' * 1000, file=sys.stderr)", "output", id="errors"
        ),
    ],
)
def test_limits(python: Runs, source: str, limit: str) -> None:
    wall_ns = 1500 * NS_PER_MS if limit == "wall" else FAR.wall_ns
    limits = Limits(wall_ns=wall_ns, cpu_ns=NS_PER_S // 2, memory_bytes=64 * MIB, output_bytes=MIB)
    (done,) = python(source, limits=limits)
    assert done.limit == limit
    assert not done.clean
    assert done.wall_ns < 15 * NS_PER_S
    if limit == "wall":
        assert done.stdout == b"began\n"
    if limit == "output":
        assert (len(done.stdout) == MIB, len(done.stderr) == MIB) == (
            done.stdout_cut,
            done.stderr_cut,
        )
    if limit == "memory":
        assert done.peak_bytes >= 60 * MIB


def test_files_are_limited(python: Runs) -> None:
    source = """
import signal, tempfile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with tempfile.TemporaryFile() as file:
    file.write(b"x" * (3 << 20))
"""
    (done,) = python(source, limits=FAR.changed(file_bytes=MIB, output_bytes=MIB))
    assert done.exit_code == 1
    assert b"File too large" in done.stderr


def test_open_files_are_limited(python: Runs) -> None:
    source = (
        "files = []\ntry:\n  while True: files.append(open('/dev/null'))\nexcept OSError: "
        "print(len(files))"
    )
    (done,) = python(source, limits=FAR.changed(open_files=32))
    assert int(done.stdout) <= 32


# ------------------------------------------------------------------ figures


@pytest.mark.parametrize("language", TINY)
@pytest.mark.serial
def test_figures_are_never_zero(compiled: Compile, run: Runs, language: str) -> None:
    for done in run(compiled(language, TINY[language]), *[b""] * 10):
        assert done.clean
        assert 0 < done.wall_ns < 5 * NS_PER_S
        assert done.cpu_ns > 0
        assert done.peak_bytes >= 256 * 1024
        assert 0 < done.integral_byte_ns <= done.peak_bytes * done.wall_ns


@pytest.mark.serial
def test_figures_exclude_the_sandbox(python: Runs) -> None:
    """The memory of the sandbox, or of an input, is not part of a program's figures."""
    ours = bytearray(200 * MIB)
    small, large = python("pass", b"", b"x" * (32 * MIB))
    assert len(ours) == 200 * MIB
    assert small.peak_bytes < 40 * MIB
    assert abs(large.peak_bytes - small.peak_bytes) < 4 * MIB


@pytest.mark.serial
def test_figures_of_a_known_program(python: Runs) -> None:
    (done,) = python("import time\nblock = b'x' * (64 << 20)\ntime.sleep(0.2)")
    assert 64 * MIB <= done.peak_bytes <= 100 * MIB
    assert done.integral_byte_ns >= 0.9 * 64 * MIB * 200 * NS_PER_MS
    assert done.wall_ns >= 200 * NS_PER_MS


# ------------------------------------------------------------------ failures and early ends


@pytest.mark.serial
def test_run_is_reported_before_the_next_one_ends(sandbox: Sandbox, hostile: Compiled) -> None:
    """A caller that stops at the first failure must not wait for later runs."""
    with sandbox.session(hostile, HANGING) as session:
        began = time.monotonic()
        for done in session.run([b"quick", b"hang"]):
            assert done.stdout == b"ok\n"
            assert time.monotonic() - began < 10
            break


def test_a_session_left_early_leaves_no_process(
    sandbox: Sandbox,
    hostile: Compiled,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    with sandbox.session(hostile, HANGING) as session:
        for done in session.run([b"quick", b"hang-with-child " + mark.encode()]):
            assert done.stdout == b"ok\n"
            assert eventually(lambda: len(called(mark)) == 2, 5)
            break
        assert eventually(lambda: not called(mark), 5)
        (again,) = session.run([b"quick"])
        assert again.stdout == b"ok\n"


@pytest.mark.serial
def test_session_closed_during_a_run_leaves_no_process(
    sandbox: Sandbox,
    hostile: Compiled,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    """The iterator is still in use, and more input is waiting than fits into a pipe."""
    session = sandbox.session(hostile, HANGING)
    runs = session.run([b"quick", b"hang-with-child " + mark.encode(), b"x" * 5_000_000])
    assert next(runs).stdout == b"ok\n"
    assert eventually(lambda: len(called(mark)) == 2, 5)
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < 8
    assert eventually(lambda: not called(mark), 5)
    runs.close()


def test_a_session_left_by_an_exception_leaves_no_process(
    sandbox: Sandbox,
    hostile: Compiled,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    def interrupted() -> None:
        with sandbox.session(hostile, HANGING) as session:
            for _ in session.run([b"quick", b"hang-with-child " + mark.encode()]):
                assert eventually(lambda: len(called(mark)) == 2, 5)
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert eventually(lambda: not called(mark), 5)


def test_killed_sandbox_is_an_error_not_a_verdict(
    sandbox: Sandbox,
    hostile: Compiled,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    def kill_the_parent() -> None:
        assert eventually(lambda: called(mark))
        status = Path(f"/proc/{called(mark)[0]}/status").read_text()
        os.kill(int(status.split("PPid:")[1].split()[0]), signal.SIGKILL)

    with sandbox.session(hostile, HANGING) as session:
        killer = threading.Thread(target=kill_the_parent)
        killer.start()
        with pytest.raises(SandboxError, match="the sandbox stopped"):
            list(session.run([b"hang " + mark.encode()]))
        killer.join()
    assert eventually(lambda: not called(mark))


def test_facts(sandbox: Sandbox, backend: object) -> None:
    facts = sandbox.facts()
    assert facts["sandbox"] == sandbox.name
    assert all(value is None or isinstance(value, str | bool | int) for value in facts.values())
