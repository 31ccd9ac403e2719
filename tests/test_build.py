"""`venus build`, whole: what comes out, what a second build redoes, what a stop costs, and what is dropped and why.

Broken problem folders are in test_folder.py, generators in test_generation_run.py, disks in test_store.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
import yaml

from venus_toolkit.builders import build as build_module
from venus_toolkit.doctor import check_toolchain, why_not_isolated
from venus_toolkit.errors import SandboxError, SourceError
from venus_toolkit.language import load_languages
from venus_toolkit.sandbox import Compiled, Program
from venus_toolkit.sandbox.folders import FIRST_UID
from venus_toolkit.sandbox.local import LocalSandbox
from venus_toolkit.supervisor import Cores

PROBLEM = why_not_isolated()
needs_cpp = pytest.mark.skipif(not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed")
pytestmark = [
    pytest.mark.isolation,
    pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"),
]

Shop = Any  # tests/conftest.py: Workshop
SMALL = ("--tests", "8", "--repeats", "2", "--min-solutions", "2")
CPP_PLUS = '#include <cstdio>\nint main() { int n; std::scanf("%d", &n); std::printf("%d\\n", n + n); }\n'


# ------------------------------------------------------------------ what comes out


@needs_cpp
def test_the_first_columns_are_the_ancestors(built: Shop) -> None:
    schema = pq.read_schema(built.out / "data/cpp/train-00000-of-00001.parquet")
    assert schema.names[:11] == [
        "problem_id", "title", "question_content", "difficulty", "tags", "code_prompt", "solutions",
        "test_case_generator", "test_case_evaluator", "test_case_runners", "test_cases",
    ]  # fmt: skip
    fields = schema.field("solutions").type.value_type
    assert [(fields.field(i).name, str(fields.field(i).type)) for i in range(6)] == [
        ("code", "string"), ("status", "string"), ("passed", "bool"),
        ("time", "double"), ("memory", "double"), ("integral", "double"),
    ]  # fmt: skip
    assert str(schema.field("problem_id").type) == "int64"
    assert str(schema.field("tags").type).startswith("list<")


@needs_cpp
def test_every_problem_has_its_texts(built: Shop) -> None:
    table = built.rows()
    assert set(table) == {"add-two", "divisors", "square"}
    square = table["square"]
    assert square["question_content"] == "Return the square of an integer.\n"
    assert square["code_prompt"].startswith("class Solution:")
    assert "==Code Submission==" in square["test_case_runners"]
    assert "def generate(seed, size)" in square["test_case_generator"]
    assert "#include" in built.rows("cpp")["square"]["test_case_runners"]
    for row in table.values():
        space: dict[str, Any] = {}
        exec(row["test_case_evaluator"], space)
        assert space["evaluate"]("1 2\n", "1 2\n") is True
        assert space["evaluate"]("1 2\n", "1 3\n") is False
    assert table["divisors"]["license"] == "CC0-1.0"


@needs_cpp
def test_test_cases_are_json_and_the_same_in_both_languages(built: Shop) -> None:
    python, cpp = built.rows(), built.rows("cpp")
    for title, row in python.items():
        assert row["test_cases"] == cpp[title]["test_cases"]
        assert row["split"] == cpp[title]["split"]
        cases = json.loads(row["test_cases"])
        assert {"input", "output"} <= set(cases[0])
        assert {case["size"] for case in cases} == {"small", "boundary", "random", "large"}
    for case in json.loads(python["add-two"]["test_cases"]):
        assert int(case["output"]) == sum(map(int, case["input"].split()))


@needs_cpp
def test_verdicts(built: Shop) -> None:
    verdicts = {
        f"{title}/{name}": solution["status"]
        for title in built.rows()
        for name, solution in built.solutions(title).items()
    }
    assert verdicts == {
        "add-two/plus": "accepted", "add-two/one_by_one": "accepted", "add-two/wrong_minus": "wrong_answer",
        "add-two/slow_count": "time_limit", "divisors/up": "accepted", "divisors/down": "accepted",
        "divisors/wrong_without_one": "wrong_answer", "square/times": "accepted", "square/power": "accepted",
    }  # fmt: skip
    cpp = {name: solution["status"] for name, solution in built.solutions("add-two", "cpp").items()}
    assert cpp == {"plus": "accepted", "minus": "accepted", "wrong_or": "wrong_answer", "slow_count": "time_limit"}
    assert built.manifest["configs"]["cpp"]["unexpected"] == {}


@needs_cpp
def test_lesson_10_what_was_not_measured_is_null(built: Shop) -> None:
    for title in built.rows():
        for solution in built.solutions(title).values():
            assert solution["passed"] == (solution["status"] == "accepted")
            figures = [solution[name] for name in built.measured - {"noise"}]
            if solution["passed"]:
                assert None not in figures
            else:
                assert set(figures) == {None}
                assert solution["failing_test"]
                assert solution["reason"]


@needs_cpp
@pytest.mark.parametrize("language", ["python", "cpp"])
def test_units(built: Shop, language: str) -> None:
    for title in built.rows(language):
        passed = [solution for solution in built.solutions(title, language).values() if solution["passed"]]
        for solution in passed:
            assert solution["time"] == pytest.approx(solution["wall_ns"] / 1e6)
            assert solution["memory"] == pytest.approx(solution["peak_bytes"] / 1024)
            assert solution["integral"] == pytest.approx(solution["integral_byte_ns"] / 1024 / 1e6)
            assert min(solution["wall_ns"], solution["cpu_ns"], solution["relative_time"]) > 0
            assert solution["peak_bytes"] > 100_000
            assert 0 < solution["integral_byte_ns"] <= solution["wall_ns"] * solution["peak_bytes"]
            assert solution["repeats"] == 2
        assert sorted(solution["rank"] for solution in passed) == [1, 2]


@needs_cpp
def test_the_manifest_lists_every_file_with_its_checksum(built: Shop) -> None:
    here = {str(path.relative_to(built.out)) for path in built.out.rglob("*") if path.is_file()}
    published = {name for name in here if not name.startswith(".venus/")}
    assert set(built.manifest["files"]) == published - {"manifest.json"}
    for name, value in built.manifest["files"].items():
        assert hashlib.sha256((built.out / name).read_bytes()).hexdigest() == value


@needs_cpp
def test_the_json_report_is_the_manifest_and_what_the_build_took(built: Shop) -> None:
    report = json.loads(built.done.stdout)
    took = {name: report[name] for name in ("seconds", "toolkit_peak_bytes")}
    assert report == {**built.manifest, **took, "out": str(built.out)}
    assert set(built.manifest) == {
        "toolkit", "plan", "configs", "found", "placements", "tests", "quality", "dropped", "lacking", "sandbox",
        "environment", "files",
    }  # fmt: skip
    assert set(report["configs"]) == {"python", "cpp"}
    for config in report["configs"].values():
        assert set(config) == {"splits", "rank", "fingerprint", "verdicts", "unexpected", "repeatability"}
    assert report["tests"]["found"] == report["tests"]["kept"] + report["tests"]["dropped"]
    assert report["toolkit_peak_bytes"] < 500 * 2**20
    assert set(report["environment"]["toolchains"]) == {"python", "cpp"}


@needs_cpp
def test_the_card_says_what_is_there(built: Shop) -> None:
    card = (built.out / "README.md").read_text()
    front = yaml.safe_load(card.split("---\n")[1])
    assert [config["config_name"] for config in front["configs"]] == ["python", "cpp"]
    for config in front["configs"]:
        assert [file["split"] for file in config["data_files"]] == ["train", "test"]
        assert all((built.out / file["path"]).is_file() for file in config["data_files"])
    counts = built.manifest["configs"]["python"]["splits"]["train"]
    assert f"| python | train | {counts['problems']} | {counts['solutions']} |" in card


@needs_cpp
@pytest.mark.parametrize("name", ["cpp", "python"])
def test_load_dataset_reads_it(built: Shop, tmp_path: Path, name: str) -> None:
    """In a process of its own: the warnings of the library are not ours."""
    script = f"from datasets import load_dataset\nd = load_dataset({str(built.out)!r}, {name!r})\n"
    script += "import json; print(json.dumps({k: [r['title'] for r in v] for k, v in d.items()}))"
    env = {**built.environment(), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout.splitlines()[-1])
    assert list(read) == ["train", "test"]
    assert {title: part for part, titles in read.items() for title in titles} == {
        title: row["split"] for title, row in built.rows(name).items()
    }
    assert len(read["test"]) == 1


@needs_cpp
def test_dropped_inputs_keep_their_reason(built: Shop) -> None:
    assert sorted(built.dropped, key=str) == [
        {"stage": "generate", "problem": title, "item": "boundary-1", "reason": "the same input as boundary-0",
         "detail": None}
        for title in ("add-two", "divisors", "square")
    ]  # fmt: skip


# ------------------------------------------------------------------ the second build


def times(folder: Path) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".venus" not in path.parts]
    return {str(path): path.stat().st_mtime_ns for path in files}


@needs_cpp
def test_nothing_changed_does_nothing(built: Shop) -> None:
    before, manifest = times(built.out), built.manifest
    done = built.build_apart("--lang", "python", "--lang", "cpp", *SMALL)
    assert done.returncode == 0
    assert done.stdout.startswith(f"Nothing changed since the last build: {built.out} is up to date.")
    assert "judge" not in done.stderr
    again = built.build_apart("--lang", "cpp", *SMALL, "--json")
    assert json.loads(again.stdout) == {**manifest, "unchanged": True, "out": str(built.out)}
    assert times(built.out) == before
    assert built.manifest == manifest


class Counting(LocalSandbox):
    """A local sandbox that remembers what it was asked to compile."""

    asked: list[Program] = []  # noqa: RUF012

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        self.asked.append(program)
        return super().compile(program, cores)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    monkeypatch.setattr(Counting, "asked", [])
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Counting())
    return Counting.asked


def test_a_changed_solution_redoes_what_concerns_it(shop: Shop, compiled: list[Program]) -> None:
    folder = shop.problem()
    shop.problem("other")
    shop.build(quality={"mutants": 0})
    before = shop.rows()
    compiled.clear()
    changed = "print(sum([int(input())] * 2))\n"
    (folder / "solutions/python/plus.py").write_text(changed)
    assert "unchanged" not in shop.build(quality={"mutants": 0})
    beside = {shop.twice["solutions/python/times.py"], shop.twice["solutions/python/shift.py"]}
    assert {program.source for program in compiled} == {changed, *beside, load_languages()["python"].reference}
    assert shop.rows()["other"] == before["other"]
    assert shop.solutions()["plus"]["code"] == changed
    assert shop.rows()["twice"]["test_cases"] == before["twice"]["test_cases"]


def test_a_changed_statement_or_a_deleted_file_runs_nothing(shop: Shop, compiled: list[Program]) -> None:
    folder = shop.problem()
    shop.build()
    before = shop.rows()["twice"]
    compiled.clear()
    (folder / "statement.md").write_text("Print n twice over.\n")
    shop.build()
    assert shop.rows()["twice"] == {**before, "question_content": "Print n twice over.\n"}
    (shop.out / "data/python/train-00000-of-00001.parquet").unlink()
    shop.build()
    assert shop.rows()["twice"] == {**before, "question_content": "Print n twice over.\n"}
    assert compiled == []


def test_deleting_the_work_folder_only_costs_time(shop: Shop) -> None:
    shop.problem()
    shop.build()
    before = shop.outcome()
    shutil.rmtree(shop.out / ".venus")
    assert shop.build()["unchanged"]
    (shop.out / "manifest.json").unlink()
    shop.build()
    assert shop.outcome() == before


@needs_cpp
def test_another_language_joins_the_folder(shop: Shop) -> None:
    """The one that is there stays, with its files and the reasons of what it dropped."""
    more = CPP_PLUS.replace("n + n", "n * 2")
    shop.problem("twice", {"solutions/cpp/plus.cpp": CPP_PLUS, "solutions/cpp/times.cpp": more})
    shop.problem("lonely", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",), min_solutions=2)
    cpp = shop.rows("cpp")
    assert set(cpp) == {"twice"}
    shop.build(lang=("python",), min_solutions=2)
    assert set(shop.manifest["configs"]) == {"cpp", "python"}
    assert shop.rows("cpp") == cpp
    assert shop.rows()["twice"]["split"] == cpp["twice"]["split"]
    why = "1 passing solutions in cpp, the threshold is 2"
    assert why in [row["reason"] for row in shop.dropped], "the first build's reasons are lost"
    assert shop.build(lang=("cpp", "python"), min_solutions=2)["unchanged"]


@needs_cpp
def test_all_languages_of_a_folder_have_one_split_and_the_same_tests(shop: Shop) -> None:
    """A language that was built with another plan does not stay as if it were the same."""
    for number in range(6):
        shop.problem(f"p{number}", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",), seed=0, tests=1, test_fraction=0.5)
    shop.build(lang=("python",), seed=1, tests=1, test_fraction=0.5)
    tables = [shop.rows(name) for name in shop.manifest["configs"]]
    for part in ("split", "test_cases"):
        assert len({str({title: row[part] for title, row in sorted(table.items())}) for table in tables}) == 1


@needs_cpp
def test_the_other_languages_file_may_be_gone(shop: Shop) -> None:
    shop.problem("twice", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",))
    for file in (shop.out / "data/cpp").iterdir():
        file.unlink()
    shop.build(lang=("python",))
    assert set(shop.rows()) == {"twice"}
    assert all((shop.out / name).is_file() for name in shop.manifest["files"])


# ------------------------------------------------------------------ stopping and going on


class Stopped:
    """Builds that are stopped, all into one folder."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.temporary = shop.folder / "tmp"
        self.temporary.mkdir()
        self.pids: list[int] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipe, environment = subprocess.PIPE, self.shop.environment(self.temporary)
        process = subprocess.Popen(self.shop.argv(*words), stdout=pipe, stderr=pipe, text=True, env=environment)
        self.pids.append(process.pid)
        return process

    def stop_when_it_says(self, line: str, how: signal.Signals, *words: str) -> subprocess.CompletedProcess[str]:
        process, said = self.start(*words), [""]
        assert process.stderr
        while not said[-1].startswith(line):
            said.append(process.stderr.readline())
            assert said[-1], f"it ended before it said {line!r}: {''.join(said)}"
        process.send_signal(how)
        stdout, stderr = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def journalled(self) -> int:
        journal = self.shop.out / ".venus/journal.duckdb"
        if not journal.exists():
            return 0
        with duckdb.connect(str(journal)) as connection:
            counted = connection.execute("select count(*) from journal").fetchone()
        assert counted
        return int(counted[0])

    def processes(self) -> list[str]:
        """What still runs of these builds: by the folder in the command line, or by the user that programs run as."""
        users = {FIRST_UID + pid % 4000 for pid in self.pids} if os.geteuid() == 0 else set()
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                if str(self.temporary) in words or place.stat().st_uid in users:
                    found.append(f"{place.name} {words}")
            except OSError:
                continue  # it ended while we looked
        return found

    def leftovers(self) -> list[Path]:
        drafts = [path for path in self.shop.out.rglob("*") if "draft" in path.name]
        cgroups = [path for pid in self.pids for path in Path("/sys/fs/cgroup").glob(f"**/venus-{pid}-*")]
        return [*self.temporary.glob("venus-*"), *drafts, *cgroups]


