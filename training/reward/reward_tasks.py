"""Prepares the task behind a prompt: the problem, the original, and tests that the prompt never showed.

A program must pass all tests: those of the release and, if the problem has a generator, held-out
ones with this training's seeds. Its cost is measured on tests that it cannot have memorised:

fresh   held-out tests with outputs on which two or three human solutions of the release agree
hidden  without a generator: the release's tests, except those in the statement
none    all tests, if the statement shows all; memorised answers go unnoticed; results say ``none``
"""

from __future__ import annotations

import dataclasses
import random
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from venus_toolkit.core.errors import LanguageError, ReleaseError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import TestCase, Verdict, digest, measured_tests
from venus_toolkit.core.temporary import make_temporary, remove, sweep
from venus_toolkit.dataset.release import Release
from venus_toolkit.dataset.task import RowIndex, Task, read_task
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, known
from venus_toolkit.execution.judging.held_out import (
    FEWEST_REFERENCES,
    held_out_tests,
    kept,
    reseeded_tests,
)
from venus_toolkit.execution.measuring.measure import count_reseeded
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.models.prompts import OBJECTIVES, PromptRequest, request_of_row
from venus_toolkit.training.recipe import FORMS, GRPO
from venus_toolkit.training.reward.rewards import RewardOptions

FRESH, HIDDEN, NONE = "fresh", "hidden", "none"


class TaskReference(NamedTuple):
    """The columns of a GRPO row that identify its task; `type` is the objective.

    Without an original, `original_solution_id` is empty.
    """

    config: str
    split: str
    title: str
    type: str
    original_solution_id: str
    tests_sha256: str
    revision: str


def read_reference(row: Mapping[str, Any]) -> TaskReference:
    """Return the reference in a row of a GRPO set.

    Raises:
        UsageError: A column is missing or is not a string.
    """
    missing = [name for name in TaskReference._fields if not isinstance(row.get(name), str)]
    if missing:
        problem = f"a row has no {' and no '.join(missing)}: the reward cannot find its tests"
        raise UsageError(
            problem,
            "it is not a row of a GRPO set",
            "make one: venus derive grpo RELEASE --lang all",
        )
    if row["type"] not in OBJECTIVES:
        reason = "expected one of " + ", ".join(OBJECTIVES)
        raise UsageError(
            f"a row has the type {row['type']!r}", reason, "make the set again: venus derive grpo"
        )
    return TaskReference(*(row[name] for name in TaskReference._fields))


@dataclasses.dataclass(frozen=True, slots=True)
class RewardTask:
    """The task on which the answers to a prompt are judged.

    Attributes:
        task: The problem; programs are judged on all its tests, in shuffled order.
        measured_on: The tests that programs are measured on.
        kind: The source of those tests: FRESH, HIDDEN or NONE.
        original: The code to improve; may be empty.
        passes: Whether the original passes on this machine; False without an original.
        generator: Code that generates inputs; may be empty.
        references: Human solutions that have to agree on an output.
        request: The prompt request of the problem, without an original.
    """

    task: Task
    measured_on: tuple[TestCase, ...]
    kind: str
    original: str
    passes: bool
    generator: str
    references: tuple[Program, ...]
    request: PromptRequest


