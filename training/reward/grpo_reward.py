"""The batch reward for TRL's GRPOTrainer, on datasets of `venus derive grpo`.

`open_reward` makes it from a recipe.

    reward = ExecutionReward("build/venus") GRPOTrainer(model=…, reward_funcs=reward,
    train_dataset=load_dataset("build/venus", "cpp-grpo", split="time"), …)

TRL awaits it after all completions of a step were generated. A `rollout_func`, which generates them
itself, calls `submit` with the completions that are there, and the sandbox works on them while the
next ones come.
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
# What answers are worth: a number for each, or None where that cannot be known. It takes, by
# keyword, prompts, completions, the columns of the GRPO set, and what TRL adds.
RewardFunction = Callable[..., Sequence[float | None] | Awaitable[Sequence[float | None]]]
PARTS = ("form", "correctness", "efficiency")


class ExecutionReward:
    """Rewards completions by what their programs do in the sandbox.

    It is picklable where release and sandbox are names: the sandbox is opened at the first call.

    Args:
        release: The folder of the release that the dataset was made from, or that release.
        sandbox: Where programs run: a name that `open_sandbox` knows, or a sandbox, which stays
            open then.
        options: How answers are rewarded; the paper's weight of efficiency grows where
            `final_efficiency` is 0.5. Where a launcher started several processes on this machine,
            each takes its part of the cores.
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
        """The grader, with the release and the sandbox open.

        Raises:
            ReleaseError: The folder is not a release.
            MachineError: This machine cannot isolate programs, or there is no such cluster.
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
                in_its_part(self.options, elsewhere=bool(sandbox.workers)),
                languages,
            )
            # Trainers only call a reward, and none closes it.
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

    def submit(
        self, completions: Sequence[Completion], complete: bool = False, **columns: Sequence[Any]
    ) -> None:
        """Begin to judge completions; returns at once.

        The call that rewards them only waits for what is missing.

        If they are `complete`, no others to their rows come in this step, and they are measured as
        well. `columns` are those of the rows, a list each.

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
        """Return the reward of each completion; None where the sandbox failed.

        `columns` are those of the rows, a list each, and whatever else TRL passes. `log_extra` is
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
    """Return the paper's reward, measured in a sandbox with the tests of the release that a set was made from.

    The recipe says how much each part counts. `sandbox` is a name that `open_sandbox` knows;
    without an engine the work is done on this machine. `journal` is a folder that keeps what is
    known of programs.

    Raises:
        MachineError: This machine cannot isolate programs, or there is no such cluster.
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
    assert reward.grader  # what it needs is opened, or missing, before a model is loaded
    return reward


def in_its_part(options: RewardOptions, elsewhere: bool = False) -> RewardOptions:
    """Return options for this one of the processes that torchrun or accelerate started.

    Those on a machine share its cores; those on all machines share the cores of a cluster, or of a
    service `elsewhere`. Whichever comes first, the reward or the training, leaves the process its
    own cores, so that the other one does not divide them again.
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
    """Return the share of the training that is done, 0 where it is not known."""
    last = getattr(trainer_state, "max_steps", 0) or 0
    return min(trainer_state.global_step / last, 1.0) if last > 0 else 0.0


def columns_of(outcomes: Sequence[AnswerOutcome]) -> dict[str, list[Any]]:
    """Return the parts of each reward, the verdict, its reason and the figure, for a table of completions."""
    rewards = [outcome.reward for outcome in outcomes]
    columns: dict[str, list[Any]] = {
        f"reward_{name}": [reward and getattr(reward, name) for reward in rewards] for name in PARTS
    }
    for name in ("verdict", "reason", "figure"):
        columns[name] = [getattr(outcome, name) for outcome in outcomes]
    return columns


def metrics_of(outcomes: Sequence[AnswerOutcome], counted: bool = False) -> dict[str, float]:
    """Return the mean of each part over what was judged, and the shares that passed and were judged.

    Of what was measured also the mean share of tests on which each repeat had an input of its own,
    and of programs that were `counted` the share of those whose instructions decided, and not their
    CPU time.
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
    """Return the text of a completion.

    The last message of the assistant, where it is a conversation.
    """
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
    # These columns alone: TRL also passes trainer_state and functions, which are not lists.
    known = {name: columns[name] for name in TaskReference._fields if columns.get(name) is not None}
    for name, values in known.items():
        if len(values) != len(completions):
            why = f"{len(completions)} completions, {len(values)} values"
            raise UsageError(
                f"the column {name} does not have one value for each completion",
                why,
                "pass whole rows",
            )
    return [
        TaskAnswer(
            read_reference({name: values[n] for name, values in known.items()}), text_of(completion)
        )
        for n, completion in enumerate(completions)
    ]
