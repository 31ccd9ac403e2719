"""verl's batch reward: answers judged and measured beside their original, tests fetched by reference from a release.

All answers to one prompt are measured in turns with the original, so that one drift of the machine meets them alike.
Where the sandbox fails, nothing is said of the code: such an answer gets the mean of the others to its prompt, which
moves no advantage, and ``judged`` is 0.
"""

from __future__ import annotations

import atexit
import json
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.answers import read_answer
from venus_toolkit.errors import LanguageError, ReleaseError, SandboxError
from venus_toolkit.language import Language, load_languages
from venus_toolkit.measure import MeasureOptions, ranking_key
from venus_toolkit.records import Verdict
from venus_toolkit.release import open_release
from venus_toolkit.sandbox import Sandbox, open_sandbox
from venus_toolkit.task import Shelf, Task, judge_code, measure_beside, read_task
from venus_toolkit.training.rewards import (
    UPPER,
    Reward,
    Weights,
    combine,
    correctness_reward,
    efficiency_reward,
    form_reward,
)

TRIES = 2
WEIGHTS = Weights()


class Origin(NamedTuple):
    """What answers to one prompt are judged with: the task, the original's code, and the objective."""

    task: Task
    original: str
    objective: str


def compute_score(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any] | None],
    release: str = "",
    sandbox: str = "auto",
    repeats: int = 3,
    **_: Any,
) -> list[dict[str, float]]:
    """Return the reward of each answer, with its parts, as verl's batch reward manager takes it.

    Args:
        data_sources: One for each answer; not used.
        solution_strs: The answers.
        ground_truths: JSON, as builders/derive/verl.py writes it.
        extra_infos: Not used.
        release: The folder of the release that the set was made from (``reward_kwargs``).
        sandbox: Where programs run.
        repeats: How often each is measured.

    Raises:
        ReleaseError: The release is not there, or not the one that the set was made from.
    """
    groups: dict[str, list[int]] = {}
    for number, truth in enumerate(ground_truths):
        groups.setdefault(truth, []).append(number)
    found: dict[int, dict[str, float]] = {}
    for truth, numbers in groups.items():
        place = _sandbox(sandbox, _languages()[json.loads(truth)["config"]])
        origin = find_origin(release, truth, place)
        rewards = reward_group(place, origin, [solution_strs[n] for n in numbers], MeasureOptions(repeats))
        found |= dict(zip(numbers, _scores(rewards), strict=True))
    return [found[number] for number in range(len(solution_strs))]


def find_origin(release: str, truth: str, sandbox: Sandbox | None = None) -> Origin:
    """Return what a ground truth refers to; inputs that the release left out are made again in the sandbox.

    Raises:
        ReleaseError: The release is not there, or not the one that the set was made from.
    """
    told = json.loads(truth)
    row = _shelf(release, told["config"], told["split"]).row(told["title"])
    task = read_task(row, _languages()[told["config"]], sandbox)
    code = next((s["code"] for s in row["solutions"] if s["solution_id"] == told["original_solution_id"]), None)
    if task.tests_sha256 != told["tests_sha256"] or code is None:
        why = "its tests or its solutions are others"
        what = f"{release} is not the release that {told['title']} was taken from"
        raise ReleaseError(what, why, f"name the right one, revision {told['revision'] or 'unpublished'}")
    return Origin(task, code, told["type"])


def reward_group(
    sandbox: Sandbox, origin: Origin, texts: Sequence[str], options: MeasureOptions, weights: Weights = WEIGHTS
) -> list[Reward | None]:
    """Return the reward of each answer to one prompt; None where the sandbox failed."""
    codes = [read_answer(text, origin.task.language).code for text in texts]
    passes = [_passes(sandbox, origin.task, code) for code in codes]
    good = list(dict.fromkeys(code for code, passed in zip(codes, passes, strict=True) if passed and code))
    efficiency = _efficiency(sandbox, origin, good, options)
    return [
        _reward(text, passed, efficiency.get(code or ""), weights)
        for text, code, passed in zip(texts, codes, passes, strict=True)
    ]


def _reward(text: str, passed: bool | None, efficiency: float | None, weights: Weights) -> Reward | None:
    if passed is None or (passed and efficiency is None):
        return None
    return combine(form_reward(text), correctness_reward(True, passed), efficiency or 0.0 if passed else 0.0, weights)


def _passes(sandbox: Sandbox, task: Task, code: str | None) -> bool | None:
    if code is None:
        return False
    for _ in range(TRIES):
        try:
            return judge_code(sandbox, task, code).verdict == Verdict.ACCEPTED
        except LanguageError:
            return False
        except SandboxError:
            continue
    return None


def _efficiency(
    sandbox: Sandbox, origin: Origin, codes: Sequence[str], options: MeasureOptions
) -> dict[str, float | None]:
    """Return R_efficiency of codes that pass; None where they could not be measured."""
    if not codes:
        return {}
    try:
        measured = measure_beside(sandbox, origin.task, origin.original, codes, options)
    except SandboxError:
        return dict.fromkeys(codes)
    before, *after = (ranking_key(each, origin.objective, "absolute") for each in measured)
    upper = UPPER[origin.objective]
    return {
        code: None if before is None or cost is None else efficiency_reward(before, cost, upper)
        for code, cost in zip(codes, after, strict=True)
    }


def _scores(rewards: Sequence[Reward | None]) -> list[dict[str, float]]:
    """Return verl's dictionaries, the same keys in each; what was not judged gets the mean of the others."""
    known = [reward.score for reward in rewards if reward]
    neutral = Reward(statistics.fmean(known) if known else 0.0, 0.0, 0.0, 0.0)
    return [{**(reward or neutral)._asdict(), "judged": float(reward is not None)} for reward in rewards]


# ------------------------------------------------------------------ kept for the life of the process


@cache
def _languages() -> dict[str, Language]:
    return load_languages()


@cache
def _shelf(release: str, config: str, split: str) -> Shelf:
    return Shelf(open_release(Path(release)), config, split)


@cache
def _sandbox(name: str, language: Language) -> Sandbox:
    sandbox = open_sandbox(name, [language])
    atexit.register(sandbox.close)
    return sandbox
