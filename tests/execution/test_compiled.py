"""The store of compiled programs: shared, bounded, and safe against crashes and evictions."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import SandboxError, StoreError
from venus_toolkit.core.interruption import CancelScope
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Compiled, File, Program
from venus_toolkit.execution.sandbox.compiled import CompiledStore, Preparations, program_key
from venus_toolkit.execution.sandbox.local import LocalSandbox

ROOT = Path(__file__).resolve().parents[2]
PYTHON, CPP = (load_languages()[name] for name in ("python", "cpp"))
PROGRAM = Program(PYTHON, "print(1)")
LIMITS = Limits(wall_ns=20 * NS_PER_S)
FIGURES: dict[str, Any] = {field.name: 0 for field in dataclasses.fields(Run)}
CLEAN = Run(**FIGURES | {"signal": None, "limit": None, "stdout": b"", "stderr": b"", "trace": ()})
isolated = pytest.mark.skipif(bool(why_not_isolated()), reason="programs cannot be isolated here")


@pytest.fixture
def store(tmp_path: Path) -> CompiledStore:
    """An empty store."""
    return CompiledStore(tmp_path / "store")


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Callable[[], Compiled]]:
    """Returns a function that makes compilers, which write a file of a given size, or fail."""

    def of(
        program: Program = PROGRAM, size: int = 10, ok: bool = True, log: str = "", **run: Any
    ) -> Any:
        def build() -> Compiled:
            folder = tmp_path / f"made-{time.monotonic_ns()}"
            folder.mkdir()
            (folder / "main").write_bytes(b"x" * size)
            (folder / "main").chmod(0o777)
            figures = run if ok else {"exit_code": 1, **run}
            return Compiled(program, folder, ok, log, dataclasses.replace(CLEAN, **figures))

        return build

    return of


def never() -> Compiled:
    raise AssertionError("compiled again")


def numbered(number: int) -> tuple[str, Program]:
    program = PROGRAM._replace(source=f"print({number})")
    return program_key(program), program


def fill(store: CompiledStore, make: Callable[..., Any], count: int, size: int = 4096) -> list[str]:
    """Store `count` programs of `size` bytes each; returns their keys, oldest first."""
    keys = []
    for number in range(count):
        key, program = numbered(number)
        store.compile(key, program, make(program, size))
        keys.append(key)
    return keys


# ------------------------------------------------------------------ keys


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM._replace(source="print(2)"),
        PROGRAM._replace(files=(File("data", b"1"),)),
        PROGRAM._replace(files=(File("data", b"2"),)),
        PROGRAM._replace(files=(File("other", b"1"),)),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, id="other")),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, compile_argv=("true",))),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, run_argv=("true",))),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, environment={"FLAGS": "-O3"})),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, compile_limits=Limits())),
    ],
)
def test_other_programs_have_other_keys(other: Program) -> None:
    with_one_file = PROGRAM._replace(files=(File("data", b"1"),))
    assert program_key(other) != program_key(PROGRAM)
    assert (program_key(other) == program_key(with_one_file)) == (other == with_one_file)


def test_other_tools_make_other_keys() -> None:
    keys = {
        program_key(PROGRAM, tools)
        for tools in ("local Python 3.11", "local Python 3.12", "docker sha256:1", "")
    }
    assert len(keys) == 4


@isolated
def test_another_version_of_the_compiler_compiles_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from venus_toolkit.execution.sandbox import local

    find = local.find_toolchain
    with LocalSandbox() as sandbox:
        first = sandbox.compile(PROGRAM)
        monkeypatch.setattr(
            local, "find_toolchain", lambda language: find(language)._replace(version="Python 4")
        )
        assert sandbox.compile(PROGRAM).folder != first.folder


# ------------------------------------------------------------------ sharing


def test_a_program_is_compiled_once(store: CompiledStore, make: Callable[..., Any]) -> None:
    key, program = numbered(1)
    assert store.find(key, program) is None
    compiled = store.compile(key, program, make(program, log="a warning"))
    assert (
        store.compile(key, program, never)
        == compiled
        == CompiledStore(store.folder).find(key, program)
    )
    assert (compiled.log, compiled.run, compiled.folder) == ("a warning", CLEAN, store.place(key))
    assert (compiled.folder / "main").stat().st_mode & 0o777 == 0o555
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert store.count() == 1


def test_threads_wait_for_one_compilation(store: CompiledStore, make: Callable[..., Any]) -> None:
    calls: list[int] = []

    def slowly() -> Compiled:
        calls.append(1)
        time.sleep(0.2)
        compiled: Compiled = make()()
        return compiled

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: store.compile("ab" * 32, PROGRAM, slowly), range(8)))
    assert len(calls) == 1
    assert all(result == results[0] for result in results)


def test_waiting_threads_share_a_failure(store: CompiledStore, make: Callable[..., Any]) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def fail() -> Compiled:
        begun.set()
        assert may_end.wait(20)
        raise SandboxError("the sandbox stopped")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store.compile, "ab" * 32, PROGRAM, fail)
        assert begun.wait(20)
        second = threads.submit(store.compile, "ab" * 32, PROGRAM, never)
        time.sleep(0.1)
        may_end.set()
        for future in (first, second):
            with pytest.raises(SandboxError, match="stopped"):
                future.result()
    assert store.compile("ab" * 32, PROGRAM, make()).ok


COMPILE = """
import json, sys
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

