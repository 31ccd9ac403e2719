"""The reward for verl, on the files of `venus export verl`.

Tests are fetched by reference from a release.

verl 0.9 asks for one answer at a time, from an event loop, while others are still being generated:
`compute_score` begins to judge each at once, and measures those to the same prompt together when
`group` of them are there, or none has come for `linger` seconds. Earlier versions had a batch
manager, which takes `compute_score_batch`.

A failure of the sandbox says nothing about the code: such an answer gets the mean of the others to
its prompt that were rewarded with it, which moves no advantage, and ``judged`` is 0.
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

DATA_SOURCE = "venus"  # of every row that `venus export verl` writes
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
    """Return the reward of an answer with its parts, as verl's naive reward manager takes it.

    Args:
        data_source: ``venus``, as in every row of an export.
        solution_str: The answer.
        ground_truth: JSON, as builders/derive/exporting.py writes it.
        extra_info: Not used.
        release: The folder of the release that the set was made from (``reward_kwargs``, like what
            follows).
        sandbox: Where programs run.
        repeats: How often each is measured.
        group: Answers to a prompt in a step, all of which come to this process.
        linger: Seconds to wait for another answer before those that are there are measured.
        engine: Where programs run: ``local``, on this machine, or ``ray``, on a cluster.
        ray_address: Of a Ray cluster; empty: the one that this process is part of.
        final_efficiency: The weight of efficiency at the end of the training, reached linearly;
            None: it stays.
        total: Answers of the whole training: verl does not say how far it is, so those that come
            are counted.
        done: How many of these were rewarded by earlier processes, before a checkpoint.
        figure: What the objective ``time`` means: ``wall``, ``cpu`` or ``instructions``.
        rule: ``strict``: any difference in cost counts; ``apart``: costs that do not differ beyond
            their standard errors are ties.
        reward_router_address: verl's own, for reward models; not used.
        reward_model_tokenizer: Likewise.

    Raises:
        UsageError: The row is not one of `venus export verl`, or an option makes no sense. No
            score stands in for a row that cannot be judged.
        ReleaseError: The release is not there, or not the one that the set was made from.
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
    """Return the reward of each answer, with its parts, as the batch reward manager of verl before 0.9 takes it.

    Arguments and errors are those of `compute_score`, the first four with a value for each answer.
    """
    rows = zip(data_sources, ground_truths, solution_strs, strict=True)
    answers = [_answer(*row) for row in rows]
    grader = grader_for(release, sandbox, repeats, engine, ray_address, figure=figure, rule=rule)
    return scores(answers, grader.grade(answers))


def _answer(data_source: str, ground_truth: str, text: str) -> TaskAnswer:
    """Return an answer with the row that it belongs to.

    Raises:
        UsageError: The row is not one of `venus export verl`.
    """
    if data_source != DATA_SOURCE:
        reason = (
            f"this reward knows the rows of venus export verl, whose data_source is {DATA_SOURCE}"
        )
        fix = "train on that file alone, or reward other rows with a function of your own"
        raise UsageError(f"there is no reward for a row of {data_source!r}", reason, fix)
    return TaskAnswer(read_reference(row_of_export(ground_truth)), text)


def scores(answers: Sequence[TaskAnswer], outcomes: Sequence[AnswerOutcome]) -> list[Score]:
    """Return verl's dictionaries; an answer without a reward gets the mean of its group."""
    known: dict[TaskReference, list[float]] = {}
    for answer, outcome in zip(answers, outcomes, strict=True):
        known.setdefault(answer.reference, []).extend(
            [outcome.reward.score] if outcome.reward else []
        )
    rows = []
    for answer, outcome in zip(answers, outcomes, strict=True):
        others = known[answer.reference]
        # Where all of a group were lost, the same number for each moves no advantage either.
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


@cache  # for the life of the process
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
        UsageError: No release is named, or an option makes no sense.
        ReleaseError: The folder is not a release.
        MachineError: This machine cannot isolate programs, or there is no such cluster.
    """
    if not release:
        reason = "reward_kwargs has no release"
        fix = "add +reward.custom_reward_function.reward_kwargs.release=FOLDER"
        raise UsageError("the reward does not know the release", reason, fix)
    options = RewardOptions(
        measure=MeasureOptions(repeats=repeats), figure=figure, rule=rule, engine=engine,
        ray_address=ray_address, final_efficiency=final_efficiency,
    )  # fmt: skip
    return ExecutionReward(release, sandbox, options).grader  # it is closed when the process ends


@cache
def gathering_for(
    grader: Grader, group: int, linger_s: float, total: int, done: int = 0
) -> Gathering[Score]:
    """Return what gathers and scores the answers of a training.

    Each is rewarded with the weights of the moment at which it comes.

    Args:
        grader: Rewards them.
        group: Answers to a prompt that are rewarded together.
        linger_s: How long to wait for another one of these.
        total: Answers of the training; 0: that is not known.
        done: How many of them were rewarded before.
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
