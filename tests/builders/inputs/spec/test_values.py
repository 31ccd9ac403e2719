"""Values read by a layout, even before the kinds of its words are inferred."""

from __future__ import annotations

import pytest

from venus_toolkit.builders.inputs.layouts.find_layout import fits
from venus_toolkit.builders.inputs.spec.checking.checks import InputError
from venus_toolkit.builders.inputs.spec.checking.values import Reader
from venus_toolkit.builders.inputs.spec.layout import Item, Layout, Line, Loop, Many, Scalar
from venus_toolkit.builders.inputs.spec.specification import SpecError


def word(name: str) -> Scalar:
    return Scalar(name, "word")


def counted(count: str) -> Layout:
    return Layout("lines", (Line((word("n"),)), Line((Many("a", count, word("a")),))))


def test_apparent_kinds_of_words() -> None:
    values = Reader(counted("2 * n"), loose=True).read("2\nx 01  7 2.5\n")
    assert values.whole == {"n": 2, "a": ["x", 1, 7, "2.5"]}
    assert values.kinds == {"n": {"int"}, "a": {"text", "digits", "int", "real"}}


@pytest.mark.parametrize("count", ["n", "2 * n", "10 ** 9 * n", "n // 2", "min(n, 3)"])
def test_count_over_a_text_is_refused(count: str) -> None:
    with pytest.raises(InputError, match="is not a count"):
        Reader(counted(count), loose=True).read("ab\n1 2\n")


def test_read_part() -> None:
    rows = Layout("lines", (Loop("n - 1", (Line((word("x"), word("y"))),)), Line((word("z"),))))
    reader = Reader(rows, loose=True, known={"n"})
    lines = ["3", "5 a", "6 b", "7", "8"]
    assert reader.read_part(lines, 1, {"n": 3}) == (4, {"n": 3, "z": 7})
    for known in ({"n": 4}, {"n": 9}, {}):
        with pytest.raises(InputError):
            reader.read_part(lines, 1, known)


@pytest.mark.parametrize(
    "body",
    [
        (Line((word("n"), word("n"))),),
        (Line((Many("a", "k", word("a")),)),),
        (Line((word("n"),)), Loop("n", ())),
        (Line((word("n"),)), Loop("n.x", (Line((word("a"),)),))),
    ],
)
def test_contradictory_layout_fits_no_input(body: tuple[Item, ...]) -> None:
    layout = Layout("lines", body)
    with pytest.raises(SpecError):
        Reader(layout)
    assert not fits(layout, "1\n1\n")
