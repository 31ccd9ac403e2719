"""Completions that were made elsewhere, from a JSONL or Parquet file.

A line is an object with the task (``task`` as cpp/title, ``title``, ``slug``, ``slug_name`` or ``problem_id``), its
``language`` where the file has several, the ``iteration`` in an iterative evaluation (0, the start, where it says
none), the number of the sample (``sample`` or ``index``; otherwise lines of a task and iteration count up), and the
answer: ``answer``, ``completion``, ``response`` or ``text`` as the model gave it, ``code`` or ``solution`` for code
alone. Token counts (``prompt_tokens``, ``completion_tokens``) are taken where they are there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.answers import fenced
from venus_toolkit.errors import UsageError
from venus_toolkit.eval.tasks import Head
from venus_toolkit.llm import Completion

TASK = ("task", "title", "slug", "slug_name", "problem_id")
SAMPLE = ("sample", "index")
TEXT = ("answer", "completion", "response", "text")
CODE = ("code", "solution")
TURN = 100_000  # sample s of iteration i has the number i * TURN + s
BATCH = 256


class _Found(NamedTuple):
    text: str
    is_code: bool
    prompt_tokens: int | None
    completion_tokens: int | None


class Replay:
    """The completions of a file.

    Args:
        file: JSONL, or Parquet where it ends in ``.parquet``.

    Raises:
        UsageError: The file cannot be read, or a line is not as documented.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._found: dict[tuple[str, str], dict[int, _Found]] = defaultdict(dict)
        for number, row in enumerate(_rows(file), 1):
            self._take(row, number)

    def find(self, head: Head, index: int) -> Completion:
        """Return a sample of a task, or a completion without text that says that there is none."""
        names = [head.name, head.title, str(head.problem_id)]
        spoken = (head.language.id, *head.language.aliases, *head.language.fences, "")
        for key in [(name, language) for name in names for language in spoken]:
            found = self._found.get(key, {}).get(index)
            if found:
                text = fenced(found.text, head.language) if found.is_code else found.text
                return Completion(text, "", found.prompt_tokens, found.completion_tokens, cached=True)
        turn, sample = divmod(index, TURN)
        wanted = f"sample {sample}" + (f" of iteration {turn}" if turn else "")
        return Completion(None, f"{self.file.name} has no {wanted}", answered=False)

    def _take(self, row: Mapping[str, Any], number: int) -> None:
        task, said, code = _first(row, TASK), _first(row, TEXT), _first(row, CODE)
        text = code if said is None else said
        if task is None or not isinstance(text, str):
            why = "it has no " + ("task" if task is None else "answer")
            raise UsageError(f"line {number} of {self.file} is no completion", why, "see docs/eval.md")
        samples = self._found[str(task), str(row.get("language") or "").lower()]
        turn, index = TURN * int(row.get("iteration") or 0), _first(row, SAMPLE)
        if index is None:
            index = sum(turn <= other < turn + TURN for other in samples)
        tokens = (row.get("prompt_tokens"), row.get("completion_tokens"))
        samples[turn + int(index)] = _Found(text, said is None, *tokens)


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    what = f"{file} cannot be replayed"
    try:
        if file.suffix == ".parquet":
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(BATCH):
                    yield from batch.to_pylist()
            return
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _object(line, number)
    except (OSError, pa.ArrowException) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(what, why, "name a JSONL or Parquet file") from error
    except ValueError as error:
        raise UsageError(what, str(error), "see docs/eval.md") from error


def _object(line: str, number: int) -> Mapping[str, Any]:
    """Return the object in a line.

    Raises:
        ValueError: It is none.
    """
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"line {number} is no JSON object")
    return found
