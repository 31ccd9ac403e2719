"""What a model said: asked once, kept with what came of it, and replayed from a file.

A line of ``raw.jsonl`` is one answer: ``key`` (a digest of model, prompt, tests), ``problem_id``, ``title``, ``type``,
``model``, ``prompt`` (roles and contents), ``response``, ``verdict`` with its ``reason``, and the figures of original
and answer. Lines are written to the journal as they come, so that a stop loses nothing; of a torn last line nothing is
taken.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from venus_toolkit.errors import UsageError
from venus_toolkit.llm import Completion, Prompt
from venus_toolkit.records import digest
from venus_toolkit.store import explained
from venus_toolkit.task import digest_of_tests


def answer_key(model: str, prompt: Prompt, test_cases: str) -> str:
    """Return what an answer and its verdict are known by: other tests are another question."""
    return digest(model, list(prompt), digest_of_tests(test_cases))


class Journal:
    """Answers by key, in a file that grows; a context manager.

    Args:
        path: The journal; made if it does not exist.
        earlier: Files with answers of earlier runs; those that are not there are left out.
    """

    def __init__(self, path: Path, earlier: Sequence[Path] = ()) -> None:
        lines = (line for file in (*earlier, path) for line in _lines(file))
        self._known = {str(line["key"]): line for line in lines if line.get("verdict", "") is not None}
        with explained(f"cannot write {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            torn = path.is_file() and not path.read_bytes().endswith(b"\n")
            self._file = path.open("a", encoding="utf-8")
            self._file.write("\n" if torn else "")

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return what is known of an answer, or None."""
        return self._known.get(key)

    def others(self, keys: Collection[str]) -> list[Mapping[str, Any]]:
        """Return all answers but those with these keys, in the order of their keys."""
        return [self._known[key] for key in sorted(self._known.keys() - set(keys))]

    def put(self, line: Mapping[str, Any]) -> None:
        """Keep an answer; it is on disk when this returns."""
        self._known[str(line["key"])] = dict(line)
        with explained(f"cannot write {self._file.name}"):
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the readable lines of a file."""
    if not file.is_file():
        return
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict) and "key" in found:
                yield found


class Replay:
    """A generator that answers from a file in the form of ``raw.jsonl``; ``prompt`` and ``response`` are enough.

    Args:
        file: Which file.

    Raises:
        UsageError: It cannot be read, or holds no answer.
    """

    def __init__(self, file: Path) -> None:
        try:
            lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
            self._said = {_conversation(line["prompt"]): line["response"] for line in lines if line.get("response")}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            raise UsageError(f"{file} cannot be replayed", why, "name a raw.jsonl: see docs/derive.md") from error
        if not self._said:
            raise UsageError(f"{file} cannot be replayed", "it has no answer", "name a raw.jsonl: see docs/derive.md")
        self._file = file

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the answer to each prompt; one that is not in the file has no text, with the reason."""
        said = [self._said.get(tuple((each.role, each.content) for each in prompt)) for prompt in prompts]
        missing = Completion(None, f"{self._file.name} has no answer to this prompt")
        return [missing if text is None else Completion(str(text), cached=True) for text in said]


def _conversation(messages: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((message["role"], message["content"]) for message in messages)
