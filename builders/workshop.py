"""What the stages of a build share: the plan, the place where programs run, the journal, and what was set aside."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.plan import Plan
from venus_toolkit.builders.replay import Replay
from venus_toolkit.builders.sources import Entry
from venus_toolkit.engine import Engine, EngineOptions, Site, open_engine
from venus_toolkit.errors import LanguageError, SandboxError, ToolchainError
from venus_toolkit.judge import Rules
from venus_toolkit.language import Language, Toolchain
from venus_toolkit.llm import ChatGenerator
from venus_toolkit.records import Expectation, Limits, Problem, Solution, TestCase, digest
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.signatures import fill
from venus_toolkit.signatures.runner import BATCH
from venus_toolkit.store import WORK, Store

Progress = Callable[[str, int, int], None]
Done = TypeVar("Done")
TRIES = 2


class Unit(NamedTuple):
    """A solution with the problem it solves: what is validated and judged."""

    entry: Entry
    solution: Solution


class Workshop:
    """The place of one build.

    Args:
        plan: What to build.
        store: The output folder with its journal.
        languages: All languages by id.
        progress: Told the stage, how much of it is done, and how much there is.
    """

    sandbox: Sandbox
    engine: Engine
    toolchains: dict[str, Toolchain]
    lacking: dict[str, str]
    model: ChatGenerator | None

    def __init__(self, plan: Plan, store: Store, languages: Mapping[str, Language], progress: Progress) -> None:
        self.plan = plan
        self.store = store
        self.languages = languages
        self._progress = progress
        self.model = ChatGenerator(plan.model, store.folder / WORK / "model") if plan.model else None
        self._dropped: dict[tuple[str, ...], Dropped] = {}
        self._replays: dict[str, Replay] = {}
        self.seconds: dict[str, float] = {}
        self.stateful: set[tuple[str, str]] = set()  # slug and id of solutions that remember something between tests
        self.no_runner: dict[tuple[str, str], str] = {}  # by slug and language: why none could be made
        self._before: Counter[str] = Counter()
        self._now: dict[str, int] = {}

    def close(self) -> None:
        """End the engine and the conversation with the model."""
        if hasattr(self, "engine"):
            self.engine.close()
        if self.model:
            self.model.close()

    # -------------------------------------------------------------- tools

    def open(self, sandbox: Sandbox, used: Sequence[Language]) -> None:
        """Work in `sandbox`, with the tools of the languages `used` that it has.

        Raises:
            ToolchainError: A language of the plan is not there, or Python, in which generators are written.
            MachineError: The engine cannot be had.
        """
        self.sandbox = sandbox
        with ThreadPoolExecutor() as pool:  # starting seven compilers for their versions takes a while
            found = dict(zip((language.id for language in used), pool.map(self._toolchain, used), strict=True))
        for name in (*self.plan.lang, "python"):
            missing = found[name]
            if isinstance(missing, ToolchainError):
                raise missing
        self.toolchains = {name: tools for name, tools in found.items() if isinstance(tools, Toolchain)}
        self.lacking = {name: str(error) for name, error in found.items() if name not in self.toolchains}
        here = tuple(self.languages[name] for name in self.toolchains)
        options = EngineOptions(self.plan.engine, self.plan.jobs, self.plan.ray_address)
        self.engine = open_engine(options, Site(sandbox, here, self.versions))

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the tools that are here, by language."""
        return {name: tools.version for name, tools in self.toolchains.items()}

    def _toolchain(self, language: Language) -> Toolchain | ToolchainError:
        try:
            return self.sandbox.toolchain(language)
        except ToolchainError as error:
            return error

    # -------------------------------------------------------------- programs

    def canonical(self, entry: Entry) -> list[Unit]:
        """Return the solutions that are said to be accepted and whose language is installed."""
        return [
            Unit(entry, solution)
            for solution in entry.solutions
            if solution.expected == Expectation.ACCEPTED and solution.language in self.toolchains
        ]

    def program(self, unit: Unit) -> Program | None:
        """Return the complete program, or None where a function-style solution has no runner to go into."""
        language = self.languages[unit.solution.language]
        problem = unit.entry.problem
        if problem.style == "stdin":
            return Program(language, unit.solution.code)
        try:
            return Program(language, fill(self._runner(problem, language), unit.solution.code, language))
        except LanguageError as error:
            self.drop("runner", problem.slug, unit.solution.solution_id, str(error))
            return None

    def _runner(self, problem: Problem, language: Language) -> str:
        runner = problem.runners.get(language.id)
        if runner is None:
            made = self.no_runner.get((problem.slug, language.id), "").replace("\n", "; ")
            why = f"runners/{language.id}{language.extension} is missing" + (
                f", and none can be made: {made}" * bool(made)
            )
            raise LanguageError("there is no runner", why, "see docs/problems.md and docs/runners.md")
        return runner

    def batch_lines(self, unit: Unit, tests: Sequence[TestCase]) -> int | None:
        """Return how many lines a test has, where many run in one process; None: the runner cannot do that."""
        problem = unit.entry.problem
        runner = problem.runners.get(unit.solution.language, "") if problem.style == "function" else ""
        if BATCH not in runner or not tests:
            return None
        return tests[0].stdin.count("\n")

    def identity(self, program: Program) -> str:
        """Return what the results of a program depend on."""
        version = self.toolchains[program.language.id].version
        return digest(program.source, language_digest(program.language), version, self.sandbox.name)

    def limits(self, problem: Problem) -> Limits:
        """Return the problem's limits with those of the plan over them."""
        return self.plan.limits(problem.limits)

    def rules(self, problem: Problem) -> Rules:
        """Return what decides about the problem's solutions, beside the tests."""
        return Rules(self.limits(problem), problem.comparison, problem.evaluator)

    def attempt(self, unit: Unit, work: Callable[[], Done]) -> Done | None:
        """Work; a failure of the sandbox is tried once more, then the solution is set aside with it.

        This is the one place where a failure of the sandbox is attributed in a build.
        """
        for remaining in reversed(range(TRIES)):
            try:
                return work()
            except SandboxError as error:
                if not remaining:
                    reason = f"the sandbox failed {TRIES} times: {error}"
                    self.drop("sandbox", unit.entry.problem.slug, unit.solution.solution_id, reason)
        return None

    def replay(self, language: str) -> Replay:
        """Return the measurements that the plan says to take instead of measuring.

        Raises:
            UsageError: They cannot be had.
        """
        if language not in self._replays:
            self._replays[language] = Replay(Path(self.plan.replay), language)
        return self._replays[language]

    # -------------------------------------------------------------- what happened

    def report(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is with this part of the problems; the parts before it are added."""
        self._now[stage] = total
        self._progress(stage, self._before[stage] + done, self._before[stage] + total)

    def next_part(self) -> None:
        """From here on the stages work on other problems."""
        self.engine.renew()
        self._before.update(self._now)
        self._now.clear()

    def drop(self, stage: str, problem: str, item: str, reason: str, detail: Any = None) -> None:
        """Set something aside with its reason, once."""
        self._dropped.setdefault((stage, problem, item, reason), Dropped(stage, problem, item, reason, detail))

    @property
    def dropped(self) -> list[Dropped]:
        """What was set aside, ordered by stage, problem and item."""
        return sorted(self._dropped.values(), key=lambda row: (row.stage, row.problem, row.item))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Take the time of a stage."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - start, 3)


@lru_cache(maxsize=64)
def tests_digest(tests: tuple[TestCase, ...]) -> str:
    """Return the identity of the tests of a problem."""
    return digest(list(tests))


@lru_cache(maxsize=64)
def language_digest(language: Language) -> str:
    """Return the identity of what a language's folder makes of a program."""
    return digest(language.id, language.compile_argv, language.run_argv, dict(language.environment), language.reference)
