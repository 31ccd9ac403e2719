"""Inputs of trees, lists, graphs and classes: folding, refusals, and words that promise them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.builders.test_functions import LANGUAGES, entry
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.inputs.derive import DerivedSpec
from venus_toolkit.builders.inputs.flat import (
    RULES,
    Flat,
    StatementWords,
    derived,
    flat_of,
    with_structures,
)
from venus_toolkit.builders.inputs.spec import draw, validate
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Node, Scalar
from venus_toolkit.builders.inputs.spec.specification import (
    Spec,
    SpecError,
    from_json,
    from_plain,
    to_json,
    to_plain,
)
from venus_toolkit.builders.inputs.spec.structures import (
    Structure,
    StructureError,
    flatten,
    fold,
    unfold,
)


def tree(**options: Any) -> Structure:
    return Structure("tree", "root", options, (numbers("root"),))


def graph(**options: Any) -> Structure:
    return Structure("graph", "graph", {"base": 0, **options}, (numbers("graph"),))


def node(name: str, **options: Any) -> Structure:
    return Structure("node", name, {"of": "root", **options}, (Scalar(name),))


def numbers(name: str) -> Many:
    return Many(name, f"len_{name}", Scalar(f"{name}_at"))


def layout(*nodes: Node) -> Layout:
    return Layout("json", tuple(Line((node,)) for node in nodes))


STACK = Structure(
    "class",
    "Pile",
    {
        "methods": {"push": ["push"], "pop": [], "swap": ["swap"]}, "rows": ["swap"],
        "grows": ["push"], "shrinks": ["pop"], "filled": ["pop"], "most": {"swap": 2},
    },
    (Scalar("most"), numbers("calls"), numbers("push"), Many("swap", "len_swap", numbers("swap_at"))),
)  # fmt: skip


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def read(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    "options",
    [
        {}, {"search": True}, {"search": True, "equal": True}, {"search": True, "swapped": 2}, {"heap": "max"},
        {"heap": "min", "complete": True}, {"complete": True, "search": True}, {"balanced": True}, {"height": 4},
        {"balanced": True, "search": True},
    ],
)  # fmt: skip
def test_tree_has_the_values_of_its_flat_form_and_all_shapes(options: dict[str, Any]) -> None:
    where = layout(tree(**options))
    values = [5, 3, 8, 1, 4, 7, 9, 2]
    texts = [fold(where, lines(values), seed) for seed in range(40)]
    assert len(set(texts)) > (0 if options.get("complete") else 5)
    for text in texts:
        assert sorted(read(flatten(where, text))[0]) == sorted(values)
    for count in range(20):
        flatten(
            where,
            fold(
                where, lines(list(range(count if "swapped" not in options else count + 2))), count
            ),
        )
    # At least one unconstrained tree of these values is refused.
    if options and options != {"search": True, "equal": True}:
        some = [fold(layout(tree()), lines(values), seed) for seed in range(40)]
        assert any(_is_refused(where, text) for text in some)


def _is_refused(where: Layout, text: str) -> bool:
    try:
        flatten(where, text)
    except StructureError:
        return True
    return False


def test_perfect_tree_is_full_and_deep_trees_are_limited() -> None:
    perfect = layout(tree(perfect=True))
    assert [len(read(fold(perfect, lines([1] * n), 1))[0]) for n in range(8)] == [
        0,
        1,
        1,
        3,
        3,
        3,
        3,
        7,
    ]
    deep = (fold(layout(tree()), lines(list(range(30_000))), seed) for seed in range(6))
    assert max(len(read(text)[0]) for text in deep) < 70_000
    assert fold(layout(tree()), lines([]), 1) == "[]\n"


def nary(**options: Any) -> Structure:
    return Structure("nary_tree", "root", options, (numbers("root"),))


LIST = numbers("head")
CYCLE = Structure("position", "pos", {"of": "head"}, (Scalar("pos"),))
PAIRS = Structure("random_list", "head", {}, (LIST,))
SHARED = Structure("shared", "shared", {"of": ["a", "b"]}, (Scalar("shared"),))
DIGITS = Structure("linked_list", "head", {"leading": "first"}, (LIST,))
UNITS_FIRST = Structure("linked_list", "head", {"leading": "last"}, (LIST,))


@pytest.mark.parametrize(
    ("nodes", "text", "complaint"),
    [
        ([tree()], "[1,null,null,2]\n", "no parent"),
        ([tree()], "[1,null]\n", "end with a node"),
        ([tree()], "7\n", "the tree is not a list"),
        ([tree(search=True)], "[5,3,8,null,6]\n", "wrong side"),
        ([tree(search=True)], "[5,3,5]\n", "twice"),
        ([tree(search=True)], '[5,"a"]\n', "not a tree"),
        ([tree(search=True, equal=True)], "[5,6,5]\n", "wrong side"),
        ([tree(search=True, swapped=2)], "[2,1,3]\n", "0 values are not in their places"),
        ([tree(search=True, swapped=2)], "[1,2,3]\n", None),
        ([tree(search=True, swapped=2)], "[1,3,2]\n", "3 values"),
        ([tree(heap="max")], "[5,3,6]\n", "in a heap"),
        ([tree(heap="min")], "[5,3,6]\n", "in a heap"),
        ([tree(heap="min")], "[5,5,6]\n", None),
        ([tree(perfect=True)], "[1,2,3,4]\n", "not full"),
        ([tree(complete=True)], "[1,null,3]\n", "not complete"),
        ([tree(balanced=True)], "[1,2,null,3]\n", "heights"),
        ([tree(height=2)], "[1,2,null,3]\n", "3 levels"),
        ([nary(height=2)], "[1,null,2,3,null,4]\n", "3 levels"),
        ([nary(height=3)], "[1,null,2,3,null,4]\n", None),
        ([nary()], "[1,2]\n", "one root"),
        ([nary()], "[1,null,2,null,null,null,3]\n", "no parent"),
        ([tree(), node("p")], "[1,2]\n3\n", "no node 3"),
        ([tree(), node("p"), node("q", unlike=["p"])], "[1,2]\n2\n2\n", "not another node"),
        ([LIST, CYCLE], "[1]\n1\n", "not an index"),
        ([PAIRS], "[[7,null],[1,2]]\n", "not an index"),
        ([DIGITS], "[0,1]\n", "leading zero"),
        ([DIGITS], "[1,0]\n", None),
        ([DIGITS], "[0]\n", None),
        ([UNITS_FIRST], "[1,0]\n", "leading zero"),
        ([graph(undirected=True)], "[[1],[]]\n", "one direction"),
        ([graph(undirected=True, connected=True)], "[[1],[0],[]]\n", "not connected"),
        ([graph(acyclic=True)], "[[1],[2],[0]]\n", "cycle"),
        ([graph(acyclic=True, undirected=True)], "[[1,2],[0,2],[0,1]]\n", "cycle"),
        ([graph(acyclic=True, undirected=True)], "[[1],[0],[]]\n", None),
        ([graph()], "[[1,1],[]]\n", "another node twice"),
        ([STACK], '["Pile","pop"]\n[[1],[]]\n', "nothing inside"),
        ([STACK], '["Pile","push"]\n[[1],[2,3]]\n', "other arguments"),
        ([STACK], '["Pile","swap","swap","swap"]\n[[1],[2,3],[2,3],[2,3]]\n', "too often"),
        ([STACK], '["Pile",["push"]]\n[[1],[2]]\n', "no method"),
        ([tree()], "[1]\n[2]\n", "2 values"),
        ([tree()], "[" * 100_000 + "\n", "not JSON"),
    ],
)  # fmt: skip
def test_malformed_structure_is_refused(
    nodes: list[Node], text: str, complaint: str | None
) -> None:
    if complaint is None:
        flatten(layout(*nodes), text)
    else:
        with pytest.raises(StructureError, match=complaint):
            flatten(layout(*nodes), text)


@pytest.mark.parametrize(
    ("nodes", "flat"),
    [
        ([tree(), node("p"), node("q", unlike=["p"])], ([3, 1, 2], 9, 9)),
        ([LIST, CYCLE], ([3, 1, 2], 7)),
        ([numbers("a"), numbers("b"), SHARED], ([3, 1, 2], [4, 5], 9)),
        ([PAIRS], ([3, 1, 2],)),
        ([nary(height=3)], ([3, 1, 2, 5, 6],)),
        ([DIGITS], ([0, 0, 2],)),
        ([UNITS_FIRST], ([0, 0],)),
        *(([graph(**options)], (list(range(9)),)) for options in (
            {}, {"undirected": True}, {"acyclic": True}, {"acyclic": True, "undirected": True}, {"connected": True},
            {"connected": True, "undirected": True}, {"connected": True, "undirected": True, "acyclic": True},
        )),
    ],
)  # fmt: skip
def test_fold_roundtrip(nodes: list[Node], flat: tuple[Any, ...]) -> None:
    where = layout(*nodes)
    texts = {fold(where, lines(*flat), seed) for seed in range(40)}
    assert all(len(read(flatten(where, text))) == len(flat) for text in texts)
    assert len(texts) > 1 or isinstance(nodes[0], Structure)
    assert not Validator(Spec("", where)).reasons(next(iter(texts)))


def test_some_lists_have_no_cycle() -> None:
    where = layout(LIST, CYCLE)
    assert {read(fold(where, lines([3, 1, 2], 2), seed))[1] for seed in range(20)} == {-1, 2}


def test_calls_keep_the_limits_of_a_class() -> None:
    flat = lines(7, [1, 0, 1, 1, 2, 0, 2, 2], [4, 5], [[1, 2]])
    operations, arguments = read(fold(layout(STACK), flat, 1))
    assert operations == ["Pile", "push", "push", "pop", "pop", "swap", "push", "swap", "push"], (
        "the first pop would find nothing, and a third swap is not allowed"
    )
    assert arguments[:7] == [[7], [4], [5], [], [], [1, 2], [4]]
    back = read(flatten(layout(STACK), lines(operations, arguments)))
    assert back == [7, [0, 0, 1, 1, 2, 0, 2, 0], [4, 5, 4, 5], [[1, 2], [1, 2]]]


def test_removed_values_were_added_before() -> None:
    options = {
        "methods": {"inc": ["inc"], "dec": ["dec"]}, "grows": ["inc"], "shrinks": ["dec"], "known": ["dec"],
    }  # fmt: skip
    flat_nodes = (Scalar("most"), numbers("calls"), numbers("inc"), numbers("dec"))
    bag = layout(Structure("class", "Bag", options, flat_nodes))
    flat = lines(7, [1, 0, 1, 1, 0, 1, 1], ["a", "b"], ["z"])
    operations, arguments = read(fold(bag, flat, 3))
    assert operations[1:] == ["inc", "inc", "dec", "dec", "inc", "dec", "inc"]
    assert [values[0] for values in arguments[1:]].count("z") == 0
    flatten(bag, lines(operations, arguments))
    with pytest.raises(StructureError, match="not inside"):
        flatten(bag, lines(["Bag", "inc", "dec", "dec"], [[7], ["a"], ["a"], ["a"]]))


# ------------------------------------------------------------------ in a specification


def test_structures_json_roundtrip() -> None:
    iterator = Structure(
        "class", "Walk", {"methods": {"next": []}}, (tree(search=True), numbers("calls"))
    )
    for nodes in ([tree(search=True, swapped=2), node("p")], [iterator], [LIST, CYCLE]):
        spec = Spec("walk", layout(*nodes))
        assert from_json(to_json(spec)) == spec
    assert unfold(layout(iterator)) == layout(numbers("root"), numbers("calls"))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "bush"}, "'bush' is not one of int, real, .*tree"),
        ({"options": {"serach": True}}, "serach"),
        ({"options": {"search": 1}}, "bool"),
        ({"nodes": []}, "one flat node"),
        ({"kind": "node", "options": {"of": "tree"}}, "no tree before it"),
        ({"kind": "node", "options": {}}, "of is missing"),
        ({"kind": "class", "options": {"methods": {"pop": 3}}}, "methods"),
        ({"kind": "class", "options": {"methods": {"pop": ["pop"]}}}, "lines"),
    ],
)
def test_malformed_specification_is_refused(change: dict[str, Any], complaint: str) -> None:
    plain = to_plain(Spec("walk", layout(tree())))
    plain["layout"]["body"][0]["line"][0] |= change
    with pytest.raises(SpecError, match=complaint):
        from_plain(plain)


# ------------------------------------------------------------------ in the words of a statement

TREE_OF = "class Solution:\n    def f(self, root: Optional[TreeNode]{}) -> int:\n        "
LIST_OF = "class Solution:\n    def f(self, head: Optional[ListNode]{}) -> int:\n        "
ROWS_OF = "class Solution:\n    def f(self, graph: List[List[int]]) -> int:\n        "
NODES = TREE_OF.format(", p: TreeNode, q: TreeNode")
COUNT = "The number of nodes in the tree is in the range [2, 50].\n- -100 <= Node.val <= 100"
LENGTH = "The number of nodes in the list is in the range [1, 30].\n- 0 <= Node.val <= 9"
METHODS = ("__init__(self, most: int)", "push(self, val: int) -> None", "pop(self) -> int")
PILE = "class Pile:\n" + "\n".join(f"    def {head}:\n        " for head in METHODS)
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


def statement(story: str, example: str, *constraints: str) -> str:
    promises = "\n".join(f"- {line}" for line in constraints)
    return f"{story}\n\nExample 1:\n\nInput: {example}\nOutput: 6\n\nConstraints:\n\n{promises}\n"


def derivation(python: str, text: str) -> tuple[Flat, DerivedSpec]:
    whole = complete(entry(statement=text, starter_code={"python": python}), LANGUAGES)
    problem = with_structures(whole.entry.problem, whole.signature, whole.entry.tests)
    flat = flat_of(problem)
    assert flat
    return flat, derived(problem, [test.stdin for test in whole.entry.tests])


def drawn(flat: Flat, result: DerivedSpec, size: str = "random") -> list[list[Any]]:
    """Return inputs of the generator; the validator must allow each."""
    texts = [draw(result.spec, seed, size) for seed in range(12)]
    assert all(is_allowed(result, text) for text in texts)
    assert all(flatten(result.spec.layout, text) for text in texts)
    return [read(text) for text in texts]


def is_allowed(result: DerivedSpec, text: str) -> bool:
    return not validate(result.spec, text)


@pytest.mark.parametrize(
    ("python", "story", "example", "constraints", "right", "wrong"),
    [
        pytest.param(TREE_OF, "In the given BST the values of exactly two nodes were swapped by an accident.",
                     "root = [2,3,1]", (COUNT,), [[6, 8, 4]], [[4, 2, 6], [8, 2, 4, 6]], id="swapped"),
        pytest.param(TREE_OF, "You get a binary search tree, two of whose keys have been mixed up.",
                     "root = [2,3,1]", (COUNT,), [[6, 8, 4]], [[4, 2, 6]], id="mixed up"),
        pytest.param(TREE_OF, "Given is the root of a binary search tree that may contain duplicates.",
                     "root = [1,null,2,2]", (COUNT,), [[2, 2, 3]], [[2, 3, 1]], id="equal"),
        pytest.param(TREE_OF, "Decide whether a tree is a binary search tree.",
                     "root = [5,1,4,null,null,3,6]", (COUNT,), [[2, 3, 1], [1, 1, 1]], [[1]], id="any tree"),
        pytest.param(TREE_OF, "The tree that you get is height-balanced.",
                     "root = [5,1,4]", (COUNT,), [[2, 3, 1, 4]], [[2, 3, None, 4]], id="balanced"),
        pytest.param(TREE_OF, "The root of a max-heap is given as a complete binary tree.",
                     "root = [5,1,4]", (COUNT,), [[4, 3, 3]], [[2, 3, 1], [4, 3, None, 1]], id="heap"),
        pytest.param(TREE_OF, "Count something.", "root = [5,1,4]",
                     (COUNT, "The height of the tree is at most 5."),
                     [[1, 1, 1]], [[1, 1, None, 1, None, 1, None, 1, None, 1]], id="height"),
        pytest.param(TREE_OF, "Count something.", "root = [5,1,4]",
                     (COUNT, "No two nodes have the same value."), [[1, 2, 3]], [[1, 1, 2]], id="unique"),
        pytest.param(LIST_OF, "You get the head of a list that is sorted in ascending order.",
                     "head = [1,1,2]", (LENGTH,), [[1, 1, 3]], [[2, 1]], id="sorted"),
        pytest.param(LIST_OF, "Given the head of a sorted linked list, remove what is there twice.",
                     "head = [1,1,2]", (LENGTH,), [[1, 1, 3]], [[2, 1]], id="sorted list"),
        pytest.param(LIST_OF, "The list is in strictly decreasing order.",
                     "head = [3,1]", (LENGTH,), [[5, 1]], [[1, 2], [2, 2]], id="falling"),
        pytest.param(LIST_OF, "The list is not necessarily sorted. Return it sorted in ascending order.",
                     "head = [1,2]", (LENGTH,), [[1, 3], [3, 1]], [[10]], id="not sorted"),
        pytest.param(LIST_OF, "The list holds the digits of a number, without leading zeros except for 0 itself.",
                     "head = [1,0]", (LENGTH,), [[0], [1, 0]], [[0, 1]], id="digits"),
        pytest.param(LIST_OF, "The list holds a number's digits in reverse order. It has no leading zeroes.",
                     "head = [0,1]", (LENGTH,), [[0], [0, 1]], [[1, 0]], id="units first"),
        pytest.param(ROWS_OF, "graph[i] is a list of all nodes that node i has an edge to. It is acyclic.",
                     "graph = [[1],[]]", ("2 <= graph.length <= 9",),
                     [[[1], []], [[], [0]]], [[[1], [0]]], id="acyclic"),
        pytest.param(ROWS_OF, "graph[i] holds all the neighbors of node i in an undirected graph without cycles.",
                     "graph = [[1],[0]]", ("2 <= graph.length <= 9",),
                     [[[1], [0]], [[], []]], [[[1], []], [[1, 2], [0, 2], [0, 1]]], id="forest"),
        pytest.param(ROWS_OF, "graph[i] lists all the neighbours of node i; the edges form a tree.",
                     "graph = [[1],[0]]", ("2 <= graph.length <= 9",),
                     [[[1], [0]]], [[[], []], [[1, 2], [0, 2], [0, 1]]], id="tree"),
    ],
)  # fmt: skip
def test_words_promise_a_structure(
    python: str,
    story: str,
    example: str,
    constraints: tuple[str, ...],
    right: list[Any],
    wrong: list[Any],
) -> None:
    flat, result = derivation(python.replace("{}", ""), statement(story, example, *constraints))
    assert drawn(flat, result)
    for value in right:
        assert is_allowed(result, lines(value)), value
    for value in wrong:
        assert not is_allowed(result, lines(value)), value


@pytest.mark.parametrize(
    ("python", "story", "promise"),
    [
        (NODES, "Find something.", "p != q\n- p and q will exist in the tree."),
        (NODES, "You get two different nodes p and q of a tree.", "p and q exist in the tree."),
        (TREE_OF.format(", p: int, q: int"), "Find it.",
         "p and q are the values of two different nodes in the tree."),
        (TREE_OF.format(", p: int, q: int"), "Find it.",
         "Both p and q are guaranteed to exist in the tree.\n- p != q"),
    ],
)  # fmt: skip
def test_node_arguments_are_in_the_tree_and_differ(python: str, story: str, promise: str) -> None:
    example = "root = [6,2,8,0], p = 2, q = 8"
    text = statement(story, example, COUNT, "All Node.val are unique.", promise)
    flat, result = derivation(python, text)
    assert result.reasons == ()
    for root, p, q in drawn(flat, result):
        values = [value for value in root if value is not None]
        assert len(set(values)) == len(values)
        assert p != q
        assert {p, q} <= set(values)
    assert is_allowed(result, lines([6, 2, 8, 0], 2, 8))
    for wrong in ((2, 9), (2, 2)):
        assert not is_allowed(result, lines([6, 2, 8, 0], *wrong))


def test_given_test_overrules_a_mentioned_structure() -> None:
    text = statement(
        "Largest part of a tree that is a BST. Each BST counts.", "root = [1,2]", COUNT
    )
    flat, result = derivation(TREE_OF.format(""), text)
    assert flat.nodes[0] == replace(tree(), nodes=(Scalar("root"),))
    assert is_allowed(result, lines([1, 2, 3]))


def test_calls_reach_the_stated_limit() -> None:
    flat, result = derivation(PILE, MAKE)
    assert result.reasons == ()
    longest = 0
    for operations, arguments in drawn(flat, result, "large"):
        longest = max(longest, len(operations))
        inside = 0
        for name, values in zip(operations[1:], arguments[1:], strict=True):
            inside += 1 if name == "push" else -1
            assert inside >= 0
            assert name == "pop" or 0 <= values[0] <= 30
    assert 1000 < longest <= 3001
    assert not is_allowed(result, lines(["Pile", "pop"], [[3], []]))
    too_many = ["Pile", *["push"] * 3001]
    assert not is_allowed(result, lines(too_many, [[3], *[[1]] * 3001]))


def test_methods_may_have_separate_limits() -> None:
    limits = "At most 20 calls will be made to push.\n- At most 5 calls are made to pop."
    text = MAKE.replace("At most 3000 calls will be made to push and pop.", limits)
    flat, result = derivation(PILE, text)
    for operations, _ in drawn(flat, result, "large"):
        assert operations.count("push") <= 20
        assert operations.count("pop") <= 5
    assert not is_allowed(result, lines(["Pile", *["push", "pop"] * 6], [[3], *[[1], []] * 6]))


def test_calls_may_need_an_earlier_call_or_rising_arguments() -> None:
    methods = ("__init__(self)", "note(self, t: int) -> None", "latest(self) -> int")
    python = "class Log:\n" + "\n".join(f"    def {head}:\n        " for head in methods)
    text = (
        'Keep it.\n\nExample 1:\n\nInput\n["Log","note","latest"]\n[[],[4],[]]\nOutput\n[null,null,4]\n\n'
        "Constraints:\n\n- 1 <= t <= 1000\n- At most 200 calls will be made to note and latest.\n"
        "- latest will be called only after note.\n- Calls of note come with strictly increasing t.\n"
    )
    flat, result = derivation(python, text)
    for operations, arguments in drawn(flat, result):
        times = [values[0] for values in arguments[1:] if values]
        assert times == sorted(set(times))
        assert operations[1:2] != ["latest"]
    assert not is_allowed(result, lines(["Log", "latest", "note"], [[], [], [1]]))
    assert not is_allowed(result, lines(["Log", "note", "note"], [[], [2], [1]]))


@pytest.mark.parametrize("option", RULES)
def test_rule_matches_its_examples_only(option: str) -> None:
    for sentence in RULES[option]["yes"]:
        assert StatementWords(sentence).say(option), sentence
    for sentence in RULES[option]["no"]:
        assert not StatementWords(sentence).say(option), sentence
