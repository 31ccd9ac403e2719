"""Cold start: what a model answers when it is asked to think first, kept where it is worth learning from.

The model is asked to improve an original solution, in the form
``<thinking>…</thinking><solution>…</solution>``. An answer is kept when it has the form, compiles,
passes, and costs no more than the original beyond the noise, both measured beside each other here.
With the paper's filter, ``form``, it has the form, and no program runs. All answers stay in
``raw.jsonl`` beside the set, with what came of them. Where the sandbox fails, the answer is left
for another time, and nothing is said of the code.

A line of ``raw.jsonl`` is one answer: ``key`` (a digest of model, prompt, tests), ``problem_id``,
``title``, ``type``, ``model``, ``prompt`` (roles and contents), ``response``, ``verdict`` with its
``reason``, and the figures of original and answer. The answers to a block of prompts are tried
beside each other, and lines are journalled in the order of the prompts: a stop loses at most what
is being tried.
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
UNTRIED = "untried"  # the verdict on an answer that has the form, where the filter asks for no more
SCHEMA = kinds.schema_of(
    {
        "prompt": MESSAGES, "completion": MESSAGES, "prompt_text": pa.string(), "response": pa.string(),
        "question_id": pa.int64(), "question_content": pa.string(), "code_prompt": pa.string(),
        "llm_response": pa.string(), "model": pa.string(),
    },
    "original",
    **{f"beside_{who}_{name}": pa.float64() for who in ("original", "answer") for name in OBJECTIVES},
)  # fmt: skip
KIND = SetKind(
    NAME, SCHEMA, kinds.improvable, tuple(dict.fromkeys((*kinds.PROBLEM_COLUMNS, *COLUMNS))), most=1
)


class AnswerTrial(NamedTuple):
    """What came of an answer.

    verdict is that of the judge, FORM, or UNTRIED; None: the sandbox failed. original and answer are the
    figures of both, measured beside each other; empty where the answer did not pass.
    """

    verdict: str | None
    reason: str = ""
    original: Mapping[str, Any] = {}
    answer: Mapping[str, Any] = {}


# Given a row of a release, its language, the original program and the answer that was asked to
# better it; others may be tried beside it.
Trial = Callable[[Mapping[str, Any], Language, str, str], Future[AnswerTrial]]


@dataclasses.dataclass(frozen=True, slots=True)
class TeacherModel:
    """Who is asked and how answers are tried.

    Attributes:
        model: The model's name; part of what an answer is known by.
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
    """Write what a model's answers give, for each language, into a release; nothing is asked twice.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
        SandboxError: There is nothing to write, and programs could not be run.
        StoreError: The release cannot be written.
        ToolchainError: A language is not installed.
    """
    made: list[DerivedConfig] = []
    options = dataclasses.replace(options, per_problem=KIND.most)
    for config in open_configs(folder, languages, options):
        asked = sum(each.facts["prompts"] for each in made)
        left = None if teacher.most is None else max(0, teacher.most - asked)
        made.append(_derive_config(config, teacher, left, progress))
    return made


