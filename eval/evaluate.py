"""One evaluation: ask, judge, measure, rank and write, into a folder from which it can be resumed.

    keys ── Answers (threads: prompts out, answers in, a bounded number of tasks) ──┐
                                                                                     v
    part of the tasks whose answers are complete ── judge (every core) ── measure (pairs of cores)
    ── rank ── Parquet

While a part is judged and measured, the next answers come in. A part takes all complete tasks, so
no core idles while there are answers. The manifest is written last and lists what is missing.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from venus_toolkit.core import __version__
from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import digest, to_plain
from venus_toolkit.core.store import MANIFEST, Store, checksum
from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.contamination import examine
from venus_toolkit.eval.asking.generate import (
    Answers,
    Model,
    ModelCaller,
    ReplayedModel,
    ServedModel,
    open_model,
)
from venus_toolkit.eval.asking.tasks import EvaluationTask, TaskKey, choose, list_tasks, load
from venus_toolkit.eval.eval_options import CACHED, EvalOptions
from venus_toolkit.eval.scoring.controls import (
    count_pairs,
    reasons_for_distrust,
    summarise_controls,
)
from venus_toolkit.eval.scoring.hacks import find_hacks
from venus_toolkit.eval.scoring.references import Cache
from venus_toolkit.eval.scoring.results import (
    CONTROL_SCHEMA,
    CONTROLS,
    REFERENCE_SCHEMA,
    REFERENCES,
    RESULTS,
    SCHEMA,
    Writer,
    control_rows,
    read_results,
    reference_rows,
    result_rows,
)
from venus_toolkit.eval.scoring.score import EvalSample, TaskScorer, TaskScores, read_samples
from venus_toolkit.eval.scoring.summary import summarise_results
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.counting import counter_facts
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import ModelOptions, Prompt

# A scored task, and its rows of results.parquet.
ScoredRows = tuple[TaskScores, list[dict[str, Any]]]


@dataclass(frozen=True)
class Evaluation:
    """One evaluation into one folder.

    Args:
        options: The model, the tasks, and how to judge and measure.
        release: The data.
        out: The run folder.
        languages: All languages by id.
        server: The endpoint of the model; None for a replay.
        cache: The folder for figures of reference solutions; None: in the user's cache.
        progress: Receives the stage, the number of items done, and their total.
    """

    schema: ClassVar[pa.Schema] = SCHEMA
    options: EvalOptions
    release: Release
    out: Path
    languages: Mapping[str, Language]
    server: ModelOptions | None = None
    cache: Path | None = None
    progress: Callable[[str, int, int], None] = field(default=lambda *_: None)

    def run(self) -> dict[str, Any]:
        """Start or resume the evaluation; return the manifest.

        Raises:
            UsageError: The options are invalid, the folder holds another evaluation, or the model
                was trained on this split.
            ReleaseError: The release cannot be read, or lacks a language or the split.
            ToolchainError: A language is not installed.
            StoreError: The folder cannot be written.
        """
        options = self.options
        # First, so that a contaminated model is refused before its weights are loaded.
        contamination = examine(options)
        languages = [self.languages[name] for name in options.lang]
        every_key = list_tasks(self.release, languages, options.split)
        keys = choose(every_key, options.tasks, options.seed)
        answers = len(keys) * options.samples * self.answers_of_sample
        cache = self.cache or cache_folder("references")
        counts = cache if options.counted and options.references == CACHED else None
        with (
            Store(self.out) as store,
            open_model(
                options.model, self.server, store, options.baseline_figure, self.progress
            ) as model,
        ):
            if isinstance(model, ReplayedModel):
                model.match(every_key)
            claim_folder(store, self.identity(), "evaluation")
            # Keep the day of the first start: resuming measures nothing again.
            date = store.get("run", "start_date") or f"{datetime.now(UTC):%Y-%m-%d}"
            store.put("run", "start_date", date)
            with (
                # Python regenerates the inputs that a release leaves out, for every language.
                open_sandbox(options.sandbox, [*languages, self.languages["python"]]) as sandbox,
                closing(options.open_executor(sandbox, languages, store, counts)) as executor,
            ):
                if options.batch:
                    self.ask_in_batches(model, keys, executor)
                caller = ModelCaller(model, lambda count: self.progress("answers", count, answers))
                scorer = TaskScorer(executor, options, Cache(cache, executor))
                with (
                    store.writing(RESULTS) as results,
                    store.writing(REFERENCES) as references,
                    store.writing(CONTROLS) as copies,
                    closing(Writer(results, self.schema)) as samples,
                    closing(Writer(references, REFERENCE_SCHEMA)) as humans,
                    closing(Writer(copies, CONTROL_SCHEMA)) as controls,
                    # Innermost, so closed first: its threads use the model and the executor.
                    closing(self.scored_tasks(scorer, caller, keys)) as evaluated,
                ):
                    for scored, rows in in_order(keys, evaluated):
                        samples.write(rows)
                        humans.write(reference_rows(scored))
                        controls.write(control_rows(scored))
                # A resumed run may find every answer on disk and so get no notice from the server.
                notices = list(
                    dict.fromkeys([*(store.get("run", "notices") or ()), *model.costs.notices])
                )
                store.put("run", "notices", notices)
                manifest = self._manifest(
                    executor, len(keys), date, contamination, caller.given_up, notices
                )
            # The manifest is written last: a folder with one is finished.
            store.write_json(MANIFEST, manifest)
            return {**manifest, "model_costs": to_plain(model.costs)}

    def ask_in_batches(self, model: Model, keys: Sequence[TaskKey], executor: Executor) -> None:
        """Ask all questions at once, before anything is judged.

        Raises:
            UsageError: The model has no batch endpoint.
            MachineError: Its server refuses or fails.
        """
        if not isinstance(model, ServedModel):
            raise UsageError(
                "--batch needs a server",
                f"{self.options.model} is not a server",
                "leave out --batch",
            )
        tasks = (load(key, sandbox=executor.sandbox) for key in keys)
        prompts = (self._prompt(task) for task in tasks)
        questions = [(prompt, index) for prompt in prompts for index in range(self.options.samples)]
        model.ask_in_batches(questions, lambda count, total: self.progress("batch", count, total))

    def _prompt(self, task: EvaluationTask) -> Prompt:
        return task.prompt(self.options.objective, self.options.form, self.options.prompts)

    def identity(self) -> dict[str, Any]:
        """Return the options that identify an evaluation; a folder holds only one."""
        options = self.options
        return {
            "model": options.model,
            "data": options.data,
            "objective": options.objective,
            "split": options.split,
        }

    @property
    def answers_of_sample(self) -> int:
        """The number of answers that one sample needs."""
        return 1

    def scores(self, table: pa.Table) -> dict[str, Any]:
        """Return the scores of all rows for the manifest."""
        return {"scores": summarise_results(table, self.options.seed, self.options.intervals)}

    def scored_tasks(
        self, scorer: TaskScorer, caller: ModelCaller, keys: Sequence[TaskKey]
    ) -> Generator[ScoredRows, None, None]:
        """Yield each scored task with its rows, in any order."""
        executor, options = scorer.executor, self.options
        size = max(32, 4 * executor.engine.jobs)  # tasks at a time
        programs, tasks = count(1), count(1)
        asking = Answers(
            caller,
            keys,
            options.samples,
            partial(load, sandbox=executor.sandbox),
            self._prompt,
            2 * size,  # the answers to the next part come in while one is judged and measured
            executor.engine.unmeasured_cores(),
        )
        with asking as answers:
            for part in answers.parts(size):
                judged = scorer.judge_all(
                    [(task, read_samples(task, completions)) for task, completions in part],
                    lambda: self.progress("judged", next(programs), len(keys) * options.samples),
                )
                if options.counted:
                    scorer.count_all(judged)
                if options.complexity:
                    scorer.grow_all(judged)
                for _, scored in executor.measuring(partial(_score, scorer), judged):
                    self.progress("scored", next(tasks), len(keys))
                    messages = [message._asdict() for message in self._prompt(scored.task)]
                    prompt = json.dumps(messages)
                    rows = [{**row, "prompt": prompt} for row in result_rows(scored, options)]
                    yield scored, rows

    def _manifest(
        self,
        executor: Executor,
        tasks: int,
        date: str,
        contamination: str,
        given_up: str,
        notices: list[str],
    ) -> dict[str, Any]:
        table = read_results(self.out)
        missing = _missing(table, tasks)
        controls = summarise_controls(pq.read_table(self.out / CONTROLS).to_pylist())
        measured = [name for name in REFERENCE_SCHEMA.names if name != "code"]
        references = pq.read_table(self.out / REFERENCES, columns=measured).to_pylist()
        objections = Counter(filter(None, table["time_objection"].to_pylist()))
        unranked = zip(table["task"].to_pylist(), table["unranked"].to_pylist(), strict=True)
        return {
            "kind": "evaluation",
            "toolkit": __version__,
            "start_date": date,
            "partial": bool(missing),
            "contamination": contamination,
            "missing": missing,
            "unranked": {task: reason for task, reason in unranked if reason},
            "given_up": given_up,
            "notices": notices,
            "options": to_plain(self.options),
            "server": to_plain(self.server) if self.server else None,
            "release": {
                "folder": str(self.release.folder),
                "files": self.release.manifest.get("files", {}),
            },
            "controls": controls,
            "distrust": reasons_for_distrust(controls, self.options.rule),
            "pairs": count_pairs(references, self.options.figures, self.options.rule),
            "reseeded": _reseeded(table),
            "hacks": find_hacks(table.to_pylist())._asdict(),
            "counted": {
                **counter_facts(self.options.counter),
                # numbers of samples ranked by instructions and by time, and the reasons for time
                "ranked_by": dict(Counter(filter(None, table["time_figure"].to_pylist()))),
                "objections": dict(objections.most_common(100)),
            }
            if self.options.counted
            else {},
            "answers": {
                name: pc.sum(table[name]).as_py()
                for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost")
            },
            "answered_by": dict(Counter(name for name in table["answered_by"].to_pylist() if name)),
            **to_plain(self.scores(table)),
            "environment": executor.environment(),
            "machines": executor.measured_on,
            "fingerprint": digest(executor.environment()),
            "files": {name: checksum(self.out / name) for name in (RESULTS, REFERENCES, CONTROLS)},
        }


def _score(
    scorer: TaskScorer, item: tuple[EvaluationTask, list[EvalSample]], worker: Worker
) -> TaskScores:
    with doing(f"measuring {item[0].name}"):
        return scorer.score(*item, worker)


def _missing(table: pa.Table, tasks: int) -> dict[str, int]:
    """Return the number of missing samples and tasks by reason."""
    lost = table.filter(pc.is_null(table["passed"])).select(["outcome", "reason"]).to_pylist()
    reasons = Counter(f"{row['outcome']}: {row['reason'] or ''}" for row in lost)
    begun = len(pc.unique(table["task"]))
    # At most 100 reasons: one that quotes a server may differ in every row.
    missing = {"tasks that were not started": tasks - begun, **dict(reasons.most_common(100))}
    missing["for other reasons, see the column reason"] = (
        len(lost) + tasks - begun - sum(missing.values())
    )
    return {reason: times for reason, times in missing.items() if times}


def _reseeded(table: pa.Table) -> dict[str, int]:
    """Return how many of the measured tasks and tests had new inputs in each repeat."""
    rows = table.select(["task", "tests", "repeats", "reseeded"]).to_pylist()
    of_task = {row["task"]: (row["reseeded"], row["tests"]) for row in rows if row["repeats"]}
    return {
        "tasks": sum(reseeded > 0 for reseeded, _ in of_task.values()),
        "of_tasks": len(of_task),
        "tests": sum(reseeded for reseeded, _ in of_task.values()),
        "of_tests": sum(tests for _, tests in of_task.values()),
    }


def in_order(keys: Sequence[TaskKey], evaluated: Iterable[ScoredRows]) -> Iterator[ScoredRows]:
    """Yield tasks in the order of their keys, so that files do not depend on timing."""
    # Tasks start in the order of the keys, so only the last ones can be missing, and no other task
    # waits for them.
    remaining, waiting = deque(key.name for key in keys), dict[str, ScoredRows]()
    for scored, rows in evaluated:
        waiting[scored.task.name] = (scored, rows)
        while remaining and remaining[0] in waiting:
            yield waiting.pop(remaining.popleft())


def claim_folder(store: Store, identity: Mapping[str, Any], noun: str) -> None:
    """Record the identity of a folder's run; `noun` names its kind in the message.

    Raises:
        UsageError: The folder holds another run.
    """
    before = store.get("run", "identity")
    if before is not None and before != identity:
        names = [name for name in {**identity, **before} if before.get(name) != identity.get(name)]
        changed = [f"{name} {before.get(name)}, now {identity.get(name)}" for name in names]
        raise UsageError(
            f"{store.folder} holds another {noun}", ", ".join(changed), "choose another --out"
        )
    store.put("run", "identity", identity)
