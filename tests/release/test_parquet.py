"""Written splits: bounded row groups, shards, reproducible bytes, features in the metadata."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench.paper_release import make_task
from venus_toolkit.core.errors import StoreError
from venus_toolkit.dataset.columns import (
    FEATURES,
    LABELS,
    SCHEMA,
    TESTS,
    label_of,
    name_of,
    with_features,
)
from venus_toolkit.dataset.parquet import GROUP_ROWS, weight, write_rows, write_tables

PLAIN = pa.schema([("id", pa.int64()), ("text", pa.string())])
ROWS = [make_task(number, "cpp", tests=2).row for number in range(2)]


def plain(count: int, size: int = 1) -> Iterator[dict[str, Any]]:
    return ({"id": number, "text": f"{number:0{size}d}"} for number in range(count))


def groups(file: Path) -> list[int]:
    """Return the number of rows in each row group of a file."""
    metadata = pq.read_metadata(file)
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


def read_ids(folder: Path, names: list[str]) -> list[int]:
    return [value for name in names for value in pq.read_table(folder / name)["id"].to_pylist()]


def test_parquet_roundtrip(tmp_path: Path) -> None:
    (name,) = write_rows(tmp_path, "data/cpp/train", ROWS, SCHEMA)
    assert name == "data/cpp/train-00000-of-00001.parquet"
    table = pq.read_table(tmp_path / name)
    assert table.schema.names == SCHEMA.names
    assert table.to_pylist() == ROWS


@pytest.mark.parametrize("integral", [2**53 + 1, 2**63 - 1, 2**63, 10**21])
def test_integrals_of_any_size_are_written(tmp_path: Path, integral: int) -> None:
    """Holding 512 MiB for ten seconds in each of a hundred tests exceeds 64 bits."""
    row = {
        **ROWS[0],
        "solutions": [{**ROWS[0]["solutions"][0], "integral_byte_ns": float(integral)}],
    }
    (name,) = write_rows(tmp_path, "a", [row], SCHEMA)
    (read,) = pq.read_table(tmp_path / name).to_pylist()
    assert read["solutions"][0]["integral_byte_ns"] == pytest.approx(integral, rel=1e-15)


def test_a_split_without_rows_has_no_file(tmp_path: Path) -> None:
    """The file of an earlier split with rows is removed."""
    write_rows(tmp_path, "train", plain(3), PLAIN)
    assert write_rows(tmp_path, "train", [], PLAIN) == []
    assert write_tables(tmp_path, "test", [PLAIN.empty_table()], PLAIN) == []
    assert list(tmp_path.iterdir()) == []


def test_row_groups_are_bounded_and_pages_are_indexed(tmp_path: Path) -> None:
    (name,) = write_rows(tmp_path, "a", plain(2 * GROUP_ROWS + 1), PLAIN)
    assert groups(tmp_path / name) == [GROUP_ROWS, GROUP_ROWS, 1]
    column = pq.read_metadata(tmp_path / name).row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert column.has_offset_index
    assert column.has_column_index


def test_statistics_have_no_text_and_floats_are_split(tmp_path: Path) -> None:
    """The footer is uploaded again after every change.

    Statistics with texts would be most of its size.
    """
    (name,) = write_rows(tmp_path, "a", ROWS, SCHEMA)
    group = pq.read_metadata(tmp_path / name).row_group(0)
    columns = {
        column.path_in_schema: column for column in map(group.column, range(group.num_columns))
    }
    assert columns["title"].is_stats_set
    assert columns["solutions.list.element.wall_ns"].is_stats_set
    for path in (
        "question_content",
        "test_cases",
        "solutions.list.element.code",
        "tags.list.element",
    ):
        assert not columns[path].is_stats_set
    assert "BYTE_STREAM_SPLIT" in columns["solutions.list.element.time"].encodings
    assert "RLE_DICTIONARY" in columns["solutions.list.element.status"].encodings


def test_duckdb_reads_it_as_pyarrow_does(tmp_path: Path) -> None:
    (name,) = write_rows(tmp_path, "a", ROWS, SCHEMA)
    with duckdb.connect(":memory:") as connection:
        found = connection.execute(
            "select title, solutions from read_parquet(?)", [str(tmp_path / name)]
        ).fetchall()
    assert found == [(row["title"], row["solutions"]) for row in ROWS]


def test_row_groups_are_bounded_in_bytes(tmp_path: Path) -> None:
    """A group ends with the row that reaches the limit.

    A row larger than the limit joins the current group, and ends it.
    """
    rows = [*plain(10, 100), {"id": 10, "text": "x" * 5_000}, {"id": 11, "text": "y"}]
    (name,) = write_rows(tmp_path, "a", rows, PLAIN, group_bytes=324)
    assert groups(tmp_path / name) == [3, 3, 3, 2, 1]


def test_weight_does_not_depend_on_measurements() -> None:
    measured = {"code": "abc", "time": 1.5, "noise": [], "rank": 7}
    assert weight(measured) == weight({**measured, "time": None, "rank": None}) == 3 + 8 + 8
    assert weight({"tests": ["ab", "c"], "solutions": [measured]}) == 3 + 19


def test_shards_are_bounded_and_numbered(tmp_path: Path) -> None:
    names = write_rows(tmp_path, "a/train", plain(40, 1_000), PLAIN, group_rows=4, shard_bytes=500)
    count = len(names)
    assert count > 2
    assert names == [f"a/train-{number:05d}-of-{count:05d}.parquet" for number in range(count)]
    assert read_ids(tmp_path, names) == list(range(40))
    assert sorted(file.name for file in (tmp_path / "a").iterdir()) == [
        name.removeprefix("a/") for name in names
    ]


def test_rewriting_a_split_replaces_only_its_shards(tmp_path: Path) -> None:
    write_rows(tmp_path, "a/test", plain(1), PLAIN)
    write_rows(tmp_path, "a/train", plain(40, 1_000), PLAIN, group_rows=4, shard_bytes=500)
    (name,) = write_rows(tmp_path, "a/train", plain(3), PLAIN)
    assert sorted(file.name for file in (tmp_path / "a").iterdir()) == [
        "test-00000-of-00001.parquet",
        "train-00000-of-00001.parquet",
    ]
    assert read_ids(tmp_path, [name]) == [0, 1, 2]


def test_failure_keeps_existing_files(tmp_path: Path) -> None:
    (name,) = write_rows(tmp_path, "train", plain(3), PLAIN)

    def broken() -> Iterator[dict[str, Any]]:
        yield from plain(100)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_rows(tmp_path, "train", broken(), PLAIN, group_rows=8)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert read_ids(tmp_path, [name]) == [0, 1, 2]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    (first,) = write_rows(tmp_path, "first", ROWS, SCHEMA)
    (second,) = write_rows(
        tmp_path, "second", (dict(reversed(row.items())) for row in ROWS), SCHEMA
    )
    assert (tmp_path / first).read_bytes() == (tmp_path / second).read_bytes()


@pytest.mark.parametrize("row", [{"id": 1}, {"id": 1, "text": "", "more": 2}])
def test_a_row_with_other_columns_is_refused(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a row differs from the schema in"):
        write_rows(tmp_path, "a", [row], PLAIN)


def test_a_row_of_another_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowException):
        write_rows(tmp_path, "a", [{"id": "seven", "text": ""}], PLAIN)


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with pytest.raises(StoreError, match="cannot write"):
        write_rows(tmp_path, "a/train", plain(1), PLAIN)


def test_tables_are_written_as_row_groups(tmp_path: Path) -> None:
    tables = [pa.Table.from_pylist(list(plain(count)), schema=PLAIN) for count in (5, 7)]
    (name,) = write_tables(tmp_path, "a", tables, PLAIN)
    assert groups(tmp_path / name) == [5, 7]


@pytest.mark.parametrize("schema", [SCHEMA, TESTS, PLAIN], ids=["languages", "tests", "plain"])
def test_features_match_those_of_datasets(schema: pa.Schema) -> None:
    features = datasets.Features.from_arrow_schema(schema)
    labels = {
        name: datasets.ClassLabel(names=list(LABELS[name])) for name in features if name in LABELS
    }
    theirs = datasets.Features({**features, **labels}).arrow_schema
    assert with_features(schema).metadata[FEATURES] == theirs.metadata[FEATURES]
    assert with_features(schema).equals(theirs)


def test_a_class_label_has_a_name_and_a_number() -> None:
    assert [
        label_of("difficulty", name) for name in ("Easy", "Hard", "Unknown", "Ferocious", "")
    ] == [0, 2, 3, 3, 3]
    # Releases of earlier versions store the names.
    assert [name_of("difficulty", each) for each in (0, 2, "Medium", None, -1, 7, "")] == [
        *("Easy", "Hard", "Medium"),
        *("Unknown",) * 4,
    ]