@needs_cpp
def test_killed_at_every_stage_it_goes_on_to_the_same_result(
    built: Shop, shop: Shop, eventually: Callable[[Callable[[], object]], bool]
) -> None:
    words = ("--lang", "python", "--lang", "cpp", *SMALL)
    shop.source = built.source
    stopped, journalled = Stopped(shop), [0]
    for stage in ("generate: 2", "validate: 3", "validate: ", "judge python: 4", "measure python: ", "measure cpp: "):
        stopped.stop_when_it_says(stage, signal.SIGKILL, *words)
        assert eventually(lambda: not stopped.processes()), stopped.processes()
        assert not (shop.out / "manifest.json").exists()
        journalled.append(stopped.journalled())
    assert journalled == sorted(journalled), "something that was finished is lost"
    assert journalled[1] >= 1
    last = stopped.start(*words)
    _, complaint = last.communicate(timeout=600)
    assert last.returncode == 0, complaint
    assert shop.outcome() == built.outcome()
    assert eventually(lambda: not stopped.processes()), stopped.processes()
    assert stopped.leftovers() == []


def test_ctrl_c_keeps_what_was_finished(shop: Shop) -> None:
    stopped = Stopped(shop.small())
    ended = stopped.stop_when_it_says("validate: ", signal.SIGINT, "--lang", "python", *SMALL)
    assert ended.returncode == 130
    assert ended.stderr.endswith("stopped\n  what was finished is kept: type the same command to go on\n")
    assert "Traceback" not in ended.stderr
    assert stopped.leftovers() == []
    assert stopped.journalled() > 0


