"""``venus run``: figures, verdicts, exit codes and error messages."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from venus_toolkit.cli import main
from venus_toolkit.cli.machine.run import command
from venus_toolkit.cli.machine.run_programs import load_tests
from venus_toolkit.cli.machine.run_report import NOISE
from venus_toolkit.cli.plots import MemoryCurve, check_plot, highest_peaks, plot_memory
from venus_toolkit.cli.shared_options import limits_from
from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.execution.judging.files import read_tests
from venus_toolkit.execution.machine.doctor import check_toolchain, why_not_isolated

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
needs_cpp = pytest.mark.skipif(
    not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed"
)

ADDS = "print(sum(map(int, input().split())))\n"
HOLDS = "import sys\nblock = bytearray(int(sys.stdin.read() or 1) << 20)\nprint(len(block))\n"
GROWS = "blocks = []\nwhile True:\n    blocks.append(bytearray(1 << 20))\n"


class Result(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


Venus = Callable[..., Result]


@pytest.fixture
def venus(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Venus:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["venus", "run", *words])
        exit_code = 0
        try:
            main()
        except SystemExit as stop:
            exit_code = stop.code if isinstance(stop.code, int) else 1
        return Result(exit_code, *capsys.readouterr())

    return run


def write(folder: Path, **files: str) -> Path:
    """Write a file for each keyword; its last _ becomes the dot in the name."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(text)
    return folder


# ------------------------------------------------------------------ inputs and options


def test_tests_are_in_numeric_order(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "10_in": "c",
            "\u00b2_in": "e",  # a digit that is not a number
            "2_in": "b",
            "1_in": "a",
            "1_out": "A",
            "big_in": "d\r\n",
            "3_out": "no input",
        },
    )
    tests = read_tests(tmp_path)
    assert [test.test_id for test in tests] == ["1", "2", "10", "big", "\u00b2"]
    assert [test.stdin for test in tests] == ["a", "b", "c", "d\r\n", "e"]
    assert [test.stdout for test in tests] == ["A", None, None, None, None]


def test_one_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, input_txt="5\n")
    (from_file,) = load_tests(None, str(tmp_path / "input.txt"))
    (nothing,) = load_tests(None, None)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("π\n".encode())))
    (piped,) = load_tests(None, "-")
    assert [(test.stdin, test.stdout) for test in (from_file, nothing, piped)] == [
        ("5\n", None),
        ("", None),
        ("π\n", None),
    ]


def test_limits() -> None:
    assert limits_from(None, None) == Limits()
    limits = limits_from(0.5, 64)
    assert (limits.wall_ns, limits.cpu_ns, limits.memory_bytes) == (
        NS_PER_S // 2,
        NS_PER_S // 2,
        64 * MIB,
    )
    with pytest.raises(UsageError, match="is not a time"):
        limits_from(float("nan"), None)


