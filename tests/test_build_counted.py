"""Builds that count the instructions of accepted solutions."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.building import needs_isolation
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.execution.counting import counter_facts, pmu_problem

pytestmark = needs_isolation
KIND = "auto"
counted = pytest.mark.skipif(not counter_facts(KIND), reason="nothing counts instructions here: venus doctor")


@counted
def test_accepted_solutions_are_counted_and_always_the_same(shop: Any) -> None:
    shop.problem()
    shop.build(counter=KIND, rank="instructions", tests=2, quality={"mutants": 0})
    before = {name: each["instructions"] for name, each in shop.solutions().items()}
    accepted = {name for name, each in shop.solutions().items() if each["passed"]}
    assert {name for name, count in before.items() if count is not None} == accepted
    assert all(before[name] > 1_000_000 for name in accepted)
    ranked = sorted(accepted, key=lambda name: (shop.solutions()[name]["rank"], before[name]))
    assert [before[name] for name in ranked] == sorted(before[name] for name in accepted)
    assert shop.manifest["configs"]["python"]["rank"] == "instructions"
    floor = shop.rows("python")["twice"]["floor_instructions"]
    assert floor > 0
    assert floor % 2 == 0  # of an empty program, on two tests
    assert {s["net_instructions"] + floor - s["instructions"] for s in shop.solutions().values() if s["passed"]} == {0}
    about = shop.manifest["configs"]["python"]["counted"]
    assert (about["solutions"], about["counter"]) == (len(accepted), counter_facts(KIND)["counter"])
    shutil.rmtree(shop.out)
    shop.build(counter=KIND, tests=2, quality={"mutants": 0})
    assert {name: each["instructions"] for name, each in shop.solutions().items()} == before


def test_without_a_counter_there_are_no_counts(shop: Any) -> None:
    shop.problem()
    shop.build(quality={"mutants": 0})
    assert {each["instructions"] for each in shop.solutions().values()} == {None}
    assert shop.manifest["configs"]["python"]["counted"] == {}


def test_a_rank_by_instructions_needs_a_counter() -> None:
    with pytest.raises(UsageError, match="needs counts"):
        make_plan(rank="instructions")


@pytest.mark.skipif(not pmu_problem(), reason="this processor counts")
def test_a_counter_that_does_not_work_is_said_before_anything_is_built(shop: Any) -> None:
    shop.problem()
    with pytest.raises(MachineError, match="the processor's counter cannot be used"):
        shop.build(counter="pmu")
    assert not (shop.out / "manifest.json").exists()
