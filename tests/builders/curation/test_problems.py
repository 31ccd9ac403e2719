"""Dropped problems: unwanted, similar statements, found in a benchmark, same answers."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.curation_data import OTHER, PROGRAM, entry, make_options, staged
from venus_toolkit.builders.curation import curate
from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.decontamination import contaminated_problems, leaking_problems
from venus_toolkit.builders.curation.problems import (
    COMMONPLACE,
    answers,
    equal_behaviour,
    similar_problems,
    unwanted_problems,
)
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.dataset.funnel import Dropped

STORY = """
A farmer keeps his sheep in a row of pens along the river and counts them every morning before the fog lifts. For each
morning you are told how many sheep stand in every pen. Between two mornings some sheep wander to the next pen, but no
pen ever holds more than its fence allows. Work out the fewest sheep that must have wandered during all the nights
together, or print that the counts cannot be right because a sheep went missing.
"""
BOILERPLATE = """
The first line of the input contains a single integer n (1 ≤ n ≤ 100000), the number of values. The second line
contains n integers separated by spaces. Print a single integer, the answer, on a line by itself.
"""
RETOLD = STORY.replace("farmer", "shepherd").replace("<", "")
OTHER_STORY = """
Two players take turns colouring the edges of a convex polygon. Whoever first closes a triangle of a single colour
loses. Given the polygon and the edges that are coloured already, decide who wins when both play as well as they can.
"""


def slugs(dropped: list[Dropped]) -> set[str]:
    assert all(row.item == row.problem and row.reason for row in dropped)
    return {row.problem for row in dropped}


# ------------------------------------------------------------------ unwanted


def test_paid_and_other_categories_are_dropped_by_default(tmp_path: Path) -> None:
    staged_source = staged(
        entry("p1"), entry("p2", paid_only=True), entry("p3", category="database")
    )
    assert [
        (row.problem, row.reason)
        for row in unwanted_problems(staged_source, CurationOptions(), tmp_path)
    ] == [
        ("p2", "paid only"),
        ("p3", "not algorithmic: database"),
    ]
    generous = make_options(paid_only=True, categories=["algorithms", "database"])
    assert unwanted_problems(staged_source, generous, tmp_path) == []


# ------------------------------------------------------------------ similar statements


def test_similar_statement_is_dropped(tmp_path: Path) -> None:
    html = "<p>" + STORY.replace("\n", "<br/>\n").replace(",", " ,") + "</p>"
    staged_source = staged(
        entry("p3", statement=html),
        entry("p1", statement=STORY),
        entry("p2", statement=OTHER_STORY),
        entry("p4"),
    )
    dropped = similar_problems(staged_source, CurationOptions(), tmp_path)
    assert [(row.problem, row.reason) for row in dropped] == [
        ("p3", "nearly the same statement as another: p1")
    ]


def test_shared_boilerplate_is_not_similar(tmp_path: Path) -> None:
    staged_source = staged(
        entry("p1", statement=STORY + BOILERPLATE), entry("p2", statement=OTHER_STORY + BOILERPLATE)
    )
    assert similar_problems(staged_source, CurationOptions(), tmp_path) == []


def test_empty_statements_match_nothing(tmp_path: Path) -> None:
    staged_source = staged(
        entry("p1", statement=""), entry("p2", statement=" "), entry("p3", statement="?")
    )
    assert similar_problems(staged_source, CurationOptions(), tmp_path) == []


def test_problems_of_previous_release_stay(tmp_path: Path) -> None:
    staged_source = staged(entry("p1", statement=STORY), entry("p2", statement=RETOLD))
    assert slugs(similar_problems(staged_source, CurationOptions(), tmp_path)) == {"p2"}
    assert slugs(similar_problems(staged_source, CurationOptions(), tmp_path, previous={"p2"})) == {
        "p1"
    }
    assert similar_problems(staged_source, CurationOptions(), tmp_path, without={"p1"}) == []


# ------------------------------------------------------------------ found in a benchmark


def write_benchmark(file: Path, rows: list[dict[str, Any]]) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if file.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    elif file.suffix == ".gz":
        file.write_bytes(gzip.compress(lines.encode()))
    else:
        file.write_text(lines if file.suffix == ".jsonl" else str(next(iter(rows[-1].values()))))
    return file


@pytest.mark.parametrize("name", ["b.parquet", "b.jsonl", "b.jsonl.gz", "b.txt"])
def test_problem_in_benchmark_is_found(name: str, tmp_path: Path) -> None:
    quoted = {
        "question": "Write Python for this task, in one block.\n" + STORY.upper() + BOILERPLATE,
        "task_id": "b/1",
    }
    file = write_benchmark(
        tmp_path / name, [{"question": "Reverse a list.", "task_id": "b/0"}, quoted]
    )
    staged_source = staged(entry("p1", statement=STORY), entry("p2", statement=OTHER_STORY))
    (dropped,) = contaminated_problems(
        staged_source, make_options(benchmarks=[f"bench={file}"]), tmp_path
    )
    assert dropped.problem == "p1"
    assert dropped.reason == f"found in a benchmark: bench {'b' if name == 'b.txt' else 'b/1'}"
    assert dropped.detail == {"share": 1.0}


@pytest.mark.parametrize(
    "text", [OTHER_STORY + BOILERPLATE, "sheep", "", " ".join(STORY.split()[:15])]
)
def test_problem_outside_benchmark_is_not_found(text: str, tmp_path: Path) -> None:
    """Boilerplate, a few words, empty text, and the first words of a statement among others."""
    padded = (
        text
        + " Now for something else that shares not a word with it: "
        + " ".join(map(str, range(40)))
    )
    file = write_benchmark(tmp_path / "b.jsonl", [{"prompt": padded}, {"prompt": None}])
    staged_source = staged(entry("p1", statement=STORY + BOILERPLATE))
    assert (
        contaminated_problems(staged_source, make_options(benchmarks=[f"bench={file}"]), tmp_path)
        == []
    )


def test_contamination_share(tmp_path: Path) -> None:
    half = " ".join(STORY.split()[:40])
    file = write_benchmark(tmp_path / "b.jsonl", [{"text": half + " " + OTHER_STORY}])
    staged_source = staged(entry("p1", statement=STORY))
    benchmarks = {"benchmarks": [f"bench={file}"]}
    assert slugs(
        contaminated_problems(
            staged_source, make_options(contamination_share=0.3, **benchmarks), tmp_path
        )
    ) == {"p1"}
    assert (
        contaminated_problems(
            staged_source, make_options(contamination_share=0.9, **benchmarks), tmp_path
        )
        == []
    )


@pytest.mark.parametrize(
    ("benchmark", "complaint"),
    [
        ("no-name.jsonl", "is not a benchmark"),
        ("bench=b.xlsx", "is not a benchmark"),
        ("bench=missing.jsonl", "cannot be read"),
        ("bench={folder}/b.jsonl", "has no texts"),
    ],
)
def test_unreadable_benchmark_is_refused(benchmark: str, complaint: str, tmp_path: Path) -> None:
    write_benchmark(tmp_path / "b.jsonl", [{"figures": 3}])
    options = make_options(benchmarks=[benchmark.format(folder=tmp_path)])
    with pytest.raises(UsageError, match=complaint):
        contaminated_problems(staged(entry("p1")), options, tmp_path)


def test_train_problem_overlapping_test_is_found(tmp_path: Path) -> None:
    staged_source = staged(
        entry("p1", statement=STORY),
        entry("p2", statement=RETOLD + OTHER_STORY),
        entry("p3", statement=OTHER_STORY),
    )
    dropped = leaking_problems(
        staged_source, {"p1": "test", "p2": "train", "p3": "train"}, CurationOptions(), tmp_path
    )
    assert [(row.problem, row.reason) for row in dropped] == [
        ("p2", "overlaps with a test problem: p1")
    ]
    assert (
        leaking_problems(staged_source, {"p1": "test", "p3": "train"}, CurationOptions(), tmp_path)
        == []
    )
    assert (
        leaking_problems(staged_source, {"p1": "train", "p2": "train"}, CurationOptions(), tmp_path)
        == []
    )


# ------------------------------------------------------------------ same answers


def cases(inputs: range, answer: Any) -> list[TestCase]:
    return [TestCase(str(n), f"{n}\n", f"{answer(n)}\n") for n in inputs]


@pytest.mark.parametrize(
    ("second", "alike"),
    [
        (cases(range(5, 30), lambda n: f"{n * n} "), True),
        (cases(range(5, 30), lambda n: n * n if n != 17 else 0), False),
        (cases(range(17, 60), lambda n: n * n), False),
        (cases(range(100, 130), lambda n: n * n), False),
    ],
    ids=["alike", "one answer differs", "too few shared", "none shared"],
)
def test_problems_with_same_answers_are_found(
    second: list[TestCase], alike: bool, tmp_path: Path
) -> None:
    table = answers({"p1": cases(range(20), lambda n: n * n), "p2": second})
    dropped = equal_behaviour(table, ["p1", "p2"], CurationOptions(), tmp_path)
    assert [row.reason for row in dropped] == (
        ["gives the same answers as another: p1"] if alike else []
    )


def test_constant_answers_are_ignored(tmp_path: Path) -> None:
    table = answers({slug: cases(range(20), lambda n: "yes") for slug in ("p1", "p2")})
    assert equal_behaviour(table, ["p1", "p2"], CurationOptions(), tmp_path) == []


def test_commonplace_inputs_are_ignored(tmp_path: Path) -> None:
    names = [f"p{n}" for n in range(COMMONPLACE + 1)]
    table = answers({slug: cases(range(10), lambda n: n) for slug in names})
    assert equal_behaviour(table, names, CurationOptions(), tmp_path) == []
    assert (
        len(
            equal_behaviour(
                table.filter(pa.compute.field("slug") != "p0"), names, CurationOptions(), tmp_path
            )
        )
        > 0
    )


def test_tests_without_output_are_ignored() -> None:
    assert answers({"p1": [TestCase("t", "1")]}).num_rows == 0


# ------------------------------------------------------------------ all stages


def test_stages_ignore_earlier_drops(tmp_path: Path) -> None:
    staged_source = staged(
        entry("p1", {"a": PROGRAM}, statement=STORY, paid_only=True),
        entry("p2", {"b": PROGRAM, "c": PROGRAM, "d": OTHER}, statement=RETOLD),
        entry("p3", {"e": PROGRAM}, statement=RETOLD),
    )
    curated = curate(staged_source, load_languages(), CurationOptions(), tmp_path)
    assert [(row.stage, row.item) for row in curated.dropped] == [
        ("category", "p1"),
        ("similar", "p3"),
        ("duplicates", "c"),
    ]
    remaining = [
        entry
        for entry in map(curated.keep, map(staged_source.entry, staged_source.slugs()))
        if entry
    ]
    assert [
        (entry_left.problem.slug, [s.solution_id for s in entry_left.solutions])
        for entry_left in remaining
    ] == [("p2", ["b", "d"])]


@pytest.mark.parametrize(
    "wrong",
    [
        {"near": 0}, {"near": 1.5}, {"near": "0.9"}, {"near_tokens": 0}, {"near_tokens": True}, {"fold": ["names"]},
        {"across_problems": "all"}, {"max_solutions": 1}, {"test_fraction": 1.01}, {"test_from": "2024-13-01"},
        {"seed": 1.5}, {"paid_only": 1}, {"categories": "algorithms"}, {"benchmarks": [3]}, {"nearer": 1},
    ],
    ids=str,
)  # fmt: skip
def test_invalid_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refusal:
        make_options(**wrong)
    assert refusal.value.why
    assert "docs/curation.md" in refusal.value.fix


def test_docs_list_every_option_with_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "curation.md").read_text(encoding="utf-8")
    table = tomllib.loads(page.split("```toml\n")[1].split("```")[0])
    shown = make_options(**table)
    assert set(table) == set(CurationOptions.__slots__)
    different = {name for name in table if getattr(shown, name) != getattr(CurationOptions(), name)}
    assert different == {"benchmarks", "max_solutions", "test_from"}


def test_defaults_are_valid() -> None:
    defaults = {name: getattr(CurationOptions(), name) for name in CurationOptions.__slots__}
    assert make_options(**defaults) == CurationOptions()
