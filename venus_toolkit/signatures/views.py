"""Views of an answer: two answers are equally good if all chosen views of them are equal.

An evaluator is this file with a function appended (`order.evaluator_for`). It runs without the
toolkit, so it imports only the standard library, and it never raises.

An answer is a JSON value or, for programs that print text, a list of lines of words; integers among
the words are numbers. A view is a function of the answer and the values of the input, one per line.
Most views compute a property that a statement may ask for: a permutation of the input, a
palindrome, a path along given edges. The caller chooses the views.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

LONGEST = 4  # a longer answer, relative to the expected output, is refused without parsing
NUMBER, LIST = 2, 4


def judge(
    expected: str,
    actual: str,
    stdin: str,
    views: tuple[str, ...],
    order: tuple[int, ...] = (),
    absolute: float = 0.0,
    relative: float = 0.0,
    *,
    case: bool = False,
    calls: bool = False,
    words: bool = False,
) -> bool:
    """Whether an answer is as good as the expected one in all views.

    Without views they must be equal, apart from differences that the other arguments allow.

    Args:
        expected: A right output.
        actual: An output of any program.
        stdin: The input; only views read it.
        views: Names of views.
        order: The depths of lists whose items may have any order, 0 for the outermost.
        absolute: The absolute tolerance of numbers with a point or an exponent.
        relative: Their relative tolerance, as a share of the larger number.
        case: Ignore the case of letters.
        calls: The outputs are results of calls, which are compared one by one.
        words: The outputs are lines of words, not JSON.
    """
    if len(actual) > LONGEST * len(expected) + 1000:
        return False
    if case:
        expected, actual = expected.lower(), actual.lower()
    try:
        fractions = absolute > 0 or relative > 0
        left, right = read(expected, words, fractions), read(actual, words, fractions)
        if words:
            # All items are on one line, perhaps after a line with their number.
            if 0 in order and sum(len(line) > 1 for line in left) <= 1:
                order = (*order, 1)
            left, right = [left], [right]
        elif calls and len(left) == len(right) == 1 and isinstance(left[0], list):
            left, right = left[0], right[0] if isinstance(right[0], list) else right
        if len(left) != len(right):
            return False
        pairs = list(zip(left, right, strict=True))
        if not views:
            forms = [(ordered(a, order), ordered(b, order)) for a, b in pairs]
            return all(same(a, b, absolute, relative) for a, b in forms)
        inputs = read(stdin, words)
        return all(
            alike(a, b) and all(show(view, a, inputs) == show(view, b, inputs) for view in views)
            for a, b in pairs
        )
    except (ArithmeticError, RecursionError, TypeError, ValueError):
        return expected.split() == actual.split()


def read(text: str, words: bool, fractions: bool = False) -> list[Any]:
    """Return the values of a text line by line: JSON, or lists of words and numbers."""
    lines = text.strip().split("\n")
    if words:
        return [[_number(word, fractions) for word in line.split()] for line in lines]
    return [json.loads(line) for line in lines]


def show(view: str, value: Any, inputs: list[Any]) -> Any:
    """Return a view of an answer; None if the view does not apply to the answer."""
    try:
        return VIEWS[view](value, inputs)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None


def ordered(value: Any, order: tuple[int, ...], depth: int = 0) -> tuple[int, Any]:
    """Return a rank of the type, and the value: all values have an order, and true is not 1.

    Lists whose depth is in `order` are sorted. With depth 0, so are the letters of an answer that
    is a text.
    """
    if isinstance(value, list):
        items = [ordered(item, order, depth + 1) for item in value]
        return LIST, sorted(items) if depth in order else items
    if isinstance(value, dict):
        return 5, sorted((key, ordered(item, order, depth + 1)) for key, item in value.items())
    if isinstance(value, str):
        return 3, "".join(sorted(value)) if depth == 0 and 0 in order else value
    if value is None:
        return 0, 0
    return (1 if isinstance(value, bool) else NUMBER), value


def same(left: Any, right: Any, absolute: float, relative: float) -> bool:
    """Whether two ordered values are equal; two integers have no tolerance."""
    if left[0] == right[0] == LIST:
        return len(left[1]) == len(right[1]) and all(
            same(a, b, absolute, relative) for a, b in zip(left[1], right[1], strict=True)
        )
    if left[0] == right[0] == NUMBER and float in (type(left[1]), type(right[1])):
        close = math.isclose(left[1], right[1], rel_tol=relative, abs_tol=absolute)
        return left[1] == right[1] or (close and math.isfinite(right[1]))
    return bool(left == right)


def alike(expected: Any, actual: Any) -> bool:
    """Whether two values have the same type down to the items of lists; null is a missing node."""
    if type(expected) is not type(actual):
        return False
    if not isinstance(expected, list) or not expected:
        return True
    kinds = {type(item) for item in expected}
    inner = next((item for item in expected if isinstance(item, list) and item), [])
    return all(
        item is None or (type(item) in kinds and (not isinstance(item, list) or alike(inner, item)))
        for item in actual
    )


def _number(word: str, fractions: bool) -> Any:
    if re.fullmatch("-?[0-9]{1,300}", word):
        return int(word)
    number = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
    return float(word) if fractions and re.fullmatch(number, word) else word


def _numbers(value: Any) -> Iterator[int]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _numbers(item)
        elif type(item) is int:
            yield item
        else:
            raise TypeError


def _lists(inputs: list[Any], kind: type) -> list[list[Any]]:
    """Return the lists of an input whose items have a type."""
    return [
        line
        for line in inputs
        if isinstance(line, list) and {type(item) for item in line} == {kind}
    ]


def _nodes(levels: list[Any]) -> list[list[Any]]:
    """Return the nodes of a tree that is listed level by level: a value, and two nodes or null."""
    values = iter(levels)
    root = next(values, None)
    nodes: list[list[Any]] = [] if root is None else [[root, None, None]]
    for node in nodes:
        for side in (1, 2):
            value = next(values, None)
            if value is not None:
                node[side] = [value, None, None]
                nodes.append(node[side])
    return nodes


def items(value: Any, inputs: list[Any]) -> Any:
    """Return the number of occurrences of each item, or letter."""
    return Counter(map(repr, value))


def length(value: Any, inputs: list[Any]) -> Any:
    """Return the number of items, without null, which stands for a missing node."""
    return sum(item is not None for item in value)


def group_sizes(value: Any, inputs: list[Any]) -> Any:
    """Return the sizes of the groups of each item."""
    return Counter((repr(item), len(group)) for group in value for item in group)


def total(value: Any, inputs: list[Any]) -> Any:
    """Return the sum of all numbers."""
    return sum(_numbers(value))


def different(value: Any, inputs: list[Any]) -> Any:
    """Return whether no two items are equal."""
    return len(set(map(repr, value))) == len(value)


def parities(value: Any, inputs: list[Any]) -> Any:
    """Return the parity of each number."""
    return [number % 2 for number in _numbers(value)]


def threes(value: Any, inputs: list[Any]) -> Any:
    """Return whether three items in a row are equal."""
    return any(a == b == c for a, b, c in zip(value, value[1:], value[2:], strict=False))


def palindrome(value: Any, inputs: list[Any]) -> Any:
    """Return whether the answer is a palindrome."""
    return value == value[::-1]


def inside(value: Any, inputs: list[Any]) -> Any:
    """Return which texts of the input contain the answer."""
    return [value in text for text in inputs if isinstance(text, str)]


def holds(value: Any, inputs: list[Any]) -> Any:
    """Return which texts of the input are subsequences of the answer, and which lists are in it."""

    def subsequence(text: str) -> bool:
        rest = iter(value)
        return all(letter in rest for letter in text)

    subsequences = [subsequence(text) for text in inputs if isinstance(text, str)]
    return subsequences, [all(word in value for word in texts) for texts in _lists(inputs, str)]


def summit(value: Any, inputs: list[Any]) -> Any:
    """Return whether the answer is the index of a peak of the input; else the index."""
    (index,) = _numbers(value)
    results = []
    for heights in _lists(inputs, int):
        neighbours = heights[max(0, index - 1) : index] + heights[index + 1 : index + 2]
        highest = 0 <= index < len(heights) and heights[index] > max(neighbours, default=-math.inf)
        results.append(highest or index)
    return results


def member(value: Any, inputs: list[Any]) -> Any:
    """Return whether the answer is the least or greatest item of the input; else the answer."""
    (number,) = _numbers(value)
    return [
        (number == min(numbers), number == max(numbers)) if number in numbers else number
        for numbers in _lists(inputs, int)
    ]


def along_edges(value: Any, inputs: list[Any]) -> Any:
    """Return whether all neighbours in the answer are pairs of the input."""
    graphs = [pairs for pairs in _lists(inputs, list) if all(len(pair) == 2 for pair in pairs)]
    edge_sets = [{tuple(sorted(pair)) for pair in pairs} for pairs in graphs]
    steps = [tuple(sorted(step)) for step in itertools.pairwise(value)]
    return [all(step in edges for step in steps) for edges in edge_sets]


def margins(value: Any, inputs: list[Any]) -> Any:
    """Return the sums of the rows and of the columns of a table."""
    return list(map(sum, value)), [sum(column) for column in zip(*value, strict=True)]


def tree_values(value: Any, inputs: list[Any]) -> Any:
    """Return the values of a binary tree from left to right."""
    nodes = _nodes(value)
    values: list[Any] = []
    stack: list[list[Any]] = []
    node = nodes[0] if nodes else None
    while stack or node:
        while node:
            stack.append(node)
            node = node[1]
        node = stack.pop()
        values.append(node[0])
        node = node[2]
    return values


def height_balanced(value: Any, inputs: list[Any]) -> Any:
    """Return whether the subtrees of every node of a binary tree differ in height by at most 1."""
    heights: dict[int, int] = {}
    for node in reversed(_nodes(value)):
        left, right = (heights[id(child)] if child else 0 for child in node[1:])
        if abs(left - right) > 1:
            return False
        heights[id(node)] = 1 + max(left, right)
    return True


VIEWS: dict[str, Callable[[Any, list[Any]], Any]] = {
    view.__name__: view
    for view in (
        items,
        length,
        group_sizes,
        total,
        different,
        parities,
        threes,
        palindrome,
        inside,
        holds,
        summit,
        member,
        along_edges,
        margins,
        tree_values,
        height_balanced,
    )
}
