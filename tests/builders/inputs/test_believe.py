"""Sentences are believed if the samples and nearly all given tests keep them."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.inputs.believe import (
    BelievedReadings,
    LayoutMismatch,
    StatementSentence,
    believe,
)
from venus_toolkit.builders.inputs.spec.checking.validate import validate
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Loop, Many, Scalar
from venus_toolkit.builders.inputs.spec.names import names_of
from venus_toolkit.builders.inputs.spec.specification import Spec

LIST = Layout("lines", (Line((Scalar("N"),)), Line((Many("A", "N", Scalar("A")),))))
EDGES = Layout(
    "lines", (Line((Scalar("N"), Scalar("M"))), Loop("M", (Line((Scalar("u"), Scalar("v"))),)))
)
COUNT, BOUND = "1 <= N <= 9", "0 <= A_i <= 50"


def believed(
    *sentences: str | StatementSentence,
    samples: tuple[str, ...] = ("2\n5 6\n",),
    given_inputs: tuple[str, ...] = (),
    layout: Layout = LIST,
) -> BelievedReadings:
    statement_sentences = [
        one if isinstance(one, StatementSentence) else StatementSentence(one, True)
        for one in sentences
    ]
    return believe(layout, names_of(layout), statement_sentences, samples, given_inputs)


def refused(result: BelievedReadings, text: str) -> list[str]:
    return validate(Spec("p", LIST, result.readings, loose=result.loose), text)


def test_understood_sentences_are_believed() -> None:
    result = believed(COUNT, BOUND, "Ann likes N.")
    assert [reading.sentence for reading in result.readings] == [COUNT, BOUND]
    assert result.unread == {"Ann likes N.": "not understood"}
    assert (result.broken, result.loose) == ({}, False)
    assert refused(result, "1\n51\n") == [f"broken: {BOUND}"]


def test_sentence_broken_by_a_sample_was_misread() -> None:
    result = believed(COUNT, "N is even.", samples=("3\n1 2 3\n",))
    assert [reading.sentence for reading in result.readings] == [COUNT]
    assert result.unread == {"N is even.": "misread: a known input breaks it"}


@pytest.mark.parametrize("bad", [1, 3, 4, 9])
def test_few_given_tests_may_be_wrong(bad: int) -> None:
    right, wrong = ([f"1\n{n}\n" for n in numbers] for numbers in (range(9), range(51, 51 + bad)))
    result = believed(COUNT, BOUND, given_inputs=(*right, *wrong))
    if 4 * bad <= 9 + bad:
        assert result.broken == {BOUND: frozenset(wrong)}
        assert all(refused(result, text) for text in wrong)
    else:
        assert result.unread == {BOUND: "misread: a known input breaks it"}
        assert not any(refused(result, text) for text in wrong)


def test_without_samples_no_given_test_is_wrong() -> None:
    given_inputs = ("1\n-1\n", *(f"1\n{n}\n" for n in range(20)))
    assert BOUND in believed(COUNT, BOUND, samples=(), given_inputs=given_inputs).unread


@pytest.mark.parametrize(
    "of", ["In 80% of the data", "In subtask 1", "For most of the tests", "(20 points)"]
)
def test_sentence_about_some_tests_is_not_a_promise(of: str) -> None:
    given_inputs = ("9\n" + "1 " * 8 + "1\n", *(f"1\n{n}\n" for n in range(9)))
    result = believed(StatementSentence(f"{of} N <= 5.", False), given_inputs=given_inputs)
    assert not any(reading.promises for reading in result.readings)


def test_power_of_two_without_its_superscript() -> None:
    lost = StatementSentence("0 <= A_i < 27", True, "0 <= A_i < 2^7")
    most = believed(lost, given_inputs=tuple(f"1\n{n}\n" for n in (3, 30, 60, 127, 128)))
    assert most.broken == {lost.text: {"1\n128\n"}}
    assert (refused(most, "1\n127\n"), bool(refused(most, "1\n128\n"))) == ([], True)
    one = believed(lost, given_inputs=tuple(f"1\n{n}\n" for n in (3, 4, 5, 6, 30)))
    assert refused(one, "1\n30\n"), "one may be wrong"


def test_graph_needs_the_bounds_of_its_nodes() -> None:
    graph = "The given graph is connected."
    ends = ("1 <= u_i <= N", "1 <= v_i <= N")
    sample = ("3 2\n1 2\n2 3\n",)
    assert not believed(graph, *ends, samples=sample, layout=EDGES).unread
    assert graph in believed(graph, ends[0], samples=sample, layout=EDGES).unread


def test_loose_white_space() -> None:
    result = believed(COUNT, given_inputs=("1  \n 2 \n\n",))
    assert result.loose
    assert refused(result, "10\n" + "1 " * 10) == [f"broken: {COUNT}"]
    with pytest.raises(LayoutMismatch):
        believed(COUNT, given_inputs=("1\n2\n3\n",))


@pytest.mark.parametrize(
    "sentence",
    ["1 <= N <= 9^9^9^9", "N <= N^N^N", "__import__('os') <= N", "1 <= N <= 10^{99999999}", "A_{10^{18}} <= 3",
     "1 <= A_i <= 10^{N^{999999999}}", "1 <= A_i % (N - N) <= 5"],
)  # fmt: skip
def test_hostile_sentence_is_rejected_in_time(sentence: str) -> None:
    start = time.process_time()
    result = believed(sentence, COUNT)
    assert refused(result, "2\n5 6\n") == []
    assert sentence in result.unread or not refused(result, "1\n1\n")
    assert time.process_time() - start < 5
