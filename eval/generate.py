"""Answers of a model: asked of a server, or replayed from a file, while earlier ones are being judged.

`Answers` keeps a bounded number of tasks open: their questions are asked by threads of its own, whatever the caller
does meanwhile. When a server fails again and again it is not asked any more; what was answered is handed out, and
`Answers.given_up` says why there is not more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from venus_toolkit.errors import UsageError
from venus_toolkit.eval.replay import Replay
from venus_toolkit.eval.tasks import Head, Task
from venus_toolkit.llm import LOCAL, ChatGenerator, Completion, Costs, ModelOptions, Prompt, open_local
from venus_toolkit.records import digest, from_plain
from venus_toolkit.store import WORK, Store

PATIENCE = 8  # failures in a row after which a server is given up
STAGE = "answer"
REPLAY = "replay"


class Model(Protocol):
    """Who answers."""

    @property
    def concurrency(self) -> int:
        """How many questions are asked at a time."""
        ...

    @property
    def patience(self) -> int | None:
        """How many failures in a row are too many; None: any number is fine."""
        ...

    @property
    def costs(self) -> Costs:
        """What was asked so far."""
        ...

    def answer(self, task: Task, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task; where there is none, its reason."""
        ...


class Answered(NamedTuple):
    """A task with its answers, in order; those that never came have `answered` False."""

    task: Task
    completions: tuple[Completion, ...]


@dataclass(frozen=True, slots=True)
class Server:
    """A server with OpenAI's chat completions; every answer is kept on disk and never asked for twice.

    The generator's cache keeps texts. An answer that was cut off or empty has none and is kept in the journal: asking
    for it again would get the same.
    """

    chat: ChatGenerator
    store: Store
    patience: int | None = PATIENCE

    @property
    def concurrency(self) -> int:
        """How many questions are asked at a time."""
        return self.chat.options.concurrency

    @property
    def costs(self) -> Costs:
        """What was asked so far."""
        return self.chat.costs

    def answer(self, task: Task, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task; where there is none, its reason."""
        told = self.chat.options
        key = digest(told.base_url, told.model, told.temperature, told.answer_tokens, told.seed, list(prompt), index)
        kept = self.store.get(STAGE, key)
        if kept is not None:
            return from_plain(Completion, kept)
        found = self.chat.sample(prompt, index)
        if found.answered and found.text is None:
            self.store.put(STAGE, key, found._asdict())
        return found


@dataclass(frozen=True, slots=True)
class Recorded:
    """Answers that were given before, from a file."""

    replay: Replay
    costs: Costs
    concurrency: int = 1
    patience: int | None = None

    def answer(self, task: Task, prompt: Prompt, index: int) -> Completion:
        """Return answer number `index` to a task; where the file has none, its reason."""
        return self.replay.find(task.head, index)


@contextmanager
def open_model(name: str, server: ModelOptions | None, store: Store) -> Iterator[Model]:
    """Give the model of a name: ``replay:FILE``, ``transformers:FOLDER``, ``vllm:FOLDER``, or one of a server.

    Args:
        name: The name.
        server: Where the model is and how it is asked; a model in this process has no use for its URL.
        store: Where answers are kept.

    Raises:
        UsageError: Nothing says where the model is, or it cannot be loaded.
    """
    kind, _, where = name.partition(":")
    if kind == REPLAY:
        yield Recorded(Replay(Path(where)), Costs())
        return
    if kind not in LOCAL and (server is None or not server.base_url):
        why, fix = f"nothing says where {name} is", "add --base-url URL, or name a file: --model replay:FILE"
        raise UsageError("the model cannot be asked", why, fix)
    assert server
    cache = store.folder / WORK / "model"
    with open_local(server, cache) if kind in LOCAL else ChatGenerator(server, cache) as chat:
        yield Server(chat, store)


class Answers:
    """Asks a model about tasks, at most `ahead` of them at a time; close it when done (it is a context manager).

    Args:
        model: Who answers.
        heads: The tasks, in order.
        samples: Answers to each.
        load: Reads a task.
        ask: Makes its prompt.
        ahead: Tasks that are open at the same time, those included that nobody has taken yet.
        progress: Told after each answer how many there are.
        cores: Where the threads run, out of the way of programs that are measured; none given: anywhere.
    """

    def __init__(
        self,
        model: Model,
        heads: Sequence[Head],
        samples: int,
        load: Callable[[Head], Task],
        ask: Callable[[Task], Prompt],
        ahead: int,
        progress: Callable[[int], None] = lambda _: None,
        cores: Collection[int] = (),
    ) -> None:
        self.given_up = ""
        self._model, self._samples, self._ahead, self._progress = model, samples, ahead, progress
        self._load, self._ask = load, ask
        self._remaining = iter(heads)
        stay = (lambda: os.sched_setaffinity(0, cores)) if cores else None
        self._pool = ThreadPoolExecutor(model.concurrency, thread_name_prefix="venus-ask", initializer=stay)
        self._open: dict[str, tuple[Task, list[Future[Completion]]]] = {}
        self._mutex = threading.Lock()
        self._failures = 0
        self._count = 0

    def __enter__(self) -> Answers:
        """Return the answers themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ask nothing more, and wait for what was asked."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def parts(self, most: int) -> Iterator[list[Answered]]:
        """Yield tasks as their answers are complete: all there are, at most `most` at a time, at least one.

        After a part was taken others are asked for, so that answers come in while the part is worked on.
        """
        while self._fill():
            self._wait()
            done = [name for name, (_, futures) in self._open.items() if all(f.done() for f in futures)][:most]
            part = [Answered(task, tuple(f.result() for f in fs)) for task, fs in map(self._open.pop, done)]
            self._fill()
            yield part

    def _fill(self) -> bool:
        """Ask about more tasks where there is room; whether any task is open."""
        while len(self._open) < self._ahead and not self.given_up:
            head = next(self._remaining, None)
            if head is None:
                break
            task = self._load(head)
            prompt = self._ask(task)
            asked = [self._pool.submit(self._answer, task, prompt, index) for index in range(self._samples)]
            self._open[task.name] = (task, asked)
        return bool(self._open)

    def _wait(self) -> None:
        """Wait until the answers of a task are complete."""
        while not any(all(future.done() for future in futures) for _, futures in self._open.values()):
            wait([f for _, fs in self._open.values() for f in fs if not f.done()], return_when=FIRST_COMPLETED)

    def _answer(self, task: Task, prompt: Prompt, index: int) -> Completion:
        if self.given_up:
            return Completion(None, f"not asked: {self.given_up}", answered=False)
        found = self._model.answer(task, prompt, index)
        with self._mutex:
            self._count += 1
            self._failures = 0 if found.answered else self._failures + 1
            if self._model.patience and self._failures >= self._model.patience:
                why = f"the model did not answer {self._failures} times in a row: {found.reason}"
                self.given_up = self.given_up or why
            self._progress(self._count)
        return found
