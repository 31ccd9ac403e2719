"""Sentences that allow answers besides the expected one, and the resulting comparisons."""

from __future__ import annotations

import time
from typing import Any

import pytest

from venus_toolkit.builders.inputs.answers import compared, freedom_of, phrases
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import OutputComparison, Problem
from venus_toolkit.signatures import parse_signature

PYTHON = load_languages()["python"]
EXAMPLES = [(name, text) for name, phrase in phrases().items() for text in phrase.examples]
OTHERS = [(name, text) for name, phrase in phrases().items() for text in phrase.counterexamples]


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_phrase_matches_its_examples(name: str, text: str) -> None:
    assert phrases()[name].match(text)
    freedom = freedom_of(f"A story. {text}")
    allowed = {
        "order": bool(freedom.order),
        "case": freedom.case,
        "tolerance": freedom.absolute > 0 or freedom.relative > 0,
        "several": freedom.several and freedom.sure,
        "shown": freedom.several,
    }
    assert allowed[phrases()[name].allows]
    assert text in freedom.sentences


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_phrase_does_not_match_its_counterexamples(name: str, text: str) -> None:
    assert not phrases()[name].match(text)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Return the groups in any order.", (0,)),
        ("The numbers in the lists may be returned in any order.", (1,)),
        ("Return the teams in any order, and the names in each team in any order.", (0, 1)),
        ("You may print the ends of each road in any order.", (1,)),
        ("Return the roads in any order. The ends of each road may be returned in any order.", (0, 1)),
        ("The roads come in any order. Print their number.", ()),
    ],
)  # fmt: skip
def test_depth_of_a_free_order(text: str, order: tuple[int, ...]) -> None:
    assert freedom_of(text).order == order


@pytest.mark.parametrize(
    ("text", "absolute", "relative"),
    [
        ("Your output is right if its absolute error is at most 10^{-7}.", 1e-7, 0.0),
        ("A relative error of 1e-4 is allowed.", 0.0, 1e-4),
        ("Answers within 10<sup>-5</sup> of the actual answer are accepted.", 1e-5, 1e-5),
        ("It is correct when the absolute or relative error is less than $10^{-9}$.", 1e-9, 1e-9),
        ("Errors below 0.001 do not matter.", 1e-3, 1e-3),
    ],
)
def test_tolerance_of_numbers(text: str, absolute: float, relative: float) -> None:
    freedom = freedom_of(text)
    assert freedom.absolute == pytest.approx(absolute)
    assert freedom.relative == pytest.approx(relative)


def test_free_order_explains_another_answer() -> None:
    shown = "## Notes\n\n[2,1] would also be accepted."
    assert freedom_of(shown) == freedom_of(shown)._replace(several=True, sure=False)
    freedom = freedom_of(f"Return the pair in any order.\n\n{shown}")
    assert freedom.order == (0,)
    assert not freedom.several


@pytest.mark.parametrize(
    "text",
    [
        "if any of several " * 9_999,
        "any order return " * 50,
        "if multiple return " * 50,
        "error within 10 ^ " * 50,
    ],
)
def test_long_sentence_is_read_in_time(text: str) -> None:
    begin = time.process_time()
    freedom_of(text)
    assert time.process_time() - begin < 5


def function(statement: str, starter: str) -> Problem:
    problem = new_problem(
        "a", statement, source="mine", style="function", starter_code={"python": starter}
    )
    return compared(problem, parse_signature(starter, PYTHON))


def evaluate(problem: Problem, *texts: str) -> Any:
    space: dict[str, Any] = {}
    exec(problem.evaluator or "", space)
    return space["evaluate"](*texts)


def test_contest_task_with_any_case() -> None:
    text = "Print Yes or No. You can print each letter in any case (upper or lower)."
    problem = compared(new_problem("a", text, source="mine"))
    assert problem.comparison.kind == "evaluator"
    assert problem.comparison.source.startswith("You can print each letter")
    assert evaluate(problem, "Yes\n", "YES\n")
    assert not evaluate(problem, "Yes\n", "No\n")


def test_contest_task_with_a_tolerance() -> None:
    problem = compared(
        new_problem("a", "An absolute or relative error of 10^{-6} is allowed.", source="mine")
    )
    comparison = OutputComparison("float", 1e-6, 1e-6, real=True, source=problem.comparison.source)
    assert problem.comparison == comparison
    assert problem.evaluator is None


def test_several_right_answers_are_recorded() -> None:
    text = "If there are multiple answers, print any of them."
    problem = compared(new_problem("a", text, source="mine"))
    assert problem.comparison == OutputComparison(several=True, source=text)


def test_comparison_of_the_source_stays() -> None:
    own = OutputComparison("float", 1e-3)
    text = "If there are multiple answers, print any of them."
    assert compared(new_problem("a", text, source="mine", comparison=own)).comparison == own


def test_return_type_limits_the_freedom() -> None:
    text = "Return the numbers in each list in any order. Print any of them that fits."
    assert not function(text, "def f(a: int) -> bool:\n    ").comparison.several
    listed = function("Return the numbers in any order.", "def f(a: int) -> List[int]:\n    ")
    assert evaluate(listed, "[1,2]", "[2,1]")
    number = function("Return the numbers in any order.", "def f(a: int) -> int:\n    ")
    assert number.comparison.kind == "exact"
    letters = function("Return the letters in any order.", "def f(a: int) -> str:\n    ")
    assert evaluate(letters, '"ab"', '"ba"')
    words = function("Return the words in any order.", "def f(a: int) -> List[str]:\n    ")
    assert not evaluate(words, '["ab"]', '["ba"]')


def test_fractions_have_the_tolerance_of_the_statement() -> None:
    starter = "def f(a: int) -> float:\n    "
    assert evaluate(function("", starter), "0.5", "0.500001")
    near = function("Answers within 10^{-2} of the answer are accepted.", starter)
    assert evaluate(near, "0.5", "0.505")
    assert not evaluate(function("", starter), "0.5", "0.505")
