"""Bounds outside the description: tables of test groups, the story, numbered objects."""

from __future__ import annotations

import pytest

from tests.builders.inputs.test_derive import generator, problem
from venus_toolkit.builders.inputs.derive import derive
from venus_toolkit.builders.inputs.promises.outside import story_bounds, table_of_groups, widest
from venus_toolkit.builders.inputs.spec.checking.validate import validate
from venus_toolkit.builders.inputs.spec.drawing.plan import Plan
from venus_toolkit.builders.inputs.spec.names import Names, ValuePlace

NAMES = Names(
    {
        "N": ValuePlace(0, "int"),
        "P": ValuePlace(0, "int"),
        "C": ValuePlace(1, "int", counts=("N",)),
        "S": ValuePlace(0, "text"),
    },
    "lines",
)
GROUPS = "1  8  {}\n2  22  {}\n3  70  {}\n"


@pytest.mark.parametrize(
    ("rows", "bounds"),
    [
        (("1 <= N <= 10", "1 <= N <= 1000", "1 <= N <= 100"), ["1 <= N <= 1000"]),
        (
            ("P = 2 <= N <= 9", "1 <= P <= N <= 9", "P <= N, N < 20"),
            ["N <= 19", "P <= 19", "P <= N"],
        ),
        (("0 <= C[i] <= 1", "C[i] = 5", "-3 <= C[i] <= 4, C[0] = 9"), ["-3 <= C[i] <= 5"]),
        (("|S| <= 5", "|S| <= 10 and the string is sorted", "1 <= |S| <= 7"), ["len(S) <= 10"]),
        (("N <= 10", "N <= 100", ""), []),
        (("N <= 10", "N <= 100", "N <= 50 or P = 1"), []),
        (("Z <= 10", "Z <= 100", "Z <= 50"), []),
        (("at most 10 birds", "N <= 10 (if P = 1)", "100"), []),
    ],
)
def test_widest_bound_of_all_groups_holds(rows: tuple[str, str, str], bounds: list[str]) -> None:
    assert sorted(widest(table_of_groups(GROUPS.format(*rows)), NAMES)) == sorted(bounds)


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3\n2 98 4\n4 5 6\n",  # 100 points, but more rows: a sample is not a table
        "1 50 N <= 5\n3 50 N <= 6\n",
        "1 50 N <= 5\n2 60 N <= 6\n",
        "1 100 N <= 5\n",
        "",
    ],
)
def test_other_numbers_are_not_a_group_table(text: str) -> None:
    assert not widest(table_of_groups(text), NAMES)


def test_group_table_among_other_lines() -> None:
    rows = ["Group 0  0  the samples", "Group 1  40p  N <= 5", "Group 2  60 points  N <= 9"]
    assert table_of_groups("4 5 6\n" + "\n".join(rows) + "\nMore.\n") == rows


def test_story_bounds_values_that_the_description_leaves_open() -> None:
    story = (
        "You have N birds and P cages (1 <= N, P <= 100). A bird (0 <= i < N) weighs C_i.\n\n"
        "0 <= C_i <= P\n\n"
        "In the example N = 5, and Q < 3."
    )
    assert list(story_bounds(story, NAMES, [])) == ["1 <= N, P <= 100", "0 <= C_i <= P"]
    assert list(story_bounds(story, NAMES, ["1 <= N <= 5", "1 <= P <= 6"])) == ["0 <= C_i <= P"]
    assert not list(story_bounds(story, NAMES, ["1 <= N, P, C_i, |S| <= 5"]))


def test_bound_holds_for_each_block_with_the_name() -> None:
    description = (
        "The first line contains two integers n and m (1 <= n, m <= 9). The next n lines "
        "contain two integers x_i, y_i "
        "(0 <= x_i, y_i < 100). The next m lines contain two integers x_i, y_i (0 <= x_i, "
        "y_i < 100)."
    )
    result = derive(
        problem(f"Input\n\n{description}\n"), ["1 2\n5 6\n7 8\n9 1\n", "2 1\n5 6\n7 8\n9 1\n"]
    )
    assert result.confidence == 1.0, result.reasons
    assert validate(result.spec, "1 1\n5 6\n7 100\n")
    assert not validate(result.spec, "1 1\n5 6\n7 99\n")


def test_bound_of_a_block_holds_for_that_block() -> None:
    description = (
        "The first line contains two integers n and m (1 <= n, m <= 9). The next n lines "
        "contain an integer x_i "
        "(0 <= x_i <= 100). The next m lines contain an integer x_i (0 <= x_i <= 5000)."
    )
    result = derive(problem(f"Input\n\n{description}\n"), ["1 2\n5\n7\n9\n", "2 1\n5\n7\n9\n"])
    assert not validate(result.spec, "1 1\n100\n5000\n")
    assert validate(result.spec, "1 1\n101\n5000\n")
    assert validate(result.spec, "1 1\n100\n5001\n")


def test_numbered_lines_keep_their_bounds() -> None:
    description = (
        "Line 1: Two integers, n (1 <= n <= 50) and k (1 <= k <= 7)\n\n"
        "Lines 2..n+1: Line i+1 contains a single integer c_i (0 <= c_i <= 99)\n"
    )
    result = derive(problem(f"# Input\n\n{description}"), ["2 7\n5\n6\n", "1 3\n4\n"])
    assert ("c", "<=", "99") in Plan(result.spec).relations


