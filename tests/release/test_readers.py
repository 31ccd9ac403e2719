"""Other tools read a release correctly.

`datasets`, pandas, polars, DuckDB, the Hub's viewer, Croissant.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
import yaml

from tests.conftest import Workshop
from tests.release.test_datasets import READ
from tests.release.test_folder import derive
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import checksum
from venus_toolkit.dataset.card.dataset_card import render_dataset_card, write_dataset_card
from venus_toolkit.dataset.card.header import further_names
from venus_toolkit.dataset.columns import LABELS, PROBLEMS, REJECTED, RUNS, SOLUTION, SOLUTIONS
from venus_toolkit.dataset.release import Release, open_release

SHARED = ("solutions", "problems", "tests", "runs")
# The rules of the Hub's viewer and of `datasets` for names:
# https://huggingface.co/docs/hub/datasets-data-files-configuration
SPLIT_NAME = re.compile(r"\w+(\.\w+)*")
FILE_NAME = re.compile(r"(?P<split>\w+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.parquet")
NOT_IN_A_CONFIG = set('<>:/\\|?*"')
MAX_OF_A_ROW_GROUP = 300 * MIB
# Warnings of libraries that mlcroissant uses.
pytestmark = [
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index"),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release ready to publish: every possible config, two splits, a derived set."""
    shop = Workshop(tmp_path_factory.mktemp("readers")).small()
    shop.problem("lonely", {"solutions/python/times.py": None, "solutions/python/shift.py": None})
    shop.build(runs=True, repeats=2, min_solutions=2, test_fraction=0.4, quality={"mutants": 0})
    derived = derive(open_release(shop.out), "python-sft")
    write_dataset_card(derived.folder)
    found = open_release(derived.folder)
    assert {*SHARED, "default", "python", "rejected", "python-sft"} == set(found.config_names)
    assert all(
        found.splits(config) == ("train", "test") for config in (*SHARED, "default", "python")
    )
    return found


