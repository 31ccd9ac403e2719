"""The config ``runs``: the costs of each solution on each test, which add up to its total costs."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_cpp
from tests.conftest import Workshop as Shop
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.records import Run
from venus_toolkit.dataset.columns import RUNS
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.engine.executor import plain_measured, read_measured
from venus_toolkit.execution.measuring.rounds import (
    CostOnTest,
    Measured,
    MeasureOptions,
    Round,
    Rounds,
)

WRONG = "print(int(input()) + 1)\n"
SUMS = ("wall_ns", "cpu_ns", "integral_byte_ns")


def rows(shop: Shop) -> list[dict[str, Any]]:
    """Return the rows of all splits, with ids of solutions shortened to their last part."""
    found = [
        row
        for file in open_release(shop.out).files("runs")
        for row in pq.read_table(file).to_pylist()
    ]
    return [{**row, "solution_id": row["solution_id"].rsplit("/", 1)[-1]} for row in found]


def small(shop: Shop) -> Shop:
    """Add a problem with three right solutions and a wrong one; return the shop."""
    shop.problem("twice", {"solutions/python/wrong_one.py": WRONG})
    return shop


def build(shop: Shop, **values: Any) -> None:
    shop.build(**{"runs": True, "repeats": 2, "tests": 3, "quality": {"mutants": 0}, **values})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A build with runs; tests that change it use `copied`."""
    shop = small(Shop(tmp_path_factory.mktemp("runs")))
    build(shop)
    return shop


@pytest.fixture
def copied(finished: Shop, shop: Shop) -> Shop:
    shop.source = finished.source
    shutil.copytree(finished.out, shop.out)
    return shop


def test_figures_of_tests_add_up(finished: Shop) -> None:
    shop = finished
    of_solution: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(shop):
        assert list(row) == RUNS.names
        assert (row["title"], row["language"], row["repeats"], row["instructions"]) == (
            "twice",
            "python",
            2,
            None,
        )
        of_solution[row["solution_id"]].append(row)
    solutions = shop.solutions()
    assert set(of_solution) == {name for name, each in solutions.items() if each["passed"]}
    tests = [
        row["test_id"]
        for file in open_release(shop.out).files("tests")
        for row in pq.read_table(file).to_pylist()
    ]
    for name, mine in of_solution.items():
        assert [row["test_id"] for row in mine] == tests
        assert {figure: sum(row[figure] for row in mine) for figure in SUMS} == {
            figure: pytest.approx(solutions[name][figure]) for figure in SUMS
        }
        assert max(row["peak_bytes"] for row in mine) == solutions[name]["peak_bytes"]
    splits = shop.manifest["runs"]["splits"]
    assert sum(split["runs"] for split in splits.values()) == len(rows(shop)) == 3 * len(tests)
    assert open_release(shop.out).complaints() == []
    assert "| `wall_ns` | int64 | ns | wall time of one run" in (shop.out / "README.md").read_text()


def test_runs_are_published_only_on_request(copied: Shop) -> None:
    assert not make_plan().runs
    assert "runs" in open_release(copied.out).config_names
    build(copied, runs=False)
    release = open_release(copied.out)
    assert "runs" not in release.config_names
    assert "runs" not in release.manifest
    assert release.complaints() == []


def test_resumed_build_has_the_same_runs(copied: Shop) -> None:
    before = rows(copied)
    shutil.rmtree(copied.out / "runs")
    (copied.out / "manifest.json").unlink()
    build(copied)
    assert rows(copied) == before, "from the journal: nothing was measured again"


def test_unpublished_solution_has_no_runs(shop: Shop) -> None:
    build(small(shop), curation={"max_solutions": 2, "across_problems": "none"})
    published = {name for name, each in shop.solutions().items() if each["passed"]}
    assert {row["solution_id"] for row in rows(shop)} == published
    assert len(published) == 2


@needs_cpp
def test_the_runs_of_a_language_built_earlier_stay(shop: Shop) -> None:
    shop.small()
    build(shop, lang=("python",))
    before = [row for row in rows(shop) if row["language"] == "python"]
    build(shop, lang=("cpp",))
    now = rows(shop)
    assert [row for row in now if row["language"] == "python"] == before
    assert Counter(row["language"] for row in now).keys() == {"python", "cpp"}
    assert open_release(shop.out).complaints() == []


# ------------------------------------------------------------------ costs on each test


def run(wall_ns: int, peak_bytes: int) -> Run:
    return Run(
        0, None, None, wall_ns, 2 * wall_ns, wall_ns, 0, peak_bytes, "cgroup", None, 3 * wall_ns, 0, 9, 0, 1, 0, 0, 0,
        0, 0, False, False, "none",
    )  # fmt: skip


def measured(options: MeasureOptions, clean: tuple[bool, ...] = (True, True, True)) -> Measured:
    each = (
        Round((run(5, 70), run(9, 20)), None, clean[0]),
        Round((run(7, 60), run(8, 30)), None, clean[1]),
    )
    rounds = (*each, Round((run(6, 50), run(4, 10)), None, clean[2]))
    return Rounds(options, 2, (rounds,)).measured(0)


def test_figures_of_a_test_are_minimums_of_repeats() -> None:
    found = measured(MeasureOptions(3))
    assert found.on_tests == (CostOnTest(5, 10, 50, 15), CostOnTest(4, 8, 10, 12))
    assert (found.total.wall_ns, found.total.peak_bytes) == (9, 50)
    assert measured(MeasureOptions(3, "median")).on_tests == (
        CostOnTest(6, 12, 60, 18),
        CostOnTest(8, 16, 20, 24),
    )


def test_failed_repeat_does_not_count() -> None:
    assert measured(MeasureOptions(3), (True, True, False)).on_tests[1].wall_ns == 8
    assert measured(MeasureOptions(3), (False, False, False)).on_tests == ()


def test_figures_of_tests_survive_the_journal() -> None:
    found = measured(MeasureOptions(3))
    assert read_measured(plain_measured(found)) == found
    without = found._replace(on_tests=())
    assert len(plain_measured(without)) == 3, "as in journals of earlier versions"
    assert read_measured(plain_measured(without)) == without
