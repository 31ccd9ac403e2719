"""A second build into the same folder: redone work, more languages, interruptions.

bench/chaos kills commands at random moments; tests/core/test_store.py covers failing disks.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bench.chaos.traces import cgroups
from tests.brief import brief
from tests.building import SMALL, Shop, needs_cpp, needs_isolation
from venus_toolkit.builders import build as build_module
from venus_toolkit.core.errors import SandboxError, SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.store import JOURNAL
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.sandbox import Compiled, Program
from venus_toolkit.execution.sandbox.folders import FIRST_UID
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

pytestmark = needs_isolation
CPP_PLUS = (
    '#include <cstdio>\nint main() { int n; std::scanf("%d", &n); std::printf("%d\\n", n + n); }\n'
)


# ------------------------------------------------------------------ the second build


def times(folder: Path) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".venus" not in path.parts]
    return {str(path): path.stat().st_mtime_ns for path in files}


@needs_cpp
def test_unchanged_build_does_nothing(built: Shop, shop: Shop) -> None:
    shop.source = built.source
    shutil.copytree(built.out, shop.out)
    before, manifest = times(shop.out), shop.manifest
    done = shop.build_apart("--lang", "python", "--lang", "cpp", *SMALL)
    assert done.returncode == 0
    assert done.stdout.startswith(
        f"Nothing changed since the last build: {shop.out} is up to date."
    )
    assert "judge" not in done.stderr
    again = shop.build_apart("--lang", "cpp", *SMALL, "--json")
    assert json.loads(again.stdout) == {**manifest, "unchanged": True, "out": str(shop.out)}
    assert times(shop.out) == before
    assert shop.manifest == manifest


class Counting(LocalSandbox):
    """A local sandbox that records the programs it compiles."""

    asked: list[Program] = []  # noqa: RUF012

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        self.asked.append(program)
        return super().compile(program, cores)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    monkeypatch.setattr(Counting, "asked", [])
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Counting())
    return Counting.asked


def test_changed_solution_redoes_only_its_work(shop: Shop, compiled: list[Program]) -> None:
    folder = shop.problem()
    shop.problem("other")
    # On a busy machine `auto` may rank the same figures differently the second time.
    shop.build(quality={"mutants": 0}, rank="relative")
    before = shop.rows()
    compiled.clear()
    changed = "print(sum([int(input())] * 2))\n"
    (folder / "solutions/python/plus.py").write_text(changed)
    assert "unchanged" not in shop.build(quality={"mutants": 0}, rank="relative")
    unchanged = {shop.twice["solutions/python/times.py"], shop.twice["solutions/python/shift.py"]}
    python = load_languages()["python"]
    assert {program.source for program in compiled} == {
        changed,
        *unchanged,
        brief(python).reference,
        python.empty,
    }
    assert shop.rows()["other"] == before["other"]
    assert shop.solutions()["plus"]["code"] == changed
    assert shop.rows()["twice"]["test_cases"] == before["twice"]["test_cases"]


def test_changed_statement_or_deleted_file_runs_nothing(
    shop: Shop, compiled: list[Program]
) -> None:
    folder = shop.problem()
    shop.build()
    before = shop.rows()["twice"]
    compiled.clear()
    (folder / "statement.md").write_text("Print n twice over.\n")
    shop.build()
    assert shop.rows()["twice"] == {**before, "question_content": "Print n twice over.\n"}
    next((shop.out / "data/python").glob("*.parquet")).unlink()
    shop.build()
    assert shop.rows()["twice"] == {**before, "question_content": "Print n twice over.\n"}
    assert compiled == []


def test_deleted_work_folder_only_costs_time(shop: Shop) -> None:
    shop.problem()
    shop.build()
    before = shop.outcome()
    shutil.rmtree(shop.out / ".venus")
    assert shop.build()["unchanged"]
    (shop.out / "manifest.json").unlink()
    shop.build()
    assert shop.outcome() == before


class Failing(LocalSandbox):
    """A local sandbox that fails to compile programs containing `words`."""

    words = ""

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        if self.words and self.words in program.source:
            raise SandboxError(
                "cannot start the sandbox", "Too many open files", "type: venus doctor"
            )
        return super().compile(program, cores)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that sets the words on which the sandbox fails."""
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Failing())
    return lambda words: monkeypatch.setattr(Failing, "words", words)


