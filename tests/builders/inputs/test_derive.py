"""Specifications derived from statements: layouts, drawn inputs, and reasons for doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building import read_entry
from venus_toolkit.builders.inputs.derive import DerivedSpec, NotDerived, derive
from venus_toolkit.builders.inputs.layouts.describe import candidates
from venus_toolkit.builders.inputs.layouts.find_layout import fits
from venus_toolkit.builders.inputs.programs import generator_text
from venus_toolkit.builders.inputs.spec import draw as draw_input
from venus_toolkit.builders.inputs.spec import sizes as sizes_of
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.drawing import rows
from venus_toolkit.builders.inputs.spec.drawing.draw import FAMILIES
from venus_toolkit.builders.inputs.spec.drawing.state import Drawing
from venus_toolkit.builders.inputs.spec.expressions import names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Layout,
    Line,
    Loop,
    Many,
    Relation,
    Scalar,
    scalars,
)
from venus_toolkit.builders.inputs.spec.promises import Compare, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.builders.sources.folder import CORPUS, problem_folders
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, Problem
from venus_toolkit.execution.judging.generators import families, sizes

SIZES = (*FAMILIES, "small", "boundary", "random", "large", "worst")


def problem(statement: str, starter: str = "") -> Problem:
    style = "function" if starter else "stdin"
    return Problem(
        "p", 1, "P", statement, "Easy", (), style, "user", "MIT", Limits(), OutputComparison(),
        starter_code={"python": starter} if starter else {},
    )  # fmt: skip


def generator(derived: DerivedSpec) -> Callable[[int, str], str]:
    return lambda seed, size: draw_input(derived.spec, seed, size)


# ------------------------------------------------------------------ layouts

SCALARS = st.sampled_from(["int", "real", "text"])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Draw layouts like those of descriptions: numbers, lists with counts, rows, test cases."""
    kinds = draw(st.lists(SCALARS, min_size=1, max_size=3))
    rows = Loop("m", (Line(tuple(Scalar(f"r{i}", kind) for i, kind in enumerate(kinds))),))
    array = Line((Many("a", draw(st.sampled_from(["n", "n + 1", "2 * n", "3"])), Scalar("a")),))
    items = draw(
        st.lists(
            st.sampled_from([array, rows, Line((Scalar("s", "text"),))]), unique=True, max_size=3
        )
    )
    body = (Line((Scalar("n"), Scalar("m"))), *items)
    if draw(st.booleans()):
        return Layout("lines", (Line((Scalar("t"),)), Loop("t", body)), "t")
    return Layout("lines", body)


BOUNDS = [Relation(*words.split()) for words in ("1 <= n", "n <= 6", "1 <= m", "m <= n", "1 <= t", "t <= 4", "-3 <= a",
          "a <= 3", "1 <= len_s", "len_s <= n", "0 <= r0", "r0 <= 9")]  # fmt: skip


def bounded(layout: Layout, relations: list[Relation]) -> Spec:
    known = {f"{'len_' * (node.kind == 'text')}{node.name}" for node in scalars(layout.body)}
    promises = tuple(
        Compare(*(re.sub(r"len_(\w+)", r"len(\1)", part) for part in relation))
        for relation in relations
        if names_in(relation.left + "+" + relation.right) <= known
    )
    return Spec("p", layout, (Reading("bounds", promises),))


@given(layouts(), st.integers(0, 50), st.sampled_from(SIZES))
def test_layout_roundtrip(layout: Layout, seed: int, size: str) -> None:
    spec = bounded(layout, BOUNDS)
    text = draw_input(spec, seed, size)
    assert text == draw_input(spec, seed, size)
    assert not Validator(spec).reasons(text)
    assert fits(layout, text)


@given(layouts(), st.integers(0, 50))
def test_malformed_input_does_not_fit(layout: Layout, seed: int) -> None:
    text = draw_input(bounded(layout, BOUNDS), seed, "small")
    for spoilt in (text + "7\n", "x " + text, text + text):
        assert not fits(layout, spoilt)


