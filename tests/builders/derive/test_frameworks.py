"""The exports, used by the frameworks themselves.

`nox -s export-test` creates an environment for each framework.

LLaMA-Factory trains a tiny model for two steps on a CPU. verl trains only on GPUs, so here it only
composes its configuration from train.sh, reads the rows, loads the reward and scores answers.
Roll-outs and training are not covered.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builders.derive.test_exports import settings
from tests.building import needs_isolation
from tests.training.posed import FORMULA, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.exporting import export_llamafactory, export_verl
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.core.language import load_languages
from venus_toolkit.dataset.release import Release, open_release

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).parent / "programs"
LLAMAFACTORY = ROOT / ".nox/export-test-llamafactory/bin"
VERL = ROOT / ".nox/export-test-verl/bin"
OFFLINE = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}
SMALL = (
    "bf16=false", "use_cpu=true", "max_steps=2", "logging_steps=1", "per_device_train_batch_size=1",
    "gradient_accumulation_steps=1", "preprocessing_num_workers=1", "cutoff_len=2048",
)  # fmt: skip
NESTED = (
    "n = int(input())\ntotal, step = 0, 1\nwhile step <= n:\n    total = total + step\n    step "
    "+= 1\n"
)
TRIPLE = Posed(solutions={"python": (LOOP, NESTED + "print(total)\n", FORMULA)})

needs_llamafactory = pytest.mark.skipif(
    not (LLAMAFACTORY / "llamafactory-cli").exists(),
    reason="LLaMA-Factory is not installed: nox -s export-test",
)
needs_verl = pytest.mark.skipif(
    not (VERL / "python").exists(), reason="verl is not installed: nox -s export-test"
)


def run(words: Sequence[object], folder: Path, **environment: str) -> str:
    variables = {**os.environ, **OFFLINE, **environment}
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=variables, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    posed = write_posed(tmp_path_factory.mktemp("release"), TRIPLE)
    for kind in KINDS.values():
        derive(kind, posed.folder, [load_languages()["python"]], DeriveOptions())
    return open_release(posed.folder)


@needs_llamafactory
@pytest.mark.slow
def test_llamafactory_trains_with_unchanged_recipes(release: Release, tmp_path: Path) -> None:
    run([LLAMAFACTORY / "python", PROGRAMS / "tiny_qwen.py", tmp_path / "model"], tmp_path)
    export_llamafactory(release, tmp_path / "out")
    moved = (tmp_path / "out").rename(tmp_path / "moved")
    for kind in ("sft", "dpo"):
        words = [LLAMAFACTORY / "llamafactory-cli", "train", f"{kind}.yaml"]
        run([*words, f"model_name_or_path={tmp_path / 'model'}", *SMALL], moved)
        results = json.loads((moved / f"saves/{kind}/all_results.json").read_text())
        assert results["train_loss"] > 0
        adapter = json.loads((moved / f"saves/{kind}/adapter_config.json").read_text())
        assert (adapter["r"], adapter["lora_alpha"]) == ((8, 16) if kind == "sft" else (16, 16))


@needs_verl
@pytest.mark.slow
@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_verl_accepts_script_rows_and_reward(release: Release, tmp_path: Path, _: None) -> None:
    run([VERL / "python", PROGRAMS / "tiny_qwen.py", tmp_path / "model"], tmp_path)
    export_verl(release, tmp_path / "out")
    script_settings = settings(tmp_path / "out/train.sh") | {
        "actor_rollout_ref.model.path": str(tmp_path / "model")
    }
    script_settings.pop("more")
    texts = [answer(TRIPLE, FORMULA).text, answer(TRIPLE, "print(0)").text, "I do not know"]
    (tmp_path / "answers.json").write_text(json.dumps(texts))
    words = [
        VERL / "python",
        PROGRAMS / "verl_reads.py",
        tmp_path / "model",
        tmp_path / "answers.json",
    ]
    output = run(
        [*words, *(f"{name}={value}" for name, value in script_settings.items())], tmp_path
    )
    verl_report: dict[str, Any] = json.loads(output.splitlines()[-1])
    assert verl_report["rows"] == 3
    good, wrong, silent = (reward["reward_extra_info"] for reward in verl_report["rewards"])
    assert (good["form"], good["correctness"], good["judged"]) == (1, 0.5, 1)
    assert (wrong["form"], wrong["correctness"]) == (1, -1)
    assert (silent["form"], silent["correctness"]) == (-1, -1)
    assert [reward["reward_score"] for reward in verl_report["rewards"]][1:] == pytest.approx(
        [-0.3, -0.7]
    )
