"""`venus build` with inputs that may break a promise, and solutions that dispute them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.building import Shop, needs_isolation
from venus_toolkit.builders.inputs.make_inputs import SURE
from venus_toolkit.builders.quality.assess import Agree, Examination, QualityAssessment
from venus_toolkit.builders.stages import examining
from venus_toolkit.builders.stages.witnesses import NOT_BELIEVED, disputed_by
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import TestCase
from venus_toolkit.execution.engine.work import Verdicts

pytestmark = needs_isolation

STATEMENT = """# Largest

Print the largest of some numbers.

## Input

The first line contains $n$ ($1 \\le n \\le 50$).
The second line contains $n$ integers $a_1, \\ldots, a_n$ ($1 \\le a_i \\le 100$).{promise}

## Output

The largest number.
"""
PROMISE = " It is guaranteed that the numbers are in the order of the Duke's banquet."
FIRST = "input()\nprint(input().split()[0])\n"
LARGEST = "n = input()\nprint(max(map(int, input().split())){})\n"
FILES = {
    "generator.py": None,
    "solutions/python/plus.py": None,
    "solutions/python/shift.py": None,
    "solutions/python/times.py": None,
    "solutions/python/first.py": FIRST,
    "solutions/python/leading.py": "n, a = input(), input()\nprint(int(a.split(' ')[0]))\n",
    **{f"solutions/python/unknown_{n}.py": LARGEST.format(f" + 0 * {n}") for n in range(4)},
    "solutions/python/unknown_worse.py": LARGEST.format(" + 1"),
    **{f"tests/{n}.in": f"3\n{n} {n - 1} 1\n" for n in (7, 8, 9)},
    **{f"tests/{n}.out": f"{n}\n" for n in (7, 8, 9)},
}


def test_doubtful_problem_is_dropped_with_hint(shop: Shop) -> None:
    shop.problem("largest", {**FILES, "statement.md": STATEMENT.format(promise=PROMISE)})
    with pytest.raises(SourceError, match="no problem of the source has a test"):
        shop.build(tests=20, generation={"min_confidence": SURE})
    (row,) = (row for row in shop.dropped if row["item"] == "largest")
    assert row["reason"].startswith(
        "below min_confidence: derived: confidence 0.5: not understood: "
    )
    assert PROMISE.strip(" .") in row["reason"]
    assert "3 given tests besides the statement's samples, 10 are enough" in row["reason"]
    assert row["reason"].endswith("or set a lower min_confidence in [generation] of the plan")


def test_dissent_on_doubtful_inputs_drops_the_inputs(
    shop: Shop,
) -> None:
    """The majority is wrong: two thirds of the accepted solutions rely on a misread promise."""
    files = {name: text for name, text in FILES.items() if "unknown" not in name}
    files |= {"solutions/python/largest.py": LARGEST.format("")}
    files |= {f"solutions/python/unknown_{n}.py": LARGEST.format(f" + 0 * {n}") for n in range(2)}
    shop.problem("largest", {**files, "statement.md": STATEMENT.format(promise=PROMISE)})
    shop.build(tests=10, min_solutions=1)
    statuses = {name: row["status"] for name, row in shop.solutions("largest").items()}
    assert statuses == dict.fromkeys(
        ("first", "largest", "leading", "unknown_0", "unknown_1"), "accepted"
    )
    assert not [row for row in shop.dropped if row["stage"] in ("quarantine", "disputed")]
    tests = [case["input"].split()[1:] for case in json.loads(shop.rows()["largest"]["test_cases"])]
    assert len(tests) > 3, "the tests on which all agree stay"
    assert all(int(first) == max(map(int, (first, *rest))) for first, *rest in tests)


def test_unlabelled_dissenter_is_set_aside(
    shop: Shop,
) -> None:
    files = {name: text for name, text in FILES.items() if "unknown" not in name}
    files |= {f"solutions/python/unknown_{n}.py": LARGEST.format(f" + 0 * {n}") for n in range(2)}
    shop.problem("largest", {**files, "statement.md": STATEMENT.format(promise=PROMISE)})
    shop.build(tests=10, min_solutions=1)
    assert set(shop.solutions("largest")) == {"first", "leading"}, (
        "two witnesses are too few to dispute a test"
    )
    rows = [row for row in shop.dropped if row["stage"] == "disputed"]
    assert [row["item"] for row in rows] == [f"largest/python/unknown_{n}" for n in range(2)]
    assert all(
        row["reason"].startswith("it fails generated tests that are not enough to call it wrong: ")
        for row in rows
    )
    assert (
        "| generated inputs alone speak against the solution | 2 solutions |"
        in (shop.out / "README.md").read_text()
    )


def test_doubtful_inputs_failing_right_solutions_are_dropped(shop: Shop) -> None:
    """The two accepted solutions agree, because they rely on the same misunderstood promise."""
    shop.problem("largest", {**FILES, "statement.md": STATEMENT.format(promise=PROMISE)})
    shop.build(tests=10, min_solutions=1)
    row = shop.rows()["largest"]
    assert [case["input"] for case in json.loads(row["test_cases"])] == [
        f"3\n{n} {n - 1} 1\n" for n in (7, 8, 9)
    ]
    quality = json.loads(row["test_quality"])
    assert (quality["way"], NOT_BELIEVED in quality["reasons"]) == ("given", True)
    statuses = {name: row["status"] for name, row in shop.solutions("largest").items()}
    assert statuses == {
        **dict.fromkeys(("first", "leading", *(f"unknown_{n}" for n in range(4))), "accepted"),
        "unknown_worse": "wrong_answer",
    }
    reasons = {row["reason"] for row in shop.dropped if row["stage"] == "validate"}
    assert "disputed: 4 of 4 solutions that pass the given tests answer otherwise" in reasons


def test_added_inputs_are_checked_by_unlabelled_solutions(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed: list[str] = []

    class Adding(Examination):
        """Adds an input that the statement forbids and one that it allows."""

        def run(self, tests: Sequence[TestCase], agree: Agree) -> QualityAssessment:
            more = [TestCase("broken", "3\n1 2 3\n"), TestCase("right", "3\n3 2 1\n")]
            agreed.extend(test.test_id for test in agree(more))
            return super().run(tests, agree)

    monkeypatch.setattr(examining, "Examination", Adding)
    shop.problem("largest", {**FILES, "statement.md": STATEMENT.format(promise=PROMISE)})
    shop.build(tests=10, min_solutions=1)
    assert agreed == ["right"]
    assert "broken" in {row["item"] for row in shop.dropped if row["stage"] == "validate"}


def test_certain_validator_rejects_solutions(shop: Shop) -> None:
    shop.problem("largest", {**FILES, "statement.md": STATEMENT.format(promise="")})
    shop.build(tests=10, min_solutions=1)
    assert len(json.loads(shop.rows()["largest"]["test_cases"])) > 3
    assert shop.solutions("largest")["unknown_0"]["status"] == "wrong_answer"


@pytest.mark.parametrize(
    ("verdicts", "disputed"),
    [
        (["wrong_answer", "runtime_error", "accepted"], "disputed: 2 of 3"),
        (["wrong_answer", "wrong_answer"], ""),  # fewer than three
        (["time_limit", "memory_limit", "accepted"], ""),  # exceeded limits do not count
        (["wrong_answer", "accepted", "accepted", "accepted"], ""),  # a quarter of them
    ],
)
def test_many_unlabelled_votes_dispute_a_test(verdicts: list[str], disputed: str) -> None:
    witnesses = [Verdicts(True, {"given": "accepted", "made": verdict}) for verdict in verdicts]
    counts = {
        name: reason.partition(" solutions")[0] for name, reason in disputed_by(witnesses).items()
    }
    assert counts == ({"made": disputed} if disputed else {})
