"""Answers that cache results gain nothing, because each repeat has a fresh input."""

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

# The generator needs isolation; the caching program needs the sandbox "unsafe".
pytestmark = needs_isolation
# The strict rule: with two repeats, noise would decide whether programs tie.
OPTIONS = RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu", rule="strict", fresh=1)
# Large inputs, so that starting Python is a small part of a run: an instant answer scores 0.74.
LARGE = GENERATOR.replace("500000, 650000", "6000000, 6500000")
MADE = Posed("made", sums((6_000_001,)), generator=LARGE)
# Bounds on the efficiency, wide enough for a busy machine: costs of the same code vary up to threefold.
WORKS, SAVES = 0.6, 0.65


def grade(
    folder: Path, posed: Posed, options: RewardOptions, *answers: TaskAnswer
) -> list[AnswerOutcome]:
    """Grade answers in a sandbox where files survive a run."""
    with (
        open_sandbox("unsafe") as sandbox,
        Grader(write_posed(folder, posed), sandbox, options) as grader,
    ):
        return grader.grade(answers)


def efficiency(outcome: AnswerOutcome) -> float:
    assert outcome.reward, outcome
    return outcome.reward.efficiency


@pytest.mark.serial
def test_caching_program_gains_nothing(tmp_path: Path) -> None:
    codes = [*(KEEPS.format(folder=tmp_path, reads=reads) for reads in (True, False)), FORMULA]
    answers = [answer(MADE, code) for code in codes]
    remembers, twin, better = grade(tmp_path / "reseeded", MADE, OPTIONS, *answers)
    assert efficiency(remembers) < WORKS
    assert efficiency(better) > SAVES
    assert remembers.reseeded == 1.0
    assert metrics_of([remembers, twin, better])["reward/reseeded"] == 1.0
    same = replace(OPTIONS, reseed=False)
    remembers, twin = grade(tmp_path / "same", MADE, same, *answers[:2])
    assert efficiency(remembers) > SAVES, (
        "with the inputs of the judged runs, caching would be rewarded"
    )
    assert efficiency(twin) < WORKS
    assert metrics_of([remembers, twin])["reward/reseeded"] == 0.0


def test_original_failing_on_fresh_input_is_retried(
    tmp_path: Path,
) -> None:
    """The original is not a reference solution, so it may fail on a fresh input: measure again."""
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
    task_answer = TaskAnswer(
        reference(posed, original="2"), thought("Think.", FORMULA, LANGUAGES["python"])
    )
    (outcome,) = grade(tmp_path, posed, replace(OPTIONS, fresh=3), task_answer)
    assert outcome.reward, outcome
    assert (outcome.passed, outcome.kind, outcome.reseeded) == (True, FRESH, 0.0)
