"""Checkers inferred from properties that the answers of accepted programs share."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from venus_toolkit.builders.inputs.checkers import AcceptedAnswers, agreed_views
from venus_toolkit.signatures import evaluator_for

Program = Callable[..., Any]


def answers(inputs: Sequence[Sequence[Any]], programs: Sequence[Program]) -> list[AcceptedAnswers]:
    """Return the inputs on which programs differ, with their outputs."""
    differing = []
    for values in inputs:
        outputs = dict.fromkeys(json.dumps(program(*values)) for program in programs)
        if len(outputs) > 1:
            differing.append(AcceptedAnswers("\n".join(map(json.dumps, values)), list(outputs)))
    return differing


def lists(seed: int, least: int = 4) -> list[list[list[int]]]:
    rng = random.Random(seed)
    return [[[rng.randint(0, 9) for _ in range(rng.randint(least, 9))]] for _ in range(30)]


def evens_first(numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda number: number % 2)


def evens_first_and_sorted(numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda number: (number % 2, number))


def accepts(views: Sequence[str], stdin: str, expected: str, actual: str) -> bool:
    space: dict[str, Any] = {}
    exec(evaluator_for(views=views), space)
    return bool(space["evaluate"](expected, actual, stdin))


def test_views_of_a_permutation() -> None:
    text = "Move the even numbers to the front of the list, odd ones behind them. Return any such list."
    views = agreed_views(
        text, answers(lists(1), [evens_first, evens_first_and_sorted]), words=False
    )
    assert {"items", "parities"} <= set(views)
    assert accepts(views, "[3,2,1,4]", "[2,4,3,1]", "[4,2,1,3]")
    assert not accepts(views, "[3,2,1,4]", "[2,4,3,1]", "[2,3,4,1]")
    assert not accepts(views, "[3,2,1,4]", "[2,4,3,1]", "[2,2,3,1]")


def test_views_need_words_that_ask_for_them() -> None:
    both = answers(lists(1), [evens_first, evens_first_and_sorted])
    assert not agreed_views("Return any such list.", both, words=False)


def test_permutation_is_not_enough_where_order_counts() -> None:
    def fewest_first(numbers: list[int]) -> list[int]:
        return sorted(numbers, key=lambda number: number // 3)

    both = answers(lists(2), [fewest_first, sorted])
    assert not agreed_views(
        "Sort the numbers by their third. Return any such list.", both, words=False
    )
    assert not agreed_views("Rearrange them in this order.", both, words=False)


def test_too_few_inputs_give_no_checker() -> None:
    text = "Move the even numbers to the front of the list."
    both = answers(lists(1), [evens_first, evens_first_and_sorted])
    assert agreed_views(text, both[:5], words=False)
    assert not agreed_views(text, both[:4], words=False)


def test_wrong_program_prevents_a_checker() -> None:
    text = "Move the even numbers to the front of the list, odd ones behind them."
    three = answers(lists(1), [evens_first, evens_first_and_sorted, lambda numbers: numbers])
    assert "parities" not in agreed_views(text, three, words=False)


def test_view_of_a_summit() -> None:
    def first(numbers: list[int]) -> int:
        padded = [-1, *numbers, -1]
        return next(i for i in range(len(numbers)) if padded[i] < padded[i + 1] > padded[i + 2])

    def highest(numbers: list[int]) -> int:
        return numbers.index(max(numbers))

    rng = random.Random(3)
    inputs = [[rng.sample(range(50), rng.randint(4, 9))] for _ in range(40)]
    views = agreed_views(
        "Find any peak of the list.", answers(inputs, [first, highest]), words=False
    )
    assert views == ("summit",)


def test_views_of_a_path_along_pairs() -> None:
    rng = random.Random(4)
    paths = [rng.sample(range(-9, 9), 6) for _ in range(20)]
    both = [
        AcceptedAnswers(json.dumps(rng.sample([list(step) for step in itertools.pairwise(path)], 5)),
                [json.dumps(path), json.dumps(path[::-1])])
        for path in paths
    ]  # fmt: skip
    views = agreed_views(
        "Restore the different numbers from the adjacent pairs.", both, words=False
    )
    assert {"length", "along_edges"} <= set(views)


def test_views_of_lines_of_words() -> None:
    """A contest task that reads and prints a line of numbers."""
    rng = random.Random(5)
    both = []
    for _ in range(20):
        numbers = [rng.randint(0, 9) for _ in range(6)]
        outputs = [
            f"{' '.join(map(str, one(numbers)))}\n" for one in (evens_first, evens_first_and_sorted)
        ]
        both.append(AcceptedAnswers(f"6\n{' '.join(map(str, numbers))}\n", outputs))
    both = [answer for answer in both if len(set(answer.outputs)) > 1]
    assert "parities" in agreed_views(
        "Move even numbers to the front. Print any such list.", both, words=True
    )


@pytest.mark.parametrize("odd", ["", "[", "[[[[", "9" * 9_999, "\x00", '"\ud800"'])
def test_malformed_outputs_give_no_checker(odd: str) -> None:
    assert (
        agreed_views("any order of even sums", [AcceptedAnswers("1", [odd, "1"])] * 9, words=False)
        == ()
    )
    agreed_views("any order of even sums", [AcceptedAnswers(odd, [odd, "1"])] * 9, words=True)
