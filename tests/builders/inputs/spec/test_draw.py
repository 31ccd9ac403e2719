"""Drawn inputs keep their promises; impossible specifications fail within seconds."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders.inputs.spec.specs import DIGITS, SPECS, TREE, arguments, lines, rows, spec
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.drawing.draw import FAMILIES, UNSURE, draw, families
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    Permutation,
    Promise,
    Sorted,
)
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError, from_json, to_json

ARRAY = lines("n", "A:n")
BOUNDS = "1 <= n <= 200; 1 <= A[i] <= 10**9"


@pytest.mark.parametrize("promised", SPECS.values(), ids=SPECS)
def test_drawn_inputs_are_allowed(promised: Spec) -> None:
    validator = Validator(promised)

    @settings(max_examples=25, deadline=None, database=None, derandomize=True)
    @given(st.integers(0, 10**6), st.sampled_from([*FAMILIES, "17"]))
    def check(seed: int, family: str) -> None:
        text = draw(promised, seed, family)
        assert not validator.reasons(text), text
        assert text == draw(from_json(to_json(promised)), seed, family)

    check()


def test_draw_is_deterministic_across_processes() -> None:
    program = (
        "from tests.builders.inputs.spec.specs import SPECS\n"
        "from venus_toolkit.builders.inputs.spec.drawing.draw import FAMILIES, draw\n"
        "from hashlib import sha256\n"
        "texts = [draw(s, 3, f) for s in SPECS.values() for f in FAMILIES]\n"
        "print(sha256(''.join(texts).encode()).hexdigest())"
    )
    root = Path(__file__).parents[4]
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


IMPOSSIBLE = {
    "bounds": spec(lines("n"), "5 <= n <= 3"),
    "more distinct values than possible": spec(
        ARRAY, "30 <= n <= 10**5; 1 <= A[i] <= 9", Distinct(("A[i]",))
    ),
    "more distinct words than possible": spec(
        lines("n", rows("n", "s$")),
        "100 <= n <= 10**4; 1 <= len(s[i]) <= 2",
        Letters("s[i]", "a"),
        Distinct(("s[i]",)),
    ),
    "a sum": spec(ARRAY, "10 <= n <= 10**5; 5 <= A[i] <= 9; sum(A) <= 20"),
    "an impossible first value": spec(
        ARRAY, "1 <= n <= 10**5; 1 <= A[i] <= 9; gcd(A[1], 10) == 77"
    ),
    "odd brackets": spec(
        lines("n", "s$"),
        "7 <= n <= 7; len(s) == n",
        Letters("s", "()"),
        Is("s", "brackets"),
    ),
    "too few edges": spec(
        lines("n m", rows("m", "u v")),
        "10 <= n <= 10**5; 1 <= m <= 5; 1 <= u[i] <= n; 1 <= v[i] <= n",
        Graph(("connected",)),
    ),
    "another permutation": spec(
        lines("n", "P:n"), "1 <= n <= 10**5; 5 <= P[i]", Permutation("P", "1", "n")
    ),
    "an unknown count": spec(lines("n", "P:z"), "1 <= n <= 9"),
    "an unknown bound": spec(lines("n"), "1 <= n <= z"),
}


@pytest.mark.parametrize("promised", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("family", ["tiny", "max"])
def test_impossible_specification_fails_within_seconds(promised: Spec, family: str) -> None:
    began = time.process_time()
    with pytest.raises(SpecError):
        draw(promised, 3, family)
    assert time.process_time() - began < 10


SUSPECTED: dict[str, Spec] = {
    "sorted": spec(ARRAY, BOUNDS, suspected=(Sorted("A"),)),
    "sorted and distinct": spec(
        ARRAY, BOUNDS, suspected=(Distinct(("A[i]",)), Sorted("A"))
    ),
    "a permutation": spec(
        ARRAY, "1 <= n <= 200; 1 <= A[i] <= n", suspected=(Permutation("A", "1", "n"),)
    ),
    "a tree": spec(
        TREE, "2 <= n <= 60; 1 <= u[i] <= n; 1 <= v[i] <= n", suspected=(Graph(("tree",)),)
    ),
    "no leading zero": spec(
        lines("s$"), "1 <= len(s) <= 99", Letters("s", DIGITS),
        suspected=(Is("s", "no leading zero"), Is("s", "palindrome")),
    ),
    "related lists": spec(
        arguments("a:list b:list"),
        "1 <= len(a) <= 99; 1 <= len(b) <= 99; 0 <= a[i] <= 9; 0 <= b[i] <= 9",
        suspected=(Compare("len(a)", "==", "len(b)"), Is("b", "same sum", ("a",))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("promised", SUSPECTED.values(), ids=SUSPECTED)
def test_unsure_inputs_break_one_suspected_promise(promised: Spec) -> None:
    statement, validator = Validator(promised), Validator(promised, ("suspected",))
    suspected = promised.promises("suspected")

    def broken(text: str) -> list[Promise]:
        values = validator.parse(text)
        return [promise for promise in suspected if validator.breaks(values, promise)]

    seen: set[Promise] = set()
    for seed in range(12):
        text = draw(promised, seed, UNSURE)
        assert not statement.reasons(text)
        (promise,) = broken(text)
        seen.add(promise)
        assert not broken(draw(promised, seed, FAMILIES[seed % 6]))
    assert seen == set(suspected)


def test_family_unsure_needs_a_suspected_promise() -> None:
    certain = SPECS["an array"]
    assert families(certain) == FAMILIES
    assert families(SUSPECTED["sorted"]) == (*FAMILIES, UNSURE)
    assert draw(certain, 1, UNSURE) == draw(certain, 1, UNSURE)


def test_cache_of_specifications_is_bounded() -> None:
    module = sys.modules[draw.__module__]
    for high in range(3 * module.MOST_CACHED):
        draw(spec(ARRAY, f"1 <= n <= {high + 1}; 1 <= A[i] <= 9"), 1, "tiny")
    assert len(module._GENERATORS) <= module.MOST_CACHED
