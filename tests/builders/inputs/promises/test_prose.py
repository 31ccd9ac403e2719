"""Promises within descriptions: validators check them, and generated inputs keep them."""

from __future__ import annotations

import pytest

from tests.builders.inputs.test_derive import generator, problem
from venus_toolkit.builders.inputs.derive import derive
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.spec.checking.validate import validate
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Loop, Many, Scalar
from venus_toolkit.builders.inputs.spec.names import names_of
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Permutation,
    Promise,
    Sorted,
)

PROMISES_IN_WORDS = {
    "a tree": (
        "The first line contains an integer n (1 <= n <= 50). The following n-1 lines each "
        "contain two integers a, b "
        "(1 <= a, b <= n, a != b).\n\nIt is guaranteed that one can drive between every pair "
        "of farms by road.",
        ["3\n1 2\n2 3\n", "4\n1 2\n2 3\n1 4\n"],
        "3\n1 2\n2 1\n",
    ),
    "places": (
        "The first line contains an integer n (1 <= n <= 50). The following n lines each "
        "contain two integers x_i, y_i "
        "(0 <= x_i, y_i <= 9).\n\nNo two cows are at the same position.",
        ["2\n1 2\n2 3\n"],
        "2\n1 2\n1 2\n",
    ),
    "between": (
        "The first line contains an integer n (1 <= n <= 50). The second line contains n "
        "integers, each between 2 "
        "and 60.",
        ["2\n2 9\n"],
        "2\n1 9\n",
    ),
    "between, the larger one": (
        "The first line contains an integer n (1 <= n <= 50). The second line contains n "
        "integers, each at least 2 and "
        "at most 10^3.",
        ["2\n2 9\n"],
        "2\n2 1001\n",
    ),
    "an absolute value": (
        "The first line contains an integer n (1 <= n <= 50). The second line contains n "
        "integers x_1, x_2, ..., x_n "
        "(|x_i| <= 30).",
        ["2\n2 -9\n"],
        "2\n1 -31\n",
    ),
    "odd": (
        "The first line contains a single odd integer 1 <= n <= 50. The second line contains "
        "n integers a_i "
        "(1 <= a_i <= 5).",
        ["1\n2\n", "3\n1 2 3\n"],
        "2\n1 2\n",
    ),
    "unique, without a name": (
        "The first line contains two integers n and k (1 <= k <= n <= 50). The second line "
        "contains k unique integers "
        "between 1 and n. The third line contains n integers a_i (1 <= a_i <= 5).",
        ["3 2\n1 3\n1 1 1\n", "2 1\n2\n1 1\n"],
        "3 2\n3 3\n1 1 1\n",
    ),
    "sorted, by its bounds": (
        "The first line contains an integer n (1 <= n <= 50). The second line contains n integers "
        "1 <= t_1 <= t_2 <= ... <= t_n <= 10^3, the times.",
        ["3\n2 2 9\n"],
        "2\n9 2\n",
    ),
    "undirected edges": (
        "The first line contains an integer n (1 <= n <= 50). The following n-1 lines each "
        "contain two integers a, b "
        "(1 <= a, b <= n, a != b). It is guaranteed that the the undirected edges form a tree.",
        ["3\n1 2\n2 3\n", "4\n1 2\n2 3\n1 4\n"],
        "3\n1 2\n2 1\n",
    ),
    "a fraction": (
        r"The first line contains an integer n (1 <= n <= 50) and an integer k (0 <= k <= \frac{n \cdot (n-1)}{2}).",
        ["3 3\n", "4 5\n"],
        "3 4\n",
    ),
    "a total length": (
        "The first line contains an integer n (1 <= n <= 50). The following n lines each "
        "contain a string s_i "
        "consisting of a and b (1 <= |s_i|).\n\nThe total length of all strings is at most 60.",
        ["2\nab\nb\n", "1\naaaa\n"],
        f"1\n{61 * 'a'}\n",
    ),
    "a total of rows": (
        "The first line contains an integer n (1 <= n <= 50). Each of the following n lines "
        "contains an integer k_i "
        "(1 <= k_i <= 50), followed by k_i integers a_1, a_2, ..., a_{k_i} (1 <= a_j <= 9).\n\n"
        "The sum of all k_i is at most 60.",
        ["2\n2 1 2\n1 3\n", "1\n3 1 2 3\n"],
        f"2\n31{31 * ' 1'}\n30{30 * ' 1'}\n",
    ),
    "increasing, with ends": (
        "The first line contains an integer n (2 <= n <= 50). The second line contains n "
        "integers a_1, a_2, ..., a_n."
        "\n\nIt is guaranteed that 0 = a_1 < a_2 < ... < a_{n-1} < a_n = 99.",
        ["2\n0 99\n", "3\n0 5 99\n"],
        "3\n0 98 98\n",
    ),
    "length": (
        "The first line contains a string of length L (1 <= L <= 6), consisting of a and b. "
        "The second line contains "
        "an integer k (1 <= k <= 3).",
        ["ab\n2\n", "b\n2\n"],
        "abababa\n2\n",
    ),
}


@pytest.mark.parametrize(
    ("sentence", "samples", "wrong"), PROMISES_IN_WORDS.values(), ids=PROMISES_IN_WORDS
)
def test_promises_in_words_are_kept(sentence: str, samples: list[str], wrong: str) -> None:
    result = derive(problem(f"Input\n\n{sentence}\n"), samples)
    assert validate(result.spec, wrong)
    generate = generator(result)
    inputs = [generate(seed, size) for seed in range(20) for size in ("tiny", "multiscale", "max")]
    assert not [reason for text in inputs if (reason := validate(result.spec, text))]


@pytest.mark.parametrize(
    "sentence",
    [
        "A road between every pair of farms costs money.",
        "A path between any two farms may be blocked.",
        "You drive between all farms on foot.",
        "No two cows are of the same kind.",
    ],
)
def test_similar_words_are_not_a_promise(sentence: str) -> None:
    description = (
        "The first line contains integers n and m (1 <= n, m <= 9). The following m lines "
        "each contain two integers "
        f"a and b (1 <= a, b <= n).\n\n{sentence}"
    )
    result = derive(
        problem(f"Input\n\n{description}\n"), ["3 2\n1 2\n2 3\n", "4 3\n1 2\n1 3\n3 4\n"]
    )
    assert not validate(result.spec, "4 2\n1 2\n1 2\n"), (
        "it is neither connected nor are its rows different"
    )


LISTS = Layout("lines", (
    Line((Scalar("n"), Scalar("s", "text"))),
    Line((Many("c", "n", Scalar("c")),)),
    Line((Many("b", "n", Scalar("b")),)),
    Loop("n", (Line((Scalar("u"), Scalar("v"), Scalar("w"))),)),
))  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "promises"),
    [
        ("The second line contains n distinct integers c_1 ... c_n.", [Distinct(("c[i]",))]),
        ("Then follow n distinct integers c_1, c_2, ..., c_n.", [Distinct(("c[i]",))]),
        ("distinct integers c_1 c_2 ... c_n", [Distinct(("c[i]",))]),
        ("Given is an array b sorted in descending order.", [Sorted("b", True)]),
        ("A permutation c_1, c_2, ..., c_n of 1, 2, ..., n", [Permutation("c", "1", "n")]),
        ("A word s of length n.", [Compare("len(s)", "==", "n")]),
        ("Each holds three integers u v w: a road from u to v of length w.", []),
    ],
)
def test_series_is_one_list(sentence: str, promises: list[Promise]) -> None:
    """A phrase that ended within a series would constrain only its first values."""
    assert read_prose(sentence, names_of(LISTS)).promises == promises
