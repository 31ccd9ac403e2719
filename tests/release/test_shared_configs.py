"""The configs that all languages share: solutions, problems, tests, and rejected solutions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.building import needs_cpp
from tests.conftest import Workshop as Shop
from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.dataset.columns import OF_EVERY_LANGUAGE, PROBLEMS, REJECTED, SOLUTIONS
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.dataset.test_cases import (
    SAMPLE_BYTES,
    SAMPLES,
    all_cases,
    case_of,
    digest_of_tests,
    samples,
)
from venus_toolkit.execution.judging.generators import sha256

WRONG = "print(int(input()) + 1)\n"
# Long outputs make the tests larger than the programs, as in real releases.
LONG = "print(' '.join([str(2 * int(input()))] * 3000))\n"
LONGER = "n = int(input())\nfor i in range(2999):\n    print(n + n, end=' ')\nprint(n + n)\n"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release that tests only read."""
    shop = Shop(tmp_path_factory.mktemp("shared-configs"))
    shop.problem("twice", {"solutions/python/wrong_one.py": WRONG})
    shop.problem("lonely", {"solutions/python/times.py": None})
    shop.build(min_solutions=3, quality={"mutants": 0})
    return open_release(shop.out)


def rows(release: Release, config: str) -> list[dict[str, Any]]:
    """Return the rows of all splits."""
    return [row for file in release.files(config) for row in pq.read_table(file).to_pylist()]


def test_each_solution_is_a_row(release: Release) -> None:
    found = rows(release, "solutions")
    nested = [(row, each) for row in rows(release, "python") for each in row["solutions"]]
    assert [row["solution_id"] for row in found] == [each["solution_id"] for _, each in nested]
    for flat, (row, each) in zip(found, nested, strict=True):
        assert list(flat) == SOLUTIONS.names
        assert (
            flat
            == {name: row[name] for name in ("problem_id", "title", "language", "difficulty")}
            | each
        )
        assert flat["origin"] == f"twice/solutions/python/{flat['solution_id'].split('/')[-1]}.py"
    shares = [row["percentile"] for row in found if row["passed"]]
    assert sum(shares) == pytest.approx(50 * len(shares)), (
        "ahead of one half of the others, on average"
    )
    query = f"select count(distinct solution_id) from '{release.folder}/solutions/*.parquet'"
    assert duckdb.sql(query).fetchall() == [(len(found),)]


@needs_cpp
def test_each_problem_is_a_row_once(shop: Shop) -> None:
    shop.small()
    shop.problem("lonely", {"solutions/python/wrong_one.py": WRONG})
    shop.build(lang=("python", "cpp"), quality={"mutants": 0}, min_solutions=2)
    release = open_release(shop.out)
    found = rows(release, "problems")
    of_languages = {
        name: {row["title"]: row for row in rows(release, name)} for name in ("python", "cpp")
    }
    assert {row["title"]: row["languages"] for row in found} == {
        **{key: ["cpp", "python"] for key in ("add-two", "divisors", "square")},
        "lonely": ["python"],
    }
    assert len(found) == 4
    for row in found:
        assert list(row) == PROBLEMS.names
        for name in row["languages"]:
            assert {each: of_languages[name][row["title"]][each] for each in OF_EVERY_LANGUAGE} == {
                each: row[each] for each in OF_EVERY_LANGUAGE
            }
    splits = release.manifest["problems"]["splits"]
    assert {name: release.rows("problems", name) for name in release.splits("problems")} == {
        name: facts["problems"] for name, facts in splits.items() if facts["problems"]
    }


def test_rejected_solutions_have_a_reason(release: Release) -> None:
    found = rows(release, "rejected")
    assert all(list(row) == REJECTED.names for row in found)
    assert Counter(row["title"] for row in found) == {"lonely": 2}
    row = min(found, key=lambda each: each["solution_id"])
    assert (row["stage"], row["status"], row["expected"]) == (
        "threshold python",
        "accepted",
        "accepted",
    )
    why = (
        "2 passing solutions in python, the threshold is 3: add solutions, or type "
        "--min-solutions 2"
    )
    assert row["reason"] == why
    assert row["code"]
    assert row["license"]
    assert row["origin"] == "lonely/solutions/python/plus.py"
    published = {row["solution_id"] for row in rows(release, "solutions")}
    assert not published & {row["solution_id"] for row in found}
    assert release.splits("rejected") == ("rejected",)


def test_tests_are_stored_once_for_all_languages(shop: Shop) -> None:
    shop.problem("twice", {"solutions/python/plus.py": LONG, "solutions/python/times.py": LONGER}
                 | {"solutions/python/shift.py": None})  # fmt: skip
    shop.build(quality={"mutants": 0})
    release = open_release(shop.out)
    (file,) = release.files("python")
    (row,) = pq.read_table(file).to_pylist()
    assert json.loads(row["test_cases"]) == [], "none of these is small enough to be shown"
    cases = all_cases(file, row)
    assert [case["id"] for case in cases] == row["test_ids"]
    assert all(len(case["output"]) > SAMPLE_BYTES for case in cases)
    assert digest_of_tests(row) == sha256(json.dumps(cases, ensure_ascii=False)), (
        "as a release of the old shape says"
    )
    for tests in release.files("tests"):
        tests.unlink()
    with pytest.raises(ReleaseError, match="its config tests too"):
        all_cases(file, row)


def test_old_row_contains_its_tests() -> None:
    cases = [{"id": "a", "input": "1", "output": "2"}]
    row = {"title": "old", "test_cases": json.dumps(cases)}
    assert all_cases(Path("data/cpp/train-0.parquet"), row) == cases
    assert digest_of_tests(row) == sha256(row["test_cases"])


def test_samples_are_few_small_given_tests() -> None:
    def case(name: str, size: int, kind: str = "generated") -> dict[str, Any]:
        return {"id": name, "input": "x" * size, "output": "", "kind": kind}

    cases = [
        case("a", 9),
        case("b", 10**6, "given"),
        case("c", 3),
        case("d", 700, "given"),
        case("e", 5),
        case("f", 4),
    ]
    assert [each["id"] for each in samples(cases)] == ["c", "d", "f"]
    assert len(samples([case(str(number), 1) for number in range(9)])) == SAMPLES
    assert samples([{**case("left-out", 0), "input": None}]) == []


def test_test_row_becomes_a_case() -> None:
    row = {"test_id": "a", "input": "1", "output": "2", "kind": "given", "size": None, "seed": None}
    more = {
        "role": None,
        "adds": None,
        "input_sha256": "f",
        "input_bytes": 1,
        "way": "given",
        "generator": None,
    }
    assert set(case_of(row | more)) == {"id", "input", "output", "kind", "size", "seed"}
    assert case_of({**row, **more, "input": None})["input_sha256"] == "f"
    assert case_of({**row, **more, "role": "efficiency"})["role"] == "efficiency"
