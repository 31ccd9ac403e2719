"""Language folders: valid and invalid ones, and C as an eighth language without Python code."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import LanguageError, ToolchainError
from venus_toolkit.core.language import (
    FOLDER,
    MARKER,
    Language,
    find_language,
    find_languages,
    language_of_file,
    load_languages,
    read_language,
    render,
)
from venus_toolkit.core.records import MIB, Limits, Verdict
from venus_toolkit.core.toolchain import find_toolchain, installed
from venus_toolkit.execution.judging.judge import self_check
from venus_toolkit.execution.machine.doctor import check_toolchain, why_not_isolated
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
SEVEN = ["cpp", "go", "java", "javascript", "python", "ruby", "rust"]
LANGUAGES = load_languages()
Cli = Callable[..., Any]
Tree = Callable[[Path, Mapping[str, str | bytes]], Path]


# ------------------------------------------------------------------ built-in languages


def test_seven_languages_are_built_in() -> None:
    assert list(LANGUAGES) == SEVEN


@pytest.mark.parametrize("name", SEVEN)
def test_a_folder_has_everything(name: str) -> None:
    language = LANGUAGES[name]
    assert set(language.selftest.programs) == set(Verdict) - {Verdict.OUTPUT_LIMIT}
    assert language.reference.strip()
    assert language.empty.strip()
    assert language.debian, "what to install"
    assert re.fullmatch(r"[a-z]+:[0-9.]+-[a-z0-9-]+", language.image)
    assert "ARG BASE" in (language.folder / "Dockerfile").read_text()
    assert language.image in (language.folder / "Dockerfile").read_text()
    assert language.source_file.endswith(language.extension)
    assert language.run_argv


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("python", "python:3.9.19-bullseye"), ("java", "openjdk:11.0.12-jdk-bullseye"),
        ("javascript", "node:22-bullseye"),
        ("cpp", "gcc:11.2.0-bullseye"), ("go", "golang:1.17.0-bullseye"), ("ruby", "ruby:3.0.2-bullseye"),
        ("rust", "rust:1.85.0-bullseye"),
    ],
)  # fmt: skip
def test_images_are_those_of_the_paper(name: str, image: str) -> None:
    assert LANGUAGES[name].image == image


def test_names_are_unique() -> None:
    seen: dict[str, str] = {}
    for language in LANGUAGES.values():
        for name in {language.id, *language.aliases, *language.fences}:
            assert name == name.lower()
            assert seen.setdefault(name, language.id) == language.id, f"{name} has two languages"
    assert len({language.extension for language in LANGUAGES.values()}) == len(LANGUAGES)


def words(language: Language) -> list[str]:
    return [*language.argv("compile", Limits()), *language.argv("run", Limits())]


@pytest.mark.parametrize("name", SEVEN)
def test_lesson_5_compiler_is_not_measured(name: str) -> None:
    language = LANGUAGES[name]
    commands = " ".join(words(language))
    assert "go run" not in commands
    assert "cargo" not in commands
    assert not {"-g", "-ggdb", "-O0", "--debug", "debug"} & set(words(language))
    if name not in ("python", "javascript", "ruby"):
        assert not any(word.endswith(language.extension) for word in language.run_argv), (
            "the source is run"
        )
        assert not {"g++", "go", "javac", "rustc"} & set(language.run_argv)


@pytest.mark.parametrize(
    ("name", "flags"), [("cpp", {"-O2"}), ("rust", {"-O"}), ("go", {"build"}), ("java", set())]
)
def test_lesson_5_release_flags(name: str, flags: set[str]) -> None:
    optimised = set(" ".join(LANGUAGES[name].compile_argv).split())
    assert flags <= optimised or (name == "rust" and "opt-level=3" in " ".join(optimised))


def test_lesson_5_java_runs_a_compiled_class() -> None:
    java = LANGUAGES["java"]
    assert (java.compile_argv[0], java.run_argv[0]) == ("javac", "java")


def test_limits_are_filled_in() -> None:
    commands = {name: " ".join(words(language)) for name, language in LANGUAGES.items()}
    assert not [command for command in commands.values() if re.search(r"\{\w+\}", command)]
    heap = LANGUAGES["java"].argv("run", Limits(memory_bytes=300 * MIB))
    assert any("300" in word for word in heap), "the heap of Java follows the limit"


# ------------------------------------------------------------------ lookup


@pytest.mark.parametrize(
    ("name", "language_id"),
    [
        ("python3", "python"), ("py", "python"), ("PY", "python"), ("Python", "python"), (" python ", "python"),
        ("golang", "go"), ("c++", "cpp"), ("C++", "cpp"), ("js", "javascript"), ("node", "javascript"), ("rs", "rust"),
        ("rb", "ruby"), ("java", "java"),
    ],
)  # fmt: skip
def test_a_language_is_found_by_any_of_its_names(name: str, language_id: str) -> None:
    assert find_language(name, LANGUAGES).id == language_id


@pytest.mark.parametrize(
    "name",
    [name for language in LANGUAGES.values() for name in (*language.aliases, *language.fences)],
)
def test_every_alias_and_fence_is_found(name: str) -> None:
    assert name in (*find_language(name, LANGUAGES).aliases, *find_language(name, LANGUAGES).fences)


@pytest.mark.parametrize(
    ("name", "hint"), [("pyhton", "python"), ("golan", "golang"), ("JavaScrip", "javascript")]
)
def test_similar_name_is_suggested(name: str, hint: str) -> None:
    with pytest.raises(LanguageError) as caught:
        find_language(name, LANGUAGES)
    assert caught.value.what == f"unknown language {name!r}"
    assert caught.value.why == "expected one of " + ", ".join(SEVEN)
    assert caught.value.fix == f"did you mean {hint}? type: venus languages list"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["", "cobol", "/"])
def test_no_suggestion_without_a_similar_name(name: str) -> None:
    with pytest.raises(LanguageError) as caught:
        find_language(name, LANGUAGES)
    assert caught.value.fix == "type: venus languages list"


def test_language_of_a_file() -> None:
    assert language_of_file(Path("a/b.py"), LANGUAGES).id == "python"
    assert language_of_file(Path("main.rs"), LANGUAGES).id == "rust"
    with pytest.raises(LanguageError) as caught:
        language_of_file(Path("notes.txt"), LANGUAGES)
    assert ".cpp (cpp)" in caught.value.why
    assert caught.value.fix == "name it: --lang ID"


# ------------------------------------------------------------------ runners


def test_marker_line_is_replaced() -> None:
    runner = f"before\n    // {MARKER} (do not touch)\nafter\n"
    assert render(runner, "a\nb") == "before\na\nb\nafter\n"
    assert render(MARKER, "code") == "code"


def test_code_is_inserted_unchanged() -> None:
    code = "\\1 $1 {x} %s \N{SNOWMAN}\r\n" + MARKER
    assert render(f"a\n{MARKER}\nb", code) == f"a\n{code}\nb"


@pytest.mark.parametrize(
    ("runner", "count"), [("print(1)", 0), ("", 0), (f"{MARKER}\n{MARKER}\n", 2)]
)
def test_runner_needs_exactly_one_marker(runner: str, count: int) -> None:
    with pytest.raises(LanguageError) as caught:
        render(runner, "code")
    assert caught.value.what == "the runner cannot be rendered"
    assert caught.value.why == f"it has {count} lines with {MARKER}, expected one"
    assert caught.value.fix == "see docs/problems.md"


# ------------------------------------------------------------------ invalid folders

C_TOML = """\
id = "c"
name = "C"
aliases = ["c17"]
extension = ".c"
fences = ["c"]
comment = "//"

