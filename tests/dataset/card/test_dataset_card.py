"""The card of a release: it is complete, loads, keeps user edits, and is reproducible."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.card.dataset_card import (
    check_dataset_card,
    list_assets,
    render_dataset_card,
    write_dataset_card,
)
from venus_toolkit.dataset.card.templates import figure, size
from venus_toolkit.dataset.columns import SCHEMA, SOLUTION, TESTS
from venus_toolkit.dataset.release import open_release


def header_of(text: str) -> dict[str, Any]:
    header: dict[str, Any] = yaml.safe_load(text.split("\n---\n")[0])
    return header


@pytest.fixture(scope="module")
def text(pristine: Path) -> str:
    return (pristine / "README.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------ completeness


def tables(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the tables of a text: the number of the first line, and all lines."""
    lines = text.splitlines()
    start = None
    for number, line in enumerate([*lines, ""]):
        if line.startswith("|") and start is None:
            start = number
        elif not line.startswith("|") and start is not None:
            yield start + 1, lines[start:number]
            start = None


def complaints_about_tables(text: str) -> list[str]:
    found = []
    for start, rows in tables(text):
        cells = [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows]
        if len(set(cells)) != 1 or not re.fullmatch(r"\|(-+\|)+", rows[min(1, len(rows) - 1)]):
            found.append(
                f"the table at line {start} has rows of {sorted(set(cells))} cells: {rows[:2]}"
            )
        if not all(row.endswith("|") for row in rows):
            found.append(f"a row of the table at line {start} does not end")
    return found


def test_every_table_is_well_formed(text: str) -> None:
    assert len(list(tables(text))) >= 10
    assert complaints_about_tables(text) == []


@pytest.mark.parametrize(
    "table", ["|a|b|\n|---|\n|1|2|", "|a|b|\n|---|---|\n|1|", "|a|\n|b|", "|a|\n|---|\n|1"]
)
def test_malformed_table_is_detected(table: str) -> None:
    assert complaints_about_tables(table)


def test_card_prints_no_none_or_nan(text: str) -> None:
    assert re.findall(r"\b(?:None|nan|inf|null,|Undefined)\b", text.split("\n---\n", 1)[1]) == []


def test_every_dash_has_its_reason(text: str) -> None:
    assert [line for line in text.splitlines() if re.search(r"\N{EN DASH}(?! \()", line)] == []


def test_each_config_says_what_it_downloads(pristine: Path, text: str) -> None:
    (rows,) = (rows for _, rows in tables(text) if rows[0].startswith("| config | download |"))
    shown = {
        cells[1]: cells[2]
        for row in rows[2:]
        if (cells := [cell.strip() for cell in row.split("|")])[2]
    }
    release = open_release(pristine)
    assert list(shown) == list(release.config_names)
    for config, said in shown.items():
        assert said == size(sum(file.stat().st_size for file in release.files(config)))
    infos = {info["config_name"]: info for info in header_of(text)["dataset_info"]}
    assert infos["cpp"]["download_size"] == sum(
        file.stat().st_size for file in release.files("cpp")
    )


def test_every_picture_exists_and_is_shown(pristine: Path, text: str) -> None:
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert (
        sorted(shown)
        == list_assets(pristine)
        == [f"assets/{name}.png" for name in ("integral", "memory", "time")]
    )


def test_every_column_is_explained(text: str) -> None:
    named = {*SCHEMA.names, *(field.name for field in SOLUTION), *TESTS.names}
    assert [name for name in named if f"| `{name}` |" not in text] == []
    assert "not described yet" not in text


# ------------------------------------------------------------------ loading


def test_hub_parser_accepts_the_card(pristine: Path) -> None:
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(str(pristine / "README.md"))
    assert card.data.license == "other"
    assert card.data.to_dict()["licenses"] == ["CC0-1.0", "MIT"]
    assert card.data.size_categories == ["n<1K"]
    assert card.data.language == ["code", "en"]
    assert card.data.task_categories == ["text-generation"]


