"""The YAML header: licences, sizes, and user edits, which are kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest

from venus_toolkit.dataset import columns
from venus_toolkit.dataset.card.header import features_of, join_headers, licence_keys, size_category

SCHEMAS = {
    name: columns.with_features(each)
    for name, each in vars(columns).items()
    if isinstance(each, pa.Schema)
}


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (["MIT"], {"license": "mit"}),
        (["Apache-2.0"], {"license": "apache-2.0"}),
        (
            ["MIT", "CC-BY-4.0"],
            {
                "license": "other",
                "license_name": "cc-by-4.0-and-mit",
                "licenses": ["CC-BY-4.0", "MIT"],
            },
        ),
        ([""], {"license": "other", "license_name": "unknown", "licenses": ["unknown"]}),
        (
            ["Own terms!"],
            {"license": "other", "license_name": "own-terms-", "licenses": ["Own terms!"]},
        ),
        (list("abcde"), {"license": "other", "license_name": "mixed", "licenses": list("abcde")}),
    ],
)
def test_licences(licences: list[str], expected: dict[str, Any]) -> None:
    assert licence_keys(licences) == expected


@pytest.mark.parametrize(
    ("rows", "name"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (8_600, "1K<n<10K"), (10**7, "10M<n<100M")],
)
def test_size_categories(rows: int, name: str) -> None:
    assert size_category(rows) == name


def test_computed_keys_are_replaced_and_others_stay(tmp_path: Path) -> None:
    mine = {"pretty_name": "Venus", "license": "mit", "tags": ["code", "cpp"], "language": ["code"]}
    theirs = {
        "license": "gpl-3.0",
        "tags": ["cpp", "own"],
        "pretty_name": "Mars",
        "language": "de",
        "doi": "10.1",
    }
    assert join_headers(mine, theirs, tmp_path) == {
        "pretty_name": "Mars", "license": "mit", "tags": ["code", "cpp", "own"], "language": "de", "doi": "10.1",
    }  # fmt: skip


def test_obsolete_computed_keys_are_removed(tmp_path: Path) -> None:
    theirs = {"license": "other", "license_name": "mixed", "licenses": ["A", "B"]}
    assert join_headers({"license": "mit"}, theirs, tmp_path) == {"license": "mit"}


def test_own_config_stays_with_its_files(tmp_path: Path) -> None:
    (tmp_path / "extra.parquet").touch()
    mine = {"configs": [{"config_name": "cpp"}], "dataset_info": [{"config_name": "cpp"}]}
    own = {"config_name": "extra", "data_files": "extra.parquet"}
    gone = {"config_name": "gone", "data_files": [{"split": "train", "path": "gone-*.parquet"}]}
    theirs = {"configs": [{"config_name": "cpp", "data_files": "old"}, own, gone, "junk"]}
    joined = join_headers(mine, theirs, tmp_path)
    assert joined["configs"] == [{"config_name": "cpp"}, own]
    assert joined["dataset_info"] == [{"config_name": "cpp"}]


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_features_are_written_as_datasets_writes_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = datasets.Features.from_arrow_schema(SCHEMAS[name])._to_yaml_list()
    monkeypatch.delattr(datasets, "Features")  # not needed: the schema is enough
    assert features_of(SCHEMAS[name]) == expected


@pytest.mark.parametrize(
    "kind",
    [
        datasets.Array2D((2, 2), "int32"),
        datasets.Sequence(datasets.Value("int8"), length=3),
        datasets.Image(),
    ],
)
def test_other_features_are_left_to_datasets(kind: Any) -> None:
    features = datasets.Features({"a": kind, "b": datasets.Value("string")})
    assert features_of(features.arrow_schema) == features._to_yaml_list()
    plain = pa.schema([("a", pa.list_(pa.int64())), ("b", pa.struct([("c", pa.string())]))])
    assert features_of(plain) == datasets.Features.from_arrow_schema(plain)._to_yaml_list()


def test_build_needs_no_datasets_package() -> None:
    """Importing datasets takes a second, longer than writing a card."""
    code = (
        "import sys, venus_toolkit.builders.build, venus_toolkit.dataset.card.dataset_card; "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"datasets", "pandas", "matplotlib"} & set(done.stdout.split())
