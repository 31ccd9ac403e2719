"""The executor: the one place where programs and tests become verdicts and figures.

    executor.judging(work, items)      work(item, worker) for each item, every core busy
    executor.measuring(work, items)    the same where nothing shares the core of a measured program
    executor.submit(work)              a Future, for work that comes one by one

A worker is where one item is worked on, a core here or on a node of a Ray cluster. In `work`, the
methods of the executor say what is to be found out; each names what its result depends on, looks it
up in the journal, and otherwise has the worker find it out:

    executor.vote(worker, suite, program)          what a reference solution answers on each input
    executor.judge(worker, suite, program)         a verdict
    executor.try_tests(worker, suite, program, …)  the verdict of each test, until it failed often enough
    executor.measure(worker, suite, programs, …)   what programs cost that take turns
    executor.assess(worker, panel)                 all of that for a panel of programs, with ranks
    executor.run(worker, function, …)              anything else that runs in a sandbox

This is the one boundary where a failure of the sandbox is attributed: it is tried again, and then
returned as a SandboxFailure, which says nothing about the program. What callers do with it differs:
a build drops the solution, an evaluation reports the sample as missing, a reward is None.
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
TRIES = 2  # a supervisor that was killed once is no reason to give a program up
MEASURE, COUNT = "measure", "count"  # in the journal: what programs cost, and their instructions
# In the journal, by problem: its type of machine; by type: what it is.
PLACE, MACHINE = "place", "machine"


class SandboxFailure(NamedTuple):
    """Why the sandbox could not say anything about a program."""

    reason: str


def attempt(work: Callable[[], Result]) -> Result | SandboxFailure:
    """Return what `work` returns, or why the sandbox failed, twice.

    The one place where that is caught.
    """
    error: SandboxError | None = None
    for _ in range(TRIES):
        current().check()
        try:
            return work()
        except SandboxError as failed:
            log.info("the sandbox failed: %s", failed)
            error = failed
    return SandboxFailure(f"the sandbox failed {TRIES} times: {error}")


def known(result: Result | SandboxFailure, action: str) -> Result:
    """Return what an executor found.

    Raises:
        SandboxError: The sandbox failed, and so `what` cannot be done.
    """
    if isinstance(result, SandboxFailure):
        raise SandboxError(
            action, result.reason, "finished work is kept: type venus doctor, then the same command"
        )
    return result


def open_engine(options: EngineOptions, site: WorkerEnvironment) -> Engine:
    """Return the engine that the options name.

    Raises:
        MachineError: There is no Ray, no such cluster, or a node that cannot do the work.
    """
    if options.name == RAY:
        # what Ray needs is loaded for Ray only
        from venus_toolkit.execution.engine.ray_engine import open_ray

        return open_ray(options, site)
    # A server has a worker for each core of its own, however few this machine has.
    cores = range(site.sandbox.workers) if site.sandbox.workers else usable_cores()
    return LocalEngine(site.sandbox, options.jobs, part_of(cores, *options.part))


class Executor:
    """Compiles, judges and measures programs.

    Args:
        sandbox: Where programs run; it stays open.
        languages: Those that are used; their tools are there.
        options: Which engine spreads the work, and over how much of each machine.
        journal: Where finished work is kept; None: nowhere, and everything is done again.
        counts: A folder that keeps counts of instructions for other executors, also of other
            processes.
        share_cores: A measured program and its sampler share a core, and programs run on all cores
            at once.
        engine: Another engine than that of the options; it ends with the executor.

    Raises:
        MachineError: The engine cannot be had.
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
        # The nodes of a cluster must have the versions that are here; asking for them takes a
        # while, and a language that nobody uses may be missing.
        versions = self.versions if chosen.name == RAY else {}
        site = WorkerEnvironment(sandbox, tuple(self.languages.values()), versions)
        self.engine = engine or open_engine(chosen, site)
        self._here = describe_machine(sandbox)
        self._mutex = threading.Lock()
        self._queue: WorkQueue | None = None
        self._measured_on: dict[str, set[str]] = {}
        self._machines: dict[str, Machine] = {}

    def close(self) -> None:
        """End when the work that was begun is done; what was submitted and not begun fails."""
        # The queue feeds workers of the engine: it ends first.
        if self._queue:
            self._queue.close()
        self.engine.close()

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy.

        The first exception ends it all.
        """
        return self.engine.judging(work, items)

    def measuring(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, on cores that programs share with nothing, unless cores are shared."""
        return self.engine.measuring(work, items, self.share_cores)

    def submit(self, work: Callable[[Worker], Result]) -> Future[Result]:
        """Have a worker that may measure do something; what comes first is begun first.

        Returns at once.
        """
        with self._mutex:
            if self._queue is None:
                self._queue = WorkQueue(self.engine, self.share_cores)
        return self._queue.submit(work)

    @property
    def width(self) -> int:
        """How many programs are measured at the same time, as far as that is known."""
        return self.engine.jobs if self.share_cores else measuring_workers(self.engine.jobs)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the compilers and interpreters, by language.

        Raises:
            ToolchainError: A language is not installed.
        """
        with worker_pool() as pool:  # starting seven compilers for their versions takes a while
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
        """Return what the results of a program depend on.

        Its files, how it is compiled and run, with which tools.
        """
        tools = f"{self.sandbox.name} {self.version(program.language)}"
        # Relative times are multiples of this reference program: with another one they are others.
        return digest(program_key(program, tools), program.language.reference)

    def environment(
        self, languages: Iterable[str] | None = None, machine: Machine | None = None
    ) -> dict[str, object]:
        """Return what figures depend on beside the programs: machine (None.

        This one), toolchains, sandbox.
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
        """The types of machine that measured something, by fingerprint.

        What each is, and how many problems it has.
        """
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
        """Return what a function of a module finds in the worker's sandbox, or why the sandbox failed, twice."""
        return attempt(lambda: worker.run(work, *args, **kwargs))

    def once(
        self,
        stage: str,
        key: Callable[[], str],
        find: Callable[[], Result | SandboxFailure],
        plain: Callable[[Result], Any] = lambda result: result,
        read: Callable[[Any], Result] = lambda plain: plain,
        keeps: Callable[[Result], bool] = lambda _: True,
    ) -> Result | SandboxFailure:
        """Return a result from the journal, or find it and keep it.

        A failure of the sandbox is not kept.

        The journal has what `plain` makes of a result, and `read` makes it a result again. What
        `keeps` refuses is found again the next time.
        """
        name = key() if self.journal else ""
        # The journal says None for a key that it does not have, so no result may be None there.
        entry = self.journal.get(stage, name) if self.journal else None
        if entry is not None:
            return read(entry)
        outcome = find()
        if isinstance(outcome, SandboxFailure):
            return outcome
        plain_result = plain(outcome)
        if self.journal and keeps(outcome):
            self.journal.put(stage, name, plain_result)
        # As from the journal: a resumed build goes on with the same values.
        return read(plain_result)

    def vote(
        self, worker: Worker, suite: Suite, program: Program, lines: int | None = None
    ) -> Votes | SandboxFailure:
        """Return what a reference solution answers on each input.

        With a journal, outputs are there, under ``output`` and their digest: there may be many
        large ones. Inputs of so many `lines` may share a process (batch.py); None: each has its
        own.
        """
        outputs: dict[str, str] = {}

        def plain(votes: Votes) -> dict[str, Any]:
            # Outputs are kept before the votes that name them: a killed build leaves no vote
            # without its output.
            outputs.update(votes.outputs)
            if self.journal:
                for name, text in votes.outputs.items():
                    if not self.journal.has("output", name):
                        self.journal.put("output", name, text)
            return {"votes": to_plain(votes.of_each), "carries_state": votes.carries_state}

        return self.once(
            "votes",
            # In a batch a program that carries state may answer otherwise, so the two ways have a
            # key each.
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
        """Return the verdicts of single tests, until so many `failures` or a time limit.

        `parts` orders the tests into parts; the next part is run only as long as no test failed.
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
        """Return what each program costs, all taking turns on one type of machine, in the order given.

        Equal programs are measured each for itself. The order of the turns is drawn, so that no
        kind of program always follows another. What is printed is compared: a wrong output while
        measuring leaves no figures. `on_round` is called as often as programs have run all their
        tests: in the end once for each repeat of each.

        Only the tests that are for efficiency are run, where there are such tests
        (`Suite.measured`).

        `judged` are the verdicts on the programs, where their first runs are to be compared with
        those that are measured: what is surely cheaper then is flagged (`REPEATS_DISAGREE`).
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
        # Drawn from the problem alone: a resumed build, with whichever engine, takes the turns in
        # the same order.
        random.Random(suite.problem).shuffle(order)
        callback = ProgressCallback(on_round)
        drawn = tuple(programs[index] for index in order)
        first = [firsts[index] for index in order] if firsts else []

        def plain(measured: Sequence[Measured]) -> list[Any]:
            ordered = (measured[order.index(index)] for index in range(len(programs)))
            return [
                plain_measured(one if how.each_test else one._replace(on_tests=()))
                for one in ordered
            ]

        measured = self.once(
            MEASURE,
            lambda: self.measure_key(suite, programs, how, machine),
            lambda: self.run(
                worker,
                measure_programs,
                drawn,
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
        # Figures from the journal or from a node were taken without telling: what is missing is
        # told now.
        for _ in range(len(programs) * how.options.repeats - callback.told):
            on_round()
        if self.journal:
            # A resumed build goes on with this type of machine (see `measure`).
            self.journal.put(PLACE, suite.problem, machine.fingerprint)
            self.journal.put(MACHINE, machine.fingerprint, machine.facts)
        with self._mutex:
            self._machines[machine.fingerprint] = machine
            self._measured_on.setdefault(machine.fingerprint, set()).add(suite.problem)
        return measured

    def assess(
        self, worker: Worker, panel: Panel, on_round: Callable[[], None] | None = None
    ) -> Assessment | SandboxFailure:
        """Judge the programs of a panel, measure those that pass in turns, count and rank them.

        Each stage is looked up in the journal, and tried again where the sandbox fails. `on_round`
        as for `measure`.
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
        """Return how many instructions a program takes over the tests that are measured, once each.

        `kind` is what `open_counter` takes. Counts do not depend on what else runs: any worker will
        do. Where each repeat has inputs of its own, those of the first repeat are counted: the
        program was not judged on them. With `each_test`, those of each test are kept, too.
        """
        suite = suite.measured
        if suite.reseeded:
            suite = replace(suite, tests=suite.reseeded[0], reseeded=())

        def find() -> InstructionCount | SandboxFailure:
            file = (
                self.counts / f"{self.count_key(suite, program, kind, each_test)}.json"
                if self.counts
                else None
            )
            with suppress(OSError, ValueError, TypeError):  # what is not there, or torn, is counted
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
            find,
            lambda counted: list(counted if each_test else counted._replace(of_each=())),
            lambda entry: InstructionCount(*entry),
        )

    def complexity(
        self, worker: Worker, name: str, program: Program, generator: str, limits: Limits, kind: str
    ) -> Complexity | SandboxFailure | None:
        """Return how the instructions of a program grow with the inputs of a generator.

        None: it cannot be found out.

        `name` is the problem's, and `kind` what `open_counter` takes.
        """
        language = program.language
        complexities = self.once(
            "complexity",
            lambda: digest(
                self.identity(program), language.counting, generator, limits, counter_facts(kind)
            ),
            lambda: _listed(
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
        """Return the memory over time of a program on the longest input that is measured.

        Pairs of ns and bytes.
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
        """Return the identity of what `count` finds out on tests that are the same in each repeat."""
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
        """Return what `measure` has journalled under a `measure_key`.

        Empty where it has nothing.
        """
        entries = self.journal.get(MEASURE, key) if self.journal else None
        return [read_measured(entry) for entry in entries or ()]

    def kept_count(self, key: str) -> InstructionCount | None:
        """Return what `count` has journalled under a `count_key`; None where it has nothing."""
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
        """Return the figures of programs with their instructions, or with the reason why these are not known.

        A failure of the sandbox is such a reason: the programs have their other figures. One that
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
        """Return how many instructions an empty program takes within the limits of a suite.

        None where that is unknown.

        It reads no input: what one run takes, each does.
        """
        if not language.empty:
            return None
        rules = suite.rules._replace(comparison=OutputComparison(), evaluator=None)
        one = Suite(suite.problem, (TestCase("empty", "", ""),), rules)
        count = self.count(worker, one, Program(language.usual, language.empty), kind)
        return None if isinstance(count, SandboxFailure) else count.instructions

    def measure_key(
        self, suite: Suite, programs: Sequence[Program], how: Measuring, machine: Machine
    ) -> str:
        """Return the identity of what `measure` finds out."""
        suite = suite.measured
        # Tools of these languages only: a new compiler of another language invalidates no figures.
        environment = self.environment({program.language.id for program in programs}, machine)
        empty = sorted({program.language.empty for program in programs})
        identities = [self.identity(one) for one in programs]
        # Figures without those of each test keep the key that they had before there was a choice.
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
    on_tests = [[list(each) for each in measured.on_tests]] if measured.on_tests else []
    return [
        to_plain(measured.total),
        [list(each) for each in measured.repeats],
        rejection,
        *on_tests,
    ]


def read_measured(entry: Sequence[Any]) -> Measured:
    """Return what plain_measured made plain."""
    total, repeats, rejection, *more = entry
    rejected = Rejection(Verdict(rejection[0]), rejection[1]) if rejection else None
    figures, on_tests = (
        (Repeat(*fields) for fields in repeats),
        (CostOnTest(*fields) for fields in (more[0] if more else ())),
    )
    return Measured(
        from_plain(Measurement, total), tuple(figures), rejected, on_tests=tuple(on_tests)
    )


def _listed(complexity: Complexity | SandboxFailure | None) -> list[Complexity] | SandboxFailure:
    """Return a result as a list: the journal cannot keep None."""
    if isinstance(complexity, SandboxFailure):
        return complexity
    return [] if complexity is None else [complexity]
