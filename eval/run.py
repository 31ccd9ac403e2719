"""One evaluation: ask, judge, measure, rank, write; in a folder that goes on where it was stopped.

    heads ── Answers (threads: prompts out, answers in, a bounded number of tasks) ──┐
                                                                                     v
    part of the tasks whose answers are complete ── judge (every core) ── measure (pairs of cores) ── rank ── Parquet

While a part is judged and measured the next answers come in. A part takes whatever is complete, so no core waits while
there are answers. The manifest is written last and says what is missing.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from venus_toolkit import __version__
from venus_toolkit.engine import Seat
from venus_toolkit.errors import UsageError
from venus_toolkit.eval.contamination import examine
from venus_toolkit.eval.generate import Answered, Answers, Model, open_model
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.references import Cache, default_cache
from venus_toolkit.eval.results import (
    REFERENCE_SCHEMA,
    REFERENCES,
    RESULTS,
    SCHEMA,
    Writer,
    read_results,
    reference_rows,
    result_rows,
)
from venus_toolkit.eval.score import Outcome, Sample, Scored, judge_samples, read_samples, score_task
from venus_toolkit.eval.summary import summarise_results
from venus_toolkit.eval.tasks import Head, Task, choose, list_tasks, load
from venus_toolkit.eval.workplace import Workplace
from venus_toolkit.language import Language
from venus_toolkit.llm import ModelOptions
from venus_toolkit.records import to_plain
from venus_toolkit.release import Release
from venus_toolkit.sandbox import open_sandbox
from venus_toolkit.store import MANIFEST, Store, checksum

PART = 32  # tasks at a time, and at least so many for each worker:
PART_OF_WORKER = 4
MOST_REASONS = 100
OTHERS = "for other reasons, see the column reason"

Progress = Callable[[str, int, int], None]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation into one folder.

    Args:
        options: What to evaluate.
        release: The data.
        out: The run folder.
        languages: All languages by id.
        server: Where the model is; None for a replay.
        cache: Where figures of reference solutions are kept; None: see `default_cache`.
        progress: Told the stage, how much of it is done, and how much there is.
    """

    options: EvalOptions
    release: Release
    out: Path
    languages: Mapping[str, Language]
    server: ModelOptions | None = None
    cache: Path | None = None
    progress: Progress = field(default=lambda *_: None)

    def run(self) -> dict[str, Any]:
        """Evaluate, or go on; returns the manifest.

        Raises:
            UsageError: The options make no sense, the folder holds another evaluation, or the model saw this split.
            ReleaseError: The release cannot be read, or lacks a language or the split.
            ToolchainError: A language is not installed.
            StoreError: The folder cannot be written.
        """
        examine(self.options)
        chosen = [self.languages[name] for name in self.options.lang]
        heads = choose(list_tasks(self.release, chosen, self.options.split), self.options.tasks, self.options.seed)
        with closing(Store(self.out)) as store, open_model(self.options.model, self.server, store) as model:
            _refuse_another(store, self.identity())
            with (
                open_sandbox(self.options.sandbox, [*chosen, self.languages["python"]]) as sandbox,
                closing(Workplace(self.options, sandbox, store, chosen)) as place,
            ):
                return self._run(place, model, heads)

    def identity(self) -> dict[str, Any]:
        """Return what a folder cannot have two of."""
        options = self.options
        return {"model": options.model, "data": options.data, "objective": options.objective, "split": options.split}

    def scores(self, table: pa.Table) -> dict[str, Any]:
        """Return what the manifest says of the rows that were written."""
        return {"scores": summarise_results(table, self.options.seed)}

    def _run(self, place: Workplace, model: Model, heads: Sequence[Head]) -> dict[str, Any]:
        options, store = self.options, place.store
        size = max(PART, PART_OF_WORKER * place.engine.jobs)
        counts, unranked = _Counts(self.progress, len(heads), options.samples), dict[str, str]()
        in_order = InOrder[Scored]([head.name for head in heads], lambda scored: scored.task.name)
        asking = Answers(
            model,
            heads,
            options.samples,
            partial(load, sandbox=place.sandbox),
            lambda task: task.prompt(options.objective, options.form, options.prompts),
            2 * size,
            counts.answered,
            place.engine.beside(),
        )
        with (
            asking as answers,
            store.writing(RESULTS) as results,
            store.writing(REFERENCES) as references,
            closing(Writer(results, SCHEMA)) as samples,
            closing(Writer(references, REFERENCE_SCHEMA)) as humans,
        ):
            for part in answers.parts(size):
                for scored in in_order.those_next(self._score(place, part, counts)):
                    samples.write(result_rows(scored, options))
                    humans.write(reference_rows(scored))
                    if scored.unranked:
                        unranked[scored.task.name] = scored.unranked
        facts = {"missing": counts.lacking(), "unranked": unranked, "given_up": asking.given_up}
        return self._finish(place, model, facts)

    def _score(self, place: Workplace, part: Sequence[Answered], counts: _Counts) -> Iterator[Scored]:
        cache = Cache(self.cache or default_cache(), place)
        judged = judge_samples(place, [(each.task, read_samples(each)) for each in part], counts.judged)

        def work(item: tuple[Task, list[Sample]], seat: Seat) -> Scored:
            return score_task(place, cache, *item, seat)

        for _, scored in place.engine.measuring(work, judged, self.options.share_cores):
            counts.add(scored)
            yield scored

    def _finish(self, place: Workplace, model: Model, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Write the manifest, last; returns it."""
        table = read_results(self.out)
        manifest = {
            "kind": "evaluation",
            "toolkit": __version__,
            "partial": bool(facts["missing"]),
            "contamination": examine(self.options),
            **facts,
            "options": to_plain(self.options),
            "server": to_plain(self.server) if self.server else None,
            "release": {"folder": str(self.release.folder), "files": self.release.manifest.get("files", {})},
            "answers": {name: pc.sum(table[name]).as_py() for name in ("prompt_tokens", "completion_tokens", "cost")},
            **to_plain(self.scores(table)),
            "environment": place.environment(),
            "machines": place.measured_on,
            "fingerprint": place.fingerprint(),
            "files": {name: checksum(self.out / name) for name in (RESULTS, REFERENCES)},
        }
        place.store.write_text(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        return {**manifest, "model_costs": to_plain(model.costs)}


class InOrder(Generic[Result]):
    """Puts tasks into the order in which they were begun, so that few have to wait for an earlier one.

    Args:
        names: The names of the tasks, in order.
        name: Which task a result is of.
    """

    def __init__(self, names: Sequence[str], name: Callable[[Result], str]) -> None:
        self._remaining = deque(names)
        self._waiting: dict[str, Result] = {}
        self._name = name

    def those_next(self, found: Iterable[Result]) -> Iterator[Result]:
        """Yield what was found, each when all before it were."""
        for each in found:
            self._waiting[self._name(each)] = each
            while self._remaining and self._remaining[0] in self._waiting:
                yield self._waiting.pop(self._remaining.popleft())


class _Counts:
    """How far an evaluation is, and what is missing."""

    def __init__(self, progress: Progress, tasks: int, samples: int) -> None:
        self.tasks = 0
        self.missing: Counter[str] = Counter()
        self._progress = progress
        self._all_tasks, self._all_samples = tasks, tasks * samples
        self._programs = 0

    def answered(self, count: int) -> None:
        self._progress("answers", count, self._all_samples)

    def judged(self) -> None:
        self._programs += 1
        self._progress("judged", self._programs, self._all_samples)

    def add(self, scored: Scored) -> None:
        self.tasks += 1
        lost = [sample for sample in scored.samples if sample.outcome in (Outcome.UNANSWERED, Outcome.UNJUDGED)]
        for sample in lost:
            reason = f"{sample.outcome}: {sample.reason}"
            self.missing[reason if reason in self.missing or len(self.missing) < MOST_REASONS else OTHERS] += 1
        self._progress("scored", self.tasks, self._all_tasks)

    def lacking(self) -> dict[str, int]:
        begun = {"tasks that were not begun": self._all_tasks - self.tasks}
        return {reason: count for reason, count in {**begun, **self.missing}.items() if count}


def _refuse_another(store: Store, own: Mapping[str, Any]) -> None:
    """Remember whose folder this is.

    Raises:
        UsageError: It is another's.
    """
    before = store.get("run", "identity")
    if before is not None and before != own:
        names = [name for name in {**own, **before} if before.get(name) != own.get(name)]
        changed = [f"{name} {before.get(name)}, now {own.get(name)}" for name in names]
        raise UsageError(f"{store.folder} holds another evaluation", ", ".join(changed), "choose another --out")
    store.put("run", "identity", own)
