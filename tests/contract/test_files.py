"""Files of a program: it can read them at compile time and run time, and cannot change them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.sandbox import File, Program, Sandbox
from venus_toolkit.execution.sandbox.folders import require_beside, write_source

CHANGES = """
import os
for change in (lambda: open("x", "a"), lambda: os.remove("x"), lambda: os.chmod("x", 0o777)):
    try:
        change()
        print("changed")
    except OSError:
        print("no")
"""
FAR = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)


def output(sandbox: Sandbox, language: str, source: str, *files: File) -> bytes:
    compiled = sandbox.compile(Program(load_languages()[language], source, files))
    assert compiled.ok, compiled.log
    with sandbox.session(compiled, FAR) as session:
        (run,) = session.run([b""])
    return run.stdout


def test_a_program_reads_its_files(sandbox: Sandbox) -> None:
    source = "import sys\nsys.stdout.buffer.write(open('a/b/c.bin', 'rb').read())"
    assert output(sandbox, "python", source, File("a/b/c.bin", bytes(range(256)))) == bytes(
        range(256)
    )


def test_a_compiler_reads_them(sandbox: Sandbox) -> None:
    source = '#include "inc/n.h"\n#include <cstdio>\nint main() { std::printf("%d", N); }'
    assert output(sandbox, "cpp", source, File("inc/n.h", b"#define N 42\n")) == b"42"


def test_other_files_make_another_program(sandbox: Sandbox) -> None:
    source = "print(open('x').read())"
    assert output(sandbox, "python", source, File("x", b"\xc3\xa4")) == "ä\n".encode()
    assert output(sandbox, "python", source, File("x", b"2")) == b"2\n"
    assert output(sandbox, "python", "import os; print(os.path.exists('x'))") == b"False\n"


@pytest.mark.isolation
def test_a_program_cannot_change_them(sandbox: Sandbox) -> None:
    assert output(sandbox, "python", CHANGES, File("x", b"1")) == b"no\nno\nno\n"


# ------------------------------------------------------------------ valid paths


@pytest.mark.parametrize(
    "paths",
    [
        ("/etc/passwd",),
        ("../x",),
        ("a/../../x",),
        ("",),
        (".",),
        ("main.py",),
        ("main.py/x",),
        ("a", "a"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("a/b", "a/./b"),
        ("x\0y",),
        ("a" * 256,),
        ("a/" * 40 + "b",),
    ],
)
def test_files_outside_the_folder_are_refused(paths: tuple[str, ...], tmp_path: Path) -> None:
    program = Program(load_languages()["python"], "", tuple(File(path, b"") for path in paths))
    with pytest.raises(UsageError, match="a program cannot have a file at"):
        require_beside(program)
    with pytest.raises(UsageError):
        write_source(tmp_path, program)
    assert list(tmp_path.iterdir()) == []


def test_files_are_readable_under_any_umask(tmp_path: Path, umask: Callable[[int], None]) -> None:
    umask(0o077)
    write_source(tmp_path, Program(load_languages()["python"], "", (File("a/b/c", b"x"),)))
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"main.py": 0o644, "a": 0o755, "b": 0o755, "c": 0o644}


@pytest.fixture
def umask() -> Iterator[Callable[[int], None]]:
    with contextlib.ExitStack() as stack:

        def change(mask: int) -> None:
            stack.callback(os.umask, os.umask(mask))

        yield change
