"""Exports: files as the frameworks document them, tests by reference, the paper's hyperparameters."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tests.builders.derive.made import LANGUAGES, usual_release
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.dataset.release import Release
from venus_toolkit.dataset.task import RowIndex
from venus_toolkit.dataset.test_cases import digest_of_tests
from venus_toolkit.integrations import verl
from venus_toolkit.training.reward.reward_tasks import read_reference

PYTHON = LANGUAGES["python"]
Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    written = usual_release(tmp_path_factory.mktemp("module") / "release")
    for kind in KINDS.values():
        derive(kind, written.folder, [PYTHON], DeriveOptions())
    return written


# ------------------------------------------------------------------ LLaMA-Factory


def test_llamafactory_columns_exist(release: Release, tmp_path: Path, cli: Cli) -> None:
    done = cli("export", "llamafactory", release.folder, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    info = json.loads((tmp_path / "out/dataset_info.json").read_text())
    assert set(info) == {
        f"venus_python_{name}_{kind}"
        for name in ("time", "memory", "integral")
        for kind in ("sft", "dpo")
    }
    for name, entry in info.items():
        rows = pq.read_table(tmp_path / "out" / entry["file_name"]).to_pylist()
        assert len(rows) == (6 if name.endswith("dpo") else 18)
        assert entry["formatting"] == "sharegpt"
        assert entry.get("ranking", False) == name.endswith("dpo")
        assert set(rows[0]) == set(entry["columns"].values())
        tags = entry["tags"]
        for row in rows:
            roles = [message[tags["role_tag"]] for message in row[entry["columns"]["messages"]]]
            answers = [] if entry.get("ranking") else [tags["assistant_tag"]]
            assert roles == [tags["system_tag"], tags["user_tag"], *answers]
            for column in ("chosen", "rejected") if entry.get("ranking") else ():
                assert row[column][tags["role_tag"]] == tags["assistant_tag"]
                assert row[column][tags["content_tag"]].startswith("```python\n")


def test_release_without_derived_sets_is_refused(tmp_path: Path, cli: Cli) -> None:
    release = usual_release(tmp_path / "release")
    for framework, kind in (("llamafactory", "sft"), ("verl", "grpo")):
        done = cli("export", framework, release.folder, "--out", tmp_path / "out")
        assert done.exit_code == 2
        assert f"venus derive {kind}" in done.stderr


# ------------------------------------------------------------------ verl


def test_verl_rows_refer_to_tests(release: Release, tmp_path: Path, cli: Cli) -> None:
    """Lesson 23: rows refer to tests and solutions instead of embedding them."""
    done = cli("export", "verl", release.folder, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    (written,) = json.loads(done.stdout)["sets"]
    rows = pq.read_table(written["file"]).to_pylist()
    assert [row["extra_info"]["index"] for row in rows] == list(range(6))
    for row in rows:
        assert set(row) == {"data_source", "prompt", "ability", "reward_model", "extra_info"}
        assert row["reward_model"]["style"] == "rule"
        assert len(json.dumps([row["reward_model"], row["extra_info"]])) < 1500
        reference = read_reference(json.loads(row["reward_model"]["ground_truth"]))
        known = RowIndex(release, reference.config, reference.split).row(reference.title)
        (code,) = (
            s["code"]
            for s in known["solutions"]
            if s["solution_id"] == reference.original_solution_id
        )
        assert code in row["prompt"][-1]["content"] + "\n"
        assert digest_of_tests(known) == reference.tests_sha256
        assert reference.type == row["extra_info"]["type"]


def test_reward_file(release: Release, tmp_path: Path, cli: Cli) -> None:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    spec = importlib.util.spec_from_file_location("reward", tmp_path / "out/reward.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compute_score is verl.compute_score
    assert inspect.iscoroutinefunction(module.compute_score), "verl awaits it only then"
    assert module.compute_score_batch is verl.compute_score_batch


# ------------------------------------------------------------------ recipes and scripts


def test_llamafactory_recipes_match_the_paper(release: Release, tmp_path: Path, cli: Cli) -> None:
    done = cli("export", "llamafactory", release.folder, "--out", tmp_path / "my out")
    assert f"{tmp_path / 'my out' / 'train.sh'} sft" in done.stdout
    info = json.loads((tmp_path / "my out/dataset_info.json").read_text())
    recipes = {
        kind: yaml.safe_load((tmp_path / f"my out/{kind}.yaml").read_text())
        for kind in ("sft", "dpo")
    }
    for kind, recipe in recipes.items():
        names = recipe["dataset"].split(",")
        assert set(names) == {name for name in info if name.endswith(kind)}
        assert recipe["dataset_dir"] == "."
        assert recipe["output_dir"] == f"saves/{kind}"
        assert recipe["lr_scheduler_type"] == "cosine"
        assert recipe["num_train_epochs"] == 1
        assert recipe["bf16"] is True
    settings_checked = ("lora_rank", "lora_alpha", "learning_rate", "warmup_steps", "per_device_train_batch_size",
            "gradient_accumulation_steps")  # fmt: skip
    assert [recipes["sft"][name] for name in settings_checked] == [8, 16, 3e-5, 200, 4, 16]
    assert [recipes["dpo"][name] for name in settings_checked] == [16, 16, 4e-5, 300, 2, 8]
    assert recipes["dpo"]["adapter_name_or_path"] == recipes["sft"]["output_dir"]
    assert (recipes["dpo"]["pref_loss"], recipes["dpo"]["pref_beta"]) == ("sigmoid", 0.1)
    assert not (tmp_path / "my out/cold_start.yaml").exists(), "the release has no such set"


def test_verl_script_matches_the_paper(release: Release, tmp_path: Path, cli: Cli) -> None:
    done = cli("export", "verl", release.folder, "--out", tmp_path / "my out")
    script = tmp_path / "my out/train.sh"
    assert str(script) in done.stdout
    script_settings = settings(script)
    assert (
        script_settings["data.train_files"] == f"[{tmp_path / 'my out'}/venus_python_grpo.parquet]"
    )
    assert (
        script_settings["reward.custom_reward_function.path"] == f"{tmp_path / 'my out'}/reward.py"
    )
    assert script_settings["+reward.custom_reward_function.reward_kwargs.release"] == str(
        release.folder.resolve()
    )
    for name, value in {
        "actor_rollout_ref.actor.optim.lr": "1e-6", "actor_rollout_ref.actor.ppo_mini_batch_size": "32",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "4", "actor_rollout_ref.rollout.n": "16",
        "actor_rollout_ref.rollout.temperature": "1.0", "actor_rollout_ref.actor.use_kl_loss": "False",
        "actor_rollout_ref.actor.entropy_coeff": "0", "trainer.total_epochs": "20", "reward.num_workers": "1",
        "algorithm.adv_estimator": "grpo", "actor_rollout_ref.model.path": "model",
    }.items():  # fmt: skip
        assert script_settings[name] == value


def test_verl_export_can_be_moved_with_release(release: Release, tmp_path: Path, cli: Cli) -> None:
    copytree(release.folder, tmp_path / "release")
    cli("export", "verl", tmp_path / "release", "--out", tmp_path / "release-out/verl")
    (tmp_path / "new").mkdir()
    both = [tmp_path / name for name in ("release", "release-out")]
    moved, out = (path.rename(tmp_path / "new" / path.name) for path in both)
    key = "+reward.custom_reward_function.reward_kwargs.release"
    assert settings(out / "verl/train.sh")[key] == str(moved.resolve())
    other = moved.rename(tmp_path / "other")
    done = subprocess.run([out / "verl/train.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "set RELEASE to the folder that this was exported from" in done.stderr
    assert settings(out / "verl/train.sh", RELEASE=str(other))[key] == str(other.resolve())


def test_verl_reward_figure_and_ties(release: Release, tmp_path: Path, cli: Cli) -> None:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    key = "+reward.custom_reward_function.reward_kwargs"
    for environment, figure, rule in (
        ({}, "wall", "strict"),
        ({"FIGURE": "instructions", "RULE": "apart"}, "instructions", "apart"),
    ):
        script_settings = settings(tmp_path / "out/train.sh", **environment)
        assert (script_settings[f"{key}.figure"], script_settings[f"{key}.rule"]) == (figure, rule)


def settings(script: Path, **more: str) -> dict[str, str]:
    """Run a script with a fake interpreter and return the settings that it passes to verl."""
    folder = script.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "python3").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (folder / "python3").chmod(0o755)
    # The script refuses fewer rows than a batch, so claim as many as the paper's set has.
    script.write_text(re.sub(r"(?m)^rows=\d+$", "rows=984", script.read_text()))
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "MODEL": "model", **more}
    done = subprocess.run(
        [script, "more=1"], env=environment, capture_output=True, text=True, check=True
    )
    module, name, *words = done.stdout.splitlines()
    assert (module, name) == ("-m", "verl.trainer.main_ppo")
    return dict(word.split("=", 1) for word in words)


# ------------------------------------------------------------------ on 1 and on 8 GPUs


@pytest.mark.parametrize("gpus", [1, 2, 8])
def test_llamafactory_batch_size_on_any_gpu_count(
    release: Release, tmp_path: Path, cli: Cli, gpus: int
) -> None:
    cli("export", "llamafactory", release.folder, "--out", tmp_path / "out")
    for kind, rows in (("sft", 64), ("dpo", 16)):
        done = launched(tmp_path / "out/train.sh", kind, "more=1", GPUS=str(gpus))
        assert done.returncode == 0, done.stderr
        command, recipe, *words, processes = done.stdout.split()
        arguments = dict(word.split("=") for word in words)
        assert (command, recipe) == ("train", str(tmp_path / f"out/{kind}.yaml"))
        assert arguments["dataset_dir"] == str(tmp_path / "out")
        share = int(arguments["per_device_train_batch_size"]) * int(
            arguments["gradient_accumulation_steps"]
        )
        assert share * gpus == rows
        assert arguments["more"] == "1"
        assert processes == f"{gpus}/{'' if gpus == 1 else 1}"


def test_llamafactory_export_can_be_moved(release: Release, tmp_path: Path, cli: Cli) -> None:
    cli("export", "llamafactory", release.folder, "--out", tmp_path / "out")
    moved = (tmp_path / "out").rename(tmp_path / "elsewhere")
    for file in moved.glob("*.*"):
        assert os.fsencode(tmp_path) not in file.read_bytes(), f"{file.name} has an absolute path"
    arguments = launched(moved / "train.sh", "dpo", cwd=tmp_path).stdout.split()
    assert {
        f"dataset_dir={moved}",
        f"output_dir={moved}/saves/dpo",
        f"adapter_name_or_path={moved}/saves/sft",
    } <= {*arguments}
    later = launched(moved / "train.sh", "sft", "output_dir=mine").stdout.split()
    assert later.index("output_dir=mine") > later.index(f"output_dir={moved}/saves/sft")
    info = json.loads((moved / "dataset_info.json").read_text())
    assert all((moved / entry["file_name"]).is_file() for entry in info.values())


def launched(
    script: Path, *words: str, cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a script with a fake llamafactory-cli that prints its arguments and process count."""
    folder = script.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "llamafactory-cli").write_text(
        '#!/bin/sh\necho "$@" "$NPROC_PER_NODE/$FORCE_TORCHRUN"\n'
    )
    (folder / "llamafactory-cli").chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", **more}
    return subprocess.run(
        [script, *words], env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )


