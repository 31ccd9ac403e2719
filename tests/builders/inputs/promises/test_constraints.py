"""Constraint sentences: their promises, sentences without one, and the time to read them."""

from __future__ import annotations

import string
import time

import pytest

from venus_toolkit.builders.inputs.promises.constraints import read, restore_powers, sentences
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.spec.expressions import Range, interval, parse
from venus_toolkit.builders.inputs.spec.names import Names, ValuePlace
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Sorted,
    TotalBound,
)

INT, TEXT = ValuePlace(0, "int"), ValuePlace(0, "text")
ROW, WORDS = ValuePlace(1, "int", counts=("n",)), ValuePlace(1, "text", counts=("n",))
GRID = ValuePlace(2, "int", counts=("h", "w"))
LINES = Names(
    {"n": INT, "m": INT, "k": INT, "x": INT, "y": INT, "h": INT, "w": INT, "H": INT, "W": INT, "s": TEXT, "t": TEXT,
     "a": ROW, "b": ROW, "u": ROW, "v": ROW, "name": WORDS, "g": GRID},
    "lines",
)  # fmt: skip
JSON = Names(
    {
        "n": INT,
        "nums": ROW,
        "s": TEXT,
        "words": WORDS,
        "grid": GRID,
        "edges": ValuePlace(2, "int", counts=("len_edges", "")),
    },
    "json",
    {"ui": "edges[i][0]", "vi": "edges[i][1]"},
)


def compared(promises: list[Promise] | None) -> list[str]:
    assert promises is not None
    assert all(isinstance(one, Compare) for one in promises), promises
    return [f"{p.left} {p.operator} {p.right}" for p in promises if isinstance(p, Compare)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("1 <= n <= 10^5", ["1 <= n", "n <= 10 ** 5"]),
        ("-5 <= x <= 5", ["-5 <= x", "x <= 5"]),
        ("k+1 <= a_i, b_i <= n", ["k + 1 <= a[i]", "k + 1 <= b[i]", "a[i] <= n", "b[i] <= n"]),
        ("m <= n, k <= x", ["m <= n", "k <= x"]),
        ("a_i <= n, k <= m", ["a[i] <= n", "k <= m"]),
        ("The total length of all names is at most 9.", ["sum(len(name[i])) <= 9"]),
        ("1 <= n <= 2 * 10^{5}", ["1 <= n", "n <= 2 * 10 ** 5"]),
        ("1 <= n <= 1e5", ["1 <= n", "n <= 100000"]),
        ("-10^9 <= a_i <= 10^9", ["-10 ** 9 <= a[i]", "a[i] <= 10 ** 9"]),
        ("1 <= a_i, b_i <= n", ["1 <= a[i]", "1 <= b[i]", "a[i] <= n", "b[i] <= n"]),
        (
            "1 <= n, m <= 100, 1 <= k <= n",
            ["1 <= n", "1 <= m", "n <= 100", "m <= 100", "1 <= k", "k <= n"],
        ),
        ("2 <= n and 1 <= m <= n(n-1)/2", ["2 <= n", "1 <= m", "m <= (n * (n - 1)) // 2"]),
        ("10^6 >= n >= 3", ["10 ** 6 >= n", "n >= 3"]),
        ("|s| <= 1000", ["len(s) <= 1000"]),
        ("|x| <= 1000", ["abs(x) <= 1000"]),
        ("1 <= length of s <= 8", ["1 <= len(s)", "len(s) <= 8"]),
        ("HW <= 10^6", ["H * W <= 10 ** 6"]),
        ("0 <= k <= n/2", ["0 <= k", "k <= n // 2"]),
        ("n - 1 <= m <= min(2n, 20)", ["n - 1 <= m", "m <= min(2 * n, 20)"]),
        ("0 <= b_i <= n - i", ["0 <= b[i]", "b[i] <= n - i"]),
        ("x != y", ["x != y"]),
        ("a_i != b_i (1 <= i <= n)", ["a[i] != b[i]"]),
        ("1 <= g_{i,j} <= 9 for all 1 <= i <= h and 1 <= j <= w", ["1 <= g[i][j]", "g[i][j] <= 9"]),
        ("n is between 1 and 9, inclusive", ["n >= 1", "n <= 9"]),
        ("n is at least 2 and at most m", ["n >= 2", "n <= m"]),
        ("n is even", ["n % 2 == 0"]),
        ("n is a multiple of 4", ["n % 4 == 0"]),
        ("n + m is even", ["(n + m) % 2 == 0"]),
        ("n - m is an odd number", ["(n - m) % 2 == 1"]),
        ("(n + m) + k is a multiple of 3", ["((n + m) + k) % 3 == 0"]),
        ("n + k is divisible by m - k", ["(n + k) % (m - k) == 0"]),
        ("n is an odd number between 3 and 99 (inclusive)", ["n % 2 == 1", "n >= 3", "n <= 99"]),
        ("The length of s is between 1 and 100 (inclusive)", ["len(s) >= 1", "len(s) <= 100"]),
        ("the sum of all a_i does not exceed n", ["sum(a) <= n"]),
        ("n and m are integers", []),
        ("all values in the input are integers", []),
        ("the values are not necessarily distinct", []),
    ],
)
def test_comparisons(sentence: str, expected: list[str]) -> None:
    assert compared(read(sentence, LINES)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("1 <= nums.length <= 9", ["1 <= len(nums)", "len(nums) <= 9"]),
        ("n == grid[i].length", ["n == len(grid[i])"]),
        ("0 <= grid[i][j] <= 1", ["0 <= grid[i][j]", "grid[i][j] <= 1"]),
        ("0 <= ui < vi < n", ["0 <= edges[i][0]", "edges[i][0] < edges[i][1]", "edges[i][1] < n"]),
        ("1 <= number of rows <= 6", ["1 <= len(grid)", "len(grid) <= 6"]),
    ],
)
def test_comparisons_in_function_style(sentence: str, expected: list[str]) -> None:
    names = (
        Names({"grid": GRID}, "json")
        if "rows" in sentence
        else Names({**JSON.places}, "json", JSON.aliases)
    )
    promises = compared(read(sentence, names))
    assert promises == expected


