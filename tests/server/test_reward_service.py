"""`venus serve` as the reward service of a training, which survives an outage within a step."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.training.posed import FORMULA, LOOP, STEPS, Posed, answer, write_posed
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.training.reward.grading import AnswerOutcome, TaskAnswer
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions

POSED = Posed()
OUTAGE_S = 4.0  # longer than a pause between attempts, and than one program


def a_step() -> list[TaskAnswer]:
    codes = [STEPS, FORMULA, "print(0)", *(f"{LOOP}# {number}\n" for number in range(5))]
    return [answer(POSED, code) for code in codes]


def grade_during_an_outage(
    serving: Callable[..., Any], folder: Path, patience_s: float, outage_s: float
) -> Any:
    server = serving("--workers", "2")
    options = RewardOptions(
        measure=MeasureOptions(repeats=2), figure="cpu", rule="strict", patience_s=patience_s
    )
    reward = ExecutionReward(write_posed(folder, POSED).folder, server.url, options)
    results: list[list[AnswerOutcome] | BaseException] = []

    def step() -> None:
        try:
            results.append(reward.grader.grade(a_step()))
        except SandboxError as error:
            results.append(error)

    assert reward.grader.executor.width == 2, (
        "a worker for each of the server's, however many cores there are here"
    )
    thread = threading.Thread(target=step)
    thread.start()
    time.sleep(1.0)
    server.stop(signal.SIGKILL)
    assert thread.is_alive(), "the service died too late"
    time.sleep(outage_s)
    server.words = (*server.words, "--port", server.url.rpartition(":")[2])
    server.start()
    thread.join(timeout=120)
    reward.close()
    (result,) = results
    return result


def test_step_waits_for_a_restarted_service(serving: Callable[..., Any], tmp_path: Path) -> None:
    graded = grade_during_an_outage(serving, tmp_path / "release", patience_s=60, outage_s=OUTAGE_S)
    assert all(outcome.reward for outcome in graded), "no reward is lost"
    assert [outcome.reward.correctness for outcome in graded] == [0.5, 0.5, -1.0, *[0.5] * 5]
    assert graded[1].reward.efficiency > 0.1


def test_lost_service_is_not_a_wrong_answer(serving: Callable[..., Any], tmp_path: Path) -> None:
    graded = grade_during_an_outage(
        serving, tmp_path / "release", patience_s=0.2, outage_s=OUTAGE_S
    )
    # Lost rewards are None, or the step ends with an error; they are never a number.
    lost = (
        [outcome for outcome in graded if outcome.reward is None]
        if isinstance(graded, list)
        else a_step()
    )
    assert lost


def test_patience_is_below_the_timeout_of_trainers() -> None:
    assert 600 < RewardOptions().patience_s < 1800, (
        "ten minutes are survived; torch gives up after half an hour"
    )
    with pytest.raises(Exception, match="patience_s"):
        RewardOptions(patience_s=-1)
