"""Example specifications, named by their promises."""

from __future__ import annotations

import itertools
from typing import Any

from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Scalar,
    Tuple,
)
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Reading,
    Sorted,
    TotalBound,
)
from venus_toolkit.builders.inputs.spec.specification import Spec


def chain(text: str) -> list[Promise]:
    """Return the comparisons of chains such as ``1 <= n <= 10``, separated by semicolons."""
    promises: list[Promise] = []
    for part in text.split(";"):
        words = part.split()
        places = [at for at, word in enumerate(words) if word in ("<=", "<", "==", "!=")]
        ends = [-1, *places, len(words)]
        terms = [" ".join(words[a + 1 : b]) for a, b in itertools.pairwise(ends)]
        for place, (left, right) in enumerate(itertools.pairwise(terms)):
            promises.append(Compare(left, words[places[place]], right))
    return promises


def line(text: str) -> Line:
    """Return a line: for ``n A:n s$`` a number n, n numbers, and a text."""
    nodes: list[Any] = []
    for word in text.split():
        name, _, count = word.partition(":")
        kind = "text" if name.endswith("$") else "int"
        scalar = Scalar(name.rstrip("$"), kind)
        nodes.append(Many(scalar.name, count.replace("_", " "), scalar) if count else scalar)
    return Line(tuple(nodes))


def lines(*items: str | Item, cases: str | None = None) -> Layout:
    return Layout("lines", tuple(line(i) if isinstance(i, str) else i for i in items), cases)


def rows(count: str, text: str) -> Loop:
    return Loop(count, (line(text),))


def arguments(text: str) -> Layout:
    """Return the layout of ``nums:list edges:pairs grid:grid s:text words:texts k:int``."""
    nodes: list[Any] = []
    for word in text.split():
        name, _, kind = word.partition(":")
        one, two = f"{name}_at", f"{name}_at_at"
        nodes.append({
            "list": Many(name, f"len_{name}", Scalar(one)),
            "pairs": Many(name, f"len_{name}", Tuple((Scalar(f"{name}_at_0"), Scalar(f"{name}_at_1")))),
            "grid": Many(name, f"len_{name}", Many(one, f"len_{one}", Scalar(two))),
            "texts": Many(name, f"len_{name}", Scalar(one, "text")),
            "text": Scalar(name, "text"),
            "int": Scalar(name),
        }[kind])  # fmt: skip
    return Layout("json", tuple(Line((node,)) for node in nodes))


def spec(
    layout: Layout,
    comparisons: str,
    *promises: Promise,
    suspected: tuple[Promise, ...] = (),
    directed: bool = False,
    samples: tuple[str, ...] = (),
) -> Spec:
    readings = [Reading(comparisons, tuple(chain(comparisons)))]
    readings += [Reading(str(promise), (promise,)) for promise in promises]
    readings += [Reading(str(promise), (promise,), "suspected") for promise in suspected]
    return Spec("p", layout, tuple(readings), directed=directed, samples=samples)


