"""``load_dataset`` needs only the folder to read every config, whole or streamed.

The configs have the columns of the data sets that came before (the ancestors).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.release.test_folder import LANGUAGES, derive
from venus_toolkit.core.store import MANIFEST
from venus_toolkit.dataset.card.dataset_card import render_dataset_card
from venus_toolkit.dataset.columns import SCHEMA, TESTS
from venus_toolkit.dataset.release import Release, open_release

# The columns of the ancestors and their types. ANCESTOR_SOLUTION has the fields of `solutions`, as
# in their releases with one language.
ANCESTORS = {
    "problem_id": pa.int64(),
    "title": pa.string(),
    "question_content": pa.string(),
    "difficulty": pa.int64(),  # a class label: the only type that differs from theirs
    "tags": pa.list_(pa.string()),
    "code_prompt": pa.string(),
    "test_case_generator": pa.string(),
    "test_case_evaluator": pa.string(),
    "test_case_runners": pa.string(),
    "test_cases": pa.string(),
}
ANCESTOR_SOLUTION = {
    "code": pa.string(),
    "status": pa.string(),
    "passed": pa.bool_(),
    "time": pa.float64(),
    "memory": pa.float64(),
    "integral": pa.float64(),
}
# Aliases of configs.
FURTHER = {
    "cpp": ("c++", "cxx"), "go": ("golang",), "javascript": ("js", "node"), "python": ("python3", "py"),
    "ruby": ("rb",), "rust": ("rs",),
}  # fmt: skip
READ = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder, cache = sys.argv[1:]
found = {"": [list(load_dataset(folder, cache_dir=cache)["train"]["language"])]}
for name in get_dataset_config_names(folder):
    for split, table in load_dataset(folder, name, cache_dir=cache).items():
        streamed = list(load_dataset(folder, name, split=split, streaming=True))
        found[f"{name}/{split}"] = [table.column_names, len(table), streamed == list(table), str(table.features)]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def loaded(whole: Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The result of READ on a release with a derived set and no Rust problem in the split test.

    READ runs in a separate process, so its warnings do not fail this one.
    """
    place = tmp_path_factory.mktemp("loaded")
    folder, manifest = (
        Path(shutil.copytree(whole.folder, place / "release")),
        json.loads(json.dumps(whole.manifest)),
    )
    for name in manifest["configs"]["rust"]["splits"]["test"].pop("files"):
        (folder / name).unlink()
    manifest["configs"]["rust"]["splits"]["test"] = {"files": [], "problems": 0, "solutions": 0}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    release = open_release(folder)
    release = derive(release, "cpp-sft")
    (release.folder / "README.md").write_text(render_dataset_card(release.folder, release.manifest))
    argv = [sys.executable, "-c", READ, str(release.folder), str(place / "cache")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_folder_alone_loads(loaded: dict[str, Any]) -> None:
    assert loaded[""] == [list(LANGUAGES)]


def test_every_config_is_loaded_and_streamed(loaded: dict[str, Any]) -> None:
    named = [each for name in LANGUAGES for each in (name, *FURTHER.get(name, ()))]
    configs = [
        f"{name}/{split}" for name in ("default", *named, "tests") for split in ("train", "test")
    ]
    for name in ("rust", "rs"):
        configs.remove(f"{name}/test")
    derived = ["cpp-sft/time", "cpp-sft/memory", "cpp-sft/train"]
    assert list(loaded)[1:] == [*configs, *derived]
    assert all(same for name, (*_, same, _) in list(loaded.items())[1:] if name)


def test_markdown_names_of_languages_load(loaded: dict[str, Any]) -> None:
    for language, names in FURTHER.items():
        for name in names:
            assert loaded[f"{name}/train"] == loaded[f"{language}/train"]


def test_derived_set_has_a_train_split(loaded: dict[str, Any]) -> None:
    """``trl sft --dataset_name FOLDER --dataset_config cpp-sft`` reads the split ``train``."""
    columns, rows, *_ = loaded["cpp-sft/train"]
    assert columns == loaded["cpp-sft/time"][0]
    assert rows == loaded["cpp-sft/time"][1] + loaded["cpp-sft/memory"][1] == 4


def test_columns_rows_and_features(loaded: dict[str, Any]) -> None:
    columns, rows, _, features = loaded["default/train"]
    assert (columns, rows) == (SCHEMA.names, len(LANGUAGES))
    assert "'tags': List(Value('string'))" in features
    assert loaded["tests/train"][0] == TESTS.names
    assert loaded["cpp-sft/time"][:2] == [["problem_id"], 2]


def test_the_ancestors_columns_come_first_with_their_types(whole: Release) -> None:
    schema = pq.read_schema(whole.files("cpp", "train")[0])
    first = [name for name in schema.names if name in {*ANCESTORS, "solutions"}]
    assert schema.names[: len(first)] == first
    assert set(first) == {*ANCESTORS, "solutions"}
    assert {name: schema.field(name).type for name in ANCESTORS} == ANCESTORS
    solution = schema.field("solutions").type.value_type
    assert [solution.field(index).name for index in range(6)] == list(ANCESTOR_SOLUTION)
    assert {name: solution.field(name).type for name in ANCESTOR_SOLUTION} == ANCESTOR_SOLUTION


def test_ancestor_texts_suit_their_readers(whole: Release) -> None:
    (row,) = pq.read_table(whole.files("cpp", "train")[0]).to_pylist()
    assert "==Code Submission==" in row["test_case_runners"]
    assert all(
        isinstance(case[key], str)
        for case in json.loads(row["test_cases"])
        for key in ("input", "output")
    )
    space: dict[str, Any] = {}
    exec(row["test_case_evaluator"], space)
    assert space["evaluate"]("1\n", "1")
    assert not space["evaluate"]("1\n", "2")


def test_tests_of_languages_match_the_config_tests(whole: Release) -> None:
    tests = pq.read_table(whole.files("tests", "train")[0]).to_pylist()
    apart = [(test["title"], test["test_id"], test["input"], test["output"]) for test in tests]
    for file in whole.files("default", "train"):
        (row,) = pq.read_table(file, columns=["title", "test_cases"]).to_pylist()
        cases = json.loads(row["test_cases"])
        assert [
            (row["title"], case["id"], case["input"], case["output"]) for case in cases
        ] == apart
