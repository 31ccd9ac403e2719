"""Evaluations exported in the formats of other frameworks, which read them back."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.eval.report_runs import RunSpec, write_run
from venus_toolkit.cli.models.report import command
from venus_toolkit.eval.report.exports import write_exports
from venus_toolkit.eval.scoring.results import RESULTS, read_results
from venus_toolkit.eval.scoring.summary import score_group


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(
        tmp_path / "run",
        RunSpec(model="lab/model a", tasks=("one", "two", "three"), samples=2, failing=0.5),
    )


def test_inspect_log_has_every_sample_and_score(run: Path, tmp_path: Path) -> None:
    [file] = write_exports([run], tmp_path / "out", ["inspect"])
    log, table = json.loads(file.read_text()), read_results(run)
    assert file.name == "lab_model_a.json"
    assert (log["version"], log["status"], log["eval"]["model"]) == (2, "success", "lab/model a")
    assert [sample["id"] for sample in log["samples"]] == table.column("task").to_pylist()
    assert [sample["epoch"] for sample in log["samples"]] == [1, 2] * 3
    passed = [sample["scores"]["passed"]["value"] for sample in log["samples"]]
    assert passed == [float(sample) for sample in table.column("passed").to_pylist()]
    answers = pq.read_table(run / RESULTS, columns=["answer"]).column("answer").to_pylist()
    contents = [sample["output"]["choices"][0]["message"]["content"] for sample in log["samples"]]
    assert contents == [sample or "" for sample in answers]
    scores = {
        sample["name"]: sample["metrics"]["mean"]["value"] for sample in log["results"]["scores"]
    }
    expected = score_group("all", "all", table.to_pylist(), 2000)
    assert expected.pass_at_1
    assert scores["passed"] == expected.pass_at_1.estimate
    assert set(scores) == {"passed", "beyond_time", "beyond_memory", "beyond_integral"}


def test_harness_results_say_which_direction_is_better(run: Path, tmp_path: Path) -> None:
    [file] = write_exports([run], tmp_path / "out", ["lm-eval"])
    results = json.loads(file.read_text())
    values, higher = results["results"]["venus"], results["higher_is_better"]["venus"]
    assert 0 < values["passed,none"] < 1
    assert values["passed_stderr,none"] > 0
    assert values["eff@1_stderr,none"] == "N/A"
    assert (higher["passed"], higher["eff@1"], higher["net"], higher["tmu_median"]) == (
        True,
        True,
        False,
        False,
    )
    assert not higher["net_of_sums"]
    assert {name.partition(",")[0] for name in values if "stderr" not in name} == {"alias", *higher}
    assert results["n-samples"]["venus"] == {"original": 3, "effective": 3}


def test_command_writes_exports_next_to_the_report(run: Path, tmp_path: Path) -> None:
    words = [
        str(run),
        "--out",
        str(tmp_path / "out"),
        "--export",
        "inspect",
        "--export",
        "lm-eval",
        "--json",
    ]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    files = [Path(file) for file in json.loads(done.output)["files"]]
    assert [f"{file.parent.name}/{file.name}" for file in files[-2:]] == [
        "inspect/lab_model_a.json",
        "lm-eval/lab_model_a.json",
    ]
    assert "harness" in CliRunner().invoke(command, [*words, "--export", "harness"]).output


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")
def test_inspect_reads_its_log(run: Path, tmp_path: Path) -> None:
    log = pytest.importorskip(
        "inspect_ai.log", reason="inspect_ai is not installed: type nox -s clients-test"
    )
    [file] = write_exports([run], tmp_path / "out", ["inspect"])
    read = log.read_eval_log(str(file))
    assert len(read.samples) == 6
    assert read.samples[0].scores["passed"].as_float() in (0.0, 1.0)
    assert read.results.scores[0].name == "passed"
