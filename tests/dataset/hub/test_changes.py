"""Differences between two releases, as counts and as text, and the next version."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.dataset.hub.releases import SPREAD, Draft
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.hub.changes import (
    MEMORY_NOISE,
    Changes,
    PreviousRelease,
    choose_version,
    compare,
    describe,
    find_changes,
    has_other_rows,
)
from venus_toolkit.dataset.hub.repository import attribute, clean, failure_of
from venus_toolkit.dataset.hub.versions import Version, parse_name, parse_version, version_of
from venus_toolkit.dataset.release import Release

KEY = ("sum-0", "a")
WITHIN_OR_BEYOND = [(1 + 1.9 * SPREAD, 0), (1 + 2.1 * SPREAD, 1), (1 / (1 + 2.1 * SPREAD), 1)]


def difference(old: Release, new: Release) -> Counter[str]:
    files = [
        [(split, file) for split in release.splits("cpp") for file in release.files("cpp", split)]
        for release in (old, new)
    ]
    return compare(files[0], files[1])


def changes(old: Release, new: Release) -> Changes:
    return find_changes(
        new,
        PreviousRelease(Version(1, 0, 0), "0" * 40, old.manifest, lambda name: old.folder / name),
    )


@pytest.fixture
def old(draft: Draft, tmp_path: Path) -> Release:
    return draft.write(tmp_path / "old")


def test_nothing_has_changed(draft: Draft, old: Release, tmp_path: Path) -> None:
    same = draft.write(tmp_path / "same")
    assert difference(old, same) == Counter()
    assert changes(old, same).level == ""


@pytest.mark.parametrize(("factor", "moved"), WITHIN_OR_BEYOND)
def test_time_moves_beyond_both_spreads(
    draft: Draft, old: Release, tmp_path: Path, factor: float, moved: int
) -> None:
    draft.times[KEY] *= factor
    found = difference(old, draft.write(tmp_path / "new"))
    assert found == Counter(measured_again=1, times_moved=moved, integrals_moved=moved)
    assert not has_other_rows(found)


def test_peaks_have_moved_beyond_five_percent(draft: Draft, old: Release, tmp_path: Path) -> None:
    for factor, moved in ((1 + 0.9 * MEMORY_NOISE, 0), (1 + 1.1 * MEMORY_NOISE, 1)):
        draft.memories[KEY] = 4.0 * factor
        assert difference(old, draft.write(tmp_path / f"new-{moved}"))["memories_moved"] == moved


def test_changed_code_is_not_a_remeasurement(draft: Draft, old: Release, tmp_path: Path) -> None:
    draft.codes[KEY] += "// other\n"
    draft.times[KEY] *= 3
    assert difference(old, draft.write(tmp_path / "new")) == Counter(codes_changed=1)


def test_problems_added_removed_changed_and_moved(
    draft: Draft, old: Release, tmp_path: Path
) -> None:
    draft.add("new")
    draft.titles.remove("sum-0")
    draft.statements["sum-1"] += " Quickly."
    draft.tests["sum-2"] = ["7\n"]
    draft.test_titles.add("sum-2")
    found = difference(old, draft.write(tmp_path / "new"))
    assert found == Counter(
        problems_added=1, problems_removed=1, problems_moved=1, texts_changed=1, tests_changed=1,
        solutions_added=2, solutions_removed=2,
    )  # fmt: skip
    assert has_other_rows(found)


def test_columns_and_configs(draft: Draft, old: Release, tmp_path: Path) -> None:
    draft.languages = ("cpp", "go")
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": "x"}]
    more = draft.write(tmp_path / "more")
    assert changes(old, more) == Changes("minor", ("cpp-sft: new", "go: new"))
    gone = changes(more, old)
    assert (gone.level, gone.lines) == ("major", ("cpp-sft: gone", "go: gone"))
    with_columns = {
        **more.manifest,
        "columns": {"cpp-sft": {"title": "string", "answer": "string", "prompt": "int64"}},
    }
    other = changes(Release(more.folder, with_columns), more)
    assert other.level == "major"
    assert other.lines == ("cpp-sft: columns: answer removed; prompt of another type",)


def test_rewritten_derived_set_is_a_patch(draft: Draft, tmp_path: Path) -> None:
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": "x"}]
    before = draft.write(tmp_path / "before")
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": "y"}]
    assert changes(before, draft.write(tmp_path / "after")) == Changes(
        "patch", ("cpp-sft: written anew",)
    )


def test_equal_files_are_not_fetched(draft: Draft, old: Release, tmp_path: Path) -> None:
    draft.times[KEY] *= 2
    new, asked = draft.write(tmp_path / "new"), list[str]()

    def fetch(name: str) -> Path:
        asked.append(name)
        return old.folder / name

    find_changes(new, PreviousRelease(Version(1, 0, 0), "0" * 40, old.manifest, fetch))
    assert asked == ["data/cpp/train-00000-of-00001.parquet"]


def test_a_file_that_cannot_be_compared(old: Release) -> None:
    file = old.folder / "data/cpp/train-00000-of-00001.parquet"
    file.write_bytes(b"x")
    with pytest.raises(ReleaseError, match="cannot be compared"):
        compare([("train", file)], [])


def test_change_lines() -> None:
    said = list(
        describe(
            "cpp", Counter(problems_added=2, solutions_removed=1, measured_again=3, times_moved=1)
        )
    )
    assert said == [
        "cpp: 2 problems added, 1 solution removed",
        "cpp: 3 solutions measured again, moved by more than the noise: time of 1",
    ]
    assert list(describe("go", Counter())) == []


# ------------------------------------------------------------------ versions and names


@pytest.mark.parametrize(
    ("level", "version"),
    [("major", "2.0.0"), ("minor", "1.3.0"), ("patch", "1.2.4"), ("", "1.2.4")],
)
def test_the_next_version(level: str, version: str) -> None:
    last = Version(1, 2, 3)
    assert str(choose_version(None, level, {last: ""}, last)) == version
    with pytest.raises(UsageError) as refused:
        choose_version(Version(1, 2, 3), level, {last: ""}, last)
    assert refused.value.fix == f"--version {version}"


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4", "01.2.3", "v", "1.2.3-rc1", "latest", "1.2.x"])
def test_malformed_versions_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a version"):
        parse_version(text)
    assert version_of(f"v{text}") is None


def test_names_and_versions() -> None:
    assert parse_name("me/Venus@v1.2.10") == ("me/Venus", Version(1, 2, 10))
    assert parse_name("Venus") == ("Venus", None)
    assert max(Version(1, 9, 0), Version(1, 10, 0)).tag == "v1.10.0"
    assert version_of("v1.0.0") == Version(1, 0, 0)
    assert version_of("1.0.0") is None


# ------------------------------------------------------------------ messages about failures


def test_messages_hide_tokens_and_signed_addresses() -> None:
    said = clean(
        "PUT https://store/x?X-Amz-Signature=abc with hf_abcdef and Bearer hf_xyz failed\nand more"
    )
    assert "abc" not in said.replace("https", "")
    assert "xyz" not in said
    assert "more" not in said


def test_other_errors_are_not_attributed() -> None:
    assert failure_of(RuntimeError("a bug")) is None
    assert attribute("cannot look", RuntimeError("a bug")) is None
    slow = TimeoutError("slow")
    timed_out = failure_of(slow)
    assert timed_out
    assert timed_out.temporary
    error = attribute("cannot look", slow)
    assert error
    assert "cannot be reached" in error.why