# ------------------------------------------------------------------ what is dropped, and why


def test_a_problem_below_the_threshold(shop: Shop) -> None:
    shop.problem("twice", {"solutions/python/wrong_one.py": "print(1)\n"})
    shop.problem("poor", {"solutions/python/shift.py": None, "solutions/python/wrong_zero.py": "print(0)\n"})
    manifest = shop.build(min_solutions=3)
    assert set(shop.rows()) == {"twice"}
    why = "2 passing solutions in python, the threshold is 3"
    (row,) = shop.dropped
    assert (row["stage"], row["problem"], row["item"], row["reason"]) == ("threshold python", "poor", "poor", why)
    assert manifest["dropped"] == {"threshold python": {"N passing solutions in python, the threshold is N": 1}}


def test_when_no_problem_is_left_the_summary_says_so(shop: Shop) -> None:
    shop.problem()
    done = shop.build_apart("--lang", "python", "--tests", "2", "--repeats", "1", "--min-solutions", "50")
    assert "Traceback" not in done.stderr
    assert shop.rows() == {}
    assert "the threshold is N" in done.stdout
    assert [row["reason"] for row in shop.dropped] == ["3 passing solutions in python, the threshold is 50"]


def test_solutions_that_are_not_what_they_are_said_to_be(shop: Shop) -> None:
    programs = {
        "liar": "n = int(input())\nprint(n * n + 1)\n",
        "wrong_but_right": "print(2 * int(input()))\n",
        "slow_but_wrong": "print(5)\n",
        "unknown_guess": "print(7)\n",
    }
    shop.problem("twice", {f"solutions/python/{name}.py": code for name, code in programs.items()})
    said = shop.build()["configs"]["python"]["unexpected"]
    assert set(said) == {"twice/python/liar", "twice/python/wrong_but_right", "twice/python/slow_but_wrong"}
    assert said["twice/python/liar"].startswith("said to be accepted, is wrong_answer: ")
    assert said["twice/python/wrong_but_right"].startswith("said to be wrong, is accepted")
    assert said["twice/python/slow_but_wrong"].startswith("said to be slow, is wrong_answer")
    assert shop.solutions()["wrong_but_right"]["time"] is not None
    (quarantined,) = [row for row in shop.dropped if row["stage"] == "quarantine"]
    assert quarantined["item"] == "twice/python/liar"
    assert "dissents from a clear majority on 4 of 4 tests" in quarantined["reason"]