compiled = []
class Recorded(LocalSandbox):
    def _compile(self, program, cores):
        compiled.append(program.source)
        return super()._compile(program, cores)

with Recorded() as sandbox:
    made = sandbox.compile(Program(load_languages()["cpp"], sys.argv[1]))
print(json.dumps([made.ok, str(made.folder), len(compiled)]))
"""


def start(source: str, script: str, cache: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a process with its own cache folder."""
    own = {**os.environ, "PYTHONPATH": str(ROOT), "VENUS_CACHE": str(cache), **environment}
    return subprocess.Popen(
        [sys.executable, "-c", script, source], env=own, stdout=subprocess.PIPE, text=True
    )


def result_of(process: subprocess.Popen[str]) -> tuple[bool, str, int]:
    out, _ = process.communicate(timeout=120)
    ok, folder, compiled = json.loads(out)
    return ok, folder, compiled


@isolated
def test_other_processes_use_the_store(tmp_path: Path) -> None:
    source = "int main() { return 3; }"
    assert result_of(start(source, COMPILE, tmp_path))[::2] == (True, 1)
    assert result_of(start(source, COMPILE, tmp_path))[::2] == (True, 0)


@isolated
def test_racing_processes_make_one_entry(tmp_path: Path) -> None:
    racing = [start("int main() { return 4; }", COMPILE, tmp_path) for _ in range(3)]
    results = [result_of(process) for process in racing]
    assert {(ok, folder) for ok, folder, _ in results} == {(True, results[0][1])}
    assert sum(compiled for _, _, compiled in results) >= 1
    store = CompiledStore(tmp_path / "compiled")
    usage = store.usage()
    assert (usage.programs, usage.languages, store.count()) == (1, {"cpp": 1}, 1)
    assert not list((store.folder / "new").iterdir())


# ------------------------------------------------------------------ killed processes