@pytest.mark.parametrize("high", ["as many as there are", "in", "q"])
def test_objects_without_a_count_bound_nothing(high: str) -> None:
    description = (
        f"Cows are numbered from 1 to {high}.\n\nInput\n\nThe first line contains n, the next "
        "one n integers c_i.\n"
    )
    assert not any(
        "an object number" in reason
        for reason in derive(problem(description), ["2\n1 2\n"]).reasons
    )


def test_absolute_value_bounds_generated_inputs() -> None:
    description = (
        "Input\n\nThe first line contains n (1 <= n <= 50). The second line contains n "
        "integers x_i (|x_i| <= 10^9).\n"
    )
    result = derive(problem(description), ["2\n2 -9\n"])
    assert ("-10 ** 9", "<=", "x") in Plan(result.spec).relations
    assert ("x", "<=", "10 ** 9") in Plan(result.spec).relations


def test_group_table_bounds_inputs_and_adds_no_doubt() -> None:
    description = (
        "Input\n\nThe first line contains an integer n. The second line contains n integers "
        "c_i.\n\nConstraints\n\n"
        "1  40  1 <= n <= 10, 0 <= c_i <= 1\n2  60  1 <= n <= 30, 0 <= c_i <= 9\n"
    )
    result = derive(problem(description), ["2\n0 1\n", "3\n0 9 1\n"])
    assert result.confidence == 1.0, result.reasons
    assert not validate(result.spec, "30\n" + "9 " * 29 + "9\n")
    assert validate(result.spec, "31\n" + "9 " * 30 + "9\n")
    assert validate(result.spec, "1\n10\n")


def test_list_of_object_numbers() -> None:
    description = (
        "The friends are numbered from 1 to n.\n\nInput\n\nThe first line contains two "
        "integers n and k "
        "(1 <= k <= n <= 50). The second line contains k integers, the friends that come.\n"
    )
    samples = ["5 3\n1 2 4\n", "6 2\n6 1\n"]
    result = derive(problem(description), samples)
    assert result.confidence < 0.9
    assert "values is assumed to be an object number from 1 to n" in result.reasons
    generate = generator(result)
    assert any("5" in generate(seed, "max").splitlines()[1].split() for seed in range(10)), (
        "more than the samples show"
    )
    for text in (generate(seed, size) for seed in range(10) for size in ("tiny", "max")):
        assert all(1 <= int(word) <= int(text.split()[0]) for word in text.splitlines()[1].split())
    other = derive(problem(description), [*samples, "2 1\n3\n"])
    assert not any("an object number" in reason for reason in other.reasons)


def test_count_without_lower_bound_starts_at_one() -> None:
    description = (
        "The first line contains an integer n (n <= 50). The second line contains n integers c_i "
        "(0 <= c_i <= 9).\n"
    )
    result = derive(problem(f"Input\n\n{description}"), ["4\n1 2 3 4\n"])
    assert result.reasons == ("the statement has no lower bound for n: 1 is assumed",)
    generate = generator(result)
    assert any(generate(seed, "tiny").startswith("1\n") for seed in range(20))


def test_products_and_sums_bound_their_terms() -> None:
    description = (
        "The first line contains two integers n and k. The second line contains n integers "
        "c_i.\n\nConstraints\n\n"
        "1 <= n\n\n1 <= k\n\nn * k <= 60\n\n0 <= c_i\n\nsum_{i=1}^n c_i <= 80\n"
    )
    result = derive(problem(f"Input\n\n{description}"), ["2 3\n4 5\n", "1 1\n7\n"])
    assert result.confidence == 1.0, result.reasons
    generate = generator(result)
    inputs = [generate(seed, size) for seed in range(20) for size in ("tiny", "multiscale", "max")]
    assert not [reason for text in inputs if (reason := validate(result.spec, text))]
    assert max(int(text.split()[0]) for text in inputs) > 10, "more than the samples show"


def test_empty_last_line_may_be_missing() -> None:
    description = (
        "The first line contains an integer n (0 <= n <= 9). The second line contains n "
        "integers c_i (1 <= c_i <= 5)."
    )
    result = derive(problem(f"Input\n\n{description}\n"), ["2\n4 5\n", "0\n"])
    assert not validate(result.spec, "0\n\n")
    assert not validate(result.spec, "0\n")
    for wrong in ("1\n", "1\n4\n\n5\n", "", "0\n\n\n7\n"):
        assert validate(result.spec, wrong)


def test_only_one_line_may_be_missing() -> None:
    description = (
        "The first line contains an integer n (0 <= n <= 9). The second line contains n "
        "integers c_i (0 <= c_i <= 9). "
        "The third line contains n integers d_i (0 <= d_i <= 9)."
    )
    result = derive(problem(f"Input\n\n{description}\n"), ["2 \n4 5\n5 6\n", "3\n1 2 3\n4 5 6\n"])
    assert not validate(result.spec, "2\n4 5\n5 6")
    assert validate(result.spec, "0\n"), "more than one missing line would allow an endless loop"


def test_parents_are_not_read_as_edges() -> None:
    description = (
        "You are given a tree.\n\nInput\n\nThe first line contains an integer n (2 <= n <= "
        "9). The second line "
        "contains n-1 integers p_2, p_3, ..., p_n (1 <= p_i < i).\n"
    )
    result = derive(problem(description), ["3\n1 2\n", "2\n1\n"])
    assert result.confidence == 1.0, result.reasons
