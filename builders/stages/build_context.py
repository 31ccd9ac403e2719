"""What the stages of a build share: the plan, the executor, the journal, and what was dropped."""

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
# told the stage, how much of it is done, and how much there is
Progress = Callable[[str, int, int], None]
DROPPED = "dropped.jsonl"
SANDBOX = "sandbox"  # the stage of what is dropped because the sandbox failed at it


class Unit(NamedTuple):
    """A solution with the problem it solves: what is validated and judged."""

    entry: Entry
    solution: Solution


class BuildContext:
    """One build.

    Attributes:
        executor: Judges and measures; there once `open` was called.
        missing: The languages that are not installed, and why that is known.
        scratch: A folder for what does not fit into memory.
        seconds: What each stage took.
        stateful: Slug and id of solutions that remember something between tests.
        no_runner: By slug and language: why no runner could be made.
        replay: Returns the measurements in a language that the plan says to take instead of
            measuring.
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
        # with what a build left there that was killed: the folder takes one build at a time
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
        # Items of each stage in earlier parts, and in the part at work: progress runs over all
        # parts.
        self._before: Counter[str] = Counter()
        self._now: dict[str, int] = {}

    def open(self, sandbox: Sandbox, used: Sequence[Language]) -> None:
        """Work in `sandbox`, with those of the languages `used` that are installed.

        Raises:
            ToolchainError: A language of the plan is not installed, or Python, in which generators
                are written.
            MachineError: The engine cannot be had, or what is to count instructions.
            UsageError: Instructions are to be counted, and the sandbox does not.
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

        with worker_pool() as pool:  # starting seven compilers for their versions takes a while
            found = dict(
                zip((language.id for language in used), pool.map(problem, used), strict=True)
            )
        # Any other language may be missing: its solutions then have no vote, and the build goes on.
        for name in (*self.plan.lang, "python"):
            if error := found[name]:
                raise error
        self.missing = {name: str(error) for name, error in found.items() if error}
        here = [self.languages[name] for name in found if name not in self.missing]
        options = EngineOptions(self.plan.engine, self.plan.jobs, self.plan.ray_address)
        self.executor = Executor(
            sandbox, here, options, self.store, share_cores=self.plan.share_cores
        )

    def close(self) -> None:
        """End the executor and the conversation with the model."""
        # A context is closed too where reading the source failed, before `open` made an executor.
        if hasattr(self, "executor"):
            self.executor.close()
        if self.model:
            self.model.close()

    def results(
        self, step: Step[Item, Result], items: Sequence[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come.

        Those that the sandbox failed at are dropped.
        """
        engine = self.executor.engine

        def work(item: Item, worker: Worker) -> Result | SandboxFailure:
            # `attempt` makes a SandboxError a value: raised, it would end the other items with it.
            find = partial(attempt, partial(step.work, item, worker))
            with doing((step.subject or step.problem)(item)):
                if step.depends_on is None:
                    return find()
                key = partial(digest, step.name, step.depends_on(item))
                return self.executor.once(step.name, key, find, step.plain, step.read, step.keeps)

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
        """Return the texts that canonical solutions printed, by their digests.

        The executor journals each once.
        """
        return {name: self.store.get("output", name) for name in sorted(digests)}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Take the time of a stage."""
        log.info("%s begins", name)
        start = time.monotonic()
        try:
            with doing(name):
                yield
        finally:
            taken = time.monotonic() - start
            log.info("%s took %.1f s", name, taken)
            self.seconds[name] = round(self.seconds.get(name, 0.0) + taken, 3)

    def report(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage is with this part of the problems; the parts before it are added."""
        self._now[stage] = total
        self._progress(stage, self._before[stage] + done, self._before[stage] + total)

    def next_part(self) -> None:
        """From here on the stages work on other problems."""
        self._before.update(self._now)
        self._now.clear()
        give_back()

    def drop(self, stage: str, problem: str, item: str, reason: str, detail: Any = None) -> None:
        """Record once that something is dropped, and why."""
        # Validating, judging and measuring each ask for the program: a runner that is missing
        # counts once.
        log.info("dropped at %s: %s of %s: %s", stage, item, problem, reason)
        self._dropped.setdefault(
            (stage, problem, item, reason), Dropped(stage, problem, item, reason, detail)
        )

    def forget_drops(self, problem: str) -> None:
        """Forget what was dropped of a problem since its source was read: it is built again."""
        self._dropped = {
            key: row
            for key, row in self._dropped.items()
            if row.problem != problem or key in self._dropped_of_source
        }

    @property
    def reasons_of_failure(self) -> str:
        """The file, in the folder, that says why nothing was built.

        A release that is there already has a dropped.jsonl of its own, which stays.
        """
        there = read_manifest(self.store.folder) is not None
        return f"{WORK}/{DROPPED}" if there else DROPPED

    @property
    def dropped(self) -> list[Dropped]:
        """What was dropped, ordered by stage, problem and item."""
        # Results come in any order; a resumed build has to end with the bytes of one that was not
        # stopped.
        return sorted(self._dropped.values(), key=lambda row: (row.stage, row.problem, row.item))

    def canonical(self, entry: Entry) -> list[Unit]:
        """Return the solutions that are said to be accepted and whose language is installed."""
        return [
            Unit(entry, solution)
            for solution in entry.solutions
            if solution.expected == Expectation.ACCEPTED
            and solution.language in self.executor.languages
        ]

    def program(self, unit: Unit) -> Program | None:
        """Return the complete program, or None where a function-style solution has no runner to go into."""
        language, problem, solution = (
            self.languages[unit.solution.language],
            unit.entry.problem,
            unit.solution,
        )
        runner = problem.runners.get(language.id)
        try:
            if problem.style == "stdin" or runner is not None:
                around = runner if problem.style != "stdin" else None
                return whole_program(
                    language, around, solution.code, problem.standards.get(language.id, "")
                )
            failed = self.no_runner.get((problem.slug, language.id), "").replace("\n", "; ")
            why = f"runners/{language.id}{language.extension} is missing"
            why += f", and none can be made: {failed}" if failed else ""
            raise LanguageError(
                "there is no runner", why, "see docs/problems.md and docs/runners.md"
            )
        except LanguageError as error:
            self.drop("runner", problem.slug, solution.solution_id, str(error))
            return None

    def batch_lines(self, unit: Unit, tests: Sequence[TestCase]) -> int | None:
        """Return how many lines a test has, where many run in one process.

        None: the runner cannot do that.
        """
        problem = unit.entry.problem
        runner = (
            problem.runners.get(unit.solution.language, "") if problem.style == "function" else ""
        )
        if BATCH not in runner or not tests:
            return None
        # Any test will do: an input has one JSON value a line, and a signature says how many.
        return tests[0].stdin.count("\n")

    def suite(self, problem: Problem, tests: Sequence[TestCase], language: str = "") -> Suite:
        """Return what solutions of a problem in a language are run on and judged by."""
        rules = Rules(
            self.plan.limits(problem.limits, language), problem.comparison, problem.evaluator
        )
        return suite_of(problem.slug, tuple(tests), rules)