def test_sandbox_failure_is_retried_by_the_next_build(
    shop: Shop, failing: Callable[[str], None]
) -> None:
    shop.problem()
    failing("<< 1")
    shop.build(quality={"mutants": 0})
    assert {row["stage"] for row in shop.dropped} == {"sandbox"}, shop.dropped
    assert set(shop.solutions()) == {"plus", "times"}
    failing("")
    assert "unchanged" not in shop.build(quality={"mutants": 0})
    assert shop.dropped == []
    assert set(shop.solutions()) == {"plus", "times", "shift"}
    assert shop.build(quality={"mutants": 0})["unchanged"]


def test_total_sandbox_failure_does_not_blame_the_source(
    shop: Shop, failing: Callable[[str], None]
) -> None:
    shop.problem()
    failing("n")
    with pytest.raises(SandboxError, match="no problem could be built") as failed:
        shop.build()
    assert failed.value.exit_code == 3
    assert "Too many open files" in failed.value.why
    assert "the same command" in failed.value.fix
    assert {row["stage"] for row in shop.dropped} == {"sandbox"}
    failing("")
    assert "lost" not in shop.build()
    assert shop.dropped == []
    assert set(shop.solutions()) == {"plus", "times", "shift"}


def test_failed_build_leaves_the_existing_release(
    shop: Shop, failing: Callable[[str], None]
) -> None:
    shop.problem()
    shop.problem("few", {"solutions/python/plus.py": None, "solutions/python/shift.py": None})
    shop.build(min_solutions=2)
    before = shop.dropped
    with pytest.raises(SourceError, match="has no solution in rust"):
        shop.build(lang=("rust",), min_solutions=2)
    failing("n")
    shutil.rmtree(shop.out / ".venus")
    with pytest.raises(SandboxError):
        shop.build(min_solutions=2, tests=3)
    assert open_release(shop.out).complaints() == []
    assert shop.dropped == before
    assert "sandbox" in (shop.out / ".venus/dropped.jsonl").read_text()


def config_tests(shop: Shop) -> dict[str, set[tuple[str, str, str, str]]]:
    """Return the rows of the config `tests` by problem: split, id, input and output."""
    release = open_release(shop.out)
    tests_by_problem: dict[str, set[tuple[str, str, str, str]]] = {}
    for part in release.splits("tests"):
        for row in pq.read_table(release.files("tests", part)).to_pylist():
            tests_by_problem.setdefault(row["title"], set()).add(
                (part, row["test_id"], row["input"], row["output"])
            )
    return tests_by_problem


