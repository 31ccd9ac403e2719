"""Exports: files as the frameworks document them, tests by reference, and the reward that fetches them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_isolation
from tests.derive.made import LANGUAGES, measured, problem, solution, usual_release, write_release
from venus_toolkit.answers import thought
from venus_toolkit.builders.derive.derive import RECIPES, derive
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.errors import ReleaseError, SandboxError
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.release import Release
from venus_toolkit.training import verl_reward
from venus_toolkit.training.rewards import Reward

PYTHON = LANGUAGES["python"]
Cli = Callable[..., Any]
SLOW = "n = int(input())\nfor i in range(4000000): i * i\nprint(n + n)\n"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    found = usual_release(tmp_path / "release")
    for recipe in RECIPES.values():
        derive(recipe, found.folder, [PYTHON], DeriveOptions())
    return found


# ------------------------------------------------------------------ LLaMA-Factory


def test_llamafactory_finds_every_column_that_its_info_names(release: Release, tmp_path: Path, cli: Cli) -> None:
    done = cli("export", "llamafactory", release.folder, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    info = json.loads((tmp_path / "out/dataset_info.json").read_text())
    assert set(info) == {
        f"venus_python_{name}_{kind}" for name in ("time", "memory", "integral") for kind in ("sft", "dpo")
    }
    for name, entry in info.items():
        rows = pq.read_table(tmp_path / "out" / entry["file_name"]).to_pylist()
        assert len(rows) == 6
        assert entry["formatting"] == "sharegpt"
        assert entry.get("ranking", False) == name.endswith("dpo")
        assert set(rows[0]) == set(entry["columns"].values())
        tags = entry["tags"]
        for row in rows:
            said = [message[tags["role_tag"]] for message in row[entry["columns"]["messages"]]]
            answers = [] if entry.get("ranking") else [tags["assistant_tag"]]
            assert said == [tags["system_tag"], tags["user_tag"], *answers]
            for column in ("chosen", "rejected") if entry.get("ranking") else ():
                assert row[column][tags["role_tag"]] == tags["assistant_tag"]
                assert row[column][tags["content_tag"]].startswith("```python\n")


def test_a_release_without_derived_sets_has_nothing_to_export(tmp_path: Path, cli: Cli) -> None:
    release = usual_release(tmp_path / "release")
    for framework, kind in (("llamafactory", "sft"), ("verl", "grpo")):
        done = cli("export", framework, release.folder, "--out", tmp_path / "out")
        assert done.exit_code == 2
        assert f"venus derive {kind}" in done.stderr


# ------------------------------------------------------------------ verl


def test_verl_rows_are_small_and_say_where_the_tests_are(release: Release, tmp_path: Path, cli: Cli) -> None:
    """Lesson 23: whole instances with tests and solutions embedded three times in every row."""
    done = cli("export", "verl", release.folder, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    (written,) = json.loads(done.stdout)["sets"]
    rows = pq.read_table(written["file"]).to_pylist()
    assert [row["extra_info"]["index"] for row in rows] == list(range(6))
    for row in rows:
        assert set(row) == {"data_source", "prompt", "ability", "reward_model", "extra_info"}
        assert row["reward_model"]["style"] == "rule"
        assert len(json.dumps([row["reward_model"], row["extra_info"]])) < 1500
        origin = verl_reward.find_origin(str(release.folder), row["reward_model"]["ground_truth"])
        assert origin.original in row["prompt"][-1]["content"] + "\n"
        assert [test.stdin for test in origin.task.tests] == ["3\n", "20\n"]
        assert origin.objective == row["extra_info"]["type"]


def test_the_reward_file_is_one_to_point_to(release: Release, tmp_path: Path, cli: Cli) -> None:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    spec = importlib.util.spec_from_file_location("reward", tmp_path / "out/reward.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compute_score is verl_reward.compute_score


def truths(release: Release, tmp_path: Path, cli: Cli) -> list[str]:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out/venus_python_grpo.parquet").to_pylist()
    return [row["reward_model"]["ground_truth"] for row in rows]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"tests_sha256": "0" * 64}, "not the release"),
        ({"original_solution_id": "x"}, "not the release"),
        ({"title": "x"}, "no problem x"),
    ],
)
def test_another_release_is_refused(
    release: Release, tmp_path: Path, cli: Cli, change: dict[str, str], word: str
) -> None:
    told = {**json.loads(truths(release, tmp_path, cli)[0]), **change}
    with pytest.raises(ReleaseError, match=word):
        verl_reward.find_origin(str(release.folder), json.dumps(told))


class BrokenSandbox:
    def compile(self, *_: object) -> None:
        raise SandboxError("no room")


def test_lesson_29_a_failure_of_the_sandbox_is_no_wrong_answer(release: Release, tmp_path: Path, cli: Cli) -> None:
    broken: Any = BrokenSandbox()
    origin = verl_reward.find_origin(str(release.folder), truths(release, tmp_path, cli)[0])
    good = thought("why", "print(2 * int(input()))", PYTHON)
    rewards = verl_reward.reward_group(broken, origin, [good, "no code at all"], MeasureOptions())
    assert rewards[0] is None
    assert rewards[1] is not None, "an answer without code needs no sandbox"
    scores = verl_reward._scores([None, Reward(0.4, 1, 1, 0), Reward(0.2, 1, 0.5, 0)])
    assert [(row["judged"], round(row["score"], 6)) for row in scores] == [(0.0, 0.3), (1.0, 0.4), (1.0, 0.2)]
    assert len({tuple(row) for row in scores}) == 1, "verl wants the same keys of every answer"


@pytest.mark.slow
@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_answers_are_rewarded_for_form_correctness_and_speed(tmp_path: Path, cli: Cli, _: None) -> None:
    solutions = [solution(0, "one", measured(9), SLOW), solution(1, "one", measured(1))]
    release = write_release(tmp_path / "release", {"train": [problem(1, "one", solutions)]})
    derive(RECIPES["grpo"], release.folder, [PYTHON], DeriveOptions(objectives=("time",)))
    (truth,) = truths(release, tmp_path, cli)
    texts = [
        thought("why", "print(2 * int(input()))", PYTHON),
        "```python\nprint(2 * int(input()))\n```",
        thought("why", "print(6)", PYTHON),
        "I do not know",
    ]
    found = verl_reward.compute_score(["venus"] * 4, texts, [truth] * 4, [None] * 4, release=str(release.folder))
    good, plain, wrong, silent = found
    assert [(row["form"], row["correctness"]) for row in found] == [(1, 0.5), (-1, 0.5), (1, -1), (-1, -1)]
    assert good["efficiency"] == plain["efficiency"] > 0
    assert wrong["efficiency"] == silent["efficiency"] == 0
    assert good["score"] > plain["score"] > wrong["score"] > silent["score"]
