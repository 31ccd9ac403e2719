"""Types and tests from the examples of a function-style problem."""

from __future__ import annotations

import pytest

from tests.builders.test_functions import LANGUAGES, entry
from venus_toolkit.builders.function_examples import drawn_at_random
from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.core.records import TestCase
from venus_toolkit.signatures import Signature

HEAD = "class Solution:\n    def solve(self, {}) -> {}:\n        "


def statement_of(*examples: tuple[str, str], story: str = "Do it.") -> str:
    shown = (
        f"Example {n}:\n\nInput: {input_text}\nOutput: {out}\n"
        for n, (input_text, out) in enumerate(examples, 1)
    )
    return "\n\n".join((story, *shown))


def problem_of(parameters: str, returns: str, statement: str, *tests: TestCase) -> FunctionProblem:
    python = HEAD.format(parameters, returns)
    return complete(entry(*tests, statement=statement, starter_code={"python": python}), LANGUAGES)


def types(completed: FunctionProblem) -> tuple[list[str], str]:
    assert isinstance(completed.signature, Signature), completed.missing
    (function,) = completed.signature.functions
    return [str(parameter.type) for parameter in function.parameters], str(function.returns)


def changed(completed: FunctionProblem) -> int | None:
    assert isinstance(completed.signature, Signature), completed.missing
    return completed.signature.functions[0].changed


def given_tests(completed: FunctionProblem) -> list[tuple[str, str | None]]:
    return [(test.stdin, test.stdout) for test in completed.entry.tests]


def test_list_followed_by_position_is_cyclic() -> None:
    statement = statement_of(("head = [5,6,7], pos = 1", "true"), ("head = [5], pos = -1", "false"))
    completed = problem_of(
        "head: Optional[ListNode]", "bool", statement, TestCase("a", "[4,2]\n", "false\n")
    )
    assert types(completed) == (["cyclic_list<int>"], "bool")
    # A given list without a position has no cycle.
    assert given_tests(completed) == [
        ("[4, 2]\n-1\n", "false\n"),
        ("[5, 6, 7]\n1\n", "true\n"),
        ("[5]\n-1\n", "false\n"),
    ]
    assert set(completed.missing) == {"rust"}
    entrance = statement_of(
        ("head = [5,6,7], pos = 1", "tail connects to node index 1"),
        ("head = [], pos = -1", "no cycle"),
    )
    completed = problem_of("head: Optional[ListNode]", "Optional[ListNode]", entrance)
    assert types(completed) == (["cyclic_list<int>"], "node<linked_list<int>>")
    assert [stdout for _, stdout in given_tests(completed)] == ["1\n", "null\n"]


def test_two_lists_with_five_values_are_joined() -> None:
    statement = statement_of(
        ("meetVal = 8, listA = [1,8,4], listB = [8,4], skipA = 1, skipB = 0", "Intersected at '8'"),
        ("meetVal = 0, listA = [2], listB = [1,5], skipA = 1, skipB = 2", "No intersection"),
    )
    completed = problem_of("headA: ListNode, headB: ListNode", "Optional[ListNode]", statement)
    assert types(completed) == (["linked_list<int>", "joined_list<int>"], "node<linked_list<int>>")
    assert given_tests(completed) == [
        ("[1, 8, 4]\n[8, 4]\n2\n", None),
        ("[2]\n[1, 5]\n0\n", "null\n"),
    ]


def test_single_value_is_a_node_of_the_tree_before() -> None:
    frame = "root: TreeNode, p: TreeNode, q: TreeNode"
    completed = problem_of(frame, "TreeNode", statement_of(("root = [6,2,8], p = 2, q = 8", "6")))
    assert types(completed) == (
        ["tree<int>", "node<tree<int>>", "node<tree<int>>"],
        "node<tree<int>>",
    )
    assert given_tests(completed) == [("[6, 2, 8]\n2\n8\n", "6\n")]
    assert set(completed.missing) == set()
    # A second tree is not a node of the first.
    completed = problem_of(
        "a: TreeNode, b: TreeNode", "bool", statement_of(("a = [1], b = [1]", "true"))
    )
    assert types(completed) == (["tree<int>", "tree<int>"], "bool")


