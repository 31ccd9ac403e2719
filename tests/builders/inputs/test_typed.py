"""Inputs from the types alone: what the starter code says, and nothing where it says nothing."""

from __future__ import annotations

import json

import pytest

from venus_toolkit.builders.inputs.make_inputs import LARGEST, typed_inputs
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.core.records import Problem


def problem(starter: str, style: str = "function") -> Problem:
    told = "Nothing is said of what is allowed."
    return new_problem("poem", told, style=style, source="x", starter_code={"python": starter})


def test_inputs_have_the_types_and_modest_numbers() -> None:
    asked = problem("def f(words: List[str], n: int, x: float) -> int:\n")
    inputs = typed_inputs(asked, 40, seed=1)
    cases = [[json.loads(line) for line in text.rstrip("\n").split("\n")] for text in inputs]
    assert inputs == typed_inputs(asked, 40, seed=1)
    assert inputs != typed_inputs(asked, 40, seed=2)
    assert len(set(inputs)) > 30
    for words, n, x in cases:
        assert all(isinstance(word, str) for word in words)
        assert isinstance(n, int)
        assert abs(n) <= LARGEST
        assert isinstance(x, float)
        assert abs(x) <= LARGEST


@pytest.mark.parametrize(
    "asked",
    [
        problem("def f(a, b):\n"),
        problem("def f(a: Dict[str, int]) -> int:\n"),
        problem(""),
        problem("def f(a: int) -> int:\n", style="stdin"),
        problem("class A:\n    def __init__(self): ...\n    def f(self) -> int: ...\n"),
    ],
)
def test_without_types_there_are_none(asked: Problem) -> None:
    assert typed_inputs(asked, 5, seed=0) == []