@isolated
@pytest.mark.parametrize("where", ["_compile", "_put", "move"])
def test_leftovers_of_killed_processes_are_ignored(tmp_path: Path, where: str) -> None:
    """A process is killed while it compiles, before the move, or between program and record."""
    kill = "os.kill(os.getpid(), signal.SIGKILL)"
    dying = {
        "_compile": f"LocalSandbox._session = lambda *_, **__: {kill}",
        "_put": f"CompiledStore._put = lambda *_: {kill}",
        "move": f"move = shutil.move; shutil.move = lambda *words: (move(*words), {kill})",
    }[where]
    imports = (
        "import os, shutil, signal\n"
        "from venus_toolkit.execution.sandbox.compiled import CompiledStore\n"
        "from venus_toolkit.execution.sandbox.local import LocalSandbox\n"
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    source = "int main() { return 5; }"
    process = start(source, imports + dying + COMPILE, tmp_path, TMPDIR=str(temporary))
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    store = CompiledStore(tmp_path / "compiled")
    assert store.usage().programs == 0
    assert list(temporary.glob("venus-sandbox-*"))
    assert result_of(start(source, COMPILE, tmp_path, TMPDIR=str(temporary)))[::2] == (True, 1)
    assert not list((store.folder / "new").iterdir()), "the leftovers are swept"
    assert not list(temporary.glob("venus-sandbox-*"))
    assert (store.usage().programs, store.count()) == (1, 1)


HOLD = """
import os, sys, time
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

sandbox = LocalSandbox()
session = sandbox.session(sandbox.compile(Program(load_languages()["python"], sys.argv[1])), Limits())
print("held", flush=True)
time.sleep(60)
"""


@isolated
def test_entries_of_killed_processes_can_be_evicted(tmp_path: Path) -> None:
    process = start("print(6)", HOLD, tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    store = CompiledStore(tmp_path / "compiled")
    assert store.usage().programs_in_use == 1
    assert store.clear() == (0, 0, 1)
    process.kill()
    process.communicate()
    assert store.usage().programs_in_use == 0
    assert store.clear().programs == 1


# ------------------------------------------------------------------ incomplete entries


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: (entry / "entry.json").unlink(),
        lambda entry: (entry / "entry.json").write_text(""),
        lambda entry: (entry / "entry.json").write_text('{"ok": true}'),
        lambda entry: (entry / "entry.json").write_text("[]"),
        lambda entry: (entry / "program/main").unlink(),
        lambda entry: (entry / "program/main").write_text("short"),
        lambda entry: shutil.rmtree(entry / "program"),
    ],
)
def test_incomplete_entries_are_compiled_again(
    store: CompiledStore, make: Callable[..., Any], damage: Callable[[Path], object]
) -> None:
    (key,) = fill(store, make, 1)
    (store.place(key) / "main").chmod(0o755)
    damage(store.place(key).parent)
    program = numbered(0)[1]
    assert store.find(key, program) is None
    again = store.compile(key, program, make(program, 20))
    assert again.ok
    assert store.compile(key, program, never) == again
    assert (again.folder / "main").stat().st_size == 20


def test_incomplete_entries_are_evicted(store: CompiledStore, make: Callable[..., Any]) -> None:
    for key in fill(store, make, 2)[:1]:
        (store.place(key).parent / "entry.json").unlink()
    store.set_limit(store.usage().limit_bytes)
    assert (store.usage().programs, store.count()) == (1, 1)


def test_unreadable_state_is_replaced(store: CompiledStore, make: Callable[..., Any]) -> None:
    fill(store, make, 1)
    (store.folder / "state.json").write_text("{broken")
    assert store.clear().programs == 1


# ------------------------------------------------------------------ limit


def test_oldest_unused_entries_are_evicted(store: CompiledStore, make: Callable[..., Any]) -> None:
    keys = fill(store, make, 8)
    entry_bytes = store.usage().bytes // 8
    leased = store.lease(keys[0], numbered(0)[1], never)
    assert store.find(keys[1], numbered(1)[1]), "a lookup makes it the youngest"
    store.set_limit(6 * entry_bytes)
    left = {key for number, key in enumerate(keys) if store.find(key, numbered(number)[1])}
    assert left == {keys[0], keys[1], *keys[4:]}
    assert store.clear() == (5, 5 * entry_bytes, 1)
    leased.close()
    assert store.clear() == (1, entry_bytes, 0)
    assert store.usage().bytes == 0


def test_new_program_evicts_others(store: CompiledStore, make: Callable[..., Any]) -> None:
    store.set_limit(100_000)
    keys = fill(store, make, 40)
    assert store.usage().bytes <= 100_000
    assert store.find(keys[-1], numbered(39)[1])
    assert not store.find(keys[0], numbered(0)[1])
    assert CompiledStore(store.folder).usage().limit_bytes == 100_000


def test_one_program_may_be_larger_than_the_limit(
    store: CompiledStore, make: Callable[..., Any]
) -> None:
    store.set_limit(1)
    fill(store, make, 3)
    assert store.usage().programs == 1