def test_configs_load_with_the_stated_rows(pristine: Path, tmp_path: Path) -> None:
    from datasets import get_dataset_config_names, load_dataset

    said = {
        info["config_name"]: info
        for info in header_of((pristine / "README.md").read_text())["dataset_info"]
    }
    assert [*open_release(pristine).config_names] == [*said]
    # Languages have aliases, which load the same files.
    assert {*said} <= {*get_dataset_config_names(str(pristine))}
    for name in ("default", "cpp", "tests"):
        loaded = load_dataset(str(pristine), name, cache_dir=str(tmp_path))
        assert {split: table.num_rows for split, table in loaded.items()} == {
            split["name"]: split["num_examples"] for split in said[name]["splits"]
        }


def test_a_bare_load_has_all_languages(pristine: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    loaded = load_dataset(str(pristine), cache_dir=str(tmp_path), split="train")
    assert len(set(loaded["language"])) == 7


@pytest.mark.parametrize("config", ["default", "python", "tests"])
def test_features_and_sizes_are_those_of_datasets(
    pristine: Path, config: str, tmp_path: Path
) -> None:
    """Our sizes come from Parquet footers, those of datasets from Arrow, so they only agree roughly."""
    from datasets import Dataset, Features

    (said,) = (
        info
        for info in header_of((pristine / "README.md").read_text())["dataset_info"]
        if info["config_name"] == config
    )
    files = open_release(pristine).files(config, "train")
    own = Dataset.from_parquet([str(file) for file in files], cache_dir=str(tmp_path))
    assert Features._from_yaml_list(said["features"]) == own.features
    assert said["features"] == own.features._to_yaml_list()
    assert said["download_size"] == sum(
        file.stat().st_size
        for split in ("train", "test")
        for file in open_release(pristine).files(config, split)
    )
    (train,) = (split for split in said["splits"] if split["name"] == "train")
    assert train["num_examples"] == own.num_rows
    assert 0.5 < train["num_bytes"] / own.data.nbytes < 2


# ------------------------------------------------------------------ user edits


def test_hand_edits_stay(release: Path) -> None:
    readme = release / "README.md"
    edited = readme.read_text()
    edited = edited.replace(
        "# Venus: how efficient is this code?", "# Mars\n\nBy *us*, with ünïcode."
    )
    edited = edited.replace(
        "pretty_name: Venus\n", "pretty_name: Mars\nannotations_creators:\n- found\n"
    )
    edited = edited.replace(
        "<!-- venus:limits -->", "## Who made it\n\nWe did.\n\n<!-- venus:limits -->"
    )
    edited = (
        edited.replace("- code-efficiency\n", "- code-efficiency\n- own-tag\n", 1)
        + "\n## Thanks\n\n| a |\n|---|\n"
    )
    stale = re.sub(r"\d[\d,]* solutions in", "999 solutions in", edited)
    readme.write_text(stale)
    assert write_dataset_card(release) is True
    after = readme.read_text()
    for written in (
        "# Mars\n\nBy *us*, with ünïcode.",
        "## Who made it\n\nWe did.\n",
        "\n## Thanks\n\n| a |\n|---|\n",
    ):
        assert written in after
    assert header_of(after)["annotations_creators"] == ["found"]
    assert header_of(after)["pretty_name"] == "Mars"
    assert "own-tag" in header_of(after)["tags"]
    assert "999 solutions" not in after
    assert after.split("\n---\n", 1)[1] == edited.split("\n---\n", 1)[1]
    assert write_dataset_card(release) is False


def test_hand_written_card_stays_above(release: Path) -> None:
    (release / "README.md").write_text("# By hand\n\nNo header, no blocks.\n")
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert text.startswith("---\npretty_name: Venus\n")
    assert text.index("No header, no blocks.") < text.index("<!-- venus:summary -->")
    assert text.count("how efficient is this code") == 0


def test_header_alone_gets_a_complete_body(release: Path) -> None:
    (release / "README.md").write_text("---\ndoi: '10.1'\n---\n")
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert header_of(text)["doi"] == "10.1"
    assert "# Venus: how efficient is this code?" in text


# ------------------------------------------------------------------ reproducibility


def test_the_same_data_give_the_same_bytes(release: Path, text: str) -> None:
    pictures = {name: (release / name).read_bytes() for name in list_assets(release)}
    for name in ["README.md", *pictures]:
        (release / name).unlink()
    assert write_dataset_card(release) is True
    assert (release / "README.md").read_text() == text
    assert {name: (release / name).read_bytes() for name in pictures} == pictures


def test_the_checksums_follow(release: Path) -> None:
    (release / "README.md").unlink()
    (release / "assets/time.png").write_bytes(b"")
    assert write_dataset_card(release) is True
    open_release(release).verify()


@pytest.mark.parametrize("name", ["croissant.json", "assets/time.png"])
def test_interrupted_manifest_is_written(release: Path, name: str) -> None:
    """A kill between writing the card and its checksums in the manifest is repaired by a rerun."""
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"][name] = "0" * 64
    (release / "manifest.json").write_text(json.dumps(manifest))
    assert write_dataset_card(release) is True
    open_release(release).verify()
    assert write_dataset_card(release) is False


def test_card_before_the_manifest(release: Path, text: str) -> None:
    manifest = json.loads((release / "manifest.json").read_text())
    (release / "manifest.json").unlink()
    assert render_dataset_card(release, manifest) == text


# ------------------------------------------------------------------ other contents


def test_changes_of_published_versions(release: Path, change_manifest: Callable[..., None]) -> None:
    change_manifest(
        changes=[
            {
                "version": "1.1.0",
                "date": "2025-08-01",
                "text": ["3 problems added", "none | removed"],
            },
            {"version": "1.0.0", "date": "", "text": "first\nrelease"},
        ]
    )
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert "### 1.1.0 (2025-08-01)\n\n- 3 problems added\n- none \\| removed\n" in text
    assert "### 1.0.0\n\n- first\n- release\n" in text


def test_sparse_manifest_makes_a_card_with_reasons(release: Path) -> None:
    file = release / "manifest.json"
    manifest = json.loads(file.read_text())
    file.write_text(json.dumps({key: manifest[key] for key in ("configs", "files")}))
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert "\N{EN DASH} (the manifest does not say)" in text
    assert complaints_about_tables(text) == []
    test_card_prints_no_none_or_nan(text)


def test_text_of_the_data_cannot_break_the_card(release: Path) -> None:
    for file in release.glob("data/*/*.parquet"):
        table = pq.read_table(file)
        rows = [
            row | {"source": "a | b\n<!-- /venus:sources -->\n# x"} for row in table.to_pylist()
        ]
        pq.write_table(table.from_pylist(rows, schema=table.schema), file)
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert complaints_about_tables(text) == []
    assert text.count("<!-- /venus:sources -->") == 1
    assert write_dataset_card(release) is False


def test_example_precedes_the_columns(release: Path) -> None:
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    example = text.split("<!-- venus:example -->")[1].split("<!-- /venus:example -->")[0]
    assert text.index("## An example") < text.index("## Languages") < text.index("## Columns")
    rows = [
        row
        for file in release.glob("data/cpp/train-*.parquet")
        for row in pq.read_table(file).to_pylist()
    ]
    row = min(rows, key=lambda each: str(each["title"]))
    measured = [each for each in row["solutions"] if each["passed"] and each["wall_ns"]]
    fastest = min(measured, key=lambda each: int(each["wall_ns"]))
    assert row["title"] in example
    assert f"of {len(measured)} solutions that pass" in example
    assert f"| the fastest | {figure(fastest['wall_ns'] / 1e6)} ms |" in example
    assert fastest["code"].splitlines()[0] in example
    file = release / "README.md"
    file.write_text(text.replace("| the slowest | ", "| the slowest | 9", 1))
    [finding] = check_dataset_card(release)
    assert finding.said.startswith("9")


def test_a_release_without_figures_has_no_example(release: Path) -> None:
    for file in release.glob("data/*/*.parquet"):
        rows = pq.read_table(file).to_pylist()
        for row in rows:
            row["solutions"] = [each | {"wall_ns": None} for each in row["solutions"]]
        pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(file)), file)
    write_dataset_card(release)
    assert "No solution was measured." in (release / "README.md").read_text()


