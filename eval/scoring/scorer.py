"""Scores one answer at a time, for harnesses that ask models themselves, such as inspect_ai.

    with Scorer(options, release, Path("build/scored"), load_languages()) as scorer:
        for key in scorer.keys:
            prompt = scorer.prompt(key.name)
            row = scorer.score(key.name, answer)     # a row of results.parquet, see docs/eval.md

The program is judged and, if it passes, measured interleaved with the human solutions of its task,
as in `venus eval`. Calls may come from several threads; programs run one at a time, because they
are measured. Scoring the same answer again returns the stored result.
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
    """A context manager that scores answers to the tasks of a release.

    `options` are those of an evaluation; the model's name goes into the rows. `out` is a folder
    that keeps verdicts and figures.

    Raises:
        UsageError: The options are invalid.
        ReleaseError: The release cannot be read, or lacks a language or the split.
        ToolchainError: A language is not installed.
        SandboxError: This machine cannot isolate programs.
    """

    def __init__(
        self, options: EvalOptions, release: Release, out: Path, languages: Mapping[str, Language]
    ) -> None:
        task_languages = [languages[name] for name in options.lang]
        self.options = options
        keys = list_tasks(release, task_languages, options.split)
        self.keys: tuple[TaskKey, ...] = tuple(choose(keys, options.tasks, options.seed))
        self._by_name = {key.name: key for key in self.keys}
        self._mutex = threading.Lock()
        # If one resource cannot be opened, the stack closes those opened before it.
        with ExitStack() as stack:
            store = stack.enter_context(Store(out))
            # Python regenerates the inputs that a release leaves out, for every language.
            sandbox = stack.enter_context(
                open_sandbox(options.sandbox, [*task_languages, languages["python"]])
            )
            self._executor = options.open_executor(sandbox, task_languages, store)
            stack.callback(self._executor.close)
            self._stack = stack.pop_all()
        self._scorer = TaskScorer(
            self._executor, options, Cache(None, self._executor), controlled=False
        )

    def __enter__(self) -> Scorer:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox and release the folder."""
        self._stack.close()

    def prompt(self, name: str) -> Prompt:
        """Return the prompt of a task.

        Raises:
            UsageError: The task does not exist.
        """
        return self._task(name).prompt(
            self.options.objective, self.options.form, self.options.prompts
        )

    def has_rank(self, name: str) -> bool:
        """Return whether a task has enough human solutions to rank an answer.

        Raises:
            UsageError: The task does not exist.
        """
        return len(self._task(name).references) >= FEWEST_REFERENCES

    def score(self, name: str, answer: str) -> dict[str, Any]:
        """Return the row of an answer; `passed` is None if the sandbox failed.

        Raises:
            UsageError: The task does not exist.
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
