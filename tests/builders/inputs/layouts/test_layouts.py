"""Layouts from format blocks, from sentences, and from inputs alone."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from venus_toolkit.builders.inputs.layouts import describe, format_block, search
from venus_toolkit.builders.inputs.layouts.find_layout import (
    Evidence,
    find_layout,
    fits,
    resolve_kinds,
)
from venus_toolkit.builders.inputs.spec.checking.checks import InputError
from venus_toolkit.builders.inputs.spec.checking.values import Reader
from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Tuple,
    scalars,
)
from venus_toolkit.builders.inputs.statements import Statement
from venus_toolkit.builders.inputs.statements.spelling import spell


def shown(items: Layout | tuple[object, ...]) -> str:
    """Return a layout in one line: ``n m; n*a; m{u v}``, with ``s:text[n]`` for a text."""
    body = items.body if isinstance(items, Layout) else items
    return "; ".join(map(_item, body))


def _item(item: object) -> str:
    if isinstance(item, Loop):
        return f"{item.count}{{{shown(item.body)}}}"
    if isinstance(item, Choice):
        return " | ".join(" ".join([kind, *map(_node, nodes)]) for kind, nodes in item.kinds)
    assert isinstance(item, Line)
    return " ".join(map(_node, item.nodes))


def _node(node: Node) -> str:
    if isinstance(node, Many):
        return f"{node.count}*{_node(node.item)}"
    if isinstance(node, Tuple):
        return f"({' '.join(map(_node, node.items))})"
    return (
        node.name
        + (f":{node.kind}" * (node.kind != "int"))
        + (f"[{node.length}]" if node.length else "")
    )


def first(layouts: itertools.chain[Layout], *inputs: str) -> str:
    for layout in itertools.islice(layouts, 40):
        try:
            return shown(resolve_kinds(layout, list(inputs)))
        except InputError:
            continue
    return "none"


BLOCKS = [
    (
        ["N M\nA_1 A_2 \\ldots A_N\nu_1 v_1\n\\vdots\nu_M v_M"],
        "2 1\n5 6\n1 2\n",
        "N M; N*A; M{u v}",
    ),
    (["N\nS_1S_2\\cdotsS_N"], "3\nabc\n", "N; S:text[N]"),
    (["N\nS_1S_2 ... S_N"], "3\na b c\n", "N; N*S:text"),
    (
        ["H W\nc_{1,1}c_{1,2}...c_{1,W}\n:\nc_{H,1}c_{H,2}...c_{H,W}"],
        "2 3\n#.#\n...\n",
        "H W; H{c:text[W]}",
    ),
    (["N\na_{11} ... a_{1N}\n\\vdots\na_{N1} ... a_{NN}"], "2\n1 2\n3 4\n", "N; N{N*a}"),
    (
        ["N\nK_1 A_{1,1} ... A_{1,K_1}\n:\nK_N A_{N,1} ... A_{N,K_N}"],
        "2\n1 5\n2 5 6\n",
        "N; N{K K*A}",
    ),
    (
        ["N\nK_1\nA_{1,1} ... A_{1,K_1}\n:\nK_N\nA_{N,1} ... A_{N,K_N}"],
        "2\n1\n5\n2\n5 6\n",
        "N; N{K; K*A}",
    ),
    (["N K\nu_1 v_1\n.\n.\n.\nu_{NK-1} v_{NK-1}"], "1 3\n1 2\n2 3\n", "N K; N*K-1{u v}"),
    (["N\nx_1 y_1 x_2 y_2 ... x_N y_N"], "2\n1 2 3 4\n", "N; N*(x y)"),
    (
        ["T\n\\mathrm{case}_1\n\\vdots\n\\mathrm{case}_T", "N\nA_1 ... A_N"],
        "2\n1\n7\n2\n7 8\n",
        "T; T{N; N*A}",
    ),
    (["T", "N\nA_1 ... A_N"], "2\n1\n7\n2\n7 8\n", "T; T{N; N*A}"),
    (["Q\nquery_1\n:\nquery_Q", "1 x", "2 l r"], "2\n1 5\n2 3 4\n", "Q; Q{1 x | 2 l r}"),
    (["s_1\ns_2\ns_3"], "a\nb\nc\n", "3{s:text}"),
    (["N_1 N_2\nA_1 A_2"], "1 2\n3 4\n", "N_1 N_2; A_1 A_2"),
]


@pytest.mark.parametrize(("blocks", "sample", "layout"), BLOCKS)
def test_format_block(blocks: list[str], sample: str, layout: str) -> None:
    assert first(format_block.layouts([*map(spell, blocks)]), sample) == layout


def examples(grammar: Path, mark: str) -> list[str]:
    """Return the examples (``+``) or counter-examples (``-``) of a grammar."""
    lines = grammar.read_text().split("\n\n", 1)[1].splitlines()
    return [line[3:].strip() for line in lines if line.startswith(f"//{mark}")]


def bare(layout: str) -> str:
    """Return a layout without the kinds of its values."""
    return re.sub(":(?:word|text)", "", layout)


def blocks(text: str) -> list[Layout]:
    """Return the layouts of a block; as in the grammar, `` / `` separates lines."""
    return list(format_block.layouts([text.replace(" / ", "\n")]))


@pytest.mark.parametrize("example", examples(format_block.GRAMMAR, "+"))
def test_example_block(example: str) -> None:
    block, _, layout = example.partition(" => ")
    assert bare(shown(blocks(block)[0])) == layout


@pytest.mark.parametrize("block", examples(format_block.GRAMMAR, "-"))
def test_counter_example_block(block: str) -> None:
    assert blocks(block) == []


@pytest.mark.parametrize("example", examples(describe.GRAMMAR, "+"))
def test_example_sentence(example: str) -> None:
    sentence, _, lines = example.partition(" => ")
    assert bare(shown(next(describe.candidates(sentence)))) == lines


@pytest.mark.parametrize("sentence", examples(describe.GRAMMAR, "-"))
def test_counter_example_sentence(sentence: str) -> None:
    assert list(describe.candidates(sentence)) == []


@pytest.mark.parametrize("grammar", [format_block.GRAMMAR, describe.GRAMMAR])
def test_each_rule_has_examples(grammar: Path) -> None:
    rules = [part for part in grammar.read_text().split("\n\n") if re.match(r"\??[a-z]+: ", part)]
    for rule in rules:
        assert "\n//+" in rule or rule.startswith("block:"), rule
    assert sum("\n//-" in rule for rule in rules) >= len(rules) - 1


SENTENCES = [
    ("One line with two integers n and q, the number of boxes and of calls.\n\n- q lines, the "
        "ith of which contains "
     "two integers l_i and r_i (1 <= l_i <= r_i <= n), the ends of a call.", "5 2\n1 2\n3 3\n", "n q; q{l r}"),
    ("One line with n integers, the ith of which is the age, in years, of the ith cow.", "4 5 6\n", "none"),
    ("The input begins with a single integer 1 <= n <= 9. On the next line there are n "
        "integers, each at least 0.",
     "2\n4 5\n", "n; n*values"),
    ("The first line contains the integers N and T. Then follow N lines, each with three "
        "integers a_i, b_i, c_i.",
     "1 9\n1 2 3\n", "N T; N{a b c}"),
    ("The first line contains an integer n, the number of cows, where n >= 1, and an integer "
        "q, the number of days, "
     "counted in weeks.", "3 4\n", "n q"),
    ("The first line contains an integer n. Next there are n lines, each describing one cow. "
        "The i-th line contains a "
     "string s_i and a positive integer x_i.", "1\nann 4\n", "n; n{s:text x}"),
    ("The first line contains an integer n.\nThe following n lines describe the cows. Line i "
        "first contains a number "
     "k_i, followed by k_i integers a_1, ..., a_k.", "2\n1 5\n2 5 6\n", "n; n{k k*a}"),
    ("The first line contains N, the length of the string s. The second line contains the "
        "string s. After that, a line "
     "with the number K.", "2\nab\n7\n", "N; s:text; K"),
    ("The first line contains an integer N. Afterwards, there will be a line with N-1 "
        "integers p_2, p_3, ..., p_N.",
     "3\n1 1\n", "N; N-1*p"),
    ("The first line contains an integer N. The second line contains N integers L_1, L_2, "
        "..., L_n.",
     "2\n1 1\n", "N; N*L"),
    ("The first line contains an integer n. The second line contains n integers (1 <= a_i <= "
        "9), the ages.",
     "2\n3 4\n", "n; n*a"),
    ("The first line contains n and m. The following n rows contain a string of length m "
        "each. These strings represent "
     "the rows and contain letters a-z and dots.", "2 2\nab\ncd\n", "n m; n{row:text}"),
    ("The first line contains n.\nThe following n lines each contain two integers. Line "
        "number i contains e_i and w_i, "
     "the energy and weight of cow i.", "1\n4 5\n", "n; n{e w}"),
    ("The first line contains three integers:\n\nthe number of days N during which it rains "
        "(1 <= N <= 9)\n\n"
     "the number of tickets M (1 <= M <= 10)\n\nthe price K.\n\nThe second line contains N "
         "integers d_i.",
     "2 9 8\n4 5\n", "N M K; N*d"),
    ("The first line contains two integers:\n\n- n, the number of bags\n- m, the number of "
        "days\nThen follow n lines, "
     "each with an integer c_i.", "2 9\n4\n5\n", "n m; n{c}"),
    ("The first line contains two numbers: they may be large\n\nThe second line contains an "
        "integer n.", "2 9\n4\n",
     "2*values; n"),
    ("The first line contains n. Next comes a line with n pairs of integers l_i, r_i.", "2\n1 4 2 5\n", "n; n*(l r)"),
    ("The first line contains n. Each of the next n lines contains k, followed by k pairs of "
        "integers s and t.",
     "2\n1 4 2\n2 4 3 5 6\n", "n; n{k k*(s t)}"),
]  # fmt: skip


@pytest.mark.parametrize(("description", "sample", "layout"), SENTENCES)
def test_layout_from_sentences(description: str, sample: str, layout: str) -> None:
    assert first(describe.candidates(description), sample) == layout


FOUND = [
    (["3 1\n4 5 6\n", "2 9\n4 5\n"], "_1 _2; _1*_3"),
    (["3 2\n1 2\n2 3\n", "4 1\n4 3\n"], "_1 _2; _2{_3 _4}"),
    (["3\n1 2\n2 3\n", "2\n4 3\n"], "_1; _1 - 1{_2 _3}"),
    (["2 3\n#.#\n...\n", "3 2\n..\n..\n.#\n"], "_1 _2; _1{_3:text}"),
    (["2\n1 5\n2 5 6\n", "1\n3 1 2 3\n"], "_1; _1{_2 _2*_3}"),
    (["2\n1\n7\n2\n7 8\n", "1\n3\n7 8 9\n"], "_1; _1{_2; _2*_3}"),
    (["4\n1 5\n2 3 4 5\n1 5\n2 1 1 7\n", "2\n1 2\n1 4\n"], "_1; _1{1 _2_1 | 2 _2_2 _3_2 _4_2}"),
    (["0 1 2\n3 4 5\n6 7 8\n", "1 1 4\n3 4 5\n6 7 8\n"], "3{_1 _2 _3}"),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "layout"), FOUND)
def test_layout_from_inputs(inputs: list[str], layout: str) -> None:
    assert first(search.layouts(inputs), *inputs) == layout


def test_search_continues_a_block() -> None:
    (block,) = itertools.islice(format_block.layouts(["N Q\nA_1 ... A_N\nquery_1\n:\nquery_Q"]), 1)
    inputs = ["2 4\n5 6\n1 1 2\n2 1\n2 2\n1 2 1\n", "3 4\n5 6 7\n2 1\n2 1\n1 1 3\n1 2 3\n"]
    assert (
        first(search.layouts(inputs, block.body[:2]), *inputs)
        == "N Q; N*A; Q{1 _4_1 _5_1 | 2 _4_2}"
    )


def test_choice_is_read_by_its_first_word() -> None:
    layout = Layout(
        "lines", resolve_kinds(next(search.layouts(["4\n1 5\n2 3 4 5\n1 5\n2 1 1 7\n"])), []).body
    )
    assert Reader(layout).read("2\n2 3 4 5\n1 9\n").whole["_2_1"] == [9]
    assert not any(fits(layout, wrong) for wrong in ("2\n3 3 4\n1 9\n", "1\n1 2 3\n", "1\n\n"))


KINDS = [
    ("N is an integer between 2 and 10^5 (inclusive).\nS is a string of length N.", {"S"}),
    ("S is a string of length N.\nN is a positive integer.", {"S"}),
    ("1 <= N <= 9\nS consists of digits.", {"S"}),
    ("N and S are strings of digits.", {"N", "S"}),
    ("N and S are integers.", set()),
    ("You are given a string S.", {"S"}),
    ("You are given a string S, 1 <= S <= 9.", set()),
]


@pytest.mark.parametrize(("constraints", "texts"), KINDS)
def test_kind_of_words_of_digits(constraints: str, texts: set[str]) -> None:
    statement = Statement(constraints=constraints, formats=("N\nS",))
    layout = find_layout(Evidence(statement, ["3\n110\n", "2\n01\n"], [])).layout
    assert {node.name for node in scalars(layout.body) if node.kind == "text"} == texts
