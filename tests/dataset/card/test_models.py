"""Cards of models and evaluations: the Hub's own parser reads them, and user edits are kept."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import pytest
from huggingface_hub import EvalResult, ModelCard, ModelCardData
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

from tests.dataset.card.test_dataset_card import complaints_about_tables, header_of
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.model_card import (
    EvaluationFacts,
    ModelFacts,
    ReportedResult,
    model_index,
    render_evaluation_card,
    render_model_card,
)

PASS = ReportedResult(
    "pass@1",
    61.25,
    "venus/Venus",
    "v1.0.0",
    "cpp",
    name="Pass@1",
    unit="%",
    interval=(58.0, 64.5),
    n=300,
)
BEYOND = ReportedResult(
    "beyond_time", 44.1, "venus/Venus", "v1.0.0", "cpp", args={"temperature": 0.0}
)
OTHER = ReportedResult("pass@1", 70.0, "venus/Venus", "v1.0.0", "python")
MODEL = ModelFacts(
    "venus/small-coder", "sft", "Qwen/Qwen2.5-3B-Instruct", "abc123", "venus/Venus", "v1.0.0", {"cpp-sft": "time"},
    "Apache-2.0", rows=58_833, steps=919, seconds=7200.5, seed=1, command="venus train sft --lang cpp",
    hyperparameters={"learning_rate": 3e-5, "target": ["a", "b|c"]}, environment={"gpu": "H200"},
    results=(PASS, BEYOND, OTHER), languages=("cpp",), limits=("Only C++ was tried.",),
)  # fmt: skip
EVALUATION = EvaluationFacts(
    "Litmus of small-coder", "venus/small-coder", "def456", "venus/Venus", "v1.0.0", "litmus", (PASS, OTHER, BEYOND),
    languages=("cpp", "python"), problems=300, samples=1, judged=298, failures={"sandbox": 2}, partial=True,
    settings={"temperature": 0.0}, environment={"cpu": "made up"}, command="venus eval", license="MIT",
)  # fmt: skip


def hub_result(result: ReportedResult, **values: Any) -> EvalResult:
    return EvalResult(
        task_type="text-generation", dataset_type=result.dataset, dataset_name="Venus", metric_type=result.metric,
        metric_value=result.value, metric_name=result.title, dataset_config=result.config, dataset_split=result.split,
        dataset_revision=result.revision, **values,
    )  # fmt: skip


def test_model_index_equals_the_hubs() -> None:
    args = {"low_95": 58.0, "high_95": 64.5, "problems": 300}
    expected = [
        hub_result(PASS, metric_args=args), hub_result(BEYOND, metric_args={"temperature": 0.0}), hub_result(OTHER),
    ]  # fmt: skip
    assert model_index("venus/small-coder", MODEL.results) == eval_results_to_model_index(
        "venus/small-coder", expected
    )


@pytest.mark.parametrize("text", [render_model_card(MODEL), render_evaluation_card(EVALUATION)])
def test_the_hubs_parser_reads_the_results_back(text: str) -> None:
    card = ModelCard(text)
    assert isinstance(card.data, ModelCardData)
    assert card.data.model_name == "venus/small-coder"
    results = card.data.eval_results
    assert results
    assert {(each.metric_type, each.metric_value, each.dataset_config) for each in results} == {
        ("pass@1", 61.25, "cpp"), ("beyond_time", 44.1, "cpp"), ("pass@1", 70.0, "python"),
    }  # fmt: skip
    assert {each.dataset_revision for each in results} == {"v1.0.0"}
    name, again = model_index_to_eval_results(header_of(text)["model-index"])
    assert (name, len(again)) == ("venus/small-coder", 3)


def test_model_card_names_its_origin() -> None:
    text = render_model_card(MODEL)
    header = header_of(text)
    assert (header["base_model"], header["license"]) == ("Qwen/Qwen2.5-3B-Instruct", "apache-2.0")
    assert header["datasets"] == ["venus/Venus"]
    for said in (
        "trained with sft to write correct and efficient code in cpp.",
        "Qwen/Qwen2.5-3B-Instruct at abc123", "venus/Venus at v1.0.0", "cpp-sft, split time", "| rows | 58,833 |",
        "| learning_rate | 3e-05 |", "b\\|c", "| gpu | H200 |", "61.2 %", "58.0 to 64.5", "- Only C++ was tried.",
        "venus train sft --lang cpp",
    ):  # fmt: skip
        assert said in text


def test_partial_evaluation_is_marked() -> None:
    assert "**Partial**" in render_evaluation_card(EVALUATION)
    assert (
        "| failures not caused by the model, which count in no figure: sandbox | 2 |"
        in render_evaluation_card(EVALUATION)
    )
    assert "**Partial**" not in render_evaluation_card(
        dataclasses.replace(EVALUATION, partial=False)
    )


@pytest.mark.parametrize(
    "text",
    [
        render_model_card(MODEL),
        render_evaluation_card(EVALUATION),
        render_model_card(ModelFacts("m", "grpo", "b", "", "d", "")),
        render_evaluation_card(EvaluationFacts("e", "m", "", "d", "", "litmus", ())),
        render_model_card(
            ModelFacts(
                "m", "dpo", "b", "", "d", "", hyperparameters={"packing": None, "x": math.nan}
            )
        ),
    ],
)
def test_unknown_facts_have_reasons(text: str) -> None:
    body = text.split("\n---\n", 1)[1]
    assert complaints_about_tables(body) == []
    assert not re.search(r"\b(None|nan)\b", body)
    assert not re.search(r"\N{EN DASH}(?! \()", body)


def test_without_results_there_is_no_index() -> None:
    assert "model-index" not in header_of(render_model_card(dataclasses.replace(MODEL, results=())))


def test_hand_written_text_is_kept() -> None:
    before = render_model_card(MODEL).replace("# venus/small-coder", "# Our coder\n\nWith love.")
    before = before.replace("library_name: transformers", "library_name: transformers\nco2: 3")
    after = render_model_card(dataclasses.replace(MODEL, rows=12, results=(OTHER,)), before)
    assert "# Our coder\n\nWith love." in after
    assert header_of(after)["co2"] == 3
    assert "| rows | 12 |" in after
    assert "58,833" not in after
    assert len(header_of(after)["model-index"][0]["results"]) == 1


@pytest.mark.parametrize(
    "values", [{"value": math.nan}, {"value": math.inf}, {"interval": (0.0, math.nan)}]
)
def test_non_finite_result_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="cannot be put on a card"):
        dataclasses.replace(PASS, **values)
