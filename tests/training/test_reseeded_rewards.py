"""Answers that remember: their earlier runs had other inputs, so they gain nothing in a group of answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.building import needs_isolation, thought
from tests.training.posed import (
    FORMULA,
    GENERATOR,
    KEEPS,
    LANGUAGES,
    LOOP,
    STEPS,
    Posed,
    answer,
    reference,
    sums,
    write_posed,
)
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import AnswerOutcome, Grader, TaskAnswer
from venus_toolkit.training.reward.grpo_reward import metrics_of
from venus_toolkit.training.reward.reward_tasks import FRESH
from venus_toolkit.training.reward.rewards import RewardOptions

# for the generator; the program that remembers needs a sandbox that lets it
pytestmark = needs_isolation
# By the paper's rule: whether two repeats tell programs apart is up to the machine.
OPTIONS = RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu", rule="strict", fresh=1)
# So large that starting Python is a small part of what a run takes: no work is worth 0.74.
LARGE = GENERATOR.replace("500000, 650000", "6000000, 6500000")
MADE = Posed("made", sums((6_000_001,)), generator=LARGE)
# What the same code costs on a busy machine differs by less than three times.
WORKS, SAVES = 0.6, 0.65


def graded(
    folder: Path, posed: Posed, options: RewardOptions, *answers: TaskAnswer
) -> list[AnswerOutcome]:
    """What answers are worth where files outlive a run."""
    with (
        open_sandbox("unsafe") as sandbox,
        Grader(write_posed(folder, posed), sandbox, options) as grader,
    ):
        return grader.grade(answers)


def efficiency(found: AnswerOutcome) -> float:
    assert found.reward, found
    return found.reward.efficiency


@pytest.mark.serial
def test_a_program_that_remembers_gains_nothing(tmp_path: Path) -> None:
    codes = [*(KEEPS.format(folder=tmp_path, reads=reads) for reads in (True, False)), FORMULA]
    answers = [answer(MADE, code) for code in codes]
    remembers, twin, better = graded(tmp_path / "reseeded", MADE, OPTIONS, *answers)
    assert efficiency(remembers) < WORKS
    assert efficiency(better) > SAVES
    assert remembers.reseeded == 1.0
    assert metrics_of([remembers, twin, better])["reward/reseeded"] == 1.0
    same = replace(OPTIONS, reseed=False)
    remembers, twin = graded(tmp_path / "same", MADE, same, *answers[:2])
    assert efficiency(remembers) > SAVES, "with the inputs that it was judged on it would be paid"
    assert efficiency(twin) < WORKS
    assert metrics_of([remembers, twin])["reward/reseeded"] == 0.0


def test_an_original_that_fails_on_a_new_input_does_not_cost_the_group_its_rewards(
    tmp_path: Path,
) -> None:
    """It is none of the references, which are the cheapest, the costliest, and one between.

    All are measured again.
    """
    generator = (
        "def generate(seed, size):\n    return f'{seed % 1000 + (0 if seed < 7_001_000 else "
        "5000)}\\n'\n"
    )
    tests = tuple(
        replace(test, stdin=f"{n}\n", stdout=f"{n * (n + 1) // 2}\n")
        for n, test in enumerate(sums(), 10)
    )
    narrow = "n = int(input())\nassert n < 5000\nprint(sum(range(n + 1)))\n"
    posed = Posed("narrow", tests, {"python": (LOOP, STEPS, narrow, FORMULA)}, generator)
    told = TaskAnswer(
        reference(posed, original="2"), thought("Think.", FORMULA, LANGUAGES["python"])
    )
    (found,) = graded(tmp_path, posed, replace(OPTIONS, fresh=3), told)
    assert found.reward, found
    assert (found.passed, found.kind, found.reseeded) == (True, FRESH, 0.0)
