"""The result of `venus build`.

Second builds and interruptions are in test_again.py, drops and their reasons in test_dropped.py,
broken problem folders in test_source_folder.py, generators in test_run.py.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tests.building import Shop, needs_cpp, needs_isolation

pytestmark = needs_isolation


@needs_cpp
def test_first_columns_match_the_ancestors(built: Shop) -> None:
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
def test_test_cases_are_json_and_equal_in_both_languages(built: Shop) -> None:
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
    assert cpp == {
        "plus": "accepted",
        "minus": "accepted",
        "wrong_or": "wrong_answer",
        "slow_count": "time_limit",
    }
    assert built.manifest["configs"]["cpp"]["unexpected"] == {}


@needs_cpp
def test_lesson_10_unmeasured_figures_are_null(built: Shop) -> None:
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
        passed = [
            solution for solution in built.solutions(title, language).values() if solution["passed"]
        ]
        for solution in passed:
            assert solution["time"] == pytest.approx(solution["wall_ns"] / 1e6)
            assert solution["memory"] == pytest.approx(solution["peak_bytes"] / 1024)
            assert solution["integral"] == pytest.approx(solution["integral_byte_ns"] / 1024 / 1e6)
            assert min(solution["wall_ns"], solution["cpu_ns"], solution["relative_time"]) > 0
            assert solution["peak_bytes"] > 100_000
            assert 0 < solution["integral_byte_ns"] <= solution["wall_ns"] * solution["peak_bytes"]
            assert solution["repeats"] == 2
        # a tie within the noise
        assert sorted(solution["rank"] for solution in passed) in ([1, 1], [1, 2])


@needs_cpp
def test_manifest_lists_every_file_with_checksum(built: Shop) -> None:
    here = {str(path.relative_to(built.out)) for path in built.out.rglob("*") if path.is_file()}
    published = {name for name in here if not name.startswith(".venus/")}
    assert set(built.manifest["files"]) == published - {"manifest.json"}
    for name, value in built.manifest["files"].items():
        assert hashlib.sha256((built.out / name).read_bytes()).hexdigest() == value


@needs_cpp
def test_json_report_is_manifest_and_resources(built: Shop) -> None:
    report = json.loads(built.done.stdout)
    took = {name: report[name] for name in ("seconds", "toolkit_peak_bytes")}
    assert report == {**built.manifest, **took, "out": str(built.out)}
    assert set(built.manifest) == {
        "format", "toolkit", "name", "plan", "configs", "machines", "found", "placements", "tests", "solutions",
        "problems", "rejected",
        "quality", "dropped", "lacking", "sandbox", "environment", "files",
    }  # fmt: skip
    assert set(report["configs"]) == {"python", "cpp"}
    for config in report["configs"].values():
        names = {
            "splits", "rank", "separation", "fingerprint", "verdicts", "unexpected", "repeatability", "measured_on",
            "counted",
        }  # fmt: skip
        assert set(config) == names
    assert report["tests"]["found"] == report["tests"]["kept"] + report["tests"]["dropped"]
    # Libraries (datasets, DuckDB, matplotlib) account for a third of it.
    assert report["toolkit_peak_bytes"] < 640 * 2**20
    assert set(report["environment"]["toolchains"]) == {"python", "cpp"}


@needs_cpp
def test_card_contents(built: Shop) -> None:
    card = (built.out / "README.md").read_text()
    front = yaml.safe_load(card.split("---\n")[1])
    names = ["default", "cpp", "python", "solutions", "problems", "tests"]
    listed = [config["config_name"] for config in front["configs"]]
    assert [name for name in listed if name in names] == names
    assert {"c++", "python3", "py"} < set(listed)
    assert [config["config_name"] for config in front["configs"] if config.get("default")] == [
        "default"
    ]
    for config in front["configs"]:
        assert [file["split"] for file in config["data_files"]] == ["train", "test"]
        assert all(list(built.out.glob(file["path"])) for file in config["data_files"])
    counts = built.manifest["configs"]["python"]["splits"]["train"]
    (row,) = (
        line for line in card.splitlines() if re.match(r"\| python \| [\d.]+ k?B \| train \|", line)
    )
    assert f"| train | {counts['problems']} | {len(counts['files'])} |" in row


@needs_cpp
@pytest.mark.parametrize("name", ["cpp", "python"])
def test_load_dataset(built: Shop, tmp_path: Path, name: str) -> None:
    """In a separate process, because the library emits warnings."""
    script = f"from datasets import load_dataset\nd = load_dataset({str(built.out)!r}, {name!r})\n"
    script += "import json; print(json.dumps({k: [r['title'] for r in v] for k, v in d.items()}))"
    env = {**built.environment(), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout.splitlines()[-1])
    assert list(read) == ["train", "test"]
    assert {title: part for part, titles in read.items() for title in titles} == {
        title: row["split"] for title, row in built.rows(name).items()
    }
    assert len(read["test"]) == 1


@needs_cpp
def test_dropped_inputs_have_a_reason(built: Shop) -> None:
    assert sorted(built.dropped, key=str) == [
        {"stage": "generate", "problem": title, "item": "boundary-1", "reason": "the same input as boundary-0",
         "detail": None}
        for title in ("add-two", "divisors", "square")
    ]  # fmt: skip
