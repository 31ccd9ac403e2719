"""The panel of voters: its members, its verdict if they agree, its growth if they do not."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.building import PROBLEM, Shop
from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.agreement import panel
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, Solution
from venus_toolkit.execution.engine.executor import Executor

isolated = pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}")


def units(code: dict[str, list[str]]) -> list[Unit]:
    """Return accepted solutions from programs by language."""
    problem = cast("Problem", SimpleNamespace(slug="p"))
    solutions = [
        Solution(slug="p", solution_id=f"p/{language}/{number:02}", language=language, code=text)
        for language, texts in code.items()
        for number, text in enumerate(texts)
    ]
    entry = Entry(problem, tuple(solutions), ())
    return [Unit(entry, solution) for solution in solutions]


def chosen(code: dict[str, list[str]], voters: int, seed: int = 0) -> list[str]:
    """Return the ids of the first voters."""
    plan = SimpleNamespace(voters=voters, seed=seed)
    context = cast("BuildContext", SimpleNamespace(plan=plan, languages=load_languages()))
    return [unit.solution.solution_id for unit in panel(context, units(code), voters)]


def programs(count: int) -> list[str]:
    return [f"print({' + '.join(map(str, range(number + 1)))})" for number in range(count)]


@pytest.mark.parametrize("voters", [0, 6, 100])
def test_few_solutions_all_vote(voters: int) -> None:
    assert len(chosen({"python": programs(4), "ruby": programs(2)}, voters)) == 6


def test_every_language_has_voters() -> None:
    code = {"python": programs(9), "cpp": programs(9), "ruby": programs(1), "go": programs(9)}
    voters = chosen(code, 12)
    of_each = [sum(name.split("/")[1] == language for name in voters) for language in code]
    assert (len(voters), sorted(of_each)) == (12, [1, 3, 4, 4])
    # Two voters per language take precedence over the limit.
    few = chosen(code, 3)
    assert [sum(name.split("/")[1] == language for name in few) for language in code] == [
        2,
        2,
        1,
        2,
    ]


def test_panel_is_reproducible_and_ordered() -> None:
    code = {"python": programs(30)}
    first = chosen(code, 5)
    assert first == chosen(code, 5) == sorted(first)
    assert any(chosen(code, 5, seed) != first for seed in range(1, 5))


@pytest.mark.parametrize("seed", range(5))
def test_larger_panel_includes_smaller(seed: int) -> None:
    code = {"python": programs(30), "cpp": programs(7), "ruby": programs(1)}
    panels = [set(chosen(code, voters, seed)) for voters in (2, 4, 8, 16, 32, 64)]
    assert all(small <= large for small, large in pairwise(panels))


@pytest.mark.parametrize("seed", range(5))
def test_copies_do_not_fill_the_panel(seed: int) -> None:
    """Forty copies of one program and two others: the panel includes both others."""
    copies = [f"n = int(input())\nprint(sum(range(n)))\n# copy {number}" for number in range(40)]
    others = [
        "n = int(input())\nprint(n * (n - 1) // 2)",
        "import sys\nk = int(sys.stdin.read())\nprint(k * (k - 1) // 2)",
    ]
    voters = chosen({"python": [*copies, *others]}, 3, seed)
    assert {"p/python/40", "p/python/41"} <= set(voters)


SOLUTIONS = {
    "shift": "print(int(input()) << 1)\n",
    "times": "print(int(input()) * 2)\n",
    "plus": "n = int(input())\nprint(n + n)\n",
    "loop": "n = int(input())\nprint(sum(n for _ in range(2)))\n",
    "text": "import sys\nfor word in sys.stdin.read().split():\n    print(int(word) - -int(word))\n",
}
ODD = "n = int(input())\nprint(2 * n if n != 1000 else 7)\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The programs of a test's builds by executor call: `vote` or `judge`."""
    programs_by_stage: dict[str, set[str]] = defaultdict(set)
    for name in ("vote", "judge"):
        original = getattr(Executor, name)

        def remembered(
            self: Executor,
            worker: Any,
            suite: Any,
            program: Any,
            *rest: Any,
            of: Any = (name, original),
        ) -> Any:
            programs_by_stage[of[0]].add(program.source)
            return of[1](self, worker, suite, program, *rest)

        monkeypatch.setattr(Executor, name, remembered)
    return programs_by_stage