def test_lesson_17_one_dissent_drops_the_test_and_says_who(shop: Shop) -> None:
    odd = "n = int(input())\nprint(0 if n == 1 else n * 2)\n"
    shop.problem("twice", {"solutions/python/odd_one_out.py": odd})
    manifest = shop.build(tests=20, quality={"reduce": False})
    (test,) = [row for row in shop.dropped if row["stage"] == "validate"]
    assert (test["item"], test["reason"]) == ("small-1", "canonical solutions disagree")
    assert test["detail"] == {"twice/python/odd_one_out": "line 1: expected '2', got '0'"}
    assert "1\n" not in [case["input"] for case in json.loads(shop.rows()["twice"]["test_cases"])]
    assert manifest["tests"] == {"found": 20, "kept": 19, "dropped": 1}
    assert shop.solutions()["odd_one_out"]["status"] == "accepted"


def test_lesson_9_no_test_left_is_no_pass(shop: Shop) -> None:
    shop.problem()
    torn = {name: f"print({number})\n" for number, name in enumerate(shop.twice) if name.startswith("solutions")}
    shop.problem("torn", torn)
    shop.build()
    assert set(shop.rows()) == {"twice"}
    reasons = {row["item"]: row["reason"] for row in shop.dropped if row["problem"] == "torn"}
    assert reasons.pop("torn") == "no test is left"
    assert len(reasons) == 4
    assert set(reasons.values()) == {"canonical solutions disagree"}


