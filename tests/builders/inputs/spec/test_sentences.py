"""A specification as sentences: every kind of line and promise."""

from __future__ import annotations

import typing

from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Layout,
    Line,
    Loop,
    Many,
    Node,
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
from venus_toolkit.builders.inputs.spec.sentences import sentences
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.builders.inputs.spec.structures import KINDS, Structure


def test_lines_are_numbered_until_the_first_loop() -> None:
    edges = Loop("M", (Line((Scalar("u"), Scalar("v"))),))
    queries = Loop("Q", (Choice((("1", (Scalar("x"),)), ("2", ()))),))
    grid = Loop("H", (Line((Scalar("row", "text", "W"),)),))
    case = Loop("T", (Line((Scalar("n"),)), Line((Many("a", "n", Scalar("a", "real")),))))
    body = (
        Line((Scalar("N"), Scalar("M"))),
        Line(),
        edges,
        Line((Scalar("Q"),)),
        queries,
        grid,
        case,
    )
    assert sentences(Spec("all", Layout("lines", body, cases="T"), loose=True)) == [
        "line 1: N, M",
        "line 2: (empty)",
        "then M lines: u, v",
        "then a line: Q",
        "then Q lines: one of 1 x | 2",
        "then H lines: row (string of length W)",
        "then T test cases:",
        "  a line: n",
        "  a line: a (n real numbers)",
        "an input may have more white space than that",
    ]


def shown(*nodes: Node) -> list[str]:
    return sentences(Spec("all", Layout("json", tuple(Line((node,)) for node in nodes))))


def numbers(name: str) -> Many:
    return Many(name, f"len_{name}", Scalar(f"{name}_at"))


def test_sentences_of_arguments() -> None:
    row = Tuple((Scalar("edges_at_0"), Scalar("edges_at_1", "text")))
    grid = Many("grid", "len_grid", Many("grid_at", "len_grid_at", Scalar("grid_at_at", "text")))
    assert shown(Scalar("n"), numbers("a"), Many("edges", "len_edges", row), grid) == [
        "argument n: an integer",
        "argument a: a list of integers",
        "argument edges: a list of rows [edges_at_0 (integer), edges_at_1 (string)]",
        "argument grid: a list of lists of strings",
    ]


def test_sentences_of_structures() -> None:
    tree = {"search": True, "balanced": True, "swapped": 2, "height": 9}
    options = {
        "tree": tree, "nary_tree": {"height": 7}, "linked_list": {"leading": "last"}, "random_list": {},
        "position": {"of": "linked_list"}, "shared": {"of": ["tree", "linked_list"]},
        "node": {"of": "tree", "unlike": ["p"]}, "graph": {"acyclic": True, "undirected": True},
    }  # fmt: skip
    assert set(options) == set(KINDS) - {"class"}
    nodes = [Structure(kind, kind, own, (numbers(kind),)) for kind, own in options.items()]
    assert [line.split(": ", 1)[1] for line in shown(*nodes)] == [
        "a balanced binary search tree of integers, in which exactly 2 values changed places, of at "
        "most 9 levels",
        "a tree of integers whose nodes have any number of children, of at most 7 levels",
        "a linked list of integers, whose last digit is not 0 unless it is the only one",
        "a linked list of integers with a second pointer to any node or none",
        "the index in linked_list that its last node links to, -1 for none",
        "how many nodes tree and linked_list share at their ends",
        "the value of a node of tree, not the one of p",
        "an acyclic undirected graph as the neighbours of each node, from 0 on",
    ]


def test_sentences_of_a_class() -> None:
    options = {
        "methods": {"push": ["push"], "pop": []}, "grows": ["push"], "shrinks": ["pop"], "filled": ["pop"],
        "most": {"pop": 4}, "once": ["push"],
    }  # fmt: skip
    pile = Structure("class", "Pile", options, (Scalar("size"), numbers("calls"), numbers("push")))
    assert shown(pile) == [
        "line 1: the methods that are called, Pile first; line 2: their arguments",
        "Pile(size: an integer)",
        "push(push: an integer)",
        "pop()",
        "pop is called only while something is inside",
        "push puts one in",
        "pop takes one out",
        "pop is called at most 4 times",
        "no value of push comes twice",
    ]


def test_sentence_names_the_witness_of_a_promise() -> None:
    promises: dict[str, tuple[Promise, ...]] = {
        "1 <= n <= 10^5": (Compare("n", ">=", "1"), Compare("n", "<=", "10 ** 5")),
        "a[i] is not b, where i < len(a)": (Compare("a[i]", "!=", "b", ("i < len_a",)),),
        "s consists of 0 1 a-z": (Letters("s", "01abcdefghijklmnopqrstuvwxyz"),),
        "t is one of 0, 2": (OneOf("t", (0, 2)),),
        "no two of a[i] are equal": (Distinct(("a[i]",)),),
        "no two rows (u[i], v[i]) are equal, in either order": (Distinct(("u[i]", "v[i]"), True),),
        "a is strictly decreasing": (Sorted("a", True, True),),
        "a is non-decreasing": (Sorted("a"),),
        "p holds each of 1 to n once": (Permutation("p", "1", "n"),),
        "the edges form a graph: connected, loopless": (Graph(("connected", "loopless")),),
        "the sum of n over all test cases is at most 9": (TotalBound("n", "9"),),
        "n is power of 2": (Is("n", "power of", ("2",)),),
    }  # fmt: skip
    kinds = {type(promise) for group in promises.values() for promise in group}
    assert kinds == set(typing.get_args(Promise))
    layout = Layout("lines", ())
    for text, group in promises.items():
        spec = Spec("all", layout, (Reading("Some  words.", group),))
        assert sentences(spec) == [f'{text} ("Some words.")']
    sorted_list = (Sorted("a"),)
    readings = (
        Reading("it holds in all 3 samples", sorted_list, "suspected"),
        Reading("", sorted_list, "guess"),
        Reading("word " * 100, sorted_list),
        Reading("N M", ()),
    )
    suspected, guess, long, unread = sentences(
        Spec("all", layout, readings, unread=("What is that?",))
    )
    assert suspected == "a is non-decreasing (suspected: it holds in all 3 samples)"
    assert guess == "a is non-decreasing (a guess)"
    assert long.startswith('a is non-decreasing ("word word')
    assert len(long) < 250
    assert unread == 'not understood: "What is that?"'
