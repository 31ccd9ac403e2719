"""`venus build` from foreign data: ingest, curation before and after execution, models."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.building import Shop, needs_isolation
from tests.model_server import Fault, serving
from venus_toolkit.builders import build as build_module
from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.store import JOURNAL
from venus_toolkit.dataset.funnel import read_funnel

pytestmark = needs_isolation
ROW = {
    "problem_id": 1,
    "question": "Print twice the integer that you read, and nothing else at all.",
    "solutions": json.dumps(["print(int(input()) * 2)\n", "n = int(input())\nprint(n + n)\n"]),
    "input_output": json.dumps(
        {"inputs": ["1\n", "20\n", "-3\n"], "outputs": ["2\n", "40\n", "-6\n"]}
    ),
    "difficulty": "introductory",
    "url": "https://example.org/twice",
    "starter_code": "",
}


def write_rows(folder: Path, *rows: dict[str, Any]) -> str:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"apps:{file}"


def reasons(shop: Shop, stage: str) -> dict[str, str]:
    return {row["item"]: row["reason"] for row in shop.dropped if row["stage"].split()[0] == stage}


# ------------------------------------------------------------------ foreign data


def test_foreign_table_becomes_a_release(shop: Shop) -> None:
    """A wrong row is dropped with its reason and counted, and the build continues."""
    mistyped = {**ROW, "problem_id": 2, "input_output": "{not JSON"}
    missing = {name: value for name, value in ROW.items() if name != "question"} | {"problem_id": 3}
    manifest = shop.build(
        source=write_rows(
            shop.folder, ROW, mistyped, missing, {**ROW, "problem_id": 4, "solutions": ""}
        )
    )
    (row,) = shop.rows().values()
    assert [case["output"] for case in json.loads(row["test_cases"])][:3] == ["2\n", "40\n", "-6\n"]
    assert len(row["solutions"]) == 2
    assert row["url"] == ROW["url"]
    assert manifest["found"]["problems"] == 4
    assert len(reasons(shop, "ingest")) >= 2
    assert sum(manifest["dropped"]["ingest"].values()) == len(reasons(shop, "ingest"))


def test_funnel_adds_up(shop: Shop) -> None:
    shop.problem("twice", {"solutions/python/copy.py": shop.twice["solutions/python/times.py"]})
    shop.problem(
        "poor", {"solutions/python/shift.py": None, "solutions/python/wrong.py": "print(0)\n"}
    )
    shop.build(min_solutions=3)
    funnel = read_funnel(shop.out)
    steps = [step.stage for part in (funnel.problems, *funnel.solutions.values()) for step in part]
    assert "not accounted for" not in steps
    assert [step.stage for step in funnel.problems] == ["found", "threshold", "kept"]
    assert {"duplicates", "with their problems"} <= {
        step.stage for step in funnel.solutions["python"]
    }


def test_changed_source_is_staged_again(shop: Shop) -> None:
    source = write_rows(shop.folder, ROW)
    shop.build(source=source)
    (first,) = (shop.out / ".venus/staging").iterdir()
    written = (first / "staged.json").stat().st_mtime_ns
    (shop.out / "manifest.json").unlink()
    shop.build(source=source)
    assert (first / "staged.json").stat().st_mtime_ns == written
    other = {
        **ROW,
        "problem_id": 9,
        "question": "Print the double of what you read, whatever it may be.",
    }
    shop.build(source=write_rows(shop.folder, ROW, other))
    (second,) = (shop.out / ".venus/staging").iterdir()
    assert second != first
    assert shop.manifest["found"]["problems"] == 2


def test_partial_builds_equal_a_whole_build(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        shop.problem(name)
    shop.build()
    at_once, shop.out = shop.outcome(), shop.folder / "parts"
    monkeypatch.setattr(build_module, "PART", 1)
    shop.build()
    assert shop.outcome() == at_once


def test_source_without_remaining_problems(shop: Shop) -> None:
    shop.problem("paid")
    source = write_rows(shop.folder, {**ROW, "input_output": "{not JSON"})
    with pytest.raises(SourceError, match="can be read"):
        shop.build(source=source)
    assert (shop.out / "dropped.jsonl").read_text().count("\n") >= 1


# ------------------------------------------------------------------ curation


def test_duplicates_name_their_original(shop: Shop) -> None:
    copy = "# my own work\n" + shop.twice["solutions/python/times.py"]
    shop.problem("twice", {"solutions/python/zz_copy.py": copy})
    shop.build()
    assert reasons(shop, "duplicates") == {
        "twice/python/zz_copy": "same tokens: twice/python/times"
    }
    assert set(shop.solutions()) == {"times", "plus", "shift"}


def test_benchmark_problem_is_dropped(shop: Shop) -> None:
    shop.problem()
    words = " ".join(f"word{number}" for number in range(40))
    shop.problem("leaked", {"statement.md": words + "\n"})
    (shop.folder / "bench.jsonl").write_text(json.dumps({"prompt": f"Solve this. {words}"}) + "\n")
    shop.build(
        curation={"across_problems": "none", "benchmarks": [f"bench={shop.folder / 'bench.jsonl'}"]}
    )
    assert set(shop.rows()) == {"twice"}
    assert reasons(shop, "contamination")["leaked"].startswith("found in a benchmark: bench")


def test_train_problem_overlapping_test_is_dropped(shop: Shop) -> None:
    words = [f"word{number}" for number in range(60)]
    shop.problem("first", {"statement.md": " ".join(words)})
    shop.problem(
        "second", {"statement.md": " ".join(words[:40] + [f"other{n}" for n in range(30)])}
    )
    shop.problem("third")
    apart = next(
        seed for seed in range(99) if (draw("first", seed) < 0.5) != (draw("second", seed) < 0.5)
    )
    leaked, tested = sorted(("first", "second"), key=lambda slug: draw(slug, apart), reverse=True)
    shop.build(
        test_fraction=0.5, seed=apart, curation={"across_problems": "none", "behaviour_tests": 99}
    )
    assert reasons(shop, "contamination") == {leaked: f"overlaps with a test problem: {tested}"}
    assert set(shop.rows()) == {tested, "third"}
    assert shop.rows()[tested]["split"] == "test"


def test_problem_with_same_answers_is_dropped(shop: Shop) -> None:
    """Different statements, but the same answers on every common input."""
    shop.problem("twice")
    shop.problem(
        "double",
        {"statement.md": "A shop sells everything at twice its price. What do you pay for one?\n"},
    )
    shop.build(tests=8)
    (remaining,) = shop.rows()
    (row,) = [row for row in shop.dropped if row["stage"] == "behaviour"]
    assert {remaining, row["problem"]} == {"twice", "double"}
    assert row["reason"] == f"gives the same answers as another: {remaining}"


def test_cap_keeps_fastest_and_slowest(shop: Shop) -> None:
    more = {
        f"solutions/python/add{n}.py": f"n = int(input())\nprint(n + n + {n} - {n})\n"
        for n in range(4)
    }
    shop.problem("twice", more)
    shop.build(curation={"max_solutions": 2, "near": 1.0}, rank="absolute", repeats=2)
    assert len([row for row in shop.solutions().values() if row["passed"]]) == 2
    assert sorted(row["rank"] for row in shop.solutions().values()) in ([1, 1], [1, 2])
    assert Counter(row["stage"] for row in shop.dropped)["sample"] == 5


def test_problem_never_changes_split(shop: Shop) -> None:
    for name in ("a", "b", "c"):
        shop.problem(name)
    shop.build(test_fraction=0.34)
    before, earlier = shop.manifest["placements"], shop.out
    for name in ("d", "e", "f", "g"):
        shop.problem(name)
    shop.out = shop.folder / "second"
    shop.build(test_fraction=0.34, earlier=str(earlier), seed=5)
    after = shop.manifest["placements"]
    assert len(after) == 7
    assert {slug: after[slug] for slug in before} == before


def test_invalid_previous_release(shop: Shop) -> None:
    shop.problem()
    with pytest.raises(UsageError, match="no placements can be read"):
        shop.build(earlier=str(shop.source))


# ------------------------------------------------------------------ test quality


def test_release_has_test_quality(shop: Shop) -> None:
    shop.problem("twice", {"solutions/python/wrong_square.py": "n = int(input())\nprint(n * n)\n"})
    manifest = shop.build(tests=8, quality={"mutants": 2})
    quality = json.loads(shop.rows()["twice"]["test_quality"])
    assert (quality["way"], quality["confidence"]) == ("own", 1.0)
    assert quality["true_negative_wrong"] == {"rate": 1.0, "hits": 1, "n": 1}
    assert quality["true_positive"]["hits"] == quality["true_positive"]["n"] == 3
    assert quality["mutants"]["made"] > 0
    assert manifest["quality"]["true_negative_wrong"]["n"] == 1
    assert (
        "solutions labelled correct that the tests accept | 100.0 % | 3"
        in (shop.out / "README.md").read_text()
    )


def test_search_adds_a_test_for_a_missed_program(shop: Shop) -> None:
    """Two small inputs miss a wrong program; the search adds a test, and the rate improves."""
    generator = (
        "def generate(seed, size):\n    return f'{seed % 1000 + 1 + 9 * (size == "
        '"boundary")}\\n\'\n'
    )
    wrong = "n = int(input())\nprint(2 * n if n < 9 else 0)\n"
    shop.problem("twice", {"generator.py": generator, "solutions/python/wrong_from_nine.py": wrong})
    shop.build(tests=2)
    quality = json.loads(shop.rows()["twice"]["test_quality"])
    assert quality["true_negative_wrong_before"]["rate"] == 0.0
    assert quality["true_negative_wrong"]["rate"] == 1.0
    assert quality["tests_added"] > 0
    assert shop.solutions()["wrong_from_nine"]["status"] == "wrong_answer"


# ------------------------------------------------------------------ models

GENERATE = "def generate(seed, size):\n    return f'{seed + len(size)}\\n'\n"
VALIDATE = "def validate(stdin):\n    return stdin.strip().isdigit()\n"
EVALUATE = (
    "def evaluate(expected, actual):\n"
    "    try:\n"
    "        a, b = (sorted(map(int, text.split())) for text in (expected, actual))\n"
    "    except ValueError:\n"
    "        return False\n"
    "    return bool(b) and a == b\n"
)


ATTACK = (
    "```wrong-python\nn = int(input())\nprint(2 * n if n < 5000 else 0)\n```\n\nIt goes "
    "wrong here:\n\n"
    "```input\n5000\n```\n```input\nmany\n```\n"
)


def answer(body: dict[str, Any]) -> str:
    """Return the program that the last message asks for."""
    asked = body["messages"][-1]["content"]
    if "wrong-LANGUAGE" in asked:
        return ATTACK
    programs = {"evaluate(": EVALUATE, "validate(": VALIDATE, "generate(": GENERATE}
    code = next(code for name, code in programs.items() if name in asked)
    return f"```python\n{code}```\n"


def test_model_writes_missing_parts_once(shop: Shop) -> None:
    shop.problem("twice", {"generator.py": None, "statement.md": "Print the double.\n"})
    with serving(answer) as server:
        model = {"base_url": server.base_url, "model": "m"}
        manifest = shop.build(model=model, quality={"mutants": 2})
        quality = json.loads(shop.rows()["twice"]["test_quality"])
        assert quality["way"] == "model"
        assert shop.rows()["twice"]["test_case_generator"] == GENERATE
        # One each for the validator, the generator, a round with a new test, a round without.
        assert manifest["model_costs"]["requests"] == len(server.asked) == 4
        rounds = manifest["quality"]["model"]
        assert {name: rounds[name] for name in ("rounds", "refused", "added", "killers", "completion_tokens")} == {
            "rounds": 2, "refused": 3, "added": 1, "killers": 1, "completion_tokens": 10,
        }  # fmt: skip
        assert [model_round["added"] for model_round in quality["model_rounds"]] == [
            ["targeted-1-1"],
            [],
        ]
        cases = {case["id"]: case for case in json.loads(shop.rows()["twice"]["test_cases"])}
        assert cases["targeted-1-1"]["adds"] == "kills twice~model-1-1"
        assert cases["targeted-1-1"]["output"] == "10000\n"
        assert not any("model" in name for name in shop.solutions()), (
            "its wrong program is nobody's solution"
        )
        (shop.out / "manifest.json").unlink()
        (shop.out / ".venus" / JOURNAL).unlink()
        again = shop.build(model=model, quality={"mutants": 2})
        assert again["model_costs"]["requests"] == 0
        assert len(server.asked) == 4


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500, body="<html>no</html>"),
        Fault(body='{"choices": ['),
        "```cpp\nint main() {}\n```",
    ],
)
def test_build_continues_without_usable_answer(shop: Shop, fault: Fault | str) -> None:
    """Neither the given tests of `twice` nor the problem `other` needs a model."""
    shop.problem("twice", {"generator.py": None, "tests/one.in": "4\n", "tests/one.out": "8\n"})
    shop.problem(
        "other",
        {"statement.md": "Quite another thing: read a number, double it, and print that.\n"},
    )
    with serving([fault]) as server:
        manifest = shop.build(
            model={"base_url": server.base_url, "model": "m", "tries": 1, "timeout_s": 5.0}
        )
    assert set(shop.rows()) == {"twice", "other"}
    quality = json.loads(shop.rows()["twice"]["test_quality"])
    assert quality["way"] != "model"
    assert any(reason.startswith("model") for reason in quality["reasons"])
    assert manifest["model_costs"]["requests"] >= 1


def test_model_writes_evaluator_for_disagreement(shop: Shop) -> None:
    """Divisors in an unspecified order: without an evaluator every test would be dropped."""
    programs: dict[str, str | None] = {
        "solutions/python/times.py": "n = int(input()) + 5\nprint(*[d for d in range(1, n + 1) if n % d == 0])\n",
        "solutions/python/plus.py": "n = int(input()) + 5\nprint(*[d for d in range(n, 0, -1) if n % d == 0])\n",
        "solutions/python/shift.py": None,
        "solutions/python/wrong_few.py": "n = int(input()) + 5\nprint(*[d for d in range(2, n + 1) if n % d == 0])\n",
    }
    shop.problem("divisors", {**programs, "statement.md": "Print the divisors of n + 5.\n"})
    with pytest.raises(SourceError, match="canonical solutions disagree"):
        shop.build()
    with serving(answer) as server:
        shop.build(model={"base_url": server.base_url, "model": "m"})
    row = shop.rows()["divisors"]
    assert row["test_case_evaluator"] == EVALUATE
    assert json.loads(row["comparison"])["kind"] == "evaluator"
    assert shop.solutions("divisors")["wrong_few"]["status"] == "wrong_answer"