def test_lesson_9_every_test_of_every_problem_dropped(shop: Shop) -> None:
    """Nothing can be built; the message sends the reader to a file, and the file says why."""
    shop.problem("twice", {"generator.py": "def generate(seed, size):\n    return 1 / 0\n"})
    done = shop.build_apart("--lang", "python", "--tests", "4")
    assert done.returncode == 2
    (told,) = re.findall(r"see (\S+)", done.stderr)
    assert "ZeroDivisionError" in Path(told).read_text()
    assert not (shop.out / "manifest.json").exists()


def test_a_canonical_solution_that_is_too_slow_in_tests_that_were_dropped(shop: Shop) -> None:
    """It is judged by the tests that are kept, as every other one."""
    slow = "n = int(input())\nwhile n < 3: pass\nprint(n * 2)\n"
    torn = "n = int(input())\nprint(n * 2 if n > 2 else -1)\n"
    programs = {"late": slow, "torn": torn, "other": torn.replace("-1", "-2")}
    changes: dict[str, str | None] = {f"solutions/python/{name}.py": code for name, code in programs.items()}
    changes["problem.toml"] = 'title = "Twice"\n[limits]\ncpu_s = 0.5\n'
    changes |= {f"solutions/python/{name}.py": None for name in ("shift", "plus")}
    changes["solutions/python/plus.py"] = torn.replace("-1", "-3")
    shop.problem("twice", changes)
    shop.build(tests=8)
    kept = [int(case["input"]) for case in json.loads(shop.rows()["twice"]["test_cases"])]
    assert kept
    assert min(kept) >= 3
    assert shop.solutions()["late"]["status"] == "accepted"


