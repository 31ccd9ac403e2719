"""A pretrained model in all stages, one step each, on real problems; runs in `nox -s torch-test`.

In so few tokens, SmolLM2 cannot improve a human program. The tests only check that its prompts,
answers, end tokens and weights pass through every stage.
"""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from examples.reproduce.preset import read_preset
from examples.reproduce.stages import ARMS, BASE, Reproduction
from tests.building import needs_isolation
from tests.real_model import pretrained_model
from venus_toolkit.core.store import read_manifest
from venus_toolkit.training.recipe import COLD_START, DPO, GRPO, SFT
from venus_toolkit.training.trainer.run_directory import TrainedModel

pytest.importorskip("trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = [*needs_isolation, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
CHAIN = (BASE, COLD_START, SFT, DPO, GRPO)


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    pretrained_model()
    return Reproduction(
        read_preset("pretrained-seconds"),
        tmp_path_factory.mktemp("pretrained"),
        arms={arm: ARMS[arm] for arm in CHAIN},
    )


@pytest.fixture(scope="module")
def trained(reproduction: Reproduction) -> dict[str, list[TrainedModel]]:
    return reproduction.run()


def test_every_method_trains_a_pretrained_model(
    reproduction: Reproduction, trained: dict[str, list[TrainedModel]]
) -> None:
    assert {arm: [model.steps for model in models] for arm, models in trained.items()} == {
        COLD_START: [1],
        SFT: [1],
        DPO: [1],
        GRPO: [2],
    }
    facts = trained[COLD_START][0].facts
    assert facts["base"]["name"] == "smollm2"
    assert facts["recipe"]["model"] == "smollm2", "the same on every machine"
    assert len(facts["base"]["digest"]) == 64
    assert {line["reward"] for line in trained[GRPO][0].log if "reward" in line} != {None}


def test_every_model_was_evaluated_on_real_problems(
    reproduction: Reproduction, trained: dict[str, list[TrainedModel]]
) -> None:
    for arm in CHAIN:
        folder = reproduction.evaluation(arm, 0)
        manifest = read_manifest(folder)
        assert manifest, arm
        assert not manifest["partial"], arm
        rows = pq.read_table(folder / "results.parquet").to_pylist()
        assert "totient-sum" in {row["title"] for row in rows}
        # Answers that the model ended itself contain no tokens of its chat template.
        assert not [row for row in rows if "<|im_" in (row["answer"] or "")]


def test_the_release_has_problems_of_the_corpus(
    reproduction: Reproduction, trained: dict[str, list[TrainedModel]]
) -> None:
    sources = {folder.name for folder in (reproduction.out / "source").iterdir()}
    assert {"pair-sums", "totient-sum"} < sources
    assert len(sources) == 8