[lexical]
comments = '//[^\\n]*'
strings = '"[^"]*"'

[source]
file = "main.c"

[compile]
argv = ["gcc", "-O2", "-std=c17", "-o", "main", "main.c"]
wall_s = 60
memory_mib = 2048

[run]
argv = ["./main"]

[toolchain]
version = ["gcc", "--version"]
debian = ["gcc"]

[image]
paper = "gcc:11.2.0-bullseye"
debian = ["gcc"]

[diagnostics]
out_of_memory = "out of memory"

[reference]
file = "reference.c"

[selftest]
stdin = "4\\n3 1 4 1\\n"
stdout = "9\\n"
cpu_s = 2.0
memory_mib = 64
"""
C_SUM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n;
    long sum = 0, value;
    scanf("%d", &n);
    for (int i = 0; i < n && scanf("%ld", &value) == 1; ++i) sum += value;
    EXTRA
    printf("%ld\\n", sum);
    return 0;
}
"""
C_FOLDER = {
    "language.toml": C_TOML,
    "reference.c": C_SUM.replace('scanf("%d", &n);', "n = 0;").replace(
        "EXTRA", "for (volatile int i = 0; i < 20000000; i = i + 1) sum += i;"
    ),
    "selftest/accepted.c": C_SUM.replace("EXTRA", ""),
    "selftest/wrong_answer.c": C_SUM.replace("EXTRA", "sum += 1;"),
    "selftest/runtime_error.c": C_SUM.replace("EXTRA", "abort();"),
    "selftest/time_limit.c": C_SUM.replace("EXTRA", "for (volatile int i = 0;; i = i + 1) {}"),
    "selftest/memory_limit.c": C_SUM.replace(
        "EXTRA",
        "for (int i = 0; i < 512; ++i) {\n"
        "        char *block = malloc(1 << 20);\n"
        '        if (!block) { fputs("out of memory\\n", stderr); return 1; }\n'
        "        memset(block, n, 1 << 20);\n"
        "        sum += block[i] - n;\n    }",
    ),
    "selftest/compile_error.c": C_SUM.replace("EXTRA", "sum = ;"),
}


