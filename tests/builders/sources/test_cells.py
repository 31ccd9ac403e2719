"""Cells by type, messages that name the column and show the value, safe and stable names."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from venus_toolkit.builders.reading import values
from venus_toolkit.builders.reading.cells import Cells, Digits, json_text, parse_json, plain
from venus_toolkit.builders.reading.drafts import Draft, attempt, finish, new_problem
from venus_toolkit.builders.sources import Entry, Rejected, distinct
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, digest

LANGUAGES = load_languages()
LONG = "1" + "0" * 4999


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), ("3", 3), (" -3 ", -3), (3.0, 3), (None, None), ("9" * 30, int("9" * 30))],
)
def test_whole_numbers(value: Any, number: int | None) -> None:
    assert Cells({"a": value}).whole("a") == number


@pytest.mark.parametrize("value", [3.5, "3.5", "three", "", True, [3], float("inf"), "²", LONG])
def test_not_a_whole_number(value: Any) -> None:
    with pytest.raises(ValueError, match="a must be a whole number, found"):
        Cells({"a": value}).whole("a")


@pytest.mark.parametrize("value", ["", "x", True, float("nan"), "inf", "1e999", [1], 10**400])
def test_not_a_number(value: Any) -> None:
    with pytest.raises(ValueError, match="a must be a number, found"):
        Cells({"a": value}).number("a")


@pytest.mark.parametrize("value", ["yes", 1, 0])
def test_not_a_boolean(value: Any) -> None:
    with pytest.raises(ValueError, match="a must be true or false, found"):
        Cells({"a": value}).flag("a")


@pytest.mark.parametrize(
    "value",
    [["a", "b"], '["a", "b"]', "['a', 'b']", "('a', 'b')"],
    ids=["native", "json", "literal", "tuple"],
)
def test_list_in_every_form(value: Any) -> None:
    if isinstance(value, str) and value.startswith("("):
        with pytest.raises(ValueError, match="a must be a list of text, found tuple"):
            Cells({"a": value}).texts("a")
    else:
        assert Cells({"a": value}).texts("a") == ("a", "b")


@pytest.mark.parametrize(
    "value",
    [
        [{"x": 1, "y": 2}, {"x": 3, "y": 4}],
        {"x": [1, 3], "y": [2, 4]},
        '{"x": [1, 3], "y": [2, 4]}',
    ],
    ids=["list", "struct of lists", "text"],
)
def test_list_of_structs_in_every_form(value: Any) -> None:
    assert [(row.raw("x"), row.raw("y")) for row in Cells({"a": value}).rows("a")] == [
        (1, 2),
        (3, 4),
    ]


def test_integer_of_5000_digits_roundtrip(reading: Any) -> None:
    value = parse_json(f'{{"a": [{LONG}, -{LONG}, 7]}}')
    assert value["a"] == [LONG, f"-{LONG}", 7]
    assert isinstance(value["a"][0], Digits)
    assert json_text(value) == f'{{"a": [{LONG}, -{LONG}, 7]}}'
    entry = reading("apps", [{"problem_id": 1, "question": "q"}]).only
    assert digest({**entry.problem.extra, **value}), "what is in extra can be hashed and written"


def test_json_text_equals_json() -> None:
    value = {"a": [1, 2.5, None, True, "é\n", {"b": []}]}
    assert json.loads(json_text(value)) == value


def test_rest_has_unread_columns() -> None:
    cells = Cells(
        {
            "a": 1,
            "b": {"c": 2, "d": 3, "e": None},
            "f": None,
            "g": b"x",
            "h": datetime.date(2024, 1, 2),
        }
    )
    cells.whole("a")
    cells.cells("b").whole("c")
    assert cells.rest() == {"b": {"d": 3}, "g": "x", "h": "2024-01-02"}
    cells.keep("a")
    assert cells.rest()["a"] == 1
    assert plain([datetime.datetime(2024, 1, 2), {1: (2,)}]) == ["2024-01-02T00:00:00", {"1": [2]}]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2", 2), ("2.5 seconds", 2.5), ("1 second", 1), ("52ms", 0.052), ("3 SECS", 3), ("4s", 4)],
)
def test_times(text: str, seconds: float) -> None:
    assert Cells({"a": text}).seconds("a") == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("256 megabytes", 256 << 20),
        ("1.5 GB", 3 << 29),
        ("64KB", 64 << 10),
        ("5 bytes", 5),
        ("1 b", 1),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert Cells({"a": text}).size("a") == size


@pytest.mark.parametrize(
    "text", ["-" * 10**5 + "1", "1+" * 10**5 + "1", "(" * 10**5, "a" + ".b" * 10**5, "{" * 10**5]
)
def test_deeply_nested_literals_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a is neither JSON nor a Python literal"):
        Cells({"a": text}).structure("a")


def test_date_is_text() -> None:
    cells = Cells({"a": datetime.datetime(2024, 5, 6, 7), "b": datetime.date(2024, 5, 6)})
    assert [values.day(cells.text(name)) for name in ("a", "b")] == ["2024-05-06"] * 2


@pytest.mark.parametrize("text", ["fast", "2 fortnights", "-1 s", "1e3 s", "s"])
def test_not_a_time(text: str) -> None:
    with pytest.raises(ValueError, match="a must be a time, like 2 seconds, found str"):
        Cells({"a": text}).seconds("a")


# ------------------------------------------------------------------ names and numbers


@pytest.mark.parametrize(
    ("parts", "slug"),
    [
        (("Two Sum",), "two-sum"), (("1575_A. Another",), "1575-a-another"), (("a", "", "B/c"), "a-b-c"),
        (("../../etc/passwd",), "etc-passwd"), (("-x-",), "x"),
    ],
)  # fmt: skip
def test_slugs_are_safe(parts: tuple[str, ...], slug: str) -> None:
    assert values.slugify(*parts) == slug


def test_slugs_of_empty_or_long_text_have_a_hash() -> None:
    long = [values.slugify("word " * 50 + end) for end in ("a", "b")]
    assert len({values.slugify("和"), values.slugify("差"), *long}) == 4
    assert all(len(slug) <= 80 for slug in long)


@pytest.mark.parametrize("value", [None, "", "1/A", -1, "9" * 25, 2**63, 1.5, "²"])
def test_other_ids_become_stable_numbers(value: Any) -> None:
    assert values.own_id(value, "slug") == values.stable_id("slug") != values.own_id(value, "other")


def test_source_number_is_used() -> None:
    assert [values.own_id(value, "slug") for value in (7, "7", 0, 2**63 - 1)] == [
        7,
        7,
        0,
        2**63 - 1,
    ]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("OK", "accepted"), ("Accepted", "accepted"), ("TIME_LIMIT_EXCEEDED", "slow"), ("TLE", "slow"),
        ("Wrong answer on test 3", "wrong"), ("COMPILATION_ERROR", "wrong"), ("MLE", "wrong"), ("SKIPPED", "unknown"),
        ("", "unknown"), ("TESTING", "unknown"), ("Not accepted", "unknown"),
    ],
)  # fmt: skip
def test_verdicts_of_judges(verdict: str, expected: str) -> None:
    assert values.expectation(verdict) == Expectation(expected)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e7])
def test_invalid_limits_are_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="the time limit must be a number greater than 0"):
        values.limits(seconds)


@pytest.mark.parametrize("seconds", [None, 1e30, float("nan")])
def test_invalid_days_are_none(seconds: float | None) -> None:
    assert values.day_at(seconds) is None
    assert values.day("soon") is None


# ------------------------------------------------------------------ drafts


def test_languages_resolve_and_solutions_deduplicate() -> None:
    attempts = [
        attempt("C++", "a"), attempt("cpp", "a"), attempt("python2", "b"), attempt("python", "b"), attempt("py", " \n"),
    ]  # fmt: skip
    *rejected, entry = finish(Draft(new_problem("p", "q", source="s"), attempts), LANGUAGES)
    assert rejected == [
        Rejected("p/python2", "unknown language 'python2': 1 solution"),
        Rejected("p/python", "there is no code: 1 solution"),
    ]
    assert isinstance(entry, Entry)
    assert [(s.language, s.code) for s in entry.solutions] == [("cpp", "a"), ("python", "b")]
    again = list(finish(Draft(new_problem("p", "q", source="s"), attempts[::-1]), LANGUAGES))[-1]
    assert isinstance(again, Entry)
    assert {s.solution_id for s in again.solutions} == {s.solution_id for s in entry.solutions}, (
        "ids are stable"
    )


def test_duplicate_solution_id_gets_a_new_one() -> None:
    attempts = [attempt("go", code, solution_id="p/go/mine") for code in ("a", "b")]
    entry = list(finish(Draft(new_problem("p", "q", source="s"), attempts), LANGUAGES))[-1]
    assert isinstance(entry, Entry)
    first, second = entry.solutions
    assert first.solution_id == "p/go/mine"
    assert second.solution_id == f"p/go/{values.short_hash('b')}"


def test_duplicate_slug_or_id_is_rejected() -> None:
    entries = [
        Entry(new_problem(slug, "q", source="s", problem_id=number), (), ())
        for slug, number in (("a", 1), ("b", 1), ("a", 2), ("c", 3))
    ]
    items = list(distinct(entries))
    assert [item.problem.slug if isinstance(item, Entry) else item for item in items] == [
        "a",
        Rejected("b", "duplicate problem: same id as a, 1"),
        Rejected("a", "duplicate problem: same slug as the problem with the id 1"),
        "c",
    ]


def test_numpy_lists_are_refused() -> None:
    cells = Cells({"a": "['1 2\\n' '3 4\\n']", "b": "['1', '2']", "c": "['it''s']"})
    with pytest.raises(ValueError, match="a has two texts without a comma between them"):
        cells.texts("a")
    assert cells.texts("b") == ("1", "2")
    assert Cells({"f": "True", "g": "false"}).flag("f")
    assert not Cells({"f": "True", "g": "false"}).flag("g")