def _derive_config(
    config: Config, teacher: TeacherModel, most: int | None, progress: Progress
) -> DerivedConfig:
    release, options = config.release, config.options
    picks, dropped = config.select(KIND, progress)
    if most is not None:  # evenly over all of them
        step = max(1.0, len(picks) / most) if most else 1.0
        picks = [picks[int(number * step)] for number in range(min(most, len(picks)))]
    name = f"{config.language.id}-{NAME}"
    raw = f"{DERIVED}/{name}/raw.jsonl"
    lines: list[Mapping[str, Any]] = []
    rows: dict[str, list[dict[str, Any]]] = {objective: [] for objective in options.objectives}
    # Those of a release that was pulled are all that is known of its answers.
    file = release.folder / raw
    try:
        earlier = read_json_lines(file) if file.is_file() else []
    except ValueError as error:
        fix = "remove it: its answers are asked for again"
        raise ReleaseError(f"{file} cannot be read", str(error), fix) from error
    # A journal of its own: that of the release is locked for as long as a build goes on.
    with Store(release.folder / WORK / "derive" / name) as journal:
        # A verdict of null says that the sandbox failed: such an answer is asked for again.
        answered = [*earlier, *journal.values(ANSWERS)]
        known = {line["key"]: line for line in answered if line["verdict"] is not None}
        for source, line in _answers(config, teacher, picks, known, journal, progress):
            lines.append(line)
            tried = AnswerTrial(line["verdict"], line["reason"], line["original"], line["answer"])
            why = (
                "no answer"
                if line["response"] is None
                else refusal(tried, source.objective, config.rank, options)
            )
            if why:
                dropped[source.objective][f"answers: {why}"] += 1
            else:
                rows[source.objective].append(_row(source, line, tried))
    # Those of this run in the order of the prompts, then what others asked beyond.
    answers = [line for line in lines if line["response"] is not None]
    others = [known[key] for key in sorted(known.keys() - {line["key"] for line in lines})]
    with Store(release.folder) as store:
        store.write_text(raw, json_lines(answers + others))
    failures = [line["reason"] for line in answers if line["verdict"] is None]
    if failures and not any(rows.values()):
        # Not the options are to blame; the answers are kept, and tried again.
        raise SandboxError(
            "no answer could be run", failures[-1], "type: venus doctor, and then the same command"
        )
    facts = {"model": teacher.model, "prompts": len(picks), "responses": len(answers)}
    made = config.write(KIND, rows, dropped, facts)
    release.update({}, [raw])
    return made


def _row(source: RowSource, line: Mapping[str, Any], tried: AnswerTrial) -> dict[str, Any]:
    beside = {}
    for who, figures in (("original", tried.original), ("answer", tried.answer)):
        beside[f"beside_{who}_time"] = milliseconds(figures.get("wall_ns"))
        beside[f"beside_{who}_memory"] = kibibytes(figures.get("peak_bytes"))
        beside[f"beside_{who}_integral"] = kibibyte_milliseconds(figures.get("integral_byte_ns"))
    return kinds.row_of(
        source,
        "thinking",
        {"original": source.chosen[0]},
        completion=kinds.says(line["response"]),
        response=line["response"],
        question_id=source.problem["problem_id"],
        question_content=source.problem["question_content"],
        code_prompt=source.problem["code_prompt"],
        llm_response=line["response"],
        model=line["model"],
        **beside,
    )


def _answers(
    config: Config,
    teacher: TeacherModel,
    picks: Sequence[Pick],
    known: dict[str, Mapping[str, Any]],
    journal: Store,
    progress: Progress,
) -> Iterator[tuple[RowSource, Mapping[str, Any]]]:
    """Yield what each prompt was made from, with the line that says what came of it."""
    remaining = config.sources(KIND, picks)
    done = 0
    at_once = 32  # prompts that a model is asked before their answers are tried
    by_form = config.options.filter == FORM

    def final(key: str) -> bool:
        """Whether an answer is known with a verdict that the filter can decide on."""
        return key in known and (by_form or known[key]["verdict"] != UNTRIED)

    while sources := list(islice(remaining, at_once)):
        block: list[tuple[RowSource, Prompt, str]] = []
        for source in sources:
            messages = kinds.prompt_columns(source, source.chosen[0], "thinking")["prompt"]
            prompt = tuple(Message(**message) for message in messages)
            # Other tests are another question: the verdict is part of what is kept.
            key = digest(teacher.model, list(prompt), digest_of_tests(source.problem))
            block.append((source, prompt, key))
        new = [prompt for _, prompt, key in block if key not in known]
        said = dict(zip(new, teacher.generator.complete(new) if new else [], strict=True))
        said |= {
            prompt: Completion(known[key]["response"], cached=True)
            for _, prompt, key in block
            if key in known
        }
        trials: dict[str, Future[AnswerTrial]] = {}
        for source, prompt, key in block:
            text = None if final(key) or key in trials else said[prompt].text
            if text is not None:
                trials[key] = teacher.trial(
                    source.problem, source.language, source.chosen[0]["code"], text
                )
        for source, prompt, key in block:
            line = known.get(key)
            if line is None or not final(key):
                tried = (
                    trials[key].result()
                    if key in trials
                    else AnswerTrial(None, said[prompt].reason)
                )
                line = {
                    "key": key,
                    "problem_id": source.problem["problem_id"],
                    "title": source.problem["title"],
                    "type": source.objective,
                    "model": teacher.model,
                    "prompt": [message._asdict() for message in prompt],
                    "response": said[prompt].text,
                    **tried._asdict(),
                }
                # Without an answer, or where the sandbox failed, there is no verdict, and it is
                # asked again.
                if line["verdict"] is not None:
                    journal.put(ANSWERS, key, line)
                    known[key] = line
            done += 1
            progress(f"ask {config.language.id}", done, len(picks))
            yield source, line


