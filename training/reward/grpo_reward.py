"""The batch reward for TRL's GRPOTrainer, on datasets of `venus derive grpo`.

`open_reward` makes it from a recipe.

    reward = ExecutionReward("build/venus")
    rows = load_dataset("build/venus", "cpp-grpo", split="time")
    GRPOTrainer(model=…, reward_funcs=reward, train_dataset=rows, …)

TRL awaits the reward after all completions of a step were generated. A `rollout_func` generates them
itself and may call `submit` with the first ones: the sandbox judges these while others are written.
"""

from __future__ import annotations

import atexit
import dataclasses
import os
import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.execution.engine import RAY, EngineOptions
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import AnswerOutcome, Grader, TaskAnswer
from venus_toolkit.training.reward.reward_tasks import TaskReference, read_reference
from venus_toolkit.training.reward.rewards import RewardOptions, Weights
from venus_toolkit.training.trainer.fit import keep_to_own_cores, own_part

if TYPE_CHECKING:
    from venus_toolkit.training.recipe import Recipe
    from venus_toolkit.training.trainer.data import TrainingSet

Completion = str | Sequence[Mapping[str, Any]]  # text, or the messages of a conversation
# Returns a reward for each completion, or None if it cannot be known. TRL passes, by keyword,
# prompts, completions, the columns of the GRPO set, and its own state.
RewardFunction = Callable[..., Sequence[float | None] | Awaitable[Sequence[float | None]]]
PARTS = ("form", "correctness", "efficiency")