def test_code_cannot_escape_the_example(release: Path) -> None:
    hostile = "```\n<!-- /venus:example -->\n````\n<script>\u202e\n---\n## Columns\n"
    for file in release.glob("data/*/*.parquet"):
        rows = pq.read_table(file).to_pylist()
        for row in rows:
            row["question_content"] = hostile
            row["solutions"] = [each | {"code": hostile} for each in row["solutions"]]
        pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(file)), file)
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert text.count("<!-- /venus:example -->") == 1
    assert "\u202e" not in text
    example = text.split("<!-- venus:example -->")[1].split("<!-- /venus:example -->")[0]
    outside = re.sub(r"(?ms)^(`{3,})\w*$.*?^\1$", "", example)
    assert "script" not in outside
    assert "script" in example
    assert write_dataset_card(release) is False
    assert check_dataset_card(release) == []


def test_dropped_problems(release: Path, change_manifest: Callable[..., None]) -> None:
    rows = [
        {
            "stage": "contamination",
            "problem": "p",
            "item": "p",
            "reason": "in a benchmark",
            "detail": None,
        },
        {
            "stage": "duplicates",
            "problem": "q",
            "item": "q/go/x",
            "reason": "a copy",
            "detail": {"language": "go"},
        },
    ]
    (release / "dropped.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["found"]["problems"] += 1
    manifest["found"]["solutions"]["go"] += 1
    change_manifest(
        found=manifest["found"],
        dropped={
            "contamination": {"in a benchmark": 1},
            "generate": {"below min_confidence": 3, "the validator refuses it": 4, "crashes": 7},
            "validate": {
                "canonical solutions disagree": 5,
                "a canonical solution fails": 1,
                "disputed": 2,
            },
            "disputed": {"it fails generated tests that are not enough to call it wrong": 9},
        },
    )
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    costs = re.findall(r"\| (\d+) (problems|tests|solutions) \|", text)
    assert costs == [
        ("3", "problems"),
        ("4", "tests"),
        ("6", "tests"),
        ("2", "tests"),
        ("9", "solutions"),
        ("0", "solutions"),
    ]
    assert "| contamination | 1 | 3 |" in text
    assert "| dropped: duplicates | 0 | 1 | 0 |" in text
    assert "Dropped for this reason: 1." in text
    assert complaints_about_tables(text) == []


def test_derived_sets_are_listed_with_their_columns(release: Path) -> None:
    import pyarrow as pa

    for config in ("cpp-sft", "cpp-dpo"):
        file = release / f"derived/{config}/time-00000-of-00001.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(
            pa.table({"problem_id": [1], "prompt": ["p"], "chosen_time": [1.5], "new": [1]}), file
        )
        open_release(release).add(
            config, {"splits": {"time": {"files": [file.relative_to(release).as_posix()]}}}
        )
    write_dataset_card(release)
    text = (release / "README.md").read_text()
    assert "| cpp-sft | time | 1 |" in text
    assert "| `chosen_time` | float64 | ms | wall time of the better answer |" in text
    assert "| `new` | int64 |  | \N{EN DASH} (not described yet) |" in text
    assert [c["config_name"] for c in header_of(text)["configs"]][-2:] == ["cpp-dpo", "cpp-sft"]


# ------------------------------------------------------------------ bad input


def test_folder_that_is_not_a_release(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"manifest\.json"):
        write_dataset_card(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"---\na: [1\n---\n", "cannot be read"),
        (b"---\na: 1\n", "does not end"),
        (b"\xff\xfe", "cannot be read"),
        (b"<!-- venus:load -->\n", "does not end"),
        (b"## Columns\n\nold text\n", "is outside of its markers"),
    ],
)
def test_unparsable_card_is_left_alone(release: Path, content: bytes, words: str) -> None:
    (release / "README.md").write_bytes(content)
    with pytest.raises(UsageError, match=words):
        write_dataset_card(release)
    assert (release / "README.md").read_bytes() == content


def test_damaged_reasons_are_named(release: Path) -> None:
    (release / "dropped.jsonl").write_text("{]\n")
    with pytest.raises(UsageError, match="not a complete build"):
        write_dataset_card(release)


def test_numbers_in_prose_are_finite(text: str) -> None:
    assert all(
        math.isfinite(float(n.replace(",", "")))
        for n in re.findall(r"\b\d[\d,]*(?:\.\d+)?\b", text)
    )