def test_folder_is_scanned_only_if_full(
    store: CompiledStore, make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.set_limit(1_000_000)
    scans: list[int] = []
    entries = store._entries
    monkeypatch.setattr(store, "_entries", lambda: scans.append(1) or entries())
    fill(store, make, 100)
    assert 1 <= len(scans) <= 20


@isolated
def test_session_survives_clearing_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open session keeps its program; a later one compiles it again."""
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path))
    store = CompiledStore()
    assert store.folder == tmp_path / "compiled"
    with LocalSandbox() as sandbox:
        compiled = sandbox.compile(Program(PYTHON, "print(input())"))
        with sandbox.session(compiled, LIMITS) as session:
            assert store.clear() == (0, 0, 1)
            assert [run.stdout for run in session.run([b"1", b"2"])] == [b"1\n", b"2\n"]
        assert store.clear().programs == 1
        assert not compiled.folder.exists()
        with sandbox.session(compiled, LIMITS) as session:
            assert [run.stdout for run in session.run([b"3"])] == [b"3\n"]


def test_repeated_evictions_fail_a_lease(store: CompiledStore) -> None:
    with pytest.raises(SandboxError, match="was removed from"):
        store.lease("ab" * 32, PROGRAM, lambda: None)  # type: ignore[arg-type,return-value]


# ------------------------------------------------------------------ failures


@pytest.mark.parametrize(
    ("run", "log", "stored"),
    [
        ({}, "syntax error", True),
        ({"limit": "cpu", "exit_code": None, "signal": 9}, "", True),
        ({"limit": "memory"}, "", False),
        ({"exit_code": None, "signal": 11}, "", False),
        ({"oom_kills": 1}, "", False),
        ({}, "g++: fatal error: Killed signal terminated program cc1plus", False),
        ({}, "fork: Resource temporarily unavailable", False),
    ],
)
def test_only_compiler_verdicts_are_stored(
    store: CompiledStore, make: Callable[..., Any], run: dict[str, Any], log: str, stored: bool
) -> None:
    key, program = numbered(1)
    compiled = store.compile(key, program, make(program, ok=False, log=log, **run))
    assert not compiled.ok
    assert (store.find(key, program) == compiled) == stored
    assert not stored or list(compiled.folder.iterdir()) == [], "only the log is stored"


@isolated
def test_compiler_out_of_cpu_time_runs_once() -> None:
    """CPU time does not depend on the load, so exceeding its limit is a verdict."""
    limits = Limits(wall_ns=10 * NS_PER_S, cpu_ns=200 * NS_PER_MS, memory_bytes=128 * MIB)
    endless = dataclasses.replace(
        PYTHON, compile_argv=("python3", "-c", "while True: pass"), compile_limits=limits
    )
    with LocalSandbox() as sandbox:
        assert sandbox.compile(Program(endless, "")).run.limit == "cpu"
        assert sandbox.compiled(Program(endless, ""))


def test_unusable_folder_has_a_fix(tmp_path: Path, make: Callable[..., Any]) -> None:
    (tmp_path / "file").write_text("")
    store = CompiledStore(tmp_path / "file" / "compiled")
    with pytest.raises(StoreError) as caught:
        store.compile("ab" * 32, PROGRAM, make())
    assert caught.value.what == "cannot keep a compiled program"
    assert "Not a directory" in caught.value.why
    assert "venus cache clear" in caught.value.fix
    assert "VENUS_CACHE" in caught.value.fix
    assert not list(tmp_path.glob("made-*")), "the compiled files are removed"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_full_disk_is_not_a_verdict(tmp_path: Path, make: Callable[..., Any]) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this user cannot mount file systems")
    try:
        store = CompiledStore(small / "compiled")
        fill(store, make, 1)
        key, program = numbered(1)
        with pytest.raises(StoreError, match="No space left") as caught:
            store.compile(key, program, make(program, 10 * MIB))
        assert caught.value.why.startswith("[Errno 28] No space left"), (
            "one sentence, not a list of all files"
        )
        assert store.find(key, program) is None
        assert store.usage().programs == 1
        assert not list((store.folder / "new").iterdir()), "leftovers would keep the disk full"
        assert store.compile(key, program, make(program)).ok
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(store: CompiledStore, make: Callable[..., Any]) -> None:
    store.folder.mkdir()
    os.chown(store.folder, 12345, 12345)
    with pytest.raises(StoreError, match="belongs to another user"):
        fill(store, make, 1)


# ------------------------------------------------------------------ hostile programs

WRITING = """
import os
for path, folders, files in os.walk("/work"):
    for name in [".", *folders, *files]:
        place = os.path.join(path, name)
        for attempt in (
            lambda: os.chmod(place, 0o777),
            lambda: open(place, "a").write("x"),
            lambda: os.unlink(place),
            lambda: open(os.path.join(path, "planted"), "w").write("x"),
        ):
            try:
                attempt()
                print("wrote", place)
            except OSError:
                pass
"""


@isolated
def test_programs_cannot_write_to_the_store() -> None:
    with LocalSandbox() as sandbox:
        compiled = sandbox.compile(Program(PYTHON, WRITING, (File("data/more", b"x"),)))
        with sandbox.session(compiled, LIMITS) as session:
            (run,) = session.run([b""])
        assert (run.clean, run.stdout) == (True, b"")
        assert sandbox.compile(compiled.program) == compiled


def test_without_isolation_nothing_is_shared() -> None:
    with LocalSandbox(isolate=False) as sandbox:
        compiled = sandbox.compile(PROGRAM)
        assert not compiled.folder.is_relative_to(CompiledStore().folder)
    assert not compiled.folder.exists()


# ------------------------------------------------------------------ the command


@pytest.fixture
def cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Any]
) -> Iterator[CompiledStore]:
    """The user's store: three programs, one of them in use."""
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path / "cache"))
    store = CompiledStore()
    keys = fill(store, make, 3)
    with store.lease(keys[1], numbered(1)[1], never):
        yield store


