"""The data that the stages of a build share: plan, executor, journal and dropped items."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.plan import BuildPlan
from venus_toolkit.builders.replayed_measurements import ReplayedMeasurements
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.step import Item, Result, Step, Where
from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import LanguageError, ToolchainError
from venus_toolkit.core.interruption import worker_pool
from venus_toolkit.core.language import Language
from venus_toolkit.core.memory import give_back
from venus_toolkit.core.records import Expectation, Problem, Solution, TestCase, digest
from venus_toolkit.core.store import WORK, Store, read_manifest
from venus_toolkit.core.temporary import remove
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.execution.engine import EngineOptions, Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure, attempt
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import Suite, suite_of
from venus_toolkit.execution.measuring.counting import counter_facts, require_counting
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.models.client import ChatGenerator
from venus_toolkit.signatures import BATCH

log = logging.getLogger(__name__)
Progress = Callable[[str, int, int], None]  # called with a stage, the items done, and all items
DROPPED = "dropped.jsonl"
SANDBOX = "sandbox"  # the stage of items for which the sandbox failed


class Unit(NamedTuple):
    """A solution with its problem."""

    entry: Entry
    solution: Solution


class BuildContext:
    """The shared data of one build.

    Attributes:
        executor: Judges and measures; set by `open`.
        missing: The error messages of the languages that are not installed, by language id.
        scratch: A folder for data that does not fit into memory.
        seconds: The time of each stage, in seconds.
        stateful: Slug and id of the solutions that carry state between tests.
        no_runner: The reasons for missing runners, by slug and language id.
        replay: Returns the measurements in a language from the release that the plan replays.
    """

    executor: Executor
    missing: Mapping[str, str]

    def __init__(
        self, plan: BuildPlan, store: Store, languages: Mapping[str, Language], progress: Progress
    ) -> None:
        self.plan = plan
        self.store = store
        self.languages = languages
        self.scratch = store.folder / WORK / "tmp"
        # A killed build may have left files there. The store admits one build at a time.
        remove(self.scratch)
        self.model = (
            ChatGenerator(plan.model, store.folder / WORK / "model") if plan.model else None
        )
        self.seconds: dict[str, float] = {}
        self.stateful: set[tuple[str, str]] = set()
        self.no_runner: dict[tuple[str, str], str] = {}
        self.replay = cache(partial(ReplayedMeasurements, Path(plan.replay)))
        self._progress = progress
        self._dropped: dict[tuple[str, ...], Dropped] = {}
        self._dropped_of_source: frozenset[tuple[str, ...]] = frozenset()
        # Items of each stage in earlier parts and in the present one; progress covers all parts.
        self._before: Counter[str] = Counter()
        self._now: dict[str, int] = {}

    def open(self, sandbox: Sandbox, used: Sequence[Language]) -> None:
        """Create the executor in `sandbox`, for those of the languages `used` that are installed.

        Raises:
            ToolchainError: A language of the plan is not installed, or Python, which generators
                need.
            MachineError: The engine or the instruction counter is unavailable.
            UsageError: The plan counts instructions and the sandbox cannot.
        """
        self._dropped_of_source = frozenset(self._dropped)
        if counter_facts(self.plan.counter):
            require_counting(sandbox)

        def problem(language: Language) -> ToolchainError | None:
            try:
                sandbox.toolchain(language)
            except ToolchainError as error:
                return error
            return None

        with worker_pool() as pool:  # starting all compilers for their versions takes a while
            errors = dict(
                zip((language.id for language in used), pool.map(problem, used), strict=True)
            )
        # Without another language, only the votes of its solutions are missing.
        for name in (*self.plan.lang, "python"):
            if error := errors[name]:
                raise error
        self.missing = {name: str(error) for name, error in errors.items() if error}
        installed = [self.languages[name] for name in errors if name not in self.missing]
        options = EngineOptions(self.plan.engine, self.plan.jobs, self.plan.ray_address)
        self.executor = Executor(
            sandbox, installed, options, self.store, share_cores=self.plan.share_cores
        )

    def close(self) -> None:
        """Close the executor and the client of the model."""
        # If reading the source fails, the context is closed before `open` creates an executor.
        if hasattr(self, "executor"):
            self.executor.close()
        if self.model:
            self.model.close()

    def results(
        self, step: Step[Item, Result], items: Sequence[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, in the order in which they finish.

        Items for which the sandbox failed are dropped.
        """
        engine = self.executor.engine

        def work(item: Item, worker: Worker) -> Result | SandboxFailure:
            # `attempt` returns a SandboxError as a value; raised, it would end the whole stage.
            compute = partial(attempt, partial(step.work, item, worker))
            with doing((step.subject or step.problem)(item)):
                if step.depends_on is None:
                    return compute()
                key = partial(digest, step.name, step.depends_on(item))
                return self.executor.once(
                    step.name, key, compute, step.plain, step.read, step.keeps
                )

        with self.stage(step.name):
            if step.counted and items:
                self.report(step.name, 0, len(items))
            if step.where == Where.PAIRS:
                done = self.executor.measuring(work, items)
            else:
                done = (engine.here if step.where == Where.HERE else engine).judging(work, items)
            for number, (item, result) in enumerate(done, 1):
                problem = step.problem(item)
                if isinstance(result, SandboxFailure):
                    self.drop(
                        SANDBOX,
                        problem,
                        step.subject(item) if step.subject else problem,
                        result.reason,
                    )
                else:
                    for row in step.drops(item, result):
                        self.drop(*row)
                    yield item, result
                if step.counted:
                    self.report(step.name, number, len(items))

    def outputs(self, digests: Iterable[str]) -> dict[str, str]:
        """Return the outputs of canonical solutions, which the executor journals by digest."""
        return {name: self.store.get("output", name) for name in sorted(digests)}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Log a stage and add its time to `seconds`."""
        log.info("%s begins", name)
        start = time.monotonic()
        try:
            with doing(name):
                yield
        finally:
            elapsed_s = time.monotonic() - start
            log.info("%s took %.1f s", name, elapsed_s)
            self.seconds[name] = round(self.seconds.get(name, 0.0) + elapsed_s, 3)

    def report(self, stage: str, done: int, total: int) -> None:
        """Report the progress of a stage in this part of the problems, added to earlier parts."""
        self._now[stage] = total
        self._progress(stage, self._before[stage] + done, self._before[stage] + total)

    def next_part(self) -> None:
        """Start the next part of the problems: add up progress and release memory."""
        self._before.update(self._now)
        self._now.clear()
        give_back()

    def drop(self, stage: str, problem: str, item: str, reason: str, detail: Any = None) -> None:
        """Record a dropped item with its reason; equal rows count once.

        Several stages ask for the program of a solution, and each records a missing runner.
        """
        log.info("dropped at %s: %s of %s: %s", stage, item, problem, reason)
        self._dropped.setdefault(
            (stage, problem, item, reason), Dropped(stage, problem, item, reason, detail)
        )

    def forget_drops(self, problem: str) -> None:
        """Forget the dropped items of a problem since ingestion, because it is built again."""
        self._dropped = {
            key: row
            for key, row in self._dropped.items()
            if row.problem != problem or key in self._dropped_of_source
        }

    @property
    def reasons_of_failure(self) -> str:
        """The file, relative to the folder, for the reasons of a build without any problem.

        It does not replace the dropped.jsonl of an existing release.
        """
        release_exists = read_manifest(self.store.folder) is not None
        return f"{WORK}/{DROPPED}" if release_exists else DROPPED

    @property
    def dropped(self) -> list[Dropped]:
        """The dropped items, ordered by stage, problem and item."""
        # Results arrive in any order, but a resumed build writes the same bytes.
        return sorted(self._dropped.values(), key=lambda row: (row.stage, row.problem, row.item))

    def canonical(self, entry: Entry) -> list[Unit]:
        """Return the solutions labelled accepted whose language is installed."""
        return [
            Unit(entry, solution)
            for solution in entry.solutions
            if solution.expected == Expectation.ACCEPTED
            and solution.language in self.executor.languages
        ]

    def program(self, unit: Unit) -> Program | None:
        """Return the complete program; None, with a dropped row, if it has no usable runner."""
        problem, solution = unit.entry.problem, unit.solution
        language = self.languages[solution.language]
        runner = problem.runners.get(language.id)
        try:
            if problem.style == "stdin" or runner is not None:
                used_runner = runner if problem.style != "stdin" else None
                return whole_program(
                    language, used_runner, solution.code, problem.standards.get(language.id, "")
                )
            cause = self.no_runner.get((problem.slug, language.id), "").replace("\n", "; ")
            reason = f"runners/{language.id}{language.extension} is missing"
            reason += f", and none can be generated: {cause}" if cause else ""
            raise LanguageError(
                "there is no runner", reason, "see docs/problems.md and docs/runners.md"
            )
        except LanguageError as error:
            self.drop("runner", problem.slug, solution.solution_id, str(error))
            return None

    def batch_lines(self, unit: Unit, tests: Sequence[TestCase]) -> int | None:
        """Return the lines per test if the runner takes many tests in one process, else None."""
        problem = unit.entry.problem
        runner = (
            problem.runners.get(unit.solution.language, "") if problem.style == "function" else ""
        )
        if BATCH not in runner or not tests:
            return None
        # Any test will do: the signature determines the number of lines, one JSON value each.
        return tests[0].stdin.count("\n")

    def suite(self, problem: Problem, tests: Sequence[TestCase], language: str = "") -> Suite:
        """Return the tests and rules for solutions of a problem in a language."""
        rules = Rules(
            self.plan.limits(problem.limits, language), problem.comparison, problem.evaluator
        )
        return suite_of(problem.slug, tuple(tests), rules)
