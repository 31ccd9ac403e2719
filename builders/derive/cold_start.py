"""Cold start: what a model answers when it is asked to think first, kept where it is worth learning from.

The model is asked to better an original solution, in the form ``<thinking>…</thinking><solution>…</solution>``. An
answer is kept when it has the form, compiles, passes, and costs no more than the original beyond the noise, both
measured beside each other here. All answers stay in ``raw.jsonl`` beside the set, with what came of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from venus_toolkit.builders.derive.derive import Derived, chosen, open_trains, rank_of, revision_of, write_config
from venus_toolkit.builders.derive.kinds import (
    HEAD,
    MESSAGES,
    PROBLEM_COLUMNS,
    TAIL,
    Kind,
    Source,
    head_columns,
    improvable,
    improve_request,
    prompt_columns,
    role_columns,
    role_fields,
    says,
    tail_columns,
)
from venus_toolkit.builders.derive.likeness import Likeness
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.builders.derive.reading import ROLE_COLUMNS, Train
from venus_toolkit.builders.derive.responses import Journal, answer_key
from venus_toolkit.builders.derive.selection import Pick, Progress, Selector
from venus_toolkit.builders.derive.trial import Trial, Tried, refusal
from venus_toolkit.builders.release import kibibyte_milliseconds, kibibytes, milliseconds
from venus_toolkit.language import Language
from venus_toolkit.llm import Generator, Message, Prompt
from venus_toolkit.release import Release
from venus_toolkit.release.folder import DERIVED
from venus_toolkit.store import WORK, Store
from venus_toolkit.task import COLUMNS

NAME = "cold-start"
RAW = "raw.jsonl"
AT_ONCE = 32  # prompts that a model is asked before their answers are tried
NO_ANSWER = "no answer"
FIGURES = ("time", "memory", "integral")
SCHEMA = pa.schema(
    [
        *HEAD,
        ("prompt", MESSAGES),
        ("completion", MESSAGES),
        ("prompt_text", pa.string()),
        ("response", pa.string()),
        ("question_id", pa.int64()),
        ("question_content", pa.string()),
        ("code_prompt", pa.string()),
        ("llm_response", pa.string()),
        ("model", pa.string()),
        *role_fields("original"),
        *((f"beside_{who}_{name}", pa.float64()) for who in ("original", "answer") for name in FIGURES),
        *TAIL,
    ]
)


class Asked(NamedTuple):
    """A prompt, what it was made from, and the row of the problem with its tests."""

    source: Source
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Teacher:
    """Who is asked and how answers are tried.

    Attributes:
        model: The model's name; part of what an answer is known by.
        generator: Answers prompts.
        trial: Tries answers.
        most: Prompts at most, over all languages and objectives of a run; None: all.
    """

    model: str
    generator: Generator
    trial: Trial
    most: int | None = None


def _row(source: Source, line: Mapping[str, Any], tried: Tried) -> dict[str, Any]:
    (original,) = source.chosen
    beside = {"original": tried.original, "answer": tried.answer}
    return {
        **head_columns(source),
        **prompt_columns(improve_request(source, original, "thinking")),
        "completion": says(line["response"]),
        "response": line["response"],
        "question_id": source.problem["problem_id"],
        "question_content": source.problem["question_content"],
        "code_prompt": source.problem["code_prompt"],
        "llm_response": line["response"],
        "model": line["model"],
        **role_columns("original", original),
        **{f"beside_{who}_{name}": value for who, each in beside.items() for name, value in _published(each).items()},
        **tail_columns(source),
    }


def _published(figures: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        "time": milliseconds(figures.get("wall_ns")),
        "memory": kibibytes(figures.get("peak_bytes")),
        "integral": kibibyte_milliseconds(figures.get("integral_byte_ns")),
    }


KIND = Kind(NAME, SCHEMA, tuple(dict.fromkeys((*PROBLEM_COLUMNS, *COLUMNS))), improvable, most=1)


def derive_cold_start(
    folder: Path,
    languages: Sequence[Language],
    options: DeriveOptions,
    teacher: Teacher,
    progress: Progress = lambda *_: None,
) -> list[Derived]:
    """Write what a model's answers give, for each language, into a release; nothing is asked twice.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
        StoreError: The release cannot be written.
        ToolchainError: A language is not installed.
    """
    made = []
    asked = 0
    for release, language, train in open_trains(folder, languages):
        left = None if teacher.most is None else max(0, teacher.most - asked)
        config = _Config(release, language, train, options, teacher, progress)
        made.append(config.derive(left))
        asked += made[-1].facts["prompts"]
    return made


@dataclass(frozen=True, slots=True)
class _Config:
    """One language at work."""

    release: Release
    language: Language
    train: Train
    options: DeriveOptions
    teacher: Teacher
    progress: Progress

    @property
    def name(self) -> str:
        return f"{self.language.id}-{NAME}"

    def derive(self, most: int | None) -> Derived:
        rank = rank_of(self.release, self.language)
        with Likeness(self.language, self.options) as likeness:
            selection = Selector(KIND, self.language.id, rank, self.options, likeness).select(self.train, self.progress)
        picks = selection.picks if most is None else _spread(selection.picks, most)
        raw = self.release.folder / DERIVED / self.name / RAW
        lines: list[Mapping[str, Any]] = []
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in self.options.objectives}
        dropped = selection.dropped
        with Journal(self.release.folder / WORK / "derive" / f"{self.name}.jsonl", [raw]) as journal:
            for asked, line in self._answers(picks, journal):
                lines.append(line)
                objective, tried = asked.source.objective, _tried(line)
                why = NO_ANSWER if line["response"] is None else refusal(tried, objective, rank, self.options)
                if why:
                    dropped[objective][f"answers: {why}"] += 1
                else:
                    rows[objective].append(_row(asked.source, line, tried))
            self._write_raw([*lines, *journal.others([str(line["key"]) for line in lines])])
        facts = {"model": self.teacher.model, "prompts": len(picks), "responses": _answered(lines)}
        made = write_config(self.release, KIND, self.language, self.options, rows, dropped, facts)
        self.release.update({}, [f"{DERIVED}/{self.name}/{RAW}"])
        return made

    # -------------------------------------------------------------- asking and trying

    def _answers(self, picks: Sequence[Pick], journal: Journal) -> Iterator[tuple[Asked, Mapping[str, Any]]]:
        """Yield each prompt with the line that says what came of it."""
        remaining = self._asked(picks)
        done = 0
        while block := list(islice(remaining, AT_ONCE)):
            keys = [self._key(asked) for asked in block]
            new = [asked.prompt for asked, key in zip(block, keys, strict=True) if journal.get(key) is None]
            said = dict(zip(new, self.teacher.generator.complete(new) if new else [], strict=True))
            for asked, key in zip(block, keys, strict=True):
                known = journal.get(key)
                line = known or self._line(asked, key, said[asked.prompt].text, said[asked.prompt].reason)
                if not known and line["verdict"] is not None:
                    journal.put(line)
                done += 1
                self.progress(f"ask {self.language.id}", done, len(picks))
                yield asked, line

    def _key(self, asked: Asked) -> str:
        return answer_key(self.teacher.model, asked.prompt, asked.source.problem["test_cases"])

    def _line(self, asked: Asked, key: str, text: str | None, reason: str) -> dict[str, Any]:
        """Try an answer; without one, or where the sandbox failed, the verdict is None, and it is asked again."""
        problem, original = asked.source.problem, asked.source.chosen[0]["code"]
        tried = Tried(None, reason) if text is None else self.teacher.trial(problem, self.language, original, text)
        return {
            "key": key,
            "problem_id": problem["problem_id"],
            "title": problem["title"],
            "type": asked.source.objective,
            "model": self.teacher.model,
            "prompt": [message._asdict() for message in asked.prompt],
            "response": text,
            **tried._asdict(),
        }

    def _asked(self, picks: Sequence[Pick]) -> Iterator[Asked]:
        by_place = {place: list(group) for place, group in groupby(picks, key=lambda pick: pick.place)}
        revision = revision_of(self.release)
        for batch in self.train.read(KIND.columns, ("code", *ROLE_COLUMNS), list(by_place)):
            for pick in by_place[batch.place]:
                problem = batch.problems[pick.row]
                told = (self.language, revision, pick.objective, problem, chosen(batch, pick), self.options.templates)
                source = Source(*told)
                prompt = prompt_columns(improve_request(source, source.chosen[0], "thinking"))["prompt"]
                yield Asked(source, tuple(Message(**message) for message in prompt))

    def _write_raw(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write all answers: those of this run in the order of the prompts, then what others asked beyond."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines if line["response"] is not None)
        with closing(Store(self.release.folder)) as store:
            store.write_text(f"{DERIVED}/{self.name}/{RAW}", text)


def _spread(picks: Sequence[Pick], most: int) -> list[Pick]:
    """Return at most so many rows to be, evenly over all of them."""
    step = max(1.0, len(picks) / most) if most else 1.0
    return [picks[int(number * step)] for number in range(min(most, len(picks)))]


def _tried(line: Mapping[str, Any]) -> Tried:
    return Tried(line["verdict"], line.get("reason", ""), line.get("original") or {}, line.get("answer") or {})


def _answered(lines: Sequence[Mapping[str, Any]]) -> int:
    return sum(line["response"] is not None for line in lines)
