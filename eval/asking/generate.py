"""Gets answers from a server or a replay file while earlier answers are being judged.

`Answers` keeps a bounded number of tasks open and asks about them in its own threads. After too
many failures in a row `ModelCaller` stops asking; the caller still receives the answers so far, and
`ModelCaller.given_up` holds the reason.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from difflib import get_close_matches
from itertools import chain, product
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core.errors import UsageError, VenusError
from venus_toolkit.core.interruption import worker_pool
from venus_toolkit.core.options import nearest
from venus_toolkit.core.store import WORK, Store
from venus_toolkit.core.untrusted.text import storable
from venus_toolkit.eval.asking.tasks import PLACES, EvaluationTask, TaskKey, reference_at
from venus_toolkit.models.answers import fenced
from venus_toolkit.models.batches import Batches, Question
from venus_toolkit.models.client import (
    SHOWN,
    ChatGenerator,
    Completion,
    ModelOptions,
    Prompt,
    TokenUsage,
    runs_here,
)
from venus_toolkit.models.dialect import text_and_thoughts
from venus_toolkit.models.embedded import EMBEDDED
from venus_toolkit.models.in_process import LocalGenerator, open_local

log = logging.getLogger(__name__)
HUMAN, COPY = "human", "copy"  # pseudo-models that answer with human solutions
KEYS = {  # keys of a replayed line; the first one with a value is used
    "task": ("task", "title", "slug", "slug_name", "problem_id"),
    "sample": ("sample", "index"),
    "text": ("answer", "completion", "response", "text"),
    "code": ("code", "solution"),
}
TURN = 100_000  # sample s of iteration i has the number i * TURN + s


class Model(Protocol):
    """A source of answers: a server, weights in this process, or a file."""

    concurrency: int  # number of questions in flight
    patience: int | None  # failures in a row after which nothing more is asked; None: no limit
    costs: TokenUsage  # usage so far

    def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task, or the reason why there is none."""


