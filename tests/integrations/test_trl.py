"""The environment in TRL: `GRPOTrainer(environment_factory=…)` with a tiny model on a CPU."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.real_model import write_model
from tests.training.posed import FORMULA, LANGUAGES, LOOP, Posed, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.integrations.trl import ToolEnvironment
from venus_toolkit.training.environment import EnvironmentOptions, open_environment

trl = pytest.importorskip(
    "trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError
)
pytestmark = [pytest.mark.filterwarnings("ignore"), *needs_isolation]
POSED = Posed()


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnvironmentOptions]:
    release = write_posed(tmp_path_factory.mktemp("release"), POSED)
    derive(KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions())
    made = EnvironmentOptions(
        str(release.folder), turns=2, repeats=2, figure="cpu", rule="strict", linger_s=0.0
    )
    yield made
    open_environment(made).close()


def test_trainer_makes_a_step(options: EnvironmentOptions, tmp_path: Path) -> None:
    """The model's random text calls no tool, so each roll-out gets the reward for no program."""
    from datasets import Dataset
    from transformers import AutoTokenizer
    from trl.chat_template_utils import qwen3_chat_template

    model = write_model(tmp_path / "model")
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.chat_template = qwen3_chat_template
    rows = Dataset.from_list(open_environment(options).rows(objectives=["time"]) * 2)
    config = trl.GRPOConfig(
        output_dir=str(tmp_path / "out"), per_device_train_batch_size=2, num_generations=2, max_completion_length=8,
        max_steps=1, use_cpu=True, bf16=False, report_to="none", save_strategy="no", remove_unused_columns=False,
    )  # fmt: skip
    trainer = trl.GRPOTrainer(
        model=str(model), args=config, train_dataset=rows, processing_class=tokenizer,
        environment_factory=partial(ToolEnvironment, options),
    )  # fmt: skip
    assert [tool.__name__ for tool in trainer.tools] == ["try_program"], "no other method is a tool"
    trainer.train()
    line = next(line for line in trainer.state.log_history if "reward" in line)
    assert line["reward"] == pytest.approx(-0.7)
    assert line["rewards/ToolEnvironment/mean"] == pytest.approx(-0.7)


def test_tool_schema() -> None:
    from transformers.utils import get_json_schema

    schema = get_json_schema(ToolEnvironment(EnvironmentOptions("build/venus")).try_program)[
        "function"
    ]
    assert schema["name"] == "try_program"
    assert schema["parameters"]["required"] == ["code"]


def test_calls_of_the_tool_are_turns(options: EnvironmentOptions) -> None:
    environment = ToolEnvironment(options)
    (row,) = open_environment(options).rows(objectives=["time"])

    async def play() -> list[Any]:
        told = environment.reset(**row)
        said = [await environment.try_program(code) for code in (LOOP, FORMULA, FORMULA)]
        return [told, *said, await environment.get_reward()]

    told, first, last, beyond, reward = asyncio.run(play())
    assert "at most 2" in told
    assert "passes all tests" in first
    assert (last, beyond) == ("That was the last try.", "No tries are left.")
    assert reward > 0.45, "in form, right, and better than the original"
    environment.reset(**row)
    assert asyncio.run(environment.get_reward()) == pytest.approx(-0.7), (
        "the next roll-out begins anew"
    )
