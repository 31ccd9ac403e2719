"""Publishing: uploaded files, versions, messages, and files that it does not touch."""

from __future__ import annotations

import dataclasses
import json
import socket
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.dataset.hub.conftest import NAME
from tests.dataset.hub.releases import Draft, manifest_of
from tests.dataset.hub.routes import Hub
from venus_toolkit.core.errors import ConflictError, HubError, ReleaseError, UsageError
from venus_toolkit.core.store import checksum
from venus_toolkit.dataset.hub.publishing import PublishOptions, publish
from venus_toolkit.dataset.hub.versions import Version, parse_version
from venus_toolkit.dataset.release import Release

pytestmark = pytest.mark.usefixtures("unchecked")


def asking(**values: object) -> PublishOptions:
    return dataclasses.replace(PublishOptions(), **values)  # type: ignore[arg-type]


def text(hub: Hub, path: str, revision: str = "main") -> str:
    repo = hub.storage.repos[NAME]
    return repo.read(repo.resolve(revision).tree[path]).decode()


# ------------------------------------------------------------------ uploaded files


def test_a_release_is_one_commit_and_a_tag(hub: Hub, folder: Path) -> None:
    done = publish(folder, NAME)
    repo = hub.storage.repos[NAME]
    assert (done.status, done.version, done.commit) == ("published", "1.0.0", repo.head.oid)
    assert [commit.title for commit in repo.history(repo.head)] == [
        "Release v1.0.0",
        "initial commit",
    ]
    assert repo.tags() == {"v1.0.0": repo.head.oid}
    listed = manifest_of(folder)["files"]
    arrived = {path: entry for path, entry in repo.head.tree.items() if path != ".gitattributes"}
    assert set(arrived) == {*listed, "manifest.json"}
    for path, entry in arrived.items():
        assert repo.read(entry) == (folder / path).read_bytes(), path


def test_card_and_manifest_state_the_version(published: Hub, folder: Path) -> None:
    manifest = manifest_of(folder)
    assert (manifest["repository"], manifest["version"]) == (NAME, "1.0.0")
    (entry,) = manifest["changes"]
    assert (entry["version"], entry["text"]) == ("1.0.0", ["First release."])
    assert entry["rows"]["cpp"] == {"train": 3, "test": 1}
    assert "First release." in text(published, "README.md")
    assert manifest["files"]["README.md"] == checksum(folder / "README.md")


def test_name_without_owner_gets_the_token_owner(hub: Hub, folder: Path) -> None:
    assert publish(folder, "demo").name == NAME
    assert NAME in hub.storage.repos


def test_private_option(hub: Hub, folder: Path) -> None:
    publish(folder, NAME, asking(private=True))
    assert hub.storage.repos[NAME].private


def test_rerun_changes_nothing(hub: Hub, folder: Path) -> None:
    first = publish(folder, NAME)
    before = len(hub.asked)
    again = publish(folder, NAME)
    assert (again.status, again.version, again.commit) == ("unchanged", "1.0.0", first.commit)
    assert not [asked for asked in hub.asked[before:] if asked.startswith(("PUT", "POST"))]