DESCRIPTIONS = {
    (
        "The first line contains two integers n and k. The second line contains n integers a_1 "
        "... a_n."
    ): "3 1\n4 5 6\n",
    (
        "The first line contains two integers: n - array size and d - offset.\nThe second line "
        "contains n integers a_i."
    ): ("3 1\n4 5 6\n"),
    "The only line contains three integers n - the rows, m - the columns, and k.": "3 1 2\n",
    "A single line contains an integer n: the number of cards and of players.": "7\n",
    "A single line contains an integer n.": "7\n",
    "The first line contains n and m.\nEach of the next m lines contains two integers u and v.": "2 1\n1 2\n",
    "The first line contains t, the number of test cases. Then t cases follow.\n\n"
    "The only line of each test case contains a string s.": "2\nab\nc\n",
    (
        "The first line contains an integer n.\n\nThen n lines follow, each line contains n "
        "characters."
    ): "2\n01\n10\n",
    (
        "The first line contains a single integer n. The next n - 1 lines contain two integers u "
        "and v each."
    ): "2\n1 2\n",
}


@pytest.mark.parametrize(("description", "sample"), DESCRIPTIONS.items())
def test_descriptions(description: str, sample: str) -> None:
    assert any(fits(layout, sample) for layout in candidates(description))


# ------------------------------------------------------------------ derived generators

TREE = """You are given a tree with n vertices.

Input

The first line contains an integer n (2 ≤ n ≤ 1000).
Each of the next n - 1 lines contains two integers u and v (1 ≤ u, v ≤ n), an edge.

Output

Print it.

Example

Input

3
1 2
2 3

Output

1
"""


def is_tree(text: str) -> bool:
    numbers = [list(map(int, line.split())) for line in text.splitlines()]
    ((n,), *edges) = numbers
    joined = {1}
    for _ in range(n):
        joined |= {x for edge in edges if joined & set(edge) for x in edge}
        if len(joined) == n:
            break
    return len(edges) == n - 1 and joined == set(range(1, n + 1))


CASES = """Input

The first line contains t (1 ≤ t ≤ 1000), the number of test cases.
The first line of each test case contains n and k (1 ≤ k ≤ n ≤ 2 ⋅ 10^5).
The second line contains n distinct integers a_1, a_2, ..., a_n (-10^9 ≤ a_i ≤ 10^9).
It is guaranteed that the sum of n over all test cases does not exceed 2 ⋅ 10^5.

Output

Print it.

Example

Input

1
3 2
5 6 -7

Output

1
"""


def keeps_cases(text: str) -> bool:
    lines = text.splitlines()
    heads = [list(map(int, line.split())) for line in lines[1::2]]
    arrays = [list(map(int, line.split())) for line in lines[2::2]]
    return (
        1 <= int(lines[0]) <= 1000
        and len(heads) == len(arrays) == int(lines[0])
        and sum(n for n, _ in heads) <= 200_000
        and all(
            1 <= k <= n == len(a) == len(set(a)) for (n, k), a in zip(heads, arrays, strict=True)
        )
        and all(abs(x) <= 10**9 for a in arrays for x in a)
    )


EDGES = """Given n and edges.

Example 1:

Input: n = 3, edges = [[0,1],[1,2]]
Output: 1

Constraints:

- 2 <= n <= 5 * 10^4
- 1 <= edges.length <= 10^5
- edges[i] = [u_i, v_i]
- 0 <= u_i < v_i < n
- All the edges are distinct.
"""


def test_search_for_too_many_different_rows_ends_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two nodes have only one edge; eight searches for 10^5 edges would take ten seconds."""
    result = derive(
        problem(
            EDGES, "class Solution:\n    def f(self, n: int, edges: List[List[int]]) -> int: ...\n"
        )
    )
    drawn: list[int] = []
    fit = rows.fit

    def counted(state: Drawing, nodes: Any, columns: Any, *more: Any) -> None:
        drawn.append(len(columns[0]))
        fit(state, nodes, columns, *more)

    monkeypatch.setattr(rows, "fit", counted)
    edges = json.loads(draw_input(result.spec, 1, "corner").splitlines()[1])
    assert len(edges) == len({tuple(edge) for edge in edges})
    assert len(drawn) <= 2


def test_number_of_different_rows_is_limited_by_time() -> None:
    """More than a million of the four million pairs would exceed the time limit of 20 s."""
    many = EDGES.replace("10^5", "n * (n - 1) / 2").replace("5 * 10^4", "2000")
    result = derive(
        problem(
            many, "class Solution:\n    def f(self, n: int, edges: List[List[int]]) -> int: ...\n"
        )
    )
    edges = json.loads(generator(result)(3, "max").splitlines()[1])
    assert 200_000 < len(edges) == len({tuple(edge) for edge in edges}) < 300_000


QUERIES = """Given n and queries with queries[i] = [li, ri].

