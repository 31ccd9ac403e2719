"""Repeats that disagree: programs that store answers are flagged and get no rank; noise is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench.cheats.memo import CHEATS, remembering
from tests.execution.test_measure import BASE
from tests.sessions import MACHINES, Noise
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    REPEATS_DISAGREE,
    Judgement,
    Limits,
    Measurement,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.score import FAILED_RANK, _rank
from venus_toolkit.execution.engine.assessment import assess_panel, panel_of
from venus_toolkit.execution.engine.work import Judged
from venus_toolkit.execution.measuring.ranking import costs_of, ranking_key
from venus_toolkit.execution.measuring.rounds import (
    SHARED,
    FirstRuns,
    Measured,
    MeasureOptions,
    Reference,
    Repeat,
    Round,
    Rounds,
    costs_of_runs,
)
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import AnswerGroup

MS = 1_000_000


def runs(*cpu_ms: float) -> tuple[Run, ...]:
    return tuple(
        replace(
            BASE,
            cpu_ns=round(ms * MS),
            wall_ns=round(ms * MS) + MS,
            integral_byte_ns=round(ms * MS),
        )
        for ms in cpu_ms
    )


def session(
    repeats: Sequence[Sequence[float]],
    judged: Sequence[float] = (),
    *,
    noise: float = 0.02,
    shared: bool = False,
    own_inputs: frozenset[int] = frozenset(),
    others: Sequence[Sequence[Sequence[float]]] = (),
    reference: bool = True,
) -> Measurement:
    """Return the figures of a program from the CPU times in ms of its tests in each repeat."""
    rng = np.random.default_rng(1)
    references = tuple(
        Reference(50 * MS * (1 + noise * rng.standard_normal()), at)
        for at in range(2 * len(repeats))
    )
    floor = tuple(
        runs(*(0.6 * (1 + noise * rng.standard_normal()) for _ in range(3))) for _ in repeats
    )
    programs = [repeats, *others]
    rounds = Rounds(
        MeasureOptions(repeats=len(repeats)),
        len(repeats[0]),
        tuple(
            tuple(Round(runs(*costs_ms), None, True, at) for at, costs_ms in enumerate(program))
            for program in programs
        ),
        own_inputs=own_inputs,
        references=references if reference else (),
        floor=floor if reference else (),
        judged=(FirstRuns(costs_of_runs(runs(*judged)), shared), *[None] * len(others))
        if judged
        else (),
    )
    return rounds.measured(0).total


def flagged(total: Measurement) -> bool:
    assert total.repeats_agree == (REPEATS_DISAGREE not in total.noise)
    return not total.repeats_agree


def test_flagged_program_has_figures_of_its_first_run() -> None:
    total = session([[2, 3], [2, 3], [2, 3]], judged=[300, 500])
    assert flagged(total)
    assert (total.cpu_ns, total.wall_ns, total.integral_byte_ns) == (800 * MS, 802 * MS, 800 * MS)
    assert total.relative_time == pytest.approx(16, rel=0.05)
    assert (total.repeats, total.cpu_se, total.relative_spread) == (1, None, None)


def test_flagged_figures_have_no_rank() -> None:
    total = session([[2], [2], [2]], judged=[300])
    for objective in ("time", "memory", "integral"):
        assert ranking_key(total, objective, "relative") is None
    costs = costs_of([total, session([[2], [2], [2]])], "cpu_ns")
    assert np.isnan(costs.value).tolist() == [True, False]


@pytest.mark.parametrize(
    ("repeats", "judged", "first_ms"),
    [
        ([[300], [2], [2]], [], 300),  # no judged run on these inputs
        ([[300], [2], [300]], [300], 300),  # only the second repeat is fast
        ([[300], [300], [2]], [300], 300),
        ([[2], [300], [2]], [300], 300),  # every second run is fast
        ([[2, 100], [2, 100], [2, 100]], [150, 100], 250),  # one of two tests is fast
        ([[200] * 4] * 3, [300] * 4, 1200),  # each repeat saves a third of the work
        ([[100], [100], [100]], [250], 250),
        # a different test is fast in each repeat
        ([[2, 300, 300], [300, 2, 300], [300, 300, 2]], [300] * 3, 900),
        ([[900, 20], [900, 300], [900, 300]], [900, 300], 1200),
        ([[100] * 9 + [2]] * 3, [100] * 10, 1000),  # one of ten tests is fast
    ],
)
def test_significantly_cheaper_repeats_are_flagged(
    repeats: Sequence[Sequence[float]], judged: Sequence[float], first_ms: float
) -> None:
    total = session(repeats, judged)
    assert flagged(total)
    assert total.cpu_ns == first_ms * MS


@pytest.mark.parametrize(
    ("repeats", "judged"),
    [
        ([[300], [300], [300]], [301]),
        ([[300], [290], [310]], [305]),
        ([[2], [300], [2]], [2]),  # it slows every second run, which only harms itself
        ([[300], [300], [300]], [2]),
        ([[300], [300], [300]], []),
        ([[100], [100], [100]], [199]),  # one burst
        ([[100, 50], [100, 50], [100, 50]], [195, 52]),
    ],
)
def test_noise_and_slower_repeats_are_not_flagged(
    repeats: Sequence[Sequence[float]], judged: Sequence[float]
) -> None:
    assert not flagged(session(repeats, judged))


def test_a_judged_run_that_shared_the_machine_may_cost_more() -> None:
    repeats = [[50] * 10, [51] * 10, [49] * 10]
    assert flagged(session(repeats, [50 * (SHARED - 0.5)] * 10))
    assert not flagged(session(repeats, [50 * (SHARED - 0.5)] * 10, shared=True))
    assert flagged(session(repeats, [50 * SHARED * 1.5] * 10, shared=True))


def test_flags_depend_on_the_noise_of_the_session() -> None:
    repeats, judged = [[50, 50], [50, 51], [49, 50]], [90, 90]
    assert flagged(session(repeats, judged, noise=0.01))
    assert not flagged(session(repeats, judged, noise=0.1))


def test_one_repeat_is_compared_with_the_judged_run() -> None:
    assert flagged(session([[2]], judged=[300]))
    assert not flagged(session([[100]], judged=[110]))


def test_noise_without_a_reference_comes_from_other_programs() -> None:
    other = [[50], [51], [50]]
    assert flagged(session([[2], [2], [2]], [900], others=[other], reference=False))
    assert not flagged(session([[100], [99], [101]], [104], others=[other], reference=False))
    assert not flagged(session([[2], [2], [2]], [900], reference=False)), "the noise is unknown"


def measured(total: Measurement) -> Measured:
    return Measured(total, (Repeat(2 * MS, 2 * MS, 1, 2 * MS, 0.04),) * 3)


def test_flagged_sample_has_no_rank_in_an_evaluation() -> None:
    human = [measured(session([[ms], [ms + 1], [ms]], [ms])) for ms in (100, 200, 300)]
    own = measured(session([[2], [2], [2]], judged=[400]))
    rank = partial(
        _rank, human=human, options=EvalOptions("m", "d", ("cpp",)), objective="time", band=None
    )
    assert rank(own) == FAILED_RANK
    assert rank(human[0]).percentile > 0


def test_flagged_answer_earns_no_efficiency_reward() -> None:
    group: Any = SimpleNamespace(_figure="cpu_ns", _reference=SimpleNamespace(type="time"))
    original = measured(session([[400], [401], [402]], [400]))
    flagged_one = measured(session([[2], [2], [2]], judged=[400]))
    outcome = AnswerGroup._outcome(group, original, flagged_one)
    assert (outcome.passed, outcome.efficiency, outcome.ratio) == (True, 0.0, None)
    assert "met before" in outcome.reason
    assert AnswerGroup._outcome(group, flagged_one, original).passed is None, (
        "nothing to compare with"
    )
    quick = measured(session([[200], [201], [202]], [200]))
    assert (AnswerGroup._outcome(group, original, quick).efficiency or 0) > 0


def test_judged_program_has_costs_of_each_test() -> None:
    costs = costs_of_runs(runs(5, 6, 7))
    judged = Judged(Judgement(Verdict.ACCEPTED), costs=dict(zip("abc", costs, strict=True)))
    tests = [TestCase(name, "", None) for name in ("c", "a")]
    assert judged.first_runs(tests) == FirstRuns((costs[2], costs[0]), shared=True)
    assert judged.first_runs([*tests, TestCase("d", "", None)]) is None, "d was not judged"


def test_reseeded_tests_are_not_compared() -> None:
    repeats = [[300, 50], [20, 50], [900, 50]]
    assert not flagged(session(repeats, [10, 50], own_inputs=frozenset([0])))
    assert flagged(session([[300, 50], [20, 1], [900, 1]], [10, 50], own_inputs=frozenset([0])))


def simulate_flag(noise: Noise, rng: np.random.Generator, tests: int) -> bool:
    """Return whether an honest program is flagged after judging and three repeats."""
    speed = np.cumsum(noise.drift * rng.standard_normal(10))

    def disturbed(cost: float, at: int) -> float:
        jitter = rng.standard_t(noise.tails) if noise.tails else rng.standard_normal()
        slower = 1 + rng.random() if rng.random() < noise.bursts else 1.0
        added = noise.added * rng.exponential()
        return float(cost * np.exp(speed[at] + noise.jitter * jitter) * (slower + added))

    all_runs = [[disturbed(40, at) for _ in range(tests)] for at in range(4)]
    references = tuple(Reference(disturbed(50 * MS, at // 2 + 1), at) for at in range(6))
    rounds = tuple(
        Round(runs(*costs_ms), None, True, at) for at, costs_ms in enumerate(all_runs[1:])
    )
    floor = tuple(runs(*(disturbed(0.6, at) for _ in range(3))) for at in range(1, 4))
    first = FirstRuns(costs_of_runs(runs(*all_runs[0])), shared=False)
    simulated = Rounds(
        MeasureOptions(), tests, (rounds,), references=references, floor=floor, judged=(first,)
    )
    return simulated._disagreement(0, rounds) is not None


@pytest.mark.parametrize("machine", MACHINES)
def test_honest_programs_are_not_flagged(machine: str) -> None:
    """At most five in a thousand simulated programs; docs/measurement.md has real machines."""
    rng = np.random.default_rng(5)
    flags = [
        simulate_flag(MACHINES[machine], rng, tests) for _ in range(400) for tests in (1, 3, 10)
    ]
    assert sum(flags) <= 6


@pytest.mark.parametrize("when", ["false", "second-repeat-only"])
def test_program_that_stores_answers_is_flagged(tmp_path: Path, when: str) -> None:
    """Without isolation, a program can store files."""
    language = load_languages()["cpp"]
    code = remembering(CHEATS.get(when, "false"), str(tmp_path), loops=20_000_000)
    tests = [TestCase(name, f"{number}\n", None) for number, name in enumerate("ab", 1)]
    with open_sandbox("unsafe", [language]) as sandbox:
        panel = panel_of([Program(language, code)], tests, Limits(), MeasureOptions())
        (result,) = assess_panel(sandbox, quiet_cores(), panel, any_answer=True).programs
    assert result.measurement
    assert flagged(result.measurement) == (when != "false")
    assert (result.measurement.cpu_ns or 0) > 40 * MS, "the full cost of its work"
