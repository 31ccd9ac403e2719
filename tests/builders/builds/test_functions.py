"""`venus build` of function-style problems: starter code alone, and shared processes."""

from __future__ import annotations

import json

from tests.building import Shop, needs_isolation
from venus_toolkit.core.language import MARKER

pytestmark = needs_isolation

FRAME = "class Solution:\n    def squares(self, nums: List[int]) -> List[int]:\n        "
SQUARE = {
    "problem.toml": 'title = "Squares"\nstyle = "function"\n[limits]\ncpu_s = 2\n',
    "statement.md": ("Return the squares of nums.\n\n- `1 <= nums.length <= 20`\n- `-1000 <= nums[i] <= "
        "1000`\n"),
    "starter/python.py": FRAME + "pass\n",
    "solutions/python/times.py": FRAME + "return [n * n for n in nums]\n",
    "solutions/python/power.py": FRAME + "return [n ** 2 for n in nums]\n",
    "solutions/python/wrong_twice.py": FRAME + "return [n + n for n in nums]\n",
    "generator.py": None, "solutions/python/plus.py": None, "solutions/python/shift.py": None,
}  # fmt: skip
ALSO = {
    "solutions/javascript/map.js": "var squares = function(nums) {\n  return nums.map(n => n * n);\n};\n"
}


def test_shared_process_detects_carried_state(shop: Shop) -> None:
    """A solution that carries state passes in separate processes and is marked."""
    remembers = (
        "seen = []\n"
        + FRAME
        + "seen.append(1)\n        return [n * n + len(seen) - 1 for n in nums]\n"
    )
    shop.problem("squares", {**SQUARE, "solutions/python/remembers.py": remembers})
    shop.build(tests=12)
    solutions = shop.solutions("squares")
    assert {name: row["carries_state"] for name, row in solutions.items()} == {
        "times": False, "power": False, "remembers": True, "wrong_twice": False,
    }  # fmt: skip
    assert {name: row["passed"] for name, row in solutions.items()} == {
        "times": True, "power": True, "remembers": True, "wrong_twice": False,
    }  # fmt: skip
    assert not [row for row in shop.dropped if row["stage"] in ("validate", "quarantine")]


def test_failure_only_in_a_batch_is_ignored(shop: Shop) -> None:
    """Each solution fails one call in a shared process, but passes in separate ones."""
    frame = FRAME + "seen.append(1)\n        return [n * n + (len(seen) == {}) for n in nums]\n"
    lapses = {
        f"solutions/python/lapse{call}.py": "seen = []\n" + frame.format(call) for call in (3, 9)
    }
    shop.problem("squares", {**SQUARE, **lapses})
    shop.build(tests=12)
    passed = {name for name, row in shop.solutions("squares").items() if row["passed"]}
    assert passed == {"times", "power", "lapse3", "lapse9"}
    assert not [row for row in shop.dropped if row["stage"] in ("validate", "quarantine")]


def test_differing_order_means_any_order(shop: Shop) -> None:
    """The statement need not say so. A result with other elements is still wrong."""
    backwards = FRAME + "return [n * n for n in nums][::-1]\n"
    shop.problem("squares", {**SQUARE, **ALSO, "solutions/python/power.py": backwards})
    shop.build(tests=8)
    assert {name: row["status"] for name, row in shop.solutions("squares").items()} == {
        "times": "accepted", "power": "accepted", "wrong_twice": "wrong_answer",
    }  # fmt: skip
    assert json.loads(shop.rows()["squares"]["comparison"])["kind"] == "evaluator"


ALSO_EVENS = {
    "solutions/javascript/map.js": "var squares = function(nums) {\n"
    "  return [...nums.filter(n => n % 2 == 0), ...nums.filter(n => n % 2)];\n};\n"
}
EVENS = {
    **SQUARE,
    "statement.md": SQUARE["statement.md"].replace(
        "Return the squares of nums.",
        "Move the even numbers of nums to the front, before all odd ones. Return any such list.",
    ),
    "solutions/python/times.py": FRAME + "return sorted(nums, key=lambda n: n % 2)\n",
    "solutions/python/power.py": FRAME + "return sorted(nums, key=lambda n: (n % 2, n))\n",
    "solutions/python/wrong_twice.py": FRAME + "return nums\n",
}


def test_several_right_answers_share_properties(shop: Shop) -> None:
    """A further right answer is also accepted, and the example quarantines no solution."""
    example = "\n**Example 1:**\n\nInput: nums = [3,1,2,4]\nOutput: [2,4,3,1]\n"
    other = FRAME + "return sorted(nums, key=lambda n: (n % 2, -n))\n"
    shop.problem(
        "squares",
        {
            **EVENS,
            "statement.md": EVENS["statement.md"] + example,
            "solutions/python/other.py": other,
        },
    )
    shop.build(tests=12, voters=2)
    assert {name: row["status"] for name, row in shop.solutions("squares").items()} == {
        "times": "accepted", "power": "accepted", "other": "accepted", "wrong_twice": "wrong_answer",
    }  # fmt: skip
    comparison = json.loads(shop.rows()["squares"]["comparison"])
    assert comparison["kind"] == "evaluator"
    assert comparison["source"] == "Return any such list."