def build(shop: Shop, solutions: dict[str, str], voters: int) -> None:
    """Build the problem "twice" with these solutions."""
    usual = dict.fromkeys(name for name in shop.twice if name.startswith("solutions/"))
    shop.problem(
        changes={
            **usual,
            **{f"solutions/python/{name}.py": code for name, code in solutions.items()},
        }
    )
    # The examination may add or drop tests and voters.
    shop.build(
        voters=voters, tests=8, quality={"mutants": 0, "pool": 0, "batches": 0, "reduce": False}
    )


@pytest.mark.isolation
@isolated
def test_agreeing_panel_judges_the_others(shop: Shop, asked: dict[str, set[str]]) -> None:
    build(shop, SOLUTIONS, 2)
    # Some vote twice: on the first inputs, then on the rest.
    assert asked["vote"] >= set(SOLUTIONS.values()) - asked["judge"]
    assert (len(asked["judge"]), len(asked["judge"] | asked["vote"])) == (3, 5)
    assert {row["passed"] for row in shop.solutions().values()} == {True}
    assert not shop.dropped


MORE = {
    "fraction": "from fractions import Fraction\nprint(Fraction(int(input())) * 2)\n",
    "four": "value = int(input())\nprint(value * 4 // 2)\n",
    "operator": "import operator\n\nx = int(input())\nprint(operator.add(x, x))\n",
}
MORE_ODD = {
    "odd": ODD,
    "odd_else": (
        "import sys\nk = int(sys.stdin.readline())\nif k == 1000:\n    print(7)\nelse:\n    "
        "print(k << 1)\n"
    ),
    "odd_table": "given = input()\nprint({'1000': '7'}.get(given.strip(), str(int(given) + int(given))))\n",
}


@pytest.mark.isolation
@isolated
def test_disagreeing_panel_is_doubled(shop: Shop, asked: dict[str, set[str]]) -> None:
    """One of nine programs is wrong and among the first four; eight give a clear majority."""
    wrong = min(
        (f"odd{number}" for number in range(100)), key=lambda name: draw(f"twice/python/{name}", 0)
    )
    build(shop, {**SOLUTIONS, **MORE, wrong: ODD}, 4)
    voted = asked["vote"] - asked["judge"]
    assert ODD in voted
    assert len(voted) == 8
    verdicts = {name: row["status"] for name, row in shop.solutions().items()}
    assert {verdicts[name] for name in (*SOLUTIONS, *MORE)} == {"accepted"}


@pytest.mark.isolation
@isolated
def test_panel_grows_until_clear_majority(shop: Shop, asked: dict[str, set[str]]) -> None:
    """Three against three: any four disagree, and no majority is ever clear."""
    build(shop, {**MORE, **MORE_ODD}, 4)
    assert not asked["judge"]
    assert len(asked["vote"]) == 6


@pytest.mark.isolation
@isolated
def test_wrong_solution_outside_the_panel_is_found(shop: Shop, asked: dict[str, set[str]]) -> None:
    build(shop, {**SOLUTIONS, "odd": ODD}, 2)
    verdicts = {name: row["status"] for name, row in shop.solutions().items()}
    if ODD in asked["judge"] and verdicts.get("odd") != "wrong_answer":
        # It fails inputs of only one family: not enough to call it wrong.
        assert "odd" not in verdicts
        assert any("odd" in str(row["item"]) for row in shop.dropped), shop.dropped
    assert {verdicts[name] for name in SOLUTIONS} == {"accepted"}