ARRAY = "1 <= n <= 200; 1 <= A[i] <= 10**9"
TWO = "1 <= n <= 200; 1 <= m <= 200; 1 <= A[i] <= 1000; 1 <= B[i] <= 1000"
EDGES = "2 <= n <= 60; 1 <= m <= 100; 1 <= u[i] <= n; 1 <= v[i] <= n"
GRAPH = lines("n m", rows("m", "u v"))
TREE = lines("n", rows("n - 1", "u v"))
DIGITS = "0123456789"
NUMS = "1 <= len(nums) <= 100; 0 <= nums[i] <= 500"
SPECS: dict[str, Spec] = {
    "an array": spec(lines("n", "A:n"), ARRAY),
    "a sorted array": spec(lines("n", "A:n"), ARRAY, Sorted("A")),
    "a strictly descending array": spec(lines("n", "A:n"), ARRAY, Sorted("A", True, True)),
    "neighbours in order": spec(lines("n", "A:n"), f"{ARRAY}; A[i] <= A[i + 1]"),
    "neighbours that differ": spec(lines("n", "A:n"), f"{ARRAY}; A[i] != A[i + 1]"),
    "different values of few": spec(
        lines("n", "A:n"), "1 <= n <= 50; 1 <= A[i] <= 50", Distinct(("A[i]",))
    ),
    "a permutation": spec(lines("n", "P:n"), "1 <= n <= 200", Permutation("P", "1", "n")),
    "three sorted arrays": spec(
        lines("n m", "A:n", "B:m", "C:n"),
        f"{TWO}; -5 <= C[i] <= 5",
        Sorted("A"),
        Sorted("B"),
        Sorted("C"),
    ),
    "value by value": spec(lines("n", "L:n", "R:n"), "1 <= n <= 99; 1 <= L[i] < R[i] <= 50"),
    "rows in order": spec(lines("n", rows("n", "l r")), "1 <= n <= 99; 1 <= l[i] <= r[i] <= 100"),
    "rows after each other": spec(
        lines("n", rows("n", "l r")), "1 <= n <= 99; 0 <= l[i] < r[i] <= 10**6; r[i] < l[i + 1]"
    ),
    "rows that are sorted": spec(
        lines("n", rows("n", "x y")), "1 <= n <= 99; 0 <= x[i] <= 10; 0 <= y[i] <= 9", Sorted("x")
    ),
    "different rows": spec(
        lines("n", rows("n", "x y")),
        "1 <= n <= 12; 0 <= x[i] <= 3; 0 <= y[i] <= 3",
        Distinct(("x[i]", "y[i]")),
    ),
    "the same values": spec(
        lines("n", "A:n", "B:n"), f"{ARRAY}; 1 <= B[i] <= 10**9", Is("B", "permutation of", ("A",))
    ),
    "the same sum": spec(
        lines("n", "A:n", "B:n"),
        "1 <= n <= 99; 0 <= A[i] <= 50; 0 <= B[i] <= 50",
        Is("B", "same sum", ("A",)),
    ),
    "sums that are equal": spec(
        lines("n m", "A:n", "B:m"),
        "1 <= n <= 99; 1 <= m <= 99; 0 <= A[i] <= 50; 0 <= B[i] <= 50; sum(A) == sum(B)",
    ),
    "a sum": spec(lines("n k", "A:n"), "1 <= n <= 99; 1 <= k <= 999; 1 <= A[i] <= k; sum(A) <= k"),
    "an index": spec(lines("n k", "A:n"), ARRAY, Is("k", "index of", ("A",))),
    "a member": spec(lines("n x", "A:n"), f"{ARRAY}; 1 <= x <= 10**9", Is("x", "in", ("A",))),
    "a heap": spec(lines("n", "A:n"), ARRAY, Is("A", "heap")),
    "a max heap": spec(lines("n", "A:n"), ARRAY, Is("A", "heap", ("max",))),
    "different scalars": spec(
        lines("x y k"),
        "1 <= x <= 3; 1 <= y <= 3; 1 <= k <= 3",
        Is("x", "all different", ("y", "k")),
    ),
    "half of them": spec(lines("n", "A:2_*_n"), ARRAY, Is("A", "half", ("1",))),
    "not all alike": spec(
        lines("n", "A:n"), "2 <= n <= 9; 1 <= A[i] <= 3", Is("A", "not all alike")
    ),
    "some": spec(lines("n", "A:n"), ARRAY, Is("A", "some", ("7", "=="))),
    "a prime and a power": spec(
        lines("p k"), "2 <= p <= 10**6; 1 <= k <= 10**6", Is("p", "prime"), Is("k", "power", ("2",))
    ),
    "choices": spec(lines("n", "A:n"), "1 <= n <= 9", OneOf("A[i]", (1, 5, 10))),
    "a tree": spec(TREE, "2 <= n <= 60; 1 <= u[i] <= n; 1 <= v[i] <= n", Graph(("tree",))),
    "a simple graph": spec(GRAPH, EDGES, Graph(("simple",))),
    "connected with multi-edges": spec(GRAPH, EDGES, Graph(("connected",))),
    "a forest": spec(GRAPH, EDGES, Graph(("acyclic",))),
    "acyclic with directions": spec(GRAPH, EDGES, Graph(("acyclic",)), directed=True),
    "bipartite": spec(GRAPH, EDGES, Graph(("bipartite", "simple"))),
    "connected and simple": spec(GRAPH, EDGES, Graph(("connected", "simple"))),
    "simple with directions": spec(GRAPH, EDGES, Graph(("simple",)), directed=True),
    "a tree and one more edge": spec(
        lines("n", rows("n", "u v")),
        "3 <= n <= 60; 1 <= u[i] <= n; 1 <= v[i] <= n",
        Graph(("connected", "simple")),
    ),
    "test cases": spec(
        lines("t", Loop("t", (line("n k"), line("A:n"))), cases="t"),
        "1 <= t <= 100; 1 <= n <= 300; 1 <= k <= n; 1 <= A[i] <= n",
        TotalBound("n", "300"),
        Sorted("A"),
    ),
    "test cases of trees": spec(
        lines("t", Loop("t", (line("n"), rows("n - 1", "u v"))), cases="t"),
        "1 <= t <= 20; 2 <= n <= 30; 1 <= u[i] <= n; 1 <= v[i] <= n",
        Graph(("tree",)),
    ),
    "queries": spec(
        lines("n q", "A:n", rows("q", "l r")),
        "1 <= n <= 50; 1 <= q <= 50; 0 <= A[i] <= 9; 1 <= l[i] <= r[i] <= n",
    ),
    "queries of two kinds": spec(
        lines("n q", Loop("q", (Choice((("1", line("x").nodes), ("2", line("l r").nodes))),))),
        "1 <= n <= 50; 1 <= q <= 50; 1 <= x[i] <= n; 1 <= l[i] <= n; 1 <= r[i] <= n",
    ),
    "rows of their own length": spec(
        lines("n", Loop("n", (line("k B:k"),))), "1 <= n <= 20; 1 <= k[i] <= 9; 1 <= B[i][j] <= 9"
    ),
    "a word": spec(lines("s$"), "1 <= len(s) <= 200", Letters("s", "abc")),
    "a palindrome": spec(
        lines("s$"), "1 <= len(s) <= 200", Letters("s", "ab"), Is("s", "palindrome")
    ),
    "brackets": spec(lines("s$"), "1 <= len(s) <= 200", Letters("s", "()[]"), Is("s", "brackets")),
    "no leading zero": spec(
        lines("s$ r$"),
        "1 <= len(s) <= 20; 1 <= len(r) <= 20",
        Letters("s", DIGITS),
        Letters("r", DIGITS),
        Is("s", "no leading zero"),
        Is("r", "no leading zero"),
    ),
    "a length": spec(
        lines("n", "s$"), "2 <= n <= 100; len(s) == n", Letters("s", "()"), Is("s", "brackets")
    ),
    "different letters": spec(
        lines("s$"),
        "1 <= len(s) <= 26",
        Letters("s", "abcdefghijklmnopqrstuvwxyz"),
        Distinct(("s[i]",)),
    ),
    "different words": spec(
        lines("n", rows("n", "s$")),
        "1 <= n <= 50; 1 <= len(s[i]) <= 5",
        Letters("s[i]", "abc"),
        Distinct(("s[i]",)),
    ),
    "a function's list": spec(
        arguments("nums:list k:int"), f"{NUMS}; 1 <= k <= len(nums)", Sorted("nums", strict=True)
    ),
    "a function's two sorted lists": spec(
        arguments("a:list b:list"),
        "0 <= len(a) <= 50; 1 <= len(b) <= 50; -9 <= a[i] <= 9; -9 <= b[i] <= 9",
        Sorted("a"),
        Sorted("b"),
    ),
    "a function's permuted list": spec(
        arguments("a:list b:list"),
        "1 <= len(a) <= 50; 1 <= len(b) <= 50; 0 <= a[i] <= 9; 0 <= b[i] <= 9",
        Is("b", "permutation of", ("a",)),
    ),
    "a function's anagram": spec(
        arguments("s:text r:text"),
        "1 <= len(s) <= 50; 1 <= len(r) <= 50",
        Letters("s", "abc"),
        Letters("r", "abc"),
        Is("r", "permutation of", ("s",)),
    ),
    "a function's intervals": spec(
        arguments("v:pairs"),
        "1 <= len(v) <= 50; 0 <= v[i][0] <= v[i][1] <= 1000; v[i][1] < v[i + 1][0]",
    ),
    "a function's points": spec(
        arguments("v:pairs"),
        "1 <= len(v) <= 20; 0 <= v[i][0] <= 4; 0 <= v[i][1] <= 4",
        Distinct(("v[i][0]", "v[i][1]")),
    ),
    "a function's courses": spec(
        arguments("n:int e:pairs"),
        "2 <= n <= 50; 0 <= len(e) <= 50; 0 <= e[i][0] < n; 0 <= e[i][1] < n",
        Graph(("acyclic", "distinct"), "e"),
        directed=True,
    ),
    "a function's grid": spec(
        arguments("g:grid"), "1 <= len(g) <= 20; 2 <= len(g[0]) <= 20; 0 <= g[i][j] <= 1"
    ),
    "a function's different rows": spec(
        arguments("g:grid"),
        "1 <= len(g) <= 8; 3 <= len(g[0]) <= 20; 0 <= g[i][j] <= 1",
        Is("g", "different rows"),
    ),
    "a function's words": spec(
        arguments("w:texts"),
        "1 <= len(w) <= 50; 2 <= len(w[i]) <= 9",
        Letters("w[i]", "ab"),
        Distinct(("w[i]",)),
        Is("w", "of one length"),
    ),
    "a function's sentence": spec(
        arguments("s:text"),
        "1 <= len(s) <= 50",
        Letters("s", "ab "),
        Is("s", "trimmed"),
        Is("s", "single spaces"),
    ),
    "all together": spec(
        arguments("a:list b:list"),
        "1 <= len(a) <= 50; 1 <= len(b) <= 50; 0 <= a[i] <= 100; 0 <= b[i] <= 100",
        Is("a", "distinct together", ("b",)),
    ),
    "an unsupported promise": spec(lines("n", "A:n"), "1 <= n <= 20; 1 <= A[i] <= 9; A[1] != A[n]"),
}
