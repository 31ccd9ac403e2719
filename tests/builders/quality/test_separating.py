"""The search for inputs on which accepted solutions differ most in cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from tests.building import needs_isolation
from venus_toolkit.builders.quality import separating as module
from venus_toolkit.builders.quality.coverage import NO_EDGES, ObservedRun
from venus_toolkit.builders.quality.separating import (
    CANDIDATES,
    CLIMBED,
    FEWEST,
    PANEL,
    SEPARATES,
    Search,
    count_each,
    separating,
    time_each,
)
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import EFFICIENCY, NS_PER_MS, NS_PER_S, Limits, TestCase
from venus_toolkit.execution.judging.generators import Request
from venus_toolkit.execution.measuring.counting import open_counter
from venus_toolkit.execution.measuring.ranking import Costs
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

CPP = load_languages()["cpp"]
FLOOR = 1e6
CANDIDATE_INPUTS = [TestCase(f"max-{n}", f"{n}\n", size="max", seed=n) for n in range(12)]
Cost = Callable[[int], float]


def make_inputs(asked: Sequence[Request]) -> list[TestCase]:
    return [TestCase(f"{size}-{seed}", f"{seed}\n", size=size, seed=seed) for size, seed in asked]


def search(*costs: Cost, sizes: Sequence[str] = (), **more: object) -> Search:
    """Return a search whose programs cost the floor plus a function of the input's number."""
    programs = [Program(CPP, str(number)) for number in range(len(costs))]

    def read(program: Program, tests: Sequence[TestCase]) -> Costs:
        cost = (lambda _: 0.0) if program.source == "empty" else costs[int(program.source)]
        value = np.array([FLOOR + cost(int(test.stdin)) for test in tests])
        failed = np.flatnonzero(np.isnan(value))
        value = value[: failed[0]] if failed.size else value
        return Costs(value, np.zeros(len(value)))

    plain = Search(programs, Program(CPP, "empty"), read, make_inputs, sizes, 1e12, "twice 0")
    return replace(plain, **more)  # type: ignore[arg-type]


def seeds(tests: Sequence[TestCase]) -> list[int | None]:
    return [test.seed for test in tests]


def test_separating_inputs_are_chosen_first() -> None:
    """Two programs tie on all inputs except one, which is neither the first nor the costliest."""
    tests = separating(search(lambda _: 5e6, lambda n: 9e6 if n == 7 else 5e6), CANDIDATE_INPUTS, 3)
    assert tests[0].seed == 7
    assert {(test.role, test.adds) for test in tests} == {(EFFICIENCY, SEPARATES)}


def test_every_pair_gets_a_separating_input() -> None:
    tests = separating(
        search(lambda _: 5e6, lambda n: 3e7 if n == 2 else 5e6, lambda n: 9e7 if n == 9 else 5e6),
        CANDIDATE_INPUTS,
        2,
    )
    assert set(seeds(tests)) == {2, 9}


def test_search_ends_when_all_pairs_are_clearly_apart() -> None:
    plain = search(lambda _: 5e6, lambda _: 9e6)
    ran: list[int] = []

    def read(program: Program, tests: Sequence[TestCase]) -> Costs:
        ran.extend(int(test.stdin) for test in tests)
        return plain.read(program, tests)

    separating(replace(plain, read=read), CANDIDATE_INPUTS, 10)
    assert set(ran) == set(range(module.BATCH))
    ran.clear()
    doubtful = search(lambda _: 5e6, lambda _: 5.6e6)
    plain = doubtful
    separating(replace(doubtful, read=read), CANDIDATE_INPUTS, 10)
    assert set(ran) == set(range(12))


def test_inputs_without_gain_are_omitted() -> None:
    assert len(separating(search(lambda _: 5e6, lambda _: 9e6), CANDIDATE_INPUTS, 10)) == FEWEST


def test_differences_within_noise_are_ignored() -> None:
    """Costs differ by one unit, far below the noise, so the costliest input is chosen."""
    tests = separating(
        search(lambda n: 5e6 + 1e4 * n, lambda n: 5e6 + 1e4 * n + n % 2), CANDIDATE_INPUTS, 4
    )
    assert tests[0].seed == 11


def test_ties_go_to_the_costliest_inputs() -> None:
    tests = separating(search(lambda n: 1e6 * n, lambda n: 1e6 * n), CANDIDATE_INPUTS, 3)
    assert seeds(tests) == [11, 10, 9]


def test_a_program_alone_separates_nothing() -> None:
    assert separating(search(lambda n: 1e6 * n), CANDIDATE_INPUTS, 3) == []
    assert separating(search(), CANDIDATE_INPUTS, 3) == []
    assert separating(search(lambda _: 1.0, lambda _: 2.0), [], 3) == []


