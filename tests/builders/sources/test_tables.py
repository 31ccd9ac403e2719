"""Locations, tables in every format and through datasets, bounded memory."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from venus_toolkit.builders.reading.cells import TableRow
from venus_toolkit.builders.reading.tables import gather, parse_location, read_table
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.core.errors import SourceError

ROOT = Path(__file__).resolve().parents[3]
ROWS = [{"name": f"row {n}", "n": n} for n in range(40)]
Tree = Callable[..., Path]


def rows(location: object) -> list[TableRow]:
    items = list(read_table(parse_location(str(location))))
    assert all(isinstance(row, TableRow) for row in items), items
    return [row for row in items if isinstance(row, TableRow)]


def numbers(location: object) -> list[Any]:
    return [row.raw("n") for row in rows(location)]


# ------------------------------------------------------------------ locations


def test_existing_path(tmp_path: Path) -> None:
    odd = tmp_path / "a@b?split=c"
    odd.touch()
    for text, options in (
        (f"{tmp_path}", {}),
        (f"{tmp_path}?split=a&split=b", {"split": ("a", "b")}),
        (f"{odd}", {}),
    ):
        location = parse_location(text)
        assert (location.hub, location.revision, location.options) == (False, None, options)


@pytest.mark.parametrize(
    ("text", "place", "revision", "options"),
    [
        ("some/data", "some/data", None, {}),
        ("some/data@v1.0", "some/data", "v1.0", {}),
        (
            "some/data@refs/convert/parquet?config=*",
            "some/data",
            "refs/convert/parquet",
            {"config": ("*",)},
        ),
        (
            "some/data?config=a&config=b&split=test",
            "some/data",
            None,
            {"config": ("a", "b"), "split": ("test",)},
        ),
    ],
)
def test_hub_id(text: str, place: str, revision: str | None, options: Any) -> None:
    location = parse_location(text)
    assert (location.place, location.hub, location.revision, location.options) == (
        place,
        True,
        revision,
        options,
    )


@pytest.mark.parametrize(
    "text", ["nothing", "./no/such", "../no", "/no/such/file.parquet", "a/b/c", "", "a/b c"]
)
def test_neither_path_nor_hub_id(text: str) -> None:
    with pytest.raises(SourceError, match="does not exist") as caught:
        parse_location(text)
    assert caught.value.fix == "see docs/sources.md"


def test_unknown_option() -> None:
    with pytest.raises(SourceError) as caught:
        parse_location("some/data?spilt=test", more=("map",))
    assert str(caught.value) == (
        "the location has an unknown option 'spilt': expected one of config, split, map\ndid "
        "you mean split? see docs/sources.md"
    )


# ------------------------------------------------------------------ files


@pytest.mark.parametrize(
    "ending", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".json", ".json.gz", ".list.json", ".parquet"]
)
def test_every_format(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"train{ending}"
    text = (
        json.dumps(ROWS, indent=1)
        if ".list" in ending
        else "".join(json.dumps(row) + "\n" for row in ROWS)
    )
    if ending == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), file, row_group_size=7)
    elif ending.endswith(".gz"):
        file.write_bytes(gzip.compress(text.encode()))
    elif ending.endswith(".zst"):
        with pa.output_stream(str(file), compression="zstd") as stream:
            stream.write(text.encode())
    else:
        file.write_text(text)
    assert numbers(file) == list(range(40))
    assert rows(tmp_path)[3].where == f"{file.name} row 3"
    assert rows(tmp_path)[3].split == "train"


def test_folder_by_config_and_split(tmp_path: Path, write_tree: Tree) -> None:
    names = (
        "data/cpp/train-0.jsonl",
        "data/cpp/test.jsonl",
        "data/go/train.jsonl",
        ".cache/x.jsonl",
        "training.jsonl",
    )
    write_tree(tmp_path, {name: json.dumps({"n": n}) for n, name in enumerate(names)})
    (tmp_path / "dataset_infos.json").write_text("{}")
    assert {(row.config, row.split, row.raw("n")) for row in rows(tmp_path)} == {
        ("cpp", "train", 0), ("cpp", "test", 1), ("go", "train", 2), (None, None, 4),
    }  # fmt: skip
    assert numbers(f"{tmp_path}?config=cpp&split=train") == [0]
    assert numbers(f"{tmp_path}?config=*&split=train") == [0, 2]
    with pytest.raises(SourceError, match="no file in it matches config rust"):
        rows(f"{tmp_path}?config=rust")


@pytest.mark.parametrize("name", ["nothing.tsv", ""])
def test_no_table(tmp_path: Path, name: str) -> None:
    if name:
        (tmp_path / name).touch()
    with pytest.raises(SourceError, match=r"has no table: tables end in \.parquet"):
        rows(tmp_path)


def test_invalid_lines_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"n": 1}\n\nnot json\n[2]\n{"n": "\xff"}\n' + b"[" * 100_000 + b'\n{"n": 3}')
    items = list(read_table(parse_location(str(file))))
    assert [row.raw("n") for row in items if isinstance(row, TableRow)] == [1, 3]
    rejected = [row for row in items if isinstance(row, Rejected)]
    assert [item.item for item in rejected] == [f"rows.jsonl row {n}" for n in (1, 2, 3, 4)]
    assert "found a line that is not JSON" in rejected[0].reason
    assert rejected[1].reason == "it must be an object, found list [2]"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"PAR1 no"), ("a.jsonl.gz", b"no gzip"), ("a.jsonl.zst", b"no zstd"), ("a.json", b'[{"n": 1}, '),
        ("b.jsonl.gz", gzip.compress(b'{"n": 1}\n' * 9999)[:-20]),
    ],
)  # fmt: skip
def test_truncated_file_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    """A truncated file must not look like a shorter table."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=rf"{name} cannot be read"):
        rows(tmp_path / name)