def try_form(
    problem: Mapping[str, Any], language: Language, original: str, text: str
) -> Future[AnswerTrial]:
    """Return whether the answer `text` has the form, which is all that the paper's filter asks for."""
    done: Future[AnswerTrial] = Future()
    _, complaint = _read(problem, language, text)
    done.set_result(AnswerTrial(FORM, complaint) if complaint else AnswerTrial(UNTRIED))
    return done


def _read(problem: Mapping[str, Any], language: Language, text: str) -> tuple[str, str]:
    """Return the code of an answer, and why it does not have the form, or ""."""
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
    """Have the answer `text` tried, which was asked to better `original` of a row of a release.

    Returns at once.
    """

    def tried(worker: Worker) -> AnswerTrial:
        code, complaint = _read(problem, language, text)
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
        return AnswerTrial(str(Verdict.ACCEPTED), "", *(to_plain(each.total) for each in figures))

    return executor.submit(tried)


def refusal(tried: AnswerTrial, objective: str, rank: str, options: DeriveOptions) -> str:
    """Return why an answer is not kept, or "".

    It passed, and costs no more than the original beyond the noise; with the filter FORM it has the
    form.
    """
    if options.filter == FORM:
        return FORM if tried.verdict == FORM else ""
    if tried.verdict != Verdict.ACCEPTED:
        return tried.verdict or "the sandbox failed"
    # what a prompt shows; nothing is shown here, so they do not count
    shown = ("time", "memory", "integral")
    figures = {
        # An array of floats turns None into nan.
        name: np.zeros(2)
        if name in shown
        else np.array([each.get(name) for each in tried[2:]], dtype=np.float64)
        for name in FIGURES
    }
    # Neither of the two was counted: a model's answer can forge its count, and time is enough to
    # see a loss.
    rank = rank if rank == ABSOLUTE else "relative"
    costs = costs_of(figures, objective, rank, options)
    if not costs.comparable.all():
        return NO_FIGURES
    # Of these two measurements nothing is published: their values decide alone. Solution 0 is the
    # original, 1 the answer. min_ratio says what is worth a lesson, and here any loss counts.
    by_value = ObjectiveCosts(costs.value, costs.noise, costs.value)
    return COSTLIER if costlier(by_value, dataclasses.replace(options, min_ratio=1.0))[1, 0] else ""


class ReplayedAnswers:
    """A generator that answers from a file in the form of ``raw.jsonl``.

    ``prompt`` and ``response`` are enough.

    Raises:
        UsageError: It cannot be read, or holds no answer.
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
            why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            raise UsageError(f"{file} cannot be replayed", why, fix) from error
        if not self._said:
            raise UsageError(f"{file} cannot be replayed", "it has no answer", fix)
        self._file = file

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the answer to each prompt.

        One that is not in the file has no text, with the reason.
        """
        said = [
            self._said.get(tuple((each.role, each.content) for each in prompt))
            for prompt in prompts
        ]
        missing = Completion(None, f"{self._file.name} has no answer to this prompt")
        return [
            missing
            if text is None
            else Completion(text_and_thoughts(text)[0], cached=True).storable()
            for text in said
        ]
