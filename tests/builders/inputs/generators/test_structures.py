"""Inputs of trees, lists, graphs and classes.

Flat inputs folded, and what is no such structure refused.
"""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from tests.builders.test_functions import LANGUAGES, entry
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.inputs.derive import derive
from venus_toolkit.builders.inputs.flat import (
    Flat,
    flat_of,
    flattening,
    folding,
    with_structures,
)
from venus_toolkit.builders.inputs.generators.render import code_of
from venus_toolkit.builders.inputs.spec.structures import Broken, flatten, fold

TREE = {"kind": "tree", "name": "root", "search": False, "perfect": False}
GRAPH = {
    "kind": "graph",
    "name": "graph",
    "base": 0,
    "directed": False,
    "acyclic": False,
    "connected": True,
}
STACK = {
    "kind": "class", "name": "Pile", "parameters": [{"kind": "same", "name": "most"}],
    "methods": {"push": ["push"], "pop": [], "swap": ["swap"]}, "rows": ["swap"], "pools": ["push", "swap"],
    "grows": ["push"], "shrinks": ["pop"], "filled": ["pop"],
    "known": [],
}  # fmt: skip


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def read(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("search", [False, True])
def test_a_tree_has_the_values_of_its_flat_form_and_all_shapes(search: bool) -> None:
    structures = [{**TREE, "search": search}]
    values = [5, 3, 8, 1, 4, 7, 9, 2]
    made = [fold(structures, lines(values), seed) for seed in range(40)]
    assert len(set(made)) > 10
    for text in made:
        assert sorted(read(flatten(structures, text))[0]) == sorted(values)
    assert fold(structures, lines([]), 1) == "[]\n"
    # As deep as solutions can recurse, and no deeper.
    wide = max(
        len(read(fold(structures, lines(list(range(30_000))), seed))[0]) for seed in range(6)
    )
    assert wide < 70_000


@pytest.mark.parametrize(
    ("structures", "text", "why"),
    [
        ([TREE], "[1,null,null,2]\n", "no parent"),
        ([TREE], "[1,null]\n", "ends with a node"),
        ([{**TREE, "search": True}], "[5,3,8,null,6]\n", "wrong side"),
        ([{**TREE, "perfect": True}], "[1,2,3,4]\n", "not full"),
        ([{**TREE, "complete": True}], "[1,null,3]\n", "not complete"),
        (
            [TREE, {"kind": "node", "name": "p", "of": "root", "unlike": []}],
            "[1,2]\n3\n",
            "no node 3",
        ),
        (
            [{"kind": "same", "name": "head"}, {"kind": "position", "name": "pos", "of": "head"}],
            "[1]\n1\n",
            "not an index",
        ),
        ([{"kind": "random_list", "name": "head"}], "[[7,null],[1,2]]\n", "not an index"),
        ([{"kind": "nary_tree", "name": "root"}], "[1,2]\n", "one root"),
        ([GRAPH], "[[1],[]]\n", "one direction"),
        ([GRAPH], "[[1],[0],[]]\n", "not connected"),
        (
            [{**GRAPH, "directed": True, "acyclic": True, "connected": False}],
            "[[1],[2],[0]]\n",
            "cycle",
        ),
        ([STACK], '["Pile","pop"]\n[[1],[]]\n', "nothing inside"),
        ([STACK], '["Pile","push"]\n[[1],[2,3]]\n', "other arguments"),
        ([TREE], "[1]\n[2]\n", "2 lines"),
    ],
)
def test_what_is_no_such_structure_is_said(
    structures: list[dict[str, Any]], text: str, why: str
) -> None:
    with pytest.raises(Broken, match=why):
        flatten(structures, text)


def test_nodes_positions_and_shared_ends_are_inside() -> None:
    node = [
        TREE,
        *(
            {"kind": "node", "name": n, "of": "root", "unlike": ["p"] if n == "q" else []}
            for n in "pq"
        ),
    ]
    cycle = [{"kind": "same", "name": "head"}, {"kind": "position", "name": "pos", "of": "head"}]
    joined = [
        *({"kind": "same", "name": n} for n in "ab"),
        {"kind": "shared", "name": "shared", "of": ["a", "b"]},
    ]
    for seed in range(20):
        flatten(node, fold(node, lines([3, 1, 2], 9, 9), seed))
        flatten(cycle, fold(cycle, lines([3, 1, 2], 7), seed))
        flatten(joined, fold(joined, lines([3, 1, 2], [4, 5], 9), seed))
    assert {read(fold(cycle, lines([3, 1, 2], 2), seed))[1] for seed in range(20)} == {-1, 2}


def test_calls_of_a_class_keep_to_what_it_allows() -> None:
    flat = lines(7, [1, 0, 1, 1, 2, 0], [4, 5], [[1, 2]])
    operations, arguments = read(fold([STACK], flat, 1))
    assert operations == ["Pile", "push", "push", "pop", "pop", "swap", "push"], (
        "the first pop has nothing to take"
    )
    assert arguments == [[7], [4], [5], [], [], [1, 2], [4]]
    assert read(flatten([STACK], lines(operations, arguments))) == [
        7,
        [0, 0, 1, 1, 2, 0],
        [4, 5, 4],
        [[1, 2]],
    ]


def test_what_a_call_takes_out_was_put_in() -> None:
    bag = {
        **STACK, "methods": {"inc": ["inc"], "dec": ["dec"]}, "rows": [], "pools": ["inc", "dec"],
        "grows": ["inc"], "shrinks": ["dec"], "filled": [], "known": ["dec"],
    }  # fmt: skip
    operations, arguments = read(fold([bag], lines(7, [1, 0, 1, 1, 0, 1, 1], ["a", "b"], ["z"]), 3))
    assert operations[1:] == ["inc", "inc", "dec", "dec", "inc", "dec", "inc"]
    assert [each[0] for each in arguments[1:]].count("z") == 0
    flatten([bag], lines(operations, arguments))
    with pytest.raises(Broken, match="not inside"):
        flatten([bag], lines(["Pile", "inc", "dec", "dec"], [[7], ["a"], ["a"], ["a"]]))


@pytest.mark.parametrize("kind", [{"acyclic": True, "directed": True}, {"directed": True}, {}])
def test_graphs_are_what_they_are_said_to_be(kind: dict[str, bool]) -> None:
    graph = {**GRAPH, "connected": not kind, **kind}
    for seed in range(20):
        text = fold([graph], lines(list(range(seed))), seed)
        assert len(read(flatten([graph], text))[0]) == seed


def test_no_name_of_the_embedded_modules_is_taken_twice() -> None:
    def names(*modules: str) -> set[str]:
        nodes = ast.parse(code_of(*modules)).body
        targets = (
            target for node in nodes if isinstance(node, ast.Assign) for target in node.targets
        )
        defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        return defined | {target.id for target in targets if isinstance(target, ast.Name)}

    others = ("layouts/expressions", "generators/synthesis", "generators/mutation")
    assert not [each for each in others if names("generators/structures") & names(each)]


NODES = (
    "class Solution:\n    def f(self, root: TreeNode, p: TreeNode, q: TreeNode) -> TreeNode:\n   "
    "     "
)
METHODS = ("__init__(self, most: int)", "push(self, val: int) -> None", "pop(self) -> int")
PILE = "class Pile:\n" + "\n".join(f"    def {head}:\n        " for head in METHODS)
FIND = """Find it.

Example 1:

Input: root = [6,2,8,0], p = 2, q = 8
Output: 6

Constraints:

- The number of nodes in the tree is in the range [2, 50].
- -100 <= Node.val <= 100
- All Node.val are unique.
- p != q
- p and q will exist in the tree.
"""
MAKE = """Make it.

Example 1:

Input
["Pile","push","pop"]
[[3],[4],[]]
Output
[null,null,4]

Explanation
None.

Constraints:

- 1 <= most <= 9
- 0 <= val <= 30
- At most 3000 calls will be made to push and pop.
- pop is always called on a non-empty pile.
"""


def derived(python: str, statement: str) -> tuple[Flat, Any]:
    found = complete(entry(statement=statement, starter_code={"python": python}), LANGUAGES)
    flat = flat_of(with_structures(found.entry.problem, found.signature, found.entry.tests))
    assert flat
    return flat, derive(flat.problem)


def test_a_generator_of_flat_inputs_makes_inputs_of_the_problem() -> None:
    flat, made = derived(NODES, FIND)
    assert made.reasons == ()
    space: dict[str, Any] = {}
    exec(folding(made.source, flat.structures), space)
    for seed in range(10):
        root, p, q = read(space["generate"](seed, "random"))
        values = [value for value in root if value is not None]
        assert 2 <= len(values) <= 50
        assert len(set(values)) == len(values)
        assert p != q
        assert {p, q} <= set(values)
        assert all(-100 <= value <= 100 for value in values)
    checks: dict[str, Any] = {}
    exec(flattening("def validate(stdin):\n    return len(stdin) > 20\n", flat.structures), checks)
    assert checks["validate"](lines([6, 2, 8, 0], 2, 8)) is False, "its flat form is short"
    with pytest.raises(ValueError, match="no node 9"):
        checks["validate"](lines([6, 2, 8, 0], 2, 9))


def test_calls_of_a_class_reach_what_is_stated() -> None:
    flat, made = derived(PILE, MAKE)
    space: dict[str, Any] = {}
    exec(folding(made.source, flat.structures), space)
    longest = 0
    for seed in range(8):
        operations, arguments = read(space["generate"](seed, "large"))
        longest = max(longest, len(operations))
        inside = 0
        for name, given in zip(operations[1:], arguments[1:], strict=True):
            inside += 1 if name == "push" else -1
            assert inside >= 0
            assert name == "pop" or 0 <= given[0] <= 30
    assert longest > 1000
