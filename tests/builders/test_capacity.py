"""The capacity model: costs computed by hand, and plausible constants of this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.building import needs_isolation
from venus_toolkit.builders.capacity import (
    BuildCost,
    BuildSize,
    Constants,
    cost,
    measure_constants,
    mixed,
    table,
)
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.sandbox.opening import open_sandbox

isolated = needs_isolation[1]
CONSTANTS = Constants(compile_s=1.0, session_s=0.5, start_s=0.1, reference_s=2.0)
SHAPE = BuildSize(problems=10, solutions=4, tests=20, repeats=2, run_s=0.1, mutants=0, machine=2)


def test_cost_by_hand() -> None:
    """40 solutions; validate 1 + 0.5 + 20 * 0.2; measure 2 * 2 * (0.5 + 20 * 0.2 + 2)."""
    assert cost(CONSTANTS, SHAPE) == pytest.approx(BuildCost(40 * 5.5, 0, 0, 40 * 26.0))


def test_dropped_tests_cost_only_validation() -> None:
    base, more = (
        cost(CONSTANTS, replace(SHAPE, mutants=8)),
        cost(CONSTANTS, replace(SHAPE, mutants=8, found=30)),
    )
    assert more.validate_s - base.validate_s == pytest.approx(40 * 10 * 0.2)
    assert more.quality_s - base.quality_s == pytest.approx(10 * 8 * 10 / 2 * 0.2)
    assert more[2:] == base[2:]


def test_non_voters_are_judged_by_remaining_tests() -> None:
    """30 of 40 solutions, 3 of each problem, vote on 30 inputs; 10 are judged by 20 tests."""
    build_cost = cost(CONSTANTS, replace(SHAPE, voters=3, found=30))
    assert build_cost.validate_s == pytest.approx(30 * (1.5 + 30 * 0.2))
    assert build_cost.judge_s == pytest.approx(10 * (1.5 + 20 * 0.2))
    assert cost(CONSTANTS, replace(SHAPE, voters=0)) == cost(CONSTANTS, SHAPE)


@pytest.mark.parametrize(
    ("machine", "cores"), [(1, 1), (2, 2), (3, 3 / 2), (4, 4 / 3), (64, 4 / 3)]
)
def test_supervisors_share_cores(machine: int, cores: float) -> None:
    build_cost = cost(CONSTANTS, replace(SHAPE, machine=machine))
    assert build_cost.measure_s == pytest.approx(cores * 40 * 2 * (0.5 + 20 * 0.2 + 2))


def test_only_efficiency_tests_are_measured() -> None:
    build_cost = cost(CONSTANTS, replace(SHAPE, measured=5))
    assert build_cost.measure_s == pytest.approx(40 * 2 * 2 * (0.5 + 5 * 0.2 + 2))
    assert build_cost.validate_s == cost(CONSTANTS, SHAPE).validate_s


def test_batch_mode_saves_only_starts() -> None:
    alone, batched = cost(CONSTANTS, SHAPE), cost(CONSTANTS, replace(SHAPE, batch=True))
    assert alone.validate_s - batched.validate_s == pytest.approx(40 * (20 - 4) * 0.1)
    assert alone[1:] == batched[1:]


def test_wrong_solutions_and_mutants() -> None:
    """10 of 40 solutions are wrong, 4 slow; one of 8 mutants of each problem never ends."""
    build_cost = cost(
        CONSTANTS,
        replace(SHAPE, wrong=0.25, slow=0.1, limit_s=3.0, mutants=8),
        mutants=Constants(0, 0.5, 0.1, 0),
    )
    assert build_cost.judge_s == pytest.approx(14 * 1.7 + 4 * 3)
    assert build_cost.validate_s == pytest.approx(26 * 5.5)
    assert build_cost.quality_s == pytest.approx(10 * (8 * (0.5 + 10 * 0.2) + 3 + 5 * 24 * 0.2))
    assert build_cost.core_hours == pytest.approx(sum(build_cost) / 3600)


def test_mean_over_languages() -> None:
    assert mixed([BuildCost(1, 2, 3, 4), BuildCost(3, 2, 1, 0)]) == BuildCost(2, 2, 2, 2)
    assert set(table({"cpp": CONSTANTS, "python": CONSTANTS}, SHAPE)) == {"cpp", "python", "all"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"tests": 0},
        {"problems": -1},
        {"run_s": -1.0},
        {"wrong": 1.0},
        {"wrong": 0.5, "slow": 0.5},
        {"slow": -1},
        {"found": 0},
        {"measured": 0},
        {"measured": 2},
    ],
)
def test_invalid_build_size(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="a build cannot have this size"):
        BuildSize(**{"problems": 1, "solutions": 1, "tests": 1, **wrong})


@isolated
def test_constants_are_plausible() -> None:
    python = load_languages()["python"]
    with open_sandbox("local", [python]) as sandbox:
        constants = measure_constants(sandbox, python, tries=1, runs=2)
    assert 0 < constants.start_s < 60
    assert 0 < constants.reference_s < 60
    assert constants.session_s >= 0


@isolated
def test_command(cli: Callable[..., Any]) -> None:
    done = cli(
        "scale",
        "--lang",
        "python",
        "--problems",
        10,
        "--solutions",
        2,
        "--tests",
        5,
        "--sandbox",
        "local",
        "--json",
    )
    report = json.loads(done.stdout)
    assert report["shape"]["problems"] == 10
    assert set(report["costs"]) == {"python", "all"}
    shown = cli("scale", "--lang", "python", "--cores", 8, "--sandbox", "local").stdout
    assert "days on 8 cores" in shown
