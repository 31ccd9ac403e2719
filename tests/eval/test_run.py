"""Whole evaluations: rows, resuming, dying servers, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, MIDDLE, SLOW, WRONG, Posed
from tests.model_server import Fault, Step, completion, error, sample_of, serving
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import intact, read_manifest
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval import evaluate as run_module
from venus_toolkit.eval.eval_options import CACHED, PUBLISHED, EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.scoring import score
from venus_toolkit.eval.scoring.results import REFERENCES, SCHEMA, Writer, read_results
from venus_toolkit.execution.engine import executor
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models import client as llm
from venus_toolkit.models.client import ModelOptions

pytestmark = [*needs_isolation, pytest.mark.usefixtures("own_cache")]
LANGUAGES = load_languages()
REPEATS = 2


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "FIRST_WAIT_S", 0.001)


@pytest.fixture
def release(tmp_path: Path, write_release: Callable[..., Release]) -> Release:
    return write_release(
        tmp_path / "data", [Posed("sum-up"), Posed("add-all", difficulty="Hard", tags=("sums",))]
    )


def evaluation(
    release: Release, model: str, out: Path, server: ModelOptions | None = None, **options: Any
) -> Evaluation:
    values = {"measure": MeasureOptions(repeats=REPEATS), **options}
    chosen = EvalOptions(model, str(release.folder), ("python",), **values)
    return Evaluation(chosen, release, out, LANGUAGES, server)


def rows_of(out: Path) -> dict[tuple[str, int], dict[str, Any]]:
    return {
        (row["title"], row["sample"]): row for row in read_results(out, SCHEMA.names).to_pylist()
    }


@pytest.fixture
def replay(tmp_path: Path, write_completions: Callable[..., Path]) -> Callable[..., str]:
    def write(**answers: list[str]) -> str:
        named = {title.replace("_", "-"): codes for title, codes in answers.items()}
        return f"replay:{write_completions(tmp_path / 'completions.jsonl', named)}"

    return write


# ------------------------------------------------------------------ rows


def test_every_sample_has_a_row(
    release: Release, replay: Callable[..., str], tmp_path: Path
) -> None:
    model = replay(sum_up=[FAST, SLOW], add_all=[MIDDLE, WRONG])
    manifest = evaluation(release, model, tmp_path / "run", samples=2).run()
    rows = rows_of(tmp_path / "run")
    assert len(rows) == 4
    wrong, good = rows["add-all", 1], rows["sum-up", 0]
    assert (wrong["outcome"], wrong["passed"], wrong["verdict"], wrong["failing_test"]) == (
        "failed", False, "wrong_answer", "10",
    )  # fmt: skip
    assert (wrong["percentile_time"], wrong["place_time"], wrong["wall_ns"]) == (
        0.0,
        "failed",
        None,
    )
    assert (good["outcome"], good["verdict"], good["reason"], good["code"]) == (
        "passed",
        "accepted",
        None,
        FAST.strip(),
    )
    assert len(good["relative_time_repeats"]) == len(good["percentile_time_repeats"]) == REPEATS
    assert good["percentile_time"] == pytest.approx(sum(good["percentile_time_repeats"]) / REPEATS)
    assert 0 < good["ratio_to_best_time"] < 10
    assert (good["references"], good["references_from"], good["unranked"]) == (3, "fresh", None)
    assert not manifest["partial"]
    assert datetime.now(UTC).date() - date.fromisoformat(manifest["start_date"]) <= timedelta(
        days=1
    )
    assert manifest["scores"][0]["pass_at_1"][0] == 0.75
    assert manifest["scores"][0]["outcomes"] == {"passed": 3, "failed": 1}
    assert intact(tmp_path / "run", read_manifest(tmp_path / "run") or {})
    groups = [(scores["by"], scores["name"]) for scores in manifest["scores"]]
    assert groups == [
        ("all", "all"), ("language", "python"), ("difficulty", "Easy"), ("difficulty", "Hard"),
        ("tag", "math"), ("tag", "sums"),
    ]  # fmt: skip


def test_a_copy_is_judged_once_and_measured_as_itself(
    release: Release, replay: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    original = Executor.judge

    def count(self: Executor, worker: Any, suite: Any, program: Any) -> Any:
        judged.append(program.source)
        return original(self, worker, suite, program)

    monkeypatch.setattr(Executor, "judge", count)
    model = replay(sum_up=[FAST, FAST, FAST], add_all=[FAST, FAST, FAST])
    evaluation(release, model, tmp_path / "run", samples=3).run()
    assert len(judged) == 2, "once for each task"
    walls = {row["wall_ns"] for row in rows_of(tmp_path / "run").values()}
    assert len(walls) == 6


def test_an_answer_without_code_fails_with_its_reason(
    release: Release, tmp_path: Path, write_completions: Callable[..., Path]
) -> None:
    file = tmp_path / "c.jsonl"
    answers = {
        "sum-up": "I am sorry, but I cannot help with that request.",
        "add-all": "```cpp\nint main() {}\n```",
    }
    lines = [
        {"title": title, "answer": text, "completion_tokens": 1000}
        for title, text in answers.items()
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = evaluation(release, f"replay:{file}", tmp_path / "run").run()
    rows = rows_of(tmp_path / "run")
    assert {row["outcome"] for row in rows.values()} == {"no_code"}
    assert "no code block" in rows["sum-up", 0]["reason"]
    assert "the code is cpp" in rows["add-all", 0]["reason"]
    assert (rows["sum-up", 0]["verdict"], rows["sum-up", 0]["percentile_time"]) == (None, 0.0)
    assert manifest["scores"][0]["pass_at_1"][0] == 0.0
    assert manifest["scores"][0]["efficiency"]["time"]["places"] == [0.0, 0.0, 0.0, 1.0]
    assert not manifest["partial"]


def test_task_with_one_reference_is_not_ranked(
    tmp_path: Path, write_release: Callable[..., Release], replay: Callable[..., str]
) -> None:
    release = write_release(
        tmp_path / "data", [Posed("sum-up"), Posed("lonely", (FAST,)), Posed("nobody", ())]
    )
    manifest = evaluation(
        release, replay(sum_up=[FAST], lonely=[FAST], nobody=[WRONG]), tmp_path / "run"
    ).run()
    assert manifest["unranked"] == {
        "python/lonely": "it has 1 of the 2 reference solutions that a rank needs",
        "python/nobody": "it has 0 of the 2 reference solutions that a rank needs",
    }
    rows = rows_of(tmp_path / "run")
    assert (rows["lonely", 0]["passed"], rows["lonely", 0]["percentile_time"]) == (True, None)
    assert rows["nobody", 0]["percentile_time"] is None, "a missing rank differs from a rank of 0"
    assert manifest["scores"][0]["ranked"] == 1
    assert manifest["scores"][0]["efficiency"]["time"]["beyond"][4] == 1


def test_unrunnable_references_leave_a_task_unranked(
    tmp_path: Path, write_release: Callable[..., Release], replay: Callable[..., str]
) -> None:
    release = write_release(
        tmp_path / "data", [Posed("sum-up", (FAST, "import nothing\n", "print(")), Posed("add-all")]
    )
    manifest = evaluation(release, replay(sum_up=[FAST], add_all=[FAST]), tmp_path / "run").run()
    assert manifest["unranked"] == {
        "python/sum-up": "1 of its 3 reference solutions could be measured here"
    }


# ------------------------------------------------------------------ references


def test_cached_references_are_measured_once(
    release: Release, replay: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    original = executor.measure_programs

    def count(sandbox: Any, cores: Any, programs: Any, *rest: Any) -> Any:
        measured.append(len(programs))
        return original(sandbox, cores, programs, *rest)

    monkeypatch.setattr(executor, "measure_programs", count)
    model = replay(sum_up=[FAST], add_all=[MIDDLE])
    evaluation(release, model, tmp_path / "first", references=CACHED).run()
    evaluation(release, model, tmp_path / "second", references=CACHED).run()
    assert measured == [6, 6, 3, 3], "the sample, two copies, and in the first run three humans"
    assert {row["references_from"] for row in rows_of(tmp_path / "first").values()} == {"fresh"}
    assert {row["references_from"] for row in rows_of(tmp_path / "second").values()} == {"cached"}
    more = MeasureOptions(repeats=REPEATS + 1)
    evaluation(release, model, tmp_path / "third", references=CACHED, measure=more).run()
    assert measured[4:] == [6, 6], "other repeats need new figures"


def test_published_references_are_marked(
    release: Release, replay: Callable[..., str], tmp_path: Path
) -> None:
    evaluation(
        release, replay(sum_up=[FAST], add_all=[WRONG]), tmp_path / "run", references=PUBLISHED
    ).run()
    assert rows_of(tmp_path / "run")["sum-up", 0]["references_from"] == "published"
    import pyarrow.parquet as pq

    (row, *_) = pq.read_table(tmp_path / "run" / REFERENCES).to_pylist()
    assert (row["references_from"], row["relative_time"], row["repeats"]) == ("published", 1.0, 3)


# ------------------------------------------------------------------ interruptions and faults


def fenced(body: dict[str, Any]) -> str:
    return f"Here you are:\n```python\n{SLOW if sample_of(body) else FAST}```\n"


def test_stopped_evaluation_resumes(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []
    original = executor.measure_programs

    def measure(sandbox: Any, cores: Any, programs: Any, tests: Any, *rest: Any) -> Any:
        measured.append(tests[0].stdin)
        return original(sandbox, cores, programs, tests, *rest)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(executor, "measure_programs", measure)
    with serving(fenced) as server:
        options = ModelOptions(server.base_url, "m", temperature=1.0)
        with monkeypatch.context() as patch:
            patch.setattr(run_module, "reference_rows", stop)
            with pytest.raises(KeyboardInterrupt):
                evaluation(release, "m", tmp_path / "run", options, samples=2).run()
        assert read_manifest(tmp_path / "run") is None
        asked = len(server.asked)
        manifest = evaluation(release, "m", tmp_path / "run", options, samples=2).run()
        assert asked == len(server.asked) == 4
        assert len(measured) == 2, "each task once"
        again = evaluation(release, "m", tmp_path / "run", options, samples=2).run()
    assert again["files"] == manifest["files"], "nothing changed"
    assert manifest["scores"][0]["pass_at_1"][0] == 1.0
    row = rows_of(tmp_path / "run")["sum-up", 1]
    assert (row["code"], row["prompt_tokens"], row["completion_tokens"]) == (SLOW.strip(), 10, 5)
    assert manifest["answers"] == {
        "prompt_tokens": 40,
        "completion_tokens": 20,
        "reasoning_tokens": None,
        "cost": None,
    }


def test_killed_evaluation_repeats_no_question(
    release: Release, tmp_path: Path, eventually: Callable[[Callable[[], object]], bool]
) -> None:
    """A kill during the third of four questions repeats only that question."""

    def script(body: dict[str, Any]) -> str | Fault:
        return fenced(body) if len(server.asked) != 3 else Fault(sleep_s=60)

    with serving(script) as server:
        words = [
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "--data",
            str(release.folder),
            "--lang",
            "python",
        ]
        words += [
            "--samples",
            "2",
            "--concurrency",
            "1",
            "--repeats",
            "1",
            "--out",
            str(tmp_path / "run"),
            "--json",
        ]
        argv = [sys.executable, "-m", "venus_toolkit", "eval", *words]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        with subprocess.Popen(
            argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as killed:
            assert eventually(lambda: len(server.asked) == 3 or killed.poll() is not None)
            killed.kill()
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(server.asked) == 4 + 1
    assert json.loads(done.stdout)["scores"][0]["outcomes"] == {"passed": 4}


def broken(title: str) -> str:
    return f"\ud835 math\0\n```python\n# \ud835 {title}\n{FAST}```"


@pytest.mark.parametrize(
    ("stage", "kind"),
    [("judge_program", "replay"), ("measure_programs", "server"), ("write", "server")],
)
def test_lone_surrogate_does_not_end_an_evaluation(
    kind: str, stage: str, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [{"title": title, "answer": broken(title)} for title in ("sum-up", "add-all")]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    place = Writer if stage == "write" else executor
    original, calls = getattr(place, stage), list[int]()

    def stop_at_the_second_call(*args: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*args, **named)

    def answer(body: dict[str, Any]) -> Fault:
        title = "sum-up" if "sum-up" in json.dumps(body) else "add-all"
        return Fault(body=completion(broken(title), reasoning_content="\udd38"))

    with serving(answer) as server:
        chosen = ModelOptions(server.base_url, "m") if kind == "server" else None
        model = "m" if chosen else f"replay:{file}"
        monkeypatch.setattr(place, stage, stop_at_the_second_call)
        with pytest.raises(KeyboardInterrupt):
            evaluation(
                release, model, tmp_path / "run", chosen, measure=MeasureOptions(repeats=1)
            ).run()
        manifest = evaluation(
            release, model, tmp_path / "run", chosen, measure=MeasureOptions(repeats=1)
        ).run()
        assert len(server.asked) == (2 if chosen else 0), "no question is repeated"
    # Calls that run at the same time as the interrupted one are cancelled with it.
    assert len(calls) in (3, 4) or stage == "write", (
        "at most two calls were lost, and none repeated"
    )
    rows = rows_of(tmp_path / "run")
    assert {row["outcome"] for row in rows.values()} == {"passed"}
    assert all("\ufffd" in row["code"] for row in rows.values())
    assert all(
        row["answer_changed"].startswith("lone surrogates replaced: 2") for row in rows.values()
    )
    assert not manifest["partial"]


def test_unreadable_answer_does_not_lose_the_others(
    release: Release, replay: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = score.read_answer

    def read(text: str, language: Any, starter: str = "") -> Any:
        if "print(0)" in text:
            raise RecursionError("too deep")
        return original(text, language, starter)

    monkeypatch.setattr(score, "read_answer", read)
    manifest = evaluation(release, replay(sum_up=[FAST], add_all=[WRONG]), tmp_path / "run").run()
    rows = rows_of(tmp_path / "run")
    assert rows["sum-up", 0]["outcome"] == "passed"
    assert rows["add-all", 0]["outcome"] == "unjudged"
    assert manifest["missing"] == {
        "unjudged: the answer could not be read: RecursionError: too deep": 1
    }


def test_dying_server_leaves_partial_results(release: Release, tmp_path: Path) -> None:
    with serving(["```python\n" + FAST + "```", Fault(503, "gone")]) as server:
        options = ModelOptions(server.base_url, "m", temperature=1.0, concurrency=1, tries=1)
        manifest = evaluation(release, "m", tmp_path / "run", options, samples=6).run()
        assert manifest["partial"]
        assert "503" in manifest["given_up"]
        assert manifest["scores"][0]["outcomes"] == {"passed": 1, "unanswered": 11}
        assert manifest["scores"][0]["pass_at_1"][0] == 1.0, "outages are not failures"
        assert sum(manifest["missing"].values()) == 11
        server.script = fenced
        whole = evaluation(release, "m", tmp_path / "run", options, samples=6).run()
    assert not whole["partial"]
    assert whole["scores"][0]["outcomes"] == {"passed": 12}


def test_a_folder_takes_one_evaluation(
    release: Release, replay: Callable[..., str], tmp_path: Path
) -> None:
    model = replay(sum_up=[WRONG], add_all=[WRONG])
    evaluation(release, model, tmp_path / "run").run()
    with pytest.raises(UsageError, match="holds another evaluation: objective time, now memory"):
        evaluation(release, model, tmp_path / "run", objective="memory").run()


def test_unknown_endpoint_is_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing says where m is"):
        evaluation(release, "m", tmp_path / "run").run()


def test_missing_results(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"no results\.parquet"):
        read_results(tmp_path)


# ------------------------------------------------------------------ the command


def test_the_command_prints_scores_with_intervals(
    cli: Callable[..., Any], release: Release, replay: Callable[..., str], tmp_path: Path
) -> None:
    model, out = replay(sum_up=[FAST], add_all=[WRONG]), tmp_path / "run"
    words = (
        "eval",
        "--model",
        model,
        "--data",
        release.folder,
        "--lang",
        "py",
        "--repeats",
        2,
        "--out",
        out,
    )
    result = cli(*words)
    assert result.exit_code == 0, result.stderr
    assert "50.0 [0.0, 100.0]" in result.stdout
    assert "samples    1 passed, 1 failed" in result.stdout
    summary = json.loads(cli(*words, "--json").stdout)
    assert summary["options"]["lang"] == ["python"]
    assert summary["fingerprint"]


def test_command_names_missing_samples(
    cli: Callable[..., Any], release: Release, replay: Callable[..., str], tmp_path: Path
) -> None:
    model = replay(sum_up=[FAST])
    result = cli(
        "eval",
        "--model",
        model,
        "--data",
        release.folder,
        "--lang",
        "python",
        "--out",
        tmp_path / "run",
    )
    assert result.exit_code == 3
    assert "PARTIAL" in result.stdout
    assert "has no sample 0" in result.stdout


def test_command_refusals_have_clear_messages(
    cli: Callable[..., Any], release: Release, tmp_path: Path
) -> None:
    rest = ("--out", tmp_path / "run")
    no_release = cli("eval", "--model", "m", "--data", tmp_path, "--lang", "cpp", *rest)
    assert (no_release.exit_code, "is not a release" in no_release.stderr) == (2, True)
    no_model = cli("eval", "--model", "m", "--data", release.folder, "--lang", "python", *rest)
    assert (no_model.exit_code, "--base-url" in no_model.stderr) == (2, True)
    no_language = cli(
        "eval", "--model", "m", "--data", release.folder, "--lang", "python,cobol", *rest
    )
    assert (no_language.exit_code, "cobol" in no_language.stderr) == (2, True)
    no_config = cli("eval", "--model", "m", "--data", release.folder, "--lang", "go", *rest)
    assert (no_config.exit_code, "has no config go" in no_config.stderr) == (2, True)


def test_the_command_asks_todays_models(
    cli: Callable[..., Any], release: Release, tmp_path: Path
) -> None:
    """A server refuses settings, and answers end early; these outcomes are billed too."""

    def script(body: dict[str, Any]) -> Step:
        if "temperature" in body:
            return error(
                "Unsupported value: 'temperature' does not support 0.8.", param="temperature"
            )
        if "add-all" in body["messages"][-1]["content"]:
            return Fault(200, completion("```python\nprint(", "length"))
        return Fault(200, completion(f"```python\n{FAST}```", reasoning_content="a formula"))

    out = tmp_path / "run"
    with serving(script) as server:
        words = [
            "eval",
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "--data",
            release.folder,
            "--lang",
            "py",
        ]
        words += [
            "--param",
            "top_k=20",
            "--param",
            "mode=fast",
            "--header",
            "X-Team: s3cret",
            "--repeats",
            2,
        ]
        words += ["--reasoning-effort", "high", "--timeout", 30, "--concurrency", 1, "--out", out]
        words += ["--price-prompt", 1, "--price-completion", 2]
        result = cli(*words)
        assert result.exit_code == 0, result.stderr
        assert len(server.asked) == 3, "one request was refused, and none is repeated"
        again = json.loads(cli(*words, "--json").stdout)
        assert len(server.asked) == 3
    body = server.asked[-1]
    assert (body["top_k"], body["mode"], body["reasoning_effort"]) == (20, "fast", "high")
    assert {name.lower(): value for name, value in server.headers[-1].items()}["x-team"] == "s3cret"
    assert "samples    1 passed, 1 length" in result.stdout
    assert "20 + 10 tokens; cost 0.0000400" in result.stdout
    notice = "the server refuses temperature: requests leave it out"
    assert f"notice     {notice}" in result.stdout
    assert again["notices"] == [notice], "a run without requests still records its settings"
    assert again["answered_by"] == {"m": 2}
    rows = rows_of(out)
    cut, good = rows["add-all", 0], rows["sum-up", 0]
    assert (cut["outcome"], cut["passed"], cut["percentile_time"]) == ("length", False, 0.0)
    assert (cut["answer"], cut["code"], cut["completion_tokens"]) == ("```python\nprint(", None, 5)
    assert (good["reasoning"], good["answered_by"]) == ("a formula", "m")
    assert not any(b"s3cret" in path.read_bytes() for path in out.rglob("*") if path.is_file())
    report = cli("report", out, "--out", tmp_path / "report")
    assert report.exit_code == 0, report.stderr
    assert (
        "| 1 passed, 1 length | 30 | 0.0000400 |" in (tmp_path / "report" / "report.md").read_text()
    )
    page = (tmp_path / "report" / "report.html").read_text()
    assert '<td class="two" data-name="Outcomes">1 passed, 1 length</td>' in page
    assert '<td class="number two" data-name="Cost">0.0000400</td>' in page


@pytest.mark.parametrize(
    ("word", "value", "says"),
    [
        ("--param", "top_k", "type: --param top_p=0.95"),
        ("--engine-arg", "dtype", "type: --engine-arg tensor_parallel_size=2"),
        ("--engine-arg", "=2", "type: --engine-arg tensor_parallel_size=2"),
        ("--engine-arg", "dtype=half", "type: --model vllm:FOLDER, or leave out --engine-arg"),
        ("--header", "s3cret", "type: --header 'X-Team: blue'"),
        ("--base-url", "localhost:8000/v1", "type: --base-url http://localhost:8000/v1"),
        ("--api", "soap", "expected one of auto, chat, responses"),
    ],
)
def test_command_explains_wrong_model_options(
    cli: Callable[..., Any], release: Release, tmp_path: Path, word: str, value: str, says: str
) -> None:
    words = [
        "eval",
        "--model",
        "m",
        "--data",
        release.folder,
        "--lang",
        "py",
        "--out",
        tmp_path / "run",
    ]
    result = cli(*words, "--base-url", "http://127.0.0.1:9/v1", word, value)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "s3cret" not in result.stderr


# ------------------------------------------------------------------ baselines


@pytest.mark.parametrize(
    ("model", "codes"),
    [
        pytest.param("human:best", [FAST, FAST], marks=pytest.mark.only_thorough),
        pytest.param("human:median", [MIDDLE, MIDDLE], marks=pytest.mark.only_thorough),
        ("human:worst", [SLOW, SLOW]), ("copy", [FAST, MIDDLE]),
    ],
)  # fmt: skip
def test_human_solutions_are_baselines_byte_for_byte(
    release: Release, tmp_path: Path, model: str, codes: list[str]
) -> None:
    manifest = evaluation(
        release, model, tmp_path / "run", samples=2, measure=MeasureOptions(repeats=1)
    ).run()
    rows = rows_of(tmp_path / "run")
    assert [
        rows[title, sample]["code"] for title in ("sum-up", "add-all") for sample in (0, 1)
    ] == codes * 2
    assert all(row["memory_curve"] is None for row in rows.values()), "it was not requested"
    asked = json.loads(rows["sum-up", 0]["prompt"])
    assert asked[-1]["role"] == "user"
    assert "sum-up" in asked[-1]["content"]
    assert manifest["scores"][0]["outcomes"] == {"passed": 4}
    assert not manifest["partial"]


def test_memory_over_time_is_kept_on_request(release: Release, tmp_path: Path) -> None:
    evaluation(release, "human:best", tmp_path / "run", curves=True).run()
    for row in rows_of(tmp_path / "run").values():
        times, sizes = zip(*row["memory_curve"], strict=True)
        assert list(times) == sorted(times)
        assert 1 < len(sizes) <= 200
        assert MIB < max(sizes) <= 1.2 * row["peak_bytes"]


def test_a_baseline_by_memory_without_figures_is_partial(
    tmp_path: Path, write_release: Callable[..., Release]
) -> None:
    release = write_release(tmp_path / "data", [Posed("sum-up", solutions=())])
    manifest = evaluation(release, "human:best", tmp_path / "run", objective="memory").run()
    assert manifest["missing"] == {
        "unanswered: it has no human solution whose peak_bytes is known": 1
    }


def test_the_command_knows_its_baselines(
    cli: Callable[..., Any], release: Release, tmp_path: Path
) -> None:
    words = ("--data", release.folder, "--lang", "py", "--repeats", 2, "--out", tmp_path / "run")
    assert cli("eval", "--model", "human:best", *words).exit_code == 0
    wrong = cli("eval", "--model", "human:fastest", *words[:-1], tmp_path / "other")
    assert wrong.exit_code == 2
    assert "expected one of human:best, human:median, human:worst or copy" in wrong.stderr
