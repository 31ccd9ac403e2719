"""Function-style problems without runners: what their starter code is enough for, alone and in whole builds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.building import Shop, needs_isolation
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.sources import Entry
from venus_toolkit.language import MARKER, load_languages
from venus_toolkit.records import Comparison, Limits, Problem, TestCase

LANGUAGES = load_languages()
PYTHON = "class Solution:\n    def twoSum(self, nums: List[int], target: int) -> List[int]:\n        "
JAVASCRIPT = "const twoSum = (nums, target) => {\n};\n"
STATEMENT = "Return the places of two numbers that add up to target."


def entry(*tests: TestCase, statement: str = STATEMENT, **changes: Any) -> Entry:
    problem = Problem(
        "two-sum", 1, "Two sum", statement, "Easy", (), "function", "x", "MIT", Limits(), Comparison(),
        starter_code={"python": PYTHON},
    )  # fmt: skip
    return Entry(replace(problem, **changes), (), tests)


def test_every_language_gets_a_runner_and_starter_code() -> None:
    problem = complete(entry(), LANGUAGES).entry.problem
    assert set(problem.runners) == set(problem.starter_code) == set(LANGUAGES)
    assert problem.starter_code["python"] == PYTHON
    assert all(runner.count(MARKER) == 1 for runner in problem.runners.values())
    assert "vector<int> twoSum(vector<int>& nums, int target)" in problem.starter_code["cpp"]


def test_a_runner_of_the_problem_stays_and_so_do_its_outputs() -> None:
    test = TestCase("a", "[1, 2]\n3\n", "[0, 1]\n")
    found = complete(entry(test, runners={"python": f"# {MARKER}\n"}), LANGUAGES).entry
    assert found.problem.runners["python"] == f"# {MARKER}\n"
    assert found.tests == (test,)


def test_given_outputs_are_written_as_the_runners_write_them() -> None:
    tests = (TestCase("a", "[1, 2]\n3\n", '[0, "é", null]\n'), TestCase("b", "x", "none"), TestCase("c", "x", None))
    found = complete(entry(*tests), LANGUAGES).entry
    assert [test.stdout for test in found.tests] == ['[0,"é",null]\n', "none", None]


def test_starter_code_that_says_no_types_still_says_the_name() -> None:
    """The types come from the other language, the name from this one."""
    snake = PYTHON.replace("twoSum", "two_sum")
    problem = complete(entry(starter_code={"python": snake, "javascript": JAVASCRIPT}), LANGUAGES).entry.problem
    assert "twoSum(" in problem.runners["javascript"]
    assert "two_sum(" in problem.runners["python"]
    other = JAVASCRIPT.replace("twoSum", "pairOf")
    problem = complete(entry(starter_code={"python": snake, "javascript": other}), LANGUAGES).entry.problem
    assert "pairOf(" in problem.runners["javascript"]


def test_samples_and_the_statement_make_types_exact() -> None:
    fraction = TestCase("a", "[1, 2.5]\n3\n", "[0]\n")
    problem = complete(entry(fraction), LANGUAGES).entry.problem
    assert "vector<double>& nums, int target" in problem.starter_code["cpp"]
    wide = complete(entry(statement="1 <= target <= 10^15"), LANGUAGES).entry.problem
    assert "long long target" in wide.starter_code["cpp"]


def test_a_free_order_is_compared_as_such() -> None:
    problem = complete(entry(statement=STATEMENT + " You may return the answer in any order."), LANGUAGES).entry.problem
    assert problem.comparison == Comparison("evaluator")
    space: dict[str, Any] = {}
    exec(problem.evaluator or "", space)
    assert space["evaluate"]("[1,2]\n", "[2,1]\n") is True
    assert space["evaluate"]("[1,2]\n", "[2,2]\n") is False


def test_fractions_are_compared_with_a_tolerance_wherever_they_are() -> None:
    python = "def mean(rows: List[float]) -> List[float]:\n    "
    problem = complete(entry(starter_code={"python": python}), LANGUAGES).entry.problem
    space: dict[str, Any] = {}
    exec(problem.evaluator or "", space)
    assert space["evaluate"]("[0.3333333]\n", "[0.3333334]\n") is True
    assert space["evaluate"]("[0.3333333]\n", "[0.34]\n") is False


@pytest.mark.parametrize(
    ("starter", "reason"),
    [
        ({"python": "class Solution:\n    def f(self, x: Dict[str, int]) -> int:\n        "}, "Dict"),
        ({"python": "hello"}, ""),
        ({}, "there is no starter code"),
    ],
)
def test_without_a_signature_the_reason_is_kept_for_each_language(starter: dict[str, str], reason: str) -> None:
    found = complete(entry(starter_code=starter), LANGUAGES)
    assert found.entry == entry(starter_code=starter)
    assert set(found.lacking) == set(LANGUAGES)
    assert all(reason in why for why in found.lacking.values())


def test_what_reads_standard_input_is_left_alone() -> None:
    plain = entry(style="stdin")
    assert complete(plain, LANGUAGES) == (plain, {}, "")


# ------------------------------------------------------------------ whole builds

FRAME = "class Solution:\n    def squares(self, nums: List[int]) -> List[int]:\n        "
SQUARE = {
    "problem.toml": 'title = "Squares"\nstyle = "function"\n[limits]\ncpu_s = 2\n',
    "statement.md": "Return the squares of nums.\n\n- `1 <= nums.length <= 20`\n- `-1000 <= nums[i] <= 1000`\n",
    "starter/python.py": FRAME + "pass\n",
    "solutions/python/times.py": FRAME + "return [n * n for n in nums]\n",
    "solutions/python/power.py": FRAME + "return [n ** 2 for n in nums]\n",
    "solutions/python/wrong_twice.py": FRAME + "return [n + n for n in nums]\n",
    "solutions/javascript/map.js": "var squares = function(nums) {\n  return nums.map(n => n * n);\n};\n",
    "generator.py": None, "solutions/python/plus.py": None, "solutions/python/shift.py": None,
}  # fmt: skip


def test_tests_share_a_process_and_what_that_hides_is_found(shop: Shop) -> None:
    """One that remembers what it saw is right in every process of its own, and marked."""
    for mark in needs_isolation:
        if mark.name == "skipif" and mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
    remembers = "seen = []\n" + FRAME + "seen.append(1)\n        return [n * n + len(seen) - 1 for n in nums]\n"
    shop.problem("squares", {**SQUARE, "solutions/python/remembers.py": remembers})
    shop.build(tests=12)
    solutions = shop.solutions("squares")
    assert {name: each["carries_state"] for name, each in solutions.items()} == {
        "times": False, "power": False, "remembers": True, "wrong_twice": False,
    }  # fmt: skip
    assert {name: each["passed"] for name, each in solutions.items()} == {
        "times": True, "power": True, "remembers": True, "wrong_twice": False,
    }  # fmt: skip
    assert not [row for row in shop.dropped if row["stage"] in ("validate", "quarantine")]


def test_solutions_that_differ_in_order_alone_say_that_it_is_free(shop: Shop) -> None:
    """The statement does not; a solution with another result is still wrong."""
    for mark in needs_isolation:
        if mark.name == "skipif" and mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
    backwards = FRAME + "return [n * n for n in nums][::-1]\n"
    shop.problem("squares", {**SQUARE, "solutions/python/power.py": backwards})
    shop.build(tests=8)
    assert {name: each["status"] for name, each in shop.solutions("squares").items()} == {
        "times": "accepted", "power": "accepted", "wrong_twice": "wrong_answer",
    }  # fmt: skip
    assert json.loads(shop.rows()["squares"]["comparison"])["kind"] == "evaluator"


@pytest.mark.parametrize("extra", [{}, {"solutions/cpp/plain.cpp": "int main() {}\n"}], ids=["fits", "one does not"])
def test_a_problem_with_nothing_but_starter_code_is_built(shop: Shop, extra: dict[str, str]) -> None:
    """Runners, starter code and inputs follow from the signature; a solution that does not fit it says so."""
    for mark in needs_isolation:
        if mark.name == "skipif" and mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
    shop.problem("squares", {**SQUARE, **extra})
    shop.build(tests=8)
    row = shop.rows()["squares"]
    assert {name: each["status"] for name, each in shop.solutions("squares").items()} == {
        "times": "accepted", "power": "accepted", "wrong_twice": "wrong_answer",
    }  # fmt: skip
    assert MARKER in row["test_case_runners"]
    assert json.loads(row["test_quality"])["way"] == "derived"
    quarantined = {each["item"]: each["reason"] for each in shop.dropped if each["stage"] == "quarantine"}
    assert set(quarantined) == ({"squares/cpp/plain"} if extra else set())
