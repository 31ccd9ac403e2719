"""Staging: roundtrip of every field, reuse of a finished folder, unique names."""

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
    st.lists(solutions, max_size=4, unique_by=lambda item: item.solution_id),
    st.lists(tests, max_size=4, unique_by=lambda test_case: test_case.test_id),
)
def test_roundtrip(record: Problem, coded: list[Solution], cases: list[TestCase]) -> None:
    given_entry = Entry(record, tuple(coded), tuple(cases))
    assert staged(given_entry).entry(record.slug) == given_entry


@pytest.mark.parametrize("code", ["a\0b", "\r\n\ttabs", "", "é𝄞"])
def test_roundtrip_of_unusual_code(code: str) -> None:
    assert staged(entry(codes={"one": code})).entry("p").solutions[0].code == code


def test_roundtrip_of_long_integers_and_large_tests() -> None:
    cases = (TestCase("digits", "9" * 5000, "8" * 5000), TestCase("large", "x" * 100_000_000))
    staged_source = staged(entry(tests=cases)).entry("p").tests
    assert staged_source[0] == cases[0]
    assert staged_source[1].stdin == cases[1].stdin


def many(count: int) -> Iterator[Entry]:
    for number in range(count):
        cases = [TestCase(f"t{i}", f"{number} {i}") for i in range(number % 4)]
        yield entry(
            f"p{number}", {f"s{i}": f"print({number}, {i})" for i in range(number % 7)}, cases
        )


def test_entries_follow_the_order_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venus_toolkit.builders.staging.GROUP_BYTES", 20_000)
    staged_source = staged(*many(300))
    assert pq.read_metadata(staged_source.file("problems")).num_row_groups > 3
    assert [staged_source.entry(slug) for slug in staged_source.slugs()] == list(many(300))
    assert staged_source.entry("p123") == list(many(300))[123]
    assert staged_source.slugs() == [f"p{number}" for number in range(300)]


def test_footer_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The footer grows with the groups; reading it for each group would take quadratic time."""
    monkeypatch.setattr("venus_toolkit.builders.staging.GROUP_BYTES", 1)
    read, read_metadata = list[str](), pq.read_metadata
    monkeypatch.setattr(pq, "read_metadata", lambda path: read.append(path) or read_metadata(path))
    staged_source = staged(*many(9))
    assert [staged_source.entry(slug) for slug in staged_source.slugs()] == list(many(9))
    assert len(read) == len(set(read)) == 3


def test_counts() -> None:
    staged_source = staged(*many(10), Rejected("row 3", "no statement"))
    assert staged_source.counts == StagedCounts(
        10, sum(n % 7 for n in range(10)), sum(n % 4 for n in range(10)), 1, {"python": 24}
    )


def test_finished_folder_is_reused(tmp_path: Path) -> None:
    def broken() -> Iterator[Entry]:
        raise AssertionError("the source was read again")
        yield

    stage(many(5), tmp_path)
    assert stage(broken(), tmp_path).entry("p4") == list(many(5))[4]


def test_interrupted_run_is_replaced(tmp_path: Path) -> None:
    def stopped() -> Iterator[Entry]:
        yield from many(400)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage(stopped(), tmp_path)
    assert open_staged(tmp_path) is None
    assert stage(many(5), tmp_path).counts.problems == 5
    assert pq.read_metadata(tmp_path / "problems.parquet").num_rows == 5


def test_other_version_is_staged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(many(5), tmp_path)
    monkeypatch.setattr("venus_toolkit.builders.staging.VERSION", -1)
    assert open_staged(tmp_path) is None


def test_duplicate_slug_or_id_is_rejected() -> None:
    twin = entry("p2", problem_id=1)
    again = entry("p1", problem_id=9)
    staged_source = staged(entry("p1"), twin, again)
    assert staged_source.slugs() == ["p1"]
    assert [tuple(item) for item in staged_source.rejected()] == [
        ("p2", "duplicate problem: same id as p1, 1"),
        ("p1", "duplicate problem: same slug as the problem with the id 1"),
    ]


def test_duplicate_ids_within_a_problem_are_rejected() -> None:
    doubled = Entry(
        problem(),
        (solution("same", "1"), solution("other", "2"), solution("same", "3")),
        (TestCase("t", "1"), TestCase("t", "2")),
    )
    staged_source = staged(doubled)
    assert [item.code for item in staged_source.entry("p").solutions] == ["1", "2"]
    assert [item.stdin for item in staged_source.entry("p").tests] == ["1"]
    assert [item.item for item in staged_source.rejected()] == ["p same", "p t"]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (entry("p1", problem_id=2**63), "64 bits"),
        (entry("p\ud800"), "surrogates not allowed"),
        (entry("p1", {"a": "half \ud800 pair"}), "surrogates not allowed"),
        (entry("p1", extra={"file": Path("x")}), "PosixPath"),
        (entry("p1", extra={"n": 10**5000}), "digits"),
    ],
)
def test_unstorable_entry_is_rejected_alone(broken: Entry, reason: str) -> None:
    staged_source = staged(broken, entry("p3", {"a": PROGRAM}))
    assert staged_source.slugs() == ["p3"]
    assert reason in next(staged_source.rejected()).reason


def test_unknown_problem_and_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no problem unknown"):
        staged(entry("p1")).entry("unknown")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write the source"):
        stage(many(1), tmp_path / "file" / "below")


def test_empty_source() -> None:
    staged_source = staged()
    assert staged_source.slugs() == []
    assert staged_source.counts == StagedCounts(0, 0, 0, 0)
