"""Libraries of online judges, a current Go, and toolchains whose path a mount hides."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.core.toolchain import find_toolchain
from venus_toolkit.execution.judging.libraries import install, installed, program_of
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

LANGUAGES = load_languages()
REASON = why_not_isolated()
PAIR = """\
import javafx.util.Pair;

public class Solver {
    public static void main(String[] words) {
        Pair<Integer, String> pair = new Pair<>(7, "x");
        System.out.println(pair.getKey() + pair.getValue() + pair.equals(new Pair<>(7, "x")) + pair);
    }
}
"""
QUEUES = """\
const heap = new MinPriorityQueue();
for (const value of [5, 3, 4]) heap.enqueue(value);
const { Queue: Line } = require('@datastructures-js/queue');
console.log(heap.dequeue(), new Line([1, 2]).front(), new Deque([6, 7]).popBack());
"""
LODASH = (
    "const rows = Array.from({ length: 3 }, (_, i) => i);\nconsole.log(_.sum(rows), "
    "_.chunk(rows, 2).length);\n"
)
SORTED = (
    "from sortedcontainers import SortedList\nvalues = SortedList([3, 1, 2])\nprint(values[0], "
    "values.bisect(2))\n"
)
GO = """\
package main

import (
	"fmt"
	"slices"
)

func main() {
	values := []int{3, 1, 2}
	slices.Sort(values)
	fmt.Println(min(values[0], 5), max(values[2], 2))
	clear(values)
}
"""


REGISTRY = ("java", "javascript", "python")  # their libraries come from a package index, or from us


def output(sandbox: Sandbox, program: Program) -> str:
    compiled = sandbox.compile(program)
    assert compiled.ok, compiled.log
    with sandbox.session(compiled, Limits()) as session:
        (run,) = session.run([b""])
    assert run.clean, run.stderr
    return run.stdout.decode().strip()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if REASON is not None:
        pytest.skip(f"programs cannot be isolated: {REASON}")
    with open_sandbox("local") as opened:
        yield opened


@pytest.fixture(scope="module")
def full_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with every library."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VENUS_CACHE", str(folder))
        install_all()
    return folder


@pytest.fixture
def libraries_installed(full_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENUS_CACHE", str(full_cache))


def install_all() -> None:
    for name in REGISTRY:
        for library in LANGUAGES[name].libraries:
            try:
                install(LANGUAGES[name], library)
            except ToolchainError as error:
                pytest.skip(str(error))


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("java", PAIR, "7xtrue7=x"),
        ("javascript", QUEUES, "3 1 7"),
        ("javascript", LODASH, "3 2"),
        ("python", SORTED, "1 2"),
    ],
)
@pytest.mark.usefixtures("libraries_installed")
def test_programs_find_the_libraries_of_judges(
    sandbox: Sandbox, language: str, code: str, expected: str
) -> None:
    program = program_of(LANGUAGES[language], code)
    assert program.files
    assert output(sandbox, program) == expected
    assert all(installed(LANGUAGES[language]).values())


@pytest.mark.usefixtures("libraries_installed")
@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("java", "public class Main { }"),
        ("javascript", "class PriorityQueue {} \nconsole.log(new PriorityQueue());"),
        ("javascript", "console.log('new Queues')"),
        (
            "javascript",
            "const _ = { sum: (values) => values.length };\nconsole.log(_.sum([1, 2]));",
        ),
        ("javascript", "console.log(this._.sum, [1].map((_, i) => i));"),
        ("python", "print(sorted([3]))"),
        ("cpp", "std::priority_queue<int> q;"),
    ],
)
def test_programs_without_libraries_are_unchanged(language: str, code: str) -> None:
    assert program_of(LANGUAGES[language], code) == Program(LANGUAGES[language], code)


def test_a_library_that_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path))
    python = LANGUAGES["python"]
    (library,) = python.libraries
    none = library._replace(
        version="0", install=(("python3", "-c", "raise SystemExit('no network')"),)
    )
    language = dataclasses.replace(python, libraries=(none,))
    assert installed(language) == {"sortedcontainers 0": False}
    assert program_of(language, SORTED) == Program(language, SORTED)
    with pytest.raises(
        ToolchainError, match=r"sortedcontainers 0 of Python cannot be installed: no network"
    ):
        install(language, none)
    assert list((tmp_path / "libraries").iterdir()) == [], "a partial library would look complete"


def test_headers_of_a_library_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path))
    cpp = LANGUAGES["cpp"]
    (library,) = cpp.libraries
    make = (
        "import pathlib; p = pathlib.Path('atcoder/answer'); p.parent.mkdir(); "
        "p.write_text('const int answer = 7;')"
    )
    local = library._replace(install=(("python3", "-c", make),))
    cpp = dataclasses.replace(cpp, libraries=(local,))
    install(cpp, local)
    program = program_of(
        cpp,
        "#include <bits/stdc++.h>\n#include <atcoder/answer>\nint main() { std::cout << answer; }",
    )
    assert output(sandbox, program) == "7"
    assert program.language is program_of(cpp, program.source).language
    assert program_of(cpp, "#include <bits/stdc++.h>\nint main() {}").language is cpp


@pytest.mark.skipif(
    " go1.1" in find_toolchain(LANGUAGES["go"]).version, reason="the Go here is older than 1.20"
)
def test_common_go_imports(sandbox: Sandbox) -> None:
    assert output(sandbox, Program(LANGUAGES["go"], GO)) == "1 3"


def test_toolchain_hidden_by_a_mount(tmp_path: Path, sandbox: Sandbox) -> None:
    tool = tmp_path / "tools" / "bin" / "sayer"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho said by $0\n")
    for path in (tool, *tool.parents):
        if path.is_relative_to(tmp_path):
            path.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tool.parent), prepend=":")
        language = dataclasses.replace(
            LANGUAGES["ruby"],
            run_argv=("sayer",),
            version_argv=("sayer",),
            sysroot_argv=("sh", "-c", f"echo {tmp_path}/tools"),
        )
        assert output(sandbox, Program(language, "puts 1")).startswith("said by ")
