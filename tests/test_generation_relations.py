"""Comparisons and powers in statements: many spellings, and what must not be recognised."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.generation.expressions import Range, interval, names_in, parse
from venus_toolkit.builders.generation.layout import looking
from venus_toolkit.builders.generation.relations import find_relations, orders, restore_powers
from venus_toolkit.builders.statements import parse_statement


def found(text: str, style: str = "lines") -> set[str]:
    """The comparisons in a text, numbers worked out."""

    def short(side: str) -> str:
        return side if names_in(side) else str(int(interval(side, looking({})).low))

    return {
        f"{short(r.left)} {r.operator} {short(r.right)}" for r in find_relations(parse_statement(text).story, style)
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 <= n <= 10^5", {"1 <= n", "n <= 100000"}),
        ("`1 <= n <= 1000`", {"1 <= n", "n <= 1000"}),
        ("- `1 <= n <= 9`", {"1 <= n", "n <= 9"}),
        ("- -5 <= x <= 5", {"-5 <= x", "x <= 5"}),
        ("1 ≤ T ≤ 100", {"1 <= T", "T <= 100"}),
        (r"$1 \le n \le 2 \cdot 10^5$", {"1 <= n", "n <= 200000"}),
        (r"$1 \leq n \leq 2 \times 10^{5}$", {"1 <= n", "n <= 200000"}),
        ("1 ≤ q ≤ 5⋅10^{5}", {"1 <= q", "q <= 500000"}),
        ("1 <= n <= 1e5", {"1 <= n", "n <= 100000"}),
        ("1 ≤ t ≤ 10 500", {"1 <= t", "t <= 10500"}),
        ("1 <= k <= 1,000,000", {"1 <= k", "k <= 1000000"}),
        ("-10<sup>9</sup> &lt;= nums[i] &lt;= 10<sup>9</sup>", {"-1000000000 <= nums", "nums <= 1000000000"}),
        ("-10^9 <= a[i] <= 10^9", {"-1000000000 <= a", "a <= 1000000000"}),
        ("(1 ≤ a_i, b_i ≤ n)", {"1 <= a", "1 <= b", "a <= n", "b <= n"}),
        ("integers n and m (1 ≤ n, m ≤ 5)", {"1 <= n", "1 <= m", "n <= 5", "m <= 5"}),
        ("1 ≤ n, m ≤ 100, 1 ≤ r ≤ n", {"1 <= n", "1 <= m", "n <= 100", "m <= 100", "1 <= r", "r <= n"}),
        ("1 <= k <= n <= 9", {"1 <= k", "k <= n", "n <= 9"}),
        ("10^6 ≥ n ≥ 3", {"n <= 1000000", "3 <= n"}),
        ("n > 2", {"2 < n"}),
        ("|s| <= 1000", {"len_s <= 1000"}),
        ("1 <= length of s <= 8", {"1 <= len_s", "len_s <= 8"}),
        ("n ⋅ m ≤ 10^6", {"n * m <= 1000000"}),
        ("0 ≤ k ≤ ⌊ n/2 ⌋", {"0 <= k", "k <= n // 2"}),
        ("1 ≤ n ≤ min(2^k - 1, 20)", {"1 <= n", "n <= min ( 2 ** k - 1 , 20 )"}),
        ("0 <= b_i <= n - i", {"0 <= b", "b <= n - i"}),
        ("x ≠ y", {"x != y"}),
    ],
)
def test_comparisons_in_lines(text: str, wanted: set[str]) -> None:
    assert found(text) == wanted


def test_an_expression_that_breaks_off_ends_before_that() -> None:
    assert found("1 <= n + (m <= 5") == {"1 <= n", "m <= 5"}


@pytest.mark.serial
@pytest.mark.parametrize("text", ["-" * 400, "(" * 400, "f(" * 400, "n, " * 20_000, "n <= " * 10_000, "a_" * 25_000])
def test_what_is_no_comparison_is_read_at_once(text: str) -> None:
    """300 dashes, as rules in Markdown have, took seconds, and 3 000 would have taken hours."""
    began = time.process_time()
    find_relations(text + "x")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 <= nums.length <= 9", {"1 <= len_nums", "len_nums <= 9"}),
        ("1 <= n == nums.length <= 9", {"1 <= n", "n == len_nums", "len_nums <= 9"}),
        ("n == grid[i].length", {"n == len_grid_at"}),
        ("0 <= grid[i][j] <= 1", {"0 <= grid_at_at", "grid_at_at <= 1"}),
        ("0 <= q[i][0] < q[i][1] < n", {"0 <= q_at_0", "q_at_0 < q_at_1", "q_at_1 < n"}),
        ("queries[i].length == 2", {"len_queries_at == 2"}),
    ],
)
def test_comparisons_in_function_style(text: str, wanted: set[str]) -> None:
    assert found(text, "json") == wanted


@pytest.mark.parametrize(
    "text",
    [
        "", "If t = 1, then the next two integers are x and y.", "the array a = [1, 2, 3]", "return n - 1", "x -> y",
        "the first line contains n", "a tick of size d with its center", "1 2 3 4", "<= 5", "n <=", "for i = 1 to n",
        "the answer modulo 10^9 + 7", "1 <= ", "<b>bold</b> text", "a <br> b",
    ],
)  # fmt: skip
def test_what_is_no_comparison(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0 = a_1 < a_2 < ... < a_n ≤ 9", [("a", "ascending", True)]),
        ("a_i ≤ a_{i+1}", [("a", "ascending", False)]),
        ("b_i > b_{i + 1}", [("b", "descending", True)]),
        ("a_1 + a_2 + ... + a_n ≤ 9", []),
        ("a_i < b_i", []),
    ],
)
def test_orders(text: str, wanted: list[tuple[str, str, bool]]) -> None:
    assert list(orders(parse_statement(text).story)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("1 <= n <= 105", "1 <= n <= 10^5"), ("-109 <= x", "-10^9 <= x"), ("2 * 105", "2 * 10^5"), ("100", "100"),
     ("1000", "1000"), ("205", "205"), ("10^5", "10^5"), ("101", "101"), ("a105", "a105")],
)  # fmt: skip
def test_lost_powers(text: str, wanted: str) -> None:
    assert restore_powers(text) == wanted


def test_an_interval_of_what_is_not_known() -> None:
    def look(name: str) -> Range:
        return {"n": Range(1, 5), "m": Range(2, 2)}[name]

    assert interval("n * m - 1", look) == Range(1, 9)
    assert interval("-n", look) == Range(-5, -1)
    assert interval("min(n, 3)", look) == Range(1, 3)
    assert interval("2 ** 100000", look).high == float("inf")


@pytest.mark.parametrize("text", ["__import__('os')", "n.x", "[1]", "n if m else 1", "lambda: 1", "'a'[0]"])
def test_an_expression_is_only_arithmetic(text: str) -> None:
    with pytest.raises(ValueError, match=" in "):
        parse(text)