def rows(release: Release, config: str, split: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a config, read by pyarrow."""
    return [row for file in release.files(config, split) for row in pq.read_table(file).to_pylist()]


def globs(release: Release, config: str, split: str = "*") -> str:
    return f"{release.folder}/{config}/{split}-*.parquet"


# ------------------------------------------------------------------ datasets


@pytest.fixture(scope="module")
def loaded(release: Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The result of READ on each config, whole and streamed.

    READ runs in a separate process, so its warnings do not fail this one.
    """
    argv = [sys.executable, "-c", READ, str(release.folder), str(tmp_path_factory.mktemp("cache"))]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def names(release: Release) -> dict[str, str]:
    """Return the config of each name in the header; languages have aliases."""
    return {
        name: config
        for config in release.config_names
        for name in (config, *(further_names(config) if config in release.languages else ()))
    }


def splits(release: Release, config: str) -> dict[str, list[Path]]:
    """Return the files of each split; a derived set also has ``train``, which contains all rows."""
    found = {split: sorted(release.files(config, split)) for split in release.splits(config)}
    return found | ({"train": sorted(release.files(config))} if config in release.derived else {})


def count_rows(files: list[Path]) -> int:
    return sum(pq.read_metadata(file).num_rows for file in files)


def test_datasets_load_and_stream_every_config(release: Release, loaded: dict[str, Any]) -> None:
    known = {
        f"{name}/{split}": files
        for name, config in names(release).items()
        for split, files in splits(release, config).items()
    }
    assert list(loaded)[1:] == list(known)
    for name, files in known.items():
        columns, count, streamed_alike, _ = loaded[name]
        assert columns == pq.read_schema(files[0]).names
        assert (count, streamed_alike) == (count_rows(files), True)


def test_datasets_know_the_difficulty_as_a_class_label(loaded: dict[str, Any]) -> None:
    label = f"'difficulty': ClassLabel(names={list(LABELS['difficulty'])})"
    for config in ("default", "python", "solutions", "problems"):
        assert label in loaded[f"{config}/train"][-1]


# ------------------------------------------------------------------ pandas, polars, DuckDB


def test_pandas_read_a_folder(release: Release) -> None:
    solutions = pd.read_parquet(release.folder / "solutions")
    assert list(solutions.columns) == SOLUTIONS.names
    assert Counter(solutions["solution_id"]) == Counter(
        row["solution_id"] for row in rows(release, "solutions")
    )
    assert solutions.set_index("solution_id")["cpu_ns"].dropna().gt(0).all()
    of_file = pd.read_parquet(release.files("python", "train")[0])
    assert [len(each) for each in of_file["solutions"]] == [
        len(r["solutions"]) for r in rows(release, "python", "train")
    ]


def test_polars_scan_and_join(release: Release) -> None:
    for config, schema in {
        "solutions": SOLUTIONS,
        "problems": PROBLEMS,
        "runs": RUNS,
        "rejected": REJECTED,
    }.items():
        scanned = pl.scan_parquet(globs(release, config))
        assert scanned.collect_schema().names() == schema.names
        assert scanned.select(pl.len()).collect().item() == len(rows(release, config))
    # The key of a test is (problem_id, test_id). Polars adds a suffix to other common columns.
    runs, tests = (pl.scan_parquet(globs(release, config)) for config in ("runs", "tests"))
    joined = runs.join(tests, on=["problem_id", "test_id"], how="inner").collect()
    assert len(joined) == len(rows(release, "runs"))
    assert joined["title"].equals(joined["title_right"])


def test_polars_unnest_solutions_without_a_clash(release: Release) -> None:
    flat = pl.read_parquet(globs(release, "solutions"))
    assert flat.explode("noise").columns == flat.columns, (
        "already flat: nothing is left to be unnested"
    )
    nested = pl.read_parquet(f"{release.folder}/data/python/*.parquet")
    apart = nested.select("problem_id", "title", "language", "difficulty", "solutions").explode(
        "solutions"
    )
    assert apart.unnest("solutions").sort("solution_id").equals(flat.sort("solution_id"))
    both = set(nested.columns) & {field.name for field in SOLUTION}
    assert both == {"source", "license"}, (
        "what docs/release.md says clashes where all columns of a language are kept"
    )


def test_duckdb_reads_globs(release: Release) -> None:
    (found,) = duckdb.sql(
        f"select count(*), count(distinct title) from '{globs(release, 'solutions')}'"
    ).fetchall()
    listed = rows(release, "solutions")
    assert found == (len(listed), len({row["title"] for row in listed}))
    everything = (
        "select language, unnest(solutions).solution_id as id from "
        f"'{release.folder}/data/*/*.parquet'"
    )
    assert {name for _, name in duckdb.sql(everything).fetchall()} == {
        row["solution_id"] for row in listed
    }
    sums = f"""
        select s.solution_id, any_value(s.cpu_ns) - sum(r.cpu_ns) from '{globs(release, "solutions")}' s
        join '{globs(release, "runs")}' r using (language, problem_id, solution_id) group by all
    """
    assert {difference for _, difference in duckdb.sql(sums).fetchall()} == {0}


def test_the_names_of_difficulties_in_sql(release: Release) -> None:
    names = list(LABELS["difficulty"])
    found = duckdb.sql(
        f"select distinct {names}[difficulty + 1] from '{globs(release, 'problems')}'"
    ).fetchall()
    assert found == [("Medium",)]


# ------------------------------------------------------------------ the Hub's viewer


def test_viewer_accepts_the_names(release: Release) -> None:
    counts: Counter[tuple[Path, str, str]] = Counter()
    for config in release.config_names:
        assert not NOT_IN_A_CONFIG & set(config)
        for split in release.splits(config):
            assert SPLIT_NAME.fullmatch(split)
            for file in release.files(config, split):
                name = FILE_NAME.fullmatch(file.name)
                assert name
                assert name["split"] == split
                counts[file.parent, split, name["count"]] += config != "default"
                footer = pq.read_metadata(file)
                groups = [
                    footer.row_group(number).total_byte_size
                    for number in range(footer.num_row_groups)
                ]
                assert max(groups) < MAX_OF_A_ROW_GROUP
    assert all(seen == int(count) for (_, _, count), seen in counts.items())


def test_header_matches_the_files(release: Release) -> None:
    header = yaml.safe_load((release.folder / "README.md").read_text().split("\n---\n")[0])
    infos = {info["config_name"]: info for info in header["dataset_info"]}
    configs = {config["config_name"]: config for config in header["configs"]}
    assert list(infos) == list(release.config_names)
    assert list(configs) == list(names(release))
    assert [name for name, config in configs.items() if config.get("default")] == ["default"]
    listed = set()
    for name, config in names(release).items():
        said = configs[name]
        globs = {each["split"]: each["path"] for each in said["data_files"]}
        known = splits(release, config)
        assert list(globs) == [each["name"] for each in infos[config]["splits"]] == list(known)
        features = datasets.Features._from_yaml_list(infos[config]["features"])
        for each in infos[config]["splits"]:
            files = sorted(release.folder.glob(globs[each["name"]]))
            listed.update(files)
            assert files == known[each["name"]]
            assert each["num_examples"] == count_rows(files)
            assert all(
                datasets.Features.from_arrow_schema(pq.read_schema(file)) == features
                for file in files
            )
        sizes = sum(file.stat().st_size for file in release.files(config))
        assert infos[config]["download_size"] == sizes
    hidden = release.folder / ".venus"
    assert listed == {
        file for file in release.folder.rglob("*.parquet") if hidden not in file.parents
    }


# ------------------------------------------------------------------ Croissant


@pytest.fixture(scope="module")
def described(release: Release) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((release.folder / "croissant.json").read_text())
    return found


def open_croissant(source: Path | dict[str, Any], **more: Any) -> Any:
    import mlcroissant

    return mlcroissant.Dataset(jsonld=source if isinstance(source, dict) else str(source), **more)


def plain(value: Any) -> Any:
    """Convert a value of mlcroissant to the value that pyarrow returns.

    mlcroissant returns texts as bytes.
    """
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key.rsplit("/", 1)[-1]: plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_croissant_is_valid(release: Release) -> None:
    metadata = open_croissant(release.folder / "croissant.json").metadata
    assert not metadata.ctx.issues.errors
    # Version and date are recommended, but an unpublished release has neither.
    assert {issue.rsplit("/", 1)[-1].split('"')[0] for issue in metadata.ctx.issues.warnings} == {
        "datePublished",
        "version",
    }


def test_invalid_croissant_is_refused(described: dict[str, Any]) -> None:
    import mlcroissant

    broken = json.loads(json.dumps(described))
    broken["recordSet"][1]["field"][1]["source"]["fileSet"]["@id"] = "no-such-files"
    with pytest.raises(mlcroissant.ValidationError):
        open_croissant(broken)


def test_croissant_lists_every_file_with_its_checksum(
    release: Release, described: dict[str, Any]
) -> None:
    files = {
        each["@id"]: each for each in described["distribution"] if each["@type"] == "cr:FileObject"
    }
    assert files.keys() == {name for name in release.manifest["files"] if name.endswith(".parquet")}
    for name, each in files.items():
        assert each["sha256"] == checksum(release.folder / name)
        assert each["encodingFormat"] == "application/x-parquet"
        assert each["contentSize"] == f"{(release.folder / name).stat().st_size} B"
    assert release.manifest["files"]["croissant.json"] == checksum(
        release.folder / "croissant.json"
    )


def test_croissant_has_every_column_of_every_config(
    release: Release, described: dict[str, Any]
) -> None:
    sets = {each["@id"]: each for each in described["recordSet"]}
    assert list(sets) == [
        name for config in release.config_names for name in (f"{config}_splits", config)
    ]
    for config in release.config_names:
        fields = {each["@id"].split("/", 1)[1]: each for each in sets[config]["field"]}
        schema = pq.read_schema(release.files(config)[0])
        assert list(fields) == ["split", *schema.names]
        assert all(each.get("description") or config == "python-sft" for each in fields.values())
    fields = {each["@id"]: each for each in sets["python"]["field"]}
    assert fields["python/difficulty"]["dataType"] == "sc:Integer"
    assert (fields["python/tags"]["isArray"], fields["python/time_limit_ns"]["dataType"]) == (
        True,
        "cr:Int64",
    )
    parts = {each["@id"]: each for each in fields["python/solutions"]["subField"]}
    assert list(parts) == [f"python/solutions/{field.name}" for field in SOLUTION]
    assert parts["python/solutions/code"]["source"]["transform"] == {"jsonPath": "code"}


@pytest.mark.parametrize("config", [*SHARED, "python", "rejected", "python-sft"])
def test_croissant_reads_the_rows(release: Release, config: str) -> None:
    found = [
        plain(record)
        for record in open_croissant(release.folder / "croissant.json").records(config)
    ]
    splits = Counter(record.pop("split") for record in found)
    assert splits == {split: release.rows(config, split) for split in release.splits(config)}

    def key(row: dict[str, Any]) -> str:
        return json.dumps(row, sort_keys=True)

    assert sorted(map(key, found)) == sorted(map(key, rows(release, config)))


def test_croissant_reads_one_split(release: Release) -> None:
    records = open_croissant(release.folder / "croissant.json").records(
        "solutions", {"solutions/split": "test"}
    )
    found = {plain(record["solutions/solution_id"]) for record in records}
    assert found == {row["solution_id"] for row in rows(release, "solutions", "test")}


def test_published_croissant_names_the_repository(release: Release, tmp_path: Path) -> None:
    facts = {
        "repository": "me/sums",
        "version": "v1.2.0",
        "changes": [{"version": "v1.2.0", "date": "2026-01-02", "text": []}],
    }
    folder = tmp_path / "pulled"
    for name in (*release.manifest["files"], "manifest.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((release.folder / name).read_bytes())
    render_dataset_card(folder, {**release.manifest, **facts})
    described = json.loads((folder / "croissant.json").read_text())
    about = {name: described[name] for name in ("name", "url", "version", "datePublished")}
    url = "https://huggingface.co/datasets/me/sums"
    assert about == {"name": "sums", "url": url, "version": "1.2.0", "datePublished": "2026-01-02"}
    repository, *others = described["distribution"]
    assert (repository["contentUrl"], repository["encodingFormat"]) == (url, "git+https")
    assert all(each["containedIn"] == {"@id": "repo"} for each in others)
    pulled = open_croissant(folder / "croissant.json", mapping={"repo": str(folder)})
    assert pulled.metadata.ctx.issues.errors == pulled.metadata.ctx.issues.warnings == set()
    assert len(list(pulled.records("solutions"))) == len(rows(release, "solutions"))
