"""Answers through a provider's batch endpoint.

All questions at once, within a day, for about half of the price.

Questions go up as files of JSON lines (``/files``), each file becomes a batch (``/batches``), and
what comes back is kept where single answers are kept, so a later request for one finds it. Ids
of batches are journalled before anything is waited for, so a run that was stopped waits for the
same batches and pays for nothing twice.

The first question is asked by itself. It shows what the server refuses to take (dialect.py), which
a batch would say in every line.
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
MOST_LINES = 50_000  # of a file: OpenAI takes as many
EVERY_S = (2.0, 60.0)  # between two looks at a batch: at first, and at most
ENDED = ("completed", "failed", "expired", "cancelled")
STAGE, OPEN = "batches", "open"

Question = tuple[Prompt, int]  # a prompt, and the number of the answer to it


class Batches:
    """Fills the cache of a `ChatGenerator`, which afterwards answers from its cache alone.

    Args:
        chat: Who is asked.
        store: The folder in whose journal the ids of batches under way are kept.
        progress: Told how many questions are answered, and how many there are.
        every_s: See `EVERY_S`.
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
        """Ask all questions that are not answered yet, and wait for the answers.

        Raises:
            MachineError: The server has no batch endpoint, refuses the batch, or is gone.
        """
        asked = {question_key(self._chat.options, *question): question for question in questions}
        self._collect(asked)
        if left := self._left(asked):
            self._chat.sample(*left[0])
        for lines in self._files(self._left(asked)):
            self._begin(lines)
        self._collect(asked)
        self._chat.only_kept = True

    def _left(self, asked: Mapping[str, Question]) -> list[Question]:
        return [question for question in asked.values() if not self._chat.kept(*question)]

    def _files(self, questions: Sequence[Question]) -> Iterator[list[bytes]]:
        """Yield the lines of each file; the budget of requests bounds how many there are."""
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
            # OpenAI takes 200 MB.
            if len(lines) == MOST_LINES or sum(map(len, lines)) + len(line) > 100_000_000:
                yield lines
                lines = []
            lines.append(line)
        if lines:
            yield lines

    def _begin(self, lines: Sequence[bytes]) -> None:
        client, endpoint = self._chat.connection(), json.loads(lines[0])["url"]
        with self._explained("refuses the batch"):
            file = client.files.create(file=("venus.jsonl", b"".join(lines)), purpose="batch")
            batch = client.batches.create(
                input_file_id=file.id, endpoint=endpoint, completion_window="24h"
            )
        self._store.put(STAGE, OPEN, [*self._open(), batch.id])

    def _open(self) -> list[str]:
        return list(self._store.get(STAGE, OPEN) or ())

    def _collect(self, asked: Mapping[str, Question]) -> None:
        """Wait for the batches under way and keep their answers."""
        for name in self._open():
            batch = self._ended(name, len(asked))
            for file in (batch.output_file_id, batch.error_file_id):
                if file:
                    with self._explained(f"does not give the file {file}"):
                        self._keep(self._chat.connection().files.content(file).text, asked)
            if batch.status != ENDED[0]:
                why = "; ".join(
                    str(each.message) for each in getattr(batch.errors, "data", None) or ()
                )
                log.warning(
                    "the batch %s is %s: %s",
                    name,
                    batch.status,
                    why or "the server does not say why",
                )
            self._store.put(STAGE, OPEN, [each for each in self._open() if each != name])
            self._progress(len(asked) - len(self._left(asked)), len(asked))

    def _ended(self, name: str, questions: int) -> Any:
        pause, longest = self._every_s
        while True:
            with self._explained(f"does not know the batch {name}"):
                batch = self._chat.connection().batches.retrieve(name)
            if batch.status in ENDED:
                return batch
            self._progress(getattr(batch.request_counts, "completed", 0), questions)
            current().sleep(pause)
            pause = min(1.5 * pause, longest)

    def _keep(self, text: str, asked: Mapping[str, Question]) -> None:
        for row in map(json.loads, filter(None, text.splitlines())):
            # A batch that an earlier run began may have asked more than this run does.
            if question := asked.get(row["custom_id"]):
                response = row.get("response") or {"status_code": 0, "body": row.get("error")}
                self._chat.keep_reply(*question, response["status_code"], response["body"])

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        from openai import OpenAIError

        fix = "leave out --batch; finished answers are kept"
        try:
            yield
        except OpenAIError as error:
            raise MachineError(f"the server {what}", self._chat.shown(error), fix) from error
        except (KeyError, TypeError, ValueError) as error:
            raise MachineError(
                f"the server {what}", f"it sent something else: {error!r}", fix
            ) from error
