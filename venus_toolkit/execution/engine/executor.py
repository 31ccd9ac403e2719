"""The executor: the one place where programs and tests become verdicts and figures.

    executor.judging(work, items)      call work(item, worker) for each item, on every core
    executor.measuring(work, items)    the same, with a core reserved for each measured program
    executor.submit(work)              return a Future, for work that arrives item by item

A worker uses cores of this machine or of a node of a Ray cluster. `work` calls the methods of the
executor. Each method computes a key from everything that its result depends on, and looks it up in
the journal; only if it is missing does the worker compute the result:

    executor.vote(worker, suite, program)          a reference solution's answer to each input
    executor.judge(worker, suite, program)         a verdict
    executor.try_tests(worker, suite, program, …)  the verdict of each test, up to a number of
                                                   failures
    executor.measure(worker, suite, programs, …)   the costs of programs whose runs are interleaved
    executor.assess(worker, panel)                 all of that for a panel of programs, with ranks
    executor.run(worker, function, …)              any other function that needs a sandbox

This is the one boundary where a failure of the sandbox is attributed: the executor retries it, and
then returns a SandboxFailure, which says nothing about the program. Callers differ in their
response: a build drops the solution, an evaluation reports the sample as missing, a reward is None.
"""

from __future__ import annotations

import json
import logging
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.interruption import current, worker_pool
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import (
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    TestCase,
    Verdict,
    digest,
    from_plain,
    to_plain,
)
from venus_toolkit.core.store import Store, write_whole
from venus_toolkit.execution.engine import (
    RAY,
    Engine,
    EngineOptions,
    Machine,
    ProgressCallback,
    Worker,
    WorkerEnvironment,
    describe_machine,
    on_one_machine,
)
from venus_toolkit.execution.engine.assessment import Assessment, Panel, conduct
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.engine.work import (
    Judged,
    Measuring,
    Verdicts,
    Vote,
    Votes,
    count_program,
    judge_program,
    measure_programs,
    memory_curve,
    try_tests,
    vote,
)
from venus_toolkit.execution.engine.work_queue import WorkQueue
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.counting import InstructionCount, counter_facts
from venus_toolkit.execution.measuring.rounds import (
    FIGURES,
    CostOnTest,
    FirstRuns,
    Measured,
    Rejection,
    Repeat,
)
from venus_toolkit.execution.measuring.scaling import complexity_of
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.compiled import program_key
from venus_toolkit.execution.sandbox.cores import measuring_workers, part_of, usable_cores
from venus_toolkit.execution.sandbox.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")
log = logging.getLogger(__name__)
TRIES = 2  # a supervisor may be killed by accident, for example when memory is short
# Stages of the journal: costs and instruction counts of programs;
MEASURE, COUNT = "measure", "count"
# the fingerprint of the machine of each problem, and the facts of each fingerprint.
PLACE, MACHINE = "place", "machine"


class SandboxFailure(NamedTuple):
    """The reason why the sandbox could not process a program."""

    reason: str


def attempt(work: Callable[[], Result]) -> Result | SandboxFailure:
    """Return the result of `work`, or a SandboxFailure if the sandbox failed `TRIES` times.

    The only place that catches a SandboxError.
    """
    error: SandboxError | None = None
    for _ in range(TRIES):
        current().check()
        try:
            return work()
        except SandboxError as failure:
            log.info("the sandbox failed: %s", failure)
            error = failure
    return SandboxFailure(f"the sandbox failed {TRIES} times: {error}")


def known(result: Result | SandboxFailure, action: str) -> Result:
    """Return the result of an executor if it is not a failure.

    Raises:
        SandboxError: The sandbox failed; `action` says what could not be done.
    """
    if isinstance(result, SandboxFailure):
        raise SandboxError(
            action, result.reason, "finished work is kept: type venus doctor, then the same command"
        )
    return result


