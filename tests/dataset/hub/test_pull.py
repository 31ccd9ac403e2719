"""Pulling: every file is verified, an interrupted pull resumes, and folders are told apart from Hub names."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path

import pytest

from tests.dataset.hub.conftest import NAME, Kept, Start
from tests.dataset.hub.faults import Fault
from tests.dataset.hub.releases import Draft, manifest_of
from tests.dataset.hub.routes import Hub
from venus_toolkit.core.errors import HubError, ReleaseError, StoreError, UsageError
from venus_toolkit.dataset.hub.publishing import publish
from venus_toolkit.dataset.hub.pulling import list_releases, locate, pull
from venus_toolkit.dataset.release import open_release

FILE = "data/cpp/train-00000-of-00001.parquet"

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.fixture
def published(published: Hub, draft: Draft, tmp_path: Path, kept: Kept) -> Hub:
    """A Hub with versions 1.0.0 and 1.0.1."""
    repos = published.storage.repos
    if "second" in kept.repos:
        repos[NAME] = deepcopy(kept.repos["second"])
    else:
        draft.times["sum-0", "a"] *= 2
        publish(draft.write(tmp_path / "second").folder, NAME)
        kept.repos["second"] = deepcopy(repos[NAME])
    return published


def test_pull_returns_the_published_bytes(published: Hub, folder: Path, tmp_path: Path) -> None:
    done = pull(f"{NAME}@1.0.0", tmp_path / "out")
    assert (done.version, done.folder) == ("1.0.0", tmp_path / "out")
    for name in [*manifest_of(folder)["files"], "manifest.json"]:
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes(), name
    open_release(tmp_path / "out").verify()
    assert not (tmp_path / "out" / ".cache").exists()


def test_the_newest_version_is_the_default(published: Hub, tmp_path: Path) -> None:
    assert pull(NAME, tmp_path / "out").version == "1.0.1"


def test_present_files_are_not_pulled_again(published: Hub, tmp_path: Path) -> None:
    pull(NAME, tmp_path / "out")
    assert pull(NAME, tmp_path / "out").fetched == 0
    (tmp_path / "out" / FILE).unlink()
    (tmp_path / "out" / "dropped.jsonl").write_text("damaged")
    assert pull(NAME, tmp_path / "out").fetched == 2
    open_release(tmp_path / "out").verify()


def test_partial_download_is_resumed(published: Hub, tmp_path: Path, waits: list[float]) -> None:
    published.faults.add(Fault("GET", f"/resolve/.*/{FILE}", answer_cut=5000))
    pull(NAME, tmp_path / "out")
    open_release(tmp_path / "out").verify()


@pytest.mark.slow
def test_killed_pull_is_resumed(published: Hub, tmp_path: Path, start: Start) -> None:
    held = published.faults.add(Fault("GET", f"/resolve/.*/{FILE}", hold="before"))
    killed = start("pull", NAME, "--out", str(tmp_path / "out"))
    assert held.reached.wait(120), killed.communicate()
    killed.kill()
    killed.wait()
    held.release()
    assert 0 < pull(NAME, tmp_path / "out").fetched < len(manifest_of(tmp_path / "out")["files"])
    open_release(tmp_path / "out").verify()


def test_checksum_mismatch_is_refused(published: Hub, tmp_path: Path) -> None:
    repo = published.storage.repos[NAME]
    entry = repo.head.tree[FILE]
    assert entry.sha256
    repo.large[entry.sha256] = b"\0" * entry.size
    with pytest.raises(HubError, match=f"{FILE} of {NAME} is not what its manifest says"):
        pull(NAME, tmp_path / "out")


def test_manifest_cannot_escape_the_folder(published: Hub, tmp_path: Path) -> None:
    repo = published.storage.repos[NAME]
    manifest = json.dumps({"configs": {}, "files": {"../outside": "0" * 64}}).encode()
    repo.save(
        "refs/heads/main", "trick", "", {**repo.head.tree, **repo.put({"manifest.json": manifest})}
    )
    published.storage.tag(repo, "main", "v9.0.0")
    with pytest.raises(UsageError) as refused:
        pull(NAME, tmp_path / "out")
    assert "lies outside" in refused.value.why


def test_pull_refuses_other_folders(published: Hub, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="cannot hold this release"):
        pull(NAME, tmp_path / "full")
    pull(f"{NAME}@1.0.0", tmp_path / "out")
    with pytest.raises(UsageError, match="holds another release"):
        pull(f"{NAME}@1.0.1", tmp_path / "out")


def test_unknown_versions_and_names_are_refused(published: Hub, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no version 3\.0\.0") as refused:
        pull(f"{NAME}@3.0.0", tmp_path / "out")
    assert "1.0.1, 1.0.0" in refused.value.why
    with pytest.raises(HubError) as missing:
        pull("venus/other", tmp_path / "out")
    assert "it is not there" in missing.value.why
    with pytest.raises(UsageError, match="is not a version"):
        pull(f"{NAME}@latest", tmp_path / "out")
    published.storage.create("venus/empty", private=False)
    with pytest.raises(UsageError, match="venus/empty has no version"):
        pull("venus/empty", tmp_path / "out")


def test_full_disk_is_reported(
    published: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("huggingface_hub.file_download.hf_hub_download", full)
    with pytest.raises(StoreError, match="cannot pull") as refused:
        pull(NAME, tmp_path / "out")
    assert "No space left" in refused.value.why


def test_the_network_is_down(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError) as refused:
        pull(NAME, tmp_path / "out")
    assert "cannot be reached" in refused.value.why


def test_releases_are_listed_with_changes(published: Hub) -> None:
    newest, first = list_releases(NAME)
    assert (newest.version, first.version) == ("1.0.1", "1.0.0")
    assert first.changes == ("First release.",)
    assert "measured again" in newest.changes[0]
    assert newest.rows["cpp"] == {"train": 3, "test": 1}
    assert newest.date
    assert len(newest.commit) == 40


def test_tags_without_a_manifest_are_listed_too(hub: Hub) -> None:
    hub.storage.tag(hub.storage.create(NAME, private=False), "main", "v0.1.0")
    (only,) = list_releases(NAME)
    assert (only.version, only.date, only.changes) == ("0.1.0", None, ())


def test_folder_is_located_like_a_name(published: Hub, folder: Path) -> None:
    here, there = locate(folder), locate(f"{NAME}@1.0.0")
    assert here.manifest == there.manifest
    assert [here.rows("cpp", "train"), there.rows("cpp", "train")] == [3, 3]
    assert locate(str(folder)).folder == folder
    there.verify()


def test_missing_folder_is_not_sought_on_the_hub(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="is not a release"):
        locate(str(tmp_path / "missing"))
    assert hub.asked == []


@pytest.mark.parametrize(
    "text", ["build/venuss", "build/other", "build/deep/venus", "venuss", "./venus"]
)
def test_mistyped_folder_is_not_sought_on_the_hub(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for place in ("build/venus", "venus-1", "other"):
        (tmp_path / place).mkdir(parents=True)
    for place in ("build/venus", "venus-1"):
        (tmp_path / place / "manifest.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReleaseError, match="there is no such folder") as caught:
        locate(text)
    assert hub.asked == []
    if "deep" not in text:
        assert ("build/venus" if "build" in text else "venus-1") in caught.value.why


def test_unknown_name_is_neither_folder_nor_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    for text in ("venuss/data", "venuss@1.0.0"):
        with pytest.raises(HubError, match="is not a folder, and cannot be read") as caught:
            locate(text)
        assert caught.value.fix.startswith("check the path; ")


def test_single_word_is_reported_as_missing_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ReleaseError, match="venuss is not a release") as caught:
        locate("venuss")
    assert caught.value.why.startswith("there is no such folder, and on the Hub: ")
    assert caught.value.fix.startswith("name the folder of a release")