def test_cache_info_command(cli: Callable[..., Any], cleared: CompiledStore) -> None:
    info = json.loads(cli("cache", "info", "--json").stdout)
    assert info.pop("models") == {}
    entry_bytes = cleared.usage().bytes // 3
    assert info == {
        "folder": str(cleared.folder),
        "programs": 3,
        "bytes": 3 * entry_bytes,
        "programs_in_use": 1,
        "bytes_in_use": entry_bytes,
        "limit_bytes": 4 << 30,
        "languages": {"python": 3},
    }
    shown = cli("cache", "info").stdout
    assert str(cleared.folder) in shown
    assert "4096 MiB" in shown


def test_cache_clear_command(cli: Callable[..., Any], cleared: CompiledStore) -> None:
    entry_bytes = cleared.usage().bytes // 3
    assert json.loads(cli("cache", "clear", "--json").stdout) == {
        "programs": 2,
        "bytes": 2 * entry_bytes,
        "in_use": 1,
    }
    assert "kept 1 in use" in cli("cache", "clear").stdout


def test_cache_limit_command(cli: Callable[..., Any], cleared: CompiledStore) -> None:
    assert cli("cache", "limit", "100").exit_code == 0
    assert cleared.usage().limit_bytes == 100 * MIB
    assert cli("cache", "limit", "-1").exit_code == 2


INCLUDES = (
    "#include <bits/stdc++.h>\nint main() { std::map<int, int> m; m[1] = 2; std::cout << m[1] << "
    "std::endl; }"
)
JAVA = """import java.util.*;
public class Main {
    public static void main(String[] args) { System.out.println(new TreeMap<>(Map.of(1, 2))); }
}
"""

GO = """\
package main

import "fmt"

func main() {
	fmt.Println(42)
}
"""