def open_engine(options: EngineOptions, site: WorkerEnvironment) -> Engine:
    """Return the engine that the options name.

    Raises:
        MachineError: Ray is not installed, the cluster cannot be found, or a node cannot do the
            work.
    """
    if options.name == RAY:
        # imported only if needed: Ray is optional and slow to import
        from venus_toolkit.execution.engine.ray_engine import open_ray

        return open_ray(options, site)
    # A server has its own workers, one for each of its cores.
    cores = range(site.sandbox.workers) if site.sandbox.workers else usable_cores()
    return LocalEngine(site.sandbox, options.jobs, part_of(cores, *options.part))


class Executor:
    """Compiles, judges and measures programs.

    Args:
        sandbox: Runs the programs; the executor does not close it.
        languages: The languages of the programs; their tools must be installed.
        options: The engine and its share of each machine.
        journal: Keeps finished results; None: nothing is kept.
        counts: A folder of instruction counts that executors share, also across processes.
        share_cores: A measured program and its sampler share a core, and programs run on all cores
            at once.
        engine: Replaces the engine of the options; the executor closes it.

    Raises:
        MachineError: The engine cannot start.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        languages: Iterable[Language],
        options: EngineOptions | None = None,
        journal: Store | None = None,
        *,
        counts: Path | None = None,
        share_cores: bool = False,
        engine: Engine | None = None,
    ) -> None:
        self.sandbox = sandbox
        self.languages = {language.id: language for language in languages}
        self.journal = journal
        self.counts = counts
        self._versions: dict[str, str] = {}
        self.share_cores = share_cores
        chosen = options or EngineOptions()
        # The nodes of a cluster must have the versions of this machine. The local engine does not
        # ask for them: that takes a while, and an unused language may be missing.
        versions = self.versions if chosen.name == RAY else {}
        site = WorkerEnvironment(sandbox, tuple(self.languages.values()), versions)
        self.engine = engine or open_engine(chosen, site)
        self._here = describe_machine(sandbox)
        self._mutex = threading.Lock()
        self._queue: WorkQueue | None = None
        self._measured_on: dict[str, set[str]] = {}
        self._machines: dict[str, Machine] = {}

    def close(self) -> None:
        """Wait for running work; submitted work that has not started fails."""
        # The queue feeds workers of the engine, so it closes first.
        if self._queue:
            self._queue.close()
        self.engine.close()

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result in order of completion; uses every core.

        The first exception cancels all other work.
        """
        return self.engine.judging(work, items)

    def measuring(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Like `judging`, with a core reserved for each program unless `share_cores` is set."""
        return self.engine.measuring(work, items, self.share_cores)

    def submit(self, work: Callable[[Worker], Result]) -> Future[Result]:
        """Queue work for a measuring worker, first in first out, and return at once."""
        with self._mutex:
            if self._queue is None:
                self._queue = WorkQueue(self.engine, self.share_cores)
        return self._queue.submit(work)

    @property
    def width(self) -> int:
        """The number of programs measured at the same time (approximate for a cluster)."""
        return self.engine.jobs if self.share_cores else measuring_workers(self.engine.jobs)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the compilers and interpreters, by language.

        Raises:
            ToolchainError: A language is not installed.
        """
        with worker_pool() as pool:  # asking each compiler for its version takes a while
            return dict(
                zip(self.languages, pool.map(self.version, self.languages.values()), strict=True)
            )

    def version(self, language: Language) -> str:
        """Return the version of a language's compiler or interpreter.

        Raises:
            ToolchainError: The language is not installed.
        """
        if language.id not in self._versions:
            self._versions[language.id] = self.sandbox.toolchain(language).version
        return self._versions[language.id]

    def identity(self, program: Program) -> str:
        """Return a digest of everything in a program that its results depend on.

        These are its files, its commands, the tools and the reference program of its language.
        """
        tools = f"{self.sandbox.name} {self.version(program.language)}"
        # Relative times are multiples of the time of the reference program.
        return digest(program_key(program, tools), program.language.reference)

    def environment(
        self, languages: Iterable[str] | None = None, machine: Machine | None = None
    ) -> dict[str, object]:
        """Return the facts, other than the programs, on which figures depend.

        These are the machine (None: this one), its sandbox, and the toolchains of the languages
        (None: all).
        """
        chosen = self.languages if languages is None else languages
        toolchains = {name: self.version(self.languages[name]) for name in chosen}
        return {
            **(machine or self._here).facts,
            "toolchains": toolchains,
            "share_cores": self.share_cores,
        }

    @property
    def measured_on(self) -> dict[str, dict[str, object]]:
        """The facts and the number of problems of each measuring machine type, by fingerprint."""
        return {
            name: {"tasks": len(self._measured_on[name]), **self._machines[name].facts}
            for name in sorted(self._machines)
        }

    def run(
        self,
        worker: Worker,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result | SandboxFailure:
        """Return the result of a module-level function in the worker's sandbox, or its failure."""
        return attempt(lambda: worker.run(work, *args, **kwargs))

    def once(
        self,
        stage: str,
        key: Callable[[], str],
        compute: Callable[[], Result | SandboxFailure],
        plain: Callable[[Result], Any] = lambda result: result,
        read: Callable[[Any], Result] = lambda plain: plain,
        keeps: Callable[[Result], bool] = lambda _: True,
    ) -> Result | SandboxFailure:
        """Return a result from the journal, or compute it and store it there.

        A failure of the sandbox is not stored, nor is a result that `keeps` refuses. `plain` turns
        a result into JSON values, and `read` turns these into a result.
        """
        name = key() if self.journal else ""
        # The journal returns None for an unknown key, so no stored result may be None.
        entry = self.journal.get(stage, name) if self.journal else None
        if entry is not None:
            return read(entry)
        outcome = compute()
        if isinstance(outcome, SandboxFailure):
            return outcome
        plain_result = plain(outcome)
        if self.journal and keeps(outcome):
            self.journal.put(stage, name, plain_result)
        # Also read a new result from its plain form, so that a resumed build has the same values.
        return read(plain_result)

    def vote(
        self, worker: Worker, suite: Suite, program: Program, lines: int | None = None
    ) -> Votes | SandboxFailure:
        """Return the answer of a reference solution to each input.

        With a journal, outputs are stored there, in the stage ``output`` under their digests: there
        may be many large ones. Inputs of `lines` lines each may share a process (batch.py); None:
        each input has its own process.
        """
        outputs: dict[str, str] = {}

        def plain(votes: Votes) -> dict[str, Any]:
            # Outputs are stored before the votes that name them, so that a killed build leaves no
            # vote without its output.
            outputs.update(votes.outputs)
            if self.journal:
                for name, text in votes.outputs.items():
                    if not self.journal.has("output", name):
                        self.journal.put("output", name, text)
            return {"votes": to_plain(votes.of_each), "carries_state": votes.carries_state}

        return self.once(
            "votes",
            # A program that carries state may answer differently in a batch, so a batch has
            # another key.
            lambda: digest(self.identity(program), suite.inputs_digest, lines is not None),
            lambda: self.run(
                worker.at(suite.problem), vote, program, suite.tests, suite.rules.limits, lines
            ),
            plain,
            lambda entry: Votes(
                tuple(Vote(*fields) for fields in entry["votes"]), outputs, entry["carries_state"]
            ),
        )

    def judge(
        self, worker: Worker, suite: Suite, program: Program, lines: int | None = None
    ) -> Judged | SandboxFailure:
        """Return the verdict on a program; `lines` as for `vote`."""

        def read(entry: dict[str, Any]) -> Judged:
            plain = entry["judgement"]
            judgement = from_plain(Judgement, {**plain, "verdict": Verdict(plain["verdict"])})
            costs = {name: CostOnTest(*cost) for name, cost in entry.get("costs", {}).items()}
            return Judged(judgement, entry["carries_state"], costs)

        return self.once(
            "judge",
            lambda: digest(self.identity(program), suite.digest, lines is not None),
            lambda: self.run(
                worker.at(suite.problem), judge_program, program, suite.tests, suite.rules, lines
            ),
            lambda judged: to_plain(judged._asdict()),
            read,
        )

    def try_tests(
        self,
        worker: Worker,
        suite: Suite,
        program: Program,
        failures: int,
        parts: Callable[[Sequence[TestCase]], Sequence[Sequence[TestCase]]],
    ) -> Verdicts | SandboxFailure:
        """Return the verdicts of single tests, up to `failures` failures or a time limit.

        `parts` orders the tests into parts; a part runs only if no earlier test failed.
        """
        near = worker.at(suite.problem)
        return self.once(
            "verdicts",
            lambda: digest(self.identity(program), suite.digest, failures),
            lambda: self.run(near, try_tests, program, parts(suite.tests), suite.rules, failures),
            list,
            lambda entry: Verdicts(*entry),
        )

    def measure(
        self,
        worker: Worker,
        suite: Suite,
        programs: Sequence[Program],
        how: Measuring,
        on_round: Callable[[], None] | None = None,
        judged: Sequence[Judged | None] = (),
    ) -> list[Measured] | SandboxFailure:
        """Return the cost of each program, in the given order.

        Their runs are interleaved on one type of machine, in a random order, so that no kind of
        program always follows another. Equal programs are measured separately. A program that
        prints a wrong output while it is measured has no figures. If the suite has efficiency tests
        (`Suite.measured`), only these run.

        Args:
            worker: Where the programs run.
            suite: The tests and rules.
            programs: The programs.
            how: The options.
            on_round: Called each time a program has run all its tests: in the end once for each
                repeat of each program.
            judged: The verdicts on the programs, whose first runs are compared with the measured
                ones: a program that is significantly cheaper when measured is flagged
                (`REPEATS_DISAGREE`).
        """
        suite = suite.measured
        firsts = [judgement.first_runs(suite.tests) if judgement else None for judgement in judged]
        if self.journal:
            self.engine.prefer(suite.problem, self.journal.get(PLACE, suite.problem) or "")
        return on_one_machine(
            worker.at(suite.problem),
            lambda near, machine: self._measure_on(
                near, machine, suite, programs, how, on_round or (lambda: None), firsts
            ),
        )

    def _measure_on(
        self,
        worker: Worker,
        machine: Machine,
        suite: Suite,
        programs: Sequence[Program],
        how: Measuring,
        on_round: Callable[[], None],
        firsts: Sequence[FirstRuns | None],
    ) -> list[Measured] | SandboxFailure:
        order = list(range(len(programs)))
        # Seeded by the problem alone: a resumed build runs in the same order, with any engine.
        random.Random(suite.problem).shuffle(order)
        callback = ProgressCallback(on_round)
        shuffled = tuple(programs[index] for index in order)
        first = [firsts[index] for index in order] if firsts else []

        def plain(measured: Sequence[Measured]) -> list[Any]:
            ordered = (measured[order.index(index)] for index in range(len(programs)))
            return [
                plain_measured(figures if how.each_test else figures._replace(on_tests=()))
                for figures in ordered
            ]

        measured = self.once(
            MEASURE,
            lambda: self.measure_key(suite, programs, how, machine),
            lambda: self.run(
                worker,
                measure_programs,
                shuffled,
                suite.tests,
                suite.rules,
                how,
                callback,
                suite.reseeded,
                first,
            ),
            plain,
            lambda entries: list(map(read_measured, entries)),
        )
        if isinstance(measured, SandboxFailure):
            return measured
        # Figures from the journal or from a node came without progress calls: make them now.
        for _ in range(len(programs) * how.options.repeats - callback.calls):
            on_round()
        if self.journal:
            # A resumed build prefers this type of machine (see `measure`).
            self.journal.put(PLACE, suite.problem, machine.fingerprint)
            self.journal.put(MACHINE, machine.fingerprint, machine.facts)
        with self._mutex:
            self._machines[machine.fingerprint] = machine
            self._measured_on.setdefault(machine.fingerprint, set()).add(suite.problem)
        return measured

    def assess(
        self, worker: Worker, panel: Panel, on_round: Callable[[], None] | None = None
    ) -> Assessment | SandboxFailure:
        """Judge the programs of a panel; measure, count and rank those that pass.

        Each stage uses the journal and retries a failure of the sandbox. `on_round` as for
        `measure`.
        """
        suite, how = panel.suite, panel.measuring
        return conduct(
            panel,
            lambda program: self.judge(worker, suite, program),
            lambda programs, judged: self.measure(worker, suite, programs, how, on_round, judged),
            lambda programs, figures: self.counted(worker, suite, programs, figures, panel.counter),
        )

    def count(
        self, worker: Worker, suite: Suite, program: Program, kind: str, each_test: bool = False
    ) -> InstructionCount | SandboxFailure:
        """Return the number of instructions of a program over one run of each measured test.

        `kind` is an argument of `open_counter`. Counts do not depend on the load of the machine, so
        any worker will do. If each repeat has its own inputs, those of the first repeat are used,
        on which the program was not judged. `each_test` keeps the count of each test as well.
        """
        suite = suite.measured
        if suite.reseeded:
            suite = replace(suite, tests=suite.reseeded[0], reseeded=())

        def compute() -> InstructionCount | SandboxFailure:
            file = (
                self.counts / f"{self.count_key(suite, program, kind, each_test)}.json"
                if self.counts
                else None
            )
            with suppress(OSError, ValueError, TypeError):  # a missing or broken file: count anew
                if file:
                    return InstructionCount(*json.loads(file.read_text(encoding="utf-8")))
            counted = self.run(
                worker.at(suite.problem), count_program, program, suite.tests, suite.rules, kind
            )
            if (
                file
                and not isinstance(counted, SandboxFailure)
                and counted.instructions is not None
            ):
                write_whole(file, json.dumps(counted).encode(), shared=True)
            return counted

        return self.once(
            COUNT,
            lambda: self.count_key(suite, program, kind, each_test),
            compute,
            lambda counted: list(counted if each_test else counted._replace(of_each=())),
            lambda entry: InstructionCount(*entry),
        )

    def complexity(
        self, worker: Worker, name: str, program: Program, generator: str, limits: Limits, kind: str
    ) -> Complexity | SandboxFailure | None:
        """Return how the instructions of a program grow with the inputs of a generator, if known.

        `name` is that of the problem, `kind` an argument of `open_counter`.
        """
        language = program.language
        complexities = self.once(
            "complexity",
            lambda: digest(
                self.identity(program), language.counting, generator, limits, counter_facts(kind)
            ),
            lambda: _as_list(
                self.run(worker.at(name), complexity_of, program, generator, limits, kind)
            ),
            to_plain,
            lambda entries: [Complexity(Growth(growth), *rest) for growth, *rest in entries],
        )
        return (
            complexities
            if isinstance(complexities, SandboxFailure)
            else next(iter(complexities), None)
        )

    def memory_curve(
        self, worker: Worker, suite: Suite, program: Program
    ) -> list[list[int]] | SandboxFailure:
        """Return the memory of a program over time on the longest measured input.

        Returns:
            Pairs of a time in ns and a size in bytes.
        """
        suite = suite.measured
        return self.once(
            "curve",
            lambda: digest(self.identity(program), suite.digest),
            lambda: self.run(
                worker.at(suite.problem), memory_curve, program, suite.tests, suite.rules.limits
            ),
        )

    def count_key(self, suite: Suite, program: Program, kind: str, each_test: bool = False) -> str:
        """Return the journal key of `count` for tests that are the same in each repeat."""
        more = ["each test"] if each_test else []
        language = program.language
        return digest(
            self.identity(program),
            language.counting,
            suite.measured.digest,
            counter_facts(kind),
            *more,
        )

    def kept_measurements(self, key: str) -> list[Measured]:
        """Return the figures that `measure` journalled under a `measure_key`; empty if none."""
        entries = self.journal.get(MEASURE, key) if self.journal else None
        return [read_measured(entry) for entry in entries or ()]

    def kept_count(self, key: str) -> InstructionCount | None:
        """Return the count that `count` journalled under a `count_key`; None if none."""
        entry = self.journal.get(COUNT, key) if self.journal else None
        return InstructionCount(*entry) if entry else None

    def counted(
        self,
        worker: Worker,
        suite: Suite,
        programs: Sequence[Program],
        measured: Sequence[Measured],
        kind: str,
    ) -> list[Measured]:
        """Return the figures of programs, with their instructions or the reason why there are none.

        A failure of the sandbox is such a reason; it leaves the other figures. A program that
        failed a test while it was measured is not counted.
        """

        def count(program: Program, figures: Measured) -> Measured:
            if figures.rejection:
                return figures
            total = self.count(worker, suite, program, kind)
            if isinstance(total, SandboxFailure):
                return figures._replace(uncounted=total.reason)
            return total.added_to(figures)

        return [count(*pair) for pair in zip(programs, measured, strict=True)]

    def count_empty(
        self, worker: Worker, suite: Suite, language: Language, kind: str
    ) -> int | None:
        """Return the number of instructions of an empty program within the limits of a suite.

        An empty program reads no input, so every run takes the same number. None: unknown.
        """
        if not language.empty:
            return None
        rules = suite.rules._replace(comparison=OutputComparison(), evaluator=None)
        empty = Suite(suite.problem, (TestCase("empty", "", ""),), rules)
        count = self.count(worker, empty, Program(language.usual, language.empty), kind)
        return None if isinstance(count, SandboxFailure) else count.instructions

    def measure_key(
        self, suite: Suite, programs: Sequence[Program], how: Measuring, machine: Machine
    ) -> str:
        """Return the journal key of `measure`."""
        suite = suite.measured
        # Only tools of these languages: a new compiler of another language must not matter.
        environment = self.environment({program.language.id for program in programs}, machine)
        empty = sorted({program.language.empty for program in programs})
        identities = [self.identity(program) for program in programs]
        # Options at their defaults are omitted, so the keys of older journals stay valid.
        identity = {
            name: value for name, value in to_plain(how).items() if name != "each_test" or value
        }
        if not how.options.adaptive:
            del identity["options"]["adaptive"]
        return digest(
            FIGURES, empty, identities, suite.problem, suite.digest, identity, environment
        )


def plain_measured(measured: Measured) -> list[Any]:
    """Return figures as plain JSON values."""
    rejection = list(measured.rejection) if measured.rejection else None
    on_tests = [[list(cost) for cost in measured.on_tests]] if measured.on_tests else []
    return [
        to_plain(measured.total),
        [list(repeat) for repeat in measured.repeats],
        rejection,
        *on_tests,
    ]


def read_measured(entry: Sequence[Any]) -> Measured:
    """Return the figures that `plain_measured` turned into JSON values."""
    total, repeats, rejection, *more = entry
    return Measured(
        from_plain(Measurement, total),
        tuple(Repeat(*fields) for fields in repeats),
        Rejection(Verdict(rejection[0]), rejection[1]) if rejection else None,
        on_tests=tuple(CostOnTest(*fields) for fields in (more[0] if more else ())),
    )


def _as_list(complexity: Complexity | SandboxFailure | None) -> list[Complexity] | SandboxFailure:
    """Return a result as a list of at most one, since the journal cannot store None."""
    if isinstance(complexity, SandboxFailure):
        return complexity
    return [] if complexity is None else [complexity]