class RewardTasks:
    """Prepares and caches reward tasks, each once, for any number of threads.

    Args:
        release: The release with the problems.
        executor: Judges the original and makes held-out tests.
        languages: Languages by id.
        options: Which tests to use, and how many problems to cache.
    """

    def __init__(
        self,
        release: Release,
        executor: Executor,
        languages: Mapping[str, Language],
        options: RewardOptions,
    ) -> None:
        self._release = release
        self._executor = executor
        self._languages = languages
        self._options = options
        self._indexes: dict[tuple[str, str], RowIndex] = {}
        self._cache: OrderedDict[TaskReference, Future[RewardTask]] = OrderedDict()
        self._mutex = threading.Lock()
        sweep("held-out")  # what a killed process left behind
        self._folder = make_temporary("held-out")

    def close(self) -> None:
        """Remove the files with held-out tests."""
        remove(self._folder)

    def language(self, reference: TaskReference) -> Language:
        """Return the language that a reference names.

        Raises:
            ReleaseError: The toolkit does not know the language.
        """
        if reference.config not in self._languages:
            reason = f"expected one of {', '.join(self._languages)}"
            raise ReleaseError(
                f"no language is called {reference.config!r}",
                reason,
                "name the folder of the language",
            )
        return self._languages[reference.config]

    def starter(self, reference: TaskReference) -> str:
        """Return the starter code of the problem.

        Empty for problems whose solutions are programs, and if the release lacks the problem.
        """
        with self._mutex, suppress(ReleaseError):  # `find` reports it
            return self._index(reference).starter(reference.title)
        return ""

    def _index(self, reference: TaskReference) -> RowIndex:
        index = (reference.config, reference.split)
        if index not in self._indexes:
            self._indexes[index] = RowIndex(self._release, *index)
        return self._indexes[index]

    def find(self, reference: TaskReference, worker: Worker) -> RewardTask:
        """Return the task that a reference names.

        A failure is not cached: the next call retries.

        Raises:
            ReleaseError: The release is not the one that the reference was taken from, or is
                damaged.
            SandboxError: The sandbox failed.
        """
        own: Future[RewardTask] = Future()
        with self._mutex:
            future = self._cache.setdefault(reference, own)
            self._cache.move_to_end(reference)
            while len(self._cache) > self._options.keep:
                self._cache.popitem(last=False)
        # Outside the mutex: preparing runs programs, and threads with other tasks must not wait.
        if future is own:
            try:
                own.set_result(self._prepare(reference, worker.at(reference.title)))
            except BaseException as error:  # every waiting caller must get it, whatever it is
                with self._mutex:
                    self._cache.pop(reference, None)
                own.set_exception(error)
        return future.result()

    def _prepare(self, reference: TaskReference, worker: Worker) -> RewardTask:
        with self._mutex:
            index = self._index(reference)
        row = index.row(reference.title)
        task = read_task(row, self.language(reference), self._executor.sandbox, worker.cores)
        codes = {
            "": "",
            **{solution["solution_id"]: solution["code"] for solution in row["solutions"]},
        }
        code = codes.get(reference.original_solution_id)
        if task.tests_sha256 != reference.tests_sha256 or code is None:
            reason = "its tests or its solutions differ"
            problem = (
                f"{self._release.folder} is not the release that {reference.title} was taken from"
            )
            fix = f"name the right one, revision {reference.revision or 'unpublished'}"
            raise ReleaseError(problem, reason, fix)
        # Up to three human solutions that pass (the fastest, the median and the slowest) have to
        # agree on an output.
        passing: list[Program] = []
        for solution in sorted(row["solutions"], key=lambda solution: solution["wall_ns"] or 0):
            with suppress(LanguageError):  # the code has no entry point for the runner
                passing += [task.program(solution["code"])] if solution["passed"] else []
        chosen = sorted({round(n * (len(passing) - 1) / 2) for n in range(3)}) if passing else []
        generator, references = row["test_case_generator"] or "", tuple(passing[n] for n in chosen)
        held_out = self._held_out(task, generator, references, worker)
        unseen, kind = unseen_tests(task.tests, held_out, row["question_content"] or "")
        measured_on = measured_tests(unseen)
        # Shuffled: a program may count the runs before this one, so the order must reveal nothing.
        tests = [*task.tests, *held_out]
        drawn = tuple(
            random.Random(f"{self._options.seed} {reference.title}").sample(tests, len(tests))
        )
        whole = dataclasses.replace(task, tests=drawn)
        passes = bool(code)
        if code:
            with suppress(
                LanguageError
            ):  # a failing original may have no entry point for the runner
                judged = self._executor.judge(worker, whole.suite, task.program(code))
                passes = (
                    known(judged, "the original could not be judged").judgement.verdict
                    == Verdict.ACCEPTED
                )
        request = request_of_row(row, task.language, reference.type, FORMS[GRPO])
        return RewardTask(whole, measured_on, kind, code, passes, generator, references, request)

    def reseeded(
        self, task: RewardTask, draw: str, worker: Worker
    ) -> tuple[tuple[TestCase, ...], ...]:
        """Return the tests of each repeat, with inputs that `draw` chooses.

        Empty if all repeats would have the same inputs. Tests are made when they are first drawn,
        and cached in a file, because training draws a problem repeatedly.

        Raises:
            SandboxError: The sandbox failed.
        """
        options, judged, tests, near = (
            self._options,
            task.task,
            task.measured_on,
            worker.at(task.task.title),
        )
        if not options.reseed or not task.generator or len(task.references) < FEWEST_REFERENCES:
            return ()
        name = digest(judged.language.id, judged.title, judged.tests_sha256)

        def make(number: int) -> list[TestCase]:
            seed, rules = f"{options.seed} {judged.title} {number}", judged.suite.rules
            fresh = self._executor.run(
                near, reseeded_tests, tests, rules, task.generator, task.references, seed
            )
            return known(fresh, f"other inputs for {judged.title} could not be made")

        repeats = options.measure.repeats
        # A problem has eight sets of inputs; a group of answers draws one for each repeat.
        drawn = random.Random(draw).sample(range(max(8, repeats)), repeats)
        sets = tuple(
            kept(self._folder / f"{name}-{number}.json.gz", partial(make, number))
            for number in drawn
        )
        return sets if count_reseeded(tests, sets) else ()

    def _held_out(
        self, task: Task, generator: str, programs: Sequence[Program], worker: Worker
    ) -> tuple[TestCase, ...]:
        """Return tests with new seeds whose outputs human solutions agree on.

        Empty without a generator. Tests are made once for a problem and cached in a file, because
        training draws it repeatedly.
        """
        options = self._options
        if not generator or len(programs) < FEWEST_REFERENCES or not options.fresh:
            return ()
        name = digest(task.language.id, task.title, task.tests_sha256)

        def make() -> list[TestCase]:
            fresh = self._executor.run(
                worker, held_out_tests, measured_tests(task.tests), task.suite.rules, generator, programs,
                options.fresh, options.seed,
            )  # fmt: skip
            return known(fresh, f"held-out tests of {task.title} could not be made")

        return kept(self._folder / f"{name}.json.gz", make)


def unseen_tests(
    tests: Sequence[TestCase], held_out: Sequence[TestCase], statement: str
) -> tuple[tuple[TestCase, ...], str]:
    """Return the tests that no answer can have memorised, and their source (FRESH, HIDDEN or NONE)."""
    if len(held_out) >= 3:  # fewer are not worth measuring on
        return tuple(held_out), FRESH
    hidden = tuple(test for test in tests if not is_shown(test, statement))
    return (hidden, HIDDEN) if hidden else (tuple(tests), NONE)


def is_shown(test: TestCase, statement: str) -> bool:
    """Return whether a statement contains every line of a test's input and output, up to white space."""

    def spaced(text: str) -> str:
        words = " ".join(re.findall(r"\w+|[^\w\s]", text))
        return f" {words} "  # so that 1 does not match 12

    shown = spaced(statement)
    lines = f"{test.stdin}\n{test.stdout or ''}".split("\n")
    return all(spaced(line) in shown for line in lines if line.strip())