@pytest.mark.parametrize(
    ("words", "message", "fix"),
    [
        (["nothing.py"], "cannot read the program nothing.py: No such file", "ls -l"),
        (
            ["folder.py"],
            "folder.py is a folder: a program of several files",
            "--project folder.py --cmd",
        ),
        (["bytes.py"], "the program bytes.py is not UTF-8 text", "file bytes.py"),
        (["a.py", "--stdin", "bytes.py"], "the input bytes.py is not UTF-8 text", "file bytes.py"),
        (["a.py", "--stdin", "nothing"], "cannot read the input nothing: No such file", "ls -l"),
        (
            ["a.py", "--tests", "nothing"],
            "cannot read the tests in nothing: there is no such folder",
            "NAME.in",
        ),
        (
            ["a.py", "--tests", "a.py"],
            "cannot read the tests in a.py: it is not a folder",
            "NAME.in",
        ),
        (
            ["a.py", "--tests", "empty"],
            "no tests in empty: no file there is called NAME.in; it holds a.txt",
            "1.in",
        ),
        (
            ["a.py", "--tests", "empty", "--stdin", "-"],
            "--tests cannot be combined with --stdin",
            "leave one",
        ),
        (["a.py", "--lang", "cobol"], "unknown language 'cobol'", "venus languages list"),
        (["a.xyz"], "cannot tell the language of a.xyz", "--lang ID"),
        (
            ["a.py", "--plot", "a.gif"],
            "cannot draw a.gif: plots end in .png or .svg",
            "--plot memory.png",
        ),
        (
            ["a.py", "--plot", "nothing/a.png"],
            "cannot draw nothing/a.png: nothing is not a folder",
            "mkdir -p",
        ),
        (["a.py", "--repeats", "0"], "Invalid value for '--repeats'", ""),
        (["a.py", "--interval-us", "99"], "Invalid value for '--interval-us'", ""),
        (["a.py", "--limit-wall-s", "0"], "Invalid value for '--limit-wall-s'", ""),
        (
            ["a.py", "a.py", "--plot", "x.png"],
            "--plot is for one program: 2 were named",
            "leave it out",
        ),
        (["a.py", "--env", "MODE"], "--env MODE sets nothing: it has no =", "NAME=VALUE"),
        (
            ["a.py", "--file", "nothing"],
            "cannot read the file nothing: No such file",
            "check the path",
        ),
        (
            ["a.py", "--file", "bytes.py=../up"],
            "a program cannot have a file at '../up'",
            "choose another path",
        ),
        (
            [],
            "no program was named: there is no FILE, no --cmd and no --project",
            "venus run solution.py",
        ),
    ],
)
def test_refusals(venus: Venus, tmp_path: Path, words: list[str], message: str, fix: str) -> None:
    write(tmp_path, a_py=ADDS, a_xyz="?")
    write(tmp_path / "empty", a_txt="")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    result = venus(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert fix in result.stderr
    assert not result.stdout


@needs_isolation
@needs_isolation
def test_a_function_with_starter_code_gets_a_runner(venus: Venus, tmp_path: Path) -> None:
    """The starter code and the solution are in different languages."""
    write(
        tmp_path,
        add_py="class Solution:\n    def add(self, a, b): return a + b\n",
        cases_txt="3\n-5\n",
    )
    write(
        tmp_path, starter_cpp="class Solution {\npublic:\n    int add(int a, int b) {\n    }\n};\n"
    )
    write(
        tmp_path / "tests", **{"1_in": "1\n2\n", "1_out": "3\n", "2_in": "3\n-5\n", "2_out": "-1\n"}
    )
    result = venus("add.py", "--starter", "starter.cpp", "--tests", "tests", "--repeats", "1")
    assert result.exit_code == 1
    assert "1 of 2 tests passed" in result.stdout
    assert "expected '-1', got '-2'" in result.stdout


def test_starter_code_without_a_runner_is_refused(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, add_py=ADDS, starter_go="func add(a map[string]int) int {\n}\n")
    result = venus("add.py", "--starter", "starter.go")
    assert result.exit_code == 2
    assert (
        "the type 'map[string]int' of the parameter a in line 1 is not supported" in result.stderr
    )


def test_missing_language(venus: Venus, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "nolang"
    folder.mkdir(parents=True)
    original = load_languages()["python"].folder
    text = (original / "language.toml").read_text()
    for old, new in [
        ('id = "python"', 'id = "nolang"'),
        ('extension = ".py"', 'extension = ".nl"'),
    ]:
        assert old in text
        text = text.replace(old, new)
    (folder / "language.toml").write_text(text.replace('"python3"', '"no-such-python"'))
    for name in ("reference.py", "coverage.py", "empty.py", "outline.scm"):
        (folder / name).write_text((original / name).read_text())
    write(folder / "selftest", accepted_nl="")
    write(tmp_path, a_nl="")
    result = venus("a.nl", "--languages", "mine")
    assert result.exit_code == 3
    assert "not installed" in result.stderr


# ------------------------------------------------------------------ verdicts and figures


@needs_isolation
def test_an_accepted_program(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, add_py=ADDS)
    write(tmp_path / "tests", **{"1_in": "1 2\n", "1_out": "3\n", "2_in": "5 6\n"})
    result = venus("add.py", "--tests", "tests", "--repeats", "2", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert report["verdict"] == "accepted"
    assert report["failing_test"] is None
    assert [(test["test_id"], test["verdict"], test["compared"]) for test in report["tests"]] == [
        ("1", "accepted", True),
        ("2", "accepted", False),
    ]
    assert [test["stdout"] for test in report["tests"]] == ["3\n", "11\n"]
    for name in ("time_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time"):
        assert report[name] > 0, name
    assert report["measurement"]["repeats"] == 2
    assert report["sandbox"]["sandbox"] in ("local", "docker")
    assert report["environment"]["toolchains"]["python"].startswith("Python 3")


@needs_isolation
@pytest.mark.parametrize(
    ("code", "words", "verdict", "reason"),
    [
        ("print(4)", [], "wrong_answer", "line 1: expected '3', got '4'"),
        ("import sys; print(3); sys.exit(7)", [], "runtime_error", "exit code 7"),
        ("while True: pass", ["--limit-wall-s", "0.3"], "time_limit", "wall time limit"),
        (GROWS, ["--limit-memory-mib", "48"], "memory_limit", ""),
    ],
    ids=["wrong_answer", "runtime_error", "time_limit", "memory_limit"],
)
def test_a_program_that_fails(
    venus: Venus, tmp_path: Path, code: str, words: list[str], verdict: str, reason: str
) -> None:
    write(tmp_path, a_py=code)
    write(tmp_path / "tests", **{"1_in": "1 2\n", "1_out": "3\n"})
    result = venus("a.py", "--tests", "tests", "--repeats", "1", *words)
    assert result.exit_code == 1
    assert f"verdict    {verdict}, 0 of 1 tests passed" in result.stdout
    assert f"failed     1: {verdict}: " in result.stdout
    assert reason in result.stdout
    measured = verdict == "wrong_answer"
    assert ("relative " in result.stdout) is measured
    assert ("measured   no" in result.stdout) is not measured


@needs_isolation
def test_crash_fails_without_expected_output(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, a_py="raise SystemExit(1)")
    result = venus("a.py", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["verdict"] == "runtime_error"
    assert report["measurement"] is None
    assert [
        report[name]
        for name in ("time_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time")
    ] == [None] * 5
    assert report["tests"][0]["wall_ns"] > 0


@needs_isolation
@needs_cpp
def test_compile_error_shows_the_log(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, a_cpp="int main() { return 1 }\n")
    result = venus("a.cpp")
    assert result.exit_code == 1
    assert "verdict    compile_error" in result.stdout
    assert "main.cpp:1:22: error:" in result.stdout
    report = json.loads(venus("a.cpp", "--json").stdout)
    assert report["verdict"] == "compile_error"
    assert "error:" in report["compile_log"]
    assert report["tests"] == []


@needs_isolation
def test_a_language_of_another_extension(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, program_txt="print('é')\n")
    result = venus("program.txt", "--lang", "Python", "--repeats", "1", "--interval-us", "100")
    assert result.exit_code == 0
    assert "only the exit code was checked" in result.stdout
    assert "accepted (not compared)" in result.stdout
    assert "1 repeat, memory read every 100 us" in result.stdout


@needs_isolation
def test_the_plot_of_a_program(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, hold_py=HOLDS, input_txt="8")
    result = venus(
        "hold.py", "--stdin", "input.txt", "--repeats", "1", "--plot", "memory.png", "--json"
    )
    assert (tmp_path / "memory.png").read_bytes().startswith(b"\x89PNG")
    (test,) = json.loads(result.stdout)["tests"]
    assert len(test["trace"]) > 2


# ------------------------------------------------------------------ plots


def a_curve(name: str, peak_mib: int, seconds: float = 0.01) -> MemoryCurve:
    end = round(seconds * NS_PER_S)
    return MemoryCurve(name, ((0, MIB), (end // 2, peak_mib * MIB), (end, MIB)), peak_mib * MIB)


def svg(tmp_path: Path, curves: list[MemoryCurve], limit_mib: int) -> str:
    plot_memory(tmp_path / "a.svg", curves, limit_mib * MIB, "a.py")
    return (tmp_path / "a.svg").read_text()


def test_axes_have_units_and_limit(tmp_path: Path) -> None:
    near = svg(tmp_path, [a_curve("1", 100)], 128)
    assert "time since the start of the program (ms)" in near
    assert "resident set of all its processes (MiB)" in near
    assert "limit, 128 MiB" in near
    assert "highest peak, 100.0 MiB" in near
    far = svg(tmp_path, [a_curve("1", 10, seconds=5)], 512)
    assert "limit 512 MiB, far above" in far
    assert "time since the start of the program (s)" in far


def test_plot_selects_the_highest_peaks(tmp_path: Path) -> None:
    curves = [a_curve(str(number), number) for number in range(1, 12)]
    assert [curve.test_id for curve in highest_peaks(curves)] == [
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "11",
    ]
    drawn = svg(tmp_path, curves, 64)
    assert "8 of 11 tests" in drawn
    assert "test 11" in drawn
    assert "test 3<" not in drawn


def test_a_run_without_samples_can_be_drawn(tmp_path: Path) -> None:
    assert "highest peak, 1.0 MiB" in svg(tmp_path, [MemoryCurve("1", (), MIB)], 64)


def test_a_plot_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    check_plot(tmp_path / "a.png")
    with pytest.raises(StoreError, match=r"cannot write the picture"):
        plot_memory(tmp_path / "a.png", [a_curve("1", 1)], MIB, "a.py")


# ------------------------------------------------------------------ documentation


def test_noise_flags_are_documented() -> None:
    (item,) = re.findall(r"^- \*\*noise\*\*.*(?:\n  .*)*", read_doc("measurement"), re.MULTILINE)
    assert set(NOISE) <= set(re.findall(r"`(\w+)`", item))


def test_every_option_is_in_the_docs() -> None:
    page = read_doc("run")
    options = [
        name for parameter in command.params for name in parameter.opts if name.startswith("--")
    ]
    assert len(options) > 10
    assert [name for name in options if name not in page] == []


@needs_isolation
def test_every_field_of_the_report_is_in_the_docs(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, one_py="print(1)")
    report = json.loads(venus("one.py", "--repeats", "1", "--json").stdout)
    page = read_doc("run")
    assert [
        name
        for name in (*report, *report["measurement"], *report["tests"][0])
        if f"`{name}`" not in page
    ] == []


def test_documented_commands_parse() -> None:
    lines = [
        line for line in read_doc("run").splitlines() if "venus run " in line and "`" not in line
    ]
    assert len(lines) > 3
    for line in lines:
        words = shlex.split(line, comments=True)
        command.make_context("run", words[words.index("venus") + 2 :])


def read_doc(name: str) -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / f"{name}.md").read_text()


# ------------------------------------------------------------------ environment, comparison

TELLS = """\
import os, sys
print(sys.argv[1:], os.environ.get("MODE"), open("data.txt").read().strip())
"""
SUM = "import sys\nprint(sum(i * i for i in range(int(sys.argv[1]))))\n"
FORMULA = (
    "#include <cstdio>\n#include <cstdlib>\n"
    "int main(int, char **v) { long long n = std::atoll(v[1]); "
    'std::printf("%lld\\n", (n - 1) * n * (2 * n - 1) / 6); }\n'
)


@needs_isolation
def test_arguments_files_and_variables(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, tells_py=TELLS, input_txt="hello\n")
    words = ("tells.py", "--file", "input.txt=data.txt", "--env", "MODE=fast", "--repeats", "1")
    result = venus(*words, "--json", "--", "3", "--fast", "--json")
    assert (
        json.loads(result.stdout)["tests"][0]["stdout"] == "['3', '--fast', '--json'] fast hello\n"
    )
    assert "printed    [] fast hello" in venus(*words).stdout.splitlines()


@needs_isolation
@needs_cpp
def test_several_programs_are_ranked_with_ratios(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, slow_py=SUM, quick_cpp=FORMULA, broken_py="print(\n")
    result = venus("slow.py", "quick.cpp", "broken.py", "--repeats", "3", "--json", "--", "200000")
    rows = json.loads(result.stdout)
    assert [row["file"] for row in rows] == ["quick.cpp", "slow.py", "broken.py"]
    assert result.exit_code == 1, "one of them does not compile"
    assert (rows[0]["rank"], rows[0]["ratio"]) == (1, 1.0)
    assert rows[1]["ratio"] > 2
    assert rows[2]["rank"] is rows[2]["measurement"] is rows[2]["ratio"] is None
    text = venus("slow.py", "quick.cpp", "--rank", "cpu", "--", "200000").stdout
    assert re.search(
        r"^quick\.cpp is [0-9.]+ ± [0-9.]+ times as fast as slow\.py$|: no significant difference",
        text,
        re.M,
    )


@needs_isolation
def test_equal_programs_tie_in_memory(venus: Venus, tmp_path: Path) -> None:
    write(tmp_path, a_py=SUM, b_py=SUM)
    result = venus("a.py", "b.py", "--rank", "memory", "--repeats", "2", "--", "10")
    assert result.exit_code == 0
    assert "no significant difference; more --repeats may show one" in result.stdout
