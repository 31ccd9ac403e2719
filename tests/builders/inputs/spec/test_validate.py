"""Checking inputs against a specification: an error names the sentence that an input breaks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.inputs.spec.checking import checks
from venus_toolkit.builders.inputs.spec.checking.validate import PROPERTIES, Validator, validate
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
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError


def line(*words: str) -> Line:
    """Return a line: ``N`` a number, ``A:N`` N numbers, ``s$`` and ``s$:N`` texts, ``x.`` real."""
    nodes: list[Scalar | Many] = []
    for word in words:
        name, _, count = word.partition(":")
        kind = {"$": "text", ".": "real"}.get(name[-1], "int")
        scalar = Scalar(name.rstrip("$."), kind)
        nodes.append(Many(scalar.name, count, scalar) if count else scalar)
    return Line(tuple(nodes))


def rows(count: str, *words: str) -> Loop:
    return Loop(count, (line(*words),))


def lines(*items: Item, cases: str | None = None) -> Layout:
    return Layout("lines", items, cases)


LIST = lines(line("N", "K"), line("A:N"))
TWO = lines(line("N", "K"), line("A:N"), line("B:K"))
WORDS = lines(line("N"), rows("N", "S$"))
GRAPH = lines(line("N", "M"), rows("M", "u", "v"))
MATRIX = lines(line("N"), Loop("N", (line("D:N"),)))
ENDS = [Compare("1", "<=", "u"), Compare("u", "<=", "N"), Compare("1", "<=", "v"), Compare("v", "<=", "N")]  # fmt: skip


def spec(layout: Layout, *promises: Promise, **fields: Any) -> Spec:
    return Spec("p", layout, (Reading("this", tuple(promises)),), **fields)


def json_layout(**arguments: str) -> Layout:
    """Return a layout of arguments, each ``int``, ``text``, ``[int]``, ``[[int]]``, …."""
    body = []
    for name, form in arguments.items():
        node: Any = Scalar(name, form.strip("[]"))
        for _ in range(form.count("[")):
            node = Many(name, f"len_{name}", node)
        body.append(Line((node,)))
    return Layout("json", tuple(body))


# ------------------------------------------------------------------ layouts


@pytest.mark.parametrize(
    ("layout", "right", "wrong"),
    [
        (LIST, ["2 0\n1 2\n", "2 0\n1 2", "0 0\n\n"],
         ["2  0\n1 2\n", "2 0 \n1 2\n", " 2 0\n1 2\n", "2 0\n1 2\n\n", "2 0\n1\n", "2 0\n1 2 3\n", "2 0\n1 02\n",
          "2 0\n1 +2\n", "2 0\n1 -0\n", "2 0\n1 x\n", "2 0\n1 2.0\n", "2 0\n", "", "2 0\n1 1_0\n", "2 0\n1 ٣\n",
          f"2 0\n1 {'9' * 5000}\n", "10000000000000 0\n1\n"]),
        (lines(line("x.")), ["1.5\n", "-1e9\n", ".5\n"], ["nan\n", "1,5\n", "0x1\n", "1e9999\n"]),
        (lines(line("N"), Loop("N", (Line((Scalar("S", "text", "N"),)),))), ["2\nab\ncd\n"], ["2\nab\ncde\n"]),
        (lines(line("N"), Loop("N", (line("K", "C:K"),))), ["2\n1 5\n0\n"], ["2\n2 5\n0\n"]),
        (lines(line("N"), Loop("N", (line("K"), rows("K", "x", "y")))), ["2\n1\n5 6\n0\n"], ["1\n1\n5\n"]),
        (lines(line("Q"), Loop("Q", (Choice((("1", (Scalar("x"),)), ("2", ()))),))), ["2\n1 7\n2\n"],
         ["1\n3 7\n", "1\n2 7\n", "1\n1\n"]),
        (lines(Line((Many("P", "2", Tuple((Scalar("a"), Scalar("b")))),))), ["1 2 3 4\n"], ["1 2 3\n"]),
        (json_layout(n="int", a="[[int]]", s="text", b="bool", x="real"),
         ['1\n[[1],[]]\n"a b"\ntrue\n1\n', '1\n[]\n""\nfalse\n-1.5\n'],
         ['1\n[[1],[]]\n"a"\ntrue\n', '1\n[[true]]\n""\ntrue\n1\n', '1\n[1]\n""\ntrue\n1\n', '1.0\n[]\n""\ntrue\n1\n',
          'x\n[]\n""\ntrue\n1\n', '1\n[]\n""\ntrue\nNaN\n', '1\n[]\n""\ntrue\n1\n2\n', "1\n" + "[" * 10**5 + "\n"]),
    ],
)  # fmt: skip
def test_layouts(layout: Layout, right: Sequence[str], wrong: Sequence[str]) -> None:
    validator = Validator(spec(layout))
    assert [validator.reasons(text) for text in right] == [[]] * len(right)
    assert all(validator.reasons(text) for text in wrong)


def test_loose_white_space() -> None:
    loose = Validator(spec(lines(line("N"), line("A:N")), loose=True))
    assert not any(map(loose.reasons, [" 2\n1  +2 \n\n", "02\r\n1\t2", "0\n"]))
    assert all(map(loose.reasons, ["2\n1\n2\n", "2\n1 2 3\n", "2 \n 1 x\n"]))


# ------------------------------------------------------------------ promises


@pytest.mark.parametrize(
    ("layout", "promises", "right", "wrong"),
    [
        (LIST, [Compare("A[i]", "!=", "i")], "2 0\n2 1\n", "2 0\n2 2\n"),
        (LIST, [Compare("A[i]", "<=", "A[i + 1]")], "3 0\n1 1 2\n", "3 0\n1 3 2\n"),
        (LIST, [Compare("A[i]", "<", "A[N]", ("i < N",))], "3 0\n1 2 3\n", "3 0\n3 2 3\n"),
        (LIST, [Compare("A[i]", "<=", "10 ** 2 - K")], "1 1\n99\n", "1 1\n100\n"),
        (LIST, [Compare("K", "<=", "min(A) + max(A)")], "2 5\n2 3\n", "2 6\n2 3\n"),
        (LIST, [Compare("K", "==", "sum(A)")], "2 5\n2 3\n", "2 6\n2 3\n"),
        (LIST, [Compare("2 * A[i]", "<=", "sum(A)")], "2 0\n2 2\n", "2 0\n2 3\n"),
        (MATRIX, [Compare("D[i][j]", "==", "D[j][i]"), Compare("D[i][i]", "==", "0")], "2\n0 1\n1 0\n",
         "2\n0 1\n2 0\n"),
        (MATRIX, [Compare("1", "<=", "D[i][j]", ("i != j",))], "2\n0 1\n1 0\n", "2\n0 1\n0 0\n"),
        (MATRIX, [Compare("D", "<=", "9")], "1\n9\n", "1\n10\n"),
        (MATRIX, [Compare("sum(D)", "<=", "9")], "2\n1 2\n3 3\n", "2\n1 2\n3 4\n"),
        (MATRIX, [Distinct(("D[i][*]",))], "2\n1 2\n1 2\n", "2\n1 2\n1 1\n"),
        (MATRIX, [Distinct(("D[i][j]",))], "2\n1 2\n3 4\n", "2\n1 2\n1 4\n"),
        (WORDS, [Letters("S", "ab")], "2\nab\na\n", "2\nab\nc\n"),
        (WORDS, [Letters("S[i][j]", "ab")], "2\nab\na\n", "2\nab\nc\n"),
        (WORDS, [Compare("len(S)", "<=", "N")], "2\nab\na\n", "2\nab\nabc\n"),
        (WORDS, [Compare("sum(len(S))", "<=", "4")], "2\nab\nab\n", "2\nab\nabc\n"),
        (WORDS, [Distinct(("S[i]",))], "2\nab\na\n", "2\na\na\n"),
        (WORDS, [OneOf("S", ("UP", "DOWN"))], "1\nUP\n", "1\nU\n"),
        (WORDS, [Is("S", "of one length")], "2\nab\ncd\n", "2\nab\nc\n"),
        (WORDS, [Is("S", "letters", ("ab", ">= 1"))], "2\nxa\nb\n", "2\nx\nb\n"),
        (WORDS, [Is("S", "letters in total", ("ab", ">= 2"))], "2\nx\nab\n", "2\nx\nb\n"),
        (WORDS, [Is("S[1]", "all different", ("S[2]",))], "2\na\nb\n", "2\na\na\n"),
        (WORDS, [Is("S", "palindrome")], "1\naba\n", "1\nab\n"),
        (WORDS, [Is("S", "brackets")], "1\n()\n", "1\n)(\n"),
        (WORDS, [Is("S", "no leading zero")], "2\n0\n10\n", "1\n01\n"),
        (LIST, [Distinct(("A[i]",))], "2 0\n1 2\n", "2 0\n1 1\n"),
        (GRAPH, [Distinct(("u[i]", "v[i]"), True)], "2 2\n1 2\n1 1\n", "2 2\n1 2\n2 1\n"),
        (LIST, [Sorted("A")], "2 0\n1 1\n", "2 0\n2 1\n"),
        (LIST, [Sorted("A", descending=True, strict=True)], "2 0\n2 1\n", "2 0\n1 1\n"),
        (LIST, [Permutation("A", "1", "N")], "2 0\n2 1\n", "2 0\n2 2\n"),
        (LIST, [Is("A", "prime")], "2 0\n2 7\n", "2 0\n2 9\n"),
        (LIST, [Is("K", "power", ("2",))], "1 8\n1\n", "1 6\n1\n"),
        (LIST, [Is("K", "in", ("A",))], "2 8\n1 8\n", "2 9\n1 8\n"),
        (LIST, [Is("A", "some", ("0", "=="))], "2 0\n1 0\n", "2 0\n1 1\n"),
        (LIST, [Is("A", "some multiple", ("K",))], "2 3\n1 6\n", "2 3\n1 7\n"),
        (LIST, [Is("A", "half", ("0",))], "2 3\n1 6\n", "2 3\n1 7\n"),
        (LIST, [Is("A", "not all alike")], "2 3\n1 6\n", "2 3\n1 1\n"),
        (LIST, [Is("A", "heap", ("min",))], "3 0\n1 3 2\n", "3 0\n2 1 3\n"),
        (LIST, [Is("A", "heap")], "3 0\n3 2 1\n", "3 0\n2 1 3\n"),
        (LIST, [Is("A", "index of", ("A",))], "2 0\n1 2\n", "2 0\n0 1\n"),
        (TWO, [Is("A", "permutation of", ("B",))], "2 2\n1 2\n2 1\n", "2 2\n1 2\n2 2\n"),
        (TWO, [Is("A", "same multiset", ("B",))], "2 2\n1 2\n2 1\n", "2 2\n1 2\n2 2\n"),
        (TWO, [Is("A", "same sum", ("B",))], "2 1\n1 2\n3\n", "2 1\n1 2\n4\n"),
        (TWO, [Is("A", "distinct together", ("B",))], "1 1\n1\n2\n", "1 1\n1\n1\n"),
        (MATRIX, [Is("D", "different rows")], "2\n1 2\n2 1\n", "2\n1 2\n1 2\n"),
        (lines(line("a", "b", "c")), [Is("a", "not all equal", ("a", "b", "c"))], "1 1 2\n", "1 1 1\n"),
        (lines(line("T"), rows("T", "N"), cases="T"), [TotalBound("N", "9")], "2\n4\n5\n", "2\n4\n6\n"),
        (lines(line("T"), Loop("T", (line("N"), line("A:N"))), cases="T"), [Sorted("A")],
         "2\n2\n1 2\n1\n0\n", "2\n1\n0\n2\n2 1\n"),
        (json_layout(s="text", a="[int]"), [Is("s", "trimmed"), Is("s", "single spaces")], '"a b"\n[]\n',
         '"a  b"\n[]\n'),
        (json_layout(a="[[int]]", n="int"), [Compare("len(a[i])", "==", "2"), Compare("a[i][0]", "<", "n")],
         "[[1,2]]\n2\n", "[[2,2]]\n2\n"),
        (json_layout(a="[int]", n="int"), [Is("n", "index of", ("a",))], "[5,5]\n1\n", "[5,5]\n2\n"),
        (json_layout(w="[text]", s="text"), [Is("s", "in", ("w",))], '["a"]\n"a"\n', '["ab"]\n"a"\n'),
    ],
)  # fmt: skip
def test_promises(layout: Layout, promises: list[Promise], right: str, wrong: str) -> None:
    validator = Validator(spec(layout, *promises))
    assert validator.reasons(right) == []
    assert validator.reasons(wrong) == ["broken: this"]
    values = validator.parse(wrong)
    assert any(validator.breaks(values, promise) for promise in promises)
    assert not validator.breaks(values, Compare("1", "<=", "1"))


@pytest.mark.parametrize(
    ("kind", "directed", "right", "wrong"),
    [
        ("tree", False, "3 2\n1 2\n2 3\n", "3 2\n1 2\n1 2\n"),
        ("connected", False, "3 3\n1 2\n2 1\n2 3\n", "3 2\n1 2\n1 2\n"),
        ("simple", False, "3 2\n1 2\n2 3\n", "3 2\n1 2\n2 1\n"),
        ("simple", True, "3 2\n1 2\n2 1\n", "3 2\n1 2\n1 2\n"),
        ("loopless", False, "3 2\n1 2\n1 2\n", "3 2\n1 2\n1 1\n"),
        ("no multi-edges", False, "3 2\n1 2\n1 1\n", "3 2\n1 2\n2 1\n"),
        ("distinct", False, "3 2\n1 2\n2 1\n", "3 2\n1 2\n1 2\n"),
        ("acyclic", False, "4 2\n1 2\n3 4\n", "3 3\n1 2\n2 3\n1 3\n"),
        ("acyclic", True, "3 3\n1 2\n2 3\n1 3\n", "3 3\n1 2\n2 3\n3 1\n"),
        ("bipartite", False, "4 4\n1 2\n2 3\n3 4\n4 1\n", "3 3\n1 2\n2 3\n3 1\n"),
        ("bipartite", True, "3 1\n1 2\n", "3 1\n1 1\n"),
    ],
)
def test_graphs(kind: str, directed: bool, right: str, wrong: str) -> None:
    validator = Validator(spec(GRAPH, Graph((kind,)), *ENDS, directed=directed))
    assert validator.reasons(right) == []
    assert validator.reasons(wrong) == ["broken: this"]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=9))
def test_kinds_of_graphs_agree(edges: list[tuple[int, int]]) -> None:
    """Compare `is_acyclic` with removing leaves, and `is_bipartite` with trying all colourings."""
    rest = [frozenset(edge) if edge[0] != edge[1] else frozenset([edge[0]]) for edge in edges]
    while lone := [
        e for e in rest if len(e) == 2 and any(sum(n in f for f in rest) == 1 for n in e)
    ]:
        rest.remove(lone[0])
    assert checks.is_acyclic(edges) == (not rest)
    colourings = range(1 << 7)
    colourable = any(all((c >> a & 1) != (c >> b & 1) for a, b in edges) for c in colourings)
    assert checks.is_bipartite(edges) == colourable
    arcs = list(edges)
    while final := [a for a in arcs if not any(b[0] == a[1] for b in arcs)]:
        arcs.remove(final[0])
    assert checks.is_acyclic(edges, directed=True) == (not arcs)
    assert checks.is_tree(6, edges) == (checks.is_acyclic(edges) and len(edges) == 5)


@given(
    st.lists(st.integers(-9, 9), max_size=6),
    st.integers(-9, 9),
    st.sampled_from(["<", "<=", ">", ">=", "!=", "=="]),
)
def test_comparisons_agree_with_python(values: list[int], bound: int, operator: str) -> None:
    text = f"{len(values)} {bound}\n{' '.join(map(str, values))}\n"
    holds = all(checks.COMPARISONS[operator](value, bound) for value in values)
    for promise in (Compare("A", operator, "K"), Compare("A[i] + 0", operator, "K")):
        assert (validate(spec(LIST, promise), text) == []) == holds


def test_properties_of_numbers() -> None:
    assert [n for n in range(30) if checks.is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert checks.is_prime(10**9 + 7)
    assert not checks.is_prime((10**9 + 7) * (10**9 + 9))
    assert [n for n in range(1, 20) if checks.is_power(n, 2)] == [1, 2, 4, 8, 16]


def test_only_requested_witnesses_are_checked() -> None:
    readings = (
        Reading("stated", (Compare("N", "<=", "9"),)),
        Reading("seen", (Compare("N", "<=", "5"),), "suspected"),
        Reading("guess", (Compare("N", "<=", "3"),), "guess"),
    )
    both = Spec("p", lines(line("N")), readings)
    assert validate(both, "7\n") == []
    assert validate(both, "7\n", ("statement", "suspected")) == ["broken: seen"]
    assert validate(both, "10\n", ("statement", "suspected")) == ["broken: stated", "broken: seen"]


def test_contradictory_promises_allow_no_input() -> None:
    validator = Validator(spec(lines(line("N")), Compare("N", "<", "3"), Compare("N", ">", "5")))
    assert all(validator.reasons(f"{n}\n") for n in range(9))


# ------------------------------------------------------------------ invalid specifications


@pytest.mark.parametrize(
    "term",
    ["", "X", "N +", "(" * 300 + "N" + ")" * 300, "N" + " + N" * 600, "__import__('os')", "N.real", "[N]", "lambda: N",
     "open('x')", "sum(N for N in A)", "A if N else N", "N := 3", "9 ** 9 ** 9", "10 ** 99999999", "'a' * 10 ** 9",
     "j", "A[j] + A[i]", "len()", "len(A, base=2)", "f'{N}'", "A[1:]", "None", "10.5 ** 9999"],
)  # fmt: skip
def test_error_names_the_place_of_an_invalid_term(term: str) -> None:
    with pytest.raises(SpecError, match=r"readings\[0\].promises\[1\]"):
        Validator(spec(LIST, Compare("1", "<=", "N"), Compare(term, "<=", "N")))


@pytest.mark.parametrize(
    "promise",
    [
        Compare("N", "in", "K"), Compare("N", "<=", "K", ("import os",)), Distinct(()), Distinct(("A[i]", "N")),
        Distinct(("A[*][*][*][*][*]",)), Sorted("N"), Sorted("A + A"), Permutation("A", "1", "A * 10 ** 9"),
        Permutation("A", "1", "Z"), Graph(("tree",)),
        Graph(("round",)), TotalBound("X", "1"), TotalBound("N", "X"), Is("N", "even"), Is("N", "in"),
        Is("A", "letters"),
        Is("N", "letters", ("ab", "many 2")), Is("A", "prime", ("(", ")")), Is("N", "all different", ("N",) * 999),
    ],
)  # fmt: skip
def test_invalid_promise_is_refused(promise: Promise) -> None:
    with pytest.raises(SpecError):
        Validator(spec(LIST, promise))


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("arguments", [(), ("A",), ("<", "1", "K"), ("'", '"', "", "9 ** 9 ** 9")])
def test_properties_raise_only_spec_errors(name: str, arguments: tuple[str, ...]) -> None:
    for term in ("A", "N", "A[i]", "A[N]", "len(A)", "3"):
        try:
            Validator(spec(LIST, Is(term, name, arguments))).reasons("2 0\n1 2\n")
        except SpecError:
            continue


@pytest.mark.parametrize(
    "layout",
    [
        lines(line("A:N"), line("N")),  # the count comes after its list
        lines(line("A:A")),
        lines(Loop("N", (line("N"),))),
        lines(line("N"), line("N")),
        lines(line("N"), Loop("N", ())),
        lines(line("N"), line("A:(")),
        lines(line("N"), line("A:open('x')")),
        lines(Line((Tuple((Scalar("a"),)),))),
        Layout("json", (Loop("N", (line("x"),)),)),
    ],
)
def test_invalid_layout_is_refused(layout: Layout) -> None:
    with pytest.raises(SpecError, match="layout"):
        Validator(spec(layout))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("A[i] ** A[i] ** A[i]", "2 0\n9999999 9999999\n"),
        ("N % K", "1 0\n1\n"),
        ("A[K]", "1 99\n1\n"),
        ("2 ** K", "1 999999999\n1\n"),
        ("2 ** -1", "1 1\n1\n"),
    ],
)
def test_promise_that_cannot_be_evaluated_fails_within_seconds(term: str, text: str) -> None:
    start = time.process_time()
    assert validate(spec(LIST, Compare(term, "<=", "N")), text) == ["broken: this"]
    assert time.process_time() - start < 5


def test_names_are_not_executed() -> None:
    layout = lines(line("sum", "len"), line("all:sum"))
    promises = [Compare("sum", "==", "len(all)"), Compare("len", "==", "sum(all)")]
    assert validate(spec(layout, *promises), "2 3\n1 2\n") == []
    assert validate(spec(layout, *promises), "2 4\n1 2\n") == ["broken: this"]
    hostile = lines(line("__import__('os').abort()"))
    assert Validator(spec(hostile)).reasons("1\n") == []


def test_first_index_of_a_list() -> None:
    layout = lines(line("N"), line("P:N - 1"))
    parents = spec(layout, Compare("P[i]", "<", "i"), Is("P", "index of", ("P",)), first={"P": 2})
    assert validate(parents, "4\n2 2 3\n") == ["broken: this"]
    assert validate(replace(parents, first={"P": 0}), "3\n0 0\n") == ["broken: this"]
    assert validate(replace(parents, first={"P": -1}), "3\n-2 -1\n") == ["broken: this"]
    shorter = spec(layout, Compare("P[i]", "<", "i"), first={"P": 2})
    assert validate(shorter, "4\n1 2 3\n") == []
    assert validate(shorter, "4\n2 2 3\n") == ["broken: this"]
