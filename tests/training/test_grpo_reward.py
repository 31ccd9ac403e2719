"""The reward as TRL's GRPOTrainer calls it."""

from __future__ import annotations

import asyncio
import doctest
import inspect
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.building import needs_isolation
from tests.training.posed import (
    CPP_FORMULA,
    CPP_LOOP,
    FORMULA,
    LOOP,
    STEPS,
    Posed,
    answer,
    reference,
    write_posed,
)
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.engine import EngineOptions, WorkerEnvironment
from venus_toolkit.execution.engine.executor import open_engine
from venus_toolkit.execution.engine.work_queue import WorkQueue
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import cores as spreading
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import LOST, AnswerOutcome
from venus_toolkit.training.reward.grpo_reward import (
    ExecutionReward,
    metrics_of,
    options_of_process,
    progress_of,
    text_of,
)
from venus_toolkit.training.reward.rewards import Reward, RewardOptions

# The strict rule: with two repeats, noise would decide whether programs tie.
OPTIONS = RewardOptions(
    measure=MeasureOptions(repeats=2), figure="cpu", rule="strict", final_efficiency=0.5
)
SUM = Posed(solutions={"python": (LOOP, STEPS), "cpp": (CPP_LOOP,)})


class State(NamedTuple):
    """The part of TRL's trainer state that the reward reads."""

    global_step: int
    max_steps: int


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_posed(tmp_path_factory.mktemp("release"), SUM)


@pytest.fixture
def reward(release: Release) -> Iterator[ExecutionReward]:
    opened = ExecutionReward(release.folder, "local", OPTIONS)
    yield opened
    opened.close()


def columns(*languages: str) -> dict[str, list[Any]]:
    rows = [
        {**reference(SUM, name)._asdict(), "problem_id": 0, "license": None} for name in languages
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def assistant(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_batch_of_conversations_in_two_languages(reward: ExecutionReward, _: None) -> None:
    """Lesson 30: TRL also passes values that are not lists; lesson 31: languages may be mixed."""
    columns_seen: dict[str, list[Any]] = {}
    metrics: dict[str, float] = {}
    texts = [
        answer(SUM, FORMULA).text,
        answer(SUM, CPP_FORMULA, "cpp").text,
        "no",
        answer(SUM, "print(1)").text,
    ]
    rewards = asyncio.run(
        reward(
            prompts=[assistant("?")] * 4,
            completions=[assistant(text) for text in texts],
            completion_ids=[[1], [2], [3], [4]],
            trainer_state=State(5, 10),
            log_extra=columns_seen.__setitem__,
            log_metric=metrics.__setitem__,
            environments=None,
            **columns("python", "cpp", "python", "python"),
        )
    )
    assert len(rewards) == 4
    assert rewards[2:] == pytest.approx([-0.7, -0.3])
    first, second = columns_seen["reward_efficiency"][:2]
    assert rewards[:2] == pytest.approx([0.45 + 0.4 * first, 0.45 + 0.4 * second]), (
        "half of the training is done"
    )
    assert min(first, second) > 0.2
    assert columns_seen["verdict"] == ["accepted", "accepted", "no_code", "wrong_answer"]
    assert metrics["reward/judged"] == 1.0
    assert metrics["reward/passed"] == 0.5
    assert metrics["reward/form"] == 0.5
    assert metrics["reward/correctness"] == pytest.approx(-0.25)


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_submitted_completions_are_not_run_again(
    reward: ExecutionReward, eventually: Any, _: None
) -> None:
    text = answer(SUM, FORMULA).text
    reward.submit([text], complete=True, **columns("python"))
    (group,) = reward.grader._open.values()
    assert eventually(lambda: all(outcome.done() for outcome in group._final.values()))
    assert asyncio.run(reward(prompts=["?"], completions=[text], **columns("python")))[0]
    assert not reward.grader._open


def test_given_sandbox_stays_open(release: Release) -> None:
    closed = []

    class Inside:
        name = "double"
        workers = None

        def facts(self) -> dict[str, object]:
            return {}

        def close(self) -> None:
            closed.append(True)

    inside: Any = Inside()
    reward = ExecutionReward(release, inside, OPTIONS)
    assert reward.grader.sandbox is inside
    reward.close()
    reward.close()
    assert not closed


def test_trl_sees_a_named_coroutine_function(release: Release) -> None:
    reward = ExecutionReward(release.folder, name="python")
    assert inspect.iscoroutinefunction(reward.__call__)
    assert reward.__name__ == "python"


def test_reward_can_be_pickled(release: Release) -> None:
    reward = ExecutionReward(release.folder, "unsafe", OPTIONS)
    opened = reward.grader
    again: ExecutionReward = pickle.loads(pickle.dumps(reward))
    assert again.options == OPTIONS
    assert again.grader is not opened
    again.close()
    reward.close()


def test_local_processes_divide_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert options_of_process(OPTIONS) is OPTIONS
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert options_of_process(OPTIONS).part == (1, 4)
    assert options_of_process(RewardOptions(part=(2, 3))).part == (2, 3), "an explicit part is kept"


def test_all_processes_divide_a_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "LOCAL_RANK": 1,
        "LOCAL_WORLD_SIZE": 4,
        "RANK": 9,
        "WORLD_SIZE": 16,
    }.items():
        monkeypatch.setenv(name, str(value))
    assert options_of_process(RewardOptions(engine="ray")).part == (9, 16)
    assert options_of_process(RewardOptions(), elsewhere=True).part == (9, 16), (
        "a part of the workers of a service"
    )
    assert options_of_process(RewardOptions()).part == (1, 4)


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_parts_of_a_machine_are_disjoint(_: None) -> None:
    assert not doctest.testmod(spreading).failed
    sixteen = list(range(16))
    parts = [spreading.part_of(sixteen, index, 3) for index in range(3)]
    assert sorted(core for part in parts for core in part) == sixteen
    cores = os.sched_getaffinity(0)
    with open_sandbox("local", []) as sandbox:
        engine = open_engine(
            EngineOptions(jobs=7, part=(0, len(cores))), WorkerEnvironment(sandbox, (), {})
        )
        workers = WorkQueue(engine, share_cores=True)
        used = {workers.submit(lambda worker: worker.cores.program).result() for _ in range(4)}
        workers.close()
    assert used == {min(cores)}


# ------------------------------------------------------------------ helpers


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("plain", "plain"),
        (assistant("a"), "a"),
        ([*assistant("first"), {"role": "tool", "content": "x"}, *assistant("last")], "last"),
        (
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}],
                }
            ],
            "in parts",
        ),
        ([{"role": "assistant", "content": None}], ""),
        ([], ""),
    ],
)
def test_text_of_a_completion(completion: Any, text: str) -> None:
    assert text_of(completion) == text