def test_returned_length_means_first_values() -> None:
    story = (
        "Remove every 7 of nums in-place. Let k be how many are left: the first k elements of "
        "nums hold them."
    )
    statement = statement_of(("nums = [7,1,7,2]", "2, nums = [1,2,_,_]"), story=story)
    completed = problem_of("nums: List[int]", "int", statement, TestCase("a", "[7]\n", "0\n"))
    assert changed(completed) == 0
    assert given_tests(completed) == [("[7]\n", None), ("[7, 1, 7, 2]\n", "[1,2]\n")]
    # A length alone is a number, even with an in-place change.
    completed = problem_of(
        "nums: List[int]",
        "int",
        statement_of(("nums = [7]", "1"), story="Return the length of nums."),
    )
    assert changed(completed) is None


def test_list_of_characters() -> None:
    shown = ('board = [["x","."],[".","y"]]', "1")
    completed = problem_of(
        "board: List[List[str]]",
        "int",
        statement_of(shown, story="`board[i][j]` is a letter or a dot."),
    )
    assert types(completed) == (["list<list<char>>"], "int")
    completed = problem_of(
        "board: List[List[str]]", "int", statement_of(shown, story="Rows of words.")
    )
    assert types(completed) == (["list<list<string>>"], "int")


@pytest.mark.parametrize("shown_by", ["python", "go", "rust"])
def test_methods_have_names_of_examples(shown_by: str) -> None:
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
    completed = complete(
        entry(statement=statement, starter_code={shown_by: starters[shown_by]}), LANGUAGES
    )
    runners = completed.entry.problem.runners
    assert set(runners) == set(LANGUAGES), completed.missing
    assert '"Front" => {' in runners["rust"]
    assert "object.front(" in runners["rust"]
    assert 'case "Front":' in runners["go"]
    assert "object.PushBack)" in runners["go"]
    assert "'Front' => [:front," in runners["ruby"]
    assert given_tests(completed) == [
        ('["Ring", "pushBack", "Front"]\n[[3], [4], []]\n', "[null,true,4]\n")
    ]


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
def test_random_answers_are_refused(statement: str, random: bool) -> None:
    assert bool(drawn_at_random(statement)) == random
    completed = problem_of("nums: List[int]", "int", statement)
    assert completed.refused.startswith("its answers are drawn at random") == random


def test_disagreeing_languages_are_refused() -> None:
    python, cpp = (
        HEAD.format("a: int", "int"),
        "class Solution {\npublic:\n    string solve(int a) {\n    }\n};\n",
    )
    assert (
        "do not agree"
        in complete(entry(starter_code={"python": python, "cpp": cpp}), LANGUAGES).refused
    )


def test_function_without_arguments_has_no_examples() -> None:
    completed = problem_of("", "int", statement_of(("", "7"), ("n = 3", "7")))
    assert given_tests(completed) == []


@pytest.mark.parametrize(
    ("one", "other", "statement", "refused"),
    [
        ("serialize(self, root: Optional[TreeNode]) -> str", "deserialize(self, data: str) -> Optional[TreeNode]",
         statement_of(("root = [1,2,3]", "[1,2,3]")), True),
        ("encode(self, longUrl: str) -> str", "decode(self, shortUrl: str) -> str",
         statement_of(("url = \"a\"", "\"a\"")), True),
        ("encode(self, strs: List[str]) -> str", "decode(self, s: str) -> List[str]",
         statement_of(("[\"a\"]", "[\"a\"]")), True),
        ("rename(self, a: str) -> str", "title(self, b: str) -> str", statement_of(("a = 1", "2")), False),
        ("add(self, a: int) -> int", "drop(self, b: int) -> int", statement_of(("a = 1", "2")), False),
        ("encode(self, a: str) -> str", "decode(self, b: str) -> str",
         statement_of(("[\"Box\",\"encode\"]\n[[],[\"a\"]]", "[null,\"b\"]")), False),
    ],
)  # fmt: skip
def test_inverse_methods_are_refused(one: str, other: str, statement: str, refused: bool) -> None:
    python = f"class Box:\n    def {one}:\n        pass\n\n    def {other}:\n        pass\n"
    completed = complete(entry(statement=statement, starter_code={"python": python}), LANGUAGES)
    assert completed.signature, completed.missing
    assert ("undo each other" in completed.refused) == refused
