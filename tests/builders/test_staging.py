"""Staging: every field comes back as it was, a finished folder is not written twice, names are taken once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.curation_data import PROGRAM, entry, problem, solution, staged
from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.builders.staging import StagedCounts, open_staged, stage
from venus_toolkit.core.errors import SourceError, StoreError
from venus_toolkit.core.records import (
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
texts = st.dictionaries(any_text, any_text, max_size=3)
problems = st.builds(
    Problem,
    slug=names,
    problem_id=st.integers(-(2**63), 2**63 - 1),
    title=any_text,
    statement=any_text,
    difficulty=any_text,
    tags=st.lists(any_text, max_size=3).map(tuple),
    style=any_text,
    source=any_text,
    license=any_text,
    limits=st.builds(Limits, st.integers(1), st.integers(1), st.integers(1)),
    comparison=st.builds(OutputComparison, any_text, st.floats(0, 1), st.floats(0, 1)),
    generator=st.none() | any_text,
    evaluator=st.none() | any_text,
    validator=st.none() | any_text,
    starter_code=texts,
    runners=texts,
    date=st.none() | any_text,
    url=any_text,
    category=any_text,
    paid_only=st.booleans(),
    extra=st.dictionaries(any_text, plain, max_size=3),
)
solutions = st.builds(
    Solution,
    solution_id=names,
    slug=st.just("p"),
    language=names,
    code=any_text,
    expected=st.sampled_from(Expectation),
    source=any_text,
    license=any_text,
    extra=st.dictionaries(any_text, plain, max_size=3),
)
tests = st.builds(
    TestCase,
    names,
    any_text,
    st.none() | any_text,
    any_text,
    st.none() | any_text,
    st.none() | st.integers(),
)


@given(
    problems,
    st.lists(solutions, max_size=4, unique_by=lambda each: each.solution_id),
    st.lists(tests, max_size=4, unique_by=lambda each: each.test_id),
)
def test_every_field_comes_back(
    told: Problem, coded: list[Solution], cases: list[TestCase]
) -> None:
    given_entry = Entry(told, tuple(coded), tuple(cases))
    assert staged(given_entry).entry(told.slug) == given_entry


@pytest.mark.parametrize("code", ["a\0b", "\r\n\ttabs", "", "é𝄞"])
def test_strange_code_comes_back(code: str) -> None:
    assert staged(entry(codes={"one": code})).entry("p").solutions[0].code == code


def test_long_integers_and_large_tests_come_back() -> None:
    cases = (TestCase("digits", "9" * 5000, "8" * 5000), TestCase("large", "x" * 100_000_000))
    found = staged(entry(tests=cases)).entry("p").tests
    assert found[0] == cases[0]
    assert found[1].stdin == cases[1].stdin


def many(count: int) -> Iterator[Entry]:
    for number in range(count):
        cases = [TestCase(f"t{i}", f"{number} {i}") for i in range(number % 4)]
        yield entry(
            f"p{number}", {f"s{i}": f"print({number}, {i})" for i in range(number % 7)}, cases
        )


def test_entries_come_in_the_order_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venus_toolkit.builders.staging.GROUP_BYTES", 20_000)
    found = staged(*many(300))
    assert pq.read_metadata(found.file("problems")).num_row_groups > 3
    assert [found.entry(slug) for slug in found.slugs()] == list(many(300))
    assert found.entry("p123") == list(many(300))[123]
    assert found.slugs() == [f"p{number}" for number in range(300)]


def test_a_footer_is_read_once_however_many_groups_it_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It grows with the groups: read with each of them, the time grew with their square."""
    monkeypatch.setattr("venus_toolkit.builders.staging.GROUP_BYTES", 1)
    read, read_metadata = list[str](), pq.read_metadata
    monkeypatch.setattr(pq, "read_metadata", lambda path: read.append(path) or read_metadata(path))
    found = staged(*many(9))
    assert [found.entry(slug) for slug in found.slugs()] == list(many(9))
    assert len(read) == len(set(read)) == 3


def test_the_counts_are_those_of_what_is_there() -> None:
    found = staged(*many(10), Rejected("row 3", "no statement"))
    assert found.counts == StagedCounts(
        10, sum(n % 7 for n in range(10)), sum(n % 4 for n in range(10)), 1, {"python": 24}
    )


def test_a_finished_folder_is_read_and_the_source_is_not(tmp_path: Path) -> None:
    def broken() -> Iterator[Entry]:
        raise AssertionError("the source was read again")
        yield

    stage(many(5), tmp_path)
    assert stage(broken(), tmp_path).entry("p4") == list(many(5))[4]


def test_what_an_interrupted_run_left_is_replaced(tmp_path: Path) -> None:
    def stopped() -> Iterator[Entry]:
        yield from many(400)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage(stopped(), tmp_path)
    assert open_staged(tmp_path) is None
    assert stage(many(5), tmp_path).counts.problems == 5
    assert pq.read_metadata(tmp_path / "problems.parquet").num_rows == 5


def test_another_version_is_staged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(many(5), tmp_path)
    monkeypatch.setattr("venus_toolkit.builders.staging.VERSION", -1)
    assert open_staged(tmp_path) is None


def test_a_name_is_taken_once_and_the_reason_names_who_has_it() -> None:
    twin = entry("p2", problem_id=1)
    again = entry("p1", problem_id=9)
    found = staged(entry("p1"), twin, again)
    assert found.slugs() == ["p1"]
    assert [tuple(each) for each in found.rejected()] == [
        ("p2", "duplicate problem: same id as p1, 1"),
        ("p1", "duplicate problem: same slug as the problem with the id 1"),
    ]


def test_ids_within_a_problem_are_taken_once() -> None:
    doubled = Entry(
        problem(),
        (solution("same", "1"), solution("other", "2"), solution("same", "3")),
        (TestCase("t", "1"), TestCase("t", "2")),
    )
    found = staged(doubled)
    assert [each.code for each in found.entry("p").solutions] == ["1", "2"]
    assert [each.stdin for each in found.entry("p").tests] == ["1"]
    assert [each.item for each in found.rejected()] == ["p same", "p t"]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (entry("p1", problem_id=2**63), "64 bits"),
        (entry("p\ud800"), "surrogates not allowed"),
        (entry("p1", {"a": "half \ud800 pair"}), "surrogates not allowed"),
        (entry("p1", extra={"file": Path("x")}), "PosixPath"),
        (entry("p1", extra={"n": 10**5000}), "digits"),
    ],
)
def test_what_cannot_be_written_down_is_rejected_and_the_rest_goes_on(
    broken: Entry, why: str
) -> None:
    found = staged(broken, entry("p3", {"a": PROGRAM}))
    assert found.slugs() == ["p3"]
    assert why in next(found.rejected()).reason


def test_an_unknown_problem_and_a_folder_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no problem nobody"):
        staged(entry("p1")).entry("nobody")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write the source"):
        stage(many(1), tmp_path / "file" / "below")


def test_nothing_can_be_staged() -> None:
    found = staged()
    assert found.slugs() == []
    assert found.counts == StagedCounts(0, 0, 0, 0)
