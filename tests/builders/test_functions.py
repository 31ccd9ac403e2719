"""Function-style problems without runners: signatures from starter code, in every language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.sources import Entry
from venus_toolkit.core.language import MARKER, load_languages
from venus_toolkit.core.records import Limits, OutputComparison, Problem, TestCase

LANGUAGES = load_languages()
PYTHON = (
    "class Solution:\n    def twoSum(self, nums: List[int], target: int) -> List[int]:\n        "
)
JAVASCRIPT = "const twoSum = (nums, target) => {\n};\n"
STATEMENT = "Return the places of two numbers that add up to target."


def entry(*tests: TestCase, statement: str = STATEMENT, **changes: Any) -> Entry:
    problem = Problem(
        "two-sum", 1, "Two sum", statement, "Easy", (), "function", "x", "MIT", Limits(), OutputComparison(),
        starter_code={"python": PYTHON},
    )  # fmt: skip
    return Entry(replace(problem, **changes), (), tests)


def test_every_language_has_runner_and_starter_code() -> None:
    problem = complete(entry(), LANGUAGES).entry.problem
    assert set(problem.runners) == set(problem.starter_code) == set(LANGUAGES)
    assert problem.starter_code["python"] == PYTHON
    assert all(runner.count(MARKER) == 1 for runner in problem.runners.values())
    assert "vector<int> twoSum(vector<int>& nums, int target)" in problem.starter_code["cpp"]


def test_existing_runner_and_outputs_stay() -> None:
    test = TestCase("a", "[1, 2]\n3\n", "[0, 1]\n")
    completed_entry = complete(entry(test, runners={"python": f"# {MARKER}\n"}), LANGUAGES).entry
    assert completed_entry.problem.runners["python"] == f"# {MARKER}\n"
    assert completed_entry.tests == (test,)


def test_given_outputs_are_normalised() -> None:
    words = {"python": "def f(word: Optional[str]) -> List[Optional[str]]:\n    "}
    tests = (
        TestCase("a", "null\n", '["a", "é", null]\n'),
        TestCase("b", "x", "none"),
        TestCase("c", "x", None),
    )
    completed_entry = complete(entry(*tests, starter_code=words), LANGUAGES).entry
    assert [test.stdout for test in completed_entry.tests] == ['["a","é",null]\n', "none", None]


def test_given_tests_of_other_types_are_dropped() -> None:
    python = (
        "class Solution:\n    def f(self, word: str, root: Optional[TreeNode]) -> str:\n        "
    )
    texts_by_name = {
        "right": ('"a"\n[1,null,2,null]\n', '"b"\n'),
        "line separator": ('"\u2028"\n[]\n', "3\n"),
        "open": ('"a"\n[]\n', None),
        "argument": ("[]\n[]\n", '"b"\n'),
        "result": ('"a"\n[]\n', "-1\n"),
        "lines": ('"a"\n', "-1\n"),
    }
    tests = (TestCase(name, *texts) for name, texts in texts_by_name.items())
    completed = complete(entry(*tests, starter_code={"python": python}), LANGUAGES)
    assert [test.test_id for test in completed.entry.tests] == ["right", "open", "lines"]
    assert completed.unfit == {
        "line separator": "the result is not of the type string",
        "argument": "the argument word is not of the type string",
        "result": "the result is not of the type string",
    }


def test_untyped_starter_code_gives_the_name() -> None:
    """Types come from another language, the name from this one."""
    snake = PYTHON.replace("twoSum", "two_sum")
    problem = complete(
        entry(starter_code={"python": snake, "javascript": JAVASCRIPT}), LANGUAGES
    ).entry.problem
    assert 'solver("twoSum")' in problem.runners["javascript"]
    assert '"two_sum")' in problem.runners["python"]
    other = JAVASCRIPT.replace("twoSum", "pairOf")
    problem = complete(
        entry(starter_code={"python": snake, "javascript": other}), LANGUAGES
    ).entry.problem
    assert 'solver("pairOf")' in problem.runners["javascript"]


def test_helper_is_not_the_function() -> None:
    rust = "fn holds(nums: Vec<i32>) -> bool {\n}\n"
    cpp = "vector<int> twoSum(vector<int> nums, int target) {\n}\n"
    completed = complete(
        entry(starter_code={"cpp": cpp, "python": PYTHON, "rust": rust}), LANGUAGES
    )
    assert completed.missing == {}
    assert "::two_sum(" in completed.entry.problem.runners["rust"]
    missing = complete(entry(starter_code={"cpp": cpp, "rust": rust}), LANGUAGES).missing
    assert "languages do not agree" in missing["rust"], (
        "it is unknown which of the two is the helper"
    )


@pytest.mark.parametrize(
    ("python", "cpp", "java"),
    [
        ("flip_case", "filp_case", "flipCase"),
        ("get_max_triples", "get_matrix_triples", "getMaxTriples"),
        ("solution", "solutions", "solution"),
    ],
)
def test_languages_may_name_the_function_differently(python: str, cpp: str, java: str) -> None:
    """The entry point has one language's name; another's starter code may misspell it."""
    starter = {
        "python": f"def {python}(n):\n",
        "cpp": f"int {cpp}(int n){{\n",
        "java": f"class Solution {{\n    public int {java}(int n) {{\n",
    }
    completed = complete(entry(starter_code=starter, extra={"entry_point": python}), LANGUAGES)
    assert not completed.missing
    assert f"{MARKER} or solution.cpp, called: {cpp}\n" in completed.entry.problem.runners["cpp"]
    assert f'"{java}"' in completed.entry.problem.runners["java"]


def test_entry_point_in_any_spelling() -> None:
    helper = "public boolean isPalindrome(String s) {\n        return true;\n    }\n"
    java = f"class Solution {{\n    {helper}    public String makePalindrome(String s) {{\n"
    starter = {
        "java": java,
        "rust": "fn is_palindrome_10(s: &str) -> bool {\n",
        "cpp": "string make_palindrome(string s){\n",
    }
    runners = complete(
        entry(starter_code=starter, extra={"entry_point": "make_palindrome"}), LANGUAGES
    ).entry.problem.runners
    assert all("make_palindrome" in runners[name] for name in ("rust", "cpp"))
    assert '"makePalindrome"' in runners["java"]


def test_unsupported_types_come_from_other_language() -> None:
    """Each language keeps its name of the function, however unusual."""
    go = "func TwoSum(nums []int, target interface{}) interface{} {\n}\n"
    rust = "fn twoSum(nums: Vec<i32>, target: i32) -> (i32, i32) {\n}\n"
    ruby = "def twoSum(nums, target)\nend\n"
    cpp = "vector<int> two_sum(vector<int> nums, int target) {\n}\n"
    completed = complete(
        entry(starter_code={"cpp": cpp, "go": go, "ruby": ruby, "rust": rust}), LANGUAGES
    )
    runners = completed.entry.problem.runners
    assert "false, TwoSum)" in runners["go"]
    assert "super::twoSum(" in runners["rust"]
    assert ":twoSum, given" in runners["ruby"]
    assert "::two_sum(" in runners["cpp"]


def test_samples_and_statement_refine_types() -> None:
    fraction = TestCase("a", "[1, 2.5]\n3\n", "[0]\n")
    problem = complete(entry(fraction), LANGUAGES).entry.problem
    assert "vector<double>& nums, int target" in problem.starter_code["cpp"]
    wide = complete(entry(statement="1 <= target <= 10^15"), LANGUAGES).entry.problem
    assert "long long target" in wide.starter_code["cpp"]


def test_any_order_is_accepted() -> None:
    problem = complete(
        entry(statement=STATEMENT + " You may return the answer in any order."), LANGUAGES
    ).entry.problem
    source = "You may return the answer in any order."
    assert problem.comparison == OutputComparison("evaluator", source=source)
    space: dict[str, Any] = {}
    exec(problem.evaluator or "", space)
    assert space["evaluate"]("[1,2]\n", "[2,1]\n") is True
    assert space["evaluate"]("[1,2]\n", "[2,2]\n") is False


def test_nested_fractions_have_a_tolerance() -> None:
    python = "def mean(rows: List[float]) -> List[float]:\n    "
    problem = complete(entry(starter_code={"python": python}), LANGUAGES).entry.problem
    space: dict[str, Any] = {}
    exec(problem.evaluator or "", space)
    assert space["evaluate"]("[0.3333333]\n", "[0.3333334]\n") is True
    assert space["evaluate"]("[0.3333333]\n", "[0.34]\n") is False


@pytest.mark.parametrize(
    ("starter", "reason"),
    [
        (
            {"python": "class Solution:\n    def f(self, x: Dict[str, int]) -> int:\n        "},
            "Dict",
        ),
        ({"python": "hello"}, ""),
        ({}, "there is no starter code"),
    ],
)
def test_missing_signature_has_reason_per_language(starter: dict[str, str], reason: str) -> None:
    completed = complete(entry(starter_code=starter), LANGUAGES)
    assert completed.entry == entry(starter_code=starter)
    assert set(completed.missing) == set(LANGUAGES)
    assert all(reason in message for message in completed.missing.values())


def test_stdin_problem_is_unchanged() -> None:
    plain = entry(style="stdin")
    assert complete(plain, LANGUAGES) == FunctionProblem(plain, {})