# ------------------------------------------------------------------ read by datasets


@pytest.fixture
def dataset(tmp_path: Path, write_tree: Tree) -> Path:
    """A folder like one on the Hub: two configs, labels named only in the card."""
    card = {
        "configs": [
            {"config_name": name, "data_files": [{"split": "train", "path": f"files/{name}.jsonl"}]}
            for name in ("one", "two")
        ],
        "dataset_info": [
            {
                "config_name": "one",
                "features": [
                    {"name": "n", "dtype": "int64"},
                    {
                        "name": "kind",
                        "dtype": {"class_label": {"names": {"0": "easy", "1": "hard"}}},
                    },
                ],
            }
        ],
    }
    files = {
        "README.md": f"---\n{yaml.safe_dump(card)}---\n",
        "files/one.jsonl": '{"n": 1, "kind": 1}\n{"n": 2, "kind": 0}\n',
        "files/two.jsonl": '{"n": 3}\n',
    }
    return write_tree(tmp_path / "set", files)


def test_folder_with_card(dataset: Path) -> None:
    table_rows = rows(f"{dataset}?config=one")
    assert [(row.raw("n"), row.label("kind")) for row in table_rows] == [(1, "hard"), (2, "easy")]
    assert (table_rows[1].where, table_rows[1].config, table_rows[1].split) == (
        "one/train row 1",
        "one",
        "train",
    )
    assert numbers(f"{dataset}?config=*") == [1, 2, 3]
    assert numbers(f"{dataset}?config=two&config=one&split=train") == [3, 1, 2]


@pytest.mark.parametrize(
    ("query", "fix"),
    [
        ("", "add ?config=NAME, or ?config=* for all"),
        ("?config=three", "add ?config=NAME, or ?config=* for all"),
        ("?config=one&split=valid", "see docs/sources.md"),
    ],
)
def test_missing_config_or_split(dataset: Path, query: str, fix: str) -> None:
    with pytest.raises(SourceError) as caught:
        rows(f"{dataset}{query}")
    assert caught.value.fix == fix


# ------------------------------------------------------------------ gather


@pytest.mark.parametrize(
    ("column", "metadata"),
    [
        (["x"], b"\xff"),
        (["x"], b"[]"),
        (["x"], b"[" * 100_000),
        (["x"], b'{"info": 3}'),
        (["x"], b'{"info": {"features": {"question": {"_type": "ClassLabel"}}}}'),
        (pa.array([2**62], pa.timestamp("us")), b"{}"),
        (pa.array([2**30], pa.date32()), b"{}"),
        (pa.array([b"\xff"]).view(pa.string()), b"{}"),
    ],
    ids=str,
)
def test_parquet_values_beyond_python(tmp_path: Path, column: Any, metadata: bytes) -> None:
    """Such values must not end the build with a traceback."""
    table = pa.table({"question": column}).replace_schema_metadata({b"huggingface": metadata})
    pq.write_table(table, tmp_path / "train.parquet")
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_table(str(tmp_path)))


def test_deeply_nested_row_is_rejected() -> None:
    row = json.loads('{"id": 1, "more": ' + "[" * 500 + "]" * 500 + "}")
    (only,) = [
        item
        for group in gather([TableRow(row, "row 0")], lambda row: row.raw("id"))
        for item in group
    ]
    assert only == Rejected("row 0", "nested too deeply")


