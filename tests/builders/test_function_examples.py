"""What the examples of a function-style problem show.

Parts of structures, results in place, names, given tests.
"""

from __future__ import annotations

import pytest

from tests.builders.test_functions import LANGUAGES, entry
from venus_toolkit.builders.function_examples import drawn_at_random
from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.core.records import TestCase
from venus_toolkit.signatures import Signature

HEAD = "class Solution:\n    def solve(self, {}) -> {}:\n        "


def told(*examples: tuple[str, str], story: str = "Do it.") -> str:
    shown = (
        f"Example {n}:\n\nInput: {given}\nOutput: {out}\n"
        for n, (given, out) in enumerate(examples, 1)
    )
    return "\n\n".join((story, *shown))


def made(parameters: str, returns: str, statement: str, *tests: TestCase) -> FunctionProblem:
    python = HEAD.format(parameters, returns)
    return complete(entry(*tests, statement=statement, starter_code={"python": python}), LANGUAGES)


def types(found: FunctionProblem) -> tuple[list[str], str]:
    assert isinstance(found.signature, Signature), found.missing
    (function,) = found.signature.functions
    return [str(each.type) for each in function.parameters], str(function.returns)


def changed(found: FunctionProblem) -> int | None:
    assert isinstance(found.signature, Signature), found.missing
    return found.signature.functions[0].changed


def given(found: FunctionProblem) -> list[tuple[str, str | None]]:
    return [(test.stdin, test.stdout) for test in found.entry.tests]


def test_a_list_with_a_position_behind_it_has_a_cycle() -> None:
    statement = told(("head = [5,6,7], pos = 1", "true"), ("head = [5], pos = -1", "false"))
    found = made("head: Optional[ListNode]", "bool", statement, TestCase("a", "[4,2]\n", "false\n"))
    assert types(found) == (["cyclic_list<int>"], "bool")
    # A source that left the position out had lists without cycles.
    assert given(found) == [
        ("[4, 2]\n-1\n", "false\n"),
        ("[5, 6, 7]\n1\n", "true\n"),
        ("[5]\n-1\n", "false\n"),
    ]
    assert set(found.missing) == {"rust"}
    entrance = told(
        ("head = [5,6,7], pos = 1", "tail connects to node index 1"),
        ("head = [], pos = -1", "no cycle"),
    )
    found = made("head: Optional[ListNode]", "Optional[ListNode]", entrance)
    assert types(found) == (["cyclic_list<int>"], "node<linked_list<int>>")
    assert [stdout for _, stdout in given(found)] == ["1\n", "null\n"]


def test_two_lists_with_five_values_share_their_end() -> None:
    statement = told(
        ("meetVal = 8, listA = [1,8,4], listB = [8,4], skipA = 1, skipB = 0", "Intersected at '8'"),
        ("meetVal = 0, listA = [2], listB = [1,5], skipA = 1, skipB = 2", "No intersection"),
    )
    found = made("headA: ListNode, headB: ListNode", "Optional[ListNode]", statement)
    assert types(found) == (["linked_list<int>", "joined_list<int>"], "node<linked_list<int>>")
    assert given(found) == [("[1, 8, 4]\n[8, 4]\n2\n", None), ("[2]\n[1, 5]\n0\n", "null\n")]


def test_a_node_that_is_one_value_is_part_of_the_tree_before_it() -> None:
    frame = "root: TreeNode, p: TreeNode, q: TreeNode"
    found = made(frame, "TreeNode", told(("root = [6,2,8], p = 2, q = 8", "6")))
    assert types(found) == (["tree<int>", "node<tree<int>>", "node<tree<int>>"], "node<tree<int>>")
    assert given(found) == [("[6, 2, 8]\n2\n8\n", "6\n")]
    assert set(found.missing) == set()
    # Two trees are two trees.
    found = made("a: TreeNode, b: TreeNode", "bool", told(("a = [1], b = [1]", "true")))
    assert types(found) == (["tree<int>", "tree<int>"], "bool")


def test_the_first_values_of_a_list_are_the_answer_where_their_number_comes_back() -> None:
    story = (
        "Remove every 7 of nums in-place. Let k be how many are left: the first k elements of "
        "nums hold them."
    )
    statement = told(("nums = [7,1,7,2]", "2, nums = [1,2,_,_]"), story=story)
    found = made("nums: List[int]", "int", statement, TestCase("a", "[7]\n", "0\n"))
    assert changed(found) == 0
    assert given(found) == [("[7]\n", None), ("[7, 1, 7, 2]\n", "[1,2]\n")]
    # In place or not, a length alone is a number.
    found = made(
        "nums: List[int]", "int", told(("nums = [7]", "1"), story="Return the length of nums.")
    )
    assert changed(found) is None


def test_a_list_of_single_characters_is_one_of_characters() -> None:
    shown = ('board = [["x","."],[".","y"]]', "1")
    found = made(
        "board: List[List[str]]", "int", told(shown, story="`board[i][j]` is a letter or a dot.")
    )
    assert types(found) == (["list<list<char>>"], "int")
    found = made("board: List[List[str]]", "int", told(shown, story="Rows of words."))
    assert types(found) == (["list<list<string>>"], "int")