def test_indivisible_batch_is_refused(release: Release, tmp_path: Path, cli: Cli) -> None:
    cli("export", "llamafactory", release.folder, "--out", tmp_path / "out")
    script = tmp_path / "out/train.sh"
    for count in ("3", "0", "-1"):
        assert "set GPUS to a divisor of 64" in launched(script, "sft", GPUS=count).stderr
    assert "sft|dpo" in launched(script).stderr
    assert {
        launched(script, *words, GPUS="3").returncode for words in ((), ("sft",), ("none",))
    } == {2}


@pytest.mark.parametrize("gpus", [1, 2, 8])
def test_verl_has_no_tensor_parallelism_and_the_same_step(
    release: Release, tmp_path: Path, cli: Cli, gpus: int
) -> None:
    """verl's default is a tensor parallelism of 2, which a single GPU cannot have."""
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    script_settings = settings(tmp_path / "out/train.sh", GPUS=str(gpus))
    assert script_settings["trainer.n_gpus_per_node"] == str(gpus)
    assert script_settings["actor_rollout_ref.rollout.tensor_model_parallel_size"] == "1"
    step = [
        script_settings[f"actor_rollout_ref.{name}"]
        for name in ("actor.ppo_mini_batch_size", "rollout.n")
    ]
    assert [script_settings["data.train_batch_size"], *step] == ["32", "32", "16"]
    assert script_settings["actor_rollout_ref.actor.fsdp_config.optimizer_offload"] == str(
        gpus == 1
    )


def test_verl_efficiency_weight_grows_over_the_run(
    release: Release, tmp_path: Path, cli: Cli
) -> None:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    script, key = tmp_path / "out/train.sh", "+reward.custom_reward_function.reward_kwargs"
    script_settings = settings(script)
    assert script_settings[f"{key}.final_efficiency"] == "0.5"
    assert script_settings[f"{key}.total"] == str(984 // 32 * 512 * 20), (
        "verl drops what fills no step"
    )
    assert script_settings[f"{key}.done"] == "0"
    (tmp_path / "out/checkpoints").mkdir()
    (tmp_path / "out/checkpoints/latest_checkpointed_iteration.txt").write_text("100")
    assert settings(script)[f"{key}.done"] == str(100 * 512)


def test_too_few_prompts_for_a_verl_step_are_refused(
    release: Release, tmp_path: Path, cli: Cli
) -> None:
    cli("export", "verl", release.folder, "--out", tmp_path / "out")
    done = subprocess.run([tmp_path / "out/train.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "6 prompts are less than the 32 of a step" in done.stderr
