"""How long and how much: repeats spread over the session, solutions taken in turn, a reference program beside each.

The machine's speed drifts. So every round runs each solution once over all its tests, and right
before and after it a short program of the same language on the same core. What the drift was, and
what each solution costs without it, is estimated from all of these together (estimator.py). An
empty program of the language, measured in the same session, says what of a cost is the start of a
process.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits, Run, TestCase, Verdict
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.judging.checker import WAITING_BYTES, Answer, Checker
from venus_toolkit.execution.judging.comparison import same_text
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.judging.libraries import installed
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.measuring.rounds import (
    FLOOR_RUNS,
    FirstRuns,
    MeasureOptions,
    Reference,
    Rejection,
    Round,
    Rounds,
)
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.execution.sandbox.cores import quiet_cores, usable_cores
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

# A reference program takes 20 to 100 ms: one that needs this long says that the sandbox is stuck.
REFERENCE_LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)


def measure_interleaved(
    sandbox: Sandbox,
    programs: Sequence[Compiled],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    reseeded: Sequence[Sequence[TestCase]] = (),
    checker: Checker | None = None,
    cores: Cores | None = None,
    trace: bool = False,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
    on_round: Callable[[], None] = lambda: None,
    judged: Sequence[FirstRuns | None] = (),
    warmup: int = 0,
    enough: Callable[[Rounds], bool] | None = None,
) -> Rounds:
    """Measure compiled programs of one language on the same tests, taking turns.

    `reseeded` has the tests of each repeat, where these have other inputs
    (execution/judging/held_out.py): what a program remembers of earlier runs is then worth nothing.
    In a repeat all programs have the same ones.

    The `checker` compares every output with the expected one, as the judge does: a program that is
    right when it is judged and quick when it is measured gains nothing. Without it nothing is
    expected.

    The order of the programs, and that of the tests of each, is drawn anew in each repeat. `judged`
    is what each program cost when it was judged on these tests, where that is known: repeats that
    are surely cheaper than the first run of a program are flagged.

    With `reference` the reference program of the language runs beside them. Without it relative
    times are None: enough where one of the programs is what the others are compared with.

    `on_run` is called with the index of the program, that of the test, and the run with its outputs
    and, if `trace`, the samples of memory over time; `on_round` when a program has run all its
    tests once.

    As many rounds as `warmup` says come first: their outputs are checked and their figures dropped.
    After each later repeat but the last, `enough` is given all rounds so far and may end the
    session.

    Raises:
        SandboxError: The sandbox or the reference program failed.
        ValueError: Adaptive repeats with other inputs: what ran more often would have been run on
            more of them.
    """
    if options.adaptive and reseeded:
        raise ValueError("adaptive repeats have the same inputs")
    if not programs:
        return Rounds(options, len(tests), ())
    cores = cores or quiet_cores()
    language = programs[0].program.language
    rounds: list[list[Round]] = [[] for _ in programs]
    check = _OutputCheck(checker, language) if checker else None

    def seen(program: int, tests: Sequence[TestCase], test: int, run: Run) -> None:
        if check:
            check.look(program, tests[test], run)
        if repeat >= 0:
            on_run(program, test, run)

    def so_far() -> Rounds:
        return Rounds(
            options,
            len(tests),
            tuple(map(tuple, rounds)),
            rejections=check.rejections if check else {},
            references=tuple(ours.references),
        )

    draw = random.Random(" ".join(test.test_id for test in tests))
    before, sampling = Pressure.now(), options.sampling(cores, trace)
    with out_of_the_way(cores), ExitStack() as stack:
        ours = _OwnPrograms(stack, sandbox, language, cores, options, needed=reference)
        turns: Sequence[int] = range(len(programs))
        for repeat in range(-warmup, options.repeats):
            if repeat > 0 and options.adaptive:
                turns = so_far().unsettled
            if not turns:
                break
            if repeat > 0 and enough and enough(so_far()):
                options = replace(options, repeats=repeat)
                break
            inputs = reseeded[repeat] if reseeded and repeat >= 0 else tests
            ours.run_empty()
            # One run of the reference serves two neighbours: it is after the one and before the
            # other.
            cpu_before = ours.run_reference()
            # Drawn, so that none always follows the same neighbour, or can tell a repeat by its
            # place.
            for index in draw.sample(turns, len(turns)):
                begun = time.monotonic_ns()
                order = draw.sample(range(len(inputs)), len(inputs))
                with fair(sandbox).session(programs[index], limits, cores, sampling) as session:
                    runs = _in_order(session, inputs, order, partial(seen, index, inputs))
                at_ns = (begun + time.monotonic_ns()) / 2
                if check and check.waiting > WAITING_BYTES:
                    check.ask()  # no program runs now
                cpu_after = ours.run_reference()
                clean = len(runs) == len(tests) and all(
                    run.clean and not run.disagreement for run in runs
                )
                mean = (
                    None
                    if cpu_before is None or cpu_after is None
                    else (cpu_before + cpu_after) / 2
                )
                rounds[index].append(Round(runs, mean, clean, at_ns))
                cpu_before = cpu_after
                on_round()
            if repeat < 0:
                for this_round in rounds:
                    this_round.clear()
                ours.references.clear()
                ours.floor.clear()
    noise, rejections = tuple(before.since()), check.ask() if check else {}
    return Rounds(
        options,
        len(tests),
        tuple(map(tuple, rounds)),
        noise,
        rejections,
        reseeded_tests(tests, reseeded),
        tuple(ours.references),
        tuple(ours.floor),
        tuple(judged),
    )


def reseeded_tests(
    tests: Sequence[TestCase], repeats: Sequence[Sequence[TestCase]]
) -> frozenset[int]:
    """Return the tests, by index, of which no two repeats have the same input, nor the test's own."""
    if not repeats:
        return frozenset()
    inputs = ([test.stdin for test in of_each] for of_each in zip(tests, *repeats, strict=True))
    return frozenset(index for index, input in enumerate(inputs) if len(set(input)) == len(input))