class ServedModel:
    """A server with OpenAI's chat completions.

    The generator keeps every answer on disk, so no question is asked twice.
    """

    def __init__(self, chat: ChatGenerator, store: Store) -> None:
        self.concurrency, self.costs = chat.options.concurrency, chat.costs
        self.patience: int | None = 8
        self._chat, self._store = chat, store

    def ask_in_batches(
        self, questions: Iterable[Question], progress: Callable[[int, int], None]
    ) -> None:
        """Ask all questions through the batch endpoint and keep the answers.

        Raises:
            UsageError: The model is in this process.
            MachineError: The server has no such endpoint, or it fails.
        """
        if isinstance(self._chat, LocalGenerator):
            raise UsageError(
                "--batch needs a server", "the model is in this process", "leave out --batch"
            )
        Batches(self._chat, self._store, progress).answer(questions)
        self.patience = None  # one missing answer in a batch does not predict another

    def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task, or the reason why there is none."""
        return self._chat.sample(prompt, index)


class ReplayedModel:
    """Completions from a JSONL or Parquet file (``.parquet``).

    Each line is an object with these keys:

    - the task: ``task`` (cpp/title), ``title``, ``slug``, ``slug_name`` or ``problem_id``;
    - ``language``, if the file has several;
    - ``iteration`` in an iterative evaluation; default 0, the start;
    - the number of the sample: ``sample`` or ``index``; by default the lines of a task and
      iteration are numbered in order;
    - the answer: ``answer``, ``completion``, ``response`` or ``text`` is the model's text, or a
      list of content parts; ``code`` or ``solution`` is code alone;
    - token counts, optional: ``prompt_tokens``, ``completion_tokens``.

    A notice lists the lines that break this format; their samples count as unanswered.

    Raises:
        UsageError: The file cannot be read, or no line has this format.
    """

    concurrency: int = 1
    patience: int | None = None  # one missing line does not predict another

    def __init__(self, file: Path) -> None:
        self.file = file
        self.costs = TokenUsage()
        # By task and language as the file spells them, then by the number of the sample (see TURN).
        self._rows: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = defaultdict(dict)
        faults, readable = list[str](), False
        for number, row, damage in _read(file):
            fault, placed = (damage, False) if damage else _fault(row)
            readable = readable or not fault
            if fault:
                faults.append(f"line {number}: {fault}")
            if not placed:
                continue
            samples = self._rows[str(_first(row, "task")), str(row.get("language") or "").lower()]
            turn, index = TURN * int(row.get("iteration") or 0), _first(row, "sample")
            if index is None:
                index = sum(turn <= other < turn + TURN for other in samples)
            answer = {
                name: row.get(name)
                for name in (*KEYS["text"], *KEYS["code"], "prompt_tokens", "completion_tokens")
            }
            samples[turn + int(index)] = (
                {"fault": f"{file.name}, {faults[-1]}"} if fault else answer
            )
        if faults and not readable:
            raise UsageError(f"no line of {file} is a completion", faults[0], "see docs/eval.md")
        if faults:
            listing = "; ".join(faults[:3]) + ("; and others" if len(faults) > 3 else "")
            self.costs.notices.append(
                f"lines of {file.name} that cannot be read: {len(faults)} ({listing})"
            )

    def match(self, keys: Sequence[TaskKey]) -> None:
        """Compare the tasks that the file names with the tasks of the evaluation.

        Names that match none are listed in a notice.

        Raises:
            UsageError: No name matches.
        """
        known = {(name, language) for key in keys for name, language in _names(key)}
        lost = sorted({name for name, language in self._rows if (name, language) not in known})
        if not lost:
            return
        titles = sorted({key.title for key in keys})
        quoted = []
        for name in lost[:3]:
            near = get_close_matches(name.rpartition("/")[2], titles, n=1, cutoff=0.5)
            quoted.append(f"{name!r}" + (f" (nearest: {near[0]!r})" if near else ""))
        listing = ", ".join(quoted) + (" and others" if len(lost) > len(quoted) else "")
        if {name for name, _ in self._rows} == set(lost):
            reason = (
                f"it names {listing}, and the tasks are such as {', '.join(map(repr, titles[:3]))}"
            )
            fix = (
                f"name tasks by one of {', '.join(KEYS['task'])}, and the language as "
                f"{keys[0].language.id}"
            )
            raise UsageError(f"no line of {self.file} answers a task", reason, fix)
        self.costs.notices.append(
            f"{len(lost)} tasks of {self.file.name} are not among those evaluated: {listing}"
        )

    def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task.

        If the file has none, the completion has no text, and its reason says so.
        """
        key = task.key
        for name in _names(key):
            row = self._rows.get(name, {}).get(index)
            if row is not None and "fault" in row:
                return Completion(None, row["fault"], answered=False)
            if row is not None:
                text, thoughts = text_and_thoughts(_first(row, "text"))
                if _first(row, "text") is None:
                    text = fenced(_first(row, "code"), key.language)
                tokens = {key: row[key] for key in ("prompt_tokens", "completion_tokens")}
                return Completion(
                    text, cached=True, reasoning=thoughts or None, **tokens
                ).storable()
        turn, sample = divmod(index, TURN)
        missing = f"sample {sample}" + (f" of iteration {turn}" if turn else "")
        return Completion(None, f"{self.file.name} has no {missing}", answered=False)


def _names(key: TaskKey) -> Iterator[tuple[str, str]]:
    """Yield the names that a file may use for a task and its language."""
    languages = (key.language.id, *key.language.aliases, *key.language.fences, "")
    # Other tools name tasks and languages in their own ways, and omit the language if there is only
    # one.
    return product((key.name, key.title, str(key.problem_id)), languages)


