"""A property that accepted programs need is suspected, and all tests keep it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.building import read_entry
from venus_toolkit.builders.inputs.make_inputs import ProblemInputs
from venus_toolkit.builders.inputs.programs import generator_text
from venus_toolkit.builders.inputs.spec import Spec, Validator, draw, families, spec_of
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Scalar
from venus_toolkit.builders.inputs.spec.promises import Compare, Reading, Sorted
from venus_toolkit.builders.quality.choose import ChosenTests
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.builders.stages.inputs import _with_needed
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase

SAMPLES = ("7\n1 2 3 4 5 6 9\n", "8\n1 1 2 4 5 7 7 9\n")
SPEC = Spec(
    "p",
    Layout("lines", (Line((Scalar("n"),)), Line((Many("A", "n", Scalar("A")),)))),
    (
        Reading("1 <= n <= 9", (Compare("1", "<=", "n"), Compare("n", "<=", "9"))),
        Reading("1 <= A_i <= 9", (Compare("1", "<=", "A[i]"), Compare("A[i]", "<=", "9"))),
    ),
    samples=SAMPLES,
)
AGREED = ("3\n1 2 3\n", "2\n5 5\n", "1\n7\n", "4\n2 2 3 9\n", "3\n3 1 2\n")
DISPUTED = tuple(f"5\n9 {a} 8 {b} 1\n" for a in (1, 2, 3) for b in (1, 2, 3))


@pytest.fixture
def entry() -> Entry:
    entry = read_entry(CORPUS / "pair-sums", load_languages())
    return entry._replace(
        problem=replace(entry.problem, statement="Given is a sorted list of numbers.")
    )


def chosen(disputed: tuple[str, ...]) -> tuple[ProblemInputs, ChosenTests]:
    texts = {"given": SAMPLES[0], "tiny-0": AGREED[0], "tiny-1": DISPUTED[0]}
    tests = tuple(
        TestCase(name, text, kind="given" if name == "given" else "generated")
        for name, text in texts.items()
    )
    inputs = ProblemInputs(tests, {}, "derived", 1.0, (), generator_text(SPEC), "")
    return inputs, ChosenTests(tests, (), AGREED[:4] * 4, disputed)


def test_property_broken_by_disputed_inputs_is_required(entry: Entry) -> None:
    inputs = _with_needed(entry, *chosen(DISPUTED))
    spec = spec_of(inputs.generator_source or "")
    assert spec is not None
    assert spec_of(inputs.validator_source or "") == spec
    assert Sorted("A") in spec.promises("suspected")
    assert [test.test_id for test in inputs.tests] == ["given", "tiny-0"]
    assert list(inputs.dropped) == ["tiny-1"]
    assert any(reason.startswith("suspected: ") for reason in inputs.reasons)
    suspicious = Validator(spec, ("suspected",))
    for family in families(spec):
        broken = [bool(suspicious.reasons(draw(spec, seed, family))) for seed in range(4)]
        assert all(broken) if family == "unsure" else not any(broken)


def test_no_disputes_change_nothing(entry: Entry) -> None:
    inputs, choice = chosen(())
    assert _with_needed(entry, inputs, choice) == inputs