def count_reseeded(tests: Sequence[TestCase], repeats: Sequence[Sequence[TestCase]]) -> int:
    """Return on how many tests each repeat has an input of its own."""
    return len(reseeded_tests(tests, repeats))


class _OutputCheck:
    """Compares what programs print while they are measured.

    An evaluator is asked between two runs, see `ask`.

    A test without an expected output is decided by how the program ends.
    """

    def __init__(self, checker: Checker, language: Language) -> None:
        self._checker, self._language = checker, language
        self.rejections: dict[int, Rejection] = {}  # as far as is known: see `ask`
        self._pending: dict[int, list[Answer]] = {}
        # repeats print the same: it is asked about each output once
        self._known: set[tuple[int, str, str]] = set()

    def look(self, program: int, test: TestCase, run: Run) -> None:
        if program in self.rejections:
            return
        verdict, reason = ending(run, self._language)
        if verdict:
            self.rejections[program] = Rejection(verdict, f"while it was measured: {reason}")
            return
        if test.stdout is None:
            return
        answer = Answer(test.stdout, run.stdout, test.stdin)
        if self._checker.comparison.kind != "evaluator":
            self._compare(program, [answer])
        elif not same_text(answer.expected, answer.actual):
            output = (program, test.stdin, hashlib.sha256(run.stdout).hexdigest())
            if output not in self._known:
                self._known.add(output)
                self._pending.setdefault(program, []).append(answer)

    @property
    def waiting(self) -> int:
        """How many bytes of answers wait for the evaluator."""
        return sum(len(answer.actual) for answers in self._pending.values() for answer in answers)

    def ask(self) -> Mapping[int, Rejection]:
        """Ask the evaluator about all that waits; returns why programs are rejected so far."""
        for program, answers in self._pending.items():
            if program not in self.rejections:
                self._compare(program, answers)
        self._pending.clear()
        return self.rejections

    def _compare(self, program: int, answers: Sequence[Answer]) -> None:
        if not all(self._checker.passes(answers)):
            reason = "it printed something else while it was measured"
            self.rejections[program] = Rejection(Verdict.WRONG_ANSWER, reason)


def _in_order(
    session: Session,
    tests: Sequence[TestCase],
    order: Sequence[int],
    on_run: Callable[[int, Run], None],
) -> tuple[Run, ...]:
    """Run the tests in an order; returns the runs in that of the tests, as far as there are any."""
    runs: dict[int, Run] = {}
    # Encoded before the first run: while one is measured nothing else shall compute.
    inputs = list(EncodedInputs([tests[index] for index in order]))
    for place, run in enumerate(session.run(inputs)):
        on_run(order[place], run)
        runs[order[place]] = run.without_output()
        # Without all tests the round has no figures: the rest of it would be time for nothing.
        if not run.clean:
            break
    return tuple(runs[index] for index in sorted(runs))


