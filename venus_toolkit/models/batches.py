"""Asks questions through a provider's batch endpoint: all at once, within a day, for half the price.

Questions are uploaded as files of JSON lines (``/files``), each file becomes a batch (``/batches``),
and answers go into the cache of single answers, where later requests find them. The ids of batches
are journalled before the first wait, so an interrupted run resumes waiting for the same batches and
pays only once.

The first question is asked by itself. It shows which settings the server refuses (dialect.py);
otherwise every line of the batch would fail.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.store import Store
from venus_toolkit.models.client import ChatGenerator, Prompt, question_key

log = logging.getLogger(__name__)
MAX_LINES = 50_000  # lines of a file; the limit of OpenAI
EVERY_S = (2.0, 60.0)  # seconds between two polls of a batch: at first, at most
ENDED = ("completed", "failed", "expired", "cancelled")
STAGE, OPEN = "batches", "open"

Question = tuple[Prompt, int]  # a prompt, and the index of the answer to it


class Batches:
    """Fills the cache of a `ChatGenerator`, which then answers only from its cache.

    Args:
        chat: The client of the model.
        store: The folder whose journal holds the ids of open batches.
        progress: Called with the number of answered questions and the number of all questions.
        every_s: Seconds between two polls of a batch, at first and at most; None: `EVERY_S`.
    """

    def __init__(
        self,
        chat: ChatGenerator,
        store: Store,
        progress: Callable[[int, int], None] = lambda *_: None,
        every_s: tuple[float, float] | None = None,
    ) -> None:
        self._chat, self._store, self._progress, self._every_s = (
            chat,
            store,
            progress,
            every_s or EVERY_S,
        )

    def answer(self, questions: Iterable[Question]) -> None:
        """Ask all unanswered questions, and wait for the answers.

        Raises:
            MachineError: The server has no batch endpoint, refuses the batch, or cannot be reached.
        """
        asked = {question_key(self._chat.options, *question): question for question in questions}
        self._collect(asked)
        if left := self._left(asked):
            self._chat.sample(*left[0])
        for lines in self._files(self._left(asked)):
            self._begin(lines)
        self._collect(asked)
        self._chat.cache_only = True

    def _left(self, asked: Mapping[str, Question]) -> list[Question]:
        return [question for question in asked.values() if not self._chat.cached_answer(*question)]

    def _files(self, questions: Sequence[Question]) -> Iterator[list[bytes]]:
        """Yield the lines of each file, up to the budget of requests."""
        lines: list[bytes] = []
        for question in questions:
            if refusal := self._chat.reserve():
                log.warning("%s", refusal)
                break
            named = {"custom_id": question_key(self._chat.options, *question)}
            line = (
                json.dumps(named | self._chat.request_line(*question), ensure_ascii=False).encode()
                + b"\n"
            )
            # OpenAI accepts 200 MB.
            if len(lines) == MAX_LINES or sum(map(len, lines)) + len(line) > 100_000_000:
                yield lines
                lines = []
            lines.append(line)
        if lines:
            yield lines

    def _begin(self, lines: Sequence[bytes]) -> None:
        client, endpoint = self._chat.connection(), json.loads(lines[0])["url"]
        with self._explain_errors("refuses the batch"):
            file = client.files.create(file=("venus.jsonl", b"".join(lines)), purpose="batch")
            batch = client.batches.create(
                input_file_id=file.id, endpoint=endpoint, completion_window="24h"
            )
        self._store.put(STAGE, OPEN, [*self._open(), batch.id])

    def _open(self) -> list[str]:
        return list(self._store.get(STAGE, OPEN) or ())

    def _collect(self, asked: Mapping[str, Question]) -> None:
        """Wait for the open batches and cache their answers."""
        for name in self._open():
            batch = self._wait_for(name, len(asked))
            for file in (batch.output_file_id, batch.error_file_id):
                if file:
                    with self._explain_errors(f"does not return the file {file}"):
                        self._keep(self._chat.connection().files.content(file).text, asked)
            if batch.status != ENDED[0]:
                reason = "; ".join(
                    str(error.message) for error in getattr(batch.errors, "data", None) or ()
                )
                log.warning(
                    "the batch %s is %s: %s",
                    name,
                    batch.status,
                    reason or "the server gives no reason",
                )
            self._store.put(
                STAGE, OPEN, [open_name for open_name in self._open() if open_name != name]
            )
            self._progress(len(asked) - len(self._left(asked)), len(asked))

    def _wait_for(self, name: str, questions: int) -> Any:
        pause, longest = self._every_s
        while True:
            with self._explain_errors(f"does not know the batch {name}"):
                batch = self._chat.connection().batches.retrieve(name)
            if batch.status in ENDED:
                return batch
            self._progress(getattr(batch.request_counts, "completed", 0), questions)
            current().sleep(pause)
            pause = min(1.5 * pause, longest)

    def _keep(self, text: str, asked: Mapping[str, Question]) -> None:
        for row in map(json.loads, filter(None, text.splitlines())):
            # A batch of an earlier run may have asked more questions than this run.
            if question := asked.get(row["custom_id"]):
                response = row.get("response") or {"status_code": 0, "body": row.get("error")}
                self._chat.keep_reply(*question, response["status_code"], response["body"])

    @contextmanager
    def _explain_errors(self, problem: str) -> Iterator[None]:
        from openai import OpenAIError

        fix = "leave out --batch; finished answers are kept"
        try:
            yield
        except OpenAIError as error:
            raise MachineError(f"the server {problem}", self._chat.shown(error), fix) from error
        except (KeyError, TypeError, ValueError) as error:
            raise MachineError(
                f"the server {problem}", f"unexpected reply: {error!r}", fix
            ) from error
