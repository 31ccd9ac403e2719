"""Derives cold-start sets: answers in which a model thinks first, filtered for training.

The model improves an original solution, in the form
``<thinking>…</thinking><solution>…</solution>``. An answer enters the set if it has this form,
compiles, passes, and costs at most as much as the original, within the noise; both are measured
side by side. The paper's filter, ``form``, requires only the form, and no program runs.
``raw.jsonl``, next to the set, has all answers with their verdicts. If the sandbox fails, the
answer gets no verdict and is tried again in the next run.

A line of ``raw.jsonl`` is one answer: ``key`` (a digest of model, prompt, tests), ``problem_id``,
``title``, ``type``, ``model``, ``prompt`` (roles and contents), ``response``, ``verdict`` with its
``reason``, and the figures of original and answer. The answers to a block of prompts are tried in
parallel, and lines are journalled in the order of the prompts, so an interruption loses at most the
running trials.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.derive import kinds
from venus_toolkit.builders.derive.derive_options import FORM, DeriveOptions
from venus_toolkit.builders.derive.derived_sets import Config, DerivedConfig, open_configs
from venus_toolkit.builders.derive.kinds import MESSAGES, RowSource, SetKind
from venus_toolkit.builders.derive.selection import Pick, Progress
from venus_toolkit.builders.derive.separation import (
    ABSOLUTE,
    FIGURES,
    ObjectiveCosts,
    costlier,
    costs_of,
)
from venus_toolkit.builders.release_rows import kibibyte_milliseconds, kibibytes, milliseconds
from venus_toolkit.core.errors import LanguageError, ReleaseError, SandboxError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Verdict, digest, json_lines, to_plain
from venus_toolkit.core.store import WORK, Store, read_json_lines
from venus_toolkit.dataset.release import DERIVED
from venus_toolkit.dataset.task import COLUMNS, read_task, starter_of
from venus_toolkit.dataset.test_cases import digest_of_tests
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.assessment import Panel
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure
from venus_toolkit.execution.engine.work import Measuring
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.answers import read_answer, thinking_complaint
from venus_toolkit.models.client import Completion, Generator, Message, Prompt
from venus_toolkit.models.dialect import text_and_thoughts
from venus_toolkit.models.prompts import OBJECTIVES

NAME = "cold-start"
ANSWERS = "answers"  # in the journal
NO_FIGURES, COSTLIER = "not measured", "costlier than the original"
UNTRIED = "untried"  # the verdict of the filter FORM on an answer that has the form
SCHEMA = kinds.schema_of(
    {
        "prompt": MESSAGES, "completion": MESSAGES, "prompt_text": pa.string(), "response": pa.string(),
        "question_id": pa.int64(), "question_content": pa.string(), "code_prompt": pa.string(),
        "llm_response": pa.string(), "model": pa.string(),
    },
    "original",
    **{f"beside_{role}_{name}": pa.float64() for role in ("original", "answer") for name in OBJECTIVES},
)  # fmt: skip
KIND = SetKind(
    NAME, SCHEMA, kinds.improvable, tuple(dict.fromkeys((*kinds.PROBLEM_COLUMNS, *COLUMNS))), most=1
)


class AnswerTrial(NamedTuple):
    """The result of trying an answer.

    Attributes:
        verdict: The judge's verdict, FORM, or UNTRIED; None: the sandbox failed.
        reason: The reason for the verdict.
        original: The figures of the original, measured side by side with the answer; empty if the
            answer did not pass.
        answer: The figures of the answer; empty if it did not pass.
    """

    verdict: str | None
    reason: str = ""
    original: Mapping[str, Any] = {}
    answer: Mapping[str, Any] = {}


# Takes a row of a release, its language, the original program and the answer meant to improve it.
Trial = Callable[[Mapping[str, Any], Language, str, str], Future[AnswerTrial]]


@dataclasses.dataclass(frozen=True, slots=True)
class TeacherModel:
    """A model that answers prompts, and the trial of its answers.

    Attributes:
        model: The model's name; part of the key of an answer.
        generator: Answers prompts.
        trial: Tries answers.
        most: Maximum number of prompts, over all languages and objectives of a run; None: all.
    """

    model: str
    generator: Generator
    trial: Trial
    most: int | None = None


def derive_cold_start(
    folder: Path,
    languages: Sequence[Language],
    options: DeriveOptions,
    teacher: TeacherModel,
    progress: Progress = lambda *_: None,
) -> list[DerivedConfig]:
    """Write a cold-start set for each language into a release, without repeating prompts.

    Raises:
        ReleaseError: The folder is not a release, lacks a config or a train split, or is damaged.
        SandboxError: No answer entered the set, and the sandbox failed on some.
        StoreError: The release cannot be written.
        ToolchainError: A language is not installed.
    """
    derived: list[DerivedConfig] = []
    options = dataclasses.replace(options, per_problem=KIND.most)
    for config in open_configs(folder, languages, options):
        asked = sum(earlier.facts["prompts"] for earlier in derived)
        left = None if teacher.most is None else max(0, teacher.most - asked)
        derived.append(_derive_config(config, teacher, left, progress))
    return derived


def _derive_config(
    config: Config, teacher: TeacherModel, most: int | None, progress: Progress
) -> DerivedConfig:
    release, options = config.release, config.options
    picks, dropped = config.select(KIND, progress)
    if most is not None:  # spread evenly over all picks
        step = max(1.0, len(picks) / most) if most else 1.0
        picks = [picks[int(number * step)] for number in range(min(most, len(picks)))]
    name = f"{config.language.id}-{NAME}"
    raw = f"{DERIVED}/{name}/raw.jsonl"
    lines: list[Mapping[str, Any]] = []
    rows: dict[str, list[dict[str, Any]]] = {objective: [] for objective in options.objectives}
    # A downloaded release has no journal, only raw.jsonl.
    file = release.folder / raw
    try:
        earlier = read_json_lines(file) if file.is_file() else []
    except ValueError as error:
        fix = "remove it: the model will be asked again"
        raise ReleaseError(f"{file} cannot be read", str(error), fix) from error
    # A separate journal, because a running build locks that of the release.
    with Store(release.folder / WORK / "derive" / name) as journal:
        # A null verdict means that the sandbox failed: the prompt is asked again.
        answered = [*earlier, *journal.values(ANSWERS)]
        known = {line["key"]: line for line in answered if line["verdict"] is not None}
        for source, line in _answers(config, teacher, picks, known, journal, progress):
            lines.append(line)
            trial = AnswerTrial(line["verdict"], line["reason"], line["original"], line["answer"])
            reason = (
                "no answer"
                if line["response"] is None
                else refusal(trial, source.objective, config.rank, options)
            )
            if reason:
                dropped[source.objective][f"answers: {reason}"] += 1
            else:
                rows[source.objective].append(_row(source, line, trial))
    # This run's answers in the order of the prompts, then those of earlier runs.
    answers = [line for line in lines if line["response"] is not None]
    others = [known[key] for key in sorted(known.keys() - {line["key"] for line in lines})]
    with Store(release.folder) as store:
        store.write_text(raw, json_lines(answers + others))
    failures = [line["reason"] for line in answers if line["verdict"] is None]
    if failures and not any(rows.values()):
        # The machine is at fault, not the options.
        raise SandboxError(
            "no answer could be run", failures[-1], "type: venus doctor, and then the same command"
        )
    facts = {"model": teacher.model, "prompts": len(picks), "responses": len(answers)}
    derived = config.write(KIND, rows, dropped, facts)
    release.update({}, [raw])
    return derived


def _row(source: RowSource, line: Mapping[str, Any], trial: AnswerTrial) -> dict[str, Any]:
    figures_beside = {}
    for role, figures in (("original", trial.original), ("answer", trial.answer)):
        figures_beside[f"beside_{role}_time"] = milliseconds(figures.get("wall_ns"))
        figures_beside[f"beside_{role}_memory"] = kibibytes(figures.get("peak_bytes"))
        figures_beside[f"beside_{role}_integral"] = kibibyte_milliseconds(
            figures.get("integral_byte_ns")
        )
    return kinds.row_of(
        source,
        "thinking",
        {"original": source.chosen[0]},
        completion=kinds.assistant_message(line["response"]),
        response=line["response"],
        question_id=source.problem["problem_id"],
        question_content=source.problem["question_content"],
        code_prompt=source.problem["code_prompt"],
        llm_response=line["response"],
        model=line["model"],
        **figures_beside,
    )


def _answers(
    config: Config,
    teacher: TeacherModel,
    picks: Sequence[Pick],
    known: dict[str, Mapping[str, Any]],
    journal: Store,
    progress: Progress,
) -> Iterator[tuple[RowSource, Mapping[str, Any]]]:
    """Yield the source of each prompt with its line of ``raw.jsonl``."""
    remaining = config.sources(KIND, picks)
    done = 0
    at_once = 32  # prompts answered before their answers are tried
    by_form = config.options.filter == FORM

    def final(key: str) -> bool:
        """Whether the known verdict on an answer suffices for the filter."""
        return key in known and (by_form or known[key]["verdict"] != UNTRIED)

    while sources := list(islice(remaining, at_once)):
        block: list[tuple[RowSource, Prompt, str]] = []
        for source in sources:
            messages = kinds.prompt_columns(source, source.chosen[0], "thinking")["prompt"]
            prompt = tuple(Message(**message) for message in messages)
            # The key covers the tests, because the stored verdict depends on them.
            key = digest(teacher.model, list(prompt), digest_of_tests(source.problem))
            block.append((source, prompt, key))
        new = [prompt for _, prompt, key in block if key not in known]
        completions = dict(zip(new, teacher.generator.complete(new) if new else [], strict=True))
        completions |= {
            prompt: Completion(known[key]["response"], cached=True)
            for _, prompt, key in block
            if key in known
        }
        trials: dict[str, Future[AnswerTrial]] = {}
        for source, prompt, key in block:
            text = None if final(key) or key in trials else completions[prompt].text
            if text is not None:
                trials[key] = teacher.trial(
                    source.problem, source.language, source.chosen[0]["code"], text
                )
        for source, prompt, key in block:
            line = known.get(key)
            if line is None or not final(key):
                trial = (
                    trials[key].result()
                    if key in trials
                    else AnswerTrial(None, completions[prompt].reason)
                )
                line = {
                    "key": key,
                    "problem_id": source.problem["problem_id"],
                    "title": source.problem["title"],
                    "type": source.objective,
                    "model": teacher.model,
                    "prompt": [message._asdict() for message in prompt],
                    "response": completions[prompt].text,
                    **trial._asdict(),
                }
                # Without a verdict (no answer, or the sandbox failed) it is asked again.
                if line["verdict"] is not None:
                    journal.put(ANSWERS, key, line)
                    known[key] = line
            done += 1
            progress(f"ask {config.language.id}", done, len(picks))
            yield source, line


def try_form(
    problem: Mapping[str, Any], language: Language, original: str, text: str
) -> Future[AnswerTrial]:
    """Check only the form of the answer `text`, as the paper's filter does."""
    done: Future[AnswerTrial] = Future()
    _, complaint = _read_code(problem, language, text)
    done.set_result(AnswerTrial(FORM, complaint) if complaint else AnswerTrial(UNTRIED))
    return done


