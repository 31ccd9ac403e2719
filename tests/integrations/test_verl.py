"""The reward as verl calls it: one answer at a time, or a batch."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.training.posed import FORMULA, Posed, answer, reference, sums, write_posed
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.integrations.verl import (
    compute_score,
    compute_score_batch,
    gathering_for,
    scores,
)
from venus_toolkit.training.reward.grading import AnswerOutcome, TaskAnswer
from venus_toolkit.training.reward.reward_tasks import TaskReference
from venus_toolkit.training.reward.rewards import Reward

# Large enough that noise cannot hide the difference between a loop and a formula.
POSED = Posed(tests=sums((2_000_001, 2_500_002)))
GOOD = answer(POSED, FORMULA).text
PLAIN = f"```python\n{FORMULA}```"
WRONG = answer(POSED, "print(6)").text
TRUTH = json.dumps(reference(POSED)._asdict())


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_posed(tmp_path_factory.mktemp("release"), POSED).folder


class Counting:
    """A grader that rewards the length of an answer, and records its batches."""

    def __init__(self, error: Exception | None = None) -> None:
        self.batches: list[list[str]] = []
        self.submitted: list[str] = []
        self.progress: list[float] = []
        self.error = error

    def submit(self, answers: list[TaskAnswer]) -> None:
        self.submitted += [each.text for each in answers]

    def grade(self, answers: list[TaskAnswer], progress: float = 0.0) -> list[AnswerOutcome]:
        self.progress.append(progress)
        self.batches.append([each.text for each in answers])
        if self.error:
            raise self.error
        return [
            AnswerOutcome(
                True, reward=None if each.text == "lost" else Reward(float(len(each.text)), 1, 1, 0)
            )
            for each in answers
        ]


def gather(
    grader: Any,
    asked: list[TaskAnswer],
    group: int,
    linger: float = 0.05,
    total: int = 0,
    done: int = 0,
) -> list[Any]:
    gathering = gathering_for(grader, group, linger, total, done)
    futures = [gathering.submit(answer) for answer in asked]
    return [future.exception(timeout=30) or future.result() for future in futures]


def test_complete_group_is_rewarded_together() -> None:
    one, other = reference(POSED), reference(POSED, objective="memory")
    grader = Counting()
    asked = [
        TaskAnswer(one, "a"),
        TaskAnswer(other, "bb"),
        TaskAnswer(one, "ccc"),
        TaskAnswer(other, "dddd"),
    ]
    found = gather(grader, asked, group=2, linger=60)
    assert [each["score"] for each in found] == [1, 2, 3, 4]
    assert grader.batches == [["a", "ccc"], ["bb", "dddd"]]
    assert grader.submitted == ["a", "bb", "ccc", "dddd"], "each is judged at once"


def test_incomplete_group_is_rewarded_at_the_end() -> None:
    grader = Counting()
    found = gather(
        grader, [TaskAnswer(reference(POSED), text) for text in ("a", "bb", "ccc")], group=2
    )
    assert [each["score"] for each in found] == [1, 2, 3]
    assert grader.batches == [["a", "bb"], ["ccc"]]


def test_progress_continues_after_a_checkpoint() -> None:
    grader, one = Counting(), reference(POSED)
    gather(
        grader, [TaskAnswer(one, text) for text in "abcdef"], group=2, linger=60, total=8, done=4
    )
    assert sorted(grader.progress) == pytest.approx([0.75, 1.0, 1.0])
    gather(grader, [TaskAnswer(one, "a")], group=1)
    assert grader.progress[-1] == 0, "nobody said how long the training is"


def test_lost_answers_do_not_change_advantages() -> None:
    found = gather(
        Counting(), [TaskAnswer(reference(POSED), text) for text in ("aa", "lost", "bbbb")], group=3
    )
    assert [(each["score"], each["judged"]) for each in found] == [(2, 1), (3, 0), (4, 1)]
    assert len({tuple(each) for each in found}) == 1, "verl wants the same keys of every answer"


def test_internal_failure_reaches_every_waiter() -> None:
    found = gather(
        Counting(ReleaseError("no release")), [TaskAnswer(reference(POSED), "a")] * 2, group=2
    )
    assert [str(each) for each in found] == ["no release"] * 2


def test_means_are_per_prompt() -> None:
    asked = [TaskAnswer(TaskReference(*"abc", name, "e", "f", "g"), "") for name in "xxy"]
    outcomes = [AnswerOutcome(True, reward=reward) for reward in (Reward(1.0, 1, 1, 1), None, None)]
    assert [each["score"] for each in scores(asked, outcomes)] == [1.0, 1.0, 0.0]


BAD_ROWS: list[tuple[str, str, str]] = [
    ("openai/gsm8k", TRUTH, "no reward for a row of 'openai/gsm8k'"),
    ("", TRUTH, "no reward for a row of ''"),
    ("venus", "42", "a row has no config"),
    ("venus", "the answer", "ground truth is not JSON"),
    ("venus", "[" * 100_000, "ground truth is not JSON"),
    ("venus", json.dumps({**json.loads(TRUTH), "title": None}), "a row has no title"),
    ("venus", json.dumps({**json.loads(TRUTH), "type": "speed"}), "has the type 'speed'"),
]


@pytest.mark.parametrize(("source", "truth", "message"), BAD_ROWS)
def test_foreign_row_is_refused_without_a_score(source: str, truth: str, message: str) -> None:
    with pytest.raises(UsageError) as found:
        asyncio.run(compute_score(source, GOOD, truth, {}, release="nowhere"))
    assert message in f"{found.value} {found.value.why}"
    with pytest.raises(UsageError):
        compute_score_batch(["venus", source], [GOOD] * 2, [TRUTH, truth], [None] * 2, "nowhere")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"repeat": 3}, TypeError, "unexpected keyword argument 'repeat'"),
        ({"figure": "speed"}, UsageError, "unknown figure 'speed'"),
        ({"rule": "loose"}, UsageError, "unknown rule 'loose'"),
        ({"reward_router_address": "x", "release": ""}, UsageError, "has no release"),
    ],
)
def test_unknown_option_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        asyncio.run(compute_score("venus", GOOD, TRUTH, {}, **{"release": "nowhere", **given}))


# ------------------------------------------------------------------ with a sandbox


def by_one(release: Path, texts: list[str]) -> list[Any]:
    async def go() -> list[Any]:
        return await asyncio.gather(
            *(
                compute_score("venus", text, TRUTH, {}, release=str(release), repeats=2, group=3)
                for text in texts
            )
        )

    return asyncio.run(go())


def by_batch(release: Path, texts: list[str]) -> list[Any]:
    count = len(texts)
    return list(
        compute_score_batch(
            ["venus"] * count, texts, [TRUTH] * count, [None] * count, str(release), repeats=2
        )
    )


@pytest.mark.serial  # compares rewards for speed
@pytest.mark.parametrize("way", [by_one, by_batch])
@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_answers_are_rewarded_for_form_correctness_and_speed(
    release: Path, way: Any, _: None
) -> None:
    good, plain, wrong, silent = way(release, [GOOD, PLAIN, WRONG, "I do not know"])
    assert [(row["form"], row["correctness"]) for row in (good, plain, wrong, silent)] == [
        (1, 0.5), (-1, 0.5), (1, -1), (-1, -1),
    ]  # fmt: skip
    assert good["efficiency"] == plain["efficiency"] > 0
    assert wrong["efficiency"] == silent["efficiency"] == 0
    assert good["score"] > plain["score"] > wrong["score"] > silent["score"]


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("truth", ["{", "7", "{}", '{"config": "python"}'])
def test_row_without_a_reference_is_refused(truth: str) -> None:
    with pytest.raises(UsageError, match="row"):
        compute_score_batch(["gsm8k"], ["4"], [truth], [None], release="x")


def test_release_must_be_named_and_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no release"):
        compute_score_batch(["venus"], [GOOD], [TRUTH], [None])
    with pytest.raises(ReleaseError):
        compute_score_batch(["venus"], [GOOD], [TRUTH], [None], release=str(tmp_path))