def test_lesson_10_a_solution_that_fails_now_and_then_has_no_figures_of_zero(shop: Shop) -> None:
    flaky = "import os\nn = int(input())\nassert os.urandom(1)[0] < 128\nprint(2 * n)\n"
    shop.problem("twice", {"solutions/python/unknown_flaky.py": flaky})
    shop.build(tests=8, repeats=2)
    solution = shop.solutions()["unknown_flaky"]
    assert 0 not in [solution[name] for name in shop.measured - {"noise"} if not name.endswith("spread")]


@needs_cpp
def test_a_solution_that_does_not_compile(shop: Shop) -> None:
    """It says nothing of any output, so it takes no test with it."""
    shop.problem("twice", {"solutions/python/broken.py": "print(\n", "solutions/cpp/broken.cpp": "int main( {}\n"})
    manifest = shop.build(tests=12)
    broken = shop.solutions()["broken"]
    assert (broken["status"], broken["passed"], broken["time"]) == ("compile_error", False, None)
    assert "SyntaxError" in broken["reason"]
    assert "compile_error" in manifest["configs"]["python"]["unexpected"]["twice/python/broken"]
    quarantined = {row["item"] for row in shop.dropped if row["stage"] == "quarantine"}
    assert quarantined == {"twice/python/broken", "twice/cpp/broken"}
    assert manifest["tests"]["dropped"] == 0


