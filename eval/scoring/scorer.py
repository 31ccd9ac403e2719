"""One answer scored at a time, for harnesses that ask models themselves.

Inspect_ai, lighteval, a notebook.

    with Scorer(options, release, Path("build/scored"), load_languages()) as scorer:
        for key in scorer.keys:
            prompt = scorer.prompt(key.name)
            row = scorer.score(key.name, answer)     # a row of results.parquet, see docs/eval.md

The program is judged and, if it passes, measured together with the human solutions of its task, as
in `venus eval`. Calls may come from several threads; programs run one at a time, for they are
measured. What was scored once is found again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.tasks import (
    FEWEST_REFERENCES,
    EvaluationTask,
    TaskKey,
    choose,
    list_tasks,
    load,
)
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.references import Cache
from venus_toolkit.eval.scoring.results import result_rows
from venus_toolkit.eval.scoring.score import TaskScorer, read_samples
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import Completion, Prompt


class Scorer:
    """Scores answers to the tasks of a release, in a context.

    `options` are those of an evaluation; the model's name goes into the rows. `out` keeps what was
    judged and measured.

    Raises:
        UsageError: The options make no sense.
        ReleaseError: The release cannot be read, or lacks a language or the split.
        ToolchainError: A language is not installed.
        SandboxError: This machine cannot isolate programs.
    """

    def __init__(
        self, options: EvalOptions, release: Release, out: Path, languages: Mapping[str, Language]
    ) -> None:
        chosen = [languages[name] for name in options.lang]
        self.options = options
        keys = list_tasks(release, chosen, options.split)
        self.keys: tuple[TaskKey, ...] = tuple(choose(keys, options.tasks, options.seed))
        self._by_name = {key.name: key for key in self.keys}
        self._mutex = threading.Lock()
        # where something cannot be opened, what was opened before it is closed
        with ExitStack() as opened:
            store = opened.enter_context(Store(out))
            # Python makes the inputs again that a release leaves out, in whatever language
            # solutions are.
            sandbox = opened.enter_context(
                open_sandbox(options.sandbox, [*chosen, languages["python"]])
            )
            self._executor = options.open_executor(sandbox, chosen, store)
            opened.callback(self._executor.close)
            self._stack = opened.pop_all()
        self._scorer = TaskScorer(
            self._executor, options, Cache(None, self._executor), controlled=False
        )

    def __enter__(self) -> Scorer:
        return self

    def __exit__(self, *_: object) -> None:
        """End the sandbox, and let others into the folder."""
        self._stack.close()

    def prompt(self, name: str) -> Prompt:
        """Return what a model is asked about a task.

        Raises:
            UsageError: There is no such task.
        """
        return self._task(name).prompt(
            self.options.objective, self.options.form, self.options.prompts
        )

    def has_rank(self, name: str) -> bool:
        """Return whether a task has enough human solutions to rank an answer among.

        Raises:
            UsageError: There is no such task.
        """
        return len(self._task(name).references) >= FEWEST_REFERENCES

    def score(self, name: str, answer: str) -> dict[str, Any]:
        """Return the row of an answer; its `passed` is None where the sandbox failed.

        Raises:
            UsageError: There is no such task.
        """
        task, worker = self._task(name), self._executor.engine.worker()
        (sample,) = read_samples(task, [Completion(answer).storable()])
        with self._mutex:
            scored = self._scorer.score(task, [self._scorer.judge(task, sample, worker)], worker)
        (row,) = result_rows(scored, self.options)
        return row

    def _task(self, name: str) -> EvaluationTask:
        if name not in self._by_name:
            fix = nearest(name, self._by_name) + "see Scorer.keys"
            raise UsageError(f"there is no task {name}", f"there are {len(self.keys)}", fix)
        return load(self._by_name[name], self._executor.sandbox)