LOWER = string.ascii_lowercase


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("s consists of lowercase English letters.", [Letters("s", LOWER)]),
        ("s and t consist of 0 and 1.", [Letters("s", "01"), Letters("t", "01")]),
        ("s consists of # and ..", [Letters("s", "#.")]),
        ("s is a string of length n consisting of a, b, and ?.",
         [Compare("len(s)", "==", "n"), Letters("s", "ab?")]),
        ("Each name_i is a string of length between 1 and 9, inclusive, consisting of digits.",
         [Compare("len(name[i])", ">=", "1"), Compare("len(name[i])", "<=", "9"), Letters("name[i]", string.digits)]),
        ("a name consists of 1 to 12 lowercase English letters",
         [Compare("len(name)", ">=", "1"), Compare("len(name)", "<=", "12"), Letters("name", LOWER)]),
        ("s is one of N, NE, SW.", [OneOf("s", ("N", "NE", "SW"))]),
        ("a_i is either 0 or 1", [OneOf("a[i]", (0, 1))]),
        ("a_i = 0 or a_i = 1", [OneOf("a[i]", (0, 1))]),
        ("all a_i are distinct", [Distinct(("a[i]",))]),
        ("a_i != a_j (i != j)", [Distinct(("a[i]",))]),
        ("a_1, a_2, ..., a_n are all different", [Distinct(("a[i]",))]),
        ("(u_i, v_i) != (u_j, v_j) if i != j", [Distinct(("u[i]", "v[i]"))]),
        ("the pairs (u_i, v_i) are distinct", [Distinct(("u[i]", "v[i]"))]),
        ("x, y, and k are pairwise distinct", [Is("x", "all different", ("y", "k"))]),
        ("a_1 < a_2 < ... < a_n", [Sorted("a", strict=True)]),
        ("a is sorted in non-increasing order", [Sorted("a", descending=True)]),
        ("(a_1, a_2, ..., a_n) is a permutation of (1, 2, ..., n)", [Permutation("a", "1", "n")]),
        ("n is prime", [Is("n", "prime")]),
        ("all strings have the same length", [Is("name", "of one length")]),
        ("a_1, a_2, ..., a_n, b_1, ..., b_m are distinct",
         [Is("a", "distinct together", ("b",)), Distinct(("a[i]",)), Distinct(("b[i]",))]),
        ("x, a_1, a_2, ..., a_n are distinct", [Is("x", "distinct together", ("a",)), Distinct(("a[i]",))]),
        ("a_i and b_i are distinct", None),
        ("a_1, a_2, ..., a_n, g_1, ..., g_m are distinct", None),
        ("name_1, name_2, ..., name_n have the same length", [Is("name", "of one length")]),
        ("the given graph is simple and connected", [Graph(("simple", "connected"))]),
        ("the given graph is a tree", [Graph(("tree",))]),
        ("there are no self-loops or multiple edges", [Graph(("loopless", "no multi-edges"))]),
        ("the sum of n over all test cases does not exceed 2 * 10^5", [TotalBound("n", "2 * 10 ** 5")]),
        ("For each input file, the sum of n over the test cases is at most 9.", [TotalBound("n", "9")]),
        ("It is guaranteed that n is a power of two.", [Is("n", "power", ("2",))]),
        ("s contains at least one 1.", [Is("s", "letters", ("1", ">= 1"))]),
        ("s contains at least one ..", [Is("s", "letters", (".", ">= 1"))]),
        ("s and t have two or more #s in total.", [Is("s", "letters in total", ("t", "#", ">= 2"))]),
        ("s has exactly 10 digits.", [Compare("len(s)", "==", "10")]),
        ("s consists of two kinds of characters, 0 and 1.", [Letters("s", "01")]),
        ("s is a length n string of 0 and 1.", [Compare("len(s)", "==", "n"), Letters("s", "01")]),
        ("The lengths of s and t are equal and at most 9.",
         [Compare("len(s)", "==", "len(t)"), Compare("len(s)", "<=", "9"), Compare("len(t)", "<=", "9")]),
        ("The length of t is at most that of s.", [Compare("len(t)", "<=", "len(s)")]),
        ("a_i in { 0, 1}", [OneOf("a[i]", (0, 1))]),
        ("i!= jimplies a_i!= a_j", [Distinct(("a[i]",))]),
        ("For each query of the first kind, 1 <= x <= n.", [Compare("1", "<=", "x"), Compare("x", "<=", "n")]),
        ("g_{i,j} = g_{j,i} (i != j)", [Compare("g[i][j]", "==", "g[j][i]", ("i != j",))]),
    ],
)  # fmt: skip
def test_promises(sentence: str, expected: list[Promise]) -> None:
    assert read(sentence, LINES) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "the answer is less than 10^9", "n <=", "<= 5", "1 <= q <= 5", "there is at least one solution",
        "s consists of letters that Ann likes", "if x = 1, then 1 <= y <= 5", "n is 5 nodes",
        "1 <= n <= 5 and n is nice", "each of 1, 2, ..., n appears at most once in a",
        "there are no leading or trailing spaces", "there is at least one i such that a_i = 0 and b_i < 5",
    ],
)  # fmt: skip
def test_sentence_is_not_read_in_part(sentence: str) -> None:
    assert read(sentence, LINES) is None


