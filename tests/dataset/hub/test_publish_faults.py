"""Failures of the Hub or the network during publishing: a rerun finishes the release, and no data are lost."""

from __future__ import annotations

import dataclasses
import itertools
import shutil
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.dataset.hub.conftest import NAME, Start
from tests.dataset.hub.faults import Fault
from tests.dataset.hub.releases import Draft
from tests.dataset.hub.routes import Hub
from venus_toolkit.core.errors import ConflictError, HubError, ReleaseError
from venus_toolkit.dataset.hub.publishing import PublishOptions, publish
from venus_toolkit.dataset.hub.staged_release import PENDING, StagedRelease
from venus_toolkit.dataset.release import open_release

COMMIT, TAG, LARGE, CREATE = "/commit/", "/tag/", "/lfs/", "/repos/create"
MORE = pytest.mark.only_thorough


def releases(hub: Hub) -> list[str]:
    """Return the titles of all commits, oldest first."""
    repo = hub.storage.repos[NAME]
    return [commit.title for commit in reversed(list(repo.history(repo.head)))]


@pytest.mark.usefixtures("unchecked")
class TestFaults:
    """Publishing with injected faults."""

    @pytest.mark.parametrize(
        "fault",
        [
            Fault("POST", CREATE, status=500),
            pytest.param(Fault("POST", "/preupload/", status=500, times=2), marks=MORE),
            Fault("PUT", LARGE, status=503, times=2),
            Fault("PUT", LARGE, cut_after=1000),
            pytest.param(Fault("POST", COMMIT, status=500, times=2), marks=MORE),
            pytest.param(Fault("POST", COMMIT, cut_after=100), marks=MORE),
            Fault("POST", COMMIT, lost=True),
            pytest.param(Fault("POST", TAG, status=502), marks=MORE),
            Fault("POST", TAG, lost=True),
            Fault("GET", "/refs", status=500),
            pytest.param(Fault("GET", "/tree/", cut_after=0), marks=MORE),
        ],
        ids=lambda fault: (
            f"{fault.method}{fault.path.strip('/')}-{fault.status or 'lost' if fault.lost else 'cut'}"
        ),
    )
    def test_temporary_failures_are_retried(
        self, hub: Hub, folder: Path, waits: list[float], fault: Fault
    ) -> None:
        fault = hub.faults.add(dataclasses.replace(fault))
        done = publish(folder, NAME)
        assert fault.seen
        assert releases(hub) == ["initial commit", "Release v1.0.0"]
        assert hub.storage.repos[NAME].tags() == {"v1.0.0": done.commit}

    @pytest.mark.parametrize("path", [LARGE, COMMIT, TAG])
    def test_retry_after_is_respected(
        self, hub: Hub, folder: Path, waits: list[float], path: str
    ) -> None:
        method = "PUT" if path == LARGE else "POST"
        hub.faults.add(Fault(method, path, status=429, headers={"Retry-After": "17"}))
        publish(folder, NAME)
        assert any(wait >= 17 for wait in waits)
        assert releases(hub) == ["initial commit", "Release v1.0.0"]

    def test_slow_answers_are_not_failures(self, hub: Hub, folder: Path) -> None:
        for method, path in (("POST", COMMIT), ("PUT", LARGE), ("GET", "/refs")):
            hub.faults.add(Fault(method, path, delay_s=0.5))
        assert publish(folder, NAME).status == "published"

    @pytest.mark.parametrize(
        "path",
        [*(pytest.param(path, marks=MORE) for path in (CREATE, "/preupload/", COMMIT)), LARGE, TAG],
    )
    def test_rerun_finishes_after_a_lasting_failure(
        self, hub: Hub, folder: Path, waits: list[float], path: str
    ) -> None:
        hub.faults.add(Fault("PUT" if path == LARGE else "POST", path, status=500, times=100))
        with pytest.raises(HubError, match="cannot") as failed:
            publish(folder, NAME)
        assert "500" in failed.value.why
        assert "type the same command" in failed.value.fix
        hub.faults.clear()
        done = publish(folder, NAME)
        assert done.status == ("finished" if path == TAG else "published")
        assert releases(hub) == ["initial commit", "Release v1.0.0"]
        assert hub.storage.repos[NAME].tags() == {"v1.0.0": done.commit}

    def test_sent_files_are_not_sent_again(
        self, hub: Hub, folder: Path, waits: list[float]
    ) -> None:
        hub.faults.add(Fault("POST", COMMIT, status=500, times=100))
        with pytest.raises(HubError):
            publish(folder, NAME)
        hub.faults.clear()
        sent = hub.uploaded_bytes
        publish(folder, NAME)
        assert hub.uploaded_bytes == sent > 0

    def test_concurrent_commit_is_a_conflict(
        self, hub: Hub, draft: Draft, folder: Path, tmp_path: Path
    ) -> None:
        publish(folder, NAME)
        repo = hub.storage.repos[NAME]
        draft.times["sum-0", "a"] *= 2
        again = draft.write(tmp_path / "again").folder
        held = hub.faults.add(Fault("POST", COMMIT, hold="before"))
        thread = threading.Thread(
            target=lambda: (held.reached.wait(60), write_notes(hub), held.release())
        )
        thread.start()
        with pytest.raises(ConflictError, match=f"cannot commit to {NAME}") as refused:
            publish(again, NAME)
        thread.join()
        assert "another user has published since; nothing was overwritten" in refused.value.why
        assert (releases(hub)[-1], set(repo.tags())) == ("notes", {"v1.0.0"})
        assert publish(again, NAME).version == "1.0.1"
        assert "NOTES.md" in repo.head.tree

    def test_status_412_is_a_conflict(self, hub: Hub, folder: Path) -> None:
        hub.faults.add(Fault("POST", COMMIT, status=412))
        with pytest.raises(ConflictError):
            publish(folder, NAME)

    def test_unfinished_foreign_release_stays(
        self, hub: Hub, draft: Draft, folder: Path, tmp_path: Path, waits: list[float]
    ) -> None:
        hub.faults.add(Fault("POST", TAG, status=500, times=100))
        with pytest.raises(HubError):
            publish(folder, NAME)
        hub.faults.clear()
        head = hub.storage.repos[NAME].head
        draft.add("other")
        other = draft.write(tmp_path / "other").folder
        with pytest.raises(
            ConflictError, match=r"has an unfinished release v1\.0\.0 with other content"
        ) as refused:
            publish(other, NAME)
        assert "--supersede" in refused.value.fix
        assert hub.storage.repos[NAME].head == head
        done = publish(other, NAME, PublishOptions(supersede=True))
        assert hub.storage.repos[NAME].tags() == {"v1.0.0": done.commit}

    def test_concurrent_tag_is_a_conflict(self, hub: Hub, folder: Path) -> None:
        held = hub.faults.add(Fault("POST", TAG, hold="before"))

        def take_the_tag() -> None:
            held.reached.wait(60)
            repo = hub.storage.repos[NAME]
            hub.storage.tag(repo, list(repo.history(repo.head))[-1].oid, "v1.0.0")
            held.release()

        thread = threading.Thread(target=take_the_tag)
        thread.start()
        with pytest.raises(ConflictError, match=r"has a version 1\.0\.0 with other content"):
            publish(folder, NAME)
        thread.join()

    def test_files_changed_after_checks_are_not_sent(
        self, hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = folder / "data/cpp/train-00000-of-00001.parquet"
        keep = StagedRelease.keep

        def write_meanwhile(stage: StagedRelease, where: Path) -> None:
            keep(stage, where)
            file.write_bytes(file.read_bytes() + b" ")

        monkeypatch.setattr(StagedRelease, "keep", write_meanwhile)
        with pytest.raises(ReleaseError, match="changed while it was being published"):
            publish(folder, NAME)
        assert releases(hub) == ["initial commit"]

    def test_altered_upload_gets_no_tag(
        self, hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file changes between its last check and its upload."""
        file = folder / "data/cpp/train-00000-of-00001.parquet"
        monkeypatch.setattr("venus_toolkit.dataset.hub.publishing.ensure_unchanged", lambda _: None)
        keep = StagedRelease.keep

        def write_meanwhile(stage: StagedRelease, where: Path) -> None:
            keep(stage, where)
            file.write_bytes(file.read_bytes() + b" ")

        monkeypatch.setattr(StagedRelease, "keep", write_meanwhile)
        with pytest.raises(HubError, match="is not what was checked"):
            publish(folder, NAME)
        assert hub.storage.repos[NAME].tags() == {}


def write_notes(hub: Hub) -> None:
    repo = hub.storage.repos[NAME]
    repo.save(
        "refs/heads/main", "notes", "", {**repo.head.tree, **repo.put({"NOTES.md": b"by hand"})}
    )


# ------------------------------------------------------------------ killed and concurrent publishers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "moment"),
    [
        pytest.param("POST", CREATE, "after", marks=MORE),
        pytest.param("POST", "/preupload/", "before", marks=MORE),
        ("PUT", LARGE, "after"),
        pytest.param("POST", COMMIT, "before", marks=MORE),
        ("POST", COMMIT, "after"),
        pytest.param("POST", TAG, "before", marks=MORE),
        ("POST", TAG, "after"),
    ],
    ids=lambda part: part.strip("/"),
)
def test_rerun_finishes_a_killed_publish(
    hub: Hub,
    folder: Path,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    path: str,
    moment: str,
) -> None:
    monkeypatch.setattr("venus_toolkit.dataset.hub.publishing.CHECKS_OF_CARD", {})
    held = hub.faults.add(Fault(method, path, hold=moment, status=500 if moment == "before" else 0))
    killed = start("publish", str(folder), "--to", NAME)
    assert held.reached.wait(120), killed.communicate()
    killed.kill()
    killed.wait()
    held.release()
    done = publish(folder, NAME)
    wanted = {
        (COMMIT, "after"): "finished",
        (TAG, "before"): "finished",
        (TAG, "after"): "unchanged",
    }
    assert done.status == wanted.get((path, moment), "published")
    assert releases(hub) == ["initial commit", "Release v1.0.0"]
    assert hub.storage.repos[NAME].tags() == {"v1.0.0": done.commit}


class Killed(BaseException):
    """Simulates a kill: no handler catches it."""


def publish_until(folder: Path, moves: int) -> None:
    """Publish, and simulate a kill after this many generated files were moved into the release."""
    with pytest.MonkeyPatch.context() as patch:
        replace, moved = Path.replace, itertools.count()

        def move(self: Path, target: Path) -> Path:
            if PENDING in self.parts and next(moved) == moves:
                raise Killed
            return replace(self, target)

        patch.setattr(Path, "replace", move)
        with pytest.raises(Killed):
            publish(folder, NAME)


@pytest.fixture
def derived(draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release with a derived set, whose rows get the version when it is published."""
    monkeypatch.setattr("venus_toolkit.dataset.hub.publishing.CHECKS_OF_CARD", {})
    draft.derived["cpp-grpo"] = [{"title": "sum-0", "prompt": "x", "revision": ""}]
    return draft.write(tmp_path / "with-derived").folder


@pytest.mark.parametrize("moves", [0, *(pytest.param(moves, marks=MORE) for moves in (1, 2)), 3])
def test_killed_between_two_files_of_its_own_release(hub: Hub, derived: Path, moves: int) -> None:
    """The next run moves the remaining files before it checks card, derived set and manifest."""
    publish_until(derived, moves)
    assert publish(derived, NAME).status == "published"
    assert open_release(derived).complaints() == []
    assert releases(hub) == ["initial commit", "Release v1.0.0"]
    assert not (derived / PENDING).exists()


def test_card_edits_after_a_kill_are_kept(hub: Hub, derived: Path) -> None:
    publish_until(derived, 0)
    card = derived / "README.md"
    card.write_text(card.read_text() + "\nWritten by hand.\n")
    publish(derived, NAME)
    assert card.read_text().rstrip().endswith("Written by hand.")


def test_prepared_files_are_discarded_after_a_build(hub: Hub, draft: Draft, derived: Path) -> None:
    publish_until(derived, 2)
    draft.add("later")
    shutil.rmtree(derived / "data")
    draft.write(derived)
    assert publish(derived, NAME).status == "published"
    assert open_release(derived).complaints() == []
    assert "later" in [row["title"] for row in pq.read_table(derived / "data").to_pylist()]


@pytest.mark.slow
def test_two_publishers_at_once_make_one_release(
    hub: Hub, draft: Draft, tmp_path: Path, start: Start
) -> None:
    """One of two different releases wins; the other publisher gets an error, and overwrites nothing."""
    first = draft.write(tmp_path / "first").folder
    draft.codes["sum-0", "a"] += "// other\n"
    second = draft.write(tmp_path / "second").folder
    held = hub.faults.add(Fault("POST", COMMIT, hold="before", times=2))
    processes = [start("publish", str(folder), "--to", NAME) for folder in (first, second)]
    deadline = time.monotonic() + 120
    while held.seen < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    held.release()
    codes = sorted((process.wait(120), process.communicate()[1]) for process in processes)
    assert [code for code, _ in codes] == [0, 3]
    assert "another user has published since" in codes[1][1]
    repo = hub.storage.repos[NAME]
    assert releases(hub) == ["initial commit", "Release v1.0.0"]
    assert repo.tags() == {"v1.0.0": repo.head.oid}
