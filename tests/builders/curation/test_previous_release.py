"""Previous releases: their placements and solutions are read, other folders are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import Workshop
from venus_toolkit.builders.curation.duplicates import SolutionKey
from venus_toolkit.builders.curation.placement import read_known, read_placements
from venus_toolkit.core.errors import UsageError


def test_placements_from_manifest_or_tables(tmp_path: Path) -> None:
    placed = {"a": "train", "b": "test"}
    for language in ("cpp", "go"):
        folder = tmp_path / "data" / language
        folder.mkdir(parents=True)
        for slug, part in placed.items():
            pq.write_table(pa.table({"title": [slug]}), folder / f"{part}-00000-of-00001.parquet")
    assert read_placements(tmp_path) == placed
    (tmp_path / "manifest.json").write_text(json.dumps({"placements": {**placed, "gone": "train"}}))
    assert read_placements(tmp_path) == {**placed, "gone": "train"}, (
        "problems that are gone keep their place"
    )


@pytest.mark.parametrize(
    "content", ["{}", '{"placements": {}}', '{"placements": {"a": "dev"}}', "no json"]
)
def test_folder_without_placements_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(UsageError, match="no placements"):
        read_placements(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(UsageError, match="no placements"):
        read_placements(tmp_path)


def test_finished_build_is_a_previous_release(built: Workshop) -> None:
    rows = {language: built.rows(language) for language in ("python", "cpp")}
    assert read_placements(built.out) == {
        slug: row["split"] for table in rows.values() for slug, row in table.items()
    }
    published = {
        SolutionKey(slug, solution["solution_id"])
        for table in rows.values()
        for slug, row in table.items()
        for solution in row["solutions"]
    }
    assert set(read_known(built.out)) == published


def test_folder_without_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no solutions"):
        read_known(tmp_path)
    folder = tmp_path / "data" / "cpp"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"other": [1]}), folder / "train-00000.parquet")
    with pytest.raises(UsageError, match="no solutions"):
        read_known(tmp_path)
