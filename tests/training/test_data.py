"""Training sets: a missing set is reported before a model is loaded, overlong rows are counted."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builders.derive.made import usual_release
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.release import open_release
from venus_toolkit.training.recipe import METHODS, make_recipe
from venus_toolkit.training.trainer.data import COLUMNS, fit_rows, open_set, tokens_of

COUNTS = {"sft": 54, "dpo": 18, "cold-start": 54, "grpo": 6}


class WordTokenizer:
    """Counts words as tokens; the chat template adds one for each role and one before an answer."""

    def apply_chat_template(
        self, messages: list[Any], add_generation_prompt: bool, **_: Any
    ) -> list[int]:
        return [0] * (sum(1 + len(m["content"].split()) for m in messages) + add_generation_prompt)


class RefusingTokenizer:
    """A tokenizer whose chat template refuses system messages."""

    def apply_chat_template(self, *_: Any, **__: Any) -> list[int]:
        from jinja2 import TemplateError

        raise TemplateError("System role not supported")


@pytest.mark.parametrize("method", METHODS)
def test_set_has_the_columns_of_its_method(folder: Path, method: str, tmp_path: Path) -> None:
    data = open_set(folder, method, ["python"])
    assert data.splits == {f"python-{method}": ("time", "memory", "integral")}
    rows, columns = data.read(tmp_path), COLUMNS[method]
    assert len(rows) == COUNTS[method]
    if columns:
        assert tuple(rows.column_names) == (*columns, "title")  # problems are held out by title
    else:
        assert {"prompt", "tests_sha256", "original_solution_id"} < set(rows.column_names)


def test_default_languages_and_chosen_objectives(folder: Path, tmp_path: Path) -> None:
    data = open_set(str(folder), "sft", [], ["memory"])
    assert (data.languages, data.splits) == (("python",), {"python-sft": ("memory",)})
    assert len(data.read(tmp_path)) == 18
    assert data.digest != open_set(folder, "sft", []).digest


def test_language_aliases_are_accepted(folder: Path) -> None:
    assert open_set(folder, "sft", ["Python3", "py"]).languages == ("python",)
    with pytest.raises(UsageError, match="unknown language 'pyhton'") as caught:
        open_set(folder, "sft", ["pyhton"])
    assert "did you mean python?" in caught.value.fix


def test_unpublished_revision_is_a_digest(folder: Path) -> None:
    data = open_set(folder, "sft", ["python"])
    assert data.name == folder.name
    assert data.revision == f"unpublished-{data.digest[:12]}"


def test_published_revision_is_the_version(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    open_release(tmp_path / "copy").update({"version": "1.2.0"})
    assert open_set(tmp_path / "copy", "sft", ["python"]).revision == "v1.2.0"


@pytest.mark.parametrize(
    ("method", "languages", "fix"),
    [
        ("sft", ["cpp"], "venus derive sft {folder} --lang cpp"),
        (
            "cold-start",
            [],
            "venus derive cold-start {folder} --lang python --model NAME --base-url URL",
        ),
        ("grpo", [], "venus derive grpo {folder} --lang python"),
    ],
)
def test_missing_set_names_the_command(
    method: str, languages: list[str], fix: str, tmp_path: Path
) -> None:
    release = usual_release(tmp_path)
    with pytest.raises(UsageError, match=f"has no {method} set") as refused:
        open_set(release.folder, method, languages)
    assert refused.value.fix == "make it: " + fix.format(folder=release.folder)


def test_unknown_objective_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="no objective speed") as refused:
        open_set(folder, "sft", [], ["speed"])
    assert "time, memory, integral" in refused.value.why


def test_folder_without_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a release"):
        open_set(tmp_path, "sft", [])


def test_empty_set_names_reasons_of_dropped_rows(folder: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    shutil.copytree(folder, tmp_path / "copy")
    release = open_release(tmp_path / "copy")
    for file in release.files("python-dpo", "time"):
        pq.write_table(pq.read_table(file).slice(0, 0), file)
    facts = release.manifest["derived"]["python-dpo"]
    splits = {"time": facts["splits"]["time"]}
    for file in (release.folder / "derived/python-dpo").glob("[im]*.parquet"):
        file.unlink()
    release.add(
        "python-dpo", {**facts, "splits": splits, "dropped": {"time": {"too close together": 7}}}
    )
    with pytest.raises(UsageError, match="no rows to train on") as refused:
        open_set(release.folder, "dpo", [])
    assert "7 too close together" in refused.value.why


def test_damaged_file_is_a_release_error(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    data = open_set(tmp_path / "copy", "sft", [])
    data.files[0].write_bytes(b"not Parquet")
    with pytest.raises(ReleaseError, match="cannot be read"):
        data.read(tmp_path / "cache")


# ------------------------------------------------------------------ rows that fit


def rows_of(folder: Path, tmp_path: Path, method: str = "sft") -> Any:
    return open_set(folder, method, []).read(tmp_path / "cache")


def recipe(max_length: int, **changes: Any) -> Any:
    return make_recipe(method="sft", learning_rate=1e-4, max_length=max_length, **changes)


def test_overlong_rows_are_dropped_and_counted(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder, tmp_path)
    lengths = sorted(tokens_of(row, "sft", WordTokenizer()) for row in rows)
    fitting = fit_rows(rows, WordTokenizer(), recipe(lengths[8]))
    assert len(fitting.rows) + fitting.overlong == len(rows)
    assert fitting.longest == lengths[-1]
    assert len(fitting.rows) == sum(length <= lengths[8] for length in lengths)


def test_overlong_rows_are_refused_on_request(folder: Path, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    rows = rows_of(folder, tmp_path)
    assert (
        fit_rows(
            rows,
            WordTokenizer(),
            recipe(10_000, overlong="refuse"),
            lambda *call: calls.append(call),
        ).overlong
        == 0
    )
    assert calls == [("tokens", 54, 54)]
    with pytest.raises(UsageError, match="54 of 54 rows do not fit") as refused:
        fit_rows(rows, WordTokenizer(), recipe(20, overlong="refuse"))
    assert "there is room for 20" in refused.value.why


def test_no_fitting_row_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="54 of 54 rows do not fit") as refused:
        fit_rows(rows_of(folder, tmp_path), WordTokenizer(), recipe(20))
    assert refused.value.fix == "raise max_length in the recipe"


def test_grpo_reserves_room_for_an_answer(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder, tmp_path, "grpo")
    longest = max(tokens_of(row, "grpo", WordTokenizer()) for row in rows)
    keys = {
        "method": "grpo",
        "learning_rate": 1e-6,
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 2,
    }
    grpo = {"num_generations": 2, "max_completion_length": 50}
    assert (
        fit_rows(
            rows, WordTokenizer(), make_recipe(**keys, **grpo, max_length=longest + 50)
        ).overlong
        == 0
    )
    assert (
        fit_rows(
            rows, WordTokenizer(), make_recipe(**keys, **grpo, max_length=longest + 49)
        ).overlong
        >= 1
    )


def test_too_few_prompts_for_a_step_are_refused(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder, tmp_path, "grpo")
    grpo = make_recipe(
        method="grpo", learning_rate=1e-6, gradient_accumulation_steps=7, num_generations=4
    )
    with pytest.raises(UsageError, match="6 prompts are too few for one step") as refused:
        fit_rows(rows, WordTokenizer(), grpo)
    assert "a step takes 7" in refused.value.why


def test_preference_length_is_its_longer_side(folder: Path, tmp_path: Path) -> None:
    row = rows_of(folder, tmp_path, "dpo")[0]
    longer = {**row, "rejected": [{"role": "assistant", "content": "word " * 500}]}
    assert tokens_of(longer, "dpo", WordTokenizer()) > tokens_of(row, "dpo", WordTokenizer()) + 300


def test_refusing_chat_template_is_reported(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="refuses a conversation") as refused:
        fit_rows(rows_of(folder, tmp_path), RefusingTokenizer(), recipe(1000))
    assert "of system, user" in refused.value.why
    assert "chat_template" in refused.value.fix


def test_templates_are_those_of_the_method(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "release")
    release = open_release(tmp_path / "release")
    release.manifest["derived"]["python-sft"]["options"] = {"prompts": "others"}
    release.manifest["derived"]["python-grpo"]["options"] = {"prompts": "mine"}
    data = open_set(folder, "grpo", ["python"])
    assert replace(data, release=release).templates == Path("mine")
