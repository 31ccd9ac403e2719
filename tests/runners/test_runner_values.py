"""Roundtrip: values of every type are returned unchanged in all seven languages."""

from __future__ import annotations

import json
import math
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runners.echo import FLOAT, TYPES, echo_signature, echo_solution, listed
from tests.runners.support import EVERY, answers, case, function, line, made
from venus_toolkit.execution.sandbox import Compiled, Sandbox
from venus_toolkit.signatures import BATCH, Kind, Type, random_value

CASES = 25
SIGNATURE = echo_signature()
FLOATS = {
    "cpp": "class Solution {\npublic:\n    vector<double> solve(vector<double>& a) { return a; }\n};",
    "go": "func solve(a []float64) []float64 { return a }",
    "java": "class Solution {\n    public List<Double> solve(double[] a) {\n"
    "        return Arrays.stream(a).boxed().collect(Collectors.toList());\n    }\n}",
    "javascript": "var solve = function(a) { return a }",
    "python": "class Solution:\n    def solve(self, a): return tuple(a)",
    "ruby": "def solve(a)\n  a\nend",
    "rust": "impl Solution {\n    pub fn solve(a: Vec<f64>) -> Vec<f64> { a }\n}",
}


@pytest.fixture(scope="module", params=EVERY)
def echo(request: pytest.FixtureRequest, sandbox: Sandbox) -> Compiled:
    compiled = made(sandbox, SIGNATURE, request.param, echo_solution(request.param))
    assert compiled.ok, compiled.log
    return compiled


def asked(values: list[object]) -> str:
    return case(
        ["Echo", *(each.name for each in SIGNATURE.functions)],
        [[0], *([value] for value in values)],
    )


def smallest(wanted: Type) -> object:
    """Return the smallest value of a type: null, an empty list, an empty tree, and so on."""
    return None if wanted.kind == Kind.OPTIONAL else random_value(wanted, random.Random(0), 0)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0), size=st.integers(0, 12))
def test_values_roundtrip(sandbox: Sandbox, echo: Compiled, seed: int, size: int) -> None:
    chance = random.Random(seed)
    cases = [[random_value(each, chance, size) for each in TYPES] for _ in range(CASES)]
    (printed,) = answers(sandbox, echo, [f"{BATCH} {CASES}\n" + "".join(map(asked, cases))])
    for values, answer in zip(cases, printed.split("\n")[:-1], strict=True):
        for wanted, before, after in zip(TYPES, values, json.loads(answer)[1:], strict=True):
            assert line(after) == line(before), wanted


def test_the_smallest_values(sandbox: Sandbox, echo: Compiled) -> None:
    values = [smallest(each) for each in TYPES]
    assert answers(sandbox, echo, [asked(values)]) == [line([None, *values]) + "\n"]


def test_empty_list_is_a_list(sandbox: Sandbox, echo: Compiled) -> None:
    optional = {
        i
        for i, each in enumerate(TYPES)
        if each.kind == Kind.LIST and each.element.kind == Kind.OPTIONAL
    }  # type: ignore[union-attr]
    values = [[None] if i in optional else smallest(each) for i, each in enumerate(TYPES)]
    assert answers(sandbox, echo, [asked(values)]) == [line([None, *values]) + "\n"]


def awkward_numbers() -> list[float]:
    """Return powers of two and ten, random bit patterns, and numbers where the notation changes."""
    chance = random.Random(3)
    powers = [2.0**n for n in range(-1074, 1024)] + [float(f"1e{n}") for n in range(-300, 300)]
    bits = [struct.unpack("d", struct.pack("Q", chance.getrandbits(64)))[0] for _ in range(3000)]
    edges = [
        0.0,
        0.3 - 0.2,
        1e15 + 0.125,
        1e16,
        9007199254740993.0,
        0.0001,
        0.00009999,
        1e21,
        5e-324,
        1.7e308,
    ]
    found = [
        *powers,
        *edges,
        *(chance.uniform(-1e6, 1e6) for _ in range(1000)),
        *filter(math.isfinite, bits),
    ]
    return [sign * each if each else each for each in found for sign in (1, -1)]


@pytest.mark.parametrize("language", EVERY)
def test_numbers_look_the_same_in_every_language(sandbox: Sandbox, language: str) -> None:
    values = awkward_numbers()
    compiled = made(sandbox, function(listed(FLOAT), listed(FLOAT)), language, FLOATS[language])
    zero, printed = answers(sandbox, compiled, [case([-0.0, 3]), case(values)])
    assert zero == "[0.0,3.0]\n", (
        "there is no -0.0 in an answer, and a whole number is still a floating point one"
    )
    assert printed[1:-2].split(",") == [repr(value) for value in values]