@pytest.fixture
def c(tmp_path: Path, write_tree: Tree) -> Path:
    """A folder of languages that contains C."""
    write_tree(tmp_path / "mine" / "c", C_FOLDER)
    return tmp_path / "mine"


def test_additional_language_is_found(c: Path) -> None:
    assert list(load_languages(c)) == [*SEVEN, "c"]
    assert find_language("C17", load_languages(c)).name == "C"
    assert language_of_file(Path("x.c"), load_languages(c)).id == "c"


def test_own_language_replaces_a_built_in_one(tmp_path: Path, write_tree: Tree) -> None:
    folder = tmp_path / "mine" / "cpp"
    write_tree(
        folder,
        {
            name.replace(".c", ".cpp"): text
            for name, text in C_FOLDER.items()
            if name.endswith(".c")
        },
    )
    text = (FOLDER / "cpp/language.toml").read_text().replace("-O2", "-O3")
    files = {
        name: (FOLDER / "cpp" / name).read_text()
        for name in ("checker.cpp", "coverage.c", "empty.cpp", "outline.scm", "prepared.cpp")
    }
    write_tree(folder, {"language.toml": text, **files})
    assert "-O3" in " ".join(load_languages(tmp_path / "mine")["cpp"].compile_argv)
    assert list(load_languages(tmp_path / "mine")) == SEVEN


def test_a_folder_without_languages(tmp_path: Path) -> None:
    with pytest.raises(LanguageError) as caught:
        load_languages(tmp_path)
    assert str(caught.value) == (
        f"no language found: {tmp_path} has no folder with a language.toml\nsee docs/languages.md"
    )


KEYS = [
    "id", "name", "aliases", "extension", "fences", "comment", "lexical", "source", "compile", "run", "toolchain",
    "image", "diagnostics", "reference", "selftest",
]  # fmt: skip


