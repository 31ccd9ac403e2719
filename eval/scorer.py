"""One answer scored at a time, for harnesses that ask models themselves: inspect_ai, lighteval, a notebook.

    with Scorer(options, release, Path("build/scored"), load_languages()) as scorer:
        for head in scorer.heads:
            prompt = scorer.prompt(head.name)
            row = scorer.score(head.name, answer)     # a row of results.parquet, see docs/eval.md

The program is judged and, if it passes, measured beside the human solutions of its task, as in `venus eval`. Calls may
come from several threads; programs run one at a time, for they are measured. What was scored once is found again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from venus_toolkit.errors import UsageError
from venus_toolkit.eval.generate import Answered
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.references import Cache, default_cache
from venus_toolkit.eval.results import result_rows
from venus_toolkit.eval.score import decided, read_samples, score_task
from venus_toolkit.eval.tasks import FEWEST_REFERENCES, Head, Task, choose, list_tasks, load
from venus_toolkit.eval.workplace import Workplace
from venus_toolkit.language import Language
from venus_toolkit.llm import Completion, Prompt
from venus_toolkit.release import Release
from venus_toolkit.sandbox import open_sandbox
from venus_toolkit.store import Store


class Scorer:
    """Scores answers to the tasks of a release; a context manager.

    Args:
        options: What an evaluation would take; the model's name goes into the rows.
        release: The data.
        out: A folder for what was judged and measured.
        languages: All languages by id.

    Raises:
        UsageError: The options make no sense.
        ReleaseError: The release cannot be read, or lacks a language or the split.
        ToolchainError: A language is not installed.
        SandboxError: This machine cannot isolate programs.
    """

    def __init__(self, options: EvalOptions, release: Release, out: Path, languages: Mapping[str, Language]) -> None:
        chosen = [languages[name] for name in options.lang]
        self.options = options
        self.heads: tuple[Head, ...] = tuple(
            choose(list_tasks(release, chosen, options.split), options.tasks, options.seed)
        )
        self._by_name = {head.name: head for head in self.heads}
        self._mutex = threading.Lock()
        self._stack = ExitStack()
        with ExitStack() as opened:
            store = opened.enter_context(Store(out))
            sandbox = opened.enter_context(open_sandbox(options.sandbox, [*chosen, languages["python"]]))
            self._place = Workplace(options, sandbox, store, chosen)
            opened.callback(self._place.close)
            self._stack = opened.pop_all()
        self._cache = Cache(default_cache(), self._place)

    def __enter__(self) -> Scorer:
        """Return the scorer itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the sandbox, and let others into the folder."""
        self._stack.close()

    def prompt(self, name: str) -> Prompt:
        """Return what a model is asked about a task.

        Raises:
            UsageError: There is no such task.
        """
        return self._task(name).prompt(self.options.objective, self.options.form, self.options.prompts)

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
        task, seat = self._task(name), self._place.engine.seat()
        (sample,) = read_samples(Answered(task, (Completion(answer),)))
        with self._mutex:
            if sample.program:
                sample = decided(sample, self._place.judge(task, sample.program, seat))
            scored = score_task(self._place, self._cache, task, [sample], seat)
        (row,) = result_rows(scored, self.options)
        return row

    def _task(self, name: str) -> Task:
        if name not in self._by_name:
            raise UsageError(f"there is no task {name}", f"there are {len(self.heads)}", "see Scorer.heads")
        return load(self._by_name[name], self._place.sandbox)