@needs_cpp
def test_second_language_joins_the_folder(shop: Shop) -> None:
    """The first language keeps its files and its drops with their reasons."""
    more = CPP_PLUS.replace("n + n", "n * 2")
    shop.problem("twice", {"solutions/cpp/plus.cpp": CPP_PLUS, "solutions/cpp/times.cpp": more})
    shop.problem("lonely", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",), min_solutions=2)
    cpp = shop.rows("cpp")
    assert set(cpp) == {"twice"}
    assert set(config_tests(shop)) == {"twice"}, "an unpublished problem has no tests"
    shop.build(lang=("python",), min_solutions=2)
    assert set(shop.manifest["configs"]) == {"cpp", "python"}
    assert shop.rows("cpp") == cpp
    assert shop.rows()["twice"]["split"] == cpp["twice"]["split"]
    assert set(config_tests(shop)) == {"twice", "lonely"}
    reason = (
        "1 passing solutions in cpp, the threshold is 2: add solutions, or type --min-solutions 1"
    )
    assert reason in [row["reason"] for row in shop.dropped], "the first build's reasons are lost"
    assert shop.build(lang=("cpp", "python"), min_solutions=2)["unchanged"]


@needs_cpp
def test_languages_share_split_and_tests(shop: Shop) -> None:
    """A config from another plan is discarded."""
    for number in range(6):
        shop.problem(f"p{number}", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",), seed=0, tests=1, test_fraction=0.5)
    shop.build(lang=("python",), seed=1, tests=1, test_fraction=0.5)
    tables = [shop.rows(name) for name in shop.manifest["configs"]]
    for part in ("split", "test_cases"):
        assert (
            len(
                {
                    str({title: row[part] for title, row in sorted(table.items())})
                    for table in tables
                }
            )
            == 1
        )
    apart = config_tests(shop)
    for title, row in tables[0].items():
        cases = [
            (case["id"], case["input"], case["output"]) for case in json.loads(row["test_cases"])
        ]
        assert apart[title] == {(row["split"], *case) for case in cases}
    assert open_release(shop.out).complaints() == []


@needs_cpp
def test_file_of_other_language_may_be_missing(shop: Shop) -> None:
    shop.problem("twice", {"solutions/cpp/plus.cpp": CPP_PLUS})
    shop.build(lang=("cpp",))
    for file in (shop.out / "data/cpp").iterdir():
        file.unlink()
    shop.build(lang=("python",))
    assert set(shop.rows()) == {"twice"}
    assert all((shop.out / name).is_file() for name in shop.manifest["files"])


# ------------------------------------------------------------------ interruption and resuming


class Stopped:
    """Interrupted builds into one folder."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.temporary = shop.folder / "tmp"
        self.temporary.mkdir()
        self.pids: list[int] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipe, environment = subprocess.PIPE, self.shop.environment(self.temporary)
        process = subprocess.Popen(
            self.shop.argv(*words), stdout=pipe, stderr=pipe, text=True, env=environment
        )
        self.pids.append(process.pid)
        return process

    def stop_when_it_says(
        self, line: str, how: signal.Signals, *words: str
    ) -> subprocess.CompletedProcess[str]:
        process, lines = self.start(*words), [""]
        assert process.stderr
        while not lines[-1].startswith(line):
            lines.append(process.stderr.readline())
            assert lines[-1], f"it ended before it said {line!r}: {''.join(lines)}"
        process.send_signal(how)
        stdout, stderr = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def journalled(self) -> int:
        journal = self.shop.out / ".venus" / JOURNAL
        if not journal.exists():
            return 0
        with closing(sqlite3.connect(journal)) as connection:
            (counted,) = connection.execute("select count(*) from journal").fetchone()
        return int(counted)

    def processes(self) -> list[str]:
        """Return running processes with the temporary folder or a user of these builds."""
        users = {FIRST_UID + pid % 4000 for pid in self.pids} if os.geteuid() == 0 else set()
        running = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (
                    (place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                )
                if str(self.temporary) in words or place.stat().st_uid in users:
                    running.append(f"{place.name} {words}")
            except OSError:
                continue  # the process has ended
        return running

    def leftovers(self) -> list[Path]:
        drafts = [path for path in self.shop.out.rglob("*") if "draft" in path.name]
        return [*self.temporary.glob("venus-*"), *drafts, *map(Path, cgroups(set(self.pids)))]


@needs_cpp
@pytest.mark.thorough
def test_resume_after_kill_at_every_stage(
    built: Shop, shop: Shop, eventually: Callable[[Callable[[], object]], bool], thorough: bool
) -> None:
    words = ("--lang", "python", "--lang", "cpp", *SMALL)
    shop.source = built.source
    stopped, journalled = Stopped(shop), [0]
    every = (
        "generate: 2",
        "validate: 3",
        "validate: ",
        "judge python: 4",
        "measure python: ",
        "measure cpp: ",
    )
    for stage in every if thorough else (every[1], every[4]):
        stopped.stop_when_it_says(stage, signal.SIGKILL, *words)
        assert eventually(lambda: not stopped.processes()), stopped.processes()
        assert not (shop.out / "manifest.json").exists()
        journalled.append(stopped.journalled())
    assert journalled == sorted(journalled), "finished work is lost"
    assert journalled[1] >= 1
    last = stopped.start(*words)
    _, complaint = last.communicate(timeout=600)
    assert last.returncode == 0, complaint
    assert shop.outcome() == built.outcome()
    assert eventually(lambda: not stopped.processes()), stopped.processes()
    assert stopped.leftovers() == []


@pytest.mark.serial  # leftovers are checked without waiting
def test_ctrl_c_keeps_finished_work(shop: Shop) -> None:
    stopped = Stopped(shop.small())
    ended = stopped.stop_when_it_says("validate: ", signal.SIGINT, "--lang", "python", *SMALL)
    assert ended.returncode == 130
    assert ended.stderr.endswith(
        "stopped\n  finished work is kept: type the same command to continue\n"
    )
    assert "Traceback" not in ended.stderr
    assert stopped.leftovers() == []
    assert stopped.journalled() > 0