@pytest.mark.parametrize("shown_by", ["python", "go", "rust"])
def test_methods_of_a_class_are_called_as_its_examples_call_them(shown_by: str) -> None:
    shown = '["Ring","pushBack","Front"]\n[[3],[4],[]]\n'
    statement = (
        f"Make it.\n\nExample 1:\n\nInput\n{shown}Output\n[null,true,4]\n\nExplanation\nNone.\n"
    )
    starters = {
        "python": "class Ring:\n    def __init__(self, k: int):\n        \n    def pushBack(self, "
            "value: int) -> bool:"
        "\n        \n    def Front(self) -> int:\n        ",
        "go": "type Ring struct {\n}\nfunc Constructor(k int) Ring {\n}\nfunc (this *Ring) "
            "PushBack(value int) bool {\n"
        "}\nfunc (this *Ring) Front() int {\n}\n",
        "rust": "impl Ring {\n    fn new(k: i32) -> Self {\n    }\n    fn push_back(&self, value: "
            "i32) -> bool {\n"
        "    }\n    fn front(&self) -> i32 {\n    }\n}\n",
    }  # fmt: skip
    found = complete(
        entry(statement=statement, starter_code={shown_by: starters[shown_by]}), LANGUAGES
    )
    runners = found.entry.problem.runners
    assert set(runners) == set(LANGUAGES), found.missing
    assert '"Front" => {' in runners["rust"]
    assert "object.front(" in runners["rust"]
    assert 'case "Front":' in runners["go"]
    assert "object.PushBack)" in runners["go"]
    assert "'Front' => [:front," in runners["ruby"]
    assert given(found) == [('["Ring", "pushBack", "Front"]\n[[3], [4], []]\n', "[null,true,4]\n")]


@pytest.mark.parametrize(
    ("statement", "random"),
    [
        ("Pick an index of a given target at random. All indices are equally likely.", True),
        ("`getRandom()` Returns a random element. Each must have the same probability of "
            "being returned.", True),
        ("A knight moves uniformly at random. Return the probability that it stays on the board.", False),
        ("The text is made by concatenating words randomly from the list. Return it.", False),
        ("Each node has a random pointer, which can point to any node of the list.", False),
        ("Cards are drawn at random from a deck. Count the different ones.", False),
        ("Alice picks a ticket at random. It wins if its digits add up to 7. Return how many "
            "tickets win.", False),
        ("Each face of the die is equally likely. Return the number of faces.", False),
        ("The array was shuffled at random by Bob, who wants to get it back. Return the swaps.", False),
        ("Given the head of a list, return a random node's value.\nEach must have the same "
            "chance.", True),
        ("- `int pick(int target)` Picks a random index. If several fit, take any.", True),
        ("You should return a random point inside the circle.", True),
        ("Design an algorithm to randomly flip a zero.", True),
    ],
)  # fmt: skip
def test_problems_whose_answers_are_drawn_are_set_apart(statement: str, random: bool) -> None:
    assert bool(drawn_at_random(statement)) == random
    found = made("nums: List[int]", "int", statement)
    assert found.refused.startswith("its answers are drawn at random") == random


def test_languages_that_disagree_refuse_the_problem() -> None:
    python, cpp = (
        HEAD.format("a: int", "int"),
        "class Solution {\npublic:\n    string solve(int a) {\n    }\n};\n",
    )
    assert (
        "do not agree"
        in complete(entry(starter_code={"python": python, "cpp": cpp}), LANGUAGES).refused
    )


def test_a_function_of_no_arguments_has_no_examples() -> None:
    found = made("", "int", told(("", "7"), ("n = 3", "7")))
    assert given(found) == []


@pytest.mark.parametrize(
    ("one", "other", "statement", "refused"),
    [
        ("serialize(self, root: Optional[TreeNode]) -> str", "deserialize(self, data: str) -> Optional[TreeNode]",
         told(("root = [1,2,3]", "[1,2,3]")), True),
        ("encode(self, longUrl: str) -> str", "decode(self, shortUrl: str) -> str",
         told(("url = \"a\"", "\"a\"")), True),
        ("encode(self, strs: List[str]) -> str", "decode(self, s: str) -> List[str]",
         told(("[\"a\"]", "[\"a\"]")), True),
        ("rename(self, a: str) -> str", "title(self, b: str) -> str", told(("a = 1", "2")), False),
        ("add(self, a: int) -> int", "drop(self, b: int) -> int", told(("a = 1", "2")), False),
        ("encode(self, a: str) -> str", "decode(self, b: str) -> str",
         told(("[\"Box\",\"encode\"]\n[[],[\"a\"]]", "[null,\"b\"]")), False),
    ],
)  # fmt: skip
def test_methods_that_undo_each_other_have_no_expected_output(
    one: str, other: str, statement: str, refused: bool
) -> None:
    python = f"class Box:\n    def {one}:\n        pass\n\n    def {other}:\n        pass\n"
    found = complete(entry(statement=statement, starter_code={"python": python}), LANGUAGES)
    assert found.signature, found.missing
    assert ("undo each other" in found.refused) == refused