def _read_code(problem: Mapping[str, Any], language: Language, text: str) -> tuple[str, str]:
    """Return the code of an answer, and the reason why it lacks the form, or ""."""
    extracted = read_answer(text, language, starter_of(problem))
    return extracted.code or "", thinking_complaint(text, language) or (
        "" if extracted.code else extracted.reason
    )


def try_answer(
    executor: Executor,
    how: MeasureOptions,
    problem: Mapping[str, Any],
    language: Language,
    original: str,
    text: str,
) -> Future[AnswerTrial]:
    """Submit a trial of the answer `text`, meant to improve `original` of a row; return at once."""

    def run_trial(worker: Worker) -> AnswerTrial:
        code, complaint = _read_code(problem, language, text)
        if complaint:
            return AnswerTrial(FORM, complaint)
        try:
            task = read_task(problem, language, executor.sandbox, worker.cores)
            before, after = task.program(original), task.program(code)
        except LanguageError as failure:
            return AnswerTrial(FORM, str(failure))
        except SandboxError as failure:
            return AnswerTrial(None, f"the inputs of {problem['title']} cannot be made: {failure}")
        panel = Panel(task.suite, (after,), Measuring(how), references=(before,))
        assessment = executor.assess(worker, panel)
        if isinstance(assessment, SandboxFailure):
            return AnswerTrial(None, assessment.reason)
        (result,) = assessment.programs
        if result.measured is None or not result.passed:
            return AnswerTrial(str(result.judgement.verdict), result.judgement.reason)
        figures = (*assessment.references, result.measured)
        return AnswerTrial(
            str(Verdict.ACCEPTED), "", *(to_plain(measurement.total) for measurement in figures)
        )

    return executor.submit(run_trial)


