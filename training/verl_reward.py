"""The reward for verl, on the files of `venus export verl`; tests are fetched by reference from a release.

verl 0.9 asks for one answer at a time, from an event loop, while others are still being generated: `compute_score`
begins to judge each at once, and measures those to the same prompt together when `group` of them are there, or none has
come for `linger` seconds. Earlier versions had a batch manager, which takes `compute_score_batch`.

A failure of the sandbox says nothing about the code: such an answer gets the mean of the others to its prompt that were
rewarded with it, which moves no advantage, and ``judged`` is 0.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.execution.engine import LOCAL
from venus_toolkit.execution.measure import MeasureOptions
from venus_toolkit.execution.ranking import STRICT
from venus_toolkit.training.grading import Answered, Graded, Grader
from venus_toolkit.training.grpo_reward import ExecutionReward
from venus_toolkit.training.reward_options import RewardOptions
from venus_toolkit.training.reward_tasks import Reference, read_reference
from venus_toolkit.training.rewards import Reward

GROUP = 16
LINGER_S = 5.0
Score = dict[str, float]


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    release: str = "",
    sandbox: str = "auto",
    repeats: int = 3,
    group: int = GROUP,
    linger: float = LINGER_S,
    engine: str = LOCAL,
    ray_address: str = "",
    **_: Any,
) -> Score:
    """Return the reward of an answer with its parts, as verl's naive reward manager takes it.

    Args:
        data_source: Not used.
        solution_str: The answer.
        ground_truth: JSON, as builders/derive/exporting.py writes it.
        extra_info: Not used.
        release: The folder of the release that the set was made from (``reward_kwargs``, like what follows).
        sandbox: Where programs run.
        repeats: How often each is measured.
        group: Answers to a prompt in a step, all of which come to this process.
        linger: Seconds to wait for another answer before those that are there are measured.
        engine: Where programs run: ``local``, on this machine, or ``ray``, on a cluster.
        ray_address: Of a Ray cluster; empty: the one that this process is part of.

    Raises:
        UsageError: The file is not one of `venus export verl`.
        ReleaseError: The release is not there, or not the one that the set was made from.
        SandboxError: The sandbox failed for all answers to a prompt.
    """
    answer = Answered(_reference(ground_truth), solution_str)
    kept = grader_for(release, sandbox, repeats, engine, ray_address)
    collector = _collector(kept, asyncio.get_running_loop())
    return await collector.score(answer, group, linger)


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
    **_: Any,
) -> list[Score]:
    """Return the reward of each answer, with its parts, as the batch reward manager of verl before 0.9 takes it.

    Arguments and errors are those of `compute_score`, the first four with a value for each answer.
    """
    pairs = zip(ground_truths, solution_strs, strict=True)
    answers = [Answered(_reference(truth), text) for truth, text in pairs]
    return scores(answers, grader_for(release, sandbox, repeats, engine, ray_address).grade(answers))


def scores(answers: Sequence[Answered], graded: Sequence[Graded]) -> list[Score]:
    """Return verl's dictionaries, the same keys in each; what was not judged gets the mean of its group."""
    known: dict[Reference, list[float]] = {}
    for answer, each in zip(answers, graded, strict=True):
        known.setdefault(answer.reference, []).extend([each.reward.score] if each.reward else [])
    found = []
    for answer, each in zip(answers, graded, strict=True):
        others = known[answer.reference]
        # Where all of a group were lost, the same number for each moves no advantage either.
        neutral = Reward(score=statistics.fmean(others) if others else 0.0, form=0.0, correctness=0.0, efficiency=0.0)
        found.append({**(each.reward or neutral)._asdict(), "judged": float(each.reward is not None)})
    return found


def _reference(truth: str) -> Reference:
    try:
        given = json.loads(truth)
    except (TypeError, ValueError) as error:
        why = f"its ground truth is not JSON: {error}"
        raise UsageError("a row is not one of the toolkit's", why, "write the file again: venus export verl") from error
    return read_reference(given if isinstance(given, dict) else {})


class GroupCollector:
    """Answers that come one by one, rewarded together with the others to their prompt."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader
        self._waiting: dict[Reference, list[tuple[Answered, asyncio.Future[Score]]]] = {}
        self._timers: dict[Reference, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def score(self, answer: Answered, group: int, linger: float) -> Score:
        """Return the reward of an answer; it is judged at once and measured when its group is there.

        Raises:
            VenusError: The group could not be rewarded.
        """
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Score] = loop.create_future()
        waiting = self._waiting.setdefault(answer.reference, [])
        waiting.append((answer, mine))
        self._grader.submit([answer])
        # The wait is for the next answer, so each one that comes begins it anew.
        if answer.reference in self._timers:
            self._timers.pop(answer.reference).cancel()
        if len(waiting) >= group:
            self._grade(answer.reference)
        else:
            self._timers[answer.reference] = loop.call_later(linger, self._grade, answer.reference)
        return await mine

    def _grade(self, reference: Reference) -> None:
        self._timers.pop(reference, None)
        task = asyncio.get_running_loop().create_task(self._settle(self._waiting.pop(reference)))
        self._tasks.add(task)  # a loop keeps no task alive by itself
        task.add_done_callback(self._tasks.discard)

    async def _settle(self, waiting: Sequence[tuple[Answered, asyncio.Future[Score]]]) -> None:
        answers = [answer for answer, _ in waiting]
        try:
            found = scores(answers, await self._grader.grade_async(answers))
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            for _, mine in waiting:
                if not mine.done():
                    mine.set_exception(error)
            return
        for (_, mine), score in zip(waiting, found, strict=True):
            if not mine.done():
                mine.set_result(score)


@cache  # for the life of the process
def grader_for(release: str, sandbox: str, repeats: int, engine: str, ray_address: str) -> Grader:
    """Return the grader of answers for a release, opened once.

    Raises:
        UsageError: No release is named.
        ReleaseError: The folder is no release.
        MachineError: This machine cannot isolate programs, or there is no such cluster.
    """
    if not release:
        why = "reward_kwargs has no release"
        fix = "add +reward.custom_reward_function.reward_kwargs.release=FOLDER"
        raise UsageError("the reward does not know the release", why, fix)
    # The export trains with the paper's numbers.
    options = RewardOptions(
        measure=MeasureOptions(repeats=repeats), rule=STRICT, engine=engine, ray_address=ray_address
    )
    return ExecutionReward(release, sandbox, options).grader  # it is closed when the process ends


@cache
def _collector(grader: Grader, _: asyncio.AbstractEventLoop) -> GroupCollector:
    # One for each event loop: its futures and timers belong to that loop.
    return GroupCollector(grader)
