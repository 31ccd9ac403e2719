"""Statements and samples add 64-bit integers and floats that starter code cannot express."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from venus_toolkit.signatures import (
    ExampleCall,
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    refined,
    widened,
)

INT = Type(Kind.INT)
INTS = Type(Kind.LIST, INT)
VOID = Type(Kind.VOID)
PLAIN = Signature((Function("f", (Parameter("n", INT), Parameter("nums", INTS)), INT),))


def kinds(signature: Signature) -> list[str]:
    """Return the types of n, nums and the result as text."""
    function = signature.functions[0]
    return [*(str(parameter.type) for parameter in function.parameters), str(function.returns)]


@pytest.mark.parametrize(
    "statement",
    [
        "1 <= n <= 10^18",
        "Constraints:\n\n* `1 <= n <= 10^15`\n* `1 <= nums.length <= 10^5`",
        "<li><code>1 &lt;= n &lt;= 10<sup>10</sup></code></li>\n<li><code>0 &lt;= nums[i] "
        "&lt;= 10</code></li>",
        "1 <= n <= 1e12",
        "1 <= n <= 1015",
        "0 <= n <= 2^32 - 1",
        "0 <= n <= 2 * 10**10",
        "0 \u2264 n \u2264 10,000,000,000",
        "-2^63 <= n <= 2^63 - 1",
        "n is at most 10^12.",
        "The integer n is given as a 64-bit integer.",
    ],
)
def test_constraints_beyond_32_bits_make_the_argument_long(statement: str) -> None:
    assert kinds(widened(PLAIN, statement)) == ["long", "list<int>", "int"]


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "1 <= n <= 10^9",
        "1 <= n <= 2^31 - 1\n-2^31 <= nums[i] <= 2^31 - 1",
        "0 <= n < 2^31",
        "1 <= n <= 2 * 10^9",
        "Assume that the environment does not let you store 64-bit integers n.",
        "Return the answer modulo 10^9 + 7.",
        "The total of all n will not exceed 10^12.",
        "1 <= sum of nums <= 10^15",
        "In the year 1015 there were n people.",
    ],
)
def test_other_statements_change_nothing(statement: str) -> None:
    assert widened(PLAIN, statement) == PLAIN


def test_elements_and_results_become_long() -> None:
    assert kinds(widened(PLAIN, "0 <= nums[i] <= 10^12")) == ["int", "list<long>", "int"]
    assert kinds(widened(PLAIN, "The answer is guaranteed to fit in a 64-bit integer.")) == [
        "int",
        "list<int>",
        "long",
    ]


def test_results_that_do_not_fit_32_bits_become_long() -> None:
    for statement in (
        "The answer may not fit in a 32-bit integer.",
        "The result doesn't fit into 32 bits, use 64-bit.",
    ):
        assert kinds(widened(PLAIN, statement)) == ["int", "list<int>", "long"]


@pytest.mark.parametrize(
    "unit", ["9", "1 <= n <= ", "10^9", "9*", "-", "<", "<sup>", "64-bit not ", "within 10^"]
)
def test_reading_a_statement_is_fast(unit: str) -> None:
    begun = time.process_time()
    widened(PLAIN, unit * (20_000 // len(unit)))
    assert time.process_time() - begun < 10


def test_tolerance_makes_the_result_a_float() -> None:
    for statement in (
        "Answers within 10^-5 of the actual answer will be accepted.",
        "Answers within 10<sup>-5</sup> of",
    ):
        assert kinds(widened(PLAIN, statement)) == ["int", "list<int>", "float"]
    assert kinds(widened(PLAIN, "Answers within 10-5 of the actual answer will be accepted")) == [
        "int",
        "list<int>",
        "float",
    ]


def test_constructors_are_widened_too() -> None:
    design = replace(PLAIN, holder="Bank", constructor=(Parameter("start", INT),), design=True)
    assert widened(design, "0 <= start <= 10^12").constructor == (
        Parameter("start", Type(Kind.LONG)),
    )


def test_graphs_keep_their_labels() -> None:
    graph = Type(Kind.GRAPH, INT, "Node")
    signature = Signature((Function("f", (Parameter("node", graph),), graph),))
    assert widened(signature, "1 <= node <= 10^18, the answer fits in 64 bits") == signature
    assert refined(signature, [ExampleCall([[[2], [1]]], [[2], [1]])]) == signature


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (ExampleCall([1, [2]], 3), ["int", "list<int>", "int"]),
        (ExampleCall([2**31, [2]], 3), ["long", "list<int>", "int"]),
        (ExampleCall([-(2**31), [2]], 2**31 - 1), ["int", "list<int>", "int"]),
        (ExampleCall([1, [1, 2**40]], -(2**33)), ["int", "list<long>", "long"]),
        (ExampleCall([1, [1, 0.5]], 2.0), ["int", "list<float>", "float"]),
        (ExampleCall([True, ["a"]], None), ["int", "list<int>", "int"]),
        (ExampleCall([2**40], 2**40), ["int", "list<int>", "int"]),
    ],
)
def test_samples_show_kinds_of_numbers(sample: ExampleCall, expected: list[str]) -> None:
    assert kinds(refined(PLAIN, [ExampleCall([0, []], 0), sample])) == expected


def test_float_takes_precedence_over_long() -> None:
    for results in ((2**40, 0.5), (0.5, 2**40)):
        assert (
            kinds(refined(PLAIN, [ExampleCall([1, []], result) for result in results]))[2]
            == "float"
        )


def test_samples_of_arguments_changed_in_place() -> None:
    signature = Signature((Function("f", (Parameter("nums", INTS),), VOID, 0),))
    assert kinds(refined(signature, [ExampleCall([[1]], [2**40])])) == ["list<long>", "void"]


def test_samples_of_trees_with_gaps() -> None:
    tree = Type(Kind.TREE, INT, "TreeNode")
    signature = Signature((Function("f", (Parameter("root", tree),), tree),))
    assert kinds(refined(signature, [ExampleCall([[1, None, 2**40]], [])])) == [
        "tree<long>",
        "tree<int>",
    ]


def test_samples_of_a_class_to_design() -> None:
    functions = (Function("add", (Parameter("n", INT),), VOID), Function("median", (), INT))
    design = Signature(functions, "Median", (Parameter("start", INT),), True)
    shown = refined(
        design, [ExampleCall([["Median", "add", "median"], [[2**40], [1], []]], [None, None, 0.5])]
    )
    assert shown.constructor[0].type == Type(Kind.LONG)
    assert shown.functions == (functions[0], replace(functions[1], returns=Type(Kind.FLOAT)))
    assert refined(design, [ExampleCall([1, 2], 3), ExampleCall([["?"], [1]], [0])]) == design
