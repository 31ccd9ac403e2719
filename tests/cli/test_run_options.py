"""``venus run``: outputs, warm-up, intervals, parameters, commands, exports and crashes."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.execution.test_measure import BASE
from venus_toolkit import compare
from venus_toolkit.cli.machine.run_export import ProgramRuns, check_exports, write_exports
from venus_toolkit.cli.machine.run_failures import TracebackFrame, explanation, read_frames
from venus_toolkit.cli.machine.run_programs import NamedProgram, Scan
from venus_toolkit.cli.machine.run_report import Repeats
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Judgement, Limits, Measurement, TestCase, Verdict
from venus_toolkit.execution.engine.assessment import (
    OutputDifference,
    ProgramAssessment,
    _Outputs,
)
from venus_toolkit.execution.engine.work import Judged
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.judging.project import read_command
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import File, Program

LANGUAGES = load_languages()
PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
Cli = Callable[..., Any]


@pytest.fixture
def venus(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "one.py": "print(1)\n",
        "two.py": "print(2)\n",
        "same.py": "print('1  ')\n",
        "numbers.txt": "10\n9\n",
    }.items():
        (tmp_path / name).write_text(text)
    return lambda *words: cli("run", *words)


# ------------------------------------------------------------------ wrong inputs


@pytest.mark.parametrize(
    ("words", "message", "fix"),
    [
        (("one.py", "--until", "0%"), "--until 0% is not an interval", "--until 2%"),
        (("one.py", "--until", "200%"), "--until 200% is not an interval", "--until 2%"),
        (("one.py", "--until", "2"), "--until 2 is not an interval", "--until 2%"),
        (("one.py", "--until", "nan%"), "--until nan% is not an interval", "--until 2%"),
        (("one.py", "--until", "narrow"), "--until narrow is not an interval", "--until 2%"),
        (("one.py", "--until", "2%", "--rank", "memory"), "--rank memory", "wall, cpu"),
        (("one.py", "--until", "2%", "--repeats", "1"), "one repeat", "--repeats 100"),
        (
            ("one.py", "--min-runs", "9", "--repeats", "5"),
            "--min-runs 9 is more than --repeats 5",
            "--repeats 9",
        ),
        (("one.py", "--warmup", "-1"), "--warmup", ""),
        (("one.py", "--limit-output-mib", "0"), "--limit-output-mib", ""),
        (("one.py", "--parameter-scan", "n", "1", "9", "0"), "STEP must be greater than 0", "n 1"),
        (("one.py", "--parameter-scan", "n", "1", "1e9"), "more than 1,000 values", "larger STEP"),
        (("one.py", "--parameter-scan", "n", "9", "1"), "9 is above 1", "n 1 10"),
        (("one.py", "--parameter-scan", "n", "1", "inf"), "must be finite", "n 1 10"),
        (("one.py", "--parameter-scan", "n", "1", "1e400000000"), "more than 20 digits", "n 1 10"),
        (("one.py", "--parameter-scan", "n", "1e-400000", "1"), "more than 20 digits", "n 1 10"),
        (("one.py", "--parameter-scan", "n", "1", "x"), "NAME MIN MAX [STEP]", "n 1 10"),
        (("one.py", "--parameter-scan", "n", "1"), "NAME MIN MAX [STEP]", "n 1 10"),
        (("one.py", "--parameter-scan", "n m", "1", "2"), "NAME MIN MAX [STEP]", "n 1 10"),
        (
            ("one.py", "--parameter-scan", "n", "1", "3"),
            "the parameter n changes nothing",
            "'{n}'",
        ),
        (("--cmd", ""), "the command is empty", "--cmd"),
        (("--cmd", "sort 'x"), "cannot be read", "quotation mark"),
        (("one.py", "--export-json", "no/a.json"), "no is not a folder", "mkdir -p no"),
        (("one.py", "--export-csv", "."), "it is a folder", "--export-csv"),
        (("one.py", "--export-csv", "a", "--export-json", "a"), "two formats", "its own file"),
        (("one.py", "--export-csv", "a", "--export-json", "./a"), "two formats", "its own file"),
        (("one.py", "two.py", "--export-csv", "two.py"), "this command reads it", "another file"),
        (
            ("one.py", "--stdin", "numbers.txt", "--export-json", "./numbers.txt"),
            "this command reads it",
            "another file",
        ),
        (("one.py", "--file", "two.py=x", "--export-json", "two.py"), "reads it", "another file"),
        (("one.py", "--env", "=B"), "is not an environment variable", "name it"),
        (("one.py", "--tests", "a" * 300), "cannot use aaa", "shorter name"),
        (("one.py", "--export-csv", "/proc/a.csv"), "cannot write /proc/a.csv", "choose another"),
    ],
)
def test_usage_errors_come_before_any_run(
    venus: Cli, words: tuple[str, ...], message: str, fix: str
) -> None:
    begun = time.monotonic()
    done = venus(*words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert fix in done.stderr
    assert not done.stdout
    assert time.monotonic() - begun < 60


# ------------------------------------------------------------------ a parameter


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n 1 3", ("1", "2", "3")),
        ("n 0 1 0.25", ("0.00", "0.25", "0.50", "0.75", "1.00")),
        ("n 0 0.3 0.1", ("0.0", "0.1", "0.2", "0.3")),
        ("n 1 6 2", ("1", "3", "5")),
        ("n -1 -1", ("-1",)),
        ("n 1e2 3e2 1e2", ("100", "200", "300")),
    ],
)
def test_values_of_a_parameter(text: str, values: tuple[str, ...]) -> None:
    assert Scan.of(text).values == values
    assert Scan.of(text).fill("7", "a{n}b{m}n") == "a7b{m}n"


def test_the_longest_scan() -> None:
    assert len(Scan.of("n 1 1000").values) == 1000
    with pytest.raises(UsageError, match="more than 1,000"):
        Scan.of("n 1 1001")


@needs_isolation
def test_scan_ranks_values_of_one_input_only(venus: Cli, tmp_path: Path) -> None:
    words = ("--repeats", "1", "--json")
    rows = json.loads(venus("--cmd", "seq {n}", "--parameter-scan", "n", "1", "2", *words).stdout)
    assert {row["file"] for row in rows} == {"seq 1", "seq 2"}
    assert sorted(row["parameters"]["n"] for row in rows) == ["1", "2"]
    assert all(row["rank"] and row["difference"] is None for row in rows)
    (tmp_path / "in2.txt").write_text("x{n}\n")
    (tmp_path / "in3.txt").write_text("x{n}\n")
    done = venus("--cmd", "grep x{n}", "--parameter-scan", "n", "2", "3", "--stdin", "in{n}.txt")
    assert done.exit_code == 0, "the value is in the name of the input and in its text"
    assert "relative to" not in done.stdout


# ------------------------------------------------------------------ outputs


def test_outputs_are_compared_with_the_first_success() -> None:
    outputs = _Outputs((TestCase("1", ""), TestCase("2", "", "expected")))
    for stdout, exit_code in ((b"?", 1), (b"a\nb \n", 0), (b"a\nb", 0), (b"a\nc", 0)):
        outputs.next_program()
        outputs.compare(0, dataclasses.replace(BASE, stdout=stdout, exit_code=exit_code))
        outputs.compare(1, dataclasses.replace(BASE, stdout=stdout))  # not compared: has a verdict
    where = "line 2: the first prints 'b', the second 'c'"
    assert outputs.differences == {3: OutputDifference("1", 1, where)}


def test_large_outputs_are_compared_by_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Outputs, "ROOM_BYTES", 3)
    outputs = _Outputs((TestCase("1", ""),))
    for text in (b"long 1\n", b"long 1", b"long 2"):
        outputs.next_program()
        outputs.compare(0, dataclasses.replace(BASE, stdout=text))
    assert {place: difference.where for place, difference in outputs.differences.items()} == {
        2: "too long to say in which line"
    }


@needs_isolation
def test_output_difference_is_printed_first(venus: Cli) -> None:
    done = venus("one.py", "two.py", "--repeats", "1")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == (
        "outputs    one.py and two.py differ on test empty: line 1: the first "
        "prints '1', the second '2'"
    )
    same = venus("one.py", "same.py", "--repeats", "1")
    assert (
        same.stdout.splitlines()[0] == "outputs    identical for all programs that ran successfully"
    )
    rows = json.loads(venus("one.py", "two.py", "--repeats", "1", "--json").stdout)
    by_file = {row["file"]: row["difference"] for row in rows}
    assert by_file["one.py"] is None
    assert by_file["two.py"]["from"] == "one.py"


@needs_isolation
def test_the_api_compares_outputs_too(tmp_path: Path) -> None:
    first, second = compare(*(f"\nprint({n})\n" for n in (1, 2)), lang="python", repeats=0)
    assert not first.difference
    assert "the first prints '1', the second '2'" in second.difference


# ------------------------------------------------------------------ repeats


def totals(*errors: float | None, repeats: int = 5) -> list[Measurement]:
    return [Measurement(wall_ns=1, wall_se=error, repeats=repeats, tests=1) for error in errors]


def test_interval_target() -> None:
    repeats = Repeats(100, 3, 0.02, "wall_ns")
    assert repeats.reached(totals(0.01), 3)
    assert not repeats.reached(totals(0.01), 2), "fewer than the minimum"
    assert not repeats.reached(totals(0.01, 0.02), 50), "the widest one counts"
    assert not repeats.reached(totals(None), 50), "not known is not narrow"
    assert repeats.reached(totals(None, repeats=0), 3), "what failed is not waited for"
    assert repeats.interval(totals(0.01, 0.02)) == pytest.approx(0.0392, rel=0.001)
    assert "not ± 2 %; more --repeats may reach it" in repeats.sentence(totals(0.02))
    assert repeats.sentence(totals(0.01)) == "wall ± 2.0 % after 5 repeats"


@needs_isolation
def test_until_stops_at_target_or_maximum(venus: Cli) -> None:
    wide = ("one.py", "--json", "--rank", "cpu", "--until")
    report = json.loads(venus(*wide, "99%", "--repeats", "9", "--min-runs", "4").stdout)
    assert 4 <= report["measurement"]["repeats"] < 9
    done = venus("one.py", "--rank", "cpu", "--until", "0.001%", "--repeats", "4")
    assert "after 4 repeats, not ± 0.001 %; more --repeats may reach it" in done.stdout
    assert "figures    4 repeats" in done.stdout


@needs_isolation
def test_warmup_runs_do_not_count(venus: Cli, tmp_path: Path) -> None:
    done = venus("one.py", "--warmup", "2", "--min-runs", "4", "--export-csv", "a.csv", "--json")
    assert json.loads(done.stdout)["measurement"]["repeats"] == 4
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert [row["repeat"] for row in rows] == ["1", "2", "3", "4"]


# ------------------------------------------------------------------ commands


@needs_isolation
def test_command_without_language_is_measured(venus: Cli) -> None:
    report = json.loads(venus("--cmd", "sort -n", "--stdin", "numbers.txt", "--json").stdout)
    assert (report["file"], report["language"], report["verdict"]) == ("sort -n", None, "accepted")
    assert report["tests"][0]["stdout"] == "9\n10\n"
    assert report["relative_time"] is None
    assert report["measurement"]["wall_ns"] > 0
    assert report["sandbox"]["isolation"] != "none"
    assert not report["environment"]["toolchains"]


@needs_isolation
def test_no_shell_reads_a_command(venus: Cli) -> None:
    done = venus("--cmd", "echo $HOME; echo *", "--json", "--repeats", "1")
    assert json.loads(done.stdout)["tests"][0]["stdout"] == "$HOME; echo *\n"


@needs_isolation
def test_a_command_that_does_not_exist(venus: Cli) -> None:
    done = venus("--cmd", "no-such-command -x")
    assert done.exit_code == 1
    assert "verdict    compile_error (the command)" in done.stdout
    assert "no executable command no-such-command" in done.stdout
    assert "--project DIR" in done.stdout


@needs_isolation
def test_a_hostile_command_stays_in_the_sandbox(venus: Cli, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    attack = f"cat {secret}; echo x > {tmp_path}/left; echo x > left; ls {tmp_path}; exit 0"
    report = json.loads(venus("--cmd", f'sh -c "{attack}"', "--json", "--repeats", "1").stdout)
    assert "hidden" not in report["tests"][0]["stdout"]
    assert not (tmp_path / "left").exists()
    assert not Path("left").exists()


@needs_isolation
def test_a_command_that_prints_without_end_names_the_option(venus: Cli) -> None:
    done = venus("--cmd", "yes", "--limit-output-mib", "1")
    assert done.exit_code == 1
    assert "verdict    output_limit" in done.stdout
    assert "type       --limit-output-mib 2 to allow more" in done.stdout
    assert "> /dev/null" in done.stdout


@needs_isolation
def test_comparison_with_a_failing_program(venus: Cli, tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def f():\n    return 1 / 0\nf()\n")
    done = venus("one.py", "crash.py", "--repeats", "1", "--export-json", "a.json")
    assert done.exit_code == 1
    assert "crash.py: exit code 1: ZeroDivisionError" in done.stdout
    assert "at         crash.py:2 in f: return 1 / 0" in done.stdout
    results = json.loads((tmp_path / "a.json").read_text())["results"]
    assert [(result["verdict"], len(result["times"])) for result in results] == [
        ("accepted", 1),
        ("runtime_error", 0),
    ]
    assert results[1]["mean"] is None


# ------------------------------------------------------------------ exports


def some_runs(name: str = "a|b.py") -> ProgramRuns:
    named = NamedProgram(name, Program(LANGUAGES["python"], ""), None, {"n": "3"})
    result = ProgramAssessment(Judged(Judgement(Verdict.ACCEPTED), costs={}), ratio=1.0)
    runs = [
        tuple(dataclasses.replace(BASE, wall_ns=wall * 10**6) for wall in walls)
        for walls in ((1, 2), (3, 4))
    ]
    return ProgramRuns(named, result, (TestCase("1", ""), TestCase("2", "")), tuple(runs))


def test_exports_have_every_run(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("markdown", "csv", "json")}
    check_exports(files)
    assert not list(tmp_path.iterdir()), "checking leaves nothing"
    write_exports(files, [some_runs()])
    (result,) = json.loads(files["json"].read_text())["results"]
    assert (result["command"], result["parameters"]) == ("a|b.py (n=3)", {"n": "3"})
    assert result["times"] == pytest.approx([0.003, 0.007])
    assert (result["mean"], result["min"]) == (pytest.approx(0.005), pytest.approx(0.003))
    assert [(run["repeat"], run["test"], run["wall_ns"]) for run in result["runs"]] == [
        (1, "1", 10**6),
        (1, "2", 2 * 10**6),
        (2, "1", 3 * 10**6),
        (2, "2", 4 * 10**6),
    ]
    rows = list(csv.reader(io.StringIO(files["csv"].read_text())))
    assert rows[0][:4] == ["command", "parameter_n", "repeat", "test"]
    assert rows[4][:5] == ["a|b.py (n=3)", "3", "2", "2", "4000000"]
    markdown = files["markdown"].read_text()
    assert "| `a\\|b.py (n=3)` | 5.00 ± 2.83 | 3.00 | 7.00 | 1.00 |" in markdown
    assert markdown.count("\n") == 3 + 1 + 6


def test_export_to_a_device(tmp_path: Path) -> None:
    files: Mapping[str, Path | None] = {"csv": Path("/dev/null"), "json": None}
    check_exports(files)
    write_exports(files, [some_runs()])
    assert Path("/dev/null").is_char_device()


# ------------------------------------------------------------------ crashes

TRACEBACKS = {
    "python": (
        'Traceback (most recent call last):\n  File "/work/main.py", line 3, in <module>\n'
        '    f()\n  File "/usr/lib/python3/json.py", line 9, in x\n'
        '  File "/work/main.py", line 2, in f\nValueError: no\n',
        [("main.py", 2, "f"), ("main.py", 3, "<module>")],
    ),
    "java": (
        'Exception in thread "main" java.lang.NumberFormatException: For input string\n'
        "\tat java.base/java.lang.Integer.parseInt(Integer.java:668)\n"
        "\tat Main.solve(Main.java:2)\n\tat Main.main(Main.java:3)\n",
        [("Main.java", 2, "Main.solve"), ("Main.java", 3, "Main.main")],
    ),
    "javascript": (
        "/work/main.js:2\n  return x.y;\n\nTypeError: no\n    at solve (/work/main.js:2:14)\n"
        "    at Object.<anonymous> (/work/main.js:3:1)\n    at node:internal/x:28:49\n",
        [("main.js", 2, "solve"), ("main.js", 3, "Object.<anonymous>")],
    ),
    "ruby": (
        "main.rb:2:in `Integer': no (ArgumentError)\n\tfrom main.rb:2:in `solve'\n"
        "\tfrom main.rb:3:in '<main>'\n",
        [("main.rb", 2, "solve"), ("main.rb", 3, "<main>")],
    ),
    "go": (
        "panic: no\n\ngoroutine 1 [running]:\nmain.(*T).solve(0xc000)\n\t/work/main.go:2 +0x1\n"
        "main.main()\n\t/work/main.go:3 +0xa\n",
        [("main.go", 2, "main.(*T).solve"), ("main.go", 3, "main.main")],
    ),
    "rust": (
        "\nthread 'main' (3) panicked at main.rs:2:22:\nno\n"
        "   0: main::main\n             at ./main.rs:3:5\n",
        [("main.rs", 2, ""), ("main.rs", 3, "")],
    ),
    "cpp": (
        "==1==ERROR: AddressSanitizer: heap\n    #0 0x5 in f() /work/main.cpp:2:5\n"
        "    #1 0x6 in main /work/main.cpp:3\n    #2 0x7 in x /usr/include/c.h:9\n",
        [("main.cpp", 2, ""), ("main.cpp", 3, "")],
    ),
}
SOURCE = "first\n  second  \nthird\n"


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_own_frames_newest_first(name: str) -> None:
    error, expected = TRACEBACKS[name]
    frames = read_frames(error, Program(LANGUAGES[name], SOURCE))
    assert [frame[:3] for frame in frames] == expected
    assert [frame.text for frame in frames] == ["second", "third"]


@pytest.mark.parametrize("name", sorted(LANGUAGES))
@pytest.mark.parametrize("letter", [*" \t\n(a/:'.1\"", "panicked at '", 'File "', "a.h:", "(a "])
def test_hostile_traceback_is_fast(name: str, letter: str) -> None:
    error = (letter * (64 << 10))[: 64 << 10]
    program = Program(LANGUAGES[name], SOURCE)
    begun = time.process_time()
    read_frames(error, program)
    program.language.missing_file.search(error)
    assert time.process_time() - begun < 2


def test_frames_with_missing_lines() -> None:
    program = Program(LANGUAGES["python"], "one\n", (File("lib/a.py", b"x\ny\n"),))
    error = (
        'File "/work/lib/a.py", line 2, in f\nFile "/work/xmain.py", line 1\n'
        'File "/work/main.py", line 99999999999999999999, in g\n'
    )
    assert read_frames(error, program, "mine.py") == [
        TracebackFrame("mine.py", 999999999, "g", ""),
        TracebackFrame("lib/a.py", 2, "f", "y"),
    ]


def explained(
    error: str,
    verdict: Verdict = Verdict.RUNTIME_ERROR,
    file: Path | None = None,
    name: str = "python",
) -> list[tuple[str, str]]:
    source = file.read_text() if file else "x\n"
    program = Program(LANGUAGES[name], source)
    return list(explanation(program, Judgement(verdict), error, Limits(), file))


def test_last_lines_without_a_frame() -> None:
    error = "".join(f"line {number}\n" for number in range(9))
    assert [line for _, line in explained(error)] == [f"line {number}" for number in range(4, 9)]


def test_missing_file_suggests_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text("")
    error = "FileNotFoundError: [Errno 2] No such file or directory: '{}'\n"
    assert explained(error.format("data.txt"))[-1][1].startswith("--file data.txt to put")
    for other in ("/etc/shadow", "../data.txt", "gone.txt"):
        assert explained(error.format(other))[-1][1].startswith("--file PATH=NAME to put")


MISSING_FILES = {
    "python": "FileNotFoundError: [Errno 2] No such file or directory: 'a.txt'",
    "java": "java.io.FileNotFoundException: a.txt (No such file or directory)",
    "javascript": "Error: ENOENT: no such file or directory, open 'a.txt'",
    "ruby": "main.rb:1:in `initialize': No such file or directory @ rb_sysopen - a.txt (Errno::ENOENT)",
    "go": "panic: open a.txt: no such file or directory",
    "rust": 'value: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
    "cpp": "what():  filesystem error: cannot open: No such file or directory [a.txt]",
}


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_missing_file_in_every_language(name: str) -> None:
    match = LANGUAGES[name].missing_file.search(MISSING_FILES[name])
    assert match
    assert (match.groups() or ("a.txt",))[0] == "a.txt"


def test_a_missing_file_of_a_command() -> None:
    never = read_command("sort", LANGUAGES).language.missing_file
    for line in (
        "sort: cannot read: a.txt: No such file or directory",
        "cat: 'a.txt': No such file or directory",
    ):
        assert (match := never.search(line))
        assert match[1] == "a.txt"


def test_missing_module_suggests_project(tmp_path: Path) -> None:
    file = tmp_path / "main file.py"
    file.write_text("import helper\n")
    error = "ModuleNotFoundError: No module named 'helper'\n"
    (_, line) = explained(error, file=file)[-1]
    assert line == (
        f"venus run --project '{tmp_path}' --cmd 'python3 '\"'\"'main file.py'\"'\"'', "
        "if it is a module of your own"
    ).replace(f"'{tmp_path}'", str(tmp_path))
    (tmp_path / "helper.py").write_text("")
    assert explained(error, file=file)[-1][1].endswith("since helper is next to main file.py")
    known = "ModuleNotFoundError: No module named 'sortedcontainers'\n"
    assert not any("--project" in text for _, text in explained(known, file=file))


@pytest.mark.parametrize(
    ("verdict", "option"),
    [
        (Verdict.TIME_LIMIT, "--limit-wall-s 20 to allow more"),
        (Verdict.MEMORY_LIMIT, "--limit-memory-mib 1024 to allow more"),
        (Verdict.OUTPUT_LIMIT, "--limit-output-mib 128 to allow more"),
    ],
)
def test_a_limit_names_its_option(verdict: Verdict, option: str) -> None:
    assert ("type", option) in explained("", verdict)


def test_reason_is_the_error_without_frames() -> None:
    error = TRACEBACKS["java"][0].replace("Integer.parse", "NumberFormatException.for")
    run = dataclasses.replace(BASE, exit_code=1, stderr=error.encode())
    _, reason = ending(run, LANGUAGES["java"])
    assert reason.endswith("java.lang.NumberFormatException: For input string")
