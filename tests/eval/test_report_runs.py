"""Runs for a report: other folders are refused with advice, differences between runs are noted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

from tests.eval.report_runs import RunSpec, write_run
from venus_toolkit import __version__
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.store import MANIFEST, checksum
from venus_toolkit.eval.report.runs import common_tasks, is_newer, open_run, open_runs
from venus_toolkit.eval.scoring.results import REFERENCES, RESULTS

FEW = ("a", "b", "c")


def change_manifest(folder: Path, **changes: Any) -> None:
    file = folder / MANIFEST
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def change_results(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the rows, and update the manifest."""
    pq.write_table(change(pq.read_table(folder / RESULTS)), folder / RESULTS)
    change_manifest(folder, files={name: checksum(folder / name) for name in (RESULTS, REFERENCES)})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", RunSpec(tasks=FEW))


def refusal(*folders: Path) -> str:
    with pytest.raises((ReleaseError, UsageError)) as refused:
        common_tasks(open_runs(folders))
    assert refused.value.why
    assert refused.value.fix
    return str(refused.value)


# ------------------------------------------------------------------ refused folders


def test_unfinished_evaluation(run: Path) -> None:
    (run / MANIFEST).unlink()
    assert (
        "is not a finished evaluation: a manifest.json is written when an evaluation ends"
        in refusal(run)
    )
    assert "again to continue it" in refusal(run)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    assert "is not a finished evaluation" in refusal(tmp_path / "nothing")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": "build"}'])
def test_manifest_of_another_kind(run: Path, text: str) -> None:
    (run / MANIFEST).write_text(text)
    assert "its manifest.json is not that of venus eval" in refusal(run)


@pytest.mark.parametrize("name", [RESULTS, REFERENCES])
def test_missing_file(run: Path, name: str) -> None:
    (run / name).unlink()
    assert f"it has no {name}" in refusal(run)


def test_malformed_parquet_is_refused(run: Path) -> None:
    (run / RESULTS).write_text("PAR1")
    change_manifest(run, files={})
    assert "is not a finished evaluation" in refusal(run)


def test_changed_results(run: Path) -> None:
    pq.write_table(pq.read_table(run / RESULTS).slice(1), run / RESULTS)
    assert "was changed: results.parquet is not the file that its manifest names" in refusal(run)


def test_empty_results(run: Path) -> None:
    change_results(run, lambda table: table.slice(0, 0))
    assert "has nothing to report: its results.parquet has no row" in refusal(run)


def test_columns_renamed_by_a_newer_version(run: Path) -> None:
    change_results(run, lambda table: table.drop_columns(["percentile_time"]))
    change_manifest(run, toolkit="99.0")
    message = refusal(run)
    assert (
        "cannot be read: results.parquet lacks percentile_time or has them in another form"
        in message
    )
    assert f"it was made by version 99.0 of the toolkit, this is {__version__}" in message


def test_a_column_of_another_type(run: Path) -> None:
    change_results(run, lambda table: table.set_column(0, "task", pa.array(range(len(table)))))
    assert "lacks task or has them in another form" in refusal(run)


def test_value_from_a_newer_version(run: Path) -> None:
    def change(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index("place_time")
        return table.set_column(place, "place_time", pa.array(["splendid"] * len(table)))

    change_results(run, change)
    assert "it has the value 'splendid', which is not known here" in refusal(run)


def test_the_same_folder_twice(run: Path) -> None:
    assert "is named twice" in refusal(run, run.parent / "." / run.name)


def test_no_folder() -> None:
    assert "there is nothing to report" in refusal()


def test_no_task_in_common(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, RunSpec(model=name, tasks=[name])) for name in "ab"]
    message = refusal(*folders)
    assert (
        "the runs cannot be compared: no task has a sample that counts in each run (a: 1, b: 1)"
        in message
    )


# ------------------------------------------------------------------ notes on accepted runs


def notes_of(*folders: Path) -> str:
    return "\n".join(common_tasks(open_runs(folders))[1])


def test_complete_run_has_no_note(run: Path) -> None:
    assert notes_of(run) == ""


def test_contaminated_model(run: Path) -> None:
    change_manifest(run, contamination="m was trained on the split test of me/Venus")
    assert notes_of(run) == "model-a: m was trained on the split test of me/Venus."


def test_a_partial_run(run: Path) -> None:
    change_manifest(run, partial=True, missing={"unanswered: no connection": 3})
    assert notes_of(run) == (
        "model-a is partial: missing samples are not counted (3 unanswered: no connection)."
    )