Example 1:

Input: n = 3, word = "ab", queries = [[0,2]]
Output: 1

Constraints:

2 <= n <= 500
1 <= word.length <= n
word consists of lowercase English letters.
1 <= queries.length <= 40
queries[i].length == 2
0 <= li < ri < n
"""
STARTER = (
    "class Solution:\n    def f(self, n: int, word: str, queries: List[List[int]]) -> int:\n     "
    "   "
)


@pytest.mark.parametrize(
    ("naming", "bound"),
    [
        ("queries[j] = [l_j, r_j]", "0 <= l_j < r_j < n"),
        ("Each element of queries is a pair [l_i, r_i]", "0 <= l_i < r_i < n"),
        ("Each entry of queries is an array [li, ri]", "0 <= li < ri < n"),
    ],
)
def test_row_values_have_names(naming: str, bound: str) -> None:
    statement = QUERIES.replace("queries[i] = [li, ri]", naming).replace("0 <= li < ri < n", bound)
    result = derive(problem(statement, STARTER))
    assert result.confidence == 1, result.reasons
    assert all(keeps_queries(generator(result)(seed, "tiny")) for seed in range(9))


def test_row_names_belong_to_the_list_with_their_index() -> None:
    """Rows of two lists may have the same names; a constraint's index tells which it means."""
    other = "and marks with marks[j] = [l_j, r_j]"
    statement = QUERIES.replace("[li, ri].", f"[l_i, r_i] {other}.").replace(
        "[[0,2]]", "[[0,2]], marks = [[7,5]]"
    )
    statement = statement.replace(
        "0 <= li < ri < n", "0 <= l_i < r_i < n\nmarks.length == 1\n5 <= l_j, r_j <= 900"
    )
    result = derive(problem(statement, STARTER.replace(") ->", ", marks: List[List[int]]) ->")))
    values = []
    for seed in range(9):
        *others, marks = generator(result)(seed, "max").splitlines()
        assert keeps_queries("\n".join(others))
        values += [value for row in json.loads(marks) for value in row]
    assert 5 <= min(values) <= max(values) <= 900
    assert max(values) > 7  # the largest in the example


def keeps_queries(text: str) -> bool:
    n, word, queries = map(json.loads, text.splitlines())
    letters = word.isalpha() and word.islower() and 1 <= len(word) <= n
    return (
        2 <= n <= 500
        and letters
        and 1 <= len(queries) <= 40
        and all(0 <= a < b < n for a, b in queries)
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("statement", "starter", "keeps"),
    [(TREE, "", is_tree), (CASES, "", keeps_cases), (QUERIES, STARTER, keeps_queries)],
    ids=["tree", "cases", "queries"],
)
def test_derived_inputs_keep_the_constraints(
    statement: str, starter: str, keeps: Callable[[str], bool], size: str
) -> None:
    result = derive(problem(statement, starter))
    assert result.confidence == 1, result.reasons
    generate = generator(result)
    texts = [generate(seed, size) for seed in range(3)]
    assert all(keeps(text) for text in texts)
    assert texts == [generate(seed, size) for seed in range(3)]


