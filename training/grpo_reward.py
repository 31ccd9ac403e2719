"""The batch reward for TRL's GRPOTrainer, on datasets of `venus derive grpo`.

    reward = ExecutionReward("build/venus")
    GRPOTrainer(model=…, reward_funcs=reward, train_dataset=load_dataset("build/venus", "cpp-grpo", split="time"), …)

TRL awaits it after all completions of a step were generated. A `rollout_func`, which generates them itself, calls
`submit` with the completions that are there, and the sandbox works on them while the next ones come.
"""

from __future__ import annotations

import atexit
import dataclasses
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.engine import RAY
from venus_toolkit.errors import UsageError
from venus_toolkit.language import Language, load_languages
from venus_toolkit.release import Release, open_release
from venus_toolkit.sandbox import Sandbox, open_sandbox
from venus_toolkit.training.grading import Answered, Graded, Grader
from venus_toolkit.training.origins import Reference, read_reference
from venus_toolkit.training.reward_options import RewardOptions

Message = Mapping[str, Any]
Completion = str | Sequence[Message]


class ExecutionReward:
    """Rewards completions by what their programs do in the sandbox.

    It is picklable where release and sandbox are names: the sandbox is opened at the first call.

    Args:
        release: The folder of the release that the dataset was made from, or that release.
        sandbox: Where programs run: a name that `open_sandbox` knows, or a sandbox, which stays open then.
        options: How answers are rewarded; the paper's weight of efficiency grows where `final_efficiency` is 0.5. Where
            a launcher started several processes on this machine, each takes its part of the cores.
        languages: By their id; None: the built-in ones.
        name: What TRL calls it in its logs.
    """

    def __init__(
        self,
        release: str | Path | Release,
        sandbox: str | Sandbox = "auto",
        options: RewardOptions | None = None,
        languages: Mapping[str, Language] | None = None,
        name: str = "execution",
    ) -> None:
        self.__name__ = name
        self.options = options or RewardOptions()
        self._release = release
        self._sandbox = sandbox
        self._languages = languages
        self._grader: Grader | None = None
        self._opened: Sandbox | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to reward as this one does."""
        return {**self.__dict__, "_grader": None, "_opened": None}

    @property
    def grader(self) -> Grader:
        """Who rewards, with the release and the sandbox open.

        Raises:
            ReleaseError: The folder is no release.
            MachineError: This machine cannot isolate programs, or there is no such cluster.
        """
        if self._grader is None:
            release = self._release if isinstance(self._release, Release) else open_release(Path(self._release))
            languages = self._languages or load_languages()
            sandbox = self._sandbox
            if isinstance(sandbox, str):
                used = [language for name, language in languages.items() if name in release.languages]
                sandbox = self._opened = open_sandbox(sandbox, used)
            self._grader = Grader(release, sandbox, in_its_part(self.options), languages)
            atexit.register(self.close)
        return self._grader

    def close(self) -> None:
        """Finish what was begun, and close the sandbox if it was opened here."""
        grader, opened = self._grader, self._opened
        self._grader = self._opened = None
        if grader:
            grader.close()
            atexit.unregister(self.close)
        if opened:
            opened.close()

    def submit(self, completions: Sequence[Completion], complete: bool = False, **columns: Sequence[Any]) -> None:
        """Begin to judge completions; returns at once. The call that rewards them only waits for what is missing.

        Args:
            completions: To any rows.
            complete: These are the last completions to their rows in this step: measure them as well.
            **columns: The columns of the rows, a list each.

        Raises:
            UsageError: The rows are not those of a GRPO set.
            ReleaseError: The folder is no release.
            SandboxError: This machine cannot isolate programs.
        """
        self.grader.submit(_answered(completions, columns), complete)

    async def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Completion],
        *,
        trainer_state: Any = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the reward of each completion; None where the sandbox failed.

        Args:
            prompts: Not used.
            completions: One for each row.
            trainer_state: How far the training is.
            log_extra: Told a column for the table of completions.
            log_metric: Told the mean of each part.
            **columns: The columns of the rows, a list each, and whatever else TRL passes.

        Raises:
            UsageError: The rows are not those of a GRPO set.
            ReleaseError: The release is not the one that the rows were made from.
            SandboxError: The sandbox failed for more completions than `RewardOptions.lost` tolerates.
        """
        graded = await self.grader.grade_async(_answered(completions, columns), progress_of(trainer_state))
        if log_extra:
            for name, values in columns_of(graded).items():
                log_extra(name, values)
        if log_metric:
            for name, value in metrics_of(graded).items():
                log_metric(name, value)
        return [each.reward.score if each.reward else None for each in graded]


def in_its_part(options: RewardOptions) -> RewardOptions:
    """Return options for this one of the processes that torchrun or accelerate started.

    Those on a machine share its cores; those on all machines share the cores of a cluster.
    """
    names = ("RANK", "WORLD_SIZE") if options.engine == RAY else ("LOCAL_RANK", "LOCAL_WORLD_SIZE")
    index, count = (int(os.environ.get(name, "") or alone) for name, alone in zip(names, (0, 1), strict=True))
    return dataclasses.replace(options, part=(index, count)) if options.part == (0, 1) and count > 1 else options


def progress_of(trainer_state: Any) -> float:
    """Return the share of the training that is done, 0 where nobody knows."""
    last = getattr(trainer_state, "max_steps", 0) or 0
    return min(trainer_state.global_step / last, 1.0) if last > 0 else 0.0


def columns_of(graded: Sequence[Graded]) -> dict[str, list[Any]]:
    """Return the parts of each reward and what came of each program, for a table of completions."""
    parts = {
        f"reward_{name}": [getattr(each.reward, name) if each.reward else None for each in graded]
        for name in ("form", "correctness", "efficiency")
    }
    return {
        **parts,
        "verdict": [each.outcome.verdict for each in graded],
        "reason": [each.outcome.reason for each in graded],
    }


def metrics_of(graded: Sequence[Graded]) -> dict[str, float]:
    """Return the mean of each part over what was judged, and the shares that passed and were judged."""
    rewards = [each.reward for each in graded if each.reward]
    found = {"reward/judged": len(rewards) / max(len(graded), 1)}
    if rewards:
        for name in ("form", "correctness", "efficiency"):
            found[f"reward/{name}"] = statistics.fmean(getattr(reward, name) for reward in rewards)
        passed = [each.outcome.passed for each in graded if each.reward]
        found["reward/passed"] = statistics.fmean(map(float, map(bool, passed)))
    return found


def text_of(completion: Completion) -> str:
    """Return the text of a completion: the last message of the assistant, where it is a conversation."""
    if isinstance(completion, str):
        return completion
    said = [message["content"] for message in completion if message.get("role") == "assistant"]
    content = said[-1] if said else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def _answered(completions: Sequence[Completion], columns: Mapping[str, Any]) -> list[Answered]:
    rows = {name: columns.get(name) for name in Reference._fields}
    for name, values in rows.items():
        if values is not None and len(values) != len(completions):
            why = f"{len(completions)} completions, {len(values)} values"
            raise UsageError(f"the column {name} has not one value for each completion", why, "pass whole rows")
    known = {name: values for name, values in rows.items() if values is not None}
    return [
        Answered(read_reference({name: values[n] for name, values in known.items()}), text_of(completion))
        for n, completion in enumerate(completions)
    ]