def test_gather_groups_in_order_of_first_rows() -> None:
    table_rows = [
        TableRow({"k": key, "n": n}, f"row {n}")
        for n, key in enumerate(("b", 1, "b", None, "1", "\ud800"))
    ]
    items = [*table_rows[:3], Rejected("x", "y"), *table_rows[3:]]
    groups = [
        [item.item if isinstance(item, Rejected) else item.raw("n") for item in group]
        for group in gather(items, lambda row: row.values.get("k"))
    ]
    assert groups == [["x"], [3], [0, 2], [1, 4], [5]]


# ------------------------------------------------------------------ memory

GENERATE = """
import json, sys
text = "x" * 700
with open(sys.argv[1], "w") as file:
    for n in range(int(sys.argv[2])):
        row = {"problem_id": n, "question": f"{n} {text}", "solutions": ["print(1)"], "extra": [n] * 20}
        file.write(json.dumps(row) + "\\n")
if sys.argv[3:]:
    import pyarrow.json as pj, pyarrow.parquet as pq
    pq.write_table(pj.read_json(sys.argv[1]), sys.argv[3], row_group_size=5000)
"""
READ = """
import sys
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.memory import own_peak_bytes
import pyarrow.parquet
languages = load_languages()
before = own_peak_bytes()
count = sum(isinstance(item, Entry) for item in choose_source(sys.argv[1]).read(languages))
print(count, (own_peak_bytes() - before) >> 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "expected_count", "most"),
    [
        ("jsonl", 20_000, 14),
        pytest.param("jsonl", 60_000, 36, marks=pytest.mark.only_thorough),
        pytest.param("parquet", 60_000, 120, marks=pytest.mark.only_thorough),
    ],
)
def test_memory_does_not_grow_with_the_source(
    tmp_path: Path, ending: str, expected_count: int, most: int
) -> None:
    """60,000 rows are 52 MiB of JSON, 20,000 are 17 MiB; memory holds only slugs and ids."""
    lines, table = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    generate = [
        sys.executable,
        "-c",
        GENERATE,
        lines,
        str(expected_count),
        *([table] if ending == "parquet" else []),
    ]
    subprocess.run(generate, check=True)
    words = [sys.executable, "-c", READ, f"apps:{tmp_path / f'rows.{ending}'}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    count, megabytes = map(int, done.stdout.split())
    assert count == expected_count
    assert megabytes < most


@pytest.mark.parametrize("text", ['[{"n": 1}, {"n": 2}]', '{"n": 1}\n{"n": 2}\n'])
def test_byte_order_mark_is_ignored(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(text, encoding="utf-8-sig")
    assert [row.values for row in read_table(str(file)) if isinstance(row, TableRow)] == [
        {"n": 1},
        {"n": 2},
    ]


# ------------------------------------------------------------------ CSV


def test_csv_cells(tmp_path: Path) -> None:
    file = tmp_path / "my.csv"
    long = "x" * 300_000  # above the default limit of Python's csv module
    file.write_bytes(
        f',name,"n, m",code\r\n0,a,1,"say ""hi""\nand go"\r\n\r\n1,b,,{long}\r\n'.encode()
    )
    assert [row.values for row in rows(file)] == [
        {"name": "a", "n, m": "1", "code": 'say "hi"\nand go'},
        {"name": "b", "n, m": None, "code": long},
    ]
    packed = tmp_path / "my.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert [row.raw("name") for row in rows(packed)] == ["a", "b"]


def test_invalid_csv_rows(tmp_path: Path) -> None:
    file = tmp_path / "my.csv"
    file.write_bytes(b"name,code\na,1,2\nb,caf\xe9\nc,3\n")
    cells, encoding, right = read_table(str(file))
    assert cells == Rejected("my.csv row 0", "it has 3 cells, and the first row names 2 columns")
    assert encoding == Rejected("my.csv row 1", "code is not UTF-8: save the table as such")
    assert isinstance(right, TableRow)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,a\n1,2\n", "two columns have the name 'a'"),
        (b",\n1,2\n", "its first row does not name the columns in UTF-8"),
        (b"\xe9,b\n1,2\n", "its first row does not name the columns in UTF-8"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "the row in line 3 is not CSV: unexpected end of data"),
        (b'a,b\n1,2\n"3"x,4\n', "the row in line 3 is not CSV: "),
    ],
)
def test_invalid_csv_files(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "my.csv"
    file.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        rows(file)
    assert reason in caught.value.why


def test_csv_cell_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my.csv"
    file.write_text('a,b\n1,"' + "x\n" * 200_000)
    monkeypatch.setattr("venus_toolkit.builders.reading.tables.LONGEST_CELL", 1000)
    limit = csv.field_size_limit(1000)
    try:
        with pytest.raises(SourceError, match=r"line 2 .* field larger than field limit"):
            rows(file)
    finally:
        csv.field_size_limit(limit)