def test_disputed_tests_without_checker_are_dropped(shop: Shop) -> None:
    """The statement does not define right answers."""
    statement = EVENS["statement.md"].replace(
        "Move the even numbers of nums to the front, before all odd ones", "Tidy up"
    )
    shop.problem("squares", {**EVENS, **ALSO_EVENS, "statement.md": statement})
    shop.build(tests=30)
    assert json.loads(shop.rows()["squares"]["comparison"])["several"] is True
    passed = {name: row["status"] for name, row in shop.solutions("squares").items()}
    assert passed["times"] == passed["power"] == "accepted"
    assert any(row["reason"] == "canonical solutions disagree" for row in shop.dropped)


def test_problem_with_only_starter_code_is_built(shop: Shop) -> None:
    """Runners, starter code and inputs follow from the signature; a mismatch is reported."""
    shop.problem("squares", {**SQUARE, **ALSO, "solutions/cpp/plain.cpp": "int main() {}\n"})
    shop.build(tests=8)
    row = shop.rows()["squares"]
    assert {name: row["status"] for name, row in shop.solutions("squares").items()} == {
        "times": "accepted", "power": "accepted", "wrong_twice": "wrong_answer",
    }  # fmt: skip
    assert MARKER in row["test_case_runners"]
    assert json.loads(row["test_quality"])["way"] == "derived"
    quarantined = {
        row["item"]: row["reason"] for row in shop.dropped if row["stage"] == "quarantine"
    }
    assert set(quarantined) == {"squares/cpp/plain"}


# Starter code that no runner can call, and parts of its message.
UNFIT = {
    "an unsupported type": (
        "def squares(counts: Dict[str, int]) -> int:\n    pass\n", ["Dict[str, int]", "counts in line 1"],
    ),
    "no function": ("# nothing\nsquares = 3\n", ["no function to fill in was found"]),
    "no type": (
        "class Solution:\n    def squares(self, a) -> int:\n        pass\n",
        ["the parameter a in line 2 is not known"],
    ),
}  # fmt: skip


def test_unusable_starter_code_is_reported_with_line(shop: Shop) -> None:
    shop.problem("squares", SQUARE)
    for number, (starter, _) in enumerate(UNFIT.values()):
        title = SQUARE["problem.toml"].replace("Squares", f"Poem {number}")
        statement = f"Return how often the {number + 2} most frequent words of a poem occur.\n"
        changes = {"problem.toml": title, "starter/python.py": starter, "statement.md": statement}
        shop.problem(f"poem-{number}", {**SQUARE, **changes})
    shop.build(tests=8)
    assert set(shop.rows()) == {"squares"}
    for number, (_, named) in enumerate(UNFIT.values()):
        reasons = [row["reason"] for row in shop.dropped if row["problem"] == f"poem-{number}"]
        assert reasons, shop.dropped
        assert all(words in reason for words in named for reason in reasons), reasons


def test_solution_of_another_type_is_reported(shop: Shop) -> None:
    shop.problem(
        "squares", {**SQUARE, "solutions/python/text.py": FRAME + "return [str(n) for n in nums]\n"}
    )
    shop.build(tests=8)
    reasons = {row["stage"]: row["reason"] for row in shop.dropped if row["item"].endswith("/text")}
    assert reasons["quarantine"] == "fails on every test"
    assert "expected int" in reasons["disputed"], "its inputs are random values of the types"


def test_problem_with_constant_answers_is_dropped(shop: Shop) -> None:
    """A program that prints a constant passes every test."""
    frame = FRAME.replace("List[int]:", "bool:")
    same = {"starter/python.py": frame + "pass\n", "solutions/python/wrong_twice.py": None}
    same["solutions/python/times.py"] = frame + "return len(nums) > 50\n"
    same["solutions/python/power.py"] = frame + "return sum(1 for n in nums) > 60\n"
    shop.problem("squares", SQUARE)
    shop.problem("many", {**SQUARE, "problem.toml": SQUARE["problem.toml"].replace("Squares", "Many"),
                          "statement.md": SQUARE["statement.md"].replace("Return the squares", "Are there many"),
                          **same})  # fmt: skip
    shop.build(tests=6)
    assert set(shop.rows()) == {"squares"}
    reasons = {row["reason"] for row in shop.dropped if row["item"] == "many"}
    assert any("tests expect the same output: false" in reason for reason in reasons), reasons


def test_bad_solutions_do_not_drop_their_problem(shop: Shop) -> None:
    """An empty and a crashing solution are dropped; the two that agree are enough."""
    bad = {"solutions/python/empty.py": "\n\n", "solutions/python/crashes.py": "raise ValueError\n"}
    shop.problem("squares", {**SQUARE, **bad})
    shop.build(tests=6)
    assert set(shop.rows()) == {"squares"}
    for name, expected in (("empty", "there is no code"), ("crashes", "fails on every test")):
        reasons = [row["reason"] for row in shop.dropped if row["item"] == f"squares/python/{name}"]
        assert any(expected in reason for reason in reasons), shop.dropped
