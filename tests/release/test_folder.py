"""The reader of release folders: valid and invalid folders, damage, and additions."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from venus_toolkit.core.errors import ReleaseError, StoreError
from venus_toolkit.core.store import Store
from venus_toolkit.dataset import release as folder
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import FORMAT, Release, open_release

LANGUAGES = ("cpp", "go", "java", "javascript", "python", "ruby", "rust")
PAIR = pa.schema([("problem_id", pa.int64())])


def derive(release: Release, config: str, rows: int = 2) -> Release:
    """Write a derived set with two splits and add it."""
    splits = {}
    for objective in ("memory", "time"):
        prefix = f"derived/{config}/{objective}"
        files = write_rows(release.folder, prefix, ({"problem_id": i} for i in range(rows)), PAIR)
        splits[objective] = {"files": files, "rows": rows}
    return release.add(config, {"splits": splits, "seed": 3})


# ------------------------------------------------------------------ contents


def test_configs_in_the_order_of_the_card(whole: Release) -> None:
    assert whole.languages == LANGUAGES
    assert whole.config_names == ("default", *LANGUAGES, "tests")
    assert whole.configs()["default"] == {
        "train": "data/*/train-*.parquet",
        "test": "data/*/test-*.parquet",
    }
    assert whole.configs()["cpp"]["train"] == "data/cpp/train-*.parquet"
    assert whole.splits("tests") == ("train", "test")


def test_files_are_found_by_their_globs(whole: Release) -> None:
    assert [file.name for file in whole.files("cpp", "test")] == ["test-00000-of-00001.parquet"]
    assert [file.parent.name for file in whole.files("default", "train")] == list(LANGUAGES)
    assert whole.rows("default", "train") == len(LANGUAGES)
    assert whole.rows("cpp", "train") == 1


def test_split_without_files_is_omitted(release: Release) -> None:
    release.files("cpp", "test")[0].unlink()
    assert release.splits("cpp") == ("train",)
    with pytest.raises(ReleaseError, match="has no split test: it has train"):
        release.files("cpp", "test")


def test_unknown_config_is_refused_with_the_known(whole: Release) -> None:
    with pytest.raises(ReleaseError, match="has no config cobol: it has default, cpp"):
        whole.files("cobol", "train")


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("c++", "cpp"),
        ("golang", "go"),
        ("Node", "javascript"),
        ("python3", "python"),
        ("rs", "rust"),
    ],
)
def test_language_aliases_are_configs(whole: Release, name: str, config: str) -> None:
    assert whole.find_config(name) == config
    assert whole.files(name, "train") == whole.files(config, "train")


def test_alias_of_an_absent_language_is_refused(release: Release) -> None:
    for file in release.files("cpp"):
        file.unlink()
    with pytest.raises(ReleaseError, match=r"has no config c\+\+: it has default, go"):
        release.splits("c++")


# ------------------------------------------------------------------ invalid folders


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (None, "it has no manifest.json"),
        ("{", "is not JSON"),
        ("\udcff", "is not JSON"),
        ("[]", "lists no configs"),
        ("{}", "lists no configs"),
        ('{"configs": []}', "lists no configs"),
        (
            json.dumps({"configs": {}, "format": FORMAT + 1}),
            f"format {FORMAT + 1}, this toolkit reads up to {FORMAT}",
        ),
        ('{"configs": {}, "format": "new"}', "format new, this toolkit reads"),
        ('{"configs": {"../cpp": {}}}', "contains the invalid name '../cpp'"),
        ('{"configs": {}, "derived": {"a/b": {}}}', "contains the invalid name 'a/b'"),
        ('{"configs": {}, "derived": []}', "contains the invalid name 'derived'"),
        ('{"configs": {}, "derived": {"a": 1}}', "contains the invalid name 1"),
        ('{"configs": {}, "derived": {"a": {"splits": ["time"]}}}', "contains the invalid name"),
        (
            '{"configs": {}, "derived": {"a": {"splits": {"a\\nb": {}}}}}',
            "contains the invalid name",
        ),
        ('{"configs": {}, "derived": {"a": {"kind": "sft"}}}', "contains the invalid name None"),
        (
            '{"configs": {}, "derived": {"a": {"kind": "sft", "language": "../x"}}}',
            "contains the invalid name '../x'",
        ),
        (
            '{"configs": {}, "derived": {"a": {"kind": "grpo", "language": "$(id)"}}}',
            "contains the invalid name '$(id)'",
        ),
        (
            '{"configs": {}, "files": {"data/../../x": "0"}}',
            "contains the invalid name 'data/../../x'",
        ),
        (
            '{"configs": {}, "files": {"/etc/passwd": "0"}}',
            "contains the invalid name '/etc/passwd'",
        ),
    ],
)
def test_invalid_folders_are_refused(tmp_path: Path, manifest: str | None, why: str) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_bytes(manifest.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReleaseError) as caught:
        open_release(tmp_path)
    assert why in caught.value.why
    assert caught.value.fix


def test_table_names_cannot_inject(tmp_path: Path) -> None:
    """The name of the split would reach the header of the card, which is YAML."""
    (tmp_path / "manifest.json").write_text('{"configs": {"cpp": {}}}')
    (tmp_path / "data/cpp").mkdir(parents=True)
    (tmp_path / "data/cpp/train\nlicense: x-0.parquet").touch()
    with pytest.raises(ReleaseError, match="is not read") as caught:
        open_release(tmp_path)
    assert "not a name of a split" in caught.value.why


def test_missing_folder_and_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="there is no such folder"):
        open_release(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(ReleaseError, match="is not a release"):
        open_release(tmp_path / "file")


def test_manifest_without_format_is_format_1(release: Release) -> None:
    manifest = {key: value for key, value in release.manifest.items() if key != "format"}
    (release.folder / "manifest.json").write_text(json.dumps(manifest))
    assert open_release(release.folder).languages == LANGUAGES


# ------------------------------------------------------------------ damage


def test_a_whole_release_has_no_complaints(whole: Release) -> None:
    assert whole.complaints() == []
    whole.verify()


def test_every_kind_of_damage_is_named(release: Release) -> None:
    changed, missing = release.files("cpp", "train")[0], release.files("go", "train")[0]
    data = bytearray(changed.read_bytes())
    data[len(data) // 2] ^= 1
    changed.write_bytes(data)
    missing.unlink()
    write_rows(release.folder, "data/basic/train", [{"problem_id": 1}], PAIR)
    assert release.complaints() == [
        "data/cpp/train-00000-of-00001.parquet is not what was written: its SHA-256 differs "
        "from the manifest's",
        "data/go/train-00000-of-00001.parquet is missing",
        "data/basic/train-00000-of-00001.parquet is not in the manifest",
    ]
    with pytest.raises(ReleaseError, match=r"is damaged: data/cpp/.* \(and 2 more\)"):
        release.verify()


def test_work_folders_are_ignored(release: Release) -> None:
    write_rows(release.folder, ".venus/staging/problems", [{"problem_id": 1}], PAIR)
    assert release.complaints() == []


def test_file_that_is_not_parquet(release: Release) -> None:
    release.files("cpp", "train")[0].write_text("nothing")
    with pytest.raises(ReleaseError, match=r"cpp/train-.* cannot be read"):
        release.rows("cpp", "train")


# ------------------------------------------------------------------ additions


def test_a_derived_config_is_added_with_its_checksums(release: Release) -> None:
    added = derive(release, "cpp-sft")
    assert added.manifest == open_release(release.folder).manifest
    assert added.derived == ("cpp-sft",)
    assert added.config_names == (*release.config_names, "cpp-sft")
    assert added.splits("cpp-sft") == ("time", "memory")
    assert added.manifest["derived"]["cpp-sft"]["seed"] == 3
    assert added.complaints() == []
    assert {key: added.manifest[key] for key in release.manifest if key != "files"} == {
        key: value for key, value in release.manifest.items() if key != "files"
    }


def test_derived_config_is_replaced(release: Release) -> None:
    derive(derive(release, "cpp-sft"), "go-dpo")
    again = derive(release, "cpp-sft", rows=5)
    assert again.derived == ("cpp-sft", "go-dpo")
    assert again.rows("cpp-sft", "time") == 5
    assert again.complaints() == []


def test_unlisted_derived_set_is_ignored(release: Release) -> None:
    write_rows(release.folder, "derived/stale-sft/time", [{"problem_id": 1}], PAIR)
    assert "stale-sft" not in release.config_names
    assert release.complaints() == [
        "derived/stale-sft/time-00000-of-00001.parquet is not in the manifest"
    ]


def test_concurrent_updates_lose_nothing(release: Release) -> None:
    names = [f"cpp-set{number}" for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: derive(release, name), names))
    now = open_release(release.folder)
    assert now.derived == tuple(names)
    assert now.complaints() == []


def test_facts_are_merged(release: Release) -> None:
    (release.folder / "README.md").write_text("a new card")
    changes: dict[str, Any] = {"changes": [{"version": "1.0.0"}]}
    updated = release.update(changes, ["README.md"])
    assert updated.manifest["changes"] == [{"version": "1.0.0"}]
    assert updated.complaints() == []


def test_locked_folder_is_left_alone(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "LOCK_PATIENCE_S", 0.0)
    before = (release.folder / "manifest.json").read_bytes()
    with Store(release.folder), pytest.raises(StoreError, match="another build is writing"):
        release.update({"changes": []})
    assert (release.folder / "manifest.json").read_bytes() == before