@pytest.mark.parametrize(
    ("state", "share"),
    [
        (None, 0),
        (State(0, 10), 0),
        (State(5, 10), 0.5),
        (State(20, 10), 1),
        (State(5, 0), 0),
        (State(5, -1), 0),
    ],
)
def test_progress_of_the_training(state: Any, share: float) -> None:
    assert progress_of(state) == share


def test_metrics_leave_out_lost_answers() -> None:
    graded = [
        AnswerOutcome(True, 0.5, "accepted", reward=Reward(0.5, 1, 0.5, 0.5)),
        AnswerOutcome(None, verdict=LOST),
    ]
    assert metrics_of(graded) == {
        "reward/judged": 0.5, "reward/form": 1, "reward/correctness": 0.5, "reward/efficiency": 0.5, "reward/passed": 1,
    }  # fmt: skip
    assert metrics_of(graded[1:]) == {"reward/judged": 0.0}


# ------------------------------------------------------------------ bad input


def test_invalid_rows_are_refused(reward: ExecutionReward) -> None:
    with pytest.raises(UsageError, match="no title") as refused:
        asyncio.run(
            reward(prompts=["?"], completions=["x"], **{**columns("python"), "title": [None]})
        )
    assert "venus derive grpo" in refused.value.fix
    with pytest.raises(UsageError, match="not have one value for each"):
        asyncio.run(reward(prompts=["?"], completions=["x", "y"], **columns("python")))
    with pytest.raises(UsageError, match="type 'speed'"):
        asyncio.run(
            reward(prompts=["?"], completions=["x"], **{**columns("python"), "type": ["speed"]})
        )


def test_missing_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError):
        asyncio.run(
            ExecutionReward(tmp_path)(prompts=["?"], completions=["x"], **columns("python"))
        )


def test_unknown_sandbox_is_refused(release: Release) -> None:
    with pytest.raises(UsageError, match="unknown sandbox"):
        open_sandbox("nowhere")
    with pytest.raises(UsageError, match="unknown sandbox"):
        asyncio.run(
            ExecutionReward(release, "nowhere")(
                prompts=["?"], completions=["x"], **columns("python")
            )
        )
