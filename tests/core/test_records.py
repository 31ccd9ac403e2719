"""Records: JSON roundtrips, digests, and immutable values."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Expectation,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
    digest,
    from_plain,
    to_plain,
)

PROBLEM = Problem(
    "a",
    1,
    "A",
    "text",
    "Easy",
    ("x",),
    "stdin",
    "user",
    "MIT",
    Limits(),
    OutputComparison("float", 1e-6),
)
texts = st.text(max_size=20)
cases = st.builds(
    TestCase, texts, texts, st.none() | texts, texts, st.none() | texts, st.none() | st.integers()
)


@given(cases)
def test_a_test_case_survives_json(case: TestCase) -> None:
    assert from_plain(TestCase, json.loads(json.dumps(to_plain(case)))) == case


def test_measurement_with_unknowns_survives_json() -> None:
    measured = Measurement(repeats=0, tests=3, noise=("failed_repeat", "stolen_time"))
    assert from_plain(Measurement, json.loads(json.dumps(to_plain(measured)))) == measured


def test_plain_values_are_json() -> None:
    plain = to_plain(
        [
            PROBLEM,
            Solution("s", "a", "cpp", "code", Expectation.SLOW),
            Judgement(Verdict.TIME_LIMIT),
        ]
    )
    read = json.loads(json.dumps(plain))
    assert read[0]["limits"]["memory_bytes"] == 512 * MIB
    assert read[0]["tags"] == ["x"]
    assert read[1]["expected"] == "slow"
    assert read[2]["verdict"] == "time_limit"
    assert to_plain(b"\xffok") == "\N{REPLACEMENT CHARACTER}ok"


@given(cases, cases)
def test_equal_records_have_equal_digests(one: TestCase, other: TestCase) -> None:
    assert (digest(one) == digest(other)) == (one == other)


def test_every_field_changes_the_digest() -> None:
    seen = {digest(PROBLEM)}
    changes = {
        "slug": "b", "problem_id": 2, "title": "B", "statement": "t", "difficulty": "Hard", "tags": (),
        "style": "function", "source": "x", "license": "x", "limits": Limits(wall_ns=1),
        "comparison": OutputComparison("exact"), "generator": "g", "evaluator": "e",
        "starter_code": {"cpp": "x"}, "runners": {"cpp": "x"}, "validator": "v", "date": "2020-01-02",
        "url": "u", "category": "shell", "paid_only": True, "extra": {"acRate": 0.5}, "standards": {"cpp": "gnu++17"},
    }  # fmt: skip
    assert set(changes) == {field.name for field in dataclasses.fields(Problem)}
    for name, value in changes.items():
        seen.add(digest(dataclasses.replace(PROBLEM, **{name: value})))
    assert len(seen) == len(changes) + 1


def test_digest_ignores_key_order_but_not_part_order() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest("a", "b") != digest("b", "a")
    assert digest("ab") != digest("a", "b")
    assert digest("\udcff") != digest("\udcfe"), "lone surrogates, as in a file that is not UTF-8"


def test_limits_are_changed_by_values_other_than_none() -> None:
    changed = Limits().changed(wall_ns=NS_PER_S, memory_bytes=None)
    assert (changed.wall_ns, changed.memory_bytes) == (NS_PER_S, Limits().memory_bytes)
    assert Limits().wall_ns == 10 * NS_PER_S


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        PROBLEM.title = "B"  # type: ignore[misc]


def test_sandbox_failure_is_not_a_verdict() -> None:
    assert [str(verdict) for verdict in Verdict] == [
        "accepted", "wrong_answer", "runtime_error", "time_limit", "memory_limit", "output_limit", "compile_error",
    ]  # fmt: skip


@given(st.lists(st.recursive(st.none() | st.booleans() | st.integers() | texts | cases, st.lists)))
def test_digest_in_pieces_equals_that_of_the_json(parts: list[object]) -> None:
    whole = json.dumps(to_plain(parts), sort_keys=True, ensure_ascii=False)
    assert digest(*parts) == hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def test_digest_of_large_tests_needs_memory_for_one() -> None:
    tests = [TestCase(str(number), "x" * MIB) for number in range(30)]
    tracemalloc.start()
    try:
        digest(tests)
        assert tracemalloc.get_traced_memory()[1] < 5 * MIB
    finally:
        tracemalloc.stop()