@pytest.mark.parametrize(
    "key",
    [
        *KEYS,
        "file",
        "argv",
        "wall_s",
        "cpu_s",
        "version",
        "debian",
        "paper",
        "out_of_memory",
        "stdin",
    ],
)
def test_a_missing_key_is_named(c: Path, key: str) -> None:
    file = c / "c/language.toml"
    if f"[{key}]" in C_TOML:
        text = re.sub(rf"\[{key}\]\n(.+\n)*", "", C_TOML)
    else:
        text = re.sub(rf"^{key} = .*\n", "", C_TOML, flags=re.MULTILINE)
    file.write_text(text)
    with pytest.raises(LanguageError) as caught:
        read_language(c / "c")
    assert caught.value.what == f"{c / 'c'}/language.toml is incomplete"
    assert caught.value.why == f"the key '{key}' is missing"
    assert caught.value.fix == "see docs/languages.md"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('id = "c"', "id = ", "Invalid value"),
        ('out_of_memory = "out of memory"', 'out_of_memory = "(out"', "unterminated subpattern"),
        ("aliases = ", "alias = 1\naliases = ", "alias"),
        ("wall_s = 60", 'wall_s = "60"', ""),
        ("memory_mib = 64", "memory_mib = -1", "memory_mib"),
        ("cpu_s = 2.0", "cpu_s = nan", ""),
        ('["gcc", "--version"]', '"gcc --version"', "version"),
        ('argv = ["./main"]', 'argv = "./main"', "argv"),
        ('aliases = ["c17"]', 'aliases = "c17"', "aliases"),
        ('id = "c"', "id = 3", "id"),
        ("[run]", "[run]\nargs = []", "args"),
        ('"reference.c"', '"missing.c"', "missing.c"),
        ("[source]", "[compile]", ""),
        ("[source]", '[coverage]\nfiles = ["none.c"]\nslowdown = 2\n[source]', "none.c"),
        ("[source]", "[coverage]\nfiles = []\nslowdown = 0\n[source]", "slowdown"),
        (
            "[source]",
            "[coverage]\nfiles = []\nslowdown = 2\ninputs = -1\n[source]",
            "coverage.inputs",
        ),
        (
            "[source]",
            "[coverage]\nfiles = []\nslowdown = 2\nserver = 1\n[source]",
            "coverage.server",
        ),
        ("[source]", '[prepared]\nargv = ["true"]\nflags = []\n[source]', "file"),
        (
            "[source]",
            '[prepared]\nfile = "none.c"\nargv = ["true"]\nflags = []\n[source]',
            "none.c",
        ),
        (
            "[source]",
            '[prepared]\nfile = "reference.c"\nargv = []\nflags = []\nbegins = "("\n[source]',
            "",
        ),
    ],
)
def test_a_folder_that_cannot_be_read(c: Path, old: str, new: str, reason: str) -> None:
    assert old in C_TOML
    (c / "c/language.toml").write_text(C_TOML.replace(old, new))
    with pytest.raises(LanguageError) as caught:
        read_language(c / "c")
    assert str(c / "c") in caught.value.what
    assert reason in caught.value.why
    assert caught.value.why
    assert caught.value.fix == "see docs/languages.md"


def test_files_that_are_not_text(c: Path, write_tree: Tree) -> None:
    for name in ("selftest/accepted.c", "reference.c", "language.toml"):
        (c / "c" / name).write_bytes(b"\xff")
        with pytest.raises(LanguageError):
            read_language(c / "c")
        write_tree(c / "c", C_FOLDER)


def test_a_selftest_needs_an_accepted_program(c: Path) -> None:
    (c / "c/selftest/accepted.c").unlink()
    with pytest.raises(LanguageError, match="incomplete"):
        read_language(c / "c")


# ------------------------------------------------------------------ toolchains


def test_a_missing_tool_is_named_with_its_package(c: Path) -> None:
    (c / "c/language.toml").write_text(C_TOML.replace('"gcc"', '"no-such-gcc"'))
    language = read_language(c / "c")
    with pytest.raises(ToolchainError) as caught:
        find_toolchain(language)
    assert caught.value.what == "C is not installed"
    assert caught.value.why == "no-such-gcc not found in PATH"
    assert caught.value.fix == "type: apt-get install no-such-gcc"
    assert caught.value.exit_code == 3
    here, lacking = installed([language])
    assert here == []
    assert set(lacking) == {"c"}


def test_broken_tool_counts_as_not_installed(c: Path) -> None:
    (c / "c/language.toml").write_text(C_TOML.replace('["gcc", "--version"]', '["false"]'))
    with pytest.raises(ToolchainError, match="C does not start: false failed"):
        find_toolchain(read_language(c / "c"))


# ------------------------------------------------------------------ C, an eighth language

needs_gcc = pytest.mark.skipif(
    subprocess.run(["sh", "-c", "command -v gcc"], capture_output=True).returncode != 0,
    reason="gcc is not installed",
)


@needs_isolation
@needs_gcc
def test_c_passes_its_check(cli: Cli, c: Path) -> None:
    result = cli("languages", "check", "c", "--languages", c)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert result.stdout.startswith(
        "c            ok: accepted, wrong_answer, runtime_error, time_limit, memory_limit"
    )


@needs_isolation
@needs_gcc
def test_failing_check(cli: Cli, c: Path) -> None:
    (c / "c/selftest/wrong_answer.c").write_text(C_FOLDER["selftest/accepted.c"])
    result = cli("languages", "check", "c", "--languages", c)
    assert result.exit_code == 1
    assert "wrong_answer is accepted" in result.stdout
    asked = cli("languages", "check", "c", "--languages", c, "--json")
    assert asked.exit_code == 1
    assert json.loads(asked.stdout)["c"]["wrong_answer"] == "accepted"


