"""Tasks of a release in inspect_ai.

``inspect eval venus_toolkit/venus -T data=build/venus -T lang=cpp --model …``.

inspect_ai asks the model, and this module scores the answers; inspect_ai finds it through an entry
point. A score has `passed`, `beyond_time`, `beyond_memory` and `beyond_integral`, each averaged
over the samples. Problems with fewer than two human solutions are left out. If the sandbox failed,
or too few human solutions could be measured, the sample is an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import generate

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import find_language, load_languages
from venus_toolkit.dataset.hub.pulling import locate
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.scorer import Scorer
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.prompts import OBJECTIVES

NAMES = ("passed", *(f"beyond_{objective}" for objective in OBJECTIVES))


def venus_task(
    data: str,
    lang: str,
    out: str = "build/inspect",
    objective: str = "time",
    split: str = "test",
    tasks: int | None = None,
    repeats: int = 3,
) -> Any:
    """Return a task of inspect_ai with the problems of a release, scored as in `venus eval`.

    Args:
        data: A release: a folder, or a name on the Hub.
        lang: Languages, separated by commas.
        out: A folder for verdicts and figures.
        objective: The objective in the prompt.
        split: A split of the release.
        tasks: Number of problems; None: all.
        repeats: Number of times each program is measured.
    """
    languages = load_languages()
    language_ids = tuple(find_language(name, languages).id for name in lang.split(","))
    options = EvalOptions(
        model="inspect_ai",
        data=data,
        lang=language_ids,
        objective=objective,
        split=split,
        tasks=tasks,
        measure=MeasureOptions(repeats=repeats),
    )
    task_scorer = Scorer(options, locate(data), Path(out), languages)
    # inspect_ai averages every score in NAMES over all samples, so each task needs a rank.
    names = [key.name for key in task_scorer.keys if task_scorer.has_rank(key.name)]
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    samples = [
        Sample(
            input=[kinds[role](content=text) for role, text in task_scorer.prompt(name)],
            target="",
            id=name,
        )
        for name in names
    ]
    return Task(
        dataset=MemoryDataset(samples, name="venus"),
        solver=generate(),
        scorer=venus_scorer(task_scorer),
    )


def efficiency(task_scorer: Scorer) -> Callable[[Any, Any], Awaitable[Any]]:
    """Return a function that scores an answer."""

    async def score(state: Any, target: Any) -> Any:
        # In a thread, because running programs takes seconds and would block the event loop.
        row = await asyncio.to_thread(
            task_scorer.score, str(state.sample_id), state.output.completion
        )
        if row["passed"] is None or row["percentile_time"] is None:
            reason = row["reason"] or row["unranked"] or ""
            # An error, not a score of 0: a failure of the sandbox is not a verdict on the program.
            raise SandboxError(f"{row['task']} has no score", reason, "type: venus doctor")
        ranks = {f"beyond_{objective}": row[f"percentile_{objective}"] for objective in OBJECTIVES}
        names = (
            "wall_ns",
            "cpu_ns",
            "peak_bytes",
            "integral_byte_ns",
            "relative_time",
            "place_time",
            "unranked",
        )
        figures = {name: row.get(name) for name in names}
        return Score(
            value={"passed": float(row["passed"]), **ranks},
            answer=row["code"],
            explanation=row["reason"] or row["verdict"],
            metadata=figures,
        )

    return score


venus_scorer = scorer(metrics={name: [mean()] for name in NAMES}, name="efficiency")(efficiency)
venus = task(name="venus")(venus_task)