def test_newer_version_with_known_columns_is_read(run: Path) -> None:
    change_manifest(run, toolkit="99.0")
    assert "was made by version 99.0, newer than this one" in notes_of(run)


@pytest.mark.parametrize(
    ("version", "newer"),
    [("99", True), ("99.1.2.dev1", True), (__version__, False), ("", False), ("unknown", False)],
)
def test_version_comparison(version: str, newer: bool) -> None:
    assert is_newer(version) is newer


def test_only_common_tasks_are_compared(tmp_path: Path) -> None:
    first = write_run(tmp_path / "a", RunSpec(model="a", tasks=("p", "q", "r")))
    second = write_run(tmp_path / "b", RunSpec(model="b", tasks=("q", "r", "s", "t")))
    runs, notes = common_tasks(open_runs([first, second]))
    assert [sorted(run.tasks) for run in runs] == [["python/q", "python/r"]] * 2
    assert all(set(run.references) == {"python/q", "python/r"} for run in runs)
    assert (
        "The runs have different tasks (a has 3, b has 4). Only the 2 that all have are compared "
        "here."
    ) in notes


def test_unanswered_task_is_not_common(tmp_path: Path) -> None:
    lost = {"passed": None, "outcome": "unanswered"}
    folders = [
        write_run(tmp_path / "a", RunSpec("a", FEW)),
        write_run(tmp_path / "b", RunSpec("b", FEW, cells=lost)),
    ]
    assert "cannot be compared" in refusal(*folders)


def test_differences_between_runs_are_noted(tmp_path: Path) -> None:
    other = {"fingerprint": "0", "release": {"files": {"a": "2"}}, "options": {"rank": "absolute"}}
    first = write_run(tmp_path / "a", RunSpec("a", FEW))
    second = write_run(
        tmp_path / "b",
        RunSpec("b", FEW, cells={"objective": "memory", "repeats": 9}, manifest=other),
    )
    notes = notes_of(first, second)
    for words in (
        "different machines",
        "different data",
        "different objectives",
        "--rank",
        "numbers of repeats",
    ):
        assert words in notes


def test_unmeasured_run_has_no_repeats(tmp_path: Path) -> None:
    folders = [
        write_run(tmp_path / name, RunSpec(name, FEW, failing=share))
        for name, share in (("a", 0), ("b", 1))
    ]
    assert notes_of(*folders) == ""


def test_published_figures_and_unranked_tasks_are_noted(tmp_path: Path) -> None:
    published = write_run(tmp_path / "a", RunSpec("a", FEW, cells={"references_from": "published"}))
    assert "among published figures of another machine" in notes_of(published)
    assert "has 3 tasks without a rank" in notes_of(
        write_run(tmp_path / "b", RunSpec("b", FEW, humans=0))
    )


# ------------------------------------------------------------------ names and iterations


def test_names_tell_runs_apart(tmp_path: Path) -> None:
    specs = [
        RunSpec("m"),
        RunSpec("m", cells={"objective": "memory"}),
        RunSpec("n"),
        RunSpec("k"),
        RunSpec("k"),
    ]
    folders = [write_run(tmp_path / str(number) / "run", spec) for number, spec in enumerate(specs)]
    names = [run.name for run in open_runs(folders)]
    assert names == ["m, time", "m, memory", "n", "k, 4", "k, 5"]


def test_a_replay_is_called_by_its_file_alone(tmp_path: Path) -> None:
    models = ["replay:/home/me/answers.jsonl", "other:/home/me/answers.jsonl", "org/model"]
    folders = [
        write_run(tmp_path / str(number), RunSpec(model)) for number, model in enumerate(models)
    ]
    names = [run.name for run in open_runs(folders)]
    assert names == ["replay:answers.jsonl", "other:/home/me/answers.jsonl", "org/model"]


def test_rows_after_an_iteration(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "a", RunSpec(tasks=FEW, samples=2, iterations=3)))
    assert run.iterations == [0, 1, 2, 3]
    assert [len(run.after(iteration)) for iteration in run.iterations] == [6] * 4
    assert {row["iteration"] for row in run.after(2)} == {2}
    assert {row["iteration"] for row in run.final()} == {3}


def test_ended_sample_keeps_its_last_program(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a", RunSpec(tasks=FEW, samples=1, iterations=3))
    change_results(folder, lambda table: table.filter(pa.compute.field("iteration") != 3).slice(1))
    run = open_run(folder)
    assert run.iterations == [0, 1, 2]
    assert len(run.final()) == 3


def test_missing_column_means_iteration_0(run: Path) -> None:
    assert open_run(run).iterations == [0]