class HumanModel:
    """Human solutions as answers, copied byte for byte: baselines that need no model.

    ``best``, ``median`` and ``worst`` choose by the published `figure`, the same for every sample.
    ``copy`` answers sample s with solution number s of the release, modulo their number.
    """

    concurrency: int = 1
    patience: int | None = None

    def __init__(self, which: str, figure: str) -> None:
        self.costs = TokenUsage()
        self._which, self._figure = which, figure

    def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task, or the reason why there is none."""
        if self._which != COPY:
            solution = reference_at(task.references, self._which, self._figure)
        else:
            solution = (
                task.references[index % TURN % len(task.references)] if task.references else None
            )
        if solution is None:
            reason = "it has no human solution"
            if self._which != COPY:
                reason += f" whose {self._figure} is known"
            return Completion(None, reason, answered=False)
        return Completion(fenced(solution.code, task.key.language), cached=True, code=solution.code)


def _first(row: Mapping[str, Any], kind: str) -> Any:
    return next((row[name] for name in KEYS[kind] if row.get(name) is not None), None)


def _fault(row: Mapping[str, Any]) -> tuple[str, bool]:
    """Return what is wrong with a line ("" if nothing), and whether it identifies its sample."""
    try:
        int(row.get("iteration") or 0), int(_first(row, "sample") or 0)
    except (TypeError, ValueError, OverflowError):
        return "its sample or iteration is not a number", False
    if _first(row, "task") is None:
        return "it has no task", False
    text, code = _first(row, "text"), _first(row, "code")
    if text is None:
        return "" if isinstance(code, str) else "it has no answer", True
    parts = text if isinstance(text, list) else [text] if isinstance(text, str) else [None]
    readable = all(isinstance(part, (str, Mapping)) for part in parts)
    return "" if readable else "its answer is neither a text nor a list of content parts", True


def _read(file: Path) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    """Yield the lines of a file: number, row, and the error if the line is not a JSON object."""
    try:
        if file.suffix == ".parquet":
            with pq.ParquetFile(file) as parquet:
                rows = chain.from_iterable(batch.to_pylist() for batch in parquet.iter_batches(256))
                yield from ((number, row, "") for number, row in enumerate(rows, 1))
            return
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    yield number, {}, f"it is not JSON: {error}"
                else:
                    yield (
                        (number, row, "")
                        if isinstance(row, dict)
                        else (number, {}, "it is not a JSON object")
                    )
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{file} cannot be replayed", reason, "name a JSONL or Parquet file"
        ) from error


@contextmanager
def open_model(
    name: str,
    server: ModelOptions | None,
    store: Store,
    figure: str = "",
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Iterator[Model]:
    """Open a model by its name.

    Args:
        name: ``replay:FILE``, ``transformers:FOLDER``, ``vllm:FOLDER``, the embedded ``smollm2``,
            the name of a served model, or human solutions of a release: ``human:best``,
            ``human:median``, ``human:worst`` and ``copy``.
        server: The endpoint of a served model, and the options of every model that generates.
        store: Keeps the answers.
        figure: Ranks the human solutions; without it, they are not available.
        progress: Reports a download: stage, done, total.

    Raises:
        UsageError: The model is unknown, has no endpoint, or cannot be loaded.
    """
    kind, _, where = name.partition(":")
    if kind == "replay":
        yield ReplayedModel(Path(where))
        return
    if kind == HUMAN or (name == COPY and server is None):
        which = where if kind == HUMAN else COPY
        if which not in (*PLACES, COPY):
            humans = [f"{HUMAN}:{place}" for place in PLACES]
            reason = f"expected one of {', '.join(humans)} or {COPY}"
            fix = nearest(name, [*humans, COPY]) + "choose one of them"
            raise UsageError(f"there is no model {name}", reason, fix)
        if not figure:
            reason = "they are the human solutions of a release"
            raise UsageError(f"{name} cannot answer here", reason, "use it with venus eval --data")
        yield HumanModel(which, figure)
        return
    here = runs_here(name, server.base_url if server else "")
    if server is None or not (here or server.base_url):
        reason, fix = (
            f"nothing says where {name} is",
            "add --base-url URL, or name a file: --model replay:FILE, or take the embedded model: "
            f"--model {EMBEDDED}",
        )
        raise UsageError("the model cannot be asked", reason, fix)
    cache = store.folder / WORK / "model"
    with open_local(server, cache, progress) if here else ChatGenerator(server, cache) as chat:
        yield ServedModel(chat, store)


class ModelCaller:
    """Asks a model from several threads, and stops after too many failures in a row.

    `progress` receives the number of answers after each one. `given_up` holds the reason for
    stopping; it is empty as long as the model answers.
    """

    def __init__(self, model: Model, progress: Callable[[int], None] = lambda _: None) -> None:
        self.given_up = ""
        self._model, self._progress = model, progress
        self._mutex = threading.Lock()
        self._failures = self._count = 0

    def threads(self, cores: Collection[int]) -> AbstractContextManager[ThreadPoolExecutor]:
        """Return a pool with a thread for each concurrent question.

        The threads run on `cores`; if that is empty, on any core.
        """
        # On Linux every thread has its own affinity, and 0 means the calling thread, not the
        # process.
        pin = (lambda: os.sched_setaffinity(0, cores)) if cores else (lambda: None)
        return worker_pool(self._model.concurrency, "venus-ask", pin)

    def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task, or the reason why there is none."""
        if self.given_up:
            return Completion(None, f"not asked: {self.given_up}", answered=False)
        try:
            completion = self._model.answer(task, prompt, index)
        except VenusError:
            raise
        # the boundary to models: one exception must not lose the other answers
        except Exception as error:
            log.warning("%s: no answer: %r", task.name, error)
            reason = storable(f"the model failed: {type(error).__name__}: {error}"[:SHOWN]).text
            completion = Completion(None, reason, answered=False)
        with self._mutex:
            self._count += 1
            self._failures = 0 if completion.answered else self._failures + 1
            if self._model.patience and self._failures >= self._model.patience:
                cause = (
                    f"the model did not answer {self._failures} times in a row: {completion.reason}"
                )
                # Keep the first reason: threads already waiting fail later, with other reasons.
                self.given_up = self.given_up or cause
            self._progress(self._count)
        return completion