# Promises, each with a sample: the generator keeps them, so the validator refuses few inputs.
DRAWN = {
    "neighbours differ": (
        "N\nA_1 A_2 ... A_N",
        "2 <= N <= 9\n1 <= A_i <= 99\nA_i != A_{i+1} (1 <= i <= N-1)",
        "2\n1 2",
    ),
    "letters differ": (
        "S",
        "S is a string of length between 2 and 50 consisting of a, b and c.\n"
        "No two neighboring characters in S are equal.",
        "aba",
    ),
    "neighbours rise": ("N\nt_1 ... t_N", "1 <= N <= 9\n1 <= t_i <= 99\nt_i < t_{i+1}", "2\n1 2"),
    "beyond a float": ("N\nA_1 ... A_N", "1 <= N <= 9\n1 <= A_i < 10^{1000}", "1\n123"),
    "a sum at most": (
        "N K\nA_1 ... A_N",
        "1 <= N <= 9\n1 <= A_i <= 99\n1 <= K <= 999\nsum_{i=1}^{N} A_i <= K",
        "1 5\n4",
    ),
    "a sum": (
        "N M\nC_1 ... C_M",
        "1 <= M <= 9\n1 <= N <= 99\n1 <= C_i <= N\nC_1 + ... + C_M = N",
        "5 2\n1 4",
    ),
    "a prime": (
        "P\nN\nA_1 ... A_N",
        "P is a prime number between 2 and 10^9.\n1 <= N <= 9\n1 <= A_i <= 9",
        "7\n1\n4",
    ),
    "parents": ("N\nP_2 P_3 ... P_N", "2 <= N <= 99\n1 <= P_i < i (2 <= i <= N)", "4\n1 1 2"),
    "edges up to N-1": (
        "N\na_1 b_1\n:\na_{N-1} b_{N-1}",
        "2 <= N <= 99\n1 <= a_i < b_i <= N (1 <= i <= N-1)\n"
        "It is possible to get from every town to every town by using some roads.",
        "3\n1 2\n2 3",
    ),
    "a tree, and queries": (
        "N M\na_1 b_1\n:\na_{N-1} b_{N-1}\nu_1 v_1\n:\nu_M v_M",
        "2 <= N <= 99\n1 <= M <= 99\n1 <= a_i, b_i <= N\n1 <= u_i, v_i <= N\nu_i != v_i\n"
        "The graph given as input is a tree.",
        "3 1\n1 2\n1 3\n2 3",
    ),
    "a connected graph, and queries": (
        "N M Q\na_1 b_1\n:\na_M b_M\nu_1 v_1\n:\nu_Q v_Q",
        "2 <= N <= 99\n1 <= M, Q <= 99\n1 <= a_i < b_i <= N\n1 <= u_i < v_i <= N\nThe graph "
        "G is connected.",
        "3 2 1\n1 2\n1 3\n2 3",
    ),
    "a length of 2N": (
        "N\nS",
        "1 <= N <= 99\nS is a string of length 2N consisting of the characters ( and ).",
        "1\n()",
    ),
    "permutations": (
        "n\nR_1 ... R_n\nC_1 ... C_n",
        "1 <= n <= 99\nR_1,..,R_n and C_1,..,C_n are each permutations of 1,..,n.",
        "2\n1 2\n2 1",
    ),
}


@pytest.mark.parametrize(("form", "constraints", "sample"), DRAWN.values(), ids=DRAWN)
@pytest.mark.parametrize("family", FAMILIES)
def test_generator_keeps_promises(form: str, constraints: str, sample: str, family: str) -> None:
    statement = (
        f"## Constraints\n\n{constraints}\n\n## Input\n\n```\n{form}\n```\n\n## Sample Input "
        f"1\n\n```\n{sample}\n```"
    )
    result = derive(problem(f"{statement}\n\n## Sample Output 1\n\n```\n1\n```\n"))
    assert result.confidence == 1, result.reasons
    generate = generator(result)
    inputs = [generate(seed, family) for seed in range(16)]
    validator = Validator(result.spec)
    refused = [validator.reasons(text) for text in inputs]
    assert sum(map(bool, refused)) <= (8 if family == "corner" else 1), refused
    # Bounds guessed from the one sample would allow few inputs.
    assert family == "replay" or len(set(inputs)) > 3


def test_largest_inputs_reach_the_bounds() -> None:
    generate = generator(derive(problem(CASES)))
    for seed in (0, 1):  # one huge case, then the most cases allowed
        lines = generate(seed, "max").splitlines()
        sizes = [int(line.split()[0]) for line in lines[1::2]]
        assert 199_000 < sum(sizes) <= 200_000
        assert max(sizes) > 190_000 or len(sizes) == 1000


def test_tiny_and_multiscale_families() -> None:
    generate = generator(derive(problem(CASES)))
    tiny = [
        line.split() for seed in range(30) for line in generate(seed, "tiny").splitlines()[2::2]
    ]
    assert max(map(len, tiny)) <= 6
    numbers = [abs(int(word)) for seed in range(60) for line in generate(seed, "multiscale").splitlines()[2::2]
               for word in line.split()]  # fmt: skip
    assert sum(number < 100 for number in numbers) > 20
    assert sum(number > 10**7 for number in numbers) > 20


