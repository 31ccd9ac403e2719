"""The reward for verl, on the files of `venus export verl`; tests come from a release by reference.

verl 0.9 scores one answer at a time, from an event loop, while others are still being generated.
`compute_score` judges each answer at once. It measures the answers to one prompt interleaved when
`group` of them have arrived, or after `linger` seconds without another. Earlier versions of verl
had a batch manager, which uses `compute_score_batch`.

A failure of the sandbox is not a verdict on the code. Such an answer gets the mean score of its
group, which does not change any advantage, and ``judged`` is 0.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.execution.engine import LOCAL
from venus_toolkit.execution.measuring.ranking import STRICT
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.training.environment import row_of_export
from venus_toolkit.training.reward.grading import (
    LINGER_S,
    AnswerOutcome,
    Gathering,
    Grader,
    TaskAnswer,
)
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.reward_tasks import TaskReference, read_reference
from venus_toolkit.training.reward.rewards import Reward, RewardOptions

DATA_SOURCE = "venus"  # the data_source of every row of `venus export verl`
Score = dict[str, float]


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    release: str = "",
    sandbox: str = "auto",
    repeats: int = 3,
    group: int = 16,
    linger: float = LINGER_S,
    engine: str = LOCAL,
    ray_address: str = "",
    final_efficiency: float | None = None,
    total: int = 0,
    done: int = 0,
    figure: str = "wall",
    rule: str = STRICT,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
) -> Score:
    """Return the reward of an answer with its parts, for verl's naive reward manager.

    Args:
        data_source: ``venus``, as in every row of an export.
        solution_str: The answer.
        ground_truth: JSON from builders/derive/exporting.py.
        extra_info: Not used.
        release: The folder of the release that the set comes from (in ``reward_kwargs``, like the
            following ones).
        sandbox: The sandbox that runs programs.
        repeats: Number of times each program is measured.
        group: Number of answers to a prompt in a step; all arrive in this process.
        linger: Seconds to wait for another answer before measuring an incomplete group.
        engine: Where programs run: ``local``, on this machine, or ``ray``, on a cluster.
        ray_address: Address of a Ray cluster; empty: the one that this process belongs to.
        final_efficiency: The weight of efficiency at the end of the training, reached linearly;
            None: it stays constant.
        total: Number of answers of the whole training. verl does not report its progress, so
            arriving answers are counted.
        done: Number of answers that earlier processes rewarded before a checkpoint.
        figure: The figure of the objective ``time``: ``wall``, ``cpu`` or ``instructions``.
        rule: ``strict``: any difference in cost counts; ``apart``: costs that do not differ by more
            than their standard errors tie.
        reward_router_address: An argument of verl for reward models; not used.
        reward_model_tokenizer: Likewise.

    Raises:
        UsageError: The row is not from `venus export verl`, or an option is invalid. A row that
            cannot be judged is an error, not a score.
        ReleaseError: The release does not exist, or is not the one that the set comes from.
        SandboxError: The sandbox failed for all answers to a prompt.
    """
    answer = _answer(data_source, ground_truth, solution_str)
    grader = grader_for(
        release, sandbox, repeats, engine, ray_address, final_efficiency, figure, rule
    )
    return await asyncio.wrap_future(
        gathering_for(grader, group, linger, total, done).submit(answer)
    )


def compute_score_batch(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any] | None],
    release: str = "",
    sandbox: str = "auto",
    repeats: int = 3,
    engine: str = LOCAL,
    ray_address: str = "",
    figure: str = "wall",
    rule: str = STRICT,
) -> list[Score]:
    """Return the reward of each answer with its parts, for the batch manager of verl before 0.9.

    Arguments and errors are those of `compute_score`; the first four have an item per answer.
    """
    rows = zip(data_sources, ground_truths, solution_strs, strict=True)
    answers = [_answer(*row) for row in rows]
    grader = grader_for(release, sandbox, repeats, engine, ray_address, figure=figure, rule=rule)
    return scores(answers, grader.grade(answers))


def _answer(data_source: str, ground_truth: str, text: str) -> TaskAnswer:
    """Return an answer with the task of its row.

    Raises:
        UsageError: The row is not from `venus export verl`.
    """
    if data_source != DATA_SOURCE:
        reason = f"this reward is for rows of venus export verl, whose data_source is {DATA_SOURCE}"
        fix = "train on that file alone, or reward other rows with another function"
        raise UsageError(f"there is no reward for a row of {data_source!r}", reason, fix)
    return TaskAnswer(read_reference(row_of_export(ground_truth)), text)


def scores(answers: Sequence[TaskAnswer], outcomes: Sequence[AnswerOutcome]) -> list[Score]:
    """Return verl's dictionaries; an answer without a reward gets the mean of its group."""
    group_scores: dict[TaskReference, list[float]] = {}
    for answer, outcome in zip(answers, outcomes, strict=True):
        group_scores.setdefault(answer.reference, []).extend(
            [outcome.reward.score] if outcome.reward else []
        )
    rows = []
    for answer, outcome in zip(answers, outcomes, strict=True):
        others = group_scores[answer.reference]
        # If a whole group failed, equal scores do not change any advantage either.
        neutral = Reward(
            score=statistics.fmean(others) if others else 0.0,
            form=0.0,
            correctness=0.0,
            efficiency=0.0,
        )
        rows.append(
            {**(outcome.reward or neutral)._asdict(), "judged": float(outcome.reward is not None)}
        )
    return rows


@cache  # for the lifetime of the process
def grader_for(
    release: str,
    sandbox: str,
    repeats: int,
    engine: str,
    ray_address: str,
    final_efficiency: float | None = None,
    figure: str = "wall",
    rule: str = STRICT,
) -> Grader:
    """Return the grader of answers for a release, opened once.

    Raises:
        UsageError: No release is named, or an option is invalid.
        ReleaseError: The folder is not a release.
        MachineError: This machine cannot isolate programs, or the cluster does not exist.
    """
    if not release:
        reason = "reward_kwargs has no release"
        fix = "add +reward.custom_reward_function.reward_kwargs.release=FOLDER"
        raise UsageError("the reward does not know the release", reason, fix)
    options = RewardOptions(
        measure=MeasureOptions(repeats=repeats), figure=figure, rule=rule, engine=engine,
        ray_address=ray_address, final_efficiency=final_efficiency,
    )  # fmt: skip
    return ExecutionReward(release, sandbox, options).grader  # closed when the process exits


@cache
def gathering_for(
    grader: Grader, group: int, linger_s: float, total: int, done: int = 0
) -> Gathering[Score]:
    """Return an object that gathers the answers of a training into groups and scores them.

    An answer is rewarded with the weights at the time of its arrival.

    Args:
        grader: The grader of the answers.
        group: Number of answers to a prompt that are rewarded as a group.
        linger_s: Seconds to wait for another answer of a group.
        total: Number of answers of the training; 0: unknown.
        done: Number of answers rewarded by earlier processes.
    """
    arrived = done

    def submit(answers: Sequence[TaskAnswer]) -> None:
        nonlocal arrived
        arrived += len(answers)
        grader.submit(answers)

    def grade(answers: Sequence[TaskAnswer]) -> list[Score]:
        progress = min(arrived / total, 1.0) if total else 0.0
        return scores(answers, grader.grade(answers, progress))

    return Gathering(submit, grade, group, linger_s)