@needs_isolation
def test_check_of_a_missing_language(cli: Cli, c: Path) -> None:
    (c / "c/language.toml").write_text(C_TOML.replace('"gcc"', '"no-such-gcc"'))
    result = cli("languages", "check", "c", "--languages", c)
    assert result.exit_code != 0
    assert "no-such-gcc not found in PATH" in result.stdout
    assert "apt-get install no-such-gcc" in result.stdout


@needs_isolation
@needs_gcc
def test_c_is_run(cli: Cli, c: Path, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text(C_FOLDER["selftest/accepted.c"])
    (tmp_path / "input").write_text("2\n40 2\n")
    result = cli(
        "run",
        tmp_path / "prog.c",
        "--stdin",
        tmp_path / "input",
        "--languages",
        c,
        "--repeats",
        "1",
        "--json",
    )
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["verdict"], report["tests"][0]["stdout"]) == ("accepted", "42\n")
    assert report["relative_time"] > 0


@needs_isolation
@needs_gcc
def test_c_is_built(cli: Cli, c: Path, shop: Any, write_tree: Tree) -> None:
    add = (
        '#include <stdio.h>\nint main(void) {\n  long a, b;\n  scanf("%ld %ld", &a, &b);\n  '
        'printf("%ld\\n", OP);\n}\n'
    )
    programs = {"plus": "a + b", "minus": "a - -b", "wrong_or": "(a | b) + 1"}
    write_tree(
        shop.small().source / "add-two/solutions/c",
        {f"{n}.c": add.replace("OP", op) for n, op in programs.items()},
    )
    words = [
        "--problem",
        "add-two",
        "--tests",
        "4",
        "--repeats",
        "1",
        "--min-solutions",
        "2",
        "--json",
    ]
    result = cli(
        "build",
        "--lang",
        "C17",
        "--languages",
        c,
        "--source",
        shop.source,
        "--out",
        shop.out,
        *words,
    )
    assert result.exit_code == 0, result.stderr
    config = json.loads(result.stdout)["configs"]["c"]
    assert (config["verdicts"], config["unexpected"]) == ({"accepted": 2, "wrong_answer": 1}, {})
    assert set(shop.rows("c")) == {"add-two"}


# ------------------------------------------------------------------ real toolchains


@needs_isolation
@pytest.mark.parametrize("name", SEVEN)
def test_self_check(name: str) -> None:
    language = LANGUAGES[name]
    finding = check_toolchain(language)
    if not finding.ok:
        pytest.skip(f"{finding.sentence} {finding.fix}")
    with open_sandbox("local") as sandbox:
        verdicts = self_check(sandbox, language)
    assert {
        str(want): f"{got.verdict} {got.reason}"
        for want, got in verdicts.items()
        if got.verdict != want
    } == {}
    assert verdicts[Verdict.COMPILE_ERROR].reason


def test_several_languages_with_commas() -> None:
    languages = load_languages()
    assert [
        language.id for language in find_languages(["cpp, golang", "py", "C++"], languages)
    ] == [
        "cpp",
        "go",
        "python",
    ]
    with pytest.raises(LanguageError, match="unknown language 'cobol'"):
        find_languages(["cpp,cobol"], languages)


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("#include <bits/stdc++.h>\nint main() {}", True),
        ("// by somebody\n/* long\nago */\n  #  include<bits/stdc++.h>\nint main() {}", True),
        ("#include <vector>\n#include <bits/stdc++.h>\nint main() {}", False),
        # These macros change the meaning of the header.
        ('#pragma GCC optimize("O3")\n#include <bits/stdc++.h>\nint main() {}', False),
        ("#define int long long\n#include <bits/stdc++.h>\nsigned main() {}", False),
        ("// #include <bits/stdc++.h>\nint main() {}", False),
        ("", False),
    ],
)
def test_programs_that_use_the_precompiled_header(source: str, used: bool) -> None:
    cpp = load_languages()["cpp"]
    assert cpp.is_prepared_for(source) == used
    assert cpp.prepared_environment("/there") == {"CPATH": "/there"}
    assert cpp.argv("compile", cpp.compile_limits) == list(cpp.compile_argv)
    # Another compiler command may use the header differently, or not at all.
    assert not dataclasses.replace(cpp, compile_argv=("g++", "-O0", "main.cpp")).is_prepared_for(
        source
    )