def test_promises_within_a_description() -> None:
    promises, more = read_prose(
        "The first line contains n distinct integers a_i (1 <= a_i <= n).", LINES
    )
    assert promises == [Compare("1", "<=", "a[i]"), Compare("a[i]", "<=", "n"), Distinct(("a[i]",))]
    assert not more
    assert read_prose("The second line contains a string s of length n.", LINES).promises == [
        Compare("len(s)", "==", "n")
    ]
    assert read_prose("It is guaranteed that Ann can win.", LINES) == ([], True)
    assert read_prose("Print the distinct values.", LINES) == ([], False)


def test_sentences_of_a_section() -> None:
    text = "1 <= n <= 5\n\ns is a string. It consists of a and .\nk is even"
    assert sentences(text) == [
        "1 <= n <= 5",
        "s is a string",
        "It consists of a and .",
        "k is even",
    ]


@pytest.mark.parametrize(
    "text",
    ["-" * 400, "(" * 400, "f(" * 400, "n, " * 20_000, "n <= " * 10_000, "a_" * 25_000, "1, 2, " * 5_000,
     "'a', " * 9_000,     "for all " * 5_000, "a_{1}, " * 5_000, "is a " * 5_000, "[" * 3_000, "the sum of " * 2_000],
)  # fmt: skip
def test_hostile_sentences_are_read_in_time(text: str) -> None:
    began = time.process_time()
    for cut in (text, text[:590]):
        read(cut, LINES)
        read_prose(cut, LINES)
        sentences(cut)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1 <= n <= 105", "1 <= n <= 10^5"), ("-109 <= x", "-10^9 <= x"), ("2 * 105", "2 * 10^5"), ("100", "100"),
     ("1000", "1000"), ("205", "205"), ("10^5", "10^5"), ("101", "101"), ("a105", "a105")],
)  # fmt: skip
def test_lost_powers(text: str, expected: str) -> None:
    assert restore_powers(text) == expected


def test_interval_of_an_unknown_name() -> None:
    def look(name: str) -> Range:
        return {"n": Range(1, 5), "m": Range(2, 2)}[name]

    assert interval("n * m - 1", look) == Range(1, 9)
    assert interval("-n", look) == Range(-5, -1)
    assert interval("min(n, 3)", look) == Range(1, 3)
    assert interval("n % 3", look) == Range(0, 2)
    assert interval("2 ** 100000", look).high == float("inf")


@pytest.mark.parametrize(
    "text", ["__import__('os')", "n.x", "[1]", "n if m else 1", "lambda: 1", "'a'[0]"]
)
def test_expression_is_only_arithmetic(text: str) -> None:
    with pytest.raises(ValueError, match=" in "):
        parse(text)