class Answers:
    """A context manager that asks a model for `samples` answers to each task.

    `load` reads a task, `ask` renders its prompt. At most `ahead` tasks are open at a time,
    including answered ones that the caller has not taken. The threads run on `cores`, away from the
    programs being measured; if `cores` is empty, on any core.
    """

    def __init__(
        self,
        caller: ModelCaller,
        keys: Sequence[TaskKey],
        samples: int,
        load: Callable[[TaskKey], EvaluationTask],
        ask: Callable[[EvaluationTask], Prompt],
        ahead: int,
        cores: Collection[int] = (),
    ) -> None:
        self._caller, self._samples, self._ahead, self._load, self._ask = (
            caller,
            samples,
            ahead,
            load,
            ask,
        )
        self._remaining = iter(keys)
        self._threads = caller.threads(cores)
        self._open: dict[str, tuple[EvaluationTask, list[Future[Completion]]]] = {}

    def __enter__(self) -> Answers:
        self._pool = self._threads.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *more: Any) -> None:
        """Stop asking, and wait for the questions in flight unless an exception was raised."""
        self._threads.__exit__(kind, *more)

    def parts(self, most: int) -> Iterator[list[tuple[EvaluationTask, list[Completion]]]]:
        """Yield tasks as their answers become complete, from one to `most` tasks at a time.

        The answers of a task are in order; a missing one has `answered` False. Other tasks are
        asked about while the caller works on a part.
        """
        while self._fill():
            while not any(
                all(future.done() for future in futures) for _, futures in self._open.values()
            ):
                # Only unfinished futures: `wait` returns at once if one is done, and the loop would
                # spin.
                waiting = [
                    future
                    for _, futures in self._open.values()
                    for future in futures
                    if not future.done()
                ]
                wait(waiting, return_when=FIRST_COMPLETED)
            done = [
                name for name, (_, futures) in self._open.items() if all(f.done() for f in futures)
            ][:most]
            part = [
                (task, [future.result() for future in fs]) for task, fs in map(self._open.pop, done)
            ]
            # Before the yield, so that the model answers while the caller judges and measures.
            self._fill()
            yield part

    def _fill(self) -> bool:
        """Ask about more tasks if there is room; return whether any task is open."""
        while len(self._open) < self._ahead and not self._caller.given_up:
            key = next(self._remaining, None)
            if key is None:
                break
            task = self._load(key)
            prompt = self._ask(task)
            futures = [
                self._pool.submit(self._caller.answer, task, prompt, index)
                for index in range(self._samples)
            ]
            self._open[task.name] = (task, futures)
        return bool(self._open)