def refusal(trial: AnswerTrial, objective: str, rank: str, options: DeriveOptions) -> str:
    """Return the reason to reject an answer, or "".

    An accepted answer passes and costs at most as much as the original, within the noise; the
    filter FORM requires only the form.
    """
    if options.filter == FORM:
        return FORM if trial.verdict == FORM else ""
    if trial.verdict != Verdict.ACCEPTED:
        return trial.verdict or "the sandbox failed"
    # Zero for the figures that a prompt would show: here they do not count.
    shown = ("time", "memory", "integral")
    figures = {
        # An array of floats turns None into nan.
        name: np.zeros(2)
        if name in shown
        else np.array([measurement.get(name) for measurement in trial[2:]], dtype=np.float64)
        for name in FIGURES
    }
    # Instructions are not counted here: an answer could forge its count, and time shows a loss.
    rank = rank if rank == ABSOLUTE else "relative"
    costs = costs_of(figures, objective, rank, options)
    if not costs.comparable.all():
        return NO_FIGURES
    # Unpublished measurements, so their values replace the shown figures. Solution 0 is the
    # original, 1 the answer. Any loss counts, hence a min_ratio of 1.
    by_value = ObjectiveCosts(costs.value, costs.noise, costs.value)
    return COSTLIER if costlier(by_value, dataclasses.replace(options, min_ratio=1.0))[1, 0] else ""


class ReplayedAnswers:
    """A generator that answers from a file like ``raw.jsonl``; ``prompt`` and ``response`` suffice.

    Raises:
        UsageError: The file cannot be read, or has no answers.
    """

    def __init__(self, file: Path) -> None:
        fix = "name a raw.jsonl: see docs/derive.md"
        try:
            self._said = {
                tuple((message["role"], message["content"]) for message in line["prompt"]): line[
                    "response"
                ]
                for line in read_json_lines(file)
                if line.get("response")
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            raise UsageError(f"{file} cannot be replayed", reason, fix) from error
        if not self._said:
            raise UsageError(f"{file} cannot be replayed", "it has no answer", fix)
        self._file = file

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the answer to each prompt; one missing from the file has a reason and no text."""
        responses = [
            self._said.get(tuple((message.role, message.content) for message in prompt))
            for prompt in prompts
        ]
        missing = Completion(None, f"{self._file.name} has no answer to this prompt")
        return [
            missing
            if text is None
            else Completion(text_and_thoughts(text)[0], cached=True).storable()
            for text in responses
        ]
