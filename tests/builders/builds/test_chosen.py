"""`venus build` with more inputs than tests: the selection, and the measured tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import Shop, needs_isolation
from venus_toolkit.builders.inputs.make_inputs import ProblemInputs
from venus_toolkit.builders.stages import inputs
from venus_toolkit.core.records import TestCase
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.engine import work

pytestmark = needs_isolation

ODD = "n = int(input())\nif n == 17:\n    print(34)\nelse:\n    print(n + n)\n"
TWO = {
    "generator.py": None,
    "solutions/python/plus.py": None,
    "solutions/python/shift.py": None,
    "solutions/python/odd.py": ODD,
}
WRONG = "n = int(input())\nprint(n * 2 + (n == 23))\n"


def test_given_tests_are_selected_by_coverage(shop: Shop) -> None:
    """Only one input, not among the first, reaches the other branch of a program."""
    inputs = {f"tests/{n:02}.in": f"{n}\n" for n in range(20)} | {
        f"tests/{n:02}.out": f"{2 * n}\n" for n in range(20)
    }
    shop.problem("twice", {**inputs, **TWO})
    shop.build(tests=5, quality={"mutants": 2})
    cases = json.loads(shop.rows()["twice"]["test_cases"])
    assert len(cases) == 5
    (shown,) = [case["adds"] for case in cases if case["input"] == "17\n"]
    assert shown in ("coverage", "cost")  # for programs this short, cost is noise
    assert {case["role"] for case in cases} == {None}
    cut = [row for row in shop.dropped if row["stage"] == "generate"]
    assert len(cut) == 15
    assert {row["reason"] for row in cut} == {"the tests that are kept show what it shows"}
    assert (
        "15 of 20 given tests dropped as redundant"
        in json.loads(shop.rows()["twice"]["test_quality"])["reasons"]
    )


def test_only_chosen_tests_remain_and_efficiency_is_measured(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = [TestCase(f"tiny-{n}", f"{n}\n", size="tiny", seed=n) for n in range(60)]
    large = [TestCase(f"max-{n}", f"{10**6 + n}\n", size="max", seed=n) for n in range(9)]
    monkeypatch.setattr(
        inputs, "make_inputs", lambda *_: ProblemInputs((*tiny, *large), {}, "derived", 1.0)
    )
    measured: list[int] = []
    measure = work.measure_programs

    def seen(sandbox: Any, cores: Any, programs: Any, tests: Sequence[TestCase], *rest: Any) -> Any:
        measured.append(len(tests))
        return measure(sandbox, cores, programs, tests, *rest)

    monkeypatch.setattr("venus_toolkit.execution.engine.executor.measure_programs", seen)
    shop.problem("twice", {**TWO, "solutions/python/wrong_once.py": WRONG})
    shop.build(tests=6, generation={"efficiency_tests": 4}, quality={"mutants": 2})
    cases = {case["input"].strip(): case for case in json.loads(shop.rows()["twice"]["test_cases"])}
    roles = [case["role"] for case in cases.values()]
    assert (roles.count("correctness"), roles.count("efficiency"), len(cases)) == (6, 4, 10)
    assert {cases["17"]["adds"], cases["23"]["adds"]} == {
        "coverage",
        "kills twice/python/wrong_once",
    }
    assert measured == [4]
    assert shop.solutions()["wrong_once"]["status"] == "wrong_answer"


@pytest.mark.parametrize(
    ("most", "large"), [pytest.param(10, 3, marks=pytest.mark.only_thorough), (2, 2), (0, 0)]
)
def test_large_inputs_of_own_generator_are_measured(shop: Shop, most: int, large: int) -> None:
    """All tests judge; small ones would mostly time the process start, so they do not measure."""
    shop.problem()
    shop.build(tests=20, runs=True, generation={"efficiency_tests": most}, quality={"mutants": 0})
    cases = json.loads(shop.rows()["twice"]["test_cases"])
    assert len(cases) == 12
    roles = [case.get("role") for case in cases]
    assert roles.count("efficiency") == large
    assert roles.count("correctness") == (12 - large if large else 0)
    assert {case["size"] for case in cases if case.get("role") == "efficiency"} <= {"large"}
    (file,) = open_release(shop.out).files("runs")
    assert len({row["test_id"] for row in pq.read_table(file).to_pylist()}) == (large or 12)