def test_output_that_is_not_utf8(shop: Shop) -> None:
    raw = "import os\nos.write(1, b'\\xff\\xfe')\n"
    shop.problem("twice", {"solutions/python/raw.py": raw, "solutions/python/wrong_raw.py": raw + "#\n"})
    shop.build()
    assert {name: solution["status"] for name, solution in shop.solutions().items()} == {
        "raw": "wrong_answer", "wrong_raw": "wrong_answer", "times": "accepted", "plus": "accepted",
        "shift": "accepted",
    }  # fmt: skip
    assert "twice/python/raw" in [row["item"] for row in shop.dropped]


class Fragile(LocalSandbox):
    """A sandbox that fails whenever it is shown one program."""

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        if "int(input()) << 1" in program.source:
            raise SandboxError("the sandbox stopped", "on purpose", "type: venus doctor")
        return super().compile(program, cores)


def test_a_failure_of_the_sandbox_is_no_verdict(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.problem()
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Fragile())
    manifest = shop.build()
    assert set(shop.solutions()) == {"times", "plus"}
    assert manifest["configs"]["python"]["verdicts"] == {"accepted": 2}
    assert {row["item"] for row in shop.dropped} == {"twice/python/shift"}
    assert all("the sandbox failed 2 times: the sandbox stopped" in row["reason"] for row in shop.dropped)
    assert manifest["tests"] == {"found": 4, "kept": 4, "dropped": 0}


# ------------------------------------------------------------------ a machine or a source that lacks a language


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes PATH a folder with links to every program but those named."""

    def hide(*hidden: str) -> None:
        folder = tmp_path / "path"
        folder.mkdir()
        for place in filter(Path.is_dir, map(Path, os.environ["PATH"].split(os.pathsep))):
            for program in place.iterdir():
                link = folder / program.name
                if program.name not in hidden and not link.is_symlink():
                    link.symlink_to(program)
        monkeypatch.setenv("PATH", str(folder))

    return hide


@needs_cpp
def test_a_missing_toolchain_of_the_chosen_language(shop: Shop, without: Callable[..., None]) -> None:
    shop.small()
    without("g++")
    done = shop.build_apart("--lang", "cpp", *SMALL)
    assert done.returncode == 3
    assert done.stderr == "venus: C++ is not installed: g++ not found in PATH\n  type: apt-get install g++\n"


def test_a_missing_toolchain_of_another_language(shop: Shop, without: Callable[..., None]) -> None:
    shop.problem("twice", {"solutions/cpp/plus.cpp": "int main() {}\n"})
    without("g++")
    done = shop.build_apart("--lang", "python", "--tests", "2", "--repeats", "1", "--min-solutions", "1")
    assert done.returncode == 0, done.stderr
    assert set(shop.manifest["lacking"]) == {"cpp"}
    assert "apt-get install g++" in shop.manifest["lacking"]["cpp"]
    assert "missing    cpp: C++ is not installed: g++ not found in PATH" in done.stdout
    assert set(shop.solutions()) == {"times", "plus", "shift"}


def test_a_language_that_the_source_does_not_have(shop: Shop) -> None:
    if not check_toolchain(load_languages()["ruby"]).ok:
        pytest.skip("ruby is not installed")
    shop.problem()
    with pytest.raises(SourceError, match="the source has no solution in ruby"):
        shop.build(lang=("ruby",))
