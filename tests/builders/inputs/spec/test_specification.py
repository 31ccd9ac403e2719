"""The JSON form of a specification: roundtrip, and errors that name the invalid place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.inputs.spec import promises
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Layout,
    Line,
    Loop,
    Many,
    Scalar,
    Tuple,
)
from venus_toolkit.builders.inputs.spec.promises import Reading
from venus_toolkit.builders.inputs.spec.specification import (
    PROMISES,
    Spec,
    SpecError,
    from_json,
    from_plain,
    to_json,
    to_plain,
)

TEXTS = st.text(max_size=5)
NAMES = st.sampled_from(["N", "A", "nums", "len_s", "_2", "é"])
SCALARS = st.builds(
    Scalar, NAMES, st.sampled_from(["int", "real", "bool", "text"]), st.none() | TEXTS
)
NODES = st.recursive(
    SCALARS | st.builds(Tuple, st.lists(SCALARS, max_size=2).map(tuple)),
    lambda inner: st.builds(Many, NAMES, TEXTS, inner),
    max_leaves=3,
)
SOME_NODES = st.lists(NODES, max_size=2).map(tuple)
CHOICES = st.dictionaries(TEXTS, SOME_NODES, max_size=2).map(lambda d: Choice(tuple(d.items())))
ITEMS = st.recursive(
    st.builds(Line, SOME_NODES) | CHOICES,
    lambda inner: st.builds(Loop, TEXTS, st.lists(inner, max_size=2).map(tuple)),
    max_leaves=4,
)
LAYOUTS = st.builds(
    Layout,
    st.sampled_from(["lines", "json"]),
    st.lists(ITEMS, max_size=3).map(tuple),
    st.none() | TEXTS,
)
READINGS = st.builds(
    Reading,
    TEXTS,
    st.lists(st.one_of([st.from_type(kind) for kind in PROMISES.values()]), max_size=2).map(tuple),
    st.sampled_from(["statement", "suspected", "guess"]),
)
SPECS = st.builds(
    Spec,
    TEXTS,
    LAYOUTS,
    st.lists(READINGS, max_size=2).map(tuple),
    st.dictionaries(TEXTS, st.integers(), max_size=2),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.lists(st.integers(), max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
)


@given(SPECS)
def test_json_roundtrip(spec: Spec) -> None:
    assert from_json(to_json(spec)) == spec
    assert "\n" not in to_json(spec)


@given(SPECS)
def test_any_specification_is_checked_or_refused(spec: Spec) -> None:
    try:
        Validator(spec, ("statement", "suspected", "guess")).reasons("1\n")
    except SpecError:
        return


SMALL: dict[str, Any] = to_plain(
    Spec(
        "p",
        Layout(
            "lines",
            (
                Line((Scalar("N"), Scalar("s", "text", "N"))),
                Loop("N", (Line((Many("A", "N", Tuple((Scalar("a"),))),)),)),
                Loop("N", (Choice((("1", (Scalar("x"),)),)),)),
            ),
        ),
        (Reading("stated", (promises.Compare("1", "<=", "N"), promises.OneOf("N", (1, "2")))),),
        {"A": 0},
        samples=("1 a\n",),
    )
)
JUNK = st.sampled_from([None, True, 3, -1, 1.5, "x", "", [], {}, [[]], {"kind": "int"}, 10**30])


@given(st.data())
def test_damaged_text_raises_only_spec_errors(data: st.DataObject) -> None:
    """Replacing, removing or adding any value gives a specification or a SpecError."""
    plain = copy.deepcopy(SMALL)
    place: Any = plain
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and data.draw(st.integers(0, 3)):
            place = place[key]
            continue
        if data.draw(st.booleans()):
            place[key] = data.draw(JUNK)
        elif isinstance(place, dict) and data.draw(st.booleans()):
            place["other"] = data.draw(JUNK)
        else:
            del place[key]
        break
    try:
        Validator(from_plain(plain)).reasons("1 a\n")
    except SpecError:
        return


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"version": 2}, "use the venus_inputs that came with it"),
        ({"version": "1"}, "version"),
        ({"version": True}, "version"),
        ({"readings": [{}]}, r"readings\[0\]: witness is missing"),
        ({"readings": [{"witness": "me", "sentence": "", "promises": []}]}, r"readings\[0\].witness"),
        ({"layout": {"style": "xml", "body": []}}, "layout.style"),
        ({"layout": {"style": "lines", "body": [{"line": [], "lenght": 3}]}}, "unknown lenght"),
        ({"layout": {"style": "lines", "body": [{"line": [{"kind": "int", "name": "a b"}]}]}}, "not a name"),
        ({"samples": "1"}, "samples"),
        ({"first": {"A": 1.5}}, "first"),
        ({"wrods": []}, "unknown wrods"),
    ],
)  # fmt: skip
def test_error_names_the_invalid_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(SpecError, match=place):
        from_plain(SMALL | change)


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "[" * 10**5, '{"version": 1e999}'])
def test_other_text_is_not_a_specification(text: str) -> None:
    with pytest.raises(SpecError):
        from_json(text)


def test_depth_of_nodes_is_limited() -> None:
    item: Any = {"kind": "int", "name": "a"}
    for _ in range(500):
        item = {"kind": "list", "name": "a", "count": "1", "item": item}
    text = json.dumps(SMALL | {"layout": {"style": "json", "body": [{"line": [item]}]}})
    with pytest.raises(SpecError, match="levels"):
        from_json(text)