def test_only_changed_files_are_sent(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    draft.times["sum-0", "a"] *= 2
    done = publish(draft.write(tmp_path / "again").folder, NAME)
    assert "data/cpp/train-00000-of-00001.parquet" in done.changed
    assert "data/cpp/test-00000-of-00001.parquet" not in done.changed
    assert done.added == done.deleted == ()


def test_stale_files_are_deleted_and_others_stay(hub: Hub, folder: Path, tmp_path: Path) -> None:
    publish(Draft(("cpp", "go")).write(tmp_path / "both").folder, NAME)
    repo = hub.storage.repos[NAME]
    repo.save(
        "refs/heads/main", "notes", "", {**repo.head.tree, **repo.put({"NOTES.md": b"by hand"})}
    )
    done = publish(folder, NAME)
    assert done.version == "2.0.0"
    assert {path for path in done.deleted if path.endswith(".parquet")} == {
        "data/go/test-00000-of-00001.parquet",
        "data/go/train-00000-of-00001.parquet",
    }
    assert "NOTES.md" in repo.head.tree
    assert not [path for path in repo.head.tree if path.startswith("data/go/")]


# ------------------------------------------------------------------ versions


@pytest.mark.parametrize(
    ("change", "version", "line"),
    [
        (
            "times",
            "1.0.1",
            "cpp: 1 solution measured again, moved by more than the noise: time of 1, integral "
            "of 1",
        ),
        ("code", "1.1.0", "cpp: 1 solution with other code"),
        ("problem", "1.1.0", "cpp: 1 problem added, 2 solutions added"),
        ("tests", "1.1.0", "cpp: 1 problem with other tests"),
        ("language", "1.1.0", "go: new"),
    ],
)
def test_version_follows_from_changes(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path, change: str, version: str, line: str
) -> None:
    if change == "times":
        draft.times["sum-0", "a"] *= 2
    elif change == "code":
        draft.codes["sum-0", "a"] += "// other\n"
    elif change == "problem":
        draft.add("new")
    elif change == "tests":
        draft.tests["sum-1"].append("9\n")
    else:
        draft.languages = ("cpp", "go")
    done = publish(draft.write(tmp_path / "next").folder, NAME)
    assert done.version == version
    assert line in done.changes
    assert line in text(published, "README.md")
    log = manifest_of(tmp_path / "next")["changes"]
    assert [entry["version"] for entry in log] == [version, "1.0.0"]


def test_any_first_version_is_accepted(hub: Hub, folder: Path) -> None:
    assert publish(folder, NAME, asking(version=Version(0, 1, 0))).version == "0.1.0"


@pytest.mark.parametrize("asked", ["1.0.0", "1.0.2", "1.1.0", "2.0.0"])
def test_wrong_version_is_refused_with_the_right_one(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path, asked: str
) -> None:
    draft.times["sum-0", "a"] *= 2
    again = draft.write(tmp_path / "again").folder
    before = published.storage.repos[NAME].head
    with pytest.raises(UsageError, match=f"{asked} is not the version") as refused:
        publish(again, NAME, asking(version=parse_version(asked)))
    assert refused.value.fix == "--version 1.0.1"
    assert published.storage.repos[NAME].head == before
    assert publish(again, NAME, asking(version=Version(1, 0, 1))).version == "1.0.1"


# ------------------------------------------------------------------ dry run, pull requests


def test_dry_run_changes_nothing(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    draft.add("new")
    again = draft.write(tmp_path / "again").folder
    before = {file: file.read_bytes() for file in again.rglob("*") if file.is_file()}
    asked, head = len(published.asked), published.storage.repos[NAME].head
    planned = publish(again, NAME, asking(dry_run=True))
    assert (planned.status, planned.version, planned.commit) == ("planned", "1.1.0", None)
    assert planned.rows["cpp"]["train"] - planned.rows_before["cpp"]["train"] == 1
    assert planned.bytes_to_send > 0
    assert {file: file.read_bytes() for file in again.rglob("*") if file.is_file()} == before
    assert not [line for line in published.asked[asked:] if line.startswith(("PUT", "POST"))]
    assert published.storage.repos[NAME].head == head


def test_a_dry_run_needs_no_token(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    planned = publish(folder, NAME, asking(dry_run=True))
    assert (planned.status, planned.version, planned.offline) == ("planned", "1.0.0", "")
    assert NAME not in hub.storage.repos


def test_pull_request_is_tagged_after_merging(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft.add("new")
    again = draft.write(tmp_path / "again").folder
    monkeypatch.setenv("HF_TOKEN", "stranger-write")
    repo, head = published.storage.repos[NAME], published.storage.repos[NAME].head
    asked = publish(again, NAME, asking(as_request=True))
    assert asked.status == "requested"
    assert asked.request == f"{published.url}/datasets/{NAME}/discussions/1"
    assert repo.head == head
    assert publish(again, NAME, asking(as_request=True)).request == asked.request
    assert len([ref for ref in repo.refs if ref.startswith("refs/pr/")]) == 1
    repo.refs["refs/heads/main"] = repo.refs["refs/pr/1"]
    monkeypatch.setenv("HF_TOKEN", "venus-write")
    done = publish(again, NAME)
    assert (done.status, done.version) == ("finished", "1.1.0")
    assert repo.tags()["v1.1.0"] == repo.refs["refs/pr/1"]


# ------------------------------------------------------------------ edited cards

OWN = "\n## Notes of the owner\n\nWritten by hand.\n"


def test_local_card_edits_are_kept(hub: Hub, folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text() + OWN)
    publish(folder, NAME)
    assert "Written by hand." in text(hub, "README.md")


def test_card_edits_on_the_hub_are_kept(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    write_on_the_hub(published)
    draft.times["sum-0", "a"] *= 2
    publish(draft.write(tmp_path / "again").folder, NAME)
    card = text(published, "README.md")
    assert "Written by hand." in card
    assert "measured again" in card


def test_card_edits_in_both_places_conflict(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    write_on_the_hub(published)
    head = published.storage.repos[NAME].head
    draft.times["sum-0", "a"] *= 2
    card = draft.write(tmp_path / "again").folder / "README.md"
    card.write_text(card.read_text() + "\n## Mine\n")
    with pytest.raises(ConflictError, match=r"README\.md was changed here and on the Hub"):
        publish(tmp_path / "again", NAME)
    assert published.storage.repos[NAME].head == head


def test_an_edited_card_alone_is_a_patch(published: Hub, folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text() + OWN)
    done = publish(folder, NAME)
    assert (done.version, set(done.changed)) == (
        "1.0.1",
        {"README.md", "croissant.json", "manifest.json"},
    )
    assert "Nothing in the data; other texts." in text(published, "README.md")


def write_on_the_hub(hub: Hub) -> None:
    repo = hub.storage.repos[NAME]
    readme = text(hub, "README.md") + OWN
    repo.save(
        "refs/heads/main",
        "Update README.md",
        "",
        {**repo.head.tree, **repo.put({"README.md": readme.encode()})},
    )


# ------------------------------------------------------------------ bad input


def test_folder_that_is_not_a_release(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="is not a release"):
        publish(tmp_path, NAME)


@pytest.mark.parametrize(
    "name", ["a/b/c", "-x", "venus/", "a b", "venus/x..y", "venus/x.git", "", "ü/x"]
)
def test_invalid_name_is_refused(hub: Hub, folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a data set"):
        publish(folder, name)
    assert hub.asked == []


def test_no_token(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubError, match="cannot log in to the Hub") as refused:
        publish(folder, NAME)
    assert "HF_TOKEN" in refused.value.fix


def test_unknown_token_is_refused(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "made-up")
    with pytest.raises(HubError, match="cannot log in to the Hub") as refused:
        publish(folder, NAME)
    assert "does not know you" in refused.value.why


@pytest.mark.parametrize("token", ["stranger-write", "venus-read"])
def test_read_only_token_is_refused(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(HubError, match=f"cannot create {NAME}") as refused:
        publish(folder, NAME)
    assert "your token does not allow it" in refused.value.why
    assert token not in str(refused.value)


def test_the_network_is_down(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError) as refused:
        publish(folder, NAME)
    assert "cannot be reached" in refused.value.why


def test_foreign_tags_count_as_versions(hub: Hub, folder: Path) -> None:
    repo = hub.storage.create(NAME, private=False)
    hub.storage.tag(repo, "main", "v1.0.0")
    done = publish(folder, NAME)
    assert done.version == "2.0.0"


def test_rebuilt_data_are_unchanged(
    published: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    assert publish(draft.write(tmp_path / "again").folder, NAME).status == "unchanged"


# ------------------------------------------------------------------ versions in rows, offline use


def named(folder: Path) -> set[str]:
    (file,) = (folder / "derived/cpp-grpo").glob("*.parquet")
    return set(pq.read_table(file)["revision"].to_pylist())


def test_rows_name_their_release(hub: Hub, draft: Draft, tmp_path: Path) -> None:
    draft.derived["cpp-grpo"] = [
        {"title": title, "prompt": "x", "revision": ""} for title in ("sum-0", "sum-1")
    ]
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": "x"}]
    one = draft.write(tmp_path / "one").folder
    publish(one, NAME)
    assert named(one) == {"1.0.0"}
    assert Release(one, manifest_of(one)).complaints() == []
    assert publish(one, NAME).status == "unchanged"
    # Built and derived again in another folder: the same rows, still without a version.
    again = draft.write(tmp_path / "again").folder
    assert publish(again, NAME).status == "unchanged"
    draft.add("sum-9")
    two = draft.write(tmp_path / "two").folder
    done = publish(two, NAME)
    assert done.version == "1.1.0"
    assert not [line for line in done.changes if "written anew" in line and "grpo" in line]
    assert named(two) == {"1.1.0"}
    repo = hub.storage.repos[NAME]
    (name,) = (path for path in repo.head.tree if path.startswith("derived/cpp-grpo/"))
    assert repo.read(repo.head.tree[name]) == (two / name).read_bytes()
    described = json.loads(text(hub, "croissant.json"))
    sums = {
        each["@id"]: each["sha256"]
        for each in described["distribution"]
        if each["@type"] == "cr:FileObject"
    }
    assert sums.pop("repo")
    assert sums == {file: checksum(two / file) for file in sums}
    assert name in sums
    assert (described["version"], described["url"]) == (
        "1.1.0",
        f"https://huggingface.co/datasets/{NAME}",
    )


def test_offline_dry_run_makes_all_checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nothing listens there
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        begun = time.monotonic()
        checked: list[str] = []
        planned = publish(
            folder, "me/x", PublishOptions(dry_run=True), lambda stage, *_: checked.append(stage)
        )
        assert (planned.status, planned.version, planned.name) == ("planned", "1.0.0", "me/x")
        assert "127.0.0.1 cannot be reached" in planned.offline
        assert planned.added
        assert planned.bytes_to_send
        assert checked
        # Only the Hub knows the user of the token.
        assert publish(folder, "x", PublishOptions(dry_run=True)).name == "OWNER/x"
        with pytest.raises(HubError, match="cannot be reached"):
            publish(folder, "me/x")
        assert time.monotonic() - begun < 30