def compile_with(
    unprepared: int, programs: Sequence[Program], monkeypatch: pytest.MonkeyPatch, cache: Path
) -> list[tuple[Compiled, dict[str, bytes]]]:
    """Compile programs in a new store, the first `unprepared` of them without prepared files."""
    monkeypatch.setenv("VENUS_CACHE", str(cache))
    language = programs[0].language
    assert language.prepared
    waiting = dataclasses.replace(language, prepared=language.prepared._replace(without=unprepared))
    with LocalSandbox() as sandbox:
        results = [sandbox.compile(program._replace(language=waiting)) for program in programs]
        return [
            (result, {file.name: file.read_bytes() for file in result.folder.iterdir()})
            for result in results
        ]


@isolated
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("cpp", INCLUDES),
        pytest.param(
            "cpp",
            INCLUDES.replace("int main", "#include <bits/stdc++.h>\nint main"),
            marks=pytest.mark.only_thorough,
        ),
        ("java", JAVA),
        pytest.param("go", GO, marks=pytest.mark.thorough),
    ],
)
def test_prepared_files_only_save_time(
    name: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    if name == "go" and not thorough:
        pytest.skip("the standard library of Go is compiled twice: nox -s thorough-test")
    program = Program(load_languages()[name], source)
    without, with_it = [], []
    # Background load may slow only one of the two, so try up to three times.
    while not with_it or (min(with_it) >= 0.9 * min(without) and len(with_it) < 3):
        here = tmp_path / str(len(with_it))
        ((plain, before),) = compile_with(1, [program], monkeypatch, here / "plain")
        ((quick, after),) = compile_with(0, [program], monkeypatch, here / "quick")
        assert (plain.ok, quick.ok) == (True, True)
        assert after == before
        without.append(plain.run.cpu_ns)
        with_it.append(quick.run.cpu_ns)
        # the program and its prepared files
        assert CompiledStore(here / "quick" / "compiled").count() == 2
    assert min(with_it) < 0.9 * min(without)


@isolated
def test_first_programs_compile_without_prepared_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [Program(CPP, f"{INCLUDES} // {number}") for number in range(2)]
    compile_with(2, programs, monkeypatch, tmp_path)
    assert CompiledStore(tmp_path / "compiled").count() == 2


@isolated
def test_prepared_files_that_fail_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CPP.prepared
    broken = dataclasses.replace(CPP, prepared=CPP.prepared._replace(argv=("false",)))
    ((compiled, _),) = compile_with(0, [Program(broken, INCLUDES)], monkeypatch, tmp_path)
    assert (compiled.ok, compiled.log) == (True, "")


def test_one_process_compiles_prepared_files(tmp_path: Path, make: Callable[..., Any]) -> None:
    """Otherwise each worker that starts with a program in Go would compile the standard library."""
    assert CPP.prepared
    program = Program(dataclasses.replace(CPP, prepared=CPP.prepared._replace(without=0)), INCLUDES)
    begun, compiled = threading.Barrier(2), []

    def prepare(_number: int) -> Path | None:
        own = CompiledStore(tmp_path / "compiled")  # a separate object, as in another process

        def compile_slowly(preparation: Program) -> Compiled:
            def build() -> Compiled:
                compiled.append(preparation)
                time.sleep(0.3)
                return make(preparation)()

            return own.compile(program_key(preparation), preparation, build)

        begun.wait()
        with Preparations(own, program_key, compile_slowly).ready(program) as folder:
            return folder

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(prepare, range(2))
    assert first == second
    assert first is not None
    assert len(compiled) == 1


def test_compiling_does_not_wait_for_prepared_files(
    tmp_path: Path, make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling without them costs less than an idle worker, and gives the same program."""
    assert CPP.prepared

    def wait(*_: object) -> None:
        pytest.fail("it waits")

    monkeypatch.setattr(CancelScope, "sleep", wait)
    program = Program(dataclasses.replace(CPP, prepared=CPP.prepared._replace(without=1)), INCLUDES)
    store = CompiledStore(tmp_path / "compiled")

    def compile_next_to_another(preparation: Program) -> Compiled:
        with preparations.ready(program) as meanwhile:
            assert meanwhile is None
        return store.compile(program_key(preparation), preparation, make(preparation))

    preparations = Preparations(store, program_key, compile_next_to_another)
    with preparations.ready(program) as first, preparations.ready(program) as second:
        assert first is None
        assert second is not None