def test_inputs_and_programs_without_costs_are_omitted() -> None:
    """One program fails on input 5, another on all inputs; the latter is not run again."""
    asked: list[int] = []

    def never(n: int) -> float:
        asked.append(n)
        return np.nan

    two = (
        (lambda n: np.nan if n == 5 else 5e6),
        (lambda n: 9e6 if n == 5 else 6e6 if n == 4 else 5e6),
    )
    tests = separating(search(*two, never), CANDIDATE_INPUTS, 3)
    assert 5 not in seeds(tests)
    assert tests[0].seed == 4
    assert len(asked) == len(CANDIDATE_INPUTS)
    assert separating(search(two[0], never), CANDIDATE_INPUTS, 3) == []


def test_variations_improve_the_best_input() -> None:
    """The programs' distance grows with the seed, and the candidates end at seed 11."""
    two = (lambda _: 5e6), (lambda n: 5e6 + 1e3 * n)
    still = separating(search(*two), CANDIDATE_INPUTS, 5)
    varied = separating(search(*two, sizes=["max"]), CANDIDATE_INPUTS, 5)
    assert {test.adds for test in still} == {SEPARATES}
    assert varied[0].adds == CLIMBED
    assert (varied[0].seed or 0) > 10_000
    again = separating(search(*two, sizes=["max"]), CANDIDATE_INPUTS, 5)
    assert [test.test_id for test in again] == [test.test_id for test in varied]


def test_variations_supplement_few_candidates() -> None:
    tests = separating(
        search(lambda _: 5e6, lambda _: 9e6, sizes=["max"]), CANDIDATE_INPUTS[:1], 10
    )
    assert [test.adds for test in tests].count(SEPARATES) <= 1
    assert len(tests) == FEWEST


def test_generator_without_inputs_ends_the_search() -> None:
    tests = separating(
        search(lambda _: 5e6, lambda _: 9e6, sizes=["max"], make=lambda _: []),
        CANDIDATE_INPUTS,
        FEWEST,
    )
    assert len(tests) == FEWEST


def test_budget_and_candidates_bound_the_search() -> None:
    ran: list[int] = []

    def cost(n: int) -> float:
        ran.append(n)
        return 1e6

    many = [TestCase(f"max-{n}", f"{n}\n", size="max", seed=n) for n in range(100)]
    separating(search(cost, lambda _: 9e6), many, 3)
    assert len(ran) == CANDIDATES
    ran.clear()
    separating(search(cost, lambda _: 9e6, budget=2e7), many, 3)
    assert len(ran) == module.BATCH


def test_the_panel_is_spread_over_the_costs() -> None:
    ran: dict[int, int] = {}

    def counting(number: int) -> Cost:
        def cost(_: int) -> float:
            ran[number] = ran.get(number, 0) + 1
            return 1e6 * (number + 1)

        return cost

    separating(search(*map(counting, range(10))), CANDIDATE_INPUTS, 3)
    panel = sorted(number for number, times in ran.items() if times > 1)
    assert (len(panel), panel[0], panel[-1]) == (PANEL, 0, 9)


WORKS = "#include <cstdio>\nint main() { int n; scanf(\"%d\", &n); if (n > 8) return 1; volatile long s = 0;\n" \
    "for (int i = 0; i < n * 1000000; i++) s += i; }\n"  # fmt: skip


def test_only_short_runs_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def observe(
        sandbox: object, cores: object, program: object, stdins: Sequence[str], *_: object
    ) -> list[ObservedRun]:
        ran.extend(stdins)
        # Each run of an input takes 3 ms longer than the previous one.
        return [
            ObservedRun("", None, (int(stdin) + 3 * (ran.count(stdin) - 1)) * NS_PER_MS, NO_EDGES)
            for stdin in stdins
        ]

    monkeypatch.setattr(module, "observe", observe)
    costs = time_each(
        cast("Sandbox", None), Cores(), Program(CPP, ""), ["400", "10", "20"], Limits()
    )
    assert ran.count("400") == 1
    assert ran.count("10") == ran.count("20") == 3
    assert costs.value.tolist() == [400 * NS_PER_MS, 13 * NS_PER_MS, 23 * NS_PER_MS]
    shares = costs.se / costs.value
    assert shares[0] == pytest.approx(module.SINGLE_RUN)
    assert (shares[1:] < shares[0]).all()


@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_costs_of_a_real_program_end_where_it_fails(mark: None) -> None:
    limits = Limits(cpu_ns=2 * NS_PER_S)
    with open_sandbox("auto", [CPP]) as sandbox:
        timed = time_each(sandbox, Cores(), Program(CPP, WORKS), ["1", "8", "9", "1"], limits)
        assert len(timed.value) == len(timed.se) == 2
        assert timed.value[1] > timed.value[0] > 0
        assert len(time_each(sandbox, Cores(), Program(CPP, "no"), ["1"], limits).value) == 0
        assert (
            len(count_each(sandbox, Cores(), Program(CPP, WORKS), ["1"], limits, "off").value) == 0
        )
        if open_counter("auto") is None:
            pytest.skip("nothing counts instructions here: venus doctor")
        first, again = (
            count_each(sandbox, Cores(), Program(CPP, WORKS), ["1", "8", "9"], limits, "auto")
            for _ in "ab"
        )
        assert first.value.tolist() == again.value.tolist()
        assert first.value[1] - first.value[0] > 7e6
        assert len(first.value) == 2
