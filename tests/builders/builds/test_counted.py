"""Builds that count the instructions of accepted solutions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_cpp, needs_isolation
from tests.conftest import Workshop
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.measuring import counting
from venus_toolkit.execution.measuring.counting import counter_facts, pmu_problem
from venus_toolkit.execution.sandbox import emulator

pytestmark = needs_isolation
KIND = "auto"
counted = pytest.mark.skipif(
    not counter_facts(KIND), reason="nothing counts instructions here: venus doctor"
)


@pytest.fixture(scope="module")
def ranked_by_count(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A build with counts for each test, shared by tests that do not change it."""
    shop = Workshop(tmp_path_factory.mktemp("counted"))
    shop.problem()
    shop.build(
        counter=KIND,
        rank="instructions",
        runs=True,
        complexity=False,
        tests=2,
        quality={"mutants": 0},
    )
    return shop


@counted
def test_counts_of_accepted_solutions_are_reproducible(
    ranked_by_count: Any, tmp_path: Path
) -> None:
    shop = ranked_by_count
    before = {name: row["instructions"] for name, row in shop.solutions().items()}
    accepted = {name for name, row in shop.solutions().items() if row["passed"]}
    assert {name for name, count in before.items() if count is not None} == accepted
    assert all(before[name] > 1_000_000 for name in accepted)
    ranked = sorted(accepted, key=lambda name: (shop.solutions()[name]["rank"], before[name]))
    assert [before[name] for name in ranked] == sorted(before[name] for name in accepted)
    assert shop.manifest["configs"]["python"]["rank"] == "instructions"
    floor = shop.rows("python")["twice"]["floor_instructions"]
    assert floor > 0
    assert {
        s["net_instructions"] + floor - s["instructions"]
        for s in shop.solutions().values()
        if s["passed"]
    } == {0}
    about = shop.manifest["configs"]["python"]["counted"]
    assert (about["solutions"], about["counter"]) == (len(accepted), counter_facts(KIND)["counter"])
    again = Workshop(tmp_path)
    again.problem()
    again.build(counter=KIND, complexity=False, tests=2, quality={"mutants": 0})
    assert {name: row["instructions"] for name, row in again.solutions().items()} == before
    assert again.manifest["configs"]["python"]["rank"] == "joint"
    # Too few programs to fit a line, so time alone decides.
    solutions = again.solutions().values()
    assert [row["joint_time"] for row in solutions] == [row["relative_time"] for row in solutions]
    assert "| time and instructions |" in (again.out / "README.md").read_text()


@counted
def test_instructions_of_tests_add_up(ranked_by_count: Any) -> None:
    shop = ranked_by_count
    counts: Counter[str] = Counter()
    for file in open_release(shop.out).files("runs"):
        for row in pq.read_table(file).to_pylist():
            counts[row["solution_id"].rsplit("/", 1)[-1]] += row["instructions"]
    assert counts == {
        name: row["instructions"] for name, row in shop.solutions().items() if row["passed"]
    }


# Two solutions must agree; the second is in a language that the build omits.
OTHER = {
    "solutions/cpp/plus.cpp": "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n; }\n"
}
GROWS = """SIZES = {"": 4096}
def generate(seed, size):
    n = int(size) if size.isdigit() else 300 * ["small", "boundary", "random", "large"].index(size) + seed % 50
    return f"{n}\\n"
"""
LOOPS = {
    "once": "for (long i = 0; i < n; i++) s += 2;",
    "twice": "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) s += 2 * (i == j);",
}


@counted
@needs_cpp
def test_complexity_of_solutions(shop: Any) -> None:
    code = (
        '#include <cstdio>\nint main() {{ long n; volatile long s = 0; scanf("%ld", &n); {} '
        'printf("%ld\\n", s); }}\n'
    )
    cpp = {f"solutions/cpp/{name}.cpp": code.format(loop) for name, loop in LOOPS.items()}
    shop.problem(changes={**cpp, "generator.py": GROWS})
    plan = {
        "lang": ("cpp",),
        "counter": KIND,
        "quality": {"mutants": 0},
        "generation": {"efficiency_tests": 4},
    }
    shop.build(**plan)
    solutions = shop.solutions(language="cpp")
    assert {name: row["complexity"] for name, row in solutions.items()} == {
        "once": "linear",
        "twice": "quadratic",
    }
    for row in solutions.values():
        assert row["complexity_low"] <= row["complexity_exponent"] <= row["complexity_high"]
    assert "(`complexity`): quadratic in 1 cpp solutions" in (shop.out / "README.md").read_text()
    # Their costs differ more on larger inputs, which therefore separate them.
    tests = json.loads(shop.rows("cpp")["twice"]["test_cases"])
    efficiency = [test for test in tests if test["role"] == "efficiency"]
    assert efficiency
    assert all(
        test["adds"].startswith("separates") and int(test["input"]) >= 900 for test in efficiency
    )
    shop.build(**plan, complexity_solutions=1)
    assert (
        sum(row["complexity"] is not None for row in shop.solutions(language="cpp").values()) == 1
    )
    shop.build(**plan, complexity=False)
    fitted = [
        row[f"complexity{part}"]
        for row in shop.solutions(language="cpp").values()
        for part in ("", "_exponent", "_low", "_high")
    ]
    assert fitted == [None] * 8


@counted
@needs_cpp
def test_single_accepted_solution_is_measured_on_large_inputs(
    shop: Any,
) -> None:
    shop.problem(
        changes={"solutions/python/plus.py": None, "solutions/python/shift.py": None, **OTHER}
    )
    shop.build(counter=KIND, tests=20, quality={"mutants": 0}, generation={"efficiency_tests": 4})
    cases = json.loads(shop.rows()["twice"]["test_cases"])
    assert {test["size"] for test in cases if test["role"] == "efficiency"} == {"large"}


def test_complexity_needs_a_counter() -> None:
    with pytest.raises(UsageError, match="complexity = true needs counts"):
        make_plan(complexity=True)


def test_no_counts_without_a_counter(shop: Any) -> None:
    shop.problem()
    shop.build(quality={"mutants": 0})
    assert {row["instructions"] for row in shop.solutions().values()} == {None}
    assert {row["complexity"] for row in shop.solutions().values()} == {None}
    assert shop.manifest["configs"]["python"]["counted"] == {}


@pytest.mark.parametrize("rank", ["instructions", "joint"])
def test_rank_by_counts_needs_a_counter(rank: str) -> None:
    with pytest.raises(UsageError, match="needs counts"):
        make_plan(rank=rank)


@pytest.mark.parametrize(
    "changes", [{"rank": "instructions"}, {"rank": "joint"}, {"complexity": True}]
)
def test_missing_counter_is_reported_before_building(
    shop: Any, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    def missing() -> None:
        raise MachineError("instructions cannot be counted", "no emulator", "install one")

    monkeypatch.setattr(counting, "pmu_problem", lambda: "this processor does not count")
    monkeypatch.setattr(emulator, "find_emulator", missing)
    shop.problem()
    with pytest.raises(MachineError, match="instructions cannot be counted"):
        shop.build(counter="auto", **changes)
    assert not (shop.out / "manifest.json").exists()


@pytest.mark.skipif(not pmu_problem(), reason="this processor counts")
def test_broken_counter_is_reported_before_building(shop: Any) -> None:
    shop.problem()
    with pytest.raises(MachineError, match="the processor's counter cannot be used"):
        shop.build(counter="pmu")
    assert not (shop.out / "manifest.json").exists()
