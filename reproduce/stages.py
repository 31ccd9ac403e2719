"""From nothing to evaluations, stage by stage, each by the function that its own command calls.

    problems ─▶ release ─▶ derived sets
    base model ─▶ cold start ─┬─▶ SFT ─▶ DPO      once for each seed, but for base and cold start
                              └─▶ GRPO
    each model ─▶ an evaluation with iterations

Typed again, a reproduction goes on in the stage in which it was stopped: each stage knows what it has done.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

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
from venus_toolkit.eval.eval_options import CACHED
from venus_toolkit.eval.iterations import Iterated
from venus_toolkit.eval.iterative_loop import LoopOptions
from venus_toolkit.eval.prompting import make_eval_options
from venus_toolkit.execution.executor import Executor
from venus_toolkit.execution.measure import MeasureOptions
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import ModelOptions
from venus_toolkit.reproduce.preset import Preset
from venus_toolkit.reproduce.small_problems import (
    OBJECTIVE,
    PROMPTS,
    Task,
    Teacher,
    all_tasks,
    base_lessons,
    write_source,
)
from venus_toolkit.training.data import open_set
from venus_toolkit.training.grpo_reward import open_reward
from venus_toolkit.training.recipe import COLD_START, DPO, FORMS, GRPO, SFT, Recipe
from venus_toolkit.training.run_directory import Trained
from venus_toolkit.training.scratch import make_base
from venus_toolkit.training.train import after, check_machine, train

LANGUAGE = "python"
IDENTITY = "preset.json"
BASE = "base"
ARMS = (COLD_START, SFT, DPO, GRPO)
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Reproduction:
    """A reproduction in a folder."""

    preset: Preset
    out: Path
    sandbox: str = "auto"  # where programs run: a name that `open_sandbox` knows
    command: str = ""  # what was typed, for the cards
    progress: Progress = field(default=lambda *_: None)  # told a stage, how much of it is done, how much there is

    @cached_property
    def tasks(self) -> list[Task]:
        """All problems, in a drawn order: those of the release first."""
        found = all_tasks()
        random.Random(self.preset.seed).shuffle(found)
        return found

    @cached_property
    def languages(self) -> Mapping[str, Language]:
        """All languages by their id."""
        return load_languages()

    @property
    def release(self) -> Path:
        """The folder of the release."""
        return self.out / "release"

    def model(self, arm: str, seed: int) -> Path:
        """Return the folder of a model; base and cold start are the same for all seeds."""
        return self.out / "models" / (arm if arm in (BASE, COLD_START) else f"{arm}-{seed}")

    def evaluation(self, arm: str, seed: int) -> Path:
        """Return the folder of an evaluation."""
        return self.out / "eval" / f"{arm}-{seed}"

    def run(self) -> dict[str, list[Trained]]:
        """Do all that is not done yet; returns the models of each arm, by seed.

        Raises:
            UsageError: Another reproduction lies in the folder.
            MachineError: This environment cannot train.
            VenusError: As the functions of each stage do.
        """
        check_machine()
        self._claim()
        self._build()
        self._derive()
        base = self.model(BASE, 0)
        lessons = base_lessons(
            self.tasks[self.preset.problems :],  # the base model never sees a problem of the release
            self.preset.lessons,
            self.preset.slips,
            self.preset.tagged,
            self.languages[LANGUAGE],
            self.preset.seed,
        )
        make_base(lessons, base, self.preset.base, self.progress)
        made: dict[str, list[Trained]] = {arm: [] for arm in ARMS}
        for seed in range(self.preset.seeds):
            for arm, trained in self._train(base, seed).items():
                made[arm].append(trained)
                self._evaluate(arm, seed)
        return made

    def _claim(self) -> None:
        """Say whose folder this is; more seeds may be asked for later.

        Raises:
            UsageError: It is another's.
            StoreError: It cannot be written.
        """
        told = {name: value for name, value in to_plain(self.preset.plain()).items() if name != "seeds"}
        with Store(self.out) as store:
            try:
                before = json.loads((self.out / IDENTITY).read_text(encoding="utf-8"))
            except (OSError, ValueError):  # there is none, or it was torn while it was written
                before = told
            if before != told:
                names = ", ".join(name for name in {**told, **before} if told.get(name) != before.get(name))
                raise UsageError(f"{self.out} holds another reproduction", f"other: {names}", "choose another --out")
            store.write_json(IDENTITY, told)

    def _build(self) -> None:
        source, draft = self.out / "source", self.out / ".source"
        if not source.is_dir():  # it is written elsewhere and renamed: a folder that is there is whole
            with explained(f"cannot write {source}"):
                write_source(self.tasks[: self.preset.problems], draft, self.preset.largest)
                draft.rename(source)
        plan = self.preset.plan(source=str(source), lang=(LANGUAGE,), sandbox=self.sandbox)
        Build(plan, self.release, self.languages, self.progress).run()

    def _derive(self) -> None:
        python, seed = self.languages[LANGUAGE], self.preset.seed
        options = DeriveOptions(
            objectives=(OBJECTIVE,), per_problem=self.preset.per_problem, seed=seed, prompts=str(PROMPTS)
        )

        def is_derived(kind: str) -> bool:
            known = open_release(self.release).manifest.get("derived", {}).get(f"{LANGUAGE}-{kind}", {})
            return bool(known) and known["options"] == to_plain(options)

        for kind in (SFT, DPO, GRPO):
            if not is_derived(kind):
                derive(KINDS[kind], self.release, [python], options, self.progress)
        if not is_derived(COLD_START):
            with open_sandbox(self.sandbox, [python]) as sandbox, closing(Executor(sandbox, [python])) as executor:
                trial = partial(cold_start.try_answer, executor, MeasureOptions(self.preset.repeats))
                teacher = cold_start.Teacher(f"teacher-{seed}", Teacher(self.tasks, python, seed), trial)
                made = cold_start.derive_cold_start(self.release, [python], options, teacher, self.progress)
            finish(self.release, made)

    def _train(self, base: Path, seed: int) -> dict[str, Trained]:
        """Return the models of a seed; the cold start is that of the first one."""
        # The cold start is trained once, so its recipe has the seed of the preset whatever seed the others have.
        first, own = self.preset.recipes(self.preset.seed), self.preset.recipes(self.preset.seed + seed)
        cold = self._trained(replace(first[COLD_START], model=str(base)), self.model(COLD_START, seed))
        sft = self._trained(after(own[SFT], cold), self.model(SFT, seed))
        dpo = self._trained(after(own[DPO], sft), self.model(DPO, seed))
        grpo = self._trained(after(own[GRPO], cold), self.model(GRPO, seed))
        return {COLD_START: cold, SFT: sft, DPO: dpo, GRPO: grpo}

    def _trained(self, recipe: Recipe, folder: Path) -> Trained:
        data = open_set(self.release, recipe.method, (LANGUAGE,), (OBJECTIVE,))
        told = self._progress_of(folder.name)
        if recipe.method != GRPO:
            return train(recipe, data, folder, command=self.command, progress=told)
        with closing(open_reward(recipe, data, self.sandbox, self.languages)) as reward:
            return train(recipe, data, folder, reward=reward, command=self.command, progress=told)

    def _progress_of(self, name: str) -> Progress:
        return lambda stage, done, total: self.progress(f"{name}: {stage}", done, total)

    def _evaluate(self, arm: str, seed: int) -> None:
        folder = self.evaluation(arm, seed)
        known = read_manifest(folder)
        if known and not known["partial"]:
            return
        preset, name = self.preset, f"transformers:{self.model(arm, seed)}"
        asked = ModelOptions(
            base_url="",
            model=name,
            temperature=preset.temperature,
            answer_tokens=preset.answer_tokens,
            seed=preset.seed + seed,
        )
        options = make_eval_options(
            [self.languages[LANGUAGE]],
            default_form=FORMS[arm],
            model=name,
            data=str(self.release),
            objective=OBJECTIVE,
            seed=preset.seed + seed,
            prompts=PROMPTS,
            # The human solutions are the same for every arm and seed: what the first evaluation measured serves all.
            references=CACHED,
            repeats=preset.repeats,
            sandbox=self.sandbox,
            share_cores=True,  # a small machine has few pairs of cores, and there are hundreds of small programs
        )
        Iterated(
            options,
            open_release(self.release),
            folder,
            self.languages,
            asked,
            self.out / "references",
            self._progress_of(folder.name),
            loop=LoopOptions(preset.iterations),
        ).run()
