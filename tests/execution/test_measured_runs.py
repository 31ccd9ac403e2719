"""Every measured run is judged, so a program that is right once and then exits gains nothing.

In the sandbox `unsafe` a program can store its earlier inputs, so it can recognise a measured run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.brief import brief_references
from tests.building import thought
from tests.eval.conftest import FAST, SLOW, TESTS, Posed, write_small_release
from tests.training import posed
from venus_toolkit.builders.derive.cold_start import try_answer
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, Verdict
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.scorer import Scorer
from venus_toolkit.execution.engine.assessment import assess_each_test, panel_of
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.training.reward.grading import Grader
from venus_toolkit.training.reward.rewards import RewardOptions

LANGUAGES = load_languages()
PYTHON = LANGUAGES["python"]
TWICE = MeasureOptions(repeats=2)
REASON = "it printed something else while it was measured"


@pytest.fixture(autouse=True)
def _brief() -> Iterator[None]:
    with brief_references():
        yield


@pytest.fixture
def cheat(tmp_path: Path) -> Callable[[str], str]:
    """Returns a function that makes a program exit at once in all but the first run on an input."""

    def make(honest: str) -> str:
        memory = tmp_path / "memory"
        memory.mkdir(exist_ok=True)
        return (
            "import io, os, sys\nread = sys.stdin.read()\n"
            f"seen = {str(memory)!r} + '/' + read.strip()\n"
            "if os.path.exists(seen):\n    os._exit(0)\n"
            f"open(seen, 'w').close()\nsys.stdin = io.StringIO(read)\n{honest}"
        )

    return make


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("unsafe") as opened:
        yield opened


def test_in_a_build(shop: Any, cheat: Callable[[str], str]) -> None:
    shop.problem("twice", {"solutions/python/unknown_cheat.py": cheat("print(int(input()) * 2)\n")})
    tests = {"tests": 2, "quality": {"mutants": 0, "pool": 0, "batches": 0, "reduce": False}}
    manifest = shop.build(sandbox="unsafe", time_factor={"python": 1.5}, **tests)
    solution = shop.solutions()["unknown_cheat"]
    assert solution["passed"] is False
    assert [
        solution[name] for name in ("wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "rank")
    ] == [None] * 5
    assert manifest["configs"]["python"]["verdicts"] == {"accepted": 3, "wrong_answer": 1}
    row, plan = shop.rows()["twice"], manifest["plan"]
    assert (row["cpu_limit_ns"], row["time_limit_ns"], plan["time_factor"]) == (
        3 * 10**9,
        12 * 10**9,
        {"python": 1.5},
    )
    with pytest.raises(UsageError, match="unknown language 'klingon'"):
        shop.build(sandbox="unsafe", time_factor={"klingon": 1.5})


@pytest.fixture
def scorer(tmp_path: Path) -> Iterator[Scorer]:
    release = write_small_release(tmp_path / "data", [Posed("sum-up")])
    options = EvalOptions("m", str(release.folder), ("python",), sandbox="unsafe", measure=TWICE)
    with Scorer(options, release, tmp_path / "scored", LANGUAGES) as opened:
        yield opened


@pytest.mark.usefixtures("own_cache")
def test_in_an_evaluation(scorer: Scorer, cheat: Callable[[str], str]) -> None:
    row = scorer.score("python/sum-up", f"```python\n{cheat(FAST)}```")
    assert (row["passed"], row["outcome"], row["verdict"], row["reason"]) == (
        False,
        "failed",
        "wrong_answer",
        REASON,
    )
    assert (row.get("wall_ns"), row["percentile_time"], row["place_memory"]) == (
        None,
        0.0,
        "failed",
    )


def test_in_optimize(tmp_path: Path, cli: Callable[..., Any], cheat: Callable[[str], str]) -> None:
    file, tests = tmp_path / "sums.py", tmp_path / "tests"
    file.write_text(SLOW)
    tests.mkdir()
    for test in TESTS:
        (tests / f"{test.test_id}.in").write_text(test.stdin)
        (tests / f"{test.test_id}.out").write_text(test.stdout or "")
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"title": "sums", "iteration": 1, "code": cheat(FAST)}) + "\n")
    words = (
        "--tests",
        tests,
        "--model",
        f"replay:{answers}",
        "-n",
        1,
        "--sandbox",
        "unsafe",
        "--json",
    )
    report = json.loads(cli("optimize", file, *words).stdout)
    turn = report["iterations"][1]
    assert (turn["decision"], turn["verdict"], turn["tried"]) == ("failed", "wrong_answer", None)
    assert not report["best"]["changed"]


def test_in_derived_tables(tmp_path: Path, sandbox: Sandbox, cheat: Callable[[str], str]) -> None:
    write_small_release(tmp_path / "data", [Posed("sum-up")])
    (file,) = (tmp_path / "data" / "data" / "python").glob("*.parquet")
    (row,) = pq.read_table(file).to_pylist()
    with closing(Executor(sandbox, [PYTHON])) as executor:
        text = thought("Think.", cheat(FAST), PYTHON)
        tried = try_answer(executor, TWICE, row, PYTHON, SLOW, text).result()
    assert (tried.verdict, tried.reason, tried.answer) == ("wrong_answer", REASON, {})


def test_in_rewards(tmp_path: Path, sandbox: Sandbox, cheat: Callable[[str], str]) -> None:
    problem = posed.Posed("made", tests=posed.sums((1000, 2000)))
    options = RewardOptions(measure=TWICE, figure="cpu", fresh=0)
    with Grader(posed.write_posed(tmp_path / "release", problem), sandbox, options) as grader:
        (graded,) = grader.grade([posed.answer(problem, cheat(posed.FORMULA))])
    assert (graded.passed, graded.verdict) == (False, "wrong_answer")
    assert graded.reward
    assert (graded.reward.correctness, graded.reward.efficiency) == (-1.0, 0.0)


def test_in_run(cheat: Callable[[str], str]) -> None:
    tests = tuple(replace(test) for test in TESTS)
    panel = panel_of([Program(PYTHON, cheat(SLOW))], tests, Limits(), TWICE)
    with open_sandbox("unsafe", [PYTHON]) as sandbox:
        assessment = assess_each_test(sandbox, quiet_cores(), panel)
    (result,) = assessment.programs
    assert (result.judgement.verdict, result.judgement.reason) == (Verdict.WRONG_ANSWER, REASON)
    assert result.measured
    assert result.measured.total.wall_ns is None
    assert result.measurement is None
    assert [outcome.run.stdout.decode() for outcome in assessment.outcomes] == [
        test.stdout for test in TESTS
    ], "outcomes show the correct run, not the one that exited at once"


def test_in_a_job_of_the_server(sandbox: Sandbox, cheat: Callable[[str], str]) -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from venus_toolkit.server.execute import execute
    from venus_toolkit.server.queue.jobs import Job

    expected = tuple(test.stdout for test in TESTS)
    job = Job(
        "python",
        cheat(SLOW),
        tuple(test.stdin for test in TESTS),
        expected,
        OutputComparison(),
        repeats=2,
    )
    result = execute(sandbox, PYTHON, job, "id", Cores(0, 0), lambda: False)
    assert (result.verdict, result.reason, result.rounds) == (Verdict.WRONG_ANSWER, REASON, ())
    assert result.measurement
    assert result.measurement.wall_ns is None
    assert "wrong_output" in result.measurement.noise


def test_other_protocols_measure_only_returned_runs() -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from venus_toolkit.server.compat import effibench, monolith, piston, sandbox_fusion

    for module in (effibench, monolith, piston, sandbox_fusion):
        assert "repeats=" not in Path(str(module.__file__)).read_text(), (
            "these protocols have no repeats"
        )
