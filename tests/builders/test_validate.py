"""Agreement: good tests, and wrong solutions. Lesson 17: the check must be able to fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from venus_toolkit.builders.stages.validate import (
    FEW_PROGRAMS,
    UNSURE,
    agree,
    condemned,
    has_full_confidence,
)
from venus_toolkit.core.records import Expectation, OutputComparison, TestCase
from venus_toolkit.execution.engine.work import Vote
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.judging.comparison import output_key


class TextChecker(Checker):
    """Compares without a sandbox: exact and float comparisons need none."""

    def __init__(self, comparison: OutputComparison) -> None:
        self.comparison = comparison
        self._compiled = None


EXACT = TextChecker(OutputComparison())


def votes_of(*columns: list[str | None]) -> tuple[dict[str, list[Vote]], dict[str, str]]:
    """Return votes and outputs.

    A column has one solution's outputs; None is a timeout, an empty one a crash.
    """
    votes, outputs = {}, {}
    for number, column in enumerate(columns):
        votes[f"s{number}"] = [_vote(text, outputs) for text in column]
    return votes, outputs


def _vote(text: str | None, outputs: dict[str, str]) -> Vote:
    if text is None:
        return Vote("abstains", "", "time_limit")
    if not text:
        return Vote("fails", "", "runtime_error")
    outputs[output_key(text)] = text
    return Vote("answer", output_key(text))


def cases(count: int, stdout: str | None = None) -> list[TestCase]:
    return [
        TestCase(f"t{n}", f"{n}\n", stdout, size=("small", "random")[n % 2]) for n in range(count)
    ]


def test_agreement_gives_the_output() -> None:
    agreement = agree(cases(2), *votes_of(["1\n", "4\n"], ["1", "4"]), EXACT)
    assert [(test.stdout or "").strip() for test in agreement.tests] == ["1", "4"]
    assert not agreement.dropped
    assert not agreement.quarantined


def test_lesson_17_dissent_drops_the_test() -> None:
    first = ["1"] * 20
    agreement = agree(cases(20), *votes_of(first, first, ["2", *first[1:]]), EXACT)
    assert [test.test_id for test in agreement.tests] == [f"t{n}" for n in range(1, 20)]
    assert agreement.dropped == {"t0": "canonical solutions disagree"}
    assert agreement.dissent["t0"] == {"s2": "line 1: expected '1', got '2'"}


def test_lesson_17_first_solution_is_compared_with_others() -> None:
    first = ["1"] * 20
    agreement = agree(cases(20), *votes_of(["2", *first[1:]], first, first), EXACT)
    assert set(agreement.dropped) == {"t0"}
    assert list(agreement.dissent["t0"]) == ["s0"]


def test_disagreement_of_two_drops_the_test_only() -> None:
    agreement = agree(cases(1), *votes_of(["1"], ["2"]), EXACT)
    assert not agreement.tests
    assert not agreement.quarantined


def test_single_answer_drops_the_test() -> None:
    agreement = agree(cases(1), *votes_of(["1"], [None]), EXACT)
    assert agreement.dropped == {"t0": "fewer than two answers to compare"}


def test_timeout_abstains_and_crash_dissents() -> None:
    good = ["1"] * 20
    abstains = agree(cases(20), *votes_of(good, good, [None, *good[1:]]), EXACT)
    assert len(abstains.tests) == 20
    crashes = agree(cases(20), *votes_of(good, good, ["", *good[1:]]), EXACT)
    assert crashes.dropped == {"t0": "a canonical solution fails"}


def test_frequent_dissenter_is_quarantined() -> None:
    good = ["1"] * 10
    agreement = agree(cases(10), *votes_of(good, good, good, ["2"] * 5 + good[5:]), EXACT)
    assert len(agreement.tests) == 10
    assert agreement.quarantined == {"s3": "dissents from a clear majority on 5 of 10 tests"}


def test_doubtful_inputs_quarantine_no_solution() -> None:
    good = ["1"] * 10
    votes = votes_of(good, good, good, ["2"] * 5 + good[5:])
    doubted = agree(cases(10), *votes, EXACT, confidence=0.95)
    assert doubted.quarantined == {}
    assert set(doubted.dropped) == {f"t{n}" for n in range(5)}, "drop the inputs, not the solution"
    assert doubted.dissent["t0"].keys() == {"s3"}
    one_family = [replace(test, size="small") for test in cases(10)]
    assert agree(one_family, *votes, EXACT).quarantined == {}
    given_tests = [replace(test, kind="given") for test in cases(10)]
    assert agree(given_tests, *votes, EXACT, confidence=0.95).quarantined.keys() == {"s3"}


SMALL, LARGE = (TestCase(size, "1\n", "1\n", size=size) for size in ("small", "large"))
UNSURE_TEST = TestCase("unsure", "1\n", size=UNSURE)
EXAMPLE = TestCase("given", "1\n", "1\n", kind="given")


@pytest.mark.parametrize(
    ("failed", "confidence", "expected", "wrong"),
    [
        ([SMALL, LARGE], 1.0, Expectation.ACCEPTED, True),
        ([SMALL, LARGE], 0.95, Expectation.ACCEPTED, False),
        ([SMALL, SMALL], 1.0, Expectation.ACCEPTED, False),  # of one family
        ([EXAMPLE], 0.1, Expectation.ACCEPTED, True),
        ([SMALL], 0.5, Expectation.WRONG, True),  # labelled wrong
        ([SMALL], 1.0, Expectation.SLOW, False),
        ([SMALL], 1.0, Expectation.UNKNOWN, False),
        ([], 1.0, Expectation.UNKNOWN, False),
        ([SMALL, UNSURE_TEST], 1.0, Expectation.ACCEPTED, False),  # breaks a suspected promise
        ([SMALL, LARGE, UNSURE_TEST], 1.0, Expectation.ACCEPTED, True),
        ([UNSURE_TEST], 1.0, Expectation.WRONG, True),
    ],
)
def test_single_generated_input_quarantines_no_solution(
    failed: list[TestCase], confidence: float, expected: Expectation, wrong: bool
) -> None:
    assert condemned(failed, confidence, expected) is wrong


@pytest.mark.parametrize(
    ("names", "outputs", "dropped"),
    [
        (["p/cpp/a", "p/python/b"], ["1", "1"], None),
        ([f"p/cpp/{n}" for n in range(5)], ["1"] * 5, None),
        ([f"p/cpp/{n}" for n in range(4)], ["1"] * 4, FEW_PROGRAMS),
        (["p/cpp/a", "p/python/b"], ["1", None], "fewer than two answers to compare"),
        ([f"p/cpp/{n}" for n in range(6)], [*["1"] * 5, ""], "a canonical solution fails"),
        ([f"p/cpp/{n}" for n in range(6)], [*["1"] * 5, "2"], "canonical solutions disagree"),
    ],
)
def test_input_breaking_suspected_promise_needs_two_ideas(
    names: list[str], outputs: list[str | None], dropped: str | None
) -> None:
    votes, texts = votes_of(*([output] for output in outputs))
    named = dict(zip(names, votes.values(), strict=True))
    agreement = agree([UNSURE_TEST], named, texts, EXACT)
    assert agreement.dropped.get("unsure") == dropped
    assert not agreement.quarantined
    if dropped == FEW_PROGRAMS:
        assert agreement.open == ["unsure"], "more voters could save it"
        assert agree([SMALL], named, texts, EXACT).tests


def test_single_generated_crash_quarantines_no_solution() -> None:
    votes = votes_of(["1"], ["1"], ["1"], [""])
    assert agree([SMALL], *votes, EXACT).quarantined == {}
    assert agree([EXAMPLE], *votes, EXACT).quarantined == {"s3": "fails on every test"}


def test_full_confidence_needs_generator_and_input() -> None:
    assert has_full_confidence(SMALL, 1.0)
    assert has_full_confidence(EXAMPLE, 0.1)
    assert not has_full_confidence(SMALL, 0.95)
    assert not has_full_confidence(UNSURE_TEST, 1.0)


def test_given_output_votes() -> None:
    agreement = agree(cases(1, "1\n"), *votes_of(["1"]), EXACT)
    assert [test.stdout for test in agreement.tests] == ["1\n"]
    dropped = agree(cases(1, "5\n"), *votes_of(["1"], ["1"]), EXACT)
    assert dropped.dropped == {"t0": "canonical solutions disagree"}


def test_floats_within_tolerance_agree() -> None:
    close = TextChecker(OutputComparison("float", absolute=1e-6, relative=1e-6))
    agreement = agree(cases(1), *votes_of(["1.0000001"], ["1.0"], ["1.00000005"]), close)
    assert len(agreement.tests) == 1


def test_evaluator_must_accept_both_ways() -> None:
    class OneWay(TextChecker):
        def passes(self, answers: list[Answer]) -> list[bool]:  # type: ignore[override]
            return [answer.expected <= answer.actual for answer in answers]

    agreement = agree(cases(1), *votes_of(["1"], ["2"]), OneWay(OutputComparison()))
    assert agreement.dropped == {"t0": "canonical solutions disagree"}


def test_input_crashing_two_languages_is_suspect() -> None:
    """The input probably breaks a promise, so it quarantines none of these programs."""
    votes, outputs = votes_of(
        ["", "1", "1", "1"], ["", "1", "1", "1"], *([["2", "1", "1", "1"]] * 4)
    )
    named = dict(
        zip(
            ("p/cpp/a", "p/go/b", "p/cpp/c", "p/go/d", "p/go/e", "p/cpp/f"),
            votes.values(),
            strict=True,
        )
    )
    agreement = agree(cases(4), named, outputs, EXACT)
    assert agreement.dropped == {
        "t0": "suspect: accepted programs of several languages crash on it"
    }
    assert agreement.quarantined == {}
    assert len(agreement.tests) == 3


def test_crashes_in_one_language_are_not_suspect() -> None:
    votes, outputs = votes_of(["", "", "1", "1"], *([["2", "1", "1", "1"]] * 5))
    named = dict(
        zip(
            ("p/cpp/a", "p/go/b", "p/cpp/c", "p/go/d", "p/go/e", "p/cpp/f"),
            votes.values(),
            strict=True,
        )
    )
    assert set(agree(cases(4), named, outputs, EXACT).quarantined) == {"p/cpp/a"}


SEVERAL = TextChecker(OutputComparison(several=True))


def named(votes: dict[str, list[Vote]], *names: str) -> dict[str, list[Vote]]:
    return dict(zip(names, votes.values(), strict=True))


def test_several_answers_quarantine_no_program() -> None:
    votes, outputs = votes_of(*[["1"] * 9] * 4, ["2"] * 9)
    agreement = agree(cases(9), votes, outputs, SEVERAL)
    assert not agreement.quarantined
    assert not agreement.tests
    assert set(agree(cases(9), votes, outputs, EXACT).quarantined) == {"s4"}


def test_several_answers_still_quarantine_crashes() -> None:
    agreement = agree(cases(9), *votes_of(*[["1"] * 9] * 5, [""] * 9), SEVERAL)
    assert set(agreement.quarantined) == {"s5"}
    assert len(agreement.tests) == 9


@pytest.mark.parametrize(
    ("names", "remain"),
    [
        (["a/python/1", "a/python/2", "a/python/3"], False),
        (["a/python/1", "a/cpp/1"], True),
        (["a/python/1", "a/python/2", "a/python/3", "a/python/4", "a/python/5"], True),
    ],
)
def test_several_answers_need_two_languages_or_five_programs(
    names: list[str], remain: bool
) -> None:
    votes, outputs = votes_of(*[["1", "2"]] * len(names))
    agreement = agree(cases(2), named(votes, *names), outputs, SEVERAL)
    assert len(agreement.tests) == (2 if remain else 0)
    assert remain or "too few programs agree" in agreement.dropped["t0"]


def test_example_of_several_answers_is_dropped() -> None:
    """No program prints its output, so the example is dropped and quarantines no program."""
    votes, outputs = votes_of(["2", "4"], ["2", "4"])
    tests = [*cases(1, "1\n"), *cases(2)[1:]]
    tests[0] = replace(tests[0], kind="given")
    agreement = agree(tests, named(votes, "a/python/1", "a/cpp/1"), outputs, SEVERAL)
    assert list(agreement.dropped) == ["t0"]
    assert [test.test_id for test in agreement.tests] == ["t1"]
    assert not condemned([tests[0]], 1.0, several=True)
    assert condemned([tests[0]], 1.0)