def test_corners_have_sizes_and_values_at_their_ends() -> None:
    generate = generator(derive(problem(BOUNDED)))
    inputs = {generate(seed, "corner") for seed in range(16)}
    assert inputs == {
        f"{n} {k}\n{' '.join([a] * n)}\n" for n in (1, 9) for k in (1, 5) for a in ("0", "7")
    }


def test_replay_varies_a_sample_within_its_layout() -> None:
    generate = generator(derive(problem(BOUNDED)))
    inputs = [generate(seed, "replay") for seed in range(40)]
    assert len(set(inputs)) > 20
    rows = [list(map(int, text.split())) for text in inputs]
    assert all(len(row) == row[0] + 2 for row in rows)
    assert sum(len({*row[2:]} & {2, 5, 6}) > 0 for row in rows) > 20


BOUNDED = """Input

The first line contains n (1 ≤ n ≤ 9) and k (1 ≤ k ≤ 5).
The second line contains n integers a_1, ..., a_n (0 ≤ a_i ≤ 7).

Output

Print it.

Example

Input

3 2
5 6 2

Output

1
"""


@pytest.mark.parametrize("slug", [folder.name for folder in problem_folders(CORPUS)])
def test_bundled_problems_are_derived(slug: str) -> None:
    result = derive(read_entry(CORPUS / slug, load_languages()).problem)
    assert result.confidence >= 0.9, result.reasons
    validator = Validator(result.spec, ("statement", "suspected", "guess"))
    for size in ("tiny", "multiscale", "replay"):
        assert validator.reasons(draw_input(result.spec, 1, size)) == []


# ------------------------------------------------------------------ doubts


@pytest.mark.parametrize(
    ("changed", "doubt"),
    [
        (CASES.replace("(1 ≤ k ≤ n ≤ 2 ⋅ 10^5)", "(k ≤ n)"), "no lower bound for n"),
        (CASES.replace("10^9", "3"), "misread: a known input breaks it"),
        (
            CASES.replace(
                "It is guaranteed", "It is guaranteed that there is an answer.\nIt is guaranteed"
            ),
            "not understood",
        ),
        (CASES.split("Example")[0], "no sample"),
    ],
)
def test_doubts_lower_the_confidence_with_a_reason(changed: str, doubt: str) -> None:
    result = derive(problem(changed))
    assert result.confidence < 1
    assert any(doubt in reason for reason in result.reasons), result.reasons


def test_names_come_from_the_sentences_by_position() -> None:
    described = (
        "Input\n\nThe first line contains t, the number of test cases. Each case has a "
        "keyboard, and a word s.\n\n"
    )
    result = derive(problem(described + "Example\n\nInput\n\n2\n3 1\nca\n4 2\na\n\nOutput\n\n1\n"))
    assert result.spec.layout.cases == "t"
    assert [node.name for node in scalars(result.spec.layout.body)] == ["t", "_2", "_3", "_4"]


def test_reason_names_given_inputs_that_do_not_fit() -> None:
    right, wrong = "1\n2 1\n5 6\n", "1\n2 1\n5\n"
    result = derive(problem(CASES), [right, right, wrong])
    assert any("67% of the given inputs" in reason for reason in result.reasons)


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "A story without an input.",
        "This is an interactive problem.\n\n" + CASES,
    ],
)
def test_statement_without_input_or_interactive_is_not_derived(statement: str) -> None:
    with pytest.raises(NotDerived):
        derive(problem(statement))


def test_samples_outweigh_the_description() -> None:
    result = derive(problem(TREE.replace("3\n1 2\n", "3\nx y\n")))
    assert {node.kind for node in scalars(result.spec.layout.body)} == {"int", "text"}
    assert result.confidence < 0.5


HOSTILE_BOUNDS = {
    "nested": "(" * 5000 + "n" + ")" * 5000 + " ≤ 5",
    "tower": "n ≤ 9^9^9^9",
    "power": "n ≤ 10^99999999999",
    "division": "n ≤ 1 / 0",
    "signs": "- " * 3000 + "n ≤ 3",
    "chain": "1 ≤ " * 3000 + "n",
}