@contextmanager
def reference_runner(
    sandbox: Sandbox, language: Language, cores: Cores
) -> Iterator[Callable[[], float]]:
    """Give a function that runs the language's reference program once and returns its CPU time in nanoseconds.

    Raises:
        SandboxError: The reference program does not compile or does not run.
    """
    noun = f"the reference program of {language.name}"
    with _own_program(sandbox, Program(language.usual, language.reference), noun, cores) as once:
        yield lambda: once().cpu_ns


class _OwnPrograms:
    """Our own programs beside the measured ones.

    The reference between them, the empty one once in each repeat.

    Where they are not `wanted`, or the language has no empty program, nothing is run. They are
    closed by the stack.

    Raises:
        SandboxError: One of them does not compile or does not run.
    """

    def __init__(
        self,
        stack: ExitStack,
        sandbox: Sandbox,
        language: Language,
        cores: Cores,
        options: MeasureOptions,
        *,
        needed: bool,
    ) -> None:
        self.references: list[Reference] = []
        self.floor: list[tuple[Run, ...]] = []
        self._reference = (
            stack.enter_context(reference_runner(sandbox, language, cores)) if needed else None
        )
        self._empty = None
        if needed and language.empty:
            program, noun = (
                Program(language.usual, language.empty),
                f"the empty program of {language.name}",
            )
            opened = _own_program(sandbox, program, noun, cores, options.sampling(cores))
            self._empty = stack.enter_context(opened)

    def run_reference(self) -> float | None:
        """Run the reference once and return its CPU time in nanoseconds."""
        if self._reference is None:
            return None
        begun, cpu_ns = time.monotonic_ns(), self._reference()
        self.references.append(Reference(cpu_ns, (begun + time.monotonic_ns()) / 2))
        return cpu_ns

    def run_empty(self) -> None:
        """Run the empty program as often as the floor wants it."""
        if self._empty is not None:
            self.floor.append(tuple(self._empty() for _ in range(FLOOR_RUNS)))


@contextmanager
def _own_program(
    sandbox: Sandbox, program: Program, noun: str, cores: Cores, sampling: Sampling | None = None
) -> Iterator[Callable[[], Run]]:
    """Give a function that runs a program of ours once.

    Where it fails, the machine is at fault, no other program.
    """
    fix = f"venus languages check {program.language.id}"
    compiled = sandbox.compile(program)
    if not compiled.ok:
        raise SandboxError(f"{noun} does not compile", compiled.log[-300:], fix)
    with sandbox.session(compiled, REFERENCE_LIMITS, cores, sampling) as session:

        def once() -> Run:
            (run,) = session.run([b""])
            if not run.clean:
                reason = f"exit code {run.exit_code}, signal {run.signal}, limit {run.limit}"
                raise SandboxError(f"{noun} failed", reason, fix)
            return run.without_output()

        once()  # the first run reads files that later ones find in memory
        yield once


@contextmanager
def out_of_the_way(cores: Cores) -> Iterator[None]:
    """Keep the calling thread, and what it starts, off the program's core."""
    before = os.sched_getaffinity(0)
    if cores.apart:
        # or share it, where there is no other
        os.sched_setaffinity(0, before - {cores.program} or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def environment_facts(
    languages: Iterable[Language], versions: Mapping[str, str]
) -> dict[str, object]:
    """Return what a reader needs to know of the machine that measured.

    Kernel, processor, toolchains, libraries.
    """
    models = [
        line.split(":", 1)[1].strip()
        for line in read_lines("/proc/cpuinfo")
        if line.startswith("model name")
    ]
    uname, chosen = os.uname(), list(languages)
    there = {
        one.id: [name for name, present in installed(one).items() if present] for one in chosen
    }
    return {
        "cpu": next(iter(models), None),
        "cores": len(usable_cores()),
        "architecture": uname.machine,
        "kernel": uname.release,
        "governor": next(
            iter(read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")), None
        ),
        "smt": next(iter(read_lines("/sys/devices/system/cpu/smt/active")), None),
        "toolchains": {
            language.id: versions[language.id] for language in chosen if language.id in versions
        },
        **(
            {"libraries": {name: libraries for name, libraries in there.items() if libraries}}
            if chosen
            else {}
        ),
    }
