"""``large_inputs = "reference"``: omitted inputs, and their reconstruction."""

from __future__ import annotations

import json
from typing import Any

import pyarrow.parquet as pq

from tests.building import Shop, needs_isolation
from venus_toolkit.builders.replayed_measurements import ReplayedMeasurements
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Solution, TestCase
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.judging.generators import materialise, sha256
from venus_toolkit.execution.sandbox.opening import open_sandbox

pytestmark = needs_isolation
PADDED = (
    "def generate(seed, size):\n"
    "    number = seed + 1000 * ['small', 'boundary', 'random', 'large'].index(size)\n"
    "    return str(number) + ' ' * (5000 * (size == 'large')) + '\\n'\n"
)
FICKLE = PADDED.replace("def generate", "import time\ndef generate").replace(
    "str(number)", "str(time.time_ns())"
)
PLAN: dict[str, Any] = {
    "large_inputs": "reference",
    "large_input_bytes": 1000,
    "quality": {"mutants": 0},
}


def cases(shop: Shop, title: str) -> dict[str, dict[str, Any]]:
    return {case["id"]: case for case in json.loads(shop.rows()[title]["test_cases"])}


def test_omitted_large_inputs_are_reproduced(shop: Shop) -> None:
    """One problem has a reproducible generator; the inputs of the other are published in full."""
    shop.problem("steady", {"generator.py": PADDED})
    shop.problem("fickle", {"generator.py": FICKLE})
    shop.build(**PLAN)
    steady, fickle = cases(shop, "steady"), cases(shop, "fickle")
    large = steady.pop("large-0")
    assert (large["input"], large["input_bytes"]) == (None, 5005)
    assert large["input_sha256"] == sha256("3000" + " " * 5000 + "\n")
    assert all(
        isinstance(case["input"], str) and "input_sha256" not in case for case in steady.values()
    )
    assert len(fickle["large-0"]["input"]) > 5000

    with open_sandbox("local") as sandbox:
        rows = [
            row for part in ("train", "test") for row in _tests(shop, part) if row["input"] is None
        ]
        assert [(row["title"], row["test_id"]) for row in rows] == [("steady", "large-0")]
        (completed,) = materialise(rows, rows[0]["generator"], sandbox)
        assert completed["input"] == "3000" + " " * 5000 + "\n"
    _check_release_as_source(shop)
    _check_replay(shop)


def _tests(shop: Shop, part: str) -> list[dict[str, Any]]:
    files = open_release(shop.out).files("tests", part)
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def _check_release_as_source(shop: Shop) -> None:
    items = choose_source(f"venus_release:{shop.out}").read(load_languages())
    entries = {item.problem.slug: item for item in items if isinstance(item, Entry)}
    tests = {test.test_id: test.stdin for test in entries["steady"].tests}
    assert tests["large-0"] == "3000" + " " * 5000 + "\n"


def _check_replay(shop: Shop) -> None:
    """Check that tests with complete inputs find their measurements."""
    cases_by_id = {case["id"]: case for case in cases(shop, "steady").values()}
    full = {
        **cases_by_id,
        "large-0": {**cases_by_id["large-0"], "input": "3000" + " " * 5000 + "\n"},
    }
    tests = [TestCase(name, case["input"], case["output"]) for name, case in full.items()]
    code = shop.solutions("steady")["plus"]["code"]
    assert ReplayedMeasurements(shop.out, "python").find(
        [Solution("plus", "steady", "python", code)], tests
    )