MAIN = "public static void main(String[] args) { System.out.println(42); }"
NAMED = [
    (f"public class Main {{ {MAIN} }}", "Main.java", "Main"),
    (
        f"import java.util.*;\npublic final class Solver extends Object {{ {MAIN} }}",
        "Solver.java",
        "Solver",
    ),
    (f"class Pair {{ int a; }}\nclass Program {{ {MAIN} }}", "Program.java", "Program"),
    (f"class Pair {{ public class Inner {{}} }}\npublic class Two {{ {MAIN} }}", "Two.java", "Two"),
    (f"class Odd {{ public class Inner {{}} {MAIN} }}", "Odd.java", "Odd"),
    (f"package a.b;\npublic class In {{ {MAIN} }}", "In.java", "a.b.In"),
    (
        f"// public class No {{\n/* public class Nor {{ */ public class Yes {{ String s = "
        f'"//}}"; {MAIN} }}',
        "Yes.java",
        "Yes",
    ),
    (
        f'@SuppressWarnings({{"a", "b"}}) public class Noted {{ char c = \'}}\'; {MAIN} }}',
        "Noted.java",
        "Noted",
    ),
    (f"public record Point(int x) {{ {MAIN} }}", "Point.java", "Point"),
    (f"public enum Kind {{ A, B; {MAIN} }}", "Kind.java", "Kind"),
    (f"record Point(int x) {{ {MAIN.replace('static', 'static final')} }}", "Point.java", "Point"),
]
BACKWARDS = MAIN.replace("public static", "final static synchronized public")
OTHER = MAIN.replace("42", "1")
# The file is named after the public type; execution starts in Main, in the public type, or in the
# first type with a main.
ENTRIES = [
    (f"class Solver {{ {MAIN.replace('public static', 'static public')} }}", "Solver.java", "Solver"),
    (f"public class Helper {{ int a; }}\r\nclass Start {{ {BACKWARDS} }}\r\n", "Helper.java", "Start"),
    (f"class Helper {{ {OTHER} }} class Main {{ {MAIN} }}", "Main.java", "Main"),
    (f"package x.y; interface Shape {{ {OTHER} }} final public class Run {{ {MAIN} }}", "Run.java", "x.y.Run"),
    (f"interface Go {{ {MAIN} }}\nenum Other {{ A; {OTHER} }}", "Go.java", "Go"),
    (f"class Outer {{ static class Main {{ {OTHER} }} }} class Real {{ {MAIN} }}", "Real.java", "Real"),
    ("public class Lib { void f() {} }", "Lib.java", "Lib"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "file", "name"), NAMED + ENTRIES)
def test_java_file_is_named_after_its_class(source: str, file: str, name: str) -> None:
    java = load_languages()["java"]
    assert java.file_of(source) == file
    assert file in java.argv("compile", java.compile_limits, source)
    assert java.argv("run", java.compile_limits, source)[-1] == name


@pytest.mark.parametrize(
    "source",
    [
        "",
        "int x;",
        "class",
        "public class {",
        f"public class {'x' * 10_000} {{}}",
        "}}}}",
        "{" * 100_000,
    ],
)
def test_program_without_a_class_gets_the_usual_name(source: str) -> None:
    assert load_languages()["java"].file_of(source) == "Main.java"


@needs_isolation
def test_java_programs_run_with_any_class_name() -> None:
    java = load_languages()["java"]
    with open_sandbox("local") as sandbox:
        for source, _, _ in (*NAMED[::5], *ENTRIES[1:4]):
            compiled = sandbox.compile(Program(java, source))
            assert compiled.ok, compiled.log
            with sandbox.session(compiled, java.selftest.limits) as session:
                (run,) = session.run([b""])
            assert run.stdout == b"42\n", run.stderr


def test_other_languages_have_fixed_file_names() -> None:
    for name, language in load_languages().items():
        assert (name == "java") == (language.main_type is not None)
        assert language.file_of("public class Solver {}") in ("Solver.java", language.source_file)


def test_languages_of_the_toolkit_are_read_once() -> None:
    """Toolchains are cached by language object, so the objects must stay the same."""
    assert load_languages()["python"] is load_languages()["python"]
    assert load_languages() is not load_languages()
