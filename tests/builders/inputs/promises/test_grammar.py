"""The examples and counter-examples of the grammar, and the time to parse."""

from __future__ import annotations

import re
import time

import pytest

from tests.builders.inputs.promises.test_constraints import JSON, LINES
from venus_toolkit.builders.inputs.promises.constraints import GRAMMAR, read, rules
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.spec import promises
from venus_toolkit.builders.inputs.spec.names import Names, ValuePlace

EXAMPLE = re.compile(r"^//([+-]) ({} |~ )?(.*?)(?: =>(.*))?$", re.MULTILINE)
EXAMPLES = [match.groups() for match in EXAMPLE.finditer(GRAMMAR.read_text("utf-8"))]


def promised(where: str | None, sentence: str) -> list[promises.Promise] | None:
    if where == "~ ":
        return read_prose(sentence, LINES).promises or None
    return read(sentence, JSON if where else LINES)


@pytest.mark.parametrize(
    ("where", "sentence", "expected_text"),
    [
        (where, sentence, expected_text)
        for sign, where, sentence, expected_text in EXAMPLES
        if sign == "+"
    ],
)
def test_examples(where: str | None, sentence: str, expected_text: str) -> None:
    expected = [eval(one, vars(promises)) for one in expected_text.split(";") if one.strip()]
    assert set(promised(where, sentence) or ()) == set(expected)
    assert promised(where, sentence) is not None
    # A parser token compares equal to its text, but cannot be stored in its place.
    assert all("Token(" not in repr(one) for one in promised(where, sentence) or ())


@pytest.mark.parametrize(
    ("where", "sentence"), [(where, one) for sign, where, one, _ in EXAMPLES if sign == "-"]
)
def test_counter_examples(where: str | None, sentence: str) -> None:
    assert promised(where, sentence) is None


def test_each_section_has_examples_and_counter_examples() -> None:
    text, _, _ = GRAMMAR.read_text("utf-8").partition("// ---- words")
    for section in re.split(r"\n// -{60,} ", text.partition("// --- phrases")[0])[1:]:
        title = section.partition("\n")[0]
        if title != "phrases":
            assert "//+ " in section, title
            assert "//- " in section, title


def test_read_without_a_rule() -> None:
    assert "parity" in rules()
    assert read("n is even", LINES) == [promises.Compare("n % 2", "==", "0")]
    assert read("n is even", LINES, without={"parity"}) is None
    assert read("n is prime", LINES, without={"parity"}) is not None


COLUMN_I = Names(
    {
        "N": ValuePlace(0, "int"),
        "S": ValuePlace(0, "text"),
        "i": ValuePlace(1, "int", counts=("Q",)),
        "A": ValuePlace(1, "int", counts=("N",)),
    },
    "lines",
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A_i >= 0", [promises.Compare("A[j]", ">=", "0")]),
        ("A_i >= 0 (1 <= i <= N)", [promises.Compare("A[j]", ">=", "0")]),
        ("A_i < A_{i+1}", [promises.Compare("A[j]", "<", "A[j + 1]")]),
        ("i_i >= 1", [promises.Compare("i[j]", ">=", "1")]),
        ("S[0] = 0", [promises.OneOf("S[1]", ("0",))]),
        ("A[0] = 0", [promises.Compare("A[1]", "==", "0")]),
        ("S_0 = 0", [promises.OneOf("S[0]", ("0",))]),
    ],
)
def test_indices(sentence: str, expected: list[promises.Promise]) -> None:
    assert read(sentence, COLUMN_I) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1 <= " + "n, " * 190 + "m",
        "n <= " * 115 + "m",
        "s consists of " + "0, 1, " * 90 + "2",
        "s is a string of length n consisting of " + "a or " * 100 + "b",
        "sorted distinct " * 36,
        "a sorted array b of distinct integers and " * 14,
        "the graph is connected and " * 20 + "simple",
        "1 <= n <= 5 for all i and " + "each pair of " * 40,
        "+".join(["n"] * 250) + " <= 5",
        "((((((((((((n))))))))))))" * 20,
        "|s| + " * 90 + "|s| <= 5",
        "all each of " * 45,
    ],
)
def test_hostile_sentences_parse_in_time(text: str) -> None:
    began = time.process_time()
    read(text[:600], LINES)
    read_prose(text[:600], LINES)
    assert time.process_time() - began < 3
