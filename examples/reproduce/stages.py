"""The stages of a reproduction; each calls the function behind the corresponding command.

    problems ─▶ release ─▶ derived sets
    base model ─┬─▶ cold start ─┬─▶ SFT ─▶ DPO      for each seed, except base and cold start
                │               ├─▶ GRPO
                │               └─▶ GRPO over several turns
                └─▶ SFT
    each model ─▶ an evaluation with iterations; the base model also gives as many independent
    answers, of which the best counts

Rerun the same command to resume at the interrupted stage.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from examples.reproduce.preset import Preset
from examples.reproduce.scratch import Lesson, make_base, note_pretrained
from examples.reproduce.small_problems import (
    OBJECTIVE,
    OracleGenerator,
    SmallProblem,
    all_tasks,
    base_lessons,
    write_source,
)
from venus_toolkit.builders.build import Build
from venus_toolkit.builders.derive import cold_start
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive, finish
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import to_plain
from venus_toolkit.core.store import Store, explained, read_manifest
from venus_toolkit.dataset.release import open_release
from venus_toolkit.eval.asking.prompting import make_eval_options
from venus_toolkit.eval.eval_options import CACHED
from venus_toolkit.eval.loop.iterations import IterativeEvaluation
from venus_toolkit.eval.loop.iterative_loop import INDEPENDENT, SINGLE, LoopOptions
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import ModelOptions
from venus_toolkit.training.recipe import COLD_START, DPO, FORMS, GRPO, SFT, make_recipe
from venus_toolkit.training.reward.grpo_reward import open_reward
from venus_toolkit.training.trainer.data import open_set
from venus_toolkit.training.trainer.run_directory import TrainedModel
from venus_toolkit.training.trainer.train import check_machine, train

LANGUAGE = "python"
Progress = Callable[[str, int, int], None]


class Arm(NamedTuple):
    """A line of the comparison: a model, and the mode of its evaluation.

    Attributes:
        method: The method that trains the model; empty for the base model.
        after: The arm whose model the training starts from.
        changes: Keys of the recipe that override the preset.
        mode: The mode of the loop.
        once: Whether all seeds share the model.
    """

    method: str = ""
    after: str = ""
    changes: Mapping[str, Any] = MappingProxyType({})
    mode: str = SINGLE
    once: bool = False


BASE = "base"
ARMS: Mapping[str, Arm] = {
    BASE: Arm(once=True),
    "best-of-k": Arm(mode=INDEPENDENT, once=True),
    COLD_START: Arm(COLD_START, BASE, once=True),
    "direct-sft": Arm(SFT, BASE),
    SFT: Arm(SFT, COLD_START),
    DPO: Arm(DPO, SFT),
    GRPO: Arm(GRPO, COLD_START),
    "grpo-turns": Arm(GRPO, COLD_START, {"turns": 2}),
}


@dataclass(frozen=True)
class Reproduction:
    """A reproduction in a folder."""

    preset: Preset
    out: Path
    sandbox: str = "auto"  # a name that `open_sandbox` accepts
    command: str = ""  # the command line, for the cards
    # called with the stage, the amount done, and the total
    progress: Progress = field(default=lambda *_: None)
    # ordered: an arm follows the one that it starts from
    arms: Mapping[str, Arm] = field(default_factory=lambda: ARMS)

    @cached_property
    def tasks(self) -> list[SmallProblem]:
        """All problems in random order: those of the release come first."""
        problems = all_tasks()
        random.Random(self.preset.seed).shuffle(problems)
        return problems

    @cached_property
    def languages(self) -> Mapping[str, Language]:
        """All languages by their id."""
        return load_languages()

    @property
    def release(self) -> Path:
        """The folder of the release."""
        return self.out / "release"

    def model(self, arm: str, seed: int) -> Path:
        """Return the folder of an arm's model; some are the same for all seeds."""
        known = {**ARMS, **self.arms}[arm]  # the base model is needed for every comparison
        name = arm if known.method else BASE
        return self.out / "models" / (name if known.once else f"{name}-{seed}")

    def evaluation(self, arm: str, seed: int) -> Path:
        """Return the folder of an evaluation."""
        return self.out / "eval" / f"{arm}-{seed}"

    def weights(self, arm: str, seed: int) -> str:
        """Return the folder of an arm's model, or the name of a pretrained one."""
        folder = self.model(arm, seed)
        return self.preset.model if self.preset.model and folder.name == BASE else str(folder)

    def run(self) -> dict[str, list[TrainedModel]]:
        """Run or resume all stages; returns the models of each arm, by seed.

        Raises:
            UsageError: The folder holds another reproduction.
            MachineError: This environment cannot train.
            VenusError: An error of a stage.
        """
        check_machine()
        self._claim()
        base = self.model(BASE, 0)
        if self.preset.model:
            note_pretrained(self.preset.model, base, self.progress)
        self._build()
        self._derive()
        if not self.preset.model:
            make_base(self._lessons(), base, self.preset.base, self.progress)
        trained: dict[str, list[TrainedModel]] = {
            arm: [] for arm, known in self.arms.items() if known.method
        }
        for seed in range(self.preset.seeds):
            for arm in self.arms:
                if arm in trained:
                    trained[arm].append(self._train(arm, seed))
                self._evaluate(arm, seed)
        return trained

    def _lessons(self) -> list[Lesson]:
        return base_lessons(
            # the base model never sees a problem of the release
            self.tasks[self.preset.problems :],
            self.preset.lessons,
            self.preset.slips,
            self.preset.confused,
            self.preset.tagged,
            self.languages[LANGUAGE],
            self.preset.seed,
        )

    def _claim(self) -> None:
        """Record the preset in the folder; the number of seeds may change later.

        Raises:
            UsageError: The folder holds another reproduction.
            StoreError: The folder cannot be written.
        """
        settings = {
            name: value for name, value in to_plain(self.preset.plain()).items() if name != "seeds"
        }
        identity = "preset.json"
        with Store(self.out) as store:
            try:
                before = json.loads((self.out / identity).read_text(encoding="utf-8"))
            except (OSError, ValueError):  # missing, or incomplete
                before = settings
            if before != settings:
                names = ", ".join(
                    name
                    for name in {**settings, **before}
                    if settings.get(name) != before.get(name)
                )
                raise UsageError(
                    f"{self.out} holds another reproduction",
                    f"different: {names}",
                    "choose another --out",
                )
            store.write_json(identity, settings)

    def _build(self) -> None:
        source, draft = self.out / "source", self.out / ".source"
        # written elsewhere and renamed, so an existing folder is complete
        if not source.is_dir():
            with explained(f"cannot write {source}"):
                chosen = self.tasks[: self.preset.problems]
                write_source(chosen, draft, self.preset.largest, self.preset.corpus)
                draft.rename(source)
        plan = self.preset.plan(source=str(source), lang=(LANGUAGE,), sandbox=self.sandbox)
        Build(plan, self.release, self.languages, self.progress).run()

    def _derive(self) -> None:
        python, seed = self.languages[LANGUAGE], self.preset.seed
        options = DeriveOptions(
            objectives=(OBJECTIVE,),
            per_problem=self.preset.per_problem,
            seed=seed,
            prompts=self.preset.prompts,
        )

        def is_derived(kind: str) -> bool:
            known = (
                open_release(self.release).manifest.get("derived", {}).get(f"{LANGUAGE}-{kind}", {})
            )
            return bool(known) and known["options"] == to_plain(options)

        for kind in (SFT, DPO, GRPO):
            if not is_derived(kind):
                derive(KINDS[kind], self.release, [python], options, self.progress)
        if not is_derived(COLD_START):
            with (
                open_sandbox(self.sandbox, [python]) as sandbox,
                closing(Executor(sandbox, [python])) as executor,
            ):
                trial = partial(
                    cold_start.try_answer, executor, MeasureOptions(self.preset.repeats)
                )
                teacher = cold_start.TeacherModel(
                    f"teacher-{seed}",
                    OracleGenerator(self.tasks, python, seed, self.preset.corpus),
                    trial,
                )
                derived = cold_start.derive_cold_start(
                    self.release, [python], options, teacher, self.progress
                )
            finish(self.release, derived)

    def _train(self, arm: str, seed: int) -> TrainedModel:
        known, folder = self.arms[arm], self.model(arm, seed)
        # An arm that is trained once uses the seed of the preset.
        recipe = self.preset.recipes(self.preset.seed + (0 if known.once else seed))[known.method]
        changes = {
            "model": self.weights(known.after, seed),
            "chat_template": "",
            **known.changes,
        }
        recipe = make_recipe(**{**recipe.plain(), **changes})
        data = open_set(self.release, recipe.method, (LANGUAGE,), (OBJECTIVE,))
        progress = self._progress_of(folder.name)
        if recipe.method != GRPO:
            return train(recipe, data, folder, command=self.command, progress=progress)
        # Small models repeat the same programs, so their rewards are cached.
        journal = str(self.out / "rewards")
        with closing(
            open_reward(recipe, data, self.sandbox, self.languages, journal=journal)
        ) as reward:
            return train(
                recipe, data, folder, reward=reward, command=self.command, progress=progress
            )

    def _progress_of(self, name: str) -> Progress:
        return lambda stage, done, total: self.progress(f"{name}: {stage}", done, total)

    def _evaluate(self, arm: str, seed: int) -> None:
        folder = self.evaluation(arm, seed)
        known = read_manifest(folder)
        if known and not known["partial"]:
            return
        preset, name = self.preset, f"transformers:{self.weights(arm, seed)}"
        model_options = ModelOptions(
            base_url="",
            model=name,
            temperature=preset.temperature,
            answer_tokens=preset.answer_tokens,
            seed=preset.seed + seed,
            concurrency=16,
        )
        options = make_eval_options(
            [self.languages[LANGUAGE]],
            # the base model has learnt both forms
            default_form=FORMS[self.arms[arm].method or SFT],
            model=name,
            data=str(self.release),
            objective=OBJECTIVE,
            seed=preset.seed + seed,
            prompts=self.preset.prompts,
            # Reference solutions are the same for every arm and seed, so they are measured once.
            references=CACHED,
            repeats=preset.repeats,
            rank=INSTRUCTIONS,
            sandbox=self.sandbox,
            # share cores to run hundreds of small programs on a small machine
            share_cores=True,
        )
        IterativeEvaluation(
            options,
            open_release(self.release),
            folder,
            self.languages,
            model_options,
            self.out / "references",
            self._progress_of(folder.name),
            loop=LoopOptions(preset.iterations, mode=self.arms[arm].mode),
        ).run()