class ExecutionReward:
    """Rewards completions by running their programs in the sandbox.

    It can be pickled if release and sandbox are names: the first call opens the sandbox.

    Args:
        release: The folder of the release that the dataset was made from, or that release.
        sandbox: Where programs run: a name that `open_sandbox` knows, or an open sandbox, which
            this class does not close.
        options: How answers are rewarded; the paper's weight of efficiency grows to
            `final_efficiency` 0.5. If a launcher started several processes on this machine, each
            uses its part of the cores.
        languages: Languages by id; None for the built-in ones.
        name: The name of the reward in TRL's logs.
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
        """Return the state without open resources: another process opens its own."""
        return {**self.__dict__, "_grader": None, "_opened": None}

    @property
    def grader(self) -> Grader:
        """The grader, with the release and the sandbox open.

        Raises:
            ReleaseError: The folder is not a release.
            MachineError: This machine cannot isolate programs, or the cluster cannot be reached.
        """
        if self._grader is None:
            release = (
                self._release
                if isinstance(self._release, Release)
                else open_release(Path(self._release))
            )
            languages, sandbox = self._languages or load_languages(), self._sandbox
            if isinstance(sandbox, str):
                used = [
                    language for name, language in languages.items() if name in release.languages
                ]
                sandbox = self._opened = open_sandbox(sandbox, used, self.options.patience_s)
            self._grader = Grader(
                release,
                sandbox,
                options_of_process(self.options, elsewhere=bool(sandbox.workers)),
                languages,
            )
            # Trainers call a reward but never close it.
            atexit.register(self.close)
        return self._grader

    def close(self) -> None:
        """Finish running work, and close the sandbox if this class opened it."""
        grader, opened = self._grader, self._opened
        self._grader = self._opened = None
        if grader:
            grader.close()
            atexit.unregister(self.close)
        if opened:
            opened.close()

    def submit(
        self, completions: Sequence[Completion], complete: bool = False, **columns: Sequence[Any]
    ) -> None:
        """Begin to judge completions; returns at once.

        The later call for their rewards does not judge them again. If they are `complete`, no other
        completions for their rows follow in this step, and they are measured as well. `columns`
        are those of the rows, a list for each.

        Raises:
            UsageError: The rows are not those of a GRPO set.
            ReleaseError: The folder is not a release.
            SandboxError: This machine cannot isolate programs.
        """
        self.grader.submit(answers_of(completions, columns), complete)

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
        """Return the reward of each completion; None if the sandbox failed.

        `columns` are those of the rows, a list for each, and TRL's other arguments. `log_extra` is
        called with each column for the table of completions, `log_metric` with the mean of each
        part.

        Raises:
            UsageError: The rows are not those of a GRPO set.
            ReleaseError: The release is not the one that the rows were made from.
            SandboxError: The sandbox failed for more completions than `RewardOptions.lost`
                tolerates.
        """
        answers = answers_of(completions, columns)
        outcomes = await self.grader.grade_async(answers, progress_of(trainer_state))
        if log_extra:
            for name, values in columns_of(outcomes).items():
                log_extra(name, values)
        if log_metric:
            for name, value in metrics_of(outcomes, self.options.counted).items():
                log_metric(name, value)
        return [outcome.reward.score if outcome.reward else None for outcome in outcomes]


def open_reward(
    recipe: Recipe,
    data: TrainingSet,
    sandbox: str,
    languages: Mapping[str, Language],
    engine: EngineOptions | None = None,
    journal: str = "",
) -> ExecutionReward:
    """Return the paper's reward on the tests of the release behind a training set.

    The recipe has the weight of each part. `sandbox` is a name that `open_sandbox` knows; without
    an engine, programs run on this machine. `journal` is a folder that caches verdicts and costs of
    programs.

    Raises:
        MachineError: This machine cannot isolate programs, or the cluster cannot be reached.
    """
    settings, spread = recipe.reward, engine or EngineOptions()
    options = RewardOptions(
        weights=Weights(
            form=settings.form, correctness=settings.correctness, efficiency=settings.efficiency
        ),
        final_efficiency=settings.final_efficiency,
        measure=MeasureOptions(repeats=settings.repeats),
        figure=settings.figure,
        rule=settings.rule,
        share_cores=settings.share_cores,
        fresh=settings.fresh,
        reseed=settings.reseed,
        seed=recipe.trl["seed"],
        jobs=spread.jobs,
        engine=spread.name,
        ray_address=spread.address,
        journal=journal,
    )
    reward = ExecutionReward(data.release, sandbox, options, languages)
    assert reward.grader  # opens release and sandbox, so that errors come before a model is loaded
    return reward


def options_of_process(options: RewardOptions, elsewhere: bool = False) -> RewardOptions:
    """Return options for this process among those that torchrun or accelerate started.

    Processes on one machine share its cores; processes on all machines share the cores of a cluster
    or of a service `elsewhere`. The first caller, reward or training, restricts the process to its
    own cores, and the other does not divide them again.
    """
    if options.part != (0, 1):
        return options
    if options.engine == RAY or elsewhere:
        part = int(os.environ.get("RANK") or 0), int(os.environ.get("WORLD_SIZE") or 1)
    else:
        keep_to_own_cores()
        part = own_part()
    return dataclasses.replace(options, part=part) if part[1] > 1 else options


def progress_of(trainer_state: Any) -> float:
    """Return the share of the training that is done, from 0 to 1; 0 if it is not known."""
    last = getattr(trainer_state, "max_steps", 0) or 0
    return min(trainer_state.global_step / last, 1.0) if last > 0 else 0.0


def columns_of(outcomes: Sequence[AnswerOutcome]) -> dict[str, list[Any]]:
    """Return columns for the table of completions: parts of the reward, verdict, reason, figure."""
    rewards = [outcome.reward for outcome in outcomes]
    columns: dict[str, list[Any]] = {
        f"reward_{name}": [reward and getattr(reward, name) for reward in rewards] for name in PARTS
    }
    for name in ("verdict", "reason", "figure"):
        columns[name] = [getattr(outcome, name) for outcome in outcomes]
    return columns


def metrics_of(outcomes: Sequence[AnswerOutcome], counted: bool = False) -> dict[str, float]:
    """Return the mean of each part of the reward, and the shares of answers judged and passed.

    Measured answers add the mean share of tests with fresh inputs for each repeat. If instructions
    are `counted`, the share of programs rewarded by instructions, not CPU time, is added.
    """
    rewarded = [outcome for outcome in outcomes if outcome.reward]
    metrics = {"reward/judged": len(rewarded) / max(len(outcomes), 1)}
    if rewarded:
        for name in PARTS:
            metrics[f"reward/{name}"] = statistics.fmean(
                getattr(outcome.reward, name) for outcome in rewarded
            )
        metrics["reward/passed"] = statistics.fmean(
            float(bool(outcome.passed)) for outcome in rewarded
        )
    reseeded = [outcome.reseeded for outcome in outcomes if outcome.reseeded is not None]
    if reseeded:
        metrics["reward/reseeded"] = statistics.fmean(reseeded)
    figures = [outcome.figure for outcome in outcomes if outcome.figure in (INSTRUCTIONS, "cpu_ns")]
    if counted and figures:
        metrics["reward/by_instructions"] = figures.count(INSTRUCTIONS) / len(figures)
    return metrics


def text_of(completion: Completion) -> str:
    """Return the text of a completion; of a conversation, the assistant's last message."""
    if isinstance(completion, str):
        return completion
    answers = [message["content"] for message in completion if message.get("role") == "assistant"]
    content = answers[-1] if answers else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def answers_of(completions: Sequence[Completion], columns: Mapping[str, Any]) -> list[TaskAnswer]:
    """Return completions as answers to the tasks that the columns of their rows name.

    Raises:
        UsageError: The rows are not those of a GRPO set.
    """
    # Only these columns: TRL also passes trainer_state and functions, which are not lists.
    known = {name: columns[name] for name in TaskReference._fields if columns.get(name) is not None}
    for name, values in known.items():
        if len(values) != len(completions):
            reason = f"{len(completions)} completions, {len(values)} values"
            raise UsageError(
                f"the column {name} does not have one value for each completion",
                reason,
                "pass whole rows",
            )
    return [
        TaskAnswer(
            read_reference({name: values[n] for name, values in known.items()}), text_of(completion)
        )
        for n, completion in enumerate(completions)
    ]