@pytest.mark.parametrize("bound", HOSTILE_BOUNDS.values(), ids=HOSTILE_BOUNDS)
def test_hostile_bound_cannot_break_the_build(bound: str) -> None:
    try:
        result = derive(problem(CASES.replace("(1 ≤ k ≤ n ≤ 2 ⋅ 10^5)", f"({bound})")))
    except NotDerived:
        return
    assert generator(result)(1, "small")


def test_endless_statement_is_not_read() -> None:
    with pytest.raises(NotDerived, match="at most"):
        derive(problem("n " * 100_000))


def test_unknown_type_is_not_derived() -> None:
    starter = "class Solution:\n    def f(self, root: Optional[TreeNode]) -> int:\n        "
    with pytest.raises(NotDerived):
        derive(problem(QUERIES, starter))


def test_size_may_be_a_number() -> None:
    ends = {"n": (1, 200_000), "q": (1, 1000), "a": (0, 9), "b": (0, 9)}
    relations = [
        side
        for name, (low, high) in ends.items()
        for side in (Relation(f"{low}", "<=", name), Relation(name, "<=", f"{high}"))
    ]
    body = (
        Line((Scalar("n"), Scalar("q"))),
        Line((Many("a", "n", Scalar("a")),)),
        Line((Many("b", "q", Scalar("b")),)),
    )
    spec = bounded(Layout("lines", body), relations)
    assert sizes_of(spec) == {"": 200_000, "n": 200_000, "q": 1000}
    first = [
        draw_input(spec, 1, size).split("\n")[0] for size in ("500", "5000", "n=3000", "q=7", "m=7")
    ]
    assert first == ["500 500", "5000 1000", "3000 50", "50 7", "50 50"]
    source = generator_text(spec)
    assert sizes(source) == sizes_of(spec)
    assert families(source) == FAMILIES


@pytest.mark.parametrize(
    ("arguments", "story", "constraints", "example", "right", "wrong"),
    [
        pytest.param("grid: List[List[int]]", "You get an m x n matrix.",
                     ("1 <= m, n <= 3", "0 <= grid[i][j] <= 9"),
                     "grid = [[1,2]]", "[[1,2,3]]\n", "[[1,2,3,4]]\n", id="sides of the only matrix"),
        pytest.param("m: int, g: List[List[int]]", "You get a p x q grid g.",
                     ("1 <= p, q <= 2", "1 <= m <= 5", "0 <= g[r][c] <= 9"),
                     "m = 1, g = [[1,2]]", "5\n[[1],[2]]\n", "5\n[[1],[2],[3]]\n", id="sides and a value"),
        pytest.param("one: List[int]", "one = [low, high]", ("one.length == 2", "0 <= low <= high <= 9"),
                     "one = [1,2]", "[3,3]\n", "[4,3]\n", id="places of a list"),
        pytest.param("cost: List[int], set_id: List[int]", "Costs.",
                     ("1 <= cost.length, set_id.length <= 4", "0 <= cost[d] <= 9", "1 <= set_id[i] <= 5"),
                     "cost = [1], set_id = [1]", "[0]\n[5]\n", "[0]\n[6]\n", id="letters of places"),
        pytest.param("a: List[int], m: List[List[int]]", "Rows.",
                     ("m.length = h", "w = m[i].length", "a.length == h * w", "1 <= h, w <= 3",
                      "0 <= a[i], m[i][j] <= 9"),
                     "a = [1,2], m = [[1,2]]", "[1,2]\n[[3],[4]]\n", "[1]\n[[3],[4]]\n", id="one sign"),
    ],
)  # fmt: skip
def test_aliases_of_values_are_read(
    arguments: str, story: str, constraints: Sequence[str], example: str, right: str, wrong: str
) -> None:
    lines = "\n".join(constraints)
    statement = f"{story}\n\nExample 1:\n\nInput: {example}\nOutput: 1\n\nConstraints:\n\n{lines}\n"
    result = derive(
        problem(statement, f"class Solution:\n    def f(self, {arguments}) -> int:\n        ")
    )
    assert result.confidence == 1, result.reasons
    validator = Validator(result.spec)
    assert (validator.reasons(right), bool(validator.reasons(wrong))) == ([], True)
